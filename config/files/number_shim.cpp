#include "config/files/number_shim.h"

#include <charconv>

void pov_number_text(char text[POV_NUMBER_CAPACITY], double value)
{
    *std::to_chars(text, text + POV_NUMBER_CAPACITY - 1, value).ptr = '\0'; /* at most 24 characters */
}
