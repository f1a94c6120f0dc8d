#!/usr/bin/python3
"""pov run with fifty subscribers, one more that never reads and one that is killed: it goes on, and says who lost what."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import zmq

POV = os.environ["POV"]
SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
READERS = 50
PATIENCE_S = 100


class Reader:
    """A plain SUB socket that counts what it got and what it was told it lost."""

    def __init__(self, context, endpoint, topic, room=1000):
        self.socket = context.socket(zmq.SUB)
        self.socket.set_hwm(room)
        self.socket.connect(endpoint)
        self.socket.subscribe(topic)
        self.received = self.lost = 0
        self.last = None

    def read(self):
        """Takes all that is there; True if anything was."""
        before = self.received
        while self.socket.poll(0):
            envelope = pb.Envelope.FromString(self.socket.recv_multipart()[-1])
            self.received += 1
            self.lost += envelope.lost
            self.last = envelope
        return self.received > before


class Subscribers(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-sub-"))
        self.endpoint = f"ipc://{self.folder}/wire"
        self.context = zmq.Context()
        demo = subprocess.run([POV, "demo", "--out", self.folder / "demo", "--images", "3"], capture_output=True)
        self.assertEqual(demo.returncode, 0, demo.stderr)
        self.station = self.folder / "demo" / "station.yaml"
        self.station.write_text(self.station.read_text() + "publish: {queue: 3}\n")
        self.processes, self.readers = [], []

    def tearDown(self):
        for process in self.processes:
            process.kill()
            process.wait()
        for reader in self.readers:
            reader.socket.close(linger=0)
        self.context.term()
        shutil.rmtree(self.folder)

    def reader(self, topic, **options):
        self.readers.append(Reader(self.context, self.endpoint, topic, **options))
        return self.readers[-1]

    def start(self, *arguments, stdout=subprocess.DEVNULL):
        process = subprocess.Popen([POV, *map(str, arguments)], stdout=stdout, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def read_until(self, readers, condition):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), end, "it did not come to pass")
            if not any([reader.read() for reader in readers]):
                time.sleep(0.005)

    def test_the_run_goes_on_and_every_loss_is_told(self):
        readers = [self.reader("observation") for _ in range(READERS)]
        silent, health = self.reader("observation", room=1), self.reader("health")
        victim = self.start("listen", "--connect", self.endpoint, "--json", stdout=subprocess.PIPE)
        everyone = READERS + 3
        run = self.start("run", self.station, "--loop", "--rate", "200", "--publish", self.endpoint, "--wait", everyone,
                         "--quiet")
        active = [*readers, health]
        self.read_until(active, lambda: health.last)
        self.assertEqual(health.last.health.subscribers, everyone)
        self.assertLess(abs(health.last.health.monotonic_offset_ns - (time.time_ns() - time.monotonic_ns())), 20_000_000)

        self.assertTrue(victim.stdout.readline())
        victim.send_signal(signal.SIGKILL)
        victim.stdout.close()
        self.read_until(active, lambda: health.last.health.subscribers == everyone - 1)
        self.read_until(active, lambda: health.last.health.messages_lost > 0)  # of the silent one
        self.assertEqual(silent.received, 0)

        self.read_until([*active, silent], lambda: silent.lost > 0)  # it wakes
        run.send_signal(signal.SIGTERM)
        self.read_until([*active, silent], lambda: run.poll() is not None)
        self.assertEqual(run.returncode, 0)
        for reader in [*readers, silent]:  # all were there from the first image on
            self.assertEqual(reader.received + reader.lost, reader.last.observation.image.sequence + 1)
        self.assertGreater(silent.lost, 0)

    def test_a_slow_reader_gets_all_that_was_queued_for_it_though_the_run_is_over(self):
        self.station.write_text(self.station.read_text().replace("queue: 3", "queue: 64"))
        reader, images = self.reader("observation", room=1), 45
        run = self.start("run", self.station, "--loop", "--count", images, "--publish", self.endpoint, "--wait", 1,
                         "--quiet")
        while reader.received < images and reader.socket.poll(1000 * PATIENCE_S):
            envelope = pb.Envelope.FromString(reader.socket.recv_multipart()[-1])
            reader.received += 1
            reader.lost += envelope.lost
            time.sleep(0.02)
        self.assertEqual((reader.received, reader.lost), (images, 0))
        self.assertEqual(run.wait(timeout=PATIENCE_S), 0)


if __name__ == "__main__":
    classes = tempfile.mkdtemp(prefix="pov-classes-")
    subprocess.run(["protoc", f"--python_out={classes}", f"-I{SOURCE}/protocol", "pov.proto"], check=True)
    sys.path.insert(0, classes)
    import pov_pb2 as pb
    shutil.rmtree(classes)
    unittest.main()
