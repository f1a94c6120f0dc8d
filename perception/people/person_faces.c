/* Faces that a network found, and their people. */
#include "perception/people/person_detector_internal.h"

#include <math.h>

/* The square about eyes, nose and mouth that person_place.c knows, in millimetres: the cascades' window, a ninth of a man's height, whose
 * middle lies half-way from the eyes to the mouth. */
static const double window_mm = 190;

static pov_pixel_box square_at(double x, double y, double side)
{
    return (pov_pixel_box){x - side / 2, y - side / 2, x + side / 2, y + side / 2};
}

/* Of points 0 and 1, the eyes, and 3 and 4, the mouth. */
static pov_pixel_box window_of_head(const pov_person *person, const pov_detection *face)
{
    double x = 0, y = 0;
    for (int k = 0; k < POV_FACE_POINTS; k++)
        if (k != 2) {
            x += (double)face->keypoints[k].x_px / 4;
            y += (double)face->keypoints[k].y_px / 4;
        }
    return square_at(x, y, window_mm / person->head.mm_px);
}

/* Of a face that the image's rim cuts, networks put the points together in what shows. Three quarters of a face's height from its middle to
 * the sides and below are chosen; hair may be cut. */
static bool is_face_in_view(const pov_person_detector *d, const pov_pixel_box *face)
{
    const double reach_px = 0.75 * (face->bottom_px - face->top_px),
                 x_px = 0.5 * (face->left_px + face->right_px);
    return x_px > reach_px && x_px + reach_px < d->width_px &&
           0.5 * (face->top_px + face->bottom_px) + reach_px < d->height_px;
}

/* Score of a face without a body, beside a network of bodies, from which it is a person; chosen: likelier than not, if that network misses one
 * in five bodies and a score is the probability of a face: 0.2 s > 1 - s. Hands and blurred crowds are found with 0.5 to 0.8. */
static const double lone_face_score_min = 1 / 1.2;

static void take_face(const pov_person_detector *d, pov_people *people, const pov_body_boxes *boxes,
                      const pov_detection *face)
{
    if (boxes->found && face->score < lone_face_score_min && !person_with_head_at(people, face->box))
        return;
    pov_person *person = person_is_masked(d, face->box) ? NULL : person_owning_face(people, face->box);
    if (!person || person->has_face)
        return;
    person->has_face = person->face_by_network = true;
    person->face_score = face->score;
    person->has_head = face->keypoint_len == POV_FACE_POINTS && is_face_in_view(d, &face->box) &&
                       pov_head_pose_estimate(&person->head, face->keypoints) == POV_OK;
    if (!person->has_body)
        person->score = face->score;
    person->face = person->has_head ? window_of_head(person, face)
                                    : square_at((face->box.left_px + face->box.right_px) / 2,
                                                (face->box.top_px + face->box.bottom_px) / 2,
                                                face->box.bottom_px - face->box.top_px);
}

/* ---- would a face have been found? ---- */

/* Where the head is, if the body stands or sits upright. */
static pov_pixel_box head_of(const pov_pixel_box *body)
{
    const double tall_px = body->bottom_px - body->top_px, wide_px = body->right_px - body->left_px;
    const double head_px = fmin(wide_px, 1.5 * face_share * tall_px),
                 x = (body->left_px + body->right_px) / 2;
    return (pov_pixel_box){x - head_px / 2, body->top_px, x + head_px / 2, body->top_px + head_px};
}

static bool overlap(const pov_pixel_box *a, const pov_pixel_box *b)
{
    return a->left_px < b->right_px && b->left_px < a->right_px && a->top_px < b->bottom_px &&
           b->top_px < a->bottom_px;
}

/* Within the image with a fiftieth to spare: a box ends at the rim, or short of it, where the body is cut. And nobody else before it. */
static bool is_head_in_view(const pov_person_detector *d, const pov_people *people, const pov_person *person)
{
    const double slack_px = (person->body.bottom_px - person->body.top_px) / 50;
    const pov_pixel_box head = head_of(&person->body), *body = &person->body;
    if (body->left_px < slack_px || body->top_px < slack_px || body->right_px > d->width_px - slack_px)
        return false;
    for (int i = 0; i < people->len; i++) {
        const pov_person *other = &people->persons[i];
        if (other != person && overlap(&head, other->has_body ? &other->body : &other->face))
            return false;
    }
    return true;
}

void person_take_faces(const pov_person_detector *d, pov_people *people, const pov_body_boxes *boxes)
{
    for (int i = 0; i < boxes->faces->len; i++)
        if (boxes->faces->detections[i].class_index == boxes->face_class)
            take_face(d, people, boxes, &boxes->faces->detections[i]);
    for (int i = 0; i < people->len; i++) {
        pov_person *person = &people->persons[i];
        person->face_resolved =
            person->has_face ||
            (face_share * (person->body.bottom_px - person->body.top_px) > boxes->face_least_px &&
             is_head_in_view(d, people, person));
    }
}
