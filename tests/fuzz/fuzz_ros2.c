/* A message of ROS 2 from anybody, read as each type that pov takes: the first byte chooses. */
#include "firmware/ros2/ros2_source.h"
#include "protocol/ros2/ros2_read.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_ros2_raw_image image;
    pov_ros2_coded_image coded;
    pov_camera camera;
    const char *text;
    size_t text_len;
    if (length == 0)
        return 0;
    char name[2 * POV_ROS2_TEXT_CAPACITY];
    switch (bytes[0] % 5) {
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
    default:
        if (pov_ros2_read_string(&text, &text_len, bytes + 1, length - 1).code == POV_OK && text_len > length)
            abort();
    }
    return 0;
}
