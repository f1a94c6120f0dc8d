#!/usr/bin/python3
"""pov vlm-sim as a client of OpenAI's API meets it: urllib on real sockets."""
import base64
import json
import math
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

POV = os.environ["POV"]
IMAGE = bytes(range(256)) * 5


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def truth(image, prompt, golds):
    return json.dumps({"image": fnv1a(image), "prompt": prompt, "golds": golds}) + "\n"


class Sim:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([POV, "vlm-sim", "--json", *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        self.hello = json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(300)
        assert status == 0, status

    def get(self, path, data=None, timeout=120):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(urllib.request.Request(self.hello["url"] + path, data), timeout=timeout) as reply:
            assert reply.headers["X-Pov-Simulated"] == "true"
            return reply.read()

    def ask(self, prompt, image=IMAGE, logprobs=True, **more):
        uri = "data:image/png;base64," + base64.b64encode(image).decode()
        content = [{"type": "image_url", "image_url": {"url": uri}}, {"type": "text", "text": prompt}]
        body = {"messages": [{"role": "user", "content": content}], "logprobs": logprobs, "top_logprobs": 20}
        return json.loads(self.get("/chat/completions", json.dumps(body).encode(), **more))


def a_stream_brings_the_same_answer_word_by_word(folder):
    with Sim("--truth", folder, "--thinking", "reasoning-content", "--word-delay", "300") as sim:
        whole, body = sim.ask("left?"), None
        uri = "data:image/png;base64," + base64.b64encode(IMAGE).decode()
        body = {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": uri}}, {"type": "text", "text": "left?"}]}],
                "logprobs": True, "top_logprobs": 20, "stream": True, "stream_options": {"include_usage": True}}
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(urllib.request.Request(sim.hello["url"] + "/chat/completions", json.dumps(body).encode()), timeout=60) as reply:
            assert reply.headers["Content-Type"] == "text/event-stream" and reply.headers["X-Pov-Simulated"] == "true"
            came = [(time.monotonic(), line[6:].strip()) for line in iter(reply.readline, b"") if line.startswith(b"data: ")]
    assert came[-1][1] == b"[DONE]"
    chunks = [json.loads(data) for _, data in came[:-1]]
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    message = whole["choices"][0]["message"]
    for key in "reasoning_content", "content":
        words = [delta[key] for delta in deltas if key in delta]
        assert "".join(words) == message[key] and len(words) == len(message[key].split()), (key, words)
    assert [t for chunk in chunks for choice in chunk["choices"] for t in choice.get("logprobs", {}).get("content", [])] == whole["choices"][0]["logprobs"]["content"]
    assert chunks[-1]["usage"] == whole["usage"] and chunks[-1]["choices"] == [] and chunks[-2]["choices"][0]["finish_reason"] == "stop"
    assert all(later - before > 0.25 for (before, _), (later, _) in zip(came, came[1:])), [t for t, _ in came]


def p_yes(reply):
    sums = {"yes": 0, "no": 0}
    for token in reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"]:
        word = token["token"].strip().lower()
        if word in sums:
            sums[word] += math.exp(token["logprob"])
    return sums["yes"] / (sums["yes"] + sums["no"])


def text(reply):
    return reply["choices"][0]["message"]["content"]


def it_says_everywhere_that_it_is_simulated(folder):
    with Sim("--truth", folder) as sim:
        assert sim.hello["simulated"] is True and "simulated" in sim.hello["model"] and sim.hello["answers_known"] == 2
        models = json.loads(sim.get("/models"))
        assert models["data"][0]["id"] == "pov-vlm-sim (simulated)" and models["simulated"] is True
        reply = sim.ask("left?")
        assert reply["model"] == "pov-vlm-sim (simulated)" and reply["simulated"] is True
    banner = subprocess.Popen([POV, "vlm-sim"], stdout=subprocess.PIPE, text=True)
    assert "(simulated)" in banner.stdout.readline()
    banner.send_signal(signal.SIGTERM)
    assert banner.wait(300) == 0


def it_answers_from_truth_and_knows_nothing_else(folder):
    with Sim("--truth", folder) as sim:
        assert abs(p_yes(sim.ask("left?")) - 0.8) < 1e-9
        assert text(sim.ask("left?", logprobs=False)) == "Yes"
        assert text(sim.ask("left?", image=b"another")) == "I cannot tell."
        assert text(sim.ask("why?")) == "I cannot tell."
        with open(folder / "vlm_truth.jsonl", "a", encoding="utf-8") as file:
            file.write(truth(b"another", "left?", {"egocentric": 0.1}))
        assert abs(p_yes(sim.ask("left?", image=b"another")) - 0.1) < 1e-9
    with Sim("--truth", folder, "--bias", "egocentric", "--no-logprobs") as sim:
        reply = sim.ask("front?")
        assert text(reply) == "No" and "logprobs" not in reply["choices"][0]


def it_fails_as_often_as_told(folder):
    with Sim("--truth", folder, "--fail-429", 0.3, "--broken", 0.3) as sim:
        busy = broken = 0
        for _ in range(200):
            try:
                sim.ask("left?")
            except urllib.error.HTTPError as error:
                assert error.code == 429 and json.loads(error.read())["simulated"] is True
                busy += 1
            except json.JSONDecodeError:
                broken += 1
        assert 35 < busy < 85 and 35 < broken < 85, (busy, broken)
    with Sim("--truth", folder, "--hang", 1) as sim:
        try:
            sim.ask("left?", timeout=0.3)
            raise AssertionError("it answered")
        except TimeoutError:
            pass
    with Sim("--truth", folder, "--latency", 150) as sim:
        start = time.monotonic()
        sim.ask("left?")
        assert time.monotonic() - start >= 0.15


def bad_requests_get_400_and_unknown_paths_404(folder):
    with Sim("--truth", folder) as sim:
        for path, data, code in ("/chat/completions", b"{", 400), ("/chat/completions", b"{}", 400), ("/other", None, 404):
            try:
                sim.get(path, data)
                raise AssertionError(path)
            except urllib.error.HTTPError as error:
                assert error.code == code and json.loads(error.read())["error"]["message"], error.code


def wrong_use_is_told(folder):
    (folder / "bad.jsonl").write_text("{}\n")
    taken = socket.create_server(("127.0.0.1", 0))
    for arguments, status, words in (
        (["--bias", "upside-down"], 2, "left-right"),
        (["--hang", "2"], 2, "0 to 1"),
        (["x"], 2, "unexpected"),
        (["--truth", folder / "bad.jsonl"], 1, "bad.jsonl:1: image"),
        (["--truth", folder / "missing"], 1, "missing"),
        (["--truth", folder, "--truth", folder], 2, "--truth"),
        (["--truth", ""], 2, "leave the option out"),
        (["--port", "70000"], 2, "65535"),
        (["--port", taken.getsockname()[1]], 1, "listen"),
    ):
        done = subprocess.run([POV, "vlm-sim", *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == status and words in done.stderr, (arguments, done)
    taken.close()


def main():
    for test in (it_says_everywhere_that_it_is_simulated, it_answers_from_truth_and_knows_nothing_else,
                 it_fails_as_often_as_told, bad_requests_get_400_and_unknown_paths_404, wrong_use_is_told,
                 a_stream_brings_the_same_answer_word_by_word):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "vlm_truth.jsonl").write_text(
                truth(IMAGE, "left?", {"egocentric/reflected": 0.8}) +
                truth(IMAGE, "front?", {"intrinsic": 0.9, "egocentric/reflected": 0.2}))
            test(folder)
            print(test.__name__.replace("_", " "))
    return 0


if __name__ == "__main__":
    sys.exit(main())
