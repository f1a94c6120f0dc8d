#include "compare/questions/lettered.h"

void pov_questions_ask_mindcube(pov_questions *q)
{
    (void)q;
}
