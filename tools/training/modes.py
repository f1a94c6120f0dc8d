"""What `pov` makes of bins of heading: each peak is a mode, its width from the bins about it; and how honest that is."""
import math

import numpy as np

from net import BINS

MODES_MAX = 4
CENTRES = np.arange(BINS) * 2 * math.pi / BINS


def softmax(logits, temperature=1.0):
    e = np.exp((logits - logits.max(-1, keepdims=True)) / temperature)
    return e / e.sum(-1, keepdims=True)


def peak_of(p, i):
    for _ in range(BINS):
        left, right = (i - 1) % BINS, (i + 1) % BINS
        best = max((i, left, right), key=lambda k: p[k])
        if best == i or p[best] <= p[i]:
            return i
        i = best
    return i


def modes_of(p, std_rad):
    """[(weight, angle, standard deviation)], the heaviest first, at most four."""
    bundles = {}
    for i in range(BINS):
        bundles.setdefault(peak_of(p, i), []).append(i)
    out = []
    for bins in bundles.values():
        weight = p[bins].sum()
        vector = (p[bins] * np.exp(1j * CENTRES[bins])).sum()
        length = min(1, abs(vector) / max(weight, 1e-12))
        variance = -2 * math.log(max(length, 1e-9)) + (2 * math.pi / BINS) ** 2 / 12 + std_rad ** 2
        out.append((weight, float(np.angle(vector)), math.sqrt(variance)))
    return sorted(out, reverse=True)[:MODES_MAX]


def density(modes, heading):
    """Of a heading, per radian; what the modes leave out may point anywhere."""
    total = (1 - sum(weight for weight, _, _ in modes)) / (2 * math.pi)
    for weight, angle, std in modes:
        off = math.remainder(heading - angle, 2 * math.pi) + 2 * math.pi * np.arange(-2, 3)
        total += weight * float(np.exp(-0.5 * (off / std) ** 2).sum()) / (std * math.sqrt(2 * math.pi))
    return max(total, 1e-12)


def told(logits, headings, temperature, std_rad):
    """Mean gain in nats over telling nothing."""
    p = softmax(logits, temperature)
    return float(np.mean([math.log(2 * math.pi * density(modes_of(row, std_rad), h)) for row, h in zip(p, headings)]))


def calibrated(logits, headings):
    """The temperature and the standard deviation, in whole degrees, that tell most."""
    return max(((t, s) for t in np.arange(0.6, 3.01, 0.2) for s in (4, 8, 12, 16)),
               key=lambda ts: told(logits, headings, ts[0], math.radians(ts[1])))
