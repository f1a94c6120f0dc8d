/** The registry's data; see relation_registry.h. */
#ifndef POV_PERCEPTION_RELATIONS_RELATION_TABLE_H
#define POV_PERCEPTION_RELATIONS_RELATION_TABLE_H

#include "perception/relations/relation_registry.h"

extern const pov_relation_info pov_relation_table[];
extern const int pov_relation_table_len;

#endif
