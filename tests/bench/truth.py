#!/usr/bin/python3
"""How true are judgments? pov sim draws stations whose truth is known, pov run judges the images, and this compares.

Usage: truth.py POV [--layouts N] [--first SEED] [--images N] [--out DIR]

Each layout is the station with its things, camera and lens put elsewhere by chance; each is drawn through a clean, a noisy
and a blurred sensor; the clean images are also judged as if of each thing only its box were known. What relations hold in
truth is found here, from positions, by trigonometry; what is seen in truth, by the simulator, from pictures taken at the
viewer's eye. Prints tables, and writes reliability.svg and phi_error.svg.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

SENSORS = "clean", "noisy", "blurred"
BOXES = "clean, boxes"
COLOURS = {"clean": "#0072B2", "noisy": "#D55E00", "blurred": "#009E73", BOXES: "#CC79A7"}  # Okabe & Ito 2008
BINS = 10
ENOUGH, AMPLE_DEG = 0.2, 20  # of a target, or so wide a part of it, is seen: POV_SEEING_DEFAULT
SIGHT_BINS = 0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.000001
TURN = {"in_front_of": 0, "left_of": math.pi / 2, "behind": math.pi, "right_of": -math.pi / 2}

WORLD = """about: a station by chance
camera:
  size_px: [1280, 720]
  field_of_view_deg: {view:.3f}
  distortion: [{k1:.4f}, {k2:.4f}, 0.0004, -0.0003, 0]
  position_m: [{x:.4f}, {y:.4f}, {z:.4f}]
  look_at_m: [0, 0, 0.02]
surface: {{size_m: [1.8, 1.8], color: "#c9a678", look: wood}}
lighting: {{lamp_m: [{lamp:.2f}, -1.2, 2.2], lamp_radius_m: 0.15, ambient: 0.45, sky: "#8f979e"}}
turntable: {{radius_m: 0.42, height_m: 0.025, color: "#7f868c"}}
motion: {{steps: {steps}, start_deg: {start:.3f}}}
seed: {seed}
tags:
  edge_m: 0.08
  lying:
    - {{id: 0, position_m: [0.38, -0.42]}}
    - {{id: 1, position_m: [0.38, 0.42]}}
    - {{id: 2, position_m: [-0.46, 0.5]}}
    - {{id: 3, position_m: [-0.46, -0.5]}}
    - {{id: 4, position_m: [-0.6, 0]}}
    - {{id: 5, position_m: [0, 0.58]}}
  ring: {{first_id: 20, count: 12, edge_m: 0.06, radius_m: 0.36}}
things:
  - {{id: screen, class: wardrobe, position_m: [0, 0], on: turntable, size_m: [0.04, 0.2, 0.13], front_deg: {screen:.2f}}}
  - {{id: anna, class: woman, position_m: [{anna}, -0.62], size_m: 0.32, front_deg: {front:.2f}, addressee: true}}
"""
THINGS = ("car", "car", 0.16), ("ball", "basketball", 0.07), ("duck", "rubber duck", 0.08), ("mug", "mug", 0.09)


def world_of(rng, seed, steps):
    azimuth, tilt, far = math.radians(rng.uniform(-25, 25)), math.radians(rng.uniform(42, 60)), rng.uniform(1.45, 1.8)
    sector = rng.uniform(0, 2 * math.pi)  # one thing each, so that they do not meet; the screen between them
    text = WORLD.format(view=rng.uniform(54, 64), k1=rng.uniform(-0.15, 0), k2=rng.uniform(0, 0.08), steps=steps, seed=seed,
                        x=far * math.cos(tilt) * math.cos(azimuth), y=far * math.cos(tilt) * math.sin(azimuth),
                        z=far * math.sin(tilt), lamp=rng.uniform(-1, 1), start=rng.uniform(0, 360 / steps),
                        anna=round(rng.uniform(-0.2, 0.2), 3), front=rng.uniform(30, 150),
                        screen=(math.degrees(sector) + 45 + 90 * rng.randrange(2)) % 360)
    for i, (name, what, size) in enumerate(THINGS):
        angle, reach = sector + (i + rng.uniform(-0.12, 0.12)) * math.pi / 2, rng.uniform(0.18, 0.23)
        facing = f", front_deg: {rng.uniform(0, 359.9):.2f}" if name in ("car", "duck") else ""
        text += (f"  - {{id: {name}, class: {what}, position_m: [{reach * math.cos(angle):.4f}, "
                 f"{reach * math.sin(angle):.4f}], on: turntable, size_m: {size}{facing}}}\n")
    return text


def run(pov, *arguments):
    done = subprocess.run([pov, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"pov {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def holds(judgment, places, headings):
    """Whether a relation holds in truth."""
    referent, relatum, viewer = (places.get(judgment[key]) for key in ("referent", "relatum", "viewer"))
    if judgment["perspective"] == "intrinsic":
        forward = headings[judgment["relatum"]]
    elif judgment["axis"] == "heading":
        forward = headings[judgment["viewer"]]
    else:
        forward = math.atan2(relatum[1] - viewer[1], relatum[0] - viewer[0])
    turn = TURN[judgment["relation"]]
    if judgment["convention"] == "rotated" or (judgment["convention"] == "reflected" and
                                               judgment["relation"] in ("in_front_of", "behind")):
        turn += math.pi
    to = math.atan2(referent[1] - relatum[1], referent[0] - relatum[0])
    return abs(math.remainder(to - forward - turn, 2 * math.pi)) < math.pi / 2


def azimuth(places, a, b):
    return math.atan2(places[a][1] - places[b][1], places[a][0] - places[b][0])


def is_seen(share, size_deg):
    """Whether so large a share of a target of this size counts as seen."""
    ample = (math.sin(math.radians(AMPLE_DEG) / 4) / math.sin(math.radians(size_deg) / 4)) ** 2
    return share >= min(ENOUGH, ample)


def kind_of(sight, share):
    """What there is to be judged: which of the ways a sight can be cut, by what is said and by the truth."""
    if share > 0.999 and sight["fraction_visible"] > 0.999:
        return "in plain view"
    if sight["fraction_out_of_view"] > sight["fraction_hidden"]:
        return "cut by the field"
    return "wholly hidden" if share < 0.001 and sight["fraction_visible"] < 0.001 else "partly hidden"


class Score:
    def __init__(self):
        self.images = self.posed = self.expected = self.found = 0
        self.camera_mm, self.camera_deg, self.phi = [], [], []
        self.bins = [[0, 0.0, 0] for _ in range(BINS)]
        self.verdicts = {"right": 0, "wrong": 0, "abstain": 0}
        self.unsure = 0
        self.sees = {"true": [0, 0], "false": [0, 0]}  # said: how often, of them falsely
        self.sight_abstained = 0
        self.sights = {}  # kind: bins of [how many, sum of p, seen in truth]

    def add(self, said, true):
        places = {e["id"]: e["pos_m"] for e in true["scene"]["entities"]}
        headings = {e["id"]: e["heading_rad"] for e in true["scene"]["entities"]}
        self.images += 1
        self.add_camera(said["image"]["pose"], true["camera"])
        self.add_places(said["scene"]["entities"], places, true["turn_deg"])
        for judgment in said["judgments"]:
            if judgment["p"] is not None and judgment["acceptance"] == "hemisphere":
                self.add_judgment(judgment, holds(judgment, places, headings))
        shares = {(v["viewer"], v["target"]): v["fraction_visible"] for v in true["visibility"]}
        for sight in said["visibility"]:
            if sight["p"] is not None and (sight["viewer"], sight["target"]) in shares:
                self.add_sight(sight, shares[sight["viewer"], sight["target"]])

    def add_camera(self, pose, camera):
        if pose["pos_m"] is None:
            return
        self.posed += 1
        self.camera_mm.append(1000 * math.dist(pose["pos_m"], camera["pos_m"]))
        trace = sum(a * b for a, b in zip(pose["R_table_camera"], camera["R_table_camera"]))
        self.camera_deg.append(math.degrees(math.acos(max(-1, min(1, (trace - 1) / 2)))))

    def add_places(self, entities, places, turn_deg):
        moving = [e for e in entities if e["id"] not in ("camera", "anna")]
        self.expected += len(moving)
        found = {e["id"]: e["pos_m"] for e in moving if e["pos_m"]}
        self.found += len(found)
        for a in found:
            for b in found:
                if a < b:
                    error = math.remainder(azimuth(found, a, b) - azimuth(places, a, b), 2 * math.pi)
                    self.phi.append((turn_deg % 360, abs(math.degrees(error))))

    def add_judgment(self, judgment, truth):
        slot = self.bins[min(BINS - 1, int(judgment["p"] * BINS))]
        slot[0] += 1
        slot[1] += judgment["p"]
        slot[2] += truth
        self.unsure += 0.01 < judgment["p"] < 0.99
        said = judgment["verdict"]
        self.verdicts["abstain" if said == "abstain" else "right" if (said == "true") == truth else "wrong"] += 1

    def add_sight(self, sight, share):
        seen = is_seen(share, sight["size_deg"])
        bins = self.sights.setdefault(kind_of(sight, share), [[0, 0.0, 0] for _ in SIGHT_BINS[1:]])
        slot = bins[sum(sight["p"] >= low for low in SIGHT_BINS[1:-1])]
        for i, value in enumerate((1, sight["p"], seen)):
            slot[i] += value
        if sight["verdict"] not in self.sees:
            self.sight_abstained += 1
            return
        count = self.sees[sight["verdict"]]
        count[0] += 1
        count[1] += seen != (sight["verdict"] == "true")

    def sights_all(self):
        return self.sees["true"][0] + self.sees["false"][0] + self.sight_abstained

    def judgments(self):
        return sum(n for n, _, _ in self.bins)

    def calibration_error(self):
        return sum(abs(yes - p) for _, p, yes in self.bins) / self.judgments()


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else math.nan


def share(part, whole):
    return f"{100 * part / whole:.2f} %" if whole else "-"


def rows(s):
    phi = [error for _, error in s.phi]
    return (("images", s.images), ("camera's pose found", share(s.posed, s.images)),
            ("camera off, mm (median, 95 %)", f"{quantile(s.camera_mm, .5):.2f}  {quantile(s.camera_mm, .95):.2f}"),
            ("camera turned, deg (median, 95 %)", f"{quantile(s.camera_deg, .5):.3f}  {quantile(s.camera_deg, .95):.3f}"),
            ("things on the disc found", share(s.found, s.expected)),
            ("phi error, deg (median, 95 %)", f"{quantile(phi, .5):.2f}  {quantile(phi, .95):.2f}"),
            ("judgments", s.judgments()), ("  with p in 0.01 .. 0.99", share(s.unsure, s.judgments())),
            ("  calibration error (ECE)", f"{s.calibration_error():.4f}"),
            ("  abstained", share(s.verdicts["abstain"], s.judgments())),
            ("  wrong, of those answered", share(s.verdicts["wrong"], s.verdicts["wrong"] + s.verdicts["right"])),
            ("sights", s.sights_all()), ("  abstained", share(s.sight_abstained, s.sights_all())),
            ('  false "sees"', share(s.sees["true"][1], s.sees["true"][0])),
            ('  false "does not see"', share(s.sees["false"][1], s.sees["false"][0])))


def print_table(scores):
    columns = [rows(score) for score in scores.values()]
    print(f"{'':36}" + "".join(f"{name:>16}" for name in scores))
    for i, (label, _) in enumerate(columns[0]):
        print(f"{label:36}" + "".join(f"{column[i][1]!s:>16}" for column in columns))


def print_sights(title, scores):
    """Of the sights that are said to be seen with a P in each range: how many, and in how many it is so."""
    kinds = sorted({kind for s in scores for kind in s.sights})
    print(f"\nSeen, {title}: how many sights with such a P, and the share seen in truth")
    print(f"{'P':14}" + "".join(f"{kind:>22}" for kind in kinds))
    for i, (low, high) in enumerate(zip(SIGHT_BINS, SIGHT_BINS[1:])):
        cells = [[sum(s.sights[kind][i][k] for s in scores if kind in s.sights) for k in (0, 2)] for kind in kinds]
        print(f"{low:.2f} .. {min(high, 1):.2f}  " + "".join(f"{f'{n}  {share(yes, n)}' if n else '-':>22}" for n, yes in cells))


# ---- plots ------------------------------------------------------------------------------------------------------------

def plot(path, title, x_label, y_label, curves, x_end, y_end, diagonal=False):
    """curves: {name: [(x, y, weight)]}; a dot's area tells its weight."""
    width, height, left, bottom = 520, 400, 60, 50
    across, up = width - left - 20, height - bottom - 40
    at = lambda x, y: (left + across * x / x_end, 40 + up * (1 - y / y_end))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
           f'font-size="12"><rect width="100%" height="100%" fill="white"/><text x="{left}" y="22" font-size="14">{title}'
           f'</text>']
    x_steps = 6 if x_end == 360 else 5
    for i in range(x_steps + 1):
        x, _ = at(x_end * i / x_steps, 0)
        out.append(f'<path d="M{x:.1f} 40V{40 + up}" stroke="#ddd"/>'
                   f'<text x="{x:.1f}" y="{56 + up}" text-anchor="middle">{x_end * i / x_steps:g}</text>')
    for i in range(6):
        _, y = at(0, y_end * i / 5)
        out.append(f'<path d="M{left} {y:.1f}H{left + across}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{y_end * i / 5:.3g}</text>')
    if diagonal:
        out.append('<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="#888" stroke-dasharray="4"/>'.format(*at(0, 0), *at(x_end, y_end)))
    for k, (name, points) in enumerate(curves.items()):
        places = [(*at(x, min(y, y_end)), w) for x, y, w in points]
        most = max((w for _, _, w in places), default=1)
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
        out.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS[name]}" stroke-width="1.5"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{1.5 + 4 * math.sqrt(w / most):.1f}" fill="{COLOURS[name]}" '
                f'fill-opacity="0.7"/>' for x, y, w in places]
        out.append(f'<text x="{left + 10}" y="{58 + 16 * k}" fill="{COLOURS[name]}">{name}</text>')
    out.append(f'<text x="{left + across / 2}" y="{height - 10}" text-anchor="middle">{x_label}</text>'
               f'<text transform="translate(16 {40 + up / 2}) rotate(-90)" text-anchor="middle">{y_label}</text></svg>')
    path.write_text("\n".join(out))


def write_plots(folder, scores):
    plot(folder / "reliability.svg", "Do probabilities mean what they say? (simulated)", "P said", "share true",
         {sensor: [(p / n, yes / n, n) for n, p, yes in s.bins if n] for sensor, s in scores.items()}, 1, 1, True)
    curves, top = {}, 0
    for sensor, s in scores.items():
        points = []
        for low in range(0, 360, 20):
            errors = [error for turn, error in s.phi if low <= turn < low + 20]
            if errors:
                points.append((low + 10, sum(errors) / len(errors), len(errors)))
        curves[sensor] = points
        top = max([top, *(y for _, y, _ in points)])
    plot(folder / "phi_error.svg", "Azimuth of one thing about another (simulated)", "turn of the table, degrees",
         "mean error, degrees", curves, 360, math.ceil(2.5 * top) / 2)


def with_boxes(station):
    """The station without what it knows of bodies."""
    boxes = station.with_name("boxes.yaml")
    boxes.write_text("".join(line for line in station.read_text().splitlines(True)
                             if not line.startswith(("    body:", "    shape:"))))
    return boxes


def judge(pov, score, station):
    said = run(pov, "run", station, "--json", "--no-publish", "--quiet")
    truth = (station.parent / "truth.jsonl").read_text()
    for a, b in zip(said.splitlines(), truth.splitlines(), strict=True):
        score.add(json.loads(a), json.loads(b))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pov")
    parser.add_argument("--layouts", type=int, default=12)
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="of the layouts")
    parser.add_argument("--images", type=int, default=12, help="of each layout and sensor")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/bench-truth"))
    args = parser.parse_args()
    scores = {sensor: Score() for sensor in (*SENSORS, BOXES)}
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for layout in range(args.first, args.first + args.layouts):
            (folder / "world.yaml").write_text(world_of(random.Random(layout), layout, args.images))
            for sensor in SENSORS:
                if sys.stderr.isatty():
                    print(f"\rlayout {layout + 1 - args.first} of {args.layouts}, {sensor}    ", end="", file=sys.stderr)
                run(args.pov, "sim", folder / "world.yaml", "--bodies", "own", "--sensor", sensor, "--out", folder / "out", "--quiet")
                judge(args.pov, scores[sensor], folder / "out/station.yaml")
                if sensor == "clean":
                    judge(args.pov, scores[BOXES], with_boxes(folder / "out/station.yaml"))
    print_table(scores)
    print_sights("bodies known", [scores[sensor] for sensor in SENSORS])
    print_sights("only boxes known", [scores[BOXES]])
    write_plots(args.out, scores)
    print(f"\nLook at {args.out}/reliability.svg and phi_error.svg")


if __name__ == "__main__":
    main()
