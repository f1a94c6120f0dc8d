#!/usr/bin/python3
"""Who sees how much of what in pov judge, against rays drawn at random in numpy: boxes and balls in one another's way, fields of
view of both shapes, eyes beside the centre, ranges."""
import math
import pathlib
import random
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from judged_scene import judged  # noqa: E402

RAYS = 40000
AMPLE = 2 * math.pi * (1 - math.cos(math.radians(10)))  # a disc 20 degrees across is seen, whatever its share


def turn(degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def reach(entity, eye, rays):
    """The distance at which each ray meets it from outside, or infinity."""
    at, size = np.array(entity["position_m"]), np.array(entity["size_m"])
    if entity.get("shape") == "sphere":
        along = rays @ (at - eye)
        depth = along**2 - (np.dot(at - eye, at - eye) - size[0] ** 2 / 4)
        return np.where((depth > 0) & (along > 0), along - np.sqrt(np.maximum(0, depth)), np.inf)
    R = turn(entity.get("front_deg", entity.get("yaw_deg", 0)))
    with np.errstate(divide="ignore"):
        planes = (np.array([-size / 2, size / 2])[:, None] - (eye - at) @ R) / (rays @ R)
    near, far = planes.min(axis=0).max(axis=1), planes.max(axis=0).min(axis=1)
    return np.where((far > near) & (near > 0), near, np.inf)


def look(scene, viewer, target, noise):
    """(share of the target that is seen, its solid angle)"""
    R, sees = turn(viewer["front_deg"]), viewer["sees"]
    eye = np.array(viewer["position_m"]) + R @ sees.get("eye_m", [0, 0, 0])
    to = np.array(target["position_m"]) - eye
    distance, radius = np.linalg.norm(to), np.linalg.norm(target["size_m"]) / 2
    low = math.sqrt(1 - (radius / distance) ** 2)  # rays are even over the cap that the surrounding ball fills
    cosine, angle = noise.uniform(low, 1, RAYS), noise.uniform(0, 2 * math.pi, RAYS)
    aside = np.cross(to, [0, 0, 1.0])
    basis = np.stack([to / distance, aside / np.linalg.norm(aside), np.cross(to / distance, aside / np.linalg.norm(aside))])
    sine = np.sqrt(1 - cosine**2)
    rays = np.stack([cosine, sine * np.cos(angle), sine * np.sin(angle)], axis=1) @ basis
    met = reach(target, eye, rays)
    rays, met = rays[np.isfinite(met)], met[np.isfinite(met)]
    ahead, left, up = (rays @ R).T
    half = [math.radians(sees[key]) / 2 for key in ("horizontal_deg", "vertical_deg")]
    if sees.get("shape") == "frustum":
        seen = (ahead > 0) & (abs(left) <= ahead * math.tan(half[0])) & (abs(up) <= ahead * math.tan(half[1]))
    else:
        off, meridian = np.arccos(np.clip(ahead, -1, 1)), np.arctan2(up, left)
        seen = (off * np.cos(meridian) / half[0]) ** 2 + (off * np.sin(meridian) / half[1]) ** 2 <= 1
    nearest, farthest = sees.get("range_m", [0, math.inf])
    seen &= (met >= nearest) & (met <= farthest)
    for other in scene["entities"]:
        if other["id"] not in (viewer["id"], target["id"]):
            seen &= reach(other, eye, rays) > met
    return seen.mean(), len(met) / RAYS * 2 * math.pi * (1 - low)


def random_scene(source):
    entities = []
    for i in range(source.randint(2, 5)):
        entity = {"id": f"body{i}", "position_m": [source.uniform(-1, 1), source.uniform(-1, 1), source.uniform(0, 1)]}
        if source.random() < 0.4:
            entity.update(shape="sphere", size_m=[10 ** source.uniform(-1, -0.1)] * 3)
        else:
            entity.update(shape="box", yaw_deg=source.uniform(0, 360), size_m=[10 ** source.uniform(-1.2, -0.1) for _ in range(3)])
        entities.append(entity)
    where = source.uniform(0, 360)
    sees = {"horizontal_deg": source.uniform(20, 150), "vertical_deg": source.uniform(20, 120),
            "shape": source.choice(["cone", "frustum"]), "eye_m": [0.1, 0, source.uniform(0, 0.7)]}
    if source.random() < 0.3:
        sees["range_m"] = [2.5, 3.5]
    entities.append({"id": "anna", "position_m": (turn(where) @ [3, 0, source.uniform(0, 1)]).tolist(), "sees": sees,
                     "size_m": [0.3, 0.5, 1.6], "front_deg": (where + 180 + source.uniform(-40, 40)) % 360})
    return {"entities": entities}


class ByRays(unittest.TestCase):
    def test_the_visible_share_is_that_of_rays_drawn_at_random(self):
        source, noise, partly, looks = random.Random("rays"), np.random.default_rng(1), 0, 0
        for _ in range(30):
            scene = random_scene(source)
            by_id = {entity["id"]: entity for entity in scene["entities"]}
            for told in judged(scene)["visibility"]:
                share, solid_angle = look(scene, by_id[told["viewer"]], by_id[told["target"]], noise)
                with self.subTest(told=told, scene=scene):
                    self.assertAlmostEqual(told["fraction_visible"], share, delta=0.02)
                    if abs(share - 0.2) > 0.03 and abs(share * solid_angle - AMPLE) > 0.1 * AMPLE:
                        seen = share > 0.2 or share * solid_angle > AMPLE
                        self.assertEqual(told["verdict"], "true" if seen else "false")
                looks, partly = looks + 1, partly + (0.01 < share < 0.99)
        self.assertGreater(looks, 80)
        self.assertGreater(partly, 15)


if __name__ == "__main__":
    unittest.main()
