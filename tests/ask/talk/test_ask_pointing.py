#!/usr/bin/python3
"""Hands that point, in typed scenes: what is right follows from coordinates, by hand. Anna stands in the north; at 290 degrees, seen from above, the
red and the green cup lie one behind the other, at 254 the blue cup; tom's arms hang, nobody has seen bob's."""
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

POV = os.environ["POV"]
CAMERA = {"position_m": [0, -1.5, 1.0], "look_at_m": [0, 0, 0], "sees": {"shape": "frustum", "horizontal_deg": 90, "vertical_deg": 70}}
SURE = [{"deg": 290, "std_deg": 5, "weight": 19}, {"deg": 0, "std_deg": 180}]


def person(name, x, y, **more):
    return {"id": name, "class": "woman" if name == "anna" else "man", "position_m": [x, y, 0.85], "size_m": [0.25, 0.45, 1.7], **more}


def cup(name, x, y):
    return {"id": name, "class": "cup", "position_m": [x, y, 0.05], "size_m": [0.08, 0.08, 0.1]}


def scene(anna, *others):
    return {"camera": CAMERA, "entities": [person("anna", 0, 1.6, front_deg=270, addressee=True, **anna), *others, cup("red_cup", 0.45, 0.3),
                                           cup("blue_cup", -0.38, 0.3), cup("green_cup", 0.55, -0.1)]}


class Pointing(unittest.TestCase):
    def ask(self, described, utterance):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "scene.yaml"
            path.write_text(json.dumps(described))
            ran = subprocess.run([POV, "ask", path, utterance, "--json"], capture_output=True, text=True)
        return json.loads(ran.stdout)

    def test_an_arm_is_read_as_such_and_not_as_the_body(self):
        tom, bob = person("tom", 1.6, 1.0, front_deg=200, pointing_deg="none"), person("bob", -1.6, 1.0, front_deg=0)
        here = scene({"pointing_deg": SURE}, tom, bob)
        self.assertEqual(self.ask(here, "what is anna pointing at?")["say"], "Anna points at the red cup or the green cup.")
        self.assertIn("not pointing", self.ask(here, "is anna pointing at the blue cup?")["say"])
        self.assertIn("Most likely you are pointing", self.ask(here, "is anna pointing at the red cup?")["say"])
        self.assertEqual(self.ask(here, "who is pointing at the red cup?")["say"], "Anna.")
        self.assertEqual(self.ask(here, "is tom pointing at the red cup?")["say"], "No, Tom is not pointing at the red cup.")
        self.assertEqual(self.ask(here, "what is tom pointing at?")["say"], "Tom points at nothing.")
        for question in "is bob pointing at the red cup?", "what is bob pointing at?":
            self.assertIn("I do not see hands", self.ask(here, question)["say"])
        self.assertEqual(self.ask(here, "is anna facing the blue cup?")["say"], "Yes, you are facing the blue cup.")

    def test_an_arm_that_may_point_two_ways_is_not_said_to_point_at_nothing(self):
        ways = scene({"pointing_deg": [{"deg": 254, "std_deg": 5}, {"deg": 106, "std_deg": 5}]})
        self.assertEqual(self.ask(ways, "what is anna pointing at?")["say"], "That is too close to say.")
        away = scene({"pointing_deg": [{"deg": 106, "std_deg": 5}]})
        self.assertIn("nothing", self.ask(away, "what is anna pointing at?")["say"])

    def test_that_one_is_what_the_speaker_points_at(self):
        two = scene({"pointing_deg": SURE})
        reply = self.ask(two, "give me that one")
        self.assertEqual((reply["outcome"], reply["say"]), ("ask_back", "The red cup or the green cup?"), reply)
        one = scene({"pointing_deg": [{"deg": 254, "std_deg": 5, "weight": 19}, {"deg": 0, "std_deg": 180}]})
        for utterance in "give me that one", "give me that cup", "take this", "give me the cup I am pointing at":
            reply = self.ask(one, utterance)
            self.assertEqual(reply.get("pick"), "blue_cup", (utterance, reply))
        idle = self.ask(scene({"pointing_deg": "none"}), "give me that cup")
        self.assertEqual(idle["outcome"], "ask_back")

    def test_looking_is_the_heads_and_facing_the_bodys(self):
        aside = scene({"head_deg": [{"deg": 200, "std_deg": 5}]})  # past the blue cup, to the west
        self.assertEqual(self.ask(aside, "is anna looking at the red cup?")["answer"], "no")
        self.assertEqual(self.ask(aside, "is anna facing the red cup?")["answer"], "yes")
        self.assertEqual(self.ask(scene({}), "is anna looking at the red cup?")["answer"], "yes")


WORLD = """
camera: {size_px: [240, 180], field_of_view_deg: 55, position_m: [1.6, 0, 1.1], look_at_m: [0, 0, 0]}
things:
  - {id: mug, position_m: [0.5, 0.4]}
  - {id: car, position_m: [0.5, -0.5], size_m: 0.3}
  - {id: cup, position_m: [0.7, 0.52]}
  - {id: anna, class: woman, position_m: [-0.9, 0], size_m: 0.8, front_deg: 0, addressee: true, points_at: %s}
"""
PROTOCOL = """
about: pointing
participants: 1
consent: Yes.
conditions: [{id: c, about: one}]
trials: [{id: a, show: point at something, target: car}]
"""


class Simulated(unittest.TestCase):
    """Drawn people point with truth; by the image a study's pick is the pointed thing. The mug and the cup lie one behind the other."""

    def study(self, target):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "world.yaml").write_text(WORLD % target)
            (folder / "study.yaml").write_text(PROTOCOL)
            subprocess.run([POV, "sim", folder / "world.yaml", "--images", "1", "--bodies", "own", "--out", folder / "out", "--quiet"], check=True)
            truth = json.loads((folder / "out" / "truth.jsonl").read_text())
            lines = "\n".join(["consent", "look", "start anyway", "pick pointed", "stop", "quit"])
            ran = subprocess.run([POV, "study", "run", folder / "out" / "station.yaml", folder / "study.yaml", "--log", folder / "log", "--participant",
                                  "P01", "--json"], input=lines, capture_output=True, text=True)
        anna = next(e for e in truth["scene"]["entities"] if e["id"] == "anna")
        return anna, [json.loads(line) for line in ran.stdout.splitlines()], ran.returncode

    def test_a_pick_may_be_pointed(self):
        anna, told, code = self.study("car")
        (mode,) = anna["pointing"]
        self.assertAlmostEqual(mode["yaw_rad"], math.atan2(-0.5, 0.5 + 0.9), delta=0.02)
        (kept,) = [o for o in told if o.get("kept") == "pick"]
        sure = {item["id"]: item["p"] for item in kept["reading"]["pointed_at"]}
        self.assertGreater(sure["car"], 0.9)
        self.assertLess(max(sure["mug"], sure["cup"]), 0.1)
        self.assertEqual(code, 0)

    def test_of_two_that_fit_none_is_picked(self):
        _, told, code = self.study("mug")
        (why,) = [o["refused"] for o in told if "refused" in o]
        self.assertRegex(why, "anna may point at 'mug' .* or 'cup' .*; pick an id")
        self.assertFalse([o for o in told if o.get("kept") == "pick"])
        self.assertEqual(code, 1)


if __name__ == "__main__":
    unittest.main()
