/* The second part of an enrolled object's file: its portraits, packed by zlib. */
#include "config/objects/appearance_file_internal.h"

#include <zlib.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PORTRAIT_BYTES = 8 + 24 + 3 * POV_PORTRAIT_AREA + POV_PORTRAIT_AREA };

void pass(passage *p, void *field, size_t size)
{
    if (p->is_short || size > p->length - p->at) {
        p->is_short = true;
        return;
    }
    POV_REQUIRE(p->bytes);
    unsigned char *bytes = p->bytes + p->at;
    memcpy(p->writes ? bytes : field, p->writes ? field : bytes, size);
    p->at += size;
}

void pass_integer(passage *p, int *field)
{
    int32_t value = *field;
    pass(p, &value, sizeof value);
    *field = value;
}

static void pass_numbers(passage *p, pov_portraits *portraits)
{
    double *const numbers[] = {&portraits->radius_m,       &portraits->height_m,     &portraits->scatter,
                               &portraits->widening_place, &portraits->widening_yaw, &portraits->error_m,
                               &portraits->error_rad};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        pass(p, numbers[i], sizeof(double));
}

static void pass_pictures(passage *p, pov_portraits *portraits)
{
    for (int i = 0; i < portraits->len; i++) {
        pov_portrait *portrait = &portraits->portraits[i];
        pass(p, &portrait->angle_rad, sizeof portrait->angle_rad);
        pass(p, &portrait->eye_m, sizeof portrait->eye_m);
        pass(p, portrait->colour, sizeof portrait->colour);
        pass(p, portrait->depth, sizeof portrait->depth);
    }
}

static pov_status pack_portrait(passage *p, pov_portraits *portraits, passage *plain)
{
    uLongf packed = p->length - p->at > 4 ? p->length - p->at - 4 : 0;
    pass_pictures(plain, portraits);
    if (compress2(p->bytes + p->at + 4, &packed, plain->bytes, plain->at, Z_BEST_COMPRESSION) != Z_OK)
        return pov_error("portraits cannot be packed");
    int size = (int)packed;
    pass_integer(p, &size);
    p->at += packed;
    return pov_ok();
}

static pov_status unpack_portrait(passage *p, pov_portraits *portraits, passage *plain, const char *name)
{
    int size = 0;
    uLongf unpacked = plain->length;
    pass_integer(p, &size);
    if (p->is_short || size < 0 || (size_t)size != p->length - p->at ||
        uncompress(plain->bytes, &unpacked, p->bytes + p->at, (uLong)size) != Z_OK ||
        unpacked != plain->length)
        return pov_error("%s: its %d portraits cannot be unpacked; enrol the object again", name,
                         portraits->len);
    p->at += (size_t)size;
    pass_pictures(plain, portraits);
    return pov_ok();
}

static bool is_between(double value, double low, double high)
{
    return value >= low && value <= high;
}

static bool is_error(double error, double high)
{
    return isnan(error) || is_between(error, 0, high);
}

/* The field that cannot be, or NULL. */
static const char *wrong_field(const pov_portraits *portraits)
{
    if (!is_between(portraits->radius_m, 1e-3, 100) || !is_between(portraits->height_m, 1e-4, 200))
        return "size";
    if (!is_between(portraits->scatter, 0.1, 255) || !is_between(portraits->widening_place, 1, 1e4) ||
        !is_between(portraits->widening_yaw, 1, 1e4) || !is_error(portraits->error_m, 100) ||
        !is_error(portraits->error_rad, POV_PI + 1e-9))
        return "scatter";
    for (int i = 0; i < portraits->len; i++) {
        const pov_portrait *portrait = &portraits->portraits[i];
        const double away_m = hypot(portrait->eye_m.x, portrait->eye_m.y);
        if (!isfinite(portrait->angle_rad) || fabs(portrait->angle_rad) > 100 ||
            (i > 0 && portrait->angle_rad <= portraits->portraits[i - 1].angle_rad))
            return "angles";
        if (!is_between(away_m, 1e-3, 1e3) || !is_between(fabs(portrait->eye_m.z), 0, 1e3) ||
            away_m < 1.5 * portraits->radius_m)
            return "viewpoint";
    }
    return NULL;
}

pov_status pass_portraits(passage *p, pov_portraits *portraits, const char *name)
{
    int len = portraits && p->writes ? portraits->len : 0;
    pass_integer(p, &len);
    if (p->is_short || (!p->writes && len != 0 && (len < POV_PORTRAIT_MIN || len > POV_PORTRAIT_MAX)))
        return pov_error("%s: has %d portraits; none or %d to %d can be", name, len, POV_PORTRAIT_MIN,
                         POV_PORTRAIT_MAX);
    if (len == 0)
        return p->at == p->length || p->writes ? pov_ok()
                                               : pov_error("%s: is longer than what it holds", name);
    portraits->len = len;
    pass_numbers(p, portraits);
    const size_t room = (size_t)len * PORTRAIT_BYTES;
    passage plain = {.bytes = malloc(room), .length = room, .writes = p->writes};
    pov_status status = !plain.bytes ? pov_error("%s: out of memory", name)
                        : p->is_short
                            ? pov_error("%s: is cut off before its portraits; enrol the object again", name)
                        : p->writes ? pack_portrait(p, portraits, &plain)
                                    : unpack_portrait(p, portraits, &plain, name);
    free(plain.bytes);
    const char *wrong = status.code == POV_OK ? wrong_field(portraits) : NULL;
    return wrong ? pov_error("%s: its portraits' %s cannot be; enrol the object again", name, wrong) : status;
}
