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
]


class WrongUses(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="pov-wrong-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        subprocess.run([POV, "sim", "comfort-car", "--images", "1", "--quiet", "--out", self.folder / "ok"], check=True)
        station = (self.folder / "ok/station.yaml").read_text()
        for name, text in {"broken.yaml": "cast: [", "wrong_key.yaml": station.replace("\ncamera:", "\ncamrea:"),
                           "no_lens.yaml": station.replace("camera.yaml", "nolens.yaml"), "notes.txt": "x\n", "odd.csv": "model,p\n",
                           "twice.yaml": "a: 1\na: 2\n", "high.csv": "prompt,relation,phi_deg,p_yes\ncam,left,0,1.7\n",
                           "word.csv": "prompt,relation,phi_deg,p_yes\ncam,lefft,0,0.7\n",
                           "ftp.yaml": 'vlm:\n  endpoints:\n    - {url: "ftp://x", model: m}\n', "empty.mcap": "", "answers.csv": "prompt,relation,phi_deg,p_yes\ncam,left,0,0.7\n"}.items():
            (self.folder / name).write_text(text)
        (self.folder / "bytes.yaml").write_bytes(b"\xff\xfe bad")
        (self.folder / "empty").mkdir()

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
