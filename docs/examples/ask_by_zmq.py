#!/usr/bin/python3
"""A robot's side of the endpoint `ask:` of a station: each line that a person says becomes an action.

    ask_by_zmq.py [tcp://127.0.0.1:5571 [SPEAKER]] < spoken.txt"""
import json
import sys
import uuid

import zmq

station = zmq.Context().socket(zmq.REQ)
station.setsockopt(zmq.REQ_RELAXED, 1)  # after a silence the next request may be sent: a station may be started again
station.setsockopt(zmq.REQ_CORRELATE, 1)  # a late reply is not taken for that of the next request
station.setsockopt(zmq.RCVTIMEO, 5000)
station.setsockopt(zmq.LINGER, 0)
station.connect(sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:5571")
session = uuid.uuid4().hex[:16]  # the dialogue goes on over a new connection


def ask(utterance):
    """The reply; None: the station is silent."""
    for _ in range(3):
        station.send_json({"utterance": utterance, "session": session, "speaker": sys.argv[2] if len(sys.argv) > 2 else None})
        try:
            return json.loads(station.recv())
        except zmq.Again:
            pass
    return None


def act(step):
    """One step: what is done, with what, for whom."""
    if step["outcome"] == "picked":
        print(step["action"] or "fetch", *step["pick_ids"], *(["to", step["recipient"]] if step["recipient"] else []), flush=True)
    elif step["outcome"] == "goal":
        x_m, y_m, z_m = step["goal"]["position_m"]
        print(f"{step['action']} {step['goal']['object']} at {x_m:.2f} {y_m:.2f} {z_m:.2f}", flush=True)


for line in sys.stdin:
    reply = ask(line.strip())
    if reply is None:
        print("say The station does not answer.", flush=True)
        continue
    print("say", reply["say"], flush=True)  # aloud; a question back, too: the next line answers it
    for order in reply["cancels"]:  # "stop", or another instruction: break off what still runs
        print("cancel", order["action"] or "fetch", *order["pick_ids"], flush=True)
    for each in reply["steps"] or [reply]:
        act(each)
