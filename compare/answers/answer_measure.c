#include "compare/answers/answer_measure.h"

#include "config/files/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- units ---- */

static const struct {
    const char *name;
    double metres;
} units[] = {{"m", 1},       {"meter", 1},          {"metre", 1},
             {"cm", 0.01},   {"centimeter", 0.01},  {"centimetre", 0.01},
             {"mm", 0.001},  {"millimeter", 0.001}, {"millimetre", 0.001},
             {"dm", 0.1},    {"decimeter", 0.1},    {"decimetre", 0.1},
             {"km", 1000},   {"kilometer", 1000},   {"kilometre", 1000},
             {"in", 0.0254}, {"inch", 0.0254},      {"inche", 0.0254},
             {"ft", 0.3048}, {"foot", 0.3048},      {"feet", 0.3048},
             {"yd", 0.9144}, {"yard", 0.9144},      {"mile", 1609.344}};

static double find_unit(const char *name, size_t len)
{
    const size_t singular = len > 2 && (name[len - 1] == 's' || name[len - 1] == 'S') ? len - 1 : len;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (size_t n = len; n >= singular && n > 0; n--)
            if (strlen(units[i].name) == n && strncasecmp(units[i].name, name, n) == 0)
                return units[i].metres;
    return NAN;
}

double pov_length_unit_m(const char *name)
{
    return find_unit(name, strlen(name));
}

/* ---- what stands at a place; each moves on behind it, or leaves the place as it is ---- */

static const char *skip_space(const char *at)
{
    for (;; at++) {
        if (strncmp(at, "\xc2\xa0", 2) == 0 ||
            strncmp(at, "\xe2\x80\xaf", 3) == 0) /* spaces that do not break */
            at += *at == '\xe2' ? 2 : 1;
        else if (!isspace((unsigned char)*at))
            return at;
    }
}

static size_t word_length(const char *at)
{
    size_t len = 0;
    while (isalpha((unsigned char)at[len]))
        len++;
    return len;
}

static bool take_word(const char **at, const char *word)
{
    const char *from = skip_space(*at);
    const size_t len = word_length(from);
    if (len != strlen(word) || strncasecmp(from, word, len) != 0)
        return false;
    *at = from + len;
    return true;
}

static bool take_text(const char **at, const char *text)
{
    const size_t len = strlen(text);
    if (strncmp(*at, text, len) != 0)
        return false;
    *at += len;
    return true;
}

/* "3 in the box": what follows tells that this is no unit. */
static bool is_preposition(const char *behind)
{
    static const char *const words[] = {"the",     "this", "that",  "these", "those", "a",     "an",
                                        "total",   "all",  "front", "my",    "its",   "their", "each",
                                        "between", "it",   "his",   "her",   "your"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = behind;
        if (take_word(&at, words[i]))
            return true;
    }
    return false;
}

/* A unit, also behind a hyphen ("three-foot"). Signs of feet and inches stand right behind their number. */
static bool take_unit(const char **at, double *metres)
{
    static const struct {
        const char *sign;
        double metres;
    } signs[] = {{"''", 0.0254}, {"\"", 0.0254},           {"\xe2\x80\xb3", 0.0254}, {"\xe2\x80\x9d", 0.0254},
                 {"'", 0.3048},  {"\xe2\x80\xb2", 0.3048}, {"\xe2\x80\x99", 0.3048}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (take_text(at, signs[i].sign)) {
            *metres = signs[i].metres;
            return true;
        }
    const char *from = skip_space(**at == '-' ? *at + 1 : *at);
    const size_t len = word_length(from);
    const double found = len > 0 ? find_unit(from, len) : NAN;
    if (isnan(found) || (len == 2 && strncasecmp(from, "in", 2) == 0 && is_preposition(from + 2)))
        return false;
    *metres = found;
    *at = from + len;
    if (**at == '.' && len <= 2 && !isdigit((unsigned char)(*at)[1])) /* "12 in." */
        (*at)++;
    return true;
}

/* Digits with commas and points: a comma before exactly three digits parts thousands, but for "0,125". */
static bool take_digits(const char **at, double *value)
{
    char plain[64];
    size_t len = 0;
    const char *from = *at, *c = from;
    bool has_point = false;
    if (!isdigit((unsigned char)*c) && !(*c == '.' && isdigit((unsigned char)c[1])))
        return false;
    for (; isdigit((unsigned char)*c) || ((*c == '.' || *c == ',') && isdigit((unsigned char)c[1])); c++) {
        char as = *c;
        if (*c == ',' && !has_point) {
            const bool three =
                isdigit((unsigned char)c[2]) && isdigit((unsigned char)c[3]) && !isdigit((unsigned char)c[4]);
            if (three && c > from && !(*from == '0' && c == from + 1))
                continue;
            as = '.';
        }
        if (!isdigit((unsigned char)as)) {
            if (has_point)
                break;
            has_point = true;
        }
        if (len + 1 < sizeof plain) /* digits beyond a double's */
            plain[len++] = as;
        else if (!has_point)
            return false;
    }
    plain[len] = '\0';
    *value = strtod(plain, NULL);
    *at = c;
    return true;
}

static bool take_fraction_sign(const char **at, double *value)
{
    if (take_text(at, "\xc2\xbd"))
        *value = 0.5;
    else if (take_text(at, "\xc2\xbc"))
        *value = 0.25;
    else if (take_text(at, "\xc2\xbe"))
        *value = 0.75;
    else
        return false;
    return true;
}

/* "3", "1/2", "1 1/2", "2½". */
static bool take_numeral(const char **at, double *value)
{
    double more, below;
    const char *rest;
    if (take_fraction_sign(at, value))
        return true;
    if (!take_digits(at, value))
        return false;
    if (**at == '/' && (rest = *at + 1, take_digits(&rest, &below)) && below > 0) {
        *value /= below;
        *at = rest;
        return true;
    }
    rest = *at;
    if (take_fraction_sign(&rest, &more)) {
        *value += more;
        *at = rest;
    }
    rest = skip_space(*at);
    if (rest > *at && take_digits(&rest, &more) && *rest == '/' && (rest++, take_digits(&rest, &below)) &&
        below > more) {
        *value += more / below;
        *at = rest;
    }
    return true;
}

static bool take_number_word(const char **at, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"zero", 0},     {"one", 1},      {"two", 2},        {"three", 3},     {"four", 4},
                 {"five", 5},     {"six", 6},      {"seven", 7},      {"eight", 8},     {"nine", 9},
                 {"ten", 10},     {"eleven", 11},  {"twelve", 12},    {"thirteen", 13}, {"fourteen", 14},
                 {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19},
                 {"twenty", 20},  {"thirty", 30},  {"forty", 40},     {"fifty", 50},    {"sixty", 60},
                 {"seventy", 70}, {"eighty", 80},  {"ninety", 90},    {"hundred", 100}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (take_word(at, words[i].word)) {
            *value = words[i].value;
            return true;
        }
    return false;
}

/* "twenty-five", "two hundred and fifty". */
static bool take_number_words(const char **at, double *value)
{
    double next;
    if (!take_number_word(at, value))
        return false;
    for (;;) {
        const char *rest = *at;
        if (*rest == '-')
            rest++;
        else if (*value >= 100)
            (void)take_word(&rest, "and");
        if (!take_number_word(&rest, &next))
            return true;
        if (next == 100 && *value < 10)
            *value *= 100;
        else if (next < 10 && *value >= 20 && fmod(*value, 10) == 0)
            *value += next;
        else if (next < 100 && *value >= 100 && fmod(*value, 100) == 0)
            *value += next;
        else
            return true;
        *at = rest;
    }
}

/* "half", "half a", "a quarter of a". */
static bool take_part(const char **at, double *value)
{
    const char *from = *at;
    (void)take_word(&from, "a");
    if (take_word(&from, "half"))
        *value = 0.5;
    else if (take_word(&from, "quarter"))
        *value = 0.25;
    else
        return false;
    *at = from;
    (void)take_word(at, "of");
    if (!take_word(at, "a"))
        (void)take_word(at, "an");
    return true;
}

static bool take_half_more(const char **at, double *value)
{
    const char *from = *at;
    double part;
    if (!take_word(&from, "and") || !take_part(&from, &part))
        return false;
    *value += part;
    *at = from;
    return true;
}

/* A number; an article only where a unit follows. */
static bool take_number(const char **at, double *value)
{
    const char *from = skip_space(*at), *rest;
    double unit_m;
    if (take_numeral(&from, value) || take_number_words(&from, value)) {
        (void)take_half_more(&from, value);
        *at = from;
        return true;
    }
    rest = from;
    if (take_part(&rest, value) && (from = rest, take_unit(&rest, &unit_m))) {
        *at = from;
        return true;
    }
    from = skip_space(*at);
    if (!take_word(&from, "a") && !take_word(&from, "an"))
        return false;
    rest = from;
    *value = 1;
    if (!take_unit(&rest, &unit_m))
        return false;
    *at = from;
    return true;
}

/* ---- quantities ---- */

typedef struct {
    double value, unit_m; /* unit NaN: none is said */
} quantity;

static bool take_quantity(const char **at, quantity *q)
{
    double half = 0;
    if (!take_number(at, &q->value))
        return false;
    q->unit_m = NAN;
    if (take_unit(at, &q->unit_m) && take_half_more(at, &half)) /* "a metre and a half" */
        q->value += half;
    return true;
}

/* "5 ft 3 in", "1 m and 20 cm", "5'3\\"". "5'3" is five feet three, too. */
static void take_smaller_parts(const char **at, quantity *q)
{
    for (;;) {
        quantity part;
        const char *rest = *at;
        if (isnan(q->unit_m))
            return;
        if (*rest == ',')
            rest++;
        (void)take_word(&rest, "and");
        const bool is_close = rest == *at && isdigit((unsigned char)*rest);
        if (!take_quantity(&rest, &part))
            return;
        if (isnan(part.unit_m) && is_close && q->unit_m == 0.3048)
            part.unit_m = 0.0254;
        if (isnan(part.unit_m) || part.unit_m >= q->unit_m)
            return;
        q->value += part.value * part.unit_m / q->unit_m;
        *at = rest;
    }
}

static bool take_dash(const char **at)
{
    const char *from = skip_space(*at);
    if (!take_text(&from, "-") && !take_text(&from, "\xe2\x80\x93") && !take_text(&from, "\xe2\x80\x94") &&
        !take_text(&from, "~"))
        return false;
    *at = from;
    return true;
}

/* Takes the middle of a range. is_between: "and" joins its ends, too. */
static void take_range(const char **at, quantity *q, bool is_between)
{
    quantity end;
    const char *rest = *at;
    if (!take_dash(&rest) && !take_word(&rest, "to") && !(is_between && take_word(&rest, "and")))
        return;
    if (!take_quantity(&rest, &end))
        return;
    take_smaller_parts(&rest, &end);
    if (isnan(end.unit_m))
        end.unit_m = q->unit_m;
    if (isnan(q->unit_m))
        q->unit_m = end.unit_m;
    const double scale = isnan(q->unit_m) ? 1 : end.unit_m / q->unit_m;
    q->value = (q->value + end.value * scale) / 2;
    *at = rest;
}

/* ---- an answer ---- */

/* The first quantity with a unit; else the first number. False: there is none. */
static bool find_quantity(quantity *found, const char *text)
{
    bool has_number = false, is_between = false;
    const char *at = text;
    while (*(at = skip_space(at))) {
        quantity q;
        const char *rest = at;
        if (take_quantity(&rest, &q)) {
            take_smaller_parts(&rest, &q);
            take_range(&rest, &q, is_between);
            if (!has_number || !isnan(q.unit_m))
                *found = q;
            has_number = true;
            if (!isnan(q.unit_m))
                return true;
            at = rest;
            continue;
        }
        is_between = take_word(&rest, "between") || (is_between && !word_length(at));
        const size_t len = word_length(at);
        at += len > 0 ? len : 1;
        while (len > 0 && isdigit((unsigned char)*at)) /* "box2" is a name */
            at++;
    }
    return has_number;
}

/* Returns the answer without thoughts, from behind "Answer:" if that is marked. */
static char *take_conclusion(const char *answer)
{
    size_t from, length;
    bool is_marked;
    pov_answer_concluded(&from, &length, &is_marked, answer);
    if (!is_marked)
        pov_answer_said(&from, &length, answer);
    return pov_text_new("%.*s", (int)length, answer + from);
}

/* The reader of numbers tells why no quantity is said, and reads longer number words. */
static pov_answer_kind read_quantity(quantity *q, const char *answer)
{
    char *text = take_conclusion(answer);
    const bool found = find_quantity(q, text);
    free(text);
    if (found && isfinite(q->value))
        return POV_ANSWER_GIVEN;
    q->unit_m = NAN;
    const pov_answer_kind kind = pov_answer_number(&q->value, answer);
    return kind;
}

pov_answer_kind pov_answer_length(double *length_m, const char *answer, double asked_m)
{
    quantity q;
    const pov_answer_kind kind = read_quantity(&q, answer);
    *length_m = kind == POV_ANSWER_GIVEN ? q.value * (isnan(q.unit_m) ? asked_m : q.unit_m) : NAN;
    return kind;
}

pov_answer_kind pov_answer_quantity(double *number, const char *answer)
{
    quantity q;
    const pov_answer_kind kind = read_quantity(&q, answer);
    *number = kind == POV_ANSWER_GIVEN ? q.value : NAN;
    return kind;
}
