/* Stands for the simulator in a build without POV_WITH_SIM. */
#include "firmware/sources/simulator_source.h"

#define ABSENT                                                                                               \
    "this pov was built without the simulator: build it again with -DPOV_WITH_SIM=ON (docs/INSTALL.md)"

void pov_simulator_source_read(pov_simulator_source_config *config, pov_yaml_node node)
{
    (void)config;
    pov_yaml_complain(node, ABSENT);
}

pov_status pov_simulator_source_new(pov_image_source **source, const pov_simulator_source_config *config)
{
    (void)config;
    *source = NULL;
    return pov_error(ABSENT);
}

pov_status pov_simulator_new(pov_simulator **simulator, const pov_simulator_config *config)
{
    (void)config;
    *simulator = NULL;
    return pov_error(ABSENT);
}

void pov_simulator_destroy(pov_simulator **simulator)
{
    (void)simulator;
}

pov_status pov_simulator_take(pov_simulator *simulator, pov_image *image, int index)
{
    (void)simulator;
    (void)image;
    (void)index;
    return pov_error(ABSENT);
}

pov_status pov_simulator_take_at(pov_simulator *simulator, pov_image *image, int64_t time_ns, int sequence)
{
    (void)simulator;
    (void)image;
    (void)time_ns;
    (void)sequence;
    return pov_error(ABSENT);
}

pov_simulator_truth pov_simulator_truth_of(const pov_simulator *simulator)
{
    (void)simulator;
    return (pov_simulator_truth){0};
}

pov_status pov_simulator_take_seed(void *value, const char *text)
{
    (void)value;
    (void)text;
    return pov_error(ABSENT);
}

pov_status pov_simulator_take_size(void *value, const char *text)
{
    (void)value;
    (void)text;
    return pov_error(ABSENT);
}

pov_transform pov_world_T_table_camera(const pov_world *world)
{
    (void)world;
    return (pov_transform){0};
}
