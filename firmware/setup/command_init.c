/* `pov init`: a set-up in the browser or at the terminal. */
#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/setup/setup_page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    GIVEN_MAX = 64,
    USUAL_PORT = 8080,
    LINE_CAPACITY = 1024,
    ARGUMENT_CAPACITY = POV_ADDRESS_CAPACITY + 16
};

/* An answer on the command line: "lens.how=file". */
typedef struct {
    pov_setup_step_id step;
    const char *text; /* from the name on */
} given_answer;

typedef struct {
    int len;
    given_answer items[GIVEN_MAX];
} given_answers;

typedef struct {
    const char *path, *camera;
    given_answers given;
    bool terminal, presets, run, no_run;
    pov_http_place at;
} arguments;

static pov_option_take take_answer, take_thing, take_person;
static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_TAKEN(arguments, at, "dashboard", "[HOST:]PORT", pov_http_place_take,
              "where the page is, as of 'pov run --dashboard' (8080 of this machine, or a free port)"),
    POV_FLAG(arguments, terminal, "terminal", "ask here, not in a browser"),
    POV_TEXT(arguments, camera, "camera", "ID",
             "at the terminal, with this camera (see 'pov cameras'), or 'any'"),
    POV_TAKEN(
        arguments, given, "answer", "STEP.NAME=VALUE", take_answer,
        "an answer that is not asked for, as lens.how=file; may be repeated, and stands for --terminal"),
    POV_TAKEN(
        arguments, given, "thing", "NAME=VALUE,...", take_thing,
        "a thing, as id=ball,found_by=ball,color=red,diameter_mm=70; at=320 240 is a point of the image"),
    POV_TAKEN(arguments, given, "person", "NAME=VALUE,...", take_person, "the person, in the same way"),
    POV_FLAG(arguments, presets, "presets", "take the usual answer to every open question, and ask nothing"),
    POV_FLAG(arguments, run, "run", "run the station afterwards"),
    POV_FLAG(arguments, no_run, "no-run", "do not, whatever the last step says"),
    POV_OPTIONS_END,
};

const pov_command pov_command_init = {
    .name = "init",
    .summary = "set a station up, in the browser or at the terminal",
    .run = run,
    .usage = "[STATION.yaml] [OPTIONS]",
    .about = "Leads from nothing to a station file (station.yaml): camera, lens, tags, turntable, things, "
             "person, model; each "
             "step with the live picture and a verdict. An existing file is edited: its comments stay. "
             "Without --terminal or "
             "answers it is a page for the browser. docs/SETUP.md",
    .options = option_table,
    .words = {.max = 1, .wanted = "expected one station file"},
    .examples = "pov init my_table.yaml\n"
                "pov init my_table.yaml --camera any\n"
                "pov init my_table.yaml --presets --camera any --answer lens.how=file --answer "
                "lens.file=camera.yaml --thing "
                "id=ball,found_by=ball,color=red\n"
                "pov init practice.yaml --answer camera.source=practice",
    .exits = "0 the file is written; 1 it is not (the message says which step failed, and how to mend it)",
};

/* ---- options ---- */

static pov_status keep_given(given_answers *given, pov_setup_step_id step, const char *text)
{
    pov_setup_answers tried = {.len = 0};
    POV_TRY(pov_setup_answers_parse(&tried, step, text));
    if (given->len == GIVEN_MAX)
        return pov_error("is given more than %d times", GIVEN_MAX);
    given->items[given->len++] = (given_answer){step, text};
    return pov_ok();
}

static pov_status take_answer(void *value, const char *text)
{
    char name[24];
    pov_setup_step_id step;
    const char *dot = strchr(text, '.');
    if (!dot || (size_t)(dot - text) >= sizeof name || !strchr(dot, '='))
        return pov_error("takes STEP.NAME=VALUE, as in lens.how=file, not '%.60s'", text);
    snprintf(name, sizeof name, "%.*s", (int)(dot - text), text);
    POV_TRY(pov_setup_step_find(&step, name));
    return keep_given(value, step, dot + 1);
}

static pov_status take_thing(void *value, const char *text)
{
    return keep_given(value, POV_SETUP_THINGS, text);
}

static pov_status take_person(void *value, const char *text)
{
    return keep_given(value, POV_SETUP_PERSON, text);
}

static int read_options(arguments *args, int argc, char **argv)
{
    pov_words words;
    POV_OR_EXIT(pov_command_read(args, &words, &pov_command_init, argc, argv));
    args->path = words.len > 0 ? words.word[0] : "station.yaml";
    if (!*args->path)
        return pov_cli_usage("init", "the station file's name is empty");
    args->terminal |= args->camera || args->given.len > 0 || args->presets;
    if (args->terminal && args->at.address[0])
        return pov_cli_usage("init", "--dashboard excludes --terminal and answers");
    if (args->run && args->no_run)
        return pov_cli_usage("init", "--run and --no-run exclude each other");
    return POV_GO_ON;
}

/* ---- at the terminal ---- */

typedef struct {
    const arguments *args;
    pov_setup *setup;
    bool ended; /* of standard input: what is usual is taken from there on */
} terminal;

static bool read_line(terminal *t, char line[LINE_CAPACITY])
{
    t->ended = t->ended || !fgets(line, LINE_CAPACITY, stdin);
    if (t->ended)
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

/* A person clears the turntable or sets a thing on it; a simulated one is cleared without. */
static pov_status wait_for_person(terminal *t)
{
    char line[LINE_CAPACITY];
    const bool is_simulated = pov_setup_is_practice(t->setup);
    fprintf(stderr, "  %s Then press Enter: ", t->setup->verdicts[t->setup->at].words);
    if (!t->args->presets && read_line(t, line))
        return pov_setup_enough(t->setup);
    fputc('\n', stderr);
    return is_simulated
               ? pov_setup_enough(t->setup)
               : pov_error("nobody is there to clear the turntable: enrol it with 'pov enrol --empty', and "
                           "name its file");
}

static void wait_for_step(terminal *t)
{
    pov_setup *setup = t->setup;
    char told[POV_SETUP_WORDS_CAPACITY] = "";
    while (pov_setup_is_busy(setup) && !pov_cli_stop_requested()) {
        pov_setup_turn(setup, NULL);
        if ((setup->gathers == POV_SETUP_CLEAR || setup->gathers == POV_SETUP_PLACE) && setup->has_image) {
            const pov_status status = wait_for_person(t);
            if (status.code != POV_OK) {
                pov_setup_cancel(setup);
                pov_setup_fail(setup, setup->at, status);
            }
        } else if (setup->gathers != POV_SETUP_NOTHING && strcmp(told, setup->live) != 0) {
            fprintf(stderr, "  %s\n", setup->live);
        }
        snprintf(told, sizeof told, "%s", setup->live);
    }
}

/* An image that is judged by the station as it stands now: clicks need the camera's place. */
static void wait_for_image(pov_setup *setup)
{
    enum { TURNS_MAX = 25 };
    for (int i = 0; i < TURNS_MAX && setup->source && !setup->has_observation && !pov_cli_stop_requested();
         i++)
        pov_setup_turn(setup, NULL);
}

static void tell_verdict(const pov_setup *setup, pov_setup_step_id step)
{
    static const char *const signs[] = {"…", "✓", "✕", "–"};
    const pov_setup_verdict *verdict = &setup->verdicts[step];
    fprintf(stderr, "%s %s: %s\n", signs[verdict->state], POV_SETUP_STEPS[step].name, verdict->words);
    if (*setup->command)
        fprintf(stderr, "  (%s)\n", setup->command);
}

static pov_status take_step(terminal *t, pov_setup_step_id step, const pov_setup_answers *answers)
{
    pov_setup *setup = t->setup;
    if (step == POV_SETUP_THINGS || step == POV_SETUP_PERSON)
        wait_for_image(setup);
    (void)!pov_setup_apply(setup, step, answers).code; /* its verdict tells */
    wait_for_step(t);
    wait_for_image(setup);
    if (pov_cli_stop_requested())
        return pov_error("stopped; nothing was written");
    if (setup->verdicts[step].failed)
        return pov_error("%s: %.500s", POV_SETUP_STEPS[step].name, setup->verdicts[step].words);
    if (step == POV_SETUP_CAMERA && setup->has_image)
        pov_setup_judge(setup, step, POV_SETUP_GOOD, "%s.", setup->live);
    tell_verdict(setup, step);
    return pov_ok();
}

static pov_status ask_field(terminal *t, pov_setup_answers *answers, pov_setup_step_id step,
                            const pov_setup_field *field)
{
    char line[LINE_CAPACITY];
    for (;;) {
        const char *preset = pov_setup_answer(answers, step, field->name);
        fprintf(stderr, "%s%s%s%s [%s]: ", field->label, field->choices ? " (" : "",
                field->choices ? field->choices : "", field->choices ? ")" : "", preset);
        if (!read_line(t, line)) {
            fputc('\n', stderr);
            return pov_ok();
        }
        const pov_status status = *line ? pov_setup_answer_set(answers, step, field->name, line) : pov_ok();
        if (status.code == POV_OK || !isatty(STDIN_FILENO))
            return status;
        fprintf(stderr, "%s\n", status.message);
    }
}

static bool is_answered(const pov_setup_answers *answers, const char *name)
{
    for (int i = 0; i < answers->len; i++)
        if (strcmp(answers->items[i].name, name) == 0)
            return true;
    return false;
}

static pov_status ask_step(terminal *t, pov_setup_answers *answers, pov_setup_step_id step)
{
    const pov_setup_answers given = *answers;
    for (const pov_setup_field *field = POV_SETUP_STEPS[step].fields; field->name; field++)
        if (!t->args->presets && !t->ended && pov_setup_field_is_shown(field, step, answers) &&
            !is_answered(&given, field->name))
            POV_TRY(ask_field(t, answers, step, field));
    return pov_ok();
}

/* Things and the person: each --thing is one, all that is given of the person is one; then those that standard input names, until an
 * empty line. */
static pov_status set_members(terminal *t, pov_setup_step_id step)
{
    const given_answers *given = &t->args->given;
    const bool is_person = step == POV_SETUP_PERSON;
    pov_setup_answers person = {.len = 0};
    int len = 0;
    for (int i = 0; i < given->len; i++) {
        pov_setup_answers answers = {.len = 0};
        if (given->items[i].step != step)
            continue;
        POV_TRY(pov_setup_answers_parse(is_person ? &person : &answers, step, given->items[i].text));
        if (!is_person)
            POV_TRY(take_step(t, step, &answers));
        len++;
    }
    if (person.len > 0)
        POV_TRY(take_step(t, step, &person));
    while (!t->args->presets && !t->ended && (len == 0 || step == POV_SETUP_THINGS)) {
        pov_setup_answers answers = {.len = 0};
        char line[LINE_CAPACITY];
        fprintf(stderr, "\n%s\n%s; empty: none%s: ", POV_SETUP_STEPS[step].about,
                pov_setup_field_find(step, "id")->label, len ? " more" : "");
        if (!read_line(t, line) || !*line)
            break;
        POV_TRY(pov_setup_answer_set(&answers, step, "id", line));
        POV_TRY(ask_step(t, &answers, step));
        POV_TRY(take_step(t, step, &answers));
        len++;
    }
    if (len == 0)
        pov_setup_skip(t->setup, step);
    return pov_ok();
}

static pov_status set_step(terminal *t, pov_setup_step_id step)
{
    pov_setup_answers answers = {.len = 0};
    const given_answers *given = &t->args->given;
    if (step == POV_SETUP_THINGS || step == POV_SETUP_PERSON)
        return set_members(t, step);
    answers = t->setup->answers[step]; /* as the steps before suggest */
    for (int i = 0; i < given->len; i++)
        if (given->items[i].step == step)
            POV_TRY(pov_setup_answers_parse(&answers, step, given->items[i].text));
    if (step == POV_SETUP_CAMERA && t->args->camera) {
        POV_TRY(pov_setup_answer_set(&answers, step, "source", "libcamera"));
        POV_TRY(pov_setup_answer_set(&answers, step, "id", t->args->camera));
    }
    const bool is_new = answers.len == t->setup->answers[step].len;
    if (is_new && t->setup->existed && step < POV_SETUP_WRITE && (t->args->presets || t->ended))
        return pov_ok(); /* as the file has it */
    if (is_new && step == POV_SETUP_RUN)
        POV_TRY(pov_setup_answer_set(&answers, step, "how", t->args->run ? "run" : "end"));
    fprintf(stderr, "\n%s\n", POV_SETUP_STEPS[step].about);
    POV_TRY(ask_step(t, &answers, step));
    return take_step(t, step, &answers);
}

static pov_status lead_at_terminal(const arguments *args, pov_setup *setup)
{
    terminal t = {.args = args, .setup = setup};
    for (int step = 0; step < POV_SETUP_STEP_COUNT; step++)
        POV_TRY(set_step(&t, (pov_setup_step_id)step));
    return pov_ok();
}

/* ---- in the browser ---- */

static pov_status open_page(pov_dashboard **dashboard, const arguments *args)
{
    pov_dashboard_place place = {.at = args->at};
    if (place.at.address[0])
        return pov_dashboard_new(dashboard, &place);
    place.at = (pov_http_place){.address = "127.0.0.1", .port = USUAL_PORT};
    const pov_status status = pov_dashboard_new(dashboard, &place);
    if (status.code == POV_OK)
        return status;
    place.at.port = 0;
    return pov_dashboard_new(dashboard, &place);
}

static pov_status lead_in_browser(const arguments *args, pov_setup *setup, char url[POV_URL_CAPACITY])
{
    enum { LAST_TURNS = 10 }; /* the page fetches the end; chosen: 1.5 s */
    char line[LINE_CAPACITY];
    pov_dashboard *dashboard;
    POV_TRY(open_page(&dashboard, args));
    pov_dashboard_print_place(dashboard, "set-up", "setup.html");
    snprintf(url, POV_URL_CAPACITY, "%s", pov_dashboard_url(dashboard));
    for (int left = LAST_TURNS; left > 0 && !pov_cli_stop_requested(); left -= setup->ended) {
        while (pov_dashboard_take_line(dashboard, line, sizeof line)) {
            const pov_status status = pov_setup_page_take(setup, line);
            if (status.code != POV_OK)
                pov_cli_warn("%s", status.message);
        }
        pov_setup_page_show(setup, dashboard);
        pov_setup_turn(setup, dashboard);
    }
    pov_dashboard_destroy(&dashboard);
    return setup->written ? pov_ok() : pov_error("ended before the file was written");
}

/* ---- the command ---- */

/* As 'pov run' with the same page's place; a simulated world begins again when it ends. */
static int run_station(const pov_setup *setup, const char *url, const arguments *args)
{
    char path[POV_PATH_CAPACITY], place[ARGUMENT_CAPACITY];
    const bool is_simulated = setup->station->source.kind == POV_SOURCE_SIMULATOR;
    const char *port = strrchr(url, ':');
    snprintf(path, sizeof path, "%s", setup->path);
    snprintf(place, sizeof place, "%s:%d", args->at.address[0] ? args->at.address : "127.0.0.1",
             port ? atoi(port + 1) : args->at.port);
    const char *words[] = {"run", path, "--quiet", *url ? "--dashboard" : NULL, place, NULL,
                           NULL,  NULL, NULL};
    int len = *url ? 5 : 3;
    if (is_simulated) {
        words[len++] = "--loop";
        words[len++] = "--rate";
        words[len++] = "5";
    }
    return pov_command_run.run(len, (char **)words);
}

static int run(int argc, char **argv)
{
    arguments args = {.path = NULL};
    pov_setup *setup;
    char url[POV_URL_CAPACITY] = "";
    POV_OR_EXIT(read_options(&args, argc, argv));
    pov_cli_catch_signals();
    pov_status status = pov_setup_new(&setup, args.path);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    status = args.terminal ? lead_at_terminal(&args, setup) : lead_in_browser(&args, setup, url);
    pov_setup_close_picture(setup); /* the camera is the station's now */
    int code = pov_cli_exit(status);
    if (code == POV_EXIT_OK && (setup->wants_run || args.run) && !args.no_run && !pov_cli_stop_requested())
        code = run_station(setup, url, &args);
    pov_setup_destroy(&setup);
    return code;
}
