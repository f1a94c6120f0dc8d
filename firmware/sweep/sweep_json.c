#include "firmware/sweep/sweep_json.h"

#include "firmware/dashboard/update.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_text(FILE *stream, const char *key, const char *text)
{
    fprintf(stream, ",\"%s\":", key);
    if (text)
        pov_update_write_text(stream, text);
    else
        fputs("null", stream);
}

/* JSON has no NaN. */
static void write_share(FILE *stream, double p)
{
    if (isnan(p))
        fputs("null", stream);
    else
        fprintf(stream, "%.3g", p);
}

static void write_samples(FILE *stream, const char *key, const double samples[POV_CURVE_SAMPLES])
{
    fprintf(stream, ",\"%s\":[", key);
    for (int i = 0; i < POV_CURVE_SAMPLES; i++) {
        fputs(i ? "," : "", stream);
        write_share(stream, samples[i]);
    }
    fputc(']', stream);
}

/* Curves of one group lie in a row: what is asked alike. */
static void write_curve(FILE *stream, const pov_sweep_curve *curve, bool several)
{
    char group[128];
    const bool is_english = strcmp(curve->language, "en") == 0;
    snprintf(group, sizeof group, "%s%s%s%s%s", curve->prompt, several ? " " : "",
             several ? curve->scene : "", is_english ? "" : " ", is_english ? "" : curve->language);
    fputs("{\"group\":", stream);
    pov_update_write_text(stream, group);
    write_text(stream, "relation", curve->relation);
    write_samples(stream, "p", curve->p);
    write_samples(stream, "gold", curve->gold);
    fputc('}', stream);
}

static void write_latest(FILE *stream, const pov_sweep_answer *latest)
{
    if (latest->answered_ns == 0) {
        fputs(",\"question\":null", stream);
        return;
    }
    fprintf(stream, ",\"question\":{\"stop\":%d", latest->stop);
    write_text(stream, "prompt", latest->prompt);
    write_text(stream, "text", latest->text);
    fputs(",\"p\":", stream);
    write_share(stream, latest->p);
    fputs(",\"gold_p\":", stream);
    write_share(stream, latest->gold_p);
    fputc('}', stream);
}

void pov_sweep_json_write(FILE *stream, const pov_sweep_news *news)
{
    const pov_sweep_curves *curves = news->curves;
    bool several = false;
    for (int i = 1; i < curves->len; i++)
        several |= strcmp(curves->curves[i].scene, curves->curves[0].scene) != 0;
    fprintf(stream,
            "{\"taken\":%d,\"wanted\":%d,\"asked\":%" PRId64 ",\"answered\":%" PRId64
            ",\"unscored\":%" PRId64,
            news->taken, news->wanted, curves->asked, curves->answered, curves->unscored);
    write_text(stream, "model", news->model);
    write_latest(stream, &curves->latest);
    fputs(",\"curves\":[", stream);
    for (int i = 0; i < curves->len; i++) {
        fputs(i ? "," : "", stream);
        write_curve(stream, &curves->curves[i], several);
    }
    fputs("]}", stream);
}
