#include "config/files/base64.h"
#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/markup.h"
#include "config/files/utf8.h"
#include "config/files/write_file.h"
#include "draw/page.h"
#include "firmware/commands.h"
#include "protocol/observation/json.h"
#include "protocol/observation/message.h"
#include "protocol/recording/recording.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below this, two probabilities are the same: three times what the promised accuracy of relations allows two versions; chosen. */
static const double p_step = 0.05;
static const double same_m = 1e-6,
                    same_rad = 1e-6; /* of places and headings that are stated as exact; chosen */

typedef struct {
    bool json;
    const char *html;
    double deviations;
    int show;
} diff_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_FLAG(diff_options, json, "json", "one JSON object instead of text"),
    POV_PATH(diff_options, html, "html", "FILE", "also write a page, with the images of the largest changes"),
    POV_NUMBER(diff_options, deviations, "deviations", "N", 0.1, 1000,
               "a position or heading has changed if it moved by more than N of its standard deviations"),
    POV_WHOLE(diff_options, show, "show", "N", 0, 100000, "list at most so many changes, the largest first"),
    POV_OPTIONS_END,
};

const pov_command pov_command_diff = {
    .name = "diff",
    .summary = "compare two judgings of the same images",
    .run = run,
    .usage = "OLD NEW [OPTIONS]",
    .about = "Compares two runs' judgments of the same images: recordings (.mcap), or the lines of 'pov run "
             "--json'. Lists the verdicts that changed, with entities, time and probabilities, and the "
             "things that "
             "came, went or moved.",
    .notes = "Images are matched by their numbers, and must have the same names.",
    .options = option_table,
    .words = {.min = 2, .max = 2, .wanted = "expected two recordings or files of JSON lines"},
    .examples =
        "pov run my_table.yaml --images monday.mcap --json > again.jsonl; pov diff monday.mcap again.jsonl\n"
        "pov diff monday.mcap again.mcap --html changes.html",
    .exits = "0 nothing changed; 1 a verdict, thing or image changed, or a file cannot be read",
};

/* ---- one side ---- */

typedef struct {
    const char *path;
    pov_recording *recording; /* NULL: lines */
    FILE *lines;
    char *line;
    size_t line_capacity;
    long line_number;
    pov_codec *codec;
    pov_observation *observation;
    cJSON *object; /* NULL: at its end */
    double sequence, capture_ns;
    const char *name;
    const char *camera; /* of several; "": the only one */
} side;

static pov_status open_side(side *self, const char *path)
{
    *self = (side){.path = path};
    if (!pov_recording_is_one(path)) {
        self->lines = fopen(path, "r");
        return self->lines
                   ? pov_ok()
                   : pov_error(
                         "%s: %s; name a recording, or a file of what 'pov run STATION.yaml --json' prints",
                         path, strerror(errno));
    }
    self->observation = calloc(1, sizeof *self->observation);
    if (!self->observation)
        return pov_error("%s: out of memory", path);
    POV_TRY(pov_codec_new(&self->codec));
    return pov_recording_open(&self->recording, path);
}

static void close_side(side *self)
{
    pov_recording_close(&self->recording);
    pov_codec_destroy(&self->codec);
    free(self->observation);
    if (self->lines)
        fclose(self->lines);
    free(self->line);
    cJSON_Delete(self->object);
}

/* A recorded observation as the line that it would be. POV_END: there is none. */
static pov_status read_recorded_line(side *self)
{
    pov_recorded_event event;
    pov_message message = {.observation = self->observation};
    do
        POV_TRY(pov_recording_next(self->recording, &event));
    while (event.topic != POV_RECORDED_OBSERVATION);
    POV_TRY(pov_codec_decode(self->codec, &message, event.message.bytes, event.message.len));
    free(self->line);
    self->line = NULL;
    FILE *stream = open_memstream(&self->line, &self->line_capacity);
    if (!stream)
        return pov_error("%s: out of memory", self->path);
    const pov_status status = pov_json_write_observation(stream, message.observation);
    fclose(stream);
    return status;
}

static pov_status read_line(side *self)
{
    self->line_number++;
    if (self->recording)
        return read_recorded_line(self);
    if (getline(&self->line, &self->line_capacity, self->lines) >= 0)
        return pov_ok();
    return ferror(self->lines) ? pov_error("%s: cannot be read", self->path) : pov_status_of(POV_END);
}

/* The next image. Health and empty lines are passed over. */
static pov_status next_image(side *self)
{
    const cJSON *image = NULL;
    while (!image) {
        cJSON_Delete(self->object);
        self->object = NULL;
        const pov_status status = read_line(self);
        if (status.code == POV_END)
            return pov_ok();
        POV_TRY(status);
        if (self->line[strspn(self->line, " \t\r\n")] == '\0')
            continue;
        self->object = pov_json_parse_text(self->line);
        if (!self->object)
            return pov_error(
                "%s:%ld: is not a line of JSON; expected a recording, or what 'pov run --json' prints",
                self->path, self->line_number);
        image = cJSON_GetObjectItem(self->object, "image");
        if (!image && !cJSON_GetObjectItem(self->object, "health"))
            return pov_error("%s:%ld: is not of 'pov run --json': it has no \"image\"", self->path,
                             self->line_number);
    }
    const cJSON *name = cJSON_GetObjectItem(image, "name"),
                *sequence = cJSON_GetObjectItem(image, "sequence"),
                *capture = cJSON_GetObjectItem(image, "capture_ns"),
                *camera = cJSON_GetObjectItem(image, "camera");
    if (!cJSON_IsString(name) || !cJSON_IsNumber(sequence))
        return pov_error("%s:%ld: \"image\" has no name or no sequence", self->path, self->line_number);
    self->name = name->valuestring;
    self->camera = cJSON_IsString(camera) ? camera->valuestring : "";
    self->sequence = sequence->valuedouble;
    self->capture_ns = cJSON_IsNumber(capture) ? capture->valuedouble : 0;
    return pov_ok();
}

/* ---- changes ---- */

enum { TEXT_CAPACITY = 256, CHANGES_MAX = 20000 };

typedef struct {
    double sequence, time_s; /* since the first image */
    double size;             /* larger is listed first */
    char image[POV_IMAGE_NAME_CAPACITY], of[TEXT_CAPACITY], before[64], after[64];
} change;

/* The changes of one list of the JSON. */
typedef struct {
    const char *list;
    const char *keys[9]; /* what names an item; ended by NULL */
    uint64_t compared, changed, flipped /* true and false */, missing, added, shifted /* p alone */;
} list_facts;

enum { LISTS = 3 };

typedef struct {
    list_facts lists[LISTS];
    uint64_t images, images_changed, only_old, only_new;
    uint64_t things, moved, turned, gone, come;
    double farthest_m, farthest_deviations;
    change *changes, spare;
    int change_len, change_capacity;
    double first_ns;
    double deviations;
    const side *now; /* the old one's image */
} comparison;

static change *add_change(comparison *all, double size)
{
    if (all->change_len == CHANGES_MAX ||
        !pov_grow(&all->changes, &all->change_capacity, all->change_len, sizeof *all->changes))
        return &all->spare; /* counted, but not listed */
    change *made = &all->changes[all->change_len++];
    *made = (change){.sequence = all->now->sequence,
                     .time_s = 1e-9 * (all->now->capture_ns - all->first_ns),
                     .size = size};
    pov_utf8_copy(made->image, sizeof made->image, all->now->name);
    return made;
}

/* "blue_ball left_of red_ball egocentric camera ...": what an item is about. */
static void name_item(char text[TEXT_CAPACITY], const list_facts *list, const cJSON *item)
{
    size_t len = 0;
    text[0] = '\0';
    for (int i = 0; list->keys[i]; i++) {
        const cJSON *value = cJSON_GetObjectItem(item, list->keys[i]);
        const cJSON *part = cJSON_IsArray(value) ? value->child : value;
        for (; part && len < TEXT_CAPACITY; part = cJSON_IsArray(value) ? part->next : NULL)
            if (cJSON_IsString(part))
                len += (size_t)snprintf(text + len, TEXT_CAPACITY - len, "%s%s", len ? " " : "",
                                        part->valuestring);
    }
}

static void describe_verdict(char text[64], const cJSON *item)
{
    const double p = pov_json_number_of(item, "p");
    if (isnan(p))
        snprintf(text, 64, "%s", pov_json_text_of(item, "verdict"));
    else
        snprintf(text, 64, "%s, p %.3f", pov_json_text_of(item, "verdict"), p);
}

static bool is_decided(const char *verdict)
{
    return strcmp(verdict, "true") == 0 || strcmp(verdict, "false") == 0;
}

static void compare_item(comparison *all, list_facts *list, const char *name, const cJSON *before,
                         const cJSON *after)
{
    const char *old = pov_json_text_of(before, "verdict"), *new = pov_json_text_of(after, "verdict");
    const double step = fabs(pov_json_number_of(after, "p") - pov_json_number_of(before, "p"));
    list->compared++;
    if (strcmp(old, new) == 0) {
        list->shifted += step > p_step;
        return;
    }
    list->changed++;
    list->flipped += is_decided(old) && is_decided(new);
    change *made = add_change(all, isnan(step) ? 1 : step);
    snprintf(made->of, sizeof made->of, "%s", name);
    describe_verdict(made->before, before);
    describe_verdict(made->after, after);
}

static void note_lone(comparison *all, const char *name, const cJSON *item, bool is_old)
{
    change *made = add_change(all, 1);
    snprintf(made->of, sizeof made->of, "%s", name);
    snprintf(made->before, sizeof made->before, "not judged");
    snprintf(made->after, sizeof made->after, "not judged");
    describe_verdict(is_old ? made->before : made->after, item);
}

/* Items stand in the same order unless something came or went: the search begins where the last one ended. */
static void compare_list(comparison *all, list_facts *list, const cJSON *old, const cJSON *new)
{
    const cJSON *before = cJSON_GetObjectItem(old, list->list), *after = cJSON_GetObjectItem(new, list->list);
    const int len = cJSON_GetArraySize(after);
    char(*names)[TEXT_CAPACITY] = calloc((size_t)len + 1, sizeof *names);
    const cJSON **items = calloc((size_t)len + 1, sizeof *items);
    bool *met = calloc((size_t)len + 1, sizeof *met);
    POV_REQUIRE_MEMORY(names && items && met);
    int i = 0, at = 0;
    for (const cJSON *item = after ? after->child : NULL; item; item = item->next, i++) {
        name_item(names[i], list, item);
        items[i] = item;
    }
    for (const cJSON *item = before ? before->child : NULL; item; item = item->next) {
        char name[TEXT_CAPACITY];
        int tried = 0;
        name_item(name, list, item);
        while (tried < len && (met[at] || strcmp(names[at], name) != 0)) {
            at = (at + 1) % len;
            tried++;
        }
        if (tried < len) {
            met[at] = true;
            compare_item(all, list, name, item, items[at]);
            at = (at + 1) % len;
        } else {
            list->missing++;
            note_lone(all, name, item, true);
        }
    }
    for (i = 0; i < len; i++)
        if (!met[i]) {
            list->added++;
            note_lone(all, names[i], items[i], false);
        }
    free(names);
    free(items);
    free(met);
}

/* False: it is null. */
static bool take_numbers(double *values, int count, const cJSON *object, const char *name)
{
    const cJSON *list = cJSON_GetObjectItem(object, name);
    if (cJSON_GetArraySize(list) != count)
        return false;
    int i = 0;
    for (const cJSON *value = list->child; value; value = value->next)
        values[i++] = cJSON_IsNumber(value) ? value->valuedouble : NAN;
    return true;
}

/* Variance along a step. */
static double variance_along(const double step[3], const cJSON *entity)
{
    double cov[9], sum = 0;
    const double square = step[0] * step[0] + step[1] * step[1] + step[2] * step[2];
    if (!take_numbers(cov, 9, entity, "pos_cov_m2"))
        return 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            sum += step[i] * cov[3 * i + k] * step[k];
    return square > 0 && isfinite(sum) ? sum / square : 0;
}

static void compare_place(comparison *all, const char *id, const cJSON *before, const cJSON *after)
{
    double old[3], new[3];
    const bool had = take_numbers(old, 3, before, "pos_m"), has = take_numbers(new, 3, after, "pos_m");
    if (had != has) {
        all->moved++;
        change *made = add_change(all, 1);
        snprintf(made->of, sizeof made->of, "place of %s", id);
        snprintf(made->before, sizeof made->before, had ? "known" : "not known");
        snprintf(made->after, sizeof made->after, has ? "known" : "not known");
    }
    if (!had || !has)
        return;
    const double step[3] = {new[0] - old[0], new[1] - old[1], new[2] - old[2]};
    const double moved_m = sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
    const double std_m =
        sqrt(fmax(fmax(variance_along(step, before), variance_along(step, after)), same_m * same_m));
    const double deviations = moved_m / std_m;
    if (moved_m > all->farthest_m) {
        all->farthest_m = moved_m;
        all->farthest_deviations = deviations;
    }
    if (!(deviations > all->deviations))
        return;
    all->moved++;
    change *made = add_change(all, fmin(1, deviations / 100));
    snprintf(made->of, sizeof made->of, "place of %s", id);
    snprintf(made->before, sizeof made->before, "(%.3f, %.3f, %.3f) m", old[0], old[1], old[2]);
    snprintf(made->after, sizeof made->after, "%.4g m off: %.3g deviations", moved_m, deviations);
}

static void compare_heading(comparison *all, const char *id, const cJSON *before, const cJSON *after)
{
    const double old = pov_json_number_of(before, "heading_rad"),
                 new = pov_json_number_of(after, "heading_rad");
    const double kappa =
        fmin(pov_json_number_of(before, "heading_kappa"), pov_json_number_of(after, "heading_kappa"));
    if (isnan(old) && isnan(new))
        return;
    const double turned = fabs(remainder(new - old, 2 * acos(-1)));
    const double std = fmax(same_rad, kappa > 0 ? 1 / sqrt(kappa) : INFINITY);
    if (turned <= all->deviations * std)
        return;
    all->turned++;
    change *made = add_change(all, isnan(turned) ? 1 : fmin(1, turned));
    snprintf(made->of, sizeof made->of, "heading of %s", id);
    snprintf(made->before, sizeof made->before, isnan(old) ? "none" : "%.2f deg", old * 180 / acos(-1));
    snprintf(made->after, sizeof made->after, isnan(new) ? "none" : "%.2f deg", new * 180 / acos(-1));
}

static const cJSON *find_entity(const cJSON *object, const char *id)
{
    const cJSON *list = cJSON_GetObjectItem(cJSON_GetObjectItem(object, "scene"), "entities"), *entity;
    cJSON_ArrayForEach(entity, list) if (strcmp(pov_json_text_of(entity, "id"), id) == 0) return entity;
    return NULL;
}

static void note_thing(comparison *all, const char *id, bool is_gone)
{
    *(is_gone ? &all->gone : &all->come) += 1;
    change *made = add_change(all, 1);
    snprintf(made->of, sizeof made->of, "%s", id);
    snprintf(made->before, sizeof made->before, is_gone ? "there" : "not there");
    snprintf(made->after, sizeof made->after, is_gone ? "not there" : "there");
}

static void compare_things(comparison *all, const cJSON *old, const cJSON *new)
{
    const cJSON *entity;
    cJSON_ArrayForEach(entity, cJSON_GetObjectItem(cJSON_GetObjectItem(old, "scene"), "entities"))
    {
        const char *id = pov_json_text_of(entity, "id");
        const cJSON *after = find_entity(new, id);
        all->things++;
        if (!after) {
            note_thing(all, id, true);
            continue;
        }
        compare_place(all, id, entity, after);
        compare_heading(all, id, entity, after);
    }
    cJSON_ArrayForEach(entity, cJSON_GetObjectItem(cJSON_GetObjectItem(new, "scene"), "entities"))
    {
        if (!find_entity(old, pov_json_text_of(entity, "id")))
            note_thing(all, pov_json_text_of(entity, "id"), false);
    }
}

static uint64_t count_changes(const comparison *all)
{
    uint64_t sum = all->moved + all->turned + all->gone + all->come;
    for (int i = 0; i < LISTS; i++)
        sum += all->lists[i].changed + all->lists[i].missing + all->lists[i].added;
    return sum;
}

static pov_status compare_images(comparison *all, const side *old, const side *new)
{
    const uint64_t before = count_changes(all);
    if (strcmp(old->name, new->name) != 0)
        return pov_error(
            "image %.0f is %.100s in %.100s, but %.100s in %.100s: these are not runs over the same images",
            old->sequence, old->name, old->path, new->name, new->path);
    all->now = old;
    if (all->images++ == 0)
        all->first_ns = old->capture_ns;
    for (int i = 0; i < LISTS; i++)
        compare_list(all, &all->lists[i], old->object, new->object);
    compare_things(all, old->object, new->object);
    all->images_changed += count_changes(all) > before;
    return pov_ok();
}

/* < 0: the old one's image comes first. Several cameras number their images each by itself: their times order them. */
static int order_images(const side *old, const side *new)
{
    const bool has_several = *old->camera && *new->camera;
    const double x = has_several ? old->capture_ns : old->sequence,
                 y = has_several ? new->capture_ns : new->sequence;
    return x != y ? (x < y ? -1 : 1) : strcmp(old->camera, new->camera);
}

static pov_status compare_sides(comparison *all, side *old, side *new)
{
    POV_TRY(next_image(old));
    POV_TRY(next_image(new));
    while ((old->object || new->object) && !pov_cli_stop_requested()) {
        const int order = !new->object ? -1 : !old->object ? 1 : order_images(old, new);
        const bool takes_old = order <= 0, takes_new = order >= 0;
        if (takes_old && takes_new)
            POV_TRY(compare_images(all, old, new));
        all->only_old += takes_old && !takes_new;
        all->only_new += takes_new && !takes_old;
        if (takes_old)
            POV_TRY(next_image(old));
        if (takes_new)
            POV_TRY(next_image(new));
    }
    if (all->images == 0)
        return pov_error("%s and %s have no image in common", old->path, new->path);
    return pov_ok();
}

static int compare_sizes(const void *a, const void *b)
{
    const change *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* ---- output ---- */

static void print_summary(FILE *stream, const void *report)
{
    const comparison *all = report;
    fprintf(stream,
            "%" PRIu64 " images compared, %" PRIu64 " of them differ; %" PRIu64 " only in the old, %" PRIu64
            " only in the new\n",
            all->images, all->images_changed, all->only_old, all->only_new);
    for (int i = 0; i < LISTS; i++) {
        const list_facts *list = &all->lists[i];
        if (list->compared + list->missing + list->added == 0)
            continue;
        fprintf(stream,
                "%-10s %8" PRIu64 " compared: %" PRIu64 " verdicts changed (%" PRIu64
                " between true and false), %" PRIu64 " gone, %" PRIu64 " new; %" PRIu64
                " with the same verdict have another p by more than %.2f\n",
                list->list, list->compared, list->changed, list->flipped, list->missing, list->added,
                list->shifted, p_step);
    }
    fprintf(stream,
            "things     %8" PRIu64 " compared: %" PRIu64 " moved and %" PRIu64
            " turned beyond %g deviations, %" PRIu64 " gone, %" PRIu64
            " new; farthest %.3g m (%.3g deviations)\n",
            all->things, all->moved, all->turned, all->deviations, all->gone, all->come, all->farthest_m,
            all->farthest_deviations);
}

static void print_text(const comparison *all, int show)
{
    print_summary(stdout, all);
    for (int i = 0; i < all->change_len && i < show; i++) {
        char line[1024];
        const change *c = &all->changes[i];
        snprintf(line, sizeof line, "%8.3f s  %s: %s: %s -> %s\n", c->time_s, c->image, c->of, c->before,
                 c->after);
        pov_utf8_print(stdout, line);
    }
    if (all->change_len > show)
        printf("... and %" PRIu64 " more (--show)\n", count_changes(all) - (uint64_t)show);
}

static void print_json(const comparison *all, int show)
{
    cJSON *object = cJSON_CreateObject(), *changes;
    pov_json_add_number(object, "images", (double)all->images);
    pov_json_add_number(object, "images_changed", (double)all->images_changed);
    pov_json_add_number(object, "only_old", (double)all->only_old);
    pov_json_add_number(object, "only_new", (double)all->only_new);
    for (int i = 0; i < LISTS; i++) {
        const list_facts *list = &all->lists[i];
        cJSON *part = cJSON_AddObjectToObject(object, list->list);
        pov_json_add_number(part, "compared", (double)list->compared);
        pov_json_add_number(part, "changed", (double)list->changed);
        pov_json_add_number(part, "flipped", (double)list->flipped);
        pov_json_add_number(part, "gone", (double)list->missing);
        pov_json_add_number(part, "new", (double)list->added);
        pov_json_add_number(part, "shifted", (double)list->shifted);
    }
    cJSON *things = cJSON_AddObjectToObject(object, "things");
    pov_json_add_number(things, "compared", (double)all->things);
    pov_json_add_number(things, "moved", (double)all->moved);
    pov_json_add_number(things, "turned", (double)all->turned);
    pov_json_add_number(things, "gone", (double)all->gone);
    pov_json_add_number(things, "new", (double)all->come);
    pov_json_add_number(things, "farthest_m", all->farthest_m);
    changes = cJSON_AddArrayToObject(object, "changes");
    for (int i = 0; i < all->change_len && i < show; i++) {
        const change *c = &all->changes[i];
        cJSON *item = cJSON_CreateObject();
        pov_json_add_text(item, "image", c->image);
        pov_json_add_number(item, "sequence", c->sequence);
        pov_json_add_number(item, "time_s", c->time_s);
        pov_json_add_text(item, "of", c->of);
        pov_json_add_text(item, "before", c->before);
        pov_json_add_text(item, "after", c->after);
        cJSON_AddItemToArray(changes, item);
    }
    pov_json_print_line(stdout, object);
}

/* ---- the page ---- */

enum { PICTURES_MAX = 6 };

/* The images of the largest changes, each once. */
static int choose_pictures(double sequences[PICTURES_MAX], const comparison *all)
{
    int len = 0;
    for (int i = 0; i < all->change_len && len < PICTURES_MAX; i++) {
        bool met = false;
        for (int k = 0; k < len; k++)
            met |= sequences[k] == all->changes[i].sequence;
        if (!met)
            sequences[len++] = all->changes[i].sequence;
    }
    return len;
}

static void write_picture(FILE *stream, const pov_recorded_image *image, const comparison *all)
{
    char *text = malloc(pov_base64_len(image->len) + 1);
    if (!text)
        return;
    pov_base64_write(text, image->bytes, image->len);
    pov_page_figure_begin(stream, "half");
    fprintf(stream, "<img style=\"max-width:100%%\" alt=\"\" src=\"data:image/%s;base64,%s\">",
            image->len > 0 && image->bytes[0] == 0x89 ? "png" : "jpeg", text);
    free(text);
    char caption[2000];
    size_t len = (size_t)snprintf(caption, sizeof caption, "%s", image->name);
    for (int i = 0, told = 0; i < all->change_len && told < 4 && len < sizeof caption; i++) {
        const change *c = &all->changes[i];
        if (c->sequence != image->sequence)
            continue;
        told++;
        len += (size_t)snprintf(caption + len, sizeof caption - len, "; %s: %s -> %s", c->of, c->before,
                                c->after);
    }
    pov_page_figure_end(stream, caption);
}

/* From the first of the two files that has images. */
static void write_pictures(FILE *stream, const comparison *all, char *const paths[2])
{
    double wanted[PICTURES_MAX];
    const int len = choose_pictures(wanted, all);
    int left = len;
    for (int file = 0; file < 2 && left == len; file++) {
        pov_recording *recording;
        pov_recorded_event event;
        if (!pov_recording_is_one(paths[file]) || pov_recording_open(&recording, paths[file]).code != POV_OK)
            continue;
        for (pov_code code;
             left > 0 && (code = pov_recording_next(recording, &event).code) != POV_END && code != POV_ERROR;)
            for (int i = 0; code == POV_OK && event.topic == POV_RECORDED_IMAGE && i < len; i++)
                if (wanted[i] == event.image.sequence) {
                    write_picture(stream, &event.image, all);
                    left--;
                }
        pov_recording_close(&recording);
    }
}

static pov_status write_page(const char *path, const comparison *all, char *const paths[2], int show)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    FILE *stream = file.stream;
    pov_page_begin(stream, "What changed");
    pov_page_element(stream, "h1", "What changed");
    pov_page_element(stream, "p", "From %s to %s.", paths[0], paths[1]);
    pov_page_preformatted(stream, print_summary, all);
    write_pictures(stream, all, paths);
    fputs("<table><tr><th>time</th><th>image</th><th>of</th><th>before</th><th>after</th></tr>\n", stream);
    for (int i = 0; i < all->change_len && i < show; i++) {
        const change *c = &all->changes[i];
        const char *const cells[] = {c->image, c->of, c->before, c->after};
        fprintf(stream, "<tr><td>%.3f s</td>", c->time_s);
        for (int k = 0; k < 4; k++) {
            fputs("<td>", stream);
            pov_markup_text(stream, cells[k]);
            fputs("</td>", stream);
        }
        fputs("</tr>\n", stream);
    }
    fputs("</table>\n", stream);
    pov_page_end(stream);
    return pov_write_file_end(&file, pov_ok());
}

static pov_status compare_all(comparison *all, char *const paths[2], const diff_options *options)
{
    side old = {0}, new = {0};
    pov_status status = open_side(&old, paths[0]);
    POV_THEN(status, open_side(&new, paths[1]));
    POV_THEN(status, compare_sides(all, &old, &new));
    close_side(&old);
    close_side(&new);
    POV_TRY(status);
    if (all->change_len)
        qsort(all->changes, (size_t)all->change_len, sizeof *all->changes, compare_sizes);
    if (options->json)
        print_json(all, options->show);
    else
        print_text(all, options->show);
    return options->html ? write_page(options->html, all, paths, options->show) : pov_ok();
}

static int run(int argc, char **argv)
{
    diff_options options = {.deviations = 3, .show = 20};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_diff, argc, argv));
    pov_cli_catch_signals();
    comparison all = {
        .deviations = options.deviations,
        .lists = {{.list = "judgments",
                   .keys = {"referent", "relation", "relatum", "perspective", "viewer", "convention", "axis",
                            "acceptance"}},
                  {.list = "relations",
                   .keys = {"referent", "relation", "relata", "perspective", "viewer", "convention"}},
                  {.list = "visibility", .keys = {"viewer", "target"}}}};
    const pov_status status = compare_all(&all, words.word, &options);
    const bool differs = count_changes(&all) + all.only_old + all.only_new > 0;
    free(all.changes);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    return differs ? POV_EXIT_WORLD : POV_EXIT_OK;
}
