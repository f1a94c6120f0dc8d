#!/usr/bin/env python3
"""What the named documents tell a reader to type works; without a name: this test itself finds what does not.

    ```sh test            runs in bash, and must succeed
    ```python save=x.py   is written to x.py for the commands after it

A document's blocks run in order, in one scratch folder that looks like the source tree; build/release/pov and ./dev
there use the program at $POV. What a block leaves running in the background is ended after it. A port after --port is
another one wherever the document names it, which is nobody else's on this machine.
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from reserved_port import ReservedPort  # noqa: E402

BLOCK_TIMEOUT_S = 400

FENCE = re.compile(r"^```(\w+)[ \t]+(test|save=([\w.-]+))[ \t]*\n(.*?)^```[ \t]*$", re.M | re.S)


def scratch_tree(root, program, folder):
    for entry in root.iterdir():
        if entry.name not in ("build", ".git"):
            (folder / entry.name).symlink_to(entry)
    if (root.parent / "shared").exists() and not (folder.parent / "shared").exists():
        (folder.parent / "shared").symlink_to(root.parent / "shared")
    (folder / "build" / "release").mkdir(parents=True)
    if program:
        (folder / "build" / "release" / "pov").symlink_to(program)


def run_block(text, folder):
    """(exit status or None, output)."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", text], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                                   env={**os.environ, "no_proxy": "127.0.0.1"})
        try:
            status = process.wait(BLOCK_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        output.seek(0)
        return status, output.read().decode(errors="replace")


@contextlib.contextmanager
def with_own_ports(text):
    """The text with other ports, which stay reserved for it."""
    with contextlib.ExitStack() as held:
        for port in sorted(set(re.findall(r"--port (\d+)", text))):
            text = re.sub(rf"\b{port}\b", str(held.enter_context(ReservedPort())), text)
        yield text


def check_document(name, text, folder):
    """Yields (place, complaint or None) for each block that is run."""
    for match in FENCE.finditer(text):
        place = f"{name}:{text[:match.start()].count(chr(10)) + 1}"
        if match[3]:
            (folder / match[3]).write_text(match[4])
            continue
        began = time.monotonic()
        status, output = run_block(match[4], folder)
        if status == 0:
            print(f"{place}: works ({time.monotonic() - began:.1f} s)", flush=True)
            yield place, None
        else:
            what = f"still running after {BLOCK_TIMEOUT_S} s" if status is None else f"exit status {status}"
            yield place, f"{place}: {what}\n{match[4]}---- output\n{output}"


def check_documents(root, program, documents):
    for document in documents:
        outer = pathlib.Path(tempfile.mkdtemp(prefix="pov-documentation-"))
        try:
            (outer / "pov").mkdir()
            scratch_tree(root, program, outer / "pov")
            with with_own_ports(document.read_text(encoding="utf-8")) as text:
                yield from check_document(document.relative_to(root), text, outer / "pov")
        finally:
            shutil.rmtree(outer)


WRONG_DOCUMENT = """
```sh
exit 3
```
```sh test
sleep 100 &
cat here.py > copy
```
```python save=here.py
print("saved")
```
```sh test
python3 here.py | grep -x saved
build/release/pov | grep -x program
```
```sh test
false | true
echo not reached
```
"""


def check_the_checker():
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name) / "root"
        root.mkdir()
        (root / "README.md").write_text(WRONG_DOCUMENT)
        program = root / "program"
        program.write_text("#!/bin/sh\necho program\n")
        program.chmod(0o755)
        results = list(check_documents(root, program, [root / "README.md"]))
    expected = [("README.md:5", False), ("README.md:12", True), ("README.md:16", False)]
    if [(place, complaint is None) for place, complaint in results] != expected:
        yield f"in a document with wrong commands: {results}"


def main():
    root = pathlib.Path(os.environ.get("POV_SOURCE", pathlib.Path(__file__).parents[2])).resolve()
    documents = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    if documents:
        found = [complaint for _, complaint in check_documents(root, os.environ.get("POV"), documents) if complaint]
    else:
        found = list(check_the_checker())
    print("\n".join(found), flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
