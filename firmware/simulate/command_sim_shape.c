/* The bodies of a station's things, as OBJ files. */
#include "config/files/write_file.h"
#include "firmware/simulate/command_sim.h"

#include <stdio.h>

void sim_shape_name(char name[SIM_SHAPE_NAME_CAPACITY], int thing)
{
    snprintf(name, SIM_SHAPE_NAME_CAPACITY, "simulated_%04u", (unsigned)thing % 10000);
}

pov_status sim_shape_write(const sim_output *output, const pov_model *body, int thing)
{
    char path[SIM_PATH_CAPACITY], name[SIM_SHAPE_NAME_CAPACITY];
    const pov_model_parts parts = pov_model_read(body);
    pov_write_file file;
    sim_shape_name(name, thing);
    sim_path(path, output->folder, "bodies", name, ".obj");
    POV_TRY(pov_write_file_begin(&file, path));
    fputs("# A simulated thing's body: metres, x the front, z up.\n", file.stream);
    for (int i = 0; i < parts.vertex_len; i++) {
        const float *v = parts.positions_m[i];
        fprintf(file.stream, "v %.7g %.7g %.7g\n", (double)v[0], (double)v[1], (double)v[2]);
    }
    for (int i = 0; i < parts.triangle_len; i++) {
        const uint32_t *corner = parts.triangles[i];
        fprintf(file.stream, "f %u %u %u\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
    }
    return pov_write_file_end(&file, pov_ok());
}
