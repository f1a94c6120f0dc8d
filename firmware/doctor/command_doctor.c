#include "firmware/doctor/checks.h"

#include "config/files/json_value.h"
#include "firmware/commands.h"

#include <cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void pov_check_add(pov_checks *checks, const char *what, pov_check_outcome outcome, const char *format, ...)
{
    POV_REQUIRE(checks->len < POV_CHECKS_MAX);
    pov_check *next = &checks->checks[checks->len++];
    next->what = what;
    next->outcome = outcome;
    va_list arguments;
    va_start(arguments, format);
    if (checks->camera)
        snprintf(next->finding, sizeof next->finding, "camera %s: ", checks->camera);
    else
        next->finding[0] = '\0';
    const size_t len = strlen(next->finding);
    vsnprintf(next->finding + len, sizeof next->finding - len, format, arguments);
    va_end(arguments);
}

int pov_checks_wrong(const pov_checks *checks)
{
    int wrong = 0;
    for (int i = 0; i < checks->len; i++)
        wrong += checks->checks[i].outcome == POV_CHECK_WRONG;
    return wrong;
}

typedef struct {
    bool json;
} doctor_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_FLAG(doctor_options, json, "json", "one JSON object instead of text"),
    POV_OPTIONS_END,
};

const pov_command pov_command_doctor = {
    .name = "doctor",
    .summary = "check this machine and a station, and say how to mend them",
    .run = run,
    .usage = "[STATION.yaml | LOG] [--json]",
    .about =
        "Checks this machine for a station, and says how to mend a fault: processor, memory, "
        "disk, fonts, libraries that run networks, serial lines, cameras, the port to publish at. With a "
        "station file, checks that "
        "too: the file and the files it names, the age of its calibration, its images, whether they fit its "
        "tag map, how many images a second it judges here, camera, turntable, "
        "and the servers of its models. With a sweep's or study's folder or log, checks only that: every row "
        "against its checksum, every "
        "image against its SHA-256.",
    .options = option_table,
    .words = {.max = 1, .wanted = "one station file or log at most"},
    .examples = "pov doctor\n"
                "pov doctor my_table.yaml --json\n"
                "pov doctor rotation/",
    .exits = "0 nothing is wrong; 1 something is",
};

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
    pov_json_print_line(stdout, root);
}

/* A station that cannot be read says nothing of cameras and endpoints: then they are looked at as without one. */
static void examine_all(pov_checks *all, const char *path)
{
    pov_station *station = malloc(sizeof *station);
    POV_REQUIRE_MEMORY(station);
    pov_check_machine(all);
    const bool good = path && pov_check_station(all, station, path);
    pov_check_devices(all, good ? station : NULL);
    free(station);
}

static int run(int argc, char **argv)
{
    doctor_options given = {false};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&given, &words, &pov_command_doctor, argc, argv));
    pov_checks *all = calloc(1, sizeof *all);
    POV_REQUIRE_MEMORY(all);
    const char *path = words.len > 0 ? words.word[0] : NULL;
    if (!path || !pov_check_log(all, path))
        examine_all(all, path);
    (given.json ? print_json : print_text)(all);
    const int code = pov_checks_wrong(all) > 0 ? POV_EXIT_WORLD : POV_EXIT_OK;
    free(all);
    return code;
}
