#!/usr/bin/python3
"""A station at 30 images a second, as a camera gives them, whose subscribers, viewers and askers come and go without end.

    soak.py SECONDS        POV=PROGRAM: a build with -DPOV_SANITIZE=thread tells data races, too

Wanted: no image is missing; in each quarter 30 images a second are judged, and no fewer than in the first; memory and descriptors are as
flat in the others as in the first; when all have gone, so have their descriptors; no race is told, and it ends in order. With
ThreadSanitizer the station is too slow for the rate, and only compared with its own first quarter."""
import os
import pathlib
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import zmq

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "support")]
from reserved_port import ReservedPort  # noqa: E402

POV = os.environ["POV"]
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 20
SUPPRESSIONS = pathlib.Path(__file__).parent / "races_of_others.supp"
GROWTH, GROWTH_DESCRIPTORS, LEFT_DESCRIPTORS = 1.1, 8, 2
RATE_HZ, RATE_SHARE = 30, 0.95
WARM_UP_S, GONE_S = 5, 7  # until caches are full; until a handshake that never ended is given up, and more
IS_SLOW = b"__tsan_init" in pathlib.Path(POV).read_bytes()
TOPICS = [b"", b"observation", b"scene", b"health", b"ask", bytes(40)]


class Churn(threading.Thread):
    """Calls `visit` again and again until it is to stop."""

    def __init__(self, visit, stop, seed):
        super().__init__(daemon=True)
        self.visit, self.stop, self.chance, self.visits, self.refused = visit, stop, random.Random(seed), 0, 0
        self.start()

    def run(self):
        while not self.stop.is_set():
            try:
                self.visit(self.chance)
            except (OSError, zmq.ZMQError):
                self.refused += 1
            self.visits += 1


def visit_wire(port):
    def visit(chance):
        with zmq.Context.instance().socket(zmq.SUB) as subscriber:
            subscriber.linger = 0
            subscriber.connect(f"tcp://127.0.0.1:{port}")
            for _ in range(chance.randrange(1, 4)):
                subscriber.subscribe(chance.choice(TOPICS))
            if subscriber.poll(chance.randrange(0, 300)):
                subscriber.recv_multipart()
    return visit


def visit_page(port):
    def visit(chance):
        path = chance.choice(["/", "/updates", "/video", "/bodies", "/nothing"])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=2) as answer:
            answer.read(chance.choice([1, 1000, 100000]))
    return visit


def visit_half(port):
    """Connects, sends a part of a request or nothing, and goes."""
    def visit(chance):
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.send(b"GET / HTTP/1.1\r\nHost: there\r\n"[:chance.randrange(30)])
            time.sleep(chance.uniform(0, 0.1))
    return visit


def visit_questions(port):
    def visit(chance):
        with zmq.Context.instance().socket(zmq.REQ) as asker:
            asker.linger = 0
            asker.connect(f"tcp://127.0.0.1:{port}")
            asker.send(chance.choice([b"where is the car?", b"why?", b"can she see it?", bytes(200)]))
            if asker.poll(2000):
                asker.recv()
    return visit


class Reader(threading.Thread):
    """Reads a line of JSON an image; an hour of them is gigabytes."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.count, self.is_in_order = stream, 0, True
        self.start()

    def run(self):
        for line in self.stream:
            if line.endswith(b"\n"):
                self.is_in_order &= int(re.search(rb'"sequence":(\d+)', line)[1]) == self.count
                self.count += 1


def facts_of(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024, len(os.listdir(f"/proc/{process.pid}/fd"))


def soak(folder, ports):
    subprocess.run([POV, "sim", "comfort-ball", "--images", "8", "--size", "640x360", "--quiet", "--out", folder / "world"], check=True)
    station = folder / "world" / "station.yaml"
    station.write_text(station.read_text() + f"ask: {{endpoint: 'tcp://127.0.0.1:{ports[2]}'}}\n")
    log = folder / "log"
    with open(log, "w", encoding="utf-8") as errors:
        run = subprocess.Popen([POV, "run", station, "--loop", "--rate", str(RATE_HZ), "--json", "--quiet", "--publish", f"tcp://127.0.0.1:{ports[0]}",
                                "--dashboard", str(ports[1])], stdout=subprocess.PIPE, stderr=errors,
                               env={**os.environ, "TSAN_OPTIONS": f"suppressions={SUPPRESSIONS}"})
    reader = Reader(run.stdout)
    stop, visits = threading.Event(), [visit_wire(ports[0])] * 4 + [visit_page(ports[1])] * 2 + [visit_half(ports[1]), visit_questions(ports[2])]
    time.sleep(WARM_UP_S)
    calm = facts_of(run)[1]
    churn = [Churn(visit, stop, seed) for seed, visit in enumerate(visits)]
    facts, began = [], time.monotonic()
    while time.monotonic() < began + SECONDS and run.poll() is None:
        facts.append((*facts_of(run), reader.count, time.monotonic()))
        if len(facts) % 300 == 0:
            print(f"{time.monotonic() - began:.0f} s: {facts[-1][0]:.0f} MB, {facts[-1][1]} descriptors, {reader.count} images,"
                  f" {sum(thread.visits for thread in churn)} visits", flush=True)
        time.sleep(0.2)
    stop.set()
    for thread in churn:
        thread.join()
    time.sleep(GONE_S)
    left = facts_of(run)[1] - calm if run.poll() is None else 0
    asked_to_end = time.monotonic()
    run.send_signal(signal.SIGTERM)
    code = run.wait(60)
    ended_s = time.monotonic() - asked_to_end
    reader.join()
    return code, ended_s, facts, left, churn, reader, log.read_text(encoding="utf-8", errors="replace")


def main():
    with tempfile.TemporaryDirectory(prefix="pov-soak-") as name, ReservedPort() as one, ReservedPort() as two, ReservedPort() as three:
        code, ended_s, facts, left, churn, reader, log = soak(pathlib.Path(name), (one, two, three))
    quarter = len(facts) // 4
    if quarter < 2:
        print(f"it ended with {code} before a quarter was over\n{log}")
        return 1
    parts = [facts[i * quarter:(i + 1) * quarter] for i in range(4)]
    early, late = parts[0], parts[-1]
    rates = [(part[-1][2] - part[0][2]) / (part[-1][3] - part[0][3]) for part in parts]
    # A starved station holds many connections for a moment: its peaks say nothing of what it keeps, medians do.
    memory, descriptors = ([statistics.median(fact[i] for fact in part) for part in (early, late)] for i in (0, 1))
    peaks = [max(fact[i] for fact in facts) for i in (0, 1)]
    races = log.count("WARNING: ThreadSanitizer")
    print(f"{SECONDS:.0f} s: {reader.count} images, {' '.join(f'{rate:.1f}' for rate in rates)} a second, {sum(thread.visits for thread in churn)} visits, {races} races; memory"
          f" {memory[0]:.0f} -> {memory[1]:.0f} MB, descriptors {descriptors[0]:.0f} -> {descriptors[1]:.0f}, at most {peaks[0]:.0f} MB and"
          f" {peaks[1]}, {left} left; ended with {code} after {ended_s:.1f} s")
    wrong = [what for what, is_wrong in {
        "images are missing": not reader.is_in_order, "it does not keep up": not IS_SLOW and min(rates) < RATE_SHARE * RATE_HZ,
        "it gets slower": min(rates) < RATE_SHARE * rates[0], "descriptors are left": left > LEFT_DESCRIPTORS,
        "memory grows": memory[1] > memory[0] * GROWTH, "descriptors grow": descriptors[1] > descriptors[0] + GROWTH_DESCRIPTORS,
        "races": races, "it did not end in order": code not in (0, 130, 143)}.items() if is_wrong]
    if wrong:
        print("; ".join(wrong) + "\n" + log)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
