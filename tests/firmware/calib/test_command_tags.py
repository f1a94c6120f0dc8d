#!/usr/bin/python3
"""pov tags: the pages, printed to pixels by poppler, hold tags of the right size in the right place, as OpenCV's own finder
of AprilTags sees them and the map says."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cv2
import numpy as np
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from opencv_aruco import find_markers  # noqa: E402

POV = os.environ["POV"]
DPI = 300
MM_PER_PX = 25.4 / DPI
TOLERANCE_MM = 0.1


def pov(*arguments, code=0):
    result = subprocess.run([POV, "tags", *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == code, result
    return result


def pages(pdf):
    subprocess.run(["pdftoppm", "-r", str(DPI), "-gray", "-png", pdf, pdf[:-4]], check=True)
    folder, stem = os.path.split(pdf[:-4])
    names = sorted(name for name in os.listdir(folder) if name.startswith(stem + "-") and name.endswith(".png"))
    return [cv2.imread(os.path.join(folder, name), cv2.IMREAD_GRAYSCALE) for name in names]


def find(image, dictionary=cv2.aruco.DICT_APRILTAG_36h11):
    """Corners in millimetres, x right, y up the page, by id; in the order of pov's tag frame."""
    corners, ids = find_markers(image, dictionary, cornerRefinementMethod=cv2.aruco.CORNER_REFINE_SUBPIX, cornerRefinementWinSize=8)
    found = {}
    for quad, number in zip(corners, ids.ravel()):
        assert number not in found, f"tag {number} twice on a page"
        points = quad[0] * MM_PER_PX * [1, -1]
        # OpenCV begins at one corner of its own reading of the family; the tag's frame is checked against the map below
        found[int(number)] = points
    return found


def map_of(path):
    with open(path, encoding="utf-8") as file:
        return {tag["id"]: tag for tag in yaml.safe_load(file)["tags"]}


def corners_in_map(tag):
    """The four corners in millimetres, anticlockwise from the tag's lower left."""
    half = 500 * tag["edge_m"]
    square = np.array([[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]])
    return square @ np.array(tag["rotation"]).T + 1000 * np.array(tag["position_m"])


def fit(from_points, to_points):
    """Root mean square distance after the best shift and rotation: Kabsch 1976, no scale."""
    a, b = from_points - from_points.mean(0), to_points - to_points.mean(0)
    u, _, v = np.linalg.svd(a.T @ b)
    rotation = u @ np.diag([1] * (a.shape[1] - 1) + [np.sign(np.linalg.det(u @ v))]) @ v
    return np.abs(a @ rotation - b).max()


class Tags(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, *arguments):
        pov(*arguments, "--out", self.path("t.pdf"))
        return pages(self.path("t.pdf"))

    def assert_lies_as_mapped(self, found, mapped):
        """One page of a flat target: all its tags at once, up to where the page lies."""
        ids = sorted(found)
        # OpenCV's first corner is a fixed one of the printed tag: find which, once for all tags, by the best fit
        seen = np.concatenate([found[i] for i in ids])
        errors = []
        for turn in range(4):
            for step in (1, -1):
                order = [(turn + step * k) % 4 for k in range(4)]
                place = np.concatenate([corners_in_map(mapped[i])[order, :2] for i in ids])
                errors.append(fit(seen, place))
        self.assertLess(min(errors), TOLERANCE_MM)

    def test_a_sheet_is_where_its_map_says(self):
        page, = self.make("sheet", "--columns", "3", "--rows", "4", "--first-id", "20")
        found = find(page)
        self.assertEqual(sorted(found), list(range(20, 32)))
        self.assert_lies_as_mapped(found, map_of(self.path("t.yaml")))
        left_above, right_above = found[20].mean(0), found[22].mean(0)
        self.assertLess(left_above[0], right_above[0])
        self.assertGreater(left_above[1], found[31].mean(0)[1])

    def test_a_ring_s_sectors_make_its_map(self):
        sectors = self.make("ring", "--count", "10", "--radius", "140", "--edge", "28")
        mapped = map_of(self.path("t.yaml"))
        seen = {}
        for sector in sectors:
            found = find(sector)
            self.assert_lies_as_mapped(found, mapped)
            self.assertFalse(seen.keys() & found.keys())
            seen.update(found)
        self.assertEqual(sorted(seen), list(range(10)))
        for i, tag in mapped.items():
            azimuth = np.arctan2(tag["position_m"][1], tag["position_m"][0])
            self.assertAlmostEqual((azimuth - 2 * np.pi * i / 10 + np.pi) % (2 * np.pi), np.pi, places=6)
            self.assertAlmostEqual(np.hypot(*tag["position_m"][:2]), 0.14, places=9)
            up = np.array(tag["rotation"])[:, 1]
            self.assertLess(up @ tag["position_m"], -0.139)  # tops toward the middle

    def test_a_cube_s_faces_have_their_size_and_look_outward(self):
        page, = self.make("cube", "--side", "50", "--edge", "36")
        found = find(page)
        self.assertEqual(sorted(found), list(range(6)))
        for points in found.values():
            sides = np.linalg.norm(points - np.roll(points, 1, 0), axis=1)
            self.assertLess(np.abs(sides - 36).max(), TOLERANCE_MM)
        mapped = map_of(self.path("t.yaml"))
        outward = {0: (1, 0, 0), 1: (0, 1, 0), 2: (-1, 0, 0), 3: (0, -1, 0), 4: (0, 0, 1), 5: (0, 0, -1)}
        for i, tag in mapped.items():
            rotation = np.array(tag["rotation"])
            self.assertAlmostEqual(np.linalg.det(rotation), 1)
            np.testing.assert_allclose(rotation[:, 2], outward[i], atol=1e-9)
            np.testing.assert_allclose(np.array(tag["position_m"]) * 40, outward[i], atol=1e-9)

    def test_the_cube_folds_as_its_map_says(self):
        """Neighbours on the page share an edge of the cube: corners that meet on paper must meet when folded."""
        page, = self.make("cube", "--side", "50", "--edge", "36")
        centres = {i: points.mean(0) for i, points in find(page).items()}
        mapped = map_of(self.path("t.yaml"))
        for a, b in ((0, 1), (0, 3), (0, 4), (0, 5), (5, 2)):
            self.assertAlmostEqual(np.linalg.norm(centres[a] - centres[b]), 50, delta=TOLERANCE_MM)
            across = (centres[b] - centres[a]) / 50
            # the page's direction on face a, in the cube: the tags' own axes, upside down on the back's tag only
            rotation = np.array(mapped[a]["rotation"])
            toward = rotation[:, :2] @ across
            np.testing.assert_allclose(toward, np.array(mapped[b]["rotation"])[:, 2], atol=0.01)

    def test_charuco_boards_are_opencv_s_own(self):
        for old in (False, True):
            with self.subTest(before_4_6=old):
                page, = self.make("board", "--board", "charuco:6x8:24mm:17mm:4X4_1000", *["--before-4.6"] * old)
                found = find(page, cv2.aruco.DICT_4X4_1000)
                self.assertEqual(sorted(found), list(range(24)))
                # 6 x 8 squares of 24 mm are centred on 210 mm; the first marker is in the first or second square
                self.assertAlmostEqual(found[0].mean(0)[0], 45 if old else 69, delta=TOLERANCE_MM)
                self.assertAlmostEqual(found[1].mean(0)[0] - found[0].mean(0)[0], 48, delta=TOLERANCE_MM)
                self.assertAlmostEqual(found[0].mean(0)[1] - found[3].mean(0)[1], 24, delta=TOLERANCE_MM)
                sides = np.linalg.norm(found[0] - np.roll(found[0], 1, 0), axis=1)
                self.assertLess(np.abs(sides - 17).max(), TOLERANCE_MM)

    def test_an_aprilgrid_counts_from_its_lower_left(self):
        page, = self.make("board", "--board", "aprilgrid:4x5:30mm:9mm")
        found = find(page)
        self.assertEqual(sorted(found), list(range(20)))
        self.assert_lies_as_mapped(found, map_of(self.path("t.yaml")))
        centres = {i: points.mean(0) for i, points in found.items()}
        self.assertAlmostEqual(centres[3][0] - centres[0][0], 3 * 39, delta=TOLERANCE_MM)
        self.assertAlmostEqual(centres[16][1] - centres[0][1], 4 * 39, delta=TOLERANCE_MM)

    def test_the_ruler_is_as_long_as_it_says(self):
        page, = self.make("sheet", "--columns", "1", "--rows", "1")
        foot = page[int(275 / MM_PER_PX) :] < 160
        edges = (np.flatnonzero(np.diff(np.concatenate([[0], row, [0]]))) for row in foot.astype(int))
        longest = max(np.diff(row).max(initial=0) for row in edges)
        self.assertAlmostEqual(longest * MM_PER_PX, 100, delta=0.3)

    def test_svg_pages_are_files_of_their_own(self):
        pov("ring", "--radius", "150", "--out", self.path("r.svg"))
        names = sorted(name for name in os.listdir(self.folder) if name.endswith(".svg"))
        self.assertEqual(names, ["r-2.svg", "r-3.svg", "r-4.svg", "r.svg"])

    def test_what_does_not_fit_says_what_would(self):
        for arguments, words in (
            (("sheet", "--edge", "200", "--gap", "60"), "does not fit on a4, which has room for"),
            (("sheet", "--gap", "1"), "white borders need"),
            (("ring", "--radius", "50", "--count", "40"), "at most"),
            (("cube", "--side", "90"), "at most"),
            (("sheet", "--first-id", "580"), "586"),
        ):
            with self.subTest(arguments=arguments):
                result = pov(*arguments, "--out", self.path("x.pdf"), code=1)
                self.assertIn(words, result.stderr)
                self.assertEqual(os.listdir(self.folder), [])

    def test_wrong_words_are_wrong_usage(self):
        self.assertIn("did you mean 'sheet'", pov("shet", code=2).stderr)
        self.assertIn("did you mean 'tag36h11'", pov("sheet", "--family", "tag36h12", code=2).stderr)
        self.assertIn("the board needs 72", pov("board", "--board", "charuco:12x12:15mm:11mm:4X4_50", code=2).stderr)
        self.assertIn("smaller than the square", pov("board", "--board", "charuco:8x8:20mm:21mm:4X4_50", code=2).stderr)
        self.assertIn("--paper", pov("sheet", "--paper", "a99", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
