#!/usr/bin/python3
"""Text that comes in is kept whole, or refused by name: nothing is cut. Each kind just below its bound, at it and far beyond."""
import csv
import http.server
import json
import os
import pathlib
import subprocess
import tempfile
import threading

POV = os.environ["POV"]


def pov(*arguments, code=0, where=None, said=None):
    """Output and errors of the program."""
    result = subprocess.run([POV, *map(str, arguments)], cwd=where, input=said, capture_output=True, text=True, timeout=600)
    assert code is None or result.returncode == code, f"{arguments}: {result.returncode}\n{result.stdout[-2000:]}\n{result.stderr[-2000:]}"
    return result.stdout, result.stderr


def sizes(bound):
    return bound - 1, bound, 10 * bound


# ---- scenes ----

SCENE = """camera: {{position_m: [0, -2, 1.2], look_at_m: [0, 0, 0.1]}}
entities:
  - {{id: {id}, class: {kind}, position_m: [0.4, 0.1, 0.1], size_m: 0.2}}
  - {{id: car, position_m: [-0.1, 0, 0.15], size_m: [0.8, 0.4, 0.3], front_deg: 180}}
"""


def ids_and_classes_fit_or_are_refused_with_their_line(where):
    for key, other in (("id", "kind"), ("kind", "id")):
        for length in sizes(32):
            name = "n" * length
            (where / "scene.yaml").write_text(SCENE.format(**{key: name, other: "ball"}))
            told, errors = pov("judge", where / "scene.yaml", "--json", code=0 if length < 32 else 1)
            if length < 32:
                assert key == "kind" or f'"{name}"' in told
            else:
                assert "scene.yaml:3" in errors and f"{length} bytes" in errors and "31" in errors, errors


def utterances_are_answered_or_refused_and_echoed_whole(where):
    (where / "scene.yaml").write_text(SCENE.format(id="ball", kind="ball"))
    question = "is the ball left of the car"
    for length in sizes(400):
        asked = question + " " * (length - len(question) - 1) + "?"
        assert len(asked) == length
        told, _ = pov("ask", where / "scene.yaml", "-", "--json", said=asked + "\n", code=0 if length < 400 else 2)
        reply = json.loads(told)
        assert reply["utterance"].split() == asked.split() and len(reply["utterance"]) >= length - 1, (length, told)
        assert (reply["outcome"] == "answered") == (length < 400), reply
        assert length < 400 or "399 bytes" in reply["say"], reply


def a_reply_names_all_things(where):
    names = [f"thing_number_{i:02d}_".ljust(31, "x") for i in range(60)]
    rows = [f"  - {{id: {name}, position_m: [{-1 + 0.033 * i:.3f}, 0.2, 0.1], size_m: 0.02}}" for i, name in enumerate(names)]
    (where / "many.yaml").write_text("camera: {position_m: [0, -2, 1.2], look_at_m: [0, 0, 0.1]}\nentities:\n" + "\n".join(rows) + "\n")
    told, _ = pov("ask", where / "many.yaml", "-", "--json", said=f"what is left of the {names[-1]}?\nhow many things are there?\n")
    left, many = map(json.loads, told.splitlines())
    spoken = [name.replace("_", " ") for name in names]
    assert all(name in left["say"] for name in spoken[:-1]), left["say"]
    assert all(name in many["say"] for name in spoken), many["say"]


# ---- answers ----

def write_rows(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def scored(path, paper):
    told, _ = pov("score", path, "--paper", paper, "--json", "--resamples", 100)
    return [row for row in json.loads(told)["scores"]]


def names_that_differ_in_their_last_letter_stay_apart(where):
    """One model is right in all, the other in none: whichever name is cut, they become one of 50 %."""
    for length in (100, 121, 1000, 70000):
        good, bad = "m" * length + "A", "m" * length + "B"
        rows = [(f"{'q' * length}{i}", model, ("left of", "right of")[i % 2], "yes", "yes" if model == good else "no")
                for model in (good, bad) for i in range(12)]
        path = write_rows(where / "vsr.csv", ("id", "model", "relation", "gold", "answer"), rows)
        total = {row["model"]: row["accuracy"] for row in scored(path, "vsr") if row["by"] == "all"}
        assert set(total) == {good, bad}, [len(name) for name in total]
        assert (total[good]["mean"], total[bad]["mean"], total[good]["n"], total[bad]["n"]) == (1, 0, 12, 12), total
        pov("report", path, "--out", where / "vsr.html", "--markdown", where / "vsr.md", "--csv", where / "tables", "--no-images")
        page = (where / "vsr.html").read_text()
        assert good in page and bad in page
        with open(where / "tables" / "vsr_ranks.csv", encoding="utf-8") as file:
            csv.field_size_limit(1 << 30)
            assert {(row["model"], row["answered"]) for row in csv.DictReader(file)} == {(good, "12 of 12"), (bad, "12 of 12")}


def values_and_questions_that_differ_in_their_last_letter_stay_apart(where):
    for length in (59, 199, 5000):
        relata = "r" * length + "A", "r" * length + "B"
        rows = [("m", relatum, "camera", "left", "left" if relatum == relata[0] else "right") for relatum in relata for _ in range(6)]
        path = write_rows(where / "forest.csv", ("model", "relatum", "asked", "gold_relative", "answer"), rows)
        by = {row["value"]: row["accuracy"]["mean"] for row in scored(path, "forest") if row["by"] == "question"}
        assert by == {f"camera perspective, {relata[0]}": 1, f"camera perspective, {relata[1]}": 0}, (length, by)
    # Without ids, two models are compared on the questions' texts.
    for length in (61, 3000):
        rows = [(model, "w" * length + str(i), "left of", "yes", "yes") for model in "ab" for i in range(9)]
        path = write_rows(where / "texts.csv", ("model", "text", "relation", "gold", "answer"), rows)
        pov("report", path, "--paper", "vsr", "--out", where / "texts.html", "--csv", where / "texts", "--no-images")
        with open(where / "texts" / "vsr_ranks.csv", encoding="utf-8") as file:
            assert {row["answered"] for row in csv.DictReader(file)} == {"9 of 9"}, length


def a_long_answer_is_whole_in_the_report(where):
    answer = "I look at the picture. " * 200 + "No, it is not, and that is my last word."
    path = write_rows(where / "one.csv", ("model", "relation", "gold", "text", "answer"), [("m", "left of", "yes", "Is it so? " * 90 + "Is it?", answer)] * 2)
    pov("report", path, "--paper", "vsr", "--out", where / "one.html", "--csv", where / "one", "--no-images")
    with open(where / "one" / "vsr_disagreements.csv", encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    assert row["answer"] == answer and row["question"] == "Is it so? " * 90 + "Is it?"
    assert answer in (where / "one.html").read_text()


# ---- requests ----

class Echo(http.server.BaseHTTPRequestHandler):
    """A model that says yes; what it was asked is kept."""
    asked = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((body, dict(self.headers)))
        reply = json.dumps({"model": "m", "choices": [{"finish_reason": "stop", "message": {"content": "Yes"}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def what_a_server_is_told_is_whole_or_refused(where):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    pov("export", "comfort-car", "--variant", "horse-left", "--images", 1, "--size", "64x48", "--dataset", "jsonl", where / "run")
    for key, bound in (("system", 1024), ("model", 96), ("key", 512)):
        for length in sizes(bound):
            text = (key + "-") * (length // (len(key) + 1)) + "x" * (length % (len(key) + 1))
            Echo.asked.clear()
            if key == "key":
                (where / "key").write_text(text + "\n")
            endpoint = {"url": url, "model": text if key == "model" else f"m-{key}-{length}"} | ({"key_file": str(where / "key")} if key == "key" else {})
            system = {"system": text} if key == "system" else {}
            (where / "vlm.yaml").write_text(json.dumps({"vlm": {"endpoints": [endpoint], **system}}))
            _, errors = pov("compare", where / "run", "--vlm", where / "vlm.yaml", code=None)
            if Echo.asked:
                body, headers = Echo.asked[0]
                arrived = {"model": lambda: body["model"], "system": lambda: body["messages"][0]["content"],
                           "key": lambda: headers["Authorization"].removeprefix("Bearer ")}[key]()
                assert arrived == text, (key, length, len(arrived))
            else:
                assert key in errors and ("vlm.yaml" in errors or str(where / "key") in errors), (key, length, errors)
    server.shutdown()


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    ids_and_classes_fit_or_are_refused_with_their_line(folder)
    utterances_are_answered_or_refused_and_echoed_whole(folder)
    a_reply_names_all_things(folder)
    names_that_differ_in_their_last_letter_stay_apart(folder)
    values_and_questions_that_differ_in_their_last_letter_stay_apart(folder)
    a_long_answer_is_whole_in_the_report(folder)
    what_a_server_is_told_is_whole_or_refused(folder)
