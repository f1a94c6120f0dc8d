#include "perception/lens/lens_doubt.h"

#include "perception/tags/tag_fit.h"

#include <stdlib.h>
#include <string.h>

struct pov_lens_doubt {
    pov_camera camera;
    pov_lens_spread spread;
    pov_lens_effect effect, renamed;
    pov_scene trial, narrow;
    pov_findings findings;
    int sighting_len;
    pov_tag_sighting sightings[POV_TAG_MAX];
};

pov_lens_doubt *pov_lens_doubt_new(const pov_camera *camera, const pov_lens_covariance *covariance)
{
    pov_lens_doubt *doubt = pov_allocate(1, sizeof *doubt);
    doubt->camera = *camera;
    pov_lens_spread_make(&doubt->spread, camera, covariance);
    return doubt;
}

void pov_lens_doubt_destroy(pov_lens_doubt **doubt)
{
    free(*doubt);
    *doubt = NULL;
}

/* ---- the scene through another camera ---- */

static void gather_sightings(pov_lens_doubt *doubt, const pov_lens_view *view)
{
    const pov_findings *findings = view->findings;
    doubt->sighting_len = 0;
    for (int i = 0; view->map && i < findings->tags.len; i++) {
        const pov_tag *tag = &findings->tags.tags[i];
        const pov_tag_map_entry *entry = pov_tag_map_find(view->map, tag->family, tag->id);
        if (entry && findings->camera_pose.outcome[i] == POV_TAG_USED)
            doubt->sightings[doubt->sighting_len++] = (pov_tag_sighting){tag, entry, true};
    }
}

/* The camera's pose if its calibration were another: moved as the tags' fit moves. */
static pov_transform locate_camera(const pov_lens_doubt *doubt, const pov_camera *camera,
                                   const pov_lens_view *view, const pov_pose *fitted)
{
    pov_pose other = *fitted;
    double moved[6];
    if (doubt->sighting_len == 0 || !pov_tag_fit(&other, camera, doubt->sightings, doubt->sighting_len))
        return view->T_table_camera->T;
    pov_transform_minus(moved, other.T, fitted->T);
    return pov_transform_plus(view->T_table_camera->T, moved);
}

static void reseat_balls(pov_lens_doubt *doubt, const pov_camera *camera, const pov_lens_view *view,
                         const pov_transform *T_table_camera)
{
    pov_balls *balls = &doubt->findings.balls;
    *balls = view->findings->balls;
    for (int i = 0; i < balls->len; i++) {
        const pov_ball_kind *kind = &view->balls->kinds[balls->balls[i].kind];
        pov_lens_reseat_ball(&balls->balls[i], &doubt->camera, camera, kind->radius_m,
                             kind->has_height ? T_table_camera : NULL, kind->height_m);
    }
}

static bool build_scene(pov_lens_doubt *doubt, const pov_camera *camera, const pov_lens_view *view,
                        const pov_transform *T_table_camera)
{
    pov_pose pose = *view->T_table_camera;
    pose.T = *T_table_camera;
    reseat_balls(doubt, camera, view, T_table_camera);
    return pov_cast_build_scene(view->cast, &doubt->trial, &doubt->findings, camera, &pose).code == POV_OK;
}

void pov_lens_doubt_look(pov_lens_doubt *doubt, const pov_scene *scene, const pov_lens_view *view)
{
    pov_pose fitted = *view->T_table_camera;
    doubt->effect.len = 0;
    doubt->findings = *view->findings;
    gather_sightings(doubt, view);
    if (doubt->sighting_len > 0 &&
        !pov_tag_fit(&fitted, &doubt->camera, doubt->sightings, doubt->sighting_len))
        return;
    for (int d = 0; d < doubt->spread.len; d++) {
        const pov_camera *camera = &doubt->spread.cameras[d];
        const pov_transform T_table_camera = locate_camera(doubt, camera, view, &fitted);
        if (build_scene(doubt, camera, view, &T_table_camera) && doubt->trial.len == scene->len)
            pov_lens_effect_add(&doubt->effect, scene, view->T_table_camera->T, &doubt->trial,
                                T_table_camera);
    }
}

void pov_lens_doubt_rename(pov_lens_doubt *doubt, const pov_id renamed[POV_ENTITY_MAX])
{
    const size_t places = sizeof doubt->effect.position_m[0], headings = sizeof doubt->effect.heading_rad[0];
    memset(&doubt->renamed.position_m, 0, sizeof doubt->renamed.position_m);
    memset(&doubt->renamed.heading_rad, 0, sizeof doubt->renamed.heading_rad);
    for (int i = 0; i < doubt->trial.len; i++) {
        if (renamed[i] == POV_ID_NONE)
            continue;
        memcpy(doubt->renamed.position_m[renamed[i]], doubt->effect.position_m[i], places);
        memcpy(doubt->renamed.heading_rad[renamed[i]], doubt->effect.heading_rad[i], headings);
    }
    memcpy(doubt->effect.position_m, doubt->renamed.position_m, sizeof doubt->effect.position_m);
    memcpy(doubt->effect.heading_rad, doubt->renamed.heading_rad, sizeof doubt->effect.heading_rad);
}

/* ---- what follows ---- */

void pov_lens_doubt_widen(pov_lens_doubt *doubt, pov_scene *scene, pov_pose *T_table_camera)
{
    doubt->narrow = *scene;
    pov_lens_effect_apply(&doubt->effect, scene, T_table_camera);
}

void pov_lens_doubt_explain(const pov_lens_doubt *doubt, pov_judgment *judgments, int len,
                            const pov_judging *judging)
{
    for (int i = 0; i < len; i++) {
        pov_judgment exact;
        if (judgments[i].belief.verdict == POV_ABSTAIN &&
            pov_relation_evaluate(&exact, &doubt->narrow, &judgments[i].query, judging) == POV_OK &&
            exact.belief.verdict != POV_ABSTAIN)
            judgments[i].doubt = POV_DOUBT_CALIBRATION;
    }
}
