/** Does a server look at the image at all? The same questions are put with the image, with the image again, and with probes
 *  in its place: a blank one of the same size, its mirror image, and another. Answers that do not move did not come from
 *  the image. Pure. */
#pragma once

#include "perception/image/image.h"
#include "perception/status.h"

typedef enum {
    POV_CANARY_IMAGE,
    POV_CANARY_AGAIN,
    POV_CANARY_BLANK,
    POV_CANARY_MIRRORED,
    POV_CANARY_OTHER,
    POV_CANARY_PROBE_COUNT
} pov_canary_probe;
/** "image", "again", "blank", "mirrored", "other". */
extern const char *const POV_CANARY_PROBE_NAMES[POV_CANARY_PROBE_COUNT];

/** The image's mean colour everywhere; and left and right swapped. Out: RGB rows without gaps, 3 * width * height bytes. */
void pov_canary_blank(uint8_t *pixels, const pov_image *image);
void pov_canary_mirror(uint8_t *pixels, const pov_image *image);

/** P(yes) of one question by probe; NaN: not scored (refused, failed). */
typedef struct {
    double p[POV_CANARY_PROBE_COUNT];
} pov_canary_answers;

typedef enum {
    POV_CANARY_LOOKS,
    POV_CANARY_BARELY,  /* answers move, but by less than 0.1 on average */
    POV_CANARY_IGNORES, /* no answer moves by more than the server's own noise */
    POV_CANARY_UNCLEAR, /* fewer than half of the questions were scored on the image */
    POV_CANARY_VERDICT_COUNT
} pov_canary_verdict;
/** "looks", "barely", "ignores", "unclear". */
extern const char *const POV_CANARY_VERDICT_NAMES[POV_CANARY_VERDICT_COUNT];

typedef struct {
    pov_canary_verdict verdict;
    int questions, scored;                  /* of them, on the image */
    double noise;                           /* largest |change of P| when asked again; NaN if never scored */
    double change[POV_CANARY_PROBE_COUNT];  /* mean |change of P| against the image; NaN if never scored */
    double largest[POV_CANARY_PROBE_COUNT]; /* the largest */
    int lost[POV_CANARY_PROBE_COUNT];       /* questions scored on the image, but not on the probe */
} pov_canary_result;

/** In: asked: the probes that the questions were put with; the others do not count. */
void pov_canary_judge(pov_canary_result *result, const pov_canary_answers *answers, int len,
                      const bool asked[POV_CANARY_PROBE_COUNT]);
