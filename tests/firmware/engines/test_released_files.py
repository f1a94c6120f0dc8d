#!/usr/bin/python3
"""The papers' released files: VSR's, FoREST's and SPHERE's items as they were published, read, asked, written and read again; own scenes
written in their forms; one report of a paper's set and own scenes."""
import base64
import csv
import http.server
import io
import json
import pathlib
import subprocess
import sys
import threading

import cv2
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "sweep"))
from sweep_peer import POV, Server, folder, pov, query

# As in the authors' release: locations, ids and fields; the answers are theirs, not ours.
VSR = [{"image": f"{i % 3:012d}.jpg", "image_link": f"http://images.cocodataset.org/train2017/{i % 3:012d}.jpg",
        "caption": caption, "label": label, "relation": relation, "subj": "dog", "obj": "chair", "annotator_id": 29,
        "vote_true_validator_id": "[54, 19, 2]" if label else "[2]", "vote_false_validator_id": "[]" if label else "[20, 58]"}
       for i, (caption, relation, label) in enumerate([
           ("The dog is on the chair.", "on", 1), ("The dog is in front of the chair.", "in front of", 0),
           ("The dog is at the left side of the chair.", "at the left side of", 1), ("The dog is under the chair.", "under", 0),
           ("The dog is far away from the chair.", "far away from", 0), ("The dog is facing the chair.", "facing", 1)])]
SPHERE = [{"question_id": "6.2", "question": "If you are the man in the image, how many laptops are on your left?", "option": None,
           "answer": "0", "metadata": {"viewpoint": "ego", "format": "num", "source_dataset": "coco_test2017", "source_img_id": "1"}},
          {"question_id": "7", "question": "From the perspective of the girl in the pink shirt, where can she move towards?",
           "option": ["left", "right"], "answer": "right",
           "metadata": {"skill": ["pos", "size"], "viewpoint": "ego", "format": "pos", "source_dataset": "coco_test2017",
                        "source_img_id": "2"}}]
# FoREST's own table: what the relatum's word is for the camera, by the way that it faces. It is its own inverse.
TURNED = {"front": {"left": "right", "right": "left", "front": "front", "back": "back"},
          "left": {"left": "front", "right": "back", "front": "left", "back": "right"},
          "back": {"left": "left", "right": "right", "front": "back", "back": "front"},
          "right": {"left": "back", "right": "front", "front": "right", "back": "left"}}
WAYS = {"front": "toward", "left": "left relative to", "back": "away from", "right": "right relative to"}
EXPRESSIONS = {"left": "to the left of", "right": "on the right of", "front": "in front of", "back": "behind"}


def forest_items(asked):
    """The A-split's cows and, without a facing, its pens; of the relatum with questions in another order of words."""
    items = []
    for facing in TURNED:
        for relation, words in EXPRESSIONS.items():
            name = f"FRTEXT{len(items):06d}_{facing}"
            turned = TURNED[facing][relation]
            item = {"id": name, "context": f"A deer is {words} a chicken. The chicken is facing {WAYS[facing]} the camera.",
                    "label": ["external intrinsic", "external relative"], "obj1": "deer", "obj2": "chicken", "obj2_dir": facing,
                    "relation": relation}
            if asked == "camera":
                item |= {"question": "In the camera view, how is deer positioned in relation to chicken?",
                         "candidate_answer": [turned, relation]}
            else:
                item |= {"question": "Looking through the chicken\u2019s perspective, how does deer appear to be oriented relative to "
                                     "chicken's position?", "candidate_answer": [turned, relation],
                         "reverse_question": "Relative to the chicken, where can the deer be found from the chicken view?"}
            items.append(item)
    if asked == "camera":
        items.append({"id": "FRCLTEXT002104", "context": "An umbrella is behind a tree.", "label": ["external relative"],
                      "obj1": "umbrella", "obj2": "tree", "obj2_dir": "nan", "relation": "back",
                      "question": "From the camera perspective, what is the relation of the umbrella to the tree?",
                      "candidate_answer": ["back"]})
    return {"dataset": "QA dataset of A-split", "data": items}


def write_files(where):
    (where / "test.jsonl").write_text("".join(json.dumps(item) + "\n" for item in VSR))
    (where / "position_only.json").write_text(json.dumps(SPHERE, indent=4))
    for asked in "camera", "relatum":
        (where / f"A-split_QA_{asked}.json").write_text(json.dumps(forest_items(asked), indent=3))
    (where / "coco").mkdir()
    for i in range(3):
        cv2.imwrite(str(where / "coco" / f"{i:012d}.jpg"), numpy.full((48, 64, 3), 60 * i + 40, numpy.uint8))


class Listener:
    """A server of chat completions that keeps what it is asked, and says "left"."""

    def __enter__(self):
        self.asked = asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                asked.append(body["messages"][-1]["content"])
                reply = json.dumps({"choices": [{"message": {"content": "left"}, "finish_reason": "stop"}]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def images(self):
        return [part["image_url"]["url"] for content in self.asked if isinstance(content, list)
                for part in content if part["type"] == "image_url"]


def rows_of(run, paper):
    """A log's answers as rows, but for when they were asked."""
    rows = [json.loads(line) for line in pov("compare", run, "--export", "jsonl", "--paper", paper).splitlines()]
    for row in rows:
        for key in "asked_at", "run", "image_path", "latency_s", "prompt_tokens", "answer_tokens":
            row.pop(key, None)
    return sorted(rows, key=lambda row: (row["model"], row["id"]))


def released_items_are_asked_with_the_papers_images_and_written_as_they_were(where):
    told = pov("import", where / "vsr", where / "test.jsonl", "--images", where / "coco")
    assert "6 questions of vsr, set test" in told, told
    assert "0 questions of vsr, set test, 6 more" in pov("import", where / "vsr", where / "test.jsonl", "--images", where / "coco")
    pov("import", where / "sphere", where / "position_only.json", "--images", where / "coco")
    pov("import", where / "forest", where / "A-split_QA_camera.json")
    written = [json.loads(line) for line in pov("compare", where / "vsr", "--export", "vsr").splitlines()]
    assert sorted(written, key=lambda item: item["caption"]) == sorted(VSR, key=lambda item: item["caption"])
    assert json.loads(pov("compare", where / "sphere", "--export", "sphere")) == SPHERE
    theirs, ours = forest_items("camera")["data"], json.loads(pov("compare", where / "forest", "--export", "forest"))["data"]
    assert ours == theirs
    assert sum(item["candidate_answer"] in (["left", "left"], ["back", "back"]) for item in ours) > 1 # what both frames give stands twice
    stored = query(where / "vsr", "SELECT path, sha256 FROM images ORDER BY path")
    assert [path for path, _ in stored] == [f"images/{i:012d}.jpg" for i in range(3)]
    with Listener() as listener:
        pov("compare", where / "forest", "--vlm", listener.url, "--model", "left")
        assert len(listener.asked) == 17 and not listener.images() # text alone
        pov("compare", where / "vsr", "--vlm", listener.url, "--model", "left")
        images = listener.images()
    jpeg = base64.b64encode((where / "coco" / f"{1:012d}.jpg").read_bytes()).decode()
    assert len(images) == 6 and f"data:image/jpeg;base64,{jpeg}" in images # byte by byte


def released_sets_are_datasets_and_told_apart(where):
    """Also those without images; a log that was heard has images elsewhere, these have none."""
    for run, paper, name, items in ("vsr", "vsr", "test", 6), ("forest", "forest", "A-split_QA_camera", 17):
        pov("export", where / run, "--dataset", "jsonl", where / f"{run}_set")
        lines = [json.loads(line) for line in (where / f"{run}_set/questions.jsonl").read_text().splitlines()]
        assert len(lines) == items and {line["paper"] for line in lines} == {paper}
        assert all((where / f"{run}_set" / line["image"]).is_file() == (paper == "vsr") or line["image"] == "" for line in lines)
        sheet = (where / f"{run}_set/DATASHEET.md").read_text()
        assert "items of a paper's released set" in sheet and "judged the scene by geometry" not in sheet
        told = pov("doctor", where / run)
        assert f"questions of {paper}'s released set {name}" in told and "heard" not in told, told
    assert "17 items have none: their text is complete" in pov("doctor", where / "forest")
    failed = subprocess.run([POV, "export", where / "forest", "--dataset", "lmms-eval", where / "no"], capture_output=True, text=True)
    assert failed.returncode == 1 and "use --dataset jsonl" in failed.stderr, failed.stderr
    pov("merge", where / "merged", where / "forest")


def a_models_answers_score_by_the_released_labels(where):
    with Server(where / "vsr") as server: # answers by the labels
        pov("compare", where / "vsr", "--vlm", server.url, "--model", "perfect")
    scores = json.loads(pov("compare", where / "vsr", "--json"))["scores"]
    row = next(r for r in scores if r["model"] == "perfect" and r["by"] == "set")
    assert (row["value"], row["accuracy"]["mean"], row["accuracy"]["n"]) == ("test", 1, 3), row # an image is one scene
    left = [r for r in json.loads(pov("compare", where / "forest", "--json"))["scores"] if r["by"] == "all"][0]
    right = sum("left" in item["candidate_answer"] for item in forest_items("camera")["data"])
    assert abs(left["accuracy"]["mean"] - right / 17) < 1e-9, left


def a_confusion_matrix_has_the_cases_with_one_right_answer(where):
    wanted = {gold: 0 for gold in EXPRESSIONS}
    for item in forest_items("camera")["data"]:
        if len(set(item["candidate_answer"])) == 1:
            wanted[item["candidate_answer"][0]] += 1
    rows = [r for r in json.loads(pov("compare", where / "forest", "--json"))["confusion"] if r["model"] == "left" and "cow" in r["value"]]
    found = {row["gold"]: row["left"] for row in rows}
    wanted["back"] -= 1 # the tree's
    assert found == wanted and all(row["right"] == row["front"] == row["back"] == 0 for row in rows), (rows, wanted)


def answers_in_the_authors_forms_are_read_and_written(where):
    items = forest_items("camera")["data"]
    lines = io.StringIO()
    table = csv.writer(lines)
    table.writerow(["", "context", "label", "GPT_predict"])
    for i, item in enumerate(items): # relative first, as their scripts write them
        table.writerow([i, item["context"], str(list(reversed(item["candidate_answer"]))),
                        f"Explanation: the \"camera\" decides, as ever. Answer: {item['relation']}"])
    (where / "QA_gpt.csv").write_text(lines.getvalue())
    assert "names no model" in pov("import", where / "forest", where / "QA_gpt.csv", code=1)
    assert "17 answers" in pov("import", where / "forest", where / "QA_gpt.csv", "--model", "gpt")
    assert "0 answers, 17 more" in pov("import", where / "forest", where / "QA_gpt.csv", "--model", "gpt")
    row = next(r for r in json.loads(pov("compare", where / "forest", "--json"))["scores"] if (r["model"], r["by"]) == ("gpt", "all"))
    assert row["accuracy"]["mean"] == 1 and row["accuracy"]["n"] == 17
    written = list(csv.DictReader(pov("compare", where / "forest", "--export", "forest-answers").splitlines()))
    theirs = list(csv.DictReader(lines.getvalue().splitlines()))
    ours = [r for r in written if r["model"] == "gpt"]
    assert [(r["context"], r["GPT_predict"]) for r in ours] == [(r["context"], r["GPT_predict"]) for r in theirs]
    saved = json.loads(json.dumps(SPHERE))
    saved[0]["raw_prediction"], saved[1]["raw_prediction"] = {"gpt": ["None."]}, {"gpt": ["right", "Right.", "left", "right", "to the right"]}
    (where / "saved.json").write_text(json.dumps(saved))
    pov("import", where / "saved", where / "saved.json", "--images", where / "coco")
    scores = json.loads(pov("compare", where / "saved", "--json"))["scores"]
    assert abs(next(r for r in scores if r["by"] == "all")["accuracy"]["mean"] - 0.9) < 1e-9, scores # (1 + 4/5) / 2
    assert json.loads(pov("compare", where / "saved", "--export", "sphere")) == saved


def both_orders_of_words_are_asked(where):
    pov("import", where / "relatum", where / "A-split_QA_relatum.json")
    assert query(where / "relatum", "SELECT count(*) FROM questions WHERE key LIKE '%/reverse'") == [(16,)]
    assert query(where / "relatum", "SELECT DISTINCT json_extract(columns, '$.asked') FROM questions") == [("relatum",)]
    for item in forest_items("relatum")["data"]: # what is said relatively is turned for the relatum
        gold, = query(where / "relatum", "SELECT json_extract(columns, '$.gold_relative'), json_extract(columns, '$.gold_intrinsic') "
                                         f"FROM questions WHERE key LIKE '%{item['id']}'")
        assert list(gold) == item["candidate_answer"], (item, gold)


def own_scenes_are_written_in_these_forms_and_read_with_equal_rows(where):
    run = where / "own"
    pov("export", "comfort-car", "--variant", "horse-left", "--images", 2, "--size", "96x72", "--questions", "vsr,sphere,forest",
        "--dataset", "jsonl", run)
    for paper, same in ("vsr", ("gold", "text", "sha256")), ("sphere", ("gold", "options", "sha256")), ("forest", ("gold_relative", "gold_intrinsic",
                                                                                                    "asked", "text")):
        again = where / f"again_{paper}"
        path = where / f"own_{paper}.json"
        path.write_text(pov("compare", run, "--export", paper))
        pov("import", again, path, *(["--images", run / "images"] if paper != "forest" else []))
        question = {"vsr": "form = 'true_false' AND paper = 'vsr'", "sphere": "paper = 'sphere'",
                    "forest": "paper = 'forest' AND (key LIKE '%/ambiguous_%' OR key LIKE '%/clear_%')"}[paper]
        columns = {"gold": "gold", "text": "prompt", "sha256": "sha256", "options": "json_extract(columns, '$.options')", "asked": "json_extract(columns, '$.asked')",
                   "gold_relative": "json_extract(columns, '$.gold_relative')",
                   "gold_intrinsic": "json_extract(columns, '$.gold_intrinsic')"}
        wanted = ", ".join(columns[key] for key in same)
        sql = f"SELECT {wanted} FROM questions q JOIN images i ON i.id = q.image WHERE {{}} AND gold IS NOT NULL"
        def rows(of, which): # the options in any order: a released question is asked in five
            return {tuple("|".join(sorted(str(cell).split("|"))) for cell in row) for row in query(of, sql.format(which))}
        mine, theirs = rows(run, question), rows(again, "1")
        assert mine and mine == theirs, (paper, len(mine), len(theirs), [m for m in mine if m not in theirs][:3])


def one_report_has_the_papers_set_and_own_scenes_side_by_side(where):
    with Server(where / "own") as server:
        pov("compare", where / "own", "--vlm", server.url, "--model", "perfect")
    pov("report", where / "vsr", where / "own", "--out", where / "report.html", "--markdown", where / "report.md", "--csv", where / "tables")
    table = {row["model"]: row for row in csv.DictReader(next((where / "tables").glob("*vsr_by_set.csv")).open())}
    assert float(table["perfect"]["test"]) == 1 and float(table["perfect"]["own scenes"]) > 0.9, table
    assert float(table["left"]["test"]) < 1


def faults_are_named(where):
    def refused(name, item, more):
        (where / name).write_text(json.dumps([item]) if more != "vsr" else json.dumps(item))
        return pov("import", where / "bad", where / name, code=1)
    assert "'label' is missing, or is not 0 or 1" in refused("bad.jsonl", VSR[0] | {"label": 2}, "vsr")
    assert "'up' is not one of the options" in refused("bad.json", SPHERE[1] | {"answer": "up"}, "")
    item = forest_items("camera")["data"][0]
    (where / "bad.json").write_text(json.dumps({"data": [item | {"candidate_answer": ["back"]}]}))
    assert "'candidate_answer' is not what relation, label and facing give" in pov("import", where / "bad", where / "bad.json", code=1)
    assert "1 of the set's 3 images are not in it" in _without_one(where)
    assert "holds a sweep" in pov("import", where / "own", where / "test.jsonl", code=1)
    (where / "keys.json").write_text(json.dumps({"data": [{key: item[key] for key in item if key != "relation"}]}))
    (where / "empty.json").write_text("")
    for name, words in ("keys.json", "by its keys it is not a released set"), ("empty.json", "is empty"), ("gone.json", "no such file"):
        told = pov("import", where / "nowhere", where / name, code=1)
        assert f"{name}: " in told and words in told and not (where / "nowhere").exists(), told
    pov("import", where / "blind", where / "test.jsonl")
    assert "--images" in pov("compare", where / "blind", "--vlm", "http://127.0.0.1:9/v1", "--model", "m", code=1)


def the_models_answer_is_never_the_right_one(where):
    """Where one item names the right answer, `answer` is the model's in all."""
    cube = {"id": "around_1", "question": "What? A. Door B. Sink", "gt_answer": "B", "answer": "A", "images": ["a.png"]}
    bare = {key: value for key, value in cube.items() if key != "gt_answer"} | {"id": "around_9"}
    for items, words in (([cube, bare], ":2: has no 'gt_answer'"), ([bare, cube], ":1: has no 'gt_answer'"),
                         ([cube | {"gt_answer": None}], ":1: 'gt_answer' is empty"), ([cube | {"gt_answer": ""}], ":1: 'gt_answer' is empty")):
        (where / "cube.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
        told = pov("import", where / "cube", where / "cube.jsonl", "--model", "m", code=1)
        assert words in told, told
    (where / "cube.jsonl").write_text(json.dumps(bare) + "\n" + json.dumps(bare | {"id": "around_2", "answer": "B"}))
    pov("import", where / "golds", where / "cube.jsonl")
    assert query(where / "golds", "SELECT gold FROM questions ORDER BY key") == [("Sink",), ("Door",)]
    assert query(where / "golds", "SELECT count(*) FROM results") == [(0,)]


def a_failure_leaves_nothing(where):
    """A folder that was not there is not there after it; one with a set keeps the set, and gets no questions without their answers."""
    cube = {"id": "around_1", "question": "What? A. Door B. Sink", "gt_answer": "B", "answer": "A", "images": ["a.png"]}
    (where / "fail.json").write_text(json.dumps([cube]))
    (where / "bad_gold.json").write_text(json.dumps([cube, cube | {"id": "around_2", "gt_answer": "Q"}]))
    new = where / "left"
    for words in (["import", new, where / "bad_gold.json"], ["import", new, where / "fail.json"],
                  ["import", new, where / "fail.json", "--images", where / "coco", "--model", "m"],
                  ["export", "tabletop", "--questions", "mindcube", "--images", 1, "--size", "64x48", "--dataset", "jsonl", new]):
        pov(*words, code=1)
        assert not new.exists(), (words, list(new.iterdir()))
    pov("import", new, where / "test.jsonl")
    before = query(new, "SELECT count(*) FROM questions")
    pov("import", new, where / "fail.json", code=1)
    assert query(new, "SELECT count(*) FROM questions") == before and before != [(0,)]


def names_of_images_stay_whole(where):
    names = ["a.png", "b.png"]
    for number, images in enumerate((names, str(names), json.dumps(names))):
        item = {"question_type": "Camera perspective - Relative Direction", "image_path": images, "question": "Where?",
                "choices": "A. left\nB. right", "answer": "A. left"}
        (where / f"names{number}.json").write_text(json.dumps([item]))
        pov("import", where / f"names{number}", where / f"names{number}.json")
        assert query(where / f"names{number}", "SELECT json_extract(columns, '$.images') FROM questions") == [("a.png|b.png",)], images


def _without_one(where):
    (where / "coco" / f"{1:012d}.jpg").rename(where / "moved.jpg")
    told = pov("import", where / "incomplete", where / "test.jsonl", "--images", where / "coco", code=1)
    (where / "moved.jpg").rename(where / "coco" / f"{1:012d}.jpg")
    return told


with folder() as scratch:
    where = pathlib.Path(scratch)
    write_files(where)
    for test in (released_items_are_asked_with_the_papers_images_and_written_as_they_were, released_sets_are_datasets_and_told_apart, a_models_answers_score_by_the_released_labels,
                 a_confusion_matrix_has_the_cases_with_one_right_answer,
                 answers_in_the_authors_forms_are_read_and_written, both_orders_of_words_are_asked,
                 own_scenes_are_written_in_these_forms_and_read_with_equal_rows,
                 one_report_has_the_papers_set_and_own_scenes_side_by_side, faults_are_named,
                 the_models_answer_is_never_the_right_one, a_failure_leaves_nothing, names_of_images_stay_whole):
        test(where)
        print(test.__name__, flush=True)
