/* Scenes from files, and questions in words. */
#include "protocol/library/link.h"

#include "ask/talk/talk.h"
#include "config/scene/scene_file.h"
#include "protocol/links/requester.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

pov_status povlink_scene_read(pov_public_scene **scene, const char *path, const char *text, size_t length)
{
    POV_REQUIRE(scene && path);
    POV_TRY(pov_scene_new(scene));
    pov_scene *inside = &pov_library_inside(*scene)->inside;
    const pov_status status =
        text ? pov_scene_file_parse(inside, path, text, length) : pov_scene_file_read(inside, path);
    if (status.code != POV_OK)
        pov_scene_destroy(scene);
    return status;
}

/* -------- dialogues -------- */

struct povlink_talk {
    pov_talk *talk;
    char *reply;
};

pov_status povlink_talk_new(povlink_talk **talk)
{
    POV_REQUIRE(talk);
    *talk = calloc(1, sizeof **talk);
    pov_status status = *talk ? pov_talk_new(&(*talk)->talk) : pov_error("out of memory");
    if (status.code != POV_OK)
        povlink_talk_destroy(talk);
    return status;
}

void povlink_talk_destroy(povlink_talk **talk)
{
    POV_REQUIRE(talk);
    if (!*talk)
        return;
    pov_talk_destroy(&(*talk)->talk);
    cJSON_free((*talk)->reply);
    free(*talk);
    *talk = NULL;
}

pov_status povlink_talk_ask(povlink_talk *self, const char **reply, pov_public_scene *scene,
                            const char *speaker, const char *utterance)
{
    POV_REQUIRE(self && reply && scene && utterance);
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    const pov_public_scene *inside = pov_library_inside(scene);
    const pov_library_image *image = &inside->image;
    const pov_talk_about about = {.scene = &inside->inside,
                                  .judging = &judging,
                                  .sights = inside->seen,
                                  .sight_len = inside->seen_len,
                                  .speaker = speaker && *speaker ? speaker : NULL,
                                  .image = *image->name ? image->name : NULL,
                                  .sequence = image->sequence,
                                  .capture_ns = image->capture_ns,
                                  .calibration_hash = image->calibration_hash};
    pov_talk_reply answer;
    *reply = "";
    cJSON_free(self->reply);
    self->reply = NULL;
    if (about.speaker && pov_scene_find(about.scene, about.speaker) == POV_ID_NONE)
        return pov_error("nobody called \"%.40s\" is in the scene", about.speaker);
    POV_TRY(pov_talk_hear(self->talk, &answer, &about, utterance));
    self->reply = cJSON_PrintUnformatted(answer.json);
    pov_talk_reply_clear(&answer);
    if (!self->reply)
        return pov_error("out of memory");
    *reply = self->reply;
    return pov_ok();
}

/* -------- stations asked -------- */

struct povlink_asker {
    pov_requester *requester;
};

pov_status povlink_asker_new(povlink_asker **asker, const povlink_address *address)
{
    POV_REQUIRE(asker && address && address->endpoint);
    const pov_subscriber_config config = {
        .endpoint = address->endpoint, .keys = address->keys, .server = address->server};
    *asker = calloc(1, sizeof **asker);
    pov_status status =
        *asker ? pov_requester_new(&(*asker)->requester, &config) : pov_error("out of memory");
    if (status.code != POV_OK)
        povlink_asker_destroy(asker);
    return status;
}

void povlink_asker_destroy(povlink_asker **asker)
{
    POV_REQUIRE(asker);
    if (!*asker)
        return;
    pov_requester_destroy(&(*asker)->requester);
    free(*asker);
    *asker = NULL;
}

pov_status povlink_asker_ask(povlink_asker *self, const char **reply, const char *request, int timeout_ms)
{
    POV_REQUIRE(self && reply && request);
    *reply = "";
    if (timeout_ms < 0)
        return pov_error("timeout_ms: %d is less than 0", timeout_ms);
    const pov_status status = pov_requester_ask(self->requester, reply, request, timeout_ms);
    if (status.code != POV_OK)
        *reply = "";
    return status;
}
