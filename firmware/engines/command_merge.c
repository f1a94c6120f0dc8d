#include "config/files/json_value.h"
#include "firmware/commands.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/run/merge.h"

#include <cJSON.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bool partial;
} arguments;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_FLAG(arguments, partial, "partial", "join them even if images of the sweep are in none"),
    POV_OPTIONS_END,
};

const pov_command pov_command_merge = {
    .name = "merge",
    .summary = "join the folders of shards into one sweep",
    .run = run,
    .usage = "OUT RUN_DIR... [--partial]",
    .about =
        "Joins the shards of one sweep ('--shard') into a new folder, as if one process had made it: "
        "images, "
        "questions, answers. The order of the shards does not matter. It refuses shards of different sweeps "
        "or "
        "versions "
        "of pov, damaged ones, and two that have different images at one stop; a shard that is named twice "
        "counts once (docs/CLUSTER.md).",
    .options = option_table,
    .words = {.min = 2, .max = 100000, .wanted = "expected a new folder, and the folders to join"},
    .examples = "pov merge all shard_*\npov merge --partial so_far shard_*",
    .exits = "0 joined; 1 they do not belong together, an image is missing, or something cannot be read or "
             "written",
};

typedef struct {
    const char *folder;
    pov_log_survey survey;
} shard;

static int by_place(const void *a, const void *b)
{
    const shard *x = a, *y = b;
    if (x->survey.first_stop != y->survey.first_stop)
        return x->survey.first_stop < y->survey.first_stop ? -1 : 1;
    if (x->survey.images != y->survey.images)
        return x->survey.images < y->survey.images ? 1 : -1;
    return strcmp(x->survey.digest, y->survey.digest);
}

static pov_status survey_shards(shard *shards, int len)
{
    for (int i = 0; i < len; i++) {
        char path[POV_LOG_PATH_CAPACITY + 16];
        pov_log_folder_path(path, shards[i].folder);
        POV_TRY(pov_answer_log_survey(&shards[i].survey, path));
    }
    qsort(shards, (size_t)len, sizeof *shards, by_place);
    return pov_ok();
}

/* ---- what is missing ---- */

/* How many images the configuration promises; 0: it does not say. */
static int64_t promised_images(pov_answer_log *log)
{
    pov_log_run run;
    if (pov_answer_log_last_run(log, &run).code != POV_OK)
        return 0;
    cJSON *config = pov_json_parse_text(run.config);
    const cJSON *images = cJSON_GetObjectItem(config, "images"),
                *angles = cJSON_GetObjectItem(config, "angles");
    const bool is_folder = cJSON_HasObjectItem(cJSON_GetObjectItem(config, "source"), "folder");
    const double len = cJSON_IsNumber(images)                 ? images->valuedouble
                       : cJSON_IsNumber(angles) && !is_folder ? angles->valuedouble
                                                              : 0;
    cJSON_Delete(config);
    return len > 0 && len < 1e9 ? (int64_t)len : 0;
}

static pov_status find_missing(pov_answer_log *log, bool partial)
{
    const pov_log_file *file = pov_answer_log_file(log);
    int64_t last, images, first;
    const int64_t promised = promised_images(log);
    POV_TRY(pov_log_read_number(file, &last, "SELECT coalesce(max(stop), -1) FROM images"));
    POV_TRY(pov_log_read_number(file, &images, "SELECT count(*) FROM images"));
    const int64_t wanted = promised > last + 1 ? promised : last + 1;
    if (images == wanted)
        return pov_ok();
    POV_TRY(pov_log_read_number(file, &first,
                                "SELECT min(n) FROM (SELECT 0 AS n UNION ALL SELECT stop + 1 FROM images)"
                                " WHERE n NOT IN (SELECT stop FROM images)"));
    if (!partial)
        return pov_error("%" PRId64 " of %" PRId64 " images are in no shard, the first is %" PRId64
                         ": run what is missing, or join what there is with --partial",
                         wanted - images, wanted, first);
    pov_cli_warn("%" PRId64 " of %" PRId64 " images are in no shard, the first is %" PRId64, wanted - images,
                 wanted, first);
    return pov_ok();
}

/* ---- the whole ---- */

/* The shards to join. */
typedef struct {
    const shard *shards; /* in their order */
    int len;
    bool partial;
} joint;

static pov_status join_shards(pov_answer_log *log, const char *folder, const void *context)
{
    const joint *all = context;
    pov_log_merged sum = {.images = 0};
    for (int i = 0; i < all->len; i++) {
        pov_log_folder held;
        pov_log_merged merged;
        if (i > 0 && strcmp(all->shards[i].survey.digest, all->shards[i - 1].survey.digest) == 0)
            continue; /* the same once more */
        POV_TRY(pov_log_folder_open(&held, all->shards[i].folder, "pov sweep", false));
        const pov_status status =
            pov_merge_folder(log, &merged, folder, held.path, (pov_log_part){.first = 0, .len = -1});
        pov_log_folder_close(&held);
        POV_TRY(status);
        sum.images += merged.images;
        sum.questions += merged.questions;
        sum.results += merged.results;
        sum.doubled += merged.doubled;
    }
    fprintf(stderr, "%" PRId64 " images, %" PRId64 " questions, %" PRId64 " results", sum.images,
            sum.questions, sum.results);
    if (sum.doubled > 0)
        fprintf(stderr, "; %" PRId64 " images were in two shards, and counted once", sum.doubled);
    fputs(".\n", stderr);
    return find_missing(log, all->partial);
}

static int run(int argc, char **argv)
{
    arguments args = {.partial = false};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&args, &words, &pov_command_merge, argc, argv));
    const int len = words.len - 1;
    shard *shards = calloc((size_t)len, sizeof *shards);
    POV_REQUIRE_MEMORY(shards);
    for (int i = 0; i < len; i++)
        shards[i].folder = words.word[i + 1];
    pov_status status = survey_shards(shards, len);
    POV_THEN(status, pov_merge_make(words.word[0], join_shards, &(joint){shards, len, args.partial}));
    free(shards);
    return pov_cli_exit(status);
}
