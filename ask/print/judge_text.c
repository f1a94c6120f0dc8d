/* Judgments as a table and as comma-separated values. */
#include "ask/print/judge_print.h"

#include "config/files/markup.h"

#include <math.h>
#include <string.h>

static double degrees(double angle_rad)
{
    return angle_rad * (180 / POV_PI);
}

/* "sight line" */
static const char *axis_words(pov_axis axis)
{
    return axis == POV_SIGHT_LINE ? "sight line" : "heading";
}

void pov_judge_describe_frame(char *text, size_t capacity, const pov_scene *scene, const pov_query *query)
{
    if (query->perspective == POV_INTRINSIC)
        snprintf(text, capacity, "%s's own front", scene->entities[query->relatum[0]].name);
    else if (query->perspective == POV_ABSOLUTE)
        snprintf(text, capacity, "compass");
    else
        snprintf(text, capacity, "%s, %s, %s", scene->entities[query->viewer].name,
                 pov_convention_name(query->convention), axis_words(query->axis));
}

/* -------- table -------- */

static bool same_row(const pov_query *a, const pov_query *b)
{
    return a->perspective == b->perspective && a->viewer == b->viewer && a->convention == b->convention &&
           a->axis == b->axis && a->acceptance == b->acceptance;
}

/* The last of a line has no blanks behind it. */
static void print_padded(FILE *stream, const char *cell, bool is_last)
{
    fprintf(stream, is_last ? "  %s" : "  %-11s", cell);
}

static void print_cell(FILE *stream, const pov_judgment *judgment, bool is_last)
{
    static const char *const words[] = {"no", "yes", "?"};
    char cell[24] = "undefined";
    if (judgment->belief.verdict != POV_VERDICT_UNDEFINED)
        snprintf(cell, sizeof cell, "%-3s %.3f", words[judgment->belief.verdict], judgment->belief.p);
    print_padded(stream, cell, is_last);
}

/* A heading over the columns, where the relations are others than in the row before. */
static void print_columns(FILE *stream, const pov_judgment *row, int len)
{
    fprintf(stream, "  %-40s", "");
    for (int i = 0; i < len; i++)
        print_padded(stream, row[i].query.relation->name, i + 1 == len);
    fputc('\n', stream);
}

static bool same_columns(const pov_judgment *a, int a_len, const pov_judgment *b, int b_len)
{
    bool same = a && a_len == b_len;
    for (int i = 0; same && i < a_len; i++)
        same = a[i].query.relation == b[i].query.relation;
    return same;
}

static void print_row(FILE *stream, const pov_scene *scene, const pov_judgment *row, int len)
{
    char frame[100], label[120];
    pov_judge_describe_frame(frame, sizeof frame, scene, &row->query);
    bool plain = row->query.acceptance == POV_HEMISPHERE;
    snprintf(label, sizeof label, "%s%s%s", frame, plain ? "" : ", ",
             plain ? "" : pov_acceptance_name(row->query.acceptance));
    fprintf(stream, "  %-40.40s", label);
    for (int i = 0; i < len; i++)
        print_cell(stream, &row[i], i + 1 == len);
    fputc('\n', stream);
}

/* Length of the row that starts here: judgments with both acceptances alternate, so rows are gathered. */
static int gather_row(pov_judgment row[POV_RELATION_COUNT], const pov_judgment *judgments, int len, int first)
{
    int row_len = 0;
    for (int i = first; i < len && row_len < POV_RELATION_COUNT; i++)
        if (same_row(&judgments[i].query, &judgments[first].query))
            row[row_len++] = judgments[i];
    return row_len;
}

static bool starts_row(const pov_judgment *judgments, int at)
{
    for (int i = 0; i < at; i++)
        if (same_row(&judgments[i].query, &judgments[at].query))
            return false;
    return true;
}

void pov_judge_print_table(FILE *stream, const pov_scene *scene, const pov_judgment *judgments, int len)
{
    pov_judgment rows[2][POV_RELATION_COUNT];
    int lens[2] = {0}, rows_len = 0;
    if (len == 0)
        return;
    for (int i = 0; i < len; i++) {
        if (!starts_row(judgments, i))
            continue;
        int now = rows_len++ % 2;
        lens[now] = gather_row(rows[now], judgments, len, i);
        if (!same_columns(rows_len > 1 ? rows[!now] : NULL, lens[!now], rows[now], lens[now]))
            print_columns(stream, rows[now], lens[now]);
        print_row(stream, scene, rows[now], lens[now]);
    }
}

void pov_judge_print_template(FILE *stream, const char *path, const pov_template *regions)
{
    fprintf(stream, "template %s: good to %.0f deg, acceptable (%.2f) to %.0f deg", path,
            degrees(regions->good_edge_rad), regions->acceptable_level,
            degrees(regions->acceptable_edge_rad));
    if (isfinite(regions->reach_m))
        fprintf(stream, ", reach %.3g m", regions->reach_m);
    fputs("\n\n", stream);
}

/* -------- comma-separated values -------- */

/* Empty: not known. */
static void print_number(FILE *stream, double value)
{
    fputc(',', stream);
    if (isfinite(value))
        fprintf(stream, "%.9g", value);
}

void pov_judge_print_csv_header(FILE *stream)
{
    fputs("referent,relation,relatum,perspective,viewer,convention,axis,acceptance,verdict,p,p_std,theta_deg,"
          "theta_std_deg,flip_angle_deg,flip_distance_m,containment,p_internal\n",
          stream);
}

void pov_judge_print_csv(FILE *stream, const pov_scene *scene, const pov_judgment *judgments, int len)
{
    for (int i = 0; i < len; i++) {
        const pov_judgment *judgment = &judgments[i];
        const pov_query *query = &judgment->query;
        bool relative = query->viewer != POV_ID_NONE;
        const char *fields[] = {scene->entities[query->referent].name,
                                query->relation->name,
                                scene->entities[query->relatum[0]].name,
                                pov_perspective_name(query->perspective),
                                relative ? scene->entities[query->viewer].name : "",
                                relative ? pov_convention_name(query->convention) : "",
                                pov_axis_name(query->axis),
                                pov_acceptance_name(query->acceptance),
                                pov_verdict_name(judgment->belief.verdict)};
        for (size_t field = 0; field < sizeof fields / sizeof *fields; field++) {
            if (field > 0)
                fputc(',', stream);
            pov_markup_csv(stream, fields[field]);
        }
        print_number(stream, judgment->belief.p);
        print_number(stream, judgment->belief.p_std);
        print_number(stream, degrees(judgment->theta_rad));
        print_number(stream, degrees(judgment->theta_std_rad));
        print_number(stream, degrees(pov_judgment_flip_angle_rad(judgment)));
        print_number(stream, judgment->flip_distance_m);
        fprintf(stream, ",%s", pov_containment_name(judgment->containment));
        print_number(stream, judgment->p_internal);
        fputc('\n', stream);
    }
}

/* -------- answers -------- */

/* "yes P = 0.9987; theta -78.7 +- 3.7 deg; flips in 11.3 deg or 0.100 m" */
static void print_reason(FILE *stream, const pov_scene *scene, const pov_reply *answer, int index)
{
    static const char *const words[] = {"no", "yes", "abstain"};
    const pov_judgment *judgment = &answer->judgments[index];
    char reason[POV_MESSAGE_CAPACITY];
    pov_reply_explain(reason, sizeof reason, scene, answer, index);
    if (reason[0] != '\0') {
        fprintf(stream, "undefined: %s\n", reason);
        return;
    }
    fprintf(stream, "%-7s P = %.4f", words[judgment->belief.verdict], judgment->belief.p);
    if (!isnan(judgment->theta_rad))
        fprintf(stream, "; theta %.1f +- %.1f deg; flips in %.1f deg or %.3f m", degrees(judgment->theta_rad),
                degrees(judgment->theta_std_rad), degrees(fabs(pov_judgment_flip_angle_rad(judgment))),
                judgment->flip_distance_m);
    fputc('\n', stream);
}

static void print_question(FILE *stream, const pov_scene *scene, const pov_request *question)
{
    fprintf(stream, "%s %s", scene->entities[question->referent].name,
            question->looks ? "looking_at" : question->relation->name);
    for (int i = 0; i < question->relatum_len; i++)
        fprintf(stream, "%s%s", i ? " and " : " ", scene->entities[question->relatum[i]].name);
}

void pov_judge_print_answer(FILE *stream, const pov_scene *scene, const pov_reply *answer)
{
    const pov_request *question = &answer->question;
    bool single = answer->len == 1 && answer->kind != POV_REPLY_UNDEFINED;
    print_question(stream, scene, question);
    fprintf(stream, "? %s%s", pov_reply_name(answer->kind),
            answer->kind == POV_REPLY_DEPENDS ? " on the frame of reference" : "");
    if (single)
        fprintf(stream, ", P = %.4f", answer->judgments->belief.p);
    fputc('\n', stream);
    for (int i = 0; i < answer->len; i++) {
        char frame[120] = "every frame of reference";
        if (question->relation->frame != POV_FRAME_NONE)
            pov_judge_describe_frame(frame, sizeof frame, scene, &answer->judgments[i].query);
        fprintf(stream, "  %-36.36s  ", frame);
        print_reason(stream, scene, answer, i);
    }
    fprintf(stream, "  %s: %s\n", question->relation->name, question->relation->definition);
}
