/* Layouts asked of language models (FoREST, section 4.2: Premsri & Kordjamshidi 2025): a box for each thing that a caption
 * names, on a picture of 512 x 512 px; with examples of our own, and with what section 4.3 has a model extract first. */
#include "compare/questions/question_internal.h"

#include "compare/layouts/box_layout.h"

#include <stdio.h>
#include <string.h>

_Static_assert(POV_LAYOUT_SIDE_PX == 512, "the picture's size stands in the words below");
static const char instruction[] =
    "You lay out pictures. A picture is 512 pixels wide and 512 pixels high; x grows to the right and y "
    "downward "
    "from its top left. Give each thing that the caption names one box (x, y, width, height): its top left "
    "corner, "
    "then its size, in whole pixels. Mind whose left, right, front and back the caption means, and which way "
    "things "
    "face. Answer on one line: Objects: [['THING', [x, y, width, height]], ['THING', [x, y, width, height]]]";

/* None of these things is among FoREST's; one of each frame that has pictures, and of front and back. */
static const struct {
    pov_caption caption;
    const char *objects;
} examples[] = {
    {{.text = "A lamp is to the left of a sofa from the camera's perspective. The sofa is facing toward the "
              "camera.",
      .locatum = "lamp",
      .relatum = "sofa",
      .relation = POV_LEFT_OF,
      .frames = 1u << POV_EXTERNAL_RELATIVE,
      .faces = true,
      .facing = POV_FACES_TOWARD},
     "Objects: [['lamp', [60, 170, 70, 210]], ['sofa', [210, 220, 250, 160]]]"},
    {{.text = "A rabbit is to the right of a van from the van's perspective. The van is facing toward the "
              "camera.",
      .locatum = "rabbit",
      .relatum = "van",
      .relation = POV_RIGHT_OF,
      .frames = 1u << POV_EXTERNAL_INTRINSIC,
      .faces = true,
      .facing = POV_FACES_TOWARD},
     "Objects: [['rabbit', [50, 320, 80, 90]], ['van', [210, 160, 260, 250]]]"},
    {{.text = "A teapot is in front of a piano from the piano's perspective. The piano is facing right "
              "relative to the "
              "camera.",
      .locatum = "teapot",
      .relatum = "piano",
      .relation = POV_IN_FRONT_OF,
      .frames = 1u << POV_EXTERNAL_INTRINSIC,
      .faces = true,
      .facing = POV_FACES_RIGHT},
     "Objects: [['teapot', [390, 310, 70, 60]], ['piano', [90, 140, 250, 240]]]"},
    {{.text = "A kite is back of a fountain.",
      .locatum = "kite",
      .relatum = "fountain",
      .relation = POV_BEHIND,
      .frames = 1u << POV_EXTERNAL_RELATIVE},
     "Objects: [['kite', [230, 90, 60, 60]], ['fountain', [150, 200, 220, 250]]]"},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };
_Static_assert((int)EXAMPLES == (int)POV_LAYOUT_EXAMPLES, "as many as are told of");

static const char *const frame_words[] = {"external relative", "external intrinsic", "internal intrinsic",
                                          "internal relative"}; /* as pov_forest_frame */

/* Both, or the one of two words. */
static const char *either(bool first, bool second, const char *one, const char *other, const char *both)
{
    return first && second ? both : first ? one : other;
}

/* Direction, topology, distance and frame, as far as the caption says (section 4.3). */
static const char *spatial_information(pov_questions *q, const pov_caption *caption)
{
    static const char *const relations[] = {"to the left of", "to the right of", "in front of", "behind"};
    const bool relative = caption->frames & (1u << POV_EXTERNAL_RELATIVE | 1u << POV_INTERNAL_RELATIVE),
               intrinsic = caption->frames & (1u << POV_EXTERNAL_INTRINSIC | 1u << POV_INTERNAL_INTRINSIC),
               external = caption->frames & (1u << POV_EXTERNAL_RELATIVE | 1u << POV_EXTERNAL_INTRINSIC),
               internal = caption->frames & (1u << POV_INTERNAL_RELATIVE | 1u << POV_INTERNAL_INTRINSIC);
    char frames[120] = "", whose[160];
    for (int f = 0; f < POV_FOREST_FRAME_COUNT; f++)
        if (caption->frames >> f & 1)
            snprintf(frames + strlen(frames), sizeof frames - strlen(frames), "%s%s", *frames ? " or " : "",
                     frame_words[f]);
    snprintf(whose, sizeof whose, "%s%s%.60s%s", relative ? "the observer" : "",
             relative && intrinsic ? ", or to the "
             : intrinsic           ? "the "
                                   : "",
             intrinsic ? caption->relatum : "", intrinsic ? " itself" : "");
    return pov_questions_text(
        q,
        "Direction: relative to %s, the %s is %s the %s. Topology: the %s is %s the %s. Distance: %s. Frame "
        "of reference: %s.",
        whose, caption->locatum, relations[caption->relation], caption->relatum, caption->locatum,
        either(external, internal, "outside", "inside", "outside or inside"), caption->relatum,
        either(external, internal, "near", "none", "near or none"), frames);
}

static const char *told(pov_questions *q, const pov_caption *caption)
{
    return q->asking->guidance == POV_GUIDED_FACTS
               ? pov_questions_text(q, "\nSpatial information: %s", spatial_information(q, caption))
               : "";
}

const char *pov_questions_layout_examples(pov_questions *q)
{
    const char *text = "";
    for (int i = 0; i < q->asking->examples; i++)
        text = pov_questions_text(q, "%sCaption: %s%s\n%s\n\n", text, examples[i].caption.text,
                                  told(q, &examples[i].caption), examples[i].objects);
    return text;
}

/* What the caption is for the camera, by each reading. P is that of the facing that it needs. */
static void add_golds(pov_questions *q, const pov_caption *caption, double p_facing)
{
    for (int frame = 0; frame < POV_FOREST_FRAME_COUNT; frame++) {
        if (!(caption->frames >> frame & 1))
            continue;
        pov_caption one = *caption;
        one.frames = 1u << frame;
        const pov_caption_readings readings = pov_caption_read(&one);
        const unsigned answers = readings.relative | readings.intrinsic;
        pov_questions_set_frame(pov_questions_answer(q, answers,
                                                     !answers            ? NAN
                                                     : readings.relative ? 1
                                                                         : p_facing),
                                (pov_forest_frame)frame);
    }
}

void pov_questions_add_layout(pov_questions *q, const pov_caption *caption, const char *shots,
                              double p_facing)
{
    enum { TOKENS = 200 };
    pov_question *question = pov_questions_add(q);
    question->id = caption->id;
    question->task = "layout";
    question->kind = POV_QUESTION_LAYOUT;
    question->needs_image = false;
    question->token_max = TOKENS;
    question->system = instruction;
    question->relation = caption->relation;
    question->has_caption = true;
    question->caption = *caption;
    question->text = pov_questions_text(q, "%sCaption: %s%s", shots, caption->text, told(q, caption));
    add_golds(q, caption, p_facing);
}

pov_status pov_questions_ask_layouts(pov_questions *q, const pov_captions *captions, const pov_asking *asking)
{
    POV_REQUIRE(asking->benchmark == POV_BENCHMARK_FOREST);
    pov_questions_start(q, NULL, asking);
    const char *shots = pov_questions_layout_examples(q);
    for (int i = 0; i < pov_captions_len(captions) && q->problem.code == POV_OK; i++) {
        const pov_caption *caption = pov_captions_at(captions, i);
        if (*caption->text == '\0')
            pov_questions_complain(q, "caption '%.60s' has no text: 'context', or 'caption'", caption->id);
        else
            pov_questions_add_layout(q, caption, shots, 1);
    }
    return pov_questions_end(q);
}
