/** Which way a person's arm points, from the joints of the body in an image. Pure. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/models/detection.h"
#include "perception/scene/scene.h"
#include "perception/status.h"

/** Joints in the order of COCO (Lin 2014), as MoveNet, RTMPose and Ultralytics give them; further ones are not used. */
enum {
    POV_JOINT_LEFT_EYE = 1,
    POV_JOINT_RIGHT_EYE = 2,
    POV_JOINT_LEFT_SHOULDER = 5, /* the right one, and so for the next, is one further */
    POV_JOINT_LEFT_ELBOW = 7,
    POV_JOINT_LEFT_WRIST = 9,
    POV_JOINTS = 17
};

/** Of a person who may sit. */
typedef struct {
    double height_m;  /* standing: limbs are shares of it */
    double crown_z_m; /* where the crown is, in the table frame */
} pov_stature;

/** Sets entity->arms_seen and entity->pointing.
 *  In: entity: placed, with its heading.
 *  Out: arms_seen if both arms are seen, or one that points. An arm points if it is straight in the image and not lowered; one that comes
 *  almost straight toward the camera, or goes straight away from it, counts as not seen.
 *  Method: the ray from the eye through the fingertip, seen from above. The wrist is where its line of sight meets the sphere that a straight
 *  arm reaches, in up to two places: the body's heading weighs them. Not the forearm's line, which misses by more (Nickel & Stiefelhagen
 *  2003 compare both). The deviation adds errors of the joints, of the arm's length and of where people point. No allocation. */
void pov_arm_pointing(pov_entity *entity, const pov_keypoint joints[POV_JOINTS], const pov_stature *stature,
                      const pov_camera *camera, const pov_pose *T_table_camera);
