#include "firmware/command.h"

#include <string.h>

enum { NAMES_MAX = POV_COMMAND_OPTIONS_MAX };

/* ---- an option ---- */

static int unknown_option(const pov_command *command, const char *word, size_t length)
{
    const char *names[NAMES_MAX];
    char name[64], hint[POV_HINT_CAPACITY];
    int len = 0;
    for (const pov_option *o = command->options; pov_option_exists(o) && len < NAMES_MAX; o++)
        if (o->name)
            names[len++] = o->name;
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    return pov_cli_usage(command->name, "there is no option '--%s'%s", name,
                         pov_names_hint(hint, name, "--", names, len));
}

/* The option of that name, or the only one that begins so. */
static const pov_option *find_option(const pov_command *command, const char *name, size_t length)
{
    const pov_option *found = NULL;
    int len = 0;
    for (const pov_option *o = command->options; pov_option_exists(o); o++) {
        if (!o->name || strncmp(o->name, name, length) != 0)
            continue;
        if (!o->name[length])
            return o;
        found = o;
        len++;
    }
    return len == 1 ? found : NULL;
}

/* A command line that is being read. */
typedef struct {
    void *values;
    const pov_command *command;
    int argc;
    char **argv;
    bool *given; /* of the table's options */
} reading;

static bool is_one_too_many(reading *r, const pov_option *option)
{
    const ptrdiff_t i = option - r->command->options;
    POV_REQUIRE(i < POV_COMMAND_OPTIONS_MAX);
    const bool again = option->once && r->given[i];
    r->given[i] = true;
    return again;
}

/* Takes the option at argv[*at], leaves *at at its last word. */
static int take_option(reading *r, int *at)
{
    const pov_command *command = r->command;
    char **argv = r->argv;
    const char *name = argv[*at] + 2, *text = strchr(argv[*at], '=');
    const size_t length = text ? (size_t)(text++ - name) : strlen(name);
    const pov_option *option = argv[*at][1] == '-' ? find_option(command, name, length) : NULL;
    if (!option && argv[*at][1] != '-')
        return pov_cli_usage(command->name, "there is no option '%s'", argv[*at]);
    if (!option)
        return unknown_option(command, name, length);
    if (!option->value && text)
        return pov_cli_usage(command->name, "--%s takes no value", option->name);
    if (option->value && !text && (*at + 1 == r->argc || strncmp(argv[*at + 1], "--", 2) == 0))
        return pov_cli_usage(command->name, "--%s lacks its value %s: %s", option->name, option->value,
                             option->help);
    if (option->value && !text)
        text = argv[++*at];
    if (is_one_too_many(r, option))
        return pov_cli_usage(command->name, "--%s is given twice; give it once, with all of it: --%s %s",
                             option->name, option->name, option->value);
    const pov_status status = pov_option_take_text((char *)r->values + option->at, option, text);
    return status.code == POV_OK ? POV_GO_ON
                                 : pov_cli_usage(command->name, "--%s: %s", option->name, status.message);
}

/* ---- a command line ---- */

/* "-" is a word, and so is -90. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && !strchr(".0123456789", word[1]);
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

/* Moves argv[at] to the words at argv's beginning, past the options before it. */
static void add_word(pov_words *words, char **argv, int at)
{
    char *word = argv[at];
    memmove(&argv[words->len + 2], &argv[words->len + 1], (size_t)(at - words->len - 1) * sizeof *argv);
    argv[++words->len] = word;
}

static int check_required(const void *values, const pov_command *command)
{
    for (const pov_option *o = command->options; pov_option_exists(o); o++) {
        const void *value;
        if (!o->required)
            continue;
        memcpy(&value, (const char *)values + o->at, sizeof value);
        if (!value)
            return pov_cli_usage(command->name, "--%s %s is missing: %s", o->name, o->value, o->help);
    }
    return POV_GO_ON;
}

static int check_words(const pov_words *words, const pov_command *command)
{
    if (words->len > command->words.max)
        return command->words.wanted
                   ? pov_cli_usage(command->name, "%s; '%s' is one too many", command->words.wanted,
                                   words->word[command->words.max])
                   : pov_cli_usage(command->name, "unexpected word '%s'", words->word[command->words.max]);
    if (words->len < command->words.min)
        return pov_cli_usage(command->name, "%s", command->words.wanted);
    return POV_GO_ON;
}

const char *pov_words_given(const pov_words *words, const char *names)
{
    const pov_option *const options = words->command->options;
    for (const char *name = names; *name; name += strcspn(name, " "), name += *name == ' ') {
        const size_t length = strcspn(name, " ");
        bool is_known = false;
        for (int i = 0; pov_option_exists(&options[i]); i++) {
            if (!options[i].name || strlen(options[i].name) != length ||
                strncmp(options[i].name, name, length) != 0)
                continue;
            is_known = true;
            if (words->given[i])
                return options[i].name;
        }
        POV_REQUIRE(is_known);
    }
    return NULL;
}

/* "a", "a or --b", "a, --b or --c" of "a b c". */
static void list_options(char *list, size_t capacity, const char *names)
{
    size_t used = 0;
    list[0] = '\0';
    for (const char *name = names; *name && used < capacity;) {
        const size_t length = strcspn(name, " ");
        const bool is_last = !name[length];
        used += (size_t)snprintf(list + used, capacity - used, "%s--%.*s",
                                 name == names ? ""
                                 : is_last     ? " or "
                                               : ", ",
                                 (int)length, name);
        name += length + !is_last;
    }
}

/* Options that would do nothing beside the others. */
static int check_company(const pov_words *words)
{
    char list[200];
    const pov_option *options = words->command->options; /* NULL: it has none */
    for (int i = 0; options && pov_option_exists(&options[i]); i++) {
        const pov_option *option = &options[i];
        if (!words->given[i])
            continue;
        if (option->with && !pov_words_given(words, option->with)) {
            list_options(list, sizeof list, option->with);
            return pov_cli_usage(words->command->name, "--%s goes with %s: alone it would do nothing",
                                 option->name, list);
        }
        const char *other = option->without ? pov_words_given(words, option->without) : NULL;
        if (other)
            return pov_cli_usage(words->command->name, "--%s and --%s exclude each other", option->name,
                                 other);
    }
    return POV_GO_ON;
}

int pov_command_read(void *values, pov_words *words, const pov_command *command, int argc, char **argv)
{
    bool options_ended = false;
    *words = (pov_words){.word = argv + 1, .command = command};
    reading r = {.values = values, .command = command, .argc = argc, .argv = argv, .given = words->given};
    if (asks_for_help(argc, argv)) {
        pov_command_print_help(stdout, command, values);
        return POV_EXIT_OK;
    }
    for (int i = 1; i < argc; i++) {
        if (options_ended || !is_option(argv[i])) {
            add_word(words, argv, i);
        } else if (strcmp(argv[i], "--") == 0) {
            options_ended = true;
        } else {
            const int code = take_option(&r, &i);
            if (code != POV_GO_ON)
                return code;
        }
    }
    int code = check_words(words, command);
    if (code == POV_GO_ON)
        code = check_required(values, command);
    return code == POV_GO_ON ? check_company(words) : code;
}

/* ---- commands and their parts ---- */

static int unknown_part(const pov_command *command, const char *word)
{
    const char *names[NAMES_MAX];
    char hint[POV_HINT_CAPACITY];
    int len = 0;
    for (; command->parts[len] && len < NAMES_MAX; len++)
        names[len] = pov_command_last_name(command->parts[len]);
    const char *space = *command->name ? " " : "";
    fprintf(stderr, "pov%s%s: there is no %s '%s'%s ('pov %s%s--help' lists them)\n", space, command->name,
            *command->name ? "part" : "command", word, pov_names_hint(hint, word, "", names, len),
            command->name, space);
    return POV_EXIT_USAGE;
}

const char *pov_command_last_name(const pov_command *command)
{
    const char *space = strrchr(command->name, ' ');
    return space ? space + 1 : command->name;
}

const pov_command *pov_command_part(const pov_command *command, const char *name)
{
    for (const pov_command *const *part = command->parts; part && *part; part++)
        if (strcmp(pov_command_last_name(*part), name) == 0)
            return *part;
    return NULL;
}

int pov_command_run_or_part(const pov_command *command, int argc, char **argv)
{
    const pov_command *part = argc > 1 ? pov_command_part(command, argv[1]) : NULL;
    if (part)
        return pov_command_run_or_part(part, argc - 1, argv + 1);
    if (command->run)
        return command->run(argc, argv);
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        pov_command_print_help(stdout, command, NULL);
        return POV_EXIT_OK;
    }
    if (argc > 1)
        return unknown_part(command, argv[1]);
    pov_command_print_help(stderr, command, NULL);
    return POV_EXIT_USAGE;
}
