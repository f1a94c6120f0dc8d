#include "calib/tags/disc_file.h"
#include "tests/support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static pov_disc disc, again;

static pov_pose random_pose(test_random *random)
{
    pov_pose pose = {.T = {pov_rot_exp((pov_vec3){test_random_normal(random), test_random_normal(random), 1}),
                           {test_random_normal(random), test_random_normal(random), 0.1}}};
    double A[6][6];
    for (int i = 0; i < 36; i++)
        A[i / 6][i % 6] = 0.01 * test_random_normal(random);
    for (int i = 0; i < 36; i++)
        for (int k = 0; k < 6; k++)
            pose.cov[i / 6][i % 6] += A[i / 6][k] * A[i % 6][k];
    return pose;
}

static void assert_same_pose(const pov_pose *a, const pov_pose *b)
{
    double off[6];
    pov_transform_minus(off, a->T, b->T);
    for (int i = 0; i < 6; i++)
        assert_near(off[i], 0, 1e-8);
    for (int i = 0; i < 36; i++)
        assert_near(a->cov[i / 6][i % 6], b->cov[i / 6][i % 6], 1e-11);
}

static char *written(void)
{
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    pov_disc_file_write(stream, &disc);
    fclose(stream);
    return text;
}

static void what_is_written_reads_back(void **state)
{
    test_random random = {.state = 4};
    (void)state;
    disc.T_table_disc = random_pose(&random);
    disc.tags.len = 5;
    for (int i = 0; i < disc.tags.len; i++)
        disc.tags.tags[i] = (pov_tag_map_entry){
            .family = POV_TAG25H9, .id = i, .edge_m = 0.04, .T_table_tag = random_pose(&random)};
    char *text = written();
    const pov_status status = pov_disc_file_parse(&again, "t.yaml", text, strlen(text));
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
    free(text);
    assert_same_pose(&disc.T_table_disc, &again.T_table_disc);
    assert_int_equal(again.tags.len, disc.tags.len);
    for (int i = 0; i < disc.tags.len; i++) {
        assert_int_equal(again.tags.tags[i].family, POV_TAG25H9);
        assert_int_equal(again.tags.tags[i].id, i);
        assert_same_pose(&disc.tags.tags[i].T_table_tag, &again.tags.tags[i].T_table_tag);
    }
}

static void refused(const char *text, const char *words)
{
    const pov_status status = pov_disc_file_parse(&again, "t.yaml", text, strlen(text));
    assert_int_equal(status.code, POV_ERROR);
    assert_int_equal(again.tags.len, 0);
    if (!strstr(status.message, words))
        fail_msg("'%s' does not say '%s'", status.message, words);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    refused("position_m: [0, 0, 0]\n", "rotation");
    refused("position_m: [0, 0, 0]\nrotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n", "tags");
    refused("position_m: [0, 0, 0]\nrotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\ncovariance: [1, 2]\n",
            "covariance");
    refused("position_m: [0, 0, 0]\nrotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\ncovariance: "
            "[-1,0,0,0,0,0, 0,0,0,0,0, 0,0,0,0, 0,0,0, 0,0, 0]\n",
            "negative eigenvalue");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
