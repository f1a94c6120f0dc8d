#!/usr/bin/env python3
"""A regression net over real behaviour: a kept session is judged anew, and differs from how it was judged when it was recorded in nothing
of substance (`pov diff`). If a change of judgments is wanted, look at what this prints, say in the commit why it is better, and record the session
again: POV_KEEP=1 writes it from its own images and station.

The session (simulated, 640 x 360): tags give the camera's pose, a table turns by 5 degrees an image with two tracked balls, and a woman
looks on from the left, for whom relations and visibility are judged."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

POV = os.environ["POV"]
KEPT = pathlib.Path(__file__).parent / "kept_session.mcap"


def pov(*arguments, codes=(0,), **options):
    done = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode in codes, done.stderr
    return done.stdout


def main():
    assert KEPT.stat().st_size <= 200_000
    with tempfile.TemporaryDirectory(prefix="pov-kept-") as name:
        folder = pathlib.Path(name)
        pov("info", KEPT, "--extract", folder)
        pov("run", "station.yaml", "--images", KEPT, "--no-publish", "--quiet", "--record", "anew.mcap", cwd=folder)
        anew = folder / "anew.mcap"
        if "POV_KEEP" in os.environ:
            shutil.copy(anew, KEPT)
        said = json.loads(pov("diff", KEPT, anew, "--json", codes=(0, 1)))
        assert said["images"] == 6 and said["only_old"] == said["only_new"] == 0, said
        # The session holds what the net is to catch.
        kept = [json.loads(line) for line in pov("replay", KEPT, "--json").splitlines()]
        assert all(o["image"]["pose"]["source"] == "tags" and len(o["judgments"]) == 216 for o in kept)
        seen = [[e["seen"] for e in o["scene"]["entities"] if e["id"] in ("red", "blue")] for o in kept]
        assert sum(map(sum, seen)) == 12, seen
        # A net without holes: one verdict, or a ball that is moved by four of its deviations, is caught.
        for change in "verdict", "place":
            lines = [json.loads(json.dumps(o)) for o in kept]
            if change == "verdict":
                lines[3]["judgments"][7]["verdict"] = "undefined"
            else:
                ball = next(e for e in lines[3]["scene"]["entities"] if e["id"] == "red")
                ball["pos_m"][0] += 4 * ball["pos_cov_m2"][0] ** 0.5
            changed = folder / f"{change}.jsonl"
            changed.write_text("".join(json.dumps(o) + "\n" for o in lines))
            pov("diff", KEPT, changed, codes=(1,))
        if said["images_changed"]:
            print(pov("diff", KEPT, anew, codes=(1,)))
            sys.exit(1)


if __name__ == "__main__":
    main()
