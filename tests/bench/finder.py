#!/usr/bin/python3
"""How well `found_by: enrolled` finds six objects together on a simulated table: among clutter, partly hidden, under other light.

finder.py POV [--scenes N] [--seed S] [--half] [--absent] [--keep FOLDER]

The objects are enrolled at the simulated station (pov enrol --station), then set down anew in each scene at any place and turn,
with other things about and some of them before the objects. How much of each is hidden is counted in pixels by the
simulator. Places and headings are held against the truth; objects that look alike from several sides have any of these right.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from enrolled_objects import CAMERA, CLUTTER, OBJECTS, apart, draw_empty, enrol, hidden_share, is_placed, run, thing  # noqa: E402

ABSENT = 1 / 3  # of the objects, with --absent
# Things that stand before objects: before how many, how wide and how far aside by the object's radius, how much higher than the line of sight
BEFORE = {"some": (0.6, (0.8, 2.2), 0.8, (0, 1.6)), "half": (1, (1.4, 2.4), 0.5, (0.3, 1.1))}
BINS = [(0, -0.01, 0.05), (30, 0.2, 0.4), (60, 0.5, 0.65)]


def somewhere(rng, places, radius):
    for _ in range(2000):
        x, y = rng.uniform(-0.42, 0.32), rng.uniform(-0.45, 0.45)
        if apart(places, x, y, radius):
            return x, y
    return None


def scene(rng, hidden, options):
    """Text of a world. Each object may have something before it, seen from the camera."""
    places, lines = [], []
    here = {name: it for name, it in OBJECTS.items() if rng.random() > ABSENT} if options.absent else OBJECTS
    for name, (body, size, look, has_front, _) in here.items():
        place = somewhere(rng, places, 0.55 * size)
        if not place:
            return None
        x, y = place
        places.append((x, y, 0.5 * size))
        lines.append(thing(name, body, size, look, x, y, rng.uniform(0, 360), has_front))
    if hidden:
        share, (narrow, broad), off, (low, top) = BEFORE["half" if options.half else "some"]
        for name, (x, y, radius) in zip(here, list(places)):
            if rng.random() < share:
                toward, wide = math.atan2(-y, 1.05 - x), rng.uniform(narrow, broad) * radius
                aside, away = rng.uniform(-off, off) * radius, radius + 0.03
                high = 1.2 * away / (1.05 - x) + rng.uniform(low, top) * radius  # what is seen past it, from 1.2 m above
                a, b = x + away * math.cos(toward) - aside * math.sin(toward), y + away * math.sin(toward) + aside * math.cos(toward)
                if apart([p for p in places if p[:2] != (x, y)], a, b, 0.5 * wide):
                    places.append((a, b, 0.5 * wide))
                    color = "#%06x" % rng.randrange(1 << 24)
                    lines.append(f'  - {{id: before_{name}, class: box, position_m: [{a:.4f}, {b:.4f}], '
                                 f'size_m: [0.03, {wide:.4f}, {high:.4f}], yaw_deg: {math.degrees(toward):.2f}, color: "{color}"}}\n')
    for i in range(rng.randrange(4, 9)):
        size = rng.uniform(0.06, 0.16)
        place = somewhere(rng, places, 0.5 * size)
        if place:
            places.append((*place, 0.5 * size))
            lines.append(f"  - {{id: clutter_{i}, class: {rng.choice(CLUTTER)}, position_m: [{place[0]:.4f}, {place[1]:.4f}], "
                         f"size_m: {size:.3f}}}\n")
    tint = [rng.uniform(0.88, 1) for _ in range(3)]
    color = "#%02x%02x%02x" % tuple(int(255 * t) for t in tint)
    light = (f"lighting: {{lamp_m: [{rng.uniform(-1.5, 1.5):.2f}, {rng.uniform(-1.5, 1.5):.2f}, {rng.uniform(1.6, 3):.2f}], "
             f"lamp_radius_m: 0.15, lamp_strength: {rng.uniform(0.5, 1.05):.2f}, lamp_color: \"{color}\", "
             f"ambient: {rng.uniform(0.3, 0.6):.2f}, sky: \"#8f979e\"}}\n")
    sensor = rng.choice(["clean", "clean", "noisy"])
    return f"about: bench\nseed: {rng.randrange(1 << 20)}\nsensor: {{preset: {sensor}}}\n" + light + CAMERA + "things:\n" + "".join(lines)


def draw(pov, folder, i, options):
    rng = random.Random(options.seed * 100003 + i)
    text = None
    while text is None:
        text = scene(rng, options.half or i % 3 > 0, options)
    (folder / f"scene_{i:04d}.yaml").write_text(text)
    if not (options.again and (folder / f"scene_{i:04d}/truth.jsonl").exists()):
        run(pov, "sim", folder / f"scene_{i:04d}.yaml", "--out", folder / f"scene_{i:04d}", "--images", 1, "--quiet", "--bodies", "own")
    shutil.copy(folder / f"scene_{i:04d}/images/simulated_0000.png", folder / "images" / f"scene_{i:04d}.png")
    return json.loads((folder / f"scene_{i:04d}/truth.jsonl").read_text().splitlines()[0])


def median(values):
    return sorted(values)[len(values) // 2] if values else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pov")
    parser.add_argument("--scenes", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--half", action="store_true", help="something before each object that hides about half of it")
    parser.add_argument("--absent", action="store_true", help="a third of the objects are not there; how many of these are said to be?")
    parser.add_argument("--keep", help="a folder for images and models; enrolled objects there are used again")
    parser.add_argument("--again", action="store_true", help="the scenes in that folder, not new ones")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        measure(options, pathlib.Path(options.keep or temporary))


def station_of(folder):
    first = folder / "scene_0000"
    cast = "".join(f"  - {{id: {name}, class: {OBJECTS[name][0]}, found_by: enrolled, enrolled: {{model: ../{name}.pov}}}}\n"
                   for name in OBJECTS)
    path = first / "finding.yaml"
    path.write_text(f"camera: {{source: folder, folder: {{path: ../images}}, calibration: camera.yaml}}\ntags: {{map: tags.yaml}}\n"
                    f"cast:\n{cast}table_m: [-0.9, -0.9, 0.9, 0.9]\njudge: {{visibility: false, directions: false, pairs: [[car, duck]]}}\n")
    return path


def measure(options, folder):
    pov = os.path.abspath(options.pov)
    (folder / "images").mkdir(parents=True, exist_ok=True)
    for old in [] if options.again else (folder / "images").glob("*.png"):
        old.unlink()
    draw_empty(pov, folder)
    for name in OBJECTS:
        if not (folder / f"{name}.pov").exists():
            told = json.loads(enrol(pov, folder, name))
            print(f"enrolled {name:8} {told['bytes'] / 1000:.0f} kB, turn {told['station_turn_error_deg']:.2f} deg, place "
                  f"{told['station_place_error_m'] * 1e3:.1f} mm, {told['height_m'] * 1e3:.0f} mm high, symmetry {told['symmetry']}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        truths = list(pool.map(lambda i: draw(pov, folder, i, options), range(options.scenes)))
    lines = run(pov, "run", station_of(folder), "--json", "--no-publish").splitlines()
    judge(truths, [json.loads(line) for line in lines])


def rate(count, of):
    """A share in percent, with its 95 % interval (Wilson 1927)."""
    share, z2 = count / max(1, of), 1.96 ** 2 / max(1, of)
    middle, half = (share + z2 / 2) / (1 + z2), math.sqrt(z2 * (share * (1 - share) + z2 / 4)) / (1 + z2)
    return f"{100 * share:.1f} % ({100 * max(0, middle - half):.0f}-{100 * min(1, middle + half):.0f})"


def judge(truths, found):
    rows, false_alarms, absent, imagined = [], 0, 0, 0
    for truth, observation in zip(truths, found):
        here = {e["id"]: e for e in observation["scene"]["entities"]}
        for name in OBJECTS.keys() - {e["id"] for e in truth["scene"]["entities"]}:
            absent += 1
            imagined += is_placed(here[name])
            if os.environ.get("FINDER_MISSES") and is_placed(here[name]):
                print(name, "is not in", observation["image"]["name"])
        for true in truth["scene"]["entities"]:
            name = true["id"]
            if name not in OBJECTS:
                continue
            hidden, entity = hidden_share(truth, name), here[name]
            row = {"name": name, "image": observation["image"]["name"], "hidden": hidden, "found": False, "turn": None}
            if is_placed(entity):
                off = math.hypot(entity["pos_m"][0] - true["pos_m"][0], entity["pos_m"][1] - true["pos_m"][1])
                near = 0.5 * OBJECTS[name][1]  # half of its longest side
                row["found"], row["place"] = off < near, off
                false_alarms += off >= near
                if OBJECTS[name][3] and entity["headings"]:
                    best = max(entity["headings"], key=lambda mode: mode["weight"])
                    turn = abs(math.remainder(best["yaw_rad"] - true["heading_rad"], 2 * math.pi))
                    nearest = min(entity["headings"], key=lambda m: abs(math.remainder(m["yaw_rad"] - true["heading_rad"], 2 * math.pi)))
                    row["turn"] = math.degrees(turn)
                    row["within"] = abs(math.remainder(nearest["yaw_rad"] - true["heading_rad"], 2 * math.pi)) <= 2 / math.sqrt(max(nearest["kappa"], 1e-6))
                    row["std"] = math.degrees(1 / math.sqrt(max(best["kappa"], 1e-6)))
            rows.append(row)
    print(f"{len(truths)} scenes, {len(rows)} objects; said to be where they are not: {false_alarms}")
    if absent:
        print(f"{absent} that are not there; said to be: {imagined}, {rate(imagined, absent)}")
    print("hidden      objects  found (95 %)       place mm median/90%   turn deg median/90%   within 2 std   std median")
    for label, low, high in BINS:
        some = [r for r in rows if low <= r["hidden"] <= high]
        report(f"{label:3d} %", some)
    for name in OBJECTS:
        report(name, [r for r in rows if r["name"] == name and r["hidden"] < 0.65])
    for r in rows:
        if os.environ.get("FINDER_MISSES") and r["hidden"] <= 0.65 and (not r["found"] or (r["turn"] or 0) > 10):
            print(r)


def report(label, some):
    good = [r for r in some if r["found"]]
    places, turns = [1e3 * r["place"] for r in good], [r["turn"] for r in good if r["turn"] is not None]
    within = [r["within"] for r in good if r["turn"] is not None]
    q = lambda values, share: sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else math.nan
    print(f"{label:10} {len(some):7d}  {rate(len(good), len(some)):16} {q(places, .5):10.1f} {q(places, .9):8.1f} "
          f"{q(turns, .5):13.2f} {q(turns, .9):8.2f} {100 * sum(within) / max(1, len(within)):14.1f} % "
          f"{q([r['std'] for r in good if r['turn'] is not None], .5):10.2f}")


if __name__ == "__main__":
    main()
