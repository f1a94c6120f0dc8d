#include "firmware/calib/calib_turntable.h"

#include <math.h>

static void print_images(FILE *stream, const pov_turntable_report *r)
{
    bool any_told = false;
    for (int i = 0; i < r->image_len; i++)
        any_told |= r->images[i].has_told;
    fprintf(stream, "image                             tags   stood at    +-%s\n",
            any_told ? "      told   ahead" : "");
    for (int i = 0; i < r->image_len; i++) {
        const pov_turn_image *image = &r->images[i];
        fprintf(stream, "%-32.32s %5d  ", image->name, image->disc_len);
        if (image->fate != POV_TURN_IMAGE_USED) {
            fprintf(stream, "not used: %s\n", pov_turn_fate_name(image->fate));
            continue;
        }
        fprintf(stream, "%9.3f %6.3f", image->angle_rad / POV_DEG, image->angle_std_rad / POV_DEG);
        if (image->has_told)
            fprintf(stream, " %8.2f %7.3f", image->told.told_rad / POV_DEG, image->ahead_rad / POV_DEG);
        fputc('\n', stream);
    }
}

double pov_calib_largest_std(const pov_pose *pose, int first)
{
    return sqrt(fmax(pose->cov[first][first],
                     fmax(pose->cov[first + 1][first + 1], pose->cov[first + 2][first + 2])));
}

static void print_axis(FILE *stream, const pov_turntable_report *r)
{
    static const char *const zeros[] = {"where the table was told 0",
                                        "where the ring's first tag lies along the table's x",
                                        "the first image"};
    const pov_pose *at = &r->disc.T_table_disc;
    fprintf(stream,
            "\nThe axis passes through (%.4f, %.4f, %.4f) m, +- %.2g mm, and leans by %.2f degrees from the "
            "table's z.\n"
            "0 is %s. %d tags on the disc, seen over %.0f degrees; RMS %.3f px.\n",
            at->T.t_m.x, at->T.t_m.y, at->T.t_m.z, 1e3 * pov_calib_largest_std(at, 3), r->lean_rad / POV_DEG,
            zeros[r->zero], r->disc.tags.len, r->arc_rad / POV_DEG, r->rms_px);
    for (int i = 0; i < r->left_out_len; i++)
        fprintf(stream, "%s%d%s", i ? ", " : "Left out, since they do not turn with it: tag ", r->left_out[i],
                i + 1 < r->left_out_len ? "" : ".\n");
    if (r->lean_rad > 5 * POV_DEG)
        fputs("A turntable's axis is upright as a rule: does the tag map's frame lie on the table, z up?\n",
              stream);
}

static void print_slip(FILE *stream, const pov_turntable_report *r)
{
    const pov_slip_report *slip = &r->slip;
    if (!r->has_slip)
        return;
    fprintf(stream, "Counting up turns it %s.\n",
            slip->clockwise ? "clockwise, seen from above" : "counter-clockwise");
    if (slip->has_backlash)
        fprintf(stream, "Backlash: %.3f +- %.3f degrees.\n", slip->backlash_rad / POV_DEG,
                slip->backlash_std_rad / POV_DEG);
    for (int k = 0; k < slip->slip_len; k++)
        fprintf(stream, "It slipped before %s: it %s by %.2f +- %.2f degrees.\n",
                r->images[r->slip_image[k]].name, slip->slips[k].jump_rad < 0 ? "fell back" : "ran ahead",
                fabs(slip->slips[k].jump_rad) / POV_DEG, slip->slips[k].std_rad / POV_DEG);
    if (pov_turntable_report_creeps(r))
        fprintf(stream,
                "A whole turn comes %.2f +- %.2f degrees too %s: the controller's steps per degree, or a "
                "belt that creeps.\n",
                fabs(slip->creep) * 360, slip->creep_std * 360, slip->creep < 0 ? "short" : "far");
    fprintf(stream, "What is left of told against seen: %.3f degrees.\n", slip->scatter_rad / POV_DEG);
}

void pov_calib_turntable_print_text(FILE *stream, const pov_turntable_report *r)
{
    print_images(stream, r);
    print_axis(stream, r);
    print_slip(stream, r);
}
