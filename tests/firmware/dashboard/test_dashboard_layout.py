#!/usr/bin/python3
"""Every text of the dashboard's page has room, at twelve sizes, in every mode, with the longest names and values: nothing is cut,
nothing lies on something else, and a screen shows all at once."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
sys.path[:0] = [str(SOURCE / "tests" / folder) for folder in ("support", "dashboard")]
import chromium  # noqa: E402
import live_models  # noqa: E402
import tour  # noqa: E402
from page_checks import DRAWN, SIZES, WRONG  # noqa: E402

POV = os.environ["POV"]
MODES = ["show", "lab", "guess", "health"]
# Ids as long as they may be, 31 bytes; of words, as people write them.
NAMES = {"basketball": "basketball_of_the_3rd_schoolyrd", "car": "car_of_the_neighbours_upstairs1", "woman": "anastasia_from_the_laboratory_2"}
LIVE = "document.getElementById('connection')?.className === 'live'"
# A number that tells pictures apart.
PICTURE = """((canvas, pen) => pen.getImageData(0, 0, canvas.width, canvas.height).data
  .reduce((sum, value, i) => (sum * 31 + value) % 1000000007, 7))(...(one => [one, one.getContext("2d")])(document.getElementById("camera")))"""
# As long as the judged can be.
WORST = """(() => {
  for (const one of document.querySelectorAll("#pair-panel td")) one.innerHTML = "<span>✓</span>&gt;99%";
  const health = document.getElementById("health");
  health.textContent = "120.0 images/s · 1000 ms each (99%: 10000 ms) · 100000000 images judged, 10000 lost, 100000 skipped · 64 subscribers";
  document.getElementById("tag-panel").hidden = false; // of a whole sheet, and what lies besides
  document.getElementById("tags").innerHTML = Array.from({length: 60}, (_, i) => `<li class="rejected"><b>▲ ${100 + i}</b> 10.25 px, does not fit</li>`).join("");
  return import("./models.js").then(({showWords}) => {
    for (const [i, cell] of [...document.querySelectorAll("#models .says")].entries())
      showWords(cell, {thoughts: "", answer: i === 1 ? "w".repeat(400) : "the newest of very many words ".repeat(12)});
    return true;
  });
})()"""


LONG = '"First, the car looks to the left of the picture. So the answer is yes."'
SAID = f"""import("./models.js").then(({{sayAnswer}}) => [[LONG, 0.9], [LONG, 0.1], [LONG, null], ["Yes.", 0.1], ["", null]]
  .map(([text, p]) => sayAnswer({{text, p}}, 24)))""".replace("LONG", LONG)


class Layout(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-layout-"))
        world = cls.folder / "world"
        subprocess.run([POV, "sim", "comfort-car", "--images", "4", "--quiet", "--out", world], check=True)
        text = (world / "station.yaml").read_text()
        for short, long in NAMES.items():
            text = re.sub(rf'(- id: )"{short}"', rf'\1"{long}"', text)
        (world / "station.yaml").write_text(text)
        cls.station = subprocess.Popen([POV, "run", world / "station.yaml", "--loop", "--rate", "5", "--no-publish", "--quiet", "--dashboard", "0"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        cls.url = cls.station.stderr.readline().split()[1]
        cls.tab = chromium.Chromium().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.tab.__exit__()
        cls.station.terminate()
        cls.station.wait(300)
        cls.station.stderr.close()
        shutil.rmtree(cls.folder)

    def assert_all_has_room(self, modes):
        for width, height in SIZES:
            self.tab.resize(width, height, mobile=width < 1000 and height < 1000)
            is_screen = width >= 1000
            for mode in modes:
                self.tab.run(f"document.querySelector('[data-mode={mode}]').click()")
                self.tab.run(DRAWN)
                with self.subTest(size=f"{width}x{height}", mode=mode):
                    self.tab.run(WORST)
                    self.assertEqual(self.tab.run(f"{WRONG}({str(is_screen).lower()})"), [])
                    self.assertLessEqual(self.tab.run("document.documentElement.scrollWidth"), width)
                    if is_screen:
                        self.assertLessEqual(self.tab.run("document.documentElement.scrollHeight"), height)

    def test_every_text_has_room_at_every_size_in_every_mode(self):
        self.tab.open(self.url)
        self.tab.wait_for(f"{LIVE} && document.getElementById('perspectives').rows.length > 0")
        self.assert_all_has_room(MODES)

    def test_after_an_answer_in_guess_too(self):
        self.tab.open(self.url)
        self.tab.wait_for(f"{LIVE} && document.getElementById('perspectives').rows.length > 0")
        for width, height in SIZES:
            self.tab.resize(width, height, mobile=width < 1000 and height < 1000)
            self.tab.run("document.querySelector('[data-mode=show]').click()")
            self.tab.run("document.querySelector('[data-mode=guess]').click()")
            self.tab.wait_for("document.querySelector('#guess-buttons [data-relation]') !== null")
            shares = []
            for answered in False, True:
                if answered:
                    self.tab.run("document.querySelector('#guess-buttons [data-relation]').click()")
                self.tab.run(DRAWN)
                with self.subTest(size=f"{width}x{height}", answered=answered):
                    self.assertEqual(self.tab.run(f"{WRONG}({str(width >= 1000).lower()})"), [])
                    blank = self.tab.run("""[...document.querySelectorAll("main section")].filter(one => one.offsetParent &&
                      !one.innerText.trim() && !one.querySelector("canvas")).map(one => one.id)""")
                    self.assertEqual(blank, [])
                shares.append(self.tab.run("(r => r.width * r.height / innerWidth / innerHeight)(document.getElementById('camera-panel').getBoundingClientRect())"))
            if width >= 1000:
                self.assertGreater(shares[0], 0.55, (width, height)) # nothing else matters while they guess

    def test_so_has_that_of_three_models_asked_live(self):
        with live_models.Models(self.folder / "live", biases=("addressee-blind", "noisy", "left-right"), long_names=True) as models:
            self.tab.open(models.url)
            self.tab.wait_for(f"{LIVE} && document.querySelectorAll('#models .right').length === 3 && "
                              "[...document.querySelectorAll('#models .right')].every(one => one.textContent.includes('right'))")
            self.assertEqual(self.tab.run(SAID), ["yes", "no", "First, the car looks to…", "Yes.", "–"])
            self.assert_all_has_room(["show", "lab", "health"])
            self.tab.resize(1280, 800)
            self.tab.run("document.querySelector('[data-mode=lab]').click()")
            self.tab.run(DRAWN)
            self.assertLessEqual(self.tab.run("parseFloat(getComputedStyle(document.documentElement).fontSize)"), 18)
            self.tab.resize(3840, 2160)
            self.assertLessEqual(self.tab.run("parseFloat(getComputedStyle(document.documentElement).fontSize)"), 18)

    def test_so_has_that_of_a_sweep_in_the_demo(self):
        process, terminal, url = tour.start(POV, self.folder / "demo", pace_s=30)
        try:
            self.tab.open(url)
            self.tab.wait_for(f"{LIVE} && document.getElementById('score').textContent.includes('right')")
            self.assert_all_has_room(["show", "lab"])
        finally:
            process.terminate()
            process.wait(300)
            os.close(terminal)

    def test_after_the_end_a_replay_and_back_to_the_last_image(self):
        process, terminal, url = tour.start(POV, self.folder / "ended", pace_s=0.05)
        try:
            self.tab.open(url)
            self.tab.wait_for("document.getElementById('report')?.hidden === false")
            self.tab.run(DRAWN)
            last = self.tab.run(PICTURE)
            self.tab.run("document.getElementById('live').click()")
            self.tab.wait_for(f"document.body.classList.contains('replaying') && {PICTURE} !== {last}")
            self.tab.press("Escape")
            self.tab.wait_for(f"!document.body.classList.contains('replaying') && {PICTURE} === {last}")
        finally:
            process.terminate()
            process.wait(300)
            os.close(terminal)

    def test_from_above_no_name_lies_on_a_thing_or_on_another(self):
        self.tab.resize(1280, 720)
        self.tab.open(self.url)
        self.tab.wait_for(f"{LIVE} && document.getElementById('above').drawn?.labels.length > 3")
        for _ in range(5):
            drawn = self.tab.run("document.getElementById('above').drawn")
            boxes = drawn["things"] + [label["box"] for label in drawn["labels"]]
            for i, a in enumerate(boxes):
                for b in boxes[max(i + 1, len(drawn["things"])):]: # things may lie on each other
                    self.assertFalse(min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1, drawn)
            self.tab.run(DRAWN)


if __name__ == "__main__":
    if not chromium.PROGRAM:
        print("skipped: chromium not found")
        sys.exit(77)
    unittest.main()
