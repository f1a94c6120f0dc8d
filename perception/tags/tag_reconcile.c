#include "perception/tags/tag_reconcile.h"

#include "perception/geometry/linalg.h"
#include "perception/tags/tag_fit.h"

#include <math.h>
#include <string.h>

enum { NUMBERS = 8, STATES = 6, LEVELS = 5 };

static const double LEAST_PX = 0.15;   /* tried first, and doubled */
static const double CHANCE_STDS = 3.5; /* a chi-square so far above its mean is an outlier */
static const double FINEST_M = 0.5e-3, FINEST_RAD = 0.1 * POV_PI / 180; /* a map's deviations, doubled */
static const double NOISE_BESIDE_PX = 0.3; /* chosen: a lens less well known, beside a map's deviations */
/* In log likelihood; measured: no false alarm in 707 series, of six seeds, of corners up to four times as noisy as said. */
static const double SURE_GAIN = 8;

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

static verdict judge_deviations(const station *s, const pov_camera_pose *pose, const pov_tags *tags)
{
    const double stray_cost = 2.0 * NUMBERS * log(2 * POV_TAG_STRAY_PX);
    verdict v = {.used = 0};
    for (int i = 0; i < tags->len; i++) {
        const pov_tag *tag = &tags->tags[i];
        v.strays += pose->outcome[i] == POV_TAG_REJECTED;
        if (pose->outcome[i] != POV_TAG_USED)
            continue;
        const pov_tag_sighting seen = {tag, pov_tag_map_find(s->map, tag->family, tag->id), true};
        const pov_tag_misfit misfit = pov_tag_misfit_of(s->camera, &seen, &pose->T_table_camera, false);
        v.used++;
        v.distance2 += misfit.distance2;
        v.cost += fmin(misfit.distance2 + misfit.log_determinant + NUMBERS * log(2 * POV_PI), stray_cost);
    }
    v.cost += stray_cost * v.strays;
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
        if (pose->outcome[i] != POV_TAG_NOT_IN_MAP)
            tags->tags[i].corner_std_px = hypot(said->tags[i].corner_std_px, std_px);
}

bool pov_camera_pose_reconcile(pov_camera_pose *pose, pov_tags *tags, const pov_camera *camera,
                               const pov_tag_map *map)
{
    const station s = {camera, map};
    verdict likeliest = judge_deviations(&s, pose, tags);
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
        const verdict v = judge_deviations(&s, &tried, tags);
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

static bool is_exact(const pov_pose *pose)
{
    const double *cov = &pose->cov[0][0];
    for (int i = 0; i < STATES * STATES; i++)
        if (cov[i] != 0)
            return false;
    return true;
}

static int count_exact(const pov_tags *tags, const pov_tag_map *map)
{
    int len = 0;
    for (int i = 0; i < tags->len; i++) {
        const pov_tag_map_entry *entry = pov_tag_map_find(map, tags->tags[i].family, tags->tags[i].id);
        len += entry && is_exact(&entry->T_table_tag);
    }
    return len;
}

static pov_map_spread spread_at(int position, int rotation)
{
    return (pov_map_spread){.position_std_m = position > 0 ? ldexp(FINEST_M, position - 1) : 0,
                            .rotation_std_rad = rotation > 0 ? ldexp(FINEST_RAD, rotation - 1) : 0};
}

static void spread_map(pov_tag_map *spread, const pov_tag_map *map, pov_map_spread by)
{
    *spread = *map;
    for (int i = 0; i < map->len; i++)
        for (int k = 0; k < STATES && is_exact(&map->tags[i].T_table_tag); k++)
            spread->tags[i].T_table_tag.cov[k][k] = pow(k < 3 ? by.rotation_std_rad : by.position_std_m, 2);
}

/* Fits the used tags' corners again, from the pose as it is. */
static void refit_pose(pov_camera_pose *pose, const station *s, const pov_tags *tags)
{
    pov_tag_sighting used[POV_TAG_MAX];
    int len = 0;
    for (int i = 0; i < tags->len; i++) {
        const pov_tag *tag = &tags->tags[i];
        if (pose->outcome[i] == POV_TAG_USED)
            used[len++] = (pov_tag_sighting){tag, pov_tag_map_find(s->map, tag->family, tag->id), true};
    }
    (void)pov_tag_fit(&pose->T_table_camera, s->camera, used, len); /* else it stays, and is unlikely */
}

/* The least cost of each pair of deviations so far, from wide to narrow; each fit begins at the last one's pose. */
static void weigh_spreads(double cost[][POV_MAP_DOUBT_ROTATIONS], const pov_camera *camera,
                          const pov_tag_map *map, const pov_camera_pose *widest, const pov_tags *tags,
                          bool is_first)
{
    pov_tag_map spread;
    const station s = {camera, &spread};
    pov_camera_pose wide = *widest;
    for (int i = POV_MAP_DOUBT_POSITIONS - 1; i >= 0; i--) {
        pov_camera_pose narrow = wide;
        for (int k = POV_MAP_DOUBT_ROTATIONS - 1; k >= 0; k--) {
            spread_map(&spread, map, spread_at(i, k));
            refit_pose(&narrow, &s, tags);
            const double here = judge_deviations(&s, &narrow, tags).cost;
            cost[i][k] = is_first ? here : fmin(cost[i][k], here);
            if (k == POV_MAP_DOUBT_ROTATIONS - 1)
                wide = narrow;
        }
    }
}

static bool is_same_view(const pov_transform *a, const pov_transform *b)
{
    static const double moved_m = 0.01, turned_rad = 1 * POV_DEG; /* chosen: tags shift by pixels */
    return pov_vec3_norm(pov_vec3_sub(a->t_m, b->t_m)) < moved_m &&
           pov_vec3_norm(pov_rot_log(pov_rot_mul(pov_rot_transpose(a->R), b->R))) < turned_rad;
}

/* Adds an image's gain: to the mean of its view, or as a new view. */
static void add_gain(pov_map_doubt *doubt, double gain[][POV_MAP_DOUBT_ROTATIONS],
                     const pov_transform *T_table_camera)
{
    if (doubt->looks == 0 || !is_same_view(&doubt->T_view, T_table_camera)) {
        doubt->view_looks = 0;
        doubt->T_view = *T_table_camera;
        memset(doubt->view_gain, 0, sizeof doubt->view_gain);
    }
    doubt->looks++;
    doubt->view_looks++;
    for (int i = 0; i < POV_MAP_DOUBT_POSITIONS; i++)
        for (int k = 0; k < POV_MAP_DOUBT_ROTATIONS; k++) {
            const double mean =
                doubt->view_gain[i][k] + (gain[i][k] - doubt->view_gain[i][k]) / doubt->view_looks;
            doubt->gain[i][k] += mean - doubt->view_gain[i][k];
            doubt->view_gain[i][k] = mean;
        }
}

void pov_map_doubt_look(pov_map_doubt *doubt, const pov_camera *camera, const pov_tags *tags,
                        const pov_tag_map *map, const pov_camera_pose *estimated)
{
    pov_camera_pose pose;
    pov_tags noisy;
    pov_tag_map spread;
    if (doubt->looks >= POV_MAP_DOUBT_LOOKS || count_exact(tags, map) < 2)
        return;
    if (estimated)
        pose = *estimated;
    else
        (void)pov_camera_pose_estimate(&pose, camera, tags, map); /* where none fits all are strays */
    const station exact = {camera, map};
    verdict likeliest = judge_deviations(&exact, &pose, tags);
    if (!is_doubtful(&likeliest)) {
        doubt->fits++;
        return;
    }
    noisy = *tags;
    (void)pov_camera_pose_reconcile(&pose, &noisy, camera, map);
    likeliest = judge_deviations(&exact, &pose, &noisy);
    spread_map(&spread, map, spread_at(POV_MAP_DOUBT_POSITIONS - 1, POV_MAP_DOUBT_ROTATIONS - 1));
    if (pov_camera_pose_estimate(&pose, camera, tags, &spread) != POV_OK)
        return;
    double cost[POV_MAP_DOUBT_POSITIONS][POV_MAP_DOUBT_ROTATIONS];
    weigh_spreads(cost, camera, map, &pose, tags, true);
    add_noise(&noisy, &pose, tags, NOISE_BESIDE_PX);
    weigh_spreads(cost, camera, map, &pose, &noisy, false);
    for (int i = 0; i < POV_MAP_DOUBT_POSITIONS; i++)
        for (int k = 0; k < POV_MAP_DOUBT_ROTATIONS; k++)
            cost[i][k] = 0.5 * (likeliest.cost - cost[i][k]);
    add_gain(doubt, cost, &pose.T_table_camera.T);
}

bool pov_map_doubt_verdict(pov_map_spread *spread, const pov_map_doubt *doubt)
{
    int best_i = 0, best_k = 0;
    for (int i = 0; i < POV_MAP_DOUBT_POSITIONS; i++)
        for (int k = 0; k < POV_MAP_DOUBT_ROTATIONS; k++)
            if (doubt->gain[i][k] > doubt->gain[best_i][best_k]) {
                best_i = i;
                best_k = k;
            }
    *spread = spread_at(best_i, best_k);
    return doubt->looks > 0 && doubt->gain[best_i][best_k] > SURE_GAIN;
}
