/* Any text of a model is read as a length without harm; what is read is a length; and a number before it decides alone. */
#include "compare/answers/answer_measure.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_MAX = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char answer[LENGTH_MAX + 1], unit[16];
    double length_m, number, scaled_m;
    const size_t len = length < LENGTH_MAX ? length : LENGTH_MAX;
    memcpy(answer, bytes, len);
    answer[len] = '\0';
    memcpy(unit, bytes, len < sizeof unit ? len : sizeof unit - 1);
    unit[len < sizeof unit ? len : sizeof unit - 1] = '\0';
    const double unit_m = pov_length_unit_m(unit);
    expect(isnan(unit_m) || unit_m > 0);
    const pov_answer_kind kind = pov_answer_length(&length_m, answer, 1);
    expect(kind < POV_ANSWER_KINDS &&
           (kind == POV_ANSWER_GIVEN ? length_m >= 0 && isfinite(length_m) : isnan(length_m)));
    expect(pov_answer_quantity(&number, answer) == kind && (kind != POV_ANSWER_GIVEN || number >= 0));
    expect(pov_answer_length(&scaled_m, answer, 0.01) == kind);
    /* The unit asked for counts where none is said, and nowhere else. */
    expect(kind != POV_ANSWER_GIVEN || scaled_m == length_m ||
           fabs(scaled_m - 0.01 * length_m) <= 1e-12 * length_m);
    return 0;
}
