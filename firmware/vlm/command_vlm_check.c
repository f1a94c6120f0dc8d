#include "config/files/json_value.h"
#include "config/files/text.h"
#include "firmware/commands.h"
#include "firmware/vlm/vlm_checkup.h"
#include "firmware/vlm/vlm_open.h"

#include <cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_MAX_BYTES = 1024, PATH_ROOM = 32 /* for the name of a picture */ };

typedef struct {
    int len;
    const char *texts[POV_PROBE_QUESTION_MAX];
} probe_questions;

typedef struct {
    const char *servers, *model, *image, *other, *save;
    probe_questions questions;
    bool only_save, json;
} check_options;

static pov_option_take take_question;
static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_TEXT(check_options, model, "model", "NAME", "the model at that URL"),
    POV_PATH(check_options, image, "image", "FILE",
             "your own image instead of the built-in pictures (PNG or JPEG)", .with = "question"),
    POV_PATH(check_options, other, "other", "FILE", "with --image: another one, such as from another angle",
             .with = "image"),
    POV_TAKEN(check_options, questions, "question", "TEXT", take_question,
              "with --image: a yes-no question in English; up to 8", .with = "image"),
    POV_PATH(check_options, save, "save", "DIR",
             "keep the images, and the truth of the built-in ones, for pov vlm-sim"),
    POV_FLAG(check_options, only_save, "only-save", "with --save: ask no server", .with = "save"),
    POV_FLAG(check_options, json, "json", "one JSON object for each server"),
    POV_OPTIONS_END,
};

const pov_command pov_command_vlm_check = {
    .name = "vlm check",
    .summary = "try each server: does it look at the image at all?",
    .run = run,
    .usage = "FILE.yaml|URL [OPTIONS]",
    .about = "Tries each server of the section 'vlm:', or that at the URL, with a few questions about "
             "pictures: is it there, does it give probabilities, does it look at the image at all, how fast "
             "is it, what does it cost? Each question is put with an image, the same again, a blank one, its "
             "mirror image and another.",
    .options = option_table,
    .words = {.max = 1, .wanted = "name one file with the section 'vlm:', or a URL up to /v1"},
    .examples = "pov vlm check station.yaml\n"
                "pov vlm check http://localhost:8000/v1 --model llava\n"
                "pov vlm check vlm.yaml --image a.png --question 'Is the ball left of the car?'",
    .exits = "0 all is well; 1 a server does not answer, gives nothing to score, or ignores the image",
};

/* ---- telling, in words ---- */

static void tell_scoring(const pov_vlm_checkup *c)
{
    if (c->kinds[POV_YES_NO_TOKENS] + c->kinds[POV_YES_NO_LOW_MASS] > 0)
        printf("  probabilities  given; yes and no have %.3f on average, %.3f at least\n", c->mass_mean,
               c->mass_min);
    else if (c->words_cause[0])
        printf("  probabilities  not used: %s\n", c->words_cause);
    else
        printf("  probabilities  none; scored from words\n");
    printf("  scored         %d from probabilities, %d from words; not scored: %d refused, %d low mass, %d "
           "unclear, %d empty\n",
           c->kinds[POV_YES_NO_TOKENS], c->kinds[POV_YES_NO_TEXT], c->kinds[POV_YES_NO_REFUSED],
           c->kinds[POV_YES_NO_LOW_MASS], c->kinds[POV_YES_NO_UNCLEAR], c->kinds[POV_YES_NO_MISSING]);
}

static const char *const meanings[] = {"looks at the image", "hardly looks at the image",
                                       "DOES NOT LOOK at the image",
                                       "cannot be told to look: too few answers could be scored"};
_Static_assert(sizeof meanings / sizeof *meanings == POV_CANARY_VERDICT_COUNT, "a meaning for each");

static void tell_canary(const pov_canary_result *canary)
{
    printf("  image          %s\n", meanings[canary->verdict]);
    for (int probe = POV_CANARY_AGAIN; probe < POV_CANARY_PROBE_COUNT; probe++)
        if (!isnan(canary->change[probe]) || canary->lost[probe])
            printf("    %-9s    P(yes) moves by %.3f on average, %.3f at most; no longer scored: %d\n",
                   POV_CANARY_PROBE_NAMES[probe], canary->change[probe], canary->largest[probe],
                   canary->lost[probe]);
}

static void print_result(const pov_vlm_endpoint *endpoint, const pov_vlm_checkup *c,
                         const pov_vlm_probes *probes)
{
    printf("%s  %s\n", endpoint->url, endpoint->model);
    printf("  answered       %d of %d", c->answered, c->asked);
    if (c->answered > 0)
        printf(", by %s; %.3g s median, %.3g s longest", c->model[0] ? c->model : "?", c->latency_median_s,
               c->latency_max_s);
    putchar('\n');
    if (c->answered > 0) {
        printf("  first reply    '%s', to: %s\n", c->reply, probes->prompts[0]);
        tell_scoring(c);
        if (probes->has_truth)
            printf("  right          %d of %d\n", c->right,
                   c->kinds[POV_YES_NO_TOKENS] + c->kinds[POV_YES_NO_TEXT]);
        tell_canary(&c->canary);
        printf("  used           %lld tokens of prompts, %lld of answers%s; cost %.6g\n",
               (long long)c->totals.prompt_tokens, (long long)c->totals.answer_tokens,
               c->totals.without_usage ? " (not always told)" : "", c->totals.cost);
    }
    if (c->cause[0])
        printf("  first failure  %s\n", c->cause);
}

/* ---- telling, as JSON ---- */

static void add_canary(cJSON *root, const pov_canary_result *canary)
{
    cJSON *object = cJSON_AddObjectToObject(root, "canary");
    cJSON_AddStringToObject(object, "verdict", POV_CANARY_VERDICT_NAMES[canary->verdict]);
    cJSON_AddStringToObject(object, "meaning", meanings[canary->verdict]);
    cJSON_AddNumberToObject(object, "questions", canary->questions);
    cJSON_AddNumberToObject(object, "scored", canary->scored);
    for (int probe = POV_CANARY_AGAIN; probe < POV_CANARY_PROBE_COUNT; probe++) {
        cJSON *figures = cJSON_AddObjectToObject(object, POV_CANARY_PROBE_NAMES[probe]);
        pov_json_add_number(figures, "change_mean", canary->change[probe]);
        pov_json_add_number(figures, "change_max", canary->largest[probe]);
        cJSON_AddNumberToObject(figures, "lost", canary->lost[probe]);
    }
}

static void tell_json(const pov_vlm_endpoint *endpoint, const pov_vlm_checkup *c,
                      const pov_vlm_probes *probes)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "url", endpoint->url);
    cJSON_AddStringToObject(root, "model", endpoint->model);
    cJSON_AddStringToObject(root, "served_model", c->model);
    cJSON_AddBoolToObject(root, "well", pov_vlm_checkup_is_well(c));
    cJSON_AddStringToObject(root, "question", probes->prompts[0]);
    cJSON_AddStringToObject(root, "reply", c->reply);
    cJSON_AddNumberToObject(root, "asked", c->asked);
    cJSON_AddNumberToObject(root, "answered", c->answered);
    pov_json_add_number(root, "right", probes->has_truth ? c->right : NAN);
    cJSON *scored = cJSON_AddObjectToObject(root, "scored");
    for (int i = 0; i < POV_YES_NO_KINDS; i++)
        cJSON_AddNumberToObject(scored, pov_yes_no_kind_name((pov_yes_no_kind)i), c->kinds[i]);
    pov_json_add_number(root, "mass_mean", c->mass_mean);
    pov_json_add_number(root, "mass_min", c->mass_min);
    pov_json_add_number(root, "latency_median_s", c->latency_median_s);
    pov_json_add_number(root, "latency_max_s", c->latency_max_s);
    cJSON_AddNumberToObject(root, "prompt_tokens", (double)c->totals.prompt_tokens);
    cJSON_AddNumberToObject(root, "answer_tokens", (double)c->totals.answer_tokens);
    cJSON_AddNumberToObject(root, "cost", c->totals.cost);
    add_canary(root, &c->canary);
    cJSON_AddStringToObject(root, "cause", c->cause);
    cJSON_AddStringToObject(root, "words_cause", c->words_cause);
    pov_json_print_line(stdout, root);
}

/* ---- checking ---- */

static pov_status make_probes(pov_vlm_probes *probes, const check_options *o, const char *folder)
{
    if (!o->image) {
        POV_TRY(pov_vlm_probes_draw(probes, folder));
        return o->save ? pov_vlm_probes_write_truth(probes, folder) : pov_ok();
    }
    for (int i = 0; i < o->questions.len; i++)
        if (snprintf(probes->prompts[i], sizeof probes->prompts[i], "%s", o->questions.texts[i]) >=
            (int)sizeof probes->prompts[i])
            return pov_error("--question: longer than %d bytes", POV_PROBE_PROMPT_CAPACITY - 1);
    probes->question_len = o->questions.len;
    return pov_vlm_probes_take(probes, folder, o->image, o->other);
}

static pov_status check_servers(bool *well, const pov_vlm_config *config, const pov_vlm_probes *probes,
                                bool json)
{
    for (int i = 0; i < config->client.endpoint_len && !pov_cli_stop_requested(); i++) {
        pov_vlm_checkup checkup;
        POV_TRY(pov_vlm_checkup_run(&checkup, config, i, probes, pov_cli_stop_requested));
        (json ? tell_json : print_result)(&config->client.endpoints[i], &checkup, probes);
        fflush(stdout);
        *well = *well && pov_vlm_checkup_is_well(&checkup);
    }
    return pov_ok();
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = {"image", "blank", "mirrored", "other"};
    char path[PATH_MAX_BYTES];
    for (int i = 0; i < 4; i++)
        if (pov_text_fits_as(path, sizeof path, "%s/%s.png", folder, names[i]))
            unlink(path);
    rmdir(folder);
}

static pov_status make_folder(char folder[PATH_MAX_BYTES], const char *save)
{
    const char *parent = getenv("TMPDIR");
    if (save) {
        if (!pov_text_fits(folder, PATH_MAX_BYTES - PATH_ROOM, save))
            return pov_error("%.150s: this path is too long", save);
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return pov_error("%s: cannot be made: %s", folder, strerror(errno));
        return pov_ok();
    }
    if (!pov_text_fits_as(folder, PATH_MAX_BYTES - PATH_ROOM, "%s/pov_vlm_check_XXXXXX",
                          parent ? parent : "/tmp"))
        return pov_error("TMPDIR: %.150s: this path is too long", parent);
    return mkdtemp(folder) ? pov_ok() : pov_error("%s: cannot be made: %s", folder, strerror(errno));
}

static pov_status check_server(bool *well, const check_options *o)
{
    char folder[PATH_MAX_BYTES];
    pov_vlm_config config;
    pov_vlm_probes probes = {0};
    POV_TRY(o->only_save ? pov_ok() : pov_vlm_open(&config, o->servers, o->model));
    POV_TRY(make_folder(folder, o->save));
    pov_status status = make_probes(&probes, o, folder);
    if (status.code == POV_OK && !o->only_save)
        status = check_servers(well, &config, &probes, o->json);
    pov_vlm_probes_free(&probes);
    if (!o->save)
        remove_folder(folder);
    return status;
}

/* ---- the command line ---- */

static pov_status take_question(void *value, const char *text)
{
    probe_questions *questions = value;
    if (questions->len == POV_PROBE_QUESTION_MAX)
        return pov_error("takes %d questions at most", POV_PROBE_QUESTION_MAX);
    questions->texts[questions->len++] = text;
    return pov_ok();
}

static int read_options(check_options *o, int argc, char **argv)
{
    pov_words words;
    POV_OR_EXIT(pov_command_read(o, &words, &pov_command_vlm_check, argc, argv));
    if (words.len != !o->only_save)
        return pov_cli_usage("vlm check", "name one file with the section 'vlm:', or a URL up to /v1");
    o->servers = words.word[0];
    return POV_GO_ON;
}

static int run(int argc, char **argv)
{
    check_options options = {0};
    bool well = true;
    POV_OR_EXIT(read_options(&options, argc, argv));
    pov_cli_catch_signals();
    const pov_status status = check_server(&well, &options);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    return well ? POV_EXIT_OK : POV_EXIT_WORLD;
}

/* ---- pov vlm ---- */

#define NAME_A_PART "name its part: 'pov vlm check FILE.yaml|URL'"

static int run_vlm(int argc, char **argv)
{
    pov_words words;
    int code = pov_vlm_refuse_workers("vlm", argc, argv);
    if (code == POV_GO_ON)
        code = pov_command_read(NULL, &words, &pov_command_vlm, argc, argv);
    return code != POV_GO_ON ? code : pov_cli_usage("vlm", NAME_A_PART);
}

static const pov_command *const parts[] = {&pov_command_vlm_check, NULL};

const pov_command pov_command_vlm = {
    .name = "vlm",
    .summary = "check the server of a vision-language model",
    .run = run_vlm,
    .usage = "check FILE.yaml|URL [OPTIONS]",
    .about = "Tries servers of vision-language models before 'pov sweep' and 'pov compare' ask them.",
    .words = {.wanted = NAME_A_PART},
    .exits = "0 the part did its work; 1 it did not",
    .parts = parts,
};
