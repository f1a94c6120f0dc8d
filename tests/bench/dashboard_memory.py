#!/usr/bin/python3
"""Whether the dashboard's page grows: a tab of Chromium at 30 updates a second, ten minutes, its memory measured every 20 s.

Usage: dashboard_memory.py POV [SECONDS]. The updates are those of a station, recorded, and played over and over at that rate, so that the
tab gets them on a busy machine too. Prints a line a measurement and, at the end, the trend of the second half, when all that is
made once has been made. Heap and nodes are counted after collecting garbage; resident memory is that of the tab's process."""
import http.server
import itertools
import json
import mimetypes
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import chromium  # noqa: E402

PAGE = pathlib.Path(__file__).parents[2] / "firmware" / "dashboard" / "page"
PERIOD_S, RATE_HZ, IMAGES = 20, 30, 36
COUNT = """window.updates = 0;
const decode = window.createImageBitmap;
window.createImageBitmap = (...given) => { window.updates++; return decode(...given); };"""


def resident_mb(session):
    """Of the largest renderer among the processes that the browser started."""
    largest = 0
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if int((folder / "stat").read_text().rsplit(")", 1)[1].split()[3]) == session and \
                    b"--type=renderer" in (folder / "cmdline").read_bytes():
                pages = int((folder / "statm").read_text().split()[1])
                largest = max(largest, pages * 4096 / 1e6)
        except (OSError, ValueError):
            continue
    return largest


def measure(tab):
    tab.call("HeapProfiler.collectGarbage")
    metrics = {one["name"]: one["value"] for one in tab.call("Performance.getMetrics")["metrics"]}
    return {"heap_mb": metrics["JSHeapUsedSize"] / 1e6, "nodes": metrics["Nodes"], "resident_mb": resident_mb(tab.process.pid),
            "updates": tab.run("window.updates")}


def record(pov, folder):
    """Updates of one turn of a simulated world, and its bodies."""
    world = pathlib.Path(folder) / "world"
    subprocess.run([pov, "sim", "comfort-car", "--images", str(IMAGES), "--quiet", "--out", world], check=True)
    process = subprocess.Popen([pov, "run", world / "station.yaml", "--loop", "--rate", "5", "--no-publish", "--quiet", "--dashboard",
                                "0"], stderr=subprocess.PIPE, text=True)
    url = process.stderr.readline().split()[1]
    updates = {}
    with urllib.request.urlopen(url + "updates") as stream:
        while len(updates) < IMAGES:
            json_len, jpeg_len = struct.unpack(">II", stream.read(8))
            update, jpeg = json.loads(stream.read(json_len)), stream.read(jpeg_len)
            if "image" in update:
                updates[update["image"]["name"]] = update, jpeg
    with urllib.request.urlopen(url + "bodies") as reply:
        bodies = reply.read()
    process.terminate()
    process.wait()
    process.stderr.close()
    return [updates[name] for name in sorted(updates)], bodies


def player(updates, bodies):
    """A server of the page whose updates are those, at RATE_HZ, each new."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            name = self.path[1:].split("?")[0] or "index.html"
            self.send_response(200)
            self.send_header("Content-Type", mimetypes.guess_type(name)[0] or "application/octet-stream")
            self.end_headers()
            if name == "updates":
                self.play()
            else:
                self.wfile.write(bodies if name == "bodies" else b"null" if name == "sweep" else (PAGE / name).read_bytes())

        def play(self):
            start = time.monotonic()
            for i in itertools.count():
                update, jpeg = updates[i % len(updates)]
                text = json.dumps({**update, "picture": i, "bodies": 1}).encode()
                time.sleep(max(0, start + i / RATE_HZ - time.monotonic()))
                try:
                    self.wfile.write(struct.pack(">II", len(text), len(jpeg)) + text + jpeg)
                except OSError:
                    return

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def slope(samples, key):
    """An hour, by least squares."""
    times = [sample["s"] for sample in samples]
    values = [sample[key] for sample in samples]
    middle_t, middle_v = sum(times) / len(times), sum(values) / len(values)
    across = sum((t - middle_t) * (v - middle_v) for t, v in zip(times, values))
    return 3600 * across / sum((t - middle_t) ** 2 for t in times)


def main(pov, seconds):
    with tempfile.TemporaryDirectory() as folder, chromium.Chromium() as tab:
        server = player(*record(pov, folder))
        tab.before_each_page(COUNT)
        tab.open(f"http://127.0.0.1:{server.server_address[1]}/")
        tab.wait_for("document.getElementById('connection')?.className === 'live'")
        start, samples, before = time.monotonic(), [], measure(tab)["updates"]
        while (elapsed := time.monotonic() - start) < seconds:
            time.sleep(PERIOD_S)
            tab.events.clear()
            since = time.monotonic() - start - elapsed
            sample = {"s": time.monotonic() - start, **measure(tab)}
            rate, before = (sample["updates"] - before) / since, sample["updates"]
            samples.append(sample)
            print(f"{sample['s']:5.0f} s  {rate:5.1f} updates/s  heap {sample['heap_mb']:6.2f} MB  {sample['nodes']:5.0f} nodes  "
                  f"resident {sample['resident_mb']:6.1f} MB", flush=True)
        late = samples[len(samples) // 2:]
        print(f"{samples[-1]['updates']} updates; in the second half an hour would add {slope(late, 'heap_mb'):.1f} MB of heap, "
              f"{slope(late, 'nodes'):.0f} nodes, {slope(late, 'resident_mb'):.1f} MB resident")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 600)
