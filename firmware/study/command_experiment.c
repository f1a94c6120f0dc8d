#include "compare/log/answer_log.h"
#include "compare/study/experiment.h"
#include "config/files/grow.h"
#include "config/files/write_file.h"
#include "firmware/commands.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/own_commands.h"
#include "firmware/study/experiment_check.h"
#include "firmware/study/experiment_place.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { PLAN_BYTES_MAX = 16 << 20 };

/* ---- plan ---- */

static int run_plan(int argc, char **argv);
static int run_experiment(int argc, char **argv);
static int run_status(int argc, char **argv);

static const pov_option plan_table[] = {POV_OPTIONS_END};

static const pov_command command_plan = {
    .name = "experiment plan",
    .summary = "the sweeps of a plan, in their order",
    .run = run_plan,
    .usage = "PLAN.yaml",
    .about = "Checks a plan, and prints its sweeps in the order in which they will be done. The order "
             "depends on the "
             "file alone.",
    .options = plan_table,
    .words = {.min = 1, .max = 1, .wanted = "expected one plan"},
    .examples = "pov experiment plan cups.yaml",
    .exits = "0 done; 1 the plan is wrong",
};

/* What the experimenter has to do for a cell: "ball-car, variant red: the red cup; facing left". */
static void describe_cell(pov_text *text, const pov_experiment *e, const pov_experiment_cell *cell)
{
    const pov_experiment_scene *scene = &e->scenes[cell->scene];
    const pov_experiment_look *const looks[] = {pov_experiment_variant(e, cell),
                                                pov_experiment_facing(e, cell)};
    static const char *const names[] = {"variant", "facing"};
    pov_text_set(text, "scene %s%s%s", scene->id, *scene->about ? ": " : "", scene->about);
    for (int i = 0; i < 2; i++)
        if (looks[i])
            pov_text_add(text, "; %s %s%s%s", names[i], looks[i]->id, *looks[i]->about ? ": " : "",
                         looks[i]->about);
    if (e->repetitions > 1)
        pov_text_add(text, "; repetition %d of %d", cell->repetition + 1, e->repetitions);
}

static int run_plan(int argc, char **argv)
{
    pov_words words;
    pov_experiment *e;
    pov_text name = {0}, text = {0};
    int unused = 0;
    POV_OR_EXIT(pov_command_read(&unused, &words, &command_plan, argc, argv));
    const pov_status status = pov_experiment_new(&e, words.word[0]);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    const pov_status checked = pov_experiment_check(e);
    for (int i = 0; checked.code == POV_OK && i < e->cell_len; i++) {
        pov_experiment_name(&name, e, &e->cells[i]);
        describe_cell(&text, e, &e->cells[i]);
        printf("%4d  %-32s %s\n", i + 1, pov_text_of(&name), pov_text_of(&text));
    }
    pov_experiment_destroy(&e);
    pov_text_free(&name);
    pov_text_free(&text);
    return pov_cli_exit(checked);
}

/* ---- the folder: the plan's copy, a list of the sweeps that are done, a folder for each ---- */

typedef struct {
    const char *path;
    int lock;      /* -1: none */
    pov_text done; /* a name a line */
} experiment_folder;

static pov_status read_done(experiment_folder *folder)
{
    char path[POV_PATH_CAPACITY];
    pov_bytes bytes = {0};
    pov_text_clear(&folder->done);
    POV_TRY(pov_path_join(path, folder->path, "done"));
    if (access(path, F_OK) != 0)
        return pov_ok();
    POV_TRY(pov_read_file(&bytes, path, PLAN_BYTES_MAX, "a list of sweeps"));
    pov_text_add_bytes(&folder->done, (const char *)bytes.data, bytes.length);
    pov_bytes_free(&bytes);
    return pov_ok();
}

static bool is_listed(const experiment_folder *folder, const char *name)
{
    const size_t len = strlen(name);
    for (const char *at = pov_text_of(&folder->done); *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (strcspn(at, "\n") == len && strncmp(at, name, len) == 0)
            return true;
    return false;
}

static bool has_log(const char *folder)
{
    char path[POV_PATH_CAPACITY];
    return pov_path_join(path, folder, POV_LOG_NAME).code == POV_OK && access(path, F_OK) == 0;
}

/* A sweep whose folder was removed has to be done again. */
static bool is_done(const experiment_folder *folder, const char *name)
{
    char path[POV_PATH_CAPACITY];
    return is_listed(folder, name) && pov_path_join(path, folder->path, name).code == POV_OK && has_log(path);
}

static pov_status note_done(experiment_folder *folder, const char *name)
{
    char path[POV_PATH_CAPACITY];
    pov_write_file file;
    if (is_listed(folder, name))
        return pov_ok();
    POV_TRY(pov_path_join(path, folder->path, "done"));
    pov_text_add(&folder->done, "%s\n", name);
    POV_TRY(pov_write_file_begin(&file, path));
    fputs(pov_text_of(&folder->done), file.stream);
    return pov_write_file_end(&file, pov_ok());
}

static void add_entry(void *context, const char *key, const char *value)
{
    pov_text_add(context, "%s: %s\n", key, value);
}

/* What a plan says, without its comments and white space. */
static pov_status read_words(pov_text *words, const char *path)
{
    pov_yaml_file *file;
    POV_TRY(pov_yaml_open(&file, path));
    pov_yaml_each_text(file, add_entry, words);
    pov_yaml_close(&file);
    return pov_ok();
}

static pov_status compare_plans(bool *same, const char *one, const char *other)
{
    pov_text words[2] = {{0}};
    pov_status status = read_words(&words[0], one);
    POV_THEN(status, read_words(&words[1], other));
    *same = status.code == POV_OK && strcmp(pov_text_of(&words[0]), pov_text_of(&words[1])) == 0;
    pov_text_free(&words[0]);
    pov_text_free(&words[1]);
    return status;
}

/* The folder keeps the plan that it was begun with: with another, what is done and what is missing would not fit. */
static pov_status keep_plan(const experiment_folder *folder, const char *plan)
{
    char path[POV_PATH_CAPACITY];
    bool same;
    pov_bytes bytes = {0};
    pov_write_file file;
    POV_TRY(pov_path_join(path, folder->path, "plan.yaml"));
    if (access(path, F_OK) == 0) {
        POV_TRY(compare_plans(&same, plan, path));
        return same ? pov_ok()
                    : pov_error(
                          "%s: was begun with another plan, kept in %s: name another folder by --out, or go "
                          "on with that plan",
                          folder->path, path);
    }
    POV_TRY(pov_read_file(&bytes, plan, PLAN_BYTES_MAX, "a plan"));
    pov_status status = pov_write_file_begin(&file, path);
    if (status.code == POV_OK) {
        fwrite(bytes.data, 1, bytes.length, file.stream);
        status = pov_write_file_end(&file, pov_ok());
    }
    pov_bytes_free(&bytes);
    return status;
}

static pov_status open_folder(experiment_folder *folder, const char *path)
{
    char lock[POV_PATH_CAPACITY];
    *folder = (experiment_folder){.path = path, .lock = -1};
    POV_TRY(pov_write_folder(path));
    POV_TRY(pov_path_join(lock, path, "lock"));
    folder->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (folder->lock < 0 || flock(folder->lock, LOCK_EX | LOCK_NB) != 0)
        return pov_error("%s: another pov runs this experiment, or the folder cannot be written", path);
    return read_done(folder);
}

static void close_folder(experiment_folder *folder)
{
    if (folder->lock >= 0)
        close(folder->lock);
    pov_text_free(&folder->done);
}

/* ---- run ---- */

typedef struct {
    const char *out;
    bool no_wait;
    int only; /* sweeps; 0: all */
} run_options;

static const pov_option run_table[] = {
    POV_PATH(run_options, out, "out", "DIR", "the experiment's folder: made, or gone on with",
             .required = true),
    POV_FLAG(run_options, no_wait, "no-wait",
             "end if something stands wrong, instead of waiting until it is moved"),
    POV_WHOLE(run_options, only, "only", "N", 1, POV_EXPERIMENT_CELLS_MAX, "end after N sweeps"),
    POV_OPTIONS_END,
};

static const pov_command command_run = {
    .name = "experiment run",
    .summary = "places, sweeps and asks until all is there, then reports",
    .run = run_experiment,
    .usage = "PLAN.yaml --out DIR [OPTIONS]",
    .about = "Tells what to put on the table for the next sweep, looks until it stands there, sweeps, asks "
             "every model, and "
             "goes on; in the end it writes DIR/report.html and DIR/figures, of all sweeps together. The "
             "same command goes on "
             "after Ctrl-C, a crash or a power cut: what is done is not done again. Scenes that are "
             "simulated worlds and "
             "models that are simulated need no hands (docs/EXPERIMENT.md).",
    .options = run_table,
    .words = {.min = 1, .max = 1, .wanted = "expected one plan"},
    .examples = "pov experiment run cups.yaml --out cups\n"
                "pov experiment run cups.yaml --out cups --only 4\n"
                "pov experiment status cups",
    .exits = "0 all is done; 1 stopped early, or something stands wrong: the message says what",
};

/* A command line that grows. */
typedef struct {
    char **words;
    int len, capacity;
} command_line;

static void add_word(command_line *line, const char *word)
{
    POV_REQUIRE_MEMORY(pov_grow(&line->words, &line->capacity, line->len + 1, sizeof *line->words));
    line->words[line->len++] = pov_text_new("%s", word);
    line->words[line->len] = NULL;
}

static void add_option(command_line *line, const char *option, const char *value)
{
    if (*value == '\0')
        return;
    add_word(line, option);
    add_word(line, value);
}

static void add_number(command_line *line, const char *option, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    add_option(line, option, text);
}

static pov_status run_line(command_line *line, const char *out_path)
{
    const pov_status status = pov_own_command_run((const char *const *)line->words, out_path);
    for (int i = 0; i < line->len; i++)
        free(line->words[i]);
    free(line->words);
    *line = (command_line){0};
    return status;
}

typedef struct {
    const pov_experiment *e;
    const pov_experiment_cell *cell;
    int number; /* of the cell, in their order */
    const char *name;
    char folder[POV_PATH_CAPACITY], station[POV_PATH_CAPACITY], scores[POV_PATH_CAPACITY + 32];
} cell_run;

/* Draws the cell's world, once; out: its station. */
static pov_status make_world(cell_run *c)
{
    char world[POV_PATH_CAPACITY];
    const pov_experiment_look *const looks[] = {pov_experiment_variant(c->e, c->cell),
                                                pov_experiment_facing(c->e, c->cell)};
    command_line line = {0};
    pov_text variant = {0};
    POV_TRY(pov_path_join(world, c->folder, "world"));
    POV_TRY(pov_path_join(c->station, c->folder, "world/simulated.yaml"));
    if (access(c->station, F_OK) == 0)
        return pov_ok();
    for (int i = 0; i < 2; i++)
        if (looks[i] && *looks[i]->world)
            pov_text_add(&variant, "%s%s", variant.len > 0 ? "+" : "", looks[i]->world);
    add_word(&line, "pov");
    add_word(&line, "sim");
    add_word(&line, c->e->scenes[c->cell->scene].world);
    add_option(&line, "--variant", pov_text_of(&variant));
    add_option(&line, "--size", c->e->size);
    add_number(&line, "--seed", c->e->seed + c->cell->repetition);
    add_option(&line, "--images", "1");
    add_option(&line, "--bodies", "own");
    add_option(&line, "--out", world);
    add_word(&line, "--quiet");
    pov_text_free(&variant);
    POV_TRY(run_line(&line, c->scores));
    return pov_own_station_write(world, c->station);
}

static pov_status find_station(cell_run *c)
{
    const pov_experiment_scene *scene = &c->e->scenes[c->cell->scene];
    const pov_experiment_look *variant = pov_experiment_variant(c->e, c->cell);
    if (*scene->world)
        return make_world(c);
    snprintf(c->station, sizeof c->station, "%s",
             variant && *variant->station ? variant->station : scene->station);
    return pov_ok();
}

static void add_asking(command_line *line, const cell_run *c)
{
    add_option(line, "--questions", pov_text_of(&c->e->questions));
    add_option(line, "--pairs", c->e->scenes[c->cell->scene].pairs);
    add_option(line, "--languages", pov_text_of(&c->e->languages));
    add_option(line, "--guided", pov_text_of(&c->e->guided));
    add_option(line, "--prompting", pov_text_of(&c->e->prompting));
    add_option(line, "--system", pov_text_of(&c->e->system));
    add_option(line, "--order", pov_text_of(&c->e->order));
    if (c->e->flip)
        add_word(line, "--flip");
    if (c->e->circular)
        add_word(line, "--circular");
}

/* Without a model: those are asked about the images when they are there, each in its turn. */
static pov_status sweep_cell(const cell_run *c)
{
    const pov_experiment_look *variant = pov_experiment_variant(c->e, c->cell);
    command_line line = {0};
    pov_text words = {0};
    pov_text_set(&words, "%s%s%s", c->e->scenes[c->cell->scene].id, variant ? " " : "",
                 variant ? variant->id : "");
    add_word(&line, "pov");
    add_word(&line, "sweep");
    add_word(&line, c->station);
    add_option(&line, "--out", c->folder);
    if (has_log(c->folder))
        add_word(&line, "--resume");
    if (c->e->angles > 0)
        add_number(&line, "--angles", c->e->angles);
    add_option(&line, "--variant", pov_text_of(&words));
    add_number(&line, "--seed", c->e->seed + c->cell->repetition);
    add_asking(&line, c);
    add_word(&line, "--quiet");
    pov_text_free(&words);
    return run_line(&line, c->scores);
}

static pov_status ask_model(const cell_run *c, const pov_experiment_model *model)
{
    pov_own_model server = {.child = 0};
    command_line line = {0};
    if (*model->simulated)
        POV_TRY(pov_own_model_start(&server, c->folder, model->simulated));
    add_word(&line, "pov");
    add_word(&line, "compare");
    add_word(&line, c->folder);
    add_option(&line, "--vlm", *model->simulated ? server.url : model->vlm);
    add_option(&line, "--model", *model->model ? model->model : model->simulated);
    const pov_status status = run_line(&line, c->scores);
    pov_own_model_stop(&server);
    return status;
}

static pov_status run_cell(cell_run *c, bool waits)
{
    int order[POV_EXPERIMENT_MODELS_MAX];
    pov_wanted_scene wanted;
    POV_TRY(pov_write_folder(c->folder));
    snprintf(c->scores, sizeof c->scores, "%s/scores.txt", c->folder);
    POV_TRY(find_station(c));
    pov_experiment_wanted(&wanted, c->e, c->cell);
    POV_TRY(pov_experiment_place(&wanted, c->station, waits));
    POV_TRY(sweep_cell(c));
    pov_experiment_order_models(order, c->e, c->number);
    for (int i = 0; i < c->e->model_len && !pov_cli_stop_requested(); i++)
        POV_TRY(ask_model(c, &c->e->models[order[i]]));
    return pov_ok();
}

static pov_status report_all(const pov_experiment *e, const experiment_folder *folder)
{
    char page[POV_PATH_CAPACITY], figures[POV_PATH_CAPACITY];
    command_line line = {0};
    pov_text name = {0};
    POV_TRY(pov_path_join(page, folder->path, "report.html"));
    POV_TRY(pov_path_join(figures, folder->path, "figures"));
    add_word(&line, "pov");
    add_word(&line, "report");
    for (int i = 0; i < e->cell_len; i++) {
        char path[POV_PATH_CAPACITY];
        pov_experiment_name(&name, e, &e->cells[i]);
        if (is_done(folder, pov_text_of(&name))) {
            POV_TRY(pov_path_join(path, folder->path, pov_text_of(&name)));
            add_word(&line, path);
        }
    }
    add_option(&line, "--out", page);
    add_option(&line, "--figures", figures);
    add_option(&line, "--title", e->title);
    pov_text_free(&name);
    return run_line(&line, NULL);
}

static pov_status run_cells(const pov_experiment *e, experiment_folder *folder, const run_options *o)
{
    pov_text name = {0}, text = {0};
    pov_status status = pov_ok();
    int swept = 0, missing = 0;
    for (int i = 0; i < e->cell_len && status.code == POV_OK; i++) {
        cell_run c = {.e = e, .cell = &e->cells[i], .number = i};
        pov_experiment_name(&name, e, c.cell);
        if (is_done(folder, pov_text_of(&name)))
            continue;
        missing++;
        if (pov_cli_stop_requested() || (o->only > 0 && swept == o->only))
            continue;
        c.name = pov_text_of(&name);
        describe_cell(&text, e, c.cell);
        printf("%d of %d, %s: %s\n", i + 1, e->cell_len, c.name, pov_text_of(&text));
        fflush(stdout);
        status = pov_path_join(c.folder, folder->path, c.name);
        POV_THEN(status, run_cell(&c, !o->no_wait));
        if (pov_cli_stop_requested()) { /* a program that was stopped with this one did not fail */
            status = pov_ok();
            continue;
        }
        POV_THEN(status, note_done(folder, c.name));
        swept++;
        missing -= status.code == POV_OK;
    }
    if (status.code != POV_OK)
        status = pov_error("sweep %.60s: %.320s", pov_text_of(&name), status.message);
    pov_text_free(&name);
    pov_text_free(&text);
    if (status.code != POV_OK)
        return status;
    if (missing > 0 && o->only > 0 && !pov_cli_stop_requested()) {
        printf("%d of %d sweeps are missing; the same command goes on\n", missing, e->cell_len);
        return pov_ok();
    }
    return missing > 0 ? pov_error("stopped with %d of %d sweeps missing; the same command goes on", missing,
                                   e->cell_len)
                       : report_all(e, folder);
}

static int run_experiment(int argc, char **argv)
{
    run_options o = {0};
    pov_words words;
    pov_experiment *e;
    experiment_folder folder = {.lock = -1};
    POV_OR_EXIT(pov_command_read(&o, &words, &command_run, argc, argv));
    pov_cli_catch_signals();
    pov_status status = pov_experiment_new(&e, words.word[0]);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    status = pov_experiment_check(e);
    POV_THEN(status, open_folder(&folder, o.out));
    POV_THEN(status, keep_plan(&folder, words.word[0]));
    POV_THEN(status, run_cells(e, &folder, &o));
    close_folder(&folder);
    pov_experiment_destroy(&e);
    return pov_cli_exit(status);
}

/* ---- status ---- */

static const pov_command command_status = {
    .name = "experiment status",
    .summary = "what is done, and what is missing",
    .run = run_status,
    .usage = "DIR",
    .about = "Lists an experiment's sweeps in their order: done, begun (with the answers that there are), or "
             "missing. "
             "Reads only.",
    .options = plan_table,
    .words = {.min = 1, .max = 1, .wanted = "expected one folder of 'pov experiment run'"},
    .examples = "pov experiment status cups",
    .exits = "0 all is done; 1 sweeps are missing, or the folder is not an experiment's",
};

static pov_status print_cell(const experiment_folder *folder, const char *name, int number)
{
    char path[POV_PATH_CAPACITY], log_path[POV_PATH_CAPACITY];
    pov_answer_log *log;
    int64_t results;
    POV_TRY(pov_path_join(path, folder->path, name));
    POV_TRY(pov_path_join(log_path, path, POV_LOG_NAME));
    if (!has_log(path)) {
        printf("%4d  missing  %s\n", number, name);
        return pov_ok();
    }
    POV_TRY(pov_answer_log_new(&log, log_path, POV_LOG_READ));
    const pov_status status = pov_answer_log_results(log, &results);
    pov_answer_log_destroy(&log);
    POV_TRY(status);
    printf("%4d  %-7s  %-32s %lld answers\n", number, is_done(folder, name) ? "done" : "begun", name,
           (long long)results);
    return pov_ok();
}

static pov_status print_status(const experiment_folder *folder, const pov_experiment *e)
{
    pov_text name = {0};
    int done = 0;
    pov_status status = pov_ok();
    for (int i = 0; i < e->cell_len && status.code == POV_OK; i++) {
        pov_experiment_name(&name, e, &e->cells[i]);
        done += is_done(folder, pov_text_of(&name));
        status = print_cell(folder, pov_text_of(&name), i + 1);
    }
    pov_text_free(&name);
    if (status.code == POV_OK)
        printf("%d of %d sweeps are done\n", done, e->cell_len);
    return status.code != POV_OK || done == e->cell_len
               ? status
               : pov_error("%d sweeps are missing; 'pov experiment run PLAN --out %s' goes on",
                           e->cell_len - done, folder->path);
}

static int run_status(int argc, char **argv)
{
    char plan[POV_PATH_CAPACITY];
    pov_words words;
    pov_experiment *e = NULL;
    experiment_folder folder = {.lock = -1};
    int unused = 0;
    POV_OR_EXIT(pov_command_read(&unused, &words, &command_status, argc, argv));
    folder.path = words.word[0];
    pov_status status = pov_path_join(plan, folder.path, "plan.yaml");
    if (status.code == POV_OK && access(plan, F_OK) != 0)
        status = pov_error(
            "%s: is not an experiment's folder: it has no plan.yaml; 'pov experiment run' makes one",
            folder.path);
    POV_THEN(status, pov_experiment_new(&e, plan));
    POV_THEN(status, read_done(&folder));
    POV_THEN(status, print_status(&folder, e));
    pov_text_free(&folder.done);
    pov_experiment_destroy(&e);
    return pov_cli_exit(status);
}

/* ---- the whole ---- */

static const pov_command *const parts[] = {&command_plan, &command_run, &command_status, NULL};

const pov_command pov_command_experiment = {
    .name = "experiment",
    .summary = "many sweeps by a plan: what to place next, what is missing, one report",
    .usage = "PART [OPTIONS]",
    .about = "A plan of scenes, variants, facings and repetitions, and of models, prompts and languages "
             "(docs/EXPERIMENT.md).",
    .parts = parts,
    .exits = "0 done; 1 a file is wrong, something stands wrong, or sweeps are missing",
};
