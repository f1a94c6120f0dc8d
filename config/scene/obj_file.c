#include "config/scene/obj_file.h"

#include "config/files/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char BLANKS[] = " \t\r\v\f", BYTE_ORDER_MARK[] = "\xEF\xBB\xBF";

void pov_obj_text_start(pov_obj_text *text, const char *path, char *bytes)
{
    if (strncmp(bytes, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
        memset(bytes, ' ', strlen(BYTE_ORDER_MARK));
    *text = (pov_obj_text){.path = path, .next_line = bytes};
}

/** Ends the line at its newline; joined lines become one, with blanks where they met. */
static void cut_line(pov_obj_text *text)
{
    char *end = text->next_line;
    text->at = end;
    text->line++;
    while ((end = strchr(end, '\n')) != NULL) {
        char *last = end > text->at && end[-1] == '\r' ? end - 1 : end;
        if (last == text->at || last[-1] != '\\')
            break;
        memset(last - 1, ' ', (size_t)(end - last + 2));
        text->line++;
    }
    if (end)
        *end = '\0';
    text->next_line = end ? end + 1 : NULL;
}

/** The next word of this line, or NULL. */
static char *next_word(pov_obj_text *text)
{
    char *word = text->at + strspn(text->at, BLANKS);
    if (!*word)
        return NULL;
    text->at = word + strcspn(word, BLANKS);
    if (*text->at)
        *text->at++ = '\0';
    return word;
}

char *pov_obj_next_line(pov_obj_text *text)
{
    while (text->next_line) {
        cut_line(text);
        char *word = next_word(text);
        if (word && word[0] != '#')
            return word;
    }
    return NULL;
}

char *pov_obj_rest(pov_obj_text *text)
{
    char *rest = text->at + strspn(text->at, BLANKS);
    size_t len = strlen(rest);
    while (len > 0 && strchr(BLANKS, rest[len - 1]))
        rest[--len] = '\0';
    text->at = rest + len;
    return rest;
}

pov_status pov_obj_complaint(const pov_obj_text *text, const char *what, const char *word)
{
    return pov_error("%.150s:%d: %s, not '%.60s'", text->path, text->line, what, word);
}

pov_status pov_obj_numbers(pov_obj_text *text, float numbers[], int len, const char *what)
{
    for (int i = 0; i < len; i++) {
        const char *word = next_word(text);
        if (!word)
            return pov_error("%.150s:%d: %s: %d numbers are needed, %d are there", text->path, text->line,
                             what, len, i);
        char *end;
        const double number = strtod(word, &end);
        if (end == word || *end || !(fabs(number) < 1e6))
            return pov_obj_complaint(text, "a number under 1000000 is needed", word);
        numbers[i] = (float)number;
    }
    return pov_ok();
}

void pov_obj_beside(char beside[POV_OBJ_PATH_CAPACITY], const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const int folder_len = slash ? (int)(slash - path + 1) : 0;
    snprintf(beside, POV_OBJ_PATH_CAPACITY, "%.*s%s", folder_len > 300 ? 300 : folder_len, path, name);
}

/* ---- a body ---- */

typedef struct {
    const pov_obj_reading *reading;
    pov_obj_text text;
    pov_obj *obj;
    int material; /* -1: none chosen yet */
} obj_reader;

/* Room for one more item. */
static pov_status make_room(const obj_reader *r, void *items, int *capacity, int len, size_t size,
                            int len_max)
{
    if (len >= len_max)
        return pov_error("%.150s:%d: more than %d of a kind; let the program that wrote it simplify the body",
                         r->text.path, r->text.line, len_max);
    POV_REQUIRE_MEMORY(pov_grow(items, capacity, len, size));
    return pov_ok();
}

static pov_status read_point(obj_reader *r, float (**points)[3], int *capacity, int *len, int numbers,
                             const char *key)
{
    POV_TRY(make_room(r, points, capacity, *len, sizeof **points, r->reading->point_max));
    memset((*points)[*len], 0, sizeof **points);
    POV_TRY(pov_obj_numbers(&r->text, (*points)[*len], numbers, key));
    ++*len;
    return pov_ok();
}

/* A corner's number of 3/4/5: counted from 1, or from the end when negative. Out: index from 0; *at: behind it. */
static bool read_index(int *index, const char **at, int len)
{
    char *end;
    const long number = strtol(*at, &end, 10);
    if (end == *at)
        return false;
    *at = end;
    const long from_zero = number < 0 ? len + number : number - 1;
    if (number == 0 || from_zero < 0 || from_zero >= len)
        return false;
    *index = (int)from_zero;
    return true;
}

/* One more number after a slash, if there is one. */
static bool read_further_index(int *index, const char **at, int len)
{
    *index = -1;
    if (**at != '/')
        return true;
    ++*at;
    return **at == '/' || **at == '\0' || read_index(index, at, len);
}

/* Position, position/uv, position//normal or position/uv/normal. */
static bool read_corner(const obj_reader *r, pov_obj_corner *corner, const char *word)
{
    *corner = (pov_obj_corner){-1, -1, -1};
    if (!read_index(&corner->position, &word, r->obj->position_len))
        return false;
    if (!r->reading->use_material)
        return *word == '/' || *word == '\0';
    return read_further_index(&corner->uv, &word, r->obj->uv_len) &&
           read_further_index(&corner->normal, &word, r->obj->normal_len) && *word == '\0';
}

/* A polygon is a fan of triangles about its first corner. Programs also write faces of one or two: nothing to see. */
static pov_status read_face(obj_reader *r)
{
    pov_obj *obj = r->obj;
    pov_obj_face fan;
    const char *word;
    int len = 0;
    if (r->material < 0 && r->reading->use_material)
        POV_TRY(r->reading->use_material(r->reading->context, &r->material, ""));
    fan.material = r->material;
    while ((word = next_word(&r->text)) != NULL) {
        if (!read_corner(r, &fan.corners[len < 2 ? len : 2], word))
            return pov_obj_complaint(&r->text, "a corner is needed, as 1/2/3, of what stands above", word);
        if (++len < 3)
            continue;
        POV_TRY(
            make_room(r, &obj->faces, &obj->face_capacity, obj->face_len, sizeof fan, r->reading->face_max));
        obj->faces[obj->face_len++] = fan;
        fan.corners[1] = fan.corners[2];
    }
    return len > 0 || !r->reading->use_material
               ? pov_ok()
               : pov_error("%.150s:%d: a face without corners", r->text.path, r->text.line);
}

static pov_status read_line(obj_reader *r, const char *key)
{
    pov_obj *obj = r->obj;
    if (strcmp(key, "v") == 0)
        return read_point(r, &obj->positions, &obj->position_capacity, &obj->position_len, 3, "v");
    if (strcmp(key, "f") == 0)
        return read_face(r);
    if (!r->reading->use_material)
        return pov_ok();
    if (strcmp(key, "vt") == 0)
        return read_point(r, &obj->uvs, &obj->uv_capacity, &obj->uv_len, 2, "vt");
    if (strcmp(key, "vn") == 0)
        return read_point(r, &obj->normals, &obj->normal_capacity, &obj->normal_len, 3, "vn");
    if (strcmp(key, "usemtl") == 0)
        return r->reading->use_material(r->reading->context, &r->material, pov_obj_rest(&r->text));
    if (strcmp(key, "mtllib") == 0) {
        char path[POV_OBJ_PATH_CAPACITY];
        pov_obj_beside(path, r->text.path, pov_obj_rest(&r->text));
        return r->reading->read_library(r->reading->context, path);
    }
    return pov_ok();
}

pov_status pov_obj_parse(pov_obj *obj, const pov_obj_reading *reading, const char *path, char *text)
{
    obj_reader r = {.reading = reading, .obj = obj, .material = -1};
    const char *key;
    pov_obj_text_start(&r.text, path, text);
    while ((key = pov_obj_next_line(&r.text)) != NULL)
        POV_TRY(read_line(&r, key));
    return obj->face_len > 0 ? pov_ok() : pov_error("%.150s: no faces: not a body in an OBJ file", path);
}

void pov_obj_free(pov_obj *obj)
{
    free(obj->positions);
    free(obj->uvs);
    free(obj->normals);
    free(obj->faces);
    *obj = (pov_obj){0};
}
