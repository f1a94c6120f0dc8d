#include "calib/tags/pose_block.h"

#include "perception/geometry/linalg.h"

#include <string.h>

static double product(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

bool pov_pose_block_eliminate(pov_pose_block *block, double *S, double *right, int n, double damping)
{
    const int size = block->size;
    memcpy(block->factor, block->own, sizeof block->factor);
    for (int i = 0; i < size; i++)
        block->factor[i * (size + 1)] *= 1 + damping;
    if (!pov_cholesky(block->factor, block->factor, size))
        return false;
    for (int i = 0; i < block->len; i++) {
        double *solved = &block->cross_solved[i * size], *row = &S[block->unknown[i] * n];
        pov_cholesky_solve(solved, block->factor, &block->cross[i * size], size);
        right[block->unknown[i]] -= product(solved, block->gradient, size);
        for (int j = 0; j < block->len; j++)
            row[block->unknown[j]] -= product(solved, &block->cross[j * size], size);
    }
    return true;
}

double pov_pose_block_pull(const pov_pose_block *block, double *scratch, const double *pull, const double *L,
                           int n)
{
    double sum = 0;
    memset(scratch, 0, (size_t)n * sizeof *scratch);
    for (int i = 0; i < block->len; i++)
        scratch[block->unknown[i]] +=
            pull[i] - product(&block->cross_solved[i * block->size], block->gradient, block->size);
    for (int i = 0; i < n; i++) { /* forward substitution */
        scratch[i] = (scratch[i] - product(&L[(size_t)i * (size_t)n], scratch, i)) /
                     L[(size_t)i * (size_t)n + (size_t)i];
        sum += scratch[i] * scratch[i];
    }
    return sum;
}

void pov_pose_block_step(double *step, const pov_pose_block *block, const double *shared_step)
{
    const int size = block->size;
    memcpy(step, block->gradient, (size_t)size * sizeof *step);
    for (int i = 0; i < block->len; i++)
        for (int k = 0; k < size; k++)
            step[k] -= block->cross[i * size + k] * shared_step[block->unknown[i]];
    pov_cholesky_solve(step, block->factor, step, size);
}
