#include "tests/support/tracking_score.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    tracked_world world;
    pov_scene_tracker *tracker;
    pov_scene scene;
    int ball_of_name[TRACKED_BALL_MAX + 1],
        first_of_name[TRACKED_BALL_MAX + 1]; /* name ball_k: which ball it was last, first */
    bool was_hidden[TRACKED_BALL_MAX];
    double last_error[TRACKING_TALLIES][TRACKED_BALL_MAX]; /* that lasts, by the way the ball moves */
} run;

static double nees(const double *error, const double *cov)
{
    double L[9], solved[3];
    POV_REQUIRE(pov_cholesky(L, cov, 3));
    pov_cholesky_solve(solved, L, error, 3);
    return (error[0] * solved[0] + error[1] * solved[1] + error[2] * solved[2]) / 3;
}

/* Where the ball would be told to be by an eye without errors of its own. */
static void own_error(double error[3], const tracked_world *world, const pov_position *position,
                      const tracked_ball *ball)
{
    pov_vec3 off = pov_vec3_sub(position->mean_m, ball->at_m);
    const double total[3] = {off.x, off.y, off.z};
    for (int i = 0; i < 3; i++) {
        error[i] = total[i];
        for (int k = 0; k < 6; k++)
            error[i] += position->per_camera_pose[i][k] * world->camera_error[k];
    }
}

static int row_of(const pov_entity *entity, const tracked_ball *ball)
{
    static const double until_s[] = {0.1, 0.2, 0.5};
    if (entity->track.hidden_s > 0)
        return TRACKING_HIDDEN;
    for (int i = 0; i < 3; i++)
        if (ball->since_change_s < until_s[i] - 1e-9)
            return TRACKING_CHANGED_NOW + i;
    return (int)ball->motion;
}

static void tally(run *r, tracking_score *score, const pov_entity *entity, const tracked_ball *ball)
{
    const tracked_world *world = &r->world;
    double error[3];
    own_error(error, world, &entity->position, ball);
    pov_vec3 slip = pov_vec3_sub(entity->velocity_m_s, ball->velocity_m_s);
    const double velocity_error[3] = {slip.x, slip.y, slip.z};
    int kind = row_of(entity, ball);
    tracking_tally *to = &score->tally[kind];
    double *last_error = &r->last_error[kind][ball - world->balls];
    to->errors += *last_error != ball->lasting_to[0];
    *last_error = ball->lasting_to[0];
    to->images++;
    to->nees += nees(error, &entity->position.own_cov_m2[0][0]);
    to->velocity_nees += nees(velocity_error, &entity->velocity_cov_m2_s2[0][0]);
    to->error_m2 += error[0] * error[0] + error[1] * error[1] + error[2] * error[2];
    bool turns = world->rate_rad_s != 0;
    if (kind == (int)ball->motion && ball->motion != entity->track.motion &&
        (turns || ball->motion != POV_CARRIED))
        score->wrong_motion++;
}

static void count(run *r, tracking_score *score, const pov_entity *entity, int name)
{
    tally(r, score, entity, &r->world.balls[r->ball_of_name[name]]);
    score->balls++;
    score->others += r->ball_of_name[name] != r->first_of_name[name];
    score->doubted += entity->track.other_p;
}

static void judge(run *r, tracking_score *score, const int ball_of[POV_ENTITY_MAX], const pov_id *renamed)
{
    for (int i = 0; i < POV_ENTITY_MAX; i++) {
        if (ball_of[i] < 0 || renamed[i] == POV_ID_NONE)
            continue;
        int name = atoi(r->scene.entities[renamed[i]].name + strlen("ball_"));
        bool changes = r->ball_of_name[name] >= 0 && r->ball_of_name[name] != ball_of[i];
        score->swaps += changes && ball_of[i] != r->first_of_name[name];
        score->mended += changes && ball_of[i] == r->first_of_name[name];
        r->ball_of_name[name] = ball_of[i];
        if (r->first_of_name[name] < 0)
            r->first_of_name[name] = ball_of[i];
    }
    for (int i = 0; i < r->scene.len; i++) {
        const pov_entity *entity = &r->scene.entities[i];
        if (i != r->scene.camera && entity->placed && entity->track.tracked)
            count(r, score, entity, atoi(entity->name + strlen("ball_")));
    }
    for (int i = 0; i < r->world.config.balls; i++) {
        score->hidings += r->world.balls[i].hidden && !r->was_hidden[i];
        r->was_hidden[i] = r->world.balls[i].hidden;
    }
}

void tracking_score_run(tracking_score *score, const tracked_world_config *config, double seconds)
{
    run *r = calloc(1, sizeof *r);
    POV_REQUIRE(r);
    *score = (tracking_score){.images = 0};
    tracked_world_start(&r->world, config);
    pov_cast cast = tracked_world_cast(&r->world);
    POV_REQUIRE(pov_scene_tracker_new(&r->tracker, &cast).code == POV_OK);
    for (int i = 0; i <= TRACKED_BALL_MAX; i++)
        r->ball_of_name[i] = r->first_of_name[i] = -1;
    for (; r->world.time_s < seconds; score->images++) {
        int ball_of[POV_ENTITY_MAX];
        pov_id renamed[POV_ENTITY_MAX];
        pov_scene_moment moment;
        pov_table_angle table;
        tracked_world_look(&r->world, &r->scene, ball_of, &moment, &table);
        pov_scene_tracker_run(r->tracker, &r->scene, renamed, &moment);
        judge(r, score, ball_of, renamed);
        tracked_world_step(&r->world);
        for (int i = 0; i < config->balls; i++)
            score->moves += r->world.balls[i].motion == POV_MOVING_FREELY &&
                            r->world.balls[i].begun_s >= r->world.time_s - 1e-9;
    }
    pov_scene_tracker_destroy(&r->tracker);
    free(r);
}

static void add_tally(tracking_tally *sum, const tracking_tally *tally)
{
    sum->images += tally->images;
    sum->errors += tally->errors;
    sum->nees += tally->nees;
    sum->velocity_nees += tally->velocity_nees;
    sum->error_m2 += tally->error_m2;
}

void tracking_score_add(tracking_score *sum, const tracking_score *score)
{
    sum->images += score->images;
    sum->swaps += score->swaps;
    sum->mended += score->mended;
    sum->balls += score->balls;
    sum->others += score->others;
    sum->doubted += score->doubted;
    sum->moves += score->moves;
    sum->hidings += score->hidings;
    sum->wrong_motion += score->wrong_motion;
    for (int i = 0; i < TRACKING_TALLIES; i++)
        add_tally(&sum->tally[i], &score->tally[i]);
}

tracking_tally tracking_score_seen(const tracking_score *score)
{
    tracking_tally sum = {0};
    for (int i = 0; i < TRACKING_HIDDEN; i++)
        add_tally(&sum, &score->tally[i]);
    return sum;
}

double tracking_score_half_interval(const tracking_tally *tally)
{
    return 2.576 * sqrt(2.0 / (3 * tally->errors));
}
