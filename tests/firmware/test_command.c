#include "firmware/command.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "tests/support/near.h"

/* ---- a command that has one of each ---- */

enum { ARGUMENTS_MAX = 32 };

typedef struct {
    bool fast;
    double turn_rad, wait_s;
    int stops, sense;
    uint64_t seed;
    const char *title, *out, *via;
    char name[8];
    char last[16];
} values;

POV_NAMES(senses, "left", "right")

static pov_status take_last(void *value, const char *text)
{
    if (strlen(text) != 1)
        return pov_error("takes a letter, not '%s'", text);
    memcpy(value, text, 2);
    return pov_ok();
}

static const pov_option table[] = {
    POV_FLAG(values, fast, "fast", "at once"),
    POV_OPTIONS_HEADING("Numbers:"),
    POV_NUMBER(values, turn_rad, "turn", "DEG", 0.5, 90, "so far", .unit = 3.14159265358979323846 / 180),
    POV_NUMBER(values, wait_s, "wait", "S", 0, INFINITY, "so long"),
    POV_WHOLE(values, stops, "stops", "N", 1, 36, "so often"),
    POV_COUNT(values, seed, "seed", "N", 0, INFINITY, "of what is random"),
    POV_OPTIONS_HEADING("Words:"),
    POV_CHOICE(values, sense, "sense", "WAY", senses, "which way round"),
    POV_TEXT(values, title, "title", "TEXT",
             "above a page whose description is so long that it takes more than a line"),
    POV_PATH(values, out, "out", "DIR", "a folder", .required = true),
    POV_BUFFER(values, name, "name", "NAME", "its name"),
    POV_TAKEN(values, last, "last", "A", take_last, "a letter"),
    POV_TEXT(values, via, "via", "A,...", "on the way", .once = true),
    POV_OPTIONS_END,
};

static int do_nothing(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return POV_EXIT_OK;
}

static const pov_command command = {.name = "test this",
                                    .run = do_nothing,
                                    .usage = "FILE... --out DIR",
                                    .about = "Tests.",
                                    .options = table,
                                    .words = {.min = 1, .max = 2, .wanted = "which file?"},
                                    .examples = "pov test this a --out b",
                                    .exits = "0 done; 1 not done"};

static const values defaults = {.stops = 36, .turn_rad = 3.14159265358979323846 / 90, .wait_s = NAN};

/* A call's output and exit code. */
typedef struct {
    int code;
    values given;
    pov_words words;
    char *argv[ARGUMENTS_MAX + 1];
    char line[512], out[4000], err[1000];
} call;

static void read_back(char *text, size_t capacity, int file)
{
    lseek(file, 0, SEEK_SET);
    const ssize_t length = read(file, text, capacity - 1);
    text[length > 0 ? length : 0] = '\0';
}

/* Reads the words of a line, parted by spaces. */
static void read_line(call *c, const char *line)
{
    FILE *files[2] = {tmpfile(), tmpfile()};
    int argc = 0, saved[2];
    *c = (call){.given = defaults};
    snprintf(c->line, sizeof c->line, "%s", line);
    c->argv[argc++] = c->line + strlen(c->line);
    for (char *word = strtok(c->line, " "); word; word = strtok(NULL, " "))
        c->argv[argc++] = word;
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        saved[i] = dup(i + 1);
        dup2(fileno(files[i]), i + 1);
    }
    c->code = pov_command_read(&c->given, &c->words, &command, argc, c->argv);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        dup2(saved[i], i + 1);
        close(saved[i]);
        read_back(i == 0 ? c->out : c->err, i == 0 ? sizeof c->out : sizeof c->err, fileno(files[i]));
        fclose(files[i]);
    }
}

/* ---- tests ---- */

static void every_kind_of_option_reaches_its_place(void **state)
{
    (void)state;
    static call c;
    read_line(&c,
              "a --fast --turn 45 --wait=1e3 --stops 7 --seed 12345678901 --sense right --title x --out=b=c "
              "--name seven77 --last z");
    assert_int_equal(c.code, POV_GO_ON);
    assert_true(c.given.fast);
    assert_near(c.given.turn_rad, 0.78539816339744831, 1e-15);
    assert_near(c.given.wait_s, 1000, 0);
    assert_int_equal(c.given.stops, 7);
    assert_int_equal(c.given.seed, 12345678901);
    assert_int_equal(c.given.sense, 1);
    assert_string_equal(c.given.title, "x");
    assert_string_equal(c.given.out, "b=c");
    assert_string_equal(c.given.name, "seven77");
    assert_string_equal(c.given.last, "z");
    assert_string_equal(c.err, "");
}

static void words_come_first_in_their_order_wherever_they_stood(void **state)
{
    (void)state;
    static call c;
    read_line(&c, "--fast a --out b -90");
    assert_int_equal(c.code, POV_GO_ON);
    assert_int_equal(c.words.len, 2);
    assert_string_equal(c.words.word[0], "a");
    assert_string_equal(c.words.word[1], "-90");
    read_line(&c, "--out b - -- --fast");
    assert_int_equal(c.words.len, 2);
    assert_string_equal(c.words.word[0], "-");
    assert_string_equal(c.words.word[1], "--fast");
    assert_false(c.given.fast);
}

static void a_line_may_be_read_again(void **state)
{
    (void)state;
    static call c;
    read_line(&c, "--fast a --out b --turn 3 -90");
    c.given = defaults;
    assert_int_equal(pov_command_read(&c.given, &c.words, &command, 8, c.argv), POV_GO_ON);
    assert_true(c.given.fast);
    assert_string_equal(c.given.out, "b");
    assert_near(c.given.turn_rad, 3.14159265358979323846 / 60, 1e-15);
    assert_int_equal(c.words.len, 2);
    assert_string_equal(c.words.word[1], "-90");
}

static void a_name_may_be_shortened_while_one_only_can_be_meant(void **state)
{
    (void)state;
    static call c;
    read_line(&c, "a --out b --tu 1 --sen right");
    assert_int_equal(c.code, POV_GO_ON);
    assert_int_equal(c.given.sense, 1);
    read_line(&c, "a --out b --se right");
    assert_int_equal(c.code, POV_EXIT_USAGE);
}

static void what_is_wrong_is_named_with_what_is_right(void **state)
{
    (void)state;
    static const struct {
        const char *line, *complaint;
    } cases[] = {
        {"a --out b --stop 37", "--stops: takes a whole number from 1 to 36, not '37'"},
        {"a --out b --stops 1.5", "--stops: takes a whole number from 1 to 36, not '1.5'"},
        {"a --out b --stops 99999999999999999999",
         "--stops: takes a whole number from 1 to 36, not '99999999999999999999'"},
        {"a --out b --turn x", "--turn: takes a number from 0.5 to 90, not 'x'"},
        {"a --out b --turn nan", "--turn: takes a number from 0.5 to 90, not 'nan'"},
        {"a --out b --turn 91", "--turn: takes a number from 0.5 to 90, not '91'"},
        {"a --out b --turn 0.4", "--turn: takes a number from 0.5 to 90, not '0.4'"},
        {"a --out b --wait -1", "--wait: takes a number of at least 0, not '-1'"},
        {"a --out b --seed -1", "--seed: takes a whole number of at least 0, not '-1'"},
        {"a --out b --sense rigt", "--sense: takes left or right, not 'rigt'; did you mean 'right'?"},
        {"a --out b --last zz", "--last: takes a letter, not 'zz'"},
        {"a --out b --name eight888", "--name: takes 7 characters at most, not 'eight888...'"},
        {"a --out b --fast=1", "--fast takes no value"},
        {"a --out", "--out lacks its value DIR: a folder"},
        {"a --out --fast", "--out lacks its value DIR: a folder"},
        {"a --out b --via x --fast c --vi=y",
         "--via is given twice; give it once, with all of it: --via A,..."},
        {"a --outt b", "there is no option '--outt'; did you mean '--out'?"},
        {"a --out b -x", "there is no option '-x'"},
        {"a", "--out DIR is missing: a folder"},
        {"--out b", "which file?"},
        {"a b c --out d", "which file?; 'c' is one too many"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static call c;
        char expected[400];
        snprintf(expected, sizeof expected, "pov test this: %s\nSee 'pov test this --help'.\n",
                 cases[i].complaint);
        read_line(&c, cases[i].line);
        assert_string_equal(c.err, expected);
        assert_int_equal(c.code, POV_EXIT_USAGE);
        assert_string_equal(c.out, "");
    }
}

static void help_tells_names_defaults_and_fits_80_columns(void **state)
{
    (void)state;
    static call c;
    read_line(&c, "--nonsense --help");
    assert_int_equal(c.code, POV_EXIT_OK);
    assert_string_equal(c.err, "");
    assert_string_equal(c.out,
                        "Usage: pov test this FILE... --out DIR\n"
                        "\n"
                        "Tests.\n"
                        "\n"
                        "  --fast        at once\n"
                        "  --help        this text\n"
                        "\n"
                        "Numbers:\n"
                        "  --turn DEG    so far (2)\n"
                        "  --wait S      so long\n"
                        "  --stops N     so often (36)\n"
                        "  --seed N      of what is random (0)\n"
                        "\n"
                        "Words:\n"
                        "  --sense WAY   left or right: which way round (left)\n"
                        "  --title TEXT  above a page whose description is so long that it takes more\n"
                        "                than a line\n"
                        "  --out DIR     a folder\n"
                        "  --name NAME   its name\n"
                        "  --last A      a letter\n"
                        "  --via A,...   on the way\n"
                        "\n"
                        "Examples:\n"
                        "  pov test this a --out b\n"
                        "\n"
                        "Exit codes: 0 done; 1 not done; 2 wrong usage.\n");
}

static void assert_completes(const char *current, const char *last, const char *expected)
{
    const pov_command *const parts[] = {&command, NULL};
    const pov_command root = {.name = "", .parts = parts};
    char *words[] = {(char[]){"this"}, (char[32]){""}};
    char text[1000];
    strcpy(words[1], last);
    FILE *stream = tmpfile();
    pov_command_complete(stream, &root, current, &(pov_words){.len = *last ? 2 : 1, .word = words});
    fflush(stream);
    read_back(text, sizeof text, fileno(stream));
    fclose(stream);
    assert_non_null(strstr(text, expected));
}

static void shells_are_offered_options_values_and_files(void **state)
{
    (void)state;
    assert_completes("--", "", "--stops\tso often\n");
    assert_completes("", "--sense", "left\nright\n");
    assert_completes("", "--out", "@files\n");
    assert_completes("", "", "@files\n");
}

static int read_at(int argc, const char *const words_in[])
{
    char *argv[4];
    memcpy(argv, words_in, (size_t)argc * sizeof *argv);
    struct {
        bool quick, slow, far;
    } at = {false, false, false};
    static const pov_option speeds[] = {
        {.name = "quick", .kind = POV_OPTION_FLAG, .help = "q", .at = 0},
        {.name = "slow", .kind = POV_OPTION_FLAG, .help = "s", .at = 1, .without = "quick"},
        {.name = "far", .kind = POV_OPTION_FLAG, .help = "f", .at = 2, .with = "quick slow"},
        {.name = NULL}};
    const pov_command ride = {.name = "ride", .options = speeds};
    pov_words words;
    const int code = pov_command_read(&at, &words, &ride, argc, argv);
    if (code == POV_GO_ON && at.far)
        assert_string_equal(pov_words_given(&words, "quick far"), at.quick ? "quick" : "far");
    return code;
}

static void an_option_that_would_do_nothing_is_wrong_usage(void **state)
{
    (void)state;
    assert_int_equal(read_at(2, (const char *[]){"ride", "--slow"}), POV_GO_ON);
    assert_int_equal(read_at(3, (const char *[]){"ride", "--far", "--slow"}), POV_GO_ON);
    assert_int_equal(read_at(3, (const char *[]){"ride", "--far", "--quick"}), POV_GO_ON);
    assert_int_equal(read_at(2, (const char *[]){"ride", "--far"}), POV_EXIT_USAGE);
    assert_int_equal(read_at(3, (const char *[]){"ride", "--slow", "--quick"}), POV_EXIT_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_option_reaches_its_place),
        cmocka_unit_test(words_come_first_in_their_order_wherever_they_stood),
        cmocka_unit_test(a_line_may_be_read_again),
        cmocka_unit_test(a_name_may_be_shortened_while_one_only_can_be_meant),
        cmocka_unit_test(what_is_wrong_is_named_with_what_is_right),
        cmocka_unit_test(help_tells_names_defaults_and_fits_80_columns),
        cmocka_unit_test(shells_are_offered_options_values_and_files),
        cmocka_unit_test(an_option_that_would_do_nothing_is_wrong_usage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
