#!/usr/bin/python3
"""Writes a network as ONNX, with the contract that `pov` reads (docs/MODELS.md), after OpenCV's dnn gave the same numbers.

    export.py --net /tmp/net.pt --out share/models/worlds.onnx
    export.py --heading /tmp/heading.pt --out models/worlds_heading.onnx
"""
import argparse
import hashlib
import pathlib

import cv2
import numpy as np
import torch

from net import BINS, CROP_PX, Exported, Heading, Net
from train_heading import MARGIN
from worlds import CLASSES

OPSET = 11
DETECTOR_PX = 320  # larger than it was trained with: small things are found better
SCORE_MIN = 0.6  # of what the contract lets through: on worlds apart, 73 % of these are right
INPUT = """input:
  name: images
  shape: [1, 3, {size}, {size}]
  order: nchw
  color: rgb
  fit: letterbox_center
  fill: 114
  scale: 0.00392156862745098
  mean: [0, 0, 0]
  std: [1, 1, 1]
"""


def contract(path, layout, size, rest):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"model: {path.name}\nsha256: {digest}\nopset: {OPSET}\nlayout: {layout}\n" + INPUT.format(size=size) + rest


def detector_contract(path, rows):
    return contract(path, "yolov8", DETECTOR_PX, f"""outputs:
  rows: {{name: output, shape: {list(rows)}}}
classes: [{", ".join(CLASSES)}]
score_min: {SCORE_MIN}
overlap_max: 0.5
across_classes: true
""")


def heading_contract(path, std_deg):
    return contract(path, "heading", CROP_PX, f"""outputs:
  heading: {{name: output, shape: [1, {BINS}]}}
crop_margin: {MARGIN}
heading:
  kind: bins
  bins: {BINS}
  offset: none
  first_deg: 0
  against: ray
  away_deg: 180
  turns: counterclockwise
  std_deg: {std_deg}
""")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--net", type=pathlib.Path)
    which.add_argument("--heading", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    saved = torch.load(args.net or args.heading)
    size = DETECTOR_PX if args.net else CROP_PX
    model = Net(len(CLASSES), size) if args.net else Heading()
    model.load_state_dict(saved["net"])
    model = (Exported(model) if args.net else model).eval()
    image = torch.rand(1, 3, size, size, generator=torch.Generator().manual_seed(1))
    torch.onnx.export(model, image, args.out, opset_version=OPSET, input_names=["images"], output_names=["output"])
    with torch.no_grad():
        wanted = model(image).numpy()
    cv = cv2.dnn.readNetFromONNX(str(args.out))
    cv.setInput(image.numpy())
    off = np.abs(cv.forward() - wanted).max() / np.abs(wanted).max()
    if off > 1e-4:
        raise SystemExit(f"{args.out}: OpenCV's numbers are off by {off:.2g}")
    if args.net:
        text = detector_contract(args.out, wanted.shape)
    else:
        text = heading_contract(args.out, saved.get("std_deg", 15))
    args.out.with_suffix(".yaml").write_text(text)
    print(f"{args.out}: {args.out.stat().st_size / 1e6:.2f} MB, OpenCV agrees within {off:.1g}; now: pov model seal "
          f"{args.out.with_suffix('.yaml')}")


if __name__ == "__main__":
    main()
