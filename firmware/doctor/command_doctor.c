#include "firmware/commands.h"
#include "firmware/doctor/doctor.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

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
    .summary = "say what is missing on this machine, and how to mend it",
    .run = run,
    .usage = "[STATION.yaml] [--json]",
    .about = "Says what this machine has and lacks for a station, and how to mend it: processor, memory, "
             "disk, fonts, serial lines, cameras, the port to publish at. With a station file, checks that "
             "too: the file and what it names, the age of its calibration, its images, whether they fit its "
             "tag map, camera, turntable, "
             "and the servers of its models.",
    .options = option_table,
    .words = {.max = 1, .wanted = "one station file at most"},
    .examples = "pov doctor\n"
                "pov doctor my_table.yaml --json",
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

static int run(int argc, char **argv)
{
    doctor_options given = {false};
    pov_words words;
    const int usage = pov_command_read(&given, &words, &pov_command_doctor, argc, argv);
    if (usage != POV_GO_ON)
        return usage;
    pov_checks *all = calloc(1, sizeof *all);
    POV_REQUIRE(all);
    examine(all, words.len > 0 ? words.word[0] : NULL);
    (given.json ? print_json : print_text)(all);
    const int code = anything_wrong(all) ? POV_EXIT_WORLD : POV_EXIT_OK;
    free(all);
    return code;
}
