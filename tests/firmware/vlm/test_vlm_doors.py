#!/usr/bin/python3
"""Servers that speak other APIs than chat completions, to the letter of their public references: a request that lacks what the reference
requires, or has what it does not know, is refused; the answer comes in the reference's own form."""
import base64
import http.server
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

POV = os.environ["POV"]
KEY = "sk-verysecret-42"
os.environ.update(http_proxy="http://127.0.0.1:1", no_proxy="")
YES, NO = math.log(0.8), math.log(0.15)


def check_png(text):
    assert base64.b64decode(text, validate=True)[:4] == b"\x89PNG"


def anthropic(path, headers, body):
    assert path == "/v1/messages" and headers["x-api-key"] == KEY and headers["anthropic-version"] == "2023-06-01", (path, headers)
    assert "Authorization" not in headers and set(body) == {"model", "max_tokens", "temperature", "messages", "system"}, body
    image, text = body["messages"][0]["content"]
    assert body["messages"][0]["role"] == "user" and image["type"] == "image" and text["type"] == "text" and text["text"], text
    assert image["source"]["type"] == "base64" and image["source"]["media_type"] == "image/png"
    check_png(image["source"]["data"])
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "m-1", "stop_reason": "end_turn", "stop_sequence": None,
            "content": [{"type": "thinking", "thinking": "No, wait.", "signature": "x"}, {"type": "text", "text": "Yes"}],
            "usage": {"input_tokens": 100, "output_tokens": 4}}


def azure(path, headers, body):
    assert path == "/openai/deployments/eye/chat/completions?api-version=2024-10-21" and headers["api-key"] == KEY, (path, headers)
    assert "Authorization" not in headers and body["messages"][0]["role"] == "system"
    return {"model": "m-1", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes"},
                                         "content_filter_results": {}, "logprobs": {"content": [
        {"token": "Yes", "logprob": YES, "bytes": [89, 101, 115], "top_logprobs": [{"token": "Yes", "logprob": YES}, {"token": "No", "logprob": NO}]}]}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 4, "total_tokens": 104}}


def google(path, headers, body):
    assert path == "/v1beta/models/m:generateContent" and headers["x-goog-api-key"] == KEY, (path, headers)
    assert set(body) == {"contents", "generationConfig", "systemInstruction"}, body
    config = body["generationConfig"]
    assert set(config) == {"temperature", "maxOutputTokens", "responseLogprobs", "logprobs"} and config["responseLogprobs"] is True
    image, text = body["contents"][0]["parts"]
    assert body["contents"][0]["role"] == "user" and text["text"] and image["inlineData"]["mimeType"] == "image/png"
    check_png(image["inlineData"]["data"])
    thought = {"token": "No", "tokenId": 7, "logProbability": -0.1}
    yes, no = {"token": "Yes", "tokenId": 8, "logProbability": YES}, {"token": "No", "tokenId": 7, "logProbability": NO}
    return {"candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [
        {"text": "No", "thought": True}, {"text": "Yes"}]},
        "logprobsResult": {"chosenCandidates": [thought, yes], "topCandidates": [{"candidates": [thought]}, {"candidates": [yes, no]}]}}],
            "modelVersion": "m-1", "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 3, "thoughtsTokenCount": 1}}


def responses(path, headers, body):
    assert path == "/v1/responses" and headers["Authorization"] == f"Bearer {KEY}", (path, headers)
    assert set(body) == {"model", "instructions", "input", "temperature", "max_output_tokens", "top_logprobs", "include", "store"}, body
    assert body["include"] == ["message.output_text.logprobs"] and body["max_output_tokens"] >= 16 and body["store"] is False
    image, text = body["input"][0]["content"]
    assert image["type"] == "input_image" and text["type"] == "input_text" and image["image_url"].startswith("data:image/png;base64,")
    return {"id": "resp_1", "object": "response", "status": "completed", "error": None, "incomplete_details": None, "model": "m-1", "output": [
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "No?"}]},
        {"type": "message", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "Yes", "annotations": [], "logprobs": [
            {"token": "Yes", "logprob": YES, "bytes": [89, 101, 115], "top_logprobs": [{"token": "Yes", "logprob": YES}, {"token": "No", "logprob": NO}]}]}]}],
            "usage": {"input_tokens": 100, "output_tokens": 4, "total_tokens": 104}}


# name: its answer, base of the URL, further keys of the endpoint, are there probabilities?
DOORS = {"anthropic": (anthropic, "/v1", "", False), "azure": (azure, "/openai/deployments/eye", ", api_version: 2024-10-21", True),
         "google": (google, "/v1beta", "", True), "responses": (responses, "/v1", "", True)}
CUT = {"anthropic": {"type": "message", "content": [], "stop_reason": "max_tokens", "model": "m-1", "usage": {"input_tokens": 1, "output_tokens": 1}},
       "google": {"candidates": [{"finishReason": "MAX_TOKENS", "content": {"role": "model"}}], "usageMetadata": {"promptTokenCount": 1}},
       "responses": {"object": "response", "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}}
REFUSED = {"anthropic": {"type": "message", "content": [], "stop_reason": "refusal"}, "google": {"promptFeedback": {"blockReason": "SAFETY"}},
           "responses": {"object": "response", "output": [{"type": "message", "content": [{"type": "refusal", "refusal": "I can't"}]}]}}


class Clerk(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            reply = self.server.door(self.path, self.headers, body)
            code = 200
        except (AssertionError, KeyError, ValueError) as wrong:
            reply, code = {"error": {"message": f"the reference does not allow it: {wrong!r:.200}"}}, 400
        data = json.dumps(reply).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def check(folder, name, door):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Clerk)
    server.door = door
    threading.Thread(target=server.serve_forever, daemon=True).start()
    _, base, more, _ = DOORS[name]
    config = folder / "vlm.yaml"
    config.write_text(f"vlm:\n  endpoints:\n    - {{url: 'http://127.0.0.1:{server.server_port}{base}', model: m, api: {name}{more}, "
                      "key_env: POV_TEST_KEY}\n  system: Be brief.\n  pause_first_s: 0.01\n")
    done = subprocess.run([POV, "vlm", "check", config, "--json"], capture_output=True, text=True, timeout=120, check=False,
                          env=os.environ | {"POV_TEST_KEY": KEY})
    server.shutdown()
    server.server_close()
    assert KEY not in done.stdout + done.stderr, done
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for door, (answer, _, _, has_probabilities) in DOORS.items():
            told = check(folder, door, answer)
            assert told["answered"] == 20 and told["reply"] == "Yes" and told["served_model"] == "m-1", (door, told)
            assert told["scored"]["tokens" if has_probabilities else "text"] == 20, (door, told)
            assert not has_probabilities or abs(told["mass_min"] - 0.95) < 1e-9, (door, told)
            assert (told["prompt_tokens"], told["answer_tokens"]) == (2000, 80), (door, told)
            print(f"{door}: {'probabilities' if has_probabilities else 'words'}")
        for door, reply in CUT.items():
            told = check(folder, door, lambda *_, reply=reply: reply)
            assert "cut at 256 tokens" in told["cause"], (door, told)
        for door, reply in REFUSED.items():
            told = check(folder, door, lambda *_, reply=reply: reply)
            assert told["scored"]["refused"] >= 1, (door, told)
        for text, words in (("api: gogle", "google"), ("api: chat, api_version: 2024-10-21", "api: azure")):
            config = folder / "wrong.yaml"
            config.write_text(f"vlm: {{endpoints: [{{url: 'http://a/v1', model: m, {text}}}]}}\n")
            done = subprocess.run([POV, "vlm", "check", config], capture_output=True, text=True, check=False)
            assert done.returncode == 1 and words in done.stderr, done
    return 0


if __name__ == "__main__":
    sys.exit(main())
