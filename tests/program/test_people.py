#!/usr/bin/env python3
"""Addressees without a survey, in simulated images: by body and face, and by a tag that they wear.

The simulator's people are not photographs: what is tested is the way from the image to the scene, not how good OpenCV's
cascades are on real faces."""
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

POV = os.environ["POV"]
CASCADES = pathlib.Path("/usr/share/opencv4/haarcascades")
WORLD = """
images: 8
camera: {size_px: [640, 480], field_of_view_deg: 55, position_m: [2.4, 0.3, 1.5], look_at_m: [0, 0, 1.05]}
surface: {size_m: [14, 14], color: "#b39a7c"}
lighting: {lamp_m: [3, -2, 5], lamp_radius_m: 0.5, lamp_strength: 0.7, ambient: 0.42, sky: "#c3cad0"}
turntable: {position_m: [0, 0], radius_m: 0.6, height_m: 0.02}
motion: {steps: 8}
things:
  - {id: bob, class: man, position_m: [0, 0], on: turntable, front_deg: -30}
  - {id: box, position_m: [0.9, 0.9]}
  - {id: bin, class: container, position_m: [0.4, -1]}
"""
PERSON = "  - {id: %s, class: person, found_by: person, person: {%s}, addressee: true}\n"


def pov(*arguments):
    return subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=200)


def density(modes, yaw):
    """Of a mixture of von Mises; its norm by counting."""
    total = 0
    for mode in modes:
        shape = lambda angle: math.exp(mode["kappa"] * (math.cos(angle) - 1))
        norm = sum(shape(2 * math.pi * k / 720) for k in range(720)) * 2 * math.pi / 720
        total += mode["weight"] * shape(yaw - mode["yaw_rad"]) / norm
    return total


class People(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        (cls.folder / "world.yaml").write_text(WORLD)
        drawn = pov("sim", cls.folder / "world.yaml", "--bodies", "own", "--out", cls.folder / "drawn", "--quiet")
        assert drawn.returncode == 0, drawn.stderr
        cls.station = (cls.folder / "drawn" / "station.yaml").read_text()

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_station(self, cast):
        path = self.folder / "drawn" / "people.yaml"
        path.write_text(self.station + cast)
        return pov("run", path, "--json", "--no-publish")

    @unittest.skipUnless(CASCADES.is_dir(), "opencv-data is not installed")
    def test_who_shows_a_face_is_placed_and_faces_where_he_looks(self):
        result = self.run_station(PERSON % ("anna", "height_m: 1.8, stands_on_m: 0.02"))
        self.assertEqual(result.returncode, 0, result.stderr)
        truths = [json.loads(line) for line in (self.folder / "drawn" / "truth.jsonl").read_text().splitlines()]
        surprises, found = [], 0
        for line, truth in zip(result.stdout.splitlines(), truths, strict=True):
            observation = json.loads(line)
            anna = next(e for e in observation["scene"]["entities"] if e["id"] == "anna")
            bob = next(e for e in truth["scene"]["entities"] if e["id"] == "bob")
            if not anna["seen"]:
                continue
            found += 1
            dx, dy = (anna["pos_m"][i] - bob["pos_m"][i] for i in (0, 1))
            xx, xy, _, _, yy, *_ = anna["pos_cov_m2"]
            self.assertLess((dx * dx * yy - 2 * dx * dy * xy + dy * dy * xx) / (xx * yy - xy * xy), 13.8)
            surprises.append(-math.log(density(anna["headings"], bob["heading_rad"])))
            self.assertTrue(any(j["perspective"] == "addressee" and j["viewer"] == "anna"
                                for j in observation["judgments"]))
        self.assertGreaterEqual(found, 3)  # the views in which a face shows
        self.assertLess(sum(surprises) / found, math.log(2 * math.pi) - 0.5)  # uniform: no idea

    @unittest.skipUnless(CASCADES.is_dir(), "opencv-data is not installed")
    def test_in_video_who_is_found_in_a_still_image_is_found_by_a_sweep_and_followed(self):
        """One image again and again: as a still image, then at a rate. A sweep takes 42 images."""
        images = self.folder / "drawn" / "again"
        images.mkdir()
        for source in sorted((self.folder / "drawn" / "images").glob("*.png")):
            path = self.folder / "drawn" / "video.yaml"
            path.write_text(self.station + PERSON % ("anna", "height_m: 1.8, stands_on_m: 0.02"))
            still = pov("run", path, "--images", source, "--json", "--no-publish", "--quiet")
            expected = next(e for e in json.loads(still.stdout)["scene"]["entities"] if e["id"] == "anna")
            if expected["seen"]:
                break
        else:
            self.fail("nobody is found in any still image")
        for i in range(60):
            (images / f"again_{i:02}.png").write_bytes(source.read_bytes())
        video = pov("run", path, "--images", images, "--rate", 30, "--json", "--no-publish")
        self.assertRegex(video.stderr, "searching on [1-9]")  # others are looked for after the judgments are sent
        people = [next(e for e in json.loads(line)["scene"]["entities"] if e["id"] == "anna") for line in video.stdout.splitlines()]
        self.assertEqual(len(people), 60)
        self.assertTrue(all(e["seen"] for e in people[45:]), [e["seen"] for e in people])
        off = [people[-1]["pos_m"][i] - expected["pos_m"][i] for i in (0, 1)]
        self.assertLess(math.hypot(*off), 2 * math.sqrt(expected["pos_cov_m2"][0] + expected["pos_cov_m2"][4]))

    def test_without_the_cascades_the_message_says_where_they_come_from(self):
        result = self.run_station(PERSON % ("anna", "cascades: nowhere"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("nowhere", result.stderr)
        self.assertIn("opencv-data", result.stderr)
        self.assertEqual(self.run_station(PERSON % ("anna", "cascades: nowhere, faces: false")).returncode, 0)

    def test_two_people_cannot_be_told_apart(self):
        result = self.run_station(PERSON % ("anna", "") + PERSON % ("bea", ""))
        self.assertEqual(result.returncode, 1)
        self.assertIn("wear tags", result.stderr)


BADGE_WORLD = """
images: 1
camera: {size_px: [960, 720], field_of_view_deg: 50, position_m: [1.6, 0.2, 1.2], look_at_m: [0, 0, 0.2]}
tags: {map: drawn.yaml}
things:
  - {id: box, position_m: [-0.5, 0.9], size_m: 0.2}
  - {id: bin, class: container, position_m: [-0.3, -0.8], size_m: 0.2}
"""
LYING = "\n".join(f"  - {{id: {i}, position_m: [{0.3 - 0.6 * (i % 2)}, {0.3 - 0.6 * (i // 2)}, 0], yaw_deg: 0}}" for i in range(4))
WORN = "\n  - {id: 9, position_m: [0.1, 0, 0.3], faces_deg: 25}\n"


class Badge(unittest.TestCase):
    def test_an_addressee_with_a_badge_on_the_chest_faces_where_it_does(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            tags = "family: tag36h11\nedge_m: 0.1\ntags:\n" + LYING
            (folder / "drawn.yaml").write_text(tags + WORN)
            (folder / "world.yaml").write_text(BADGE_WORLD)
            drawn = pov("sim", folder / "world.yaml", "--bodies", "own", "--out", folder / "out")
            self.assertEqual(drawn.returncode, 0, drawn.stderr)
            (folder / "out" / "tags.yaml").write_text(tags + "\n")
            station = folder / "out" / "station.yaml"
            station.write_text(station.read_text() +
                               "  - {id: bea, class: person, found_by: tag, addressee: true, size_m: [0.2, 0.4, 1],\n"
                               "     tag: {id: 9, edge_m: 0.1, has_front: true, center_m: [0, -0.2, -0.1],\n"
                               "           rotation: [[0, 1, 0], [0, 0, 1], [1, 0, 0]]}}\n")
            result = pov("run", station, "--json", "--no-publish")
            self.assertEqual(result.returncode, 0, result.stderr)
            observation = json.loads(result.stdout)
            bea = next(e for e in observation["scene"]["entities"] if e["id"] == "bea")
            heading = math.radians(25)  # the badge's; the box's middle is 10 cm behind it and 20 cm below
            for axis, at in enumerate((0.1 - 0.1 * math.cos(heading), -0.1 * math.sin(heading), 0.1)):
                self.assertAlmostEqual(bea["pos_m"][axis], at, delta=0.02)
            self.assertAlmostEqual(bea["heading_rad"], heading, delta=0.05)
            self.assertTrue(any(j["perspective"] == "addressee" and j["viewer"] == "bea" and j["verdict"] != "undefined"
                                for j in observation["judgments"]))


if __name__ == "__main__":
    unittest.main()
