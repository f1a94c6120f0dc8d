#!/usr/bin/env python3
"""pov judge and pov convert as a user runs them: tables, JSON and CSV that read back, answers, complaints."""
import csv
import io
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.dom.minidom

POV = os.environ["POV"]
# Camera at -y looking along +y; the car faces camera-left; the woman stands camera-left and faces camera-right.
SCENE = """\
north_deg: 90
camera: {position_m: [0, -3, 1], look_at_m: [0, 0, 0]}
entities:
  - {id: 'red, "round" ball', class: ball, position_m: [0.5, 0.1, 0], position_std_m: 0.01, size_m: 0.2, shape: sphere}
  - {id: car, position_m: [0, 0, 0], size_m: [0.8, 0.4, 0.3], front_deg: 180, front_std_deg: 3}
  - {id: woman, position_m: [-2, 0, 0], size_m: [0.3, 0.5, 1.7], front_deg: 0, addressee: true}
"""
BALL = 'red, "round" ball'


def pov(*arguments):
    return subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=300)


class Judge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="pov-judge-")
        cls.scene = pathlib.Path(cls.folder.name) / "kitchen.yaml"
        cls.scene.write_text(SCENE)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def judge(self, *arguments):
        result = pov("judge", self.scene, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def ask(self, *arguments):
        result = pov("ask", self.scene, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def refused(self, code, *arguments):
        result = pov(*arguments)
        self.assertEqual(result.returncode, code, result.stdout)
        self.assertEqual(result.stdout, "")
        return result.stderr

    def test_an_image_of_a_recording_or_of_json_lines(self):
        """The station judged the same scene when it saw it: its verdicts are the oracle."""
        where = pathlib.Path(self.folder.name)
        world, recording, lines = where / "world", where / "day.mcap", where / "day.jsonl"
        self.assertEqual(pov("sim", "comfort-ball", "--images", 3, "--size", "284x284", "--quiet", "--out", world).returncode, 0)
        run = pov("run", world / "station.yaml", "--no-publish", "--quiet", "--json", "--record", recording)
        self.assertEqual(run.returncode, 0, run.stderr)
        lines.write_text(run.stdout)
        stations = [json.loads(line) for line in run.stdout.splitlines()]
        keys = "referent", "relatum", "relation", "perspective", "viewer", "convention", "axis", "acceptance"
        for station, chosen in (stations[2], []), (stations[1], ["--image", stations[1]["image"]["name"]]):
            ways = [json.loads(pov("judge", path, "--json", *chosen).stdout)["judgments"] for path in (recording, lines)]
            self.assertEqual(*[[(row["verdict"], *[row[key] for key in keys]) for row in way] for way in ways])
            judged = {tuple(row[key] for key in keys): row["verdict"] for row in ways[0]}
            shared = [row for row in station["judgments"] if tuple(row[key] for key in keys) in judged]
            self.assertGreater(len(shared), 10)
            for row in shared:
                self.assertEqual(judged[tuple(row[key] for key in keys)], row["verdict"], row)
        self.assertIn("is beyond", self.refused(1, "judge", recording, "--at", "10:00:00"))
        self.assertIn("chooses among the images", self.refused(1, "judge", self.scene, "--at", "0:00"))

    def test_a_hypothetical_viewer_judges_and_is_not_located(self):
        """She stands at the car facing the woman, to the west: the ball is behind the woman's back and on the right (north)."""
        judged = json.loads(self.judge("--imagine", "car:woman", "--frames", "addressee,reflected", "--json"))["judgments"]
        by_her = {(j["referent"], j["relation"]): j["verdict"] for j in judged if j["viewer"] == "observer" and j["relatum"] == "woman"}
        self.assertEqual({relation: by_her[(BALL, relation)] for relation in ("left_of", "right_of", "in_front_of", "behind")},
                         {"left_of": "false", "right_of": "true", "in_front_of": "true", "behind": "false"})
        self.assertNotIn("observer", {j["referent"] for j in judged} | {j["relatum"] for j in judged})
        self.assertIn("nothing locates it", self.refused(2, "judge", self.scene, "--imagine", "car:woman", "--pairs", "observer:car"))

    def test_the_table_fits_and_has_a_line_a_frame(self):
        lines = self.judge().splitlines()
        self.assertLessEqual(max(map(len, lines)), 100)
        self.assertEqual(sum(" to " in line and not line.startswith(" ") for line in lines), 6)
        self.assertFalse([line for line in lines if line != line.rstrip()])
        car = lines[lines.index(f"{BALL} to car"):][:7]
        reflected = next(line for line in car if "camera, reflected, sight line" in line)
        self.assertRegex(reflected, r"no +0\.000 +yes 1\.000 +no +0\.\d+ +yes 1\.000")

    def test_what_has_no_position_is_named(self):
        scene = self.scene.with_name("lost.yaml")
        scene.write_text(SCENE + "  - {id: cup}\n")
        told = pov("judge", scene, "--pairs", "cup:car,car:woman").stdout
        self.assertIn("cup to car, but cup has no position\n", told)
        self.assertIn("car to woman\n", told)

    def test_json_and_csv_say_the_same(self):
        judgments = json.loads(self.judge("--json"))["judgments"]
        rows = list(csv.DictReader(io.StringIO(self.judge("--csv"))))
        self.assertEqual(len(judgments), len(rows))
        # 4 of the 6 pairs have two viewers; those by the woman only the camera, for hers is the intrinsic frame: 12 or 24 + 4 + 4.
        self.assertEqual(len(rows), 4 * (24 + 8) + 2 * (12 + 8))
        for judgment, row in zip(judgments, rows):
            for key, value in row.items():
                expected = judgment[key]
                if isinstance(expected, (int, float)):
                    self.assertAlmostEqual(float(value), expected, places=6)
                else:
                    self.assertEqual(value, expected or "")
        self.assertIn(BALL, {row["referent"] for row in rows})

    def test_what_else_holds_is_told(self):
        """By hand: a wall 2 m high and wide hides the ball behind it from the woman before it."""
        scene = self.scene.with_name("wall.yaml")
        scene.write_text("""\
entities:
  - {id: woman, position_m: [-2, 0, 0.9], size_m: [0.3, 0.5, 1.8], front_deg: 0, sees: {horizontal_deg: 120}}
  - {id: wall, position_m: [0, 0, 1], size_m: [0.2, 2, 2], yaw_deg: 0}
  - {id: ball, position_m: [1, 0, 0.9], size_m: 0.2, shape: sphere}
""")
        told = json.loads(pov("judge", scene, "--json").stdout)
        seen = {(sight["viewer"], sight["target"]): sight for sight in told["visibility"]}
        self.assertEqual(set(seen), {("woman", "wall"), ("woman", "ball")})
        self.assertEqual(seen["woman", "wall"]["verdict"], "true")
        self.assertEqual(seen["woman", "ball"]["verdict"], "false")
        self.assertEqual(seen["woman", "ball"]["cause"], "hidden")
        self.assertEqual(seen["woman", "ball"]["occluders"], [{"id": "wall", "share": 1}])
        holds = {(r["referent"], r["relation"], r["relatum"]): r["verdict"] for r in told["relations"]}
        self.assertEqual(holds["woman", "facing", "wall"], "true")
        self.assertEqual(holds["woman", "touching", "wall"], "false")
        self.assertEqual(holds["ball", "smaller_than", "wall"], "true")
        table = pov("judge", scene).stdout
        self.assertIn("who sees whom", table)
        self.assertRegex(table, r"woman sees ball +no +0\.000 +0 % of it; hidden; wall hides 100 %")
        for narrow in (["--relations", "left_of"], ["--relations", "near"], ["--frames", "intrinsic"]):
            narrowed = json.loads(pov("judge", scene, "--json", *narrow).stdout)
            self.assertEqual(narrowed["visibility"], told["visibility"])  # what was chosen are relations
            self.assertEqual(bool(narrowed["relations"]), "near" in narrow)
            self.assertIn("woman sees ball", pov("judge", scene, *narrow).stdout)

    def test_lists_narrow_what_is_judged(self):
        rows = list(csv.DictReader(io.StringIO(self.judge(
            "--csv", "--pairs", "woman:car,car:woman", "--relations", "left_of,behind", "--frames",
            "egocentric,rotated,heading", "--acceptance", "cosine,hemisphere"))))
        self.assertEqual(len(rows), 2 * 2 * 2)
        self.assertEqual({row["convention"] for row in rows}, {"rotated"})
        self.assertEqual({row["axis"] for row in rows}, {"heading"})
        self.assertEqual({row["relation"] for row in rows}, {"left_of", "behind"})
        self.assertEqual({(row["referent"], row["relatum"]) for row in rows}, {("woman", "car"), ("car", "woman")})

    def test_any_relation_of_the_registry_may_be_chosen(self):
        """By hand: on a line stand the woman, the car and the ball, so the car is between; the woman faces the car."""
        told = json.loads(self.judge("--relations", "between,near,next to,at the back of,beyond", "--json"))
        self.assertEqual(told["judgments"], [])
        answers = {}
        for r in told["relations"]:
            answers[r["referent"], r["relation"], *r["relata"], r["viewer"], r["convention"]] = r["verdict"]
        self.assertEqual(answers["car", "between", BALL, "woman", None, None], "true")
        self.assertEqual(answers["woman", "between", BALL, "car", None, None], "false")
        self.assertEqual(answers["car", "near", BALL, None, None], "true")
        self.assertEqual(answers[BALL, "at_the_back_of", "car", "woman", "reflected"], "true")
        self.assertEqual(answers[BALL, "at_the_back_of", "car", "woman", "translated"], "false")
        self.assertEqual(answers[BALL, "beyond", "car", "woman", None], "true")
        rows = list(csv.DictReader(io.StringIO(self.judge("--relations", "between", "--csv"))))
        self.assertEqual([row["relatum"] for row in rows], ["car+woman", f"{BALL}+woman", f"{BALL}+car"])
        self.assertEqual([row["verdict"] for row in rows], ["false", "true", "false"])
        table = self.judge("--relations", "between,touching", "--pairs", "car:woman,woman:car")
        self.assertRegex(table, r"car to woman\n  in every frame: touching no 0.000\n")
        self.assertNotIn("between", table)

    def test_categories_and_all_stand_for_their_relations(self):
        listed = [json.loads(line) for line in pov("relations", "--json").stdout.splitlines()]
        proximity = {r["name"] for r in listed if r["category"] == "proximity"}
        told = json.loads(self.judge("--relations", "proximity", "--pairs", "car:woman", "--json"))["relations"]
        self.assertEqual({r["relation"] for r in told}, proximity)
        table = self.judge("--relations", "all", "--pairs", "car:woman")
        for relation in listed:
            if relation["relata"] == 1:
                self.assertIn(relation["name"], table)
        self.assertLessEqual(max(map(len, table.splitlines())), 100)

    def test_what_geometry_cannot_tell_is_told_where_it_was_asked_for(self):
        pair = "--pairs", "woman:car"
        self.assertIn("consists_of undefined", self.judge("--relations", "consists_of", *pair))
        told, = json.loads(self.judge("--relations", "consists_of", *pair, "--json"))["relations"]
        self.assertEqual((told["relation"], told["verdict"], told["p"]), ("consists_of", "undefined", None))
        row, = csv.DictReader(io.StringIO(self.judge("--relations", "consists_of", *pair, "--csv")))
        self.assertEqual((row["relation"], row["verdict"], row["p"], row["p_internal"]), ("consists_of", "undefined", "", ""))
        unasked = {r["relation"] for r in json.loads(self.judge("--json"))["relations"]}
        self.assertNotIn("consists_of", unasked)

    def test_a_relation_keeps_the_name_it_was_asked_by(self):
        """"ahead of" holds where "in front of" does, by any acceptance."""
        for acceptance in "hemisphere", "cosine":
            told = json.loads(self.judge("--relations", "ahead_of,in_front_of", "--pairs", "car:woman", "--acceptance",
                                         acceptance, "--json"))
            self.assertEqual({r["relation"] for r in told["relations"]}, {"ahead_of"})
            self.assertEqual({r["relation"] for r in told["judgments"]}, {"in_front_of"})
            frame = lambda r: (r["perspective"], r["viewer"], r["convention"], r["axis"])
            front = {frame(r): (r["verdict"], r["p"]) for r in told["judgments"]}
            self.assertEqual({frame(r): (r["verdict"], r["p"]) for r in told["relations"]}, front)
            self.assertEqual(len(front), 3 + 1)
        self.assertEqual(json.loads(self.judge("--relations", "ahead_of", "--json"))["judgments"], [])

    def test_viewers_judge_where_they_are_themselves(self):
        """By hand: reflected, who looks at the car along her sight line is in front of it; so `pov ask` answers."""
        told = json.loads(self.judge("--pairs", "woman:car", "--frames", "addressee,reflected", "--json"))
        own = {r["relation"]: r["verdict"] for r in told["judgments"] if r["viewer"] == "woman"}
        self.assertEqual(own, {"left_of": "false", "right_of": "false", "in_front_of": "true", "behind": "false"})
        for relation, verdict in own.items():
            answer = json.loads(pov("ask", self.scene, f"is the woman {relation} car from the woman", "--json").stdout)["answer"]
            self.assertEqual(answer, "yes" if verdict == "true" else "no")
        everywhere = json.loads(self.judge("--pairs", "woman:car", "--json"))
        counted = {index for summary in everywhere["summaries"] for verdict in ("true", "false") for index in summary[verdict]}
        self.assertFalse([i for i in counted if everywhere["judgments"][i]["viewer"] == "woman"])
        beyond = json.loads(self.judge("--pairs", "woman:car", "--relations", "beyond,at_the_back_of", "--json"))["relations"]
        self.assertEqual({(r["relation"], r["viewer"]) for r in beyond if r["perspective"] == "addressee"},
                         {("beyond", "woman"), ("at_the_back_of", "woman")})

    def test_pairs_may_be_every_other_and_have_several_relata(self):
        rows = list(csv.DictReader(io.StringIO(self.judge("--csv", "--pairs", "*:car", "--relations", "left_of"))))
        self.assertEqual({(row["referent"], row["relatum"]) for row in rows}, {(BALL, "car"), ("woman", "car")})
        scene = self.scene.with_name("line.yaml")
        scene.write_text("entities:\n" + "".join(
            f"  - {{id: {name}, position_m: [{x}, 0, 0], size_m: 0.1}}\n" for x, name in enumerate("abcd")))
        told = json.loads(pov("judge", scene, "--json", "--relations", "between", "--pairs", "b:a+c,d:a+b").stdout)
        self.assertEqual([(r["referent"], *r["relata"], r["verdict"]) for r in told["relations"]],
                         [("b", "a", "c", "true"), ("d", "a", "b", "false")])
        self.assertIn("nothing to judge", pov("judge", scene, "--relations", "between", "--pairs", "b:a").stdout)

    def test_the_summary_tells_where_frames_disagree(self):
        """By hand: for the camera the ball is right of the car, for the woman, who looks along +x, it is to the left."""
        told = json.loads(self.judge("--json", "--pairs", "car:woman,woman:car"))
        self.assertEqual(len(told["summaries"]), 2 * 8)
        for summary in told["summaries"]:
            for verdict in "true", "false", "abstain", "undefined":
                for index in summary[verdict]:
                    judgment = told["judgments"][index]
                    for key in "referent", "relatum", "relation":
                        self.assertEqual(judgment[key], summary[key])
                    self.assertEqual(judgment["verdict"], verdict)
            answers = {verdict for verdict in ("true", "false", "abstain") if summary[verdict]}
            self.assertEqual(summary["frame_independent"], len(answers) == 1 and "abstain" not in answers)
        self.assertRegex(self.judge("--pairs", "woman:car"), "frames disagree: left_of [0-9]+ yes, [0-9]+ no")
        scene = self.scene.with_name("agree.yaml")  # the camera looks where b faces
        scene.write_text("camera: {position_m: [0, -3, 0], look_at_m: [0, 0, 0]}\nentities:\n"
                         "  - {id: a, position_m: [0.5, 1, 0]}\n  - {id: b, position_m: [0, 0, 0], front_deg: 90}\n")
        self.assertIn("frames agree", pov("judge", scene, "--pairs", "a:b", "--frames",
                                          "egocentric,translated,intrinsic").stdout)

    def test_a_fitted_template_is_used_and_named(self):
        """At 30 degrees from the front: good by one template, bad by the other."""
        scene = self.scene.with_name("template.yaml")
        scene.write_text("entities:\n  - {id: a, position_m: [0.866, 0.5, 0], size_m: 0.1}\n"
                         "  - {id: b, position_m: [0, 0, 0], size_m: 0.1, front_deg: 0}\n")
        for edge, p in (60, 1), (10, 0):
            template = self.scene.with_name(f"regions_{edge}.yaml")
            template.write_text(f"good_edge_deg: {edge}\ngood_fall_deg: 1\nacceptable_edge_deg: {edge}\n"
                                "acceptable_fall_deg: 1\nacceptable_level: 0.5\n")
            options = "--pairs", "a:b", "--relations", "in_front_of", "--template", template
            told = json.loads(pov("judge", scene, *options, "--json").stdout)
            self.assertEqual((told["template"]["file"], told["template"]["good_edge_deg"]), (str(template), edge))
            self.assertEqual([j["acceptance"] for j in told["judgments"]], ["template"])
            self.assertAlmostEqual(told["judgments"][0]["p"], p, places=3)
            self.assertIn(f"template {template}: good to {edge} deg", pov("judge", scene, *options).stdout)
        self.assertIn("nowhere.yaml", self.refused(1, "judge", scene, "--template", "nowhere.yaml"))
        self.assertIn("not used", self.refused(2, "judge", scene, "--template", template, "--acceptance", "cosine"))

    def test_a_large_scene_is_told_whole(self):
        scene = self.scene.with_name("large.yaml")
        scene.write_text("camera: {position_m: [0, -9, 3], look_at_m: [0, 0, 0]}\nentities:\n" + "".join(
            f"  - {{id: e{i}, position_m: [{i % 10}, {i // 10}, 0], size_m: 0.1{', sees: {horizontal_deg: 90}, front_deg: 0' * (i == 0)}}}\n"
            for i in range(60)))
        result = pov("judge", scene, "--frames", "egocentric,reflected", "--csv")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.count("\n"), 1 + 60 * 59 * 4)
        result = pov("judge", scene)
        self.assertEqual(sum(" to e" in line for line in result.stdout.splitlines()), 60 * 59)
        self.assertEqual(sum("e0 sees " in line for line in result.stdout.splitlines()), 59)
        self.assertIn("61 entities: only directions and visibility are printed", result.stderr)

    def test_a_line_of_another_program_is_a_scene(self):
        line = {"scene": {"entities": [{"id": "a", "pos_m": [0, 0, 0]}, {"id": "b", "pos_m": [1, 0, 0]}],
                          "camera": None, "north_yaw_rad": 0}}
        path = pathlib.Path(self.folder.name) / "line.json"
        path.write_text(json.dumps(line))
        self.assertRegex(pov("ask", path, "b north of a").stdout, "^Yes, .*north of(.|\n)*P = 1.0000")

    def test_questions_are_answered(self):
        self.assertIn("It depends: ", self.ask("is the ball left of the car"))
        answer = json.loads(self.ask("ball left-of car from addressee", "--json"))
        self.assertEqual(answer["answer"], "yes")
        self.assertGreater(answer["p"], 0.999)
        self.assertEqual(answer["judgments"][0]["viewer"], "woman")
        answer = json.loads(self.ask("car behind ball from its own front", "--json"))
        self.assertEqual((answer["answer"], answer["p"]), ("undefined", None))
        self.assertEqual(answer["judgments"][0]["undefined_because"], f"{BALL} has no front")
        answer = json.loads(self.ask("ball between car and woman", "--json"))
        self.assertEqual((answer["answer"], answer["judgments"][0]["relation"]), ("no", "between"))
        self.assertIn("near: ", self.ask("is the car near the ball?"))

    def test_a_drawing_is_well_formed_and_whole(self):
        drawing = self.scene.with_name("kitchen.svg")
        self.ask("ball left-of car from woman", "--draw", drawing)
        root = xml.dom.minidom.parse(str(drawing)).documentElement
        self.assertEqual(root.tagName, "svg")
        texts = ["".join(node.data for node in text.childNodes if node.nodeType == node.TEXT_NODE)
                 for text in root.getElementsByTagName("text")]
        for name in (BALL, "car", "woman", "camera", "N"):
            self.assertIn(name, texts)
        self.assertTrue(any(text.startswith(f"{BALL} left of car (woman, reflected): ") for text in texts))
        self.assertEqual(len(root.getElementsByTagName("ellipse")), 1)  # of the only entity with an error
        self.assertEqual([path.name for path in self.scene.parent.glob("kitchen.svg*")], ["kitchen.svg"])
        reply = json.loads(self.ask("put the ball behind the car as seen from the woman", "--json", "--draw", drawing))
        root = xml.dom.minidom.parse(str(drawing)).documentElement
        self.assertEqual(len(root.getElementsByTagName("polygon")[0].getAttribute("points").split()), len(reply["goal"]["region_m"]))
        result = pov("judge", self.scene, "--draw", self.scene.parent / "no" / "folder.svg")
        self.assertEqual(result.returncode, 1)
        self.assertIn("folder.svg: cannot be written", result.stderr)

    def test_names_in_a_crowded_drawing_do_not_overlap(self):
        """Text of DejaVu Sans is at most 0.6 of its size wide a letter (measured with rsvg-convert)."""
        scene, drawing = self.scene.with_name("crowd.yaml"), self.scene.with_name("crowd.svg")
        scene.write_text("entities:\n" + "".join(  # golden-angle spiral: evenly spread
            f"  - {{id: thing{i}, position_m: [{i ** 0.5 * math.cos(2.4 * i)}, {i ** 0.5 * math.sin(2.4 * i)}, 0], size_m: 0.2}}\n"
            for i in range(150)))
        result = pov("judge", scene, "--relations", "left_of", "--pairs", "thing0:thing1", "--draw", drawing)
        self.assertEqual(result.returncode, 0, result.stderr)
        boxes = []
        for text in xml.dom.minidom.parse(str(drawing)).getElementsByTagName("text"):
            if text.firstChild.data.startswith("thing") and text.getAttribute("text-anchor") == "middle":
                x, y, size = (float(text.getAttribute(key)) for key in ("x", "y", "font-size"))
                half = 0.3 * size * len(text.firstChild.data)
                boxes.append((x - half, x + half, y - 0.75 * size, y))
        self.assertEqual(len(boxes), 150)
        overlaps = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i]
                    if a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]]
        self.assertEqual(overlaps, [])

    def test_a_box_is_drawn_where_it_is(self):
        """North is up, so east is right: the woman (west) left of the car, the camera (south) below it."""
        drawing = self.scene.with_name("places.svg")
        self.judge("--draw", drawing)
        at = {}
        for text in xml.dom.minidom.parse(str(drawing)).getElementsByTagName("text"):
            at[text.firstChild.data] = (float(text.getAttribute("x")), float(text.getAttribute("y")))
        self.assertLess(at["woman"][0], at["car"][0] - 100)
        self.assertGreater(at["camera"][1], at["car"][1] + 100)

    def test_what_is_far_is_pointed_at_and_leaves_the_rest_its_place(self):
        scene, drawing = self.scene.with_name("far.yaml"), self.scene.with_name("far.svg")
        for sign in 1, -1:
            scene.write_text(SCENE + f"  - {{id: tower, position_m: [{sign * 300}, {sign * 400}, 0], size_m: 8}}\n")
            for command in ("judge", scene), ("ask", scene, "ball left-of car from woman"):
                result = pov(*command, "--draw", drawing)
                self.assertEqual(result.returncode, 0, result.stderr)
                svg = xml.dom.minidom.parse(str(drawing)).documentElement
                at = {text.firstChild.data: (float(text.getAttribute("x")), float(text.getAttribute("y")))
                      for text in svg.getElementsByTagName("text")}
                self.assertLess(at["woman"][0], at["car"][0] - 100)
                tower = at["tower, 500 m"]
                self.assertGreater(sign * (tower[0] - at["car"][0]), 50)  # to the northeast, or southwest
                self.assertGreater(sign * (at["car"][1] - tower[1]), 100)
                self.assertTrue(0 < tower[0] < float(svg.getAttribute("width")))
                self.assertTrue(0 < tower[1] < float(svg.getAttribute("height")) - 70)
        result = pov("ask", scene, "tower left-of car from woman", "--draw", drawing)
        self.assertNotIn("tower, ", drawing.read_text())  # the pair is near, whatever its distance

    def test_questions_are_asked_by_another_command(self):
        for option in (["--ask", "ball left-of car"], ["--ask=ball left-of car"]):
            self.assertIn("use 'pov ask SCENE \"QUESTION\"'", self.refused(2, "judge", self.scene, *option))

    def test_questions_are_answered_by_the_acceptance_that_is_named(self):
        """The woman at (-2, 0) looks along +x; the ball lies at (0.5, 0.1): 11.3 degrees off straight behind the car for her."""
        answers = {name: json.loads(self.ask("ball behind car from woman, translated", "--json", "--acceptance", name))
                   for name in ("hemisphere", "cosine")}
        self.assertEqual({name: answer["judgments"][0]["acceptance"] for name, answer in answers.items()},
                         {name: name for name in answers})
        self.assertEqual(answers["hemisphere"]["answer"], "no")
        self.assertIn("draws one question", self.refused(2, "ask", self.scene, "-", "--draw", "x.svg"))
        self.assertIn("--template is not used", self.refused(2, "ask", self.scene, "ball left of car", "--template", "x",
                                                             "--acceptance", "cosine"))

    def test_complaints_name_what_is_wrong(self):
        self.assertIn("I read \"womam\" as \"woman\".", self.ask("womam left of car"))
        self.assertIn("did you mean 'car'?", self.refused(2, "judge", self.scene, "--pairs", "woman:cat"))
        self.assertIn("is not a pair", self.refused(2, "judge", self.scene, "--pairs", "woman"))
        for misspelt, meant in {"left_off": "left_of", "lefft": "left_of", "to the lefft of": "left_of", "rigth": "right_of", "neer": "near",
                                "in frnt of": "in_front_of", "inn": "in"}.items():
            self.assertIn(f"did you mean '{meant}'?", self.refused(2, "judge", self.scene, "--relations", misspelt))
        self.assertIn("--frames knows no 'ego'", self.refused(2, "judge", self.scene, "--frames", "ego"))
        self.assertIn("not 'half'", self.refused(2, "judge", self.scene, "--abstain", "half"))
        self.assertIn("which scene?", self.refused(2, "judge"))
        self.assertIn("one too many", self.refused(2, "judge", self.scene, self.scene))
        self.assertIn("missing.yaml", self.refused(1, "judge", self.scene.with_name("missing.yaml")))
        bad = self.scene.with_name("bad.yaml")
        bad.write_text("entities:\n  - {id: a, size_m: 0}\n")
        self.assertRegex(self.refused(1, "judge", bad), r"bad\.yaml:2: entities\[0\]\.size_m: has a side of 0 m")
        for line, complaint in {
            "- {id: a, size_m: [1, 0, 1]}": r"entities\[0\]\.size_m: has a side of 0 m",
            "- {id: a, position_m: [.nan, 0, 0]}": r"entities\[0\]\.position_m",
            "- {id: a, position_std_m: .inf, position_m: [0, 0, 0]}": r"entities\[0\]\.position_std_m",
            "- {id: a}\n- {id: a}": r"bad\.yaml:3: entities\[1\]",
            "- {id: a, front: [0, 0, 1]}": r"entities\[0\]\.front",
            "- {id: a, front_deg: .nan}": r"entities\[0\]\.front_deg",
        }.items():
            bad.write_text("entities:\n" + line + "\n")
            for command in ("judge", bad), ("ask", bad, "where is a"):
                self.assertRegex(self.refused(1, *command), r"bad\.yaml:\d+: ")
                self.assertRegex(self.refused(1, *command), complaint)

    def test_a_million_entities_are_refused_quickly(self):
        bad = self.scene.with_name("many.yaml")
        bad.write_text("entities:\n" + "".join(f"- {{id: e{i}, position_m: [{i}, 0, 0]}}\n" for i in range(10 ** 6)))
        self.assertIn("many.yaml", self.refused(1, "judge", bad))

    def test_help_has_examples(self):
        for command in "judge", "convert":
            result = pov(command, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn("Examples:", result.stdout)
            self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)


class Convert(unittest.TestCase):
    def test_one_answer_is_one_word(self):
        result = pov(*"convert forest left --facing toward --from camera --to relatum".split())
        self.assertEqual((result.returncode, result.stdout), (0, "right\n"))

    def test_an_ambiguous_expression_has_all_its_answers(self):
        result = pov(*"convert forest back --facing left --relatum car --to camera --json".split())
        frames = {frame["frame"]: frame["answer"] for frame in json.loads(result.stdout)["frames"]}
        self.assertEqual(frames, {"external_relative": "back", "external_intrinsic": "right",
                                  "internal_intrinsic": "right", "internal_relative": "back"})
        self.assertIn("valid answers: left\n", pov("convert", "forest", "left").stdout)

    def test_contradictions_are_refused(self):
        for arguments in ("forest left --facing up", "forest left --relatum cow", "forest left --relatum pen --facing left",
                          "forest under", "left", "forest", "forest left --internal --facing left",
                          "forest left --from camera --to relatum"):
            result = pov("convert", *arguments.split())
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("See 'pov convert --help'", result.stderr)


if __name__ == "__main__":
    unittest.main()
