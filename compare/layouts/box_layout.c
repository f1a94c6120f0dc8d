/* An answer's text becomes tokens; brackets become trees, in which boxes and names are searched; text outside of brackets
 * is read as prose. A box belongs to the thing named in the bracket, by its key, or else named last before it. */
#include "compare/layouts/box_layout.h"

#include "perception/status.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

POV_ENUM_NAMES(pov_layout_remark_name, pov_layout_remark, POV_LAYOUT_REMARKS, "height_first", "corners",
               "shares", "swapped", "outside")

/* ---- the meaning of a box's number ---- */

typedef enum { X, Y, WIDTH, HEIGHT, X2, Y2, CENTRE_X, CENTRE_Y, KEYS, NO_KEY = KEYS } box_key;

/* Letters and digits of a word decide: "x_min", "X-Min". */
static box_key key_of(const char *word, size_t length)
{
    static const struct {
        const char *word;
        box_key key;
    } words[] = {{"x", X},
                 {"x1", X},
                 {"x0", X},
                 {"xmin", X},
                 {"left", X},
                 {"xtopleft", X},
                 {"y", Y},
                 {"y1", Y},
                 {"y0", Y},
                 {"ymin", Y},
                 {"top", Y},
                 {"ytopleft", Y},
                 {"w", WIDTH},
                 {"width", WIDTH},
                 {"h", HEIGHT},
                 {"height", HEIGHT},
                 {"x2", X2},
                 {"xmax", X2},
                 {"right", X2},
                 {"y2", Y2},
                 {"ymax", Y2},
                 {"bottom", Y2},
                 {"cx", CENTRE_X},
                 {"xcenter", CENTRE_X},
                 {"centerx", CENTRE_X},
                 {"xcentre", CENTRE_X},
                 {"centrex", CENTRE_X},
                 {"cy", CENTRE_Y},
                 {"ycenter", CENTRE_Y},
                 {"centery", CENTRE_Y},
                 {"ycentre", CENTRE_Y},
                 {"centrey", CENTRE_Y}};
    char plain[16] = "";
    size_t len = 0;
    for (size_t i = 0; i < length; i++)
        if (isalnum((unsigned char)word[i])) {
            if (len == sizeof plain - 1)
                return NO_KEY;
            plain[len++] = (char)tolower((unsigned char)word[i]);
        }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(plain, words[i].word) == 0)
            return words[i].key;
    return NO_KEY;
}

/* Numbers by their meaning; NaN: not given. */
typedef struct {
    double of[KEYS];
    bool percent;
} numbers;

static const numbers no_numbers = {.of = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}};

static bool has(const numbers *n, box_key a, box_key b)
{
    return !isnan(n->of[a]) && !isnan(n->of[b]);
}

static bool is_whole(const numbers *n)
{
    return (has(n, X, Y) && (has(n, WIDTH, HEIGHT) || has(n, X2, Y2))) ||
           (has(n, CENTRE_X, CENTRE_Y) && has(n, WIDTH, HEIGHT));
}

/* ---- tokens ---- */

typedef enum { WORD, NUMBER, OPEN, CLOSE, COLON, COMMA, BREAK, OTHER, END } token_kind;

typedef struct {
    token_kind kind;
    const char *text; /* of a quoted word, within the quotes */
    size_t length;
    double number;
    bool quoted, percent;
} token;

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Bytes of the quotation mark at `at`; 0: it is none. */
static size_t quote_length(const char *at)
{
    static const char *const marks[] = {"\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x98", "\xe2\x80\x99"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(at, marks[i], 3) == 0)
            return 3;
    return *at == '"' || *at == '\'';
}

/* From a mark that begins a word to the next of its kind that does not stand within one, on the same line. */
static bool read_quoted(token *t, const char **at, const char *start)
{
    const size_t opening = quote_length(*at);
    if (opening == 0 || (*at > start && isalnum((unsigned char)(*at)[-1])))
        return false;
    enum { QUOTED_MAX = 200 }; /* bytes: a name, not a sentence */
    for (const char *end = *at + opening; *end && *end != '\n' && end - *at < QUOTED_MAX; end++) {
        const size_t closing = quote_length(end);
        if (closing != opening || (closing == 1 && (*end != **at || isalpha((unsigned char)end[1]))))
            continue;
        *t = (token){
            .kind = WORD, .text = *at + opening, .length = (size_t)(end - *at) - opening, .quoted = true};
        *at = end + closing;
        return true;
    }
    return false;
}

/* Decimal, perhaps with "px" or "%" behind. */
static bool read_number(token *t, const char **at)
{
    const char *from = *at, *digit = from + (*from == '-' || *from == '+');
    const bool is_hexadecimal = digit[0] == '0' && tolower((unsigned char)digit[1]) == 'x';
    char *end;
    if (is_hexadecimal ||
        !(isdigit((unsigned char)*digit) || (*digit == '.' && isdigit((unsigned char)digit[1]))))
        return false;
    *t = (token){.kind = NUMBER, .text = from, .number = strtod(from, &end)};
    t->percent = *end == '%';
    end += t->percent;
    end += strncmp(end, "px", 2) == 0 && !is_word(end[2]) ? 2 : 0;
    if (is_word(*end))
        return false;
    t->length = (size_t)(end - from);
    *at = end;
    return true;
}

static token_kind kind_of(char c)
{
    return c == '\n'              ? BREAK
           : strchr("[({", c)     ? OPEN
           : strchr("])}", c)     ? CLOSE
           : c == ':' || c == '=' ? COLON
           : strchr(",;|", c)     ? COMMA
                                  : OTHER;
}

/* The next token; emphasis is not a token. `start`: of the whole text. */
static token next_token(const char **at, const char *start)
{
    token t;
    while (**at && strchr(" \t\r*", **at))
        ++*at;
    if (**at == '\0')
        return (token){.kind = END, .text = *at};
    if (read_quoted(&t, at, start) || read_number(&t, at))
        return t;
    t = (token){.kind = WORD, .text = *at};
    while (is_word((*at)[0]) || (t.length > 0 && **at == '-' && is_word((*at)[1]))) {
        ++*at;
        t.length++;
    }
    if (t.length == 0) {
        t = (token){.kind = kind_of(**at), .text = *at, .length = 1};
        ++*at;
    }
    return t;
}

/* ---- trees of brackets ---- */

enum { NODES_MAX = 1024, TOKENS_MAX = 4096, DEPTH_MAX = 12, NO_NODE = -1 };

typedef struct {
    token value, key; /* value OPEN: a bracket; key.length 0: none */
    int first, next;
} node;

typedef struct {
    node nodes[NODES_MAX];
    int len, tokens; /* tokens: read for it */
} tree;

static int add_node(tree *trees, token value, token key)
{
    trees->nodes[trees->len] = (node){.value = value, .key = key, .first = NO_NODE, .next = NO_NODE};
    return trees->len++;
}

/* Reads the contents of a bracket, to its end. NO_NODE: it does not end, or holds too much. */
static int read_bracket(tree *trees, const char **at, const char *start, token key, int depth)
{
    const token none = {.length = 0};
    if (depth == DEPTH_MAX || trees->len == NODES_MAX)
        return NO_NODE;
    const int made = add_node(trees, (token){.kind = OPEN}, key);
    int *link = &trees->nodes[made].first;
    token of_next = none;
    for (;;) {
        const token t = next_token(at, start);
        const char *ahead = *at;
        if (t.kind == END || trees->len == NODES_MAX || trees->tokens++ == TOKENS_MAX)
            return NO_NODE;
        if (t.kind == CLOSE)
            return made;
        if (t.kind == COMMA)
            of_next = none;
        if (t.kind == WORD && next_token(&ahead, start).kind == COLON) {
            of_next = t;
            continue;
        }
        if (t.kind != OPEN && t.kind != NUMBER && t.kind != WORD)
            continue;
        const int child =
            t.kind == OPEN ? read_bracket(trees, at, start, of_next, depth + 1) : add_node(trees, t, of_next);
        if (child == NO_NODE)
            return NO_NODE;
        of_next = none;
        *link = child;
        link = &trees->nodes[child].next;
    }
}

/* ---- names ---- */

typedef enum { NOBODY = -1, LOCATUM, RELATUM } party;

typedef struct {
    const char *names[2]; /* of locatum and relatum */
    box_key order[4];     /* of numbers without keys */
    bool only_orders;     /* first all is read for how numbers are ordered */
    numbers found[2];
    bool has[2];
    tree trees;
} reader;

static bool is_gap(char c)
{
    return c == ' ' || c == '_' || c == '-';
}

/* The length of a thing's name at `at`, as whole words, also in the plural or numbered; 0. */
static size_t name_length(const char *at, const char *start, const char *end, const char *name)
{
    const char *from = at;
    if (at > start && is_word(at[-1]) && at[-1] != '_')
        return 0;
    for (; *name; name++, at++)
        if (at == end || is_gap(*name) != is_gap(*at) ||
            (!is_gap(*name) && tolower((unsigned char)*name) != tolower((unsigned char)*at)))
            return 0;
    at += at < end && *at == 's';
    while (at < end && isdigit((unsigned char)*at))
        at++;
    return at < end && is_word(*at) && *at != '_' ? 0 : (size_t)(at - from);
}

/* The first (or last) of the two that a stretch names; of two names at one place the longer. */
static party name_in(const reader *r, const char *start, const char *end, bool last)
{
    party found = NOBODY;
    for (const char *at = start; at < end && (last || found == NOBODY); at++) {
        const size_t one = name_length(at, start, end, r->names[LOCATUM]),
                     other = name_length(at, start, end, r->names[RELATUM]),
                     longer = one > other ? one : other;
        if (longer > 0)
            found = one >= other ? LOCATUM : RELATUM;
        at += longer > 0 ? longer - 1 : 0;
    }
    return found;
}

static party name_of_token(const reader *r, const token *t)
{
    return t->length > 0 ? name_in(r, t->text, t->text + t->length, false) : NOBODY;
}

/* ---- boxes in brackets ---- */

static void take_box(reader *r, party whose, const numbers *n)
{
    if (whose == NOBODY || r->only_orders || !is_whole(n))
        return;
    r->found[whose] = *n;
    r->has[whose] = true;
}

/* Four words that say what four numbers are: "(x, y, height, width)". */
static void take_order(reader *r, const box_key keys[4])
{
    numbers n = no_numbers;
    for (int i = 0; i < 4; i++)
        if (keys[i] != NO_KEY)
            n.of[keys[i]] = 0;
    if (r->only_orders && is_whole(&n))
        memcpy(r->order, keys, sizeof r->order);
}

static numbers order_numbers(const reader *r, const token values[4])
{
    numbers n = no_numbers;
    for (int i = 0; i < 4; i++) {
        n.of[r->order[i]] = values[i].number;
        n.percent |= values[i].percent;
    }
    return n;
}

/* Numbers of a bracket: keyed; or four without keys, beside a name perhaps; or corners as two points. */
static numbers box_of(const reader *r, int bracket)
{
    const node *nodes = r->trees.nodes;
    numbers keyed = no_numbers, points = no_numbers;
    token values[4];
    int len = 0, points_len = 0;
    for (int i = nodes[bracket].first; i != NO_NODE; i = nodes[i].next) {
        const token *value = &nodes[i].value, *key = &nodes[i].key;
        const box_key of = key->length > 0 ? key_of(key->text, key->length) : NO_KEY;
        if (value->kind == NUMBER && of != NO_KEY) {
            keyed.of[of] = value->number;
            keyed.percent |= value->percent;
        } else if (value->kind == NUMBER && key->length == 0) {
            if (len < 4)
                values[len] = *value;
            len++;
        } else if (value->kind == OPEN && points_len < 2) {
            const int x = nodes[i].first, y = x == NO_NODE ? NO_NODE : nodes[x].next;
            if (y == NO_NODE || nodes[y].next != NO_NODE || nodes[x].value.kind != NUMBER ||
                nodes[y].value.kind != NUMBER)
                continue;
            points.of[points_len ? X2 : X] = nodes[x].value.number;
            points.of[points_len++ ? Y2 : Y] = nodes[y].value.number;
        }
    }
    return is_whole(&keyed) ? keyed : len == 4 ? order_numbers(r, values) : points;
}

static void note_order(reader *r, int bracket)
{
    const node *nodes = r->trees.nodes;
    box_key keys[4];
    int len = 0;
    for (int i = nodes[bracket].first; i != NO_NODE; i = nodes[i].next, len++)
        if (len < 4)
            keys[len] = nodes[i].value.kind == WORD && nodes[i].key.length == 0
                            ? key_of(nodes[i].value.text, nodes[i].value.length)
                            : NO_KEY;
    if (len == 4)
        take_order(r, keys);
}

static bool is_name_key(const token *key)
{
    static const char *const words[] = {"name",   "label",  "object",  "class", "category",
                                        "phrase", "entity", "caption", "id",    "item"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (key->length == strlen(words[i]) && strncasecmp(key->text, words[i], key->length) == 0)
            return true;
    return false;
}

/* The thing that a bracket is about: the first word in it that names one, without a key or with one like "label". */
static party name_of_bracket(const reader *r, int bracket)
{
    const node *nodes = r->trees.nodes;
    party name = NOBODY;
    for (int i = nodes[bracket].first; i != NO_NODE && name == NOBODY; i = nodes[i].next)
        if (nodes[i].value.kind == WORD && (nodes[i].key.length == 0 || is_name_key(&nodes[i].key)))
            name = name_of_token(r, &nodes[i].value);
    return name;
}

static void walk_bracket(reader *r, int bracket, party context)
{
    const node *nodes = r->trees.nodes;
    const party own = name_of_bracket(r, bracket), whose = own != NOBODY ? own : context;
    const numbers box = box_of(r, bracket);
    note_order(r, bracket);
    if (is_whole(&box)) {
        take_box(r, whose, &box);
        return;
    }
    for (int i = nodes[bracket].first; i != NO_NODE; i = nodes[i].next) {
        const party of_key = name_of_token(r, &nodes[i].key);
        if (nodes[i].value.kind == OPEN)
            walk_bracket(r, i, of_key != NOBODY ? of_key : whose);
    }
}

/* ---- boxes in prose ---- */

/* Numbers, and words for them, one after another outside of brackets. */
typedef struct {
    numbers keyed;
    token values[4];
    box_key keys[4];
    int values_len, keys_len;
    party whose;
    const char *point_end; /* behind a bracket of two numbers that may be a corner; NULL: none */
    double point[2];
} loose;

static void end_run(reader *r, loose *run, party whose)
{
    if (run->values_len == 4) {
        const numbers box = order_numbers(r, run->values);
        take_box(r, whose, &box);
    }
    if (run->keys_len == 4)
        take_order(r, run->keys);
    run->values_len = run->keys_len = 0;
}

static void note_loose(reader *r, loose *run, const token *t, box_key key)
{
    if (t->kind == NUMBER && key != NO_KEY) {
        run->keyed.of[key] = t->number;
        run->keyed.percent |= t->percent;
        if (is_whole(&run->keyed)) {
            take_box(r, run->whose, &run->keyed);
            run->keyed = no_numbers;
        }
    } else if (t->kind == NUMBER) {
        if (run->values_len < 4)
            run->values[run->values_len] = *t;
        run->values_len++;
        run->keys_len = 0;
    } else {
        if (run->keys_len < 4)
            run->keys[run->keys_len] = key_of(t->text, t->length);
        run->keys_len++;
    }
}

/* The thing named last before a place; each part of the text is searched once. */
static void look_for_name(reader *r, loose *run, const char **stretch, const char *here)
{
    const party named = name_in(r, *stretch, here, true);
    run->whose = named != NOBODY ? named : run->whose;
    *stretch = here;
}

/* A line may begin with the box, and name it afterwards: "[1, 2, 3, 4]: cat". */
static party name_behind(const reader *r, const char *start, const char *bracket, const char *behind)
{
    enum { BULLET_MAX = 8 }; /* bytes: "12. ", "  - " */
    const char *from = bracket;
    while (from > start && from[-1] != '\n')
        if (isalpha((unsigned char)*--from) || bracket - from > BULLET_MAX)
            return NOBODY;
    return name_in(r, behind, behind + strcspn(behind, "\n[({"), false);
}

static bool says_size(const char *from, const char *to)
{
    static const char *const words[] = {"size", "width", "dimension"};
    for (; from < to; from++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if ((size_t)(to - from) >= strlen(words[i]) && strncasecmp(from, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

/* "(50, 200), (150, 320)" and "at (50, 200), of size (100, 120)": the second bracket of two numbers makes a box. True: the
 * bracket is one of those. */
static bool take_point(reader *r, loose *run, int bracket, const char *here, const char *behind)
{
    const node *nodes = r->trees.nodes;
    const int x = nodes[bracket].first, y = x == NO_NODE ? NO_NODE : nodes[x].next;
    if (y == NO_NODE || nodes[y].next != NO_NODE || nodes[x].value.kind != NUMBER ||
        nodes[y].value.kind != NUMBER)
        return false;
    const double point[2] = {nodes[x].value.number, nodes[y].value.number};
    if (run->point_end) {
        const bool sized = says_size(run->point_end, here);
        numbers box = no_numbers;
        box.of[X] = run->point[0];
        box.of[Y] = run->point[1];
        box.of[sized ? WIDTH : X2] = point[0];
        box.of[sized ? HEIGHT : Y2] = point[1];
        take_box(r, run->whose, &box);
        run->point_end = NULL;
        return true;
    }
    memcpy(run->point, point, sizeof point);
    run->point_end = behind;
    return true;
}

/* Everything once, from the left. */
static void read_text(reader *r, const char *start)
{
    const char *at = start, *stretch = start;
    loose run = {.keyed = no_numbers, .whose = NOBODY};
    box_key key = NO_KEY;
    for (;;) {
        const char *here = at;
        const token t = next_token(&at, start);
        if (t.kind == NUMBER || (t.kind == WORD && key_of(t.text, t.length) != NO_KEY)) {
            const char *ahead = at;
            const bool is_key = t.kind == WORD && next_token(&ahead, start).kind == COLON;
            if (t.kind == NUMBER && run.values_len == 0)
                look_for_name(r, &run, &stretch, here);
            if (!is_key)
                note_loose(r, &run, &t, key);
            key = is_key ? key_of(t.text, t.length) : NO_KEY;
            continue;
        }
        if (t.kind == COMMA || (t.kind == COLON && key != NO_KEY))
            continue;
        end_run(r, &run, run.whose);
        key = NO_KEY;
        if (t.kind == END)
            return;
        if (t.kind != OPEN)
            continue;
        const char *inside = at;
        r->trees.len = r->trees.tokens = 0;
        const int bracket = read_bracket(&r->trees, &inside, start, (token){.length = 0}, 0);
        if (bracket == NO_NODE) /* what is in it is read as prose */
            continue;
        const party before = run.whose, behind = name_behind(r, start, here, inside);
        look_for_name(r, &run, &stretch, here);
        run.whose = behind != NOBODY ? behind : run.whose;
        if (run.whose != before)
            run.point_end = NULL;
        if (!take_point(r, &run, bracket, here, inside)) {
            walk_bracket(r, bracket, run.whose);
            run.point_end = NULL;
        }
        at = stretch = inside;
    }
}

/* ---- the layout ---- */

static pov_layout_box to_box(const numbers *n, double scale)
{
    const double width = n->of[WIDTH], height = n->of[HEIGHT];
    const bool centred = isnan(n->of[X]);
    const double left = centred ? n->of[CENTRE_X] - width / 2 : n->of[X],
                 top = centred ? n->of[CENTRE_Y] - height / 2 : n->of[Y];
    const double right = isnan(width) ? n->of[X2] : left + width,
                 bottom = isnan(width) ? n->of[Y2] : top + height;
    return (pov_layout_box){left * scale, top * scale, right * scale, bottom * scale};
}

static bool is_box(const pov_layout_box *box)
{
    const double far = 1e6;
    return box->right_px > box->left_px && box->bottom_px > box->top_px && box->left_px > -far &&
           box->top_px > -far && box->right_px < far && box->bottom_px < far;
}

static bool sticks_out(const pov_layout_box *box)
{
    const double slack = 1; /* px, of rounding */
    return box->left_px < -slack || box->top_px < -slack || box->right_px > POV_LAYOUT_SIDE_PX + slack ||
           box->bottom_px > POV_LAYOUT_SIDE_PX + slack;
}

/* Numbers that are parts of the picture: told by "%", or none above 1. */
static double scale_of(const reader *r)
{
    bool percent = false, shares = true;
    for (int who = 0; who < 2; who++) {
        percent |= r->found[who].percent;
        for (int k = 0; k < KEYS; k++)
            shares &= isnan(r->found[who].of[k]) || fabs(r->found[who].of[k]) <= 1;
    }
    return percent ? POV_LAYOUT_SIDE_PX / 100.0 : shares ? POV_LAYOUT_SIDE_PX : 1;
}

static void note_remarks(pov_box_layout *layout, const reader *r, double scale)
{
    bool out = false, out_swapped = false;
    for (int who = 0; who < 2; who++) {
        numbers swapped = r->found[who];
        swapped.of[WIDTH] = r->found[who].of[HEIGHT];
        swapped.of[HEIGHT] = r->found[who].of[WIDTH];
        const pov_layout_box box = to_box(&r->found[who], scale), other = to_box(&swapped, scale);
        out |= sticks_out(&box);
        out_swapped |= sticks_out(&other);
        layout->remarks[POV_LAYOUT_CORNERS] |= isnan(r->found[who].of[WIDTH]);
    }
    layout->remarks[POV_LAYOUT_HEIGHT_FIRST] = r->order[2] == HEIGHT;
    layout->remarks[POV_LAYOUT_SHARES] = scale != 1;
    layout->remarks[POV_LAYOUT_SWAPPED] = out && !out_swapped;
    layout->remarks[POV_LAYOUT_OUTSIDE] = out && out_swapped;
}

pov_answer_kind pov_box_layout_read(pov_box_layout *layout, const char *answer, const char *locatum,
                                    const char *relatum)
{
    static const box_key usual[4] = {X, Y, WIDTH, HEIGHT};
    static const char thought[] = "</think>";
    reader r = {.names = {locatum, relatum}};
    bool yes;
    *layout = (pov_box_layout){.remarks = {false}};
    memcpy(r.order, usual, sizeof r.order);
    for (const char *end; (end = strstr(answer, thought));)
        answer = end + strlen(thought);
    r.only_orders = true;
    read_text(&r, answer);
    r.only_orders = false;
    read_text(&r, answer);
    if (!r.has[LOCATUM] && !r.has[RELATUM]) {
        const pov_answer_kind kind = pov_answer_yes_no(&yes, answer, &POV_YES_NO_ENGLISH);
        return kind == POV_ANSWER_GIVEN ? POV_ANSWER_UNCLEAR : kind;
    }
    if (!r.has[LOCATUM] || !r.has[RELATUM])
        return POV_ANSWER_UNCLEAR;
    const double scale = scale_of(&r);
    layout->locatum = to_box(&r.found[LOCATUM], scale);
    layout->relatum = to_box(&r.found[RELATUM], scale);
    note_remarks(layout, &r, scale);
    return is_box(&layout->locatum) && is_box(&layout->relatum) ? POV_ANSWER_GIVEN : POV_ANSWER_UNCLEAR;
}

static double centres_apart_px(const pov_box_layout *layout)
{
    const pov_layout_box *a = &layout->locatum, *b = &layout->relatum;
    return (b->left_px + b->right_px - a->left_px - a->right_px) / 2;
}

bool pov_box_layout_is_left(const pov_box_layout *layout)
{
    return centres_apart_px(layout) > 1;
}

bool pov_box_layout_is_right(const pov_box_layout *layout)
{
    return centres_apart_px(layout) < -1;
}
