/* Names of values, and the registry of relations. */
#include "perception/library/library.h"

#include "perception/version.h"

const char *pov_version(void)
{
    return POV_VERSION;
}

#define NAME_OF(TYPE, COUNT, NAME) (value < (COUNT) ? NAME((TYPE)value) : NULL)

const char *pov_name(int word, int value)
{
    if (value < 0)
        return NULL;
    switch (word) {
    case POV_RELATIONS:
        return value < pov_relation_registry_len() ? pov_relation_registry_at(value)->name : NULL;
    case POV_PERSPECTIVES:
        return NAME_OF(pov_perspective, POV_PERSPECTIVE_COUNT, pov_perspective_name);
    case POV_CONVENTIONS:
        return NAME_OF(pov_convention, POV_CONVENTION_COUNT, pov_convention_name);
    case POV_AXES:
        return NAME_OF(pov_axis, POV_AXIS_COUNT, pov_axis_name);
    case POV_ACCEPTANCES:
        return NAME_OF(pov_acceptance, POV_ACCEPTANCE_COUNT, pov_acceptance_name);
    case POV_CONTAINMENTS:
        return NAME_OF(pov_containment, POV_CONTAINMENT_COUNT, pov_containment_name);
    case POV_DOUBTS:
        return NAME_OF(pov_doubt, POV_DOUBT_COUNT, pov_doubt_name);
    case POV_VERDICTS:
        return NAME_OF(pov_verdict, POV_VERDICT_COUNT, pov_verdict_name);
    case POV_CAUSES:
        return NAME_OF(pov_cause, POV_CAUSE_COUNT, pov_cause_name);
    default:
        return NULL;
    }
}

int pov_relation_find(const char *name)
{
    POV_REQUIRE(name);
    const pov_relation_info *found = pov_relation_lookup(name);
    return found ? pov_relation_registry_index(found)
                 : -1 - pov_relation_registry_index(pov_relation_most_like(name));
}

pov_status pov_relation_at(pov_relation_entry *entry, int index)
{
    POV_REQUIRE(entry);
    *entry = (pov_relation_entry){.name = "", .definition = "", .category = "", .frame = ""};
    if (index < 0 || index >= pov_relation_registry_len())
        return pov_status_with(POV_END, "the registry has no relation %d; it has %d", index,
                               pov_relation_registry_len());
    const pov_relation_info *info = pov_relation_registry_at(index);
    *entry = (pov_relation_entry){.name = info->name,
                                  .definition = info->definition,
                                  .category = pov_category_name(info->category),
                                  .frame = pov_frame_need_name(info->frame),
                                  .relata_min = info->relata_min,
                                  .is_direction = pov_relation_is_direction(info)};
    return pov_ok();
}
