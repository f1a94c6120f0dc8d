#include "perception/geometry/linalg.h"

#include "perception/status.h"

#include <math.h>
#include <string.h>

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
    POV_REQUIRE(n >= 1);
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

void pov_cholesky_semidefinite(double *L, const double *A, int n)
{
    const double lost = 1e-12; /* of a pivot's entry in A */
    memset(L, 0, sizeof(double) * (size_t)(n * n));
    for (int j = 0; j < n; j++) {
        const double pivot = remainder_at(L, A[j * n + j], j, j, n);
        if (!(pivot > lost * A[j * n + j]))
            continue;
        L[j * n + j] = sqrt(pivot);
        for (int i = j + 1; i < n; i++)
            L[i * n + j] = remainder_at(L, A[i * n + j], i, j, n) / L[j * n + j];
    }
}

void pov_cholesky_solve(double *x, const double *L, const double *b, int n)
{
    POV_REQUIRE(n >= 1);
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

static void symmetrise_matrix(double *A, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = (A[i * n + j] + A[j * n + i]) / 2;
}

bool pov_symmetric_inverse(double *inverse, const double *A, int n)
{
    double L[POV_LINALG_MAX * POV_LINALG_MAX];
    POV_REQUIRE(n <= POV_LINALG_MAX);
    if (!pov_cholesky(L, A, n)) {
        fill_nan(inverse, n);
        return false;
    }
    for (int row = 0; row < n; row++) {
        double unit[POV_LINALG_MAX] = {0};
        unit[row] = 1;
        pov_cholesky_solve(&inverse[row * n], L, unit, n);
    }
    symmetrise_matrix(inverse, n);
    return true;
}

static bool is_zero(const double *A, int n)
{
    int i = 0;
    while (i < n * n && A[i] == 0)
        i++;
    return i == n * n;
}

void pov_sandwich(double *C, const double *J, const double *A, int rows, int n)
{
    POV_REQUIRE(rows >= 1 && rows <= POV_LINALG_MAX && n >= 1 && n <= POV_LINALG_MAX);
    if (is_zero(A, n)) { /* what is known exactly: the tags of a printed board */
        memset(C, 0, sizeof *C * (size_t)(rows * rows));
        return;
    }
    for (int i = 0; i < rows; i++) {
        double row_of_JA[POV_LINALG_MAX];
        memset(row_of_JA, 0, sizeof *row_of_JA * (size_t)n);
        for (int k = 0; k < n; k++)
            for (int l = 0; l < n; l++)
                row_of_JA[l] += J[i * n + k] * A[k * n + l];
        for (int j = 0; j < rows; j++) {
            C[i * rows + j] = 0;
            for (int l = 0; l < n; l++)
                C[i * rows + j] += row_of_JA[l] * J[j * n + l];
        }
    }
    symmetrise_matrix(C, rows);
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

/* Rotates rows and columns p, q of the symmetric M so that M[p][q] becomes 0, and V's columns along. */
static void jacobi_rotate(double *M, double *V, int p, int q, int n)
{
    double apq = M[p * n + q];
    if (apq == 0)
        return;
    double tau = (M[q * n + q] - M[p * n + p]) / (2 * apq);
    double t = copysign(1, tau) / (fabs(tau) + sqrt(1 + tau * tau));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    for (int k = 0; k < n; k++) {
        double kp = M[k * n + p], kq = M[k * n + q];
        M[k * n + p] = c * kp - s * kq;
        M[k * n + q] = s * kp + c * kq;
    }
    for (int k = 0; k < n; k++) {
        double pk = M[p * n + k], qk = M[q * n + k], vp = V[k * n + p], vq = V[k * n + q];
        M[p * n + k] = c * pk - s * qk;
        M[q * n + k] = s * pk + c * qk;
        V[k * n + p] = c * vp - s * vq;
        V[k * n + q] = s * vp + c * vq;
    }
}

static double off_diagonal(const double *M, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            sum += M[i * n + j] * M[i * n + j];
    return sum;
}

void pov_symmetric_eigen(double *values, double *vectors, const double *A, int n)
{
    POV_REQUIRE(n >= 1 && n <= POV_LINALG_MAX);
    double M[POV_LINALG_MAX * POV_LINALG_MAX], size = 0;
    for (int i = 0; i < n * n; i++) {
        M[i] = A[i];
        size += A[i] * A[i];
        vectors[i] = i % (n + 1) == 0;
    }
    /* Convergence is quadratic: a dozen sweeps are more than any 12 x 12 needs. */
    for (int sweep = 0; sweep < 12 && off_diagonal(M, n) > 1e-30 * size; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                jacobi_rotate(M, vectors, p, q, n);
    for (int i = 0; i < n; i++)
        values[i] = M[i * n + i];
}
