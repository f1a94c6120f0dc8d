#!/usr/bin/python3
"""A server that keeps to the letter of server-sent events, and cuts its bytes wherever it likes: answers come as if at once, with their
probabilities, and the first word's time is told. Streams that break off or fail are failed attempts, never shorter answers. Servers
that refuse streams, or their options, or all but streams, are asked as they want. Nobody listens: no stream is asked for."""
import csv
import http.server
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import pov, query, station

PAUSE_S = 0.3
ROUNDS = 2
STRIDE = 37  # bytes between the places where two answers part; fuzz_vlm_stream parts them everywhere


def event(data, end="\n\n"):
    return f"data: {data if isinstance(data, str) else json.dumps(data)}{end}".encode()


def delta(text, logprob=None, alternative=None, **more):
    tokens = {} if logprob is None else {"logprobs": {"content": [
        {"token": text, "logprob": logprob, "top_logprobs": [{"token": text, "logprob": logprob},
                                                              *([{"token": alternative, "logprob": -2.0}] if alternative else [])]}]}}
    return {"model": "m", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None, **tokens}], **more}


USAGE = {"model": "m", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
ROLE = {"model": "m", "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}
STOP = {"model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
WHOLE = (b": keep-alive\r\n\r\n" + b"event: message\r\nid: 7\r\nretry: 10\r\n" + event(ROLE, "\r\n\r\n") + b":\r\n\r\n" + event(delta("N", -0.2, "Y"))
         # one event of several lines of data, as the standard joins them
         + b"".join(b"data: " + line.encode() + b"\n" for line in json.dumps(delta("o", 0), indent=1).splitlines()) + b"\n"
         + event(delta(", it is not.", 0)) + event(STOP) + event(USAGE) + event("[DONE]"))
P_YES = 0.13533528 / (0.13533528 + 0.81873075)


class Model(http.server.BaseHTTPRequestHandler):
    """The path says which server it is; `cuts` counts up, so that the bytes of each answer part at another place."""
    protocol_version = "HTTP/1.1"
    lock, cuts, asked, broken = threading.Lock(), 0, {}, {}

    def send(self, status, kind, *pieces, whole=True):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            if isinstance(piece, float):
                time.sleep(piece)
            elif piece:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n" if whole else b"")
        self.close_connection = not whole

    def refuse(self, words):
        self.send(400, "application/json", json.dumps({"error": {"message": words}}).encode())

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        who, streams = self.path.split("/")[1], request.get("stream", False)
        assert "text/event-stream" in self.headers["Accept"]
        with Model.lock:
            Model.cuts += 1
            cut = Model.cuts * STRIDE % len(WHOLE)
            Model.asked.setdefault(who, []).append((streams, "stream_options" in request))
            question = (who, json.dumps(request["messages"]))
            times = Model.broken[question] = Model.broken.get(question, 0) + 1
        if who == "plain" and streams:
            self.refuse("stream is not supported by this server")
        elif who == "only" and not streams:
            self.refuse("this model answers with stream set to true only")
        elif who == "bare" and "stream_options" in request:
            self.refuse("Unrecognized request argument supplied: stream_options")
        elif not streams:
            self.send(200, "application/json", json.dumps(
                {"choices": [{"message": {"content": "No, it is not."}, "finish_reason": "stop"}]}).encode())
        elif who == "slow":
            head, tail = WHOLE.split(event(delta(", it is not.", 0)))
            self.send(200, "text/event-stream", head, PAUSE_S, event(delta(", it is not.", 0)) + tail)
        elif who == "breaks" and times % 3 == 1:  # ends cleanly, but before the answer does
            self.send(200, "text/event-stream", event(ROLE) + event(delta("Yes")))
        elif who == "breaks" and times % 3 == 2:  # or the connection dies
            self.send(200, "text/event-stream", event(ROLE) + event(delta("Yes")), whole=False)
        elif who == "fails" and times % 2 == 1:
            self.send(200, "text/event-stream", event(ROLE) + event(delta("Yes")) + event({"error": {"message": "engine died", "code": 500}}))
        elif who == "endless":
            self.send(200, "text/event-stream", event(ROLE), *[event(delta("word " * 2000)) for _ in range(600)])
        else:
            self.send(200, "text/event-stream", WHOLE[:cut], WHOLE[cut:cut + 1], WHOLE[cut + 1:])

    def log_message(self, *_):
        pass


class Quiet(http.server.ThreadingHTTPServer):
    """Clients may hang up."""
    daemon_threads = True

    def handle_error(self, *_):
        pass


def told(recording):
    """The messages of the topic vlm, one for each answer."""
    out = recording.parent / f"{recording.stem}_csv"
    pov("export", recording, "--csv", out)
    return [row for row in csv.DictReader((out / "vlm.csv").open()) if row["status"] != "asked"]


def ask(run, base, who, *options, code=0):
    path = run.parent / f"{who}.yaml"
    path.write_text(f"vlm:\n  endpoints: [{{url: '{base}/{who}/v1', model: {who}}}]\n  attempts: 6\n  pause_first_s: 0.01\n  pause_max_s: 0.05\n")
    words = pov("compare", run, "--vlm", path, *options, code=code)
    return query(run, f"SELECT r.p, r.kind, r.text, r.outcome, r.cause, r.prompt_tokens FROM results r JOIN models m ON m.id = r.model"
                      f" WHERE counted AND m.name = '{who}'"), words


def main():
    server = Quiet(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        where = station(folder, publish="{endpoint: 'ipc://%s/wire'}" % folder)
        run = folder / "run"
        pov("sweep", where, "--out", run, "--angles", 4, "--quiet")
        n = query(run, "SELECT count(*) FROM questions")[0][0]

        # bytes part at as many places as there are questions, and each model goes on where the last one ended
        for i in range(ROUNDS):
            rows, _ = ask(run, base, f"cut{i}")
            assert len(rows) == n and all(abs(p - P_YES) < 1e-6 and kind == "tokens" and text == "No, it is not." and used == 9
                                          for p, kind, text, *_, used in rows), (i, [r for r in rows if r[2] != "No, it is not."][:3])
        assert Model.cuts >= ROUNDS * n and len(WHOLE) % STRIDE and all(streams and options for k, v in Model.asked.items() for streams, options in v)

        for who, unlike, like in (("plain", 1, False), ("only", 0, True), ("bare", 1, True)):
            rows, _ = ask(run, base, who, *(["--no-publish"] if who == "only" else []))
            assert len(rows) == n and all(r[2] == "No, it is not." for r in rows), who
            assert Model.asked[who][-1] == (like, like and who != "bare"), (who, Model.asked[who][-1])
        for who in ("breaks", "fails"):
            rows, _ = ask(run, base, who)
            assert all(r[2] == "No, it is not." and r[3] == "answered" for r in rows) and len(rows) == n, (who, rows[:3])
        rows, _ = ask(run, base, "endless", code=None)
        assert not any(r[3] == "answered" for r in rows), rows[:2]
        rows, _ = ask(run, base, "alone", "--no-publish")
        assert len(rows) == n and not any(streams for streams, _ in Model.asked["alone"])
        the_first_word_is_told(folder, where, base)
    print(f"streams of {len(WHOLE)} bytes cut at {ROUNDS * n} places are read; broken ones are asked again")
    return 0


def the_first_word_is_told(folder, where, base):
    """By a sweep that publishes and records; not by one whose server sends answers whole."""
    for who in ("slow", "plain"):
        recording = folder / f"{who}.mcap"
        pov("sweep", where, "--out", folder / f"run_{who}", "--angles", 1, "--quiet", "--vlm", f"{base}/{who}/v1", "--model", who,
            "--record", recording, code=None)
        rows = told(recording)
        assert rows, who
        for row in rows:
            if who == "plain":
                assert row["first_token_ns"] == "", row
                continue
            asked, first, answered = (int(row[key]) for key in ("asked_ns", "first_token_ns", "answered_ns"))
            assert asked < first < answered - PAUSE_S * 0.5e9, (asked, first, answered)


if __name__ == "__main__":
    sys.exit(main())
