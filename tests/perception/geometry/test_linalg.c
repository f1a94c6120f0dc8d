#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/geometry/linalg.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <math.h>
#include <string.h>

enum { N_MAX = POV_LINALG_MAX };

/** G G^T + I / 100: symmetric, positive definite. */
static void random_positive(double *A, int n, test_random *random)
{
    double G[N_MAX * N_MAX];
    for (int i = 0; i < n * n; i++)
        G[i] = test_random_normal(random);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i * n + j] = i == j ? 0.01 : 0;
            for (int k = 0; k < n; k++)
                A[i * n + j] += G[i * n + k] * G[j * n + k];
        }
}

static double product_at(const double *A, const double *B, int i, int j, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += A[i * n + k] * B[k * n + j];
    return sum;
}

static void a_factor_times_its_transpose_is_the_matrix(void **state)
{
    (void)state;
    test_random random = {1};
    for (int n = 1; n <= N_MAX; n++) {
        double A[N_MAX * N_MAX], L[N_MAX * N_MAX];
        random_positive(A, n, &random);
        memcpy(L, A, sizeof A);
        assert_true(pov_cholesky(L, L, n)); /* aliased */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++)
                    sum += L[i * n + k] * L[j * n + k];
                assert_near(sum, A[i * n + j], 1e-12 * n);
                if (j > i)
                    assert_true(L[i * n + j] == 0);
            }
    }
}

/* A covariance of any rank; rounding may make it slightly negative along some direction. */
static void a_semidefinite_factor_times_its_transpose_is_the_matrix(void **state)
{
    (void)state;
    test_random random = {6};
    for (int n = 1; n <= N_MAX; n++)
        for (int rank = 0; rank <= n; rank++) {
            double A[N_MAX * N_MAX] = {0}, L[N_MAX * N_MAX];
            for (int r = 0; r < rank; r++) {
                double g[N_MAX];
                for (int i = 0; i < n; i++)
                    g[i] = test_random_normal(&random);
                for (int i = 0; i < n * n; i++)
                    A[i] += g[i / n] * g[i % n];
            }
            for (int i = 0; i < n; i++)
                A[i * n + i] *= 1 - 1e-14;
            pov_cholesky_semidefinite(L, A, n);
            for (int i = 0; i < n * n; i++) {
                double sum = 0;
                for (int k = 0; k < n; k++)
                    sum += L[i / n * n + k] * L[i % n * n + k];
                assert_near(sum, A[i], 1e-5);
                assert_true(i % n <= i / n || L[i] == 0);
            }
        }
}

static void a_matrix_that_is_not_positive_definite_is_refused(void **state)
{
    (void)state;
    const double bad[][4] = {{1, 2, 2, 1}, {0, 0, 0, 0}, {-1, 0, 0, 1}, {1, 0, 0, NAN}, {1, 1, 1, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double result[4] = {0};
        assert_false(pov_cholesky(result, bad[i], 2));
        assert_true(isnan(result[0]) && isnan(result[1]) && isnan(result[2]) && isnan(result[3]));
        memset(result, 0, sizeof result);
        assert_false(pov_symmetric_inverse(result, bad[i], 2));
        assert_true(isnan(result[0]) && isnan(result[3]));
    }
}

static void a_solution_put_back_gives_the_right_hand_side(void **state)
{
    (void)state;
    test_random random = {2};
    for (int n = 1; n <= N_MAX; n++) {
        double A[N_MAX * N_MAX], L[N_MAX * N_MAX], b[N_MAX], x[N_MAX];
        random_positive(A, n, &random);
        for (int i = 0; i < n; i++)
            x[i] = b[i] = test_random_normal(&random);
        assert_true(pov_cholesky(L, A, n));
        pov_cholesky_solve(x, L, x, n); /* aliased */
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += A[i * n + k] * x[k];
            assert_near(sum, b[i], 1e-8);
        }
    }
}

static void an_inverse_times_the_matrix_is_the_identity(void **state)
{
    (void)state;
    test_random random = {3};
    for (int n = 1; n <= N_MAX; n++) {
        double A[N_MAX * N_MAX], inverse[N_MAX * N_MAX];
        random_positive(A, n, &random);
        memcpy(inverse, A, sizeof A);
        assert_true(pov_symmetric_inverse(inverse, inverse, n)); /* aliased */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                assert_near(product_at(A, inverse, i, j, n), i == j, 1e-8);
                assert_true(inverse[i * n + j] == inverse[j * n + i]);
            }
    }
}

/** J A J^T of a rank-one A = v v^T is (J v)(J v)^T. */
static void a_sandwich_of_an_outer_product_is_the_outer_product_of_the_image(void **state)
{
    (void)state;
    test_random random = {4};
    for (int rows = 1; rows <= N_MAX; rows += 3)
        for (int n = 1; n <= N_MAX; n += 2) {
            double J[N_MAX * N_MAX], v[N_MAX], A[N_MAX * N_MAX], C[N_MAX * N_MAX], image[N_MAX] = {0};
            for (int i = 0; i < rows * n; i++)
                J[i] = test_random_normal(&random);
            for (int i = 0; i < n; i++)
                v[i] = test_random_normal(&random);
            for (int i = 0; i < n * n; i++)
                A[i] = v[i / n] * v[i % n];
            for (int i = 0; i < rows * n; i++)
                image[i / n] += J[i] * v[i % n];
            pov_sandwich(C, J, A, rows, n);
            for (int i = 0; i < rows * rows; i++)
                assert_near(C[i], image[i / rows] * image[i % rows], 1e-10);
        }
}

static void eigenvalues_of_a_turned_ellipse_are_its_squared_axes(void **state)
{
    (void)state;
    for (int degrees = -90; degrees < 90; degrees += 5) {
        const double c = cos(degrees * 0.017453292519943295), s = sin(degrees * 0.017453292519943295);
        double values[2], first[2];
        pov_symmetric2_eigen(values, first, 9 * c * c + 4 * s * s, (9 - 4) * c * s, 9 * s * s + 4 * c * c);
        assert_near(values[0], 9, 1e-12);
        assert_near(values[1], 4, 1e-12);
        assert_near(fabs(first[0] * c + first[1] * s), 1, 1e-12);
    }
}

static void a_multiple_of_the_identity_has_a_unit_eigenvector(void **state)
{
    (void)state;
    double values[2], first[2];
    pov_symmetric2_eigen(values, first, 3, 0, 3);
    assert_near(values[0], 3, 0);
    assert_near(values[1], 3, 0);
    assert_near(hypot(first[0], first[1]), 1, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_factor_times_its_transpose_is_the_matrix),
        cmocka_unit_test(a_semidefinite_factor_times_its_transpose_is_the_matrix),
        cmocka_unit_test(a_matrix_that_is_not_positive_definite_is_refused),
        cmocka_unit_test(a_solution_put_back_gives_the_right_hand_side),
        cmocka_unit_test(an_inverse_times_the_matrix_is_the_identity),
        cmocka_unit_test(a_sandwich_of_an_outer_product_is_the_outer_product_of_the_image),
        cmocka_unit_test(eigenvalues_of_a_turned_ellipse_are_its_squared_axes),
        cmocka_unit_test(a_multiple_of_the_identity_has_a_unit_eigenvector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
