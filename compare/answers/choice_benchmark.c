#include "compare/answers/choice_benchmark.h"

#include "config/files/text.h"
#include "perception/status.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const pov_choice_benchmark benchmarks[] = {
    [POV_CHOICE_VIEWSPATIAL] = {.name = "viewspatial",
                                .title = "ViewSpatial-Bench",
                                .reference = "li2025viewspatial",
                                .cited = "Li et al. 2025 (ViewSpatial-Bench)",
                                .before = "Question: ",
                                .between = "\nChoices: ",
                                .wish = "\nReply only to the corresponding option.\nAnswer:",
                                .kind_names = {"question_type", "Question_Type", "task", "category", "type",
                                               "data_source"},
                                .kinds = {"Camera perspective", "Person perspective"},
                                .script = POV_LETTERS_VIEWSPATIAL,
                                .file = POV_ROWS_LIST,
                                .fields = {{"question_type", POV_FIELD_KIND},
                                           {"image_path", POV_FIELD_IMAGES},
                                           {"question", POV_FIELD_QUESTION},
                                           {"answer", POV_FIELD_GOLD_WITH_LETTER},
                                           {"choices", POV_FIELD_OPTIONS}}},
    [POV_CHOICE_3DSRBENCH] = {.name = "3dsrbench",
                              .title = "3DSRBench",
                              .reference = "ma2025threedsrbench",
                              .cited = "Ma et al. 2025 (3DSRBench)",
                              .before = "Question: ",
                              .between = "\nOptions:\n",
                              .wish = "\nPlease select the correct answer from the options above.",
                              .kind_names = {"category", "task", "question_type", "type", "data_source"},
                              .kinds = {"height_", "location_", "orientation_", "multi_object_"},
                              .script = POV_LETTERS_3DSRBENCH,
                              .file = POV_ROWS_TABLE,
                              .fields = {{"qid", POV_FIELD_ID},
                                         {"question", POV_FIELD_QUESTION},
                                         {"A", POV_FIELD_COLUMNS},
                                         {"answer", POV_FIELD_GOLD},
                                         {"category", POV_FIELD_KIND},
                                         {"image_path", POV_FIELD_FIRST_IMAGE}}},
    [POV_CHOICE_MINDCUBE] =
        {.name = "mindcube",
         .title = "MindCube",
         .reference = "yin2025mindcube",
         .cited = "Yin et al. 2025 (MindCube)",
         .before = "",
         .between = "\n",
         .wish = "\nReply with one option and nothing else, in the form <answer>A. Above</answer>.",
         .kind_names = {"setting", "task", "question_type", "data_source"},
         .kinds = {"around", "rotation", "translation", "among"},
         .kind_in_id = true,
         .script = POV_LETTERS_MINDCUBE,
         .file = POV_ROWS_LINES,
         .fields = {{"id", POV_FIELD_KIND_AND_ID},
                    {"type", POV_FIELD_KIND},
                    {"images", POV_FIELD_IMAGES},
                    {"question", POV_FIELD_QUESTION_OPTIONS},
                    {"gt_answer", POV_FIELD_GOLD},
                    {"grounded_cogmap", POV_FIELD_MAP}}},
};
static_assert(sizeof benchmarks / sizeof *benchmarks == POV_CHOICE_BENCHMARKS, "a row each");

const pov_choice_benchmark *pov_choice_benchmark_at(pov_choice_benchmark_id id)
{
    POV_REQUIRE((int)id >= 0 && id < POV_CHOICE_BENCHMARKS);
    return &benchmarks[id];
}

bool pov_choice_benchmark_has(const pov_choice_benchmark *benchmark, const char *kind)
{
    for (const char *const *begin = benchmark->kinds; *begin; begin++)
        if (strncmp(kind, *begin, strlen(*begin)) == 0)
            return true;
    return false;
}

const char *pov_choice_benchmark_kind_in(const pov_choice_benchmark *benchmark, const char *id)
{
    for (const char *const *kind = benchmark->kinds; *kind; kind++)
        if (benchmark->kind_in_id && strcasestr(id, *kind))
            return *kind;
    return NULL;
}

char *pov_choice_write_options(const char *const *options, int len, const char *between)
{
    pov_text text = {0};
    for (int i = 0; i < len; i++)
        pov_text_add(&text, "%s%c. %s", i > 0 ? between : "", 'A' + i, options[i]);
    return pov_text_take(&text);
}

char *pov_choice_write_prompt(const pov_choice_benchmark *benchmark, const char *stem,
                              const char *const *options, int len, bool wishes)
{
    char *list = pov_choice_write_options(options, len, "\n");
    char *prompt = pov_text_new("%s%s%s%s%s", benchmark->before, stem, benchmark->between, list,
                                wishes ? benchmark->wish : "");
    free(list);
    return prompt;
}
