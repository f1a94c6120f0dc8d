#include "config/files/read_file.h"
#include "config/files/write_file.h"
#include "firmware/demo/demo_files.h"
#include "firmware/demo/demo_uses.h"
#include "firmware/own_commands.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The table turns by 90 degrees, which brings the blue ball to where the protocol wants it. The first participant speaks as the camera
 * sees it, the second as she sees it. */
static const char *const participants[] = {"P01", "P02"};
static const char *const lines[][11] = {{"consent", "turn 90", "start", "pick green_ball", "stop", "start",
                                         "said hand me the ball on the right", "pick blue_ball", "stop",
                                         NULL},
                                        {"consent", "turn 90", "start", "pick blue_ball", "stop", "start",
                                         "said hand me the ball on my left", "pick blue_ball", "stop", NULL}};

typedef struct {
    char folder[POV_PATH_CAPACITY], table[POV_PATH_CAPACITY], protocol[POV_PATH_CAPACITY],
        world[POV_PATH_CAPACITY], station[POV_PATH_CAPACITY], log[POV_PATH_CAPACITY],
        tables[POV_PATH_CAPACITY], scores[POV_PATH_CAPACITY], page[POV_PATH_CAPACITY];
} places;

static pov_status set_places(places *p, const char *folder)
{
    POV_TRY(pov_path_join(p->folder, folder, "study"));
    POV_TRY(pov_path_join(p->table, p->folder, "table.yaml"));
    POV_TRY(pov_path_join(p->protocol, p->folder, "whose_left.yaml"));
    POV_TRY(pov_path_join(p->world, p->folder, "world"));
    POV_TRY(pov_path_join(p->station, p->folder, "world/live.yaml"));
    POV_TRY(pov_path_join(p->log, p->folder, "log"));
    POV_TRY(pov_path_join(p->tables, p->folder, "tables"));
    POV_TRY(pov_path_join(p->scores, p->folder, "scores.txt"));
    POV_TRY(pov_path_join(p->page, p->folder, "report.html"));
    POV_TRY(pov_write_folder(folder));
    return pov_write_folder(p->folder);
}

/* An earlier demo's participants; a folder with a study's log holds nothing else. */
static pov_status clear_log(const places *p)
{
    char log[POV_PATH_CAPACITY];
    POV_TRY(pov_path_join(log, p->log, "log.sqlite"));
    if (access(log, F_OK) == 0)
        pov_remove_folder(p->log);
    return pov_ok();
}

static pov_status make_table(const places *p)
{
    const char *const sim[] = {"pov", "sim",     p->table, "--images", "1", "--bodies",
                               "own", "--quiet", "--out",  p->world,   NULL};
    POV_TRY(pov_demo_file_write(p->table, "study_table.yaml", ""));
    POV_TRY(pov_demo_file_write(p->protocol, "study.yaml", ""));
    POV_TRY(pov_own_command_run(sim, NULL));
    return pov_own_station_write(p->world, p->station);
}

static pov_status lead(const places *p, const pov_demo_use *use, int participant)
{
    const char *const study[] = {"pov",
                                 "study",
                                 "run",
                                 p->station,
                                 p->protocol,
                                 "--log",
                                 p->log,
                                 "--participant",
                                 participants[participant],
                                 "--no-publish",
                                 use->dashboard ? "--dashboard" : NULL,
                                 use->dashboard,
                                 NULL};
    printf("\nSimulated participant %s is led by these lines, as an experimenter would type them:\n ",
           participants[participant]);
    for (int i = 0; lines[participant][i]; i++)
        printf("%s%s", i ? "; " : " ", lines[participant][i]);
    puts("");
    return pov_own_command_lead(study, lines[participant], use->pace_s);
}

static pov_status write_results(const places *p)
{
    const char *const export[] = {"pov", "study", "export", p->log, "--out", p->tables, NULL};
    const char *const report[] = {"pov", "report", p->log, "--out", p->page, NULL};
    POV_TRY(pov_own_command_run(export, p->scores));
    return pov_own_command_run(report, "/dev/null");
}

/* What `pov study export` prints of the frames that were meant: its first table. */
static pov_status print_frames(const places *p)
{
    enum { TEXT_BYTES_MAX = 1 << 20 };
    pov_bytes bytes = {0};
    POV_TRY(pov_read_file(&bytes, p->scores, TEXT_BYTES_MAX, "a study's scores"));
    const char *text = (const char *)bytes.data, *from = text + strspn(text, "\n"),
               *end = strstr(from, "\n\n");
    printf("\n%.*s\n", end ? (int)(end - from) : (int)strlen(from), from);
    pov_bytes_free(&bytes);
    return pov_ok();
}

pov_status pov_demo_study(const pov_demo_use *use)
{
    places p;
    POV_TRY(set_places(&p, use->folder));
    POV_TRY(clear_log(&p));
    puts("Whose left is meant? A study of instructions: a simulated table of three balls, two simulated "
         "participants, two trials each.");
    printf("The protocol: %s\nThe station:  %s\n", p.protocol, p.station);
    fflush(stdout);
    POV_TRY(make_table(&p));
    for (int i = 0; i < (int)(sizeof participants / sizeof *participants); i++)
        POV_TRY(lead(&p, use, i));
    POV_TRY(write_results(&p));
    POV_TRY(print_frames(&p));
    printf("\nWith so few trials an interval says little; the tables are those of any study.\n\nLook at  "
           "%s\nand at   %s/trials.csv: each trial's words, pick, and whose "
           "left was meant\n",
           p.page, p.tables);
    return pov_ok();
}
