#!/usr/bin/python3
"""Faults put in on purpose: memory that runs out, a disk that fails a write once or is full from then on, a kill at any write.

    test_ordeal.py STEPS     so many points of each command, spread evenly; `./dev ordeal`
    test_ordeal.py           a few, without kills; as a test

Wanted: the command succeeds, or says what is wrong and exits with 1. It never crashes and never hangs. A sweep that was disturbed
is resumed without faults, and then has the same scores as one that was not. POV_FAILING_MALLOC: failing_malloc.c, built."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

POV = os.environ["POV"]
SHIM = os.environ.get("POV_FAILING_MALLOC")
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 0
TIMEOUT_S = 120
WRITES = "write,writev,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,mkdir,openat"
SCENE = """camera: {position_m: [3, 0, 2], look_at_m: [0, 0, 0], sees: {horizontal_deg: 80, vertical_deg: 60, shape: frustum}}
entities:
  - {id: car, position_m: [0, 0, 0.15], size_m: [0.8, 0.4, 0.3], front_deg: 270}
  - {id: ball, position_m: [0.5, 0.4, 0.1], size_m: 0.2, shape: sphere}
"""


def spread(count, steps):
    """From 1 to count; of one step, the middle."""
    return sorted({1 + (2 * i + 1) * count // (2 * steps) for i in range(steps)} & set(range(1, count + 1)))


class Tally:
    def __init__(self, what):
        self.what, self.points, self.survived, self.told, self.wrong = what, 0, 0, 0, []

    def judge(self, point, result, mute=False):
        """mute: it may have been killed, or standard error may have failed, too."""
        self.points += 1
        if result is None:
            self.wrong.append(f"{point}: hangs")
        elif result.returncode == 0:
            self.survived += 1
        elif result.returncode == 1 and (result.stderr or mute) or mute and result.returncode in (-9, 137):
            self.told += 1
        else:
            self.wrong.append(f"{point}: exit code {result.returncode}, {result.stderr[-200:]!r}")

    def print(self):
        print(f"{self.what:28} {self.points:4} points: {self.survived} survived, {self.told} ended in order, {len(self.wrong)} wrong", flush=True)
        for line in self.wrong[:20]:
            print("    " + line, flush=True)


def run(words, **options):
    try:
        return subprocess.run(list(map(str, words)), capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, **options)
    except subprocess.TimeoutExpired:
        return None


def starve(name, words, folder):
    """Each allocation of pov's own code fails once."""
    tally, count = Tally(f"memory: {name}"), folder / "count"
    environment = dict(os.environ, LD_PRELOAD=SHIM, POV_FAULT_COUNT=str(count), POV_FAULT="0")
    assert run([POV, *words], env=environment).returncode == 0, words
    for point in spread(int(count.read_text()), STEPS or 6):
        tally.judge(point, run([POV, *words], env=dict(environment, POV_FAULT=str(point))))
    tally.print()
    return tally


def count_writes(words, folder):
    log = folder / "strace"
    result = run(["strace", "-f", "-o", log, "-e", "trace=" + WRITES, POV, *words])
    assert result.returncode == 0, result.stderr
    counts = {}
    for line in log.read_text(errors="replace").splitlines():
        call = line.split(None, 1)[-1].split("(")[0]
        counts[call] = counts.get(call, 0) + 1
    return {call: count for call, count in counts.items() if call in WRITES.split(",")}


def sweep(folder, station, *more):
    return ["sweep", station, "--out", folder / "sweep", "--quiet", "--json", *more]


def scores_of(result):
    return json.loads(result.stdout) if result and result.returncode == 0 else result and (result.returncode, result.stderr)


def disturb_sweep(folder, station):
    """At each system call that changes the disk: it fails once, from then on, or the program is killed there."""
    reference = scores_of(run([POV, *sweep(folder, station)]))
    shutil.rmtree(folder / "sweep")
    counts = count_writes(sweep(folder, station), folder)
    shutil.rmtree(folder / "sweep")
    tallies = []
    for what, fault in ("fails once", "error=ENOSPC:when={}"), ("full from then on", "error=ENOSPC:when={}+"), ("killed", "signal=KILL:when={}"):
        if what == "killed" and not STEPS:
            continue
        tally = Tally(f"sweep's disk: {what}")
        for call, count in counts.items():
            if call == "openat" and what != "killed":
                continue  # libraries open files, too, and what they make of a missing one is theirs
            for point in spread(count, STEPS or 1):
                shutil.rmtree(folder / "sweep", ignore_errors=True)
                result = run(["strace", "-f", "-o", "/dev/null", "-e", f"inject={call}:" + fault.format(point), POV, *sweep(folder, station)])
                tally.judge(f"{call} {point}", result, what != "fails once")
                resumed = (folder / "sweep" / "log.sqlite").exists()
                after = scores_of(run([POV, *sweep(folder, station, *(["--resume"] if resumed else []))]))
                if not resumed and isinstance(after, tuple) and "there" in str(after):  # a folder without a log: remove it, as pov says
                    shutil.rmtree(folder / "sweep")
                    after = scores_of(run([POV, *sweep(folder, station)]))
                if after != reference:
                    tally.wrong.append(f"{call} {point}: afterwards {str(after)[:200]}")
        tally.print()
        tallies.append(tally)
    return tallies


def main():
    if not SHIM or not shutil.which("strace"):
        print("skipped: needs strace and the release build")
        return 77
    with tempfile.TemporaryDirectory(prefix="pov-ordeal-") as name:
        folder = pathlib.Path(name)
        scene, world = folder / "scene.yaml", folder / "world"
        scene.write_text(SCENE)
        assert run([POV, "sim", "station", "--images", 3, "--quiet", "--out", world]).returncode == 0
        station = world / "station.yaml"
        tallies = [starve("judge", ["judge", scene, "--json"], folder),
                   starve("ask", ["ask", scene, "where is the ball"], folder),
                   starve("run", ["run", station, "--json", "--publish", f"ipc://{folder}/socket", "--count", 2], folder),
                   starve("tags", ["tags", "sheet", "--out", folder / "sheet.pdf"], folder)]
        tallies += disturb_sweep(folder, station)
    return 1 if any(tally.wrong for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
