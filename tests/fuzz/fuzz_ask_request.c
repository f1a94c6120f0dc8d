/* Any bytes to the endpoint `ask:`: read or refused; what is read is UTF-8 without control characters, and has a reply. */
#include "ask/talk/talk.h"
#include "config/files/utf8.h"
#include "config/scene/scene_file.h"
#include "firmware/ask/ask_request.h"

#include <cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char scene_text[] = "camera: {position_m: [0, -3, 1], look_at_m: [0, 0, 0]}\n"
                                 "entities:\n"
                                 "  - {id: ball, position_m: [0.5, 0, 0], size_m: 0.1}\n"
                                 "  - {id: car, position_m: [0, 0, 0], size_m: 0.2, front_deg: 180}\n"
                                 "  - {id: anna, position_m: [-2, 0, 0], front_deg: 0, addressee: true}\n";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pov_scene scene;
    static pov_talk *talk;
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_ask_request request;
    char *text = malloc(length + 1); /* as the responder gives it: a zero byte behind */
    if (!text || (scene.len == 0 &&
                  (pov_scene_file_parse(&scene, "scene", scene_text, sizeof scene_text - 1).code != POV_OK ||
                   pov_talk_new(&talk).code != POV_OK)))
        abort();
    if (length > 0)
        memcpy(text, bytes, length);
    text[length] = '\0';
    if (pov_ask_request_read(&request, text, length).code == POV_OK) {
        pov_talk_reply reply;
        const bool known = !*request.speaker || pov_scene_find(&scene, request.speaker) != POV_ID_NONE;
        const pov_talk_about about = {.scene = &scene,
                                      .judging = &judging,
                                      .speaker = *request.speaker && known ? request.speaker : NULL};
        if (!pov_utf8_is_plain(request.utterance) || !pov_utf8_is_plain(request.speaker))
            abort();
        if (request.forget)
            pov_talk_forget(talk);
        if (pov_talk_hear(talk, &reply, &about, request.utterance).code != POV_OK || !reply.json)
            abort();
        pov_talk_reply_clear(&reply);
    }
    free(text);
    return 0;
}
