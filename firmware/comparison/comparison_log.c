#include "firmware/comparison/comparison_log.h"

#include "compare/log/answer_log.h"
#include "compare/vlm/vlm_result.h"
#include "config/files/json_value.h"
#include "config/files/text.h"
#include "firmware/comparison/log_folder.h"
#include "perception/geometry/geom.h"
#include "perception/version.h"

#include <cJSON.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pov_comparison_log {
    pov_log_folder folder;
    pov_answer_log *log;
    int unkept; /* messages since the last write */
};

enum { TOGETHER = 256 }; /* messages of one write at most; chosen: a tenth of a second of them */

/* What was asked here has images and questions of its own, with which copies do not mix. */
static pov_status check_maker(pov_comparison_log *self)
{
    pov_log_run run;
    const pov_status last = pov_answer_log_last_run(self->log, &run);
    if (last.code != POV_OK)
        return last.code == POV_UNDEFINED ? pov_ok() : last;
    cJSON *config = pov_json_parse_text(run.config);
    const bool was_heard = cJSON_HasObjectItem(config, "heard");
    cJSON_Delete(config);
    return was_heard ? pov_ok()
                     : pov_error("%s: is the log of a run itself, not one that 'pov listen --log' or "
                                 "'pov export --log' made; name another folder",
                                 self->folder.path);
}

pov_status pov_comparison_log_new(pov_comparison_log **log, const char *folder)
{
    pov_comparison_log *self = *log = pov_allocate(1, sizeof *self);
    self->folder.lock = -1;
    pov_status status = pov_log_folder_open(&self->folder, folder, "pov listen --log", true);
    POV_THEN(status, pov_answer_log_new(&self->log, self->folder.log_path, POV_LOG_MAY_CREATE));
    POV_THEN(status, check_maker(self));
    if (status.code != POV_OK)
        pov_comparison_log_destroy(log);
    return status;
}

void pov_comparison_log_destroy(pov_comparison_log **log)
{
    if (!*log)
        return;
    pov_answer_log_destroy(&(*log)->log);
    pov_log_folder_close(&(*log)->folder);
    free(*log);
    *log = NULL;
}

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

/* In [0, 360), as logs have it. Degrees that became radians become the same degrees again. */
static double degrees_of(double angle_rad)
{
    const double deg = round(angle_rad / POV_DEG * 1e9) / 1e9;
    return deg < 0 ? deg + 360 : deg;
}

static pov_status need_run(pov_comparison_log *self, int64_t *id, const pov_comparison *c)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "heard", c->run);
    char *config = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    POV_REQUIRE_MEMORY(config);
    pov_log_run run = {
        .started_ns = c->asked_ns, .version = POV_VERSION, .config = config, .simulated = c->simulated};
    const pov_status status = pov_answer_log_need_run(self->log, &run);
    *id = run.id;
    free(config);
    return status;
}

static pov_status need_image(pov_comparison_log *self, int64_t *id, const pov_comparison *c)
{
    pov_log_image image = {.stop = (int)c->image_sequence,
                           .turn_deg = NAN,
                           .phi_deg = degrees_of(c->angle_rad),
                           .curve_deg = degrees_of(c->curve_rad),
                           .name = c->image_name,
                           .path = "",
                           .capture_ns = c->capture_ns};
    if (!pov_text_fits(image.sha256, sizeof image.sha256, c->image_sha256))
        return pov_error("a message's digest of an image is longer than a SHA-256");
    POV_TRY(need_run(self, &image.run, c));
    POV_TRY(pov_answer_log_need_image(self->log, &image));
    *id = image.id;
    return pov_ok();
}

static char *write_golds(const pov_comparison *c)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < c->gold_len; i++) {
        const pov_compared_gold *gold = &c->golds[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "frame", gold->frame);
        cJSON_AddStringToObject(item, "answer", gold->answer);
        if (!isnan(gold->p))
            cJSON_AddNumberToObject(item, "p", gold->p);
        cJSON_AddBoolToObject(item, "sure", gold->sure);
        cJSON_AddBoolToObject(item, "asked", gold->asked);
        cJSON_AddItemToArray(list, item);
    }
    char *text = cJSON_PrintUnformatted(list);
    cJSON_Delete(list);
    return text;
}

/* P(yes) by the gold that is asked for. */
static double p_yes_of(const pov_compared_gold *gold)
{
    if (!gold || !*gold->answer)
        return NAN;
    const bool yes = strcmp(gold->answer, "yes") == 0 || strcmp(gold->answer, "true") == 0;
    return yes ? gold->p : 1 - gold->p;
}

static pov_status need_question(pov_comparison_log *self, int64_t *id, const pov_comparison *c)
{
    const pov_compared_gold *gold = NULL;
    for (int i = 0; i < c->gold_len && !gold; i++)
        gold = c->golds[i].asked ? &c->golds[i] : NULL;
    char *golds = write_golds(c);
    pov_log_question question = {.id = c->question,
                                 .key = c->key,
                                 .paper = c->paper,
                                 .prompt = c->prompt,
                                 .system = or_null(c->system),
                                 .language = c->language,
                                 .form = c->form,
                                 .gold = gold && gold->sure ? or_null(gold->answer) : NULL,
                                 .truth = or_null(c->truth),
                                 .gold_p = p_yes_of(gold),
                                 .golds = golds,
                                 .columns = or_null(c->columns),
                                 .token_max = 1};
    pov_status status = need_image(self, &question.image, c);
    POV_THEN(status, pov_answer_log_need_question(self->log, &question));
    *id = question.id;
    free(golds);
    return status;
}

/* A response that says only how the server calls its model: reports know versions and simulated models by it. */
static char *write_body(const pov_comparison *c)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "model", c->server_model);
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    POV_REQUIRE_MEMORY(text);
    return text;
}

static pov_status add_result(pov_comparison_log *self, const pov_comparison *c, int64_t question)
{
    bool added;
    char *body = write_body(c);
    const bool answered = c->status != POV_COMPARISON_FAILED;
    pov_log_result result = {.question = question,
                             .answered_ns = c->answered_ns,
                             .outcome = answered ? pov_vlm_outcome_name(POV_VLM_ANSWERED) : "failed",
                             .kind = c->reading,
                             .cause = c->cause,
                             .p = c->p,
                             .mass = c->mass,
                             .text = answered ? c->answer : NULL,
                             .body = body,
                             .body_len = strlen(body),
                             .attempts = 1,
                             .latency_ns = c->latency_ns};
    pov_status status = pov_answer_log_model(self->log, &result.model, c->model, "heard");
    POV_THEN(status, pov_answer_log_add_first(self->log, &added, &result));
    free(body);
    return status;
}

pov_status pov_comparison_log_add(pov_comparison_log *self, const pov_comparison *comparison)
{
    int64_t question;
    if (self->unkept == 0)
        POV_TRY(pov_answer_log_begin(self->log));
    self->unkept++;
    pov_status status = need_question(self, &question, comparison);
    if (comparison->status != POV_COMPARISON_ASKED)
        POV_THEN(status, add_result(self, comparison, question));
    if (status.code == POV_OK && self->unkept < TOGETHER)
        return status;
    self->unkept = 0;
    return pov_answer_log_finish(self->log, status);
}

pov_status pov_comparison_log_keep(pov_comparison_log *self)
{
    const bool has_any = self->unkept > 0;
    self->unkept = 0;
    return has_any ? pov_answer_log_finish(self->log, pov_ok()) : pov_ok();
}
