/* pov sim --list: the worlds, with a picture of each. */
#include "firmware/picture/contact_sheet.h"
#include "firmware/picture/image_file.h"
#include "firmware/simulate/command_sim.h"
#include "sim/worlds/shipped_worlds.h"

#include <stdlib.h>
#include <string.h>

enum { THUMBNAIL_WIDTH_PX = 320, THUMBNAIL_HEIGHT_PX = 240, THUMBNAILS_A_WORLD = 6 };

static void print_world(const pov_world *world)
{
    printf("%-14s %s\n%14s %d images", world->name, world->about, "", world->image_len);
    for (int i = 0; i < world->variant_len; i++)
        printf("%s%s", i ? " " : "; variants ", world->variants[i]);
    putchar('\n');
}

static pov_status add_thumbnail(pov_contact_sheet *sheet, const char *world, const char *variant, int index,
                                int threads)
{
    pov_simulator *simulator;
    pov_image image;
    const pov_simulator_config config = {.world = world, .variant = variant, .threads = threads};
    POV_TRY(pov_simulator_new(&simulator, &config));
    const pov_status status = pov_simulator_take(simulator, &image, index);
    if (status.code == POV_OK) {
        snprintf(image.name, sizeof image.name, "%s%s%s %d", world, variant ? " " : "",
                 variant ? variant : "", index);
        (void)pov_contact_sheet_add(sheet, &image);
    }
    pov_simulator_destroy(&simulator);
    return status;
}

/* Spread over the variants, or without such over the images. */
static pov_status add_world(pov_contact_sheet *sheet, const pov_world *world, int threads)
{
    for (int i = 0; i < THUMBNAILS_A_WORLD; i++) {
        const int variant = world->variant_len > 1 ? i * (world->variant_len + 1) / THUMBNAILS_A_WORLD : 0;
        const int index = (world->image_len * i / THUMBNAILS_A_WORLD + (world->variant_len > 0 ? 3 : i % 2)) %
                          world->image_len;
        POV_TRY(add_thumbnail(sheet, world->name, variant > 0 ? world->variants[variant - 1] : NULL, index,
                              threads));
    }
    return pov_ok();
}

pov_status sim_list(const char *sheet_path, int threads)
{
    int len;
    const pov_shipped_world *worlds = pov_shipped_worlds(&len);
    pov_contact_sheet *sheet;
    pov_world *world = malloc(sizeof *world);
    POV_REQUIRE_MEMORY(world);
    pov_status status =
        pov_contact_sheet_new(&sheet, len * THUMBNAILS_A_WORLD, THUMBNAIL_WIDTH_PX, THUMBNAIL_HEIGHT_PX);
    for (int i = 0; i < len && status.code == POV_OK; i++) {
        status = pov_simulator_read_world(world, worlds[i].name, NULL);
        if (status.code == POV_OK)
            print_world(world);
        if (status.code == POV_OK && sheet_path)
            status = add_world(sheet, world, threads);
    }
    if (status.code == POV_OK && sheet_path) {
        const pov_image picture = pov_contact_sheet_image(sheet);
        status = pov_image_file_write_png(sheet_path, &picture);
        if (status.code == POV_OK)
            printf("\nLook at %s\n", sheet_path);
    }
    pov_contact_sheet_destroy(&sheet);
    free(world);
    return status;
}

void sim_list_classes(void)
{
    int len;
    const pov_catalogue_entry *entries = pov_catalogue_entries(&len);
    for (int i = 0; i < len; i++)
        printf("%-18s %.3g x %.3g x %.3g m%s%s\n", entries[i].class_name, entries[i].size_m.x,
               entries[i].size_m.y, entries[i].size_m.z, entries[i].has_front ? ", has a front" : "",
               entries[i].can_see ? ", can see" : "");
}
