#!/usr/bin/python3
"""A simulated model streams its answers slowly: what it says stands on the page while it says it, thoughts first, in a run and in a sweep."""
import json
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "sweep"))
import sweep_peer  # noqa: E402
from sweep_peer import POV, Server, station  # noqa: E402

THOUGHTS = ("no,", "yes,", "no, wait.", "yes, wait.")  # the contrary of what it will say
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def watch(process):
    """States of the page's models, as a viewer's browser fetches them, until the program ends or has said enough."""
    while "dashboard" not in (line := process.stderr.readline()):
        assert line, "it has ended"
    threading.Thread(target=lambda: list(process.stderr), daemon=True).start()
    url = re.search(r"http://\S+", line)[0]
    viewer = OPENER.open(urllib.parse.urljoin(url, "updates"), timeout=60)
    threading.Thread(target=lambda: [None for _ in iter(lambda: viewer.read(65536), b"")], daemon=True).start()
    said, ends = [], time.monotonic() + 60
    while time.monotonic() < ends:
        try:
            state = json.load(OPENER.open(urllib.parse.urljoin(url, "sweep"), timeout=60))
        except OSError:
            break
        for model in state["models"] if state else []:
            if not said or said[-1] != model["says"]:
                said.append(model["says"])
        if not missing(said):
            break
        time.sleep(0.1)
    return said


def missing(said):
    """What is still to be seen: "" if all was."""
    heard = [one for one in said if one]
    thoughts = {one["thoughts"] for one in heard}
    return ("a thought that begins" if not thoughts & set(THOUGHTS[:2]) else "a thought that ends" if not thoughts & set(THOUGHTS[2:])
            else "an answer" if not any(one["answer"] in ("yes", "no") and one["thoughts"].split(",")[0] != one["answer"] for one in heard)
            else "five states" if len(heard) < 5 else "")


def check(said):
    assert not missing(said), (missing(said), said)
    for one in filter(None, said):
        assert re.match(r"(Is|From|In|To|You|Imagine|The)\b", one["prompt"]), one
        assert one["thoughts"] in THOUGHTS, one


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        where = station(folder)
        for command in (["sweep", where, "--out", folder / "run", "--angles", "2"],
                        ["run", where, "--loop", "--rate", "4", "--no-publish", "--log", folder / "live", "--ask-every", "1", "--ask-turned", "0"]):
            truth = folder / ("run" if command[0] == "sweep" else "live")
            with Server(truth, "--thinking", "reasoning", "--word-delay", "500") as server:
                vlm = folder / "vlm.yaml"
                vlm.write_text(f"vlm: {{endpoints: [{{url: '{server.url}', model: slow, concurrency: 2}}]}}\n")
                process = subprocess.Popen([POV, *map(str, command), "--quiet", "--vlm", vlm, "--dashboard", "0"], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.PIPE, text=True, env=sweep_peer.ENVIRONMENT)
                try:
                    check(watch(process))
                finally:
                    process.kill()
                    process.wait(60)
                    process.stderr.close()
            print(f"pov {command[0]}: its words stand on the page while it says them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
