/** The lines and words of Wavefront's OBJ and MTL files. */
#ifndef POV_CONFIG_SCENE_OBJ_TEXT_H
#define POV_CONFIG_SCENE_OBJ_TEXT_H

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
/** The next word of this line, or NULL. */
char *pov_obj_next_word(pov_obj_text *text);
/** What is left of this line, without blanks at its end: a name that may hold blanks. */
char *pov_obj_rest(pov_obj_text *text);
/** Finite numbers, all there. */
pov_status pov_obj_numbers(pov_obj_text *text, float numbers[], int len, const char *what);
/** A corner's number of 3/4/5: counted from 1, or from the end when negative. Out: index from 0; *at: behind it. */
bool pov_obj_index(int *index, const char **at, int len);
pov_status pov_obj_complaint(const pov_obj_text *text, const char *what, const char *word);

/** `name` beside the file at `path`. */
void pov_obj_beside(char beside[POV_OBJ_PATH_CAPACITY], const char *path, const char *name);

#endif
