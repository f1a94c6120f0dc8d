#include "ask/print/judge_summary.h"

#include "config/files/json_value.h"
#include "perception/relations/frame_summary.h"

#include <cJSON.h>

enum { COLUMNS = 100 };

/* Writes one relation's counts; returns the column behind them. */
static int print_disagreement(FILE *stream, const char *relation, const int len[POV_VERDICT_COUNT],
                              int column)
{
    char item[80], abstained[20] = "";
    if (len[POV_ABSTAIN])
        snprintf(abstained, sizeof abstained, ", %d ?", len[POV_ABSTAIN]);
    int width =
        snprintf(item, sizeof item, "%s %d yes, %d no%s", relation, len[POV_TRUE], len[POV_FALSE], abstained);
    if (column == 0)
        column = fprintf(stream, "  frames disagree: ");
    else if (column + 2 + width >= COLUMNS)
        column = fprintf(stream, ";\n      ") - 2;
    else
        column += fprintf(stream, "; ");
    fputs(item, stream);
    return column + width;
}

void pov_judge_print_summary(FILE *stream, const pov_judgment *judgments, int len)
{
    pov_frame_summary summary;
    bool comparable = false;
    int column = 0;
    if (len == 0)
        return;
    pov_frame_summarise(&summary, judgments, len);
    for (int r = 0; r < POV_RELATION_COUNT; r++) {
        const int *count = summary.relation[r].len;
        comparable = comparable || count[POV_TRUE] + count[POV_FALSE] > 1;
        if (count[POV_TRUE] > 0 && count[POV_FALSE] > 0)
            column = print_disagreement(stream, pov_relation_name((pov_relation)r), count, column);
    }
    if (column > 0)
        fputc('\n', stream);
    else if (comparable)
        fputs("  frames agree\n", stream);
}

static cJSON *summary_object(const pov_scene *scene, const pov_query *query,
                             const pov_relation_summary *summary, int64_t offset)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "referent", scene->entities[query->referent].name);
    cJSON_AddStringToObject(object, "relatum", scene->entities[query->relatum[0]].name);
    cJSON_AddStringToObject(object, "relation", query->relation->name);
    cJSON_AddBoolToObject(object, "frame_independent", summary->frame_independent);
    for (int verdict = 0; verdict < POV_VERDICT_COUNT; verdict++) {
        cJSON *judgments = cJSON_AddArrayToObject(object, pov_verdict_name((pov_verdict)verdict));
        for (int i = 0; i < summary->len[verdict]; i++)
            cJSON_AddItemToArray(judgments,
                                 cJSON_CreateNumber((double)(offset + summary->judgment[verdict][i])));
    }
    if (summary->truncated)
        cJSON_AddBoolToObject(object, "truncated", true);
    return object;
}

/* Any of the judgments that the summary is of; NULL: none. */
static const pov_query *query_of(const pov_relation_summary *summary, const pov_judgment *judgments)
{
    for (int verdict = 0; verdict < POV_VERDICT_COUNT; verdict++)
        if (summary->len[verdict] > 0)
            return &judgments[summary->judgment[verdict][0]].query;
    return NULL;
}

void pov_judge_print_summary_json(FILE *stream, const pov_scene *scene, const pov_judgment *judgments,
                                  int len, int64_t offset, bool *first)
{
    pov_frame_summary summary;
    if (len == 0)
        return;
    pov_frame_summarise(&summary, judgments, len);
    for (int r = 0; r < POV_RELATION_COUNT; r++) {
        const pov_query *query = query_of(&summary.relation[r], judgments);
        if (!query)
            continue;
        pov_json_print_element(stream, summary_object(scene, query, &summary.relation[r], offset), first);
    }
}
