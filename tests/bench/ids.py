#!/usr/bin/python3
"""Whether six enrolled objects keep their ids for five minutes of rendered images, through the whole station.

ids.py POV [--seconds S] [--rate HZ] [--sequences N] [--seed S] [--alike] [--keep FOLDER] [--again] [--jobs N]

A hand takes objects up and sets them down elsewhere, one at a time: behind others, past them, to one another's places; a board is
held before them for seconds; boxes hide a part of what is behind them; other things stand about; the light changes, slowly or at a
switch. In every fourth sequence all of it is on a turntable that turns. `pov sim` draws it, `pov run` follows it, and ids are held
against the truth. --alike: two of the six are mugs of the same make.

A swap: something is found, in more than one image in a row, under an id that is placed nearer to where another object is than to its
own, which is more than half its size away. Apart from that is counted how long hidden ones, carried off unseen, are thought to be so far away.
"""
import argparse
import collections
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
from choreography import DISC_HEIGHT_M, TURN_S, Play  # noqa: E402
from enrolled_objects import CAMERA, OBJECTS, TURNTABLE, draw_empty, enrol, hidden_share, is_placed, run  # noqa: E402

DIFFERENT = {name: name for name in OBJECTS}
ALIKE = {"mug_1": "mug", "mug_2": "mug", **{name: name for name in ("car", "duck", "teddy", "cat")}}
WRONG_M = 0.05


def heights(folder):
    """Of the objects, as the simulator has them."""
    found = {}
    for name in OBJECTS:
        truth = json.loads((folder / f"enrol_{name}/truth.jsonl").read_text().splitlines()[0])
        found[name] = next(e["size_m"][2] for e in truth["scene"]["entities"] if e["id"] == "it")
    return found


def prepare(pov, folder, options):
    folder.mkdir(parents=True, exist_ok=True)
    draw_empty(pov, folder)
    for name in OBJECTS:
        if not (folder / f"{name}.pov").exists():
            enrol(pov, folder, name)
    if not (folder / "turntable.yaml").exists():
        (folder / "turning.yaml").write_text("about: bench\n" + CAMERA + TURNTABLE + "things: [{id: pen, position_m: [0.8, 0.8]}]\n")
        run(pov, "sim", folder / "turning.yaml", "--out", folder / "turning", "--images", 36, "--quiet", "--bodies", "own")
        run(pov, "calib", "turntable", folder / "turning/station.yaml", "--edge", 60, "--out", folder / "turntable.yaml")


def is_on_disc(number):
    return number % 4 == 3


def draw(pov, folder, number, options):
    name = f"{'alike' if options.alike else 'ids'}_{options.seed + number}"
    where = folder / name
    if options.again and (where / "truth.jsonl").exists():
        return where
    play = Play(random.Random(options.seed + number), heights(folder), ALIKE if options.alike else DIFFERENT, is_on_disc(number), options.seconds)
    world = folder / f"{name}.yaml"
    world.write_text(play.text(options.rate))
    (folder / f"{name}.events.json").write_text(json.dumps(play.events))
    run(pov, "sim", world, "--out", where, "--quiet", "--bodies", "own", "--threads", 1)
    return where


def write_station(where, options, on_disc):
    stands = f", stands_on_m: {DISC_HEIGHT_M}" if on_disc else ""
    cast = {name: name for name in OBJECTS} if not options.alike else {name: name for name in ("mug", "car", "duck", "teddy", "cat")}
    lines = "".join(f"  - {{id: {name}, class: {OBJECTS[name][0]}, found_by: enrolled, enrolled: {{model: ../{name}.pov{stands}"
                    + (", count: 2" if options.alike and name == "mug" else "") + "}}\n" for name in cast)
    path = where / "following.yaml"
    path.write_text(f"camera: {{source: folder, folder: {{path: images, rate_hz: {options.rate}}}, calibration: camera.yaml}}\n"
                    "tags: {map: tags.yaml}\n" + ("turntable: {calibration: ../turntable.yaml}\n" if on_disc else "")
                    + f"track: true\ncast:\n{lines}table_m: [-0.6, -0.6, 0.6, 0.6]\n"
                    "judge: {visibility: false, directions: false, pairs: [[car, duck]]}\n")
    return path


def follow(pov, where, options, number):
    told = run(pov, "run", write_station(where, options, is_on_disc(number)), "--json", "--no-publish", "--quiet")
    (where / "told.jsonl").write_text(told)
    return [json.loads(line) for line in told.splitlines()]


# ---- against the truth ----

def inverse2(cov):
    (a, b), (c, d) = cov
    det = a * d - b * c
    return ((d / det, -b / det), (-c / det, a / det)) if det > 1e-18 else None


def normalised(off, cov9):
    """Error squared over what was to be expected, a coordinate; None if nothing was told."""
    inverse = inverse2(((cov9[0], cov9[1]), (cov9[3], cov9[4])))
    return inverse and sum(off[i] * inverse[i][j] * off[j] for i in range(2) for j in range(2)) / 2


class Sequence:
    def __init__(self, truths, told, cast, rate):
        self.truths, self.told, self.cast, self.rate = truths, told, cast, rate
        self.true = [{e["id"]: e for e in truth["scene"]["entities"] if e["id"] in cast} for truth in truths]
        if "mug_2" in cast:
            self.name_those_alike()
        self.counts, self.offs, self.turns = collections.Counter(), collections.defaultdict(list), []
        self.nees, self.within = collections.defaultdict(list), collections.Counter()
        self.swaps, self.run_of, self.others_p = [], collections.Counter(), 0.0
        self.hidden = []
        self.rest_z = {name: min(image[name]["pos_m"][2] for image in self.true) for name in cast}

    def name_those_alike(self):
        """Which of two mugs is called mug_1 is open until the first image that shows both: as they lie there."""
        for told, true in zip(self.told, self.true):
            here = {e["id"]: e["pos_m"] for e in told["scene"]["entities"] if e["id"] in ("mug_1", "mug_2") and is_placed(e)}
            if len(here) < 2:
                continue
            far = lambda other: sum(math.dist(here[name][:2], true[other[name]]["pos_m"][:2]) for name in here)
            if far({"mug_1": "mug_2", "mug_2": "mug_1"}) < far({"mug_1": "mug_1", "mug_2": "mug_2"}):
                for image in self.true:
                    image["mug_1"], image["mug_2"] = image["mug_2"], image["mug_1"]
            return

    def velocity(self, i, name):
        a, b = self.true[max(0, i - 1)][name]["pos_m"], self.true[min(len(self.true) - 1, i + 1)][name]["pos_m"]
        dt = (min(len(self.true) - 1, i + 1) - max(0, i - 1)) / self.rate
        return [(b[k] - a[k]) / dt for k in range(2)]

    def state(self, i, name, entity):
        """How it is, in truth."""
        if not entity["seen"]:
            return "not found"
        if self.true[i][name]["pos_m"][2] > self.rest_z[name] + 0.003:
            return "lifted"
        speed = math.hypot(*self.velocity(i, name))
        return "rests" if speed < 0.004 else "moves"

    def judge(self, i):
        here = {e["id"]: e for e in self.told[i]["scene"]["entities"]}
        for name in self.cast:
            entity, true = here.get(name), self.true[i][name]
            self.counts["all"] += 1
            self.hidden.append(hidden_share(self.truths[i], true["id"]))
            if not entity or not is_placed(entity) or (entity["track"] and entity["track"]["lost"]):
                self.counts["lost" if entity and entity["track"] and entity["track"]["lost"] else "unplaced"] += 1
                self.end_run(name, i)
                continue
            self.judge_placed(i, name, entity, true)

    def judge_placed(self, i, name, entity, true):
        off = [entity["pos_m"][k] - true["pos_m"][k] for k in range(2)]
        far, state = math.hypot(*off), self.state(i, name, entity)
        self.counts["placed"] += 1
        self.counts[f"placed {state}"] += 1
        self.counts["wrong"] += far > WRONG_M
        self.counts[f"wrong {state}"] += far > WRONG_M
        self.offs[state].append(far)
        self.others_p += entity["track"]["other_p"] if entity["track"] else 0
        size = OBJECTS[self.cast[name]][1]
        nearer = [other for other in self.cast if other != name and math.dist(entity["pos_m"][:2], self.true[i][other]["pos_m"][:2]) < far]
        if far > 0.5 * size and nearer and entity["seen"]:
            self.run_of[name] += 1
            self.counts["under another"] += 1
        else:
            self.counts["astray"] += far > 0.5 * size and bool(nearer)
            self.end_run(name, i)
        nees = normalised(off, entity["pos_cov_m2"])
        if nees is not None:
            self.nees[state].append(nees)
        if entity["velocity_m_s"] and state in ("moves", "lifted"):
            v = [entity["velocity_m_s"][k] - self.velocity(i, name)[k] for k in range(2)]
            self.offs["velocity"].append(math.hypot(*v))
            nees = normalised(v, entity["velocity_cov_m2_s2"])
            if nees is not None:
                self.nees["velocity"].append(nees)
        if OBJECTS[self.cast[name]][3] and entity["headings"] and state == "rests":
            best = max(entity["headings"], key=lambda mode: mode["weight"])
            self.turns.append(abs(math.degrees(math.remainder(best["yaw_rad"] - true["heading_rad"], 2 * math.pi))))

    def end_run(self, name, i):
        if self.run_of[name] > 1:
            self.swaps.append((name, round((i - self.run_of[name]) / self.rate, 1), round(self.run_of[name] / self.rate, 1)))
        self.run_of[name] = 0

    def run(self):
        for i in range(min(len(self.truths), len(self.told))):
            self.judge(i)
        for name in self.cast:
            self.end_run(name, len(self.truths))
        return self


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else math.nan


def report(label, s):
    c, share = s.counts, lambda count, of: f"{100 * count / max(1, of):.2f} %"
    print(f"{label}: {len(s.swaps)} swaps, {c['under another'] / s.rate:.1f} s under another's id, {c['astray'] / s.rate:.1f} s hidden and thought nearer another; placed "
          f"{share(c['placed'], c['all'])}, lost {share(c['lost'], c['all'])}, over 5 cm off {share(c['wrong'], c['placed'])}")
    for name, at, long in s.swaps:
        print(f"    {name} at {at} s for {long} s")
    for state in ("rests", "moves", "lifted", "not found"):
        offs, nees = s.offs[state], s.nees[state]
        print(f"    {state:10} {share(len(offs), c['placed']):>8}  off {1e3 * quantile(offs, .5):.1f} mm median, {1e3 * quantile(offs, .95):.1f} "
              f"95 %, over 5 cm {share(c[f'wrong {state}'], len(offs))}; errors squared {quantile(nees, .5):.2f} median (0.69 is honest), "
              f"{share(sum(n > 3 for n in nees), len(nees))} above 3 (5 %)")
    rms = math.sqrt(sum(v * v for v in s.offs["velocity"]) / max(1, len(s.offs["velocity"])))
    print(f"    heading {quantile(s.turns, .5):.2f} deg median, {quantile(s.turns, .95):.1f} 95 %; velocity {1e3 * rms:.0f} mm/s RMS, errors squared "
          f"{sum(s.nees['velocity']) / max(1, len(s.nees['velocity'])):.2f}; other_p {100 * s.others_p / max(1, c['placed']):.3f} % expected; "
          f"hidden over 5 % {share(sum(h > .05 for h in s.hidden), c['all'])}, over 60 % {share(sum(h > .6 for h in s.hidden), c['all'])}", flush=True)


def measure(pov, folder, number, options):
    where = draw(pov, folder, number, options)
    told = follow(pov, where, options, number)
    truths = [json.loads(line) for line in (where / "truth.jsonl").read_text().splitlines()]
    sequence = Sequence(truths, told, ALIKE if options.alike else DIFFERENT, options.rate).run()
    report(f"seed {options.seed + number}{', on a turntable' if is_on_disc(number) else ''}", sequence)
    if not options.keep:
        shutil.rmtree(where)
    return sequence


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pov")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--rate", type=float, default=5, help="images a second")
    parser.add_argument("--sequences", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1, help="of the first sequence; the next has the next")
    parser.add_argument("--alike", action="store_true", help="two of the six are mugs of the same make")
    parser.add_argument("--keep", help="a folder for images and models; enrolled objects there are used again")
    parser.add_argument("--again", action="store_true", help="follow the images in that folder, and draw only what is missing")
    parser.add_argument("--jobs", type=int, default=1, help="sequences at a time")
    options = parser.parse_args()
    pov = os.path.abspath(options.pov)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary).resolve()
        prepare(pov, folder, options)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            done = list(pool.map(lambda i: measure(pov, folder, i, options), range(options.sequences)))
    print(f"{len(done)} sequences of {options.seconds:.0f} s: {sum(len(s.swaps) for s in done)} swaps")


if __name__ == "__main__":
    main()
