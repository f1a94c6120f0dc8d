#include "config/setup/setup_file.h"

#include "config/yaml/yaml_edit.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_CAPACITY = 96,
    VALUE_CAPACITY =
        16 * POV_SETUP_VALUE_CAPACITY, /* three quoted answers, each letter of which may take four */
    ID_LEN_MAX = 26                    /* as numbered ones may have */
};

char *pov_setup_text_new(void)
{
    return strdup("about: \"a station set up with 'pov init'; docs/STATION.md has every key\"\n");
}

/* ---- one key ---- */

__attribute__((format(printf, 3, 4))) static pov_status set(char **text, const char *path, const char *format,
                                                            ...)
{
    char value[VALUE_CAPACITY];
    va_list rest;
    va_start(rest, format);
    vsnprintf(value, sizeof value, format, rest);
    va_end(rest);
    return pov_yaml_edit(text, path, value);
}

static pov_status set_text(char **text, const char *path, const char *words)
{
    char *quoted = pov_yaml_quote(words);
    POV_REQUIRE_MEMORY(quoted);
    const pov_status status = pov_yaml_edit(text, path, quoted);
    free(quoted);
    return status;
}

static pov_status remove_keys(char **text, const char *of, const char *const keys[])
{
    char path[2 * PATH_CAPACITY];
    for (; *keys; keys++) {
        snprintf(path, sizeof path, "%.*s.%s", PATH_CAPACITY - 1, of, *keys);
        POV_TRY(pov_yaml_edit(text, path, NULL));
    }
    return pov_ok();
}

/* ---- camera, lens, tags, turntable ---- */

static pov_status parse_size_px(int size_px[2], const char *text)
{
    int used = 0;
    if (sscanf(text, "%dx%d%n", &size_px[0], &size_px[1], &used) == 2 && !text[used] && size_px[0] >= 16 &&
        size_px[1] >= 16 && size_px[0] <= 16384 && size_px[1] <= 16384)
        return pov_ok();
    return pov_error("size takes width and height in pixels, as in 1280x720, not '%.40s'", text);
}

/* A number that may be left out. */
static pov_status set_number(char **text, const char *path, double value)
{
    return isnan(value) ? pov_yaml_edit(text, path, NULL) : set(text, path, "%.9g", value);
}

static pov_status edit_libcamera(char **text, const pov_setup_answers *answers)
{
    const char *size = pov_setup_answer(answers, POV_SETUP_CAMERA, "size");
    int size_px[2];
    POV_TRY(set_text(text, "camera.libcamera.id", pov_setup_answer(answers, POV_SETUP_CAMERA, "id")));
    if (*size) {
        POV_TRY(parse_size_px(size_px, size));
        POV_TRY(set(text, "camera.libcamera.size_px", "[%d, %d]", size_px[0], size_px[1]));
    } else {
        POV_TRY(pov_yaml_edit(text, "camera.libcamera.size_px", NULL));
    }
    POV_TRY(set_number(text, "camera.libcamera.exposure_s",
                       pov_setup_number(answers, POV_SETUP_CAMERA, "exposure_ms") / 1e3));
    return set_number(text, "camera.libcamera.gain", pov_setup_number(answers, POV_SETUP_CAMERA, "gain"));
}

pov_status pov_setup_edit_camera(char **text, const pov_setup_answers *answers)
{
    const char *source = pov_setup_answer(answers, POV_SETUP_CAMERA, "source");
    const bool is_practice = strcmp(source, "practice") == 0;
    POV_TRY(set(text, "camera.source", "%s", is_practice ? "simulator" : source));
    if (strcmp(source, "libcamera") == 0) {
        POV_TRY(edit_libcamera(text, answers));
    } else if (strcmp(source, "folder") == 0) {
        const char *path = pov_setup_answer(answers, POV_SETUP_CAMERA, "path");
        if (!*path)
            return pov_error("path: which folder has the images?");
        POV_TRY(set_text(text, "camera.folder.path", path));
    } else {
        POV_TRY(set_text(text, "camera.simulator.world",
                         is_practice ? POV_SETUP_PRACTICE_WORLD
                                     : pov_setup_answer(answers, POV_SETUP_CAMERA, "world")));
    }
    if (pov_yaml_has(*text, "camera.calibration") || pov_yaml_has(*text, "camera.field_of_view_deg"))
        return pov_ok();
    return set(text, "camera.field_of_view_deg", "60"); /* until the lens is measured */
}

pov_status pov_setup_edit_lens(char **text, const pov_setup_answers *answers, const char *calibration)
{
    static const char *const guessed[] = {"field_of_view_deg", "size_px", NULL};
    if (calibration) {
        POV_TRY(set_text(text, "camera.calibration", calibration));
        return remove_keys(text, "camera", guessed);
    }
    POV_TRY(pov_yaml_edit(text, "camera.calibration", NULL));
    return set(text, "camera.field_of_view_deg", "%.9g",
               pov_setup_number(answers, POV_SETUP_LENS, "field_of_view_deg"));
}

pov_status pov_setup_edit_tags(char **text, const char *map)
{
    static const char *const by_hand[] = {"pose", NULL};
    if (!map)
        return pov_yaml_edit(text, "tags.map", NULL);
    POV_TRY(set_text(text, "tags.map", map));
    return remove_keys(text, "camera", by_hand);
}

/* A measured axis stays with its turntable, whatever turns it. */
pov_status pov_setup_edit_turntable(char **text, const pov_setup_answers *answers)
{
    const char *how = pov_setup_answer(answers, POV_SETUP_TURNTABLE, "how"),
               *device = pov_setup_answer(answers, POV_SETUP_TURNTABLE, "device");
    if (strcmp(how, "none") == 0)
        return pov_yaml_edit(text, "turntable", NULL);
    if (strcmp(how, "file") == 0)
        return set_text(text, "turntable.calibration",
                        pov_setup_answer(answers, POV_SETUP_TURNTABLE, "file"));
    if (strcmp(how, "motor") == 0 && *device)
        return set_text(text, "turntable.device", device);
    return pov_ok();
}

pov_status pov_setup_edit_measured(char **text, const char *calibration)
{
    return set_text(text, "turntable.calibration", calibration);
}

/* ---- the cast ---- */

pov_status pov_setup_size_parse(double size_m[3], const char *text)
{
    double mm[3];
    int used = 0;
    int len = sscanf(text, "%lfx%lfx%lf%n", &mm[0], &mm[1], &mm[2], &used);
    if (len == 1) {
        len = sscanf(text, "%lf%n", &mm[0], &used) == 1 ? 3 : 0;
        mm[1] = mm[2] = mm[0];
    }
    bool good = len == 3 && !text[used];
    for (int i = 0; i < 3 && good; i++)
        good = mm[i] >= 1 && mm[i] <= 5000;
    if (!good)
        return pov_error("size_mm takes length x width x height in millimetres, as in 160x70x50, not '%.40s'",
                         text);
    for (int i = 0; i < 3; i++)
        size_m[i] = mm[i] / 1e3;
    return pov_ok();
}

pov_status pov_setup_id_check(const char *id)
{
    size_t len = 0;
    while (isalnum((unsigned char)id[len]) || id[len] == '_' || id[len] == '-' || (id[len] & 0x80))
        len++;
    if (len == 0 || id[len] || len > ID_LEN_MAX || strcmp(id, "camera") == 0)
        return pov_error("id: a name of 1 to %d letters, digits, _ and -, and not 'camera'; '%.40s' is none",
                         ID_LEN_MAX, id);
    return pov_ok();
}

/* The keys that tell how a thing is found. */
static const char *const found_keys[] = {
    "ball",      "tag",   "model",         "enrolled", "person",   "position_m", "position_std_m",
    "front_deg", "front", "front_std_deg", "yaw_deg",  "rotation", NULL};

typedef struct {
    char **text;
    pov_setup_step_id step;
    const pov_setup_answers *answers;
    const char *id;
    const pov_setup_click *click;
} member;

static const char *answer_of(const member *m, const char *name)
{
    return pov_setup_answer(m->answers, m->step, name);
}

static double number_of(const member *m, const char *name)
{
    return pov_setup_number(m->answers, m->step, name);
}

__attribute__((format(printf, 3, 4))) static pov_status set_key(const member *m, const char *key,
                                                                const char *format, ...)
{
    char path[PATH_CAPACITY], value[VALUE_CAPACITY];
    va_list rest;
    va_start(rest, format);
    vsnprintf(value, sizeof value, format, rest);
    va_end(rest);
    snprintf(path, sizeof path, "cast.%s.%s", m->id, key);
    return pov_yaml_edit(m->text, path, value);
}

static pov_status set_words(const member *m, const char *key, const char *words)
{
    char path[PATH_CAPACITY];
    snprintf(path, sizeof path, "cast.%s.%s", m->id, key);
    return set_text(m->text, path, words);
}

static pov_status set_size(const member *m, double size_m[3])
{
    POV_TRY(pov_setup_size_parse(size_m, answer_of(m, "size_mm")));
    return set_key(m, "size_m", "[%.4g, %.4g, %.4g]", size_m[0], size_m[1], size_m[2]);
}

static pov_status edit_survey(const member *m)
{
    double size_m[3], front_deg = number_of(m, "front_deg"), front_std_deg = 3; /* by eye; chosen */
    if (!m->click || !m->click->has_place)
        return pov_error("at: click the middle of '%s' in the picture, or give its column and row", m->id);
    POV_TRY(set_size(m, size_m));
    POV_TRY(set_key(m, "position_m", "[%.3f, %.3f, %.4g]", m->click->position_m.x, m->click->position_m.y,
                    size_m[2] / 2));
    POV_TRY(set_key(m, "position_std_m", "%.2g", m->click->position_std_m));
    if (isnan(front_deg) && m->click->has_front) {
        front_deg = m->click->front_rad / POV_DEG;
        front_std_deg = m->click->front_std_rad / POV_DEG;
    }
    if (isnan(front_deg))
        return pov_ok();
    POV_TRY(set_key(m, "front_deg", "%.0f", front_deg));
    return set_key(m, "front_std_deg", "%.2g", front_std_deg);
}

static pov_status edit_ball(const member *m)
{
    const char *color = answer_of(m, "color");
    if (!*color && (!m->click || !m->click->has_place))
        return pov_error("at: click the ball in the picture, or give its colour");
    POV_TRY(set_words(m, "ball.color", *color ? color : m->click->color));
    return set_key(m, "ball.radius_m", "%.4g", number_of(m, "diameter_mm") / 2e3);
}

/* The badge on a person's chest, as docs/STATION.md has it; else the tag lies on the thing's top. */
static pov_status edit_tag(const member *m)
{
    double size_m[3];
    POV_TRY(set_key(m, "tag.id", "%.0f", number_of(m, "tag")));
    POV_TRY(set_key(m, "tag.edge_m", "%.4g", number_of(m, "edge_mm") / 1e3));
    if (m->step == POV_SETUP_PERSON) {
        POV_TRY(set_key(m, "tag.has_front", "true"));
        POV_TRY(set_key(m, "tag.rotation", "[[0, 1, 0], [0, 0, 1], [1, 0, 0]]"));
        return set_key(m, "tag.center_m", "[0, -0.3, -0.1]");
    }
    POV_TRY(set_size(m, size_m));
    return set_key(m, "tag.center_m", "[0, 0, %.4g]", -size_m[2] / 2);
}

static pov_status edit_by_file(const member *m, bool is_enrolled)
{
    double size_m[3];
    const char *file = answer_of(m, "file");
    if (!*file)
        return pov_error("file: %s", is_enrolled ? "which file did 'pov enrol' write?"
                                                 : "which file is the network's contract (docs/MODELS.md)?");
    if (is_enrolled) {
        const double stands_on_mm = number_of(m, "stands_on_mm");
        POV_TRY(set_words(m, "enrolled.model", file));
        return stands_on_mm == 0 ? pov_ok() : set_key(m, "enrolled.stands_on_m", "%.4g", stands_on_mm / 1e3);
    }
    POV_TRY(set_words(m, "model.class", answer_of(m, "class")));
    POV_TRY(set_size(m, size_m));
    if (strstr(*m->text, file))
        return pov_ok(); /* the contract is there */
    char *quoted = pov_yaml_quote(file);
    POV_REQUIRE_MEMORY(quoted);
    const pov_status status = set(m->text, "models.detectors", "[{contract: %s}]", quoted);
    free(quoted);
    return status;
}

static pov_status edit_found(const member *m, const char *found_by)
{
    if (strcmp(found_by, "ball") == 0)
        return edit_ball(m);
    if (strcmp(found_by, "tag") == 0)
        return edit_tag(m);
    if (strcmp(found_by, "person") == 0) {
        POV_TRY(set_key(m, "person.height_m", "%.4g", number_of(m, "height_m")));
        return set_key(m, "person.stands_on_m", "%.4g", number_of(m, "stands_on_m"));
    }
    return strcmp(found_by, "survey") == 0 ? edit_survey(m)
                                           : edit_by_file(m, strcmp(found_by, "enrolled") == 0);
}

static pov_status edit_member(const member *m, const char *class_name)
{
    char path[PATH_CAPACITY];
    const char *found_by = answer_of(m, "found_by");
    POV_TRY(pov_setup_id_check(m->id));
    snprintf(path, sizeof path, "cast.%s", m->id);
    POV_TRY(set_words(m, "class", *class_name ? class_name : m->id));
    POV_TRY(remove_keys(m->text, path, found_keys));
    POV_TRY(set_key(m, "found_by", "%s", found_by));
    return edit_found(m, found_by);
}

pov_status pov_setup_edit_thing(char **text, const pov_setup_answers *answers, const pov_setup_click *click)
{
    const member m = {text, POV_SETUP_THINGS, answers, pov_setup_answer(answers, POV_SETUP_THINGS, "id"),
                      click};
    return edit_member(&m, answer_of(&m, "class"));
}

pov_status pov_setup_edit_person(char **text, const pov_setup_answers *answers, const pov_setup_click *click)
{
    const member m = {text, POV_SETUP_PERSON, answers, pov_setup_answer(answers, POV_SETUP_PERSON, "id"),
                      click};
    const double horizontal_deg = number_of(&m, "horizontal_deg");
    POV_TRY(edit_member(&m, "person"));
    POV_TRY(set_key(&m, "addressee", "true"));
    if (isnan(horizontal_deg))
        return pov_ok();
    POV_TRY(set_key(&m, "sees.horizontal_deg", "%.4g", horizontal_deg));
    return set_key(&m, "sees.vertical_deg", "%.4g", number_of(&m, "vertical_deg"));
}

pov_status pov_setup_edit_remove(char **text, const char *id)
{
    char path[PATH_CAPACITY];
    POV_TRY(pov_setup_id_check(id));
    snprintf(path, sizeof path, "cast.%s", id);
    return pov_yaml_edit(text, path, NULL);
}

/* ---- the model to ask ---- */

pov_status pov_setup_edit_vlm(char **text, const pov_setup_answers *answers, const char *key_file)
{
    const char *url = pov_setup_answer(answers, POV_SETUP_VLM, "url"),
               *model = pov_setup_answer(answers, POV_SETUP_VLM, "model");
    if (strcmp(pov_setup_answer(answers, POV_SETUP_VLM, "how"), "none") == 0)
        return pov_yaml_edit(text, "vlm", NULL);
    if (!*model)
        return pov_error("model: what is it called on that server?");
    char *quoted[3] = {pov_yaml_quote(url), pov_yaml_quote(model), pov_yaml_quote(key_file)};
    POV_REQUIRE_MEMORY(quoted[0] && quoted[1] && quoted[2]);
    const pov_status status = set(text, "vlm.endpoints", "[{url: %s, model: %s%s%s}]", quoted[0], quoted[1],
                                  *key_file ? ", key_file: " : "", *key_file ? quoted[2] : "");
    for (int i = 0; i < 3; i++)
        free(quoted[i]);
    return status;
}
