#!/usr/bin/python3
"""A network camera: an RTSP server on loopback that wants a password, dies by kill -9, and comes back at the same port.

Judged images, their numbers and times are read as a robot would; the password must be in nothing that is written.
"""
import base64
import contextlib
import http.server
import itertools
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

try:
    import gi
    gi.require_version("GstRtspServer", "1.0")
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst, GstRtspServer
except (ImportError, ValueError):
    print("skipped: needs python3-gi and gir1.2-gst-rtsp-server-1.0")
    sys.exit(77)

POV = os.environ.get("POV")
USER, PASSWORD = "anna", "s3cret-word"


def serve(port):
    """Serves until killed; prints a line when it listens."""
    Gst.init(None)
    server = GstRtspServer.RTSPServer(address="127.0.0.1", service=port)
    factory = GstRtspServer.RTSPMediaFactory(shared=True)
    factory.set_launch("( videotestsrc is-live=true pattern=ball foreground-color=0xffff0000 ! video/x-raw,format=I420,width=320,height=240,"
                       "framerate=15/1 ! jpegenc quality=90 ! rtpjpegpay name=pay0 pt=26 )")
    authority, token = GstRtspServer.RTSPAuth(), GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", USER)
    authority.add_basic(GstRtspServer.RTSPAuth.make_basic(USER, PASSWORD), token)
    factory.add_role_from_structure(Gst.Structure.from_string(
        f"{USER}, media.factory.access=(boolean)true, media.factory.construct=(boolean)true")[0])
    server.set_auth(authority)
    server.get_mount_points().add_factory("/live", factory)
    assert server.attach(None) > 0
    print(server.get_bound_port(), flush=True)
    GLib.MainLoop().run()


FLOODED = threading.Event()


def flood(server, head):
    """Answers one request without end, until the client goes; tells when megabytes have gone."""
    client = server.accept()[0]
    with client, contextlib.suppress(OSError):
        client.recv(4096)
        client.sendall(b"RTSP/1.0 200 OK\r\nCSeq: 1\r\n" + head)
        for sent in itertools.count():
            client.sendall(b"X-More: " + bytes([97]) * 60000 + b"\r\n")
            if sent == 100:
                FLOODED.set()


class Redirector(threading.Thread):
    """Sends each client on to an address; there, or at any address if there is none, it wants a password. Keeps all requests."""

    def __init__(self, to=None):
        super().__init__(daemon=True)
        self.door, self.to, self.heard = socket.create_server(("127.0.0.1", 0)), to, b""
        self.port = self.door.getsockname()[1]

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.door.accept()[0]
                with client, contextlib.suppress(OSError):
                    self.serve(client)

    def serve(self, client):
        for line in client.makefile("rb"):
            self.heard += line
            if line.startswith((b"OPTIONS", b"DESCRIBE")):
                to = self.to and self.to.format(port=self.port)
                answer = (b"200 OK\r\nPublic: OPTIONS, DESCRIBE, SETUP, PLAY" if line.startswith(b"OPTIONS") and to else
                          b"302 Moved\r\nLocation: " + to.encode() if to and to.encode() not in line else
                          b'401 Unauthorized\r\nWWW-Authenticate: Basic realm="there"')
            elif line.startswith(b"CSeq"):
                number = line
            elif line == b"\r\n":
                client.sendall(b"RTSP/1.0 " + answer + b"\r\n" + number + b"\r\n")


def start_web(heard, to=None):
    """Wants a password; sends who has one on to an address, if there is any. Keeps the passwords it got. Returns its port."""
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            given = self.headers.get("Authorization")
            heard.append(given)
            self.send_response(302 if to and given else 401)
            self.send_header("WWW-Authenticate", 'Basic realm="there"')
            self.send_header("Content-Length", "0")
            if to:
                self.send_header("Location", to)
            self.end_headers()

        def log_message(self, *_):
            pass

    web = http.server.HTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    return web.server_address[1]


class NetworkCamera(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.station = pathlib.Path(self.folder.name) / "station.yaml"
        self.server = self.pov = None
        self.addCleanup(self.clean_up)

    def clean_up(self):
        for process in filter(None, (self.server, self.pov)):
            process.kill()
            process.wait()
            process.stdout.close()

    def start_server(self, port="0"):
        self.server = subprocess.Popen([sys.executable, __file__, "serve", port], stdout=subprocess.PIPE, text=True)
        line = self.server.stdout.readline()
        if not line:
            self.skipTest("the server does not start")
        return int(line)

    def kill_server(self):
        self.server.send_signal(signal.SIGKILL)
        self.server.wait()
        self.server.stdout.close()

    def start_pov(self, port, password, *options):
        self.station.write_text(f"""camera: {{source: rtsp, url: "rtsp://{USER}:{password}@127.0.0.1:{port}/live?key=hidden", field_of_view_deg: 60}}
cast: [{{id: ball, class: ball, found_by: ball, ball: {{color: red, radius_m: 0.05}}}}]
""")
        self.pov = subprocess.Popen([POV, "run", self.station, "--json", "--no-publish", *options], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
        self.told = []
        self.news = threading.Event()

        def hear():
            for line in self.pov.stderr:
                self.told.append(line)
                self.news.set()
        self.hearing = threading.Thread(target=hear, daemon=True)
        self.hearing.start()

    def end_pov(self, expected):
        self.pov.send_signal(signal.SIGINT)
        return self.finish(expected)

    def finish(self, expected):
        rest = self.pov.stdout.read()
        self.hearing.join()
        self.pov.stdout.close()
        self.pov.stderr.close()
        self.assertEqual(self.pov.wait(), expected, self.told)
        return rest + "".join(self.told)

    def wait_for(self, words):
        while not any(words in line for line in self.told):
            self.assertTrue(self.news.wait(120), "".join(self.told))
            self.news.clear()

    def image(self):
        line = self.pov.stdout.readline()
        self.assertTrue(line, "".join(self.told))
        return json.loads(line)["image"]

    def test_a_server_that_dies_and_comes_back(self):
        port = self.start_server()
        self.start_pov(port, PASSWORD)
        first = self.image()
        self.assertEqual((first["width_px"], first["height_px"]), (320, 240))
        self.assertIn(f"rtsp://127.0.0.1:{port}/live ", first["name"])
        self.kill_server()
        self.wait_for("waiting for it to come back")
        self.start_server(str(port))
        self.wait_for("is back")
        while (again := self.image())["capture_ns"] < first["capture_ns"] or again["sequence"] == first["sequence"]:
            pass
        self.assertGreater(again["sequence"], first["sequence"])
        all_told = self.end_pov(0)
        self.assertNotIn(PASSWORD, all_told)
        self.assertNotIn(USER, all_told)
        self.assertNotIn("hidden", all_told)

    def test_a_wrong_password_and_no_server_are_told_without_it(self):
        port = self.start_server()
        for server_runs in True, False:
            self.start_pov(port, "wrong-word")
            told = self.finish(1)
            self.assertIn(f"rtsp://127.0.0.1:{port}/live", told)
            self.assertNotIn("wrong-word", told)
            if server_runs:
                self.kill_server()

    def test_an_answer_without_end_holds_nobody_up(self):
        for head in b"", b"Content-Length: 4000000000\r\n\r\n":
            with socket.create_server(("127.0.0.1", 0)) as server:
                flooding = threading.Thread(target=flood, args=(server, head), daemon=True)
                flooding.start()
                self.station.write_text(f"camera: {{source: rtsp, url: 'rtsp://127.0.0.1:{server.getsockname()[1]}/live', field_of_view_deg: 60}}\n"
                                        "cast: [{id: ball, class: ball, found_by: ball, ball: {color: red, radius_m: 0.05}}]\n")
                self.pov = subprocess.Popen([POV, "run", self.station, "--no-publish", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                FLOODED.wait()
                FLOODED.clear()
                self.pov.terminate()
                _, said = self.pov.communicate(timeout=120)  # it waited for ever
                self.assertEqual((self.pov.returncode, b"stopped" in said), (1, True), said)
                flooding.join()

    def test_a_server_that_is_redirected_to_gets_no_password(self):
        secret = base64.b64encode(f"{USER}:{PASSWORD}".encode())
        stranger = Redirector()
        stranger.start()
        for user in "", "127.0.0.1:{port}@":  # the second begins as the camera's own address does
            camera = Redirector(f"rtsp://{user}127.0.0.1:{stranger.port}/live")
            stranger.heard = b""
            camera.start()
            self.start_pov(camera.port, PASSWORD)
            told = self.finish(1)
            self.assertIn(b"DESCRIBE", camera.heard)
            self.assertNotIn(secret, stranger.heard)
            self.assertIn(f"127.0.0.1:{stranger.port}/live, another server, which does not get its password", told)
            self.assertNotIn(PASSWORD, told)

    def test_a_pipeline_over_http_gives_its_password_to_no_other_server(self):
        camera, stranger = [], []
        port = start_web(camera, f"http://127.0.0.1:{start_web(stranger)}/live")
        self.station.write_text(f"""camera: {{source: gstreamer, pipeline: "souphttpsrc location=http://127.0.0.1:{port}/live user-id={USER} user-pw={PASSWORD}",
  field_of_view_deg: 60}}
cast: [{{id: ball, class: ball, found_by: ball, ball: {{color: red, radius_m: 0.05}}}}]
""")
        run = subprocess.run([POV, "run", self.station, "--no-publish"], capture_output=True, text=True)
        if "GStreamer has no element" in run.stderr:
            self.skipTest(run.stderr)
        self.assertEqual(run.returncode, 1)
        self.assertIn("Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode(), camera)
        self.assertEqual([password for password in stranger if password], [])

    def test_another_path_of_the_same_server_gets_the_password(self):
        camera = Redirector("rtsp://127.0.0.1:{port}/other")
        camera.start()
        self.start_pov(camera.port, PASSWORD)
        self.finish(1)
        self.assertRegex(camera.heard, rb"DESCRIBE rtsp://127.0.0.1:\d+/other")
        self.assertIn(base64.b64encode(f"{USER}:{PASSWORD}".encode()), camera.heard)

    def test_recordings_hold_the_station_without_the_password(self):
        port = self.start_server()
        record = pathlib.Path(self.folder.name) / "there.mcap"
        self.start_pov(port, PASSWORD, "--record", str(record), "--count", "2")
        self.finish(0)
        bytes_written = record.read_bytes()
        self.assertNotIn(PASSWORD.encode(), bytes_written)
        self.assertIn(b"rtsp://***@127.0.0.1", bytes_written)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(sys.argv[2])
    else:
        unittest.main()
