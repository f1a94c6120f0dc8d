#!/usr/bin/env python3
"""Utterances in the forms of corpora of routes, hand-overs, referring games and repairs (people_1.txt and so on): of each file at least 92 % are
right or sensibly asked back, at most 1 % mislead, and no act is wrong in silence (a pick or a goal that nobody meant)."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from test_ask_held_out import fits, run  # noqa: E402

LEAST_RIGHT = 0.92
MOST_MISLEADING = 0.01
KINDS = ("right", "asked back", "refused", "misleading", "wrong act")


def grade(told, expected):
    """A question back that was not expected is one question too many; a refusal for another reason misleads nobody."""
    if any(fits(told, wanted) for wanted in expected.split(" | ")):
        return "right"
    if told["outcome"] in ("picked", "goal"):
        return "wrong act"
    open_answer = told["answer"] in ("abstain", "undefined", "depends")
    return {"ask_back": "asked back", "refused": "refused"}.get(told["outcome"], "refused" if open_answer else "misleading")


def measure(path):
    graded = [(grade(reply, expected), scene, said, expected, reply) for _, scene, said, expected, reply in run(path)]
    for kind, scene, said, expected, reply in graded:
        if kind != "right":
            print(f'{kind:10} {scene}: "{said}" expected {expected}: {reply["outcome"]} {reply.get("pick") or reply.get("answer")}: {reply["say"]}')
    count = {kind: sum(g[0] == kind for g in graded) for kind in KINDS}
    print({kind: f"{n} of {len(graded)} = {100 * n / len(graded):.1f} %" for kind, n in count.items()})
    return count


class People(unittest.TestCase):
    def test_most_are_understood_and_no_act_is_wrong_in_silence(self):
        for path in sorted(pathlib.Path(__file__).parent.glob("people_*.txt")):
            with self.subTest(path.name):
                count = measure(path)
                said = sum(count.values())
                self.assertGreaterEqual(count["right"] + count["asked back"], LEAST_RIGHT * said)
                self.assertLessEqual(count["misleading"], MOST_MISLEADING * said)
                self.assertEqual(count["wrong act"], 0)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(pathlib.Path(sys.argv[1]))
    else:
        unittest.main()
