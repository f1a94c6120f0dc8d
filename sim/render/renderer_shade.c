#include "sim/render/renderer_internal.h"

#include <float.h>
#include <math.h>

/* A shadow's ray starts this far off its surface, as a share of the coordinates' size. Derived: above the rounding of single
 * precision (6e-8) times some operations, below a visible distance. */
static const float OFF_SURFACE = 1e-5F;
/* The sky's light is weaker from below, by this share. Chosen. */
static const float SKY_SLOPE = 0.25F;

/** Surfaces that a packet met, in the table frame; lanes that met nothing are black and lie flat. */
typedef struct {
    float normal[3][LANES]; /* for shading; unit, on the viewer's side, as is the geometric one */
    float geometric[3][LANES];
    float point[3][LANES];
    float albedo[3][LANES];
    float gloss[LANES], exponent[LANES];
} surfaces;

/* ---- lamp ---- */

static void place_point(float placed[3], const pov_vec3 axes[2], pov_vec3 centre_m, double radius_m,
                        double angle_rad)
{
    const pov_vec3 off = pov_vec3_add(pov_vec3_scale(axes[0], radius_m * cos(angle_rad)),
                                      pov_vec3_scale(axes[1], radius_m * sin(angle_rad)));
    const pov_vec3 at_m = pov_vec3_add(centre_m, off);
    placed[0] = (float)at_m.x;
    placed[1] = (float)at_m.y;
    placed[2] = (float)at_m.z;
}

/** Vogel 1979: points of a spiral at the golden angle share a disc evenly; so does every third of them. */
void render_lamp_set(render_lamp *lamp, const pov_lighting *light)
{
    enum { POINTS = LANES * LAMP_SETS };
    const double golden_rad = POV_PI * (3 - sqrt(5));
    const pov_vec3 aim = pov_vec3_unit(light->lamp_m);
    const pov_vec3 up = fabs(aim.z) < 0.9 ? (pov_vec3){0, 0, 1} : (pov_vec3){1, 0, 0};
    const pov_vec3 across = pov_vec3_unit(pov_vec3_cross(up, aim));
    const pov_vec3 axes[2] = {across, pov_vec3_cross(aim, across)};
    lamp->light = *light;
    for (int turn = 0; turn < LAMP_TURNS; turn++)
        for (int i = 0; i < POINTS; i++)
            place_point(lamp->points[turn][i % LAMP_SETS][i / LAMP_SETS], axes, light->lamp_m,
                        light->lamp_radius_m * sqrt((i + 0.5) / POINTS),
                        golden_rad * i + 2 * POV_PI * turn / LAMP_TURNS);
}

static void take_points(const render_lamp *lamp, float points[3][LANES], uint32_t random, int set)
{
    /* Bayer's order: near lanes of a block, and near places in a pixel, look at far points of the lamp */
    static const uint8_t ORDER[LANES] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
    const float(*at)[3] = lamp->points[random % LAMP_TURNS][set];
    const uint32_t scramble = random / LAMP_TURNS;
    for (int i = 0; i < LANES; i++) {
        const float *point = at[ORDER[((uint32_t)i ^ scramble) % LANES]];
        points[0][i] = point[0];
        points[1][i] = point[1];
        points[2][i] = point[2];
    }
}

/* ---- surfaces ---- */

/** The largest whole number not above: floorf is a call where a processor may lack it. */
static int whole(float x)
{
    const int towards_zero = (int)x;
    return towards_zero - (x < (float)towards_zero);
}

/** Two neighbouring texels of a repeated row or column, and what share the second has at x, in texels. */
typedef struct {
    int first, second;
    float share;
} texel_pair;

static texel_pair texels_at(float x, int len)
{
    const int first = whole(x - 0.5F);
    const int within = first >= 0 && first < len ? first : (first % len + len) % len;
    return (texel_pair){within, within + 1 < len ? within + 1 : 0, x - 0.5F - (float)first};
}

static void texture_multiply(const pov_texture *texture, const float linear[256], float albedo[3], float u,
                             float v)
{
    const texel_pair x = texels_at(u * (float)texture->width_px, texture->width_px),
                     y = texels_at(v * (float)texture->height_px, texture->height_px);
    const uint8_t *upper = texture->pixels + 3 * (size_t)y.first * (size_t)texture->width_px,
                  *lower = texture->pixels + 3 * (size_t)y.second * (size_t)texture->width_px;
    if (texture->sharp) {
        const uint8_t *at = (y.share < 0.5F ? upper : lower) + 3 * (x.share < 0.5F ? x.first : x.second);
        for (int k = 0; k < 3; k++)
            albedo[k] *= linear[at[k]];
        return;
    }
    for (int k = 0; k < 3; k++) {
        const float a = linear[upper[3 * x.first + k]], b = linear[upper[3 * x.second + k]];
        const float c = linear[lower[3 * x.first + k]], d = linear[lower[3 * x.second + k]];
        const float high = a + x.share * (b - a), low = c + x.share * (d - c);
        albedo[k] *= high + y.share * (low - high);
    }
}

static void surface_read(surfaces *s, int i, const render_scene *scene, const struct RTCHit16 *hit)
{
    const placed_instance *instance = &scene->instances[hit->geomID[i]];
    const shaded_triangle *t = &instance->built->triangles[hit->primID[i]];
    const pov_material *material = &instance->built->parts.materials[t->material];
    const float v = hit->u[i], w = hit->v[i], u = 1 - v - w;
    float normal[3], albedo[3];
    for (int k = 0; k < 3; k++) {
        normal[k] = u * t->normals[0][k] + v * t->normals[1][k] + w * t->normals[2][k];
        albedo[k] = material->albedo[k];
    }
    if (material->texture != POV_TEXTURE_NONE)
        texture_multiply(&instance->built->parts.textures[material->texture], scene->linear, albedo,
                         u * t->uv[0][0] + v * t->uv[1][0] + w * t->uv[2][0],
                         u * t->uv[0][1] + v * t->uv[1][1] + w * t->uv[2][1]);
    for (int k = 0; k < 3; k++) {
        const float *R = instance->R[k];
        s->normal[k][i] = R[0] * normal[0] + R[1] * normal[1] + R[2] * normal[2];
        s->albedo[k][i] = albedo[k];
    }
    s->geometric[0][i] = hit->Ng_x[i];
    s->geometric[1][i] = hit->Ng_y[i];
    s->geometric[2][i] = hit->Ng_z[i];
    s->gloss[i] = material->gloss;
    s->exponent[i] = material->gloss_exponent;
}

static void surface_clear(surfaces *s, int i)
{
    for (int k = 0; k < 3; k++) {
        s->normal[k][i] = s->geometric[k][i] = k == 2;
        s->albedo[k][i] = 0;
    }
    s->gloss[i] = 0;
    s->exponent[i] = 1;
}

/** Makes normals unit and puts them on the viewer's side; a model without normals is flat. */
static void surfaces_face_viewer(surfaces *s, const struct RTCRay16 *ray)
{
    for (int i = 0; i < LANES; i++) {
        float *n[3] = {&s->normal[0][i], &s->normal[1][i], &s->normal[2][i]};
        float *g[3] = {&s->geometric[0][i], &s->geometric[1][i], &s->geometric[2][i]};
        const float n2 = *n[0] * *n[0] + *n[1] * *n[1] + *n[2] * *n[2];
        const float g2 = *g[0] * *g[0] + *g[1] * *g[1] + *g[2] * *g[2];
        const float away = *g[0] * ray->dir_x[i] + *g[1] * ray->dir_y[i] + *g[2] * ray->dir_z[i];
        const float g_scale = (away > 0 ? -1.0F : 1.0F) / sqrtf(g2);
        const float side = (*n[0] * *g[0] + *n[1] * *g[1] + *n[2] * *g[2]) * g_scale;
        const float n_scale = (side < 0 ? -1.0F : 1.0F) / sqrtf(n2);
        for (int k = 0; k < 3; k++) {
            *g[k] *= g_scale;
            *n[k] = n2 > 1e-12F ? *n[k] * n_scale : *g[k];
        }
    }
}

/** Points where the rays met the surfaces, a little on this side. */
static void surfaces_place(surfaces *s, const struct RTCRay16 *ray)
{
    for (int i = 0; i < LANES; i++) {
        const float t = ray->tfar[i] < FLT_MAX ? ray->tfar[i] : 0;
        const float x = ray->org_x[i] + t * ray->dir_x[i], y = ray->org_y[i] + t * ray->dir_y[i],
                    z = ray->org_z[i] + t * ray->dir_z[i];
        const float off_m = OFF_SURFACE * (t + fabsf(x) + fabsf(y) + fabsf(z));
        s->point[0][i] = x + off_m * s->geometric[0][i];
        s->point[1][i] = y + off_m * s->geometric[1][i];
        s->point[2][i] = z + off_m * s->geometric[2][i];
    }
}

/* ---- light ---- */

/** The lamp's unoccluded light: diffuse, and the cosine of Blinn's half-way angle. */
typedef struct {
    float cosine[LANES], half_way[LANES];
} lamp_angles;

static void lamp_angles_of(lamp_angles *a, const surfaces *s, const struct RTCRay16 *ray, pov_vec3 lamp_m)
{
    const float lx = (float)lamp_m.x, ly = (float)lamp_m.y, lz = (float)lamp_m.z;
    for (int i = 0; i < LANES; i++) {
        const float x = lx - s->point[0][i], y = ly - s->point[1][i], z = lz - s->point[2][i];
        const float scale = 1 / sqrtf(x * x + y * y + z * z);
        const float hx = x * scale - ray->dir_x[i], hy = y * scale - ray->dir_y[i],
                    hz = z * scale - ray->dir_z[i];
        const float cosine = (x * s->normal[0][i] + y * s->normal[1][i] + z * s->normal[2][i]) * scale;
        a->cosine[i] = cosine > 0 ? cosine : 0;
        a->half_way[i] = (hx * s->normal[0][i] + hy * s->normal[1][i] + hz * s->normal[2][i]) /
                         sqrtf(hx * hx + hy * hy + hz * hz);
    }
}

/** Blinn 1977; where it would be less than a thousandth it is left out. */
static float blinn_highlight(float half_way, float gloss, float exponent)
{
    if (gloss <= 0 || half_way <= 0 || exponent * (1 - half_way) > 7)
        return 0;
    return gloss * powf(half_way, exponent);
}

/** Adds to `seen` where the way to the lamp's points of a set is free. Returns how many of those wanted it is for. */
static int add_seen(const pov_renderer *renderer, int seen[LANES], const int wanted[LANES], const surfaces *s,
                    uint32_t random, int set)
{
    float points[3][LANES];
    int occluded[LANES], free_len = 0;
    take_points(&renderer->lamp, points, random, set);
    render_scene_block(&renderer->scene, occluded, wanted, (const float(*)[LANES])s->point,
                       (const float(*)[LANES])points);
    for (int i = 0; i < LANES; i++) {
        seen[i] += wanted[i] && !occluded[i];
        free_len += wanted[i] && !occluded[i];
    }
    return free_len;
}

static render_shadow find_shadows(const pov_renderer *renderer, lamp_angles *angles, const surfaces *s,
                                  const ray_packet *packet, uint32_t random, int lamp_sets)
{
    int wanted[LANES], seen[LANES] = {0}, wanted_len = 0, sets = 1;
    for (int i = 0; i < LANES; i++) {
        wanted[i] = angles->cosine[i] > 0 && packet->embree.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID ? -1 : 0;
        wanted_len -= wanted[i];
    }
    if (wanted_len == 0)
        return SHADOW_NONE;
    const int free_len = add_seen(renderer, seen, wanted, s, random, 0);
    const bool is_half = free_len > 0 && free_len < wanted_len;
    for (; sets < lamp_sets && is_half; sets++)
        add_seen(renderer, seen, wanted, s, random, sets);
    for (int i = 0; i < LANES; i++)
        angles->cosine[i] *= (float)seen[i] / (float)sets;
    return is_half ? SHADOW_HALF : free_len > 0 ? SHADOW_NONE : SHADOW_FULL;
}

static void add_light(float light[3][LANES], const surfaces *s, const lamp_angles *angles,
                      const pov_lighting *lighting)
{
    float gleam[LANES];
    for (int i = 0; i < LANES; i++)
        gleam[i] =
            angles->cosine[i] > 0 ? blinn_highlight(angles->half_way[i], s->gloss[i], s->exponent[i]) : 0;
    for (int k = 0; k < 3; k++) {
        const float lamp = (float)lighting->lamp_strength * lighting->lamp_colour[k];
        const float ambient = (float)lighting->ambient;
        for (int i = 0; i < LANES; i++) {
            const float sky = ambient * (1 - SKY_SLOPE / 2 * (1 - s->normal[2][i]));
            light[k][i] = s->albedo[k][i] * (lamp * angles->cosine[i] + sky) + lamp * gleam[i];
        }
    }
}

/** Rays that meet nothing get the sky's light, unwanted rays none. Returns how many lanes met something. */
static int add_sky(float light[3][LANES], const ray_packet *packet, const float sky[3])
{
    int met_len = 0;
    for (int i = 0; i < LANES; i++) {
        const bool met = packet->wanted[i] && packet->embree.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID;
        for (int k = 0; k < 3 && !met; k++)
            light[k][i] = packet->wanted[i] ? sky[k] : 0;
        met_len += met;
    }
    return met_len;
}

render_shadow render_shade(const pov_renderer *renderer, float light[3][LANES], const ray_packet *packet,
                           uint32_t random, int lamp_sets)
{
    const struct RTCRay16 *ray = &packet->embree.ray;
    const struct RTCHit16 *hit = &packet->embree.hit;
    const pov_lighting *lighting = &renderer->lamp.light;
    surfaces s;
    lamp_angles angles;
    if (add_sky(light, packet, lighting->sky) == 0)
        return SHADOW_NONE;
    for (int i = 0; i < LANES; i++)
        if (packet->wanted[i] && hit->geomID[i] != RTC_INVALID_GEOMETRY_ID)
            surface_read(&s, i, &renderer->scene, hit);
        else
            surface_clear(&s, i);
    surfaces_face_viewer(&s, ray);
    surfaces_place(&s, ray);
    lamp_angles_of(&angles, &s, ray, lighting->lamp_m);
    const render_shadow shadow = lighting->shadows && lamp_sets > 0
                                     ? find_shadows(renderer, &angles, &s, packet, random, lamp_sets)
                                     : SHADOW_NONE;
    add_light(light, &s, &angles, lighting);
    add_sky(light, packet, lighting->sky);
    return shadow;
}
