#!/usr/bin/python3
"""pov init as programs see it: at the terminal by options and standard input, and its page's requests: what it answers, refuses, keeps
secret and leaves alone. The simulated lab stands in for camera and table."""
import json
import os
import pathlib
import stat
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

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

    def test_other_pages_cannot_post_and_nonsense_changes_nothing(self):
        with Page("table.yaml", cwd=self.folder) as page:
            page.wait_for(lambda: page.state())
            for nonce in "x", "0" * 32:
                with self.assertRaises(urllib.error.HTTPError) as refused:
                    page.post('{"do": "skip", "step": "camera"}', nonce)
                self.assertEqual(refused.exception.code, 403)
            before = page.state()
            for line in "", "{", "[]", "1", '{"do": "fly"}', '{"do": "apply"}', '{"do": "go", "step": "moon"}', '{"do": "remove"}', '{"do": 3}':
                page.post(line)
            page.post('{"do": "apply", "step": "camera", "answers": {"source": ["practice"]}}')
            page.wait_for(lambda: page.verdict("camera")["state"] == "bad") # all before it were taken
            self.assertEqual({**page.state(), "steps": []}, {**before, "steps": []})
        self.assertEqual(page.code, 1)
        self.assertIn("cannot 'fly'", page.told)
        self.assertFalse((self.folder / "table.yaml").exists())

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
