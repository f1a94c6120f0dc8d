#include "compare/questions/prompting.h"

#include "config/files/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- examples ---- */

/* Pictures are described in words: a request holds one image. None of these things is among the papers'. Each list has four frames of
 * reference, or each answer as often, so that it favours none (FoREST, section 4.1). */
typedef struct {
    const char *context, *question;
    const char *spatial; /* direction, topology, distance and frame (FoREST, section 4.3) */
    const char *explanation, *answer;
} example;

#define MUG "A mug is on the left side of the picture, beside a lamp."
#define MUG_SPATIAL                                                                                          \
    "Direction: relative to the camera, the mug is to the left of the lamp. Topology: outside. Distance: "   \
    "near. Frame of reference: external relative."
#define BONE "A dog faces the camera. A bone is on the left side of the picture, beside the dog."
#define BONE_SPATIAL                                                                                         \
    "Direction: relative to the dog itself, the bone is to its right, as the dog faces the camera. "         \
    "Topology: "                                                                                             \
    "outside. Distance: near. Frame of reference: external intrinsic."
#define CUP "A cup stands on a table, nearer to the camera than a vase."
#define CUP_SPATIAL                                                                                          \
    "Direction: relative to the camera, the cup is in front of the vase. Topology: outside. Distance: "      \
    "near. "                                                                                                 \
    "Frame of reference: external relative."
#define HAT                                                                                                  \
    "A man stands behind a box and looks at the camera. A hat is on the left side of the picture, beside "   \
    "the box."
#define HAT_SPATIAL                                                                                          \
    "Direction: relative to the man, the hat is to the right of the box, as he looks at the camera. "        \
    "Topology: "                                                                                             \
    "outside. Distance: near. Frame of reference: external relative, of the man."

static const example yes_no_examples[POV_EXAMPLES] = {
    {MUG, "From the camera's viewpoint, is the mug to the left of the lamp?", MUG_SPATIAL,
     "The viewpoint is the camera's. For the camera, the mug is to the left of the lamp.", "Yes"},
    {BONE, "From the dog's viewpoint, is the bone to the left of the dog?", BONE_SPATIAL,
     "The viewpoint is the dog's. It faces the camera, so that its left is on the right side of the picture. "
     "The "
     "bone is on the left side of the picture, to the dog's right.",
     "No"},
    {CUP, "From the camera's viewpoint, is the cup in front of the vase?", CUP_SPATIAL,
     "The viewpoint is the camera's. The nearer thing is in front of the other one, and the cup is nearer.",
     "Yes"},
    {HAT, "From the man's viewpoint, is the hat to the left of the box?", HAT_SPATIAL,
     "The viewpoint is the man's. He looks at the camera, so that his left is on the right side of the "
     "picture. The "
     "hat is on the left side of the picture, to his right.",
     "No"},
};

static const example true_false_examples[POV_EXAMPLES] = {
    {MUG, "The mug is left of the lamp. True or false?", MUG_SPATIAL,
     "The statement is about the picture. The mug is on the left side of it, beside the lamp.", "True"},
    {BONE, "The bone is at the left side of the dog. True or false?", BONE_SPATIAL,
     "The side is the dog's own. It faces the camera, so that its left side is on the right side of the "
     "picture, and "
     "the bone is on the left side of the picture.",
     "False"},
    {CUP, "The cup is in front of the vase. True or false?", CUP_SPATIAL,
     "The nearer thing is in front of the other one for the camera, and the cup is nearer.", "True"},
    {"A spoon lies on a plate.", "The plate is on the spoon. True or false?",
     "Direction: none. Topology: the plate supports the spoon. Distance: touching. Frame of reference: none.",
     "The spoon lies on the plate, so that the plate is under the spoon.", "False"},
};

/* FoREST's, one of each of its frames. */
static const example relation_examples[POV_EXAMPLES] = {
    {"A lamp is to the left of the sofa from the camera's perspective. The sofa is facing toward the camera.",
     "In the camera's perspective, how is the lamp positioned in relation to the sofa?",
     "Direction: relative to the observer, the lamp is to the left of the sofa. Topology: outside. Distance: "
     "near. "
     "Frame of reference: external relative.",
     "The lamp is to the left from the camera's perspective, and the question is about the camera's "
     "perspective.",
     "left"},
    {"A rabbit is to the right of the van from the van's perspective. The van is facing toward the camera.",
     "Based on the camera's perspective, where is the rabbit from the van's position?",
     "Direction: relative to the van itself, the rabbit is to the right of the van. Topology: outside. "
     "Distance: "
     "near. Frame of reference: external intrinsic.",
     "The rabbit is to the van's own right. The van faces the camera, so that its right is the camera's "
     "left.",
     "left"},
    {"A driver is inside and in front of the bus from the bus itself. The bus is facing away from the "
     "camera.",
     "From the bus's perspective, what is the relation of the driver to the bus?",
     "Direction: relative to the bus itself, the driver is in front. Topology: inside. Distance: none. Frame "
     "of "
     "reference: internal intrinsic.",
     "The driver is in the front of the bus from the bus itself, and the question is about the bus's "
     "perspective.",
     "front"},
    {"A toy is inside and back of the crate from the observer.",
     "Based on the camera's perspective, where is the toy located with respect to the crate's location?",
     "Direction: relative to the observer, the toy is in the back. Topology: inside. Distance: none. Frame "
     "of "
     "reference: internal relative.",
     "The toy is in the back of the crate for the observer, who is at the camera.", "back"},
};

static const example frame_examples[POV_EXAMPLES] = {
    {"A lamp is to the left of the sofa from the camera's perspective.",
     "In which of these categories is it?",
     "Direction: relative to the observer. Topology: outside. Distance: near. Frame of reference: external "
     "relative.",
     "The camera's perspective is the observer's, and the lamp is outside of the sofa.", "external relative"},
    {"A rabbit is to the right of the van from the van's perspective.", "In which of these categories is it?",
     "Direction: relative to the van itself. Topology: outside. Distance: near. Frame of reference: external "
     "intrinsic.",
     "The perspective is the van's, which is the relatum, and the rabbit is outside of the van.",
     "external intrinsic"},
    {"A driver is inside and in front of the bus from the bus itself.", "In which of these categories is it?",
     "Direction: relative to the bus itself. Topology: inside. Distance: none. Frame of reference: internal "
     "intrinsic.",
     "The perspective is the bus's, which is the relatum, and the driver is inside of it.",
     "internal intrinsic"},
    {"A toy is inside and back of the crate from the observer.", "In which of these categories is it?",
     "Direction: relative to the observer. Topology: inside. Distance: none. Frame of reference: internal "
     "relative.",
     "The perspective is the observer's, and the toy is inside of the crate.", "internal relative"},
};

static const example option_examples[POV_EXAMPLES] = {
    {MUG, "Is the mug to the left or right of the lamp from the viewer's perspective?", MUG_SPATIAL,
     "The perspective is the viewer's. The mug is on the left side of the picture.", "left"},
    {BONE, "From the dog's perspective, is the bone on its right or left?", BONE_SPATIAL,
     "The dog faces the viewer, so that its right is on the left side of the picture, where the bone is.",
     "right"},
    {CUP, "Which is closer to the camera: the vase or the cup?", CUP_SPATIAL,
     "The cup is nearer to the camera than the vase.", "the cup"},
    {"A ladder is as high as two doors.", "Which is taller: the ladder or the door?",
     "Direction: none. Topology: outside. Distance: near. Frame of reference: none.",
     "The ladder has twice the height of the door.", "the ladder"},
};

static const example number_examples[POV_EXAMPLES] = {
    {"Three mugs stand to the left of a lamp, and one to its right.",
     "How many mugs are to the left of the lamp from the viewer's perspective?",
     "Direction: relative to the viewer. Topology: outside. Distance: near. Frame of reference: external "
     "relative.",
     "Three of the four mugs are on the left side.", "3"},
    {"A dog and two cats sit on a rug.", "How many animals are there?",
     "Direction: none. Topology: the animals are on the rug. Distance: near. Frame of reference: none.",
     "One dog and two cats are three animals.", "3"},
    {"A plate is empty.", "How many spoons are on the plate?",
     "Direction: none. Topology: nothing is on the plate. Distance: none. Frame of reference: none.",
     "Nothing is on the plate.", "0"},
    {"Two men stand behind a box, and one in front of it.", "How many men are in front of the box?",
     "Direction: relative to the camera. Topology: outside. Distance: near. Frame of reference: external "
     "relative.",
     "One man is in front of it.", "1"},
};

static const example cardinal_examples[POV_EXAMPLES] = {
    {"A picture from above, its top is north. A hat is at the top, a box below it.",
     "In which cardinal direction is the hat from the box?",
     "Direction: absolute, the hat is north of the box. Topology: outside. Distance: far. Frame of "
     "reference: absolute.",
     "The hat is nearer to the top than the box, and the top is north.", "north"},
    {"A picture from above, its top is north. A man looks toward the right edge.",
     "In which cardinal direction does he face?",
     "Direction: absolute, he faces east. Topology: none. Distance: none. Frame of reference: absolute.",
     "With north at the top, the right edge is east.", "east"},
    {"A picture from above, its top is north. A mug is at the lower edge, a lamp above it.",
     "In which cardinal direction is the mug from the lamp?",
     "Direction: absolute, the mug is south of the lamp. Topology: outside. Distance: far. Frame of "
     "reference: absolute.",
     "The mug is nearer to the lower edge, which is south.", "south"},
    {"A picture from above, its top is north. A dog looks toward the left edge.",
     "In which cardinal direction does it face?",
     "Direction: absolute, it faces west. Topology: none. Distance: none. Frame of reference: absolute.",
     "With north at the top, the left edge is west.", "west"},
};

static const example side_examples[POV_EXAMPLES] = {
    {"A man looks at a box straight ahead of him.", "Where is the box from his perspective?",
     "Direction: relative to the man, the box is in front. Topology: outside. Distance: near. Frame of "
     "reference: "
     "external relative, of the man.",
     "He looks at the box.", "front"},
    {HAT, "Where is the hat from the man's perspective?", HAT_SPATIAL,
     "He looks at the camera, so that the left side of the picture is on his right.", "right"},
    {"A man turns his back to a lamp.", "Where is the lamp from his perspective?",
     "Direction: relative to the man, the lamp is behind. Topology: outside. Distance: near. Frame of "
     "reference: "
     "external relative, of the man.",
     "The lamp is behind his back.", "back"},
    {"A man looks at the camera. A mug is on the right side of the picture, beside him.",
     "Where is the mug from his perspective?",
     "Direction: relative to the man, the mug is on his left. Topology: outside. Distance: near. Frame of "
     "reference: "
     "external relative, of the man.",
     "He looks at the camera, so that the right side of the picture is on his left.", "left"},
};

static const example *choose_examples(const pov_question *question)
{
    switch (question->kind) {
    case POV_QUESTION_YES_NO:
        return yes_no_examples;
    case POV_QUESTION_TRUE_FALSE:
        return true_false_examples;
    case POV_QUESTION_NUMBER:
        return number_examples;
    case POV_QUESTION_CARDINALS:
        return cardinal_examples;
    case POV_QUESTION_SIDES:
        return side_examples;
    default:
        return question->benchmark != POV_BENCHMARK_FOREST                ? option_examples
               : strncmp(question->task, "frame_", strlen("frame_")) == 0 ? frame_examples
                                                                          : relation_examples;
    }
}

/* ---- conditions ---- */

bool pov_prompting_applies(pov_prompting prompting, const pov_language *language)
{
    return prompting == POV_PROMPTING_ZERO_SHOT || pov_language_is_english(language);
}

bool pov_system_applies(pov_system_prompt system, pov_benchmark benchmark)
{
    return system == POV_SYSTEM_OF_VLM || (system == POV_SYSTEM_NONE ? benchmark != POV_BENCHMARK_FOREST
                                                                     : benchmark == POV_BENCHMARK_COMFORT);
}

bool pov_question_order_applies(pov_question_order order, pov_benchmark benchmark)
{
    return order == POV_ORDER_NORMAL ||
           benchmark == (order == POV_ORDER_REVERSE ? POV_BENCHMARK_FOREST : POV_BENCHMARK_VPT);
}

/* ---- writing ---- */

static const char turn[] = "Now your turn.",
                  spatial_mark[] = "\nSpatial information: ", question_mark[] = "\nQuestion: ";

static const char *const wanted[] = {
    [POV_QUESTION_YES_NO] = "yes or no",
    [POV_QUESTION_TRUE_FALSE] = "true or false",
    [POV_QUESTION_OPTION] = "one of the choices",
    [POV_QUESTION_NUMBER] = "a number",
    [POV_QUESTION_CARDINALS] = "cardinal directions",
    [POV_QUESTION_SIDES] = "front, right, back or left",
};

static char *write_plain(const pov_question *question, const example *examples)
{
    pov_text text = {0};
    pov_text_add(
        &text, "Four questions with their answers, about other pictures, which are described in words:\n\n");
    for (int i = 0; i < POV_EXAMPLES; i++)
        pov_text_add(&text, "Picture: %s%s%s\nAnswer: %s\n\n", examples[i].context, question_mark,
                     examples[i].question, examples[i].answer);
    pov_text_add(&text, "%s%s%s\nAnswer:", turn, question_mark, question->text);
    return pov_text_take(&text);
}

static char *write_explaining(const pov_question *question, const example *examples, bool tells_spatial)
{
    pov_text text = {0};
    pov_text_add(
        &text, "Four questions about other pictures, which are described in words, each with an explanation "
               "and its answer:\n\n");
    for (int i = 0; i < POV_EXAMPLES; i++)
        pov_text_add(&text, "Picture: %s%s%s%s%s\nExplanation: %s\nAnswer: %s\n\n", examples[i].context,
                     tells_spatial ? spatial_mark : "", tells_spatial ? examples[i].spatial : "",
                     question_mark, examples[i].question, examples[i].explanation, examples[i].answer);
    pov_text_add(
        &text,
        "%s Explain first, then answer with %s. Write it in this form:\nExplanation: EXPLANATION\nAnswer: "
        "ANSWER\n%s%s",
        turn, wanted[question->kind], question_mark, question->text);
    return pov_text_take(&text);
}

char *pov_prompting_write(const pov_question *question, pov_prompting prompting)
{
    POV_REQUIRE(prompting != POV_PROMPTING_ZERO_SHOT && question->kind != POV_QUESTION_LAYOUT);
    const example *examples = choose_examples(question);
    return prompting == POV_PROMPTING_FOUR_SHOT
               ? write_plain(question, examples)
               : write_explaining(question, examples, prompting == POV_PROMPTING_SG_COT);
}

/* ---- the model's own guidance ---- */

/* The question's own place in a text: its last mark, behind the model's turn. NULL: none. */
static const char *find_question(const char *text)
{
    const char *found = NULL, *from = strstr(text, turn);
    for (const char *at = from; at && (at = strstr(at, question_mark)); at++)
        found = at;
    return found;
}

char *pov_prompting_guidance_request(const char *prompt)
{
    static const example *const lists[] = {yes_no_examples, relation_examples};
    const char *question = find_question(prompt);
    POV_REQUIRE(question);
    pov_text text = {0};
    pov_text_add(
        &text,
        "Spatial information says what a question is about: the direction, and whose it is (the observer's, "
        "a "
        "person's, or a thing's own); the topology (inside, outside, on); the distance (near, far, "
        "touching); "
        "and the frame of reference. Four examples about other pictures, which are described in words:\n\n");
    for (int i = 0; i < POV_EXAMPLES; i++) {
        const example *e = &lists[i / 2][i]; /* one of each: yes or no, and FoREST's inside */
        pov_text_add(&text, "Picture: %s%s%s%s%s\n\n", e->context, question_mark, e->question, spatial_mark,
                     e->spatial);
    }
    pov_text_add(&text, "%s Write only the spatial information, on one line, not the answer.\n%s", turn,
                 question);
    return pov_text_take(&text);
}

char *pov_prompting_add_guidance(const char *prompt, const char *guidance)
{
    const char *question = find_question(prompt), *mark = spatial_mark + strlen("\n");
    POV_REQUIRE(question);
    while (*guidance == ' ' || *guidance == '\n')
        guidance++;
    if (strncasecmp(guidance, mark, strlen(mark) - 1) == 0)
        guidance += strlen(mark) - 1;
    guidance += strspn(guidance, " \n");
    pov_text text = {0};
    pov_text_add(&text, "%.*s%s%s%s", (int)(question - prompt), prompt, spatial_mark, guidance, question);
    return pov_text_take(&text);
}

char *pov_prompting_drop_guidance(const char *prompt)
{
    const char *question = find_question(prompt), *from = question ? strstr(prompt, turn) : NULL;
    const char *spatial = from ? strstr(from, spatial_mark) : NULL;
    pov_text text = {0};
    if (spatial && spatial < question)
        pov_text_add(&text, "%.*s%s", (int)(spatial - prompt), prompt, question);
    else
        pov_text_add(&text, "%s", prompt);
    return pov_text_take(&text);
}
