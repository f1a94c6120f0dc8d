#!/usr/bin/python3
"""pov demo --study: whose left each simulated participant meant, by hand: the blue ball stands at the left of who sits opposite the camera, so
at the camera's right. pov demo --robot: the goal that a simulated robot hears is at the camera's left of the blue ball, which stands at the
origin; before a lone camera at +x that is negative y."""
import csv
import os
import pathlib
import re
import subprocess
import tempfile

POV = os.environ["POV"]


def demo(*arguments, **environment):
    return subprocess.run([POV, "demo", *arguments], capture_output=True, text=True, env={**os.environ, **environment}, timeout=240)


def check_study(folder):
    for _ in range(2):  # the second leaves no participant of the first
        done = demo("--study", "--out", folder)
        assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((folder / "study/tables/trials.csv").open(encoding="utf-8")))
    meant = {(row["participant"], row["trial"]): (row["meant"], row["frame"], row["viewer"]) for row in rows}
    assert meant == {("P01", "told"): ("green_ball", "egocentric", "camera"), ("P01", "free"): ("blue_ball", "egocentric", "camera"),
                     ("P02", "told"): ("blue_ball", "addressee", "anna"), ("P02", "free"): ("blue_ball", "intrinsic", "anna")}, meant
    assert all(row["outcome"] == "done" and row["scene_right"] == "1" for row in rows), rows
    assert "imulated" in (folder / "study/report.html").read_text(encoding="utf-8")


def check_robot(folder):
    done = demo("--robot", "--out", folder, ROS_LOCALHOST_ONLY="1", ROS_DOMAIN_ID=str(101 + os.getpid() % 100))
    if "without ROS 2" in done.stderr or "built without" in done.stderr:
        assert done.returncode == 1
        return
    assert done.returncode == 0, done.stdout + done.stderr
    x, y, z = map(float, re.search(r"The robot heard it .*: \((\S+), (\S+), (\S+)\) m", done.stdout).groups())
    assert y < -0.2 and abs(x) < -y / 2 and abs(z - 0.1) < 0.02, (x, y, z)
    assert re.search(r"\d nodes: .*/pov\b", done.stdout) and "/head/image/compressed" in done.stdout, done.stdout


def main():
    with tempfile.TemporaryDirectory() as name:
        check_study(pathlib.Path(name))
        check_robot(pathlib.Path(name))
    for arguments in (("--study", "--robot"), ("--experiment", "--cameras", "2"), ("--study", "--images", "3")):
        wrong = demo(*arguments)
        assert wrong.returncode == 2 and ("exclude" in wrong.stderr or "alone" in wrong.stderr), wrong


if __name__ == "__main__":
    main()
