#include "calib/tags/tag_survey_internal.h"

#include <string.h>

static void keep(pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++)
        s->kept[t].T_table_tag = s->tags[t].entry.T_table_tag;
    for (int v = 0; v < s->report.view_len; v++)
        s->kept_camera[v] = s->views[v].T_table_camera;
}

static void put_back(pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++)
        s->tags[t].entry.T_table_tag = s->kept[t].T_table_tag;
    for (int v = 0; v < s->report.view_len; v++)
        s->views[v].T_table_camera = s->kept_camera[v];
}

/* Where tags would be by this camera: squared distance from where they are. */
static void add_departure(pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++) {
        double off[6];
        pov_transform_minus(off, s->tags[t].entry.T_table_tag.T, s->kept[t].T_table_tag.T);
        for (int i = 0; i < 36; i++)
            s->kept[t].by_lens[i / 6][i % 6] += off[i / 6] * off[i % 6];
    }
}

void pov_survey_widen(pov_tag_survey *s)
{
    const pov_camera calibrated = s->config.camera;
    pov_lens_spread spread;
    pov_lens_spread_make(&spread, &calibrated, &s->config.lens);
    memset(s->kept, 0, sizeof s->kept);
    keep(s);
    for (int k = 0; k < spread.len; k++) {
        s->config.camera = spread.cameras[k];
        if (pov_survey_fit(s))
            add_departure(s);
        put_back(s);
    }
    s->config.camera = calibrated;
    for (int t = 0; t < s->report.tag_len; t++)
        for (int i = 0; i < 36 && spread.len > 0; i++)
            s->tags[t].entry.T_table_tag.cov[i / 6][i % 6] += s->kept[t].by_lens[i / 6][i % 6];
}
