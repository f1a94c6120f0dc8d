#!/usr/bin/python3
"""kill -9 of the station's program or of the server, at random moments of a sweep: after resuming, every question is answered
exactly once in the log, and the scores are those of an undisturbed run. Environment: POV_KILLS=100 for more of it."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from sweep_peer import ENVIRONMENT, POV, Server, assert_answered_once, pov, query, station

KILLS = int(os.environ.get("POV_KILLS", 16))
QUIET = "--quiet", "--json"


def vlm_file(folder, server):
    path = folder / "vlm.yaml"
    path.write_text(f"vlm:\n  endpoints: [{{url: '{server.url}', model: perfect}}]\n  attempts: 50\n"
                    "  pause_first_s: 0.02\n  pause_max_s: 0.2\n")
    return path


def undisturbed(folder, where):
    run = folder / "undisturbed"
    with Server(run, "--bias", "noisy") as server:
        return json.loads(pov("sweep", where, "--out", run, "--vlm", vlm_file(folder, server), *QUIET))


def disturbed(folder, where, seed):
    """Kills until so many kills have hit; gives back the last run's scores, and how many kills each suffered."""
    chance, run = random.Random(seed), folder / "disturbed"
    kills = {"device": 0, "server": 0}
    server = Server(run, "--bias", "noisy", "--latency", 10)
    command = [POV, "sweep", where, "--out", run, "--vlm", vlm_file(folder, server), "--resume", *QUIET]
    while sum(kills.values()) < KILLS:
        device = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=ENVIRONMENT)
        victim = chance.choice(["device", "device", "server"])
        time.sleep(chance.uniform(0.0, 0.12) if victim == "device" else chance.uniform(0, 0.4))
        if device.poll() is not None:
            device.communicate()
            break
        kills[victim] += 1
        if victim == "device":
            device.kill()
        else:
            port = server.url.split(":")[2].split("/")[0]
            server.kill()
            time.sleep(chance.uniform(0, 0.05))
            server = Server(run, "--bias", "noisy", "--latency", 10, port=port)
            time.sleep(chance.uniform(0, 0.05))
            device.kill()
        device.communicate()
    with server:
        return json.loads(pov(*command[1:])), kills


def scores_are_alike(scores, expected):
    for table in expected:
        assert scores[table] == expected[table], (table, scores[table], expected[table])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        where = station(folder, "comfort-car")
        expected = undisturbed(folder, where)
        scores, kills = disturbed(folder, where, seed=20)
        run = folder / "disturbed"
        answered = assert_answered_once(run)
        assert answered == assert_answered_once(folder / "undisturbed")
        assert query(run, "SELECT count(*), count(DISTINCT stop), count(DISTINCT sha256) FROM images") == [(36, 36, 36)]
        assert query(run, "SELECT count(*) FROM results WHERE outcome != 'answered'") == [(0,)]
        scores_are_alike(scores, expected)
        assert sum(kills.values()) >= min(KILLS, 8), kills
    print(f"{kills['device']} kills of the device and {kills['server']} of the server: {answered} questions answered once")


if __name__ == "__main__":
    main()
