#include "perception/relations/relation_panel.h"

#include "perception/geometry/lattice.h"
#include "perception/relations/predicates/predicate_grade.h"
#include "perception/relations/predicates/predicate_list.h"
#include "perception/relations/predicates/spread_cells.h"
#include "perception/relations/relation_internal.h"
#include "perception/relations/situation_posterior.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The tails a 3-sigma margin asks about hold one point of those at which p may settle. */
enum {
    POINTS_TO_TELL_UNDEFINED = 32,
    POINTS_HURRIED = 256,
    POINTS_SETTLING = 512,
    POINTS_ENOUGH = 1024,
    POINTS_LAST = 2048
};
static const double settled = 0.003; /* change of P from half the points that needs no more; chosen */

typedef struct {
    double point[POV_SITUATION_DIMENSIONS_MAX], normal[POV_SITUATION_DIMENSIONS_MAX];
} lattice_node;

/* Synonyms share a predicate: "near", "by", "close to". */
typedef struct {
    const pov_relation_info *relation;
    int slot;
} chosen_relation;

/* A predicate, and what is known of its expectation for the question at hand. */
typedef struct {
    const pov_relation_info *relation; /* the first that has it */
    pov_truth_tally tally;
    pov_belief belief;
} panel_slot;

/* A cell's measures and truths: ranges that hold for every situation in the cell. */
typedef struct {
    pov_measures measures;
    pov_range truth[POV_REGISTRY_MAX]; /* by slot */
} cell_truths;

struct pov_relation_panel {
    pov_judging judging;
    int relation_len, slot_len, points_last;
    chosen_relation relations[POV_REGISTRY_MAX];
    panel_slot slots[POV_REGISTRY_MAX];
    int open_len, open[POV_REGISTRY_MAX]; /* slots that are not settled yet */
    pov_aim aim;                          /* of those that are judged now: they share their draws */
    pov_spread_cells cells;
    cell_truths in_cell[POV_SPREAD_CELLS_MAX];
    lattice_node nodes[POINTS_LAST];
};

static int slot_of(pov_relation_panel *panel, const pov_relation_info *relation)
{
    for (int i = 0; i < panel->slot_len; i++)
        if (panel->slots[i].relation->evaluate == relation->evaluate &&
            panel->slots[i].relation->frame == relation->frame &&
            panel->slots[i].relation->aim == relation->aim)
            return i;
    panel->slots[panel->slot_len].relation = relation;
    return panel->slot_len++;
}

static void choose_relations(pov_relation_panel *panel)
{
    POV_REQUIRE(pov_relation_registry_len() <= POV_REGISTRY_MAX);
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *relation = pov_relation_registry_at(i);
        if (!panel->judging.other[i])
            continue;
        POV_REQUIRE(relation->projective == POV_RELATION_COUNT);
        panel->relations[panel->relation_len++] = (chosen_relation){relation, slot_of(panel, relation)};
    }
}

static void tabulate_nodes(pov_relation_panel *panel)
{
    for (int i = 0; i < POINTS_LAST; i++) {
        lattice_node *node = &panel->nodes[i];
        pov_lattice_point(node->point, POV_SITUATION_DIMENSIONS_MAX, i);
        for (int k = 0; k < POV_SITUATION_DIMENSIONS_MAX; k++)
            node->normal[k] = pov_normal_quantile(node->point[k]);
    }
}

pov_status pov_relation_panel_new(pov_relation_panel **panel, const pov_judging *judging)
{
    pov_relation_panel *self = *panel = calloc(1, sizeof *self);
    if (self == NULL)
        return pov_error("out of memory for the relations to judge");
    self->judging = *judging;
    self->points_last = POINTS_LAST;
    choose_relations(self);
    if (self->relation_len > 0)
        tabulate_nodes(self);
    return pov_ok();
}

void pov_relation_panel_hurry(pov_relation_panel *panel, bool hurried)
{
    panel->points_last = hurried ? POINTS_HURRIED : POINTS_LAST;
}

void pov_relation_panel_destroy(pov_relation_panel **panel)
{
    free(*panel);
    *panel = NULL;
}

/* -------- expectations -------- */

static bool is_decided(pov_range truth)
{
    return !(truth.low < truth.high);
}

static pov_belief belief_of_certain(double truth, double abstain_margin)
{
    return isnan(truth)
               ? (pov_belief){NAN, NAN, POV_VERDICT_UNDEFINED}
               : (pov_belief){truth, 0, pov_verdict_of_share(pov_share_holding(truth), abstain_margin)};
}

/* Settles relations that are the same in all cells; the others stay open. */
static void close_decided(pov_relation_panel *panel)
{
    int still_open = 0;
    for (int k = 0; k < panel->open_len; k++) {
        int slot = panel->open[k];
        pov_range first = panel->in_cell[0].truth[slot];
        bool same = is_decided(first);
        for (int i = 1; i < panel->cells.len && same; i++) {
            pov_range truth = panel->in_cell[i].truth[slot];
            same = is_decided(truth) && (truth.low == first.low || (isnan(truth.low) && isnan(first.low)));
        }
        if (same)
            panel->slots[slot].belief = belief_of_certain(first.low, panel->judging.abstain_margin);
        else
            panel->open[still_open++] = slot;
    }
    panel->open_len = still_open;
}

/* Settles relations that are the same in the whole spread: most of them. */
static void look_into_whole(pov_relation_panel *panel, const pov_situation *about)
{
    pov_measures measures = {0};
    pov_situation situation = *about;
    int still_open = 0;
    situation.measures = &measures;
    for (int k = 0; k < panel->open_len; k++) {
        panel_slot *slot = &panel->slots[panel->open[k]];
        pov_range truth = slot->relation->evaluate(&situation, &panel->judging.params);
        if (is_decided(truth))
            slot->belief = belief_of_certain(truth.low, panel->judging.abstain_margin);
        else
            panel->open[still_open++] = panel->open[k];
    }
    panel->open_len = still_open;
}

static void look_into_cells(pov_relation_panel *panel, const pov_situation *about,
                            bool axes_turn_with_relatum)
{
    pov_situation situation;
    panel->cells = pov_spread_cells_of(about, axes_turn_with_relatum);
    for (int i = 0; i < panel->cells.len; i++) {
        cell_truths *cell = &panel->in_cell[i];
        pov_spread_cell(&situation, &panel->cells, i);
        memset(&cell->measures, 0, offsetof(pov_measures, gap_m));
        situation.measures = &cell->measures;
        pov_situation_measure(&situation);
        for (int k = 0; k < panel->open_len; k++) {
            int slot = panel->open[k];
            cell->truth[slot] = panel->slots[slot].relation->evaluate(&situation, &panel->judging.params);
        }
    }
    close_decided(panel);
}

/* The range of the situation's cell mostly decides. Else the predicate is evaluated with the cell's measures, then with its own. */
static double truth_at(const pov_relation_panel *panel, int slot, pov_situation *situation, cell_truths *cell,
                       pov_measures *own)
{
    pov_predicate evaluate = panel->slots[slot].relation->evaluate;
    const pov_predicate_params *params = &panel->judging.params;
    if (cell && is_decided(cell->truth[slot]))
        return cell->truth[slot].low;
    if (cell) {
        situation->measures = &cell->measures;
        pov_range truth = evaluate(situation, params);
        if (is_decided(truth))
            return truth.low;
    }
    situation->measures = own;
    return evaluate(situation, params).low;
}

static void look_at_points(pov_relation_panel *panel, const pov_situation_posterior *posterior, int from,
                           int until)
{
    pov_situation situation;
    pov_measures own;
    for (int i = from; i < until; i++) {
        const lattice_node *node = &panel->nodes[i];
        pov_situation_posterior_draw_at(posterior, &situation, node->point, node->normal);
        memset(&own, 0, offsetof(pov_measures, gap_m));
        int index = pov_spread_cell_at(&panel->cells, &situation);
        cell_truths *cell = index < 0 ? NULL : &panel->in_cell[index];
        for (int k = 0; k < panel->open_len; k++)
            pov_truth_tally_count(&panel->slots[panel->open[k]].tally,
                                  truth_at(panel, panel->open[k], &situation, cell, &own));
    }
}

/* Settles relations that more points would not change; the others stay open. */
static void close_settled(pov_relation_panel *panel, int points)
{
    int still_open = 0;
    for (int k = 0; k < panel->open_len; k++) {
        panel_slot *slot = &panel->slots[panel->open[k]];
        double before = slot->belief.p;
        slot->belief = pov_truth_tally_belief(&slot->tally, panel->judging.abstain_margin);
        bool rests = pov_truth_tally_is_unanimous(&slot->tally) || fabs(slot->belief.p - before) < settled;
        bool done = points < POINTS_ENOUGH ? slot->tally.defined == 0 : rests;
        if (!done)
            panel->open[still_open++] = panel->open[k];
    }
    panel->open_len = still_open;
}

static void expect_open(pov_relation_panel *panel, const pov_situation_posterior *posterior)
{
    int done = 0;
    for (int until = POINTS_TO_TELL_UNDEFINED; until <= panel->points_last && panel->open_len > 0;
         until = until >= POINTS_SETTLING                                         ? 2 * until
                 : panel->points_last < POINTS_SETTLING && until < POINTS_HURRIED ? POINTS_HURRIED
                                                                                  : POINTS_SETTLING) {
        look_at_points(panel, posterior, done, until);
        close_settled(panel, until);
        done = until;
    }
}

/* -------- queries -------- */

static bool is_asked(const pov_relation_info *relation, const pov_query *of)
{
    bool relative = of->viewer != POV_ID_NONE;
    if (relation->relata_min != (of->relatum_len < 3 ? of->relatum_len : 3))
        return false;
    return relation->frame == POV_FRAME_AXES ||
           (relative ? relation->frame == POV_FRAME_VIEWER : relation->frame == POV_FRAME_NONE);
}

/* The posterior for the first relation of this need. Draws with axes also serve relations that need no axes. */
static bool posterior_for(pov_situation_posterior *posterior, pov_query *query,
                          const pov_relation_panel *panel, const pov_scene *scene, pov_frame_need need)
{
    for (int i = 0; i < panel->slot_len; i++) {
        const pov_relation_info *relation = panel->slots[i].relation;
        if (relation->frame != need || relation->aim != panel->aim || !is_asked(relation, query))
            continue;
        query->relation = relation;
        return pov_situation_posterior_of(posterior, scene, query);
    }
    return false;
}

/* Fills the beliefs of all slots of the panel's aim that the query is put to. */
static void judge_slots(pov_relation_panel *panel, const pov_scene *scene, pov_query query)
{
    pov_situation_posterior posterior;
    pov_situation about;
    pov_frame_need lesser = query.viewer == POV_ID_NONE ? POV_FRAME_NONE : POV_FRAME_VIEWER;
    bool has_axes = posterior_for(&posterior, &query, panel, scene, POV_FRAME_AXES);
    bool has_any = has_axes || posterior_for(&posterior, &query, panel, scene, lesser);
    panel->open_len = 0;
    for (int i = 0; i < panel->slot_len; i++) {
        const pov_relation_info *relation = panel->slots[i].relation;
        if (relation->aim != panel->aim || !is_asked(relation, &query))
            continue;
        panel->slots[i] = (panel_slot){.relation = relation, .belief = belief_of_certain(NAN, 0)};
        if (relation->frame == POV_FRAME_AXES ? has_axes : has_any)
            panel->open[panel->open_len++] = i;
    }
    if (panel->open_len == 0)
        return;
    pov_situation_posterior_spread(&posterior, &about);
    look_into_whole(panel, &about);
    if (panel->open_len > 0)
        look_into_cells(panel, &about, query.perspective == POV_INTRINSIC);
    expect_open(panel, &posterior);
}

static bool is_any_asked(const pov_relation_panel *panel, const pov_query *query)
{
    for (int i = 0; i < panel->slot_len; i++)
        if (is_asked(panel->slots[i].relation, query))
            return true;
    return false;
}

static void add_judgment(pov_judgment_list *list, const pov_query *query, pov_belief belief)
{
    if (list->len == list->capacity)
        list->truncated = true;
    else
        list->judgments[list->len++] = (pov_judgment){.query = *query,
                                                      .belief = belief,
                                                      .theta_rad = NAN,
                                                      .theta_std_rad = NAN,
                                                      .flip_distance_m = NAN,
                                                      .p_internal = NAN};
}

static void judge_query(pov_relation_panel *panel, pov_judgment_list *list, const pov_scene *scene,
                        const pov_query *query)
{
    bool backward = query->relatum_len == 2 && query->relatum[1] < query->relatum[0];
    if (!is_any_asked(panel, query))
        return;
    for (panel->aim = POV_AIM_FRONT; panel->aim < POV_AIM_COUNT && list->len < list->capacity; panel->aim++)
        judge_slots(panel, scene, *query);
    for (int i = 0; i < panel->relation_len; i++) {
        const pov_relation_info *relation = panel->relations[i].relation;
        pov_query asked = *query;
        asked.relation = relation;
        if (relation->frame == POV_FRAME_NONE)
            asked.perspective = POV_ABSOLUTE;
        if (is_asked(relation, query) && !(backward && relation->evaluate == pov_predicate_between))
            add_judgment(list, &asked, panel->slots[panel->relations[i].slot].belief);
    }
}

static void judge_for_viewers(pov_relation_panel *panel, pov_judgment_list *list, const pov_scene *scene,
                              pov_query query)
{
    query.convention = POV_REFLECTED;
    query.axis = POV_AXIS_USUAL;
    for (pov_id viewer = pov_viewer_next(scene, POV_ID_NONE); viewer != POV_ID_NONE;
         viewer = pov_viewer_next(scene, viewer)) {
        if (viewer == query.referent || viewer == query.relatum[0])
            continue;
        query.perspective = pov_viewer_perspective(scene, viewer);
        query.viewer = viewer;
        judge_query(panel, list, scene, &query);
    }
}

void pov_relation_panel_pair(pov_relation_panel *panel, pov_judgment_list *list, const pov_scene *scene,
                             pov_id referent, pov_id relatum)
{
    POV_REQUIRE(referent >= 0 && referent < scene->len && relatum >= 0 && relatum < scene->len &&
                referent != relatum);
    pov_query query = pov_query_of_pair(NULL, referent, relatum);
    query.perspective = POV_INTRINSIC;
    judge_query(panel, list, scene, &query);
    judge_for_viewers(panel, list, scene, query);
    query.relatum_len = 2;
    for (pov_id second = 0; second < scene->len; second++) {
        query.relatum[1] = second;
        if (second != referent && second != relatum && second != scene->camera &&
            scene->entities[second].placed)
            judge_query(panel, list, scene, &query);
    }
}

void pov_relation_panel_among(pov_relation_panel *panel, pov_judgment_list *list, const pov_scene *scene,
                              pov_id referent)
{
    pov_query query = pov_query_of_pair(NULL, referent, POV_ID_NONE);
    query.perspective = POV_INTRINSIC;
    query.relatum_len = 0;
    for (pov_id other = 0; other < scene->len; other++) {
        if (other == referent || other == scene->camera || !scene->entities[other].placed)
            continue;
        if (query.relatum_len == POV_RELATA_MAX)
            return;
        query.relatum[query.relatum_len++] = other;
    }
    if (query.relatum_len >= 3)
        judge_query(panel, list, scene, &query);
}
