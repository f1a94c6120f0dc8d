/** Which questions are asked about an image: of a sweep, a live run or an export. */
#pragma once

#include "compare/languages/language.h"
#include "compare/questions/question.h"
#include "firmware/options.h"
#include "perception/cast/cast.h"

enum { POV_CHOICE_PAIR_MAX = 16, POV_CHOICE_LANGUAGE_MAX = 16, POV_CHOICE_NAME_CAPACITY = 64 };

typedef struct {
    bool benchmark[POV_BENCHMARK_COUNT];
    bool guidance[POV_GUIDANCE_COUNT]; /* each with each prompting and each system prompt */
    bool prompting[POV_PROMPTING_COUNT];
    bool system[POV_SYSTEM_COUNT];
    bool order[POV_ORDER_COUNT];
    bool flip,
        circular; /* each is asked about the mirrored image, too; with its options in all rotations, too */
    int language_len;
    char languages[POV_CHOICE_LANGUAGE_MAX][POV_LANGUAGE_CODE_CAPACITY]; /* of COMFORT's */
    int pair_len;                                          /* of COMFORT's; 0: of each scene the usual one */
    char pairs[POV_CHOICE_PAIR_MAX][2][POV_NAME_CAPACITY]; /* referent, relatum */
    char variant[POV_CHOICE_NAME_CAPACITY];                /* a name for how things look this time */
    uint64_t seed;
} pov_question_choice;

/** COMFORT's questions, in English. */
#define POV_QUESTION_CHOICE_DEFAULT                                                                          \
    {                                                                                                        \
        .benchmark = {[POV_BENCHMARK_COMFORT] = true}, .guidance = {[POV_GUIDED_NOT] = true},                \
        .prompting = {[POV_PROMPTING_ZERO_SHOT] = true}, .system = {[POV_SYSTEM_OF_VLM] = true},             \
        .order = {[POV_ORDER_NORMAL] = true}, .language_len = 1, .languages = {"en"}, .variant = "default",  \
        .seed = 1                                                                                            \
    }

/** Those pairs that were named; else the station's `pairs`; or else, as in COMFORT, the first thing that has a front
 *  is the relatum, and the first other one the referent. Nobody's eyes are either.
 *  Returns: POV_ERROR if it has fewer, or not what was named. */
POV_MUST_USE pov_status pov_choice_settle_pairs(pov_question_choice *choice, const pov_cast *cast,
                                                char (*pairs)[2][POV_NAME_CAPACITY], int len);
/** Take a pov_question_choice: "comfort,vsr", "facts", "zero-shot,cot", "none,comfort", "normal,reverse", "en,de", "ball:car,ball:duck". "none" is "not"
 *  for guidance, too. */
pov_option_take pov_choice_take_benchmarks, pov_choice_take_guidance, pov_choice_take_prompting,
    pov_choice_take_system, pov_choice_take_order, pov_choice_take_languages, pov_choice_take_pairs;
const char *pov_choice_benchmark_names(int i);
const char *pov_choice_guidance_names(int i);
const char *pov_choice_prompting_names(int i);
const char *pov_choice_system_names(int i);
const char *pov_choice_order_names(int i);
/** Conditions of which nothing is chosen get the usual one. */
void pov_choice_settle_conditions(pov_question_choice *choice);
POV_MUST_USE pov_status pov_choice_add_pair(pov_question_choice *choice, const char *referent,
                                            const char *relatum);
/** Whether "as the section vlm has it" and "none" are two system prompts, and not one that is asked twice. */
POV_MUST_USE pov_status pov_choice_check_system(const pov_question_choice *choice, const char *system);
/** Whether each guidance, prompting, system prompt and order, and the pairs and languages, are of some of the questions that are asked.
 *  Returns: POV_ERROR naming the option that would do nothing, and one that it goes with. */
POV_MUST_USE pov_status pov_choice_check(const pov_question_choice *choice);
