/** The portraits in an enrolled object's file, for those who need no more of it: see config/objects/appearance_file.h. */
#pragma once

#include "perception/appearance/portrait.h"
#include "perception/status.h"

/** Reads and checks the whole file. Portraits' len is 0 if it has none: the object was enrolled from images alone. */
POV_MUST_USE pov_status pov_portraits_read(pov_portraits *portraits, const char *path);
