#!/usr/bin/python3
"""COMFORT's Figures 13 to 17: which figure a set and prompt give, its rows of models, and the references, against directions worked out by hand.
Figure 8 by region: values, weights and coverage from CLDR's own XML."""
import csv
import math
import os
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree

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


CLDR = pathlib.Path("/usr/share/unicode/cldr/common")
LANGUAGES = {"Swahili": "sw", "Hausa": "ha", "English": "en", "Finnish": "fi", "Greek": "el", "Hebrew": "he", "Tamil": "ta"}


def speakers_by_region():
    """{region: {language: speakers}}, by the names of M49."""
    root = xml.etree.ElementTree.parse(CLDR / "supplemental/supplementalData.xml").getroot()
    names = {t.get("type"): t.text for t in xml.etree.ElementTree.parse(CLDR / "main/en.xml").getroot().find(".//territories") if not t.get("alt")}
    of = {territory: names[group.get("type")] for group in root.find("territoryContainment") if not group.get("status") and not group.get("grouping")
          for territory in group.get("contains").split() if territory.isalpha() and group.get("type") != "001"}
    found = {}
    for territory in root.find("territoryInfo"):
        for spoken in territory if territory.get("type") in of else ():
            region, language = found.setdefault(of[territory.get("type")], {}), spoken.get("type").split("_")[0]
            region[language] = region.get(language, 0) + float(territory.get("population")) * float(spoken.get("populationPercent")) / 100
    return found


def write_languages(path, languages):
    """The n-th language is n tenths of the way from the camera's to the relatum's frame; the relatum faces left."""
    with open(path, "w", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow(["model", "language", "scene", "variant", "prompt", "relation", "phi_deg", "p_yes", "relatum_facing"])
        for i, language in enumerate(languages):
            for relation, at in RELATIONS.items():
                for phi in range(0, 360, 10):
                    own = cosine(phi - at - 270)
                    out.writerow(["mine", LANGUAGES[language], "one", "default", "nop", relation, phi,
                                  (1 - i / 4) * cosine(phi - at) + i / 4 * own, "left"])


def rows_of(folder, name):
    return [row for path in sorted(folder.glob(f"comfort_{name}_mine*.csv")) for row in csv.DictReader(open(path, encoding="utf-8"))]


def regions_are_weighted_by_speakers(where, languages):
    write_languages(where / "l.csv", languages)
    subprocess.run([POV, "report", where / "l.csv", "--out", where / "l.html", "--figures", where / "l", "--resamples", "100"], check=True,
                   stdout=subprocess.DEVNULL)
    methods, known = (where / "l/methods.txt").read_text(), speakers_by_region() if CLDR.exists() else {}
    rows = {re.match("[^:]+", row["row"])[0]: row for row in rows_of(where / "l", "figure8_regions")}
    if not rows:
        assert "built without Unicode CLDR" in methods
        return 0
    assert "Unicode CLDR" in methods and "World Factbook" in methods and set(rows) == set(known), set(rows) ^ set(known)
    eps = {}
    for row in rows_of(where / "l", "figure8"):
        eps.setdefault(row["row"].split(":")[0], {})[row["series"]] = float(row["mean"])
    # Relative: the camera's, in the convention of each language's speakers.
    gain = {name: eps[name][{"Hausa": "ego. tran.", "Tamil": "ego. rot."}.get(name, "ego. refl.")] - eps[name]["intrinsic"] for name in languages}
    values = [float(row["mean"]) for row in rows.values() if row["mean"]]
    assert values == sorted(values, reverse=True)
    for region, row in rows.items():
        told = known[region]
        top = sorted((name for name in languages if told.get(LANGUAGES[name])), key=lambda name: -told[LANGUAGES[name]])[:3]
        weights = [told[LANGUAGES[name]] for name in top]
        if not top:
            assert row["mean"] == "" and row["row"] == f"{region}: not covered: none of its languages was asked", row
            continue
        assert abs(float(row["mean"]) - sum(w * gain[name] for w, name in zip(weights, top)) / sum(weights)) < 1e-9, (row, top, weights)
        shares = [float(share) for share in re.findall(r"([\d.e-]+)\u00a0%", row["row"])]
        for share, expected in zip(shares, [*(w / sum(weights) for w in weights), sum(weights) / sum(told.values())], strict=True):
            assert abs(share - 100 * expected) <= max(0.5, 0.06 * share), (row, expected)
        assert re.findall(r"(\w+) [\d.e-]+\u00a0%", row["row"].split(": ", 1)[1])[:len(top)] == top, (row, top)
    return sum(not row["mean"] for row in rows.values())


with tempfile.TemporaryDirectory() as scratch:
    where = pathlib.Path(scratch)
    regions_are_weighted_by_speakers(where, ["English", "Hausa", "Tamil", "Swahili"])
    for path in (where / "l").iterdir():
        path.unlink()
    assert regions_are_weighted_by_speakers(where, ["Finnish", "Greek", "Hebrew"]) > 3 or not CLDR.exists()
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
