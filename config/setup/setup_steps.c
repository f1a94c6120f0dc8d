#include "config/setup/setup_steps.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_END                                                                                           \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }

/* Bounds of lengths at a desk, in millimetres. */
#define SMALL_MM .low = 1, .high = 5000

static const pov_setup_field camera_fields[] = {
    {"source", "Where do images come from?", POV_SETUP_CHOICE, "libcamera",
     "libcamera=a camera|folder=a folder of images|simulator=a simulated world|practice=none: practise in "
     "a simulated lab",
     .shown = NULL},
    {"id", "Which camera? 'any', or a part of its name", POV_SETUP_TEXT, "any", .shown = "source=libcamera"},
    {"size", "Image size in pixels, as 1280x720; empty: the camera's choice", POV_SETUP_TEXT, "",
     .shown = "source=libcamera"},
    {"exposure_ms", "Exposure in milliseconds; empty: automatic", POV_SETUP_NUMBER, "",
     .shown = "source=libcamera", .low = 0.01, .high = 10000},
    {"gain", "Gain; empty: automatic", POV_SETUP_NUMBER, "", .shown = "source=libcamera", .low = 0.1,
     .high = 1000},
    {"path", "The folder", POV_SETUP_TEXT, "", .shown = "source=folder"},
    {"world", "The world: a name of 'pov sim --list', or a file", POV_SETUP_TEXT, "station",
     .shown = "source=simulator"},
    FIELDS_END};

static const pov_setup_field lens_fields[] = {
    {"how", "How is the lens known?", POV_SETUP_CHOICE, "board",
     "board=show a printed board to the camera|print=print a board first|images=from images of a "
     "board|file=from a calibration file|guess=guess from the field of view",
     .shown = NULL},
    {"board", "The board: kind, columns x rows, square and marker", POV_SETUP_TEXT,
     "charuco:7x9:25mm:18.75mm:4X4_1000", .shown = "how=board|print|images"},
    {"images", "The folder with the images", POV_SETUP_TEXT, "", .shown = "how=images"},
    {"file", "The calibration file", POV_SETUP_TEXT, "camera.yaml", .shown = "how=file"},
    {"field_of_view_deg", "Horizontal field of view in degrees", POV_SETUP_NUMBER, "60", .shown = "how=guess",
     .low = 1, .high = 170},
    FIELDS_END};

static const pov_setup_field tags_fields[] = {
    {"how", "What tells where the camera is?", POV_SETUP_CHOICE, "sheet",
     "sheet=a printed sheet of tags on the table|measure=tags anywhere, measured from views|images=tags "
     "anywhere, from images|file=a tag map file|none=nothing",
     .shown = NULL},
    {"columns", "Columns of the sheet", POV_SETUP_NUMBER, "3", .shown = "how=sheet", .low = 1, .high = 40},
    {"rows", "Rows of the sheet", POV_SETUP_NUMBER, "4", .shown = "how=sheet", .low = 1, .high = 40},
    {"gap_mm", "Gap between black squares, mm", POV_SETUP_NUMBER, "15", .shown = "how=sheet", .low = 0,
     .high = 1000},
    {"edge_mm", "Edge of a tag's black square as printed, mm: measure it", POV_SETUP_NUMBER, "45",
     .shown = "how=sheet|measure|images", SMALL_MM},
    {"images", "The folder with the images", POV_SETUP_TEXT, "", .shown = "how=images"},
    {"fix", "The tag that lies flat and whose centre is the table's origin", POV_SETUP_NUMBER, "0",
     .shown = "how=measure|images", .low = 0, .high = 65535},
    {"file", "The tag map file", POV_SETUP_TEXT, "tags.yaml", .shown = "how=file"},
    FIELDS_END};

static const pov_setup_field turntable_fields[] = {
    {"how", "Is there a turntable?", POV_SETUP_CHOICE, "none",
     "none=no|ring=yes: print a ring of tags for it|motor=yes, a motor turns it|hand=yes, I turn it by "
     "hand|images=yes, from images of a turn|file=yes, and it is measured",
     .shown = NULL},
    {"device", "The motor's serial line", POV_SETUP_TEXT, "/dev/ttyUSB0", .shown = "how=motor"},
    {"measure", "Measure its axis now?", POV_SETUP_CHOICE, "yes", "yes=yes: it turns round and back|no=later",
     .shown = "how=motor"},
    {"count", "Tags of the ring", POV_SETUP_NUMBER, "8", .shown = "how=ring", .low = 3, .high = 60},
    {"radius_mm", "From its middle to the tags' middles, mm", POV_SETUP_NUMBER, "100", .shown = "how=ring",
     SMALL_MM},
    {"ring", "The ring's map, if you printed it here", POV_SETUP_TEXT, "", .shown = "how=motor|hand|images"},
    {"edge_mm", "Edge of its tags' black squares, mm", POV_SETUP_NUMBER, "45",
     .shown = "how=ring|motor|hand|images", SMALL_MM},
    {"stops", "Stops of a turn", POV_SETUP_NUMBER, "16", .shown = "how=motor|hand", .low = 6, .high = 120},
    {"images", "The folder with the images", POV_SETUP_TEXT, "", .shown = "how=images"},
    {"file", "Its file", POV_SETUP_TEXT, "turntable.yaml", .shown = "how=file"},
    FIELDS_END};

static const pov_setup_field things_fields[] = {
    {"id", "What is it called? One word", POV_SETUP_TEXT, "", .shown = NULL},
    {"class", "What is it? Empty: as it is called", POV_SETUP_TEXT, "", .shown = NULL},
    {"found_by", "How is it found in images?", POV_SETUP_CHOICE, "survey",
     "survey=it stays where it is|ball=a ball, by its colour|tag=by a tag on it|turn=by its look: turn it "
     "once|enrolled=by its look, enrolled before|model=by a network",
     .shown = NULL},
    {"at", "Where is its middle in the image? Click it", POV_SETUP_POINT, "",
     .shown = "found_by=survey|ball"},
    {"diameter_mm", "Its diameter, mm", POV_SETUP_NUMBER, "70", .shown = "found_by=ball", SMALL_MM},
    {"color", "Its colour: a name, #rrggbb, or empty: as clicked", POV_SETUP_TEXT, "",
     .shown = "found_by=ball"},
    {"size_mm", "Its size: length x width x height, mm", POV_SETUP_TEXT, "100x100x100",
     .shown = "found_by=survey|tag|model"},
    {"front", "Where does its front point to? Click there; empty: it has no front", POV_SETUP_POINT, "",
     .shown = "found_by=survey"},
    {"front_deg", "Or its front in degrees from the table's x, counter-clockwise", POV_SETUP_NUMBER, "",
     .shown = "found_by=survey", .low = -360, .high = 360},
    {"tag", "The tag's number", POV_SETUP_NUMBER, "100", .shown = "found_by=tag", .low = 0, .high = 65535},
    {"edge_mm", "The tag's edge, mm", POV_SETUP_NUMBER, "40", .shown = "found_by=tag", SMALL_MM},
    {"views", "Sides to learn it from", POV_SETUP_NUMBER, "36", .shown = "found_by=turn", .low = 8,
     .high = 72},
    {"stands_on_mm", "Height above the table of the plane it stands on, mm", POV_SETUP_NUMBER, "0",
     .shown = "found_by=turn|enrolled", .low = -2000, .high = 2000},
    {"file", "The file that 'pov enrol' wrote, or the network's contract", POV_SETUP_TEXT, "",
     .shown = "found_by=enrolled|model"},
    FIELDS_END};

static const pov_setup_field person_fields[] = {
    {"id", "What is the person called?", POV_SETUP_TEXT, "anna", .shown = NULL},
    {"found_by", "How is the person found?", POV_SETUP_CHOICE, "survey",
     "survey=a place that I click|tag=by a badge with a tag|person=by body and face", .shown = NULL},
    {"at", "Where is the person's middle? Click it", POV_SETUP_POINT, "", .shown = "found_by=survey"},
    {"size_mm", "Size: depth x width x height, mm", POV_SETUP_TEXT, "300x500x1700",
     .shown = "found_by=survey"},
    {"front", "Where does the person look to? Click there", POV_SETUP_POINT, "", .shown = "found_by=survey"},
    {"front_deg", "Or the direction in degrees from the table's x", POV_SETUP_NUMBER, "",
     .shown = "found_by=survey", .low = -360, .high = 360},
    {"tag", "The badge's number", POV_SETUP_NUMBER, "50", .shown = "found_by=tag", .low = 0, .high = 65535},
    {"edge_mm", "The badge's edge, mm", POV_SETUP_NUMBER, "80", .shown = "found_by=tag", SMALL_MM},
    {"height_m", "Body height, m", POV_SETUP_NUMBER, "1.7", .shown = "found_by=person", .low = 0.5,
     .high = 2.5},
    {"stands_on_m", "Height of the floor above the table's plane, m: -0.74 beside a table", POV_SETUP_NUMBER,
     "-0.74", .shown = "found_by=person", .low = -5, .high = 5},
    {"horizontal_deg", "Field of view from side to side, degrees; empty: not judged", POV_SETUP_NUMBER, "120",
     .low = 1, .high = 360},
    {"vertical_deg", "Field of view from top to bottom, degrees", POV_SETUP_NUMBER, "90", .low = 1,
     .high = 180},
    FIELDS_END};

static const pov_setup_field vlm_fields[] = {
    {"how", "Which vision-language model is to be asked?", POV_SETUP_CHOICE, "none",
     "none=none|server=one behind a URL", .shown = NULL},
    {"url", "Its URL, up to and with /v1", POV_SETUP_TEXT, "http://127.0.0.1:8000/v1", .shown = "how=server"},
    {"model", "The model's name there", POV_SETUP_TEXT, "", .shown = "how=server"},
    {"key", "The server's key, if it wants one: kept in a file of its own, for you only", POV_SETUP_SECRET,
     "", .shown = "how=server"},
    FIELDS_END};

static const pov_setup_field write_fields[] = {{"overwrite", "If the file exists", POV_SETUP_CHOICE, "no",
                                                "no=leave it|yes=overwrite it", .shown = NULL},
                                               FIELDS_END};

static const pov_setup_field run_fields[] = {
    {"how", "What now?", POV_SETUP_CHOICE, "run",
     "run=run the station|sweep=one rotation and its report|end=end here", .shown = NULL},
    {"angles", "Stops of the turn", POV_SETUP_NUMBER, "12", .shown = "how=sweep", .low = 1, .high = 360},
    FIELDS_END};

const pov_setup_step POV_SETUP_STEPS[] = {
    [POV_SETUP_CAMERA] = {"camera", "Camera",
                          "Choose the camera. Its picture appears here; focus and zoom must stay as they "
                          "are from now on.",
                          "Use this camera", .fields = camera_fields},
    [POV_SETUP_LENS] = {"lens", "Lens",
                        "Show the board near, tilted by 20 to 50 degrees, in every corner. Images are taken "
                        "while it is held still.",
                        "Measure the lens", .fields = lens_fields},
    [POV_SETUP_TAGS] =
        {"tags", "Tags",
         "Tags on the table tell where the camera is. A sheet is printed at 100 %, taped down, "
         "and its middle is the table's origin.",
         "Use these tags", true, .fields = tags_fields},
    [POV_SETUP_TURNTABLE] = {"turntable", "Turntable",
                             "A turntable takes things round in a sweep, and shows them from all "
                             "sides. Tags on its disc tell its angle.",
                             "Use this", true, .fields = turntable_fields},
    [POV_SETUP_THINGS] = {"things", "Things",
                          "Click a thing in the picture, say what it is and its size. The first two are the "
                          "pair that is asked about.",
                          "Add this thing", true, true, things_fields},
    [POV_SETUP_PERSON] = {"person", "Person",
                          "The person addressed: left and right are judged from there, too.",
                          "Place the person", true, .fields = person_fields},
    [POV_SETUP_VLM] =
        {"vlm", "Model",
         "A vision-language model to compare with. It is checked with pictures of the check's own.",
         "Check and use it", true, .fields = vlm_fields},
    [POV_SETUP_WRITE] = {"write", "File", "All of it as a station file, as people write them by hand.",
                         "Write the file", .fields = write_fields},
    [POV_SETUP_RUN] = {"run", "Run", "The station is ready.", "Go", .fields = run_fields},
};

static_assert(sizeof POV_SETUP_STEPS / sizeof *POV_SETUP_STEPS == POV_SETUP_STEP_COUNT, "one row a step");

/* ---- finding ---- */

pov_status pov_setup_step_find(pov_setup_step_id *id, const char *name)
{
    for (int i = 0; i < POV_SETUP_STEP_COUNT; i++)
        if (strcmp(POV_SETUP_STEPS[i].name, name) == 0) {
            *id = (pov_setup_step_id)i;
            return pov_ok();
        }
    return pov_error(
        "no step '%.40s'; there are camera, lens, tags, turntable, things, person, vlm, write, run", name);
}

const pov_setup_field *pov_setup_field_find(pov_setup_step_id step, const char *name)
{
    for (const pov_setup_field *field = POV_SETUP_STEPS[step].fields; field->name; field++)
        if (strcmp(field->name, name) == 0)
            return field;
    return NULL;
}

/* Is `word` one of the names before '=' or whole ones, in "a=b|c=d" or "a|c"? */
static bool is_listed(const char *list, const char *word)
{
    const size_t len = strlen(word);
    for (const char *at = list; at; at = strchr(at, '|'), at = at ? at + 1 : NULL)
        if (strncmp(at, word, len) == 0 && strchr("=|", at[len]))
            return true;
    return false;
}

bool pov_setup_field_is_shown(const pov_setup_field *field, pov_setup_step_id step,
                              const pov_setup_answers *answers)
{
    char other[24];
    if (!field->shown)
        return true;
    const size_t len = strcspn(field->shown, "=");
    snprintf(other, sizeof other, "%.*s", (int)len, field->shown);
    return is_listed(field->shown + len + 1, pov_setup_answer(answers, step, other));
}

/* ---- answers ---- */

static pov_status check_number(const pov_setup_field *field, const char *value)
{
    char *end;
    const double number = strtod(value, &end);
    if (!*value && !*field->preset)
        return pov_ok();
    if (end == value || *end || !(number >= field->low && number <= field->high))
        return pov_error("%s takes a number from %g to %g, not '%.40s'", field->name, field->low, field->high,
                         value);
    return pov_ok();
}

static bool parse_point(double point_px[2], const char *value)
{
    int used = 0;
    return sscanf(value, "%lf %lf%n", &point_px[0], &point_px[1], &used) == 2 && !value[used] &&
           isfinite(point_px[0]) && isfinite(point_px[1]);
}

static pov_status check_value(const pov_setup_field *field, const char *value)
{
    double point_px[2];
    if (strlen(value) >= POV_SETUP_VALUE_CAPACITY)
        return pov_error("%s takes at most %d letters", field->name, POV_SETUP_VALUE_CAPACITY - 1);
    if (field->kind == POV_SETUP_NUMBER)
        return check_number(field, value);
    if (field->kind == POV_SETUP_CHOICE && !is_listed(field->choices, value))
        return pov_error("%s takes one of %s, not '%.40s'", field->name, field->choices, value);
    if (field->kind == POV_SETUP_POINT && *value && !parse_point(point_px, value))
        return pov_error("%s takes a column and a row of the image, as in '320 240', not '%.40s'",
                         field->name, value);
    return pov_ok();
}

pov_status pov_setup_answer_set(pov_setup_answers *answers, pov_setup_step_id step, const char *name,
                                const char *value)
{
    const pov_setup_field *field = pov_setup_field_find(step, name);
    if (!field)
        return pov_error("%s has no '%.40s'", POV_SETUP_STEPS[step].name, name);
    const pov_status status = check_value(field, value);
    if (status.code != POV_OK)
        return pov_error("%s: %s", POV_SETUP_STEPS[step].name, status.message);
    int i = 0;
    while (i < answers->len && strcmp(answers->items[i].name, name) != 0)
        i++;
    POV_REQUIRE(i < POV_SETUP_ANSWER_MAX); /* no step has as many fields */
    answers->len = i == answers->len ? i + 1 : answers->len;
    snprintf(answers->items[i].name, sizeof answers->items[i].name, "%s", name);
    snprintf(answers->items[i].value, sizeof answers->items[i].value, "%s", value);
    return pov_ok();
}

const char *pov_setup_answer(const pov_setup_answers *answers, pov_setup_step_id step, const char *name)
{
    const pov_setup_field *field = pov_setup_field_find(step, name);
    POV_REQUIRE(field);
    for (int i = 0; i < answers->len; i++)
        if (strcmp(answers->items[i].name, name) == 0)
            return answers->items[i].value;
    return field->preset;
}

double pov_setup_number(const pov_setup_answers *answers, pov_setup_step_id step, const char *name)
{
    const char *text = pov_setup_answer(answers, step, name);
    return *text ? strtod(text, NULL) : NAN;
}

bool pov_setup_point(double point_px[2], const pov_setup_answers *answers, pov_setup_step_id step,
                     const char *name)
{
    return parse_point(point_px, pov_setup_answer(answers, step, name));
}

pov_status pov_setup_answers_parse(pov_setup_answers *answers, pov_setup_step_id step, const char *text)
{
    char *words = strdup(text);
    POV_REQUIRE_MEMORY(words);
    pov_status status = pov_ok();
    for (char *rest = words, *part; status.code == POV_OK && (part = strsep(&rest, ",")) != NULL;) {
        char *value = strchr(part, '=');
        if (!value) {
            status = pov_error("takes NAME=VALUE, and further ones after commas, not '%.60s'", part);
            break;
        }
        *value++ = '\0';
        status = pov_setup_answer_set(answers, step, part, value);
    }
    free(words);
    return status;
}
