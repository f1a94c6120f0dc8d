#!/usr/bin/python3
"""pov judge on random scenes, against judgments drawn in numpy from nothing but the words of docs/SCENE.md and
docs/UNCERTAINTY.md: every perspective, convention and axis, cameras rolled and straight down, fronts with several modes, things
exactly across, coincident, or nearer than their noise."""
import math
import pathlib
import random
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from judged_scene import judged  # noqa: E402

QUARTER = math.pi / 2
# Quarter-turns counter-clockwise from the axis: the table of axes at the relatum (Levinson 2003; COMFORT, section 2).
OWN = {"in_front_of": 0, "left_of": 1, "behind": 2, "right_of": 3, "north_of": 0, "west_of": 1, "south_of": 2, "east_of": 3}
BY_CONVENTION = {
    None: OWN, "translated": OWN,
    "rotated": {"in_front_of": 2, "left_of": 3, "behind": 0, "right_of": 1},
    "reflected": {"in_front_of": 2, "left_of": 1, "behind": 0, "right_of": 3}}


# ---- scenes ----------------------------------------------------------------------------------------------------------

def rotation(vectors):
    """Rodrigues: (n, 3) to (n, 3, 3)"""
    angle = np.linalg.norm(vectors, axis=1)
    x, y, z = (vectors / np.where(angle > 0, angle, 1)[:, None]).T
    zero = np.zeros_like(x)
    K = np.moveaxis(np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]), 2, 0)
    return np.eye(3) + np.sin(angle)[:, None, None] * K + (1 - np.cos(angle))[:, None, None] * (K @ K)


def random_front(source, exact):
    if exact or source.random() < 0.6:
        front = {"front_deg": source.uniform(-360, 360)}
        return front if exact or source.random() < 0.4 else {**front, "front_std_deg": 10 ** source.uniform(-1, 1.5)}
    return {"front_deg": [{"deg": source.uniform(0, 360), "weight": source.uniform(0.1, 3),
                           "std_deg": 10 ** source.uniform(0, 1.3)} for _ in range(source.randint(2, 4))]}


def random_error(source):
    kind = source.random()
    if kind < 0.3:
        return {"position_std_m": 10 ** source.uniform(-3, -0.5)}
    if kind < 0.8:  # up to a hundred times longer than wide
        axes = np.array([[source.uniform(-1, 1) for _ in range(3)] for _ in range(3)])
        axes[:, 0] *= 10 ** source.uniform(-2, 0)
        cov = axes @ axes.T * 10 ** source.uniform(-5, -1)
        return {"position_cov_m2": ((cov + cov.T) / 2).tolist()}
    return {}


def random_camera(source, exact):
    camera = {"position_m": [source.uniform(-2, 2) for _ in range(2)] + [source.uniform(-1, 2)]}
    if source.random() < 0.4:
        camera["look_at_m"] = [source.uniform(-1, 1) for _ in range(3)]
    else:
        camera["rotation"] = rotation(np.array([[source.uniform(-3, 3) for _ in range(3)]]))[0].tolist()
    if not exact:
        camera.update(position_std_m=10 ** source.uniform(-3, -0.5), rotation_std_deg=10 ** source.uniform(-1, 0.7))
    return camera


def random_scene(source, exact):
    entities = []
    for i in range(source.randint(2, 4)):
        entity = {"id": f"thing{i}", "position_m": [source.uniform(-1, 1) for _ in range(3)]}
        entity.update(random_front(source, exact) if source.random() < 0.8 else {})
        entity.update({} if exact else random_error(source))
        entities.append({**entity, "addressee": source.random() < 0.5})
    return {"north_deg": source.uniform(-360, 360), "camera": random_camera(source, exact), "entities": entities}


def lattice_scene(source):
    """Whatever can coincide, line up or be exactly across does so now and then."""
    places, fronts = [-1, -0.5, 0, 0.5, 1], [0, 90, 180, 270, 360, -90, -360, 45]
    entities = []
    for i in range(source.randint(2, 4)):
        entity = {"id": f"thing{i}", "position_m": [source.choice(places), source.choice(places), 0]}
        if source.random() < 0.7:
            entity["front_deg"] = source.choice(fronts)
        if source.random() < 0.2:
            entity["position_cov_m2"] = [[0.01, 0.01, 0], [0.01, 0.01, 0], [0, 0, 0]]
        entities.append({**entity, "addressee": source.random() < 0.5})
    at = [source.choice(places), source.choice(places), source.choice([-1, 2])]
    down = source.random() < 0.4
    look_at = [at[0], at[1], -3] if down else [source.choice(places) + 0.25, source.choice(places), source.choice([0, at[2]])]
    return {"north_deg": source.choice(fronts), "camera": {"position_m": at, "look_at_m": look_at}, "entities": entities}


# ---- what holds ------------------------------------------------------------------------------------------------------

def kappa_of(std):
    """Of the von Mises distribution whose mean direction is as long as that of a normal distribution about the circle."""
    if std < 0.05:
        return 1 / std**2 + 0.5
    angle = np.linspace(-math.pi, math.pi, 4001)
    low, high = 1e-6, 1e4
    for _ in range(60):
        kappa = math.sqrt(low * high)
        weight = np.exp(kappa * (np.cos(angle) - 1))
        low, high = (kappa, high) if (weight * np.cos(angle)).sum() / weight.sum() < math.exp(-std**2 / 2) else (low, kappa)
    return kappa


class World:
    """A scene's means, and `n` draws of everything."""

    def __init__(self, scene, n, seed):
        self.n, self.random, self.north = n, np.random.default_rng(seed), math.radians(scene["north_deg"])
        self.mean, self.cov, self.drawn, self.yaw, self.yaws = {}, {}, {}, {}, {}
        for entity in scene["entities"]:
            self.place(entity["id"], entity)
            self.face(entity)
        self.place("camera", scene["camera"])
        self.point(scene["camera"])

    def place(self, name, entity):
        std = entity.get("position_std_m", 0)
        self.cov[name] = np.array(entity.get("position_cov_m2", np.eye(3) * std**2))
        self.mean[name] = np.array(entity["position_m"], float)
        size, axes = np.linalg.eigh(self.cov[name])
        self.drawn[name] = self.mean[name] + self.random.standard_normal((self.n, 3)) @ (axes * np.sqrt(np.maximum(0, size))).T

    def face(self, entity):
        front = entity.get("front_deg")
        if front is None:
            return
        modes = front if isinstance(front, list) else [{"deg": front, "std_deg": entity.get("front_std_deg", 0)}]
        weights = np.array([mode.get("weight", 1) for mode in modes])
        self.yaw[entity["id"]] = math.radians(modes[int(weights.argmax())]["deg"])
        which = self.random.choice(len(modes), size=self.n, p=weights / weights.sum())
        yaws = np.empty(self.n)
        for i, mode in enumerate(modes):
            std, its = math.radians(mode.get("std_deg", 0)), which == i
            noise = self.random.vonmises(0, kappa_of(std), its.sum()) if std > 0 else 0
            yaws[its] = math.radians(mode["deg"]) + noise
        self.yaws[entity["id"]] = yaws

    def point(self, camera):
        """Along the optical axis; within 10 degrees of straight down or up, where the image's top or bottom is."""
        R = camera.get("rotation")
        if R is None:
            axis = np.subtract(camera["look_at_m"], camera["position_m"])
            axis = axis / np.linalg.norm(axis)
            level = np.cross(axis, [0, 0, 1.0])
            if np.linalg.norm(level) < 1e-9:  # straight down: the image's top is north
                level = np.array([math.sin(self.north), -math.cos(self.north), 0])
            level = level / np.linalg.norm(level)
            R = np.stack([level, np.cross(axis, level), axis], axis=1)
        R = np.array(R)
        steep = abs(R[2, 2]) > math.cos(math.radians(10))
        ahead = R[:, 2] if not steep else -R[:, 1] if R[2, 2] < 0 else R[:, 1]
        turned = rotation(self.random.standard_normal((self.n, 3)) * math.radians(camera.get("rotation_std_deg", 0))) @ ahead
        self.yaw["camera"], self.yaws["camera"] = math.atan2(ahead[1], ahead[0]), np.arctan2(turned[:, 1], turned[:, 0])

    def line(self, start, end):
        """On the ground: the mean, the draws, and whether it is longer than its noise (None: too near to say)."""
        mean, drawn = ((self.mean[end] - self.mean[start])[:2], (self.drawn[end] - self.drawn[start])[:, :2])
        length, noise = math.hypot(*mean), math.sqrt(max(0, np.linalg.eigvalsh((self.cov[start] + self.cov[end])[:2, :2])[-1]))
        return mean, drawn, None if 0 < abs(length - noise) < 1e-3 * length else length > max(noise, 1e-9)

    def axis(self, judgment):
        """Yaw of the mean and of the draws; (None, None): there is none."""
        perspective, viewer, relatum = judgment["perspective"], judgment["viewer"], judgment["relatum"]
        if perspective == "absolute":
            return self.north, np.full(self.n, self.north)
        if judgment["axis"] == "sight_line":
            mean, drawn, apart = self.line(viewer, relatum)
            if apart:
                return math.atan2(mean[1], mean[0]), np.arctan2(drawn[:, 1], drawn[:, 0])
        who = relatum if perspective == "intrinsic" else viewer
        return self.yaw.get(who), self.yaws.get(who)

    def expect(self, judgment):
        """theta and draws of it; None: undefined."""
        mean, drawn, apart = self.line(judgment["relatum"], judgment["referent"])
        yaw, yaws = self.axis(judgment)
        if not apart or yaw is None:
            return None
        turn = BY_CONVENTION[judgment["convention"]][judgment["relation"]] * QUARTER
        return math.atan2(mean[1], mean[0]) - yaw - turn, np.arctan2(drawn[:, 1], drawn[:, 0]) - yaws - turn, math.hypot(*mean)


# ---- comparing -------------------------------------------------------------------------------------------------------

class BySampling(unittest.TestCase):
    def compare(self, scene, n, seed):
        world, compared = World(scene, n, seed), 0
        for judgment in judged(scene, "--acceptance", "hemisphere,cosine", "--frames", "sight_line,heading")["judgments"]:
            starts = [judgment["referent"], judgment["viewer"] or judgment["referent"]]
            if any(world.line(start, judgment["relatum"])[2] is None for start in starts):
                continue
            with self.subTest(judgment=judgment, scene=scene):
                self.compare_one(judgment, world.expect(judgment), n)
            compared += 1
        return compared

    def compare_one(self, judgment, expected, n):
        self.assertEqual(judgment["verdict"] == "undefined", expected is None)
        if expected is None:
            return
        theta, drawn, length = expected
        self.assertAlmostEqual(math.remainder(judgment["theta_deg"] - math.degrees(theta), 360), 0, delta=1e-6)
        inside = 90 - abs(math.degrees(math.remainder(theta, 2 * math.pi)))
        self.assertAlmostEqual(judgment["flip_angle_deg"], inside, delta=1e-6)
        self.assertAlmostEqual(judgment["flip_distance_m"], length * abs(math.cos(theta)), delta=1e-6)
        accepted = np.cos(drawn) > 1e-9  # exactly across is on neither side
        if judgment["acceptance"] == "cosine":
            held = (np.cos(drawn) + 1) / 2
        else:
            held = accepted.astype(float)
        sampling = 0.005 + 4.5 * held.std() / math.sqrt(n)
        self.assertAlmostEqual(judgment["p"], held.mean(), delta=sampling)
        self.assertAlmostEqual(judgment["p_std"], held.std(), delta=0.03 + 3 * sampling)
        share = accepted.mean()
        if 0.01 < share < 0.99:
            self.assertEqual(judgment["verdict"], "abstain")
        elif share in (0, 1) and (np.cos(drawn).std() < 1e-12 or abs(np.cos(drawn)).min() > 0.3):
            self.assertEqual(judgment["verdict"], "true" if share else "false")

    def test_without_errors_the_frames_decide(self):
        source = random.Random("exact")
        self.assertGreater(sum(self.compare(random_scene(source, True), 2, seed) for seed in range(6)), 1500)

    def test_with_errors_probabilities_are_those_of_drawn_worlds(self):
        source = random.Random("noisy")
        self.assertGreater(sum(self.compare(random_scene(source, False), 20000, seed) for seed in range(4)), 750)

    def test_where_things_coincide_or_are_exactly_across_it_says_so(self):
        source = random.Random("lattice")
        self.assertGreater(sum(self.compare(lattice_scene(source), 200, seed) for seed in range(8)), 1000)


if __name__ == "__main__":
    unittest.main()
