#include "perception/tags/tag_watch.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/tags/tag_fit.h"

#include <math.h>
#include <string.h>

enum { OTHERS_MIN = 2, CERTAIN_IMAGES = 5 };

static const double KEPT = 0.99; /* of what was seen, from one image to the next */
static const double NAMED_DISTANCE2 = 54, NAMED_AT_ONCE_DISTANCE2 = 150;
static const double LASTING_STD_PX = 0.1,
                    LASTING_SHARE = 0.5; /* of a corner's deviation: the same in all images */

/* A mapped tag of the image, with its information on the camera's error and on its own. */
typedef struct {
    pov_tag_sighting sighting;
    int entry; /* index in the map */
    bool votes;
    pov_tag_prediction seen;             /* residuals and derivatives over the corners' deviation */
    double information[36], gradient[6]; /* of the camera's error state */
} candidate;

typedef struct {
    int len, votes;
    candidate list[POV_TAG_MAX];
    double information[36], gradient[6];
} candidates;

/* Factor of I + J cov J^T. */
static bool factor_cov(double L[POV_TAG_ROWS * POV_TAG_ROWS], double (*J)[6], const double *cov)
{
    pov_sandwich(L, &J[0][0], cov, POV_TAG_ROWS, 6);
    for (int i = 0; i < POV_TAG_ROWS; i++)
        L[i * (POV_TAG_ROWS + 1)] += 1;
    return pov_cholesky(L, L, POV_TAG_ROWS);
}

/* Its information on the camera's error, with the map's covariance of its own place. */
static bool weigh_candidate(candidate *w)
{
    double L[POV_TAG_ROWS * POV_TAG_ROWS], J[POV_TAG_ROWS][6], residual[POV_TAG_ROWS];
    memset(w->information, 0, sizeof w->information);
    memset(w->gradient, 0, sizeof w->gradient);
    if (!factor_cov(L, w->seen.per_tag, &w->sighting.entry->T_table_tag.cov[0][0]))
        return false;
    memcpy(J, w->seen.per_camera, sizeof J);
    memcpy(residual, w->seen.residual_px, sizeof residual);
    pov_whiten(&J[0][0], L, POV_TAG_ROWS, 6);
    pov_whiten(residual, L, POV_TAG_ROWS, 1);
    pov_normal_add(&(pov_normal){w->information, w->gradient, 6}, &J[0][0], residual, POV_TAG_ROWS, 1);
    return true;
}

static void in_deviations(pov_tag_prediction *p, double std_px)
{
    for (int row = 0; row < POV_TAG_ROWS; row++) {
        p->residual_px[row] /= std_px;
        for (int i = 0; i < 6; i++) {
            p->per_camera[row][i] /= std_px;
            p->per_tag[row][i] /= std_px;
        }
    }
}

static void assemble_candidates(candidates *c, const pov_tag_watch *watch, const pov_camera *camera,
                                const pov_tags *tags, const pov_camera_pose *pose, const pov_tag_map *map)
{
    memset(c->information, 0, sizeof c->information);
    memset(c->gradient, 0, sizeof c->gradient);
    c->len = c->votes = 0;
    for (int i = 0; i < tags->len; i++) {
        candidate *w = &c->list[c->len];
        const pov_tag_map_entry *entry = pov_tag_map_find(map, tags->tags[i].family, tags->tags[i].id);
        if (!entry)
            continue;
        w->sighting = (pov_tag_sighting){&tags->tags[i], entry, true};
        w->entry = (int)(entry - map->tags);
        w->votes = pose->outcome[i] == POV_TAG_USED && !watch->tags[w->entry].named;
        if (!pov_tag_predict(&w->seen, camera, pose->T_table_camera.T, &w->sighting))
            continue;
        in_deviations(&w->seen, tags->tags[i].corner_std_px);
        if (!weigh_candidate(w))
            continue;
        c->len++;
        c->votes += w->votes;
        for (int k = 0; k < 36 && w->votes; k++)
            c->information[k] += w->information[k];
        for (int k = 0; k < 6 && w->votes; k++)
            c->gradient[k] += w->gradient[k];
    }
}

/* Residuals of a tag by the pose that all others give: whitened by corners and that pose. */
static bool predict_without(pov_tag_prediction *own, const candidates *c, const candidate *w)
{
    double cov[36], step[6], L[POV_TAG_ROWS * POV_TAG_ROWS], information[36];
    if (c->votes - w->votes < OTHERS_MIN)
        return false;
    for (int k = 0; k < 36; k++)
        information[k] = c->information[k] - (w->votes ? w->information[k] : 0);
    if (!pov_symmetric_inverse(cov, information, 6))
        return false;
    *own = w->seen;
    for (int i = 0; i < 6; i++) {
        step[i] = 0;
        for (int j = 0; j < 6; j++)
            step[i] += cov[i * 6 + j] * (c->gradient[j] - (w->votes ? w->gradient[j] : 0));
    }
    for (int row = 0; row < POV_TAG_ROWS; row++)
        for (int i = 0; i < 6; i++)
            own->residual_px[row] -= own->per_camera[row][i] * step[i];
    if (!factor_cov(L, own->per_camera, cov))
        return false;
    pov_whiten(own->residual_px, L, POV_TAG_ROWS, 1);
    pov_whiten(&own->per_tag[0][0], L, POV_TAG_ROWS, 6);
    return true;
}

static void remember_residual(pov_watched_tag *tag, const candidate *w, const pov_tag_prediction *own)
{
    const double std_px = w->sighting.tag->corner_std_px,
                 lasting =
                     std_px * std_px /
                     (LASTING_STD_PX * LASTING_STD_PX + LASTING_SHARE * LASTING_SHARE * std_px * std_px);
    double weight;
    (void)pov_huber(&weight, pov_squares(own->residual_px, POV_TAG_ROWS), POV_TAG_HUBER_DISTANCE);
    for (int k = 0; k < 36; k++) {
        tag->information[k] *= KEPT;
        tag->sight[k] *= KEPT;
        tag->gradient[k % 6] *= k < 6 ? KEPT : 1;
    }
    tag->images = KEPT * tag->images + 1;
    for (int row = 0; row < POV_TAG_ROWS; row++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                tag->sight[i * 6 + j] += w->seen.per_tag[row][i] * w->seen.per_tag[row][j] * lasting;
    pov_normal_add(&(pov_normal){tag->information, tag->gradient, 6}, &own->per_tag[0][0], own->residual_px,
                   POV_TAG_ROWS, weight);
}

/* Its displacement, and how many deviations that is, squared; 0 if the images do not determine it. */
static double find_displacement(double off[6], double cov[36], const pov_watched_tag *tag,
                                const pov_tag_map_entry *entry)
{
    double own[36], lasting[36];
    if (!pov_symmetric_inverse(own, tag->information, 6) || !pov_symmetric_inverse(lasting, tag->sight, 6))
        return 0;
    for (int i = 0; i < 6; i++) {
        off[i] = 0;
        for (int j = 0; j < 6; j++) {
            off[i] += own[i * 6 + j] * tag->gradient[j];
            cov[i * 6 + j] = own[i * 6 + j] + entry->T_table_tag.cov[i][j] + lasting[i * 6 + j] * tag->images;
        }
    }
    const double distance2 = pov_distance2(off, cov, 6);
    return isfinite(distance2) ? distance2 : 0;
}

static double length_of(double *std, const double v[3], const double *cov, int first)
{
    const double norm = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double variance = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            variance += norm > 0 ? v[i] * cov[(first + i) * 6 + first + j] * v[j] / (norm * norm) : 0;
    *std = sqrt(variance);
    return norm;
}

static pov_moved_tag describe_tag(const pov_watched_tag *tag, const pov_tag_map_entry *entry)
{
    double off[6] = {0}, cov[36] = {0};
    pov_moved_tag moved = {.family = entry->family, .id = entry->id, .images = (int)lround(tag->images)};
    (void)find_displacement(off, cov, tag, entry);
    moved.turned_rad = length_of(&moved.turned_std_rad, off, cov, 0);
    moved.moved_m = length_of(&moved.moved_std_m, off + 3, cov, 3);
    return moved;
}

/* The most displaced of those in the image that are beyond doubt, or -1. */
static int find_moved(const pov_tag_watch *watch, const candidates *c, const pov_tag_map *map)
{
    double worst = 0, off[6], cov[36];
    int found = -1;
    for (int i = 0; i < c->len; i++) {
        const pov_watched_tag *tag = &watch->tags[c->list[i].entry];
        if (tag->named || tag->images == 0)
            continue;
        const double distance2 = find_displacement(off, cov, tag, &map->tags[c->list[i].entry]);
        if (distance2 <= worst ||
            distance2 < (tag->images > CERTAIN_IMAGES - 0.5 ? NAMED_DISTANCE2 : NAMED_AT_ONCE_DISTANCE2))
            continue;
        worst = distance2;
        found = c->list[i].entry;
    }
    return found;
}

/* Sums that rest on a moved tag are discarded. */
static void forget_others(pov_tag_watch *watch, int named)
{
    for (int k = 0; k < POV_TAG_MAP_MAX; k++)
        if (k != named && !watch->tags[k].named)
            watch->tags[k] = (pov_watched_tag){0};
}

bool pov_tag_watch_update(pov_tag_watch *watch, pov_moved_tag *moved, const pov_camera *camera,
                          const pov_tags *tags, const pov_camera_pose *pose, const pov_tag_map *map)
{
    candidates c;
    pov_tag_prediction own;
    assemble_candidates(&c, watch, camera, tags, pose, map);
    for (int i = 0; i < c.len; i++)
        if (predict_without(&own, &c, &c.list[i]))
            remember_residual(&watch->tags[c.list[i].entry], &c.list[i], &own);
    const int found = find_moved(watch, &c, map);
    if (found < 0)
        return false;
    watch->tags[found].named = true;
    *moved = describe_tag(&watch->tags[found], &map->tags[found]);
    forget_others(watch, found);
    return true;
}

int pov_tag_watch_list(const pov_tag_watch *watch, pov_moved_tag *list, const pov_tag_map *map, int capacity)
{
    int len = 0;
    for (int k = 0; k < map->len && len < capacity; k++)
        if (watch->tags[k].named)
            list[len++] = describe_tag(&watch->tags[k], &map->tags[k]);
    return len;
}
