#include "config/files/utf8.h"
#include "perception/geometry/geom.h"
#include "protocol/observation/fields_wire.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Room for rounding in numbers that have been computed: a probability may come out as 1 + 1e-16. */
#define SLACK          1e-9
#define ROTATION_SLACK 1e-6 /* of R R^T - 1; chosen: rotations written as float pass */

static bool check_record(pov_field_walk *walk, const pov_record *record, const void *memory);

static int side_of_square(int count)
{
    int side = 1;
    while (side * side < count)
        side++;
    return side;
}

/* A necessary condition for a covariance, cheap: symmetric, no negative variance, |correlation| <= 1. */
static bool is_covariance(const double *cov, int size)
{
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            const double bound = sqrt(fabs(cov[i * size + i])) * sqrt(fabs(cov[j * size + j]));
            const double slack = ROTATION_SLACK * bound + 1e-30;
            if (fabs(cov[i * size + j] - cov[j * size + i]) > slack ||
                fabs(cov[i * size + j]) > bound + slack)
                return false;
        }
        if (cov[i * size + i] < 0)
            return false;
    }
    return true;
}

static bool is_in_range(const pov_field *field, double number)
{
    if (field->low == 0 && field->high == 0)
        return isfinite(number);
    return number >= field->low - SLACK && number <= field->high + SLACK &&
           (!field->is_above || number > field->low);
}

static bool check_number(pov_field_walk *walk, const pov_field *field, double number)
{
    if (is_in_range(field, number))
        return true;
    if (!isfinite(number))
        return pov_field_fail(walk, field->wire, "%g is not finite", number);
    if (field->high >= DBL_MAX)
        return pov_field_fail(walk, field->wire, "%g is not %s %g", number,
                              field->is_above ? "above" : "at least", field->low);
    return pov_field_fail(walk, field->wire, "%g is not within %g to %g", number, field->low, field->high);
}

static bool check_form(pov_field_walk *walk, const pov_field *field, const double *numbers)
{
    if (field->form == POV_COVARIANCE && !is_covariance(numbers, side_of_square(field->count)))
        return pov_field_fail(walk, field->wire, "is not a covariance");
    if (field->form == POV_ROTATION &&
        !pov_rot_is_valid(*(const pov_rot *)(const void *)numbers, ROTATION_SLACK))
        return pov_field_fail(walk, field->wire, "is not a rotation");
    return true;
}

static bool check_numbers(pov_field_walk *walk, const pov_field *field, const void *memory)
{
    enum { COMPUTED_MAX = 9 };
    double computed[COMPUTED_MAX];
    const double *numbers = pov_field_at(field, memory);
    if (field->compute != NULL) {
        POV_REQUIRE(field->count <= COMPUTED_MAX);
        field->compute(computed, memory, walk->scene);
        numbers = computed;
    }
    for (int i = 0; i < field->count; i++)
        if (!is_in_range(field, numbers[i]) &&
            !(isnan(numbers[i]) && field->may_be_nan != NULL && field->may_be_nan(memory)))
            return check_number(walk, field, numbers[i]);
    return field->form == POV_ANY_NUMBERS || check_form(walk, field, numbers);
}

static bool check_id(pov_field_walk *walk, const pov_field *field, pov_id id)
{
    return (id == POV_ID_NONE && field->is_optional) || (id >= 0 && id < walk->scene->len) ||
           pov_field_fail(walk, field->wire, "%d is not one of the scene's %d entities", id,
                          walk->scene->len);
}

static bool check_list(pov_field_walk *walk, const pov_field *field, const void *memory)
{
    const int len = pov_field_len(field, memory);
    const char *item = pov_field_at(field, memory);
    POV_REQUIRE(len >= 0 && len <= field->count);
    for (int i = 0; i < len; i++) {
        if (field->kind == POV_KIND_ENTITIES) {
            if (!check_id(walk, field, ((const pov_id *)pov_field_at(field, memory))[i]))
                return false;
            continue;
        }
        pov_field_enter(walk, field->wire, i);
        if (!check_record(walk, field->record, item + (size_t)i * field->size))
            return false;
        pov_field_leave(walk);
    }
    return true;
}

static bool check_text(pov_field_walk *walk, const pov_field *field, const char *text)
{
    return field->is_repaired || pov_utf8_is_plain(text) ||
           pov_field_fail(walk, field->wire, "is not valid UTF-8 without control characters");
}

static bool check_words(pov_field_walk *walk, const pov_field *field, const char *words)
{
    if (strlen(words) > (size_t)field->count)
        return pov_field_fail(walk, field->wire, "has %zu bytes; at most %d fit", strlen(words),
                              field->count);
    return pov_utf8_is_valid(words) || pov_field_fail(walk, field->wire, "is not valid UTF-8");
}

static bool check_field(pov_field_walk *walk, const pov_field *field, const void *memory)
{
    const void *at = pov_field_at(field, memory);
    if (field->wire == NULL || (field->applies != NULL && !field->applies(memory)))
        return true;
    switch (field->kind) {
    case POV_KIND_NUMBER:
        return ((field->is_optional || field->known_at != 0) && !pov_field_is_known(field, memory)) ||
               check_numbers(walk, field, memory);
    case POV_KIND_WHOLE:
        return field->size != sizeof(int) || check_number(walk, field, *(const int *)at);
    case POV_KIND_TEXT:
        return check_text(walk, field, at);
    case POV_KIND_WORDS:
        return check_words(walk, field, *(char *const *)at);
    case POV_KIND_ENTITY:
        return check_id(walk, field, *(const pov_id *)at);
    case POV_KIND_ENTITIES:
    case POV_KIND_LIST:
        return check_list(walk, field, memory);
    case POV_KIND_RECORD:
        if (!pov_field_is_known(field, memory))
            return true;
        pov_field_enter(walk, field->wire, -1);
        if (!check_record(walk, field->record, at))
            return false;
        pov_field_leave(walk);
        return true;
    case POV_KIND_FLAG:
    case POV_KIND_COUNT:
    case POV_KIND_HASH:
    case POV_KIND_CHOICE:
    case POV_KIND_RELATION:
    case POV_KIND_NAMES:
        return true;
    }
    return true;
}

static bool check_record(pov_field_walk *walk, const pov_record *record, const void *memory)
{
    for (int i = 0; i < record->len; i++)
        if (!check_field(walk, &record->fields[i], memory))
            return false;
    const char *fault = record->fault != NULL ? record->fault(memory) : NULL;
    return fault == NULL || pov_field_fail(walk, NULL, "%s", fault);
}

pov_status pov_field_check(const pov_record *record, const void *memory, const pov_scene *scene)
{
    pov_field_walk walk = {.scene = scene, .status = pov_ok()};
    check_record(&walk, record, memory);
    return walk.status;
}
