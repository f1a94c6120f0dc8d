/** A set-up under way: the station file that grows, the live picture judged by what there is of it, and the program's own
 *  commands (pov calib, pov tags, pov vlm, pov sweep, ...) run for the steps. Plain data for those that show it; changed by the
 *  functions below only, from one thread. */
#pragma once

#include "calib/camera/view_watch.h"
#include "config/files/write_file.h"
#include "config/setup/setup_file.h"
#include "firmware/dashboard/dashboard.h"
#include "firmware/enrol/enrol_turn.h"
#include "firmware/run/pipeline.h"
#include "firmware/setup/setup_cameras.h"
#include "perception/image/image_source.h"

#include <sys/types.h>

struct pov_board_finder;
struct pov_sweep_rig;

enum {
    POV_SETUP_WORDS_CAPACITY = 600,
    POV_SETUP_COMMAND_CAPACITY = 1024,
    POV_SETUP_COVER_COLUMNS = 16,
    POV_SETUP_COVER_ROWS = 9
};

#define POV_SETUP_ANGLES_FILE                                                                                \
    "angles.csv" /* in the folder of a turn's images: where the table was told to stand */
#define POV_SETUP_EMPTY_FILE "empty.png" /* in the work folder: the turntable with nothing on it */

typedef enum { POV_SETUP_OPEN, POV_SETUP_GOOD, POV_SETUP_BAD, POV_SETUP_SKIPPED } pov_setup_state;

typedef struct {
    pov_setup_state state;
    bool failed; /* it is as before: what BAD says of a thing that was taken, is advice */
    char words[POV_SETUP_WORDS_CAPACITY];
} pov_setup_verdict;

/** The picture shown: the station's own, or a stand-in of the simulated lab. */
typedef enum {
    POV_SETUP_SCENE,
    POV_SETUP_BOARD_VIEWS,
    POV_SETUP_TAG_VIEWS,
    POV_SETUP_TABLE, /* the turntable, and what stands on it */
    POV_SETUP_EMPTY_TABLE
} pov_setup_view;

/** The subject of the images that are being taken, or the event that the set-up waits for. */
typedef enum {
    POV_SETUP_NOTHING,
    POV_SETUP_BOARD,
    POV_SETUP_TAGS_LYING,
    POV_SETUP_DISC,   /* the turntable's tags, while it turns */
    POV_SETUP_CLEAR,  /* a person clears the turntable */
    POV_SETUP_PLACE,  /* a person sets a thing on it */
    POV_SETUP_OBJECT, /* the thing, while it turns */
} pov_setup_gathering;

/** The parts of the last step. */
typedef enum { POV_SETUP_PART_SWEEP, POV_SETUP_PART_ANSWERS, POV_SETUP_PART_REPORT } pov_setup_part;

/** A command of ours that runs. */
typedef struct {
    pid_t pid, server; /* 0: none; the server is a simulated model */
    pov_setup_step_id step;
    pov_setup_part part;
    char made[POV_PATH_CAPACITY];  /* the file or folder that it makes, as the station file names it */
    char draft[POV_PATH_CAPACITY]; /* a station file for this command alone, removed after it; "": none */
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

    pov_setup_cameras cameras; /* for a page, as long as none is chosen */

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
    char note[POV_SETUP_VALUE_CAPACITY]; /* its verdict begins with this */

    /* images taken for a calibration */
    pov_setup_gathering gathers;
    struct pov_board_finder *finder; /* of boards */
    pov_board_view *seen;
    pov_view_watch *watch;
    char gathered[POV_PATH_CAPACITY]; /* the folder */
    int wanted_len, taken_len;
    int cover[POV_SETUP_COVER_ROWS][POV_SETUP_COVER_COLUMNS]; /* points taken in each part of the image */

    /* a turn of the table */
    struct pov_sweep_rig *rig; /* turns and shoots; NULL: the picture's source does, a hand turns */
    bool homed;
    int stops;               /* of one turn */
    double turned_rad;       /* where the last image was taken: as the table was told, or as its tags tell */
    pov_hand_turn hand_turn; /* the images kept of a turn by hand, and the tags in each */
    pov_ring_view *sides;

    char prints[POV_SETUP_STEP_COUNT][POV_PATH_CAPACITY]; /* the PDF that a step made; "": none */
    pov_setup_job job;
    char command[POV_SETUP_COMMAND_CAPACITY]; /* the last one, as one types it */
    char report[POV_PATH_CAPACITY];           /* "": none yet */
} pov_setup;

/** Begins with the file at a path if there is one, else from nothing. */
POV_MUST_USE pov_status pov_setup_new(pov_setup **setup, const char *path);
void pov_setup_destroy(pov_setup **setup);

/** Takes a step with its answers; what comes of it, at once or later, is its verdict. Returns: the verdict's error. */
pov_status pov_setup_apply(pov_setup *setup, pov_setup_step_id step, const pov_setup_answers *answers);
/** Goes on with the images taken so far, or once a person has done what is waited for. */
pov_status pov_setup_enough(pov_setup *setup);
/** Stops taking images, or the command. */
void pov_setup_cancel(pov_setup *setup);
void pov_setup_skip(pov_setup *setup, pov_setup_step_id step);
void pov_setup_go(pov_setup *setup, pov_setup_step_id step);
pov_status pov_setup_remove(pov_setup *setup, const char *id);
/** Names what must be done before a step; NULL: nothing. */
const char *pov_setup_lacks(const pov_setup *setup, pov_setup_step_id step);

/** Takes the next image and judges it; looks what became of a command. Waits at most a fifth of a second. dashboard: shows the
 *  picture; NULL: none. */
void pov_setup_turn(pov_setup *setup, pov_dashboard *dashboard);
/** Images are being taken, or a command runs. */
bool pov_setup_is_busy(const pov_setup *setup);

/** Describes the place of a thing of the cast in words; false: not found in the last image. setup_picture.c */
bool pov_setup_describe(char words[POV_SETUP_WORDS_CAPACITY], const pov_setup *setup, const char *id);

/* ---- between the files of this folder ---- */

void pov_setup_judge(pov_setup *setup, pov_setup_step_id step, pov_setup_state state, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** BAD, and failed. */
void pov_setup_fail(pov_setup *setup, pov_setup_step_id step, pov_status status);
/** Takes a text in place of the present one (frees either), if editing it went well and the station can be read by it. */
POV_MUST_USE pov_status pov_setup_take_text(pov_setup *setup, char *text, pov_status edited);
POV_MUST_USE pov_status pov_setup_open_view(pov_setup *setup, pov_setup_view view);
void pov_setup_close_picture(pov_setup *setup);
bool pov_setup_is_practice(const pov_setup *setup);
/** A copy of the station file's text, to be edited and taken. */
char *pov_setup_text_copy(const pov_setup *setup);
POV_MUST_USE pov_status pov_setup_make_work(pov_setup *setup);
POV_MUST_USE pov_status pov_setup_save_image(const pov_setup *setup, const char *path);
/** Begins to take images into a folder of this name in the work folder. */
POV_MUST_USE pov_status pov_setup_gather(pov_setup *setup, pov_setup_gathering gathers, const char *stem,
                                         int wanted_len);
/** Starts a command that makes a PDF, which the step then offers. */
POV_MUST_USE pov_status pov_setup_print(pov_setup *setup, pov_setup_step_id step, const char *path,
                                        const char *const words[]);
void pov_setup_close_source(pov_setup *setup);
/** Has the thing that a step's answers name looked for: its verdict. */
void pov_setup_name(pov_setup *setup, pov_setup_step_id step);

/* setup_turn.c: the turntable's step, and a thing that is enrolled on it */
POV_MUST_USE pov_status pov_setup_turntable(pov_setup *setup, const pov_setup_answers *answers);
POV_MUST_USE pov_status pov_setup_enrol(pov_setup *setup, const pov_setup_answers *answers);
/** A person has done what was asked for. */
POV_MUST_USE pov_status pov_setup_turn_on(pov_setup *setup);
/** The next image, by motor: turns, waits, shoots. */
POV_MUST_USE pov_status pov_setup_turn_shoot(pov_setup *setup);
/** Measures or learns from the images taken. */
POV_MUST_USE pov_status pov_setup_turn_use(pov_setup *setup);

/** Maps clicked points of the image to the table. */
POV_MUST_USE pov_status pov_setup_click_read(pov_setup_click *click, const pov_setup *setup,
                                             pov_setup_step_id step, const pov_setup_answers *answers);
/** Writes a station file for the next command alone, beside the true one, so that what it names is found. */
POV_MUST_USE pov_status pov_setup_write_draft(pov_setup *setup, const char *text);
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
