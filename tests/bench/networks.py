#!/usr/bin/python3
"""Real networks, as their makers export them: are they accepted, is the guess right, what do they find in photographs, how fast?

networks.py POV [FOLDER [PICTURES]]: the ONNX files of a folder (../shared/data/models) on the photographs of bus.jpg and zidane.jpg
(../shared/data/people). Prints a table. Other files are tried too, but then nobody knows what is right: only what is found is told."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DATA = pathlib.Path(os.environ.get("POV_SHARED", pathlib.Path(__file__).resolve().parents[3] / "shared")) / "data"
MODELS, PEOPLE = DATA / "models", DATA / "people"
# Measured by hand on the photographs: left, top, right, bottom in pixels. The last person of bus.jpg is a sleeve at the rim.
THINGS = {"bus.jpg": [("bus", 5, 230, 805, 735), ("person", 50, 395, 245, 905), ("person", 222, 405, 345, 860),
                      ("person", 668, 385, 810, 880)],
          "zidane.jpg": [("person", 122, 200, 765, 720), ("person", 745, 40, 1148, 720)]}
RIM = {"bus.jpg": [("person", 0, 550, 65, 875)]}
FACES = {"bus.jpg": [("face", 113, 415, 155, 470), ("face", 266, 420, 307, 475)],
         "zidane.jpg": [("face", 910, 95, 1055, 278), ("face", 540, 250, 660, 432)]}
# Which way a head looks, in degrees from facing the camera, right in the image positive: by eye, from photographs of heads at known turns.
HEADS = {"bus.jpg": [(133, 22), (287, 20)], "zidane.jpg": [(984, 10), (602, 60)]}
HEAD_DEG = 25


def overlap(a, b):
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    both = max(0, width) * max(0, height)
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def grade(found, truth, rim):
    """What is missed, and what is found where nothing of that name is. Overlaps of a half count, as in PASCAL VOC."""
    left = list(truth)
    wrong = 0
    for name, *box in found:
        hit = next((t for t in left if t[0] == name and overlap(box, t[1:]) > 0.5), None)
        if hit:
            left.remove(hit)
        elif not any(t[0] == name and overlap(box, t[1:]) > 0.3 for t in rim):
            wrong += 1
    return len(left), wrong


def detections(pov, contract, picture):
    ran = subprocess.run([pov, "model", "run", contract, picture, "--json"], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)["detections"]



def measure_one(pov, folder, model, pictures, detector):
    path = folder / model.name
    shutil.copyfile(model, path)
    extra = ["--detector", detector] if detector else []
    ran = subprocess.run([pov, "model", "try", path, *pictures, *extra], capture_output=True, text=True)
    row = {"file": model.name, "layout": None, "told": ran.stderr.strip().splitlines()[-1:] or [""], "missed": 0, "wrong": 0,
           "found": 0, "ms": {}}
    if ran.returncode != 0:
        return row
    contract = path.with_suffix(".yaml")
    row["layout"] = re.search(r"(?m)^layout: (\w+)", contract.read_text())[1]
    row["ms"] = {name: float(ms) for name, ms in re.findall(r"(?m)^(OpenCV|ONNX Runtime) [^:]*: [0-9.]+ ms a look .mean of \d+; least ([0-9.]+)", ran.stdout)}
    for picture in pictures:
        if row["layout"] == "heading":
            told = re.search(rf"(?m)^{re.escape(picture.name)}: (.*)$", ran.stdout)[1]
            turns = [float(t) for t in re.findall(r"heading (-?[0-9]+) deg", told)]
            faces = [(d["box_px"][0] + d["box_px"][2]) / 2 for d in detections(pov, detector, picture)] if detector else []
            row["found"] += len(turns)
            for at, expected in HEADS.get(picture.name, []):
                near = [turn for x, turn in zip(faces, turns) if abs(x - at) < 40]
                off = [abs(((turn + 180 - expected) + 180) % 360 - 180) for turn in near]
                row["missed"] += not off
                row["wrong"] += bool(off) and min(off) > HEAD_DEG
            continue
        found = [(d["class"], *d["box_px"]) for d in detections(pov, contract, picture)]
        row["found"] += len(found)
        truth = FACES if row["layout"] == "face" else THINGS
        if picture.name in truth:
            missed, wrong = grade(found, truth[picture.name], RIM.get(picture.name, []))
            row["missed"] += missed
            row["wrong"] += wrong
    return row


def measure(pov, folder, models=MODELS, pictures=PEOPLE):
    """A row a file. Heading networks are shown the faces that the first face network finds."""
    files = sorted(models.glob("*.onnx"))
    images = sorted(path for path in pictures.iterdir() if path.suffix in (".jpg", ".png"))
    rows = [measure_one(pov, folder, model, images, None) for model in files]
    face = next((folder / row["file"] for row in rows if row["layout"] == "face" and row["missed"] == 0), None)
    for i, row in enumerate(rows):
        if row["layout"] == "heading" and face:
            (folder / row["file"]).with_suffix(".yaml").unlink()
            rows[i] = measure_one(pov, folder, files[i], images, face.with_suffix(".yaml"))
    return rows


def main():
    pov = sys.argv[1]
    models = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else MODELS
    pictures = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else PEOPLE
    if not models.is_dir() or not pictures.is_dir():
        sys.exit("skipped: ../shared not found; name a folder of ONNX files and one of pictures")
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(pov, pathlib.Path(folder), models, pictures)
    print("| file | guessed layout | found | missed | wrong | OpenCV, ms | ONNX Runtime, ms |\n|---|---|---|---|---|---|---|")
    for row in rows:
        ms = [f"{row['ms'][name]:.1f}" if name in row["ms"] else "does not run it" for name in ("OpenCV", "ONNX Runtime")]
        print(f"| {row['file']} | " + (f"{row['layout']} | {row['found']} | {row['missed']} | {row['wrong']} | {ms[0]} | {ms[1]} |"
                                       if row["layout"] else f"refused: {row['told'][0]} | | | | | |"))


if __name__ == "__main__":
    main()
