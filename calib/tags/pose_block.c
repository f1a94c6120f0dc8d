#include "calib/tags/pose_block.h"

#include "perception/geometry/linalg.h"

#include <string.h>

static double product(const double a[6], const double b[6])
{
    double sum = 0;
    for (int k = 0; k < 6; k++)
        sum += a[k] * b[k];
    return sum;
}

bool pov_pose_block_eliminate(pov_pose_block *block, double *S, double *right, int n, double damping)
{
    memcpy(block->factor, block->pose, sizeof block->factor);
    for (int i = 0; i < 6; i++)
        block->factor[i * 7] *= 1 + damping;
    if (!pov_cholesky(block->factor, block->factor, 6))
        return false;
    for (int i = 0; i < block->len; i++) {
        double *solved = &block->cross_solved[i * 6], *row = &S[block->unknown[i] * n];
        pov_cholesky_solve(solved, block->factor, &block->cross[i * 6], 6);
        right[block->unknown[i]] -= product(solved, block->gradient);
        for (int j = 0; j < block->len; j++)
            row[block->unknown[j]] -= product(solved, &block->cross[j * 6]);
    }
    return true;
}

void pov_pose_block_step(double step[6], const pov_pose_block *block, const double *shared_step)
{
    memcpy(step, block->gradient, sizeof block->gradient);
    for (int i = 0; i < block->len; i++)
        for (int k = 0; k < 6; k++)
            step[k] -= block->cross[i * 6 + k] * shared_step[block->unknown[i]];
    pov_cholesky_solve(step, block->factor, step, 6);
}
