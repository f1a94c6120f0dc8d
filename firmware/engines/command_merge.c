#include "firmware/commands.h"
#include "firmware/engines/merge.h"
#include "firmware/run/log_folder.h"
#include "firmware/shard.h"

#include <cJSON.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    bool partial;
    pov_shard shard; /* of one folder, instead */
} arguments;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_FLAG(arguments, partial, "partial", "join them even if images of the sweep are in none"),
    POV_SHARD(arguments, shard,
              "the other way round: take these of one folder's images, with their questions and answers, to "
              "be asked apart"),
    POV_OPTIONS_END,
};

const pov_command pov_command_merge = {
    .name = "merge",
    .summary = "join the folders of shards into one sweep",
    .run = run,
    .usage = "OUT RUN_DIR... [--partial]\nOUT RUN_DIR --shard K/N",
    .about =
        "Joins what shards of one sweep left ('--shard') into a new folder, as if one process had made it: "
        "images, "
        "questions, answers. In any order the same comes out. It refuses shards of different sweeps or "
        "versions "
        "of pov, damaged ones, and two that have different images at one stop; a shard that is named twice "
        "counts once (docs/CLUSTER.md).",
    .options = option_table,
    .words = {.min = 2, .max = 100000, .wanted = "expected a new folder, and the folders to join"},
    .examples = "pov merge all shard_*\npov merge --partial so_far shard_*\n"
                "pov merge part_3 tonight --shard 3/100",
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
    cJSON *config = cJSON_Parse(run.config);
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

static pov_status join_shards(pov_answer_log *log, const char *folder, const shard *shards, int len)
{
    pov_log_merged all = {.images = 0};
    for (int i = 0; i < len; i++) {
        pov_log_folder held;
        pov_log_merged merged;
        if (i > 0 && strcmp(shards[i].survey.digest, shards[i - 1].survey.digest) == 0)
            continue; /* the same once more */
        POV_TRY(pov_log_folder_open(&held, shards[i].folder, "pov sweep", false));
        const pov_status status =
            pov_merge_folder(log, &merged, folder, held.path, (pov_log_part){.first = 0, .len = -1});
        pov_log_folder_close(&held);
        POV_TRY(status);
        all.images += merged.images;
        all.questions += merged.questions;
        all.results += merged.results;
        all.doubled += merged.doubled;
    }
    fprintf(stderr, "%" PRId64 " images, %" PRId64 " questions, %" PRId64 " results", all.images,
            all.questions, all.results);
    if (all.doubled > 0)
        fprintf(stderr, "; %" PRId64 " images were in two shards, and counted once", all.doubled);
    fputs(".\n", stderr);
    return pov_ok();
}

/* Others may read the folder, too: it is not locked. */
static pov_status take_part(pov_answer_log *log, const char *folder, const shard *from,
                            const pov_shard *which)
{
    int64_t first, end;
    pov_log_merged merged;
    pov_shard_range(which, &first, &end, from->survey.images);
    return pov_merge_folder(log, &merged, folder, from->folder,
                            (pov_log_part){.first = first, .len = end - first});
}

/* Beside its place until it is whole. */
static pov_status merge(const char *out, shard *shards, int len, const arguments *args)
{
    char beside[POV_LOG_PATH_CAPACITY];
    struct stat info;
    pov_log_folder folder;
    pov_answer_log *log = NULL;
    if (stat(out, &info) == 0)
        return pov_error("%s: is there already; name a new folder", out);
    snprintf(beside, sizeof beside, "%.1000s.merging", out);
    if (stat(beside, &info) == 0)
        return pov_error("%s: is there already, of a merge that was stopped; remove it: rm -r %s", beside,
                         beside);
    POV_TRY(survey_shards(shards, len));
    POV_TRY(pov_log_folder_open(&folder, beside, "pov merge", true));
    pov_status status = pov_answer_log_new(&log, folder.log_path, POV_LOG_MAY_CREATE);
    if (status.code == POV_OK && args->shard.len > 0)
        status = take_part(log, beside, &shards[0], &args->shard);
    else if (status.code == POV_OK)
        status = join_shards(log, beside, shards, len);
    if (status.code == POV_OK && args->shard.len == 0)
        status = find_missing(log, args->partial);
    pov_answer_log_destroy(&log);
    pov_log_folder_close(&folder);
    if (status.code == POV_OK && rename(beside, out) != 0)
        status = pov_error("%s: %s", out, strerror(errno));
    if (status.code != POV_OK)
        pov_merge_remove(beside);
    return status;
}

static int run(int argc, char **argv)
{
    arguments args = {.partial = false};
    pov_words words;
    const int code = pov_command_read(&args, &words, &pov_command_merge, argc, argv);
    if (code != POV_GO_ON)
        return code;
    const int len = words.len - 1;
    if (args.shard.len > 0 && len > 1)
        return pov_cli_usage("merge", "--shard takes the part of one folder, not of %d", len);
    shard *shards = calloc((size_t)len, sizeof *shards);
    POV_REQUIRE_MEMORY(shards);
    for (int i = 0; i < len; i++)
        shards[i].folder = words.word[i + 1];
    const pov_status status = merge(words.word[0], shards, len, &args);
    free(shards);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
