#!/usr/bin/python3
"""Recordings: what making them costs, what an image takes, how fast they are read.

recording.py POV [--images N] [--rounds N] [--smoke]

Cost is the processor time of `pov run --record` over that of `pov run` on the same images, in turns, as the median of pairs: once with
small JPEG files (284 x 284), once with 1280 x 720. The source reads files as they are: their coding is paid for in both. Reading is timed in the same run, on the same file, by
pov (pov_bench_read_recording: in process, best of five) and by npm's @mcap/core (Node.js: the same), beside each other; without node it is left out.
--smoke: few images, one round: that it works."""
import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

INTEROP = pathlib.Path(__file__).parents[1] / "interop"


def cpu_s(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def make_station(pov, folder, size):
    """A folder of JPEG files of one simulated table, and its station."""
    world = folder / "x".join(map(str, size))
    subprocess.run([pov, "sim", "comfort-ball", "--images", "12", "--size", f"{size[0]}x{size[1]}", "--quiet", "--out", world], check=True)
    import cv2
    (world / "jpeg").mkdir()
    for path in (world / "images").glob("*.png"):
        cv2.imwrite(str(world / "jpeg" / f"{path.stem}.jpg"), cv2.imread(str(path)), [cv2.IMWRITE_JPEG_QUALITY, 90])
    station = world / "jpeg.yaml"
    station.write_text((world / "station.yaml").read_text().replace("path: images", "path: jpeg, loop: true"))
    return station


def measure_cost(pov, folder, size, images, rounds):
    station = make_station(pov, folder, size)
    ratios = []
    for i in range(rounds):
        recording = station.parent / f"{i}.mcap"
        plain = ["run", station, "--no-publish", "--quiet", "--count", images]
        without, with_it = cpu_s(pov, *plain), cpu_s(pov, *plain, "--record", recording)
        ratios.append(with_it / without)
    info = json.loads(subprocess.run([pov, "info", recording, "--json"], capture_output=True, text=True, check=True).stdout)
    bare = station.parent / "bare.mcap"
    subprocess.run([pov, "cut", recording, bare, "--images", "none"], capture_output=True, check=True)
    print(f"{size[0]} x {size[1]}: {1000 * without / images:.2f} ms of processor an image, {100 * (statistics.median(ratios) - 1):+.1f} % recorded "
          f"({', '.join(f'{100 * (ratio - 1):+.1f}' for ratio in ratios)}); an image takes {info['images']['bytes'] / images / 1000:.1f} kB as it came, its "
          f"messages {bare.stat().st_size / images / 1000:.2f} kB", flush=True)
    return recording


def packages(build):
    """Node.js with the packages, or why not."""
    if not shutil.which("node") or not shutil.which("npm"):
        return "node and npm are not installed"
    build.mkdir(exist_ok=True)
    for file in INTEROP.iterdir():
        shutil.copy(file, build)
    if not (build / "node_modules/@mcap/core").is_dir():
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=build, capture_output=True, text=True)
        if done.returncode != 0:
            return "the npm packages cannot be had"
    return None


def measure_reading(pov, recording):
    mine = json.loads(subprocess.run([pov.parent / "tests/pov_bench_read_recording", recording], capture_output=True, text=True, check=True).stdout)
    megabytes = recording.stat().st_size * 1e-6
    print(f"reading {megabytes:.0f} MB, {mine['messages']} messages: pov {megabytes / mine['seconds']:.0f} MB/s", end="")
    build = pov.parent / "interop"
    why = packages(build)
    if why:
        print(f"; @mcap/core not measured: {why}")
        return
    for decode in "", "decode":
        theirs = json.loads(subprocess.run(["node", "read_speed.mjs", recording, decode], cwd=build, capture_output=True, text=True, check=True).stdout)
        assert theirs["messages"] == mine["messages"], (theirs, mine)
        print(f"; @mcap/core {'with protobuf ' if decode else ''}{megabytes / theirs['seconds']:.0f} MB/s, a "
              f"{mine['seconds'] / theirs['seconds']:.2f} of its time", end="")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pov", type=pathlib.Path)
    parser.add_argument("--images", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    images, rounds = (12, 1) if options.smoke else (options.images, options.rounds)
    pov = options.pov.resolve()
    with tempfile.TemporaryDirectory(prefix="pov-bench-recording-") as name:
        small = measure_cost(pov, pathlib.Path(name), (284, 284), images, rounds)
        large = measure_cost(pov, pathlib.Path(name), (1280, 720), max(images // 6, 2), rounds)
        for recording in small, large:
            measure_reading(pov, recording)


if __name__ == "__main__":
    sys.exit(main())
