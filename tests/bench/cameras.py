#!/usr/bin/python3
"""What several cameras add to one: simulated tables of balls, noisy images, the scene of 1, 2 and 4 cameras against the truth; then faults, one by one.

cameras.py POV [--tables N] [--images N] [--seed S] [--faults-only] [--keep FOLDER]

Each table has five balls, three of them on a turntable that turns, four cameras evenly around, poses from tags. Errors of seen balls: rms, and the mean
of the squared error over the claimed covariance, a coordinate (NEES / n: 1 is true, more is too sure), the share within the claimed 95.45 % region;
the same of each camera's own pose. Relations of pairs: abstentions, and those that are answered and wrong.

Faults: three cameras whose poses are given (to 3 mm, 0.2 degrees), of which b is moved, late, mirrored, dead or has another lens: what is told of it, and
the rms of the balls in the other cameras' images, beside that without the fault.
"""
import argparse
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import cv2
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import json  # noqa: E402

import enrolled_objects as objects  # noqa: E402
import truth  # noqa: E402

RATE_HZ, SETTLE = 20, 6  # images of each camera that are not counted: tracks begin
BALLS = {"red": "#d02818", "blue": "#2848d0", "yellow": "#e8c020", "green": "#28a040", "violet": "#8030b0"}
BALL_M, DISC_M = 0.07, 0.025
SIZE_STD = 0.01  # balls are drawn by as much larger or smaller as the station says
EDGE_STD = 0.07  # systematic error of rendered edges on rendered wood, at 640 x 360: with it one camera is as sure as it errs
WORLD = objects.CAMERA.replace("[1280, 720]", "[640, 360]") + objects.DISC + "motion: {steps: 160, period_s: 8}\n"
MOVED_M, MOVED_DEG, LATE, ZOOM = 0.03, 2, 2, 1.1  # LATE: images


def world_of(rng):
    places = []
    while len(places) < len(BALLS):
        on_disc = len(places) < 3
        angle, reach = rng.uniform(0, 2 * math.pi), rng.uniform(0.1, 0.3) if on_disc else rng.uniform(0.5, 0.58)
        place = (reach * math.cos(angle), reach * math.sin(angle))
        if all(math.dist(place, other) > 0.13 for other in places):
            places.append(place)
    sizes = {name: BALL_M * (1 + rng.gauss(0, SIZE_STD)) for name in BALLS}  # and with it the centre's height
    lines = "".join(f"  - {{id: {name}, class: red ball, position_m: [{x:.4f}, {y:.4f}], size_m: {sizes[name]:.5f}, color: \"{BALLS[name]}\""
                    f"{', on: turntable' if i < 3 else ''}}}\n" for i, (name, (x, y)) in enumerate(zip(BALLS, places)))
    return f"about: bench\nrate_hz: {RATE_HZ}\n" + WORLD + "things:\n" + lines


def cast():
    return "cast:\n" + "".join(
        f"  - {{id: {name}, class: ball, found_by: ball, ball: {{color: \"{color}\", radius_m: {BALL_M / 2}, radius_std_m: {SIZE_STD * BALL_M / 2:g}, edge_std_share: {EDGE_STD}, "
        f"center_height_m: {BALL_M / 2 + (DISC_M if i < 3 else 0)}, center_height_std_m: {SIZE_STD * BALL_M / 2:g}}}}}\n" for i, (name, color) in enumerate(BALLS.items()))


def draw(pov, folder, rng, images, cameras):
    (folder / "world.yaml").write_text(world_of(rng))
    objects.run(pov, "sim", folder / "world.yaml", "--cameras", cameras, "--images", images, "--sensor", "noisy", "--bodies", "own", "--out",
                folder / "drawn", "--quiet")
    return {camera: [json.loads(line) for line in (folder / "drawn" / camera / "truth.jsonl").read_text().splitlines()]
            for camera in "abcd"[:cameras]}


def station(folder, name, cameras, poses=None, has_tags=False):
    entries = "".join(f"  - {{id: {c}, source: folder, folder: {{path: {c}/images, rate_hz: {RATE_HZ}}}, calibration: {c}/camera.yaml"
                      f"{', pose: ' + poses[c] if poses else ''}}}\n" for c in cameras)
    path = folder / "drawn" / f"{name}.yaml"
    path.write_text(f"cameras:\n{entries}{'' if poses and not has_tags else 'tags: {map: a/tags.yaml, corner_std_px: 0.03}' + chr(10)}track: true\n{cast()}"
                    "judge: {visibility: false, directions: false}\n")
    return path


def follow(pov, path):
    done = subprocess.run([str(pov), "run", str(path), "--json", "--no-publish"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{path}:\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


# ---- against the truth ----

def nees(off, cov):
    """The squared error over the claimed, and in how many coordinates: those that are known exactly do not count."""
    values, vectors = np.linalg.eigh(cov)
    kept = values > 1e-6 * values[-1]
    return float(np.sum((vectors.T @ off)[kept] ** 2 / values[kept])), int(kept.sum())


REGION = {1: 4.0, 2: 6.180, 3: 8.025, 6: 12.849}  # of chi-square: 95.45 %


class Tally:
    def __init__(self):
        self.square, self.count, self.nees, self.freedom, self.within, self.tables = 0.0, 0, 0.0, 0, 0, {}

    def add(self, off, cov, table):
        distance, freedom = nees(off, cov)
        self.square += float(off @ off)
        self.count += 1
        self.nees += distance
        self.freedom += freedom
        self.within += distance < REGION.get(freedom, 6.18)
        sums = self.tables.setdefault(table, [0.0, 0])
        sums[0] += distance
        sums[1] += freedom

    def rms(self, unit):
        return f"{unit * math.sqrt(self.square / self.count):.2f}" if self.count else "-"

    def honesty(self):
        """NEES / n with the standard error over tables, whose images share errors."""
        each = [a / b for a, b in self.tables.values() if b]
        error = np.std(each, ddof=1) / math.sqrt(len(each)) if len(each) > 1 else math.nan
        return f"{self.nees / self.freedom:.2f} +- {error:.2f}" if self.freedom else "-"

    def coverage(self):
        return f"{100 * self.within / self.count:.1f} %" if self.count else "-"


def rotation_error(found, true):
    return cv2.Rodrigues(np.array(found).reshape(3, 3) @ np.array(true).reshape(3, 3).T)[0].ravel()


class Score:
    def __init__(self):
        self.balls, self.place, self.turn = Tally(), Tally(), Tally()
        self.known = self.all = self.abstained = self.wrong = self.judged = 0

    def add(self, told, true, table):
        entities = {e["id"]: e for e in true["scene"]["entities"]}
        for e in told["scene"]["entities"]:
            if e["id"] not in BALLS:
                continue
            self.all += 1
            if not objects.is_placed(e):
                continue
            self.known += 1
            self.balls.add(np.subtract(e["pos_m"], entities[e["id"]]["pos_m"]), np.array(e["pos_cov_m2"]).reshape(3, 3), table)
        for judgment in told["judgments"]:
            if judgment["p"] is None or judgment["acceptance"] != "hemisphere":
                continue
            self.judged += 1
            if judgment["verdict"] == "abstain":
                self.abstained += 1
            else:
                self.wrong += (judgment["verdict"] == "true") != truth.holds(judgment, entities)
        pose = told["image"]["pose"]
        if pose["pos_m"] is None or pose["source"] == "given" and not np.any(pose["cov"]):
            return
        cov = np.array(pose["cov"]).reshape(6, 6)
        self.turn.add(rotation_error(pose["R_table_camera"], true["camera"]["R_table_camera"]), cov[:3, :3], table)
        self.place.add(np.subtract(pose["pos_m"], true["camera"]["pos_m"]), cov[3:, 3:], table)

    def row(self):
        return (self.balls.rms(1000), self.balls.honesty(), self.balls.coverage(), f"{100 * self.known / max(1, self.all):.1f} %",
                self.place.rms(1000), self.place.honesty(), self.turn.rms(180 / math.pi), self.turn.honesty(),
                f"{100 * self.abstained / max(1, self.judged):.2f} %", f"{self.wrong} of {self.judged}")


COLUMNS = ("balls, rms mm", "NEES / n", "in 2 sigma", "placed", "camera, rms mm", "NEES / n", "turned, rms deg", "NEES / n", "abstained", "wrong")


def table_of(title, columns, rows):
    print(f"\n| {title} | " + " | ".join(columns) + " |\n|---" * 1 + "|---" * len(columns) + "|")
    for name, row in rows:
        print(f"| {name} | " + " | ".join(row) + " |", flush=True)


def judge(score, judged, truths, table):
    for told in judged:
        if told["image"]["sequence"] >= SETTLE:
            score.add(told, truths[told["image"]["camera"]][told["image"]["sequence"]], table)


def measure_cameras(options, folder):
    groups = {"1": ["a", "b", "c", "d"], "2, opposite": ["ac", "bd"], "2, at a right angle": ["ab", "cd"], "4": ["abcd"]}
    scores = {group: Score() for group in groups}
    for table in range(options.tables):
        where = folder / f"table_{table}"
        where.mkdir()
        truths = draw(options.pov, where, random.Random(options.seed + table), options.images, 4)
        for group, stations in groups.items():
            for cameras in stations:
                judge(scores[group], follow(options.pov, station(where, cameras, cameras))[0], truths, table)
    table_of("cameras", COLUMNS, [(group, score.row()) for group, score in scores.items()])


# ---- faults ----

def pose_text(camera, move=None):
    at, R = np.array(camera["pos_m"]), np.array(camera["R_table_camera"]).reshape(3, 3)
    if move is not None:
        at, R = at + move[0], cv2.Rodrigues(move[1])[0] @ R
    return f"{{position_m: {at.tolist()}, rotation: {R.tolist()}, position_std_m: 0.003, rotation_std_deg: 0.2}}"


def be_late(images):
    """Image i shows what is LATE images later: the clock is behind."""
    files = sorted(images.iterdir())
    for i, path in enumerate(files):
        if i + LATE < len(files):
            shutil.copyfile(files[i + LATE], path)
        else:
            path.unlink()


def mirror(images):
    for path in images.iterdir():
        cv2.imwrite(str(path), cv2.imread(str(path))[:, ::-1])


def die(images):
    files = sorted(images.iterdir())
    for path in files[len(files) // 2:]:
        path.unlink()


def change_lens(folder, zoom_by):
    path = folder / "camera.yaml"

    def zoom(match):
        K = [float(number) for number in match[2].split(",")]
        return match[1] + ", ".join(str(k * zoom_by if i in (0, 4) else k) for i, k in enumerate(K)) + "]"
    path.write_text(re.sub(r"(camera_matrix:[^\[]*data: \[)([^\]]+)\]", zoom, path.read_text(), count=1))


def swap(first, second):
    """The images of two cameras are each other's; the rest of their folders is their own."""
    return lambda drawn: (os.rename(drawn / first / "images", drawn / "swapped"), os.rename(drawn / second / "images", drawn / first / "images"),
                          os.rename(drawn / "swapped", drawn / second / "images"))


def in_images(of):
    return lambda drawn: of(drawn / "b/images")


def moved(share):
    axis = np.array([0.5, -0.3, 0.8]) / np.linalg.norm([0.5, -0.3, 0.8])
    return (share * MOVED_M * np.array([0.6, 0.8, 0]), share * math.radians(MOVED_DEG) * axis)


# name: cameras, what becomes of the folder, the error of b's pose, the guilty cameras
FAULTS = {
    "none": ("abc", None, None, ""),
    f"moved by {1000 * MOVED_M:.0f} mm, {MOVED_DEG} degrees": ("abc", None, moved(1), "b"),
    f"moved by {500 * MOVED_M:.0f} mm, {MOVED_DEG / 2:.0f} degree": ("abc", None, moved(0.5), "b"),
    "aimed 1 degree elsewhere": ("abc", None, (np.zeros(3), np.radians([0.4, -0.3, 0.87])), "b"),
    f"clock {1000 * LATE / RATE_HZ:.0f} ms off": ("abc", in_images(be_late), None, "b"),
    "mirrored": ("abc", in_images(mirror), None, "b"),
    "dead from the middle": ("abc", in_images(die), None, ""),
    f"focal length {100 * (ZOOM - 1):+.0f} %": ("abc", lambda drawn: change_lens(drawn / "b", ZOOM), None, "b"),
    f"focal length {100 * (1 / ZOOM - 1):+.0f} %": ("abc", lambda drawn: change_lens(drawn / "b", 1 / ZOOM), None, "b"),
    "b and c swapped": ("abc", swap("b", "c"), None, "bc"),
    "a and b of two swapped": ("ab", swap("a", "b"), None, "ab"),
    "a and c, opposite, swapped; no tags": ("ac", swap("a", "c"), None, "ac"),
    "a and c, opposite, swapped; tags": ("ac", swap("a", "c"), None, "ac"),
    "a and c, opposite; tags": ("ac", None, None, ""),
    "b of two: clock": ("ab", in_images(be_late), None, "b"),
    f"b of two: moved by {1000 * MOVED_M:.0f} mm, {MOVED_DEG} degrees": ("ab", None, moved(1), "ab"),
}


def run_fault(options, drawn, truths, fault):
    cameras, change, move, guilty = FAULTS[fault]
    where = drawn.parent / f"fault_{list(FAULTS).index(fault)}"
    shutil.copytree(drawn, where / "drawn")
    poses = {c: pose_text(truths[c][0]["camera"], move if c == "b" else None) for c in cameras}
    if change:
        change(where / "drawn")
    try:
        judged, complaint = follow(options.pov, station(where, "faulty", cameras, poses, "; tags" in fault))
    except SystemExit as refused:
        return (str(refused).split("pov: ")[-1].strip(), "-", "-", "-", "-", "-")
    finally:
        shutil.rmtree(where)
    rest, everything = Score(), Score()
    judge(rest, [told for told in judged if told["image"]["camera"] not in guilty and told["image"]["sequence"] >= 20], truths, 0)
    for told in judged:
        everything.add(told, truths[told["image"]["camera"]][told["image"]["sequence"]], 0)
    told_of = [line.split("warning: ", 1)[-1] for line in complaint.splitlines() if re.search(r"camera [abcd]\b", line)]
    trusted = [told["image"]["sequence"] for told in judged if told["image"]["camera"] in guilty and told["image"]["pose"]["pos_m"] is not None]
    return ("; ".join(told_of) or "nothing", f"{(max(trusted, default=-1) + 1) / RATE_HZ:.2f}" if guilty else "-", rest.balls.rms(1000),
            rest.balls.coverage(), f"{everything.wrong} of {everything.judged}",
            f"{100 * everything.abstained / max(1, everything.judged):.1f} %")


def measure_faults(options, folder):
    rows = []
    truths = draw(options.pov, folder, random.Random(options.seed + 1000), options.fault_images, 4)
    for fault in FAULTS:
        if not options.fault or options.fault in fault:
            rows.append((fault, run_fault(options, folder / "drawn", truths, fault)))
    table_of("fault of b", ("told", "trusted for, s", "balls in the other cameras' images, rms mm", "in 2 sigma", "wrong, in all images", "abstained"), rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pov", type=pathlib.Path)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--images", type=int, default=26, help="of each camera, at 20 Hz; the first 6 are not counted")
    parser.add_argument("--fault-images", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults-only", action="store_true")
    parser.add_argument("--fault", default="", help="only those faults whose names have this in them")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for images and stations, which must not exist yet")
    options = parser.parse_args()
    options.pov = options.pov.resolve()
    with tempfile.TemporaryDirectory(prefix="pov-cameras-") as name:
        folder = options.keep or pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=options.keep is None)
        if not options.faults_only:
            measure_cameras(options, folder)
        measure_faults(options, folder)


if __name__ == "__main__":
    main()
