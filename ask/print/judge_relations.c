#include "ask/print/judge_relations.h"

#include "ask/print/judge_json.h"
#include "ask/print/judge_print.h"
#include "config/files/markup.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

enum { COLUMNS = 100, LABEL_CAPACITY = 120 };

/* -------- judging -------- */

typedef struct {
    const pov_relation_choice *choice;
    const pov_scene *scene;
    const pov_located *located;
    pov_relation_visit visit;
    void *context;
} judging_pass;

static bool is_chosen(const pov_relation_choice *choice, int index)
{
    return choice->relation[index] && !pov_relation_is_direction(pov_relation_registry_at(index));
}

/* "between" takes two; "among" three or more. */
static bool takes(const pov_relation_info *relation, int relatum_len)
{
    return relation->relata_min == relatum_len ||
           (relation->relata_min > 2 && relation->relata_min < relatum_len);
}

bool pov_relation_choice_needs(const pov_relation_choice *choice, int relatum_len, bool more)
{
    bool needed = false;
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        int least = pov_relation_registry_at(i)->relata_min;
        needed = needed || (is_chosen(choice, i) && (more ? least >= relatum_len : least == relatum_len));
    }
    return needed;
}

static void judge_in_frame(const judging_pass *pass, pov_frame_need need, const pov_relation_question *frame)
{
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        pov_relation_question question = *frame;
        pov_relation_answer answer;
        question.relation = pov_relation_registry_at(i);
        if (!is_chosen(pass->choice, i) || question.relation->frame != need ||
            !takes(question.relation, pass->located->relatum_len))
            continue;
        question.acceptance = pass->choice->acceptance;
        question.referent = pass->located->referent;
        question.relatum_len = pass->located->relatum_len;
        memcpy(question.relatum, pass->located->relatum, sizeof question.relatum);
        (void)pov_relation_judge(&answer, pass->scene, &question, &pass->choice->judging);
        pass->visit(pass->context, &answer);
    }
}

/* Its own front is the intrinsic frame. */
static bool is_relatum(const pov_located *located, pov_id id)
{
    bool found = false;
    for (int i = 0; i < located->relatum_len; i++)
        found = found || id == located->relatum[i];
    return found;
}

static void judge_for_viewer(const judging_pass *pass, pov_perspective perspective, pov_id viewer)
{
    const pov_relation_choice *choice = pass->choice;
    pov_relation_question frame = {.perspective = perspective, .viewer = viewer};
    for (int convention = 0; convention < POV_CONVENTION_COUNT; convention++)
        for (int axis = 0; axis < POV_AXIS_COUNT; axis++) {
            frame.convention = (pov_convention)convention;
            frame.axis = (pov_axis)axis;
            if (choice->convention[convention] && choice->axis[axis])
                judge_in_frame(pass, POV_FRAME_AXES, &frame);
        }
    frame.convention = POV_NO_CONVENTION;
    frame.axis = POV_AXIS_USUAL;
    judge_in_frame(pass, POV_FRAME_VIEWER, &frame);
}

void pov_relation_choice_judge(const pov_relation_choice *choice, const pov_scene *scene,
                               const pov_located *located, pov_relation_visit visit, void *context)
{
    const judging_pass pass = {choice, scene, located, visit, context};
    pov_relation_question frame = {.viewer = POV_ID_NONE,
                                   .convention = POV_NO_CONVENTION,
                                   .axis = POV_HEADING,
                                   .perspective = POV_ABSOLUTE};
    judge_in_frame(&pass, POV_FRAME_NONE, &frame);
    for (pov_id viewer = 0; viewer < scene->len; viewer++) {
        bool camera = viewer == scene->camera;
        pov_perspective perspective = camera ? POV_EGOCENTRIC : POV_ADDRESSEE;
        if ((camera || scene->entities[viewer].addressee) && !is_relatum(located, viewer) &&
            choice->perspective[perspective])
            judge_for_viewer(&pass, perspective, viewer);
    }
    frame.perspective = POV_INTRINSIC;
    if (choice->perspective[POV_INTRINSIC])
        judge_in_frame(&pass, POV_FRAME_AXES, &frame);
}

/* -------- text -------- */

typedef struct {
    FILE *stream;
    const pov_relation_choice *choice;
    const pov_scene *scene;
    char label[LABEL_CAPACITY]; /* of the line being written; "": none yet */
    int column;
} line_writer;

static void describe(char label[LABEL_CAPACITY], const pov_scene *scene,
                     const pov_relation_question *question)
{
    const pov_query query = {.relatum = question->relatum[0],
                             .perspective = question->perspective,
                             .viewer = question->viewer,
                             .convention = question->convention,
                             .axis = question->axis};
    if (question->relation->frame == POV_FRAME_NONE)
        snprintf(label, LABEL_CAPACITY, "in every frame");
    else if (question->relation->frame == POV_FRAME_VIEWER)
        snprintf(label, LABEL_CAPACITY, "from %s", scene->entities[question->viewer].name);
    else
        pov_judge_describe_frame(label, LABEL_CAPACITY, scene, &query);
}

static void write_item(line_writer *writer, const pov_relation_answer *answer, const char *item)
{
    char label[LABEL_CAPACITY];
    int width = (int)strlen(item);
    describe(label, writer->scene, &answer->question);
    if (strcmp(label, writer->label) != 0) {
        writer->column = fprintf(writer->stream, "%s  %s: ", writer->label[0] ? "\n" : "", label);
        strcpy(writer->label, label);
    } else if (writer->column + 2 + width >= COLUMNS) {
        writer->column = fprintf(writer->stream, ",\n      ") - 2;
    } else {
        writer->column += fprintf(writer->stream, ", ");
    }
    fputs(item, writer->stream);
    writer->column += width;
}

static void print_item(void *context, const pov_relation_answer *answer)
{
    static const char *const words[] = {"no", "yes", "?"};
    line_writer *writer = context;
    const char *name = answer->question.relation->name;
    char item[80];
    if (answer->belief.verdict == POV_VERDICT_UNDEFINED) {
        snprintf(item, sizeof item, "%s undefined", name);
        if (!writer->choice->is_explicit)
            return;
    } else if (writer->choice->is_explicit) {
        snprintf(item, sizeof item, "%s %s %.3f", name, words[answer->belief.verdict], answer->belief.p);
    } else if (answer->belief.verdict == POV_FALSE) {
        return;
    } else {
        snprintf(item, sizeof item, "%s%s %.3f", answer->belief.verdict == POV_ABSTAIN ? "?" : "", name,
                 answer->belief.p);
    }
    write_item(writer, answer, item);
}

bool pov_relation_choice_print(FILE *stream, const pov_relation_choice *choice, const pov_scene *scene,
                               const pov_located *located)
{
    line_writer writer = {.stream = stream, .choice = choice, .scene = scene};
    pov_relation_choice_judge(choice, scene, located, print_item, &writer);
    if (writer.label[0] != '\0')
        fputc('\n', stream);
    return writer.label[0] != '\0';
}

/* -------- JSON and CSV -------- */

typedef struct {
    FILE *stream;
    const pov_relation_choice *choice;
    const pov_scene *scene;
    bool first;
} record_writer;

/* What a person did not name is left out where it is undefined. */
static bool is_told(const record_writer *writer, const pov_relation_answer *answer)
{
    return writer->choice->is_explicit || answer->belief.verdict != POV_VERDICT_UNDEFINED;
}

static const char *viewer_name(const pov_scene *scene, const pov_relation_question *question)
{
    return question->viewer == POV_ID_NONE ? NULL : scene->entities[question->viewer].name;
}

/* A relation that needs no frame has no perspective. */
static const char *perspective_name(const pov_relation_question *question)
{
    return question->relation->frame == POV_FRAME_NONE ? NULL : pov_perspective_name(question->perspective);
}

/* What only directions have is left out. */
static const char *axis_name(const pov_relation_question *question)
{
    return question->relation->frame == POV_FRAME_AXES ? pov_axis_name(question->axis) : NULL;
}

static cJSON *answer_object(const pov_scene *scene, const pov_relation_answer *answer)
{
    const pov_relation_question *question = &answer->question;
    cJSON *object = cJSON_CreateObject();
    pov_judge_json_text(object, "referent", scene->entities[question->referent].name);
    pov_judge_json_text(object, "relatum", scene->entities[question->relatum[0]].name);
    cJSON *relata = cJSON_AddArrayToObject(object, "relata");
    for (int i = 0; i < question->relatum_len; i++)
        cJSON_AddItemToArray(relata, cJSON_CreateString(scene->entities[question->relatum[i]].name));
    pov_judge_json_text(object, "relation", question->relation->name);
    pov_judge_json_text(object, "perspective", perspective_name(question));
    pov_judge_json_text(object, "viewer", viewer_name(scene, question));
    pov_judge_json_text(object, "convention", pov_convention_name(question->convention));
    pov_judge_json_text(object, "axis", axis_name(question));
    pov_judge_json_number(object, "p", answer->belief.p);
    pov_judge_json_number(object, "p_std", answer->belief.p_std);
    pov_judge_json_text(object, "verdict", pov_verdict_name(answer->belief.verdict));
    return object;
}

static void print_object(void *context, const pov_relation_answer *answer)
{
    record_writer *writer = context;
    if (!is_told(writer, answer))
        return;
    cJSON *object = answer_object(writer->scene, answer);
    pov_judge_json_element(writer->stream, object, &writer->first);
}

void pov_relation_choice_print_json(FILE *stream, const pov_relation_choice *choice, const pov_scene *scene,
                                    const pov_located *located, bool *first)
{
    record_writer writer = {stream, choice, scene, *first};
    pov_relation_choice_judge(choice, scene, located, print_object, &writer);
    *first = writer.first;
}

static void print_line(void *context, const pov_relation_answer *answer)
{
    record_writer *writer = context;
    const pov_relation_question *question = &answer->question;
    const pov_entity *e = writer->scene->entities;
    char relata[POV_RELATA_MAX * (POV_NAME_CAPACITY + 1)] = "";
    if (!is_told(writer, answer))
        return;
    for (int i = 0; i < question->relatum_len; i++)
        snprintf(relata + strlen(relata), sizeof relata - strlen(relata), "%s%s", i ? "+" : "",
                 e[question->relatum[i]].name);
    const char *fields[] = {e[question->referent].name,
                            question->relation->name,
                            relata,
                            perspective_name(question),
                            viewer_name(writer->scene, question),
                            pov_convention_name(question->convention),
                            axis_name(question),
                            NULL, /* acceptance */
                            pov_verdict_name(answer->belief.verdict)};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        fputs(i ? "," : "", writer->stream);
        pov_markup_csv(writer->stream, fields[i] ? fields[i] : "");
    }
    if (isnan(answer->belief.p))
        fputs(",,,,,,,,\n", writer->stream);
    else
        fprintf(writer->stream, ",%.9g,%.9g,,,,,,\n", answer->belief.p, answer->belief.p_std);
    writer->first = false;
}

bool pov_relation_choice_print_csv(FILE *stream, const pov_relation_choice *choice, const pov_scene *scene,
                                   const pov_located *located)
{
    record_writer writer = {stream, choice, scene, true};
    pov_relation_choice_judge(choice, scene, located, print_line, &writer);
    return !writer.first;
}

void pov_relations_offer(FILE *stream)
{
    for (int i = 0; i < pov_relation_registry_len(); i++)
        fprintf(stream, "%s\n", pov_relation_registry_at(i)->name);
}
