/** Shared by the sources of yaml_file.h. */
#pragma once

#include "config/files/read_file.h"
#include "config/yaml/yaml_file.h"

enum { POV_YAML_NODES_MAX = 600000, POV_YAML_NONE = -1 };

typedef enum { POV_YAML_SCALAR, POV_YAML_SEQUENCE, POV_YAML_MAPPING } pov_yaml_kind;

/* Entry 0 is "no such node", entry 1 the top. Text and keys are offsets into `arena`. */
typedef struct {
    pov_yaml_kind kind;
    int line;         /* of the key if there is one */
    int parent;       /* entry, 0 for the top */
    int key;          /* of a mapping's child, else POV_YAML_NONE */
    int position;     /* among the parent's children as written */
    int text;         /* of a scalar */
    int first, count; /* children: indices into `children`; a mapping's are sorted by key */
    bool quoted;
    bool asked;     /* a caller asked for this key */
    bool consulted; /* a caller asked for keys of this mapping */
} pov_yaml_entry;

/* A key that a caller asked for and the mapping lacks. */
typedef struct {
    int mapping;
    char key[44];
} pov_yaml_absent;

struct pov_yaml_file {
    char *path;
    pov_bytes source;
    pov_yaml_entry *entries;
    int *children;
    char *arena;
    pov_yaml_absent *absent;
    int entry_count, entry_capacity;
    int child_count, child_capacity;
    int arena_count, arena_capacity;
    int absent_count, absent_capacity;
    pov_status complaint;
    int missing_from; /* the mapping, if the complaint is of a missing key */
    char missing_key[44];
};

static inline pov_yaml_entry *pov_yaml_entry_of(pov_yaml_node node)
{
    return &node.file->entries[node.index];
}

/* A node that there is, in a file without complaints. */
static inline bool pov_yaml_is_live(pov_yaml_node node)
{
    return node.file && node.index && !pov_yaml_failed(node.file);
}

/* Makes room for `needed` items; false if there is no memory. */
bool pov_yaml_reserve(void *items, int *capacity, int needed, size_t item_size);
/* Fills the table from the source text; a failure is the file's complaint. */
void pov_yaml_load(pov_yaml_file *file);

/* The first complaint: "file:line: path: message"; `entry` 0: without a path. */
void pov_yaml_complain_at(pov_yaml_file *file, int line, int entry, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "cast[0].radius_m", cut at its front if it is too long. */
void pov_yaml_key_path(char *path, size_t capacity, const pov_yaml_file *file, int entry);
/* One printable line of at most capacity - 1 bytes, "..." at its end if cut. */
void pov_yaml_excerpt(char *excerpt, size_t capacity, const char *text);
/* "a, b, c", "..." at its end if cut. */
void pov_yaml_join(char *list, size_t capacity, const char *const words[], int count);
const char *pov_yaml_entry_key(const pov_yaml_file *file, const pov_yaml_entry *entry);
