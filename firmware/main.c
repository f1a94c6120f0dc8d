#include <stdio.h>

int main(void)
{
    puts("pov " POV_VERSION);
    return 0;
}
