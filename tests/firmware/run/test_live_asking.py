#!/usr/bin/python3
"""Models that are asked while a station runs: a subscriber (ZeroMQ and Google's protobuf) gets the judgments and the comparison, and the
golds of each comparison are worked out anew from the observation of its image, by trigonometry. Servers that are slow, dead, killed and back; a
station that is killed; limits."""
import collections
import csv
import glob
import hashlib
import importlib
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import zmq

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "sweep"))
import sweep_peer  # noqa: E402
from sweep_peer import POV, Server, assert_answered_once, pov, query, station  # noqa: E402

SOURCE = pathlib.Path(os.environ["POV_SOURCE"])


def load_protocol(folder):
    subprocess.run(["protoc", f"--python_out={folder}", f"-I{SOURCE}/protocol", "pov.proto"], check=True)
    sys.path.insert(0, str(folder))
    return importlib.import_module("pov_pb2")


class Subscriber:
    """Takes all that a publisher sends, in the order in which it comes."""

    def __init__(self, protocol, endpoint, may_lose=False):
        self.protocol, self.observations, self.comparisons, self.health, self.may_lose = protocol, [], [], [], may_lose
        self.came_s = []  # of observations
        self.socket = zmq.Context.instance().socket(zmq.SUB)
        self.socket.setsockopt(zmq.RCVHWM, 0)
        for topic in b"observation", b"vlm", b"health":
            self.socket.subscribe(topic)
        self.socket.connect(endpoint)
        self.ends = False
        self.thread = threading.Thread(target=self.take)
        self.thread.start()

    def take(self):
        while not self.ends or self.socket.poll(300):
            if not self.socket.poll(100):
                continue
            envelope = self.protocol.Envelope.FromString(self.socket.recv_multipart()[-1])
            kind = envelope.WhichOneof("content")
            assert self.may_lose or envelope.lost == 0, f"{envelope.lost} messages lost"
            {"observation": self.observations, "comparison": self.comparisons, "health": self.health}[kind].append(getattr(envelope, kind))
            if kind == "observation":
                self.came_s.append(time.monotonic())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ends = True
        self.thread.join()
        self.socket.close(0)

    def with_status(self, *status):
        numbers = [self.protocol.ComparisonStatus.Value(f"COMPARISON_STATUS_{name}") for name in status]
        return [c for c in self.comparisons if c.status in numbers]


# ---- the oracle ----

def yaw_of(dx, dy):
    return math.atan2(dy, dx)


def turned(angle):
    return (angle + math.pi) % (2 * math.pi) - math.pi


def find(scene, name):
    return next(e for e in scene.entities if e.name == name)


def ground(entity):
    return entity.position.mean_m[0], entity.position.mean_m[1]


def heading_of(scene, entity, observation):
    if entity.name == scene.entities[scene.camera].name:  # the optical axis: R_table_camera's third column
        R = observation.image.T_table_camera.R
        return yaw_of(R[2], R[5])
    return entity.heading[0].yaw_rad


def front_and_left(frame, observation, referent, relatum):
    """Directions of `front` and `left` on the ground in a frame of reference as a gold names it."""
    scene, words = observation.scene, frame.split()
    if words[0] == "intrinsic":
        front = heading_of(scene, relatum, observation)
        return front, front + math.pi / 2
    viewer = scene.entities[scene.camera] if words[0] == "egocentric" else next(e for e in scene.entities if e.addressee)
    if words[2] == "sight_line":
        (vx, vy), (rx, ry) = ground(viewer), ground(relatum)
        ahead = yaw_of(rx - vx, ry - vy)
    else:
        ahead = heading_of(scene, viewer, observation)
    convention = words[1]
    front = ahead if convention == "translated" else ahead + math.pi
    left = ahead - math.pi / 2 if convention == "rotated" else ahead + math.pi / 2
    return front, left


def expected(comparison, gold, observation):
    """Yes or no, by the observation's positions; None: too near the boundary to tell."""
    columns = json.loads(comparison.columns)
    scene = observation.scene
    if columns["task"] == "presence":
        kind = comparison.prompt.removeprefix("Is there any ").removeprefix("Is there a ").rstrip("?")
        return "yes" if any(e.class_name.endswith(kind) for e in scene.entities) else "no"  # a basketball is a ball
    referent, relatum = (find(scene, name) for name in columns["scene"].split("/"))
    front, left = front_and_left(gold.frame, observation, referent, relatum)
    direction = {"left": left, "right": left + math.pi, "front": front, "behind": front + math.pi}[columns["relation"]]
    (ax, ay), (bx, by) = ground(referent), ground(relatum)
    theta = abs(turned(yaw_of(ax - bx, ay - by) - direction))
    return None if abs(theta - math.pi / 2) < 1e-6 else "yes" if theta < math.pi / 2 else "no"


def phi_of(observation, referent, relatum):
    scene = observation.scene
    (ax, ay), (bx, by), (cx, cy) = (ground(e) for e in (find(scene, referent), find(scene, relatum), scene.entities[scene.camera]))
    return turned(yaw_of(ax - bx, ay - by) - yaw_of(cx - bx, cy - by))


def check_golds(heard):
    by_capture = {o.image.capture_ns: o for o in heard.observations}
    checked = 0
    for comparison in heard.comparisons:
        observation = by_capture[comparison.capture_ns]
        assert observation.image.name == comparison.image_name and observation.image.sequence == comparison.image_sequence
        for gold in comparison.golds:
            if not gold.sure:
                continue
            answer = expected(comparison, gold, observation)
            assert answer in (None, gold.answer), (comparison.prompt, comparison.image_name, gold)
            checked += answer is not None
    return checked


def check_delays(heard, referent, relatum):
    """How far the scene has moved on, in seconds and in whole turns, from the observations alone."""
    captures, turns, last = [], [], None
    for o in heard.observations:
        phi = phi_of(o, referent, relatum)
        turns.append(turned(phi - last) + turns[-1] if turns else 0)
        captures.append(o.image.capture_ns)
        last = phi
    place = {ns: i for i, ns in enumerate(captures)}
    late = 0
    for c in heard.comparisons:
        if c.status == 1:
            assert not c.HasField("moved_on_s") and not c.HasField("turned_on_rad")
            continue
        at = place[c.capture_ns]
        newest = min(range(len(captures)), key=lambda i: abs(captures[i] - c.capture_ns - 1e9 * c.moved_on_s))
        assert abs(captures[newest] - c.capture_ns - 1e9 * c.moved_on_s) < 1000, c.moved_on_s
        assert abs(turns[newest] - turns[at] - c.turned_on_rad) < 1e-6, (c.turned_on_rad, turns[newest] - turns[at])
        assert abs(turned(c.angle_rad - phi_of(heard.observations[at], referent, relatum))) < 1e-9
        late += c.moved_on_s > 0
    return late


def check_each_once(comparisons):
    """Each question is asked once of each model, and has one answer."""
    counts = collections.Counter((c.run, c.question, c.model, c.status == 1) for c in comparisons)
    assert max(counts.values()) == 1, [key for key, n in counts.items() if n > 1][:3]
    asked = {key[:3] for key in counts if key[3]}
    assert {key[:3] for key in counts if not key[3]} <= asked
    return asked


# ---- the cases ----

def live_station(where, world="comfort-car", rate_hz=8, more=""):
    where.mkdir(exist_ok=True)
    path = station(where, world, publish=f"{{endpoint: 'ipc://{where}/wire', queue: 4096}}")
    path.write_text(path.read_text().replace("sensor: clean,", f"sensor: clean, rate_hz: {rate_hz},") + more)
    return path


def a_turning_table_is_compared_live(folder, protocol):
    where = folder / "turning"
    table, run, record = live_station(where), where / "log", where / "live.mcap"
    with Server(run, "--latency", 300) as server, Subscriber(protocol, f"ipc://{where}/wire") as heard:
        said = subprocess.run([POV, "run", table, "--wait", "3", "--count", "60", "--vlm", server.url, "--model", "a,b", "--pairs", "basketball:car",
                               "--ask-every", "1.5", "--ask-turned", "30", "--log", run, "--record", record], capture_output=True, text=True, timeout=250)
        assert said.returncode == 0, said.stderr
    assert "the model a at 127.0.0.1:" in said.stderr and "on this machine" in said.stderr, said.stderr
    asked = check_each_once(heard.comparisons)
    answered = heard.with_status("ANSWERED")
    assert len(heard.observations) == 60 and len(answered) == len(asked) >= 100, (len(heard.observations), len(asked))
    assert {c.model for c in answered} == {"a", "b"}
    assert {c.occasion for c in answered} >= {"first", "changed"} and "" not in {c.occasion for c in answered}
    assert check_golds(heard) > 500
    assert check_delays(heard, "basketball", "car") > 10  # the server took 300 ms, an image comes every 125
    for c in answered:  # a model that answers in the asked frame is right wherever geometry is sure
        asked_for = next(g for g in c.golds if g.asked)
        assert c.agreement == (2 if asked_for.sure else 1), (c.prompt, c.p, asked_for)
    stored = {hashlib.sha256(pathlib.Path(p).read_bytes()).hexdigest() for p in glob.glob(f"{run}/images/*.png")}
    assert {c.image_sha256 for c in heard.comparisons} == stored == {c.sent_sha256 for c in heard.comparisons}
    logged = query(run, "SELECT q.id, m.name, r.p, r.text, i.sha256 FROM results r JOIN questions q ON q.id = r.question JOIN images i ON i.id = q.image"
                        " JOIN models m ON m.id = r.model WHERE r.counted ORDER BY q.id, m.name")
    assert sorted((c.question, c.model, c.p, c.answer, c.image_sha256) for c in answered) == logged
    last = heard.health[-1]
    assert [(m.model, m.asked, m.answered, m.failed) for m in last.models] == [(n, len(asked) / 2, len(asked) / 2, 0) for n in "ab"]
    compared = collections.Counter(g.frame for c in answered if c.model == "a" for g in c.golds if g.sure)
    told = collections.Counter()
    for agreement in last.agreements:
        told[agreement.frame] += agreement.compared if agreement.model == "a" else 0
    assert told == compared, (told, compared)
    check_recording(folder, protocol, record, heard)
    pov("report", run, "--out", where / "report.html")
    assert assert_answered_once(run, models=2) == len(asked) / 2


def check_recording(folder, protocol, record, heard):
    """The recording has every message; replayed, it sends them as they were; as a table it has each as a row."""
    where = folder / "replayed"
    where.mkdir()
    messages = [c.SerializeToString() for c in heard.comparisons]
    replayed = subprocess.Popen([POV, "replay", record, "--publish", f"ipc://{where}/again", "--wait", "3", "--rate", "4"])
    with Subscriber(protocol, f"ipc://{where}/again", may_lose=True) as again:  # bursts, four times as fast
        assert replayed.wait(120) == 0
        time.sleep(0.5)
    assert 0 < len(again.comparisons) <= len(messages) and {c.SerializeToString() for c in again.comparisons} <= set(messages)
    assert re.search(rf"^ *vlm +{len(messages)} ", pov("info", record), re.M)
    pov("export", record, "--csv", where / "tables")
    with open(where / "tables/vlm.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(messages)
    for row, c in zip(rows, heard.comparisons):
        asked_for = next(g for g in c.golds if g.asked)
        assert (row["run"], int(row["question"]), row["model"], row["prompt"], row["answer"]) == (c.run, c.question, c.model, c.prompt, c.answer)
        assert (row["asked_frame"], row["gold"], row["gold_sure"] == "true") == (asked_for.frame, asked_for.answer, asked_for.sure)
        assert len(json.loads(row["golds"])) == len(c.golds) and int(row["capture_ns"]) == c.capture_ns
        assert row["p"] == "" or abs(float(row["p"]) - c.p) < 1e-8
        assert (row["moved_on_s"] == "") == (not c.HasField("moved_on_s")), row
        assert not row["turned_on_deg"] or abs(float(row["turned_on_deg"]) - math.degrees(c.turned_on_rad)) < 1e-5


def a_slow_server_never_slows_a_judgment(folder, protocol):
    where = folder / "slow"
    table, run = live_station(where, rate_hz=10, more="compare: {waiting_max: 16, in_flight_max: 4, stale_after_s: 2}\n"), where / "log"
    with Server(run, "--latency", 3000) as server, Subscriber(protocol, f"ipc://{where}/wire") as heard:
        begun = time.monotonic()
        done = subprocess.Popen([POV, "run", table, "--wait", "3", "--vlm", server.url, "--model", "slow", "--pairs", "basketball:car", "--ask-every",
                                 "0.5", "--log", run, "--quiet"], stderr=subprocess.PIPE, text=True)
        while len(heard.observations) < 60 and time.monotonic() - begun < 60:
            time.sleep(0.05)
        done.send_signal(signal.SIGINT)
        lost = done.communicate(timeout=30)[1]
        assert done.returncode == 0 and "not asked, as they had waited for too long" in lost and "as too many waited" in lost, lost
    last = heard.health[-1]
    model = last.models[0]
    assert last.images_processed >= 60
    assert model.unasked > 0 and model.under_way <= 4 and model.asked <= 20, model
    check_each_once(heard.comparisons)
    assert check_golds(heard) > 0
    gaps = [b - a for a, b in zip(heard.came_s, heard.came_s[1:])]
    assert len(gaps) >= 59 and max(gaps) < 2.5, f"judgments came {max(gaps):.2f} s apart, an answer takes 3 s"


def a_dead_server_costs_answers_only(folder, protocol):
    where = folder / "dead"
    table = live_station(where, rate_hz=10)
    servers = where / "vlm.yaml"
    servers.write_text("vlm:\n  endpoints: [{url: 'http://127.0.0.1:9/v1', model: nobody}]\n  attempts: 2\n  pause_first_s: 0.05\n  pause_max_s: 0.1\n")
    with Subscriber(protocol, f"ipc://{where}/wire") as heard:
        said = pov("run", table, "--wait", 3, "--count", 30, "--vlm", servers, "--pairs", "basketball:car", "--quiet", code=1)
    # once when it happens, once where the log's causes are summed up
    assert said.count("pov: warning: no answer: ") == 1 and said.count("Couldn't connect to server") <= 2 and "has answered nothing; the images were judged" in said, said
    assert len(heard.observations) == 30
    failed = heard.with_status("FAILED")
    assert not heard.with_status("ANSWERED") and len(failed) == len(heard.with_status("ASKED")) > 0
    assert all(c.cause and c.agreement == 1 for c in failed)
    assert heard.health[-1].models[0].failed == len(failed)


def a_server_that_dies_and_comes_back_is_asked_on(folder, protocol):
    where = folder / "back"
    table, run = live_station(where, rate_hz=8), where / "log"
    with Server(run) as first:
        port, url = first.url.split(":")[-1].split("/")[0], first.url
        servers = sweep_peer.vlm_file(where, first)
        with Subscriber(protocol, f"ipc://{where}/wire") as heard:
            done = subprocess.Popen([POV, "run", table, "--wait", "3", "--count", "72", "--vlm", servers, "--pairs", "basketball:car", "--ask-every", "1",
                                     "--log", run, "--quiet"], stderr=subprocess.PIPE, text=True)
            while not heard.with_status("ANSWERED"):
                time.sleep(0.05)
            niceness = {int(task.name): os.getpriority(os.PRIO_PROCESS, int(task.name)) for task in pathlib.Path(f"/proc/{done.pid}/task").iterdir()}
            mine = os.getpriority(os.PRIO_PROCESS, 0)  # what judges has the station's own, what stores and asks gives way
            assert niceness[done.pid] == mine and list(niceness.values()).count(max(10, mine)) >= 2, niceness
            first.kill()
            seen = len(heard.observations)
            while len(heard.observations) < seen + 16:
                time.sleep(0.05)
            with Server(run, port=port) as second:
                assert second.url == url
                assert done.wait(120) == 0, done.stderr.read()
    asked, said = check_each_once(heard.comparisons), done.stderr.read()
    assert len(heard.observations) == 72
    ended = heard.with_status("ANSWERED", "FAILED", "UNSCORED", "REFUSED")
    assert len(ended) == len(asked), (len(asked), collections.Counter(c.status for c in heard.comparisons), heard.health[-1].models, said)
    late = [c for c in heard.with_status("ANSWERED") if c.moved_on_s > 1]
    assert late and check_golds(heard) > 0, "answers that came after the server was back"


def a_killed_station_loses_and_doubles_nothing(folder, protocol):
    where = folder / "killed"
    table, run = live_station(where, rate_hz=8), where / "log"
    with Server(run, "--latency", 150) as server:
        arguments = ["--wait", "3", "--vlm", server.url, "--model", "m", "--pairs", "basketball:car", "--ask-every", "1", "--log", run, "--quiet"]
        heard_all = []
        for after in 3, 9, 14:
            with Subscriber(protocol, f"ipc://{where}/wire") as heard:
                done = subprocess.Popen([POV, "run", table, *map(str, arguments)])
                while len(heard.comparisons) < after:
                    time.sleep(0.01)
                done.kill()
                done.wait()
            heard_all += heard.comparisons
            assert query(run, "PRAGMA integrity_check") == [("ok",)]
        asked = check_each_once(heard_all)
        logged = dict(query(run, "SELECT id, prompt FROM questions"))
        assert all(logged[question] is not None for _, question, _ in asked), "none is lost"
        assert len({run_name for run_name, _, _ in asked}) == 3
        pov("compare", run, "--vlm", server.url, "--model", "m")
        assert assert_answered_once(run) == len(logged)


def one_of_several_cameras_is_asked_about(folder, protocol):
    """Its image is sent; golds are of the scene of both cameras, as that one sees it."""
    where = folder / "two"
    pov("sim", "station", "--cameras", 2, "--images", 8, "--size", "640x360", "--quiet", "--out", where)
    table, run = where / "station.yaml", where / "log"
    table.write_text(table.read_text() + f"judge: {{pairs: [[car, mug]]}}\npublish: {{endpoint: 'ipc://{where}/wire', queue: 4096}}\n"
                     "compare: {camera: b, every_s: 0.2}\n")
    with Server(run) as server, Subscriber(protocol, f"ipc://{where}/wire") as heard:
        done = subprocess.run([POV, "run", table, "--wait", "3", "--rate", "4", "--vlm", server.url, "--model", "m", "--log", run], capture_output=True,
                              text=True, timeout=120)
    assert done.returncode == 0 and "asks about an image of camera b when" in done.stderr, done.stderr
    of_b = [o for o in heard.observations if o.image.camera == "b"]
    assert len(heard.observations) == 16 and len(of_b) == 8
    stored = {hashlib.sha256(pathlib.Path(p).read_bytes()).hexdigest() for p in glob.glob(f"{run}/images/*.png")}
    of_folder = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (where / "b/images").glob("*.png")}
    assert stored == {c.sent_sha256 for c in heard.comparisons} <= of_folder, "the images of camera b, as they are"
    heard.observations = of_b
    check_each_once(heard.comparisons)
    assert check_golds(heard) > 50 and len(heard.with_status("ANSWERED")) > 20
    assert "'c' is not one of the station's cameras" in pov("run", with_camera(table, "c"), "--check", code=1)
    assert "--ask-camera: 'c' is not one of the cameras" in pov("run", table, "--vlm", "http://127.0.0.1:9/v1", "--model", "m", "--ask-camera", "c", code=2)


def with_camera(table, id_):
    other = table.with_name("other.yaml")
    other.write_text(table.read_text().replace("camera: b,", f"camera: {id_},"))
    return other


def limits_end_the_asking_not_the_station(folder, protocol):
    where = folder / "limits"
    table, run = live_station(where, rate_hz=10, more="compare: {usd_max: 0.5, usd_per_image: 0.1}\n"), where / "log"
    with Server(run) as server:
        for name, more, count in ("money", [], 5), ("images", ["--ask-images", "1"], None):
            with Subscriber(protocol, f"ipc://{where}/wire") as heard:
                said = subprocess.run([POV, "run", table, "--wait", "3", "--count", "20", "--vlm", server.url, "--model", "m", "--pairs", "basketball:car",
                                       "--ask-every", "0.3", "--quiet", *more], capture_output=True, text=True, timeout=120)
            assert said.returncode == 0 and "judging goes on" in said.stderr, said.stderr
            assert len(heard.observations) == 20
            if count:
                assert len(heard.with_status("ASKED")) == count, len(heard.with_status("ASKED"))
                assert "budget" in heard.health[-1].models[0].ended
            table.write_text(table.read_text().split("compare:")[0])
        assert len({c.capture_ns for c in heard.comparisons}) == 1 and "images_max" in heard.health[-1].models[0].ended
    # What cannot be is said before the first image.
    assert "usd_per_image" in pov("run", live_station(folder / "free", more="compare: {usd_max: 1}\n"), "--vlm", "http://127.0.0.1:9/v1", "--model", "m",
                                  "--pairs", "basketball:car", code=1)
    assert "--vlm" in pov("run", live_station(folder / "none", more="compare: {every_s: 1}\n"), "--pairs", "basketball:car", code=1)
    assert "asks about no image" in pov("run", live_station(folder / "never", more="compare: {every_s: 0, on_change: false}\n"), "--check", code=1)
    swept = folder / "swept"
    pov("sweep", table, "--out", swept, "--angles", 2, "--no-publish", "--quiet", "--pairs", "basketball:car")
    assert "holds a sweep" in pov("run", table, "--vlm", "http://127.0.0.1:9/v1", "--model", "m", "--pairs", "basketball:car", "--log", swept, code=1)


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        protocol = load_protocol(folder)
        for case in (a_turning_table_is_compared_live, a_slow_server_never_slows_a_judgment, a_dead_server_costs_answers_only,
                     a_server_that_dies_and_comes_back_is_asked_on, a_killed_station_loses_and_doubles_nothing,
                     one_of_several_cameras_is_asked_about, limits_end_the_asking_not_the_station):
            if sys.argv[1:] and case.__name__ not in sys.argv[1:]:
                continue
            case(folder, protocol)
            print("ok", case.__name__.replace("_", " "), flush=True)


if __name__ == "__main__":
    main()
