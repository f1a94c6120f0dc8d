#!/usr/bin/python3
"""pov run --dashboard as browsers, strangers and stuck viewers meet it: real sockets, http.client, JPEGs decoded by OpenCV."""
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest
import urllib.parse

import cv2
import numpy

POV = os.environ["POV"]
PAGE = pathlib.Path(os.environ["POV_SOURCE"]) / "firmware" / "dashboard" / "page"
VIEWERS_MAX = 16


class Station:
    """A station that plays a folder of images until it is told to stop; its JSON goes into a file."""

    def __init__(self, station, place, *arguments):
        self.json = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [POV, "run", station, "--json", "--no-publish", "--quiet", "--dashboard", place, *map(str, arguments)],
            stdout=self.json, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        assert line.startswith("dashboard: http://"), line
        self.url = urllib.parse.urlsplit(line.split()[1])
        self.port = self.url.port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.code = self.process.wait(30)
        self.said = self.process.stderr.read()
        self.process.stderr.close()

    def observations(self):
        self.json.seek(0)
        return [json.loads(line) for line in self.json]

    @contextlib.contextmanager
    def get(self, path, method="GET", headers={}):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            yield connection.getresponse()
        finally:
            connection.close()

    def status(self, path, **options):
        with self.get(path, **options) as reply:
            return reply.status


def events(reply):
    """(event, data) one by one."""
    name = "message"
    for line in iter(reply.readline, b""):
        line = line.decode().rstrip("\n")
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            yield name, json.loads(line[6:])
            name = "message"


def pictures(reply):
    while True:
        line = reply.readline()
        if not line:
            return
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
            assert reply.readline() == b"\r\n"
            yield reply.read(length)


class Dashboard(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-dashboard-"))
        subprocess.run([POV, "demo", "--out", cls.folder / "demo", "--images", "4"], check=True, capture_output=True)
        cls.station = cls.folder / "demo" / "station.yaml"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def live(self, place="0"):
        return Station(self.station, place, "--loop", "--rate", 20)

    def test_serves_the_page_and_all_that_it_names_and_nothing_else(self):
        with self.live() as station:
            self.assertEqual(station.url.hostname, "127.0.0.1")
            with station.get("/") as reply:
                self.assertEqual(reply.getheader("Content-Type"), "text/html; charset=utf-8")
                self.assertIn("default-src 'self'", reply.getheader("Content-Security-Policy"))
                page = reply.read()
            self.assertEqual(page, (PAGE / "index.html").read_bytes())
            named = re.findall(r'(?:href|src)="([^"]+)"', page.decode())
            self.assertGreaterEqual(set(named), {"style.css", "script.js"})
            for name in named:
                with station.get("/" + name) as reply:
                    self.assertEqual((reply.status, reply.read()), (200, (PAGE / name).read_bytes()))
            self.assertEqual(station.status("/nothing"), 404)
            own = [path.read_bytes() for path in PAGE.iterdir()]
            for path in "/../station.yaml", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", \
                        "//etc/passwd", "/index.html/..", "/style.css%00.html", "/dashboard/index.html":
                with station.get(path) as reply:
                    self.assertTrue(reply.status in (400, 404) or reply.read() in own, path)
            self.assertEqual(station.status("/", method="POST"), 405)
            self.assertEqual(station.status("/events", headers={"Host": "evil.example"}), 403)
            self.assertIn(station.status("/", headers={"X-Long": "x" * 100000}), (400, 413, 431))
        self.assertEqual(station.code, 0, station.said)

    def test_the_page_names_no_other_server(self):
        for path in PAGE.iterdir():
            addresses = set(re.findall(r"https?://[^\s\"']+", path.read_text()))
            self.assertLessEqual(addresses, {"http://www.w3.org/2000/svg"}, path)

    def test_video_is_jpegs_of_the_image_without_margin(self):
        with self.live() as station, station.get("/video") as reply:
            self.assertIn("multipart/x-mixed-replace", reply.getheader("Content-Type"))
            stream = pictures(reply)
            got = [next(stream) for _ in range(5)]
        given = cv2.imread(str(next((self.folder / "demo" / "images").iterdir())))
        for bytes_ in got:
            self.assertTrue(bytes_.startswith(b"\xff\xd8\xff") and bytes_.endswith(b"\xff\xd9"))
            picture = cv2.imdecode(numpy.frombuffer(bytes_, numpy.uint8), cv2.IMREAD_COLOR)
            self.assertAlmostEqual(picture.shape[1] / picture.shape[0], given.shape[1] / given.shape[0], delta=0.01)
        self.assertGreater(len(set(got)), 1)

    def test_events_say_what_json_says_of_the_same_image(self):
        with self.live() as station, station.get("/events") as reply:
            stream = events(reply)
            got = []
            while len([1 for name, _ in got if name == "message"]) < 6:
                got.append(next(stream))
        written = {observation["image"]["sequence"]: observation for observation in station.observations()}
        shown = [data for name, data in got if name == "message"]
        self.assertGreater(len({observation["image"]["sequence"] for observation in shown}), 3)
        for observation in shown:
            self.assertEqual(observation, written[observation["image"]["sequence"]])
        self.assertIn("rate_hz", next(data for name, data in got if name == "health")["health"])

    def test_elsewhere_only_who_has_the_token_sees_anything(self):
        with self.live("0.0.0.0:0") as station:
            token = urllib.parse.parse_qs(station.url.query)["token"][0]
            self.assertRegex(token, "^[0-9a-f]{32}$")
            wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
            for path in "/", "/style.css", "/video", "/events", "/nothing":
                for query in "", "?token=", f"?token={wrong}", f"?token={token}0", f"?token={token[:-1]}", f"?nottoken={token}":
                    self.assertEqual(station.status(path + query), 403, path + query)
            with station.get(f"/?token={token}", headers={"Host": "board.local"}) as reply:
                self.assertEqual(reply.status, 200)
                cookie = reply.getheader("Set-Cookie")
            self.assertTrue("HttpOnly" in cookie and "SameSite=Strict" in cookie, cookie)
            own = cookie.split(";")[0]
            self.assertEqual(station.status("/style.css", headers={"Cookie": f"a=b; {own}"}), 200)
            self.assertEqual(station.status("/style.css", headers={"Cookie": own[:-1] + "g"}), 403)
            self.assertEqual(station.status(f"/events?again=1&token={token}"), 200)
            self.assertEqual(station.status("/nothing", headers={"Cookie": own}), 404)

    def test_a_hundred_viewers_are_contained_and_every_image_is_judged(self):
        statuses = []

        def watch(station, done):
            with contextlib.suppress(OSError, http.client.HTTPException), station.get("/video") as reply:
                statuses.append(reply.status)
                if reply.status == 200:
                    next(pictures(reply))
                    done.wait(30)

        done = threading.Event()
        with Station(self.station, "0", "--loop", "--rate", 50, "--count", 100) as station:
            threads = [threading.Thread(target=watch, args=(station, done)) for _ in range(100)]
            for thread in threads:
                thread.start()
            code = station.process.wait(60)
            done.set()
            for thread in threads:
                thread.join()
        self.assertEqual((code, [o["image"]["sequence"] for o in station.observations()]), (0, list(range(100))))
        self.assertEqual(statuses.count(200), VIEWERS_MAX)
        self.assertEqual(set(statuses), {200, 503})

    def test_a_viewer_that_stops_reading_holds_nobody_up(self):
        with Station(self.station, "0", "--loop", "--rate", 50, "--count", 150) as station:
            stuck = []
            for path in ("/video", "/events") * 4:
                peer = socket.socket()
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                peer.connect(("127.0.0.1", station.port))
                peer.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                stuck.append(peer)
            with station.get("/events") as reply:
                stream = events(reply)
                seen = [data["image"]["sequence"] for name, data in (next(stream) for _ in range(30)) if name == "message"]
            self.assertGreater(len(set(seen)), 5)
            self.assertEqual(station.process.wait(60), 0)
            for peer in stuck:
                peer.close()
        self.assertEqual(len(station.observations()), 150)

    def test_refuses_places_that_are_none(self):
        for place in "", "x", "70000", "127.0.0.1:", ":80", "-1", "1,2:80":
            result = subprocess.run([POV, "run", self.station, f"--dashboard={place}"], capture_output=True, text=True)
            self.assertEqual(result.returncode, 2, place)
            self.assertIn("--dashboard", result.stderr)
        taken = socket.create_server(("127.0.0.1", 0))
        with taken:
            result = subprocess.run([POV, "run", self.station, f"--dashboard={taken.getsockname()[1]}"],
                                    capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot listen", result.stderr)


if __name__ == "__main__":
    unittest.main()
