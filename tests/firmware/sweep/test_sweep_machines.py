#!/usr/bin/python3
"""Three machines, as network namespaces: a station, a subscriber, and one with three simulated models of known biases. The station turns
its table through 36 angles, and asks each model; what it publishes is encrypted by CURVE. The subscriber hears only the messages
'vlm', and its report has the same scores as the station's log. One without an allowed key hears nothing. Needs root, else it is skipped."""
import csv
import io
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import POV, query

SKIPPED = 77
TAG = f"pov{os.getpid()}"
STATION, SUBSCRIBER, MODELS = "10.97.0.1", "10.97.0.2", "10.97.0.3"
BIASES = ("addressee-blind", "left-right", "noisy")
PORT = 5577

# takes connections from other machines to a server that listens on its own only
RELAY = """
import asyncio, sys
async def pump(a, b):
    while data := await a.read(65536):
        b.write(data)
        await b.drain()
    b.close()
async def meet(r, w, port):
    o, p = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(pump(r, p), pump(o, w), return_exceptions=True)
async def main(address, ports):
    for port in ports:
        await asyncio.start_server(lambda r, w, port=port: meet(r, w, port), address, port)
    print("ready", flush=True)
    await asyncio.sleep(3600)
asyncio.run(main(sys.argv[1], [int(p) for p in sys.argv[2:]]))
"""


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Network:
    """Three namespaces on a bridge in the station's."""

    def __init__(self):
        self.started = []
        for name in "station", "subscriber", "models":
            ip("netns", "add", f"{TAG}{name}")
            self.inside(name, "ip", "link", "set", "lo", "up")
        self.inside("station", "ip", "link", "add", "bridge", "type", "bridge")
        for name in "subscriber", "models":
            ip("-n", f"{TAG}station", "link", "add", f"to_{name[:6]}", "type", "veth", "peer", "name", "cable", "netns", f"{TAG}{name}")
            for words in (("master", "bridge"), ("up",)):
                self.inside("station", "ip", "link", "set", f"to_{name[:6]}", *words)
            self.inside(name, "ip", "addr", "add", f"{SUBSCRIBER if name == 'subscriber' else MODELS}/24", "dev", "cable")
            self.inside(name, "ip", "link", "set", "cable", "up")
        self.inside("station", "ip", "addr", "add", f"{STATION}/24", "dev", "bridge")
        self.inside("station", "ip", "link", "set", "bridge", "up")

    def words(self, name, *words):
        return ["ip", "netns", "exec", f"{TAG}{name}", *map(str, words)]

    def inside(self, name, *words, folder=None):
        done = subprocess.run(self.words(name, *words), capture_output=True, text=True, timeout=250, env=environment(folder))
        assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout

    def start(self, name, *words, folder=None, **options):
        self.started.append(subprocess.Popen(self.words(name, *words), text=True, env=environment(folder), **options))
        return self.started[-1]

    def close(self):
        for process in self.started:
            process.kill()
            process.wait()
        for name in "station", "subscriber", "models":
            subprocess.run(["ip", "netns", "del", f"{TAG}{name}"], capture_output=True, check=False)


def environment(folder):
    """A machine's own keys."""
    return {**os.environ, **({"XDG_CONFIG_HOME": str(folder)} if folder else {})}


def make_keys(network, folder):
    names = "station", "subscriber", "stranger"
    for name in names:
        network.inside("station", POV, "keys", "new", name, folder=folder / name)
    key = {name: folder / name / "pov/keys/self.key" for name in names}
    network.inside("station", POV, "keys", "allow", key["subscriber"], folder=folder / "station")
    for name in "subscriber", "stranger":
        network.inside("station", POV, "keys", "allow", key["station"], folder=folder / name)


def listen(network, folder, who):
    return network.start("subscriber", POV, "listen", "--connect", f"tcp://{STATION}:{PORT}", "--server", "station", "--topic", "vlm",
                         "--log", folder / f"heard_by_{who}", "--json", folder=folder / who,
                         stdout=(folder / f"{who}.jsonl").open("w"), stderr=(folder / f"{who}.err").open("w"))


def serve_models(network, folder, run):
    """Servers, and the relay that lets the station in."""
    urls = []
    for bias in BIASES:
        server = network.start("models", POV, "vlm-sim", "--json", "--truth", run, "--bias", bias, stdout=subprocess.PIPE)
        urls.append(json.loads(server.stdout.readline())["url"])
    ports = [url.split(":")[2].split("/")[0] for url in urls]
    relay = network.start("models", sys.executable, "-c", RELAY, MODELS, *ports, stdout=subprocess.PIPE)
    assert relay.stdout.readline() == "ready\n"
    return [f"http://{MODELS}:{port}/v1" for port in ports]


def exported(run):
    rows = csv.DictReader(io.StringIO(sweep_peer.pov("compare", run, "--export", "csv")))
    wanted = ("model", "id", "question", "language", "guided", "prompting", "system", "gold", "p_yes", "answer", "kind", "scene", "variant",
              "prompt", "relation", "phi_deg", "present", "relatum_facing", "addressee_facing", "sha256")
    return [[row[key] for key in wanted] for row in rows]


def report(run, page):
    """Its findings, without the line that names the page, and its tables."""
    words = sweep_peer.pov("report", run, "--out", page).splitlines()
    return [line for line in words if str(page) not in line]


def compare_machines(network, folder):
    where, run, heard = folder / "station.yaml", folder / "run", folder / "heard_by_subscriber"
    text = sweep_peer.station(folder, "comfort-car").read_text()
    where = folder / "world" / "published.yaml"
    where.write_text(text + f"publish: {{endpoint: 'tcp://*:{PORT}'}}\n")
    make_keys(network, folder)
    listeners = [listen(network, folder, who) for who in ("subscriber", "stranger")]
    keys = folder / "station"
    network.inside("station", POV, "sweep", where, "--out", run, "--angles", 36, "--quiet", folder=keys)
    for bias, url in zip(BIASES, serve_models(network, folder, run)):
        network.inside("station", POV, "compare", run, "--vlm", url, "--model", bias, "--listeners", 1, folder=keys)
    asked = query(run, "SELECT count(*) FROM questions")[0][0]
    for _ in range(100):
        if sum('"status":"answered"' in line for line in (folder / "subscriber.jsonl").open()) == 3 * asked:
            break
        time.sleep(0.1)
    for listener in listeners:
        listener.send_signal(signal.SIGINT)
        listener.wait(20)
    assert "lost" not in (folder / "subscriber.err").read_text(), (folder / "subscriber.err").read_text()
    assert (folder / "stranger.jsonl").read_text() == ""
    assert query(heard, "SELECT count(*) FROM questions") == [(asked,)] and sweep_peer.assert_answered_once(heard, models=3) == asked
    mine, theirs = exported(heard), exported(run)
    different = [pair for pair in itertools.zip_longest(mine, theirs) if pair[0] != pair[1]]
    assert len(theirs) == 3 * asked and not different, different[:2]
    for show in (lambda log: sweep_peer.pov("compare", log), lambda log: report(log, folder / f"{log.name}.html")):
        assert show(heard) == show(run)
    truths = query(heard, "SELECT m.name, avg((r.p > 0.5) = (q.truth = 'yes')) FROM results r JOIN models m ON m.id = r.model JOIN questions q"
                          " ON q.id = r.question WHERE counted AND q.truth IS NOT NULL AND json_extract(q.columns, '$.prompt') = 'cam' GROUP BY 1")
    right = dict(truths)
    assert right["addressee-blind"] == 1 and 0.45 < right["left-right"] < 0.55 and 0.7 < right["noisy"] < 1, right


def main():
    try:
        network = Network()
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"skipped: no network namespaces here: {problem}")
        return SKIPPED
    try:
        with sweep_peer.folder() as name:
            compare_machines(network, pathlib.Path(name))
    finally:
        network.close()
    print("the subscriber's log has the station's scores")
    return 0


if __name__ == "__main__":
    sys.exit(main())
