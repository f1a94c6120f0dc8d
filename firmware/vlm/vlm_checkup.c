#include "firmware/vlm/vlm_checkup.h"

#include "compare/vlm/vlm_truth.h"
#include "config/files/utf8.h"
#include "config/files/write_file.h"
#include "firmware/clock.h"
#include "firmware/picture/image_file.h"
#include "firmware/vlm/vlm_picture.h"
#include "perception/geometry/ranked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_PX = 448, HEIGHT_PX = 336 };
static const double SURE = 0.95; /* of the gold: the picture shows it plainly; chosen */

/* ---- pictures of our own ---- */

static const struct {
    const char *prompt;
    bool truth[POV_CANARY_PROBE_COUNT]; /* image, again, blank, mirrored, other */
} own_questions[] = {
    {"Is there a red circle in the image? Answer yes or no.", {true, true, false, true, false}},
    {"Is the red circle to the left of the blue square? Answer yes or no.",
     {true, true, false, false, false}},
    {"Is the blue square to the left of the red circle? Answer yes or no.",
     {false, false, false, true, false}},
    {"Is there a green triangle in the image? Answer yes or no.", {false, false, false, false, true}},
};
enum { OWN_QUESTIONS = sizeof own_questions / sizeof *own_questions };

typedef bool shape(int x_px, int y_px);

static bool is_circle(int x_px, int y_px)
{
    return hypot(x_px - 120, y_px - 190) < 70;
}

static bool is_square(int x_px, int y_px)
{
    return abs(x_px - 330) < 60 && abs(y_px - 200) < 60;
}

static bool is_triangle(int x_px, int y_px)
{
    return y_px > 70 && y_px < 270 && 2 * abs(x_px - WIDTH_PX / 2) < y_px - 70;
}

static void paint_image(uint8_t *pixels, shape *inside, uint8_t red, uint8_t green, uint8_t blue)
{
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++)
            if (inside(x, y))
                memcpy(pixels + 3 * (y * WIDTH_PX + x), (const uint8_t[]){red, green, blue}, 3);
}

/* ---- files ---- */

static pov_status write_and_read(pov_bytes *bytes, const char *folder, const char *name,
                                 const pov_image *image)
{
    char path[POV_PATH_CAPACITY];
    if (snprintf(path, sizeof path, "%s/%s.png", folder, name) >= (int)sizeof path)
        return pov_error("%.100s...: the path is too long", folder);
    POV_TRY(pov_image_file_write_png(path, image));
    return pov_read_file(bytes, path, POV_IMAGE_FILE_BYTES_MAX, "an image");
}

static pov_status derive_prompt(pov_vlm_probes *probes, const char *folder, const pov_image *image)
{
    uint8_t *pixels = malloc(3 * (size_t)image->width_px * (size_t)image->height_px);
    if (!pixels)
        return pov_error("out of memory for an image of %d x %d", image->width_px, image->height_px);
    pov_image probe = *image;
    probe.pixels = pixels;
    probe.stride_bytes = 3 * image->width_px;
    pov_canary_blank(pixels, image);
    pov_status status = write_and_read(&probes->files[POV_CANARY_BLANK], folder, "blank", &probe);
    if (status.code == POV_OK) {
        pov_canary_mirror(pixels, image);
        status = write_and_read(&probes->files[POV_CANARY_MIRRORED], folder, "mirrored", &probe);
    }
    free(pixels);
    return status;
}

pov_status pov_vlm_probes_draw(pov_vlm_probes *probes, const char *folder)
{
    uint8_t pixels[3 * WIDTH_PX * HEIGHT_PX];
    const pov_image image = {
        .pixels = pixels, .width_px = WIDTH_PX, .height_px = HEIGHT_PX, .stride_bytes = 3 * WIDTH_PX};
    memset(pixels, 245, sizeof pixels);
    paint_image(pixels, is_triangle, 30, 150, 60);
    POV_TRY(write_and_read(&probes->files[POV_CANARY_OTHER], folder, "other", &image));
    memset(pixels, 245, sizeof pixels);
    paint_image(pixels, is_circle, 205, 35, 35);
    paint_image(pixels, is_square, 35, 70, 190);
    POV_TRY(write_and_read(&probes->files[POV_CANARY_IMAGE], folder, "image", &image));
    for (int i = 0; i < OWN_QUESTIONS; i++) {
        snprintf(probes->prompts[i], sizeof probes->prompts[i], "%s", own_questions[i].prompt);
        memcpy(probes->truth[i], own_questions[i].truth, sizeof probes->truth[i]);
    }
    probes->question_len = OWN_QUESTIONS;
    probes->has_truth = probes->has_other = true;
    return derive_prompt(probes, folder, &image);
}

pov_status pov_vlm_probes_take(pov_vlm_probes *probes, const char *folder, const char *path,
                               const char *other_path)
{
    pov_image_file *file;
    pov_image image;
    POV_TRY(pov_image_file_new(&file));
    pov_status status = pov_image_file_read(file, &image, path);
    POV_THEN(status,
             pov_read_file(&probes->files[POV_CANARY_IMAGE], path, POV_IMAGE_FILE_BYTES_MAX, "an image"));
    POV_THEN(status, derive_prompt(probes, folder, &image));
    if (status.code == POV_OK && other_path)
        status = pov_image_file_read(file, &image, other_path);
    if (status.code == POV_OK && other_path)
        status =
            pov_read_file(&probes->files[POV_CANARY_OTHER], other_path, POV_IMAGE_FILE_BYTES_MAX, "an image");
    probes->has_other = other_path != NULL;
    pov_image_file_destroy(&file);
    return status;
}

void pov_vlm_probes_free(pov_vlm_probes *probes)
{
    for (int i = 0; i < POV_CANARY_PROBE_COUNT; i++)
        pov_bytes_free(&probes->files[i]);
}

static pov_vlm_image image_of_probe(const pov_vlm_probes *probes, pov_canary_probe probe)
{
    const pov_bytes *file = &probes->files[probe == POV_CANARY_AGAIN ? POV_CANARY_IMAGE : probe];
    const bool png = file->length > 0 && file->data[0] == 0x89;
    return (pov_vlm_image){
        .bytes = file->data, .len = file->length, .media_type = png ? "image/png" : "image/jpeg"};
}

/* ---- truth ---- */

static pov_status write_lines(FILE *stream, const pov_vlm_probes *probes)
{
    for (int i = 0; i < probes->question_len; i++)
        for (int probe = 0; probe < POV_CANARY_PROBE_COUNT; probe++) {
            const pov_bytes *file = &probes->files[probe];
            char *line;
            if (file->length == 0)
                continue;
            const pov_vlm_truth truth = {
                .image = pov_vlm_truth_hash(file->data, file->length),
                .prompt = probes->prompts[i],
                .gold_len = 1,
                .golds = {{"egocentric", probes->truth[i][probe] ? SURE : 1 - SURE, NULL}}};
            POV_TRY(pov_vlm_truth_line(&line, &truth));
            fputs(line, stream);
            free(line);
        }
    return pov_ok();
}

pov_status pov_vlm_probes_write_truth(const pov_vlm_probes *probes, const char *folder)
{
    char path[POV_PATH_CAPACITY];
    pov_write_file file;
    POV_REQUIRE(probes->has_truth);
    if (snprintf(path, sizeof path, "%s/" POV_VLM_TRUTH_FILE, folder) >= (int)sizeof path)
        return pov_error("%.100s...: the path is too long", folder);
    POV_TRY(pov_write_file_begin(&file, path));
    return pov_write_file_end(&file, write_lines(file.stream, probes));
}

/* ---- one server ---- */

enum { ATTEMPTS = 2, WAIT_MS = 50, RESULT_MAX = POV_PROBE_QUESTION_MAX * POV_CANARY_PROBE_COUNT };

typedef struct {
    const pov_vlm_config *config;
    const pov_vlm_probes *probes;
    pov_vlm_picture *picture; /* makes of images what the server gets in a sweep, too */
    pov_vlm_checkup *checkup;
    pov_canary_answers answers[POV_PROBE_QUESTION_MAX];
    double latencies_s[RESULT_MAX], mass_sum;
    int latency_len, mass_len;
    bool hopeless; /* the server will answer nothing more */
} examination;

static void note_cause(pov_vlm_checkup *checkup, const char *cause)
{
    if (checkup->cause[0] == '\0')
        snprintf(checkup->cause, sizeof checkup->cause, "%s", cause);
}

static void note_mass(examination *e, double mass)
{
    if (isnan(mass))
        return;
    e->mass_sum += mass;
    e->mass_len++;
    e->checkup->mass_min =
        fmin(e->checkup->mass_min, mass); /* of a NaN and a number, fmin takes the number */
}

static void note_result(examination *e, const pov_vlm_result *result)
{
    const int question = (int)result->ticket / POV_CANARY_PROBE_COUNT;
    const int probe = (int)result->ticket % POV_CANARY_PROBE_COUNT;
    const pov_yes_no_rule rule = {&POV_YES_NO_ENGLISH_TOKENS, &POV_YES_NO_ENGLISH, e->config->mass_min};
    pov_yes_no score;
    e->hopeless = e->hopeless || result->hopeless;
    if (result->outcome != POV_VLM_ANSWERED) {
        note_cause(e->checkup, result->cause);
        return;
    }
    pov_yes_no_read(&score, &result->answer, &rule);
    if (e->checkup->answered++ == 0)
        pov_utf8_shorten(e->checkup->reply, sizeof e->checkup->reply, result->answer.text);
    e->checkup->kinds[score.kind]++;
    e->answers[question].p[probe] = score.p;
    e->latencies_s[e->latency_len++] = (double)result->latency_ns * 1e-9;
    snprintf(e->checkup->model, sizeof e->checkup->model, "%s", result->answer.model);
    note_mass(e, score.mass);
    if (score.kind == POV_YES_NO_TEXT)
        snprintf(e->checkup->words_cause, sizeof e->checkup->words_cause, "%s", score.cause);
    if (!pov_yes_no_is_scored(&score))
        note_cause(e->checkup, score.cause);
    else if (e->probes->has_truth)
        e->checkup->right += (score.p > 0.5) == e->probes->truth[question][probe];
}

static bool wants_more(void *user, uint64_t ticket, const pov_vlm_answer *answer)
{
    const examination *e = user;
    const pov_yes_no_rule rule = {&POV_YES_NO_ENGLISH_TOKENS, &POV_YES_NO_ENGLISH, e->config->mass_min};
    pov_yes_no score;
    (void)ticket;
    pov_yes_no_read(&score, answer, &rule);
    return score.kind == POV_YES_NO_UNCLEAR || score.kind == POV_YES_NO_MISSING;
}

/** POV_TIMEOUT: there was nothing to note. */
static pov_status fetch_answer(examination *e, pov_vlm_client *client)
{
    pov_vlm_result result;
    const pov_status status = pov_vlm_client_next(client, &result, pov_clock_monotonic_ns(), WAIT_MS);
    if (status.code == POV_OK)
        note_result(e, &result);
    return status;
}

static pov_status convert_image(examination *e, pov_vlm_image *image)
{
    pov_vlm_sent sent;
    POV_TRY(pov_vlm_picture_make(e->picture, &sent, image->bytes, image->len));
    *image = sent.image;
    return pov_ok();
}

static pov_status ask_probe(examination *e, pov_vlm_client *client, int ticket)
{
    const int probe = ticket % POV_CANARY_PROBE_COUNT;
    pov_vlm_question question =
        pov_vlm_config_question(e->config, e->probes->prompts[ticket / POV_CANARY_PROBE_COUNT]);
    question.image = image_of_probe(e->probes, (pov_canary_probe)probe);
    if (question.image.len == 0)
        return pov_ok();
    pov_status status = convert_image(e, &question.image);
    if (status.code != POV_OK)
        return status;
    while ((status = pov_vlm_client_ask(client, (uint64_t)ticket, &question)).code == POV_TIMEOUT) {
        status = fetch_answer(e, client);
        if (status.code == POV_ERROR)
            return status;
    }
    e->checkup->asked += status.code == POV_OK;
    return status;
}

static pov_status fetch_all(examination *e, pov_vlm_client *client, bool (*stop)(void))
{
    while (!stop() && !e->hopeless) {
        const pov_status status = fetch_answer(e, client);
        if (status.code == POV_END)
            return pov_ok();
        if (status.code == POV_ERROR)
            return status;
    }
    return pov_ok();
}

/* A server that does not answer the first question is not asked the others. */
static pov_status ask_all(examination *e, pov_vlm_client *client, bool (*stop)(void))
{
    pov_status status = ask_probe(e, client, 0);
    const int count = e->probes->question_len * POV_CANARY_PROBE_COUNT;
    if (status.code == POV_OK)
        POV_TRY(fetch_all(e, client, stop));
    for (int ticket = 1;
         ticket < count && status.code == POV_OK && e->checkup->answered > 0 && !e->hopeless && !stop();
         ticket++)
        status = ask_probe(e, client, ticket);
    if (status.code == POV_ERROR)
        return status;
    if (status.code == POV_END)
        note_cause(e->checkup, status.message);
    return fetch_all(e, client, stop);
}

static void sum_up(examination *e)
{
    pov_vlm_checkup *checkup = e->checkup;
    if (e->latency_len > 0) {
        checkup->latency_median_s = pov_median(e->latencies_s, e->latency_len);
        checkup->latency_max_s = pov_ranked(e->latencies_s, e->latency_len, e->latency_len - 1);
    }
    if (e->mass_len > 0)
        checkup->mass_mean = e->mass_sum / e->mass_len;
    pov_canary_judge(&checkup->canary, e->answers, e->probes->question_len,
                     (const bool[]){true, true, true, true, e->probes->has_other});
}

pov_status pov_vlm_checkup_run(pov_vlm_checkup *checkup, const pov_vlm_config *config, int endpoint,
                               const pov_vlm_probes *probes, bool (*stop)(void))
{
    pov_vlm_client *client;
    pov_vlm_client_config alone = config->client;
    examination e = {.config = config, .probes = probes, .checkup = checkup};
    *checkup =
        (pov_vlm_checkup){.mass_mean = NAN, .mass_min = NAN, .latency_median_s = NAN, .latency_max_s = NAN};
    for (int i = 0; i < POV_PROBE_QUESTION_MAX; i++)
        for (int probe = 0; probe < POV_CANARY_PROBE_COUNT; probe++)
            e.answers[i].p[probe] = NAN;
    alone.endpoints[0] = config->client.endpoints[endpoint];
    alone.endpoint_len = 1;
    alone.attempt_max = alone.attempt_max < ATTEMPTS ? alone.attempt_max : ATTEMPTS;
    alone.wants_more = wants_more;
    alone.wants_more_user = &e;
    POV_TRY(pov_vlm_client_new(&client, &alone));
    pov_status status = pov_vlm_picture_new(&e.picture, &config->images[endpoint]);
    POV_THEN(status, ask_all(&e, client, stop));
    checkup->totals = pov_vlm_client_totals(client);
    pov_vlm_client_destroy(&client);
    pov_vlm_picture_destroy(&e.picture);
    sum_up(&e);
    return status;
}

bool pov_vlm_checkup_is_well(const pov_vlm_checkup *checkup)
{
    return checkup->answered > 0 &&
           (checkup->canary.verdict == POV_CANARY_LOOKS || checkup->canary.verdict == POV_CANARY_BARELY);
}
