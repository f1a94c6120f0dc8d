#include "compare/log/answer_export.h"
#include "compare/vlm/direction_tokens.h"
#include "config/files/json_value.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/comparison/answer_causes.h"
#include "firmware/comparison/asker.h"
#include "firmware/comparison/run_config.h"
#include "firmware/judge/command_questions_print.h"
#include "firmware/outputs/outputs.h"
#include "firmware/progress.h"
#include "firmware/run/merge.h"
#include "firmware/sweep/sweep.h"
#include "firmware/sweep/sweep_forecast.h"
#include "firmware/sweep/sweep_scores.h"
#include "firmware/vlm/vlm_open.h"

#include <cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_MS = 100 };

typedef struct {
    const char *path, *vlm, *model, *out, *drop;
    pov_shard shard;
    pov_question_choice asking;
    bool again, wait, json, no_publish;
    int listener_len;         /* that it waits for before it asks */
    int export_format, paper; /* -1: none */
} arguments;

static int run(int argc, char **argv);

POV_NAMES_OF(format_names, pov_export_format, POV_EXPORT_COUNT, pov_export_name)

static const pov_option option_table[] = {
    POV_PATH(arguments, vlm, "vlm", "FILE|URL",
             "the model to ask: a file with a section 'vlm' (docs/VLM.md), or a URL up to /v1. A model that "
             "was not asked before, or with other settings, is asked all"),
    POV_TEXT(arguments, model, "model", "NAME", "the model at that URL", .with = "vlm"),
    POV_FLAG(arguments, again, "again",
             "ask questions again that had no answer: too slow, unreachable, malformed, ...", .with = "vlm"),
    POV_FLAG(
        arguments, wait, "wait",
        "wait for a server that does not answer yet; else asking ends with the first question's attempts",
        .with = "vlm"),
    POV_TEXT(arguments, drop, "drop", "MODEL", "first take this model and its answers out of the log"),
    POV_TAKEN(arguments, asking, "questions", "LIST", pov_choice_take_benchmarks,
              "first add questions, of comfort, forest, vsr, vpt, sphere, viewspatial, 3dsrbench, mindcube, "
              "vsi, spar, spatial457, omnispatial, robospatial, embspatial",
              .names = pov_choice_benchmark_names, .once = true),
    POV_TAKEN(arguments, asking, "guided", "LIST", pov_choice_take_guidance,
              "first add questions guided so, of not, facts, step, view, map (not): of --questions, or of "
              "the sweep's papers",
              .names = pov_choice_guidance_names, .once = true),
    POV_TAKEN(arguments, asking, "prompting", "LIST", pov_choice_take_prompting,
              "first add questions asked for so, of zero-shot, 4-shot, cot, sg-cot: how an answer is asked "
              "for (zero-shot)",
              .names = pov_choice_prompting_names, .once = true),
    POV_TAKEN(arguments, asking, "system", "LIST", pov_choice_take_system,
              "first add questions with these system prompts, of vlm, none, comfort: the system prompt, vlm "
              "being the one of the section 'vlm' (vlm)",
              .names = pov_choice_system_names, .once = true),
    POV_TAKEN(arguments, asking, "order", "LIST", pov_choice_take_order,
              "first add FoREST's questions in these orders, of normal, reverse: the relatum named first "
              "(normal)",
              .names = pov_choice_order_names, .once = true),
    POV_FLAG(arguments, asking.flip, "flip",
             "first add each question about the mirrored image: FlipEval (docs/ROBUST.md)"),
    POV_FLAG(arguments, asking.circular, "circular",
             "first add each question with options in all rotations of them: CircularEval"),
    POV_TAKEN(arguments, asking, "languages", "LIST", pov_choice_take_languages,
              "first add COMFORT's questions in these languages (en)", .offer = pov_languages_offer,
              .once = true),
    POV_TAKEN(arguments, asking, "pairs", "LIST", pov_choice_take_pairs,
              "first add COMFORT's questions about these pairs, as in ball:car,duck:car (the sweep's)",
              .once = true),
    POV_SHARD(arguments, shard,
              "only these of the images: in a folder of their own, --out, which 'pov merge' joins with the "
              "others",
              .with = "out"),
    POV_PATH(arguments, out, "out", "DIR", "the shard's folder: made, or gone on with if it is there already",
             .with = "shard"),
    POV_CHOICE(
        arguments, export_format, "export", "FORMAT", format_names,
        "instead of scores; comfort is its authors' layout, vsr, forest and sphere the questions as these "
        "papers released theirs, forest-answers its files of answers"),
    POV_CHOICE(arguments, paper, "paper", "NAME", pov_choice_benchmark_names,
               "export only its answers, as 'pov score' reads them", .with = "export"),
    POV_FLAG(
        arguments, no_publish, "no-publish",
        "publish nothing, whatever endpoint the sweep's station names; else each question and answer goes "
        "out there as the topic 'vlm'",
        .with = "vlm"),
    POV_WHOLE(arguments, listener_len, "listeners", "N", 0, 1000,
              "wait for N subscribers of what is published before asking", .with = "vlm",
              .without = "no-publish"),
    POV_FLAG(arguments, json, "json", "the scores as one JSON object", .without = "export"),
    POV_OPTIONS_END,
};

const pov_command pov_command_compare = {
    .name = "compare",
    .summary = "ask a sweep's pending questions, print its scores, export it",
    .run = run,
    .usage = "RUN_DIR|LOG [OPTIONS]",
    .about = "Works on a sweep's log, without turning anything: asks pending questions, prints the scores, "
             "or exports.",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "expected one folder of a sweep, or its log"},
    .examples = "pov compare tonight\n"
                "pov compare tonight --vlm http://localhost:8001/v1 --model other\n"
                "pov compare tonight --questions comfort --guided facts --vlm vlm.yaml\n"
                "pov compare tonight --drop other\n"
                "pov compare tonight --shard 3/100 --out part_3 --vlm vlm.yaml\n"
                "pov compare tonight --export jsonl --paper vsr > answers.jsonl",
    .exits = "0 done; 1 questions are left without an answer, or the log is invalid",
};

typedef struct {
    pov_log_folder folder;
    pov_answer_log *log;
    bool unanswered, misused;
    pov_comparison_queue *comparisons; /* NULL: nothing is published */
    pov_station *station;              /* only its section `publish` */
    pov_outputs *outputs;
} comparison;

/* ---- options ---- */

static bool adds_questions(const pov_question_choice *asking)
{
    bool adds = asking->language_len > 0 || asking->pair_len > 0 || asking->flip || asking->circular;
    for (int i = 0; i < POV_BENCHMARK_COUNT; i++)
        adds = adds || asking->benchmark[i];
    for (int i = 0; i < POV_GUIDANCE_COUNT; i++)
        adds = adds || asking->guidance[i];
    for (int i = 0; i < POV_PROMPTING_COUNT; i++)
        adds = adds || asking->prompting[i];
    for (int i = 0; i < POV_SYSTEM_COUNT; i++)
        adds = adds || asking->system[i];
    for (int i = 0; i < POV_ORDER_COUNT; i++)
        adds = adds || asking->order[i];
    return adds;
}

static int read_options(arguments *args, int argc, char **argv)
{
    pov_words words;
    POV_OR_EXIT(pov_vlm_refuse_workers("compare", argc, argv));
    POV_OR_EXIT(pov_command_read(args, &words, &pov_command_compare, argc, argv));
    if (args->paper >= 0 && args->export_format == POV_EXPORT_COMFORT)
        return pov_cli_usage("compare", "--paper goes with --export csv or jsonl");
    args->path = words.word[0];
    return POV_GO_ON;
}

/* ---- publishing ---- */

/* The endpoint that the station of the log's last run names. Out: c->station: NULL: it names none. */
static pov_status read_endpoint(comparison *c)
{
    pov_log_run run;
    POV_TRY(pov_answer_log_last_run(c->log, &run));
    cJSON *config = pov_json_parse_text(run.config);
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(config, "station"));
    pov_yaml_file *file;
    pov_status status = pov_ok();
    if (text) {
        status = pov_yaml_parse(&file, c->folder.log_path, text, strlen(text));
        if (status.code == POV_OK) {
            c->station = pov_allocate(1, sizeof *c->station);
            pov_station_read_publishing(&c->station->publish, pov_yaml_get(pov_yaml_root(file), "publish"));
            pov_station_keep_messages(&c->station->publish);
            pov_yaml_allow_others(pov_yaml_root(file));
            status = pov_yaml_finish(file);
            pov_yaml_close(&file);
        }
    }
    cJSON_Delete(config);
    if (c->station && !c->station->publish.is_named) {
        free(c->station);
        c->station = NULL;
    }
    return status;
}

static pov_status open_outputs(comparison *c)
{
    POV_TRY(read_endpoint(c));
    if (!c->station)
        return pov_ok();
    POV_TRY(pov_outputs_new(
        &c->outputs,
        &(pov_outputs_config){.station = c->station, .publish = true, .must_publish = true, .tells = true}));
    return pov_comparison_queue_new(&c->comparisons);
}

static void wait_for_listeners(comparison *c, int wanted)
{
    while (c->outputs && !pov_cli_stop_requested() &&
           (int)pov_outputs_wire_statistics(c->outputs).subscriptions < wanted) {
        pov_outputs_poll(c->outputs);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}

static void send_comparisons(comparison *c)
{
    uint8_t *bytes;
    size_t len;
    while (c->comparisons && pov_comparison_queue_take(c->comparisons, &bytes, &len)) {
        pov_outputs_message(c->outputs, POV_RECORDED_VLM, bytes, len);
        pov_outputs_poll(c->outputs); /* they may come in a burst, longer than a subscriber's queue */
        free(bytes);
    }
    if (c->outputs)
        pov_outputs_poll(c->outputs);
}

static void close_outputs(comparison *c)
{
    if (c->outputs)
        pov_outputs_finish(c->outputs);
    pov_outputs_destroy(&c->outputs);
    pov_comparison_queue_destroy(&c->comparisons);
    free(c->station);
    c->station = NULL;
}

/* ---- asking ---- */

/* Warns early of a server whose answers fail or cannot be scored. */
static bool is_bad_news(const pov_log_counts *before, const pov_log_counts *now)
{
    const int64_t unscored = now->unscored - before->unscored, answered = now->answered - before->answered;
    return now->failed > before->failed || (unscored >= 4 && unscored * 2 > answered);
}

/* On a terminal beside the bar; elsewhere one line, once it is known. */
static void tell_forecast(pov_progress *progress, const pov_sweep_forecast *forecast,
                          const pov_log_counts *counts, bool *told)
{
    char text[POV_FORECAST_CAPACITY];
    if (!pov_sweep_forecast_is_due(forecast, counts) || (*told && !progress->enabled))
        return;
    pov_sweep_forecast_now(text, forecast, counts, counts->questions, pov_clock_monotonic_ns());
    const char *tokens = strstr(text, "left, ");
    if (!progress->enabled)
        fprintf(stderr, "%lld of %lld questions: %s\n", (long long)counts->answered,
                (long long)counts->questions, text);
    else if (tokens)
        snprintf(progress->note, sizeof progress->note, "%s", tokens + strlen("left, "));
    *told = true;
}

static pov_status watch_answers(comparison *c, pov_asker *asker, const pov_vlm_client_config *client)
{
    pov_sweep_forecast forecast = {.client = client, .start_ns = pov_clock_monotonic_ns()};
    pov_log_counts counts;
    char text[POV_FORECAST_CAPACITY];
    const int64_t model = pov_asker_model(asker);
    POV_TRY(pov_answer_log_count(c->log, &forecast.first, model));
    pov_sweep_forecast_before(text, &forecast);
    fprintf(stderr, "%s.\n", text);
    const int64_t before = forecast.first.answered;
    bool told_causes = false, told_forecast = false;
    pov_progress progress =
        pov_progress_start(stderr, "answers", forecast.first.questions - before, forecast.start_ns);
    pov_asker_finish(asker);
    pov_status status = pov_status_of(POV_TIMEOUT);
    while (status.code == POV_TIMEOUT && !pov_cli_stop_requested()) {
        status = pov_asker_wait(asker, WAIT_MS);
        send_comparisons(c);
        POV_TRY(pov_answer_log_count(c->log, &counts, model));
        if (!told_causes && is_bad_news(&forecast.first, &counts)) {
            pov_progress_clear(&progress);
            POV_TRY(pov_answer_causes_warn(c->log, model));
            told_causes = true;
        }
        if (status.code == POV_TIMEOUT)
            tell_forecast(&progress, &forecast, &counts, &told_forecast);
        pov_progress_update(&progress, counts.answered - before, pov_clock_monotonic_ns());
    }
    pov_progress_finish(&progress, counts.answered - before, pov_clock_monotonic_ns());
    pov_sweep_forecast_now(text, &forecast, &counts, counts.questions, pov_clock_monotonic_ns());
    fprintf(stderr, "%lld of %lld questions have a result, %lld of them no answer%s%s.\n",
            (long long)counts.answered, (long long)counts.questions, (long long)counts.failed,
            *text ? "; " : "", text);
    POV_TRY(pov_answer_causes_warn(c->log, model));
    c->unanswered = counts.answered < counts.questions || counts.failed > 0;
    return status;
}

static pov_status ask_model(comparison *c, const arguments *args, const pov_vlm_config *vlm)
{
    if (!args->no_publish)
        POV_TRY(open_outputs(c));
    if (args->listener_len > 0 && !c->outputs)
        return pov_error("--listeners: the sweep's station publishes nothing: it has no section 'publish'");
    wait_for_listeners(c, args->listener_len);
    const pov_asker_config config = {.log_path = c->folder.log_path,
                                     .folder = c->folder.path,
                                     .vlm = vlm,
                                     .told = c->comparisons,
                                     .again = args->again};
    pov_asker *asker;
    POV_TRY(pov_asker_new(&asker, &config));
    const pov_status status = watch_answers(c, asker, &vlm->client);
    if (c->comparisons)
        pov_comparison_queue_stop(c->comparisons);
    pov_asker_destroy(&asker);
    send_comparisons(c);
    if (status.code == POV_END)
        pov_cli_warn("%s", status.message);
    return status.code == POV_ERROR ? status : pov_ok();
}

static pov_status open_and_ask(comparison *c, const arguments *args)
{
    pov_vlm_config *vlm = malloc(sizeof *vlm);
    if (!vlm)
        return pov_error("compare: out of memory");
    pov_status status = pov_vlm_open(vlm, args->vlm, args->model);
    vlm->client.waits = args->wait;
    POV_THEN(status, pov_choice_check_system(&args->asking, vlm->system));
    POV_THEN(status, ask_model(c, args, vlm));
    close_outputs(c);
    free(vlm);
    return status;
}

static pov_status drop_model(comparison *c, const char *name)
{
    int64_t results;
    POV_TRY(pov_answer_log_drop_model(c->log, &results, name));
    fprintf(stderr, "%s is dropped, with %lld results.\n", name, (long long)results);
    return pov_ok();
}

/* What is not said is as usual; variant, seed and, without --questions, the papers are those of the sweep. */
static void settle_asking(pov_question_choice *asking, const char *config)
{
    bool has_papers = false;
    for (int i = 0; i < POV_BENCHMARK_COUNT; i++)
        has_papers = has_papers || asking->benchmark[i];
    pov_run_config_choice(asking, config, !has_papers);
    pov_choice_settle_conditions(asking);
    if (asking->language_len == 0)
        snprintf(asking->languages[asking->language_len++], POV_LANGUAGE_CODE_CAPACITY, "en");
}

static pov_status add_questions(comparison *c, arguments *args)
{
    pov_log_run run;
    int added;
    pov_status status = pov_answer_log_last_run(c->log, &run);
    if (status.code == POV_UNDEFINED)
        return pov_error("%s: holds no sweep", c->folder.log_path);
    if (status.code == POV_OK)
        settle_asking(&args->asking, run.config);
    if (status.code == POV_OK && (status = pov_choice_check(&args->asking)).code != POV_OK)
        c->misused = true;
    if (status.code == POV_OK && args->asking.pair_len == 0 && args->asking.benchmark[POV_BENCHMARK_COMFORT])
        status = pov_run_config_pairs(&args->asking, run.config);
    POV_THEN(status, pov_image_questions_add(&added, &c->folder, c->log, &args->asking));
    if (status.code == POV_OK)
        fprintf(stderr, "%d questions added.\n", added);
    return status;
}

/* ---- showing ---- */

/* A log without answers has no scores, which is said. */
static pov_status print_scores(const comparison *c, const arguments *args)
{
    pov_log_counts counts = {0};
    int64_t results;
    POV_TRY(pov_answer_log_results(c->log, &results));
    POV_TRY(pov_answer_log_count(c->log, &counts, 0));
    if (results == 0)
        pov_cli_warn(
            "no model has answered any of the %lld questions of %s; 'pov compare %s --vlm ...' asks them",
            (long long)counts.questions, c->folder.path, c->folder.path);
    return pov_sweep_scores_print(c->log, stdout, args->json);
}

static pov_status compare_answers(comparison *c, arguments *args)
{
    POV_TRY(pov_answer_log_new(&c->log, c->folder.log_path, POV_LOG_MUST_EXIST));
    if (args->drop)
        POV_TRY(drop_model(c, args->drop));
    if (adds_questions(&args->asking))
        POV_TRY(add_questions(c, args));
    if (args->vlm)
        POV_TRY(open_and_ask(c, args));
    if (args->export_format < 0)
        return print_scores(c, args);
    int left_out = 0;
    const pov_export_options options = {.format = (pov_export_format)args->export_format,
                                        .paper = pov_choice_benchmark_names(args->paper),
                                        .image_folder = c->folder.path,
                                        .left_out = &left_out,
                                        .directions = pov_direction_tokens_read,
                                        .curves = args->paper == POV_BENCHMARK_COMFORT};
    pov_export_beside beside = {0};
    POV_TRY(pov_answer_export(c->log, &beside, stdout, &options));
    if (left_out > 0)
        pov_cli_warn("%d questions are left out: this form has no place for them (no sure right answer, or "
                     "not of a kind that the paper has)",
                     left_out);
    char *left_out_words = pov_export_beside_words(&beside);
    if (*left_out_words && (options.format == POV_EXPORT_COMFORT || options.curves))
        pov_cli_warn("not in this export: %s", left_out_words);
    free(left_out_words);
    return pov_ok();
}

static int run(int argc, char **argv)
{
    arguments args = {.export_format = -1, .paper = -1, .asking = {.variant = "default", .seed = 1}};
    POV_OR_EXIT(read_options(&args, argc, argv));
    pov_cli_catch_signals();
    comparison c = {0};
    pov_status status = args.out ? pov_merge_take_shard(args.out, args.path, &args.shard) : pov_ok();
    POV_THEN(status, pov_log_folder_open(&c.folder, args.out ? args.out : args.path, "pov sweep", false));
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    status = compare_answers(&c, &args);
    pov_answer_log_destroy(&c.log);
    pov_log_folder_close(&c.folder);
    if (c.misused)
        return pov_cli_usage("compare", "%s", status.message);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    return c.unanswered ? POV_EXIT_WORLD : POV_EXIT_OK;
}
