/* Whose bodies a world's things have, and who is to be named for them. */
#include "config/files/write_file.h"
#include "firmware/simulate/command_sim.h"

#include <string.h>
#include <unistd.h>

static bool is_listed(const sim_attributions *list, const char *attribution)
{
    for (int i = 0; i < list->len; i++)
        if (list->of[i] == attribution)
            return true;
    return false;
}

void sim_attributions_add(sim_attributions *list, const pov_world *world)
{
    for (int i = 0; i < world->thing_len; i++) {
        const pov_world_thing *thing = &world->things[i];
        if (!thing->from_package)
            continue;
        const char *attribution = pov_furniture_find(thing->entity.class_name)->attribution;
        if (!is_listed(list, attribution) && list->len < SIM_ATTRIBUTION_MAX)
            list->of[list->len++] = attribution;
    }
}

static void print_credit(FILE *stream, const sim_attributions *list)
{
    fputs("In these images are models of the package sweethome3d-furniture, scaled:\n", stream);
    for (int i = 0; i < list->len; i++)
        fprintf(stream, "  %s\n", list->of[i]);
}

pov_status sim_attributions_write(const sim_output *output, const sim_attributions *list)
{
    char path[SIM_PATH_CAPACITY];
    pov_write_file file;
    sim_path(path, output->folder, "", "ATTRIBUTION", ".txt");
    if (list->len == 0) {
        unlink(path); /* an earlier run's, whose images are gone */
        return pov_ok();
    }
    POV_TRY(pov_write_file_begin(&file, path));
    print_credit(file.stream, list);
    if (!output->quiet)
        print_credit(stdout, list);
    return pov_write_file_end(&file, pov_ok());
}
