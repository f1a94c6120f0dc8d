#!/usr/bin/python3
"""What a call from Python costs over the same call in C, and a batch of scenes over the same scenes in C.

python.py POV [--rounds N] [--smoke]

C (pov_bench_judge_scenes) and Python judge the same scene, in turns; differences and ratios are of each pair of turns, and the median is told.
--smoke: one short round: that it works."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time


def best_ns(function, times, repeats=5):
    """Of one call: the mean over `times`, the least of `repeats`."""
    means = []
    for _ in range(repeats):
        began_ns = time.perf_counter_ns()
        for _ in range(times):
            function()
        means.append((time.perf_counter_ns() - began_ns) / times)
    return min(means)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pov", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    build, source = options.pov.resolve().parent, pathlib.Path(__file__).resolve().parents[2]
    os.environ["POV_LIBRARY"] = str(build / "libpov.so")
    sys.path.insert(0, str(source / "python"))
    import numpy as np
    import pov
    scene = pov.Scene([{"id": "ball", "position_m": [0.4, 0.1, 0.1], "position_std_m": 0.02, "size_m": 0.2},
                       {"id": "car", "position_m": [-0.1, 0, 0.15], "size_m": [0.8, 0.4, 0.3], "front_deg": 180, "front_std_deg": 5},
                       {"id": "woman", "position_m": [-1.5, 0.4, 0.8], "size_m": [0.3, 0.5, 1.6], "front_deg": 0, "front_std_deg": 5, "addressee": True}],
                      camera={"position_m": [0, -2, 1.2], "look_at_m": [0, 0, 0.1]})
    calls, scenes, rounds = (200, 200, 1) if options.smoke else (3000, 5000, options.rounds)
    angles = 0.001 * np.arange(scenes)
    positions = np.stack([np.cos(angles), np.sin(angles), np.full(scenes, 0.1)], axis=1)[:, None]
    query, pair, batch = [], [], []
    for _ in range(rounds):
        least = [min(numbers) for numbers in zip(*([float(word) for word in subprocess.run(
            [build / "tests/pov_bench_judge_scenes", str(calls), str(scenes)], check=True, capture_output=True, text=True).stdout.split()]
            for _ in range(3)))]
        query.append(best_ns(lambda: scene.evaluate("behind", "ball", "car"), calls) - least[0])
        pair.append(best_ns(lambda: scene.judge([("ball", "car")]), calls // 10) - least[1])
        judged = scene.judge_batch(["ball"], [("ball", "car")], positions_m=positions)
        assert judged.array.shape == (scenes, least[3]), (judged.array.shape, least)
        batch.append(best_ns(lambda: scene.judge_batch(["ball"], [("ball", "car")], positions_m=positions), 1) / scenes / least[2])
    print(f"a query: {statistics.median(query) / 1000:.1f} us more than in C ({least[0] / 1000:.1f} us there)")
    print(f"a pair in every frame, {least[3]:.0f} judgments: {statistics.median(pair) / 1000:.1f} us more ({least[1] / 1000:.1f} us there)")
    print(f"a batch of {scenes} scenes, {least[3]:.0f} judgments each: {statistics.median(batch):.2f} times as long as in C "
          f"({least[2] / 1000:.1f} us a scene there; {min(batch):.2f} to {max(batch):.2f})")


if __name__ == "__main__":
    main()
