#!/usr/bin/env python3
"""Photographs with lists of their tags through the program: every listed tag, nothing else, and corners of squares.

Optional data: ../shared/data/tags (or $POV_SHARED/data/tags). The lists tell which tags there are. They do not tell exactly where:
their corners are libapriltag's before refinement, which shrinks small tags.

The oracle for corners: all these tags are squares, seen by one camera with square pixels and the image's middle in its middle.
Once the focal length is known, one number for all tags of a photograph, six of a tag's eight coordinates determine the other two.
tests/program/test_wall_photographs.py compares tags on one wall."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
DATA = pathlib.Path(os.environ.get("POV_SHARED", SOURCE.parent / "shared")) / "data" / "tags"
SKIPPED = 77
PHOTOGRAPHS = {"33369213973_9d9bb4cc96_c": 12, "34085369442_304b6bafd9_c": 25}


def listed_tags(path):
    tags = []
    for line in path.read_text().splitlines():
        number = [float(text) for text in re.findall(r"[-\d.]+", line)]
        tags.append((int(number[0]), [(x - 0.5, y - 0.5) for x, y in zip(number[1::2], number[2::2])]))
    return tags


def mean_square(corners, others):
    return sum((x - u) ** 2 + (y - v) ** 2 for (x, y), (u, v) in zip(corners, others)) / 4


def square_misfits(corners, focal2_px2):
    """Two numbers that are 0 for the image of a square: its sides are upright on each other, and as long as each other
    (Hartley & Zisserman 2004, section 8.8). The plane's axes by Heckbert 1989, section 2.2."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    ax, bx, sx, ay, by, sy = x1 - x2, x3 - x2, x0 - x1 + x2 - x3, y1 - y2, y3 - y2, y0 - y1 + y2 - y3
    scale = ax * by - bx * ay
    g, h = (sx * by - bx * sy) / scale, (ax * sy - sx * ay) / scale
    u = x1 - x0 + g * x1, y1 - y0 + g * y1
    v = x3 - x0 + h * x3, y3 - y0 + h * y3
    return (u[0] * v[0] + u[1] * v[1] + focal2_px2 * g * h,
            u[0] ** 2 + u[1] ** 2 - v[0] ** 2 - v[1] ** 2 + focal2_px2 * (g * g - h * h))


def squared_px2(corners, focal2_px2):
    """The least that corners must move to become a square's, to first order (Sampson 1982)."""
    step, slopes = 1e-4, []
    for i in range(8):
        sides = []
        for sign in 1, -1:
            moved = [list(corner) for corner in corners]
            moved[i // 2][i % 2] += sign * step
            sides.append(square_misfits(moved, focal2_px2))
        slopes.append([(a - b) / (2 * step) for a, b in zip(*sides)])
    a, b, d = (sum(slope[i] * slope[j] for slope in slopes) for i, j in ((0, 0), (0, 1), (1, 1)))
    p, q = square_misfits(corners, focal2_px2)
    return (d * p * p - 2 * b * p * q + a * q * q) / (a * d - b * b)


def off_squares_px(tags, width_px, height_px):
    """Root mean square of what two of each tag's coordinates are off, by the focal length that suits them all best."""
    centred = [[(x - (width_px - 1) / 2, y - (height_px - 1) / 2) for x, y in corners] for corners in tags]
    least = min(sum(squared_px2(corners, (300 * 1.02 ** k) ** 2) for corners in centred) for k in range(130))
    return math.sqrt(least / (2 * len(tags)))


class Photographs(unittest.TestCase):
    def test_every_listed_tag_is_in_the_json_and_no_other(self):
        for name, count in PHOTOGRAPHS.items():
            result = subprocess.run([os.environ["POV"], "run", SOURCE / "share" / "stations" / "photo_tags.yaml", "--images",
                                     DATA / f"{name}.jpg", "--json", "--no-publish"],
                                    capture_output=True, text=True, timeout=300)
            self.assertEqual(result.returncode, 0, result.stderr)
            tags = json.loads(result.stdout)["tags"]
            listed = listed_tags(DATA / f"{name}.txt")
            self.assertEqual((len(listed), len(tags)), (count, count))
            self.assertEqual({(t["family"], t["fate"]) for t in tags}, {("tag36h11", "seen")})
            ours = []
            for number, corners in listed:  # the same tag is there many times: the nearest counts, and only once
                nearest = min((t for t in tags if t["id"] == number),
                              key=lambda t: mean_square(t["corners_px"], corners))
                self.assertLess(mean_square(nearest["corners_px"], corners), 1.5 ** 2)
                ours.append(nearest["corners_px"])
                tags.remove(nearest)
            theirs_px, ours_px = (off_squares_px(some, 799, 533) for some in ([c for _, c in listed], ours))
            print(f"{name}: {count} of {count} tags, off squares {ours_px:.3f} px a coordinate, the list's corners {theirs_px:.3f} px")
            self.assertLess(ours_px, 0.1)
            self.assertLess(ours_px, theirs_px / 2)


if __name__ == "__main__":
    if not DATA.is_dir():
        print("skipped: ../shared not found")
        sys.exit(SKIPPED)
    unittest.main()
