#include "calib/intrinsics_file.h"
