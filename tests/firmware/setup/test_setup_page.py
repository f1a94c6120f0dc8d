#!/usr/bin/python3
"""The whole way of a set-up in a real Chromium, with the simulated lab for camera and table: from nothing to a sweep's report, by
clicks and typed words alone. Its log has each click and its second. POV_SETUP_PICTURES=DIR keeps pictures."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/support"))
import chromium  # noqa: E402

POV = os.environ["POV"]
PICTURES = os.environ.get("POV_SETUP_PICTURES")
# Middles of things in the simulated lab's picture, as a person sees them; the truth is the world's file.
CAR, BALL, ANNA, SHE_LOOKS_AT = (320, 233), (328, 386), (72, 180), (320, 240)


class Visitor:
    """Clicks and types, and counts."""

    def __init__(self, tab):
        self.tab, self.clicks, self.typed, self.begun, self.pictures = tab, 0, 0, time.monotonic(), 0
        self.steps = []

    def log(self, what):
        print(f"{time.monotonic() - self.begun:6.1f} s  click {self.clicks:2}  {what}", flush=True)

    def place(self, selector):
        return self.tab.run(f"""(() => {{ const one = document.querySelector({json.dumps(selector)});
            one.scrollIntoView({{block: "nearest"}}); const box = one.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2, one.disabled === true, box.width]; }})()""")

    def click(self, selector):
        self.tab.wait_for(f"document.querySelector({json.dumps(selector)})?.checkVisibility() && !document.querySelector({json.dumps(selector)}).disabled")
        x, y, _, _ = self.place(selector)
        self.tab.click(x, y)
        self.clicks += 1
        self.log(selector)

    def choose(self, field, value):
        """As by the keyboard: a list of choices has no page elements to click."""
        self.tab.wait_for(f"document.querySelector('[name={field}]')")
        self.tab.run(f"""(() => {{ const one = document.querySelector('[name={field}]'); one.value = {json.dumps(value)};
            one.dispatchEvent(new Event("change", {{bubbles: true}})); }})()""")
        self.clicks += 2 # to open the list, and to choose
        self.log(f"{field}: {value}")

    def type(self, field, words):
        self.click(f"[name={field}]")
        self.tab.run(f"document.querySelector('[name={field}]').select()")
        self.tab.call("Input.insertText", text=words)
        self.typed += len(words)

    def click_image(self, point):
        box = self.tab.run("""(() => { const box = document.getElementById("camera").getBoundingClientRect();
            return [box.left, box.top, box.width, box.height]; })()""")
        scale = min(box[2] / 640, box[3] / 480)
        left, top = box[0] + (box[2] - scale * 640) / 2, box[1] + (box[3] - scale * 480) / 2
        self.tab.click(left + scale * (point[0] + 0.5), top + scale * (point[1] + 0.5))
        self.clicks += 1
        self.log(f"image at {point}")

    def take(self, step, expected):
        """The step's button, and its verdict, which has these words or is bad."""
        self.click("#action")
        self.tab.wait_for(f"""document.getElementById("cancel").hidden && (document.getElementById("verdict").className === "bad" ||
            document.getElementById("verdict").textContent.includes({json.dumps(expected)}))""")
        words = self.tab.run("document.getElementById('verdict').textContent")
        self.log(words)
        self.picture(step)
        assert words.startswith("✓") and expected in words, words

    def next(self, step):
        title = self.tab.run("document.getElementById('title').textContent")
        self.click("#next")
        self.note(title)
        self.tab.wait_for(f"document.querySelector('#steps [aria-current]').dataset.step === '{step}'")

    def note(self, title):
        """Clicks and seconds of the step that ends."""
        self.steps.append((title, self.clicks - sum(one[1] for one in self.steps), time.monotonic() - self.begun - sum(one[2] for one in self.steps)))

    def tell(self):
        for title, clicks, seconds in self.steps:
            print(f"{title:14} {clicks:3} clicks {seconds:6.1f} s")
        print(f"{self.clicks} clicks and {self.typed} letters in {time.monotonic() - self.begun:.0f} s, from nothing to a running station")

    def picture(self, name):
        if PICTURES:
            self.tab.run("new Promise(drawn => setTimeout(drawn, 600))")
            self.pictures += 1
            self.tab.picture(f"{PICTURES}/{self.pictures:02}_{name}.png")


def state(tab):
    return tab.run("fetch('study').then(reply => reply.json()).then(told => told.state)")


def choose_camera(visitor):
    visitor.choose("source", "practice")
    visitor.take("camera", "is open")
    visitor.tab.wait_for("document.getElementById('live').textContent.includes('640 × 480')")
    visitor.next("lens")


def measure_lens(visitor):
    visitor.click("#action") # the board is what the practice board is
    visitor.tab.wait_for("fetch('study').then(reply => reply.json()).then(told => told.state.cover?.flat().filter(count => count).length > 60)")
    visitor.picture("coverage")
    visitor.tab.wait_for("document.getElementById('verdict').className === 'good'")
    words = visitor.tab.run("document.getElementById('verdict').textContent")
    visitor.log(words)
    assert "1° at 1 m: yes" in words and "held out" in words, words
    visitor.next("tags")


def use_tags(visitor):
    visitor.take("tags", "Written: tags.yaml")
    visitor.tab.wait_for("document.getElementById('live').textContent.includes('tags that fit')")
    assert visitor.tab.run("fetch('print.pdf').then(reply => reply.headers.get('Content-Type'))") == "application/pdf"
    visitor.next("turntable")


def measure_turntable(visitor):
    """The world's file has its axis at 0, 0.28."""
    visitor.choose("how", "motor")
    visitor.type("stops", "6")
    visitor.take("turntable", "Its axis stands at")
    x, y = (float(word) for word in visitor.tab.run("document.getElementById('verdict').textContent").split("stands at ")[1].split(" m")[0].split(", "))
    assert abs(x) < 0.002 and abs(y - 0.28) < 0.002, (x, y)
    visitor.next("things")


def enrol_duck(visitor):
    visitor.type("id", "duck")
    visitor.choose("found_by", "turn")
    visitor.type("views", "8")
    visitor.click("#action")
    for words in "It is empty", "It stands there":
        visitor.tab.wait_for(f"document.getElementById('enough').textContent === '{words}'")
        visitor.picture("enrol")
        visitor.click("#enough")
    visitor.tab.wait_for("document.getElementById('cancel').hidden && document.getElementById('verdict').className !== 'open'")
    words = visitor.tab.run("document.getElementById('verdict').textContent")
    visitor.log(words)
    visitor.picture("enrolled")
    assert "Enrolled from 8 sides" in words and "'duck' is found at 0.18, 0.30 m" in words, words
    visitor.next("person")


def name_things(visitor):
    visitor.type("id", "car")
    visitor.click_image(CAR)
    visitor.type("size_mm", "160x70x50")
    visitor.type("front_deg", "270")
    visitor.take("things", "'car' is found")
    visitor.tab.wait_for("document.querySelector('[name=id]').value === ''")
    visitor.type("id", "ball")
    visitor.choose("found_by", "ball")
    visitor.click_image(BALL)
    visitor.take("things", "'ball' is found")
    visitor.tab.wait_for("document.querySelectorAll('#cast .found').length === 2") # also the ball, by its colour


def place_person(visitor):
    visitor.click_image(ANNA)
    visitor.type("size_mm", "50x60x200")
    visitor.tab.run("document.querySelector('[name=front]').focus()")
    visitor.click_image(SHE_LOOKS_AT)
    visitor.take("person", "'anna' is found")
    visitor.next("vlm")
    visitor.next("write")


def assert_places(tab):
    """Against the world's file: car at 0, 0; ball at 0.25, 0; Anna at 0, -0.33."""
    told = {one["id"]: one["words"] for one in state(tab)["cast"]}
    for name, truth in {"car": (0, 0), "ball": (0.25, 0), "anna": (0, -0.33)}.items():
        x, y = (float(word) for word in told[name].split("at ")[1].split(" m")[0].split(", "))
        assert abs(x - truth[0]) < 0.03 and abs(y - truth[1]) < 0.03, (name, told[name])


def write_and_sweep(visitor, folder):
    visitor.take("write", "Written and read back")
    visitor.next("run")
    visitor.choose("how", "sweep")
    visitor.take("run", "Swept; the report")
    visitor.tab.wait_for("!document.getElementById('report').hidden")
    report = visitor.tab.run("fetch('report').then(reply => reply.text())")
    assert "simulated" in report and "ball" in report and (folder / "sweep/report.html").exists()
    visitor.picture("swept")


def main():
    if not chromium.PROGRAM:
        print("skipped: chromium not found")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="pov-setup-") as scratch, chromium.Chromium() as tab:
        folder = pathlib.Path(scratch)
        program = subprocess.Popen([POV, "init", "my_table.yaml", "--dashboard", "0"], stderr=subprocess.PIPE, text=True, cwd=folder)
        try:
            line = program.stderr.readline()
            assert line.startswith("set-up: http://127.0.0.1:"), line
            tab.open(line.split()[1])
            tab.wait_for("document.querySelector('[name=source]')")
            visitor = Visitor(tab)
            visitor.picture("begin")
            choose_camera(visitor)
            measure_lens(visitor)
            use_tags(visitor)
            measure_turntable(visitor)
            name_things(visitor)
            enrol_duck(visitor)
            place_person(visitor)
            assert_places(tab)
            write_and_sweep(visitor, folder)
            visitor.choose("how", "run")
            visitor.click("#action")
            tab.wait_for("location.pathname === '/' && document.getElementById('connection')?.className === 'live'") # the station's page
            visitor.picture("runs")
            assert not tab.complaints(), tab.complaints()
            visitor.note("9. Run")
            visitor.tell()
        finally:
            program.terminate()
            program.wait(300)
            program.stderr.close()


if __name__ == "__main__":
    main()
