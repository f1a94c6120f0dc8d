#!/usr/bin/python3
"""How many cameras one 'pov run' bears: its own, and those of other boards. All is simulated, on one machine.

cameras_load.py POV [--seconds S] [--boards 1,2,4,...] [--keep FOLDER] [--own-only | --boards-only]

Own cameras: 1 and 2 at 30 images/s, 4 at 15, 1280 x 720, JPEG from a folder as from cameras, everything judged; then 2 at 30 beside a remote camera that
sends 2,000 views a second, and beside one that dies. Latency is from an exposure to its judgments handed over, by pov's own clock; the ratio is to
one camera in the same call.

Boards: N cameras in other processes, each a publisher on a port of its own. Their views are real ones, of a simulated turntable from eight sides, as one
'pov run' published them; they are sent again at 15/s with new times, by one process that stands for all boards. Once everything is judged, once without lines
of sight, which take most of the time. In: views sent a second; out: observations a second; CPU: of the fusing process, of one core.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import zmq

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import enrolled_objects as objects  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
BOARD_HZ, SIDES, FIRST_PORT = 15, 8, 35700


def tail_of(folder):
    text = (folder / "station.yaml").read_text()
    return text[text.index("tags:"):].replace("a/", f"{folder}/a/")


def own(folder, camera, rate_hz, live):
    return (f"  - {{id: {camera}, source: folder, folder: {{path: {folder}/{camera}/images, rate_hz: {rate_hz}, loop: {str(live).lower()}, live: {str(live).lower()}}}, "
            f"calibration: {folder}/{camera}/camera.yaml}}\n")


def remote(k):
    return f"  - {{id: board{k}, source: station, station: {{endpoint: 'tcp://127.0.0.1:{FIRST_PORT + k}'}}}}\n"


def watch(pov, path, seconds, during=None):
    """What a run tells of itself at its end, its processor time and memory."""
    begun = time.monotonic()
    run = subprocess.Popen([pov, "run", path, "--no-publish"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    words = []
    reader = threading.Thread(target=lambda: words.extend(run.stderr))
    reader.start()
    if during:
        during(seconds)
    time.sleep(max(0, begun + seconds - time.monotonic()))
    run.send_signal(signal.SIGINT)
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begun
    reader.join()
    said = "".join(words)
    images = re.search(r"(\d+) images judged in ([\d.]+) s \(([\d.]+)/s; each ([\d.]+) ms, p99 ([\d.]+) ms", said)
    delay = re.search(r"exposure to the judgments sent: median ([\d.]+) ms, p99 ([\d.]+) ms", said)
    lost = re.search(r"(\d+)[^\n]*lost", said)
    if not images:
        raise SystemExit(f"{path}:\n{said}")
    return {"out": float(images[3]), "took": float(images[4]), "p50": float(delay[1]) if delay else float("nan"), "p99": float(delay[2]) if delay else float("nan"),
            "cpu": (used.ru_utime + used.ru_stime) / wall, "memory_mb": used.ru_maxrss / 1024, "lost": int(lost[1]) if lost else 0, "said": said}


class Boards:
    """Publishers that send real views again, with new times, in a process of their own: this script's own GIL would hold them up."""

    def __init__(self, folder, count, rate_hz):
        self.process = subprocess.Popen([sys.executable, __file__, "--publish", str(folder), str(count), str(rate_hz)], stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def end(self):
        self.process.terminate()
        return float(self.process.communicate()[0].split()[-1])


def publish(folder, count, rate_hz):
    """Stands for `count` boards until SIGTERM; prints the views sent a second."""
    sys.path.insert(0, str(folder))
    import pov_pb2 as pb
    views = [[pb.Envelope.FromString(view.read_bytes()) for view in sorted((folder / "views" / camera).iterdir())] for camera in "abcdefgh"[:SIDES]]
    context = zmq.Context()
    sockets = []
    for k in range(count):
        sockets.append(context.socket(zmq.PUB))
        sockets[-1].setsockopt(zmq.SNDHWM, 8)
        sockets[-1].bind(f"tcp://127.0.0.1:{FIRST_PORT + k}")
    stops = []
    signal.signal(signal.SIGTERM, lambda *_: stops.append(1))
    print("ready", flush=True)
    sent, begun, tick = 0, time.monotonic(), 0
    while not stops:
        for k, socket in enumerate(sockets):  # evenly over the period, as boards that know nothing of one another
            due = begun + (tick + k / count) / rate_hz
            time.sleep(max(0, due - time.monotonic()))
            of = views[k % SIDES]
            envelope = of[int((tick / rate_hz) * BOARD_HZ) % len(of)]
            now_ns = time.time_ns()
            envelope.observation.image.camera = ""
            envelope.observation.image.sequence = tick
            envelope.observation.image.capture_ns = now_ns - 20_000_000
            envelope.sent_ns = time.time_ns()
            socket.send_multipart([b"camera//", envelope.SerializeToString()])
            sent += 1
        tick += 1
    print(sent / (time.monotonic() - begun))


def keep_views(pov, folder, drawn):
    """Each side's views of a whole turn, as one station of all of them publishes them."""
    subprocess.run(["protoc", f"--python_out={folder}", "-I", str(ROOT / "protocol"), str(ROOT / "protocol/pov.proto")], check=True)
    sys.path.insert(0, str(folder))
    import pov_pb2 as pb
    station = folder / "sides.yaml"
    station.write_text("cameras:\n" + "".join(own(drawn, c, BOARD_HZ, False) for c in "abcdefgh"[:SIDES]) + tail_of(drawn) +
                       f"judge: {{visibility: false}}\npublish: {{endpoint: 'ipc://{folder}/wire', queue: 4000}}\n")
    context = zmq.Context()
    heard = context.socket(zmq.SUB)
    heard.set_hwm(10000)
    heard.connect(f"ipc://{folder}/wire")
    heard.subscribe("camera/")
    run = subprocess.Popen([pov, "run", station, "--quiet", "--wait", "1"], stderr=subprocess.DEVNULL)
    kept = 0
    while run.poll() is None or heard.poll(200):
        if not heard.poll(200):
            continue
        envelope = pb.Envelope.FromString(heard.recv_multipart()[-1])
        at = folder / "views" / envelope.observation.image.camera
        at.mkdir(parents=True, exist_ok=True)
        (at / f"{envelope.observation.image.sequence:04d}").write_bytes(envelope.SerializeToString())
        kept += 1
    context.destroy(0)
    print(f"{kept} views of {SIDES} sides kept", flush=True)


def draw(pov, folder, cameras, size, images):
    out = folder / f"drawn{cameras}"
    objects.run(pov, "sim", "station", "--cameras", cameras, "--images", images, "--size", size, "--sensor", "noisy", "--out", out, "--quiet")
    return out


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def bench_own(pov, folder, seconds):
    drawn = draw(pov, folder, 4, "1280x720", 12)
    row("own cameras", "images/s each", "out/s", "median ms", "p99 ms", "ratio of medians", "ratio of p99", "CPU, cores", "MB")
    row(*["---"] * 9)
    first = None
    for name, cameras, rate_hz, extra in (("1", "a", 30, None), ("2", "ab", 30, None), ("4", "abcd", 15, None), ("2, and a board that floods", "ab", 30, 2000), ("2, and a board that dies", "ab", 30, BOARD_HZ)):
        path = folder / "own.yaml"
        path.write_text("cameras:\n" + "".join(own(drawn, c, rate_hz, True) for c in cameras) + (remote(0) if extra else "") + tail_of(drawn))
        boards = Boards(folder, 1, extra) if extra else None
        result = watch(pov, path, seconds, (lambda s: (time.sleep(s / 2), boards.end())) if name.endswith("dies") else None)
        if boards and not name.endswith("dies"):
            boards.end()
        first = first or result
        row(name, rate_hz, f"{result['out']:.1f}", f"{result['p50']:.1f}", f"{result['p99']:.1f}", f"{result['p50'] / first['p50']:.2f}", f"{result['p99'] / first['p99']:.2f}",
            f"{result['cpu']:.2f}", f"{result['memory_mb']:.0f}")


def bench_boards(pov, folder, drawn, seconds, counts):
    row("boards", "judged", "in/s", "out/s", "each ms", "median ms", "p99 ms", "CPU, cores", "MB")
    row(*["---"] * 9)
    for judged, judge in (("all", ""), ("without lines of sight", "judge: {visibility: false}\n"), ("one relation", "judge: {visibility: false, directions: false, relations: [near]}\n")):
        for count in counts:
            path = folder / "boards.yaml"
            path.write_text("cameras:\n" + "".join(remote(k) for k in range(count)) + tail_of(drawn) + judge)
            boards = Boards(folder, count, BOARD_HZ)
            result = watch(pov, path, seconds)
            row(count, judged, f"{boards.end():.0f}", f"{result['out']:.0f}", f"{result['took']:.2f}", f"{result['p50']:.1f}", f"{result['p99']:.1f}", f"{result['cpu']:.2f}", f"{result['memory_mb']:.0f}")


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "--publish":
        return publish(pathlib.Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
    parser = argparse.ArgumentParser()
    parser.add_argument("pov")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--boards", default="1,2,4,8,16,32")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--own-only", action="store_true")
    parser.add_argument("--boards-only", action="store_true")
    args = parser.parse_args()
    pov = str(pathlib.Path(args.pov).resolve())
    with tempfile.TemporaryDirectory(prefix="pov-load-") as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        drawn = draw(pov, folder, SIDES, "640x360", 36)
        keep_views(pov, folder, drawn)
        if not args.boards_only:
            bench_own(pov, folder, args.seconds)
        if not args.own_only:
            bench_boards(pov, folder, drawn, args.seconds, [int(n) for n in args.boards.split(",")])


if __name__ == "__main__":
    main()
