#include "firmware/ask/ask_viewpoint.h"

#include "firmware/ask/ask_lexicon.h"

#include <string.h>

pov_status pov_viewpoint_addressee(pov_id *viewer, const pov_scene *scene)
{
    *viewer = POV_ID_NONE;
    for (int i = 0; i < scene->len; i++) {
        if (!scene->entities[i].addressee)
            continue;
        if (*viewer != POV_ID_NONE)
            return pov_error("there are several addressees, e.g. %s and %s; say from which",
                             scene->entities[*viewer].name, scene->entities[i].name);
        *viewer = i;
    }
    if (*viewer == POV_ID_NONE)
        return pov_error("the scene has no addressee; mark one with addressee: true, or name an entity");
    return pov_ok();
}

static void see_from(pov_request *question, const pov_scene *scene, pov_id viewer)
{
    bool own = viewer == question->relatum[0];
    question->any_perspective = false;
    question->viewer = own ? POV_ID_NONE : viewer;
    question->perspective = own ? POV_INTRINSIC : viewer == scene->camera ? POV_EGOCENTRIC : POV_ADDRESSEE;
}

static void see_intrinsically(pov_request *question)
{
    question->any_perspective = false;
    question->perspective = POV_INTRINSIC;
    question->viewer = POV_ID_NONE;
}

static pov_status see_from_camera(pov_request *question, const pov_scene *scene)
{
    if (scene->camera == POV_ID_NONE)
        return pov_error(
            "the scene has no camera; give its position_m and look_at_m, or ask from another viewer");
    see_from(question, scene, scene->camera);
    return pov_ok();
}

static pov_status see_from_addressee(pov_request *question, const pov_scene *scene)
{
    pov_id viewer;
    POV_TRY(pov_viewpoint_addressee(&viewer, scene));
    see_from(question, scene, viewer);
    return pov_ok();
}

static bool take_convention(pov_request *question, const pov_words *words, int *at)
{
    for (int convention = 0; convention < POV_CONVENTION_COUNT; convention++)
        if (pov_words_match(words, *at, pov_convention_name((pov_convention)convention))) {
            question->convention = (pov_convention)convention;
            ++*at;
            return true;
        }
    return false;
}

static bool take_axis(pov_request *question, const pov_words *words, int *at)
{
    for (int axis = 0; axis < POV_AXIS_COUNT; axis++) {
        int length = pov_words_match(words, *at, pov_axis_name((pov_axis)axis));
        if (length == 0)
            continue;
        question->axis = (pov_axis)axis;
        *at += length;
        return true;
    }
    return false;
}

static bool is_one_of(const char *word, const char *list)
{
    const size_t len = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

/* One word of the tail that names a perspective by its kind; false if it is none. */
static bool take_perspective(pov_status *status, pov_request *question, const pov_scene *scene,
                             const pov_words *words, int *at)
{
    const char *word = words->word[*at];
    *status = pov_ok();
    if (is_one_of(word, "camera viewer egocentric robot you your"))
        *status = see_from_camera(question, scene);
    else if (is_one_of(word, "addressee me my i"))
        *status = see_from_addressee(question, scene);
    else if (strcmp(word, "intrinsic") == 0 || strcmp(word, "intrinsically") == 0 || strcmp(word, "its") == 0)
        see_intrinsically(question);
    else if (strcmp(word, "absolute") != 0)
        return false;
    ++*at;
    return true;
}

/* One of the small words between the others. */
static bool take_filler(const pov_words *words, int *at)
{
    int start = *at;
    pov_words_skip(words, at,
                   "from in by to the a an own side view viewpoint perspective point of eyes front frame "
                   "convention as seen and with for");
    *at = start + (*at > start);
    return *at > start;
}

/* Compass relations are the same from everywhere; so are those that need no frame. */
static pov_status settle(pov_request *question)
{
    pov_frame_need need = question->relation->frame;
    if (need != POV_FRAME_NORTH && need != POV_FRAME_NONE)
        return pov_ok();
    if (!question->any_perspective)
        return pov_error("\"%s\" is the same from everywhere; leave the viewer out",
                         question->relation->phrases[0]);
    question->any_perspective = false;
    question->perspective = POV_ABSOLUTE;
    question->viewer = POV_ID_NONE;
    return pov_ok();
}

pov_status pov_viewpoint_take(pov_request *question, const pov_scene *scene, const pov_words *words, int at)
{
    while (at < words->len) {
        pov_status status;
        pov_id viewer = pov_lexicon_entity_at(scene, words, &at);
        if (viewer != POV_ID_NONE)
            see_from(question, scene, viewer);
        else if (take_perspective(&status, question, scene, words, &at))
            POV_TRY(status);
        else if (!take_convention(question, words, &at) && !take_axis(question, words, &at) &&
                 !take_filler(words, &at))
            return pov_lexicon_unknown_entity(scene, words, at, "viewer, perspective or convention");
    }
    return settle(question);
}
