/** Images that the user names on the command line. */
#pragma once

#include "firmware/options.h"

enum { POV_NAME_LIST_MAX = 64 };

typedef struct {
    int len;
    const char *names[POV_NAME_LIST_MAX];
    bool was_met[POV_NAME_LIST_MAX];
} pov_name_list;

/** For a POV_TAKEN option that may be given more than once. */
pov_option_take pov_name_list_take;

/** Is an image of this name, or this path, in the list? Notes that it was met. */
bool pov_name_list_has(pov_name_list *list, const char *name);
/** POV_ERROR naming what was never met. In: the option; where images were looked for. */
POV_MUST_USE pov_status pov_name_list_check(const pov_name_list *list, const char *option, const char *where);
