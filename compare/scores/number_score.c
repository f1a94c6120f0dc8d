#include "compare/scores/number_score.h"

#include "compare/answers/answer_measure.h"

#include <math.h>

enum { THRESHOLDS = 10 };

/* The errors that thresholds allow are compared as hundredths: 0.05 is 1 - 0.95, which in binary it is not. */
double pov_mra(double predicted, double gold)
{
    static const double rounding =
        1e-9; /* hundredths; derived: far above a double's, far below what a model says */
    const double error_hundredths =
        gold == 0 ? (predicted == 0 ? 0 : INFINITY) : 100 * fabs(predicted - gold) / fabs(gold);
    int passed = 0;
    for (int i = 0; i < THRESHOLDS; i++)
        passed += error_hundredths <= 5 * (THRESHOLDS - i) + rounding;
    return passed / (double)THRESHOLDS;
}

pov_status pov_number_grade(pov_grade *grade, const char *answer, double gold, const char *unit)
{
    double said;
    const double unit_m = *unit ? pov_length_unit_m(unit) : 1;
    if (isnan(unit_m))
        return pov_error("'%.40s' is not a unit of length: m, cm, mm, km, in, ft or yd; leave it empty for a "
                         "number of things",
                         unit);
    const pov_answer_kind kind =
        *unit ? pov_answer_length(&said, answer, unit_m) : pov_answer_quantity(&said, answer);
    *grade = (pov_grade){kind, kind == POV_ANSWER_GIVEN ? pov_mra(said / unit_m, gold) : 0, NAN};
    return pov_ok();
}
