#!/usr/bin/python3
"""Every number of COMFORT's Tables 2 to 5 and 7 to 10, of six models, five languages and six scenes, computed anew from the CSV of
answers alone (Zhang et al. 2025, sections 3.4 to 3.6), beside those of `pov report`. The answers come in six files, one a scene."""
import csv
import itertools
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

POV = os.environ["POV"]
TURN = {"front": 0, "left": 90, "behind": 180, "right": 270}  # counter-clockwise from an axis
KEYS = {"back": "behind", "front": "front", "left": "left", "right": "right"}
OPPOSITE = {"left": "right", "right": "left", "front": "behind", "behind": "front"}
CONVENTION = {"en": "refl", "de": "refl", "fr": "refl", "ta": "rot", "ha": "tran"}  # docs/LANGUAGES.md
CONVENTIONS = {"translated": "tran", "rotated": "rot", "reflected": "refl"}
READINGS = ["intrinsic"] + [f"{who}_{how}" for who in ("ego", "add") for how in ("tran", "rot", "refl")]
FACING = {"left": 270, "right": 90}
PHI = np.arange(0, 360, 10)
ASKED = {"ego": "cam", "int": "rel", "add": "add"}
failures, compared = [], 0
BASELINES = {"Random (30 trials)", 'Always "yes"'}
ANY = {"any": "refl"}  # the baselines' language
own_trials = None  # of random answers: [number in the tables' order] of text, numbers


def near(what, text, expected):
    global compared
    compared += 1
    if own_trials is not None:
        own_trials[-1].append((what, text, expected))
        return
    value = float(text) if text else math.nan
    if not (abs(value - expected) < 1e-9 or math.isnan(value) and math.isnan(expected)):
        failures.append(f"{what}: {text}, not {expected}")


def direction(relation, reading, facing):
    if reading == "intrinsic":
        return FACING[facing] + TURN[relation] if facing else math.nan
    axis = {"ego": 180, "add": 90}[reading[:3]]
    turned = reading.endswith("rot") or reading.endswith("refl") and relation in ("front", "behind")
    return (axis + TURN[relation] + 180 * turned) % 360


# ---- the answers ------------------------------------------------------------------------------------------------------------

def answers(folder):
    """Each model has its frame, its noise and its share of refusals."""
    rng = np.random.default_rng(7)
    models = {"perfect": (None, 0.0, 0), "noisy": (None, 0.2, 0), "english": ("ego_refl", 0.05, 0), "addressee": ("add_refl", 0.1, 0.02),
              "shy": (None, 0.05, 0.6), "coin": (None, 3.0, 0)}
    columns = ["model", "language", "convention", "scene", "variant", "prompt", "relation", "phi_deg", "relatum_facing", "addressee_facing", "p_yes",
               "answer", "kind", "gold", "gold_p", "present", "run", "simulated"]
    units = [(f"s{i // 2}", "ab"[i % 2], "left" if i < 2 else "right") for i in range(6)]
    for number, (scene, variant, facing) in enumerate(units):
        with open(folder / f"{number}.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            for (model, (frame, noise, refusals)), language, car in itertools.product(models.items(), CONVENTION, (facing, "")):
                for prompt in ("nop", "cam", "add", "rel") if car else ("nop", "cam"):
                    own = {"add": f"add_{CONVENTION[language]}", "rel": "intrinsic"}.get(prompt, f"ego_{CONVENTION[language]}")
                    for relation in TURN:
                        theta = np.radians(PHI - direction(relation, frame or own, car or "left"))
                        p = np.clip(0.5 + 0.4 * np.cos(theta) + noise * rng.normal(size=36), 0, 1)
                        for phi, value in zip(PHI, p):
                            refused = rng.random() < refusals
                            edge = (phi - direction(relation, own, car or "left")) % 180 == 90
                            writer.writerow([model, language, "", scene, variant, prompt, relation, phi, car, "right",
                                             "" if refused else f"{value:.6f}", "I cannot tell." if refused else "", "refused" if refused else "tokens",
                                             "" if edge else "yes", "0.5" if edge else "0.9", "", f"run {number}", "no"])
                for present in ("yes", "no"):
                    writer.writerow([model, language, "", "", "", "", "", "", car, "", f"{rng.random():.3f}", "", "tokens", "", "", present,
                                     f"run {number}", "no"])
    return list(models)


# ---- the measures -----------------------------------------------------------------------------------------------------------

def read(folder):
    """{(model, language, facing or ""): {(prompt, relation): {(scene, variant): p}}}, and object presence."""
    curves, presence = {}, {}
    for path in sorted(folder.glob("?.csv")):
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                who, car = (row["model"], row["language"]), row["relatum_facing"]
                if row["present"]:
                    presence.setdefault((*who, bool(car)), []).append((float(row["p_yes"]) >= 0.5, row["present"] == "yes"))
                    continue
                key = (*who, bool(car), row["prompt"], row["relation"])
                p = curves.setdefault(key, {}).setdefault((row["scene"], car, row["variant"]), np.full(36, np.nan))
                if row["p_yes"]:
                    p[int(row["phi_deg"]) // 10] = float(row["p_yes"])
    return curves, presence


def stretched(p):
    low, high = np.nanmin(p), np.nanmax(p)
    return (p - low) / (high - low) if high > low else np.where(np.isnan(p), np.nan, 0.0)


def rms(x):
    return math.sqrt(np.nanmean(np.square(x))) if np.isfinite(x).any() else math.nan


def accuracy(p, theta):
    scored = ~np.isnan(p)
    return np.mean((p > 0.5)[scored] == (np.cos(np.radians(theta)) > 1e-9)[scored]) if scored.any() else math.nan


def eps_cos(p, theta):
    return rms(stretched(p) - (np.cos(np.radians(theta)) + 1) / 2)


def eps_hemi(p, theta):
    return rms(stretched(p) - (np.cos(np.radians(theta)) > 1e-9))


def eta(p, axis):
    from scipy.signal import butter, filtfilt
    if np.isnan(p).any():
        return math.nan
    ordered = np.roll(stretched(p), -(int(axis) // 10 + 18))
    return rms(ordered - filtfilt(*butter(5, 0.2), ordered))


def c_sym(p, axis):
    ordered = np.roll(stretched(p), -(int(axis) // 10 + 18))
    i = np.arange(1, 18)
    return rms(ordered[i] - ordered[36 - i])


def mean(values):
    values = [value for value in values if not math.isnan(value)]
    return float(np.mean(values)) if values else math.nan


class Group:
    """The answers of a model and language about one set, asked with one prompt."""

    def __init__(self, curves, model, language, car, prompt):
        self.of = {relation: curves.get((model, language, car, prompt, relation), {}) for relation in TURN}

    def by_relation(self, measure, relation, reading):
        return mean(measure(p, PHI - direction(relation, reading, unit[1])) for unit, p in self.of[relation].items())

    def all(self, measure, reading):
        return mean(self.by_relation(measure, relation, reading) for relation in TURN)

    def by_axis(self, measure, reading):
        plain = reading if reading == "intrinsic" else reading[:3] + "_tran"
        return mean(mean(measure(p, direction(relation, plain, unit[1]) % 360) for unit, p in self.of[relation].items()) for relation in TURN)

    def sigma(self):
        found = []
        for relation, units in self.of.items():
            deviations = []
            for scene in {unit[:2] for unit in units}:
                variants = np.array([stretched(p) for unit, p in units.items() if unit[:2] == scene])
                several = (~np.isnan(variants)).sum(axis=0) > 1
                if several.any():
                    deviations.append(rms((variants - np.nanmean(variants, axis=0))[:, several]))
            found.append(mean(deviations))
        return mean(found)

    def c_opp(self):
        return mean(mean(rms(stretched(p) + stretched(self.of[OPPOSITE[relation]][unit]) - 1) for unit, p in self.of[relation].items())
                    for relation in ("left", "front"))

    def without(self, other):
        """Only what another group answered, too."""
        group = Group.__new__(Group)
        group.of = {relation: {unit: np.where(np.isnan(other.of[relation][unit]), np.nan, p) for unit, p in units.items()}
                    for relation, units in self.of.items()}
        return group


def f1(presence):
    hits = sum(yes and there for yes, there in presence)
    wrong = sum(yes != there for yes, there in presence)
    return 2 * hits / (2 * hits + wrong)


# ---- the tables -------------------------------------------------------------------------------------------------------------

only_of = None  # a baseline; None: the models


def rows(folder, name):
    with open(folder / "tables" / f"comfort_{name}.csv", newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file)
                if (row["model"] == only_of if only_of else row["model"] not in BASELINES)]


def table_2(folder, group):
    for row in rows(folder, "table2"):
        g = group(row, "cam", row["set"] == "CAR")
        for key, relation in KEYS.items():
            lateral = key in ("left", "right")
            near(f"Table 2 {key}", row[f"{key}_same"], g.by_relation(eps_cos, relation, "ego_tran"))
            near(f"Table 2 {key} reversed", row[f"{key}_rev"], g.by_relation(eps_cos, relation, "ego_rot" if lateral else "ego_refl"))
        errors = {name: g.all(eps_cos, f"ego_{how}") for name, how in CONVENTIONS.items()}
        for name, value in errors.items():
            near(f"Table 2 {name}", row[f"all_{name}"], value)
        if row["model"] in ("perfect", "shy"):
            check = row["preferred"] == min(errors, key=errors.get)
            near(f"Table 2 {row} prefers {row['preferred']}", "1" if check else "0", 1)


def table_3(folder, group):
    for row in rows(folder, "table3"):
        g, how = group(row, "nop", True), (CONVENTION | ANY)[row["language"]]
        frames = {"ego": f"ego_{how}", "int": "intrinsic", "add": f"add_{how}"}
        for short, reading in frames.items():
            for key, relation in KEYS.items():
                near(f"Table 3 {key} {short}", row[f"{key}_{short}"], g.by_relation(eps_cos, relation, reading))
            near(f"Table 3 {short}", row[f"all_{short}"], g.all(eps_cos, reading))


def table_4(folder, group):
    for row in rows(folder, "table4"):
        how, before, sums = (CONVENTION | ANY)[row["language"]], group(row, "nop", True), {}
        for short, prompt in ASKED.items():
            reading = "intrinsic" if short == "int" else f"{short}_{how}"
            g = group(row, prompt, True)
            for name, measure in ("accuracy", accuracy), ("eps_cos", eps_cos):
                value = g.all(measure, reading)
                change = g.without(before).all(measure, reading) - before.without(g).all(measure, reading)
                near(f"Table 4 {short} {name}", row[f"{short}_{name}"], value)
                near(f"Table 4 {short} {name} change", row[f"{short}_{name}_change"], change)
                sums.setdefault(name, []).append(value)
                sums.setdefault(f"{name}_change", []).append(change)
        for name, values in sums.items():
            near(f"Table 4 all {name}", row[f"all_{name}"], sum(values) / 3)


def table_5(folder, group, presence):
    for row in rows(folder, "table5"):
        reading = f"ego_{(CONVENTION | ANY)[row['language']]}"
        for car, name in (False, "BALL"), (True, "CAR"):
            g = group(row, "cam", car)
            for key, value in {"object_f1": f1(presence[row["model"], row["language"], car]), "accuracy": g.all(accuracy, reading),
                               "eps_cos": g.all(eps_cos, reading), "eps_hemi": g.all(eps_hemi, reading), "sigma": g.sigma(),
                               "eta": g.by_axis(eta, reading), "c_sym": g.by_axis(c_sym, reading), "c_opp": g.c_opp()}.items():
                near(f"Table 5 {row['model']} {row['language']} {name} {key}", row[f"{key}_{name}"], value)


def tables_7_to_9(folder, group):
    """Each frame, relation by relation."""
    for name, prompts in ("table7", ("cam",)), ("table8", ("nop",)), ("table9", tuple(ASKED.values())):
        for row in rows(folder, name):
            how = (CONVENTION | ANY)[row["language"]]
            reading = f"ego_{CONVENTIONS[row['frame']]}" if row["frame"] in CONVENTIONS else \
                {"egocentric": f"ego_{how}", "intrinsic": "intrinsic", "addressee": f"add_{how}"}[row["frame"]]
            prompt = ASKED[reading[:3]] if name == "table9" else prompts[0]
            g = group(row, prompt, row["set"] == "CAR")
            for key, measure in ("accuracy", accuracy), ("eps_hemi", eps_hemi), ("eps_cos", eps_cos):
                near(f"{name} {row}", row[key], g.all(measure, reading) if row["relation"] == "aggregated" else
                     g.by_relation(measure, KEYS[row["relation"]], reading))


def table_10(folder, group):
    for row in rows(folder, "reading"):
        g = group(row, row["prompt"], row["set"] == "CAR")
        for reading in READINGS:
            near(f"Table 10 {reading}", row[reading], g.all(eps_cos, reading))
            near("Table 10 counts scenes", row[f"{reading}_n"], 6)


# ---- the baselines ------------------------------------------------------------------------------------------------------------

def baseline(folder, curves, presence, model, answer):
    """All tables' rows of a model that answers the same questions so."""
    global only_of
    only_of = model
    own, own_presence = {}, {}
    for (_, _, car, prompt, relation), units in curves.items():
        for language in ANY:
            of = own.setdefault((model, language, car, prompt, relation), {})
            for unit in units:
                of.setdefault(unit, answer(36))
    for (_, _, car), asked in presence.items():
        for language in ANY:
            own_presence[model, language, car] = [(answer(1)[0] >= 0.5, there) for _, there in asked]
    groups = {}
    group = lambda row, prompt, car: groups.setdefault((row["language"], car, prompt), Group(own, model, row["language"], car, prompt))
    table_2(folder, group)
    table_3(folder, group)
    table_4(folder, group)
    table_5(folder, group, own_presence)
    tables_7_to_9(folder, group)
    only_of = None


def baselines(folder, curves, presence):
    global own_trials
    baseline(folder, curves, presence, 'Always "yes"', np.ones)
    rng, own_trials = np.random.default_rng(11), []
    for _ in range(8):
        own_trials.append([])
        baseline(folder, curves, presence, "Random (30 trials)", rng.random)
    trials, own_trials = own_trials, None
    for cells in zip(*trials):
        what, text, _ = cells[0]
        numbers = np.array([number for _, _, number in cells])
        # A spread of eight trials is itself within a factor of two; the largest of some 300 such t lies below 8.
        room = 8 * numbers.std(ddof=1) * math.sqrt(1 / 30 + 1 / len(numbers))
        if not abs(float(text) - numbers.mean()) <= room + 1e-9:
            failures.append(f"random, {what}: {text}, not {numbers.mean()} +- {room}")


def main():
    try:
        import scipy  # noqa: F401
    except ImportError:
        print("skipped: no scipy")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        models = answers(folder)
        done = subprocess.run([POV, "report", *(f"{i}.csv" for i in range(6)), "--out", "r.html", "--csv", "tables", "--resamples", "100"],
                              capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0, done.stderr
        curves, presence = read(folder)
        groups = {}
        group = lambda row, prompt, car: groups.setdefault((row["model"], row["language"], car, prompt),
                                                           Group(curves, row["model"], row["language"], car, prompt))
        table_2(folder, group)
        table_3(folder, group)
        table_4(folder, group)
        table_5(folder, group, presence)
        tables_7_to_9(folder, group)
        table_10(folder, group)
        baselines(folder, curves, presence)
        for table in "table2", "table3", "table4", "table5", "table8":
            who = {(row["model"], row["language"]) for row in rows(folder, table)}
            if who != set(itertools.product(models, CONVENTION)):
                failures.append(f"{table} is of {who}")
    print("\n".join(list(dict.fromkeys(failures))[:30]) or f"all {compared} numbers as recomputed")
    return 1 if failures or compared < 5000 else 0


if __name__ == "__main__":
    sys.exit(main())
