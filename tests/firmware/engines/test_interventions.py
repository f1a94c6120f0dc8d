#!/usr/bin/python3
"""Isle-Brick's interventions (appendix B): what each changes in the picture, and the table of the bias that each leaves, computed again
from the exported CSV alone."""
import csv
import http.server
import io
import itertools
import json
import math
import pathlib
import re
import sys
import threading

import cv2
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "sweep"))
from sweep_peer import folder, pov

VARIANTS = "default", "absent", "zoom-10", "zoom-30", "zoom-50", "compass"
DIRECTIONS = "north", "east", "south", "west"


PREMISE = "Assuming the top of the image is north, since that is what the question says, "
# Likely where it names the direction, by what is listed first; words that hold one count for it, "northeast" for two.
LIKELY = {"west": {" east": 0.5, " eastward": 0.1, " south": 0.2, "West": 0.05, " the": 0.1},
          "north": {" northeast": 0.3, " east": 0.25, " towards": 0.2}}


def tokens_of(listed):
    def item(text, p):
        return {"token": text, "logprob": math.log(p), "bytes": list(text.encode())}
    content = [{**item(word, 0.9), "top_logprobs": [item(word, 0.9), item(" south", 0.05)]} for word in re.findall(r" ?[\w]+|[,.]| $", PREMISE + "it is facing")]
    likely = [item(text, p) for text, p in LIKELY[listed].items()]
    return content + [{**likely[0 if listed == "west" else 1], "top_logprobs": likely}, {**item(".", 0.9), "top_logprobs": [item(".", 0.9)]}]


class EastLover:
    """Answers east, but the first direction that is listed if that is south, and refuses where N, E, S and W are drawn."""

    def __enter__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                content = body["messages"][-1]["content"]
                text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
                listed = re.search(r"i\.e\., (\w+)", text)
                said = "It is facing south." if listed and listed[1] == "south" else "It is facing northeast." if "minifigure facing" in text \
                    and len(text) % 2 else "east"
                choice = {"message": {"content": said}, "finish_reason": "stop"}
                if listed and listed[1] in ("west", "north"): # a server that lists tokens
                    choice["message"]["content"] = PREMISE + "it is facing east."
                    choice["logprobs"] = {"content": tokens_of(listed[1])}
                reply = json.dumps({"choices": [choice]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def picture(where, variant, i):
    return cv2.imread(str(sorted((where / variant / "images").glob("*.png"))[i])).astype(int)


def height_of_trousers(image):
    """Of the minifigure's blue: rows of the surface view."""
    rows = numpy.flatnonzero(((image[:, :, 0] > image[:, :, 2] + 40) & (image[:, :, 0] > image[:, :, 1] + 20)).any(axis=1))
    return rows[-1] - rows[0] + 1


def pictures_show_what_was_changed(where):
    green = lambda image: ((image[:, :, 1] > image[:, :, 0] + 40) & (image[:, :, 1] > image[:, :, 2] + 40)).sum() # the plant
    plain, absent, compass = (picture(where, variant, 1) for variant in ("default", "absent", "compass"))
    assert green(plain) > 100 and green(absent) == 0
    changed = numpy.abs(compass - plain).max(axis=2) > 8
    assert changed.any() and not changed[40:-40, 60:-60].any() # at the edges only
    for part in changed[:40], changed[-40:], changed[:, :60], changed[:, -60:]:
        assert part.any()
    base = height_of_trousers(picture(where, "absent", 1))
    for percent in 10, 30, 50:
        share = height_of_trousers(picture(where, f"zoom-{percent}", 1)) / base
        assert abs(share - (1 + percent / 100)) < 0.1, (percent, share)


def rows_of(run):
    return [row for row in csv.DictReader(io.StringIO(pov("compare", run, "--export", "csv"))) if row["question"] == "Q5"]


def expected(rows):
    """Prediction correctness, bias and shares (sections 2.2 and A.5; bias: half the summed differences of shares)."""
    said = [{d for d in DIRECTIONS if d in row["answer"].removeprefix(PREMISE).lower()} for row in rows]
    gold = [set(row["gold"].split("|")) for row in rows]
    shares = [[sum(d in one for one in of) for d in DIRECTIONS] for of in (said, gold)]
    shares = [[n / sum(of) for n in of] for of in shares]
    return {"correctness": sum(len(s & g) / len(s) for s, g in zip(said, gold)) / len(rows),
            "bias": sum(abs(a - b) for a, b in zip(*shares)) / 2, **dict(zip(DIRECTIONS, shares[0]))}


with folder() as name:
    where = pathlib.Path(name)
    for variant in VARIANTS:
        pov("export", "vpt", "--images", 2, "--size", "320x240", "--questions", "vpt", "--dataset", "jsonl", where / variant,
            *(() if variant == "default" else ("--variant", variant)))
    pov("export", "vpt", "--images", 1, "--size", "160x120", "--questions", "vpt", "--order", "permuted", "--dataset", "jsonl", where / "orders")
    pictures_show_what_was_changed(where)
    runs = [where / run for run in (*VARIANTS, "orders")]
    with EastLover() as url:
        for run in runs:
            pov("compare", run, "--vlm", url, "--model", "east")
    exported = list(itertools.chain.from_iterable(map(rows_of, runs)))
    pov("report", *runs, "--out", where / "r.html", "--csv", where / "t")
    table = list(csv.DictReader((where / "t/vpt_interventions.csv").open(encoding="utf-8")))
    orders = {", ".join(words) for words in itertools.permutations(DIRECTIONS)}
    assert {row["intervention"] for row in table} == {"none", *VARIANTS[1:], *(f"order: {words}" for words in orders)}, table
    for row in table:
        rows = [r for r in exported if (r["intervention"] or "none") == row["intervention"]]
        assert len(rows) == (2 if row["model"] == "east" else 1) == int(row["answers"]), row
        for key, value in expected(rows).items():
            assert abs(float(row[key]) - value) < 1e-9, (row, key, value)
    for row in table:
        listed = row["intervention"].removeprefix("order: ").split(",")[0] if row["intervention"].startswith("order: ") else "north"
        rows = [r for r in exported if (r["intervention"] or "none") == row["intervention"]]
        assert row["with_tokens"] == (row["answers"] if listed in LIKELY else "0"), row
        for key in DIRECTIONS if listed in LIKELY else ():
            wanted = sum(p for token, p in LIKELY[listed].items() if key in token.lower())
            assert abs(float(row[f"p_{key}"]) - wanted) < 1e-6 and all(abs(float(r[f"p_{key}"]) - wanted) < 1e-6 for r in rows), (row, key)
        assert row["likeliest"] == ("east" if listed in LIKELY else "-") and all((r["p_east"] != "") == (listed in LIKELY) for r in rows), row
    for row in table:
        if row["intervention"].startswith("order: "):
            assert row["model"] == "east +permuted" and (float(row["south"]) == 1) == row["intervention"].startswith("order: south"), row
    asked = {r["text"] for r in exported if r["intervention"].startswith("order")}
    assert len(asked) == 24 and any("(i.e., south, north, west, or east) is the humanoid minifigure facing?" in text for text in asked)
print("each intervention is drawn, asked and told apart")
