#!/usr/bin/python3
"""Searches for inputs that break a decoder, keeps what it learns, and adds up what was tried. `./dev fuzz` calls it.

    search.py search BUILD SECONDS [WHAT...]   each fuzzer for so long, from another seed each time; BUILD: the folder of the fuzzers
    search.py keep BUILD [WHAT...]             what searches learned, minimised, into tests/fuzz/learned
    search.py table                            tries and edges of all searches so far, as a table

A search keeps its finds in build/fuzz/WHAT, inputs that crash in build/fuzz/WHAT/crashes; figures in build/fuzz/figures.jsonl."""
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

FUZZ = pathlib.Path(__file__).parent
FOUND = FUZZ.parents[1] / "build" / "fuzz"
FIGURES = FOUND / "figures.jsonl"
LENGTH_MAX = 4096
KEPT_MAX = 1500  # inputs a fuzzer


def all_names():
    return sorted(path.stem.removeprefix("fuzz_") for path in FUZZ.glob("fuzz_*.c"))


def unpack(what, folder):
    """What is kept of earlier searches."""
    archive = FUZZ / "learned" / f"{what}.tar.xz"
    if archive.exists():
        with tarfile.open(archive) as kept:
            kept.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else kept.extractall(folder)


def run(fuzzer, arguments):
    """Output of libFuzzer, and whether it ended well."""
    result = subprocess.run([fuzzer, *map(str, arguments)], capture_output=True, text=True, errors="replace")
    return result.stderr, result.returncode == 0


def search(build, seconds, what):
    fuzzer, found = build / "fuzz" / f"fuzz_{what}", FOUND / what
    crashes = found / "crashes"
    (found / "new").mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pov-fuzz-") as kept:
        unpack(what, kept)
        text, is_well = run(fuzzer, [f"-max_total_time={seconds}", f"-max_len={LENGTH_MAX}", "-timeout=20", f"-artifact_prefix={crashes}/",
                                     "-print_final_stats=1", found / "new", FUZZ / "corpus" / what, kept])
    tries = re.findall(r"^stat::number_of_executed_units: (\d+)", text, re.M) or re.findall(r"^#(\d+)", text, re.M)
    edges = [int(edge) for edge in re.findall(r"\bcov: (\d+)", text)]
    figures = {"what": what, "build": build.name, "seconds": seconds, "tries": int(tries[-1]) if tries else 0, "edges": max(edges, default=0),
               "is_well": is_well}
    with open(FIGURES, "a", encoding="utf-8") as file:
        file.write(json.dumps(figures) + "\n")
    print(f"{what:20} {figures['tries']:10} tries {figures['edges']:6} edges", flush=True)
    if not is_well:
        print(text[-3000:], flush=True)
    return is_well


def keep(build, what):
    """Seeds, then whatever reaches more than they do: the smallest inputs first."""
    fuzzer, seeds = build / "fuzz" / f"fuzz_{what}", set(os.listdir(FUZZ / "corpus" / what))
    with tempfile.TemporaryDirectory(prefix="pov-fuzz-") as name:
        merged, kept, found = pathlib.Path(name) / "merged", pathlib.Path(name) / "kept", FOUND / what / "new"
        shutil.copytree(FUZZ / "corpus" / what, merged)
        kept.mkdir()
        found.mkdir(parents=True, exist_ok=True)
        unpack(what, kept)
        text, is_well = run(fuzzer, ["-merge=1", f"-max_len={LENGTH_MAX}", "-timeout=20", merged, kept, found])
        if not is_well:
            print(f"{what}: not merged\n{text[-1000:]}")
            return False
        inputs = sorted((path.read_bytes() for path in merged.iterdir() if path.name not in seeds), key=len)[:KEPT_MAX]
        archive = FUZZ / "learned" / f"{what}.tar.xz"
        archive.parent.mkdir(exist_ok=True)
        with tarfile.open(archive, "w:xz", preset=9) as file:
            for data in inputs:
                entry = tarfile.TarInfo(hashlib.sha1(data).hexdigest()[:12])
                entry.size = len(data)
                file.addfile(entry, io.BytesIO(data))
    print(f"{what:20} {len(inputs):5} inputs kept, {archive.stat().st_size:7} bytes", flush=True)
    return True


def table():
    figures = [json.loads(line) for line in FIGURES.read_text(encoding="utf-8").splitlines()]
    print("| decoder | tries | edges reached |\n|---|---|---|")
    for what in all_names():
        of = [figure for figure in figures if figure["what"] == what]
        edges = [figure["edges"] for figure in of if figure["build"] == "search"]
        print(f"| {what} | {sum(figure['tries'] for figure in of):,} | {max(edges, default=0):,} |")
    print(f"| all | {sum(figure['tries'] for figure in figures):,} | |")
    return True


def main():
    verb, *rest = sys.argv[1:]
    if verb == "table":
        return 0 if table() else 1
    build, *rest = rest
    build = pathlib.Path(build)
    seconds = int(rest.pop(0)) if verb == "search" else 0
    names = rest or all_names()
    if unknown := set(names) - set(all_names()):
        print(f"there is no fuzzer '{unknown.pop()}'; tests/fuzz has: {' '.join(all_names())}", file=sys.stderr)
        return 2
    return 0 if all([search(build, seconds, what) if verb == "search" else keep(build, what) for what in names]) else 1


if __name__ == "__main__":
    sys.exit(main())
