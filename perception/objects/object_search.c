#include "perception/objects/object_search.h"

#include <math.h>

enum { ROWS_MAX = 400, FIRST_STEP = 3 };

static const double first_share = 0.35;
static const double step_share = 0.25;  /* of the radius, from place to place */
static const double apart_share = 0.45; /* of the radius */
static const double reach_max_rad = 16 * POV_PI / 180, flattest_rad = 6 * POV_PI / 180;

static void insert(object_short_list *list, const object_place *place)
{
    int at = list->len < OBJECT_SHORT_LIST ? list->len++ : OBJECT_SHORT_LIST;
    for (; at > 0 && list->places[at - 1].score < place->score; at--)
        if (at < OBJECT_SHORT_LIST)
            list->places[at] = list->places[at - 1];
    if (at < OBJECT_SHORT_LIST)
        list->places[at] = *place;
}

/* The band around the camera's foot from which it looks about as steep as when the object was enrolled. */
typedef struct {
    double near_m, far_m, step_m;
    int rows;
} band;

static band band_around(const object_view *view, const object_model *model, double z_m)
{
    const double above_m = view->T_table_camera.t_m.z - z_m - 0.5 * model->height_m;
    const double flat = fmax(flattest_rad, model->elevation_rad - reach_max_rad),
                 steep = model->elevation_rad + reach_max_rad;
    band b = {.step_m = step_share * model->radius_m};
    if (!(above_m > 0))
        return b;
    b.near_m = steep < POV_PI / 2 ? above_m / tan(steep) : 0;
    b.far_m = above_m / tan(flat);
    b.step_m = fmax(b.step_m, 2 * b.far_m / ROWS_MAX);
    b.rows = (int)(b.far_m / b.step_m);
    return b;
}

/* Where a row may be looked for. */
typedef struct {
    const band *around;
    const pov_object_area *area;
} bounds;

static bool is_within(const pov_object_area *area, const object_place *place)
{
    return place->x_m >= area->low_m.x && place->x_m <= area->high_m.x && place->y_m >= area->low_m.y &&
           place->y_m <= area->high_m.y;
}

static void search_row(object_short_list *list, const object_view *view, const object_model *model,
                       const bounds *within, object_place place)
{
    const band *b = within->around;
    const pov_vec3 eye_m = view->T_table_camera.t_m;
    for (int i = -b->rows; i <= b->rows; i++) {
        place.x_m = b->step_m * (round(eye_m.x / b->step_m) + i);
        const double away_m = hypot(place.x_m - eye_m.x, place.y_m - eye_m.y);
        if (away_m < b->near_m || away_m > b->far_m || !is_within(within->area, &place) ||
            !object_place_in_view(view, model, &place))
            continue;
        object_scan_place(view, model, &place, FIRST_STEP, first_share);
        if (list->len < OBJECT_SHORT_LIST || place.score > list->places[OBJECT_SHORT_LIST - 1].score)
            insert(list, &place);
    }
}

static void keep_apart(object_short_list *list, double apart_m)
{
    int kept = 0;
    for (int i = 0; i < list->len; i++) {
        bool is_new = true;
        for (int k = 0; k < kept && is_new; k++)
            is_new = hypot(list->places[i].x_m - list->places[k].x_m,
                           list->places[i].y_m - list->places[k].y_m) > apart_m;
        if (is_new)
            list->places[kept++] = list->places[i];
    }
    list->len = kept;
}

void object_search_places(object_short_list *list, const object_view *view, const object_model *model,
                          double z_m, const object_part *part)
{
    const band b = band_around(view, model, z_m);
    object_short_list first = {0};
    for (int row = -b.rows; row <= b.rows; row++)
        if ((row + b.rows) % part->of == part->first)
            search_row(&first, view, model, &(bounds){&b, &part->area},
                       (object_place){.y_m = b.step_m * (round(view->T_table_camera.t_m.y / b.step_m) + row),
                                      .z_m = z_m});
    list->len = 0;
    for (int i = 0; i < first.len && i < part->most; i++) {
        object_scan_place(view, model, &first.places[i], 1, 1);
        insert(list, &first.places[i]);
    }
    keep_apart(list, apart_share * model->radius_m);
}
