/** The conditions that a question is asked under: what is told before it, how an answer is asked for, and with which system prompt. A new
 *  condition is a row of the table in prompt_condition.c, and a line of docs/PROMPTS.md. Pure. */
#pragma once

#include <stdbool.h>

/** Told or shown before the question. */
typedef enum {
    POV_GUIDED_NOT,
    POV_GUIDED_FACTS, /* direction, topology and distance, from geometry (FoREST, section 4.3) */
    POV_GUIDED_STEP, /* an intermediate question with its gold (Isle-Brick, appendix C; SPHERE, section 4.3) */
    POV_GUIDED_VIEW,     /* a second image: the scene as the addressee sees it */
    POV_GUIDED_MAP,      /* a second image: the scene from above, with names */
    POV_GUIDED_COGMAP,   /* the model draws the scene on a grid first */
    POV_GUIDED_ABSTRACT, /* a second image: coloured spheres as the addressee sees them */
    POV_GUIDANCE_COUNT
} pov_guidance;

enum { POV_EXAMPLES = 4 }; /* of every prompting but zero-shot */

/** How an answer is asked for. */
typedef enum {
    POV_PROMPTING_ZERO_SHOT,
    POV_PROMPTING_FOUR_SHOT,
    POV_PROMPTING_COT,    /* chain of thought */
    POV_PROMPTING_SG_COT, /* the model's own guidance first, by a request of its own */
    POV_PROMPTING_COUNT
} pov_prompting;

typedef enum {
    POV_SYSTEM_OF_VLM, /* as the section `vlm` has it */
    POV_SYSTEM_NONE,
    POV_SYSTEM_COMFORT,
    POV_SYSTEM_COUNT
} pov_system_prompt;

/** The order in which a question names its things, or its options. */
typedef enum {
    POV_ORDER_NORMAL,   /* the referent */
    POV_ORDER_REVERSE,  /* the relatum */
    POV_ORDER_PERMUTED, /* of the directions that it lists: every order */
    POV_ORDER_COUNT
} pov_question_order;

enum { POV_ROTATIONS = 8 /* of a question's options; the first is their own order */ };

typedef enum {
    POV_PROMPT_CONDITION_GUIDED,
    POV_PROMPT_CONDITION_PROMPTING,
    POV_PROMPT_CONDITION_SYSTEM,
    POV_PROMPT_CONDITION_ORDER,
    POV_PROMPT_CONDITION_CIRCULAR, /* which rotation of the options */
    POV_PROMPT_CONDITION_FLIP,     /* whether it is about the mirrored image */
    POV_PROMPT_CONDITION_KINDS
} pov_prompt_condition_kind;
/** "guided", "prompting", "system", "order", "circular", "flip": of options, columns and messages. */
const char *pov_prompt_condition_kind_name(pov_prompt_condition_kind kind);

typedef struct {
    const char *name;
    const char *
        suffix; /* of a question's id and of its language, which tell conditions apart: "+cot"; "": the usual one */
    const char *does;
    const char *source; /* the papers that it comes from; "": none */
} pov_prompt_condition;
/** In: value: pov_guidance, pov_prompting, pov_system_prompt or pov_question_order, a rotation, whether it is flipped, by the kind. NULL: there are no more. */
const pov_prompt_condition *pov_prompt_condition_at(pov_prompt_condition_kind kind, int value);

/** "not", "facts", "step", "view", "map", "cogmap", "abstract". */
const char *pov_guidance_name(pov_guidance value);
/** "zero-shot", "4-shot", "cot", "sg-cot". */
const char *pov_prompting_name(pov_prompting value);
/** Zero-shot for a name that is none of these. */
pov_prompting pov_prompting_named(const char *name);
/** Whether the words that come first are thoughts, and the answer stands at their end. */
bool pov_prompting_explains(pov_prompting prompting);
/** "vlm", "none", "comfort". */
const char *pov_system_prompt_name(pov_system_prompt value);
/** "": none; NULL: that of the section `vlm`. */
const char *pov_system_prompt_text(pov_system_prompt value);
/** "normal", "reverse", "permuted". */
const char *pov_question_order_name(pov_question_order value);
