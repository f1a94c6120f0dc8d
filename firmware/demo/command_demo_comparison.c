#include "firmware/demo/command_demo_comparison.h"

#include "config/files/read_file.h"
#include "config/files/write_file.h"
#include "firmware/cli.h"
#include "firmware/sweep/sweep.h"
#include "firmware/vlm/vlm_open.h"

#include <cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_CAPACITY = 1024, LINE_CAPACITY = 512, TEXT_BYTES_MAX = 16 << 20 };

typedef struct {
    char folder[PATH_CAPACITY - 64];
    char world[PATH_CAPACITY], station[PATH_CAPACITY], sweep[PATH_CAPACITY], scores[PATH_CAPACITY];
    char page[PATH_CAPACITY], text[PATH_CAPACITY];
} places;

/* ---- our own commands ---- */

/* Starts `pov` with these arguments, the first being "pov", the last NULL; stdout goes to `out`. */
static pov_status start_program(pid_t *child, const char *const arguments[], int out)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    int problem = posix_spawn(child, "/proc/self/exe", &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return problem == 0 ? pov_ok() : pov_error("cannot start pov %s: %s", arguments[1], strerror(problem));
}

static pov_status run(const char *const arguments[], const char *out_path)
{
    pid_t child;
    int result, out = open(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (out < 0)
        return pov_error("%s: cannot be written: %s", out_path, strerror(errno));
    pov_status status = start_program(&child, arguments, out);
    close(out);
    POV_TRY(status);
    while (waitpid(child, &result, 0) < 0 && errno == EINTR)
        if (pov_cli_stop_requested())
            kill(child, SIGTERM);
    return result == 0 ? pov_ok() : pov_error("pov %s failed", arguments[1]);
}

/* ---- the simulated model ---- */

typedef struct {
    pid_t child;
    char url[256];
} model;

/* The first line that a server prints is JSON with its URL. */
static pov_status read_url(model *server, int from)
{
    char line[LINE_CAPACITY];
    ssize_t len = read(from, line, sizeof line);
    cJSON *said = cJSON_ParseWithLength(line, len > 0 ? (size_t)len : 0);
    const char *url = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(said, "url"));
    snprintf(server->url, sizeof server->url, "%s", url ? url : "");
    cJSON_Delete(said);
    return server->url[0] ? pov_ok() : pov_error("pov vlm-sim does not say where it listens");
}

static pov_status start_model(model *server, const char *truth)
{
    const char *const arguments[] = {"pov",    "vlm-sim",    "--truth", truth,
                                     "--bias", "egocentric", "--json",  NULL};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return pov_error("no pipe for the simulated model: %s", strerror(errno));
    pov_status status = start_program(&server->child, arguments, ends[1]);
    close(ends[1]);
    if (status.code == POV_OK)
        status = read_url(server, ends[0]);
    else
        server->child = 0;
    close(ends[0]);
    return status;
}

static void stop_model(const model *server)
{
    if (server->child <= 0)
        return;
    kill(server->child, SIGTERM);
    waitpid(server->child, NULL, 0);
}

/* ---- steps ---- */

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts;
    (void)kind;
    (void)place;
    return remove(path);
}

/* Removes the files of an earlier demo; a folder with its own log holds nothing else. */
static void clear_folder(const places *p)
{
    char log[PATH_CAPACITY + 32];
    snprintf(log, sizeof log, "%s/log.sqlite", p->sweep);
    if (access(log, F_OK) == 0)
        (void)nftw(p->sweep, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static pov_status set_places(places *p, const char *folder)
{
    if (snprintf(p->folder, sizeof p->folder, "%s", folder) >= (int)sizeof p->folder)
        return pov_error("%s: this path is too long", folder);
    snprintf(p->world, sizeof p->world, "%s/world", p->folder);
    snprintf(p->station, sizeof p->station, "%s/world/live.yaml", p->folder);
    snprintf(p->sweep, sizeof p->sweep, "%s/sweep", p->folder);
    snprintf(p->scores, sizeof p->scores, "%s/scores.txt", p->folder);
    snprintf(p->page, sizeof p->page, "%s/report.html", p->folder);
    snprintf(p->text, sizeof p->text, "%s/report.md", p->folder);
    return pov_write_folder(p->folder);
}

/* The station that 'pov sim' wrote, with the world itself in place of the folder of images. */
static pov_status write_live_station(const places *p)
{
    static const char from[] = "source: folder", to[] = "source: simulator";
    char written[PATH_CAPACITY + 32];
    pov_bytes bytes = {0};
    pov_write_file file;
    snprintf(written, sizeof written, "%s/station.yaml", p->world);
    POV_TRY(pov_read_file(&bytes, written, TEXT_BYTES_MAX, "a station file"));
    const char *at = strstr((const char *)bytes.data, from);
    pov_status status =
        at ? pov_write_file_begin(&file, p->station) : pov_error("%s: no '%s'", written, from);
    if (status.code == POV_OK) {
        const char *text = (const char *)bytes.data;
        fprintf(file.stream, "%.*s%s%s", (int)(at - text), text, to, at + sizeof from - 1);
        status = pov_write_file_end(&file, pov_ok());
    }
    pov_bytes_free(&bytes);
    return status;
}

static pov_status make_world(const places *p)
{
    const char *const sim[] = {"pov",   "sim",    "comfort-car", "--images", "1",       "--size", "480x480",
                               "--out", p->world, "--bodies",    "own",      "--quiet", NULL};
    POV_TRY(run(sim, p->scores));
    return write_live_station(p);
}

/* The simulated model knows what is true of images from a file that grows with the sweep. */
static pov_status make_truth(const places *p)
{
    char path[PATH_CAPACITY + 32];
    pov_write_file file;
    POV_TRY(pov_write_folder(p->sweep));
    snprintf(path, sizeof path, "%s/vlm_truth.jsonl", p->sweep);
    POV_TRY(pov_write_file_begin(&file, path));
    fputc('\n', file.stream); /* an empty file is taken for a mistake */
    return pov_write_file_end(&file, pov_ok());
}

/* As pov sweep does, in this process, which has the dashboard. */
static pov_status run_sweep(pov_sweep_options *options, pov_station *station, const places *p)
{
    pov_log_folder folder;
    pov_sweep_summary summary;
    POV_TRY(pov_station_read(station, p->station));
    POV_TRY(pov_sweep_settle_pairs(&options->asking, station));
    options->station_path = p->station;
    options->station = station;
    POV_TRY(pov_log_folder_open(&folder, p->sweep, "pov sweep", true));
    const pov_status status = pov_sweep_run(&summary, &folder, options);
    pov_log_folder_close(&folder);
    POV_TRY(status);
    return summary.asking.code == POV_END ? summary.asking : pov_ok();
}

static pov_status sweep_and_ask(const places *p, const pov_demo_guide *guide)
{
    pov_sweep_options options = POV_SWEEP_OPTIONS_DEFAULT;
    model server = {0};
    pov_station *station = malloc(sizeof *station);
    pov_vlm_config *vlm = malloc(sizeof *vlm);
    POV_REQUIRE_MEMORY(station && vlm);
    options.vlm = vlm;
    options.dashboard = guide->dashboard;
    options.pace_s = guide->pace_s;
    options.text = guide->is_watched ? stdout : NULL;
    pov_status status = make_truth(p);
    if (status.code == POV_OK)
        status = start_model(&server, p->sweep);
    if (status.code == POV_OK)
        status = pov_vlm_open(vlm, server.url, "egocentric vlm-sim");
    if (status.code == POV_OK)
        status = run_sweep(&options, station, p);
    stop_model(&server);
    free(vlm);
    free(station);
    return status;
}

static pov_status write_report(const places *p)
{
    const char *const scores[] = {"pov", "compare", p->sweep, NULL};
    const char *const report[] = {"pov", "report", p->sweep, "--out", p->page, "--markdown", p->text, NULL};
    POV_TRY(run(scores, p->scores));
    return run(report, "/dev/null");
}

/* "- MODEL, LANGUAGE, SET, VIEWPOINT: CLAUSE (figures); CLAUSE (figures)." without the figures, a clause a line, and without
 * what is the same in all of them. */
static void print_finding(const char *line, const char *end)
{
    const char *colon = memchr(line, ':', (size_t)(end - line)), *from = colon ? colon : line;
    bool within = false;
    while (from > line && *from != ',')
        from--;
    fputs("  -", stdout);
    for (const char *c = from + 1; c < end; c++) {
        within |= *c == ' ' && c + 1 < end && c[1] == '(';
        if (!within)
            putchar(*c);
        if (!within && (*c == ';' || c == colon))
            fputs("\n     ", stdout);
        within &= *c != ')';
    }
    putchar('\n');
}

/* The report's findings, in its own words. */
static pov_status print_findings(const places *p)
{
    pov_bytes bytes = {0};
    POV_TRY(pov_read_file(&bytes, p->text, TEXT_BYTES_MAX, "a report"));
    const char *from = strstr((const char *)bytes.data, "## Findings\n");
    const char *to = from ? strstr(from, "\n\n**") : NULL; /* its tables */
    if (to)
        puts("\nIt finds, of COMFORT's questions asked from");
    for (const char *line = from; to && line && line < to; line = strchr(line + 1, '\n'))
        if (strncmp(line, "\n- ", 3) == 0)
            print_finding(line + 3, line + 1 + strcspn(line + 1, "\n"));
    if (to)
        putchar('\n');
    pov_bytes_free(&bytes);
    return pov_ok();
}

pov_status pov_demo_compare(const char *folder, const pov_demo_guide *guide)
{
    places p;
    POV_TRY(set_places(&p, folder));
    clear_folder(&p);
    pov_demo_guide_say(guide, "1/3 Making a simulated world: a basketball circles a car, a woman looks on");
    POV_TRY(make_world(&p));
    pov_demo_guide_say(guide, "2/3 A simulated model is asked; it only ever answers as the camera sees it");
    POV_TRY(sweep_and_ask(&p, guide));
    if (pov_cli_stop_requested())
        return pov_ok();
    pov_demo_guide_say(guide, "3/3 Scoring it: pov report");
    POV_TRY(write_report(&p));
    POV_TRY(print_findings(&p));
    printf("Look at  %s\n", p.page);
    pov_dashboard_say(guide->dashboard, "Done: the report has it all");
    pov_dashboard_offer_report(guide->dashboard, p.page);
    return pov_ok();
}
