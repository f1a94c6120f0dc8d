#include "calib/board.h"
#include "calib/opencv_calib_shim.h"
#include "calib/tag_map_file.h"
#include "config/write_file.h"
#include "config/yaml_file.h"
#include "firmware/calib/target_print.h"
#include "firmware/cli.h"
#include "firmware/commands.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pov tags sheet|ring|cube|board [OPTIONS]\n"
    "\n"
    "Makes a print-ready PDF (or SVG) of tags, to scale, and the tag map file that says where they then "
    "are.\n"
    "Each page has a ruler: measure it before you trust the print. Lengths are in millimetres.\n"
    "\n"
    "  sheet            rows of tags, for a table or a wall\n"
    "    --columns N --rows N   (3 x 4)      --gap MM     between black squares (30)\n"
    "  ring             a flat ring for a turntable's disc, in sectors to be cut out and glued side by side\n"
    "    --count N              (12)         --radius MM  of the circle of the tags' middles (150)\n"
    "  cube             to cut out, fold and glue: for a thing that is to be seen from all sides\n"
    "    --side MM              (55)\n"
    "  board            for 'pov calib camera'; has no map, unless it is an AprilGrid\n"
    "    --board TEXT   charuco:COLUMNSxROWS:SQUARE:MARKER:DICTIONARY or "
    "aprilgrid:COLUMNSxROWS:EDGE:GAP[:FAMILY]\n"
    "                   (charuco:7x9:25mm:18.75mm:4X4_1000)\n"
    "    --before-4.6   ChArUco's pattern as OpenCV before 4.6 drew it\n"
    "\n"
    "  --edge MM        of the black square whose corners are detected (sheet 30, ring 30, cube 40)\n"
    "  --family NAME    tag36h11 (default), tag25h9, tagStandard41h12, ...\n"
    "  --first-id N     of the first tag; the others count up (0)\n"
    "  --paper NAME     a4 (default), a3, a5, letter, tabloid\n"
    "  --out FILE       .pdf or .svg (tags-KIND.pdf)\n"
    "  --map FILE       where the tag map goes (beside the print, .yaml)\n"
    "\n"
    "Examples:\n"
    "  pov tags sheet --edge 40 --columns 3 --rows 4\n"
    "  pov tags ring --radius 170 --count 16 --first-id 100 --paper a3 --out ring.pdf\n"
    "  pov tags board --board charuco:8x8:22mm:16mm:4X4_1000\n";

typedef enum { KIND_SHEET, KIND_RING, KIND_CUBE, KIND_BOARD, KIND_COUNT } target_kind;
static const char *const kind_names[] = {"sheet", "ring", "cube", "board"};
static const double edge_default_mm[] = {30, 30, 40, 0};

typedef struct {
    target_kind kind;
    pov_target_tags tags;
    int columns, rows, count;
    double gap_mm, radius_mm, side_mm;
    pov_board board;
    char out[POV_PATH_CAPACITY], map[POV_PATH_CAPACITY];
    bool svg;
} tags_options;

/* ---- options ---- */

static int take_kind(target_kind *kind, const char *word)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (strcmp(word, kind_names[i]) == 0) {
            *kind = (target_kind)i;
            return POV_EXIT_OK;
        }
    const char *nearest = pov_nearest_name(word, kind_names, KIND_COUNT);
    return pov_cli_usage("tags", "there is no '%s'; it is sheet, ring, cube or board%s%s%s", word,
                         nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static int take_family(pov_tag_family *family, const char *name)
{
    if (pov_tag_family_from_name(family, name))
        return POV_EXIT_OK;
    const char *names[POV_TAG_FAMILY_COUNT];
    for (int i = 0; i < POV_TAG_FAMILY_COUNT; i++)
        names[i] = pov_tag_family_name((pov_tag_family)i);
    const char *nearest = pov_nearest_name(name, names, POV_TAG_FAMILY_COUNT);
    return pov_cli_usage("tags", "there is no tag family '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
                         nearest ? nearest : "", nearest ? "'?" : "");
}

static int take_paper(const pov_paper **paper, const char *name)
{
    *paper = pov_paper_find(name);
    return *paper ? POV_EXIT_OK
                  : pov_cli_usage("tags", "--paper takes a3, a4, a5, letter or tabloid, not '%s'", name);
}

static int take_path(char path[POV_PATH_CAPACITY], const char *text)
{
    if (strlen(text) < POV_PATH_CAPACITY) {
        strcpy(path, text);
        return POV_EXIT_OK;
    }
    return pov_cli_usage("tags", "a path is too long");
}

static int take_board(pov_board *board, const char *text)
{
    const bool before_4_6 = board->before_4_6;
    const pov_status status = pov_board_read(board, text);
    board->before_4_6 |= before_4_6;
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_usage("tags", "%s", status.message);
}

enum {
    OPTION_COLUMNS = 256,
    OPTION_ROWS,
    OPTION_GAP,
    OPTION_COUNT,
    OPTION_RADIUS,
    OPTION_SIDE,
    OPTION_BOARD,
    OPTION_BEFORE,
    OPTION_EDGE,
    OPTION_FAMILY,
    OPTION_FIRST_ID,
    OPTION_PAPER,
    OPTION_OUT,
    OPTION_MAP,
    OPTION_HELP
};
static const struct option long_options[] = {{"columns", required_argument, NULL, OPTION_COLUMNS},
                                             {"rows", required_argument, NULL, OPTION_ROWS},
                                             {"gap", required_argument, NULL, OPTION_GAP},
                                             {"count", required_argument, NULL, OPTION_COUNT},
                                             {"radius", required_argument, NULL, OPTION_RADIUS},
                                             {"side", required_argument, NULL, OPTION_SIDE},
                                             {"board", required_argument, NULL, OPTION_BOARD},
                                             {"before-4.6", no_argument, NULL, OPTION_BEFORE},
                                             {"edge", required_argument, NULL, OPTION_EDGE},
                                             {"family", required_argument, NULL, OPTION_FAMILY},
                                             {"first-id", required_argument, NULL, OPTION_FIRST_ID},
                                             {"paper", required_argument, NULL, OPTION_PAPER},
                                             {"out", required_argument, NULL, OPTION_OUT},
                                             {"map", required_argument, NULL, OPTION_MAP},
                                             {"help", no_argument, NULL, OPTION_HELP},
                                             {NULL, 0, NULL, 0}};

static int take_option(tags_options *options, int option)
{
    switch (option) {
    case OPTION_COLUMNS:
        return pov_cli_whole(&options->columns, "tags", "columns", optarg, 1, POV_TAG_MAP_MAX);
    case OPTION_ROWS:
        return pov_cli_whole(&options->rows, "tags", "rows", optarg, 1, POV_TAG_MAP_MAX);
    case OPTION_GAP:
        return pov_cli_number(&options->gap_mm, "tags", "gap", optarg, 0, 1000);
    case OPTION_COUNT:
        return pov_cli_whole(&options->count, "tags", "count", optarg, 3, POV_TAG_MAP_MAX);
    case OPTION_RADIUS:
        return pov_cli_number(&options->radius_mm, "tags", "radius", optarg, 1, 10000);
    case OPTION_SIDE:
        return pov_cli_number(&options->side_mm, "tags", "side", optarg, 1, 1000);
    case OPTION_BOARD:
        return take_board(&options->board, optarg);
    case OPTION_BEFORE:
        options->board.before_4_6 = true;
        return POV_EXIT_OK;
    case OPTION_EDGE:
        return pov_cli_number(&options->tags.edge_mm, "tags", "edge", optarg, 1, 1000);
    case OPTION_FAMILY:
        return take_family(&options->tags.family, optarg);
    case OPTION_FIRST_ID:
        return pov_cli_whole(&options->tags.first_id, "tags", "first-id", optarg, 0, 100000);
    case OPTION_PAPER:
        return take_paper(&options->tags.paper, optarg);
    case OPTION_OUT:
        return take_path(options->out, optarg);
    case OPTION_MAP:
        return take_path(options->map, optarg);
    default:
        return pov_cli_usage("tags", "see above");
    }
}

static bool ends_with(const char *text, const char *end)
{
    const size_t text_len = strlen(text), end_len = strlen(end);
    return text_len > end_len && strcmp(text + text_len - end_len, end) == 0;
}

static int complete(tags_options *options)
{
    if (!options->out[0])
        snprintf(options->out, sizeof options->out, "tags-%s.pdf", kind_names[options->kind]);
    options->svg = ends_with(options->out, ".svg");
    if (!options->svg && !ends_with(options->out, ".pdf"))
        return pov_cli_usage("tags", "--out takes a name that ends in .pdf or .svg, not '%s'", options->out);
    if (!options->map[0]) {
        const int stem_len = (int)strlen(options->out) - 4;
        if (stem_len + (int)sizeof ".yaml" > POV_PATH_CAPACITY)
            return pov_cli_usage("tags", "a path is too long");
        snprintf(options->map, sizeof options->map, "%.*s.yaml", stem_len, options->out);
    }
    if (options->tags.edge_mm == 0)
        options->tags.edge_mm = edge_default_mm[options->kind];
    return POV_EXIT_OK;
}

static int parse(tags_options *options, int argc, char **argv)
{
    *options = (tags_options){.tags = {.paper = pov_paper_find("a4"), .family = POV_TAG36H11},
                              .columns = 3,
                              .rows = 4,
                              .count = 12,
                              .gap_mm = 30,
                              .radius_mm = 150,
                              .side_mm = 55};
    POV_REQUIRE(pov_board_parse(&options->board, "charuco:7x9:25mm:18.75mm:4X4_1000").code == POV_OK);
    int code = POV_EXIT_OK, option;
    while (code == POV_EXIT_OK && (option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (option == OPTION_HELP) {
            fputs(help, stdout);
            exit(POV_EXIT_OK);
        }
        code = take_option(options, option);
    }
    if (code != POV_EXIT_OK)
        return code;
    if (optind != argc - 1)
        return pov_cli_usage("tags", "say what to make: sheet, ring, cube or board");
    code = take_kind(&options->kind, argv[optind]);
    return code == POV_EXIT_OK ? complete(options) : code;
}

/* ---- making ---- */

static pov_status marker_print(pov_tag_print *print, int id, const void *dictionary)
{
    uint8_t cells[POV_ARUCO_CELLS_MAX];
    const pov_aruco_dictionary which = *(const pov_aruco_dictionary *)dictionary;
    if (id >= pov_aruco_dictionary_count(which))
        return pov_error("%s has %d markers, too few for this board; take a larger dictionary",
                         pov_aruco_dictionary_name(which), pov_aruco_dictionary_count(which));
    POV_TRY(pov_aruco_marker_bits(cells, which, id));
    print->side_cells = print->edge_cells = pov_aruco_dictionary_cells(which);
    for (int row = 0; row < print->side_cells; row++)
        for (int column = 0; column < print->side_cells; column++)
            print->grey[row][column] = cells[row * print->side_cells + column] ? 255 : 0;
    return pov_ok();
}

static pov_status make_charuco(pov_target *target, const tags_options *options)
{
    const pov_board *board = &options->board;
    const pov_target_charuco_board charuco = {.paper = options->tags.paper,
                                              .columns = board->columns,
                                              .rows = board->rows,
                                              .square_mm = board->square_m * 1000,
                                              .marker_mm = board->marker_m * 1000,
                                              .before_4_6 = board->before_4_6,
                                              .marker = marker_print,
                                              .dictionary = &board->dictionary,
                                              .name = pov_aruco_dictionary_name(board->dictionary)};
    return pov_target_charuco(target, &charuco);
}

static pov_status make_board(pov_target *target, const tags_options *options)
{
    const pov_board *board = &options->board;
    if (board->kind == POV_BOARD_CHARUCO)
        return make_charuco(target, options);
    if (board->kind == POV_BOARD_CHESSBOARD)
        return pov_error(
            "a chessboard looks the same when it is turned round: take charuco:... or aprilgrid:...");
    pov_target_tags tags = options->tags;
    tags.family = board->family;
    tags.edge_mm = board->marker_m * 1000;
    return pov_target_aprilgrid(target, &tags, board->columns, board->rows,
                                (board->square_m - board->marker_m) / board->marker_m);
}

static pov_status make(pov_target *target, const tags_options *options)
{
    switch (options->kind) {
    case KIND_SHEET:
        return pov_target_sheet(target, &options->tags, options->columns, options->rows, options->gap_mm);
    case KIND_RING:
        return pov_target_ring(target, &options->tags, options->count, options->radius_mm);
    case KIND_CUBE:
        return pov_target_cube(target, &options->tags, options->side_mm);
    default:
        return make_board(target, options);
    }
}

static pov_status write_map(const pov_target *target, const char *path)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    pov_tag_map_write(file.stream, &target->map, target->map_about);
    return pov_write_file_end(&file, pov_ok());
}

static pov_status make_and_write(const tags_options *options, pov_target *target)
{
    POV_TRY(make(target, options));
    POV_TRY(options->svg ? pov_target_print_svg(target, options->out)
                         : pov_target_print_pdf(target, options->out));
    if (target->map.len > 0)
        POV_TRY(write_map(target, options->map));
    printf("%s: %d page%s of %s; print at 100 %%, then measure the ruler\n", options->out, target->page_len,
           target->page_len == 1 ? "" : "s", options->tags.paper->name);
    if (target->map.len > 0)
        printf("%s: the map of its %d tags. %s\n", options->map, target->map.len, target->map_about);
    return pov_ok();
}

int pov_command_tags(int argc, char **argv)
{
    tags_options options;
    const int code = parse(&options, argc, argv);
    if (code != POV_EXIT_OK)
        return code;
    pov_target *target = malloc(sizeof *target);
    POV_REQUIRE(target);
    const pov_status status = make_and_write(&options, target);
    free(target);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
