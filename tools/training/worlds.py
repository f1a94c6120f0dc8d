#!/usr/bin/python3
"""Draws randomised worlds with `pov sim` and packs them for training: images, who is where, which way each faces.

    worlds.py --pov build/release/pov --out /tmp/worlds --images 6000 --seed 1 [--size 256] [--kind mixed]

Writes OUT/images.u8 (n, size, size, 3), OUT/ids.u8 (n, size, size: 1 + index into the image's things, 0: none of them)
and OUT/truth.json. The same seed gives the same bytes. OUT holds what was drawn so far if interrupted.
"""
import argparse
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile

import cv2
import numpy as np

CLASSES = ["ball", "person", "minifigure", "car", "horse", "bench", "laptop", "rubber duck", "chair", "dog", "sofa",
           "bed", "bicycle"]
BODIES = {"ball": ["basketball", "red ball", "blue ball"], "person": ["woman", "woman", "man", "child"]}
CLASS_OF = {body: name for name in CLASSES for body in BODIES.get(name, [name])}
DISTRACTORS = ["apple", "banana", "book", "bottle", "bowl", "box", "container", "cup", "goblet", "lamp", "mug", "plant",
               "plate", "vase", "teddy bear", "computer monitor", "phone", "table", "cat", "cow", "truck", "wardrobe"]


def colour(rng, low=0, high=255):
    return "#" + "".join(f"{rng.randint(low, high):02x}" for _ in range(3))


def grey_colour(rng):
    value, tint = rng.randint(60, 225), 18
    return "#" + "".join(f"{min(255, max(0, value + rng.randint(-tint, tint))):02x}" for _ in range(3))


def thing(rng, body, size_m, place):
    entry = [f"class: {body}", f"position_m: [{place[0]:.3f}, {place[1]:.3f}]", f"size_m: {size_m:.3f}"]
    entry.append(f"front_deg: {rng.randint(-180, 179)}" if body in FRONTED else f"yaw_deg: {rng.randint(-180, 179)}")
    if body in ("red ball", "blue ball", "car", "sofa", "chair", "bicycle", "box", "mug") and rng.random() < 0.6:
        entry.append(f'color: "{colour(rng)}"')
    elif rng.random() < 0.6:
        entry.append(f"look: {rng.randint(0, 9)}")
    return entry


FRONTED = set("bat bed bench bicycle bus car cat chair child cow dog horse keyboard man minifigure sofa truck "
              "wardrobe woman laptop".split()) | {"computer monitor", "rubber duck", "teddy bear"}


def free_place(rng, taken, radius_m, reach_m):
    for _ in range(40):
        x, y = rng.uniform(-reach_m, reach_m), rng.uniform(-reach_m, reach_m)
        if all(math.hypot(x - a, y - b) > 0.75 * (radius_m + r) for a, b, r in taken):
            return x, y
    return None


def world(rng, size_px):
    """A flat ground with things on it, seen from somewhere; the unit of length is arbitrary, as in COMFORT."""
    far = rng.uniform(2.2, 5.5)
    elevation, azimuth = math.radians(rng.uniform(8, 62)), rng.uniform(-math.pi, math.pi)
    eye = (far * math.cos(elevation) * math.cos(azimuth), far * math.cos(elevation) * math.sin(azimuth),
           max(0.25, far * math.sin(elevation)))
    things, taken = [], []
    for i in range(rng.randint(2, 8)):
        named = rng.random() < 0.78
        name = rng.choice(CLASSES) if named else None
        body = rng.choice(BODIES.get(name, [name])) if named else rng.choice(DISTRACTORS)
        size_m = rng.uniform(0.14, 0.5) if name == "ball" else rng.uniform(0.35, 1.3)
        place = free_place(rng, taken, size_m / 2, 1.5)
        if place is None:
            continue
        taken.append((*place, size_m / 2))
        things.append([f"id: t{i}"] + thing(rng, body, size_m, place))
    lamp = [rng.uniform(-4, 4), rng.uniform(-4, 4), rng.uniform(2.5, 7)]
    plain = colour(rng) if rng.random() < 0.4 else grey_colour(rng)
    text = [
        "images: 1",
        f"camera: {{size_px: [{size_px}, {size_px}], field_of_view_deg: {rng.uniform(38, 68):.1f}, "
        f"position_m: [{eye[0]:.3f}, {eye[1]:.3f}, {eye[2]:.3f}], "
        f"look_at_m: [{rng.uniform(-.4, .4):.3f}, {rng.uniform(-.4, .4):.3f}, {rng.uniform(0, .4):.3f}]}}",
        f"surface: {{size_m: [{rng.choice([4, 6, 60])}, {rng.choice([4, 6, 60])}], color: \"{plain}\", "
        f"look: {rng.choice(['plain', 'plain', 'wood', 'tiles'])}}}",
        f"lighting: {{lamp_m: [{lamp[0]:.2f}, {lamp[1]:.2f}, {lamp[2]:.2f}], lamp_radius_m: {rng.uniform(.05, .9):.2f}, "
        f"lamp_strength: {rng.uniform(.3, 1):.2f}, ambient: {rng.uniform(.12, .6):.2f}, sky: \"{grey_colour(rng)}\"}}",
        f"sensor: {{preset: {rng.choice(['clean', 'noisy', 'blurred'])}}}",
        "things:"] + ["  - {" + ", ".join(entry) + "}" for entry in things]
    return "\n".join(text) + "\n"


def draw(pov, arguments, folder, seed, bodies):
    command = [pov, "sim", *arguments, "--images", "1", "--truth-images", "--seed", str(seed), "--bodies", bodies,
               "--threads", "1", "--quiet", "--out", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    line = json.loads((folder / "truth.jsonl").read_text().split("\n")[0])
    name = line["image"]["name"]
    return cv2.imread(str(folder / "images" / name)), cv2.imread(str(folder / "ids" / name), cv2.IMREAD_UNCHANGED), line


def seen_things(ids, line, least_px=24):
    """The things of our classes that show, with their boxes (x0, y0, x1, y1: pixel edges) and headings seen from the camera:
    0 faces it, counter-clockwise from above. Also the picture of whose pixel is whose."""
    eye, things, whose = line["camera"]["pos_m"], [], np.zeros(ids.shape, np.uint8)
    for entity in line["scene"]["entities"]:
        name = CLASS_OF.get(entity["class"])
        mask = ids == entity["label"] + 1
        if name is None or entity["class"] == "camera" or mask.sum() < least_px:
            continue
        rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
        heading, p = entity["heading_rad"], entity["pos_m"]
        if heading is not None:
            heading = math.remainder(heading - math.atan2(eye[1] - p[1], eye[0] - p[0]), 2 * math.pi)
        things.append({"class": name, "heading_rad": heading, "pixels": int(mask.sum()), "box_px":
                       [int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1]})
        whose[mask] = len(things)
    return things, whose


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pov", default="build/release/pov")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--images", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--kind", default="mixed", help="mixed (worlds of our own, one in eight a tabletop), or a world "
                        "that comes along: tabletop, comfort-car, station, vpt")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    shape = (args.images, args.size, args.size)
    images = np.memmap(args.out / "images.u8", np.uint8, "w+", shape=(*shape, 3))
    ids = np.memmap(args.out / "ids.u8", np.uint8, "w+", shape=shape)
    truth = []
    with tempfile.TemporaryDirectory() as scratch:
        folder, path = pathlib.Path(scratch) / "drawn", pathlib.Path(scratch) / "world.yaml"
        for i in range(args.images):
            rng = random.Random(args.seed * 1000003 + i)
            kind = args.kind if args.kind != "mixed" else "tabletop" if i % 8 == 7 else "own"
            if kind == "own":
                path.write_text(world(rng, args.size))
                arguments = [str(path)]
            else:
                arguments = [kind, "--size", f"{args.size}x{args.size}"]
            bodies = rng.choice(["own", "auto"])
            try:
                image, drawn_ids, line = draw(args.pov, arguments, folder, rng.randint(0, 1 << 30), bodies)
            except subprocess.CalledProcessError:  # things that do not fit: a world less
                truth.append([])
                continue
            things, whose = seen_things(drawn_ids, line)
            images[i], ids[i] = image[:, :, ::-1], whose
            truth.append(things)
            if i % 200 == 199 or i == args.images - 1:
                (args.out / "truth.part").write_text(json.dumps({"size_px": args.size, "images": truth}))
                os.replace(args.out / "truth.part", args.out / "truth.json")
                print(f"{i + 1} of {args.images} worlds", flush=True)


if __name__ == "__main__":
    main()
