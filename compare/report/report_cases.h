/** The cases behind the scores, one by one: which the model got most wrong, and what each image was asked. Pure. */
#pragma once

#include "compare/scoring/answers.h"
#include "config/files/text.h"

/** One answer beside geometry. */
typedef struct {
    int row;           /* of the table; -1: none */
    int curve, sample; /* COMFORT */
    int picture;       /* of pictures */
    pov_answer_kind kind;
    bool is_scored, is_wrong;
    bool is_untold; /* given, but geometry cannot tell what is right */
    double p;       /* P(yes) or P(true); NaN: scored by words */
    double
        p_geometry; /* that yes is right: the station's (column gold_p) if it is on the side that is scored as right,
                       else 0 or 1; NaN: not a yes-or-no question */
    double error;     /* |p - p_geometry|, or 1 less the score */
    double clearness; /* of two equal errors the worse is the one where geometry leaves less doubt */
} pov_report_case;

typedef struct {
    pov_report_case *all; /* in the file's order */
    int len, scored, wrong, untold;
    int answers[POV_ANSWER_KINDS];
    int *worst; /* numbers of wrong cases, worst first */
    int worst_len;
} pov_report_cases;

void pov_report_cases_new(pov_report_cases *cases, const pov_answers *answers, int worst_max);
void pov_report_cases_free(pov_report_cases *cases);

typedef struct {
    const char *image; /* "": none is named */
    pov_text question, answer;
    pov_text gold;     /* what is right */
    pov_text right_in; /* the frames in which the answer would be right; "": none, or not known */
} pov_report_words;

/** The caller frees the words. */
void pov_report_case_describe(pov_report_words *words, const pov_answers *answers,
                              const pov_report_case *one);

void pov_report_words_free(pov_report_words *words);

/** "0°: no (97 %)"; the caller frees it. */
char *pov_report_case_line(const pov_report_words *words, const pov_answers *answers,
                           const pov_report_case *one);

enum { POV_REPORT_KINDS_MAX = 8, POV_REPORT_ALIKE_MAX = 3 };

/** Wrong answers of one model to one question, about several images. */
typedef struct {
    pov_text asked, model; /* "Asked: left, for the addressee."; the model, and the language of several */
    int len;
    int shown[POV_REPORT_ALIKE_MAX], shown_len; /* numbers of cases, worst first; of different images */
} pov_report_kind;

typedef struct {
    pov_report_kind at[POV_REPORT_KINDS_MAX]; /* most frequent first */
    int len, all;                             /* all: how many kinds there are */
} pov_report_kinds;

void pov_report_kinds_new(pov_report_kinds *kinds, const pov_report_cases *cases, const pov_answers *answers);
void pov_report_kinds_free(pov_report_kinds *kinds);

/** The file from whose folder the paths of images are seen; "": they are seen from here, as those of several files together are. */
const char *pov_report_image_base(const pov_answers *answers);
/** The path of a row's image; "": none. */
const char *pov_report_image(const pov_answers *answers, int row);
/** The table's column of that name, or "" in it. */
const char *pov_report_cell(const pov_answers *answers, int row, const char *column);
