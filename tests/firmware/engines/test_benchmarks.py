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

PAPERS = {"viewspatial": "json", "3dsrbench": "tsv", "vsi": "jsonl", "spar": "json", "spatial457": "json", "omnispatial": "json",
          "robospatial": "json", "embspatial": "jsonl"}
MEMBERS = {"vsi": {"id", "question_type", "images", "question", "options", "ground_truth"},
           "spar": {"id", "image", "task", "question", "answer", "format_type"},
           "spatial457": {"question_index", "image_filename", "category", "question", "answer"},
           "omnispatial": {"id", "task_type", "sub_task_type", "image_path", "question", "options", "answer", "gt"},
           "robospatial": {"id", "category", "img", "question", "answer"},
           "embspatial": {"question_id", "relation", "image_path", "question", "answer_options", "answer"}}
BIASES = ["none", "egocentric", "person", "left-right", "random", "long"]
LONG = 0.7 # the mean relative accuracy of what is a fifth too long: seven of ten thresholds allow it
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
            "left-right": golds.get("mirrored", asked), "random": None, "long": asked}[bias]


def score_of(question, bias):
    if question["form"] == "number": # no lots are drawn about numbers, and no frame changes them
        return LONG if bias == "long" else 1
    return answer_of(question, bias) == question["gold"]


def inside_binomial(share, n, p, tail):
    """Within all but this much at each end, by summing the binomial."""
    k = round(share * n)
    at = lambda i: math.comb(n, i) * p ** i * (1 - p) ** (n - i)
    return sum(at(i) for i in range(k + 1)) > tail and sum(at(i) for i in range(k, n + 1)) > tail


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
                tail = 0.005 if by == "all" else 0.0003 # 99 %, and of some forty kinds together as much
                options = [len(q["options"]) for q in of if q["options"]]
                if len(options) == len(of):
                    chance = sum(1 / n for n in options) / len(of)
                    assert abs(row["chance"] - chance) < 1e-9, (row, chance)
                    assert len(set(options)) > 1 or inside_binomial(accuracy, len(of), chance, tail), (value, accuracy, chance)
                continue
            right = sum(score_of(q, bias) for q in of) / len(of)
            assert abs(accuracy - right) < 1e-9, (paper, bias, value, accuracy, right)
    for bias, frame in ("egocentric", "camera"), ("person", "person"), ("left-right", "mirrored"):
        if (frame == "person" and paper == "mindcube") or (bias, "all", "") not in fits: # its own frame; no question has two
            continue
        row = fits[bias, "all", ""]
        apart = [q for q in questions if any(frame_of(g) == frame and g["answer"] != q["gold"] for g in q["golds"])]
        offered = [q for q in apart if answer_of(q, bias) in q["options"]]
        if offered:
            assert abs(row[frame] - 1) < 1e-9, (paper, bias, row)
    row = fits.get(("none", "all", ""), {"seems": "asked"})
    assert row["seems"] == "asked" and (fits or paper == "vsi"), row
    print(f"{paper}: {len(questions)} questions of {len(kinds)} kinds; models of known mistakes have the scores that they imply")


QUARTERS = ["up", "right", "down", "left"]


def map_of(evidence):
    """What stands where for the camera, which looks up the map: name, place, quarter of its front or None."""
    entities = {one["id"]: one for one in json.loads(evidence)["scene"]["entities"]}
    camera = entities["camera"]["heading_rad"]
    up, right = (math.cos(camera), math.sin(camera)), (math.sin(camera), -math.cos(camera))
    found = {}
    for name, one in entities.items():
        if name != "camera":
            at = [sum(p * a for p, a in zip(one["pos_m"], axis)) for axis in (right, up)]
            front = one.get("heading_rad")
            quarter = None if front is None else round((camera - front) / (math.pi / 2)) % 4
            found[name] = (at[0], -at[1], quarter)
    return found


def likeness(drawn, right):
    """MindCube's score: 0.7 of the pairs' directions and 0.3 of the fronts, in the best of four turns."""
    def relation(a, b):
        x, y = b[0] - a[0], b[1] - a[1]
        return (1 if x > 0 else 3) if abs(x) > abs(y) else (2 if y > 0 else 0)
    best = 0
    for turn in range(4):
        pairs = [(relation(drawn[a], drawn[b]) + turn) % 4 == relation(right[a], right[b]) for a in right for b in right if a != b]
        fronts = [(drawn[a][2] + turn) % 4 == right[a][2] for a in right if right[a][2] is not None]
        best = max(best, 0.7 * sum(pairs) / len(pairs) + 0.3 * (sum(fronts) / len(fronts) if fronts else 1))
    return best


def maps_are_scored_against_the_scene(run, paper):
    """One who knows draws the scene; one who takes left for right draws its mirror image."""
    pov("compare", run, "--questions", paper, "--guided", "cogmap")
    for bias in "none", "left-right":
        with Server(run, "--bias", bias) as server:
            pov("compare", run, "--vlm", server.url, "--model", bias, "--export", "csv") # asks, and scores nothing yet
    (run / "answers.csv").write_text(pov("compare", run, "--paper", paper, "--export", "csv"))
    scored = {row["model"]: row for row in json.loads(pov("score", run / "answers.csv", "--json"))["cogmap"] if row["by"] == "all"}
    rows = query(run, "SELECT q.prompt, i.evidence, q.columns FROM questions q JOIN images i ON i.id = q.image"
                      f" WHERE q.paper = '{paper}' AND q.language = 'en+cogmap'")
    wanted = []
    for prompt, evidence, columns in rows:
        drawn = {one["name"]: (*one["position"], QUARTERS.index(one["facing"]) if "facing" in one else None)
                 for one in json.loads(json.loads(columns)["grounded_cogmap"])["objects"]}
        names = prompt.split("On it are: ")[1].split(".")[0].split(", ")
        right = map_of(evidence)
        assert set(names) == set(drawn) == set(right), (names, drawn, right)
        assert abs(likeness(drawn, right) - 1) < 1e-9 and all(0 <= c <= 9 for one in drawn.values() for c in one[:2])
        mirrored = {name: (-x, y, None if q is None else -q % 4) for name, (x, y, q) in right.items()}
        wanted.append(likeness(mirrored, right))
    assert rows and min(wanted) < 0.99, wanted
    assert abs(scored["none +cogmap"]["overall"] - 1) < 1e-9, scored
    assert abs(scored["left-right +cogmap"]["overall"] - sum(wanted) / len(wanted)) < 1e-9, (scored["left-right +cogmap"], wanted)


def exports_are_read_back_equal(where, run, paper, ending):
    path = where / f"own_{paper}.{ending}"
    path.write_text(pov("compare", run, "--export", paper))
    pov("import", where / f"again_{paper}", path, "--images", run)
    assert pov("compare", where / f"again_{paper}", "--export", paper) == path.read_text()
    words = "json_extract(columns, '$.question')" if paper in ("spatial457", "robospatial") else "prompt" # their files list no options
    golds = lambda log: sorted(query(log, f"SELECT {words}, gold FROM questions WHERE paper = '{paper}' AND language = 'en'"))
    assert golds(where / f"again_{paper}") == golds(run)
    if paper == "mindcube":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert all(set(row) == {"id", "type", "images", "question", "gt_answer"} and len(row["images"]) > 1 for row in rows)
    elif paper in MEMBERS:
        rows = [json.loads(line) for line in path.read_text().splitlines()] if ending == "jsonl" else json.loads(path.read_text())
        assert all(set(row) == MEMBERS[paper] for row in rows), rows[0]
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
    assert all(("<cogmap>" if "+cogmap" in row["pov_id"] else "") in row["question"] for row in rows), "told before it, or drawn"
    assert all("A. " not in row["question"] and "Reply only" not in row["question"] for row in rows if "+cogmap" not in row["pov_id"])
    assert {row["l2-category"] for row in rows} == set(PAPERS)
    assert "Person perspective - Relative Direction" in {row["category"] for row in rows}


def pictures_within_tables_are_taken(where, run):
    """VLMEvalKit's table of one benchmark: an image in base64, or the number of the row that has it."""
    table, = (where / "tables").glob("*_mcq.tsv")
    rows = list(csv.DictReader(io.StringIO(table.read_text()), delimiter="\t"))
    pictures = {row["index"]: row["image"] for row in rows if len(row["image"]) > 64}
    kept, seen = [row for row in rows if row["l2-category"] == "3dsrbench"], set()
    path = where / "embedded.tsv"
    with path.open("w", newline="") as file:
        members = ["index", "image", "question", "A", "B", "C", "D", "answer", "category"]
        writer = csv.DictWriter(file, members, delimiter="\t", extrasaction="ignore")
        writer.writeheader()
        for row in kept:
            source = row["image"] if row["image"] in pictures else row["index"]
            row["image"] = source if source in seen else pictures[source]
            seen |= {row["index"]} if row["image"] == pictures[source] and source == row["index"] else set()
            writer.writerow(row)
    pov("import", where / "embedded", path)
    sums = lambda log: {sha for sha, in query(log, "SELECT sha256 FROM images")}
    stored = {hashlib.sha256(file.read_bytes()).hexdigest() for file in (where / "embedded/images").iterdir()}
    assert stored == sums(where / "embedded") == sums(run), (stored, sums(run))
    asked = lambda log: sorted(query(log, "SELECT i.sha256, q.prompt, q.gold FROM questions q JOIN images i ON i.id = q.image"
                                          " WHERE q.paper = '3dsrbench' AND q.language = 'en'"))
    assert asked(where / "embedded") == asked(run)
    with Server(where / "embedded") as server:
        pov("compare", where / "embedded", "--vlm", server.url, "--model", "right")
    assert query(where / "embedded", "SELECT count(*) FROM results") == [(len(kept),)]
    kept[0]["image"] = "QUJD" * 100 # ABCABC...
    path.write_text("\t".join(members) + "\n" + "\t".join(kept[0][name] for name in members) + "\n")
    assert "embedded.tsv:2: the image is neither the name of a file nor a PNG or JPEG picture" in pov("import", where / "wrong", path, code=1)


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


def a_map_is_sent_behind_the_views(run):
    """Who needs it is right with it: the map is the last image that comes, drawn for the last view."""
    pov("compare", run, "--questions", "mindcube", "--guided", "map")
    with Server(run, "--bias", "needs-view") as server:
        pov("compare", run, "--vlm", server.url, "--model", "needs-view")
    rows = query(run, "SELECT q.prompt, json_extract(q.columns, '$.second_path'), i.path FROM questions q JOIN images i ON i.id = q.image"
                      " WHERE q.language = 'en+map'")
    assert rows and all(second == path.replace(".png", "-map.png") and "the last image shows" in prompt for prompt, second, path in rows)
    scored = {row["model"]: row["accuracy"]["mean"] for row in json.loads(pov("compare", run, "--json"))["scores"] if row["by"] == "all"}
    assert scored["needs-view +map"] == 1 > scored["needs-view"], scored


def a_card_has_what_the_scores_have(where, run):
    """One model's rows, of all benchmarks; the same sums for every model of one log; another model is named if there is none."""
    cards = {}
    for bias in "egocentric", "long":
        pov("card", bias, run, "--out", where / "card.html", "--json", where / f"{bias}.json")
        cards[bias] = json.loads((where / f"{bias}.json").read_text())
        page = (where / "card.html").read_text()
        assert f"<h1>Card of {bias}</h1>" in page and "SIMULATED" in page and "<script" not in page
    identity = cards["long"]["identity"][0]
    assert {**identity, "model": "egocentric"} == cards["egocentric"]["identity"][0] and identity["model"] == "long"
    images = sorted(sha for sha, in query(run, "SELECT sha256 FROM images"))
    assert identity["images_sha256"] == hashlib.sha256("".join(f"{sha}\n" for sha in images).encode()).hexdigest()
    scored = {(row["paper"], row["model"]): row for row in json.loads(pov("compare", run, "--json"))["scores"] if row["by"] == "all"}
    for bias, card in cards.items():
        rows = {row["benchmark"]: row for row in card["accuracy"] if row["condition"] == "plain"}
        assert set(rows) == set(PAPERS) and all(row["accuracy"] == scored[paper, bias]["accuracy"] for paper, row in rows.items())
        assert all(row["answers"] > 0 and float(row["latency_median_s"]) >= 0 for row in card["cost"])
    assert {row["seems"] for row in cards["egocentric"]["benchmark_frames"] if row["benchmark"] == "vsi"} == {"camera"}
    assert "no answer is of the model 'gpt'; there are 'none', " in pov("card", "gpt", run, code=1)


def main():
    with folder() as name:
        where = pathlib.Path(name)
        turning, about_views = mindcubes_answers_are_those_of_the_turned_table(where)
        for bias in BIASES:
            with Server(turning, "--bias", bias) as server:
                pov("compare", turning, "--vlm", server.url, "--model", bias, "--export", "csv")
        tables_say_what_biases_imply(turning, "mindcube", about_views)
        several_images_reach_engines(where, turning, about_views)
        exports_are_read_back_equal(where, turning, "mindcube", "jsonl")
        a_map_is_sent_behind_the_views(turning)
        run = where / "run"
        pov("export", "comfort-car", "--variant", "horse-left", "--images", 2, "--size", "64x48", "--questions", ",".join(PAPERS),
            "--dataset", "jsonl", run)
        questions = [json.loads(line) for line in (run / "questions.jsonl").read_text().splitlines()]
        for bias in BIASES:
            with Server(run, "--bias", bias) as server:
                pov("compare", run, "--vlm", server.url, "--model", bias, "--export", "csv") # asks, and scores nothing yet
        for paper, ending in PAPERS.items():
            tables_say_what_biases_imply(run, paper, [q for q in questions if q["paper"] == paper])
            exports_are_read_back_equal(where, run, paper, ending)
        a_card_has_what_the_scores_have(where, run)
        maps_are_scored_against_the_scene(run, "viewspatial")
        engines_get_the_benchmarks_columns(where, run)
        pictures_within_tables_are_taken(where, run)


if __name__ == "__main__":
    main()
