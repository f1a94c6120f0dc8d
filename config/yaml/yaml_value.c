/* Scalars: text to values, and what to say when it is not one. */
#include "config/files/composed.h"
#include "config/files/nearest_name.h"
#include "config/files/utf8.h"
#include "config/yaml/yaml_file_internal.h"
#include "perception/scene/scene.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DESCRIPTION_CAPACITY = 100 };

typedef enum { NOT_A_NUMBER, NOT_FINITE, FINITE } number_kind;

static const char *text_of(pov_yaml_node node)
{
    return pov_yaml_entry_of(node)->kind == POV_YAML_SCALAR ? node.file->arena + pov_yaml_entry_of(node)->text
                                                            : NULL;
}

/* The text of an unquoted scalar, "" for anything else. */
static const char *plain_text_of(pov_yaml_node node)
{
    const char *text = text_of(node);
    return text && !pov_yaml_entry_of(node)->quoted ? text : "";
}

static const char *skip_digits(const char *text)
{
    while (isdigit((unsigned char)*text))
        text++;
    return text;
}

static bool is_special(const char *text)
{
    static const char *const names[] = {".nan", ".inf", "nan", "inf", "infinity"};
    text += *text == '-' || *text == '+';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(text, names[i]) == 0)
            return true;
    return false;
}

/* YAML 1.2.2 section 10.3.2: [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool is_number(const char *text)
{
    text += *text == '-' || *text == '+';
    const char *whole = text;
    text = skip_digits(text);
    bool has_digits = text > whole;
    if (*text == '.') {
        const char *fraction = text + 1;
        text = skip_digits(fraction);
        has_digits = has_digits || text > fraction;
    }
    if (has_digits && (*text == 'e' || *text == 'E')) {
        text += text[1] == '-' || text[1] == '+' ? 2 : 1;
        const char *exponent = text;
        text = skip_digits(text);
        has_digits = text > exponent;
    }
    return has_digits && *text == '\0';
}

static number_kind parse_number(double *number, const char *text)
{
    if (is_special(text))
        return NOT_FINITE;
    if (!is_number(text))
        return NOT_A_NUMBER;
    *number = strtod(text, NULL);
    return isfinite(*number) ? FINITE : NOT_FINITE;
}

/* The offending text, for "..., got %s". */
static void describe_node(char description[DESCRIPTION_CAPACITY], pov_yaml_node node)
{
    const char *text = text_of(node);
    char excerpt[60];
    double number;
    pov_yaml_excerpt(excerpt, sizeof excerpt, text ? text : "");
    if (!text)
        snprintf(description, DESCRIPTION_CAPACITY, "%s",
                 pov_yaml_entry_of(node)->kind == POV_YAML_SEQUENCE ? "a list" : "keys of its own");
    else if (pov_yaml_entry_of(node)->quoted)
        snprintf(description, DESCRIPTION_CAPACITY, "the quoted text \"%s\"", excerpt);
    else if (!*text)
        snprintf(description, DESCRIPTION_CAPACITY, "nothing");
    else if (parse_number(&number, text) != NOT_A_NUMBER)
        snprintf(description, DESCRIPTION_CAPACITY, "%s", excerpt);
    else
        snprintf(description, DESCRIPTION_CAPACITY, "\"%s\"", excerpt);
}

/* "; write e.g. radius_m: 0.6" */
static void complain_of_type(pov_yaml_node node, const char *expected, const char *example)
{
    char found[DESCRIPTION_CAPACITY], key[48];
    describe_node(found, node);
    pov_yaml_excerpt(key, sizeof key, pov_yaml_entry_key(node.file, pov_yaml_entry_of(node)));
    pov_yaml_complain(node, "expected %s, got %s; write e.g. %s%s%s", expected, found, key, *key ? ": " : "",
                      example);
}

static void complain_of_range(pov_yaml_node node, const char *expected)
{
    char found[DESCRIPTION_CAPACITY];
    describe_node(found, node);
    pov_yaml_complain(node, "expected %s, got %s", expected, found);
}

static void describe_range(char *range, size_t capacity, const char *what, double low, double high)
{
    if (isfinite(low) && isfinite(high))
        snprintf(range, capacity, "%s between %.10g and %.10g", what, low, high);
    else if (isfinite(low))
        snprintf(range, capacity, "%s of at least %.10g", what, low);
    else if (isfinite(high))
        snprintf(range, capacity, "%s of at most %.10g", what, high);
    else
        snprintf(range, capacity, "%s", what);
}

/* A number that would be taken. */
static double example_within(double typical, double low, double high)
{
    if (low <= typical && typical <= high)
        return typical;
    return isfinite(low) ? low : high;
}

/* 010 is 8 for readers of YAML 1.1, and 10 for those of 1.2. */
static bool refuse_octal(pov_yaml_node node)
{
    const char *text = plain_text_of(node), *digits = text + (*text == '-' || *text == '+');
    if (digits[0] != '0' || !isdigit((unsigned char)digits[1]) || *skip_digits(digits) != '\0')
        return false;
    char excerpt[40];
    const char *rest = digits + strspn(digits, "0");
    pov_yaml_excerpt(excerpt, sizeof excerpt, text);
    pov_yaml_complain(node,
                      "%s begins with a zero, which YAML 1.1 reads as octal and YAML 1.2 as decimal; write "
                      "%s%.30s for the decimal number",
                      excerpt, *text == '-' ? "-" : "", *rest ? rest : "0");
    return true;
}

void pov_yaml_number(double *value, pov_yaml_node node, double low, double high)
{
    if (!pov_yaml_is_live(node) || refuse_octal(node))
        return;
    char range[80], example[32];
    double number = 0;
    number_kind kind = parse_number(&number, plain_text_of(node));
    describe_range(range, sizeof range, kind == NOT_FINITE ? "a finite number" : "a number", low, high);
    snprintf(example, sizeof example, "%.10g", example_within(0.6, low, high));
    if (kind != FINITE)
        complain_of_type(node, range, example);
    else if (!(number >= low && number <= high))
        complain_of_range(node, range);
    else
        *value = number;
}

/* Whole numbers are written without a point; more digits than an int has are only out of range. */
static bool parse_integer(double *number, const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (*digits == '\0' || *skip_digits(digits) != '\0')
        return false;
    *number = strtod(text, NULL);
    return true;
}

void pov_yaml_integer(int *value, pov_yaml_node node, int low, int high)
{
    if (!pov_yaml_is_live(node) || refuse_octal(node))
        return;
    char range[80], example[32];
    double number = 0;
    describe_range(range, sizeof range, "a whole number", low, high);
    snprintf(example, sizeof example, "%d", (int)example_within(1, low, high));
    if (!parse_integer(&number, plain_text_of(node)))
        complain_of_type(node, range, example);
    else if (!(number >= low && number <= high))
        complain_of_range(node, range);
    else
        *value = (int)number;
}

void pov_yaml_bool(bool *value, pov_yaml_node node)
{
    if (!pov_yaml_is_live(node))
        return;
    const char *text = plain_text_of(node);
    if (strcmp(text, "true") == 0)
        *value = true;
    else if (strcmp(text, "false") == 0)
        *value = false;
    else
        complain_of_type(node, "true or false (yes, no, on and off are plain text in YAML 1.2)", "true");
}

bool pov_yaml_is_list(pov_yaml_node node)
{
    return pov_yaml_is_live(node) && pov_yaml_entry_of(node)->kind == POV_YAML_SEQUENCE;
}

bool pov_yaml_is_null(pov_yaml_node node)
{
    const char *text = pov_yaml_is_live(node) ? text_of(node) : NULL;
    return text && !pov_yaml_entry_of(node)->quoted &&
           (*text == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

void pov_yaml_string(const char **value, pov_yaml_node node)
{
    if (!pov_yaml_is_live(node))
        return;
    const char *text = text_of(node);
    if (!text || pov_yaml_is_null(node))
        complain_of_type(node, "text", "\"some text\"");
    else
        *value = text;
}

const char *pov_yaml_text(pov_yaml_node node)
{
    const char *text = "";
    pov_yaml_string(&text, node);
    return text;
}

const char *pov_yaml_id(pov_yaml_node node)
{
    const char *id = pov_yaml_text(node);
    const size_t len = strlen(id);
    if (!pov_yaml_failed(node.file) &&
        (len == 0 || len >= POV_NAME_CAPACITY ||
         strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") < len))
        pov_yaml_complain(node, "'%.40s' is not an id: letters, digits, _ and -, at most %d", id,
                          POV_NAME_CAPACITY - 1);
    return id;
}

int pov_yaml_length_within(pov_yaml_node sequence, int max, const char *what)
{
    const int len = pov_yaml_length(sequence);
    if (pov_yaml_exists(sequence) && !pov_yaml_failed(sequence.file) && (len == 0 || len > max))
        pov_yaml_complain(sequence, "expected 1 to %d %s, not %d", max, what, len);
    return len > max || pov_yaml_failed(sequence.file) ? 0 : len;
}

void pov_yaml_copy_string(char *value, size_t capacity, pov_yaml_node node)
{
    const char *text = NULL;
    pov_yaml_string(&text, node);
    if (!text)
        return;
    if (strlen(text) >= capacity)
        pov_yaml_complain(node, "has %zu bytes; at most %zu fit, shorten it", strlen(text), capacity - 1);
    else if (!pov_utf8_is_plain(text))
        pov_yaml_complain(node, "has control characters; write printable text, e.g. ball_1");
    else
        strcpy(value, text);
}

void pov_yaml_copy_filled(char *value, size_t capacity, pov_yaml_node node)
{
    if (pov_yaml_exists(node) && *pov_yaml_text(node) == '\0')
        pov_yaml_complain(node, "is empty; write a text, or leave the key out");
    else
        pov_yaml_copy_string(value, capacity, node);
}

void pov_yaml_copy_name(char *value, size_t capacity, pov_yaml_node node)
{
    pov_yaml_copy_string(value, capacity, node);
    if (!pov_yaml_is_live(node))
        return;
    if (!pov_utf8_is_visible(value))
        pov_yaml_complain(node, "has a character that shows nothing or turns the direction of writing; type "
                                "it again, without pasting");
    else if (!pov_utf8_is_composed(value))
        pov_yaml_complain(node, "has a letter whose accent is a character of its own (Unicode's form NFD), "
                                "and looks like another name; type it again, in the form NFC");
}

void pov_yaml_choice(int *value, pov_yaml_node node, const char *const names[], int count)
{
    const char *text = NULL;
    pov_yaml_string(&text, node);
    if (!text)
        return;
    for (int i = 0; i < count; i++)
        if (strcmp(text, names[i]) == 0) {
            *value = i;
            return;
        }
    char list[160], found[DESCRIPTION_CAPACITY];
    pov_yaml_join(list, sizeof list, names, count);
    describe_node(found, node);
    const char *nearest = pov_nearest_name(text, names, count);
    if (nearest)
        pov_yaml_complain(node, "expected one of %s; got %s, did you mean \"%s\"?", list, found, nearest);
    else
        pov_yaml_complain(node, "expected one of %s; got %s", list, found);
}

static bool check_length(pov_yaml_node node, int count)
{
    int length = pov_yaml_length(node);
    if (pov_yaml_is_live(node) && length != count)
        pov_yaml_complain(node, "expected a list of %d numbers, got %d", count, length);
    return pov_yaml_is_live(node);
}

void pov_yaml_numbers(double *values, pov_yaml_node node, int count, double low, double high)
{
    if (!pov_yaml_is_live(node) || !check_length(node, count))
        return;
    double ignored;
    for (int i = 0; i < count; i++)
        pov_yaml_number(&ignored, pov_yaml_at(node, i), low, high);
    for (int i = 0; i < count; i++) /* a no-op if one of them was refused */
        pov_yaml_number(&values[i], pov_yaml_at(node, i), low, high);
}

/* ---- vectors and rotations ---- */

/* Vectors and rotations. */

void pov_yaml_vec3(pov_vec3 *value, pov_yaml_node node, double low, double high)
{
    double numbers[3] = {value->x, value->y, value->z};
    pov_yaml_numbers(numbers, node, 3, low, high);
    *value = (pov_vec3){numbers[0], numbers[1], numbers[2]};
}

/* Three rows of three, or nine numbers. */
static void read_matrix(double m[3][3], pov_yaml_node node)
{
    int length = pov_yaml_length(node);
    if (length == 9) {
        pov_yaml_numbers(&m[0][0], node, 9, -2, 2);
        return;
    }
    if (length != 3) {
        pov_yaml_complain(node, "expected three rows of three numbers, got %d", length);
        return;
    }
    for (int row = 0; row < 3; row++)
        pov_yaml_numbers(m[row], pov_yaml_at(node, row), 3, -2, 2);
}

void pov_yaml_rotation(pov_rot *value, pov_yaml_node node)
{
    if (!pov_yaml_exists(node) || pov_yaml_failed(node.file))
        return;
    pov_rot R = {{{0}}};
    read_matrix(R.m, node);
    if (pov_yaml_failed(node.file))
        return;
    if (!pov_rot_is_valid(R, 1e-3))
        pov_yaml_complain(node, "is not a rotation: its rows must be of length 1, at right angles, and "
                                "right-handed, to within 0.001");
    else
        *value = pov_rot_nearest(R);
}
