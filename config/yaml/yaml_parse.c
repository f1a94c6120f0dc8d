/* From libyaml's events to a table of nodes. */
#include "config/yaml/yaml_file_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* A mapping or sequence that is still open. */
typedef struct {
    int entry;
    int first_pending;
    int key, key_line; /* of a mapping, between key and value; else POV_YAML_NONE */
} yaml_level;

typedef struct {
    pov_yaml_file *file;
    int depth;
    yaml_level levels[POV_YAML_DEPTH_MAX];
    int documents;
    int *pending; /* children of the open levels, as on a stack */
    int pending_count, pending_capacity;
} yaml_loader;

bool pov_yaml_reserve(void *items, int *capacity, int needed, size_t item_size)
{
    if (needed <= *capacity)
        return true;
    int larger = *capacity > INT_MAX / 2 ? INT_MAX : 2 * *capacity;
    larger = larger < needed ? needed : larger;
    larger = larger < 64 ? 64 : larger;
    void *grown;
    memcpy(&grown, items, sizeof grown); /* items is the address of a pointer of any type */
    grown = realloc(grown, (size_t)larger * item_size);
    if (!grown)
        return false;
    memcpy(items, &grown, sizeof grown);
    *capacity = larger;
    return true;
}

static int line_of(yaml_mark_t mark)
{
    return (int)mark.line + 1;
}

static bool make_room(yaml_loader *loader, void *items, int *capacity, int needed, size_t item_size, int line)
{
    if (pov_yaml_reserve(items, capacity, needed, item_size))
        return true;
    pov_yaml_complain_at(loader->file, line, 0, "no memory left to read on");
    return false;
}

/* Copies text into the arena; returns its offset, or POV_YAML_NONE after a complaint. */
static int keep_text(yaml_loader *loader, const yaml_event_t *scalar, int line)
{
    pov_yaml_file *file = loader->file;
    const char *text = (const char *)scalar->data.scalar.value;
    size_t length = scalar->data.scalar.length;
    if (memchr(text, '\0', length)) {
        pov_yaml_complain_at(file, line, 0, "text with a zero byte in it; remove the \\0");
        return POV_YAML_NONE;
    }
    int needed = file->arena_count + (int)length + 1;
    if (!make_room(loader, &file->arena, &file->arena_capacity, needed, 1, line))
        return POV_YAML_NONE;
    int offset = file->arena_count;
    memcpy(file->arena + offset, text, length + 1);
    file->arena_count = needed;
    return offset;
}

static yaml_level *top_level(yaml_loader *loader)
{
    return loader->depth ? &loader->levels[loader->depth - 1] : NULL;
}

static bool expects_key(yaml_loader *loader)
{
    const yaml_level *level = top_level(loader);
    return level && loader->file->entries[level->entry].kind == POV_YAML_MAPPING &&
           level->key == POV_YAML_NONE;
}

/* Hangs a new entry into the open level; returns it, or 0 after a complaint. */
static int add_entry(yaml_loader *loader, pov_yaml_kind kind, int line)
{
    pov_yaml_file *file = loader->file;
    if (file->entry_count >= POV_YAML_NODES_MAX) {
        pov_yaml_complain_at(file, line, 0, "more than %d values; is it the right file?", POV_YAML_NODES_MAX);
        return 0;
    }
    if (!make_room(loader, &file->entries, &file->entry_capacity, file->entry_count + 1,
                   sizeof *file->entries, line) ||
        !make_room(loader, &loader->pending, &loader->pending_capacity, loader->pending_count + 1,
                   sizeof *loader->pending, line))
        return 0;
    int index = file->entry_count++;
    pov_yaml_entry entry = {.kind = kind, .line = line, .key = POV_YAML_NONE, .text = POV_YAML_NONE};
    yaml_level *level = top_level(loader);
    if (level) {
        entry.parent = level->entry;
        entry.position = loader->pending_count - level->first_pending;
        entry.key = level->key;
        entry.line = level->key == POV_YAML_NONE ? line : level->key_line;
        level->key = POV_YAML_NONE;
        loader->pending[loader->pending_count++] = index;
    }
    file->entries[index] = entry;
    return index;
}

/* Of the tags only those that change nothing are taken, and OpenCV's. */
static bool is_known_tag(const yaml_char_t *tag, pov_yaml_kind kind, bool is_plain)
{
    static const char standard[] = "tag:yaml.org,2002:";
    static const char *const of_plain[] = {"int", "float", "bool", "null"};
    if (!tag || strcmp((const char *)tag, "!") == 0)
        return true;
    if (strncmp((const char *)tag, standard, sizeof standard - 1) != 0)
        return false;
    const char *name = (const char *)tag + sizeof standard - 1;
    for (size_t i = 0; i < sizeof of_plain / sizeof *of_plain; i++)
        if (strcmp(name, of_plain[i]) == 0)
            return kind == POV_YAML_SCALAR && is_plain;
    return strncmp(name, "opencv-", 7) == 0 || strcmp(name, kind == POV_YAML_SCALAR    ? "str"
                                                            : kind == POV_YAML_MAPPING ? "map"
                                                                                       : "seq") == 0;
}

/* "!" and "!!str" make text of what would be a number. */
static bool is_text_tag(const yaml_char_t *tag)
{
    return tag && (strcmp((const char *)tag, "!") == 0 || strcmp((const char *)tag, YAML_STR_TAG) == 0);
}

static bool check_tag(yaml_loader *loader, const yaml_char_t *tag, pov_yaml_kind kind, bool is_plain,
                      int line)
{
    const bool is_known = is_known_tag(tag, kind, is_plain);
    if (!is_known)
        pov_yaml_complain_at(loader->file, line, 0,
                             "the tag %.60s is not taken here; write the value itself, without a tag",
                             (const char *)tag);
    return is_known;
}

static void take_scalar(yaml_loader *loader, const yaml_event_t *event)
{
    int line = line_of(event->start_mark);
    const bool is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (!check_tag(loader, event->data.scalar.tag, POV_YAML_SCALAR, is_plain, line))
        return;
    int text = keep_text(loader, event, line);
    if (text == POV_YAML_NONE)
        return;
    if (expects_key(loader)) {
        top_level(loader)->key = text;
        top_level(loader)->key_line = line;
        return;
    }
    int entry = add_entry(loader, POV_YAML_SCALAR, line);
    if (!entry)
        return;
    loader->file->entries[entry].text = text;
    loader->file->entries[entry].quoted = !is_plain || is_text_tag(event->data.scalar.tag);
}

static void open_level(yaml_loader *loader, pov_yaml_kind kind, int line)
{
    if (expects_key(loader)) {
        pov_yaml_complain_at(loader->file, line, 0,
                             "a list or mapping used as a key; write a plain word before the ':'");
        return;
    }
    if (loader->depth >= POV_YAML_DEPTH_MAX) {
        pov_yaml_complain_at(loader->file, line, 0, "nested deeper than %d levels; is it the right file?",
                             POV_YAML_DEPTH_MAX);
        return;
    }
    int entry = add_entry(loader, kind, line);
    if (!entry)
        return;
    loader->levels[loader->depth++] = (yaml_level){entry, loader->pending_count, POV_YAML_NONE, 0};
}

/* By key, then as written. */
static int compare_children(const void *left, const void *right, void *context)
{
    const pov_yaml_file *file = context;
    int a = *(const int *)left, b = *(const int *)right;
    int order = strcmp(file->arena + file->entries[a].key, file->arena + file->entries[b].key);
    return order ? order : (a > b) - (a < b);
}

static void sort_children(pov_yaml_file *file, const pov_yaml_entry *mapping)
{
    int *children = file->children + mapping->first;
    qsort_r(children, (size_t)mapping->count, sizeof *children, compare_children, file);
    for (int i = 1; i < mapping->count; i++) {
        const pov_yaml_entry *first = &file->entries[children[i - 1]], *second = &file->entries[children[i]];
        if (strcmp(file->arena + first->key, file->arena + second->key) == 0)
            pov_yaml_complain_at(file, second->line, children[i], "given twice, first on line %d; remove one",
                                 first->line);
    }
}

static void close_level(yaml_loader *loader, int line)
{
    pov_yaml_file *file = loader->file;
    const yaml_level *level = top_level(loader);
    int count = loader->pending_count - level->first_pending;
    if (!make_room(loader, &file->children, &file->child_capacity, file->child_count + count,
                   sizeof *file->children, line))
        return;
    pov_yaml_entry *entry = &file->entries[level->entry];
    entry->first = file->child_count;
    entry->count = count;
    if (count > 0)
        memcpy(file->children + file->child_count, loader->pending + level->first_pending,
               (size_t)count * sizeof *file->children);
    file->child_count += count;
    loader->pending_count = level->first_pending;
    loader->depth--;
    if (entry->kind == POV_YAML_MAPPING && count > 1)
        sort_children(file, entry);
}

static void take_event(yaml_loader *loader, const yaml_event_t *event)
{
    int line = line_of(event->start_mark);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (loader->documents++ > 0)
            pov_yaml_complain_at(loader->file, line, 0, "a second document starts here; keep one per file");
        break;
    case YAML_ALIAS_EVENT:
        pov_yaml_complain_at(loader->file, line, 0, "alias *%.40s; aliases are not taken, repeat the value",
                             (const char *)event->data.alias.anchor);
        break;
    case YAML_SCALAR_EVENT:
        take_scalar(loader, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        if (check_tag(loader, event->data.sequence_start.tag, POV_YAML_SEQUENCE, true, line))
            open_level(loader, POV_YAML_SEQUENCE, line);
        break;
    case YAML_MAPPING_START_EVENT:
        if (check_tag(loader, event->data.mapping_start.tag, POV_YAML_MAPPING, true, line))
            open_level(loader, POV_YAML_MAPPING, line);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_level(loader, line);
        break;
    default:
        break;
    }
}

static int line_at(const pov_bytes *source, size_t offset)
{
    int line = 1;
    for (size_t i = 0; i < offset && i < source->length; i++)
        line += source->data[i] == '\n';
    return line;
}

/* A tab among the blanks that a line starts with: the commonest cause of puzzling complaints. */
static bool is_indented_by_tab(const pov_bytes *source, int line)
{
    const char *at = (const char *)source->data;
    for (int i = 1; i < line && at; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at && memchr(at, '\t', strspn(at, " \t"));
}

static void complain_of_syntax(yaml_loader *loader, const yaml_parser_t *parser, size_t bytes_skipped)
{
    pov_yaml_file *file = loader->file;
    const char *problem = parser->problem ? parser->problem : "unreadable";
    if (parser->error == YAML_READER_ERROR) {
        int line = line_at(&file->source, parser->problem_offset + bytes_skipped);
        pov_yaml_complain_at(file, line, 0, "not text in UTF-8 (%s); save it as UTF-8", problem);
        return;
    }
    int line = line_of(parser->problem_mark);
    const char *mend = is_indented_by_tab(&file->source, line)
                           ? "indent with spaces, not tabs"
                           : "check the indentation, colons, brackets and quotes there";
    if (parser->context && parser->context_mark.line != parser->problem_mark.line)
        pov_yaml_complain_at(file, line, 0, "not YAML: %s (%s from line %d); %s", problem, parser->context,
                             line_of(parser->context_mark), mend);
    else
        pov_yaml_complain_at(file, line, 0, "not YAML: %s; %s", problem, mend);
}

static void run(yaml_loader *loader, yaml_parser_t *parser, size_t bytes_skipped)
{
    for (bool more = true; more && !pov_yaml_failed(loader->file);) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            complain_of_syntax(loader, parser, bytes_skipped);
            return;
        }
        more = event.type != YAML_STREAM_END_EVENT;
        take_event(loader, &event);
        yaml_event_delete(&event);
    }
}

/* A byte order mark is skipped, and OpenCV's "%YAML:1.0", which YAML itself forbids, made a comment. */
static size_t prepare_parser(pov_bytes *source)
{
    size_t skipped = source->length >= 3 && memcmp(source->data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    if (source->length - skipped >= 6 && memcmp(source->data + skipped, "%YAML:", 6) == 0)
        source->data[skipped] = '#';
    return skipped;
}

static void check_top(pov_yaml_file *file)
{
    const pov_yaml_entry *top = &file->entries[1];
    if (file->entry_count < 2 || (top->kind == POV_YAML_SCALAR && !top->quoted && !file->arena[top->text]))
        pov_yaml_complain_at(file, 1, 0, "has no content; expected keys, as in \"key: value\"");
    else if (top->kind != POV_YAML_MAPPING)
        pov_yaml_complain_at(file, top->line, 0, "expected keys, as in \"key: value\"");
}

void pov_yaml_load(pov_yaml_file *file)
{
    yaml_loader loader = {.file = file};
    yaml_parser_t parser;
    file->entry_count = 1;
    if (!make_room(&loader, &file->entries, &file->entry_capacity, 1, sizeof *file->entries, 1))
        return;
    file->entries[0] = (pov_yaml_entry){.key = POV_YAML_NONE, .text = POV_YAML_NONE};
    if (!yaml_parser_initialize(&parser)) {
        pov_yaml_complain_at(file, 1, 0, "no memory left to read on");
        return;
    }
    size_t skipped = prepare_parser(&file->source);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, file->source.data + skipped, file->source.length - skipped);
    run(&loader, &parser, skipped);
    if (!pov_yaml_failed(file))
        check_top(file);
    yaml_parser_delete(&parser);
    free(loader.pending);
}
