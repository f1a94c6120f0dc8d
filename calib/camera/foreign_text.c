#include "calib/camera/foreign_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { XML_DEPTH_MAX = 16 };

/** The text that is read, and the text that is written. */
typedef struct {
    const char *name, *at, *end;
    char *text;
    size_t length, capacity;
} rewriter;

/* ---- text ---- */

static void put(rewriter *r, const char *text, size_t length)
{
    if (r->length + length + 1 > r->capacity) {
        r->capacity = 2 * r->capacity + length + 1;
        r->text = realloc(r->text, r->capacity);
        POV_REQUIRE_MEMORY(r->text);
    }
    if (length > 0)
        memcpy(r->text + r->length, text, length);
    r->length += length;
    r->text[r->length] = '\0';
}

static void put_text(rewriter *r, const char *text)
{
    put(r, text, strlen(text));
}

/* The newlines of what is left out. */
static void put_newlines(rewriter *r, const char *from, const char *to)
{
    for (; from < to; from++)
        if (*from == '\n')
            put(r, "\n", 1);
}

static int line_of(const rewriter *r, const char *start)
{
    int line = 1;
    for (const char *at = start; at < r->at; at++)
        line += *at == '\n';
    return line;
}

static bool starts_with(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

/* The first place of a word, or `end`. */
static const char *find_word(const char *at, const char *end, const char *word)
{
    while (at < end && !starts_with(at, end, word))
        at++;
    return at;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

/* Behind blanks and comments from a '#' to the end of its line. */
static const char *skip_comments(const char *at, const char *end)
{
    for (at = skip_blanks(at, end); at < end && *at == '#'; at = skip_blanks(at, end))
        at = find_word(at, end, "\n");
    return at;
}

static bool is_number(const char *from, const char *to)
{
    for (const char *at = from; at < to; at++)
        if (!isdigit((unsigned char)*at) && *at != '+' && *at != '-' && *at != '.' && *at != 'e' &&
            *at != 'E')
            return false;
    return from < to && *from != 'e' && *from != 'E';
}

/* Words that blanks part, with commas between them. */
static void put_list(rewriter *r, const char *from, const char *to)
{
    bool is_first = true;
    while (from < to) {
        const char *word = skip_blanks(from, to), *end = word;
        while (end < to && !isspace((unsigned char)*end))
            end++;
        put_newlines(r, from, word);
        if (end > word && !is_first)
            put(r, ", ", 2);
        put(r, word, (size_t)(end - word));
        is_first &= end == word;
        from = end;
    }
}

static void put_quoted(rewriter *r, const char *from, const char *to)
{
    put(r, "\"", 1);
    for (; from < to; from++) {
        if (*from == '"' || *from == '\\')
            put(r, "\\", 1);
        put(r, from, 1);
    }
    put(r, "\"", 1);
}

/* ---- XML ---- */

/** An open element: keys in a mapping or, of elements <_>, a list. */
typedef struct {
    int depth;
    char closer[XML_DEPTH_MAX];
} xml_stack;

/* An element's text: a matrix's numbers, or one number or text. */
static void put_leaf(rewriter *r, const char *from, const char *to, bool is_list)
{
    const char *word = skip_blanks(from, to), *end = to;
    while (end > word && isspace((unsigned char)end[-1]))
        end--;
    if (is_list) {
        put(r, "[", 1);
        put_list(r, from, to);
        put(r, "]", 1);
        return;
    }
    put_newlines(r, from, word);
    if (is_number(word, end))
        put(r, word, (size_t)(end - word));
    else
        put_quoted(r, word, end);
    put_newlines(r, end, to);
}

/* From '<' to behind '>'; NULL: it does not end. */
static const char *behind_tag(const rewriter *r)
{
    const bool is_comment = starts_with(r->at, r->end, "<!--");
    const char *end = find_word(r->at, r->end, is_comment ? "-->" : ">");
    return end < r->end ? end + (is_comment ? 3 : 1) : NULL;
}

static bool open_element(rewriter *r, xml_stack *stack, const char *after)
{
    const char *name = r->at + 1, *name_end = name;
    while (name_end < after && (isalnum((unsigned char)*name_end) || *name_end == '_' || *name_end == '-'))
        name_end++;
    const bool is_root = stack->depth == 0, is_item = starts_with(name, after, "_>");
    const char *next = find_word(after, r->end, "<");
    if (name_end == name || stack->depth == XML_DEPTH_MAX)
        return false;
    if (!is_root && !is_item) {
        put_quoted(r, name, name_end);
        put(r, ": ", 2);
    }
    put_newlines(r, r->at, after);
    r->at = after;
    if (!is_root && after[-2] == '/') {
        put_text(r, "\"\",");
        return true;
    }
    if (!is_root && starts_with(next, r->end, "</")) {
        put_leaf(r, after, next, starts_with(name, name_end, "data"));
        r->at = next;
        stack->closer[stack->depth++] = ',';
        return true;
    }
    const bool is_list = starts_with(next, r->end, "<_>");
    put(r, is_list ? "[" : "{", 1);
    stack->closer[stack->depth++] = is_list ? ']' : '}';
    return true;
}

static bool close_element(rewriter *r, xml_stack *stack, const char *after)
{
    if (stack->depth == 0)
        return false;
    const char closer = stack->closer[--stack->depth];
    put(r, &closer, 1);
    if (closer != ',' && stack->depth > 0)
        put(r, ",", 1);
    put_newlines(r, r->at, after);
    r->at = after;
    return true;
}

static pov_status convert_xml(rewriter *r)
{
    xml_stack stack = {0};
    const char *start = r->at;
    while (r->at < r->end) {
        const char *tag = find_word(r->at, r->end, "<");
        put_newlines(r, r->at, tag);
        r->at = tag;
        if (tag == r->end)
            break;
        const char *after = behind_tag(r);
        const char kind = after && after - tag > 2 ? tag[1] : '\0';
        bool is_good = after != NULL;
        if (is_good && (kind == '?' || kind == '!')) {
            put_newlines(r, tag, after);
            r->at = after;
        } else if (is_good)
            is_good = kind == '/' ? close_element(r, &stack, after) : open_element(r, &stack, after);
        if (!is_good)
            return pov_error("%s:%d: this is not XML as OpenCV's FileStorage writes it", r->name,
                             line_of(r, start));
    }
    return stack.depth == 0 ? pov_ok()
                            : pov_error("%s: the XML ends within an element; is the file whole?", r->name);
}

/* ---- ROS's .ini ---- */

/* Each key stands in a line of its own, its numbers in those below. */
typedef struct {
    const char *key, *as, *end;
} ini_key;

static const ini_key ini_keys[] = {
    {"width", "\"width\": ", ", "},           {"height", "\"height\": ", ", "},
    {"camera matrix", "\"k\": [", "], "},     {"distortion", "\"d\": [", "], "},
    {"rectification", "\"r\": [", "], "},     {"projection", "\"p\": [", "], "},
    {"externals", "\"externals\": [", "], "},
};

static const ini_key *find_ini_key(const char *word, const char *end)
{
    for (size_t i = 0; i < sizeof ini_keys / sizeof *ini_keys; i++)
        if ((size_t)(end - word) == strlen(ini_keys[i].key) && starts_with(word, end, ini_keys[i].key))
            return &ini_keys[i];
    return NULL;
}

/* One line, without the blanks about it. In/out: key: whose numbers are being read; NULL: none's. False: an unknown key. */
static bool convert_ini_line(rewriter *r, const ini_key **key, bool *has_numbers, const char *from,
                             const char *to)
{
    const bool is_number_line = from < to && is_number(from, from + 1);
    if (from == to || *from == '#')
        return true;
    if (is_number_line && *key) {
        if (*has_numbers)
            put(r, ", ", 2);
        put_list(r, from, to);
    } else if (*key) {
        put_text(r, (*key)->end);
        *key = NULL;
    }
    *has_numbers = is_number_line;
    if (is_number_line || *from == '[')
        return true;
    *key = find_ini_key(from, to);
    if (*key)
        put_text(r, (*key)->as);
    return *key != NULL;
}

static pov_status convert_ini(rewriter *r)
{
    const ini_key *key = NULL;
    const char *start = r->at;
    bool has_numbers = false;
    put(r, "{", 1);
    while (r->at < r->end) {
        const char *newline = find_word(r->at, r->end, "\n"), *from = skip_blanks(r->at, newline),
                   *to = newline;
        while (to > from && isspace((unsigned char)to[-1]))
            to--;
        if (!convert_ini_line(r, &key, &has_numbers, from, to))
            return pov_error("%s:%d: unknown key; ROS's .ini has width, height, camera matrix, distortion, "
                             "rectification and projection",
                             r->name, line_of(r, start));
        r->at = newline < r->end ? newline + 1 : newline;
        put_newlines(r, newline, r->at);
    }
    if (key)
        put_text(r, key->end);
    put(r, "}", 1);
    return pov_ok();
}

/* ---- mrcal ---- */

/* A dictionary of Python is YAML but for its bytes, b'...', which hold mrcal's own inputs. */
static pov_status convert_mrcal(rewriter *r)
{
    while (r->at < r->end) {
        const char at = *r->at;
        const bool is_bytes = at == 'b' && r->end - r->at > 1 && (r->at[1] == '\'' || r->at[1] == '"');
        const char *from = r->at + is_bytes, quote = *from;
        const char *to = from + 1;
        if (at == '#')
            to = find_word(r->at, r->end, "\n");
        else if (quote == '\'' || quote == '"') {
            while (to < r->end && *to != quote)
                to += *to == '\\' && to + 1 < r->end ? 2 : 1;
            to += to < r->end;
        }
        if (is_bytes) {
            put_text(r, "\"\"");
            put_newlines(r, from, to);
        } else
            put(r, from, (size_t)(to - from));
        r->at = to;
    }
    return pov_ok();
}

/* ---- messages ---- */

/* `ros2 topic echo` puts a line --- behind each message. */
static pov_status take_first_message(rewriter *r)
{
    const char *next = find_word(r->at, r->end, "\n---");
    put(r, r->at, (size_t)((next < r->end ? next + 1 : next) - r->at));
    return pov_ok();
}

static pov_status copy_text(rewriter *r)
{
    put(r, r->at, (size_t)(r->end - r->at));
    return pov_ok();
}

pov_status pov_foreign_text_convert(pov_foreign_text *converted, const char *name, const char *text,
                                    size_t length)
{
    rewriter r = {.name = name, .at = text, .end = text + length};
    const char *first = skip_comments(text, text + length), *end = text + length;
    put(&r, "", 0);
    const pov_status status = starts_with(first, end, "<?xml") || starts_with(first, end, "<opencv_storage")
                                  ? convert_xml(&r)
                              : starts_with(first, end, "[image]")        ? convert_ini(&r)
                              : find_word(text, end, "'lensmodel'") < end ? convert_mrcal(&r)
                              : starts_with(first, end, "header:")        ? take_first_message(&r)
                                                                          : copy_text(&r);
    *converted = (pov_foreign_text){r.text, r.length};
    if (status.code != POV_OK) {
        free(r.text);
        *converted = (pov_foreign_text){0};
    }
    return status;
}
