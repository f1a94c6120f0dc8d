#include "config/files/text.h"
#include "firmware/commands.h"
#include "firmware/engines/dataset.h"
#include "firmware/engines/export_log.h"
#include "firmware/engines/gather.h"
#include "firmware/judge/command_questions_print.h"
#include "firmware/recording/export_ros2.h"
#include "firmware/recording/export_tables.h"

#include <inttypes.h>
#include <sys/stat.h>

typedef struct {
    const char *csv, *ros2, *log, *licence;
    int format; /* -1: none */
    pov_gather_options gather;
} arguments;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_PATH(arguments, csv, "csv", "DIR",
             "of a recording: write tables there: images, entities, judgments, visibility, asks, log",
             .without = "ros2 dataset"),
    POV_PATH(arguments, log, "log", "DIR",
             "of a recording: the models' questions and answers as a log there, which 'pov report' and 'pov "
             "compare' read as a sweep's",
             .without = "csv ros2 dataset"),
    POV_PATH(arguments, ros2, "ros2", "OUT.mcap",
             "of a recording: write a bag of ROS 2 there: images, camera, frames, detections, judgments",
             .without = "dataset"),
    POV_CHOICE(
        arguments, format, "dataset", "FORMAT", pov_dataset_format_name,
        "write the questions about every image, with their right answers, to the folder that the second "
        "word names"),
    POV_TEXT(arguments, licence, "licence", "TEXT", "of the images and answers, for the datasheet",
             .with = "dataset"),
    POV_OPTIONS_HEADING("A dataset of a recording or a world, whose log is kept in its folder:"),
    POV_TAKEN(arguments, gather.asking, "questions", "LIST", pov_choice_take_benchmarks,
              "of comfort, forest, vsr, vpt, sphere, viewspatial, 3dsrbench, mindcube, vsi, spar, "
              "spatial457, omnispatial, robospatial, embspatial (comfort)",
              .names = pov_choice_benchmark_names, .once = true, .with = "dataset"),
    POV_TAKEN(arguments, gather.asking, "guided", "LIST", pov_choice_take_guidance,
              "of not, facts, step, view, map (not)", .names = pov_choice_guidance_names, .once = true,
              .with = "dataset"),
    POV_TAKEN(arguments, gather.asking, "prompting", "LIST", pov_choice_take_prompting,
              "of zero-shot, 4-shot, cot, sg-cot: how an answer is asked for (zero-shot)",
              .names = pov_choice_prompting_names, .once = true, .with = "dataset"),
    POV_TAKEN(arguments, gather.asking, "system", "LIST", pov_choice_take_system,
              "of vlm, none, comfort: the system prompt, vlm being the one of the section 'vlm' (vlm)",
              .names = pov_choice_system_names, .once = true, .with = "dataset"),
    POV_TAKEN(arguments, gather.asking, "order", "LIST", pov_choice_take_order,
              "of normal, reverse: FoREST's questions with the relatum named first (normal)",
              .names = pov_choice_order_names, .once = true, .with = "dataset"),
    POV_FLAG(arguments, gather.asking.flip, "flip",
             "ask each question about the mirrored image, too: FlipEval (docs/ROBUST.md)", .with = "dataset"),
    POV_FLAG(arguments, gather.asking.circular, "circular",
             "ask each question with options in all rotations of them, too: CircularEval", .with = "dataset"),
    POV_TAKEN(arguments, gather.asking, "languages", "LIST", pov_choice_take_languages,
              "COMFORT's languages (en)", .offer = pov_languages_offer, .once = true, .with = "dataset"),
    POV_TAKEN(arguments, gather.asking, "pairs", "LIST", pov_choice_take_pairs,
              "COMFORT's pairs, as in ball:car (of each scene the usual one)", .once = true,
              .with = "dataset"),
    POV_WHOLE(arguments, gather.image_len, "images", "N", 1, POV_WORLD_IMAGE_MAX,
              "how many of a world (its own number)", .with = "dataset"),
    POV_TEXT(arguments, gather.world.variant, "variant", "V", "of a world", .with = "dataset"),
    POV_TAKEN(arguments, gather.world, "seed", "N", pov_simulator_take_seed,
              "of a world's noise, and of generated worlds", .with = "dataset"),
    POV_TAKEN(arguments, gather.world, "size", "WxH", pov_simulator_take_size,
              "of a world's images, in pixels", .with = "dataset"),
    POV_SHARD(arguments, gather.shard, "only these of its images; 'pov merge' joins the folders",
              .with = "dataset"),
    POV_OPTIONS_END,
};

const pov_command pov_command_export = {
    .name = "export",
    .summary = "a recording as tables or as a bag of ROS 2; questions as a dataset for evaluation engines",
    .run = run,
    .usage = "FILE.mcap --csv DIR\nFILE.mcap --log DIR\nFILE.mcap --ros2 OUT.mcap\nRUN_DIR|FILE.mcap|WORLD "
             "--dataset FORMAT DIR "
             "[OPTIONS]",
    .about = "Writes a recording as tidy tables, a row for each image, entity, judgment, line of sight and "
             "log line, for pandas, R or a spreadsheet (docs/PANDAS.md); or as a file that ROS 2 plays "
             "(docs/RECORDING.md). Or writes the papers' questions about the images of a sweep, a recording "
             "or a simulated world as a dataset that VLMEvalKit, lmms-eval or "
             "a program of one's own answers on any number of machines; 'pov import' reads the answers "
             "(docs/ENGINES.md).",
    .options = option_table,
    .words = {.min = 1, .max = 2, .wanted = "expected one recording, sweep or world, and a dataset's folder"},
    .examples = "pov export monday.mcap --csv monday\n"
                "pov export monday.mcap --log monday && pov report monday\n"
                "pov export monday.mcap --ros2 monday_ros2.mcap\n"
                "pov export tonight --dataset vlmevalkit tonight_vlmevalkit\n"
                "pov export tabletop --images 1000 --questions vsr,sphere --dataset lmms-eval rooms",
    .exits =
        "0 done; 1 something cannot be read or written, or is damaged: what is sound is then written all the "
        "same",
};

/* ---- a dataset ---- */

static bool is_sweep(const char *source)
{
    struct stat info;
    return stat(source, &info) == 0 && (S_ISDIR(info.st_mode) || pov_log_folder_is_log(source));
}

/* A sweep's log; else one that is made in the dataset's folder. damage: of the recording that it was made of. */
static pov_status open_log(pov_log_folder *folder, pov_answer_log **log, pov_status *damage,
                           const arguments *args, const char *dataset)
{
    const char *source = args->gather.source;
    if (is_sweep(source)) {
        POV_TRY(pov_log_folder_open(folder, source, "pov sweep", false));
    } else {
        POV_TRY(pov_log_folder_open(folder, dataset, "pov export", true));
        const pov_status status = pov_gather(folder, &args->gather);
        if (status.code == POV_SKIPPED)
            *damage = status;
        else
            POV_TRY(status);
    }
    return pov_answer_log_new(log, folder->log_path, POV_LOG_READ);
}

static pov_status write_dataset(const arguments *args, const char *folder)
{
    pov_log_folder log_folder = {.lock = -1};
    pov_answer_log *log = NULL;
    pov_dataset_summary summary;
    pov_status damage = pov_ok(), status = open_log(&log_folder, &log, &damage, args, folder);
    if (status.code == POV_OK) {
        const pov_dataset_options options = {.format = (pov_dataset_format)args->format,
                                             .folder = folder,
                                             .images = log_folder.path,
                                             .source = args->gather.source,
                                             .licence = args->licence};
        POV_THEN(damage, pov_log_folder_damage(log_folder.log_path, pov_answer_log_damage(log)));
        status = pov_dataset_write(&summary, log, &options);
    }
    if (status.code == POV_OK)
        printf("%s: %" PRId64 " questions about %d images, %" PRId64
               " of them without a right answer; %s/DATASHEET.md "
               "tells how to use it\n",
               summary.name, summary.questions, summary.images, summary.abstained, folder);
    if (status.code == POV_OK && summary.left_out > 0)
        pov_cli_warn(
            "%" PRId64
            " questions are left out: those of --prompting sg-cot take two requests, those of --guided view, "
            "map and abstract two images, and engines ask once, with one; 'pov compare' asks them",
            summary.left_out);
    pov_answer_log_destroy(&log);
    if (status.code == POV_OK)
        pov_log_folder_close(&log_folder);
    else
        pov_log_folder_close_failed(&log_folder);
    return status.code == POV_OK ? damage : status;
}

static int run(int argc, char **argv)
{
    arguments args = {.format = -1,
                      .gather = {.world = {.bodies = POV_SIMULATOR_OWN_BODIES},
                                 .asking = {.benchmark = {[POV_BENCHMARK_COMFORT] = true},
                                            .guidance = {[POV_GUIDED_NOT] = true},
                                            .prompting = {[POV_PROMPTING_ZERO_SHOT] = true},
                                            .system = {[POV_SYSTEM_OF_VLM] = true},
                                            .order = {[POV_ORDER_NORMAL] = true},
                                            .language_len = 1,
                                            .languages = {"en"},
                                            .variant = "default",
                                            .seed = 1}}};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&args, &words, &pov_command_export, argc, argv));
    if (!args.csv && !args.log && !args.ros2 && args.format < 0)
        return pov_cli_usage("export", "expected --csv DIR, --log DIR, --ros2 OUT.mcap, or --dataset FORMAT");
    if (args.format < 0 && words.len > 1)
        return pov_cli_usage("export", "--csv, --log and --ros2 take one recording; '%s' is one too many",
                             words.word[1]);
    if (args.format >= 0 && words.len < 2)
        return pov_cli_usage("export",
                             "which folder does the dataset go to? 'pov export %s --dataset %s DIR'",
                             words.word[0], pov_dataset_format_name(args.format));
    const char *given = pov_words_given(&words, "questions guided prompting system order flip circular "
                                                "languages pairs images variant seed size shard");
    if (given && is_sweep(words.word[0]))
        return pov_cli_usage("export",
                             "--%s is for a recording or a world: a sweep's questions are in its log; 'pov "
                             "compare %s --questions, --guided, ...' adds some",
                             given, words.word[0]);
    if (args.gather.world.variant && *args.gather.world.variant &&
        !pov_text_fits(args.gather.asking.variant, sizeof args.gather.asking.variant,
                       args.gather.world.variant))
        return pov_cli_usage("export", "--variant: '%s' is too long for a name", args.gather.world.variant);
    const pov_status asked = pov_choice_check(&args.gather.asking);
    if (asked.code != POV_OK)
        return pov_cli_usage("export", "%s", asked.message);
    pov_cli_catch_signals();
    args.gather.source = words.word[0];
    return pov_cli_exit(args.csv    ? pov_export_tables(words.word[0], args.csv)
                        : args.log  ? pov_export_log(words.word[0], args.log)
                        : args.ros2 ? pov_export_ros2(words.word[0], args.ros2)
                                    : write_dataset(&args, words.word[1]));
}
