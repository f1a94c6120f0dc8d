#include "compare/scores/cogmap_score.h"

#include "config/files/json_value.h"
#include "config/files/text.h"

#include <cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { THINGS_MAX = 256, TURNS = 4 };

/* In the order in which a quarter turn clockwise leads from one to the next. */
typedef enum { UP, RIGHT, DOWN, LEFT, INNER, OUTER, NOWHERE } direction;

typedef struct {
    const char *name; /* borrowed from the JSON */
    double x, y;
    direction facing;
    bool is_view;
} thing;

typedef struct {
    int len;
    bool has_views;
    thing things[THINGS_MAX];
} map;

/* ---- the JSON in a reply ---- */

/* Returns the text between the marks, or all of it. */
static char *cut_reply(const char *reply)
{
    static const char begin[] = "<cogmap>", end[] = "</cogmap>";
    const char *from = strcasestr(reply, begin), *first, *last;
    from = from ? from + strlen(begin) : reply;
    const char *to = from == reply ? NULL : strcasestr(from, end);
    const size_t length = to ? (size_t)(to - from) : strlen(from);
    first = memchr(from, '{', length);
    last = memrchr(from, '}', length);
    return first && last > first ? strndup(first, (size_t)(last - first) + 1) : NULL;
}

/* A string of either kind of quotes, as JSON writes it; behind it. */
static const char *mend_string(pov_text *to, const char *at)
{
    const char quote = *at++;
    pov_text_add(to, "\"");
    for (; *at && *at != quote; at++) {
        if (*at == '\\' && at[1] == '\'')
            at++;
        else if (*at == '\\' && at[1])
            pov_text_add_bytes(to, at++, 1);
        else if (*at == '"')
            pov_text_add(to, "\\");
        pov_text_add_bytes(to, at, 1);
    }
    pov_text_add(to, "\"");
    return *at ? at + 1 : at;
}

/* Drops comments and commas before brackets, and quotes keys. */
static char *mend_json(const char *text)
{
    pov_text to = {0};
    for (const char *at = text; *at;) {
        const bool comments = *at == '#' || (at[0] == '/' && at[1] == '/');
        if (comments) {
            at += strcspn(at, "\n");
        } else if (*at == '"' || *at == '\'') {
            at = mend_string(&to, at);
        } else if (isalpha((unsigned char)*at) || *at == '_') {
            const size_t length =
                strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
            const bool is_key = at[length + strspn(at + length, " ")] == ':';
            pov_text_add(&to, is_key ? "\"%.*s\"" : "%.*s", (int)length, at);
            at += length;
        } else if (*at == ',' && strchr("]}", at[1 + strspn(at + 1, " \t\r\n")])) {
            at++;
        } else {
            pov_text_add_bytes(&to, at++, 1);
        }
    }
    return pov_text_take(&to);
}

static cJSON *parse_map(const char *reply)
{
    char *text = cut_reply(reply);
    cJSON *root = text ? pov_json_parse_text(text) : NULL;
    if (text && !cJSON_IsObject(root)) {
        char *uncommented = mend_json(text),
             *mended = mend_json(uncommented); /* a comma may stand before a comment */
        cJSON_Delete(root);
        root = pov_json_parse_text(mended);
        free(uncommented);
        free(mended);
    }
    free(text);
    return root;
}

/* ---- a map ---- */

static bool read_coordinate(double *value, const cJSON *item)
{
    char *end = NULL;
    *value = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    if (cJSON_IsString(item) && *item->valuestring)
        *value = strtod(item->valuestring, &end);
    return isfinite(*value) && (!end || !*end);
}

static bool read_facing(direction *facing, const cJSON *item)
{
    static const struct {
        const char *word;
        direction facing;
    } words[] = {{"up", UP},       {"top", UP},       {"north", UP},      {"down", DOWN},
                 {"bottom", DOWN}, {"south", DOWN},   {"left", LEFT},     {"west", LEFT},
                 {"right", RIGHT}, {"east", RIGHT},   {"inner", INNER},   {"front", INNER},
                 {"into", INNER},  {"inside", INNER}, {"forward", INNER}, {"outer", OUTER},
                 {"back", OUTER},  {"out", OUTER},    {"outside", OUTER}, {"backward", OUTER}};
    const cJSON *first = cJSON_IsArray(item) ? item->child : item;
    *facing = NOWHERE;
    if (!first || cJSON_IsNull(first))
        return true;
    if (!cJSON_IsString(first))
        return false;
    const char *word = first->valuestring + strspn(first->valuestring, " \t\r\n");
    const size_t length = strcspn(word, " \t\r\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && strncasecmp(words[i].word, word, length) == 0)
            *facing = words[i].facing;
    return *facing != NOWHERE || length == 0;
}

static bool add_thing(map *m, const char *name, const cJSON *of, bool is_view)
{
    const cJSON *one = cJSON_IsArray(of) ? of->child : of, *position = cJSON_GetObjectItem(one, "position");
    thing *t = &m->things[m->len];
    if (m->len == THINGS_MAX || !name || !cJSON_IsArray(position) ||
        !read_coordinate(&t->x, cJSON_GetArrayItem(position, 0)) ||
        !read_coordinate(&t->y, cJSON_GetArrayItem(position, 1)) ||
        !read_facing(&t->facing, cJSON_GetObjectItem(one, "facing")))
        return false;
    t->name = name;
    t->is_view = is_view;
    m->len++;
    return true;
}

static bool read_map(map *m, const cJSON *root)
{
    const cJSON *objects = cJSON_GetObjectItem(root, "objects"), *views = cJSON_GetObjectItem(root, "views"),
                *item;
    bool valid = cJSON_IsObject(root);
    *m = (map){.has_views = views != NULL};
    if (!cJSON_IsArray(objects)) {
        cJSON_ArrayForEach(item, root) valid = valid && add_thing(m, item->string, item, false);
        return valid && m->len > 0;
    }
    cJSON_ArrayForEach(item, objects) valid =
        valid && add_thing(m, cJSON_GetStringValue(cJSON_GetObjectItem(item, "name")), item, false);
    if (views && !cJSON_IsArray(views))
        return false;
    cJSON_ArrayForEach(item, views) valid =
        valid && add_thing(m, cJSON_GetStringValue(cJSON_GetObjectItem(item, "name")), item, true);
    return valid && m->len > 0;
}

/* ---- the comparison ---- */

static thing turn_thing(const thing *t, int quarters)
{
    thing turned = *t;
    for (int i = 0; i < quarters; i++) {
        const double x = turned.x;
        turned.x = -turned.y;
        turned.y = x;
    }
    if (turned.facing < INNER)
        turned.facing = (direction)((turned.facing + quarters) % 4);
    return turned;
}

/* From one to another. */
static direction relate(const thing *a, const thing *b)
{
    const double x = b->x - a->x, y = b->y - a->y, apart = hypot(x, y);
    if (apart < 0.5)
        return a->facing == INNER || b->facing == OUTER   ? INNER
               : a->facing == OUTER || b->facing == INNER ? OUTER
               : apart < 0.2                              ? INNER
                                                          : NOWHERE;
    return fabs(x) > fabs(y) ? (x > 0 ? RIGHT : LEFT) : (y > 0 ? DOWN : UP);
}

/* The drawn thing of the same name; -1: none. */
static int find_thing(const map *drawn, const char *name)
{
    for (int i = 0; i < drawn->len; i++)
        if (strcasecmp(drawn->things[i].name, name) == 0)
            return i;
    return -1;
}

typedef struct {
    int len;
    thing right[THINGS_MAX], drawn[THINGS_MAX]; /* of the same name */
} common;

static void grade_turn(pov_cogmap_grade *grade, const common *both, int quarters)
{
    int relations = 0, same = 0, facings = 0, faced = 0;
    thing turned[THINGS_MAX];
    for (int i = 0; i < both->len; i++)
        turned[i] = turn_thing(&both->drawn[i], quarters);
    for (int i = 0; i < both->len; i++) {
        facings += both->right[i].facing != NOWHERE;
        faced += both->right[i].facing != NOWHERE && both->right[i].facing == turned[i].facing;
        for (int k = 0; k < both->len; k++) {
            const direction wanted = i == k ? NOWHERE : relate(&both->right[i], &both->right[k]);
            relations += wanted != NOWHERE;
            same += wanted != NOWHERE && relate(&turned[i], &turned[k]) == wanted;
        }
    }
    const double directional = relations ? (double)same / relations : 0,
                 facing = facings ? (double)faced / facings : 1, overall = 0.7 * directional + 0.3 * facing;
    if (overall <= grade->overall)
        return;
    grade->directional = directional;
    grade->facing = facing;
    grade->overall = overall;
    grade->turned_deg = 90 * quarters;
}

static void compare_maps(pov_cogmap_grade *grade, const map *drawn, const map *right)
{
    common *both = pov_allocate(1, sizeof *both);
    int wanted = 0;
    for (int i = 0; i < right->len; i++) {
        if (right->things[i].is_view && !drawn->has_views)
            continue;
        const int found = find_thing(drawn, right->things[i].name);
        wanted++;
        if (found < 0)
            continue;
        both->right[both->len] = right->things[i];
        both->drawn[both->len++] = drawn->things[found];
    }
    grade->coverage = wanted ? (double)both->len / wanted : 0;
    for (int quarters = 0; quarters < TURNS && both->len > 0; quarters++)
        grade_turn(grade, both, quarters);
    free(both);
}

pov_status pov_cogmap_compare(pov_cogmap_grade *grade, const char *drawn, const char *right)
{
    map *maps = pov_allocate(2, sizeof *maps);
    cJSON *root = parse_map(drawn), *truth = parse_map(right);
    *grade = (pov_cogmap_grade){.parsable = cJSON_IsObject(root)};
    grade->valid = read_map(&maps[0], root);
    const pov_status status =
        read_map(&maps[1], truth)
            ? pov_ok()
            : pov_error("'%.60s' is not a map: {\"objects\": [{\"name\", \"position\": [x, y]}]}, or "
                        "{\"mug\": {\"position\": [x, y]}}",
                        right);
    if (status.code == POV_OK && grade->valid)
        compare_maps(grade, &maps[0], &maps[1]);
    cJSON_Delete(root);
    cJSON_Delete(truth);
    free(maps);
    return status;
}
