/* Answers as lines for people, made of their JSON: the question and its answer, then a line for each frame of reference, viewer or
 * thing that it rests on. */
#include "ask/answering/answering.h"

#include "perception/relations/relation_registry.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>
#include <strings.h>

static const char *text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
}

/* NaN: none. */
static double number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static const char *word_of(const char *verdict)
{
    return !verdict                          ? "undefined"
           : strcmp(verdict, "true") == 0    ? "yes"
           : strcmp(verdict, "false") == 0   ? "no"
           : strcmp(verdict, "abstain") == 0 ? "too close to decide"
                                             : verdict;
}

/* "out_of_view" as "out of view". */
static void print_words(FILE *stream, const char *name)
{
    for (; name && *name; name++)
        fputc(*name == '_' ? ' ' : *name, stream);
}

/* "camera, reflected, sight line"; "car's own front". */
static void print_frame(FILE *stream, const cJSON *item)
{
    char frame[120];
    const char *viewer = text_of(item, "viewer"), *convention = text_of(item, "convention"),
               *axis = text_of(item, "axis"), *perspective = text_of(item, "perspective"),
               *relatum = text_of(item, "relatum"), *relation = text_of(item, "relation");
    if (perspective && strcmp(perspective, "intrinsic") == 0)
        snprintf(frame, sizeof frame, "%s%s own front", relatum ? relatum : "its", relatum ? "'s" : "");
    else if (perspective && strcmp(perspective, "absolute") == 0)
        snprintf(frame, sizeof frame, "%s",
                 relation && pov_relation_lookup(relation)->frame == POV_FRAME_NONE
                     ? "every frame of reference"
                     : "compass");
    else
        snprintf(frame, sizeof frame, "%s%s%s%s%s", viewer ? viewer : "everybody", convention ? ", " : "",
                 convention ? convention : "", convention && axis ? ", " : "",
                 !convention || !axis              ? ""
                 : strcmp(axis, "sight_line") == 0 ? "sight line"
                                                   : axis);
    fprintf(stream, "  %-36.60s  ", frame);
}

static void print_judgment(FILE *stream, const cJSON *item)
{
    const char *verdict = text_of(item, "verdict"), *reason = text_of(item, "undefined_because");
    const double theta_deg = number_of(item, "theta_deg"), flip_deg = number_of(item, "flip_angle_deg");
    print_frame(stream, item);
    if (!verdict || strcmp(verdict, "undefined") == 0) {
        fprintf(stream, "undefined: %s\n", reason ? reason : "this frame of reference is not known");
        return;
    }
    fprintf(stream, "%-7s P = %.4f", word_of(verdict), number_of(item, "p"));
    if (!isnan(theta_deg) && !isnan(flip_deg))
        fprintf(stream, "; theta %.1f +- %.1f deg; flips in %.1f deg or %.3f m", theta_deg,
                number_of(item, "theta_std_deg"), fabs(flip_deg), number_of(item, "flip_distance_m"));
    fputc('\n', stream);
}

/* "ball 1.0000, mug 0.0312"; "none". */
static void print_things(FILE *stream, const cJSON *list)
{
    const cJSON *item;
    int len = 0;
    cJSON_ArrayForEach(item, list)
    {
        fprintf(stream, "%s%s", len++ ? ", " : "",
                cJSON_IsObject(item) ? text_of(item, "id") : item->valuestring);
        if (cJSON_IsObject(item) && !isnan(number_of(item, "p")))
            fprintf(stream, " %.4f", number_of(item, "p"));
    }
    fputs(len ? "\n" : "none\n", stream);
}

static void print_pick(FILE *stream, const cJSON *item)
{
    const cJSON *things = cJSON_GetObjectItem(item, "holds_of");
    const char *pick = text_of(item, "pick");
    print_frame(stream, item);
    if (cJSON_GetArraySize(things) > 0)
        print_things(stream, things);
    else
        fprintf(stream, "%s\n", pick ? pick : "none");
}

static void print_bearing(FILE *stream, double bearing_deg)
{
    if (fabs(bearing_deg) < 0.5)
        fputs("straight ahead", stream);
    else
        fprintf(stream, "%.0f deg to the %s", fabs(bearing_deg), bearing_deg < 0 ? "right" : "left");
}

/* "ball   9 deg to the right, 2.53 m"; or "in front and right; in front of P = 1.0000 (38.7 deg off), right of P = 1.0000 (51.3 deg off)" */
static void print_place(FILE *stream, const cJSON *item)
{
    const cJSON *held;
    const char *separator = "; ", *place = text_of(item, "place");
    if (text_of(item, "id")) {
        fprintf(stream, "  %-36.60s  ", text_of(item, "id"));
        print_bearing(stream, number_of(item, "bearing_deg"));
        fprintf(stream, ", %.2f m\n", number_of(item, "distance_m"));
        return;
    }
    print_frame(stream, item);
    fputs(place ? place : "undefined", stream);
    cJSON_ArrayForEach(held, cJSON_GetObjectItem(item, "holds"))
    {
        fputs(separator, stream);
        print_words(stream, text_of(held, "relation"));
        fprintf(stream, " P = %.4f (%.1f deg off)", number_of(held, "p"), fabs(number_of(held, "theta_deg")));
        separator = ", ";
    }
    fputc('\n', stream);
}

static void print_count(FILE *stream, const cJSON *item)
{
    const cJSON *things = cJSON_GetObjectItem(item, "holds_of");
    print_frame(stream, item);
    fprintf(stream, "%s%s", text_of(item, "count"), cJSON_GetArraySize(things) ? ": " : "\n");
    if (cJSON_GetArraySize(things))
        print_things(stream, things);
}

static void print_sight(FILE *stream, const cJSON *item)
{
    char head[120];
    const char *cause = text_of(item, "cause"), *verdict = text_of(item, "verdict");
    const cJSON *occluder = cJSON_GetArrayItem(cJSON_GetObjectItem(item, "occluders"), 0);
    const double share = number_of(item, "fraction_visible");
    snprintf(head, sizeof head, "%s sees %s", text_of(item, "viewer"), text_of(item, "target"));
    fprintf(stream, "  %-36.60s  %s", head, word_of(verdict));
    if (!isnan(number_of(item, "p")))
        fprintf(stream, " %.3f", number_of(item, "p"));
    if (!isnan(share))
        fprintf(stream, "%7.0f %% of it", 100 * share);
    if (cause && strcmp(cause, "none") != 0) {
        fputs("; ", stream);
        print_words(stream, cause);
        if (occluder && strcmp(cause, "hidden") == 0)
            fprintf(stream, " by %s", text_of(occluder, "id"));
    }
    fputc('\n', stream);
}

/* "for camera: front-right, P = 0.8214; 31 deg to the right, 1 o'clock; in one word front, P = 0.9120" */
static void print_side(FILE *stream, const cJSON *item)
{
    char head[120];
    const double bearing_deg = number_of(item, "bearing_deg");
    snprintf(head, sizeof head, "for %s", text_of(item, "viewer"));
    fprintf(stream, "  %-36.60s  %-11s", head, text_of(item, "side") ? text_of(item, "side") : "undefined");
    if (!isnan(number_of(item, "p")))
        fprintf(stream, " P = %.4f", number_of(item, "p"));
    if (!isnan(bearing_deg)) {
        fputs("; ", stream);
        print_bearing(stream, bearing_deg);
        fprintf(stream, ", %.0f o'clock", number_of(item, "clock"));
    }
    if (text_of(item, "quarter"))
        fprintf(stream, "; in one word %s, P = %.4f", text_of(item, "quarter"), number_of(item, "p_quarter"));
    fputc('\n', stream);
}

static void print_difference(FILE *stream, const cJSON *item)
{
    const char *verdict = text_of(item, "verdict"), *pick = text_of(item, "pick");
    fprintf(stream, "  by %s's heading, not the sight line: %s\n", text_of(item, "viewer"),
            verdict ? word_of(verdict) : pick);
}

/* Prints each member by its name: the form of items that have no other. */
static void print_members(FILE *stream, const cJSON *item)
{
    const cJSON *member;
    int len = 0;
    fputs("  ", stream);
    cJSON_ArrayForEach(member, item)
    {
        if (!cJSON_IsString(member) && !cJSON_IsNumber(member))
            continue;
        fputs(len++ ? "; " : "", stream);
        print_words(stream, strcmp(member->string, "p") == 0 ? "P =" : member->string);
        if (cJSON_IsString(member))
            fprintf(stream, " %s", member->valuestring);
        else
            fprintf(stream, " %.4g", member->valuedouble);
    }
    fputc('\n', stream);
}

static void print_list(FILE *stream, const cJSON *list)
{
    static const struct {
        const char *name;
        void (*print)(FILE *stream, const cJSON *item);
    } forms[] = {{"judgments", print_judgment},   {"picks", print_pick},   {"visibility", print_sight},
                 {"sides", print_side},           {"places", print_place}, {"counts", print_count},
                 {"by_heading", print_difference}};
    const cJSON *item;
    if (cJSON_IsString(list->child)) {
        fputs("  ", stream);
        print_words(stream, list->string);
        fputs(": ", stream);
        print_things(stream, list);
        return;
    }
    cJSON_ArrayForEach(item, list)
    {
        void (*print)(FILE *, const cJSON *) = print_members;
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
            if (strcmp(forms[i].name, list->string) == 0)
                print = forms[i].print;
        print(stream, item);
    }
}

/* "gap_m" with "gap_std_m": "gap   0.200 +- 0.000 m". */
static void print_measure(FILE *stream, const cJSON *answer, const cJSON *member)
{
    const char *unit = strrchr(member->string, '_');
    char name[64], deviation[80];
    if (!unit || strstr(member->string, "_std_"))
        return;
    snprintf(name, sizeof name, "%.*s", (int)(unit - member->string), member->string);
    snprintf(deviation, sizeof deviation, "%s_std%s", name, unit);
    for (char *c = name; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    fprintf(stream, "  %-36s  %.3f", name, member->valuedouble);
    if (!isnan(number_of(answer, deviation)))
        fprintf(stream, " +- %.3f", number_of(answer, deviation));
    fprintf(stream, " %s\n", unit + 1);
}

/* "hand me the cup": what does not ask. */
static bool is_instruction(const char *text, const char *kind)
{
    static const char *const askers[] = {"wh", "is ", "are ", "do", "can ", "how ", "in wh", "at wh", "from"};
    bool asks = strcmp(kind, "which") != 0 && strcmp(kind, "extreme") != 0;
    for (size_t i = 0; i < sizeof askers / sizeof *askers; i++)
        asks = asks || strncasecmp(text, askers[i], strlen(askers[i])) == 0;
    return !asks;
}

/* "is the ball left of the car? yes, P = 0.9987" */
static void print_first_line(FILE *stream, const cJSON *answer)
{
    const char *question = text_of(answer, "question"), *says = text_of(answer, "answer");
    const cJSON *p = cJSON_GetObjectItem(answer, "p"), *member = answer->child;
    while (member && !cJSON_IsObject(member->child))
        member = member->next;
    const cJSON *first = member ? member->child : NULL;
    size_t length = strlen(question);
    while (length > 0 && strchr("?!. ", question[length - 1]))
        length--;
    fprintf(stream, "%.*s%s %s", (int)length, question,
            is_instruction(question, text_of(answer, "kind")) ? ":" : "?", says);
    if (strcmp(says, "depends") == 0)
        fputs(text_of(first, "perspective") ? " on the frame of reference" : " on who looks", stream);
    if (cJSON_IsNumber(p))
        fprintf(stream, ", P = %.4f", p->valuedouble);
    fputc('\n', stream);
}

void pov_answer_print(FILE *stream, const cJSON *answer)
{
    const cJSON *member;
    const char *relation =
        text_of(cJSON_GetArrayItem(cJSON_GetObjectItem(answer, "judgments"), 0), "relation");
    print_first_line(stream, answer);
    cJSON_ArrayForEach(member, answer)
    {
        if (cJSON_IsNumber(member))
            print_measure(stream, answer, member);
        else if (cJSON_IsArray(member) && member->child)
            print_list(stream, member);
    }
    if (relation)
        fprintf(stream, "  %s: %s\n", relation, pov_relation_lookup(relation)->definition);
}
