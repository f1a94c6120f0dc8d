#include "perception/observation/observation.h"

#include <assert.h>

static const char *const pose_source_names[] = {"unknown", "given", "tags", "ambiguous"};
static_assert(sizeof pose_source_names / sizeof *pose_source_names == POV_POSE_SOURCE_COUNT,
              "one name a source");

const char *pov_pose_source_name(pov_pose_source source)
{
    POV_REQUIRE(source < POV_POSE_SOURCE_COUNT);
    return pose_source_names[source];
}
