/** YAML files as people write them: every complaint names file, line and key, and how to mend it.
 *
 *  A file is read whole and checked (size, UTF-8, depth), then walked by the caller. The first complaint
 * sticks: after it every getter is a no-op that leaves its output unchanged, so a caller reads all it wants
 * and asks pov_yaml_finish once at the end, which also complains of keys that no reader asked for (with the
 * nearest known key). */
#pragma once

#include "perception/geometry/geom.h"
#include "perception/status.h"

#include <stddef.h>

/* The longest line of `pov run --json`, which is a scene, has some 7 MB. */
enum { POV_YAML_BYTES_MAX = 16 << 20, POV_YAML_DEPTH_MAX = 32 };

typedef struct pov_yaml_file pov_yaml_file;

/** A node of a file: a mapping, a sequence or a scalar. Plain value; `index` 0 is "no such node", on which
 * every getter is a no-op. */
typedef struct {
    pov_yaml_file *file;
    int index;
} pov_yaml_node;

/** Reads and parses. Errors: missing, unreadable, over POV_YAML_BYTES_MAX, not UTF-8, not YAML (line),
 * duplicate key, alias, too deep, a tag that says what a value is not here (!!binary, !!set), or not a mapping at the top. OpenCV's
 * "%YAML:1.0" first line and its tags are accepted. */
POV_MUST_USE pov_status pov_yaml_open(pov_yaml_file **file, const char *path);
/** The same from memory; `name` stands for the path in messages. text NULL: pov_yaml_open(file, name), so that a reader of
 *  both has one function. */
POV_MUST_USE pov_status pov_yaml_parse(pov_yaml_file **file, const char *name, const char *text,
                                       size_t length);
void pov_yaml_close(pov_yaml_file **file);

/** The first complaint, else an error for the first key that was never asked for, else POV_OK. A mapping of
 * which no key was asked is not looked into. */
POV_MUST_USE pov_status pov_yaml_finish(pov_yaml_file *file);

pov_yaml_node pov_yaml_root(pov_yaml_file *file);
const char *pov_yaml_path(const pov_yaml_file *file);
bool pov_yaml_exists(pov_yaml_node node);
/** 1-based line of the node in its file. */
int pov_yaml_line(pov_yaml_node node);
/** A sequence; a scalar that is empty, "~" or "null". False for no such node. */
bool pov_yaml_is_list(pov_yaml_node node);
bool pov_yaml_is_null(pov_yaml_node node);

/** Child of a mapping by key; "no such node" if absent. The key counts as asked for. */
pov_yaml_node pov_yaml_get(pov_yaml_node mapping, const char *key);
/** The same, with a complaint if absent. `hint` says what it is for: "the camera's calibration file". */
pov_yaml_node pov_yaml_need(pov_yaml_node mapping, const char *key, const char *hint);
/** For a reader of one part of a file: the mapping's other keys count as asked for, whatever they are. */
void pov_yaml_allow_others(pov_yaml_node mapping);
/** Length of a sequence (complains if it is none); 0 for no such node. */
int pov_yaml_length(pov_yaml_node sequence);
/** The same of a list of 1 to max `what`; 0 after a complaint. */
int pov_yaml_length_within(pov_yaml_node sequence, int max, const char *what);
pov_yaml_node pov_yaml_at(pov_yaml_node sequence, int i);

/** Scalars, by YAML 1.2: true and false are the only booleans, quoted digits are text. Each leaves *value
 * unchanged if the node does not exist, and complains of the wrong type or range. Numbers must be finite and
 * within [low, high]; whole ones with a leading zero are refused, for YAML 1.1 reads 010 as 8. A string is borrowed until the file is closed. */
void pov_yaml_string(const char **value, pov_yaml_node node);
/** The string itself, borrowed likewise; "" if there is none. */
const char *pov_yaml_text(pov_yaml_node node);
/** The same of an id that stands in tables and in names of files; complains unless it is 1 to POV_NAME_CAPACITY - 1 letters, digits, _ and -. */
const char *pov_yaml_id(pov_yaml_node node);
void pov_yaml_copy_string(char *value, size_t capacity, pov_yaml_node node);
/** The same, and complains of an empty one: of names by which something is found. */
void pov_yaml_copy_filled(char *value, size_t capacity, pov_yaml_node node);
/** The same of a name that people compare by its looks, as ids: without invisible characters, and in the normal form NFC (composed.h). */
void pov_yaml_copy_name(char *value, size_t capacity, pov_yaml_node node);
void pov_yaml_number(double *value, pov_yaml_node node, double low, double high);
void pov_yaml_integer(int *value, pov_yaml_node node, int low, int high);
void pov_yaml_bool(bool *value, pov_yaml_node node);
/** One of `names[0 .. count)`; complains with the list and the nearest. */
void pov_yaml_choice(int *value, pov_yaml_node node, const char *const names[], int count);
/** A sequence of exactly `count` numbers. */
void pov_yaml_numbers(double *values, pov_yaml_node node, int count, double low, double high);
void pov_yaml_vec3(pov_vec3 *value, pov_yaml_node node, double low, double high);
/** A 3x3 rotation as three rows (or nine numbers); complains unless orthogonal within 1e-3; made exact. */
void pov_yaml_rotation(pov_rot *value, pov_yaml_node node);

/** A complaint of the caller's own about a node: "file:line: key: message". Only the first one sticks. */
void pov_yaml_complain(pov_yaml_node node, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** The same of a status that is not POV_OK, in its words. */
void pov_yaml_complain_of(pov_yaml_node node, pov_status status);
/** Is there a complaint? Also true for NULL, the file of no such node. */
bool pov_yaml_failed(const pov_yaml_file *file);

/** Calls `visit` with each scalar of a file and its key, as "cast[0].ball.color", in the order of the file. */
typedef void pov_yaml_visit(void *context, const char *key, const char *text);
void pov_yaml_each_text(const pov_yaml_file *file, pov_yaml_visit *visit, void *context);

/** Path named in a file, resolved against the file's own folder. */
void pov_yaml_relative_path(char *path, size_t capacity, pov_yaml_node node);
