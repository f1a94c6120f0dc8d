#!/usr/bin/python3
"""Prompt conditions: what a server is really sent in each, that chains of thought are read at their end, that guidance written by the
model is one request of two, both in the log, also after a stop between them; columns, groups and logs of before; the table in the docs."""
import csv
import http.server
import io
import json
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import pov, query, station

COMFORT = 'You will be provided an image and a question, please answer the question only in "Yes" or "No"'
GUIDANCE = "Direction: relative to the camera. Topology: outside. Mark 4711."
ASKS_GUIDANCE, EXPLAINS = "Write only the spatial information", "Explanation: EXPLANATION"


class Model(http.server.BaseHTTPRequestHandler):
    """Says yes to all, in the way that it is asked; a chain of thought begins with the contrary."""
    protocol_version = "HTTP/1.1"
    requests, refuses_after_guidance = [], False

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        system = [m["content"] for m in asked["messages"] if m["role"] == "system"]
        content = asked["messages"][-1]["content"]
        text = next(part["text"] for part in content if part["type"] == "text")
        Model.requests.append((text, system[0] if system else None, asked))
        status, answer = 200, "Yes"
        if ASKS_GUIDANCE in text:
            answer = "Spatial information: " + GUIDANCE
        elif EXPLAINS in text:
            answer = "Explanation: No, not at first sight. The answer: is not clear at once.\n\n**Answer:** Yes"
            status = 401 if Model.refuses_after_guidance and "4711" in text else 200
        body = json.dumps({"choices": [{"message": {"content": answer}, "finish_reason": "stop"}], "error": None}
                          if status == 200 else {"error": {"message": "no"}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def is_guided(text):
    return "4711" in text


def what_is_sent(run, url):
    """Two guidances by four promptings by two system prompts, each as it says."""
    pov("compare", run, "--guided", "none,facts", "--prompting", "zero-shot,4-shot,cot,sg-cot", "--system", "vlm,comfort",
        "--vlm", url, "--model", "yes")
    rows = query(run, "SELECT q.key, q.prompt, json_extract(q.columns, '$.guided'), json_extract(q.columns, '$.prompting'),"
                      " json_extract(q.columns, '$.system'), r.p, r.kind FROM questions q JOIN results r ON r.question = q.id AND counted")
    conditions = {row[2:5] for row in rows}
    assert len(conditions) == 2 * 4 * 2, conditions
    assert all(p == 1 and kind == "text" for *_, p, kind in rows), [r for r in rows if r[5] != 1][:3]
    sent = {}
    for text, system, request in Model.requests:
        sent.setdefault(text, []).append((system, request))
    for key, prompt, guided, prompting, system, _, _ in rows:
        assert key.endswith({"zero-shot": "", "4-shot": "+4-shot", "cot": "+cot", "sg-cot": "+sg-cot"}[prompting] +
                            ("+system-comfort" if system == "comfort" else "")), key
        assert ("Given: " in prompt) == (guided == "facts"), prompt
        shots = prompt.count("\nAnswer: ") - (prompting in ("cot", "sg-cot"))
        assert shots == (0 if prompting == "zero-shot" else 4), (prompting, shots)
        if prompting != "sg-cot":
            assert (COMFORT if system == "comfort" else None) in [s for s, _ in sent[prompt]], prompt
    explained = [r for t, _, r in Model.requests if EXPLAINS in t]
    assert explained and all("logprobs" not in r and r["max_tokens"] >= 512 for r in explained)
    firsts = [(t, s) for t, s, _ in Model.requests if ASKS_GUIDANCE in t]
    seconds = [t for t, _, _ in Model.requests if is_guided(t)]
    assert len(firsts) == len(seconds) == sum(row[3] == "sg-cot" for row in rows), (len(firsts), len(seconds))
    assert all(s is None for _, s in firsts)
    assert all(t.count("Spatial information: Direction: relative to the camera. Topology: outside. Mark 4711.\nQuestion: ") == 1 for t in seconds)
    written = query(run, "SELECT count(*), min(text), max(counted) FROM results WHERE kind = 'guidance'")
    assert written == [(len(firsts), "Spatial information: " + GUIDANCE, 0)], written


def a_stop_between_the_two_requests_loses_none(run, url):
    Model.refuses_after_guidance = True
    Model.requests.clear()
    words = pov("compare", run, "--languages", "en", "--prompting", "sg-cot", "--vlm", url, "--model", "other", code=1)
    assert "401" in words, words
    first = {t for t, _, _ in Model.requests if ASKS_GUIDANCE in t}
    Model.refuses_after_guidance = False
    Model.requests.clear()
    pov("compare", run, "--vlm", url, "--model", "other")
    kept = query(run, "SELECT q.id, count(*) FROM results r JOIN questions q ON q.id = r.question JOIN models m ON m.id = r.model"
                      " WHERE r.kind = 'guidance' AND m.name = 'other' GROUP BY q.id")
    wanted = query(run, "SELECT count(*) FROM questions WHERE json_extract(columns, '$.prompting') = 'sg-cot'")[0][0]
    assert first and len(kept) == wanted and all(n == 1 for _, n in kept), (len(first), len(kept), wanted)
    assert sweep_peer.assert_answered_once(run, models=2)


def exports_and_groups(run):
    rows = list(csv.DictReader(io.StringIO(pov("compare", run, "--export", "csv"))))
    one = next(r for r in rows if r["prompting"] == "cot" and r["system"] == "comfort" and r["guided"] == "facts")
    assert one["answer"] == "Yes", one["answer"]
    assert one["explanation"].startswith("Explanation: No, not"), one["explanation"]
    assert one["language"] == "en+facts+cot+system-comfort" and one["p_yes"] == "1", one
    scores = pov("compare", run)
    assert "en+facts+sg-cot+system-comfort" in scores and "yes +4-shot" in scores, scores[:3000]


def a_log_of_before(run):
    """Its columns say nothing of conditions; a guided question's language does."""
    pairs = json.loads(pov("questions", "--conditions", "--json"))["conditions"]
    assert len(pairs) == 27, pairs
    rows = [json.loads(line) for line in pov("compare", run, "--export", "jsonl").splitlines()]
    assert {(r["language"], r["guided"], r["prompting"], r["system"]) for r in rows} == {
        ("en", "not", "zero-shot", "vlm"), ("en+facts", "facts", "zero-shot", "vlm")}, rows[0]


def forget_conditions(run):
    """As a log was before this table: rewritten with its checksums, by docs/LOG.md."""
    import sqlite3
    db = sqlite3.connect(f"{run}/log.sqlite")
    for row in db.execute("SELECT * FROM questions").fetchall():
        columns = {k: v for k, v in json.loads(row[12]).items() if k not in ("guided", "prompting", "system", "order")}
        new = (*row[:12], json.dumps(columns, separators=(",", ":")), *row[13:])
        db.execute("UPDATE questions SET columns = ? WHERE id = ?", (new[12], row[0]))
        db.execute("UPDATE row_checks SET checksum = ? WHERE of = 'questions' AND row = ?", (sweep_peer.row_checksum(*new), row[0]))
    db.commit()
    db.close()


def the_docs_have_the_table():
    text = (pathlib.Path(__file__).parents[3] / "docs/PROMPTS.md").read_text()
    for row in json.loads(pov("questions", "--conditions", "--json"))["conditions"]:
        line = f"| `--{row['kind']}` | `{row['name']}` | {row['does']} | {row['source']} |"
        assert line.replace("|  |", "| |") in text, line


def misuse(run, where):
    for options, words in ((("--prompting", "cot", "--languages", "de"), "English only"), (("--prompting", "cott"), "cot"),
                           (("--system", "comfort", "--questions", "vsr"), "add comfort to --questions")):
        assert words in pov("compare", run, *options, code=2), options
    assert "--prompting" in pov("sweep", where, "--out", run, "--angles", 2, "--quiet", "--resume", "--prompting", "cot", code=1)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        where, run, old = station(folder), folder / "run", folder / "old"
        pov("sweep", where, "--out", run, "--angles", 2, "--quiet")
        what_is_sent(run, url)
        a_stop_between_the_two_requests_loses_none(run, url)
        exports_and_groups(run)
        misuse(run, where)
        pov("sweep", where, "--out", old, "--angles", 2, "--quiet", "--guided", "not,facts")
        forget_conditions(old)
        pov("compare", old, "--vlm", url, "--model", "yes")
        a_log_of_before(old)
        the_docs_have_the_table()
    print("each condition is asked, read, kept and told apart")
    return 0


if __name__ == "__main__":
    sys.exit(main())
