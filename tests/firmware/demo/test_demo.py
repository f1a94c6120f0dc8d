#!/usr/bin/python3
"""pov demo, whole, as from a terminal: the comparison finds the bias that the simulated model has, also where an earlier demo was;
its dashboard says each step, its curves grow, and it ends with the report."""
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import tempfile
import threading
import urllib.request

POV = os.environ["POV"]
PROXIED = {**os.environ, "http_proxy": "http://127.0.0.1:1", "no_proxy": ""}  # a dead one: this machine's own servers need none


class Visitor(threading.Thread):
    """Follows a dashboard as its page does."""

    def __init__(self, url):
        super().__init__()
        self.url, self.steps, self.samples, self.sweep = url, [], [], None

    def get(self, name):
        return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(self.url + name, timeout=300)

    def run(self):
        version = 0
        with self.get("updates") as stream:
            while head := stream.read(8):
                json_len, jpeg_len = struct.unpack(">II", head)
                update = json.loads(stream.read(json_len))
                stream.read(jpeg_len)
                if update["step"] not in self.steps:
                    self.steps.append(update["step"])
                if update["sweep"] != version:
                    version = update["sweep"]
                    with self.get("sweep") as reply:
                        self.sweep = json.load(reply)
                    self.samples.append(sum(p is not None for curve in self.sweep["curves"] for p in curve["p"]))
                if update["report"]:
                    with self.get("report") as reply:
                        self.report, self.policy = reply.read().decode(), reply.headers["Content-Security-Policy"]
                    return


def demo(folder):
    """What it told, and who followed its dashboard."""
    terminal, its_end = pty.openpty()
    process = subprocess.Popen([POV, "demo", "--out", folder, "--dashboard", "0", "--pace", "0.1", "--no-browser"], stdin=its_end,
                               stdout=its_end, stderr=subprocess.STDOUT, env=PROXIED)
    os.close(its_end)
    told, visitor = b"", None
    while b"until you press Enter" not in told:
        try:
            told += os.read(terminal, 4096)
        except OSError as error: # it has ended
            raise AssertionError(told.decode()) from error
        if not visitor and (found := re.search(rb"browser: (http://\S+)\s", told)):
            visitor = Visitor(found[1].decode())
            visitor.start()
    visitor.join(300)
    os.write(terminal, b"\n")
    assert process.wait(300) == 0
    os.close(terminal)
    return told.decode().replace("\r", ""), visitor


def check_visit(visitor):
    steps = [step[:3] for step in visitor.steps if step]
    assert steps == sorted(steps) and {"2/3", "3/3", "Don"} <= set(steps), visitor.steps
    assert visitor.samples == sorted(visitor.samples) and len(set(visitor.samples)) > 4, visitor.samples
    assert visitor.samples[-1] == 16 * 36, visitor.samples
    assert visitor.sweep["answered"] == visitor.sweep["asked"] == 792 and "vlm-sim" in visitor.sweep["models"][0]["model"], visitor.sweep
    question = visitor.sweep["question"]
    assert question["prompt"].endswith("?") and question["text"] in ("yes", "no") and 0 <= question["gold_p"] <= 1, question
    assert "SIMULATED" in visitor.report and "script-src" not in visitor.policy and "default-src 'none'" in visitor.policy


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        earlier = folder / "comparison" / "sweep"
        (earlier / "images").mkdir(parents=True)
        (earlier / "log.sqlite").write_bytes(b"an earlier demo's")
        told, visitor = demo(folder)
        findings = re.findall(r"^  - (\S+) viewpoint:\n((?:      \S.*\n)+)", told, re.M)
        assert [viewpoint for viewpoint, _ in findings] == ["no", "camera's", "addressee's", "relatum's"], told
        for _, clauses in findings:
            assert "      the frame it answers in is the camera's" in clauses and not re.search(r"[()]", clauses), told
        assert findings[0][1].count("100.0 %") == 2 and "by the paper's rule, with all stops, 100.0 %" in findings[0][1] and "though asked for the addressee's" in findings[2][1], told
        assert f"Look at  {folder}/comparison/report.html" in told
        page = (folder / "comparison" / "report.html").read_text()
        assert "SIMULATED" in page and "<svg" in page and visitor.report == page
        assert (folder / "contact_sheet.png").stat().st_size > 10000
        assert "egocentric" in (folder / "comparison" / "scores.txt").read_text()
        check_visit(visitor)


if __name__ == "__main__":
    main()
