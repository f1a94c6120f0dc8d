/* A painted box is searched for on its table: against where it was painted. */
#include "tests/support/painted_view.h"

static const double deg = POV_PI / 180;
static const painted_scene plain = {.gain = 1};
static const object_place truth = {.x_m = 0.03, .y_m = -0.05, .yaw_rad = 0.7};

static void a_search_of_the_table_finds_the_place_and_the_turn(void **state)
{
    (void)state;
    painted_view *v = painted_view_new(&truth, plain);
    object_short_list *list = calloc(1, sizeof *list);
    const object_area all = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};
    for (int part = 0; part < 2; part++)
        pov_object_search_places(list, &v->view, v->model, 0,
                                 &(object_part){part, 2, OBJECT_SHORT_LIST / 2, all});
    pov_object_short_list_thin(list, v->model);
    assert_true(list->len > 1);
    assert_true(pov_object_place_distance(&list->places[0], &truth) < 0.3 * v->model->radius_m);
    assert_true(pov_object_place_turn(&list->places[0], &truth) < 20 * deg);
    for (int i = 1; i < list->len; i++)
        assert_true(list->places[i].score <= list->places[i - 1].score);
    list->len = 0;
    const object_area elsewhere = {{-1, 0.1}, {1, 1}};
    pov_object_search_places(list, &v->view, v->model, 0, &(object_part){0, 1, OBJECT_SHORT_LIST, elsewhere});
    for (int i = 0; i < list->len; i++)
        assert_true(list->places[i].y_m >= 0.1);
    free(list);
    painted_view_destroy(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_of_the_table_finds_the_place_and_the_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
