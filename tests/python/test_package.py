#!/usr/bin/python3
"""The Python package. Oracles: what the program prints of the same scenes and recordings, and geometry worked out here."""
import importlib.util
import itertools
import json
import math
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
LIBRARY = pathlib.Path(os.environ["POV"]).with_name("libpov.so")
for missing in [what for what in ("cffi", "numpy", "pandas") if importlib.util.find_spec(what) is None]:
    print(f"skipped: this Python has no {missing} (python3-{missing})")
    sys.exit(77)
if "POV_SANITIZED" in os.environ or not LIBRARY.exists():
    print("skipped: Python cannot load a sanitized library, or one of another machine")
    sys.exit(77)
os.environ["POV_LIBRARY"] = str(LIBRARY)
sys.path[:0] = [str(SOURCE / "python"), str(SOURCE / "tests/support")]
sys.dont_write_bytecode = True
import numpy as np  # noqa: E402

import pov  # noqa: E402
from judged_scene import judged  # noqa: E402
from reserved_port import ReservedPort  # noqa: E402

POV = os.environ["POV"]
RECORDING = SOURCE / "tests/firmware/recording/kept_session.mcap"
KITCHEN = {
    "north_deg": 90, "camera": {"position_m": [0, -2, 1.2], "look_at_m": [0, 0, 0.1], "rotation_std_deg": 0.5, "sees": {"horizontal_deg": 70, "vertical_deg": 50}},
    "entities": [
        {"id": "ball", "position_m": [0.4, 0.1, 0.1], "position_std_m": 0.02, "size_m": 0.2, "shape": "sphere"},
        {"id": "car", "position_m": [-0.1, 0, 0.15], "size_m": [0.8, 0.4, 0.3], "front_deg": 180, "front_std_deg": 5},
        {"id": "box", "position_m": [-0.9, 0.3, 0.2], "size_m": [0.2, 0.3, 0.4], "position_std_m": [0.01, 0.02, 0.01]},
        {"id": "woman", "class": "person", "position_m": [-1.5, 0.4, 0.8], "size_m": [0.3, 0.5, 1.6], "front_deg": 0,
         "addressee": True, "sees": {"horizontal_deg": 180, "vertical_deg": 120, "eye_m": [0.1, 0, 0.7]}}]}


def random_scene(seed):
    """Things about a table, some without fronts, one without a place."""
    r = random.Random(seed)
    entities = [{"id": f"thing {i}", "position_m": [r.uniform(-1, 1), r.uniform(-1, 1), 0.1], "size_m": [r.uniform(0.05, 0.4) for _ in range(3)],
                 "position_std_m": r.choice([0, 0.01, 0.2]), **({"front_deg": r.uniform(-180, 180), "front_std_deg": r.uniform(1, 40)} if i % 2 else {})}
                for i in range(4)]
    del entities[0]["position_m"], entities[0]["position_std_m"]
    entities.append({"id": "Zoë", "class": "person", "position_m": [r.uniform(-3, 3), r.uniform(-3, 3), 0.8], "size_m": [0.3, 0.5, 1.6],
                     "front_deg": r.uniform(-180, 180), "addressee": True, "sees": {"horizontal_deg": 160, "vertical_deg": 100}})
    return {"entities": entities, **({"north_deg": 10} if seed % 2 else {"camera": {"position_m": [2, -2, 1], "look_at_m": [0, 0, 0]}})}


def made(scene):
    return pov.Scene(scene["entities"], camera=scene.get("camera"), north_deg=scene.get("north_deg"))


def told(*arguments, **options):
    done = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)
    return done.returncode, done.stdout, done.stderr


class Package(unittest.TestCase):
    def assert_same(self, got, expected, where=""):
        """Every key of `expected` is in `got`; numbers agree as far as they were printed."""
        if isinstance(expected, dict):
            for key, value in expected.items():
                self.assert_same(got[key], value, f"{where}.{key}")
        elif isinstance(expected, list):
            self.assertEqual(len(got), len(expected), where)
            for i, value in enumerate(expected):
                self.assert_same(got[i], value, f"{where}[{i}]")
        elif isinstance(expected, (int, float)) and not isinstance(expected, bool) and got is not None:
            self.assertLess(abs(got - expected), 1e-6 * max(1, abs(expected)), where)
        else:
            self.assertEqual(got, expected, where)

    def test_the_version_is_the_programs(self):
        self.assertIn(pov.__version__, told("--version")[1])

    def test_scenes_are_judged_as_the_program_judges_them(self):
        for scene in KITCHEN, *map(random_scene, range(4)):
            expected, mine = judged(scene), made(scene)
            self.assert_same(mine.judge().to_dicts(), expected["judgments"])
            unframed = [row for row in mine.judge(relations="usual").to_dicts() if row["verdict"] != "undefined" and not row["relation"].endswith("_of_side")]
            names = {relation.name for relation in pov.relations() if not relation.direction}
            unframed = [row for row in unframed if row["relation"] in names]
            self.assertEqual(len(unframed), len(expected["relations"]))
            for row, wanted in zip(unframed, expected["relations"]):
                self.assert_same(row, {key: wanted[key] for key in ("referent", "relata", "relation", "p", "verdict")})
            self.assert_same(mine.look().to_dicts(), expected["visibility"])

    def test_relations_axes_and_acceptances_can_be_chosen(self):
        expected = judged(KITCHEN, "--pairs", "ball:car,ball:car+box", "--relations", "between,near,left_of,at_the_side_of",
                          "--frames", "addressee,reflected,heading", "--acceptance", "cosine")
        rows = made(KITCHEN).judge([("ball", "car"), ("ball", ("car", "box"))], relations=["between", "near", "left of", "at_the_side_of"],
                                   perspectives=["addressee"], conventions=["reflected"], axes=["heading"], acceptances=["cosine"])
        self.assert_same(rows.where(relation="left_of").to_dicts(), expected["judgments"])
        others = [row for row in rows.to_dicts() if row["relation"] != "left_of"]
        for row, wanted in itertools.zip_longest(others, expected["relations"]):
            self.assert_same(row, {key: wanted[key] for key in ("relata", "relation", "p", "p_std", "verdict")})

    def test_directions_are_those_of_plain_trigonometry(self):
        """The car looks along its yaw; a ball at azimuth phi about it is to its left if sin(phi - yaw) > 0."""
        for yaw_deg in range(0, 360, 45):
            scene = pov.Scene([{"id": "ball", "position_m": [1, 0, 0], "size_m": 0.01}, {"id": "car", "position_m": [0, 0, 0], "size_m": 0.1, "front_deg": yaw_deg}])
            for phi_deg in range(0, 360, 20):
                phi = math.radians(phi_deg)
                scene.move(["ball"], positions_m=[[math.cos(phi), math.sin(phi), 0]])
                off_rad = phi - math.radians(yaw_deg)
                for relation, share in ("left_of", math.sin(off_rad)), ("in_front_of", math.cos(off_rad)), ("right_of", -math.sin(off_rad)):
                    belief = scene.evaluate(relation, "ball", "car", acceptance="cosine")
                    self.assertAlmostEqual(belief.p, (1 + share) / 2, 6)
                    self.assertAlmostEqual(math.cos(belief.theta_rad), share, 6)

    def test_a_probability_is_that_of_the_normal_error(self):
        """P(y > 0) of y = d + error, where the front is exact."""
        for d_m in (-0.03, 0.01, 0.02):
            scene = pov.Scene([{"id": "ball", "position_m": [5, d_m, 0], "position_std_m": [0, 0.02, 0], "size_m": 0.01},
                               {"id": "car", "position_m": [0, 0, 0], "size_m": 0.1, "front_deg": 0}])
            belief = scene.evaluate("left_of", "ball", "car")
            self.assertAlmostEqual(belief.p, (1 + math.erf(d_m / 0.02 / math.sqrt(2))) / 2, 3)
            self.assertEqual(belief.verdict, "abstain" if abs(d_m) < 0.06 else "true")

    def test_one_query_is_as_among_all(self):
        scene = made(KITCHEN)
        viewed = dict(perspective="addressee", convention="rotated", axis="sight_line")
        one = scene.judge([("ball", "car")]).where(relation="left_of", **viewed)
        self.assertEqual(len(one), 1)
        self.assertEqual(scene.evaluate("left_of", "ball", "car", **viewed).p, one["p"][0])
        self.assertEqual(scene.evaluate("north_of", "ball", "car").p, scene.judge([("ball", "car")]).where(relation="north_of")["p"][0])
        self.assertEqual(scene.evaluate("between", "ball", ["car", "box"]).verdict, "false")
        self.assertTrue(math.isnan(pov.Scene(KITCHEN["entities"]).evaluate("left_of", "car", "ball").p))  # a ball has no front

    def test_a_batch_is_as_each_scene_of_it_and_leaves_the_scene_as_it_was(self):
        scene, r = made(KITCHEN), np.random.default_rng(7)
        positions, yaws = r.uniform(-1, 1, (20, 2, 3)), r.uniform(-3, 3, (20, 2))
        before = scene.judge()["p"]
        batch = scene.judge_batch(["car", "woman"], positions_m=positions, yaws_rad=yaws)
        np.testing.assert_array_equal(scene.judge()["p"], before)
        for i in range(20):
            moved = made(KITCHEN)
            moved.move(["car", "woman"], positions_m=positions[i], yaws_rad=yaws[i])
            alone = moved.judge()
            for column in alone.array.dtype.names:
                np.testing.assert_array_equal(batch[column][i], alone[column])
            scene_dict = json.loads(json.dumps(KITCHEN))
            for entity, at, yaw in zip((scene_dict["entities"][1], scene_dict["entities"][3]), positions[i], yaws[i]):
                entity.update(position_m=at.tolist(), front_deg=math.degrees(yaw))
            np.testing.assert_allclose(batch["p"][i], made(scene_dict).judge()["p"], atol=1e-9)
        self.assertEqual(batch.where(relation="left_of", referent="ball", relatum="car", perspective="intrinsic").array.shape, (20, 1))

    def test_entities_are_what_was_given(self):
        scene = made(KITCHEN)
        self.assertEqual(scene.ids, ["camera", "ball", "car", "box", "woman"])
        self.assertEqual(scene.classes[4], "person")
        np.testing.assert_allclose(scene.positions_m[1], [0.4, 0.1, 0.1])
        np.testing.assert_allclose(scene.entities["position_cov_m2"][3].reshape(3, 3), np.diag([1e-4, 4e-4, 1e-4]))
        np.testing.assert_allclose(scene.entities["rotation"][2].reshape(3, 3) @ [1, 0, 0], [-1, 0, 0], atol=1e-12)  # the car's front
        self.assertAlmostEqual(abs(scene.yaws_rad[2]), math.pi)
        self.assertTrue(math.isnan(scene.yaws_rad[1]))
        self.assertAlmostEqual(scene.north_rad, math.pi / 2)

    def test_errors_name_the_argument(self):
        scene = made(KITCHEN)
        nan = float("nan")
        for named, call in {
                "positions_m: its shape is (2, 3), not (1, 3)": lambda: scene.move(["ball"], positions_m=np.zeros((2, 3))),
                "positions_m: it holds numbers that are not finite, the first at (0, 1)": lambda: scene.move(["ball"], positions_m=[[0, nan, 0]]),
                "positions_m: its shape is (4, 3), not (any, 1, 3)": lambda: scene.judge_batch(["ball"], positions_m=np.zeros((4, 3))),
                "yaws_rad: its shape is (3, 1), not (4, 1)": lambda: scene.judge_batch(["car"], positions_m=np.zeros((4, 1, 3)), yaws_rad=np.zeros((3, 1))),
                "yaws_rad: 'ball' has 0 fronts": lambda: scene.move(["ball"], yaws_rad=[1]),
                "the camera": lambda: scene.move(["camera"], positions_m=[[0, 0, 0]]),
                "entities[0]['position_m']: nan is not a finite number": lambda: pov.Scene([{"id": "a", "position_m": [0, nan, 0]}]),
                "position_m: expected a list of 3 numbers, got 2": lambda: pov.Scene([{"id": "a", "position_m": np.zeros(2)}]),
                "entities[0]['size_m']: complex is not a number": lambda: pov.Scene([{"id": "a", "size_m": 1j}]),
                "relation: there is no relation 'lefft_of'; did you mean 'left_of'?": lambda: scene.evaluate("lefft_of", "ball", "car"),
                "relatum: the scene has no 'cat'": lambda: scene.evaluate("near", "ball", "cat"),
                "viewer: the scene has no 'tom'": lambda: scene.evaluate("left_of", "ball", "car", viewer="tom"),
                "perspective: there is no perspective 'mine'": lambda: scene.evaluate("left_of", "ball", "car", perspective="mine"),
                "acceptances: there is no acceptance 'x'": lambda: scene.judge(acceptances=["x"]),
                "abstain_margin: 0.7": lambda: scene.evaluate("left_of", "ball", "car", abstain_margin=0.7),
                "abstain_margin: 0.5": lambda: scene.judge(abstain_margin=0.5),
                "pairs: 'ball' cannot be located by": lambda: scene.judge([("ball", "ball")]),
                "nobody called \"tom\"": lambda: scene.ask("where is the ball?", speaker="tom"),
                "No such file": lambda: pov.Recording("/nowhere/a.mcap"),
                "endpoint": lambda: pov.Station("robot")}.items():
            with self.assertRaises((pov.Error, ValueError, TypeError), msg=named) as raised:
                call()
            self.assertIn(named, str(raised.exception))

    def test_an_error_of_a_file_is_told_as_the_program_tells_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bad.yaml"
            path.write_text("entities:\n  - {id: ball, position_m: [0, 0, 0], colour: red}\n")
            with self.assertRaises(pov.Error) as raised:
                pov.Scene.read(path)
            self.assertIn(str(raised.exception), told("judge", path)[2])
            self.assertIn("bad.yaml:2: unknown key", str(raised.exception))

    def test_questions_are_answered_as_the_program_answers(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "kitchen.yaml"
            path.write_text(json.dumps(KITCHEN))
            scene, dialogue = pov.Scene.read(path), pov.Dialogue()
            utterances = ["is the ball left of the car?", "as I see it", "does the woman see the ball?", "¿dónde está la pelota?"]
            expected = told("ask", path, "-", "--json", input="\n".join(utterances))[1].splitlines()
            for utterance, line in itertools.zip_longest(utterances, expected):
                self.assertEqual(dialogue.ask(scene, utterance), json.loads(line))

    def test_a_recording_gives_what_was_recorded(self):
        recording = pov.Recording(RECORDING)
        expected = [json.loads(line) for line in told("replay", RECORDING, "--json")[1].splitlines()]
        self.assertEqual(len(recording), len(expected))
        observations = list(recording)
        for observation, line in itertools.zip_longest(observations, expected):
            self.assertEqual(observation.to_dict(), line)
            self.assertEqual((observation.image.name, observation.image.capture_ns), (line["image"]["name"], line["image"]["capture_ns"]))
            rows = observation.judgments.to_dicts()
            self.assert_same(rows[:len(line["judgments"])], line["judgments"])
            self.assert_same([row["p"] for row in rows[len(line["judgments"]):]], [row["p"] for row in line["relations"]])
            self.assert_same(observation.sights.to_dicts(), [{key: row[key] for key in ("viewer", "target", "p", "verdict")} for row in line["visibility"]])
            np.testing.assert_allclose([entity["pos_m"] for entity in line["scene"]["entities"]], observation.scene.positions_m)
        question = "where is the red ball relative to the blue ball?"
        self.assertEqual(observations[-1].scene.ask(question), json.loads(told("ask", RECORDING, question, "--json")[1]))

    def test_a_recording_is_read_by_time_and_its_images_as_they_were_coded(self):
        recording = pov.Recording(RECORDING)
        times_s = [1e-9 * (o.image.capture_ns - recording.first_ns) for o in recording]
        late = [o.image.sequence for o in recording.observations(begin_s=times_s[3] - 0.01)]
        self.assertEqual(late, [o.image.sequence for o in recording][-len(late):])
        self.assertTrue(0 < len(late) < len(recording))
        self.assertEqual(len(list(recording.observations(end_s=0.0))), 0)
        images = list(recording.images())
        self.assertEqual(len(images), recording.images_len)
        with tempfile.TemporaryDirectory() as folder:
            told("info", RECORDING, "--extract", folder)
            self.assertTrue(all(image.data[:2] in (b"\xff\xd8", b"\x89P") for image in images))
        self.assertTrue(recording.is_indexed and recording.trouble == "")

    def test_a_cut_recording_gives_its_beginning(self):
        with tempfile.TemporaryDirectory() as folder:
            cut = pathlib.Path(folder) / "cut.mcap"
            cut.write_bytes(RECORDING.read_bytes()[:-4000])
            recording = pov.Recording(cut)
            self.assertFalse(recording.is_indexed)
            whole = [o.to_dict() for o in pov.Recording(RECORDING)]
            self.assertEqual([o.to_dict() for o in recording], whole[:len(recording)])

    def test_a_station_with_keys_is_heard_and_asked_and_a_stranger_is_not(self):
        with tempfile.TemporaryDirectory() as name, ReservedPort() as port, ReservedPort() as ask_port:
            folder = pathlib.Path(name)
            told("sim", "comfort-ball", "--images", 2, "--quiet", "--out", folder / "world")
            for machine in "robot", "laptop", "stranger":
                told("keys", "new", machine, "--keys", folder / machine)
            told("keys", "allow", folder / "laptop/self.key", "--keys", folder / "robot")
            for machine in "laptop", "stranger":
                told("keys", "allow", folder / "robot/self.key", "--keys", folder / machine)
            station = folder / "world/station.yaml"
            station.write_text(station.read_text() + f'\nask: {{endpoint: "tcp://127.0.0.1:{ask_port}", keys: {folder}/robot}}\npublish: {{endpoint: "tcp://127.0.0.1:{port}", keys: {folder}/robot}}\n')
            running = subprocess.Popen([POV, "run", station, "--loop", "--rate", "20", "--quiet"], stderr=subprocess.DEVNULL)
            try:
                listener = pov.Station(f"tcp://127.0.0.1:{port}", server="robot", keys=folder / "laptop", ask=f"tcp://127.0.0.1:{ask_port}")
                heard = listener.next(timeout_s=120)
                self.assertEqual(heard.scene.ids[:3], [entity["id"] for entity in heard.to_dict()["scene"]["entities"]][:3])
                self.assertGreater(heard.judgments["p"].size, 0)
                reply = listener.ask("where is the red ball relative to the blue ball?", timeout_s=120)
                self.assertIn(reply["outcome"], ("answered", "ask_back"))
                self.assertGreater(listener.health(timeout_s=120)["images_processed"], 0)
                with self.assertRaisesRegex(pov.Error, "does not allow this machine's key"):
                    pov.Station(f"tcp://127.0.0.1:{port}", server="robot", keys=folder / "stranger").next(timeout_s=120)
            finally:
                running.terminate()
                running.wait()
            with self.assertRaises(TimeoutError):
                pov.Station(f"tcp://127.0.0.1:{port}").next(timeout_s=0.01)

    def test_scores_are_the_programs_as_tables(self):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "answers.csv"
            rows = [f"mine,table,default,cam,{relation},{phi},{0.5 + 0.4 * math.cos(math.radians(phi - at)):.4f}"
                    for relation, at in (("left", 270), ("right", 90), ("front", 0), ("behind", 180)) for phi in range(0, 360, 10)]
            path.write_text("model,scene,variant,prompt,relation,phi_deg,p_yes\n" + "\n".join(rows) + "\n")
            tables = pov.scores(path, "--resamples", "100", program=POV)
            expected = json.loads(told("score", path, "--resamples", 100, "--json")[1])
            self.assertEqual(tables["convention"]["best"][0], "reflected")
            self.assertEqual(tables["performance"]["accuracy.mean"].tolist(), [row["accuracy"]["mean"] for row in expected["performance"]])
            with self.assertRaisesRegex(pov.Error, "nowhere"):
                pov.scores("/nowhere.csv", program=POV)

    def test_ten_thousand_calls_leave_no_memory_behind(self):
        scene, moved = made(KITCHEN), np.zeros((5, 1, 3))
        dialogue, failures = pov.Dialogue(), 0

        def round_of_calls(times):
            nonlocal failures
            for _ in range(times):
                scene.evaluate("left_of", "ball", "car")
                scene.judge([("ball", "car")])
                scene.judge_batch(["ball"], [("ball", "car")], positions_m=moved)
                scene.entities
                try:
                    scene.judge(abstain_margin=2)
                except pov.Error:
                    failures += 1
            for _ in range(times // 200):
                made(KITCHEN).look("woman", "ball")
                dialogue.ask(scene, "where is the ball relative to the car?")
                sum(len(o.judgments) for o in pov.Recording(RECORDING).observations(end_s=0.1))

        round_of_calls(1000)
        before_kb = int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024
        round_of_calls(10000)
        grown_kb = int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024 - before_kb
        self.assertEqual(failures, 11000)
        self.assertLess(grown_kb, 2048)  # a tenth of a byte a call would be less than the allocator's own play

    @unittest.skipUnless(importlib.util.find_spec("build") and importlib.util.find_spec("wheel"), "python3-build or python3-wheel is not installed")
    def test_the_wheel_is_made_without_network_and_holds_the_package(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copytree(SOURCE / "python", folder / "source")
            for header in "perception/library/pov.h", "protocol/library/povlink.h":  # as ./dev package --wheel does
                shutil.copy(SOURCE / header, folder / "source/pov")
            done = subprocess.run(["/usr/bin/python3", "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, folder / "source"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            wheel, = folder.glob(f"pov-{pov.__version__}-py3-none-any.whl")
            with zipfile.ZipFile(wheel) as packed:
                packed.extractall(folder / "installed")
            said = subprocess.run(["/usr/bin/python3", "-B", "-c", "import pov; print(pov.__file__, len(pov.relations()))"], cwd=folder, text=True, check=True,
                                  capture_output=True, env={**os.environ, "PYTHONPATH": str(folder / "installed")}).stdout.split()
            self.assertEqual(said, [str(folder / "installed/pov/__init__.py"), str(len(pov.relations()))])

    @unittest.skipUnless(shutil.which("mypy", path="/usr/bin"), "mypy is not installed")
    def test_types_hold(self):
        done = subprocess.run(["/usr/bin/mypy", "--config-file", SOURCE / "python/pyproject.toml", "--cache-dir", os.devnull, "--python-executable", "/usr/bin/python3",
                               SOURCE / "python/pov"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_python_ends_in_peace_whatever_still_lives(self):
        script = ("import pov, sys; scene = pov.Scene([{'id': 'a', 'position_m': [0, 0, 0], 'size_m': 0.1}, {'id': 'b', 'position_m': [1, 0, 0]}]); "
                  "dialogue = pov.Dialogue(); judged = scene.judge(); seen = scene.look(); observations = iter(pov.Recording(sys.argv[1])); "
                  "first = next(observations).scene; station = pov.Station('ipc:///tmp/pov-nobody')")
        done = subprocess.run(["/usr/bin/python3", "-B", "-c", script, RECORDING], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(SOURCE / "python")})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_threads_that_share_a_scene_take_turns(self):
        scene = pov.Scene([{"id": f"b{i}", "position_m": [0.4 * i, 0.1 * i, 0.1], "size_m": 0.2, "front_deg": 10} for i in range(12)],
                          camera={"position_m": [0, -2, 1.2], "look_at_m": [0, 0, 0.1]})
        dialogue, chosen = pov.Dialogue(), [None, [("b1", "b2")], None, [("b3", "b4")]]
        wanted = [scene.judge(pairs).array.tobytes() for pairs in chosen]
        begin, wrong = threading.Barrier(len(chosen)), []

        def work(number):
            begin.wait()
            for _ in range(150):
                if scene.judge(chosen[number]).array.tobytes() != wanted[number]:
                    wrong.append(number)
            if "b1" not in dialogue.ask(scene, "where is b1?")["say"]:
                wrong.append("dialogue")

        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(chosen))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_threads_have_scenes_and_messages_of_their_own(self):
        wrong = []

        def work(number):
            scene = pov.Scene([{"id": f"a{number}", "position_m": [1, 0, 0], "size_m": 0.1}, {"id": "b", "position_m": [0, 0, 0], "size_m": 0.1, "front_deg": 0}])
            for _ in range(300):
                try:
                    scene.judge([(f"a{number}", f"a{number}")])
                except pov.Error as error:
                    if f"a{number}" not in str(error):
                        wrong.append(str(error))
                if scene.evaluate("in_front_of", f"a{number}", "b").p != 1:
                    wrong.append(number)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
