#include "firmware/comparison/question_marks.h"

#include "firmware/picture/annotate.h"
#include "firmware/picture/picture_marks.h"

#include <stdio.h>

void pov_seen_boxes_find(pov_seen_boxes *boxes, const pov_observation *observation, const pov_camera *camera)
{
    *boxes =
        (pov_seen_boxes){.width_px = observation->image.width_px, .height_px = observation->image.height_px};
    if (!camera || pov_camera_hash(camera) != observation->image.calibration_hash)
        return;
    const pov_annotation seen = {.camera = camera, .observation = observation};
    boxes->len = observation->scene.len;
    for (pov_id id = 0; id < boxes->len; id++)
        boxes->known[id] = pov_overlay_box(&boxes->box[id], &seen, id);
}

static pov_picture_mark mark_of(const pov_seen_boxes *boxes, const pov_scene *scene, pov_id id,
                                pov_mark_role role, bool is_flipped)
{
    const pov_pixel_box *box = &boxes->box[id];
    pov_picture_mark mark = {role,
                             box->left_px / boxes->width_px,
                             box->top_px / boxes->height_px,
                             box->right_px / boxes->width_px,
                             box->bottom_px / boxes->height_px,
                             ""};
    if (is_flipped) {
        const double left = mark.left;
        mark.left = 1 - mark.right;
        mark.right = 1 - left;
    }
    snprintf(mark.name, sizeof mark.name, "%s", scene->entities[id].name);
    return mark;
}

static pov_mark_role role_of(const pov_question *question, pov_id id)
{
    return id == question->referent  ? POV_MARK_REFERENT
           : id == question->relatum ? POV_MARK_RELATUM
           : id == question->viewer  ? POV_MARK_VIEWER
                                     : POV_MARK_THING;
}

char *pov_question_marks(const pov_seen_boxes *boxes, const pov_scene *scene, const pov_question *question)
{
    pov_picture_mark marks[POV_PICTURE_MARK_MAX];
    int len = 0, asked_len = 0;
    for (int role = 0; role < POV_MARK_ROLES; role++) { /* those that are asked about come first */
        for (pov_id id = 0; id < boxes->len && len < POV_PICTURE_MARK_MAX; id++)
            if (boxes->known[id] && role_of(question, id) == (pov_mark_role)role)
                marks[len++] = mark_of(boxes, scene, id, (pov_mark_role)role, question->is_flipped);
        asked_len = role < POV_MARK_THING ? len : asked_len;
    }
    return asked_len > 0 ? pov_picture_marks_write(marks, len) : NULL;
}
