#!/usr/bin/env python3
"""Large scenes and long phrases: nothing is left out without a word. Right outcomes follow from how the scenes are made."""
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

POV = os.environ["POV"]
CAMERA = "camera: {position_m: [0, -9, 3], look_at_m: [0, 0, 0], sees: {horizontal_deg: 120, vertical_deg: 90}}\nentities:\n"


class Limits(unittest.TestCase):
    def ask(self, entities, utterance):
        with tempfile.TemporaryDirectory(prefix="pov-limits-") as folder:
            path = pathlib.Path(folder) / "scene.yaml"
            path.write_text(CAMERA + "".join(f"  - {{{entity}}}\n" for entity in entities))
            result = subprocess.run([POV, "ask", path, utterance, "--json"], capture_output=True, text=True, timeout=600)
            self.assertTrue(result.stdout, result.stderr)
            return json.loads(result.stdout)

    def crowd(self, count):
        """People in a ring, who look at its middle."""
        return [f"id: p{i}, class: person, addressee: true, sees: {{horizontal_deg: 120}}, size_m: [0.3, 0.4, 1], front_deg: {360 * i / count - 180}, "
                f"position_m: [{6 * math.cos(2 * math.pi * i / count)}, {6 * math.sin(2 * math.pi * i / count)}, 0]" for i in range(count)]

    def test_a_description_may_have_many_words(self):
        """Two cups that differ in the tenth word."""
        words = "old round thick heavy dented dull smooth deep wide".split()
        things = [f"id: c{i}, class: cup, about: [{', '.join(words)}, {last}], position_m: [{i}, 0, 0], size_m: 0.1" for i, last in enumerate(("red", "blue"))]
        told = self.ask(things, f"give me the {' '.join(words)} blue cup")
        self.assertEqual((told["outcome"], told["pick"]), ("picked", "c1"))

    def test_of_many_viewers_none_is_left_out(self):
        things = ["id: cup1, class: cup, position_m: [1, 0, 0], size_m: 0.1", "id: cup2, class: cup, position_m: [-1, 0, 0], size_m: 0.1"]
        self.assertEqual(len(self.ask(self.crowd(30) + things, "where is p3")["sides"]), 30)
        told = self.ask(self.crowd(30) + things, "give me the left cup")
        self.assertEqual(told["outcome"], "ask_back")
        self.assertIn("more than 23 viewers", told["say"])
        self.assertEqual(self.ask(self.crowd(30) + things, "give me the left cup as you see it")["pick"], "cup2")

    def test_a_question_back_offers_each_of_many(self):
        things = [f"id: m{i}, class: mug, position_m: [{i % 10 - 5}, {i // 10}, 0], size_m: 0.1" for i in range(40)]
        self.assertEqual(len(self.ask(things, "give me the mug")["options"]), 40)

    def test_more_words_than_there_is_room_for_are_told(self):
        things = [f"id: t{i}, about: '{' '.join(f'{i:x}.{k:x}' for k in range(14))}', position_m: [{i % 20}, {i // 20}, 0]" for i in range(180)]
        told = self.ask(things, "where is t3")
        self.assertEqual(told["outcome"], "refused")
        self.assertIn("words for its things too many", told["say"])


if __name__ == "__main__":
    unittest.main()
