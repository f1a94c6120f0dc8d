#include "firmware/gstreamer/video_place.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The index in a device's folder of /sys; -1: it has none. */
static int index_of(const char *folder)
{
    char path[PATH_MAX + 10];
    int index = -1;
    snprintf(path, sizeof path, "%s/index", folder);
    FILE *file = fopen(path, "re");
    if (!file || fscanf(file, "%d", &index) != 1)
        index = -1;
    if (file)
        fclose(file);
    return index;
}

pov_video_place pov_video_place_of(const char *device)
{
    char real[PATH_MAX], folder[256], link[270];
    pov_video_place place = {.port = ""};
    if (strncmp(device, "/dev/", 5) != 0 || !realpath(device, real) || strcmp(real, device) != 0)
        return place;
    snprintf(folder, sizeof folder, "/sys/class/video4linux/%.200s", device + 5);
    snprintf(link, sizeof link, "%s/device", folder);
    place.index = index_of(folder);
    if (place.index >= 0 && realpath(link, real) && strlen(real) < sizeof place.port)
        memcpy(place.port, real, strlen(real) + 1);
    return place;
}

bool pov_video_place_device(char *device, size_t capacity, const pov_video_place *place)
{
    char path[PATH_MAX];
    bool found = false;
    if (!*place->port)
        return false;
    snprintf(path, sizeof path, "%s/video4linux", place->port);
    DIR *devices = opendir(path);
    for (const struct dirent *entry; devices && !found && (entry = readdir(devices));) {
        snprintf(path, sizeof path, "%s/video4linux/%s", place->port, entry->d_name);
        found = entry->d_name[0] != '.' && index_of(path) == place->index;
        if (found)
            snprintf(device, capacity, "/dev/%s", entry->d_name);
    }
    if (devices)
        closedir(devices);
    return found;
}
