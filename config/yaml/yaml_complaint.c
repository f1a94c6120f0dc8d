/* How complaints are worded: where they are, and what stands there. */
#include "config/yaml/yaml_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
static bool prepend(char *buffer, size_t *start, const char *piece)
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
        fits = prepend(path, &start, piece);
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

static void complain(pov_yaml_file *file, int line, int entry, const char *format, va_list arguments)
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
    complain(file, line, entry, format, arguments);
    va_end(arguments);
}

void pov_yaml_complain(pov_yaml_node node, const char *format, ...)
{
    if (!pov_yaml_exists(node))
        return;
    va_list arguments;
    va_start(arguments, format);
    complain(node.file, pov_yaml_line(node), node.index, format, arguments);
    va_end(arguments);
}

bool pov_yaml_failed(const pov_yaml_file *file)
{
    return !file || file->complaint.code != POV_OK;
}
