#!/usr/bin/env python3
"""pov demo, run, listen and doctor as a user runs them: real files, real sockets, real signals."""
import json
import math
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

POV = os.environ["POV"]
IMAGES = 6 if "POV_SANITIZED" in os.environ else 12
KEYS = {
    "image": {"name", "sequence", "capture_ns"},
    "entity": {"id", "class", "pos_m", "pos_cov_m2", "heading_rad", "heading_kappa", "seen"},
    "judgment": {"referent", "relatum", "relation", "perspective", "viewer", "convention", "axis", "theta_deg", "p",
                 "p_std", "verdict"},
}
# Where each relation is at its most prototypical: azimuth about the relatum, 0 toward the camera (COMFORT).
PROTOTYPE = {
    "reflected": {"in_front_of": 0, "behind": 180, "left_of": 270, "right_of": 90},
    "translated": {"in_front_of": 180, "behind": 0, "left_of": 270, "right_of": 90},
    "rotated": {"in_front_of": 0, "behind": 180, "left_of": 90, "right_of": 270},
}


def pov(*arguments, **options):
    return subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=250, **options)


def wrap(angle_deg):
    return (angle_deg + 180) % 360 - 180


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-run-"))
        cls.demo = pov("demo", "--out", cls.folder / "demo", "--images", IMAGES)
        cls.station = cls.folder / "demo" / "station.yaml"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def run_json(self, *arguments):
        result = pov("run", self.station, "--json", "--no-publish", *arguments)
        return result, [json.loads(line) for line in result.stdout.splitlines()]

    def test_demo_shows_a_table_and_pictures(self):
        self.assertEqual(self.demo.returncode, 0, self.demo.stderr + self.demo.stdout)
        self.assertIn(f"Both balls found in {IMAGES} of {IMAGES}", self.demo.stdout)
        sheet = (self.folder / "demo" / "contact_sheet.png").read_bytes()
        self.assertTrue(sheet.startswith(b"\x89PNG") and len(sheet) > 10000)
        self.assertEqual(len(list((self.folder / "demo" / "annotated").glob("*.png"))), IMAGES)

    def at_terminal(self, *arguments):
        terminal, its_end = os.openpty()
        process = subprocess.Popen([POV, "run", self.station, "--no-publish", *arguments], stdout=its_end, stderr=subprocess.DEVNULL)
        os.close(its_end)
        said = b""
        while True:
            try:
                said += os.read(terminal, 1 << 16)
            except OSError:  # its end is closed
                break
        os.close(terminal)
        self.assertEqual(process.wait(250), 0)
        return said.decode().splitlines()

    def test_at_a_terminal_a_line_an_image_tells_what_changed(self):
        lines = self.at_terminal()
        self.assertEqual([line.split("  ")[0] for line in lines], [f"simulated_{i:03}.png" for i in range(IMAGES)])
        self.assertIn(" is seen", lines[0])
        self.assertTrue(any("for " in line for line in lines[1:]), lines)  # the balls go round each other
        self.assertFalse(any("is seen" in line for line in lines[1:]), lines)  # both are all the time
        self.assertGreater(len(self.at_terminal("--verbose")), 10 * IMAGES)

    def test_a_file_of_the_wrong_kind_is_named_as_what_it_is(self):
        scene, parent = self.folder / "scene.yaml", self.folder / "missing"
        scene.write_text("camera: {position_m: [3, 0, 2], look_at_m: [0, 0, 0]}\n"
                         "entities:\n  - {id: ball, position_m: [0, 0, 0.1], size_m: 0.2, shape: sphere}\n")
        for arguments, words in [(("run", scene), ["this is a scene", "pov judge"]),
                                 (("ask", self.station, "where is the ball"), ["this is a station", "pov run"]),
                                 (("judge", self.station), ["this is a station", "pov run"]),
                                 (("demo", "--out", parent / "b"), [f"for {parent} does not exist"]),
                                 (("sim", "station", "--out", "missing/b"), ["for missing does not exist"])]:
            result = pov(*arguments, cwd=self.folder)
            self.assertEqual(result.returncode, 1, result.stderr)
            for word in words:
                self.assertIn(word, result.stderr)

    def test_json_says_what_is_where_and_every_verdict_is_right_or_near_a_boundary(self):
        result, lines = self.run_json()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(lines), IMAGES)
        errors = []
        for i, line in enumerate(lines):
            truth = 360 * i / IMAGES
            self.assertLessEqual(KEYS["image"], line["image"].keys())
            self.assertEqual(line["image"]["name"], f"simulated_{i:03}.png")
            place = {e["id"]: e["pos_m"] for e in line["scene"]["entities"]}
            for entity in line["scene"]["entities"]:
                self.assertLessEqual(KEYS["entity"], entity.keys())
            x, y = (place["red_ball"][k] - place["blue_ball"][k] for k in (0, 1))
            errors.append(abs(wrap(math.degrees(math.atan2(y, x)) - truth)))
            self.judge(line["judgments"], truth)
        self.assertLess(statistics.median(errors), 0.7)
        self.assertLess(max(errors), 2)

    def judge(self, judgments, truth):
        relative = [j for j in judgments if j["perspective"] == "egocentric"]
        self.assertEqual(len(relative), 3 * 2 * 4)
        for j in judgments:
            self.assertLessEqual(KEYS["judgment"], j.keys())
            if j["perspective"] == "intrinsic":  # a ball has no front
                self.assertEqual((j["verdict"], j["p"], j["theta_deg"]), ("undefined", None, None))
        for j in relative:
            theta = wrap(truth - PROTOTYPE[j["convention"]][j["relation"]])
            if j["verdict"] == "abstain":
                self.assertLess(abs(abs(theta) - 90), 6, j)
            else:
                self.assertEqual(j["verdict"], "true" if abs(theta) < 90 else "false", j)

    def test_a_station_alone_is_run(self):
        alone, (_, lines) = pov(self.station, "--json", "--no-publish"), self.run_json()
        self.assertEqual([json.loads(line)["judgments"] for line in alone.stdout.splitlines()], [line["judgments"] for line in lines])
        self.assertEqual(pov("fly.yam").returncode, 2)

    def test_no_file_gives_way_to_a_socket(self):
        notes = self.folder / "notes.txt"
        notes.write_text("notes")
        result = pov("run", self.station, "--quiet", "--publish", f"ipc://{notes}")
        self.assertEqual((result.returncode, notes.read_text()), (1, "notes"))
        self.assertIn("is not a socket", result.stderr)

    def test_a_recording_holds_nothing_that_was_printed_to_a_closed_output(self):
        kept = self.folder / "closed.mcap"
        subprocess.run(f"exec '{POV}' run '{self.station}' --json --quiet --no-publish --record '{kept}' >&-", shell=True, check=True, timeout=250)
        self.assertIn("observation", pov("info", kept).stdout)

    def test_a_reader_that_has_gone_is_no_error(self):
        kept = self.folder / "gone.mcap"
        self.assertEqual(pov("run", self.station, "--quiet", "--no-publish", "--record", kept).returncode, 0)
        for command in (f"run '{self.station}' --json --no-publish --quiet", f"replay '{kept}' --json"):
            result = subprocess.run(["bash", "-c", f"set -o pipefail; '{POV}' {command} | head -1"], capture_output=True, text=True, timeout=250)
            self.assertEqual((result.returncode, result.stderr), (0, ""), command)

    def test_bad_images_are_named_and_the_rest_processed(self):
        folder = self.folder / "bad"
        shutil.copytree(self.folder / "demo" / "images", folder)
        good = (folder / "simulated_000.png").read_bytes()
        (folder / "a_truncated.png").write_bytes(good[:len(good) // 2])
        (folder / "b_text.jpg").write_text("not an image\n")
        (folder / "c_empty.png").write_bytes(b"")
        result, lines = self.run_json("--images", folder)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(len(lines), IMAGES)
        for name in ("a_truncated.png", "b_text.jpg", "c_empty.png"):
            self.assertIn(name, result.stderr)

    def test_images_of_another_size_are_refused_with_both_sizes(self):
        other = self.folder / "other.yaml"
        other.write_text(self.station.read_text().replace("calibration: camera.yaml",
                                                          "field_of_view_deg: 60\n  size_px: [100, 80]")
                         .replace("path: images", f"path: {self.folder}/demo/images"))
        result = pov("run", other, "--no-publish")
        self.assertEqual(result.returncode, 1)
        self.assertIn("640 x 480", result.stderr)
        self.assertIn("100 x 80", result.stderr)

    def test_wrong_usage_exits_2_and_a_bad_world_1(self):
        self.assertEqual(pov().returncode, 2)
        self.assertEqual(pov("fly").returncode, 2)
        self.assertEqual(pov("run").returncode, 2)
        self.assertEqual(pov("run", self.station, "--nonsense").returncode, 2)
        self.assertEqual(pov("run", self.folder / "nowhere.yaml").returncode, 1)
        empty = self.folder / "empty"
        empty.mkdir()
        result = pov("run", self.station, "--no-publish", "--images", empty)
        self.assertEqual(result.returncode, 1)
        self.assertIn(str(empty), result.stderr)

    def test_help_has_an_example_for_every_command(self):
        for command in ("demo", "run", "listen", "cameras", "doctor"):
            result = pov(command, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn("Example", result.stdout)

    def test_images_lost_from_a_source_that_is_too_fast_are_counted_as_their_numbers_tell(self):
        result, lines = self.run_json("--rate", 1000, "--live", "--loop", "--count", 15)
        numbers = [line["image"]["sequence"] for line in lines]
        counts = [int(re.search(pattern, result.stderr)[1]) for pattern in (r"(\d+) lost because", r"lost while they were judged: (\d+)")]
        self.assertEqual(counts, [numbers[14] - 14, numbers[4] - 4], result.stderr)

    def test_it_stops_cleanly_when_asked(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = subprocess.Popen([POV, "run", self.station, "--loop", "--json", "--no-publish"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            process.stdout.readline()
            process.send_signal(number)
            rest = process.stdout.read()  # communicate would miss what readline has taken from the pipe beyond its line
            process.stdout.close()
            self.assertEqual(process.wait(timeout=300), 0)
            for line in rest.splitlines():  # none is cut off
                json.loads(line)

    def test_listen_prints_what_run_publishes(self):
        endpoint = f"ipc://{self.folder}/socket"
        with open(self.folder / "run.jsonl", "w+") as printed, open(self.folder / "run.err", "w+") as said:
            run = subprocess.Popen([POV, "run", self.station, "--publish", endpoint, "--wait", "1", "--json"],
                                   stdout=printed, stderr=said)
            heard = pov("listen", "--connect", endpoint, "--topic", "observation", "--json", "--count", IMAGES)
            self.assertEqual(run.wait(timeout=300), 0, (self.folder / "run.err").read_text())
            printed.seek(0)
            self.assertEqual(heard.returncode, 0, heard.stderr)
            self.assertEqual([json.loads(line) for line in heard.stdout.splitlines()],
                             [json.loads(line) for line in printed])

    def test_judge_reads_what_run_prints(self):
        result, lines = self.run_json("--count", 1)
        scene = self.folder / "scene.json"
        scene.write_text(result.stdout)
        judged = pov("judge", scene, "--json")
        self.assertEqual(judged.returncode, 0, judged.stderr)
        self.assertIn("red_ball", {j["referent"] for j in json.loads(judged.stdout)["judgments"]})

    def test_every_viewer_is_asked_what_it_sees(self):
        """A wall stands before anna, who looks at the balls; ben turns his back on them."""
        person = "class: person, found_by: survey, size_m: [0.2, 0.3, 0.6], sees: {horizontal_deg: 160}"
        cast = (f"  - {{id: anna, {person}, position_m: [0, 2, 0.3], front_deg: 270}}\n"
                f"  - {{id: ben, {person}, position_m: [0, -2, 0.3], front_deg: 270}}\n"
                "  - {id: wall, found_by: survey, position_m: [0, 1.5, 0.4], size_m: [3, 0.05, 0.8], shape: box}\n")
        station = self.folder / "demo" / "viewers.yaml"
        station.write_text(self.station.read_text().replace("cast:\n", "cast:\n" + cast))
        printed = pov("run", station, "--json", "--no-publish")
        self.assertEqual(printed.returncode, 0, printed.stderr)
        for line in printed.stdout.splitlines():
            seen = {(v["viewer"], v["target"]): v for v in json.loads(line)["visibility"]}
            self.assertEqual(len(seen), 5 + 4 + 4)  # nobody is asked about the camera, or itself
            for ball in ("red_ball", "blue_ball"):
                hidden, behind = seen["anna", ball], seen["ben", ball]
                self.assertEqual((hidden["verdict"], hidden["cause"]), ("false", "hidden"))
                self.assertEqual(hidden["occluders"], [{"id": "wall", "share": 1}])
                self.assertEqual((behind["verdict"], behind["cause"]), ("false", "behind"))
                self.assertEqual(seen["camera", ball]["verdict"], "true")
            self.assertEqual(seen["anna", "wall"]["verdict"], "true")
        text = pov("run", station, "--no-publish", "--count", 1).stdout
        self.assertIn("  anna sees: not ben (hidden by wall), wall, not red_ball (hidden by wall), ", text)
        self.assertIn("  ben sees: not anna (behind), ", text)

    def test_what_no_message_has_room_for_is_told_once_with_the_remedy(self):
        things = "".join(f"  - {{id: e{i}, found_by: survey, position_m: [{0.1 * i}, 2, 0.1], size_m: 0.1}}\n" for i in range(48))
        station = self.folder / "demo" / "crowd.yaml"
        told = "more judgments than the 10240 that a message holds"
        for judge, warnings, len_ in [("", 1, 10240), ("judge: {relations: [left_of], axes: [sight_line]}\n", 0, 50 * 49 * 4)]:  # three conventions, and the intrinsic frame
            station.write_text(judge + self.station.read_text().split("judge:")[0].replace("cast:\n", "cast:\n" + things))
            printed = pov("run", station, "--json", "--no-publish", "--count", 2)
            self.assertEqual(printed.returncode, 0, printed.stderr)
            self.assertEqual(printed.stderr.count(told), warnings, printed.stderr)
            for line in map(json.loads, printed.stdout.splitlines()):
                self.assertEqual((len(line["judgments"]), line["judgments_truncated"]), (len_, warnings == 1))

    def test_doctor_checks_a_station(self):
        good = pov("doctor", self.station, "--json")
        checks = {c["what"]: c["verdict"] for c in json.loads(good.stdout)["checks"]}
        self.assertEqual(checks["station"], "ok")
        bad = pov("doctor", self.folder / "nowhere.yaml")
        self.assertEqual(bad.returncode, 1)
        self.assertIn("nowhere.yaml", bad.stdout)


if __name__ == "__main__":
    unittest.main()
