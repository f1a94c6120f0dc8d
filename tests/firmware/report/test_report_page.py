#!/usr/bin/python3
"""A report begins with what was found: on the first screen of 1280 x 800 px stand title, sentence, figure and coverage; all chapters are in
contents that stay in sight; what is looked up is folded; axe-core (where npm has it) finds no fault. No page of the PDF is a third empty
but the last. The answers are made by rules, so that the sentences are known."""
import csv
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/support"))
import chromium  # noqa: E402
from page_checks import FAULTS, axe  # noqa: E402

POV = os.environ["POV"]
BEST = {"left": 270, "right": 90, "front": 0, "behind": 180}   # the camera's, reflected
PROMPTS = "nop", "cam", "add"


def answers(model, turned=True, scenes=1, language="en", yes=None, answered=1.0):
    """A model that follows each viewpoint asked for, or always the camera's (turned=False), or says the same everywhere."""
    rows = []
    for scene in range(scenes):
        for prompt in PROMPTS:
            for relation, best in BEST.items():
                for phi in range(0, 360, 10):
                    about = best - 90 * (turned and prompt == "add") # the addressee looks to the right: its left is behind for the camera
                    p = yes if yes is not None else 0.5 + 0.49 * math.cos(math.radians(phi - about))
                    given = len(rows) % 100 < 100 * answered
                    rows.append(dict(model=model, language=language, scene=f"s{scene}", variant="", prompt=prompt, relation=relation, phi_deg=phi,
                                     p_yes=f"{p:.6f}" if given else "", answer="" if given else "I cannot tell", relatum_facing="left",
                                     addressee_facing="right", simulated=f"model {model}"))
    return rows


def vsr(model):
    return [dict(model=model, paper="vsr", id=i, gold="yes" if i % 2 else "no", answer="yes", relation="left of" if i % 3 else "behind")
            for i in range(60)]


CASES = {"blind": ([answers("blind", turned=False)], "Asked for the addressee's viewpoint, blind still answers for the camera: 50 % right; "
                   "asked for the camera's, 100 % (chance: 50 %)."),
         "good": ([answers("good", scenes=7)], "Asked for the addressee's viewpoint, good is right in 100 %; asked for the camera's, 100 % "
                  "(chance: 50 %)."),
         "three": ([answers("blind", turned=False) + answers("good") + answers("yes", yes=0.9)],
                   "Asked for the addressee's viewpoint, 1 of 3 models still answers for the camera (right: blind 50 %); the others: "
                   "good 100 %, yes 50 % (chance: 50 %)."),
         "languages": ([[row for code in ("en", "de", "fr", "es", "it") for row in answers("good", language=code)]],
                       "Asked for the addressee's viewpoint, the share of right answers is: English 100 %, German 100 %, French 100 %, "
                       "Spanish 100 %, Italian 100 % (chance: 50 %)."),
         "yes": ([answers("yes", yes=0.9)], "Asked for the addressee's viewpoint, yes says yes wherever things are: right in 50 %, as by chance "
                 "(50 %)."),
         "shy": ([answers("shy", answered=0.4)], "Asked for the addressee's viewpoint, shy answered only "),
         "papers": ([answers("m"), vsr("m"), vsr("other")], "Asked for the addressee's viewpoint, m is right in 100 %")}
TITLES = {"blind": "blind: COMFORT, 1 scene", "good": "good: COMFORT, 7 scenes", "three": "blind, good and yes: COMFORT, 1 scene",
          "languages": "good: COMFORT, 1 scene, 5 languages", "papers": "m and other: COMFORT, 1 scene; VSR, 120 questions"}

# What cannot be seen on the first screen; then links that lead nowhere, headings without a link, points beyond a frame.
FIRST = """(() => {
  const seen = one => { const box = one?.getBoundingClientRect(); return box && box.top >= 0 && box.bottom <= innerHeight && box.width > 0; };
  return Object.entries({title: "h1", simulated: ".simulated", sentence: ".lead", figure: ".summary svg", caption: ".summary figcaption",
    coverage: ".coverage", contents: "nav a"}).filter(([, of]) => !seen(document.querySelector(of))).map(([name]) => name);
})()"""
LINKS = """(() => {
  const to = [...document.querySelectorAll("nav a")].map(link => link.getAttribute("href").slice(1));
  return [...to.filter(id => !document.getElementById(id)), ...[...document.querySelectorAll("h2, h3")].filter(one => !to.includes(one.id))
    .map(one => one.textContent)];
})()"""
POINTS = """[...document.querySelectorAll(".summary svg")].flatMap(svg => {
  const frame = svg.querySelector(".frame").getBBox();
  return [...svg.querySelectorAll(".sign")].map(one => one.getBBox()).filter(box => box.x + box.width > frame.x + frame.width + 0.1 ||
    (box.y > frame.y && box.x < frame.x - 0.1)).map(box => [box.x, box.width, frame.x, frame.width]);
})"""


def write_report(folder, name):
    paths = []
    for number, rows in enumerate(CASES[name][0]):
        path = folder / f"{name}{number}.csv"
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        paths.append(path)
    page, paper, text = folder / f"{name}.html", folder / f"{name}.pdf", folder / f"{name}.md"
    subprocess.run([POV, "report", *paths, "--out", page, "--pdf", paper, "--markdown", text, "--resamples", "200"], check=True,
                   stdout=subprocess.DEVNULL)
    return page, paper, text


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="pov-report-")
        cls.made = {name: write_report(pathlib.Path(cls.folder.name), name) for name in CASES}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_form_begins_with_title_and_sentence(self):
        for name, (page, paper, text) in self.made.items():
            sentence = CASES[name][1].replace(" %", "\u00a0%") # no line breaks there
            begin = text.read_text()[:1500].replace("\\", "")
            self.assertIn(f"**{sentence}", begin, name)
            if name in TITLES:
                self.assertTrue(begin.startswith(f"# {TITLES[name]}\n"), begin[:80])
            self.assertIn(f'<p class="lead">{sentence.replace(chr(39), "&#39;")}', page.read_text())
            if shutil.which("pdftotext"):
                printed = subprocess.run(["pdftotext", "-l", "1", paper, "-"], capture_output=True, text=True, check=True).stdout
                self.assertIn(sentence[:60].replace("\u00a0", " "), printed.replace("\u00a0", " ").replace("\n", " "))

    def test_coverage_is_told_by_model(self):
        text = self.made["shy"][2].read_text()
        self.assertRegex(text, r"\n432 questions asked: \d+ of 432 answered: \d+ (refused|unclear)\.\n")
        self.assertIn("432 questions asked: 432 of 432 answered.", self.made["blind"][2].read_text())

    def test_the_first_screen_counts_the_questions_of_every_paper(self):
        self.assertIn('<p class="coverage">COMFORT: 432 questions asked: 432 of 432 answered. VSR: 120 questions asked: 120 of 120 answered.</p>',
                      self.made["papers"][0].read_text())

    @unittest.skipUnless(chromium.PROGRAM, "chromium not found")
    def test_the_first_screen_tells_what_was_found(self):
        script = axe()
        with chromium.Chromium(1280, 800) as tab:
            for name, (page, _, _) in self.made.items():
                tab.resize(1280, 800)
                tab.open(page.as_uri())
                tab.wait_for("document.readyState === 'complete' && document.querySelector('.lead') !== null", 20)
                missing = tab.run(FIRST)
                self.assertEqual(missing, [], name)
                self.assertEqual(tab.run(LINKS), [], name)
                self.assertEqual(tab.run(POINTS), [], name)
                self.assertLess(tab.run("document.documentElement.scrollHeight"), 8000, name)
                tab.run("scrollTo(0, 2500)")
                self.assertGreaterEqual(tab.run("document.querySelector('nav a').getBoundingClientRect().top"), 0, name)
                for width, height in (390, 844), (1920, 1080):
                    tab.resize(width, height)
                    self.assertLessEqual(tab.run("document.documentElement.scrollWidth"), width, (name, width))
                    self.assertTrue(tab.run("[...document.querySelectorAll('figure.summary svg')].every(one => one.getBoundingClientRect().right <= innerWidth)"),
                                    (name, width)) # whole on a phone, too
            for theme in ("light", "dark") if script else ():
                tab.theme(theme)
                tab.run("document.querySelectorAll('details').forEach(one => one.open = true)")
                tab.call("Runtime.evaluate", expression=script)
                passed, faults = tab.run(FAULTS)
                self.assertEqual(faults, [], theme)
                self.assertGreater(passed, 8)

    @unittest.skipUnless(shutil.which("pdftoppm"), "pdftoppm not found")
    def test_no_page_is_a_third_empty(self):
        for name in "blind", "three", "languages":
            paper = self.made[name][1]
            subprocess.run(["pdftoppm", "-r", "30", "-gray", paper, paper.with_suffix("")], check=True)
            pages = sorted(paper.parent.glob(f"{name}-*.pgm"))
            for page in pages[:-1]:
                data = page.read_bytes().split(b"\n", 3)
                width, height = map(int, data[1].split())
                body = np.frombuffer(data[3], np.uint8)[:width * height].reshape(height, width)[round(height * 20 / 297):round(height * 275 / 297)]
                used = np.flatnonzero((body < 200).any(axis=1))
                self.assertGreater((used[-1] + 1) / len(body), 2 / 3, page.name)


if __name__ == "__main__":
    unittest.main()
