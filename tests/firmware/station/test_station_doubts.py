#!/usr/bin/python3
"""What a station file says that can hardly be so is told with exit 0; what cannot be is refused."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

POV = os.environ["POV"]


def looking(eye, target, up=(0, 0, 1)):
    """R_table_camera of a camera that looks from eye to target: columns right, down, forward."""
    forward = np.subtract(target, eye) / np.linalg.norm(np.subtract(target, eye))
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    return np.column_stack([right, np.cross(forward, right), forward])


class Doubts(unittest.TestCase):
    def check(self, eye=(0.3, -1.2, 0.8), rotation=None, cast="{id: box, found_by: survey, position_m: [0, 0, 0.05], size_m: 0.1}"):
        """Exit code, warnings."""
        rotation = looking(eye, (0, 0, 0)) if rotation is None else rotation
        with tempfile.TemporaryDirectory() as folder:
            station = pathlib.Path(folder) / "station.yaml"
            station.write_text("camera:\n  field_of_view_deg: 60\n  size_px: [640, 480]\n"
                               f"  pose: {{position_m: {list(map(float, eye))}, rotation: {rotation.tolist()}}}\ncast:\n  - {cast}\n")
            result = subprocess.run([POV, "run", "--check", station], capture_output=True, text=True, timeout=60)
        return result.returncode, result.stderr

    def expect(self, words, **options):
        code, said = self.check(**options)
        self.assertEqual(code, 0, said)
        for word in words:
            self.assertIn(word, said)
        if not words:
            self.assertEqual(said, "")

    def test_a_usual_station_is_not_doubted(self):
        self.expect([])
        self.expect([], cast="{id: ball, found_by: ball, ball: {color: red, radius_m: 0.05}}")

    def test_a_camera_below_the_table_is_told(self):
        self.expect(["0.5 m below the table"], eye=(0, -1, -0.5))

    def test_a_camera_that_looks_away_is_told(self):
        eye = (0.3, -1.2, 0.8)
        self.expect(["looks away from all of the cast"], rotation=looking(eye, (0.3, -9, 0.9)))
        self.expect(["looks away from all of the cast"], rotation=looking(eye, (0.3, 9, 9)),
                    cast="{id: ball, found_by: ball, ball: {color: red, radius_m: 0.05}}")

    def test_a_transposed_rotation_is_recognised(self):
        eye = (1.2, -0.6, 0.4)
        self.expect(["the rotation transposed would not"], eye=eye, rotation=looking(eye, (0, 0, 0)).T)

    def test_a_camera_that_hangs_upside_down_is_told(self):
        eye = (0.3, -1.2, 0.8)
        self.expect(["upside down"], rotation=looking(eye, (0, 0, 0), up=(0, 0, -1)))

    def test_millimetres_are_recognised(self):
        self.expect(["1473 m away", "millimetres"], eye=(300, -1200, 800))
        self.expect(["'mug' is 95 m long", "millimetres"], cast="{id: mug, found_by: survey, position_m: [0, 0, 0], size_m: [80, 80, 95]}",
                    eye=(0.3, -120, 90))

    def test_a_thing_of_another_size_than_its_class_is_told(self):
        self.expect(["'it' is 1.2 m long, and things of the class 'cup'"],
                    cast="{id: it, class: cup, found_by: survey, position_m: [0, 0, 0], size_m: [1.2, 0.1, 0.1]}")

    def test_a_camera_inside_a_thing_is_refused(self):
        code, said = self.check(cast="{id: crate, found_by: survey, shape: box, position_m: [0.3, -1.2, 0.8], size_m: 0.5}")
        self.assertEqual(code, 1)
        self.assertIn("the camera is inside 'crate'", said)

    def test_no_rotation_is_refused(self):
        code, said = self.check(rotation=np.diag([1.0, 1.0, -1.0]))  # a reflection
        self.assertEqual(code, 1)
        self.assertIn("rotation", said)


if __name__ == "__main__":
    unittest.main()
