/** pov.h for the sources of the libraries, which also need the headers of the program: some types of the two have the same name.
 *  Those of pov.h are named pov_public_... here; the enums and pov_status are the program's. tests/perception/library compares them. */
#pragma once

#include "perception/image/image.h"
#include "perception/relations/pair_judge.h"
#include "perception/relations/relation_choice.h"
#include "perception/visibility/visibility.h"

#define POV_WITHIN
#define pov_scene      pov_public_scene
#define pov_entity     pov_public_entity
#define pov_judgment   pov_public_judgment
#define pov_visibility pov_public_visibility
#define pov_seeing     pov_public_seeing
#define pov_pair       pov_public_pair
#undef POV_MUST_USE
#include "perception/library/pov.h"
#undef pov_scene
#undef pov_entity
#undef pov_judgment
#undef pov_visibility
#undef pov_seeing
#undef pov_pair

/** Facts of the image beside its scene, for replies. */
typedef struct {
    char name[POV_IMAGE_NAME_CAPACITY]; /* "": the scene is of no image */
    uint32_t sequence;
    int64_t capture_ns;
    uint64_t calibration_hash;
} pov_library_image;

/** A mesh that the scene owns. */
typedef struct pov_library_mesh {
    pov_mesh mesh;
    struct pov_library_mesh *next;
} pov_library_mesh;

struct pov_public_scene {
    pov_scene inside;
    pov_library_image image;
    pov_visibility *seen; /* as a station judged them, or NULL */
    int seen_len;
    pov_occlusion *occlusion;        /* NULL: not looked yet */
    struct pov_library_run *judging; /* NULL: not judged yet */
    pov_library_mesh *meshes;
};

/** For libpovlink, which fills scenes of libpov: the same pointer. Its symbol has the version of the program, so that the loader
 *  refuses a libpov whose struct is another. */
pov_public_scene *pov_library_inside(pov_public_scene *scene);

/** The entity, or NULL and a complaint. */
pov_entity *pov_library_entity(pov_public_scene *scene, pov_status *status, int id);
/** Judgments and sights as public records. */
void pov_library_judgment(pov_public_judgment *to, const pov_judgment *from);
void pov_library_visibility(pov_public_visibility *to, const pov_visibility *from);
