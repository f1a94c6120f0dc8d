#!/usr/bin/python3
"""pov doctor finds each thing that is wrong with a machine or a station, and says how to mend it."""
import datetime
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import yaml

try:
    import cv2
except ImportError:
    cv2 = None

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from reserved_port import ReservedPort  # noqa: E402

POV = os.environ["POV"]
CAMERA = """image_width: 640
image_height: 480
camera_name: test
camera_matrix: {rows: 3, cols: 3, data: [500, 0, 320, 0, 500, 240, 0, 0, 1]}
distortion_model: plumb_bob
distortion_coefficients: {rows: 1, cols: 5, data: [0, 0, 0, 0, 0]}
"""


class Doctor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(shared.cleanup)
        cls.simulated = pathlib.Path(shared.name) / "simulated"
        subprocess.run([POV, "sim", "station", "--images", "3", "--size", "640x480", "--bodies", "own", "--quiet", "--out", cls.simulated],
                       check=True, timeout=300)

    def setUp(self):
        self.folder_of_test = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder_of_test.cleanup)
        self.folder = pathlib.Path(self.folder_of_test.name)
        self.port = ReservedPort()
        self.addCleanup(self.port.close)

    def examine(self, text=None, **environment):
        """{what: [(verdict, finding)]}, exit code."""
        arguments = [POV, "doctor", "--json"]
        if text is not None:
            endpoint = "" if "endpoint" in text else f"\npublish: {{endpoint: 'tcp://127.0.0.1:{self.port.number}'}}"
            (self.folder / "station.yaml").write_text(f"{text}{endpoint}\ntags: {{families: [tag36h11]}}\n")
            arguments.append(self.folder / "station.yaml")
        result = subprocess.run(arguments, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
        found = {}
        for check in json.loads(result.stdout)["checks"]:
            found.setdefault(check["what"], []).append((check["verdict"], check["finding"]))
        any_wrong = any(verdict == "wrong" for each in found.values() for verdict, _ in each)
        self.assertEqual(result.returncode, int(any_wrong), found)
        return found

    def expect(self, found, what, verdict, *words):
        self.assertTrue(any(each[0] == verdict and all(word in each[1] for word in words) for each in found[what]),
                        f"{what}: wanted {verdict} {words}, found {found[what]}")

    def test_a_bare_machine_is_no_error(self):
        found = self.examine()
        self.assertLessEqual({"processor", "memory", "disk", "fonts", "serial", "cameras", "endpoint"}, set(found))

    def test_a_machine_without_fonts_is_told_the_package(self):
        (self.folder / "no_fonts.conf").write_text("<?xml version='1.0'?><fontconfig></fontconfig>")
        found = self.examine(FONTCONFIG_FILE=str(self.folder / "no_fonts.conf"))
        self.expect(found, "fonts", "note", "fonts-dejavu-core")

    def test_a_guessed_camera_a_fresh_and_an_old_calibration_are_told_apart(self):
        self.expect(self.examine("camera: {field_of_view_deg: 60}"), "calibration", "note", "pov calib camera")
        for days, verdict, word in ((3, "ok", ""), (400, "note", "months old")):
            date = (datetime.date.today() - datetime.timedelta(days=days)).isoformat()
            (self.folder / "camera.yaml").write_text(CAMERA + f'calibration:\n  date: "{date}T12:00:00Z"\n')
            found = self.examine("camera: {calibration: camera.yaml}")
            self.expect(found, "calibration", verdict, "camera.yaml", date, word)
        (self.folder / "camera.yaml").write_text(CAMERA)
        self.expect(self.examine("camera: {calibration: camera.yaml}"), "calibration", "ok", "no date")

    def test_images_that_are_not_there_are_named(self):
        found = self.examine("camera: {field_of_view_deg: 60, folder: {path: nowhere}}")
        self.expect(found, "images", "wrong", "nowhere")
        found = self.examine("camera: {field_of_view_deg: 60}")
        self.expect(found, "images", "note", "--images")

    def test_a_camera_that_a_station_needs_is_wrong_where_there_is_none(self):
        if self.examine()["cameras"][0][0] == "ok":
            self.skipTest("this machine has a camera")
        found = self.examine("camera: {field_of_view_deg: 60, source: libcamera}")
        self.expect(found, "cameras", "wrong", "/dev/video")

    def test_a_port_in_use_and_a_missing_controller_are_wrong(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            endpoint = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
            found = self.examine(f"camera: {{field_of_view_deg: 60}}\npublish: {{endpoint: '{endpoint}'}}")
            self.expect(found, "endpoint", "wrong", endpoint)
        found = self.examine("camera: {field_of_view_deg: 60}\nturntable: {device: /dev/no_such_table}")
        self.expect(found, "turntable", "wrong", "/dev/no_such_table")

    def test_servers_of_models_are_called(self):
        station = "camera: {{field_of_view_deg: 60}}\nvlm: {{endpoints: [{{url: '{}', model: m{}}}]}}"
        with ReservedPort() as port:
            url = f"http://127.0.0.1:{port}/v1"
            with socket.socket() as server:
                server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                server.bind(("127.0.0.1", port))
                server.listen()
                self.expect(self.examine(station.format(url, "")), "vlm", "ok", url)
            self.expect(self.examine(station.format(url, "")), "vlm", "wrong", url, "no server listens")
        self.expect(self.examine(station.format("http://no.such.host.invalid/v1", "")), "vlm", "wrong", "no such host")
        found = self.examine(station.format(url, ", key_env: POV_NO_SUCH_KEY"))
        self.expect(found, "vlm", "wrong", "POV_NO_SUCH_KEY")

    def mistake_map(self, world, position_std_m, rotation_std_deg, seed):
        """As measured by hand: the tags hang elsewhere than the map says."""
        random = np.random.default_rng(seed)
        tags = yaml.safe_load((world / "tags.yaml").read_text())
        for tag in tags["tags"]:
            x, y, z = np.radians(rotation_std_deg) * random.standard_normal(3)
            turn = np.eye(3) + [[0, -z, y], [z, 0, -x], [-y, x, 0]]
            u, _, v = np.linalg.svd(turn @ np.array(tag["rotation"]))
            tag["rotation"] = (u @ v).tolist()
            tag["position_m"] = (np.array(tag["position_m"]) + position_std_m * random.standard_normal(3)).tolist()
        (world / "mistaken.yaml").write_text(yaml.safe_dump(tags))
        text = (world / "station.yaml").read_text().replace("map: tags.yaml", "map: mistaken.yaml")
        (world / "mistaken_station.yaml").write_text(text)
        return world / "mistaken_station.yaml"

    def tag_map_by(self, station):
        """What doctor and run say of the map: verdict, finding, warnings."""
        examined = json.loads(subprocess.run([POV, "doctor", station, "--json"], capture_output=True, text=True, timeout=300).stdout)
        (verdict, finding), = [(c["verdict"], c["finding"]) for c in examined["checks"] if c["what"] == "tag map"]
        said = subprocess.run([POV, "run", station, "--no-publish", "--json"], capture_output=True, text=True, timeout=300).stderr
        return verdict, finding, said

    def test_a_tag_map_that_is_less_exact_than_it_says_is_told_by_how_much(self):
        world = self.folder / "world"
        subprocess.run([POV, "sim", "station", "--images", "4", "--size", "640x480", "--bodies", "own", "--quiet", "--out", world], check=True, timeout=300)
        verdict, finding, said = self.tag_map_by(world / "station.yaml")
        self.assertEqual((verdict, finding[:7]), ("ok", "6 tags;"))
        self.assertNotIn("do not fit a tag map", said)
        told = []
        for seed in range(2):
            verdict, finding, said = self.tag_map_by(self.mistake_map(world, 0.05, 1, seed))
            self.assertEqual(verdict, "note", finding)
            self.assertEqual(said.count("do not fit a tag map"), 1, said)
            told.append([float(re.search(f"{key}: ([0-9.e-]+)", finding)[1]) for key in ("position_std_m", "rotation_std_deg")])
        middle = np.exp(np.log(told).mean(axis=0))  # of six tags each
        self.assertTrue(0.5 < middle[0] / 0.05 < 2 and 1 / 3 < middle[1] < 3, told)
        station = self.mistake_map(world, 0.05, 1, 0)
        honest = yaml.safe_load((world / "mistaken.yaml").read_text())
        for tag in honest["tags"]:
            tag.update(position_std_m=0.05, rotation_std_deg=1)
        (world / "mistaken.yaml").write_text(yaml.safe_dump(honest))
        self.assertNotIn("do not fit a tag map", subprocess.run([POV, "run", station, "--no-publish", "--json"],
                                                                capture_output=True, text=True, timeout=300).stderr)

    def copy(self, name):
        """Of the simulated world, to be changed."""
        return shutil.copytree(self.simulated, self.folder / name)

    @staticmethod
    def change_images(world, change):
        for path in (world / "images").iterdir():
            cv2.imwrite(str(path), change(cv2.imread(str(path))))

    @unittest.skipUnless(cv2, "needs python3-opencv")
    def test_mirrored_and_inverted_images_are_told_as_what_they_are(self):
        for name, change, words in (("mirrored", lambda image: image[:, ::-1], "images are mirrored"),
                                    ("inverted", lambda image: 255 - image, "black and white are swapped")):
            world = self.copy(name)
            self.change_images(world, change)
            verdict, finding, said = self.tag_map_by(world / "station.yaml")
            self.assertEqual(verdict, "wrong")
            self.assertIn("6 of 6 are in its", finding)
            self.assertIn(words, finding)
            self.assertIn(words, said)
            self.assertNotIn("white border", said + finding)

    @unittest.skipUnless(cv2, "needs python3-opencv")
    def test_a_map_without_a_tag_in_view_keeps_its_line(self):
        world = self.copy("empty")
        self.change_images(world, lambda image: 0 * image + 90)
        verdict, finding, said = self.tag_map_by(world / "station.yaml")
        self.assertEqual(verdict, "note")
        self.assertIn("none of its 6 tags is in the first 3 images", finding)
        self.assertIn("white border", said)

    def test_a_map_in_millimetres_is_recognised(self):
        world = self.copy("millimetres")
        tags = yaml.safe_load((world / "tags.yaml").read_text())
        for tag in tags["tags"]:
            tag["position_m"] = [1000 * x for x in tag["position_m"]]
        (world / "tags.yaml").write_text(yaml.safe_dump(tags))
        verdict, finding, said = self.tag_map_by(world / "station.yaml")
        self.assertEqual(verdict, "wrong")
        self.assertIn("positions taken as millimetres", finding)
        self.assertIn("positions taken as millimetres", said)
        self.assertNotIn("contradict one another", said)

    def ball_station(self, radius_m):
        """A red ball of 5 cm that lies in the middle of the table, drawn by cutting each pixel's ray with it, lit from above."""
        images = self.folder / "balls"
        images.mkdir(exist_ok=True)
        eye, centre, radius = np.array([0, -0.9, 0.6]), np.array([0, 0, 0.05]), 0.05
        forward = (centre - eye) / np.linalg.norm(centre - eye)
        right = np.array([1.0, 0, 0])
        down = np.cross(forward, right)
        y, x = np.mgrid[0:480, 0:640]
        rays = (x[..., None] - 320) / 500 * right + (y[..., None] - 240) / 500 * down + forward
        rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
        along = rays @ (centre - eye)
        room = radius**2 - (centre - eye) @ (centre - eye) + along**2
        hit = room > 0
        normal = (eye + (along - np.sqrt(np.maximum(room, 0)))[..., None] * rays - centre) / radius
        shade = np.clip(0.45 + 0.5 * normal[..., 2], 0.1, 1)
        picture = np.full((480, 640, 3), 128.0)
        picture[hit] = (shade[..., None] * np.array([35, 30, 215]))[hit]
        for i in range(3):
            cv2.imwrite(str(images / f"{i}.png"), cv2.GaussianBlur(picture, (0, 0), 0.7).astype(np.uint8))
        (self.folder / "camera.yaml").write_text(CAMERA)
        rotation = np.column_stack([right, down, forward]).tolist()
        return ("camera: {calibration: camera.yaml, folder: {path: balls}, "
                f"pose: {{position_m: {eye.tolist()}, rotation: {rotation}}}}}\n"
                f"cast: [{{id: red_ball, class: ball, found_by: ball, ball: {{color: red, radius_m: {radius_m}}}}}, "
                "{id: green_ball, class: ball, found_by: ball, ball: {color: green, radius_m: 0.05}}]")

    @unittest.skipUnless(cv2, "needs python3-opencv")
    def test_things_of_the_cast_are_looked_for(self):
        found = self.examine(self.ball_station(0.05))
        self.expect(found, "cast", "ok", "red_ball: 3 of 3")
        self.expect(found, "cast", "note", "green_ball: in none of 3 images")
        said = subprocess.run([POV, "run", self.folder / "station.yaml", "--no-publish", "--json"], capture_output=True, text=True, timeout=300)
        self.assertIn("found in no image: green_ball;", said.stderr)
        self.assertEqual(said.returncode, 0)
        found = self.examine(self.ball_station(0.1))  # one radius twice too large
        self.expect(found, "cast", "note", "red_ball: in none of 3 images", "a radius of 0.1 m does not fit there", "would be 0.05 m")

    def test_the_rate_is_measured_on_the_stations_own_images_as_stills_and_as_video(self):
        world = self.folder / "timed"
        subprocess.run([POV, "sim", "station", "--images", "4", "--quiet", "--out", world], check=True, timeout=300)
        station = world / "station.yaml"
        size = re.search(r"image_width: (\d+)\s+image_height: (\d+)", (world / "camera.yaml").read_text())
        told = [self.rate(finding) for finding in self.rates_of(station, *size.groups())]
        self.assertEqual(len(told), 2)
        self.assertGreater(told[1], 0.8 * told[0])  # tags are followed
        text = station.read_text().replace("path: images", "path: images, rate_hz: 1000")
        self.assertIn("rate_hz: 1000", text)
        station.write_text(text)
        (finding,) = self.rates_of(station, *size.groups())
        self.assertRegex(finding, "images will come at 1000.0/s. To keep up: ")

    def rates_of(self, station, width, height):
        found = json.loads(subprocess.run([POV, "doctor", station, "--json"], capture_output=True, text=True, timeout=300).stdout)
        told = [check["finding"] for check in found["checks"] if check["what"] == "rate"]
        for finding in told:
            self.assertRegex(finding, rf"up to [\d.]+ images/s here, measured on \d+ images? of {width} x {height}; most time goes to [a-z ]+ \(\d+ %\)")
        return told

    def rate(self, finding):
        return float(re.search(r"up to ([\d.]+) images/s", finding)[1])

    def test_a_station_that_is_wrong_is_told_with_its_line(self):
        self.expect(self.examine("camera: {field_of_view_deg: 60}\ncats: []"), "station", "wrong", "cats", "cast")


if __name__ == "__main__":
    unittest.main()
