/* Writes the truths of an image's questions, from which a simulated model answers. */
#include "compare/questions/prompting.h"
#include "compare/vlm/vlm_truth.h"
#include "config/files/text.h"
#include "firmware/comparison/image_questions_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void name_frame(char *name, size_t capacity, const pov_gold *gold)
{
    const char *convention = pov_convention_name(gold->convention);
    if (gold->mirrored)
        snprintf(name, capacity, POV_VLM_FRAME_MIRRORED);
    else if (gold->perspective == POV_PERSPECTIVE_COUNT)
        snprintf(name, capacity, "any");
    else
        snprintf(name, capacity, convention ? "%s/%s" : "%s", pov_perspective_name(gold->perspective),
                 convention);
}

static bool is_in(const pov_vlm_truth *truth, const char *frame)
{
    for (int i = 0; i < truth->gold_len; i++)
        if (strcmp(truth->golds[i].frame, frame) == 0)
            return true;
    return false;
}

/* "B. left" of what is offered by letters; else in words. */
static char *write_answer(const pov_question *question, const pov_gold *gold)
{
    char text[256];
    int letter = 0;
    pov_gold one = *gold;
    if (question->kind == POV_QUESTION_OPTION)
        one.answers &= ~one.answers + 1; /* of several right options, the first */
    pov_gold_describe(text, sizeof text, question, &one);
    while (letter < POV_OPTIONS_MAX && !(gold->answers & 1u << letter))
        letter++;
    return question->lettered && letter < question->option_len ? pov_text_new("%c. %s", 'A' + letter, text)
                                                               : pov_text_new("%s", text);
}

/* The frame asked for first: of several golds of one frame (by heading, by sight line) the first stays. */
static void add_gold_as(pov_image_questions *q, pov_vlm_truth *truth, const char *frame,
                        const pov_question *question, const pov_gold *gold)
{
    if (!gold->defined || truth->gold_len == POV_VLM_TRUTH_GOLD_MAX || is_in(truth, frame))
        return;
    pov_vlm_gold *known = &truth->golds[truth->gold_len++];
    *known = (pov_vlm_gold){.frame = pov_image_questions_own(q, strdup(frame)), .yes = NAN};
    if (pov_question_is_yes_or_no(question)) {
        known->yes = isnan(gold->cosine) ? pov_gold_p_yes(gold) : gold->cosine;
    } else {
        known->text = pov_image_questions_own(q, write_answer(question, gold));
    }
}

static void add_gold(pov_image_questions *q, pov_vlm_truth *truth, const pov_question *question,
                     const pov_gold *gold)
{
    char frame[96];
    name_frame(frame, sizeof frame, gold);
    add_gold_as(q, truth, frame, question, gold);
}

/* An answer that is wrong in a known way: by other axes than those that are asked for. */
static void add_biased(pov_image_questions *q, pov_vlm_truth *truth, const char *frame,
                       const pov_question *question, unsigned answers)
{
    pov_gold gold = question->golds[0];
    gold.answers = answers;
    gold.words = NULL;
    gold.defined = true;
    if (answers)
        add_gold_as(q, truth, frame, question, &gold);
}

static unsigned find_answer(const pov_question *question, const char *word)
{
    for (int i = 0; i < POV_OPTIONS_MAX; i++) {
        const char *known = pov_question_answer_word(question, i);
        if (known && strcmp(known, word) == 0)
            return 1u << i;
    }
    return 0;
}

/* What is offered that differs from the answers in left and right alone; 0: nothing. */
static unsigned mirror_answers(const pov_question *question, unsigned answers)
{
    static const char *const sides[2] = {"left", "right"};
    unsigned mirrored = 0;
    for (int i = 0; i < POV_OPTIONS_MAX; i++) {
        const char *word = answers & 1u << i ? pov_question_answer_word(question, i) : NULL;
        for (int side = 0; word && side < 2; side++) {
            const char *at = strstr(word, sides[side]);
            if (!at)
                continue;
            char *other =
                pov_text_new("%.*s%s%s", (int)(at - word), word, sides[!side], at + strlen(sides[side]));
            mirrored |= find_answer(question, other);
            free(other);
            break;
        }
    }
    return mirrored;
}

/* Returns the hash of the image that is sent. */
static uint64_t hash_of(const pov_image_questions *q, const pov_question *question)
{
    return question->view_len > 0 ? q->shown[0]->hash
           : question->is_flipped ? q->pictures->mirrored.hash
                                  : q->image_hash;
}

static void offer_answers(pov_image_questions *q, pov_vlm_truth *truth, const pov_question *question)
{
    static_assert((int)POV_OPTIONS_MAX <= (int)POV_VLM_TRUTH_OPTION_MAX, "all fit");
    for (int i = 0; i < POV_OPTIONS_MAX; i++) {
        const char *word = question->kind == POV_QUESTION_OPTION ||
                                   question->kind == POV_QUESTION_CARDINALS ||
                                   question->kind == POV_QUESTION_SIDES
                               ? pov_question_answer_word(question, i)
                               : NULL;
        if (word)
            truth->options[truth->option_len++] =
                question->lettered ? pov_image_questions_own(q, pov_text_new("%c. %s", 'A' + i, word)) : word;
    }
}

pov_status pov_image_questions_write_truth(pov_image_questions *q, const char *prompt,
                                           const pov_question *question)
{
    pov_vlm_truth truth = {.image = hash_of(q, question),
                           .prompt = prompt,
                           .explains = pov_prompting_explains(question->prompting),
                           .flipped = question->is_flipped,
                           .cogmap = question->cogmap,
                           .system = question->rotation ? question->system : NULL};
    if (pov_image_questions_second(q, question))
        truth.scaffold = pov_image_questions_second(q, question)->hash;
    offer_answers(q, &truth, question);
    const pov_gold *asked = pov_question_asked(question);
    if (question->relation < POV_RELATION_COUNT)
        truth.relation = pov_relation_name(question->relation);
    if (question->kind == POV_QUESTION_TRUE_FALSE) {
        truth.yes_word = "true";
        truth.no_word = "false";
    } else if (q->options.language) {
        truth.yes_word = q->options.language->yes[0];
        truth.no_word = q->options.language->no[0];
    }
    if (asked)
        add_gold(q, &truth, question, asked);
    for (int i = 0; i < question->gold_len; i++)
        add_gold(q, &truth, question, &question->golds[i]);
    if (truth.gold_len == 0)
        return pov_ok();
    add_biased(q, &truth, POV_VLM_FRAME_CAMERA, question, question->camera_answers);
    add_biased(q, &truth, POV_VLM_FRAME_RELATUM, question, question->relatum_answers);
    if (asked && (question->kind == POV_QUESTION_OPTION || question->kind == POV_QUESTION_SIDES))
        add_biased(q, &truth, POV_VLM_FRAME_MIRRORED, question, mirror_answers(question, asked->answers));
    char *line;
    POV_TRY(pov_vlm_truth_line(&line, &truth));
    fputs(line, q->truth_stream);
    free(line);
    return pov_ok();
}

pov_status pov_image_questions_write_guidance_truth(pov_image_questions *q, const pov_question *question)
{
    char *request = pov_prompting_guidance_request(question->text), *line;
    const pov_vlm_truth truth = {
        .image = hash_of(q, question),
        .prompt = request,
        .gold_len = 1,
        .golds = {{"any", NAN, "Direction: as asked. Topology: outside. Distance: near."}}};
    const pov_status status = pov_vlm_truth_line(&line, &truth);
    if (status.code == POV_OK) {
        fputs(line, q->truth_stream);
        free(line);
    }
    free(request);
    return status;
}
