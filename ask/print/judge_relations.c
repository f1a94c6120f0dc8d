#include "ask/print/judge_relations.h"

#include "ask/print/judge_print.h"
#include "config/files/json_value.h"

#include <string.h>

enum { COLUMNS = 100, LABEL_CAPACITY = 120 };

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
