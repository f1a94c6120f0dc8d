#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/doctor/doctor.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "Usage: pov doctor [STATION.yaml] [--json]\n"
    "\n"
    "Says what this machine has and lacks for a station, and how to mend it: processor, memory, disk, "
    "fonts,\n"
    "serial lines, cameras, the port to publish at. With a station file, checks that too: the file and what "
    "it\n"
    "names, the age of its calibration, its images, camera, turntable, and the servers of its models.\n"
    "\n"
    "  --json   one JSON object instead of text\n"
    "  --help   this text\n"
    "\n"
    "Examples:\n"
    "  pov doctor\n"
    "  pov doctor my_table.yaml --json\n"
    "\n"
    "Exit codes: 0 nothing is wrong, 1 something is, 2 wrong usage.\n";

static const char *const outcome_names[] = {"ok", "note", "wrong"};

static void print_text(const pov_checks *all)
{
    for (int i = 0; i < all->len; i++)
        printf("%-5s  %-11s  %s\n", outcome_names[all->checks[i].outcome], all->checks[i].what,
               all->checks[i].finding);
}

static void print_json(const pov_checks *all)
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

static bool anything_wrong(const pov_checks *all)
{
    for (int i = 0; i < all->len; i++)
        if (all->checks[i].outcome == POV_CHECK_WRONG)
            return true;
    return false;
}

/* A station that cannot be read says nothing of cameras and endpoints: then they are looked at as without one. */
static void examine(pov_checks *all, const char *path)
{
    pov_station *station = malloc(sizeof *station);
    POV_REQUIRE(station);
    pov_check_machine(all);
    const bool good = path && pov_check_station(all, station, path);
    pov_check_devices(all, good ? station : NULL);
    free(station);
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
    pov_checks *all = calloc(1, sizeof *all);
    POV_REQUIRE(all);
    examine(all, argv[optind]);
    (json ? print_json : print_text)(all);
    const int code = anything_wrong(all) ? POV_EXIT_WORLD : POV_EXIT_OK;
    free(all);
    return code;
}
