#include "ask/print/judge_print.h"

#include "config/files/csv.h"
#include "config/files/json_value.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

void pov_judge_describe_frame(char *text, size_t capacity, const pov_scene *scene, const pov_query *query)
{
    const bool has_axis = query->perspective == POV_EGOCENTRIC || query->perspective == POV_ADDRESSEE;
    const bool is_direction = !query->relation || (query->relation->frame != POV_FRAME_NONE &&
                                                   query->relation->frame != POV_FRAME_VIEWER);
    pov_query_viewpoint(text, capacity, scene, query);
    const size_t len = strlen(text);
    if (has_axis && is_direction)
        snprintf(text + len, capacity - len, query->axis == POV_SIGHT_LINE ? ", sight line" : ", heading");
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
            pov_degrees(regions->good_edge_rad), regions->acceptable_level,
            pov_degrees(regions->acceptable_edge_rad));
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

static const char *viewer_name(const pov_scene *scene, const pov_query *query)
{
    return query->viewer == POV_ID_NONE ? NULL : scene->entities[query->viewer].name;
}

/* A relation that needs no frame has no perspective. */
static const char *perspective_name(const pov_query *query, bool directed)
{
    return directed || query->relation->frame != POV_FRAME_NONE ? pov_perspective_name(query->perspective)
                                                                : NULL;
}

static const char *axis_name(const pov_query *query, bool directed)
{
    return directed || query->relation->frame == POV_FRAME_AXES ? pov_axis_name(query->axis) : NULL;
}

static void join_relata(char text[POV_RELATA_MAX * (POV_NAME_CAPACITY + 1)], const pov_scene *scene,
                        const pov_query *query)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < query->relatum_len; i++)
        length +=
            (size_t)sprintf(text + length, "%s%s", i ? "+" : "", scene->entities[query->relatum[i]].name);
}

void pov_judge_print_csv(FILE *stream, const pov_scene *scene, const pov_judgment *judgment, bool directed)
{
    const pov_query *query = &judgment->query;
    char relata[POV_RELATA_MAX * (POV_NAME_CAPACITY + 1)];
    join_relata(relata, scene, query);
    const char *fields[] = {scene->entities[query->referent].name,
                            query->relation->name,
                            relata,
                            perspective_name(query, directed),
                            viewer_name(scene, query),
                            pov_convention_name(query->convention),
                            axis_name(query, directed),
                            directed ? pov_acceptance_name(query->acceptance) : NULL,
                            pov_verdict_name(judgment->belief.verdict)};
    for (size_t field = 0; field < sizeof fields / sizeof *fields; field++) {
        fputs(field ? "," : "", stream);
        pov_csv_write(stream, fields[field] ? fields[field] : "");
    }
    print_number(stream, judgment->belief.p);
    print_number(stream, judgment->belief.p_std);
    print_number(stream, directed ? pov_degrees(judgment->theta_rad) : NAN);
    print_number(stream, directed ? pov_degrees(judgment->theta_std_rad) : NAN);
    print_number(stream, directed ? pov_degrees(pov_judgment_flip_angle_rad(judgment)) : NAN);
    print_number(stream, directed ? judgment->flip_distance_m : NAN);
    fprintf(stream, ",%s", directed ? pov_containment_name(judgment->containment) : "");
    print_number(stream, directed ? judgment->p_internal : NAN);
    fputc('\n', stream);
}

/* -------- JSON -------- */

cJSON *pov_judge_object(const pov_scene *scene, const pov_judgment *judgment, bool directed)
{
    const pov_query *query = &judgment->query;
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "referent", scene->entities[query->referent].name);
    pov_json_add_text(object, "relatum", scene->entities[query->relatum[0]].name);
    cJSON *relata = directed ? NULL : cJSON_AddArrayToObject(object, "relata");
    for (int i = 0; relata && i < query->relatum_len; i++)
        cJSON_AddItemToArray(relata, cJSON_CreateString(scene->entities[query->relatum[i]].name));
    pov_json_add_text(object, "relation", query->relation->name);
    pov_json_add_text(object, "perspective", perspective_name(query, directed));
    pov_json_add_text(object, "viewer", viewer_name(scene, query));
    pov_json_add_text(object, "convention", pov_convention_name(query->convention));
    pov_json_add_text(object, "axis", axis_name(query, directed));
    if (directed) {
        pov_json_add_text(object, "acceptance", pov_acceptance_name(query->acceptance));
        pov_json_add_number(object, "theta_deg", pov_degrees(judgment->theta_rad));
        pov_json_add_number(object, "theta_std_deg", pov_degrees(judgment->theta_std_rad));
        pov_json_add_number(object, "flip_angle_deg", pov_degrees(pov_judgment_flip_angle_rad(judgment)));
        pov_json_add_number(object, "flip_distance_m", judgment->flip_distance_m);
        pov_json_add_text(object, "containment", pov_containment_name(judgment->containment));
        pov_json_add_number(object, "p_internal", judgment->p_internal);
    }
    pov_json_add_number(object, "p", judgment->belief.p);
    pov_json_add_number(object, "p_std", judgment->belief.p_std);
    pov_json_add_text(object, "verdict", pov_verdict_name(judgment->belief.verdict));
    return object;
}

void pov_judge_print_template_json(FILE *stream, const char *path, const pov_template *regions)
{
    bool first = true;
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "file", path);
    pov_json_add_number(object, "good_edge_deg", pov_degrees(regions->good_edge_rad));
    pov_json_add_number(object, "good_fall_deg", pov_degrees(regions->good_fall_rad));
    pov_json_add_number(object, "acceptable_edge_deg", pov_degrees(regions->acceptable_edge_rad));
    pov_json_add_number(object, "acceptable_fall_deg", pov_degrees(regions->acceptable_fall_rad));
    pov_json_add_number(object, "acceptable_level", regions->acceptable_level);
    pov_json_add_number(object, "reach_m", regions->reach_m);
    fputs("\"template\":", stream);
    pov_json_print_element(stream, object, &first);
    fputc(',', stream);
}
