#include "firmware/picture/known_cameras.h"

#include <string.h>

void pov_known_cameras_begin(pov_known_cameras *known, const pov_recorded_camera *names, int len)
{
    *known = (pov_known_cameras){.len = len > 1 ? len : 1};
    for (int i = 0; i < len && len > 1; i++)
        known->names[i] = names[i];
    pthread_mutex_init(&known->lock, NULL);
}

void pov_known_cameras_end(pov_known_cameras *known)
{
    pthread_mutex_destroy(&known->lock);
}

const pov_recorded_camera *pov_known_cameras_name(const pov_known_cameras *known, int index)
{
    return known->len > 1 ? &known->names[index] : &pov_recorded_only_camera;
}

int pov_known_cameras_find(const pov_known_cameras *known, const char *id)
{
    for (int i = 0; i < known->len; i++)
        if (strcmp(pov_known_cameras_name(known, i)->id, id) == 0)
            return i;
    return 0;
}

bool pov_known_cameras_tell(pov_known_cameras *known, const pov_camera *camera, int index)
{
    pthread_mutex_lock(&known->lock);
    const bool is_new =
        !known->is_known[index] || memcmp(&known->cameras[index], camera, sizeof *camera) != 0;
    known->cameras[index] = *camera;
    known->is_known[index] = true;
    pthread_mutex_unlock(&known->lock);
    return is_new;
}

bool pov_known_cameras_take(pov_camera *camera, pov_known_cameras *known, int index)
{
    pthread_mutex_lock(&known->lock);
    const bool is_known = known->is_known[index];
    *camera = known->cameras[index];
    pthread_mutex_unlock(&known->lock);
    return is_known;
}
