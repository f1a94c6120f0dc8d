#!/usr/bin/python3
"""Commands on input of which something cannot be read: the rest is used, each file is named, and the exit code is 1."""
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

POV = os.environ["POV"]


def pov(*arguments, code=0):
    done = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == code, (arguments, done.returncode, done.stdout[-500:], done.stderr)
    return done


def cut_short(path):
    path.write_bytes(path.read_bytes()[:200])


class DamagedInput(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pov-damaged-")
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def damaged_world(self, *sim):
        """Its second image is cut short."""
        pov("sim", *sim, "--size", "640x360", "--quiet", "--out", "world")
        cut_short(pathlib.Path("world/images/simulated_0001.png"))

    def assert_told(self, done, *names):
        for name in names or ("simulated_0001.png",):
            self.assertIn(name, done.stderr)

    def test_run_judges_the_rest(self):
        self.damaged_world("station", "--images", 4)
        done = pov("run", "world/station.yaml", "--json", code=1)
        self.assert_told(done)
        self.assertEqual([json.loads(line)["image"]["sequence"] for line in done.stdout.splitlines()], [0, 2, 3])

    def test_a_whole_folder_is_no_failure(self):
        pov("sim", "station", "--images", 2, "--size", "640x360", "--quiet", "--out", "world")
        pov("run", "world/station.yaml", "--quiet")

    def test_sweep_records_the_rest_and_its_log_is_whole(self):
        self.damaged_world("station", "--images", 4)
        self.assert_told(pov("sweep", "world/station.yaml", "--images", "world/images", "--out", "log", "--quiet", code=1))
        log = sqlite3.connect("log/log.sqlite")
        self.assertEqual(log.execute("SELECT count(*) FROM images").fetchone(), (3,))
        log.execute("PRAGMA journal_mode = DELETE")
        log.close()
        pov("report", "log", "--out", "page.html")

    def test_a_damaged_log_is_reported_but_not_gone_on_with(self):
        pov("sim", "station", "--images", 3, "--size", "640x360", "--quiet", "--out", "world")
        pov("sweep", "world/station.yaml", "--images", "world/images", "--out", "log", "--quiet")
        log = sqlite3.connect("log/log.sqlite")
        log.execute("PRAGMA journal_mode = DELETE")
        log.execute("UPDATE questions SET prompt = 'another' WHERE rowid = 1")
        log.commit()
        log.close()
        self.assert_told(pov("report", "log", "--out", "page.html", code=1), "log.sqlite", "questions 1")
        self.assertIn("<html", pathlib.Path("page.html").read_text(encoding="utf-8"))
        self.assert_told(pov("sweep", "world/station.yaml", "--images", "world/images", "--out", "log", "--resume", "--quiet", code=1), "log.sqlite")
        self.assert_told(pov("compare", "log", code=1), "log.sqlite")
        self.assert_told(pov("merge", "all", "log", code=1), "log.sqlite")

    def test_calib_camera_and_tags_use_the_rest_and_a_view_without_a_board_is_no_damage(self):
        os.mkdir("views")
        for variant in "abcdefghijkl":
            pov("sim", "lab-board", "--variant", variant, "--images", 1, "--quiet", "--out", variant)
            shutil.copy(f"{variant}/images/simulated_0000.png", f"views/{variant}.png")
        pov("sim", "station", "--images", 1, "--size", "640x480", "--quiet", "--out", "world")
        shutil.copy("world/images/simulated_0000.png", "views/no_board.png")
        board = "calib", "camera", "--images", "views", "--board", "aprilgrid:3x3:100mm:30mm", "--out", "camera.yaml"
        pov(*board)
        os.remove("camera.yaml")
        shutil.copy("views/a.png", "views/cut.png")
        cut_short(pathlib.Path("views/cut.png"))
        self.assert_told(pov(*board, code=1), "cut.png")
        self.assertTrue(pathlib.Path("camera.yaml").exists())
        self.assert_told(pov("calib", "tags", "views", "--camera", "camera.yaml", "--size", "100mm", "--fix", 0, "--out", "map.yaml", code=1), "cut.png")
        self.assertTrue(pathlib.Path("map.yaml").exists())

    def test_calib_turntable_names_it(self):
        pov("sim", "lab-turntable", "--images", 8, "--quiet", "--out", "world")
        cut_short(pathlib.Path("world/images/simulated_0001.png"))
        self.assert_told(pov("calib", "turntable", "world/station.yaml", "--images", "world/images", "--edge", "40", "--out", "turntable.yaml", code=1))


if __name__ == "__main__":
    unittest.main()
