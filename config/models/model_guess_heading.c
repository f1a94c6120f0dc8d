#include "config/models/model_guess_internal.h"

#include <string.h>
#include <strings.h>

/** Networks whose rows are bins of an angle, by the number of their columns. */
typedef struct {
    int columns, bins;
    double first_deg, step_deg; /* step 0: a full circle */
    bool of_face;               /* else of a thing */
    bool sigmoid;
    int confidence_column;
    const char *whose;
} bins_of;

#define ORIENT_ANYTHING                                                                                      \
    "Orient Anything's (Wang 2024): 360 of azimuth first, then polar angle and rotation, at last whether "   \
    "it "                                                                                                    \
    "has a front"

static const bins_of known_bins[] = {
    {66, 66, -99, 3, true, false, 0, "Hopenet's (Ruiz 2018): 66 bins of 3 degrees from -99 on"},
    {90, 90, -180, 4, true, false, 0,
     "L2CS-Net's on Gaze360 (Abdelrahman 2022): 90 bins of 4 degrees from -180 on"},
    {28, 28, -42, 3, true, false, 0,
     "L2CS-Net's on MPIIGaze (Abdelrahman 2022): 28 bins of 3 degrees from -42 on"},
    {602, 360, 0, 0, false, false, 600, ORIENT_ANYTHING},
    {722, 360, 0, 0, false, false, 720, ORIENT_ANYTHING},
    {902, 360, 0, 0, false, false, 900, ORIENT_ANYTHING},
    {900, 360, 0, 0, false, true, 0,
     "Orient Anything V2's: 360 of azimuth first, as many peaks as the thing has fronts, then polar angle "
     "and "
     "rotation"},
};

static const bins_of *find_bins(int columns)
{
    for (size_t i = 0; i < sizeof known_bins / sizeof *known_bins; i++)
        if (known_bins[i].columns == columns)
            return &known_bins[i];
    return NULL;
}

/* A face that looks into the camera has yaw 0, and to the image's left a positive one: as 300W-LP (Zhu 2016) has it. */
static void take_face_angles(pov_heading_contract *heading)
{
    heading->away_rad = POV_PI;
    heading->clockwise = true;
}

static void take_bins(pov_heading_contract *heading, const bins_of *known)
{
    heading->kind = POV_HEADING_BINS;
    heading->bins = known->bins;
    heading->first_rad = known->first_deg * POV_DEG;
    heading->step_rad = known->step_deg * POV_DEG;
    if (known->columns > known->bins)
        heading->columns = known->columns;
    heading->sigmoid = known->sigmoid;
    heading->confidence_column = known->confidence_column;
    if (known->of_face)
        take_face_angles(heading);
}

/* Bins of whole degrees that share a circle. */
static bool divides_circle(int columns)
{
    return columns >= 8 && columns <= POV_MODEL_BIN_MAX && 360 % columns == 0;
}

pov_status pov_guess_heading(pov_guessing *guessing, const pov_tensor_shape *shape)
{
    pov_heading_contract *heading = &guessing->contract->heading;
    const bool is_matrix = shape->dims == 3 && shape->size[1] == 3 && shape->size[2] == 3;
    const int columns = is_matrix ? 9 : shape->size[shape->dims - 1];
    const bins_of *known = find_bins(columns);
    guessing->contract->outputs[POV_OUTPUT_HEADING] = *shape;
    *heading = (pov_heading_contract){.kind = POV_HEADING_BINS,
                                      .against = POV_HEADING_OF_RAY,
                                      .bins = columns,
                                      .front_axis = {1, 0, 0},
                                      .std_rad = 15 * POV_DEG};
    if (columns == 2) {
        heading->kind = POV_HEADING_SINE_COSINE;
        pov_guess_remark(guessing->remarks, "heading: two numbers are taken as a sine and a cosine");
    } else if (columns == 3) {
        heading->kind = POV_HEADING_EULER;
        heading->order[0] = POV_EULER_YAW, heading->order[1] = POV_EULER_PITCH,
        heading->order[2] = POV_EULER_ROLL;
        heading->radians = guessing->seen && pov_guess_between(guessing, shape, 0, columns, -POV_PI, POV_PI);
        take_face_angles(heading);
        pov_guess_remark(guessing->remarks, "heading: three numbers are taken as a head's yaw, pitch and "
                                            "roll, as FSA-Net's (Yang 2019): order, "
                                            "unit and signs are to be seen on a picture");
    } else if (is_matrix) {
        heading->kind = POV_HEADING_ROTATION_9D;
        heading->front_axis = (pov_vec3){0, 0, -1};
        pov_guess_remark(
            guessing->remarks,
            "heading: a matrix of 3 x 3 is taken as a head's rotation, as 6DRepNet's (Hempel 2022), "
            "which is 1 for a face that looks into the camera");
    } else if (columns == 6 || columns == 9) {
        heading->kind = columns == 6 ? POV_HEADING_ROTATION_6D : POV_HEADING_ROTATION_9D;
        pov_guess_remark(
            guessing->remarks,
            "heading: %d numbers are taken as a rotation; front_axis: [0, 0, 1] if its front is along z",
            columns);
    } else if (known) {
        take_bins(heading, known);
        pov_guess_remark(guessing->remarks, "heading: %d numbers are taken as %s", columns, known->whose);
    } else if (divides_circle(columns)) {
        pov_guess_remark(guessing->remarks, "heading: %d numbers are taken as bins of %d degrees, all around",
                         columns, 360 / columns);
    } else {
        return pov_error("no known layout: '%s' has %d numbers, which are no heading that is known (bins, a "
                         "rotation, yaw, "
                         "pitch and roll): docs/MODELS.md says which are",
                         shape->name, columns);
    }
    pov_guess_remark(guessing->remarks,
                     "heading: kind, against, turns, away_deg and std_deg are guesses; see docs/MODELS.md");
    return pov_ok();
}
