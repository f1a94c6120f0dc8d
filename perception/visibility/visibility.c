#include "perception/visibility/visibility.h"

#include "perception/visibility/occluder_noise.h"
#include "perception/visibility/visibility_look.h"

#include <math.h>
#include <string.h>

/* A heading of which half is farther than about 65 degrees from its mean says nothing of where someone looks. */
static const double kappa_known = 0.5;

/* In standard deviations, for one node. */
static const double kernel_width = 1;

/* When the first nodes, a lattice of their own, answer for all. */
enum { nodes_min = 32, nodes_min_turned = 64 }; /* a yaw's nodes begin at one of its ends */
static const double settled_range = 1, settled_deviations = 6;

POV_ENUM_NAMES(pov_cause_name, pov_cause, POV_CAUSE_COUNT, "none", "out_of_view", "behind", "hidden",
               "too_small", "too_near", "too_far", "unknown_gaze", "not_placed", "not_a_viewer", "no_body")

/* ---- what a look says ---- */

/* Diameter of the disc with this solid angle: 2 pi (1 - cos(diameter / 2)) = 4 pi sin^2(diameter / 4). */
static double disc_diameter(double solid_angle_sr)
{
    return 4 * asin(fmin(1, sqrt(fmax(0, solid_angle_sr) / (4 * POV_PI))));
}

static double share(const pov_tally *t, double part)
{
    return t->whole > 0 ? fmin(1, part / t->whole) : 0;
}

static double visible_share(const pov_tally *t)
{
    return share(t, t->by_outcome[POV_OUTCOME_VISIBLE]);
}

static double disc_solid_angle(double diameter_rad)
{
    const double sine = sin(fmin(2 * POV_PI, diameter_rad) / 4);
    return 4 * POV_PI * sine * sine;
}

/* The visible share of the target beyond the least that counts as seen; seen if not negative. */
static double seen_margin(const pov_tally *t, const pov_seeing *seeing)
{
    const double enough = fmin(seeing->min_fraction * t->whole, disc_solid_angle(seeing->ample_size_rad));
    const double needed = fmax(enough, disc_solid_angle(seeing->min_size_rad));
    return t->whole > 0 ? (t->by_outcome[POV_OUTCOME_VISIBLE] - needed) / t->whole : -1;
}

static pov_cause cause_of(const pov_tally *t, const pov_seeing *seeing)
{
    if (seen_margin(t, seeing) >= 0)
        return POV_CAUSE_NONE;
    if (disc_diameter(t->whole) < seeing->min_size_rad || visible_share(t) >= seeing->min_fraction)
        return POV_CAUSE_TOO_SMALL;
    const double *part = t->by_outcome, out_ahead = part[POV_OUTCOME_OUT_AHEAD],
                 behind = part[POV_OUTCOME_BEHIND];
    const double hidden = part[POV_OUTCOME_HIDDEN];
    const double too_near = part[POV_OUTCOME_TOO_NEAR], too_far = part[POV_OUTCOME_TOO_FAR];
    if (out_ahead + behind >= fmax(hidden, fmax(too_near, too_far)))
        return behind > out_ahead ? POV_CAUSE_BEHIND : POV_CAUSE_OUT_OF_VIEW;
    if (hidden >= fmax(too_near, too_far))
        return POV_CAUSE_HIDDEN;
    return too_near >= too_far ? POV_CAUSE_TOO_NEAR : POV_CAUSE_TOO_FAR;
}

static bool is_before(const pov_scene *scene, pov_occluder a, pov_occluder b)
{
    if (a.share != b.share)
        return a.share > b.share;
    return strcmp(scene->entities[a.id].name, scene->entities[b.id].name) < 0;
}

static void insert_occluder(pov_visibility *visibility, const pov_scene *scene, pov_occluder occluder)
{
    int at = visibility->occluder_len;
    if (at == POV_OCCLUDERS_MAX) {
        if (!is_before(scene, occluder, visibility->occluders[at - 1]))
            return;
        at--;
    } else {
        visibility->occluder_len++;
    }
    for (; at > 0 && is_before(scene, occluder, visibility->occluders[at - 1]); at--)
        visibility->occluders[at] = visibility->occluders[at - 1];
    visibility->occluders[at] = occluder;
}

static void set_fractions(pov_visibility *visibility, const pov_tally *t)
{
    visibility->size_rad = disc_diameter(t->whole);
    const double *part = t->by_outcome;
    visibility->fraction_visible = visible_share(t);
    visibility->fraction_hidden = share(t, part[POV_OUTCOME_HIDDEN]);
    visibility->fraction_out_of_view = share(t, part[POV_OUTCOME_OUT_AHEAD] + part[POV_OUTCOME_BEHIND]);
    visibility->fraction_out_of_range = share(t, part[POV_OUTCOME_TOO_NEAR] + part[POV_OUTCOME_TOO_FAR]);
}

/* ---- errors ---- */

/* The body that could come in the way first: the one with the least angle between its edge and the sight
 * line, of those that are not all beyond the target. */
static pov_id nearest_to_sight_line(const pov_looker *who, pov_vec3 eye_m)
{
    const pov_scene *scene = who->scene;
    const pov_entity *target = &scene->entities[who->target];
    const pov_vec3 sight = pov_vec3_sub(target->position.mean_m, eye_m);
    const double reach = pov_vec3_norm(sight) + pov_vec3_norm(target->size_m) / 2;
    pov_id best = POV_ID_NONE;
    double best_gap = INFINITY;
    for (pov_id id = 0; id < scene->len; id++) {
        const pov_entity *e = &scene->entities[id];
        if (pov_looker_ignores(who, id) || !pov_entity_has_body(e))
            continue;
        const pov_vec3 d = pov_vec3_sub(e->position.mean_m, eye_m);
        const double distance = pov_vec3_norm(d), radius = pov_vec3_norm(e->size_m) / 2;
        const double angle = atan2(pov_vec3_norm(pov_vec3_cross(d, sight)), pov_vec3_dot(d, sight));
        const double gap = angle - (distance > radius ? asin(radius / distance) : POV_PI);
        if (distance - radius < reach && gap < best_gap) {
            best = id;
            best_gap = gap;
        }
    }
    return best;
}

static pov_noise noise_about(const pov_looker *who, pov_id occluder, pov_vec3 eye_m)
{
    double depth = 0.5;
    if (occluder != POV_ID_NONE) {
        const pov_vec3 sight = pov_vec3_sub(who->scene->entities[who->target].position.mean_m, eye_m);
        const pov_vec3 to = pov_vec3_sub(who->scene->entities[occluder].position.mean_m, eye_m);
        const double along = pov_vec3_dot(to, sight) / fmax(1e-12, pov_vec3_dot(sight, sight));
        depth = fmin(1, fmax(0, along));
    }
    return pov_noise_of(who->scene, who->viewer, who->target, occluder, depth);
}

/* All that may be otherwise than the scene says, bodies' shapes apart. */
typedef struct {
    pov_noise noise;
    pov_occluder_noise others;
    pov_heading heading;
} errors;

static void find_errors(errors *err, const pov_looker *who, const pov_visibility *visibility, pov_vec3 eye_m)
{
    const pov_id main =
        visibility->occluder_len > 0 ? visibility->occluders[0].id : nearest_to_sight_line(who, eye_m);
    err->noise = noise_about(who, main, eye_m);
    pov_occluder_noise_of(&err->others, who, &err->noise, main, eye_m);
}

static bool has_exact_places(const errors *err)
{
    return err->noise.is_exact && err->others.len == 0;
}

/* Sums over the nodes. */
typedef struct {
    int len;
    double margin[POV_NOISE_NODES];
    double fraction, whole, by_outcome[POV_OUTCOME_COUNT];
    int causes[POV_CAUSE_COUNT];
} outlook;

static void add_look(outlook *sum, const pov_tally *t, const pov_seeing *seeing)
{
    sum->margin[sum->len++] = seen_margin(t, seeing);
    sum->causes[cause_of(t, seeing)]++;
    sum->fraction += visible_share(t);
    sum->whole += t->whole;
    for (int outcome = 0; outcome < POV_OUTCOME_COUNT; outcome++)
        sum->by_outcome[outcome] += t->by_outcome[outcome];
}

/* The looks' mean as one. */
static pov_tally mean_look(const outlook *sum)
{
    pov_tally mean = {.whole = sum->whole / sum->len};
    for (int outcome = 0; outcome < POV_OUTCOME_COUNT; outcome++)
        mean.by_outcome[outcome] = sum->by_outcome[outcome] / sum->len;
    return mean;
}

typedef struct {
    double mean, std;
} spread;

static spread margin_spread(const outlook *sum)
{
    double mean = 0, square = 0;
    for (int i = 0; i < sum->len; i++)
        mean += sum->margin[i] / sum->len;
    for (int i = 0; i < sum->len; i++)
        square += (sum->margin[i] - mean) * (sum->margin[i] - mean) / sum->len;
    return (spread){mean, sqrt(square)};
}

/* P(margin >= 0) from the nodes' margins. Each stands for its neighbourhood, as a normal kernel: the step at
 * 0 would make the quadrature's error one of counting (Azzalini 1981, of distribution functions by kernels).
 * The kernel's width shrinks as the nodes' cube root, as there. */
static double probability_seen(const outlook *sum)
{
    const double width = kernel_width * margin_spread(sum).std / cbrt(sum->len);
    double p = 0;
    for (int i = 0; i < sum->len; i++)
        p += width > 1e-9 ? 0.5 * erfc(-sum->margin[i] / (width * sqrt(2))) : sum->margin[i] >= 0;
    return p / sum->len;
}

/* More nodes would tell no more: all agree, by far more than they differ. */
static bool is_settled(const outlook *sum, bool is_turned)
{
    if (sum->len < (is_turned ? nodes_min_turned : nodes_min) || (sum->len & (sum->len - 1)) != 0)
        return false;
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < sum->len; i++) {
        least = fmin(least, sum->margin[i]);
        most = fmax(most, sum->margin[i]);
    }
    const spread margin = margin_spread(sum);
    const double gap = fmax(least, -most);
    return gap > settled_range * (most - least) && fabs(margin.mean) > settled_deviations * margin.std;
}

static bool has_doubtful_body(const pov_looker *who)
{
    bool any = false;
    for (pov_id id = 0; id < who->scene->len; id++)
        any |= id != who->viewer && id != pov_looker_stands_at(who) &&
               pov_body_is_doubtful(&who->scene->entities[id]);
    return any;
}

/* True if the bodies' shapes within their boxes do not matter: all of the target's box is in plain view, or none of it is in
 * the field or in range. If all is hidden, smaller bodies may hide less. */
static bool is_same_for_all_bodies(const pov_looker *who, const pov_tally *t)
{
    bool one_outcome = false;
    for (int outcome = 0; outcome < POV_OUTCOME_COUNT; outcome++)
        one_outcome |= outcome != POV_OUTCOME_HIDDEN && t->by_outcome[outcome] >= t->whole;
    return one_outcome || !has_doubtful_body(who);
}

/* The eye's shift when its body turns with the heading's error. */
static pov_vec3 shift_eye(const pov_looker *who, const pov_noise_node *node, const pov_heading *heading)
{
    const pov_entity *viewer = &who->scene->entities[who->viewer];
    const double turn_rad = heading->len > 0 ? node->yaw_rad - pov_heading_heaviest(heading)->yaw_rad : 0;
    const pov_vec3 eye_m = pov_rot_apply(viewer->R_table_box, viewer->field.eye_m);
    const pov_rot R = pov_rot_mul(pov_rot_exp(node->rotation_rad), pov_rot_yaw(turn_rad));
    return pov_vec3_sub(pov_rot_apply(R, eye_m), eye_m);
}

static pov_look look_of_node(const pov_looker *who, const pov_noise_node *node, const pov_heading *heading,
                             int rays)
{
    pov_look how = {.gaze = pov_gaze_of(who->scene, who->viewer, node->yaw_rad),
                    .target_shift_m = node->target_shift_m,
                    .net_shift = node->net_shift,
                    .rays = rays};
    how.gaze.eye_m =
        pov_vec3_add(how.gaze.eye_m, pov_vec3_add(node->eye_shift_m, shift_eye(who, node, heading)));
    how.gaze.R_table_gaze = pov_rot_mul(pov_rot_exp(node->rotation_rad), how.gaze.R_table_gaze);
    return how;
}

/* The bodies that get their own components of the lattice: the target's, and those of the largest occluders. */
static void share_slots(pov_id slots[POV_INSET_SLOTS], const pov_looker *who,
                        const pov_visibility *visibility)
{
    slots[0] = who->target;
    for (int i = 1; i < POV_INSET_SLOTS; i++)
        slots[i] = i <= visibility->occluder_len ? visibility->occluders[i - 1].id : POV_ID_NONE;
}

static outlook look_at_nodes(const pov_looker *who, const errors *err, const pov_seeing *seeing,
                             const pov_visibility *visibility, double filled)
{
    outlook sum = {0};
    const pov_heading *heading = &err->heading;
    pov_inset insets[POV_ENTITY_MAX];
    pov_vec3 shifts_m[POV_ENTITY_MAX];
    pov_id slots[POV_INSET_SLOTS];
    const bool is_doubtful = has_doubtful_body(who);
    share_slots(slots, who, visibility);
    memset(shifts_m, 0, (size_t)who->scene->len * sizeof *shifts_m);
    pov_heading_quantile quantile;
    if (heading->len > 0)
        pov_heading_quantile_of(&quantile, heading);
    for (int i = 0; i < POV_NOISE_NODES && !is_settled(&sum, heading->len > 0); i++) {
        const pov_noise_node node = pov_noise_node_of(&err->noise, pov_occlusion_noise_points(who->occlusion),
                                                      heading->len > 0 ? &quantile : NULL, i);
        pov_look how = look_of_node(who, &node, heading, seeing->rays_per_node);
        how.filled = filled;
        if (is_doubtful) {
            pov_insets_of(insets, who->scene, slots, node.body);
            how.insets = insets;
        }
        if (err->others.len > 0) {
            pov_occluder_noise_shift(shifts_m, &err->others, who, &err->noise, i);
            how.shifts_m = shifts_m;
        }
        const pov_tally t = pov_look_at(who, &how);
        add_look(&sum, &t, seeing);
    }
    return sum;
}

/* ---- gaze ---- */

/* The heading where it matters, without what the noise has of it; len 0 where it does not: the camera's gaze is its rotation, and who sees all
 * around looks nowhere. */
static pov_heading gaze_heading(const pov_looker *who)
{
    if (who->viewer == who->scene->camera || pov_field_is_everything(&who->field))
        return (pov_heading){0};
    pov_heading heading = *pov_entity_aim(&who->scene->entities[who->viewer], POV_AIM_GAZE);
    for (int i = 0; i < heading.len && pov_noise_has_gaze(who->scene, who->viewer); i++)
        if (heading.mode[i].kappa >= POV_HEADING_TIED_KAPPA)
            heading.mode[i].kappa = pov_kappa_from_std(0);
    return heading;
}

static bool is_exact_heading(const pov_heading *heading)
{
    return heading->len == 0 || (heading->len == 1 && heading->mode[0].kappa >= 1e10);
}

static double yaw_toward_target(const pov_looker *who)
{
    const pov_gaze gaze = pov_gaze_of(who->scene, who->viewer, 0);
    const pov_vec3 d = pov_vec3_sub(who->scene->entities[who->target].position.mean_m, gaze.eye_m);
    return atan2(d.y, d.x);
}

/* ---- the judgment ---- */

static pov_visibility undefined_visibility(pov_id viewer, pov_id target, pov_cause cause)
{
    return (pov_visibility){.viewer = viewer,
                            .target = target,
                            .sees = {NAN, NAN, POV_VERDICT_UNDEFINED},
                            .fraction_expected = NAN,
                            .fraction_visible = NAN,
                            .size_rad = NAN,
                            .fraction_out_of_view = NAN,
                            .fraction_hidden = NAN,
                            .fraction_out_of_range = NAN,
                            .cause = cause};
}

static pov_belief belief_of(double p, double abstain_margin)
{
    p = fmin(1, fmax(0, p));
    pov_verdict verdict = p > 0.5 ? POV_TRUE : POV_FALSE;
    if (fabs(p - 0.5) <= abstain_margin)
        verdict = POV_ABSTAIN;
    return (pov_belief){.p = p, .p_std = sqrt(p * (1 - p)), .verdict = verdict};
}

static pov_cause likeliest_cause(const outlook *sum, bool gaze_known)
{
    int best = POV_CAUSE_OUT_OF_VIEW;
    for (int cause = POV_CAUSE_OUT_OF_VIEW; cause < POV_CAUSE_COUNT; cause++)
        if (sum->causes[cause] > sum->causes[best])
            best = cause;
    const bool is_gaze = best == POV_CAUSE_OUT_OF_VIEW || best == POV_CAUSE_BEHIND;
    return is_gaze && !gaze_known ? POV_CAUSE_UNKNOWN_GAZE : (pov_cause)best;
}

static void judge_visibility(pov_visibility *visibility, const pov_looker *who, const pov_seeing *seeing)
{
    errors err;
    err.heading = gaze_heading(who);
    const pov_heading_mode *mode = pov_heading_heaviest(&err.heading);
    const bool gaze_known = !mode || mode->kappa >= kappa_known;
    const double yaw = mode && gaze_known ? mode->yaw_rad : yaw_toward_target(who);
    const pov_look likeliest = {
        .gaze = pov_gaze_of(who->scene, who->viewer, yaw), .rays = seeing->rays, .asks_who = true};
    const pov_tally t = pov_look_at(who, &likeliest);
    set_fractions(visibility, &t);
    for (pov_id id = 0; id < who->scene->len; id++)
        if (t.hidden_by[id] > 0)
            insert_occluder(visibility, who->scene, (pov_occluder){id, share(&t, t.hidden_by[id])});

    find_errors(&err, who, visibility, likeliest.gaze.eye_m);
    outlook sum = {0};
    if (has_exact_places(&err) && is_exact_heading(&err.heading) && is_same_for_all_bodies(who, &t))
        add_look(&sum, &t, seeing);
    else
        sum = look_at_nodes(who, &err, seeing, visibility, t.filled);
    if (!gaze_known) {
        const pov_tally mean = mean_look(&sum);
        set_fractions(visibility, &mean);
    }
    visibility->fraction_expected = sum.fraction / sum.len;
    visibility->sees = belief_of(probability_seen(&sum), seeing->abstain_margin);
    visibility->cause =
        visibility->sees.verdict == POV_TRUE ? POV_CAUSE_NONE : likeliest_cause(&sum, gaze_known);
}

static pov_cause why_no_answer(const pov_scene *scene, pov_id viewer, pov_id target)
{
    const pov_entity *v = &scene->entities[viewer], *t = &scene->entities[target];
    if (!v->can_see || viewer == target)
        return POV_CAUSE_NOT_A_VIEWER;
    const pov_vec3 eye = pov_gaze_of(scene, viewer, 0).eye_m;
    if (!v->placed || !t->placed || !isfinite(eye.x + eye.y + eye.z))
        return POV_CAUSE_NOT_PLACED;
    return pov_entity_has_body(t) ? POV_CAUSE_NONE : POV_CAUSE_NO_BODY;
}

pov_code pov_visibility_evaluate(const pov_occlusion *occlusion, pov_visibility *visibility, pov_id viewer,
                                 pov_id target, const pov_seeing *seeing)
{
    const pov_scene *scene = pov_occlusion_scene(occlusion);
    POV_REQUIRE(viewer >= 0 && viewer < scene->len && target >= 0 && target < scene->len);
    *visibility = undefined_visibility(viewer, target, why_no_answer(scene, viewer, target));
    if (visibility->cause != POV_CAUSE_NONE)
        return POV_UNDEFINED;

    pov_looker who = {occlusion, scene, viewer, target, scene->entities[viewer].field};
    const bool has_gaze = viewer == scene->camera || scene->entities[viewer].heading.len > 0 ||
                          pov_field_is_everything(&who.field);
    if (!has_gaze) { /* could it be seen by someone who looks all around? */
        who.field.shape = POV_FIELD_CONE;
        who.field.half_horizontal_rad = who.field.half_vertical_rad = POV_PI;
    }
    judge_visibility(visibility, &who, seeing);
    if (has_gaze || visibility->sees.verdict == POV_FALSE)
        return POV_OK;
    *visibility = undefined_visibility(viewer, target, POV_CAUSE_UNKNOWN_GAZE);
    return POV_UNDEFINED;
}
