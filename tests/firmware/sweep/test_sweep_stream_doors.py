#!/usr/bin/python3
"""Event streams of the APIs besides chat completions, to the letter of their public references: Anthropic's messages, Google's streamGenerateContent and
OpenAI's responses. Bytes part wherever they like; streams that break off or fail are failed attempts; events that nobody knows are passed over."""
import json
import math
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
import test_sweep_streams
from sweep_peer import pov, query, station
from test_sweep_streams import Quiet, told

PAUSE_S, YES, NO = 1.0, math.log(0.15), math.log(0.8)
P_YES = 0.15 / 0.95


def named(*events):
    return [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events]


def anthropic(body):
    assert set(body) == {"model", "max_tokens", "temperature", "messages", "stream"} and body["stream"] is True, body
    return named(
        {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m-1", "stop_reason": None,
                                              "stop_sequence": None, "usage": {"input_tokens": 25, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}, {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Yes, at first sight."}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "EqQB"}}, {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "N"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "o, it is not."}}, {"type": "content_block_stop", "index": 1},
        {"type": "of_the_future", "delta": {"type": "text_delta", "text": "Yes"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 15}}, {"type": "message_stop"})


def google(body):
    assert set(body) == {"contents", "generationConfig"} and "stream" not in json.dumps(body["generationConfig"]), body
    token = lambda word, logprob: {"token": word, "tokenId": 1, "logProbability": logprob}
    chunk = lambda parts, **more: {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, **more}], "modelVersion": "m-1",
                                   "usageMetadata": {"promptTokenCount": 25}, "responseId": "r"}
    last = chunk([{"text": "o, it is not."}], finishReason="STOP", logprobsResult={
        "chosenCandidates": [token("No", NO), token(", it is not.", 0)], "topCandidates": [{"candidates": [token("No", NO), token("Yes", YES)]}, {}]})
    last["usageMetadata"] = {"promptTokenCount": 25, "candidatesTokenCount": 5, "thoughtsTokenCount": 10}
    return [f"data: {json.dumps(one)}\r\n\r\n".encode() for one in (chunk([{"text": "Yes?", "thought": True}]), chunk([{"text": "N"}]), last)]


def responses(body):
    assert body["stream"] is True and body["store"] is False and "stream_options" not in body, body
    logprob = {"token": "No", "logprob": NO, "bytes": [78, 111], "top_logprobs": [{"token": "No", "logprob": NO}, {"token": "Yes", "logprob": YES}]}
    response = {"id": "resp_1", "object": "response", "status": "in_progress", "error": None, "incomplete_details": None, "model": "m-1", "output": [], "usage": None}
    text = lambda word: {"type": "response.output_text.delta", "item_id": "i", "output_index": 1, "content_index": 0, "delta": word, "logprobs": []}
    events = named(
        {"type": "response.created", "response": response}, {"type": "response.in_progress", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "r", "summary": []}},
        {"type": "response.reasoning_summary_text.delta", "item_id": "r", "output_index": 0, "summary_index": 0, "delta": "Yes?"},
        {"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "id": "i", "role": "assistant", "content": []}},
        {"type": "response.content_part.added", "item_id": "i", "part": {"type": "output_text", "text": "Yes"}}, text("N"), text("o, it is not."),
        {"type": "response.output_text.done", "item_id": "i", "output_index": 1, "content_index": 0, "text": "No, it is not."},
        {"type": "response.completed", "response": {**response, "status": "completed", "usage": {"input_tokens": 25, "output_tokens": 15, "total_tokens": 40},
         "output": [{"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Yes?"}]},
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "No, it is not.", "logprobs": [
                        logprob, {"token": ", it is not.", "logprob": 0, "top_logprobs": []}]}]}]}})
    return [one.replace(b'{"type"', b'{"sequence_number": %d, "type"' % i, 1) for i, one in enumerate(events)]


# the API's events, the base of its URL, the path and query of a stream and of a whole answer, an error in a stream, what it is to say
DOORS = {"anthropic": (anthropic, "/v1", "/v1/messages", "/v1/messages", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
         "google": (google, "/v1beta", "/v1beta/models/m:streamGenerateContent?alt=sse", "/v1beta/models/m:generateContent",
                    {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}),
         "responses": (responses, "/v1", "/v1/responses", "/v1/responses", {"type": "error", "code": "server_error", "message": "Try again", "param": None})}
WHOLE = {"anthropic": {"type": "message", "content": [{"type": "text", "text": "No, it is not."}], "stop_reason": "end_turn"},
         "google": {"candidates": [{"content": {"parts": [{"text": "No, it is not."}]}, "finishReason": "STOP"}]},
         "responses": {"object": "response", "output": [{"type": "message", "content": [{"type": "output_text", "text": "No, it is not."}]}]}}


class Model(test_sweep_streams.Model):
    """The path begins with how it behaves, then the API."""
    lock, cuts, seen, faults = threading.Lock(), {}, {}, []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        _, how, door, path = self.path.split("/", 3)
        make, _, stream_path, whole_path, error = DOORS[door]
        streams = f"/{path}" == stream_path and (door == "google" or body.get("stream", False))
        if how == "plain" and streams:
            self.send(404 if door == "google" else 400, "application/json", json.dumps({"error": {"message": "stream: not supported"}}).encode())
            return
        if how == "plain":
            assert f"/{path}" == whole_path and "stream" not in body, (self.path, body)
            self.send(200, "application/json", json.dumps(WHOLE[door]).encode())
            return
        try:
            assert streams, (self.path, body)
            events = make(body)
        except AssertionError as wrong:
            Model.faults.append(wrong)
            self.send(500, "application/json", b"{}")
            return
        whole = b"".join(events)
        with Model.lock:
            cut = Model.cuts[door] = Model.cuts.get(door, 0) + 1
            question = how, door, json.dumps(body)
            times = Model.seen[question] = Model.seen.get(question, 0) + 1
        half = events[:-3] if door == "responses" else events[:-2]
        if how == "breaks" and times % 2 == 1:
            self.send(200, "text/event-stream", b"".join(half), whole=cut % 2 == 0)
        elif how == "fails" and times % 2 == 1:
            self.send(200, "text/event-stream", b"".join(half), b"event: error\ndata: %s\n\n" % json.dumps(error).encode())
        elif how == "slow":
            self.send(200, "text/event-stream", b"".join(events[:-1]), PAUSE_S, events[-1])
        else:
            self.send(200, "text/event-stream", whole[:cut % len(whole)], whole[cut % len(whole):cut % len(whole) + 1], whole[cut % len(whole) + 1:])


def write_file(folder, base, how, door):
    path = folder / f"{how}_{door}.yaml"
    path.write_text(f"vlm:\n  endpoints: [{{url: '{base}/{how}/{door}{DOORS[door][1]}', model: m, api: {door}}}]\n"
                    "  system: ''\n  attempts: 4\n  pause_first_s: 0.01\n  pause_max_s: 0.05\n")
    return path


def main():
    server = Quiet(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        where = station(folder, publish="{endpoint: 'ipc://%s/wire'}" % folder)
        for door in DOORS:
            for how in "cut", "breaks", "fails", "plain":
                run = folder / f"run_{how}_{door}"
                pov("sweep", where, "--out", run, "--angles", 6 if how == "cut" else 1, "--quiet", "--vlm", write_file(folder, base, how, door))
                rows = query(run, "SELECT p, kind, text, outcome, prompt_tokens, answer_tokens FROM results WHERE counted")
                n = query(run, "SELECT count(*) FROM questions")[0][0]
                assert not Model.faults, Model.faults[0]
                assert len(rows) == n and all(r[2:4] == ("No, it is not.", "answered") for r in rows), (door, how, rows[:3])
                if how == "plain":
                    continue
                assert all(r[4:] == (25, 15) for r in rows), (door, how, rows[:3])
                likely = door != "anthropic"
                assert all(r[1] == ("tokens" if likely else "text") and (not likely or abs(r[0] - P_YES) < 1e-6) for r in rows), (door, how, rows[:3])
            recording = folder / f"{door}.mcap"
            pov("sweep", where, "--out", folder / f"run_{door}", "--angles", 1, "--quiet", "--vlm", write_file(folder, base, "slow", door), "--record", recording)
            for row in told(recording):
                asked, first, answered = (int(row[key]) for key in ("asked_ns", "first_token_ns", "answered_ns"))
                assert asked < first < answered - PAUSE_S * 0.5e9, (door, asked, first, answered)
            print(f"{door}: {Model.cuts[door]} streams")
    return 0


if __name__ == "__main__":
    sys.exit(main())
