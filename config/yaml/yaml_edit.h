/** Changes single values of a YAML text that a person may have written: every other byte stays, comments, order and style too. */
#pragma once

#include "perception/status.h"

#include <stddef.h>

enum { POV_YAML_PATH_PARTS_MAX = 8 };

/** Sets the value at a path, or removes the entry.
 *  In:  text: allocated, a mapping at the top; it is replaced. path: keys joined by '.': "camera.calibration"; a part that names an
 *       item of a list is the item's `id`: "cast.ball.class". Missing parents are made, in the style of the text.
 *       value: one line in flow style ("[1, 2]", "{a: 1}", "\"words\""); NULL: the entry goes, with its line's comment.
 *  Returns: POV_ERROR, and the text as it was, if it is not YAML or the path leads through a value that is not a mapping or list. */
POV_MUST_USE pov_status pov_yaml_edit(char **text, const char *path, const char *value);

/** Is there an entry at a path? False too of a text that cannot be edited. */
bool pov_yaml_has(const char *text, const char *path);

/** A value in double quotes, as YAML and JSON have it; to be freed. NULL: out of memory. */
char *pov_yaml_quote(const char *words);
