#include "perception/balls/ball_search.h"

#include "perception/balls/ball_size_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONTOUR_MAX = 16384, RING = 24, PER_CONTOUR = 4, TRIES_MAX = 60000 };
enum { LENGTH_MIN_PX = 4, LENGTH_MIN_FREE_PX = 12 };

typedef struct {
    short x, y;
} spot;

struct pov_ball_search {
    pov_ball_detector_config config;
    pov_camera camera;
    pov_colour_table table;
    uint16_t *labels;
    uint16_t *traced; /* bit k: this border pixel of kind k has been walked */
    pov_ball_size_map *size[POV_BALL_KIND_MAX];
    spot contour[CONTOUR_MAX];
    double cosine[RING], sine[RING];
};

/* One kind's search in one image. */
typedef struct {
    pov_ball_search *search;
    const pov_ball_view *view;
    pov_ball_guesses *guesses;
    int kind, contour_len;
    bool sized; /* the kind's size is known all over the image */
    int tries_left;
} hunt;

static pov_status search_allocate(pov_ball_search *s)
{
    size_t pixels = (size_t)s->camera.width_px * s->camera.height_px;
    s->labels = calloc(pixels, sizeof *s->labels);
    s->traced = calloc(pixels, sizeof *s->traced);
    if (!s->labels || !s->traced)
        return pov_error("ball detector: out of memory for images of %d x %d", s->camera.width_px,
                         s->camera.height_px);
    for (int k = 0; k < s->config.kind_len; k++)
        if (s->config.kinds[k].has_height)
            POV_TRY(pov_ball_size_map_new(&s->size[k], &s->camera));
    return pov_ok();
}

pov_status pov_ball_search_new(pov_ball_search **search, const pov_ball_detector_config *config,
                               const pov_camera *camera)
{
    pov_ball_search *s = calloc(1, sizeof *s);
    *search = s;
    if (!s)
        return pov_error("ball detector: out of memory");
    s->config = *config;
    s->camera = *camera;
    pov_colour_table_fill(&s->table, config->kinds, config->kind_len);
    for (int i = 0; i < RING; i++) {
        s->cosine[i] = cos(2 * POV_PI * i / RING);
        s->sine[i] = sin(2 * POV_PI * i / RING);
    }
    pov_status status = search_allocate(s);
    if (status.code != POV_OK)
        pov_ball_search_destroy(search);
    return status;
}

void pov_ball_search_destroy(pov_ball_search **search)
{
    if (!*search)
        return;
    for (int k = 0; k < POV_BALL_KIND_MAX; k++)
        pov_ball_size_map_destroy(&(*search)->size[k]);
    free((*search)->labels);
    free((*search)->traced);
    free(*search);
    *search = NULL;
}

/* --- labels --- */

/* The kinds whose broad colour is that of the floor or the light: it covers much of the image, or is strewn over it (a
 * pixel's neighbour often has it not). Of these, only vivid pixels count. From one pixel in 16. */
static uint16_t common_kinds(const pov_ball_search *s, const pov_image *image)
{
    int count[POV_BALL_KIND_MAX] = {0}, ragged[POV_BALL_KIND_MAX] = {0}, seen = 0;
    for (int y = 2; y < image->height_px; y += 4)
        for (int x = 2; x + 1 < image->width_px; x += 4, seen++) {
            const uint8_t *rgb = image->pixels + (size_t)y * image->stride_bytes + 3 * (size_t)x;
            unsigned kinds = s->table.kinds[pov_colour_table_index(rgb)];
            unsigned next = s->table.kinds[pov_colour_table_index(rgb + 3)];
            for (int k = 0; kinds >> k; k++) {
                count[k] += kinds >> k & 1;
                ragged[k] += (kinds & ~next) >> k & 1;
            }
        }
    unsigned common = 0;
    for (int k = 0; k < s->config.kind_len; k++)
        if (count[k] > 0.25 * seen || (count[k] > 0.02 * seen && ragged[k] > 0.15 * count[k]))
            common |= 1u << k;
    return (uint16_t)common;
}

static void label_pixels(pov_ball_search *s, const pov_image *image)
{
    int width = s->camera.width_px, height = s->camera.height_px;
    unsigned common = common_kinds(s, image);
    for (int y = 0; y < height; y++) {
        const uint8_t *rgb = image->pixels + (size_t)y * image->stride_bytes;
        uint16_t *label = s->labels + (size_t)y * width;
        for (int x = 0; x < width; x++, rgb += 3) {
            int i = pov_colour_table_index(rgb);
            label[x] = (uint16_t)((s->table.kinds[i] & ~common) | (s->table.vivid[i] & common));
        }
    }
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static void blank_masks(pov_ball_search *s)
{
    int width = s->camera.width_px, height = s->camera.height_px;
    for (int i = 0; i < s->config.mask_len; i++) {
        const pov_rectangle *m = &s->config.masks[i];
        int left = clamp(m->x_px, 0, width), right = clamp(m->x_px + m->width_px, left, width);
        int top = clamp(m->y_px, 0, height), bottom = clamp(m->y_px + m->height_px, top, height);
        for (int y = top; y < bottom; y++)
            memset(s->labels + (size_t)y * width + left, 0, (size_t)(right - left) * sizeof *s->labels);
    }
}

static bool is_kind(const hunt *h, int x, int y)
{
    const pov_camera *camera = &h->search->camera;
    return x >= 0 && y >= 0 && x < camera->width_px && y < camera->height_px &&
           h->search->labels[(size_t)y * camera->width_px + x] >> h->kind & 1;
}

/* --- borders: Moore's neighbour tracing, clockwise as seen, the region on the right hand --- */

static const spot AROUND[8] = {{-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}};

/* The next pixel of the border and the direction to look back from there; false: a lone pixel. */
static bool border_step(const hunt *h, spot *at, int *back)
{
    for (int i = 1; i <= 8; i++) {
        int d = (*back + i) % 8;
        spot next = {(short)(at->x + AROUND[d].x), (short)(at->y + AROUND[d].y)};
        if (is_kind(h, next.x, next.y)) {
            *back = (d % 2 ? d + 5 : d + 6) % 8; /* the background pixel passed last, seen from `next` */
            *at = next;
            return true;
        }
    }
    return false;
}

static void trace_border(hunt *h, spot start)
{
    pov_ball_search *s = h->search;
    spot at = start;
    int back = 0;
    h->contour_len = 0;
    do {
        s->contour[h->contour_len++] = at;
        s->traced[(size_t)at.y * s->camera.width_px + at.x] |= (uint16_t)(1u << h->kind);
    } while (h->contour_len < CONTOUR_MAX && border_step(h, &at, &back) &&
             !(at.x == start.x && at.y == start.y));
}

/* --- circles --- */

static bool at_kind(const hunt *h, pov_vec2 pixel)
{
    return pov_ball_view_is_kind(h->view, h->kind, pixel);
}

/* Share of the ring that has the ball `step_px` inside and not `step_px` outside, less half of what has it on
 * both. */
static double ring_score(const hunt *h, const pov_ball_guess *circle, double step_px)
{
    const pov_ball_search *s = h->search;
    double inner = circle->radius_px - step_px, outer = circle->radius_px + step_px;
    int parted = 0, leaking = 0;
    for (int i = 0; i < RING; i++) {
        double c = s->cosine[i], v = s->sine[i];
        pov_vec2 outside = {circle->x_px + outer * c, circle->y_px + outer * v};
        if (!at_kind(h, (pov_vec2){circle->x_px + inner * c, circle->y_px + inner * v}) ||
            pov_ball_view_is_hidden(h->view, outside))
            continue;
        bool out = at_kind(h, outside);
        parted += !out;
        leaking += out;
    }
    return (parted - 0.5 * leaking) / RING;
}

static double filling(const hunt *h, const pov_ball_guess *circle)
{
    const pov_ball_search *s = h->search;
    double core = 0.6 * circle->radius_px;
    int filled = 0, known = 0;
    for (int i = 0; i < RING; i++) {
        pov_vec2 pixel = {circle->x_px + core * s->cosine[i], circle->y_px + core * s->sine[i]};
        if (!pov_ball_view_is_hidden(h->view, pixel)) {
            known++;
            filled += at_kind(h, pixel);
        }
    }
    return known ? (double)filled / known : 0;
}

/* Close to the circle for precision, farther off for what is not quite round. */
static double circle_score(const hunt *h, const pov_ball_guess *circle)
{
    double near = ring_score(h, circle, 1), far = ring_score(h, circle, fmax(1.5, 0.1 * circle->radius_px));
    double trust = fmin(1, circle->radius_px / 4); /* anything is round at two pixels */
    return trust * (0.5 * (near + far) + 0.25 * filling(h, circle));
}

static bool do_overlap(const pov_ball_guess *a, const pov_ball_guess *b)
{
    double distance = hypot(a->x_px - b->x_px, a->y_px - b->y_px);
    double small = fmin(a->radius_px, b->radius_px), large = fmax(a->radius_px, b->radius_px);
    return distance < 0.35 * large && large < 1.35 * small;
}

/* Keeps the best, in order, of circles that are not almost the same. */
static void keep_guess(pov_ball_guesses *list, int capacity, const pov_ball_guess *circle)
{
    for (int i = 0; i < list->len; i++)
        if (do_overlap(&list->guess[i], circle)) {
            if (list->guess[i].score >= circle->score)
                return;
            memmove(&list->guess[i], &list->guess[i + 1], (size_t)(list->len - i - 1) * sizeof *circle);
            list->len--;
            i--;
        }
    if (list->len == capacity && list->guess[capacity - 1].score >= circle->score)
        return;
    int at = list->len < capacity ? list->len++ : capacity - 1;
    for (; at > 0 && list->guess[at - 1].score < circle->score; at--)
        list->guess[at] = list->guess[at - 1];
    list->guess[at] = *circle;
}

/* The circle of the size that belongs there through two points of the border. The border's pixels are centred
 * half a pixel inside the outline. */
static bool circle_through_two(const hunt *h, pov_ball_guess *circle, spot a, spot b)
{
    const pov_ball_size_map *size = h->search->size[h->kind];
    double dx = b.x - a.x, dy = b.y - a.y, chord = hypot(dx, dy);
    circle->x_px = 0.5 * (a.x + b.x);
    circle->y_px = 0.5 * (a.y + b.y);
    for (int i = 0; i < 3 && chord > 0; i++) {
        circle->radius_px = pov_ball_size_map_radius_px(size, circle->x_px, circle->y_px);
        double rise = pow(circle->radius_px - 0.5, 2) - chord * chord / 4;
        if (circle->radius_px < 1.5 || rise < 0)
            return false;
        circle->x_px = 0.5 * (a.x + b.x) - dy / chord * sqrt(rise);
        circle->y_px = 0.5 * (a.y + b.y) + dx / chord * sqrt(rise);
    }
    return chord > 0;
}

static bool circle_through_three(pov_ball_guess *circle, spot a, spot b, spot c)
{
    double bx = b.x - a.x, by = b.y - a.y, cx = c.x - a.x, cy = c.y - a.y, turn = 2 * (bx * cy - by * cx);
    if (turn <= 0)
        return false; /* bends outward, or not at all */
    double bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    double x = (cy * bb - by * cc) / turn, y = (bx * cc - cx * bb) / turn;
    *circle = (pov_ball_guess){a.x + x, a.y + y, hypot(x, y) + 0.5, 0};
    return circle->radius_px >= 3;
}

static void try_circle(hunt *h, pov_ball_guesses *best, int start, int span)
{
    const spot *contour = h->search->contour;
    spot a = contour[start], b = contour[(start + span) % h->contour_len];
    spot c = contour[(start + 2 * span) % h->contour_len];
    pov_ball_guess circle;
    if (!(h->sized ? circle_through_two(h, &circle, a, b) : circle_through_three(&circle, a, b, c)))
        return;
    if (circle.radius_px > h->search->camera.width_px + h->search->camera.height_px)
        return;
    h->tries_left--;
    circle.score = circle_score(h, &circle);
    keep_guess(best, PER_CONTOUR, &circle);
}

/* Chords of growing span, starting all around: short ones for what little shows, long ones for precision. */
static void try_contour(hunt *h)
{
    pov_ball_guesses best = {0};
    int longest = h->sized ? h->contour_len / 2 : h->contour_len / 3;
    for (int span = h->sized ? 2 : 4; span <= longest; span += (span + 1) / 2)
        for (int start = 0; start < h->contour_len && h->tries_left > 0; start += 1 + span / 6)
            try_circle(h, &best, start, span);
    for (int i = 0; i < best.len; i++)
        keep_guess(h->guesses, POV_BALL_GUESS_MAX, &best.guess[i]);
}

static void hunt_at(hunt *h, int x, int y)
{
    trace_border(h, (spot){(short)x, (short)y});
    if (h->contour_len >= (h->sized ? LENGTH_MIN_PX : LENGTH_MIN_FREE_PX))
        try_contour(h);
}

/* --- the run --- */

static void hunt_everywhere(pov_ball_search *s, hunt *hunts)
{
    int width = s->camera.width_px;
    for (int y = 0; y < s->camera.height_px; y++) {
        const uint16_t *label = s->labels + (size_t)y * width, *traced = s->traced + (size_t)y * width;
        unsigned left = 0;
        for (int x = 0; x < width; left = label[x++]) {
            unsigned fresh = label[x] & ~left & ~traced[x];
            for (int k = 0; fresh; k++, fresh >>= 1)
                if (fresh & 1)
                    hunt_at(&hunts[k], x, y);
        }
    }
}

pov_ball_view pov_ball_search_run(pov_ball_search *s, pov_ball_guesses *guesses, const pov_image *image,
                                  const pov_transform *T_table_camera)
{
    hunt hunts[POV_BALL_KIND_MAX];
    pov_ball_view view = {image, s->labels, &s->table, &s->camera, &s->config};
    label_pixels(s, image);
    blank_masks(s);
    memset(s->traced, 0, (size_t)s->camera.width_px * s->camera.height_px * sizeof *s->traced);
    for (int k = 0; k < s->config.kind_len; k++) {
        const pov_ball_kind *kind = &s->config.kinds[k];
        guesses[k].len = 0;
        hunts[k] = (hunt){s, &view, &guesses[k], k, 0, kind->has_height && T_table_camera, TRIES_MAX};
        if (hunts[k].sized)
            pov_ball_size_map_set(s->size[k], T_table_camera, kind->height_m, kind->radius_m);
    }
    hunt_everywhere(s, hunts);
    return view;
}
