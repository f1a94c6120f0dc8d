/** Fits an image into a network's input, and the way back. */
#ifndef POV_PERCEPTION_MODELS_LETTERBOX_H
#define POV_PERCEPTION_MODELS_LETTERBOX_H

#include "perception/image/image.h"
#include "perception/models/model_contract.h"

/** Place of the scaled image in the input, in its pixels. */
typedef struct {
    int image_width_px, image_height_px;
    int left_px, top_px, width_px, height_px;
} pov_letterbox;

pov_letterbox pov_letterbox_of(const pov_model_input *input, int image_width_px, int image_height_px);

/** Edges in the input (0: the left edge of its first pixel) to edges in the image as in pov_pixel_box, cut at its rim. */
pov_pixel_box pov_letterbox_undo(const pov_letterbox *letterbox, double left, double top, double right,
                                 double bottom);

/** The network's input for an image: scaled (bilinear), filled, normalised, in the contract's order.
 *  Out: numbers, as many as the input's tensor holds. Work: scaled, as many bytes. */
void pov_letterbox_image(float *numbers, unsigned char *scaled, const pov_model_input *input,
                         const pov_letterbox *letterbox, const pov_image *image);

#endif
