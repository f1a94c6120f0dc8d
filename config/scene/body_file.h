/** A thing's body from a Wavefront OBJ file, as scanners and CAD programs write it: metres, x the front, y left, z up. Polygons
 *  only; colours, pictures, lines and curves are passed over. */
#pragma once

#include "perception/scene/scene.h"

enum { POV_BODY_BYTES_MAX = 64 << 20, POV_BODY_TRIANGLES_MAX = 200000 };

/** Reads a body and moves it so that its box is about the origin.
 *  In:      size_m: of the box that it is stretched to fill; zeros: its own. Out: size_m: of its box.
 *  Returns: POV_ERROR naming file, line and what is wrong; the mesh is then empty. Free it with pov_body_free. */
POV_MUST_USE pov_status pov_body_read(pov_mesh *mesh, pov_vec3 *size_m, const char *path);
/** The same from memory, which is cut into words; `name` stands for the path in messages. */
POV_MUST_USE pov_status pov_body_parse(pov_mesh *mesh, pov_vec3 *size_m, const char *name, char *text);
void pov_body_free(pov_mesh *mesh);
