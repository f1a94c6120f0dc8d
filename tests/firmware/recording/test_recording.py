#!/usr/bin/env python3
"""pov run --record as users and their machines treat it: judged anew, killed, on full disks, stopped.

POV_RECORDING=long: 3,000 images, 100 kills, 50 full disks (`./dev ordeal recording`)."""
import json
import os
import pathlib
import pty
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import termios
import time
import unittest

POV = os.environ["POV"]
LONG = os.environ.get("POV_RECORDING") == "long"
VIDEO, KILLS, FULL = (3000, 100, 50) if LONG else (300, 3, 3) if "POV_SANITIZED" in os.environ else (300, 3, 6)
IMAGES = 8
FLUSHED_S = 1.0  # docs/RECORDING.md: what was recorded so long ago is on the disk
SLACK_S = 4.0    # of a machine whose disk and processors others load


def pov(*arguments, **options):
    return subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)


class Recording(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-recording-"))
        cls.station = cls.folder / "world/station.yaml"
        assert pov("sim", "comfort-ball", "--images", IMAGES, "--quiet", "--out", cls.folder / "world").returncode == 0
        cls.video = cls.folder / "video.mcap"
        cls.record(cls.video, "--rate", 100, "--loop", "--count", 300)
        cls.judged = pov("replay", cls.video, "--json").stdout  # as it was judged then

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def record(cls, recording, *arguments):
        run = pov("run", cls.station, "--no-publish", "--quiet", "--record", recording, *arguments)
        assert run.returncode == 0, run.stderr

    def judge_anew(self, recording, *arguments, **options):
        return pov("run", self.station, "--no-publish", "--json", "--images", recording, *arguments, **options)

    def test_a_tracked_video_judged_anew_gives_the_same_bytes(self):
        video, judged = self.video, self.judged
        if VIDEO != 300:
            video = self.folder / "long.mcap"
            self.record(video, "--rate", 50, "--loop", "--count", VIDEO)
            judged = pov("replay", video, "--json").stdout
        self.assertEqual(len(judged.splitlines()), VIDEO)
        self.assertIn('"track"', judged)
        anew = self.judge_anew(video)
        self.assertEqual(anew.returncode, 0, anew.stderr)
        self.assertTrue(anew.stdout == judged, "judgments differ")

    def test_a_recording_of_a_recording_judges_the_same(self):
        again = self.folder / "again.mcap"
        self.assertTrue(self.judge_anew(self.video, "--record", again).stdout == self.judged)
        self.assertTrue(self.judge_anew(again).stdout == self.judged)

    def test_simulated_pixels_are_recorded_without_loss_if_asked(self):
        station = self.folder / "world/lossless.yaml"
        text = self.station.read_text().replace("source: folder ", "source: simulator ")
        station.write_text(text + "record: {path: recordings, lossless: true}\n")
        run = pov("run", station, "--no-publish", "--json", "--count", 4)
        self.assertEqual(len(run.stdout.splitlines()), 4)
        self.assertEqual(run.returncode, 0, run.stderr)
        (recording,) = (self.folder / "world/recordings").glob("pov_*.mcap")
        self.assertTrue(self.judge_anew(recording).stdout == run.stdout)

    def test_sigterm_ends_a_recording_well(self):
        recording = self.folder / "stopped.mcap"
        process = subprocess.Popen([POV, "run", self.station, "--no-publish", "--quiet", "--rate", "30", "--loop", "--record", recording],
                                   stderr=subprocess.PIPE)
        while process.poll() is None and not list(self.folder.glob(recording.name + "*")): # it begins with the first image
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, said)
        self.assertEqual(recording.read_bytes()[-8:], b"\x89MCAP0\r\n")

    def test_kill_costs_one_second_at_most(self):
        chance = random.Random(4)
        for kill in range(KILLS):
            recording = self.folder / f"killed_{kill}.mcap"
            process = subprocess.Popen([POV, "run", self.station, "--no-publish", "--quiet", "--rate", "30", "--loop", "--record", recording])
            while not recording.exists():
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 4))
            killed_ns = time.time_ns()
            process.kill()
            process.wait()
            anew = self.judge_anew(recording)
            images = [json.loads(line)["image"] for line in anew.stdout.splitlines()]
            if not images:
                self.assertRegex(anew.stderr, "without images|no image can be read")
                continue
            self.assertEqual([image["sequence"] for image in images], list(range(len(images))))
            self.assertLess((killed_ns - images[-1]["capture_ns"]) * 1e-9, FLUSHED_S + SLACK_S)

    def test_a_full_disk_costs_no_judgment(self):
        whole = self.video.stat().st_size
        chance = random.Random(5)
        for full in range(FULL):
            recording = self.folder / f"full_{full}.mcap"
            limit = int(chance.uniform(0.05, 0.6) * whole)
            run = self.judge_anew(self.video, "--record", recording,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn("the disk was too slow or full", run.stderr)
            self.assertTrue(run.stdout == self.judged, f"judgments differ with {limit} bytes")
            self.assertLessEqual(recording.stat().st_size, limit)
            images = [json.loads(line)["image"]["sequence"] for line in self.judge_anew(recording).stdout.splitlines()]
            self.assertEqual(images, sorted(set(images)))

    def test_a_disk_that_is_full_from_the_start_is_an_error(self):
        recording = self.folder / "none.mcap"
        run = self.judge_anew(self.video, "--record", recording,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(run.returncode, 1)
        self.assertIn("none.mcap: cannot be written", run.stderr)
        self.assertFalse(recording.exists())
        self.assertEqual(run.stdout, "")

    def test_wrong_uses_say_so(self):
        for arguments, code, said in (
                (["--record", self.video], 1, "there is such a file"),
                (["--record", self.folder / "no/where.mcap"], 1, "No such file"),
                (["--images", self.video, "--rate", 3], 2, "have their own times"),
                (["--images", self.video, "--loop"], 2, "have their own times")):
            run = pov("run", self.station, "--no-publish", *arguments)
            self.assertEqual((run.returncode, said in run.stderr), (code, True), run.stderr)

    def test_pressing_r_keeps_the_seconds_around_it(self):
        station = self.folder / "world/box.yaml"
        station.write_text(self.station.read_text() + "record: {path: boxes, when: [lost, key], before_s: 1, after_s: 0.5}\n")
        keyboard, terminal = pty.openpty()
        settings = termios.tcgetattr(terminal)
        # the terminal becomes that of the new session: see setsid(2)
        process = subprocess.Popen(["setsid", "-w", "-c", POV, "run", station, "--no-publish", "--rate", "30", "--loop"],
                                   stdin=terminal, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and termios.tcgetattr(terminal) == settings: # it listens to the keyboard with the first image
            time.sleep(0.05)
        time.sleep(2)
        os.write(keyboard, b"xR")
        time.sleep(1.5)
        os.write(keyboard, b"\x03")
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, said)
        self.assertIn("R was pressed", said)
        self.assertEqual(termios.tcgetattr(terminal), settings)
        (recording,) = (self.folder / "world/boxes").glob("pov_*.mcap")
        told = json.loads(pov("info", recording, "--json").stdout)
        self.assertEqual((told["session"]["because"], told["images"]["missing"]), ("R was pressed", 0))
        self.assertAlmostEqual(told["seconds"], 1.5, delta=0.3)
        self.assertGreater(len(self.judge_anew(recording).stdout.splitlines()), 30)

    def test_a_long_recording_is_split_and_old_ones_go(self):
        station, folder = self.folder / "world/split.yaml", self.folder / "world/split"
        folder.mkdir()
        old = folder / "pov_20200101T000000Z_000.mcap"
        other = folder / "mine.mcap"
        for file in old, other:
            file.write_text("x")
            os.utime(file, (1, 1))
        station.write_text(self.station.read_text() + "record: {path: split, split_mb: 1, keep_hours: 1}\n")
        run = pov("run", station, "--no-publish", "--quiet", "--rate", 60, "--loop", "--count", 300)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertFalse(old.exists())
        self.assertTrue(other.exists())
        parts = sorted(folder.glob("pov_*.mcap"))
        self.assertGreater(len(parts), 1)
        images = [json.loads(line)["image"]["sequence"] for part in parts for line in self.judge_anew(part).stdout.splitlines()]
        self.assertEqual(images, list(range(300)))

    def test_a_split_passes_over_a_name_that_is_taken_and_keeps_the_station_as_it_was(self):
        station, folder = self.folder / "world/taken.yaml", self.folder / "world"
        taken = folder / "kept_001.mcap"
        taken.write_text("x")
        station.write_text(self.station.read_text() + "record: {path: kept.mcap, split_mb: 1}\n")
        run = subprocess.Popen([POV, "run", station, "--no-publish", "--quiet", "--rate", "60", "--loop", "--count", "300"], stderr=subprocess.PIPE, text=True)
        while not (folder / "kept.mcap").exists():
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        time.sleep(0.3)  # the first file has its beginning
        was = station.read_bytes()
        station.write_text("about: another\n")
        told = run.communicate(timeout=250)[1]
        self.assertEqual((run.returncode, taken.read_text()), (0, "x"), told)
        parts = [folder / "kept.mcap", *sorted(folder.glob("kept_0*.mcap"))[1:]]
        self.assertGreater(len(parts), 1)
        self.assertNotIn("warning", told)
        for place, part in enumerate(parts):
            there = folder / f"part_{place}"
            self.assertEqual(pov("info", part, "--extract", there).returncode, 0)
            self.assertEqual((there / station.name).read_bytes(), was)
        self.assertEqual(sum(json.loads(pov("info", part, "--json").stdout)["images"]["count"] for part in parts), 300)


if __name__ == "__main__":
    unittest.main()
