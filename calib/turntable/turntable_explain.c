/* What is wrong with a turntable's images, in words. */
#include "calib/turntable/turntable_calibration_internal.h"

static int count_fate(const pov_turntable_calibration *c, pov_turn_fate fate)
{
    int len = 0;
    for (int i = 0; i < c->report.image_len; i++)
        len += c->images[i].fate == fate;
    return len;
}

static pov_status undefined(const char *why)
{
    return pov_status_with(POV_UNDEFINED, "%s", why);
}

/* Tags are there, but none turns. */
static bool none_turns(const pov_turntable_calibration *c)
{
    int turning = 0;
    for (int t = 0; t < c->problem.tag_len; t++)
        turning += c->problem.tags[t].on_disc && c->start->turns[t];
    return turning == 0 && c->report.left_out_len > 0;
}

pov_status pov_turntable_explain_too_few(const pov_turntable_calibration *c)
{
    const int len = c->report.image_len, no_camera = count_fate(c, POV_TURN_IMAGE_NO_CAMERA),
              no_tag = count_fate(c, POV_TURN_IMAGE_NO_TAG), apart = count_fate(c, POV_TURN_IMAGE_APART);
    if (len < POV_TURN_IMAGE_MIN)
        return pov_status_with(POV_UNDEFINED,
                               "%d image%s; take 12 or more while the table turns, %d at least", len,
                               len == 1 ? "" : "s", POV_TURN_IMAGE_MIN);
    if (no_camera * 2 >= len)
        return pov_status_with(
            POV_UNDEFINED,
            "in %d of %d images the camera's pose is not known: they show no tag of the map, or one alone "
            "and far; show more tags that are fixed to the table",
            no_camera, len);
    if (none_turns(c))
        return undefined(
            "no tag turns from image to image: turn the table between them, and let the tags of the map stay "
            "where they are");
    if (no_tag * 2 >= len)
        return pov_status_with(
            POV_UNDEFINED,
            "%d of %d images show no tag on the disc; put a ring of tags on it (pov tags ring) and say "
            "which they are (--ring, --edge), of a family that the station looks for",
            no_tag, len);
    if (apart > 0)
        return pov_status_with(POV_UNDEFINED,
                               "%d of %d images share no tag with the others; turn by less between them",
                               apart, len);
    return undefined("the tags that move do not go round one axis: glue them to the disc, and let the tags "
                     "of the map stay "
                     "where they are");
}
