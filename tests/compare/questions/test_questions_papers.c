/* FoREST's, VSR's, Isle-Brick's and SPHERE's questions: golds against the papers' own tables and designs, words against their
 * words. */
#include "compare/questions/question.h"
#include "compare/scores/paper_measures.h"
#include "perception/papers/forest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/comfort_scene.h"
#include "tests/support/near.h"

typedef struct {
    pov_questions *questions;
    pov_scene scene;
    pov_asking asking;
} asked;

static int set_up(void **state)
{
    static asked a;
    const pov_asking asking = POV_ASKING_DEFAULT;
    a.asking = asking;
    a.asking.referent = REFERENT;
    a.asking.relatum = RELATUM;
    assert_int_equal(pov_questions_new(&a.questions, 2000).code, POV_OK);
    comfort_scene(&a.scene, 30, 270);
    a.scene.entities[REFERENT].size_m = (pov_vec3){0.2, 0.2, 0.2};
    a.scene.entities[RELATUM].size_m = (pov_vec3){4, 2, 1.5};
    *state = &a;
    return 0;
}

static int tear_down(void **state)
{
    asked *a = *state;
    pov_questions_destroy(&a->questions);
    return 0;
}

static void ask(asked *a, pov_benchmark benchmark)
{
    a->asking.benchmark = benchmark;
    pov_status status = pov_questions_ask(a->questions, &a->scene, &a->asking);
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
}

static const pov_question *find(const asked *a, const char *id)
{
    for (int i = 0; i < pov_questions_len(a->questions); i++)
        if (strcmp(pov_questions_at(a->questions, i)->id, id) == 0)
            return pov_questions_at(a->questions, i);
    fail_msg("there is no question %s", id);
    return NULL;
}

/* The answer of a question's gold number `index`, as `pov score` reads it. */
static const char *answer(const pov_question *question, int index)
{
    static char text[200];
    assert_true(index < question->gold_len);
    pov_gold_describe(text, sizeof text, question, &question->golds[index]);
    return text;
}

/* -------- FoREST -------- */

static void turn_to(asked *a, const char *relatum_dir)
{
    double yaw_deg = strcmp(relatum_dir, "front") == 0   ? 0
                     : strcmp(relatum_dir, "back") == 0  ? 180
                     : strcmp(relatum_dir, "left") == 0  ? 270
                     : strcmp(relatum_dir, "right") == 0 ? 90
                                                         : -1;
    a->scene.entities[RELATUM].heading.len = 0; /* "none" */
    if (yaw_deg >= 0)
        a->scene.entities[RELATUM].heading = pov_heading_single(yaw_deg * deg, pov_kappa_from_std(0));
}

static const char *text_of(const cJSON *row, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, key);
    return cJSON_IsString(item) ? item->valuestring : "none";
}

/* A row's question by its id, in a scene whose relatum faces as the row says. */
static void check_row(asked *a, const cJSON *row)
{
    char id[120], frame[40];
    snprintf(frame, sizeof frame, "%s", text_of(row, "for"));
    *strchr(frame, ' ') = '_';
    turn_to(a, text_of(row, "relatum_dir"));
    ask(a, POV_BENCHMARK_FOREST);
    snprintf(id, sizeof id, "forest/clear_%s_%s_%s/ball:car", frame, text_of(row, "relation"),
             text_of(row, "question"));
    assert_string_equal(answer(find(a, id), 0), text_of(row, "answer"));
    /* The same words without the clause have this answer among theirs. */
    snprintf(id, sizeof id, "forest/ambiguous_%s_%s/ball:car", text_of(row, "relation"),
             text_of(row, "question"));
    const pov_question *ambiguous = find(a, id);
    bool found = false;
    for (int i = 0; i < ambiguous->gold_len; i++)
        found |= strcmp(answer(ambiguous, i), text_of(row, "answer")) == 0;
    assert_true(found);
    assert_false(ambiguous->needs_image);
    assert_string_equal(ambiguous->asked_of, text_of(row, "question"));
    assert_string_equal(ambiguous->relatum_case, a->scene.entities[RELATUM].heading.len == 0 ? "box" : "car");
}

static cJSON *read_golden(void)
{
    static char text[100000];
    char path[500];
    const char *shared = getenv("POV_SHARED"), *source = getenv("POV_SOURCE");
    snprintf(path, sizeof path, "%s%s/golden/forest.json",
             shared   ? shared
             : source ? source
                      : ".",
             shared ? "" : "/../shared");
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[len] = '\0';
    return cJSON_Parse(text);
}

static void forests_golds_are_those_of_its_truth_table(void **state)
{
    asked *a = *state;
    cJSON *golden = read_golden();
    if (!golden) {
        print_message("skipped: ../shared not found\n");
        skip();
    }
    const cJSON *row, *rows = cJSON_GetObjectItemCaseSensitive(golden, "truth_table");
    int checked = 0;
    cJSON_ArrayForEach(row, rows)
    {
        check_row(a, row);
        checked++;
    }
    assert_int_equal(checked, 136);
    cJSON_Delete(golden);
}

static void forests_wording_is_the_papers(void **state)
{
    asked *a = *state;
    snprintf(a->scene.entities[REFERENT].name, POV_NAME_CAPACITY, "cat");
    snprintf(a->scene.entities[REFERENT].class_name, POV_NAME_CAPACITY, "cat");
    snprintf(a->scene.entities[RELATUM].name, POV_NAME_CAPACITY, "dog");
    snprintf(a->scene.entities[RELATUM].class_name, POV_NAME_CAPACITY, "dog");
    a->scene.entities[RELATUM].size_m = (pov_vec3){0.1, 0.1, 0.1}; /* a cow: holds nothing */
    turn_to(a, "front");
    bool seen = false;
    for (a->asking.seed = 0; a->asking.seed < 20; a->asking.seed++) {
        ask(a, POV_BENCHMARK_FOREST);
        const char *text = find(a, "forest/ambiguous_right_camera/cat:dog")->text;
        seen |= strcmp(text,
                       "A cat is to the right of the dog. The dog is facing toward the camera. Based on the "
                       "camera's perspective, where is the cat from the dog's position?") == 0;
        assert_non_null(strstr(find(a, "forest/clear_external_intrinsic_left_camera/cat:dog")->text,
                               "A cat is to the left of the dog from the dog's perspective."));
        assert_non_null(strstr(find(a, "forest/clear_external_relative_front_camera/cat:dog")->text,
                               "A cat is in front of the dog from the camera's perspective."));
    }
    assert_true(seen);
    const pov_question *ambiguous = find(a, "forest/ambiguous_right_camera/cat:dog");
    assert_int_equal(ambiguous->gold_len, 2); /* its example: {left, right} */
    assert_string_equal(answer(ambiguous, 0), "right");
    assert_string_equal(answer(ambiguous, 1), "left");
    assert_non_null(
        strstr(find(a, "forest/frame_ambiguous_left/cat:dog")->system,
               "Answer only the category without any explanation. The answer should be in the form of "
               "{Answer: Category.}"));
    assert_string_equal(answer(find(a, "forest/frame_ambiguous_left/cat:dog"), 0),
                        "external relative|external intrinsic");
}

static void what_the_picture_shows_is_asked_of_camera_and_relatum(void **state)
{
    asked *a = *state;
    static const char *const by_camera[] = {"front", "right", "back", "left"};
    static const char *const by_car[] = {"left", "back", "right", "front"}; /* it faces camera-left */
    for (int quarter = 0; quarter < 4; quarter++) {
        comfort_scene(&a->scene, 90 * quarter, 270);
        ask(a, POV_BENCHMARK_FOREST);
        assert_string_equal(answer(find(a, "forest/relation_camera/ball:car"), 0), by_camera[quarter]);
        assert_string_equal(answer(find(a, "forest/relation_relatum/ball:car"), 0), by_car[quarter]);
        assert_true(find(a, "forest/relation_camera/ball:car")->needs_image);
    }
}

/* The relatum faces the edge between toward and left, 40 degrees, within 5: either is as likely, and so is what follows from
 * the facing; what does not is sure. */
static void what_follows_from_the_facing_is_as_sure_as_that(void **state)
{
    asked *a = *state;
    a->scene.entities[RELATUM].heading = pov_heading_single(-40 * deg, pov_kappa_from_std(5 * deg));
    ask(a, POV_BENCHMARK_FOREST);
    const pov_gold *golds = find(a, "forest/ambiguous_left_camera/ball:car")->golds;
    assert_near(golds[POV_EXTERNAL_RELATIVE].p, 1, 0);
    assert_true(golds[POV_EXTERNAL_RELATIVE].sure);
    assert_near(golds[POV_EXTERNAL_INTRINSIC].p, 0.5, 0.01);
    assert_false(golds[POV_EXTERNAL_INTRINSIC].sure);
    golds = find(a, "forest/ambiguous_left_relatum/ball:car")->golds;
    assert_near(golds[POV_EXTERNAL_RELATIVE].p, 0.5, 0.01);
    assert_near(golds[POV_EXTERNAL_INTRINSIC].p, 1, 0);
}

/* -------- VSR -------- */

static void captions_are_true_in_either_frame(void **state)
{
    asked *a = *state;
    comfort_scene(&a->scene, 0, 270); /* before the camera: by the car's own front, to its left */
    ask(a, POV_BENCHMARK_VSR);
    const pov_question *left = find(a, "vsr/left_of/ball:car"), *front = find(a, "vsr/in_front_of/ball:car"),
                       *behind = find(a, "vsr/behind/ball:car");
    assert_string_equal(left->text, "Caption: The ball is left of the car. The caption is: True or False?");
    assert_string_equal(answer(left, 0), "true");
    assert_string_equal(answer(left, 2), "true");
    assert_int_equal(left->golds[2].perspective, POV_INTRINSIC);
    assert_string_equal(answer(front, 0), "true");
    assert_string_equal(answer(front, 1), "true");
    assert_int_equal(front->golds[1].perspective, POV_EGOCENTRIC);
    assert_string_equal(answer(behind, 0), "false");
    assert_string_equal(answer(find(a, "vsr/touching/ball:car"), 0), "false");
}

static void captions_have_one_verb(void **state)
{
    asked *a = *state;
    ask(a, POV_BENCHMARK_VSR);
    assert_int_equal(pov_questions_len(a->questions),
                     64); /* 66 rows of Table 1, two of them "among", less "between"; and "congruent" */
    assert_non_null(strstr(find(a, "vsr/contains/ball:car")->text, "Caption: The ball contains the car."));
    assert_non_null(
        strstr(find(a, "vsr/consists_of/ball:car")->text, "Caption: The ball consists of the car."));
    assert_false(find(a, "vsr/consists_of/ball:car")->golds[0].defined);
    assert_string_equal(answer(find(a, "vsr/consists_of/ball:car"), 0), "");
}

/* -------- Isle-Brick -------- */

/* Their design: four places of the object, the figure turned to it or away. Seen from the surface, north is away. */
static void the_figure_sees_what_it_faces_and_nothing_behind_it(void **state)
{
    asked *a = *state;
    static const char *const compass[] = {"south", "east", "north", "west"}; /* the camera looks along -x */
    for (int quarter = 0; quarter < 4; quarter++)
        for (int away = 0; away < 2; away++) {
            double yaw = 90 * quarter * deg;
            comfort_scene(&a->scene, 90 * quarter, 0);
            pov_entity *figure = &a->scene.entities[RELATUM], *object = &a->scene.entities[REFERENT];
            snprintf(figure->class_name, POV_NAME_CAPACITY, "minifigure");
            a->scene.entities[WOMAN].addressee = false;
            figure->size_m = object->size_m = (pov_vec3){0.3, 0.3, 0.3};
            figure->position.mean_m.z = object->position.mean_m.z = 0.15;
            figure->heading = pov_heading_single(yaw + away * POV_PI, pov_kappa_from_std(0));
            figure->can_see = true;
            figure->field =
                (pov_field_of_view){.half_horizontal_rad = 1, .half_vertical_rad = 1, .far_m = INFINITY};
            a->scene.entities[WOMAN].placed = false;
            ask(a, POV_BENCHMARK_VPT);
            assert_string_equal(answer(find(a, "vpt/Q1/all"), 0), "1");
            assert_string_equal(answer(find(a, "vpt/Q2/all"), 0), "1");
            assert_string_equal(answer(find(a, "vpt/Q3/ball:car"), 0), "yes");
            assert_string_equal(answer(find(a, "vpt/Q4/ball:car"), 0), compass[quarter]);
            assert_string_equal(answer(find(a, "vpt/Q5/ball:car"), 0), compass[(quarter + 2 * away) % 4]);
            assert_string_equal(answer(find(a, "vpt/Q6/ball:car"), 0), away ? "no" : "yes");
            assert_string_equal(answer(find(a, "vpt/Q7/ball:car"), 0), away ? "back" : "front");
        }
    /* Table 1's words. */
    static const char *const words[][2] = {
        {"vpt/Q1/all", "List and count all objects in the image that are not humanoid minifigures."},
        {"vpt/Q2/all", "How many humanoid minifigures are in the picture?"},
        {"vpt/Q3/ball:car", "Are the humanoid minifigure and the object on the same surface?"},
        {"vpt/Q4/ball:car",
         "Assuming the top of the image is north, in which cardinal direction (i.e., north, west, "
         "east, or south) is the object located relative to the humanoid minifigure?"},
        {"vpt/Q5/ball:car",
         "Assuming the top of the image is north, which cardinal direction (i.e., north, west, "
         "east, or south) is the humanoid minifigure facing?"},
        {"vpt/Q6/ball:car",
         "Assuming that the humanoid minifigure can see and its eyes are open, does it see the object?"},
        {"vpt/Q7/ball:car",
         "From the perspective of the humanoid minifigure, where is the object located relative "
         "to it? Please use terms such as front, left, right, or back."},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_string_equal(find(a, words[i][0])->text, words[i][1]);
    assert_int_equal(find(a, "vpt/Q7/ball:car")->token_max, 128);
    /* Appendix C: the facing, told before. The figure faces away from an object in the west. */
    a->asking.guidance = POV_GUIDED_STEP;
    ask(a, POV_BENCHMARK_VPT);
    assert_string_equal(
        find(a, "vpt/Q6/ball:car+step")->text,
        "Assuming the top of the image is north, the humanoid minifigure is facing east. Assuming that "
        "the humanoid minifigure can see and its eyes are open, does it see the object?");
}

/* -------- SPHERE -------- */

/* Two boxes side by side, as far from the camera; a wall and a post of which one hides another ball. */
static void add_row(asked *a)
{
    static const struct {
        const char *name;
        pov_vec3 centre_m, size_m;
    } row[] = {{"large_box", {0, 3, 0.3}, {0.6, 0.6, 0.6}},
               {"small_box", {0, -3, 0.2}, {0.4, 0.4, 0.4}},
               {"wall", {-4, 1, 1}, {0.2, 3, 2}},
               {"post", {-4, -2, 1}, {0.05, 0.05, 2}}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        pov_id id;
        pov_entity entity = pov_entity_named(row[i].name, i < 2 ? "box" : row[i].name);
        entity.placed = true;
        entity.position.mean_m = row[i].centre_m;
        entity.size_m = row[i].size_m;
        assert_int_equal(pov_scene_add(&a->scene, &id, &entity).code, POV_OK);
    }
}

static void two_of_a_class_are_the_left_and_the_right_one(void **state)
{
    asked *a = *state;
    a->asking.referent = a->asking.relatum = POV_ID_NONE;
    a->asking.runs = 1;
    add_row(a);
    ask(a, POV_BENCHMARK_SPHERE);
    /* The camera looks along -x: +y is to its right. As far, they need no "similar". */
    const pov_question *question = find(a, "sphere/size.size.which/large_box:small_box/0");
    bool bigger = strstr(question->text, "Which box is bigger?") != NULL;
    assert_true(bigger || strstr(question->text, "Which box is smaller?"));
    assert_int_equal(question->option_len, 2);
    assert_string_equal(answer(question, 0), bigger ? "the right one" : "the left one");
    question = find(a, "sphere/size.height.alike/large_box:small_box/0");
    bool same = strstr(question->text, "Are the two boxes of the same height?") != NULL;
    assert_true(same || strstr(question->text, "Are the two boxes of different heights?"));
    assert_string_equal(answer(question, 0), same ? "no" : "yes");
    question = find(a, "sphere/occlusion.camera.where.post/ball:wall/0");
    assert_string_equal(answer(question, 0), "behind the wall");
    assert_string_equal(answer(find(a, "sphere/occlusion_intermediate.camera.where.post/ball:wall/0"), 0),
                        "wall");
}

static void options_come_in_other_orders_and_the_gold_follows(void **state)
{
    asked *a = *state;
    bool first_left = false, first_right = false;
    ask(a, POV_BENCHMARK_SPHERE);
    for (int run = 0; run < 5; run++) {
        char id[80];
        snprintf(id, sizeof id, "sphere/position_allo.left_right/ball:car/%d", run);
        const pov_question *question = find(a, id);
        assert_string_equal(answer(question, 0), "right"); /* phi = 30: to the camera's right */
        bool left = strcmp(question->options[0], "left") == 0;
        first_left |= left;
        first_right |= !left;
        assert_string_equal(
            question->text,
            left ? "From the perspective of the viewer, where is the ball relative to the car? Left or "
                   "Right? Answer the question directly."
                 : "From the perspective of the viewer, where is the ball relative to the car? Right or "
                   "Left? Answer the question directly.");
        assert_int_equal(question->run, run);
        assert_near(
            pov_sphere_grade("Right.", question->options, 2, question->golds[0].answers == 1 ? 0 : 1, false)
                .score,
            1, 0);
    }
    assert_true(first_left && first_right);
}

static void there_are_ten_types_of_tasks_and_two_have_intermediate_ones(void **state)
{
    asked *a = *state;
    static const char *const tasks[] = {"position_ego",
                                        "position_allo",
                                        "count",
                                        "distance",
                                        "size",
                                        "position_count",
                                        "distance_count",
                                        "distance_size",
                                        "occlusion",
                                        "manipulation",
                                        "occlusion_intermediate",
                                        "manipulation_intermediate"};
    enum { TASKS = sizeof tasks / sizeof *tasks };
    int count[TASKS] = {0};
    a->asking.referent = a->asking.relatum = POV_ID_NONE;
    a->asking.runs = 1;
    add_row(a);
    ask(a, POV_BENCHMARK_SPHERE);
    for (int i = 0; i < pov_questions_len(a->questions); i++) {
        int task = 0;
        while (task < TASKS && strcmp(tasks[task], pov_questions_at(a->questions, i)->task) != 0)
            task++;
        assert_true(task < TASKS);
        count[task]++;
    }
    for (int task = 0; task < TASKS; task++)
        assert_true(count[task] > 0);
}

static void sphere_says_what_is_true(void **state)
{
    asked *a = *state;
    static const struct {
        const char *id, *answer;
    } golds[] = {
        {"distance_size.size.which/ball:car/0", "car"},
        {"distance_size.size.by_distance/ball:car/0", "the farther one"},
        {"distance_size.size.alike/ball:car/0", "yes"}, /* "of different sizes?" */
        {"distance_size.height.whether_sure/ball:car/0", "no"},
        {"distance_size.width.which/ball:car/0", "ball"}, /* "narrower?" */
        {"distance.closer.woman/ball:car/0", "car"},
        {"distance.farther.camera/ball:car/0", "car"},
        {"position_count.right_allo/ball:car", "1"},
        {"position_count.left_allo/ball:car", "0"},
        {"distance_count.closer/ball:car", "1"},
        {"distance_count.farther/ball:car", "0"},
        {"distance_count.farther.woman/ball:car", "1"},
        {"manipulation.camera.beside_left/ball:car/0", "yes"},
    };
    ask(a, POV_BENCHMARK_SPHERE);
    for (size_t i = 0; i < sizeof golds / sizeof *golds; i++) {
        char id[120];
        snprintf(id, sizeof id, "sphere/%s", golds[i].id);
        assert_string_equal(answer(find(a, id), 0), golds[i].answer);
    }
    assert_string_equal(
        find(a, "sphere/position_ego.left_right/ball:car/0")->text +
            strlen("If you are the car in the image, where is the ball relative to your position? "),
        strcmp(find(a, "sphere/position_ego.left_right/ball:car/0")->options[0], "left") == 0
            ? "Left or Right? Answer the question directly."
            : "Right or Left? Answer the question directly.");
}

/* Neither is above the other, and nothing is beside what carries it. */
static void nobody_asks_which_of_two_on_one_floor_is_above(void **state)
{
    asked *a = *state;
    a->asking.referent = a->asking.relatum = POV_ID_NONE;
    ask(a, POV_BENCHMARK_SPHERE);
    for (int i = 0; i < pov_questions_len(a->questions); i++)
        assert_null(strstr(pov_questions_at(a->questions, i)->id, "above_below"));
    /* The ball is put on the car's roof. */
    a->scene.entities[REFERENT].position.mean_m = (pov_vec3){0.2, 0.1, 0.75 + 0.1};
    ask(a, POV_BENCHMARK_SPHERE);
    assert_string_equal(answer(find(a, "sphere/position_allo.above_below/ball:car/0"), 0), "on top");
    assert_string_equal(answer(find(a, "sphere/position_ego.above_below/car:ball/0"), 0), "below");
    assert_string_equal(answer(find(a, "sphere/position_count.above_allo/ball:car"), 0), "1");
    for (int i = 0; i < pov_questions_len(a->questions); i++) {
        const pov_question *question = pov_questions_at(a->questions, i);
        bool pair = question->referent <= RELATUM && question->relatum <= RELATUM && question->relatum >= 0;
        bool sides = strstr(question->id, "left_right") || strstr(question->id, "front_behind") ||
                     strstr(question->id, "position_count.left") ||
                     strstr(question->id, "position_count.right");
        assert_false(pair && sides);
    }
}

static void steps_are_told_in_the_papers_words(void **state)
{
    asked *a = *state;
    a->asking.guidance = POV_GUIDED_STEP;
    ask(a, POV_BENCHMARK_SPHERE);
    const char *text = find(a, "sphere/occlusion.camera/ball:car+step/0")->text;
    const char *expected =
        "Given that for the question: Which object is bigger? Car or Ball or They are similar in "
        "size? The answer is: Car. From the perspective of the viewer, could another ball be hidden "
        "behind the car? ";
    assert_memory_equal(text, expected, strlen(expected));
    assert_string_equal(text + strlen(text) - strlen("Answer the question directly."),
                        "Answer the question directly.");
}

/* -------- all -------- */

static void ids_are_unique_and_the_same_each_time(void **state)
{
    asked *a = *state;
    static char before[2000][120];
    a->asking.referent = a->asking.relatum = POV_ID_NONE;
    a->asking.runs = 2;
    for (int benchmark = POV_BENCHMARK_FOREST; benchmark < POV_BENCHMARK_COUNT; benchmark++) {
        ask(a, (pov_benchmark)benchmark);
        int len = pov_questions_len(a->questions);
        assert_true(len > 0 || benchmark == POV_BENCHMARK_MINDCUBE); /* asks about several images */
        for (int i = 0; i < len; i++) {
            snprintf(before[i], sizeof *before, "%s", pov_questions_at(a->questions, i)->id);
            for (int j = 0; j < i; j++)
                assert_string_not_equal(before[i], before[j]);
        }
        ask(a, (pov_benchmark)benchmark);
        for (int i = 0; i < len; i++)
            assert_string_equal(before[i], pov_questions_at(a->questions, i)->id);
    }
}

static void facts_come_before_questions_about_two_things(void **state)
{
    asked *a = *state;
    a->asking.guidance = POV_GUIDED_FACTS;
    for (int benchmark = POV_BENCHMARK_FOREST; benchmark <= POV_BENCHMARK_VSR; benchmark++) {
        ask(a, (pov_benchmark)benchmark);
        for (int i = 0; i < pov_questions_len(a->questions); i++)
            assert_memory_equal(pov_questions_at(a->questions, i)->text, "Given: Relative to", 18);
    }
    a->asking.guidance = POV_GUIDED_STEP;
    a->asking.benchmark = POV_BENCHMARK_VSR;
    assert_int_equal(pov_questions_ask(a->questions, &a->scene, &a->asking).code, POV_ERROR);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(forests_golds_are_those_of_its_truth_table),
        TEST(forests_wording_is_the_papers),
        TEST(what_the_picture_shows_is_asked_of_camera_and_relatum),
        TEST(what_follows_from_the_facing_is_as_sure_as_that),
        TEST(captions_are_true_in_either_frame),
        TEST(captions_have_one_verb),
        TEST(the_figure_sees_what_it_faces_and_nothing_behind_it),
        TEST(options_come_in_other_orders_and_the_gold_follows),
        TEST(there_are_ten_types_of_tasks_and_two_have_intermediate_ones),
        TEST(two_of_a_class_are_the_left_and_the_right_one),
        TEST(nobody_asks_which_of_two_on_one_floor_is_above),
        TEST(sphere_says_what_is_true),
        TEST(steps_are_told_in_the_papers_words),
        TEST(ids_are_unique_and_the_same_each_time),
        TEST(facts_come_before_questions_about_two_things),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
