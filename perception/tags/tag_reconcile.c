#include "perception/tags/tag_reconcile.h"

#include "perception/geometry/linalg.h"
#include "perception/tags/tag_fit.h"

#include <math.h>

enum { NUMBERS = 8, STATES = 6, LEVELS = 5 };

static const double STRAY_PX = 200;    /* a stray's corners lie anywhere so near, each way */
static const double LEAST_PX = 0.15;   /* tried first, and doubled */
static const double CHANCE_STDS = 3.5; /* chi-square so far above its mean is none */

typedef struct {
    const pov_camera *camera;
    const pov_tag_map *map;
} station;

typedef struct {
    int used, strays;
    double distance2; /* of the used ones */
    double cost;      /* -2 log likelihood, the camera anywhere */
} verdict;

static double log_determinant(const pov_pose *pose)
{
    double L[STATES * STATES], sum = 0;
    if (!pov_cholesky(L, &pose->cov[0][0], STATES))
        return 0;
    for (int i = 0; i < STATES; i++)
        sum += 2 * log(L[i * (STATES + 1)]);
    return sum;
}

static verdict judge(const station *s, const pov_camera_pose *pose, const pov_tags *tags)
{
    verdict v = {.used = 0};
    for (int i = 0; i < tags->len; i++) {
        const pov_tag *tag = &tags->tags[i];
        v.strays += pose->fate[i] == POV_TAG_REJECTED;
        if (pose->fate[i] != POV_TAG_USED)
            continue;
        const pov_tag_sighting seen = {tag, pov_tag_map_find(s->map, tag->family, tag->id), true};
        const pov_tag_misfit misfit = pov_tag_misfit_of(s->camera, &seen, &pose->T_table_camera, false);
        v.used++;
        v.distance2 += misfit.distance2;
        v.cost += misfit.distance2 + misfit.log_determinant + NUMBERS * log(2 * POV_PI);
    }
    v.cost += 2.0 * NUMBERS * log(2 * STRAY_PX) * v.strays;
    if (v.used > 0)
        v.cost -= log_determinant(&pose->T_table_camera) + STATES * log(2 * POV_PI);
    return v;
}

static bool is_doubtful(const verdict *v)
{
    const double freedom = NUMBERS * v->used - STATES;
    return v->strays > 0 || (v->used > 0 && v->distance2 > freedom + CHANCE_STDS * sqrt(2 * freedom));
}

static void add_noise(pov_tags *tags, const pov_camera_pose *pose, const pov_tags *said, double std_px)
{
    for (int i = 0; i < tags->len; i++)
        if (pose->fate[i] != POV_TAG_NOT_IN_MAP)
            tags->tags[i].corner_std_px = hypot(said->tags[i].corner_std_px, std_px);
}

bool pov_camera_pose_reconcile(pov_camera_pose *pose, pov_tags *tags, const pov_camera *camera,
                               const pov_tag_map *map)
{
    const station s = {camera, map};
    verdict likeliest = judge(&s, pose, tags);
    if (!is_doubtful(&likeliest))
        return false;
    const pov_tags said = *tags;
    pov_tags best = said;
    bool found = false, worsens = false;
    for (int i = 0; i < LEVELS && !worsens; i++) {
        pov_camera_pose tried;
        add_noise(tags, pose, &said, ldexp(LEAST_PX, i));
        if (pov_camera_pose_estimate(&tried, camera, tags, map) != POV_OK)
            continue;
        const verdict v = judge(&s, &tried, tags);
        const bool better = v.cost < likeliest.cost;
        worsens = found && !better && likeliest.strays == 0;
        if (!better)
            continue;
        likeliest = v;
        best = *tags;
        *pose = tried;
        found = true;
    }
    *tags = best;
    return found;
}
