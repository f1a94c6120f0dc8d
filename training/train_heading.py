#!/usr/bin/python3
"""Trains the heading network on crops of what worlds.py drew, and writes its weights.

    train_heading.py --worlds /tmp/worlds ... --out /tmp/heading.pt --epochs 24 --seed 1
"""
import argparse
import copy
import json
import math
import pathlib
import time

import cv2
import numpy as np
import torch
import torch.nn.functional as F

from augment import ground
from net import BINS, CROP_PX, Heading
from worlds import CLASSES

MARGIN = 0.1  # of the box's longest side, shown on each side
LEAST_PX = 12
DRAWN_PX = 64  # crops are kept a little larger than the network's


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
        image = image.astype(np.float32)
        if rng.random() < .4:
            there = mask[..., None] / np.float32(255)
            image = image * there + ground(rng, DRAWN_PX) * (1 - there)
        if rng.random() < .4:
            image = image @ (np.eye(3, dtype=np.float32) + rng.uniform(-.3, .3, (3, 3)).astype(np.float32)).T
        zoom = math.exp(rng.uniform(-.15, .15)) * CROP_PX / DRAWN_PX
        stretch, shift = rng.uniform(.92, 1.09), rng.uniform(-3, 3, 2)
        M = np.array([[zoom * stretch, 0, 0], [0, zoom / stretch, 0]])
        M[:, 2] = CROP_PX / 2 - M[:, :2] @ [DRAWN_PX / 2, DRAWN_PX / 2] + shift
        image = cv2.warpAffine(np.clip(image, 0, 255), M, (CROP_PX, CROP_PX), borderValue=(114,) * 3)
        if rng.random() < .5:
            image, heading = image[:, ::-1], -heading
        image = 255 * (np.clip(image, 0, 255) / 255) ** rng.uniform(.6, 1.6)
        image = (image - 128) * rng.uniform(.6, 1.3) + 128 + rng.uniform(-30, 30) + rng.normal(0, rng.uniform(0, 9),
                                                                                              image.shape)
        image = np.clip(image, 0, 255).astype(np.float32).transpose(2, 0, 1) / 255
        return torch.from_numpy(np.ascontiguousarray(image)), torch.tensor(heading, dtype=torch.float32)


def soft_bins(heading):
    """A heading as weights of bins, one bin wide."""
    width = 2 * math.pi / BINS
    return torch.softmax(torch.cos(heading[:, None] - torch.arange(BINS) * width) / (0.8 * width) ** 2, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    crops = Crops([crop for folder in args.worlds for crop in crops_of(folder)], args.seed)
    net = Heading().train().to(memory_format=torch.channels_last)
    kept = copy.deepcopy(net).eval()
    steps = args.epochs * (len(crops) // args.batch)
    print(f"{sum(p.numel() for p in net.parameters())} weights, {len(crops)} crops, {steps} steps", flush=True)
    optimizer = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=0.03)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=steps, pct_start=0.1)
    step, started = 0, time.time()
    for epoch in range(args.epochs):
        crops.epoch = epoch
        loader = torch.utils.data.DataLoader(crops, args.batch, shuffle=True, num_workers=1, drop_last=True,
                                             generator=torch.Generator().manual_seed(args.seed * 1000 + epoch))
        for image, heading in loader:
            logits = net(image.to(memory_format=torch.channels_last))
            loss = -(F.log_softmax(logits, 1) * soft_bins(heading)).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            step += 1
            keep = min(0.997, step / (step + 20))
            for a, b in zip(kept.state_dict().values(), net.state_dict().values()):
                a.copy_(b if not a.is_floating_point() else keep * a + (1 - keep) * b)
            if step % 50 == 0:
                print(f"epoch {epoch} step {step} of {steps}: loss {loss.item():.3f} {time.time() - started:.0f} s",
                      flush=True)
        torch.save({"net": kept.state_dict()}, args.out)


if __name__ == "__main__":
    main()
