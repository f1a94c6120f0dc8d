#!/usr/bin/python3
"""The dashboard's page in a real Chromium: it moves, is right about left and right, keeps still where it should, comes back, and
can be read from two metres."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests" / "support"))
import chromium  # noqa: E402
from reserved_port import ReservedPort  # noqa: E402

POV = os.environ["POV"]
PANELS = ["answer-panel", "ask-panel", "camera-panel", "time-panel", "above-panel", "eyes-panel", "pair-panel", "sight-panel"]
SWEEP_PANELS = ["question-panel", "curves-panel"]
# On a screen of 53 cm (24 inches) at 1280 pixels, 17 px are 7 mm, small letters 3.7 mm: from two metres 6 minutes of arc, and
# the normal eye reads 5.
LEGIBLE_PX = 17

WATCH = """
window.shifts = [];
new PerformanceObserver(list => window.shifts.push(...list.getEntries())).observe({type: "layout-shift"});
// Elements that have moved since then, and by how much: the observer is told some time after it happened.
const boxOf = ({x, y, width, height}) => [x, y, width, height].map(Math.round).join(" ");
window.shiftsSince = ms => window.shifts.filter(({startTime}) => startTime > ms).map(({value, sources}) =>
  [value, ...sources.map(({node, previousRect, currentRect}) =>
    `${node?.id || node?.nodeName} of ${node?.parentElement?.id}: ${boxOf(previousRect)}, then ${boxOf(currentRect)}`)]);
window.smallest_px = Infinity;
const fill = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (...given) {
  window.smallest_px = Math.min(window.smallest_px, parseFloat(this.font.match(/([\\d.]+)px/)[1]));
  return fill.apply(this, given);
};
"""
# A promise: what stands still by now is drawn, words last: they change every 250 ms at most.
DRAWN = "new Promise(drawn => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))), 300))"
PATIENCE_S = 120
IMAGES, RATE_HZ = 24, 7
ROUND_S = 1.3 * IMAGES / RATE_HZ
LIVE = "document.getElementById('connection')?.className === 'live'"
# Visible elements: [size of the smallest letters, words].
LETTERS = """[...document.querySelectorAll("body *")].filter(one => one.offsetParent &&
  [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
  .map(one => [parseFloat(getComputedStyle(one).fontSize), one.textContent.trim()])"""
CUT = """[...document.querySelectorAll("td, th, .legend, #connection, #answer, #others, button")].filter(one => one.offsetParent && one.scrollWidth > one.clientWidth)
  .map(one => one.textContent)"""
# The same if all that is judged were as long as it can be.
CUT_AT_WORST = f"""(() => {{
  for (const one of document.querySelectorAll("#pair-panel td")) one.innerHTML = "<span>✓</span>&gt;99%";
  return {CUT};
}})()"""
# The middle of the brown pixels (a basketball's) and of the white ones (a car's), and how many there are.
SEEN = """(() => {
  const canvas = document.getElementById("eyes"), {data, width} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const found = {ball: [0, 0], car: [0, 0]};
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b] = data.subarray(i, i + 3), x = (i / 4) % width;
    const what = r > 1.5 * g && r > 60 ? found.ball : Math.min(r, g, b) > 130 && Math.max(r, g, b) - Math.min(r, g, b) < 12 ? found.car : [];
    what[0] += x; what[1]++;
  }
  return Object.fromEntries(Object.entries(found).map(([name, [sum, len]]) => [name, {x: sum / len, len}]));
})()"""


def hash_of(canvas):
    """Of its pixels: a short number."""
    return f"""(({{width, height}}, pen) => pen.getImageData(0, 0, width, height).data
      .reduce((sum, value, i) => (sum * 31 + value) % 1000000007, 7))(...(c => [c, c.getContext("2d")])(document.getElementById("{canvas}")))"""


class Station:
    """A pov that serves a dashboard."""

    def __init__(self, *arguments, port=0):
        self.process = subprocess.Popen([POV, *map(str, arguments), "--quiet", "--dashboard", str(port)],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        assert line.startswith("dashboard: http://"), line
        self.url = line.split()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(300)
        self.process.stderr.close()


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-page-"))
        cls.world = cls.folder / "world" / "station.yaml"
        subprocess.run([POV, "sim", "comfort-car", "--images", str(IMAGES), "--quiet", "--out", cls.world.parent], check=True)
        cls.chromium = chromium.Chromium().__enter__()
        cls.chromium.before_each_page(WATCH)

    @classmethod
    def tearDownClass(cls):
        cls.chromium.__exit__()
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.tab = self.chromium
        self.tab.resize(1280, 720)

    def tearDown(self):
        self.tab.open("about:blank") # its stream ends

    def station(self, port=0):
        return Station("run", self.world, "--loop", "--rate", str(RATE_HZ), "--no-publish", port=port)

    def live(self, station):
        self.tab.open(station.url)
        self.tab.wait_for(f"{LIVE} && document.getElementById('perspectives').rows.length > 0")

    def pause(self, wanted):
        self.tab.press(" ")
        self.tab.wait_for(f"document.body.classList.contains('paused') === {str(wanted).lower()}")

    def mode(self, name):
        self.tab.run(f"document.querySelector('[data-mode={name}]').click()")
        self.tab.run(DRAWN)

    def moves(self, canvas):
        before = self.tab.run(hash_of(canvas))
        self.tab.wait_for(f"{hash_of(canvas)} !== {before!r}")

    def assert_panels(self, names):
        for name in names:
            width, height = self.tab.run(f"(box => [box.width, box.height])(document.getElementById('{name}').getBoundingClientRect())")
            self.assertTrue(width > 200 and height > 50, (name, width, height))

    def assert_legible(self):
        small = [(size, words) for size, words in self.tab.run(LETTERS) if size < LEGIBLE_PX]
        self.assertEqual(small, [])
        self.assertGreaterEqual(self.tab.run("window.smallest_px"), LEGIBLE_PX)

    def assert_nothing_is_cut(self, round_s):
        """While the scene goes round: what is said of it is longer here and shorter there."""
        end, cut = time.monotonic() + round_s, set()
        while time.monotonic() < end:
            cut.update(self.tab.run(CUT))
            time.sleep(0.1)
        cut.update(self.tab.run(CUT_AT_WORST))
        self.assertEqual(cut, set())

    def test_shows_a_moving_scene_in_every_panel_and_nothing_else_moves(self):
        with self.station() as station:
            self.live(station)
            self.mode("lab")
            self.assert_panels(PANELS)
            for canvas in "camera", "above", "eyes":
                self.moves(canvas)
            start_ms = self.tab.run("performance.now()")
            self.assert_nothing_is_cut(ROUND_S)
            self.assertEqual(self.tab.run(f"window.shiftsSince({start_ms})"), [])
            self.assertTrue(self.tab.run("document.documentElement.scrollHeight <= innerHeight"))
            self.assert_legible()
            self.assertIn("images/s", self.tab.run("document.getElementById('health').textContent"))
            self.tab.resize(390, 844, 2, True)
            self.tab.wait_for("document.documentElement.scrollWidth <= 390 && innerWidth === 390")
            self.assert_nothing_is_cut(ROUND_S)
            self.tab.press("s") # another pair has other names
            self.assert_nothing_is_cut(ROUND_S)
            self.assert_panels(PANELS)
        self.assertEqual(self.tab.complaints(), [])
        self.assertEqual({url.split("/")[2] for url in self.tab.addresses() if not url.startswith(("about:", "blob:", "data:"))},
                         {url.split("/")[2] for url in self.tab.addresses() if "127.0.0.1" in url})

    def side_of_the_ball(self):
        """Where what the woman sees has it, as the words say, too; none, where it is hidden or too near the middle."""
        self.tab.run(DRAWN)
        seen, words = self.tab.run(SEEN), self.tab.run("document.getElementById('answer').textContent")
        self.assertTrue(words.startswith("From where the woman is, the basketball is "), words)
        if min(seen["ball"]["len"], seen["car"]["len"]) <= 20 or abs(seen["ball"]["x"] - seen["car"]["x"]) <= 25:
            return set()
        side = "left" if seen["ball"]["x"] < seen["car"]["x"] else "right"
        self.assertIn(side, words.split(".")[0])
        return {side}

    def test_what_the_woman_sees_has_the_ball_on_the_side_of_the_car_where_it_is_for_her(self):
        sides, referent = set(), "document.getElementById('referent').value"
        with self.station() as station:
            self.live(station)
            self.assertEqual(self.tab.run(referent), "basketball") # the small is located by the large
            end = time.monotonic() + PATIENCE_S
            while len(sides) < 2 and time.monotonic() < end:
                time.sleep(1)
                self.pause(True) # picture and words are of one image
                for _ in range(12): # back through what was seen, so that the scene comes round however slow the machine is
                    sides |= self.side_of_the_ball()
                    self.tab.press("ArrowLeft")
                self.pause(False)
        self.assertEqual(sides, {"left", "right"})

    def test_comes_back_with_the_station(self):
        with ReservedPort() as port:
            with self.station(port) as station:
                self.live(station)
            self.tab.wait_for(f"!({LIVE})")
            with self.station(port):
                self.tab.wait_for(LIVE)
                self.moves("above")
                self.moves("eyes")

    def test_keys_and_touches_do_what_the_help_says(self):
        with self.station() as station:
            self.live(station)
            pair = "document.getElementById('referent').value + ' ' + document.getElementById('relatum').value"
            before = self.tab.run(pair)
            self.tab.press("s")
            self.assertEqual(self.tab.run(pair).split(), before.split()[::-1])
            self.tab.press("p")
            self.assertNotEqual(self.tab.run(pair).split(), before.split()[::-1])
            chosen = "document.querySelector('.chosen th').textContent"
            first = self.tab.run(chosen)
            self.tab.press("ArrowDown")
            self.tab.wait_for(f"{chosen} !== {first!r}")
            self.tab.press("3")
            self.assertTrue(self.tab.run("document.getElementById('above-panel').classList.contains('large')"))
            self.assertFalse(self.tab.run("document.getElementById('back').hidden"))
            self.tab.press("Escape")
            self.assertIsNone(self.tab.run("document.querySelector('.large')?.id ?? null"))
            self.tab.press("t")
            self.assertEqual(self.tab.run("document.documentElement.dataset.theme"), "light")
            self.tab.press("c")
            self.assertEqual(self.tab.run("document.getElementById('convention').value"), "rotated")
            self.tab.press("?")
            self.assertTrue(self.tab.run("document.getElementById('help').open"))
            self.tab.press("Escape")
            self.tab.wait_for("!document.getElementById('help').open")
            self.tab.run("localStorage.clear()")

    def ask(self, utterance):
        self.tab.run(f"(document.getElementById('ask').value = {utterance!r}, document.getElementById('ask-form').requestSubmit())")
        return self.tab.wait_for("(words => words.length > 1 && words)(document.querySelector('#reply span')?.textContent ?? '')")

    def test_answers_in_words_and_asks_back_with_buttons(self):
        with self.station() as station:
            self.live(station)
            self.assertIn("asketball", self.ask("where is the basketball for the woman?"))
            buttons = "[...document.querySelectorAll('#reply button')].map(button => button.textContent)"
            self.assertIn("?", self.ask("give me the thing"))
            offered = self.tab.wait_for(f"({buttons}).length > 1 && {buttons}")
            self.assertIn("the car", offered)
            self.tab.run("[...document.querySelectorAll('#reply button')].find(button => button.textContent === 'the car').click()")
            self.tab.wait_for(f"({buttons}).length === 0 && document.querySelector('#reply span')?.textContent.length > 1")
            self.tab.press("Escape")
            self.tab.wait_for("document.getElementById('reply').textContent === ''")
        self.assertEqual(self.tab.complaints(), [])

    def test_goes_back_in_time_with_every_picture_and_live_again(self):
        note = "document.getElementById('camera-note').textContent"
        with self.station() as station:
            self.live(station)
            self.tab.wait_for("+document.getElementById('live').textContent.length > 0")
            time.sleep(5)
            x, y, width = self.tab.run("(({x, y, width, height}) => [x, y + height / 2, width])(document.getElementById('strip').getBoundingClientRect())")
            self.tab.click(x + width - 12, y) # half a second ago: there is something before it
            self.tab.wait_for("document.body.classList.contains('paused')")
            self.tab.run(DRAWN)
            still = [self.tab.run(f"[{note}, {hash_of('camera')}, {hash_of('above')}, document.getElementById('answer').textContent]") for _ in range(2)
                     if not time.sleep(1)]
            self.assertEqual(still[0], still[1])
            self.tab.press("ArrowLeft")
            self.tab.wait_for(f"{note} !== {still[0][0]!r}")
            self.tab.run("document.getElementById('live').click()")
            self.tab.wait_for("!document.body.classList.contains('paused')")
            self.moves("camera")

    def test_a_guess_is_told_and_counted(self):
        with self.station() as station:
            self.live(station)
            self.mode("guess")
            self.tab.wait_for("document.querySelectorAll('#guess-buttons [data-relation]').length === 4")
            self.assertIn("for the woman", self.tab.run("document.getElementById('guess-question').textContent"))
            self.assertEqual(self.tab.run("[...document.querySelectorAll('main section')].filter(one => one.offsetParent).map(one => one.id)"),
                             ["guess-panel", "camera-panel"])  # nothing else can give the answer away
            self.tab.press("ArrowLeft")
            verdict = self.tab.wait_for("document.getElementById('guess-verdict').textContent")
            self.assertIn("left" if verdict.startswith("✓") else "From where the woman is", verdict)
            self.assertIn("of 1", self.tab.run("document.getElementById('guess-score').textContent"))
            self.assertEqual(self.tab.run("document.querySelector('#guess-buttons .mine').dataset.relation"), "0") # it stays marked
            rights = self.tab.run("[...document.querySelectorAll('#guess-buttons .right')].map(one => one.textContent)")
            self.assertTrue(rights and all(words.startswith("✓ ") for words in rights), rights)
            image, eyes = (self.tab.run(f"document.getElementById('{name}').clientWidth") for name in ("camera", "eyes"))
            self.assertAlmostEqual(eyes / image, 1, delta=0.05) # her view beside the image, as large
            self.tab.run("document.querySelector('#guess-buttons [data-next]').click()")
            self.tab.wait_for("document.querySelectorAll('#guess-buttons [data-relation]').length === 4")
        self.assertEqual(self.tab.complaints(), [])

    def test_a_sweep_has_its_panels_and_its_curves_grow(self):
        station = self.folder / "live.yaml"
        text = self.world.read_text().replace("source: folder", "source: simulator")
        for key in ("calibration: ", "body: "):
            text = text.replace(key, f"{key}{self.world.parent}/")
        station.write_text(text)
        with Station("sweep", station, "--out", self.folder / "sweep", "--angles", "36", "--pace", "2") as sweep:
            self.tab.open(sweep.url)
            self.tab.wait_for(LIVE)
            self.tab.wait_for("document.getElementById('counters').textContent.includes('answered')")
            self.mode("lab")
            self.assert_panels([name for name in PANELS if name not in ("pair-panel", "sight-panel")] + SWEEP_PANELS)
            self.assertIn("For whom?", self.tab.run("document.getElementById('left-out').textContent")) # what has no room is named
            self.assertEqual(self.tab.run("document.getElementById('referent').value"), "basketball") # as in the questions
            self.assertEqual(self.tab.run("document.getElementById('relatum').value"), "car")
            start_ms = self.tab.run("performance.now()")
            self.moves("curves")
            self.moves("eyes")
            self.assertEqual(self.tab.run(f"window.shiftsSince({start_ms})"), [])
            self.assert_legible()
            self.assert_nothing_is_cut(1)
            self.tab.press("s") # another pair has other names
            self.assert_nothing_is_cut(1)
        self.assertEqual(self.tab.complaints(), [])


if __name__ == "__main__":
    if not chromium.PROGRAM:
        print("skipped: chromium not found")
        sys.exit(77)
    unittest.main()
