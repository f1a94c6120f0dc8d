#include "firmware/descriptors.h"

#include <sys/resource.h>

enum {
    WANTED = 4096,  /* descriptors; chosen: the connections below, and as many again */
    WIRE_MAX = 512, /* connections; chosen: more than a lab has subscribers */
    PAGES_MAX = 256 /* chosen: 16 viewers open about six each */
};

static long limit_now(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < WANTED ? (long)limit.rlim_cur : WANTED;
}

void pov_descriptors_raise(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= WANTED)
        return;
    limit.rlim_cur = limit.rlim_max < WANTED ? limit.rlim_max : WANTED;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* what remains of the old limit is shared as well */
}

/* Three eighths of the limit for the wire, three for pages, a quarter for the rest. */
int pov_descriptors_for_wire(void)
{
    const long share = limit_now() * 3 / 8;
    return share < WIRE_MAX ? (int)share : WIRE_MAX;
}

int pov_descriptors_for_pages(void)
{
    const long share = limit_now() / 8;
    return share < PAGES_MAX ? (int)share : PAGES_MAX;
}
