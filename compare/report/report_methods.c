/* How the numbers were made, in words for a methods section, and what to cite for them. */
#include "compare/report/report_internal.h"

#include <stdlib.h>
#include <string.h>

/* Papers by pov_paper and beyond; then what every report rests on. Their entries are in share/papers/references.bib. */
typedef struct {
    const char *key, *cited; /* of BibTeX; "Zhang et al. 2025" */
} reference;

enum { EFRON = POV_ANSWERS_VISOR + 1, HOLM, PHIPSON, WILSON, REFERENCES };

static const reference references[REFERENCES] = {
    [POV_PAPER_FOREST] = {"premsri2025forest", "Premsri & Kordjamshidi 2025"},
    [POV_PAPER_VSR] = {"liu2023vsr", "Liu et al. 2023"},
    [POV_PAPER_VPT] = {"goral2025beyond", "Goral et al. 2025"},
    [POV_PAPER_SPHERE] = {"zhang2025sphere", "Zhang et al. 2025 (SPHERE)"},
    [POV_ANSWERS_COMFORT] = {"zhang2025comfort", "Zhang et al. 2025"},
    [POV_ANSWERS_VISOR] = {"gokhale2022visor", "Gokhale et al. 2022"},
    [EFRON] = {"efron1993bootstrap", "Efron & Tibshirani 1993"},
    [HOLM] = {"holm1979simple", "Holm 1979"},
    [PHIPSON] = {"phipson2010permutation", "Phipson & Smyth 2010"},
    [WILSON] = {"wilson1927probable", "Wilson 1927"},
};

static reference reference_of(int i)
{
    const pov_choice_benchmark *choice = pov_paper_choice((pov_paper)i);
    return choice ? (reference){choice->reference, choice->cited} : references[i];
}

static bool has_paper(const pov_report *report, int paper)
{
    for (int i = 0; i < report->len; i++)
        if (report->parts[i].answers->paper == paper)
            return true;
    return false;
}

static bool has_comparison(const pov_report *report)
{
    for (int i = 0; i < report->len; i++)
        if (pov_sheet_find(report->parts[i].compared, "ranks"))
            return true;
    return false;
}

static bool is_cited(const pov_report *report, int i)
{
    return i < EFRON ? has_paper(report, i) || (i == POV_PAPER_FOREST && has_paper(report, POV_ANSWERS_VISOR))
           : i == EFRON  ? true
           : i == WILSON ? has_paper(report, POV_ANSWERS_COMFORT) || has_paper(report, POV_PAPER_VSR)
                         : has_comparison(report);
}

/* An entry ends with a brace that begins a line. */
static void write_entry(FILE *stream, const char *key)
{
    static const char end[] = "\n}\n";
    const char *at = strstr((const char *)POV_BIBLIOGRAPHY[0].bytes, key);
    while (*at != '@')
        at--;
    fprintf(stream, "\n%.*s", (int)(strstr(at, end) + strlen(end) - at), at);
}

void pov_report_write_bibtex(const pov_report *report, FILE *stream)
{
    fprintf(stream, "%% References for a text with these numbers. Made by pov %s.\n", report->source.version);
    for (int i = 0; i < REFERENCES; i++)
        if (is_cited(report, i))
            write_entry(stream, reference_of(i).key);
}

/* ---- in words ---- */

/* "Models: a, b." */
static void write_fact(const pov_report *report, FILE *stream, const char *name)
{
    for (int i = 0; i < report->facts_len; i++)
        if (strcmp(report->facts[i].name, name) == 0)
            fprintf(stream, " %s: %s.", name, report->facts[i].text);
}

static void write_languages(const pov_report *report, FILE *stream, const pov_comfort_data *data)
{
    pov_name_set *codes = pov_name_set_new();
    for (int g = 0; g < pov_comfort_data_groups(data); g++) {
        const char *code = pov_comfort_data_group(data, g)->language;
        const pov_language *language;
        const int len = pov_name_set_len(codes);
        if (pov_name_set_add(codes, code, strlen(code)) != len)
            continue;
        const bool is_known = pov_languages_find(&language, report->languages, code).code == POV_OK;
        fprintf(stream, "%s%s", len > 0 ? ", " : "", is_known ? language->name : code);
    }
    pov_name_set_destroy(&codes);
}

static void write_prompts(FILE *stream, const pov_comfort_data *data)
{
    static const char *const asked[POV_PROMPT_COUNT] = {
        "without a viewpoint (nop: \"Is A to the left of B?\")",
        "from the camera's viewpoint (cam: \"From the camera's viewpoint, is A ...?\")",
        "from the addressee's viewpoint (add)", "from the relatum's viewpoint (rel)"};
    bool has[POV_PROMPT_COUNT] = {false}, any = false;
    for (int g = 0; g < pov_comfort_data_groups(data); g++)
        has[pov_comfort_data_group(data, g)->prompt] = true;
    for (int p = 0; p < POV_PROMPT_COUNT; p++)
        if (has[p]) {
            fprintf(stream, "%s%s", any ? ", " : "", asked[p]);
            any = true;
        }
}

/* How many scenes, each in one variant and facing, and repetitions of them. */
static void write_scenes(FILE *stream, const pov_comfort_data *data)
{
    pov_name_set *scenes = pov_name_set_new(), *sweeps = pov_name_set_new();
    for (int i = 0; i < pov_comfort_data_len(data); i++) {
        const pov_comfort_curve *curve = &pov_comfort_data_curves(data)[i];
        const int key[] = {curve->scene, curve->variant, curve->repetition};
        (void)pov_name_set_add(scenes, key, 2 * sizeof *key);
        (void)pov_name_set_add(sweeps, key, sizeof key);
    }
    fprintf(stream, " Scenes, each in one variant and facing: %d", pov_name_set_len(scenes));
    if (pov_name_set_len(sweeps) > pov_name_set_len(scenes))
        fprintf(stream, ", in %d rotations", pov_name_set_len(sweeps));
    fputs(".", stream);
    pov_name_set_destroy(&scenes);
    pov_name_set_destroy(&sweeps);
}

static void write_stops(FILE *stream, const pov_answers *answers)
{
    const pov_report_stops stops = pov_report_count_stops(answers);
    if (stops.step_deg > 0)
        fprintf(stream, " A referent goes round a relatum in steps of up to %d degrees, ", 360 / stops.least);
    else
        fputs(" A referent is at one place about a relatum, ", stream);
    if (stops.least < stops.most)
        fprintf(stream, "%d to %d stops a rotation", stops.least, stops.most);
    else
        fprintf(stream, "%d stop%s a rotation", stops.most, stops.most == 1 ? "" : "s");
    if (stops.least < POV_CURVE_SAMPLES)
        fputs(", where COMFORT has 36: not comparable with its published rows", stream);
    fputs("; at each stop", stream);
}

/* What is left out, and what the conventions are. */
static void write_exclusions(FILE *stream, const pov_answers *answers)
{
    int answered[POV_ANSWER_KINDS] = {0}, untold = 0;
    pov_name_set *conventions = pov_name_set_new();
    for (int g = 0; g < pov_comfort_data_groups(answers->comfort); g++) {
        const pov_comfort_group *group = pov_comfort_data_group(answers->comfort, g);
        for (int k = 0; k < POV_ANSWER_KINDS; k++)
            answered[k] += group->answers[k];
        untold += answers->tables[g].score.untold;
        char *words = pov_text_new("%s %s", group->language, pov_convention_name(group->convention));
        (void)pov_name_set_add(conventions, words, strlen(words));
        free(words);
    }
    char *coverage = pov_report_coverage(answered);
    fprintf(stream,
            " Viewers' axes are those of each language's convention, as the literature states it, else "
            "reflected:");
    for (int i = 0; i < pov_name_set_len(conventions); i++)
        fprintf(stream, "%s %s", i > 0 ? "," : "", pov_name_set_at(conventions, i));
    fprintf(stream,
            ". Left out of means: what has no yes or no (%s); of accuracy without what geometry cannot tell, "
            "%d more answers. Models with less than 90 %% answered have no rank.",
            coverage, untold);
    free(coverage);
    pov_name_set_destroy(&conventions);
}

static void write_comfort(const pov_report *report, FILE *stream, const pov_answers *answers)
{
    const pov_comfort_options *options = &answers->options.comfort;
    fprintf(stream, "COMFORT (%s).", reference_of(POV_ANSWERS_COMFORT).cited);
    write_stops(stream, answers);
    fprintf(
        stream,
        " it is asked whether the referent is to the left of, to the right of, in front of, behind the "
        "relatum. P(yes) around the relatum is a curve: %d curves of one relation, scene, variant, prompt "
        "and language each.",
        pov_comfort_data_len(answers->comfort));
    write_scenes(stream, answers->comfort);
    fputs(" Asked in: ", stream);
    write_languages(report, stream, answers->comfort);
    fputs(". Asked: ", stream);
    write_prompts(stream, answers->comfort);
    fputs(". CAR: the relatum has a front; BALL: it has none. P(yes) is P(Yes) / (P(Yes) + P(No)) of the "
          "answer's first word where the file has probabilities, else 1 for yes and 0 for no. By the paper's "
          "rule an answer is right if P(yes) > 0.5 just where the referent is less than 90 degrees from the "
          "direction that the relation has in the frame of reference asked for (the camera's, if none is "
          "asked for); \"told\" is our accuracy, without the stops at 90 degrees and those where the station "
          "abstains in the frame scored against.",
          stream);
    write_exclusions(stream, answers);
    fprintf(
        stream,
        " ε cos is the root mean square distance of a curve, stretched to 0..1, from (cos θ + 1) / 2, θ "
        "being that angle. η is the distance from a low-pass over the full rotation: a curve with a gap, or "
        "of fewer than 36 stops, has none. The preferred frame is the one with the smallest ε cos among all "
        "frames and conventions, if it beats every other one in the central 95 %% of a bootstrap over whole "
        "scenes, paired, and fits better than the same scenes, each turned at random (P < 0.02). The four "
        "relations of a rotation are the same images and never independent: what is drawn, flipped and "
        "tested is a whole scene (one scene in one variant and facing) with all its relations; its "
        "repetitions are within it and count once. Intervals are 95 %% percentile intervals of %d bootstrap "
        "resamples of whole scenes (%s), seed %llu; n is the number of scenes. One scene has no interval "
        "and no rank; of fewer than six there is no test. The paper's Tables 3 and 8 contradict each other "
        "(the rows of GLaMM and both LLaVA are in another order): Table 8, the full one, is used. The "
        "baselines answer the same questions, of all models and "
        "languages together: Random draws each P(yes) evenly from 0 to 1 (means over the trials that it "
        "names), Always \"yes\" has P(yes) = 1 everywhere.%s\n",
        options->bootstrap.resamples, references[EFRON].cited, (unsigned long long)options->bootstrap.seed,
        options->formulas == POV_FORMULAS_RELEASED ? " Measures are those of the authors' released scripts."
                                                   : "");
    char *regions = pov_report_region_words(answers->comfort);
    if (*regions)
        fprintf(stream, "%s\n", regions);
    free(regions);
}

static bool has_comfort_before(const pov_report *report, int number)
{
    for (int i = 0; i < number; i++)
        if (report->parts[i].answers->comfort)
            return true;
    return false;
}

/* A further file: its curves are measured as the first file's are, so only their number is said. */
static void write_more_comfort(const pov_report *report, FILE *stream, int number)
{
    const pov_comfort_data *data = report->parts[number].answers->comfort;
    fprintf(stream,
            "%s: %d curves, measured in the same way. Asked in: ", pov_report_part_name(report, number),
            pov_comfort_data_len(data));
    write_languages(report, stream, data);
    fputs(". Asked: ", stream);
    write_prompts(stream, data);
    fputs(".\n", stream);
}

static void write_other(FILE *stream, const pov_answers *answers)
{
    const pov_bootstrap_options *options = &answers->options.bootstrap;
    fprintf(stream,
            "%s (%s). %d answers, graded as the paper grades them; refused and unclear answers are wrong, "
            "missing ones are "
            "left out. Runs of one question count as their mean. Intervals are 95 %% percentile intervals of "
            "%d bootstrap "
            "resamples of scenes, each with all its questions (of questions, where no scene is named) (%s), "
            "seed %llu.\n",
            pov_report_paper_title(answers), reference_of(answers->paper).cited,
            answers->visor ? pov_visor_pictures(answers->visor) : pov_table_len(answers->table),
            options->resamples, references[EFRON].cited, (unsigned long long)options->seed);
}

void pov_report_write_methods(const pov_report *report, FILE *stream)
{
    if (report->simulated.len > 0)
        fprintf(stream, "SIMULATED, no finding about a real model or camera: %s.\n",
                pov_text_of(&report->simulated));
    fprintf(stream, "Answers were scored with pov %s.", report->source.version);
    static const char *const facts[] = {"Models", "Servers",       "Asked with",    "Asked",
                                        "Dates",  "Station",       "Lens and pose", "Calibration",
                                        "Run",    "Recorded with", "Files",         "Made by"};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        write_fact(report, stream, facts[i]);
    fputs("\n", stream);
    for (int i = 0; i < report->len; i++)
        if (has_comfort_before(report, i) && report->parts[i].answers->comfort)
            write_more_comfort(report, stream, i);
        else if (report->parts[i].answers->comfort)
            write_comfort(report, stream, report->parts[i].answers);
        else
            write_other(stream, report->parts[i].answers);
    if (has_comparison(report))
        fprintf(stream,
                "Models and languages are compared on the curves or questions that they share. Ranks have "
                "the central 95 %% "
                "of the ranks in the same bootstrap. Differences are tested by a paired permutation test: "
                "the signs of whole scenes' "
                "differences are flipped, in all ways for up to 20 differences, else at random (%s); p is "
                "two-sided, and "
                "adjusted for the number of tests of a kind (%s).\n",
                references[PHIPSON].cited, references[HOLM].cited);
}
