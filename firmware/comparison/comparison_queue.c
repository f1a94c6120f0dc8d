#include "firmware/comparison/comparison_queue.h"

#include "compare/questions/prompt_condition.h"
#include "compare/vlm/answer_form.h"
#include "config/files/json_value.h"
#include "config/files/utf8.h"
#include "firmware/clock.h"
#include "perception/geometry/geom.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAITING_BYTES_MAX = 16 << 20 };

typedef struct waiting_message waiting_message;
struct waiting_message {
    waiting_message *next;
    size_t len;
    uint8_t bytes[];
};

struct pov_comparison_queue {
    pov_heard_words *words;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    waiting_message *first, **end;
    size_t waiting_bytes;
    bool stopped;
    bool has_scene; /* of the newest image of a live run, as the next two */
    int64_t capture_ns;
    double turned_rad;
    int agreement_len;
    bool agreements_truncated;
    pov_running_agreement agreements[POV_RUNNING_AGREEMENT_MAX];
};

struct pov_comparison_teller {
    pov_comparison_queue *queue; /* borrowed */
    pov_codec *codec;
    char run[POV_DIGEST_CAPACITY], *model;
    bool simulated;
};

pov_status pov_comparison_queue_new(pov_comparison_queue **queue)
{
    pov_comparison_queue *self = *queue = pov_allocate(1, sizeof *self);
    self->end = &self->first;
    self->words = pov_heard_words_new();
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    return pov_ok();
}

void pov_comparison_queue_destroy(pov_comparison_queue **queue)
{
    pov_comparison_queue *self = *queue;
    if (self == NULL)
        return;
    for (waiting_message *next, *message = self->first; message; message = next) {
        next = message->next;
        free(message);
    }
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    pov_heard_words_destroy(&self->words);
    free(self);
    *queue = NULL;
}

pov_status pov_comparison_teller_new(pov_comparison_teller **teller, pov_comparison_queue *queue,
                                     const pov_log_run *run, const char *model)
{
    pov_comparison_teller *self = *teller = pov_allocate(1, sizeof *self);
    self->queue = queue;
    memcpy(self->run, run->config_hash, sizeof self->run);
    self->simulated = run->simulated;
    self->model = strdup(model);
    POV_REQUIRE_MEMORY(self->model);
    const pov_status status = pov_codec_new(&self->codec);
    if (status.code != POV_OK)
        pov_comparison_teller_destroy(teller);
    return status;
}

void pov_comparison_teller_destroy(pov_comparison_teller **teller)
{
    pov_comparison_teller *self = *teller;
    if (self == NULL)
        return;
    pov_codec_destroy(&self->codec);
    free(self->model);
    free(self);
    *teller = NULL;
}

void pov_comparison_queue_note_scene(pov_comparison_queue *self, int64_t capture_ns, double turned_rad)
{
    pthread_mutex_lock(&self->lock);
    self->has_scene = true;
    self->capture_ns = capture_ns;
    self->turned_rad = turned_rad;
    pthread_mutex_unlock(&self->lock);
}

pov_heard_words *pov_comparison_queue_words(pov_comparison_queue *self)
{
    return self->words;
}

void pov_comparison_teller_speak(pov_comparison_teller *self, int64_t question, const char *prompt,
                                 const pov_vlm_words *words)
{
    pov_heard_words_note(self->queue->words, self->model, question, prompt, words);
}

void pov_comparison_teller_fall_silent(pov_comparison_teller *self, int64_t question)
{
    pov_heard_words_end(self->queue->words, self->model, question);
}

/* -------- putting in -------- */

static void put_message(pov_comparison_queue *self, const uint8_t *bytes, size_t len)
{
    waiting_message *message = malloc(sizeof *message + len);
    POV_REQUIRE_MEMORY(message);
    *message = (waiting_message){.len = len};
    memcpy(message->bytes, bytes, len);
    pthread_mutex_lock(&self->lock);
    while (self->waiting_bytes > WAITING_BYTES_MAX && !self->stopped)
        pthread_cond_wait(&self->changed, &self->lock);
    *self->end = message;
    self->end = &message->next;
    self->waiting_bytes += len;
    pthread_mutex_unlock(&self->lock);
}

static pov_status send_comparison(pov_comparison_teller *self, const uint8_t **bytes, size_t *len,
                                  const pov_comparison *comparison)
{
    POV_TRY(pov_codec_encode_comparison(self->codec, bytes, len, comparison));
    put_message(self->queue, *bytes, *len);
    return pov_ok();
}

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

pov_status pov_comparison_read_golds(pov_comparison *comparison, const cJSON *list)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        if (comparison->gold_len == POV_COMPARED_GOLD_MAX)
            return pov_error("question '%s' has more than %d golds", comparison->key, POV_COMPARED_GOLD_MAX);
        comparison->golds[comparison->gold_len++] =
            (pov_compared_gold){.frame = pov_json_text_of(item, "frame"),
                                .answer = pov_json_text_of(item, "answer"),
                                .p = pov_json_number_of(item, "p"),
                                .sure = cJSON_IsTrue(cJSON_GetObjectItem(item, "sure")),
                                .asked = cJSON_IsTrue(cJSON_GetObjectItem(item, "asked"))};
    }
    return pov_ok();
}

pov_status pov_comparison_teller_ask(pov_comparison_teller *self, pov_comparison_asked *asked,
                                     const pov_comparison_request *request)
{
    const pov_log_question *question = request->question;
    const pov_log_image_file *image = request->image;
    const pov_vlm_sent *sent = request->sent;
    const pov_comparison_moment *moment = request->moment;
    const uint8_t *bytes;
    size_t len;
    pov_comparison comparison = {.run = self->run,
                                 .question = question->id,
                                 .key = question->key,
                                 .image_name = text_or_empty(image->name),
                                 .image_sequence = moment ? moment->sequence : (uint32_t)image->stop,
                                 .capture_ns = image->capture_ns,
                                 .image_sha256 = text_or_empty(image->sha256),
                                 .sent_sha256 = sent->sha256,
                                 .sent_format = text_or_empty(sent->image.media_type),
                                 .sent_width_px = sent->width_px,
                                 .sent_height_px = sent->height_px,
                                 .sent_quality = sent->quality,
                                 .sent_detail = text_or_empty(sent->image.detail),
                                 .prompt = question->prompt,
                                 .system = text_or_empty(request->system),
                                 .language = text_or_empty(question->language),
                                 .paper = text_or_empty(question->paper),
                                 .columns = text_or_empty(question->columns),
                                 .form = text_or_empty(question->form),
                                 .model = self->model,
                                 .server_model = "",
                                 .cause = "",
                                 .answer = "",
                                 .reading = "",
                                 .p = NAN,
                                 .mass = NAN,
                                 .occasion = moment ? moment->occasion : "",
                                 .angle_rad =
                                     moment ? moment->angle_rad : pov_angle_wrap(image->phi_deg * POV_DEG),
                                 .moved_on_s = NAN,
                                 .turned_on_rad = NAN,
                                 .guidance = "",
                                 .truth = text_or_empty(question->truth),
                                 .curve_rad = pov_angle_wrap(image->curve_deg * POV_DEG),
                                 .status = POV_COMPARISON_ASKED,
                                 .asked_ns = pov_clock_unix_ns(),
                                 .simulated = self->simulated};
    cJSON *columns = question->columns ? pov_json_parse_text(question->columns) : NULL;
    comparison.guided =
        pov_json_text_of(columns, pov_prompt_condition_kind_name(POV_PROMPT_CONDITION_GUIDED));
    comparison.prompting =
        pov_json_text_of(columns, pov_prompt_condition_kind_name(POV_PROMPT_CONDITION_PROMPTING));
    comparison.system_name =
        pov_json_text_of(columns, pov_prompt_condition_kind_name(POV_PROMPT_CONDITION_SYSTEM));
    comparison.order = pov_json_text_of(columns, pov_prompt_condition_kind_name(POV_PROMPT_CONDITION_ORDER));
    comparison.circular =
        pov_json_text_of(columns, pov_prompt_condition_kind_name(POV_PROMPT_CONDITION_CIRCULAR));
    comparison.flip = pov_json_text_of(columns, pov_prompt_condition_kind_name(POV_PROMPT_CONDITION_FLIP));
    comparison.second_sha256 = pov_json_text_of(columns, "second_sha256");
    cJSON *golds = question->golds ? pov_json_parse_text(question->golds) : NULL;
    pov_status status = pov_comparison_read_golds(&comparison, golds);
    POV_THEN(status, send_comparison(self, &bytes, &len, &comparison));
    cJSON_Delete(golds);
    cJSON_Delete(columns);
    POV_TRY(status);
    *asked = (pov_comparison_asked){
        .bytes = malloc(len), .is_live = moment != NULL, .turned_rad = moment ? moment->turned_rad : NAN};
    POV_REQUIRE_MEMORY(asked->bytes);
    memcpy(asked->bytes, bytes, len);
    asked->len = len;
    return pov_ok();
}

pov_comparison_status pov_comparison_status_of(const pov_log_result *result)
{
    if (strcmp(result->outcome, pov_vlm_outcome_name(POV_VLM_ANSWERED)) != 0)
        return POV_COMPARISON_FAILED;
    if (strcmp(result->kind, "refused") == 0)
        return POV_COMPARISON_REFUSED;
    return strcmp(result->kind, "low_mass") == 0 || strcmp(result->kind, "unclear") == 0 ||
                   strcmp(result->kind, "missing") == 0
               ? POV_COMPARISON_UNSCORED
               : POV_COMPARISON_ANSWERED;
}

static bool is_yes_no(const pov_comparison *comparison)
{
    return strcmp(comparison->form, "yes_no") == 0 || strcmp(comparison->form, "true_false") == 0;
}

/* By the reading that its form has. */
static pov_agreement agreement_of_words(const pov_comparison *comparison, const char *gold)
{
    static const pov_agreement agreements[] = {[POV_MATCH_UNREAD] = POV_AGREEMENT_UNKNOWN,
                                               [POV_MATCH_SAME] = POV_AGREES,
                                               [POV_MATCH_OTHER] = POV_DISAGREES};
    return comparison->status != POV_COMPARISON_ANSWERED
               ? POV_AGREEMENT_UNKNOWN
               : agreements[pov_answer_form_match(comparison->form, comparison->columns, comparison->answer,
                                                  gold)];
}

pov_agreement pov_comparison_agrees(const pov_compared_gold *gold, double p)
{
    if (!gold->sure || isnan(p) || p == 0.5)
        return POV_AGREEMENT_UNKNOWN;
    const bool says_yes = p > 0.5;
    if (strcmp(gold->answer, "yes") == 0 || strcmp(gold->answer, "true") == 0)
        return says_yes ? POV_AGREES : POV_DISAGREES;
    if (strcmp(gold->answer, "no") == 0 || strcmp(gold->answer, "false") == 0)
        return says_yes ? POV_DISAGREES : POV_AGREES;
    return POV_AGREEMENT_UNKNOWN;
}

static pov_agreement agreement_with(const pov_comparison *comparison, const pov_compared_gold *gold)
{
    return gold->sure && !is_yes_no(comparison) ? agreement_of_words(comparison, gold->answer)
                                                : pov_comparison_agrees(gold, comparison->p);
}

pov_agreement pov_comparison_agreement(const pov_comparison *comparison)
{
    pov_agreement agreement = POV_AGREEMENT_UNKNOWN;
    for (int i = 0; i < comparison->gold_len && agreement == POV_AGREEMENT_UNKNOWN; i++)
        if (comparison->golds[i].asked)
            agreement = agreement_with(comparison, &comparison->golds[i]);
    return agreement;
}

/* -------- the running agreement -------- */

/* "comfort cam en" */
static void describe_condition(char text[POV_CONDITION_CAPACITY], const pov_comparison *comparison)
{
    static const char *const keys[] = {"prompt", "task", "question"};
    cJSON *columns = pov_json_parse_text(comparison->columns);
    const char *what = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !what; i++)
        what = cJSON_GetStringValue(cJSON_GetObjectItem(columns, keys[i]));
    char whole[256];
    snprintf(whole, sizeof whole, "%.80s%s%.80s %.80s", comparison->paper, what ? " " : "", what ? what : "",
             comparison->language);
    pov_utf8_shorten(text, POV_CONDITION_CAPACITY, whole);
    cJSON_Delete(columns);
}

static void count_agreement(pov_comparison_queue *self, const pov_running_agreement *of, bool agrees)
{
    int i = 0;
    while (i < self->agreement_len && (strcmp(self->agreements[i].model, of->model) != 0 ||
                                       strcmp(self->agreements[i].frame, of->frame) != 0 ||
                                       strcmp(self->agreements[i].condition, of->condition) != 0))
        i++;
    if (i == POV_RUNNING_AGREEMENT_MAX) {
        self->agreements_truncated = true;
        return;
    }
    if (i == self->agreement_len) {
        self->agreements[i] = *of;
        self->agreement_len++;
    }
    self->agreements[i].compared++;
    self->agreements[i].agreed += agrees;
}

static void count_agreements(pov_comparison_queue *self, const pov_comparison *comparison)
{
    pov_running_agreement of = {.compared = 0};
    pov_utf8_shorten(of.model, sizeof of.model, comparison->model);
    describe_condition(of.condition, comparison);
    pthread_mutex_lock(&self->lock);
    for (int i = 0; i < comparison->gold_len; i++) {
        const pov_agreement agreement = agreement_with(comparison, &comparison->golds[i]);
        pov_utf8_shorten(of.frame, sizeof of.frame, comparison->golds[i].frame);
        if (agreement != POV_AGREEMENT_UNKNOWN)
            count_agreement(self, &of, agreement == POV_AGREES);
    }
    pthread_mutex_unlock(&self->lock);
}

void pov_comparison_queue_agreements(pov_comparison_queue *self, pov_health *health)
{
    pthread_mutex_lock(&self->lock);
    health->agreement_len = self->agreement_len;
    health->agreements_truncated = self->agreements_truncated;
    memcpy(health->agreements, self->agreements, (size_t)self->agreement_len * sizeof *self->agreements);
    pthread_mutex_unlock(&self->lock);
}

/* -------- the answer -------- */

/* By how much the scene has moved on since the image. */
static void tell_delay(pov_comparison_queue *self, pov_comparison *comparison,
                       const pov_comparison_asked *asked)
{
    pthread_mutex_lock(&self->lock);
    if (asked->is_live && self->has_scene) {
        comparison->moved_on_s = 1e-9 * (double)(self->capture_ns - comparison->capture_ns);
        comparison->turned_on_rad = self->turned_rad - asked->turned_rad;
    }
    pthread_mutex_unlock(&self->lock);
}

pov_status pov_comparison_teller_answer(pov_comparison_teller *self, pov_comparison_asked *asked,
                                        const pov_log_result *result, const char *server_model)
{
    pov_message message = {.observation = NULL};
    const uint8_t *bytes;
    size_t len;
    pov_status status = pov_codec_decode(self->codec, &message, asked->bytes, asked->len);
    if (status.code == POV_OK) {
        pov_comparison *comparison = &message.comparison;
        comparison->status = pov_comparison_status_of(result);
        comparison->server_model = server_model;
        comparison->cause = text_or_empty(result->cause);
        comparison->answer = text_or_empty(result->text);
        comparison->guidance = text_or_empty(result->guidance);
        comparison->reading = text_or_empty(result->kind);
        comparison->p = result->p;
        comparison->mass = result->mass;
        comparison->is_answered = true;
        comparison->answered_ns = result->answered_ns;
        comparison->latency_ns = result->latency_ns;
        comparison->has_first_token = result->first_token_ns != 0;
        comparison->first_token_ns = result->first_token_ns;
        comparison->agreement = pov_comparison_agreement(comparison);
        tell_delay(self->queue, comparison, asked);
        count_agreements(self->queue, comparison);
        status = send_comparison(self, &bytes, &len, comparison);
    }
    free(asked->bytes);
    *asked = (pov_comparison_asked){.bytes = NULL};
    return status;
}

/* -------- taking out -------- */

bool pov_comparison_queue_take(pov_comparison_queue *self, uint8_t **bytes, size_t *len)
{
    pthread_mutex_lock(&self->lock);
    waiting_message *message = self->first;
    if (message != NULL) {
        self->first = message->next;
        if (self->first == NULL)
            self->end = &self->first;
        self->waiting_bytes -= message->len;
        pthread_cond_broadcast(&self->changed);
    }
    pthread_mutex_unlock(&self->lock);
    if (message == NULL)
        return false;
    *len = message->len;
    *bytes = malloc(message->len);
    POV_REQUIRE_MEMORY(*bytes);
    memcpy(*bytes, message->bytes, message->len);
    free(message);
    return true;
}

void pov_comparison_queue_stop(pov_comparison_queue *self)
{
    pthread_mutex_lock(&self->lock);
    self->stopped = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}
