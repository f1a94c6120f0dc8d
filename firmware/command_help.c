#include "firmware/command.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 79, TERM_MAX = 22 };

/* ---- filled text ---- */

/* The place of the next word. */
typedef struct {
    FILE *stream;
    int column, indent;
    bool begun; /* the line has a word */
} pen;

static void new_line(pen *p)
{
    fputc('\n', p->stream);
    p->column = 0;
    p->begun = false;
}

static void put_word(pen *p, const char *word, int length)
{
    if (p->begun && p->column + 1 + length > WIDTH)
        new_line(p);
    const int gap = p->begun ? 1 : p->column < p->indent ? p->indent - p->column : 0;
    p->column += fprintf(p->stream, "%*s%.*s", gap, "", length, word);
    p->begun = true;
}

static void put_words(pen *p, const char *words, int length)
{
    for (int i = 0; i < length;) {
        const int word = (int)strcspn(words + i, " \n");
        if (word > 0)
            put_word(p, words + i, word);
        i += word + 1;
    }
}

/* Lines that begin with a space stay as they are. */
static void put_text(pen *p, const char *text)
{
    do {
        const int length = (int)strcspn(text, "\n");
        if (*text == ' ')
            fprintf(p->stream, "%.*s", length, text);
        else
            put_words(p, text, length);
        new_line(p);
        text += length + (text[length] == '\n');
    } while (*text);
}

static void put_paragraph(FILE *stream, const char *text)
{
    pen p = {.stream = stream};
    if (!text)
        return;
    new_line(&p);
    put_text(&p, text);
}

/* ---- options ---- */

static void put_names(pen *p, pov_names *names)
{
    for (int i = 0; names(i); i++) {
        const bool last = !names(i + 1), last_but_one = !last && !names(i + 2);
        char word[64];
        const int length = snprintf(word, sizeof word, "%s%s", names(i),
                                    last           ? ":"
                                    : last_but_one ? ""
                                                   : ",");
        put_word(p, word, length);
        if (last_but_one)
            put_word(p, "or", 2);
    }
}

static void put_number(pen *p, const pov_option *option, double number)
{
    char word[32];
    if (isfinite(number) && number >= option->low && number <= option->high)
        put_word(p, word, snprintf(word, sizeof word, "(%g)", number));
}

static void put_in_brackets(pen *p, const char *text)
{
    char words[256];
    if (text && *text)
        put_words(p, words, snprintf(words, sizeof words, "(%.250s)", text));
}

static void put_default(pen *p, const pov_option *option, const void *value)
{
    union {
        double number;
        int whole;
        uint64_t count;
        const char *text;
    } is;
    switch (option->kind) {
    case POV_OPTION_NUMBER:
        memcpy(&is.number, value, sizeof is.number);
        put_number(p, option, is.number / (option->unit != 0 ? option->unit : 1));
        break;
    case POV_OPTION_WHOLE:
        memcpy(&is.whole, value, sizeof is.whole);
        put_number(p, option, is.whole);
        break;
    case POV_OPTION_COUNT:
        memcpy(&is.count, value, sizeof is.count);
        put_number(p, option, (double)is.count);
        break;
    case POV_OPTION_CHOICE:
        memcpy(&is.whole, value, sizeof is.whole);
        put_in_brackets(p, is.whole >= 0 ? option->names(is.whole) : NULL);
        break;
    case POV_OPTION_TEXT:
    case POV_OPTION_PATH:
        memcpy(&is.text, value, sizeof is.text);
        put_in_brackets(p, is.text);
        break;
    case POV_OPTION_BUFFER:
        put_in_brackets(p, value);
        break;
    default:
        break;
    }
}

static int term_of(char *term, size_t capacity, const pov_option *option)
{
    return snprintf(term, capacity, "--%s%s%s", option->name, option->value ? " " : "",
                    option->value ? option->value : "");
}

static void print_option(FILE *stream, const pov_option *option, const void *values, int indent)
{
    char term[80];
    pen p = {.stream = stream, .indent = indent};
    term_of(term, sizeof term, option);
    p.column = fprintf(stream, "  %s", term);
    if (p.column + 2 > indent)
        new_line(&p);
    if (option->kind == POV_OPTION_CHOICE)
        put_names(&p, option->names);
    put_words(&p, option->help, (int)strlen(option->help));
    if (values)
        put_default(&p, option, (const char *)values + option->at);
    new_line(&p);
}

/* The longest term's, of those that are not too long. */
static int width_of_terms(const pov_option *options)
{
    int width = (int)strlen("--help");
    for (const pov_option *o = options; pov_option_exists(o); o++) {
        char term[80];
        const int length = o->name ? term_of(term, sizeof term, o) : 0;
        width = length <= TERM_MAX && length > width ? length : width;
    }
    return width;
}

static void print_options(FILE *stream, const pov_command *command, const void *values)
{
    const pov_option help = {.name = "help", .help = "this text"};
    const int indent = width_of_terms(command->options) + 4;
    if (!command->options || command->options->name)
        fputc('\n', stream);
    bool told = false; /* --help: under no heading, if it can be */
    for (const pov_option *o = command->options; pov_option_exists(o); o++) {
        if (o->name) {
            print_option(stream, o, values, indent);
            continue;
        }
        if (!told && command->options->name) {
            print_option(stream, &help, NULL, indent);
            told = true;
        }
        put_paragraph(stream, o->help);
    }
    if (!told)
        print_option(stream, &help, NULL, indent);
}

/* ---- the rest ---- */

static void print_usage(FILE *stream, const pov_command *command)
{
    const char *line = command->usage, *before = "Usage: ";
    do {
        const int length = (int)strcspn(line, "\n");
        fprintf(stream, "%spov%s%s%s%.*s\n", before, *command->name ? " " : "", command->name,
                length ? " " : "", length, line);
        line += length + (line[length] == '\n');
        before = "       ";
    } while (*line);
}

static void print_forms(FILE *stream, pov_names *forms)
{
    for (int i = 0; forms && forms(i); i++) {
        const char *form = forms(i);
        const int first = (int)strcspn(form, " ");
        pen p = {.stream = stream, .indent = 2};
        put_word(&p, form, first);
        p.indent = 6;
        put_words(&p, form + first, (int)strlen(form + first));
        new_line(&p);
    }
}

static void print_parts(FILE *stream, const pov_command *command)
{
    int width = 0;
    for (const pov_command *const *part = command->parts; *part; part++) {
        const int length = (int)strlen(pov_command_last_name(*part));
        width = length > width ? length : width;
    }
    fputs(*command->name ? "\nParts:\n" : "\nCommands:\n", stream);
    for (const pov_command *const *part = command->parts; *part; part++) {
        pen p = {.stream = stream, .indent = width + 4};
        p.column = fprintf(stream, "  %-*s", width, pov_command_last_name(*part));
        put_text(&p, (*part)->summary);
    }
    fprintf(stream, "\n'pov %s%s --help' tells more, with examples.\n", command->name,
            *command->name ? " PART" : "COMMAND");
}

static void print_examples(FILE *stream, const char *examples)
{
    if (!examples)
        return;
    fputs("\nExamples:\n", stream);
    while (*examples) {
        const int length = (int)strcspn(examples, "\n");
        fprintf(stream, "  %.*s\n", length, examples);
        examples += length + (examples[length] == '\n');
    }
}

void pov_command_print_help(FILE *stream, const pov_command *command, const void *values)
{
    char exits[500];
    print_usage(stream, command);
    put_paragraph(stream, command->about);
    print_forms(stream, command->words.forms);
    if (command->parts)
        print_parts(stream, command);
    if (command->run)
        print_options(stream, command, values);
    put_paragraph(stream, command->notes);
    print_examples(stream, command->examples);
    snprintf(exits, sizeof exits, "Exit codes: %s; 2 wrong usage.", command->exits);
    put_paragraph(stream, exits);
}
