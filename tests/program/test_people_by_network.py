#!/usr/bin/python3
"""People whose bodies a network finds: one whose answer is known, in simulated images, against the simulator's truth."""
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import cv2
import numpy as np
import yaml

sys.path.insert(0, str(pathlib.Path(os.environ["POV_SOURCE"]) / "tests" / "support"))
import onnx_models  # noqa: E402

POV = os.environ["POV"]
CASCADES = pathlib.Path("/usr/share/opencv4/haarcascades")
WIDTH, HEIGHT, INPUT = 640, 480, (96, 128)  # the network's height and width: a fifth of the image's
EYE, TARGET, FIELD_DEG = np.array([3, 0.3, 1.5]), np.array([0, 0, 0.9]), 45
WORLD = f"""
images: 8
camera: {{size_px: [{WIDTH}, {HEIGHT}], field_of_view_deg: {FIELD_DEG}, position_m: {EYE.tolist()}, look_at_m: {TARGET.tolist()}}}
surface: {{size_m: [14, 14], color: "#b39a7c"}}
lighting: {{lamp_m: [3, -2, 5], lamp_radius_m: 0.5, lamp_strength: 0.7, ambient: 0.42, sky: "#c3cad0"}}
turntable: {{position_m: [0, 0], radius_m: 0.6, height_m: 0.02}}
motion: {{steps: 8}}
things:
  - {{id: bob, class: man, position_m: [0, 0], on: turntable, front_deg: -30}}
  - {{id: box, position_m: [0.9, 0.9]}}
"""
ANNA = {"id": "anna", "class": "person", "found_by": "person", "addressee": True,
        "person": {"height_m": 1.8, "stands_on_m": 0.02}}


def pov(*arguments, status=0):
    ran = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=200)
    assert ran.returncode == status, (ran.returncode, ran.stderr)
    return ran


def project(points):
    forward = (TARGET - EYE) / np.linalg.norm(TARGET - EYE)
    right = np.cross(forward, [0, 0, 1])
    right /= np.linalg.norm(right)
    x, y, z = np.stack([right, np.cross(forward, right), forward]) @ (points - EYE).T
    focal = WIDTH / 2 / math.tan(math.radians(FIELD_DEG / 2))
    return np.stack([focal * x / z + (WIDTH - 1) / 2, focal * y / z + (HEIGHT - 1) / 2], 1)


def standing(x, y):
    """The box about somebody who is not there: a cylinder 1.8 m high."""
    angles = np.arange(32) * np.pi / 16
    points = np.array([[x + 0.22 * np.cos(a), y + 0.22 * np.sin(a), z] for a in angles for z in (0.02, 1.82)])
    pixels = project(points)
    return np.hstack([pixels.min(0), pixels.max(0)])


BEHIND_LEFT = standing(-1.5, -1.2)


def pointing_joints(x, y, target, left):
    """17 joints of somebody 1.8 m tall at (x, y) who points with one arm, straight, its fingertip on the line from the eyes to the target;
    the other hangs."""
    tall, floor = 1.8, 0.02
    ahead = np.array([*(np.array(target[:2]) - [x, y]), 0])
    ahead /= np.linalg.norm(ahead)
    aside, eyes = np.array([-ahead[1], ahead[0], 0]), np.array([x, y, floor + 0.936 * tall])
    joints = np.tile(eyes, (17, 1))
    for side, at in ((1, 0), (-1, 1)):  # left, right
        shoulder = np.array([x, y, floor + 0.818 * tall]) + side * 0.12 * tall * aside
        elbow, wrist = shoulder - [0, 0, 0.186 * tall], shoulder - [0, 0, 0.332 * tall]
        if (side == 1) == left:
            shares = np.linspace(0, 1, 4001)[:, None]
            tips = eyes + shares * (np.array(target) - eyes)
            tip = tips[np.argmin(np.abs(np.linalg.norm(tips - shoulder, axis=1) - (0.96 * 0.332 + 0.108) * tall))]
            along = (tip - shoulder) / np.linalg.norm(tip - shoulder)
            elbow, wrist = shoulder + 0.96 * 0.186 * tall * along, shoulder + 0.96 * 0.332 * tall * along
        joints[5 + at], joints[7 + at], joints[9 + at] = shoulder, elbow, wrist
        joints[11 + at] = [*(np.array([x, y]) + side * 0.1 * aside[:2]), floor + 0.53 * tall]
        joints[13 + at] = [x, y, floor + 0.285 * tall]
        joints[15 + at] = [x, y, floor + 0.04 * tall]
    return joints


def silhouette(folder, name, label):
    """Edges of what has this number in the simulator's picture of ids: pixels' outer edges, (0, 0) a pixel's centre."""
    ids = cv2.imread(str(folder / "ids" / f"{name}.png"), cv2.IMREAD_UNCHANGED)
    rows, columns = np.nonzero(ids == label)
    return np.array([columns.min() - 0.5, rows.min() - 0.5, columns.max() + 0.5, rows.max() + 0.5])


def density(modes, yaw):
    """Of a mixture of von Mises; its norm by counting."""
    angles = np.arange(720) * 2 * np.pi / 720
    return sum(m["weight"] * math.exp(m["kappa"] * (math.cos(yaw - m["yaw_rad"]) - 1)) /
               (np.exp(m["kappa"] * (np.cos(angles) - 1)).sum() * 2 * np.pi / 720) for m in modes)


class ByNetwork(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name) / "drawn"
        world = pathlib.Path(cls.scratch.name) / "world.yaml"
        world.write_text(WORLD)
        pov("sim", world, "--bodies", "own", "--truth-images", "--out", cls.folder, "--quiet")
        cls.truths = [json.loads(line) for line in (cls.folder / "truth.jsonl").read_text().splitlines()]
        cls.station = yaml.safe_load((cls.folder / "station.yaml").read_text())
        first = pathlib.Path(cls.truths[0]["image"]["name"]).stem
        bob = next(e for e in cls.truths[0]["scene"]["entities"] if e["id"] == "bob")
        cls.body = silhouette(cls.folder, first, bob["label"] + 1)
        cls.make_network(cls.folder / "network.onnx", [(cls.body, 0.9), (BEHIND_LEFT, 0.6)])

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @staticmethod
    def make_network(path, found):
        rows = np.array([[*((box + 0.5) * INPUT[1] / WIDTH), score, 1] for box, score in found])[None]
        onnx_models.constant_model(path, {"rows": rows}, INPUT)
        contract = path.with_suffix(".yaml")
        onnx_models.write_contract(contract, onnx_models.contract_of(
            path, "yolo26", {"rows": ("rows", (1, len(found), 6))}, INPUT, ("car", "person")))
        pov("model", "seal", contract)

    def test_an_arm_that_points_is_in_the_record_and_judged(self):
        box = next(e for e in self.truths[0]["scene"]["entities"] if e["id"] == "box")
        at, target = (-1.0, -0.4), np.array(box["pos_m"])
        joints = project(pointing_joints(*at, target, left=True))
        person = np.hstack([np.hstack([joints[:, ::-1], np.full((17, 1), 0.9)]) / [HEIGHT, WIDTH, 1]])
        edges = standing(*at)[[1, 0, 3, 2]] / [HEIGHT, WIDTH, HEIGHT, WIDTH]
        row = np.hstack([person.ravel(), edges, [0.9]])
        model = self.folder / "movenet.onnx"
        onnx_models.constant_model(model, {"rows": np.vstack([row, np.zeros((5, 56))])[None]}, INPUT)
        onnx_models.write_contract(model.with_suffix(".yaml"), onnx_models.contract_of(
            model, "movenet", {"rows": ("rows", (1, 6, 56))}, INPUT, ("person",), keypoints={"count": 17}))
        pov("model", "seal", model.with_suffix(".yaml"))
        self.write({**ANNA, "person": {**ANNA["person"], "faces": False}}, *[m for m in self.station["cast"] if m["id"] == "box"],
                   name="pointing.yaml", models={"detectors": [{"contract": "movenet.yaml"}]})
        lines = [json.loads(line) for line in pov("run", self.folder / "pointing.yaml", "--json").stdout.splitlines()]
        anna = next(e for e in lines[0]["scene"]["entities"] if e["id"].startswith("anna"))
        self.assertTrue(anna["arms_seen"])
        wanted = math.atan2(target[1] - at[1], target[0] - at[0])
        best = max(anna["pointing"], key=lambda mode: mode["weight"])
        self.assertLess(abs(math.remainder(best["yaw_rad"] - wanted, 2 * math.pi)), 2 / math.sqrt(best["kappa"]), (anna["pointing"], wanted))

    def write(self, *cast, name="people.yaml", **changes):
        description = {**self.station, "models": {"detectors": [{"contract": "network.yaml"}]}, "cast": list(cast), **changes}
        description = {key: value for key, value in description.items() if value is not None}
        (self.folder / name).write_text(yaml.safe_dump(description, sort_keys=False))
        return self.folder / name

    @unittest.skipUnless(CASCADES.is_dir(), "opencv-data is not installed")
    def test_a_body_is_placed_and_its_face_tells_the_heading(self):
        ran = pov("run", self.write(ANNA), "--json", "--no-publish")
        self.assertNotIn("HOG", ran.stderr)
        told = []
        for line, truth in zip(ran.stdout.splitlines(), self.truths, strict=True):
            anna = next(e for e in json.loads(line)["scene"]["entities"] if e["id"] == "anna")
            bob = next(e for e in truth["scene"]["entities"] if e["id"] == "bob")
            self.assertTrue(anna["seen"])
            dx, dy = (anna["pos_m"][i] - bob["pos_m"][i] for i in (0, 1))
            xx, xy, _, _, yy, *_ = anna["pos_cov_m2"]
            self.assertLess((dx * dx * yy - 2 * dx * dy * xy + dy * dy * xx) / (xx * yy - xy * xy), 9.2)
            self.assertLess(math.hypot(dx, dy), 0.15)
            told.append((anna["headings"], anna.get("head_headings") or anna["headings"], bob["heading_rad"]))
        even = math.log(2 * math.pi)  # of a heading that may be any
        surprise = lambda which: -sum(math.log(density(row[which], row[2])) for row in told) / len(told)
        self.assertLess(surprise(0), even - 0.2)  # bodies turn from their heads
        self.assertLess(surprise(1), even - 0.3)

    def test_several_are_numbered_from_left_to_right(self):
        several = {**ANNA, "person": {**ANNA["person"], "count": 3}}
        ran = pov("run", self.write(several), "--json", "--no-publish", "--count", "1")
        entities = {e["id"]: e for e in json.loads(ran.stdout)["scene"]["entities"]}
        self.assertEqual(sorted(entities), ["anna_1", "anna_2", "camera"])
        bearing = {name: project(np.array([entities[name]["pos_m"]]))[0][0] for name in ("anna_1", "anna_2")}
        self.assertLess(bearing["anna_1"], bearing["anna_2"])
        self.assertAlmostEqual(bearing["anna_2"], (self.body[0] + self.body[2]) / 2, delta=10)

    def test_without_a_camera_pose_the_boxes_are_drawn(self):
        camera = {key: value for key, value in self.station["camera"].items() if key != "pose"}
        station = self.write({**ANNA, "person": {"count": 2}}, name="lost.yaml", camera=camera, tags=None, judge=None)
        out = self.folder / "annotated"
        ran = pov("run", station, "--json", "--no-publish", "--count", "1", "--annotate", out)
        for entity in json.loads(ran.stdout)["scene"]["entities"]:
            self.assertTrue(entity["seen"] and entity["pos_m"] is None, entity)
        drawn = cv2.imread(str(next(out.iterdir()))).astype(int)
        plain = cv2.imread(str(self.folder / "images" / self.truths[0]["image"]["name"]))
        times = drawn.shape[0] // HEIGHT
        self.assertEqual(drawn.shape[0], times * HEIGHT)
        plain = np.repeat(np.repeat(plain, times, 0), times, 1).astype(int)
        changed = np.abs(drawn[:, :plain.shape[1]] - plain).max(2) > 30
        for box in (self.body, BEHIND_LEFT):
            left, top, right, bottom = ((box + 0.5) * times - 0.5).round().astype(int)
            near = lambda part: part.any(0).mean() if part.shape[0] < part.shape[1] else part.any(1).mean()
            for y in (top, bottom):
                self.assertGreater(near(changed[max(0, y - 2):y + 3, left:right]), 0.95)
            for x in (left, right):
                self.assertGreater(near(changed[top:bottom, max(0, x - 2):x + 3]), 0.95)
        inside = changed[:, :times * 20]
        self.assertLess(inside.mean(), 0.01)  # nothing is drawn where nothing was found

    def test_a_class_that_no_detector_knows_is_named(self):
        misspelt = {**ANNA, "person": {"class": "persn"}}
        self.assertIn("did you mean 'person'", pov("run", self.write(misspelt), status=1).stderr)

    def test_without_a_network_the_start_and_the_doctor_say_how_slow_that_is(self):
        station = self.write({**ANNA, "person": {"faces": False}}, models=None)
        said = pov("run", station, "--json", "--no-publish", "--count", "2").stderr
        self.assertEqual(said.count("HOG, which took"), 1)
        self.assertIn("models: {detectors: [{contract:", said)
        checks = json.loads(pov("doctor", station, "--json", status=0).stdout)["checks"]
        finding, = [check["finding"] for check in checks if check["what"] == "people"]
        self.assertRegex(finding, r"HOG, \d+\.\d\d s an image of 640 x 480.*models: {detectors:")
        checks = json.loads(pov("doctor", self.write({**ANNA, "person": {"faces": False}}), "--json").stdout)["checks"]
        finding, = [check["finding"] for check in checks if check["what"] == "people"]
        self.assertIn("class person", finding)

    def test_images_need_not_wait_for_hog(self):
        camera = {**self.station["camera"]}
        camera["folder"] = {**camera["folder"], "rate_hz": 20, "loop": True}
        station = self.write({**ANNA, "person": {"faces": False, "height_m": 1.8, "stands_on_m": 0.02}},
                             models={"in_background": True}, camera=camera, track=False)
        with subprocess.Popen([POV, "run", station, "--json", "--no-publish"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as running:
            while True:  # a look takes as long as it takes
                anna = next(e for e in json.loads(running.stdout.readline())["scene"]["entities"] if e["id"] == "anna")
                if anna["seen"]:
                    break
            self.assertGreater(anna["look_age_s"], 0.02)
            running.send_signal(signal.SIGINT)
            running.stdout.read()
        self.assertEqual(running.returncode, 0)


DATA = pathlib.Path(os.environ.get("POV_SHARED", pathlib.Path(os.environ["POV_SOURCE"]).parent / "shared")) / "data"
# Where people's faces are, and how their heads are turned: degrees from facing the camera toward the image's right, by eye and by FSA-Net.
HEADS = {"zidane.jpg": [(602, 345, 57), (984, 187, 11)], "bus.jpg": [(134, 443, 22), (287, 448, 20)]}


def sure_heading(entity, to_camera):
    """The heaviest mode against the camera, to the image's right; None: less than half the weight, or wider than 45 degrees."""
    mode = max(entity["headings"], key=lambda m: m["weight"])
    if mode["weight"] <= 0.5 or mode["kappa"] < 1 / math.radians(45) ** 2:
        return None
    return math.degrees(math.remainder(mode["yaw_rad"] - to_camera, 2 * math.pi))


@unittest.skipUnless((DATA / "people").is_dir() and (DATA / "models" / "yunet_2026may.onnx").is_file(), "../shared not found")
class Photographs(unittest.TestCase):
    """People in plain view in photographs."""

    def headings(self, networks, picture):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "photo").mkdir()
            (folder / "photo" / picture).write_bytes((DATA / "people" / picture).read_bytes())
            for name in networks:
                (folder / f"{name}.onnx").write_bytes((DATA / "models" / f"{name}.onnx").read_bytes())
                pov("model", "check", folder / f"{name}.onnx")
                pov("model", "seal", folder / f"{name}.yaml")
            (folder / "station.yaml").write_text(yaml.safe_dump(
                {"camera": {"field_of_view_deg": 50, "folder": {"path": "photo"}, "pose": {"position_m": [0, -4, 1.6], "look_at_m": [0, 0, 1.2]}},
                 "models": {"detectors": [{"contract": f"{name}.yaml"} for name in networks], "in_background": False},
                 "cast": [{"id": "p", "class": "person", "found_by": "person", "person": {"count": 5}}]}))
            entities = json.loads(pov("run", folder / "station.yaml", "--json", "--no-publish").stdout)["scene"]["entities"]
        people = [e for e in entities if e["seen"] and e["pos_m"]]
        to_camera = [math.atan2(-4 - e["pos_m"][1], -e["pos_m"][0]) for e in people]
        return people, [sure_heading(e, c) for e, c in zip(people, to_camera)]

    def check(self, networks):
        sure, told = 0, 0
        for picture, heads in HEADS.items():
            people, headings = self.headings(networks, picture)
            self.assertGreaterEqual(len(people), len(heads), picture)
            width = 1280 if picture == "zidane.jpg" else 810
            for person, heading in zip(people, headings):
                x = person["pos_m"][0] / (4 + person["pos_m"][1]) * (width / 2) / math.tan(math.radians(25)) + width / 2
                near = min(heads, key=lambda head: abs(head[0] - x))
                told += 1
                camera = math.atan2(-4 - person["pos_m"][1], -person["pos_m"][0])
                self.assertLess(sum(m["weight"] for m in person["headings"]
                                    if m["kappa"] > 0 and abs(math.remainder(m["yaw_rad"] - camera, 2 * math.pi)) > 2), 0.3)
                if heading is None:
                    continue
                sure += 1
                print(f"{networks}: {picture}, at {x:.0f} px: {heading:.0f} degrees")
                self.assertLess(abs(x - near[0]), 150, "a sure heading without a face")
                self.assertLess(abs(heading - near[2]), 45)
                if "yunet_2026may" in networks:  # the head's own heading is narrower than the body's, and as true as it says
                    head = max(person["head_headings"], key=lambda m: m["weight"])
                    off = math.degrees(math.remainder(head["yaw_rad"] - camera, 2 * math.pi)) - near[2]
                    self.assertLess(abs(off), min(15, 2 * math.degrees(head["kappa"] ** -0.5)))
        return sure, told

    def test_a_network_of_faces_tells_all_four(self):
        self.assertEqual(self.check(["yolox_nano", "yunet_2026may"])[0], 4)
        self.assertEqual(self.check(["yunet_2026may"]), (4, 4))

    @unittest.skipUnless(CASCADES.is_dir(), "opencv-data is not installed")
    def test_cascades_call_nobody_turned_away(self):
        self.check(["yolox_nano"])


if __name__ == "__main__":
    unittest.main()
