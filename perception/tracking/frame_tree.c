#include "perception/tracking/frame_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY = 512, NO_FRAME = -1 }; /* places of a frame that are kept: 5 s at 100 Hz; chosen */
static const int64_t keep_ns = INT64_C(5000000000); /* chosen: an image is judged earlier, or never */

typedef struct {
    int64_t stamp_ns;
    pov_transform T; /* T_parent_child */
} sample;

typedef struct {
    char name[POV_FRAME_NAME_CAPACITY];
    int parent; /* NO_FRAME: a root, so far */
    bool is_static;
    int len, first;  /* the history is a ring, oldest first; one of a static frame */
    sample *history; /* NULL: a root; HISTORY of them, or one */
} frame;

struct pov_frame_tree {
    int64_t gap_max_ns;
    int len;
    frame frames[POV_FRAME_MAX];
};

pov_frame_tree *pov_frame_tree_new(int64_t gap_max_ns)
{
    pov_frame_tree *made = calloc(1, sizeof *made);
    if (made)
        made->gap_max_ns = gap_max_ns;
    return made;
}

void pov_frame_tree_destroy(pov_frame_tree **tree)
{
    if (!*tree)
        return;
    for (int i = 0; i < (*tree)->len; i++)
        free((*tree)->frames[i].history);
    free(*tree);
    *tree = NULL;
}

int pov_frame_tree_len(const pov_frame_tree *tree)
{
    return tree->len;
}

/* ---- what is told ---- */

static int find_frame(const pov_frame_tree *tree, const char *name)
{
    for (int i = 0; i < tree->len; i++)
        if (strcmp(tree->frames[i].name, name) == 0)
            return i;
    return NO_FRAME;
}

/* NO_FRAME: there is no room. */
static int find_or_add_frame(pov_frame_tree *tree, const char *name)
{
    const int found = find_frame(tree, name);
    if (found != NO_FRAME || tree->len == POV_FRAME_MAX)
        return found;
    frame *made = &tree->frames[tree->len];
    *made = (frame){.parent = NO_FRAME};
    memcpy(made->name, name, strlen(name) + 1);
    return tree->len++;
}

static sample *sample_at(const frame *f, int i)
{
    return &f->history[(f->first + i) % HISTORY];
}

static bool make_history(frame *f, int parent, bool is_static)
{
    if (f->history && f->parent == parent && f->is_static == is_static)
        return true;
    free(f->history);
    f->history = calloc(is_static ? 1 : HISTORY, sizeof *f->history);
    f->parent = f->history ? parent : NO_FRAME;
    f->is_static = is_static;
    f->len = f->first = 0;
    return f->history != NULL;
}

/* In the order of the stamps, whatever the order of arrival. */
static bool keep_sample(frame *f, const sample *told)
{
    const int64_t newest_ns = f->len > 0 ? sample_at(f, f->len - 1)->stamp_ns : told->stamp_ns;
    if (told->stamp_ns < newest_ns - keep_ns)
        f->len = 0; /* a recording that is played again */
    while (f->len > 0 && (f->len == HISTORY || sample_at(f, 0)->stamp_ns < told->stamp_ns - keep_ns)) {
        if (told->stamp_ns <= sample_at(f, 0)->stamp_ns)
            return false;
        f->first = (f->first + 1) % HISTORY;
        f->len--;
    }
    int at = f->len;
    while (at > 0 && sample_at(f, at - 1)->stamp_ns > told->stamp_ns)
        at--;
    if (at > 0 && sample_at(f, at - 1)->stamp_ns == told->stamp_ns) {
        *sample_at(f, at - 1) = *told;
        return true;
    }
    for (int i = f->len++; i > at; i--)
        *sample_at(f, i) = *sample_at(f, i - 1);
    *sample_at(f, at) = *told;
    return true;
}

bool pov_frame_tree_add(pov_frame_tree *tree, const pov_frame_told *told)
{
    const size_t parent_len = strlen(told->parent), child_len = strlen(told->child);
    if (parent_len == 0 || child_len == 0 || parent_len >= POV_FRAME_NAME_CAPACITY ||
        child_len >= POV_FRAME_NAME_CAPACITY || strcmp(told->parent, told->child) == 0)
        return false;
    const int parent = find_or_add_frame(tree, told->parent), child = find_or_add_frame(tree, told->child);
    if (parent == NO_FRAME || child == NO_FRAME)
        return false;
    frame *f = &tree->frames[child];
    const sample here = {told->stamp_ns, told->T_parent_child};
    if (!make_history(f, parent, told->is_static))
        return false;
    if (!told->is_static)
        return keep_sample(f, &here);
    f->history[0] = here;
    f->len = 1;
    return true;
}

/* ---- what is asked ---- */

static const int64_t step_ns = 1000000; /* over which the rate is measured */

/* a at 0, b at 1. */
static pov_transform between(const pov_transform *a, const pov_transform *b, double share)
{
    double difference[6];
    pov_transform_minus(difference, *b, *a);
    for (int i = 0; i < 6; i++)
        difference[i] *= share;
    return pov_transform_plus(*a, difference);
}

/* Out: where the frame is in its parent at that time, and a step later if it goes on as it moves there. */
static pov_status place_frame(const pov_frame_tree *tree, const frame *f, pov_transform now_then[2],
                              int64_t stamp_ns)
{
    const char *parent = tree->frames[f->parent].name;
    now_then[0] = now_then[1] = f->history[0].T;
    if (f->is_static)
        return pov_ok();
    int after = 0;
    while (after < f->len && sample_at(f, after)->stamp_ns < stamp_ns)
        after++;
    if (after == f->len)
        return pov_status_with(
            POV_TIMEOUT, "the newest transform from '%.60s' to '%.60s' is %.3f s older than the image",
            parent, f->name, 1e-9 * (double)(stamp_ns - sample_at(f, f->len - 1)->stamp_ns));
    const sample *b = sample_at(f, after);
    if (after == 0 && b->stamp_ns > stamp_ns)
        return pov_error("the oldest transform from '%.60s' to '%.60s' is %.3f s younger than the image",
                         parent, f->name, 1e-9 * (double)(b->stamp_ns - stamp_ns));
    const bool is_last = after == f->len - 1;
    const sample *a =
        after > 0 ? sample_at(f, after - 1) : b; /* b is at that very time: any neighbour tells the rate */
    if (after == 0 && !is_last)
        a = b, b = sample_at(f, 1);
    const int64_t apart_ns = b->stamp_ns - a->stamp_ns;
    if (apart_ns > tree->gap_max_ns && b->stamp_ns != stamp_ns && a->stamp_ns != stamp_ns)
        return pov_error("the transforms from '%.60s' to '%.60s' have a gap of %.3f s about the image's time",
                         parent, f->name, 1e-9 * (double)apart_ns);
    const double share = apart_ns > 0 ? (double)(stamp_ns - a->stamp_ns) / (double)apart_ns : 0;
    now_then[0] = between(&a->T, &b->T, share);
    now_then[1] =
        apart_ns > 0 ? between(&a->T, &b->T, share + (double)step_ns / (double)apart_ns) : now_then[0];
    return pov_ok();
}

/* The common ancestor of two frames; NO_FRAME: there is none. A loop ends after as many steps as there are frames. */
static int find_meeting(const pov_frame_tree *tree, int a, int b)
{
    for (int i = 0, up = a; up != NO_FRAME && i <= tree->len; i++, up = tree->frames[up].parent)
        for (int k = 0, other = b; other != NO_FRAME && k <= tree->len;
             k++, other = tree->frames[other].parent)
            if (up == other)
                return up;
    return NO_FRAME;
}

/* Out: T_top_frame, now and a step later. */
static pov_status climb(const pov_frame_tree *tree, pov_transform now_then[2], int top, int from,
                        int64_t stamp_ns)
{
    now_then[0] = now_then[1] = pov_transform_identity();
    for (int at = from; at != top; at = tree->frames[at].parent) {
        pov_transform step[2];
        POV_TRY(place_frame(tree, &tree->frames[at], step, stamp_ns));
        for (int i = 0; i < 2; i++)
            now_then[i] = pov_transform_mul(step[i], now_then[i]);
    }
    return pov_ok();
}

pov_status pov_frame_tree_find(const pov_frame_tree *tree, pov_frame_place *place, const char *to,
                               const char *from, int64_t stamp_ns)
{
    const int target = find_frame(tree, to), source = find_frame(tree, from);
    pov_transform up[2], down[2], there[2];
    *place = (pov_frame_place){.T_to_from = pov_transform_identity()};
    if (target == NO_FRAME || source == NO_FRAME)
        return pov_error("no transform names the frame '%.100s'", source == NO_FRAME ? from : to);
    const int top = find_meeting(tree, source, target);
    if (top == NO_FRAME)
        return pov_error("no transforms lead from '%.100s' to '%.100s'", to, from);
    POV_TRY(climb(tree, up, top, source, stamp_ns));
    POV_TRY(climb(tree, down, top, target, stamp_ns));
    for (int i = 0; i < 2; i++)
        there[i] = pov_transform_mul(pov_transform_inverse(down[i]), up[i]);
    place->T_to_from = there[0];
    pov_transform_minus(place->rate, there[1], there[0]);
    for (int i = 0; i < 6; i++)
        place->rate[i] *= 1e9 / (double)step_ns;
    return pov_ok();
}

static int64_t newest_below(const pov_frame_tree *tree, int top, int from)
{
    int64_t newest_ns = INT64_MAX;
    for (int at = from; at != top; at = tree->frames[at].parent) {
        const frame *f = &tree->frames[at];
        const int64_t its_ns = f->is_static ? INT64_MAX : sample_at(f, f->len - 1)->stamp_ns;
        newest_ns = its_ns < newest_ns ? its_ns : newest_ns;
    }
    return newest_ns;
}

int64_t pov_frame_tree_newest(const pov_frame_tree *tree, const char *to, const char *from)
{
    const int target = find_frame(tree, to), source = find_frame(tree, from);
    const int top = target == NO_FRAME || source == NO_FRAME ? NO_FRAME : find_meeting(tree, source, target);
    if (top == NO_FRAME)
        return INT64_MIN;
    const int64_t up_ns = newest_below(tree, top, source), down_ns = newest_below(tree, top, target);
    return up_ns < down_ns ? up_ns : down_ns;
}
