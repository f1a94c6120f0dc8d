#include "firmware/sweep/folder_truth.h"

#include "config/files/text.h"
#include "config/scene/scene_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_there(const char *path)
{
    return access(path, R_OK) == 0;
}

pov_status pov_folder_truth_read(pov_scene *scene, const char *folder, const char *image)
{
    const char *slash = strrchr(image, '/'), *name = slash ? slash + 1 : image, *dot = strrchr(name, '.');
    const int length = (int)(dot ? (size_t)(dot - name) : strlen(name));
    char *path = pov_text_new("%s/../scenes/%.*s.yaml", folder, length, name);
    const pov_status status =
        is_there(path) ? pov_scene_file_read(scene, path) : pov_status_of(POV_UNDEFINED);
    free(path);
    return status;
}
