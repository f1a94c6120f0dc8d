#!/usr/bin/python3
"""Publishers that mean harm to `pov listen`: a frame without end, names that command a terminal."""
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import zmq

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "support")]
from reserved_port import ReservedPort  # noqa: E402

POV = os.environ["POV"]
ANNOUNCED, SENT, MEMORY_MAX_MB = 3 << 30, 256 << 20, 128
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL".ljust(55, b"\0")
READY = b"\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03PUB"


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


def most_memory_mb(process):
    return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii"))[1]) / 1024


class HostilePublisher(unittest.TestCase):
    def listen(self, endpoint, *options):
        listener = subprocess.Popen([POV, "listen", "--connect", endpoint, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(listener.communicate)
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

    def test_names_do_not_command_a_terminal(self):
        with tempfile.TemporaryDirectory(prefix="pov-hostile-") as name, ReservedPort() as robot, ReservedPort() as evil:
            folder, context = pathlib.Path(name), zmq.Context()
            subprocess.run([POV, "sim", "station", "--images", "1", "--quiet", "--out", folder], check=True)
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
