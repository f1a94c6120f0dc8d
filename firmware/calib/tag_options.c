#include "firmware/calib/tag_options.h"

#include <stdlib.h>
#include <string.h>

static bool parse_length(double *metres, const char *text)
{
    static const struct {
        const char *unit;
        double metres;
    } units[] = {{"", 1}, {"m", 1}, {"cm", 1e-2}, {"mm", 1e-3}};
    char *end;
    *metres = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (end != text && strcmp(end, units[i].unit) == 0) {
            *metres *= units[i].metres;
            return *metres >= 1e-3 && *metres <= 10;
        }
    return false;
}

static bool parse_id(int *id, const char **text)
{
    char *end;
    long value = strtol(*text, &end, 10);
    *id = (int)value;
    if (end == *text || value < 0 || value > 65535)
        return false;
    *text = end;
    return true;
}

/* 0.03, 12=0.05 or 20-31=50mm */
static bool parse_size(pov_survey_config *config, const char *text)
{
    if (!strchr(text, '='))
        return parse_length(&config->edge_m, text);
    if (config->edge_len == POV_SURVEY_EDGE_MAX)
        return false;
    pov_survey_edge *edge = &config->edges[config->edge_len++];
    if (!parse_id(&edge->first_id, &text))
        return false;
    edge->last_id = edge->first_id;
    if (*text == '-') {
        text++;
        if (!parse_id(&edge->last_id, &text) || edge->last_id < edge->first_id)
            return false;
    }
    return *text == '=' && parse_length(&edge->edge_m, text + 1);
}

pov_status pov_tag_size_take(void *config, const char *text)
{
    if (parse_size(config, text))
        return pov_ok();
    return pov_error("takes a length from 1 mm to 10 m (0.03, 30mm), or such a one for some tags "
                     "(12=0.03, 20-31=30mm; %d of these at most), not '%s'",
                     POV_SURVEY_EDGE_MAX, text);
}

pov_status pov_tag_fix_take(void *value, const char *text)
{
    pov_survey_config *config = value;
    const char *end = text;
    config->has_fixed = parse_id(&config->fixed_id, &end) && !*end;
    return config->has_fixed ? pov_ok() : pov_error("takes the number of a tag, not '%s'", text);
}

pov_status pov_carried_take(void *value, const char *text)
{
    pov_carried_list *list = value;
    pov_carried carried;
    const char *end = text;
    bool is_good = parse_id(&carried.first_id, &end);
    carried.last_id = carried.first_id;
    if (is_good && *end == '-') {
        end++;
        is_good = parse_id(&carried.last_id, &end) && carried.last_id >= carried.first_id;
    }
    if (!is_good || *end || list->len == POV_CARRIED_MAX)
        return pov_error(
            "takes the number of a tag, or a range of them (100-111), %d times at most, not '%s'",
            POV_CARRIED_MAX, text);
    list->carried[list->len++] = carried;
    return pov_ok();
}
