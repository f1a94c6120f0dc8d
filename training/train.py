#!/usr/bin/python3
"""Trains the network on worlds that worlds.py drew, and writes its weights (a PyTorch file; export.py makes the ONNX).

    train.py --worlds /tmp/worlds ... --out /tmp/net.pt --epochs 38 --seed 1
"""
import argparse
import copy
import json
import math
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F

from augment import augment
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


def loss_of(net, image, target):
    corners, scores = net(image)
    which = assign(net, target)
    found = which >= 0
    batch, place = found.nonzero(as_tuple=True)
    thing = target[batch, which[batch, place]]
    giou, iou = overlap(corners[batch, :, place], thing[:, :4])
    wanted = torch.zeros_like(scores)
    wanted[batch, thing[:, 4].long(), place] = iou.detach().clamp(0.3, 1)
    p = scores.sigmoid().detach()
    weight = torch.where(wanted > 0, wanted, 0.75 * p.square())  # Zhang 2021, varifocal
    count = max(1, len(batch))
    score = (F.binary_cross_entropy_with_logits(scores, wanted, reduction="none") * weight).sum() / count
    return score + 2 * (1 - giou).mean(), (score, 1 - iou.mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--epochs", type=int, default=38)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=3e-3, help="the highest rate of learning")
    parser.add_argument("--start", type=pathlib.Path, help="weights to start from")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # the other core draws the next images
    worlds = Worlds(args.worlds, args.seed)
    net = Net(len(CLASSES)).train().to(memory_format=torch.channels_last)
    if args.start:
        net.load_state_dict(torch.load(args.start)["net"])
    kept = copy.deepcopy(net).eval()
    print(f"{sum(p.numel() for p in net.parameters())} weights, {len(worlds)} worlds", flush=True)
    steps = args.epochs * (len(worlds) // args.batch)
    optimizer = torch.optim.AdamW(net.parameters(), args.rate, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.rate, total_steps=steps, pct_start=0.08)
    step, started = 0, time.time()
    for epoch in range(args.epochs):
        worlds.epoch = epoch
        order = torch.Generator().manual_seed(args.seed * 1000 + epoch)
        loader = torch.utils.data.DataLoader(worlds, args.batch, shuffle=True, num_workers=1, drop_last=True,
                                             generator=order)
        for image, target in loader:
            loss, parts = loss_of(net, image.to(memory_format=torch.channels_last).float() / 255, target)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 5)
            optimizer.step()
            schedule.step()
            step += 1
            keep = min(0.998, step / (step + 20))
            for a, b in zip(kept.state_dict().values(), net.state_dict().values()):
                a.copy_(b if not a.is_floating_point() else keep * a + (1 - keep) * b)
            if step % 20 == 0:
                print(f"epoch {epoch} step {step} of {steps}: loss {loss.item():.3f}, score, box",
                      *(f"{part.item():.3f}" for part in parts), f"{time.time() - started:.0f} s", flush=True)
        torch.save({"net": kept.state_dict(), "classes": CLASSES, "epoch": epoch}, args.out)


if __name__ == "__main__":
    main()
