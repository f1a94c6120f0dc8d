#include "config/files/json_value.h"
#include "config/files/write_file.h"
#include "firmware/demo/demo_files.h"
#include "firmware/demo/demo_uses.h"
#include "firmware/own_commands.h"
#include "firmware/picture/contact_sheet.h"
#include "firmware/picture/image_file.h"
#include "perception/image/image.h"
#include "perception/scene/scene.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum {
    IMAGES = 12, /* half a turn */
    ROWS = 6,    /* of the sheet at most */
    WIDTH_PX = 640,
    HEIGHT_PX = 360,
    THUMBNAIL_WIDTH_PX = 480,
    THUMBNAIL_HEIGHT_PX = 270,
    PATH_CAPACITY = 1024,
    BALLS = 3,
    SEEN_CAPACITY = 128
};

static const char *const balls[BALLS] = {"red_ball", "blue_ball", "green_ball"}, *const ball_names[BALLS] = {
                                                                                     "red ball", "blue ball",
                                                                                     "green ball"};

typedef struct {
    const char *folder;
    int camera_len, image_len;
    char world[PATH_CAPACITY], drawn[PATH_CAPACITY], station[PATH_CAPACITY], annotated[PATH_CAPACITY],
        judged[PATH_CAPACITY], sheet[PATH_CAPACITY];
} places;

/** Over all images: in how many a camera saw a ball, and the scene had it. */
typedef struct {
    int images[POV_CAMERA_MAX], saw[POV_CAMERA_MAX][BALLS];
    int scenes, has[BALLS];
} tally;

static pov_status set_places(places *p)
{
    if (strlen(p->folder) > PATH_CAPACITY - 64)
        return pov_error("%s: this path is too long", p->folder);
    snprintf(p->world, sizeof p->world, "%s/cameras.yaml", p->folder);
    snprintf(p->drawn, sizeof p->drawn, "%s/cameras", p->folder);
    snprintf(p->station, sizeof p->station, "%s/cameras/station.yaml", p->folder);
    snprintf(p->annotated, sizeof p->annotated, "%s/cameras_annotated", p->folder);
    snprintf(p->judged, sizeof p->judged, "%s/cameras.jsonl", p->folder);
    snprintf(p->sheet, sizeof p->sheet, "%s/cameras.png", p->folder);
    return pov_write_folder(p->folder);
}

static pov_status draw_views(const places *p)
{
    char cameras[16], more[160];
    const char *const sim[] = {"pov", "sim",     p->world, "--cameras", cameras, "--bodies",
                               "own", "--quiet", "--out",  p->drawn,    NULL};
    snprintf(cameras, sizeof cameras, "%d", p->camera_len);
    snprintf(more, sizeof more,
             "images: %d\nmotion: {orbit: {thing: red_ball, about: screen}, steps: %d, period_s: %g}\n",
             p->image_len, 2 * p->image_len, p->image_len / 2.0); /* at 4 Hz: half a turn */
    POV_TRY(pov_demo_file_write(p->world, "cameras.yaml", more));
    return pov_own_command_run(sim, NULL);
}

static pov_status judge_views(const places *p)
{
    const char *const run[] = {"pov",          "run",        p->station, "--json",
                               "--no-publish", "--quiet",    "--rate",   "2",
                               "--annotate",   p->annotated, NULL};
    return pov_own_command_run(run, p->judged);
}

/* ---- a judged image ---- */

/* The sheet shows one in so many images. */
static int step_of(const places *p)
{
    return (p->image_len + ROWS - 1) / ROWS;
}

/* Notes which balls this camera saw, as text too: "red ball, blue ball". */
static void note_balls(tally *sum, char seen[SEEN_CAPACITY], const cJSON *observation, int camera)
{
    const cJSON *entity;
    size_t length = 0;
    seen[0] = '\0';
    sum->images[camera]++;
    sum->scenes++;
    cJSON_ArrayForEach(entity, cJSON_GetObjectItem(cJSON_GetObjectItem(observation, "scene"), "entities"))
    {
        const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(entity, "id"));
        for (int i = 0; i < BALLS && id; i++) {
            if (strcmp(id, balls[i]) != 0)
                continue;
            sum->has[i] += cJSON_IsArray(cJSON_GetObjectItem(entity, "pos_m"));
            if (!cJSON_IsTrue(cJSON_GetObjectItem(entity, "seen")))
                continue;
            sum->saw[camera][i]++;
            length += (size_t)snprintf(seen + length, SEEN_CAPACITY - length, "%s%s", length ? ", " : "",
                                       ball_names[i]);
        }
    }
}

/* The annotated image, without the words at its right. */
static pov_status add_picture(pov_contact_sheet *sheet, pov_image_file *reader, const places *p,
                              const char *camera, const char *name, const char *caption)
{
    char path[2 * PATH_CAPACITY];
    pov_image picture;
    snprintf(path, sizeof path, "%s/%s_%s", p->annotated, camera, name);
    POV_TRY(pov_image_file_read(reader, &picture, path));
    picture.width_px = picture.height_px * WIDTH_PX / HEIGHT_PX;
    (void)pov_contact_sheet_add_captioned(sheet, &picture, caption);
    return pov_ok();
}

static pov_status take_line(tally *sum, pov_contact_sheet *sheet, pov_image_file *reader, const places *p,
                            const char *line)
{
    cJSON *observation = pov_json_parse_text(line);
    const cJSON *image = cJSON_GetObjectItem(observation, "image");
    const char *camera = cJSON_GetStringValue(cJSON_GetObjectItem(image, "camera")),
               *name = cJSON_GetStringValue(cJSON_GetObjectItem(image, "name"));
    const int number = (int)pov_json_number_of(image, "sequence");
    char seen[SEEN_CAPACITY], caption[2 * SEEN_CAPACITY];
    pov_status status = pov_error("%s: a line is not an image of a camera", p->judged);
    if (camera && name && camera[0] >= 'a' && camera[0] < 'a' + p->camera_len) {
        note_balls(sum, seen, observation, camera[0] - 'a');
        snprintf(caption, sizeof caption, "simulated, camera %s, image %d\nsees: %s", camera, number,
                 *seen ? seen : "no ball");
        status = number % step_of(p) != 0 ? pov_ok() : add_picture(sheet, reader, p, camera, name, caption);
    }
    cJSON_Delete(observation);
    return status;
}

static pov_status read_judged(tally *sum, pov_contact_sheet *sheet, pov_image_file *reader, const places *p)
{
    FILE *lines = fopen(p->judged, "r");
    char *line = NULL;
    size_t capacity = 0;
    if (!lines)
        return pov_error("%s: %s", p->judged, strerror(errno));
    pov_status status = pov_ok();
    while (status.code == POV_OK && getline(&line, &capacity, lines) > 0)
        status = take_line(sum, sheet, reader, p, line);
    free(line);
    fclose(lines);
    return status;
}

static void print_tally(const tally *sum, const places *p)
{
    printf("\n%-24s", "in how many images");
    for (int i = 0; i < BALLS; i++)
        printf("  %-12s", ball_names[i]);
    for (int c = 0; c < p->camera_len; c++) {
        printf("\ncamera %c saw            ", 'a' + c);
        for (int i = 0; i < BALLS; i++)
            printf("  %2d of %-6d", sum->saw[c][i], sum->images[c]);
    }
    printf("\n%-24s", "the one scene had");
    for (int i = 0; i < BALLS; i++)
        printf("  %2d of %-6d", sum->has[i], sum->scenes);
    puts("\n");
    for (int c = 0; c < p->camera_len; c++) {
        int missed = 0, had = 0;
        for (int i = 0; i < BALLS; i++) {
            missed += sum->images[c] - sum->saw[c][i];
            had += sum->has[i];
        }
        printf("%s camera %c misses %d of %d balls", c ? ";" : "Alone,", 'a' + c, missed,
               BALLS * sum->images[c]);
        if (c + 1 == p->camera_len)
            printf("; together they miss %d of %d.\n", BALLS * sum->scenes - had, BALLS * sum->scenes);
    }
    printf("\nLook at  %s\nand ask  pov ask %s \"which camera sees the green ball best?\"\n", p->sheet,
           p->judged);
}

pov_status pov_demo_cameras(const char *folder, int camera_len, int image_len)
{
    places p = {.folder = folder, .camera_len = camera_len, .image_len = image_len > 0 ? image_len : IMAGES};
    tally sum = {0};
    pov_image_file *reader;
    POV_TRY(set_places(&p));
    printf("Drawing %d images of a simulated screen and three balls for each of %d cameras ...\n",
           p.image_len, camera_len);
    fflush(stdout);
    POV_TRY(draw_views(&p));
    printf("Running their station over them: pov run %s ...\n", p.station);
    fflush(stdout);
    POV_TRY(judge_views(&p));
    POV_TRY(pov_image_file_new(&reader));
    pov_contact_sheet *sheet =
        pov_contact_sheet_new_in_rows((p.image_len + step_of(&p) - 1) / step_of(&p), camera_len,
                                      THUMBNAIL_WIDTH_PX, THUMBNAIL_HEIGHT_PX, 2);
    pov_status status = read_judged(&sum, sheet, reader, &p);
    if (status.code == POV_OK) {
        const pov_image picture = pov_contact_sheet_image(sheet);
        status = pov_image_file_write_png(p.sheet, &picture);
    }
    if (status.code == POV_OK)
        print_tally(&sum, &p);
    pov_contact_sheet_destroy(&sheet);
    pov_image_file_destroy(&reader);
    return status;
}
