#include "perception/geometry/camera.h"
#include "perception/hash.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Each lens is a projection onto a plane (x/z, or the angle off axis along the point's azimuth) followed by a
 * distortion of that plane. The second is common to all lenses:
 *     d(u) = u N(s) / D(s) + tangential(u),  s = |u|^2. */
enum { NUMERATOR_LEN = 5, DENOMINATOR_LEN = 4, SLOPE_LEN_MAX = NUMERATOR_LEN + DENOMINATOR_LEN - 1 };

typedef struct {
    double numerator[NUMERATOR_LEN];     /* coefficients of N, by powers of s */
    double denominator[DENOMINATOR_LEN]; /* of D */
    double p1, p2;
    double slope[SLOPE_LEN_MAX]; /* of D^2 d(r N/D)/dr: positive where the image does not fold back */
    int slope_len;
    double s_limit; /* the plane ends here */
    bool is_rational;
} distortion_model;

/** A plane's point where the distortion puts it. The map is a gradient, so that its Jacobian is symmetric. */
typedef struct {
    pov_vec2 position;
    double xx, xy, yy;
} distorted;

static double polynomial(const double *coefficients, int len, double s)
{
    double value = 0;
    for (int i = len - 1; i >= 0; i--)
        value = value * s + coefficients[i];
    return value;
}

static double polynomial_slope(const double *coefficients, int len, double s)
{
    double value = 0;
    for (int i = len - 1; i >= 1; i--)
        value = value * s + i * coefficients[i];
    return value;
}

/** A lower bound over [0, s] from the negative coefficients alone: settles most points at once. */
static bool is_surely_positive(const double *coefficients, int len, double s)
{
    double bound = 0;
    for (int i = len - 1; i >= 1; i--)
        bound = bound * s + (coefficients[i] < 0 ? coefficients[i] : 0);
    return coefficients[0] + bound * s > 0;
}

/** True if a polynomial given by its Bernstein coefficients is positive all over [0, 1]: they bound it, and
 * halving (de Casteljau) tightens the bound quadratically. A zero met within the last halving counts as one.
 */
static bool is_bernstein_positive(const double *bernstein, int len, int halvings_left)
{
    double lowest = bernstein[0];
    for (int i = 1; i < len; i++)
        lowest = fmin(lowest, bernstein[i]);
    if (lowest > 0)
        return true;
    if (!(bernstein[0] > 0 && bernstein[len - 1] > 0) || halvings_left == 0)
        return false;
    double left[SLOPE_LEN_MAX], right[SLOPE_LEN_MAX];
    memcpy(right, bernstein, (size_t)len * sizeof right[0]);
    for (int i = 0; i < len; i++) {
        left[i] = right[0];
        for (int j = 0; j + 1 < len - i; j++)
            right[j] = (right[j] + right[j + 1]) / 2;
    }
    return is_bernstein_positive(left, len, halvings_left - 1) &&
           is_bernstein_positive(right, len, halvings_left - 1);
}

/** True if a polynomial is positive all over [0, s]. */
static bool is_positive_up_to(const double *coefficients, int len, double s)
{
    enum { HALVINGS_MAX = 24 };
    if (is_surely_positive(coefficients, len, s))
        return true;
    double bernstein[SLOPE_LEN_MAX];
    double power = 1;
    for (int j = 0; j < len; j++, power *= s)
        bernstein[j] = coefficients[j] * power;
    /* b_i = sum over j of C(i, j) / C(n, j) a_j: divide by C(n, j), then sum by Pascal's triangle. */
    double binomial = 1;
    for (int j = 0; j < len; j++) {
        bernstein[j] /= binomial;
        binomial = binomial * (len - 1 - j) / (j + 1);
    }
    for (int round = 1; round < len; round++)
        for (int i = len - 1; i >= round; i--)
            bernstein[i] += bernstein[i - 1];
    return is_bernstein_positive(bernstein, len, HALVINGS_MAX);
}

/** D^2 d(r N(r^2) / D(r^2))/dr = N D + 2 s (N' D - N D'), coefficient by coefficient. */
static void slope_of(distortion_model *model)
{
    const int denominator_len = model->is_rational ? DENOMINATOR_LEN : 1;
    model->slope_len = NUMERATOR_LEN + denominator_len - 1;
    for (int i = 0; i < NUMERATOR_LEN; i++)
        for (int j = 0; j < denominator_len; j++)
            model->slope[i + j] += (1 + 2 * (i - j)) * model->numerator[i] * model->denominator[j];
}

static distortion_model model_of(const pov_camera *camera)
{
    const double *k = camera->distortion;
    distortion_model model = {.denominator = {1}, .s_limit = INFINITY};
    if (camera->lens == POV_LENS_EQUIDISTANT) {
        memcpy(model.numerator, (double[]){1, k[0], k[1], k[2], k[3]}, sizeof model.numerator);
        model.s_limit = POV_PI * POV_PI;
    } else {
        memcpy(model.numerator, (double[]){1, k[0], k[1], k[4], 0}, sizeof model.numerator);
        memcpy(model.denominator, (double[]){1, k[5], k[6], k[7]}, sizeof model.denominator);
        model.is_rational = k[5] != 0 || k[6] != 0 || k[7] != 0;
        model.p1 = k[2];
        model.p2 = k[3];
    }
    slope_of(&model);
    return model;
}

/** The fold-back is where the radial map stops rising on the way from the centre (or D meets a pole), or
 * where the tangential part turns the Jacobian over. False beyond it; NaN is beyond it, too. */
static bool distort(const distortion_model *model, distorted *out, pov_vec2 u)
{
    const double s = u.x * u.x + u.y * u.y;
    if (!(s < model->s_limit) || !isfinite(s) || !is_positive_up_to(model->slope, model->slope_len, s) ||
        (model->is_rational && !is_positive_up_to(model->denominator, DENOMINATOR_LEN, s)))
        return false;
    double ratio = polynomial(model->numerator, NUMERATOR_LEN, s);
    double slope = polynomial_slope(model->numerator, NUMERATOR_LEN, s);
    if (model->is_rational) {
        const double denominator = polynomial(model->denominator, DENOMINATOR_LEN, s);
        ratio /= denominator;
        slope = (slope - ratio * polynomial_slope(model->denominator, DENOMINATOR_LEN, s)) / denominator;
    }
    const double p1 = model->p1, p2 = model->p2;
    out->position.x = u.x * ratio + 2 * p1 * u.x * u.y + p2 * (s + 2 * u.x * u.x);
    out->position.y = u.y * ratio + p1 * (s + 2 * u.y * u.y) + 2 * p2 * u.x * u.y;
    out->xx = ratio + 2 * u.x * u.x * slope + 2 * p1 * u.y + 6 * p2 * u.x;
    out->xy = 2 * u.x * u.y * slope + 2 * p1 * u.x + 2 * p2 * u.y;
    out->yy = ratio + 2 * u.y * u.y * slope + 6 * p1 * u.y + 2 * p2 * u.x;
    return out->xx > 0 && out->xx * out->yy > out->xy * out->xy;
}

/** J^-1 v of the symmetric Jacobian. */
static pov_vec2 solve(const distorted *at, pov_vec2 v)
{
    const double det = at->xx * at->yy - at->xy * at->xy;
    return (pov_vec2){(at->yy * v.x - at->xy * v.y) / det, (at->xx * v.y - at->xy * v.x) / det};
}

/** Halves the step until it stays this side of the fold-back and comes nearer. False: no such step. */
static bool step_nearer(const distortion_model *model, pov_vec2 *u, distorted *at, pov_vec2 step,
                        pov_vec2 target)
{
    enum { HALVINGS_MAX = 40 };
    const double miss = hypot(target.x - at->position.x, target.y - at->position.y);
    for (int i = 0; i < HALVINGS_MAX; i++, step = (pov_vec2){step.x / 2, step.y / 2}) {
        const pov_vec2 candidate = {u->x + step.x, u->y + step.y};
        distorted there;
        if (!distort(model, &there, candidate) ||
            !(hypot(target.x - there.position.x, target.y - there.position.y) < miss))
            continue;
        *u = candidate;
        *at = there;
        return true;
    }
    return false;
}

/** Solves d(u) = target by Newton's method from the target or, if that lies beyond the fold-back, the centre.
 * Inside the fold-back the Jacobian is positive definite, so that the miss has no local minimum but the
 * solution. */
static bool undistort(const distortion_model *model, pov_vec2 *u, distorted *at, pov_vec2 target)
{
    enum { STEPS_MAX = 60 };
    const double STEP_MIN = 1e-13;
    *u = target;
    if (!distort(model, at, *u)) {
        *u = (pov_vec2){0, 0};
        if (!distort(model, at, *u))
            return false;
    }
    for (int i = 0; i < STEPS_MAX; i++) {
        const pov_vec2 step = solve(at, (pov_vec2){target.x - at->position.x, target.y - at->position.y});
        const double size = hypot(step.x, step.y) / (1 + hypot(u->x, u->y));
        if (size < STEP_MIN)
            return true;
        if (!step_nearer(model, u, at, step, target))
            return size < 100 * STEP_MIN; /* rounding stops it near the solution, the fold-back far from it */
    }
    return false;
}

/** x/z, y/z. */
static bool perspective_flatten(pov_vec2 *u, double J[2][3], pov_vec3 p)
{
    if (!(p.z > 0))
        return false;
    *u = (pov_vec2){p.x / p.z, p.y / p.z};
    const double rows[2][3] = {{1 / p.z, 0, -u->x / p.z}, {0, 1 / p.z, -u->y / p.z}};
    memcpy(J, rows, sizeof rows);
    return true;
}

/** The angle off axis, along the point's azimuth. Straight behind there is no azimuth. */
static bool equidistant_flatten(pov_vec2 *u, double J[2][3], pov_vec3 p)
{
    const double r = hypot(p.x, p.y);
    const double rho2 = r * r + p.z * p.z;
    const bool on_axis = r <= 1e-12 * fabs(p.z);
    if (!(rho2 > 0) || (on_axis && p.z < 0))
        return false;
    const double c = on_axis ? 1 : p.x / r, s = on_axis ? 0 : p.y / r;
    const double angle_per_r = on_axis ? 1 / p.z : atan2(r, p.z) / r;
    const double along = p.z / rho2, across = angle_per_r, depth = -r / rho2;
    *u = (pov_vec2){p.x * angle_per_r, p.y * angle_per_r};
    const double rows[2][3] = {
        {c * c * along + s * s * across, c * s * (along - across), c * depth},
        {c * s * (along - across), s * s * along + c * c * across, s * depth},
    };
    memcpy(J, rows, sizeof rows);
    return true;
}

static pov_vec3 perspective_raise(double J[3][2], pov_vec2 u)
{
    const double z = 1 / sqrt(1 + u.x * u.x + u.y * u.y), z3 = z * z * z;
    const double rows[3][2] = {
        {z - u.x * u.x * z3, -u.x * u.y * z3},
        {-u.x * u.y * z3, z - u.y * u.y * z3},
        {-u.x * z3, -u.y * z3},
    };
    memcpy(J, rows, sizeof rows);
    return (pov_vec3){u.x * z, u.y * z, z};
}

static pov_vec3 equidistant_raise(double J[3][2], pov_vec2 u)
{
    const double angle = hypot(u.x, u.y);
    const bool on_axis = angle < 1e-12;
    const double c = on_axis ? 1 : u.x / angle, s = on_axis ? 0 : u.y / angle;
    const double sinc = on_axis ? 1 : sin(angle) / angle, cosine = cos(angle);
    const double rows[3][2] = {
        {c * c * cosine + s * s * sinc, c * s * (cosine - sinc)},
        {c * s * (cosine - sinc), s * s * cosine + c * c * sinc},
        {-sinc * u.x, -sinc * u.y},
    };
    memcpy(J, rows, sizeof rows);
    return (pov_vec3){u.x * sinc, u.y * sinc, cosine};
}

typedef struct {
    bool (*flatten)(pov_vec2 *u, double J[2][3], pov_vec3 pos_camera);
    pov_vec3 (*raise)(double J[3][2], pov_vec2 u); /* unit direction */
} lens_projection;

static const lens_projection PROJECTIONS[] = {
    [POV_LENS_BROWN_CONRADY] = {perspective_flatten, perspective_raise},
    [POV_LENS_EQUIDISTANT] = {equidistant_flatten, equidistant_raise},
};
_Static_assert(sizeof PROJECTIONS / sizeof PROJECTIONS[0] == POV_LENS_COUNT, "one projection a lens");

static const lens_projection *projection_of(const pov_camera *camera)
{
    POV_REQUIRE(camera->lens < POV_LENS_COUNT);
    return &PROJECTIONS[camera->lens];
}

static pov_code project_undefined(pov_vec2 *pixel, double jacobian[2][3])
{
    *pixel = (pov_vec2){NAN, NAN};
    for (int i = 0; jacobian && i < 6; i++)
        jacobian[i / 3][i % 3] = NAN;
    return POV_UNDEFINED;
}

static pov_code project_by(const distortion_model *model, const pov_camera *camera, pov_vec2 *pixel,
                           double jacobian[2][3], pov_vec3 pos_camera)
{
    pov_vec2 u;
    double flat[2][3];
    distorted at;
    if (!projection_of(camera)->flatten(&u, flat, pos_camera) || !distort(model, &at, u))
        return project_undefined(pixel, jacobian);
    *pixel = (pov_vec2){camera->fx_px * at.position.x + camera->cx_px,
                        camera->fy_px * at.position.y + camera->cy_px};
    for (int j = 0; jacobian && j < 3; j++) {
        jacobian[0][j] = camera->fx_px * (at.xx * flat[0][j] + at.xy * flat[1][j]);
        jacobian[1][j] = camera->fy_px * (at.xy * flat[0][j] + at.yy * flat[1][j]);
    }
    return POV_OK;
}

pov_code pov_camera_project(const pov_camera *camera, pov_vec2 *pixel, double jacobian[2][3],
                            pov_vec3 pos_camera)
{
    const distortion_model model = model_of(camera);
    return project_by(&model, camera, pixel, jacobian, pos_camera);
}

pov_code pov_camera_project_all(const pov_camera *camera, pov_vec2 *pixels, double (*jacobians)[2][3],
                                const pov_vec3 *pos_camera, int len)
{
    const distortion_model model = model_of(camera);
    pov_code worst = POV_OK;
    for (int i = 0; i < len; i++) {
        const pov_code code = project_by(&model, camera, &pixels[i], jacobians[i], pos_camera[i]);
        worst = code == POV_OK ? worst : code;
    }
    return worst;
}

/** True if all points of a pinhole lens lie within its fold-back as far as the radial part decides it. */
static bool are_within_fold(const distortion_model *model, double *const pos_camera[3], int len)
{
    double farthest = 0;
    for (int i = 0; i < len; i++) {
        const double x = pos_camera[0][i], y = pos_camera[1][i], z = pos_camera[2][i];
        const double s = z > 0 ? (x * x + y * y) / (z * z) : INFINITY;
        farthest = s > farthest ? s : farthest;
    }
    return isfinite(farthest) && is_positive_up_to(model->slope, model->slope_len, farthest);
}

void pov_camera_project_points(const pov_camera *camera, double *restrict x_px, double *restrict y_px,
                               double *const pos_camera[3], int len)
{
    const distortion_model model = model_of(camera);
    const double *restrict x = pos_camera[0], *restrict y = pos_camera[1], *restrict z = pos_camera[2];
    if (camera->lens != POV_LENS_BROWN_CONRADY || model.is_rational ||
        !are_within_fold(&model, pos_camera, len)) {
        for (int i = 0; i < len; i++) {
            pov_vec2 pixel;
            pov_camera_project(camera, &pixel, NULL, (pov_vec3){x[i], y[i], z[i]});
            x_px[i] = pixel.x;
            y_px[i] = pixel.y;
        }
        return;
    }
    const double p1 = model.p1, p2 = model.p2;
    for (int i = 0; i < len; i++) {
        const double u = x[i] / z[i], v = y[i] / z[i], s = u * u + v * v;
        const double ratio = polynomial(model.numerator, NUMERATOR_LEN, s);
        const double slope = polynomial_slope(model.numerator, NUMERATOR_LEN, s);
        const double xx = ratio + 2 * u * u * slope + 2 * p1 * v + 6 * p2 * u;
        const double xy = 2 * u * v * slope + 2 * p1 * u + 2 * p2 * v;
        const double yy = ratio + 2 * v * v * slope + 6 * p1 * v + 2 * p2 * u;
        const bool is_seen = (xx > 0) & (xx * yy > xy * xy);
        x_px[i] = is_seen
                      ? camera->fx_px * (u * ratio + 2 * p1 * u * v + p2 * (s + 2 * u * u)) + camera->cx_px
                      : NAN;
        y_px[i] = is_seen
                      ? camera->fy_px * (v * ratio + p1 * (s + 2 * v * v) + 2 * p2 * u * v) + camera->cy_px
                      : NAN;
    }
}

static pov_code unproject_undefined(pov_vec3 *direction, double jacobian[3][2])
{
    *direction = (pov_vec3){NAN, NAN, NAN};
    for (int i = 0; jacobian && i < 6; i++)
        jacobian[i / 2][i % 2] = NAN;
    return POV_UNDEFINED;
}

pov_code pov_camera_unproject(const pov_camera *camera, pov_vec3 *direction, double jacobian[3][2],
                              pov_vec2 pixel)
{
    const distortion_model model = model_of(camera);
    const pov_vec2 target = {(pixel.x - camera->cx_px) / camera->fx_px,
                             (pixel.y - camera->cy_px) / camera->fy_px};
    pov_vec2 u;
    distorted at;
    double raised[3][2];
    if (!undistort(&model, &u, &at, target))
        return unproject_undefined(direction, jacobian);
    *direction = projection_of(camera)->raise(raised, u);
    const pov_vec2 column_x = solve(&at, (pov_vec2){1 / camera->fx_px, 0});
    const pov_vec2 column_y = solve(&at, (pov_vec2){0, 1 / camera->fy_px});
    for (int i = 0; jacobian && i < 3; i++) {
        jacobian[i][0] = raised[i][0] * column_x.x + raised[i][1] * column_x.y;
        jacobian[i][1] = raised[i][0] * column_y.x + raised[i][1] * column_y.y;
    }
    return POV_OK;
}

typedef struct {
    const char *name;
    double value;
    bool must_be_positive;
} checked_number;

pov_status pov_camera_check(const pov_camera *camera)
{
    if ((unsigned)camera->lens >= POV_LENS_COUNT)
        return pov_error("camera: lens %d is none of brown_conrady (0), equidistant (1)", (int)camera->lens);
    const checked_number numbers[] = {
        {"width_px", camera->width_px, true}, {"height_px", camera->height_px, true},
        {"fx_px", camera->fx_px, true},       {"fy_px", camera->fy_px, true},
        {"cx_px", camera->cx_px, false},      {"cy_px", camera->cy_px, false},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!isfinite(numbers[i].value))
            return pov_error("camera: %s is not a finite number", numbers[i].name);
        if (numbers[i].must_be_positive && !(numbers[i].value > 0))
            return pov_error("camera: %s is %g; it must be positive", numbers[i].name, numbers[i].value);
    }
    for (int i = 0; i < POV_DISTORTION_MAX; i++)
        if (!isfinite(camera->distortion[i]))
            return pov_error("camera: distortion[%d] is not a finite number", i);
    return pov_ok();
}

/** The value's bytes, least significant first on every machine. */
static uint64_t hash_u64(uint64_t hash, uint64_t value)
{
    for (int byte = 0; byte < 8; byte++)
        hash = pov_hash_value(hash, value >> (8 * byte) & 0xff);
    return hash;
}

static uint64_t hash_double(uint64_t hash, double value)
{
    uint64_t bits;
    const double without_minus_zero = value + 0.0;
    memcpy(&bits, &without_minus_zero, sizeof bits);
    return hash_u64(hash, bits);
}

uint64_t pov_camera_hash(const pov_camera *camera)
{
    uint64_t hash = hash_u64(POV_HASH_START, (uint64_t)camera->lens);
    hash = hash_u64(hash, (uint64_t)camera->width_px);
    hash = hash_u64(hash, (uint64_t)camera->height_px);
    hash = hash_double(hash, camera->fx_px);
    hash = hash_double(hash, camera->fy_px);
    hash = hash_double(hash, camera->cx_px);
    hash = hash_double(hash, camera->cy_px);
    for (int i = 0; i < POV_DISTORTION_MAX; i++)
        hash = hash_double(hash, camera->distortion[i]);
    return hash;
}
