#!/usr/bin/python3
"""check.py JUDGMENTS TRUTH IMAGES: do the relations that pov run found through the camera hold in truth?

JUDGMENTS is what init sent: the webcam's answers, then pov run's lines, packed. "image I FROM_NS TO_NS" says that every photograph
taken then shows the world's image I; other photographs are left out. IMAGES of the world must have been seen.
"""
import base64
import gzip
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "bench"))
from truth import holds  # noqa: E402


def main():
    judgments, truth = map(pathlib.Path, sys.argv[1:3])
    wanted = int(sys.argv[3])
    lines = gzip.decompress(base64.b64decode(judgments.read_bytes())).decode().splitlines()
    shown = [tuple(map(int, line.split()[1:])) for line in lines if line.startswith("image ")]
    images = [line for line in lines if line.startswith("{")]
    truths = [json.loads(line) for line in truth.read_text().splitlines()]
    checked, wrong, seen = 0, [], set()
    for image in map(json.loads, images):
        captured_ns = image["image"]["capture_ns"]
        shows = [i for i, from_ns, to_ns in shown if from_ns <= captured_ns < to_ns]
        if not shows:
            continue
        entities = {e["id"]: e for e in truths[shows[0]]["scene"]["entities"]}
        seen.add(shows[0])
        for judgment in image["judgments"]:
            if judgment["verdict"] not in ("true", "false"):
                continue
            checked += 1
            if holds(judgment, entities) != (judgment["verdict"] == "true"):
                wrong.append((shows[0], judgment))
    print(f"through the camera: {len(images)} images judged, {len(seen)} of the world's seen, {checked} relations, "
          f"{len(wrong)} of them wrong")
    for i, judgment in wrong[:5]:
        print(f"  image {i}: {judgment}")
    return 0 if len(seen) == wanted and checked >= 100 * wanted and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
