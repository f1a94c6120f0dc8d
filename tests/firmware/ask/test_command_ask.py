#!/usr/bin/env python3
"""pov ask as a user runs it: what each frame picks, who sees what, and complaints."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

POV = os.environ["POV"]
# From above, x to the right: the robot's camera in the south looks north over a wall at two cups; anna stands in the
# north and looks south at them. For the camera blue is left of the box and hidden behind the wall, for anna red is left.
SCENE = """\
camera: {position_m: [0, -3, 0.5], look_at_m: [0, 0, 0.5], sees: {shape: frustum, horizontal_deg: 60, vertical_deg: 45}}
entities:
  - {id: box, position_m: [0, 0, 0.5], size_m: 0.2}
  - {id: blue_cup, class: cup, position_m: [-0.5, 0, 0.5], size_m: 0.1}
  - {id: red_cup, class: cup, position_m: [0.5, 0, 0.5], size_m: 0.1}
  - {id: wall, position_m: [-0.4, -1, 0.5], size_m: [0.5, 0.05, 1], yaw_deg: 0}
  - {id: anna, class: person, position_m: [0, 2, 0.5], size_m: [0.3, 0.5, 1], front_deg: 270, addressee: true,
     sees: {horizontal_deg: 120, vertical_deg: 90}}
"""


class Ask(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="pov-ask-")
        cls.scene = pathlib.Path(cls.folder.name) / "kitchen.yaml"
        cls.scene.write_text(SCENE)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def pov(self, *arguments):
        return subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=300)

    def ask(self, text):
        """The JSON of the answer; the text says the same."""
        results = [self.pov("ask", self.scene, text), self.pov("ask", self.scene, text, "--json")]
        for result in results:
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        told = json.loads(results[1].stdout)
        first = results[0].stdout.splitlines()[0]
        self.assertEqual(first, told["say"])
        self.assertNotRegex(first, "_|abstain|undefined|depends on the frame")  # a sentence, no name of the program's own
        return told

    def test_an_instruction_is_resolved_in_each_frame(self):
        told = self.ask("hand me the cup to the left of the box")
        self.assertEqual((told["kind"], told["answer"]), ("which", "depends"))
        picks = {pick["viewer"]: pick["pick"] for pick in told["picks"]}
        self.assertEqual(picks, {"camera": "blue_cup", "anna": "red_cup", "box": "undefined"})
        seen = {(look["viewer"], look["target"]): look["verdict"] for look in told["visibility"]}
        self.assertEqual(seen, {("camera", "blue_cup"): "false", ("camera", "red_cup"): "true",
                                ("anna", "blue_cup"): "true", ("anna", "red_cup"): "true"})

    def test_what_stands_on_a_thing_has_a_place_and_no_side(self):
        table = pathlib.Path(self.folder.name) / "table.yaml"
        table.write_text("camera: {position_m: [0, -3, 1.5], look_at_m: [0, 0, 0.7]}\nentities:\n"
                         "  - {id: table, position_m: [0, 0, 0.375], size_m: [1.2, 0.8, 0.75]}\n"
                         "  - {id: cup, position_m: [0.2, 0.25, 0.8], size_m: [0.08, 0.08, 0.1]}\n"
                         "  - {id: spoon, position_m: [0.2, 0.25, 0.85], size_m: [0.02, 0.02, 0.18]}\n")
        for question, answer in (("is the cup behind the table?", "no"), ("where is the cup relative to the table?", "on it"),
                                 ("is the cup left or right of the table?", "on it"), ("where is the table relative to the cup?", "under it"),
                                 ("which thing is behind the table?", "none"), ("is the spoon in the cup?", "yes")):
            result = self.pov("ask", table, question, "--json")
            self.assertEqual(json.loads(result.stdout)["answer"], answer, question)

    def test_of_one_right_above_its_viewer_that_is_said(self):
        above = pathlib.Path(self.folder.name) / "above.yaml"
        for z, said in ((1.9, "right above"), (-0.3, "right below"), (0.8, "at one place with")):
            above.write_text(SCENE + f"  - {{id: gift, position_m: [0, 2, {z}], size_m: 0.2}}\n")
            where = self.pov("ask", above, "where is the gift for anna?").stdout
            self.assertEqual(where.splitlines()[0], f"The gift is {said} Anna.")
            self.assertNotIn("front", where)
            side = self.pov("ask", above, "is the gift to the left of anna?").stdout.splitlines()[0]
            self.assertEqual(side, "That cannot be told: " + ("the two are at one place, within their noise."
                                                              if z == 0.8 else f"gift is {said} anna."))
        above.write_text(SCENE.replace("front_deg: 270, ", "") + "  - {id: gift, position_m: [0, 1, 0.5], size_m: 0.2}\n")
        self.assertIn("anna has no front", self.pov("ask", above, "where is the gift for anna?").stdout)

    def test_a_named_viewer_picks_alone(self):
        self.assertEqual(self.ask("which cup is left of the box from anna?")["answer"], "red_cup")
        self.assertEqual(self.ask("which cup is left of the box from the camera?")["answer"], "blue_cup")
        self.assertEqual(self.ask("which cup is behind anna, from her own side?".replace("her", "its"))["answer"], "none")
        self.assertEqual(self.ask("what is between the red cup and the blue cup?")["answer"], "box")

    def test_who_is_not_there_is_neither_counted_nor_located(self):
        things = ("entities:\n  - {id: box, position_m: [0, 0, 0.1], size_m: [0.2, 0.2, 0.2]}\n"
                  "  - {id: cup, position_m: [0.5, 0.2, 0.05], size_m: [0.08, 0.08, 0.1]}\n")
        anna = "  - {id: anna, class: person, position_m: [0, -1, 0.8], size_m: [0.4, 0.4, 1.6], front_deg: 90, addressee: true, pointing_deg: 22}\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "scene.yaml"

            def said(text, question):
                path.write_text(text)
                run = self.pov("ask", path, question)
                self.assertEqual(run.returncode, 0, run.stderr)
                return run.stdout.splitlines()[0]

            observed = things + "  - {id: obs, at: cup, facing: box}\n"
            for text, question in ((observed, "how many people are there?"), (things, "how many people are there?"),
                                   (things, "if I stood at the cup facing the box, how many people are there?")):
                self.assertEqual(said(text, question), "None.")
            self.assertEqual(said(observed + anna, "how many people are there?"), "1: Anna.")
            self.assertRegex(said(observed, "is obs near the box?"), "^That cannot be told")
            self.assertRegex(said(things, "who can see the box?"), "^That cannot be told")
            self.assertRegex(said(things + anna, "who can see the box?"), "^That cannot be told")
            pointed = things.replace("[0, 0, 0.1]", "[0, 0.4, 0.1]") + anna.replace("pointing_deg: 22", "pointing_deg: 67.4")
            self.assertEqual(said(pointed, "which cup is anna pointing at?"), "Anna points at the cup.")
            judged = self.pov("judge", self.write(path, observed), "--pairs", "obs:box").stdout
            self.assertNotRegex(judged, "(near|far_from|lower_than|outside) 0|in every frame: off")

    @staticmethod
    def write(path, text):
        path.write_text(text)
        return path

    def test_seeing_is_answered(self):
        for text, answer in {"does anna see the blue cup?": "yes", "can you see the blue cup": "no",
                             "is the blue cup hidden from the camera": "yes", "is the blue cup hidden from anna": "no",
                             "who sees the blue cup": "anna", "who sees the red cup?": "camera, anna",
                             "who can't see the blue cup?": "camera",
                             "what hides the blue cup from you": "wall", "what hides the red cup from anna": "nothing",
                             "does the wall see the box": "undefined"}.items():
            self.assertEqual(self.ask(text)["answer"], answer, text)

    def test_places_are_told_as_the_viewer_has_them(self):
        """For anna, who looks south, red (east) is to the left."""
        self.assertEqual(self.ask("where is the box for anna")["answer"], "front")
        self.assertEqual(self.ask("where is anna for you")["answer"], "front")
        side = self.ask("where is the red cup for anna")["sides"][0]
        self.assertAlmostEqual(side["bearing_deg"], 14.036, places=2)  # atan(0.5 / 2)
        order = [place["id"] for place in self.ask("what does anna see from left to right")["places"]]
        self.assertEqual(order, ["red_cup", "box", "wall", "blue_cup"])
        order = [place["id"] for place in self.ask("what do you see from near to far")["places"]]
        self.assertEqual(order, ["wall", "box", "red_cup", "anna"])

    def test_hours_are_told_where_they_are_asked_for(self):
        """By hand: red lies atan(0.5 / 2) = 14 deg to anna's left, 12 o'clock being +- 15."""
        self.assertEqual(self.ask("at what o'clock is the red cup for anna?")["answer"], "12 o'clock")
        self.assertEqual(self.ask("what o'clock is anna for you")["answer"], "12 o'clock")
        self.assertEqual(self.ask("where is the red cup for anna?")["answer"], "front")

    def test_nobody_looks_at_what_is_hidden_from_them(self):
        """By hand: a wall between bob and the car hides it wholly; he faces it as anna does, and before it the wall."""
        scene = self.scene.with_name("looking.yaml")
        scene.write_text("""\
entities:
  - {id: car, position_m: [0, 0, 0.15], size_m: [0.8, 0.4, 0.3], front_deg: 180}
  - {id: wall, position_m: [1, 0, 1], size_m: [0.2, 3, 2], yaw_deg: 0}
  - {id: bob, class: person, position_m: [3, 0, 0.8], size_m: [0.3, 0.5, 1.6], front_deg: 180, sees: {horizontal_deg: 120}}
  - {id: anna, class: person, position_m: [-3, 0, 0.8], size_m: [0.3, 0.5, 1.6], front_deg: 0, sees: {horizontal_deg: 120}}
  - {id: doll, class: person, position_m: [0, 7, 0.8], size_m: [0.3, 0.5, 1.6], front_deg: 270}
""")
        for text, answer in {"who is looking at the car?": "anna", "is bob looking at the car?": "no", "is bob facing the car?": "yes",
                             "is anna looking at the car?": "yes", "what is bob looking at?": "wall", "what does bob face?": "wall",
                             "who is bob looking at?": "nobody", "who is anna looking at?": "nobody", "what is anna looking at?": "car",
                             "is anybody looking at the car?": "yes", "how many people are facing the car?": "3",
                             "are anna and bob looking at each other?": "no", "are anna and bob facing each other?": "yes",
                             "is the doll looking at the car?": "yes"}.items():  # nobody says what it sees: it faces it
            told = self.pov("ask", scene, text, "--json")
            self.assertEqual(json.loads(told.stdout)["answer"], answer, text)
        told = json.loads(self.pov("ask", scene, "who is looking at the car?", "--json").stdout)
        self.assertEqual({held["id"] for pick in told["picks"] for held in pick["holds_of"]}, {"anna", "doll"})

    def test_complaints_name_the_word(self):
        result = self.pov("ask", self.scene, "hand me the spoon left of the box")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn('I know no "spoon" here', result.stderr)
        self.assertEqual(self.pov("ask", self.scene).returncode, 2)
        self.assertEqual(self.pov("ask", self.scene, "where", "is", "the", "box").returncode, 2)
        self.assertEqual(self.pov("ask", self.scene, "where is the box", "--colour").returncode, 2)
        self.assertEqual(self.pov("ask", "nowhere.yaml", "where is the box").returncode, 1)

    def test_help_lists_the_forms(self):
        result = self.pov("ask", "--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("does|do|can|could VIEWER see THING", result.stdout)
        self.assertIn("Examples:", result.stdout)
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)


if __name__ == "__main__":
    unittest.main()
