#include "compare/answers/choice_benchmark.h"

#include "config/files/text.h"
#include "perception/status.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Wishes of those whose texts have no clear licence are pov's own. */
#define LETTER_WISH "\nReply with the letter of one option and nothing else."

static const pov_choice_number vsi_numbers[] = {{"object_abs_distance", "m"},
                                                {"object_size_estimation", "cm"},
                                                {"object_counting", ""},
                                                {"room_size_estimation", ""},
                                                {NULL, NULL}},
                               spar_numbers[] = {
                                   {"depth_prediction", "m"}, {"distance_prediction", "m"}, {NULL, NULL}};
static const char *const yes_or_no[] = {"yes", "no", NULL}, *const true_or_false[] = {"true", "false", NULL},
                         *const sides[] = {"left", "right", "front", "back", NULL};

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
    [POV_CHOICE_VSI] = {.name = "vsi",
                        .title = "VSI-Bench",
                        .reference = "yang2025thinking",
                        .cited = "Yang et al. 2025 (VSI-Bench)",
                        .before = "",
                        .between = "\n",
                        .wish = LETTER_WISH,
                        .kind_names = {"question_type", "task", "category", "type"},
                        .kinds = {"object_rel_direction", "object_rel_distance", "route_planning",
                                  "obj_appearance_order", "object_abs_distance", "object_size_estimation",
                                  "object_counting", "room_size_estimation"},
                        .numbers = vsi_numbers,
                        .file = POV_ROWS_LINES,
                        .fields = {{"id", POV_FIELD_ID},
                                   {"question_type", POV_FIELD_KIND},
                                   {"images", POV_FIELD_IMAGES},
                                   {"question", POV_FIELD_QUESTION},
                                   {"options", POV_FIELD_OPTION_LIST},
                                   {"ground_truth", POV_FIELD_GOLD}}},
    [POV_CHOICE_SPAR] = {.name = "spar",
                         .title = "SPAR-Bench",
                         .reference = "zhang2025spar",
                         .cited = "Zhang et al. 2025 (SPAR)",
                         .before = "",
                         .between = "\n",
                         .wish = LETTER_WISH,
                         .kind_names = {"task", "question_type", "category", "type"},
                         .kinds = {"obj_spatial_relation_", "spatial_imagination_", "distance_infer_center_",
                                   "depth_prediction_", "distance_prediction_"},
                         .numbers = spar_numbers,
                         .file = POV_ROWS_LIST,
                         .fields = {{"id", POV_FIELD_ID},
                                    {"image", POV_FIELD_IMAGES},
                                    {"task", POV_FIELD_KIND},
                                    {"question", POV_FIELD_QUESTION_OPTIONS},
                                    {"answer", POV_FIELD_GOLD},
                                    {"format_type", POV_FIELD_FORMAT}}},
    [POV_CHOICE_SPATIAL457] = {.name = "spatial457",
                               .title = "Spatial457",
                               .reference = "wang2025spatial457",
                               .cited = "Wang et al. 2025 (Spatial457)",
                               .before = "",
                               .between = "\n",
                               .wish = "",
                               .in_words = true,
                               .kind_names = {"category", "task", "question_type", "type"},
                               .kinds = {"L1_", "L2_", "L3_", "L4_", "L5_"},
                               .usual = {yes_or_no, true_or_false, sides},
                               .file = POV_ROWS_LIST,
                               .fields = {{"question_index", POV_FIELD_ID},
                                          {"image_filename", POV_FIELD_FIRST_IMAGE},
                                          {"category", POV_FIELD_KIND},
                                          {"question", POV_FIELD_QUESTION},
                                          {"answer", POV_FIELD_GOLD_TEXT}}},
    [POV_CHOICE_OMNISPATIAL] = {.name = "omnispatial",
                                .title = "OmniSpatial",
                                .reference = "jia2025omnispatial",
                                .cited = "Jia et al. 2025 (OmniSpatial)",
                                .before = "",
                                .between = "\n",
                                .wish = LETTER_WISH,
                                .kind_names = {"sub_task_type", "task", "category", "task_type"},
                                .kinds = {"Egocentric", "Allocentric", "Hypothetical", "Perspective_Taking"},
                                .file = POV_ROWS_LIST,
                                .fields = {{"id", POV_FIELD_ID},
                                           {"task_type", POV_FIELD_PERSPECTIVE},
                                           {"sub_task_type", POV_FIELD_KIND},
                                           {"image_path", POV_FIELD_FIRST_IMAGE},
                                           {"question", POV_FIELD_QUESTION},
                                           {"options", POV_FIELD_OPTION_TEXTS},
                                           {"answer", POV_FIELD_GOLD_INDEX},
                                           {"gt", POV_FIELD_GOLD_TEXT}}},
    [POV_CHOICE_ROBOSPATIAL] = {.name = "robospatial",
                                .title = "RoboSpatial",
                                .reference = "song2025robospatial",
                                .cited = "Song et al. 2025 (RoboSpatial)",
                                .before = "",
                                .between = "\n",
                                .wish = "",
                                .in_words = true,
                                .kind_names = {"category", "task", "question_type", "type"},
                                .kinds = {"compatibility", "configuration"},
                                .usual = {yes_or_no},
                                .file = POV_ROWS_LIST,
                                .fields = {{"id", POV_FIELD_ID},
                                           {"category", POV_FIELD_KIND},
                                           {"img", POV_FIELD_FIRST_IMAGE},
                                           {"question", POV_FIELD_QUESTION},
                                           {"answer", POV_FIELD_GOLD_TEXT}}},
    [POV_CHOICE_EMBSPATIAL] = {.name = "embspatial",
                               .title = "EmbSpatial-Bench",
                               .reference = "du2024embspatial",
                               .cited = "Du et al. 2024 (EmbSpatial-Bench)",
                               .before = "",
                               .between = "\n",
                               .wish = LETTER_WISH,
                               .kind_names = {"task", "relation", "category", "type"},
                               .kinds = {"above", "under", "left", "right", "close", "far"},
                               .needs_options = true,
                               .file = POV_ROWS_LINES,
                               .fields = {{"question_id", POV_FIELD_ID},
                                          {"relation", POV_FIELD_KIND},
                                          {"image_path", POV_FIELD_FIRST_IMAGE},
                                          {"question", POV_FIELD_QUESTION},
                                          {"answer_options", POV_FIELD_OPTION_TEXTS},
                                          {"answer", POV_FIELD_GOLD_INDEX}}},
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

const char *pov_choice_benchmark_unit(const pov_choice_benchmark *benchmark, const char *kind)
{
    for (const pov_choice_number *of = benchmark->numbers; of && of->kind; of++)
        if (strncmp(kind, of->kind, strlen(of->kind)) == 0)
            return of->unit;
    return NULL;
}

static bool offers(const char *const *words, const char *gold)
{
    for (; *words; words++)
        if (strcasecmp(*words, gold) == 0)
            return true;
    return false;
}

void pov_choice_benchmark_offer(const pov_choice_benchmark *benchmark, pov_choice_list *list,
                                const char *gold)
{
    enum { USUAL = sizeof benchmark->usual / sizeof *benchmark->usual };
    if (list->len > 0 || !benchmark->in_words || !*gold)
        return;
    for (int i = 0; i < USUAL && benchmark->usual[i]; i++)
        if (offers(benchmark->usual[i], gold)) {
            for (const char *const *word = benchmark->usual[i]; *word; word++)
                (void)pov_choice_list_add(list, *word, strlen(*word));
            return;
        }
    (void)pov_choice_list_add(list, gold, strlen(gold));
}

char *pov_choice_write_options(const char *const *options, int len, const char *between)
{
    pov_text text = {0};
    for (int i = 0; i < len; i++)
        pov_text_add(&text, "%s%c. %s", i > 0 ? between : "", 'A' + i, options[i]);
    return pov_text_take(&text);
}

/* "Reply with one of: left, right." A row whose options nobody knows has one, which is not told. */
static char *write_words(const char *const *options, int len)
{
    pov_text text = {0};
    for (int i = 0; i < len; i++)
        pov_text_add(&text, "%s%s", i > 0 ? ", " : "", options[i]);
    char *words = len > 1 ? pov_text_new("Reply with one of: %s.", pov_text_of(&text))
                          : pov_text_new("Reply with the answer only, in a word or two.");
    pov_text_free(&text);
    return words;
}

char *pov_choice_write_prompt(const pov_choice_benchmark *benchmark, const char *stem,
                              const char *const *options, int len, const char *unit, bool wishes)
{
    if (unit)
        return pov_text_new("%s%s%s%s%s", benchmark->before, stem, wishes ? "\nReply with one number" : "",
                            wishes && *unit ? " in " : "",
                            !wishes ? ""
                            : *unit ? unit
                                    : "");
    char *list =
        benchmark->in_words ? write_words(options, len) : pov_choice_write_options(options, len, "\n");
    char *prompt = pov_text_new("%s%s%s%s%s", benchmark->before, stem, benchmark->between, list,
                                wishes ? benchmark->wish : "");
    free(list);
    return prompt;
}

pov_answer_kind pov_choice_benchmark_read(int *option, const pov_choice_benchmark *benchmark,
                                          const char *answer, const pov_choice_list *options, bool released)
{
    if (!benchmark->in_words)
        return pov_answer_letter(option, answer, options, released ? benchmark->script : POV_LETTERS_USUAL);
    return pov_answer_option(option, answer, (const char *const *)options->text, options->len);
}
