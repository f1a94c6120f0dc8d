/* Coloured balls. */
#include "firmware/finders/finders.h"
#include "perception/balls/ball_view.h"

#include <math.h>

static const double far_m = 1e5; /* bound for lengths in the station file; chosen */

/* ---- the station file ---- */

/* A ball rests on the table unless told otherwise. */
static void read_ball_height(pov_ball_kind *kind, pov_yaml_node node)
{
    pov_yaml_node height = pov_yaml_get(node, "center_height_m"), free = pov_yaml_get(node, "in_the_air");
    bool in_the_air = false;
    pov_yaml_bool(&in_the_air, free);
    if (in_the_air && pov_yaml_exists(height))
        pov_yaml_complain(free, "a ball in the air has no center_height_m; leave out one of the two");
    kind->has_height = !in_the_air;
    kind->height_m = kind->radius_m;
    kind->height_std_m = 0.02 * kind->radius_m; /* a ball's radius is known to 2 %; chosen */
    pov_yaml_number(&kind->height_m, height, -far_m, far_m);
    pov_yaml_number(&kind->height_std_m, pov_yaml_get(node, "center_height_std_m"), 1e-9, far_m);
}

/* A deviation given as 0 becomes a tiny one: in the configuration 0 means that none is given. */
static void read_ball_trust(pov_ball_kind *kind, pov_yaml_node node)
{
    const double least = 1e-6;
    pov_yaml_node radius = pov_yaml_get(node, "radius_std_m"), edge = pov_yaml_get(node, "edge_std_share");
    pov_yaml_number(&kind->radius_std_m, radius, 0, kind->radius_m);
    pov_yaml_number(&kind->edge_std_share, edge, 0, 1);
    if (pov_yaml_exists(radius))
        kind->radius_std_m = fmax(kind->radius_std_m, least * kind->radius_m);
    if (pov_yaml_exists(edge))
        kind->edge_std_share = fmax(kind->edge_std_share, least);
}

static void read_colour(pov_colour *colour, pov_yaml_node node)
{
    const char *name = NULL;
    pov_yaml_string(&name, node);
    if (name && !pov_colour_from_name(colour, name))
        pov_yaml_complain(node, "unknown colour '%s'; use \"#rrggbb\" as read off a photograph, or one of %s",
                          name, pov_colour_names());
    else if (name && !pov_colour_has_hue(*colour))
        pov_yaml_complain(node,
                          "white, grey and black balls cannot be told from what is around them; use a ball "
                          "with a colour");
}

static void read_ball(pov_cast_member *member, pov_finder_settings *settings, pov_yaml_node node)
{
    pov_ball_detector_config *balls = &settings->balls;
    if (balls->kind_len == POV_BALL_KIND_MAX) {
        pov_yaml_complain(node, "at most %d kinds of balls", POV_BALL_KIND_MAX);
        return;
    }
    pov_ball_kind *kind = &balls->kinds[balls->kind_len];
    *kind = (pov_ball_kind){.max_count = 1};
    read_colour(&kind->colour, pov_yaml_need(node, "color", "a name (red, basketball, ...) or \"#rrggbb\""));
    pov_yaml_number(&kind->radius_m, pov_yaml_need(node, "radius_m", "the ball's radius in metres"), 1e-4,
                    far_m);
    pov_yaml_integer(&kind->max_count, pov_yaml_get(node, "count"), 1, POV_BALL_MAX);
    read_ball_height(kind, node);
    read_ball_trust(kind, node);
    member->entity.shape = POV_SHAPE_SPHERE;
    member->kind = balls->kind_len++;
    member->count = kind->max_count;
    member->entity.size_m = (pov_vec3){2 * kind->radius_m, 2 * kind->radius_m, 2 * kind->radius_m};
}

/* ---- at work ---- */

static bool wants_balls(const pov_finder_settings *settings)
{
    return settings->balls.kind_len > 0;
}

static pov_status create_ball_finder(void **finder, const pov_finder_place *place)
{
    pov_ball_detector *detector = NULL;
    pov_ball_detector_config config = place->settings->balls;
    config.workers = place->workers;
    const pov_status status = pov_ball_detector_new(&detector, &config, place->camera);
    *finder = detector;
    return status;
}

static pov_status find_balls(void *finder, pov_findings *findings, const pov_finder_view *view)
{
    return pov_ball_detector_run(finder, &findings->balls, view->image, view->T_table_camera, view->memory);
}

static pov_status remember_balls(void *finder, const pov_finder_view *view)
{
    pov_ball_detector_remember(finder, view->image, view->T_table_camera, view->memory);
    return pov_ok();
}

static void destroy_ball_finder(void *finder)
{
    pov_ball_detector *detector = finder;
    pov_ball_detector_destroy(&detector);
}

const pov_finder pov_ball_finder = {
    .turn = POV_FINDS_BY_POSE,
    .readers = {{&pov_found_by_ball, "ball", "color and radius_m of the ball", read_ball}},
    .is_wanted = wants_balls,
    .create = create_ball_finder,
    .memory = &pov_ball_memory,
    .run = find_balls,
    .remember = remember_balls,
    .destroy = destroy_ball_finder,
};
