/** What seconds of images say of each camera: that it stands elsewhere than its pose says, that its clock differs, or that its lens
 *  is another one. Small faults fit into the errors of one image, and over time do not. Pure.
 *
 *  Method: one least-squares problem over all images of a fading window. Unknown are, of each camera, its pose's error, its delay and
 *  its zoom; each thing's place is eliminated. An explanation frees one camera's pose, delay or zoom, and holds all others to what is
 *  stated of them; it is accepted if it leaves no contradiction, and named if the others are much less likely. */
#pragma once

#include "perception/cast/camera_fusion.h"

typedef struct pov_camera_audit pov_camera_audit;

pov_camera_audit *pov_camera_audit_new(void);
void pov_camera_audit_destroy(pov_camera_audit **audit);

/** What was seen up to now no longer counts. */
void pov_camera_audit_forget(pov_camera_audit *audit);
/** Adds what all cameras see at one time. Solved or not. */
void pov_camera_audit_add(pov_camera_audit *audit, const pov_camera_fusion *fusion, int64_t now_ns);

typedef struct {
    bool is_fault;    /* the images contradict what is stated of the cameras, and an explanation fits */
    int camera;       /* whose; -1: cannot be told */
    bool is_one_kind; /* else several explanations fit, and the verdict is POV_FUSION_UNLIKE */
    pov_fusion_verdict verdict;
    double move[6]; /* POV_FUSION_MOVED: as in pov_fusion_report */
    double late_s;  /* POV_FUSION_LATE */
    double zoom;    /* POV_FUSION_LENS: the true focal length over the calibration's */
} pov_camera_finding;

pov_camera_finding pov_camera_audit_find(const pov_camera_audit *audit, const pov_camera_fusion *fusion);

/** How far each camera's clock may be from the others', one standard deviation: what the images of the window leave of a tenth of a
 *  second (chosen: what drivers hold back), or find. Where nothing moved that two cameras saw, they leave it all.
 *  Out:  std_s[fusion->cameras]. */
void pov_camera_audit_clocks(double std_s[POV_CAMERA_MAX], const pov_camera_audit *audit,
                             const pov_camera_fusion *fusion);
