/* MindCube's settings (Yin et al. 2025) over the views of a turn, a table's or a camera's: "around" asks what stands beside a thing from one of
 * several views; "rotation" what will, from a view that no image shows. Wordings are pov's own, after the benchmark's kinds: its licence is not
 * stated for them. Beside is for the camera: behind is farther away. */
#include "compare/questions/lettered.h"
#include "perception/papers/view_turn.h"

#include <math.h>
#include <string.h>

static const pov_lettered_frame of_view = {POV_ADDRESSEE, POV_NO_CONVENTION},
                                of_last = {POV_EGOCENTRIC, POV_REFLECTED};

enum { SIDES = 4, VIEWS_MAX = 4 };
static const char *const side_words[SIDES] = {"behind", "to the right of", "in front of", "to the left of"};
static const int mirrored_sides[SIDES] = {0, 3, 2, 1};

/* Whoever stands alone on a side of the relatum. */
typedef struct {
    int side, len;   /* of the camera's axes, clockwise from straight ahead; things */
    double turn_rad; /* the camera goes on round the things by so much, counter-clockwise */
} beside;

/* Worlds hold the camera, the relatum, and the others. */
static int alone_in_world(const pov_world *world, const void *context)
{
    const beside *of = context;
    int found = -1;
    for (int i = 0; i < of->len; i++) {
        const pov_vec3 v = pov_vec3_sub(world->box[i + 2].centre_m, world->box[1].centre_m);
        const pov_seen_vector seen = pov_see_vector(v, world->yaw_rad[0] + of->turn_rad);
        const int side = pov_sector_of(seen.forward, seen.right, SIDES);
        if (side < 0 || (side == of->side && found >= 0))
            return -1;
        found = side == of->side ? i : found;
    }
    return found;
}

/* The relatum, and what may be beside it: named in the newest view, sought in the one that is asked about. */
typedef struct {
    const pov_scene *scene; /* of the view asked about */
    pov_id ids[2 + POV_OPTIONS_MAX];
    int len; /* of the others */
} cast;

static bool find_cast(cast *c, const pov_questions *q, const pov_scene *scene, const pov_id things[], int len)
{
    *c = (cast){.scene = scene, .ids = {scene->camera}, .len = len - 1};
    for (int i = 0; i < len; i++) {
        c->ids[i + 1] = pov_scene_find(scene, pov_questions_name(q, things[i]));
        if (c->ids[i + 1] == POV_ID_NONE || !scene->entities[c->ids[i + 1]].placed)
            return false;
    }
    return scene->camera != POV_ID_NONE;
}

static bool find_beside(double p[], const cast *c, int side, double turn_rad)
{
    const beside of = {side, c->len, turn_rad};
    return pov_class_shares(p, c->len, c->scene,
                            &(pov_class_query){c->ids, c->len + 2, alone_in_world, &of}) == POV_OK;
}

/* One question: the words, what is right of the view that is meant, and of the last that is shown. */
typedef struct {
    const char *task, *part, *text;
    const cast *meant, *last;
    double turn_rad;
    int side, view_len; /* views that are shown: the newest, and so many before it */
} view_ask;

static void ask_beside(pov_questions *q, const pov_id things[], int len, const view_ask *of)
{
    double p[POV_OPTIONS_MAX];
    const char *words[POV_OPTIONS_MAX];
    for (int i = 1; i < len; i++)
        words[i - 1] = pov_questions_bare(q, things[i]);
    const pov_lettered_ask ask = {.task = of->task,
                                  .slug = of->task,
                                  .part = of->part,
                                  .referent = things[0],
                                  .relatum = POV_ID_NONE,
                                  .viewer = POV_ID_NONE,
                                  .text = of->text,
                                  .words = words,
                                  .len = len - 1,
                                  .names = true};
    if (!find_beside(p, of->meant, of->side, of->turn_rad))
        return;
    pov_question *question = pov_lettered_ask_one(q, &ask, of_view, p);
    if (!question)
        return;
    question->view_len = of->view_len;
    if (find_beside(p, of->last, of->side, 0))
        pov_lettered_add_frame(q, &ask, of_last, p);
    if (mirrored_sides[of->side] != of->side &&
        find_beside(p, of->meant, mirrored_sides[of->side], of->turn_rad))
        pov_lettered_add_mirrored(q, &ask, of_view, p);
}

/* "image 1, 2 and 3" */
static const char *name_images(pov_questions *q, int len)
{
    const char *text = "image 1";
    for (int i = 2; i <= len; i++)
        text = pov_questions_text(q, "%s%s%d", text, i < len ? ", " : " and ", i);
    return text;
}

/* In the views' order; the newest is the last. */
static void ask_around(pov_questions *q, const pov_id things[], int len)
{
    const int views = q->asking->view_len + 1;
    cast last;
    if (!find_cast(&last, q, q->scene, things, len))
        return;
    for (int view = 0; view < views; view++)
        for (int side = 0; side < SIDES; side++) {
            cast meant;
            const pov_scene *scene = view < q->asking->view_len ? q->asking->views[view] : q->scene;
            if (!find_cast(&meant, q, scene, things, len))
                continue;
            const view_ask of = {
                .task = "around",
                .part = pov_questions_text(q, "%d_of_%d_side_%d", view + 1, views, side),
                .text = pov_questions_text(
                    q,
                    "These %d images (%s) show the same things from different sides. Seen from where "
                    "image %d was taken, what is %s %s?",
                    views, name_images(q, views), view + 1, side_words[side],
                    pov_questions_the(q, things[0])),
                .meant = &meant,
                .last = &last,
                .side = side,
                .view_len = q->asking->view_len};
            ask_beside(q, things, len, &of);
        }
}

/* From the view before to this one the camera has gone round by a quarter or so: it goes on likewise. */
static void ask_rotation(pov_questions *q, const pov_id things[], int len)
{
    double turn_rad;
    cast last;
    const int before = q->asking->view_len - 1;
    if (!find_cast(&last, q, q->scene, things, len) ||
        pov_view_turn(&turn_rad, q->asking->views[before], q->scene) != POV_OK)
        return;
    for (int side = 0; side < SIDES; side++) {
        const view_ask of = {
            .task = "rotation",
            .part = pov_questions_text(q, "side_%d", side),
            .text = pov_questions_text(
                q,
                "Between the last two of these images (%s) the camera has gone round the same things by %.0f "
                "degrees, "
                "%s as seen from above, always looking at them. If it goes on by as much in the same "
                "direction, what will then be %s %s?",
                name_images(q, q->asking->view_len + 1), fabs(turn_rad) / POV_DEG,
                turn_rad > 0 ? "counter-clockwise" : "clockwise", side_words[side],
                pov_questions_the(q, things[0])),
            .meant = &last,
            .last = &last,
            .turn_rad = turn_rad,
            .side = side,
            .view_len = q->asking->view_len};
        ask_beside(q, things, len, &of);
    }
}

/* The relatum, then up to four others in the scene's order, none of which stands on it or carries it. */
static int choose_things(pov_id things[], const pov_questions *q, pov_id relatum)
{
    int len = 0;
    things[len++] = relatum;
    for (pov_id id = 0; id < q->scene->len && len <= POV_LETTERED_OFFERED; id++)
        if (id != relatum && pov_questions_is_thing(q, id) && !pov_lettered_is_carried(q, id, relatum) &&
            pov_questions_wants(q, id, relatum))
            things[len++] = id;
    return len;
}

void pov_questions_ask_mindcube(pov_questions *q)
{
    pov_id things[POV_LETTERED_OFFERED + 1];
    pov_questions_find_nouns(q, q->asking->language);
    if (q->asking->view_len == 0) /* a single view */
        return;
    for (pov_id relatum = 0; relatum < q->scene->len; relatum++) {
        const int len = pov_questions_is_thing(q, relatum) ? choose_things(things, q, relatum) : 0;
        if (len < 3)
            continue;
        ask_around(q, things, len);
        ask_rotation(q, things, len);
    }
}
