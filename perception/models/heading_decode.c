#include "perception/models/heading_decode.h"

#include "perception/models/model_contract.h"

#include <math.h>
#include <string.h>

enum { MODES_MAX = POV_MODEL_BIN_MAX };

/* Modes below this share of the whole are noise. */
static const double weight_min = 0.02;

typedef struct {
    int len;
    pov_heading_mode mode[MODES_MAX];
} modes;

/* NaN for a deviation that is none. */
static double kappa_of(double std_rad)
{
    return std_rad >= 0 ? pov_kappa_from_std(std_rad) : NAN;
}

/* ---- bins ---- */

static void normalize(double *p, int len)
{
    double sum = 0;
    for (int i = 0; i < len; i++)
        sum += p[i];
    for (int i = 0; i < len; i++)
        p[i] /= sum;
}

static void softmax(double *p, const float *numbers, int len)
{
    double most = -INFINITY;
    for (int i = 0; i < len; i++)
        most = fmax(most, numbers[i]);
    for (int i = 0; i < len; i++)
        p[i] = exp(numbers[i] - most);
    normalize(p, len);
}

static void shares_of_bins(double *p, const pov_heading_contract *contract, const float *numbers)
{
    if (!contract->probabilities && !contract->sigmoid) {
        softmax(p, numbers, contract->bins);
        return;
    }
    for (int i = 0; i < contract->bins; i++)
        p[i] = contract->sigmoid ? 1 / (1 + exp(-(double)numbers[i])) : fmax(0, numbers[i]);
    normalize(p, contract->bins);
}

static double bin_step(const pov_heading_contract *contract)
{
    return contract->step_rad > 0 ? contract->step_rad : 2 * POV_PI / contract->bins;
}

/* Bins that do not go all around have two ends. */
static bool is_full_circle(const pov_heading_contract *contract)
{
    return bin_step(contract) * contract->bins > 2 * POV_PI - 1e-6;
}

/* Mousavian 2017, section 4.1: the residual angle of each bin. */
static double angle_of_bin(const pov_heading_contract *contract, const float *offsets, int bin)
{
    const double centre = contract->first_rad + bin_step(contract) * bin;
    if (contract->offset == POV_BIN_OFFSET_RADIANS)
        return centre + offsets[bin];
    if (contract->offset == POV_BIN_OFFSET_SINE_COSINE)
        return centre + atan2((double)offsets[2 * bin], (double)offsets[2 * bin + 1]);
    return centre;
}

/* The peak that a bin leads up to. */
static int peak_of(const double *p, const pov_heading_contract *contract, int bin)
{
    const int bins = contract->bins;
    const bool round = is_full_circle(contract);
    for (int steps = 0; steps < bins; steps++) {
        const int left = bin > 0 || round ? (bin + bins - 1) % bins : bin;
        const int right = bin + 1 < bins || round ? (bin + 1) % bins : bin;
        const int higher = p[left] > p[right] ? left : right;
        if (!(p[higher] > p[bin]))
            break;
        bin = higher;
    }
    return bin;
}

typedef struct {
    double weight, sine, cosine;
} bundle;

/* The standard deviation within a mode: of its bins, of a bin's own width, and what was measured. */
static pov_heading_mode mode_of(const bundle *b, const pov_heading_contract *contract)
{
    const double length = fmin(1, hypot(b->sine, b->cosine) / b->weight);
    const double width = contract->offset == POV_BIN_OFFSET_NONE ? bin_step(contract) : 0;
    const double variance = -2 * log(length) + width * width / 12 + contract->std_rad * contract->std_rad;
    return (pov_heading_mode){b->weight, atan2(b->sine, b->cosine), kappa_of(sqrt(variance))};
}

static void modes_of_bins(modes *found, const pov_heading_contract *contract, const float *numbers)
{
    const int bins = contract->bins;
    double p[POV_MODEL_BIN_MAX];
    bundle bundles[POV_MODEL_BIN_MAX];
    memset(bundles, 0, sizeof bundles);
    shares_of_bins(p, contract, numbers);
    for (int i = 0; i < bins; i++) {
        const double angle = angle_of_bin(contract, numbers + bins, i);
        bundle *b = &bundles[peak_of(p, contract, i)];
        b->weight += p[i];
        b->sine += p[i] * sin(angle);
        b->cosine += p[i] * cos(angle);
    }
    for (int i = 0; i < bins; i++)
        if (bundles[i].weight > 0)
            found->mode[found->len++] = mode_of(&bundles[i], contract);
}

/* ---- one angle ---- */

static void mode_of_vector(modes *found, const pov_heading_contract *contract, const float *numbers)
{
    const double sine = numbers[0], cosine = numbers[1];
    const double kappa =
        contract->norm_is_kappa ? hypot(sine, cosine) : pov_kappa_from_std(contract->std_rad);
    found->mode[found->len++] = (pov_heading_mode){1, atan2(sine, cosine), kappa};
}

static pov_vec3 vector_of(const float *numbers)
{
    return (pov_vec3){numbers[0], numbers[1], numbers[2]};
}

/* Zhou 2019, section 4.2: Gram and Schmidt. */
static pov_rot rotation_of_6(const float *numbers)
{
    const pov_vec3 x = pov_vec3_unit(vector_of(numbers)), b = vector_of(numbers + 3);
    const pov_vec3 y = pov_vec3_unit(pov_vec3_sub(b, pov_vec3_scale(x, pov_vec3_dot(x, b))));
    const pov_vec3 z = pov_vec3_cross(x, y);
    return (pov_rot){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

/* Levinson 2020: the nearest rotation. Beyond a mirror there is none worth having. */
static pov_rot rotation_of_9(const float *numbers)
{
    pov_rot R;
    for (int i = 0; i < 9; i++)
        R.m[i / 3][i % 3] = numbers[i];
    return pov_rot_nearest(R);
}

/* A front that points up or down says less of where it points on the ground. */
static void mode_of_rotation(modes *found, pov_seen_heading *seen, const pov_heading_contract *contract,
                             const float *numbers)
{
    const pov_rot R =
        contract->kind == POV_HEADING_ROTATION_6D ? rotation_of_6(numbers) : rotation_of_9(numbers);
    const pov_vec3 front = pov_rot_apply(R, pov_vec3_unit(contract->front_axis));
    const double kappa = kappa_of(contract->std_rad / fmax(1e-6, hypot(front.x, front.z)));
    found->mode[found->len++] = (pov_heading_mode){1, atan2(-front.x, front.z), kappa};
    seen->has_direction = true;
    seen->direction = front;
}

/* Yaw about the head's vertical, pitch and roll: of them only the yaw turns the front on the ground. */
static void mode_of_euler(modes *found, const pov_heading_contract *contract, const float *numbers)
{
    const double unit = contract->radians ? 1 : POV_PI / 180;
    int yaw = 0;
    while (contract->order[yaw] != POV_EULER_YAW)
        yaw++;
    found->mode[found->len++] =
        (pov_heading_mode){1, (double)numbers[yaw] * unit, kappa_of(contract->std_rad)};
}

static void to_away(modes *found, const pov_heading_contract *contract)
{
    for (int i = 0; i < found->len; i++) {
        const double turned = found->mode[i].yaw_rad - contract->away_rad;
        found->mode[i].yaw_rad = contract->clockwise ? -turned : turned;
    }
}

/* ---- symmetries ---- */

static void add_mode(modes *all, pov_heading_mode mode)
{
    for (int i = 0; i < all->len; i++) {
        if (fabs(pov_angle_wrap(all->mode[i].yaw_rad - mode.yaw_rad)) < 1e-9) {
            all->mode[i].weight += mode.weight;
            return;
        }
    }
    if (all->len < MODES_MAX)
        all->mode[all->len++] = mode;
}

static void repeat_modes(modes *all, const pov_heading_mode *mode, int order, double weight)
{
    for (int k = 0; k < order; k++)
        add_mode(all,
                 (pov_heading_mode){mode->weight * weight / order,
                                    pov_angle_wrap(mode->yaw_rad + 2 * POV_PI * k / order), mode->kappa});
}

/* False if any turn is likeliest: there is no front. Logits that are not numbers leave no modes. */
static bool apply_symmetries(modes *all, const modes *found, const pov_heading_contract *contract,
                             const float *logits)
{
    double p[POV_MODEL_SYMMETRY_MAX], any_turn = 0, most = 0;
    softmax(p, logits, contract->symmetry_len);
    for (int i = 0; i < contract->symmetry_len; i++) {
        if (contract->symmetry[i] == 0)
            any_turn += p[i];
        else
            most = fmax(most, p[i]);
    }
    for (int m = 0; m < found->len; m++)
        for (int i = 0; i < contract->symmetry_len; i++)
            if (p[i] >= weight_min)
                repeat_modes(all, &found->mode[m], contract->symmetry[i], p[i] / (1 - any_turn));
    return isnan(p[0]) || any_turn < most;
}

/* ---- the likeliest modes ---- */

static int find_likeliest(const modes *all)
{
    int best = 0;
    for (int i = 1; i < all->len; i++)
        if (all->mode[i].weight > all->mode[best].weight)
            best = i;
    return best;
}

/* The weight of the dropped modes goes to one flat mode. If there is no room for it, lesser modes are dropped, or all are
 * widened. */
static void add_left_out(pov_heading *heading, double left_out)
{
    if (left_out < weight_min)
        return;
    if (heading->len == POV_HEADING_MODES_MAX && heading->mode[heading->len - 1].weight < left_out)
        left_out += heading->mode[--heading->len].weight;
    if (heading->len < POV_HEADING_MODES_MAX) {
        int at = heading->len++;
        for (; at > 0 && heading->mode[at - 1].weight < left_out; at--)
            heading->mode[at] = heading->mode[at - 1];
        heading->mode[at] = (pov_heading_mode){left_out, 0, 0};
        return;
    }
    for (int i = 0; i < heading->len; i++)
        heading->mode[i].kappa = 1 / (1 / heading->mode[i].kappa - 2 * log1p(-left_out));
}

/* `any`: share of what has no front. */
static pov_heading likeliest_modes(modes *all, double any)
{
    pov_heading heading = {0};
    double left_out = any, sum = 0;
    for (int i = 0; i < all->len; i++)
        all->mode[i].weight *= 1 - any;
    while (heading.len < POV_HEADING_MODES_MAX && all->len > 0) {
        const int best = find_likeliest(all);
        if (all->mode[best].weight < weight_min)
            break;
        heading.mode[heading.len] = all->mode[best];
        heading.mode[heading.len++].yaw_rad = pov_angle_wrap(all->mode[best].yaw_rad);
        all->mode[best] = all->mode[--all->len];
    }
    for (int i = 0; i < all->len; i++)
        left_out += all->mode[i].weight;
    add_left_out(&heading, left_out);
    for (int i = 0; i < heading.len; i++)
        sum += heading.mode[i].weight;
    for (int i = 0; i < heading.len; i++)
        heading.mode[i].weight /= sum;
    return heading;
}

static bool is_finite(const pov_heading *heading)
{
    bool finite = true;
    for (int i = 0; i < heading->len; i++)
        finite = finite && isfinite(heading->mode[i].weight) && isfinite(heading->mode[i].yaw_rad) &&
                 isfinite(heading->mode[i].kappa);
    return finite;
}

pov_seen_heading pov_heading_decode(const pov_heading_contract *contract, const float *numbers)
{
    double has_front[2] = {1, 0};
    if (contract->confidence_column > 0)
        softmax(has_front, numbers + contract->confidence_column, 2);
    numbers += contract->columns > 0 ? contract->first_column : 0;
    const float *symmetry = contract->symmetry_len ? numbers + pov_heading_angle_columns(contract) : NULL;
    pov_seen_heading seen = {.against = contract->against};
    modes found = {.len = 0}, repeated = {.len = 0};
    if (contract->kind == POV_HEADING_BINS)
        modes_of_bins(&found, contract, numbers);
    else if (contract->kind == POV_HEADING_SINE_COSINE)
        mode_of_vector(&found, contract, numbers);
    else if (contract->kind == POV_HEADING_EULER)
        mode_of_euler(&found, contract, numbers);
    else
        mode_of_rotation(&found, &seen, contract, numbers);
    if (!seen.has_direction)
        to_away(&found, contract);
    if (symmetry && !apply_symmetries(&repeated, &found, contract, symmetry))
        return seen;
    seen.heading = likeliest_modes(symmetry ? &repeated : &found, has_front[1]);
    if (seen.heading.len == 0 || !is_finite(&seen.heading)) {
        seen.heading = pov_heading_single(0, 0);
        seen.has_direction = false;
    }
    return seen;
}
