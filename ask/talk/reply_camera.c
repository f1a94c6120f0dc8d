/* Answers which camera of a station sees a thing best, by each camera's newest image. */
#include "ask/meaning/lexicon.h"
#include "ask/talk/talk_internal.h"
#include "config/files/json_value.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Shares that differ by less are as good: then the larger image of the thing is better. Chosen: ten times the error of a share. */
static const double same_share = 0.05;
/* An older image tells nothing of now: firmware tells of a silent camera after as long. */
static const int64_t silent_ns = 2000000000;

/* -------- what each camera saw -------- */

static pov_camera_looks *looks_of(pov_cameras_look *looks, const char *id)
{
    for (int i = 0; i < looks->len; i++)
        if (strcmp(looks->cameras[i].id, id) == 0)
            return &looks->cameras[i];
    POV_REQUIRE(looks->len < POV_CAMERA_MAX);
    pov_camera_looks *camera = &looks->cameras[looks->len++];
    snprintf(camera->id, sizeof camera->id, "%s", id);
    return camera;
}

static double longer_side_px(const pov_entity *entity)
{
    const pov_pixel_box *box = &entity->image_box;
    return entity->has_image_box ? fmax(box->right_px - box->left_px, box->bottom_px - box->top_px) : NAN;
}

void pov_cameras_look_note(pov_cameras_look *looks, const char *id, int64_t capture_ns,
                           const pov_scene *scene, const pov_visibility *sights, int sight_len)
{
    if (*id == '\0')
        return;
    pov_camera_looks *camera = looks_of(looks, id);
    camera->capture_ns = capture_ns;
    camera->look_len = 0;
    for (int i = 0; i < sight_len && scene->camera != POV_ID_NONE; i++) {
        const pov_visibility *sight = &sights[i];
        if (sight->viewer != scene->camera || isnan(sight->fraction_visible) ||
            camera->look_len == POV_ENTITY_MAX)
            continue;
        pov_camera_look *look = &camera->looks[camera->look_len++];
        *look = (pov_camera_look){.share = sight->fraction_visible,
                                  .size_rad = sight->size_rad,
                                  .size_px = longer_side_px(&scene->entities[sight->target])};
        snprintf(look->thing, sizeof look->thing, "%s", scene->entities[sight->target].name);
    }
}

/* -------- the reply -------- */

/* NULL: it cannot tell, or is silent. */
static const pov_camera_look *find_look(const pov_camera_looks *camera, const char *thing, int64_t now_ns)
{
    if (now_ns - camera->capture_ns > silent_ns)
        return NULL;
    for (int i = 0; i < camera->look_len; i++)
        if (strcmp(camera->looks[i].thing, thing) == 0)
            return &camera->looks[i];
    return NULL;
}

static bool in_pixels(const pov_camera_look *a, const pov_camera_look *b)
{
    return !isnan(a->size_px) && !isnan(b->size_px);
}

static bool is_larger(const pov_camera_look *a, const pov_camera_look *b)
{
    return in_pixels(a, b) ? a->size_px > b->size_px : a->size_rad > b->size_rad;
}

/* The largest among those that see as much as any, -1: none sees it. */
static int find_best(const pov_camera_look *const *looks, int len)
{
    double most = 0;
    int best = -1;
    for (int i = 0; i < len; i++)
        if (looks[i])
            most = fmax(most, looks[i]->share);
    for (int i = 0; i < len && most > 0; i++)
        if (looks[i] && looks[i]->share >= most - same_share &&
            (best < 0 || is_larger(looks[i], looks[best])))
            best = i;
    return best;
}

static void add_share(pov_text *text, const pov_camera_look *look)
{
    const double percent = 100 * look->share;
    if (percent < 0.5)
        pov_text_add(text, "none of it");
    else if (percent > 99.5)
        pov_text_add(text, "all of it");
    else
        pov_text_add(text, "%.0f %% of it", percent);
}

static void add_size(pov_text *text, const pov_camera_look *look, bool pixels)
{
    if (pixels)
        pov_text_add(text, ", %.0f pixels large", look->size_px);
    else
        pov_text_add(text, ", %.1f degrees large", pov_degrees(look->size_rad));
}

/* "camera b sees the ball best: 82 % of it; camera a sees 40 % of it". Sizes where they decide. */
static void say_cameras(pov_text *say, const pov_cameras_look *seen, const pov_camera_look *const *looks,
                        int best, const char *thing)
{
    bool pixels = true, by_size = false;
    for (int i = 0; i < seen->len; i++)
        if (looks[i] && i != best) {
            pixels = pixels && in_pixels(looks[i], looks[best]);
            by_size = by_size || looks[i]->share >= looks[best]->share - same_share;
        }
    pov_text_set(say, "camera %s sees %s best: ", seen->cameras[best].id, thing);
    add_share(say, looks[best]);
    if (by_size)
        add_size(say, looks[best], pixels);
    for (int i = 0; i < seen->len; i++) {
        if (i == best)
            continue;
        pov_text_add(say, "; camera %s ", seen->cameras[i].id);
        if (!looks[i]) {
            pov_text_add(say, "does not tell");
            continue;
        }
        pov_text_add(say, "sees ");
        add_share(say, looks[i]);
        if (by_size && looks[i]->share > 0)
            add_size(say, looks[i], pixels);
    }
}

static void list_cameras(pov_replying *r, const pov_cameras_look *seen, const pov_camera_look *const *looks)
{
    cJSON *list = cJSON_AddArrayToObject(r->answer, "cameras");
    for (int i = 0; i < seen->len; i++) {
        cJSON *camera = cJSON_CreateObject();
        pov_json_add_text(camera, "camera", seen->cameras[i].id);
        pov_json_add_number(camera, "fraction_visible", looks[i] ? looks[i]->share : NAN);
        pov_json_add_number(camera, "size_deg", looks[i] ? pov_degrees(looks[i]->size_rad) : NAN);
        pov_json_add_number(camera, "size_px", looks[i] ? looks[i]->size_px : NAN);
        cJSON_AddItemToArray(list, camera);
    }
}

pov_status pov_reply_with_camera(pov_replying *r, const pov_node *core)
{
    const pov_cameras_look *seen = r->real->cameras;
    const pov_camera_look *looks[POV_CAMERA_MAX] = {NULL};
    pov_id id;
    char name[64];
    POV_TRY(pov_reply_find_one(&id, r, pov_node_find(core, "THING")->items->node, POV_ROLE_THING));
    if (r->open.kind != POV_NOTHING_OPEN)
        return pov_ok();
    const char *thing = pov_name_thing(name, r->about->scene, id);
    const int len = seen ? seen->len : 0;
    for (int i = 0; i < len; i++)
        looks[i] = find_look(&seen->cameras[i], r->about->scene->entities[id].name, r->about->capture_ns);
    const int best = find_best(looks, len);
    cJSON_AddStringToObject(r->answer, "kind", "camera");
    cJSON_AddStringToObject(r->answer, "answer",
                            len < 2    ? "undefined"
                            : best < 0 ? "none"
                                       : seen->cameras[best].id);
    if (len > 0)
        list_cameras(r, seen, looks);
    if (len == 1)
        pov_reply_say(r, POV_ANSWERED, "I have heard of one camera only, %s.", seen->cameras[0].id);
    else if (len == 0)
        pov_reply_say(r, POV_ANSWERED, "There is only one camera.");
    else if (best < 0)
        pov_reply_say(r, POV_ANSWERED, "No camera sees %s.", thing);
    else {
        pov_text say = {0};
        say_cameras(&say, seen, looks, best, thing);
        pov_reply_say(r, POV_ANSWERED, "%s.", pov_text_of(&say));
        pov_text_set(&r->why, "%s.", pov_text_of(&say));
        pov_text_free(&say);
    }
    return pov_ok();
}
