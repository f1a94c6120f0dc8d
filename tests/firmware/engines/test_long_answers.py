#!/usr/bin/python3
"""A log keeps each answer whole, up to 1 MiB, and what is scored is the whole answer: imported, or asked live."""
import http.server
import json
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "sweep"))
from sweep_peer import folder, pov, query

MIB = 1 << 20
SENTENCE = "Let me think about the picture and where each thing stands in it. "


def thinking(words, length=9000):
    """An answer after so many bytes of reasoning that name none."""
    return (SENTENCE * (length // len(SENTENCE) + 1))[:length] + "\n" + words


def scores_of(run):
    """Every table's rows without their model: {model: rows}."""
    models = {}
    for table, rows in json.loads(pov("compare", run, "--json")).items():
        for row in rows:
            models.setdefault(row.pop("model"), []).append((table, row))
    return models


def write_answers(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def reasoning_before_an_answer_changes_no_score(where, run, questions):
    right = {q["id"]: q["gold"].split("|")[0] for q in questions if q["gold"]} # of several right ones the first
    write_answers(where / "short.jsonl", [{"id": i, "answer": f"Answer: {a}"} for i, a in right.items()])
    write_answers(where / "long.jsonl", [{"id": i, "answer": thinking(f"Answer: {a}")} for i, a in right.items()])
    pov("import", run, where / "short.jsonl", "--model", "short")
    pov("import", run, where / "long.jsonl", "--model", "long")
    scores = scores_of(run)
    assert scores["long"] == scores["short"], scores
    means = [row[key]["mean"] for table, row in scores["short"] if table == "scores"
             for key in ("accuracy", "correctness") if key in row]
    assert len(means) > 5 and set(means) == {1}, means
    assert query(run, "SELECT min(length(text)) > 9000 FROM results r JOIN models m ON m.id = model WHERE name = 'long'") == [(1,)]


def an_answer_of_more_than_a_mebibyte_is_refused_with_its_line(where, run, questions):
    longest, longer = thinking("Answer: left", MIB - 13), thinking("Answer: left", MIB - 12)
    assert (len(longest), len(longer)) == (MIB, MIB + 1)
    rows = [{"id": q["id"], "answer": "Answer: left"} for q in questions[:2]]
    before = query(run, "SELECT count(*) FROM results")
    told = pov("import", run, write_answers(where / "longer.jsonl", [rows[0], {**rows[1], "answer": longer}]), "--model", "m", code=1)
    assert "longer.jsonl:2:" in told and questions[1]["id"] in told and "1 MiB" in told, told
    assert query(run, "SELECT count(*) FROM results") == before
    pov("import", run, write_answers(where / "longest.jsonl", [rows[0], {**rows[1], "answer": longest}]), "--model", "longest")
    assert query(run, "SELECT max(length(text)) FROM results r JOIN models m ON m.id = model WHERE name = 'longest'") == [(MIB,)]


def a_zero_does_not_end_an_answer(where, run, questions):
    question = next(q for q in questions if q["form"] == "yes_no")
    path = write_answers(where / "zero.jsonl", [{"id": question["id"], "answer": "Answer: Yes\0 no wait. Answer: No"}])
    assert "\\u0000" in path.read_text()
    pov("import", run, path, "--model", "zero")
    assert query(run, "SELECT p, text FROM results r JOIN models m ON m.id = model WHERE name = 'zero'") == \
        [(0, "Answer: Yes\ufffd no wait. Answer: No")]
    row = {"id": "1", "options": "yes|no", "gold": "no", "answer": "Answer: Yes\0 no wait. Answer: No"}
    table, = json.loads(pov("score", write_answers(where / "zero_scored.jsonl", [row]), "--paper", "sphere", "--json"))["scores"]
    assert table["accuracy"]["mean"] == 1, table


class Thinker(http.server.BaseHTTPRequestHandler):
    """A server whose model thinks for `length` bytes."""
    length = 9000

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        reply = json.dumps({"model": "thinker", "usage": {"prompt_tokens": 5, "completion_tokens": 7}, "choices": [
            {"finish_reason": "stop", "message": {"content": thinking("Answer: No", self.length)}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def live_answers_are_kept_whole_and_those_too_long_have_failed(where):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Thinker)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    run = where / "live"
    pov("export", "comfort-car", "--variant", "horse-left", "--images", 1, "--size", "64x48", "--dataset", "jsonl", run)
    pov("compare", run, "--vlm", url, "--model", "whole")
    rows = query(run, "SELECT outcome, p, text FROM answers WHERE model = 'whole'")
    assert rows and all(row == ("answered", 0, thinking("Answer: No")) for row in rows), rows[0]
    Thinker.length = MIB + MIB // 10
    told = pov("compare", run, "--vlm", url, "--model", "endless", code=None)
    rows = query(run, "SELECT DISTINCT outcome, p, text, cause, answer_tokens FROM results r JOIN models m ON m.id = model"
                      " WHERE name = 'endless'")
    assert len(rows) == 1 and rows[0][:3] == ("too_large", None, None) and "longer than 1 MiB" in rows[0][3] and rows[0][4] == 7, rows
    assert "longer than 1 MiB" in told, told
    server.shutdown()


with folder() as name:
    where = pathlib.Path(name)
    run = where / "run"
    pov("export", "comfort-car", "--variant", "horse-left", "--images", 4, "--questions", "forest,vpt", "--size", "64x48", "--dataset",
        "jsonl", run)
    questions = [json.loads(line) for line in (run / "questions.jsonl").read_text().splitlines()]
    reasoning_before_an_answer_changes_no_score(where, run, questions)
    an_answer_of_more_than_a_mebibyte_is_refused_with_its_line(where, run, questions)
    a_zero_does_not_end_an_answer(where, run, questions)
    live_answers_are_kept_whole_and_those_too_long_have_failed(where)
