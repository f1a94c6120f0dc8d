/* The program's own commands, run for a step, and what came of them. */
#include "config/files/json_value.h"
#include "config/files/read_file.h"
#include "config/yaml/yaml_edit.h"
#include "firmware/setup/setup_session.h"

#include <cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_BYTES_MAX = 16 << 20 };

static const double enough_deg = 1; /* what a lens may be off by, three standard deviations */
static const double enough_px = 1;  /* what images that were not fitted to may be off by, RMS; chosen */
static const double lean_most_deg = 5,
                    arc_least_deg = 270; /* of a turntable: upright, and turned nearly round; chosen */

void pov_setup_path_in(char path[POV_PATH_CAPACITY], const char *folder, const char *name)
{
    const bool is_whole = *name == '/' || strcmp(folder, ".") == 0;
    const int len =
        snprintf(path, POV_PATH_CAPACITY, "%s%s%s", is_whole ? "" : folder, is_whole ? "" : "/", name);
    POV_REQUIRE(len < POV_PATH_CAPACITY); /* folders and names are far shorter */
}

void pov_setup_free_path(char path[POV_PATH_CAPACITY], const char **name, const char *folder,
                         const char *stem, const char *end)
{
    struct stat there;
    char file[POV_SETUP_VALUE_CAPACITY];
    snprintf(file, sizeof file, "%s%s", stem, end);
    pov_setup_path_in(path, folder, file);
    for (int i = 2; lstat(path, &there) == 0; i++) {
        snprintf(file, sizeof file, "%s-%d%s", stem, i, end);
        pov_setup_path_in(path, folder, file);
    }
    *name = path + strlen(path) - strlen(file);
}

/* ---- starting ---- */

/* As one types it: the station file itself in place of its draft. */
static void note_command(pov_setup *s, const char *const words[])
{
    size_t len = (size_t)snprintf(s->command, sizeof s->command, "pov");
    for (; *words && len < sizeof s->command; words++) {
        const char *word = *s->job.draft && strcmp(*words, s->job.draft) == 0 ? s->path : *words;
        len += (size_t)snprintf(s->command + len, sizeof s->command - len,
                                strpbrk(word, " '") ? " '%s'" : " %s", word);
    }
}

static int open_log(const pov_setup *s, const char *name)
{
    char path[POV_PATH_CAPACITY];
    pov_setup_path_in(path, s->work, name);
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

/* Starts `pov` with these words; what it prints goes to files of the work folder. */
static pov_status start_program(pid_t *pid, const pov_setup *s, const char *const words[],
                                const char *out_name)
{
    const char *arguments[32] = {"pov"};
    posix_spawn_file_actions_t actions;
    for (int i = 0; words[i]; i++) {
        POV_REQUIRE(i < 30);
        arguments[i + 1] = words[i];
    }
    const int out = open_log(s, out_name), err = open_log(s, "err.txt");
    int problem = out < 0 || err < 0 ? errno : 0;
    if (problem == 0) {
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
        problem = posix_spawn(pid, "/proc/self/exe", &actions, NULL, (char *const *)arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (out >= 0)
        close(out);
    if (err >= 0)
        close(err);
    if (problem == 0)
        return pov_ok();
    *pid = 0;
    return pov_error("cannot run pov %s: %s", words[0], strerror(problem));
}

pov_status pov_setup_job_start(pov_setup *setup, pov_setup_step_id step, const char *const words[])
{
    POV_TRY(start_program(&setup->job.pid, setup, words, "out.txt"));
    setup->job.step = step;
    note_command(setup, words);
    return pov_ok();
}

static void stop_program(pid_t *pid)
{
    if (*pid == 0)
        return;
    kill(*pid, SIGTERM);
    while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    *pid = 0;
}

static void remove_draft(pov_setup *s)
{
    if (*s->job.draft)
        unlink(s->job.draft);
    *s->job.draft = '\0';
}

void pov_setup_job_stop(pov_setup *setup)
{
    stop_program(&setup->job.pid);
    stop_program(&setup->job.server);
    remove_draft(setup);
    setup->job.part = POV_SETUP_PART_SWEEP;
}

pov_status pov_setup_write_draft(pov_setup *setup, const char *text)
{
    const char *name;
    pov_write_file file;
    pov_setup_free_path(setup->job.draft, &name, setup->folder, "draft", ".yaml");
    pov_status status = pov_write_file_begin(&file, setup->job.draft);
    if (status.code == POV_OK) {
        fputs(text, file.stream);
        status = pov_write_file_end(&file, pov_ok());
    }
    if (status.code != POV_OK)
        *setup->job.draft = '\0';
    return status;
}

/* ---- what they said ---- */

/* The last line that says something, without its "pov: "; to be freed. */
static char *last_complaint(const pov_setup *s)
{
    char path[POV_PATH_CAPACITY];
    pov_bytes bytes = {0};
    pov_setup_path_in(path, s->work, "err.txt");
    if (pov_read_file(&bytes, path, OUTPUT_BYTES_MAX, "an error").code != POV_OK || !bytes.data ||
        bytes.length == 0) {
        pov_bytes_free(&bytes);
        return strdup("it failed without a word");
    }
    char *text = (char *)bytes.data, *line = text;
    for (char *rest = text, *part; (part = strsep(&rest, "\n")) != NULL;)
        if (*part)
            line = part;
    char *copy = strdup(strncmp(line, "pov: ", 5) == 0 ? line + 5 : line);
    pov_bytes_free(&bytes);
    return copy;
}

static cJSON *read_output(const pov_setup *s)
{
    char path[POV_PATH_CAPACITY];
    pov_bytes bytes = {0};
    pov_setup_path_in(path, s->work, "out.txt");
    if (pov_read_file(&bytes, path, OUTPUT_BYTES_MAX, "an output").code != POV_OK)
        return NULL;
    cJSON *root = pov_json_parse((const char *)bytes.data, bytes.length);
    pov_bytes_free(&bytes);
    return root;
}

static double item_of(const cJSON *list, int i)
{
    const cJSON *item = cJSON_GetArrayItem(list, i);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* Takes an edited copy of the text for a step; its error is the step's verdict. */
static bool take_copy(pov_setup *s, pov_setup_step_id step, char *text, pov_status edited)
{
    const pov_status status = pov_setup_take_text(s, text, edited);
    if (status.code != POV_OK)
        pov_setup_fail(s, step, status);
    return status.code == POV_OK;
}

/* The user measures the print and uses it; the form says how. */
static void finish_print(pov_setup *s, pov_setup_step_id step)
{
    static const char measure[] = "Print it at 100 %, and measure its ruler";
    const bool is_board = step == POV_SETUP_LENS;
    pov_status status = pov_setup_answer_set(&s->answers[step], step, "how", is_board ? "board" : "motor");
    if (status.code == POV_OK && !is_board)
        status = pov_setup_answer_set(&s->answers[step], step, "ring", s->job.made);
    if (status.code != POV_OK)
        pov_setup_fail(s, step, status);
    else
        pov_setup_judge(s, step, POV_SETUP_OPEN, "Written: %.200s. %s; %s.", s->prints[step], measure,
                        is_board ? "glue it to something flat, and show it"
                                 : "glue the ring to the disc, and say what turns it");
}

static void finish_turntable(pov_setup *s)
{
    cJSON *told = read_output(s);
    const cJSON *at = cJSON_GetObjectItem(told, "pos_m"), *axis = cJSON_GetObjectItem(told, "axis"),
                *cov = cJSON_GetObjectItem(told, "cov"), *slip = cJSON_GetObjectItem(told, "slip");
    char *text = pov_setup_text_copy(s), play[POV_SETUP_VALUE_CAPACITY] = "";
    const pov_status edited = pov_setup_edit_measured(&text, s->job.made);
    if (cJSON_IsNumber(cJSON_GetObjectItem(slip, "backlash_deg")))
        snprintf(play, sizeof play, " Backlash %.2f° ± %.2f°; told against seen: %.2f°.",
                 pov_json_number_of(slip, "backlash_deg"), pov_json_number_of(slip, "backlash_std_deg"),
                 pov_json_number_of(slip, "scatter_deg"));
    if (take_copy(s, POV_SETUP_TURNTABLE, text, edited)) {
        const double lean_deg = acos(fmin(1, item_of(axis, 2))) / POV_DEG,
                     arc_deg = pov_json_number_of(told, "arc_deg"),
                     rms_px = pov_json_number_of(told, "rms_px");
        const bool good = lean_deg < lean_most_deg && arc_deg > arc_least_deg && rms_px < enough_px;
        pov_setup_judge(
            s, POV_SETUP_TURNTABLE, good ? POV_SETUP_GOOD : POV_SETUP_BAD,
            "Its axis stands at %.3f, %.3f m, ± %.2f mm, and leans by %.1f°. %d tags on the disc were seen "
            "over %.0f°, and fit to %.2f px.%s Written: %.150s.%s",
            item_of(at, 0), item_of(at, 1), 1e3 * sqrt(fmax(item_of(cov, 3 * 7), item_of(cov, 4 * 7))),
            lean_deg, cJSON_GetArraySize(cJSON_GetObjectItem(told, "tags")), arc_deg, rms_px, play,
            s->job.made, good ? "" : " Look at turntable.html beside the images, and measure it again.");
    }
    cJSON_Delete(told);
}

/* It is a thing that is found by its look; its verdict waits for the picture. */
static void finish_enrol(pov_setup *s)
{
    pov_setup_answers answers = s->answers[POV_SETUP_THINGS];
    cJSON *told = read_output(s);
    const cJSON *help = cJSON_GetArrayItem(cJSON_GetObjectItem(told, "would_help"), 0);
    pov_status status = pov_setup_answer_set(&answers, POV_SETUP_THINGS, "found_by", "enrolled");
    POV_THEN(status, pov_setup_answer_set(&answers, POV_SETUP_THINGS, "file", s->job.made));
    char *text = pov_setup_text_copy(s);
    POV_THEN(status, pov_setup_edit_thing(&text, &answers, NULL));
    if (take_copy(s, POV_SETUP_THINGS, text, status)) {
        snprintf(s->note, sizeof s->note, "Enrolled from %.0f sides; its turn is told to %.1f°.%s%.120s%s ",
                 pov_json_number_of(told, "views"), pov_json_number_of(told, "expected_error_deg"),
                 help ? " Better still: " : "", help ? help->valuestring : "", help ? "." : "");
        pov_setup_name(s, POV_SETUP_THINGS);
    }
    cJSON_Delete(told);
}

static void finish_lens(pov_setup *s)
{
    cJSON *told = read_output(s);
    const cJSON *map = cJSON_GetObjectItem(told, "uncertainty"),
                *advice = cJSON_GetObjectItem(told, "advice"), *first = cJSON_GetArrayItem(advice, 0);
    char *text = pov_setup_text_copy(s);
    const pov_status edited = pov_setup_edit_lens(&text, &s->answers[POV_SETUP_LENS], s->job.made);
    if (take_copy(s, POV_SETUP_LENS, text, edited)) {
        const double worst_deg = pov_json_number_of(map, "max_px") / s->station->camera.fx_px / POV_DEG,
                     holdout_px = pov_json_number_of(told, "holdout_px");
        const bool good = 3 * worst_deg < enough_deg && holdout_px < enough_px;
        pov_setup_judge(
            s, POV_SETUP_LENS, good ? POV_SETUP_GOOD : POV_SETUP_BAD,
            "Good enough for 1° at 1 m: %s. %.0f of the images were used; images held out fit to %.2f px; a "
            "point is off by %.3f° at worst (1 σ), which is %.1f mm at 1 m. Written: %.200s.%s%.200s",
            good ? "yes" : "no", pov_json_number_of(told, "images_used"), holdout_px, worst_deg,
            1e3 * tan(worst_deg * POV_DEG), s->job.made, first ? " Better still: " : "",
            first ? first->valuestring : "");
    }
    cJSON_Delete(told);
}

static void finish_tags(pov_setup *s, bool is_measured)
{
    cJSON *told = is_measured ? read_output(s) : NULL;
    char *text = pov_setup_text_copy(s), residuals[POV_SETUP_WORDS_CAPACITY] = "";
    if (is_measured) {
        double worst_m = 0;
        const cJSON *tag;
        cJSON_ArrayForEach(tag, cJSON_GetObjectItem(told, "tags"))
        {
            const double std_m = pov_json_number_of(tag, "position_std_m");
            worst_m = std_m > worst_m ? std_m : worst_m;
        }
        snprintf(residuals, sizeof residuals,
                 "%.0f tags in the map from %.0f images, RMS %.2f px, known to %.1f mm at worst. ",
                 pov_json_number_of(told, "tags_mapped"), pov_json_number_of(told, "images_used"),
                 pov_json_number_of(told, "rms_px"), 1e3 * worst_m);
    }
    const pov_status edited = pov_setup_edit_tags(&text, s->job.made);
    if (take_copy(s, POV_SETUP_TAGS, text, edited))
        pov_setup_judge(s, POV_SETUP_TAGS, POV_SETUP_GOOD, "%sWritten: %.200s%s.", residuals, s->job.made,
                        is_measured ? "" : ", and the sheet: print it at 100 % and measure its ruler");
    cJSON_Delete(told);
}

/* Tells the model's reply and whether it looks at the image; without a reply, the reason. */
static void finish_vlm(pov_setup *s, bool failed)
{
    cJSON *told = read_output(s);
    const char *reply = pov_json_text_of(told, "reply"), *question = pov_json_text_of(told, "question"),
               *looks = pov_json_text_of(cJSON_GetObjectItem(told, "canary"), "meaning"),
               *cause = pov_json_text_of(told, "cause");
    char words[POV_SETUP_WORDS_CAPACITY];
    snprintf(words, sizeof words, "Asked '%.100s' it replies '%.100s', and it %s%s%.200s", question, reply,
             looks, *cause ? "; " : "", cause);
    if (failed) {
        char *complaint = last_complaint(s);
        pov_setup_fail(s, POV_SETUP_VLM,
                       pov_error("%.500s", pov_json_number_of(told, "answered") > 0 ? words
                                           : *cause                                 ? cause
                                                                                    : complaint));
        free(complaint);
    } else {
        char *text = pov_setup_text_copy(s);
        const pov_status edited = pov_setup_edit_vlm(&text, &s->answers[POV_SETUP_VLM], s->job.made);
        if (take_copy(s, POV_SETUP_VLM, text, edited))
            pov_setup_judge(s, POV_SETUP_VLM, POV_SETUP_GOOD, "%s.", words);
    }
    cJSON_Delete(told);
}

/* ---- a sweep, a model's answers, a report ---- */

/* In the simulated lab a simulated model answers, from the camera's view. */
static pov_status start_model(pov_setup *s)
{
    return start_program(
        &s->job.server, s,
        (const char *const[]){"vlm-sim", "--truth", s->job.made, "--bias", "egocentric", "--json", NULL},
        "model.txt");
}

/* Once the model has told its URL, it is asked. */
static pov_status ask_model(pov_setup *s)
{
    char path[POV_PATH_CAPACITY];
    pov_bytes bytes = {0};
    pov_setup_path_in(path, s->work, "model.txt");
    if (pov_read_file(&bytes, path, OUTPUT_BYTES_MAX, "a model's place").code != POV_OK)
        return pov_ok(); /* nothing is printed yet */
    cJSON *told = pov_json_parse((const char *)bytes.data, bytes.length);
    pov_bytes_free(&bytes);
    const char *url = pov_json_text_of(told, "url");
    pov_status status = pov_ok(); /* no line yet: the next turn looks again */
    if (*url)
        status = pov_setup_job_start(
            s, POV_SETUP_RUN,
            (const char *const[]){"compare", s->job.made, "--vlm", url, "--model", "egocentric", NULL});
    cJSON_Delete(told);
    return status;
}

static pov_status start_report(pov_setup *s)
{
    char page[POV_PATH_CAPACITY];
    pov_setup_path_in(page, s->job.made, "report.html");
    return pov_setup_job_start(s, POV_SETUP_RUN,
                               (const char *const[]){"report", s->job.made, "--out", page, NULL});
}

static void end_run(pov_setup *s, bool has_report)
{
    pov_setup_job_stop(s);
    const pov_status shown = pov_setup_open_view(s, POV_SETUP_SCENE); /* the camera was the sweep's */
    if (shown.code != POV_OK)
        pov_setup_fail(s, POV_SETUP_CAMERA, shown);
    if (has_report)
        pov_setup_path_in(s->report, s->job.made, "report.html");
    pov_setup_judge(s, POV_SETUP_RUN, POV_SETUP_GOOD,
                    has_report ? "Swept; the report is %.300s/report.html."
                               : "Swept into %.300s. 'pov compare' asks a model about it, 'pov report' makes "
                                 "a page of the answers.",
                    s->job.made);
}

static void finish_run(pov_setup *s)
{
    const bool asks_others = pov_yaml_has(s->text, "vlm.endpoints"),
               asks_ours = !asks_others && pov_setup_is_practice(s);
    pov_status status;
    if (s->job.part == POV_SETUP_PART_REPORT) {
        end_run(s, true);
        return;
    }
    if (s->job.part == POV_SETUP_PART_SWEEP && asks_ours) {
        s->job.part = POV_SETUP_PART_ANSWERS;
        status = start_model(s);
    } else {
        s->job.part = POV_SETUP_PART_REPORT;
        status = start_report(s);
    }
    if (status.code != POV_OK) {
        end_run(s, false);
        pov_setup_fail(s, POV_SETUP_RUN, status);
    }
}

static void finish_job(pov_setup *s, bool failed)
{
    const pov_setup_step_id step = s->job.step;
    const char *how =
        pov_setup_field_find(step, "how") ? pov_setup_answer(&s->answers[step], step, "how") : "";
    remove_draft(s);
    if (step == POV_SETUP_VLM) {
        finish_vlm(s, failed);
        return;
    }
    if (failed) {
        char *complaint = last_complaint(s);
        pov_setup_job_stop(s);
        pov_setup_fail(s, step, pov_error("%.500s", complaint ? complaint : "it failed"));
        free(complaint);
    } else if (strcmp(how, "print") == 0 || strcmp(how, "ring") == 0) {
        finish_print(s, step);
    } else if (step == POV_SETUP_LENS) {
        finish_lens(s);
    } else if (step == POV_SETUP_TAGS) {
        finish_tags(s, strcmp(how, "sheet") != 0);
    } else if (step == POV_SETUP_TURNTABLE) {
        finish_turntable(s);
    } else if (step == POV_SETUP_THINGS) {
        finish_enrol(s);
    } else if (step == POV_SETUP_WRITE) {
        pov_setup_judge(s, step, POV_SETUP_GOOD, "Written and read back: %.400s.", s->path);
        s->written = true;
    } else {
        finish_run(s);
    }
}

void pov_setup_job_poll(pov_setup *setup)
{
    int result;
    if (setup->job.pid == 0 && setup->job.server != 0) {
        const pov_status status = ask_model(setup);
        if (status.code != POV_OK || waitpid(setup->job.server, NULL, WNOHANG) != 0) {
            setup->job.server = status.code == POV_OK ? 0 : setup->job.server;
            end_run(setup, false);
            pov_setup_fail(setup, POV_SETUP_RUN, pov_error("the simulated model did not start"));
        }
    }
    if (setup->job.pid == 0)
        return;
    const pid_t ended = waitpid(setup->job.pid, &result, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return;
    setup->job.pid = 0;
    finish_job(setup, ended < 0 || result != 0);
}
