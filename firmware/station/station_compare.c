#include "firmware/station/station_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A name, or a list of them, as an option takes: "comfort,vsr". */
static void read_names(pov_question_choice *choice, pov_yaml_node node, pov_option_take *take)
{
    char all[1024] = "";
    if (!pov_yaml_exists(node))
        return;
    if (!pov_yaml_is_list(node)) {
        pov_yaml_copy_string(all, sizeof all, node);
    }
    for (int i = 0; pov_yaml_is_list(node) && i < pov_yaml_length(node); i++) {
        char name[128] = "";
        const size_t length = strlen(all);
        pov_yaml_copy_filled(name, sizeof name, pov_yaml_at(node, i));
        if (length + strlen(name) + 2 > sizeof all) {
            pov_yaml_complain(node, "the list is too long");
            return;
        }
        snprintf(all + length, sizeof all - length, "%s%s", i ? "," : "", name);
    }
    if (!pov_yaml_failed(node.file))
        pov_yaml_complain_of(node, take(choice, all));
}

static void read_pairs(pov_question_choice *choice, const pov_cast *cast, pov_yaml_node node)
{
    const int len = pov_yaml_length(node);
    for (int i = 0; i < len; i++) {
        char pair[2][POV_NAME_CAPACITY] = {"", ""};
        pov_station_read_pair(pair, cast, pov_yaml_at(node, i));
        if (!pov_yaml_failed(node.file))
            pov_yaml_complain_of(node, pov_choice_add_pair(choice, pair[0], pair[1]));
    }
}

static void read_models(pov_station_comparing *comparing, pov_yaml_node node)
{
    const int len = pov_yaml_length(node);
    if (pov_yaml_exists(node) && (len < 1 || len > POV_COMPARED_MODEL_MAX)) {
        pov_yaml_complain(node, "%d models: there must be 1 to %d", len, POV_COMPARED_MODEL_MAX);
        return;
    }
    comparing->model_len = len;
    for (int i = 0; i < len; i++)
        pov_yaml_relative_path(comparing->models[i], sizeof comparing->models[i], pov_yaml_at(node, i));
}

void pov_station_read_comparing(pov_station_comparing *comparing, const pov_cast *cast, pov_yaml_node node)
{
    *comparing = (pov_station_comparing)POV_STATION_COMPARING_DEFAULT;
    if (!pov_yaml_exists(node))
        return;
    double turned_deg = 0;
    comparing->is_named = true;
    if (pov_yaml_exists(pov_yaml_get(node, "camera")))
        pov_yaml_copy_filled(comparing->camera, sizeof comparing->camera, pov_yaml_get(node, "camera"));
    pov_yaml_number(&comparing->every_s, pov_yaml_get(node, "every_s"), 0, 1e6);
    pov_yaml_bool(&comparing->on_change, pov_yaml_get(node, "on_change"));
    pov_yaml_number(&turned_deg, pov_yaml_get(node, "turned_deg"), 0, 360);
    comparing->turned_rad = turned_deg * POV_DEG;
    read_names(&comparing->choice, pov_yaml_get(node, "questions"), pov_choice_take_benchmarks);
    read_names(&comparing->choice, pov_yaml_get(node, "guided"), pov_choice_take_guidance);
    read_names(&comparing->choice, pov_yaml_get(node, "prompting"), pov_choice_take_prompting);
    read_names(&comparing->choice, pov_yaml_get(node, "system"), pov_choice_take_system);
    read_names(&comparing->choice, pov_yaml_get(node, "order"), pov_choice_take_order);
    pov_yaml_bool(&comparing->choice.flip, pov_yaml_get(node, "flip"));
    pov_yaml_bool(&comparing->choice.circular, pov_yaml_get(node, "circular"));
    read_names(&comparing->choice, pov_yaml_get(node, "languages"), pov_choice_take_languages);
    read_pairs(&comparing->choice, cast, pov_yaml_get(node, "pairs"));
    read_models(comparing, pov_yaml_get(node, "models"));
    pov_yaml_integer(&comparing->in_flight_max, pov_yaml_get(node, "in_flight_max"), 1, 512);
    pov_yaml_integer(&comparing->waiting_max, pov_yaml_get(node, "waiting_max"), 1, 100000);
    pov_yaml_number(&comparing->stale_after_s, pov_yaml_get(node, "stale_after_s"), 0.1, 1e6);
    pov_yaml_integer(&comparing->image_max, pov_yaml_get(node, "images_max"), 1, 1000000000);
    pov_yaml_number(&comparing->cost_max, pov_yaml_get(node, "usd_max"), 0, 1e9);
    pov_yaml_number(&comparing->cost_per_image, pov_yaml_get(node, "usd_per_image"), 0, 1e6);
    const pov_yaml_node log = pov_yaml_get(node, "log");
    if (pov_yaml_exists(log))
        pov_yaml_relative_path(comparing->log, sizeof comparing->log, log);
    if (comparing->every_s == 0 && !comparing->on_change && comparing->turned_rad == 0)
        pov_yaml_complain(node, "asks about no image: give every_s, turned_deg or on_change: true");
}
