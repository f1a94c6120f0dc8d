#include "ask/grammar/ask.h"
#include "config/scene/scene_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char scene_text[] = "camera: {position_m: [0, -3, 1], look_at_m: [0, 0, 0]}\n"
                                 "entities:\n"
                                 "  - {id: ball, position_m: [0.5, 0, 0]}\n"
                                 "  - {id: car, position_m: [0, 0, 0], front_deg: 180}\n"
                                 "  - {id: red_cup, class: cup, position_m: [0, 1, 0]}\n"
                                 "  - {id: cup-2, class: cup, position_m: [0, 2, 0]}\n"
                                 "  - {id: anna, position_m: [-2, 0, 0], front_deg: 0, addressee: true}\n";

/* A question names only what the scene has; one that is refused says why. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pov_scene scene; /* the same for all */
    pov_request question;
    char *text = calloc(1, length + 1);
    if (!text || (scene.len == 0 &&
                  pov_scene_file_parse(&scene, "scene", scene_text, sizeof scene_text - 1).code != POV_OK))
        abort();
    memcpy(text, bytes, length);
    pov_status status = pov_request_parse(&question, &scene, text);
    if ((status.code == POV_OK) != (status.message[0] == '\0'))
        abort();
    bool related = question.kind == POV_REQUEST_RELATION || question.kind == POV_REQUEST_WHICH ||
                   question.kind == POV_REQUEST_PLACE;
    bool located = related || question.kind == POV_REQUEST_DISTANCE;
    if (status.code == POV_OK && (question.referent >= scene.len || question.viewer >= scene.len ||
                                  question.other >= scene.len || question.kind >= POV_REQUEST_KIND_COUNT ||
                                  (related && !question.relation) || (located && question.relatum_len < 1)))
        abort();
    free(text);
    return 0;
}
