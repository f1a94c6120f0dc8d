#include "firmware/run/station_judge.h"

#include "perception/relations/pair_judge.h"
#include "perception/relations/relation_panel.h"
#include "perception/visibility/visibility.h"

#include <stdlib.h>
#include <string.h>

struct pov_station_judge {
    const pov_station_judging *settings;
    pov_relation_panel *panel; /* NULL: the station judges directions only */
    pov_occlusion *occlusion;
};

pov_status pov_station_judge_new(pov_station_judge **judge, const pov_station_judging *settings)
{
    pov_station_judge *j = *judge = calloc(1, sizeof *j);
    if (!j)
        return pov_error("judging: out of memory");
    j->settings = settings;
    pov_status status = pov_occlusion_new(&j->occlusion);
    if (status.code == POV_OK && settings->uses_panel)
        status = pov_relation_panel_new(&j->panel, &settings->judging);
    if (status.code != POV_OK)
        pov_station_judge_destroy(judge);
    return status;
}

void pov_station_judge_destroy(pov_station_judge **judge)
{
    if (!*judge)
        return;
    pov_occlusion_destroy(&(*judge)->occlusion);
    pov_relation_panel_destroy(&(*judge)->panel);
    free(*judge);
    *judge = NULL;
}

/* ---- relations of pairs ---- */

/* One image's judging. */
typedef struct {
    pov_pair_judge judge;
    pov_relation_panel *panel; /* may be NULL */
    pov_judgment_list answers;
    pov_observation *observation;
} judging;

static void judge_pair(judging *j, pov_id referent, pov_id relatum)
{
    pov_observation *observation = j->observation;
    const int room = POV_JUDGMENT_MAX - observation->judgment_len;
    const int len = pov_pair_judge_run(&j->judge, &observation->judgments[observation->judgment_len], room,
                                       referent, relatum);
    observation->judgments_truncated |= len > room;
    observation->judgment_len += len > room ? room : len;
    if (j->panel)
        pov_relation_panel_pair(j->panel, &j->answers, &observation->scene, referent, relatum);
}

static void judge_named_pairs(judging *j, const pov_station_judging *settings)
{
    const pov_scene *scene = &j->observation->scene;
    for (int i = 0; i < settings->pair_len; i++) {
        pov_id referent = pov_scene_find(scene, settings->pairs[i][0]);
        pov_id relatum = pov_scene_find(scene, settings->pairs[i][1]);
        /* of several alike, not all may be in view */
        if (referent != POV_ID_NONE && relatum != POV_ID_NONE && referent != relatum)
            judge_pair(j, referent, relatum);
    }
}

/* Every ordered pair of the cast, by relatum; not of the camera, which is a viewer only. */
static void judge_all_pairs(judging *j)
{
    const pov_scene *scene = &j->observation->scene;
    for (pov_id relatum = 0; relatum < scene->len; relatum++)
        for (pov_id referent = 0; referent < scene->len; referent++)
            if (referent != relatum && relatum != scene->camera && referent != scene->camera)
                judge_pair(j, referent, relatum);
    for (pov_id referent = 0; j->panel && referent < scene->len; referent++)
        if (referent != scene->camera)
            pov_relation_panel_among(j->panel, &j->answers, scene, referent);
}

void pov_station_judge_relations(pov_station_judge *judge, pov_observation *observation)
{
    const pov_station_judging *settings = judge->settings;
    judging j = {.panel = judge->panel,
                 .answers = {.judgments = observation->answers, .capacity = POV_ANSWER_MAX},
                 .observation = observation};
    observation->judgment_len = 0;
    observation->judgments_truncated = false;
    pov_pair_judge_prepare(&j.judge, &observation->scene, &settings->judging);
    if (settings->pair_len > 0)
        judge_named_pairs(&j, settings);
    else
        judge_all_pairs(&j);
    observation->answer_len = j.answers.len;
    observation->answers_truncated = j.answers.truncated;
}

/* ---- who sees what ---- */

static bool is_asked(const pov_station_viewers *viewers, const pov_entity *entity)
{
    bool asked = viewers->all;
    for (int i = 0; i < viewers->len && !asked; i++)
        asked = strcmp(viewers->names[i], entity->name) == 0;
    return asked;
}

static void look(pov_observation *observation, const pov_occlusion *occlusion, pov_id viewer)
{
    static const pov_seeing seeing = POV_SEEING_DEFAULT;
    for (pov_id target = 0; target < observation->scene.len; target++) {
        if (viewer == target || target == observation->scene.camera)
            continue;
        if (observation->sight_len == POV_SIGHT_MAX)
            observation->sights_truncated = true;
        else
            (void)pov_visibility_evaluate(occlusion, &observation->sights[observation->sight_len++], viewer,
                                          target, &seeing);
    }
}

pov_status pov_station_judge_sights(pov_station_judge *judge, pov_observation *observation)
{
    const pov_scene *scene = &observation->scene;
    const pov_station_viewers *viewers = &judge->settings->visibility;
    observation->sight_len = 0;
    observation->sights_truncated = false;
    if (!viewers->all && viewers->len == 0)
        return pov_ok();
    POV_TRY(pov_occlusion_update(judge->occlusion, scene));
    for (pov_id viewer = 0; viewer < scene->len; viewer++)
        if (scene->entities[viewer].can_see && is_asked(viewers, &scene->entities[viewer]))
            look(observation, judge->occlusion, viewer);
    return pov_ok();
}

/* ---- directions and views ---- */

static void point_out(pov_observation *observation, pov_id viewer)
{
    static const double abstain_margin = 0.45; /* as for who sees what: P in [0.05, 0.95] is no answer */
    for (pov_id target = 0; target < observation->scene.len; target++) {
        if (viewer == target || target == observation->scene.camera)
            continue;
        if (observation->direction_len == POV_DIRECTION_MAX) {
            observation->directions_truncated = true;
            return;
        }
        pov_observed_direction *direction = &observation->directions[observation->direction_len++];
        direction->viewer = viewer;
        direction->target = target;
        (void)pov_layout_side(&direction->side, &observation->scene, viewer, target, abstain_margin);
    }
}

static void survey(pov_observation *observation, pov_id viewer)
{
    static const pov_layout ahead = POV_LAYOUT_DEFAULT;
    if (observation->view_len == POV_VIEW_MAX) {
        observation->views_truncated = true;
        return;
    }
    pov_observed_view *view = &observation->views[observation->view_len++];
    view->viewer = viewer;
    (void)pov_layout_left_to_right(&view->left_to_right, &observation->scene, viewer, &ahead);
    (void)pov_layout_near_to_far(&view->near_to_far, &observation->scene, viewer, &ahead);
}

void pov_station_judge_directions(const pov_station_judge *judge, pov_observation *observation)
{
    const pov_station_viewers *viewers = &judge->settings->directions;
    const pov_scene *scene = &observation->scene;
    observation->direction_len = observation->view_len = 0;
    observation->directions_truncated = observation->views_truncated = false;
    for (pov_id viewer = 0; viewer < scene->len; viewer++) {
        const pov_entity *entity = &scene->entities[viewer];
        if (!(entity->can_see || entity->addressee) || !entity->placed || entity->heading.len == 0 ||
            !is_asked(viewers, entity))
            continue;
        point_out(observation, viewer);
        survey(observation, viewer);
    }
}
