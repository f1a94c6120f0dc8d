#include "firmware/sweep/sweep_curves.h"

#include "config/files/utf8.h"

#include <math.h>
#include <string.h>

static const char *sign_of(double p)
{
    static const char *const signs[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const int height = (int)(p * 8);
    return signs[height < 0 ? 0 : height > 7 ? 7 : height];
}

static void draw_curve(FILE *stream, const pov_answer_curve *curve, bool beside)
{
    const char *language = strcmp(curve->language, "en") == 0 ? "" : curve->language;
    char title[160];
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        fputs(!isnan(curve->p[i])                     ? sign_of(curve->p[i])
              : curve->state[i] == POV_CURVE_ANSWERED ? "x"
              : curve->state[i] == POV_CURVE_ASKED    ? "·"
                                                      : " ",
              stream);
    fputs(" | ", stream);
    for (int i = 0; i < POV_CURVE_SAMPLES && beside; i++)
        fputs(isnan(curve->gold[i]) ? " " : sign_of(curve->gold[i]), stream);
    snprintf(title, sizeof title, "%-3s %-6s  %s%s%s", curve->prompt, curve->relation, curve->scene,
             *language ? " " : "", language);
    fprintf(stream, beside ? " | %s\n" : "%.38s\n", title);
}

int pov_sweep_curves_draw(FILE *stream, const pov_answer_curves *curves, const char *model,
                          const pov_sweep_room *room)
{
    char name[POV_MODEL_NAME_CAPACITY];
    int len = 0;
    pov_utf8_shorten(name, sizeof name, model);
    for (int i = 0; i < curves->len; i++) {
        const pov_answer_curve *curve = &curves->curves[i];
        if (strcmp(curve->model, name) != 0)
            continue;
        if (len == 0)
            fprintf(stream, room->beside ? "%-36s   %s\n" : "%s\n", "the model's P(yes), phi 0 to 350",
                    "the station's");
        if (len < room->curve_max)
            draw_curve(stream, curve, room->beside);
        len++;
    }
    const int shown = len < room->curve_max ? len : room->curve_max;
    if (shown < len)
        fprintf(stream, "%d more curve%s, for which the window is too low\n", len - shown,
                len - shown == 1 ? "" : "s");
    return len == 0 ? 0 : shown + 1 + (shown < len);
}
