/** One scene of several cameras, each of which has followed the things by itself. Pure.
 *
 *  Each camera's places are carried to the instant of the newest image, and enter one estimate with all their covariances. The error
 *  of a camera's pose is one unknown of that camera, common to all that it sees: what two cameras both see corrects both poses,
 *  and with them the places of what only one sees. The cameras' other errors are taken to be independent, but for heights,
 *  which are often known beforehand, and then to all alike.
 *
 *  Cameras that contradict one another are not mixed. The one whose things have all jumped, or that all others contradict, is left
 *  out until it agrees again; if neither can be told, each camera's image stands for itself, and its pose is as unsure as the two
 *  are apart. */
#pragma once

#include "perception/cast/cast.h"

typedef struct pov_scene_fusion pov_scene_fusion;

/** Keeps a copy of the cast. cameras: POV_CAMERA_MAX at most. */
pov_scene_fusion *pov_scene_fusion_new(const pov_cast *cast, int cameras);
void pov_scene_fusion_destroy(pov_scene_fusion **fusion);

/** This camera's pose is only stated: it does not count before another camera has looked, for a second at most. */
void pov_scene_fusion_hold(pov_scene_fusion *fusion, int camera);

/** This camera's images cannot be another's: it has no cable that could be swapped. */
void pov_scene_fusion_fix(pov_scene_fusion *fusion, int camera);

/** How well this camera's times are known beside what its driver holds back, one standard deviation: those of another machine. NaN: as the
 *  others'. */
void pov_scene_fusion_clock(pov_scene_fusion *fusion, int camera, double std_s);

/** What this camera saw is no longer known. */
void pov_scene_fusion_forget(pov_scene_fusion *fusion, int camera);

/** Turns the scene of one camera's newest image, as pov_scene_tracker_run leaves it, into the scene of all cameras at that time.
 *  In/out:  scene; T_table_camera: NULL where it is not known, else the pose, which the others' views correct.
 *  Out:     renamed[i]: what entity i has become.
 *  Returns: false: this camera is left out, so that its pose is not known; the scene is the others', without a camera. */
bool pov_scene_fusion_run(pov_scene_fusion *fusion, pov_scene *scene, pov_pose *T_table_camera,
                          pov_id renamed[POV_ENTITY_MAX], int camera, int64_t now_ns);

/** What the other cameras say of one. */
typedef enum {
    POV_FUSION_AGREES,
    POV_FUSION_MOVED,   /* it is elsewhere than its pose says */
    POV_FUSION_LATE,    /* its clock differs */
    POV_FUSION_LENS,    /* its focal length differs from its calibration's */
    POV_FUSION_SWAPPED, /* it shows what another camera is said to see, and that one what it is said to see */
    POV_FUSION_UNLIKE, /* no move and no clock explains it: another lens, a mirrored image, another camera's images */
    POV_FUSION_UNDECIDED, /* two contradict each other, and nothing tells which is right */
    POV_FUSION_VERDICTS
} pov_fusion_verdict;

typedef struct {
    pov_fusion_verdict verdict;
    bool left_out;
    bool
        is_one_of_several; /* POV_FUSION_UNLIKE: a move and another lens, or a clock, explain it alike; POV_FUSION_SWAPPED: so do others */
    int other;             /* the camera that it contradicts (POV_FUSION_UNDECIDED), or is swapped with */
    int things;            /* that it and others see */
    double apart_m;        /* root mean square distance of these from where the others see them */
    double move[6]; /* (rot_rad, pos_m) that brings it to where the others have it; 0: none was found */
    double moved_m, turned_rad; /* POV_FUSION_MOVED, POV_FUSION_UNDECIDED; else NaN */
    double zoom;                /* POV_FUSION_LENS: the true focal length over the calibration's */
    double late_s;              /* POV_FUSION_LATE: how far its images were taken before they say */
} pov_fusion_report;

/** After half a second of contradiction; it holds until the camera has agreed for as long. */
pov_fusion_report pov_scene_fusion_report(const pov_scene_fusion *fusion, int camera);
