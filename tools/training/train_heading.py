#!/usr/bin/python3
"""Trains the heading network on crops of what worlds.py drew, and writes its weights.

    train_heading.py --worlds /tmp/worlds ... --out /tmp/heading.pt --epochs 30 --seed 1
"""
import json
import math

import cv2
import numpy as np
import torch
import torch.nn.functional as F

from augment import FILL, ground, light, sensor
from learn import arguments, learn
from net import BINS, CROP_PX, Heading
from worlds import CLASSES

MARGIN = 0.1  # of the box's longest side, shown on each side
LEAST_PX = 12
DRAWN_PX = 72  # crops are kept a little larger than the network's


def square(image, box, size_px, fill=114):
    """A box with its margin, its longest side filling the square."""
    width, height = box[2] - box[0], box[3] - box[1]
    scale = size_px / (max(width, height) * (1 + 2 * MARGIN))
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    M = np.array([[scale, 0, size_px / 2 - x * scale + .5 * scale - .5],
                  [0, scale, size_px / 2 - y * scale + .5 * scale - .5]])
    return cv2.warpAffine(image, M, (size_px, size_px), flags=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR,
                          borderMode=cv2.BORDER_CONSTANT, borderValue=(fill,) * image.shape[2] if image.ndim == 3 else 0)


def crops_of(folder):
    """All fronted things that show well enough: crops, their masks, headings, classes."""
    truth = json.loads((folder / "truth.json").read_text())
    size = truth["size_px"]
    n = (folder / "ids.u8").stat().st_size // size ** 2
    images = np.memmap(folder / "images.u8", np.uint8, "r", shape=(n, size, size, 3))
    ids = np.memmap(folder / "ids.u8", np.uint8, "r", shape=(n, size, size))
    out = []
    for i, things in enumerate(truth["images"]):
        for k, thing in enumerate(things):
            box = thing["box_px"]
            if thing["heading_rad"] is None or max(box[2] - box[0], box[3] - box[1]) < LEAST_PX:
                continue
            mask = (ids[i] == k + 1).astype(np.uint8) * 255
            out.append((square(images[i], box, DRAWN_PX), square(mask, box, DRAWN_PX), thing["heading_rad"],
                        CLASSES.index(thing["class"])))
    return out


class Crops(torch.utils.data.Dataset):
    def __init__(self, crops, seed):
        self.crops, self.seed, self.epoch = crops, seed, 0

    def __len__(self):
        return len(self.crops)

    def __getitem__(self, at):
        image, mask, heading, _ = self.crops[at]
        rng = np.random.default_rng([self.seed, self.epoch, at])
        if rng.random() < .4:
            there = mask[..., None] / np.float32(255)
            image = (image * there + ground(rng, DRAWN_PX) * (1 - there)).astype(np.uint8)
        image = light(rng, image)
        zoom = math.exp(rng.uniform(-.15, .15)) * CROP_PX / DRAWN_PX
        stretch, shift = rng.uniform(.92, 1.09), rng.uniform(-.06, .06, 2) * CROP_PX
        M = np.array([[zoom * stretch, 0, 0], [0, zoom / stretch, 0]])
        M[:, 2] = CROP_PX / 2 - M[:, :2] @ [DRAWN_PX / 2, DRAWN_PX / 2] + shift
        image = cv2.warpAffine(image, M, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderValue=(FILL,) * 3)
        if rng.random() < .5:
            image, heading = cv2.flip(image, 1), -heading
        image = sensor(rng, image)
        return torch.from_numpy(image.transpose(2, 0, 1).copy()), torch.tensor(heading, dtype=torch.float32)


def soft_bins(heading):
    """A heading as weights of bins, one bin wide."""
    width = 2 * math.pi / BINS
    return torch.softmax(torch.cos(heading[:, None] - torch.arange(BINS) * width) / (0.8 * width) ** 2, 1)


def loss_of(net, logits, heading):
    loss = -(F.log_softmax(logits, 1) * soft_bins(heading)).sum(1).mean()
    off = torch.cos(logits.argmax(1) * 2 * math.pi / BINS - heading)
    return loss, {"within 90": (off > 0).float().mean()}


def main():
    args = arguments(__doc__, epochs=30, batch=64, rate=2e-3)
    crops = [crop for folder in args.worlds for crop in crops_of(folder)]
    learn(Heading(), Crops(crops, args.seed), loss_of, args)


if __name__ == "__main__":
    main()
