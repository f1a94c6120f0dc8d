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
import time
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
DRAWS_IN_3_S = """new Promise(told => {
  const pen = CanvasRenderingContext2D.prototype, names = ["fill", "stroke", "fillText", "fillRect", "drawImage", "putImageData", "clearRect"];
  const own = names.map(name => pen[name]);
  let calls = 0;
  names.forEach((name, i) => { pen[name] = function (...given) { calls++; return own[i].apply(this, given); }; });
  setTimeout(() => { names.forEach((name, i) => { pen[name] = own[i]; }); told(calls); }, 3000);
})"""
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
        cls.station = subprocess.Popen([POV, "run", world / "station.yaml", "--loop", "--rate", "2", "--no-publish", "--quiet", "--dashboard", "0"],
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
            time.sleep(3) # the strip of time stands still then
            self.assertEqual(self.tab.run(DRAWS_IN_3_S), 0) # nothing has changed
            last = self.tab.run(PICTURE)
            self.tab.run("document.getElementById('live').click()")
            self.tab.wait_for(f"document.body.classList.contains('replaying') && {PICTURE} !== {last}")
            self.tab.press("Escape")
            self.tab.wait_for(f"!document.body.classList.contains('replaying') && {PICTURE} === {last}")
        finally:
            process.terminate()
            process.wait(300)
            os.close(terminal)

    def test_no_name_lies_on_a_thing_or_on_another_in_a_picture(self):
        self.tab.resize(1280, 720)
        self.tab.open(self.url)
        self.tab.wait_for(f"{LIVE} && document.getElementById('above').drawn?.labels.length > 0")
        for key, picture in [("", "above"), ("", "camera"), ("3", "above"), ("1", "camera")] * 2:
            if key:
                self.tab.press(key) # large
            self.tab.run(DRAWN)
            drawn = self.tab.run(f"document.getElementById('{picture}').drawn")
            if key:
                self.assertEqual(drawn["homeless"], []) # as long as names are, there is room
                self.tab.press("Escape")
            self.assertEqual(len(drawn["labels"]) + len(drawn["homeless"]), len(drawn["things"]))
            boxes = drawn["things"] + [label["box"] for label in drawn["labels"]]
            for i, a in enumerate(boxes):
                for b in boxes[max(i + 1, len(drawn["things"])):]: # things may lie on each other
                    self.assertFalse(min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1, (picture, drawn))

    def test_a_name_without_room_is_told_not_drawn_on_a_thing(self):
        self.tab.open(self.url)
        found = self.tab.run("""import("./sheet.js").then(({Placer}) => {
          const sheet = {pen: new OffscreenCanvas(9, 9).getContext("2d"), unit: 10, width: 200, height: 100};
          const place = things => { const one = new Placer(sheet, things, new Map()); return [one.place("cup", things[0]), one.homeless]; };
          return [place([[0, 0, 150, 50], [0, 50, 150, 100], [150, 0, 200, 80]]), place([[0, 0, 200, 50], [0, 50, 200, 100]])]; })""")
        (label, none), (null, homeless) = found
        self.assertTrue(label["isFar"] and label["box"][0] >= 150 and label["box"][1] >= 80, label) # the only free place, with a line to it
        self.assertEqual([none, null, homeless], [[], None, ["cup"]])

    def test_the_pair_fills_two_fifths_of_the_picture_from_above(self):
        self.tab.open(self.url)
        for width, height in SIZES:
            self.tab.resize(width, height, mobile=width < 1000 and height < 1000)
            self.tab.wait_for(f"{LIVE} && document.getElementById('above').drawn?.pair")
            self.tab.run(DRAWN)
            x, y = self.tab.run("(one => one.drawn.pair.map((size, axis) => size / [one.clientWidth, one.clientHeight][axis]))(document.getElementById('above'))")
            with self.subTest(size=f"{width}x{height}"):
                self.assertGreaterEqual(max(x, y), 0.39)

    def test_an_outline_from_above_is_that_of_the_body(self):
        """An L of a square pole and a bar at its foot, of 3 of 4 quarters seen from above; the same, tipped over by a quarter turn."""
        self.tab.open(self.url)
        loops = self.tab.run("""import("./outlines.js").then(({outlineOf}) => {
          const quad = (a, b, c, d) => [...a, ...b, ...c, ...a, ...c, ...d];
          const box = ([x, y, z], [X, Y, Z]) => [quad([x, y, Z], [X, y, Z], [X, Y, Z], [x, Y, Z]), quad([x, y, z], [x, Y, z], [X, Y, z], [X, y, z]),
            quad([x, y, z], [X, y, z], [X, y, Z], [x, y, Z]), quad([x, Y, z], [x, Y, Z], [X, Y, Z], [X, Y, z]),
            quad([x, y, z], [x, y, Z], [x, Y, Z], [x, Y, z]), quad([X, y, z], [X, Y, z], [X, Y, Z], [X, y, Z])].flat();
          const body = [{colour: "#000000", corners: [...box([-500, -500, -500], [0, 500, 500]), ...box([0, -500, -500], [500, 0, 0])]}];
          const at = [3, 1, 0], size = [2, 4, 1];
          return [outlineOf(body, {at, size, R: [0, -1, 0, 1, 0, 0, 0, 0, 1]}), outlineOf(body, {at, size, R: [1, 0, 0, 0, 0, -1, 0, 1, 0]})]; })""")
        def area(loop):
            return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(loop, loop[1:] + loop[:1]))) / 2
        upright, tipped = loops
        self.assertEqual([len(upright), len(tipped)], [1, 1])
        self.assertAlmostEqual(area(upright[0]), 2 * 4 * 3 / 4, delta=0.2)
        self.assertAlmostEqual(area(tipped[0]), 2 * 1 * 3 / 4, delta=0.08)
        self.assertTrue(6 <= len(upright[0]) <= 10, upright) # its six corners
        for corner in (1, 0), (5, 0), (5, 2), (3, 1): # of the L, turned by a quarter
            self.assertLess(min(abs(x - corner[0]) + abs(y - corner[1]) for x, y in upright[0]), 0.1, (corner, upright))


if __name__ == "__main__":
    if not chromium.PROGRAM:
        print("skipped: chromium not found")
        sys.exit(77)
    unittest.main()
