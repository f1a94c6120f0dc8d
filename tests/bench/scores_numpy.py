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
COMPARISONS = {"convention": ["ego_tran", "ego_rot", "ego_refl"], "perspective": ["ego_refl", "intrinsic", "add_refl"],
               "reading": READINGS}
MEASURES = ["accuracy", "eps_cos", "eps_hemi", "eps_clipped", "eta", "c_sym"]


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
            rms(q - np.maximum(0, np.cos(np.radians(theta)))),
            rms(ordered - filtfilt(b, a, ordered)), rms(ordered[i] - ordered[36 - i])]


def estimate(names, strata, resamples):
    """{name: means and 95 % intervals, over all and by stratum}, and the resampled means over all. strata: (unit, column) of each,
    the same units in all: a unit is drawn with all its strata, as the relations of a rotation are the same images."""
    by_stratum = np.array([units.mean(axis=0) for units in strata])
    result = {name: {"all": [by_stratum[:, k].mean()], "by": [[mean] for mean in by_stratum[:, k]]}
              for k, name in enumerate(names)}
    if not resamples:
        return result, None
    units = len(strata[0])
    which = np.random.default_rng(1).integers(units, size=(resamples, units))
    replicates = np.stack([stratum[which].mean(axis=1) for stratum in strata], axis=1)
    overall = replicates.mean(axis=1)
    for k, name in enumerate(names):
        result[name]["all"] += list(np.quantile(overall[:, k], [0.025, 0.975]))
        for s, row in enumerate(result[name]["by"]):
            row += list(np.quantile(replicates[:, s, k], [0.025, 0.975]))
    return result, overall


def prefer(names, estimates, overall):
    """The reading with the smallest error, and whether all others' margins over it are above 0."""
    best = min(names, key=lambda name: estimates[name]["all"][0])
    if overall is None:
        return best, None
    column = {name: overall[:, READINGS.index(name)] for name in names}
    return best, all(bool(np.quantile(column[name] - column[best], 0.025) > 0) for name in names if name != best)


def score(curves, prompt, resamples):
    """curves: {(scene, facing, variant, relation): p}"""
    units = sorted({key[:3] for key in curves})
    of = lambda relation, number: np.array([number(curves[s, f, v, relation], relation, f) for s, f, v in units])
    single = [of(relation, lambda p, r, f: measures(p, r, ASKED[prompt], f)) for relation in RELATIONS]
    scenes = sorted({(s, f) for s, f, _, _ in curves})
    sigma = []
    for relation in RELATIONS:
        spread = []
        for s, f in scenes:
            q = np.array([normalise(p) for (s2, f2, _, r), p in curves.items() if (s2, f2, r) == (s, f, relation)])
            spread.append([np.sqrt(np.mean((q - q.mean(axis=0)) ** 2))])
        sigma.append(np.array(spread))
    opposite = [np.array([[rms(normalise(curves[s, f, v, r]) + normalise(curves[s, f, v, OPPOSITE[r]]) - 1)] for s, f, v in units])
                for r in ("left", "front")]
    readings = [of(relation, lambda p, r, f: [eps_cos(p, r, reading, f) for reading in READINGS]) for relation in RELATIONS]
    result = {}
    for names, strata in (MEASURES, single), (["sigma"], sigma), (["c_opp"], opposite), (READINGS, readings):
        estimates, overall = estimate(names, strata, resamples)
        result.update(estimates)
    result["preferred"] = {key: prefer(names, estimates, overall) for key, names in COMPARISONS.items()}
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
