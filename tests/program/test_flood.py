#!/usr/bin/python3
"""Floods of idle connections to the wire and to the endpoint of questions of a station that may open 256 files: it judges each image."""
import contextlib
import json
import os
import pathlib
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "support")]
from reserved_port import ReservedPort  # noqa: E402

POV = os.environ["POV"]
LIMIT, FLOOD, ROUNDS = 256, 800, 4


def start(folder, ports):
    subprocess.run([POV, "sim", "station", "--images", "3", "--size", "640x360", "--quiet", "--out", folder / "world"], check=True)
    station = folder / "world" / "station.yaml"
    station.write_text(station.read_text() + f"ask: {{endpoint: 'tcp://127.0.0.1:{ports[1]}'}}\n")
    return subprocess.Popen([POV, "run", station, "--loop", "--rate", "10", "--json", "--publish", f"tcp://127.0.0.1:{ports[0]}",
                             "--dashboard", str(ports[2])], stdout=open(folder / "lines", "wb"), stderr=open(folder / "told", "wb"),
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT)))


def connect_idly(port, count):
    """So many connections at once, which say nothing; those that the station does not take stay in the kernel."""
    for _ in range(count):
        peer = socket.socket()
        peer.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            peer.connect(("127.0.0.1", port))
        yield peer


class Flood(unittest.TestCase):
    def test_a_station_with_few_descriptors_goes_on_amid_floods(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
        with tempfile.TemporaryDirectory() as name, ReservedPort() as one, ReservedPort() as two, ReservedPort() as three:
            folder, ports = pathlib.Path(name), (one, two, three)
            run = start(folder, ports)
            self.addCleanup(run.wait)
            self.addCleanup(run.kill)
            lines = lambda: (folder / "lines").read_bytes().count(b"\n")  # noqa: E731
            while lines() < 2:
                self.assertIsNone(run.poll(), (folder / "told").read_text())
                time.sleep(0.05)
            usual = most = len(os.listdir(f"/proc/{run.pid}/fd"))
            for _ in range(ROUNDS):
                before = lines()
                peers = [peer for port in ports[:2] for peer in connect_idly(port, FLOOD)]
                while lines() < before + 3:
                    self.assertIsNone(run.poll(), (folder / "told").read_text())
                    most = max(most, len(os.listdir(f"/proc/{run.pid}/fd")))
                with urllib.request.urlopen(f"http://127.0.0.1:{ports[2]}/", timeout=60) as page:
                    self.assertEqual(page.status, 200)
                for peer in peers:
                    peer.close()
            run.terminate()
            self.assertEqual(run.wait(60), 0)
            # Half of the wire's and of the questions' sixteenths of the limit, the page's three, those that are just looked at, and at
            # each door four that have been told to leave.
            self.assertLessEqual(most, usual + LIMIT * 3 // 32 + LIMIT // 32 + 3 + 4 + 8)
            numbers = [json.loads(line)["image"]["sequence"] for line in (folder / "lines").read_text().splitlines()]
            self.assertEqual(numbers, list(range(len(numbers))))
            self.assertIsNone(re.search("cannot be opened|Too many open files", (folder / "told").read_text()))

    def test_a_limit_that_is_too_low_is_told_at_once(self):
        with tempfile.TemporaryDirectory() as name:
            subprocess.run([POV, "sim", "station", "--images", "2", "--size", "640x360", "--quiet", "--out", f"{name}/world"], check=True)
            for limit in 8, 16, 63:
                run = subprocess.run([POV, "run", f"{name}/world/station.yaml", "--publish", "tcp://127.0.0.1:*"], capture_output=True, text=True, check=False,
                                     preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertIn(f"at most {limit} files may be open at once, and pov needs 64; raise the limit", run.stderr)
            run = subprocess.run([POV, "run", f"{name}/world/station.yaml", "--publish", "tcp://127.0.0.1:*", "--dashboard", "0", "--quiet", "--record", f"{name}/a.mcap"],
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)), capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
