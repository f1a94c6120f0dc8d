#include "firmware/setup/setup_session.h"

#include "calib/boards/board_finder.h"
#include "config/files/read_file.h"
#include "config/yaml/yaml_edit.h"
#include "firmware/sweep/sweep_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 1 << 20, BOARD_VIEWS = 12, TAG_VIEWS = 12, ENOUGH_VIEWS = 6 };
void pov_setup_judge(pov_setup *setup, pov_setup_step_id step, pov_setup_state state, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    vsnprintf(setup->verdicts[step].words, sizeof setup->verdicts[step].words, format, rest);
    va_end(rest);
    setup->verdicts[step].state = state;
    setup->verdicts[step].failed = false;
}

void pov_setup_fail(pov_setup *setup, pov_setup_step_id step, pov_status status)
{
    pov_setup_judge(setup, step, POV_SETUP_BAD, "%.500s", status.message);
    setup->verdicts[step].failed = true;
}

/* ---- the text, and the station by it ---- */

/* Without things and without a tag map, tags are looked for: a station file has to name something to find. */
static pov_status parse_text(pov_station *station, const pov_setup *s, const char *text)
{
    char *whole = strdup(text);
    POV_REQUIRE_MEMORY(whole);
    if (!pov_yaml_has(text, "cast") && !pov_yaml_has(text, "tags.map") &&
        !pov_yaml_has(text, "tags.families"))
        (void)!pov_yaml_edit(&whole, "tags.families", "[tag36h11]")
            .code; /* what is no YAML is told better below */
    const pov_status status = pov_station_parse(station, s->path, whole, strlen(whole));
    free(whole);
    return status;
}

char *pov_setup_text_copy(const pov_setup *setup)
{
    char *text = strdup(setup->text);
    POV_REQUIRE_MEMORY(text);
    return text;
}

pov_status pov_setup_take_text(pov_setup *setup, char *text, pov_status edited)
{
    pov_station *station = pov_allocate(1, sizeof *station);
    const pov_status status = edited.code == POV_OK ? parse_text(station, setup, text) : edited;
    if (status.code != POV_OK) {
        free(station);
        free(text);
        return status;
    }
    pov_pipeline_destroy(&setup->pipeline);
    setup->has_observation = false;
    free(setup->text);
    free(setup->station);
    setup->text = text;
    setup->station = station;
    setup->has_station = true;
    setup->written = false;
    return pov_ok();
}

/* ---- beginning and end ---- */

static pov_status read_text(pov_setup *s)
{
    static const char *const sections[] = {"camera", "camera", "tags", "turntable", "cast", "cast", "vlm"};
    pov_bytes bytes = {0};
    struct stat there;
    if (stat(s->path, &there) != 0 && errno == ENOENT) {
        s->text = pov_setup_text_new();
        POV_REQUIRE_MEMORY(s->text);
        return pov_ok();
    }
    POV_TRY(pov_read_file(&bytes, s->path, FILE_BYTES_MAX, "a station file"));
    s->text = strndup((const char *)bytes.data, bytes.length);
    pov_bytes_free(&bytes);
    POV_REQUIRE_MEMORY(s->text);
    s->existed = true;
    s->station = pov_allocate(1, sizeof *s->station);
    const pov_status status = parse_text(s->station, s, s->text);
    if (status.code != POV_OK)
        return pov_error("%.400s. Mend it there, or give the set-up a new file's name", status.message);
    s->has_station = true;
    for (int i = POV_SETUP_CAMERA; i <= POV_SETUP_VLM; i++) {
        const bool has = pov_yaml_has(s->text, sections[i]);
        pov_setup_judge(s, (pov_setup_step_id)i, has ? POV_SETUP_GOOD : POV_SETUP_SKIPPED,
                        has ? "As %.400s has it." : "%.400s has none.", s->path);
    }
    return pov_setup_open_view(s, POV_SETUP_SCENE);
}

static void split_path(pov_setup *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(s->path, sizeof s->path, "%s", path);
    snprintf(s->folder, sizeof s->folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (slash == path)
        snprintf(s->folder, sizeof s->folder, "/.");
}

pov_status pov_setup_new(pov_setup **setup, const char *path)
{
    *setup = NULL;
    if (strlen(path) + 64 >= POV_PATH_CAPACITY)
        return pov_error("the path of the station file is too long");
    pov_setup *s = *setup = pov_allocate(1, sizeof *s);
    s->observation = pov_allocate(1, sizeof *s->observation);
    s->seen = pov_allocate(1, sizeof *s->seen);
    s->sides = pov_allocate(POV_ENROL_SHOT_MAX + 1, sizeof *s->sides);
    split_path(s, path);
    pov_status status = pov_ok();
    struct stat folder;
    if (stat(s->folder, &folder) != 0)
        status = pov_error("%s: there is no folder '%s'; make it, or choose another place", path, s->folder);
    else if (!S_ISDIR(folder.st_mode))
        status = pov_error("%s: '%s' is a file and no folder; choose another place", path, s->folder);
    else if (access(s->folder, W_OK) != 0)
        status = pov_error("%s: nothing can be written in the folder '%s': %s. Choose one of yours", path,
                           s->folder, strerror(errno));
    POV_THEN(status, read_text(s));
    if (status.code != POV_OK)
        pov_setup_destroy(setup);
    return status;
}

/* The observation of a turn's last image belongs to the rig and goes with it. */
static void stop_gathering(pov_setup *s)
{
    s->gathers = POV_SETUP_NOTHING;
    pov_board_finder_destroy(&s->finder);
    if (s->rig)
        pov_setup_close_source(s);
    pov_sweep_rig_destroy(&s->rig);
}

void pov_setup_destroy(pov_setup **setup)
{
    pov_setup *s = *setup;
    if (!s)
        return;
    pov_setup_job_stop(s);
    pov_setup_close_picture(s);
    stop_gathering(s);
    pov_view_watch_destroy(&s->watch);
    pov_setup_cameras_free(&s->cameras);
    free(s->seen);
    free(s->sides);
    free(s->observation);
    free(s->station);
    free(s->text);
    free(s);
    *setup = NULL;
}

/* The folder for images and logs, beside the station file: a new one for each set-up. */
pov_status pov_setup_make_work(pov_setup *s)
{
    char stem[POV_SETUP_VALUE_CAPACITY];
    const char *name, *file = strrchr(s->path, '/');
    if (*s->work)
        return pov_ok();
    file = file ? file + 1 : s->path;
    const char *dot = strrchr(file, '.');
    snprintf(stem, sizeof stem, "%.*s", (int)(dot ? dot - file : (long)strlen(file)), file);
    pov_setup_free_path(s->work, &name, s->folder, stem, ".setup");
    const pov_status status = pov_write_folder(s->work);
    if (status.code != POV_OK)
        *s->work = '\0';
    return status;
}

/* ---- steps that take images ---- */

pov_status pov_setup_gather(pov_setup *s, pov_setup_gathering gathers, const char *stem, int wanted_len)
{
    const char *name;
    POV_TRY(pov_setup_make_work(s));
    pov_setup_free_path(s->gathered, &name, s->work, stem, "");
    POV_TRY(pov_write_folder(s->gathered));
    pov_view_watch_destroy(&s->watch);
    s->watch = pov_view_watch_new();
    memset(s->cover, 0, sizeof s->cover);
    s->wanted_len = wanted_len;
    s->taken_len = 0;
    s->gathers = gathers;
    return pov_setup_open_view(s, gathers == POV_SETUP_BOARD        ? POV_SETUP_BOARD_VIEWS
                                  : gathers == POV_SETUP_TAGS_LYING ? POV_SETUP_TAG_VIEWS
                                                                    : POV_SETUP_TABLE);
}

static pov_status calibrate_lens(pov_setup *s, const char *images)
{
    const char *name, *board = pov_setup_answer(&s->answers[POV_SETUP_LENS], POV_SETUP_LENS, "board");
    char page[POV_PATH_CAPACITY], out[POV_PATH_CAPACITY];
    POV_TRY(pov_setup_make_work(s));
    pov_setup_free_path(out, &name, s->folder, "camera", ".yaml");
    snprintf(s->job.made, sizeof s->job.made, "%s", name);
    pov_setup_path_in(page, s->work, "camera.html");
    pov_setup_judge(s, POV_SETUP_LENS, POV_SETUP_OPEN, "The lens is measured: this takes a while.");
    return pov_setup_job_start(s, POV_SETUP_LENS,
                               (const char *const[]){"calib", "camera", "--images", images, "--board", board,
                                                     "--distance", "1", "--out", out, "--html", page,
                                                     "--json", NULL});
}

static pov_status survey_tags(pov_setup *s, const char *images)
{
    const pov_setup_answers *answers = &s->answers[POV_SETUP_TAGS];
    const char *name, *fix = pov_setup_answer(answers, POV_SETUP_TAGS, "fix");
    char size[64], page[POV_PATH_CAPACITY], out[POV_PATH_CAPACITY];
    POV_TRY(pov_setup_make_work(s));
    if (!s->has_station || !*s->station->calibration.path)
        return pov_error(
            "tags are measured through a measured lens: take the step 'lens' first, or print a sheet");
    pov_setup_free_path(out, &name, s->folder, "tags", ".yaml");
    snprintf(s->job.made, sizeof s->job.made, "%s", name);
    snprintf(size, sizeof size, "%smm", pov_setup_answer(answers, POV_SETUP_TAGS, "edge_mm"));
    pov_setup_path_in(page, s->work, "tags.html");
    pov_setup_judge(s, POV_SETUP_TAGS, POV_SETUP_OPEN, "The tags' places are measured: this takes a while.");
    return pov_setup_job_start(
        s, POV_SETUP_TAGS,
        (const char *const[]){"calib", "tags", "--camera", s->station->calibration.path, "--size", size,
                              "--fix", fix, "--out", out, "--html", page, "--json", "--", images, NULL});
}

/* Starts the job for which the images were taken. */
static pov_status use_images(pov_setup *s, pov_setup_gathering gathered)
{
    POV_TRY(gathered == POV_SETUP_BOARD        ? calibrate_lens(s, s->gathered)
            : gathered == POV_SETUP_TAGS_LYING ? survey_tags(s, s->gathered)
                                               : pov_setup_turn_use(s));
    return pov_setup_open_view(s, POV_SETUP_SCENE);
}

pov_status pov_setup_enough(pov_setup *setup)
{
    const pov_setup_gathering gathers = setup->gathers;
    pov_status status;
    if (gathers == POV_SETUP_NOTHING)
        return pov_ok();
    if (gathers == POV_SETUP_CLEAR || gathers == POV_SETUP_PLACE) {
        status = pov_setup_turn_on(setup);
    } else if (setup->taken_len < ENOUGH_VIEWS) {
        const pov_status few = pov_error("%d views are too few: at least %d", setup->taken_len, ENOUGH_VIEWS);
        pov_setup_judge(setup, setup->at, POV_SETUP_OPEN, "%s", few.message);
        return few;
    } else {
        stop_gathering(setup);
        status = use_images(setup, gathers);
    }
    if (status.code != POV_OK) {
        pov_setup_cancel(setup); /* the camera's picture comes again */
        pov_setup_fail(setup, setup->at, status);
    }
    return status;
}

void pov_setup_cancel(pov_setup *setup)
{
    const bool was_busy = pov_setup_is_busy(setup);
    const pov_setup_step_id step = setup->gathers  ? setup->at
                                   : *setup->named ? setup->named_by
                                                   : setup->job.step;
    pov_setup_job_stop(setup);
    stop_gathering(setup);
    *setup->named = '\0';
    const pov_status status = pov_setup_open_view(setup, POV_SETUP_SCENE);
    if (was_busy)
        pov_setup_judge(setup, step, status.code == POV_OK ? POV_SETUP_OPEN : POV_SETUP_BAD, "%.500s",
                        status.code == POV_OK ? "Stopped." : status.message);
}

bool pov_setup_is_busy(const pov_setup *setup)
{
    return setup->gathers || (*setup->named && setup->source) || setup->job.pid != 0 ||
           setup->job.server != 0;
}

/* ---- the steps ---- */

static pov_status apply_camera(pov_setup *s, const pov_setup_answers *answers)
{
    char *text = pov_setup_text_copy(s);
    const pov_status edited = pov_setup_edit_camera(&text, answers);
    pov_setup_close_picture(s); /* of two sources of one camera the second is refused */
    POV_TRY(pov_setup_take_text(s, text, edited));
    s->view = POV_SETUP_SCENE;
    const pov_status opened = pov_setup_open_view(s, POV_SETUP_SCENE);
    if (opened.code != POV_OK)
        return pov_error("%.400s%s", opened.message,
                         strcmp(pov_setup_answer(answers, POV_SETUP_CAMERA, "source"), "libcamera") == 0
                             ? ". To practise without one, choose the simulated lab (source practice)"
                             : "");
    pov_setup_judge(s, POV_SETUP_CAMERA, POV_SETUP_GOOD, "The camera is open.");
    if (pov_setup_is_practice(s) && s->answers[POV_SETUP_LENS].len == 0)
        POV_TRY(pov_setup_answer_set(&s->answers[POV_SETUP_LENS], POV_SETUP_LENS, "board",
                                     POV_SETUP_PRACTICE_BOARD_TEXT));
    if (pov_setup_is_practice(s) && s->answers[POV_SETUP_TURNTABLE].len == 0)
        POV_TRY(pov_setup_answer_set(&s->answers[POV_SETUP_TURNTABLE], POV_SETUP_TURNTABLE, "device", ""));
    return pov_ok();
}

pov_status pov_setup_print(pov_setup *setup, pov_setup_step_id step, const char *path,
                           const char *const words[])
{
    POV_TRY(pov_setup_make_work(setup));
    snprintf(setup->prints[step], sizeof setup->prints[step], "%s", path);
    return pov_setup_job_start(setup, step, words);
}

static pov_status print_board(pov_setup *s, const char *board)
{
    char out[POV_PATH_CAPACITY], map[POV_PATH_CAPACITY];
    POV_TRY(pov_setup_make_work(s));
    pov_setup_free_path(out, &(const char *){NULL}, s->folder, "board", ".pdf");
    pov_setup_path_in(map, s->work, "board.yaml"); /* an AprilGrid has one */
    snprintf(s->job.made, sizeof s->job.made, "%s", out);
    return pov_setup_print(
        s, POV_SETUP_LENS, out,
        (const char *const[]){"tags", "board", "--board", board, "--out", out, "--map", map, NULL});
}

static pov_status apply_lens(pov_setup *s, const pov_setup_answers *answers)
{
    const char *how = pov_setup_answer(answers, POV_SETUP_LENS, "how"),
               *images = pov_setup_answer(answers, POV_SETUP_LENS, "images");
    pov_board board;
    if (strcmp(how, "print") == 0)
        return print_board(s, pov_setup_answer(answers, POV_SETUP_LENS, "board"));
    if (strcmp(how, "images") == 0)
        return *images ? calibrate_lens(s, images)
                       : pov_error("images: which folder has the images of the board?");
    if (strcmp(how, "board") == 0) {
        POV_TRY(pov_board_read(&board, pov_setup_answer(answers, POV_SETUP_LENS, "board")));
        POV_TRY(pov_board_finder_new(&s->finder, &board));
        pov_setup_judge(s, POV_SETUP_LENS, POV_SETUP_OPEN,
                        "Show the board, and hold it still until the image is taken.");
        return pov_setup_gather(s, POV_SETUP_BOARD, "board", BOARD_VIEWS);
    }
    const bool is_file = strcmp(how, "file") == 0;
    const char *file = is_file ? pov_setup_answer(answers, POV_SETUP_LENS, "file") : NULL;
    char *text = pov_setup_text_copy(s);
    const pov_status edited = pov_setup_edit_lens(&text, answers, file);
    POV_TRY(pov_setup_take_text(s, text, edited));
    if (is_file)
        pov_setup_judge(s, POV_SETUP_LENS, POV_SETUP_GOOD, "By %.300s%s.", file,
                        s->station->calibration.trust.covariance.len > 0 ? ", with its uncertainty"
                                                                         : "; it states no uncertainty");
    else
        pov_setup_judge(s, POV_SETUP_LENS, POV_SETUP_BAD,
                        "A guess: outlines are right, positions are rough. Good enough for 1° at 1 m: no.");
    return pov_ok();
}

static pov_status print_sheet(pov_setup *s, const pov_setup_answers *answers)
{
    const char *name;
    char out[POV_PATH_CAPACITY], map[POV_PATH_CAPACITY];
    pov_setup_free_path(out, &name, s->folder, "sheet", ".pdf");
    pov_setup_free_path(map, &name, s->folder, "tags", ".yaml");
    snprintf(s->job.made, sizeof s->job.made, "%s", name);
    return pov_setup_print(
        s, POV_SETUP_TAGS, out,
        (const char *const[]){
            "tags", "sheet", "--columns", pov_setup_answer(answers, POV_SETUP_TAGS, "columns"), "--rows",
            pov_setup_answer(answers, POV_SETUP_TAGS, "rows"), "--edge",
            pov_setup_answer(answers, POV_SETUP_TAGS, "edge_mm"), "--gap",
            pov_setup_answer(answers, POV_SETUP_TAGS, "gap_mm"), "--out", out, "--map", map, NULL});
}

static pov_status apply_tags(pov_setup *s, const pov_setup_answers *answers)
{
    const char *how = pov_setup_answer(answers, POV_SETUP_TAGS, "how"),
               *images = pov_setup_answer(answers, POV_SETUP_TAGS, "images"),
               *file = pov_setup_answer(answers, POV_SETUP_TAGS, "file");
    if (strcmp(how, "sheet") == 0)
        return print_sheet(s, answers);
    if (strcmp(how, "images") == 0)
        return *images ? survey_tags(s, images)
                       : pov_error("images: which folder has the images of the tags?");
    if (strcmp(how, "measure") == 0) {
        pov_setup_judge(s, POV_SETUP_TAGS, POV_SETUP_OPEN,
                        "Carry the camera round the table, and hold it still a dozen times.");
        return pov_setup_gather(s, POV_SETUP_TAGS_LYING, "tags", TAG_VIEWS);
    }
    const bool is_file = strcmp(how, "file") == 0;
    char *text = pov_setup_text_copy(s);
    const pov_status edited = pov_setup_edit_tags(&text, is_file ? file : NULL);
    POV_TRY(pov_setup_take_text(s, text, edited));
    pov_setup_judge(s, POV_SETUP_TAGS, is_file ? POV_SETUP_GOOD : POV_SETUP_SKIPPED, "%.300s",
                    is_file ? file : "None: things are found and outlined, but have no places.");
    return pov_ok();
}

void pov_setup_name(pov_setup *setup, pov_setup_step_id step)
{
    pov_setup_judge(setup, step, POV_SETUP_OPEN, "It is looked for.");
    snprintf(setup->named, sizeof setup->named, "%s", pov_setup_answer(&setup->answers[step], step, "id"));
    setup->named_by = step;
    setup->named_images = 0;
}

static pov_status apply_member(pov_setup *s, pov_setup_step_id step, const pov_setup_answers *answers)
{
    pov_setup_click click;
    const bool is_person = step == POV_SETUP_PERSON;
    if (strcmp(pov_setup_answer(answers, step, "found_by"), "turn") == 0)
        return pov_setup_enrol(s, answers);
    POV_TRY(pov_setup_click_read(&click, s, step, answers));
    char *text = pov_setup_text_copy(s);
    const pov_status edited = is_person ? pov_setup_edit_person(&text, answers, &click)
                                        : pov_setup_edit_thing(&text, answers, &click);
    POV_TRY(pov_setup_take_text(s, text, edited));
    pov_setup_name(s, step);
    return pov_ok();
}

/* A new file of its own that only its owner can read. */
static pov_status keep_key(const pov_setup *s, const char *key, const char **name,
                           char path[POV_PATH_CAPACITY])
{
    pov_setup_free_path(path, name, s->folder, "vlm", ".key");
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const size_t len = strlen(key);
    if (fd < 0)
        return pov_error("%s: cannot be written: %s", path, strerror(errno));
    const bool written = write(fd, key, len) == (ssize_t)len && fsync(fd) == 0;
    if (close(fd) != 0 || !written)
        return pov_error("%s: cannot be written: %s", path, strerror(errno));
    return pov_ok();
}

static pov_status apply_vlm(pov_setup *s, const pov_setup_answers *answers)
{
    char key_path[POV_PATH_CAPACITY];
    const bool none = strcmp(pov_setup_answer(answers, POV_SETUP_VLM, "how"), "none") == 0;
    const char *key = pov_setup_answer(answers, POV_SETUP_VLM, "key"), *name = "";
    if (*key && !none)
        POV_TRY(keep_key(s, key, &name, key_path));
    char *text = pov_setup_text_copy(s);
    const pov_status edited = pov_setup_edit_vlm(&text, answers, name);
    if (none) {
        POV_TRY(pov_setup_take_text(s, text, edited));
        pov_setup_judge(s, POV_SETUP_VLM, POV_SETUP_SKIPPED, "None: 'pov compare' asks one later.");
        return pov_ok();
    }
    const pov_status status = edited.code == POV_OK ? pov_setup_write_draft(s, text) : edited;
    free(text);
    POV_TRY(status);
    POV_TRY(pov_setup_make_work(s));
    snprintf(s->job.made, sizeof s->job.made, "%s", name);
    pov_setup_judge(s, POV_SETUP_VLM, POV_SETUP_OPEN,
                    "The model is asked about a picture, and if it answers, about nineteen more.");
    return pov_setup_job_start(s, POV_SETUP_VLM,
                               (const char *const[]){"vlm", "check", s->job.draft, "--json", NULL});
}

static pov_status apply_write(pov_setup *s, const pov_setup_answers *answers)
{
    struct stat there;
    pov_write_file file;
    if (!s->is_ours && stat(s->path, &there) == 0 &&
        strcmp(pov_setup_answer(answers, POV_SETUP_WRITE, "overwrite"), "yes") != 0)
        return pov_error("%.300s exists: choose to overwrite it, or begin the set-up with another name",
                         s->path);
    pov_station *station = pov_allocate(1, sizeof *station);
    pov_status status = pov_station_parse(station, s->path, s->text, strlen(s->text));
    free(station);
    if (status.code != POV_OK)
        return pov_error("%.400s: a station needs things or tags to find; go back to those steps",
                         status.message);
    POV_TRY(pov_setup_make_work(s));
    POV_TRY(pov_write_file_begin(&file, s->path));
    fputs(s->text, file.stream);
    POV_TRY(pov_write_file_end(&file, pov_ok()));
    s->is_ours = true;
    return pov_setup_job_start(s, POV_SETUP_WRITE, (const char *const[]){"run", s->path, "--check", NULL});
}

static pov_status apply_run(pov_setup *s, const pov_setup_answers *answers)
{
    const char *how = pov_setup_answer(answers, POV_SETUP_RUN, "how"), *name;
    if (strcmp(how, "end") != 0 && !s->written)
        return pov_error("the file is not written yet: take the step 'write' first");
    if (strcmp(how, "sweep") == 0) {
        POV_TRY(pov_setup_make_work(s));
        pov_setup_free_path(s->job.made, &name, s->folder, "sweep", "");
        pov_setup_judge(s, POV_SETUP_RUN, POV_SETUP_OPEN, "%s",
                        pov_setup_is_practice(s) && !pov_yaml_has(s->text, "vlm.endpoints")
                            ? "One rotation is taken and judged, and a simulated model is asked, which "
                              "answers from the camera's view."
                            : "One rotation is taken and judged.");
        pov_setup_close_picture(s); /* the camera is the sweep's */
        return pov_setup_job_start(s, POV_SETUP_RUN,
                                   (const char *const[]){"sweep", s->path, "--out", s->job.made, "--angles",
                                                         pov_setup_answer(answers, POV_SETUP_RUN, "angles"),
                                                         "--quiet", NULL});
    }
    s->ended = true;
    s->wants_run = strcmp(how, "run") == 0;
    pov_setup_judge(s, POV_SETUP_RUN, POV_SETUP_GOOD, s->wants_run ? "The station runs." : "Done.");
    return pov_ok();
}

const char *pov_setup_lacks(const pov_setup *setup, pov_setup_step_id step)
{
    return step != POV_SETUP_CAMERA && !setup->has_station
               ? "there is no camera yet: take the step 'camera' first"
               : NULL;
}

static pov_status apply_step(pov_setup *s, pov_setup_step_id step, const pov_setup_answers *answers)
{
    static pov_status (*const apply[])(pov_setup *, const pov_setup_answers *) = {
        [POV_SETUP_CAMERA] = apply_camera, [POV_SETUP_LENS] = apply_lens,
        [POV_SETUP_TAGS] = apply_tags,     [POV_SETUP_TURNTABLE] = pov_setup_turntable,
        [POV_SETUP_VLM] = apply_vlm,       [POV_SETUP_WRITE] = apply_write,
        [POV_SETUP_RUN] = apply_run};
    const char *lacks = pov_setup_lacks(s, step);
    if (lacks)
        return pov_error("%s", lacks);
    return step == POV_SETUP_THINGS || step == POV_SETUP_PERSON ? apply_member(s, step, answers)
                                                                : apply[step](s, answers);
}

static bool is_same(const pov_setup_answers *one, const pov_setup_answers *other, const char *name)
{
    return strcmp(pov_setup_answer(one, POV_SETUP_CAMERA, name),
                  pov_setup_answer(other, POV_SETUP_CAMERA, name)) == 0;
}

/* What was answered about the lens and the turntable of one camera says nothing of another's. */
static void forget_other_camera(pov_setup *s, const pov_setup_answers *next)
{
    static const char *const of_camera[] = {"source", "id", "path", "world"};
    static const pov_setup_step_id steps[] = {POV_SETUP_LENS, POV_SETUP_TURNTABLE};
    const pov_setup_answers *last = &s->answers[POV_SETUP_CAMERA];
    bool same = last->len == 0;
    if (!same) {
        same = true;
        for (size_t i = 0; i < sizeof of_camera / sizeof *of_camera; i++)
            same = same && is_same(last, next, of_camera[i]);
    }
    for (size_t i = 0; !same && i < sizeof steps / sizeof *steps; i++) {
        s->answers[steps[i]] = (pov_setup_answers){.len = 0};
        if (s->verdicts[steps[i]].state != POV_SETUP_OPEN)
            pov_setup_judge(s, steps[i], POV_SETUP_OPEN, "There is another camera: answer this again.");
    }
}

pov_status pov_setup_apply(pov_setup *setup, pov_setup_step_id step, const pov_setup_answers *answers)
{
    pov_setup_cancel(setup);
    setup->at = step;
    *setup->named = *setup->note = '\0';
    *setup->prints[step] = '\0';
    if (step == POV_SETUP_CAMERA)
        forget_other_camera(setup, answers);
    setup->answers[step] = *answers;
    for (int i = 0; i < setup->answers[step].len; i++)
        if (pov_setup_field_find(step, setup->answers[step].items[i].name)->kind == POV_SETUP_SECRET)
            *setup->answers[step].items[i].value = '\0';
    *setup->command = '\0';
    const pov_status status = apply_step(setup, step, answers);
    if (status.code != POV_OK) {
        pov_setup_cancel(setup);
        pov_setup_fail(setup, step, status);
    }
    return status;
}

void pov_setup_skip(pov_setup *setup, pov_setup_step_id step)
{
    pov_setup_cancel(setup);
    if (POV_SETUP_STEPS[step].may_skip && setup->verdicts[step].state != POV_SETUP_GOOD)
        pov_setup_judge(setup, step, POV_SETUP_SKIPPED, "Left out.");
    setup->at = step + 1 < POV_SETUP_STEP_COUNT ? step + 1 : step;
}

void pov_setup_go(pov_setup *setup, pov_setup_step_id step)
{
    pov_setup_cancel(setup);
    setup->at = step;
}

pov_status pov_setup_remove(pov_setup *setup, const char *id)
{
    char *text = pov_setup_text_copy(setup);
    const pov_status edited = pov_setup_edit_remove(&text, id),
                     status = pov_setup_take_text(setup, text, edited);
    if (status.code != POV_OK)
        pov_setup_fail(setup, setup->at, status);
    return status;
}
