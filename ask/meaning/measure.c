#include "ask/meaning/measure.h"

#include "ask/meaning/lexicon.h"
#include "perception/relations/expectation/bearing.h"
#include "perception/scene/possible_world.h"

#include <math.h>
#include <string.h>

enum { SURE_PERCENT = 95 };

static bool has_size(const pov_scene *scene, pov_id id)
{
    pov_vec3 size_m = scene->entities[id].size_m;
    return id == scene->camera || size_m.x > 0 || size_m.y > 0 || size_m.z > 0;
}

/* A ball is its centre grown by its radius. */
static double gap_m(const pov_scene *scene, const pov_world *world, int a, int b)
{
    pov_box boxes[2] = {world->box[a], world->box[b]};
    const int at[2] = {a, b};
    double radii_m = 0;
    for (int i = 0; i < 2; i++) {
        if (scene->entities[world->id[at[i]]].shape != POV_SHAPE_SPHERE)
            continue;
        radii_m += boxes[i].half_m.x;
        boxes[i].half_m = (pov_vec3){0, 0, 0};
    }
    return fmax(0, pov_box_gap_m(&boxes[0], &boxes[1]) - radii_m);
}

static double centre_distance_m(const pov_world *world, int a, int b)
{
    return pov_vec3_norm(pov_vec3_sub(world->box[a].centre_m, world->box[b].centre_m));
}

/* -------- distances -------- */

typedef struct {
    double sum, squares;
} moments;

static void add(moments *m, double value)
{
    m->sum += value;
    m->squares += value * value;
}

static pov_measure measure_of(const moments *m, int count)
{
    double mean = m->sum / count;
    return (pov_measure){mean, sqrt(fmax(0, m->squares / count - mean * mean))};
}

bool pov_measure_distance(pov_measure *centre_m, pov_measure *surface_m, const pov_scene *scene, pov_id a,
                          pov_id b)
{
    const pov_id ids[2] = {a, b};
    moments centre = {0, 0}, gap = {0, 0};
    *centre_m = *surface_m = (pov_measure){NAN, NAN};
    if (!scene->entities[a].placed || !scene->entities[b].placed)
        return false;
    int count = pov_world_count(scene, ids, 2);
    for (int i = 0; i < count; i++) {
        pov_world world;
        pov_world_sample(&world, scene, ids, 2, i);
        add(&centre, centre_distance_m(&world, 0, 1));
        add(&gap, gap_m(scene, &world, 0, 1));
    }
    *centre_m = measure_of(&centre, count);
    if (has_size(scene, a) && has_size(scene, b))
        *surface_m = measure_of(&gap, count);
    return true;
}

/* -------- the most -------- */

static bool is_sideways(pov_extreme extreme)
{
    return extreme == POV_LEFTMOST || extreme == POV_RIGHTMOST;
}

static bool is_by_distance(pov_extreme extreme)
{
    return extreme == POV_NEAREST || extreme == POV_FARTHEST;
}

static bool is_in_depth(pov_extreme extreme)
{
    return extreme == POV_FRONTMOST || extreme == POV_BACKMOST;
}

bool pov_measure_needs_viewer(const pov_request *question)
{
    return is_sideways(question->extreme) || is_in_depth(question->extreme) ||
           (is_by_distance(question->extreme) && question->relatum_len == 0);
}

static double height_m(const pov_box *box)
{
    return 2 * pov_box_half_extent_m(box, (pov_vec3){0, 0, 1});
}

static double bearing_rad(const pov_world *world, int viewer, int at)
{
    pov_vec3 v = pov_vec3_sub(world->box[at].centre_m, world->box[viewer].centre_m);
    return pov_angle_wrap(atan2(v.y, v.x) - world->yaw_rad[viewer]);
}

/* Along the viewer's heading. */
static double depth_m(const pov_world *world, int viewer, int at)
{
    const pov_vec3 v = pov_vec3_sub(world->box[at].centre_m, world->box[viewer].centre_m);
    return v.x * cos(world->yaw_rad[viewer]) + v.y * sin(world->yaw_rad[viewer]);
}

/* To what a hand reaches from: a person is an upright line, not a plank as wide as the shoulders. */
static double reach_m(const pov_scene *scene, const pov_world *world, int at, int from)
{
    pov_world line = *world;
    if (pov_is_person(scene, world->id[from]))
        line.box[from].half_m.x = line.box[from].half_m.y = 0;
    return gap_m(scene, &line, at, from);
}

/* Larger is more. The last of the world's is the viewer or relatum. */
static double score(const pov_scene *scene, const pov_world *world, pov_extreme extreme, int at)
{
    const pov_box *box = &world->box[at];
    int last = world->len - 1;
    switch (extreme) {
    case POV_NEAREST:
        return -reach_m(scene, world, at, last);
    case POV_FARTHEST:
        return reach_m(scene, world, at, last);
    case POV_LEFTMOST:
        return bearing_rad(world, last, at);
    case POV_RIGHTMOST:
        return -bearing_rad(world, last, at);
    case POV_BIGGEST:
        return pov_box_volume_m3(box);
    case POV_SMALLEST:
        return -pov_box_volume_m3(box);
    case POV_TALLEST:
        return height_m(box);
    case POV_SHORTEST:
        return -height_m(box);
    case POV_FRONTMOST:
        return -depth_m(world, last, at);
    case POV_BACKMOST:
        return depth_m(world, last, at);
    case POV_HIGHEST:
        return box->centre_m.z;
    default:
        return -box->centre_m.z;
    }
}

/* Scores as close as rounding are equal: metres, radians or cubic metres. */
static const double equal_score = 1e-9;

/* Counts the one that `rank` others surpass; of several that are alike, each for its share. Returns how many are. */
static int tally_ranked(double *tally, const double *scores, int len, int rank)
{
    int alike_len = 0;
    for (int i = 0; i < len; i++) {
        int above = 0, equal = 0;
        for (int k = 0; k < len; k++) {
            const bool alike = fabs(scores[k] - scores[i]) <= equal_score;
            above += !alike && scores[k] > scores[i];
            equal += alike;
        }
        if (above <= rank && rank < above + equal) {
            tally[i] += 1.0 / equal;
            alike_len = equal;
        }
    }
    return alike_len;
}

static bool is_ahead(const pov_scene *scene, pov_id viewer, pov_id id)
{
    pov_bearing bearing;
    if (pov_bearing_between(&bearing, scene, viewer, id) != POV_OK)
        return false;
    bearing.heading = scene->entities[viewer].heading;
    return fabs(pov_bearing_mean_rad(&bearing)) < POV_PI / 2;
}

/* Candidates that can be measured; the thing they are measured from comes last. */
static int gather(pov_id ids[POV_ENTITY_MAX], int *left_out, const pov_scene *scene,
                  const pov_request *question, pov_id from)
{
    int len = 0;
    *left_out = 0;
    for (pov_id id = 0; id < scene->len; id++) {
        if (!question->candidate[id] || id == from || id == scene->camera)
            continue;
        bool told = scene->entities[id].placed && has_size(scene, id) &&
                    ((!is_sideways(question->extreme) && !is_in_depth(question->extreme)) ||
                     is_ahead(scene, from, id));
        if (told)
            ids[len++] = id;
        *left_out += !told;
    }
    return len;
}

static void sort(pov_most *most)
{
    for (int i = 1; i < most->len; i++)
        for (int k = i; k > 0 && most->p[k] > most->p[k - 1]; k--) {
            double p = most->p[k];
            pov_id id = most->id[k];
            most->p[k] = most->p[k - 1];
            most->id[k] = most->id[k - 1];
            most->p[k - 1] = p;
            most->id[k - 1] = id;
        }
}

/* Errors of poses do not change how large a thing is. */
static bool is_of_size(pov_extreme extreme)
{
    return extreme >= POV_BIGGEST && extreme <= POV_SHORTEST;
}

static bool is_unanimous(const double *tally, int len, int count)
{
    bool one = false;
    for (int k = 0; k < len; k++)
        one = one || tally[k] > count - 0.5;
    return one;
}

static void mean_world(pov_world *world, const pov_scene *scene, const pov_id pair[2])
{
    world->len = 2;
    for (int i = 0; i < 2; i++) {
        const pov_entity *entity = &scene->entities[pair[i]];
        world->id[i] = pair[i];
        world->box[i] = (pov_box){.centre_m = entity->position.mean_m,
                                  .half_m = pov_vec3_scale(entity->size_m, 0.5),
                                  .R_table_box = entity->R_table_box};
    }
}

/* A thing's distance may differ by so much from that at the means: six deviations, and what turning its box does. */
static double slack_m(const pov_scene *scene, pov_id id)
{
    const pov_entity *entity = &scene->entities[id];
    double cov_m2[3][3];
    pov_scene_position_cov(scene, cov_m2, &entity->position);
    return 6 * sqrt(cov_m2[0][0] + cov_m2[1][1] + cov_m2[2][2]) +
           (entity->heading.len > 0 ? pov_vec3_norm(entity->size_m) / 2 : 0);
}

/* Leaves out what cannot be the nearest, or the farthest, in any world that matters. */
static int keep_near_best(pov_id ids[POV_ENTITY_MAX], int len, const pov_scene *scene, pov_extreme extreme,
                          pov_id from)
{
    double low[POV_ENTITY_MAX], best = -INFINITY;
    int kept = 0;
    for (int k = 0; k < len; k++) {
        const pov_id pair[2] = {ids[k], from};
        pov_world world;
        mean_world(&world, scene, pair);
        const double at = score(scene, &world, extreme, 0),
                     slack = slack_m(scene, ids[k]) + slack_m(scene, from);
        low[k] = at + slack;
        best = fmax(best, at - slack);
    }
    for (int k = 0; k < len; k++)
        if (low[k] >= best - equal_score)
            ids[kept++] = ids[k];
    return kept;
}

void pov_measure_most(pov_most *most, const pov_scene *scene, const pov_request *question, pov_id viewer)
{
    pov_id ids[POV_ENTITY_MAX + 1], from = question->relatum_len > 0 ? question->relatum[0] : viewer;
    double tally[POV_ENTITY_MAX] = {0};
    *most = (pov_most){.verdict = POV_VERDICT_UNDEFINED};
    if (from != POV_ID_NONE && (!scene->entities[from].placed ||
                                ((is_sideways(question->extreme) || is_in_depth(question->extreme)) &&
                                 scene->entities[from].heading.len == 0)))
        return;
    int len = gather(ids, &most->left_out, scene, question, from), gathered = len;
    if (is_by_distance(question->extreme) && question->rank == 0 && from != POV_ID_NONE)
        len = keep_near_best(ids, len, scene, question->extreme, from);
    int all = len, ties = 0;
    if (from != POV_ID_NONE && len < POV_ENTITY_MAX)
        ids[all++] = from;
    int count = len == 0 ? 0
                : is_of_size(question->extreme) || (len == 1 && question->rank == 0)
                    ? 1
                    : pov_world_count(scene, ids, all);
    for (int i = 0; i < count; i++) {
        pov_world world;
        double scores[POV_ENTITY_MAX];
        pov_world_sample(&world, scene, ids, all, i);
        for (int k = 0; k < len; k++)
            scores[k] = score(scene, &world, question->extreme, k);
        ties += tally_ranked(tally, scores, len, question->rank) > 1;
        if (i + 1 == POV_WORLDS_THAT_SETTLE && is_unanimous(tally, len, i + 1))
            count = i + 1;
    }
    for (int k = 0; k < len; k++)
        if (tally[k] > 0) {
            most->id[most->len] = ids[k];
            most->p[most->len++] = tally[k] / count;
        }
    sort(most);
    most->is_tie = count > 0 && ties == count;
    if (gathered > question->rank)
        most->verdict = most->len > 0 && most->p[0] * 100 >= SURE_PERCENT ? POV_TRUE : POV_ABSTAIN;
}

/* -------- facing -------- */

POV_ENUM_NAMES(pov_faces_name, pov_faces, POV_FACES_COUNT, "toward", "left", "away", "right")

/* A car that faces the camera's left has the camera at its own left. */
bool pov_measure_faces(pov_faces *faces, double *p, const pov_scene *scene, pov_id id, pov_id viewer)
{
    static const double edges_rad[] = {-40 * POV_PI / 180, 40 * POV_PI / 180, 140 * POV_PI / 180,
                                       220 * POV_PI / 180};
    pov_bearing bearing;
    double each[POV_FACES_COUNT];
    if (pov_bearing_about_front(&bearing, scene, id, viewer) != POV_OK)
        return false;
    pov_bearing_sectors(each, &bearing, edges_rad, POV_FACES_COUNT);
    *faces = POV_FACES_TOWARD;
    for (int i = 1; i < POV_FACES_COUNT; i++)
        if (each[i] > each[*faces])
            *faces = (pov_faces)i;
    *p = each[*faces];
    return true;
}

double pov_measure_side(const pov_scene *scene, pov_id id, pov_relation side, pov_id viewer)
{
    const double middle_rad = side == POV_LEFT_OF    ? POV_PI / 2
                              : side == POV_RIGHT_OF ? -POV_PI / 2
                              : side == POV_BEHIND   ? POV_PI
                                                     : 0;
    const double edges_rad[] = {middle_rad - POV_PI / 2, middle_rad + POV_PI / 2};
    pov_bearing bearing;
    double each[2];
    if (pov_bearing_about_front(&bearing, scene, id, viewer) != POV_OK)
        return NAN;
    pov_bearing_sectors(each, &bearing, edges_rad, 2);
    return each[0];
}

/* -------- ahead -------- */

typedef struct {
    pov_id id;
    double middle_rad, half_rad, distance_m;
} body_ahead;

/* Gives a direction to the nearest body there, or else to the one least beside it. Bodies at one distance share it. */
static void share_direction(double share[POV_ENTITY_MAX], const body_ahead *bodies, int len,
                            double direction_rad, double weight)
{
    static const double level_m = 0.05; /* one is not before the other. Chosen: a pen that lies on a book */
    double off_rad[POV_ENTITY_MAX], least_rad = INFINITY, nearest_m = INFINITY;
    int met = 0;
    for (int i = 0; i < len; i++) {
        off_rad[i] = fmax(0, fabs(pov_angle_wrap(bodies[i].middle_rad - direction_rad)) - bodies[i].half_rad);
        least_rad = fmin(least_rad, off_rad[i]);
    }
    for (int i = 0; i < len; i++)
        nearest_m = off_rad[i] <= least_rad ? fmin(nearest_m, bodies[i].distance_m) : nearest_m;
    for (int i = 0; i < len; i++)
        met += off_rad[i] <= least_rad && bodies[i].distance_m <= nearest_m + level_m;
    for (int i = 0; i < len; i++)
        if (off_rad[i] <= least_rad && bodies[i].distance_m <= nearest_m + level_m)
            share[bodies[i].id] += weight / met;
}

static int gather_bodies(body_ahead bodies[POV_ENTITY_MAX], const pov_scene *scene, pov_id viewer,
                         const bool *candidate)
{
    const pov_vec3 eye_m = scene->entities[viewer].position.mean_m;
    int len = 0;
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *e = &scene->entities[id];
        if (!candidate[id] || id == viewer || !e->placed)
            continue;
        const pov_vec3 v = pov_vec3_sub(e->position.mean_m, eye_m);
        body_ahead body = {id, atan2(v.y, v.x), 0, hypot(v.x, v.y)};
        if (has_size(scene, id) && id != scene->camera) {
            const pov_box box = {e->position.mean_m, pov_vec3_scale(e->size_m, 0.5), e->R_table_box};
            const pov_footprint footprint = pov_box_footprint(&box);
            const pov_subtended seen = pov_footprint_subtended(&footprint, (pov_vec2){eye_m.x, eye_m.y});
            body.half_rad = seen.distance_m > 0 ? seen.half_rad : 0;
            body.middle_rad = seen.distance_m > 0 ? seen.middle_rad : body.middle_rad;
        }
        bodies[len++] = body;
    }
    return len;
}

void pov_measure_ahead(double share[POV_ENTITY_MAX], const pov_scene *scene, pov_id viewer, pov_aim aim,
                       const bool *candidate)
{
    static const double straight_std_rad = 5 * POV_DEG; /* chosen: as one points straight ahead */
    enum { STEPS = 60 };                                /* to each side, over four deviations */
    body_ahead bodies[POV_ENTITY_MAX];
    const pov_heading *heading = pov_entity_aim(&scene->entities[viewer], aim);
    const int len = gather_bodies(bodies, scene, viewer, candidate);
    double sum = 0;
    memset(share, 0, POV_ENTITY_MAX * sizeof *share);
    for (int i = 0; i < heading->len && len > 0; i++) {
        const pov_heading_mode *mode = &heading->mode[i];
        const double std_rad = hypot(straight_std_rad, fmin(1 / sqrt(mode->kappa), POV_EVEN_STD_RAD));
        for (int k = -STEPS; k <= STEPS; k++) {
            const double at = 4.0 * k / STEPS, weight = mode->weight * exp(-at * at / 2);
            share_direction(share, bodies, len, mode->yaw_rad + at * std_rad, weight);
            sum += weight;
        }
    }
    for (pov_id id = 0; id < POV_ENTITY_MAX && sum > 0; id++)
        share[id] /= sum;
}

const char *pov_measure_compass(const pov_scene *scene, double yaw_rad)
{
    static const char *const names[] = {"north", "north-west", "west", "south-west",
                                        "south", "south-east", "east", "north-east"};
    double turns = pov_angle_wrap(yaw_rad - scene->north_yaw_rad) / (2 * POV_PI);
    return scene->has_north ? names[((int)lround(8 * turns) + 8) % 8] : NULL;
}
