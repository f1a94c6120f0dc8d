/** Numbers as text. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { POV_NUMBER_CAPACITY = 32 };

/** The shortest decimal text that reads back as this value, by C++'s std::to_chars: some 20 times as fast as trying printf's
 *  precisions. In: a finite value. The text ends with a zero byte. */
void pov_number_text(char text[POV_NUMBER_CAPACITY], double value);

#ifdef __cplusplus
}
#endif
