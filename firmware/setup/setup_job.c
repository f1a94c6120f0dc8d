/* The program's own commands, run for a step, and what came of them. */
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

static void note_command(pov_setup *s, const char *const words[])
{
    size_t len = (size_t)snprintf(s->command, sizeof s->command, "pov");
    for (; *words && len < sizeof s->command; words++)
        len += (size_t)snprintf(s->command + len, sizeof s->command - len,
                                strpbrk(*words, " '") ? " '%s'" : " %s", *words);
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

void pov_setup_job_stop(pov_setup *setup)
{
    stop_program(&setup->job.pid);
    stop_program(&setup->job.server);
    setup->job.part = POV_SETUP_PART_SWEEP;
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
    cJSON *root = cJSON_ParseWithLength((const char *)bytes.data, bytes.length);
    pov_bytes_free(&bytes);
    return root;
}

static double number_in(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* Takes an edited copy of the text for a step; its error is the step's verdict. */
static bool take_copy(pov_setup *s, pov_setup_step_id step, char *text, pov_status status)
{
    if (status.code == POV_OK)
        status = pov_setup_take_text(s, text);
    else
        free(text);
    if (status.code != POV_OK)
        pov_setup_fail(s, step, status);
    return status.code == POV_OK;
}

static void finish_lens(pov_setup *s)
{
    cJSON *told = read_output(s);
    const cJSON *map = cJSON_GetObjectItem(told, "uncertainty"),
                *advice = cJSON_GetObjectItem(told, "advice"), *first = cJSON_GetArrayItem(advice, 0);
    char *text = strdup(s->text);
    POV_REQUIRE_MEMORY(text);
    const pov_status edited = pov_setup_edit_lens(&text, &s->answers[POV_SETUP_LENS], s->job.made);
    if (take_copy(s, POV_SETUP_LENS, text, edited)) {
        const double worst_deg = number_in(map, "max_px") / s->station->camera.fx_px / POV_DEG,
                     holdout_px = number_in(told, "holdout_px");
        const bool good = 3 * worst_deg < enough_deg && holdout_px < enough_px;
        pov_setup_judge(
            s, POV_SETUP_LENS, good ? POV_SETUP_GOOD : POV_SETUP_BAD,
            "Good enough for 1° at 1 m: %s. %.0f of the images were used; images held out fit to %.2f px; a "
            "point is off by %.3f° at worst (1 σ), which is %.1f mm at 1 m. Written: %.200s.%s%.200s",
            good ? "yes" : "no", number_in(told, "images_used"), holdout_px, worst_deg,
            1e3 * tan(worst_deg * POV_DEG), s->job.made, first ? " Better still: " : "",
            first ? first->valuestring : "");
    }
    cJSON_Delete(told);
}

static void finish_tags(pov_setup *s, bool is_measured)
{
    cJSON *told = is_measured ? read_output(s) : NULL;
    char *text = strdup(s->text), residuals[POV_SETUP_WORDS_CAPACITY] = "";
    POV_REQUIRE_MEMORY(text);
    if (is_measured) {
        double worst_m = 0;
        const cJSON *tag;
        cJSON_ArrayForEach(tag, cJSON_GetObjectItem(told, "tags"))
        {
            const double std_m = number_in(tag, "position_std_m");
            worst_m = std_m > worst_m ? std_m : worst_m;
        }
        snprintf(residuals, sizeof residuals,
                 "%.0f tags in the map from %.0f images, RMS %.2f px, known to %.1f mm at worst. ",
                 number_in(told, "tags_mapped"), number_in(told, "images_used"), number_in(told, "rms_px"),
                 1e3 * worst_m);
    }
    const pov_status edited = pov_setup_edit_tags(&text, s->job.made);
    if (take_copy(s, POV_SETUP_TAGS, text, edited))
        pov_setup_judge(s, POV_SETUP_TAGS, POV_SETUP_GOOD, "%sWritten: %.200s%s.", residuals, s->job.made,
                        is_measured ? "" : ", and the sheet to print at 100 % beside it, as PDF");
    cJSON_Delete(told);
}

/* The verdict about the image in the check's report: "looks at the image"; "" if there is none. */
static void read_check(char verdict[POV_SETUP_VALUE_CAPACITY], const pov_setup *s)
{
    static const char mark[] = "  image ";
    char path[POV_PATH_CAPACITY];
    pov_bytes bytes = {0};
    *verdict = '\0';
    pov_setup_path_in(path, s->work, "out.txt");
    if (pov_read_file(&bytes, path, OUTPUT_BYTES_MAX, "a check").code != POV_OK)
        return;
    const char *line = strstr((const char *)bytes.data, mark);
    if (line) {
        line += sizeof mark - 1;
        line += strspn(line, " ");
        snprintf(verdict, POV_SETUP_VALUE_CAPACITY, "%.*s", (int)strcspn(line, "\n"), line);
    }
    pov_bytes_free(&bytes);
}

static void finish_vlm(pov_setup *s, bool failed)
{
    char verdict[POV_SETUP_VALUE_CAPACITY];
    read_check(verdict, s);
    if (failed) {
        char *complaint = last_complaint(s);
        pov_setup_fail(s, POV_SETUP_VLM,
                       pov_error("%s%s%.300s", verdict, *verdict ? "; " : "", complaint ? complaint : ""));
        free(complaint);
        return;
    }
    char *text = strdup(s->text);
    POV_REQUIRE_MEMORY(text);
    const pov_status edited = pov_setup_edit_vlm(&text, &s->answers[POV_SETUP_VLM], s->job.made);
    if (take_copy(s, POV_SETUP_VLM, text, edited))
        pov_setup_judge(s, POV_SETUP_VLM, POV_SETUP_GOOD, "It answers, and %s.",
                        *verdict ? verdict : "the check is content");
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
    cJSON *told = cJSON_ParseWithLength((const char *)bytes.data, bytes.length);
    pov_bytes_free(&bytes);
    const char *url = cJSON_GetStringValue(cJSON_GetObjectItem(told, "url"));
    pov_status status = pov_ok(); /* no line yet: the next turn looks again */
    if (url)
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
    if (step == POV_SETUP_VLM) {
        finish_vlm(s, failed);
        return;
    }
    if (failed) {
        char *complaint = last_complaint(s);
        pov_setup_job_stop(s);
        pov_setup_fail(s, step, pov_error("%.500s", complaint ? complaint : "it failed"));
        free(complaint);
    } else if (step == POV_SETUP_LENS) {
        finish_lens(s);
    } else if (step == POV_SETUP_TAGS) {
        finish_tags(s, strcmp(pov_setup_answer(&s->answers[step], step, "how"), "sheet") != 0);
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
