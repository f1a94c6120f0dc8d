#!/usr/bin/python3
"""pov init as programs see it: at the terminal by options and standard input, and its page's requests: what it answers, refuses, keeps
secret and leaves alone. The simulated lab stands in for camera and table."""
import base64
import glob
import http.server
import json
import math
import os
import pathlib
import socket
import stat
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

import cv2
import numpy as np

POV = os.environ["POV"]
PRACTICE = ["--answer", "camera.source=practice", "--answer", "lens.how=guess"]
THINGS = ["--thing", "id=car,at=320 233,size_mm=160x70x50,front_deg=270", "--thing", "id=ball,found_by=ball,at=328 386"]


class Page:
    """A set-up with its page; use it in a with statement."""

    def __init__(self, *arguments, cwd):
        self.process = subprocess.Popen([POV, "init", *arguments, "--dashboard", "0"], cwd=cwd, text=True, stderr=subprocess.PIPE)
        self.url = self.process.stderr.readline().split()[1].replace("setup.html", "")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.told = self.process.stderr.read()
        self.process.stderr.close()
        self.code = self.process.wait(300)

    def get(self, name):
        with urllib.request.urlopen(self.url + name) as reply:
            return reply.read().decode()

    def state(self):
        return json.loads(self.get("study"))["state"]

    def post(self, line, nonce=None):
        nonce = nonce or json.loads(self.get("study"))["nonce"]
        return urllib.request.urlopen(self.url + "study", data=f"{nonce} {line}".encode()).status

    def verdict(self, step):
        return next(one for one in self.state()["steps"] if one["name"] == step)

    def wait_for(self, what, seconds=300):
        end = time.monotonic() + seconds
        while not (value := what()):
            if time.monotonic() > end:
                raise TimeoutError(self.state())
            time.sleep(0.05)
        return value

    def take(self, step, **answers):
        """The verdict that follows."""
        before = self.verdict(step)
        self.post(json.dumps({"do": "apply", "step": step, "answers": answers}))
        self.wait_for(lambda: (after := self.verdict(step)) != before and after["state"] != "open" and not self.state()["busy"])
        return self.verdict(step)


class Refusing(http.server.ThreadingHTTPServer):
    """A model's server that knows no key and one model; use it in a with statement."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            model = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["model"]
            self.server.asked += 1
            status, words = (401, "no such key") if model == "locked" else (404, f"no model {model}")
            body = json.dumps({"error": {"message": words}}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.asked = 0
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Terminal(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="pov-init-")
        self.folder = pathlib.Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def init(self, *arguments, words=""):
        return subprocess.run([POV, "init", *arguments], cwd=self.folder, input=words, text=True, capture_output=True)

    def test_answers_of_the_command_line_make_a_station_that_runs(self):
        done = self.init("table.yaml", "--presets", *PRACTICE, *THINGS, "--person", "id=anna,at=72 180,size_mm=50x60x200,front=320 240")
        self.assertEqual(done.returncode, 0, done.stderr)
        run = subprocess.run([POV, "run", "table.yaml", "--count", "1", "--no-publish", "--json"], cwd=self.folder, capture_output=True, text=True, check=True)
        places = {one["id"]: one["pos_m"] for one in json.loads(run.stdout)["scene"]["entities"]}
        for name, (x, y) in {"car": (0, 0), "ball": (0.25, 0), "anna": (0, -0.33)}.items(): # the world's own file
            self.assertAlmostEqual(places[name][0], x, delta=0.03)
            self.assertAlmostEqual(places[name][1], y, delta=0.03)
        self.assertTrue((self.folder / "sheet.pdf").read_bytes().startswith(b"%PDF"))

    def test_standard_input_answers_as_well_and_at_its_end_what_is_usual_holds(self):
        words = "practice\nguess\n70\nnone\nnone\ncup\n\ntag\n\n12\n30\n\n\n"
        done = self.init("table.yaml", "--terminal", words=words)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "table.yaml").read_text()
        self.assertIn("field_of_view_deg: 70", text)
        self.assertIn("- id: cup", text)
        self.assertIn("id: 12", text)

    def test_an_error_names_the_step_and_nothing_is_written(self):
        for arguments, named in [([*PRACTICE, "--thing", "id=car"], "things: at: click the middle of 'car'"),
                                 (["--answer", "camera.source=folder", "--answer", "camera.path=nowhere"], "camera: "),
                                 (["--answer", "camera.source=practice", "--answer", "lens.how=file", "--answer", "lens.file=none.yaml"], "lens: "),
                                 ([*PRACTICE, "--answer", "vlm.how=server", "--answer", "vlm.url=http://127.0.0.1:1/v1", "--answer", "vlm.model=m"], "vlm: ")]:
            done = self.init("table.yaml", "--presets", *arguments)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"pov: {named}", done.stderr)
            self.assertFalse((self.folder / "table.yaml").exists())

    def test_places_that_cannot_be_used_are_named_with_a_remedy(self):
        (self.folder / "file").write_text("")
        (self.folder / "folder").mkdir()
        cases = [(["nowhere/t.yaml", "--presets"], "there is no folder 'nowhere'; make it"), (["file/t.yaml", "--presets"], "'file' is a file and no folder"),
                 (["folder", "--presets"], "is a folder; name a station file"), (["/proc/t.yaml", "--presets"], "nothing can be written in the folder '/proc'"),
                 (["t.yaml", "--dashboard", "203.0.113.7:0"], "no network interface of this machine")]
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            cases.append((["t.yaml", "--dashboard", str(taken.getsockname()[1])], "another program listens there; take another port"))
            if not glob.glob("/dev/video*"):
                cases.append((["t.yaml", "--presets"], "choose the simulated lab"))
            for arguments, named in cases:
                if named.startswith("nothing") and os.access("/proc", os.W_OK):
                    continue
                done = self.init(*arguments)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(named, done.stderr)

    def test_a_simulated_turntable_is_measured_and_a_duck_enrolled_on_it(self):
        subprocess.run([POV, "sim", "lab", "--images", "1", "--quiet", "--out", "lab"], cwd=self.folder, check=True) # its lens, exactly
        line = self.folder / "line"
        controller = subprocess.Popen([POV, "turntable", "simulate", "--link", line, "--start", "350", "--set", "110=10800", "--set", "120=720"],
                                      stdout=subprocess.DEVNULL)
        try:
            while not line.exists():
                time.sleep(0.05)
            done = self.init("table.yaml", "--presets", "--answer", "camera.source=practice", "--answer", "lens.how=file", "--answer", "lens.file=lab/camera.yaml",
                             "--answer", "turntable.how=motor", "--answer", f"turntable.device={line}", "--answer", "turntable.stops=6",
                             "--thing", "id=duck,class=rubber duck,found_by=turn,views=8")
        finally:
            controller.terminate()
            controller.wait(300)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = next(one for one in done.stderr.splitlines() if one.startswith("✓ turntable"))
        x, y = (float(word) for word in told.split("stands at ")[1].split(" m")[0].split(", "))
        self.assertLess(math.hypot(x, y - 0.28), 0.002) # the world's file
        self.assertIn("8 tags on the disc", told)
        self.assertLess(float(told.split("fit to ")[1].split(" px")[0]), 0.3)
        self.assertLess(abs(float(told.split("told against seen: ")[1].split("°")[0])), 0.1) # the motor went where it was told
        self.assertIn("Enrolled from 8 sides", done.stderr)
        text = (self.folder / "table.yaml").read_text()
        self.assertIn(f'device: "{line}"', text)
        self.assertIn('calibration: "turntable.yaml"', text)
        self.assertFalse((self.folder / "draft.yaml").exists())
        run = subprocess.run([POV, "run", "table.yaml", "--count", "1", "--no-publish", "--json"], cwd=self.folder, capture_output=True, text=True, check=True)
        duck = next(one for one in json.loads(run.stdout)["scene"]["entities"] if one["id"] == "duck")
        self.assertLess(math.hypot(duck["pos_m"][0] - 0.18, duck["pos_m"][1] - 0.30), 0.01) # the world's file
        self.assertLess(abs(math.remainder(math.degrees(duck["heading_rad"]) - 300, 360)), 5)

    def test_what_cannot_turn_or_be_measured_is_named(self):
        lens = ["--answer", "camera.source=practice", "--answer", "lens.how=guess"]
        for arguments, named in [(["--answer", "turntable.how=hand"], "turntable: a turntable is measured through a measured lens"),
                                 (["--thing", "id=duck,found_by=turn"], "things: tags on a measured turntable tell its turn"),
                                 (["--answer", "tags.how=none", "--answer", "turntable.how=hand"], "turntable: nothing tells where the table is")]:
            done = self.init("table.yaml", "--presets", *lens, *arguments)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"pov: {named}", done.stderr)
        subprocess.run([POV, "sim", "lab", "--images", "1", "--quiet", "--out", "lab"], cwd=self.folder, check=True)
        done = self.init("table.yaml", "--presets", "--answer", "camera.source=practice", "--answer", "lens.how=file", "--answer", "lens.file=lab/camera.yaml",
                         "--answer", "turntable.how=motor", "--answer", "turntable.device=/dev/no_such_motor")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("/dev/no_such_motor", done.stderr)

    def test_wrong_usage(self):
        for arguments, named in [(["--answer", "lens"], "STEP.NAME=VALUE"), (["--answer", "lense.how=file"], "no step 'lense'"),
                                 (["--answer", "lens.how=magic"], "how takes one of"), (["--thing", "colour=red"], "things has no 'colour'"),
                                 (["--terminal", "--dashboard", "0"], "excludes"), (["a.yaml", "b.yaml"], "one station file")]:
            done = self.init(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(named, done.stderr)

    def test_an_existing_file_is_edited_only_when_asked_and_keeps_its_comments(self):
        self.assertEqual(self.init("table.yaml", "--presets", *PRACTICE, *THINGS).returncode, 0)
        station = self.folder / "table.yaml"
        mine = "# mine\n" + station.read_text().replace("found_by: ball", "found_by: ball # by its colour")
        station.write_text(mine)
        refused = self.init("table.yaml", "--presets", "--answer", "lens.field_of_view_deg=61", "--answer", "lens.how=guess")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("write: table.yaml exists", refused.stderr)
        self.assertEqual(station.read_text(), mine)
        done = self.init("table.yaml", "--presets", "--answer", "lens.how=guess", "--answer", "lens.field_of_view_deg=61", "--answer", "write.overwrite=yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(station.read_text(), mine.replace("field_of_view_deg: 60", "field_of_view_deg: 61"))

    def test_a_file_that_is_no_station_is_left_alone(self):
        (self.folder / "table.yaml").write_text("camera: [\n")
        done = self.init("table.yaml", "--presets", *PRACTICE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("table.yaml:", done.stderr)
        self.assertEqual((self.folder / "table.yaml").read_text(), "camera: [\n")


class Requests(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="pov-init-")
        self.folder = pathlib.Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def test_steps_are_taken_and_told(self):
        with Page("table.yaml", cwd=self.folder) as page:
            page.wait_for(lambda: page.state())
            self.assertEqual(page.state()["at"], "camera")
            self.assertEqual(page.take("lens", how="guess")["state"], "bad") # before the camera
            self.assertIn("step 'camera'", page.verdict("lens")["words"])
            self.assertEqual(page.take("camera", source="practice")["state"], "good")
            page.wait_for(lambda: "640 × 480" in page.state()["live"])
            self.assertIn("1° at 1 m: no", page.take("lens", how="guess")["words"])
            self.assertEqual(page.take("camera", source="webcam")["state"], "bad")
            self.assertEqual(page.take("tags", how="sheet")["state"], "good")
            page.wait_for(lambda: "tags that fit" in page.state()["live"])
            self.assertEqual(page.take("things", id="ball", found_by="ball", at="328 386")["state"], "good")
            page.wait_for(lambda: page.state()["cast"] and page.state()["cast"][0]["found"])
            page.post(json.dumps({"do": "remove", "id": "ball"}))
            page.wait_for(lambda: not page.state()["cast"])
            self.assertEqual(page.take("run", how="sweep")["state"], "bad") # nothing is written yet
            self.assertEqual(page.take("write")["state"], "good")
            page.post(json.dumps({"do": "apply", "step": "run", "answers": {"how": "end"}}))
            self.assertEqual(page.process.wait(300), 0)
        self.assertEqual(subprocess.run([POV, "run", "table.yaml", "--check"], cwd=self.folder, capture_output=True).returncode, 0)

    def apply(self, page, step, **answers):
        page.post(json.dumps({"do": "apply", "step": step, "answers": answers}))

    def test_steps_say_what_they_lack(self):
        with Page("lacking.yaml", cwd=self.folder) as page:
            page.wait_for(lambda: page.state())
            self.assertEqual({one["name"]: "camera" in (one.get("lacks") or "") for one in page.state()["steps"]},
                             {one["name"]: one["name"] != "camera" for one in page.state()["steps"]})
            self.apply(page, "camera", source="practice")
            page.wait_for(lambda: page.verdict("camera")["state"] == "good")
            self.assertFalse([one for one in page.state()["steps"] if one.get("lacks")])

    def test_a_board_of_another_kind_is_named_from_what_is_seen(self):
        """The simulated lab shows an AprilGrid."""
        with Page("other_board.yaml", cwd=self.folder) as page:
            page.wait_for(lambda: page.state())
            self.apply(page, "camera", source="practice")
            page.wait_for(lambda: page.verdict("camera")["state"] == "good")
            self.apply(page, "lens", how="board", board="charuco:7x9:25mm:18.75mm:4X4_1000")
            page.wait_for(lambda: "AprilTags are seen, but no charuco board" in page.state()["live"], 60)

    def test_another_source_begins_the_lens_again(self):
        with Page("other_source.yaml", cwd=self.folder) as page:
            def board():
                page.post(json.dumps({"do": "go", "step": "lens"}))
                page.wait_for(lambda: page.state()["at"] == "lens")
                return next(field["value"] for field in page.state()["fields"] if field["name"] == "board")
            page.wait_for(lambda: page.state())
            self.apply(page, "camera", source="practice")
            page.wait_for(lambda: page.verdict("camera")["state"] == "good")
            self.assertTrue(board().startswith("aprilgrid:"))
            self.apply(page, "lens", how="guess", field_of_view_deg="60")
            page.wait_for(lambda: page.verdict("lens")["state"] != "open", 30)
            self.apply(page, "camera", source="simulator", world="comfort-car")
            page.wait_for(lambda: page.verdict("lens")["state"] == "open", 30)
            self.assertTrue(board().startswith("charuco:"))

    def test_other_pages_cannot_post_and_nonsense_changes_nothing(self):
        with Page("table.yaml", cwd=self.folder) as page:
            page.wait_for(lambda: page.state() and page.state()["cameras"] and page.state()["cameras"][-1].get("picture"))
            lab = page.state()["cameras"][-1]
            self.assertEqual(lab["source"], "practice")
            seen = cv2.imdecode(np.frombuffer(base64.b64decode(lab["picture"].removeprefix("data:image/jpeg;base64,")), np.uint8), cv2.IMREAD_COLOR)
            self.assertEqual(max(seen.shape), 240)
            self.assertGreater(np.ptp(seen), 100) # it shows things
            for nonce in "x", "0" * 32:
                with self.assertRaises(urllib.error.HTTPError) as refused:
                    page.post('{"do": "skip", "step": "camera"}', nonce)
                self.assertEqual(refused.exception.code, 403)
            before = page.state()
            for line in "", "{", "[]", "1", '{"do": "fly"}', '{"do": "apply"}', '{"do": "go", "step": "moon"}', '{"do": "remove"}', '{"do": 3}':
                page.post(line)
            page.post('{"do": "apply", "step": "camera", "answers": {"source": ["practice"]}}')
            page.wait_for(lambda: page.verdict("camera")["state"] == "bad") # all before it were taken
            self.assertEqual({**page.state(), "steps": [], "cameras": []}, {**before, "steps": [], "cameras": []})
        self.assertEqual(page.code, 1)
        self.assertIn("cannot 'fly'", page.told)
        self.assertFalse((self.folder / "table.yaml").exists())

    def test_prints_are_served_as_they_were_written(self):
        with Page("table.yaml", cwd=self.folder) as page:
            page.wait_for(lambda: page.state())
            page.take("camera", source="practice")
            for step, answers, name in [("lens", {"how": "print", "board": "charuco:7x9:25mm:18.75mm:4X4_1000"}, "board.pdf"), ("tags", {"how": "sheet"}, "sheet.pdf"),
                                        ("turntable", {"how": "ring"}, "ring.pdf")]:
                page.post(json.dumps({"do": "apply", "step": step, "answers": answers}))
                page.wait_for(lambda: page.state()["at"] == step and page.state()["print"] == name)
                with urllib.request.urlopen(page.url + "print.pdf") as reply:
                    self.assertEqual(reply.headers["Content-Type"], "application/pdf")
                    self.assertEqual(reply.read(), (self.folder / name).read_bytes())
                self.assertTrue((self.folder / name).read_bytes().startswith(b"%PDF"))
            self.assertEqual({one["name"]: one["value"] for one in page.state()["fields"]}["ring"], "ring.yaml")
            page.post(json.dumps({"do": "go", "step": "person"}))
            page.wait_for(lambda: page.state()["at"] == "person")
            with self.assertRaises(urllib.error.HTTPError) as refused:
                page.get("print.pdf")
            self.assertEqual(refused.exception.code, 404)

    def test_a_model_is_asked_and_its_reply_or_what_is_wrong_is_told(self):
        subprocess.run([POV, "vlm", "check", "--save", "probes", "--only-save"], cwd=self.folder, check=True)
        sim = subprocess.Popen([POV, "vlm-sim", "--truth", "probes", "--json"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        url = json.loads(sim.stdout.readline())["url"]
        secure = subprocess.Popen([POV, "init", "other.yaml", "--dashboard", "0.0.0.0:0"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        port = secure.stderr.readline().split()[1].split(":")[2].split("/")[0] # it has a certificate of its own
        with Refusing() as server, Page("table.yaml", cwd=self.folder) as page:
            page.wait_for(lambda: page.state())
            page.take("camera", source="practice")
            page.take("lens", how="guess")
            page.take("tags", how="sheet")
            ask = lambda where, model="m", key="sesame": page.take("vlm", how="server", url=where, model=model, key=key)
            for where, model, words in [(server.url, "locked", "HTTP status 401 (is the API key right?): the server says: no such key"),
                                        (server.url, "absent", "404 (are the URL and the model's name right?): the server says: no model absent"),
                                        ("http://127.0.0.1:1/v1", "m", "does the server run, and listen at this port?"),
                                        (url.replace("http:", "https:"), "m", "is it https, or http"),
                                        (f"https://127.0.0.1:{port}/v1", "m", "its certificate is not trusted here"),
                                        ("http://no.such.host.invalid/v1", "m", "is the host's name right?")]:
                told = ask(where, model)
                self.assertEqual(told["state"], "bad", told)
                self.assertIn(words, told["words"])
            self.assertEqual(server.asked, 2) # one question each: no second one after such a refusal
            told = ask(url)
            self.assertEqual(told["state"], "good", told)
            self.assertIn("Is there a red circle in the image? Answer yes or no.' it replies 'Yes', and it looks at the image", told["words"])
            self.assertNotIn("sesame", page.get("study"))
        for one in sim, secure:
            one.terminate()
            one.wait(300)
        sim.stdout.close()
        secure.stderr.close()

    def test_a_key_is_kept_for_its_owner_and_never_told(self):
        with Page("table.yaml", cwd=self.folder) as page:
            page.wait_for(lambda: page.state())
            page.take("camera", source="practice")
            self.assertEqual(page.take("vlm", how="server", url="http://127.0.0.1:1/v1", model="m", key="sesame-7")["state"], "bad")
            self.assertNotIn("sesame", page.get("study"))
        key = self.folder / "vlm.key"
        self.assertEqual(key.read_text(), "sesame-7")
        self.assertEqual(stat.S_IMODE(key.stat().st_mode), 0o600)
        self.assertNotIn("sesame", page.told)


if __name__ == "__main__":
    unittest.main()
