/* Who sees whom in a scene of libpov. */
#include "perception/library/library.h"

enum { RAYS_MAX = 1 << 16 }; /* as many as a net has (visibility_patch.h) */

void pov_seeing_usual(pov_public_seeing *seeing)
{
    POV_REQUIRE(seeing);
    const pov_seeing usual = POV_SEEING_DEFAULT;
    *seeing = (pov_public_seeing){.min_fraction = usual.min_fraction,
                                  .ample_size_rad = usual.ample_size_rad,
                                  .min_size_rad = usual.min_size_rad,
                                  .abstain_margin = usual.abstain_margin,
                                  .rays = usual.rays,
                                  .rays_per_node = usual.rays_per_node};
}

static pov_status read_seeing(pov_seeing *to, const pov_public_seeing *from)
{
    *to = (pov_seeing)POV_SEEING_DEFAULT;
    if (!from)
        return pov_ok();
    if (!(from->min_fraction >= 0 && from->min_fraction <= 1))
        return pov_error("min_fraction: %g is not in [0, 1]", from->min_fraction);
    if (!(from->ample_size_rad >= 0 && from->min_size_rad >= 0))
        return pov_error("ample_size_rad, min_size_rad: %g, %g: give 0 or more", from->ample_size_rad,
                         from->min_size_rad);
    if (!(from->abstain_margin >= 0 && from->abstain_margin < 0.5))
        return pov_error("abstain_margin: %g is not in [0, 0.5)", from->abstain_margin);
    if (from->rays < 1 || from->rays > RAYS_MAX || from->rays_per_node < 1 || from->rays_per_node > RAYS_MAX)
        return pov_error("rays, rays_per_node: %d, %d: give 1 to %d", from->rays, from->rays_per_node,
                         RAYS_MAX);
    *to = (pov_seeing){.min_fraction = from->min_fraction,
                       .ample_size_rad = from->ample_size_rad,
                       .min_size_rad = from->min_size_rad,
                       .abstain_margin = from->abstain_margin,
                       .rays = from->rays,
                       .rays_per_node = from->rays_per_node};
    return pov_ok();
}

static void look_around(pov_public_scene *self, pov_visibilities *seen, int viewer, int target,
                        const pov_seeing *seeing)
{
    const pov_scene *scene = &self->inside;
    for (pov_id from = 0; from < scene->len; from++)
        for (pov_id to = 0; to < scene->len; to++) {
            pov_visibility sight;
            if ((viewer < 0 ? !scene->entities[from].can_see : from != viewer) ||
                (target < 0 ? to == scene->camera || to == from : to != target))
                continue;
            if (seen->len < seen->capacity) {
                (void)pov_visibility_evaluate(self->occlusion, &sight, from, to, seeing);
                pov_library_visibility(&seen->list[seen->len], &sight);
            }
            seen->len++;
        }
}

pov_status pov_look(pov_public_scene *scene, pov_visibilities *visibilities, int viewer, int target,
                    const pov_public_seeing *seeing)
{
    POV_REQUIRE(scene && visibilities && (visibilities->list || visibilities->capacity <= 0));
    pov_seeing thresholds;
    visibilities->len = 0;
    if (viewer < POV_ID_NONE || viewer >= scene->inside.len || target < POV_ID_NONE ||
        target >= scene->inside.len)
        return pov_error("the scene has no entity %d; it has %d",
                         viewer < POV_ID_NONE || viewer >= scene->inside.len ? viewer : target,
                         scene->inside.len);
    POV_TRY(read_seeing(&thresholds, seeing));
    if (!scene->occlusion)
        POV_TRY(pov_occlusion_new(&scene->occlusion));
    POV_TRY(pov_occlusion_update(scene->occlusion, &scene->inside));
    look_around(scene, visibilities, viewer, target, &thresholds);
    return pov_ok();
}
