#include "firmware/enrol/enrol_turn.h"

#include "calib/turntable/turntable_calibration.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/picture/image_file.h"
#include "firmware/progress.h"
#include "firmware/sweep/sweep_rig.h"
#include "perception/geometry/geom.h"
#include "perception/tags/tag_detector.h"
#include "perception/tags/tag_pose.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POINTS_MAX = 4 * POV_RING_VIEW_MAX };

static const double apart_share = 0.5, gap_share = 2; /* of the step of an even turn */

pov_hand_turn pov_hand_turn_for(int stops)
{
    const double step_rad = 2 * POV_PI / stops;
    return (pov_hand_turn){.apart_rad = apart_share * step_rad, .gap_most_rad = gap_share * step_rad};
}

/* ---- angles ---- */

typedef struct {
    int len;
    pov_vec2 from[POINTS_MAX], to[POINTS_MAX];
} shared_points;

/* The point where the pixel's ray meets the plane z = 0 of the table frame. */
static pov_vec2 on_table(const pov_camera *camera, const pov_transform *T_table_camera, pov_vec2 pixel)
{
    pov_vec3 ray;
    if (pov_camera_unproject(camera, &ray, NULL, pixel) != POV_OK)
        return (pov_vec2){NAN, NAN};
    const pov_vec3 along = pov_rot_apply(T_table_camera->R, ray), eye_m = T_table_camera->t_m;
    const double far = -eye_m.z / along.z;
    return (pov_vec2){eye_m.x + far * along.x, eye_m.y + far * along.y};
}

static void add_corners(shared_points *shared, const pov_camera *camera, const pov_ring_view *views[2],
                        const int tag[2])
{
    for (int corner = 0; corner < 4 && shared->len < POINTS_MAX; corner++) {
        pov_vec2 at_m[2];
        for (int i = 0; i < 2; i++)
            at_m[i] = on_table(camera, &views[i]->T_table_camera, views[i]->tags[tag[i]].corner_px[corner]);
        if (!isfinite(at_m[0].x + at_m[0].y + at_m[1].x + at_m[1].y))
            continue;
        shared->from[shared->len] = at_m[0];
        shared->to[shared->len++] = at_m[1];
    }
}

static void find_shared(shared_points *shared, const pov_camera *camera, const pov_ring_view *from,
                        const pov_ring_view *to)
{
    const pov_ring_view *views[2] = {from, to};
    shared->len = 0;
    for (int i = 0; i < from->len; i++)
        for (int k = 0; k < to->len; k++)
            if (from->tags[i].id == to->tags[k].id)
                add_corners(shared, camera, views, (const int[2]){i, k});
}

static pov_vec2 mean_of(const pov_vec2 *points, int len)
{
    pov_vec2 sum = {0, 0};
    for (int i = 0; i < len; i++)
        sum = (pov_vec2){sum.x + points[i].x / len, sum.y + points[i].y / len};
    return sum;
}

/* The rotation between two sets of points (Procrustes), whatever moves them besides. */
static double ring_turned(const pov_camera *camera, const pov_ring_view *from, const pov_ring_view *to)
{
    shared_points shared;
    double across = 0, along = 0;
    find_shared(&shared, camera, from, to);
    const pov_vec2 a = mean_of(shared.from, shared.len), b = mean_of(shared.to, shared.len);
    for (int i = 0; i < shared.len; i++) {
        const double x = shared.from[i].x - a.x, y = shared.from[i].y - a.y, u = shared.to[i].x - b.x,
                     v = shared.to[i].y - b.y;
        across += x * v - y * u;
        along += x * u + y * v;
    }
    return shared.len > 0 ? atan2(across, along) : NAN;
}

static int shared_tags(const pov_ring_view *a, const pov_ring_view *b)
{
    int len = 0;
    for (int i = 0; i < a->len; i++)
        for (int k = 0; k < b->len; k++)
            len += a->tags[i].id == b->tags[k].id;
    return len;
}

double pov_hand_turn_angle(const pov_hand_turn *turn, const pov_camera *camera, const pov_ring_view *kept,
                           const pov_ring_view *view)
{
    int best = -1, most = 0;
    for (int i = 0; i < turn->len; i++) {
        const int len = shared_tags(&kept[i], view);
        if (len > most) {
            most = len;
            best = i;
        }
    }
    if (turn->len == 0)
        return view->len > 0 ? 0 : NAN;
    return best < 0 ? NAN : turn->angle_rad[best] + ring_turned(camera, &kept[best], view);
}

/* ---- the circle ---- */

static double turned_on(double from_rad, double to_rad)
{
    const double by = fmod(to_rad - from_rad, 2 * POV_PI);
    return by < 0 ? by + 2 * POV_PI : by;
}

bool pov_hand_turn_wants(const pov_hand_turn *turn, double angle_rad)
{
    for (int i = 0; i < turn->len; i++)
        if (fabs(remainder(turn->angle_rad[i] - angle_rad, 2 * POV_PI)) < turn->apart_rad)
            return false;
    return isfinite(angle_rad) && turn->len < POV_ENROL_SHOT_MAX;
}

void pov_hand_turn_keep(pov_hand_turn *turn, double angle_rad)
{
    turn->angle_rad[turn->len++] = angle_rad;
}

/* From the i-th kept angle to the next one on the circle. */
static double gap_after(const pov_hand_turn *turn, int i)
{
    double gap = 2 * POV_PI;
    for (int k = 0; k < turn->len; k++)
        if (k != i)
            gap = fmin(gap, turned_on(turn->angle_rad[i], turn->angle_rad[k]));
    return gap;
}

pov_hand_gap pov_hand_turn_gap(const pov_hand_turn *turn)
{
    pov_hand_gap widest = {0, turn->len == 0 ? 2 * POV_PI : 0};
    for (int i = 0; i < turn->len; i++) {
        const double gap = gap_after(turn, i);
        if (gap > widest.wide_rad)
            widest = (pov_hand_gap){turned_on(0, turn->angle_rad[i]), gap};
    }
    return widest;
}

bool pov_hand_turn_is_round(const pov_hand_turn *turn)
{
    return pov_hand_turn_gap(turn).wide_rad <= turn->gap_most_rad;
}

double pov_hand_turn_seen(const pov_hand_turn *turn)
{
    double seen = 0;
    for (int i = 0; i < turn->len; i++)
        seen += fmin(gap_after(turn, i), turn->gap_most_rad);
    return seen;
}

enum { BYTES_MAX = 1 << 30, SHOTS = POV_ENROL_SHOT_MAX };

/* Least probability of the likelier of two poses that fit the tags; as in the turntable's calibration. */
static const double pose_probability_min = 0.95;

static const double tag_reach_m = 0.03; /* of the disc, beyond the tags' middles at least */

static const double still_px = 1;

/* Images as they come, whole. */
typedef struct {
    const pov_station *station;
    const pov_enrol_turn_options *options;
    pov_sweep_rig *rig;
    pov_tag_detector *detector;
    pov_tags *tags, *last_tags;
    pov_turntable_calibration *calibration; /* of images in this order: the empty table's, all others */
    int len;
    pov_ring_view *views; /* the empty table's last */
    double commanded_rad[SHOTS + 1];
    uint8_t *pixels[SHOTS + 1];
} taking;

static size_t image_bytes(const taking *t)
{
    return 3 * (size_t)t->station->camera.width_px * (size_t)t->station->camera.height_px;
}

static pov_status find_camera(taking *t, pov_transform *T_table_camera, const pov_image *image)
{
    const pov_station *station = t->station;
    pov_camera_pose pose;
    if (station->place.is_given)
        *T_table_camera = station->place.T_table_camera.T;
    else if (pov_camera_pose_estimate(&pose, &station->camera, t->tags, &station->finders.tags.map) !=
                 POV_OK ||
             pose.probability < pose_probability_min)
        return pov_error("%s: the camera's place is not known: too few tags of the map are in view",
                         image->name);
    else
        *T_table_camera = pose.T_table_camera.T;
    return pov_ok();
}

static pov_status keep_view(taking *t, const pov_image *image, int at, double commanded_rad)
{
    pov_transform T_table_camera;
    const pov_camera *camera = &t->station->camera;
    if (image->width_px != camera->width_px || image->height_px != camera->height_px)
        return pov_error("%s: %d x %d pixels, but the calibration is for %d x %d", image->name,
                         image->width_px, image->height_px, camera->width_px, camera->height_px);
    t->tags->len = 0;
    if (t->detector)
        POV_TRY(pov_tag_detector_run(t->detector, t->tags, image));
    POV_TRY(find_camera(t, &T_table_camera, image));
    pov_ring_view_set(&t->views[at], t->tags, &t->station->finders.tags.map, &T_table_camera);
    t->commanded_rad[at] = commanded_rad;
    if (!t->pixels[at]) /* by hand, images are kept or not */
        t->pixels[at] = malloc(image_bytes(t));
    if (!t->pixels[at] || (size_t)(t->len + 1) * image_bytes(t) > BYTES_MAX)
        return pov_error(
            "%d images of %d x %d pixels take too much memory; take smaller images or fewer --angles",
            t->len + 1, image->width_px, image->height_px);
    const size_t row = 3 * (size_t)image->width_px;
    for (int y = 0; y < image->height_px; y++)
        memcpy(t->pixels[at] + (size_t)y * row, image->pixels + (size_t)y * (size_t)image->stride_bytes, row);
    return pov_ok();
}

/* Lets its tags tell of the turntable. */
static pov_status learn_turn(taking *t, const pov_image *image, const pov_turntable_commanded *told)
{
    return pov_turntable_calibration_add(t->calibration, image->name, t->tags, told);
}

static pov_status keep_empty(taking *t, const pov_image *image)
{
    POV_TRY(keep_view(t, image, SHOTS, 0));
    return learn_turn(t, image, NULL);
}

static pov_status keep_next(taking *t, const pov_image *image, double commanded_rad)
{
    const pov_turntable_commanded told = {.commanded_rad = commanded_rad};
    POV_TRY(keep_view(t, image, t->len, commanded_rad));
    t->len++;
    return learn_turn(t, image, isfinite(commanded_rad) ? &told : NULL);
}

/* ---- the empty table ---- */

static pov_status ask_for(const char *what)
{
    char line[16];
    if (!isatty(STDIN_FILENO))
        return pov_error("no person is there to clear the table; take an image of it with nothing on the "
                         "turntable and give "
                         "it as --empty IMAGE");
    fprintf(stderr, "%s, then press Enter ", what);
    return fgets(line, sizeof line, stdin) ? pov_ok() : pov_status_of(POV_END);
}

static pov_status take_empty_from_file(taking *t)
{
    pov_image_file *file;
    pov_image image;
    POV_TRY(pov_image_file_new(&file));
    pov_status status = pov_image_file_read(file, &image, t->options->empty);
    POV_THEN(status, keep_empty(t, &image));
    pov_image_file_destroy(&file);
    return status;
}

static pov_status take_empty(taking *t)
{
    pov_image image;
    if (t->options->empty)
        return take_empty_from_file(t);
    if (pov_sweep_rig_kind(t->rig) == POV_RIG_SIMULATOR || pov_sweep_rig_kind(t->rig) == POV_RIG_FOLDER)
        return pov_error("an image of the table with nothing on the turntable is needed: --empty IMAGE");
    POV_TRY(ask_for("take everything off the turntable"));
    POV_TRY(pov_sweep_rig_turn(t->rig, 0));
    POV_TRY(pov_sweep_rig_shoot(t->rig, &image, 0));
    POV_TRY(keep_empty(t, &image));
    return ask_for("set the object on its middle, alone");
}

/* ---- the turn ---- */

static pov_status turn_by_motor(taking *t, pov_progress *progress)
{
    for (int i = 0; i < t->options->stops; i++) {
        pov_image image;
        const double angle_rad = 2 * POV_PI * i / t->options->stops;
        POV_TRY(pov_sweep_rig_turn(t->rig, angle_rad));
        POV_TRY(pov_sweep_rig_shoot(t->rig, &image, i));
        POV_TRY(keep_next(t, &image, angle_rad));
        pov_progress_update(progress, t->len, pov_clock_monotonic_ns());
    }
    return pov_ok();
}

static pov_status take_folder(taking *t, pov_progress *progress)
{
    for (int i = 0;; i++) {
        pov_image image;
        const pov_status status = pov_sweep_rig_shoot(t->rig, &image, i);
        if (status.code == POV_END)
            return pov_ok();
        POV_TRY(status);
        if (t->len == SHOTS)
            return pov_error("%s: more than %d images; take every second one, say", image.name, SHOTS);
        POV_TRY(keep_next(t, &image, NAN));
        pov_progress_update(progress, t->len, pov_clock_monotonic_ns());
    }
}

static bool stands_still(const pov_tags *now, const pov_tags *before)
{
    int same = 0;
    for (int i = 0; i < now->len; i++)
        for (int k = 0; k < before->len; k++)
            if (now->tags[i].id == before->tags[k].id && now->tags[i].family == before->tags[k].family) {
                const pov_vec2 a = now->tags[i].corner_px[0], b = before->tags[k].corner_px[0];
                if (hypot(a.x - b.x, a.y - b.y) > still_px)
                    return false;
                same++;
            }
    return same > 0;
}

static pov_status say_what_is_missing(const pov_hand_turn *turn)
{
    const pov_hand_gap gap = pov_hand_turn_gap(turn);
    return pov_error(
        "the images end after %d of use, and from %.0f to %.0f degrees of the turn (the first image being 0, "
        "counter-clockwise) the turntable never stood still with its tags in view; go on turning there, "
        "more slowly",
        turn->len, pov_degrees(gap.from_rad), pov_degrees(gap.from_rad + gap.wide_rad));
}

/* The person turns slowly, or lets go now and then. Images in which no tag has moved since the last are kept. */
static pov_status turn_by_hand(taking *t, pov_progress *progress)
{
    pov_hand_turn turn = pov_hand_turn_for(t->options->stops);
    fputs("turn the table slowly once round: a minute, or let go every few degrees\n", stderr);
    while (!pov_hand_turn_is_round(&turn)) {
        pov_image image;
        if (pov_cli_stop_requested())
            return pov_status_of(POV_END);
        const pov_status status = pov_sweep_rig_shoot(t->rig, &image, 0);
        if (status.code == POV_END)
            return pov_cli_stop_requested() ? status : say_what_is_missing(&turn);
        POV_TRY(status);
        POV_TRY(keep_view(t, &image, t->len, NAN));
        const double angle_rad = pov_hand_turn_angle(&turn, &t->station->camera, t->views, &t->views[t->len]);
        if (stands_still(t->tags, t->last_tags) && pov_hand_turn_wants(&turn, angle_rad)) {
            pov_hand_turn_keep(&turn, angle_rad);
            POV_TRY(learn_turn(t, &image, NULL));
            t->len++;
        }
        memcpy(t->last_tags, t->tags, sizeof *t->tags);
        pov_progress_update(progress, (int64_t)(pov_degrees(pov_hand_turn_seen(&turn))),
                            pov_clock_monotonic_ns());
    }
    return pov_ok();
}

static pov_status take_view(taking *t)
{
    const pov_rig_kind kind = pov_sweep_rig_kind(t->rig);
    POV_TRY(pov_sweep_rig_home(t->rig));
    POV_TRY(take_empty(t));
    pov_progress progress = pov_progress_start(stderr, kind == POV_RIG_HAND ? "degrees" : "images",
                                               kind == POV_RIG_FOLDER ? pov_sweep_rig_stops(t->rig)
                                               : kind == POV_RIG_HAND ? 360
                                                                      : t->options->stops,
                                               pov_clock_monotonic_ns());
    const pov_status status = kind == POV_RIG_FOLDER ? take_folder(t, &progress)
                              : kind == POV_RIG_HAND ? turn_by_hand(t, &progress)
                                                     : turn_by_motor(t, &progress);
    pov_progress_clear(&progress);
    return status;
}

/* ---- angles and axis ---- */

/* The edge of a tag that the cast names; 0: none. */
static double cast_edge(const pov_cast *cast)
{
    for (int i = 0; i < cast->len; i++)
        if (cast->members[i].found_by == &pov_found_by_tag)
            return cast->members[i].tag_edge_m;
    return 0;
}

/* The given height of the turntable's top, in metres; NAN: not given. */
static double told_height(const pov_enrol_turn_options *options)
{
    return options->has_axis ? options->axis_m.z : options->has_top ? options->top_m : NAN;
}

/* NAN: there are no tags on it. */
static pov_status find_edge(const taking *t, double *edge_m)
{
    const double height_m = told_height(t->options);
    *edge_m = t->options->ring_edge_m > 0 ? t->options->ring_edge_m
              : isfinite(height_m)        ? pov_ring_edge(&t->station->camera, t->views, t->len, height_m)
                                          : cast_edge(&t->station->cast);
    return isfinite(height_m) || *edge_m > 0
               ? pov_ok()
               : pov_error(
                     "how high the turntable's top is is not known: give --top Z, in metres above the table "
                     "frame's plane, or --ring-edge M, the edge of the tags on it");
}

static pov_status calibrate_axis(taking *t)
{
    double edge_m;
    POV_TRY(find_edge(t, &edge_m));
    if (!(edge_m > 0))
        return pov_status_with(POV_UNDEFINED, "no tags are seen on it");
    pov_turntable_calibration_set_edge(t->calibration, edge_m);
    POV_TRY(pov_turntable_calibration_run(t->calibration));
    const pov_turntable_report *report = pov_turntable_calibration_report(t->calibration);
    for (int i = 1; i <= t->len; i++)
        if (!isfinite(report->images[i].angle_rad))
            return pov_status_with(POV_UNDEFINED, "%s shows no tag that turns with the table",
                                   report->images[i].name);
    return pov_ok();
}

/* The point where the axis meets the top. Without a given height, the top is the plane of the tags' centres. */
static pov_turn_stage stage_of(const taking *t, const pov_disc *disc)
{
    const pov_transform *T = &disc->T_table_disc.T;
    const pov_vec3 up = {T->R.m[0][2], T->R.m[1][2], T->R.m[2][2]};
    double height_m = told_height(t->options), reach_m = 0, sum_m = 0;
    for (int i = 0; i < disc->tags.len; i++) {
        const pov_vec3 middle_m = disc->tags.tags[i].T_table_tag.T.t_m;
        reach_m = fmax(reach_m, hypot(middle_m.x, middle_m.y));
        sum_m += pov_transform_apply(*T, middle_m).z;
    }
    if (!isfinite(height_m))
        height_m = sum_m / disc->tags.len;
    const pov_vec3 axis_m = pov_vec3_add(T->t_m, pov_vec3_scale(up, (height_m - T->t_m.z) / up.z));
    return (pov_turn_stage){t->options->has_axis ? t->options->axis_m : axis_m, reach_m + tag_reach_m,
                            t->options->room_m};
}

/* By the tags, if there are any; the table's own zero counts if it told angles. The empty table's is its image's. */
static pov_status find_angles(taking *t, pov_enrol_turn *turn, double angles_rad[SHOTS + 1])
{
    const bool told = t->len > 0 && isfinite(t->commanded_rad[0]);
    const pov_status status = calibrate_axis(t);
    if (status.code == POV_ERROR)
        return status;
    if (status.code != POV_OK && !told)
        return pov_error(
            "where the table stood is not known: %s. Put tags on the turntable that are not in the map "
            "('pov tags'), or let a motor turn it",
            status.message);
    if (status.code != POV_OK && !t->options->has_axis)
        return pov_error(
            "where the turntable's axis is is not known: %s. Put tags on it that are not in the map, or give "
            "--axis X,Y,Z: where the axis meets its top, in metres of the table frame",
            status.message);
    if (status.code != POV_OK) {
        turn->stage = (pov_turn_stage){t->options->axis_m, 0, t->options->room_m};
        memcpy(angles_rad, t->commanded_rad, (size_t)t->len * sizeof *angles_rad);
        angles_rad[SHOTS] = 0;
        return pov_ok();
    }
    const pov_turntable_report *report = pov_turntable_calibration_report(t->calibration);
    const double zero_rad = report->images[1].angle_rad - (told ? t->commanded_rad[0] : 0);
    turn->stage = stage_of(t, &report->disc);
    for (int i = 0; i < t->len; i++)
        angles_rad[i] = report->images[i + 1].angle_rad - zero_rad;
    angles_rad[SHOTS] = isfinite(report->images[0].angle_rad) ? report->images[0].angle_rad - zero_rad : 0;
    return pov_ok();
}

/* ---- cutting ---- */

static pov_image whole_image(const taking *t, int i)
{
    const pov_camera *camera = &t->station->camera;
    return (pov_image){.pixels = t->pixels[i],
                       .width_px = camera->width_px,
                       .height_px = camera->height_px,
                       .stride_bytes = 3 * camera->width_px};
}

static pov_status cut_views(const taking *t, pov_turn_shot *shot, const pov_turn_stage *stage, int i,
                            double angle_rad)
{
    int at[4];
    pov_image image = whole_image(t, i);
    pov_camera camera = t->station->camera;
    pov_turn_room(at, &camera, &t->views[i].T_table_camera, stage);
    if (at[2] == 0)
        return pov_error("the turntable's middle is not in view");
    image.pixels += (size_t)at[1] * (size_t)image.stride_bytes + 3 * (size_t)at[0];
    image.width_px = camera.width_px = at[2];
    image.height_px = camera.height_px = at[3];
    camera.cx_px -= at[0];
    camera.cy_px -= at[1];
    const double deg = pov_degrees(remainder(angle_rad, 2 * POV_PI));
    snprintf(image.name, sizeof image.name, "%.4g deg", deg < -5e-4 ? deg + 360 : fabs(deg));
    *shot = (pov_turn_shot){angle_rad, camera, t->views[i].T_table_camera, image};
    return pov_ok();
}

/* Rows of all pieces, one after the other, in memory of their own. */
static pov_status pack_views(pov_enrol_turn *turn)
{
    size_t bytes = 3 * (size_t)turn->empty.image.width_px * (size_t)turn->empty.image.height_px, next = 0;
    for (int i = 0; i < turn->len; i++)
        bytes += 3 * (size_t)turn->shots[i].image.width_px * (size_t)turn->shots[i].image.height_px;
    turn->pixels = pov_allocate(bytes, 1);
    for (int i = -1; i < turn->len; i++) {
        pov_image *image = i < 0 ? &turn->empty.image : &turn->shots[i].image;
        const size_t row = 3 * (size_t)image->width_px, first = next;
        for (int y = 0; y < image->height_px; y++, next += row)
            memcpy(turn->pixels + next, image->pixels + (size_t)y * (size_t)image->stride_bytes, row);
        image->pixels = turn->pixels + first;
        image->stride_bytes = (int)row;
    }
    return pov_ok();
}

static int by_angle(const void *a, const void *b)
{
    const double x = ((const pov_turn_shot *)a)->angle_rad, y = ((const pov_turn_shot *)b)->angle_rad;
    return (x > y) - (x < y);
}

static pov_status cut_all(taking *t, pov_enrol_turn *turn)
{
    double angles_rad[SHOTS + 1];
    POV_TRY(find_angles(t, turn, angles_rad));
    turn->shots = pov_allocate((size_t)t->len + 1, sizeof *turn->shots);
    for (int i = 0; i < t->len; i++) {
        const double turned = fmod(angles_rad[i], 2 * POV_PI);
        POV_TRY(cut_views(t, &turn->shots[turn->len], &turn->stage, i,
                          turned < 0 ? turned + 2 * POV_PI : turned));
        turn->len++;
    }
    qsort(turn->shots, (size_t)turn->len, sizeof *turn->shots, by_angle);
    int kept = 0; /* of two at one angle, the first */
    for (int i = 0; i < turn->len; i++)
        if (kept == 0 || turn->shots[i].angle_rad - turn->shots[kept - 1].angle_rad > 1e-3)
            turn->shots[kept++] = turn->shots[i];
    turn->len = kept - (kept % 2); /* every second one is for trying */
    turn->empty = (pov_turn_shot){angles_rad[SHOTS], t->station->camera, t->views[SHOTS].T_table_camera,
                                  whole_image(t, SHOTS)};
    return pack_views(turn);
}

static void release_turn(taking *t)
{
    for (int i = 0; i <= SHOTS; i++)
        free(t->pixels[i]);
    pov_sweep_rig_destroy(&t->rig);
    pov_tag_detector_destroy(&t->detector);
    pov_turntable_calibration_destroy(&t->calibration);
    free(t->views);
    free(t->tags);
    free(t->last_tags);
}

pov_status pov_enrol_turn_take(pov_enrol_turn *turn, const pov_station *station,
                               const pov_enrol_turn_options *options)
{
    taking t = {.station = station, .options = options};
    const pov_turntable_setup setup = {
        .camera = &station->camera,
        .map = station->finders.tags.map.len > 0 ? &station->finders.tags.map : NULL,
        .T_table_camera = station->place.is_given ? &station->place.T_table_camera : NULL};
    *turn = (pov_enrol_turn){0};
    t.views = pov_allocate(SHOTS + 1, sizeof *t.views);
    t.tags = pov_allocate(1, sizeof *t.tags);
    t.last_tags = pov_allocate(1, sizeof *t.last_tags);
    pov_status status = pov_ok();
    if (!station->place.is_given && station->finders.tags.map.len == 0)
        status = pov_error(
            "the station says neither where the camera is nor which tags tell: camera.pose or tags.map");
    POV_THEN(status, pov_sweep_rig_new(&t.rig, station, options->by_hand));
    if (status.code == POV_OK && station->finders.tags.is_wanted)
        status = pov_tag_detector_new(&t.detector, &station->finders.tags.detector);
    t.calibration = pov_turntable_calibration_new(&setup);
    POV_THEN(status, take_view(&t));
    POV_THEN(status, cut_all(&t, turn));
    release_turn(&t);
    return status;
}

void pov_enrol_turn_free(pov_enrol_turn *turn)
{
    free(turn->shots);
    free(turn->pixels);
    *turn = (pov_enrol_turn){0};
}
