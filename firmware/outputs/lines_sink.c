#include "firmware/outputs/observation_text.h"
#include "firmware/outputs/sink.h"
#include "protocol/observation/json.h"

#include <stdlib.h>

typedef struct {
    pov_line_output *lines; /* borrowed */
    bool json, brief;
    pov_text_state told[POV_CAMERA_MAX]; /* of each camera's image */
} lines_sink;

static pov_status write_lines(void *sink, const pov_news *news)
{
    lines_sink *self = sink;
    FILE *stream = pov_line_output_stream(self->lines);
    if (self->json)
        POV_TRY(pov_json_write_observation(stream, news->observation));
    else if (self->brief)
        pov_text_changes(stream, &self->told[news->image->camera], news->observation);
    else
        pov_text_observation(stream, news->observation);
    return pov_line_output_commit(self->lines);
}

static const pov_sink_functions lines_functions = {.show = write_lines, .destroy = free};

pov_status pov_sink_open_lines(pov_sink *sink, const pov_outputs_config *config)
{
    if (!config->lines)
        return pov_ok();
    lines_sink *self = pov_allocate(1, sizeof *self);
    *self = (lines_sink){.lines = config->lines, .json = config->json, .brief = config->brief};
    *sink = (pov_sink){&lines_functions, self};
    return pov_ok();
}
