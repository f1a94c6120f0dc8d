/* Opens a file, walks its nodes, finds keys that no reader asked for, and words complaints. */
#include "config/yaml/yaml_file.h"

#include "config/files/nearest_name.h"
#include "config/yaml/yaml_file_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- open and close ---- */

static pov_status new_file(pov_yaml_file **file, const char *path)
{
    *file = calloc(1, sizeof **file);
    char *copy = strdup(path);
    if (!*file || !copy) {
        free(copy);
        free(*file);
        *file = NULL;
        return pov_error("%s: no memory to read it", path);
    }
    (*file)->path = copy;
    return pov_ok();
}

static pov_status load_file(pov_yaml_file **file)
{
    pov_yaml_load(*file);
    pov_status status = (*file)->complaint;
    if (status.code != POV_OK)
        pov_yaml_close(file);
    return status;
}

pov_status pov_yaml_open(pov_yaml_file **file, const char *path)
{
    POV_TRY(new_file(file, path));
    pov_status status = pov_read_file(&(*file)->source, path, POV_YAML_BYTES_MAX, "a YAML file");
    if (status.code != POV_OK) {
        pov_yaml_close(file);
        return status;
    }
    return load_file(file);
}

pov_status pov_yaml_parse(pov_yaml_file **file, const char *name, const char *text, size_t length)
{
    *file = NULL;
    if (!text)
        return pov_yaml_open(file, name);
    if (length > POV_YAML_BYTES_MAX)
        return pov_error(
            "%s: has %zu bytes, more than the %d that a YAML file may have; is it the right file?", name,
            length, (int)POV_YAML_BYTES_MAX);
    POV_TRY(new_file(file, name));
    pov_bytes *source = &(*file)->source;
    source->data = malloc(length + 1);
    if (!source->data) {
        pov_yaml_close(file);
        return pov_error("%s: no memory to read it", name);
    }
    if (length > 0)
        memcpy(source->data, text, length);
    source->data[length] = '\0';
    source->length = length;
    return load_file(file);
}

void pov_yaml_close(pov_yaml_file **file)
{
    if (!file || !*file)
        return;
    pov_bytes_free(&(*file)->source);
    free((*file)->path);
    free((*file)->entries);
    free((*file)->children);
    free((*file)->arena);
    free((*file)->absent);
    free(*file);
    *file = NULL;
}

/* ---- walking ---- */

static const pov_yaml_node NO_NODE = {NULL, 0};

pov_yaml_node pov_yaml_root(pov_yaml_file *file)
{
    return (pov_yaml_node){file, 1};
}

const char *pov_yaml_path(const pov_yaml_file *file)
{
    return file->path;
}

bool pov_yaml_exists(pov_yaml_node node)
{
    return node.file && node.index;
}

int pov_yaml_line(pov_yaml_node node)
{
    return pov_yaml_exists(node) ? pov_yaml_entry_of(node)->line : 0;
}

/* Binary search among a mapping's children; 0 if there is none of that key. */
static int find_child(const pov_yaml_file *file, const pov_yaml_entry *mapping, const char *key)
{
    int low = 0, high = mapping->count;
    while (low < high) {
        int middle = (low + high) / 2;
        int child = file->children[mapping->first + middle];
        int order = strcmp(key, file->arena + file->entries[child].key);
        if (order == 0)
            return child;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

static void note_absent(pov_yaml_node mapping, const char *key)
{
    pov_yaml_file *file = mapping.file;
    if (!pov_yaml_reserve(&file->absent, &file->absent_capacity, file->absent_count + 1,
                          sizeof *file->absent))
        return; /* only a suggestion less */
    pov_yaml_absent *absent = &file->absent[file->absent_count++];
    absent->mapping = mapping.index;
    snprintf(absent->key, sizeof absent->key, "%s", key);
}

/* Keys are counted as asked for even after a complaint, so that pov_yaml_finish can tell a misspelt key. */
static int find_key(pov_yaml_node mapping, const char *key)
{
    pov_yaml_entry_of(mapping)->consulted = true;
    int child = find_child(mapping.file, pov_yaml_entry_of(mapping), key);
    if (child)
        mapping.file->entries[child].asked = true;
    else
        note_absent(mapping, key);
    return child;
}

pov_yaml_node pov_yaml_get(pov_yaml_node mapping, const char *key)
{
    if (!pov_yaml_exists(mapping))
        return NO_NODE;
    if (pov_yaml_entry_of(mapping)->kind != POV_YAML_MAPPING) {
        pov_yaml_complain(mapping, "expected keys, as in \"%s: ...\"", key);
        return NO_NODE;
    }
    int child = find_key(mapping, key);
    return child && pov_yaml_is_live(mapping) ? (pov_yaml_node){mapping.file, child} : NO_NODE;
}

pov_yaml_node pov_yaml_need(pov_yaml_node mapping, const char *key, const char *hint)
{
    pov_yaml_node node = pov_yaml_get(mapping, key);
    if (!pov_yaml_exists(node) && pov_yaml_is_live(mapping)) {
        mapping.file->missing_from = mapping.index;
        snprintf(mapping.file->missing_key, sizeof mapping.file->missing_key, "%s", key);
        pov_yaml_complain(mapping, "the key \"%s\" is missing; it gives %s", key, hint);
    }
    return node;
}

void pov_yaml_allow_others(pov_yaml_node mapping)
{
    if (!pov_yaml_is_live(mapping))
        return;
    const pov_yaml_entry *entry = pov_yaml_entry_of(mapping);
    for (int i = 0; i < entry->count; i++)
        mapping.file->entries[mapping.file->children[entry->first + i]].asked = true;
}

int pov_yaml_length(pov_yaml_node sequence)
{
    if (!pov_yaml_is_live(sequence))
        return 0;
    if (pov_yaml_entry_of(sequence)->kind != POV_YAML_SEQUENCE) {
        pov_yaml_complain(sequence, "expected a list, as in [a, b] or lines that start with \"- \"");
        return 0;
    }
    return pov_yaml_entry_of(sequence)->count;
}

pov_yaml_node pov_yaml_at(pov_yaml_node sequence, int i)
{
    if (i < 0 || i >= pov_yaml_length(sequence))
        return NO_NODE;
    return (pov_yaml_node){sequence.file, sequence.file->children[pov_yaml_entry_of(sequence)->first + i]};
}

void pov_yaml_relative_path(char *path, size_t capacity, pov_yaml_node node)
{
    const char *text = NULL;
    pov_yaml_string(&text, node);
    if (!text)
        return;
    const char *slash = strrchr(node.file->path, '/');
    int folder = slash && text[0] != '/' ? (int)(slash + 1 - node.file->path) : 0;
    if ((size_t)folder + strlen(text) >= capacity)
        pov_yaml_complain(node, "the path is longer than %zu bytes", capacity - 1);
    else
        snprintf(path, capacity, "%.*s%s", folder, node.file->path, text);
}

void pov_yaml_each_text(const pov_yaml_file *file, pov_yaml_visit *visit, void *context)
{
    char key[256];
    for (int i = 1; i < file->entry_count; i++) {
        if (file->entries[i].kind != POV_YAML_SCALAR)
            continue;
        pov_yaml_key_path(key, sizeof key, file, i);
        visit(context, key, file->arena + file->entries[i].text);
    }
}

/* ---- keys that no reader asked for ---- */

enum { KNOWN_MAX = 64 };

/* Once, however many readers ask for it. */
static void add_known(const char *known[KNOWN_MAX], int *count, const char *key)
{
    for (int i = 0; i < *count; i++)
        if (strcmp(known[i], key) == 0)
            return;
    known[(*count)++] = key;
}

/* The keys that callers know in a mapping: those they miss first, as one of these is the likelier to be
 * misspelt. */
static int list_known(const char *known[KNOWN_MAX], const pov_yaml_file *file, int mapping)
{
    int count = 0;
    for (int i = 0; i < file->absent_count && count < KNOWN_MAX; i++)
        if (file->absent[i].mapping == mapping)
            add_known(known, &count, file->absent[i].key);
    const pov_yaml_entry *entry = &file->entries[mapping];
    for (int i = 0; i < entry->count && count < KNOWN_MAX; i++) {
        const pov_yaml_entry *child = &file->entries[file->children[entry->first + i]];
        if (child->asked)
            add_known(known, &count, pov_yaml_entry_key(file, child));
    }
    return count;
}

static void complain_unknown(pov_yaml_file *file, int index)
{
    const pov_yaml_entry *entry = &file->entries[index];
    const char *known[KNOWN_MAX] = {NULL};
    int count = list_known(known, file, entry->parent);
    const char *nearest = pov_nearest_name(pov_yaml_entry_key(file, entry), known, count);
    char path[120], list[160];
    pov_yaml_key_path(path, sizeof path, file, index);
    pov_yaml_join(list, sizeof list, known, count);
    if (nearest)
        pov_yaml_complain_at(file, entry->line, 0, "unknown key \"%s\"; did you mean \"%s\"?", path, nearest);
    else
        pov_yaml_complain_at(file, entry->line, 0, "unknown key \"%s\"; known there: %s", path, list);
}

/* The first key of a consulted mapping that no reader asked for, in `mapping` (0: in any); 0 if there is none. */
static int find_unasked(const pov_yaml_file *file, int mapping, const char *near)
{
    for (int i = 2; i < file->entry_count; i++) {
        const pov_yaml_entry *entry = &file->entries[i];
        bool unasked = entry->key != POV_YAML_NONE && !entry->asked && file->entries[entry->parent].consulted;
        if (!unasked || (mapping && entry->parent != mapping))
            continue;
        if (!near || pov_nearest_name(pov_yaml_entry_key(file, entry), &near, 1))
            return i;
    }
    return 0;
}

pov_status pov_yaml_finish(pov_yaml_file *file)
{
    int misspelt = 0;
    if (!pov_yaml_failed(file))
        misspelt = find_unasked(file, 0, NULL);
    else if (file->missing_from)
        misspelt = find_unasked(file, file->missing_from, file->missing_key);
    if (misspelt) {
        file->complaint = pov_ok();
        complain_unknown(file, misspelt);
    }
    return file->complaint;
}

/* ---- complaints ---- */

/* The wording of complaints: file, line, key and the offending text. */

const char *pov_yaml_entry_key(const pov_yaml_file *file, const pov_yaml_entry *entry)
{
    return entry->key == POV_YAML_NONE ? "" : file->arena + entry->key;
}

void pov_yaml_excerpt(char *excerpt, size_t capacity, const char *text)
{
    size_t length = strlen(text);
    bool cut = length >= capacity;
    size_t kept = cut ? capacity - 4 : length;
    while (cut && kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80)
        kept--; /* not within a UTF-8 sequence */
    for (size_t i = 0; i < kept; i++)
        excerpt[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7F ? ' ' : text[i];
    strcpy(excerpt + kept, cut ? "..." : "");
}

void pov_yaml_join(char *list, size_t capacity, const char *const words[], int count)
{
    size_t length = 0;
    list[0] = '\0';
    for (int i = 0; i < count && length < capacity; i++)
        length += (size_t)snprintf(list + length, capacity - length, "%s%s", i ? ", " : "", words[i]);
    if (length >= capacity)
        strcpy(list + capacity - 4, "...");
}

/* Puts `piece` before the text that starts at *start; false if it does not fit. */
static bool prepend_piece(char *buffer, size_t *start, const char *piece)
{
    size_t length = strlen(piece);
    if (length + 3 > *start)
        return false;
    *start -= length;
    memcpy(buffer + *start, piece, length);
    return true;
}

void pov_yaml_key_path(char *path, size_t capacity, const pov_yaml_file *file, int entry)
{
    size_t start = capacity - 1;
    path[start] = '\0';
    bool fits = true;
    for (int i = entry; i && file->entries[i].parent && fits; i = file->entries[i].parent) {
        const pov_yaml_entry *at = &file->entries[i];
        bool is_first = !file->entries[at->parent].parent;
        char key[44], piece[48];
        pov_yaml_excerpt(key, sizeof key, pov_yaml_entry_key(file, at));
        if (at->key == POV_YAML_NONE)
            snprintf(piece, sizeof piece, "[%d]", at->position);
        else
            snprintf(piece, sizeof piece, "%s%s", is_first ? "" : ".", key);
        fits = prepend_piece(path, &start, piece);
    }
    if (!fits)
        memcpy(path + (start -= 3), "...", 3);
    memmove(path, path + start, capacity - start);
}

/* The end of a long path says more than its beginning. */
static const char *label_of(const pov_yaml_file *file)
{
    enum { LABEL_MAX = 150 };
    size_t length = strlen(file->path);
    return length > LABEL_MAX ? file->path + length - LABEL_MAX : file->path;
}

static void add_complaint(pov_yaml_file *file, int line, int entry, const char *format, va_list arguments)
{
    if (file->complaint.code != POV_OK)
        return;
    char path[120], message[POV_MESSAGE_CAPACITY];
    pov_yaml_key_path(path, sizeof path, file, entry);
    vsnprintf(message, sizeof message, format, arguments);
    file->complaint = pov_error("%s:%d: %s%s%s", label_of(file), line, path, path[0] ? ": " : "", message);
}

void pov_yaml_complain_at(pov_yaml_file *file, int line, int entry, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_complaint(file, line, entry, format, arguments);
    va_end(arguments);
}

void pov_yaml_complain(pov_yaml_node node, const char *format, ...)
{
    if (!pov_yaml_exists(node))
        return;
    va_list arguments;
    va_start(arguments, format);
    add_complaint(node.file, pov_yaml_line(node), node.index, format, arguments);
    va_end(arguments);
}

void pov_yaml_complain_of(pov_yaml_node node, pov_status status)
{
    if (status.code != POV_OK)
        pov_yaml_complain(node, "%s", status.message);
}

bool pov_yaml_failed(const pov_yaml_file *file)
{
    return !file || file->complaint.code != POV_OK;
}
