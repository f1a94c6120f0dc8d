#include "firmware/station/station.h"

#include "compare/vlm/vlm_config.h"
#include "config/files/text.h"
#include "config/scene/scene_entity.h"
#include "config/scene/template_file.h"
#include "config/yaml/yaml_file.h"
#include "firmware/station/station_swaps.h"
#include "protocol/links/publisher.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double far_m = 1e5; /* bound for lengths; chosen */

static const char *const source_kinds[] = {"folder", "libcamera", "simulator", "gstreamer", "v4l2",
                                           "rtsp",   "video",     "ros2",      "station"};

static_assert(sizeof source_kinds / sizeof *source_kinds == POV_SOURCE_KIND_COUNT, "one name a kind");

const char *pov_source_kind_name(pov_source_kind kind)
{
    return source_kinds[kind];
}

bool pov_source_is_camera(pov_source_kind kind)
{
    return kind == POV_SOURCE_LIBCAMERA || kind == POV_SOURCE_GSTREAMER || kind == POV_SOURCE_V4L2 ||
           kind == POV_SOURCE_RTSP || kind == POV_SOURCE_ROS2 || kind == POV_SOURCE_STATION;
}

/* ---- where images come from ---- */

static void read_folder(pov_station_source *source, pov_yaml_node node)
{
    pov_yaml_relative_path(source->folder, sizeof source->folder, pov_yaml_get(node, "path"));
    pov_yaml_number(&source->rate_hz, pov_yaml_get(node, "rate_hz"), 0, 1000);
    pov_yaml_bool(&source->loop, pov_yaml_get(node, "loop"));
    pov_yaml_bool(&source->live, pov_yaml_get(node, "live"));
}

static void read_libcamera(pov_station_source *source, pov_yaml_node node)
{
    double size[2] = {0, 0};
    pov_yaml_copy_filled(source->libcamera_id, sizeof source->libcamera_id, pov_yaml_get(node, "id"));
    pov_yaml_numbers(size, pov_yaml_get(node, "size_px"), 2, 16, POV_IMAGE_SIDE_MAX_PX);
    source->width_px = (int)size[0];
    source->height_px = (int)size[1];
    pov_yaml_copy_filled(source->pixel_format, sizeof source->pixel_format,
                         pov_yaml_get(node, "pixel_format"));
    pov_yaml_number(&source->exposure_s, pov_yaml_get(node, "exposure_s"), 0, 100);
    pov_yaml_number(&source->gain, pov_yaml_get(node, "gain"), 0, 1000);
}

static void read_film(pov_station_source *source, pov_yaml_node camera)
{
    pov_gstreamer_source_config *config = &source->gstreamer;
    pov_yaml_relative_path(config->text, sizeof config->text,
                           pov_yaml_need(camera, "file", "the film, as file: table.mp4"));
    pov_yaml_node to = pov_yaml_get(camera, "to_s");
    pov_yaml_number(&config->from_s, pov_yaml_get(camera, "from_s"), 0, 1e6);
    pov_yaml_number(&config->to_s, to, 0, 1e6);
    if (pov_yaml_exists(to) && !(config->to_s > config->from_s))
        pov_yaml_complain(to, "to_s must be greater than from_s, which is %g s", config->from_s);
}

/* A URL is not shown: it may hold a password. */
static void read_url(char *text, size_t capacity, pov_yaml_node camera)
{
    pov_yaml_node node = pov_yaml_need(camera, "url", "the stream, as url: rtsp://192.168.1.20/stream");
    pov_stream_url url;
    pov_yaml_copy_string(text, capacity, node);
    if (pov_yaml_failed(camera.file))
        return;
    pov_yaml_complain_of(node, pov_stream_url_read(&url, text));
}

/* Each source has keys of its own; another's are unknown. */
static void read_gstreamer(pov_station_source *source, pov_yaml_node camera)
{
    char *text = source->gstreamer.text;
    const size_t capacity = sizeof source->gstreamer.text;
    if (source->kind == POV_SOURCE_GSTREAMER)
        pov_yaml_copy_string(text, capacity,
                             pov_yaml_need(camera, "pipeline",
                                           "GStreamer's elements up to the images, as pipeline: "
                                           "\"nvarguscamerasrc ! nvvidconv\""));
    else if (source->kind == POV_SOURCE_V4L2) {
        snprintf(text, capacity, "/dev/video0");
        pov_yaml_copy_string(text, capacity, pov_yaml_get(camera, "device"));
    } else if (source->kind == POV_SOURCE_RTSP)
        read_url(text, capacity, camera);
    else if (source->kind == POV_SOURCE_VIDEO)
        read_film(source, camera);
}

static void read_source(pov_station_source *source, pov_yaml_node camera)
{
    int kind = POV_SOURCE_FOLDER;
    pov_yaml_choice(&kind, pov_yaml_get(camera, "source"), source_kinds, POV_SOURCE_KIND_COUNT);
    source->kind = kind;
    source->is_recorded_video = kind == POV_SOURCE_VIDEO;
    snprintf(source->libcamera_id, sizeof source->libcamera_id, "any");
    snprintf(source->pixel_format, sizeof source->pixel_format, "auto");
    read_folder(source, pov_yaml_get(camera, "folder"));
    read_libcamera(source, pov_yaml_get(camera, "libcamera"));
    read_gstreamer(source, camera);
    if (kind == POV_SOURCE_ROS2)
        pov_ros2_source_read(
            &source->ros2,
            pov_yaml_need(camera, "ros2", "its topics, as ros2: {image: /camera/color/image_raw}"));
    if (kind == POV_SOURCE_STATION)
        pov_remote_read(
            &source->remote,
            pov_yaml_need(camera, "station",
                          "where that station publishes, as station: {endpoint: tcp://other:5570}"));
    pov_simulator_source_read(&source->simulator, pov_yaml_get(camera, "simulator"));
}

/* ---- the lens ---- */

pov_camera pov_station_guess_camera(const pov_station *station, int width_px, int height_px)
{
    double f_px = 0.5 * width_px / tan(station->calibration.field_of_view_rad / 2);
    return (pov_camera){.lens = POV_LENS_BROWN_CONRADY,
                        .width_px = width_px,
                        .height_px = height_px,
                        .fx_px = f_px,
                        .fy_px = f_px,
                        .cx_px = 0.5 * (width_px - 1),
                        .cy_px = 0.5 * (height_px - 1)};
}

/* For pictures of unknown cameras. */
static void guess_intrinsics(pov_station *station, pov_yaml_node camera, pov_yaml_node field_of_view)
{
    double angle_deg = NAN, size[2] = {NAN, NAN};
    pov_yaml_node size_node = pov_yaml_get(camera, "size_px");
    pov_yaml_number(&angle_deg, field_of_view, 1, 170);
    pov_yaml_numbers(size, size_node, 2, 16, POV_IMAGE_SIDE_MAX_PX);
    station->calibration.field_of_view_rad = angle_deg * POV_DEG;
    station->calibration.size_from_images = !pov_yaml_exists(size_node);
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
    if (*station->source.ros2.camera_info && !pov_yaml_exists(pov_yaml_get(camera, "calibration"))) {
        station->source.ros2.lacks_lens = true;
        return;
    }
    pov_yaml_node node = pov_yaml_need(camera, "calibration",
                                       "the camera's intrinsics file (or field_of_view_deg for a guess)");
    pov_station_calibration *calibration = &station->calibration;
    pov_yaml_relative_path(calibration->path, sizeof calibration->path, node);
    if (pov_yaml_failed(camera.file))
        return;
    pov_yaml_complain_of(node,
                         pov_intrinsics_read_trust(&station->camera, &calibration->trust, calibration->path));
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
            look_at,
            "a point straight above or below the camera leaves its roll undefined; give rotation instead");
}

static void read_pose(pov_station_place *place, pov_yaml_node pose)
{
    if (!pov_yaml_exists(pose))
        return;
    double position_std_m = 0, rotation_std_deg = 0;
    place->T_table_camera = pov_pose_exact(pov_transform_identity());
    pov_yaml_vec3(&place->T_table_camera.T.t_m,
                  pov_yaml_need(pose, "position_m", "the camera's [x, y, z] in the table frame"), -far_m,
                  far_m);
    read_orientation(&place->T_table_camera.T, pose);
    pov_yaml_number(&position_std_m, pov_yaml_get(pose, "position_std_m"), 0, far_m);
    pov_yaml_number(&rotation_std_deg, pov_yaml_get(pose, "rotation_std_deg"), 0, 180);
    for (int i = 0; i < 3; i++) {
        place->T_table_camera.cov[i][i] = pow(rotation_std_deg * POV_DEG, 2);
        place->T_table_camera.cov[3 + i][3 + i] = pow(position_std_m, 2);
    }
    place->is_given = true;
}

static void read_camera_height(pov_camera_prior *prior, pov_yaml_node node)
{
    pov_yaml_node height = pov_yaml_get(node, "height_m"), std = pov_yaml_get(node, "height_std_m");
    prior->has_height = pov_yaml_exists(height);
    if (prior->has_height)
        std = pov_yaml_need(node, "height_std_m", "how well the height is known, one standard deviation");
    pov_yaml_number(&prior->height_m, height, -far_m, far_m);
    pov_yaml_number(&prior->height_std_m, std, 1e-6, far_m);
}

static bool read_camera_angle(double *angle_rad, double *std_rad, pov_yaml_node prior,
                              const char *const keys[2])
{
    double angle_deg = 0, std_deg = 1;
    pov_yaml_node angle = pov_yaml_get(prior, keys[0]), std = pov_yaml_get(prior, keys[1]);
    if (pov_yaml_exists(angle))
        std = pov_yaml_need(prior, keys[1], "how well the angle is known, one standard deviation");
    pov_yaml_number(&angle_deg, angle, -90, 90);
    pov_yaml_number(&std_deg, std, 1e-4, 90);
    *angle_rad = angle_deg * POV_DEG;
    *std_rad = std_deg * POV_DEG;
    return pov_yaml_exists(angle);
}

/* The pose's prior, before tags are seen. */
static void read_prior(pov_camera_prior *prior, pov_yaml_node node)
{
    static const char *const pitch_keys[] = {"pitch_deg", "pitch_std_deg"};
    static const char *const roll_keys[] = {"roll_deg", "roll_std_deg"};
    read_camera_height(prior, node);
    prior->has_pitch = read_camera_angle(&prior->pitch_rad, &prior->pitch_std_rad, node, pitch_keys);
    prior->has_roll = read_camera_angle(&prior->roll_rad, &prior->roll_std_rad, node, roll_keys);
    if (pov_yaml_exists(node) && !prior->has_height && !prior->has_pitch && !prior->has_roll)
        pov_yaml_complain(
            node,
            "holds no height, pitch or roll; give height_m and height_std_m, pitch_deg and pitch_std_deg, or "
            "roll_deg and roll_std_deg");
}

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
        balls->masks[i] = (pov_rectangle){(int)r[0], (int)r[1], (int)r[2], (int)r[3]};
    }
    balls->mask_len = len;
}

/* What its own station says of it is not said here again. */
static void read_remote_camera(pov_yaml_node camera)
{
    static const char *const theirs[] = {"calibration", "field_of_view_deg", "pose",     "prior",
                                         "tf",          "mask_px",           "swappable"};
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) {
        const pov_yaml_node node = pov_yaml_get(camera, theirs[i]);
        if (pov_yaml_exists(node))
            pov_yaml_complain(
                node,
                "lens and pose of a camera in another process are in that station's file; leave this out");
    }
    if (!pov_yaml_exists(pov_yaml_get(camera, "id")))
        pov_yaml_complain(
            pov_yaml_get(camera, "source"),
            "a camera in another process stands in the list 'cameras:', with an id, also as the only one");
}

static void read_camera(pov_station *station, pov_yaml_node camera)
{
    pov_yaml_node pose = pov_yaml_get(camera, "pose"), prior = pov_yaml_get(camera, "prior");
    read_source(&station->source, camera);
    if (station->source.kind == POV_SOURCE_STATION) {
        read_remote_camera(camera);
        return;
    }
    read_intrinsics(station, camera);
    station->source.gstreamer.width_px = station->camera.width_px; /* 0: any size will do */
    station->source.gstreamer.height_px = station->camera.height_px;
    read_pose(&station->place, pose);
    read_prior(&station->place.prior, prior);
    pov_ros2_camera_tf_read(&station->place.tf, pov_yaml_get(camera, "tf"));
    read_masks(&station->finders.balls, pov_yaml_get(camera, "mask_px"));
}

/* ---- several cameras ---- */

void pov_station_look_through(pov_station *station, int camera)
{
    const pov_station_camera *of = &station->cameras[camera];
    station->camera_index = camera;
    station->source = of->source;
    station->camera = of->camera;
    station->calibration = of->calibration;
    station->place = of->place;
    memcpy(station->finders.balls.masks, of->masks, sizeof of->masks);
    station->finders.balls.mask_len = of->mask_len;
}

void pov_station_keep_camera(pov_station *station)
{
    pov_station_camera *of = &station->cameras[station->camera_index];
    of->source = station->source;
    of->camera = station->camera;
    of->calibration = station->calibration;
    of->place = station->place;
    memcpy(of->masks, station->finders.balls.masks, sizeof of->masks);
    of->mask_len = station->finders.balls.mask_len;
}

/* Names of channels and topics are made of it. */
static bool is_plain_id(const char *id)
{
    return isalpha((unsigned char)*id) && id[strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                        "0123456789_")] == '\0';
}

static void read_camera_id(pov_station *station, int camera, pov_yaml_node node)
{
    char *id = station->cameras[camera].id;
    pov_yaml_node at = pov_yaml_need(node, "id", "the camera's name, as id: head");
    pov_yaml_copy_name(id, sizeof station->cameras[camera].id, at);
    if (pov_yaml_failed(node.file))
        return;
    if (!is_plain_id(id) || strcmp(id, "camera") == 0)
        pov_yaml_complain(
            at, "'%s' is not a valid camera id: use a letter, then letters, digits and _, and not 'camera'",
            id);
    for (int i = 0; i < camera; i++)
        if (strcmp(station->cameras[i].id, id) == 0)
            pov_yaml_complain(at, "duplicate id '%s': ids must be unique", id);
}

static pov_yaml_node camera_node(pov_yaml_node root, int camera)
{
    const pov_yaml_node list = pov_yaml_get(root, "cameras");
    return pov_yaml_exists(list) ? pov_yaml_at(list, camera) : pov_yaml_get(root, "camera");
}

static void read_cameras(pov_station *station, pov_yaml_node root)
{
    const pov_yaml_node list = pov_yaml_get(root, "cameras"), one = pov_yaml_get(root, "camera");
    station->camera_len = 1;
    if (!pov_yaml_exists(list)) {
        read_camera(station,
                    pov_yaml_need(root, "camera", "where images come from, and the camera's calibration"));
        pov_station_keep_camera(station);
        return;
    }
    const int len = pov_yaml_length(list);
    if (pov_yaml_exists(one))
        pov_yaml_complain(
            one, "the station names 'camera' and 'cameras'; move this camera into the list 'cameras'");
    if (!pov_yaml_is_list(list) || len < 1)
        pov_yaml_complain(list, "expected a list of cameras, as cameras: [{id: head, source: ...}, ...]");
    if (len > POV_CAMERA_MAX)
        pov_yaml_complain(list, "at most %d cameras", POV_CAMERA_MAX);
    int own_len = 0;
    for (int i = 0; i < len && !pov_yaml_failed(list.file); i++) {
        station->camera_len = i + 1;
        pov_station_look_through(station, i); /* nothing of the camera before */
        read_camera_id(station, i, pov_yaml_at(list, i));
        read_camera(station, pov_yaml_at(list, i));
        bool is_swappable = true;
        const bool is_own = station->source.kind != POV_SOURCE_STATION;
        if (is_own)
            pov_yaml_bool(&is_swappable, pov_yaml_get(pov_yaml_at(list, i), "swappable"));
        if (is_own && ++own_len > POV_OWN_CAMERA_MAX)
            pov_yaml_complain(
                list,
                "at most %d cameras whose images this process reads; others can be cameras of another "
                "'pov run', as source: station",
                POV_OWN_CAMERA_MAX);
        station->place.is_not_swappable = !is_swappable;
        pov_station_keep_camera(station);
    }
}

static void check_pose_source(const pov_station *station, pov_yaml_node camera)
{
    const bool has_map = station->finders.tags.map.len > 0;
    pov_yaml_node prior = pov_yaml_get(camera, "prior");
    if (station->place.is_given && has_map && station->camera_len == 1)
        pov_yaml_complain(
            pov_yaml_get(camera, "pose"),
            "the camera's pose comes either from here or from tags.map; leave out one of the two");
    if (station->place.is_given && station->place.tf.is_wanted)
        pov_yaml_complain(pov_yaml_get(camera, "pose"),
                          "the camera's pose comes either from here or from tf; leave out one of the two");
    if (pov_yaml_exists(prior) && !has_map)
        pov_yaml_complain(
            prior, "weighs camera poses by tags, but there is no tags.map; add one, or leave this out");
}

/* A body whose inside is known: meshes may be hollow, and of an unknown shape only the core is sure. */
static bool is_inside(const pov_entity *entity, pov_vec3 pos_m)
{
    const pov_vec3 off = pov_vec3_sub(pos_m, entity->position.mean_m);
    const pov_vec3 at = pov_rot_apply(pov_rot_transpose(entity->R_table_box), off), size = entity->size_m;
    const double share = 0.5 - entity->shape_doubt;
    if (entity->shape == POV_SHAPE_SPHERE)
        return pov_vec3_norm(off) < size.x / 2;
    if (entity->shape == POV_SHAPE_CAPSULE)
        return hypot(at.x, at.y) < size.x / 2 && fabs(at.z) < (size.z - size.x) / 2;
    return entity->shape == POV_SHAPE_BOX && fabs(at.x) < share * size.x && fabs(at.y) < share * size.y &&
           fabs(at.z) < share * size.z;
}

static void check_camera_outside(const pov_station *station, pov_yaml_node pose)
{
    for (int i = 0; i < station->cast.len && station->place.is_given; i++) {
        const pov_entity *entity = &station->cast.members[i].entity;
        if (entity->placed && is_inside(entity, station->place.T_table_camera.T.t_m))
            pov_yaml_complain(pov_yaml_get(pose, "position_m"),
                              "the camera is inside '%s', which would hide everything; correct this, or its "
                              "position or size",
                              entity->name);
    }
}

/* ---- cast ---- */

static void read_survey(pov_cast_member *member, pov_yaml_node node)
{
    pov_entity *entity = &member->entity;
    pov_yaml_vec3(&entity->position.mean_m,
                  pov_yaml_need(node, "position_m", "where its centre is in the table frame: [x, y, z]"),
                  -far_m, far_m);
    pov_scene_read_position_noise(entity->position.own_cov_m2, node);
    pov_scene_read_attitude(entity, node);
    entity->placed = true;
}

static void read_name(pov_cast_member *member, const pov_cast *cast, pov_yaml_node node)
{
    pov_yaml_node id = pov_yaml_need(node, "id", "a short name"), class_node = pov_yaml_get(node, "class");
    char name[POV_NAME_CAPACITY] = "", class_name[POV_NAME_CAPACITY] = "";
    pov_yaml_copy_name(name, sizeof name, id);
    pov_yaml_copy_name(class_name, sizeof class_name, class_node);
    member->entity = pov_entity_named(name, *class_name ? class_name : name);
    if (pov_yaml_failed(node.file))
        return;
    if (!*name)
        pov_yaml_complain(id, "an id cannot be empty");
    if (strcmp(name, "camera") == 0)
        pov_yaml_complain(id, "'camera' is the camera itself; choose another id");
    if (pov_cast_has(cast, name))
        pov_yaml_complain(id, "duplicate id '%s': ids must be unique", name);
}

static void read_member(pov_station *station, pov_yaml_node node)
{
    pov_cast *cast = &station->cast;
    pov_cast_member *member = &cast->members[cast->len];
    read_name(member, cast, node);
    pov_scene_read_size(&member->entity.size_m, pov_yaml_get(node, "size_m"));
    pov_yaml_bool(&member->entity.addressee, pov_yaml_get(node, "addressee"));
    pov_scene_read_about(&member->entity, node);
    pov_scene_read_sees(&member->entity, pov_yaml_get(node, "sees"));
    if (pov_finders_read_member(member, &station->finders, node))
        read_survey(member, node);
    if (member->found_by != &pov_found_by_ball)
        pov_station_read_body(member, station->bodies.files[cast->len], node);
    if (pov_cast_member_count(member) > 1 && strlen(member->entity.name) > POV_NAME_CAPACITY - 5)
        pov_yaml_complain(node, "an id that is numbered can have %d letters at most", POV_NAME_CAPACITY - 5);
}

/* The camera takes one place in the scene. */
static bool fits_scene(const pov_cast *cast, const pov_cast_member *member)
{
    int count = 1;
    for (int i = 0; i < cast->len; i++)
        count += pov_cast_member_count(&cast->members[i]);
    return count + pov_cast_member_count(member) <= POV_ENTITY_MAX;
}

static void read_members(pov_station *station, pov_yaml_node node)
{
    pov_cast *cast = &station->cast;
    const int len = pov_yaml_length(node);
    if (len > POV_CAST_MAX) {
        pov_yaml_complain(node, "at most %d entries", POV_CAST_MAX);
        return;
    }
    for (int i = 0; i < len && !pov_yaml_failed(node.file); i++) {
        read_member(station, pov_yaml_at(node, i));
        if (!fits_scene(cast, &cast->members[i]))
            pov_yaml_complain(pov_yaml_at(node, i), "more than %d entities in all", POV_ENTITY_MAX - 1);
        cast->len = i + 1;
    }
}

/* A station that finds tags reports them also without a cast. */
static void read_cast(pov_station *station, pov_yaml_node root)
{
    const bool may_lack = station->finders.tags.is_wanted;
    pov_yaml_node cast =
        may_lack ? pov_yaml_get(root, "cast") : pov_yaml_need(root, "cast", "the entities to find and judge");
    if (!may_lack && pov_yaml_exists(cast) && pov_yaml_length(cast) == 0)
        pov_yaml_complain(cast, "at least one entity is needed, or tags.families or tags.map");
    read_members(station, cast);
    pov_finders_check(&station->finders, &station->cast, cast);
}

/* ---- judging and publishing ---- */

/* Sets the flags that one name, or a list of names, stands for. */
static void read_flags(bool flags[], pov_yaml_node node, const char *(*name)(int), int count)
{
    const char *names[16];
    for (int i = 0; i < count; i++)
        names[i] = name(i);
    if (!pov_yaml_exists(node))
        return;
    memset(flags, 0, (size_t)count * sizeof *flags);
    const bool is_list = pov_yaml_is_list(node);
    for (int i = 0; i < (is_list ? pov_yaml_length(node) : 1); i++) {
        int value = 0;
        pov_yaml_choice(&value, is_list ? pov_yaml_at(node, i) : node, names, count);
        flags[value] = true;
    }
}

static const char *axis_name(int i)
{
    return pov_axis_name(i);
}

static const char *acceptance_name(int i)
{
    return pov_acceptance_name(i);
}

void pov_station_read_pair(char pair[2][POV_NAME_CAPACITY], const pov_cast *cast, pov_yaml_node node)
{
    if (pov_yaml_length(node) != 2) {
        pov_yaml_complain(node, "expected [referent, relatum]");
        return;
    }
    for (int i = 0; i < 2; i++) {
        pov_yaml_copy_name(pair[i], POV_NAME_CAPACITY, pov_yaml_at(node, i));
        if (!pov_yaml_failed(node.file) && !pov_cast_has(cast, pair[i]))
            pov_yaml_complain(pov_yaml_at(node, i), "no entity '%s' in the cast", pair[i]);
    }
}

static void read_template(pov_station_judging *judge, pov_yaml_node node)
{
    char path[POV_STATION_PATH_CAPACITY];
    if (!pov_yaml_exists(node))
        return;
    pov_yaml_relative_path(path, sizeof path, node);
    if (pov_yaml_failed(node.file))
        return;
    pov_yaml_complain_of(node, pov_template_read(&judge->judging.regions, path));
}

/* Directions and their synonyms are judged as directions, the other relations by their predicates. */
static void judge_by(pov_station_judging *judge, const pov_relation_info *relation)
{
    if (relation->projective != POV_RELATION_COUNT) {
        judge->judging.relation[relation->projective] = true;
        return;
    }
    judge->judging.other[pov_relation_registry_index(relation)] = true;
    judge->uses_panel = true;
}

static void read_relation(pov_station_judging *judge, pov_yaml_node node)
{
    const char *name = NULL;
    pov_yaml_string(&name, node);
    if (name == NULL || pov_yaml_failed(node.file))
        return;
    const pov_relation_info *relation = pov_relation_lookup(name);
    if (relation != NULL)
        judge_by(judge, relation);
    for (int i = 0; strcmp(name, "all") == 0 && i < pov_relation_registry_len(); i++)
        judge_by(judge, pov_relation_registry_at(i));
    if (relation == NULL && strcmp(name, "all") != 0)
        pov_yaml_complain(node, "unknown relation '%s'; the nearest is '%s' (pov relations lists all)", name,
                          pov_relation_most_like(name)->name);
}

static void read_relations(pov_station_judging *judge, pov_yaml_node node)
{
    if (!pov_yaml_exists(node))
        return;
    memset(judge->judging.relation, 0, sizeof judge->judging.relation);
    if (!pov_yaml_is_list(node))
        read_relation(judge, node);
    for (int i = 0; pov_yaml_is_list(node) && i < pov_yaml_length(node); i++)
        read_relation(judge, pov_yaml_at(node, i));
}

static void read_viewer(char name[POV_NAME_CAPACITY], const pov_cast *cast, pov_yaml_node node)
{
    pov_yaml_copy_name(name, POV_NAME_CAPACITY, node);
    if (!pov_yaml_failed(node.file) && strcmp(name, "camera") != 0 && !pov_cast_has(cast, name))
        pov_yaml_complain(node, "no viewer '%s': give camera, or the id of an entity of the cast", name);
}

/* true, false, or a list of viewers. */
static void read_viewers(pov_station_viewers *viewers, const pov_cast *cast, pov_yaml_node node)
{
    viewers->all = true;
    if (!pov_yaml_is_list(node)) {
        pov_yaml_bool(&viewers->all, node);
        return;
    }
    viewers->all = false;
    if (pov_yaml_length(node) > POV_STATION_VIEWER_MAX) {
        pov_yaml_complain(node, "at most %d viewers", POV_STATION_VIEWER_MAX);
        return;
    }
    viewers->len = pov_yaml_length(node);
    for (int i = 0; i < viewers->len; i++)
        read_viewer(viewers->names[i], cast, pov_yaml_at(node, i));
}

static void read_judging(pov_station_judging *judge, const pov_cast *cast, pov_yaml_node node)
{
    pov_judging *judging = &judge->judging;
    *judging = (pov_judging)POV_JUDGING_DEFAULT;
    read_relations(judge, pov_yaml_get(node, "relations"));
    read_viewers(&judge->visibility, cast, pov_yaml_get(node, "visibility"));
    read_viewers(&judge->directions, cast, pov_yaml_get(node, "directions"));
    read_flags(judging->axis, pov_yaml_get(node, "axes"), axis_name, POV_AXIS_COUNT);
    read_flags(judging->acceptance, pov_yaml_get(node, "acceptance"), acceptance_name, POV_ACCEPTANCE_COUNT);
    read_template(judge, pov_yaml_get(node, "template"));
    pov_yaml_number(&judging->abstain_margin, pov_yaml_get(node, "abstain_margin"), 0, 0.4999999);
    pov_yaml_node pairs = pov_yaml_get(node, "pairs");
    judge->pair_len = pov_yaml_length(pairs);
    if (judge->pair_len > POV_STATION_PAIR_MAX) {
        pov_yaml_complain(pairs, "at most %d pairs", POV_STATION_PAIR_MAX);
        judge->pair_len = 0;
    }
    for (int i = 0; i < judge->pair_len; i++)
        pov_station_read_pair(judge->pairs[i], cast, pov_yaml_at(pairs, i));
}

void pov_station_read_publishing(pov_station_publishing *publish, pov_yaml_node node)
{
    const pov_publisher_config preset = POV_PUBLISHER_DEFAULT;
    snprintf(publish->endpoint, sizeof publish->endpoint, "%s", preset.endpoint);
    publish->queue_capacity = preset.queue_capacity;
    publish->is_named = pov_yaml_exists(node);
    pov_yaml_copy_filled(publish->endpoint, sizeof publish->endpoint, pov_yaml_get(node, "endpoint"));
    pov_yaml_integer(&publish->queue_capacity, pov_yaml_get(node, "queue"), 1, POV_PUBLISH_QUEUE_MAX);
    pov_yaml_relative_path(publish->keys, sizeof publish->keys, pov_yaml_get(node, "keys"));
    pov_yaml_bool(&publish->insecure, pov_yaml_get(node, "insecure"));
}

void pov_station_keep_messages(pov_station_publishing *publish)
{
    publish->queue_capacity = POV_PUBLISH_QUEUE_MAX;
}

static void read_ask(pov_station_asking *ask, pov_yaml_node node)
{
    ask->stale_after_s = POV_STALE_AFTER_S;
    if (!pov_yaml_exists(node))
        return;
    pov_yaml_copy_string(ask->endpoint, sizeof ask->endpoint,
                         pov_yaml_need(node, "endpoint", "where to ask: tcp://127.0.0.1:5571"));
    pov_yaml_relative_path(ask->keys, sizeof ask->keys, pov_yaml_get(node, "keys"));
    pov_yaml_bool(&ask->insecure, pov_yaml_get(node, "insecure"));
    pov_yaml_number(&ask->stale_after_s, pov_yaml_get(node, "stale_after_s"), 0.1, 1e6);
}

static void read_track(pov_station *station, pov_yaml_node node)
{
    bool tracks = true;
    pov_yaml_bool(&tracks, node);
    if (pov_yaml_exists(node))
        station->track = tracks ? POV_TRACK_ALWAYS : POV_TRACK_NEVER;
}

static void read_north(pov_station *station, pov_yaml_node node)
{
    double north_deg = NAN;
    pov_yaml_number(&north_deg, node, -360, 360);
    station->has_north = !isnan(north_deg);
    station->north_yaw_rad = pov_angle_wrap(north_deg * POV_DEG);
}

/* ---- recordings ---- */

static void read_record(pov_record_config *record, pov_yaml_node node)
{
    int images = POV_RECORD_ALL;
    bool is_lossless = false;
    const char *names[POV_RECORD_IMAGES_COUNT];
    for (int i = 0; i < POV_RECORD_IMAGES_COUNT; i++)
        names[i] = pov_record_images_name(i);
    *record = (pov_record_config)POV_RECORD_DEFAULT;
    if (!pov_yaml_exists(node))
        return;
    pov_yaml_relative_path(record->path, sizeof record->path,
                           pov_yaml_need(node, "path", "a folder for recordings, or a .mcap file"));
    pov_yaml_choice(&images, pov_yaml_get(node, "images"), names, POV_RECORD_IMAGES_COUNT);
    record->images = (pov_record_images)images;
    pov_yaml_integer(&record->jpeg_quality, pov_yaml_get(node, "jpeg_quality"), 1, 100);
    pov_yaml_bool(&is_lossless, pov_yaml_get(node, "lossless"));
    if (is_lossless)
        record->jpeg_quality = 0;
    pov_yaml_integer(&record->split_mb, pov_yaml_get(node, "split_mb"), 1, 1000000);
    pov_yaml_number(&record->keep_hours, pov_yaml_get(node, "keep_hours"), 0.01, 1e6);
    read_flags(record->when, pov_yaml_get(node, "when"), pov_record_cause_name, POV_RECORD_CAUSE_COUNT);
    pov_yaml_number(&record->before_s, pov_yaml_get(node, "before_s"), 0, 3600);
    pov_yaml_number(&record->after_s, pov_yaml_get(node, "after_s"), 0, 3600);
    pov_yaml_integer(&record->memory_mb, pov_yaml_get(node, "memory_mb"), 1, 4096);
}

static void read_foxglove(pov_http_place *place, pov_yaml_node node)
{
    const char *text = NULL;
    *place = (pov_http_place){.port = 0};
    pov_yaml_string(&text, node);
    if (!text)
        return;
    pov_yaml_complain_of(node, pov_http_place_take(place, text));
}

/* ---- the whole ---- */

/* What the cameras and the other sections say of one another. */
static void check_cameras(pov_station *station, pov_yaml_node root)
{
    for (int i = 0; i < station->camera_len && !pov_yaml_failed(root.file); i++) {
        const pov_yaml_node node = camera_node(root, i);
        pov_station_look_through(station, i);
        check_pose_source(station, node);
        check_camera_outside(station, pov_yaml_get(node, "pose"));
        if (*station->cameras[i].id && pov_cast_has(&station->cast, station->cameras[i].id))
            pov_yaml_complain(pov_yaml_get(node, "id"), "duplicate id '%s': the cast has it, too",
                              station->cameras[i].id);
        station->source.ros2.settings = station->ros2;
        pov_station_keep_camera(station);
    }
    if (!pov_yaml_failed(root.file))
        pov_station_check_swaps(station, pov_yaml_get(root, "cameras"));
    if (!pov_yaml_failed(root.file))
        pov_station_look_through(station, 0);
    if (station->camera_len > 1 && station->track == POV_TRACK_NEVER)
        pov_yaml_complain(pov_yaml_get(root, "track"),
                          "several cameras see one scene over time, which needs tracks; leave this out");
    if (station->camera_len > 1)
        station->track = POV_TRACK_ALWAYS;
}

static bool is_source_simulated(const pov_station_source *source)
{
    if (source->kind != POV_SOURCE_FOLDER)
        return source->kind == POV_SOURCE_SIMULATOR;
    char *path = pov_text_new("%s/../truth.jsonl", source->folder);
    const bool is_there = access(path, R_OK) == 0;
    free(path);
    return is_there;
}

bool pov_station_is_simulated(const pov_station *station)
{
    bool is_simulated = is_source_simulated(&station->source);
    for (int i = 0; i < station->camera_len;
         i++) /* the one looked through may have been given another source */
        is_simulated |= i != station->camera_index && is_source_simulated(&station->cameras[i].source);
    return is_simulated;
}

int pov_station_find_camera(const pov_station *station, const char *id)
{
    for (int i = 0; i < station->camera_len && *id; i++)
        if (strcmp(station->cameras[i].id, id) == 0)
            return i;
    return -1;
}

static void check_asked_camera(const pov_station *station, pov_yaml_node node)
{
    const char *id = station->compare.camera;
    const int camera = pov_station_find_camera(station, id);
    if (camera >= 0 && station->cameras[camera].source.kind == POV_SOURCE_STATION)
        pov_yaml_complain(
            node,
            "'%s' is another station's camera, and its images do not come here: ask there, or name another",
            id);
    if (!*id || pov_yaml_failed(node.file) || camera >= 0)
        return;
    pov_yaml_complain(node, "'%s' is not one of the station's cameras; the first is '%s'", id,
                      station->cameras[0].id);
}

/* Its client reads the section again: nothing of it is kept here. */
static void check_vlm(pov_yaml_node node)
{
    pov_vlm_config *vlm = malloc(sizeof *vlm);
    if (vlm)
        pov_vlm_config_read(vlm, node);
    else
        pov_yaml_complain(node, "out of memory");
    free(vlm);
}

static pov_status read_all(pov_station *station, pov_yaml_file *file)
{
    pov_yaml_node root = pov_yaml_root(file);
    const char *about = NULL;
    const pov_yaml_node entities = pov_yaml_get(root, "entities");
    if (pov_yaml_exists(entities))
        pov_yaml_complain(
            entities, "this is a scene, typed in, and no station: did you mean 'pov judge' or 'pov ask'? A "
                      "station has a camera's calibration and a cast");
    pov_yaml_string(&about, pov_yaml_get(root, "about")); /* for people */
    read_cameras(station, root);
    pov_finders_read(&station->finders, root);
    read_cast(station, root);
    read_north(station, pov_yaml_get(root, "north_deg"));
    read_record(&station->record, pov_yaml_get(root, "record"));
    read_foxglove(&station->foxglove, pov_yaml_get(root, "foxglove"));
    pov_ros2_settings_read(&station->ros2, pov_yaml_get(root, "ros2"));
    read_track(station, pov_yaml_get(root, "track"));
    check_cameras(station, root);
    read_judging(&station->judge, &station->cast, pov_yaml_get(root, "judge"));
    pov_station_read_publishing(&station->publish, pov_yaml_get(root, "publish"));
    read_ask(&station->ask, pov_yaml_get(root, "ask"));
    pov_station_read_turntable(station, pov_yaml_get(root, "turntable"));
    pov_yaml_copy_string(station->speech.listen, sizeof station->speech.listen, pov_yaml_get(root, "listen"));
    pov_yaml_copy_string(station->speech.say, sizeof station->speech.say, pov_yaml_get(root, "say"));
    check_vlm(pov_yaml_get(root, "vlm"));
    const pov_yaml_node compare = pov_yaml_get(root, "compare");
    pov_station_read_comparing(&station->compare, &station->cast, compare);
    check_asked_camera(station, pov_yaml_get(compare, "camera"));
    return pov_yaml_finish(file);
}

pov_status pov_station_read(pov_station *station, const char *path)
{
    POV_TRY(pov_station_parse(station, path, NULL, 0));
    if (station->camera_len == 1 && station->source.kind == POV_SOURCE_STATION)
        return pov_error(
            "%s: its only camera is another station's, without images, which this command needs: use that "
            "station's own file ('pov run' takes this one; docs/CAMERAS.md)",
            path);
    if (station->camera_len == 1)
        return pov_ok();
    return pov_error(
        "%s: has %d cameras, and this command takes one: name one camera as 'camera:' in a file of "
        "its own ('pov run' takes several; docs/CAMERAS.md)",
        path, station->camera_len);
}

pov_status pov_station_parse(pov_station *station, const char *name, const char *text, size_t length)
{
    memset(station, 0, sizeof *station);
    pov_yaml_file *file;
    if (!text && access(name, F_OK) != 0 && errno == ENOENT)
        return pov_error("%s: no such file; expected a YAML file: 'pov init %s' makes one", name, name);
    POV_TRY(pov_yaml_parse(&file, name, text, length));
    pov_status status = read_all(station, file);
    pov_yaml_close(&file);
    return status;
}
