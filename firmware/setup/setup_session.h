/** A set-up under way: the station file that grows, the live picture judged by what there is of it, and the program's own
 *  commands (pov calib, pov tags, pov vlm, pov sweep, ...) run for the steps. Plain data for those that show it; changed by the
 *  functions below only, from one thread. */
#ifndef POV_FIRMWARE_SETUP_SETUP_SESSION_H
#define POV_FIRMWARE_SETUP_SETUP_SESSION_H

#include "config/files/write_file.h"
#include "firmware/calib/view_watch.h"
#include "firmware/dashboard/dashboard.h"
#include "firmware/run/pipeline.h"
#include "firmware/setup/setup_file.h"
#include "perception/image/image_source.h"

#include <sys/types.h>

struct pov_board_finder;

enum {
    POV_SETUP_WORDS_CAPACITY = 600,
    POV_SETUP_COMMAND_CAPACITY = 1024,
    POV_SETUP_COVER_COLUMNS = 16,
    POV_SETUP_COVER_ROWS = 9
};

typedef enum { POV_SETUP_OPEN, POV_SETUP_GOOD, POV_SETUP_BAD, POV_SETUP_SKIPPED } pov_setup_state;

typedef struct {
    pov_setup_state state;
    bool failed; /* it is as before: what BAD says of a thing that was taken, is advice */
    char words[POV_SETUP_WORDS_CAPACITY];
} pov_setup_verdict;

/** The picture shown: the station's own, or a stand-in of the simulated lab. */
typedef enum { POV_SETUP_SCENE, POV_SETUP_BOARD_VIEWS, POV_SETUP_TAG_VIEWS } pov_setup_view;

/** The parts of the last step. */
typedef enum { POV_SETUP_PART_SWEEP, POV_SETUP_PART_ANSWERS, POV_SETUP_PART_REPORT } pov_setup_part;

/** A command of ours that runs. */
typedef struct {
    pid_t pid, server; /* 0: none; the server is a simulated model */
    pov_setup_step_id step;
    pov_setup_part part;
    char made[POV_PATH_CAPACITY]; /* the file or folder that it makes, as the station file names it */
} pov_setup_job;

typedef struct {
    char path[POV_PATH_CAPACITY],
        folder[POV_PATH_CAPACITY];  /* of the station file; its folder, "." at least */
    char work[POV_PATH_CAPACITY];   /* for images and logs; "": not made yet */
    char *text;                     /* the station file as it stands */
    bool existed, is_ours, written; /* is_ours: this set-up wrote the file before */
    pov_setup_step_id at;
    pov_setup_verdict verdicts[POV_SETUP_STEP_COUNT];
    pov_setup_answers answers[POV_SETUP_STEP_COUNT]; /* the last ones of each step, without secrets */
    bool wants_run, ended;

    /* the picture */
    pov_station *station; /* of the text; has_station: it could be read */
    bool has_station, has_image, has_observation;
    pov_pipeline *pipeline;
    pov_observation *observation;
    pov_image_source *source;
    pov_image image;
    pov_setup_view view;
    int view_number, view_shown; /* of the simulated lab */
    int64_t due_ns;
    double brightness, clipped; /* mean of 0 to 1; share of pixels at the upper end */
    char live[POV_SETUP_WORDS_CAPACITY];
    pov_setup_step_id named_by; /* the step that put `named` into the cast */
    char named[64];             /* its verdict waits for images; "": none */
    int named_images;

    /* images taken for a calibration */
    bool gathers;
    struct pov_board_finder *finder; /* of boards; NULL: tags */
    pov_board_view *seen;
    pov_view_watch *watch;
    char gathered[POV_PATH_CAPACITY]; /* the folder */
    int wanted_len;
    int cover[POV_SETUP_COVER_ROWS][POV_SETUP_COVER_COLUMNS]; /* points taken in each part of the image */

    pov_setup_job job;
    char command[POV_SETUP_COMMAND_CAPACITY]; /* the last one, as one types it */
    char report[POV_PATH_CAPACITY];           /* "": none yet */
} pov_setup;

/** Begins with the file at a path if there is one, else from nothing. */
POV_MUST_USE pov_status pov_setup_new(pov_setup **setup, const char *path);
void pov_setup_destroy(pov_setup **setup);

/** Takes a step with its answers; what comes of it, at once or later, is its verdict. Returns: the verdict's error. */
pov_status pov_setup_apply(pov_setup *setup, pov_setup_step_id step, const pov_setup_answers *answers);
/** Calibrates from the images taken so far. */
pov_status pov_setup_enough(pov_setup *setup);
/** Stops taking images, or the command. */
void pov_setup_cancel(pov_setup *setup);
void pov_setup_skip(pov_setup *setup, pov_setup_step_id step);
void pov_setup_go(pov_setup *setup, pov_setup_step_id step);
pov_status pov_setup_remove(pov_setup *setup, const char *id);

/** Takes the next image and judges it; looks what became of a command. Waits at most a fifth of a second. dashboard: shows the
 *  picture; NULL: none. */
void pov_setup_turn(pov_setup *setup, pov_dashboard *dashboard);
/** Images are being taken, or a command runs. */
bool pov_setup_is_busy(const pov_setup *setup);

/** Where a thing of the cast is, in words; false: not found in the last image. setup_picture.c */
bool pov_setup_describe(char words[POV_SETUP_WORDS_CAPACITY], const pov_setup *setup, const char *id);

/* ---- between the files of this folder ---- */

void pov_setup_judge(pov_setup *setup, pov_setup_step_id step, pov_setup_state state, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** BAD, and failed. */
void pov_setup_fail(pov_setup *setup, pov_setup_step_id step, pov_status status);
/** Takes the text in place of the present one (frees either), if the station can be read by it. */
POV_MUST_USE pov_status pov_setup_take_text(pov_setup *setup, char *text);
POV_MUST_USE pov_status pov_setup_open_view(pov_setup *setup, pov_setup_view view);
void pov_setup_close_picture(pov_setup *setup);
bool pov_setup_is_practice(const pov_setup *setup);
/** Maps clicked points of the image to the table. */
POV_MUST_USE pov_status pov_setup_click_read(pov_setup_click *click, const pov_setup *setup,
                                             pov_setup_step_id step, const pov_setup_answers *answers);
/** Starts `pov` with these words, the last NULL. */
POV_MUST_USE pov_status pov_setup_job_start(pov_setup *setup, pov_setup_step_id step,
                                            const char *const words[]);
/** Looks whether it has ended, and what came of it. */
void pov_setup_job_poll(pov_setup *setup);
void pov_setup_job_stop(pov_setup *setup);
/** FOLDER/STEM.END, or STEM-2.END and so on, the first that does not exist. Out: path; name: without the folder. */
void pov_setup_free_path(char path[POV_PATH_CAPACITY], const char **name, const char *folder,
                         const char *stem, const char *end);
/** "FOLDER/NAME", unless the name is absolute. */
void pov_setup_path_in(char path[POV_PATH_CAPACITY], const char *folder, const char *name);

#endif
