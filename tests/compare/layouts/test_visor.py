#!/usr/bin/python3
"""Generated pictures and layouts (FoREST's second half): `pov score` against the rules written plainly here."""
import csv
import io
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(os.environ.get("POV_SOURCE", pathlib.Path(__file__).parents[3]))
SHARED = pathlib.Path(os.environ.get("POV_SHARED", ROOT.parent / "shared"))
POV = os.environ.get("POV", str(ROOT / "build/release/pov"))
failures = []

# The camera's relation for a relation in the relatum's perspective, by the relatum's facing.
CONVERT = {"front": dict(left="right", right="left", front="front", back="back"),
           "back": dict(left="left", right="right", front="back", back="front"),
           "right": dict(front="right", right="front", back="left", left="back"),
           "left": dict(front="left", left="front", right="back", back="right")}
FRAMES = ("external intrinsic", "external relative", "internal intrinsic", "internal relative")
CASES = {"cow": FRAMES[:2], "car": FRAMES, "box": (FRAMES[1], FRAMES[3]), "pen": FRAMES[1:2]}
THINGS = ["owl", "kettle", "goat", "tram", "crate", "lamp", "oak", "boat"]


def check(what, condition):
    if not condition:
        failures.append(what)


def near(what, actual, expected, tolerance=1e-9):
    check(f"{what}: {actual}, not {expected}",
          actual == expected or (actual is not None and expected is not None and abs(actual - expected) <= tolerance))


def write(folder, name, data):
    path = pathlib.Path(folder) / name
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return str(path)


def score(text, captions=None, *options, paper="visor", pictures=None):
    """(exit status, JSON or None, stderr)"""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [POV, "score", write(folder, "answers", text), "--paper", paper, "--json", *options]
        if captions is not None:
            arguments += ["--captions", write(folder, "captions", captions)]
        if pictures is not None:
            arguments += ["--pictures", write(folder, "pictures", pictures)]
        run = subprocess.run(arguments, capture_output=True, text=True, check=False)
    return run.returncode, json.loads(run.stdout) if run.returncode == 0 else None, run.stderr


def captions_of(split, source):
    """All relations of some pairs, as FoREST's files have them."""
    items = []
    for case, relation in itertools.product(CASES, ("left", "right", "front", "back")):
        one, other = source.sample(THINGS, 2)
        for facing in CONVERT if case in ("cow", "car") else ["nan"]:
            for label in [CASES[case]] if split == "A" else [(f,) for f in CASES[case] if f.startswith("external")]:
                end = f"_{facing}" if facing != "nan" else ""
                items.append({"id": f"{split}{len(items):06}{end}", "context": f"A {one} is {relation} of a {other}.", "obj1": one,
                              "obj2": other, "obj2_dir": facing, "relation": relation, "label": list(label)})
    return items


def pictures_of(captions, source, models=("m",), each=4):
    pictures = []
    for model, caption in itertools.product(models, captions):
        for number in range(each):
            things = []
            for name in [caption["obj1"], caption["obj2"], caption["obj1"], "cloud"]:
                if source.random() < (0.8 if len(things) < 2 else 0.2):
                    x, y = source.uniform(-3, 400), source.uniform(0, 400)
                    things.append({"label": name, "box": [x, y, x + source.uniform(5, 90), y + 40],
                                   "depth": source.choice([0.2, 0.4, source.random()])})
            pictures.append({"model": model, "id": caption["id"], "picture": number, "detections": things})
    return pictures


# ---- the rules -------------------------------------------------------------------------------------------------------

def holds(relation, one, other):
    apart = (one["box"][0] + one["box"][2]) / 2 - (other["box"][0] + other["box"][2]) / 2
    return {"left": -apart > 1, "right": apart > 1, "front": one["depth"] > other["depth"],
            "back": one["depth"] < other["depth"]}[relation]


def judge(caption, picture):
    """(whether both things are there, whether it is right, whether it is by each reading)"""
    ones, others = ([d for d in picture["detections"] if d["label"] == caption[key]] for key in ("obj1", "obj2"))
    readings = {}
    if any("relative" in label for label in caption["label"]):
        readings["relative"] = caption["relation"]
    if any("intrinsic" in label for label in caption["label"]):
        readings["intrinsic"] = CONVERT[caption["obj2_dir"]][caption["relation"]]
    shown = {reading: any(holds(relation, a, b) for a in ones for b in others) for reading, relation in readings.items()}
    return bool(ones and others), any(shown.values()), shown


def groups(split):
    has_front = lambda c: any("intrinsic" in label for label in c["label"])
    if split == "A":
        own = {case: (lambda c, case=case: tuple(c["label"]) == tuple(CASES[case])) for case in CASES}
        return {"all": lambda c: True, "front": has_front, "no front": lambda c: not has_front(c), **own}
    return {"all": lambda c: True, "external intrinsic": has_front, "external relative": lambda c: not has_front(c)}


def measures(captions, pictures):
    by_caption = {c["id"]: [judge(c, p) for p in pictures if p["id"] == c["id"]] for c in captions}
    judged = [j for js in by_caption.values() for j in js]
    both, right = sum(j[0] for j in judged), sum(j[0] and j[1] for j in judged)
    result = {"VISOR_cond": right / both if both else None, "VISOR_uncond": right / len(judged) if judged else None,
              "both_things": both / len(judged) if judged else None}
    full = [js for js in by_caption.values() if len(js) == 4]
    for n in range(1, 5):
        result[f"VISOR_{n}"] = sum(sum(j[1] for j in js) >= n for js in full) / len(full) if full else None
    for reading in "relative", "intrinsic":
        may = [j[2][reading] for j in judged if j[0] and reading in j[2]]
        result[reading] = sum(may) / len(may) if may else None
    return result


def compare(what, captions, pictures, split, result, model="m"):
    rows = {(row["model"], row["split"], row["of"]): row for row in result["visor"]}
    mine = [p for p in pictures if p["model"] == model]
    for name, is_of in groups(split).items():
        expected = measures([c for c in captions if is_of(c)], mine)
        row = rows.get((model, split, name))
        if row is None:
            check(f"{what}: {name} is left out", expected["VISOR_uncond"] is None)
            continue
        for key, value in expected.items():
            near(f"{what} {split} {name} {key}", row[key]["mean"] if isinstance(row[key], dict) else row[key], value)


def the_rules_hold():
    for split in "A", "C":
        source = random.Random(len(split) + ord(split))
        captions = captions_of(split, source)
        pictures = pictures_of(captions, source, models=("m", "n"))
        lines = "\n".join(map(json.dumps, pictures))
        status, result, error = score(lines, {"data": captions})
        check(f"{split}: {error}", status == 0)
        for model in "m", "n":
            compare("all", captions, pictures, split, result, model)
        table = next(row for row in result["visor_cond"] if row["model"] == "n")
        mine = [p for p in pictures if p["model"] == "n"]
        for key, name in [("A_I", "front"), ("A_R", "no front"), ("A_avg", "all")] if split == "A" else \
                         [("C_EI", "external intrinsic"), ("C_ER", "external relative"), ("C_all", "all")]:
            near(key, table[key]["mean"], measures([c for c in captions if groups(split)[name](c)], mine)["VISOR_cond"])
        missing = {row["thing"]: row for row in result["missing"] if row["model"] == "m"}
        for thing in THINGS:
            asked = [p for p in pictures if p["model"] == "m" for c in captions if c["id"] == p["id"] and thing in (c["obj1"], c["obj2"])]
            lost = sum(all(d["label"] != thing for d in p["detections"]) for p in asked)
            if asked:
                near(f"missing {thing}", missing[thing]["missing"], lost / len(asked))
        some = [p for p in pictures if source.random() < 0.7]
        status, result, error = score("\n".join(map(json.dumps, some)), captions)
        compare("some", captions, some, split, result)


def formats_say_the_same():
    source = random.Random(5)
    captions = captions_of("A", source)
    pictures = pictures_of(captions, source)
    _, expected, _ = score("\n".join(map(json.dumps, pictures)), {"data": captions}, "--resamples", "100")
    by_name = [{"model": "m", "image": f"out/{p['id']}_gen_{p['picture']}.png",
                "detections": [{"class": d["label"].upper(), "box_px": d["box"] + [d["depth"]], "score": 0.5} for d in p["detections"]]}
               for p in pictures]
    flat = io.StringIO()
    writer = csv.writer(flat)
    writer.writerow("model id picture label x1 y1 x2 y2 depth".split())
    for p in pictures:
        for d in p["detections"] or [None]:
            writer.writerow(["m", p["id"], p["picture"]] + ([d["label"], *d["box"], d["depth"]] if d else [""] * 6))
    known = {c["id"]: c for c in captions}
    own = [{**p, **{k: known[p["id"]][k] for k in ("obj1", "obj2", "relation")}, "frames": known[p["id"]]["label"]} for p in pictures]
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow("id context obj1 obj2 facing relation frames".split())
    for c in captions:
        facing = {"front": "toward", "back": "away", "nan": ""}.get(c["obj2_dir"], c["obj2_dir"])
        writer.writerow([c["id"], c["context"], c["obj1"], c["obj2"], facing, c["relation"], "|".join(c["label"])])
    for what, text, items in (("a document", json.dumps({"source": "x", "pictures": by_name}, indent=1), captions),
                              ("CSV", flat.getvalue(), captions), ("captions as CSV", flat.getvalue(), table.getvalue()),
                              ("captions as lines", flat.getvalue(), "\n".join(map(json.dumps, captions))),
                              ("captions beside", "\n".join(map(json.dumps, own)), None)):
        status, result, error = score(text, items, "--resamples", "100")
        check(f"{what}: {error}", status == 0 and result == expected)


def intervals_keep_a_captions_pictures_together():
    """Against numpy's bootstrap over captions. Whole captions are right or wrong here: pictures alone would have half the spread."""
    source = random.Random(9)
    captions = captions_of("C", source)
    pictures = []
    for caption in captions:
        right, there = source.random() < 0.6, [source.random() < 0.8 for _ in range(4)]
        for number in range(4):
            relation = CONVERT[caption["obj2_dir"]][caption["relation"]] if "intrinsic" in caption["label"][0] else caption["relation"]
            one, other = [0, 0, 10, 10], [50, 0, 60, 10]
            swap = (relation == "right") == right
            depths = (2, 1) if (relation == "front") == right else (1, 2)
            things = [{"label": caption["obj1"], "box": other if swap else one, "depth": depths[0]}]
            if there[number]:
                things.append({"label": caption["obj2"], "box": one if swap else other, "depth": depths[1]})
            pictures.append({"model": "m", "id": caption["id"], "picture": number, "detections": things})
    status, result, _ = score("\n".join(map(json.dumps, pictures)), captions)
    row = next(row for row in result["visor"] if row["of"] == "all")
    judged = np.array([[judge(c, p)[:2] for p in pictures if p["id"] == c["id"]] for c in captions])
    both, right = judged[:, :, 0].sum(1), (judged[:, :, 0] & judged[:, :, 1]).sum(1)
    draws = np.random.default_rng(1).integers(len(captions), size=(10000, len(captions)))
    for key, replicates in (("VISOR_cond", right[draws].sum(1) / both[draws].sum(1)), ("VISOR_uncond", right[draws].sum(1) / 4 / len(captions)),
                            ("VISOR_2", (right >= 2)[draws].mean(1))):
        low, high = np.quantile(replicates, [0.025, 0.975])
        near(f"{key} low", row[key]["low"], low, 0.1 * (high - low))
        near(f"{key} high", row[key]["high"], high, 0.1 * (high - low))
    near("VISOR_cond is a ratio of sums", row["VISOR_cond"]["mean"], right.sum() / both.sum())


def released_mode_is_the_scripts():
    """A thing that is missing gives -1, which counts; a picture that is not there is wrong; four of every caption."""
    source = random.Random(11)
    captions = captions_of("A", source)
    pictures = [p for p in pictures_of(captions, source) if source.random() < 0.8]
    known = {c["id"]: c for c in captions}
    status, result, _ = score("\n".join(map(json.dumps, pictures)), captions, "--released")
    check("released", status == 0 and "visor_cond" not in result)
    for name, is_of in groups("A").items():
        mine = [c for c in captions if is_of(c)]
        counted = 0
        for picture in pictures:
            caption = known[picture["id"]]
            both, right, _ = judge(caption, picture)
            counted += is_of(caption) and (right or not both)
        row = next(row for row in result["visor"] if row["of"] == name)
        near(f"released {name}", row["VISOR_uncond"]["mean"], counted / (4 * len(mine)))
        check("no other measure", row["VISOR_cond"]["mean"] is None and row["VISOR_1"]["mean"] is None)


def golden_captions():
    """The authors' own file is read, and conversion is theirs."""
    captions = json.loads((SHARED / "golden/forest_images.json").read_text())["data"]
    golden = json.loads((SHARED / "golden/forest.json").read_text())["convert_intrinsic_to_camera"]
    check("the rules here are the authors'", golden == CONVERT)
    source = random.Random(13)
    pictures = pictures_of(captions, source)
    for caption in captions:
        caption["label"] = sorted(caption["label"], key=FRAMES.index) if len(caption["label"]) > 2 or "internal relative" not in \
            caption["label"] else ["external relative", "internal relative"]
    text = (SHARED / "golden/forest_images.json").read_text()
    status, result, error = score("\n".join(map(json.dumps, pictures)), text)
    check(f"golden captions: {error}", status == 0)
    compare("golden", captions, pictures, "A", result)


# ---- layouts ---------------------------------------------------------------------------------------------------------

def layouts():
    """Left and right for the camera, of captions with one reading; front and back, and what is ambiguous, boxes do not tell."""
    source = random.Random(17)
    captions = captions_of("C", source)
    rows, expected, with_both = [], {"left": [], "right": []}, []
    pictures = pictures_of(captions, source, each=1)
    known = {c["id"]: [judge(c, p)[0] for p in pictures if p["id"] == c["id"]] for c in captions}
    for i, caption in enumerate(captions):
        relation = CONVERT[caption["obj2_dir"]][caption["relation"]] if "intrinsic" in caption["label"][0] else caption["relation"]
        x, y = source.randrange(400), source.randrange(400)
        boxes = [f"['{caption['obj1']}', [{x}, 10, 40, 80]]", f"['{caption['obj2']}', [{y}, 10, 40, 80]]"]
        answer, right = f"Objects: [{', '.join(boxes)}]", {"left": y - x > 1, "right": x - y > 1}.get(relation)
        if i % 7 == 3:
            answer, right = "I placed both of them nicely.", None if right is None else False
        rows.append({"id": caption["id"], "model": "m", "layout": answer})
        if right is not None:
            expected[relation].append(right)
            with_both += [right] if any(known[caption["id"]]) else []
    told = expected["left"] + expected["right"]
    lines = "\n".join(map(json.dumps, rows))
    status, result, error = score(lines, captions, paper="forest", pictures="\n".join(map(json.dumps, pictures)))
    check(f"layouts: {error}", status == 0 and len(told) > 20 and 0 < len(with_both) < len(told))
    scores = {row["value"]: row["accuracy"] for row in result["scores"] if row["by"] == "layout"}
    near("Layout", scores["Layout"]["mean"], sum(told) / len(told))
    near("Layout_cond", scores["Layout_cond"]["mean"], sum(with_both) / len(with_both))
    counts = result["layouts"][0]
    check(f"layouts are counted: {counts}", counts["layouts"] == len(captions) and counts["undecided"] == len(captions) - len(told))
    ambiguous = captions_of("A", source)
    rows = [{"id": c["id"], "layout": f"{c['obj1']}: [0, 0, 10, 10], {c['obj2']}: [50, 0, 10, 10]"} for c in ambiguous]
    _, result, _ = score("\n".join(map(json.dumps, rows)), ambiguous, paper="forest")
    check("ambiguous captions are not scored", result["scores"] == [] and result["layouts"][0]["undecided"] == len(ambiguous))


def layouts_with_their_captions():
    """The columns that `pov questions --task layout` gives; how boxes are written is told."""
    row = {"id": "1", "obj1": "cat", "obj2": "dog", "relation": "left", "frames": "external intrinsic", "facing": "toward", "task": "layout"}
    answers = ["(x, y, height, width): cat (200, 0, 10, 50), dog (20, 0, 10, 50)", "{'cat': {'x1': 200, 'y1': 0, 'x2': 210, 'y2': 9}, "
               "'dog': {'x1': 0, 'y1': 0, 'x2': 10, 'y2': 9}}", "[['cat', [500, 0, 90, 10]], ['dog', [0, 0, 10, 10]]]", "cat: [0, 0, 10, 10]",
               "cat: [0, 0, 10, 10], dog: [50, 0, 10, 10]"]
    rows = [{**row, "id": str(i), "answer": answer} for i, answer in enumerate(answers)]
    _, result, error = score("\n".join(map(json.dumps, rows)), paper="forest")
    layout = next(row for row in result["scores"] if row["value"] == "Layout")
    check(f"toward the camera, its left is the camera's right: {layout}", abs(layout["accuracy"]["mean"] - 3 / 5) < 1e-9)
    check("one is unclear", layout["unclear"] == 1 and layout["given"] == 4)
    counts = result["layouts"][0]
    check(f"remarks {counts}", [counts[k] for k in ("height_first", "corners", "shares", "swapped", "outside")] == [1, 1, 0, 1, 0])


def complaints():
    caption = {"id": "x_left", "obj1": "cat", "obj2": "dog", "relation": "left", "label": ["external intrinsic"]}
    picture = {"id": "x_left", "picture": 0, "label": "cat", "box": [0, 0, 9, 9], "depth": 1}
    near_dog = {**picture, "label": "dog"}
    cases = [
        ([{**picture, "id": "y"}], [caption], "answers:1: id: 'y' is not among the captions"),
        ([{**picture, "picture": 4}], [caption], "answers:1: picture: 4 is not within 0 to 3"),
        ([{**picture, "picture": 0.5}], [caption], "answers:1: picture: a caption's pictures are numbered 0 to 3"),
        ([{**picture, "box": [9, 0, 0, 9]}], [caption], "x2 must be above x1"),
        ([{**picture, "box": [0, 0, 9]}], [caption], "expected [x1, y1, x2, y2]"),
        ([{**picture, "box": [0, 0, 9, 9, 1, 1]}], [caption], "more than four numbers and a depth"),
        ([{**picture, "depth": None}, {**near_dog, "depth": None}], [caption], "answers:1: depth: is empty, and \"x_left\" needs it"),
        ([{"image": "picture.png"}], [caption], "answers:1: image: 'picture.png': expected a caption's id, _gen_ and 0 to 3"),
        ([{"label": "cat"}], [caption], "neither a column 'image'"),
        ([picture], None, "no captions: give a file of them"),
        ([picture], [{**caption, "id": "x"}], "captions:1: label: an intrinsic frame, but nothing says how the dog faces"),
        ([picture], [{**caption, "obj2_dir": "front"}], "obj2_dir: 'front', but the id is 'x_left'"),
        ([picture], [{**caption, "relation": "above"}], "captions:1: relation: 'above' is none of"),
        ([picture], [{**caption, "obj2": "Cat"}], "captions:1: obj2: 'Cat' is obj1, too"),
        ([picture], [caption, {**caption, "relation": "right"}], "captions:2: id: 'x_left' is another caption above"),
        ([picture], [{**caption, "label": []}], "label: is empty"),
    ]
    for rows, captions, expected in cases:
        status, _, error = score("\n".join(map(json.dumps, rows)), captions)
        check(f"{expected!r}: exit {status}, {error!r}", status == 1 and expected in error)
    for rows, options, expected in (([{"id": "z", "layout": "x"}], {"captions": [caption]}, "'z' is not among the captions"),
                                    ([{"id": "z", "layout": "x"}], {}, "a layout needs its caption")):
        status, _, error = score("\n".join(map(json.dumps, rows)), paper="forest", **options)
        check(f"{expected!r}: exit {status}, {error!r}", status == 1 and expected in error)


def main():
    for test in (the_rules_hold, formats_say_the_same, intervals_keep_a_captions_pictures_together, released_mode_is_the_scripts, layouts,
                 layouts_with_their_captions, complaints):
        test()
    if (SHARED / "golden").exists():
        golden_captions()
    else:
        print("without ../shared: the authors' captions are not read")
    print("\n".join(failures) or "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
