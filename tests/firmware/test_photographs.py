#!/usr/bin/env python3
"""Photographs with lists of their tags through the program: every listed tag, its corners, and nothing else.

Optional data: ../shared/data/tags (or $POV_SHARED/data/tags). The lists hold libapriltag's corners before refinement: at 14 to
33 px a tag they are 0.3 to 0.5 px off themselves. It puts the centre of the top-left pixel at (0.5, 0.5); its order is ours."""
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


class Photographs(unittest.TestCase):
    def test_every_listed_tag_is_in_the_json_and_no_other(self):
        for name, count in PHOTOGRAPHS.items():
            result = subprocess.run([os.environ["POV"], "run", SOURCE / "stations" / "photo_tags.yaml", "--images",
                                     DATA / f"{name}.jpg", "--json", "--no-publish"],
                                    capture_output=True, text=True, timeout=100)
            self.assertEqual(result.returncode, 0, result.stderr)
            tags = json.loads(result.stdout)["tags"]
            listed = listed_tags(DATA / f"{name}.txt")
            self.assertEqual((len(listed), len(tags)), (count, count))
            self.assertEqual({(t["family"], t["fate"]) for t in tags}, {("tag36h11", "seen")})
            squares = []
            for number, corners in listed:  # the same tag is there many times: the nearest counts, and only once
                nearest = min((t for t in tags if t["id"] == number),
                              key=lambda t: mean_square(t["corners_px"], corners))
                squares.append(mean_square(nearest["corners_px"], corners))
                tags.remove(nearest)
            rms = math.sqrt(sum(squares) / count)
            print(f"{name}: {count} of {count} tags, corners {rms:.3f} px RMS from the list")
            self.assertLess(rms, 0.5)


if __name__ == "__main__":
    if not DATA.is_dir():
        print("skipped: ../shared not found")
        sys.exit(SKIPPED)
    unittest.main()
