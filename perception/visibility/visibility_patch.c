#include "perception/visibility/visibility_patch.h"

#include <math.h>

/* An eye on a face sees it from this far. */
static const double depth_min_m = 1e-6;

/* ---- patches ---- */

/* Solid angle of a rectangle: the corners' terms of van Oosterom & Strackee 1983. */
static double rectangle_solid_angle(const pov_patch *patch)
{
    double sum = 0, z = patch->depth_m;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double x = patch->x_m[i], y = patch->y_m[j];
            sum += (i == j ? 1 : -1) * atan2(x * y, z * sqrt(x * x + y * y + z * z));
        }
    return fabs(sum);
}

static void set_column(double R[3][3], int k, pov_vec3 v)
{
    R[0][k] = v.x;
    R[1][k] = v.y;
    R[2][k] = v.z;
}

static double clamped(double value, const double range[2])
{
    return fmin(range[1], fmax(range[0], value));
}

/* Solid angles of equal areas, which go with the cube of their distance, differ by less than half. */
static bool is_far_for_its_size(const pov_patch *patch)
{
    const double x = fmax(fabs(patch->x_m[0]), fabs(patch->x_m[1]));
    const double y = fmax(fabs(patch->y_m[0]), fabs(patch->y_m[1]));
    const pov_vec3 near = {clamped(0, patch->x_m), clamped(0, patch->y_m), patch->depth_m};
    return pov_vec3_norm((pov_vec3){x, y, patch->depth_m}) < 1.14 * pov_vec3_norm(near);
}

/* The face of a box at `side` (+-1) of an axis. low, high: the box's corners from the eye, in the box's axes.
 */
static pov_patch face_patch(pov_rot R_table_box, const double low[3], const double high[3], int axis,
                            int side)
{
    const int x = (axis + 1) % 3, y = (axis + 2) % 3;
    const double at = side > 0 ? high[axis] : low[axis], toward = at < 0 ? -1 : 1;
    pov_patch patch = {
        .depth_m = fmax(depth_min_m, fabs(at)), .x_m = {low[x], high[x]}, .y_m = {low[y], high[y]}};
    set_column(patch.R_table_patch, 0, pov_rot_column(&R_table_box, x));
    set_column(patch.R_table_patch, 1, pov_rot_column(&R_table_box, y));
    set_column(patch.R_table_patch, 2, pov_vec3_scale(pov_rot_column(&R_table_box, axis), toward));
    for (int i = 0; i < 2; i++)
        patch.azimuth_rad[i] = atan2(patch.x_m[i], patch.depth_m);
    patch.cosine_min = patch.depth_m / hypot(patch.depth_m, fmax(fabs(patch.x_m[0]), fabs(patch.x_m[1])));
    patch.solid_angle_sr = rectangle_solid_angle(&patch);
    patch.is_far = is_far_for_its_size(&patch);
    return patch;
}

static void add_patch(pov_silhouette *silhouette, pov_patch patch)
{
    silhouette->patches[silhouette->len++] = patch;
    silhouette->solid_angle_sr += patch.solid_angle_sr;
}

/* From outside, the faces that the eye is in front of; from inside, all six. */
static void add_faces(pov_silhouette *silhouette, const double low[3], const double high[3])
{
    silhouette->has_eye = true;
    for (int k = 0; k < 3; k++)
        silhouette->has_eye &= low[k] < 0 && high[k] > 0;
    for (int k = 0; k < 3; k++)
        for (int side = -1; side <= 1; side += 2)
            if (silhouette->has_eye || (side > 0 ? high[k] < 0 : low[k] > 0))
                add_patch(silhouette, face_patch(silhouette->R_table_body, low, high, k, side));
    if (silhouette->len > 0)
        return;
    silhouette->has_eye = true; /* the eye is on the surface: use what it sees inward */
    for (int k = 0; k < 3; k++)
        for (int side = -1; side <= 1; side += 2)
            add_patch(silhouette, face_patch(silhouette->R_table_body, low, high, k, side));
}

static void set_bound(pov_silhouette *silhouette, double radius_m)
{
    const double distance = pov_vec3_norm(silhouette->centre_m);
    silhouette->bound_m = radius_m;
    silhouette->bound_rad = distance > radius_m ? asin(radius_m / distance) : POV_PI;
}

static void add_box(pov_silhouette *silhouette, pov_vec3 middle_box_m, pov_vec3 half_m)
{
    set_bound(silhouette, pov_vec3_norm(middle_box_m) + pov_vec3_norm(half_m));
    pov_vec3 c = pov_rot_apply(pov_rot_transpose(silhouette->R_table_body), silhouette->centre_m);
    c = pov_vec3_add(c, middle_box_m);
    const double low[3] = {c.x - half_m.x, c.y - half_m.y, c.z - half_m.z};
    const double high[3] = {c.x + half_m.x, c.y + half_m.y, c.z + half_m.z};
    add_faces(silhouette, low, high);
}

static void add_mesh_bounds(pov_silhouette *silhouette, const pov_mesh_bounds *bounds)
{
    const double *low = bounds->low_m, *high = bounds->high_m;
    add_box(silhouette, (pov_vec3){(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2},
            (pov_vec3){(high[0] - low[0]) / 2, (high[1] - low[1]) / 2, (high[2] - low[2]) / 2});
}

/* Any two unit vectors that complete `z`. */
static void complete_axes(double R[3][3], pov_vec3 z)
{
    pov_vec3 other = fabs(z.x) < 0.5 ? (pov_vec3){1, 0, 0} : (pov_vec3){0, 1, 0};
    pov_vec3 x = pov_vec3_unit(pov_vec3_cross(other, z));
    set_column(R, 0, x);
    set_column(R, 1, pov_vec3_cross(z, x));
    set_column(R, 2, z);
}

static void add_cap(pov_silhouette *silhouette)
{
    const double distance = pov_vec3_norm(silhouette->centre_m), sine = silhouette->radius_m / distance;
    pov_patch patch = {.is_cap = true, .cap_height = 2};
    silhouette->has_eye = !(sine < 1);
    set_bound(silhouette, silhouette->radius_m);
    pov_vec3 axis = distance > 0 ? pov_vec3_unit(silhouette->centre_m) : (pov_vec3){0, 0, 1};
    complete_axes(patch.R_table_patch, axis);
    if (!silhouette->has_eye) /* 1 - cos, without cancellation */
        patch.cap_height = sine * sine / (1 + sqrt(1 - sine * sine));
    patch.solid_angle_sr = 2 * POV_PI * patch.cap_height;
    add_patch(silhouette, patch);
}

pov_silhouette pov_silhouette_of(const pov_entity *entity, const pov_mesh_bounds *mesh, pov_vec3 shift_m,
                                 pov_vec3 eye_m)
{
    POV_REQUIRE(pov_entity_has_body(entity));
    pov_silhouette s = {
        .shape = entity->shape, .R_table_body = entity->R_table_box, .radius_m = entity->size_m.x / 2};
    s.is_tight = entity->shape == POV_SHAPE_BOX || entity->shape == POV_SHAPE_SPHERE;
    s.centre_m = pov_vec3_sub(pov_vec3_add(entity->position.mean_m, shift_m), eye_m);
    switch (entity->shape) {
    case POV_SHAPE_SPHERE:
        add_cap(&s);
        break;
    case POV_SHAPE_CAPSULE:
        s.body = pov_ray_body_of(entity, s.centre_m);
        add_box(&s, (pov_vec3){0, 0, 0}, (pov_vec3){s.radius_m, s.radius_m, s.body.tube_m + s.radius_m});
        break;
    case POV_SHAPE_MESH:
        add_mesh_bounds(&s, mesh);
        break;
    case POV_SHAPE_BOX:
    case POV_SHAPE_COUNT:
        add_box(&s, (pov_vec3){0, 0, 0}, pov_vec3_scale(entity->size_m, 0.5));
    }
    return s;
}

/* ---- rays ---- */

int pov_silhouette_bits(const pov_silhouette *silhouette, int patch, int rays)
{
    const double share = silhouette->patches[patch].solid_angle_sr / silhouette->solid_angle_sr;
    const int bits = (int)lround(log2(fmax(1, rays * share)));
    return bits < POV_NET_BITS_MIN ? POV_NET_BITS_MIN : bits > POV_NET_BITS_MAX ? POV_NET_BITS_MAX : bits;
}

static unsigned reversed(unsigned value, int bits)
{
    unsigned result = 0;
    for (int i = 0; i < bits; i++)
        result |= (value >> i & 1) << (bits - 1 - i);
    return result;
}

/* Point i of the net is (i, i's bits reversed) / 2^bits. The first bits of i place it in x, the last in y:
 * with both fixed, the four in the middle list the 16 points of a tile. */
static void net_tile(float u[POV_RAY_LANES], float v[POV_RAY_LANES], int bits, int tile, pov_vec2 shift)
{
    static const unsigned char reversed4[POV_RAY_LANES] = {0, 8, 4, 12, 2, 10, 6, 14,
                                                           1, 9, 5, 13, 3, 11, 7, 15};
    const int x_bits = (bits - POV_NET_BITS_MIN + 1) / 2, y_bits = bits - POV_NET_BITS_MIN - x_bits;
    const unsigned across = (unsigned)tile >> y_bits, up = (unsigned)tile & ((1U << y_bits) - 1);
    const double scale = 1.0 / (1U << bits);
    /* points sit in the middle of their cells */
    const float u0 = (float)(((across << (y_bits + 4)) + reversed(up, y_bits) + 0.5) * scale + shift.x);
    const float v0 = (float)(((up << (x_bits + 4)) + reversed(across, x_bits) + 0.5) * scale + shift.y);
    const float du = (float)((1U << y_bits) * scale), dv = (float)((1U << x_bits) * scale);
    for (int i = 0; i < POV_RAY_LANES; i++) {
        const float x = u0 + du * (float)i, y = v0 + dv * reversed4[i];
        u[i] = x >= 1 ? x - 1 : x;
        v[i] = y >= 1 ? y - 1 : y;
    }
}

/* Sine and cosine for |angle| <= pi/2, to single precision; a loop of these vectorises. Taylor to x^11, x^12.
 */
static inline void sine_cosine(float *sine, float *cosine, float angle)
{
    const float x2 = angle * angle;
    *sine =
        angle *
        (1 + x2 * (-1 / 6.0F +
                   x2 * (1 / 120.0F + x2 * (-1 / 5040.0F + x2 * (1 / 362880.0F + x2 * (-1 / 39916800.0F))))));
    *cosine =
        1 + x2 * (-0.5F +
                  x2 * (1 / 24.0F + x2 * (-1 / 720.0F +
                                          x2 * (1 / 40320.0F + x2 * (-1 / 3628800.0F + x2 / 479001600.0F)))));
}

static void turn_to_table(pov_patch_rays *rays, const double R[3][3])
{
    for (int i = 0; i < POV_RAY_LANES; i++) {
        const float x = rays->direction[0][i], y = rays->direction[1][i], z = rays->direction[2][i];
        for (int k = 0; k < 3; k++)
            rays->direction[k][i] = (float)R[k][0] * x + (float)R[k][1] * y + (float)R[k][2] * z;
    }
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

static float smaller(float a, float b)
{
    return a < b ? a : b;
}

/* Lambert's cylindrical map about the patch's y axis keeps areas: solid angle = d(azimuth) d(sine of elevation)
 * (Archimedes). At each azimuth the rectangle is an interval of sines. Cosines are least at the rectangle's ends: what
 * single precision loses of a rectangle seen edge-on stays within it. */
static void rectangle_rays(pov_patch_rays *rays, const pov_patch *patch, double scale,
                           const float u[POV_RAY_LANES], const float v[POV_RAY_LANES])
{
    const double a0 = patch->azimuth_rad[0], a1 = patch->azimuth_rad[1];
    const float azimuth0 = (float)a0, width = (float)(a1 - a0), weight = (float)((a1 - a0) * scale);
    const float depth = (float)patch->depth_m, y0 = (float)patch->y_m[0], y1 = (float)patch->y_m[1];
    const float cosine_min = (float)patch->cosine_min;
    for (int i = 0; i < POV_RAY_LANES; i++) {
        float sine, cosine;
        sine_cosine(&sine, &cosine, azimuth0 + width * u[i]);
        cosine = larger(cosine, cosine_min);
        const float q0 = 1 / sqrtf(depth * depth + y0 * y0 * cosine * cosine);
        const float q1 = 1 / sqrtf(depth * depth + y1 * y1 * cosine * cosine);
        const float s0 = y0 * cosine * q0, s1 = y1 * cosine * q1, s = s0 + (s1 - s0) * v[i];
        const float c = larger(sqrtf(larger(0, (1 - s) * (1 + s))), depth * smaller(q0, q1));
        rays->direction[0][i] = c * sine;
        rays->direction[1][i] = s;
        rays->direction[2][i] = c * cosine;
        rays->distance_m[i] = depth / (c * cosine);
        rays->weight_sr[i] = weight * (s1 - s0);
    }
}

/* Even over a rectangle that is far for its size; a point's weight is its solid angle. */
static void far_rectangle_rays(pov_patch_rays *rays, const pov_patch *patch, double scale,
                               const float u[POV_RAY_LANES], const float v[POV_RAY_LANES])
{
    const double width = patch->x_m[1] - patch->x_m[0], height = patch->y_m[1] - patch->y_m[0];
    const float x0 = (float)patch->x_m[0], y0 = (float)patch->y_m[0], z = (float)patch->depth_m;
    const float dx = (float)width, dy = (float)height, area = (float)(width * height * scale) * z;
    for (int i = 0; i < POV_RAY_LANES; i++) {
        const float x = x0 + dx * u[i], y = y0 + dy * v[i], square = x * x + y * y + z * z;
        const float per_m = 1 / sqrtf(square);
        rays->direction[0][i] = x * per_m;
        rays->direction[1][i] = y * per_m;
        rays->direction[2][i] = z * per_m;
        rays->distance_m[i] = square * per_m;
        rays->weight_sr[i] = area * per_m * per_m * per_m;
    }
}

/* The same map about the cap's axis. Distance to the sphere: the nearer crossing, from inside the farther. */
static void cap_rays(pov_patch_rays *rays, const pov_silhouette *silhouette, double scale,
                     const float u[POV_RAY_LANES], const float v[POV_RAY_LANES])
{
    const double distance = pov_vec3_norm(silhouette->centre_m), radius = silhouette->radius_m;
    const float height = (float)silhouette->patches[0].cap_height, d = (float)distance;
    const float power = (float)((distance - radius) * (distance + radius));
    const float side = silhouette->has_eye ? 1 : -1, weight = (float)(2 * POV_PI * height * scale);
    for (int i = 0; i < POV_RAY_LANES; i++) {
        float half_sine, half_cosine;
        sine_cosine(&half_sine, &half_cosine, (float)POV_PI * (v[i] - 0.5F));
        const float h = height * u[i], c = 1 - h, s = sqrtf(larger(0, h * (2 - h)));
        rays->direction[0][i] = s * (1 - 2 * half_sine * half_sine);
        rays->direction[1][i] = s * 2 * half_sine * half_cosine;
        rays->direction[2][i] = c;
        const float square = d * d * c * c - power;
        rays->distance_m[i] = d * c + side * sqrtf(larger(0, square));
        rays->weight_sr[i] = weight;
    }
}

void pov_silhouette_rays(pov_patch_rays *rays, const pov_silhouette *silhouette, int patch, int bits,
                         int tile, pov_vec2 shift)
{
    const pov_patch *p = &silhouette->patches[patch];
    const double scale = 1.0 / (1U << bits);
    float u[POV_RAY_LANES], v[POV_RAY_LANES];
    net_tile(u, v, bits, tile, shift);
    if (p->is_cap)
        cap_rays(rays, silhouette, scale, u, v);
    else if (p->is_far)
        far_rectangle_rays(rays, p, scale, u, v);
    else
        rectangle_rays(rays, p, scale, u, v);
    turn_to_table(rays, p->R_table_patch);
    if (silhouette->shape == POV_SHAPE_CAPSULE)
        pov_ray_body_meet(rays->distance_m, &silhouette->body, (pov_vec3){0, 0, 0}, rays->direction[0],
                          POV_RAY_LANES, 0);
    else if (silhouette->shape == POV_SHAPE_MESH)
        for (int i = 0; i < POV_RAY_LANES; i++)
            rays->distance_m[i] = NAN;
}
