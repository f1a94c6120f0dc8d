#!/usr/bin/python3
"""Whether the dashboard's page keeps 60 frames a second while 30 images a second arrive, and what each image costs it.

Usage: dashboard_page.py POV [SECONDS [SIZE]]: SECONDS of each mode (10), SIZE such as 1280x720. The updates are those of a station, recorded, and
played over and over (dashboard_memory.py); Chromium's own trace tells the rest. Frames: intervals of requestAnimationFrame; late: those of more
than 25 ms, so that a frame of 60 a second was missed. Long tasks: of 50 ms or more on the page's thread. Then what the page's thread did for an image, in ms
of the trace's events, those within others apart; the functions that took most, by a sampled profile of a second run."""
import json
import statistics
import sys
import tempfile
import time

from dashboard_memory import RATE_HZ, chromium, player, record

MODES = ["show", "lab", "guess", "health"]
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame", "devtools.timeline.frame"]
WATCH = """
window.updates = 0; window.frames = []; window.long = [];
const decode = window.createImageBitmap;
window.createImageBitmap = (...given) => { window.updates++; return decode(...given); };
const tick = now => { window.frames.push(now); requestAnimationFrame(tick); };
requestAnimationFrame(tick);
new PerformanceObserver(list => window.long.push(...list.getEntries().map(({duration}) => duration))).observe({type: "longtask"});
"""
KINDS = {"FunctionCall": "script", "FireAnimationFrame": "script", "RunMicrotasks": "script", "v8.callFunction": "script", "EvaluateScript": "script",
         "EventDispatch": "script", "TimerFire": "script", "Layout": "layout", "UpdateLayoutTree": "style", "RecalculateStyles": "style",
         "Paint": "paint", "PrePaint": "paint", "UpdateLayer": "paint", "Layerize": "paint", "Commit": "paint", "MinorGC": "garbage",
         "MajorGC": "garbage", "V8.GCScavenger": "garbage"}


def trace(tab, seconds):
    """The events of the page's thread."""
    tab.events.clear()
    tab.call("Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": CATEGORIES})
    time.sleep(seconds)
    tab.call("Tracing.end")
    events = []
    while True:
        message = tab.events.pop(0) if tab.events else tab.next_message()
        if message.get("method") == "Tracing.dataCollected":
            events += message["params"]["value"]
        if message.get("method") == "Tracing.tracingComplete":
            break
    counts = {}
    for event in events:
        if event["name"] == "FireAnimationFrame":
            thread = event["pid"], event["tid"]
            counts[thread] = counts.get(thread, 0) + 1
    main = max(counts, key=counts.get)
    presented = sum(event["name"] == "DrawFrame" for event in events)
    return [event for event in events if event["ph"] == "X" and (event["pid"], event["tid"]) == main], presented


def own_times(events):
    """Milliseconds of each kind, without what runs within."""
    own, open_ones = {}, []
    for event in sorted(events, key=lambda event: (event["ts"], -event.get("dur", 0))):
        while open_ones and event["ts"] >= open_ones[-1][1]:
            open_ones.pop()
        dur = event.get("dur", 0)
        kind = KINDS.get(event["name"])
        if kind:
            own[kind] = own.get(kind, 0) + dur / 1e3
            if open_ones:
                own[open_ones[-1][0]] -= dur / 1e3
            open_ones.append((kind, event["ts"] + dur))
    return own


def hottest(tab, seconds, count=8):
    """[milliseconds of processor time, function, file:line], without the functions that it calls."""
    tab.call("Profiler.enable")
    tab.call("Profiler.setSamplingInterval", interval=200)
    tab.call("Profiler.start")
    time.sleep(seconds)
    profile = tab.call("Profiler.stop")["profile"]
    tab.call("Profiler.disable")
    nodes = {node["id"]: node["callFrame"] for node in profile["nodes"]}
    own = {}
    for node, delta in zip(profile["samples"], profile["timeDeltas"]):
        frame = nodes[node]
        if frame["functionName"] in ("(idle)", "(program)", "(root)"):
            continue
        key = frame["functionName"] or "(no name)", f"{frame['url'].rsplit('/', 1)[-1]}:{frame['lineNumber'] + 1}"
        own[key] = own.get(key, 0) + delta / 1e3
    return sorted(((ms, *key) for key, ms in own.items()), reverse=True)[:count]


def measure(tab, mode, seconds):
    tab.run(f"document.querySelector('[data-mode={mode}]').click()")
    time.sleep(1)
    tab.run("window.frames = []; window.long = []; window.updates = 0;")
    before = {one["name"]: one["value"] for one in tab.call("Performance.getMetrics")["metrics"]}
    events, presented = trace(tab, seconds)
    after = {one["name"]: one["value"] for one in tab.call("Performance.getMetrics")["metrics"]}
    updates, frames, long_tasks = tab.run("[window.updates, window.frames, window.long]")
    gaps = [b - a for a, b in zip(frames, frames[1:])]
    spent, own = (frames[-1] - frames[0]) / 1e3, own_times(events)
    late = sum(gap > 25 for gap in gaps)
    print(f"{mode:6}  {len(gaps) / spent:5.1f} frames/s ({late} of {len(gaps)} late, longest {max(gaps):.0f} ms), {presented / seconds:.1f} drawn/s; "
          f"{updates / spent:.1f} images/s; {len(long_tasks)} long tasks", flush=True)
    images = max(updates, 1)
    print("        an image: " + ", ".join(f"{kind} {ms / images:.2f} ms" for kind, ms in sorted(own.items(), key=lambda one: -one[1])) +
          f"; busy {1e3 * (after['TaskDuration'] - before['TaskDuration']) / images:.2f} ms; "
          f"{(after['LayoutCount'] - before['LayoutCount']) / images:.2f} layouts, {(after['RecalcStyleCount'] - before['RecalcStyleCount']) / images:.2f} styles", flush=True)
    for ms, name, where in hottest(tab, min(seconds, 5)):
        print(f"          {ms / (min(seconds, 5) * RATE_HZ):6.3f} ms  {name} ({where})", flush=True)
    return len(gaps) / spent


def main(pov, seconds, size):
    width, height = map(int, size.split("x"))
    with tempfile.TemporaryDirectory() as folder, chromium.Chromium(width, height) as tab:
        server = player(*record(pov, folder))
        tab.before_each_page(WATCH)
        tab.open(f"http://127.0.0.1:{server.server_address[1]}/")
        tab.wait_for("document.getElementById('connection')?.className === 'live'")
        time.sleep(2)
        rates = [measure(tab, mode, seconds) for mode in MODES]
        print(f"{RATE_HZ} images a second at {size}, {json.dumps(MODES)}: median {statistics.median(rates):.1f} frames/s, fewest {min(rates):.1f}")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 10, sys.argv[3] if len(sys.argv) > 3 else "1280x720")
