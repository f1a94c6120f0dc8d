#!/usr/bin/python3
"""A robot's side of the endpoint `ask:` of a station: each line that a person says becomes an action.

    ask_by_zmq.py [tcp://127.0.0.1:5571 [SPEAKER]] < spoken.txt"""
import json
import sys

import zmq

station = zmq.Context().socket(zmq.REQ)
station.connect(sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:5571")
for utterance in sys.stdin:
    station.send_json({"utterance": utterance.strip(), "speaker": sys.argv[2] if len(sys.argv) > 2 else None})
    reply = json.loads(station.recv())
    print("say", reply["say"], flush=True)  # aloud; a question back, too: the next line answers it
    if reply["outcome"] == "picked" and reply["pick"]:
        print("fetch", reply["pick"], flush=True)
    elif reply["outcome"] == "goal":
        x_m, y_m, z_m = reply["goal"]["position_m"]
        print(f"put {reply['goal']['object']} at {x_m:.2f} {y_m:.2f} {z_m:.2f}", flush=True)
