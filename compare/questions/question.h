/** Questions to a vision-language model about a scene, with their right answers: the papers' questions, in their words,
 *  answered by geometry in every frame of reference that they may mean. Pure.
 *
 *      pov_questions_new(&questions, POV_QUESTIONS_DEFAULT);
 *      pov_asking asking = POV_ASKING_DEFAULT;
 *      asking.language = language;
 *      pov_questions_ask(questions, &scene, &asking);
 *      for (int i = 0; i < pov_questions_len(questions); i++) ... pov_questions_at(questions, i)->text */
#pragma once

#include "compare/answers/choice_benchmark.h"
#include "compare/languages/language.h"
#include "compare/layouts/caption.h"
#include "compare/questions/prompt_condition.h"
#include "compare/statistics/curve.h"
#include "perception/papers/vpt.h"
#include "perception/relations/relation.h"

typedef enum {
    POV_BENCHMARK_COMFORT,
    POV_BENCHMARK_FOREST,
    POV_BENCHMARK_VSR,
    POV_BENCHMARK_VPT,
    POV_BENCHMARK_SPHERE,
    POV_BENCHMARK_CHOICES, /* from here on those of compare/answers/choice_benchmark.h (compare/questions/lettered.h) */
    POV_BENCHMARK_VIEWSPATIAL = POV_BENCHMARK_CHOICES + POV_CHOICE_VIEWSPATIAL,
    POV_BENCHMARK_MINDCUBE = POV_BENCHMARK_CHOICES + POV_CHOICE_MINDCUBE,
    POV_BENCHMARK_COUNT = POV_BENCHMARK_CHOICES + POV_CHOICE_BENCHMARKS
} pov_benchmark;
/** "comfort", "forest", "vsr", "vpt", "sphere", "viewspatial", ... */
const char *pov_benchmark_name(pov_benchmark value);
/** Whether it has questions with options to choose from. */
bool pov_benchmark_has_options(pov_benchmark value);

/** The kind of answer. Bits of pov_gold.answers in parentheses. */
typedef enum {
    POV_QUESTION_YES_NO,     /* in the question's language (0 yes, 1 no) */
    POV_QUESTION_TRUE_FALSE, /* (0 true, 1 false) */
    POV_QUESTION_OPTION,     /* one of the options offered (i: option i) */
    POV_QUESTION_NUMBER,
    POV_QUESTION_CARDINALS, /* (0 north, clockwise) */
    POV_QUESTION_SIDES,     /* (0 front, clockwise) */
    POV_QUESTION_LAYOUT, /* boxes for two things; golds are the first thing's direction for the camera (0 left, right, front, back) */
    POV_QUESTION_KINDS
} pov_question_kind;
/** "yes_no", "true_false", "option", "number", "cardinals", "sides", "layout". */
const char *pov_question_kind_name(pov_question_kind value);

enum { POV_OPTIONS_MAX = POV_ROTATIONS };

/** The answer that is right if the question is meant in this frame of reference. */
typedef struct {
    pov_perspective perspective; /* POV_PERSPECTIVE_COUNT: the question needs none */
    pov_convention convention;   /* POV_NO_CONVENTION */
    pov_axis axis;               /* POV_AXIS_COUNT */
    pov_containment containment; /* POV_CONTAINMENT_COUNT: it makes no difference */
    bool
        asked; /* the frame that the question itself asks for, or the usual one if it names none; of several, any is
                   right (FoREST's A-split) */
    bool defined; /* else there is no answer: nothing is intrinsically left of a ball */
    bool sure;    /* else geometry abstains: too near a boundary */
    unsigned
        answers; /* bits by the question's kind; several: parts of one (VPT), or any is right (FoREST's frames) */
    const char *words; /* of an answer that is not among the options offered; NULL: `answers` has it */
    bool mirrored;     /* the asked answer with left and right swapped, as one who mistakes them has it */
    double number;     /* of POV_QUESTION_NUMBER; else NaN */
    double p, p_std; /* probability that the answer is right under the pose errors; NaN: undefined, unknown */
    double cosine;   /* COMFORT: the expected (cos theta + 1) / 2, the graded truth; else NaN */
} pov_gold;

/** Texts are UTF-8 and live until the next pov_questions_ask. */
typedef struct {
    const char *id; /* the same for the same question about a scene: "comfort/ball:car/left_of/camera/en" */
    pov_benchmark benchmark;
    const char *task; /* "relation", "presence"; "ambiguous"; a relation's name; "Q4"; "position_ego", ... */
    const char *language; /* code */
    const char *text;
    const char *system; /* a system prompt; "": none; NULL: as the model's configuration says */
    pov_guidance guidance;
    pov_prompting prompting;
    pov_system_prompt system_prompt;
    pov_question_order order;
    const char
        *listed;     /* Isle-Brick's Q5 in another order: "east, north, south, west"; NULL: as in the paper */
    int rotation;    /* of its options, which stand so many places on: CircularEval */
    bool is_flipped; /* about the mirrored image: FlipEval; facings and phi are those of the mirrored scene */
    pov_question_kind kind;
    int option_len;
    const char *options[POV_OPTIONS_MAX]; /* in the order offered */
    bool lettered;                        /* they are offered as "A. left", and an answer is a letter */
    int view_len; /* of a question about several views: so many of pov_asking.views, then the scene's own */
    const char *unit;   /* of a number that is scored by how near it is: "m"; "": of things; else NULL */
    const char *cogmap; /* the right map, of one that the model draws before it answers; else NULL */
    const char *stem;   /* of lettered ones: the question without options and instructions; else NULL */
    int gold_len;
    const pov_gold *golds;            /* one for each frame that the question may mean */
    int token_max;                    /* of the answer */
    bool needs_image;                 /* else the text is complete (FoREST's splits) */
    pov_id referent, relatum, viewer; /* POV_ID_NONE: the question has none */
    pov_relation relation;            /* COMFORT, FoREST; else POV_RELATION_COUNT */
    pov_prompt prompt;                /* COMFORT; else POV_PROMPT_COUNT */
    const char *asked_of;             /* FoREST: "camera" or "relatum"; else NULL */
    unsigned camera_answers,
        relatum_answers;      /* bits as pov_gold's: by the camera's axes and by the relatum's own,
                                                 whichever are asked for; 0: not known */
    const char *relatum_case; /* FoREST: "cow", "car", "box", "pen"; else NULL */
    double
        phi_rad; /* the referent's azimuth about the relatum, 0 toward the camera, counter-clockwise; or NaN */
    pov_facings facings; /* of addressee and relatum, in the same terms */
    int run;             /* SPHERE: which order of options; else 0 */
    bool has_caption;    /* FoREST's layouts */
    pov_caption caption;
} pov_question;

/** P(yes) or P(true) by a gold; NaN if it is undefined. */
double pov_gold_p_yes(const pov_gold *gold);
/** The meaning of bit i of a gold's answers: "yes", an option, "north"; NULL: there is no such bit. */
const char *pov_question_answer_word(const pov_question *question, int i);
/** The first gold that the question asks for; NULL if it asks for none. */
const pov_gold *pov_question_asked(const pov_question *question);
/** Whether it is answered by yes or no, or by true or false. */
bool pov_question_is_yes_or_no(const pov_question *question);
/** "yes", "north|east", "left", "3", as `pov score` reads golds; "" if undefined. */
void pov_gold_describe(char *text, size_t capacity, const pov_question *question, const pov_gold *gold);
/** "egocentric reflected heading", "external intrinsic"; "" if it needs none. */
void pov_gold_frame(char *text, size_t capacity, const pov_gold *gold);

/** Facts are in English only (language NULL, or a paraphrase of "en"); only Isle-Brick and SPHERE have steps; MindCube's questions are
 *  nobody's but the camera's; a map is drawn before a letter. */
bool pov_guidance_applies(pov_guidance guidance, pov_benchmark benchmark, const pov_language *language);
/** Whether a second image is shown. */
bool pov_guidance_shows(pov_guidance guidance);
/** A map is drawn before an answer without examples or explanation. */
bool pov_guidance_goes_with(pov_guidance guidance, pov_prompting prompting);
/** MindCube's earlier views cannot be mirrored: they were stored as they were taken. */
bool pov_flip_applies(bool flip, pov_benchmark benchmark);
/** The person whose view POV_GUIDED_VIEW shows: the first addressee that has a place and a direction; POV_ID_NONE: there is none. */
pov_id pov_guidance_viewer(const pov_scene *scene);
/** A question's value in a kind of conditions: of pov_prompt_condition_at. */
int pov_question_condition(const pov_question *question, pov_prompt_condition_kind kind);

/** The system prompt of FoREST's questions about directions. */
const char *pov_forest_system(pov_prompting prompting);

typedef struct {
    pov_benchmark benchmark;
    const pov_language *language; /* COMFORT: any; the others are asked in English */
    pov_id referent, relatum;     /* POV_ID_NONE: every one */
    bool prompt[POV_PROMPT_COUNT];
    pov_guidance guidance;
    pov_prompting prompting; /* of layouts: zero-shot or 4-shot */
    pov_system_prompt system;
    pov_question_order order;
    int rotation; /* > 0: questions with so many options and more, these so many places on; SPHERE's in one order */
    bool flip; /* asks about the scene that the mirrored image shows; what is about words alone is left out */
    bool layouts;                  /* FoREST: layouts instead of questions */
    uint64_t seed;                 /* of options' order, and of the absent things asked for */
    int runs;                      /* SPHERE: orders of options, >= 1 */
    const pov_scene *const *views; /* MindCube: earlier views of the same things, in order */
    int view_len;
    pov_judging judging;
    pov_judging relations;
    pov_vpt_options vpt;
} pov_asking;
#define POV_ASKING_DEFAULT                                                                                   \
    {                                                                                                        \
        .benchmark = POV_BENCHMARK_COMFORT, .referent = POV_ID_NONE, .relatum = POV_ID_NONE,                 \
        .prompt = {true, true, true, true}, .seed = 1, .runs = 5, .judging = POV_JUDGING_DEFAULT,            \
        .relations = POV_JUDGING_DEFAULT, .vpt = POV_VPT_OPTIONS_DEFAULT                                     \
    }

typedef struct pov_questions pov_questions;
enum { POV_QUESTIONS_DEFAULT = 30000 };

/** Makes room for `capacity` questions. POV_ERROR: no memory; Embree fails. */
POV_MUST_USE pov_status pov_questions_new(pov_questions **questions, int capacity);
void pov_questions_destroy(pov_questions **questions);

/** Every question of a benchmark that the scene allows, in the scene's order. Earlier questions are dropped.
 *  Returns: POV_ERROR (none is kept): more questions than there is room for; the language has no word for a thing, or is
 *           not one that the benchmark is asked in; the benchmark has no such guidance, prompting or system prompt; Embree fails. */
POV_MUST_USE pov_status pov_questions_ask(pov_questions *questions, const pov_scene *scene,
                                          const pov_asking *asking);
/** A layout for each caption, with its id; `asking` says how. The captions must outlive the questions. */
POV_MUST_USE pov_status pov_questions_ask_layouts(pov_questions *questions, const pov_captions *captions,
                                                  const pov_asking *asking);
int pov_questions_len(const pov_questions *questions);
const pov_question *pov_questions_at(const pov_questions *questions, int index);
