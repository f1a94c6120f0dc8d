#include "ask/print/judge_relations.h"

#include "ask/print/judge_print.h"
#include "config/files/json_value.h"

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
static bool takes_relata(const pov_relation_info *relation, int relatum_len)
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

static void judge_in_frame(const judging_pass *pass, pov_frame_need need, const pov_query *frame)
{
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        pov_query query = *frame;
        pov_judgment judgment;
        query.relation = pov_relation_registry_at(i);
        if (!is_chosen(pass->choice, i) || query.relation->frame != need ||
            !takes_relata(query.relation, pass->located->relatum_len))
            continue;
        query.acceptance = pass->choice->acceptance;
        query.referent = pass->located->referent;
        query.relatum_len = pass->located->relatum_len;
        memcpy(query.relatum, pass->located->relatum, sizeof query.relatum);
        (void)pov_relation_evaluate(&judgment, pass->scene, &query, &pass->choice->judging);
        pass->visit(pass->context, &judgment);
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
    pov_query frame = {.perspective = perspective, .viewer = viewer};
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
    pov_query frame = {.viewer = POV_ID_NONE,
                       .convention = POV_NO_CONVENTION,
                       .axis = POV_HEADING,
                       .perspective = POV_ABSOLUTE};
    judge_in_frame(&pass, POV_FRAME_NONE, &frame);
    for (pov_id viewer = pov_viewer_next(scene, POV_ID_NONE); viewer != POV_ID_NONE;
         viewer = pov_viewer_next(scene, viewer)) {
        pov_perspective perspective = pov_viewer_perspective(scene, viewer);
        if (!is_relatum(located, viewer) && choice->perspective[perspective])
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

static void write_item(line_writer *writer, const pov_judgment *answer, const char *item)
{
    char label[LABEL_CAPACITY];
    int width = (int)strlen(item);
    pov_judge_describe_frame(label, sizeof label, writer->scene, &answer->query);
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

static void print_item(void *context, const pov_judgment *answer)
{
    static const char *const words[] = {"no", "yes", "?"};
    line_writer *writer = context;
    const char *name = answer->query.relation->name;
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

/* Undefined judgments are printed only for relations that a person named. */
static bool is_told(const record_writer *writer, const pov_judgment *judgment)
{
    return writer->choice->is_explicit || judgment->belief.verdict != POV_VERDICT_UNDEFINED;
}

static void print_object(void *context, const pov_judgment *judgment)
{
    record_writer *writer = context;
    if (is_told(writer, judgment))
        pov_json_print_element(writer->stream, pov_judge_object(writer->scene, judgment, false),
                               &writer->first);
}

void pov_relation_choice_print_json(FILE *stream, const pov_relation_choice *choice, const pov_scene *scene,
                                    const pov_located *located, bool *first)
{
    record_writer writer = {stream, choice, scene, *first};
    pov_relation_choice_judge(choice, scene, located, print_object, &writer);
    *first = writer.first;
}

static void print_line(void *context, const pov_judgment *judgment)
{
    record_writer *writer = context;
    if (is_told(writer, judgment))
        pov_judge_print_csv(writer->stream, writer->scene, judgment, false);
}

void pov_relation_choice_print_csv(FILE *stream, const pov_relation_choice *choice, const pov_scene *scene,
                                   const pov_located *located)
{
    record_writer writer = {.stream = stream, .choice = choice, .scene = scene};
    pov_relation_choice_judge(choice, scene, located, print_line, &writer);
}

void pov_relations_offer(FILE *stream)
{
    for (int i = 0; i < pov_relation_registry_len(); i++)
        fprintf(stream, "%s\n", pov_relation_registry_at(i)->name);
}
