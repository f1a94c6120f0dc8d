"""Jars, cups and tomatoes that look nearly the same from all around, drawn as they turn: lathed bodies with a label, spots or faint
stains, side on, 32 x 32 pixels. The camera's noise, a lamp that flickers, a table that turns by a tenth of a degree too much or too
little, and the picture cut to the body and stretched in contrast, as in published sets of turned objects."""
import cv2
import numpy as np

SIDE_PX, DRAWN_PX = 32, 128
TEXTURE_PX = 96, 768  # height, once round
BODIES = ["jar", "cup", "bottle", "tomato"]
MARKS = ["label", "spots", "stains"]


def radius(body, height):
    """Of the profile at heights 0 (the foot) to 1."""
    return {"jar": np.where(height > 0.75, 0.36, 0.40),
            "cup": 0.28 + 0.12 * height,
            "bottle": np.interp(height, [0, 0.05, 0.6, 0.72, 0.95, 1], [0.24, 0.27, 0.27, 0.12, 0.11, 0.11]),
            "tomato": 0.5 * np.sqrt(np.clip(1 - (2 * height - 1) ** 2, 0, 1))}[body]


def smooth(noise, sigma_px):
    wrapped = np.concatenate([noise] * 3, 1)
    return cv2.GaussianBlur(wrapped, (0, 0), sigma_px)[:, noise.shape[1]:2 * noise.shape[1]]


def label(random, texture):
    """Bars such as letters are at this size, over a part of the turn."""
    high, wide = TEXTURE_PX
    contrast, at = random.uniform(30, 80) * random.choice([-1, 1]), int(random.integers(wide))
    top, bottom = sorted(random.integers(10, 80, 2) + [0, 10])
    x, end = 0, random.integers(100, 400)
    while x < end:
        letter = random.integers(4, 14)
        columns = (at + x + np.arange(max(2, letter // 2))) % wide
        texture[top + random.integers(3):bottom - random.integers(3), columns] += contrast * random.uniform(0.6, 1)
        x += letter


def spots(random, texture):
    high, wide = TEXTURE_PX
    rows, columns = np.mgrid[:high, :wide]
    for _ in range(random.integers(3, 12)):
        beside = np.abs(columns - random.integers(wide))
        away = np.hypot(np.minimum(beside, wide - beside), 2 * (rows - random.integers(5, high - 5)))
        texture[away < random.integers(4, 20)] += random.uniform(-60, 60)


def stains(random, texture):
    noise = smooth(random.normal(size=TEXTURE_PX), random.uniform(4, 12))
    texture += noise / noise.std() * random.uniform(4, 9)


def paint(random, marks):
    texture = np.full(TEXTURE_PX, random.uniform(70, 160))
    for _ in range(random.integers(4)):
        top = random.integers(TEXTURE_PX[0])
        texture[top:top + random.integers(3, 15)] = random.uniform(40, 210)
    {"label": label, "spots": spots, "stains": stains}[marks](random, texture)
    return np.clip(texture, 8, 245).astype(np.float32)


def draw(random, body, texture, lamp, angle_rad):
    across, up = np.meshgrid((np.arange(DRAWN_PX) + 0.5) / DRAWN_PX - 0.5, 1 - (np.arange(DRAWN_PX) + 0.5) / DRAWN_PX)
    beside = across / np.maximum(radius(body, up), 1e-6)
    seen = np.abs(beside) < 1
    bearing = np.arcsin(np.clip(beside, -1, 1))
    columns = ((bearing - angle_rad) / (2 * np.pi) % 1 * TEXTURE_PX[1]).astype(np.float32)
    light = cv2.remap(np.concatenate([texture, texture[:, :1]], 1), columns, ((1 - up) * (TEXTURE_PX[0] - 1)).astype(np.float32),
                      cv2.INTER_LINEAR)
    light = light * (0.25 + 0.75 * np.clip(np.cos(bearing - lamp["at_rad"]), 0, 1))
    light += 255 * lamp["gloss"] * np.clip(np.cos(bearing - lamp["at_rad"] / 2), 0, 1) ** 30
    light = np.where(seen, light, 0) * (1 + random.normal(0, lamp["flicker"])) + random.normal(0, lamp["noise"], light.shape)
    if lamp["stretched"]:
        light *= 255 / light.max()
    small = cv2.resize(np.rint(np.clip(light, 0, 255)), (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA)
    return np.rint(small).astype(np.uint8)


def turn(seed):
    """(name, {angle in degrees: image}) all around, 5 degrees apart."""
    random = np.random.default_rng(seed)
    body, marks = BODIES[seed % len(BODIES)], MARKS[seed // len(BODIES) % len(MARKS)]
    lamp = {"at_rad": random.uniform(-0.9, 0.9), "gloss": random.uniform(0, 0.3), "noise": random.uniform(2, 6),
            "flicker": random.choice([0, 0.005, 0.01]), "stretched": random.random() < 0.5}
    texture = paint(random, marks)
    images = {angle_deg: draw(random, body, texture, lamp, np.radians(angle_deg + random.normal(0, 0.1)))
              for angle_deg in range(0, 360, 5)}
    return f"{body} with {marks}", images
