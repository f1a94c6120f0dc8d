#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/geometry/tag.h"
#include "tests/support/near.h"

static void corners_go_counter_clockwise_from_the_lower_left(void **state)
{
    (void)state;
    const double expected[4][2] = {{-0.1, -0.1}, {0.1, -0.1}, {0.1, 0.1}, {-0.1, 0.1}};

    for (int i = 0; i < 4; i++) {
        pov_vec3 corner = pov_tag_corner(0.2, i);
        assert_near(corner.x, expected[i][0], 1e-15);
        assert_near(corner.y, expected[i][1], 1e-15);
        assert_near(corner.z, 0, 0);
    }
}

static void a_map_tells_families_and_ids_apart(void **state)
{
    (void)state;
    static pov_tag_map map = {.len = 3,
                              .tags = {{.family = POV_TAG36H11, .id = 4},
                                       {.family = POV_TAG25H9, .id = 4},
                                       {.family = POV_TAG25H9, .id = 7}}};

    assert_ptr_equal(pov_tag_map_find(&map, POV_TAG36H11, 4), &map.tags[0]);
    assert_ptr_equal(pov_tag_map_find(&map, POV_TAG25H9, 4), &map.tags[1]);
    assert_ptr_equal(pov_tag_map_find(&map, POV_TAG25H9, 7), &map.tags[2]);
    assert_null(pov_tag_map_find(&map, POV_TAG36H11, 7));
    map.len = 2;
    assert_null(pov_tag_map_find(&map, POV_TAG25H9, 7));
}

static void family_names_are_read_back_and_others_refused(void **state)
{
    (void)state;
    pov_tag_family family;

    for (int f = 0; f < POV_TAG_FAMILY_COUNT; f++) {
        assert_true(pov_tag_family_from_name(&family, pov_tag_family_name((pov_tag_family)f)));
        assert_int_equal(family, f);
    }
    assert_false(pov_tag_family_from_name(&family, "tag36h12"));
    assert_false(pov_tag_family_from_name(&family, ""));
}

static void every_outcome_has_a_name_of_its_own(void **state)
{
    (void)state;
    assert_string_equal(pov_tag_outcome_name(POV_TAG_USED), "used");
    assert_string_equal(pov_tag_outcome_name(POV_TAG_NOT_IN_MAP), "not_in_map");
    assert_string_equal(pov_tag_outcome_name(POV_TAG_REJECTED), "rejected");
    assert_string_equal(pov_tag_outcome_name(POV_TAG_SEEN), "seen");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_go_counter_clockwise_from_the_lower_left),
        cmocka_unit_test(a_map_tells_families_and_ids_apart),
        cmocka_unit_test(family_names_are_read_back_and_others_refused),
        cmocka_unit_test(every_outcome_has_a_name_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
