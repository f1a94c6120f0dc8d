#!/usr/bin/python3
"""The cost of one report of many sweeps: N copies of a simulated rotation of 36 stops in several languages, each a variant of its own,
put together. report.py POV [N]."""
import os
import pathlib
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()
os.environ["POV"] = str(pathlib.Path(sys.argv[1]).resolve())
sys.path.insert(0, str(HERE.parents[1] / "firmware" / "sweep"))
import sweep_peer

SWEEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
LANGUAGES = "en,de,fr,ta,ha"


def copy_sweep(source, target, number):
    """Another variant, started at another time."""
    target.mkdir()
    with sqlite3.connect(source / "log.sqlite") as old, sqlite3.connect(target / "log.sqlite") as new:
        old.backup(new)
        new.execute("UPDATE runs SET started_ns = started_ns + ? * 1000000000", (number,))
        new.execute("UPDATE results SET answered_ns = answered_ns + (? + 1) * 1000000000000", (number,)) # a copy would be refused
        new.execute("UPDATE questions SET columns = json_set(columns, '$.variant', ?) WHERE json_extract(columns, '$.scene') IS NOT NULL",
                    (f"variant {number}",))
        sweep_peer.seal(new)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        first = folder / "first"
        with sweep_peer.Server(first, "--bias", "noisy") as server:
            sweep_peer.pov("sweep", sweep_peer.station(folder, "comfort-car"), "--out", first, "--quiet", "--languages", LANGUAGES, "--vlm", server.url,
                           "--model", "noisy", code=None, timeout=900)
        answers, = sweep_peer.query(first, "SELECT count(*) FROM results WHERE counted")[0]
        for number in range(SWEEPS):
            copy_sweep(first, folder / f"sweep_{number}", number)
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
        subprocess.run([os.environ["POV"], "report", *(f"sweep_{number}" for number in range(SWEEPS)), "--out", "r.html", "--no-images"], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)
        wall, used = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu, all_answers = used.ru_utime - before, SWEEPS * answers
        print(f"{SWEEPS} sweeps, {all_answers} answers: {wall:.1f} s, {cpu:.1f} s of processor, {used.ru_maxrss / 1024:.0f} MB")
        print(f"an answer: {1e6 * wall / all_answers:.1f} us, {1e6 * cpu / all_answers:.0f} us of processor, {1024 * used.ru_maxrss / all_answers:.0f} bytes; 3.6 million: {wall / all_answers * 3.6e6:.0f} s, "
              f"{used.ru_maxrss / 1024 ** 2 / all_answers * 3.6e6:.1f} GB")


if __name__ == "__main__":
    main()
