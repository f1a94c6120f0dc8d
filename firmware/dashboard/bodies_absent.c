/* Stands for bodies.c, which has the simulator's catalogue, in a build without POV_WITH_SIM. */
#include "firmware/dashboard/bodies.h"

void pov_bodies_write(FILE *stream, const pov_scene *scene)
{
    (void)scene;
    fputs("{}", stream);
}
