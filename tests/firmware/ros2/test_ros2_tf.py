#!/usr/bin/python3
"""A camera on a robot's head, whose pose comes from /tf, and things that other nodes tell of: said by the other vendor's DDS. The head turns at
60 degrees a second; the film is drawn by the simulator, which knows the truth."""
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(os.environ["POV_SOURCE"]) / "tests/support"))
from at_once import AtOnce, ros2_domain  # noqa: E402
import ros2_bytes  # noqa: E402

POV = os.environ["POV"]
PEER = pathlib.Path(POV).parent / "tests/ros2_peer"
IMAGES, IMAGE_HZ, TF_HZ, TURN_DEG_S = 16, 20, 50, 60
PAUSE_S = 0.18  # before each image: the film is played slowly, that a busy machine loses none
AXIS_TO_OPTICAL = numpy.array([[0, 0, 1], [-1, 0, 0], [0, -1, 0]], float)  # of a body with x forward to z forward
EYE = numpy.array([0, 0, 1.2])
TABLE_IN_BASE = numpy.array([0.4, 0.1, -0.3])  # ros2.root
BALLS = {"red_ball": (1.9, 0.05, 0.1), "blue_ball": (2.6, -0.12, 0.1)}
WORLD = """about: a head that turns
camera: {{size_px: [320, 240], field_of_view_deg: 70, position_m: {eye}, rotation: {rotation}}}
surface: {{size_m: [20, 20], color: "#a6a29c"}}
lighting: {{lamp_m: [1, -1.5, 7], lamp_strength: 0.5, ambient: 0.22}}
tags:
  family: tag36h11
  lying:
    - {{id: 1, position_m: [1.6, 0.55], yaw_deg: 0, edge_m: 0.4}}
    - {{id: 2, position_m: [1.6, -0.6], yaw_deg: 30, edge_m: 0.4}}
    - {{id: 3, position_m: [2.4, 0.7], yaw_deg: 10, edge_m: 0.4}}
    - {{id: 4, position_m: [2.5, -0.7], yaw_deg: -20, edge_m: 0.4}}
things:
  - {{id: red_ball, class: red ball, position_m: [1.9, 0.05], size_m: 0.2}}
  - {{id: blue_ball, class: blue ball, position_m: [2.6, -0.12], size_m: 0.2}}
"""
TF = "{frame: head_camera_optical, position_std_m: 0.003, rotation_std_deg: 0.2%s}"
ROS2 = "ros2: {publish: false, root: {frame: base_link, position_m: [0.4, 0.1, -0.3]}}\n"


def turned(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    return numpy.array({"z": [[c, -s, 0], [s, c, 0], [0, 0, 1]], "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]]}[axis])


def yaw_at(seconds):
    return math.radians(-TURN_DEG_S * IMAGES / IMAGE_HZ / 2 + TURN_DEG_S * seconds)


def camera_rotation(seconds):
    """In the table's frame, whose axes are the base's: the head looks down by 25 degrees."""
    return turned("z", yaw_at(seconds)) @ turned("y", math.radians(25)) @ AXIS_TO_OPTICAL


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


class Transforms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-ros2-tf-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        drawing = []
        for i in range(IMAGES):
            world = cls.folder / f"world{i}.yaml"
            world.write_text(WORLD.format(eye=EYE.tolist(), rotation=camera_rotation(i / IMAGE_HZ).tolist()))
            drawing.append(subprocess.Popen([POV, "sim", world, "--images", "1", "--quiet", "--threads", "1", "--bodies", "own", "--out", cls.folder / f"drawn{i}"]))
            if len(drawing) % 2 == 0:
                assert all(one.wait() == 0 for one in drawing)
        cls.pictures = [next((cls.folder / f"drawn{i}/images").iterdir()).read_bytes() for i in range(IMAGES)]
        cls.tag_map = re.search(r"map: (\S+?)[,}\n]", (cls.folder / "drawn0/station.yaml").read_text())[1]
        cls.cast = "".join(f"  - {{id: {name}, class: ball, found_by: ball, ball: {{radius_m: 0.1, center_height_m: 0.1, color: '{color}'}}}}\n"
                           for name, color in (("red_ball", "#c81e1e"), ("blue_ball", "#1f3fc8")))

    def setUp(self):
        self.domain = self.enterContext(ros2_domain())
        self.environment = {**os.environ, "ROS_LOCALHOST_ONLY": "1", "ROS_DOMAIN_ID": str(self.domain)}
        self.place = self.folder / self.id()
        self.place.mkdir()
        self.script = []
        self.film_ns = 1700000000 * 10**9 + 213141593  # no image has a transform's own stamp

    def station(self, tf="", cast=None, ros2=ROS2):
        path = self.place / "station.yaml"
        path.write_text("camera:\n  source: ros2\n  ros2: {image: /head/image/compressed, reliable: true}\n  calibration: ../drawn0/camera.yaml\n"
                        f"  tf: {TF % tf}\n{ros2}cast:\n{self.cast if cast is None else cast}")
        return path

    def stamp(self, seconds):
        """Of a time in the film."""
        return self.film_ns + round(seconds * 1e9)

    def say(self, seconds, topic, kind, message, qos="rv"):
        """In the order of the film's time; what that is, stamps say."""
        file = self.place / f"message{len(self.script)}"
        file.write_bytes(message)
        pause_s = PAUSE_S if topic.endswith("compressed") else 0
        self.script.append((seconds, f"{pause_s} rt{topic} {ros2_bytes.dds_type(kind)} {qos} {file}"))

    def say_static(self, camera_off_m=(0, 0, 0)):
        """base_link > torso, and head > camera: the camera's own mount."""
        head = turned("y", math.radians(25)) @ AXIS_TO_OPTICAL
        self.say(-9, "/tf_static", "TFMessage", ros2_bytes.transforms(
            (0, "base_link", "torso", (TABLE_IN_BASE + EYE - [0, 0, 0.4]).tolist(), (0, 0, 0, 1)),
            (0, "head", "head_camera_optical", list(camera_off_m), ros2_bytes.quaternion(head.tolist()))), "rt")

    def say_head(self, begin=-0.3, end=1.2, late_s=0.005):
        for k in range(int((end - begin) * TF_HZ)):
            t = begin + k / TF_HZ
            angle = yaw_at(t)
            self.say(t + late_s, "/tf", "TFMessage", ros2_bytes.transforms(
                (self.stamp(t), "torso", "head", (0, 0, 0.4), (0, 0, math.sin(angle / 2), math.cos(angle / 2)))))

    def say_film(self):
        for i, picture in enumerate(self.pictures):
            t = i / IMAGE_HZ
            self.say(t, "/head/image/compressed", "CompressedImage", ros2_bytes.compressed_image(self.stamp(t), "head_camera_optical", picture))

    def run_station(self, station, least):
        """Until the film is over. least: so many images at least were judged, however slow the machine is."""
        script = self.place / "script"
        script.write_text("\n".join(line for _, line in sorted(self.script, key=lambda said: said[0])) + "\n")
        with open(self.place / "judged", "w", encoding="utf-8") as judged, open(self.place / "said", "w", encoding="utf-8") as said:
            run = subprocess.Popen([POV, "run", station, "--no-publish", "--quiet", "--json"], stdout=judged, stderr=said, env=self.environment)
            self.addCleanup(run.kill)
            subprocess.run([PEER, "play", str(self.domain), script], check=True, timeout=60)
            run.send_signal(signal.SIGINT)
            code = run.wait(timeout=60)
        text = (self.place / "said").read_text()
        self.assertEqual(code, 0, text)
        lines = [json.loads(line) for line in (self.place / "judged").read_text().splitlines()]
        self.assertGreaterEqual(len(lines), least, text)
        return lines, text

    def seconds(self, judged):
        return (judged["image"]["capture_ns"] - self.film_ns) / 1e9

    def test_egocentric_stays_right_while_the_head_turns(self):
        self.say_static()
        self.say_head()
        self.say_film()
        judged, said = self.run_station(self.station(), 12)
        worst_deg = worst_m = 0
        decided, wrong = [], 0
        for one in judged:
            self.assertEqual(one["image"]["pose"]["source"], "tf", said)
            true = camera_rotation(self.seconds(one))
            found = numpy.array(one["image"]["pose"]["R_table_camera"]).reshape(3, 3)
            worst_deg = max(worst_deg, math.degrees(math.acos(min(1, (numpy.trace(found.T @ true) - 1) / 2))))
            places = {entity["id"]: entity["pos_m"] for entity in one["scene"]["entities"]}
            for name, where in BALLS.items():
                worst_m = max(worst_m, float(numpy.linalg.norm(numpy.subtract(places[name], where))))
            red_is_right = (true.T @ numpy.subtract(BALLS["red_ball"], BALLS["blue_ball"]))[0]
            for judgment in one["judgments"]:
                asked = judgment["referent"], judgment["relation"], judgment["perspective"], judgment["axis"], judgment["convention"]
                if asked == ("red_ball", "left_of", "egocentric", "heading", "translated") and judgment["verdict"] in ("true", "false"):
                    decided.append(judgment["verdict"] == "true")
                    wrong += decided[-1] != (red_is_right < 0)
        print(f"head at {TURN_DEG_S} deg/s, /tf at {TF_HZ} Hz: the camera's direction is off by at most {worst_deg:.4f} deg, balls by {1e3 * worst_m:.1f} mm; "
              f"of {len(decided)} decided egocentric judgments {wrong} are wrong")
        self.assertLess(worst_deg, 0.02)  # without interpolation it would be 0.6
        self.assertLess(worst_m, 0.01)
        self.assertEqual(set(decided), {True, False})  # left becomes right in the film
        self.assertGreater(len(decided), 8)
        self.assertEqual(wrong, 0)

    def test_a_transform_that_is_missing_is_named_and_nothing_is_placed(self):
        self.say_film()
        judged, said = self.run_station(self.station(), 2)
        self.assertIn("the robot does not tell the camera's pose, and found things have no place: no transform names the frame "
                      "'head_camera_optical'; health tells of it from now on", said)
        for one in judged:
            self.assertEqual(one["image"]["pose"]["source"], "unknown")
            self.assertTrue(all(entity["pos_m"] is None for entity in one["scene"]["entities"]))

    def test_a_chain_with_a_hole_is_named(self):
        self.say_static()
        self.say_film()
        _, said = self.run_station(self.station(), 2)
        self.assertIn("no transforms lead from 'base_link' to 'head_camera_optical'", said)

    def test_nothing_is_extrapolated_when_the_transforms_end(self):
        self.say_static()
        self.say_head(end=0.3)
        self.say_film()
        judged, said = self.run_station(self.station(", wait_s: 0.05"), 9)
        last_s = -0.3 + (int(0.6 * TF_HZ) - 1) / TF_HZ
        for one in judged:
            known = self.seconds(one) <= last_s + 1e-6
            self.assertEqual(one["image"]["pose"]["source"], "tf" if known else "unknown", f"{self.seconds(one)} {said}")
        self.assertTrue(any(self.seconds(one) > last_s for one in judged))
        self.assertRegex(said, r"the newest transform from 'torso' to 'head' is 0\.\d+ s older than the image")

    def test_a_wrong_hand_eye_calibration_is_told_by_how_much(self):
        """The mount is told 60 mm beside itself: the tags in view know better."""
        self.say_static(camera_off_m=(0, 0.06, 0))
        self.say_head()
        self.say_film()
        station = self.station()
        station.write_text(station.read_text() + f"tags: {{map: ../drawn0/{self.tag_map}}}\n")
        judged, said = self.run_station(station, 11)
        found = re.search(r"the transforms of 'head_camera_optical' and the tags disagree by ([\d.]+) mm and ([\d.]+) deg", said)
        self.assertTrue(found, said)
        print(f"hand-eye off by 60 mm: told {found[1]} mm, {found[2]} deg")
        self.assertAlmostEqual(float(found[1]), 60, delta=8)
        self.assertLess(float(found[2]), 1)
        self.assertTrue(all(one["image"]["pose"]["source"] == "tags" for one in judged))

    def test_the_doctor_tells_of_transforms_and_of_a_wrong_hand_eye_calibration(self):
        """A head that stands still: all transforms are static, and the driver sends one image again and again."""
        head = camera_rotation(0)
        told = ros2_bytes.transforms((0, "base_link", "head_camera_optical", (TABLE_IN_BASE + EYE + [0, 0.06, 0]).tolist(), ros2_bytes.quaternion(head.tolist())))
        image = ros2_bytes.compressed_image(self.film_ns, "head_camera_optical", self.pictures[0])
        for topic, kind, qos, message in (("/tf_static", "TFMessage", "rt", told), ("/head/image/compressed", "CompressedImage", "rv", image)):
            file = self.place / kind
            file.write_bytes(message)
            peer = subprocess.Popen([PEER, "say", str(self.domain), "rt" + topic, ros2_bytes.dds_type(kind), qos, "10", file])
            self.addCleanup(lambda one: (one.kill(), one.wait()), peer)
        station = self.station()
        station.write_text(station.read_text() + f"tags: {{map: ../drawn0/{self.tag_map}}}\n")
        doctor = subprocess.run([POV, "doctor", station], capture_output=True, text=True, env=self.environment, check=False)
        said = " ".join(doctor.stdout.split())
        print("\n".join(line for line in doctor.stdout.splitlines() if "transforms" in line or "clock" in line))
        told = re.search(r"'head_camera_optical' is told of in (\d+) of (\d+) images, last at \(0\.000, 0\.060, 1\.200\) m in the table's frame; 2 frames are known", said)
        self.assertTrue(told, said)
        self.assertGreater(2 * int(told[1]), int(told[2])) # the first may come before the transform
        found = re.search(r"the tags put the camera ([\d.]+) mm and ([\d.]+) deg from there, more than both state of themselves", said)
        self.assertTrue(found, said)
        self.assertAlmostEqual(float(found[1]), 60, delta=8)

    def test_transforms_and_tags_are_fused(self):
        self.say_static()
        self.say_head()
        self.say_film()
        by_tags = self.folder / "by_tags.yaml"
        by_tags.write_text(f"camera:\n  source: folder\n  folder: {{path: drawn0/images}}\n  calibration: drawn0/camera.yaml\ntrack: false\n"
                           f"tags: {{map: drawn0/{self.tag_map}}}\ncast:\n{self.cast}")
        alone = subprocess.run([POV, "run", by_tags, "--no-publish", "--quiet", "--json"], capture_output=True, text=True, check=True)
        station = self.station()
        station.write_text(station.read_text() + f"track: false\ntags: {{map: ../drawn0/{self.tag_map}}}\n")
        judged, said = self.run_station(station, 8)
        tags_cov = numpy.array(json.loads(alone.stdout.splitlines()[0])["image"]["pose"]["cov"]).reshape(6, 6)
        for one in judged:
            pose = one["image"]["pose"]
            cov = numpy.array(pose["cov"]).reshape(6, 6)
            self.assertEqual(pose["source"], "tags", said)
            self.assertLess(cov[3, 3], min(0.003**2, 1.2 * tags_cov[3, 3]))
            off = numpy.subtract(pose["pos_m"], EYE)
            self.assertLess(off @ numpy.linalg.solve(cov[3:, 3:], off), 21.1)  # chi-square of 3: 0.01 %
        self.assertNotIn("disagree", said)

    def test_things_that_others_tell_of_have_their_places_and_leave(self):
        cast = """  - {id: anna, class: person, size_m: [0.3, 0.5, 1.7], found_by: tf, tf: {frame: person_1, position_std_m: 0.05, rotation_std_deg: 5,
       has_front: true, center_m: [0, 0, -0.2], stale_after_s: 0.3}}
  - {id: mug, class: mug, size_m: [0.1, 0.1, 0.1], found_by: topic, topic: {pose: /mug_pose, position_std_m: 0.02, stale_after_s: 0.3}}
  - {id: cup, class: cup, size_m: [0.1, 0.1, 0.1], found_by: topic, topic: {detections: /found, class: cup, position_std_m: 0.5}}
"""
        self.say_static()
        self.say_head()
        self.say_film()
        covariance = [0.0] * 36
        covariance[0], covariance[7], covariance[14] = 0.01, 0.0004, 0.0009
        for k in range(30):
            t = -0.3 + k / 50
            stamp, at = self.stamp(t), t + 0.002
            self.say(at, "/tf", "TFMessage", ros2_bytes.transforms((stamp, "base_link", "person_1", (3.0, 1.0, 1.0), (0, 0, 0.5**0.5, 0.5**0.5))))
            self.say(at, "/mug_pose", "PoseStamped", ros2_bytes.pose_stamped(stamp, "table", (1.5, 0.5, 0.05)))
            self.say(at, "/found", "Detection3DArray", ros2_bytes.detections(
                stamp, "base_link", ("cup", 0.9, (2.4, 0.1, -0.25), (0, 0, 0, 1), (0.1, 0.1, 0.1), covariance, "7"),
                ("plate", 0.9, (9, 9, 9), (0, 0, 0, 1), (0.1, 0.1, 0.1), covariance, "8")))
        station = self.station(cast=cast)
        station.write_text(station.read_text() + "track: false\n")
        judged, said = self.run_station(station, 12)
        things = {entity["id"]: entity for entity in judged[4]["scene"]["entities"]}
        for name, where, std in (("anna", (2.6, 0.9, 1.1), 0.05), ("mug", (1.5, 0.5, 0.05), 0.02), ("cup", (2.0, 0.0, 0.05), 0.1)):
            self.assertTrue(things[name]["seen"], f"{name} {said}")
            numpy.testing.assert_allclose(things[name]["pos_m"], where, atol=1e-6)
            self.assertAlmostEqual(things[name]["pos_cov_m2"][0]**0.5, std, delta=0.1 * std)
        self.assertAlmostEqual(math.degrees(things["anna"]["heading_rad"]), 90, places=3)
        self.assertAlmostEqual(things["cup"]["pos_cov_m2"][4]**0.5, 0.02, places=4)
        gone = {entity["id"]: entity for entity in judged[-1]["scene"]["entities"]}
        self.assertGreater(self.seconds(judged[-1]), 0.6)
        self.assertFalse(gone["anna"]["seen"] or gone["mug"]["seen"])


if __name__ == "__main__":
    if not PEER.exists():
        skip("libfastrtps-dev is not installed, or pov was built without ROS 2")
    unittest.main(testRunner=AtOnce(12))
