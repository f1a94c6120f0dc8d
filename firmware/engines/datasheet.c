/* The datasheet of a dataset: what it holds, how that was measured, and how to use it. */
#include "compare/statistics/name_set.h"
#include "config/files/grow.h"
#include "firmware/engines/dataset.h"
#include "perception/version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    pov_name_set *kinds, *calibrations; /* "comfort | yes_no | en" */
    int64_t *questions;
    int capacity;
    int64_t first_ns, last_ns; /* captures */
} survey;

static pov_status survey_row(void *context, pov_answer_row *row)
{
    survey *s = context;
    if (row->is_again)
        return pov_ok();
    const pov_log_question *q = &row->question;
    const char *calibration = row->image.calibration_hash ? row->image.calibration_hash : "unknown";
    char kind[256];
    const int before = pov_name_set_len(s->kinds);
    snprintf(kind, sizeof kind, "%.60s | %.60s | %.60s", q->paper, q->form, q->language);
    const int number = pov_name_set_add(s->kinds, kind, strlen(kind));
    (void)pov_name_set_add(s->calibrations, calibration, strlen(calibration));
    if (number >= before) {
        if (!pov_grow(&s->questions, &s->capacity, number, sizeof *s->questions))
            return pov_error("out of memory for the datasheet");
        s->questions[number] = 0;
    }
    s->questions[number]++;
    const int64_t capture_ns = row->image.capture_ns;
    s->first_ns = s->first_ns == 0 || capture_ns < s->first_ns ? capture_ns : s->first_ns;
    s->last_ns = capture_ns > s->last_ns ? capture_ns : s->last_ns;
    return pov_ok();
}

static void write_time(FILE *stream, int64_t ns)
{
    char text[32];
    struct tm utc;
    const time_t seconds = (time_t)(ns / 1000000000);
    gmtime_r(&seconds, &utc);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc);
    fputs(text, stream);
}

static void write_what(FILE *stream, const survey *s, const pov_dataset_options *options,
                       const pov_dataset_summary *summary, const pov_log_run *run)
{
    fprintf(
        stream,
        "# %s\n\n%" PRId64 " questions about %d %simages from `%s`, written by pov %s.\n\n"
        "## Contents\n"
        "Each question is one of a paper's, in its words, about one image. The right answer is given for "
        "each "
        "frame of reference that the question may mean (`golds`), with the probability that it is right; "
        "`gold` "
        "is the answer in the frame that is asked for, `gold_p` the probability that yes (or true) is right "
        "there. `undefined` lists the frames in which there is no answer. %" PRId64
        " questions have no `gold`: the scene is too near a boundary, or the frame does not apply.\n\n"
        "| paper | form | language | questions |\n|---|---|---|---|\n",
        summary->name, summary->questions, summary->images, run->simulated ? "simulated " : "",
        options->source, POV_VERSION, summary->abstained);
    for (int i = 0; i < pov_name_set_len(s->kinds); i++)
        fprintf(stream, "| %s | %" PRId64 " |\n", pov_name_set_at(s->kinds, i), s->questions[i]);
}

/* Whose answers are right: of a paper's released set its own. */
static const char *tell_source(const pov_log_run *run)
{
    return strstr(run->config, "\"released\":") ? "These are items of a paper's released set, with that "
                                                  "paper's right answers and images; nothing was "
                                                  "measured here. Its own licence holds."
           : run->simulated
               ? "**Simulated**: no camera was used, the images are drawn, and nothing here is a "
                 "photograph."
               : "`pov` found the things in each image, placed them in the scene by the calibrated "
                 "camera, and judged the scene by geometry, with its errors.";
}

static void write_how(FILE *stream, const survey *s, const pov_dataset_options *options,
                      const pov_log_run *run)
{
    fprintf(stream, "\n## How it was measured\n%s pov %.60s began on ", tell_source(run), run->version);
    write_time(stream, run->started_ns);
    if (s->first_ns > 0) {
        fputs("; the images were taken from ", stream);
        write_time(stream, s->first_ns);
        fputs(" to ", stream);
        write_time(stream, s->last_ns);
    }
    fputs(". Calibration of the camera (hash):", stream);
    for (int i = 0; i < pov_name_set_len(s->calibrations) && i < 8; i++)
        fprintf(stream, " `%s`", pov_name_set_at(s->calibrations, i));
    fprintf(stream,
            ". The configuration has SHA-256 `%s`.\n\n## Licence\n%s%s\n"
            "The questions are worded by their papers: COMFORT (Zhang et al. 2025), FoREST (Premsri & "
            "Kordjamshidi "
            "2025), VSR (Liu et al. 2023), Isle-Brick (Goral et al. 2025), SPHERE (Zhang et al. 2025).\n",
            run->config_hash, options->licence ? options->licence : "None was stated: ask whoever made it.",
            options->licence ? "." : "");
}

static void write_tables_use(FILE *stream, const pov_dataset_summary *summary)
{
    static const char *const what[] = {
        "yes or no, in English; scored by VLMEvalKit, too",
        "options by letter, which VLMEvalKit adds to the paper's words; scored by VLMEvalKit, too",
        "free text: the other languages and forms, and what has no gold; scored by pov only"};
    static const char *const more[] = {
        " --data-config '{\"%s\": {\"class\": \"ImageYORNDataset\", \"dataset\": \"%s\"}}'", "",
        " --mode infer"};
    fputs("Put the tables into `$LMUData`, then run:\n\n```sh\nexport PRED_FORMAT=tsv\n", stream);
    for (int part = 0; part < POV_DATASET_PARTS; part++) {
        const char *name = summary->part_names[part];
        if (summary->rows[part] == 0)
            continue;
        fprintf(stream,
                "# %" PRId64 " questions: %s\ntorchrun --nproc-per-node=8 run.py --model MODEL --judge "
                "exact_matching --data %s",
                summary->rows[part], what[part], name);
        if (part == 0)
            fprintf(stream, more[0], name, name);
        else
            fputs(more[part], stream);
        fputc('\n', stream);
    }
    fputs("pov import SWEEP outputs/MODEL/T*/*.tsv\n```\n"
          "A system prompt stands before its question, or is the hint of one with options.\n",
          stream);
}

static void write_tasks_use(FILE *stream, const pov_dataset_summary *summary)
{
    static const char *const what[] = {"all questions, answered in words",
                                       "English yes or no, by the likelihoods of Yes and No",
                                       "true or false, by the likelihoods of True and False"};
    fputs("```sh\n", stream);
    for (int part = 0; part < POV_DATASET_PARTS; part++)
        if (summary->rows[part] > 0)
            fprintf(stream,
                    "# %" PRId64
                    " questions: %s\naccelerate launch --num_processes 8 -m lmms_eval --model MODEL "
                    "--model_args pretrained=... --include_path . --tasks %s --batch_size 1 --log_samples "
                    "--output_path results%s\n",
                    summary->rows[part], what[part], summary->part_names[part],
                    part > 0 ? " --force_simple" : "");
    fputs("pov import SWEEP results/*/*_samples_pov_*.jsonl\n```\n"
          "A system prompt stands before its question. Likelihoods work with lmms-eval's simple models only. "
          "They are "
          "mean losses: P(yes) is exp(-loss) of the one over the sum of both, which is what pov reads from "
          "tokens "
          "if each of the two words is one token.\n",
          stream);
}

static void write_lines_use(FILE *stream)
{
    fputs("`questions.jsonl` has a question in each line: `image` (a file beside it), `prompt`, `system` (or "
          "null), "
          "`options`, `token_max`, the answers as above, and `id`. Answer with lines of `{\"id\": ..., "
          "\"answer\": "
          "\"Yes.\"}`, or `\"p_yes\": 0.93` where the model's probabilities are known, then:\n\n"
          "```sh\npov import SWEEP answers.jsonl --model NAME\n```\n",
          stream);
}

pov_status pov_datasheet_write(FILE *stream, pov_answer_log *log, const pov_dataset_options *options,
                               const pov_dataset_summary *summary)
{
    survey s = {.kinds = pov_name_set_new(), .calibrations = pov_name_set_new()};
    pov_log_run run;
    pov_status status = pov_answer_log_each(log, survey_row, &s);
    POV_THEN(status, pov_answer_log_last_run(log, &run));
    if (status.code == POV_OK) {
        write_what(stream, &s, options, summary, &run);
        write_how(stream, &s, options, &run);
        fputs("\n## How to use it\n`sha256sum -c SHA256SUMS` checks the files.\n\n", stream);
        if (options->format == POV_DATASET_VLMEVALKIT)
            write_tables_use(stream, summary);
        else if (options->format == POV_DATASET_LMMS_EVAL)
            write_tasks_use(stream, summary);
        else
            write_lines_use(stream);
    }
    pov_name_set_destroy(&s.kinds);
    pov_name_set_destroy(&s.calibrations);
    free(s.questions);
    return status;
}
