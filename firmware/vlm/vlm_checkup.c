#include "firmware/vlm/vlm_checkup.h"

#include "firmware/clock.h"
#include "perception/geometry/ranked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 2, WAIT_MS = 50, RESULT_MAX = POV_PROBE_QUESTION_MAX * POV_CANARY_PROBE_COUNT };

typedef struct {
    const pov_vlm_config *config;
    const pov_vlm_probes *probes;
    pov_vlm_checkup *checkup;
    pov_canary_answers answers[POV_PROBE_QUESTION_MAX];
    double latencies_s[RESULT_MAX], mass_sum;
    int latency_len, mass_len;
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
    if (result->outcome != POV_VLM_ANSWERED) {
        note_cause(e->checkup, result->cause);
        return;
    }
    pov_yes_no_read(&score, &result->answer, &rule);
    e->checkup->answered++;
    e->checkup->kinds[score.kind]++;
    e->answers[question].p[probe] = score.p;
    e->latencies_s[e->latency_len++] = (double)result->latency_ns * 1e-9;
    snprintf(e->checkup->model, sizeof e->checkup->model, "%s", result->answer.model);
    note_mass(e, score.mass);
    if (!pov_yes_no_is_scored(&score))
        note_cause(e->checkup, score.cause);
    else if (e->probes->has_truth)
        e->checkup->right += (score.p > 0.5) == e->probes->truth[question][probe];
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

static pov_status ask_probe(examination *e, pov_vlm_client *client, int ticket)
{
    const int probe = ticket % POV_CANARY_PROBE_COUNT;
    pov_vlm_question question =
        pov_vlm_config_question(e->config, e->probes->prompts[ticket / POV_CANARY_PROBE_COUNT]);
    question.image = pov_vlm_probes_image(e->probes, (pov_canary_probe)probe);
    if (question.image.len == 0)
        return pov_ok();
    pov_status status;
    while ((status = pov_vlm_client_ask(client, (uint64_t)ticket, &question)).code == POV_TIMEOUT) {
        status = fetch_answer(e, client);
        if (status.code == POV_ERROR)
            return status;
    }
    e->checkup->asked += status.code == POV_OK;
    return status;
}

static pov_status ask_all(examination *e, pov_vlm_client *client, bool (*stop)(void))
{
    pov_status status = pov_ok();
    const int count = e->probes->question_len * POV_CANARY_PROBE_COUNT;
    for (int ticket = 0; ticket < count && status.code == POV_OK && !stop(); ticket++)
        status = ask_probe(e, client, ticket);
    if (status.code == POV_END)
        note_cause(e->checkup, status.message);
    while (status.code != POV_ERROR && !stop()) {
        status = fetch_answer(e, client);
        if (status.code == POV_END)
            return pov_ok();
    }
    return status.code == POV_ERROR ? status : pov_ok();
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
    POV_TRY(pov_vlm_client_new(&client, &alone));
    const pov_status status = ask_all(&e, client, stop);
    checkup->totals = pov_vlm_client_totals(client);
    pov_vlm_client_destroy(&client);
    sum_up(&e);
    return status;
}

bool pov_vlm_checkup_is_well(const pov_vlm_checkup *checkup)
{
    return checkup->answered > 0 &&
           (checkup->canary.verdict == POV_CANARY_LOOKS || checkup->canary.verdict == POV_CANARY_BARELY);
}
