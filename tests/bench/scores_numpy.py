#!/usr/bin/python3
"""COMFORT's measures written plainly with numpy and scipy: what `pov score` is measured against and checked with.

scores_numpy.py ANSWERS.csv reads commands from stdin, one a line, and answers each with one line:
  measures            score all curves, means only
  intervals N         the same, with bootstrap intervals of N resamples
  print               the last result as JSON
"""
import csv
import json
import sys

import numpy as np
from scipy.signal import butter, filtfilt

RELATIONS = ["left", "right", "front", "behind"]
OPPOSITE = {"left": "right", "right": "left", "front": "behind", "behind": "front"}
TURN = {"front": 0, "left": 90, "behind": 180, "right": 270}  # counter-clockwise from an axis
FACING = {"right": 90, "left": 270}
PHI = np.arange(0, 360, 10)
ASKED = {"nop": "ego_refl", "cam": "ego_refl", "add": "add_refl", "rel": "intrinsic"}
READINGS = ["intrinsic", "ego_tran", "ego_rot", "ego_refl", "add_tran", "add_rot", "add_refl"]
MEASURES = ["accuracy", "eps_cos", "eps_hemi", "eta", "c_sym"]


def direction(relation, reading, facing):
    """The azimuth at which a relation holds best."""
    if reading == "intrinsic":
        return (FACING[facing] + TURN[relation]) % 360
    axis = {"ego": 180, "add": 90}[reading[:3]]  # the camera looks along 180, the addressee along 90
    turned = reading.endswith("rot") or reading.endswith("refl") and relation in ("front", "behind")
    return (axis + TURN[relation] + 180 * turned) % 360


def normalise(p):
    low, high = p.min(), p.max()
    return (p - low) / (high - low) if high > low else np.zeros_like(p)


def hemisphere(theta):
    return (np.abs((theta + 180) % 360 - 180) < 90).astype(float)


def cosine(theta):
    return (np.cos(np.radians(theta)) + 1) / 2


def rms(x):
    return np.sqrt(np.mean(np.square(x)))


def eps_cos(p, relation, reading, facing):
    return rms(normalise(p) - cosine(PHI - direction(relation, reading, facing)))


def measures(p, relation, reading, facing):
    theta = PHI - direction(relation, reading, facing)
    q = normalise(p)
    axis = direction(relation, reading[:3] + "_tran" if reading != "intrinsic" else reading, facing)
    ordered = np.roll(q, -(axis // 10 + 18))
    b, a = butter(5, 0.2)
    i = np.arange(1, 18)
    return [np.mean((p > 0.5) == (hemisphere(theta) > 0.5)), rms(q - cosine(theta)), rms(q - hemisphere(theta)),
            rms(ordered - filtfilt(b, a, ordered)), rms(ordered[i] - ordered[36 - i])]


def estimate(strata, resamples):
    """Mean of the strata's means of units (unit, column), with 95 % intervals."""
    mean = np.mean([units.mean(axis=0) for units in strata], axis=0)
    if not resamples:
        return mean, None
    rng = np.random.default_rng(1)
    replicates = np.empty((resamples, len(mean)))
    for r in range(resamples):
        replicates[r] = np.mean([units[rng.integers(len(units), size=len(units))].mean(axis=0) for units in strata],
                                axis=0)
    return mean, np.quantile(replicates, [0.025, 0.975], axis=0)


def score(curves, prompt, resamples):
    """curves: {(scene, facing, variant, relation): p}"""
    single = [np.array([measures(p, r, ASKED[prompt], f) for (_, f, _, r), p in curves.items() if r == relation])
              for relation in RELATIONS]
    scenes = sorted({(s, f) for s, f, _, _ in curves})
    sigma = []
    for relation in RELATIONS:
        units = []
        for s, f in scenes:
            q = np.array([normalise(p) for (s2, f2, _, r), p in curves.items() if (s2, f2, r) == (s, f, relation)])
            units.append([np.sqrt(np.mean((q - q.mean(axis=0)) ** 2))])
        sigma.append(np.array(units))
    opposite = [np.array([[rms(normalise(p) + normalise(curves[s, f, v, OPPOSITE[r]]) - 1)]
                          for (s, f, v, r), p in curves.items() if r == relation]) for relation in ("left", "front")]
    readings = [np.array([[eps_cos(p, r, reading, f) for reading in READINGS] for (_, f, _, r), p in curves.items()
                          if r == relation]) for relation in RELATIONS]
    result = {}
    for names, strata in (MEASURES, single), (["sigma"], sigma), (["c_opp"], opposite), (READINGS, readings):
        mean, bounds = estimate(strata, resamples)
        for k, name in enumerate(names):
            result[name] = [mean[k]] + ([] if bounds is None else list(bounds[:, k]))
    return result


def read(path):
    groups = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = row["scene"], row["relatum_facing"], row["variant"], row["relation"]
            curve = groups.setdefault(row["prompt"], {}).setdefault(key, np.full(36, np.nan))
            curve[int(row["phi_deg"]) // 10] = float(row["p_yes"])
    return groups


def main():
    groups, result = read(sys.argv[1]), None
    for line in sys.stdin:
        verb, *argument = line.split()
        if verb == "print":
            print(json.dumps(result), flush=True)
            continue
        result = {prompt: score(curves, prompt, int(argument[0]) if argument else 0)
                  for prompt, curves in groups.items()}
        print("done", flush=True)


if __name__ == "__main__":
    main()
