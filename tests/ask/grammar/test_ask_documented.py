#!/usr/bin/env python3
"""Every utterance that a document or --help shows is understood by pov ask, unless the document says that it is refused.

Taken to be utterances: questions in commands ("pov ask SCENE "...", --ask '...'); in tables that begin with "say" what stands in
backticks (under "judged": what may follow a question); quotations of three words or more in a sentence about `pov ask`; and of
"pov ask --help" the examples, every form in all its alternatives, and what it says may stand for a part of one."""
import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

POV = os.environ["POV"]
SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
# Everything that documents talk about.
CAST = """\
north_deg: 90
camera: {position_m: [0, -3, 1.2], look_at_m: [0, 0, 0.1], sees: {shape: frustum, horizontal_deg: 90, vertical_deg: 60}}
entities:
  - {id: ball, position_m: [0.5, 0.2, 0.1], size_m: 0.2, shape: sphere}
  - {id: car, position_m: [0, 0, 0.15], size_m: [0.8, 0.4, 0.3], front_deg: 180}
  - {id: box, position_m: [-0.8, -0.2, 0.2], size_m: 0.4}
  - {id: plate, position_m: [-0.5, 0.9, 0.01], size_m: [0.2, 0.2, 0.02]}
  - {id: pen, position_m: [-0.5, 0.9, 0.025], size_m: [0.14, 0.01, 0.01]}
  - {id: dog, position_m: [1.2, -0.6, 0.2], size_m: [0.6, 0.2, 0.4], front_deg: 90}
  - {id: laptop, position_m: [1.2, 0.6, 0.1], size_m: [0.2, 0.3, 0.2], front_deg: 0}
  - {id: red_cup, class: cup, position_m: [-0.3, 0.7, 0.05], size_m: 0.1}
  - {id: blue_cup, class: cup, position_m: [0.3, 0.8, 0.06], size_m: 0.12}
  - {id: anna, class: person, position_m: [-2, 0, 0.8], size_m: [0.3, 0.5, 1.6], front_deg: 0, pointing_deg: 22, addressee: true,
     sees: {horizontal_deg: 160, vertical_deg: 120}}
  - {id: tom, class: person, position_m: [2, 1, 0.9], size_m: [0.3, 0.5, 1.8], front_deg: 200, sees: {horizontal_deg: 160, vertical_deg: 120}}
  - {id: woman, position_m: [0, 2.5, 0.8], size_m: [0.3, 0.5, 1.6], front_deg: 270, sees: {horizontal_deg: 160, vertical_deg: 120}}
"""
BASE = "is the ball left of the car"
SLOTS = {"THING": "the ball", "VIEWER": "anna", "OTHER": "tom", "RELATUM": "the car", "RELATA": "the car", "WHOSE": "anna's",
         "ANY": "anything", "RELATION": "left of", "EXTREME": "nearest", "VIEWPOINT": "from the woman"}


# ---- documents -------------------------------------------------------------------------------------------------------

def in_commands(text):
    """pov ask SCENE "...", printf '%s\\n' "..." "..." | ... ask SCENE -."""
    for line in text.replace("\\\n", " ").splitlines():
        for match in re.finditer(r"""(?<!/)\bask \S+ (?:"([^"]+)"|'([^']+)')""", line):
            yield match[1] or match[2]
        if re.search(r"\bask \S+ -(\s|$|`)", line) and "printf" in line:
            yield from re.findall(r'"([^"]+)"', line)


def in_tables(text):
    """Pairs of an utterance and whether it is refused."""
    header = None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            header = None
        elif header is None:
            header = cells
        elif header[0] == "say":
            for said in re.findall(r"`([^`]+)`", cells[0]):
                yield f"{BASE} {said}" if header[1] == "judged" else said, "refused" in cells[1]


def in_prose(text):
    prose = re.sub(r"```.*?```", "", text, flags=re.S)
    for sentence in re.split(r"(?<=[.:;])\s", prose.replace("\n", " ")):
        if "`pov ask" in sentence:
            yield from ((said, "refused" in sentence) for said in re.findall(r'"([^"`]+ [^"`]+ [^"`]+)"', sentence))


# ---- --help ----------------------------------------------------------------------------------------------------------

def split_at_bars(text):
    """At those that stand in no brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def expand(form):
    """Every sentence of a form: a|b between words, (a b|c d) between phrases, [a b] may be left out."""
    tokens, rest = [], form
    while rest:
        match = re.match(r"(\[[^][]*\]|[^\s()\[\]]*\([^()]*\)[^\s()\[\]]*|[^\s()\[\]]+)\s*", rest)
        token, rest = match[1], rest[match.end():]
        inner = re.fullmatch(r"(.*)\((.*)\)(.*)", token)
        if token[0] == "[":
            tokens.append([""] + list(itertools.chain.from_iterable(map(expand, split_at_bars(token[1:-1])))))
        elif inner:
            tokens.append([inner[1] + one + inner[3] for one in split_at_bars(inner[2])])
        else:
            tokens.append(split_at_bars(token))
    for words in itertools.product(*tokens):
        yield " ".join(word for word in words if word)


def fill(sentence):
    """With the cast's names; the second THING is another."""
    words = []
    for word in sentence.split():
        name = re.match(r"[A-Z]+(?=\b|')", word)
        slot = name[0] if name else ""
        filled = {"NOUN": "cups" if "how many" in sentence else "cup"}.get(slot) or SLOTS.get(slot)
        if slot == "THING" and "the ball" in words:
            filled = "the box"
        words.append(word.replace(slot, filled) if filled else word)
    return " ".join(words)


def in_forms(help_text):
    forms = re.search(r"Questions and instructions[^:]*:[^:]*\.\n((?:  .*\n)+)", help_text)[1]
    forms, languages = re.sub(r"\n      +", " ", forms).split("  the same in ")
    assert "German, " in languages and "Swahili, " in languages, languages
    for form in forms.splitlines():
        for one in form.strip().split("; "):
            yield from (fill(sentence) for sentence in expand(one) if "..." not in sentence)


def in_notes(help_text):
    """What may stand for a part of a form."""
    notes = {match[1]: re.sub(r"\s+", " ", match[2]) for match in
             re.finditer(r"^  ([A-Z]+(?: [A-Z]+)*) +((?:.*\n)(?: {13}.*\n)*)", help_text, re.M)}
    for extreme in notes["EXTREME"].split(","):
        if extreme.strip() != "...":
            yield f"which cup is the {extreme.strip()}"
    for side in notes["WHOSE SIDE"].split(":")[0].split(","):
        yield f"is the ball to {side.strip()}".replace("to anna's left side", "on anna's left side")
    for how in notes["VIEWPOINT"].split("left out")[0].replace("(the default)", "").replace("VIEWER", "anna").replace(";", ",").split(","):
        if how.strip():
            yield f"{BASE} {how.strip()}"
    views = re.search(r"A\s+viewpoint\s+may\s+stand before or behind each:(.*?)\.\s", help_text, re.S)[1]
    for view in re.sub(r"\s+", " ", views).split(","):
        yield f"{BASE}, {view.strip()}"
        yield f"{view.strip()}, {BASE}"


def relations():
    for line in subprocess.run([POV, "relations", "--json"], capture_output=True, text=True, check=True).stdout.splitlines():
        relation = json.loads(line)
        relata = " and ".join(["the car", "the box", "the plate"][:relation["relata"]])
        for phrase in [relation["name"].replace("_", "-"), *relation["phrases"]]:
            yield f"is the ball {phrase.removeprefix('is ')} {relata}"


# ---- all -------------------------------------------------------------------------------------------------------------

def gather():
    """Of each utterance where it is shown, and whether it is refused."""
    shown = {}

    def note(where, said, refused=False):
        if said in ("QUESTION", "..."):
            return
        places, _ = shown.setdefault(said, ([], refused))
        places.append(where)
    for path in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]:
        text = path.read_text("utf-8")
        for said in in_commands(text):
            note(path.name, said)
        for said, refused in [*in_tables(text), *in_prose(text)]:
            note(path.name, said, refused)
    text = subprocess.run([POV, "ask", "--help"], capture_output=True, text=True, check=True).stdout
    for said in in_commands(text):
        note("pov ask --help", said)
    for said in [*in_forms(text), *in_notes(text)]:
        note("the forms of pov ask --help", said)
    for said in relations():
        note("pov relations", said)
    return shown


class Documented(unittest.TestCase):
    def test_every_utterance_shown_is_understood(self):
        shown = gather()
        with tempfile.TemporaryDirectory(prefix="pov-documented-") as folder:
            scene = pathlib.Path(folder) / "cast.yaml"
            scene.write_text(CAST)
            result = subprocess.run([POV, "ask", scene, "-", "--json"], input="".join(said + "\n" for said in shown),
                                    capture_output=True, text=True, timeout=300)
        answers = {answer["question"]: answer for answer in map(json.loads, result.stdout.splitlines())}
        self.assertEqual(set(answers), set(shown))
        wrong = [f'{", ".join(places)}: "{said}" is {"answered" if refused else "refused"}'
                 for said, (places, refused) in shown.items() if refused != (answers[said]["outcome"] == "refused" and "this one moment only" not in answers[said]["say"])]  # "when" is of recordings
        self.assertFalse(wrong, "\n" + "\n".join(wrong) + "\n" + result.stderr)
        counts = collections.Counter(place for places, _ in shown.values() for place in set(places))
        # Were the documents written otherwise, this test would find nothing to complain of.
        for where, least in {"START.md": 4, "SCENE.md": 60, "the forms of pov ask --help": 90, "pov ask --help": 7,
                             "pov relations": 200}.items():
            self.assertGreaterEqual(counts[where], least, where)


if __name__ == "__main__":
    unittest.main()
