#include "firmware/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    NEEDED = 64,        /* descriptors; chosen: a station with all its listeners and a recording takes 30 */
    WANTED = 4096,      /* descriptors; chosen: the connections below, and as many again */
    WIRE_MAX = 512,     /* connections; chosen: more than a lab has subscribers */
    QUESTIONS_MAX = 64, /* chosen: people and robots that ask one station */
    PAGES_MAX = 256     /* chosen: 16 viewers open about six each */
};

static long limit_now(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < WANTED ? (long)limit.rlim_cur : WANTED;
}

void pov_descriptors_fill(void)
{
    int last;
    do
        last = open("/dev/null", O_RDWR);
    while (last >= 0 && last <= STDERR_FILENO);
    if (last > STDERR_FILENO)
        close(last);
}

pov_status pov_descriptors_raise(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= WANTED)
        return pov_ok();
    limit.rlim_cur = limit.rlim_max < WANTED ? limit.rlim_max : WANTED;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* what remains of the old limit is shared as well */
    return limit_now() >= NEEDED
               ? pov_ok()
               : pov_error(
                     "at most %ld files may be open at once, and pov needs %d; raise the limit: ulimit -n %d",
                     limit_now(), NEEDED, WANTED);
}

static int share(long descriptors, int most)
{
    return descriptors < most ? (int)descriptors : most;
}

/* The dashboard and Foxglove may take a quarter of the limit each, the wire three sixteenths, questions one; a quarter is left for
 * the rest. */
int pov_descriptors_for_wire(void)
{
    return share(limit_now() * 3 / 16, WIRE_MAX);
}

int pov_descriptors_for_questions(void)
{
    return share(limit_now() / 16, QUESTIONS_MAX);
}

int pov_descriptors_for_pages(void)
{
    return share(limit_now() / 12, PAGES_MAX);
}
