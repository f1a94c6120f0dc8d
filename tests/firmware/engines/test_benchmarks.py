#!/usr/bin/python3
"""ViewSpatial, 3DSRBench and MindCube asked about one simulated table by models whose mistakes are known: the tables say what the mistakes
imply, computed here from the questions' golds; each exported file is read back equal; VLMEvalKit's table has the benchmark's columns."""
import csv
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
    if paper == "viewspatial":
        rows = json.loads(path.read_text())
        assert set(rows[0]) == {"question_type", "image_path", "question", "answer", "choices"}
        assert all(row["answer"] in row["choices"].split("\n") for row in rows)
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


def main():
    with folder() as name:
        where = pathlib.Path(name)
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
