/** What the readers of OBJ and of MTL share. */
#ifndef POV_SIM_OBJ_INTERNAL_H
#define POV_SIM_OBJ_INTERNAL_H

#include "sim/obj_file.h"

enum { POV_OBJ_PATH_CAPACITY = 512, POV_OBJ_NAME_CAPACITY = 128 };

typedef struct {
    char name[POV_OBJ_NAME_CAPACITY];
    int index; /* in the model */
} pov_obj_material;

typedef struct {
    pov_model *model;
    const pov_obj_source *source;
    pov_obj_material materials[POV_OBJ_MATERIALS_MAX];
    int material_len;
} pov_obj_materials;

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
/** The next word of this line, or NULL. */
char *pov_obj_next_word(pov_obj_text *text);
/** What is left of this line, without blanks at its end: a name that may hold blanks. */
char *pov_obj_rest(pov_obj_text *text);
/** Finite numbers, all there. */
pov_status pov_obj_numbers(pov_obj_text *text, float numbers[], int len, const char *what);
pov_status pov_obj_complaint(const pov_obj_text *text, const char *what, const char *word);

/** `name` beside the file at `path`. */
void pov_obj_beside(char beside[POV_OBJ_PATH_CAPACITY], const char *path, const char *name);

/** Adds the materials of a file to the model and to the list. */
POV_MUST_USE pov_status pov_mtl_read(pov_obj_materials *materials, const char *path);
/** The model's material of that name; a grey one if no file told of it or the name is empty. */
POV_MUST_USE pov_status pov_obj_material_named(pov_obj_materials *materials, int *index, const char *name);

#endif
