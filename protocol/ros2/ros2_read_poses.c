#include "perception/geometry/quaternion.h"
#include "protocol/ros2/ros2_read_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what messages share ---- */

void pov_ros2_take_word(pov_cdr_reader *r, char word[POV_ROS2_TEXT_CAPACITY])
{
    size_t len;
    const char *text = pov_cdr_take_text(r, &len);
    const bool fits = len < POV_ROS2_TEXT_CAPACITY && !memchr(text, '\0', len);
    memcpy(word, text, fits ? len : 0);
    word[fits ? len : 0] = '\0';
}

void pov_ros2_take_header(pov_cdr_reader *r, pov_ros2_header *header)
{
    const int64_t seconds = (int32_t)pov_cdr_take_count(r);
    header->stamp_ns = seconds * 1000000000 + pov_cdr_take_count(r);
    pov_ros2_take_word(r, header->frame);
}

pov_status pov_ros2_too_short(const char *what)
{
    return pov_error("a %s does not hold what it says: it ends too early, or is no CDR", what);
}

/* A Pose, or a Transform. Returns whether it is one: its numbers are finite, its quaternion has length 1 within 1 % (as tf2 has it). */
static bool take_transform(pov_cdr_reader *r, pov_transform *T)
{
    static const double loose = 0.01;
    double at[7], norm2 = 0;
    bool is_finite = true;
    pov_cdr_take_numbers(r, at, 7);
    for (int i = 0; i < 7; i++)
        is_finite &= isfinite(at[i]) != 0;
    for (int i = 3; i < 7; i++)
        norm2 += at[i] * at[i];
    *T = pov_transform_identity();
    if (r->failed || !is_finite || !(fabs(sqrt(norm2) - 1) < loose))
        return false;
    T->R = pov_rot_of_quaternion(at + 3);
    T->t_m = (pov_vec3){at[0], at[1], at[2]};
    return true;
}

/* Of position and then rotation, row by row. Returns whether there is one: its diagonal is finite, none of it negative, and not all zero. */
static bool take_covariance(pov_cdr_reader *r, double cov[6][6])
{
    double numbers[36], trace = 0;
    bool is_one = true;
    pov_cdr_take_numbers(r, numbers, 36);
    for (int i = 0; i < 36; i++) {
        cov[(i / 6 + 3) % 6][(i % 6 + 3) % 6] = 0.5 * (numbers[i] + numbers[i % 6 * 6 + i / 6]);
        is_one &= isfinite(numbers[i]) && (i % 7 != 0 || numbers[i] >= 0);
        trace += i % 7 == 0 ? numbers[i] : 0;
    }
    return is_one && trace > 0;
}

/* ---- transforms and poses ---- */

static bool take_stamped_transform(pov_cdr_reader *r, pov_ros2_transform *transform)
{
    pov_ros2_take_header(r, &transform->header);
    pov_ros2_take_word(r, transform->child);
    transform->is_valid = take_transform(r, &transform->T_parent_child);
    return !r->failed;
}

pov_status pov_ros2_read_transforms(void (*take)(void *context, const pov_ros2_transform *transform),
                                    void *context, const uint8_t *bytes, size_t len)
{
    pov_ros2_transform transform;
    for (int is_checked = 0; is_checked < 2; is_checked++) {
        pov_cdr_reader r = pov_cdr_read(bytes, len);
        const uint32_t count = pov_cdr_take_count(&r);
        for (uint32_t i = 0; i < count && take_stamped_transform(&r, &transform); i++)
            if (is_checked)
                take(context, &transform);
        if (r.failed)
            return pov_ros2_too_short("tf2_msgs/TFMessage");
    }
    return pov_ok();
}

pov_status pov_ros2_read_pose(pov_ros2_pose *pose, const uint8_t *bytes, size_t len)
{
    pov_cdr_reader r = pov_cdr_read(bytes, len);
    *pose = (pov_ros2_pose){.header = {0}};
    pov_ros2_take_header(&r, &pose->header);
    const bool is_valid = take_transform(&r, &pose->T_frame_pose);
    if (r.failed)
        return pov_ros2_too_short("geometry_msgs/PoseStamped");
    return is_valid ? pov_ok()
                    : pov_error("a geometry_msgs/PoseStamped whose numbers are not finite, or whose "
                                "quaternion does not have length 1");
}

/* ---- detections ---- */

/* The likeliest hypothesis counts. */
static void take_hypotheses(pov_cdr_reader *r, pov_ros2_detection *found)
{
    const uint32_t count = pov_cdr_take_count(r);
    found->score = -INFINITY;
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        char class_id[POV_ROS2_TEXT_CAPACITY];
        double cov[6][6];
        pov_transform unused;
        pov_ros2_take_word(r, class_id);
        const double score = pov_cdr_take_number(r);
        (void)take_transform(r, &unused);
        const bool has_cov = take_covariance(r, cov);
        if (!(score > found->score))
            continue;
        found->score = score;
        found->has_cov = has_cov;
        memcpy(found->cov, cov, sizeof cov);
        memcpy(found->class_id, class_id, sizeof class_id);
    }
}

static bool take_detection(pov_cdr_reader *r, pov_ros2_detection *found, const pov_ros2_header *all)
{
    double size_m[3];
    *found = (pov_ros2_detection){.has_cov = false};
    pov_ros2_take_header(r, &found->header);
    if (!*found->header.frame) /* drivers fill in the array's only */
        found->header = *all;
    take_hypotheses(r, found);
    found->is_valid = take_transform(r, &found->T_frame_box);
    pov_cdr_take_numbers(r, size_m, 3);
    found->size_m = (pov_vec3){size_m[0], size_m[1], size_m[2]};
    pov_ros2_take_word(r, found->id);
    return !r->failed;
}

pov_status pov_ros2_read_detections(void (*take)(void *context, const pov_ros2_detection *found),
                                    void *context, const uint8_t *bytes, size_t len)
{
    pov_ros2_detection found;
    for (int is_checked = 0; is_checked < 2; is_checked++) {
        pov_ros2_header all;
        pov_cdr_reader r = pov_cdr_read(bytes, len);
        pov_ros2_take_header(&r, &all);
        const uint32_t count = pov_cdr_take_count(&r);
        for (uint32_t i = 0; i < count && take_detection(&r, &found, &all); i++)
            if (is_checked)
                take(context, &found);
        if (r.failed)
            return pov_ros2_too_short("vision_msgs/Detection3DArray");
    }
    return pov_ok();
}
