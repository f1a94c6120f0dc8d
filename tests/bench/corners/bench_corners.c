/** pov_bench_corners [TAGS]: how true are tags' corners, by camera, size and family: off by how much, outward or inward, and as
 *  much as they say? TAGS rendered tags of each kind (40), found in one image and followed in the next, beside libapriltag. */
#include "perception/image/grey.h"
#include "perception/tags/tag_detector.h"
#include "perception/tags/tag_follower.h"
#include "tests/bench/corners/corner_studio.h"

#include <apriltag/apriltag.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 6, TAGS_USUAL = 40 };
typedef enum { FOUND, FOLLOWED, PEER, METHODS } method;

static const double SIZES_PX[SIZES] = {12, 16, 24, 40, 70, 120};
static const double CELLS_PX[SIZES] = {1.5, 2, 3, 5, 8, 12};
static const double OFF_MAX_PX = 3; /* beyond that it is another thing */

static const corner_look LOOKS[] = {
    {.name = "clean", .preset = "clean", .tilt_max_deg = 45},
    {.name = "noisy", .preset = "noisy", .tilt_max_deg = 45},
    {.name = "noisy, blurred", .preset = "blurred", .tilt_max_deg = 45},
    {.name = "defocused 1 px", .preset = "clean", .defocus_px = 1, .tilt_max_deg = 45},
    {.name = "defocused 3 px", .preset = "clean", .defocus_px = 3, .tilt_max_deg = 45},
    {.name = "JPEG 50", .preset = "clean", .defocus_px = 1, .jpeg_quality = 50, .tilt_max_deg = 45},
    {.name = "sharpened", .preset = "clean", .defocus_px = 1, .sharpened = 1, .tilt_max_deg = 45},
    {.name = "moving 3 px", .preset = "clean", .motion_px = 3, .tilt_max_deg = 45},
    {.name = "tilted 50-65", .preset = "noisy", .tilt_min_deg = 50, .tilt_max_deg = 65},
    {.name = "tilted 65-75", .preset = "noisy", .tilt_min_deg = 65, .tilt_max_deg = 75},
    {.name = "barrel lens", .preset = "noisy", .tilt_max_deg = 45, .k1 = -0.3, .k2 = 0.1},
};
enum { LOOKS_LEN = sizeof LOOKS / sizeof *LOOKS };

/** Sums over the corners of all tags of one kind, by one method. */
typedef struct {
    int tags;
    double squared_px2, outward_px, nees; /* nees: of each coordinate */
} account;

/** The detectors for tags of one family. */
typedef struct {
    pov_tag_family family;
    apriltag_family_t *table;
    pov_tag_detector *detector;
    pov_tag_follower *follower;
    pov_memory *memory;
    apriltag_detector_t *peer;
    uint8_t grey[CORNER_STUDIO_SIDE_MAX_PX * CORNER_STUDIO_SIDE_MAX_PX];
} finders;

static finders *finders_new(pov_tag_family family)
{
    finders *made = calloc(1, sizeof *made);
    pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;
    POV_REQUIRE(made);
    config.family[POV_TAG36H11] = false;
    config.family[family] = true;
    config.corner_std_px = 0.02; /* these prints are flat */
    made->family = family;
    POV_REQUIRE(pov_tag_detector_new(&made->detector, &config).code == POV_OK);
    POV_REQUIRE(pov_tag_follower_new(&made->follower, &config).code == POV_OK);
    POV_REQUIRE(pov_memory_new(&made->memory, &pov_tag_memory).code == POV_OK);
    made->table = pov_tag_family_create(family);
    made->peer = apriltag_detector_create();
    apriltag_detector_add_family_bits(made->peer, made->table, 1);
    made->peer->quad_decimate = 1;
    made->peer->nthreads = 1;
    return made;
}

static void finders_destroy(finders *f)
{
    pov_tag_follower_destroy(&f->follower);
    pov_memory_destroy(&f->memory);
    pov_tag_detector_destroy(&f->detector);
    apriltag_detector_destroy(f->peer);
    pov_tag_family_destroy(f->family, f->table);
    free(f);
}

/* ---- one tag ---- */

static void count_in(account *sum, const pov_vec2 corner[4], const pov_vec2 truth[4], double std_px)
{
    double squared_px2 = 0, outward_px = 0;
    pov_vec2 middle = {0, 0};
    for (int i = 0; i < 4; i++)
        middle = (pov_vec2){middle.x + truth[i].x / 4, middle.y + truth[i].y / 4};
    for (int i = 0; i < 4; i++) {
        const double x = corner[i].x - truth[i].x, y = corner[i].y - truth[i].y;
        const double away_x = truth[i].x - middle.x, away_y = truth[i].y - middle.y;
        if (!(hypot(x, y) < OFF_MAX_PX))
            return;
        squared_px2 += x * x + y * y;
        outward_px += (x * away_x + y * away_y) / hypot(away_x, away_y);
    }
    sum->tags++;
    sum->squared_px2 += squared_px2 / 4;
    sum->outward_px += outward_px / 4;
    sum->nees += squared_px2 / 8 / (std_px * std_px);
}

static void count_all(account *sum, const pov_tags *tags, int id, const pov_vec2 truth[4])
{
    for (int i = 0; i < tags->len; i++)
        if (tags->tags[i].id == id)
            count_in(sum, tags->tags[i].corner_px, truth, tags->tags[i].corner_std_px);
}

static void count_peer(account *sum, finders *f, const pov_image *image, int id, const pov_vec2 truth[4])
{
    image_u8_t wrapped = {image->width_px, image->height_px, image->width_px, f->grey};
    pov_grey_from_rgb(f->grey, image, (pov_rectangle){0, 0, image->width_px, image->height_px});
    zarray_t *found = apriltag_detector_detect(f->peer, &wrapped);
    for (int i = 0; i < zarray_size(found); i++) {
        apriltag_detection_t *one;
        pov_vec2 corner[4];
        zarray_get(found, i, &one);
        for (int k = 0; k < 4; k++) /* its pixels' centres are at (0.5, 0.5) */
            corner[k] = (pov_vec2){one->p[k][0] - 0.5, one->p[k][1] - 0.5};
        if (one->id == id)
            count_in(sum, corner, truth, NAN);
    }
    apriltag_detections_destroy(found);
}

static void look_at_one(account sums[METHODS], finders *f, corner_studio *studio, const corner_look *look,
                        double edge_px, test_random *random)
{
    static pov_tags tags;
    pov_tag_print print = {0};
    pov_vec2 truth[4];
    const int id = (int)test_random_between(random, 0, f->table->ncodes);
    POV_REQUIRE(pov_tag_print_draw(&print, f->table, id).code == POV_OK);
    corner_studio_hang(studio, truth, &print, look, edge_px, random);
    pov_image image = corner_studio_shoot(studio, look, random);
    POV_REQUIRE(pov_tag_detector_run(f->detector, &tags, &image).code == POV_OK);
    count_all(&sums[FOUND], &tags, id, truth);
    count_peer(&sums[PEER], f, &image, id, truth);
    POV_REQUIRE(pov_tag_follower_run(f->follower, &tags, &image, f->memory).code == POV_OK);
    POV_REQUIRE(pov_tag_follower_remember(f->follower, &image, f->memory).code == POV_OK);
    image = corner_studio_shoot(studio, look, random);
    POV_REQUIRE(pov_tag_follower_run(f->follower, &tags, &image, f->memory).code == POV_OK);
    POV_REQUIRE(pov_tag_follower_remember(f->follower, &image, f->memory).code == POV_OK);
    if (pov_tag_follower_account_of(f->follower).matched == 1)
        count_all(&sums[FOLLOWED], &tags, id, truth);
}

/* ---- tables ---- */

typedef struct {
    char name[24];
    account cell[SIZES][METHODS];
} table_row;

static void print_line(const table_row *row, double (*value)(const account *), method from, const char *form)
{
    printf("  %-18s", row->name);
    for (int z = 0; z < SIZES; z++)
        if (row->cell[z][from].tags > 0)
            printf(form, value(&row->cell[z][from]));
        else
            printf("%8s", "-");
    printf("\n");
}

static double tags_of(const account *a)
{
    return a->tags;
}

static double rms_px_of(const account *a)
{
    return sqrt(a->squared_px2 / a->tags);
}

static double outward_px_of(const account *a)
{
    return a->outward_px / a->tags;
}

static double nees_of(const account *a)
{
    return a->nees / a->tags;
}

static void print_tables(const table_row *rows, int len, const char *columns, int tags)
{
    static const struct {
        const char *what;
        double (*value)(const account *);
        method from;
        const char *form;
    } tables[] = {{"corners off, px RMS: found in one image", rms_px_of, FOUND, "%8.3f"},
                  {"corners off, px RMS: followed", rms_px_of, FOLLOWED, "%8.3f"},
                  {"corners off, px RMS: libapriltag's", rms_px_of, PEER, "%8.3f"},
                  {"outward, px: found", outward_px_of, FOUND, "%+8.3f"},
                  {"outward, px: followed", outward_px_of, FOLLOWED, "%+8.3f"},
                  {"squared error over what is said (1): found", nees_of, FOUND, "%8.2f"},
                  {"squared error over what is said (1): followed", nees_of, FOLLOWED, "%8.2f"},
                  {"tags found", tags_of, FOUND, "%8.0f"},
                  {"tags followed", tags_of, FOLLOWED, "%8.0f"},
                  {"tags found by libapriltag", tags_of, PEER, "%8.0f"}};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        printf("%s, of %d\n%s\n", tables[t].what, tags, columns);
        for (int i = 0; i < len; i++)
            print_line(&rows[i], tables[t].value, tables[t].from, tables[t].form);
    }
}

static void fill(table_row *row, finders *f, const corner_look *look, double px_per,
                 const double sizes[SIZES], int tags)
{
    corner_studio *studio = corner_studio_new();
    test_random random = {7};
    for (int z = 0; z < SIZES; z++)
        for (int k = 0; k < tags; k++)
            look_at_one(row->cell[z], f, studio, look, px_per * sizes[z], &random);
    corner_studio_destroy(&studio);
}

static void measure_looks(int tags)
{
    static table_row rows[LOOKS_LEN];
    finders *f = finders_new(POV_TAG36H11);
    for (int i = 0; i < LOOKS_LEN; i++) {
        snprintf(rows[i].name, sizeof rows[i].name, "%s", LOOKS[i].name);
        fill(&rows[i], f, &LOOKS[i], 1, SIZES_PX, tags);
    }
    print_tables(rows, LOOKS_LEN, "  tag36h11, an edge of   12 px   16 px   24 px   40 px   70 px  120 px",
                 tags);
    finders_destroy(f);
}

static void measure_families(int tags)
{
    static table_row rows[POV_TAG_FAMILY_COUNT];
    for (int i = 0; i < POV_TAG_FAMILY_COUNT; i++) {
        finders *f = finders_new((pov_tag_family)i);
        snprintf(rows[i].name, sizeof rows[i].name, "%s", pov_tag_family_name((pov_tag_family)i));
        fill(&rows[i], f, &LOOKS[1], f->table->width_at_border, CELLS_PX, tags);
        finders_destroy(f);
    }
    print_tables(rows, POV_TAG_FAMILY_COUNT,
                 "  noisy, a cell of     1.5 px    2 px    3 px    5 px    8 px   12 px", tags);
}

int main(int argc, char **argv)
{
    const int tags = argc > 1 ? atoi(argv[1]) : TAGS_USUAL;
    POV_REQUIRE(tags > 0);
    measure_looks(tags);
    measure_families(tags);
    return 0;
}
