#include "firmware/cli.h"
#include "firmware/comparison/image_questions_internal.h"

#include "compare/log/answer_log.h"
#include "compare/questions/prompting.h"
#include "compare/vlm/vlm_truth.h"
#include "config/files/grow.h"
#include "config/files/text.h"
#include "config/scene/scene_file.h"
#include "perception/papers/view_turn.h"

#include <cJSON.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = POV_QUESTIONS_DEFAULT };
static const double VIEW_APART = 4 * POV_DEG,
                    QUARTER_TOLERANCE = 10 * POV_DEG; /* chosen: less than a sweep's steps; half of it */

/* ---- the pair ---- */

/* The first thing of a kind, other than one and than who looks; POV_ID_NONE: there is none. */
static pov_id first_thing(const pov_scene *scene, bool with_front, pov_id other)
{
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *entity = &scene->entities[id];
        if (id != other && id != scene->camera && entity->placed && !entity->addressee && !entity->can_see &&
            (!with_front || entity->heading.len > 0))
            return id;
    }
    return POV_ID_NONE;
}

/* As in COMFORT, what has a front is the relatum. */
static bool find_usual_pair(char pair[2][POV_NAME_CAPACITY], const pov_scene *scene)
{
    pov_id relatum = first_thing(scene, true, POV_ID_NONE);
    const pov_id referent = first_thing(scene, false, relatum);
    if (relatum == POV_ID_NONE && referent != POV_ID_NONE)
        relatum = first_thing(scene, false, referent);
    if (relatum == POV_ID_NONE || referent == POV_ID_NONE)
        return false;
    memcpy(pair[0], scene->entities[referent].name, POV_NAME_CAPACITY);
    memcpy(pair[1], scene->entities[relatum].name, POV_NAME_CAPACITY);
    return true;
}

/* ---- azimuth ---- */

/* Those of the first pair, and the camera. False: one of the three is not placed. */
static bool find_three(const pov_entity **referent, const pov_entity **relatum, const pov_entity **camera,
                       const pov_scene *scene, const pov_question_choice *asking)
{
    char pair[2][POV_NAME_CAPACITY] = {"", ""};
    if (asking->pair_len > 0)
        memcpy(pair, asking->pairs[0], sizeof pair);
    else if (!find_usual_pair(pair, scene))
        return false;
    const pov_id of = pov_scene_find(scene, pair[0]), about = pov_scene_find(scene, pair[1]);
    if (of == POV_ID_NONE || about == POV_ID_NONE || scene->camera == POV_ID_NONE)
        return false;
    *referent = &scene->entities[of];
    *relatum = &scene->entities[about];
    *camera = &scene->entities[scene->camera];
    return (*referent)->placed && (*relatum)->placed;
}

static double yaw_rad(const pov_entity *from, const pov_entity *to)
{
    const pov_vec3 v = pov_vec3_sub(to->position.mean_m, from->position.mean_m);
    return atan2(v.y, v.x);
}

double pov_choice_phi_rad(const pov_scene *scene, const pov_question_choice *asking)
{
    const pov_entity *referent, *relatum, *camera;
    if (!find_three(&referent, &relatum, &camera, scene, asking))
        return NAN;
    const double phi_rad = fmod(yaw_rad(relatum, referent) - yaw_rad(relatum, camera), 2 * POV_PI);
    return phi_rad < 0 ? phi_rad + 2 * POV_PI : phi_rad;
}

/* d(yaw of to about from) / d(position of to), in the plane. */
static void yaw_gradient(double gradient[2], const pov_entity *from, const pov_entity *to)
{
    const pov_vec3 v = pov_vec3_sub(to->position.mean_m, from->position.mean_m);
    const double square_m2 = v.x * v.x + v.y * v.y;
    gradient[0] = -v.y / square_m2;
    gradient[1] = v.x / square_m2;
}

double pov_choice_phi_std_rad(const pov_scene *scene, const pov_question_choice *asking)
{
    enum { THINGS = 3 };
    const pov_entity *of[THINGS]; /* referent, relatum, camera */
    double g[THINGS][2], shared[6] = {0}, variance = 0;
    if (!find_three(&of[0], &of[1], &of[2], scene, asking))
        return NAN;
    yaw_gradient(g[0], of[1], of[0]);
    yaw_gradient(g[2], of[1], of[2]);
    for (int k = 0; k < 2; k++) {
        g[1][k] = g[2][k] - g[0][k];
        g[2][k] = -g[2][k];
    }
    for (int i = 0; i < THINGS; i++)
        for (int k = 0; k < 2; k++) {
            for (int l = 0; l < 2; l++)
                variance += g[i][k] * g[i][l] * of[i]->position.own_cov_m2[k][l];
            for (int e = 0; e < 6; e++)
                shared[e] += g[i][k] * of[i]->position.per_camera_pose[k][e];
        }
    for (int e = 0; e < 6; e++)
        for (int f = 0; f < 6; f++)
            variance += shared[e] * shared[f] * scene->camera_pose_cov[e][f];
    return sqrt(fmax(variance, 0));
}

/* ---- views of a turn ---- */

static void free_view(pov_earlier_view *view)
{
    free(view->path);
    free(view->sha256);
    free(view);
}

/* The view that is nearest to a quarter, a half or three quarters of a turn before this one. NULL: none is near it. */
static const pov_earlier_view *find_view(const pov_image_questions *q, const pov_scene *scene, int quarters)
{
    const pov_earlier_view *best = NULL;
    double least_rad = QUARTER_TOLERANCE, turn_rad;
    for (int i = 0; i < q->view_len; i++) {
        if (pov_view_turn(&turn_rad, &q->views[i]->scene, scene) != POV_OK)
            continue;
        const double off_rad = fabs(remainder(turn_rad - quarters * POV_PI / 2, 2 * POV_PI));
        best = off_rad < least_rad ? q->views[i] : best;
        least_rad = fmin(off_rad, least_rad);
    }
    return best;
}

/* What is shown with an image: the views a whole number of quarters before it, the farthest first, whichever way it turns. */
static void choose_views(pov_image_questions *q, const pov_judged_world *world)
{
    q->shown_len = 0;
    if (!q->asking.benchmark[POV_BENCHMARK_MINDCUBE] || !world->path)
        return;
    const int way = find_view(q, world->scene, 1) ? 1 : -1;
    for (int quarters = POV_SHOWN_VIEWS_MAX; quarters > 0; quarters--) {
        const pov_earlier_view *view = find_view(q, world->scene, way * quarters);
        if (!view || (world->truth && !view->has_truth))
            continue;
        q->shown_scenes[q->shown_len] = &view->scene;
        q->shown_truths[q->shown_len] = &view->truth;
        q->shown[q->shown_len++] = view;
    }
}

/* A live run meets the same sides again and again: one view of each is kept. */
static void keep_view(pov_image_questions *q, const pov_judged_world *world)
{
    double turn_rad;
    if (!q->asking.benchmark[POV_BENCHMARK_MINDCUBE] || !world->path || q->view_len == POV_EARLIER_VIEWS_MAX)
        return;
    for (int i = 0; i < q->view_len; i++)
        if (pov_view_turn(&turn_rad, &q->views[i]->scene, world->scene) == POV_OK &&
            fabs(turn_rad) < VIEW_APART)
            return;
    pov_earlier_view *view = pov_allocate(1, sizeof *view);
    view->scene = *world->scene;
    view->has_truth = world->truth != NULL;
    if (world->truth)
        view->truth = *world->truth;
    view->hash = world->hash;
    view->path = pov_text_new("%s", world->path);
    view->sha256 = pov_text_new("%s", world->sha256);
    q->views[q->view_len++] = view;
}

/* The images of a question about several, in order, with their sums. */
static void add_views(cJSON *columns, const pov_image_questions *q)
{
    pov_text paths = {0}, sums = {0};
    for (int i = 0; i < q->shown_len; i++) {
        pov_text_add(&paths, "%s|", q->shown[i]->path);
        pov_text_add(&sums, "%s|", q->shown[i]->sha256);
    }
    pov_text_add(&paths, "%s", q->world->path);
    pov_text_add(&sums, "%s", q->world->sha256);
    cJSON_AddStringToObject(columns, "image_files", pov_text_of(&paths));
    cJSON_AddStringToObject(columns, "image_sha256", pov_text_of(&sums));
    pov_text_free(&paths);
    pov_text_free(&sums);
}

/* ---- making ---- */

pov_status pov_image_questions_new(pov_image_questions **questions, const pov_question_choice *asking,
                                   const pov_judging *judging)
{
    pov_image_questions *q = *questions = calloc(1, sizeof *q);
    if (!q)
        return pov_error("questions: out of memory");
    q->asking = *asking;
    q->options = (pov_asking)POV_ASKING_DEFAULT;
    q->options.judging = *judging;
    q->options.seed = asking->seed;
    q->list = malloc(LIST_MAX * sizeof *q->list);
    pov_status status =
        q->list ? pov_languages_new(&q->languages, NULL) : pov_error("questions: out of memory");
    POV_THEN(status, pov_questions_new(&q->seen, POV_QUESTIONS_DEFAULT));
    POV_THEN(status, pov_questions_new(&q->true_ones, POV_QUESTIONS_DEFAULT));
    for (int i = 0; i < asking->language_len && status.code == POV_OK; i++) {
        const pov_language *language;
        status = pov_languages_find(&language, q->languages, asking->languages[i]);
    }
    if (status.code != POV_OK)
        pov_image_questions_destroy(questions);
    return status;
}

static void let_go(pov_image_questions *q)
{
    for (int i = 0; i < q->owned_len; i++)
        free(q->owned[i]);
    q->owned_len = q->len = 0;
    if (q->truth_stream)
        fclose(q->truth_stream);
    q->truth_stream = NULL;
    free(q->truth_lines);
    q->truth_lines = NULL;
}

void pov_image_questions_destroy(pov_image_questions **questions)
{
    pov_image_questions *q = *questions;
    if (!q)
        return;
    let_go(q);
    for (int i = 0; i < q->view_len; i++)
        free_view(q->views[i]);
    pov_questions_destroy(&q->seen);
    pov_questions_destroy(&q->true_ones);
    pov_languages_destroy(&q->languages);
    free(q->owned);
    free(q->list);
    free(q);
    *questions = NULL;
}

const char *pov_image_questions_own(pov_image_questions *q, char *text)
{
    POV_REQUIRE_MEMORY(pov_grow(&q->owned, &q->owned_capacity, q->owned_len, sizeof *q->owned));
    return q->owned[q->owned_len++] = text;
}

/* ---- one question ---- */

static const char *relation_word(pov_relation relation)
{
    static const char *const words[POV_COMFORT_RELATIONS] = {"left", "right", "front", "behind"};
    return (int)relation < POV_COMFORT_RELATIONS ? words[relation] : pov_relation_name(relation);
}

static void add_number(cJSON *columns, const char *key, double number)
{
    if (!isnan(number))
        cJSON_AddNumberToObject(columns, key, number);
}

static const char *name_of(const pov_scene *scene, pov_id id)
{
    return id == POV_ID_NONE ? "" : scene->entities[id].name;
}

static void add_comfort(cJSON *columns, const pov_image_questions *q, const pov_question *question,
                        const pov_scene *scene)
{
    char name[2 * POV_NAME_CAPACITY + 2];
    snprintf(name, sizeof name, "%s/%s", name_of(scene, question->referent),
             name_of(scene, question->relatum));
    add_number(columns, "relatum_facing", round(question->facings.relatum_deg * 10) / 10);
    if (question->prompt == POV_PROMPT_COUNT) { /* "Is there any ...?" */
        const pov_gold *gold = pov_question_asked(question);
        cJSON_AddStringToObject(columns, "present", gold && pov_gold_p_yes(gold) > 0.5 ? "true" : "false");
        return;
    }
    cJSON_AddStringToObject(columns, "scene", name);
    cJSON_AddStringToObject(columns, "variant", q->asking.variant);
    cJSON_AddStringToObject(columns, "prompt", pov_prompt_name(question->prompt));
    cJSON_AddStringToObject(columns, "relation", relation_word(question->relation));
    add_number(columns, "phi_exact_std_deg",
               round(pov_choice_phi_std_rad(scene, &q->asking) / POV_DEG * 1e4) / 1e4);
    add_number(columns, "addressee_facing", round(question->facings.addressee_deg * 10) / 10);
}

static void add_options(cJSON *columns, const pov_question *question)
{
    char options[1024] = "";
    for (int i = 0; i < question->option_len; i++) {
        strncat(options, i ? "|" : "", sizeof options - strlen(options) - 1);
        strncat(options, question->options[i], sizeof options - strlen(options) - 1);
    }
    if (*options)
        cJSON_AddStringToObject(columns, "options", options);
}

/* FoREST's answers by the frame that makes them right, or the frames that an expression may be in. */
static void add_frames(cJSON *columns, const pov_question *question)
{
    char text[128];
    cJSON_AddStringToObject(columns, "relatum", question->relatum_case);
    if (question->asked_of)
        cJSON_AddStringToObject(columns, "asked", question->asked_of);
    if (strncmp(question->task, "frame_", strlen("frame_")) == 0) {
        pov_gold_describe(text, sizeof text, question, &question->golds[0]);
        cJSON_AddStringToObject(columns, "gold_frame", text);
        return;
    }
    for (int i = 0; i < question->gold_len; i++) {
        const pov_gold *gold = &question->golds[i];
        const char *key = gold->perspective == POV_INTRINSIC ? "gold_intrinsic" : "gold_relative";
        if (!gold->defined || cJSON_GetObjectItem(columns, key))
            continue;
        pov_gold_describe(text, sizeof text, question, gold);
        cJSON_AddStringToObject(columns, key, text);
    }
}

/* Adds the right answer in each frame of reference, for questions by letters. */
static void add_lettered(cJSON *columns, const pov_question *question)
{
    char text[128];
    cJSON_AddStringToObject(columns, "offered",
                            question->lettered                      ? "letters"
                            : question->kind == POV_QUESTION_NUMBER ? "number"
                                                                    : "words");
    if (question->unit)
        cJSON_AddStringToObject(columns, "gold_unit", question->unit);
    cJSON_AddStringToObject(columns, "question", question->stem);
    for (int i = 0; i < question->gold_len; i++) {
        const pov_gold *gold = &question->golds[i];
        const char *key = gold->mirrored                        ? "gold_mirrored"
                          : gold->perspective == POV_EGOCENTRIC ? "gold_camera"
                          : gold->perspective == POV_ADDRESSEE  ? "gold_person"
                          : gold->perspective == POV_INTRINSIC  ? "gold_own"
                                                                : NULL;
        if (!key || !gold->defined || cJSON_GetObjectItem(columns, key))
            continue;
        pov_gold_describe(text, sizeof text, question, gold);
        cJSON_AddStringToObject(columns, key, text);
    }
}

/* Isle-Brick's appendix B: how things look this time, and the order of the words. */
static void add_intervention(cJSON *columns, const pov_image_questions *q, const pov_question *question)
{
    const bool is_changed = strcmp(q->asking.variant, "default") != 0;
    if (!is_changed && !question->listed)
        return;
    char *text = pov_text_new("%s%s%s%s", is_changed ? q->asking.variant : "",
                              is_changed && question->listed ? ", " : "", question->listed ? "order: " : "",
                              question->listed ? question->listed : "");
    cJSON_AddStringToObject(columns, "intervention", text);
    free(text);
}

static const pov_prompt_condition *condition_of(const pov_question *question, pov_prompt_condition_kind kind)
{
    return pov_prompt_condition_at(kind, pov_question_condition(question, kind));
}

const pov_question_picture *pov_image_questions_second(const pov_image_questions *q,
                                                       const pov_question *question)
{
    return pov_guidance_shows(question->guidance)
               ? &q->pictures->second[question->guidance][question->is_flipped]
               : NULL;
}

/* What it is about in place of the image that was taken, and beside it. */
static void add_pictures(cJSON *columns, const pov_image_questions *q, const pov_question *question)
{
    if (question->is_flipped)
        pov_log_picture_note(columns, &q->pictures->mirrored.file, POV_PICTURE_FIRST);
    if (pov_image_questions_second(q, question))
        pov_log_picture_note(columns, &pov_image_questions_second(q, question)->file, POV_PICTURE_SECOND);
}

/* Who looks, and where the things that it is about are seen. */
static void add_seen(cJSON *columns, const pov_image_questions *q, const pov_question *question,
                     const pov_scene *scene)
{
    if (question->viewer != POV_ID_NONE && question->viewer != scene->camera)
        cJSON_AddStringToObject(columns, "viewer", name_of(scene, question->viewer));
    char *marks = q->world && q->world->boxes ? pov_question_marks(q->world->boxes, scene, question) : NULL;
    if (marks)
        cJSON_AddStringToObject(columns, "marks", marks);
    free(marks);
}

static const char *columns_of(pov_image_questions *q, const pov_question *question, const pov_scene *scene)
{
    cJSON *columns = cJSON_CreateObject();
    if (question->benchmark == POV_BENCHMARK_COMFORT)
        add_comfort(columns, q, question, scene);
    if (question->benchmark == POV_BENCHMARK_FOREST)
        add_frames(columns, question);
    if (question->benchmark == POV_BENCHMARK_VSR)
        cJSON_AddStringToObject(columns, "relation", question->task);
    if (question->benchmark == POV_BENCHMARK_VPT)
        add_intervention(columns, q, question);
    cJSON_AddStringToObject(columns, question->benchmark == POV_BENCHMARK_VPT ? "question" : "task",
                            question->task);
    add_options(columns, question);
    if (question->stem)
        add_lettered(columns, question);
    if (question->cogmap)
        cJSON_AddStringToObject(columns, "grounded_cogmap", question->cogmap);
    if (question->view_len > 0)
        add_views(columns, q);
    if (question->benchmark == POV_BENCHMARK_SPHERE && question->kind == POV_QUESTION_OPTION)
        cJSON_AddNumberToObject(columns, "options_order", question->run);
    for (int kind = 0; kind < POV_PROMPT_CONDITION_KINDS; kind++)
        cJSON_AddStringToObject(columns, pov_prompt_condition_kind_name((pov_prompt_condition_kind)kind),
                                condition_of(question, (pov_prompt_condition_kind)kind)->name);
    add_pictures(columns, q, question);
    add_seen(columns, q, question, scene);
    const char *text = pov_image_questions_own(q, cJSON_PrintUnformatted(columns));
    cJSON_Delete(columns);
    return text;
}

static const char *golds_of(pov_image_questions *q, const pov_question *question)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < question->gold_len; i++) {
        const pov_gold *gold = &question->golds[i];
        char frame[96], answer[128];
        pov_gold_frame(frame, sizeof frame, gold);
        pov_gold_describe(answer, sizeof answer, question, gold);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "frame", frame);
        cJSON_AddStringToObject(item, "answer", answer);
        add_number(item, "p", gold->p);
        cJSON_AddBoolToObject(item, "sure", gold->sure);
        cJSON_AddBoolToObject(item, "asked", gold->asked);
        cJSON_AddItemToArray(list, item);
    }
    const char *text = pov_image_questions_own(q, cJSON_PrintUnformatted(list));
    cJSON_Delete(list);
    return text;
}

/* The right answer in the frame that is asked for; NULL: none, or the geometry abstains. */
static const char *gold_of(pov_image_questions *q, const pov_question *question)
{
    const pov_gold *gold = question ? pov_question_asked(question) : NULL;
    char text[256];
    if (!gold || !gold->defined || !gold->sure)
        return NULL;
    pov_gold_describe(text, sizeof text, question, gold);
    return *text ? pov_image_questions_own(q, strdup(text)) : NULL;
}

/* ---- all of an image ---- */

/* The same question among others, sought from `near` on, where it usually is; -1: it is not there. */
static int find_question(const pov_questions *questions, const char *id, int near)
{
    const int len = pov_questions_len(questions);
    for (int i = 0; i < len; i++) {
        const int at = (near + i) % len;
        if (strcmp(pov_questions_at(questions, at)->id, id) == 0)
            return at;
    }
    return -1;
}

/* Conditions are scored apart, as if in languages of their own: "en+facts+cot". */
static const char *language_of(pov_image_questions *q, const pov_question *question)
{
    char text[POV_LANGUAGE_CODE_CAPACITY + 64];
    snprintf(text, sizeof text, "%s", question->language);
    for (int kind = 0; kind < POV_PROMPT_CONDITION_KINDS; kind++) {
        const size_t len = strlen(text);
        snprintf(text + len, sizeof text - len, "%s",
                 condition_of(question, (pov_prompt_condition_kind)kind)->suffix);
    }
    return pov_image_questions_own(q, strdup(text));
}

/* COMFORT's curves need no gold; what the other papers have none for, or geometry abstains from, cannot be scored. */
static pov_status take_question(pov_image_questions *q, const pov_scene *scene, const pov_question *question,
                                const pov_question *true_one)
{
    const char *words = gold_of(q, question);
    const pov_gold *gold = pov_question_asked(question);
    if (q->len == LIST_MAX)
        return pov_error("more than %d questions about one image: ask for fewer at a time", LIST_MAX);
    if (pov_image_questions_second(q, question) && !*pov_image_questions_second(q, question)->file.path)
        return pov_ok(); /* the addressee is known to the truth alone */
    if (!words && question->benchmark != POV_BENCHMARK_COMFORT)
        return pov_ok();
    char key[320];
    snprintf(key, sizeof key, question->run ? "%s/%d" : "%s", question->id, question->run);
    q->made[question->benchmark]++;
    q->list[q->len++] = (pov_log_question){
        .key = pov_image_questions_own(q, strdup(key)),
        .paper = pov_benchmark_name(question->benchmark),
        .prompt = pov_image_questions_own(q, strdup(question->text)),
        .system = question->system ? pov_image_questions_own(q, strdup(question->system)) : NULL,
        .language = language_of(q, question),
        .form = pov_question_kind_name(question->kind),
        .gold = words,
        .truth = gold_of(q, true_one),
        .gold_p = gold && pov_question_is_yes_or_no(question) ? pov_gold_p_yes(gold) : NAN,
        .golds = golds_of(q, question),
        .columns = columns_of(q, question, scene),
        .token_max = question->token_max};
    const pov_question *known = true_one ? true_one : q->judged_as_truth ? question : NULL;
    if (known && question->prompting == POV_PROMPTING_SG_COT)
        POV_TRY(pov_image_questions_write_guidance_truth(q, question));
    return known ? pov_image_questions_write_truth(q, question->text, known) : pov_ok();
}

static pov_status find_pair(pov_asking *options, const pov_scene *scene, char pair[2][POV_NAME_CAPACITY])
{
    options->referent = pov_scene_find(scene, pair[0]);
    options->relatum = pov_scene_find(scene, pair[1]);
    if (options->referent == POV_ID_NONE || options->relatum == POV_ID_NONE)
        return pov_status_of(POV_UNDEFINED); /* not seen this time */
    return pov_ok();
}

static pov_status ask_benchmark(pov_image_questions *q, const pov_scene *scene, const pov_scene *truth,
                                char pair[2][POV_NAME_CAPACITY])
{
    q->options.views = q->shown_scenes;
    q->options.view_len = q->shown_len;
    pov_asking true_options = q->options;
    true_options.views = q->shown_truths;
    if (pair && find_pair(&q->options, scene, pair).code != POV_OK)
        return pov_ok();
    const bool has_truth = truth && (!pair || find_pair(&true_options, truth, pair).code == POV_OK);
    POV_TRY(pov_questions_ask(q->seen, scene, &q->options));
    if (has_truth)
        POV_TRY(pov_questions_ask(q->true_ones, truth, &true_options));
    int near = 0;
    for (int i = 0; i < pov_questions_len(q->seen); i++) {
        const pov_question *question = pov_questions_at(q->seen, i);
        const int at = has_truth ? find_question(q->true_ones, question->id, near) : -1;
        near = at >= 0 ? at + 1 : near;
        POV_TRY(take_question(q, scene, question, at >= 0 ? pov_questions_at(q->true_ones, at) : NULL));
    }
    return pov_ok();
}

static pov_status ask_comfort(pov_image_questions *q, const pov_scene *scene, const pov_scene *truth)
{
    for (int l = 0; l < q->asking.language_len; l++) {
        POV_TRY(pov_languages_find(&q->options.language, q->languages, q->asking.languages[l]));
        if (!pov_guidance_applies(q->options.guidance, POV_BENCHMARK_COMFORT, q->options.language) ||
            !pov_prompting_applies(q->options.prompting, q->options.language))
            continue;
        for (int p = 0; p < q->asking.pair_len; p++)
            POV_TRY(ask_benchmark(q, scene, truth, q->asking.pairs[p]));
        char pair[2][POV_NAME_CAPACITY];
        if (q->asking.pair_len == 0 && find_usual_pair(pair, scene))
            POV_TRY(ask_benchmark(q, scene, truth, pair));
    }
    return pov_ok();
}

static pov_status ask_in_condition(pov_image_questions *q, const pov_scene *scene, const pov_scene *truth)
{
    const pov_question_choice *asking = &q->asking;
    pov_asking *o = &q->options;
    if (!asking->benchmark[o->benchmark] || !asking->guidance[o->guidance] ||
        !asking->prompting[o->prompting] || !asking->system[o->system] || !asking->order[o->order] ||
        (o->flip && !asking->flip) || (o->rotation && !asking->circular) ||
        !pov_question_order_applies(o->order, o->benchmark) || !pov_flip_applies(o->flip, o->benchmark) ||
        !pov_guidance_applies(o->guidance, o->benchmark, NULL) ||
        !pov_guidance_goes_with(o->guidance, o->prompting) || !pov_system_applies(o->system, o->benchmark))
        return pov_ok();
    o->referent = o->relatum = POV_ID_NONE;
    POV_TRY(pov_languages_find(&o->language, q->languages, "en"));
    return o->benchmark == POV_BENCHMARK_COMFORT ? ask_comfort(q, scene, truth)
                                                 : ask_benchmark(q, scene, truth, NULL);
}

/* Each paper's questions in each guidance with each prompting, system prompt and order, each of these plain, flipped and rotated. */
static pov_status ask_all(pov_image_questions *q, const pov_scene *scene, const pov_scene *truth)
{
    const int in_all = POV_BENCHMARK_COUNT * POV_GUIDANCE_COUNT * POV_PROMPTING_COUNT * POV_SYSTEM_COUNT *
                       POV_ORDER_COUNT * POV_ROTATIONS * 2;
    for (int i = 0; i < in_all; i++) {
        int rest = i;
        q->options.flip = rest % 2 == 1;
        q->options.rotation = (rest /= 2) % POV_ROTATIONS;
        q->options.order = (pov_question_order)((rest /= POV_ROTATIONS) % POV_ORDER_COUNT);
        q->options.system = (pov_system_prompt)((rest /= POV_ORDER_COUNT) % POV_SYSTEM_COUNT);
        q->options.prompting = (pov_prompting)((rest /= POV_SYSTEM_COUNT) % POV_PROMPTING_COUNT);
        q->options.guidance = (pov_guidance)((rest /= POV_PROMPTING_COUNT) % POV_GUIDANCE_COUNT);
        q->options.benchmark = (pov_benchmark)(rest / POV_GUIDANCE_COUNT);
        POV_TRY(ask_in_condition(q, scene, truth));
    }
    return pov_ok();
}

static bool needs_pictures(const pov_question_choice *asking)
{
    bool needed = asking->flip;
    for (int g = 0; g < POV_GUIDANCE_COUNT; g++)
        needed |= asking->guidance[g] && pov_guidance_shows((pov_guidance)g);
    return needed;
}

pov_status pov_image_questions_make(pov_image_questions *q, pov_image_asked *asked,
                                    const pov_judged_world *world)
{
    let_go(q);
    *asked = (pov_image_asked){0};
    q->images++;
    q->image_hash = world->hash;
    q->pictures = world->pictures;
    POV_REQUIRE(q->pictures || !needs_pictures(&q->asking));
    q->judged_as_truth = world->judged_as_truth && !world->truth;
    q->world = world;
    choose_views(q, world);
    q->truth_stream = open_memstream(&q->truth_lines, &q->truth_len);
    if (!q->truth_stream)
        return pov_error("questions: out of memory");
    const pov_status status = ask_all(q, world->scene, world->truth);
    keep_view(q, world);
    q->world = NULL;
    POV_TRY(status);
    fflush(q->truth_stream);
    *asked = (pov_image_asked){q->len, q->list, q->truth_lines};
    return pov_ok();
}

void pov_image_questions_warn(const pov_image_questions *q)
{
    for (int b = 0; b < POV_BENCHMARK_COUNT; b++)
        if (q->images > 0 && q->asking.benchmark[b] && q->made[b] == 0)
            pov_cli_warn("none of %s's questions could be asked about the %d image%s: %s",
                         pov_benchmark_name((pov_benchmark)b), q->images, q->images == 1 ? "" : "s",
                         b == POV_BENCHMARK_MINDCUBE
                             ? "it asks about three things on a table that turns by quarters "
                               "(docs/BENCHMARKS.md has one)"
                             : "their scenes do not have what it asks about, or geometry abstains ('pov "
                               "questions SCENE' with '--paper' tells)");
}

/* ---- questions about images of a sweep that is over ---- */

typedef struct {
    const pov_log_folder *folder;
    pov_answer_log *log;
    pov_image_questions *questions;
    pov_scene scene, truth;
    pov_bytes bytes;
    pov_picture_maker *maker;
    pov_question_pictures pictures;
} adding;

/* The scene as it was judged, and as it truly was. */
static pov_status read_scenes(adding *a, pov_judged_world *world, const pov_log_image *image)
{
    *world = (pov_judged_world){
        .scene = &a->scene, .pictures = &a->pictures, .path = image->path, .sha256 = image->sha256};
    POV_TRY(pov_scene_file_parse(&a->scene, "the log's evidence", image->evidence, strlen(image->evidence)));
    const bool draws = pov_picture_maker_is_needed(a->maker);
    if (image->truth || draws)
        POV_TRY(pov_log_folder_load(&a->bytes, a->folder->path, image->path, image->sha256));
    if (draws)
        POV_TRY(pov_picture_maker_make_of(a->maker, &a->pictures, &a->bytes, &a->scene, image->path));
    if (!image->truth)
        return pov_ok();
    POV_TRY(pov_scene_file_parse(&a->truth, "the log's truth", image->truth, strlen(image->truth)));
    world->truth = &a->truth;
    world->hash = pov_vlm_truth_hash(a->bytes.data, a->bytes.length);
    return pov_ok();
}

static pov_status add_to_image(adding *a, int *added, const pov_log_image *image)
{
    pov_judged_world world;
    pov_image_asked asked;
    if (!image->evidence)
        return pov_ok();
    POV_TRY(read_scenes(a, &world, image));
    POV_TRY(pov_image_questions_make(a->questions, &asked, &world));
    POV_TRY(pov_log_folder_append_truth(a->folder, asked.truth_lines));
    return pov_answer_log_add_questions(a->log, added, image->id, asked.questions, asked.len);
}

static pov_status add_to_all_images(adding *a, int *added)
{
    pov_log_image image = {0};
    pov_status status;
    while ((status = pov_answer_log_image(a->log, &image, image.id)).code == POV_OK) {
        int more = 0;
        POV_TRY(add_to_image(a, &more, &image));
        *added += more;
    }
    return status.code == POV_END ? pov_ok() : status;
}

pov_status pov_image_questions_add(int *added, const pov_log_folder *folder, pov_answer_log *log,
                                   const pov_question_choice *asking)
{
    const pov_judging judging = POV_JUDGING_DEFAULT;
    *added = 0;
    adding *a = calloc(1, sizeof *a);
    if (!a)
        return pov_error("sweep: out of memory");
    a->folder = folder;
    a->log = log;
    pov_status status = pov_image_questions_new(&a->questions, asking, &judging);
    POV_THEN(status, pov_picture_maker_new(&a->maker, folder, asking));
    POV_THEN(status, add_to_all_images(a, added));
    if (status.code == POV_OK)
        pov_image_questions_warn(a->questions);
    pov_image_questions_destroy(&a->questions);
    pov_picture_maker_destroy(&a->maker);
    pov_bytes_free(&a->bytes);
    free(a);
    return status;
}
