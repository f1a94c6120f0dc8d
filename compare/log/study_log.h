/** The log of an instruction study: participants, trials, what happened in them, images with their judgments, ratings. Written
 *  as every log is (log_file.h): a call that returned POV_OK has reached the disk. docs/STUDY.md has the schema.
 *  Input strings are copied; output strings are borrowed until the next call of the same iterator. */
#pragma once

#include "compare/log/log_file.h"
#include "config/files/digest.h"

typedef struct pov_study_log pov_study_log;

POV_MUST_USE pov_status pov_study_log_new(pov_study_log **log, const char *path, pov_log_opening opening);
void pov_study_log_destroy(pov_study_log **log);
/** Rows that POV_LOG_READ left out. */
const pov_log_damage *pov_study_log_damage(const pov_study_log *log);
/** Whether a file is the log of a study. */
bool pov_study_log_is(const char *path);

/** Begins the study, or goes on with it. In: design: all of the protocol but its participants, as JSON.
 *  Returns: POV_ERROR if the log is of another design. */
POV_MUST_USE pov_status pov_study_log_begin(pov_study_log *log, const char *design, const char *version,
                                            int64_t now_ns, bool simulated);
/** Its design, the pov that began it, and whether its images are simulated. */
POV_MUST_USE pov_status pov_study_log_design(pov_study_log *log, const char **design, const char **version,
                                             bool *simulated);

/** The participant of that name, who is added if new; *consent_ns is 0 without consent. */
POV_MUST_USE pov_status pov_study_log_participant(pov_study_log *log, int64_t *id, int64_t *consent_ns,
                                                  const char *name, int number);
POV_MUST_USE pov_status pov_study_log_consent(pov_study_log *log, int64_t participant, int64_t now_ns,
                                              const char *text);

/** Outcome "done", "abandoned", "interrupted" (by the end of the program); NULL while it runs. */
typedef struct {
    int64_t id, participant;
    const char *participant_name; /* of rows only */
    int number;                   /* the participant's in the protocol, from 0; of rows only */
    int position, attempt;        /* from 1 */
    const char *condition, *trial, *scene, *say, *show, *target;
    int64_t started_ns, ended_ns; /* UNIX epoch; 0: not yet */
    const char *outcome;
    bool scene_right; /* the scene was the wanted one at the start */
} pov_log_trial;

/** Sets id and attempt. */
POV_MUST_USE pov_status pov_study_log_start_trial(pov_study_log *log, pov_log_trial *trial);
POV_MUST_USE pov_status pov_study_log_end_trial(pov_study_log *log, int64_t trial, int64_t now_ns,
                                                const char *outcome);
/** Ends a participant's trials that were running when the program ended; *len of them. */
POV_MUST_USE pov_status pov_study_log_interrupt(pov_study_log *log, int64_t participant, int *len);
/** Marks the positions (from 1) that are done: done[1 .. max]. */
POV_MUST_USE pov_status pov_study_log_done(pov_study_log *log, int64_t participant, bool *done, int max);

typedef struct {
    int64_t id, trial;
    const char *path, *name; /* path: relative to the log's folder */
    char sha256[POV_DIGEST_CAPACITY];
    int64_t capture_ns;
    const char *calibration_hash;
    int faces; /* blurred faces; -1: faces are kept as they are */
    const char *evidence;
} pov_log_study_image;

/** Kinds: "start", "said", "heard", "picked", "mark", "note", "stop". */
typedef struct {
    int64_t id, trial, at_ns, image; /* image 0: none */
    const char *kind, *by, *text,
        *reading; /* by: "line", "key", "page", "listen"; reading: JSON of the reply */
} pov_log_event;

/** Appends an image (NULL: none) with what happened at it, both or neither; sets ids. */
POV_MUST_USE pov_status pov_study_log_add_event(pov_study_log *log, pov_log_event *event,
                                                pov_log_study_image *image);

typedef struct {
    int64_t trial, at_ns;
    const char *rater, *label;
} pov_log_rating;

/** A rater's label of a trial; a second one replaces the first. */
POV_MUST_USE pov_status pov_study_log_rate(pov_study_log *log, const pov_log_rating *rating);

/* ---- Reading. Each begins after the row numbered `after` (0: from the start); POV_END: there is none. ---- */

POV_MUST_USE pov_status pov_study_log_next_trial(pov_study_log *log, pov_log_trial *trial, int64_t after);
POV_MUST_USE pov_status pov_study_log_next_event(pov_study_log *log, pov_log_event *event, int64_t trial,
                                                 int64_t after);
POV_MUST_USE pov_status pov_study_log_next_image(pov_study_log *log, pov_log_study_image *image,
                                                 int64_t trial, int64_t after);
/** In the order of raters; `after`: how many to pass over. */
POV_MUST_USE pov_status pov_study_log_next_rating(pov_study_log *log, pov_log_rating *rating, int64_t trial,
                                                  int64_t after);

typedef struct {
    int participants, withdrawn, consenting;
    int trials, done, interrupted, abandoned, events, images, ratings;
} pov_study_counts;
POV_MUST_USE pov_status pov_study_log_count(pov_study_log *log, pov_study_counts *counts);

/* ---- Withdrawal ---- */

/** The rows that a withdrawal removed, and the words that its proof searches for: a participant's own words and hashes that no row of others
 *  has, each ended by '\0', the last by two. The caller frees them. */
typedef struct {
    int trials, events, images, shared_words;
    char *words;
    size_t words_len;
} pov_forgotten;

/** Removes every row of a participant, overwrites what they held, and shrinks the file: nothing is left in free pages or in
 *  the write-ahead log. The number of withdrawals is kept. POV_UNDEFINED: nobody of that name; *forgotten is empty. */
POV_MUST_USE pov_status pov_study_log_forget(pov_study_log *log, pov_forgotten *forgotten, const char *name,
                                             int64_t now_ns);
