#!/usr/bin/env python3
"""pov ask of what a station saw: a line of what it printed, the newest that it publishes, many questions in a row."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

POV = os.environ["POV"]
# Surveyed: a cup on a box; anna, who stands 1.2 m behind the box, looks at it.
THINGS = {
    "cup": {"position_m": [-0.3, 0.3, 0.25], "size_m": [0.08, 0.08, 0.1]},
    "box": {"position_m": [-0.3, 0.3, 0.1], "size_m": [0.3, 0.3, 0.2]},
    "anna": {"position_m": [-1.5, 0.3, 0.8], "size_m": [0.3, 0.5, 1.6], "front_deg": 0, "addressee": True,
             "sees": {"horizontal_deg": 120, "vertical_deg": 90}},
}
FAR = "how far is the box from anna?"
FAR_M = 1.2 - 0.15 - 0.15  # between their surfaces


class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-live-"))
        demo = subprocess.run([POV, "demo", "--out", cls.folder / "demo", "--images", "2"], capture_output=True)
        assert demo.returncode == 0, demo.stderr
        cast = "".join(f"  - {json.dumps({'id': id_, 'found_by': 'survey', **keys})}\n" for id_, keys in THINGS.items())
        cls.station = cls.folder / "demo" / "own.yaml"
        cls.station.write_text("camera:\n  source: folder\n  folder: {path: images}\n  calibration: camera.yaml\n"
                               "  pose: {position_m: [1.5, 0, 0.85], look_at_m: [0, 0, 0.08]}\n"
                               f"cast:\n{cast}")
        cls.lines = cls.folder / "seen.jsonl"
        run = subprocess.run([POV, "run", cls.station, "--json", "--no-publish"], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        cls.lines.write_text(run.stdout)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def ask(self, *arguments, text=None):
        return subprocess.run([POV, "ask", *map(str, arguments)], input=text, capture_output=True, text=True, timeout=300)

    def test_a_line_of_what_was_seen_is_a_scene(self):
        told = self.ask(self.lines, FAR, "--json")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertAlmostEqual(json.loads(told.stdout)["gap_m"], FAR_M, places=2)

    def test_an_image_is_chosen_by_its_name(self):
        lines = [json.loads(line) for line in self.lines.read_text().splitlines()]
        first = lines[0]["image"]["name"]
        for entity in lines[0]["scene"]["entities"]:
            if entity["id"] == "anna":
                entity["pos_m"][0] -= 1
        path = self.folder / "moved.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        for options, expected in (((), FAR_M), (("--image", first), FAR_M + 1)):
            told = self.ask(path, FAR, "--json", *options)
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertAlmostEqual(json.loads(told.stdout)["gap_m"], expected, places=2)
        missing = self.ask(path, FAR, "--image", "nowhere.png")
        self.assertEqual(missing.returncode, 1)
        self.assertIn('none of its 2 images is called "nowhere.png"', missing.stderr)

    def test_a_running_station_is_asked(self):
        endpoint = f"ipc://{self.folder}/wire"
        ask = subprocess.Popen([POV, "ask", endpoint, FAR, "--json", "--timeout", "50"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        run = subprocess.Popen([POV, "run", self.station, "--publish", endpoint, "--wait", "1"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        out, complaint = ask.communicate(timeout=300)
        run.wait(300)
        self.assertEqual(ask.returncode, 0, complaint)
        self.assertAlmostEqual(json.loads(out)["gap_m"], FAR_M, places=2)

    def test_a_silent_station_is_told(self):
        told = self.ask(f"ipc://{self.folder}/nobody", FAR, "--timeout", "0.3")
        self.assertEqual(told.returncode, 1)
        self.assertIn("nothing came from", told.stderr)

    def test_many_questions_have_an_answer_each(self):
        text = f"{FAR}\n\nis the cup flabbergasted?\nis the cup on the box?\n"
        told = self.ask(self.lines, "-", "--json", text=text)
        self.assertEqual(told.returncode, 2)
        self.assertIn('"flabbergasted"', told.stderr)
        answers = [json.loads(line) for line in told.stdout.splitlines()]
        self.assertEqual([answer["kind"] for answer in answers], ["distance", None, "relation"])
        plain = self.ask(self.lines, "-", text=f"{FAR}\n")
        self.assertIn("0.9 m", plain.stdout)


if __name__ == "__main__":
    unittest.main()
