#!/usr/bin/python3
"""Publishers that mean harm to `pov listen` and Python: frames and messages without end, names that command a terminal."""
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import zmq

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "support")]
from reserved_port import ReservedPort  # noqa: E402

POV = os.environ["POV"]
ANNOUNCED, SENT, MEMORY_MAX_MB = 3 << 30, 256 << 20, 128
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL".ljust(55, b"\0")
READY = b"\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03PUB"

HEARER = """
import sys, time, pov
station = pov.Station(sys.argv[1])
while sys.argv[2] == "reads":
    try:
        station.next()
    except pov.Error as error:
        print(error, file=sys.stderr, flush=True)
time.sleep(60)
"""


def read_all(connection, count):
    while count > 0:
        count -= len(connection.recv(count) or exit("the listener left amid the handshake"))


def send_endless_frame(door, sent):
    """By the letter of ZMTP 3 (https://rfc.zeromq.org/spec/23): handshake, then a frame of 3 GiB, as far as it is read."""
    connection, _ = door.accept()
    connection.settimeout(60)
    connection.sendall(GREETING)
    read_all(connection, 64)
    connection.sendall(READY)
    try:
        connection.sendall(b"\x02" + struct.pack(">Q", ANNOUNCED))
        while sent[0] < SENT:
            sent[0] += connection.send(bytes(1 << 16))
    except OSError:
        pass  # the listener has ended the connection
    connection.close()


def send_endless_message(door, sent, size, until_s):
    """Parts of one message, of so many bytes each, as fast as they are read, to whoever comes."""
    part = b"\x03" + struct.pack(">Q", size) + bytes(size) if size > 255 else bytes([1, size]) + bytes(size)
    many = part * max(1, (1 << 18) // len(part))
    door.settimeout(0.5)
    while time.monotonic() < until_s:
        try:
            connection, _ = door.accept()
            connection.settimeout(0.5)
            connection.sendall(GREETING)
            read_all(connection, 64)
            connection.sendall(READY)
            while time.monotonic() < until_s:
                sent[0] += connection.send(many)
        except OSError:
            pass
        else:
            connection.close()


def most_memory_mb(process):
    return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii"))[1]) / 1024


def told_by(program):
    program.kill()
    with program.stderr:
        told = program.stderr.read()
    program.wait()
    return told


class HostilePublisher(unittest.TestCase):
    def listen(self, endpoint, *options):
        listener = subprocess.Popen([POV, "listen", "--connect", endpoint, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(listener.stdout.close)
        self.addCleanup(listener.stderr.close)
        self.addCleanup(listener.wait)
        self.addCleanup(listener.kill)
        return listener

    def test_a_frame_without_end_costs_a_listener_no_memory(self):
        with socket.create_server(("127.0.0.1", 0)) as door:
            listener, sent = self.listen(f"tcp://127.0.0.1:{door.getsockname()[1]}"), [0]
            publisher = threading.Thread(target=send_endless_frame, args=(door, sent))
            publisher.start()
            publisher.join(120)
            self.assertFalse(publisher.is_alive())
            self.assertLess(sent[0], SENT)
            if "POV_SANITIZED" not in os.environ:
                self.assertLess(most_memory_mb(listener), MEMORY_MAX_MB)
            self.assertIsNone(listener.poll())

    def flood(self, start, size, seconds=3):
        """The most memory of a program that is started with the flood's endpoint, how often it came, and the program."""
        with socket.create_server(("127.0.0.1", 0)) as door:
            program, sent = start(f"tcp://127.0.0.1:{door.getsockname()[1]}"), [0]
            send_endless_message(door, sent, size, time.monotonic() + seconds)
            self.assertGreater(sent[0], 1 << 20)
            return most_memory_mb(program), program

    @unittest.skipIf("POV_SANITIZED" in os.environ, "memory is the sanitizer's")
    def test_a_message_without_end_costs_a_listener_no_memory_and_is_told(self):
        for size in 60000, 100, 1:
            most_mb, listener = self.flood(self.listen, size)
            self.assertLess(most_mb, MEMORY_MAX_MB, size)
            self.assertIsNone(listener.poll())
            self.assertIn(b"bytes that are no message, and was cut off", told_by(listener))

    @unittest.skipIf("POV_SANITIZED" in os.environ, "memory is the sanitizer's")
    def test_a_message_without_end_costs_python_no_memory_whether_it_reads_or_not(self):
        source = os.environ["POV_SOURCE"]
        library = next(pathlib.Path(POV).parent.glob("libpov.so.1"), None)
        if not library or subprocess.run([sys.executable, "-c", "import cffi, numpy"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("needs libpov, python3-cffi and python3-numpy")
        environment = {**os.environ, "PYTHONPATH": f"{source}/python", "POV_LIBRARY": str(library)}

        def start(endpoint):
            program = subprocess.Popen([sys.executable, "-c", HEARER, endpoint, reads], stderr=subprocess.PIPE, env=environment)
            self.addCleanup(program.kill)
            return program
        for reads in "reads", "sleeps":
            most_mb, program = self.flood(start, 60000, 5)
            self.assertLess(most_mb, MEMORY_MAX_MB, reads)
            self.assertEqual(b"bytes that are no message, and was cut off" in told_by(program), reads == "reads")

    def test_names_do_not_command_a_terminal(self):
        with tempfile.TemporaryDirectory(prefix="pov-hostile-") as name, ReservedPort() as robot, ReservedPort() as evil:
            folder, context = pathlib.Path(name), zmq.Context()
            subprocess.run([POV, "sim", "station", "--images", "1", "--size", "640x360", "--quiet", "--out", folder], check=True)
            station = subprocess.Popen([POV, "run", folder / "station.yaml", "--loop", "--rate", "5", "--quiet", "--publish",
                                        f"tcp://127.0.0.1:{robot}"], stdout=subprocess.DEVNULL)
            subscriber, publisher = context.socket(zmq.SUB), context.socket(zmq.XPUB)
            subscriber.connect(f"tcp://127.0.0.1:{robot}")
            subscriber.subscribe(b"observation")
            self.assertTrue(subscriber.poll(60000))
            *head, message = subscriber.recv_multipart()
            station.terminate()
            station.wait()
            self.assertIn(b"anna", message)
            publisher.bind(f"tcp://127.0.0.1:{evil}")
            listener = self.listen(f"tcp://127.0.0.1:{evil}", "--count", "1")
            self.assertTrue(publisher.poll(60000))  # its subscription
            for old, new in (b"anna", b"\x1b[2J"), (b"anna", b"\xc2\x9b2J"), (b"simulated", b"\x1b[2Jlated"):
                publisher.send_multipart([*head, message.replace(old, new)])
            publisher.send_multipart([*head, message])
            said, warned = listener.communicate(timeout=60)
            context.destroy(linger=0)
        self.assertIn(b"control characters", warned)
        for control in b"\x1b", b"\xc2\x9b":
            self.assertNotIn(control, said + warned)


if __name__ == "__main__":
    unittest.main()
