#!/usr/bin/env python3
"""A robot's side of `pov ask`: each line that a person says becomes an action.

    ask_by_pipe.py tcp://robot:5570 < spoken.txt        # or a scene file, or a .jsonl file"""
import json
import subprocess
import sys

ask = subprocess.Popen(["pov", "ask", sys.argv[1], "-", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for utterance in sys.stdin:
    ask.stdin.write(utterance)
    ask.stdin.flush()
    if not utterance.strip():
        continue  # an empty line begins a new dialogue, and has no reply
    reply = json.loads(ask.stdout.readline())
    print("say", reply["say"])  # aloud
    if reply["outcome"] == "picked" and reply["pick"]:
        print("fetch", reply["pick"])
    elif reply["outcome"] == "goal":
        x_m, y_m, z_m = reply["goal"]["position_m"]
        print(f"put {reply['goal']['object']} at {x_m:.2f} {y_m:.2f} {z_m:.2f}")
ask.stdin.close()
