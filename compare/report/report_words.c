/* A report's words: names of groups, columns and cells as people read them. */
#include "compare/report/report_internal.h"

#include <string.h>

const char *pov_report_prompt_words(pov_prompt prompt)
{
    static const char *const words[POV_PROMPT_COUNT] = {"no viewpoint", "camera's viewpoint",
                                                        "addressee's viewpoint", "relatum's viewpoint"};
    return words[prompt];
}

char *pov_report_group_name(const pov_comfort_group *group)
{
    return pov_text_new("%s%s%s, %s, %s", group->model, *group->model ? ", " : "", group->language,
                        group->has_front ? "CAR" : "BALL", pov_report_prompt_words(group->prompt));
}

char *pov_report_coverage(const int answers[POV_ANSWER_KINDS])
{
    static const char *const words[POV_ANSWER_KINDS] = {"answered",          "refused",     "unclear",
                                                        "without an answer", "of low mass", "not asked"};
    const pov_coverage coverage = pov_coverage_of(answers);
    pov_text text = {0};
    pov_text_set(&text, "%d of %d answered", coverage.answered, coverage.asked);
    bool is_first = true;
    for (int k = POV_ANSWER_REFUSED; k < POV_ANSWER_KINDS; k++)
        if (answers[k] > 0) {
            pov_text_add(&text, "%s%d %s", is_first ? ": " : ", ", answers[k], words[k]);
            is_first = false;
        }
    return pov_text_take(&text);
}

const char *pov_report_reading_words(int reading)
{
    static const char *const words[POV_READINGS_MAX] = {
        "the relatum's own",         "the camera's, translated",    "the camera's, rotated",
        "the camera's, reflected",   "the addressee's, translated", "the addressee's, rotated",
        "the addressee's, reflected"};
    return words[reading];
}

char *pov_report_best_reading(const pov_preference *reading)
{
    pov_text text = {0};
    for (int k = 0; k < reading->len; k++)
        if (reading->is_best[k])
            pov_text_add(&text, "%s%s", text.len > 0 ? " or " : "", pov_report_reading_words(k));
    return pov_text_take(&text);
}

/* ---- columns ---- */

const char *pov_report_column_words(const char *key)
{
    static const char *const words[][2] = {{"object_f1", "object F1"},
                                           {"nop", "no viewpoint"},
                                           {"cam", "camera's viewpoint"},
                                           {"add", "addressee's viewpoint"},
                                           {"rel", "relatum's viewpoint"},
                                           {"rank_low", "from"},
                                           {"rank_high", "to"},
                                           {"p_holm", "p (Holm)"},
                                           {"asked_back", "asked back"},
                                           {"right_or_asked", "right or asked"},
                                           {"kappa", "κ"},
                                           {"kappa_with_label", "κ with label"},
                                           {"kappa_low", "from"},
                                           {"kappa_high", "to"},
                                           {"accuracy", "accuracy %"},
                                           {"accuracy_told", "told %"},
                                           {"accuracy_least", "least %"},
                                           {"accuracy_most", "most %"},
                                           {"other_answered", "answered"},
                                           {"not_asked", "not asked"},
                                           {"low_mass", "low mass"},
                                           {"yes_from", "yes from"},
                                           {"yes_to", "yes to"},
                                           {"geometry_from", "geometry: from"},
                                           {"geometry_to", "geometry: to"},
                                           {"as_in_it", "as in it %"},
                                           {"as_in_next", "as in next %"},
                                           {"next_interval", "interval"},
                                           {"eps_cos", "ε cos"},
                                           {"eps_hemi", "ε hemi"},
                                           {"eps_clipped", "ε clip"},
                                           {"sigma", "σ"},
                                           {"eta", "η"},
                                           {"c_sym", "c sym"},
                                           {"c_opp", "c opp"},
                                           {"ego_tran", "ego. tran."},
                                           {"ego_rot", "ego. rot."},
                                           {"ego_refl", "ego. refl."},
                                           {"add_tran", "add. tran."},
                                           {"add_rot", "add. rot."},
                                           {"add_refl", "add. refl."},
                                           {"R", "R %"},
                                           {"I", "I %"},
                                           {"chance", "chance %"},
                                           {"caa", "CAA %"},
                                           {"caa_robust", "CAA robust %"},
                                           {"chance_robust", "chance robust %"},
                                           {"plain", "plain %"},
                                           {"flip", "flip %"},
                                           {"circular", "circular %"},
                                           {"robust", "robust %"},
                                           {"with", "with %"},
                                           {"without", "without %"},
                                           {"validity", "valid %"},
                                           {"brier", "Brier"},
                                           {"ece", "ECE"},
                                           {"fit_R_only", "fit R only"},
                                           {"fit_I_only", "fit I only"},
                                           {"correctness", "correctness %"},
                                           {"A_I", "A-split, front (I)"},
                                           {"A_R", "A-split, no front (R)"},
                                           {"A_avg", "A-split"},
                                           {"C_EI", "C-split, EI"},
                                           {"C_ER", "C-split, ER"},
                                           {"C_all", "C-split"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], key) == 0)
            return words[i][1];
    return key;
}

const char *pov_report_text_of(pov_sheet_words *words, const pov_sheet_table *table, int row, int column)
{
    const char *text = table->rows[row][column].text;
    *words = pov_sheet_words_of(table, row, column);
    if (table->columns[column].kind != POV_SHEET_TEXT)
        return pov_sheet_text_of(words);
    if (strcmp(table->columns[column].key, "prompt") == 0 || strcmp(table->columns[column].key, "of") == 0)
        for (int p = 0; p < POV_PROMPT_COUNT; p++)
            if (text && strcmp(text, pov_prompt_name((pov_prompt)p)) == 0)
                return pov_report_prompt_words((pov_prompt)p);
    if (strcmp(table->columns[column].key, "measure") == 0 && text &&
        (strcmp(text, "eps_cos") == 0 || strcmp(text, "accuracy_told") == 0))
        return pov_report_column_words(text);
    return text ? text : "";
}

/* Keys "back_same": a group and what is in it. */
pov_report_head pov_report_head_of(const char *key)
{
    static const char *const groups[][2] = {
        {"back", "behind"},   {"front", "in front"}, {"left", "left"},
        {"right", "right"},   {"all", "aggregated"}, {"ego", "egocentric"},
        {"int", "intrinsic"}, {"add", "addressee"},  {"other", "other"}};
    static const char *const names[][2] = {
        {"same", "same"},     {"rev", "rev."},          {"ego", "ego."},      {"int", "int."},
        {"add", "add."},      {"translated", "tran."},  {"rotated", "rot."},  {"reflected", "refl."},
        {"accuracy", "acc."}, {"accuracy_change", "Δ"}, {"eps_cos", "ε cos"}, {"eps_cos_change", "Δ"},
        {"model", "model"},   {"language", "language"}};
    static const char *const sets[] = {"BALL", "CAR"};
    pov_report_head head = {.group = ""};
    const char *end = strrchr(key, '_'), *begin = strchr(key, '_');
    head.name = pov_report_column_words(key);
    for (size_t g = 0; begin && g < sizeof groups / sizeof *groups; g++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (strlen(groups[g][0]) == (size_t)(begin - key) &&
                strncmp(groups[g][0], key, strlen(groups[g][0])) == 0 &&
                strcmp(begin + 1, names[n][0]) == 0) {
                snprintf(head.group, sizeof head.group, "%s", groups[g][1]);
                head.name = names[n][1];
            }
    for (size_t i = 0; end && i < sizeof sets / sizeof *sets; i++)
        if (strcmp(end + 1, sets[i]) == 0) {
            char measure[POV_SHEET_KEY];
            snprintf(measure, sizeof measure, "%.*s", (int)(end - key), key);
            snprintf(head.group, sizeof head.group, "%s", pov_report_column_words(measure));
            head.name = sets[i];
        }
    return head;
}

bool pov_report_column_shows(const pov_sheet_table *table, int column)
{
    if (table->columns[column].kind == POV_SHEET_NUMBERS)
        return false;
    for (int row = 0; row < table->len; row++) {
        const pov_sheet_words words = pov_sheet_words_of(table, row, column);
        if (pov_sheet_text_of(&words)[0] != '\0')
            return true;
    }
    return false;
}

bool pov_report_is_of_conditions(const pov_sheet_table *table)
{
    return strcmp(table->key, "robust") == 0 || strcmp(table->key, "effects") == 0;
}
