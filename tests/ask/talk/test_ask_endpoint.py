#!/usr/bin/python3
"""The endpoint `ask:` of a running station, over real sockets: REQ and DEALER peers, dialogues of their own, hostile requests, the topic
"ask", and the example of a robot."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import zmq

POV = os.environ["POV"]
SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
THINGS = [{"id": "table", "position_m": [0, 0, -0.02], "size_m": [1.6, 1.2, 0.04], "yaw_deg": 0},
          {"id": "red_mug", "class": "mug", "position_m": [-0.4, 0.3, 0.05], "size_m": [0.08, 0.08, 0.1]},
          {"id": "blue_mug", "class": "mug", "position_m": [0.4, 0.3, 0.05], "size_m": [0.08, 0.08, 0.1]},
          {"id": "anna", "class": "woman", "position_m": [0, 1.2, 0.6], "size_m": [0.3, 0.5, 1.2], "front_deg": 270, "addressee": True},
          {"id": "bob", "class": "man", "position_m": [-1.4, 0.3, 0.6], "size_m": [0.3, 0.5, 1.2], "front_deg": 0}]


class Endpoint(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-endpoint-"))
        demo = subprocess.run([POV, "demo", "--out", cls.folder / "demo", "--images", "2"], capture_output=True)
        assert demo.returncode == 0, demo.stderr
        cls.wire, cls.ask = f"ipc://{cls.folder}/wire", f"ipc://{cls.folder}/ask"
        cls.station = cls.folder / "demo" / "own.yaml"
        cls.station.write_text("camera:\n  source: folder\n  folder: {path: images, rate_hz: 20, loop: true}\n  calibration: camera.yaml\n"
                               "  pose: {position_m: [0, -1.5, 1.0], look_at_m: [0, 0, 0]}\n"
                               f"ask: {{endpoint: \"{cls.ask}\"}}\ncast:\n"
                               + "".join(f"  - {json.dumps({'found_by': 'survey', **thing})}\n" for thing in THINGS))
        cls.process = subprocess.Popen([POV, "run", cls.station, "--publish", cls.wire, "--quiet"], stderr=subprocess.PIPE, text=True)
        cls.context = zmq.Context()
        deadline = time.monotonic() + 60
        while cls.one("how many mugs are there?")["outcome"] == "refused":
            assert time.monotonic() < deadline
            time.sleep(0.1)

    @classmethod
    def tearDownClass(cls):
        cls.context.destroy(linger=0)
        cls.process.send_signal(signal.SIGINT)
        complaint = cls.process.communicate(timeout=60)[1]
        shutil.rmtree(cls.folder)
        assert cls.process.returncode == 0, complaint

    @classmethod
    def peer(cls, kind=zmq.REQ):
        socket = cls.context.socket(kind)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.RCVTIMEO, 60000)
        socket.connect(cls.ask)
        return socket

    @classmethod
    def say(cls, socket, request):
        socket.send_json(request) if isinstance(request, dict) else socket.send_string(request)
        return json.loads(socket.recv())

    @classmethod
    def one(cls, request):
        socket = cls.peer()
        try:
            return cls.say(socket, request)
        finally:
            socket.close()

    def test_an_endpoint_that_is_taken_is_told_with_what_it_is_for(self):
        holder = self.context.socket(zmq.REP)
        port = holder.bind_to_random_port("tcp://127.0.0.1")
        station = self.station.with_name("taken.yaml")
        station.write_text(self.station.read_text().replace(f"ask: {{endpoint: \"{self.ask}\"}}", f"ask: {{endpoint: \"tcp://127.0.0.1:{port}\"}}"))
        done = subprocess.run([POV, "run", station, "--quiet"], capture_output=True, text=True, timeout=600)
        holder.close(linger=0)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"cannot answer questions on tcp://127.0.0.1:{port}: it is in use", done.stderr)

    def test_a_reply_has_the_image_that_it_stands_on(self):
        reply = self.one({"utterance": "give me the red mug"})
        self.assertEqual((reply["outcome"], reply["pick"]), ("picked", "red_mug"))
        self.assertEqual(set(reply["image"]), {"name", "sequence", "capture_ns", "age_s", "is_stale"})
        self.assertTrue(0 <= reply["image"]["age_s"] < 10 and not reply["image"]["is_stale"], reply["image"])
        self.assertEqual(len(reply["calibration_hash"]), 16)

    def test_each_peer_has_a_dialogue_of_its_own(self):
        one, other = self.peer(), self.peer()
        self.assertEqual(self.say(one, "give me the mug")["outcome"], "ask_back")
        self.assertEqual(self.say(other, "where is it?")["outcome"], "ask_back")  # what is "it"?
        self.assertEqual(self.say(one, {"utterance": "the blue one"})["pick"], "blue_mug")
        self.assertEqual(self.say(one, {"utterance": "why?"})["outcome"], "answered")
        self.assertEqual(self.say(one, {"utterance": "why?", "forget": True})["outcome"], "refused")

    def test_left_is_the_speakers(self):
        # anna, in the north, looks south: the blue mug in the east is at her left; bob, in the west, has both before him
        self.assertEqual(self.one({"utterance": "the mug on my left", "speaker": "anna"})["pick"], "blue_mug")
        self.assertEqual(self.one({"utterance": "give me the mug nearest to me", "speaker": "bob"})["pick"], "red_mug")
        self.assertIn("carl", self.one({"utterance": "the mug on my left", "speaker": "carl"})["say"])

    def test_a_dealer_gets_replies_in_the_form_it_asks_in(self):
        dealer = self.peer(zmq.DEALER)
        dealer.send(b"give me the red mug")
        self.assertEqual(json.loads(dealer.recv_multipart()[-1])["pick"], "red_mug")
        dealer.send_multipart([b"", b"give me the blue mug"])
        empty, reply = dealer.recv_multipart()
        self.assertEqual((empty, json.loads(reply)["pick"]), (b"", "blue_mug"))
        for _ in range(20):  # without waiting
            dealer.send(b"how many mugs are there?")
        answers = [json.loads(dealer.recv_multipart()[-1])["answer"] for _ in range(10)]
        self.assertEqual(answers, ["2"] * 10)

    def test_a_session_that_is_named_goes_on_over_a_new_connection(self):
        self.assertEqual(self.one({"utterance": "give me the mug", "session": "s1"})["outcome"], "ask_back")
        reply = self.one({"utterance": "the blue one", "session": "s1"})
        self.assertEqual((reply["pick"], reply["session"]), ("blue_mug", "s1"))
        self.assertEqual(self.one({"utterance": "why?", "session": "s2"})["outcome"], "refused")

    def test_a_reply_tells_what_to_do_for_whom(self):
        reply = self.one({"utterance": "give bob the red mug", "speaker": "anna"})
        self.assertEqual((reply["action"], reply["recipient"], reply["pick_ids"]), ("give", "bob", ["red_mug"]))
        reply = self.one({"utterance": "look at bob", "speaker": "anna"})
        self.assertEqual((reply["action"], reply["recipient"], reply["pick"]), ("look", None, "bob"))
        self.assertEqual(self.one({"utterance": "pick up bob", "speaker": "anna"})["outcome"], "refused")
        reply = self.one({"utterance": "give me both mugs", "speaker": "anna"})
        self.assertEqual((reply["pick"], reply["pick_ids"]), (None, ["red_mug", "blue_mug"]))
        reply = self.one({"utterance": "pick up the red mug and put it next to the blue mug", "speaker": "anna"})
        self.assertEqual([(s["outcome"], s["action"]) for s in reply["steps"]], [("picked", "take"), ("goal", "put")])

    def test_stop_and_the_next_instruction_cancel_what_was_ordered(self):
        socket = self.peer()

        def cancelled(said):
            reply = self.say(socket, {"utterance": said, "speaker": "anna"})
            return [(order["action"], order["pick_ids"]) for order in reply["cancels"]], reply["say"]
        self.assertEqual(cancelled("give me the red mug")[0], [])
        self.assertEqual(cancelled("no, the blue one")[0], [("give", ["red_mug"])])
        self.assertEqual(cancelled("where is the red mug?")[0], [])  # a question changes nothing
        orders, say = cancelled("stop")
        self.assertEqual(orders, [("give", ["blue_mug"])])
        self.assertEqual(say, "I stop. Cancelled: give the blue mug.")
        self.assertEqual(cancelled("stop"), ([], "I stop."))
        self.assertEqual(cancelled("pick up the red mug and put it next to the blue mug")[0], [])
        self.assertEqual(cancelled("look at bob")[0], [("take", ["red_mug"]), ("put", ["red_mug"])])
        self.assertEqual(cancelled("no")[0], [("look", ["bob"])])
        self.assertEqual(cancelled("take the red mug and put it next to the mug")[0], [])
        cancelled("the blue one")  # answers the question of the second step
        self.assertEqual(len(cancelled("do not take the red mug")[0]) > 0, True)

    def test_hostile_requests_are_refused_or_cut_off(self):
        for request in ("", "{", '{"utterance": 7}', '{"utterance": "the mug", "weight": 1}', "{" * 5000, "the mug\x00", "\x01", "mug " * 5000, '{"speaker": "anna"}'):
            refused = self.one(request)
            self.assertEqual(refused["outcome"], "refused", request[:40])
            self.assertLessEqual(self.members, set(refused), request[:40])  # who reads one member need not ask whether it is there
        large = self.peer(zmq.DEALER)
        large.send(b"x" * (1 << 20))
        self.assertEqual(self.one("how many mugs are there?")["answer"], "2")

    def test_many_peers_are_served(self):
        peers = [self.peer() for _ in range(40)]  # more than there are sessions
        for peer in peers:
            peer.send_string("give me the red mug")
        self.assertEqual({json.loads(peer.recv())["pick"] for peer in peers}, {"red_mug"})

    def test_exchanges_are_on_the_wire(self):
        listen = subprocess.Popen([POV, "listen", "--connect", self.wire, "--topic", "ask", "--json", "--count", "3", "--timeout", "60"], stdout=subprocess.PIPE, text=True)
        while listen.poll() is None:
            self.one({"utterance": "put the red mug next to the blue mug", "speaker": "anna"})
            time.sleep(0.2)
        exchanges = [json.loads(line)["exchange"] for line in listen.communicate()[0].splitlines()]
        self.assertIn(("anna", "goal"), [(e["speaker"], e["reply"]["outcome"]) for e in exchanges])

    def test_the_pages_asks_are_on_the_wire_and_recorded_too(self):
        wire, kept = f"ipc://{self.folder}/paged", self.folder / "paged.mcap"
        run = subprocess.Popen([POV, "run", self.station.with_name("station.yaml"), "--loop", "--rate", "20", "--publish", wire, "--record", kept,
                                "--quiet", "--dashboard", "0"], stderr=subprocess.PIPE, text=True)
        page = run.stderr.readline().split()[1]
        listen = subprocess.Popen([POV, "listen", "--connect", wire, "--topic", "ask", "--json", "--count", "1", "--timeout", "60"], stdout=subprocess.PIPE, text=True)
        nonce = json.load(urllib.request.urlopen(page + "study"))["nonce"]
        while listen.poll() is None:
            said = json.load(urllib.request.urlopen(page + "ask", f"{nonce} a how many cars are there?".encode()))
            self.assertEqual(said["utterance"], "how many cars are there?")
            time.sleep(0.1)
        self.assertEqual(json.loads(listen.communicate()[0])["exchange"]["reply"]["utterance"], said["utterance"])
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), 0, run.stderr.read())
        run.stderr.close()
        info = json.loads(subprocess.run([POV, "info", kept, "--json"], capture_output=True, text=True, check=True).stdout)
        self.assertGreater({topic["topic"]: topic["messages"] for topic in info["topics"]}["ask"], 0, info)

    members = set("utterance reading outcome say action recipient source answer pick pick_ids picks ask_back options goal steps cancels frames mended "
                  "image calibration_hash question kind session".split())

    def test_every_reply_has_every_member(self):
        for said in ("give me the red mug", "give me the mug", "put the red mug next to the blue mug", "where is the red mug?", "hello", "xyzzy"):
            self.assertLessEqual(self.members, set(self.one(said)), said)

    def test_the_robots_example_survives_a_restart(self):
        ask = f"ipc://{self.folder}/again"
        path = self.station.with_name("again.yaml")
        path.write_text(self.station.read_text().replace(self.ask, ask))
        robot = subprocess.Popen([sys.executable, SOURCE / "docs/examples/ask_by_zmq.py", ask, "anna"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2):
            run = subprocess.Popen([POV, "run", path, "--publish", f"ipc://{self.folder}/again_wire", "--quiet"], stderr=subprocess.DEVNULL)
            robot.stdin.write("give me the red mug\n")
            robot.stdin.flush()
            line = robot.stdout.readline()
            while "give red_mug" not in line:  # "I have no image yet"
                if line.startswith("say") and "image" in line:
                    robot.stdin.write("give me the red mug\n")
                    robot.stdin.flush()
                line = robot.stdout.readline()
            run.kill()
            run.wait()
        robot.stdin.close()
        self.assertEqual(robot.wait(60), 0)
        robot.stdout.close()

    def test_the_robots_example_runs(self):
        said = "give me the red mug\nput it next to the blue mug\nwhat colour is it?\n"
        robot = subprocess.run([sys.executable, SOURCE / "docs/examples/ask_by_zmq.py", self.ask, "anna"], input=said, capture_output=True, text=True, timeout=60)
        self.assertEqual(robot.returncode, 0, robot.stderr)
        self.assertIn("give red_mug to anna\n", robot.stdout)
        self.assertRegex(robot.stdout, r"put red_mug at 0\.\d\d 0\.\d\d 0\.05\n")
        self.assertIn("colours", robot.stdout)

    def test_other_machines_only_if_it_is_said(self):
        open_to_all = self.station.with_name("open.yaml")
        open_to_all.write_text(self.station.read_text().replace(self.ask, "tcp://*:5599"))
        run = subprocess.run([POV, "run", open_to_all, "--publish", f"ipc://{self.folder}/other", "--quiet"], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertIn("other machines", run.stderr)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
