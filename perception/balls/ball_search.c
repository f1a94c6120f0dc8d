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
    uint16_t *traced;           /* bit k: this border pixel of kind k has been walked */
    int traced_top, traced_end; /* rows that have such pixels */
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
    int contour_top_px;
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
 * pixel's neighbour often has it not). Only vivid ones among them count. One pixel in 32 is looked at. */
static uint16_t common_kinds(const pov_ball_search *s, const pov_image *image)
{
    const int rows = (image->height_px + 3) / 8, columns = image->width_px / 4, seen = rows * columns;
    int count[POV_BALL_KIND_MAX] = {0}, ragged[POV_BALL_KIND_MAX] = {0};
    for (int y = 4; y < image->height_px; y += 8)
        for (int x = 2; x + 1 < image->width_px; x += 4) {
            const uint8_t *rgb = image->pixels + (size_t)y * image->stride_bytes + 3 * (size_t)x;
            unsigned kinds = s->table.kinds[pov_colour_table_index(rgb)];
            if (!kinds)
                continue;
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

static void blank_masks(const pov_ball_search *s, uint16_t *label, int y)
{
    const int width = s->camera.width_px;
    for (int i = 0; i < s->config.mask_len; i++) {
        const pov_rectangle *m = &s->config.masks[i];
        const int left = pov_clamp(m->x_px, 0, width), right = pov_clamp(m->x_px + m->width_px, left, width);
        if (y >= m->y_px && y - m->y_px < m->height_px)
            memset(label + left, 0, (size_t)(right - left) * sizeof *label);
    }
}

static void label_row(pov_ball_search *s, const pov_ball_view *view, int y)
{
    const uint8_t *rgb = view->image->pixels + (size_t)y * view->image->stride_bytes;
    uint16_t *label = s->labels + (size_t)y * s->camera.width_px;
    for (int x = 0; x < s->camera.width_px; x++, rgb += 3)
        label[x] = pov_ball_label_of(&s->table, view->common, rgb);
    blank_masks(s, label, y);
}

static bool is_kind(const hunt *h, int x, int y)
{
    const pov_camera *camera = &h->search->camera;
    return x >= 0 && y >= 0 && x < camera->width_px && y < camera->height_px &&
           pov_ball_view_label(h->view, x, y) >> h->kind & 1;
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
    h->contour_top_px = start.y;
    do {
        s->contour[h->contour_len++] = at;
        h->contour_top_px = at.y < h->contour_top_px ? at.y : h->contour_top_px;
        s->traced[(size_t)at.y * s->camera.width_px + at.x] |= (uint16_t)(1u << h->kind);
        s->traced_top = at.y < s->traced_top ? at.y : s->traced_top;
        s->traced_end = at.y >= s->traced_end ? at.y + 1 : s->traced_end;
    } while (h->contour_len < CONTOUR_MAX && border_step(h, &at, &back) &&
             !(at.x == start.x && at.y == start.y));
}

/* --- circles --- */

/* An image as rings read it. `plain`: all pixels of the ring lie within the image, and no mask is set. */
typedef struct {
    const pov_ball_view *view;
    int kind;
    bool plain;
} ring_ground;

static ring_ground ground_of(const hunt *h, const pov_ball_guess *circle, double reach_px)
{
    const pov_camera *camera = &h->search->camera;
    const double left = circle->x_px - reach_px, top = circle->y_px - reach_px;
    const double right = circle->x_px + reach_px, low = circle->y_px + reach_px;
    return (ring_ground){h->view, h->kind,
                         h->search->config.mask_len == 0 && left > 0 && top > 0 &&
                             right < camera->width_px - 1 && low < camera->height_px - 1};
}

static inline bool ground_is_kind(const ring_ground *g, pov_vec2 pixel)
{
    return g->plain ? pov_ball_view_label(g->view, (int)(pixel.x + 0.5), (int)(pixel.y + 0.5)) >> g->kind & 1
                    : pov_ball_view_is_kind(g->view, g->kind, pixel);
}

static inline bool ground_is_hidden(const ring_ground *g, pov_vec2 pixel)
{
    return !g->plain && pov_ball_view_is_hidden(g->view, pixel);
}

/* Share of the ring that has the ball `step_px` inside and not `step_px` outside, less half of what has it on
 * both. */
static double ring_score(const hunt *h, const pov_ball_guess *circle, double step_px)
{
    const pov_ball_search *s = h->search;
    const ring_ground ground = ground_of(h, circle, circle->radius_px + step_px);
    double inner = circle->radius_px - step_px, outer = circle->radius_px + step_px;
    int parted = 0, leaking = 0;
    for (int i = 0; i < RING; i++) {
        double c = s->cosine[i], v = s->sine[i];
        pov_vec2 outside = {circle->x_px + outer * c, circle->y_px + outer * v};
        if (!ground_is_kind(&ground, (pov_vec2){circle->x_px + inner * c, circle->y_px + inner * v}) ||
            ground_is_hidden(&ground, outside))
            continue;
        bool out = ground_is_kind(&ground, outside);
        parted += !out;
        leaking += out;
    }
    return (parted - 0.5 * leaking) / RING;
}

static double filling(const hunt *h, const pov_ball_guess *circle)
{
    const pov_ball_search *s = h->search;
    double core = 0.6 * circle->radius_px;
    const ring_ground ground = ground_of(h, circle, core);
    int filled = 0, known = 0;
    for (int i = 0; i < RING; i++) {
        pov_vec2 pixel = {circle->x_px + core * s->cosine[i], circle->y_px + core * s->sine[i]};
        if (!ground_is_hidden(&ground, pixel)) {
            known++;
            filled += ground_is_kind(&ground, pixel);
        }
    }
    return known ? (double)filled / known : 0;
}

/* Close to the circle for precision, farther off for what is not quite round. -1 if surely not above `least`. */
static double circle_score(const hunt *h, const pov_ball_guess *circle, double least)
{
    const double trust = fmin(1, circle->radius_px / 4); /* anything is round at two pixels */
    const double near = ring_score(h, circle, 1);
    if (trust * (0.5 * (near + 1) + 0.25) <= least)
        return -1;
    const double far = ring_score(h, circle, fmax(1.5, 0.1 * circle->radius_px));
    if (trust * (0.5 * (near + far) + 0.25) <= least)
        return -1;
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
    pov_ball_size_map *size = h->search->size[h->kind];
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
    const double least = best->len == PER_CONTOUR ? best->guess[PER_CONTOUR - 1].score : -1;
    circle.score = circle_score(h, &circle, least);
    if (circle.score <= least)
        return; /* keep_guess would not take it */
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

static void hunt_at(hunt *h, const pov_ball_part *part, int x, int y)
{
    trace_border(h, (spot){(short)x, (short)y});
    if (h->contour_len >= (h->sized ? LENGTH_MIN_PX : LENGTH_MIN_FREE_PX) &&
        !(part->only_top && h->contour_top_px < part->area.y_px))
        try_contour(h);
}

/* --- the run --- */

static void hunt_in_part(pov_ball_search *s, hunt *hunts, const pov_ball_part *part)
{
    const int width = s->camera.width_px, end = part->area.x_px + part->area.width_px;
    for (int y = part->area.y_px; y < part->area.y_px + part->area.height_px; y++) {
        const uint16_t *label = s->labels + (size_t)y * width, *traced = s->traced + (size_t)y * width;
        unsigned left = part->area.x_px > 0 ? label[part->area.x_px - 1] : 0;
        for (int x = part->area.x_px; x < end; left = label[x++]) {
            unsigned fresh = label[x] & ~left & ~traced[x] & part->kinds;
            for (int k = 0; fresh; k++, fresh >>= 1)
                if (fresh & 1)
                    hunt_at(&hunts[k], part, x, y);
        }
    }
}

pov_ball_view pov_ball_search_begin(pov_ball_search *s, const pov_image *image)
{
    return (pov_ball_view){image, NULL, &s->table, &s->camera, &s->config, common_kinds(s, image)};
}

pov_ball_part pov_ball_part_whole(const pov_ball_search *s)
{
    return (pov_ball_part){
        .area = {0, 0, s->camera.width_px, s->camera.height_px}, .kinds = UINT16_MAX, .tries_max = TRIES_MAX};
}

static void clear_traces(pov_ball_search *s)
{
    const size_t width = (size_t)s->camera.width_px;
    if (s->traced_end > s->traced_top)
        memset(s->traced + (size_t)s->traced_top * width, 0,
               (size_t)(s->traced_end - s->traced_top) * width * sizeof *s->traced);
    s->traced_top = s->camera.height_px;
    s->traced_end = 0;
}

void pov_ball_search_run(pov_ball_search *s, pov_ball_guesses *guesses, pov_ball_view *view,
                         const pov_ball_part *part, const pov_transform *T_table_camera)
{
    hunt hunts[POV_BALL_KIND_MAX];
    const pov_camera *camera = &s->camera;
    const pov_rectangle *area = &part->area;
    for (int y = area->y_px; y < area->y_px + area->height_px; y++)
        label_row(s, view, y);
    if (area->width_px == camera->width_px && area->height_px == camera->height_px)
        view->labels = s->labels;
    clear_traces(s);
    for (int k = 0; k < s->config.kind_len; k++) {
        const pov_ball_kind *kind = &s->config.kinds[k];
        guesses[k].len = 0;
        hunts[k] = (hunt){s, view, &guesses[k], k, 0, 0, kind->has_height && T_table_camera, part->tries_max};
        if (hunts[k].sized && part->kinds >> k & 1)
            pov_ball_size_map_set(s->size[k], T_table_camera, kind->height_m, kind->radius_m);
    }
    hunt_in_part(s, hunts, part);
}

double pov_ball_circle_score(const pov_ball_search *s, const pov_ball_view *view, int kind,
                             const pov_ball_guess *circle)
{
    const hunt h = {.search = (pov_ball_search *)s, .view = view, .kind = kind};
    return circle_score(&h, circle, -1);
}
