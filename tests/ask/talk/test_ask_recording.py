#!/usr/bin/env python3
"""pov ask of a recording: "when" gives the intervals of its images, --at chooses one, and .jsonl lines of the same run say the same. Sides come
from the simulated world's own places, sight from what was judged image by image."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

POV = os.environ["POV"]
WORLD = """\
camera: {size_px: [320, 240], field_of_view_deg: 55, position_m: [1.6, 0, 1.1], look_at_m: [0, 0, 0]}
surface: {size_m: [3, 3], color: "#c9a678"}
things:
  - {id: red_ball, class: basketball, position_m: [0, 0], size_m: 0.2, color: "#d01010"}
  - {id: blue_ball, class: basketball, position_m: [0.4, 0], size_m: 0.2, color: "#1030c0"}
  - {id: anna, class: woman, position_m: [-0.9, 0], size_m: 0.8, front_deg: 0, addressee: true}
motion: {orbit: {thing: blue_ball, about: red_ball}, steps: 16, period_s: 8}
"""
CLEARLY_M = 0.05  # a side of at least so much is judged without doubt


class Recording(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="pov-ask-recording-")
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "world.yaml").write_text(WORLD)
        cls.pov("sim", "world.yaml", "--images", "16", "--bodies", "own", "--quiet", "--out", "world")
        lines = cls.pov("run", "world/station.yaml", "--no-publish", "--json", "--record", "seen.mcap")
        (cls.folder / "seen.jsonl").write_text(lines)
        cls.seen = [json.loads(line) for line in lines.splitlines()]
        cls.times = [line["image"]["capture_ns"] for line in cls.seen]
        cls.y_m = []  # of the blue ball, in truth
        for path in sorted((cls.folder / "world" / "scenes").iterdir()):
            match = re.search(r'id: "?blue_ball"?.*?position_m: \[([^\]]+)\]', path.read_text(), re.S)
            cls.y_m.append(float(match[1].split(",")[1]))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def pov(cls, *arguments, code=0, stdin=None):
        result = subprocess.run([POV, *arguments], cwd=cls.folder, capture_output=True, text=True, timeout=100, input=stdin)
        assert result.returncode == code, (arguments, result.returncode, result.stderr)
        return result.stdout if code == 0 else result.stderr

    def ask(self, *utterances, source="seen.mcap"):
        told = [json.loads(line) for line in self.pov("ask", source, "-", "--json", stdin="\n".join(utterances) + "\n").splitlines()]
        self.assertEqual(len(told), len(utterances))
        return told

    def covers(self, intervals, i):
        return any(one["from_ns"] <= self.times[i] <= one["to_ns"] for one in intervals)

    def test_sides_are_told_as_intervals(self):
        """The camera in the east looks west: its left is the south, y < 0; Anna's, who looks east, the north."""
        self.assertEqual(len(self.y_m), len(self.times))
        for words, sign in (("as the camera sees it", -1), ("as Anna sees it", 1)):
            told, = self.ask(f"when was the blue ball left of the red ball {words}?")
            self.assertEqual((told["kind"], told["images"]), ("when", len(self.times)))
            self.assertGreater(len(told["intervals"]), 0)
            for i, y_m in enumerate(self.y_m):
                if abs(y_m) > CLEARLY_M:
                    self.assertEqual(self.covers(told["intervals"], i), sign * y_m > 0, (words, i, y_m, told["intervals"]))

    def test_sight_is_told_as_intervals(self):
        told, why = self.ask("when could Anna see the blue ball?", "why?")
        for i, line in enumerate(self.seen):
            sees, = [look["verdict"] for look in line["visibility"] if (look["viewer"], look["target"]) == ("anna", "blue_ball")]
            self.assertEqual(self.covers(told["intervals"], i), sees == "true", i)
        self.assertRegex(told["say"], r"^Anna sees the blue ball (from|at) \d\d:\d\d")
        self.assertRegex(why["say"], r"^At \d\d:\d\d: Because Anna has \d+ % of the blue ball in sight")
        german, = self.ask("wann konnte Anna den blue_ball sehen?")
        self.assertEqual(german["intervals"], told["intervals"])

    def test_frames_that_disagree_are_asked_for(self):
        told, chosen = self.ask("when was the blue ball left of the red ball?", "as you see it")
        self.assertEqual((told["outcome"], told["answer"]), ("ask_back", "depends"))
        self.assertEqual({frame["viewer"] for frame in told["frames"]}, {"camera", "anna"})
        camera, = [frame for frame in told["frames"] if frame["viewer"] == "camera"]
        self.assertEqual(chosen["intervals"], camera["intervals"])

    def test_lines_say_the_same(self):
        utterances = ["when could you see the blue ball?", "when was the blue ball behind the red ball for you?", "give me the blue ball", "why?"]
        self.assertEqual(self.ask(*utterances), self.ask(*utterances, source="seen.jsonl"))

    def test_an_image_is_chosen_by_its_time(self):
        last, = self.ask("can you see the red ball?")
        self.assertEqual(last["image"]["sequence"], len(self.times) - 1)
        first = json.loads(self.pov("ask", "seen.mcap", "can you see the red ball?", "--json", "--at", "0"))
        self.assertEqual(first["image"]["sequence"], 0)
        named = json.loads(self.pov("ask", "seen.mcap", "can you see the red ball?", "--json", "--image", self.seen[3]["image"]["name"]))
        self.assertEqual(named["image"]["sequence"], 3)
        self.assertIn("--at is beyond", self.pov("ask", "seen.mcap", "why?", "--at", "59:00", code=1))
        self.assertIn("none of its 16 images", self.pov("ask", "seen.mcap", "why?", "--image", "x.png", code=1))

    def test_one_moment_has_no_when(self):
        scene = self.folder / "still.yaml"
        scene.write_text("entities: [{id: ball, position_m: [0, 0, 0.1], size_m: 0.2}, {id: car, position_m: [1, 0, 0.1], size_m: 0.2, front_deg: 0}]\n")
        self.assertIn("one moment only", self.pov("ask", scene, "when was the ball near the car?", code=2))


if __name__ == "__main__":
    unittest.main()
