#!/usr/bin/python3
"""A sweep over a folder of images that 'pov sim' drew keeps their truth: a simulated model answers about them, rightly, and the log
compares the station with the truth. A folder of other images has none, and does not become simulated."""
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import Server, pov, query


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        world, run, plain, other = folder / "world", folder / "run", folder / "plain", folder / "other"
        pov("sim", "comfort-ball", "--images", 8, "--out", world)
        pov("sweep", world / "station.yaml", "--out", run, "--quiet")
        asked = query(run, "SELECT count(*) FROM questions")[0][0]
        lines = [json.loads(line) for line in (run / "vlm_truth.jsonl").read_text().splitlines()]
        assert len(lines) >= asked > 0, (len(lines), asked)
        assert query(run, "SELECT simulated FROM runs") == [(1,)]
        assert query(run, "SELECT count(*) FROM images WHERE truth IS NULL") == [(0,)]
        with Server(run) as server:
            pov("compare", run, "--vlm", server.url, "--model", "m")
        rows = query(run, "SELECT q.truth, r.p FROM results r JOIN questions q ON q.id = r.question WHERE counted AND q.truth IS NOT NULL")
        assert rows and all((p > 0.5) == (truth == "yes") for truth, p in rows), rows[:4]

        # the same images where no truth lies beside them
        plain.mkdir()
        shutil.copytree(world / "images", plain / "images")
        pov("sweep", world / "station.yaml", "--images", plain / "images", "--out", other, "--quiet")
        assert not (other / "vlm_truth.jsonl").exists() and query(other, "SELECT simulated FROM runs") == [(0,)]
    print("the truth of a simulated folder is kept")
    return 0


if __name__ == "__main__":
    sys.exit(main())
