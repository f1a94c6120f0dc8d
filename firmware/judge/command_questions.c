#include "compare/question.h"
#include "config/scene_file.h"
#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/judge/command_questions_print.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pov questions SCENE.yaml [options]\n"
    "       pov questions --languages [--language-file FILE] [--json]\n"
    "The papers' questions about a scene, to be put to a vision-language model, each with the answer that "
    "is\n"
    "right in every frame of reference it may be meant in, and that answer's probability.\n"
    "\n"
    "  --paper NAME           comfort (default), forest, vsr, vpt or sphere\n"
    "  --pair REFERENT:RELATUM  only about this pair; either may be *\n"
    "  --language CODE        COMFORT's in another language; a paraphrase has a code of its own\n"
    "  --language-file FILE   languages of your own, beside those that come with pov\n"
    "  --guided facts|step    tell geometry's facts first, or an intermediate question with its answer\n"
    "  --seed N               of options' order, and of the absent things asked for; default 1\n"
    "  --runs N               SPHERE: orders of options for each question; default 5\n"
    "  --json, --csv          one JSON object; a line for each question and frame\n"
    "  --languages            list the languages\n"
    "  --help                 this text\n"
    "\n"
    "Examples: pov questions scene.yaml --pair ball:car --language ha\n"
    "          pov questions scene.yaml --paper vpt --guided step --json\n"
    "Exit codes: 0 done, 1 the scene is not as it should be, 2 wrong usage.\n";

typedef struct {
    const char *path, *pair, *language, *language_file;
    pov_asking asking;
    pov_question_form form;
    bool lists_languages;
} options;

static int choose(const char *option, int *value, const char *text, const char *(*name)(int), int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name(i), text) == 0) {
            *value = i;
            return POV_EXIT_OK;
        }
    return pov_cli_usage("questions", "%s does not know '%s'", option, text);
}

static const char *benchmark_name(int i)
{
    return pov_benchmark_name((pov_benchmark)i);
}

static const char *guidance_name(int i)
{
    return pov_guidance_name((pov_guidance)i);
}

static int parse_number(const char *option, long long *value, const char *text, long long low, long long high)
{
    char *end;
    *value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || *value < low || *value > high)
        return pov_cli_usage("questions", "%s takes a whole number from %lld to %lld, not '%s'", option, low,
                             high, text);
    return POV_EXIT_OK;
}

static int take_number(options *o, int option)
{
    long long value = 0;
    int code = option == 'r' ? parse_number("--runs", &value, optarg, 1, 100)
                             : parse_number("--seed", &value, optarg, 0, 1LL << 53);
    if (option == 'r')
        o->asking.runs = (int)value;
    else
        o->asking.seed = (uint64_t)value;
    return code;
}

static int take_option(options *o, int option)
{
    int value = 0, code = POV_EXIT_OK;
    const char **text[] = {['l'] = &o->language, ['f'] = &o->language_file, ['i'] = &o->pair};
    switch (option) {
    case 'p':
        code = choose("--paper", &value, optarg, benchmark_name, POV_BENCHMARK_COUNT);
        o->asking.benchmark = (pov_benchmark)value;
        return code;
    case 'g':
        code = choose("--guided", &value, optarg, guidance_name, POV_GUIDANCE_COUNT);
        o->asking.guidance = (pov_guidance)value;
        return code;
    case 's':
    case 'r':
        return take_number(o, option);
    case 'j':
        o->form = POV_QUESTIONS_AS_JSON;
        return code;
    case 'c':
        o->form = POV_QUESTIONS_AS_CSV;
        return code;
    case 'L':
        o->lists_languages = true;
        return code;
    default:
        *text[option] = optarg;
        return code;
    }
}

static int parse(options *o, int argc, char **argv)
{
    static const struct option known[] = {{"paper", required_argument, NULL, 'p'},
                                          {"pair", required_argument, NULL, 'i'},
                                          {"language", required_argument, NULL, 'l'},
                                          {"language-file", required_argument, NULL, 'f'},
                                          {"guided", required_argument, NULL, 'g'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"runs", required_argument, NULL, 'r'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"csv", no_argument, NULL, 'c'},
                                          {"languages", no_argument, NULL, 'L'},
                                          {NULL, 0, NULL, 0}};
    const pov_asking asking = POV_ASKING_DEFAULT;
    *o = (options){.language = "en", .asking = asking};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        int code = option == '?' ? pov_cli_usage("questions", "unknown option or missing value: \"%s\"",
                                                 argv[optind - 1])
                                 : take_option(o, option);
        if (code != POV_EXIT_OK)
            return code;
    }
    o->path = argv[optind];
    if (argc - optind != (o->lists_languages ? 0 : 1))
        return pov_cli_usage("questions", o->lists_languages ? "--languages takes no scene"
                                          : argc == optind   ? "which scene? Give a YAML file"
                                                             : "one scene at a time");
    if (strcmp(o->language, "en") != 0 && o->asking.benchmark != POV_BENCHMARK_COMFORT)
        return pov_cli_usage("questions", "only COMFORT's questions are there in other languages");
    return POV_EXIT_OK;
}

/* -------- asking -------- */

static pov_status find_thing(pov_id *id, const pov_scene *scene, const char *name)
{
    *id = POV_ID_NONE;
    if (strcmp(name, "*") == 0)
        return pov_ok();
    *id = pov_scene_find(scene, name);
    return *id == POV_ID_NONE ? pov_error("--pair: \"%s\" is not in the scene", name) : pov_ok();
}

static pov_status find_pair(pov_asking *asking, const pov_scene *scene, const char *pair)
{
    char referent[2 * POV_NAME_CAPACITY];
    if (!pair)
        return pov_ok();
    const char *colon = strchr(pair, ':');
    if (!colon || (size_t)(colon - pair) >= sizeof referent)
        return pov_error("--pair takes REFERENT:RELATUM, not \"%s\"", pair);
    snprintf(referent, sizeof referent, "%.*s", (int)(colon - pair), pair);
    POV_TRY(find_thing(&asking->referent, scene, referent));
    return find_thing(&asking->relatum, scene, colon + 1);
}

/* Says so where nothing can be asked: silence would look like success. */
static pov_status ask(options *o, const pov_languages *languages, const pov_scene *scene)
{
    pov_questions *questions;
    POV_TRY(pov_languages_find(&o->asking.language, languages, o->language));
    POV_TRY(find_pair(&o->asking, scene, o->pair));
    POV_TRY(pov_questions_new(&questions, POV_QUESTIONS_DEFAULT));
    pov_status status = pov_questions_ask(questions, scene, &o->asking);
    if (status.code == POV_OK && pov_questions_len(questions) == 0)
        status = pov_error("%s: this scene allows no question of %s: they need two placed things%s", o->path,
                           pov_benchmark_name(o->asking.benchmark),
                           o->asking.benchmark == POV_BENCHMARK_VPT
                               ? ", the second a person (an addressee, or one that sees)"
                               : "");
    if (status.code == POV_OK)
        pov_questions_print(stdout, questions, scene, o->form);
    pov_questions_destroy(&questions);
    return status;
}

int pov_command_questions(int argc, char **argv)
{
    options o;
    pov_scene scene;
    pov_languages *languages;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return POV_EXIT_OK;
        }
    int code = parse(&o, argc, argv);
    if (code != POV_EXIT_OK)
        return code;
    pov_status status = pov_languages_new(&languages, o.language_file);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (o.lists_languages)
        pov_languages_print(stdout, languages, o.form);
    else
        status = pov_scene_file_read(&scene, o.path);
    if (status.code == POV_OK && !o.lists_languages)
        status = ask(&o, languages, &scene);
    pov_languages_destroy(&languages);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
