#include "perception/relations/relation_registry.h"
#include "tests/support/random_situation.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static const pov_predicate_params params = POV_PREDICATE_PARAMS_DEFAULT;

#define EACH_RELATION(r)                                                                                     \
    const pov_relation_info *r = pov_relation_registry_at(0);                                                \
    r < pov_relation_registry_at(0) + pov_relation_registry_len();                                           \
    r++

/* Equal, or both undefined. */
static void check_same(const pov_relation_info *relation, double actual, double expected)
{
    if (isnan(actual) && isnan(expected))
        return;
    if (!(fabs(actual - expected) <= 1e-6))
        print_error("%s: %.12g, not %.12g\n", relation->name, actual, expected);
    assert_true(fabs(actual - expected) <= 1e-6);
}

static void every_entry_says_what_it_is(void **state)
{
    (void)state;
    for (EACH_RELATION(r)) {
        assert_true(strlen(r->name) > 0 && strlen(r->definition) > 5 && strlen(r->source) > 2);
        assert_in_range(r->relata_min, 1, 3);
        assert_non_null(r->phrases[0]);
        assert_true(r->category < POV_CATEGORY_COUNT && r->frame < POV_FRAME_COUNT);
        for (const char *c = r->name; *c; c++)
            assert_true(islower((unsigned char)*c) || *c == '_');
    }
}

static void every_name_and_phrase_finds_its_entry_alone(void **state)
{
    (void)state;
    char sentence[100];
    for (EACH_RELATION(r)) {
        assert_ptr_equal(pov_relation_lookup(r->name), r);
        for (int i = 0; i < POV_PHRASES_MAX && r->phrases[i]; i++) {
            assert_ptr_equal(pov_relation_lookup(r->phrases[i]), r);
            snprintf(sentence, sizeof sentence, " Is %s  the", r->phrases[i]);
            assert_ptr_equal(pov_relation_lookup(sentence), r);
        }
    }
    assert_string_equal(pov_relation_lookup("At-the-Edge-of")->name, "at_the_edge_of");
    assert_null(pov_relation_lookup("entangled with"));
    assert_null(pov_relation_lookup(""));
    assert_string_equal(pov_relation_most_like("besidde")->name, "beside");
    assert_string_equal(pov_relation_most_like("lefft")->name, "left_of");
    assert_string_equal(pov_relation_most_like("perpendiclar")->name, "perpendicular_to");
}

static void the_eight_of_relation_h_are_entries(void **state)
{
    (void)state;
    for (int i = 0; i < POV_RELATION_COUNT; i++) {
        assert_int_equal(pov_relation_info_of((pov_relation)i)->projective, i);
        assert_string_equal(pov_relation_info_of((pov_relation)i)->name, pov_relation_name((pov_relation)i));
    }
}

static FILE *open_paper(void)
{
    const char *shared = getenv("POV_SHARED"), *source = getenv("POV_SOURCE");
    char path[1000];
    if (shared)
        snprintf(path, sizeof path, "%s/papers/vsr.txt", shared);
    else
        snprintf(path, sizeof path, "%s/../shared/papers/vsr.txt", source ? source : ".");
    return fopen(path, "r");
}

/* One cell of Table 1: "deep down*". Its entry, in the row's category, or in Unallocated too. */
static const pov_relation_info *check_cell(const char *row, char *cell)
{
    size_t len = strcspn(cell, "*\n");
    bool starred = cell[len] == '*';
    cell[len] = '\0';
    for (char *c = cell; *c; c++)
        *c = *c == ' ' ? '_' : (char)tolower((unsigned char)*c);
    const pov_relation_info *relation = pov_relation_lookup(cell);
    assert_non_null(relation);
    assert_string_equal(relation->name, cell);
    assert_int_equal(relation->vsr, starred ? POV_VSR_UNUSED : POV_VSR_USED);
    if (!(relation->vsr_unallocated_too && strcmp(row, "unallocated") == 0))
        assert_string_equal(pov_category_name(relation->category), row);
    return relation;
}

static void the_names_are_those_of_the_papers_table(void **state)
{
    (void)state;
    FILE *paper = open_paper();
    if (!paper) {
        print_message("skipped: ../shared not found\n");
        skip();
    }
    static char line[100000];
    char row[40];
    int cells = 0, used_cells = 0, in_registry = 0;
    bool in_table = false;
    while (fgets(line, sizeof line, paper) && strncmp(line, "Table 1: ", 9) != 0) {
        in_table = in_table || strncmp(line, "Category\tSpatial", 16) == 0;
        char *tab = strchr(line, '\t');
        if (!in_table || !tab || strncmp(line, "Category", 8) == 0)
            continue;
        snprintf(row, sizeof row, "%.*s", (int)(tab - line), line);
        row[0] = (char)tolower((unsigned char)row[0]);
        for (char *cell = strtok(tab + 1, ","); cell; cell = strtok(NULL, ",")) {
            used_cells += check_cell(row, cell + strspn(cell, " "))->vsr == POV_VSR_USED;
            cells++;
        }
    }
    fclose(paper);
    for (EACH_RELATION(r))
        in_registry += (r->vsr != POV_VSR_NO) * (1 + r->vsr_unallocated_too);
    assert_int_equal(cells, 71);
    assert_int_equal(used_cells, 66);  /* "among" stands twice */
    assert_int_equal(in_registry, 72); /* "congruent" is in the captions, not in the table */
}

static void inverses_of_inverses_mean_the_same(void **state)
{
    (void)state;
    for (EACH_RELATION(r)) {
        if (!r->inverse)
            continue;
        const pov_relation_info *inverse = pov_relation_lookup(r->inverse);
        assert_string_equal(inverse->name, r->inverse);
        assert_non_null(inverse->inverse);
        assert_ptr_equal(pov_relation_lookup(inverse->inverse)->evaluate, r->evaluate);
        assert_int_equal(inverse->frame, r->frame);
        assert_false(r->symmetric);
    }
}

static void swapping_inverts_as_the_registry_says(void **state)
{
    (void)state;
    test_random random = {1};
    for (int i = 0; i < 1000; i++) {
        pov_situation there = test_random_situation(&random, 0.2 + i % 3);
        pov_situation back = test_swapped(there);
        for (EACH_RELATION(r)) {
            if (r->symmetric)
                check_same(r, pov_relation_truth(r, &back, &params), pov_relation_truth(r, &there, &params));
            if (r->inverse)
                check_same(r, pov_relation_truth(pov_relation_lookup(r->inverse), &back, &params),
                           pov_relation_truth(r, &there, &params));
        }
    }
}

static void a_relation_that_is_not_said_to_be_symmetric_is_not(void **state)
{
    (void)state;
    test_random random = {2};
    int differs[200] = {0};
    for (int i = 0; i < 3000; i++) {
        pov_situation there = test_random_situation(&random, 0.2 + i % 3);
        pov_situation back = test_swapped(there);
        for (EACH_RELATION(r))
            differs[r - pov_relation_registry_at(0)] +=
                fabs(pov_relation_truth(r, &there, &params) - pov_relation_truth(r, &back, &params)) > 0.1;
    }
    for (EACH_RELATION(r)) {
        /* Relative motion of two things is symmetric. */
        bool decided = !r->moving && strstr(r->definition, "not a matter of geometry") == NULL;
        if (decided && !r->symmetric && !differs[r - pov_relation_registry_at(0)])
            print_error("%s looks symmetric\n", r->name);
        if (decided && !r->symmetric)
            assert_true(differs[r - pov_relation_registry_at(0)] > 0);
    }
}

static void negations_add_up_to_one(void **state)
{
    (void)state;
    test_random random = {3};
    for (int i = 0; i < 1000; i++) {
        pov_situation situation = test_random_situation(&random, 0.2 + i % 3);
        for (EACH_RELATION(r)) {
            double truth = pov_relation_truth(r, &situation, &params);
            if (!isnan(truth))
                assert_true(truth >= 0 && truth <= 1);
            if (r->negation)
                check_same(r, 1 - pov_relation_truth(pov_relation_lookup(r->negation), &situation, &params),
                           truth);
        }
    }
}

static double of_pair(const pov_relation_info *r, pov_situation situation, int a, int b)
{
    situation.referent = situation.relatum[a];
    situation.relatum[0] = situation.relatum[b];
    return pov_relation_truth(r, &situation, &params);
}

/* At a height at which one would stand on the other, or have sunk into it: then it is on no side of it. */
static bool may_rest(const pov_body *a, const pov_body *b)
{
    const pov_vec3 up = {0, 0, 1};
    double both_m = pov_box_half_extent_m(&a->box, up) + pov_box_half_extent_m(&b->box, up);
    double apart_m = fabs(a->box.centre_m.z - b->box.centre_m.z) - both_m;
    return apart_m < 0.02 && (apart_m > -0.02 || a->affords || b->affords);
}

static void what_is_said_to_be_transitive_is(void **state)
{
    (void)state;
    test_random random = {4};
    int chains[200] = {0};
    for (int i = 0; i < 10000; i++) {
        pov_situation situation = test_random_situation(&random, i % 2 ? 0.05 : 1);
        for (EACH_RELATION(r)) {
            if (!r->transitive || !(of_pair(r, situation, 1, 2) > 0.5 && of_pair(r, situation, 2, 3) > 0.5))
                continue;
            if (r->projective != POV_RELATION_COUNT && may_rest(&situation.relatum[1], &situation.relatum[3]))
                continue;
            assert_true(of_pair(r, situation, 1, 3) > 0.5);
            chains[r - pov_relation_registry_at(0)]++;
        }
    }
    for (EACH_RELATION(r))
        if (r->transitive)
            assert_true(chains[r - pov_relation_registry_at(0)] > 20);
}

static void scaling_the_world_changes_metric_relations_only(void **state)
{
    (void)state;
    test_random random = {5};
    int changes[200] = {0};
    for (int i = 0; i < 1000; i++) {
        pov_situation situation = test_random_situation(&random, 0.2 + i % 3);
        situation.referent.box.centre_m.z =
            situation.relatum[0].box.centre_m.z; /* brings some side by side, */
        if (i % 2) {                             /* others on top */
            pov_vec3 up = {0, 0, 1};
            double gap_m = test_random_between(&random, -0.001, 0.012);
            situation.referent.box.R_table_box = situation.relatum[0].box.R_table_box = pov_rot_yaw(i);
            situation.referent.box.centre_m =
                pov_vec3_add(situation.relatum[0].box.centre_m, test_random_vector(&random, 0.01));
            if (i % 4 == 1)
                up = i % 8 == 1 ? (pov_vec3){cos(i), sin(i), 0} : (pov_vec3){0, 0, -1};
            situation.referent.box.centre_m =
                pov_vec3_add(situation.referent.box.centre_m,
                             pov_vec3_scale(up, gap_m + pov_box_half_extent_m(&situation.referent.box, up) +
                                                    pov_box_half_extent_m(&situation.relatum[0].box, up)));
        }
        pov_situation scaled = test_scaled(situation, 3.7);
        for (EACH_RELATION(r)) {
            double before = pov_relation_truth(r, &situation, &params),
                   after = pov_relation_truth(r, &scaled, &params);
            if (r->metric)
                changes[r - pov_relation_registry_at(0)] += fabs(before - after) > 0.01;
            else
                check_same(r, after, before);
        }
    }
    for (EACH_RELATION(r)) {
        if (r->metric && !changes[r - pov_relation_registry_at(0)])
            print_error("%s is not metric\n", r->name);
        if (r->metric)
            assert_true(changes[r - pov_relation_registry_at(0)] > 0);
    }
}

static void turning_and_shifting_the_world_changes_nothing(void **state)
{
    (void)state;
    test_random random = {6};
    for (int i = 0; i < 1000; i++) {
        pov_situation situation = test_random_situation(&random, 0.2 + i % 3);
        pov_situation moved =
            test_moved(situation, test_random_between(&random, -3, 3), test_random_vector(&random, 5));
        for (EACH_RELATION(r))
            check_same(r, pov_relation_truth(r, &moved, &params), pov_relation_truth(r, &situation, &params));
    }
}

static void without_its_frame_a_relation_is_undefined(void **state)
{
    (void)state;
    test_random random = {7};
    for (int i = 0; i < 300; i++) {
        pov_situation situation = test_random_situation(&random, 1);
        situation.has_axes = situation.has_viewer = false;
        for (EACH_RELATION(r)) {
            double truth = pov_relation_truth(r, &situation, &params);
            /* "and" with something false is false whatever the frame. */
            if (r->frame != POV_FRAME_NONE)
                assert_true(isnan(truth) || truth == 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_says_what_it_is),
        cmocka_unit_test(every_name_and_phrase_finds_its_entry_alone),
        cmocka_unit_test(the_eight_of_relation_h_are_entries),
        cmocka_unit_test(the_names_are_those_of_the_papers_table),
        cmocka_unit_test(inverses_of_inverses_mean_the_same),
        cmocka_unit_test(swapping_inverts_as_the_registry_says),
        cmocka_unit_test(a_relation_that_is_not_said_to_be_symmetric_is_not),
        cmocka_unit_test(negations_add_up_to_one),
        cmocka_unit_test(what_is_said_to_be_transitive_is),
        cmocka_unit_test(scaling_the_world_changes_metric_relations_only),
        cmocka_unit_test(turning_and_shifting_the_world_changes_nothing),
        cmocka_unit_test(without_its_frame_a_relation_is_undefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
