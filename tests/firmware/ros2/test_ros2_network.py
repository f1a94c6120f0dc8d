#!/usr/bin/python3
"""A robot and a laptop in two network namespaces, with a cable between them: discovery by multicast and by ROS_STATIC_PEERS, a tenth of all packets
lost, a crowd of foreign participants. The laptop is the other vendor's DDS. Needs root."""
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import time
import unittest

sys.path.insert(0, str(pathlib.Path(os.environ["POV_SOURCE"]) / "tests/support"))
sys.path.insert(0, str(pathlib.Path(os.environ["POV_SOURCE"]) / "tests/ordeal"))
from at_once import AtOnce  # noqa: E402
from network import Cable, Host  # noqa: E402

POV = os.environ["POV"]
PEER = pathlib.Path(POV).parent / "tests/ros2_peer"
DOMAIN = "7"  # a namespace has its own ports
RATE_HZ = 10
CROWD = int(os.environ.get("POV_CROWD", "30"))


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


class Network(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-ros2-network-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        subprocess.run([POV, "sim", "comfort-ball", "--images", "4", "--quiet", "--out", cls.folder / "world"], check=True)

    def setUp(self):
        self.robot, self.laptop = Host("10.77.0.1"), Host("10.77.0.2")
        self.cable = Cable(self.robot, self.laptop, 5)
        for host in self.robot, self.laptop:
            self.assertEqual(host.start("ip", "route", "add", "224.0.0.0/4", "dev", "cable").wait(), 0)

    def tearDown(self):
        self.doCleanups()  # programs first
        self.cable.cut = True
        self.cable.join()
        for host in self.robot, self.laptop:
            host.close()

    def station(self, **more):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("ROS_")}
        run = self.robot.start(POV, "run", self.folder / "world/station.yaml", "--no-publish", "--ros2", "--loop", "--rate", RATE_HZ,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**environment, "ROS_DOMAIN_ID": DOMAIN, **more})
        self.addCleanup(lambda: (run.kill(), run.wait(), run.stderr.close()))
        return run

    def on_laptop(self, *arguments):
        peer = self.laptop.start(PEER, *arguments, stdout=subprocess.PIPE, env={**os.environ, "ROS2_PEER_ADDRESS": self.laptop.address})
        self.addCleanup(lambda: (peer.kill(), peer.wait(), peer.stdout.close()))
        return peer

    def hear(self, seconds, topic="rt/pov/judgments"):
        return self.on_laptop("hear", DOMAIN, seconds, topic, "std_msgs::msg::dds_::String_", "rv")

    @staticmethod
    def sequences(peer, most):
        """Of the images that are told of."""
        found = []
        for line in peer.stdout:
            word, rest = line.split(" ", 1)
            if word.startswith("rt/"):
                message = bytes.fromhex(rest.strip())
                (length,) = struct.unpack_from("<I", message, 4)
                found.append(json.loads(message[8:8 + length - 1])["image"]["sequence"])
            if len(found) == most:
                break
        return found

    def end(self, run):
        run.send_signal(signal.SIGINT)
        said = run.stderr.read()
        self.assertEqual(run.wait(timeout=30), 0, said)
        return said

    def test_a_laptop_hears_the_robot_by_multicast(self):
        run = self.station()
        self.assertEqual(len(self.sequences(self.hear(12), 5)), 5)
        self.end(run)

    def test_a_laptop_is_found_by_its_address_where_there_is_no_multicast(self):
        run = self.station(ROS_AUTOMATIC_DISCOVERY_RANGE="OFF", ROS_STATIC_PEERS="10.77.0.9;10.77.0.2")
        self.assertEqual(len(self.sequences(self.hear(12), 5)), 5)
        self.end(run)

    def test_on_a_network_that_loses_a_tenth_each_judgment_arrives_once_and_in_order(self):
        self.cable.loss = 0.1
        run = self.station()
        found = self.sequences(self.hear(20), 40)
        said = self.end(run)
        self.assertEqual(len(found), 40, said)
        self.assert_whole(found)
        self.assert_all_judged(said)

    def assert_whole(self, found):
        """Each once and in order. A reader that hears no repair for a second misses what the depth of ten no longer holds."""
        self.assertEqual(found, sorted(set(found)))
        self.assertLess(found[-1] - found[0] + 1 - len(found), len(found) / 4, found)

    def assert_all_judged(self, said):
        self.assertNotRegex(said, r"\d+ lost")
        self.assertRegex(said, r"\d+ images judged")

    def test_a_crowd_of_participants_and_a_flood_of_foreign_topics_cost_no_judgment(self):
        """The crowd itself costs a processor: a hundred of them by hand, POV_CROWD=100."""
        crowd = self.on_laptop("crowd", DOMAIN, CROWD, 500)
        self.assertEqual(crowd.stdout.readline(), "ready\n")
        run = self.station()
        begun = time.monotonic()
        found = self.sequences(self.hear(40), 20)
        used_s = sum(map(int, pathlib.Path(f"/proc/{run.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
        print(f"among {CROWD} foreign participants: {100 * used_s / (time.monotonic() - begun):.0f} % of a processor for 10 images a second")
        said = self.end(run)
        self.assertEqual(len(found), 20, said)
        self.assert_whole(found)
        self.assert_all_judged(said)


if __name__ == "__main__":
    if not PEER.exists():
        skip("libfastrtps-dev is not installed, or pov was built without ROS 2")
    if os.geteuid() != 0:
        skip("network namespaces need root")
    try:
        Host("10.77.0.1").close()
    except (OSError, subprocess.CalledProcessError) as problem:
        skip(f"no network of its own can be made here: {problem}")
    unittest.main(testRunner=AtOnce(3))
