#include "firmware/engines/export_log.h"

#include "firmware/cli.h"
#include "firmware/comparison/comparison_log.h"
#include "protocol/recording/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *folder;
    pov_recording *recording;
    pov_codec *codec;
    pov_observation *observation; /* the codec's room for other messages */
    pov_comparison_log *log;      /* NULL: no message of the topic has come yet */
    uint64_t messages;
} log_export;

static pov_status take_event(log_export *self, const pov_recorded_event *event)
{
    pov_message message = {.observation = self->observation};
    if (event->topic != POV_RECORDED_VLM)
        return pov_ok();
    const pov_status decoded =
        pov_codec_decode(self->codec, &message, event->message.bytes, event->message.len);
    if (decoded.code != POV_OK) {
        pov_recording_note_damage(self->recording, &event->message, &decoded);
        return pov_ok();
    }
    if (message.kind != POV_MESSAGE_COMPARISON)
        return pov_ok();
    if (!self->log)
        POV_TRY(pov_comparison_log_new(&self->log, self->folder));
    self->messages++;
    return pov_comparison_log_add(self->log, &message.comparison);
}

static pov_status take_all(log_export *self, const char *recording)
{
    POV_TRY(pov_codec_new(&self->codec));
    POV_TRY(pov_recording_open(&self->recording, recording));
    while (!pov_cli_stop_requested()) {
        pov_recorded_event event;
        const pov_status status = pov_recording_next(self->recording, &event);
        if (status.code == POV_ERROR)
            return status;
        if (status.code == POV_END)
            break;
        if (status.code == POV_OK)
            POV_TRY(take_event(self, &event));
    }
    if (self->messages == 0 && pov_cli_stop_requested())
        return pov_error("stopped; no message of the topic vlm has come yet");
    if (self->messages == 0)
        POV_TRY(pov_recording_damage(self->recording));
    if (self->messages == 0)
        return pov_error("%s: has no messages of the topic vlm: no model was asked while it was recorded",
                         recording);
    POV_TRY(pov_comparison_log_keep(self->log));
    printf("%s: %" PRIu64 " messages; 'pov report %s' makes a page of it\n", self->folder, self->messages,
           self->folder);
    return pov_cli_stop_requested() ? pov_error("stopped; the log has the messages so far")
                                    : pov_recording_damage(self->recording);
}

pov_status pov_export_log(const char *recording, const char *folder)
{
    log_export self = {.folder = folder, .observation = pov_allocate(1, sizeof *self.observation)};
    const pov_status status = take_all(&self, recording);
    pov_comparison_log_destroy(&self.log);
    pov_recording_close(&self.recording);
    pov_codec_destroy(&self.codec);
    free(self.observation);
    return status;
}
