#!/usr/bin/python3
"""kill -9 of the station's program or of one of two servers, at random moments of a sweep: after resuming, every question is
answered exactly once in the log, and the scores are those of an undisturbed run. Environment: POV_KILLS=100 for more of it."""
import json
import os
import pathlib
import random
import subprocess
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[2] / "support")]
import sweep_peer
from reserved_port import ReservedPort
from sweep_peer import ENVIRONMENT, POV, Server, assert_answered_once, pov, query, station, vlm_file

KILLS = int(os.environ.get("POV_KILLS", 16))
QUIET = "--quiet", "--json"
BIAS = "--bias", "noisy"


def undisturbed(folder, where):
    run = folder / "undisturbed"
    with Server(run, *BIAS) as server:
        return json.loads(pov("sweep", where, "--out", run, "--vlm", vlm_file(folder, server), *QUIET))


def disturbed(folder, where, seed, ports):
    """Kills until so many kills have hit, or nothing is left to do; gives back the scores, and the kills of each."""
    chance, run = random.Random(seed), folder / "disturbed"
    kills = {"device": 0, 0: 0, 1: 0}
    start = lambda i: Server(run, *BIAS, "--latency", 10, port=ports[i])
    servers = [start(0), start(1)]
    command = ["sweep", where, "--out", run, "--vlm", vlm_file(folder, *servers), "--resume", *QUIET]
    while sum(kills.values()) < KILLS:
        device = subprocess.Popen([*map(str, [POV, *command])], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=ENVIRONMENT)
        victim = chance.choice(["device", "device", 0, 1])
        time.sleep(chance.uniform(0, 0.15) if victim == "device" else chance.uniform(0, 0.3))
        if device.poll() is not None:
            device.communicate()
            break
        kills[victim] += 1
        if victim != "device":
            servers[victim].kill()
            servers[victim] = start(victim)
            time.sleep(chance.uniform(0, 0.05))
        device.kill()
        device.communicate()
    scores = json.loads(pov(*command))
    for server in servers:
        server.kill()
    return scores, kills


def scores_are_alike(scores, expected):
    for table in expected:
        assert scores[table] == expected[table], (table, scores[table], expected[table])


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        where = station(folder, "comfort-car")
        expected = undisturbed(folder, where)
        with ReservedPort() as one, ReservedPort() as other:
            scores, kills = disturbed(folder, where, 20, (one, other))
        run = folder / "disturbed"
        answered = assert_answered_once(run)
        assert answered == assert_answered_once(folder / "undisturbed")
        assert query(run, "SELECT count(*), count(DISTINCT stop), count(DISTINCT sha256) FROM images") == [(36, 36, 36)]
        assert query(run, "SELECT count(*) FROM results WHERE outcome != 'answered'") == [(0,)]
        scores_are_alike(scores, expected)
        assert sum(kills.values()) >= min(KILLS, 8), kills
    print(f"{kills}: {answered} questions answered once")


if __name__ == "__main__":
    main()
