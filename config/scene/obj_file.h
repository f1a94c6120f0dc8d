/** Wavefront's OBJ files, as scanners, CAD and 3D programs write them: polygons with normals, texture coordinates and materials.
 *  Curves, lines and groups are passed over. And the lines and words of which OBJ and MTL files consist. */
#pragma once

#include "perception/status.h"

enum { POV_OBJ_PATH_CAPACITY = 512 };

/** Walks lines of words; words are separated by blanks, and end at the line's end. A backslash at a line's end joins it
 *  with the next. */
typedef struct {
    const char *path;
    int line;
    char *at, *next_line;
} pov_obj_text;

/** The text is cut into words where it stands. */
void pov_obj_text_start(pov_obj_text *text, const char *path, char *bytes);
/** The first word of the next line that is not empty or a comment; NULL at the end. */
char *pov_obj_next_line(pov_obj_text *text);
/** Reads the rest of this line as a name, which may hold blanks; blanks at its end are dropped. */
char *pov_obj_rest(pov_obj_text *text);
/** Finite numbers, all there. */
pov_status pov_obj_numbers(pov_obj_text *text, float numbers[], int len, const char *what);
pov_status pov_obj_complaint(const pov_obj_text *text, const char *what, const char *word);

/** `name` beside the file at `path`. */
void pov_obj_beside(char beside[POV_OBJ_PATH_CAPACITY], const char *path, const char *name);

/* ---- a body ---- */

typedef struct {
    int position, uv, normal; /* indices; -1: none */
} pov_obj_corner;

typedef struct {
    pov_obj_corner corners[3];
    int material; /* as use_material numbers it */
} pov_obj_face;

/** Polygons are fans of triangles. Start from {0}; free with pov_obj_free, also after an error. */
typedef struct {
    float (*positions)[3], (*uvs)[3], (*normals)[3];
    pov_obj_face *faces;
    int position_len, uv_len, normal_len, face_len;
    int position_capacity, uv_capacity, normal_capacity, face_capacity;
} pov_obj;

typedef struct {
    int point_max, face_max; /* more of a kind is an error */
    /* Called for `usemtl`, with "" before a face without; and for `mtllib`. NULL: only positions count, and other numbers
       of corners are not checked. */
    pov_status (*use_material)(void *context, int *material, const char *name);
    pov_status (*read_library)(void *context, const char *path);
    void *context;
} pov_obj_reading;

/** Cuts the text into words and reads it; `path` stands for the file in messages, and libraries are beside it.
 *  Returns: POV_ERROR naming file, line and what is wrong, also if there are no faces. */
POV_MUST_USE pov_status pov_obj_parse(pov_obj *obj, const pov_obj_reading *reading, const char *path,
                                      char *text);
void pov_obj_free(pov_obj *obj);
