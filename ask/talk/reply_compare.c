/* Comparisons that are no relation of the registry: equal in size, distance or heading; sizes in centimetres; more of one kind. */
#include "ask/meaning/measure.h"
#include "ask/talk/talk_internal.h"
#include "perception/scene/support.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sizes and distances that differ by less are the same to people. Chosen. */
static const double same_share = 0.05;
/* Headings that differ by less are one way. Chosen: half of a quarter, less what an eye does not tell. */
static const double same_way_rad = 30 * POV_DEG;

static bool is_english(const pov_replying *r)
{
    return r->language == r->talk->language[0];
}

static void answer(pov_replying *r, const char *word)
{
    cJSON_AddStringToObject(r->answer, "kind", "comparison");
    cJSON_AddStringToObject(r->answer, "answer", word);
}

/* `figures` needs no words of a language: "25 cm, 10 cm". */
static pov_status say_yes_or_no(pov_replying *r, bool yes, const char *why, const char *figures)
{
    answer(r, yes ? "yes" : "no");
    if (is_english(r))
        pov_reply_say(r, POV_ANSWERED, yes ? "Yes: %s." : "No: %s.", why);
    else
        pov_reply_say(r, POV_ANSWERED, "%s %s", pov_reply_text(r, yes ? "Yes." : "No."), figures);
    return pov_ok();
}

/* A part of a comparison. Where several fit, it is asked for (asks). */
static pov_status find_part(pov_id *id, pov_replying *r, const pov_node *core, const char *name)
{
    static const char *const names[] = {"PART", "PART2", "FROMPART"};
    static const pov_role roles[] = {POV_ROLE_THING, POV_ROLE_OTHER, POV_ROLE_RELATUM};
    const pov_node *part = pov_node_find(core, name);
    int i = 0;
    while (strcmp(names[i], name) != 0)
        i++;
    return pov_reply_find_one(id, r, part->items->node, roles[i]);
}

static bool asks(const pov_replying *r)
{
    return r->open.kind != POV_NOTHING_OPEN;
}

static bool is_they(const pov_node *phrase)
{
    const pov_node *pronoun = pov_node_find(phrase, "PRONOUN");
    return pronoun && pov_node_has(pronoun, "they");
}

/* "the boxes"; "they", of whom was spoken together. */
static pov_status find_both(pov_id pair[2], pov_replying *r, const pov_node *phrase)
{
    pov_meant meant;
    int len = 0;
    if (is_they(phrase) && r->context.both[0] != POV_ID_NONE) {
        memcpy(pair, r->context.both, sizeof r->context.both);
        return pov_ok();
    }
    if (is_they(phrase))
        return pov_error("which two? name them");
    POV_TRY(pov_reference_find(&meant, &r->context, phrase, POV_ROLE_COUNT));
    for (pov_id id = 0; id < r->about->scene->len; id++)
        if (meant.fits[id] && len++ < 2)
            pair[len - 1] = id;
    return len == 2 ? pov_ok() : pov_error("which two? name them");
}

/* The two that are compared: each named, or both at once. */
static pov_status find_pair(pov_id pair[2], pov_replying *r, const pov_node *core)
{
    const pov_node *both = pov_node_find(core, "BOTHPARTS");
    if (both)
        POV_TRY(find_both(pair, r, both->items->node));
    else {
        POV_TRY(find_part(&pair[0], r, core, "PART"));
        if (!asks(r))
            POV_TRY(find_part(&pair[1], r, core, "PART2"));
    }
    if (!asks(r))
        memcpy(r->context.both, pair, sizeof r->context.both);
    return pov_ok();
}

/* Returns the dimension that a word names: "height". */
static const char *dimension_of(const pov_node *core)
{
    static const char *const names[] = {"SIZEWORD", "SIZEADJ", "SIZEMORE", "SIZELESS"};
    static const char *const tags[] = {"size", "height", "width", "length"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof tags / sizeof *tags; k++)
            if (pov_node_has(pov_node_find(core, names[i]), tags[k]))
                return tags[k];
    return "size";
}

/* Metres; cubic metres of a size. 0: not known. */
static double size_of(const pov_entity *entity, const char *dimension)
{
    const pov_vec3 m = entity->size_m;
    return strcmp(dimension, "height") == 0   ? m.z
           : strcmp(dimension, "width") == 0  ? fmax(m.x, m.y)
           : strcmp(dimension, "length") == 0 ? fmax(fmax(m.x, m.y), m.z)
                                              : m.x * m.y * m.z;
}

static const char *more_of(const char *dimension)
{
    return strcmp(dimension, "height") == 0   ? "taller"
           : strcmp(dimension, "width") == 0  ? "wider"
           : strcmp(dimension, "length") == 0 ? "longer"
                                              : "bigger";
}

static pov_status refuse_size(pov_replying *r, pov_id id)
{
    char name[64];
    return pov_error("I do not know how large %s is", pov_name_thing(name, r->about->scene, id));
}

static pov_status compare_sizes(pov_replying *r, const pov_node *core)
{
    pov_id pair[2];
    POV_TRY(find_pair(pair, r, core));
    if (asks(r))
        return pov_ok();
    const char *dimension = dimension_of(core);
    const pov_entity *e = r->about->scene->entities;
    const double a = size_of(&e[pair[0]], dimension), b = size_of(&e[pair[1]], dimension);
    if (!(a > 0) || !(b > 0))
        return refuse_size(r, pair[a > 0]);
    char name[64];
    pov_text why = {0};
    const bool same = fabs(a - b) <= same_share * fmax(a, b);
    if (same)
        pov_text_set(&why, "they are equal in %s", dimension);
    else
        pov_text_set(&why, "%s is %s", pov_name_thing(name, r->about->scene, pair[a < b]),
                     more_of(dimension));
    char figures[64];
    if (strcmp(dimension, "size") == 0)
        snprintf(figures, sizeof figures, "%.3g l, %.3g l.", 1000 * a, 1000 * b);
    else
        snprintf(figures, sizeof figures, "%.0f cm, %.0f cm.", 100 * a, 100 * b);
    const pov_status status = say_yes_or_no(r, same, pov_text_of(&why), figures);
    pov_text_free(&why);
    return status;
}

static pov_status compare_distances(pov_replying *r, const pov_node *core)
{
    pov_id pair[2], from;
    pov_measure centre_m[2], gap_m;
    char name[64];
    POV_TRY(find_pair(pair, r, core));
    if (!asks(r))
        POV_TRY(find_part(&from, r, core, "FROMPART"));
    if (asks(r))
        return pov_ok();
    for (int i = 0; i < 2; i++)
        if (!pov_measure_distance(&centre_m[i], &gap_m, r->about->scene, pair[i], from))
            return pov_error("%s has no position", pov_name_thing(name, r->about->scene, pair[i]));
    const double off_m = fabs(centre_m[0].mean - centre_m[1].mean),
                 slack_m = fmax(same_share * centre_m[0].mean, 2 * hypot(centre_m[0].std, centre_m[1].std));
    pov_text why = {0};
    if (off_m <= slack_m)
        pov_text_set(&why, "they are equally far");
    else
        pov_text_set(&why, "%s is nearer, by %.2f m",
                     pov_name_thing(name, r->about->scene, pair[centre_m[0].mean > centre_m[1].mean]), off_m);
    char figures[64];
    snprintf(figures, sizeof figures, "%.2f m, %.2f m.", centre_m[0].mean, centre_m[1].mean);
    const pov_status status = say_yes_or_no(r, off_m <= slack_m, pov_text_of(&why), figures);
    pov_text_free(&why);
    return status;
}

static pov_status compare_headings(pov_replying *r, const pov_node *core)
{
    pov_id pair[2];
    double yaw_rad[2];
    char name[64];
    POV_TRY(find_pair(pair, r, core));
    if (asks(r))
        return pov_ok();
    for (int i = 0; i < 2; i++) {
        const pov_heading_mode *mode = pov_heading_heaviest(&r->about->scene->entities[pair[i]].heading);
        if (!mode)
            return pov_error("%s has no front", pov_name_thing(name, r->about->scene, pair[i]));
        yaw_rad[i] = mode->yaw_rad;
    }
    const double off_rad = fabs(pov_angle_wrap(yaw_rad[0] - yaw_rad[1]));
    pov_text why = {0};
    char figures[32];
    snprintf(figures, sizeof figures, "%.0f°.", pov_degrees(off_rad));
    pov_text_set(&why, "their fronts differ by %.0f degrees", pov_degrees(off_rad));
    const pov_status status = say_yes_or_no(r, off_rad <= same_way_rad, pov_text_of(&why), figures);
    pov_text_free(&why);
    return status;
}

/* "how tall is the box?", "is it wider than 30 cm?" */
static pov_status tell_size(pov_replying *r, const pov_node *core)
{
    pov_id id;
    char name[64];
    POV_TRY(find_part(&id, r, core, "PART"));
    if (asks(r))
        return pov_ok();
    const char *dimension = dimension_of(core);
    const pov_vec3 m = r->about->scene->entities[id].size_m;
    const double size_m = size_of(&r->about->scene->entities[id], dimension);
    if (!(size_m > 0))
        return refuse_size(r, id);
    pov_name_thing(name, r->about->scene, id);
    pov_text why = {0};
    char figures[64];
    if (strcmp(dimension, "size") == 0)
        snprintf(figures, sizeof figures, "%.0f x %.0f x %.0f cm.", 100 * m.x, 100 * m.y, 100 * m.z);
    else
        snprintf(figures, sizeof figures, "%.0f cm.", 100 * size_m);
    if (strcmp(dimension, "size") == 0)
        pov_text_set(&why, "%s measures %.0f x %.0f x %.0f cm", name, 100 * m.x, 100 * m.y, 100 * m.z);
    else
        pov_text_set(&why, "the %s of %s is %.0f cm", dimension, name, 100 * size_m);
    if (pov_node_has(core, "measure")) {
        answer(r, pov_text_of(&why));
        if (is_english(r))
            pov_reply_say(r, POV_ANSWERED, "%s.", pov_text_of(&why));
        else
            pov_reply_say(r, POV_ANSWERED, "%s", figures);
    } else {
        const double than_m = pov_amount_read_m(pov_node_find(core, "AMOUNT"));
        const double most_m = strcmp(dimension, "size") == 0 ? fmax(fmax(m.x, m.y), m.z) : size_m;
        (void)say_yes_or_no(r, (most_m > than_m) == pov_node_has(core, "more_than"), pov_text_of(&why),
                            figures);
    }
    pov_text_free(&why);
    return pov_ok();
}

static pov_status count_things(int *count, pov_replying *r, const pov_node *core, const char *name)
{
    pov_meant meant;
    *count = 0;
    POV_TRY(pov_reference_find(&meant, &r->context, pov_node_find(core, name)->items->node, POV_ROLE_COUNT));
    for (pov_id id = 0; id < r->about->scene->len; id++)
        *count += meant.fits[id];
    return pov_ok();
}

static pov_status compare_numbers(pov_replying *r, const pov_node *core)
{
    int one, other;
    POV_TRY(count_things(&one, r, core, "MANY"));
    POV_TRY(count_things(&other, r, core, "MANY2"));
    pov_text why = {0};
    pov_text_set(&why, "%d and %d", one, other);
    const bool yes = pov_node_has(core, "more_things")    ? one > other
                     : pov_node_has(core, "fewer_things") ? one < other
                                                          : one == other;
    char figures[48];
    snprintf(figures, sizeof figures, "%d, %d.", one, other);
    const pov_status status = say_yes_or_no(r, yes, pov_text_of(&why), figures);
    pov_text_free(&why);
    return status;
}

/* "is the cup on the table?", which is no entity: what stands on no other thing does. */
static pov_status tell_rest(pov_replying *r, const pov_node *core)
{
    pov_id id;
    char name[64], other[64];
    POV_TRY(find_part(&id, r, core, "PART"));
    if (asks(r))
        return pov_ok();
    const pov_id support = pov_support_likeliest(r->about->scene, id);
    pov_text why = {0};
    pov_name_thing(name, r->about->scene, id);
    if (support == POV_ID_NONE && pov_node_has(core, "floor")) {
        answer(r, "abstain");
        pov_text_free(&why);
        pov_reply_say(r, POV_ANSWERED,
                      "%s stands on no other thing; whether that is a table or the floor I do not know.",
                      name);
        return pov_ok();
    }
    if (support == POV_ID_NONE || pov_is_surface(&r->about->scene->entities[support]))
        pov_text_set(&why, "%s stands on no other thing", name);
    else
        pov_text_set(&why, "%s is on %s", name, pov_name_thing(other, r->about->scene, support));
    const pov_status status = say_yes_or_no(r, support == POV_ID_NONE, pov_text_of(&why), "");
    pov_text_free(&why);
    return status;
}

pov_status pov_reply_with_comparison(pov_replying *r, const pov_node *core)
{
    if (pov_node_has(core, "rests"))
        return tell_rest(r, core);
    if (pov_node_has(core, "more_things") || pov_node_has(core, "fewer_things") ||
        pov_node_has(core, "as_many_things"))
        return compare_numbers(r, core);
    if (!pov_node_has(core, "same"))
        return tell_size(r, core);
    return pov_node_has(core, "heading") ? compare_headings(r, core)
           : pov_node_has(core, "far")   ? compare_distances(r, core)
                                         : compare_sizes(r, core);
}
