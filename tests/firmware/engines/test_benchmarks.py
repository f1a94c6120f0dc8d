#!/usr/bin/python3
"""ViewSpatial, 3DSRBench and MindCube asked about one simulated table by models whose mistakes are known: the tables say what the mistakes
imply, computed here from the questions' golds; each exported file is read back equal; VLMEvalKit's table has the benchmark's columns."""
import ast
import base64
import csv
import hashlib
import io
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "sweep"))
from sweep_peer import Server, folder, pov, query

PAPERS = {"viewspatial": "json", "3dsrbench": "tsv"}
BIASES = ["none", "egocentric", "person", "left-right", "random"]
csv.field_size_limit(1 << 30)
TURNING = """
images: 8
camera: {size_px: [96, 64], field_of_view_deg: 55, position_m: [2.4, 0.3, 1.5], look_at_m: [0, 0, 0.2]}
surface: {size_m: [14, 14], color: "#b39a7c"}
lighting: {lamp_m: [3, -2, 5], lamp_radius_m: 0.5, lamp_strength: 0.7, ambient: 0.42, sky: "#c3cad0"}
turntable: {position_m: [0, 0], radius_m: 0.9, height_m: 0.02}
motion: {steps: 8}
things:
  - {id: duck, class: rubber duck, position_m: [0.5, 0.1], on: turntable, front_deg: -30}
  - {id: box, position_m: [-0.4, 0.35], on: turntable}
  - {id: bin, class: container, position_m: [0.05, -0.55], on: turntable}
  - {id: cup, class: mug, position_m: [0, 0], on: turntable}
"""


def frame_of(gold):
    frame = gold["frame"]
    return next((name for word, name in (("mirrored", "mirrored"), ("egocentric", "camera"), ("addressee", "person"), ("intrinsic", "own"))
                 if word in frame), "any")


def answer_of(question, bias):
    """What a biased model says; None: by lot."""
    golds = {}
    for gold in question["golds"]:
        golds.setdefault(frame_of(gold), gold["answer"])
    asked = question["gold"]
    return {"none": asked, "egocentric": golds.get("camera", asked), "person": golds.get("person", golds.get("own", asked)),
            "left-right": golds.get("mirrored", asked), "random": None}[bias]


def inside_binomial(share, n, p):
    """Within 99 %, by summing the binomial."""
    k = round(share * n)
    at = lambda i: math.comb(n, i) * p ** i * (1 - p) ** (n - i)
    return sum(at(i) for i in range(k + 1)) > 0.005 and sum(at(i) for i in range(k, n + 1)) > 0.005


def tables_say_what_biases_imply(run, paper, questions):
    (run / "answers.csv").write_text(pov("compare", run, "--paper", paper, "--export", "csv"))
    tables = json.loads(pov("score", run / "answers.csv", "--json"))
    scores = {(row["model"], row["by"], row["value"] if "value" in row else ""): row for row in tables["scores"]}
    fits = {(row["model"], row["by"], row["value"] if "value" in row else ""): row for row in tables["frames"]}
    kinds = {question["task"] for question in questions}
    for bias in BIASES:
        for by, value in [("all", "")] + [("type", kind) for kind in kinds]:
            of = [q for q in questions if by == "all" or q["task"] == value]
            row = scores[bias, by, value]
            accuracy = row["accuracy"]["mean"] if isinstance(row["accuracy"], dict) else row["accuracy"]
            if bias == "random":
                chance = sum(1 / len(q["options"]) for q in of) / len(of)
                assert abs(row["chance"] - chance) < 1e-9, (row, chance)
                assert len({len(q["options"]) for q in of}) > 1 or inside_binomial(accuracy, len(of), chance), (value, accuracy, chance)
                continue
            right = sum(answer_of(q, bias) == q["gold"] for q in of) / len(of)
            assert abs(accuracy - right) < 1e-9, (paper, bias, value, accuracy, right)
    for bias, frame in ("egocentric", "camera"), ("person", "person"), ("left-right", "mirrored"):
        if frame == "person" and paper == "mindcube": # its own frame
            continue
        row = fits[bias, "all", ""]
        apart = [q for q in questions if any(frame_of(g) == frame and g["answer"] != q["gold"] for g in q["golds"])]
        offered = [q for q in apart if answer_of(q, bias) in q["options"]]
        if offered:
            assert abs(row[frame] - 1) < 1e-9, (paper, bias, row)
    row = fits.get(("none", "all", ""))
    assert row and row["seems"] == "asked", row
    print(f"{paper}: {len(questions)} questions of {len(kinds)} kinds; models of known mistakes have the scores that they imply")


def exports_are_read_back_equal(where, run, paper, ending):
    path = where / f"own_{paper}.{ending}"
    path.write_text(pov("compare", run, "--export", paper))
    pov("import", where / f"again_{paper}", path, "--images", run)
    assert pov("compare", where / f"again_{paper}", "--export", paper) == path.read_text()
    golds = lambda log: sorted(query(log, f"SELECT prompt, gold FROM questions WHERE paper = '{paper}'"))
    assert golds(where / f"again_{paper}") == golds(run)
    if paper == "mindcube":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert all(set(row) == {"id", "type", "images", "question", "gt_answer"} and len(row["images"]) > 1 for row in rows)
    elif paper == "viewspatial":
        rows = json.loads(path.read_text())
        assert set(rows[0]) == {"question_type", "image_path", "question", "answer", "choices"}
        assert all(row["answer"] in row["choices"].split("\n") for row in rows)
        quiet = where / "quiet.json"
        quiet.write_text(json.dumps([{**row, "prediction": "", "model": "quiet"} for row in rows]))
        pov("import", where / "quiet", quiet, "--images", run)
        kinds = {(row["outcome"], row["kind"]) for row in csv.DictReader(io.StringIO(pov("compare", where / "quiet", "--export", "csv")))}
        assert len(kinds) == 1 and kinds <= {("answered", "missing"), ("answered", "text")}, kinds  # it was asked
    else:
        rows = list(csv.DictReader(io.StringIO(path.read_text()), delimiter="\t"))
        assert {"index", "qid", "question", "A", "B", "C", "D", "answer", "category", "image_path"} == set(rows[0])
        assert all(row[row["answer"]] and len(row["qid"]) == 8 for row in rows) and len({row["qid"] for row in rows}) == len(rows)


def engines_get_the_benchmarks_columns(where, run):
    pov("export", run, "--dataset", "vlmevalkit", where / "tables")
    table, = (where / "tables").glob("*_mcq.tsv")
    rows = list(csv.DictReader(io.StringIO(table.read_text()), delimiter="\t"))
    assert all("A. " not in row["question"] and "Reply only" not in row["question"] for row in rows)
    assert {row["l2-category"] for row in rows} == set(PAPERS)
    assert "Person perspective - Relative Direction" in {row["category"] for row in rows}


def who_is_beside(scene, relatum, side, turn):
    """The thing that is alone on a side of another for the camera, which goes on round them by `turn`; None."""
    camera, at = scene["camera"], scene["things"]
    found = []
    for name, place in at.items():
        v = [place[k] - at[relatum][k] for k in (0, 1)]
        clockwise = (camera + turn - math.atan2(v[1], v[0])) % (2 * math.pi)
        if name != relatum and round(clockwise / (math.pi / 2)) % 4 == side:
            found.append(name)
    return found[0] if len(found) == 1 else None


def mindcubes_answers_are_those_of_the_turned_table(where):
    world, run = where / "turning.yaml", where / "turning"
    world.write_text(TURNING)
    pov("export", world, "--images", 8, "--size", "96x64", "--questions", "mindcube", "--dataset", "jsonl", run)
    scenes = {}
    for path, evidence in query(run, "SELECT path, evidence FROM images"):
        entities = {one["id"]: one for one in json.loads(evidence)["scene"]["entities"]}
        scenes[path] = {"camera": entities["camera"]["heading_rad"],
                        "things": {name: entities[name]["pos_m"] for name in ("duck", "box", "bin", "cup")}}
    called = {"duck": "rubber duck", "bin": "container", "cup": "mug", "box": "box"}
    questions = [json.loads(line) for line in (run / "questions.jsonl").read_text().splitlines()]
    for question in questions:
        kind, _, rest = question["id"].split("/")[-2].partition(".")
        relatum, side, images = question["id"].split("/")[-1], int(rest.split("side_")[1]), question["images"]
        assert images[-1] == question["image"] and 2 <= len(images) <= 4
        assert all(hashlib.sha256((run / path).read_bytes()).hexdigest() == sha for path, sha in
                   zip(images, question["images_sha256"]))
        shown, turn = scenes[images[-1]], 0
        if kind == "around":
            shown = scenes[images[int(rest.split("_")[0]) - 1]]
        else:
            angle = lambda s: math.atan2(*[s["things"]["duck"][k] - s["things"]["box"][k] for k in (1, 0)])
            turn = -math.remainder(angle(shown) - angle(scenes[images[-2]]), 2 * math.pi)
            said = f"by {abs(math.degrees(turn)):.0f} degrees, {'counter-' if turn > 0 else ''}clockwise"
            assert said in question["question"], (said, question["question"])
        assert question["gold"] == called[who_is_beside(shown, relatum, side, turn)], question["id"]
        last = who_is_beside(scenes[images[-1]], relatum, side, 0)
        assert [called[one] for one in [last] if one] == [g["answer"] for g in question["golds"] if frame_of(g) == "camera"]
    assert {q["task"] for q in questions} == {"around", "rotation"} and len(questions) > 50
    return run, questions


def several_images_reach_engines(where, run, questions):
    pov("export", run, "--dataset", "vlmevalkit", where / "cube")
    table, = (where / "cube").glob("*_mcq.tsv")
    rows = list(csv.DictReader(io.StringIO(table.read_text()), delimiter="\t"))
    for row, question in zip(rows, questions):
        sums = [hashlib.sha256(base64.b64decode(image)).hexdigest() for image in ast.literal_eval(row["image"])]
        assert sums == question["images_sha256"]


def main():
    with folder() as name:
        where = pathlib.Path(name)
        turning, about_views = mindcubes_answers_are_those_of_the_turned_table(where)
        for bias in BIASES:
            with Server(turning, "--bias", bias) as server:
                pov("compare", turning, "--vlm", server.url, "--model", bias)
        tables_say_what_biases_imply(turning, "mindcube", about_views)
        several_images_reach_engines(where, turning, about_views)
        exports_are_read_back_equal(where, turning, "mindcube", "jsonl")
        run = where / "run"
        pov("export", "comfort-car", "--variant", "horse-left", "--images", 6, "--size", "64x48", "--questions", ",".join(PAPERS),
            "--dataset", "jsonl", run)
        questions = [json.loads(line) for line in (run / "questions.jsonl").read_text().splitlines()]
        for bias in BIASES:
            with Server(run, "--bias", bias) as server:
                pov("compare", run, "--vlm", server.url, "--model", bias)
        for paper, ending in PAPERS.items():
            tables_say_what_biases_imply(run, paper, [q for q in questions if q["paper"] == paper])
            exports_are_read_back_equal(where, run, paper, ending)
        engines_get_the_benchmarks_columns(where, run)


if __name__ == "__main__":
    main()
