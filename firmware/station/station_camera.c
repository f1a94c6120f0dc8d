#include "firmware/station/station_camera.h"

#include "calib/camera/intrinsics_file.h"
#include "firmware/station/station_prior.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

static const double deg = POV_PI / 180;
static const double far_m = 1e5; /* a bound for lengths, not a limit anyone meets */

static const char *const source_kinds[] = {"folder", "libcamera", "simulator"};
static_assert(sizeof source_kinds / sizeof *source_kinds == POV_SOURCE_KIND_COUNT, "one name a kind");

/* ---- where images come from ---- */

static void read_folder(pov_station_source *source, pov_yaml_node node)
{
    pov_yaml_relative_path(source->folder, sizeof source->folder, pov_yaml_get(node, "path"));
    pov_yaml_number(&source->rate_hz, pov_yaml_get(node, "rate_hz"), 0, 1000);
    pov_yaml_bool(&source->loop, pov_yaml_get(node, "loop"));
}

static void read_libcamera(pov_station_source *source, pov_yaml_node node)
{
    double size[2] = {0, 0};
    pov_yaml_copy_string(source->libcamera_id, sizeof source->libcamera_id, pov_yaml_get(node, "id"));
    pov_yaml_numbers(size, pov_yaml_get(node, "size_px"), 2, 16, POV_IMAGE_SIDE_MAX_PX);
    source->width_px = (int)size[0];
    source->height_px = (int)size[1];
    pov_yaml_copy_string(source->pixel_format, sizeof source->pixel_format,
                         pov_yaml_get(node, "pixel_format"));
    pov_yaml_number(&source->exposure_s, pov_yaml_get(node, "exposure_s"), 0, 100);
    pov_yaml_number(&source->gain, pov_yaml_get(node, "gain"), 0, 1000);
}

static void read_source(pov_station_source *source, pov_yaml_node camera)
{
    int kind = POV_SOURCE_FOLDER;
    pov_yaml_choice(&kind, pov_yaml_get(camera, "source"), source_kinds, POV_SOURCE_KIND_COUNT);
    source->kind = kind;
    snprintf(source->libcamera_id, sizeof source->libcamera_id, "any");
    snprintf(source->pixel_format, sizeof source->pixel_format, "auto");
    read_folder(source, pov_yaml_get(camera, "folder"));
    read_libcamera(source, pov_yaml_get(camera, "libcamera"));
    pov_simulator_source_read(&source->simulator, pov_yaml_get(camera, "simulator"));
}

/* ---- the lens ---- */

pov_camera pov_station_guess_camera(const pov_station *station, int width_px, int height_px)
{
    double f_px = 0.5 * width_px / tan(station->field_of_view_rad / 2);
    return (pov_camera){.lens = POV_LENS_BROWN_CONRADY,
                        .width_px = width_px,
                        .height_px = height_px,
                        .fx_px = f_px,
                        .fy_px = f_px,
                        .cx_px = 0.5 * (width_px - 1),
                        .cy_px = 0.5 * (height_px - 1)};
}

/* For pictures from unknown cameras. */
static void guess_intrinsics(pov_station *station, pov_yaml_node camera, pov_yaml_node field_of_view)
{
    double angle_deg = NAN, size[2] = {NAN, NAN};
    pov_yaml_node size_node = pov_yaml_get(camera, "size_px");
    pov_yaml_number(&angle_deg, field_of_view, 1, 170);
    pov_yaml_numbers(size, size_node, 2, 16, POV_IMAGE_SIDE_MAX_PX);
    station->field_of_view_rad = angle_deg * deg;
    station->size_from_images = !pov_yaml_exists(size_node);
    if (isfinite(angle_deg) && isfinite(size[1]))
        station->camera = pov_station_guess_camera(station, (int)size[0], (int)size[1]);
}

static void read_intrinsics(pov_station *station, pov_yaml_node camera)
{
    pov_yaml_node field_of_view = pov_yaml_get(camera, "field_of_view_deg");
    if (pov_yaml_exists(field_of_view)) {
        guess_intrinsics(station, camera, field_of_view);
        return;
    }
    pov_yaml_node node = pov_yaml_need(camera, "calibration",
                                       "the camera's intrinsics file (or field_of_view_deg for a guess)");
    pov_yaml_relative_path(station->calibration, sizeof station->calibration, node);
    if (pov_yaml_failed(camera.file))
        return;
    pov_status status = pov_intrinsics_read_trust(&station->camera, &station->trust, station->calibration);
    if (status.code != POV_OK)
        pov_yaml_complain(node, "%s", status.message);
    station->calibrated = true;
}

/* ---- where it stands ---- */

static void read_orientation(pov_transform *T, pov_yaml_node pose)
{
    pov_yaml_node rotation = pov_yaml_get(pose, "rotation"), look_at = pov_yaml_get(pose, "look_at_m");
    if (pov_yaml_exists(rotation) == pov_yaml_exists(look_at)) {
        pov_yaml_complain(
            pose, "give either rotation (R_table_camera, three rows) or look_at_m (the point the camera "
                  "looks at)");
        return;
    }
    pov_yaml_rotation(&T->R, rotation);
    if (!pov_yaml_exists(look_at) || pov_yaml_failed(pose.file))
        return;
    pov_vec3 target = {0};
    pov_yaml_vec3(&target, look_at, -far_m, far_m);
    T->R = pov_transform_look_at(T->t_m, target, (pov_vec3){0, 0, 1}).R;
    if (!pov_yaml_failed(pose.file) && !pov_rot_is_valid(T->R, 1e-9))
        pov_yaml_complain(
            look_at, "straight above or below the camera says nothing of its turn; give rotation instead");
}

static void read_pose(pov_station *station, pov_yaml_node pose)
{
    if (!pov_yaml_exists(pose))
        return;
    double position_std_m = 0, rotation_std_deg = 0;
    station->T_table_camera = pov_pose_exact(pov_transform_identity());
    pov_yaml_vec3(&station->T_table_camera.T.t_m,
                  pov_yaml_need(pose, "position_m", "the camera's [x, y, z] in the table frame"), -far_m,
                  far_m);
    read_orientation(&station->T_table_camera.T, pose);
    pov_yaml_number(&position_std_m, pov_yaml_get(pose, "position_std_m"), 0, far_m);
    pov_yaml_number(&rotation_std_deg, pov_yaml_get(pose, "rotation_std_deg"), 0, 180);
    for (int i = 0; i < 3; i++) {
        station->T_table_camera.cov[i][i] = pow(rotation_std_deg * deg, 2);
        station->T_table_camera.cov[3 + i][3 + i] = pow(position_std_m, 2);
    }
    station->pose_given = true;
}

/* ---- */

static void read_masks(pov_ball_detector_config *balls, pov_yaml_node masks)
{
    int len = pov_yaml_length(masks);
    if (len > POV_MASK_MAX) {
        pov_yaml_complain(masks, "at most %d rectangles", POV_MASK_MAX);
        return;
    }
    for (int i = 0; i < len; i++) {
        double r[4] = {0};
        pov_yaml_numbers(r, pov_yaml_at(masks, i), 4, 0, POV_IMAGE_SIDE_MAX_PX);
        balls->masks[i] = (pov_mask){(int)r[0], (int)r[1], (int)r[2], (int)r[3]};
    }
    balls->mask_len = len;
}

void pov_station_camera_read(pov_station *station, pov_yaml_node camera)
{
    read_source(&station->source, camera);
    read_intrinsics(station, camera);
    read_pose(station, pov_yaml_get(camera, "pose"));
    pov_station_prior_read(&station->prior, pov_yaml_get(camera, "prior"));
    read_masks(&station->balls, pov_yaml_get(camera, "mask_px"));
}
