#!/usr/bin/python3
"""A robot and a laptop on a network that loses, delays and parts: two network namespaces, and a cable between them that is this program.

    network.py SECONDS [NETWORK...]   how long each network is kept, or those named; `./dev ordeal` takes 30
    network.py 900 parted             the cable is parted for ten minutes

Wanted: `pov listen` on the laptop prints each message of `pov run` on the robot, or counts it in its warning of missed ones; what comes
after the network is well again arrives. The robot judges each image whatever the network does. Needs root and /dev/net/tun."""
import ctypes
import fcntl
import heapq
import itertools
import json
import os
import pathlib
import random
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

POV = os.environ["POV"]
SKIPPED = 77
RATE_HZ = 10
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET, TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x40000000, 0x400454CA, 0x0001, 0x1000


def refuse(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Host:
    """A network namespace with one interface, whose packets are read and written at `cable`."""

    def __init__(self, address):
        self.address, self.problem = address, None
        maker = threading.Thread(target=self.make)  # a thread's namespace is its own
        maker.start()
        maker.join()
        if self.problem:
            raise self.problem

    def make(self):
        try:
            refuse(LIBC.unshare(CLONE_NEWNET))
            self.namespace = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
            self.cable = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(self.cable, TUNSETIFF, struct.pack("16sH", b"cable", IFF_TUN | IFF_NO_PI))
            for words in (["addr", "add", self.address + "/24", "dev", "cable"], ["link", "set", "cable", "up"], ["link", "set", "lo", "up"]):
                subprocess.run(["ip", *words], check=True)
        except (OSError, subprocess.CalledProcessError) as problem:
            self.problem = problem

    def start(self, *words, **options):
        return subprocess.Popen([str(word) for word in words], text=True, preexec_fn=lambda: refuse(LIBC.setns(self.namespace, CLONE_NEWNET)),
                                **options)

    def close(self):
        os.close(self.cable)
        os.close(self.namespace)


class Cable(threading.Thread):
    """Carries packets both ways; loss is of each packet, delay of one way."""

    def __init__(self, one, other, seed):
        super().__init__(daemon=True)
        self.ends, self.chance, self.order = {one.cable: other.cable, other.cable: one.cable}, random.Random(seed), itertools.count()
        self.loss, self.delay_s, self.parted, self.cut = 0.0, 0.0, False, False
        self.start()

    def run(self):
        under_way = []
        while not self.cut:
            ready, _, _ = select.select(list(self.ends), [], [], 0.005)
            now = time.monotonic()
            for end in ready:
                packet = os.read(end, 65536)
                if not self.parted and self.chance.random() >= self.loss:
                    heapq.heappush(under_way, (now + self.delay_s, next(self.order), self.ends[end], packet))
            while under_way and under_way[0][0] <= now:
                _, _, end, packet = heapq.heappop(under_way)
                os.write(end, packet)


def listen_through(folder, station, seconds, name, worsen):
    """worsen(cable, listener) makes the network bad; it is mended before the last third. Returns complaints."""
    robot, laptop = Host("10.9.0.1"), Host("10.9.0.2")
    cable = Cable(robot, laptop, 5)
    run = robot.start(POV, "run", station, "--loop", "--rate", RATE_HZ, "--json", "--publish", "tcp://10.9.0.1:5570", "--insecure", "--quiet",
                      stdout=open(folder / "judged", "w", encoding="utf-8"), stderr=subprocess.PIPE)
    listener = laptop.start(POV, "listen", "--connect", "tcp://10.9.0.1:5570", "--json",
                            stdout=open(folder / "heard", "w", encoding="utf-8"), stderr=open(folder / "warned", "w", encoding="utf-8"))
    time.sleep(2)
    worsen(cable, listener)
    time.sleep(seconds * 2 / 3)
    cable.loss, cable.delay_s, cable.parted = 0.0, 0.0, False
    mended = time.monotonic()
    listener.send_signal(signal.SIGCONT)
    time.sleep(seconds / 3)
    while last_sequence(folder / "judged") - last_sequence(folder / "heard") > RATE_HZ and time.monotonic() < mended + 120:
        time.sleep(0.5)
    caught_up_s = time.monotonic() - mended
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=20)
    listener.send_signal(signal.SIGINT)
    listener.wait(20)
    cable.cut = True
    cable.join()
    for host in robot, laptop:
        host.close()
    numbers, all_judged = sequences(folder / "heard"), sequences(folder / "judged")
    missed = sum(map(int, re.findall(r"(\d+) (?:message|image)s? ", (folder / "warned").read_text(encoding="utf-8"))))
    between = numbers[-1] - numbers[0] + 1
    complaints = []
    if all_judged != list(range(len(all_judged))):
        complaints.append("the robot left images out")
    if numbers != sorted(set(numbers)):
        complaints.append("messages came twice, or in another order")
    if len(numbers) + missed != between:
        complaints.append(f"{between - len(numbers) - missed} messages unaccounted for")
    if all_judged[-1] - numbers[-1] > RATE_HZ * 3:
        complaints.append("nothing came after the network was mended")
    print(f"{name:38} {between:5} published, {len(numbers):5} heard, {missed:5} told as missed, {len(complaints)} wrong;"
          f" caught up {caught_up_s:.0f} s after it was mended", flush=True)
    for complaint in complaints:
        print("    " + complaint)
    return complaints


def sequences(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line)["image"]["sequence"] for line in lines if line.endswith("\n")]


def last_sequence(path):
    """Of the last whole line; -1 if there is none. Looks at the end only: the cable needs the processor."""
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - 1000000))
        lines = [line for line in file.read().split(b"\n")[:-1] if line.startswith(b'{"')]
    return json.loads(lines[-1])["image"]["sequence"] if lines else -1


def set_of(**values):
    return lambda cable, _: [setattr(cable, key, value) for key, value in values.items()]


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 6
    try:
        Host("10.9.0.1").close()
    except (OSError, subprocess.CalledProcessError, FileNotFoundError) as problem:
        print(f"skipped: no network of its own can be made here: {problem}")
        return SKIPPED
    networks = {"a good cable": set_of(), "1 % of packets lost": set_of(loss=0.01), "10 % lost": set_of(loss=0.1),
                "50 % lost, both ways": set_of(loss=0.5), "200 ms each way": set_of(delay_s=0.2), "parted": set_of(parted=True),
                "a laptop that stands still": lambda _, listener: listener.send_signal(signal.SIGSTOP)}
    if len(sys.argv) == 1:
        networks = {name: networks[name] for name in ("10 % lost", "parted")}
    elif len(sys.argv) > 2:
        networks = {name: networks[name] for name in sys.argv[2:]}
    wrong = []
    with tempfile.TemporaryDirectory(prefix="pov-network-") as name:
        folder = pathlib.Path(name)
        subprocess.run([POV, "sim", "station", "--images", "4", "--size", "640x360", "--quiet", "--out", folder / "world"], check=True)
        for name, worsen in networks.items():
            wrong += listen_through(folder, folder / "world" / "station.yaml", seconds, name, worsen)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
