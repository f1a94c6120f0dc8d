#include "firmware/demo/command_demo_balls.h"

#include "config/files/write_file.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/picture/image_file.h"
#include "firmware/progress.h"
#include "firmware/simulate/simulator.h"

#include <stdio.h>

enum { WIDTH_PX = POV_DEMO_BALLS_WIDTH_PX, HEIGHT_PX = POV_DEMO_BALLS_HEIGHT_PX };

static const double focal_px = 850, radius_m = 0.10, orbit_m = 0.45; /* the demo's stage; chosen */
static const pov_vec3 eye_m = {1.5, 0, 0.85}, aim_m = {0, 0, 0.08};

pov_camera pov_demo_balls_camera(void)
{
    return (pov_camera){.lens = POV_LENS_BROWN_CONRADY,
                        .width_px = WIDTH_PX,
                        .height_px = HEIGHT_PX,
                        .fx_px = focal_px,
                        .fy_px = focal_px,
                        .cx_px = (WIDTH_PX - 1) / 2.0,
                        .cy_px = (HEIGHT_PX - 1) / 2.0,
                        .distortion = {-0.12, 0.05, 0.0005, -0.0003, 0}};
}

double pov_demo_balls_azimuth_deg(int i, int len)
{
    return 360.0 * i / len;
}

/* The sensor adds noise as a camera in a bright room does; colours are those that the station's finder looks for. */
static pov_status write_world(const char *folder, int len)
{
    char path[POV_PATH_CAPACITY];
    pov_write_file file;
    snprintf(path, sizeof path, "%s/world.yaml", folder);
    POV_TRY(pov_write_file_begin(&file, path));
    fprintf(file.stream,
            "about: written by 'pov demo' - a red ball circles a blue one\n"
            "images: %d\n"
            "camera: {calibration: camera.yaml, position_m: [%g, %g, %g], look_at_m: [%g, %g, %g]}\n"
            "surface: {size_m: [40, 40], color: \"#aca8a3\"}\n"
            "lighting: {lamp_m: [0.5, -0.5, 6], lamp_radius_m: 1.2, lamp_strength: 0.5, ambient: 0.3}\n"
            "sensor: {shot_noise: true, read_noise_e: 5}\n"
            "things:\n"
            "  - {id: red_ball, class: red ball, position_m: [%g, 0], size_m: %g, color: \"#d7281e\"}\n"
            "  - {id: blue_ball, class: blue ball, position_m: [0, 0], size_m: %g, color: \"#2846d2\"}\n"
            "motion: {orbit: {thing: red_ball, about: blue_ball}, steps: %d, period_s: 12}\n",
            len, eye_m.x, eye_m.y, eye_m.z, aim_m.x, aim_m.y, aim_m.z, orbit_m, 2 * radius_m, 2 * radius_m,
            len);
    return pov_write_file_end(&file, pov_ok());
}

static pov_status draw_images(const char *images_folder, pov_simulator *simulator, int len)
{
    pov_progress progress = pov_progress_start(stderr, "images", len, pov_clock_monotonic_ns());
    pov_status status = pov_ok();
    for (int i = 0; i < len && status.code == POV_OK && !pov_cli_stop_requested(); i++) {
        char path[POV_PATH_CAPACITY + 32];
        pov_image image;
        snprintf(path, sizeof path, "%s/" POV_IMAGE_SIMULATED "_%03d.png", images_folder, i);
        status = pov_simulator_take(simulator, &image, i);
        if (status.code == POV_OK)
            status = pov_image_file_write_png(path, &image);
        pov_progress_update(&progress, i + 1, pov_clock_monotonic_ns());
    }
    pov_progress_finish(&progress, len, pov_clock_monotonic_ns());
    return status;
}

pov_status pov_demo_balls_draw(const char *folder, int len)
{
    char world[POV_PATH_CAPACITY], images[POV_PATH_CAPACITY];
    pov_simulator *simulator;
    snprintf(world, sizeof world, "%s/world.yaml", folder);
    snprintf(images, sizeof images, "%s/images", folder);
    POV_TRY(write_world(folder, len));
    POV_TRY(pov_simulator_new(&simulator, &(pov_simulator_config){.world = world}));
    const pov_status status = draw_images(images, simulator, len);
    pov_simulator_destroy(&simulator);
    return status;
}

static pov_status write_calibration(const char *folder)
{
    char path[POV_PATH_CAPACITY];
    pov_write_file file;
    snprintf(path, sizeof path, "%s/camera.yaml", folder);
    POV_TRY(pov_write_file_begin(&file, path));
    const pov_camera c = pov_demo_balls_camera();
    fprintf(
        file.stream,
        "# The simulated camera of 'pov demo'.\nimage_width: %d\nimage_height: %d\ncamera_name: simulated\n"
        "camera_matrix: {rows: 3, cols: 3, data: [%.17g, 0, %.17g, 0, %.17g, %.17g, 0, 0, 1]}\n"
        "distortion_model: plumb_bob\n"
        "distortion_coefficients: {rows: 1, cols: 5, data: [%.17g, %.17g, %.17g, %.17g, %.17g]}\n",
        c.width_px, c.height_px, c.fx_px, c.cx_px, c.fy_px, c.cy_px, c.distortion[0], c.distortion[1],
        c.distortion[2], c.distortion[3], c.distortion[4]);
    return pov_write_file_end(&file, pov_ok());
}

pov_status pov_demo_balls_write_station(const char *folder)
{
    char path[POV_PATH_CAPACITY];
    pov_write_file file;
    POV_TRY(write_calibration(folder));
    snprintf(path, sizeof path, "%s/station.yaml", folder);
    POV_TRY(pov_write_file_begin(&file, path));
    fprintf(file.stream,
            "about: written by 'pov demo' - a red ball circles a blue one; simulated\n"
            "camera:\n"
            "  source: folder\n"
            "  folder: {path: images}\n"
            "  calibration: camera.yaml\n"
            "  pose:\n"
            "    position_m: [%g, %g, %g]\n"
            "    look_at_m: [%g, %g, %g]\n"
            "cast:\n"
            "  - id: red_ball\n"
            "    class: ball\n"
            "    found_by: ball\n"
            "    ball: {color: red, radius_m: %g}\n"
            "  - id: blue_ball\n"
            "    class: ball\n"
            "    found_by: ball\n"
            "    ball: {color: blue, radius_m: %g}\n"
            "judge:\n"
            "  pairs: [[red_ball, blue_ball]]\n",
            eye_m.x, eye_m.y, eye_m.z, aim_m.x, aim_m.y, aim_m.z, radius_m, radius_m);
    return pov_write_file_end(&file, pov_ok());
}
