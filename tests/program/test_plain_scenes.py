#!/usr/bin/python3
"""Relations of plain scenes (plain_scenes.txt) against what a typical speaker of English says of them.

With --table, prints each scene's verdict instead: "ok", "WRONG" or "unsure"."""
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "support"))
from judged_scene import judged, library  # noqa: E402

CAMERA = {"position_m": [0, -10, 1.5], "look_at_m": [0, 0, 1]}

VERDICTS = {True: "true", False: "false", None: "undefined"}


class Scene:
    def __init__(self, line, sizes):
        self.line = line
        head, things = line.split(":", 1)
        words = head.split()
        self.expected, self.own, self.relation = {"yes": True, "no": False, "open": None}[words[0]], words[1] == "own", words[-1]
        self.entities = []
        for thing in things.split("|"):
            self.entities.append(self.entity(thing.split(), sizes))

    def entity(self, words, sizes):
        name, (x, y, bottom), rest = words[0], map(float, words[1:4]), words[4:]
        size = sizes[name]
        entity = {"id": f"{name}{len(self.entities)}", "class": name, "size_m": size, "position_m": [x, y, bottom + size[2] / 2]}
        while rest:
            if rest[0] == "going":
                entity["velocity_m_s"], rest = [float(v) for v in rest[1:4]], rest[4:]
            else:
                entity[f"{rest[0]}_deg"], rest = float(rest[1]), rest[2:]
        return entity

    def answer(self, pov=None):
        """The program's row: of the judgments for directions, else of the relations. pov: the Python package, which is asked instead."""
        ids = [entity["id"] for entity in self.entities]
        if pov:
            frames = {"perspectives": ["intrinsic"]} if self.own else \
                {"perspectives": ["egocentric"], "conventions": ["reflected"], "axes": ["sight_line"]}
            scene = pov.Scene(self.entities, camera=CAMERA)
            return scene.judge([(ids[0], tuple(ids[1:]))], relations=[self.relation], **frames).to_dicts()[0]
        frames = "intrinsic" if self.own else "egocentric,reflected,sight_line"
        told = judged({"camera": CAMERA, "entities": self.entities}, "--relations", self.relation, "--frames", frames)
        rows = [row for row in told["relations"] + told["judgments"]
                if row["referent"] == ids[0] and set(row.get("relata") or [row["relatum"]]) == set(ids[1:])]
        return rows[0]


def read_scenes(path=HERE / "plain_scenes.txt"):
    sizes, scenes = {}, []
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words[:1] == ["thing"]:
            sizes[words[1]] = [float(v) for v in words[2:5]]
        elif words:
            scenes.append(Scene(line, sizes))
    return scenes


class PlainScenes(unittest.TestCase):
    def test_what_people_say_of_plain_scenes_holds(self):
        wrong, pov = [], library()
        for scene in read_scenes()[::8 if os.environ.get("POV_SANITIZED") else 1]:
            row = scene.answer(pov)
            if row["verdict"] != VERDICTS[scene.expected]:
                wrong.append(f"{scene.line}: {row['verdict']}, p {row['p']}")
        self.assertEqual(wrong, [])

    def test_every_relation_of_two_things_that_geometry_decides_is_affirmed_and_denied(self):
        said = {(scene.relation, scene.expected) for scene in read_scenes()}
        for relation in {relation for relation, _ in said}:
            for expected in (True, False):
                self.assertIn((relation, expected), said)


def print_table():
    marks = {True: "ok", False: "WRONG", None: "unsure"}
    counts = dict.fromkeys(marks, 0)
    for scene in read_scenes(*map(pathlib.Path, sys.argv[2:])):
        row = scene.answer()
        right = row["verdict"] == VERDICTS[scene.expected] or (None if row["verdict"] == "abstain" else False)
        counts[right] += 1
        print(f"{marks[right]:6} {row['verdict']:9} {row['p'] if row['p'] is not None else float('nan'):.3f}  {scene.line}")
    print(", ".join(f"{count} {marks[right]}" for right, count in counts.items()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--table"]:
        os.environ.setdefault("POV", "build/release/pov")
        print_table()
    else:
        unittest.main()
