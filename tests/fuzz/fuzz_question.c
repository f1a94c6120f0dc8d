#include "ask/talk/talk.h"
#include "config/scene/scene_file.h"

#include <cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char scene_text[] = "camera: {position_m: [0, -3, 1], look_at_m: [0, 0, 0]}\n"
                                 "entities:\n"
                                 "  - {id: ball, position_m: [0.5, 0, 0], size_m: 0.1}\n"
                                 "  - {id: car, position_m: [0, 0, 0], size_m: 0.2, front_deg: 180}\n"
                                 "  - {id: red_cup, class: cup, position_m: [0, 1, 0], size_m: 0.1}\n"
                                 "  - {id: cup-2, class: cup, position_m: [0, 2, 0], size_m: 0.1}\n"
                                 "  - {id: anna, position_m: [-2, 0, 0], front_deg: 0, addressee: true}\n";

/* A dialogue of lines: each has a reply that says something; a pick is a thing of the scene. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pov_scene scene; /* the same for all */
    static pov_talk *talk;
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    char *text = calloc(1, length + 1), *rest = NULL;
    if (!text || (scene.len == 0 &&
                  (pov_scene_file_parse(&scene, "scene", scene_text, sizeof scene_text - 1).code != POV_OK ||
                   pov_talk_new(&talk).code != POV_OK)))
        abort();
    memcpy(text, bytes, length);
    pov_talk_forget(talk);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const pov_talk_about about = {.scene = &scene, .judging = &judging};
        pov_talk_reply reply;
        if (pov_talk_hear(talk, &reply, &about, line).code != POV_OK || reply.say.len == 0 || !reply.json ||
            reply.outcome >= POV_OUTCOME_COUNT)
            abort();
        const char *pick = cJSON_GetStringValue(cJSON_GetObjectItem(reply.json, "pick"));
        if (pick && pov_scene_find(&scene, pick) == POV_ID_NONE)
            abort();
        pov_talk_reply_clear(&reply);
    }
    free(text);
    return 0;
}
