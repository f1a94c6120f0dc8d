#!/usr/bin/python3
"""pov keys, run, listen and ask with keys, as a user runs them; pyzmq, which reads the same files, is the other side."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import unittest

import zmq
import zmq.auth

POV = os.environ["POV"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Keys(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-keys-"))
        subprocess.run([POV, "sim", "comfort-ball", "--images", "2", "--quiet", "--out", cls.folder / "world"], check=True)
        cls.station = cls.folder / "world" / "station.yaml"
        for name in "robot", "laptop", "stranger":
            assert cls.pov(name, "keys", "new", name).returncode == 0
        cls.pov("robot", "keys", "allow", cls.key("laptop"))
        for name in "laptop", "stranger":
            assert cls.pov(name, "keys", "allow", cls.key("robot")).returncode == 0

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def key(cls, name):
        return cls.folder / name / "pov" / "keys" / "self.key"

    @classmethod
    def environment(cls, name):
        return dict(os.environ, XDG_CONFIG_HOME=str(cls.folder / name))

    @classmethod
    def pov(cls, name, *arguments):
        """Runs pov as one of the machines does."""
        return subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                              env=cls.environment(name))

    def start_station(self, name="robot", *options):
        port = free_port()
        station = subprocess.Popen([POV, "run", self.station, "--publish", f"tcp://*:{port}", "--loop", "--rate", "20",
                                    "--json", *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env=self.environment(name))
        self.addCleanup(station.stderr.close)
        self.addCleanup(station.wait)
        self.addCleanup(station.terminate)
        return f"tcp://127.0.0.1:{port}", station

    def test_off_this_machine_nothing_listens_without_keys_or_plain_words(self):
        refused = self.pov("keyless", "run", self.station, "--publish", f"tcp://*:{free_port()}", "--count", 1)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("can be reached from other machines", refused.stderr)
        self.assertIn("--insecure", refused.stderr)
        allowed = self.pov("keyless", "run", self.station, "--publish", f"tcp://*:{free_port()}", "--count", 1, "--insecure")
        self.assertEqual(allowed.returncode, 0, allowed.stderr)
        self.assertIn("to ANYONE who can reach this machine (insecure)", allowed.stderr)
        here = self.pov("keyless", "run", self.station, "--publish", f"tcp://127.0.0.1:{free_port()}", "--count", 1)
        self.assertIn("to programs of this machine", here.stderr)

    def test_the_start_says_who_may_connect(self):
        _, station = self.start_station()
        self.assertIn("to 1 peer with a key in", station.stderr.readline())

    def test_an_allowed_peer_listens_and_asks(self):
        endpoint, _ = self.start_station()
        heard = self.pov("laptop", "listen", "--connect", endpoint, "--server", "robot", "--json", "--count", 1, "--timeout", 60)
        self.assertEqual(heard.returncode, 0, heard.stderr)
        self.assertTrue(json.loads(heard.stdout)["judgments"])
        asked = self.pov("laptop", "ask", endpoint, "where is the red ball?", "--server", "robot", "--timeout", 60)
        self.assertEqual(asked.returncode, 0, asked.stderr)

    def test_a_stranger_is_refused_and_told(self):
        endpoint, _ = self.start_station()
        heard = self.pov("stranger", "listen", "--connect", endpoint, "--server", "robot", "--timeout", 60)
        self.assertEqual(heard.returncode, 1)
        self.assertIn("does not allow this machine's key", heard.stderr)
        self.assertEqual(heard.stdout, "")

    def test_pyzmq_connects_by_the_same_files(self):
        endpoint, _ = self.start_station()
        keys = self.key("laptop").parent
        context = zmq.Context()
        subscriber = context.socket(zmq.SUB)
        subscriber.curve_publickey, subscriber.curve_secretkey = zmq.auth.load_certificate(keys / "self.key_secret")
        subscriber.curve_serverkey, _ = zmq.auth.load_certificate(keys / "peers" / "robot.key")
        subscriber.connect(endpoint)
        subscriber.subscribe(b"observation")
        self.assertTrue(subscriber.poll(60000))
        self.assertGreater(len(subscriber.recv_multipart()[-1]), 100)
        context.destroy(linger=0)

    def test_the_ask_endpoint_answers_allowed_peers_only(self):
        port = free_port()
        asked = self.station.with_name("asked.yaml")
        asked.write_text(self.station.read_text() + f'\nask: {{endpoint: "tcp://*:{port}"}}\n')
        refused = self.pov("keyless", "run", asked, "--count", 1)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("can be reached from other machines", refused.stderr)
        station = subprocess.Popen([POV, "run", asked, "--publish", f"tcp://127.0.0.1:{free_port()}", "--loop", "--rate", "20", "--quiet"],
                                   env=self.environment("robot"))
        self.addCleanup(station.wait)
        self.addCleanup(station.terminate)
        context = zmq.Context()
        replies = {}
        for name in "laptop", "stranger":
            keys = self.key(name).parent
            client = context.socket(zmq.REQ)
            client.curve_publickey, client.curve_secretkey = zmq.auth.load_certificate(keys / "self.key_secret")
            client.curve_serverkey, _ = zmq.auth.load_certificate(keys / "peers" / "robot.key")
            client.connect(f"tcp://127.0.0.1:{port}")
            client.send_string("where is the red ball?")
            replies[name] = client.recv() if client.poll(60000 if name == "laptop" else 2000) else None
        context.destroy(linger=0)
        self.assertIn("say", json.loads(replies["laptop"]))
        self.assertIsNone(replies["stranger"])

    def test_a_key_of_pyzmq_is_allowed(self):
        public, _ = zmq.auth.create_certificates(self.folder, "other")
        done = self.pov("stranger", "keys", "allow", public, "--name", "other")
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = json.loads(self.pov("stranger", "keys", "show", "--json").stdout)
        self.assertEqual([peer["name"] for peer in shown["peers"]], ["other", "robot"])
        self.assertEqual(shown["peers"][0]["public_key"].encode(), zmq.auth.load_certificate(public)[0])

    def test_secrets_are_not_shown_and_not_taken(self):
        secret_file = self.key("robot").with_name("self.key_secret")
        _, secret = zmq.auth.load_certificate(secret_file)
        for command in ["show"], ["show", "--json"], ["allow", secret_file]:
            done = self.pov("robot", "keys", *command)
            self.assertNotIn(secret.decode(), done.stdout + done.stderr)
        self.assertEqual(done.returncode, 1)
        self.assertIn("copy self.key instead", done.stderr)


if __name__ == "__main__":
    unittest.main()
