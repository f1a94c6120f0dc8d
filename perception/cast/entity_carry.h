/** A tracked entity at another time than it was seen. Pure. */
#pragma once

#include "perception/scene/scene.h"

/** Carries place and front on by `elapsed_s`, which may be negative, along its velocity and turn, with the covariance that this adds. */
void pov_entity_carry(pov_entity *entity, double elapsed_s);
