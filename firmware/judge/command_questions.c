#include "compare/questions/question.h"
#include "config/scene/scene_file.h"
#include "firmware/commands.h"
#include "firmware/judge/command_questions_print.h"
#include "firmware/judge/imagine_option.h"

#include "compare/languages/language_check.h"
#include "firmware/judge/language_template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *path, *pair, *imagine, *language, *language_file, *captions;
    pov_asking asking;
    int task;
    bool json, csv, lists_languages, lists_conditions;
    const char *template_code; /* NULL: no template is wanted */
    int example_len;           /* -1: not said */
    pov_question_form form;
} questions_options;

static int run(int argc, char **argv);

POV_NAMES_OF(benchmark_names, pov_benchmark, POV_BENCHMARK_COUNT, pov_benchmark_name)
POV_NAMES_OF(guidance_names, pov_guidance, POV_GUIDANCE_COUNT, pov_guidance_name)
POV_NAMES_OF(prompting_names, pov_prompting, POV_PROMPTING_COUNT, pov_prompting_name)
POV_NAMES_OF(system_names, pov_system_prompt, POV_SYSTEM_COUNT, pov_system_prompt_name)
POV_NAMES_OF(order_names, pov_question_order, POV_ORDER_COUNT, pov_question_order_name)

enum { TASK_QUESTIONS, TASK_LAYOUT };
static const char *task_names(int i)
{
    static const char *const names[] = {"questions", "layout", NULL};
    return i <= TASK_LAYOUT ? names[i] : NULL;
}

static const pov_option option_table[] = {
    POV_CHOICE(questions_options, asking.benchmark, "paper", "NAME", benchmark_names, "whose questions"),
    POV_CHOICE(questions_options, task, "task", "NAME", task_names,
               "FoREST's questions, or the layouts of pictures: a box for each thing"),
    POV_PATH(questions_options, captions, "captions", "FILE",
             "layouts for these captions, not for a scene's pairs (docs/SCORES.md)"),
    POV_WHOLE(questions_options, example_len, "examples", "N", 0, POV_EXAMPLES,
              "4 for --prompting 4-shot, 0 for zero-shot"),
    POV_TEXT(questions_options, pair, "pair", "A:B", "only about A as located by B; either may be *",
             .once = true),
    POV_TEXT(questions_options, imagine, "imagine", "AT:FACING",
             "add a hypothetical viewer who stands at one entity and faces another; asked about by --paper "
             "vpt, sphere and viewspatial",
             .once = true, .without = "captions languages conditions"),
    POV_TEXT(questions_options, language, "language", "CODE",
             "COMFORT's in another language; a paraphrase has a code of its own",
             .offer = pov_languages_offer),
    POV_PATH(questions_options, language_file, "language-file", "FILE",
             "languages of your own, beside those that come with pov"),
    POV_CHOICE(questions_options, asking.guidance, "guided", "HOW", guidance_names,
               "tell geometry's facts first, or an intermediate question with its answer"),
    POV_CHOICE(questions_options, asking.prompting, "prompting", "HOW", prompting_names,
               "how an answer is asked for (zero-shot)"),
    POV_CHOICE(questions_options, asking.system, "system", "NAME", system_names,
               "the system prompt; vlm: whatever the section 'vlm' says (vlm)"),
    POV_CHOICE(questions_options, asking.order, "order", "ORDER", order_names,
               "reverse: FoREST's questions with the relatum named first (normal)"),
    POV_FLAG(questions_options, asking.flip, "flip",
             "about the scene that the mirrored image shows (docs/ROBUST.md)"),
    POV_WHOLE(questions_options, asking.rotation, "circular", "N", 0, POV_ROTATIONS - 1,
              "the options N places on: only questions with more than N of them"),
    POV_FLAG(
        questions_options, lists_conditions, "conditions",
        "list what --guided, --prompting, --system and --order take, and the ways of --circular and --flip"),
    POV_COUNT(questions_options, asking.seed, "seed", "N", 0, 1LL << 53,
              "of options' order, and of the absent things asked for"),
    POV_WHOLE(questions_options, asking.runs, "runs", "N", 1, 100,
              "SPHERE: orders of options for each question"),
    POV_FLAG(questions_options, json, "json", "one JSON object"),
    POV_FLAG(questions_options, csv, "csv", "a line for each question and frame", .without = "json"),
    POV_FLAG(questions_options, lists_languages, "languages",
             "list the languages, after a check of your own ones (--language-file, ~/.config/pov/languages)"),
    POV_TEXT(questions_options, template_code, "language-template", "CODE",
             "a language file to be filled in by a speaker (docs/LANGUAGES.md)", .once = true),
    POV_OPTIONS_END,
};

const pov_command pov_command_questions = {
    .name = "questions",
    .summary = "the papers' questions for a model, with the right answer in every frame",
    .run = run,
    .usage = "SCENE.yaml [OPTIONS]\n"
             "--captions FILE --paper forest --task layout [OPTIONS]\n"
             "--languages [--language-file FILE] [--json]\n"
             "--language-template CODE\n"
             "--conditions [--json]",
    .about =
        "The papers' questions about a scene, to be put to a vision-language model, each with the answer "
        "that is right in every frame of reference it may be meant in, and that answer's probability.",
    .options = option_table,
    .words = {.max = 1, .wanted = "one scene at a time"},
    .examples = "pov questions scene.yaml --pair ball:car --language ha\n"
                "pov questions scene.yaml --paper vpt --guided step --json\n"
                "pov questions scene.yaml --paper forest --task layout --prompting 4-shot --json",
    .exits = "0 done; 1 the scene is invalid",
};

/* --examples is an older name of two promptings. */
static int take_examples(questions_options *o)
{
    const pov_prompting meant = o->example_len == 0 ? POV_PROMPTING_ZERO_SHOT : POV_PROMPTING_FOUR_SHOT;
    if (o->example_len < 0)
        return POV_GO_ON;
    if (o->example_len != 0 && o->example_len != POV_EXAMPLES)
        return pov_cli_usage("questions", "--examples takes 0 or 4");
    if (o->asking.prompting != POV_PROMPTING_ZERO_SHOT && o->asking.prompting != meant)
        return pov_cli_usage("questions", "--examples %d contradicts --prompting %s", o->example_len,
                             pov_prompting_name(o->asking.prompting));
    o->asking.prompting = meant;
    return POV_GO_ON;
}

static int read_options(questions_options *o, int argc, char **argv)
{
    const pov_asking asking = POV_ASKING_DEFAULT;
    pov_words words;
    *o = (questions_options){.language = "en", .asking = asking, .example_len = -1};
    POV_OR_EXIT(pov_command_read(o, &words, &pov_command_questions, argc, argv));
    o->path = words.word[0];
    o->form = o->csv ? POV_QUESTIONS_AS_CSV : o->json ? POV_QUESTIONS_AS_JSON : POV_QUESTIONS_AS_TEXT;
    o->asking.layouts = o->task == TASK_LAYOUT;
    if (o->asking.layouts && o->asking.benchmark != POV_BENCHMARK_FOREST)
        return pov_cli_usage("questions", "layouts are of FoREST: --paper forest --task layout");
    if (!o->asking.layouts && o->captions)
        return pov_cli_usage("questions", "--captions is for --paper forest --task layout");
    POV_OR_EXIT(take_examples(o));
    if (words.len != (o->lists_languages || o->lists_conditions || o->captions || o->template_code ? 0 : 1))
        return pov_cli_usage("questions", o->template_code      ? "--language-template takes no scene"
                                          : o->lists_languages  ? "--languages takes no scene"
                                          : o->lists_conditions ? "--conditions takes no scene"
                                          : o->captions         ? "--captions takes no scene"
                                                                : "which scene? Give a YAML file");
    if (o->imagine && o->asking.benchmark != POV_BENCHMARK_VPT &&
        o->asking.benchmark != POV_BENCHMARK_SPHERE && o->asking.benchmark != POV_BENCHMARK_VIEWSPATIAL)
        return pov_cli_usage(
            "questions",
            "--imagine would do nothing: no question of %s is asked for a hypothetical viewer; "
            "those of --paper vpt, sphere and viewspatial are",
            pov_benchmark_name(o->asking.benchmark));
    if (strcmp(o->language, "en") != 0 && o->asking.benchmark != POV_BENCHMARK_COMFORT)
        return pov_cli_usage("questions", "only COMFORT's questions are there in other languages");
    return POV_GO_ON;
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

static const char *needs_of(pov_benchmark benchmark)
{
    return benchmark == POV_BENCHMARK_MINDCUBE
               ? "they are about several views of one turn, and a scene is one view; 'pov export WORLD "
                 "--questions mindcube --dataset jsonl DIR' asks them of a world that turns "
                 "(docs/BENCHMARKS.md)"
           : benchmark == POV_BENCHMARK_VPT
               ? "they need two placed things, the second a person (an addressee, or one that sees)"
               : "they need two placed things";
}

/* Says so where nothing can be asked: silence would look like success. */
static pov_status ask_questions(questions_options *o, const pov_languages *languages, const pov_scene *scene)
{
    pov_questions *questions;
    POV_TRY(pov_languages_find(&o->asking.language, languages, o->language));
    POV_TRY(find_pair(&o->asking, scene, o->pair));
    POV_TRY(pov_questions_new(&questions, POV_QUESTIONS_DEFAULT));
    pov_status status = pov_questions_ask(questions, scene, &o->asking);
    if (status.code == POV_OK && pov_questions_len(questions) == 0)
        status = pov_error("%s: this scene allows no question of %s: %s", o->path,
                           pov_benchmark_name(o->asking.benchmark), needs_of(o->asking.benchmark));
    if (status.code == POV_OK)
        pov_questions_print(stdout, questions, scene, o->form);
    pov_questions_destroy(&questions);
    return status;
}

static pov_status ask_of_captions(questions_options *o, const pov_languages *languages)
{
    pov_captions *captions;
    pov_questions *questions = NULL;
    POV_TRY(pov_languages_find(&o->asking.language, languages, o->language));
    POV_TRY(pov_captions_read(&captions, o->captions));
    pov_status status = pov_questions_new(&questions, pov_captions_len(captions));
    POV_THEN(status, pov_questions_ask_layouts(questions, captions, &o->asking));
    if (status.code == POV_OK)
        pov_questions_print(stdout, questions, NULL, o->form);
    pov_questions_destroy(&questions);
    pov_captions_destroy(&captions);
    return status;
}

/* Those that come with pov are checked by its tests. */
static pov_status list_languages(const questions_options *o, const pov_languages *languages)
{
    for (int i = pov_languages_builtin(languages); i < pov_languages_len(languages); i++)
        POV_TRY(pov_language_check(pov_languages_at(languages, i)));
    pov_languages_print(stdout, languages, o->form);
    return pov_ok();
}

static pov_status write_template(const questions_options *o, const pov_languages *languages)
{
    const pov_language *english, *known;
    if (!pov_language_code_is_sound(o->template_code))
        return pov_error("--language-template: \"%.60s\" is not a code of a language: it has 1 to %d of the "
                         "characters a-z, A-Z, 0-9, '-' and '_', as de",
                         o->template_code, POV_LANGUAGE_CODE_CAPACITY - 1);
    POV_TRY(pov_languages_find(&english, languages, "en"));
    if (pov_languages_find(&known, languages, o->template_code).code == POV_OK)
        return pov_error("--language-template: the language \"%s\" is there already: give yours another code",
                         o->template_code);
    pov_language_template_write(stdout, o->template_code, english);
    return pov_ok();
}

static int run(int argc, char **argv)
{
    questions_options o;
    pov_scene scene;
    pov_languages *languages;
    POV_OR_EXIT(read_options(&o, argc, argv));
    pov_status status = pov_languages_new(&languages, o.language_file);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    if (o.template_code)
        status = write_template(&o, languages);
    else if (o.lists_languages)
        status = list_languages(&o, languages);
    else if (o.lists_conditions)
        pov_prompt_conditions_print(stdout, o.form);
    else if (o.captions)
        status = ask_of_captions(&o, languages);
    else
        status = pov_scene_file_read(&scene, o.path);
    if (!o.template_code && !o.lists_languages && !o.lists_conditions && !o.captions)
        POV_THEN(status, pov_imagine_option_apply(&scene, o.imagine));
    if (status.code == POV_OK && !o.template_code && !o.lists_languages && !o.lists_conditions && !o.captions)
        status = ask_questions(&o, languages, &scene);
    pov_languages_destroy(&languages);
    return pov_cli_exit(status);
}
