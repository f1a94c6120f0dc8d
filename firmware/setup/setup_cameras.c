#include "firmware/setup/setup_cameras.h"

#include "config/files/text.h"
#include "config/setup/setup_file.h"
#include "firmware/clock.h"
#include "firmware/picture/image_thumbnail.h"
#include "firmware/sources/simulator_source.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PICTURE_PX = 240,
    PATIENCE_MS = 4000,
    SLICE_MS = 100, /* so soon it stops when asked to */
    WARMING_UP = 8  /* images until exposure has settled */
};

enum { LOOK_AT_ALL = -1 };

/* What one run of the thread is to do, and what it found: nobody else touches it before is_done. */
struct pov_setup_look {
    pthread_t thread;
    atomic_bool is_done, stops;
    int index; /* of the camera to look through; LOOK_AT_ALL: list them */
    pov_setup_camera camera;
    pov_status (*open)(pov_image_source **source, const pov_setup_camera *camera);
    pov_libcamera_list *found;
    char *picture;
    pov_status status;
};

static const int64_t again_ns = 4000000000; /* cameras are plugged in while the page is open; chosen */

/* ---- the list ---- */

static void forget_camera(pov_setup_camera *camera)
{
    free(camera->picture);
    *camera = (pov_setup_camera){.picture = NULL};
}

/* The picture of before, if it was there before. */
static void keep_picture(pov_setup_camera *camera, pov_setup_camera *before, int before_len)
{
    for (int i = 0; i < before_len; i++)
        if (strcmp(before[i].source, camera->source) == 0 && strcmp(before[i].id, camera->id) == 0) {
            *camera = before[i];
            before[i].picture = NULL;
        }
}

static void describe_camera(pov_setup_camera *camera, const pov_libcamera_camera *found)
{
    int width_px = 0, height_px = 0;
    for (int i = 0; i < found->mode_len; i++)
        if (found->modes[i].width_px > width_px) {
            width_px = found->modes[i].width_px;
            height_px = found->modes[i].height_px;
        }
    *camera = (pov_setup_camera){.source = "libcamera"};
    snprintf(camera->id, sizeof camera->id, "%s", found->id);
    snprintf(camera->title, sizeof camera->title, "%s", *found->model ? found->model : found->id);
    snprintf(camera->words, sizeof camera->words, "%s%sup to %d x %d px", found->location,
             *found->location ? ", " : "", width_px, height_px);
}

static void tell_of_more(pov_setup_camera *last, int more)
{
    const size_t length = strlen(last->words);
    snprintf(last->words + length, sizeof last->words - length,
             "; %d more cameras have no card: unplug some, or 'pov init --camera ID'", more);
}

static void take_list(pov_setup_cameras *cameras, const pov_setup_look *look)
{
    pov_setup_camera before[POV_SETUP_CAMERAS_MAX];
    const int before_len = cameras->len;
    memcpy(before, cameras->list, sizeof before);
    const int len = look->status.code == POV_OK ? look->found->len : 0;
    for (int i = 0; i < len; i++)
        describe_camera(&cameras->list[i], &look->found->cameras[i]);
    if (len > 0 && look->found->left_out > 0)
        tell_of_more(&cameras->list[len - 1], look->found->left_out);
    cameras->list[len] = (pov_setup_camera){.source = "practice",
                                            .title = "No camera? Practise in a simulated lab",
                                            .words = "simulated: all steps, without hardware"};
    cameras->len = len + 1;
    for (int i = 0; i < cameras->len; i++)
        keep_picture(&cameras->list[i], before, before_len);
    for (int i = 0; i < before_len; i++)
        forget_camera(&before[i]);
}

/* ---- a picture ---- */

static pov_status open_camera(pov_image_source **source, const pov_setup_camera *camera)
{
    if (strcmp(camera->source, "practice") == 0) {
        pov_simulator_source_config config = {.loop = true};
        snprintf(config.world, sizeof config.world, "%s", POV_SETUP_PRACTICE_WORLD);
        return pov_simulator_source_new(source, &config);
    }
    pov_libcamera_source_config config = POV_LIBCAMERA_SOURCE_CONFIG_DEFAULT;
    snprintf(config.camera, sizeof config.camera, "%s", camera->id);
    return pov_libcamera_source_open(source, &config);
}

static pov_status shoot_image(pov_image *image, pov_image_source *source, pov_setup_look *look, int images)
{
    pov_status status = pov_error("it sends no image within %d s", PATIENCE_MS / 1000);
    const int64_t end_ns = pov_clock_monotonic_ns() + PATIENCE_MS * (int64_t)1000000;
    while (images > 0 && pov_clock_monotonic_ns() < end_ns && !atomic_load(&look->stops)) {
        const pov_status got = pov_image_source_next(source, image, SLICE_MS);
        if (got.code == POV_ERROR || got.code == POV_END)
            return got.code == POV_END ? pov_error("it sends no image") : got;
        if (got.code == POV_OK) {
            images--;
            status = got;
        }
    }
    return status;
}

static pov_status take_picture(pov_setup_look *look)
{
    pov_image_source *source = NULL;
    pov_image_thumbnail *thumbnail = NULL;
    pov_image image;
    const char *uri = NULL;
    const bool warms_up = strcmp(look->camera.source, "libcamera") == 0;
    pov_status status = look->open(&source, &look->camera);
    POV_THEN(status, shoot_image(&image, source, look, warms_up ? WARMING_UP : 1));
    POV_THEN(status, pov_image_thumbnail_new(&thumbnail, PICTURE_PX));
    POV_THEN(status, pov_image_thumbnail_of(thumbnail, &uri, &image, look->camera.title));
    if (status.code == POV_OK)
        look->picture = pov_text_new("%s", uri);
    pov_image_thumbnail_destroy(&thumbnail);
    pov_image_source_destroy(&source);
    return status;
}

/* ---- the thread ---- */

static void *run_look(void *argument)
{
    pov_setup_look *look = argument;
    look->status = look->index == LOOK_AT_ALL ? pov_libcamera_source_list(look->found) : take_picture(look);
    atomic_store(&look->is_done, true);
    return NULL;
}

static void start_look(pov_setup_cameras *cameras, int index)
{
    pov_setup_look *look = pov_allocate(1, sizeof *look);
    look->index = index;
    look->open = cameras->open ? cameras->open : open_camera;
    look->found = pov_allocate(1, sizeof *look->found);
    if (index != LOOK_AT_ALL)
        look->camera = cameras->list[index];
    if (pthread_create(&look->thread, NULL, run_look, look) == 0) {
        cameras->look = look;
        return;
    }
    free(look->found); /* the next call tries again */
    free(look);
}

/* Ends the thread, and takes what it found. */
static void end_look(pov_setup_cameras *cameras)
{
    pov_setup_look *look = cameras->look;
    cameras->look = NULL;
    pthread_join(look->thread, NULL);
    if (look->index == LOOK_AT_ALL) {
        take_list(cameras, look);
        cameras->listed_ns = pov_clock_monotonic_ns();
    } else if (look->status.code == POV_OK || !atomic_load(&look->stops)) {
        pov_setup_camera *camera = &cameras->list[look->index];
        camera->is_tried = true;
        camera->picture = look->picture;
        if (look->status.code != POV_OK)
            snprintf(camera->words, sizeof camera->words, "no picture: %.280s", look->status.message);
    }
    free(look->found);
    free(look);
}

void pov_setup_cameras_look(pov_setup_cameras *cameras)
{
    if (cameras->look) {
        if (atomic_load(&cameras->look->is_done))
            end_look(cameras);
        return;
    }
    if (cameras->listed_ns == 0 || pov_clock_monotonic_ns() - cameras->listed_ns > again_ns) {
        start_look(cameras, LOOK_AT_ALL);
        return;
    }
    for (int i = 0; i < cameras->len; i++)
        if (!cameras->list[i].is_tried) {
            start_look(cameras, i);
            return;
        }
}

void pov_setup_cameras_release(pov_setup_cameras *cameras)
{
    if (!cameras->look)
        return;
    atomic_store(&cameras->look->stops, true);
    end_look(cameras);
}

void pov_setup_cameras_free(pov_setup_cameras *cameras)
{
    pov_setup_cameras_release(cameras);
    for (int i = 0; i < cameras->len; i++)
        forget_camera(&cameras->list[i]);
    cameras->len = 0;
}
