#!/usr/bin/python3
"""pov enrol --by-hand: a person turns to and fro and lets go now and then; what was not seen is named. The turntable is not in
the middle of the table, and nobody says where."""
import json
import math
import os
import pathlib
import subprocess
import tempfile

POV = os.environ["POV"]
STEPS = 24

WORLD = f"""camera: {{size_px: [640, 480], field_of_view_deg: 40, position_m: [0.85, -0.05, 0.7], look_at_m: [0.1, -0.05, 0.02]}}
surface: {{size_m: [1, 1], color: "#c9a678"}}
turntable: {{position_m: [0.1, -0.05], radius_m: 0.2, height_m: 0.02, color: "#4f9a52"}}
motion: {{steps: {STEPS}, period_s: 20}}
tags:
  family: tag36h11
  edge_m: 0.06
  lying: [{{id: 0, position_m: [0.3, -0.27]}}, {{id: 1, position_m: [0.3, 0.17]}}, {{id: 2, position_m: [-0.1, 0.2]}}, {{id: 3, position_m: [-0.1, -0.3]}}]
  ring: {{first_id: 20, count: 8, edge_m: 0.04, radius_m: 0.16}}
things:
  - {{id: duck, class: rubber duck, position_m: [0.1, -0.05], on: turntable, size_m: 0.1, front_deg: 0}}
variants:
  - {{name: two, things: [{{id: duck, position_m: [0.16, 0.02]}}, {{id: other, class: rubber duck, position_m: [0.04, -0.1], on: turntable,
     size_m: 0.1, front_deg: 120}}]}}
  - {{name: empty, remove: [duck], things: [{{id: pen, position_m: [-0.35, 0.4], size_m: 0.05}}]}}
"""


def pov(*arguments, code=0):
    done = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


def seen(folder, turn, stops):
    """A station whose camera saw these stops, two images each, and one of the table moving in between."""
    (folder / "images").mkdir(parents=True)
    for name in ("camera.yaml", "tags.yaml"):
        (folder / name).symlink_to(turn / name)
    shots = [shot for stop in stops for shot in (stop + 1, stop, stop)]
    for i, shot in enumerate(shots):
        (folder / "images" / f"{i:04d}.png").symlink_to(turn / "images" / f"simulated_{shot % STEPS:04d}.png")
    (folder / "station.yaml").write_text("camera: {source: folder, folder: {path: images}, calibration: camera.yaml}\n"
                                         "tags: {map: tags.yaml}\ncast: []\n")
    return folder / "station.yaml"


def find_two_of_a_make(folder, world):
    """They are numbered from left to right, which is towards +y as this camera looks."""
    pov("sim", world, "--variant", "two", "--images", 1, "--out", folder / "two", "--quiet", "--bodies", "own")
    truth = {e["id"]: e["pos_m"] for e in json.loads((folder / "two/truth.jsonl").read_text())["scene"]["entities"]}
    ducks = "{id: NAME, class: rubber duck, found_by: enrolled, enrolled: {model: ../duck.pov, stands_on_m: 0.02, count: 2}}"
    station = folder / "two/ducks.yaml"
    head = "camera: {source: folder, folder: {path: images}, calibration: camera.yaml}\ntags: {map: tags.yaml}\n"
    station.write_text(f"{head}cast:\n  - {ducks.replace('NAME', 'duck')}\n")
    told = {e["id"]: e["pos_m"] for e in json.loads(pov("run", station, "--json", "--no-publish"))["scene"]["entities"]}
    for name, true in (("duck_1", "other"), ("duck_2", "duck")):
        assert math.dist(told[name][:2], truth[true][:2]) < 0.004, (told, truth)
    station.write_text(f"{head}cast:\n  - {ducks.replace('NAME', 'one')}\n  - {ducks.replace('NAME', 'another')}\n")
    complaint = pov("run", station, "--no-publish", code=1)
    assert "ducks.yaml:5" in complaint and "count: 2" in complaint, complaint


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        world = folder / "world.yaml"
        world.write_text(WORLD)
        pov("sim", world, "--out", folder / "turn", "--quiet", "--bodies", "own")
        pov("sim", world, "--variant", "empty", "--images", 1, "--out", folder / "empty", "--quiet", "--bodies", "own")
        how = ["--by-hand", "--empty", folder / "empty/images/simulated_0000.png", "--top", 0.02, "--room", 0.2, "--angles", 12,
               "--front", 0, "--json", "--out", folder / "duck.pov"]
        to_and_fro = [0, 1, 2, 3, 5, 6, 5, 4, 8, 9, 11, 10, 13, 14, 15, 17, 16, 19, 20, 21, 23, 22, 18, 12, 7]
        learnt = json.loads(pov("enrol", "duck", "--station", seen(folder / "round", folder / "turn", to_and_fro), *how))
        print(learnt["station_turn_error_deg"], learnt["station_place_error_m"], learnt["height_m"])
        angles = [view["angle_deg"] for view in learnt["trial"]]
        assert max(abs(a - 360 / STEPS * round(a / 360 * STEPS)) for a in angles) < 0.05, angles
        assert 20 <= 2 * learnt["views"] <= STEPS, learnt
        assert learnt["station_turn_error_deg"] < 1 and learnt["station_place_error_m"] < 1e-3, learnt
        assert abs(learnt["height_m"] - 0.1) < 0.02, learnt

        find_two_of_a_make(folder, world)

        (folder / "duck.pov").unlink()
        missing = pov("enrol", "duck", "--station", seen(folder / "part", folder / "turn", range(0, 17)), *how, code=1)
        assert "from 240 to 360 degrees" in missing, missing
        assert not (folder / "duck.pov").exists()


main()
