#include "tests/support/judgment_peer.h"

#include "perception/relations/pair_judge.h"
#include "tests/support/python_peer.h"
#include "tests/support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- scenes ---- */

static void place(test_random *random, pov_entity *entity, double x, double y, bool uncertain)
{
    entity->placed = true;
    entity->position.mean_m = (pov_vec3){x, y, test_random_between(random, -0.2, 0.2)};
    entity->size_m = (pov_vec3){test_random_between(random, 0.1, 1), test_random_between(random, 0.1, 1),
                                test_random_between(random, 0.1, 1)};
    entity->R_table_box = pov_rot_yaw(test_random_between(random, -POV_PI, POV_PI));
    entity->heading = pov_heading_single(test_random_between(random, -POV_PI, POV_PI), 1e12);
    if (!uncertain)
        return;
    double a = test_random_between(random, 0.005, 0.03), b = test_random_between(random, 0.005, 0.03);
    double c = test_random_between(random, -0.5, 0.5) * a * b;
    pov_position *position = &entity->position;
    position->own_cov_m2[0][0] = a * a;
    position->own_cov_m2[1][1] = b * b;
    position->own_cov_m2[0][1] = position->own_cov_m2[1][0] = c;
    position->own_cov_m2[2][2] = a * b;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            position->per_camera_pose[i][k] = test_random_between(random, -2, 2);
        position->per_camera_pose[i][3 + i] = 1;
    }
    entity->heading.mode[0].kappa = exp(test_random_between(random, 2, 8));
    for (int k = 0; k < 6; k++)
        entity->heading_ties.per_camera_pose[k] = test_random_between(random, -0.5, 0.5);
    for (int i = 0; i < 2; i++)
        entity->heading_ties.with_position_m[i] =
            test_random_between(random, -0.3, 0.3) * (i ? b : a) / sqrt(entity->heading.mode[0].kappa);
}

void test_judgment_scene(pov_scene *scene, int objects, bool uncertain, uint64_t seed)
{
    test_random random = {seed};
    pov_id id;
    pov_scene_clear(scene);
    for (int i = 0; i <= objects; i++) {
        char name[POV_NAME_CAPACITY];
        snprintf(name, sizeof name, "entity-%d", i);
        pov_entity entity = pov_entity_named(name, i < objects ? "thing" : "person");
        double radius = sqrt(objects) * sqrt(test_random_between(&random, 0, 1)) / 2;
        double turn = test_random_between(&random, -POV_PI, POV_PI);
        place(&random, &entity, radius * cos(turn), radius * sin(turn), uncertain);
        entity.addressee = i == objects;
        if (entity.addressee)
            entity.position.mean_m.y = -1.5 * sqrt(objects);
        POV_REQUIRE(pov_scene_add(scene, &id, &entity).code == POV_OK);
    }
    pov_pose camera = pov_pose_exact(pov_transform_look_at((pov_vec3){1.5 * sqrt(objects), 0, 2},
                                                           (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    for (int k = 0; uncertain && k < 6; k++)
        camera.cov[k][k] = k < 3 ? 2.5e-5 : 1e-4;
    POV_REQUIRE(pov_scene_add_camera(scene, &camera).code == POV_OK);
    scene->has_north = true;
    scene->north_yaw_rad = test_random_between(&random, -POV_PI, POV_PI);
}

static bool is_thing(const pov_scene *scene, pov_id id)
{
    return id != scene->camera && !scene->entities[id].addressee;
}

int test_judge_scene(pov_judgment *judgments, int capacity, const pov_scene *scene)
{
    const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_pair_judge judge;
    int len = 0;
    pov_pair_judge_prepare(&judge, scene, &judging);
    for (pov_id relatum = 0; relatum < scene->len; relatum++)
        for (pov_id referent = 0; is_thing(scene, relatum) && referent < scene->len; referent++)
            if (referent != relatum && is_thing(scene, referent))
                len += pov_pair_judge_run(&judge, judgments + len, capacity - len, referent, relatum);
    return len;
}

/* ---- as JSON ---- */

static void write_matrix(FILE *file, const double *numbers, int rows, int columns, int stride)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            fprintf(file, "%s%s%.17g%s", i == 0 && j == 0 ? "[" : "",
                    j   ? ","
                    : i ? ",["
                        : "[",
                    numbers[i * stride + j],
                    j + 1 < columns ? ""
                    : i + 1 < rows  ? "]"
                                    : "]]");
}

static void write_vector(FILE *file, const char *key, pov_vec3 vector)
{
    fprintf(file, "%s:[%.17g,%.17g,%.17g]", key, vector.x, vector.y, vector.z);
}

static void write_entity(FILE *file, const pov_entity *entity)
{
    const pov_position *position = &entity->position;
    const pov_heading_mode *mode = &entity->heading.mode[0];
    write_vector(file, "{\"xyz\"", position->mean_m);
    write_vector(file, ",\"size\"", entity->size_m);
    fputs(",\"R\":", file);
    write_matrix(file, &entity->R_table_box.m[0][0], 3, 3, 3);
    fputs(",\"own\":", file);
    write_matrix(file, &position->own_cov_m2[0][0], 3, 3, 3);
    fputs(",\"J\":", file);
    write_matrix(file, &position->per_camera_pose[0][0], 3, 6, 6);
    fputs(",\"yaw_J\":", file);
    write_matrix(file, entity->heading_ties.per_camera_pose, 1, 6, 6);
    fputs(",\"yaw_own\":", file);
    write_matrix(file, entity->heading_ties.with_position_m, 1, 3, 3);
    fprintf(file, ",\"heading\":[[%.17g,%.17g,%.17g]]}", mode->weight, mode->yaw_rad, mode->kappa);
}

static void write_ids(FILE *file, const char *key, const pov_scene *scene, bool things)
{
    bool first = true;
    fprintf(file, ",\"%s\":[", key);
    for (pov_id id = 0; id < scene->len; id++)
        if (is_thing(scene, id) == things) {
            fprintf(file, "%s%d", first ? "" : ",", id);
            first = false;
        }
    fputs("]", file);
}

static void write_scene(FILE *file, const pov_scene *scene)
{
    fputs("{\"entities\":[", file);
    for (int i = 0; i < scene->len; i++) {
        fputs(i ? "," : "", file);
        write_entity(file, &scene->entities[i]);
    }
    fputs("],\"camera_cov\":", file);
    write_matrix(file, &scene->camera_pose_cov[0][0], 6, 6, 6);
    write_ids(file, "objects", scene, true);
    write_ids(file, "viewers", scene, false);
    fprintf(file, ",\"north\":%.17g}", scene->north_yaw_rad);
}

/* ---- the process ---- */

struct test_judgment_peer {
    char path[64];
    test_python_peer *python;
};

test_judgment_peer *test_judgment_peer_new(const pov_scene *scenes, int len)
{
    test_judgment_peer *peer = calloc(1, sizeof *peer);
    POV_REQUIRE(peer);
    strcpy(peer->path, "/tmp/pov-judgments-XXXXXX");
    FILE *file = fdopen(mkstemp(peer->path), "w");
    POV_REQUIRE(file);
    fputs("{\"scenes\":[", file);
    for (int i = 0; i < len; i++) {
        fputs(i ? "," : "", file);
        write_scene(file, &scenes[i]);
    }
    fputs("]}", file);
    POV_REQUIRE(fclose(file) == 0);
    peer->python = test_python_peer_new("judgments_numpy.py", peer->path);
    if (!peer->python)
        test_judgment_peer_destroy(&peer);
    return peer;
}

void test_judgment_peer_destroy(test_judgment_peer **peer)
{
    if (!*peer)
        return;
    test_python_peer_destroy(&(*peer)->python);
    remove((*peer)->path);
    free(*peer);
    *peer = NULL;
}

void test_judgment_peer_ask(test_judgment_peer *peer, const char *command)
{
    test_python_peer_ask(peer->python, command);
}

void test_judgment_peer_read(test_judgment_peer *peer, double (*answers)[4], int len)
{
    char command[80];
    snprintf(command, sizeof command, "write %s", peer->path);
    test_judgment_peer_ask(peer, command);
    FILE *file = fopen(peer->path, "rb");
    POV_REQUIRE(file);
    POV_REQUIRE(fread(answers, sizeof *answers, (size_t)len, file) == (size_t)len && fgetc(file) == EOF);
    fclose(file);
}
