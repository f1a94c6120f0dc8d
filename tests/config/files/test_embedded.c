#include "config/files/embedded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_file_is_found_by_its_whole_name(void **state)
{
    (void)state;
    const pov_embedded_file table[] = {
        {"a.txt", (const unsigned char *)"one", 3}, {"b.txt", (const unsigned char *)"", 0}, {NULL, NULL, 0}};
    assert_ptr_equal(pov_embedded_find(table, "a.txt"), &table[0]);
    assert_ptr_equal(pov_embedded_find(table, "b.txt"), &table[1]);
    assert_null(pov_embedded_find(table, "a.tx"));
    assert_null(pov_embedded_find(&table[2], "a.txt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_found_by_its_whole_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
