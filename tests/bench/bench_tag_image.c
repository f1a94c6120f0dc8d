#include "tests/bench/bench.h"
#include "tests/support/tag_work.h"

static void *prepare(void)
{
    return tag_work_new();
}

static void run(void *work)
{
    tag_work_detect(work);
}

static void finish(void *work)
{
    tag_work *tags = work;
    tag_work_destroy(&tags);
}

const pov_bench BENCH_TAG_IMAGE = {
    .name = "tag_image",
    .what = "libapriltag, full resolution, one thread, 1280x720, 12 tags",
    .unit = "image",
    .units_per_run = 1,
    .prepare = prepare,
    .run = run,
    .finish = finish,
};
