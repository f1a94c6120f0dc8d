#include "config/files/embedded.h"

#include <string.h>

const pov_embedded_file *pov_embedded_find(const pov_embedded_file *table, const char *name)
{
    while (table->name && strcmp(table->name, name) != 0)
        table++;
    return table->name ? table : NULL;
}
