#include "firmware/cli.h"
#include "firmware/outputs/sink.h"
#include "firmware/picture/annotate.h"
#include "firmware/picture/annotated_files.h"
#include "firmware/picture/image_file.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *folder;       /* borrowed */
    pov_annotator *annotator; /* NULL: no camera yet */
    pov_annotated_files *files;
    bool is_failing; /* said that images cannot be written; until they can be again */
    uint64_t lost;
} annotated_sink;

static void fit_camera(void *sink, const pov_camera *camera, int index)
{
    (void)index;
    annotated_sink *self = sink;
    pov_annotator_destroy(&self->annotator);
    self->annotator = pov_annotator_new(camera->width_px, camera->height_px);
}

static pov_status write_picture(annotated_sink *self, const pov_news *news)
{
    char file[POV_ANNOTATED_FILE_CAPACITY], path[POV_STATION_PATH_CAPACITY + POV_ANNOTATED_FILE_CAPACITY];
    const pov_findings *found = news->findings;
    const pov_finder_settings *finders = &news->station->finders;
    const pov_annotation annotation = {.image = news->image,
                                       .camera = &news->station->camera,
                                       .observation = news->observation,
                                       .tags = finders->tags.is_wanted ? &found->tags : NULL,
                                       .camera_pose = found->has_camera_pose ? &found->camera_pose : NULL,
                                       .balls = &found->balls,
                                       .ball_kinds = finders->balls.kinds,
                                       .ball_entity = found->ball_entity};
    const char *camera = news->observation->image.camera;
    char name[POV_NAME_CAPACITY + POV_IMAGE_NAME_CAPACITY]; /* images of several cameras may have one name */
    pov_image picture;
    POV_TRY(pov_annotator_draw(self->annotator, &picture, &annotation));
    snprintf(name, sizeof name, "%s%s%s", camera, *camera ? "_" : "", picture.name);
    pov_annotated_files_name(self->files, file, name, name);
    snprintf(path, sizeof path, "%s/%s", self->folder, file);
    return pov_image_file_write_png(path, &picture);
}

/* A full disk costs the picture, not the judgments. */
static pov_status draw_image(void *sink, const pov_news *news)
{
    annotated_sink *self = sink;
    if (!news->image->pixels)
        return pov_ok();
    const pov_status status = write_picture(self, news);
    const bool failed = status.code != POV_OK;
    if (failed && !self->is_failing)
        pov_cli_warn("%s; images go on being judged, and are annotated again when that can be written",
                     status.message);
    self->is_failing = failed;
    self->lost += failed;
    return pov_ok();
}

static void free_sink(void *sink)
{
    annotated_sink *self = sink;
    pov_annotator_destroy(&self->annotator);
    pov_annotated_files_destroy(&self->files);
    free(self);
}

static const pov_sink_functions annotated_functions = {
    .camera = fit_camera, .show = draw_image, .destroy = free_sink};

pov_status pov_sink_open_annotated(pov_sink *sink, const pov_outputs_config *config)
{
    if (!config->annotate_folder)
        return pov_ok();
    annotated_sink *self = pov_allocate(1, sizeof *self);
    self->folder = config->annotate_folder;
    self->files = pov_annotated_files_new();
    *sink = (pov_sink){&annotated_functions, self};
    return pov_ok();
}

uint64_t pov_sink_annotated_lost(const pov_sink *sink)
{
    return sink->self ? ((const annotated_sink *)sink->self)->lost : 0;
}
