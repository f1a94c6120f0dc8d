#include "perception/tags/tag_reconcile.h"

#include <math.h>
#include <string.h>

enum { NUMBERS = 8 }; /* a tag's */

static const double STRAY_PX = 200; /* a stray's corners lie anywhere so near, each way */

static int count(const pov_camera_pose *pose, const pov_tags *tags, pov_tag_fate fate)
{
    int len = 0;
    for (int i = 0; i < tags->len; i++)
        len += pose->fate[i] == fate;
    return len;
}

/* -2 log likelihood of the mapped tags, up to what every pose has in common. */
static double cost(const pov_camera_pose *pose, const pov_tags *tags, double std_px)
{
    const double used = count(pose, tags, POV_TAG_USED), stray = count(pose, tags, POV_TAG_REJECTED);
    const double log_noise = 2 * NUMBERS * log(std_px) + NUMBERS * log(2 * POV_PI);
    const double misfit = used > 0 ? 4 * used * pow(pose->rms_px / std_px, 2) : 0;
    return misfit + used * log_noise + stray * 2 * NUMBERS * log(2 * STRAY_PX);
}

static void set_std(pov_tags *tags, const pov_camera_pose *pose, const pov_tags *said, double times)
{
    for (int i = 0; i < tags->len; i++)
        if (pose->fate[i] != POV_TAG_NOT_IN_MAP)
            tags->tags[i].corner_std_px = times * said->tags[i].corner_std_px;
}

bool pov_camera_pose_reconcile(pov_camera_pose *pose, pov_tags *tags, const pov_camera *camera,
                               const pov_tag_map *map)
{
    static const double times[] = {2, 4, 8};
    if (count(pose, tags, POV_TAG_REJECTED) == 0)
        return false;
    const pov_tags said = *tags;
    const double std_px = said.tags[0].corner_std_px, before = cost(pose, tags, std_px);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        pov_camera_pose tried;
        set_std(tags, pose, &said, times[i]);
        if (pov_camera_pose_estimate(&tried, camera, tags, map) != POV_OK ||
            count(&tried, tags, POV_TAG_REJECTED) > 0)
            continue;
        if (!(cost(&tried, tags, times[i] * std_px) < before))
            break;
        *pose = tried;
        return true;
    }
    *tags = said;
    return false;
}
