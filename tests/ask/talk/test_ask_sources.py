#!/usr/bin/env python3
"""A typed scene, a line of what a station printed, its recording and the running station give one reply to one utterance, alike to the byte but for
`image` (and the hash of its calibration); other words for things go with them."""
import json
import math
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

POV = os.environ["POV"]
THINGS = [
    {"id": "cup", "words": ["beaker", "Becher"], "about": "porcelain", "position_m": [-0.3, 0.3, 0.05], "size_m": [0.08, 0.08, 0.1]},
    {"id": "box", "position_m": [0.3, 0.3, 0.1], "size_m": [0.2, 0.2, 0.2], "front_deg": 0},
    {"id": "screen", "position_m": [-0.6, 0.3, 0.4], "size_m": [0.04, 1.5, 0.8], "yaw_deg": 0, "shape": "box"},
    {"id": "anna", "class": "woman", "position_m": [-1.5, 0.3, 0.4], "size_m": [0.3, 0.5, 0.8], "front_deg": 0, "addressee": True,
     "sees": {"horizontal_deg": 120, "vertical_deg": 90}},
]
# By hand: anna, behind the screen, sees neither cup nor box; the camera, opposite her in the east, sees both.
UTTERANCES = {"does anna see the cup?": "no", "can you see the cup?": "yes", "give me the beaker": "cup", "give me the porcelain thing": "cup",
              "is the cup left of the box for you?": None, "is the cup behind the box for you?": "yes", "give me the thing that anna can see": None,
              "what hides the cup from anna?": "screen", "put the cup behind the box as you see it": None, "how far is the cup from the box?": "0.46 m",
              "give me the spoon": None}
OF_IMAGE = ("image", "calibration_hash", "session")


class Sources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-sources-"))
        demo = subprocess.run([POV, "demo", "--out", cls.folder / "demo", "--images", "2"], capture_output=True)
        assert demo.returncode == 0, demo.stderr
        pose = "position_m: [1.5, 0.3, 0.85], look_at_m: [0, 0.3, 0.08]"
        cls.station = cls.folder / "demo" / "own.yaml"
        cls.endpoint = f"ipc://{cls.folder}/ask"
        cls.station.write_text(f"ask: {{endpoint: \"{cls.endpoint}\"}}\n" "camera:\n  source: folder\n  folder: {path: images}\n  calibration: camera.yaml\n" f"  pose: {{{pose}}}\ncast:\n"
                               + "".join(f"  - {json.dumps({'found_by': 'survey', **thing})}\n" for thing in THINGS))
        cls.typed = cls.folder / "typed.yaml"
        cls.typed.write_text(f"camera: {{{pose}, sees: {{shape: frustum, horizontal_deg: 60, vertical_deg: 45}}}}\nentities:\n"
                             + "".join(f"  - {json.dumps(thing)}\n" for thing in THINGS))
        cls.recording = cls.folder / "seen.mcap"
        run = subprocess.run([POV, "run", cls.station, "--json", "--no-publish", "--record", cls.recording], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        cls.lines = cls.folder / "seen.jsonl"
        cls.lines.write_text(run.stdout)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def ask(self, source, *options):
        return subprocess.Popen([POV, "ask", source, "-", "--json", "--timeout", "50", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def replies(self, process):
        out, complaint = process.communicate("".join(text + "\n\n" for text in UTTERANCES), timeout=300)
        told = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(told), len(UTTERANCES), complaint)
        self.complaint = complaint
        return told

    def test_every_source_gives_the_same_reply(self):
        endpoint = f"ipc://{self.folder}/wire"
        run = subprocess.Popen([POV, "run", self.station, "--publish", endpoint, "--wait", "1", "--loop", "--rate", "20", "--quiet"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        try:
            told = {"typed": self.replies(self.ask(self.typed)), "line": self.replies(self.ask(self.lines)),
                    "recording": self.replies(self.ask(self.recording)), "live": self.replies(self.ask(endpoint))}
            self.assertNotIn("the station answers", self.complaint)
            told["station"] = self.replies(self.ask(endpoint, "--ask", self.endpoint))
            self.assertIn(f"the station answers, at {self.endpoint}", self.complaint)
            nobody = subprocess.run([POV, "ask", endpoint, "can you see the cup?", "--ask", f"ipc://{self.folder}/nobody"], capture_output=True, text=True)
            self.assertEqual(nobody.stdout.splitlines()[0], "Yes, I see the cup.")
            self.assertIn("judged here", nobody.stderr)
        finally:
            run.kill()
            run.wait()
        for source, replies in told.items():
            for (text, right), reply, typed in zip(UTTERANCES.items(), replies, told["typed"]):
                self.assertEqual(*(json.dumps({key: value for key, value in told.items() if key not in OF_IMAGE}) for told in (reply, typed)),
                                 f"{source}: {text}")
                if right:
                    self.assertIn(right, (reply["answer"], reply["pick"]), f"{source}: {text}: {reply['say']}")
            if source != "typed":
                self.assertEqual(set(replies[0]["image"]), {"name", "sequence", "capture_ns", "age_s", "is_stale"})
                self.assertEqual(len(replies[0]["calibration_hash"]), 16)

    def test_which_camera_sees_a_thing_best(self):
        """By hand: west's view of the cup is through the screen, east's and near's are free, and near is half as far away as east."""
        poses = {"west": "[-1.1, 0.3, 0.4]", "east": "[1.5, 0.3, 0.85]", "near": "[0.6, 0.3, 0.85]"}
        station, lines, endpoint = self.station.with_name("three.yaml"), self.folder / "three.jsonl", f"ipc://{self.folder}/three"
        cast = "".join(f"  - {json.dumps({'found_by': 'survey', **thing})}\n" for thing in THINGS)
        station.write_text(f'ask: {{endpoint: "{endpoint}-ask"}}\ncameras:\n' + "".join(
            f"  - {{id: {name}, source: folder, folder: {{path: images, rate_hz: 20, loop: true}}, calibration: camera.yaml, "
            f"pose: {{position_m: {at}, look_at_m: [0, 0.3, 0.08]}}}}\n" for name, at in poses.items()) + "cast:\n" + cast)
        once = station.with_name("once.yaml")
        once.write_text(station.read_text().replace(", loop: true", ""))
        judged = subprocess.run([POV, "run", once, "--json", "--no-publish", "--quiet"], capture_output=True, text=True)
        self.assertEqual(judged.returncode, 0, judged.stderr)
        lines.write_text(judged.stdout)

        def hear(source, text, *options):
            done = subprocess.run([POV, "ask", source, text, "--json", *options], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)
        told = hear(lines, "which camera sees the cup best?")
        self.assertEqual(told["answer"], "near")
        shares = {camera["camera"]: (camera["fraction_visible"], camera["size_deg"]) for camera in told["cameras"]}
        self.assertEqual([shares[name][0] for name in poses], [0, 1, 1])
        far, near = (math.dist(at, (-0.3, 0.3, 0.05)) for at in ((1.5, 0.3, 0.85), (0.6, 0.3, 0.85)))
        self.assertAlmostEqual(shares["near"][1] / shares["east"][1], far / near, delta=0.12)  # they see more or less of its top
        self.assertRegex(told["say"], r"^Camera near sees the cup best: all of it, \d+\.\d degrees large; camera west sees none of it; camera east sees ")
        self.assertEqual(hear(lines, "from which camera is the cup best visible")["answer"], "near")
        self.assertEqual(hear(self.lines, "which camera sees the cup best?")["say"], "There is only one camera.")
        run = subprocess.Popen([POV, "run", station, "--publish", endpoint, "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            live = {}
            for _ in range(50):  # until each camera has been looked through beside the others
                done = subprocess.run([POV, "ask", endpoint, "which camera sees the cup best?", "--json", "--ask", f"{endpoint}-ask"], capture_output=True, text=True)
                live = json.loads(done.stdout or "{}")
                if live.get("cameras") == told["cameras"]:
                    break
            self.assertEqual(live["cameras"], told["cameras"])
        finally:
            run.kill()
            run.wait()


if __name__ == "__main__":
    unittest.main()
