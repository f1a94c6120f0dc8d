/** Options of the commands that read answers. */
#pragma once

#include "compare/scoring/answers.h"
#include "firmware/options.h"

const char *pov_answers_paper_names(int i);
const char *pov_answers_convention_names(int i);
/** Takes a whole pov_answers_options. */
pov_option_take pov_answers_take_released, pov_answers_take_resamples, pov_answers_take_seed;
/** Takes the words for yes, or for no. The text is cut in place and kept. */
pov_option_take pov_answers_take_words;

/** Entries of a table of options: for a member of that type, of a command's struct. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a member's name cannot be in parentheses */
#define POV_ANSWERS_OPTIONS(TYPE, MEMBER)                                                                    \
    POV_CHOICE(TYPE, MEMBER.paper, "paper", "NAME", pov_answers_paper_names,                                 \
               "without it as the columns tell"),                                                            \
        POV_TAKEN(TYPE, MEMBER, "released", NULL, pov_answers_take_released,                                 \
                  "as the papers' released scripts read answers and compute measures"),                      \
        POV_CHOICE(TYPE, MEMBER.convention, "convention", "NAME", pov_answers_convention_names,              \
                   "what is right for a viewer, in all languages; without it in each its own, where the "    \
                   "literature "                                                                             \
                   "states one, else reflected"),                                                            \
        POV_PATH(TYPE, MEMBER.captions, "captions", "FILE",                                                  \
                 "what FoREST's layouts and pictures were made of: its authors' JSON, or CSV"),              \
        POV_PATH(TYPE, MEMBER.pictures, "pictures", "FILE",                                                  \
                 "detections in pictures: layouts are also scored where they have both things"),             \
        POV_TAKEN(TYPE, MEMBER.yes, "yes", "WORD,...", pov_answers_take_words,                               \
                  "words for yes in the answers' language, beside the English ones"),                        \
        POV_TAKEN(TYPE, MEMBER.no, "no", "WORD,...", pov_answers_take_words, "and for no"),                  \
        POV_TAKEN(TYPE, MEMBER, "resamples", "N", pov_answers_take_resamples,                                \
                  "of the bootstrap (10000, COMFORT 2000)"),                                                 \
        POV_TAKEN(TYPE, MEMBER, "seed", "N", pov_answers_take_seed, "of the bootstrap (1)")
/* NOLINTEND(bugprone-macro-parentheses) */
