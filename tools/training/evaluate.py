#!/usr/bin/python3
"""Scores networks on worlds that were not trained on: average precision by class, error of heading by class.

    evaluate.py --worlds /tmp/held --net /tmp/net.pt --heading /tmp/heading.pt
    evaluate.py --net /tmp/net.pt --pictures photographs/*.jpg
"""
import argparse
import json
import math
import pathlib

import cv2
import numpy as np
import torch

from export import DETECTOR_PX, SCORE_MIN
from modes import modes_of, softmax, told
from net import CROP_PX, Exported, Heading, Net
from train_heading import crops_of
from worlds import CLASSES

SCORE_LEAST, OVERLAP_MAX = 0.02, 0.5


def overlaps(box, boxes):
    low, high = np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:], boxes[:, 2:])
    both = np.clip(high - low, 0, None).prod(1)
    return both / ((box[2:] - box[:2]).prod() + (boxes[:, 2:] - boxes[:, :2]).prod(1) - both + 1e-9)


def letterboxed(image):
    """As `letterbox_center`. Out: the input, and pixels of it for one of the image, and where that begins."""
    scale = DETECTOR_PX / max(image.shape[:2])
    width, height = round(image.shape[1] * scale), round(image.shape[0] * scale)
    left, top = (DETECTOR_PX - width) // 2, (DETECTOR_PX - height) // 2
    out = np.full((DETECTOR_PX, DETECTOR_PX, 3), 114, np.uint8)
    out[top:top + height, left:left + width] = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA
                                                          if scale < 1 else cv2.INTER_LINEAR)
    return out, scale, np.array([left, top])


def detect(net, image):
    """Boxes [n, 4] (corners in the image), scores [n] and classes [n], best first."""
    letterbox, scale, start = letterboxed(image)
    with torch.no_grad():
        rows = net(torch.from_numpy(letterbox.transpose(2, 0, 1)[None].astype(np.float32) / 255))[0].numpy().T
    scores, classes = rows[:, 4:].max(1), rows[:, 4:].argmax(1)
    order = [i for i in np.argsort(-scores) if scores[i] > SCORE_LEAST]
    boxes = np.concatenate([rows[:, :2] - rows[:, 2:4] / 2, rows[:, :2] + rows[:, 2:4] / 2], 1)
    kept = []
    for i in order:
        if not kept or overlaps(boxes[i], boxes[kept]).max() < OVERLAP_MAX:
            kept.append(i)
    return (boxes[kept] - np.tile(start, 2)) / scale, scores[kept], classes[kept]


def average_precision(hits, count):
    """hits: (score, is it one) of all found; count: how many there are. Area under the envelope of precision."""
    if not count or not hits:
        return 0.0 if count else math.nan
    right = np.cumsum([hit for _, hit in sorted(hits, key=lambda h: -h[0])])
    precision, recall = right / np.arange(1, len(right) + 1), right / count
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return float((np.diff(recall, prepend=0) * envelope).sum())


def told_of(hits, count):
    """At the contract's least score: the share of things that is found, and the share of what is found that is there."""
    told = [hit for score, hit in hits if score >= SCORE_MIN]
    return sum(told) / max(1, count), np.mean(told) if told else math.nan


def score_detector(net, folder):
    truth = json.loads((folder / "truth.json").read_text())
    size = truth["size_px"]
    images = np.memmap(folder / "images.u8", np.uint8, "r").reshape(-1, size, size, 3)
    hits, count = {name: [] for name in CLASSES}, dict.fromkeys(CLASSES, 0)
    for i, things in enumerate(truth["images"]):
        boxes, scores, classes = detect(net, images[i])
        for k, name in enumerate(CLASSES):
            wanted = np.array([t["box_px"] for t in things if t["class"] == name], float).reshape(-1, 4)
            count[name] += len(wanted)
            taken = set()
            for box, score in zip(boxes[classes == k], scores[classes == k]):
                share = overlaps(box, wanted) if len(wanted) else np.zeros(1)
                best = int(share.argmax())
                hit = share[best] >= 0.5 and best not in taken
                taken.add(best) if hit else None
                hits[name].append((score, hit))
    return {name: (average_precision(hits[name], count[name]), *told_of(hits[name], count[name]), count[name])
            for name in CLASSES}


def logits_of(net, folder):
    """Of all crops of a folder: logits, headings, classes."""
    logits, headings, classes = [], [], []
    for image, _, heading, k in crops_of(folder):
        crop = cv2.resize(image, (CROP_PX, CROP_PX), interpolation=cv2.INTER_AREA).transpose(2, 0, 1)[None]
        with torch.no_grad():
            logits.append(net(torch.from_numpy(crop.astype(np.float32) / 255))[0].numpy())
        headings.append(heading)
        classes.append(k)
    return np.array(logits), np.array(headings), np.array(classes)


def heading_row(logits, headings, std_rad):
    """Median error in degrees; shares within 30 degrees and nearer to the back; of the heaviest mode its mean weight, and
    how often it is the nearest; share within two standard deviations of the nearest mode; nats told."""
    errors, weights, nearest, inside = [], [], [], []
    for p, heading in zip(softmax(logits), headings):
        modes = modes_of(p, std_rad)
        off = [abs(math.remainder(heading - angle, 2 * math.pi)) for _, angle, _ in modes]
        best = int(np.argmin(off))
        errors.append(math.degrees(off[0]))
        weights.append(modes[0][0])
        nearest.append(best == 0)
        inside.append(off[best] <= 2 * modes[best][2])
    errors = np.array(errors)
    return (np.median(errors), np.mean(errors <= 30), np.mean(errors > 90), np.mean(weights), np.mean(nearest),
            np.mean(inside), told(logits, headings, 1.0, std_rad))


def print_heading(path, folder):
    weights = torch.load(path)
    net = Heading()
    net.load_state_dict(weights["net"])
    logits, headings, classes = logits_of(net.eval(), folder)
    std = math.radians(weights.get("std_deg", 15))
    print("| class | median error, degrees | within 30 | front taken for back | heaviest mode weighs | is the nearest "
          "| within 2 σ | nats told | of |\n|---|---|---|---|---|---|---|---|---|")
    for k in [*range(len(CLASSES)), None]:
        which = classes == k if k is not None else classes >= 0
        if which.any():
            row = heading_row(logits[which], headings[which], std)
            print(f"| {CLASSES[k] if k is not None else 'all'} | {row[0]:.0f} |", *(f"{100 * v:.0f} % |" for v in row[1:6]),
                  f"{row[6]:.2f} | {which.sum()} |")


def print_pictures(net, paths, score_min=0.2):
    for path in paths:
        boxes, scores, classes = detect(net, cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB))
        print(path + ":", "; ".join(f"{CLASSES[k]} {score:.2f} at {box.round().astype(int).tolist()}"
                                    for box, score, k in zip(boxes, scores, classes) if score >= score_min) or "nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=pathlib.Path)
    parser.add_argument("--pictures", nargs="*", default=[], help="print what the detector finds in these files")
    parser.add_argument("--net", type=pathlib.Path)
    parser.add_argument("--heading", type=pathlib.Path)
    args = parser.parse_args()
    torch.set_num_threads(1)
    if args.net:
        net = Net(len(CLASSES), DETECTOR_PX)
        net.load_state_dict(torch.load(args.net)["net"])
        detector = Exported(net).eval()
        print_pictures(detector, args.pictures)
    if args.net and args.worlds:
        scores = score_detector(detector, args.worlds)
        print("| class | AP50 | found | right of these | of |\n|---|---|---|---|---|")
        for name, (score, found, right, count) in scores.items():
            print(f"| {name} | {score:.2f} | {100 * found:.0f} % | {100 * right:.0f} % | {count} |")
        mean = np.nanmean([row[:3] for row in scores.values()], 0)
        print(f"| mean | {mean[0]:.2f} | {100 * mean[1]:.0f} % | {100 * mean[2]:.0f} % | |")
    if args.heading and args.worlds:
        print_heading(args.heading, args.worlds)


if __name__ == "__main__":
    main()
