#include "compare/languages/prompt.h"

static const char *const prompt_names[] = {"nop", "cam", "add", "rel"};
_Static_assert(sizeof prompt_names / sizeof *prompt_names == POV_PROMPT_COUNT, "a name for each prompt");

const char *pov_prompt_name(pov_prompt prompt)
{
    POV_REQUIRE(prompt >= 0 && prompt < POV_PROMPT_COUNT);
    return prompt_names[prompt];
}

pov_reading pov_prompt_reading(pov_prompt prompt, pov_convention convention)
{
    static const pov_perspective perspectives[POV_PROMPT_COUNT] = {POV_EGOCENTRIC, POV_EGOCENTRIC,
                                                                   POV_ADDRESSEE, POV_INTRINSIC};
    return (pov_reading){perspectives[prompt], prompt == POV_PROMPT_RELATUM ? POV_NO_CONVENTION : convention};
}
