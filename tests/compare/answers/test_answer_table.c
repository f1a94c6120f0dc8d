/* tests/compare/answers/answers.tsv and answers_2026.tsv: answers as models of many families write them, each with the reading that the grammar of docs/SCORES.md
 * gives it. The readings were written by hand. */
#include "compare/answers/answer_parse.h"
#include "compare/answers/answer_parse_internal.h"
#include "compare/answers/answer_text.h"
#include "compare/languages/language.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { OPTIONS_MAX = POV_ANSWER_OPTIONS_MAX, READING_CAPACITY = 200, LINE_CAPACITY = 4096 };

/* "⏎" becomes a line break. */
static void break_lines(char *text)
{
    static const char mark[] = "⏎";
    for (char *place; (place = strstr(text, mark));) {
        *place = '\n';
        memmove(place + 1, place + strlen(mark), strlen(place + strlen(mark)) + 1);
    }
}

static pov_answer_kind read_directions(char *reading, const char *answer, pov_answer_circle circle)
{
    static const char *const names[2][4] = {{"north", "east", "south", "west"},
                                            {"front", "right", "back", "left"}};
    static const int order[2][4] = {{0, 2, 1, 3}, {0, 2, 1, 3}}; /* "north west", "front left" */
    bool directions[4];
    const pov_answer_kind kind = pov_answer_directions(directions, answer, circle);
    for (int i = 0; i < 4; i++)
        if (directions[order[circle][i]])
            sprintf(reading + strlen(reading), "%s%s", *reading ? " " : "", names[circle][order[circle][i]]);
    return kind;
}

static pov_answer_kind read_option(char *reading, const char *answer, char *list)
{
    const char *options[OPTIONS_MAX];
    int len = 0, option;
    for (char *one; (one = strsep(&list, "|"));) {
        assert_true(len < OPTIONS_MAX);
        options[len++] = one;
    }
    const pov_answer_kind kind = pov_answer_option(&option, answer, options, len);
    if (kind == POV_ANSWER_GIVEN)
        strcpy(reading, options[option]);
    return kind;
}

static pov_answer_kind read_yes_no(char *reading, const char *answer, const char *code)
{
    pov_languages *languages;
    const pov_language *language;
    bool yes;
    pov_yes_no_words words = POV_YES_NO_ENGLISH;
    assert_int_equal(pov_languages_new(&languages, NULL).code, POV_OK);
    if (*code) {
        assert_int_equal(pov_languages_find(&language, languages, code).code, POV_OK);
        words = pov_language_words(language);
    }
    const pov_answer_kind kind = pov_answer_yes_no(&yes, answer, &words);
    pov_languages_destroy(&languages);
    strcpy(reading, yes ? "yes" : "no");
    return kind;
}

/* The reader's result for an answer, in the table's words. */
static void read_answer(char reading[READING_CAPACITY], char *question, const char *answer)
{
    char *with = question + strcspn(question, ":");
    double number;
    pov_answer_kind kind;
    *reading = '\0';
    if (*with)
        *with++ = '\0';
    if (strcmp(question, "yes_no") == 0) {
        kind = read_yes_no(reading, answer, with);
    } else if (strcmp(question, "option") == 0) {
        kind = read_option(reading, answer, with);
    } else if (strcmp(question, "number") == 0) {
        kind = pov_answer_number(&number, answer);
        snprintf(reading, READING_CAPACITY, "%g", number);
    } else {
        const bool sides = strcmp(question, "sides") == 0;
        assert_true(sides || strcmp(question, "cardinals") == 0);
        kind = read_directions(reading, answer, sides ? POV_ANSWER_SIDES : POV_ANSWER_CARDINALS);
    }
    if (kind != POV_ANSWER_GIVEN)
        strcpy(reading, pov_answer_kind_name(kind));
}

/* The rows of a table that are read otherwise than it says; `rows` counts all. */
static int count_wrong(int *rows, const char *table)
{
    enum { QUESTION, READING, FAMILY, WHY, ANSWER, FIELDS };
    char path[1000], line[LINE_CAPACITY];
    int wrong = 0;
    snprintf(path, sizeof path, "%s/tests/compare/answers/%s", getenv("POV_SOURCE"), table);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        char *field[FIELDS], *rest = line, reading[READING_CAPACITY], question[READING_CAPACITY];
        if (*line == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        for (int i = 0; i < FIELDS; i++)
            if (!(field[i] = strsep(&rest, "\t")))
                fail_msg("%s:%d: has %d fields, not %d", table, number, i, FIELDS);
        snprintf(question, sizeof question, "%s", field[QUESTION]);
        break_lines(field[ANSWER]);
        read_answer(reading, field[QUESTION], field[ANSWER]);
        ++*rows;
        if (strcmp(reading, field[READING]) == 0)
            continue;
        wrong++;
        print_error("%s:%d: read as %s, not %s (%s: %s)\n    %s\n", table, number, reading, field[READING],
                    question, field[WHY], field[ANSWER]);
    }
    fclose(file);
    return wrong;
}

static void answers_are_read_as_the_tables_say(void **state)
{
    (void)state;
    static const char *const tables[] = {"answers.tsv", "answers_2026.tsv"};
    int rows = 0, wrong = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        wrong += count_wrong(&rows, tables[i]);
    print_message("%d answers, %d read wrongly\n", rows, wrong);
    assert_true(rows >= 1100);
    assert_int_equal(wrong, 0);
}

/* Words are looked up by their first byte: folding must leave it. */
static void the_grammars_words_are_found_as_they_are_listed(void **state)
{
    (void)state;
    for (int k = 0; k < POV_WORD_CLASSES; k++) {
        char list[8192], *rest = list;
        snprintf(list, sizeof list, "%s", POV_WORDS[k]);
        for (char *word; (word = strsep(&rest, "|"));) {
            pov_answer_text text;
            pov_answer_fold(&text, word, strlen(word));
            if (!*word || pov_answer_word_at(&text, 0, word) != text.len)
                fail_msg("'%s' is not found", word);
            const uint32_t c = text.c[0];
            const unsigned first = c < 0x80 ? c : c < 0x800 ? 0xc0 | c >> 6 : 0xe0 | c >> 12;
            if (first != (unsigned char)*word)
                fail_msg("'%s' folds to another first byte", word);
            pov_answer_text_free(&text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_read_as_the_tables_say),
        cmocka_unit_test(the_grammars_words_are_found_as_they_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
