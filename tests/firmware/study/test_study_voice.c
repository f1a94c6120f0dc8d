#include "firmware/study/study_voice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* Waits, for some seconds, until a file has a word. */
static void await_text(char *text, size_t capacity, const char *path, const char *word)
{
    for (int i = 0; i < 500 && !strstr(text, word); i++) {
        FILE *file = fopen(path, "r");
        if (file) {
            text[fread(text, 1, capacity - 1, file)] = '\0';
            fclose(file);
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_non_null(strstr(text, word));
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

static void a_new_utterance_ends_what_is_being_said(void **state)
{
    (void)state;
    /* a voice that takes 30 s for each sentence, and notes its beginning; what the file has is told by cat */
    char folder[] = "/tmp/pov-voice-XXXXXX", say[256], path[64], noted[256] = "";
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/said", folder);
    snprintf(say, sizeof say, "while read -r line; do echo \"$line\" >> %s; sleep 30; done", path);
    pov_voice voice;
    assert_int_equal(pov_voice_begin(&voice, "", say).code, POV_OK);
    assert_int_equal(pov_voice_say(&voice, "a long story").code, POV_OK);
    await_text(noted, sizeof noted, path, "story");
    const time_t begin_s = time(NULL);
    assert_int_equal(pov_voice_hush(&voice).code, POV_OK);
    assert_int_equal(pov_voice_say(&voice, "the red mug").code, POV_OK);
    await_text(noted, sizeof noted, path, "mug");
    assert_string_equal(noted, "a long story\nthe red mug\n");
    assert_int_equal(pov_voice_hush(&voice).code, POV_OK); /* nothing of it runs on */
    pov_voice_end(&voice);
    assert_true(time(NULL) - begin_s < 15);
    assert_int_equal(unlink(path) | rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_counts_as_a_terminal_shows_it),
        cmocka_unit_test(only_final_results_count),
        cmocka_unit_test(a_new_utterance_ends_what_is_being_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
