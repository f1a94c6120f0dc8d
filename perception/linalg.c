#include "perception/linalg.h"

#include "perception/status.h"

#include <math.h>

static void fill_nan(double *matrix, int n)
{
    for (int i = 0; i < n * n; i++)
        matrix[i] = NAN;
}

/** A[i][j] less the product of the rows of L found so far. */
static double remainder_at(const double *L, double a, int i, int j, int n)
{
    for (int k = 0; k < j; k++)
        a -= L[i * n + k] * L[j * n + k];
    return a;
}

/** Row by row (Cholesky-Banachiewicz): reads A[i][j] only before it writes L[i][j], so that L may alias A. */
bool pov_cholesky(double *L, const double *A, int n)
{
    POV_REQUIRE(n >= 1 && n <= POV_LINALG_MAX);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            L[i * n + j] = remainder_at(L, A[i * n + j], i, j, n) / L[j * n + j];
        const double pivot = remainder_at(L, A[i * n + i], i, i, n);
        if (!(pivot > 0) || isinf(pivot)) {
            fill_nan(L, n);
            return false;
        }
        L[i * n + i] = sqrt(pivot);
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            L[i * n + j] = 0;
    return true;
}

void pov_cholesky_solve(double *x, const double *L, const double *b, int n)
{
    POV_REQUIRE(n >= 1 && n <= POV_LINALG_MAX);
    for (int i = 0; i < n; i++) {
        double sum = b[i];
        for (int k = 0; k < i; k++)
            sum -= L[i * n + k] * x[k];
        x[i] = sum / L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (int k = i + 1; k < n; k++)
            sum -= L[k * n + i] * x[k];
        x[i] = sum / L[i * n + i];
    }
}

static void symmetrise(double *A, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = (A[i * n + j] + A[j * n + i]) / 2;
}

bool pov_symmetric_inverse(double *inverse, const double *A, int n)
{
    double L[POV_LINALG_MAX * POV_LINALG_MAX];
    if (!pov_cholesky(L, A, n)) {
        fill_nan(inverse, n);
        return false;
    }
    for (int row = 0; row < n; row++) {
        double unit[POV_LINALG_MAX] = {0};
        unit[row] = 1;
        pov_cholesky_solve(&inverse[row * n], L, unit, n);
    }
    symmetrise(inverse, n);
    return true;
}

void pov_sandwich(double *C, const double *J, const double *A, int rows, int n)
{
    POV_REQUIRE(rows >= 1 && rows <= POV_LINALG_MAX && n >= 1 && n <= POV_LINALG_MAX);
    for (int i = 0; i < rows; i++) {
        double row_of_JA[POV_LINALG_MAX] = {0};
        for (int k = 0; k < n; k++)
            for (int l = 0; l < n; l++)
                row_of_JA[l] += J[i * n + k] * A[k * n + l];
        for (int j = 0; j < rows; j++) {
            C[i * rows + j] = 0;
            for (int l = 0; l < n; l++)
                C[i * rows + j] += row_of_JA[l] * J[j * n + l];
        }
    }
    symmetrise(C, rows);
}

void pov_symmetric2_eigen(double values[2], double first[2], double a, double b, double c)
{
    const double mean = (a + c) / 2;
    const double radius = hypot((a - c) / 2, b);
    const double angle_rad = atan2(2 * b, a - c) / 2;
    values[0] = mean + radius;
    values[1] = mean - radius;
    first[0] = cos(angle_rad);
    first[1] = sin(angle_rad);
}
