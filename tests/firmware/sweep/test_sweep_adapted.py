#!/usr/bin/python3
"""What a server refused is in the log's settings of its model and in the report's methods, and makes no other model of it. Answers that are
neither yes nor no agree or disagree by their own reading. 'pov vlm check' sends the images that a sweep would."""
import base64
import csv
import http.server
import json
import pathlib
import struct
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import POV, pov, query, station


class Model(http.server.BaseHTTPRequestHandler):
    """Takes no temperature, no max_tokens and no log-probabilities. It always says left, in its way."""
    protocol_version = "HTTP/1.1"
    images, counts = [], {"answered": 0}

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = request["messages"][-1]["content"]
        Model.images += [part["image_url"] for part in content if isinstance(part, dict) and part["type"] == "image_url"]
        refused = next((member for member, words in (("temperature", ""), ("max_tokens", "use max_completion_tokens"), ("logprobs", ""))
                        if member in request), None)
        Model.counts["answered"] += not refused
        if refused:
            status, body = 400, {"error": {"message": f"Unsupported parameter: {refused}. Use max_completion_tokens."
                                           if refused == "max_tokens" else f"Unsupported parameter: {refused}"}}
        else:
            status, body = 200, {"choices": [{"message": {"content": "It is on the left."}, "finish_reason": "stop"}]}
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def adaptations_are_kept(run, url):
    pov("compare", run, "--vlm", url, "--model", "picky")
    settings = query(run, "SELECT settings FROM models")
    line = "\nadapted: the model's own temperature; max_completion_tokens; no log-probabilities"
    assert len(settings) == 1 and settings[0][0].endswith(line), settings
    before = Model.counts["answered"]
    pov("compare", run, "--vlm", url, "--model", "picky")
    assert query(run, "SELECT count(*) FROM models") == [(1,)] and Model.counts["answered"] == before
    page = run.parent / "page.html"
    pov("report", run, "--out", page)
    methods = page.read_text().replace("&#39;", "'")
    assert "adapted to its server: the model" in methods and "temperature the model's own" in methods, "methods"
    assert "not what pov wrote" not in subprocess.run([POV, "doctor", run], capture_output=True, text=True, check=False).stdout


def other_forms_agree_by_their_reading(folder, where, url):
    run, recording = folder / "forms", folder / "forms.mcap"
    pov("sweep", where, "--out", run, "--angles", 2, "--quiet", "--questions", "forest,vpt", "--vlm", url, "--model", "left", "--record", recording)
    pov("export", recording, "--csv", folder / "tables")
    rows = [row for row in csv.DictReader((folder / "tables/vlm.csv").open()) if row["status"] == "answered"]
    options = [row for row in rows if json.loads(row["columns"]).get("options") == "left|right|front|back" and row["gold_sure"] == "true"]
    assert len(options) > 20, len(rows)
    for row in options:
        assert row["agreement"] == ("yes" if "left" in row["gold"].split("|") else "no"), row
    assert {row["agreement"] for row in options} == {"yes", "no"}
    frames = [row for row in rows if "external" in json.loads(row["columns"]).get("options", "")]
    assert frames and all(row["agreement"] == "" for row in frames), "left is no frame of reference"


def the_check_sends_what_a_sweep_would(folder, url):
    config = folder / "small.yaml"
    config.write_text(f"vlm: {{image: {{format: jpeg, max_px: 100, detail: low}}, endpoints: [{{url: '{url}', model: m}}]}}\n")
    Model.images.clear()
    subprocess.run([POV, "vlm", "check", config], capture_output=True, check=False, timeout=100)
    assert Model.images
    for image in Model.images:
        head, data = image["url"].split(",")
        jpeg = base64.b64decode(data)
        assert head == "data:image/jpeg;base64" and image["detail"] == "low", head
        at = jpeg.index(b"\xff\xc0")
        height, width = struct.unpack(">HH", jpeg[at + 5:at + 9])
        assert (width, height) == (100, 75), (width, height)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        where, run = station(folder, "comfort-car"), folder / "run"
        pov("sweep", where, "--out", run, "--angles", 1, "--quiet")
        adaptations_are_kept(run, url)
        published = folder / "world/published.yaml"
        published.write_text(where.read_text() + f"publish: {{endpoint: 'ipc://{folder}/wire'}}\n")
        other_forms_agree_by_their_reading(folder, published, url)
        the_check_sends_what_a_sweep_would(folder, url)
    print("adaptations are kept, other forms are read, the check converts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
