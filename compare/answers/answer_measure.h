/** Lengths as models write them: "about 30 cm", "one foot", "0.3 meters", "1,5 m", "a metre and a half", "5'3\"", "between 20 and 30 cm".
 *  Pure. */
#pragma once

#include "compare/answers/answer_parse.h"

/** The length of a unit's name ("cm", "feet", "inches") in metres. NaN: it is none. */
double pov_length_unit_m(const char *name);

/** The length that an answer says, in metres.
 *  Rule: of a chain of thought its conclusion; there the first quantity with a unit, or else the first number, which has the unit that was
 *  asked for. Parts in smaller units that follow are added ("5 ft 3 in", "2 metres and a half"); of a range ("20 to 30 cm", "between 20
 *  and 30 cm", "20-30 cm") the middle counts. A comma before three digits parts thousands, unless a zero or nothing stands before it; else
 *  it is a decimal comma. A sign is not read: there is no negative length.
 *  Returns: POV_ANSWER_GIVEN; POV_ANSWER_REFUSED or POV_ANSWER_UNCLEAR: it says none; POV_ANSWER_MISSING: there are no words.
 *  In:      asked_m: metres of the unit that a bare number has, as 0.01 for centimetres. */
pov_answer_kind pov_answer_length(double *length_m, const char *answer, double asked_m);

/** The same for a number of things, or in a unit that is none of length: a bare number, or the middle of a range. */
pov_answer_kind pov_answer_quantity(double *number, const char *answer);
