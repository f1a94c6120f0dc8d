#include "sim/sphere_world.h"
