#include "calib/turntable/turn_angles.h"
#include "perception/geometry/geom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static pov_turn_angles angles;

static pov_status parse(const char *text)
{
    return pov_turn_angles_parse(&angles, "a.csv", text, strlen(text));
}

static void lines_of_names_and_degrees_are_read(void **state)
{
    (void)state;
    assert_int_equal(parse("name,degrees,way\n\n a.png , 90\nb.png,-45.5,down # back\r\nc.png,1e1,up").code,
                     POV_OK);
    assert_int_equal(angles.len, 3);
    assert_near(pov_turn_angles_find(&angles, "a.png")->angle_rad, POV_PI / 2, 1e-12);
    assert_int_equal(pov_turn_angles_find(&angles, "a.png")->way, 0);
    assert_near(pov_turn_angles_find(&angles, "b.png")->angle_rad, -45.5 * POV_PI / 180, 1e-12);
    assert_int_equal(pov_turn_angles_find(&angles, "b.png")->way, -1);
    assert_int_equal(pov_turn_angles_find(&angles, "c.png")->way, 1);
    assert_null(pov_turn_angles_find(&angles, "d.png"));
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
    static const char *const cases[][2] = {
        {"", "no line"},
        {"name,degrees\n", "no line"},
        {"a.png,1\nb.png\n", "a.csv:2: expected NAME,DEGREES"},
        {"a.png,1\nb.png,north\n", "a.csv:2: 'north' is not an angle"},
        {"a.png,1,left\n", "a.csv:1: the way 'left'"},
        {"a.png,1\n\na.png,2\n", "a.csv:3: 'a.png' is there twice"},
        {"a.png,1e9\n", "a.csv:1: '1e9' is not an angle"},
        {"a.png,1,up,2\n", "a.csv:1: expected"},
        {",1\n", "a.csv:1: expected an image's name"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pov_status status = parse(cases[i][0]);
        assert_int_equal(status.code, POV_ERROR);
        assert_int_equal(angles.len, 0);
        if (!strstr(status.message, cases[i][1]))
            fail_msg("'%s' does not say '%s'", status.message, cases[i][1]);
    }
}

static void a_name_tells_its_last_number(void **state)
{
    static const struct {
        const char *name;
        double angle_deg; /* NaN: none */
    } cases[] = {{"stop_090.png", 90}, {"turn_-12.5.png", -12.5}, {"stop-30.jpg", 30},
                 {"-7.png", -7},       {"cam2_15deg.png", 15},    {"15.png", 15},
                 {"stop.png", NAN},    {"a1.2.3.png", NAN}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double angle_rad;
        assert_int_equal(pov_turn_angle_in_name(&angle_rad, cases[i].name), !isnan(cases[i].angle_deg));
        if (!isnan(cases[i].angle_deg))
            assert_near(angle_rad, cases[i].angle_deg * POV_PI / 180, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_names_and_degrees_are_read),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(a_name_tells_its_last_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
