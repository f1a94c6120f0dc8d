#!/usr/bin/python3
"""pov sweep --adaptive with a simulated station and a simulated model whose thresholds are known: it says yes in the half-plane about
the direction that the question names."""
import csv
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import ENVIRONMENT, POV, Server, pov, query, station

BEST_DEG = {"left": 270, "right": 90, "front": 0, "behind": 180}  # phi at which English has the relation, for the camera
LINE = r"(\w+) (\w+), \S+ en: yes from ([\d.]+) \+- ([\d.]+) to ([\d.]+) \+- ([\d.]+) deg \((\d+) answers\)"


def sweep(where, run, server, *more):
    done = subprocess.run([POV, *map(str, ("sweep", where, "--out", run, "--adaptive", 9, "--vlm", server.url, "--model", "m", *more))],
                          capture_output=True, text=True, timeout=250, env=ENVIRONMENT)
    return done.returncode, done.stderr


def check_flips(said):
    lines = re.findall(LINE, said)
    assert len(lines) == 8, said
    for _, relation, to_yes, yes_std, to_no, no_std, _ in lines:
        for at, std, expected in (to_yes, yes_std, BEST_DEG[relation] - 90), (to_no, no_std, BEST_DEG[relation] + 90):
            assert abs((float(at) - expected + 180) % 360 - 180) < 2 * float(std) and float(std) <= 9, (relation, at, std)
    return sum(int(line[-1]) for line in lines)


def the_report_tells_what_it_gives(folder, run):
    """Flips, and the frame that the answerer's rule is in; no curves, and no scores of the paper."""
    pov("report", run, "--out", folder / "page.html", "--markdown", folder / "page.md", "--csv", folder / "tables")
    words = (folder / "page.md").read_text()
    assert "chosen by the answers" in words and "## COMFORT" not in words, words
    with open(folder / "tables/all_flips.csv") as file:
        flips = list(csv.DictReader(file))
    assert len(flips) == 8, flips
    for row in flips:
        for at, expected in (row["yes_from"], BEST_DEG[row["relation"]] - 90), (row["yes_to"], BEST_DEG[row["relation"]] + 90):
            deg, std = map(float, at.split(" ± "))
            assert abs((deg - expected + 180) % 360 - 180) < 2 * std <= 18, row
    with open(folder / "tables/all_frames.csv") as file:
        assert {(row["prompt"], row["frame"]) for row in csv.DictReader(file)} == {(p, "egocentric reflected") for p in ("nop", "cam")}
    assert sorted(path.name for path in (folder / "tables").iterdir()) == ["all_agreement.csv", "all_flips.csv", "all_frames.csv"]
    assert "Where answers flip" in pov("compare", run)


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        where, run = station(folder), folder / "chosen"
        with Server(run) as server:
            code, said = sweep(where, run, server)
            asked = check_flips(said)
            assert code == 0 and f"{asked} questions at" in said and f"of {8 * 36}" in said and "8 of 8 curves are known to 9 deg" in said, said
            assert asked < 0.6 * 8 * 36, asked
            assert (asked,) == query(run, "SELECT count(*) FROM questions")[0]
            # Chosen by the answers, no image is a sample of COMFORT's curves, and no question is asked twice at an angle.
            assert query(run, "SELECT count(*) FROM images WHERE curve_deg IS NOT NULL") == [(0,)] and "need a sweep without --adaptive" in said
            assert query(run, "SELECT 1 FROM questions q JOIN images i ON i.id = q.image GROUP BY q.key, round(i.phi_deg / 5) % 72 HAVING count(*) > 1") == []
            code, said = sweep(where, run, server, "--resume")
            assert code == 0 and check_flips(said) == asked, said  # nothing is left to ask
        the_report_tells_what_it_gives(folder, run)
        for wrong in (["--turning", 5], ["--by-hand"], ["--images", folder], ["--shard", "1/2"]):
            pov("sweep", where, "--out", folder / "no", "--adaptive", 5, *wrong, code=2)
        for paper in "forest", "comfort,vsr":
            assert "COMFORT's questions" in pov("sweep", where, "--out", folder / "no", "--adaptive", 5, "--vlm", "http://127.0.0.1:1/v1", "--questions", paper, code=2)
        assert "name one by --vlm" in pov("sweep", where, "--out", folder / "no", "--adaptive", 5, code=2)
        assert not (folder / "no").exists()
    print("chosen by the answers")


if __name__ == "__main__":
    main()
