#include "firmware/sweep/sweep_curves.h"

#include "config/files/json_value.h"
#include "config/files/utf8.h"

#include <cJSON.h>

#include <math.h>
#include <string.h>

static pov_sweep_curve *curve_of(pov_sweep_curves *curves, const pov_log_question *question,
                                 const cJSON *columns)
{
    char title[POV_SWEEP_TITLE_CAPACITY];
    snprintf(title, sizeof title, "%-3s %-6s  %s%s%s", pov_json_text_of(columns, "prompt"),
             pov_json_text_of(columns, "relation"), pov_json_text_of(columns, "scene"),
             strcmp(question->language, "en") == 0 ? "" : " ",
             strcmp(question->language, "en") == 0 ? "" : question->language);
    for (int i = 0; i < curves->len; i++)
        if (strcmp(curves->curves[i].title, title) == 0)
            return &curves->curves[i];
    curves->truncated |= curves->len == POV_SWEEP_CURVE_MAX;
    if (curves->truncated)
        return NULL;
    pov_sweep_curve *curve = &curves->curves[curves->len++];
    memset(curve, 0, sizeof *curve);
    memcpy(curve->title, title, sizeof title);
    snprintf(curve->prompt, sizeof curve->prompt, "%s", pov_json_text_of(columns, "prompt"));
    snprintf(curve->relation, sizeof curve->relation, "%s", pov_json_text_of(columns, "relation"));
    snprintf(curve->scene, sizeof curve->scene, "%s", pov_json_text_of(columns, "scene"));
    snprintf(curve->language, sizeof curve->language, "%s", question->language);
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        curve->p[i] = curve->gold[i] = NAN;
    return curve;
}

static void note_latest(pov_sweep_answer *latest, const pov_answer_row *row, const char *scene)
{
    if (row->result.answered_ns < latest->answered_ns)
        return;
    *latest = (pov_sweep_answer){.answered_ns = row->result.answered_ns,
                                 .stop = row->image.stop,
                                 .p = row->result.p,
                                 .gold_p = row->question.gold_p};
    snprintf(latest->scene, sizeof latest->scene, "%s", scene);
    pov_utf8_shorten(latest->prompt, sizeof latest->prompt, row->question.prompt);
    pov_utf8_shorten(latest->text, sizeof latest->text, row->result.text ? row->result.text : "");
}

typedef struct {
    pov_sweep_curves *curves;
    int64_t model;
} curve_gathering;

static pov_status take_row(void *context, pov_answer_row *row)
{
    const curve_gathering *g = context;
    pov_sweep_curves *curves = g->curves;
    const bool is_answered = row->has_result && row->result.model == g->model;
    if (row->is_again && !is_answered)
        return pov_ok();
    curves->asked += !row->is_again;
    curves->answered += is_answered;
    curves->unscored += is_answered && isnan(row->result.p);
    if (strcmp(row->question.paper, "comfort") != 0 || isnan(row->image.curve_deg) || !row->question.columns)
        return pov_ok();
    cJSON *columns = pov_json_parse_text(row->question.columns);
    const int i = (int)lround(row->image.curve_deg / POV_CURVE_STEP_DEG) % POV_CURVE_SAMPLES;
    pov_sweep_curve *curve =
        *pov_json_text_of(columns, "prompt") ? curve_of(curves, &row->question, columns) : NULL;
    cJSON_Delete(columns);
    if (!curve)
        return pov_ok();
    curve->asked[i] = true;
    curve->gold[i] = row->question.gold_p;
    if (is_answered) {
        note_latest(&curves->latest, row, curve->scene);
        curve->answered[i] = true;
        curve->p[i] = row->result.p;
    }
    return pov_ok();
}

pov_status pov_sweep_curves_gather(pov_sweep_curves *curves, pov_answer_log *log, int64_t model)
{
    curves->len = 0;
    curves->truncated = false;
    curves->asked = curves->answered = curves->unscored = 0;
    curves->latest.answered_ns = 0;
    return pov_answer_log_each(log, take_row, &(curve_gathering){curves, model});
}

static const char *sign_of(double p)
{
    static const char *const signs[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const int height = (int)(p * 8);
    return signs[height < 0 ? 0 : height > 7 ? 7 : height];
}

static void draw_curve(FILE *stream, const pov_sweep_curve *curve, bool beside)
{
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        fputs(!isnan(curve->p[i])  ? sign_of(curve->p[i])
              : curve->answered[i] ? "x"
              : curve->asked[i]    ? "·"
                                   : " ",
              stream);
    fputs(" | ", stream);
    for (int i = 0; i < POV_CURVE_SAMPLES && beside; i++)
        fputs(isnan(curve->gold[i]) ? " " : sign_of(curve->gold[i]), stream);
    fprintf(stream, beside ? " | %s\n" : "%.38s\n", curve->title);
}

int pov_sweep_curves_draw(FILE *stream, const pov_sweep_curves *curves, const pov_sweep_room *room)
{
    const int len = curves->len < room->curve_max ? curves->len : room->curve_max;
    if (curves->len == 0)
        return 0;
    fprintf(stream, room->beside ? "%-36s   %s\n" : "%s\n", "the model's P(yes), phi 0 to 350",
            "the station's");
    for (int i = 0; i < len; i++)
        draw_curve(stream, &curves->curves[i], room->beside);
    const bool is_cut = curves->truncated || len < curves->len;
    if (is_cut)
        fputs("and more\n", stream);
    return len + 1 + is_cut;
}
