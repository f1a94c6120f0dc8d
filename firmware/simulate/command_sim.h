/** The output of `pov sim`. Private to command_sim*.c. */
#pragma once

#include "firmware/shard.h"
#include "firmware/simulate/simulator.h"

#include <stdio.h>

enum { SIM_PATH_CAPACITY = 1024, SIM_FOLDER_CAPACITY = 800, SIM_ATTRIBUTION_MAX = 64 };

typedef struct {
    const char *folder;
    const char *world; /* as it was asked for */
    int image_len;     /* of all shards */
    pov_shard shard;
    bool views, truth_images, package_bodies, quiet;
    double around_rad; /* as of pov_simulator_config */
} sim_output;

enum { SIM_CAMERA_MAX = 8 };

/* One of several cameras that look at a world: the folder of its images and files within the output's is its id. */
typedef struct {
    char id[4];
    double around_rad;
    pov_transform T_table_camera;
} sim_camera;

/* Makes the folder with its ABOUT.txt, or clears what an earlier `pov sim` left in it. POV_ERROR if it is anyone else's. */
POV_MUST_USE pov_status pov_sim_folder_prepare(const sim_output *output, const pov_world *world);

/* Credits for the bodies in the images. */
typedef struct {
    const char *of[SIM_ATTRIBUTION_MAX];
    int len;
} sim_attributions;
void pov_sim_attributions_add(sim_attributions *list, const pov_world *world);
/* ATTRIBUTION.txt, and on stdout, if there is anyone. */
POV_MUST_USE pov_status pov_sim_attributions_write(const sim_output *output, const sim_attributions *list);

/* The folder of several cameras: its ABOUT.txt, and nothing of an earlier run. */
POV_MUST_USE pov_status pov_sim_cameras_prepare(const sim_output *output, const pov_world *world);

/* station.yaml, and the camera.yaml, tags.yaml and bodies/ that it names. *is_there: whether a station can be told at all. */
POV_MUST_USE pov_status pov_sim_station_write(bool *is_there, const sim_output *output,
                                              const pov_simulator *simulator);

/* station.yaml of several cameras, each of which has written its own folder; output: where these folders are. */
POV_MUST_USE pov_status pov_sim_station_write_cameras(bool *is_there, const sim_output *output,
                                                      const pov_simulator *simulator,
                                                      const sim_camera *cameras, int len);

/* scenes/NAME.yaml, as `pov judge` takes it. */
POV_MUST_USE pov_status pov_sim_scene_write(const sim_output *output, const pov_scene *scene,
                                            const char *name);
/* One line of truth.jsonl. */
POV_MUST_USE pov_status pov_sim_truth_write(FILE *stream, pov_simulator *simulator, const pov_image *image);

/* pov sim --list: a line a world, and a contact sheet. */
POV_MUST_USE pov_status pov_sim_list(const char *sheet_path, int threads);
void pov_sim_list_classes(void);

/* "a/b.png" of a folder, subfolder and file name without its extension. */
void pov_sim_path(char path[SIM_PATH_CAPACITY], const char *folder, const char *subfolder, const char *name,
                  const char *extension);
