#include "config/yaml/yaml_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { NODES_MAX = 4096, DEPTH_MAX = 32, NONE = -1 };

typedef enum { SCALAR, LIST, MAPPING } node_kind;

/* A node's place in the text, in bytes. Children of a node are linked in the order of the text. */
typedef struct {
    node_kind kind;
    bool is_flow;
    int parent, next, first_child, last_child;
    size_t key_start, key_end; /* of a mapping's child */
    size_t start, end;
} node;

typedef struct {
    const char *text;
    size_t len;
    int node_len;
    node nodes[NODES_MAX];
    char *scalar_text[NODES_MAX], *key_text[NODES_MAX]; /* NULL: none */
    int open[DEPTH_MAX], depth;
    char *key; /* of the value to come */
    size_t key_start, key_end;
} document;

/* ---- reading ---- */

/* libyaml counts characters; nodes are told in the order of the text, so the walk goes on from the last one. */
typedef struct {
    size_t byte, character;
} cursor;

static size_t byte_at(const document *d, cursor *at, size_t character)
{
    if (character < at->character)
        *at = (cursor){0, 0};
    while (at->character < character && at->byte < d->len) {
        at->byte++;
        while (at->byte < d->len && ((unsigned char)d->text[at->byte] & 0xc0) == 0x80)
            at->byte++;
        at->character++;
    }
    return at->byte;
}

static bool awaits_key(const document *d)
{
    return d->depth > 0 && d->nodes[d->open[d->depth - 1]].kind == MAPPING && !d->key;
}

static int add_node(document *d, node_kind kind, size_t start, size_t end)
{
    if (d->node_len == NODES_MAX)
        return NONE;
    const int index = d->node_len++, parent = d->depth > 0 ? d->open[d->depth - 1] : NONE;
    d->nodes[index] = (node){.kind = kind,
                             .parent = parent,
                             .next = NONE,
                             .first_child = NONE,
                             .last_child = NONE,
                             .key_start = d->key_start,
                             .key_end = d->key_end,
                             .start = start,
                             .end = end};
    d->key_text[index] = d->key;
    d->key = NULL;
    if (parent != NONE) {
        node *of = &d->nodes[parent];
        if (of->first_child == NONE)
            of->first_child = index;
        else
            d->nodes[of->last_child].next = index;
        of->last_child = index;
    }
    return index;
}

static bool take_scalar(document *d, const yaml_event_t *event, size_t start, size_t end)
{
    char *copy = strdup((const char *)event->data.scalar.value);
    if (!copy)
        return false;
    if (awaits_key(d)) {
        if (start == end || d->text[end + strspn(d->text + end, " ")] != ':') {
            free(copy); /* "? key", and keys without a value */
            return false;
        }
        d->key = copy;
        d->key_start = start;
        d->key_end = end;
        return true;
    }
    const int index = add_node(d, SCALAR, start, end);
    if (index == NONE) {
        free(copy);
        return false;
    }
    d->scalar_text[index] = copy;
    return true;
}

static bool open_node(document *d, node_kind kind, bool is_flow, size_t start)
{
    const int index = d->depth < DEPTH_MAX && !awaits_key(d) ? add_node(d, kind, start, start) : NONE;
    if (index == NONE)
        return false;
    d->nodes[index].is_flow = is_flow;
    d->open[d->depth++] = index;
    return true;
}

/* In block style libyaml's end is where the next thing begins, behind comments: the last child's is taken. */
static bool close_node(document *d, size_t end)
{
    node *closed = &d->nodes[d->open[--d->depth]];
    closed->end = closed->is_flow              ? end
                  : closed->last_child != NONE ? d->nodes[closed->last_child].end
                                               : closed->start;
    return true;
}

static bool take_event(document *d, cursor *at, const yaml_event_t *event)
{
    const size_t start = byte_at(d, at, event->start_mark.index), end = byte_at(d, at, event->end_mark.index);
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(d, event, start, end);
    case YAML_MAPPING_START_EVENT:
        return open_node(d, MAPPING, event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE, start);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(d, LIST, event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE, start);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return close_node(d, end);
    case YAML_ALIAS_EVENT:
        return false;
    default:
        return true;
    }
}

static pov_status read_document(document *d, const char *text)
{
    yaml_parser_t parser;
    cursor at = {0, 0};
    bool goes_on = true;
    d->text = text;
    d->len = strlen(text);
    if (!yaml_parser_initialize(&parser))
        return pov_error("out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, d->len);
    while (goes_on) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            const pov_status status = pov_error("line %zu: %s", parser.problem_mark.line + 1,
                                                parser.problem ? parser.problem : "this is no YAML");
            yaml_parser_delete(&parser);
            return status;
        }
        goes_on = event.type != YAML_STREAM_END_EVENT;
        const bool taken = take_event(d, &at, &event);
        const size_t line = event.start_mark.line + 1;
        yaml_event_delete(&event);
        if (!taken) {
            yaml_parser_delete(&parser);
            return pov_error("line %zu: an alias, a key of an unusual form, or more than can be edited",
                             line);
        }
    }
    yaml_parser_delete(&parser);
    return d->node_len > 0 && d->nodes[0].kind == MAPPING ? pov_ok()
                                                          : pov_error("there is no mapping at the top");
}

static void free_document(document *d)
{
    for (int i = 0; i < d->node_len; i++) {
        free(d->scalar_text[i]);
        free(d->key_text[i]);
    }
    free(d->key);
    free(d);
}

/* ---- finding ---- */

static int child_named(const document *d, int of, const char *name)
{
    for (int i = d->nodes[of].first_child; i != NONE; i = d->nodes[i].next) {
        if (d->nodes[of].kind == MAPPING) {
            if (strcmp(d->key_text[i], name) == 0)
                return i;
            continue;
        }
        const int id = d->nodes[i].kind == MAPPING ? child_named(d, i, "id") : NONE;
        if (id != NONE && d->scalar_text[id] && strcmp(d->scalar_text[id], name) == 0)
            return i;
    }
    return NONE;
}

static bool is_empty(const document *d, int index)
{
    return d->nodes[index].kind == SCALAR && d->nodes[index].start == d->nodes[index].end;
}

/* ---- writing ---- */

static size_t line_start(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const char *text, size_t at)
{
    while (text[at] && text[at] != '\n')
        at++;
    return at;
}

/* Replaces the bytes [start, end) of the text. */
static pov_status splice(char **text, size_t start, size_t end, const char *by)
{
    const size_t len = strlen(*text), by_len = strlen(by);
    char *made = malloc(len - (end - start) + by_len + 1);
    if (!made)
        return pov_error("out of memory");
    memcpy(made, *text, start);
    memcpy(made + start, by, by_len);
    memcpy(made + start + by_len, *text + end, len - end + 1);
    free(*text);
    *text = made;
    return pov_ok();
}

typedef struct {
    int len;
    char *part[POV_YAML_PATH_PARTS_MAX];
} path_parts;

/* The entry that parts [at, len) name, with its value, in flow style: "b: {c: 1}". In a list, an item with that id. */
static void print_flow(FILE *stream, const path_parts *path, int at, const char *value, bool in_list)
{
    const bool is_last = at + 1 == path->len;
    if (in_list)
        fprintf(stream, "{id: %s%s", path->part[at], is_last ? "" : ", ");
    else
        fprintf(stream, "%s: %s", path->part[at], is_last ? value : "{");
    if (!is_last) {
        print_flow(stream, path, at + 1, value, false);
        fputc('}', stream);
    } else if (in_list) {
        fputc('}', stream);
    }
}

/* The same in block style, each line after a newline; `cast` is a list of ids by the station file's form. */
static void print_block(FILE *stream, const path_parts *path, int at, const char *value, size_t indent,
                        bool in_list)
{
    const bool is_last = at + 1 == path->len;
    fprintf(stream, "\n%*s%s%s%s%s", (int)indent, "", in_list ? "- id: " : "", path->part[at],
            in_list ? "" : ":", in_list || !is_last ? "" : " ");
    if (is_last && !in_list)
        fputs(value, stream);
    if (!is_last)
        print_block(stream, path, at + 1, value, indent + 2, !in_list && strcmp(path->part[at], "cast") == 0);
}

static pov_status insert(char **text, const document *d, int into, const path_parts *path, int at,
                         const char *value)
{
    const node *of = &d->nodes[into];
    char *made = NULL;
    size_t made_len, where;
    FILE *stream = open_memstream(&made, &made_len);
    if (!stream)
        return pov_error("out of memory");
    if (of->is_flow) {
        where = of->last_child == NONE ? of->start + 1 : d->nodes[of->last_child].end;
        fputs(of->last_child == NONE ? "" : ", ", stream);
        print_flow(stream, path, at, value, of->kind == LIST);
    } else {
        where = line_end(d->text, of->end);
        const size_t begin = of->kind == MAPPING ? d->nodes[of->first_child].key_start : of->start;
        print_block(stream, path, at, value, begin - line_start(d->text, begin), of->kind == LIST);
    }
    pov_status status = fclose(stream) == 0 ? pov_ok() : pov_error("out of memory");
    POV_THEN(status, splice(text, where, where, made));
    free(made);
    return status;
}

/* Something in place of a key's empty value, or of any value: from behind the colon on. */
static pov_status fill_key(char **text, const document *d, int index, const path_parts *path, int at,
                           const char *value)
{
    const node *n = &d->nodes[index];
    const bool in_flow = d->nodes[n->parent].is_flow;
    char *made = NULL;
    size_t made_len;
    FILE *stream = open_memstream(&made, &made_len);
    if (!stream)
        return pov_error("out of memory");
    if (at >= path->len) {
        fprintf(stream, " %s", value);
    } else if (in_flow) {
        fputs(" {", stream);
        print_flow(stream, path, at, value, false);
        fputc('}', stream);
    } else {
        const size_t indent = n->key_start - line_start(d->text, n->key_start);
        print_block(stream, path, at, value, indent + 2, strcmp(path->part[at - 1], "cast") == 0);
    }
    pov_status status = fclose(stream) == 0 ? pov_ok() : pov_error("out of memory");
    const size_t colon = n->key_end + strcspn(d->text + n->key_end, ":") + 1;
    POV_THEN(status, splice(text, colon, n->end > colon ? n->end : colon, made));
    free(made);
    return status;
}

static pov_status replace_value(char **text, const document *d, int index, const path_parts *path,
                                const char *value)
{
    const node *n = &d->nodes[index];
    if (d->key_text[index])
        return fill_key(text, d, index, path, path->len, value);
    return splice(text, n->start, n->end, value);
}

static pov_status remove_entry(char **text, const document *d, int index)
{
    const node *n = &d->nodes[index], *of = &d->nodes[n->parent];
    size_t start = d->key_text[index] ? n->key_start : n->start, end = n->end;
    if (!of->is_flow && of->first_child == of->last_child && of->parent != NONE)
        return remove_entry(text, d, n->parent); /* nothing is left of it */
    if (!of->is_flow && of->first_child == of->last_child)
        return pov_error("nothing would be left");
    if (!of->is_flow) {
        start = line_start(d->text, start);
        /* "- id: x" with further lines: the dash stays where it is, with the next entry. */
        const size_t dash = start + strspn(d->text + start, " ");
        const bool leads_item = of->kind == MAPPING && d->text[dash] == '-' && of->first_child == index;
        if (leads_item)
            return splice(text, n->key_start, d->nodes[n->next].key_start, "");
        end = line_end(d->text, end);
        return splice(text, start, d->text[end] ? end + 1 : end, "");
    }
    if (n->next != NONE) {
        const node *next = &d->nodes[n->next];
        end = d->key_text[n->next] ? next->key_start : next->start;
    } else {
        while (start > of->start + 1 && strchr(" ,\n", d->text[start - 1]))
            start--;
    }
    return splice(text, start, end, "");
}

/* ---- ---- */

static bool split_path(path_parts *path, char *words)
{
    path->len = 0;
    for (char *rest = words, *part; (part = strsep(&rest, ".")) != NULL; path->part[path->len++] = part)
        if (path->len == POV_YAML_PATH_PARTS_MAX || !*part)
            return false;
    return true;
}

/* Walks along the path as far as the text has it; returns the node there. Out: at: how many parts that were. */
static int follow(const document *d, int *at, const path_parts *path)
{
    int index = 0;
    for (*at = 0; *at < path->len; ++*at) {
        const int child = d->nodes[index].kind == SCALAR ? NONE : child_named(d, index, path->part[*at]);
        if (child == NONE)
            break;
        index = child;
    }
    return index;
}

static pov_status apply(char **text, const document *d, const path_parts *path, const char *value)
{
    int at;
    const int index = follow(d, &at, path);
    if (at == path->len)
        return value ? replace_value(text, d, index, path, value) : remove_entry(text, d, index);
    if (!value)
        return pov_ok(); /* it is not there */
    if (is_empty(d, index) && d->key_text[index])
        return fill_key(text, d, index, path, at, value);
    if (d->nodes[index].kind == SCALAR)
        return pov_error("'%s' is a single value and has no '%s'", path->part[at - 1], path->part[at]);
    if (d->nodes[index].first_child == NONE && !d->nodes[index].is_flow)
        return pov_error("'%s' has nothing to add to", at > 0 ? path->part[at - 1] : "the file");
    return insert(text, d, index, path, at, value);
}

/* Layouts that editing does not know (tabs, odd indents) show in what comes of it. */
static bool is_as_wanted(const char *text, const char *path, bool has)
{
    document *d = calloc(1, sizeof *d);
    POV_REQUIRE_MEMORY(d);
    const bool good = read_document(d, text).code == POV_OK && pov_yaml_has(text, path) == has;
    free_document(d);
    return good;
}

pov_status pov_yaml_edit(char **text, const char *path, const char *value)
{
    path_parts parts;
    char *words = strdup(path);
    document *d = calloc(1, sizeof *d);
    POV_REQUIRE(words && d && split_path(&parts, words));
    char *copy = strdup(*text); /* the document's marks are of the old text */
    pov_status status = copy ? read_document(d, copy) : pov_error("out of memory");
    POV_THEN(status, apply(text, d, &parts, value));
    if (status.code == POV_OK && !is_as_wanted(*text, path, value != NULL)) {
        status = pov_error("'%s' cannot be set in the way this file is laid out; write it by hand", path);
        free(*text);
        *text = copy;
        copy = NULL;
    }
    free_document(d); /* which borrows no text any more */
    free(copy);
    free(words);
    return status;
}

bool pov_yaml_has(const char *text, const char *path)
{
    path_parts parts;
    int at = 0;
    char *words = strdup(path);
    document *d = calloc(1, sizeof *d);
    POV_REQUIRE(words && d && split_path(&parts, words));
    const bool has = read_document(d, text).code == POV_OK && (follow(d, &at, &parts), at == parts.len);
    free_document(d);
    free(words);
    return has;
}

char *pov_yaml_quote(const char *words)
{
    char *text = NULL;
    size_t len;
    FILE *stream = open_memstream(&text, &len);
    if (!stream)
        return NULL;
    fputc('"', stream);
    for (; *words; words++) {
        const unsigned char c = (unsigned char)*words;
        if (c == '"' || c == '\\')
            fprintf(stream, "\\%c", c);
        else if (c < 32)
            fprintf(stream, "\\x%02x", c);
        else
            fputc(c, stream);
    }
    fputc('"', stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}
