#!/usr/bin/python3
"""What a sweep or a comparison cannot do as it was asked, it refuses or says; no question is asked in vain."""
import http.server
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from sweep_peer import station as drawn_station  # noqa: E402

POV = os.environ["POV"]


class Counting(http.server.BaseHTTPRequestHandler):
    asked = 0

    def do_POST(self):
        type(self).asked += 1
        body = b'{"choices": [{"message": {"role": "assistant", "content": "Yes"}}]}'
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def pov(*arguments, code):
    done = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=250)
    assert done.returncode == code, (arguments, done)
    return done.stderr


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Counting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    with tempfile.TemporaryDirectory(prefix="pov-refusals-") as name:
        where = pathlib.Path(name)
        pov("sim", "comfort-ball", "--images", "2", "--quiet", "--out", where / "world", code=0)
        station = where / "world" / "station.yaml"
        assert "without --angles" in pov("sweep", station, "--out", where / "a", "--adaptive", 6, "--angles", 12, "--vlm", url, code=2)
        said = pov("sweep", station, "--out", where / "b", "--system", "vlm,none", "--vlm", url, "--model", "m", code=1)
        assert "asked twice" in said and not (where / "b").exists() and Counting.asked == 0, said
        for command in (["sweep", station, "--out", where / "b"], ["run", station, "--no-publish"], ["compare", where]):
            assert "leave the option out" in pov(*command, "--vlm", url, "--model", "", code=2)
            assert "leave the option out" in pov(*command, "--vlm", " ", code=2)
        for wrong in ("a,,b", ",a", "a,"):
            assert "part of the list is empty" in pov("run", station, "--no-publish", "--vlm", url, "--model", wrong, code=1), wrong
        assert not (where / "b").exists() and Counting.asked == 0
        (where / "published").mkdir()
        drawn = drawn_station(where)
        said = pov("sweep", drawn, "--out", where / "c", "--angles", 7, "--quiet", code=0)
        assert "6 of 7 stops lie between" in said, said
        assert "lie between" not in pov("sweep", drawn, "--out", where / "d", "--angles", 3, "--quiet", code=0)
        # A log that was heard has no images: a model would be asked about nothing.
        wire, heard = f"ipc://{where}/wire", where / "heard"
        published = drawn_station(where / "published", publish=f"{{endpoint: '{wire}'}}")
        listener = subprocess.Popen([POV, "listen", "--connect", wire, "--topic", "vlm", "--log", heard, "--timeout", "20"],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pov("sweep", published, "--out", where / "f", "--angles", 3, "--quiet", "--vlm", url, "--model", "first", code=0)
        listener.wait(120)
        asked = Counting.asked
        assert asked > 0
        said = pov("compare", heard, "--vlm", url, "--model", "second", code=1)
        assert "holds no images" in said and Counting.asked == asked, (said, Counting.asked)
        same = where / "same.yaml"
        same.write_text(f"vlm: {{endpoints: [{{url: '{url}', model: m}}]}}\n")
        said = pov("run", drawn, "--count", 1, "--no-publish", "--quiet", "--vlm", f"{same},{same}", "--log", where / "e", code=1)
        assert "asked twice with the same settings" in said, said


if __name__ == "__main__":
    main()
