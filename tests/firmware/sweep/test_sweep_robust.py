#!/usr/bin/python3
"""FlipEval and CircularEval: the mirrored image is really sent, its golds are those of a world with left and right exchanged, options are
asked in all rotations; and robust and chance-adjusted accuracy are what a model's bias implies, worked out here from the questions alone."""
import collections
import hashlib
import json
import pathlib
import re
import sys

import cv2

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import Server, pov, query, station

BIASES = ("first-option", "flip-wrong")


def questions(run):
    rows = query(run, "SELECT q.key, q.paper, q.form, q.gold, q.columns, i.path, i.sha256, i.stop, q.prompt, coalesce(q.system, '') FROM questions q"
                      " JOIN images i ON i.id = q.image")
    names = ("key", "paper", "form", "gold", "columns", "path", "sha256", "stop", "prompt", "system")
    all_of = [dict(zip(names, row)) for row in rows]
    for q in all_of:
        q["columns"] = json.loads(q["columns"])
        q["flip"] = q["key"].endswith("+flip")
        rotation = re.search(r"\+r(\d)", q["key"])
        q["rotation"] = int(rotation[1]) if rotation else 0
        q["base"] = (q["stop"], re.sub(r"\+r\d|\+flip", "", q["key"]))
        q["options"] = q["columns"].get("options", "").split("|")
    return all_of


def the_image_is_mirrored(run, asked):
    for q in asked:
        assert q["columns"]["flip"] == ("yes" if q["flip"] else "no") and q["columns"]["circular"] == str(q["rotation"]), q
        if not q["flip"]:
            assert "picture_path" not in q["columns"]
            continue
        path = run / q["columns"]["picture_path"]
        assert hashlib.sha256(path.read_bytes()).hexdigest() == q["columns"]["picture_sha256"] != q["sha256"]
        plain, mirrored = cv2.imread(str(run / q["path"])), cv2.imread(str(path))
        assert (plain[:, ::-1] == mirrored).all() and (plain != mirrored).any(), path


def golds_are_of_the_mirrored_world(asked):
    """Asked of the mirror image, left has the gold that right has in the image as it was taken."""
    swap, known = {"left": "right", "right": "left"}, {(q["stop"], q["key"]): q for q in asked}
    lateral = differ = 0
    for q in asked:
        if not q["flip"]:
            continue
        plain = known[q["stop"], q["key"].removesuffix("+flip")]
        if q["paper"] == "comfort" and q["columns"].get("relation"):
            other = q["columns"]["relation"]
            key = plain["key"].replace(f"/{other}_of/", f"/{swap.get(other, other)}_of/")
            assert q["gold"] == known[q["stop"], key]["gold"], (q["key"], q["gold"])
            lateral += other in swap
            differ += q["gold"] != plain["gold"]
        if q["paper"] == "forest":
            assert q["gold"] == "|".join(sorted((swap.get(g, g) for g in plain["gold"].split("|")), key=q["options"].index)), q["key"]
    assert lateral >= 8 and differ >= 4, (lateral, differ)


def options_rotate(asked):
    orders = collections.defaultdict(dict)
    for q in asked:
        if q["form"] == "option":
            orders[q["base"], q["flip"]][q["rotation"]] = q["options"]
            if q["system"].startswith("Answer with one of"):
                assert ", ".join(q["options"]) in q["system"], q["system"]
    for of in orders.values():
        first = of[0]
        assert sorted(of) == list(range(len(first))), of
        assert all(options == first[r:] + first[:r] for r, options in of.items()), of


def expected(asked, bias):
    """By paper: shares right in each setting, and the adjusted ones, of a model that is known by its bias alone."""
    units = collections.defaultdict(dict)
    for q in asked:
        if not q["gold"]:
            continue
        golds = q["gold"].split("|")
        right = (q["options"][0] in golds) if bias == "first-option" and q["form"] == "option" else not (bias == "flip-wrong" and q["flip"])
        chance = (len(golds) if q["paper"] == "forest" else 1) / len(q["options"]) if q["form"] == "option" else 0.5
        units[q["paper"], q["base"]][q["flip"], q["rotation"]] = (right, chance)
    sums = collections.defaultdict(lambda: collections.defaultdict(list))
    for (paper, _), ways in units.items():
        of = {"plain": [w for way, w in ways.items() if way == (False, 0)], "flip": [w for way, w in ways.items() if way[1] == 0],
              "circular": [w for way, w in ways.items() if not way[0]], "robust": list(ways.values())}
        for setting, parts in of.items():
            chance = 1
            for _, c in parts:
                chance *= c
            sums[paper][setting].append((all(right for right, _ in parts), chance))
    found = {}
    for paper, settings in sums.items():
        row = {setting: sum(right for right, _ in parts) / len(parts) for setting, parts in settings.items()}
        for name, setting in (("caa", "plain"), ("caa_robust", "robust")):
            parts = settings[setting]
            luck = sum(c for _, c in parts)
            row[name] = (sum(right for right, _ in parts) - luck) / (len(parts) - luck)
        found[paper] = row
    return found


def tables_are_what_the_bias_implies(run, asked):
    for bias in BIASES:
        with Server(run, "--bias", bias) as server:
            pov("compare", run, "--vlm", server.url, "--model", bias, "--json", "--no-publish")
    tables = json.loads(pov("compare", run, "--json"))["robust"]
    for bias in BIASES:
        for paper, row in expected(asked, bias).items():
            found = next(t for t in tables if t["model"] == bias and t["paper"] == paper and t["by"] == "all")
            for key, value in row.items():
                if key == "circular" and paper != "forest":
                    continue
                assert abs(found[key]["mean"] - value) < 1e-9, (bias, paper, key, found[key], value)
            assert found["incomplete"] == 0, found
        assert expected(asked, "flip-wrong")["comfort"]["flip"] == 0 and expected(asked, "flip-wrong")["comfort"]["plain"] == 1
        assert expected(asked, "first-option")["forest"]["circular"] < 0.2 < expected(asked, "first-option")["comfort"]["robust"]


def a_file_of_answers_in_another_benchmarks_ids(folder):
    """3DSRBench's qid: eight characters, the rotation, "-flip"."""
    path = folder / "answers.csv"
    rows = ["qid,task,options,gold,answer,paper,model"]
    for i, wrong in enumerate(("", "-1-flip", "-1")):
        for qid, options in (("-0", "left|right"), ("-1", "right|left"), ("-0-flip", "left|right"), ("-1-flip", "right|left")):
            rows.append(f"QUESTIO{i}{qid},side,{options},left,{'right' if qid == wrong else 'left'},sphere,m")
    path.write_text("\n".join(rows) + "\n")
    row = json.loads(pov("score", path, "--json"))["robust"][0]
    found = {key: round(row[key]["mean"], 6) for key in ("plain", "flip", "circular", "robust")}
    assert found == {"plain": 1, "flip": 1, "circular": round(2 / 3, 6), "robust": round(1 / 3, 6)} and row["questions"] == 3, row


def exports(run, folder):
    rows = [json.loads(line) for line in pov("compare", run, "--export", "jsonl", "--paper", "comfort").splitlines()]
    plain = {(r["model"], r["key"], r["stop"]): r for r in rows}
    flipped = [r for r in rows if r["flip"] == "yes"]
    assert flipped and all(r["language"] == "en+flip" and r["image_path"].endswith("-flip.png") for r in flipped), flipped[0]
    for r in flipped:
        of = plain[r["model"], r["key"].removesuffix("+flip"), r["stop"]]
        assert r["sha256"] != of["sha256"]
        if r.get("phi_deg") not in (None, "") and of.get("phi_deg") not in (None, ""):
            assert (float(r["phi_deg"]) + float(of["phi_deg"])) % 360 == 0, (r["phi_deg"], of["phi_deg"])
    pov("export", run, folder / "set", "--dataset", "jsonl")
    lines = [json.loads(line) for line in (folder / "set/questions.jsonl").read_text().splitlines()]
    mirrored = [line for line in lines if line["id"].endswith("+flip")]
    assert mirrored and all(hashlib.sha256((folder / "set" / line["image"]).read_bytes()).hexdigest() == line["image_sha256"] for line in mirrored)


def misuse(run):
    assert "forest, viewspatial" in pov("compare", run, "--questions", "comfort", "--circular", code=2)
    assert "not mirrored" in pov("compare", run, "--questions", "mindcube", "--flip", code=2)
    assert "another paper" in pov("compare", run, "--questions", "mindcube", "--guided", "view", code=2)


def lettered_options_rotate_with_their_golds(folder):
    run = folder / "lettered"
    pov("sweep", station(folder), "--out", run, "--angles", 2, "--quiet", "--questions", "viewspatial,3dsrbench,mindcube", "--circular", "--flip")
    asked = questions(run)
    plain = {(q["base"], q["flip"]): q for q in asked if not q["rotation"]}
    rotated = [q for q in asked if q["rotation"]]
    assert {q["paper"] for q in rotated} >= {"viewspatial", "3dsrbench"} and any(q["flip"] for q in asked), len(rotated)
    assert not any(q["flip"] for q in asked if q["paper"] == "mindcube")
    for q in rotated:
        by, of = q["rotation"], plain[q["base"], q["flip"]]
        assert q["options"] == of["options"][by:] + of["options"][:by] and q["gold"] == of["gold"], (q, of)
        assert all(f"{chr(65 + i)}. {option}" in q["prompt"] for i, option in enumerate(q["options"])), q


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        run = folder / "run"
        pov("sweep", station(folder), "--out", run, "--angles", 4, "--quiet", "--questions", "comfort,forest", "--flip")
        pov("compare", run, "--circular", "--flip", "--questions", "forest") # adds what is missing
        asked = questions(run)
        the_image_is_mirrored(run, asked)
        golds_are_of_the_mirrored_world(asked)
        options_rotate(asked)
        tables_are_what_the_bias_implies(run, asked)
        exports(run, folder)
        lettered_options_rotate_with_their_golds(folder)
        misuse(run)
        a_file_of_answers_in_another_benchmarks_ids(folder)
    print("mirrored images and rotated options are asked, and told apart from what is known")
    return 0


if __name__ == "__main__":
    sys.exit(main())
