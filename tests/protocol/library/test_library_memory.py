#!/usr/bin/env python3
"""The examples of docs/LIBRARY.md while memory runs out: whichever allocation of libpov or libpovlink fails, the program goes on or gets a
message; the library never ends it. All allocations up to 30 are tried, then 20 of the others; failing_malloc.c lets them fail."""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ["POV_SOURCE"]), pathlib.Path(os.environ["POV"]).parent
SHIM = BUILD / "tests/libfailing_malloc.so"
EXAMPLES = {"judge_scene.c": [], "visible_share.cpp": [],
            "ask_recording.c": [SOURCE / "tests/firmware/recording/kept_session.mcap", "where is the red ball?"]}


def built(folder, example):
    compiler = ["c++", "-std=c++20"] if example.endswith(".cpp") else ["cc", "-std=c11"]
    program = folder / example.replace(".", "_")
    subprocess.run([*compiler, SOURCE / "docs/examples" / example, f"-I{SOURCE}/perception/library", f"-I{SOURCE}/protocol/library", f"-L{BUILD}",
                    *(["-lpovlink"] if example == "ask_recording.c" else []), "-lpov", f"-Wl,-rpath,{BUILD}", "-o", program], check=True)
    return program


def main():
    if "POV_SANITIZED" in os.environ or not SHIM.exists():
        print("skipped: sanitizers have an allocator of their own")
        return 77
    with tempfile.TemporaryDirectory() as name:
        for example, arguments in EXAMPLES.items():
            program, count = built(pathlib.Path(name), example), pathlib.Path(name, "count")

            def run(fault):
                environment = {**os.environ, "LD_PRELOAD": str(SHIM), "POV_FAULT": str(fault), "POV_FAULT_COUNT": str(count)}
                return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=300)

            assert run(10**9).returncode == 0
            last = int(count.read_text())
            refused = 0
            for fault in sorted({*range(1, min(last, 30) + 1), *(1 + i * last // 20 for i in range(20))}):
                done = run(fault)
                assert done.returncode in (0, 1), (example, fault, done.returncode, done.stderr)
                assert "pov: out of memory" not in done.stderr, (example, fault, "the library ended the program")
                assert (done.returncode == 1) == ("memory" in done.stderr), (example, fault, done.returncode, done.stderr)
                refused += done.returncode
            assert refused > 0, example
            print(f"{example}: {last} allocations, {refused} failures told")
    return 0


if __name__ == "__main__":
    sys.exit(main())
