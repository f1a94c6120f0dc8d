#!/usr/bin/python3
"""The experimenter's page and the rater's in a real Chromium: consent, a scene that is put right, a trial led by buttons and keys, a
label; what the rater's page must not know; lines that other pages post are refused. POV_STUDY_PICTURES=DIR keeps pictures."""
import json
import os
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
sys.path[:0] = [str(pathlib.Path(__file__).parent), str(SOURCE / "tests/support")]
import chromium
from test_study import ENVIRONMENT, POV, die_with_the_test, folder, make_protocol, make_station, query

PICTURES = os.environ.get("POV_STUDY_PICTURES")
TEXT = "document.getElementById('{}').textContent"


# Panels, and what stands between them, that lie over one another
OVERLAPS = """(boxes => boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b => a.box.left < b.box.right - 1 && b.box.left < a.box.right - 1
  && a.box.top < b.box.bottom - 1 && b.box.top < a.box.bottom - 1).map(b => a.id + " and " + b.id)))(
  [...document.querySelectorAll("section, .keys, header")].filter(e => e.offsetParent).map(e => ({ id: e.id || e.className, box: e.getBoundingClientRect() })))"""


class Program:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([POV, "study", *map(str, arguments), "--dashboard", "0", "--json"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT,
                                        preexec_fn=die_with_the_test)
        line = self.process.stderr.readline()
        assert line.startswith("page: http://127.0.0.1:"), line
        self.url = line.split()[1]

    def end(self):
        self.process.terminate()
        self.process.stdin.close()
        self.process.stderr.read()
        self.process.stderr.close()
        assert self.process.wait() in (0, 1)


def click(tab, what):
    tab.run(f"document.querySelector({json.dumps(what)}).click()")


def keep_pictures(tab, name):
    """At a desk and a phone, light and dark."""
    for width, height in (1280, 800), (390, 844):
        tab.resize(width, height)
        for scheme in "light", "dark":
            tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            tab.run("new Promise(drawn => setTimeout(drawn, 600))")
            assert tab.run("document.documentElement.scrollWidth <= innerWidth"), (name, width)
            assert not tab.run(OVERLAPS), (name, width, tab.run(OVERLAPS))
            if PICTURES:
                tab.picture(f"{PICTURES}/{name}-{width}-{scheme}.png")
    tab.resize(1280, 800)


def word(tab):
    return tab.run(TEXT.format("word"))


def centre(tab, what):
    return tab.run(f"(box => [box.x + box.width / 2, box.y + box.height / 2])(document.querySelector({json.dumps(what)}).getBoundingClientRect())")


def lead_trial(tab, program, log):
    tab.open(program.url)
    tab.wait_for("document.getElementById('session') && !document.getElementById('session').hidden")
    assert tab.run("document.getElementById('go').disabled") # no consent yet
    assert word(tab) == "CONSENT"
    tab.wait_for("!document.getElementById('video').hidden && document.getElementById('video').naturalWidth > 100") # it has looked once by itself
    assert tab.run("document.getElementById('no-image').hidden")
    click(tab, "[data-line=consent]")
    tab.wait_for("document.getElementById('consent').hidden")
    tab.wait_for("document.querySelectorAll('#things .wrong').length == 1")
    assert "blue ball: move it" in tab.run("document.querySelector('#things .wrong').textContent")
    assert "1 of 3 not yet right" in tab.run(TEXT.format("scene-note"))
    assert word(tab) == "NOT YET"
    assert tab.run("document.getElementById('go').disabled") # the scene is not right
    # The arrow begins in the blue ball and ends where it belongs: at (0, 0.4) m, right of the red ball for a camera that looks along -x
    assert tab.run("document.querySelectorAll('#marks line').length") == 1
    line = tab.run("(line => ['x1', 'y1', 'x2', 'y2'].map(at => Number(line.getAttribute(at))))(document.querySelector('#marks line'))")
    assert abs(line[2] - 169) < 6 and abs(line[3] - 90) < 12, line # 0.4 m at 1.94 m, 231 px: 48 px right of the middle (120, 90)
    keep_pictures(tab, "scene")
    print("turn 90", file=program.process.stdin, flush=True) # a hand would do it
    tab.wait_for("document.querySelectorAll('#things .right').length == 3")
    assert word(tab) == "READY"
    tab.press(" ")
    tab.wait_for(TEXT.format("place") + ".endsWith('running')")
    assert word(tab) == "RUNNING"
    tab.press("b")
    tab.run("document.querySelector('[data-word=said] input').value = 'hand me the ball to the left of the red ball'")
    click(tab, "[data-word=said] button")
    tab.wait_for("!document.getElementById('reply-panel').hidden && document.getElementById('robot').textContent.length > 5")
    assert "hand me the ball" in tab.run(TEXT.format("heard"))
    tab.wait_for("document.querySelector('[data-pick=green_ball]') !== null")
    keep_pictures(tab, "running")
    click(tab, "[data-pick=green_ball]")
    tab.run("[...document.querySelectorAll('#marks g')].find(g => g.textContent == 'blue ball').querySelector('rect').dispatchEvent(new MouseEvent('click'))")
    tab.run("new Promise(drawn => setTimeout(drawn, 800))")
    tab.wait_for("fetch('study').then(reply => reply.json()).then(told => told.state.state === 'running')")
    assert_participant_knows_little(tab, program)
    tab.open(program.url)
    tab.wait_for("document.getElementById('place')?.textContent.endsWith('running')")
    tab.press(" ")
    tab.wait_for(TEXT.format("place") + ".includes('Trial 2')")
    events = query(log, "SELECT kind, text FROM events WHERE by = 'page' ORDER BY id")
    assert events == [("start", ""), ("mark", "b"), ("said", "hand me the ball to the left of the red ball"), ("pick", "green_ball"),
                      ("pick", "blue_ball"), ("stop", "")], events


def assert_participant_knows_little(tab, program):
    """The task, and nothing of conditions, scenes or the robot's reading."""
    tab.open(program.url.replace("study.html", "participant.html"))
    tab.wait_for("document.getElementById('heading') && document.getElementById('words') && (document.getElementById('heading').textContent.startsWith('get the ball') || document.getElementById('words').textContent.startsWith('hand me'))")
    told = tab.run("fetch('participant').then(reply => reply.text())") + tab.run("document.body.textContent")
    assert not any(word in told for word in ("opposite", "beside", "P01", "condition", "right", "nonce", "reading")), told
    keep_pictures(tab, "participant")


def assert_others_cannot_post(program, log):
    """Without the nonce, which pages of others cannot read."""
    before = query(log, "SELECT count(*) FROM trials")
    for body in b"start", b" start", b"0" * 32 + b" start":
        try:
            urllib.request.urlopen(program.url.replace("study.html", "study"), data=body)
            raise AssertionError(body)
        except urllib.error.HTTPError as error:
            assert error.code == 403, error
    assert query(log, "SELECT count(*) FROM trials") == before


def rate_trial(tab, program, log):
    tab.open(program.url)
    tab.wait_for("document.getElementById('rating') && !document.getElementById('rating').hidden")
    told = tab.run("fetch('study').then(reply => reply.text())")
    assert not any(word in told for word in ("opposite", "beside", "P01", "egocentric", "addressee", "position")), told[:400]
    assert tab.run("document.getElementById('still').naturalWidth") > 100
    keep_pictures(tab, "rate")
    tab.press("1")
    tab.wait_for("document.getElementById('rating').hidden")
    assert program.process.wait() == 0
    assert query(log, "SELECT rater, label FROM ratings") == [("r1", "camera")]


def main():
    if not chromium.PROGRAM:
        print("skipped: no chromium")
        sys.exit(77)
    with folder() as scratch, chromium.Chromium(1280, 800) as tab:
        where = pathlib.Path(scratch)
        station, protocol, log = make_station(where), make_protocol(where), where / "log"
        program = Program("run", station, protocol, "--log", log, "--participant", "P01")
        lead_trial(tab, program, log)
        assert_others_cannot_post(program, log)
        program.end()
        program = Program("rate", log, "--rater", "r1")
        rate_trial(tab, program, log)
        assert not tab.complaints(), tab.complaints()
        assert all(url.startswith(("http://127.0.0.1:", "data:", "about:")) for url in tab.addresses())
    print("a trial was led and labelled by the page")


if __name__ == "__main__":
    main()
