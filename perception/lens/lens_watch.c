#include "perception/lens/lens_watch.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/tags/tag_fit.h"

#include <math.h>
#include <string.h>

enum { ROWS = POV_TAG_ROWS, STATES = 7, IMAGES_MIN = 10, IMAGES_OF_MEAN = 30 };

/* Share of f; deviations; reduced chi-square; chosen. */
static const double ZOOM_MIN = 0.003, STDS = 4, MISFIT_MAX = 4;
static const double FADING = 0.9; /* weight that earlier places keep when the camera leaves one; chosen */
/* Corners are better than they say, as a rule: by their residuals, down to this share of their variance. */
static const double NOISE2_MIN = 0.05;
/* For tags that the pose's estimate rejected. A farther one has another cause than the lens; a single one was moved. */
static const double DISTANCE2_MAX = 640;
/* A camera that moved or turned by so much looks from another place. */
static const double MOVED_M = 0.05, TURNED_RAD = 5 * POV_PI / 180;

typedef struct {
    double information[STATES * STATES], gradient[STATES], squares;
    int rows;
} equations;

/* A tag's corners by the camera's pose and by a change of its focal length, which moves what is seen along the ray from the
 * image's centre. */
static void add_tag(equations *sum, const pov_camera *camera, const pov_transform *T_table_camera,
                    const pov_tag_sighting *s)
{
    pov_tag_prediction p;
    double L[ROWS * ROWS], rows[ROWS][STATES];
    if (!pov_tag_predict(&p, camera, *T_table_camera, s))
        return;
    for (int r = 0; r < ROWS; r++) {
        const pov_vec2 seen = s->tag->corner_px[r / 2];
        memcpy(rows[r], p.per_camera[r], sizeof p.per_camera[r]);
        rows[r][6] = (r % 2 == 0 ? seen.x - camera->cx_px : seen.y - camera->cy_px) - p.residual_px[r];
    }
    pov_sandwich(L, &p.per_tag[0][0], &s->entry->T_table_tag.cov[0][0], ROWS, 6);
    for (int i = 0; i < ROWS; i++)
        L[i * (ROWS + 1)] += s->tag->corner_std_px * s->tag->corner_std_px;
    if (!pov_cholesky(L, L, ROWS))
        return;
    pov_whiten(p.residual_px, L, ROWS, 1);
    pov_whiten(&rows[0][0], L, ROWS, STATES);
    const double distance2 = pov_squares(p.residual_px, ROWS);
    if (distance2 > DISTANCE2_MAX)
        return;
    double weight;
    (void)pov_huber(&weight, distance2, POV_TAG_HUBER_DISTANCE);
    const pov_normal normal = {sum->information, sum->gradient, STATES};
    pov_normal_add(&normal, &rows[0][0], p.residual_px, ROWS, weight);
    sum->squares += distance2;
    sum->rows += ROWS;
}

/* One image's estimate of the change of focal length, and its information; false if its tags do not determine it. */
static bool find_zoom(double *zoom, double *information, double *misfit, const equations *sum)
{
    double inverse[STATES * STATES], step[STATES];
    if (sum->rows <= STATES || !pov_normal_step(step, sum->information, sum->gradient, STATES, 0) ||
        !pov_symmetric_inverse(inverse, sum->information, STATES))
        return false;
    *zoom = step[6];
    *information = 1 / inverse[STATES * STATES - 1];
    *misfit = sum->squares / (sum->rows - 6);
    return isfinite(*zoom) && *information > 0;
}

static int count_rejected(const pov_tags *tags, const pov_camera_pose *pose)
{
    int len = 0;
    for (int i = 0; i < tags->len; i++)
        len += pose->outcome[i] == POV_TAG_REJECTED;
    return len;
}

static bool has_moved(const pov_lens_watch *watch, const pov_transform *T_table_camera)
{
    double off[6];
    if (watch->image_len == 0)
        return false;
    pov_transform_minus(off, *T_table_camera, watch->T_table_camera);
    return sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) > TURNED_RAD ||
           sqrt(off[3] * off[3] + off[4] * off[4] + off[5] * off[5]) > MOVED_M;
}

static void leave_place(pov_lens_watch *watch)
{
    const double information = watch->information / watch->image_len;
    watch->old_weighted = FADING * (watch->old_weighted + watch->zoom / watch->image_len * information);
    watch->old_information = FADING * (watch->old_information + information);
    watch->image_len = 0;
    watch->zoom = watch->information = 0;
}

static void judge_health(pov_lens_health *health, const pov_lens_watch *watch)
{
    const double here = watch->information / watch->image_len, all = here + watch->old_information;
    const double zoom = (watch->zoom / watch->image_len * here + watch->old_weighted) / all;
    *health = (pov_lens_health){.known = watch->misfit_len >= IMAGES_MIN,
                                .zoom = 1 + zoom,
                                .zoom_std = sqrt(fmin(fmax(watch->misfit, NOISE2_MIN), 1) / all),
                                .misfit = watch->misfit};
    pov_lens_health_allow(health, 0);
}

void pov_lens_health_allow(pov_lens_health *health, double focal_std_share)
{
    const double std = hypot(health->zoom_std, focal_std_share), off = fabs(health->zoom - 1);
    health->stale = health->known && ((off > ZOOM_MIN && off > STDS * std) || health->misfit > MISFIT_MAX);
}

void pov_lens_watch_update(pov_lens_watch *watch, pov_lens_health *health, const pov_camera *camera,
                           const pov_tags *tags, const pov_tag_map *map, const pov_camera_pose *pose)
{
    equations sum = {.squares = 0};
    double zoom, information, misfit;
    const bool many = count_rejected(tags, pose) > 1;
    for (int i = 0; i < tags->len; i++) {
        const pov_tag *tag = &tags->tags[i];
        const pov_tag_sighting sighting = {tag, pov_tag_map_find(map, tag->family, tag->id), true};
        if (sighting.entry &&
            (pose->outcome[i] == POV_TAG_USED || (pose->outcome[i] == POV_TAG_REJECTED && many)))
            add_tag(&sum, camera, &pose->T_table_camera.T, &sighting);
    }
    if (!find_zoom(&zoom, &information, &misfit, &sum)) {
        health->known = health->stale = false;
        return;
    }
    if (has_moved(watch, &pose->T_table_camera.T))
        leave_place(watch);
    if (watch->image_len == 0)
        watch->T_table_camera = pose->T_table_camera.T;
    watch->image_len++;
    watch->zoom += zoom;
    watch->information += information;
    watch->misfit_len += watch->misfit_len < IMAGES_OF_MEAN;
    watch->misfit += (misfit - watch->misfit) / watch->misfit_len;
    judge_health(health, watch);
}
