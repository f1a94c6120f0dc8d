#!/usr/bin/python3
"""A station whose camera is a topic of ROS 2, said by the other vendor's DDS: every encoding, the lens, stamps, a driver that restarts,
messages that lie."""
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import cv2
import numpy

sys.path.insert(0, str(pathlib.Path(os.environ["POV_SOURCE"]) / "tests/support"))
from at_once import AtOnce, ros2_domain  # noqa: E402
from ros2_bytes import Cdr  # noqa: E402

POV = os.environ["POV"]
PEER = pathlib.Path(POV).parent / "tests/ros2_peer"
COUNT = itertools.count()
STAMP = (1700000000, 123456789)
CAMERA_INFO = ("rt/cam/camera_info", "sensor_msgs::msg::dds_::CameraInfo_")
IMAGE = ("rt/cam/image", "sensor_msgs::msg::dds_::Image_")
COMPRESSED = ("rt/cam/image/compressed", "sensor_msgs::msg::dds_::CompressedImage_")


def image_message(encoding, pixels, order="<", gap=0, step=None, height=None):
    rows = pixels.reshape(pixels.shape[0], -1)
    data = numpy.pad(rows, ((0, 0), (0, gap))).tobytes()
    width = pixels.shape[1]
    return bytes(Cdr(order).header().put("I", height or pixels.shape[0], width).text(encoding).put("B", 0)
                 .put("I", step or rows.shape[1] + gap).blob(data).bytes)


def info_message(width, height, k, model="plumb_bob", d=(), binning=(0, 0), region=(0, 0, 0, 0)):
    cdr = Cdr().header().put("I", height, width).text(model).put("I", len(d)).put("d", *d).put("d", *k).put("d", *[0.0] * 21)
    return bytes(cdr.put("I", *binning, *region).put("B", 0).bytes)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


class Camera(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-ros2-camera-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        world = cls.folder / "world"
        subprocess.run([POV, "sim", "comfort-ball", "--images", "1", "--quiet", "--out", world], check=True)
        cls.picture = next((world / "images").iterdir())
        cls.rgb = cv2.cvtColor(cv2.imread(str(cls.picture)), cv2.COLOR_BGR2RGB)
        cls.text = (world / "station.yaml").read_text() + "track: false\n"
        run = subprocess.run([POV, "run", world / "station.yaml", "--json", "--no-publish"], capture_output=True, text=True, check=True)
        cls.from_file = json.loads(run.stdout.splitlines()[0])
        cls.world = world

    def setUp(self):
        self.domain = self.enterContext(ros2_domain())
        self.environment = {**os.environ, "ROS_LOCALHOST_ONLY": "1", "ROS_DOMAIN_ID": str(self.domain)}

    def judge(self, station, *arguments, code=0):
        run = subprocess.run([POV, "run", station, "--json", *map(str, arguments)], capture_output=True, text=True, env=self.environment, timeout=60)
        self.assertEqual(run.returncode, code, run.stderr)
        return [json.loads(line) for line in run.stdout.splitlines()] if code == 0 else run.stderr

    def station(self, name, topic, more="", lens=None):
        """The world's station with a topic as its camera."""
        lines = self.text.splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith("camera:"))
        end = next(i for i in range(start + 1, len(lines) + 1) if i == len(lines) or lines[i][:1] not in " #")
        kept, skipping = [], False
        for line in lines[start + 1:end]:
            indent = len(line) - len(line.lstrip())
            if indent <= 2:
                skipping = line.strip().split(":")[0] in ("source", "folder", "simulator", "live", *(["calibration"] if lens else []))
            if not skipping:
                kept.append(line)
        path = self.world / f"{name}.yaml"
        section = f"  source: ros2\n  ros2: {{image: {topic}{more}}}"
        path.write_text("\n".join([*lines[:start + 1], section, *kept, *lines[end:]]) + "\n")
        return path

    def say(self, where, *messages, hz=20, qos="rv"):
        files = []
        for message in messages:
            files.append(self.folder / f"{self.id()}.message{next(COUNT)}")
            files[-1].write_bytes(message)
        peer = subprocess.Popen([PEER, "say", str(self.domain), *where, qos, str(hz), *files])
        self.addCleanup(lambda: (peer.kill(), peer.wait()))
        return peer

    def place(self, judged):
        return {e["id"]: e["pos_m"] for e in judged["scene"]["entities"]}

    def assert_same_scene(self, judged, within_m):
        for name, there in self.place(self.from_file).items():
            for a, b in zip(there, self.place(judged)[name]):
                self.assertLess(abs(a - b), within_m, name)

    def test_compressed_images_judge_as_files_do_and_keep_their_stamps(self):
        self.say(COMPRESSED, bytes(Cdr().header().text("rgb8; png compressed bgr8").blob(self.picture.read_bytes()).bytes), qos="bv")
        first, second = self.judge(self.station("compressed", "/cam/image/compressed"), "--no-publish", "--count", 2)
        self.assertEqual(first["scene"], self.from_file["scene"])
        self.assertEqual(first["judgments"], self.from_file["judgments"])
        self.assertEqual(first["image"]["capture_ns"], STAMP[0] * 10**9 + STAMP[1])
        self.assertEqual([first["image"]["name"], second["image"]["name"]], ["/cam/image/compressed 0", "/cam/image/compressed 1"])

    def test_raw_images_judge_as_files_do(self):
        """tests/protocol/ros2/test_ros2_read.c compares every encoding with OpenCV."""
        station = self.station("raw", "/cam/image")
        for message in (image_message("bgr8", cv2.cvtColor(self.rgb, cv2.COLOR_RGB2BGR), gap=12), image_message("rgb8", self.rgb, ">")):
            peer = self.say(IMAGE, message)
            (judged,) = self.judge(station, "--no-publish", "--count", 1)
            peer.kill()
            self.assertEqual(judged["scene"], self.from_file["scene"])
            self.assertEqual(judged["image"]["capture_ns"], STAMP[0] * 10**9 + STAMP[1])

    def test_the_driver_tells_the_lens_with_region_and_binning(self):
        h, w = self.rgb.shape[:2]
        f, c = 310.696, 141.5
        # a sensor of 700 x 640 of which 2 * w columns from x = 40 are read, and binned by two: the picture's own lens comes out
        k = [2 * f, 0, (c + 0.5) * 2 + 40 - 0.5, 0, 2 * f, (c + 0.5) * 2 + 30 - 0.5, 0, 0, 1]
        info = info_message(700, 640, k, d=[0.0] * 5, binning=(2, 2), region=(40, 30, 2 * h, 2 * w))
        self.say(CAMERA_INFO, info)
        self.say(IMAGE, image_message("rgb8", self.rgb))
        judged = self.judge(self.station("lens", "/cam/image", ", camera_info: /cam/camera_info", lens=True), "--no-publish", "--count", 1)[0]
        self.assert_same_scene(judged, 1e-4)

    def test_a_lens_that_is_none_is_refused_by_name(self):
        self.say(CAMERA_INFO, info_message(640, 480, [0.0] * 9))
        said = self.judge(self.station("none", "/cam/image", ", camera_info: /cam/camera_info", lens=True), "--no-publish", code=1)
        self.assertIn("/cam/camera_info: ", said)
        self.assertIn("this camera's driver has no calibration of it", said)

    def test_a_driver_that_ends_and_comes_back_is_heard_again(self):
        station = self.station("restart", "/cam/image")
        peer = self.say(IMAGE, image_message("rgb8", self.rgb))
        run = subprocess.Popen([POV, "run", station, "--no-publish", "--json"], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertTrue(run.stdout.readline())
        peer.kill()  # nobody hears its farewell: its lease ends
        peer.wait()
        threading.Thread(target=lambda: [None for _ in run.stdout], daemon=True).start()
        time.sleep(5)
        self.say(IMAGE, image_message("rgb8", self.rgb))
        back = threading.Timer(40, run.kill)
        back.start()
        said = ""
        for line in run.stderr:
            said += line
            if "is back" in line:
                break
        back.cancel()
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=60), 0)
        self.assertRegex(said, r"(?s)/cam/image is not published any more.*/cam/image is back")

    @staticmethod
    def catches(process, number):
        caught = re.search(r"SigCgt:\s*(\w+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())
        return caught and int(caught[1], 16) >> (number - 1) & 1

    def test_waiting_for_a_driver_ends_when_told(self):
        for name, more in (("image", ""), ("lens", ", camera_info: /nobody/camera_info")):
            station = self.station("nobody_" + name, "/nobody/image", more, lens=bool(more))
            for number in (signal.SIGTERM, signal.SIGINT):
                run = subprocess.Popen([POV, "run", station, "--no-publish"], env=self.environment, stderr=subprocess.PIPE, text=True)
                while not self.catches(run, number):
                    time.sleep(0.02)
                time.sleep(1.5)
                run.send_signal(number)
                said = run.communicate(timeout=20)[1] # nobody ever publishes: without the signal it waits for ever
                self.assertEqual(run.returncode, 1)
                self.assertRegex(said, "/nobody/.*: stopped before")

    def test_a_topic_that_nobody_publishes_is_named_with_those_of_its_type(self):
        self.say(COMPRESSED, b"\0\1\0\0")
        self.say(("rt/other/image", IMAGE[1]), b"\0\1\0\0")
        run = subprocess.Popen([POV, "run", self.station("wrong", "/cam/imag"), "--no-publish"], env=self.environment, stderr=subprocess.PIPE, text=True)
        line = next(line for line in run.stderr if "warning" in line and "/cam/imag" in line)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=20)
        self.assertIn("camera /cam/imag: it is not published by anybody; topics of sensor_msgs/msg/Image: /other/image; waiting for it", line)

    def test_a_lens_that_nobody_tells_is_named_with_topics_of_its_type(self):
        self.say(CAMERA_INFO, b"\0\1\0\0")
        said = self.judge(self.station("no_lens", "/cam/image", ", camera_info: /cam/inf", lens=True), "--no-publish", code=1)
        self.assertIn("/cam/inf: nothing came within 10 s: it is not published by anybody; topics of sensor_msgs/msg/CameraInfo: /cam/camera_info", said)

    def test_a_topic_of_another_type_is_refused_and_its_type_is_named(self):
        self.say(("rt/cam/image", "sensor_msgs::msg::dds_::CompressedImage_"), b"\0\1\0\0")
        station = self.station("type", "/cam/image")
        why = "camera /cam/image: it is published as sensor_msgs/msg/CompressedImage; no topic of sensor_msgs/msg/Image is there"
        self.assertIn(why, self.judge(station, "--no-publish", code=1))

    def test_the_doctor_names_the_type_of_a_topic_of_another_type(self):
        self.say(("rt/cam/image", "sensor_msgs::msg::dds_::CompressedImage_"), b"\0\1\0\0")
        station = self.station("type_doctor", "/cam/image")
        why = "camera /cam/image: it is published as sensor_msgs/msg/CompressedImage; no topic of sensor_msgs/msg/Image is there"
        doctor = subprocess.run([POV, "doctor", station], capture_output=True, text=True, env=self.environment, check=False)
        self.assertIn(why, " ".join(doctor.stdout.split()))

    def test_the_doctor_does_not_call_a_lens_that_was_told_a_guess(self):
        h, w = self.rgb.shape[:2]
        self.say(CAMERA_INFO, info_message(w, h, [310.696, 0, 141.5, 0, 310.696, 141.5, 0, 0, 1], d=[0.0] * 5))
        self.say(IMAGE, image_message("rgb8", self.rgb))
        doctor = subprocess.run([POV, "doctor", self.station("told", "/cam/image", ", camera_info: /cam/camera_info", lens=True)],
                                capture_output=True, text=True, env=self.environment, check=False)
        self.assertIn("/cam/camera_info tells it", doctor.stdout)
        self.assertNotIn("a guess from a field of view", " ".join(doctor.stdout.split()))

    def test_messages_that_lie_are_skipped_with_a_word(self):
        good = image_message("rgb8", self.rgb)
        station = self.station("lies", "/cam/image")
        for lie, word in ((good[:200], "ends too early"), (b"\0\1\0\0" + b"\xff" * 60, "ends too early"),
                          (image_message("rgb8", self.rgb, step=10), "rows of 10 bytes"),
                          (image_message("rgb8", self.rgb, height=60000), "60000 pixels"),
                          (image_message("32FC1", self.rgb), "encoding '32FC1'")):
            peer = self.say(IMAGE, good, good, lie, hz=20)
            run = subprocess.run([POV, "run", station, "--no-publish", "--json", "--count", "8"], capture_output=True,
                                 text=True, env=self.environment, timeout=60)
            peer.kill()
            if not run.stdout:  # the first one was the lie
                self.assertEqual(run.returncode, 1)
            self.assertIn(word, run.stderr)


if __name__ == "__main__":
    if not PEER.exists():
        skip("libfastrtps-dev is not installed, or pov was built without ROS 2")
    unittest.main(testRunner=AtOnce(12))
