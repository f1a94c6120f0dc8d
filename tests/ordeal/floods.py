#!/usr/bin/python3
"""A station amid floods: peers that send messages without an end, that ask without reading, that subscribe to ever new topics; each goes
when it is cut off, and comes back.

    floods.py SECONDS        POV=PROGRAM

Wanted: memory is as flat in the last quarter as in the first, and at most a few tens of MB above that of a calm station, amid the floods and
after them; those who subscribe and ask now and then are served, amid the floods in seconds (the machine is busy) and after them at once; it ends in
order."""
import os
import pathlib
import re
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

import zmq

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "support")]
from reserved_port import ReservedPort  # noqa: E402

POV = os.environ["POV"]
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 20
CALM_S, AFTER_S, RATE_HZ = 5, 10, 10
ABOVE_CALM_MB, GROWTH_MB = 48, 8
DIALOGUES = 20  # more than the station remembers, some 5 MB each
SERVED_AMID_S, MEDIAN_AMID_S, SERVED_AFTER_S, LOOK_EACH_S = 30, 5, 2, 10
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL".ljust(55, b"\0")


def frame(body, more=False, command=False):
    flags = more | 4 * command
    return (bytes([flags, len(body)]) if len(body) < 256 else bytes([flags | 2]) + struct.pack(">Q", len(body))) + body


def connect(port, kind):
    """By the letter of ZMTP 3: https://rfc.zeromq.org/spec/23"""
    peer = socket.create_connection(("127.0.0.1", port), 5)
    peer.sendall(GREETING + frame(b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind, command=True))
    got = 0
    while got < 64:
        part = peer.recv(64 - got)
        if not part:
            raise ConnectionError("turned away")
        got += len(part)
    return peer


class Flood(threading.Thread):
    """A peer that sends what `make` makes, as fast as it is taken, and comes back when it is cut off."""

    def __init__(self, stop, port, kind, make):
        super().__init__(daemon=True)
        self.stop, self.port, self.kind, self.make, self.visits, self.bytes = stop, port, kind, make, 0, 0
        self.start()

    def run(self):
        while not self.stop.is_set():
            try:
                with connect(self.port, self.kind) as peer:
                    peer.settimeout(2)
                    self.visits += 1
                    while not self.stop.is_set():
                        self.bytes += peer.send(self.make())
            except OSError:
                time.sleep(0.02)


def topics():
    """Ever new ones."""
    numbers = iter(range(1 << 60))
    return lambda: b"".join(frame(b"\x01%d-%d-" % (threading.get_ident(), next(numbers)) + b"x" * 40) for _ in range(200))


def floods_of(stop, wire, ask):
    endless = [b"".join(frame(b"y" * size, more=True) for _ in range(max(1, (1 << 17) // size))) for size in (60000, 500, 1)]
    questions = frame(b"", more=True) + frame(b"where is the mug?")
    made = [(ask, b"DEALER", lambda part=part: part) for part in endless] + [(wire, b"SUB", lambda: endless[1])]
    made += [(ask, b"DEALER", lambda: questions)] * 40 + [(wire, b"SUB", topics()) for _ in range(4)]
    return [Flood(stop, *peer) for peer in made]


def time_of_service_s(port, kind, patience_s):
    """How long it takes to come, and to be served."""
    began = time.monotonic()
    with zmq.Context.instance().socket(kind) as peer:
        peer.linger = 0
        peer.connect(f"tcp://127.0.0.1:{port}")
        if kind == zmq.SUB:
            peer.subscribe(b"observation")
        else:
            peer.send(b"where is the car?")
        return time.monotonic() - began if peer.poll(1000 * patience_s) else float("inf")


class Honest(threading.Thread):
    """Comes now and then."""

    def __init__(self, stop, wire, ask):
        super().__init__(daemon=True)
        self.stop, self.doors, self.served_s = stop, [(wire, zmq.SUB), (ask, zmq.REQ)], {zmq.SUB: [], zmq.REQ: []}
        self.start()

    def run(self):
        while not self.stop.wait(LOOK_EACH_S if SECONDS > 60 else 1):
            for port, kind in self.doors:
                self.served_s[kind].append(time_of_service_s(port, kind, SERVED_AMID_S))


def memory_mb(process):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii"))[1]) / 1024


def watch(run, seconds):
    facts, began = [], time.monotonic()
    while time.monotonic() < began + seconds and run.poll() is None:
        facts.append(memory_mb(run))
        if len(facts) % 600 == 0:
            print(f"{time.monotonic() - began:.0f} s: {facts[-1]:.0f} MB", flush=True)
        time.sleep(0.1)
    return facts


def lines_of(folder):
    """Of JSON, one an image."""
    with open(folder / "lines", "rb") as lines:
        return sum(part.count(b"\n") for part in iter(lambda: lines.read(1 << 20), b""))


def main():
    with tempfile.TemporaryDirectory(prefix="pov-floods-") as name, ReservedPort() as wire, ReservedPort() as ask:
        folder = pathlib.Path(name)
        subprocess.run([POV, "sim", "station", "--images", "3", "--size", "640x360", "--quiet", "--out", folder / "world"], check=True)
        station = folder / "world" / "station.yaml"
        station.write_text(station.read_text() + f"ask: {{endpoint: 'tcp://127.0.0.1:{ask}'}}\n")
        with open(folder / "log", "w", encoding="utf-8") as log, open(folder / "lines", "wb") as lines:
            run = subprocess.Popen([POV, "run", station, "--loop", "--rate", str(RATE_HZ), "--quiet", "--json", "--publish", f"tcp://127.0.0.1:{wire}"],
                                   stdout=lines, stderr=log)
        os.nice(10)  # floods come from other machines: here they would take the station's processors
        while run.poll() is None and lines_of(folder) < 3:
            time.sleep(0.1)
        for _ in range(DIALOGUES):
            time_of_service_s(ask, zmq.REQ, 60)
        calm = statistics.median(watch(run, CALM_S))
        stop, began, lines_before = threading.Event(), time.monotonic(), lines_of(folder)
        floods, honest = floods_of(stop, wire, ask), Honest(stop, wire, ask)
        facts = watch(run, SECONDS)
        stop.set()
        for thread in [*floods, honest]:
            thread.join()
        after_s = {kind: time_of_service_s(port, kind, 60) for port, kind in honest.doors} if run.poll() is None else {}
        after = statistics.median(watch(run, AFTER_S) or [float("inf")])
        rate_hz = (lines_of(folder) - lines_before) / (time.monotonic() - began)
        asked_to_end = time.monotonic()
        run.send_signal(signal.SIGTERM)
        code = run.wait(60)
        ended_s = time.monotonic() - asked_to_end
        told = (folder / "log").read_text(encoding="utf-8", errors="replace")
    quarters = [statistics.median(facts[i * len(facts) // 4:(i + 1) * len(facts) // 4]) for i in range(4)]
    served = {kind: sorted(times) for kind, times in honest.served_s.items()}
    shown = "; ".join(f"{'subscribers' if kind == zmq.SUB else 'askers'}: {len(times)}, median {statistics.median(times):.1f} s, worst {times[-1]:.1f} s,"
                      f" after the floods {after_s.get(kind, float('inf')):.1f} s" for kind, times in served.items() if times)
    print(f"{SECONDS:.0f} s, {sum(f.visits for f in floods)} visits, {sum(f.bytes for f in floods) >> 20} MB taken or in the kernel; memory: calm"
          f" {calm:.0f} MB, quarters {' '.join(f'{q:.0f}' for q in quarters)}, at most {max(facts):.0f}, {AFTER_S} s after {after:.0f}; {shown};"
          f" {rate_hz:.1f} images a second; ended with {code} after {ended_s:.1f} s")
    wrong = [what for what, is_wrong in {
        "memory grows": quarters[3] > quarters[0] + GROWTH_MB, "the floods take memory": max(facts) > calm + ABOVE_CALM_MB,
        "nobody is served amid the floods": any(times[len(times) // 2] > MEDIAN_AMID_S for times in served.values() if times),
        "somebody waits after the floods": any(seconds > SERVED_AFTER_S for seconds in after_s.values()),
        "it did not end in order": code not in (0, 130, 143) or not after_s, "it ends slowly": ended_s > 5}.items() if is_wrong]
    if wrong:
        print("; ".join(wrong) + "\n" + told)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
