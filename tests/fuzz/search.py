#!/usr/bin/python3
"""Searches for inputs that break a decoder, keeps what it learns, and adds up what was tried. `./dev fuzz` calls it.

    search.py search BUILD SECONDS [WHAT...]   from another seed each time; SECONDS: of all together, of equal shares, a fuzzer a processor;
                                               BUILD: the folder of the fuzzers
    search.py keep BUILD [WHAT...]             what searches learned, minimised, into tests/fuzz/learned
    search.py table                            adds tries and edges of the searches since to the table in docs/SECURITY.md

A search keeps its finds in build/fuzz/WHAT, inputs that crash in build/fuzz/WHAT/crashes; figures in build/fuzz/figures.jsonl, and
those that the table has in build/fuzz/figures_told.jsonl."""
import concurrent.futures
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
SECURITY = FUZZ.parents[1] / "docs" / "SECURITY.md"
ROW = re.compile(r"^\| (\w+) \| ([\d,]+) \| ([\d,]+) \|\n", re.M)
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
    leaks = f"suppressions={pathlib.Path(__file__).parent.parent / 'leaks_of_others.supp'}:print_suppressions=0"
    result = subprocess.run([fuzzer, *map(str, arguments)], capture_output=True, text=True, errors="replace",
                            env={**os.environ, "LSAN_OPTIONS": leaks})
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
    text = SECURITY.read_text(encoding="utf-8")
    figures = [json.loads(line) for line in FIGURES.read_text(encoding="utf-8").splitlines()] if FIGURES.exists() else []
    told = {what: [int(number.replace(",", "")) for number in numbers] for what, *numbers in ROW.findall(text)}
    rows = []
    for what in all_names():
        tries, edges = told.get(what, (0, 0))
        tries += sum(figure["tries"] for figure in figures if figure["what"] == what)
        edges = max(edges, *(figure["edges"] for figure in figures if figure["what"] == what and figure["build"] == "search"), 0)
        rows.append((what, tries, edges))
    first, *others = ROW.finditer(text)
    text = text[:first.start()] + "".join(f"| {what} | {tries:,} | {edges:,} |\n" for what, tries, edges in rows) + text[(others or [first])[-1].end():]
    text = re.sub(r"(?<=^Tries so far: )[\d,]+", f"{sum(tries for _, tries, _ in rows):,}", text, flags=re.M)
    SECURITY.write_text(text, encoding="utf-8")
    with open(FOUND / "figures_told.jsonl", "a", encoding="utf-8") as file:
        file.writelines(json.dumps(figure) + "\n" for figure in figures)
    FIGURES.unlink(missing_ok=True)
    print(re.search("^Tries so far: .*$", text, re.M)[0])
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
    workers = min(len(os.sched_getaffinity(0)), len(names))
    share_s = max(1, seconds * workers // len(names))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return 0 if all(list(pool.map(lambda what: search(build, share_s, what) if verb == "search" else keep(build, what), names))) else 1


if __name__ == "__main__":
    sys.exit(main())
