#!/usr/bin/python3
"""Second images: what a server gets is what lies in the folder, drawn from the scene; their effect is what a model's bias implies."""
import base64
import hashlib
import http.server
import json
import pathlib
import sys
import threading

import cv2
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sweep_peer
from sweep_peer import Server, pov, query, station


class Model(http.server.BaseHTTPRequestHandler):
    """Says yes, and keeps what it was sent."""
    protocol_version = "HTTP/1.1"
    requests = []

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = asked["messages"][-1]["content"]
        images = [base64.b64decode(p["image_url"]["url"].split(",")[1]) for p in content if p["type"] == "image_url"]
        text = next(p["text"] for p in content if p["type"] == "text")
        Model.requests.append((text, [hashlib.sha256(i).hexdigest() for i in images]))
        body = json.dumps({"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def rows_of(run):
    rows = query(run, "SELECT q.key, q.prompt, q.gold, q.columns, i.sha256, i.stop, i.evidence, q.golds FROM questions q JOIN images i ON i.id = q.image")
    return [dict(zip(("key", "prompt", "gold", "columns", "sha256", "stop", "evidence", "golds"), (*r[:3], json.loads(r[3]), *r[4:7], json.loads(r[7])))) for r in rows]


def what_is_sent_is_what_is_kept(run, rows, url):
    pov("compare", run, "--vlm", url, "--model", "yes", "--no-publish")
    sent = {tuple([text, *images]) for text, images in Model.requests}
    for r in rows:
        first = r["columns"].get("picture_sha256", r["sha256"])
        second = [r["columns"]["second_sha256"]] if "second_sha256" in r["columns"] else []
        assert tuple([r["prompt"], first, *second]) in sent, r["key"]
        assert bool(second) == (r["columns"]["guided"] in ("view", "map", "abstract")), r
        if second:
            file = run / r["columns"]["second_path"]
            assert hashlib.sha256(file.read_bytes()).hexdigest() == second[0] and "Two images are given." in r["prompt"]


def the_map_shows_where_things_are(run, rows):
    """The camera looks up the map: a thing that is on the camera's left is on its left."""
    known = {r["columns"]["second_path"]: r for r in rows if r["columns"]["guided"] == "map"}
    compared = 0
    for path, r in known.items():
        scene = json.loads(r["evidence"])["scene"]
        places = {e["id"]: numpy.array(e["pos_m"]) for e in scene["entities"] if e.get("pos_m")}
        camera = next(e for e in scene["entities"] if e["id"] == "camera")
        yaw = camera["heading_rad"]
        right = numpy.array([numpy.sin(yaw), -numpy.cos(yaw), 0])
        picture = cv2.imread(str(run / path)).astype(int)
        red = numpy.argwhere(picture[:, :, 2] > picture[:, :, :2].max(2) + 60)
        blue = numpy.argwhere(picture[:, :, 0] > picture[:, :, 1:].max(2) + 60)
        aside = float((places["red_ball"] - places["blue_ball"]) @ right) * (-1 if r["columns"]["flip"] == "yes" else 1)
        assert len(red) > 20 and len(blue) > 20, path
        if abs(aside) > 0.5:
            assert (red[:, 1].mean() - blue[:, 1].mean()) * aside > 0, (path, aside)
            compared += 1
    assert compared >= 2


def spheres_stand_where_she_sees_things(run, rows):
    """The words name each sphere's colour; a thing on her right is a sphere of that colour on the right, a thing behind her none."""
    channel, compared = {"red": 2, "blue": 0}, set()
    for r in {r["columns"]["second_path"]: r for r in rows if r["columns"]["guided"] == "abstract"}.values():
        entities = {e["id"]: e for e in json.loads(r["evidence"])["scene"]["entities"]}
        she = next(e for e in entities.values() if e["addressee"])
        yaw, picture = she["heading_rad"], cv2.imread(str(run / r["columns"]["second_path"])).astype(int)
        legend = r["prompt"].split("in each thing's place: ")[1].split(". ")[0]
        named = dict(part.removeprefix("the ").replace(" sphere is the ", "=").replace(" one the ", "=").split("=") for part in legend.split(", "))
        assert set(named.values()) == {e["class"].replace("_", " ") for e in entities.values() if e["id"] not in ("camera", she["id"])}, legend
        for colour, name in named.items():
            one = next(e for e in entities.values() if e["class"].replace("_", " ") == name)
            v = [a - b for a, b in zip(one["pos_m"], she["pos_m"])]
            ahead, right = v[0] * numpy.cos(yaw) + v[1] * numpy.sin(yaw), v[0] * numpy.sin(yaw) - v[1] * numpy.cos(yaw)
            right *= -1 if r["columns"]["flip"] == "yes" else 1
            others = [c for c in range(3) if c != channel[colour]]
            pixels = numpy.argwhere(picture[:, :, channel[colour]] > picture[:, :, others].max(2) + 60)
            side = "ahead" if abs(right) < 0.2 * ahead else "right" if right > 0 else "left"
            if ahead <= 0:
                assert len(pixels) == 0, (r["key"], colour)
            elif abs(right) < ahead and len(pixels): # within her view, and not behind the other
                x = pixels[:, 1].mean() - 255.5
                assert abs(x) < 60 if side == "ahead" else x * right > 0, (r["key"], colour, x, right)
                compared.add(side)
    assert {"left", "right", "ahead"} <= compared, compared


def the_effect_is_what_the_bias_implies(run):
    """In the camera's frame without a view, in hers with it: of hers, those are wrong that the two frames answer otherwise."""
    with Server(run, "--bias", "needs-view") as server:
        pov("compare", run, "--vlm", server.url, "--model", "needs-view", "--no-publish")
    rows = rows_of(run)
    asked, wrong, images = {(r["stop"], r["key"]) for r in rows}, 0, {}
    for r in rows:
        c = r["columns"]
        if c["guided"] == "not" and c["flip"] == "no" and r["gold"] and (r["stop"], f"{r['key']}+view") in asked:
            camera = next(g["answer"] for g in r["golds"] if g["frame"].startswith("egocentric reflected"))
            images.setdefault(r["stop"], []).append(camera == r["gold"])
            wrong += camera != r["gold"]
    without = sum(sum(of) / len(of) for of in images.values()) / len(images)
    row = next(r for r in json.loads(pov("compare", run, "--json"))["effects"]
               if r["model"] == "needs-view" and r["condition"] == "guided view" and r["by"] == "all")
    assert wrong > 0 and row["images"] == len(images), (wrong, row)
    assert abs(row["with"]["mean"] - 1) < 1e-9 and abs(row["without"]["mean"] - without) < 1e-9, (row, without)
    assert abs(row["effect"]["mean"] - (1 - without)) < 1e-9 and row["effect"]["low"] is not None, row


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        balls, cars = folder / "balls", folder / "cars"
        pov("sweep", station(folder), "--out", balls, "--angles", 4, "--quiet", "--guided", "not,map", "--flip")
        the_map_shows_where_things_are(balls, rows_of(balls))
        pov("sweep", station(folder, "comfort-car"), "--out", cars, "--angles", 3, "--quiet", "--guided", "not,view,abstract", "--flip")
        spheres_stand_where_she_sees_things(cars, rows_of(cars))
        what_is_sent_is_what_is_kept(cars, rows_of(cars), url)
        the_effect_is_what_the_bias_implies(cars)
    print("second images are sent, kept and compared")
    return 0


if __name__ == "__main__":
    sys.exit(main())
