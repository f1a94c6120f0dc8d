/** One participant's session of a study: trial after trial, led by lines of text from a person, a script, the dashboard's page
 *  or a recogniser of speech. Everything that was reported as kept is on the disk. docs/STUDY.md lists the lines. */
#pragma once

#include "compare/study/protocol.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/dashboard/dashboard.h"

typedef struct {
    pov_station *station; /* the session tracks nothing, and fits a guessed camera to the images */
    const pov_protocol *protocol;
    const pov_log_folder *folder;
    const char *participant;
    bool resume;              /* goes on with what the log has of the participant; else that is an error */
    bool json;                /* a JSON object a line on stdout; else words */
    bool no_publish;          /* nothing goes out, whatever endpoints the station names */
    bool once;                /* only look, check the scene of the next trial, and end */
    pov_dashboard *dashboard; /* NULL: none */
    pov_recorder *recorder; /* gets the trials, with faces hidden where the protocol wants that; NULL: none */
} pov_study_session_options;

typedef struct {
    int done, wanted, refused; /* trials, trials, lines */
    bool scene_right;          /* of `once` */
} pov_study_summary;

/** Warns of an addressee who is surveyed in one place, while not all conditions say where their participant sits: where somebody sits
 *  elsewhere, "left" is judged from where nobody is. */
void pov_study_warn_of_seats(const pov_cast *cast, const pov_protocol *protocol);

/** Runs until the trials are done, the lines end, or a stop is asked for. */
POV_MUST_USE pov_status pov_study_session_run(pov_study_summary *summary,
                                              const pov_study_session_options *options);
