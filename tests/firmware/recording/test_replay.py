#!/usr/bin/python3
"""pov replay, info and diff over a real recording: published as it was, cut anywhere, mended, compared."""
import csv
import json
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

import zmq

POV = os.environ["POV"]
CUTS = 200 if os.environ.get("POV_RECORDING") == "long" else 20
MAGIC = b"\x89MCAP0\r\n"


def pov(*arguments):
    return subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def text(value):
    return struct.pack("<I", len(value)) + value


def record(opcode, content):
    return struct.pack("<BQ", opcode, len(content)) + content


def chunk_places(data):
    """(place, length) of each chunk's record."""
    at, places = 8, []
    while at < len(data) - 8:
        opcode, length = struct.unpack_from("<BQ", data, at)
        if opcode == 6:
            places.append((at, 9 + length))
        at += 9 + length
    return places


def attachment(name, data):
    content = struct.pack("<QQ", 1, 2) + text(name) + text(b"text/plain") + struct.pack("<Q", len(data)) + data
    return record(9, content + struct.pack("<I", zlib.crc32(content)))


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-replay-"))
        cls.station = cls.folder / "world/station.yaml"
        cls.recording = cls.folder / "a.mcap"
        assert pov("sim", "comfort-ball", "--images", 8, "--quiet", "--out", cls.folder / "world").returncode == 0
        run = pov("run", cls.station, "--no-publish", "--quiet", "--rate", 40, "--loop", "--count", 160, "--record", cls.recording)
        assert run.returncode == 0, run.stderr
        cls.judged = pov("replay", cls.recording, "--json").stdout
        cls.lines = cls.judged.splitlines()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def listen(self, *arguments):
        """(topic, seconds since the first, bytes) of all that a replay publishes."""
        endpoint = f"ipc://{self.folder}/wire"
        process = subprocess.Popen([POV, "replay", self.recording, "--publish", endpoint, "--wait", "1", *arguments],
                                   stderr=subprocess.PIPE)
        context = zmq.Context()
        socket = context.socket(zmq.SUB)
        socket.set_hwm(100000)
        socket.connect(endpoint)
        socket.subscribe("")
        got = []
        while socket.poll(3000):
            address, message = socket.recv_multipart()
            got.append((address.split(b"\x1f")[-1].decode(), time.monotonic(), message))
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, said)
        context.destroy(linger=0)
        return [(topic, at - got[0][1], message) for topic, at, message in got]

    def test_it_publishes_what_was_published_at_the_pace_it_was(self):
        info = json.loads(pov("info", self.recording, "--json").stdout)
        wanted = {topic["topic"]: topic["messages"] for topic in info["topics"]}
        for rate in 1, 4:
            got = self.listen("--rate", str(rate))
            for topic in "observation", "scene", "health":
                self.assertEqual(sum(name == topic for name, _, _ in got), wanted[topic], topic)
            self.assertAlmostEqual(got[-1][1], info["seconds"] / rate, delta=0.8)
        self.assertEqual(len({message for _, _, message in got}), len(got))

    def test_from_skips_the_beginning(self):
        captured_s = [json.loads(line)["image"]["capture_ns"] / 1e9 for line in self.lines]
        got = self.listen("--from", "0:02", "--rate", "100")
        count = sum(name == "observation" for name, _, _ in got)
        # Both the recording's start and an observation's record follow their image's capture, by up to two seconds where others load the machine.
        fewest, most = (sum(at > captured_s[0] + seconds for at in captured_s) for seconds in (4, 1))
        self.assertTrue(fewest <= count <= most, f"{count}, not {fewest} to {most}")

    def test_json_is_what_run_printed(self):
        stills = self.folder / "stills.mcap"
        run = pov("run", self.station, "--no-publish", "--json", "--record", stills)
        self.assertEqual(len(run.stdout.splitlines()), 8)
        self.assertTrue(pov("replay", stills, "--json").stdout == run.stdout)

    def test_a_recording_cut_anywhere_gives_its_beginning_and_is_mended(self):
        whole, chance = self.recording.read_bytes(), random.Random(3)
        cut = self.folder / "cut.mcap"
        longest = 0
        for _ in range(CUTS):
            length = chance.randrange(60, len(whole))
            cut.write_bytes(whole[:length])
            before = pov("replay", cut, "--json")
            lines = before.stdout.splitlines()
            self.assertEqual(lines, self.lines[:len(lines)], length)
            mended = pov("replay", cut, "--repair")
            self.assertEqual(mended.returncode, 0, mended.stderr)
            self.assertEqual(pov("replay", cut, "--json").stdout, before.stdout)
            info = pov("info", cut, "--json")
            self.assertEqual(info.returncode, 0, info.stderr)
            held = json.loads(info.stdout)
            self.assertTrue(held["indexed"])
            counts = {topic["topic"]: topic["messages"] for topic in held["topics"]}
            self.assertLessEqual(counts.get("observation", 0), counts.get("/camera/image", 0), "an observation lacks its image")
            longest = max(longest, len(lines))
        self.assertGreater(longest, 100)
        self.assertIn("has an index already", pov("replay", cut, "--repair").stdout)

    def test_a_damaged_chunk_costs_itself_and_is_named(self):
        whole = bytearray(self.recording.read_bytes())
        chunks = chunk_places(whole)
        place, length = chunks[len(chunks) // 2]
        whole[place + length // 2] ^= 0xFF
        damaged = self.folder / "damaged.mcap"
        damaged.write_bytes(whole)
        run = pov("replay", damaged, "--json")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"damaged.mcap: the chunk at byte \d+ is damaged")
        lines = run.stdout.splitlines()
        self.assertTrue(0 < len(lines) < 160)
        self.assertTrue(set(lines) < set(self.lines))
        self.assertEqual(pov("info", damaged).returncode, 1)

    def damage(self, name, change):
        """A copy with its chunks changed by `change(bytes, chunks)`."""
        whole = bytearray(self.recording.read_bytes())
        whole = change(whole, chunk_places(whole)) or whole
        damaged = self.folder / name
        damaged.write_bytes(whole)
        return damaged

    def assert_each_command_fails(self, damaged, said):
        """Each says so and ends with 1, and writes what is sound."""
        where = self.folder / f"of_{damaged.stem}"
        where.mkdir()
        for command in (["info", damaged], ["replay", damaged, "--json"], ["export", damaged, "--csv", where / "tables"],
                        ["export", damaged, "--ros2", where / "bag.mcap"], ["cut", damaged, where / "cut.mcap"],
                        ["export", damaged, "--dataset", "jsonl", where / "set", "--questions", "vsr", "--shard", "0/40"],
                        ["ask", damaged, "is the red ball left of the blue ball?"], ["judge", damaged],
                        ["run", self.station, "--images", damaged, "--no-publish", "--quiet"]):
            run = pov(*command)
            self.assertEqual(run.returncode, 1, command)
            self.assertRegex(run.stderr, said, command)
        return where

    def test_every_command_says_that_a_recording_is_damaged_and_fails(self):
        def damage_one(whole, chunks):
            place, length = chunks[len(chunks) // 2]
            whole[place + length // 2] ^= 0xFF
        where = self.assert_each_command_fails(self.damage("one_chunk.mcap", damage_one), r"one_chunk.mcap: the chunk at byte \d+ is damaged")
        names = {path.name for path in (where / "tables").iterdir()}
        self.assertEqual(names, {"images.csv", "entities.csv", "judgments.csv", "visibility.csv", "asks.csv", "vlm.csv", "log.csv"})
        rows = list(csv.reader((where / "tables/images.csv").read_text().splitlines()))
        self.assertTrue(1 < len(rows) < 161)
        self.assertEqual(pov("info", where / "cut.mcap").returncode, 0)
        self.assertTrue((where / "set/DATASHEET.md").exists())

    def test_a_recording_of_which_nothing_is_sound_makes_no_empty_tables(self):
        def damage_all(whole, chunks):
            for place, length in chunks:
                whole[place + length // 2] ^= 0xFF
        where = self.assert_each_command_fails(self.damage("no_chunk.mcap", damage_all), r"no_chunk.mcap: the chunk at byte \d+ is damaged")
        self.assertRegex(pov("info", self.folder / "no_chunk.mcap").stderr, r"this and \d+ other damaged places were left out")
        self.assertEqual([*(where / "tables").iterdir()], [])
        self.assertFalse((where / "cut.mcap").exists() or (where / "bag.mcap").exists())

    def test_a_record_of_a_wrong_length_is_not_the_end_without_a_word(self):
        """The index is gone, and what follows cannot be found."""
        def damage_length(whole, chunks):
            place = chunks[len(chunks) // 2][0]
            whole[place + 1:place + 9] = b"\xff" * 8
            return whole[:-200]
        self.assert_each_command_fails(self.damage("lengths.mcap", damage_length), r"ends within a record at byte \d+: the \d+ bytes")

    def test_a_recording_that_ends_before_its_first_image_is_not_one_without_images(self):
        path = self.folder / "begun.mcap"
        path.write_bytes(self.recording.read_bytes()[:3000])
        done = pov("run", self.station, "--images", path, "--no-publish")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"no image can be read: .*begun.mcap: ends within a record at byte \d+")

    def test_a_small_file_that_unpacks_to_gigabytes_is_refused_at_once(self):
        block_bytes, blocks = 131072, 2060
        run = b"".join(((block_bytes << 3) | 2 | (i == blocks - 1)).to_bytes(3, "little") + b"\0" for i in range(blocks))
        frame = b"\x28\xb5\x2f\xfd\x00\x48" + run  # RFC 8878: no size, a window of 512 kB, blocks of one repeated byte
        coded = struct.pack("<QQQI", 1, 1, block_bytes * blocks, 0) + text(b"zstd") + struct.pack("<Q", len(frame)) + frame
        bomb = self.folder / "bomb.mcap"
        bomb.write_bytes(MAGIC + record(1, text(b"") + text(b"")) + 40 * record(6, coded))
        self.assertLess(bomb.stat().st_size, 500000)
        begun = time.monotonic()
        self.assert_each_command_fails(bomb, r"bomb.mcap: promises \d+ bytes unpacked")
        self.assertLess(time.monotonic() - begun, 20)  # 39 s each without the limit

    def test_nothing_that_is_there_is_written_over_or_followed(self):
        there, elsewhere = self.folder / "linked", self.folder / "elsewhere"
        for name, make in ("station.yaml", lambda path: path.symlink_to(elsewhere)), ("station.yaml", lambda path: path.write_text("mine")):
            there.mkdir()
            elsewhere.write_text("mine")
            make(there / name)
            run = pov("info", self.recording, "--extract", there)
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"{there}/{name}: is there already", run.stderr)
            self.assertEqual(elsewhere.read_text(), "mine")
            self.assertEqual((there / name).read_text(), "mine")
            shutil.rmtree(there)
        hostile = self.folder / "folders.mcap"
        hostile.write_bytes(MAGIC + record(1, text(b"") + text(b"")) + attachment(b"out/x", b"data"))
        there.mkdir()
        (there / "out").symlink_to(self.folder)
        run = pov("info", hostile, "--extract", there)
        self.assertEqual((run.returncode, (self.folder / "x").exists()), (1, False))
        self.assertIn("is a link, which is not followed", run.stderr)
        hostile.write_bytes(MAGIC + record(1, text(b"") + text(b"")) + attachment(b"a/" * 2000 + b"x", b"data") + attachment(b"y", b"1") + attachment(b"y", b"2"))
        shutil.rmtree(there)
        run = pov("info", hostile, "--extract", there)
        self.assertEqual(run.returncode, 1)
        self.assertEqual([(path.name, path.read_bytes()) for path in there.iterdir()], [("y", b"1")])

    def test_a_full_disk_names_the_file(self):
        for command in ["cut", self.recording, "/dev/full"], ["export", self.recording, "--ros2", "/dev/full"]:
            run = pov(*command)
            self.assertEqual(run.returncode, 1)
            self.assertIn("/dev/full: cannot be written: No space left on device", run.stderr)
        tables = self.folder / "full"
        run = subprocess.run([POV, "export", self.recording, "--csv", tables], capture_output=True, text=True, check=False,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))
        self.assertEqual((run.returncode, [*tables.iterdir()]), (1, []))
        self.assertIn(f"{tables}/judgments.csv: cannot be written: File too large", run.stderr)

    def test_info_finds_the_gap(self):
        info = json.loads(pov("info", self.recording, "--json").stdout)
        self.assertEqual(info["images"]["count"], 160)
        self.assertEqual(info["images"]["missing"], 0)
        self.assertEqual(info["session"]["video"], "true")
        self.assertEqual([file["name"] for file in info["attachments"]], ["station.yaml", "camera.yaml"])

    def test_an_extracted_station_judges_the_same(self):
        there = self.folder / "there"
        self.assertEqual(pov("info", self.recording, "--extract", there).returncode, 0)
        anew = pov("run", there / "station.yaml", "--images", self.recording, "--no-publish", "--json")
        self.assertTrue(anew.stdout == self.judged)

    def test_attached_files_stay_in_their_folder(self):
        hostile = self.folder / "hostile.mcap"
        files = b"".join(attachment(name, b"data") for name in
                         (b"../out", b"/tmp/pov_out", b"a/../../out", b"", b".", b"a//b", b"fine/x.txt", b"\x1b[2Jy"))
        hostile.write_bytes(MAGIC + record(1, text(b"") + text(b"")) + files)
        there = self.folder / "deep/there"
        (self.folder / "deep").mkdir()
        run = pov("info", hostile, "--extract", there)
        self.assertEqual(run.returncode, 1)
        self.assertIn("6 attached files were not written", run.stderr)
        self.assertNotIn("\x1b", run.stdout + run.stderr)
        found = {str(path.relative_to(self.folder / "deep")) for path in (self.folder / "deep").rglob("*") if path.is_file()}
        self.assertEqual(found, {"there/fine/x.txt", "there/\x1b[2Jy"})
        self.assertEqual((there / "fine/x.txt").read_bytes(), b"data")

    def test_tables_say_what_the_json_says(self):
        there = self.folder / "tables"
        run = pov("export", self.recording, "--csv", there)
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = {file.stem: list(csv.DictReader(file.open(newline=""))) for file in there.glob("*.csv")}
        self.assertEqual(set(rows), {"images", "entities", "judgments", "visibility", "asks", "vlm", "log"})
        observations = [json.loads(line) for line in self.lines]
        self.assertEqual([(int(row["image"]), row["name"], int(row["capture_ns"])) for row in rows["images"]],
                         [(o["image"]["sequence"], o["image"]["name"], o["image"]["capture_ns"]) for o in observations])
        judged = [(o["image"]["sequence"], j) for o in observations for j in o["judgments"]]
        self.assertEqual(len(rows["judgments"]), len(judged))
        for row, (sequence, judgment) in zip(rows["judgments"], judged):
            self.assertEqual(int(row["image"]), sequence)
            for row_key, key in (("referent",) * 2, ("relation",) * 2, ("relata", "relatum"), ("convention",) * 2, ("verdict",) * 2):
                self.assertEqual(row[row_key], judgment[key] or "")
            self.assertAlmostEqual(float(row["p"] or "nan"), judgment["p"], 6) if judgment["p"] is not None else self.assertEqual(row["p"], "")
        entities = [e for o in observations for e in o["scene"]["entities"]]
        for row, entity in zip(rows["entities"], entities, strict=True):
            self.assertEqual(row["id"], entity["id"])
            self.assertAlmostEqual(float(row["y_m"]), entity["pos_m"][1], 6)
            self.assertAlmostEqual(float(row["y_std_m"]), entity["pos_cov_m2"][4] ** 0.5, 6)
        self.assertEqual(len(rows["visibility"]), sum(len(o["visibility"]) for o in observations))
        self.assertEqual(pov("export", self.recording).returncode, 2)

    # ---- cut ----

    def info(self, recording):
        return json.loads(pov("info", recording, "--json").stdout)

    def test_a_part_is_cut_out_byte_for_byte(self):
        part = self.folder / "part.mcap"
        run = pov("cut", self.recording, part, "--from", "0:01", "--to", "0:02.5")
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = pov("replay", part, "--json").stdout.splitlines()
        start = self.lines.index(lines[0])
        self.assertEqual(lines, self.lines[start:start + len(lines)])
        captured_ns = [json.loads(line)["image"]["capture_ns"] for line in lines]
        self.assertAlmostEqual((captured_ns[-1] - captured_ns[0]) / 1e9, 1.5, delta=0.2)
        again = pov("run", self.station, "--images", part, "--no-publish", "--json").stdout.splitlines()
        self.assertEqual([json.loads(line)["image"] for line in again], [json.loads(line)["image"] for line in lines])
        self.assertEqual(self.info(part)["session"]["video"], "true")
        self.assertEqual(len(self.info(part)["attachments"]), 2)

    def test_images_and_files_are_left_out(self):
        bare = self.folder / "bare.mcap"
        self.assertEqual(pov("cut", self.recording, bare, "--images", "none", "--no-files").returncode, 0)
        told = self.info(bare)
        topics = {topic["topic"]: topic["messages"] for topic in told["topics"]}
        self.assertEqual((topics["/camera/image"], topics["/camera/header"], told["attachments"], told["session"]["station"]), (0, 0, [], None))
        self.assertNotIn(b"IHDR", bare.read_bytes())
        self.assertTrue(pov("replay", bare, "--json").stdout == self.judged)
        self.assertEqual(pov("cut", self.recording, bare, "--from", "9:00").returncode, 1)
        self.assertEqual(self.info(bare), told)

    def test_images_of_other_programs_are_left_out_too(self):
        bag, cut = self.folder / "of_others.mcap", self.folder / "of_others_cut.mcap"
        self.assertEqual(pov("export", self.recording, "--ros2", bag).returncode, 0)
        for policy in ("none", "blur"):
            run = pov("cut", bag, cut, "--images", policy, "--no-files")
            self.assertEqual((run.returncode, cut.exists()), (1, False), run.stdout)
            self.assertIn("--images keep", run.stderr)
        self.assertEqual(pov("cut", bag, cut).returncode, 0)

    def test_a_private_recording_s_cut_is_private(self):
        private = self.folder / "private.mcap"
        self.assertEqual(subprocess.run(["sh", "-c", f"umask 077; '{POV}' cut '{self.recording}' '{private}'"], capture_output=True, check=False).returncode, 0)
        self.assertEqual(private.stat().st_mode & 0o777, 0o600)

    def test_blurring_leaves_no_raw_image(self):
        raw, blurred = self.folder / "people.mcap", self.folder / "blurred.mcap"
        self.assertEqual(pov("run", self.station, "--no-publish", "--quiet", "--record", raw).returncode, 0)
        run = pov("cut", raw, blurred, "--images", "blur")
        if "cascade" in run.stderr:
            self.skipTest(run.stderr)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"8 images, \d+ faces blurred")
        self.assertNotIn(b"IHDR", blurred.read_bytes())
        self.assertEqual(self.info(blurred)["images"]["count"], 8)
        self.assertTrue(pov("replay", blurred, "--json").stdout == pov("replay", raw, "--json").stdout)

    # ---- diff ----

    def diff(self, old, new, *arguments):
        run = pov("diff", old, new, "--json", *arguments)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        self.assertTrue(run.stdout, run.stderr)
        return run.returncode, json.loads(run.stdout)

    def changed_lines(self, change):
        """The judged lines, after `change` was made to one of them."""
        lines = list(self.lines)
        observation = json.loads(lines[70])
        change(observation)
        lines[70] = json.dumps(observation)
        file = self.folder / "changed.jsonl"
        file.write_text("\n".join(lines) + "\n")
        return file

    def test_the_same_judged_anew_differs_in_nothing(self):
        anew = self.folder / "anew.mcap"
        run = pov("run", self.station, "--images", self.recording, "--no-publish", "--quiet", "--record", anew)
        self.assertEqual(run.returncode, 0, run.stderr)
        code, said = self.diff(self.recording, anew)
        self.assertEqual((code, said["images"], said["images_changed"], said["changes"]), (0, 160, 0, []))
        lines = self.folder / "lines.jsonl"
        lines.write_text(self.judged)
        self.assertEqual(self.diff(self.recording, lines)[0], 0)

    def test_a_changed_verdict_is_told_with_whom_and_when(self):
        def flip(observation):
            judgment = observation["judgments"][3]
            self.old = dict(judgment)
            judgment["verdict"], judgment["p"] = "undefined", 0.25
        code, said = self.diff(self.recording, self.changed_lines(flip))
        self.assertEqual((code, said["judgments"]["changed"], said["images_changed"]), (1, 1, 1))
        (change,) = said["changes"]
        self.assertEqual(change["sequence"], 70)
        for word in "referent", "relation", "relatum", "perspective", "viewer", "convention", "axis":
            self.assertIn(self.old[word], change["of"].split())
        self.assertEqual(change["after"], "undefined, p 0.250")
        self.assertTrue(change["before"].startswith(self.old["verdict"]))
        self.assertAlmostEqual(change["time_s"], (json.loads(self.lines[70])["image"]["capture_ns"] -
                                                  json.loads(self.lines[0])["image"]["capture_ns"]) * 1e-9, delta=1e-3)

    def test_a_place_counts_beyond_its_deviations_only(self):
        for deviations, moved in (2.9, 0), (3.1, 1):
            def move(observation, deviations=deviations):
                ball = next(e for e in observation["scene"]["entities"] if e["id"] == "red_ball")
                ball["pos_m"][1] += deviations * ball["pos_cov_m2"][4] ** 0.5
            code, said = self.diff(self.recording, self.changed_lines(move))
            self.assertEqual((code, said["things"]["moved"]), (moved, moved), deviations)

    def test_things_images_and_judgments_that_are_gone_are_told(self):
        def drop(observation):
            del observation["scene"]["entities"][1]
            del observation["judgments"][5]
        file = self.changed_lines(drop)
        file.write_text("\n".join(file.read_text().splitlines()[:-2]) + "\n")
        code, said = self.diff(self.recording, file)
        self.assertEqual((code, said["things"]["gone"], said["judgments"]["gone"], said["judgments"]["changed"], said["only_old"],
                          said["only_new"]), (1, 1, 1, 0, 2, 0))
        code, said = self.diff(file, self.recording)
        self.assertEqual((said["things"]["new"], said["judgments"]["new"], said["only_new"]), (1, 1, 2))

    def test_the_page_shows_the_image(self):
        def flip(observation):
            observation["judgments"][3]["verdict"] = "undefined"
        page = self.folder / "page.html"
        self.diff(self.recording, self.changed_lines(flip), "--html", page)
        html = page.read_text()
        self.assertEqual(html.count("data:image/png;base64,"), 1)
        self.assertIn(json.loads(self.lines[70])["image"]["name"], html)

    def test_other_images_are_refused(self):
        def rename(observation):
            observation["image"]["name"] = "another.png"
        run = pov("diff", self.recording, self.changed_lines(rename))
        self.assertEqual(run.returncode, 1)
        self.assertIn("these are not runs over the same images", run.stderr)
        broken = self.folder / "broken.jsonl"
        broken.write_text('{"image": 3\n')
        self.assertIn("broken.jsonl:1: is not a line of JSON", pov("diff", broken, self.recording).stderr)


if __name__ == "__main__":
    unittest.main()
