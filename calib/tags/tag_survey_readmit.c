#include "calib/tags/tag_survey_internal.h"
#include "perception/geometry/readmission.h"

#include <math.h>

static pov_survey_sighting *sightings_of(pov_tag_survey *s, int view)
{
    return &s->sightings[s->views[view].first_sighting];
}

static bool may_be_used(const pov_tag_survey *s, const pov_survey_sighting *seen)
{
    return s->placed[seen->tag] && !seen->is_twice;
}

/* Marks those of an image's outliers that fit the map; of an image that was dropped, what agrees on a place of the camera. */
static void mark_fitting(pov_tag_survey *s, int v)
{
    pov_survey_view *view = &s->views[v];
    pov_survey_sighting *seen = sightings_of(s, v);
    if (view->used_len == 0) {
        pov_survey_locate_view(s, v);
        return;
    }
    for (int i = 0; i < view->seen_len; i++) {
        const bool fits = !seen[i].used && may_be_used(s, &seen[i]) && pov_survey_fits(s, &seen[i]);
        seen[i].used |= fits;
        view->used_len += fits;
    }
}

/* As it was before mark_fitting. */
static void restore_marks(pov_tag_survey *s, int v, const bool *was_used, int used_len)
{
    for (int i = 0; i < s->views[v].seen_len; i++)
        sightings_of(s, v)[i].used = was_used[i];
    s->views[v].used_len = used_len;
}

static int keep_marks(bool was_used[POV_TAG_MAX], pov_tag_survey *s, int v)
{
    for (int i = 0; i < s->views[v].seen_len; i++)
        was_used[i] = sightings_of(s, v)[i].used;
    return s->views[v].used_len;
}

/* The mean distance of what would be taken back. */
static double find_misfit(void *context, int v)
{
    pov_tag_survey *s = context;
    bool was_used[POV_TAG_MAX];
    double sum = 0;
    int len = 0, left = 0;
    for (int i = 0; i < s->views[v].seen_len; i++)
        left += may_be_used(s, &sightings_of(s, v)[i]);
    const int used_len = keep_marks(was_used, s, v);
    if (left == used_len || left < pov_survey_tags_min(s))
        return INFINITY;
    mark_fitting(s, v);
    for (int i = 0; i < s->views[v].seen_len; i++)
        if (sightings_of(s, v)[i].used && !was_used[i]) {
            sum += pov_survey_distance2(s, &sightings_of(s, v)[i]);
            len++;
        }
    restore_marks(s, v, was_used, used_len);
    return len > 0 ? sum / len : INFINITY;
}

/* Unmarks what was taken back and does not fit. Returns how many of it are left. */
static int unmark_misfits(pov_tag_survey *s, int v, const bool *was_used)
{
    pov_survey_sighting *seen = sightings_of(s, v);
    int kept = 0, lost = 0;
    for (int i = 0; i < s->views[v].seen_len; i++) {
        if (!seen[i].used || was_used[i])
            continue;
        seen[i].used = pov_survey_fits(s, &seen[i]);
        kept += seen[i].used;
        lost += !seen[i].used;
    }
    s->views[v].used_len -= lost;
    return kept;
}

static bool take_back(void *context, int v)
{
    pov_tag_survey *s = context;
    bool was_used[POV_TAG_MAX];
    const int used_len = keep_marks(was_used, s, v);
    mark_fitting(s, v);
    const bool fitted = pov_survey_fit(s);
    const int marked_len = s->views[v].used_len, kept = fitted ? unmark_misfits(s, v, was_used) : 0;
    const bool taken = kept > 0 && s->views[v].used_len >= pov_survey_tags_min(s);
    if (!taken)
        restore_marks(s, v, was_used, used_len);
    if (!taken || s->views[v].used_len < marked_len)
        (void)pov_survey_fit(s);
    return taken;
}

int pov_survey_readmit(pov_tag_survey *s)
{
    bool is_tried[POV_SURVEY_VIEW_MAX];
    const pov_readmission readmission = {s, s->report.view_len, find_misfit, take_back};
    return pov_readmit(is_tried, &readmission);
}
