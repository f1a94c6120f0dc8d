#!/usr/bin/python3
"""Makes a heading network as sure as it is right, on worlds that it has not learnt from: a temperature, which goes into its
weights, and the standard deviation that its contract says.

    calibrate.py --heading /tmp/heading.pt --worlds /tmp/apart
"""
import argparse
import math
import pathlib

import torch

from evaluate import logits_of
from modes import calibrated, told
from net import Heading


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heading", type=pathlib.Path, required=True)
    parser.add_argument("--worlds", type=pathlib.Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    saved = torch.load(args.heading)
    net = Heading()
    net.load_state_dict(saved["net"])
    logits, headings, _ = logits_of(net.eval(), args.worlds)
    temperature, std_deg = calibrated(logits, headings)
    for name in ("out.weight", "out.bias"):
        saved["net"][name] /= temperature
    saved["std_deg"] = std_deg
    torch.save(saved, args.heading)
    print(f"temperature {temperature:.1f}, standard deviation {std_deg} degrees: tells "
          f"{told(logits, headings, temperature, math.radians(std_deg)):.2f} nats of {len(headings)} headings, as learnt "
          f"{told(logits, headings, 1.0, math.radians(15)):.2f}")


if __name__ == "__main__":
    main()
