#include "compare/answers/answer_parse_internal.h"

#include <stddef.h>

static const char *const english_yes[] = {"yes",    "yeah",        "yep",        "true",         "correct",
                                          "indeed", "affirmative", "i think so", "i believe so", NULL};
static const char *const english_no[] = {
    "no",    "nope",           "false",         "incorrect",      "wrong",         "negative",
    "not",   "isn't",          "aren't",        "doesn't",        "don't",         "cannot",
    "can't", "absolutely not", "certainly not", "definitely not", "of course not", NULL};
const pov_yes_no_words POV_YES_NO_ENGLISH = {english_yes, english_no};

static const char *const token_yes[] = {"yes", NULL};
static const char *const token_no[] = {"no", NULL};
const pov_yes_no_words POV_YES_NO_ENGLISH_TOKENS = {token_yes, token_no};

/* Qwen, DeepSeek and most others; Kimi; Magistral; OpenThinker; gpt-oss, with its marks and where a server dropped them. */
const pov_thought_marks POV_THOUGHT_MARKS[] = {{"<think>", "</think>"},
                                               {"<thinking>", "</thinking>"},
                                               {"<thought>", "</thought>"},
                                               {"<reasoning>", "</reasoning>"},
                                               {"<scratchpad>", "</scratchpad>"},
                                               {"◁think▷", "◁/think▷"},
                                               {"[THINK]", "[/THINK]"},
                                               {"<|begin_of_thought|>", "<|end_of_thought|>"},
                                               {"<|channel|>analysis", "<|channel|>final<|message|>"},
                                               {NULL, "assistantfinal"},
                                               {NULL, NULL}};

const pov_number_word POV_NUMBER_WORDS[] = {
    {"zero", 0},     {"none", 0},     {"nothing", 0},    {"one", 1},       {"single", 1},    {"two", 2},
    {"three", 3},    {"four", 4},     {"five", 5},       {"six", 6},       {"seven", 7},     {"eight", 8},
    {"nine", 9},     {"ten", 10},     {"eleven", 11},    {"twelve", 12},   {"thirteen", 13}, {"fourteen", 14},
    {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19}, {"twenty", 20},
    {"thirty", 30},  {"forty", 40},   {"fifty", 50},     {"sixty", 60},    {"seventy", 70},  {"eighty", 80},
    {"ninety", 90},  {NULL, 0}};

const pov_number_word POV_ORDINALS[] = {
    {"first", 1},  {"second", 2}, {"third", 3},  {"fourth", 4}, {"fifth", 5}, {"sixth", 6}, {"seventh", 7},
    {"eighth", 8}, {"ninth", 9},  {"tenth", 10}, {"1st", 1},    {"2nd", 2},   {"3rd", 3},   {"4th", 4},
    {"5th", 5},    {"6th", 6},    {"7th", 7},    {"8th", 8},    {"9th", 9},   {"10th", 10}, {NULL, 0}};

enum { FIRST = 1, SECOND = 2, THIRD = 4, FOURTH = 8 };

const pov_direction_word POV_CARDINAL_WORDS[] = {{"north", FIRST},
                                                 {"northern", FIRST},
                                                 {"northward", FIRST},
                                                 {"northwards", FIRST},
                                                 {"east", SECOND},
                                                 {"eastern", SECOND},
                                                 {"eastward", SECOND},
                                                 {"eastwards", SECOND},
                                                 {"south", THIRD},
                                                 {"southern", THIRD},
                                                 {"southward", THIRD},
                                                 {"southwards", THIRD},
                                                 {"west", FOURTH},
                                                 {"western", FOURTH},
                                                 {"westward", FOURTH},
                                                 {"westwards", FOURTH},
                                                 {"northeast", FIRST | SECOND},
                                                 {"northeastern", FIRST | SECOND},
                                                 {"southeast", THIRD | SECOND},
                                                 {"southeastern", THIRD | SECOND},
                                                 {"southwest", THIRD | FOURTH},
                                                 {"southwestern", THIRD | FOURTH},
                                                 {"northwest", FIRST | FOURTH},
                                                 {"northwestern", FIRST | FOURTH},
                                                 {NULL, 0}};

const pov_direction_word POV_SIDE_WORDS[] = {
    {"front", FIRST},  {"ahead", FIRST}, {"forward", FIRST},  {"right", SECOND}, {"back", THIRD},
    {"behind", THIRD}, {"rear", THIRD},  {"backward", THIRD}, {"left", FOURTH},  {NULL, 0}};
