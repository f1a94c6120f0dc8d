#!/usr/bin/python3
"""A whole station at 1280 x 720, as `pov run` runs it: tags, a turning turntable, three things, everything judged and published.

station.py POV [--images N] [--rate HZ] [--keep FOLDER] [--repeats N] [--clean] [--minutes N] [--scaling] [--asks HZ] [--keys] [--vlm]

Images of the simulated turntable come from a folder at a rate, as JPEG; a subscriber listens. Once the three things are balls, once
objects that were enrolled before (pov enrol --station), and once these are looked for but not there; then one person. Latency is from an image in memory to its judgments handed to the
wire, by the program's own clock, the first five images apart; the first judgment is timed from outside, from the start of the process to its line; CPU
is the whole process, its reading of images included; memory is the most that was resident. A is libapriltag's search of the same images at full resolution by one thread, measured
before and after each run: ratios to it hold on other machines, too.

The images have the noise of a camera (SENSOR below). --clean: none, as no camera's. A rises with the noise; both are worth telling.

--minutes N: instead, one station with three enrolled objects and two balls for N minutes; the table turns by 1.5 degrees an image, images at --rate (30) as from a camera: those that
come too fast are lost. A subscriber listens, one viewer has the dashboard open, and another its video.

--asks HZ: instead, three balls, images as fast as they are judged, in turn without and with so many questions a second at the station's endpoint
`ask`: by how much do questions delay images?

--keys: instead, three balls, images as fast as they are judged, published over TCP to two subscribers, in turn without and with keys (CURVE):
what do keys cost in images a second, and in processor time of the station?

--vlm: instead, three balls at --rate (10), --repeats pairs of runs without and with a simulated model that is asked live: 16 questions under way at a time,
each answered after 1.5 s: by how much does asking delay judgments? The ratio within each pair, their median and its interval; eight pairs or more say most.

--scaling: instead, what an image costs with 1 to 50 entities, 1 to 40 tags, 0.3 to 12 megapixels, as a table and FOLDER/scaling.svg.
"""
import argparse
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import cv2

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import enrolled_objects as objects  # noqa: E402
import scaling  # noqa: E402

BALLS = {"red": "#d02818", "blue": "#2848d0", "yellow": "#e8c020"}
PLACES = [(0.0, 0.19), (-0.16, -0.09), (0.15, -0.11)]
DISC_M, BALL_M = 0.025, 0.07
SLOW_STEPS = 240  # of one turn: 45 degrees a second at 30 images/s


def world_of_balls():
    return "".join(f'  - {{id: {name}, class: {"red" if name == "red" else "blue"} ball, position_m: [{x}, {y}], on: turntable, '
                   f'size_m: {BALL_M}, color: "{color}"}}\n' for (name, color), (x, y) in zip(BALLS.items(), PLACES))


def cast_of_balls():
    return "".join(f'  - {{id: {name}, class: ball, found_by: ball, ball: {{color: "{color}", radius_m: {BALL_M / 2}, '
                   f'center_height_m: {DISC_M + BALL_M / 2}}}}}\n' for name, color in BALLS.items())


def world_of_objects():
    lines = ""
    for name, (x, y) in zip(["car", "duck", "teddy"], PLACES):
        body, size, look, has_front, _ = objects.OBJECTS[name]
        lines += objects.thing(name, body, size, look, x, y, 40, has_front, "turntable")
    return lines


def cast_of_objects():
    return "".join(f"  - {{id: {name}, class: {objects.OBJECTS[name][0]}, found_by: enrolled, "
                   f"enrolled: {{model: ../{name}.pov, stands_on_m: {DISC_M}}}}}\n" for name in ["car", "duck", "teddy"])


BALLS_BETWEEN = {"red": (0.0, 0.0), "blue": (-0.02, -0.26)}


def world_of_both():
    return world_of_objects() + "".join(f'  - {{id: {name}, class: {name} ball, position_m: [{x}, {y}], on: turntable, size_m: {BALL_M}, '
                                        f'color: "{BALLS[name]}"}}\n' for name, (x, y) in BALLS_BETWEEN.items())


def cast_of_both():
    return cast_of_objects() + "".join(line + "\n" for line in cast_of_balls().splitlines() if any(f"id: {name}," in line for name in BALLS_BETWEEN))


# Sony's IMX477 (Raspberry Pi HQ Camera) as measured in "Pi HQ Cam Sensor Performance", www.strollswithmydog.com: 8180 electrons at clipping,
# 3 of read noise at gain 1, 1.5 at gain 16. Gain 4, for 1/60 s at f/2 in a lit room, is chosen; the JPEG's quality (95) too.
SENSOR = "sensor: {full_well_e: 8180, gain: 4, exposure: 0.2125, shot_noise: true, read_noise_e: 2.5}\n"


def write_jpeg(drawn):
    (drawn / "jpeg").mkdir()
    for path in (drawn / "images").glob("*.png"):
        cv2.imwrite(str(drawn / "jpeg" / f"{path.stem}.jpg"), cv2.imread(str(path)), [cv2.IMWRITE_JPEG_QUALITY, 95])


def prepare(pov, folder, what, things, cast, steps=72, sensor=SENSOR):
    """Draws the world, measures its turntable, writes the station."""
    what += "_noisy" if sensor else ""
    world, drawn = folder / f"{what}.yaml", folder / what
    anna = "  - {id: anna, class: woman, position_m: [0, -0.62], size_m: 0.32, front_deg: 90, addressee: true}\n"
    turntable = objects.TURNTABLE.replace("steps: 72", f"steps: {steps}")
    world.write_text("about: bench\n" + sensor + objects.CAMERA + turntable + "things:\n" + things + anna)
    station = drawn / "whole.yaml"
    if not station.is_file():  # it is written last
        shutil.rmtree(drawn, ignore_errors=True)
        objects.run(pov, "sim", world, "--out", drawn, "--images", steps, "--quiet", "--bodies", "own")
        objects.run(pov, "calib", "turntable", drawn / "station.yaml", "--edge", 60, "--out", drawn / "turntable.yaml")
        write_jpeg(drawn)
    anna = ("  - {id: anna, class: person, found_by: survey, position_m: [0, -0.62, 0.16], size_m: [0.08, 0.09, 0.32], "
            "front_deg: 90, addressee: true, sees: {horizontal_deg: 180, vertical_deg: 120}}\n")
    station.write_text("camera: {source: folder, folder: {path: jpeg, loop: true}, calibration: camera.yaml}\n"
                       "tags: {map: tags.yaml}\nturntable: {calibration: turntable.yaml}\ncast:\n" + cast + anna)
    return station


def enrol_all(pov, folder):
    objects.draw_empty(pov, folder)
    for name in ["car", "duck", "teddy"]:
        if not (folder / f"{name}.pov").exists():
            objects.enrol(pov, folder, name)


def prepare_person(pov, folder, sensor=SENSOR):
    """Somebody who turns on the spot by 5 degrees an image, 2.4 m away; found by OpenCV's HOG and cascades, without a network."""
    world, drawn = folder / "person.yaml", folder / "person"
    world.write_text("about: bench\n" + sensor + "camera: {size_px: [1280, 720], field_of_view_deg: 65, position_m: [2.4, 0.3, 1.5], look_at_m: [0, 0, 1.05]}\n"
                     'surface: {size_m: [14, 14], color: "#b39a7c"}\n'
                     'lighting: {lamp_m: [3, -2, 5], lamp_radius_m: 0.5, lamp_strength: 0.7, ambient: 0.42, sky: "#c3cad0"}\n'
                     "turntable: {position_m: [0, 0], radius_m: 0.6, height_m: 0.02}\nmotion: {steps: 72}\nthings:\n"
                     "  - {id: bob, class: man, position_m: [0, 0], on: turntable, front_deg: -30}\n"
                     "  - {id: box, position_m: [0.9, 0.9]}\n  - {id: bin, class: container, position_m: [0.4, -1]}\n")
    station = drawn / "whole.yaml"
    if not station.is_file():
        shutil.rmtree(drawn, ignore_errors=True)
        objects.run(pov, "sim", world, "--out", drawn, "--images", 72, "--quiet", "--bodies", "own")
        write_jpeg(drawn)
        station.write_text((drawn / "station.yaml").read_text().replace("{path: images}", "{path: jpeg, loop: true}") +
                           "  - {id: bob, class: person, found_by: person, person: {height_m: 1.8, stands_on_m: 0.02}, addressee: true}\n")
    return station


def resident_mb(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0


def peer_ms(pov, station):
    """A."""
    images = sorted((station.parent / "jpeg").glob("*.jpg"))[::12]
    said = subprocess.run([pathlib.Path(pov).parent / "tests" / "pov_bench_apriltag", *images], capture_output=True, text=True, check=True)
    return float(said.stdout)


def first_judgment_s(pov, station):
    """From the start of the process to its first line."""
    begun = time.monotonic()
    run = subprocess.Popen([pov, "run", station, "--rate", "30", "--count", "1", "--json", "--no-publish", "--quiet"], stdout=subprocess.PIPE)
    run.stdout.readline()
    seconds = time.monotonic() - begun
    run.communicate()
    return seconds


def repeat(pov, station, options):
    """Several runs; the median and the worst of them by A."""
    figures = []
    print(f"  first judgment after {statistics.median(first_judgment_s(pov, station) for _ in range(5)):.2f} s (median of 5)", flush=True)
    for _ in range(options.repeats):
        before = peer_ms(pov, station)
        median, p99, cpu = measure(pov, station, options.images, options.rate)
        a = (before + peer_ms(pov, station)) / 2
        figures.append((median / a, p99 / a, cpu / a))
        print(f"  A {a:.0f} ms; of A: median {median / a:.3f}, p99 {p99 / a:.3f}, CPU an image {cpu / a:.3f}", flush=True)
    names = ["median", "p99", "CPU an image"]
    print("  of all runs: " + "; ".join(f"{name} {statistics.median(column):.3f} A, at worst {max(column):.3f} A"
                                      for name, column in zip(names, zip(*figures))), flush=True)


def measure(pov, station, images, rate):
    """Milliseconds: latency, its p99, CPU an image."""
    endpoint = f"ipc://{station.parent}/socket"
    listener = subprocess.Popen([pov, "listen", "--connect", endpoint, "--topic", "observation", "--json"], stdout=subprocess.DEVNULL)
    as_from_camera = ["--live"] if rate else []  # images that come while one is judged are lost, which pov says
    run = subprocess.Popen([pov, "run", station, "--rate", str(rate), "--count", str(images), *as_from_camera, "--publish", endpoint, "--wait", "1"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    begun, most_mb = time.monotonic(), 0
    while True:
        most_mb = max(most_mb, resident_mb(run.pid))
        pid, _, usage = os.wait4(run.pid, os.WNOHANG)
        if pid:
            break
        time.sleep(0.1)
    said = run.stderr.read()
    listener.terminate()
    listener.wait()
    seconds = time.monotonic() - begun
    print(f"  {said.strip()}".replace("\n", "\n  "))
    print(f"  CPU {100 * (usage.ru_utime + usage.ru_stime) / seconds:.0f} % of one core at {images / seconds:.1f} images/s, "
          f"{1e3 * (usage.ru_utime + usage.ru_stime) / images:.1f} ms an image; {most_mb:.0f} MB resident at most", flush=True)
    each = re.search(r"each ([\d.]+) ms, p99 ([\d.]+) ms", said)
    return float(each[1]), float(each[2]), 1e3 * (usage.ru_utime + usage.ru_stime) / images


ASKED = ["is the red ball left of the blue ball for you?", "give me the leftmost ball", "how far is the red ball from the yellow ball?", "can you see the red ball?",
         "put the red ball behind the blue ball as you see it", "why?"]


class Asker(threading.Thread):
    """Asks at a rate, whether or not replies have come."""

    def __init__(self, endpoint, rate):
        super().__init__(daemon=True)
        self.endpoint, self.rate, self.ends, self.taken_s, self.sent = endpoint, rate, False, [], {}

    def run(self):
        import zmq
        socket = zmq.Context.instance().socket(zmq.DEALER)
        socket.setsockopt(zmq.LINGER, 0)
        socket.connect(self.endpoint)
        begun, count, waiting = time.monotonic(), 0, []
        while not self.ends:
            if time.monotonic() - begun >= count / self.rate:
                socket.send_string(ASKED[count % len(ASKED)])
                waiting.append(time.monotonic())
                count += 1
            if socket.poll(1000 / self.rate / 2):
                socket.recv()
                self.taken_s.append(time.monotonic() - waiting.pop(0))
        socket.close()


def compare_asked(pov, station, options):
    """In turn without and with questions: images a second, and latency."""
    endpoint = f"ipc://{station.parent}/ask"
    if "ask:" not in station.read_text():
        station.write_text(station.read_text() + f'ask: {{endpoint: "{endpoint}"}}\n')
    ratios, rates = [], []
    for _ in range(options.repeats):
        figures = []
        for asks in (0, options.asks):
            asker = Asker(endpoint, asks) if asks else None
            run = subprocess.Popen([pov, "run", station, "--count", str(options.images), "--loop", "--publish", f"ipc://{station.parent}/socket"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if asker:
                asker.start()
            said = run.communicate()[1]
            if asker:
                asker.ends = True
                asker.join()
                taken = sorted(asker.taken_s)
                print(f"  {len(taken)} replies, median {1e3 * taken[len(taken) // 2]:.1f} ms, p99 {1e3 * taken[len(taken) * 99 // 100]:.1f} ms")
            found = re.search(r"judged in ([\d.]+) s \(([\d.]+)/s; each ([\d.]+) ms, p99 ([\d.]+) ms", said)
            figures.append([float(number) for number in found.groups()])
            print(f"  {asks:g} questions/s: {found[2]} images/s; each {found[3]} ms, p99 {found[4]} ms", flush=True)
        ratios.append(figures[1][1] / figures[0][1])
        rates.append(figures[0][2] / figures[1][2])
    print(f"  with {options.asks:g} questions a second, images a second: {statistics.median(ratios):.3f} of those without (median of {len(ratios)}, "
          f"{min(ratios):.3f} to {max(ratios):.3f}); latency without / with: {statistics.median(rates):.3f}; load of the machine {os.getloadavg()[0]:.1f}")


def median_interval(values):
    """The median, and the narrowest pair of ordered values that the true median lies between with 95 %, whatever the distribution (the sign test);
    with fewer than six values the outermost ones, and what they hold. Returns: median, low, high, percent."""
    ordered, n = sorted(values), len(values)
    inside = lambda k: 1 - 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2 ** n  # between the k-th from each end, from 0
    k = max([k for k in range(n // 2) if inside(k) >= 0.95], default=0)
    return statistics.median(ordered), ordered[k], ordered[n - 1 - k], 100 * inside(k)


def compare_live(pov, station, options):
    """Pairs of runs, without and with a slow model that is asked live, the order changing: latency from image to wire. What else the machine does
    falls on both of a pair alike."""
    folder = station.parent / "live"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    truth = folder / "truth.jsonl"
    truth.write_text('{"image": "", "prompt": "?", "golds": {"any": 1}}\n')
    asking = station.parent / "asking.yaml"
    asking.write_text(station.read_text() + "compare: {every_s: 0.2, pairs: [[red, blue]], in_flight_max: 16, waiting_max: 100}\n")
    # A model's server is another machine: here it gets what the station leaves.
    server = subprocess.Popen(["nice", "-n", "19", pov, "vlm-sim", "--json", "--truth", truth, "--port", "0", "--latency", "1500"], stdout=subprocess.PIPE, text=True)
    url = re.search(r'"url":"([^"]+)"', server.stdout.readline())[1]
    ratios = []
    for turn in range(options.repeats):
        figures, asked = {}, None
        for name in sorted(["without", "with"], reverse=turn % 2 == 0):
            words = ["--vlm", url, "--model", "slow"] if name == "with" else []
            said = subprocess.run([pov, "run", asking if words else station, "--count", str(options.images), "--loop", "--rate", str(options.rate or 10),
                                   "--publish", f"ipc://{station.parent}/socket", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  check=True).stderr
            figures[name] = [float(number) for number in re.search(r"each ([\d.]+) ms, p99 ([\d.]+) ms", said).groups()]
            asked = re.search(r"(\d+) questions asked, (\d+) answered", said) or asked
        ratios.append([figures["with"][i] / figures["without"][i] for i in (0, 1)])
        print(f"  pair {turn + 1}: without / with: each {figures['without'][0]} / {figures['with'][0]} ms, p99 {figures['without'][1]} / {figures['with'][1]} ms"
              f" (ratio {ratios[-1][1]:.3f}); {asked[0]}; load {os.getloadavg()[0]:.1f}", flush=True)
    server.terminate()
    server.wait()
    for i, what in enumerate(["median", "p99"]):
        median, low, high, percent = median_interval([ratio[i] for ratio in ratios])
        print(f"  latency with / without, {what}: {median:.3f} (median of {len(ratios)} pairs; {percent:.0f} % interval {low:.3f} to {high:.3f})")


def run_published(pov, station, options, endpoint, mine, theirs):
    """Images a second of wall time, and of the station's processor time; mine, theirs: more words for the station and its subscribers."""
    run = subprocess.Popen([pov, "run", station, "--count", str(options.images), "--loop", "--publish", endpoint, "--wait", "2", *mine],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    listeners = [subprocess.Popen([pov, "listen", "--connect", endpoint, "--topic", "observation", "--json", *theirs], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) for _ in range(2)]
    said = run.stderr.read()
    _, _, usage = os.wait4(run.pid, 0)
    for listener in listeners:
        listener.terminate()
        listener.wait()
    return float(re.search(r"judged in [\d.]+ s \(([\d.]+)/s", said)[1]), options.images / (usage.ru_utime + usage.ru_stime)


def compare_keys(pov, station, options):
    """In turn without and with keys, the order changing."""
    endpoint, keys = "tcp://127.0.0.1:35571", station.parent / "keys"
    if not keys.is_dir():
        objects.run(pov, "keys", "new", "bench", "--keys", keys)
        objects.run(pov, "keys", "allow", keys / "self.key", "--keys", keys)
    with_keys = station.parent / "with_keys.yaml"
    with_keys.write_text(station.read_text() + f"publish: {{keys: {keys}}}\n")
    forms = {"without": (station, [], []), "with": (with_keys, [], ["--server", "bench", "--keys", keys])}
    ratios = []
    for turn in range(options.repeats):
        figures = {}
        for name in sorted(forms, reverse=turn % 2 == 0):
            where, mine, theirs = forms[name]
            figures[name] = run_published(pov, where, options, endpoint, mine, theirs)
        ratios.append([figures["with"][i] / figures["without"][i] for i in (0, 1)])
        print(f"  without / with keys: {figures['without'][0]:.1f} / {figures['with'][0]:.1f} images/s; {figures['without'][1]:.1f} /"
              f" {figures['with'][1]:.1f} images a second of processor time", flush=True)
    for i, what in enumerate(["images a second", "images a second of the station's processor time"]):
        of = sorted(ratio[i] for ratio in ratios)
        print(f"  with keys / without, {what}: {statistics.median(of):.3f} (median of {len(of)}, {of[0]:.3f} to {of[-1]:.3f})")


class Viewer(threading.Thread):
    """Takes all that a page of the dashboard is sent, and does nothing with it."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.reply, self.bytes, self.pictures = urllib.request.urlopen(url, timeout=30), 0, 0

    def run(self):
        try:
            while piece := self.reply.read1(1 << 16):
                self.bytes += len(piece)
                self.pictures += piece.count(b"Content-Type: image/jpeg")
        except (OSError, ValueError):
            pass  # the station has ended


def endure(pov, station, minutes, rate):
    """A station with viewers. Images lost, and from the exposure to the wire."""
    endpoint = f"ipc://{station.parent}/socket"
    images = round(60 * minutes * rate)
    listener = subprocess.Popen([pov, "listen", "--connect", endpoint, "--topic", "observation", "--json"], stdout=subprocess.DEVNULL)
    run = subprocess.Popen([pov, "run", station, "--rate", str(rate), "--live", "--count", str(images), "--publish", endpoint, "--wait", "1",
                            "--dashboard", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    url = run.stderr.readline().split()[1]
    viewers = [Viewer(url + page) for page in ["updates", "video"]]
    for viewer in viewers:
        viewer.start()
    begun, most_mb = time.monotonic(), 0
    said = threading.Thread(target=lambda: setattr(run, "said", run.stderr.read()))
    said.start()
    while run.poll() is None:
        most_mb = max(most_mb, resident_mb(run.pid))
        load = os.getloadavg()[0]
        time.sleep(1)
    said.join()
    listener.terminate()
    listener.wait()
    seconds = time.monotonic() - begun
    print(f"  {run.said.strip()}".replace("\n", "\n  "))
    print(f"  {seconds:.0f} s; {most_mb:.0f} MB resident at most; dashboard {viewers[0].bytes / seconds / 1e3:.0f} kB/s, video "
          f"{viewers[1].pictures / seconds:.1f} pictures/s; load of the machine at the end {load:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pov")
    parser.add_argument("--images", type=int, default=300)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--clean", action="store_true")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--scaling", action="store_true")
    parser.add_argument("--asks", type=float, metavar="HZ")
    parser.add_argument("--keys", action="store_true")
    parser.add_argument("--vlm", action="store_true")
    parser.add_argument("--keep", help="a folder for images and models, which are used again")
    options = parser.parse_args()
    pov = os.path.abspath(options.pov)
    sensor = "" if options.clean else SENSOR
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary).resolve()
        folder.mkdir(exist_ok=True)
        if options.minutes:
            enrol_all(pov, folder)
            print("three enrolled objects and two balls, watched")
            endure(pov, prepare(pov, folder, "both", world_of_both(), cast_of_both(), SLOW_STEPS, sensor), options.minutes, options.rate or 30)
            return
        if options.asks:
            print("three balls, and questions")
            compare_asked(pov, prepare(pov, folder, "balls", world_of_balls(), cast_of_balls(), sensor=sensor), options)
            return
        if options.vlm:
            print("three balls, and a model that is asked live")
            compare_live(pov, prepare(pov, folder, "balls", world_of_balls(), cast_of_balls(), sensor=sensor), options)
            return
        if options.keys:
            print("three balls, published with keys")
            compare_keys(pov, prepare(pov, folder, "balls", world_of_balls(), cast_of_balls(), sensor=sensor), options)
            return
        if options.scaling:
            print("cost of an image, by stage")
            scaling.run(pov, folder, prepare(pov, folder, "balls", world_of_balls(), cast_of_balls(), sensor=sensor), objects)
            return
        options.rate = options.rate or 10
        print("three balls")
        repeat(pov, prepare(pov, folder, "balls", world_of_balls(), cast_of_balls(), sensor=sensor), options)
        enrol_all(pov, folder)
        print("three enrolled objects")
        repeat(pov, prepare(pov, folder, "objects", world_of_objects(), cast_of_objects(), sensor=sensor), options)
        print("an empty table, searched for three enrolled objects")
        repeat(pov, prepare(pov, folder, "missing", "", cast_of_objects(), sensor=sensor), options)
        print("a person")
        repeat(pov, prepare_person(pov, folder, sensor), options)


if __name__ == "__main__":
    main()
