#!/usr/bin/python3
"""A camera in another process: two stations over TCP with keys give the scene that one station of both cameras gives; the other one dies, comes back, has
another key, tag map or cast, floods, or sends what is no message: this one goes on, and says so."""
import importlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
import zmq

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "support")]
from reserved_port import ReservedPort  # noqa: E402

POV = os.environ["POV"]
SOURCE = os.environ["POV_SOURCE"]
PATIENCE_S = 60
RATE_HZ = 8
BALLS = {"red": ("#d02818", 0.1, -0.2), "blue": ("#2848d0", -0.15, 0.1), "yellow": ("#e8c020", 0.2, 0.22)}
WORLD = """about: a table at rest
camera: {size_px: [640, 360], field_of_view_deg: 60, position_m: [1.05, 0, 1.2], look_at_m: [0, 0, 0.02]}
surface: {size_m: [1.8, 1.8], color: "#c9a678", look: wood}
tags:
  family: tag36h11
  edge_m: 0.1
  lying:
    - {id: 0, position_m: [0.46, -0.5]}
    - {id: 1, position_m: [0.46, 0.5]}
    - {id: 2, position_m: [-0.5, 0.6]}
    - {id: 3, position_m: [-0.5, -0.6]}
things:
""" + "".join(f'  - {{id: {name}, class: {"red" if name == "red" else "blue"} ball, position_m: [{x}, {y}], size_m: 0.07, color: "{color}"}}\n'
              for name, (color, x, y) in BALLS.items())
CAST = "cast:\n" + "".join(f'  - {{id: {name}, class: ball, found_by: ball, ball: {{color: "{color}", radius_m: 0.035, radius_std_m: 0.0003}}}}\n'
                           for name, (color, _, _) in BALLS.items())
JUDGE = "judge: {visibility: false, directions: false}\n"


def run(*arguments):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, arguments))}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Station:
    """pov run, whose lines and words are kept as they come."""

    def __init__(self, path, *options):
        self.lines, self.words = [], []
        self.process = subprocess.Popen([POV, "run", str(path), "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.threads = [threading.Thread(target=self.keep, args=a) for a in ((self.process.stdout, self.lines, json.loads), (self.process.stderr, self.words, str))]
        for thread in self.threads:
            thread.start()

    @staticmethod
    def keep(stream, into, as_what):
        for line in stream:
            into.append((time.monotonic(), as_what(line)))

    def of(self, camera):
        return [(at, line) for at, line in list(self.lines) if line.get("image", {}).get("camera", "") == camera]

    def said(self):
        return "".join(words for _, words in list(self.words))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.returncode

    def kill(self):
        self.process.kill()
        return self.end()


class RemoteCamera(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.drawn = pathlib.Path(tempfile.mkdtemp(prefix="pov-remote-"))
        (cls.drawn / "world.yaml").write_text(WORLD)
        run(POV, "sim", cls.drawn / "world.yaml", "--cameras", 2, "--images", 6, "--sensor", "noisy", "--quiet", "--out", cls.drawn / "two")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.drawn)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-remote-"))
        self.port = ReservedPort()
        self.endpoint = f"tcp://127.0.0.1:{self.port.number}"
        for who in "here", "there":
            run(POV, "keys", "new", who, "--keys", self.folder / who)
        run(POV, "keys", "allow", self.folder / "here/self.key", "--keys", self.folder / "there")
        run(POV, "keys", "allow", self.folder / "there/self.key", "--keys", self.folder / "here")
        self.stations = []

    def tearDown(self):
        for station in self.stations:
            if station.process.poll() is None:
                station.kill()
        self.port.close()
        shutil.rmtree(self.folder)

    def own(self, camera):
        two = self.drawn / "two" / camera
        return f"source: folder, folder: {{path: {two}/images, rate_hz: {RATE_HZ}, loop: true, live: true}}, calibration: {two}/camera.yaml"

    def write(self, name, cameras, rest="", tags=None, cast=CAST):
        path = self.folder / name
        path.write_text(cameras + f"tags: {{map: {tags or self.drawn / 'two/a/tags.yaml'}, corner_std_px: 0.03}}\n" + cast + JUDGE + rest)
        return path

    def there(self, **how):
        """The other station: camera b's."""
        return self.write("there.yaml", f"camera: {{{self.own('b')}}}\n", f"publish: {{endpoint: '{self.endpoint}', keys: {self.folder}/there}}\n", **how)

    def here(self, keys=True, more=""):
        wire = f"endpoint: '{self.endpoint}'" + (f", server: there, keys: {self.folder}/here" if keys else "") + more
        return self.write("here.yaml", f"cameras:\n  - {{id: a, {self.own('a')}}}\n  - {{id: hall, source: station, station: {{{wire}}}}}\n")

    def start(self, path, *options):
        self.stations.append(Station(path, *options))
        return self.stations[-1]

    def wait(self, what, until, station=None):
        end = time.monotonic() + PATIENCE_S
        while not until():
            if time.monotonic() > end:
                self.fail(f"no {what} within {PATIENCE_S} s\n{station.said() if station else ''}")
            time.sleep(0.02)

    def wait_images(self, station, camera, count):
        begun = len(station.of(camera))
        self.wait(f"images of {camera}", lambda: len(station.of(camera)) >= begun + count, station)

    def wait_words(self, station, words):
        self.wait(f"'{words}'", lambda: words in station.said(), station)

    @staticmethod
    def places(lines):
        """Of each thing, over images: the mean place, and the mean claimed deviation of each coordinate."""
        found = {}
        for _, line in lines:
            for e in line["scene"]["entities"]:
                if e["id"] in BALLS:
                    found.setdefault(e["id"], []).append((e["pos_m"], np.sqrt(np.diag(np.reshape(e["pos_cov_m2"], (3, 3))))))
        return {name: (np.mean([p for p, _ in all_], axis=0), np.mean([s for _, s in all_], axis=0)) for name, all_ in found.items()}

    def test_two_stations_know_what_one_station_of_both_cameras_knows(self):
        both = self.start(self.write("both.yaml", f"cameras:\n  - {{id: a, {self.own('a')}}}\n  - {{id: hall, {self.own('b')}}}\n"), "--no-publish")
        self.wait_images(both, "hall", 40)
        self.assertEqual(both.end(), 0, both.said())
        there = self.start(self.there())
        here = self.start(self.here(), "--no-publish")
        self.wait_images(here, "hall", 40)
        alone = self.places(there.lines[-12:])
        self.assertEqual(here.end(), 0, here.said())
        surest = {name: min(self.places(both.of(c)[-12:])[name][1].sum() for c in ("a", "hall")) for name in BALLS}
        for camera in "a", "hall":
            one, two = self.places(both.of(camera)[-12:]), self.places(here.of(camera)[-12:])
            self.assertEqual(set(two), set(BALLS))
            for name, (_, x, y) in BALLS.items():
                off_m = np.linalg.norm(one[name][0] - two[name][0])
                self.assertLess(off_m, 0.0005, f"{name} by {camera}: one station {one[name][0]}, two {two[name][0]}")
                self.assertLess(np.linalg.norm(two[name][0][:2] - (x, y)), 0.003, f"{name} by {camera}: true {x}, {y}; {two[name][0]}")
                # how old the other camera's view is at an image is by chance between two processes: never surer than at one instant
                share = two[name][1].sum() / surest[name]
                self.assertTrue(0.95 < share < 1.6, f"{name} by {camera}: claimed {two[name][1]}, by one station {one[name][1]}, surest {surest[name]}")
                self.assertLess(two[name][1].sum(), alone[name][1].sum(), f"{name}: surer by two cameras than by one")
        poses = [np.array(o.of("hall")[-1][1]["image"]["pose"]["pos_m"]) for o in (both, here)]
        self.assertLess(np.linalg.norm(poses[0] - poses[1]), 0.0005)
        self.assertNotIn("warning", here.said().lower().replace("warning: no calibration", ""))

    def test_judgments_come_with_the_exposure_by_this_machines_clock(self):
        """Both clocks are one here: what is measured must be nothing."""
        self.start(self.there())
        here = self.start(self.here(), "--publish", f"ipc://{self.folder}/wire")
        self.wait_images(here, "hall", 20)
        told = subprocess.run([POV, "listen", "--connect", f"ipc://{self.folder}/wire", "--topic", "health", "--json", "--count", "3", "--timeout", "30"],
                              capture_output=True, text=True)
        camera = {c["camera"]: c for c in json.loads(told.stdout.splitlines()[-1])["health"]["cameras"]}
        self.assertIsNone(camera["a"]["clock_offset_s"])
        self.assertLess(abs(camera["hall"]["clock_offset_s"]), max(0.005, 4 * camera["hall"]["clock_std_s"]), camera)
        self.assertLess(camera["hall"]["clock_std_s"], 0.05, camera)
        self.assertEqual((camera["hall"]["trouble"], camera["hall"]["left_out"]), ("", False))

    def test_a_said_clock_offset_moves_the_times(self):
        self.start(self.there())
        here = self.start(self.here(more=", clock: {offset_ms: -3600000, std_ms: 5}"), "--no-publish")  # said to be an hour behind
        self.wait_images(here, "hall", 5)
        ahead_s = 1e-9 * here.of("hall")[-1][1]["image"]["capture_ns"] - time.time()
        self.assertTrue(3500 < ahead_s < 3700, ahead_s)

    def test_one_that_dies_is_told_and_comes_back(self):
        there = self.start(self.there())
        here = self.start(self.here(), "--no-publish")
        self.wait_images(here, "hall", 5)
        there.kill()
        died = time.monotonic()
        self.wait_words(here, f"camera hall: nothing came from {self.endpoint} for two seconds")
        gaps = np.diff([at for at, _ in here.of("a") if at > died])
        self.assertLess(max(gaps), 1.0, "the own camera's images go on")
        self.start(self.there())
        self.wait_images(here, "hall", 5)
        self.assertIn("camera hall: its images come again", here.said())
        self.assertEqual(here.end(), 0, here.said())

    def test_a_wrong_key_is_told_and_the_own_camera_goes_on(self):
        run(POV, "keys", "new", "stranger", "--keys", self.folder / "stranger")
        shutil.rmtree(self.folder / "there/peers")
        run(POV, "keys", "allow", self.folder / "stranger/self.key", "--keys", self.folder / "there")
        self.start(self.there())
        here = self.start(self.here(), "--no-publish")
        self.wait_words(here, "does not allow this machine's key")
        self.assertIn(self.endpoint, here.said())
        self.wait_images(here, "a", 5)
        self.assertEqual(here.of("hall"), [])
        run(POV, "keys", "allow", self.folder / "here/self.key", "--keys", self.folder / "there")
        self.wait_images(here, "hall", 3)

    def test_another_tag_map_is_not_fused(self):
        other = self.folder / "tags.yaml"
        text = (self.drawn / "two/a/tags.yaml").read_text()
        lines = text.splitlines()
        for i, line in enumerate(lines):
            if "position_m" in line:  # all tags, so that its own images do not contradict it: its table frame is elsewhere
                head, tail = line.split("position_m: [", 1)
                x, after = tail.split(",", 1)
                lines[i] = f"{head}position_m: [{float(x) + 0.05},{after}"
        other.write_text("\n".join(lines) + "\n")
        self.assertNotEqual(text, other.read_text())
        self.start(self.there(tags=other))
        here = self.start(self.here(), "--no-publish")
        self.wait_words(here, "50 mm from where this station's has it")
        self.assertRegex(here.said(), r"camera hall: tcp://\S+: the tag map there has tag tag36h11:\d")
        self.wait_images(here, "hall", 5)
        line = here.of("hall")[-1][1]
        self.assertEqual(line["image"]["pose"]["source"], "unknown")
        for name, (place, _) in self.places(here.of("hall")[-3:]).items():
            self.assertLess(np.linalg.norm(place[:2] - BALLS[name][1:]), 0.006, "its places are camera a's")

    def test_another_cast_is_told_and_its_thing_left_out(self):
        self.start(self.there(cast=CAST.replace("radius_m: 0.035", "radius_m: 0.045", 1).replace("id: blue", "id: azure")))
        here = self.start(self.here(), "--no-publish")
        self.wait_words(here, "'red' has the size 0.09 x 0.09 x 0.09 m there, 0.07 x 0.07 x 0.07 m here")
        self.wait_images(here, "hall", 5)
        for name, (place, _) in self.places(here.of("hall")[-3:]).items():
            self.assertLess(np.linalg.norm(place[:2] - BALLS[name][1:]), 0.006)

    def test_of_several_cameras_one_must_be_named(self):
        self.start(self.write("there.yaml", f"cameras:\n  - {{id: a, {self.own('a')}}}\n  - {{id: b, {self.own('b')}}}\n",
                              f"publish: {{endpoint: '{self.endpoint}', keys: {self.folder}/there}}\n"))
        here = self.start(self.here(), "--no-publish")
        self.wait_words(here, "that station has several cameras")
        here.end()
        here = self.start(self.here(more=", camera: b"), "--no-publish")
        self.wait_images(here, "hall", 5)

    def test_remote_cameras_alone_make_a_station_and_its_outputs_do_without_images(self):
        self.start(self.there())
        path = self.write("only.yaml", f"cameras:\n  - {{id: hall, source: station, station: {{endpoint: '{self.endpoint}', server: there, keys: {self.folder}/here}}}}\n",
                          f"record: {{path: {self.folder}/kept.mcap}}\n")
        only = self.start(path, "--no-publish", "--annotate", str(self.folder / "drawn"))
        self.wait_images(only, "hall", 5)
        self.assertEqual(only.end(), 0, only.said())
        self.assertEqual(list((self.folder / "drawn").iterdir()), [])
        self.assertIn("observation", run(POV, "info", self.folder / "kept.mcap"))
        refused = subprocess.run([POV, "judge", str(path)], capture_output=True, text=True)
        self.assertNotEqual(refused.returncode, 0)

    def test_the_maps_corners_are_in_views_alone(self):
        """A subscriber of observations sees what it saw before there were views; of one camera and of two."""
        subprocess.run(["protoc", f"--python_out={self.folder}", f"-I{SOURCE}/protocol", "pov.proto"], check=True)
        sys.path.insert(0, str(self.folder))
        envelope = importlib.import_module("pov_pb2").Envelope
        wire = f"publish: {{endpoint: 'ipc://{self.folder}/wire'}}\n"
        for cameras in f"camera: {{{self.own('b')}}}\n", f"cameras:\n  - {{id: a, {self.own('a')}}}\n  - {{id: hall, {self.own('b')}}}\n":
            with zmq.Context() as context, context.socket(zmq.SUB) as socket:
                for topic in b"observation", b"camera/":
                    socket.setsockopt(zmq.SUBSCRIBE, topic)
                socket.setsockopt(zmq.RCVTIMEO, PATIENCE_S * 1000)
                socket.connect(f"ipc://{self.folder}/wire")
                station, heard = self.start(self.write("wire.yaml", cameras, wire)), {b"observation": [], b"camera/": []}
                while min(map(len, heard.values())) < 6:
                    self.assertLess(len(heard[b"observation"]), 200, "no views come")
                    topic, message = socket.recv_multipart()
                    heard[next(t for t in heard if topic.startswith(t))].append(envelope.FromString(message).observation)
                self.assertEqual(station.end(), 0, station.said())
            self.assertTrue(all(len(tag.map_corner_m) == 12 for view in heard[b"camera/"] for tag in view.tags))
            self.assertTrue(any(view.tags for view in heard[b"camera/"]))
            self.assertFalse(any(tag.map_corner_m for observation in heard[b"observation"] for tag in observation.tags))

    def test_garbage_and_floods_take_nothing_from_the_own_camera(self):
        """Bytes that are no message, views of another's, and 4,000 a second of the right ones."""
        real = self.start(self.write("there.yaml", f"camera: {{{self.own('b')}}}\n", f"publish: {{endpoint: 'ipc://{self.folder}/real'}}\n"))
        context = zmq.Context()
        heard, sender = context.socket(zmq.SUB), context.socket(zmq.PUB)
        self.addCleanup(context.destroy, 0)
        heard.connect(f"ipc://{self.folder}/real")
        heard.subscribe("camera/")
        sender.bind(self.endpoint)
        self.assertTrue(heard.poll(1000 * PATIENCE_S))
        good = heard.recv_multipart()[-1]
        here = self.start(self.here(keys=False), "--no-publish")
        self.wait_images(here, "a", 5)
        rng, mutated, ends = random.Random(7), 0, time.monotonic() + 8
        while time.monotonic() < ends:
            bad = bytearray(good)
            for _ in range(rng.randrange(1, 8)):
                bad[rng.randrange(len(bad))] = rng.randrange(256)
            for payload in (rng.randbytes(rng.randrange(300)), bytes(bad), good, bytes(bad[:rng.randrange(len(bad))]), bytes(1 << 20)):
                sender.send_multipart([b"camera/", payload])
                mutated += 1
            time.sleep(0.001)
        self.assertGreater(mutated, 1000)
        self.assertIsNone(here.process.poll(), here.said())
        gaps = np.diff([at for at, _ in here.of("a")][3:])
        self.assertLess(np.median(gaps), 1.3 / RATE_HZ)
        self.assertLess(max(gaps), 1.0)
        memory_kb = int(next(line.split()[1] for line in pathlib.Path(f"/proc/{here.process.pid}/status").read_text().splitlines() if line.startswith("VmHWM")))
        self.assertLess(memory_kb, 600_000)
        self.assertIn("camera hall: " + self.endpoint, here.said())
        self.assertLess(here.said().count("camera hall"), 20, here.said())
        self.assertEqual(real.end(), 0)
        self.assertEqual(here.end(), 0, here.said())


if __name__ == "__main__":
    unittest.main()
