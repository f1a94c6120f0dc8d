"""Makes a drawn world less like a drawn one: other grounds, clutter, lights, sensors, crops, a mirror."""
import math

import cv2
import numpy as np

from net import TRAINED_PX

FILL = 114
SHOWN_MIN = 0.35  # of a box must be left after cropping
NOISE = np.random.default_rng(0).standard_normal(1 << 21, np.float32).astype(np.float32)
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_PLAIN, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX)


def ground(rng, size):
    """Some texture: noise of several grains, stripes or chequers, in two or three colours."""
    out = np.full((size, size, 3), rng.uniform(0, 255, 3), np.float32)
    for _ in range(rng.integers(1, 4)):
        grain = int(2 ** rng.uniform(1, 7))
        noise = rng.random((grain, max(2, int(grain * rng.uniform(.3, 3)))), np.float32) - np.float32(.5)
        if rng.random() < .3:
            noise = np.sign(noise) / 2
        colours = (noise[..., None] * rng.uniform(-110, 110, 3)).astype(np.float32)
        out += cv2.resize(colours, (size, size), interpolation=(cv2.INTER_NEAREST, cv2.INTER_CUBIC)[rng.integers(2)])
    return np.clip(out, 0, 255).astype(np.uint8)


def blob(rng, image):
    """One thing that is none: a box, a disc, a shape of some corners, a line or writing."""
    size = image.shape[0]
    kind, colour = rng.integers(5), rng.uniform(0, 255, 3).tolist()
    middle, reach = rng.uniform(0, size, 2), size * math.exp(rng.uniform(math.log(.02), math.log(.3)))
    corner = (middle + rng.uniform(-reach, reach, (int(rng.integers(3, 8)), 2))).astype(np.int32)
    if kind == 0:
        at = [int(v) for v in middle]
        axes = [max(1, int(v)) for v in reach * rng.uniform(.3, 1, 2)]
        cv2.ellipse(image, at, axes, rng.uniform(0, 180), 0, 360, colour, -1, cv2.LINE_AA)
    elif kind == 1:
        cv2.fillConvexPoly(image, cv2.convexHull(corner), colour, cv2.LINE_AA)
    elif kind == 2:
        box = (middle.tolist(), (reach * rng.uniform(.3, 2, 2)).tolist(), rng.uniform(0, 180))
        cv2.fillConvexPoly(image, cv2.boxPoints(box).astype(np.int32), colour, cv2.LINE_AA)
    elif kind == 3:
        cv2.polylines(image, [corner], bool(rng.integers(2)), colour, int(rng.integers(1, 6)), cv2.LINE_AA)
    else:
        text = "".join(map(chr, rng.integers(32, 127, int(rng.integers(2, 14)))))
        at = [int(v) for v in rng.uniform([-.1 * size, .05 * size], [.7 * size, size])]
        cv2.putText(image, text, at, FONTS[rng.integers(4)], rng.uniform(.3, 1.4), colour, int(rng.integers(1, 3)),
                    cv2.LINE_AA)


def behind(rng, image, ids):
    """Another ground, or clutter, wherever none of our things is."""
    share = rng.random()
    if share > .6:
        return image
    other = ground(rng, image.shape[0]) if share < .2 else image.copy()
    for _ in range(int(rng.integers(0, 14))):
        blob(rng, other)
    mask = cv2.GaussianBlur((ids > 0).astype(np.uint8) * 255, (3, 3), .7).astype(np.uint16)[..., None]
    return ((image * mask + other * (255 - mask)) >> 8).astype(np.uint8)


def repaint(rng, image, ids, boxes):
    """Another hue and brightness for single things."""
    for i, (x0, y0, x1, y1) in enumerate(boxes.astype(int)):
        if rng.random() < .3:
            mix = (np.eye(3) + rng.uniform(-.35, .35, (3, 3))) * rng.uniform(.6, 1.35)
            there = image[y0:y1, x0:x1]
            cv2.copyTo(cv2.transform(there, mix), (ids[y0:y1, x0:x1] == i + 1).astype(np.uint8), there)
    return image


def light(rng, image):
    size = image.shape[0]
    level = np.arange(256) / 255
    level = 255 * level ** rng.uniform(.65, 1.5)
    level = (level - 128) * rng.uniform(.65, 1.25) + 128 + rng.uniform(-30, 30)
    table = np.clip(level[:, None] * rng.uniform(.82, 1.18, 3), 0, 255).astype(np.uint8)
    image = cv2.LUT(image, table[None])
    if rng.random() < .4:  # a pool of light
        y, x = np.mgrid[0:16, 0:16] / 16
        r2 = ((x - rng.uniform(.2, .8)) ** 2 + (y - rng.uniform(.2, .8)) ** 2) / rng.uniform(.1, .8)
        pool = (rng.uniform(.35, .8) + rng.uniform(.3, .7) * np.exp(-r2)) * 128
        pool = cv2.resize(pool.clip(0, 255).astype(np.uint8), (size, size))
        image = cv2.multiply(image, cv2.merge([pool] * 3), scale=1 / 128)
    if rng.random() < .15:
        image = cv2.merge([cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)] * 3)
    return image


def sensor(rng, image):
    size = image.shape[0]
    if rng.random() < .3:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(.4, 1.6))
    if rng.random() < .25:  # seen by fewer pixels
        less = rng.uniform(.35, .9)
        image = cv2.resize(cv2.resize(image, None, fx=less, fy=less, interpolation=cv2.INTER_AREA), (size, size),
                           interpolation=cv2.INTER_CUBIC)
    if rng.random() < .5:
        start = rng.integers(len(NOISE) - image.size)
        noise = NOISE[start:start + image.size].reshape(image.shape)
        image = cv2.add(image, noise * np.float32(rng.uniform(1, 12)), dtype=cv2.CV_8U)
    if rng.random() < .3:
        image = cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 90))])[1], 1)
    return image


def warp(rng, image, boxes, headings):
    """Scale, shift, mirror; what falls outside is filled as a letterbox is. Out also: which boxes are left."""
    size = image.shape[0]
    zoom = math.exp(rng.uniform(math.log(.65), math.log(1.7))) * TRAINED_PX / size
    stretch = rng.uniform(.9, 1.1)
    sx, sy = zoom * stretch, zoom / stretch
    slack_x, slack_y = TRAINED_PX - size * sx, TRAINED_PX - size * sy
    tx, ty = rng.uniform(0, 1) * slack_x, rng.uniform(0, 1) * slack_y
    mirror = rng.random() < .5
    M = np.array([[sx, 0, tx + .5 * sx - .5], [0, sy, ty + .5 * sy - .5]])
    if zoom < .7:  # no pixel is passed over
        image = cv2.GaussianBlur(image, (0, 0), .4 / zoom)
    image = cv2.warpAffine(image, M, (TRAINED_PX, TRAINED_PX), flags=cv2.INTER_LINEAR, borderValue=(FILL,) * 3)
    boxes = boxes * [sx, sy, sx, sy] + [tx, ty, tx, ty]
    top, bottom = 0, TRAINED_PX
    if rng.random() < .25:  # bars of a letterboxed wide image
        top = int(rng.uniform(.08, .28) * TRAINED_PX)
        bottom = TRAINED_PX - top
        image[:top] = image[bottom:] = FILL
    if mirror:
        image = cv2.flip(image, 1)
        boxes = np.stack([TRAINED_PX - boxes[:, 2], boxes[:, 1], TRAINED_PX - boxes[:, 0], boxes[:, 3]], 1)
        headings = -headings
    inside = np.clip(boxes, [0, top, 0, top], [TRAINED_PX, bottom, TRAINED_PX, bottom])
    area = lambda b: np.maximum(0, b[:, 2] - b[:, 0]) * np.maximum(0, b[:, 3] - b[:, 1])
    left = area(inside) >= np.maximum(SHOWN_MIN * area(boxes), 36)
    return image, inside, headings, left


def augment(rng, image, ids, boxes, headings):
    """In: image [n, n, 3] and ids [n, n] of 8 bits; boxes [k, 4] (left, top, right, bottom); headings [k].
    Out: image of TRAINED_PX, and boxes, headings, and which of them are left."""
    image = light(rng, repaint(rng, behind(rng, np.array(image), ids), ids, boxes))
    image, boxes, headings, left = warp(rng, image, boxes, headings)
    return sensor(rng, image), boxes, headings, left
