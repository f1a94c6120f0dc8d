#!/usr/bin/python3
"""pov run --dashboard as browsers, strangers and stuck viewers meet it: real sockets, http.client, JPEGs decoded by OpenCV."""
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

import cv2
import numpy

POV = os.environ["POV"]
PAGE = pathlib.Path(os.environ["POV_SOURCE"]) / "firmware" / "dashboard" / "page"
VIEWERS_MAX = 16
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="pov-dashboard-keys-")  # removed with the class
CERTIFICATE = pathlib.Path(os.environ["XDG_CONFIG_HOME"]) / "pov" / "keys" / "certificate.pem"


class Station:
    """A station that plays a folder of images until it is told to stop; its JSON goes into a file."""

    def __init__(self, station, place, *arguments):
        self.json = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [POV, "run", station, "--json", "--no-publish", "--quiet", "--dashboard", place, *map(str, arguments)],
            stdout=self.json, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        assert line.startswith("dashboard: http"), line
        self.url = urllib.parse.urlsplit(line.split()[1])
        self.port = self.url.port
        self.tls = None
        if self.url.query:
            self.see = urllib.parse.parse_qs(urllib.parse.urlsplit(self.process.stderr.readline().split()[-1]).query)["token"][0]
        if self.url.scheme == "https":
            self.fingerprint = self.process.stderr.readline().split()[-1]
            self.tls = ssl.create_default_context(cafile=CERTIFICATE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.code = self.process.wait(300)
        self.said = self.process.stderr.read()
        self.process.stderr.close()

    def lines(self):
        return os.pread(self.json.fileno(), 1 << 30, 0).count(b"\n")

    def observations(self):
        self.json.seek(0)
        return [json.loads(line) for line in self.json]

    @contextlib.contextmanager
    def get(self, path, method="GET", headers={}):
        connection = (http.client.HTTPSConnection("127.0.0.1", self.port, timeout=120, context=self.tls) if self.tls else
                      http.client.HTTPConnection("127.0.0.1", self.port, timeout=120))
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


def updates(reply):
    """(what follows from an image, its JPEG) one by one."""
    while head := reply.read(8):
        json_len, jpeg_len = struct.unpack(">II", head)
        yield json.loads(reply.read(json_len)), reply.read(jpeg_len)


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
        shutil.rmtree(os.environ["XDG_CONFIG_HOME"])

    def live(self, place="0", rate=20):
        return Station(self.station, place, "--loop", "--rate", rate)

    def assert_judged_to_the_end(self, station, images=1):
        """It goes on for so many images in all, ends when it is told to, and has judged each."""
        while station.lines() < images and station.process.poll() is None:
            time.sleep(0.05)
        station.process.send_signal(signal.SIGINT)
        self.assertEqual(station.process.wait(300), 0)
        sequences = [observation["image"]["sequence"] for observation in station.observations()]
        self.assertEqual(sequences, list(range(len(sequences))))
        self.assertGreaterEqual(len(sequences), images)

    def test_serves_the_page_and_all_that_it_names_and_nothing_else(self):
        with self.live() as station:
            self.assertEqual(station.url.hostname, "127.0.0.1")
            with station.get("/") as reply:
                self.assertEqual(reply.getheader("Content-Type"), "text/html; charset=utf-8")
                self.assertIn("default-src 'self'", reply.getheader("Content-Security-Policy"))
                page = reply.read()
            self.assertEqual(page, (PAGE / "index.html").read_bytes())
            pages = {path.name for path in PAGE.glob("*.html")}
            named = [name for page in pages for name in re.findall(r'(?:href|src)="([^"]+)"', (PAGE / page).read_text())]
            named += [name for path in PAGE.glob("*.js") for name in re.findall(r'from "\./([^"]+)"', path.read_text())]
            offered = {"report", "print.pdf"}  # once there is one
            self.assertEqual(set(named) | pages, {path.name for path in PAGE.iterdir()} | offered)
            for name in set(named) - offered:
                with station.get("/" + name) as reply:
                    self.assertEqual((reply.status, reply.read()), (200, (PAGE / name).read_bytes()))
            self.assertEqual(station.status("/nothing"), 404)
            own = [path.read_bytes() for path in PAGE.iterdir()]
            for path in "/../station.yaml", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", \
                        "//etc/passwd", "/index.html/..", "/style.css%00.html", "/dashboard/index.html":
                with station.get(path) as reply:
                    self.assertTrue(reply.status in (400, 404) or reply.read() in own, path)
            self.assertEqual(station.status("/", method="POST"), 405)
            self.assertEqual(station.status("/updates", headers={"Host": "evil.example"}), 403)
            self.assertIn(station.status("/", headers={"X-Long": "x" * 100000}), (400, 413, 431))
        self.assertEqual(station.code, 0, station.said)

    def test_says_whether_the_images_are_drawn(self):
        world = self.folder / "world" / "station.yaml"
        subprocess.run([POV, "sim", "comfort-ball", "--images", "1", "--quiet", "--out", world.parent], check=True)
        live, photographs = world.with_name("live.yaml"), world.with_name("photographs.yaml")
        live.write_text(world.read_text().replace("source: folder", "source: simulator"))
        photographs.write_text(world.read_text().replace("path: images", "path: photographs"))
        (world.parent / "photographs").mkdir()
        for number, image in enumerate((world.parent / "images").iterdir()):
            (world.parent / "photographs" / f"IMG_{number}.png").symlink_to(image)
        for path, expected in (world, True), (live, True), (photographs, False):
            with Station(path, "0", "--loop", "--rate", 20) as station, station.get("/updates") as reply:
                update = next(update for update, _ in updates(reply) if "image" in update)
            self.assertIs(update["simulated"], expected)

    def test_the_page_names_no_other_server(self):
        for path in PAGE.iterdir():
            addresses = set(re.findall(r"https?://[^\s\"']+", path.read_text()))
            self.assertLessEqual(addresses, {"http://www.w3.org/2000/svg"}, path)

    def test_video_is_jpegs_of_the_image_without_margin(self):
        with self.live() as station, station.get("/video") as reply:
            self.assertIn("multipart/x-mixed-replace", reply.getheader("Content-Type"))
            got = []
            for picture in pictures(reply): # of four images, as many as come before one is another
                got.append(picture)
                if len(got) >= 5 and len(set(got)) > 1:
                    break
        given = cv2.imread(str(next((self.folder / "demo" / "images").iterdir())))
        for bytes_ in got:
            self.assertTrue(bytes_.startswith(b"\xff\xd8\xff") and bytes_.endswith(b"\xff\xd9"))
            picture = cv2.imdecode(numpy.frombuffer(bytes_, numpy.uint8), cv2.IMREAD_COLOR)
            self.assertAlmostEqual(picture.shape[1] / picture.shape[0], given.shape[1] / given.shape[0], delta=0.01)
        self.assertGreater(len(set(got)), 1)

    def test_updates_say_what_json_says_of_the_same_image(self):
        with self.live() as station, station.get("/updates") as reply:
            stream = updates(reply)
            shown = {}
            while len(shown) < 4:
                update, jpeg = next(stream)
                if "image" in update:
                    shown[update["image"]["sequence"]] = update
                    self.assertTrue(jpeg.startswith(b"\xff\xd8\xff"))
        written = {observation["image"]["sequence"]: observation for observation in station.observations()}
        for sequence, update in shown.items():
            observation = written[sequence]
            names = [entity["name"] for entity in update["entities"]]
            self.assertEqual(names, [entity["id"] for entity in observation["scene"]["entities"]])
            for mine, theirs in zip(update["entities"], observation["scene"]["entities"]):
                self.assertEqual(mine.get("at"), theirs["pos_m"] and [round(v, 4) + 0.0 for v in theirs["pos_m"]])
            self.assertEqual(self.judged(update, names), self.judged_by_json(observation))
            self.assertIn("rate_hz", update["health"])

    @staticmethod
    def judged(update, names):
        relations = "left_of", "right_of", "in_front_of", "behind"
        verdicts = {"t": "true", "f": "false", "a": "abstain", "u": "undefined"}
        return {(names[a], names[b], names[viewer] if viewer >= 0 else None, convention, relations[relation]):
                (verdicts[verdict], p, direction)
                for a, b, viewer, convention, *row in update["rows"] for relation, verdict, p, direction in row}

    @staticmethod
    def judged_by_json(observation):
        """Directions from the angle between the relation and where the referent lies."""
        at = {entity["id"]: entity["pos_m"] for entity in observation["scene"]["entities"]}
        found = {}
        for j in observation["judgments"]:
            if j["axis"] == ("heading" if j["viewer"] else "sight_line") or j["perspective"] == "absolute":
                continue
            direction = None
            if j["theta_deg"] is not None:
                (ax, ay, _), (bx, by, _) = at[j["referent"]], at[j["relatum"]]
                yaw = numpy.degrees(numpy.arctan2(ay - by, ax - bx)) - j["theta_deg"]
                direction = round((yaw + 180) % 360 - 180)
            p = j["p"] if j["p"] is None else round(1000 * j["p"])
            found[j["referent"], j["relatum"], j["viewer"], j["convention"], j["relation"]] = j["verdict"], p, direction
        return found

    def test_elsewhere_only_who_has_the_token_sees_anything(self):
        with self.live("0.0.0.0:0") as station:
            token = urllib.parse.parse_qs(station.url.query)["token"][0]
            self.assertRegex(token, "^[0-9a-f]{32}$")
            wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
            for path in "/", "/style.css", "/video", "/updates", "/sweep", "/bodies", "/report", "/nothing":
                for query in "", "?token=", f"?token={wrong}", f"?token={token}0", f"?token={token[:-1]}", f"?nottoken={token}":
                    self.assertIn(station.status(path + query), (403, 429), path + query)
            self.assertEqual(station.status("/"), 429)  # too many tries; who has the token is let in all the same
            with station.get(f"/?token={token}", headers={"Host": "board.local"}) as reply:
                self.assertEqual((reply.status, reply.getheader("Location")), (303, "/"))
                cookie = reply.getheader("Set-Cookie")
            for word in "HttpOnly", "SameSite=Lax", "Secure":
                self.assertIn(word, cookie)
            own = cookie.split(";")[0]
            self.assertEqual(station.status("/style.css", headers={"Cookie": f"a=b; {own}"}), 200)
            self.assertEqual(station.status("/style.css", headers={"Cookie": own[:-1] + "g"}), 429)
            self.assertEqual(station.status(f"/updates?again=1&token={token}"), 200)
            self.assertEqual(station.status("/nothing", headers={"Cookie": own}), 404)
            der = ssl.PEM_cert_to_DER_cert(CERTIFICATE.read_text().split("-----BEGIN PRIVATE")[0])
            self.assertEqual(station.fingerprint.replace(":", "").lower(), hashlib.sha256(der).hexdigest())
            self.assertEqual(CERTIFICATE.stat().st_mode & 0o777, 0o600)

    def test_a_stranger_is_told_in_a_page_what_to_do(self):
        with self.live("http://0.0.0.0:0") as station, station.get("/") as reply:
            self.assertEqual((reply.status, reply.getheader("Content-Type")), (403, "text/html; charset=utf-8"))
            page = reply.read().decode()
        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertIn("token", page)

    def test_answers_what_the_page_asks_each_dialogue_by_itself(self):
        def ask(station, body):
            connection = http.client.HTTPConnection("127.0.0.1", station.port, timeout=120)
            connection.request("POST", "/ask", body=body)
            reply = connection.getresponse()
            text = reply.read().decode()
            connection.close()
            return reply.status, json.loads(text) if reply.status == 200 else text

        with self.live() as station, station.get("/updates") as reply:
            with station.get("/study") as state:
                nonce = json.loads(state.read())["nonce"]
            question = json.dumps({"utterance": "where is the car relative to the ball"})
            self.assertEqual(ask(station, f"{nonce} a {question}")[0], 200)  # perhaps before the first image
            names = [entity["name"] for entity in next(update for update, _ in updates(reply) if "image" in update)["entities"]]
            things = [name for name in names if name != "camera"]
            status, first = ask(station, f"{nonce} a where is {things[0]} relative to {things[1]}")
            self.assertEqual((status, first["outcome"]), (200, "answered"), first)
            self.assertIn("and from your side?", ask(station, f"{nonce} a and from your side?")[1]["utterance"])
            self.assertNotEqual(ask(station, f"{nonce} a is it left of {things[1]}?")[1]["outcome"], "refused")
            self.assertEqual(ask(station, f"{nonce} b is it left of {things[1]}?")[1]["outcome"], "ask_back")  # nobody spoke of "it"
            for body in "", "x", nonce, f"x{nonce[1:]} a {question}", f"{nonce[:-1]}g a {question}":
                self.assertEqual(ask(station, body)[0], 403, body)
            for body in f"{nonce} ", f"{nonce} a", f"{nonce} {'a' * 100} {question}":
                self.assertEqual(ask(station, body)[0], 400, body)
            self.assertEqual(ask(station, f"{nonce} a " + '{"utterance": 3}')[1]["outcome"], "refused")
        self.assertEqual(station.code, 0, station.said)

    def test_shows_the_images_of_the_camera_that_was_chosen(self):
        two = self.station.with_name("two.yaml")
        text = self.station.read_text()
        head, camera, tail = text.partition("camera:\n")
        entry, cast = tail.split("cast:\n")
        entry = "".join("  " + line + "\n" for line in entry.replace("{path: images}", "{path: images, rate_hz: 20, loop: true}").splitlines())
        two.write_text(head + "cameras:\n" + f"  - id: left\n{entry}  - id: right\n{entry}" + "cast:\n" + cast)

        def choose(station, body):
            connection = http.client.HTTPConnection("127.0.0.1", station.port, timeout=120)
            connection.request("POST", "/camera", body=body)
            status = connection.getresponse().status
            connection.close()
            return status

        with Station(two, "0") as station, station.get("/updates") as reply:
            with station.get("/study") as state:
                nonce = json.loads(state.read())["nonce"]
            stream = (update for update, _ in updates(reply) if "image" in update)
            shown = [next(stream) for _ in range(4)]
            self.assertEqual({update["image"]["camera"] for update in shown}, {"left"})
            self.assertEqual(shown[0]["cameras"], ["left", "right"])
            for body in "1", f"x{nonce[1:]} 1", f"{nonce} 2", f"{nonce} 11", f"{nonce} ":
                self.assertEqual(choose(station, body), 403, body)
            self.assertEqual(choose(station, f"{nonce} 1"), 204)
            later = [next(stream)["image"]["camera"] for _ in range(12)]
            self.assertEqual(set(later[-4:]), {"right"}, later)
        self.assertEqual(station.code, 0, station.said)

    def test_answers_who_asks_before_a_page_was_opened(self):
        with self.live() as station:
            with station.get("/study") as state:
                nonce = json.loads(state.read())["nonce"]
            while station.lines() < 3:
                time.sleep(0.05)
            connection = http.client.HTTPConnection("127.0.0.1", station.port, timeout=120)
            connection.request("POST", "/ask", body=f"{nonce} a what can you see?")
            reply = json.load(connection.getresponse())
            connection.close()
            self.assertEqual(reply["outcome"], "answered", reply)

    def test_a_body_that_is_too_long_is_told_so(self):
        with self.live() as station:
            for size, headers, status in (4096, {}, 403), (4097, {}, 413), (1 << 20, {}, 413), (40, {"Transfer-Encoding": "chunked"}, 411):
                connection = http.client.HTTPConnection("127.0.0.1", station.port, timeout=120)
                connection.request("POST", "/ask", body=[b"x" * size] if headers else b"x" * size, headers=headers, encode_chunked=bool(headers))
                reply = connection.getresponse()
                self.assertEqual(reply.status, status, size)
                self.assertIn(b"4096" if status != 403 else b"", reply.read())
                connection.close()

    def test_who_sends_on_after_the_refusal_can_read_it(self):
        with self.live() as station, socket.create_connection(("127.0.0.1", station.port), timeout=60) as peer:
            peer.sendall(b"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048576\r\n\r\n")
            time.sleep(0.5)
            for _ in range(16):
                peer.sendall(b"x" * 65536)
                time.sleep(0.01)
            peer.shutdown(socket.SHUT_WR)
            reply = b""
            while part := peer.recv(4096):
                reply += part
            self.assertIn(b" 413 ", reply.split(b"\r\n")[0])

    def test_who_may_look_only_cannot_press_buttons(self):
        with self.live("http://0.0.0.0:0") as station:
            self.assertEqual(station.status(f"/ask?token={station.see}", method="POST"), 403)
            self.assertEqual(station.url.scheme, "http")
            operate = urllib.parse.parse_qs(station.url.query)["token"][0]
            self.assertEqual(station.status(f"/updates?token={station.see}"), 200)
            self.assertEqual(station.status(f"/study?token={station.see}", method="POST"), 403)
            with station.get(f"/study?token={station.see}") as reply:  # a study's state names its conditions
                self.assertEqual((reply.status, b"other URL" in reply.read()), (403, True))
            self.assertEqual(station.status(f"/study?token={operate}"), 200)
            self.assertEqual(station.status(f"/participant?token={station.see}"), 200)
            with station.get(f"/study?token={station.see}", method="POST") as reply:
                self.assertIn(b"look only", reply.read())
            with station.get(f"/study?token={operate}", method="POST") as reply:
                self.assertNotIn(b"look only", reply.read())
            with station.get(f"/study.html?token={station.see}") as reply:
                self.assertEqual((reply.status, reply.getheader("Location")), (303, "/study.html"))
                self.assertIn(station.see, reply.getheader("Set-Cookie"))

    def test_a_thousand_connections_that_say_little_do_not_shut_the_page(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        with self.live(rate=50) as station:
            peers = [socket.create_connection(("127.0.0.1", station.port), timeout=120) for _ in range(1100)]
            for peer in peers[::2]:
                with contextlib.suppress(OSError):
                    peer.sendall(b"GET / HTTP/1.1\r\nHost: loc")
            open_now = len(os.listdir(f"/proc/{station.process.pid}/fd"))
            self.assertLess(open_now, 700)
            for _ in range(3):
                self.assertEqual(station.status("/"), 200)
            for peer in peers:
                peer.close()
            self.assert_judged_to_the_end(station, 50)

    def test_bodies_that_never_come_hold_nobody_up(self):
        with self.live(rate=50) as station:
            peers = [socket.create_connection(("127.0.0.1", station.port), timeout=120) for _ in range(100)]
            for peer in peers:
                peer.sendall(b"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nno")
            time.sleep(0.5)
            begun = time.monotonic()
            self.assertEqual(station.status("/"), 200)
            self.assertLess(time.monotonic() - begun, 3)
            for peer in peers:
                peer.close()
            self.assert_judged_to_the_end(station, 50)

    def test_a_hundred_viewers_are_contained_and_every_image_is_judged(self):
        statuses = {}

        def watch(station, done, number):
            with contextlib.suppress(OSError, http.client.HTTPException), station.get("/video") as reply:
                picture = reply.status == 200 and next(pictures(reply))
                statuses[number] = reply.status
                if picture:
                    done.wait()

        done = threading.Event()
        with self.live(rate=50) as station:
            threads = [threading.Thread(target=watch, args=(station, done, number)) for number in range(100)]
            for thread in threads:
                thread.start()
            while any(number not in statuses and thread.is_alive() for number, thread in enumerate(threads)):
                time.sleep(0.05)
            self.assert_judged_to_the_end(station)
            done.set()
            for thread in threads:
                thread.join()
        self.assertEqual(list(statuses.values()).count(200), VIEWERS_MAX)
        self.assertEqual(set(statuses.values()), {200, 503})

    def test_a_viewer_that_stops_reading_holds_nobody_up(self):
        with self.live(rate=50) as station:
            stuck = []
            for path in ("/video", "/updates") * 4:
                peer = socket.socket()
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                peer.connect(("127.0.0.1", station.port))
                peer.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                stuck.append(peer)
            with station.get("/updates") as reply:
                stream = updates(reply)
                seen = [update["image"]["sequence"] for update, _ in (next(stream) for _ in range(10)) if "image" in update]
            self.assertGreater(len(set(seen)), 5)
            self.assert_judged_to_the_end(station, 150)
            for peer in stuck:
                peer.close()

    def test_garbage_and_silence_hold_nobody_up(self):
        handshake = (b"GET /updates HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        huge_frame = b"\x82\xff\x7f" + b"\xff" * 7 + b"mask" + b"x" * 100000
        payloads = [b"\x00\xff" * 50000, b"GET", b"\r\n" * 1000, b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 200000,
                    b"GET /%zz%00%ff HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"A: b\r\n" * 20000,
                    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\n" + b"x" * 10000,
                    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
                    b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
                    handshake + huge_frame, handshake + b"\x0f\x00" * 1000, b""]
        with self.live(rate=50) as station:
            peers = []
            for payload in payloads * 3:
                peers.append(socket.create_connection(("127.0.0.1", station.port), timeout=120))
                with contextlib.suppress(OSError):
                    peers[-1].sendall(payload)
            with station.get("/updates") as reply:
                stream = updates(reply)
                seen = {update["image"]["sequence"] for update, _ in (next(stream) for _ in range(10)) if "image" in update}
            self.assertGreater(len(seen), 3)
            self.assert_judged_to_the_end(station, 150)
            for peer in peers:
                peer.close()

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
