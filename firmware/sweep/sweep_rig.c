#include "firmware/sweep/sweep_rig.h"
#include "firmware/sweep/folder_truth.h"
#include "firmware/turntable/serial_device.h"

#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/run/station_runner.h"
#include "firmware/simulate/simulator.h"

#include <math.h>
#include <stdlib.h>

enum { SHOOT_TIMEOUT_MS = 5000 };
static const double run_up_rad = 30 * POV_DEG; /* before and after a whole turn that goes on; chosen */
static const double simulated_hz =
    30; /* images of a world that turns on, if the station says nothing; a usual camera's */

struct pov_sweep_rig {
    pov_rig_kind kind;
    pov_image_source *source;
    pov_simulator *simulator;
    pov_serial_line *line;
    pov_turntable *table;
    const char *folder; /* of simulated images; borrowed of the station; NULL: none */
    bool has_truth;     /* of the folder's last image */
    pov_scene truth;
    double angle_rad; /* where it was turned to, or is on its way */
    bool turns_on;    /* while images are shot */
    double end_rad;   /* where that turn ends, of a simulated world */
    double step_rad, simulated_hz, exposure_s;
    int64_t first_ns;       /* of a simulated world that turns on */
    int image_len;          /* its images so far */
    int64_t still_since_ns; /* UNIX epoch; images exposed before it show the turn */
};

static pov_status open_table(pov_sweep_rig *rig, const pov_station_turntable *where)
{
    pov_turntable_config config = where->config;
    config.stop_requested = pov_cli_stop_requested;
    POV_TRY(pov_serial_line_new_device(&rig->line, where->device, where->baud));
    return pov_turntable_new(&rig->table, rig->line, &config);
}

static pov_status open_simulator(pov_sweep_rig *rig, const pov_simulator_source_config *from)
{
    const pov_simulator_config config = {.world = from->world,
                                         .variant = *from->variant ? from->variant : NULL,
                                         .sensor = *from->sensor ? from->sensor : NULL,
                                         .has_seed = from->has_seed,
                                         .seed = from->seed,
                                         .width_px = from->width_px,
                                         .height_px = from->height_px,
                                         .bodies = from->bodies};
    return pov_simulator_new(&rig->simulator, &config);
}

static pov_rig_kind kind_of(const pov_station *station, bool by_hand)
{
    return by_hand ? POV_RIG_HAND
           : station->source.kind == POV_SOURCE_FOLDER || station->source.kind == POV_SOURCE_VIDEO
               ? POV_RIG_FOLDER
           : station->source.kind == POV_SOURCE_SIMULATOR ? POV_RIG_SIMULATOR
                                                          : POV_RIG_MOTOR;
}

static pov_status set_up(pov_sweep_rig *rig, const pov_station *station, bool by_hand)
{
    const bool has_table = *station->turntable.device != '\0';
    const double rate_hz = station->source.simulator.rate_hz;
    rig->simulated_hz = rate_hz > 0 ? rate_hz : simulated_hz;
    rig->exposure_s = station->source.exposure_s > 0 ? station->source.exposure_s : NAN;
    rig->kind = kind_of(station, by_hand);
    if (rig->kind == POV_RIG_MOTOR && !has_table)
        return pov_error("the station has no turntable: add 'turntable: {device: ...}' to it, or turn the "
                         "table yourself with --by-hand");
    if (rig->kind == POV_RIG_SIMULATOR)
        POV_TRY(open_simulator(rig, &station->source.simulator));
    else
        POV_TRY(pov_station_open_source(&rig->source, &station->source));
    if (rig->kind == POV_RIG_FOLDER && station->source.kind == POV_SOURCE_FOLDER &&
        pov_station_is_simulated(station))
        rig->folder = station->source.folder;
    const bool turns = rig->kind == POV_RIG_MOTOR || rig->kind == POV_RIG_SIMULATOR;
    return has_table && turns ? open_table(rig, &station->turntable) : pov_ok();
}

pov_status pov_sweep_rig_new(pov_sweep_rig **rig, const pov_station *station, bool by_hand)
{
    *rig = calloc(1, sizeof **rig);
    if (!*rig)
        return pov_error("sweep: out of memory");
    const pov_status status = set_up(*rig, station, by_hand);
    if (status.code != POV_OK)
        pov_sweep_rig_destroy(rig);
    return status;
}

void pov_sweep_rig_destroy(pov_sweep_rig **rig)
{
    if (!*rig)
        return;
    pov_turntable_destroy(&(*rig)->table);
    pov_serial_line_destroy(&(*rig)->line);
    pov_image_source_destroy(&(*rig)->source);
    pov_simulator_destroy(&(*rig)->simulator);
    free(*rig);
    *rig = NULL;
}

pov_rig_kind pov_sweep_rig_kind(const pov_sweep_rig *rig)
{
    return rig->kind;
}

int pov_sweep_rig_stops(const pov_sweep_rig *rig)
{
    return rig->kind == POV_RIG_FOLDER ? (int)pov_image_source_statistics_of(rig->source).expected : -1;
}

pov_status pov_sweep_rig_home(pov_sweep_rig *rig)
{
    if (!rig->table)
        return pov_ok();
    pov_turntable_status status;
    POV_TRY(pov_turntable_ask(rig->table, &status));
    return status.can_home ? pov_turntable_home(rig->table) : pov_turntable_zero_here(rig->table);
}

pov_status pov_sweep_rig_turn(pov_sweep_rig *rig, double angle_rad)
{
    rig->angle_rad = angle_rad;
    if (!rig->table)
        return pov_ok();
    POV_TRY(pov_turntable_move(rig->table, angle_rad, POV_TURN_SHORTEST));
    rig->still_since_ns = pov_clock_unix_ns();
    return pov_ok();
}

/* ---- a turn that goes on ---- */

pov_status pov_sweep_rig_turn_on(pov_sweep_rig *rig, double speed_rad_s)
{
    rig->turns_on = true;
    rig->still_since_ns = 0;
    if (rig->simulator) {
        const pov_world *world = pov_simulator_truth_of(rig->simulator).world;
        if (world->generator.kind != POV_GENERATOR_NONE || world->motion.steps == 0)
            return pov_error("the simulated world does not turn: give it a 'motion', or name another");
        pov_simulator_pace(rig->simulator, 2 * POV_PI / speed_rad_s);
        rig->exposure_s = world->exposure_s;
        rig->step_rad = speed_rad_s / rig->simulated_hz;
        rig->end_rad = rig->angle_rad + 2 * POV_PI + 2 * rig->step_rad;
        rig->first_ns = rig->first_ns ? rig->first_ns : pov_clock_unix_ns();
    }
    return rig->table ? pov_turntable_start_by(rig->table, 2 * POV_PI + 2 * run_up_rad, speed_rad_s)
                      : pov_ok();
}

pov_status pov_sweep_rig_poll(pov_sweep_rig *rig)
{
    if (rig->table) {
        pov_turntable_status status = {.angle_rad = rig->angle_rad};
        const pov_status polled = pov_turntable_poll(rig->table, &status);
        rig->angle_rad = status.angle_rad;
        rig->turns_on = polled.code == POV_TIMEOUT;
        return polled;
    }
    return rig->simulator && rig->angle_rad >= rig->end_rad ? pov_ok() : pov_status_of(POV_TIMEOUT);
}

pov_status pov_sweep_rig_halt(pov_sweep_rig *rig)
{
    const bool goes_on = rig->table && rig->turns_on;
    rig->turns_on = false;
    return goes_on ? pov_turntable_stop(rig->table) : pov_ok();
}

double pov_sweep_rig_exposure_s(const pov_sweep_rig *rig)
{
    return rig->exposure_s;
}

/* A world without a turntable has a clock of its own: its images lie as evenly as a camera's, however long drawing takes. */
static pov_status simulate_moment(pov_sweep_rig *rig, pov_image *image)
{
    const double period_s = pov_simulator_truth_of(rig->simulator).world->motion.period_s;
    const int64_t time_ns = llround(rig->angle_rad / (2 * POV_PI) * period_s * 1e9);
    POV_TRY(pov_simulator_take_at(rig->simulator, image, time_ns, rig->image_len));
    image->mid_exposure_ns =
        rig->table ? pov_clock_unix_ns() : rig->first_ns + llround(rig->image_len * 1e9 / rig->simulated_hz);
    rig->image_len++;
    if (!rig->table)
        rig->angle_rad += rig->step_rad;
    return pov_ok();
}

/* A world that is made again for each image does not turn. */
static pov_status simulate_turn(pov_sweep_rig *rig, pov_image *image, int stop)
{
    const pov_world *world = pov_simulator_truth_of(rig->simulator).world;
    const double turns = rig->angle_rad / (2 * POV_PI);
    POV_TRY(world->generator.kind == POV_GENERATOR_NONE
                ? pov_simulator_take_at(rig->simulator, image, llround(turns * world->motion.period_s * 1e9),
                                        stop)
                : pov_simulator_take(rig->simulator, image, stop));
    image->mid_exposure_ns = pov_clock_unix_ns();
    return pov_ok();
}

static pov_status read_folder_truth(pov_sweep_rig *rig, const pov_image *image)
{
    if (!rig->folder)
        return pov_ok();
    const pov_status status = pov_folder_truth_read(&rig->truth, rig->folder, image->name);
    rig->has_truth = status.code == POV_OK;
    return status.code == POV_UNDEFINED ? pov_ok() : status;
}

pov_status pov_sweep_rig_shoot(pov_sweep_rig *rig, pov_image *image, int stop)
{
    if (rig->kind == POV_RIG_SIMULATOR)
        return rig->turns_on ? simulate_moment(rig, image) : simulate_turn(rig, image, stop);
    for (;;) {
        POV_TRY(pov_image_source_next(rig->source, image, SHOOT_TIMEOUT_MS));
        POV_TRY(read_folder_truth(rig, image));
        if (rig->kind == POV_RIG_FOLDER || image->mid_exposure_ns >= rig->still_since_ns)
            return pov_ok();
    }
}

const pov_scene *pov_sweep_rig_truth(const pov_sweep_rig *rig)
{
    return rig->simulator   ? pov_simulator_truth_of(rig->simulator).scene
           : rig->has_truth ? &rig->truth
                            : NULL;
}

bool pov_sweep_rig_is_simulated(const pov_sweep_rig *rig)
{
    return rig->simulator || rig->folder;
}
