#!/usr/bin/env python3
"""pov questions as a user runs it: text, JSON and CSV that agree, languages in normal form, complaints."""
import csv
import io
import json
import math
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
    return subprocess.run([POV, "questions", *map(str, arguments)], capture_output=True, text=True, timeout=300)


# FoREST's Table 7: relatum, then locatum.
REVERSE = [r"In relation to (.+), where is (.+) located when viewed from (.+) perspective\?",
           r"In (?P<who>.+) perspective, given (.+) as reference, where is (.+) located\?",
           r"Relative to (.+), where can (.+) be found from the viewpoint of (.+) perspective\?",
           r"Considering (.+) as reference, where does (.+) lie when seen from (.+) perspective\?"]


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

    def test_a_hypothetical_viewer_is_asked_about_and_in_no_picture(self):
        """At the car facing the woman: the ball is half a metre behind it, a little to the right (north is left of -x)."""
        usual = [q["id"] for q in self.asked("--paper", "vpt")]
        questions = {q["id"]: q for q in self.asked("--paper", "vpt", "--imagine", "car:woman")}
        self.assertLess(set(usual), set(questions))
        self.assertEqual(set(questions) - set(usual), {f"vpt/Q{n}/{thing}:observer" for n in (6, 7) for thing in (BALL, "woman")})
        ball = questions[f"vpt/Q7/{BALL}:observer"]
        self.assertTrue(ball["text"].startswith("From the perspective of someone who stands at the car and faces the woman, where is"), ball["text"])
        self.assertEqual(ball["golds"][0]["answer"], "back")
        self.assertEqual(questions["vpt/Q7/woman:observer"]["golds"][0]["answer"], "front")
        by_file = self.scene.with_name("imagined.yaml")
        by_file.write_text(SCENE + "  - {id: observer, class: person, at: car, facing: woman}\n")
        told = json.loads(self.told(by_file, "--json", "--paper", "vpt"))["questions"]
        self.assertEqual({q["id"]: q["golds"] for q in told}, {i: q["golds"] for i, q in questions.items()})
        standing = [q["id"] for q in self.asked("--paper", "viewspatial", "--imagine", "car:woman") if "/standing." in q["id"]]
        self.assertEqual(standing, [f"viewspatial/standing.facing_woman/{BALL}:car"])
        for wrong, why in (("car", "takes AT:FACING"), ("car:car", "name another thing"), ("car:moon", "no 'moon'")):
            self.assertIn(why, self.refused(1, self.scene, "--paper", "vpt", "--imagine", wrong))
        for paper in "comfort", "forest", "vsr":
            self.assertIn("would do nothing", self.refused(2, self.scene, "--paper", paper, "--imagine", "car:woman"))
        self.assertIn("leave the option out", self.refused(2, self.scene, "--paper", "vpt", "--imagine", ""))
        self.assertIn("--imagine", self.refused(2, "--languages", "--paper", "vpt", "--imagine", "car:woman"))

    def test_one_scene_has_no_views_of_a_turn(self):
        self.assertIn("several views of one turn", self.refused(1, self.scene, "--paper", "mindcube"))

    def test_reverse_questions_name_the_relatum_first_and_have_the_same_golds(self):
        usual = {q["id"]: q for q in self.asked("--paper", "forest")}
        reverse = self.asked("--paper", "forest", "--order", "reverse")
        self.assertEqual({q["id"] for q in reverse}, {f"{name}+reverse" for name, q in usual.items() if not q["task"].startswith("frame_")})
        seen = set()
        for question in reverse:
            normal = usual[question["id"].removesuffix("+reverse")]
            self.assertEqual((question["order"], question["golds"], question["options"]), ("reverse", normal["golds"], normal["options"]))
            number, match = next((i, m) for i, m in enumerate(re.search(pattern + "$", question["text"]) for pattern in REVERSE) if m)
            relatum, referent = (match[2], match[3]) if number == 1 else (match[1], match[2])
            called = {BALL: "the ball", "car": "the car", "woman": "the woman"}
            self.assertEqual((relatum, referent), (called[question["relatum"]], called[question["referent"]]), question["text"])
            self.assertIn("the camera's" if question["asked_of"] == "camera" else f"{relatum}'s", question["text"].split(". ")[-1])
            seen.add(number)
        self.assertEqual(seen, {0, 1, 2, 3})
        self.refused(1, self.scene, "--paper", "vsr", "--order", "reverse")
        self.refused(1, self.scene, "--paper", "forest", "--task", "layout", "--order", "reverse")

    def test_layouts_are_asked_for_with_examples_and_guidance(self):
        convert = {"toward": dict(left="right", right="left", front="front", back="back"),
                   "away": dict(left="left", right="right", front="back", back="front"),
                   "right": dict(front="right", right="front", back="left", left="back"),
                   "left": dict(front="left", left="front", right="back", back="right")}
        layout = "--paper", "forest", "--task", "layout"
        questions = self.asked(*layout, "--pair", f"{BALL}:car")
        self.assertEqual(len(questions), 12)  # A-split, external relative and intrinsic, by four relations
        for question in questions:
            self.assertEqual((question["kind"], question["task"], question["needs_image"]), ("layout", "layout", False))
            self.assertIn("512 pixels wide", question["system"])
            self.assertEqual(question["text"], "Caption: " + question["caption"])
            self.assertEqual(question["split"], "A" if len(question["frames"]) > 1 else "C")
            self.assertEqual((question["obj1"], question["obj2"], question["facing"]), ("ball", "car", "left"))
            answers = {gold["answer"] for gold in question["golds"]}
            relation = question["relation"]
            self.assertEqual(answers, {relation if "relative" in f else convert["left"][relation] for f in question["frames"]})
        for guided in "not", "facts":
            told = self.asked(*layout, "--pair", f"{BALL}:car", "--examples", "4", "--guided", guided)
            *examples, last = told[0]["text"].split("\n\n")
            self.assertEqual(len(examples), 4)
            self.assertEqual(sum("Spatial information: " in part for part in examples + [last]), 5 if guided == "facts" else 0)
            self.check_examples(examples, convert)
        self.assertEqual(last.split("\n")[1], "Spatial information: Direction: relative to the observer, or to the car itself, the ball is to "
                         "the left of the car. Topology: the ball is outside or inside the car. Distance: near or none. Frame of reference: "
                         "external relative or external intrinsic or internal intrinsic or internal relative.")

    def check_examples(self, examples, convert):
        """Each example's boxes lie in the picture and show what its caption says."""
        for example in examples:
            caption = re.match(r"Caption: A (\w+) is (?:to the |in )?(left|right|front|back) of a (\w+)(.*)", example)
            one, relation, other, rest = caption.groups()
            boxes = {name: tuple(map(int, box.split(", "))) for name, box in re.findall(r"\['(\w+)', \[([^]]*)\]\]", example)}
            self.assertEqual(set(boxes), {one, other}, example)
            if f"the {other}'s perspective" in rest:
                relation = convert[re.search(r"facing (toward|away|left|right)", rest)[1]][relation]
            (x, y, w, h), (u, v, wide, high) = boxes[one], boxes[other]
            for left, top, width, height in boxes.values():
                self.assertTrue(0 <= left and 0 <= top and left + width <= 512 and top + height <= 512)
            apart, lower = x + w / 2 - u - wide / 2, y + h - v - high
            self.assertTrue({"left": apart < -50, "right": apart > 50, "front": lower > 50, "back": lower < -50}[relation], example)

    def test_a_layout_that_shows_its_gold_scores_all(self):
        questions = self.asked("--paper", "forest", "--task", "layout")
        places = {"left": (0, 300), "right": (300, 0), "front": (0, 0), "back": (0, 0)}
        for mirrored in False, True:
            rows = []
            for q in questions:
                x, u = places[q["golds"][0]["answer"]][::-1 if mirrored else 1]
                answer = f"Objects: [['{q['obj1']}', [{x}, 100, 90, 80]], ['{q['obj2']}', [{u}, 100, 90, 80]]]"
                rows.append({key: q[key] for key in "id task split obj1 obj2 relation facing frames".split()} | {"answer": answer})
            path = pathlib.Path(self.folder.name) / "layouts.jsonl"
            path.write_text("\n".join(map(json.dumps, rows)))
            done = subprocess.run([POV, "score", path, "--paper", "forest", "--json"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            scored = [q for q in questions if q["split"] == "C" and q["golds"][0]["answer"] in ("left", "right")]
            self.assertEqual(result["scores"][0]["accuracy"]["mean"], 0 if mirrored else 1)
            self.assertEqual(result["scores"][0]["given"], len(scored))
            self.assertGreater(len(scored), 10)
        path.write_text(json.dumps({"questions": [q | {"answer": answer} for q in questions]}))
        done = subprocess.run([POV, "score", path, "--paper", "forest"], capture_output=True, text=True)
        self.assertIn("answer: is both within the list 'golds' and beside it", done.stderr)  # golds are not answers

    def test_layouts_of_captions(self):
        captions = [{"id": "1_left", "context": "An owl is left of a tram. The tram is facing left.", "obj1": "owl", "obj2": "tram",
                     "relation": "left", "label": ["external intrinsic"]},
                    {"id": "2", "context": "An owl is back of a lamp.", "obj1": "owl", "obj2": "lamp", "relation": "back",
                     "label": ["external relative"], "obj2_dir": "nan"}]
        path = pathlib.Path(self.folder.name) / "captions.json"
        path.write_text(json.dumps({"data": captions}))
        layout = "--captions", path, "--paper", "forest", "--task", "layout"
        for guided in "not", "facts":
            told = json.loads(self.told(*layout, "--json", "--guided", guided))["questions"]
            self.assertEqual([q["id"] for q in told], ["1_left", "2"])
            self.assertEqual([q["caption"] for q in told], [c["context"] for c in captions])
            self.assertEqual([[g["answer"] for g in q["golds"]] for q in told], [["front"], ["back"]])
        self.assertEqual(self.told(*layout).count("Caption: "), 2)
        shared = pathlib.Path(os.environ.get("POV_SHARED", SOURCE.parent / "shared")) / "golden/forest_images.json"
        if shared.exists():
            theirs = json.loads(shared.read_text())["data"]
            told = json.loads(self.told("--captions", shared, *layout[2:], "--json", "--examples", "4"))["questions"]
            self.assertEqual([q["id"] for q in told], [c["id"] for c in theirs])
            ours = set(re.findall(r"\['(\w+)', \[", told[0]["text"]))
            self.assertFalse(ours & {c[key] for c in theirs for key in ("obj1", "obj2")}, "examples of our own")
        path.write_text(json.dumps([captions[0] | {"context": ""}]))
        self.assertIn("caption '1_left' has no text", self.refused(1, *layout))
        self.assertEqual(self.told(self.scene, "--paper", "forest", "--examples", "4"),
                         self.told(self.scene, "--paper", "forest", "--prompting", "4-shot"))
        self.refused(1, self.scene, "--paper", "forest", "--task", "layout", "--prompting", "cot")
        self.refused(1, self.scene, "--paper", "vsr", "--system", "comfort")
        for wrong in (["--paper", "vsr", "--task", "layout"], ["--paper", "vsr", "--examples", "0", "--prompting", "cot"],
                      ["--paper", "forest", "--task", "layout", "--examples", "3"]):
            self.refused(2, self.scene, *wrong)
        self.refused(2, self.scene, *layout)
        self.refused(2, "--paper", "forest", "--task", "layout")

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

    def test_ask_judge_and_golds_go_by_one_axis(self):
        """The woman looks past the car. By hand: what is left or in front by her sight line to it, and by her heading."""
        scene, differ = self.scene.with_name("aside.yaml"), 0
        for woman, looks_deg, ball in (((-2, 0), 50, (0.3, -0.5)), ((-2, -1), -40, (0.2, 0.6)), ((-1.5, 1), -95, (0.5, 0.1)), ((-2, 0), 0, (0.3, 0.5))):
            scene.write_text(f"""\
camera: {{position_m: [0, -3, 1], look_at_m: [0, 0, 0]}}
entities:
  - {{id: ball, position_m: [{ball[0]}, {ball[1]}, 0], size_m: 0.2}}
  - {{id: car, position_m: [0, 0, 0], size_m: [0.8, 0.4, 0.3], front_deg: 180}}
  - {{id: woman, position_m: [{woman[0]}, {woman[1]}, 0], size_m: [0.3, 0.5, 1.7], front_deg: {looks_deg}, addressee: true}}
""")

            def holds(relation, direction):
                across = direction[0] * ball[1] - direction[1] * ball[0]
                along = direction[0] * ball[0] + direction[1] * ball[1]
                return {"left_of": across > 0, "right_of": across < 0, "in_front_of": along < 0, "behind": along > 0}[relation]
            heading = math.cos(math.radians(looks_deg)), math.sin(math.radians(looks_deg))
            golds = [question for question in json.loads(self.told(scene, "--pair", "ball:car", "--json"))["questions"]
                     if question.get("prompt") == "add"]
            judged = json.loads(subprocess.run([POV, "judge", scene, "--pairs", "ball:car", "--frames", "addressee,reflected", "--json"],
                                               capture_output=True, text=True, check=True).stdout)["judgments"]
            self.assertEqual(len(golds), 4)
            for question in golds:
                relation = question["relation"]
                by_sight, by_heading = holds(relation, (-woman[0], -woman[1])), holds(relation, heading)
                gold, = [gold for gold in question["golds"] if gold["asked"]]
                self.assertEqual((gold["answer"], gold["frame"]), ("yes" if by_sight else "no", "addressee reflected sight_line"))
                sight_deg = math.degrees(math.atan2(-woman[1], -woman[0])) + 90  # from the line to the camera, along -y
                self.assertAlmostEqual(question["addressee_facing_deg"], sight_deg % 360, places=6)
                verdict, = [row["verdict"] for row in judged if row["relation"] == relation]
                self.assertEqual(verdict, "true" if by_sight else "false")
                answer = json.loads(subprocess.run([POV, "ask", scene, question["text"], "--json"], capture_output=True, text=True).stdout)
                self.assertEqual(answer["answer"], gold["answer"], question["text"])
                told = [(item["viewer"], item["verdict"]) for item in answer["by_heading"]]
                self.assertEqual(told, [("woman", "true" if by_heading else "false")] if by_heading != by_sight else [])
                text = subprocess.run([POV, "ask", scene, question["text"]], capture_output=True, text=True).stdout
                self.assertEqual(f"by woman's heading, not the sight line: {'yes' if by_heading else 'no'}\n" in text, by_heading != by_sight)
                differ += by_heading != by_sight
            self.assertEqual(json.loads(subprocess.run([POV, "ask", scene, "where is the ball relative to the car from the woman by heading",
                                                        "--json"], capture_output=True, text=True).stdout).get("by_heading"), None)
        self.assertGreater(differ, 5)

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
        for path in (SOURCE / "share" / "languages").glob("*.yaml"):
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
        self.assertIn("embspatial, not 'all'", self.refused(2, self.scene, "--paper", "all"))
        self.assertIn("which scene?", self.refused(2))
        self.assertIn("only COMFORT's", self.refused(2, self.scene, "--paper", "vsr", "--language", "de"))
        self.assertIn("--runs: takes a whole number", self.refused(2, self.scene, "--runs", "0"))
        self.assertIn('there is no language "dee"; the nearest is "de"', self.refused(1, self.scene, "--language", "dee"))
        self.assertIn('"cat" is not in the scene', self.refused(1, self.scene, "--pair", "cat:car"))
        self.assertIn("comfort has no intermediate step", self.refused(1, self.scene, "--guided", "step"))
        self.assertIn("facts: told in English only", self.refused(1, self.scene, "--guided", "facts", "--language", "de"))
        lonely = self.scene.with_name("lonely.yaml")
        lonely.write_text("entities:\n  - {id: car, position_m: [0, 0, 0], size_m: 1}\n")
        self.assertIn("allows no question of vpt", self.refused(1, lonely, "--paper", "vpt"))
        crowd = self.scene.with_name("crowd.yaml")
        crowd.write_text("camera: {position_m: [9, 0, 9], look_at_m: [0, 0, 0]}\nentities:\n" + "".join(
            f"  - {{id: t{i}, position_m: [{i}, 0, 0], size_m: 0.5}}\n" for i in range(200)))
        self.assertIn("more than 30000 questions", self.refused(1, crowd, "--paper", "forest"))
        mine = self.scene.with_name("mine.yaml")
        mine.write_text("languages:\n  - {code: x, of: en, source: ours, present: 'is {objct}?'}\n")
        self.assertRegex(self.refused(1, "--languages", "--language-file", mine), r"mine\.yaml:2: languages\[0\]\.present: ")


if __name__ == "__main__":
    unittest.main()
