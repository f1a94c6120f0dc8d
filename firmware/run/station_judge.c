#include "firmware/run/station_judge.h"

#include "perception/relations/pair_judge.h"
#include "perception/relations/relation_panel.h"
#include "perception/visibility/visibility.h"

#include <stdlib.h>
#include <string.h>

struct pov_station_judge {
    const pov_station_judging *settings;
    const pov_workers *workers;
    pov_relation_panel *panel; /* NULL: the station judges directions only */
    pov_occlusion *occlusion;
};

pov_status pov_station_judge_new(pov_station_judge **judge, const pov_station_judging *settings,
                                 const pov_workers *workers)
{
    pov_station_judge *j = *judge = calloc(1, sizeof *j);
    if (!j)
        return pov_error("judging: out of memory");
    j->settings = settings;
    j->workers = workers;
    pov_status status = pov_occlusion_new(&j->occlusion);
    if (status.code == POV_OK && settings->uses_panel)
        status = pov_relation_panel_new(&j->panel, &settings->judging);
    if (status.code != POV_OK)
        pov_station_judge_destroy(judge);
    return status;
}

void pov_station_judge_destroy(pov_station_judge **judge)
{
    if (!*judge)
        return;
    pov_occlusion_destroy(&(*judge)->occlusion);
    pov_relation_panel_destroy(&(*judge)->panel);
    free(*judge);
    *judge = NULL;
}

/* ---- relations of pairs ---- */

typedef void (*pair_judging)(void *context, pov_observation *observation, pov_id referent, pov_id relatum);

static void judge_named_pairs(const pov_station_judging *settings, pov_observation *observation,
                              pair_judging judge_pair, void *context)
{
    for (int i = 0; i < settings->pair_len; i++) {
        pov_id referent = pov_scene_find(&observation->scene, settings->pairs[i][0]);
        pov_id relatum = pov_scene_find(&observation->scene, settings->pairs[i][1]);
        /* of several alike, not all may be in view */
        if (referent != POV_ID_NONE && relatum != POV_ID_NONE && referent != relatum)
            judge_pair(context, observation, referent, relatum);
    }
}

/* The named pairs, or every ordered pair of the cast, by relatum; not of the camera, which is a viewer only. */
static void judge_pairs(const pov_station_judging *settings, pov_observation *observation,
                        pair_judging judge_pair, void *context)
{
    const pov_scene *scene = &observation->scene;
    if (settings->pair_len > 0) {
        judge_named_pairs(settings, observation, judge_pair, context);
        return;
    }
    for (pov_id relatum = 0; relatum < scene->len; relatum++)
        for (pov_id referent = 0; referent < scene->len; referent++)
            if (referent != relatum && relatum != scene->camera && referent != scene->camera)
                judge_pair(context, observation, referent, relatum);
}

static void judge_directions(void *pair_judge, pov_observation *observation, pov_id referent, pov_id relatum)
{
    const int room = POV_DIRECTED_MAX - observation->directed_len;
    const int len = pov_pair_judge_run(pair_judge, &observation->judgments[observation->directed_len], room,
                                       referent, relatum);
    observation->directed_truncated |= len > room;
    observation->directed_len += len > room ? room : len;
}

/* The other relations are added behind the directions. */
typedef struct {
    pov_relation_panel *panel;
    pov_judgment_list list;
} others_judging;

static void judge_others(void *context, pov_observation *observation, pov_id referent, pov_id relatum)
{
    others_judging *others = context;
    pov_relation_panel_pair(others->panel, &others->list, &observation->scene, referent, relatum);
}

static void judge_other_relations(pov_station_judge *judge, pov_observation *observation)
{
    const pov_scene *scene = &observation->scene;
    others_judging others = {judge->panel,
                             {.judgments = &observation->judgments[observation->directed_len],
                              .capacity = POV_JUDGMENT_MAX - POV_DIRECTED_MAX}};
    judge_pairs(judge->settings, observation, judge_others, &others);
    for (pov_id referent = 0; judge->settings->pair_len == 0 && referent < scene->len; referent++)
        if (referent != scene->camera)
            pov_relation_panel_among(judge->panel, &others.list, scene, referent);
    observation->judgment_len += others.list.len;
    observation->others_truncated = others.list.truncated;
}

void pov_station_judge_relations(pov_station_judge *judge, pov_observation *observation)
{
    pov_pair_judge pair_judge;
    observation->directed_len = 0;
    observation->directed_truncated = observation->others_truncated = false;
    pov_pair_judge_prepare(&pair_judge, &observation->scene, &judge->settings->judging);
    judge_pairs(judge->settings, observation, judge_directions, &pair_judge);
    observation->judgment_len = observation->directed_len;
    if (judge->panel)
        judge_other_relations(judge, observation);
}

/* ---- who sees what ---- */

static bool is_asked(const pov_station_viewers *viewers, const pov_entity *entity)
{
    bool asked = viewers->all;
    for (int i = 0; i < viewers->len && !asked; i++)
        asked = strcmp(viewers->names[i], entity->name) == 0;
    return asked;
}

/* Lists the pairs of viewer and target. */
static void list_sights(pov_observation *observation, pov_id viewer)
{
    for (pov_id target = 0; target < observation->scene.len; target++) {
        if (viewer == target || target == observation->scene.camera)
            continue;
        if (observation->sight_len == POV_SIGHT_MAX)
            observation->sights_truncated = true;
        else
            observation->sights[observation->sight_len++] =
                (pov_visibility){.viewer = viewer, .target = target};
    }
}

typedef struct {
    const pov_occlusion *occlusion;
    pov_visibility *sights;
} looking;

static void look_once(void *context, int index, int worker)
{
    static const pov_seeing seeing = POV_SEEING_DEFAULT;
    const looking *at = context;
    const pov_id viewer = at->sights[index].viewer, target = at->sights[index].target;
    (void)worker;
    (void)pov_visibility_evaluate(at->occlusion, &at->sights[index], viewer, target, &seeing);
}

pov_status pov_station_judge_sights(pov_station_judge *judge, pov_observation *observation)
{
    const pov_scene *scene = &observation->scene;
    const pov_station_viewers *viewers = &judge->settings->visibility;
    observation->sight_len = 0;
    observation->sights_truncated = false;
    if (!viewers->all && viewers->len == 0)
        return pov_ok();
    POV_TRY(pov_occlusion_update(judge->occlusion, scene));
    for (pov_id viewer = 0; viewer < scene->len; viewer++)
        if (scene->entities[viewer].can_see && is_asked(viewers, &scene->entities[viewer]))
            list_sights(observation, viewer);
    pov_tasks_run(judge->workers, look_once, &(looking){judge->occlusion, observation->sights},
                  observation->sight_len);
    return pov_ok();
}

/* ---- directions and views ---- */

static void point_out(pov_observation *observation, pov_id viewer)
{
    static const double abstain_margin = 0.45; /* as for who sees what: P in [0.05, 0.95] is no answer */
    for (pov_id target = 0; target < observation->scene.len; target++) {
        if (viewer == target || target == observation->scene.camera)
            continue;
        if (observation->direction_len == POV_DIRECTION_MAX) {
            observation->directions_truncated = true;
            return;
        }
        pov_observed_direction *direction = &observation->directions[observation->direction_len++];
        direction->viewer = viewer;
        direction->target = target;
        (void)pov_layout_side(&direction->side, &observation->scene, viewer, target, abstain_margin);
    }
}

static void survey_from(pov_observation *observation, pov_id viewer)
{
    static const pov_layout ahead = POV_LAYOUT_DEFAULT;
    if (observation->view_len == POV_VIEW_MAX) {
        observation->views_truncated = true;
        return;
    }
    pov_observed_view *view = &observation->views[observation->view_len++];
    view->viewer = viewer;
    (void)pov_layout_left_to_right(&view->left_to_right, &observation->scene, viewer, &ahead);
    (void)pov_layout_near_to_far(&view->near_to_far, &observation->scene, viewer, &ahead);
}

void pov_station_judge_directions(const pov_station_judge *judge, pov_observation *observation)
{
    const pov_station_viewers *viewers = &judge->settings->directions;
    const pov_scene *scene = &observation->scene;
    observation->direction_len = observation->view_len = 0;
    observation->directions_truncated = observation->views_truncated = false;
    for (pov_id viewer = 0; viewer < scene->len; viewer++) {
        const pov_entity *entity = &scene->entities[viewer];
        if (!(entity->can_see || entity->addressee) || !entity->placed || entity->heading.len == 0 ||
            !is_asked(viewers, entity))
            continue;
        point_out(observation, viewer);
        survey_from(observation, viewer);
    }
}
