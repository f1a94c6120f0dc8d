#include "firmware/run/camera_trouble.h"

#include <stdio.h>

const char *const pov_camera_unwitnessed =
    "looks at the table like another camera from another side, so that swapped cables would not show: its "
    "images "
    "are not used before a camera has seen a mapped tag where it should be";

bool pov_camera_trouble_text(char text[POV_TROUBLE_CAPACITY], const pov_fusion_report *report,
                             const char *other)
{
    const double moved_mm = 1e3 * report->moved_m, turned_deg = report->turned_rad / POV_DEG;
    switch (report->verdict) {
    case POV_FUSION_MOVED:
        snprintf(
            text, POV_TROUBLE_CAPACITY,
            "has moved: %.0f mm, %.1f degrees from where its pose says, by %d things that others see, too; "
            "the scene does without it. Measure its pose again",
            moved_mm, turned_deg, report->things);
        return true;
    case POV_FUSION_LATE:
        snprintf(text, POV_TROUBLE_CAPACITY,
                 "has a clock of its own: its images were taken %.0f ms %s than they say; the scene does "
                 "without it",
                 1e3 * (report->late_s < 0 ? -report->late_s : report->late_s),
                 report->late_s > 0 ? "later" : "earlier");
        return true;
    case POV_FUSION_LENS:
        snprintf(
            text, POV_TROUBLE_CAPACITY,
            "has another focal length than its calibration says: %+.1f %%, by %d things that others see, "
            "too; the scene does without it. Was the zoom touched? Is the calibration another camera's?",
            100 * (report->zoom - 1), report->things);
        return true;
    case POV_FUSION_SWAPPED:
        if (report->is_one_of_several) {
            snprintf(text, POV_TROUBLE_CAPACITY,
                     "or others have cables that are swapped: %d things fit if the images of two cameras are "
                     "exchanged, but not of which two. Exchange their cables, or their sources in the "
                     "station file",
                     report->things);
            return true;
        }
        snprintf(
            text, POV_TROUBLE_CAPACITY,
            "and camera %s show each what the other should: %d things fit if their images are exchanged. "
            "Exchange their cables, or their sources in the station file",
            other, report->things);
        return true;
    case POV_FUSION_UNLIKE:
        if (report->is_one_of_several) {
            snprintf(
                text, POV_TROUBLE_CAPACITY,
                "sees %d things %.0f mm from where others do; so few cannot tell whether it has moved, has "
                "another lens or a clock of its own. The scene does without it. Measure its pose again",
                report->things, 1e3 * report->apart_m);
            return true;
        }
        snprintf(
            text, POV_TROUBLE_CAPACITY,
            "sees %d things %.0f mm from where others do, and no move explains it; the scene does without "
            "it. Is its calibration another lens's, is the image mirrored, are two cables swapped?",
            report->things, 1e3 * report->apart_m);
        return true;
    case POV_FUSION_UNDECIDED:
        snprintf(
            text, POV_TROUBLE_CAPACITY,
            "contradicts camera %s: %d things are %.0f mm apart; which of them is wrong cannot be told, so "
            "each image stands for itself. Measure both poses again",
            other, report->things, 1e3 * report->apart_m);
        return true;
    default:
        return false;
    }
}

void pov_camera_given_text(char text[POV_TROUBLE_CAPACITY], const pov_pose_offset *off)
{
    snprintf(text, POV_TROUBLE_CAPACITY,
             "is %.0f mm and %.1f degrees from its given pose, by the tags; its images are not used. Is its "
             "cable another's, has it moved, or the tags? Measure its pose again",
             1e3 * off->position_m, off->rotation_rad / POV_DEG);
}
