/* The folder that `pov sim` writes to: what lies there already, and who is to be named for its images. */
#include "config/files/write_file.h"
#include "firmware/simulate/command_sim.h"
#include "perception/version.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char own_mark[] = "Simulated by 'pov sim'";
static const char *const subfolders[] = {"images", "scenes", "bodies", "views", "ids", "depth"};
enum { SUBFOLDERS = sizeof subfolders / sizeof *subfolders };

void sim_path(char path[SIM_PATH_CAPACITY], const char *folder, const char *subfolder, const char *name,
              const char *extension)
{
    const char *dot = strrchr(name, '.');
    const int length = dot ? (int)(dot - name) : (int)strlen(name);
    snprintf(path, SIM_PATH_CAPACITY, "%.*s%s%s/%.*s%s", SIM_FOLDER_CAPACITY, folder, *subfolder ? "/" : "",
             subfolder, length, name, extension);
}

static bool is_own(const char *folder)
{
    char path[SIM_PATH_CAPACITY], line[sizeof own_mark] = "";
    sim_path(path, folder, "", "ABOUT", ".txt");
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const bool own = fgets(line, sizeof line, file) && strcmp(line, own_mark) == 0;
    fclose(file);
    return own;
}

static int count_entries(const char *folder)
{
    int count = 0;
    DIR *directory = opendir(folder);
    if (!directory)
        return errno == ENOENT ? 0 : -1;
    for (struct dirent *entry; (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

/* Only files named as ours are: what else is there stays. */
static void clear_subfolder(const char *folder, const char *subfolder)
{
    char path[SIM_PATH_CAPACITY];
    snprintf(path, sizeof path, "%.*s/%s", SIM_FOLDER_CAPACITY, folder, subfolder);
    DIR *directory = opendir(path);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (strncmp(entry->d_name, "simulated_", 10) == 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
}

static pov_status write_about(const sim_output *output, const pov_world *world)
{
    char path[SIM_PATH_CAPACITY];
    pov_write_file file;
    sim_path(path, output->folder, "", "ABOUT", ".txt");
    POV_TRY(pov_write_file_begin(&file, path));
    fprintf(file.stream,
            "%s (pov " POV_VERSION "): nothing here is a photograph.\n\n"
            "world     %s%s%s\nseed      %llu\nsensor    %s\nimages    %d of %d x %d pixels\nbodies    "
            "%s\n\n%s\n",
            own_mark, output->world, *world->variant ? ", variant " : "", world->variant,
            (unsigned long long)world->seed, world->sensor_preset, output->image_len,
            world->camera.lens.width_px, world->camera.lens.height_px,
            output->package_bodies ? "those of sweethome3d-furniture where it has some" : "pov's own",
            world->about);
    return pov_write_file_end(&file, pov_ok());
}

static pov_status make_subfolder(const char *folder, const char *subfolder, bool wanted)
{
    char path[SIM_PATH_CAPACITY];
    snprintf(path, sizeof path, "%.*s/%s", SIM_FOLDER_CAPACITY, folder, subfolder);
    return wanted ? pov_write_folder(path) : pov_ok();
}

pov_status sim_folder_prepare(const sim_output *output, const pov_world *world)
{
    if (strlen(output->folder) >= SIM_FOLDER_CAPACITY)
        return pov_error("%.60s...: this path is too long", output->folder);
    const int entries = count_entries(output->folder);
    if (entries < 0)
        return pov_error("%s: cannot be used: %s", output->folder, strerror(errno));
    if (entries > 0 && !is_own(output->folder))
        return pov_error("%s: holds files that 'pov sim' did not write; choose another folder with --out",
                         output->folder);
    POV_TRY(pov_write_folder(output->folder));
    POV_TRY(write_about(output, world));
    char truth[SIM_PATH_CAPACITY];
    sim_path(truth, output->folder, "", "truth", ".jsonl");
    unlink(truth);
    for (int i = 0; i < SUBFOLDERS; i++)
        clear_subfolder(output->folder, subfolders[i]);
    const bool wanted[SUBFOLDERS] = {true,
                                     true,
                                     world->generator.kind == POV_GENERATOR_NONE,
                                     output->views,
                                     output->truth_images,
                                     output->truth_images};
    for (int i = 0; i < SUBFOLDERS; i++)
        POV_TRY(make_subfolder(output->folder, subfolders[i], wanted[i]));
    return pov_ok();
}

/* ---- who is to be named for bodies ---- */

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
