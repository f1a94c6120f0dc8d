#!/usr/bin/python3
"""The network that comes along, in floats and quantised to 8 bits, side by side: what each finds of drawn worlds, and how fast.

    quantised.py POV [--images 100] [--calibrate 20] [--keep DIR]

Quantises as docs/MODELS.md says: scales of activations from images of another seed, weights a scale a channel, the last convolutions,
whose numbers are boxes and scores, left in floats. Each is run by each library of POV that can. Times are paired: the two
networks of a row see each image in turn.
"""
import argparse
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import cv2
import numpy as np
import onnx
import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests" / "support"), str(SOURCE / "tools" / "training")]
import onnx_models  # noqa: E402
import quantise_onnx  # noqa: E402
import worlds  # noqa: E402

SIZE_PX = 320  # the network's input: nothing is scaled


def draw_worlds(pov, count, seed, folder, scratch):
    """Images into `folder`; the truth of each."""
    folder.mkdir(parents=True)
    truth = {}
    for i in range(count):
        rng = random.Random(seed * 1000003 + i)
        (scratch / "world.yaml").write_text(worlds.world(rng, SIZE_PX))
        try:
            image, ids, line = worlds.draw(pov, [str(scratch / "world.yaml")], scratch / "drawn", rng.randint(0, 1 << 30), "own")
        except subprocess.CalledProcessError:  # things that do not fit
            continue
        name = f"{i:04}.png"
        cv2.imwrite(str(folder / name), image)
        truth[name] = worlds.seen_things(ids, line)[0]
    return truth


def overlap(a, b):
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    both = np.clip(high - low, 0, None).prod()
    return both / (np.subtract(a[2:], a[:2]).prod() + np.subtract(b[2:], b[:2]).prod() - both)


def grade(pov, contract, backend, images, truth):
    """Of the things that show, the share that is found; of what is found, the share that is right. Or None: it cannot be run."""
    ran = subprocess.run([pov, "model", "run", contract, images, "--json", "--backend", backend], capture_output=True, text=True)
    if ran.returncode:
        return None, ran.stderr.strip().split("\n")[-1]
    right = told = 0
    for line in map(json.loads, ran.stdout.splitlines()):
        left = list(truth[line["image"]])
        for found in line["detections"]:
            told += 1
            box = np.add(found["box_px"], 0.5)
            hits = [t for t in left if t["class"] == found["class"] and overlap(box, np.array(t["box_px"], float)) >= 0.5]
            if hits:
                right += 1
                left.remove(hits[0])
    return right / sum(map(len, truth.values())), right / max(1, told)


def quantise(folder, images):
    """worlds_int8.onnx and its contract, sealed by nobody: golden numbers are of the network in floats."""
    model = SOURCE / "share" / "models" / "worlds.onnx"
    shutil.copy(model, folder)
    shutil.copy(model.with_suffix(".yaml"), folder)
    inputs = [cv2.imread(str(path))[..., ::-1].transpose(2, 0, 1)[None] / np.float32(255) for path in sorted(images.iterdir())]
    ranges = quantise_onnx.ranges_by_opencv(model, inputs)
    graph = onnx.load(str(model)).graph
    fed = {node.output[0] for node in graph.node if node.op_type == "Conv"}
    last = last_convolutions(graph)
    quantise_onnx.quantise_model(model, folder / "worlds_int8.onnx", {name: r for name, r in ranges.items() if name not in last})
    contract = yaml.safe_load(model.with_suffix(".yaml").read_text())
    bytes_of = (folder / "worlds_int8.onnx").read_bytes()
    contract.update(model="worlds_int8.onnx", opset=13, sha256=hashlib.sha256(bytes_of).hexdigest())
    contract.pop("golden")
    onnx_models.write_contract(folder / "worlds_int8.yaml", contract)
    return len(fed), len(fed - last)


def last_convolutions(graph):
    """Outputs of the convolutions after which no other comes."""
    by_output = {name: node for node in graph.node for name in node.output}
    last, seen, open_names = set(), set(), [value.name for value in graph.output]
    while open_names:
        name = open_names.pop()
        node = by_output.get(name)
        if name in seen or node is None:
            continue
        seen.add(name)
        if node.op_type == "Conv":
            last.add(name)
        else:
            open_names.extend(node.input)
    return last


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pov")
    parser.add_argument("--images", type=int, default=100)
    parser.add_argument("--calibrate", type=int, default=20)
    parser.add_argument("--keep", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        folder = args.keep or scratch / "kept"
        folder.mkdir(parents=True, exist_ok=True)
        draw_worlds(args.pov, args.calibrate, 7, folder / "calibrate", scratch)
        truth = draw_worlds(args.pov, args.images, 100, folder / "images", scratch)
        (folder / "truth.json").write_text(json.dumps(truth))
        all_of_them, whole = quantise(folder, folder / "calibrate")
        print(f"{len(truth)} worlds, {sum(map(len, truth.values()))} things; {whole} of {all_of_them} convolutions of 8 bits; "
              f"{(folder / 'worlds.onnx').stat().st_size} and {(folder / 'worlds_int8.onnx').stat().st_size} bytes")
        run_all(args.pov, folder, truth)


def run_all(pov, folder, truth):
    os.environ["POV"] = str(pathlib.Path(pov).resolve())  # for backends()
    for backend in onnx_models.backends():
        first = folder / f"worlds_{backend}.yaml"
        first.write_text(f"backend: {backend}\n" + (folder / "worlds.yaml").read_text())
        for contract in (first, folder / "worlds_int8.yaml"):
            found, right = grade(pov, contract, backend, folder / "images", truth)
            if found is None:
                print(f"{contract.stem} by {backend}: {right}")
                continue
            ran = subprocess.run([pov, "model", "compare", first, contract, folder / "images", "--json", "--backend", backend],
                                 capture_output=True, text=True, check=True)
            both = json.loads(ran.stdout)
            one, other = both["detectors"]
            print(f"{contract.stem} by {other['runs_on']}: finds {100 * found:.1f} % of the things, {100 * right:.1f} % of what it finds is right; "
                  f"{other['look_ms']:.1f} ms a look, the floats {one['look_ms']:.1f} ms in the same run; "
                  f"{both['found_by_both']} of {one['found']} found by both, overlap {both['mean_overlap']:.3f}, scores "
                  f"differ by {both['score_difference_median']:.4f} (median), {both['score_difference_95']:.4f} (95 %)")


if __name__ == "__main__":
    main()
