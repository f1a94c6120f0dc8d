#include "firmware/judge/imagine_option.h"

#include "perception/scene/imagined_viewer.h"

#include <stdio.h>
#include <string.h>

static pov_status find_entity(pov_id *id, const pov_scene *scene, const char *name)
{
    *id = pov_scene_find(scene, name);
    return *id != POV_ID_NONE ? pov_ok() : pov_error("--imagine: the scene has no '%s'", name);
}

pov_status pov_imagine_option_apply(pov_scene *scene, const char *text)
{
    char name[POV_NAME_CAPACITY];
    pov_id observer, at, facing;
    if (!text || *text == '\0')
        return pov_ok();
    const char *colon = strchr(text, ':');
    if (!colon || (size_t)(colon - text) >= sizeof name)
        return pov_error("--imagine takes AT:FACING, e.g. stove:tv, not \"%s\"", text);
    snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
    POV_TRY(find_entity(&at, scene, name));
    POV_TRY(find_entity(&facing, scene, colon + 1));
    const pov_status status = pov_scene_imagine_observer(scene, &observer, "observer", at, facing);
    return status.code == POV_OK ? status : pov_error("--imagine: %s", status.message);
}
