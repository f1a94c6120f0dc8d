#include "firmware/judge_teller.h"

#include "firmware/judge_json.h"

#include <cJSON.h>
#include <math.h>
#include <stdarg.h>

const char *pov_teller_name(const pov_teller *t, pov_id id)
{
    return t->scene->entities[id].name;
}

/* -------- rows -------- */

static void tell_json(pov_teller *t, const char *question, const char *answer, double p)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "task", t->task);
    cJSON_AddStringToObject(object, "question", question);
    if (isnan(p)) {
        cJSON_AddNullToObject(object, "answer");
        cJSON_AddNullToObject(object, "p");
    } else {
        cJSON_AddStringToObject(object, "answer", answer);
        cJSON_AddNumberToObject(object, "p", p);
    }
    pov_judge_json_element(t->stream, object, &t->first);
}

static void tell_csv(pov_teller *t, const char *question, const char *answer, double p)
{
    pov_judge_print_csv_field(t->stream, t->task);
    fputc(',', t->stream);
    pov_judge_print_csv_field(t->stream, question);
    fputc(',', t->stream);
    pov_judge_print_csv_field(t->stream, isnan(p) ? "" : answer);
    fprintf(t->stream, isnan(p) ? ",\n" : ",%.4f\n", p);
}

static void tell_text(pov_teller *t, const char *question, const char *answer, double p)
{
    fprintf(t->stream, "%-18s %s\n", t->task, question);
    if (isnan(p))
        fprintf(t->stream, "%-18s   undefined\n", "");
    else
        fprintf(t->stream, "%-18s   %s, P = %.3f\n", "", answer, p);
}

void pov_tell(pov_teller *t, const char *answer, double p, const char *format, ...)
{
    char question[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(question, sizeof question, format, arguments);
    va_end(arguments);
    if (t->form == POV_OUTPUT_JSON)
        tell_json(t, question, answer, p);
    else if (t->form == POV_OUTPUT_CSV)
        tell_csv(t, question, answer, p);
    else
        tell_text(t, question, answer, p);
    t->first = false;
}

const char *pov_teller_likeliest(const pov_choice *choice, const char *const words[], double *p)
{
    int best = 0;
    for (int i = 1; i < choice->len; i++)
        best = choice->p[i] > choice->p[best] ? i : best;
    *p = choice->p[best];
    return words[best];
}
