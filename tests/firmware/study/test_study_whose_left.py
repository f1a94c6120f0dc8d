#!/usr/bin/python3
"""The pilot of docs/STUDY.md with 12 simulated participants in two places, who say left in every form: the table of frame and viewer in
trials.csv is what they meant, worked out from the scene's geometry; the lines of R and pandas in docs/STUDY.md run as they stand."""
import collections
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "sweep"), str(pathlib.Path(__file__).parent)]
from sweep_peer import folder, pov
from test_study import Session, make_station, read_table

PARTICIPANTS = 6
BALLS = {"red_ball": (0, 0), "blue_ball": (0, 0.4), "green_ball": (0, -0.4)}
# Where somebody is, and the direction of that one's left: the camera looks along -x, so that its left is -y.
CAMERA = (1.6, 0), (0, -1)
PLACES = {"opposite": ((-0.9, 0), (0, 1)), "beside": ((1.5, 0.5), (0, -1))}
POSES = {"opposite": "{id: anna, at_m: [-0.9, 0], front_deg: 0}", "beside": "{id: anna, at_m: [1.5, 0.5], front_deg: 180}"}
FORMS = {"left": ["give me the left ball"], "leftmost": ["hand me the leftmost ball"], "edge": ["the ball on the left, please"],
         "own": ["give me the ball on my left"], "your": ["give me the ball on your left"],
         "mine": ["give me the left ball", "from my side"], "side": ["give me the ball on the left from my side"],
         "goal": ["put the red ball to the left of the blue ball for me"]}


def leftmost(place):
    """By the bearing: the most to the left of straight ahead."""
    (x, y), (_, left) = place
    return max(BALLS, key=lambda ball: left * (BALLS[ball][1] - y) / abs(BALLS[ball][0] - x))


def frames_of(condition, form, meant):
    """The pairs of frame and viewer in which the words mean the thing."""
    viewers = {"camera": CAMERA, "anna": PLACES[condition]}
    fixed = {"own": ("intrinsic", "anna"), "your": ("intrinsic", "camera"), "mine": ("addressee", "anna"),
             "side": ("addressee", "anna"), "goal": ("addressee", "anna")}
    if form in fixed:
        return {fixed[form]}
    frames = {("egocentric", "camera"), ("addressee", "anna")}
    return {(frame, viewer) for frame, viewer in frames if leftmost(viewers[viewer]) == meant}


def make_protocol(where):
    trials = "".join(f"  - {{id: {form}, scene: row, show: get a ball{', target: red_ball' if form == 'goal' else ''}}}\n" for form in FORMS)
    path = where / "whose_left.yaml"
    conditions = ", ".join(f"{{id: {c}, poses: [{POSES[c]}]}}" for c in PLACES)
    path.write_text(f"about: whose left\nparticipants: {PARTICIPANTS}\nconsent: Yes.\nconditions: [{conditions}]\n"
                    "order: {seed: 3}\nlearning: false\n"
                    "scenes: [{id: row, things: [{id: red_ball, at_m: [0, 0]}, {id: blue_ball, at_m: [0, 0.4]}, {id: green_ball}]}]\n"
                    f"trials:\n{trials}")
    return path


def lead(session, chance, put_in):
    """All trials of one participant, who means the robot's left or the own."""
    session.tell("consent", "kept")
    while session.state["state"] != "finished":
        session.tell("turn 90", "things")
        condition, form = session.state["condition"], session.state["trial"]
        is_robots = form == "your" or (form in ("left", "leftmost", "edge") and chance.random() < 0.4)
        meant = "red_ball" if form == "goal" else leftmost(CAMERA if is_robots else PLACES[condition])
        place = session.state["participant"], session.state["position"]
        put_in[place] = frames_of(condition, form, meant)
        session.tell("start", "kept")
        for words in FORMS[form]:
            reply = session.tell(f"said {words}", "kept")[-1]["reading"]
            assert isinstance(reply["image"]["capture_ns"], int), reply["image"]
        session.tell(f"pick {meant}", "kept")
        session.state = session.tell("stop", "state")[-1]
    assert session.end()[0] == 0


def block(language):
    """The lines of docs/STUDY.md in a language."""
    text = pathlib.Path(os.environ["POV_SOURCE"], "docs/STUDY.md").read_text("utf-8")
    return re.search(rf"```{language}\n(.*?)```", text, re.S)[1]


def assert_documented_lines(where, found):
    result = subprocess.run(["/usr/bin/python3", "-c", block("python") + "\nprint(len(trials))"], cwd=where, text=True, capture_output=True)
    if "No module named" in result.stderr:
        print("without pandas: apt install python3-pandas")
    else:
        assert result.returncode == 0 and int(result.stdout) == sum(found.values()), result.stderr
    if not shutil.which("Rscript"):
        print("without R: apt install r-base-core r-cran-lme4")
        return
    (where / "lines.r").write_text(block("r"))
    result = subprocess.run(["Rscript", "lines.r"], cwd=where, text=True, capture_output=True)
    if "there is no package called" in result.stderr:
        print("without lme4: apt install r-cran-lme4")
        return
    assert result.returncode == 0, result.stderr
    modelled = int(re.search(r"Number of obs: (\d+)", result.stdout)[1])
    assert modelled == sum(n for (_, _, viewer), n in found.items() if viewer not in ("", "several")), result.stdout


def main():
    with folder() as scratch:
        where = pathlib.Path(scratch)
        station, protocol, log, tables = make_station(where), make_protocol(where), where / "log", where / "tables"
        put_in, found = {}, collections.Counter()
        for number in range(1, PARTICIPANTS + 1):
            lead(Session(station, protocol, log, f"P{number:02}"), random.Random(number), put_in)
        pov("study", "export", log, "--out", tables, "--json")
        for row in read_table(tables / "trials.csv"):
            frames = put_in[row["participant"], int(row["position"])]
            told = {tuple(name.split(":")) for name in row["frames"].split("|") if name}
            assert told == frames, (row["condition"], row["trial"], row["said"], row["pick"], told, frames)
            names, viewers = {frame for frame, _ in frames}, {viewer for _, viewer in frames}
            assert row["frame"] == (names.pop() if len(names) == 1 else "several"), row
            assert row["viewer"] == (viewers.pop() if len(viewers) == 1 else "several"), row
            found[row["condition"], row["frame"], row["viewer"]] += 1
        assert sum(found.values()) == PARTICIPANTS * len(PLACES) * len(FORMS), found
        replies = read_table(tables / "replies.csv")
        assert len(replies) == PARTICIPANTS * len(PLACES) * sum(map(len, FORMS.values()))
        assert all(row["said"] and float(row["ms"]) > 0 and row["asked_back"] in "01" for row in replies)
        assert all(row["at_ns"].isdigit() for row in replies + read_table(tables / "events.csv"))
        assert_documented_lines(where, found)
        for key, count in sorted(found.items()):
            print(*key, count)


if __name__ == "__main__":
    main()
