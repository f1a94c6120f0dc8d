/** Small dense linear algebra for symmetric matrices, row-major, n <= POV_LINALG_MAX but where said otherwise. libc
 *  and libm only. */
#pragma once

#include <stdbool.h>

enum { POV_LINALG_MAX = 18 };

/** Lower Cholesky factor L of A = L L^T (n x n, row-major). Returns false, L cleared to NaN, if A is not
 *  positive definite. L may alias A; its upper triangle is set to 0. Any n. */
bool pov_cholesky(double *L, const double *A, int n);
/** The same of a positive semi-definite A, a covariance that may be singular: columns whose pivot is lost in rounding are
 *  zero. L must not alias A. */
void pov_cholesky_semidefinite(double *L, const double *A, int n);
/** Solves A x = b given A's Cholesky factor L. x may alias b. Any n. */
void pov_cholesky_solve(double *x, const double *L, const double *b, int n);
/** Inverse of the symmetric positive definite A. Returns false, result NaN, if it is not. May alias. */
bool pov_symmetric_inverse(double *inverse, const double *A, int n);
/** C = J A J^T for J (rows x n) and symmetric A (n x n); C is rows x rows. No aliasing. */
void pov_sandwich(double *C, const double *J, const double *A, int rows, int n);
/** Eigenvalues (unsorted) and unit eigenvectors (columns of the n x n `vectors`) of the symmetric A, by Jacobi's cyclic
 *  rotations: Golub & Van Loan 2013, section 8.5. No aliasing. */
void pov_symmetric_eigen(double *values, double *vectors, const double *A, int n);
/** Eigenvalues (descending) and the unit eigenvector of the first, of [[a, b], [b, c]]. */
void pov_symmetric2_eigen(double values[2], double first[2], double a, double b, double c);
