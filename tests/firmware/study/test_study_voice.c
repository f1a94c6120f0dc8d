#include "firmware/study/study_voice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Starts a program that listens; checks the lines that it hears, in order. */
static void assert_heard(const char *listen, const char *const *wanted)
{
    pov_voice voice;
    char line[POV_LINE_CAPACITY];
    assert_int_equal(pov_voice_begin(&voice, listen, "").code, POV_OK);
    for (int i = 0; wanted[i]; i++) {
        assert_true(pov_lines_take(&voice.heard, line, 5000));
        assert_string_equal(line, wanted[i]);
    }
    while (!voice.heard.ended)
        assert_false(pov_lines_take(&voice.heard, line, 5000));
    pov_voice_end(&voice);
}

static void a_line_counts_as_a_terminal_shows_it(void **state)
{
    (void)state;
    /* as whisper.cpp's stream prints: interim results over one another, by ESC [ 2K and CR */
    assert_heard("printf '\\033[2K\\r give me\\033[2K\\r give me the mug\\033[2K\\r Give me the red "
                 "mug.\\n[Start speaking]\\r and the\\n'",
                 (const char *const[]){"Give me the red mug.", "and the", NULL});
}

static void only_final_results_count(void **state)
{
    (void)state;
    /* the recipe of docs/STATION.md for Vosk's test_microphone.py, in front of which a stand-in prints its format */
    assert_heard("printf '{\\n  \"partial\" : \"give\"\\n}\\n{\\n  \"text\" : \"give me the mug\"\\n}\\n{\\n "
                 " \"text\" : \"\"\\n}\\n'"
                 " | sed -un 's/^ *\"text\" : \"\\(..*\\)\"$/\\1/p'",
                 (const char *const[]){"give me the mug", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_counts_as_a_terminal_shows_it),
        cmocka_unit_test(only_final_results_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
