#!/usr/bin/python3
"""How true are judgments? pov sim draws stations whose truth is known, pov run judges the images, and this compares.

Usage: truth.py POV [--layouts N] [--images N] [--boundaries N] [--judgments N] [--sights N] [--first SEED] [--jobs N] [--out DIR]

Each layout is a random turntable with things, camera and lens, rendered through a clean, a noisy and a blurred sensor; the clean images
are also judged with only the boxes of things known. True relations are computed here, from positions, by trigonometry; true
sights by the simulator, from pictures rendered at the viewer's eye. Nearly all of these judgments are sure. So whether P is calibrated is
measured on stations whose judgments lie near boundaries (boundaries.py), until each tenth of P holds enough judgments and sights. Prints
tables, and writes reliability.svg and phi_error.svg.
"""
import argparse
import itertools
import json
import math
import os
import pathlib
import random
import sys
import tempfile

import boundaries
from boundaries import azimuth, holds, is_seen

SENSORS = "clean", "noisy", "blurred"
BOXES = "clean, boxes"
COLOURS = {"clean": "#0072B2", "noisy": "#D55E00", "blurred": "#009E73", BOXES: "#CC79A7"}  # Okabe & Ito 2008
SIGHT_BINS = 0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.000001

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
    try:
        return boundaries.run(pov, *arguments)
    except RuntimeError as error:
        sys.exit(str(error))


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
        self.verdicts = {"right": 0, "wrong": 0, "abstain": 0}
        self.unsure = 0
        self.sees = {"true": [0, 0], "false": [0, 0]}  # said: how often, of them falsely
        self.sight_abstained = 0
        self.sights = {}  # kind: bins of [how many, sum of p, seen in truth]

    def add(self, said, true):
        entities = {e["id"]: e for e in true["scene"]["entities"]}
        self.images += 1
        self.add_camera(said["image"]["pose"], true["camera"])
        self.add_places(said["scene"]["entities"], entities, true["turn_deg"])
        for judgment in said["judgments"]:
            if judgment["p"] is not None and judgment["acceptance"] == "hemisphere":
                self.add_judgment(judgment, holds(judgment, entities))
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

    def add_places(self, said, true, turn_deg):
        moving = [e for e in said if e["id"] not in ("camera", "anna")]
        found = [e for e in moving if e["pos_m"]]
        self.expected += len(moving)
        self.found += len(found)
        for a, b in itertools.combinations(found, 2):
            error = azimuth(a, b) - azimuth(true[a["id"]], true[b["id"]])
            self.phi.append((turn_deg % 360, abs(math.degrees(math.remainder(error, 2 * math.pi)))))

    def add_judgment(self, judgment, truth):
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
        return sum(self.verdicts.values())


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

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 460, 400, 60, 50, 40


class Axes:
    """A diagram's frame: x and y from 0 to their ends."""

    def __init__(self, title, labels, ends, steps, offset_px=0):
        self.left, self.ends = LEFT + offset_px, ends
        self.across, self.up = WIDTH - LEFT - 20, HEIGHT - BOTTOM - TOP
        self.svg = [f'<text x="{self.left}" y="22" font-size="14">{title}</text>']
        for i in range(steps[0] + 1):
            x, _ = self.at(ends[0] * i / steps[0], 0)
            self.svg.append(f'<path d="M{x:.1f} {TOP}V{TOP + self.up}" stroke="#ddd"/>'
                            f'<text x="{x:.1f}" y="{TOP + 16 + self.up}" text-anchor="middle">{ends[0] * i / steps[0]:.3g}</text>')
        for i in range(steps[1] + 1):
            _, y = self.at(0, ends[1] * i / steps[1])
            self.svg.append(f'<path d="M{self.left} {y:.1f}H{self.left + self.across}" stroke="#ddd"/>'
                            f'<text x="{self.left - 6}" y="{y + 4:.1f}" text-anchor="end">{ends[1] * i / steps[1]:.3g}</text>')
        self.svg.append(f'<text x="{self.left + self.across / 2}" y="{HEIGHT - 10}" text-anchor="middle">{labels[0]}</text>'
                        f'<text transform="translate({self.left - 44} {TOP + self.up / 2}) rotate(-90)" text-anchor="middle">'
                        f'{labels[1]}</text>')

    def at(self, x, y):
        return self.left + self.across * x / self.ends[0], TOP + self.up * (1 - y / self.ends[1])

    def path(self, points):
        return "M" + "L".join("{:.1f} {:.1f}".format(*self.at(x, y)) for x, y in points)


def write_svg(path, diagrams):
    width = WIDTH * len(diagrams)
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" viewBox="0 0 {width} {HEIGHT}" '
                    'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>\n' +
                    "\n".join("\n".join(axes.svg) for axes in diagrams) + "</svg>\n")


def reliability_diagram(name, color, reliability, offset_px):
    """The share that is true over P, with 95 % intervals; grey: within the tolerance."""
    rows = reliability.tenths()
    title = f"{sum(rows[:, 0]):,.0f} {name} near boundaries, {len(reliability.images):,} images"
    axes = Axes(title, ("P", "share that is true, 95 % interval"), (1, 1), (5, 5), offset_px)
    t = boundaries.TOLERANCE
    band = [(0, t), (1 - t, 1), (1, 1), (1, 1 - t), (t, 0), (0, 0)]
    axes.svg.append(f'<path d="{axes.path(band)}Z" fill="#888" fill-opacity="0.2"/>'
                    f'<path d="{axes.path([(0, 0), (1, 1)])}" stroke="#888" stroke-dasharray="4"/>')
    for _, p, share, low, high in rows:
        bar = axes.path([(p, low), (p, high)]) + "".join(
            "M{:.1f} {:.1f}h8".format(axes.at(p, end)[0] - 4, axes.at(p, end)[1]) for end in (low, high))
        axes.svg.append(f'<path d="{bar}" stroke="{color}" stroke-width="1.5" fill="none"/>' +
                        '<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="{}"/>'.format(*axes.at(p, share), color))
    return axes


def phi_diagram(scores):
    curves = {}
    for sensor, s in scores.items():
        by_turn = [(low + 10, [error for turn, error in s.phi if low <= turn < low + 20]) for low in range(0, 360, 20)]
        curves[sensor] = [(turn, sum(errors) / len(errors)) for turn, errors in by_turn if errors]
    top = math.ceil(2.5 * max((y for points in curves.values() for _, y in points), default=0.4)) / 2
    axes = Axes("Azimuth of one thing about another (simulated)", ("turn of the table, degrees", "mean error, degrees"),
                (360, top), (6, 5))
    for k, (name, points) in enumerate(curves.items()):
        if points:
            axes.svg.append(f'<path d="{axes.path(points)}" fill="none" stroke="{COLOURS[name]}" stroke-width="1.5"/>')
        axes.svg.append(f'<text x="{axes.left + 10}" y="{58 + 16 * k}" fill="{COLOURS[name]}">{name}</text>')
    return axes


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


def tell(text):
    if sys.stderr.isatty():
        print(f"\r{text:79}", end="", file=sys.stderr)


def judge_layouts(args, scratch):
    scores = {sensor: Score() for sensor in (*SENSORS, BOXES)}
    for layout in range(args.first, args.first + args.layouts):
        (scratch / "world.yaml").write_text(world_of(random.Random(layout), layout, args.images))
        for sensor in SENSORS:
            tell(f"layout {layout + 1 - args.first} of {args.layouts}, {sensor}")
            run(args.pov, "sim", scratch / "world.yaml", "--bodies", "own", "--sensor", sensor, "--out", scratch / "out", "--quiet")
            judge(args.pov, scores[sensor], scratch / "out/station.yaml")
            if sensor == "clean":
                judge(args.pov, scores[BOXES], with_boxes(scratch / "out/station.yaml"))
    print_table(scores)
    print_sights("bodies known", [scores[sensor] for sensor in SENSORS])
    print_sights("only boxes known", [scores[BOXES]])
    write_svg(args.out / "phi_error.svg", [phi_diagram(scores)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pov")
    parser.add_argument("--layouts", type=int, default=12, help="of the turntable")
    parser.add_argument("--images", type=int, default=12, help="of each layout and sensor")
    parser.add_argument("--boundaries", type=int, default=3000, metavar="N", help="at most so many images near boundaries")
    parser.add_argument("--judgments", type=int, default=500, metavar="N", help="in each tenth of P at least")
    parser.add_argument("--sights", type=int, default=300, metavar="N", help="likewise; 1000 take 2,100 images")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="of layouts and images")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="images at a time")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/bench-truth"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        if args.layouts > 0:
            judge_layouts(args, pathlib.Path(name))
        if args.boundaries > 0:
            judgments, sights = boundaries.gather(args, pathlib.Path(name), tell)
            boundaries.print_tenths("Judgments", judgments)
            boundaries.print_tenths("Sights", sights)
            write_svg(args.out / "reliability.svg", [reliability_diagram("judgments", "#0072B2", judgments, 0),
                                                     reliability_diagram("sights", "#D55E00", sights, WIDTH)])
    print(f"\nLook at the plots in {args.out}")


if __name__ == "__main__":
    main()
