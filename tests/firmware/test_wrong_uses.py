#!/usr/bin/python3
"""Wrong uses of every command, as people type them: each ends with 1 or 2, in time, and its last line says what, where, and what to type
or do next. A row of the table is a command line, its exit code, and words that its message must have."""
import os
import pathlib
import subprocess
import tempfile
import unittest

POV = os.environ["POV"]
USES = [
    # commands and options that are not there
    ("rnu", 2, ["'rnu'", "did you mean 'run'?"]), ("run", 2, ["one station file", "--help"]),
    ("run ok/station.yaml --dashbord 80", 2, ["'--dashbord'", "did you mean '--dashboard'?"]),
    ("run ok/station.yaml --rate fast", 2, ["--rate", "from 0.001 to 1000", "'fast'"]),
    ("run ok/station.yaml --dashboard 80000", 2, ["--dashboard", "port", "'80000'"]),
    ("cameras extra", 2, ["'extra'", "--help"]), ("demo extra", 2, ["'extra'", "--help"]),
    ("merge", 2, ["new folder", "--help"]), ("score", 2, ["file of answers", "--help"]), ("tags", 2, ["sheet, ring, cube or board", "--help"]),
    ("ask", 2, ["pov ask kitchen.yaml"]), ("export ok", 2, ["--csv DIR", "--help"]),
    ("experiment none.yaml", 2, ["'none.yaml'", "pov experiment --help"]), ("listen tcp://nowhere", 2, ["--connect tcp://robot:5570"]),
    ("calib camera", 2, ["--images DIR", "--camera ID"]), ("sweep ok/station.yaml", 2, ["--out RUN_DIR"]),
    ("sweep ok/station.yaml --out x --questions chess", 2, ["--questions", "vsr", "'chess'"]),
    ("report ok --paper chess", 2, ["--paper", "comfort", "'chess'"]),
    ("init new.yaml --answer camera.source=webcam", 2, ["source", "libcamera", "practice", "'webcam'"]),
    # files that are not there
    *[(f"{command} none.{end}", 1, [f"none.{end}", words]) for command, end, words in (
        ("run", "yaml", "YAML file"), ("judge", "json", "YAML file"), ("score", "csv", "file of answers"), ("vlm check", "yaml", "YAML file"),
        ("model check", "onnx", "ONNX model"), ("replay", "mcap", "No such file"), ("report", "csv", "file of answers"))],
    ("sweep none.yaml --out x", 1, ["none.yaml", "YAML file"]), ("compare none", 1, ["none", "'pov sweep' makes it"]),
    ("sim nowhere", 1, ["'nowhere'", "comfort-car"]),
    # files that are something else, or damaged
    ("run broken.yaml", 1, ["broken.yaml:2", "brackets"]), ("run wrong_key.yaml", 1, ["wrong_key.yaml:2", '"camrea"', 'did you mean "camera"?']),
    ("run no_lens.yaml", 1, ["nolens.yaml", "calibration"]), ("run ok", 1, ["is a folder", "YAML file"]),
    ("judge notes.txt", 1, ["notes.txt:1", '"key: value"']), ("report notes.txt", 1, ["has no answers", "'pov sweep'"]),
    ("report odd.csv", 1, ["has no answers", "'pov sweep'"]), ("info notes.txt", 1, ["is not a recording", "--record FILE.mcap"]),
    ("replay empty.mcap", 1, ["0 bytes", "--record FILE.mcap"]), ("vlm check ok/station.yaml", 1, ['"vlm" is missing']),
    ("calib camera --images ok --board chess", 1, ["'chess'", "chessboard:COLUMNSxROWS:SQUARE"]),
    # places that cannot be written
    ("report answers.csv --out no/such/r.html", 1, ["no/such/r.html", "mkdir -p no/such"]),
    ("report answers.csv --pdf no/such/r.pdf", 1, ["no/such/r.pdf", "mkdir -p no/such"]),
    ("sim comfort-car --images 1 --out notes.txt", 1, ["notes.txt", "not a folder", "--out"]),
    ("sweep ok/station.yaml --out notes.txt", 1, ["notes.txt", "name a new one"]), ("tags sheet --out no/such/s.pdf", 1, ["mkdir -p no/such"]),
    # values that are out of range, or name what is not there
    ("sim comfort-car --images 0 --out x", 2, ["--images", "from 1 to 1000000", "'0'"]),
    ("sim comfort-car --size 10 --out x", 2, ["--size", "640x480", "'10'"]),
    ("sim comfort-car --variant pink --out x", 1, ["'pink'", "'pov sim --list'"]),
    ("sim comfort-car --variant car-lef --out x", 1, ["'car-lef'", "did you mean 'car-left'?"]),
    ("sweep ok/station.yaml --out x --pairs ball", 2, ["'ball'", "ball:car"]),
    ("sweep ok/station.yaml --out x --pairs moon:car", 1, ["'moon'", "it has: ", "car"]),
    ("tags sheet --columns 0", 2, ["--columns", "from 1 to 256"]), ("vlm-sim --bias sad", 2, ["--bias", "egocentric", "'sad'"]),
    ("init ok/station.yaml --answer lens.how=magic", 2, ["lens", "board", "'magic'"]),
    ("init ok/station.yaml --answer lens", 2, ["STEP.NAME=VALUE", "lens.how=file"]),
    ("listen --connect tcp://127.0.0.1:99999", 1, ["tcp://127.0.0.1:99999", "tcp://127.0.0.1:5570"]),
    ("run ok/station.yaml --publish tcp://999.1.1.1:1", 1, ["'pov keys new'", "--insecure"]),
    # contents that are wrong in one place
    ("run twice.yaml", 1, ["twice.yaml:2", "first on line 1", "remove one"]), ("run bytes.yaml", 1, ["bytes.yaml:1", "UTF-8"]),
    ("score high.csv", 1, ["high.csv:2", "p_yes", "0 to 1"]), ("score word.csv", 1, ["word.csv:2", "'lefft'", "left"]),
    ("vlm check ftp.yaml", 1, ["ftp.yaml:3", "'ftp://x'", "http://"]), ("judge ok/station.yaml", 1, ["is a station", "'pov run'"]),
    ("run ok/station.yaml --images empty", 1, ["empty", ".png"]), ("merge x ok", 1, ["ok/log.sqlite", "'pov sweep'"]),
    ("sweep ok/station.yaml --out x --languages xx", 1, ['"xx"', "'pov questions --languages'"]),
    # a station, a recording or a folder that is not there: what makes one
    ("run none.yaml", 1, ["none.yaml: no such file", "'pov init none.yaml'"]), ("none.yaml", 1, ["'pov init none.yaml'"]),
    *[(f"{command} none.mcap{more}", 1, ["none.mcap", "'pov run STATION.yaml --record FILE.mcap'"]) for command, more in (
        ("info", ""), ("replay", ""), ("export", " --csv x"), ("cut", " y.mcap"))],
    ("diff none.jsonl none.jsonl", 1, ["none.jsonl: No such file", "'pov run STATION.yaml --json'"]),
    ("diff ok/station.yaml answers.csv", 1, ["ok/station.yaml:1", "line of JSON", "'pov run --json'"]),
    ("compare ok", 1, ["ok/log.sqlite", "'pov sweep'"]), ("study rate none --rater me", 1, ["none: No such file", "'pov study run'"]),
    ("import x answers.csv", 1, ["x/log.sqlite", "'pov sweep'"]),
    ("init no/such/x.yaml", 1, ["no folder 'no/such'", "make it"]), ("init ok", 1, ["ok: is a folder", "station file"]),
    # places that are something else
    ("run ok/station.yaml --quiet --record no/such/x.mcap", 1, ["no/such/x.mcap: cannot be written: No such file", "mkdir -p no/such"]),
    ("run ok/station.yaml --quiet --record notes.txt", 1, ["notes.txt: is a file, not a folder", "name another"]),
    ("run ok/station.yaml --quiet --annotate notes.txt", 1, ["notes.txt: is a file, not a folder", "name another"]),
    ("demo --out notes.txt", 1, ["notes.txt: is a file, not a folder"]), ("judge scene.yaml --draw out.png", 1, ["out.png", "ends in .svg"]),
    # scenes and questions
    ("judge same.yaml", 1, ["same.yaml:3", "'cup'", "line 2"]), ("judge short.yaml", 1, ["short.yaml:2", "list of 3 numbers, got 2"]),
    ("judge nobody.yaml", 1, ["nobody.yaml:1", "at least one"]), ("judge scene.yaml --pairs moon:cup", 2, ["'moon'", "it has: cup, car"]),
    ("judge scene.yaml --pairs cupp:car", 2, ["'cupp'", "did you mean 'cup'?"]),
    ("judge scene.yaml --frames mine", 2, ["'mine'", "it takes egocentric, addressee"]),
    ("judge scene.yaml --acceptance wide", 2, ["'wide'", "it takes hemisphere"]),
    ("judge scene.yaml --relations lefft", 2, ["'lefft'", "did you mean 'left_of'?", "'pov relations'"]),
    ("relations lefft", 1, ["'lefft'", "'left_of'", "'pov relations'"]),
    ("ask scene.yaml moon", 2, ['"moon"', "there are the cup, the car", "--help"]), ("ask scene.yaml", 2, ['pov ask kitchen.yaml "hand me']),
    ("run scene.yaml", 1, ["scene.yaml:1", "'pov judge' or 'pov ask'"]), ("convert left", 2, ["left, right, front or back", "--help"]),
    ("template fit answers.csv", 1, ["answers.csv:1", "'angle_deg'", "angle_deg,rating"]), ("questions --paper chess", 2, ["comfort", "'chess'"]),
    # devices, servers and models
    ("turntable home --device /dev/nope", 1, ["/dev/nope", "'ls /dev/serial/by-id'"]), ("turntable goto", 2, ["goto 90"]),
    ("vlm check http://127.0.0.1:1/v1", 1, ["http://127.0.0.1:1/v1: which model", "'--model NAME'", "'curl http://127.0.0.1:1/v1/models'"]),
    ("listen --connect foo", 1, ["'foo'", "tcp://127.0.0.1:5570"]),
    ("listen --connect tcp://127.0.0.1:1 --timeout 0.2", 1, ["tcp://127.0.0.1:1", "is pov running there"]),
    ("run ok/station.yaml --dashboard 127.0.0.1:abc", 2, ["ADDRESS:PORT", "'127.0.0.1:abc'"]),
    ("calib camera --images empty --board chessboard:9x6:25mm", 1, ["empty", ".png"]), ("calib tags none", 2, ["'pov calib camera'", "--help"]),
    ("calib camera --images ok/images --board chessboard:9x6:25mm", 1, ["0 of 1 images", "chessboard of 9x6", "'pov tags board'"]),
    ("enrol --images empty", 2, ["NAME", "--help"]), ("model run none.yaml", 2, ["a contract and at least one image", "--help"]),
    ("keys new x/y", 1, ["'x/y'", "letters, digits"]), ("study plan scene.yaml", 1, ["scene.yaml:1", '"participants"']),
    ("init x.yaml --answer sky.how=x", 2, ["'sky'", "camera, lens, tags"]),
    ("init x.yaml --answer camera.source=folder --answer camera.path=none", 1, ["none: no such folder", "PNG or JPEG"]),
]

SCENE = "entities:\n  - {id: cup, position_m: [0, 0, 0], size_m: [0.1, 0.1, 0.1]}\n  - {id: car, position_m: [1, 0, 0], size_m: [0.1, 0.1, 0.1], front_deg: 0}\n"


class WrongUses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="pov-wrong-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        subprocess.run([POV, "sim", "comfort-car", "--images", "1", "--quiet", "--out", cls.folder / "ok"], check=True)
        station = (cls.folder / "ok/station.yaml").read_text()
        for name, text in {"broken.yaml": "cast: [", "wrong_key.yaml": station.replace("\ncamera:", "\ncamrea:"),
                           "no_lens.yaml": station.replace("camera.yaml", "nolens.yaml"), "notes.txt": "x\n", "odd.csv": "model,p\n",
                           "twice.yaml": "a: 1\na: 2\n", "high.csv": "prompt,relation,phi_deg,p_yes\ncam,left,0,1.7\n",
                           "word.csv": "prompt,relation,phi_deg,p_yes\ncam,lefft,0,0.7\n",
                           "ftp.yaml": 'vlm:\n  endpoints:\n    - {url: "ftp://x", model: m}\n', "empty.mcap": "", "scene.yaml": SCENE,
                           "same.yaml": "entities:\n  - {id: cup}\n  - {id: cup}\n", "short.yaml": "entities:\n  - {id: cup, position_m: [0, 0]}\n",
                           "nobody.yaml": "entities: []\n", "answers.csv": "prompt,relation,phi_deg,p_yes\ncam,left,0,0.7\n"}.items():
            (cls.folder / name).write_text(text)
        (cls.folder / "bytes.yaml").write_bytes(b"\xff\xfe bad")
        (cls.folder / "empty").mkdir()

    def test_a_hundred_are_walked(self):
        self.assertGreaterEqual(len({line for line, _, _ in USES}), 100)

    def test_each_says_what_where_and_what_next(self):
        for line, code, words in USES:
            with self.subTest(line):
                done = subprocess.run([POV, *line.split()], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, code, done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)
                self.assertNotIn("Assertion", done.stderr)


if __name__ == "__main__":
    unittest.main()
