#!/usr/bin/python3
"""A visitor's way through `pov demo`'s dashboard in ten steps, as pictures to be looked at: light, dark, and on a phone.

Usage: tour.py POV FOLDER"""
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import chromium  # noqa: E402

TAKEN = "+(document.getElementById('counters')?.textContent.match(/image (\\d+)/) ?? [0, 0])[1]"
DISAGREE = f"({TAKEN}) > 11 && document.getElementById('agreement').textContent.includes('disagree')"


def start(pov, folder, pace_s=1.2):
    """A demo as from a terminal, which keeps its dashboard until Enter, and the dashboard's address."""
    terminal, its_end = pty.openpty()
    process = subprocess.Popen([pov, "demo", "--out", folder, "--dashboard", "0", "--no-browser", "--pace", str(pace_s)],
                               stdin=its_end, stdout=its_end, stderr=its_end)
    told = b""
    while not (found := re.search(rb"browser: (http://[^\s]+)", told)):
        told += os.read(terminal, 4096)
    threading.Thread(target=lambda: [None for _ in iter(lambda: os.read(terminal, 4096), b"")], daemon=True).start()
    return process, terminal, found[1].decode()


class Tour:
    def __init__(self, tab, folder):
        self.tab, self.folder, self.number = tab, pathlib.Path(folder), 0

    def take(self, name, wait_s=0.8):
        time.sleep(wait_s)
        self.number += 1
        path = self.folder / f"{self.number:02}_{name}.png"
        self.tab.picture(path)
        print(path, flush=True)

    def at(self, image):
        self.tab.wait_for(f"{TAKEN} >= {image}", 300)


def main(pov, folder):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as demo, chromium.Chromium() as tab:
        process, terminal, url = start(pov, demo)
        tour = Tour(tab, folder)
        tab.theme("light")
        tab.open(url)
        tab.wait_for("document.getElementById('connection')?.className === 'live'")
        tour.take("opened", 0.3)
        tour.at(5)
        tour.take("turning")
        tab.wait_for(DISAGREE, 300)
        tour.take("the_model_is_wrong", 0)
        tab.press("ArrowUp")
        tour.take("regions_of_the_camera")
        tab.press("3")
        tour.take("from_above_large")
        tab.press("Escape")
        tab.press("2")
        tour.take("through_her_eyes_large")
        tab.press("Escape")
        tab.press("?")
        tour.take("help")
        tab.press("Escape")
        tab.theme("dark")
        tour.at(24)
        tour.take("dark")
        tab.resize(390, 844, 2, True)
        tour.take("phone_dark")
        tab.theme("light")
        tab.run("document.getElementById('question-panel').scrollIntoView()")
        tour.take("phone_question")
        tab.resize(1280, 720)
        tab.run("scrollTo(0, 0)")
        tab.wait_for("!document.getElementById('report').hidden", 300)
        tour.take("done")
        tab.press("4")
        tour.take("curves_large")
        tab.open(url + "report")
        tour.take("report", 2)
        os.write(terminal, b"\n")
        process.wait(300)


if __name__ == "__main__":
    main(*sys.argv[1:])
