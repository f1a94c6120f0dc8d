// Boards as OpenCV draws them, seen through a known lens: found where they are.
// cmocka defines fail(), which the standard library uses: it comes last.
#include <algorithm>
#include <cmath>
#include <opencv2/core/version.hpp>
#if CV_VERSION_MAJOR == 4 && CV_VERSION_MINOR >= 7 // there ArUco has left contrib
#include <opencv2/objdetect/aruco_detector.hpp>
#else
#include <opencv2/aruco/charuco.hpp>
#endif
#include <opencv2/imgproc.hpp>
#include <vector>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include <cmocka.h>

#include "calib/boards/board_finder.h"
#include "perception/geometry/camera.h"
#include "tests/support/near.h"
#include "tests/support/tag_image.h"
}

namespace
{
constexpr int SQUARE_TEXELS = 60;
constexpr double SQUARE_M = 0.025;

pov_camera lens()
{
    pov_camera camera = {};
    camera.lens = POV_LENS_BROWN_CONRADY;
    camera.width_px = 640;
    camera.height_px = 480;
    camera.fx_px = 600;
    camera.fy_px = 601;
    camera.cx_px = 322;
    camera.cy_px = 236;
    camera.distortion[0] = -0.12;
    return camera;
}

// A board before the camera, turned by a rotation vector, its middle 0.32 m away.
pov_transform placed(pov_vec3 turn_rad, int columns, int rows)
{
    pov_transform T;
    T.R = pov_rot_exp(turn_rad);
    pov_vec3 middle = pov_rot_apply(T.R, {columns * SQUARE_M / 2, rows * SQUARE_M / 2, 0});
    T.t_m = pov_vec3_sub({0.005, -0.003, 0.32}, middle);
    return T;
}

constexpr int RAYS = 3; // a pixel, each way

// Row by row; the same lens in all tests.
const std::vector<pov_vec3> &rays_of(const pov_camera &camera)
{
    static std::vector<pov_vec3> rays;
    for (int i = static_cast<int>(rays.size()); i < camera.width_px * camera.height_px * RAYS * RAYS; i++) {
        const int column = i % (camera.width_px * RAYS), row = i / (camera.width_px * RAYS);
        pov_vec3 ray;
        if (pov_camera_unproject(&camera, &ray, nullptr,
                                 {(column + 0.5) / RAYS - 0.5, (row + 0.5) / RAYS - 0.5}) != POV_OK)
            ray = {0, 0, 1};
        rays.push_back(ray);
    }
    return rays;
}

// The camera's image of a drawing whose top left corner is the board's origin; nine rays a pixel, and a lens that blurs a little.
cv::Mat render(const cv::Mat &drawing, const pov_camera &camera, const pov_transform &T, int around = 230)
{
    const pov_transform back = pov_transform_inverse(T);
    const double(&R)[3][3] = back.R.m;
    const std::vector<pov_vec3> &rays = rays_of(camera);
    cv::Mat x(camera.height_px * RAYS, camera.width_px * RAYS, CV_32F), y(x.size(), CV_32F), large, small,
        rgb;
    for (int i = 0; i < x.rows * x.cols; i++) {
        const pov_vec3 &ray = rays[static_cast<size_t>(i)];
        const double along = -back.t_m.z / (R[2][0] * ray.x + R[2][1] * ray.y + R[2][2] * ray.z);
        const double x_m = back.t_m.x + along * (R[0][0] * ray.x + R[0][1] * ray.y + R[0][2] * ray.z);
        const double y_m = back.t_m.y + along * (R[1][0] * ray.x + R[1][1] * ray.y + R[1][2] * ray.z);
        x.ptr<float>()[i] = static_cast<float>(x_m / SQUARE_M * SQUARE_TEXELS - 0.5);
        y.ptr<float>()[i] = static_cast<float>(y_m / SQUARE_M * SQUARE_TEXELS - 0.5);
    }
    cv::remap(drawing, large, x, y, cv::INTER_LINEAR, cv::BORDER_CONSTANT, cv::Scalar(around));
    cv::GaussianBlur(large, large, cv::Size(), 0.7 * RAYS);
    cv::resize(large, small, cv::Size(camera.width_px, camera.height_px), 0, 0, cv::INTER_AREA);
    cv::cvtColor(small, rgb, cv::COLOR_GRAY2RGB);
    return rgb;
}

pov_image image_of(const cv::Mat &rgb)
{
    pov_image image = {};
    image.pixels = rgb.data;
    image.width_px = rgb.cols;
    image.height_px = rgb.rows;
    image.stride_bytes = static_cast<int>(rgb.step);
    return image;
}

#if CV_VERSION_MAJOR == 4 && CV_VERSION_MINOR >= 7
cv::Mat charuco_drawing(int columns, int rows, bool before_4_6)
{
    const auto dictionary = cv::aruco::getPredefinedDictionary(cv::aruco::DICT_4X4_250);
    cv::aruco::CharucoBoard board(cv::Size(columns, rows), 1, 0.75f, dictionary);
    cv::Mat drawing;
    board.setLegacyPattern(before_4_6);
    board.generateImage(cv::Size(columns * SQUARE_TEXELS, rows * SQUARE_TEXELS), drawing);
    return drawing;
}
#else
cv::Mat charuco_drawing(int columns, int rows, bool before_4_6)
{
    const auto dictionary = cv::aruco::getPredefinedDictionary(cv::aruco::DICT_4X4_250);
    if (!before_4_6 || rows % 2 == 1) {
        cv::Mat drawing;
        cv::aruco::CharucoBoard::create(columns, rows, 1, 0.75f, dictionary)
            ->draw(cv::Size(columns * SQUARE_TEXELS, rows * SQUARE_TEXELS), drawing);
        return drawing;
    }
    // The older pattern is the newer one of a row more without its first row; its markers count from the second.
    const auto board = cv::aruco::CharucoBoard::create(columns, rows + 1, 1, 0.75f, dictionary);
    const int in_first_row = columns / 2;
    for (size_t i = 0; i < board->ids.size(); i++)
        board->ids[i] = (static_cast<int>(i) + 250 - in_first_row) % 250;
    cv::Mat drawing;
    board->draw(cv::Size(columns * SQUARE_TEXELS, (rows + 1) * SQUARE_TEXELS), drawing);
    return drawing.rowRange(SQUARE_TEXELS, drawing.rows).clone();
}
#endif

cv::Mat chessboard_drawing(int columns, int rows)
{
    cv::Mat drawing(rows * SQUARE_TEXELS, columns * SQUARE_TEXELS, CV_8UC1, cv::Scalar(230));
    for (int i = 0; i < columns * rows; i++)
        if ((i % columns + i / columns) % 2 == 0)
            drawing(cv::Rect(i % columns * SQUARE_TEXELS, i / columns * SQUARE_TEXELS, SQUARE_TEXELS,
                             SQUARE_TEXELS)) = 25;
    return drawing;
}

void is_seen_where_it_is(const pov_board_view *view, const pov_camera &camera, const pov_transform &T)
{
    double squares = 0;
    for (int i = 0; i < view->len; i++) {
        pov_vec2 truth;
        assert_int_equal(
            pov_camera_project(&camera, &truth, nullptr, pov_transform_apply(T, view->board_m[i])), POV_OK);
        double dx = view->pixel[i].x - truth.x, dy = view->pixel[i].y - truth.y;
        assert_near(hypot(dx, dy), 0, 0.5);
        squares += dx * dx + dy * dy;
    }
    assert_near(sqrt(squares / view->len), 0, 0.1);
}

// A chessboard does not tell its upper left corner from its lower right one.
bool is_upside_down(const pov_board_view &view, const pov_camera &camera, const pov_transform &T)
{
    pov_vec2 first = {};
    assert_int_equal(pov_camera_project(&camera, &first, nullptr, pov_transform_apply(T, view.board_m[0])),
                     POV_OK);
    return hypot(view.pixel[0].x - first.x, view.pixel[0].y - first.y) > 20;
}

pov_board board_of(const char *text)
{
    pov_board board;
    assert_int_equal(pov_board_parse(&board, text).code, POV_OK);
    return board;
}

void is_found(const char *text, const cv::Mat &drawing)
{
    static const pov_vec3 turns_rad[] = {{0.1, 0.05, 0.15}, {-0.3, 0.45, -1}};
    static pov_board_view view;
    const pov_board board = board_of(text);
    const pov_camera camera = lens();
    pov_board_finder *finder;
    assert_int_equal(pov_board_finder_new(&finder, &board).code, POV_OK);
    for (const pov_vec3 &turn : turns_rad) {
        const pov_transform T = placed(turn, board.columns, board.rows);
        const cv::Mat rgb = render(drawing, camera, T);
        const pov_image image = image_of(rgb);
        const pov_status status = pov_board_finder_run(finder, &view, &image);
        assert_string_equal(status.message, "");
        assert_int_equal(view.len, pov_board_point_count(&board));
        if (board.kind == POV_BOARD_CHESSBOARD && is_upside_down(view, camera, T))
            std::reverse(view.pixel, view.pixel + view.len);
        is_seen_where_it_is(&view, camera, T);
        assert_true(view.edge_px < 5);
    }
    pov_board_finder_destroy(&finder);
}

void charuco_boards_of_either_pattern_are_found(void **)
{
    is_found("charuco:7x6:25mm:18.75mm:4X4_250", charuco_drawing(7, 6, false));
    is_found("charuco:7x6:25mm:18.75mm:4X4_250", charuco_drawing(7, 6, true));
    is_found("charuco:6x6:25mm:18.75mm:4X4_250", charuco_drawing(6, 6, true));
}

void a_chessboard_is_found(void **)
{
    cv::Mat drawing = chessboard_drawing(8, 7);
    is_found("chessboard:8x7:25mm", drawing);
}

// ---- boards as people have them: cut with longer outer squares, before a wall, in the light of a room ----

struct Look {
    double longer;          // outer squares, in squares
    double margin;          // white around them, in squares
    int black, white, wall; // grey levels in full light
    double blur_px, noise;
    double (*light)(double x, double y); // x and y across the image, -0.5 to 0.5
    const char *name;
};

double even(double, double)
{
    return 1;
}
double lamp(double x, double y) // near the upper right corner
{
    return 0.25 + 1.3 * std::exp(-((x - 0.25) * (x - 0.25) + (y + 0.2) * (y + 0.2)) / 0.12);
}
double shadow(double edge, double x, double y)
{
    return 0.3 + 0.7 / (1 + std::exp(-(x + 0.4 * y - 0.03) / edge));
}
double soft_shadow(double x, double y)
{
    return shadow(0.02, x, y);
}
double hard_shadow(double x, double y) // from full light to dark within two pixels
{
    return shadow(0.0008, x, y);
}

const Look LOOKS[] = {{1, 0, 25, 230, 120, 0.5, 1, even, "as printed"},
                      {1.4, 0.2, 25, 230, 120, 0.5, 1, even, "longer outer squares"},
                      {1.4, 0, 25, 230, 5, 0.5, 2, even, "no margin, a dark wall"},
                      {1, 4, 25, 230, 60, 0.5, 2, even, "a wide margin"},
                      {1.4, 0.3, 50, 115, 90, 0.5, 2, even, "grey light"},
                      {1.4, 0.3, 50, 115, 245, 0.5, 2, even, "grey light, a bright wall"},
                      {1.4, 0.3, 20, 160, 90, 0.5, 2, lamp, "a lamp"},
                      {1.2, 0.3, 20, 160, 90, 1.6, 2, lamp, "a lamp, blurred"},
                      {1.2, 1, 25, 230, 120, 2, 2, even, "blurred"},
                      {1.4, 0.3, 20, 200, 90, 0.5, 2, soft_shadow, "half-lit, a soft shadow"},
                      {1.4, 0.3, 20, 200, 90, 0.5, 2, hard_shadow, "half-lit, a hard shadow"},
                      {1.4, 0.3, 40, 170, 230, 1, 2, hard_shadow, "half-lit, a bright wall"}};

#ifdef POV_SANITIZED
constexpr size_t LOOK_EVERY = 5;
#else
constexpr size_t LOOK_EVERY = 1;
#endif

// Its origin, the outer corner of a square that is as long as the others, is that many texels right and down.
cv::Mat drawing_of(const Look &look, int columns, int rows, int &origin)
{
    const int outer = static_cast<int>(look.longer * SQUARE_TEXELS),
              margin = static_cast<int>(look.margin * SQUARE_TEXELS);
    const int wall = 4 * SQUARE_TEXELS, border = wall + margin;
    const auto edge = [&](int i, int count) {
        return i == 0       ? 0
               : i == count ? 2 * outer + (count - 2) * SQUARE_TEXELS
                            : outer + (i - 1) * SQUARE_TEXELS;
    };
    cv::Mat drawing(edge(rows, rows) + 2 * border, edge(columns, columns) + 2 * border, CV_8UC1,
                    cv::Scalar(look.wall));
    drawing(cv::Rect(wall, wall, drawing.cols - 2 * wall, drawing.rows - 2 * wall)) = look.white;
    for (int row = 0; row < rows; row++)
        for (int column = row % 2; column < columns; column += 2)
            drawing(cv::Rect(cv::Point(border + edge(column, columns), border + edge(row, rows)),
                             cv::Point(border + edge(column + 1, columns), border + edge(row + 1, rows)))) =
                look.black;
    origin = border + outer - SQUARE_TEXELS;
    return drawing;
}

cv::Mat photograph(const Look &look, const pov_camera &camera, const pov_transform &T, int columns, int rows)
{
    int origin;
    const cv::Mat drawing = drawing_of(look, columns, rows, origin);
    const double origin_m = origin * SQUARE_M / SQUARE_TEXELS;
    pov_transform T_camera_drawing = T;
    T_camera_drawing.t_m = pov_vec3_sub(T.t_m, pov_rot_apply(T.R, {origin_m, origin_m, 0}));
    cv::Mat rgb, grey, lit;
    cv::cvtColor(render(drawing, camera, T_camera_drawing, look.wall), grey, cv::COLOR_RGB2GRAY);
    grey.convertTo(lit, CV_32F);
    for (int y = 0; y < lit.rows; y++)
        for (int x = 0; x < lit.cols; x++)
            lit.at<float>(y, x) *=
                static_cast<float>(look.light((x + 0.5) / lit.cols - 0.5, (y + 0.5) / lit.rows - 0.5));
    cv::GaussianBlur(lit, lit, cv::Size(), look.blur_px);
    cv::Mat noise(lit.size(), CV_32F);
    cv::RNG random(7);
    random.fill(noise, cv::RNG::NORMAL, 0, look.noise);
    cv::Mat(lit + noise).convertTo(grey, CV_8U);
    cv::cvtColor(grey, rgb, cv::COLOR_GRAY2RGB);
    return rgb;
}

// A board as wide as high does not tell its upper side either: each corner is held against the nearest.
void is_seen_to(double rms_px, double most_px, const pov_board_view &view, const pov_board &board,
                const pov_camera &camera, const pov_transform &T)
{
    std::vector<int> seen(static_cast<size_t>(pov_board_point_count(&board)));
    double squares = 0;
    for (int i = 0; i < view.len; i++) {
        double nearest_px = INFINITY;
        size_t nearest = 0;
        for (size_t k = 0; k < seen.size(); k++) {
            pov_vec2 truth;
            const pov_vec3 corner = pov_board_point(&board, static_cast<int>(k));
            assert_int_equal(pov_camera_project(&camera, &truth, nullptr, pov_transform_apply(T, corner)),
                             POV_OK);
            const double off_px = hypot(view.pixel[i].x - truth.x, view.pixel[i].y - truth.y);
            nearest = off_px < nearest_px ? k : nearest;
            nearest_px = std::min(off_px, nearest_px);
        }
        assert_near(nearest_px, 0, most_px);
        assert_int_equal(seen[nearest]++, 0);
        squares += nearest_px * nearest_px;
    }
    assert_near(sqrt(squares / view.len), 0, rms_px);
}

void is_found_as_it_looks(const char *text, const Look &look)
{
    static const pov_vec3 turns_rad[] = {{0.1, 0.05, 0.15}, {-0.35, 0.4, 1.2}};
    static pov_board_view view;
    const pov_camera camera = lens();
    const pov_board board = board_of(text);
    pov_board_finder *finder;
    assert_int_equal(pov_board_finder_new(&finder, &board).code, POV_OK);
    for (const pov_vec3 &turn : turns_rad) {
        pov_transform T = placed(turn, board.columns, board.rows);
        T.t_m.z +=
            0.025 * (board.columns + 2 * look.longer - 2) / 0.8 * camera.fx_px / camera.height_px - 0.32;
        const cv::Mat rgb = photograph(look, camera, T, board.columns, board.rows);
        const pov_image image = image_of(rgb);
        print_message("%s, %s\n", text, look.name);
        const pov_status status = pov_board_finder_run(finder, &view, &image);
        assert_string_equal(status.message, "");
        const bool is_cut = look.light == hard_shadow; // a corner on the shadow's edge cannot be told
        assert_true(view.len >= (is_cut ? 0.8 : 1) * pov_board_point_count(&board));
        is_seen_to(is_cut ? 0.3 : 0.2, is_cut ? 1.5 : 0.6, view, board, camera, T);
    }
    pov_board_finder_destroy(&finder);
}

void chessboards_are_found_whatever_their_edge_and_light(void **)
{
    for (const char *text : {"chessboard:11x11:25mm", "chessboard:9x7:25mm"})
        for (size_t i = 0; i < std::size(LOOKS); i += LOOK_EVERY)
            is_found_as_it_looks(text, LOOKS[i]);
}

// OpenCV takes the outer edge of a narrow border for a line of corners.
void chessboards_with_a_narrow_border_on_a_dark_table_are_found_and_measured(void **)
{
    const Look narrow = {1, 0.15, 25, 230, 60, 0.5, 2, even, "a narrow border, a dark table"};
    for (const char *text : {"chessboard:9x7:25mm", "chessboard:8x8:25mm", "chessboard:7x5:25mm"}) {
        is_found_as_it_looks(text, narrow);
        const pov_board board = board_of(text);
        pov_board told = board, seen;
        told.columns++;
        pov_board_finder *finder;
        assert_int_equal(pov_board_finder_new(&finder, &told).code, POV_OK);
        pov_transform T = placed({-0.2, 0.25, 0.3}, board.columns, board.rows);
        T.t_m.z += 0.1;
        const cv::Mat rgb = photograph(narrow, lens(), T, board.columns, board.rows);
        const pov_image image = image_of(rgb);
        assert_int_equal(pov_board_finder_suggest(finder, &seen, &image).code, POV_OK);
        assert_int_equal(std::max(seen.columns, seen.rows), std::max(board.columns, board.rows));
        assert_int_equal(std::min(seen.columns, seen.rows), std::min(board.columns, board.rows));
        pov_board_finder_destroy(&finder);
    }
}

void a_chessboard_of_another_size_is_told(void **)
{
    static const char *const texts[] = {"chessboard:10x7:25mm", "chessboard:12x9:25mm",
                                        "chessboard:8x11:25mm", "chessboard:6x5:25mm"};
    const pov_transform T = placed({0.2, -0.3, 0.1}, 11, 8);
    for (size_t i = 0; i < std::size(LOOKS); i += LOOK_EVERY) {
        const Look &look = LOOKS[i];
        pov_transform far = T;
        far.t_m.z += 0.15;
        const cv::Mat rgb = photograph(look, lens(), far, 11, 8);
        const pov_image image = image_of(rgb);
        for (size_t k = i; k < i + 2; k++) { // each size with half of the looks
            const char *text = texts[k % std::size(texts)];
            const pov_board stated = board_of(text);
            pov_board_finder *finder;
            pov_board seen;
            assert_int_equal(pov_board_finder_new(&finder, &stated).code, POV_OK);
            print_message("%s, %s\n", text, look.name);
            assert_int_equal(pov_board_finder_suggest(finder, &seen, &image).code, POV_OK);
            assert_int_equal(std::max(seen.columns, seen.rows), 11);
            assert_int_equal(std::min(seen.columns, seen.rows), 8);
            pov_board_finder_destroy(&finder);
        }
    }
}

void a_board_of_another_size_is_told_and_the_right_one_suggested(void **)
{
    static pov_board_view view;
    const pov_board wrong = board_of("charuco:8x6:25mm:18.75mm:4X4_250");
    const cv::Mat rgb = render(charuco_drawing(7, 6, false), lens(), placed({0.2, 0.1, 0}, 7, 6));
    const pov_image image = image_of(rgb);
    pov_board_finder *finder;
    pov_board suggested;
    assert_int_equal(pov_board_finder_new(&finder, &wrong).code, POV_OK);
    assert_int_equal(pov_board_finder_run(finder, &view, &image).code, POV_UNDEFINED);
    assert_int_equal(view.len, 0);
    assert_int_equal(pov_board_finder_suggest(finder, &suggested, &image).code, POV_OK);
    assert_int_equal(suggested.columns, 7);
    pov_board_finder_destroy(&finder);
}

void a_blurred_board_has_wide_edges(void **)
{
    static pov_board_view view;
    const pov_board board = board_of("charuco:6x6:25mm:18.75mm:4X4_250");
    cv::Mat rgb = render(charuco_drawing(6, 6, false), lens(), placed({0, 0, 0}, 6, 6));
    cv::GaussianBlur(rgb, rgb, cv::Size(), 2);
    const pov_image image = image_of(rgb);
    pov_board_finder *finder;
    assert_int_equal(pov_board_finder_new(&finder, &board).code, POV_OK);
    assert_int_equal(pov_board_finder_run(finder, &view, &image).code, POV_OK);
    assert_near(view.edge_px, hypot(2, 0.7) * 2.507, 1); // an edge blurred by s is sqrt(2 pi) s wide
    pov_board_finder_destroy(&finder);
}

void an_aprilgrid_is_found(void **)
{
    enum { SIDE = 3 };
    static test_tag_scene scene;
    static pov_board_view view;
    const pov_board board = board_of("aprilgrid:3x3:50mm:15mm");
    scene.camera = lens();
    scene.T_table_camera = pov_transform_look_at({0.15, 0.02, 0.33}, {0.09, 0.09, 0}, {0, 1, 0});
    for (int id = 0; id < SIDE * SIDE; id++) {
        pov_tag_map_entry *entry = &scene.map.tags[scene.map.len++];
        *entry = {};
        entry->id = id;
        entry->edge_m = 0.05;
        entry->T_table_tag.T = pov_transform_identity();
        entry->T_table_tag.T.t_m = {id % SIDE * 0.065 + 0.025, id / SIDE * 0.065 + 0.025, 0};
    }
    std::vector<uint8_t> rgb(640 * 480 * 3);
    const test_tag_look look = {120, 30, 220, 1, 1, 4};
    test_tag_image_draw(rgb.data(), &scene, &look);
    const pov_image image = image_of(cv::Mat(480, 640, CV_8UC3, rgb.data()));
    pov_board_finder *finder;
    assert_int_equal(pov_board_finder_new(&finder, &board).code, POV_OK);
    assert_int_equal(pov_board_finder_run(finder, &view, &image).code, POV_OK);
    assert_int_equal(view.len, 4 * SIDE * SIDE);
    // The table's origin is the lower left corner of tag 0; the board's the upper left corner, y down.
    pov_transform T_table_board = {pov_rot_exp({POV_PI, 0, 0}), {0, 2 * 0.065 + 0.05, 0}};
    is_seen_where_it_is(&view, scene.camera,
                        pov_transform_mul(pov_transform_inverse(scene.T_table_camera), T_table_board));
    pov_board_finder_destroy(&finder);
}
} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(charuco_boards_of_either_pattern_are_found),
        cmocka_unit_test(a_chessboard_is_found),
        cmocka_unit_test(chessboards_are_found_whatever_their_edge_and_light),
        cmocka_unit_test(chessboards_with_a_narrow_border_on_a_dark_table_are_found_and_measured),
        cmocka_unit_test(a_chessboard_of_another_size_is_told),
        cmocka_unit_test(a_board_of_another_size_is_told_and_the_right_one_suggested),
        cmocka_unit_test(a_blurred_board_has_wide_edges),
        cmocka_unit_test(an_aprilgrid_is_found),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
