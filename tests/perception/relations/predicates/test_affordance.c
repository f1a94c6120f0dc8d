#include "perception/relations/predicates/affordance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void the_last_word_tells_what_a_class_affords(void **state)
{
    (void)state;
    enum {
        HOLDS = POV_AFFORDS_HOLDING,
        BEARS = POV_AFFORDS_BEARING,
        SHELTERS = POV_AFFORDS_SHELTER,
        FLOATS = POV_FLOATS
    };
    const struct {
        const char *class_name;
        unsigned affords;
    } cases[] = {
        {"cup", HOLDS | POV_AFFORDS_POURING},
        {"Coffee Cup", HOLDS | POV_AFFORDS_POURING},
        {"wine-glass_2", HOLDS | POV_AFFORDS_POURING},
        {"vase 3", HOLDS | POV_AFFORDS_POURING},
        {"suitcase", HOLDS},
        {"horse", BEARS},
        {"dining_table", SHELTERS},
        {"chair", BEARS | SHELTERS},
        {"bed", HOLDS | BEARS | SHELTERS},
        {"cup holder", 0}, /* not known: no part of "cupboard" or of the first word */
        {"cupb", 0},
        {"up", 0},
        {"person", BEARS},
        {"water_buffalo", BEARS},
        {"ox", BEARS},
        {"fox cub", 0},
        {"skateboard", BEARS},
        {"sled", BEARS},
        {"hammock", HOLDS | BEARS},
        {"rowing boat", HOLDS | BEARS | FLOATS},
        {"mute swan", BEARS | FLOATS},
        {"bus", HOLDS | POV_AFFORDS_RIDING},
        {"river", HOLDS | POV_AFFORDS_FLOATING},
        {"blanket", POV_AFFORDS_COVERING},
        {"desk", SHELTERS | POV_AFFORDS_STOWING},
        {"brick wall", POV_AFFORDS_NOTHING},
        {"thing", 0},
        {"42", 0},
        {"", 0},
        {" ", 0},
        {"Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(pov_affordances_of(cases[i].class_name), cases[i].affords);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_last_word_tells_what_a_class_affords)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
