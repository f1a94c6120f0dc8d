#include "perception/objects/object_finder.h"

#include "perception/objects/object_heading.h"
#include "perception/objects/object_settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double place_std_least_m = 3e-4;
static const double place_std_by_elevation = 0.12; /* per rad of elevation off */

struct pov_object_finder {
    pov_camera camera;
    int kind_len;
    object_kind *kinds;
    pov_image_pyramid pyramid;
    object_tints tints;
    object_palette palette;
    object_claims claims;
    object_hunter hunter;
};

/* ---- life ---- */

static pov_status make(pov_object_finder *f, const pov_object_finder_config *config)
{
    f->kinds = calloc((size_t)config->kind_len + 1, sizeof *f->kinds);
    if (!f->kinds)
        return pov_error("enrolled objects: out of memory");
    f->kind_len = config->kind_len;
    for (int i = 0; i < config->kind_len; i++) {
        const pov_object_kind *from = &config->kinds[i];
        POV_REQUIRE(from->portraits->len >= POV_PORTRAIT_MIN);
        POV_REQUIRE(!from->is_another || i > 0);
        f->kinds[i].make = from->is_another ? f->kinds[i - 1].make : i;
        f->kinds[i].z_m = from->stands_on_m;
        f->kinds[i].z_std_m = from->stands_on_std_m;
        POV_TRY(object_model_new(&f->kinds[i].model, from->portraits));
    }
    POV_TRY(object_hunter_new(&f->hunter));
    object_palette_init(&f->palette);
    POV_TRY(pov_image_pyramid_new(&f->pyramid, f->camera.width_px, f->camera.height_px));
    POV_TRY(object_claims_new(&f->claims, f->camera.width_px, f->camera.height_px));
    return object_tints_new(&f->tints, &f->pyramid);
}

pov_status pov_object_finder_new(pov_object_finder **finder, const pov_object_finder_config *config,
                                 const pov_camera *camera)
{
    *finder = calloc(1, sizeof **finder);
    if (!*finder)
        return pov_error("enrolled objects: out of memory");
    (*finder)->camera = *camera;
    (*finder)->hunter.area =
        config->has_area ? config->area : (pov_object_area){{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};
    const pov_status status = make(*finder, config);
    if (status.code != POV_OK)
        pov_object_finder_destroy(finder);
    return status;
}

void pov_object_finder_destroy(pov_object_finder **finder)
{
    pov_object_finder *f = *finder;
    if (!f)
        return;
    for (int i = 0; i < f->kind_len; i++)
        object_model_destroy(&f->kinds[i].model);
    free(f->kinds);
    object_hunter_free(&f->hunter);
    object_tints_free(&f->tints);
    object_claims_free(&f->claims);
    pov_image_pyramid_free(&f->pyramid);
    free(f);
    *finder = NULL;
}

void pov_object_finder_forget(pov_object_finder *finder)
{
    for (int i = 0; i < finder->kind_len; i++)
        finder->kinds[i].has_seed = finder->kinds[i].missed = finder->kinds[i].hold.is_known = false;
}

/* ---- what is said ---- */

/* A place on a plane seen through a camera whose pose errs: it moves with the camera, then along its ray back to the plane. */
static void couple_to_pose(double per_pose[3][6], pov_vec3 from_eye_m)
{
    const pov_vec3 p = from_eye_m;
    const double J[3][6] = {{0, p.z, -p.y, 1, 0, 0}, {-p.z, 0, p.x, 0, 1, 0}, {p.y, -p.x, 0, 0, 0, 1}};
    const double along[3] = {p.x / p.z, p.y / p.z, 1};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            per_pose[i][k] = J[i][k] - along[i] * J[2][k];
}

static void place(pov_object_finding *finding, const object_view *view, const object_kind *k,
                  const object_place_spread *spread)
{
    const object_fit *fit = &k->fit;
    const pov_rot R = pov_rot_yaw(fit->place.yaw_rad);
    const pov_vec3 middle_m = pov_rot_apply(R, k->model->middle_m), eye_m = view->T_table_camera.t_m;
    pov_position *position = &finding->position;
    *position = (pov_position){
        .mean_m = pov_vec3_add((pov_vec3){fit->place.x_m, fit->place.y_m, fit->place.z_m}, middle_m)};
    const pov_vec3 from_eye_m = pov_vec3_sub(position->mean_m, eye_m);
    const double slide[2] = {from_eye_m.x / from_eye_m.z, from_eye_m.y / from_eye_m.z},
                 z2 = k->z_std_m * k->z_std_m;
    const double least_m = place_std_least_m + place_std_by_elevation * k->model->radius_m *
                                                   object_view_elevation_off(view, k->model, &fit->place);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            position->own_cov_m2[i][j] =
                fit->cov[i][j] + slide[i] * slide[j] * z2 + (i == j ? least_m * least_m : 0);
    position->own_cov_m2[0][0] += spread->xx;
    position->own_cov_m2[1][1] += spread->yy;
    position->own_cov_m2[0][1] += spread->xy;
    position->own_cov_m2[1][0] += spread->xy;
    for (int i = 0; i < 2; i++)
        position->own_cov_m2[i][2] = position->own_cov_m2[2][i] = slide[i] * z2;
    position->own_cov_m2[2][2] = z2;
    couple_to_pose(position->per_camera_pose, from_eye_m);
    finding->size_m = k->model->size_m;
    finding->R_table_box = pov_rot_yaw(fit->place.yaw_rad + k->model->front_rad);
    finding->fraction_visible = fit->visible;
}

static void report(pov_object_finder *f, pov_object_finding *finding, const object_view *view, int i)
{
    object_place_spread spread;
    object_kind *k = &f->kinds[i];
    *finding = (pov_object_finding){.p_none = 1};
    k->has_seed = false;
    if (k->has_fit &&
        k->fit.evidence >= object_hunt_least_evidence - object_hunt_stay(&f->hunter, k, &k->fit)) {
        object_heading_find(&f->hunter, &finding->heading, &spread, view, k);
        object_settle_odds(finding, &f->hunter, f->kinds, f->kind_len, i, view);
        if (!k->model->has_front)
            finding->heading.len = 0;
        place(finding, view, k, &spread);
        k->seed = k->fit;
        k->has_seed = finding->found = finding->p_kind[i] > 0.5;
    }
    k->missed = !k->has_seed;
    if (k->has_seed)
        object_hold_set(&k->hold, k->model, &k->fit, f->hunter.now_ns);
    else if (k->is_held)
        object_hold_miss(&k->hold, &k->held);
}

pov_status pov_object_finder_run(pov_object_finder *finder, pov_object_findings *findings,
                                 const pov_image *image, const pov_pose *T_table_camera,
                                 const pov_object_others *others)
{
    pov_object_finder *f = finder;
    memset(findings, 0, sizeof *findings);
    if (image->width_px != f->camera.width_px || image->height_px != f->camera.height_px)
        return pov_status_with(POV_SKIPPED, "%s: %d x %d pixels where %d x %d are expected", image->name,
                               image->width_px, image->height_px, f->camera.width_px, f->camera.height_px);
    findings->len = f->kind_len;
    for (int i = 0; i < f->kind_len; i++)
        findings->findings[i].p_none = 1;
    if (!T_table_camera)
        return pov_ok();
    pov_image_pyramid_set(&f->pyramid, image);
    object_tints_set(&f->tints, &f->pyramid);
    object_palette_set(&f->palette, &f->pyramid);
    object_claims_start(&f->claims, others);
    f->hunter.now_ns = image->mid_exposure_ns;
    f->hunter.has_looked_about = false;
    const object_view view = {&f->camera,
                              T_table_camera->T,
                              pov_transform_inverse(T_table_camera->T),
                              &f->pyramid,
                              &f->tints,
                              &f->palette,
                              &f->claims,
                              NULL};
    for (int i = 0; i < f->kind_len; i++)
        object_hunt(&f->hunter, &f->kinds[i], &view);
    object_hunt_share(f->kinds, f->kind_len);
    object_settle(&f->hunter, &f->claims, f->kinds, f->kind_len, &view);
    for (int i = 0; i < f->kind_len; i++)
        report(f, &findings->findings[i], &view, i);
    f->hunter.image++;
    return pov_ok();
}
