#include "compare/questions/prompt_condition.h"

#include "perception/status.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* In the order of the enums. */
static const pov_prompt_condition guided[] = {
    {"not", "", "the question alone", ""},
    {"facts", "+facts", "before the question: direction, topology and distance, as geometry measures them",
     "FoREST, section 4.3"},
    {"step", "+step", "before the question: an intermediate question with its right answer",
     "Isle-Brick, appendix C; SPHERE, section 4.3"},
    {"view", "+view", "a second image: the scene as the addressee sees it, drawn from its geometry",
     "APC (Lee et al. 2025)"},
    {"map", "+map", "a second image: the scene from above, with names and fronts, drawn from its geometry",
     "SpatialPIN; MindCube"},
    {"cogmap", "+cogmap", "the model draws the scene on a grid before it answers; its map is scored",
     "MindCube (Yin et al. 2025)"},
    {"abstract", "+abstract",
     "a second image: a sphere of its own colour for each thing, as the addressee sees them; words say which "
     "is what",
     "APC (Lee et al. 2025)"},
};
static const pov_prompt_condition prompting[] = {
    {"zero-shot", "", "the question alone, the answer without explanation", "all five"},
    {"4-shot", "+4-shot", "four questions with their answers before it", "FoREST, section 4.1"},
    {"cot", "+cot",
     "chain of thought: four questions with explanations and answers before it; it explains, then answers",
     "FoREST, section 4.1; Wei et al. 2022"},
    {"sg-cot", "+sg-cot",
     "a first request has the model write direction, topology, distance and frame of reference; a second one "
     "tells it "
     "these, and goes on as cot",
     "FoREST, section 4.3"},
};
static const pov_prompt_condition system_prompts[] = {
    {"vlm", "", "the system prompt of the section `vlm`", ""},
    {"none", "+system-none", "no system prompt", "COMFORT, all rows but GPT-4o's"},
    {"comfort", "+system-comfort", "that of COMFORT's released script: the answer only in \"Yes\" or \"No\"",
     "COMFORT, the rows of GPT-4o"},
};
static const pov_prompt_condition orders[] = {
    {"normal", "", "the question names the referent before the relatum", "all five"},
    {"reverse", "+reverse", "it names the relatum first: FoREST's questions about directions only",
     "FoREST, Table 7 and appendix F.2"},
    {"permuted", "+permuted", "Isle-Brick's Q5 only, in all 24 orders of \"north, east, south, west\"",
     "Isle-Brick, appendix B"},
};
static const pov_prompt_condition circular[] = {
    {"0", "", "options in their own order", ""},
    {"1", "+r1", "CircularEval: the options one place on, the first of them last", "3DSRBench; MMBench"},
    {"2", "+r2", "two places on", ""},
    {"3", "+r3", "three places on", ""},
    {"4", "+r4", "four places on", ""},
    {"5", "+r5", "five places on", ""},
    {"6", "+r6", "six places on", ""},
    {"7", "+r7", "seven places on", ""},
};
static const pov_prompt_condition flip[] = {
    {"no", "", "the image as it was taken", ""},
    {"yes", "+flip", "FlipEval: the mirrored image, with the golds of the mirrored scene", "3DSRBench"},
};
static_assert(sizeof guided / sizeof *guided == POV_GUIDANCE_COUNT, "a row each");
static_assert(sizeof prompting / sizeof *prompting == POV_PROMPTING_COUNT, "a row each");
static_assert(sizeof system_prompts / sizeof *system_prompts == POV_SYSTEM_COUNT, "a row each");
static_assert(sizeof orders / sizeof *orders == POV_ORDER_COUNT, "a row each");
static_assert(sizeof circular / sizeof *circular == POV_ROTATIONS, "a row each");

static const struct {
    const char *name;
    const pov_prompt_condition *rows;
    int len;
} kinds[] = {{"guided", guided, POV_GUIDANCE_COUNT},       {"prompting", prompting, POV_PROMPTING_COUNT},
             {"system", system_prompts, POV_SYSTEM_COUNT}, {"order", orders, POV_ORDER_COUNT},
             {"circular", circular, POV_ROTATIONS},        {"flip", flip, 2}};
static_assert(sizeof kinds / sizeof *kinds == POV_PROMPT_CONDITION_KINDS, "a row each");

const char *pov_prompt_condition_kind_name(pov_prompt_condition_kind kind)
{
    return kinds[kind].name;
}

const pov_prompt_condition *pov_prompt_condition_at(pov_prompt_condition_kind kind, int value)
{
    POV_REQUIRE(kind >= 0 && kind < POV_PROMPT_CONDITION_KINDS);
    return value >= 0 && value < kinds[kind].len ? &kinds[kind].rows[value] : NULL;
}

const char *pov_guidance_name(pov_guidance value)
{
    return guided[value].name;
}

const char *pov_prompting_name(pov_prompting value)
{
    return prompting[value].name;
}

pov_prompting pov_prompting_named(const char *name)
{
    int value = POV_PROMPTING_COUNT - 1;
    while (value > 0 && strcmp(name, prompting[value].name) != 0)
        value--;
    return (pov_prompting)value;
}

bool pov_prompting_explains(pov_prompting value)
{
    return value == POV_PROMPTING_COT || value == POV_PROMPTING_SG_COT;
}

const char *pov_system_prompt_name(pov_system_prompt value)
{
    return system_prompts[value].name;
}

const char *pov_system_prompt_text(pov_system_prompt value)
{
    return value == POV_SYSTEM_OF_VLM ? NULL
           : value == POV_SYSTEM_NONE
               ? ""
               : "You will be provided an image and a question, please answer the question only in "
                 "\"Yes\" or \"No\"";
}

const char *pov_question_order_name(pov_question_order value)
{
    return orders[value].name;
}
