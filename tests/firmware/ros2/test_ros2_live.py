#!/usr/bin/python3
"""A station as a node of ROS 2, heard by the other vendor's DDS (eProsima Fast DDS): bytes, names, QoS, who comes late, who goes."""
import collections
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/support"))
from at_once import AtOnce, ros2_domain  # noqa: E402
from ros2_bytes import Cdr  # noqa: E402

POV = os.environ["POV"]
PEER = pathlib.Path(POV).parent / "tests/ros2_peer"
INTEROP = pathlib.Path(POV).parent / "interop"  # test_interop.py fetches npm's packages there
TYPES = {"/pov/image/compressed": "sensor_msgs/CompressedImage", "/pov/camera_info": "sensor_msgs/CameraInfo", "/tf": "tf2_msgs/TFMessage",
         "/tf_static": "tf2_msgs/TFMessage", "/pov/camera_pose": "geometry_msgs/PoseWithCovarianceStamped",
         "/pov/detections": "vision_msgs/Detection3DArray", "/pov/markers": "visualization_msgs/MarkerArray",
         "/pov/judgments": "std_msgs/String", "/pov/visibility": "std_msgs/String", "/pov/health": "std_msgs/String",
         "/pov/ask": "std_msgs/String", "/pov/msgs/ask": "pov_msgs/Ask", "/pov/goal": "geometry_msgs/PoseStamped", "/pov/reply": "std_msgs/String", "/robot1/pov/judgments": "std_msgs/String",
         "/pov/msgs/judgments": "pov_msgs/Judgments", "/pov/msgs/visibility": "pov_msgs/Sights", "/diagnostics": "diagnostic_msgs/DiagnosticArray"}

BAG = [topic for topic in TYPES if topic not in ("/pov/ask", "/pov/msgs/ask", "/pov/reply", "/pov/goal", "/robot1/pov/judgments")]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def dds_names(topic, kind):
    package, name = kind.split("/")
    return "rt" + topic, f"{package}::msg::dds_::{name}_"


def heard(peer, enough=lambda messages, events: False):
    """Messages by topic, and what was said of the topics themselves; until there is enough, or the peer ends."""
    messages, events = collections.defaultdict(list), collections.Counter()
    for line in peer.stdout:
        word, rest = line.rstrip("\n").split(" ", 1)
        if not line.endswith("\n"):
            break  # it was killed
        if word in ("matched", "unmatched", "incompatible"):
            events[word, rest.removeprefix("rt")] += 1
        else:
            message = bytes.fromhex(rest)
            if message:  # 2.9 hands out an empty one where parts of a long one are lost; pov ends rather than send one of under 4 bytes
                messages[word.removeprefix("rt")].append(message + bytes(-len(message) % 4))  # as RTPS pads most
        if enough(messages, events):
            break
    peer.kill()
    peer.wait()
    peer.stdout.close()
    return messages, events


def has(*topics):
    return lambda messages, events: all(messages[topic] for topic in topics)


def refuses(topic):
    return lambda messages, events: events["incompatible", topic] or messages[topic]


def text_of(message):
    (length,) = struct.unpack_from("<I", message, 4)
    return message[8:8 + length - 1].decode()


class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-ros2-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        subprocess.run([POV, "sim", "comfort-ball", "--images", "8", "--quiet", "--out", cls.folder / "world"], check=True)
        cls.station = cls.folder / "world/station.yaml"

    def setUp(self):
        self.domain = self.enterContext(ros2_domain())
        self.environment = {**os.environ, "ROS_LOCALHOST_ONLY": "1", "ROS_DOMAIN_ID": str(self.domain)}

    def hear(self, seconds, *wanted):
        """Each wanted: a topic and the letters of its QoS."""
        arguments = [word for topic, qos in wanted for word in (*dds_names(topic, TYPES[topic]), qos)]
        return subprocess.Popen([PEER, "hear", str(self.domain), str(seconds), *arguments], stdout=subprocess.PIPE, text=True)

    def run_station(self, *arguments, **more):
        environment = {**self.environment, **more}
        return subprocess.Popen([POV, "run", self.station, "--no-publish", "--quiet", *map(str, arguments)], env=environment,
                                stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)

    def end(self, station, code=0):
        station.send_signal(signal.SIGINT)
        said = station.communicate(timeout=60)[1]
        self.assertEqual(station.returncode, code, said)
        return said

    def looped(self, *arguments, **more):
        return self.run_station("--ros2", "--loop", "--rate", 10, *arguments, **more)

    def with_section(self, name, section):
        path = self.folder / "world" / name
        path.write_text(self.station.read_text() + section)
        return path

    def test_every_topic_has_the_bytes_of_the_bag(self):
        if not (INTEROP / "installed").exists():
            self.skipTest("npm's packages are missing: program_interop fetches them")
        for name in os.listdir(SOURCE / "tests/interop"):
            shutil.copy(SOURCE / "tests/interop" / name, INTEROP)
        recording, bag = self.folder / "a.mcap", self.folder / "bag.mcap"
        topics = [topic for topic in BAG if topic != "/tf_static"]
        peer = self.hear(6, *((topic, "rv") for topic in topics))
        time.sleep(0.5)
        station = self.looped("--record", recording)
        messages, _ = heard(peer)
        self.end(station)
        subprocess.run([POV, "export", recording, "--ros2", bag], check=True, capture_output=True)
        printed = subprocess.run(["node", "bag_bytes.mjs", bag], cwd=INTEROP, capture_output=True, text=True, check=True).stdout
        recorded = collections.defaultdict(set)
        for line in printed.splitlines():
            topic, digits = line.split(" ")
            message = bytes.fromhex(digits)
            recorded[topic].add(message + bytes(-len(message) % 4))
        for topic in topics:
            self.assertGreater(len(messages[topic]), 2 if topic in ("/pov/health", "/diagnostics") else 20, topic)
            unknown = [message for message in messages[topic] if message not in recorded[topic]]
            self.assertEqual(len(unknown), 0, topic)

    def test_qos_as_readers_of_ros_2_want_it(self):
        wanted = [("/pov/judgments", "rv"), ("/tf", "rv"), ("/pov/markers", "bv"), ("/pov/image/compressed", "bv")]
        station = self.looped()
        messages, events = heard(self.hear(9, *wanted), has(*(topic for topic, _ in wanted)))
        too_much, refused = heard(self.hear(5, ("/pov/judgments", "rt")))  # so that the station hears of it, too
        said = self.end(station)
        self.assertTrue(all(messages[topic] for topic, _ in wanted))
        self.assertFalse(refused["matched", "/pov/judgments"] or too_much["/pov/judgments"])
        self.assertEqual(refused["incompatible", "/pov/judgments"], 1)
        self.assertIn("did not match by QoS, first of /pov/judgments", said)

    def test_each_of_several_cameras_has_topics_and_a_frame_of_its_own(self):
        folder = self.folder / "two"
        subprocess.run([POV, "sim", "station", "--cameras", "2", "--images", "3", "--size", "320x240", "--quiet", "--out", folder], check=True)
        (folder / "remapped.yaml").write_text((folder / "station.yaml").read_text() + "judge: {pairs: [[car, ball]]}\nros2: {remap: [{from: /pov/camera_info, to: /eye/info}]}\n")
        kinds = {"/pov/a/image/compressed": "/pov/image/compressed", "/pov/b/image/compressed": "/pov/image/compressed", "/a/eye/info": "/pov/camera_info",
                 "/b/eye/info": "/pov/camera_info", "/pov/a/camera_pose": "/pov/camera_pose", "/pov/b/camera_pose": "/pov/camera_pose",
                 "/tf": "/tf", "/pov/judgments": "/pov/judgments"}
        arguments = [word for topic, kind in kinds.items() for word in (*dds_names(topic, TYPES[kind]), "rv")]
        peer = subprocess.Popen([PEER, "hear", str(self.domain), "15", *arguments], stdout=subprocess.PIPE, text=True)
        station = subprocess.Popen([POV, "run", folder / "remapped.yaml", "--ros2", "--no-publish", "--quiet", "--loop", "--rate", "10"],
                                   env=self.environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        messages, _ = heard(peer, lambda messages, events: all(len(messages[topic]) > 12 for topic in kinds))
        self.end(station)
        for id_ in "ab":
            frame = f"{id_}_camera_optical_frame\0".encode()
            self.assertTrue(any(frame in message for message in messages["/tf"]))
            for topic in f"/pov/{id_}/image/compressed", f"/{id_}/eye/info":
                self.assertTrue(messages[topic], topic)
                self.assertTrue(all(frame in message[:64] for message in messages[topic]), topic)
            images = [json.loads(text_of(message))["image"] for message in messages["/pov/judgments"]]
            self.assertTrue(any(image["camera"] == id_ for image in images))
            true_m = json.loads((folder / id_ / "truth.jsonl").read_text().splitlines()[0])["camera"]["pos_m"]
            for message in messages[f"/pov/{id_}/camera_pose"]:  # the header: stamp, length of "table\0" and itself, padded to 8
                for ours, theirs in zip(struct.unpack_from("<3d", message, 4 + 24), true_m):
                    self.assertLess(abs(ours - theirs), 0.03)

    def test_best_effort_images_match_no_reliable_reader(self):
        station = subprocess.Popen([POV, "run", self.with_section("best.yaml", "ros2: {best_effort_images: true}\n"), "--no-publish", "--quiet",
                                    "--loop", "--rate", "10"], env=self.environment, stderr=subprocess.PIPE, text=True)
        _, reliable = heard(self.hear(9, ("/pov/image/compressed", "rv")), refuses("/pov/image/compressed"))
        messages, _ = heard(self.hear(9, ("/pov/image/compressed", "bv")), has("/pov/image/compressed"))
        self.end(station)
        self.assertEqual(reliable["incompatible", "/pov/image/compressed"], 1)
        self.assertTrue(messages["/pov/image/compressed"])

    def test_who_comes_late_gets_the_root_frame_and_the_node_s_name(self):
        section = "ros2: {root: {frame: map, position_m: [1, 2, 0.7], yaw_deg: 90}, node: table_eye, namespace: /robot1, distribution: jazzy}\n"
        station = subprocess.Popen([POV, "run", self.with_section("root.yaml", section), "--no-publish", "--quiet", "--loop", "--rate", "10"],
                                   env=self.environment, stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        arguments = ["ros_discovery_info", "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_", "rt"]
        peer = subprocess.Popen([PEER, "hear", str(self.domain), "9", *dds_names("/tf_static", TYPES["/tf_static"]), "rt", *arguments,
                                 *dds_names("/robot1/pov/judgments", "std_msgs/String"), "rv"], stdout=subprocess.PIPE, text=True)
        messages, _ = heard(peer, has("/tf_static", "ros_discovery_info", "/robot1/pov/judgments"))
        self.end(station)
        (root,) = messages["/tf_static"]
        self.assertEqual(root[4:8], struct.pack("<I", 1))
        self.assertIn(b"map\0", root)
        self.assertIn(b"table\0", root)
        pose = struct.unpack("<7d", root[-56:])
        for value, true in zip(pose, (1, 2, 0.7, 0, 0, 0.5**0.5, 0.5**0.5)):
            self.assertAlmostEqual(value, true)
        (info,) = messages["ros_discovery_info"]
        self.assertEqual(struct.unpack_from("<I", info, 4 + 16)[0], 1)  # one node, after an id of 16 bytes
        self.assertEqual(info[24:24 + 4 + 8], struct.pack("<I", 8) + b"/robot1\0")
        self.assertEqual(info[36:36 + 4 + 10], struct.pack("<I", 10) + b"table_eye\0")
        (readers,), (writers,) = struct.unpack_from("<I", info, 52), struct.unpack_from("<I", info, 56 + 2 * 16)
        self.assertEqual((readers, writers), (2, 16))
        self.assertEqual(len(info), 60 + 16 * (readers + writers))
        self.assertIn('"judgments"', text_of(messages["/robot1/pov/judgments"][0]))

    def test_a_question_is_answered(self):
        question = self.folder / "question"
        text = b"is the red ball left of the blue ball?\0"
        question.write_bytes(b"\0\1\0\0" + struct.pack("<I", len(text)) + text)
        station = self.looped()
        peer = self.hear(20, ("/pov/reply", "rv"))
        asker = subprocess.Popen([PEER, "say", str(self.domain), *dds_names("/pov/ask", "std_msgs/String"), "rv", "4", question])
        messages, _ = heard(peer, has("/pov/reply"))
        asker.kill()
        asker.wait()
        self.end(station)
        exchange = json.loads(text_of(messages["/pov/reply"][0]))["exchange"]
        self.assertRegex(json.dumps(exchange["reply"]), r"(?i)red[ _]ball")

    def test_a_typed_request_gets_a_goal_with_its_place_and_turn(self):
        request = self.folder / "typed"
        request.write_bytes(bytes(Cdr().text("put the red ball 20 cm left of the blue ball").text("").text("robot").put("B", 0).bytes))
        station = self.looped()
        peer = self.hear(20, ("/pov/reply", "rv"), ("/pov/goal", "rv"))
        asker = subprocess.Popen([PEER, "say", str(self.domain), *dds_names("/pov/msgs/ask", "pov_msgs/Ask"), "rv", "4", request])
        messages, _ = heard(peer, has("/pov/reply", "/pov/goal"))
        asker.kill()
        asker.wait()
        self.end(station)
        reply = json.loads(text_of(messages["/pov/reply"][-1]))["exchange"]["reply"]
        self.assertEqual((reply["outcome"], reply["goal"]["object"]), ("goal", "red_ball"))
        message = messages["/pov/goal"][0]
        seconds, nanoseconds, length = struct.unpack_from("<iII", message, 4)
        self.assertEqual(message[16:16 + length], b"table\0")
        pose = struct.unpack("<7d", message[4 + (12 + length + 7) // 8 * 8:][:56])
        expected = [r for r in (json.loads(text_of(m))["exchange"]["reply"] for m in messages["/pov/reply"])
                    if abs(r["image"]["capture_ns"] - seconds * 10**9 - nanoseconds) < 1000]
        self.assertTrue(expected)
        for value, true in zip(pose, (*expected[0]["goal"]["position_m"], 0, 0, 0, 1)):
            self.assertAlmostEqual(value, true)

    def test_a_request_that_is_malformed_is_refused_by_a_reply(self):
        wrong = [b'{"utterance": ', b'{"ask": "who is there?"}', b'{"utterance": 5}', b'{"utterance": "hello", "colour": 1}', b'{"forget": true}',
                 b"a" * 70000, b'{"utterance": "hello", "speaker": "nobody"}']
        words = ["no JSON object", '\"ask\"', '\"utterance\"', '\"colour\"', "has no", "too long", "nobody called"]
        files = []
        for i, text in enumerate(wrong):
            files.append(self.folder / f"wrong{i}")
            files[-1].write_bytes(b"\0\1\0\0" + struct.pack("<I", len(text) + 1) + text + b"\0")
        station = self.looped()
        peer = self.hear(30, ("/pov/reply", "rv"))
        asker = subprocess.Popen([PEER, "say", str(self.domain), *dds_names("/pov/ask", "std_msgs/String"), "rv", "4", *files])
        replies = lambda messages: [json.loads(text_of(message))["exchange"]["reply"] for message in messages["/pov/reply"]]
        messages, _ = heard(peer, lambda messages, events: all(any(word in reply["say"] for reply in replies(messages)) for word in words))
        asker.kill()
        asker.wait()
        self.end(station)
        for word in words:
            found = [reply for reply in replies(messages) if word in reply["say"]]
            self.assertTrue(found, word)
            self.assertEqual((found[0]["outcome"], found[0]["answer"]), ("refused", None))

    def test_the_doctor_lists_nodes_topics_and_qos_that_does_not_match(self):
        station = subprocess.Popen([POV, "run", self.with_section("best2.yaml", "ros2: {best_effort_images: true, node: other_eye}\n"), "--no-publish",
                                    "--quiet", "--loop", "--rate", "5"], env=self.environment, stderr=subprocess.PIPE, text=True)
        peer = self.hear(20, ("/pov/image/compressed", "rv"), ("/pov/judgments", "rt"))
        time.sleep(4)
        told = subprocess.run([POV, "doctor", self.with_section("doctor.yaml", "ros2: {}\n")], capture_output=True, text=True, env=self.environment, check=False)
        self.end(station)
        peer.kill()
        peer.wait()
        peer.stdout.close()
        self.assertRegex(told.stdout, rf"domain {self.domain}, in three seconds: 1 node: /other_eye")
        self.assertRegex(told.stdout, r"\d+ topics: .*/pov/judgments")
        self.assertIn("interfaces: lo 127.0.0.1 (no multicast); kept to this machine by the environment", " ".join(told.stdout.split()))
        self.assertIn("/pov/image/compressed: a reader wants reliable, its publisher offers best effort", told.stdout)
        self.assertIn("/pov/judgments: a reader wants transient local, its publisher offers volatile", told.stdout)

    def test_a_peer_that_is_killed_and_comes_back_hears_again(self):
        station = self.looped()
        first, _ = heard(self.hear(9, ("/pov/judgments", "rv")), has("/pov/judgments"))  # killed then
        second, _ = heard(self.hear(9, ("/pov/judgments", "rv")), has("/pov/judgments"))
        self.end(station)
        self.assertTrue(first["/pov/judgments"] and second["/pov/judgments"])

    def test_off_opens_no_socket_and_loads_no_dds(self):
        def count(station):
            time.sleep(1)
            links = [os.readlink(path) for path in pathlib.Path(f"/proc/{station.pid}/fd").iterdir() if path.exists()]
            loaded = "libddsc" in pathlib.Path(f"/proc/{station.pid}/maps").read_text()
            return sum(link.startswith("socket:") for link in links), loaded
        off, on = self.run_station("--loop", "--rate", 10), self.looped()
        self.assertEqual(count(off), (0, False))
        sockets, loaded = count(on)
        self.assertTrue(sockets > 0 and loaded)
        self.end(off)
        self.end(on)

    def test_the_environment_chooses_domain_and_configuration(self):
        wrong = self.looped(ROS_DOMAIN_ID="233")
        self.assertIn("ROS_DOMAIN_ID is '233', which is not a number from 0 to 232", wrong.communicate(timeout=30)[1])
        self.assertEqual(wrong.returncode, 1)
        with ros2_domain() as other:
            elsewhere = self.looped(ROS_DOMAIN_ID=str(other))
            messages, _ = heard(self.hear(3, ("/pov/judgments", "rv")))
            self.end(elsewhere)
        self.assertFalse(messages)
        peers = self.looped(ROS_STATIC_PEERS="10.0.0.1;<robot>", ROS_LOCALHOST_ONLY="0")
        self.assertIn("ROS_STATIC_PEERS is not a list", peers.communicate(timeout=30)[1])
        bad = self.looped(CYCLONEDDS_URI="<CycloneDDS><Domain><General><Interfaces><NetworkInterface name=\"nowhere0\"/></Interfaces></General></Domain></CycloneDDS>")
        self.assertIn("cannot be joined", bad.communicate(timeout=30)[1])
        self.assertEqual(bad.returncode, 1)


if __name__ == "__main__":
    if not PEER.exists():
        skip("libfastrtps-dev is not installed, or pov was built without ROS 2")
    unittest.main(testRunner=AtOnce(12))
