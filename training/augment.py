"""Makes a drawn world less like a drawn one: other grounds, lights, lenses, sensors, crops, a mirror."""
import math

import cv2
import numpy as np

from net import TRAINED_PX

FILL = 114
SHOWN_MIN = 0.35  # of a box must be left after cropping


def ground(rng, size):
    """Some texture: noise of several grains, stripes or chequers, in two or three colours."""
    out = np.zeros((size, size, 3), np.float32) + rng.uniform(0, 255, 3)
    for _ in range(rng.integers(1, 4)):
        grain = int(2 ** rng.uniform(1, 7))
        noise = cv2.resize(rng.uniform(0, 1, (grain, max(2, int(grain * rng.uniform(.3, 3))))).astype(np.float32),
                           (size, size), interpolation=int(rng.choice([cv2.INTER_NEAREST, cv2.INTER_CUBIC])))
        if rng.random() < .3:
            noise = (noise > .5).astype(np.float32)
        out += (noise[..., None] - .5) * rng.uniform(-110, 110, 3)
    return np.clip(out, 0, 255)


def repaint(rng, image, ids):
    """Another hue and brightness for single things."""
    out = image
    for i in range(1, int(ids.max(initial=0)) + 1):
        if rng.random() < .3:
            mix = np.eye(3) + rng.uniform(-.35, .35, (3, 3))
            mask = ids == i
            out[mask] = np.clip(out[mask] @ mix.T.astype(np.float32) * rng.uniform(.6, 1.35), 0, 255)
    return out


def light(rng, image):
    size = image.shape[0]
    if rng.random() < .4:  # a pool of light
        y, x = np.mgrid[0:size, 0:size].astype(np.float32) / size
        r2 = ((x - rng.uniform(.2, .8)) ** 2 + (y - rng.uniform(.2, .8)) ** 2) / rng.uniform(.1, .8)
        image = image * (rng.uniform(.35, .8) + rng.uniform(.3, .7) * np.exp(-r2))[..., None]
    image = 255 * (np.clip(image, 0, 255) / 255) ** rng.uniform(.6, 1.7)
    image = (image - 128) * rng.uniform(.6, 1.25) + 128 + rng.uniform(-35, 35)
    image = image * rng.uniform(.82, 1.18, 3).astype(np.float32)
    if rng.random() < .15:
        image = image.mean(2, keepdims=True).repeat(3, 2)
    return image


def sensor(rng, image):
    image = np.clip(image, 0, 255).astype(np.float32)
    if rng.random() < .3:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(.4, 1.6))
    if rng.random() < .25:  # seen by fewer pixels
        size, less = image.shape[0], rng.uniform(.35, .9)
        image = cv2.resize(cv2.resize(image, None, fx=less, fy=less, interpolation=cv2.INTER_AREA), (size, size),
                           interpolation=cv2.INTER_CUBIC)
    if rng.random() < .5:
        image = image + rng.normal(0, rng.uniform(1, 12), image.shape)
    image = np.clip(image, 0, 255).astype(np.uint8)
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
    image = cv2.warpAffine(image, M, (TRAINED_PX, TRAINED_PX), flags=cv2.INTER_AREA if zoom < 1 else cv2.INTER_LINEAR,
                           borderValue=(FILL,) * 3)
    boxes = boxes * [sx, sy, sx, sy] + [tx, ty, tx, ty]
    top, bottom = 0, TRAINED_PX
    if rng.random() < .3:  # bars of a letterboxed wide image
        top = int(rng.uniform(20, 60))
        bottom = TRAINED_PX - top
        image[:top] = image[bottom:] = FILL
    if mirror:
        image = np.ascontiguousarray(image[:, ::-1])
        boxes = np.stack([TRAINED_PX - boxes[:, 2], boxes[:, 1], TRAINED_PX - boxes[:, 0], boxes[:, 3]], 1)
        headings = -headings
    inside = np.clip(boxes, [0, top, 0, top], [TRAINED_PX, bottom, TRAINED_PX, bottom])
    area = lambda b: np.maximum(0, b[:, 2] - b[:, 0]) * np.maximum(0, b[:, 3] - b[:, 1])
    left = area(inside) >= np.maximum(SHOWN_MIN * area(boxes), 20)
    return image, inside, headings, left


def augment(rng, image, ids, boxes, headings):
    """In: image [n, n, 3] and ids [n, n] of 8 bits; boxes [k, 4] (left, top, right, bottom); headings [k].
    Out: image of TRAINED_PX, and boxes, headings, and which of them are left."""
    image = image.astype(np.float32)
    if rng.random() < .35:
        mask = cv2.GaussianBlur((ids > 0).astype(np.float32), (0, 0), .7)[..., None]
        image = image * mask + ground(rng, image.shape[0]) * (1 - mask)
    image = light(rng, repaint(rng, image, ids))
    image, boxes, headings, left = warp(rng, np.clip(image, 0, 255), boxes, headings)
    return sensor(rng, image), boxes, headings, left
