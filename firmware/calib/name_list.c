#include "firmware/calib/name_list.h"

#include <string.h>

pov_status pov_name_list_take(void *value, const char *text)
{
    pov_name_list *list = value;
    if (list->len == POV_NAME_LIST_MAX)
        return pov_error("takes %d files at most", POV_NAME_LIST_MAX);
    list->names[list->len++] = text;
    return pov_ok();
}

static const char *find_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool pov_name_list_has(pov_name_list *list, const char *name)
{
    bool has = false;
    for (int i = 0; i < list->len; i++)
        if (strcmp(find_base(list->names[i]), find_base(name)) == 0)
            has = list->was_met[i] = true;
    return has;
}

pov_status pov_name_list_check(const pov_name_list *list, const char *option, const char *where)
{
    for (int i = 0; i < list->len; i++)
        if (!list->was_met[i])
            return pov_error("%s: %s %s: there is no image of this name", where, option, list->names[i]);
    return pov_ok();
}
