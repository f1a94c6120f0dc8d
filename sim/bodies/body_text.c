/* The text is read and executed at once: there is no tree. A function is found by its name, a loop reads its block again. */
#include "sim/bodies/body_text.h"

#include "perception/geometry/random.h"
#include "sim/bodies/patterns.h"
#include "sim/bodies/shapes.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Chosen: several times what the catalogue needs. */
enum { VALUES_MAX = 400, VARIABLES_MAX = 200, FUNCTIONS_MAX = 200, DEPTH_MAX = 40 };

/* A part of the text. */
typedef struct {
    const char *text;
    int len;
} word;

/* A number, or a brush. */
typedef struct {
    bool is_brush;
    double number;
    pov_brush brush;
} value;

typedef struct {
    word name;
    value value;
} variable;

typedef struct {
    pov_body *body;
    const pov_embedded_file *file; /* that `at` is in */
    const char *at;
    pov_status status; /* of the first fault: then `at` is at the text's end */
    int variable_len, frame;
    variable
        variables[VARIABLES_MAX]; /* those from `frame` on are the function's own; it sees its callers' too */
    int function_len;
    struct {
        const pov_embedded_file *file;
        const char *name;
    } functions[FUNCTIONS_MAX];
    int value_len, depth;
    value values[VALUES_MAX]; /* arguments of the calls that are being read */
    int point_len;
    double points[VALUES_MAX]; /* given to the next part by `point` */
} reader;

__attribute__((format(printf, 2, 3))) static void complain(reader *r, const char *format, ...)
{
    if (r->status.code != POV_OK)
        return;
    int line = 1;
    for (const char *c = (const char *)r->file->bytes; c < r->at; c++)
        line += *c == '\n';
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    r->status = pov_error("%s, line %d: %s", r->file->name, line, what);
    r->at += strlen(r->at);
}

/* ---- words ---- */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void skip_blanks(reader *r)
{
    for (; isspace((unsigned char)*r->at) || *r->at == '#'; r->at++)
        if (*r->at == '#')
            r->at += strcspn(r->at, "\n") - 1;
}

/* Takes a sign if it comes next; a sign of letters only as a whole word. */
static bool take_sign(reader *r, const char *sign)
{
    const size_t len = strlen(sign);
    skip_blanks(r);
    if (strncmp(r->at, sign, len) != 0 || (is_name(*sign) && is_name(r->at[len])))
        return false;
    r->at += len;
    return true;
}

static void expect_sign(reader *r, const char *sign)
{
    if (!take_sign(r, sign))
        complain(r, "'%s' is missing", sign);
}

static word take_name(reader *r)
{
    word name = {r->at, 0};
    skip_blanks(r);
    for (name.text = r->at; is_name(*r->at); r->at++)
        name.len++;
    if (name.len == 0)
        complain(r, "a name is missing");
    return name;
}

static bool is_same(word a, const char *text)
{
    return strncmp(a.text, text, (size_t)a.len) == 0 && !is_name(text[a.len]);
}

/* ---- variables ---- */

static variable *find_variable(reader *r, word name, int from)
{
    for (int i = r->variable_len - 1; i >= from; i--)
        if (r->variables[i].name.len == name.len && is_same(name, r->variables[i].name.text))
            return &r->variables[i];
    return NULL;
}

static void set_variable(reader *r, word name, value new)
{
    variable *own = find_variable(r, name, r->frame);
    if (!own && r->variable_len == VARIABLES_MAX)
        complain(r, "more than %d variables", VARIABLES_MAX);
    else if (!own)
        r->variables[r->variable_len++] = (variable){name, new};
    else
        own->value = new;
}

static value number_of(double number)
{
    return (value){.number = number};
}

static void set_number(reader *r, const char *name, double number)
{
    set_variable(r, (word){name, (int)strlen(name)}, number_of(number));
}

/* ---- parts, and what else a text may call ---- */

typedef struct call call;

/* A call takes so many brushes, numbers, and numbers in each further group (0: none; parts with groups take points, too). */
typedef struct {
    const char *name;
    int brushes, numbers, group;
    value (*run)(const call *c);
    double (*one)(double); /* or a function of one number, or two */
    double (*two)(double, double);
    int axis;
} builtin;

/* A call's arguments. */
struct call {
    const builtin *what;
    reader *r;
    double unit_m; /* of lengths: the variable `unit` */
    int brush_len, len;
    pov_brush brush[2];
    double number[VALUES_MAX + 8];
};

static pov_vec3 vector_at(const call *c, int i)
{
    return (pov_vec3){c->number[i] * c->unit_m, c->number[i + 1] * c->unit_m, c->number[i + 2] * c->unit_m};
}

static pov_vec2 pair_at(const call *c, int i)
{
    return (pov_vec2){c->number[i] * c->unit_m, c->number[i + 1] * c->unit_m};
}

static value brush_of(pov_brush brush)
{
    return (value){.is_brush = true, .brush = brush};
}

static value do_at(const call *c)
{
    return brush_of(pov_brush_at(c->brush[0], vector_at(c, 0)));
}

/* By degrees about an axis; about y positive ones tip the front down. */
static value do_turned(const call *c)
{
    double turn_rad[3] = {0};
    turn_rad[c->what->axis] = c->number[0] * POV_PI / 180;
    return brush_of(pov_brush_turned(c->brush[0], (pov_vec3){turn_rad[0], turn_rad[1], turn_rad[2]}));
}

static value do_faceted(const call *c)
{
    pov_brush brush = c->brush[0];
    brush.sides = (int)c->number[0];
    return brush_of(brush);
}

static value do_painted(const call *c)
{
    pov_brush brush = c->brush[0];
    brush.material = c->brush[1].material;
    return brush_of(brush);
}

static value do_paint(const call *c)
{
    return brush_of(pov_brush_new(c->r->body->model, (uint32_t)c->number[0], c->number[1]));
}

static value do_pattern(const call *c)
{
    const int i = (int)c->number[0];
    uint8_t pixels[3 * POV_PATTERN_PIXELS_MAX];
    if (i < 0 || i >= POV_PATTERN_COUNT) {
        complain(c->r, "there is no such pattern");
        return number_of(0);
    }
    const pov_pattern *pattern = &POV_PATTERNS[i];
    pattern->draw(pixels);
    const pov_texture texture = {
        .width_px = pattern->width_px, .height_px = pattern->height_px, .pixels = pixels};
    return brush_of(pov_brush_textured(c->r->body->model, &texture, (uint32_t)c->number[1], c->number[2]));
}

static value do_box(const call *c)
{
    pov_shape_box(c->brush[0], vector_at(c, 0), c->number[3] * c->unit_m);
    return number_of(0);
}

static value do_ellipsoid(const call *c)
{
    pov_shape_ellipsoid(c->brush[0], vector_at(c, 0));
    return number_of(0);
}

static value do_rod(const call *c)
{
    pov_shape_rod(c->brush[0], vector_at(c, 0), vector_at(c, 3), c->number[6] * c->unit_m);
    return number_of(0);
}

static value do_lathe(const call *c)
{
    pov_vec2 profile[VALUES_MAX];
    for (int i = 1; i < c->len; i += 2)
        profile[i / 2] = pair_at(c, i);
    pov_shape_lathe(c->brush[0], profile, c->len / 2, (int)c->number[0]);
    return number_of(0);
}

static value do_plate(const call *c)
{
    pov_vec2 outline[VALUES_MAX];
    for (int i = 1; i < c->len; i += 2)
        outline[i / 2] = pair_at(c, i);
    pov_shape_plate(c->brush[0], outline, c->len / 2, c->number[0] * c->unit_m);
    return number_of(0);
}

static value do_tube(const call *c)
{
    pov_vec3 path[VALUES_MAX];
    for (int i = 1; i < c->len; i += 3)
        path[i / 3] = vector_at(c, i);
    pov_shape_tube(c->brush[0], path, c->len / 3, c->number[0] * c->unit_m);
    return number_of(0);
}

/* Styles of lofts, which begin with sides, steps, squareness and whether rings lie level. */
static const struct {
    const char *name;
    double style[4];
} styles[] = {
    {"ROUND", {12, 3, 2, 0}},  {"SQUARE", {20, 2, 5, 0}}, {"LEVEL", {20, 2, 5, 1}},
    {"PIPE", {10, 2, 2, 0}},   {"PILLAR", {8, 2, 2, 0}},  {"SEAM", {4, 1, 2, 0}},
    {"LIMB", {12, 2, 2.3, 1}}, {"SHOE", {12, 2, 3, 0}},   {"BEAK", {14, 3, 2.5, 0}},
};

enum { STYLES = sizeof styles / sizeof *styles };

static value do_loft(const call *c)
{
    pov_ring rings[VALUES_MAX];
    const double *style = c->number;
    for (int i = 4; i < c->len; i += 5)
        rings[i / 5] = (pov_ring){vector_at(c, i), pair_at(c, i + 3)};
    pov_shape_loft(
        c->brush[0], rings, c->len / 5,
        (pov_loft){
            .sides = (int)style[0], .steps = (int)style[1], .squareness = style[2], .level = style[3] != 0});
    return number_of(0);
}

static value do_skin(const call *c)
{
    pov_bone bones[VALUES_MAX];
    for (int i = 2; i < c->len; i += 9)
        bones[i / 9] = (pov_bone){vector_at(c, i), vector_at(c, i + 3), c->number[i + 6] * c->unit_m,
                                  c->number[i + 7] * c->unit_m, c->number[i + 8] != 0};
    pov_shape_skin(c->brush[0], bones, c->len / 9, c->number[0] * c->unit_m, c->number[1] * c->unit_m);
    return number_of(0);
}

/* A leg below the body: joints, `side` of the middle, each with its radius. */
static value do_limb(const call *c)
{
    pov_ring rings[VALUES_MAX];
    for (int i = 1; i < c->len; i += 4) {
        const double radius_m = c->number[i + 3] * c->unit_m;
        rings[i / 4] = (pov_ring){vector_at(c, i), {radius_m, radius_m * 1.15}};
        rings[i / 4].centre_m.y *= c->number[0];
    }
    pov_shape_loft(c->brush[0], rings, c->len / 4, (pov_loft){.sides = 10, .steps = 2, .squareness = 2});
    return number_of(0);
}

/* Points of the next part. */
static value do_point(const call *c)
{
    reader *r = c->r;
    if (r->point_len + c->len > VALUES_MAX)
        complain(r, "more than %d numbers in points", VALUES_MAX);
    for (int i = 0; i < c->len && r->status.code == POV_OK; i++)
        r->points[r->point_len++] = c->number[i];
    return number_of(0);
}

static value do_shade(const call *c)
{
    uint32_t shaded = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        const double channel = fmin(255, fmax(0, (((uint32_t)c->number[0] >> shift) & 0xFF) * c->number[1]));
        shaded |= (uint32_t)channel << shift;
    }
    return number_of(shaded);
}

static value do_vary(const call *c)
{
    const double low = c->number[0], high = c->number[1];
    pov_body *body = c->r->body;
    return number_of(body->variant == 0
                         ? (low + high) / 2
                         : low + (high - low) * pov_random_fraction(pov_random_next(&body->random)));
}

uint32_t pov_body_pick(pov_body *body, const uint32_t colours[], int len)
{
    POV_REQUIRE(len > 0);
    return colours[body->variant == 0 ? 0 : pov_random_next(&body->random) % (uint64_t)len];
}

static value do_pick(const call *c)
{
    uint32_t colours[VALUES_MAX];
    for (int i = 0; i < c->len; i++)
        colours[i] = (uint32_t)c->number[i];
    return number_of(pov_body_pick(c->r->body, colours, c->len));
}

static value do_choose(const call *c)
{
    if (!(c->number[0] >= 0 && c->number[0] < c->len - 1)) {
        complain(c->r, "choose: no entry %g of %d", c->number[0], c->len - 1);
        return number_of(0);
    }
    return number_of(c->number[1 + (int)c->number[0]]);
}

static const builtin builtins[] = {
    {"at", 1, 3, 0, .run = do_at},
    {"rolled", 1, 1, 0, .run = do_turned, .axis = 0},
    {"pitched", 1, 1, 0, .run = do_turned, .axis = 1},
    {"yawed", 1, 1, 0, .run = do_turned, .axis = 2},
    {"faceted", 1, 1, 0, .run = do_faceted},
    {"painted", 2, 0, 0, .run = do_painted},
    {"paint", 0, 2, 0, .run = do_paint},
    {"pattern", 0, 3, 0, .run = do_pattern},
    {"box", 1, 4, 0, .run = do_box},
    {"rod", 1, 7, 0, .run = do_rod},
    {"ellipsoid", 1, 3, 0, .run = do_ellipsoid},
    {"lathe", 1, 1, 2, .run = do_lathe},
    {"plate", 1, 1, 2, .run = do_plate},
    {"tube", 1, 1, 3, .run = do_tube},
    {"loft", 1, 4, 5, .run = do_loft},
    {"limb", 1, 1, 4, .run = do_limb},
    {"skin", 1, 2, 9, .run = do_skin},
    {"point", 0, 0, 1, .run = do_point},
    {"shade", 0, 2, 0, .run = do_shade},
    {"vary", 0, 2, 0, .run = do_vary},
    {"pick", 0, 1, 1, .run = do_pick},
    {"choose", 0, 2, 1, .run = do_choose},
    {"sin", 0, 1, .one = sin},
    {"cos", 0, 1, .one = cos},
    {"sqrt", 0, 1, .one = sqrt},
    {"abs", 0, 1, .one = fabs},
    {"floor", 0, 1, .one = floor},
    {"max", 0, 2, .two = fmax},
    {"pow", 0, 2, .two = pow},
};

enum { BUILTINS = sizeof builtins / sizeof *builtins };

/* ---- expressions ---- */

static value read_value(reader *r);

static double read_number(reader *r)
{
    const value v = read_value(r);
    if (v.is_brush)
        complain(r, "a number is wanted here, not a brush");
    return v.number;
}

static void push_value(reader *r, value v)
{
    if (r->value_len == VALUES_MAX)
        complain(r, "more than %d values in a call", VALUES_MAX);
    else
        r->values[r->value_len++] = v;
}

static bool push_style(reader *r)
{
    for (int i = 0; i < STYLES; i++)
        if (take_sign(r, styles[i].name)) {
            for (int k = 0; k < 4; k++)
                push_value(r, number_of(styles[i].style[k]));
            return true;
        }
    return false;
}

/* Values up to `end`, commas between. Braces only group them for the reader of the text. */
static void read_arguments(reader *r, const char *end)
{
    if (take_sign(r, end))
        return;
    do {
        if (take_sign(r, "{"))
            read_arguments(r, "}");
        else if (!push_style(r))
            push_value(r, read_value(r));
    } while (take_sign(r, ","));
    expect_sign(r, end);
}

static value call_builtin(reader *r, const builtin *what, int first)
{
    call c = {.what = what, .r = r, .unit_m = find_variable(r, (word){"unit", 4}, 0)->value.number};
    const bool is_part = what->brushes > 0 && what->group > 0;
    for (int i = first; i < r->value_len; i++) {
        if (!r->values[i].is_brush)
            c.number[c.len++] = r->values[i].number;
        else if (c.brush_len++ < 2)
            c.brush[c.brush_len - 1] = r->values[i].brush;
    }
    if (is_part && c.len == what->numbers) {
        memcpy(c.number + what->numbers, r->points, sizeof *r->points * (size_t)r->point_len);
        c.len += r->point_len;
        r->point_len = 0;
    }
    const int rest = c.len - what->numbers;
    if (c.brush_len != what->brushes || rest < 0 || (what->group ? rest % what->group : rest) != 0)
        complain(r, "%s takes %d brushes and %d numbers%s; here are %d and %d", what->name, what->brushes,
                 what->numbers, what->group ? ", then more in groups" : "", c.brush_len, c.len);
    if (r->status.code != POV_OK)
        return number_of(0);
    return what->one   ? number_of(what->one(c.number[0]))
           : what->two ? number_of(what->two(c.number[0], c.number[1]))
                       : what->run(&c);
}

static void run_block(reader *r);

/* A function's parameters become variables of its own. */
static void call_function(reader *r, word name, int first)
{
    const char *back = r->at;
    const pov_embedded_file *file = r->file;
    const int variables = r->variable_len, frame = r->frame;
    int i = 0;
    while (i < r->function_len && !is_same(name, r->functions[i].name))
        i++;
    if (i == r->function_len || r->depth == DEPTH_MAX) {
        complain(r, i == r->function_len ? "there is no '%.*s'" : "'%.*s' calls itself too often", name.len,
                 name.text);
        return;
    }
    r->file = r->functions[i].file;
    r->at = r->functions[i].name + name.len;
    r->frame = r->variable_len;
    r->depth++;
    expect_sign(r, "(");
    for (int given = first; !take_sign(r, ")") && r->status.code == POV_OK; take_sign(r, ","), given++) {
        const word parameter = take_name(r);
        if (given >= r->value_len)
            complain(r, "'%.*s' was given too few values", name.len, name.text);
        else
            set_variable(r, parameter, r->values[given]);
    }
    r->value_len = first;
    run_block(r);
    r->depth--;
    r->frame = frame;
    r->variable_len = variables;
    if (r->status.code != POV_OK)
        return;
    r->file = file;
    r->at = back;
}

static value call_name(reader *r, word name)
{
    const int first = r->value_len;
    value result = number_of(0);
    read_arguments(r, ")");
    int i = 0;
    while (i < BUILTINS && !(is_same(name, builtins[i].name)))
        i++;
    if (r->status.code != POV_OK)
        return result;
    if (i < BUILTINS)
        result = call_builtin(r, &builtins[i], first);
    else
        call_function(r, name, first);
    r->value_len = first;
    return result;
}

static value read_primary(reader *r)
{
    skip_blanks(r);
    if (take_sign(r, "(")) {
        const value v = read_value(r);
        expect_sign(r, ")");
        return v;
    }
    if (take_sign(r, "-"))
        return number_of(-read_primary(r).number);
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        const double number = strtod(r->at, &end);
        r->at = end;
        return number_of(number);
    }
    const word name = take_name(r);
    if (take_sign(r, "("))
        return call_name(r, name);
    const variable *found = find_variable(r, name, 0);
    if (!found)
        complain(r, "there is no variable '%.*s'", name.len, name.text);
    return found ? found->value : number_of(0);
}

/* Two-letter signs stand before their first letter's. */
static const struct {
    const char *sign;
    int binds;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"<=", 4}, {">=", 4}, {"<", 4},
                 {">", 4},  {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6},  {"%", 6}};

enum { OPERATORS = sizeof operators / sizeof *operators };

static double apply_operator(const char *sign, double a, double b)
{
    switch (*sign) {
    case '|':
        return a != 0 || b != 0;
    case '&':
        return a != 0 && b != 0;
    case '=':
        return a == b;
    case '<':
        return sign[1] == '=' ? a <= b : a < b;
    case '>':
        return sign[1] == '=' ? a >= b : a > b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    default:
        return fmod(a, b);
    }
}

static value read_operation(reader *r, int binds)
{
    value left = read_primary(r);
    for (int i = 0; i < OPERATORS; i++)
        if (operators[i].binds >= binds && take_sign(r, operators[i].sign)) {
            const value right = read_operation(r, operators[i].binds + 1);
            left = number_of(apply_operator(operators[i].sign, left.number, right.number));
            i = -1;
        }
    return left;
}

/* Of "condition ? one : other" both are evaluated. */
static value read_value(reader *r)
{
    const value condition = read_operation(r, 1);
    if (!take_sign(r, "?"))
        return condition;
    const value one = read_value(r);
    expect_sign(r, ":");
    const value other = read_value(r);
    return condition.number != 0 ? one : other;
}

/* ---- statements ---- */

static void skip_block(reader *r)
{
    int depth = 0;
    skip_blanks(r);
    do {
        depth += (*r->at == '{') - (*r->at == '}');
        r->at += *r->at != '\0';
        skip_blanks(r);
    } while (depth > 0 && *r->at);
}

/* "sides NAME { }": -1 and 1; "repeat NAME len { }": 0 to len - 1. */
static void run_loop(reader *r, bool is_sides)
{
    const word name = take_name(r);
    const int len = is_sides ? 2 : (int)read_number(r);
    const char *block = r->at;
    for (int i = 0; i < len && r->status.code == POV_OK; i++) {
        r->at = block;
        set_variable(r, name, number_of(is_sides ? 2 * i - 1 : i));
        run_block(r);
    }
}

static void run_block_if(reader *r, bool wanted)
{
    if (wanted)
        run_block(r);
    else
        skip_block(r);
}

/* Behind "if". Not `open`: the choice was made before. */
static void run_choice(reader *r, bool open)
{
    const bool is_so = read_number(r) != 0 && open;
    run_block_if(r, is_so);
    if (!take_sign(r, "else"))
        return;
    if (take_sign(r, "if"))
        run_choice(r, open && !is_so);
    else
        run_block_if(r, open && !is_so);
}

static void run_statement(reader *r)
{
    if (take_sign(r, "sides")) {
        run_loop(r, true);
    } else if (take_sign(r, "repeat")) {
        run_loop(r, false);
    } else if (take_sign(r, "if")) {
        run_choice(r, true);
    } else {
        const char *begin = r->at;
        const word name = take_name(r);
        skip_blanks(r);
        if (*r->at == '=' && r->at[1] != '=') {
            r->at++;
            set_variable(r, name, read_value(r));
        } else if (r->status.code == POV_OK) {
            r->at = begin;
            (void)read_value(r);
        }
        expect_sign(r, ";");
    }
}

static void run_block(reader *r)
{
    expect_sign(r, "{");
    while (r->status.code == POV_OK && !take_sign(r, "}"))
        run_statement(r);
}

static void find_functions(reader *r, const pov_embedded_file *file)
{
    const char *next = (const char *)file->bytes;
    for (const char *line = next; line; line = next) {
        next = strchr(line, '\n');
        next = next ? next + 1 : NULL;
        if (strncmp(line, "def ", 4) != 0)
            continue;
        POV_REQUIRE(r->function_len < FUNCTIONS_MAX);
        r->functions[r->function_len].file = file;
        r->functions[r->function_len++].name = line + 4;
    }
}

pov_status pov_body_text_build(pov_body *body, const pov_embedded_file *files, const char *name)
{
    reader *r = pov_allocate(1, sizeof *r);
    r->body = body;
    r->file = files;
    r->at = (const char *)files->bytes;
    r->status = pov_ok();
    for (const pov_embedded_file *file = files; file->name; file++)
        find_functions(r, file);
    set_number(r, "unit", 1);
    set_number(r, "colour", body->colour);
    set_number(r, "variant", (double)body->variant);
    set_number(r, "points", body->points);
    set_number(r, "eye_x", body->eye.x);
    set_number(r, "eye_y", body->eye.y);
    set_number(r, "eye_z", body->eye.z);
    set_number(r, "target_x", body->target.x);
    set_number(r, "target_y", body->target.y);
    set_number(r, "target_z", body->target.z);
    set_number(r, "PI", POV_PI);
    set_number(r, "true", 1);
    set_number(r, "false", 0);
    set_number(r, "BLACK", 0x141414);
    set_number(r, "WHITE", 0xF2F2F0);
    set_number(r, "CHROME", 0xB8BCC0);
    for (int i = 0; i < POV_PATTERN_COUNT; i++)
        set_number(r, POV_PATTERNS[i].name, i);
    call_function(r, (word){name, (int)strlen(name)}, 0);
    const pov_status status = r->status;
    free(r);
    return status;
}
