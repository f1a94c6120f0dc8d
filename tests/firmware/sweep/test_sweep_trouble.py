#!/usr/bin/python3
"""What the world does to a sweep: servers that hang, flood, lie or break off cost their own answers only, each with its cause;
a disk that is full loses nothing; files that are not logs are left as they are."""
import http.server
import json
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import ENVIRONMENT, POV, Server, assert_answered_once, pov, query, station

GOOD = {"model": "m", "choices": [{"message": {"content": "Yes"}, "finish_reason": "stop", "logprobs": {"content": [
    {"token": "Yes", "logprob": -0.1, "top_logprobs": [{"token": "Yes", "logprob": -0.1}, {"token": "No", "logprob": -2.4}]}]}}]}


def with_text(text):
    return {"model": "m", "choices": [{"message": {"content": text}, "finish_reason": "stop"}]}


def with_logprob(text):
    return json.dumps(GOOD).replace("-0.1", text).encode()


class Villain(http.server.BaseHTTPRequestHandler):
    """Answers as its server's list of troubles says, one after the other."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, body, code=200, kind="application/json", length=None):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            trouble = TROUBLES[self.server.count % len(TROUBLES)]
            self.server.count += 1
        try:
            getattr(self, trouble)()
        except OSError:
            pass # the client has had enough

    def good(self):
        self.send(json.dumps(GOOD).encode())

    def hangs(self):
        self.rfile.read(1) # until the client has had enough
        self.close_connection = True

    def floods(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(1 << 30))
        self.end_headers()
        for _ in range(1 << 14):
            self.wfile.write(b" " * (1 << 16))

    def lies_about_its_type(self):
        self.send(b"\x89PNG\r\n\x1a\n" + bytes(100), kind="application/json")

    def says_it_is_a_page(self):
        self.send(b"<html>Welcome to the hotel's network</html>", kind="text/html")

    def closes_early(self):
        self.send(json.dumps(GOOD).encode(), length=1000)
        self.close_connection = True

    def gives_nan(self):
        self.send(with_logprob("NaN"))

    def gives_impossible_probabilities(self):
        self.send(with_logprob("3.5"))

    def refuses(self):
        self.send(json.dumps(with_text("I'm sorry, I cannot tell.")).encode())

    def rambles(self):
        self.send(json.dumps(with_text("It depends upon what is meant by that.")).encode())

    def fails(self):
        self.send(b'{"error": {"message": "out of memory"}}', code=500)

    def limits(self):
        self.send(b"{}", code=429)


TROUBLES = [name for name, value in vars(Villain).items()
            if not name.startswith("_") and name not in ("send", "do_POST", "log_message", "protocol_version")]


def vlm_file(folder, url, model="m"):
    path = folder / f"{model}.yaml"
    path.write_text(f"vlm:\n  endpoints: [{{url: '{url}', model: {model}, concurrency: 12}}]\n  attempts: 1\n"
                    "  answer_s: 3\n  pause_first_s: 0.01\n  pause_max_s: 0.02\n  answer_bytes_max: 100000\n")
    return path


def a_bad_server_costs_its_own_answers_only(folder, where):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Villain)
    server.lock, server.count, server.daemon_threads = threading.Lock(), 0, True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run = folder / "villain"
    pov("sweep", where, "--out", run, "--vlm", vlm_file(folder, f"http://127.0.0.1:{server.server_port}/v1"), "--quiet",
        "--angles", 12)
    server.shutdown()
    total = assert_answered_once(run)
    assert total == 144
    results = query(run, "SELECT outcome, kind, p, cause FROM results")
    assert {r[0] for r in results} >= {"answered", "too_slow", "too_large", "malformed", "unreachable", "rejected"}
    assert {r[1] for r in results} >= {"tokens", "refused", "unclear"}, {r[1] for r in results}
    good = [r for r in results if r[2] is not None]
    assert abs(len(good) - total / len(TROUBLES)) <= 1, (len(good), total)
    assert all(r[3] for r in results if r[2] is None), [r for r in results if r[2] is None and not r[3]][:3]
    with Server(run) as better: # what had no answer is asked again, of whoever serves the model now
        pov("compare", run, "--vlm", vlm_file(folder, better.url), "--again")
    assert query(run, "SELECT count(*) FROM results WHERE counted AND outcome != 'answered'") == [(0,)]
    assert query(run, "SELECT count(*) FROM results")[0][0] > total # and what came before is kept
    assert_answered_once(run)


def a_server_that_can_do_little_answers_all(folder, where):
    """429 for all but three questions at a time: the sweep finds that out, and no question is lost."""
    class Clerk(Villain):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            with self.server.lock:
                self.server.count += 1
                is_one_too_many = self.server.count > 3
                self.server.refused += is_one_too_many
            if is_one_too_many:
                self.limits()
            else:
                time.sleep(0.01)
                self.send(json.dumps({**GOOD, "usage": {"prompt_tokens": 900, "completion_tokens": 100}}).encode())
            with self.server.lock:
                self.server.count -= 1

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Clerk)
    server.lock, server.count, server.refused = threading.Lock(), 0, 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run, path = folder / "clerk", folder / "clerk.yaml"
    path.write_text(f"vlm:\n  endpoints: [{{url: 'http://127.0.0.1:{server.server_port}/v1', model: m, price_prompt: 1}}]\n"
                    "  attempts: 3\n  pause_first_s: 0.01\n  pause_max_s: 0.02\n")
    pov("sweep", where, "--out", run, "--quiet", "--angles", 24)
    done = subprocess.run([POV, "compare", run, "--vlm", path], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    assert assert_answered_once(run) == 288
    assert query(run, "SELECT count(*) FROM results WHERE outcome != 'answered'") == [(0,)]
    assert server.refused < 288 / 2, server.refused
    assert f"288 questions about 24 images to ask of m at http://127.0.0.1:{server.server_port}/v1, up to 16 at a time; " \
        "the first answers will tell the cost" in done.stderr, done.stderr
    assert "of about 288000 tokens, cost 0.0" in done.stderr and " of about 0.259" in done.stderr, done.stderr
    assert "0 of them no answer; " in done.stderr and "288000 tokens, cost 0.259." in done.stderr, done.stderr
    server.shutdown()
    print(f"{server.refused} refusals for 288 answers of a server that works on three questions at a time")


def a_closed_door_is_knocked_at_once_not_for_every_question(folder, where):
    for code, mend in ((401, "is the API key right?"), (404, "are the URL and the model's name right?")):
        class Doorman(Villain):
            knocks = 0

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                with self.server.lock:
                    Doorman.knocks += 1
                self.send(b'{"error": {"message": "Nobody by that name"}}', code=code)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Doorman)
        server.lock = threading.Lock()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        run, url = folder / f"doorman_{code}", f"http://127.0.0.1:{server.server_port}/v1"
        told = pov("sweep", where, "--out", run, "--quiet", "--angles", 2, "--vlm", url, "--model", "m", code=1)
        for part in (f"HTTP status {code}", mend, "Nobody by that name", "the answers are kept"):
            assert part in told, told
        assert Doorman.knocks < 24, Doorman.knocks # those under way, of 24
        assert query(run, "SELECT count(*) FROM results") == [(0,)]
        told = pov("compare", run, "--vlm", url, "--model", "n", code=1)
        assert "0 of 24 questions have a result" in told and mend in told, told
        assert "column" not in told, told # there is nothing to score, which is no fault of a file
        server.shutdown()
        with Server(run) as better: # mended, what is pending is asked without more ado
            pov("compare", run, "--vlm", vlm_file(folder, better.url))
        assert_answered_once(run)


def who_waits_is_told_that_answers_cannot_be_scored(folder, where):
    class Thinker(Villain):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send(json.dumps(with_text("<think>Let me look at the image.")).encode())

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Thinker)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run, url = folder / "thinker", f"http://127.0.0.1:{server.server_port}/v1"
    pov("sweep", where, "--out", run, "--quiet", "--angles", 2)
    told = pov("compare", run, "--vlm", url, "--model", "m", code=None)
    assert "24 answers cannot be scored: missing, as in: it thought aloud and came to no answer: raise answer_tokens_max" in told, told
    assert told.count("cannot be scored") <= 2, told
    server.shutdown()


def few_bytes(most):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def a_full_disk_loses_nothing(folder, where):
    run, calm = folder / "full", folder / "calm"
    with Server(calm) as server:
        expected = pov("sweep", where, "--out", calm, "--vlm", server.url, "--model", "m", "--quiet", "--json", "--angles", 12)
    with Server(run) as server:
        command = ["sweep", where, "--out", run, "--vlm", server.url, "--model", "m", "--quiet", "--json", "--angles", 12,
                   "--resume"]
        for most in 60000, 120000, 200000, 300000: # no file may grow beyond
            complaint = pov(*command, code=1, preexec_fn=few_bytes(most))
            assert "make room" in complaint or "cannot be written" in complaint or "cannot write" in complaint, complaint
            if (run / "log.sqlite").exists() and (run / "log.sqlite").stat().st_size > 0:
                assert query(run, "PRAGMA integrity_check") == [("ok",)]
        assert pov(*command) == expected
    assert_answered_once(run)


def what_is_no_log_is_left_as_it_is(folder, where):
    log = folder / "calm" / "log.sqlite"
    damaged = bytearray(log.read_bytes())
    damaged[4096 * 2:4096 * 6] = bytes(range(256)) * 64
    foreign, later = folder / "foreign.sqlite", folder / "later.sqlite"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE mine (precious TEXT)")
    connection.commit()
    connection.close()
    shutil.copy(log, later)
    connection = sqlite3.connect(later)
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    cases = {"text": (b"precious notes\n" * 100, "not a log of pov"), "foreign": (foreign.read_bytes(), "no log of pov"),
             "damaged": (bytes(damaged), "is damaged"), "later": (later.read_bytes(), "later pov"),
             "cut": (log.read_bytes()[:10000], "is damaged")}
    for name, (content, complaint) in cases.items():
        run = folder / name
        (run / "images").mkdir(parents=True)
        (run / "log.sqlite").write_bytes(content)
        for command in ("compare", run), ("sweep", where, "--out", run, "--resume"):
            said = pov(*command, code=1)
            assert complaint in said and str(run / "log.sqlite") in said, (name, said)
        assert (run / "log.sqlite").read_bytes() == content, name
    assert "no such file" in pov("compare", folder / "nothing", code=1).lower()
    for no_log in where, where.parent:
        before = sorted(where.parent.rglob("*"))
        assert str(no_log) in pov("compare", no_log, code=1)
        assert sorted(where.parent.rglob("*")) == before


def a_mistyped_list_is_told_and_makes_nothing(folder, where):
    run = folder / "mistyped"
    for option, value, code, words in (("--questions", "", 2, "takes comfort, forest"), ("--guided", "", 2, "takes not, facts"),
                                       ("--languages", "", 2, "takes languages"), ("--languages", "en,,de", 2, "takes languages"),
                                       ("--pairs", "", 2, "is not a pair"), ("--pairs", "ball:ball", 2, "by itself"),
                                       ("--pairs", "nobody:ball", 1, "cast has no 'nobody'")):
        told = pov("sweep", where, "--out", run, option, value, code=code)
        assert option in told and words in told and not run.exists(), told
    calm = folder / "calm"
    for options in ("--export", "csv", "--paper", "nobody"), ("--export", "comfort", "--paper", "vsr"), ("--paper", "vsr"):
        assert "--paper" in pov("compare", calm, *options, code=2)
    for command in ("sweep", where, "--out", run, "--workers", "tcp://*:5571"), ("compare", calm, "--workers=tcp://*:5571"), \
            ("vlm", where, "--connect", "tcp://127.0.0.1:5571"): # of earlier versions
        told = pov(*command, code=2)
        assert "no workers any more" in told and "--vlm" in told and not run.exists(), told
    pov("sweep", where, "--out", run, "--angles", 1) # what has no image yet is nothing to go on with
    assert query(run, "SELECT count(*) FROM images") == [(1,)]


def a_clock_set_back_stretches_no_wait(folder, where):
    """The program sees a clock an hour ahead of the kernel's: whatever waited until a time of that clock would wait an hour."""
    shim = pathlib.Path(POV).parent / "tests" / "libstepped_clock.so"
    if not shim.exists():
        return # the sanitized build
    run = folder / "stepped"
    with Server(run, "--latency", 20) as server:
        subprocess.run([POV, "sweep", where, "--out", run, "--vlm", server.url, "--model", "m", "--quiet", "--angles", "2"], check=True,
                       stdout=subprocess.DEVNULL, timeout=600, env={**ENVIRONMENT, "LD_PRELOAD": str(shim)})
    started, = query(run, "SELECT started_ns / 1000000000 FROM runs")[0]
    assert started > time.time() + 1800, started # the clock was another indeed


def one_at_a_time(folder, where):
    run = folder / "busy"
    with Server(run, "--latency", 300) as server:
        command = [POV, "sweep", where, "--out", run, "--vlm", server.url, "--model", "m", "--quiet"]
        first = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        while not list((run / "images").glob("*.png")): # then it is at work there
            time.sleep(0.01)
        assert "another pov" in pov("compare", run, code=1)
        first.terminate() # as Ctrl-C does
        assert first.wait(300) == 1
    assert "Performance" in pov("compare", run) or query(run, "SELECT count(*) FROM results WHERE counted")[0][0] == 0


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        where = station(folder)
        a_bad_server_costs_its_own_answers_only(folder, where)
        a_server_that_can_do_little_answers_all(folder, where)
        a_closed_door_is_knocked_at_once_not_for_every_question(folder, where)
        who_waits_is_told_that_answers_cannot_be_scored(folder, where)
        a_full_disk_loses_nothing(folder, where)
        what_is_no_log_is_left_as_it_is(folder, where)
        a_mistyped_list_is_told_and_makes_nothing(folder, where)
        a_clock_set_back_stretches_no_wait(folder, where)
        one_at_a_time(folder, where)
    print(f"{len(TROUBLES)} troubles with servers, full disks and damaged logs cost nothing else")


if __name__ == "__main__":
    main()
