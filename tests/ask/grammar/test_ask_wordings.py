#!/usr/bin/env python3
"""One question in every wording: where the viewpoint stands and how it is put, how the relation is put, and what is said around
it do not change the answer, which is worked out here from the coordinates."""
import itertools
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

POV = os.environ["POV"]
SCENE = """\
camera: {position_m: [3, 0, 2], look_at_m: [0, 0, 0]}
entities:
  - {id: car, position_m: [0, 0, 0.15], size_m: [0.8, 0.4, 0.3], front_deg: 270}
  - {id: ball, position_m: [0.5, 0.4, 0.1], position_std_m: 0.01, size_m: 0.2, shape: sphere}
  - {id: anna, class: person, position_m: [0, -1.5, 0.8], size_m: [0.3, 0.5, 1.6], front_deg: 90, addressee: true}
"""
BALL, CAR = (0.5, 0.4), (0, 0)
VIEWERS = {"anna": (0, -1.5), "the camera": (3, 0), "the car": None}
CAR_FRONT_DEG = 270

LEADING = ["From {v}'s perspective, ", "From {v}'s point of view ", "from {v}'s viewpoint, ", "From the perspective of {v}, ",
           "as seen from {v}, ", "seen from {v} ", "When viewed from {v}, ", "In {v}'s view, ", "in {v}'s eyes ",
           "According to {v}, ", "for {v}, ", "From {v}, ", "To {v}, ", "Through {v}'s eyes, ", "from {v}’s vantage point, ",
           "Taking {v}'s perspective, ", "Based on {v}'s perspective, ", "Considering {v}'s viewpoint, ", "from {v}'s side, ",
           "from where {v} is standing, ", "If I were {v}, ", "If you are {v}, ", "Imagine you were {v}: ".replace(":", ","),
           "Looking from {v}'s position, ".replace("'s position", ""), "Seen through {v}'s eyes, ", "from the point of view of {v} "]
TRAILING = [" from {v}", " for {v}", " from {v}'s perspective", ", from the viewpoint of {v}", " as seen from {v}",
            ", seen from {v}", " from where {v} sits", " as {v} sees it", ", according to {v}", " in {v}'s view",
            " when seen from {v}", " from {v}'s side"]
FORMS = ["is the ball {r} the car", "is the ball located {r} the car", "the ball is {r} the car", "ball {r} car",
         "does the ball lie {r} the car", "would the ball be {r} the car", "could you tell me whether the ball is {r} the car",
         "do you think the ball is {r} the car", "Tell me if the ball is {r} the car", "Please say whether the ball is {r} the car"]
AROUND = ["{q}", "{q}?", "{q}, please?", "{q}, isn't it?", "{q}, right?", "{q} True or false?"]
RELATIONS = {"left": ["left of", "to the left of", "on the left of", "on the left-hand side of", "to the left side of"],
             "right": ["right of", "to the right of", "on the right of", "on the right-hand side of"],
             "front": ["in front of"], "behind": ["behind", "in back of"]}


def holds(viewer, relation):
    """Reflected, along the sight line; of the car itself, by its front."""
    if VIEWERS[viewer] is None:
        front = math.radians(CAR_FRONT_DEG)
    else:
        front = math.atan2(VIEWERS[viewer][1] - CAR[1], VIEWERS[viewer][0] - CAR[0])
    # Reflected: the front is toward the viewer, left and right are the viewer's own.
    turn = {"front": 0, "behind": 180, "left": 90, "right": -90}[relation]
    if VIEWERS[viewer] is not None and relation in ("left", "right"):
        turn = -turn
    direction = front + math.radians(turn)
    return math.cos(math.atan2(BALL[1] - CAR[1], BALL[0] - CAR[0]) - direction) > 0


def questions():
    """Every place and wording of the viewpoint with every form; relations and surroundings take turns."""
    turns = itertools.count()
    for viewer in VIEWERS:
        for clause in [(text, "") for text in LEADING] + [("", text) for text in TRAILING]:
            for form in FORMS:
                n = next(turns)
                relation = list(RELATIONS)[n % len(RELATIONS)]
                phrases = RELATIONS[relation]
                core = form.format(r=phrases[n // 4 % len(phrases)])
                asked = (clause[0] + core + clause[1]).format(v=viewer)
                yield AROUND[n % len(AROUND)].format(q=asked), viewer, relation


class Wordings(unittest.TestCase):
    def test_no_wording_changes_the_answer(self):
        asked = list(questions())
        with tempfile.TemporaryDirectory(prefix="pov-wordings-") as folder:
            scene = pathlib.Path(folder) / "scene.yaml"
            scene.write_text(SCENE)
            result = subprocess.run([POV, "ask", scene, "-", "--json"], input="".join(text + "\n" for text, _, _ in asked),
                                    capture_output=True, text=True, timeout=300)
        told = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(len(told), len(asked))
        for (text, viewer, relation), answer in zip(asked, told):
            self.assertEqual(answer["answer"], "yes" if holds(viewer, relation) else "no", text)
            judgment, = answer["judgments"]
            own = viewer == "the car"
            self.assertEqual(judgment["viewer"], None if own else viewer.replace("the ", ""), text)
            self.assertEqual(judgment["perspective"], "intrinsic" if own else {"anna": "addressee"}.get(viewer, "egocentric"))


if __name__ == "__main__":
    unittest.main()
