#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/sources/libcamera_source.h"
#include "firmware/station/station.h"
#include "firmware/turntable/turntable.h"
#include "protocol/publisher.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char help[] = "Usage: pov doctor [STATION.yaml] [--json]\n"
                           "\n"
                           "Says what this machine has and lacks for a station, and how to mend it. With a "
                           "station file, checks that too:\n"
                           "the file, its calibration and tag map, its camera, its endpoint, its turntable.\n"
                           "\n"
                           "Examples:\n"
                           "  pov doctor\n"
                           "  pov doctor my_table.yaml --json\n"
                           "\n"
                           "Exit codes: 0 nothing is wrong, 1 something is, 2 wrong usage.\n";

typedef enum { FINE, NOTE, WRONG } outcome;
static const char *const outcome_names[] = {"ok", "note", "wrong"};

typedef struct {
    const char *what;
    outcome outcome;
    char finding[POV_MESSAGE_CAPACITY];
} check;

enum { CHECKS_MAX = 8 };

typedef struct {
    int len;
    check checks[CHECKS_MAX];
} findings;

static void add(findings *all, const char *what, outcome result, const char *finding)
{
    POV_REQUIRE(all->len < CHECKS_MAX);
    check *next = &all->checks[all->len++];
    next->what = what;
    next->outcome = result;
    snprintf(next->finding, sizeof next->finding, "%s", finding);
}

static void check_processor(findings *all)
{
    char text[80];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(text, sizeof text, "%ld core%s", cores, cores == 1 ? "" : "s");
    add(all, "processor", FINE, text);
}

static void check_disk(findings *all)
{
    struct statvfs disk;
    if (statvfs(".", &disk) != 0)
        return;
    char text[120];
    double free_gb = (double)disk.f_bavail * (double)disk.f_frsize / 1e9;
    snprintf(text, sizeof text, "%.1f GB free here%s", free_gb,
             free_gb < 1 ? "; annotated images and recordings need more: free some" : "");
    add(all, "disk", free_gb < 1 ? WRONG : FINE, text);
}

static void check_cameras(findings *all, bool needed)
{
    static pov_libcamera_list list;
    pov_status status = pov_libcamera_source_list(&list);
    if (status.code != POV_OK) {
        add(all, "cameras", needed ? WRONG : NOTE, status.message);
        return;
    }
    if (list.len == 0) {
        add(all, "cameras", needed ? WRONG : NOTE, pov_libcamera_source_explain_none().message);
        return;
    }
    char text[80];
    snprintf(text, sizeof text, "%d found; 'pov cameras' lists them", list.len);
    add(all, "cameras", FINE, text);
}

static void check_endpoint(findings *all, const char *endpoint, bool needed)
{
    pov_publisher *publisher;
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    if (endpoint)
        config.endpoint = endpoint;
    pov_status status = pov_publisher_new(&publisher, &config);
    char text[POV_MESSAGE_CAPACITY];
    snprintf(text, sizeof text, "%s can be bound", config.endpoint);
    add(all, "endpoint",
        status.code == POV_OK ? FINE
        : needed              ? WRONG
                              : NOTE,
        status.code == POV_OK ? text : status.message);
    if (status.code == POV_OK)
        pov_publisher_destroy(&publisher);
}

static void check_turntable(findings *all, const pov_station_turntable *where)
{
    pov_serial_line *line = NULL;
    pov_turntable *table = NULL;
    pov_turntable_status found;
    char text[POV_MESSAGE_CAPACITY];
    pov_status status = pov_serial_line_new_device(&line, where->device, where->baud);
    if (status.code == POV_OK)
        status = pov_turntable_new(&table, line, &where->config);
    if (status.code == POV_OK)
        status = pov_turntable_ask(table, &found);
    if (status.code == POV_OK)
        snprintf(text, sizeof text, "GRBL %.31s at %.200s, %s. %.120s", found.version, where->device,
                 pov_grbl_state_name(found.state), found.advice);
    add(all, "turntable",
        status.code != POV_OK ? WRONG
        : found.ready         ? FINE
                              : NOTE,
        status.code == POV_OK ? text : status.message);
    pov_turntable_destroy(&table);
    pov_serial_line_destroy(&line);
}

static void check_station(findings *all, const char *path)
{
    pov_station *station = malloc(sizeof *station);
    POV_REQUIRE(station);
    pov_status status = pov_station_read(station, path);
    char text[POV_MESSAGE_CAPACITY];
    snprintf(text, sizeof text, "%.300s is good%s", path,
             status.code == POV_OK && !station->calibrated ? ", but its camera is not calibrated" : "");
    add(all, "station", status.code == POV_OK ? FINE : WRONG, status.code == POV_OK ? text : status.message);
    bool live = status.code == POV_OK && station->source.kind == POV_SOURCE_LIBCAMERA;
    check_cameras(all, live);
    check_endpoint(all, status.code == POV_OK ? station->endpoint : NULL, status.code == POV_OK);
    if (status.code == POV_OK && station->turntable.device[0])
        check_turntable(all, &station->turntable);
    free(station);
}

static void print_text(const findings *all)
{
    for (int i = 0; i < all->len; i++)
        printf("%-5s  %-9s  %s\n", outcome_names[all->checks[i].outcome], all->checks[i].what,
               all->checks[i].finding);
}

static void print_json(const findings *all)
{
    cJSON *root = cJSON_CreateObject(), *checks = cJSON_AddArrayToObject(root, "checks");
    for (int i = 0; i < all->len; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "what", all->checks[i].what);
        cJSON_AddStringToObject(item, "verdict", outcome_names[all->checks[i].outcome]);
        cJSON_AddStringToObject(item, "finding", all->checks[i].finding);
        cJSON_AddItemToArray(checks, item);
    }
    char *text = cJSON_PrintUnformatted(root);
    puts(text);
    free(text);
    cJSON_Delete(root);
}

static bool anything_wrong(const findings *all)
{
    for (int i = 0; i < all->len; i++)
        if (all->checks[i].outcome == WRONG)
            return true;
    return false;
}

int pov_command_doctor(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    bool json = false;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help, stdout);
            return POV_EXIT_OK;
        }
        if (option != 'j')
            return POV_EXIT_USAGE;
        json = true;
    }
    if (optind + 1 < argc)
        return pov_cli_usage("doctor", "one station file at most; '%s' is one too many", argv[optind + 1]);
    findings all = {.len = 0};
    check_processor(&all);
    check_disk(&all);
    if (optind < argc) {
        check_station(&all, argv[optind]);
    } else {
        check_cameras(&all, false);
        check_endpoint(&all, NULL, false);
    }
    (json ? print_json : print_text)(&all);
    return anything_wrong(&all) ? POV_EXIT_WORLD : POV_EXIT_OK;
}
