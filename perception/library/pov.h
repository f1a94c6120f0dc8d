/** libpov: scenes, spatial relations and visibility, for programs that judge a scene themselves. Link with
 *  `pkg-config --cflags --libs pov`, or in CMake with find_package(pov) and pov::pov. docs/LIBRARY.md shows its use. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#include "perception/relations/relation.h"
#include "perception/relations/relation_registry.h"
#include "perception/scene/scene.h"
#include "perception/status.h"
#include "perception/visibility/visibility.h"

#ifdef __cplusplus
}
#endif
