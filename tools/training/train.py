#!/usr/bin/python3
"""Trains the network on worlds that worlds.py drew, and writes its weights (a PyTorch file; export.py makes the ONNX).

    train.py --worlds /tmp/worlds ... --out /tmp/net.pt --epochs 60 --seed 1

Broken off, it goes on where its last epoch ended when the same is asked again.
"""
import json
import math

import numpy as np
import torch
import torch.nn.functional as F

from augment import augment
from learn import arguments, learn
from net import STRIDES, Net
from worlds import CLASSES

REACH_PX = {8: (0, 56), 16: (36, 112), 32: (80, 1e9)}  # longest side of what each stride finds
SHOWN_MAX = 24


class Worlds(torch.utils.data.Dataset):
    def __init__(self, folders, seed):
        self.parts, self.index, self.seed, self.epoch = [], [], seed, 0
        for folder in folders:
            truth = json.loads((folder / "truth.json").read_text())
            size = truth["size_px"]
            n = (folder / "ids.u8").stat().st_size // size ** 2
            self.parts.append((np.memmap(folder / "images.u8", np.uint8, "r", shape=(n, size, size, 3)),
                               np.memmap(folder / "ids.u8", np.uint8, "r", shape=(n, size, size)), truth["images"]))
            self.index += [(len(self.parts) - 1, i) for i in range(len(truth["images"]))]

    def __len__(self):
        return len(self.index)

    def __getitem__(self, at):
        part, i = self.index[at]
        images, ids, truth = self.parts[part]
        boxes = np.array([t["box_px"] for t in truth[i]], float).reshape(-1, 4)
        headings = np.array([np.nan if t["heading_rad"] is None else t["heading_rad"] for t in truth[i]], float)
        rng = np.random.default_rng([self.seed, self.epoch, at])
        image, boxes, headings, left = augment(rng, images[i], ids[i], boxes, headings)
        target = np.full((SHOWN_MAX, 6), -1, np.float32)
        rows = [(*b, CLASSES.index(t["class"]), h) for b, t, h, keep in zip(boxes, truth[i], headings, left) if keep]
        if rows:
            target[:len(rows)] = rows[:SHOWN_MAX]
        return torch.from_numpy(image.transpose(2, 0, 1).copy()), torch.from_numpy(target)


def overlap(a, b):
    """Generalised intersection over union (Rezatofighi 2019) of corners [..., 4], and the plain one."""
    low, high = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
    both = (high - low).clamp(min=0).prod(-1)
    area = (a[..., 2:] - a[..., :2]).prod(-1) + (b[..., 2:] - b[..., :2]).prod(-1) - both
    around = (torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])).prod(-1)
    plain = both / area.clamp(min=1e-6)
    return plain - (around - area) / around.clamp(min=1e-6), plain


def assign(net, target):
    """Which place looks for which thing: [B, N] of indices into target, -1: none. Near a thing's centre, at the stride
    that suits its size; the smaller thing first (Tian 2019)."""
    box, there = target[..., :4], target[..., 4] >= 0
    centre = (box[..., :2] + box[..., 2:]) / 2
    size = box[..., 2:] - box[..., :2]
    places, strides = net.places_px.t()[None, None], net.strides_px[0]
    away = (places - centre[:, :, None]).abs()
    longest, area = size.max(-1).values, size.prod(-1)
    near = (away.max(-1).values < 1.5 * strides) & (away <= size[:, :, None] / 2).all(-1)
    for stride in STRIDES:
        low, high = REACH_PX[stride]
        near &= ~((strides == stride)[None, None] & ((longest < low) | (longest > high))[..., None])
    distance = away.square().sum(-1) + 1e6 * (strides != STRIDES[0])
    lost = ~near.any(-1, keepdim=True)  # too thin to hold a place: the nearest one
    near |= lost & (distance == distance.min(-1, keepdim=True).values)
    near &= there[..., None]
    cost = torch.where(near, area[..., None].expand_as(near), torch.tensor(math.inf))
    least, which = cost.min(1)
    return torch.where(least.isfinite(), which, torch.tensor(-1))


def loss_of(net, given, target):
    corners, scores = given
    target = target[:, :max(1, int((target[..., 4] >= 0).sum(1).max()))]
    which = assign(net, target)
    batch, place = (which >= 0).nonzero(as_tuple=True)
    thing = target[batch, which[batch, place]]
    giou, iou = overlap(corners[batch, :, place], thing[:, :4])
    wanted = torch.zeros_like(scores)
    wanted[batch, thing[:, 4].long(), place] = iou.detach().clamp(0.3, 1)
    p = scores.sigmoid().detach()
    weight = torch.where(wanted > 0, wanted, 0.75 * p.square())  # Zhang 2021, varifocal
    count = max(1, len(batch))
    score = (F.binary_cross_entropy_with_logits(scores, wanted, reduction="none") * weight).sum() / count
    return score + 2 * (1 - giou).mean(), {"score": score, "overlap": iou.mean()}


def main():
    args = arguments(__doc__, epochs=60, batch=32, rate=3e-3)
    learn(Net(len(CLASSES)), Worlds(args.worlds, args.seed), loss_of, args)


if __name__ == "__main__":
    main()
