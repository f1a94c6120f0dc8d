#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/scene/template_file.h"
#include "perception/geometry/geom.h"
#include "tests/support/near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pov_status parse(pov_template *regions, const char *text)
{
    return pov_template_parse(regions, "lab.yaml", text, strlen(text));
}

#define LAB                                                                                                  \
    "good_edge_deg: 20\ngood_fall_deg: 8\nacceptable_edge_deg: 75\nacceptable_fall_deg: 10\n"                \
    "acceptable_level: 0.6\n"

static void degrees_of_the_file_are_radians_inside(void **state)
{
    (void)state;
    pov_template regions;
    assert_int_equal(parse(&regions, LAB "reach_m: 2\n").code, POV_OK);
    assert_near(regions.good_edge_rad, POV_PI / 9, 1e-12);
    assert_near(regions.acceptable_edge_rad, 75 * POV_PI / 180, 1e-12);
    assert_near(regions.acceptable_level, 0.6, 0);
    assert_near(regions.reach_m, 2, 0);
}

static void without_a_reach_distance_does_not_matter(void **state)
{
    (void)state;
    pov_template regions;
    assert_int_equal(parse(&regions, LAB).code, POV_OK);
    assert_true(isinf(regions.reach_m));
}

static void mistakes_are_named_and_nothing_is_left_behind(void **state)
{
    (void)state;
    const struct {
        const char *text, *words;
    } mistakes[] = {
        {LAB "reach: 2\n", "lab.yaml:6"},
        {"good_edge_deg: 20\n", "good_fall_deg"},
        {"good_edge_deg: wide\n", "lab.yaml:1"},
        {LAB "good_edge_deg: 21\n", "good_edge_deg"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        pov_template regions;
        pov_status status = parse(&regions, mistakes[i].text);
        assert_int_equal(status.code, POV_ERROR);
        if (!strstr(status.message, mistakes[i].words))
            fail_msg("expected \"%s\" in: %s", mistakes[i].words, status.message);
        assert_true(isnan(regions.good_edge_rad));
    }
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    char folder[] = "/tmp/pov-template-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/lab.yaml", folder);
    pov_template written, read;
    assert_int_equal(parse(&written, LAB "reach_m: 0.75\n").code, POV_OK);
    assert_int_equal(pov_template_write(path, &written, "fitted to 3 ratings").code, POV_OK);
    assert_int_equal(pov_template_read(&read, path).code, POV_OK);
    assert_near(read.good_edge_rad, written.good_edge_rad, 1e-9);
    assert_near(read.good_fall_rad, written.good_fall_rad, 1e-9);
    assert_near(read.acceptable_edge_rad, written.acceptable_edge_rad, 1e-9);
    assert_near(read.acceptable_fall_rad, written.acceptable_fall_rad, 1e-9);
    assert_near(read.acceptable_level, written.acceptable_level, 1e-9);
    assert_near(read.reach_m, written.reach_m, 1e-9);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing half-written beside it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degrees_of_the_file_are_radians_inside),
        cmocka_unit_test(without_a_reach_distance_does_not_matter),
        cmocka_unit_test(mistakes_are_named_and_nothing_is_left_behind),
        cmocka_unit_test(what_is_written_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
