/** povlink.h for the sources of libpovlink: its scenes are libpov's (perception/library/library.h). */
#pragma once

#include "perception/library/library.h"

#define pov_scene pov_public_scene
#include "protocol/library/povlink.h"
#undef pov_scene
