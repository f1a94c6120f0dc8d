#!/usr/bin/env python3
"""pov questions as a user runs it: text, JSON and CSV that agree, languages in normal form, complaints."""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unicodedata
import unittest

POV = os.environ["POV"]
SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
# Camera at -y looking along +y; the car faces camera-left; the woman stands camera-left and faces camera-right.
SCENE = """\
camera: {position_m: [0, -3, 1], look_at_m: [0, 0, 0]}
entities:
  - {id: 'red, "round" thing', class: ball, position_m: [0.5, 0.1, 0], position_std_m: 0.01, size_m: 0.2, shape: sphere}
  - {id: car, position_m: [0, 0, 0], size_m: [0.8, 0.4, 0.3], front_deg: 180, front_std_deg: 3}
  - {id: woman, position_m: [-2, 0, 0], size_m: [0.3, 0.5, 1.7], front_deg: 0, addressee: true}
"""
BALL = 'red, "round" thing'
PAPERS = "comfort", "forest", "vsr", "vpt", "sphere"


def pov(*arguments):
    return subprocess.run([POV, "questions", *map(str, arguments)], capture_output=True, text=True, timeout=60)


class Questions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="pov-questions-")
        cls.scene = pathlib.Path(cls.folder.name) / "kitchen.yaml"
        cls.scene.write_text(SCENE)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def told(self, *arguments):
        result = pov(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def asked(self, *arguments):
        return json.loads(self.told(self.scene, "--json", *arguments))["questions"]

    def refused(self, code, *arguments):
        result = pov(*arguments)
        self.assertEqual(result.returncode, code, result.stdout)
        self.assertEqual(result.stdout, "")
        return result.stderr

    def test_text_json_and_csv_tell_the_same(self):
        for paper in PAPERS:
            questions = self.asked("--paper", paper, "--runs", "2")
            text = self.told(self.scene, "--paper", paper, "--runs", "2")
            rows = list(csv.DictReader(io.StringIO(self.told(self.scene, "--paper", paper, "--runs", "2", "--csv"))))
            self.assertEqual(len(rows), sum(len(question["golds"]) for question in questions))
            self.assertEqual(list(dict.fromkeys(row["id"] for row in rows)), [q["id"] for q in questions])
            for question in questions:
                self.assertIn(f"{question['id']}\n  {question['text']}\n    ", text)
                for gold in question["golds"]:
                    self.assertTrue(gold["p"] is None or 0 <= gold["p"] <= 1 + 1e-9, question)
                    self.assertEqual(gold["p"] is None, gold["answer"] is None)

    def test_captions_tell_their_frames(self):
        golds = {question["text"]: question["golds"] for question in self.asked("--paper", "vsr")}
        caption = lambda words: {gold["frame"]: gold["answer"]
                                 for gold in golds[f"Caption: {words} The caption is: True or False?"]}
        # The car faces camera-left, where the woman stands: in front of it, but for the viewer beside it. The ball lies
        # to her left, a little, by her own front; for the viewer to her right.
        relative = "egocentric reflected sight_line"
        self.assertEqual(caption("The woman is in front of the car."), {None: "true", relative: "false", "intrinsic": "true"})
        self.assertEqual(caption("The ball is right of the woman."), {None: "true", relative: "true", "intrinsic": "false"})
        self.assertEqual(caption("The woman is facing the car."), {None: "true"})
        self.assertEqual(caption("The woman is inside the car."), {None: "false"})
        self.assertEqual(caption("The woman is part of the car."), {None: None})

    def test_what_nobody_can_know_is_undefined(self):
        golds = {question["id"]: question["golds"][0]["answer"] for question in self.asked("--paper", "vpt")}
        self.assertEqual(golds["vpt/Q4/car:woman"], "east")
        self.assertEqual(golds["vpt/Q7/car:woman"], "front")
        self.assertIsNone(golds["vpt/Q6/car:woman"])  # nobody says how wide she sees

    def test_a_pair_is_asked_about_alone(self):
        questions = self.asked("--pair", f"{BALL}:car")
        self.assertEqual({q["relatum"] for q in questions if q["task"] == "relation"}, {"car"})
        self.assertEqual(len([q for q in questions if q["task"] == "relation"]), 16)
        self.assertEqual({q["referent"] for q in self.asked("--pair", "*:car") if q["relatum"]}, {BALL, "woman"})

    def test_languages_are_in_normal_form_and_listed(self):
        languages = json.loads(self.told("--languages", "--json"))["languages"]
        self.assertGreaterEqual(len([one for one in languages if not one["of"]]), 21)
        for one in languages:
            text = self.told(self.scene, "--language", one["code"])
            self.assertTrue(unicodedata.is_normalized("NFC", text), one["code"])
            self.assertNotRegex(text, r"[{}]")
            self.assertIn(f"/{one['code']}\n", text)
        self.assertEqual(len(self.told("--languages").splitlines()), len(languages) + 1)
        for path in (SOURCE / "languages").glob("*.yaml"):
            self.assertTrue(unicodedata.is_normalized("NFC", path.read_text("utf-8")), path)

    def test_scripts_are_those_of_their_languages(self):
        scripts = {"ta": "TAMIL", "ar": "ARABIC", "hi": "DEVANAGARI", "ru": "CYRILLIC", "th": "THAI", "he": "HEBREW",
                   "bn": "BENGALI", "uk": "CYRILLIC", "el": "GREEK", "fa": "ARABIC", "ko": "HANGUL", "zh": "CJK"}
        for code, script in scripts.items():
            texts = "".join(re.findall(r"^  (\S.*)$", self.told(self.scene, "--language", code), re.M))
            strange = {c for c in texts if c.isalpha() and not unicodedata.name(c).startswith(script)}
            self.assertFalse(strange, code)

    def test_the_papers_own_sentences(self):
        """Quoted from the papers' text, where it is at hand."""
        folder = pathlib.Path(os.environ.get("POV_SHARED", SOURCE / ".." / "shared")) / "papers"
        if not folder.exists():
            self.skipTest("../shared not found")
        comfort = (folder / "comfort.txt").read_text("utf-8").replace("’", "'")
        for prompt, viewpoint in {"cam": "the camera", "add": "the [addressee]", "rel": "the [relatum]"}.items():
            self.assertIn(f"From {viewpoint}'s viewpoint, is [A] [relation] [B]?", comfort)
            asked = next(q["text"] for q in self.asked("--pair", f"{BALL}:car") if q.get("prompt") == prompt)
            viewpoint = viewpoint.replace("[addressee]", "woman").replace("[relatum]", "car")
            self.assertEqual(asked, f"From {viewpoint}'s viewpoint, is the ball to the left of the car?")
        vpt = (folder / "isle-brick-vpt.txt").read_text("utf-8")
        minifigure = self.scene.with_name("brick.yaml")
        minifigure.write_text(SCENE.replace("{id: woman,", "{id: woman, class: minifigure,").replace("{id: car,", "{id: car, class: thing,")
                              .replace("  - {id: 'red", "#"))
        for question in json.loads(self.told(minifigure, "--paper", "vpt", "--json"))["questions"]:
            self.assertIn(f"{question['task']}: {question['text']}", vpt)
        sphere = (folder / "sphere.txt").read_text("utf-8")
        self.assertIn("Given that for the question: Which object is thicker? Fire hydrant or tree trunk? The answer is: Tree "
                      "trunk. Where can a child be hiding?", sphere)
        self.assertIn("From the perspective of the viewer, where is the girl relative to the man?", sphere)
        self.assertIn("From the perspective of the viewer, where is the ball relative to the car?",
                      self.told(self.scene, "--paper", "sphere"))

    def test_complaints_name_what_is_wrong(self):
        self.assertIn("sphere, not 'all'", self.refused(2, self.scene, "--paper", "all"))
        self.assertIn("which scene?", self.refused(2))
        self.assertIn("only COMFORT's", self.refused(2, self.scene, "--paper", "vsr", "--language", "de"))
        self.assertIn("--runs: takes a whole number", self.refused(2, self.scene, "--runs", "0"))
        self.assertIn('there is no language "dee"; the nearest is "de"', self.refused(1, self.scene, "--language", "dee"))
        self.assertIn('"cat" is not in the scene', self.refused(1, self.scene, "--pair", "cat:car"))
        self.assertIn("comfort has no intermediate step", self.refused(1, self.scene, "--guided", "step"))
        self.assertIn("facts are told in English", self.refused(1, self.scene, "--guided", "facts", "--language", "de"))
        lonely = self.scene.with_name("lonely.yaml")
        lonely.write_text("entities:\n  - {id: car, position_m: [0, 0, 0], size_m: 1}\n")
        self.assertIn("allows no question of vpt", self.refused(1, lonely, "--paper", "vpt"))
        crowd = self.scene.with_name("crowd.yaml")
        crowd.write_text("camera: {position_m: [9, 0, 9], look_at_m: [0, 0, 0]}\nentities:\n" + "".join(
            f"  - {{id: t{i}, position_m: [{i}, 0, 0], size_m: 0.5}}\n" for i in range(200)))
        self.assertIn("more than 20000 questions", self.refused(1, crowd, "--paper", "forest"))
        mine = self.scene.with_name("mine.yaml")
        mine.write_text("languages:\n  - {code: x, of: en, source: ours, present: 'is {objct}?'}\n")
        self.assertRegex(self.refused(1, "--languages", "--language-file", mine), r"mine\.yaml:2: languages\[0\]\.present: ")


if __name__ == "__main__":
    unittest.main()
