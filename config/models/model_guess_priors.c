#include "config/models/model_guess_internal.h"

#include <math.h>
#include <string.h>

/** Priors of a known network. */
typedef struct {
    const char *whose;
    int side_px; /* of its square input; 0: any */
    int columns; /* of its scores; 0: any */
    int stride_len, strides[POV_MODEL_STRIDE_MAX];
    int square_len
        [POV_MODEL_STRIDE_MAX]; /* squares of `side_px` at a cell of each stride; 0: as Liu 2016 makes them */
    double prior_px[POV_MODEL_STRIDE_MAX + 1]
                   [4]; /* their sides; of Liu's the smallest box's alone, one more than strides */
    int ratio_len
        [POV_MODEL_STRIDE_MAX]; /* of Liu's: boxes 2, 3, ... times as wide as high, and the reverse */
} prior_set;

/* UltraFace: github.com/Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB, vision/ssd/config/fd_config.py. RetinaFace: github.com/biubug6/
 * Pytorch_Retinaface, data/config.py. SSD300: github.com/amdegroot/ssd.pytorch, data/config.py, and torchvision. MobileNet-SSD: github.com/qfgaohao/
 * pytorch-ssd, vision/ssd/config/mobilenetv1_ssd_config.py. */
static const prior_set known_priors[] = {
    {.whose = "UltraFace's",
     .columns = 2,
     .stride_len = 4,
     .strides = {8, 16, 32, 64},
     .square_len = {3, 2, 2, 3},
     .prior_px = {{10, 16, 24}, {32, 48}, {64, 96}, {128, 192, 256}}},
    {.whose = "RetinaFace's",
     .columns = 2,
     .stride_len = 3,
     .strides = {8, 16, 32},
     .square_len = {2, 2, 2},
     .prior_px = {{16, 32}, {64, 128}, {256, 512}}},
    {.whose = "SSD300's on VOC",
     .side_px = 300,
     .columns = 21,
     .stride_len = 6,
     .strides = {8, 16, 32, 64, 100, 300},
     .prior_px = {{30}, {60}, {111}, {162}, {213}, {264}, {315}},
     .ratio_len = {1, 2, 2, 2, 1, 1}},
    {.whose = "SSD300's on COCO",
     .side_px = 300,
     .stride_len = 6,
     .strides = {8, 16, 32, 64, 100, 300},
     .prior_px = {{21}, {45}, {99}, {153}, {207}, {261}, {315}},
     .ratio_len = {1, 2, 2, 2, 1, 1}},
    {.whose = "MobileNet-SSD's",
     .side_px = 300,
     .stride_len = 6,
     .strides = {16, 32, 64, 100, 150, 300},
     .prior_px = {{60}, {105}, {150}, {195}, {240}, {285}, {330}},
     .ratio_len = {2, 2, 2, 2, 2, 2}},
};

static void add_prior(pov_priors *priors, double width_px, double height_px)
{
    priors->width_px[priors->len] = width_px;
    priors->height_px[priors->len++] = height_px;
}

/* Liu 2016, section 2.2: a square, one between it and the next stride's, and boxes of each ratio. */
static pov_priors priors_of_stride(const prior_set *set, int i)
{
    pov_priors priors = {.len = 0};
    const double side_px = set->prior_px[i][0];
    for (int k = 0; k < set->square_len[i]; k++)
        add_prior(&priors, set->prior_px[i][k], set->prior_px[i][k]);
    if (set->square_len[i] > 0)
        return priors;
    const double between_px = sqrt(side_px * set->prior_px[i + 1][0]);
    add_prior(&priors, side_px, side_px);
    add_prior(&priors, between_px, between_px);
    for (int ratio = 2; ratio < 2 + set->ratio_len[i]; ratio++) {
        add_prior(&priors, side_px * sqrt(ratio), side_px / sqrt(ratio));
        add_prior(&priors, side_px / sqrt(ratio), side_px * sqrt(ratio));
    }
    return priors;
}

static int rows_of(const pov_model_contract *contract)
{
    int rows = 0;
    for (int i = 0; i < contract->stride_len; i++) {
        const int s = contract->strides[i];
        rows += ((pov_model_input_width(&contract->input) + s - 1) / s) *
                ((pov_model_input_height(&contract->input) + s - 1) / s) * contract->priors[i].len;
    }
    return rows;
}

static bool fits_input(const prior_set *set, const pov_model_contract *contract)
{
    return set->side_px == 0 || (pov_model_input_width(&contract->input) == set->side_px &&
                                 pov_model_input_height(&contract->input) == set->side_px);
}

const char *pov_guess_priors(pov_model_contract *contract, int rows, int columns)
{
    for (size_t k = 0; k < sizeof known_priors / sizeof *known_priors; k++) {
        const prior_set *set = &known_priors[k];
        if ((set->columns > 0 && set->columns != columns) || !fits_input(set, contract))
            continue;
        contract->stride_len = set->stride_len;
        memcpy(contract->strides, set->strides, sizeof contract->strides);
        for (int i = 0; i < set->stride_len; i++)
            contract->priors[i] = priors_of_stride(set, i);
        if (rows_of(contract) == rows) {
            contract->box_form = POV_BOXES_PRIORS;
            contract->centre_variance = 0.1;
            contract->size_variance = 0.2;
            return set->whose;
        }
    }
    contract->stride_len = 0;
    memset(contract->priors, 0, sizeof contract->priors);
    return NULL;
}
