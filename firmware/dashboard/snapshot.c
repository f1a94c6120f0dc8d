#include "firmware/dashboard/snapshot.h"

#include <stdlib.h>
#include <string.h>

pov_status pov_snapshot_new(pov_snapshot **snapshot)
{
    *snapshot = calloc(1, sizeof **snapshot);
    if (*snapshot)
        (*snapshot)->observation = calloc(1, sizeof(pov_observation));
    if (*snapshot && (*snapshot)->observation)
        return pov_ok();
    pov_snapshot_destroy(snapshot);
    return pov_error("out of memory for the dashboard");
}

void pov_snapshot_destroy(pov_snapshot **snapshot)
{
    if (*snapshot) {
        free((*snapshot)->pixels);
        free((*snapshot)->observation);
    }
    free(*snapshot);
    *snapshot = NULL;
}

/* Only what is in use: the whole is two megabytes. */
static void copy_observation(pov_observation *to, const pov_observation *from)
{
    to->image = from->image;
    to->lens = from->lens;
    to->tag_len = from->tag_len;
    memcpy(to->tags, from->tags, (size_t)from->tag_len * sizeof *from->tags);
    to->scene.len = from->scene.len;
    memcpy(to->scene.entities, from->scene.entities, (size_t)from->scene.len * sizeof *from->scene.entities);
    to->scene.camera = from->scene.camera;
    to->judgment_len = to->directed_len = from->directed_len;
    memcpy(to->judgments, from->judgments, (size_t)from->directed_len * sizeof *from->judgments);
    to->sight_len = from->sight_len;
    memcpy(to->sights, from->sights, (size_t)from->sight_len * sizeof *from->sights);
}

/* The mean of four pixels, spread evenly over each block: enough against flicker, and one pass over part of the image. */
static void shrink_row(uint8_t *to, const uint8_t *upper, const uint8_t *lower, int width_px, int factor)
{
    const int step = 3 * factor, left = 3 * (factor / 4), right = 3 * (factor - 1 - factor / 4);
    for (int x = 0; x < width_px; x++, to += 3, upper += step, lower += step)
        for (int c = 0; c < 3; c++)
            to[c] =
                (uint8_t)((upper[left + c] + upper[right + c] + lower[left + c] + lower[right + c] + 2) / 4);
}

static void shrink_image(uint8_t *pixels, const pov_image *small, const pov_image *image, int factor)
{
    const size_t row = 3 * (size_t)small->width_px, stride = (size_t)image->stride_bytes;
    const size_t up = (size_t)(factor / 4) * stride, down = (size_t)(factor - 1 - factor / 4) * stride;
    for (int y = 0; y < small->height_px; y++) {
        const uint8_t *from = image->pixels + (size_t)(y * factor) * stride;
        if (factor == 1)
            memcpy(pixels + (size_t)y * row, from, row);
        else
            shrink_row(pixels + (size_t)y * row, from + up, from + down, small->width_px, factor);
    }
}

static void copy_picture(pov_snapshot *s, const pov_image *image)
{
    const int factor = (image->width_px + POV_SNAPSHOT_WIDTH_MAX_PX - 1) / POV_SNAPSHOT_WIDTH_MAX_PX;
    s->picture = *image;
    s->picture.pixels = s->picture.grey = NULL;
    s->picture.width_px = image->width_px / factor;
    s->picture.height_px = image->height_px / factor;
    s->picture.stride_bytes = 3 * s->picture.width_px;
    const size_t needed = (size_t)s->picture.stride_bytes * (size_t)s->picture.height_px;
    if (needed > s->capacity) {
        free(s->pixels);
        s->pixels = malloc(needed);
        s->capacity = s->pixels ? needed : 0;
    }
    if (!s->pixels || needed == 0 || !image->pixels)
        return;
    shrink_image(s->pixels, &s->picture, image, factor);
    s->picture.pixels = s->pixels;
}

void pov_snapshot_take(pov_snapshot *snapshot, const pov_news *news)
{
    pov_snapshot *s = snapshot;
    copy_observation(s->observation, news->observation);
    copy_picture(s, news->image);
    s->findings = *news->findings;
    s->camera = news->station->camera;
    s->camera_len = 0;
    for (int i = 0; i < news->station->camera_len && *news->station->cameras[i].id; i++)
        memcpy(s->cameras[s->camera_len++], news->station->cameras[i].id, sizeof s->cameras[i]);
    s->calibration = news->station->calibration;
    memcpy(s->kinds, news->station->finders.balls.kinds, sizeof s->kinds);
    s->judging = news->station->judge.judging;
    s->uses_tags = news->station->finders.tags.is_wanted;
    s->has_health = news->health != NULL;
    s->simulated = pov_image_is_simulated(news->observation->image.name);
    if (news->health)
        s->health = *news->health;
    s->holds = true;
}

pov_annotation pov_snapshot_annotation(const pov_snapshot *snapshot)
{
    const pov_findings *found = &snapshot->findings;
    return (pov_annotation){.camera = &snapshot->camera,
                            .observation = snapshot->observation,
                            .tags = snapshot->uses_tags ? &found->tags : NULL,
                            .camera_pose = found->has_camera_pose ? &found->camera_pose : NULL,
                            .balls = &found->balls,
                            .ball_kinds = snapshot->kinds,
                            .ball_entity = found->ball_entity};
}
