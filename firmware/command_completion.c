#include "firmware/command.h"

#include <string.h>

static const pov_option *option_named(const pov_command *command, const char *name)
{
    for (const pov_option *o = command->options; pov_option_exists(o); o++)
        if (o->name && strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

static void print_names(FILE *stream, pov_names *names)
{
    for (int i = 0; names(i); i++)
        fprintf(stream, "%s\n", names(i));
}

static void print_value(FILE *stream, const pov_option *option)
{
    if (option->names)
        print_names(stream, option->names);
    if (option->offer)
        option->offer(stream);
    if (option->kind == POV_OPTION_PATH)
        fputs("@files\n", stream);
}

static void print_options(FILE *stream, const pov_command *command)
{
    for (const pov_option *o = command->options; pov_option_exists(o); o++)
        if (o->name)
            fprintf(stream, "--%s\t%.*s\n", o->name, (int)strcspn(o->help, "\n"), o->help);
    fputs("--help\twhat it does, with examples\n", stream);
}

static void print_words(FILE *stream, const pov_command *command)
{
    for (const pov_command *const *part = command->parts; part && *part; part++)
        fprintf(stream, "%s\t%s\n", pov_command_last_name(*part), (*part)->summary);
    if (command->words.names)
        print_names(stream, command->words.names);
    if (command->words.offer)
        command->words.offer(stream);
    if (command->words.max > 0 && !command->words.only_names)
        fputs("@files\n", stream);
}

void pov_command_complete(FILE *stream, const pov_command *command, const char *current,
                          const pov_words *words)
{
    int at = 0;
    for (const pov_command *part; at < words->len && (part = pov_command_part(command, words->word[at]));
         at++)
        command = part;
    const char *last = words->len > at ? words->word[words->len - 1] : "";
    const pov_option *option = strncmp(last, "--", 2) == 0 ? option_named(command, last + 2) : NULL;
    if (at == 0 && words->len > 0)
        return; /* no such command */
    if (option && option->value)
        print_value(stream, option);
    else if (current[0] == '-')
        print_options(stream, command);
    else
        print_words(stream, command);
}
