/* The live picture: where it comes from, what the station finds in it, images taken for a calibration, and clicks. */
#include "calib/boards/board_finder.h"
#include "firmware/clock.h"
#include "firmware/picture/image_file.h"
#include "firmware/run/station_runner.h"
#include "firmware/setup/setup_session.h"
#include "perception/geometry/camera.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    WAIT_MS = 200,
    PRACTICE_VIEWS = 12, /* variants a to l of the worlds 'lab' and 'lab-board' */
    PRACTICE_SHOWN = 3   /* images of each: moved, still, taken */
};

static const int64_t period_ns = 150000000; /* of sources that have no rate of their own; chosen */
static const double clipped_max = 0.05; /* share of white pixels above which exposure is too long; chosen */
static const double dark_max = 0.08;    /* mean brightness below which it is too short; chosen */
static const double click_px = 3;       /* one standard deviation of a person's click; chosen */

bool pov_setup_is_practice(const pov_setup *setup)
{
    return setup->has_station && setup->station->source.kind == POV_SOURCE_SIMULATOR &&
           strcmp(setup->station->source.simulator.world, POV_SETUP_PRACTICE_WORLD) == 0;
}

/* ---- the source ---- */

void pov_setup_close_source(pov_setup *s)
{
    pov_image_source_destroy(&s->source);
    s->image.pixels = NULL;
    s->has_image = s->has_observation = false;
}

void pov_setup_close_picture(pov_setup *setup)
{
    pov_setup_close_source(setup);
    pov_pipeline_destroy(&setup->pipeline);
}

static pov_status open_practice(pov_setup *s)
{
    static const char *const worlds[] = {
        [POV_SETUP_SCENE] = POV_SETUP_PRACTICE_WORLD,
        [POV_SETUP_BOARD_VIEWS] = POV_SETUP_PRACTICE_BOARD,
        [POV_SETUP_TAG_VIEWS] = POV_SETUP_PRACTICE_WORLD,
        [POV_SETUP_TABLE] = POV_SETUP_PRACTICE_TABLE,
        [POV_SETUP_EMPTY_TABLE] = POV_SETUP_PRACTICE_TABLE,
    };
    pov_simulator_source_config config = s->station->source.simulator;
    snprintf(config.world, sizeof config.world, "%s", worlds[s->view]);
    if (s->view == POV_SETUP_BOARD_VIEWS || s->view == POV_SETUP_TAG_VIEWS)
        snprintf(config.variant, sizeof config.variant, "%c", 'a' + s->view_number % PRACTICE_VIEWS);
    else if (s->view == POV_SETUP_EMPTY_TABLE)
        snprintf(config.variant, sizeof config.variant, "empty");
    config.loop = true;
    return pov_simulator_source_new(&s->source, &config);
}

static pov_status open_source(pov_setup *s)
{
    pov_setup_close_source(s);
    s->view_shown = 0;
    if (!s->has_station)
        return pov_ok();
    pov_setup_cameras_release(&s->cameras); /* of two sources of one camera the second is refused */
    if (s->view != POV_SETUP_SCENE && pov_setup_is_practice(s))
        return open_practice(s);
    pov_station_source source = s->station->source;
    source.loop = source.simulator.loop = true;
    return pov_station_open_source(&s->source, &source);
}

pov_status pov_setup_open_view(pov_setup *setup, pov_setup_view view)
{
    const bool stays = setup->source && (view == setup->view || !pov_setup_is_practice(setup));
    setup->view = view;
    setup->view_number = 0;
    return stays ? pov_ok() : open_source(setup);
}

/* A simulated world stands still, so that one can click it; the turntable's, while it is turned by hand, between its steps. */
static bool stands_still(const pov_setup *s)
{
    const bool is_turned = s->view == POV_SETUP_TABLE && s->gathers != POV_SETUP_PLACE;
    return s->has_image && s->station->source.kind == POV_SOURCE_SIMULATOR &&
           s->station->source.simulator.rate_hz == 0 && s->view != POV_SETUP_BOARD_VIEWS &&
           s->view != POV_SETUP_TAG_VIEWS && !(is_turned && s->view_shown % PRACTICE_SHOWN == 0);
}

static pov_status next_image(pov_setup *s)
{
    const bool is_carried = s->view == POV_SETUP_BOARD_VIEWS || s->view == POV_SETUP_TAG_VIEWS;
    if (s->rig)
        return pov_setup_turn_shoot(s);
    if (is_carried && pov_setup_is_practice(s) && s->view_shown == PRACTICE_SHOWN) {
        s->view_number++;
        POV_TRY(open_source(s));
    }
    const bool stands = stands_still(s);
    s->view_shown++;
    return stands ? pov_ok() : pov_image_source_next(s->source, &s->image, WAIT_MS);
}

/* ---- what is in it ---- */

static void measure_light(pov_setup *s)
{
    enum { STEP = 8 };
    double sum = 0, white = 0;
    int len = 0;
    for (int y = 0; y < s->image.height_px; y += STEP)
        for (int x = 0; x < s->image.width_px; x += STEP, len++) {
            const uint8_t *p = s->image.pixels + (size_t)y * (size_t)s->image.stride_bytes + 3 * (size_t)x;
            sum += (p[0] + p[1] + p[2]) / (3 * 255.0);
            white += p[0] >= 254 && p[1] >= 254 && p[2] >= 254;
        }
    s->brightness = sum / len;
    s->clipped = white / len;
}

static pov_status open_pipeline(pov_setup *s)
{
    if (s->station->calibration.size_from_images && (s->station->camera.width_px != s->image.width_px ||
                                                     s->station->camera.height_px != s->image.height_px)) {
        pov_pipeline_destroy(&s->pipeline);
        s->station->camera = pov_station_guess_camera(s->station, s->image.width_px, s->image.height_px);
    }
    return s->pipeline ? pov_ok() : pov_pipeline_new(&s->pipeline, s->station);
}

static pov_status judge_image(pov_setup *s)
{
    POV_TRY(open_pipeline(s));
    POV_TRY(pov_pipeline_run(s->pipeline, s->observation, &s->image));
    return pov_pipeline_remember(s->pipeline, &s->image);
}

static void show_image(pov_setup *s, pov_dashboard *dashboard)
{
    if (!dashboard || !s->has_observation)
        return;
    pov_dashboard_show(dashboard, &(pov_news){.image = &s->image,
                                              .observation = s->observation,
                                              .findings = pov_pipeline_findings(s->pipeline),
                                              .station = s->station});
}

/* ---- images for a calibration ---- */

/* The corners of tags, each told by family, id and corner: of a turntable, those that are not in the map. */
static void list_tag_corners(pov_setup *s)
{
    const pov_tags *tags = &pov_pipeline_findings(s->pipeline)->tags;
    const pov_tag_map *map = &s->station->finders.tags.map;
    pov_board_view *points = s->seen;
    for (int i = 0; i < tags->len && points->len + 4 <= POV_BOARD_POINT_MAX; i++) {
        const pov_tag *tag = &tags->tags[i];
        if (s->gathers != POV_SETUP_TAGS_LYING && pov_tag_map_find(map, tag->family, tag->id))
            continue;
        for (int k = 0; k < 4; k++) {
            points->board_m[points->len] = (pov_vec3){4.0 * tag->id + k, tag->family, 0};
            points->pixel[points->len++] = tag->corner_px[k];
        }
    }
    if (s->gathers == POV_SETUP_TAGS_LYING && points->len < 8)
        points->len = 0; /* one tag connects nothing */
}

static void count_cover(pov_setup *s)
{
    const pov_board_view *taken = pov_view_watch_at(s->watch, pov_view_watch_len(s->watch) - 1);
    for (int i = 0; i < taken->len; i++) {
        const int column = (int)(taken->pixel[i].x / s->image.width_px * POV_SETUP_COVER_COLUMNS),
                  row = (int)(taken->pixel[i].y / s->image.height_px * POV_SETUP_COVER_ROWS);
        s->cover[pov_clamp(row, 0, POV_SETUP_COVER_ROWS - 1)]
                [pov_clamp(column, 0, POV_SETUP_COVER_COLUMNS - 1)]++;
    }
}

pov_status pov_setup_save_image(const pov_setup *setup, const char *path)
{
    return pov_image_file_write_png(path, &setup->image);
}

/* The commanded angle of an image: a line of the file that 'pov calib turntable --angles' reads. */
static pov_status note_angle(const pov_setup *s, const char *name)
{
    char path[POV_PATH_CAPACITY];
    pov_setup_path_in(path, s->gathered, POV_SETUP_ANGLES_FILE);
    FILE *file = fopen(path, "a");
    if (file)
        fprintf(file, "%s,%.4f\n", name, s->turned_rad / POV_DEG);
    if (!file || fclose(file) != 0)
        return pov_error("%s: cannot be written: %s", path, strerror(errno));
    return pov_ok();
}

static bool is_turned(const pov_setup *s)
{
    return s->gathers == POV_SETUP_DISC || s->gathers == POV_SETUP_OBJECT;
}

static pov_status keep_image(pov_setup *s)
{
    char path[POV_PATH_CAPACITY], name[32];
    snprintf(name, sizeof name, "%03d.png", s->taken_len);
    pov_setup_path_in(path, s->gathered, name);
    POV_TRY(pov_setup_save_image(s, path));
    s->taken_len++;
    if (s->rig) {
        POV_TRY(note_angle(s, name));
    } else if (is_turned(s)) {
        pov_hand_turn_keep(&s->hand_turn, s->turned_rad);
        return pov_hand_turn_is_round(&s->hand_turn) ? pov_setup_enough(s) : pov_ok();
    } else {
        pov_view_watch_take(s->watch);
        count_cover(s);
    }
    return s->taken_len >= s->wanted_len ? pov_setup_enough(s) : pov_ok();
}

/* Turned by hand, the tags on the disc tell how far, and so which sides are missing. */
static pov_view_news look_for_side(pov_setup *s, pov_view_news news)
{
    pov_ring_view *side = &s->sides[s->hand_turn.len];
    if (news == POV_VIEW_MOVES || news == POV_VIEW_EMPTY || !s->has_observation ||
        s->observation->image.pose_source == POV_POSE_UNKNOWN)
        return news == POV_VIEW_MOVES ? news : POV_VIEW_EMPTY;
    pov_ring_view_set(side, &pov_pipeline_findings(s->pipeline)->tags, &s->station->finders.tags.map,
                      &s->observation->image.T_table_camera.T);
    s->turned_rad = pov_hand_turn_angle(&s->hand_turn, &s->station->camera, s->sides, side);
    return isnan(s->turned_rad)                                ? POV_VIEW_EMPTY
           : pov_hand_turn_wants(&s->hand_turn, s->turned_rad) ? POV_VIEW_IS_NEW
                                                               : POV_VIEW_KNOWN;
}

static pov_status find_points(pov_setup *s)
{
    s->seen->len = 0;
    if (s->gathers == POV_SETUP_BOARD) {
        const pov_status status = pov_board_finder_run(s->finder, s->seen, &s->image);
        return status.code == POV_ERROR ? status : pov_ok();
    }
    if (s->has_observation)
        list_tag_corners(s);
    return pov_ok();
}

/* AprilTags are seen instead of the board that is looked for. False: none is. */
static bool tell_other_board(pov_setup *s)
{
    const char *board = pov_setup_answer(&s->answers[POV_SETUP_LENS], POV_SETUP_LENS, "board");
    const int tags = s->has_observation ? pov_pipeline_findings(s->pipeline)->tags.len : 0;
    const int kind_len = (int)strcspn(board, ":");
    if (s->gathers != POV_SETUP_BOARD || tags == 0)
        return false;
    if (strncmp(board, "aprilgrid", (size_t)kind_len) == 0)
        snprintf(
            s->live, sizeof s->live,
            "%d AprilTags are seen, but not the grid %.60s: show all of it, or press Stop and correct its "
            "columns, rows and sizes",
            tags, board);
    else
        snprintf(s->live, sizeof s->live,
                 "%d AprilTags are seen, but no %.*s board: if this is an AprilGrid, press Stop and name it "
                 "(aprilgrid:...); else show the %.*s board",
                 tags, kind_len, board, kind_len, board);
    return true;
}

static pov_status gather_image(pov_setup *s)
{
    static const char *const words[][4] = {
        [POV_SETUP_BOARD] = {"show the board", "hold it still", "show it elsewhere, tilted otherwise",
                             "taken"},
        [POV_SETUP_TAGS_LYING] = {"show two tags or more", "hold the camera still",
                                  "go on: another side, another height", "taken"},
        [POV_SETUP_DISC] = {"no tag on the turntable is in view", "let it stand still",
                            "turn it on by some degrees", "taken"},
    };
    pov_view_news news = POV_VIEW_IS_NEW;
    if (s->gathers == POV_SETUP_CLEAR || s->gathers == POV_SETUP_PLACE)
        return pov_ok();
    if (!s->rig) {
        POV_TRY(find_points(s));
        news = pov_view_watch_look(s->watch, s->seen, s->image.width_px);
        if (is_turned(s))
            news = look_for_side(s, news);
    }
    if (news == POV_VIEW_EMPTY && tell_other_board(s))
        return pov_ok();
    const char *what = words[s->gathers == POV_SETUP_OBJECT ? POV_SETUP_DISC : s->gathers][news];
    if (!s->rig && is_turned(s))
        snprintf(s->live, sizeof s->live, "%d taken, %.0f of 360 degrees; %s", s->taken_len,
                 pov_hand_turn_seen(&s->hand_turn) / POV_DEG, what);
    else
        snprintf(s->live, sizeof s->live, "%d of %d taken; %s", s->taken_len + (news == POV_VIEW_IS_NEW),
                 s->wanted_len, what);
    return news == POV_VIEW_IS_NEW ? keep_image(s) : pov_ok();
}

/* ---- in words ---- */

static void say_light(pov_setup *s)
{
    const char *light = s->clipped > clipped_max   ? "too bright: shorten the exposure, or dim the light"
                        : s->brightness < dark_max ? "too dark: lengthen the exposure, or add light"
                                                   : "well exposed";
    snprintf(s->live, sizeof s->live, "%d × %d pixels, %s (%.0f %% bright, %.1f %% white)%s",
             s->image.width_px, s->image.height_px, light, 100 * s->brightness, 100 * s->clipped,
             pov_image_is_simulated(s->image.name) ? "; simulated" : "");
}

static void say_pose(pov_setup *s)
{
    const pov_findings *found = pov_pipeline_findings(s->pipeline);
    const pov_pose *pose = &s->observation->image.T_table_camera;
    if (s->observation->image.pose_source == POV_POSE_UNKNOWN)
        snprintf(s->live, sizeof s->live, "%d tags seen; where the camera is, is not known yet",
                 found->tags.len);
    else if (found->has_camera_pose)
        snprintf(s->live, sizeof s->live,
                 "the camera is %.2f m above the table, by %d tags that fit to %.2f px", pose->T.t_m.z,
                 found->camera_pose.used_len, found->camera_pose.rms_px);
    else
        snprintf(s->live, sizeof s->live, "the camera is %.2f m above the table", pose->T.t_m.z);
}

static void say_what_is_seen(pov_setup *s)
{
    if (s->at == POV_SETUP_CAMERA || !s->has_observation)
        say_light(s);
    else
        say_pose(s);
}

bool pov_setup_describe(char words[POV_SETUP_WORDS_CAPACITY], const pov_setup *setup, const char *id)
{
    const pov_scene *scene = setup->has_observation ? &setup->observation->scene : NULL;
    for (pov_id i = 0; scene && i < scene->len; i++) {
        const pov_entity *entity = &scene->entities[i];
        if (strcmp(entity->name, id) != 0)
            continue;
        if (!entity->placed && setup->observation->image.pose_source == POV_POSE_UNKNOWN) {
            snprintf(words, POV_SETUP_WORDS_CAPACITY, "not placed: where the camera is, is not known");
            return false;
        }
        if (!entity->placed)
            break;
        snprintf(
            words, POV_SETUP_WORDS_CAPACITY, "at %.2f, %.2f m, ± %.0f mm", entity->position.mean_m.x,
            entity->position.mean_m.y,
            1e3 * sqrt(fmax(0, fmax(entity->position.own_cov_m2[0][0], entity->position.own_cov_m2[1][1]))));
        return true;
    }
    snprintf(words, POV_SETUP_WORDS_CAPACITY, "not found in this image");
    return false;
}

/* ---- clicks ---- */

/* Intersects the ray through a pixel with the horizontal plane of that height. */
static pov_status meet_plane(pov_vec3 *place_m, double *std_m, const pov_setup *s, const double point_px[2],
                             double height_m)
{
    const pov_image_header *image = &s->observation->image;
    const pov_transform T = image->T_table_camera.T;
    pov_vec3 ray;
    if (image->pose_source == POV_POSE_UNKNOWN)
        return pov_error("where the camera is, is not known in this image: a click has no place on the "
                         "table. Show the tags, "
                         "or go back to the step 'tags'");
    if (pov_camera_unproject(&s->station->camera, &ray, NULL, (pov_vec2){point_px[0], point_px[1]}) != POV_OK)
        return pov_error("the lens has no such pixel: click nearer to the image's middle");
    const pov_vec3 d = pov_rot_apply(T.R, ray);
    const double reach_m = (height_m - T.t_m.z) / d.z;
    if (!(reach_m > 0 && reach_m < 50))
        return pov_error("that point is not on the table, but above its horizon");
    *place_m = (pov_vec3){T.t_m.x + reach_m * d.x, T.t_m.y + reach_m * d.y, height_m};
    *std_m = click_px * reach_m / s->station->camera.fx_px / fabs(d.z);
    return pov_ok();
}

/* The median of the pixels about a point, channel by channel. */
static void read_colour(char color[8], const pov_image *image, const double point_px[2])
{
    enum { REACH = 3, SIDE = 2 * REACH + 1 };
    int counts[3][256] = {{0}}, median[3];
    for (int dy = -REACH; dy <= REACH; dy++)
        for (int dx = -REACH; dx <= REACH; dx++) {
            const int x = pov_clamp((int)lround(point_px[0]) + dx, 0, image->width_px - 1),
                      y = pov_clamp((int)lround(point_px[1]) + dy, 0, image->height_px - 1);
            for (int c = 0; c < 3; c++)
                counts[c]
                      [image->pixels[(size_t)y * (size_t)image->stride_bytes + 3 * (size_t)x + (size_t)c]]++;
        }
    for (int c = 0; c < 3; c++)
        for (int sum = median[c] = 0; (sum += counts[c][median[c]]) * 2 <= SIDE * SIDE;)
            median[c]++;
    snprintf(color, 8, "#%02x%02x%02x", (unsigned)median[0] & 255, (unsigned)median[1] & 255,
             (unsigned)median[2] & 255);
}

pov_status pov_setup_click_read(pov_setup_click *click, const pov_setup *setup, pov_setup_step_id step,
                                const pov_setup_answers *answers)
{
    double at_px[2], front_px[2], size_m[3] = {0}, front_std_m;
    pov_vec3 front_m;
    *click = (pov_setup_click){.has_place = false};
    if (!pov_setup_point(at_px, answers, step, "at"))
        return pov_ok();
    if (!setup->has_observation)
        return pov_error("there is no picture to click in yet");
    if (strcmp(pov_setup_answer(answers, step, "found_by"), "ball") == 0)
        size_m[2] = pov_setup_number(answers, step, "diameter_mm") / 1e3;
    else
        POV_TRY(pov_setup_size_parse(size_m, pov_setup_answer(answers, step, "size_mm")));
    read_colour(click->color, &setup->image, at_px);
    POV_TRY(meet_plane(&click->position_m, &click->position_std_m, setup, at_px, size_m[2] / 2));
    click->has_place = true;
    if (!pov_setup_point(front_px, answers, step, "front"))
        return pov_ok();
    POV_TRY(meet_plane(&front_m, &front_std_m, setup, front_px, 0));
    const double x_m = front_m.x - click->position_m.x, y_m = front_m.y - click->position_m.y;
    click->has_front = true;
    click->front_rad = atan2(y_m, x_m);
    click->front_std_rad = atan2(hypot(front_std_m, click->position_std_m), hypot(x_m, y_m));
    return pov_ok();
}

/* ---- a turn ---- */

static void rest(pov_setup *s)
{
    const int64_t left_ns = s->due_ns - pov_clock_monotonic_ns();
    if (left_ns > 0)
        nanosleep(&(struct timespec){.tv_nsec = left_ns < period_ns ? left_ns : period_ns}, NULL);
    s->due_ns = pov_clock_monotonic_ns() + period_ns;
}

static void give_up_picture(pov_setup *s, pov_status status)
{
    const pov_setup_step_id step = s->rig ? s->at : POV_SETUP_CAMERA;
    const bool was_turning = s->rig != NULL;
    pov_setup_close_source(s);
    if (was_turning)
        pov_setup_cancel(s); /* the camera's picture comes again */
    pov_setup_fail(s, step, status);
}

/* Tells where a thing that was just named is found, or after some images that it is not. */
static void judge_named(pov_setup *s)
{
    enum { IMAGES_MAX = 8 }; /* a video is searched in parts; chosen */
    char words[POV_SETUP_WORDS_CAPACITY];
    const bool found = pov_setup_describe(words, s, s->named);
    if (!found && ++s->named_images < IMAGES_MAX)
        return;
    pov_setup_judge(s, s->named_by, found ? POV_SETUP_GOOD : POV_SETUP_BAD,
                    found ? "%s'%s' is found %.200s."
                          : "%s'%s' is in the cast, but %.200s. Look whether it is in the picture, or tell "
                            "otherwise how it is found.",
                    s->note, s->named, words);
    *s->named = *s->note = '\0';
}

void pov_setup_turn(pov_setup *setup, pov_dashboard *dashboard)
{
    pov_setup_job_poll(setup);
    rest(setup);
    if (!setup->source && !setup->rig) {
        if (dashboard && setup->at == POV_SETUP_CAMERA && !pov_setup_is_busy(setup))
            pov_setup_cameras_look(&setup->cameras);
        return;
    }
    pov_status status = next_image(setup);
    if (status.code == POV_TIMEOUT)
        snprintf(setup->live, sizeof setup->live, "no image comes from the camera");
    if (status.code == POV_END)
        status = open_source(setup);
    if (status.code == POV_ERROR)
        give_up_picture(setup, status);
    if ((!setup->source && !setup->rig) || status.code != POV_OK || !setup->image.pixels)
        return;
    setup->has_image = true;
    measure_light(setup);
    status = judge_image(setup);
    setup->has_observation = status.code == POV_OK;
    if (status.code == POV_OK)
        say_what_is_seen(setup);
    else
        snprintf(setup->live, sizeof setup->live, "%.500s", status.message);
    show_image(setup, dashboard);
    if (*setup->named)
        judge_named(setup);
    if (setup->gathers == POV_SETUP_NOTHING)
        return;
    status = gather_image(setup);
    if (status.code == POV_ERROR) {
        const pov_setup_step_id step = setup->at;
        pov_setup_cancel(setup);
        pov_setup_fail(setup, step, status);
    }
}
