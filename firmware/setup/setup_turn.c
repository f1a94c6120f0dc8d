/* The turntable's step, and a thing that is enrolled on it. The table turns, by its motor or by hand, with the picture in view;
 * 'pov calib turntable' and 'pov enrol' then read the images that were taken. */
#include "config/yaml/yaml_edit.h"
#include "firmware/setup/setup_session.h"
#include "firmware/sweep/sweep_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *answer_of(const pov_setup *s, const char *name)
{
    return pov_setup_answer(&s->answers[POV_SETUP_TURNTABLE], POV_SETUP_TURNTABLE, name);
}

/* ---- turning ---- */

static pov_status open_rig(pov_setup *s)
{
    pov_station *station = pov_allocate(1, sizeof *station);
    *station = *s->station;
    if (pov_setup_is_practice(s))
        snprintf(station->source.simulator.world, sizeof station->source.simulator.world, "%s",
                 POV_SETUP_PRACTICE_TABLE);
    s->homed = false;
    pov_setup_close_source(s); /* the camera is the rig's */
    const pov_status status = station->source.kind == POV_SOURCE_FOLDER
                                  ? pov_error("a folder's images do not turn: choose 'images of a turn'")
                                  : pov_sweep_rig_new(&s->rig, station, false);
    free(station);
    return status;
}

static bool has_motor(const pov_setup *s)
{
    return *s->station->turntable.device || s->station->source.kind == POV_SOURCE_SIMULATOR;
}

/* A thing is turned up only. A disc is turned up, and down again between those stops, so that a gear's play shows; a take-up hides
 * the play, so then the disc is turned up only, too. */
static int stops_of(const pov_setup *s, int stops)
{
    const bool back = s->gathers == POV_SETUP_DISC && s->station->turntable.config.take_up_rad == 0;
    return back ? 2 * stops - 1 : stops;
}

static double angle_of(const pov_setup *s)
{
    const int i = s->taken_len;
    return 2 * POV_PI / s->stops * (i < s->stops ? i : 2 * s->stops - 1.5 - i);
}

pov_status pov_setup_turn_shoot(pov_setup *setup)
{
    if (!setup->homed)
        POV_TRY(pov_sweep_rig_home(setup->rig));
    setup->homed = true;
    setup->turned_rad = angle_of(setup);
    POV_TRY(pov_sweep_rig_turn(setup->rig, setup->turned_rad));
    return pov_sweep_rig_shoot(setup->rig, &setup->image, setup->taken_len);
}

static pov_status begin_turning(pov_setup *s, pov_setup_gathering gathers, int stops, bool by_motor)
{
    POV_TRY(pov_setup_gather(s, gathers, gathers == POV_SETUP_DISC ? "disc" : "thing", stops));
    s->stops = stops;
    s->hand_turn = pov_hand_turn_for(stops);
    if (!by_motor)
        return pov_ok();
    s->wanted_len = stops_of(s, stops);
    return open_rig(s);
}

/* ---- the turntable ---- */

static pov_status print_ring(pov_setup *s)
{
    const char *name, *map_name;
    char out[POV_PATH_CAPACITY], map[POV_PATH_CAPACITY];
    pov_setup_free_path(out, &name, s->folder, "ring", ".pdf");
    pov_setup_free_path(map, &map_name, s->folder, "ring", ".yaml");
    snprintf(s->job.made, sizeof s->job.made, "%s", map_name);
    return pov_setup_print(s, POV_SETUP_TURNTABLE, out,
                           (const char *const[]){"tags", "ring", "--count", answer_of(s, "count"), "--radius",
                                                 answer_of(s, "radius_mm"), "--edge", answer_of(s, "edge_mm"),
                                                 "--first-id", "100", "--out", out, "--map", map, NULL});
}

static pov_status measure_disc(pov_setup *s, const char *images)
{
    const char *name, *ring = answer_of(s, "ring");
    char out[POV_PATH_CAPACITY], page[POV_PATH_CAPACITY], angles[POV_PATH_CAPACITY], map[POV_PATH_CAPACITY];
    POV_TRY(pov_setup_make_work(s));
    POV_TRY(pov_setup_write_draft(s, s->text));
    pov_setup_free_path(out, &name, s->folder, "turntable", ".yaml");
    snprintf(s->job.made, sizeof s->job.made, "%s", name);
    pov_setup_path_in(page, s->work, "turntable.html");
    pov_setup_path_in(angles, images, POV_SETUP_ANGLES_FILE);
    pov_setup_path_in(map, s->folder, ring);
    const bool told = access(angles, R_OK) == 0;
    pov_setup_judge(s, POV_SETUP_TURNTABLE, POV_SETUP_OPEN, "The turntable is measured.");
    return pov_setup_job_start(
        s, POV_SETUP_TURNTABLE,
        (const char *const[]){"calib", "turntable", s->job.draft, "--images", images,
                              *ring ? "--ring" : "--edge", *ring ? map : answer_of(s, "edge_mm"), "--out",
                              out, "--html", page, "--json", told ? "--angles" : NULL, angles, NULL});
}

static pov_status begin_measuring(pov_setup *s, bool by_motor)
{
    const int stops = (int)pov_setup_number(&s->answers[POV_SETUP_TURNTABLE], POV_SETUP_TURNTABLE, "stops");
    if (s->station->finders.tags.map.len == 0 && !s->station->place.is_given)
        return pov_error("nothing tells where the table is: take the step 'tags' first");
    if (!*s->station->calibration.path)
        return pov_error("a turntable is measured through a measured lens: take the step 'lens' first");
    pov_setup_judge(s, POV_SETUP_TURNTABLE, POV_SETUP_OPEN, "%s",
                    by_motor ? "The table turns once round and back; keep away from it."
                             : "Turn the table on by some 15 degrees, let go, and so on, once round.");
    return begin_turning(s, POV_SETUP_DISC, stops, by_motor);
}

pov_status pov_setup_turntable(pov_setup *setup, const pov_setup_answers *answers)
{
    const char *how = answer_of(setup, "how");
    const bool by_motor = strcmp(how, "motor") == 0, later = strcmp(answer_of(setup, "measure"), "no") == 0;
    if (strcmp(how, "ring") == 0)
        return print_ring(setup);
    if (by_motor && !*answer_of(setup, "device") && setup->station->source.kind != POV_SOURCE_SIMULATOR)
        return pov_error(
            "device: which serial line has the motor? /dev/ttyUSB0, or one of /dev/serial/by-id");
    char *text = pov_setup_text_copy(setup);
    const pov_status edited = pov_setup_edit_turntable(&text, answers);
    POV_TRY(pov_setup_take_text(setup, text, edited));
    if (strcmp(how, "images") == 0)
        return *answer_of(setup, "images") ? measure_disc(setup, answer_of(setup, "images"))
                                           : pov_error("images: which folder has the images of the turn?");
    if ((by_motor && !later) || strcmp(how, "hand") == 0)
        return begin_measuring(setup, by_motor);
    const bool none = strcmp(how, "none") == 0;
    pov_setup_judge(setup, POV_SETUP_TURNTABLE, none ? POV_SETUP_SKIPPED : POV_SETUP_GOOD, "%s",
                    none       ? "None."
                    : by_motor ? "Taken. 'pov turntable' tries it; nothing is known of its axis yet."
                               : "Taken.");
    return pov_ok();
}

/* ---- a thing that is enrolled ---- */

static const char *thing_of(const pov_setup *s)
{
    return pov_setup_answer(&s->answers[POV_SETUP_THINGS], POV_SETUP_THINGS, "id");
}

pov_status pov_setup_enrol(pov_setup *setup, const pov_setup_answers *answers)
{
    POV_TRY(pov_setup_id_check(pov_setup_answer(answers, POV_SETUP_THINGS, "id")));
    if (!setup->station->turntable.measured)
        return pov_error(
            "tags on a measured turntable tell its turn: take the step 'turntable' first, and have "
            "it measured");
    setup->gathers = POV_SETUP_CLEAR;
    pov_setup_judge(setup, POV_SETUP_THINGS, POV_SETUP_OPEN,
                    "Take everything off the turntable but its tags; then say that it is empty.");
    return pov_setup_open_view(setup, POV_SETUP_EMPTY_TABLE);
}

static pov_status keep_empty(pov_setup *s)
{
    char path[POV_PATH_CAPACITY];
    if (!s->has_image)
        return pov_error("no image of the empty turntable has come yet");
    POV_TRY(pov_setup_make_work(s));
    pov_setup_path_in(path, s->work, POV_SETUP_EMPTY_FILE);
    POV_TRY(pov_setup_save_image(s, path));
    s->gathers = POV_SETUP_PLACE;
    pov_setup_judge(s, POV_SETUP_THINGS, POV_SETUP_OPEN,
                    "Set '%s' alone on the turntable's middle, its front toward the camera%s.", thing_of(s),
                    has_motor(s) ? "; the motor then turns it once" : "; then turn it slowly once round");
    return pov_setup_open_view(s, POV_SETUP_TABLE);
}

pov_status pov_setup_turn_on(pov_setup *setup)
{
    if (setup->gathers == POV_SETUP_CLEAR)
        return keep_empty(setup);
    const double views = pov_setup_number(&setup->answers[POV_SETUP_THINGS], POV_SETUP_THINGS, "views");
    pov_setup_judge(setup, POV_SETUP_THINGS, POV_SETUP_OPEN, "'%s' is taken from all sides.",
                    thing_of(setup));
    return begin_turning(setup, POV_SETUP_OBJECT, 2 * (int)views, has_motor(setup));
}

/* The station, with the images that were taken in place of its camera. */
static pov_status write_enrolling(pov_setup *s)
{
    char value[2 * POV_PATH_CAPACITY];
    const size_t skipped = strcmp(s->folder, ".") == 0 ? 0 : strlen(s->folder) + 1;
    char *text = pov_setup_text_copy(s), *path = pov_yaml_quote(s->gathered + skipped);
    POV_REQUIRE_MEMORY(path);
    snprintf(value, sizeof value, "{path: %s}", path);
    free(path);
    pov_status status = pov_yaml_edit(&text, "camera.source", "folder");
    POV_THEN(status, pov_yaml_edit(&text, "camera.folder", value));
    POV_THEN(status, pov_setup_write_draft(s, text));
    free(text);
    return status;
}

static pov_status learn_thing(pov_setup *s)
{
    const char *name, *id = thing_of(s);
    char out[POV_PATH_CAPACITY], empty[POV_PATH_CAPACITY], edge[32];
    POV_TRY(write_enrolling(s));
    pov_setup_free_path(out, &name, s->folder, id, ".pov");
    snprintf(s->job.made, sizeof s->job.made, "%s", name);
    snprintf(edge, sizeof edge, "%.6g", s->station->turntable.disc.tags.tags[0].edge_m);
    pov_setup_path_in(empty, s->work, POV_SETUP_EMPTY_FILE);
    pov_setup_judge(s, POV_SETUP_THINGS, POV_SETUP_OPEN, "'%s' is learnt.", id);
    return pov_setup_job_start(s, POV_SETUP_THINGS,
                               (const char *const[]){"enrol", id, "--station", s->job.draft, "--empty", empty,
                                                     "--ring-edge", edge, "--front", "0", "--out", out,
                                                     "--json", NULL});
}

pov_status pov_setup_turn_use(pov_setup *setup)
{
    return setup->at == POV_SETUP_TURNTABLE ? measure_disc(setup, setup->gathered) : learn_thing(setup);
}
