"""A simulated table that turns while three simulated models are asked about it, with its dashboard."""
import json
import os
import pathlib
import re
import subprocess
import threading

POV = os.environ["POV"]


class Models:
    """Use it in a with statement; `url` is the page's. latency_ms: of the first model; of the second twice as much, ...; more: options of the models."""

    def __init__(self, folder, biases, rate_hz=4, long_names=False, latency_ms=150, more=()):
        folder = pathlib.Path(folder)
        log = folder / "log"
        log.mkdir(parents=True)
        subprocess.run([POV, "sim", "comfort-car", "--images", "1", "--quiet", "--bodies", "own", "--out", folder / "world"], check=True)
        station = folder / "world/turning.yaml"
        text = (folder / "world/station.yaml").read_text().replace("source: folder", "source: simulator")
        station.write_text(re.sub("sensor: clean,", f"sensor: clean, rate_hz: {rate_hz}, loop: true,", text))
        (log / "vlm_truth.jsonl").write_text('{"image": "", "prompt": "?", "golds": {"any": 1}}\n')
        self.processes, files = [], []
        for i, bias in enumerate(biases):
            server = subprocess.Popen([POV, "vlm-sim", "--json", "--truth", log, "--bias", bias, "--latency", str(latency_ms * (i + 1)), "--port", "0", *more],
                                      stdout=subprocess.PIPE, text=True)
            self.processes.append(server)
            files.append(folder / f"model{i}.yaml")
            name = bias + "-of-the-72b-instruct-generation" * long_names
            files[-1].write_text(f"vlm: {{endpoints: [{{url: '{json.loads(server.stdout.readline())['url']}', model: {name}, concurrency: 4}}]}}\n")
        station = subprocess.Popen([POV, "run", station, "--no-publish", "--quiet", "--vlm", ",".join(map(str, files)), "--log", log, "--ask-turned", "10",
                                    "--ask-every", "0", "--dashboard", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.processes.append(station)
        while "dashboard" not in (line := station.stderr.readline()):
            assert line, "it has ended"
        self.url = re.search(r"http://\S+", line)[0]
        threading.Thread(target=lambda: list(station.stderr), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            process.wait(300)
        for server in self.processes[:-1]:
            server.stdout.close()
