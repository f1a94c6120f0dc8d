#!/usr/bin/env python3
"""Logs that a disk has damaged, that someone else has made, and that lie where nothing can be written."""
import contextlib
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import POV, Server, pov, station, vlm_file

FLIPS = 20 if "POV_SANITIZED" in os.environ else 40
TABLES = "runs", "images", "questions", "models", "results"


def make_log(folder):
    run = folder / "run"
    with Server(run) as server:
        pov("sweep", station(folder), "--out", run, "--angles", 4, "--vlm", vlm_file(folder, server), "--quiet")
    log = sqlite3.connect(run / "log.sqlite")
    log.execute("PRAGMA journal_mode = DELETE") # one file: its bytes are the whole log
    log.close()
    return run


def rows_of(path):
    """All rows, read without pov; None if SQLite cannot."""
    try:
        log = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        log.text_factory = bytes
        return {table: log.execute(f"SELECT rowid, * FROM {table} NOT INDEXED").fetchall() for table in TABLES}
    except sqlite3.Error:
        return None


def doctor(path):
    done = subprocess.run([POV, "doctor", str(path)], capture_output=True, text=True, timeout=250)
    assert done.returncode in (0, 1), done
    return done.returncode, done.stdout


def flipped_bytes_are_noticed_where_content_differs(run):
    log = run / "log.sqlite"
    whole, truth, chance = log.read_bytes(), rows_of(log), random.Random(7)
    assert doctor(run) == doctor(log) and doctor(run)[0] == 0, doctor(run)
    noticed = harmless = 0
    for _ in range(FLIPS):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        log.write_bytes(damaged)
        code, said = doctor(run)
        if rows_of(log) == truth:
            harmless += 1
        else:
            assert code == 1, said
            noticed += 1
    log.write_bytes(whole)
    print(f"{noticed} flips changed content, all noticed; {harmless} did not")
    assert noticed > FLIPS / 3


def a_damaged_row_is_named_and_the_rest_is_read(run):
    log = run / "log.sqlite"
    whole = log.read_bytes()
    answers = len(pov("compare", run, "--export", "jsonl").splitlines())
    connection = sqlite3.connect(log)
    number, = connection.execute("SELECT id FROM results WHERE counted LIMIT 1").fetchone()
    connection.execute("UPDATE results SET text = text || '!' WHERE id = ?", (number,))
    connection.commit()
    connection.close()
    code, said = doctor(run)
    assert code == 1 and f"(results {number})." in said, said
    done = subprocess.run([POV, "report", str(run), "--out", str(run / "report.html")], capture_output=True, text=True)
    assert done.returncode == 1 and f"(results {number})" in done.stderr, done.stderr
    for command in ("compare", run), ("sweep", run.parent / "world" / "simulated.yaml", "--out", run, "--resume"):
        assert f"results {number}" in pov(*command, code=1)
    log.write_bytes(whole)
    assert len(pov("compare", run, "--export", "jsonl").splitlines()) == answers


def a_report_leaves_out_a_damaged_row_of_each_table(run):
    """Rows that belong to it are left without: answers of a model that is gone, questions about an image that is."""
    log = run / "log.sqlite"
    whole = log.read_bytes()
    for table, change in (("models", "name = name || '!'"), ("images", "stop = stop + 1000"), ("questions", "prompt = prompt || '!'"),
                          ("results", "latency_ns = latency_ns + 1"), ("runs", "seed = seed + 1")):
        with contextlib.closing(sqlite3.connect(log)) as connection:
            number, = connection.execute(f"SELECT max(id) FROM {table}").fetchone()
            connection.execute(f"UPDATE {table} SET {change} WHERE id = ?", (number,))
            connection.commit()
        done = subprocess.run([POV, "report", str(run), "--out", str(run / "report.html")], capture_output=True, text=True)
        assert done.returncode == 1 and f"({table} {number})" in done.stderr, (table, done.returncode, done.stderr)
        log.write_bytes(whole)


def of_many_logs_the_first_that_cannot_be_read_is_named(run, folder):
    """Logs are read side by side; what is told does not depend on which is read first."""
    logs = [folder / f"copy_{number}" for number in range(12)]
    for copy in logs:
        copy.mkdir()
        copy.joinpath("log.sqlite").write_bytes((run / "log.sqlite").read_bytes())
    for number in 5, 7, 11:
        os.truncate(logs[number] / "log.sqlite", 20000)
    for _ in range(4):
        done = subprocess.run([POV, "report", *map(str, logs), "--out", str(folder / "r.html")], capture_output=True, text=True)
        assert done.returncode == 1 and done.stderr.startswith(f"pov: {logs[5]}/log.sqlite: is damaged"), done.stderr


def a_changed_image_is_named(run):
    image = next((run / "images").glob("*.png"))
    whole = image.read_bytes()
    image.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    code, said = doctor(run)
    assert code == 1 and image.name in said and "SHA-256" in said, said
    image.write_bytes(whole)


def someone_elses_log_can_do_nothing(run, folder):
    for name, sql, complaint in (
            ("trigger", "CREATE TRIGGER evil AFTER INSERT ON results BEGIN DELETE FROM results; END", "someone changed them"),
            ("view", "DROP VIEW answers; CREATE VIEW answers AS SELECT load_extension('x')", "someone changed them"),
            ("path", "UPDATE images SET path = '../secret.png'", "outside its folder"),
            ("link", "UPDATE images SET path = 'images/link.png'", "outside its folder")):
        other = folder / name
        shutil.copytree(run, other)
        (folder / "secret.png").write_bytes(b"secret")
        (other / "images" / "link.png").symlink_to(folder / "secret.png")
        log = sqlite3.connect(other / "log.sqlite")
        log.executescript(sql)
        if "images" in sql:
            log.execute("UPDATE results SET counted = 0") # all is to be asked again
            sweep_peer.seal(log)
        log.commit()
        log.close()
        code, said = doctor(other)
        assert code == 1 and complaint in said, said
        if "images" in sql:
            with Server(other) as server:
                assert complaint in pov("compare", other, "--vlm", vlm_file(other, server), code=1)
        else:
            assert complaint in pov("report", other, "--out", folder / "r.html", code=1)


def a_log_of_version_1_gets_checksums(run, folder):
    old = folder / "old"
    shutil.copytree(run, old)
    log = sqlite3.connect(old / "log.sqlite")
    log.executescript("DROP TABLE row_checks; PRAGMA user_version = 1")
    log.close()
    assert doctor(old)[0] == 0
    pov("compare", old)
    log = sqlite3.connect(old / "log.sqlite")
    assert log.execute("PRAGMA user_version").fetchone() == (2,)
    kept = sorted(log.execute("SELECT * FROM row_checks"))
    sweep_peer.seal(log)
    assert kept and kept == sorted(log.execute("SELECT * FROM row_checks"))
    log.rollback()
    log.close()


def a_read_only_log_can_be_reported(run, folder):
    """Root may write everywhere: the log is read as nobody."""
    if os.getuid() != 0:
        return
    shelf = folder / "shelf"
    shutil.copytree(run, shelf)
    log = sqlite3.connect(shelf / "log.sqlite")
    log.execute("PRAGMA journal_mode = WAL")
    log.close()
    for path in [folder, shelf, *shelf.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    names = sorted(path.name for path in shelf.iterdir())
    out = folder / "out"
    out.mkdir()
    out.chmod(0o777)
    done = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", POV, "report", str(shelf), "--out", str(out / "r.html")],
                          capture_output=True, text=True)
    if "setpriv" in done.stderr or "Permission denied" in done.stderr and POV in done.stderr or "suppressions file" in done.stderr:
        return # this build, or the source, is where nobody may not read
    assert done.returncode == 0 and (out / "r.html").exists(), done.stderr
    assert names == sorted(path.name for path in shelf.iterdir())


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        run = make_log(folder)
        flipped_bytes_are_noticed_where_content_differs(run)
        a_damaged_row_is_named_and_the_rest_is_read(run)
        a_report_leaves_out_a_damaged_row_of_each_table(run)
        of_many_logs_the_first_that_cannot_be_read_is_named(run, folder)
        a_changed_image_is_named(run)
        someone_elses_log_can_do_nothing(run, folder)
        a_log_of_version_1_gets_checksums(run, folder)
        a_read_only_log_can_be_reported(run, folder)


main()
