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
    for order in reply["cancels"]:  # "stop", or another instruction: break off what still runs
        print("cancel", order["action"] or "fetch", *order["pick_ids"])
    for step in reply["steps"] or [reply]:  # "take the cup, then look at me" has two
        if step["outcome"] == "picked":
            print(step["action"] or "fetch", *step["pick_ids"], *(["to", step["recipient"]] if step["recipient"] else []))
        elif step["outcome"] == "goal":
            x_m, y_m, z_m = step["goal"]["position_m"]
            print(f"{step['action']} {step['goal']['object']} at {x_m:.2f} {y_m:.2f} {z_m:.2f}")
ask.stdin.close()
