#!/usr/bin/python3
"""Faults put in on purpose: memory that runs out, a disk that fails a write once or is full from then on, a kill at any write,
power that is cut.

    test_ordeal.py STEPS [FAULT...] [COMMAND...]   so many points of each command, spread evenly; `./dev ordeal`
    test_ordeal.py                                 a few, without kills; as a test

FAULT: memory, "fails once", "full from then on", killed, "power cut"; COMMAND: judge, ask, tags, run, sweep, study, record, compare. All of
them unless some are named.

Wanted: the command succeeds, or says what is wrong and exits with 1. It never crashes and never hangs. What it kept is sound and
complete, as the classes ...OnDisk say for each command. POV_FAILING_MALLOC: failing_malloc.c, built."""
import collections
import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "firmware" / "sweep")]
from sweep_peer import Server, vlm_file
from power_loss import power_cuts

POV = os.environ["POV"]
SHIM = os.environ.get("POV_FAILING_MALLOC")
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 0
FAULTS = {"fails once": "error=ENOSPC:when={}", "full from then on": "error=ENOSPC:when={}+", "killed": "signal=KILL:when={}"}
ALL_FAULTS = ["memory", *FAULTS, "power cut"]
CHOSEN = [word for word in sys.argv[2:] if word in ALL_FAULTS] or ALL_FAULTS
COMMANDS = [word for word in sys.argv[2:] if word not in ALL_FAULTS]
HANGS_S, HANGS_TIMES = 300, 60  # a command hangs after so long, and so many times what it takes undisturbed: the machine may be busy
WRITES = "write,writev,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,mkdir,openat"
STRACE = ["strace", "-f", "-o"]
SHORT_FORM = {"fails once": ("fsync",), "full from then on": ("pwrite64", "write")}
SCENE = """camera: {position_m: [3, 0, 2], look_at_m: [0, 0, 0], sees: {horizontal_deg: 80, vertical_deg: 60, shape: frustum}}
entities:
  - {id: car, position_m: [0, 0, 0.15], size_m: [0.8, 0.4, 0.3], front_deg: 270}
  - {id: ball, position_m: [0.5, 0.4, 0.1], size_m: 0.2, shape: sphere}
"""
STUDY = """participants: 1
consent: You agree.
conditions: [{id: only}]
trials: [{id: one, show: get the car}, {id: two, show: get the car again}]
labels: [camera, mine]
"""


def spread(count, steps):
    """From 1 to count; of one step, the middle."""
    return sorted({1 + (2 * i + 1) * count // (2 * steps) for i in range(steps)} & set(range(1, count + 1)))


class Tally:
    def __init__(self, what):
        self.what, self.points, self.of, self.survived, self.told, self.killed, self.wrong = what, 0, 0, 0, 0, 0, []

    def judge(self, point, result, mute=False):
        """mute: it may have been killed, or standard error may have failed, too."""
        self.points += 1
        if result is None:
            self.wrong.append(f"{point}: hangs")
        elif result.returncode == 0:
            self.survived += 1
        elif mute and result.returncode in (-9, 137):
            self.killed += 1
        elif result.returncode == 1 and (result.stderr or mute):
            self.told += 1
        else:
            self.wrong.append(f"{point}: exit code {result.returncode}, {result.stderr[-200:]!r}")

    def print(self):
        print(f"{self.what:28} {self.points:4} points of {self.of:5}: {self.survived} survived, {self.told} ended in order, {self.killed} killed, {len(self.wrong)} wrong", flush=True)
        for line in self.wrong[:20]:
            print("    " + line, flush=True)


longest_s = 0  # of the commands that were not disturbed


def run(words, undisturbed=False, **options):
    global longest_s
    limit_s, began = max(HANGS_S, HANGS_TIMES * longest_s), time.monotonic()
    try:
        return subprocess.run(list(map(str, words)), capture_output=True, text=True, errors="replace",
                              timeout=None if undisturbed else limit_s, **options)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if undisturbed:
            longest_s = max(longest_s, time.monotonic() - began)


class Plain:
    """A command that keeps nothing."""

    def __init__(self, name, *words):
        self.name, self.words, self.stdin = name, words, None

    def prepare(self):
        pass

    def complaint(self, _):
        return None


def starve(command, folder):
    """Each allocation of pov's own code fails once."""
    tally, count = Tally(f"{command.name}: memory"), folder / "count"
    environment = dict(os.environ, LD_PRELOAD=SHIM, POV_FAULT_COUNT=str(count), POV_FAULT="0")
    command.prepare()
    result = run([POV, *command.words], undisturbed=True, env=environment, input=command.stdin)
    assert result.returncode == 0, (command.words, result.stderr)
    tally.of = int(count.read_text())
    for point in spread(tally.of, STEPS or 3):
        command.prepare()
        result = run([POV, *command.words], env=dict(environment, POV_FAULT=str(point)), input=command.stdin)
        tally.judge(point, result)
        if complaint := command.complaint(result):
            tally.wrong.append(f"{point}: {complaint}")
    tally.print()
    return tally


def count_writes(words, folder, stdin):
    log = folder / "strace"
    result = run([*STRACE, log, "-e", "trace=" + WRITES, POV, *words], undisturbed=True, input=stdin)
    assert result.returncode == 0, result.stderr
    counts = {}
    for line in log.read_text(errors="replace").splitlines():
        call = line.split(None, 1)[-1].split("(")[0]
        counts[call] = counts.get(call, 0) + 1
    return {call: count for call, count in counts.items() if call in WRITES.split(",")}


def renew(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()


class SweepOnDisk:
    """A sweep; one that was disturbed is resumed, and has the scores of an undisturbed one."""
    name = "sweep"

    def __init__(self, folder, station):
        self.disk = folder / "sweep_disk"
        self.out = self.disk / "sweep"
        self.words = ["sweep", station, "--out", self.out, "--quiet", "--json"]
        self.stdin = None
        self.prepare()
        self.scores = json.loads(run([POV, *self.words]).stdout)

    def prepare(self):
        renew(self.disk)

    def complaint(self, _):
        resumed = (self.out / "log.sqlite").exists()
        after = run([POV, *self.words, *(["--resume"] if resumed else [])])
        if not resumed and after and "there" in after.stderr:  # a folder without a log: remove it, as pov says
            self.prepare()
            after = run([POV, *self.words])
        return scores_differ(after, self.scores)


class CompareOnDisk:
    """The questions of a sweep, asked of a simulated model; asked to the end, it has the scores of an undisturbed one."""
    name = "compare"

    def __init__(self, folder, asked, vlm):
        self.asked, self.disk = asked, folder / "compare_disk"
        self.out = self.disk / "compare"
        self.words = ["compare", self.out, "--vlm", vlm, "--json"]
        self.stdin = None
        self.prepare()
        self.scores = json.loads(run([POV, *self.words]).stdout)

    def prepare(self):
        renew(self.disk)
        shutil.copytree(self.asked, self.out)

    def complaint(self, _):
        return scores_differ(run([POV, *self.words]), self.scores)


class StudyOnDisk:
    """A participant's session: what was told as kept is in the log, whose rows are sound, and the session can be resumed."""
    name = "study"

    def __init__(self, folder, station):
        protocol = folder / "study.yaml"
        protocol.write_text(STUDY)
        self.disk = folder / "study_disk"
        self.log = self.disk / "study"
        self.words = ["study", "run", station, protocol, "--log", self.log, "--participant", "P01", "--json"]
        self.stdin = "consent\nstart anyway\nsaid hand me the car\npick car\nstop\nstart anyway\npick car\nmark pointed\nstop\n"

    def prepare(self):
        renew(self.disk)

    def complaint(self, result):
        told = collections.Counter(line["kept"] for line in map(json.loads, whole_lines(result)) if "kept" in line)
        kept = self.kept()
        if lost := {kind: told[kind] - kept[kind] for kind in ("said", "pick", "mark") if kept[kind] < told[kind]}:
            return f"told as kept, but lost: {lost}"
        resumed = run([POV, *self.words, *(["--resume"] if (self.log / "log.sqlite").exists() else [])], input=self.stdin)
        if resumed is None or resumed.returncode not in (0, 1) or self.kept()["pick"] == 0:
            return f"cannot be resumed: {resumed and resumed.stderr[-200:]}"
        return None

    def kept(self):
        if not (self.log / "log.sqlite").exists():
            return collections.Counter()
        with contextlib.closing(sqlite3.connect(self.log / "log.sqlite")) as log:
            if not log.execute("SELECT 1 FROM sqlite_schema WHERE name = 'events'").fetchall():
                return collections.Counter()
            return collections.Counter(dict(log.execute("SELECT kind, count(*) FROM events GROUP BY kind")))


class RecordOnDisk:
    """A recording: each judgment is printed whatever the disk does, and the images that the recording holds are judged alike."""
    name = "record"

    def __init__(self, folder, station):
        self.station, self.disk, self.stdin = station, folder / "record_disk", None
        self.path = self.disk / "run.mcap"
        self.words = ["run", station, "--json", "--no-publish", "--quiet", "--record", self.path]
        self.prepare()
        self.judged = judgments_of(run([POV, *self.words]).stdout.splitlines())

    def prepare(self):
        renew(self.disk)

    def complaint(self, result):
        if any(self.judged[name] != judged for name, judged in judgments_of(whole_lines(result)).items()):
            return "judgments differ"
        if not self.path.exists():
            return None
        anew = run([POV, "run", self.station, "--images", self.path, "--json", "--no-publish", "--quiet"])
        if anew is None or anew.returncode not in (0, 1) or anew.returncode == 1 and not anew.stderr:
            return f"cannot be read: {anew and anew.stderr[-200:]}"
        if any(self.judged[name] != judged for name, judged in judgments_of(whole_lines(anew)).items()):
            return "the images of the recording are judged otherwise"
        return None


class RunOnDisk:
    """A run that draws its images: what it printed is as without the fault, and each picture is whole."""
    name = "run"

    def __init__(self, folder, station):
        self.disk, self.stdin = folder / "run_disk", None
        self.words = ["run", station, "--json", "--publish", f"ipc://{folder}/wire", "--quiet", "--annotate", self.disk / "annotated"]
        self.prepare()
        self.judged = judgments_of(run([POV, *self.words]).stdout.splitlines())
        self.pictures = self.drawn()

    def prepare(self):
        renew(self.disk)

    def drawn(self):
        return {path.name: path.read_bytes() for path in (self.disk / "annotated").glob("*.png")}

    def complaint(self, result):
        judged = judgments_of(whole_lines(result))
        if list(judged) != list(self.judged)[:len(judged)] or any(self.judged[name] != judged[name] for name in judged):
            return "judgments differ, or are missing amid others"
        if broken := [name for name, picture in self.drawn().items() if picture != self.pictures[name]]:
            return f"{broken[0]} is not whole"
        return None


def whole_lines(result):
    return [line[:-1] for line in (result.stdout if result else "").splitlines(True) if line.endswith("\n")]


def judgments_of(lines):
    return {line["image"]["sequence"]: line["judgments"] for line in map(json.loads, lines) if "image" in line}


def scores_differ(result, expected):
    if result is None or result.returncode != 0:
        return f"afterwards: {result and result.stderr[-200:]}"
    return None if json.loads(result.stdout) == expected else f"other scores: {result.stdout[:200]}"


def disturb_disk(command, folder):
    """At each system call that changes the disk: it fails once, from then on, or the program is killed there."""
    command.prepare()
    counts = count_writes(command.words, folder, command.stdin)
    for what, fault in FAULTS.items():
        if what not in CHOSEN or what == "killed" and not STEPS:
            continue
        tally = Tally(f"{command.name}: {what}")
        for call, count in counts.items():
            if call == "openat" and what != "killed":
                continue  # libraries open files, too, and what they make of a missing one is theirs
            if not STEPS and call not in SHORT_FORM[what]:
                continue
            tally.of += count
            for point in spread(count, STEPS or 1):
                command.prepare()
                result = run([*STRACE, "/dev/null", "-e", "trace=" + call, "-e", f"inject={call}:" + fault.format(point), POV,
                              *command.words], input=command.stdin)
                tally.judge(f"{call} {point}", result, what != "fails once")
                if complaint := command.complaint(result):
                    tally.wrong.append(f"{call} {point}: {complaint}")
        if what == "killed" and tally.killed < tally.points / 2:
            tally.wrong.append("most were not killed")
        tally.print()
        yield tally


def cut_power(command, cuts):
    """Of one run of the command, at so many points: what the disk may hold then is looked at as after a kill."""
    tally = Tally(f"{command.name}: power cut")
    command.prepare()
    for step, told in power_cuts([POV, *command.words], command.disk, cuts, 7, command.stdin):
        tally.points += 1
        tally.told += 1
        if complaint := command.complaint(subprocess.CompletedProcess([], 0, told, "")):
            tally.wrong.append(f"call {step}: {complaint}")
    tally.print()
    return tally


def main():
    if not SHIM or not shutil.which("strace"):
        print("skipped: needs strace and the release build")
        return 77
    with tempfile.TemporaryDirectory(prefix="pov-ordeal-") as name:
        folder = pathlib.Path(name)
        scene, world = folder / "scene.yaml", folder / "world"
        scene.write_text(SCENE)
        assert run([POV, "sim", "station", "--images", 3, "--size", "640x360", "--quiet", "--out", world], undisturbed=True).returncode == 0
        station = world / "station.yaml"
        asked = folder / "asked"
        assert run([POV, "sweep", station, "--out", asked, "--quiet"], undisturbed=True).returncode == 0
        plain = [Plain("judge", "judge", scene, "--json"), Plain("ask", "ask", scene, "where is the ball"),
                 Plain("tags", "tags", "sheet", "--out", folder / "sheet.pdf"),
                 Plain("run", "run", station, "--json", "--publish", f"ipc://{folder}/socket", "--count", 2)]
        tallies = []
        with Server(asked) as server:
            makers = {"sweep": lambda: SweepOnDisk(folder, station), "study": lambda: StudyOnDisk(folder, station),
                      "record": lambda: RecordOnDisk(folder, station), "compare": lambda: CompareOnDisk(folder, asked, vlm_file(folder, server)),
                      **({"run": lambda: RunOnDisk(folder, station)} if STEPS else {})}
            keeping = [make() for name, make in makers.items() if name in (COMMANDS or makers)]
            if "memory" in CHOSEN:
                starved = [*plain, *(command for command in keeping if command.name != "run")] if STEPS else plain
                tallies += [starve(command, folder) for command in starved if command.name in (COMMANDS or [command.name])]
            for command in keeping:
                tallies += disturb_disk(command, folder)
                if "power cut" in CHOSEN and command.name != "run" and (STEPS or command.name == "study"):
                    tallies.append(cut_power(command, STEPS * 5 or 6))
        points, killed, wrong = (sum(map(of, tallies)) for of in (lambda t: t.points, lambda t: t.killed, lambda t: len(t.wrong)))
        print(f"{', '.join(CHOSEN)}: {points} points, {killed} killed, {wrong} wrong")
    return 1 if any(tally.wrong for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
