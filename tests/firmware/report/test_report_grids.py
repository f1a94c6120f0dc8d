#!/usr/bin/python3
"""COMFORT's Figures 13 to 17: which figure a set and prompt give, its rows of models, and the references, against directions worked out by hand."""
import csv
import math
import os
import pathlib
import subprocess
import tempfile

POV = os.environ["POV"]
RELATIONS = {"left": 270, "right": 90, "front": 0, "behind": 180} # where each holds best for the camera, reflected
NAMES = {"left": "left", "right": "right", "front": "in front", "behind": "behind"}
MODELS = ["a", "b", "c", "d"]


def cosine(angle_deg):
    return (1 + math.cos(math.radians(angle_deg))) / 2


def write_answers(path):
    """Model a follows the camera's axes, each next one 30 degrees further on; two relata, one facing left, one right."""
    with open(path, "w", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow(["model", "scene", "variant", "prompt", "relation", "phi_deg", "p_yes", "relatum_facing"])
        for i, model in enumerate(MODELS):
            for scene, facing, prompts in ("ball", "", ["cam", "nop"]), ("one", "left", ["nop", "cam", "add", "rel"]), \
                    ("two", "right", ["nop", "cam", "add", "rel"]):
                for prompt in prompts:
                    for relation, at in RELATIONS.items():
                        for phi in range(0, 360, 10):
                            out.writerow([model, scene, "default", prompt, relation, phi, 0.3 + 0.4 * cosine(phi - at - 30 * i), facing])


def lines_of(path):
    """[panel][series] = {angle: value}"""
    found = {}
    for row in csv.DictReader(open(path, encoding="utf-8")):
        found.setdefault(row["panel"], {}).setdefault(row["series"], {})[round(float(row["angle_deg"]))] = float(row["value"])
    return found


def assert_peak(line, at, what):
    for angle, value in line.items():
        assert abs(value - cosine(angle - at)) < 1e-6, (what, angle, value, cosine(angle - at))


with tempfile.TemporaryDirectory() as scratch:
    where = pathlib.Path(scratch)
    write_answers(where / "a.csv")
    subprocess.run([POV, "report", where / "a.csv", "--out", where / "r.html", "--figures", where / "f", "--resamples", "100"], check=True,
                   stdout=subprocess.DEVNULL)
    made = {path.stem for path in (where / "f").glob("comfort_figure1[3-7]*.csv")}
    assert made == {f"comfort_figure{n}_en_{part}" for n in range(13, 18) for part in (1, 2)}, made
    ball = lines_of(where / "f/comfort_figure13_en_1.csv")
    assert len(ball) == 12, list(ball) # three models, four relations; the fourth is in the second part
    assert len(lines_of(where / "f/comfort_figure13_en_2.csv")) == 4
    for panel, series in ball.items():
        assert set(series) == {"the camera's (cos θ + 1) / 2", "P(yes)", "P(yes), stretched to 0..1"}, series.keys()
        assert_peak(series["the camera's (cos θ + 1) / 2"], 0, panel)
    # The woman stands at the camera's left and faces right. Her left is away from the camera (180), reflected "in front" toward her (270). The
    # relatum's left is toward the camera (0) if it faces left, its front where it faces: where it faces left, the two fronts are one, so the
    # other relatum is drawn.
    peaks = {"left": (180 - 270, 0 - 270), "right": (0 - 90, 180 - 90), "front": (270 - 0, 90 - 0), "behind": (90 - 180, 270 - 180)}
    for number in range(14, 18):
        car = lines_of(where / f"f/comfort_figure{number}_en_1.csv")
        for relation, (addressee, relatum) in peaks.items():
            series = car[f"a: {NAMES[relation]}"]
            assert_peak(series["the camera's (cos θ + 1) / 2"], 0, relation)
            assert_peak(series["the addressee's"], addressee, relation)
            assert_peak(series["the relatum's"], relatum, relation)
            assert_peak(series["P(yes), stretched to 0..1"], 0, relation) # the model is the camera's
            assert abs(series["P(yes)"][0] - 0.7) < 1e-6
            assert_peak(car[f"b: {NAMES[relation]}"]["P(yes), stretched to 0..1"], 30, relation)
    page = (where / "r.html").read_text()
    assert all(f"Figure {n}" in page for n in range(13, 18))
print("the grids are the paper's")
