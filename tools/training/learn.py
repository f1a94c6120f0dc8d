"""The loop of learning that both networks go through: one thread learns while another draws the next images."""
import argparse
import copy
import math
import os
import pathlib
import time

import cv2
import torch

WARM_UP, RATE_LAST, KEEP_MOST, DECAY, STEEPEST = 0.04, 0.01, 0.9985, 0.03, 10.0
SAID_EVERY = 20


def arguments(description, epochs, batch, rate):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--epochs", type=int, default=epochs)
    parser.add_argument("--minutes", type=float, default=math.inf, help="end by then, however few the epochs")
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=rate, help="the highest rate of learning")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    return args


def rate_share(done):
    """Of the highest rate: warming up, then half a cosine."""
    if done < WARM_UP:
        return done / WARM_UP
    return RATE_LAST + (1 - RATE_LAST) * (1 + math.cos(math.pi * (done - WARM_UP) / (1 - WARM_UP))) / 2


def multiplies_bfloat():
    """Whether the CPU has AMX, with which bfloat16 is three times as fast."""
    flags = pathlib.Path("/proc/cpuinfo")
    return flags.exists() and "amx_bf16" in flags.read_text()


class Learning:
    """A network, the mean of its last weights, which is what is used, and how far it is."""

    def __init__(self, net, path, rate):
        self.net, self.path, self.rate = net.train().to(memory_format=torch.channels_last), path, rate
        self.mean = copy.deepcopy(self.net).eval()
        wide, single = ([p for p in net.parameters() if (p.ndim > 1) == many] for many in (True, False))
        self.optimizer = torch.optim.AdamW([{"params": wide, "weight_decay": DECAY},
                                            {"params": single, "weight_decay": 0.0}], rate)
        self.epoch = self.step = 0
        self.started = time.time()
        if path.exists():
            old = torch.load(path)
            self.net.load_state_dict(old["learning"])
            self.mean.load_state_dict(old["net"])
            self.optimizer.load_state_dict(old["optimizer"])
            self.epoch, self.step, self.started = old["epoch"] + 1, old["step"], time.time() - old["seconds"]

    def seconds(self):
        return time.time() - self.started

    def learn(self, loss, done):
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * rate_share(done)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), STEEPEST)
        self.optimizer.step()
        self.step += 1
        keep = min(KEEP_MOST, self.step / (self.step + 20))
        for mean, new in zip(self.mean.state_dict().values(), self.net.state_dict().values()):
            mean.copy_(new if not mean.is_floating_point() else keep * mean + (1 - keep) * new)

    def save(self, finished):
        what = {"net": self.mean.state_dict(), "epoch": self.epoch, "step": self.step, "seconds": self.seconds()}
        if not finished:
            what |= {"learning": self.net.state_dict(), "optimizer": self.optimizer.state_dict()}
        part = self.path.with_suffix(".part")
        torch.save(what, part)
        os.replace(part, self.path)


def learn(net, data, loss_of, args):
    """data: (image of 8 bits, truth), with an `epoch` to set; loss_of(net, what it gives, truth): the loss, and its parts.
    What was broken off goes on where its last epoch ended; what is finished stays."""
    if args.out.exists() and "optimizer" not in torch.load(args.out):
        print(f"{args.out} is finished; without it, it would be learnt anew")
        return
    state, bfloat = Learning(net, args.out, args.rate), multiplies_bfloat()
    steps = args.epochs * (len(data) // args.batch)
    print(f"{sum(p.numel() for p in net.parameters())} weights, {len(data)} images, from epoch {state.epoch}", flush=True)
    done = 0
    while done < 1:
        data.epoch = state.epoch
        order = torch.Generator().manual_seed(args.seed * 1000 + state.epoch)
        for image, truth in torch.utils.data.DataLoader(data, args.batch, shuffle=True, num_workers=1, drop_last=True,
                                                        generator=order):
            done = max(state.step / steps, state.seconds() / 60 / args.minutes)
            if done >= 1:
                break
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bfloat):
                given = net(image.to(memory_format=torch.channels_last).float() / 255)
            loss, parts = loss_of(net, given, truth)
            state.learn(loss, done)
            if state.step % SAID_EVERY == 0:
                print(f"epoch {state.epoch} step {state.step}, {100 * done:.1f} %, {state.seconds():.0f} s: loss",
                      f"{loss.item():.3f}", *(f"{name} {part.item():.3f}" for name, part in parts.items()), flush=True)
        state.save(done >= 1)
        state.epoch += 1
