#!/usr/bin/python3
"""A whole study through the program, with a simulated station: planned, run by scripts, killed with -9 in the middle of trials and
resumed, rated, exported, one participant forgotten. Environment: POV_STUDY=20x24 for a large one (default 3x4), POV_STUDY_KEEP=DIR to
look at it afterwards. What participants mean is drawn here, and worked out again from the scene's geometry."""
import collections
import csv
import hashlib
import json
import math
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "sweep")]
from sweep_peer import ENVIRONMENT, POV, die_with_the_test, folder, pov

PARTICIPANTS, TRIALS = map(int, os.environ.get("POV_STUDY", "3x4").split("x"))
KILLS = 3
CONDITIONS = ["opposite", "beside"]
INSTRUCTION = "hand me the ball to the left of the red ball"
# Which frame a participant means, by condition: the truth that the tables have to show.
MEANT_BY_CAMERA = {"opposite": 0.25, "beside": 0.75}

WORLD = """
about: three balls in a row, which an orbit turns, and a woman who looks at the camera
camera: {size_px: [240, 180], field_of_view_deg: 55, position_m: [1.6, 0, 1.1], look_at_m: [0, 0, 0]}
surface: {size_m: [3, 3], color: "#c9a678"}
sensor: {preset: noisy}
things:
  - {id: red_ball, class: basketball, position_m: [0, 0], size_m: 0.2, color: "#d01010"}
  - {id: blue_ball, class: basketball, position_m: [0.4, 0], size_m: 0.2, color: "#1030c0"}
  - {id: green_ball, class: basketball, position_m: [0, -0.4], size_m: 0.2, color: "#108030"}
  - {id: anna, class: woman, position_m: [-0.9, 0], size_m: 0.8, front_deg: 0, addressee: true}
motion: {orbit: {thing: blue_ball, about: red_ball}, steps: 12, period_s: 12}
"""


def make_station(where):
    (where / "table.yaml").write_text(WORLD)
    pov("sim", where / "table.yaml", "--images", 1, "--bodies", "own", "--out", where / "world")
    path = where / "world" / "simulated.yaml"
    text = (where / "world" / "station.yaml").read_text()
    heard, spoken = where / "heard.txt", where / "spoken.txt"
    heard.write_text("")
    path.write_text(text.replace("source: folder", "source: simulator").replace("class: basketball", "class: ball")
                    + f"say: cat >> {spoken}\n")
    return path


def make_protocol(where):
    trials = "".join(f"  - {{id: t{i:02d}, scene: row, "
                     + (f"say: {INSTRUCTION}}}\n" if i % 2 else "show: get the ball that you think of}\n")
                     for i in range(TRIALS // len(CONDITIONS)))
    path = where / "study.yaml"
    path.write_text(f"""
about: whose left
participants: {PARTICIPANTS}
consent: You agree that images of the table are kept.
conditions: [{", ".join(f"{{id: {c}}}" for c in CONDITIONS)}]
order: {{seed: 7}}
scenes: [{{id: row, things: [{{id: red_ball, at_m: [0, 0]}}, {{id: blue_ball, at_m: [0, 0.4]}}, {{id: green_ball}}]}}]
trials:
{trials}
labels: [camera, mine, unclear]
""")
    return path


def meant_thing(condition, chance):
    """The camera looks along -x, so that its left is -y: the green ball. The woman looks along +x: her left is +y."""
    return "green_ball" if chance.random() < MEANT_BY_CAMERA[condition] else "blue_ball"


class Session:
    """pov study run, led line by line."""

    def __init__(self, station, protocol, log, participant, *more):
        self.process = subprocess.Popen([POV, "study", "run", station, protocol, "--log", log, "--participant", participant,
                                         "--json", *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, preexec_fn=die_with_the_test)
        self.state = self.read()

    def read(self):
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        return json.loads(line)

    def tell(self, line, until):
        """Sends a line; returns what was printed up to the object that has this key."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        seen = []
        while not seen or until not in seen[-1]:
            seen.append(self.read())
            assert "refused" not in seen[-1] or until == "refused", (line, seen[-1])
        return seen

    def end(self):
        self.process.stdin.close()
        error = self.process.stderr.read()
        code = self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        return code, error

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        for stream in self.process.stdin, self.process.stdout, self.process.stderr:
            try:
                stream.close()
            except BrokenPipeError:
                pass


def lead_trial(session, chance, told, kill_at):
    """One trial; `told`: what the program said it kept. Returns False if it was killed at the kill_at'th line."""
    state = session.state
    meant = meant_thing(state["condition"], chance)
    lines = ["start"] + ([f"said {INSTRUCTION}"] if not state["say"] else []) + [f"pick {meant}", "mark pointed",
                                                                                   f"note trial for {state['participant']} only", "stop"]
    who = state["participant"], state["position"]
    for number, line in enumerate(lines):
        if number == kill_at:
            session.kill()
            return False
        answers = session.tell(line, "state" if line == "stop" else "kept")
        if line == "start" and state["say"]: # the instruction is kept, too
            answers.append(session.read())
        for answer in answers:
            if "kept" in answer:
                told[who].append((answer["attempt"], answer["kept"], line.partition(" ")[2]))
            if "state" in answer:
                session.state = answer
    return True


def lead_participant(station, protocol, log, name, kills, told):
    chance, resumed = random.Random(name), []
    while True:
        session = Session(station, protocol, log, name, *resumed)
        resumed = ["--resume"]
        if not session.state["consent"]:
            session.tell("start", "refused")
            session.tell("consent", "kept")
        killed = False
        while session.state["state"] != "finished":
            session.tell("turn 90", "things")
            place = name, session.state["position"]
            killed = not lead_trial(session, chance, told, chance.randrange(1, 5) if place in kills else -1)
            if killed:
                kills.remove(place)
                break
        if not killed:
            code, error = session.end()
            assert code in (0, 1), error # 1: the refused start
            return


def assert_speech(where, station, protocol):
    """In a world that moves by itself: a recogniser's line is kept as said, with an image of that moment; the voice speaks."""
    heard, spoken, log = where / "heard", where / "live_spoken.txt", where / "live"
    os.mkfifo(heard)
    live = where / "world" / "live.yaml"
    live.write_text(station.read_text().replace("simulator: {world", "simulator: {rate_hz: 10, world").split("say: ")[0]
                    + f"listen: cat {heard}\nsay: cat > {spoken}\n")
    session = Session(live, protocol, log, "P01")
    session.tell("consent", "kept")
    session.tell("start anyway", "kept")
    if session.state["say"]:
        session.read()
    with open(heard, "w") as recogniser:
        print("hand me the ball to the left of the red ball", file=recogniser, flush=True)
        answer = session.read()
    assert answer["kept"] == "said" and answer["reading"], answer
    session.tell("pick nothing_known", "kept")
    session.tell("stop", "state")
    code, error = session.end()
    assert code == 0 and "is not in the station's cast" in error, error
    images = query(log, "SELECT count(DISTINCT e.image), count(DISTINCT i.sha256), max(abs(e.at_ns - i.capture_ns)) FROM events e"
                        " JOIN images i ON i.id = e.image")
    assert images[0][0] >= 3 and images[0][2] < 5e9, images # of different moments, each of its own
    assert query(log, "SELECT text FROM events WHERE by = 'listen'") == [(INSTRUCTION,)]


def assert_images_may_end(where, protocol):
    """A folder of two images: the third look is refused, and what was kept stays."""
    pov("sim", where / "table.yaml", "--images", 2, "--bodies", "own", "--out", where / "two")
    station = where / "two" / "station.yaml"
    session = Session(station, protocol, where / "ending", "P01")
    session.tell("consent", "kept")
    session.tell("look", "things")
    session.tell("start anyway", "kept")
    if session.state["say"]:
        session.read()
    session.tell("stop", "state")
    session.tell("look", "things")
    assert session.tell("look", "refused")[-1]["refused"] == "there are no more images"
    session.tell("start anyway", "refused")
    assert session.end()[0] == 1
    assert query(where / "ending", "SELECT outcome FROM trials") == [("done",)]


def query(log, sql, *values):
    with sqlite3.connect(f"file:{log}/log.sqlite?mode=ro", uri=True) as connection:
        return connection.execute(sql, values).fetchall()


def assert_nothing_lost(log, told):
    """Every event that the program reported as kept is in the log; each position is done once."""
    rows = query(log, "SELECT p.name, t.position, t.attempt, e.kind, e.text FROM events e JOIN trials t ON t.id = e.trial"
                      " JOIN participants p ON p.id = t.participant")
    kept = collections.Counter(rows)
    for (name, position), events in told.items():
        for attempt, kind, text in events:
            if kind not in ("done", "consent", "instruction"):
                assert kept[name, position, attempt, kind, text] == 1, (name, position, attempt, kind, text)
    done = query(log, "SELECT p.name, t.position, count(*) FROM trials t JOIN participants p ON p.id = t.participant"
                      " WHERE outcome = 'done' GROUP BY 1, 2")
    assert len(done) == PARTICIPANTS * TRIALS and all(count == 1 for *_, count in done), len(done)
    assert query(log, "PRAGMA integrity_check") == [("ok",)]
    for path, digest in query(log, "SELECT path, sha256 FROM images"):
        assert hashlib.sha256((log / path).read_bytes()).hexdigest() == digest, path


def read_table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def assert_tables(tables, order):
    trials = [row for row in read_table(tables / "trials.csv") if row["outcome"] == "done"]
    assert len(trials) == PARTICIPANTS * TRIALS
    by_key = {(row["participant"], int(row["position"])): row for row in trials}
    for planned in order:
        row = by_key[planned["participant"], planned["position"]]
        assert (row["condition"], row["trial"]) == (planned["condition"], planned["trial"])
    for row in trials:
        assert (row["frame"], row["viewer"]) == {"green_ball": ("egocentric", "camera"), "blue_ball": ("addressee", "anna")}[row["pick"]], row
        assert row["scene_right"] == "1" and float(row["duration_s"]) > 0 and row["marks"].startswith("pointed@")
        assert row["robot_asked_back"] == "1" and row["robot_right"] == "" # two frames, two balls: it cannot know
    return trials


def assert_judgments(tables, trials):
    """The judgments of a row's image are those of the scene that was built, by the sign of a coordinate."""
    left = {"egocentric": -1, "addressee": 1} # of y, with English's reflected axes
    at_y = {"red_ball": 0, "blue_ball": 0.4, "green_ball": -0.4}
    rows = [row for row in read_table(tables / "judgments.csv") if row["relation"] == "left_of" and row["convention"] == "reflected"
            and row["perspective"] in left and row["acceptance"] == "hemisphere" and "anna" not in (row["referent"], row["relatum"])
            and "red_ball" in (row["referent"], row["relatum"]) and "green_ball" in (row["referent"], row["relatum"])]
    assert len({(row["participant"], row["position"]) for row in rows}) == len(trials)
    for row in rows:
        is_left = (at_y[row["referent"]] - at_y[row["relatum"]]) * left[row["perspective"]] > 0
        if row["axis"] == "sight_line":
            assert row["verdict"] == ("true" if is_left else "false"), row


def kappa(one, other):
    """Cohen 1960, by its definition."""
    pairs = list(zip(one, other))
    same = sum(a == b for a, b in pairs) / len(pairs)
    chance = sum(one.count(label) / len(one) * other.count(label) / len(other) for label in set(one) | set(other))
    return (same - chance) / (1 - chance)


def rate(log, rater, chance):
    """Labels by what was picked, and by chance at times. Nothing that is shown tells condition, participant or reading."""
    shown = subprocess.run([POV, "study", "rate", log, "--rater", rater, "--json"], input="", text=True, capture_output=True,
                           check=True, env=ENVIRONMENT).stdout
    assert set(json.loads(shown)) == {"state", "instruction", "task", "target", "said", "picked", "left"}, shown
    rater_session = subprocess.Popen([POV, "study", "rate", log, "--rater", rater, "--json"], stdin=subprocess.PIPE, text=True,
                                     stdout=subprocess.PIPE, env=ENVIRONMENT, preexec_fn=die_with_the_test)
    while line := rater_session.stdout.readline():
        shown = json.loads(line)
        if "kept" in shown:
            continue
        label = "camera" if shown["picked"][-1] == "green_ball" else "mine"
        print("unclear" if chance.random() < 0.15 else label, file=rater_session.stdin, flush=True)
    rater_session.stdin.close()
    rater_session.stdout.close()
    assert rater_session.wait() == 0


def assert_scores(tables, scores, trials):
    shares = {row["condition"]: row for row in scores["frames"]}
    for condition in CONDITIONS:
        of_people = collections.defaultdict(list)
        for row in trials:
            if row["condition"] == condition:
                of_people[row["participant"]].append(row["frame"] == "egocentric")
        mean = sum(sum(list_) / len(list_) for list_ in of_people.values()) / len(of_people)
        told = shares[condition]["egocentric:camera"]
        assert math.isclose(told["mean"], mean, abs_tol=1e-9), (told, mean)
    labels = collections.defaultdict(dict)
    for row in read_table(tables / "ratings.csv"):
        labels[row["rater"]][row["participant"], row["position"]] = row["label"]
    keys = sorted(labels["r1"])
    expected = kappa([labels["r1"][key] for key in keys], [labels["r2"][key] for key in keys])
    told = scores["raters"][0]["kappa"]
    assert math.isclose(told, expected, abs_tol=1e-9), (told, expected)


def assert_pandas(tables):
    """The tables open as documented."""
    try:
        import pandas
    except ImportError:
        return "without pandas"
    trials = pandas.read_csv(tables / "trials.csv").query("outcome == 'done'")
    table = pandas.crosstab(trials["condition"], trials["frame"])
    assert table.to_numpy().sum() == PARTICIPANTS * TRIALS
    return "\n" + table.to_string()


def assert_forgotten(log, name):
    words = [f"trial for {name} only"]
    hashes = [row[0] for row in query(log, "SELECT i.sha256 FROM images i JOIN trials t ON t.id = i.trial JOIN participants p"
                                           " ON p.id = t.participant GROUP BY 1 HAVING min(p.name) = ? AND max(p.name) = ?",
                                      name, name)] # simulated images of two participants may be the same
    assert any(words[0].encode() in path.read_bytes() for path in log.glob("log.sqlite*")) # the search can find it
    killed = log.parent / "killed"
    shutil.copytree(log, killed)
    (log / "old.csv").write_text(f"participant\n{name}\n")
    done = subprocess.run([POV, "study", "forget", log, name, "--json"], capture_output=True, text=True, env=ENVIRONMENT)
    told = json.loads(done.stdout)
    assert done.returncode == 1 and told["found"] == ["old.csv"], told # an export that still has the pseudonym
    assert told["was_there"] and told["trials"] >= TRIALS and told["words_searched"] > 0, told
    (log / "old.csv").unlink()
    assert json.loads(subprocess.run(done.args, capture_output=True, text=True, env=ENVIRONMENT).stdout)["found"] == []
    for wait_s in 0.005, 0.01, 0.02, 0.04, 0.08: # killed anywhere, it may be repeated
        process = subprocess.Popen([POV, "study", "forget", killed, name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait_s)
        process.kill()
        process.wait()
    subprocess.run([POV, "study", "forget", killed, name], capture_output=True, env=ENVIRONMENT)
    for path in *log.rglob("*"), *killed.rglob("*"):
        assert not path.name.startswith(name + "."), path
        if path.is_file():
            content = path.read_bytes()
            assert hashlib.sha256(content).hexdigest() not in hashes, path
            assert not any(word.encode() in content for word in words + hashes), path
    assert query(log, "SELECT count(*) FROM participants") == [(PARTICIPANTS - 1,)]
    assert query(log, "PRAGMA freelist_count") == [(0,)]
    assert "nobody is called" in pov("study", "forget", log, name, code=1)


def assert_damage_is_found(log):
    """An image and a row that somebody changed."""
    copy = log.parent / "damaged"
    shutil.copytree(log, copy)
    assert "every row is as it was written" in pov("doctor", copy) and "all as they were stored" in pov("doctor", copy)
    with sqlite3.connect(copy / "log.sqlite") as connection:
        connection.execute("UPDATE events SET text = 'nothing' WHERE id = 3")
    connection.close()
    with open(next((copy / "images").iterdir()), "ab") as image:
        image.write(b"x")
    said = subprocess.run([POV, "doctor", copy], capture_output=True, text=True, env=ENVIRONMENT)
    assert said.returncode == 1 and "events 3" in said.stdout and "1 of " in said.stdout, said.stdout


def main():
    with folder() as scratch:
        where = pathlib.Path(os.environ.get("POV_STUDY_KEEP", scratch))
        where.mkdir(exist_ok=True)
        station, protocol, log, tables = make_station(where), make_protocol(where), where / "log", where / "tables"
        order = [json.loads(line) for line in pov("study", "plan", protocol, "--json").splitlines()]
        assert "not yet right" in subprocess.run([POV, "study", "next", station, protocol, "--log", log, "--participant", "P01"],
                                                 text=True, capture_output=True, env=ENVIRONMENT).stdout
        assert_speech(where, station, protocol)
        assert_images_may_end(where, protocol)
        told = collections.defaultdict(list)
        kills = set(random.Random(7).sample([(planned["participant"], planned["position"]) for planned in order], KILLS))
        for name in sorted({planned["participant"] for planned in order}):
            lead_participant(station, protocol, log, name, kills, told)
        assert "--resume" in pov("study", "run", station, protocol, "--log", log, "--participant", "P01", code=1)
        assert not kills, kills
        assert_nothing_lost(log, told)
        assert (where / "spoken.txt").read_text().count(INSTRUCTION) >= PARTICIPANTS * TRIALS // 2
        assert_damage_is_found(log)
        for rater in "r1", "r2":
            rate(log, rater, random.Random(rater))
        scores = json.loads(pov("study", "export", log, "--out", tables, "--json"))
        trials = assert_tables(tables, order)
        assert_judgments(tables, trials)
        assert_scores(tables, scores, trials)
        crosstab = assert_pandas(tables)
        pov("report", log, "--out", where / "report.html", "--figures", where / "figures")
        figure = (where / "figures/study_frames_meant.csv").read_text()
        assert all((where / f"figures/study_frames_meant.{ending}").stat().st_size for ending in ("svg", "pdf", "txt")), figure
        assert "\\toprule" in (where / "figures/study_frames.tex").read_text()
        page, share = (where / "report.html").read_text(), next(row for row in scores["frames"] if row["condition"] == "opposite")["egocentric:camera"]
        assert f"opposite,egocentric:camera,{share['mean']:.15g}," in figure, figure
        assert f"{100 * share['mean']:.1f}" in page and "SIMULATED" in page and "<script" not in page and "http" not in page
        assert_forgotten(log, "P02")
        pov("study", "export", log, "--out", tables)
        assert len({row["participant"] for row in read_table(tables / "trials.csv")}) == PARTICIPANTS - 1
        print(f"a study of {PARTICIPANTS} x {TRIALS} trials, killed {KILLS} times, lost nothing; frames by condition: {crosstab}")


if __name__ == "__main__":
    main()
