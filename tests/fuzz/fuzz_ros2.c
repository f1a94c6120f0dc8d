/* A message of ROS 2 from anybody, read as each type that pov takes: the first byte chooses. */
#include "firmware/ros2/ros2_source.h"
#include "perception/tracking/frame_tree.h"
#include "protocol/ros2/ros2_read.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void convert(const pov_ros2_raw_image *image)
{
    uint8_t *rgb = malloc(3 * (size_t)image->width_px * (size_t)image->height_px);
    if (!rgb)
        return;
    pov_ros2_image_to_rgb(rgb, image);
    free(rgb);
}

/* What is called valid is a rotation, and finite. */
static void check_transform(const pov_transform *T)
{
    if (!pov_rot_is_valid(T->R, 1e-9) || !isfinite(T->t_m.x + T->t_m.y + T->t_m.z))
        abort();
}

static void take_transform(void *tree, const pov_ros2_transform *told)
{
    pov_frame_place place;
    if (!told->is_valid)
        return;
    check_transform(&told->T_parent_child);
    (void)pov_frame_tree_add(tree, &(pov_frame_told){told->header.frame, told->child, told->T_parent_child,
                                                     told->header.stamp_ns, told->header.stamp_ns % 2 == 0});
    (void)pov_frame_tree_find(tree, &place, "map", told->child, told->header.stamp_ns - 1).code;
    (void)pov_frame_tree_newest(tree, "map", told->child);
}

static void take_detection(void *context, const pov_ros2_detection *found)
{
    (void)context;
    if (found->is_valid)
        check_transform(&found->T_frame_box);
    for (int i = 0; found->has_cov && i < 6; i++)
        if (!(found->cov[i][i] >= 0))
            abort();
}

static void read_transforms(const uint8_t *bytes, size_t length)
{
    pov_frame_tree *tree = pov_frame_tree_new(1000);
    if (tree)
        (void)pov_ros2_read_transforms(take_transform, tree, bytes, length).code;
    pov_frame_tree_destroy(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_ros2_pose pose;
    pov_ros2_raw_image image;
    pov_ros2_coded_image coded;
    pov_camera camera;
    const char *text;
    size_t text_len;
    if (length == 0)
        return 0;
    char name[2 * POV_ROS2_TEXT_CAPACITY];
    switch (bytes[0] % 9) {
    case 0:
        if (pov_ros2_read_image(&image, bytes + 1, length - 1).code == POV_OK)
            convert(&image);
        break;
    case 1:
        if (pov_ros2_read_compressed(&coded, bytes + 1, length - 1).code == POV_OK && coded.len > length)
            abort();
        break;
    case 2:
        if (pov_ros2_lens_of(&camera, bytes + 1, length - 1).code == POV_OK && !(camera.fx_px > 0))
            abort();
        break;
    case 3:
        (void)pov_ros2_read_node(name, bytes + 1, length - 1).code;
        break;
    case 5:
        read_transforms(bytes + 1, length - 1);
        break;
    case 6:
        if (pov_ros2_read_pose(&pose, bytes + 1, length - 1).code == POV_OK)
            check_transform(&pose.T_frame_pose);
        break;
    case 7:
        (void)pov_ros2_read_detections(take_detection, NULL, bytes + 1, length - 1).code;
        break;
    case 8:
        free(pov_ros2_read_ask(bytes + 1, length - 1));
        break;
    default:
        if (pov_ros2_read_string(&text, &text_len, bytes + 1, length - 1).code == POV_OK && text_len > length)
            abort();
    }
    return 0;
}
