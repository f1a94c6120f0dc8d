#!/usr/bin/python3
"""pov demo --cameras: each camera's images are annotated apart, and what it says each camera saw is what the truth's pixels show; a
recording of both cameras is judged again to the byte, and either can be cut out of it; pov doctor looks at both."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

POV = os.environ["POV"]
BALLS = ("red_ball", "blue_ball", "green_ball")
HIDDEN_PX, PLAIN_PX = 200, 1000  # of a ball: fewer is hardly seen, more surely


def pov(*arguments, cwd):
    return subprocess.run([POV, *arguments], capture_output=True, text=True, cwd=cwd)


def check_recording(folder):
    then = pov("run", "cameras/station.yaml", "--json", "--no-publish", "--quiet", "--record", "both.mcap", cwd=folder)
    assert then.returncode == 0, then.stderr
    again = pov("run", "cameras/station.yaml", "--json", "--no-publish", "--quiet", "--images", "both.mcap", cwd=folder)
    assert again.stdout == then.stdout, again.stderr
    assert [json.loads(line)["image"]["camera"] for line in then.stdout.splitlines()].count("b") == 4
    topics = pov("info", "both.mcap", cwd=folder).stdout
    for camera in "ab":
        for topic in ("header", "image", "annotations"):
            assert re.search(rf"^  /camera/{camera}/{topic}\s+4 ", topics, re.M), topics
    whole = pov("replay", "both.mcap", "--json", cwd=folder).stdout.splitlines()
    for arguments in (("export", "both.mcap", "--csv", "tables"), ("export", "both.mcap", "--ros2", "ros2.mcap")):
        refused = pov(*arguments, cwd=folder)
        assert refused.returncode == 1 and "holds 2 cameras" in refused.stderr, refused
    assert "has 'a', 'b'" in pov("cut", "both.mcap", "c.mcap", "--camera", "c", cwd=folder).stderr
    assert pov("cut", "both.mcap", "b.mcap", "--camera", "b", cwd=folder).returncode == 0
    assert pov("replay", "b.mcap", "--json", cwd=folder).stdout.splitlines() == [line for line in whole if json.loads(line)["image"]["camera"] == "b"]
    assert pov("export", "b.mcap", "--csv", "tables", cwd=folder).returncode == 0
    assert "0 of them differ" in pov("diff", "both.mcap", "both.mcap", cwd=folder).stdout


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
        check_recording(folder)
        checks = pov("doctor", "cameras/station.yaml", cwd=folder).stdout
        assert "station.yaml is good" in checks and re.search(r"^ok +images +camera b: 4 in", checks, re.M), checks
        wrong = subprocess.run([POV, "demo", "--cameras", "2", "--experiment"], capture_output=True, text=True)
        assert wrong.returncode == 2 and "exclude each other" in wrong.stderr


if __name__ == "__main__":
    main()
