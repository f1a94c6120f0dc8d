#!/usr/bin/env python3
"""Standard output on a full disk: every command says so and fails; a reader that has gone ends it."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

POV = os.environ["POV"]
SCENE = """camera: {position_m: [3, 0, 2], look_at_m: [0, 0, 0], sees: {horizontal_deg: 80, vertical_deg: 60, shape: frustum}}
entities:
  - {id: car, position_m: [0, 0, 0.15], size_m: [0.8, 0.4, 0.3], front_deg: 270}
  - {id: ball, position_m: [0.5, 0.4, 0.1], size_m: 0.2, shape: sphere}
"""
COMMANDS = ["--version", "--help", "help", "run --help", "relations", "relations near", "judge scene.yaml", "judge scene.yaml --json",
            "ask scene.yaml where.is.the.ball", "convert forest left --facing left --from camera --to relatum",
            "sim station --out drawn --images 2 --size 640x480", "run drawn/station.yaml --no-publish", "run drawn/station.yaml --no-publish --json",
            "run drawn/station.yaml --check"]


def check_unread_output(folder):
    """Nobody reads standard output: the wire goes on, and SIGTERM ends the program within two seconds. Of images that are judged once,
    a slow reader gets every line."""
    failures = []
    endpoint = f"ipc://{folder}/socket"
    run = subprocess.Popen([POV, "run", "drawn/station.yaml", "--json", "--loop", "--rate", "50", "--publish", endpoint], cwd=folder,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    heard = subprocess.run([POV, "listen", "--connect", endpoint, "--count", "40", "--timeout", "60"], capture_output=True)
    if heard.returncode != 0:
        failures.append(f"unread output stops the wire: {heard.stderr.decode()}")
    before = time.monotonic()
    run.terminate()
    said = run.stderr.read()
    if run.wait() != 0 or time.monotonic() - before > 10 or "was not read in time" not in said:  # 2 s, on a slow machine too
        failures.append(f"unread output: {run.returncode} after {time.monotonic() - before:.1f} s, {said!r}")
    run.stdout.close()
    subprocess.run([POV, "sim", "station", "--out", "many", "--images", "30", "--size", "64x48"], cwd=folder, capture_output=True)
    slow = subprocess.Popen([POV, "run", "many/station.yaml", "--json", "--no-publish", "--quiet"], cwd=folder, stdout=subprocess.PIPE)
    time.sleep(1)
    lines = slow.stdout.read().count(b"\n")
    if slow.wait() != 0 or lines != 30:
        failures.append(f"a slow reader got {lines} of 30 lines")
    return failures


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "scene.yaml").write_text(SCENE)
        for command in COMMANDS:
            words = [word.replace(".is.the.", " is the ") for word in command.split()]
            printed = subprocess.run([POV, *words], cwd=folder, capture_output=True)
            if printed.returncode != 0:
                failures.append(f"{command}: {printed.returncode} before the disk was full: {printed.stderr.decode()}")
            if not printed.stdout:
                continue
            with open("/dev/full", "wb") as full:
                said = subprocess.run([POV, *words], cwd=folder, stdout=full, stderr=subprocess.PIPE)
            if said.returncode != 1 or b"written" not in said.stderr and b"No space left" not in said.stderr:
                failures.append(f"{command}: {said.returncode}, {said.stderr.decode()!r}")
        looped = subprocess.Popen([POV, "run", "drawn/station.yaml", "--no-publish", "--json", "--loop", "--quiet"], cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        looped.stdout.readline()
        looped.stdout.close()
        try:
            looped.wait(120)
        except subprocess.TimeoutExpired:
            looped.kill()
            failures.append("run --loop goes on though nobody reads")
        failures += check_unread_output(folder)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())
