#include "calib/camera/intrinsics_file.h"
#include "calib/tags/tag_map_file.h"
#include "calib/tags/tag_survey_report.h"
#include "config/files/write_file.h"
#include "firmware/calib/name_list.h"
#include "firmware/calib/tag_options.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/run/observation_warnings.h"
#include "firmware/sources/each_image.h"
#include "firmware/sources/folder_source.h"
#include "perception/tags/tag_detector.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the command ---- */

typedef struct {
    const char *camera, *known, *out, *html;
    pov_name_list without; /* images */
    bool json;
    pov_survey_config survey;
    pov_tag_detector_config detector;
} tags_options;

typedef struct {
    tags_options options;
    pov_tag_detector *detector;
    pov_tag_survey *survey;
    pov_tags tags;
    bool was_diagnosed; /* why an image shows no tag */
    pov_tag_map map;    /* empty until it is measured */
} tags_session;

/* ---- options ---- */

static int run(int argc, char **argv);

POV_NAMES_OF(families, pov_tag_family, POV_TAG_FAMILY_COUNT, pov_tag_family_name)

static const pov_option option_table[] = {
    POV_PATH(tags_options, camera, "camera", "FILE", "its calibration, of 'pov calib camera'",
             .required = true),
    POV_TAKEN(tags_options, survey, "size", "M", pov_tag_size_take,
              "edge of the tags' black square, in metres (or 30mm); --size 12=0.05 and --size 20-31=0.05 for "
              "those of another size"),
    POV_TAKEN(tags_options, survey, "fix", "ID", pov_tag_fix_take,
              "the tag that the table frame is about: its centre is the origin, x to its right, y up as one "
              "reads it, z out of the paper"),
    POV_PATH(
        tags_options, known, "known", "FILE",
        "a tag map: these tags are where it says; held if it gives no uncertainty, else measured again from "
        "there. With --fix ID of one of them, that one is held"),
    POV_TAKEN(tags_options, without, "without", "FILE", pov_name_list_take,
              "an image that is not to be used; may be given more than once"),
    POV_CHOICE(tags_options, survey.family, "family", "NAME", families, "of tags that are not in --known"),
    POV_PATH(tags_options, out, "out", "FILE", "the tag map; 'none': do not write"),
    POV_PATH(tags_options, html, "html", "FILE", "a page with plots"),
    POV_FLAG(tags_options, json, "json", "one JSON object instead of tables"),
    POV_OPTIONS_END,
};

const pov_command pov_command_calib_tags = {
    .name = "calib tags",
    .summary = "where tags are, from images in which they are seen together",
    .run = run,
    .usage = "IMAGES... --camera CAMERA.yaml --size METRES --fix ID [OPTIONS]",
    .about =
        "Measures where tags are, from images in which they are seen together. The tags stay, the camera "
        "goes around: 20 to 100 images, near enough that tags are 30 px or larger, from all sides, aslant, "
        "several tags in each. IMAGES are folders and files, PNG and JPEG, all by the calibrated camera. "
        "docs/CALIBRATION.md",
    .options = option_table,
    .words = {.min = 1, .max = INT_MAX, .wanted = "which images? Give a folder, or files"},
    .examples = "pov calib tags photos/ --camera camera.yaml --size 30mm --fix 0\n"
                "pov calib tags a.jpg b.jpg --camera camera.yaml --size 0.08 --fix 3\n"
                "pov calib tags photos/ --camera camera.yaml --size 30mm --known sheet.yaml",
    .exits =
        "0 done; 1 no map (the message says why); --html and --json tell what was seen, --out is not written",
};

static int check_options(const tags_options *options)
{
    if (!options->survey.has_fixed && !options->known)
        return pov_cli_usage("calib tags",
                             "give --fix ID, the tag that the table frame is about, or --known FILE");
    if (isnan(options->survey.edge_m) && options->survey.edge_len == 0 && !options->known)
        return pov_cli_usage("calib tags", "--size M is needed: the edge of the tags' black square");
    return POV_GO_ON;
}

/* ---- what it does ---- */

static pov_status set_up(tags_session *session)
{
    tags_options *options = &session->options;
    options->out = strcmp(options->out, "none") == 0 ? NULL : options->out;
    pov_intrinsics_trust trust;
    POV_TRY(pov_intrinsics_read_trust(&options->survey.cameras[0], &trust, options->camera));
    options->survey.lenses[0] = trust.covariance;
    if (options->known)
        POV_TRY(pov_tag_map_read(&options->survey.known, options->known));
    memset(options->detector.family, 0, sizeof options->detector.family);
    options->detector.family[options->survey.family] = true;
    for (int i = 0; i < options->survey.known.len; i++)
        options->detector.family[options->survey.known.tags[i].family] = true;
    POV_TRY(pov_tag_detector_new(&session->detector, &options->detector));
    session->survey = pov_tag_survey_new(&options->survey);
    return pov_ok();
}

/* Once: it takes three searches. */
static pov_status warn_of_absence(tags_session *session, const pov_image *image)
{
    char text[POV_MESSAGE_CAPACITY];
    pov_tag_diagnosis diagnosis;
    session->was_diagnosed = true;
    POV_TRY(pov_tag_diagnose(&diagnosis, &session->options.detector, &session->map, image));
    if (pov_tag_diagnosis_text(text, &diagnosis, 0))
        pov_cli_warn("%s: %s", image->name, text);
    return pov_ok();
}

static pov_status add_image(void *context, const pov_image *image)
{
    tags_session *session = context;
    const pov_camera *camera = &session->options.survey.cameras[0];
    if (pov_name_list_has(&session->options.without, image->name))
        return pov_tag_survey_leave_out(session->survey, image->name);
    if (image->width_px != camera->width_px || image->height_px != camera->height_px)
        return pov_error(
            "%s has %d x %d pixels, but %s is for %d x %d; use images of that size, or calibrate at this one",
            image->name, image->width_px, image->height_px, session->options.camera, camera->width_px,
            camera->height_px);
    POV_TRY(pov_tag_detector_run(session->detector, &session->tags, image));
    if (session->tags.len == 0 && !session->was_diagnosed)
        POV_TRY(warn_of_absence(session, image));
    return pov_tag_survey_add(session->survey, image->name, &session->tags);
}

static pov_status add_images(tags_session *session, char **paths, int len)
{
    for (int i = 0; i < len; i++) {
        pov_folder_source_config config = POV_FOLDER_SOURCE_CONFIG_DEFAULT;
        pov_image_source *source;
        config.path = paths[i];
        POV_TRY(pov_folder_source_new(&source, &config));
        const pov_status status = pov_each_image(source, add_image, session);
        pov_image_source_destroy(&source);
        if (status.code != POV_OK)
            return status;
    }
    POV_TRY(pov_name_list_check(&session->options.without, "--without", "IMAGES"));
    return pov_cli_stop_requested() ? pov_error("stopped; nothing was written") : pov_ok();
}

static void describe_survey(char about[160], const tags_session *session)
{
    const pov_survey_report *report = pov_tag_survey_report(session->survey);
    const pov_survey_config *config = &session->options.survey;
    char frame[64] = "the known map";
    if (!session->options.known)
        snprintf(frame, sizeof frame, "%s %d", pov_tag_family_name(config->family), config->fixed_id);
    snprintf(about, 160,
             "Measured from %d images, RMS %.3f px, by 'pov calib tags'; the frame is that of %s.",
             report->used_view_len, report->rms_px, frame);
}

static pov_status write_map(tags_session *session)
{
    char about[160];
    pov_write_file file;
    if (!session->options.out)
        return pov_ok();
    describe_survey(about, session);
    pov_tag_survey_map(session->survey, &session->map);
    POV_TRY(pov_write_file_begin(&file, session->options.out));
    pov_tag_map_write(file.stream, &session->map, about);
    return pov_write_file_end(&file, pov_ok());
}

/* Both files, or neither; of a survey that was refused the page only. */
static pov_status write_files(tags_session *session, const pov_survey_report *report)
{
    const tags_options *options = &session->options;
    char date[32];
    pov_write_file page;
    if (!options->html)
        return report->is_mapped ? write_map(session) : pov_ok();
    pov_clock_date(date);
    POV_TRY(pov_write_file_begin(&page, options->html));
    pov_survey_report_page(page.stream, report, &options->survey.cameras[0], date);
    return pov_write_file_end(&page, report->is_mapped ? write_map(session) : pov_ok());
}

static pov_status survey_tags(tags_session *session, const pov_words *images)
{
    const tags_options *options = &session->options;
    POV_TRY(set_up(session));
    POV_TRY(add_images(session, images->word, images->len));
    const pov_status status = pov_tag_survey_run(session->survey);
    const pov_survey_report *report = pov_tag_survey_report(session->survey);
    POV_TRY(write_files(session, report));
    if (options->json)
        pov_survey_report_json(stdout, report, &options->survey.cameras[0]);
    else
        pov_survey_report_text(stdout, report);
    if (status.code == POV_OK && options->out && !options->json)
        printf("Wrote %s%s%s.\n", options->out, options->html ? " and " : "",
               options->html ? options->html : "");
    return status;
}

static int run(int argc, char **argv)
{
    pov_words images;
    tags_session *session = pov_allocate(1, sizeof *session);
    session->options = (tags_options){.out = "tags.yaml",
                                      .survey = {.family = POV_TAG36H11, .edge_m = NAN},
                                      .detector = POV_TAG_DETECTOR_DEFAULT};
    int code = pov_command_read(&session->options, &images, &pov_command_calib_tags, argc, argv);
    if (code == POV_GO_ON)
        code = check_options(&session->options);
    if (code == POV_GO_ON) {
        pov_cli_catch_signals();
        const pov_status status = survey_tags(session, &images);
        code = pov_cli_exit(status);
    }
    pov_tag_detector_destroy(&session->detector);
    pov_tag_survey_destroy(&session->survey);
    free(session);
    return code;
}
