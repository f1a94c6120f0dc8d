#!/usr/bin/python3
"""Servers that will answer nothing, each as such servers are: asking ends at once, says why in the server's words, exits with 1, and
every question stays pending, so that a server that answers is asked all of them afterwards. What may be one question's fault ends nothing."""
import base64
import hashlib
import http.server
import json
import pathlib
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import Server, assert_answered_once, pov, query, station


def chat(message, finish="stop", **more):
    return {"model": "m", "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}], **more}


def error(message, **more):
    return {"error": {"message": message, **more}}


YES = {"content": [{"token": "Yes", "logprob": -0.1, "top_logprobs": [{"token": "Yes", "logprob": -0.1},
                                                                      {"token": "No", "logprob": -2.4}]}]}
GOOD = chat({"content": "Yes"})
GOOD["choices"][0]["logprobs"] = YES
CALL = {"content": None, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]}

# path: status, headers, body, words that must be shown, requests at most
HOPELESS = {
    "quota": (429, {}, error("You exceeded your current quota, please check your plan", type="insufficient_quota",
                             code="insufficient_quota"), "You exceeded your current quota", 8),
    "daily": (429, {"Retry-After": "43200"}, error("Daily limit reached"), "for 12.0 hours (Retry-After)", 8),
    "money": (402, {}, error("Insufficient credits", code=402), "Insufficient credits", 8),
    "large": (413, {}, error("Request exceeds the maximum size"), "Request exceeds the maximum size", 16),
    "picture": (400, {}, {"type": "error", "error": {"type": "invalid_request_error", "message": "image exceeds 5 MB maximum: 5316852 bytes"}},
                "image exceeds 5 MB maximum", 16),
    "tools": (200, {}, chat(CALL, "tool_calls"), "it calls a tool ('look')", 16),
    "inside": (200, {}, error("Provider returned error", code=502), "Provider returned error", 16),
    "cuda": (200, {}, error("CUDA out of memory"), "CUDA out of memory", 16),
    "cloud": (524, {"Content-Type": "text/html"}, "<html><head><title>example.org | 524: A timeout occurred</title></head></html>",
              "524: A timeout occurred", 16),
    "detail": (422, {}, {"detail": [{"loc": ["body", "messages"], "msg": "Input should be a valid list"}]},
               "Input should be a valid list", 16),
}

STREAM = "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in (
    {"model": "m", "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]},
    {"model": "m", "choices": [{"index": 0, "delta": {"content": "Y"}, "logprobs": {"content": [
        {"token": "Y", "logprob": -0.1, "top_logprobs": [{"token": "Y", "logprob": -0.1}, {"token": "N", "logprob": -2.4}]}]}}]},
    {"model": "m", "choices": [{"index": 0, "delta": {"content": "es"}, "logprobs": {"content": [
        {"token": "es", "logprob": 0, "top_logprobs": []}]}}]},
    {"model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"model": "m", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}})) + "data: [DONE]\n\n"


class Clerk(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, headers, body):
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.count += 1
            count = self.server.count
        mode = self.path.split("/")[1]
        if mode == "stream":
            self.send(200, {"Content-Type": "text/event-stream"}, STREAM)
        elif mode == "censor": # answers the first, and refuses the images of those that follow
            self.send(*((200, {}, GOOD) if count == 1 or count > 13 else (400, {}, error("content policy"))))
        elif mode == "outage": # answers five, then is gone
            self.send(*((200, {}, GOOD) if count <= 5 else (503, {}, error("model is being unloaded"))))
        elif mode == "late": # is loading when it is first asked
            self.send(*((503, {}, error("Loading model")) if count <= 12 else (200, {}, GOOD)))
        elif mode == "thinker": # as o3 and gpt-5 refuse, one thing after the other; it thinks 100 tokens long
            if "max_tokens" in asked:
                self.send(400, {}, error("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                                         "'max_completion_tokens' instead.", code="unsupported_parameter"))
            elif "temperature" in asked:
                self.send(400, {}, error("Unsupported value: 'temperature' does not support 0 with this model. Only the "
                                         "default (1) value is supported.", code="unsupported_value"))
            elif "logprobs" in asked:
                self.send(400, {}, error("You are not allowed to request logprobs from this model"))
            elif asked["max_completion_tokens"] < 100:
                self.send(200, {}, chat({"content": ""}, "length", usage={"prompt_tokens": 9, "completion_tokens": 16}))
            else:
                self.send(200, {}, chat({"content": "No."}, usage={"prompt_tokens": 9, "completion_tokens": 102}))
        elif mode == "eye": # keeps what it is shown
            part = asked["messages"][-1]["content"][0]["image_url"]
            self.server.shown.append((part["url"], part.get("detail"), asked["messages"][0]))
            self.send(200, {}, GOOD)
        elif mode == "rambler": # never comes to the point
            self.send(200, {}, chat({"content": "Let me look at the"}, "length"))
        else:
            self.send(*HOPELESS[mode][:3])


class Peer:
    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Clerk)
        self.server.lock, self.server.count, self.server.daemon_threads = threading.Lock(), 0, True
        self.server.shown = []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def url(self, mode):
        self.server.count = 0
        return f"http://127.0.0.1:{self.server.server_port}/{mode}/v1"


def vlm_file(folder, url, attempts=3):
    path = folder / "vlm.yaml"
    path.write_text(f"vlm:\n  endpoints: [{{url: '{url}', model: m}}]\n  attempts: {attempts}\n"
                    "  pause_first_s: 0.01\n  pause_max_s: 0.02\n")
    return path


def compare(folder, run, url, *more, attempts=3):
    """Exit code, what it told, how long it took."""
    start = time.monotonic()
    done = subprocess.run([sweep_peer.POV, "compare", run, "--vlm", vlm_file(folder, url, attempts), *more], capture_output=True,
                          text=True, timeout=60, env=sweep_peer.ENVIRONMENT)
    return done.returncode, done.stdout + done.stderr, time.monotonic() - start


def counted(run):
    return query(run, "SELECT count(*) FROM results WHERE counted")[0][0]


def a_hopeless_server_stops_the_asking_and_costs_no_question(folder, run):
    with Peer() as peer:
        for mode, (_, _, _, words, most) in HOPELESS.items():
            code, told, took = compare(folder, run, peer.url(mode))
            assert code == 1 and words in told and "asking has stopped" in told, (mode, code, told)
            assert counted(run) == 0, (mode, counted(run), told)
            assert peer.server.count <= most, (mode, peer.server.count)
            assert took < 10, (mode, took)


def a_port_where_nobody_listens_stops_it_too(folder, run):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0)) # bound, so that nobody else gets it; not listening
        code, told, took = compare(folder, run, f"http://127.0.0.1:{held.getsockname()[1]}/v1")
    assert code == 1 and "does the server run" in told and counted(run) == 0 and took < 10, (code, told, took)


def wait_waits_for_it(folder, run):
    with Peer() as peer:
        code, told, _ = compare(folder, run, peer.url("late"))
        assert code == 1 and "Loading model" in told and counted(run) == 0, told
        code, told, _ = compare(folder, run, peer.url("late"), "--wait")
        assert code == 0 and "waiting for the server" in told, told
        assert_answered_once(run)
    pov("compare", run, "--drop", "m")


def what_may_be_one_questions_fault_ends_nothing(folder, run):
    with Peer() as peer:
        code, told, _ = compare(folder, run, peer.url("censor"))
        assert code == 1 and "content policy" in told and "stopped" not in told, told
        total = assert_answered_once(run)
        assert query(run, "SELECT count(*) FROM results WHERE outcome = 'rejected'") == [(12,)] and total > 20
    pov("compare", run, "--drop", "m")


def an_outage_stops_it_and_what_was_answered_stays(folder, run):
    with Peer() as peer:
        code, told, _ = compare(folder, run, peer.url("outage"))
        assert code == 1 and "asking has stopped" in told and "model is being unloaded" in told, told
        assert query(run, "SELECT outcome, count(*) FROM results WHERE counted GROUP BY outcome") == [("answered", 5)]
    with Server(run) as better: # all the others are pending
        pov("compare", run, "--vlm", vlm_file(folder, better.url))
    assert_answered_once(run)
    pov("compare", run, "--drop", "m")


def a_stream_is_read_whole(folder, run):
    with Peer() as peer:
        code, told, _ = compare(folder, run, peer.url("stream"))
        assert code == 0, told
    assert_answered_once(run)
    assert query(run, "SELECT DISTINCT kind, round(p, 6), prompt_tokens FROM results") == [("tokens", round(1 / (1 + 2.718281828459045 ** -2.3), 6), 9)]
    pov("compare", run, "--drop", "m")


def a_server_that_wants_to_be_asked_otherwise_is(folder, run):
    with Peer() as peer:
        code, told, _ = compare(folder, run, peer.url("thinker"))
        assert code == 0 and "at its own temperature" in told, told
        total = assert_answered_once(run)
        assert peer.server.count < total + 25, peer.server.count # 16 at a time learn it, then it is known
    assert query(run, "SELECT DISTINCT kind, p FROM results") == [("text", 0)]
    pov("compare", run, "--drop", "m")


def an_answer_that_was_cut_says_so(folder, run):
    with Peer() as peer:
        code, told, _ = compare(folder, run, peer.url("rambler"))
        assert code == 0 and "cut at 256 tokens: raise answer_tokens_max" in told and "up to 256" in told, told
    pov("compare", run, "--drop", "m")


def size_of(data):
    """Width and height, by the formats' own words: PNG's IHDR, JPEG's frame header."""
    if data[:4] == b"\x89PNG":
        return struct.unpack(">II", data[16:24])
    at = 2
    while data[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + struct.unpack(">H", data[at + 2:at + 4])[0]
    return struct.unpack(">HH", data[at + 5:at + 9])[::-1]


def images_are_sent_as_the_file_says_and_golds_stay(folder, run):
    golds = query(run, "SELECT id, gold, gold_p FROM questions ORDER BY id")
    stored = {hashlib.sha256(path.read_bytes()).hexdigest(): size_of(path.read_bytes()) for path in (run / "images").glob("*.png")}
    largest = max(max(size) for size in stored.values())
    station(folder / "seen")
    for number, (options, kind, width, detail) in enumerate((
            ("", "png", largest, None), ("{format: jpeg, quality: 30}", "jpeg", largest, None),
            ("{max_px: 100, format: jpeg, detail: low}", "jpeg", 100, "low"), ("{max_px: 64}", "png", 64, None),
            ("{max_px: 9000, format: png}", "png", largest, None))):
        with Peer() as peer:
            path = vlm_file(folder, peer.url("eye"))
            path.write_text(path.read_text() + (f"  image: {options}\n" if options else "") + "  system: comfort\n")
            wire = f"ipc://{folder}/wire{number}"
            where = folder / "seen/world" / f"{number}.yaml"
            where.write_text((folder / "seen/world/simulated.yaml").read_text() + f"publish: {{endpoint: '{wire}'}}\n")
            listener = subprocess.Popen([sweep_peer.POV, "listen", "--connect", wire, "--topic", "vlm", "--json", "--timeout", "30",
                                         "--count", "1"], stdout=subprocess.PIPE, text=True)
            pov("sweep", where, "--out", folder / f"eye{number}", "--angles", 2, "--quiet", "--vlm", path)
            heard = json.loads(listener.communicate(timeout=60)[0].splitlines()[0])["comparison"]
            digests = set()
            for url, seen_detail, system in peer.server.shown:
                head, text = url.split(",")
                data = base64.b64decode(text)
                assert head == f"data:image/{kind};base64" and max(size_of(data)) == width and seen_detail == detail, (head, size_of(data))
                assert system == {"role": "system", "content": 'You will be provided an image and a question, please answer the '
                                                               'question only in "Yes" or "No"'}, system
                digests.add(hashlib.sha256(data).hexdigest())
        settings = query(folder / f"eye{number}", "SELECT settings FROM models")[0][0]
        assert "system_name: comfort" in settings and ("image: " in settings) == bool(options), settings
        assert heard["sent_sha256"] in digests and heard["sent_format"] == f"image/{kind}", heard
        assert max(heard["sent_width_px"], heard["sent_height_px"]) == width and heard["sent_detail"] == (detail or ""), heard
        assert heard["sent_quality"] == (0 if kind == "png" else 30 if "30" in options else 90), heard
        assert (heard["sent_sha256"] == heard["image_sha256"]) == (not options or "9000" in options), heard
        pov("report", folder / f"eye{number}", "--markdown", folder / "report.md", "--out", folder / "report.html")
        text = (folder / "report.md").read_text()
        assert "system prompt comfort" in text and ("at most 100 px, detail low" in text) == ("100" in options), text[:3000]
    assert golds == query(run, "SELECT id, gold, gold_p FROM questions ORDER BY id")


def a_model_can_be_dropped(folder, run):
    with Server(run) as one:
        pov("compare", run, "--vlm", vlm_file(folder, one.url))
        other = vlm_file(folder, one.url).with_name("other.yaml")
        other.write_text(vlm_file(folder, one.url).read_text().replace("model: m", "model: other"))
        pov("compare", run, "--vlm", other)
    total = assert_answered_once(run, models=2)
    told = pov("compare", run, "--drop", "nobody", code=1)
    assert "holds no answers of a model 'nobody'; there are: m, other" in told, told
    pov("compare", run, "--drop", "other")
    assert query(run, "SELECT name FROM models") == [("m",)] and counted(run) == total
    assert b"other" not in b"".join(path.read_bytes() for path in run.glob("log.sqlite*")).replace(b"another", b"")
    assert query(run, "SELECT count(*) FROM row_checks WHERE of = 'results'")[0][0] == total
    assert_answered_once(run)
    pov("doctor", run)
    pov("compare", run, "--drop", "m")


def a_sweep_takes_its_images_all_the_same(folder, run):
    where = station(folder / "again")
    with Peer() as peer:
        told = pov("sweep", where, "--out", folder / "late", "--angles", 24, "--vlm", vlm_file(folder, peer.url("money")), code=1)
        assert "Insufficient credits" in told and "images are taken all the same" in told, told
    assert query(folder / "late", "SELECT count(*) FROM images") == [(24,)] and counted(folder / "late") == 0


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        run = folder / "run"
        for name in "again", "seen":
            (folder / name).mkdir()
        pov("sweep", station(folder), "--out", run, "--angles", 4, "--quiet")
        for test in (a_hopeless_server_stops_the_asking_and_costs_no_question, a_port_where_nobody_listens_stops_it_too,
                     wait_waits_for_it, what_may_be_one_questions_fault_ends_nothing,
                     an_outage_stops_it_and_what_was_answered_stays, a_stream_is_read_whole, a_server_that_wants_to_be_asked_otherwise_is,
                     an_answer_that_was_cut_says_so, images_are_sent_as_the_file_says_and_golds_stay,
                     a_model_can_be_dropped,
                     a_sweep_takes_its_images_all_the_same):
            test(folder, run)
            print(test.__name__.replace("_", " "), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
