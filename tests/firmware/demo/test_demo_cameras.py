#!/usr/bin/python3
"""pov demo --cameras: each camera's images are annotated apart, and what it says each camera saw is what the truth's pixels show."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

POV = os.environ["POV"]
BALLS = ("red_ball", "blue_ball", "green_ball")
HIDDEN_PX, PLAIN_PX = 200, 1000  # of a ball: fewer is hardly seen, more surely


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = subprocess.run([POV, "demo", "--cameras", "2", "--images", "4", "--out", folder], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert len(list((folder / "cameras_annotated").iterdir())) == 8, "one camera's images take the place of the other's"
        assert (folder / "cameras.png").stat().st_size > 10000
        for camera in "ab":
            truths = [json.loads(line) for line in (folder / "cameras" / camera / "truth.jsonl").read_text().splitlines()]
            told = re.search(rf"^camera {camera} saw\s+(\d+) of 4\s+(\d+) of 4\s+(\d+) of 4\s*$", done.stdout, re.M)
            for ball, count in zip(BALLS, told.groups()):
                pixels = [e["pixels"] for truth in truths for e in truth["scene"]["entities"] if e["id"] == ball]
                assert sum(p > PLAIN_PX for p in pixels) <= int(count) <= sum(p > HIDDEN_PX for p in pixels), (camera, ball, count, pixels)
        missed = [int(m) for m in re.findall(r"(?:camera \w misses|together they miss) (\d+)", done.stdout)]
        assert len(missed) == 3 and missed[2] < min(missed[:2]), done.stdout
        wrong = subprocess.run([POV, "demo", "--cameras", "2", "--experiment"], capture_output=True, text=True)
        assert wrong.returncode == 2 and "exclude each other" in wrong.stderr


if __name__ == "__main__":
    main()
