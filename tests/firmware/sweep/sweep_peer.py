"""A simulated station and a simulated VLM for the tests of sweeps."""
import ctypes
import hashlib
import json
import os
import pathlib
import signal
import sqlite3
import struct
import subprocess
import tempfile

POV = os.environ["POV"]
ENVIRONMENT = {**os.environ, "http_proxy": "http://127.0.0.1:1", "no_proxy": ""}  # this machine's own servers need none


def folder():
    """A new one, in memory if it can be: what these tests kill are programs, not machines."""
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


def pov(*arguments, code=0, timeout=250, **more):
    """Runs pov to its end; returns what it printed."""
    done = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, env=ENVIRONMENT, **more)
    assert code is None or done.returncode == code, f"{arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout if code == 0 else done.stderr


def station(where, world="comfort-ball", **station_keys):
    """A station whose camera is the simulator."""
    out = pathlib.Path(where) / "world"
    name, _, variant = world.partition("/")
    pov("sim", name, *(["--variant", variant] if variant else []), "--images", 1, "--bodies", "own", "--out", out)
    path = out / "simulated.yaml"
    text = (out / "station.yaml").read_text().replace("source: folder", "source: simulator")
    path.write_text(text + "".join(f"{key}: {value}\n" for key, value in station_keys.items()))
    return path


def vlm_file(where, *servers, more=""):
    """Many attempts with short pauses: servers come and go."""
    path = pathlib.Path(where) / "vlm.yaml"
    endpoints = "".join(f"    - {{url: '{server.url}', model: perfect{more}}}\n" for server in servers)
    path.write_text(f"vlm:\n  endpoints:\n{endpoints}  attempts: 50\n  pause_first_s: 0.02\n  pause_max_s: 0.2\n")
    return path


def row_checksum(*columns):
    """docs/LOG.md, written anew."""
    text = b""
    for value in columns:
        if value is None:
            text += b"\x05"
        elif isinstance(value, int):
            text += b"\x01" + struct.pack("<q", value)
        elif isinstance(value, float):
            text += b"\x02" + struct.pack("<d", value)
        else:
            plain = value.encode() if isinstance(value, str) else value
            text += (b"\x03" if isinstance(value, str) else b"\x04") + struct.pack("<q", len(plain)) + plain
    return hashlib.sha256(text).hexdigest()[:16]


def seal(log):
    """Gives the rows of a log that was changed by SQL the checksums that they need."""
    tables = [name for name, in log.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'row_checks'")]
    log.execute("DELETE FROM row_checks")
    for table in tables:
        for row in log.execute(f"SELECT rowid, * FROM {table}").fetchall():
            log.execute("INSERT INTO row_checks VALUES (?, ?, ?)", (table, row[0], row_checksum(*row[1:])))


def die_with_the_test():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL) # PR_SET_PDEATHSIG


class Server:
    """pov vlm-sim, with the truths that a sweep writes."""

    def __init__(self, where, *arguments, port=0):
        pathlib.Path(where).mkdir(exist_ok=True)
        truth = pathlib.Path(where) / "vlm_truth.jsonl"
        if not truth.exists():
            truth.write_text('{"image": "", "prompt": "Is anyone there?", "golds": {"any": 1}}\n')
        command = [POV, "vlm-sim", "--json", "--truth", truth, "--port", port, *arguments]
        self.process = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True,
                                        preexec_fn=die_with_the_test)
        self.url = json.loads(self.process.stdout.readline())["url"]

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


def query(run, sql):
    """Rows of a log, read by another library than pov's own code."""
    connection = sqlite3.connect(f"file:{run}/log.sqlite?mode=ro", uri=True)
    rows = connection.execute(sql).fetchall()
    connection.close()
    return rows


def assert_answered_once(run, models=1):
    """Every question has one counted result of each model, and no more."""
    counts = query(run, "SELECT q.id, count(r.id) FROM questions q LEFT JOIN results r ON r.question = q.id AND r.counted"
                        " GROUP BY q.id")
    assert counts and all(n == models for _, n in counts), [c for c in counts if c[1] != models][:5]
    assert query(run, "PRAGMA integrity_check") == [("ok",)]
    return len(counts)
