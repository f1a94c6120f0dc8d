/** A simulated camera in a simulated world: world, renderer and sensor, drawn by several threads. */
#pragma once

#include "firmware/options.h"
#include "perception/image/image.h"
#include "sim/worlds/stage.h"

enum { POV_SIMULATOR_THREADS_MAX = 64 };

/** The bodies of simple things: our own, those of Debian's sweethome3d-furniture, or the latter where it is
 *  installed. */
typedef enum {
    POV_SIMULATOR_OWN_BODIES,
    POV_SIMULATOR_PACKAGE_BODIES,
    POV_SIMULATOR_ANY_BODIES
} pov_simulator_bodies;

typedef struct {
    const char *world;   /* a shipped world's name, or a path of a world file */
    const char *variant; /* NULL: the plain one */
    const char *sensor;  /* a preset in place of the world's; NULL: the world's */
    bool has_seed;
    uint64_t seed;
    int width_px, height_px; /* 0: the world's */
    double around_rad;       /* the camera is carried round by so much: pov_world_carry_camera */
    pov_simulator_bodies bodies;
    int threads; /* 0: as many as there are processors */
} pov_simulator_config;

/** Take the seed and the size ("640x480") of a pov_simulator_config. */
pov_option_take pov_simulator_take_seed, pov_simulator_take_size;

typedef struct pov_simulator pov_simulator;

/** Returns: POV_ERROR naming the world, or file, line and key; names the worlds there are if it is none; or
 *  that the package is missing. The environment's POV_FURNITURE is where it is looked for, else where Debian puts it. */
POV_MUST_USE pov_status pov_simulator_new(pov_simulator **simulator, const pov_simulator_config *config);
void pov_simulator_destroy(pov_simulator **simulator);

/** Reads a world by its name or path. */
POV_MUST_USE pov_status pov_simulator_read_world(pov_world *world, const char *name_or_path,
                                                 const char *variant);

/** Takes image `index` (0 .. image_len - 1 of the world; on after that). The same world, seed and index give the same
 *  bytes, whatever the threads. Pixels are borrowed until the next call. The time of exposure is left to the caller. */
POV_MUST_USE pov_status pov_simulator_take(pov_simulator *simulator, pov_image *image, int index);
/** From now on, a whole turn of the world takes so long. */
void pov_simulator_pace(pov_simulator *simulator, double period_s);
/** The same of the world as it is `time_ns` after the start; `sequence` chooses the noise. */
POV_MUST_USE pov_status pov_simulator_take_at(pov_simulator *simulator, pov_image *image, int64_t time_ns,
                                              int sequence);

/** The truth of the image taken last. */
typedef struct {
    const pov_world *world;
    const pov_scene *scene;
    double turn_rad, time_s;
    bool from_package;     /* the package's bodies are used where it has some */
    const int16_t *labels; /* a pixel each; see stage.h */
    const float *depth_m;
} pov_simulator_truth;
pov_simulator_truth pov_simulator_truth_of(const pov_simulator *simulator);

/** The body of the world's thing of that index, until the next image. */
const pov_model *pov_simulator_body(const pov_simulator *simulator, int thing);

/** Share of a target that a viewer sees, as pixels tell; NaN if it cannot see. */
POV_MUST_USE pov_status pov_simulator_fraction_visible(pov_simulator *simulator, double *fraction,
                                                       pov_id viewer, pov_id target);
/** The view of one viewer without sensor noise. Pixels are borrowed until the next call. */
POV_MUST_USE pov_status pov_simulator_view(pov_simulator *simulator, pov_image *image, pov_id viewer);
