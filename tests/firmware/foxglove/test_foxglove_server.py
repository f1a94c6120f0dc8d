#!/usr/bin/python3
"""pov run --foxglove as honest, hostile and stuck clients meet it: WebSockets spoken by hand (RFC 6455)."""
import base64
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import time
import unittest

POV = os.environ["POV"]
CLIENTS_MAX = 16
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="pov-foxglove-keys-")
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Refused(Exception):
    pass


class Client:
    def __init__(self, port, query="", protocol="foxglove.websocket.v1", headers={}, tls=None, buffer=0):
        self.socket = socket.socket()
        self.socket.settimeout(60)
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.connect(("127.0.0.1", port))
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        lines = {"Host": f"localhost:{port}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                 "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode(), **({"Sec-WebSocket-Protocol": protocol} if protocol else {}), **headers}
        self.socket.sendall((f"GET /{query} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n").encode())
        self.stream = self.socket.makefile("rb")
        status = self.stream.readline().split()
        self.headers = {}
        while (line := self.stream.readline().strip()):
            name, _, value = line.decode().partition(":")
            self.headers[name.lower()] = value.strip()
        if not status or status[1] != b"101":
            self.close()
            raise Refused(int(status[1]) if status else None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.stream.close() if hasattr(self, "stream") else None
        self.socket.close()

    def send(self, payload, opcode=TEXT, final=True, masked=True, length=None):
        payload = payload.encode() if isinstance(payload, str) else payload
        n = len(payload) if length is None else length
        short = n if n < 126 else 126 if n < 65536 else 127
        head = bytes([opcode | (128 if final else 0), short | (128 if masked else 0)])
        head += struct.pack(">H", n) if short == 126 else struct.pack(">Q", n) if short == 127 else b""
        self.socket.sendall(head + (b"\0\0\0\0" if masked else b"") + payload)

    def say(self, **message):
        self.send(json.dumps(message))

    def receive(self):
        """(opcode, payload) of the next frame; None at the end."""
        head = self.stream.read(2)
        if len(head) < 2:
            return None
        n = head[1] & 127
        if n > 125:
            n = int.from_bytes(self.stream.read(2 if n == 126 else 8), "big")
        payload = self.stream.read(n)
        if head[0] & 15 == PING:
            self.send(payload, PONG)
            return self.receive()
        return head[0] & 15, payload

    def until(self, wanted):
        while True:
            frame = self.receive()
            assert frame, "the connection ended"
            if (found := wanted(*frame)) is not None:
                return found

    def channels(self):
        return self.until(lambda opcode, payload: {c["topic"]: c["id"] for c in json.loads(payload)["channels"]}
                          if opcode == TEXT and json.loads(payload)["op"] == "advertise" else None)

    def status(self):
        return self.until(lambda opcode, payload: json.loads(payload)["message"]
                          if opcode == TEXT and json.loads(payload)["op"] == "status" else None)

    def message(self):
        """(subscription, time, payload) of the next message."""
        return self.until(lambda opcode, payload: (*struct.unpack("<IQ", payload[1:13]), payload[13:])
                          if opcode == BINARY and payload[0] == 1 else None)

    def is_ended(self):
        with contextlib.suppress(OSError):
            while (frame := self.receive()):
                if frame[0] == CLOSE:
                    return True
        return True


class Station:
    def __init__(self, station, place, *arguments):
        self.json = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([POV, "run", station, "--json", "--no-publish", "--quiet", "--foxglove", place, *map(str, arguments)],
                                        stdout=self.json, stderr=subprocess.PIPE, text=True)
        self.url = self.process.stderr.readline().split()[-1]
        match = re.fullmatch(r"(wss?)://([^/]+):(\d+)/(\?token=[0-9a-f]{32})?", self.url)
        assert match, self.url
        self.port, self.query = int(match[3]), match[4] or ""
        self.tls = ssl._create_unverified_context() if match[1] == "wss" else None

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        self.code = self.process.wait(60)
        self.said = self.process.stderr.read()
        self.process.stderr.close()
        self.json.seek(0)
        sequences = {}
        for image in (json.loads(line)["image"] for line in self.json):
            sequences.setdefault(image.get("camera"), []).append(image["sequence"])
        self.json.close()
        if not kind:
            assert self.code == 0, (self.code, self.said)
            assert time.monotonic() - begun < 20
            assert all(of == list(range(len(of))) for of in sequences.values()), "an image was not judged"

    def client(self, query=None, **options):
        return Client(self.port, self.query if query is None else query, tls=self.tls, **options)

    def judged(self):
        return os.pread(self.json.fileno(), 1 << 30, 0).count(b"\n")

    def megabytes(self):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text())[1]) / 1024


class FoxgloveServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-foxglove-"))
        subprocess.run([POV, "sim", "comfort-ball", "--images", "4", "--quiet", "--out", cls.folder / "world"], check=True)
        cls.file = cls.folder / "world" / "station.yaml"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)
        shutil.rmtree(os.environ["XDG_CONFIG_HOME"])

    def live(self, place="0", rate=50, *more):
        return Station(self.file, place, "--loop", "--rate", rate, *more)

    def status_of(self, station, **options):
        try:
            station.client(**options).close()
            return 101
        except Refused as refused:
            return refused.args[0]

    def test_only_clients_of_the_protocol_and_pages_of_foxglove_enter(self):
        with self.live() as station:
            self.assertTrue(station.url.startswith("ws://127.0.0.1:"))
            for protocol, spoken in [("foxglove.websocket.v1",) * 2, ("foxglove.sdk.v1",) * 2, ("other, foxglove.sdk.v1", "foxglove.sdk.v1")]:
                with station.client(protocol=protocol) as client:
                    self.assertEqual(client.headers["sec-websocket-protocol"], spoken)
                    self.assertIn("/camera/image", client.channels())
            self.assertEqual(self.status_of(station, protocol=""), 400)
            self.assertEqual(self.status_of(station, protocol="other"), 400)
            for origin, status in [("https://app.foxglove.dev", 101), ("http://localhost:8080", 101), ("file://", 101), ("null", 403),
                                   ("https://evil.example", 403), ("http://localhost.evil.example", 403), ("https://app.foxglove.dev.evil", 403)]:
                self.assertEqual(self.status_of(station, headers={"Origin": origin}), status, origin)
            self.assertEqual(self.status_of(station, headers={"Host": "evil.example"}), 403)
            self.assertEqual(self.status_of(station, headers={"Upgrade": "nothing"}), 400)

    def test_elsewhere_only_who_has_the_token_sees_anything(self):
        for place, scheme in ("0.0.0.0:0", "wss://"), ("http://0.0.0.0:0", "ws://"):
            with self.live(place) as station:
                self.assertTrue(station.url.startswith(scheme))
                for query in "", "?token=", station.query[:-1], station.query + "0":
                    self.assertEqual(self.status_of(station, query=query), 403, query)
                self.assertEqual({self.status_of(station, query="?token=0") for _ in range(40)}, {403, 429})
                with station.client(headers={"Host": "board.local", "Origin": "https://elsewhere.example"}) as client:
                    client.say(op="subscribe", subscriptions=[{"id": 7, "channelId": client.channels()["observation"]}])
                    self.assertEqual(client.message()[0], 7)

    def test_a_client_gets_what_it_subscribed_to_and_nothing_else(self):
        with self.live() as station, station.client() as one, station.client() as two:
            channels = one.channels()
            self.assertEqual(two.channels(), channels)
            one.say(op="subscribe", subscriptions=[{"id": 5, "channelId": channels["/tf"]}])
            two.say(op="subscribe", subscriptions=[{"id": 5, "channelId": channels["scene"]}, {"id": 4294967295, "channelId": channels["/tf"]}])
            shown = {id_: {one.message()[0] for _ in range(10)} for id_ in [5]}
            self.assertEqual(shown, {5: {5}})
            got = {}
            for _ in range(20):
                subscription, when, payload = two.message()
                got.setdefault(when, {})[subscription] = payload
            pairs = [both for both in got.values() if len(both) == 2]
            self.assertTrue(pairs and all(len(both[4294967295]) > 100 for both in pairs))
            two.say(op="unsubscribe", subscriptionIds=[5])
            two.say(op="subscribe", subscriptions=[{"id": 9, "channelId": 4000000000}])
            self.assertIn("no channel 4000000000", two.status())
            self.assertEqual({two.message()[0] for _ in range(10)}, {4294967295})

    def test_each_of_several_cameras_has_topics_of_its_own(self):
        folder = self.folder / "two"
        subprocess.run([POV, "sim", "station", "--cameras", "2", "--images", "3", "--size", "320x240", "--quiet", "--out", folder], check=True)
        with Station(folder / "station.yaml", "0", "--loop", "--rate", "10") as station, station.client() as client:
            channels = client.channels()
            self.assertEqual({name for name in channels if name.startswith("/camera/")},
                             {f"/camera/{id_}/{what}" for id_ in "ab" for what in ("image", "header", "calibration", "annotations")})
            self.assertEqual(len(set(channels.values())), len(channels))
            names = {1: "/camera/b/image", 2: "/camera/a/calibration", 3: "/camera/b/calibration", 4: "/tf", 5: "/camera/b/annotations"}
            client.say(op="subscribe", subscriptions=[{"id": id_, "channelId": channels[name]} for id_, name in names.items()])
            client.say(op="subscribe", subscriptions=[{"id": 9, "channelId": max(channels.values()) + 1}])
            self.assertIn("there is no channel", client.status())
            client.say(op="subscribe", subscriptions=[{"id": 9, "channelId": min(set(range(1, max(channels.values()))) - set(channels.values()))}])
            self.assertIn("there is no channel", client.status())
            got = {}
            while set(got) != set(names) or got[1] < 4:
                id_, _, payload = client.message()
                got[id_] = got.get(id_, 0) + 1
                if id_ == 1:  # foxglove.CompressedImage: frame_id is field 4
                    self.assertIn(b"\x22\x01b", payload)
                    self.assertTrue(b"\x89PNG" in payload or b"\xff\xd8\xff" in payload)
                if id_ in (2, 3):
                    self.assertIn(b"\x4a\x01a" if id_ == 2 else b"\x4a\x01b", payload)  # frame_id is field 9

    def test_as_many_clients_as_there_is_room_for(self):
        with self.live() as station:
            clients = [station.client() for _ in range(CLIENTS_MAX)]
            self.assertEqual(self.status_of(station), 503)
            for client in clients:
                client.close()
            deadline = time.monotonic() + 20
            while self.status_of(station) == 503:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)

    def test_hostile_clients_harm_nothing(self):
        channel = {"op": "subscribe", "subscriptions": [{"id": i, "channelId": 1 + i % 20} for i in range(1000)]}
        ended = {"unmasked": lambda c: c.send(b"{}", masked=False), "huge": lambda c: c.send(b"x", length=1 << 62),
                 "4 GiB": lambda c: c.send(b"x" * 100000, length=1 << 32), "too long": lambda c: c.send(b"[" * 65537),
                 "a fragment": lambda c: c.send(b"{", final=False), "binary": lambda c: c.send(b"\1\0\0\0\0", BINARY),
                 "garbage": lambda c: c.socket.sendall(random.Random(1).randbytes(100000)), "another request": lambda c: c.socket.sendall(b"GET / HTTP/1.1\r\n\r\n"),
                 "a flood": lambda c: c.socket.sendall(b"\x81\x82\0\0\0\0{}" * 3000)}
        told = {"no JSON": b"garbage", "not UTF-8": b"\xff\xfe\x00", "deep": b"[" * 60000, "deep objects": b'{"op":' * 9000, "empty": b"",
                "other op": b'{"op":"setParameters"}', "no list": b'{"op":"subscribe","subscriptions":7}', "numbers": b"1e999",
                "strange ids": b'{"op":"subscribe","subscriptions":[{"id":-1,"channelId":1},{"id":1.5,"channelId":2},{"id":1e99,"channelId":3},null,[]]}',
                "a thousand": json.dumps(channel).encode()}
        with self.live() as station, station.client() as honest:
            honest.say(op="subscribe", subscriptions=[{"id": 1, "channelId": honest.channels()["/camera/image"]}])
            for name, text in told.items():
                with station.client() as client:
                    client.send(text)
                    self.assertTrue(client.status(), name)
            for name, attack in ended.items():
                with station.client() as client:
                    with contextlib.suppress(OSError):
                        attack(client)
                    self.assertTrue(client.is_ended(), name)
                honest.message()
            before, memory = station.judged(), station.megabytes()
            stuck = []
            for _ in range(8): # listen to all, and read nothing
                stuck.append(station.client(buffer=4096))
                stuck[-1].say(op="subscribe", subscriptions=[{"id": i, "channelId": i} for i in range(1, 11)])
            silent = [socket.create_connection(("127.0.0.1", station.port)) for _ in range(30)]
            for peer in silent[::2]:
                peer.sendall(b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n")
            begun, times = time.monotonic(), []
            while time.monotonic() - begun < 1.5:
                times.append(honest.message()[1])
            self.assertGreater(len(set(times)), 15)
            self.assertGreater(station.judged() - before, 15)
            self.assertLess(station.megabytes() - memory, 8 * 12 + 32)
            for peer in stuck + silent:
                peer.close()
            for _ in range(3):
                honest.message()

    def test_the_station_file_names_the_place(self):
        text = self.file.read_text()
        own = self.file.with_name("own.yaml")
        own.write_text(text + "foxglove: 0\n")
        process = subprocess.Popen([POV, "run", own, "--no-publish", "--quiet", "--loop", "--rate", "50"], stderr=subprocess.PIPE, text=True)
        self.assertIn("Foxglove: ws://127.0.0.1:", process.stderr.readline())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), 0)
        process.stderr.close()
        own.write_text(text + "foxglove: somewhere\n")
        result = subprocess.run([POV, "run", own, "--check"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"own.yaml:\d+.*foxglove.*takes a port")


if __name__ == "__main__":
    unittest.main()
