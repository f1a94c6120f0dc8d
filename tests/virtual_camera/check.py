#!/usr/bin/python3
"""check.py JUDGMENTS TRUTH: do the relations that pov run found through the camera hold in truth?

JUDGMENTS is what init sent: when the webcam was plugged in, then pov run's lines, packed. What the webcam showed when
follows from the time; images taken while it went from one to the next are left out.
"""
import base64
import gzip
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "bench"))
from truth import holds  # noqa: E402

HOLD_S = 150 / 30  # 150 pictures each, 30 a second
CHANGE_S = 1.5  # a picture shown may be a second old in an emulated machine


def main():
    judgments, truth = map(pathlib.Path, sys.argv[1:3])
    plugged, *images = gzip.decompress(base64.b64decode(judgments.read_bytes())).decode().splitlines()
    plugged_ns = int(plugged.split()[-1])
    truths = [json.loads(line) for line in truth.read_text().splitlines()]
    checked, wrong, seen = 0, [], set()
    for image in map(json.loads, images):
        into_s = (image["image"]["capture_ns"] - plugged_ns) / 1e9
        if into_s % HOLD_S < CHANGE_S:
            continue
        shown = int(into_s // HOLD_S) % len(truths)
        entities = truths[shown]["scene"]["entities"]
        places = {e["id"]: e["pos_m"] for e in entities}
        headings = {e["id"]: e["heading_rad"] for e in entities}
        seen.add(shown)
        for judgment in image["judgments"]:
            if judgment["verdict"] not in ("true", "false"):
                continue
            checked += 1
            if holds(judgment, places, headings) != (judgment["verdict"] == "true"):
                wrong.append((shown, judgment))
    print(f"through the camera: {len(images)} images judged, {len(seen)} of the world's seen, {checked} relations, "
          f"{len(wrong)} of them wrong")
    for shown, judgment in wrong[:5]:
        print(f"  image {shown}: {judgment}")
    return 0 if len(seen) >= 3 and checked >= 1000 and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
