#!/usr/bin/python3
"""Shards of one sweep, joined: the same rows as of a sweep in one piece, in whatever order they are named; what does not belong
together is refused, and nothing is left of it."""
import itertools
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "sweep"))
from sweep_peer import Server, assert_answered_once, folder, pov, query, seal, station

IMAGES, SHARDS = 7, 3
WORLD = ["comfort-car", "--images", IMAGES, "--size", "48x36", "--dataset", "jsonl"]
TABLES = {
    "images": "stop, turn_deg, phi_deg, curve_deg, sha256, name, path, calibration_hash, evidence, truth",
    "questions": "image, key, paper, prompt, system, language, form, gold, gold_p, golds, truth, columns, token_max",
    "models": "name, settings",
    "results": "question, model, counted, outcome, kind, p, mass, text",
}

ANSWERS = "SELECT question, model, counted, outcome, kind, p, mass, text FROM results ORDER BY question"


def rows(run, tables=TABLES):
    return {table: query(run, f"SELECT id, {columns} FROM {table} ORDER BY id") for table, columns in tables.items()}


def all_rows(run):
    """Everything, times too."""
    return {table: query(run, f"SELECT * FROM {table} ORDER BY 1, 2") for table in [*TABLES, "runs", "row_checks"]}


def shards_make_what_one_process_makes(where):
    pov("export", *WORLD, where / "whole")
    shards = []
    for k in range(SHARDS):
        shards.append(where / f"shard_{k}")
        if k == 1: # the place in a job array: ids may begin anywhere
            env = {**os.environ, "SLURM_ARRAY_TASK_ID": "11", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_MAX": "12",
                   "SLURM_ARRAY_TASK_COUNT": "3"}
            run_slurm(shards[k], env)
        else:
            pov("export", *WORLD, shards[k], "--shard", f"{k}/{SHARDS}")
    stops = [[stop for stop, in query(shard, "SELECT stop FROM images ORDER BY id")] for shard in shards]
    assert stops == [[0, 1, 2], [3, 4], [5, 6]], stops
    with Server(where / "whole", "--bias", "noisy") as server:
        for run in [where / "whole", *shards]:
            pov("compare", run, "--vlm", server.url, "--model", "m")
    first = None
    for i, order in enumerate(itertools.permutations(shards)):
        out = where / f"merged_{i}"
        pov("merge", out, *order)
        first = first or out
        assert all_rows(out) == all_rows(first), order
    assert query(first, ANSWERS) == query(where / "whole", ANSWERS)
    one, other = rows(first), rows(where / "whole")
    for table in ("images", "questions", "models"):
        assert one[table] == other[table], table
    assert pov("compare", first, "--json") == pov("compare", where / "whole", "--json")
    pov("doctor", first) # every row and image is as it was written
    assert_answered_once(first)
    for path in (where / "whole" / "images").iterdir():
        assert path.read_bytes() == (first / "images" / path.name).read_bytes()
    pov("export", first, "--dataset", "jsonl", where / "again")
    assert (where / "again" / "questions.jsonl").read_text() == (where / "whole" / "questions.jsonl").read_text()
    return shards, first


def run_slurm(shard, env):
    subprocess.run([os.environ["POV"], "export", *map(str, WORLD), str(shard), "--shard", "slurm"], env=env, check=True,
                   stdout=subprocess.DEVNULL)


def a_shard_that_ran_twice_changes_nothing(where, shards, merged):
    shutil.copytree(shards[0], where / "copy")
    again = where / "again_0"
    pov("export", *WORLD, again, "--shard", f"0/{SHARDS}") # drawn anew, not asked
    out = where / "doubled"
    pov("merge", out, again, where / "copy", *shards)
    one, other = rows(out), rows(merged)
    assert one["images"] == other["images"] and one["questions"] == other["questions"]
    assert_answered_once(out)


def parts_are_asked_apart(where):
    pov("export", *WORLD, where / "unasked")
    with Server(where / "unasked") as server:
        asking = ["--vlm", server.url, "--model", "m"]
        parts = {k: ["compare", where / "unasked", "--out", where / f"part_{k}", "--shard", f"{k}/{SHARDS}"] for k in range(SHARDS)}
        pov(*parts[0])  # a task that was stopped before it asked anything, and is started again
        for k in range(SHARDS):
            pov(*parts[k], *asking)
        asked = query(where / "part_1", "SELECT count(*) FROM results")
        pov(*parts[1], *asking)  # and one that had done all
        assert query(where / "part_1", "SELECT count(*) FROM results") == asked != [(0,)]
        assert "another shard" in pov(*parts[0][:4], *parts[1][4:], code=1)
        assert query(where / "unasked", "SELECT count(*) FROM results") == [(0,)]  # the whole is only read
        pov("compare", where / "unasked", *asking)
        nothing = where / "nothing"  # more tasks than images
        pov("compare", where / "unasked", "--out", nothing, "--shard", f"8/{IMAGES + 2}", *asking)
    pov("merge", where / "rejoined", *(where / f"part_{k}" for k in (2, 0, 1)))
    for table in ("images", "questions", "models"):
        assert rows(where / "rejoined")[table] == rows(where / "unasked")[table], table
    assert query(where / "rejoined", ANSWERS) == query(where / "unasked", ANSWERS)
    assert pov("compare", where / "rejoined", "--json") == pov("compare", where / "unasked", "--json")
    assert assert_answered_once(where / "rejoined") == query(where / "unasked", "SELECT count(*) FROM questions")[0][0]
    for wrong in (["--shard", "0/3"], ["--out", where / "part_9"]):
        assert "alone it would do nothing" in pov("compare", where / "unasked", *wrong, code=2)


def what_does_not_belong_together_is_refused(where, shards):
    def refused(words, *inputs, code=1):
        told = pov("merge", where / "refused", *inputs, code=code)
        assert words in told, told
        assert not (where / "refused").exists() and not (where / "refused.merging").exists()
    refused("2 of 7 images are in no shard, the first is 3", shards[0], shards[2])
    assert "no shard" in pov_warning("merge", "--partial", where / "so_far", shards[0], shards[2])
    pov("export", *WORLD, where / "other_seed", "--seed", 5, "--shard", f"1/{SHARDS}")
    refused("another sweep", shards[0], where / "other_seed", shards[2])
    pov("export", *WORLD, where / "other_paper", "--questions", "vsr", "--shard", f"1/{SHARDS}")
    refused("another sweep", shards[0], where / "other_paper", shards[2])
    for name, change, words in (("version", "UPDATE runs SET version = '9.9'", "9.9"),
                                ("image", "UPDATE images SET phi_deg = 1 WHERE stop = 0", "another image at stop 0"),
                                ("question", "UPDATE questions SET gold = 'maybe' WHERE id = 3", "another question")):
        changed = where / f"changed_{name}"
        shutil.copytree(shards[0], changed)
        log = sqlite3.connect(changed / "log.sqlite")
        log.execute(change)
        seal(log)
        log.commit()
        log.close()
        refused(words, *shards, changed)
    damaged = where / "damaged"
    shutil.copytree(shards[1], damaged)
    log = sqlite3.connect(damaged / "log.sqlite")
    log.execute("UPDATE results SET p = p + 1 WHERE id = 2")
    log.commit()
    log.close()
    refused("run its shard again", shards[0], damaged, shards[2])
    assert "1 row" in pov("export", damaged, "--dataset", "jsonl", where / "of_damaged", code=1)
    assert (where / "of_damaged" / "DATASHEET.md").exists()  # of the sound rows
    assert "there already" in pov("merge", shards[0], shards[1], code=1)
    for wrong in ("3/3", "-1/3", "1", "x", "1/0", "slurm"):
        assert "--shard" in pov("export", *WORLD, where / "wrong", f"--shard={wrong}", code=2), wrong


def pov_warning(*arguments):
    done = subprocess.run([os.environ["POV"], *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def sweeps_and_worlds_are_divided(where):
    """A simulated station: judged from its images. And `pov sim`: the same bytes as undivided."""
    path = station(where / "s", "comfort-ball")
    for shard in ("0/2", "1/2"):
        pov("sweep", path, "--angles", 5, "--out", where / f"sweep_{shard[0]}", "--quiet", "--shard", shard)
    pov("sweep", path, "--angles", 5, "--out", where / "sweep", "--quiet")
    pov("merge", where / "swept", where / "sweep_1", where / "sweep_0")
    columns = "stop, turn_deg, phi_deg, curve_deg, sha256"
    assert query(where / "swept", f"SELECT id, {columns} FROM images") == query(where / "sweep", f"SELECT id, {columns} FROM images")
    assert rows(where / "swept")["questions"] == rows(where / "sweep")["questions"]
    film = where / "r.mcap"
    pov("run", path, "--no-publish", "--quiet", "--count", 3, "--record", film)
    for options in (["--out", where / "judged"], *(["--out", where / f"judged_{k}", "--shard", f"{k}/2"] for k in range(2))):
        pov("sweep", path, "--images", film, "--quiet", *options)
    pov("merge", where / "rejudged", where / "judged_0", where / "judged_1")
    for table in ("images", "questions"):
        assert rows(where / "rejudged")[table] == rows(where / "judged")[table], table
    pov("sweep", path, "--angles", 8, "--out", where / "off_curve", "--quiet", "--shard", "1/8") # 45 degrees: on no curve
    with Server(where / "off_curve") as server:
        assert "100.0" in pov("compare", where / "off_curve", "--vlm", server.url, "--model", "m")
    for options in (["--out", where / "drawn"], ["--out", where / "drawn_1", "--shard", "1/2"]):
        pov("sim", "tabletop", "--images", 3, "--size", "48x36", "--bodies", "own", "--quiet", *options)
    drawn = {path.name: path.read_bytes() for path in (where / "drawn_1" / "images").iterdir()}
    assert list(drawn) == ["simulated_0002.png"] and (where / "drawn" / "images" / "simulated_0002.png").read_bytes() in drawn.values()


def a_merge_that_fails_or_is_killed_is_told_and_blocks_none(where, shards):
    out, beside = where / "after", where / "after.merging"
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))  # noqa: E731
    done = subprocess.run([os.environ["POV"], "merge", out, *shards], capture_output=True, text=True, preexec_fn=limit)
    assert done.returncode == 1 and str(where) in done.stderr, (done.returncode, done.stderr)
    assert not out.exists() and not beside.exists()
    beside.mkdir()  # of somebody else
    (beside / "mine").write_text("x")
    assert "is there already" in pov("merge", out, *shards, code=1)
    assert (beside / "mine").exists() and not out.exists()
    (beside / "merging").write_text("")  # as a merge leaves it that is killed
    assert "of a merge that was stopped, was removed" in pov_warning("merge", out, *shards)
    assert not beside.exists() and not (out / "merging").exists() and not (out / "mine").exists()
    assert rows(out)["images"] == rows(where / "merged_0")["images"]


with folder() as name:
    where = pathlib.Path(name)
    (where / "s").mkdir()
    shards, merged = shards_make_what_one_process_makes(where)
    a_shard_that_ran_twice_changes_nothing(where, shards, merged)
    parts_are_asked_apart(where)
    what_does_not_belong_together_is_refused(where, shards)
    a_merge_that_fails_or_is_killed_is_told_and_blocks_none(where, shards)
    sweeps_and_worlds_are_divided(where)
