#!/usr/bin/python3
"""pov judge --relations all on random scenes of boxes without errors, against a second implementation of docs/RELATIONS.md's
words. What lies within a threshold's softness is left out: there both may be right."""
import collections
import math
import pathlib
import random
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from judged_scene import judged  # noqa: E402

AXES = {"translated": (90, 180), "rotated": (-90, 0), "reflected": (90, 0)}  # left, back: degrees from the sight line


# ---- boxes -----------------------------------------------------------------------------------------------------------

class Box:
    def __init__(self, entity):
        self.at, self.size = np.array(entity["position_m"]), np.array(entity["size_m"])
        self.front = entity.get("front_deg")
        self.yaw = entity.get("yaw_deg", 0) if self.front is None else self.front
        self.low, self.high = self.at[2] - self.size[2] / 2, self.at[2] + self.size[2] / 2
        c, s = math.cos(math.radians(self.yaw)), math.sin(math.radians(self.yaw))
        corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * self.size[:2] / 2
        self.outline = corners @ np.array([[c, s], [-s, c]]) + self.at[:2]
        self.diagonal, self.ground, self.volume = np.linalg.norm(self.size), self.size[0] * self.size[1], self.size.prod()

    def main_axis(self):
        """Degrees, "up", or None: none stands out; "?": too near to say."""
        if self.front is not None:
            return self.front
        order = np.argsort(-self.size)
        elongation = self.size[order[0]] / self.size[order[1]]
        if abs(elongation / 1.2 - 1) < 0.05:
            return "?"
        return None if elongation < 1.2 else (self.yaw, self.yaw + 90, "up")[order[0]]


def area(polygon):
    x, y = np.array(polygon).T if len(polygon) else (np.zeros(1), np.zeros(1))
    return abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def intersection(polygon, by):
    """Sutherland & Hodgman 1974."""
    for a, b in zip(by, np.roll(by, -1, axis=0)):
        side = [(b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) for p in polygon]
        kept = []
        for i, p in enumerate(polygon):
            following, f, g = polygon[(i + 1) % len(polygon)], side[i], side[(i + 1) % len(polygon)]
            kept += [p] if f >= 0 else []
            kept += [p + f / (f - g) * (following - p)] if f * g < 0 else []
        polygon = kept
    return polygon


def to_segment(point, a, b):
    along = np.clip(np.dot(point - a, b - a) / np.dot(b - a, b - a), 0, 1)
    return np.linalg.norm(point - a - along * (b - a))


def to_outline(point, outline):
    turns = [np.cross(b - a, point - a) for a, b in zip(outline, np.roll(outline, -1, axis=0))]
    if min(turns) >= 0:
        return 0.0
    return min(to_segment(point, a, b) for a, b in zip(outline, np.roll(outline, -1, axis=0)))


def between_outlines(one, other):
    """The shortest vector from the other to the one, of outlines that lie apart."""
    steps = []
    for points, outline, sign in ((one, other, 1), (other, one, -1)):
        for p in points:
            for a, b in zip(outline, np.roll(outline, -1, axis=0)):
                along = np.clip(np.dot(p - a, b - a) / np.dot(b - a, b - a), 0, 1)
                steps.append(sign * (p - a - along * (b - a)))
    return min(steps, key=np.linalg.norm)


def extent(outline, degrees):
    """(lowest, highest) along a direction."""
    along = outline @ np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))])
    return along.min(), along.max()


def abreast(one, other, degrees):
    """Of the shorter of two extents, the share that both have."""
    (a, b), (c, d) = extent(one, degrees), extent(other, degrees)
    return max(0, min(b, d) - max(a, c)) / min(b - a, d - c)


# ---- truth values: True, False, or None where softness leaves it open ------------------------------------------------

def below(value, threshold, softness):
    return None if abs(value - threshold) <= softness else bool(value < threshold)


def above(value, threshold, softness):
    return negated(below(value, threshold, softness))


def negated(truth):
    return None if truth is None else not truth


def both(*truths):
    return False if any(t is False for t in truths) else None if None in truths else True


def either(*truths):
    return negated(both(*map(negated, truths)))


def turned(degrees):
    return abs(math.remainder(degrees, 360))


def yaw_deg(vector):
    return math.degrees(math.atan2(vector[1], vector[0]))


def faces(one, other, back=0):
    """The front meets the other's outline, or its centre and the middle of what it takes up are within 45 degrees."""
    distance = to_outline(one.at[:2], other.outline)
    centre = yaw_deg(other.at - one.at)
    sides = [math.remainder(yaw_deg(corner - one.at[:2]) - centre, 360) for corner in other.outline]
    off = math.remainder(one.front + back - centre, 360)
    middle, half = (max(sides) + min(sides)) / 2, (max(sides) - min(sides)) / 2
    ahead = both(below(turned(off), 45, 11), below(turned(off - middle), 45, 11))
    return both(above(distance / one.diagonal, 0.05, 0.051), either(ahead, below(turned(off - middle) - half, 0, 5.5)))


class Pair:
    def __init__(self, a, b):
        self.a, self.b, self.size = a, b, (a.diagonal + b.diagonal) / 2
        self.overlap = area(intersection(list(a.outline), b.outline))
        self.step = np.zeros(2) if self.overlap > 0 else between_outlines(a.outline, b.outline)
        self.ground_gap = np.linalg.norm(self.step)
        self.gap = math.hypot(self.ground_gap, max(0, a.low - b.high, b.low - a.high))
        self.share = self.overlap / min(a.ground, b.ground)
        self.level_m = min(a.high, b.high) - max(a.low, b.low)
        self.apart = True if self.overlap == 0 else None if self.share < 0.8 else False
        self.touching = below(self.gap, 0.01, 0.0052)

    def within(self, ratio):
        return below(self.gap / self.size, ratio, 0.21 * ratio)

    def next_to(self):
        level = above(self.level_m / min(self.a.size[2], self.b.size[2]), 0.5, 0.27)
        return both(below(self.ground_gap / self.size, 1, 0.21), level, self.apart)

    def beside(self):
        if self.b.front is None:
            return self.next_to()
        across, along = (abreast(self.a.outline, self.b.outline, self.b.front + turn) for turn in (90, 0))
        return both(self.next_to(), negated(both(above(across, 0.5, 0.27), below(along, 0.5, 0.27))))

    def overlapping(self, height):
        return both(height, above(self.share, 0.5, 0.26))

    def narrower(self, inner, outer):
        own, others = self.overlap / inner.ground, self.overlap / outer.ground
        return both(above(own, 0.5, 0.26), above(own - others, 0, 0.052))

    def on_top(self, upper, lower):
        depth = lower.high - upper.low
        sunk = both(below(depth / upper.size[2], 0.25, 0.11), self.narrower(upper, lower))
        level = both(above(depth, -0.01, 0.0052), either(below(depth, 0.01, 0.0052), sunk))
        return both(self.touching, self.overlapping(level))

    def on(self, upper, lower):
        """None where it may be flat on the other's side."""
        may_hang = self.touching is not False and upper.low > lower.low and self.overlap < upper.ground
        return either(self.on_top(upper, lower), None if may_hang else False)

    def held(self, inner, outer):
        depth, raised = outer.high - inner.low, (inner.low - outer.low) / outer.size[2]
        reaches = both(above(depth / inner.size[2], 0.25, 0.11), above(raised, -0.05, 0.031))
        deep = both(above(raised, 0.05, 0.031), above(depth / outer.size[2], 0.5, 0.26), self.overlapping(True))
        return both(reaches, either(self.narrower(inner, outer), deep))

    def over(self, upper, lower):
        return self.overlapping(above(upper.at[2], lower.high, 0.03 * self.size))

    def above(self, upper, lower):
        """Clear of its top as a whole, so that it does not matter from where on the upper one the cone is looked at."""
        if upper.low < lower.high:
            return False if upper.at[2] < lower.high - 0.03 * self.size else None
        tilts = [math.degrees(math.atan2(to_outline(p, lower.outline), upper.at[2] - lower.high))
                 for p in [upper.at[:2], *upper.outline]]
        return both(*(below(tilt, 45, 11) for tilt in tilts)) or negated(
            both(*(above(tilt, 45, 11) for tilt in tilts)) or None)

    def inside(self, inner, outer):
        if self.gap > 0:
            return False
        volume = self.overlap * max(0, self.level_m) / inner.volume
        holds = both(self.held(outer, inner), below(volume, 0.9, 0.11))
        return both(either(above(volume, 0.5, 0.26), self.held(inner, outer)), negated(holds))

    def enclosed(self, inner):
        level_m = max(0, self.level_m)
        level = above(level_m / min(self.a.size[2], self.b.size[2]), 0.5, 0.27)
        return both(above(self.overlap / inner.ground, 0.9, 0.11), level, above(level_m / inner.size[2], 0.1, 0.06))

    def opposite(self):
        fronts = [faces(one, other) for one, other in ((self.a, self.b), (self.b, self.a)) if one.front is not None]
        return both(self.apart, *fronts) if fronts else None

    def across_axes(self, low, high):
        axes = self.a.main_axis(), self.b.main_axis()
        if "?" in axes or None in axes:
            return None
        angle = (0 if axes[0] == axes[1] else 90) if "up" in axes else turned(axes[0] - axes[1])
        angle = min(angle, 180 - angle)
        return both(above(angle, low, 5.5), below(angle, high, 5.5))

    def relations(self):
        a, b, touching, on = self.a, self.b, self.touching, self.on(self.a, self.b)
        resting = either(self.on_top(a, b), self.on_top(b, a))
        higher = above(a.at[2] - b.at[2], 0, 0.1 * self.size)
        bigger = above(math.log(a.volume / b.volume), 0, 0.25)
        taller = above(math.log(a.size[2] / b.size[2]), 0, 0.1)
        congruent = below(max(abs(np.log(np.sort(a.size) / np.sort(b.size)))), 0.1, 0.06)
        truths = {
            "far_from": above(self.gap / self.size, 2, 0.42), "far_away_from": above(self.gap / self.size, 4.2, 0.9),
            "detached_from": negated(touching), "against": both(self.next_to(), touching),
            "off": negated(on), "supports": self.on(b, a), "over": self.over(a, b), "above": self.above(a, b),
            "below": self.above(b, a), "higher_than": higher, "lower_than": negated(higher), "bigger_than": bigger,
            "smaller_than": negated(bigger), "taller_than": taller, "shorter_than": negated(taller), "congruent": congruent,
            "contains": self.inside(b, a), "enclosed_by": self.enclosed(a),
            "surrounding": self.enclosed(b), "opposite_to": self.opposite(), "across_from": self.opposite(),
            "parallel_to": self.across_axes(-90, 22.5), "perpendicular_to": self.across_axes(67.5, 180)}
        truths.update(touching=touching, beside=self.beside(), next_to=self.next_to(), on=on, on_top_of=self.on_top(a, b))
        for names, truth in ((("near", "by", "close_to", "with"), self.within(1.17)), (("adjacent_to", "at"), self.within(0.42)),
                             (("connected_to", "attached_to"), both(touching, negated(resting))),
                             (("under", "beneath"), self.over(b, a)), (("in", "inside"), self.inside(a, b)),
                             (("outside", "out_of"), negated(self.inside(a, b)))):
            truths.update(dict.fromkeys(names, truth))
        if a.front is not None:
            truths.update(facing=faces(a, b), facing_away_from=faces(a, b, 180))
        return truths

    def for_camera(self, eye, convention):
        ahead = yaw_deg(self.b.at - eye)

        step = self.step if self.ground_gap > 0 else (self.a.at - self.b.at)[:2]

        def within_cone(degrees):
            return below(turned(yaw_deg(step) - ahead - degrees), 45, 11)
        if convention is None:
            return {"beyond": both(within_cone(0), self.apart)}
        left, back = AXES[convention]
        near, at_left, at_right = self.within(1.17), within_cone(left), within_cone(-left)
        return {"at_the_left_side_of": both(near, at_left), "at_the_right_side_of": both(near, at_right),
                "at_the_side_of": both(near, either(at_left, at_right)), "at_the_back_of": both(near, within_cone(back))}


# ---- scenes ----------------------------------------------------------------------------------------------------------

def random_box(source, others, scale):
    size = [scale * 10 ** source.uniform(-0.7, 0.3) for _ in range(3)]
    kind, base = source.random(), others and source.choice(others)
    if base and kind < 0.3:  # on top, or a little or far over it
        lift = (base["size_m"][2] + size[2]) / 2 + source.choice([0, 0, 0.001, 0.03, 0.3])
        shift = [source.uniform(-0.6, 0.6) * side for side in base["size_m"][:2]] + [lift]
    elif base and kind < 0.55:  # in, or around
        size = [side * 10 ** source.uniform(-1.2, 0.1) for side in base["size_m"]]
        shift = [source.uniform(-0.45, 0.45) * side for side in base["size_m"]]
    else:
        base, shift = {"position_m": [0, 0, 0]}, [scale * source.uniform(-2, 2) * source.choice([1, 1, 3]) for _ in range(2)]
        shift.append(scale * source.choice([0, 0.3, 1]))
    facing = source.choice(["front_deg", "front_deg", "yaw_deg"])
    return {"position_m": [p + d for p, d in zip(base["position_m"], shift)], "size_m": size, facing: source.uniform(0, 360)}


def random_scene(source):
    scale, entities = 10 ** source.uniform(-1, 0.5), []
    for i in range(source.randint(2, 4)):
        entities.append({"id": f"box{i}", **random_box(source, entities, scale)})
    eye = [scale * source.uniform(-5, 5), scale * source.uniform(-5, 5), scale * source.uniform(0, 3)]
    return {"entities": entities, "camera": {"position_m": eye, "look_at_m": [0.01, 0, 0.01]}}


class ByBoxes(unittest.TestCase):
    def test_relations_hold_where_their_words_say(self):
        source, seen = random.Random("boxes"), collections.Counter()
        for _ in range(24):
            scene = random_scene(source)
            boxes, eye = {e["id"]: Box(e) for e in scene["entities"]}, np.array(scene["camera"]["position_m"])
            pairs = {(a, b): Pair(boxes[a], boxes[b]) for a in boxes for b in boxes if a != b}
            own = {names: pair.relations() for names, pair in pairs.items()}
            for told in judged(scene, "--relations", "all", "--frames",
                               "egocentric,sight_line,translated,rotated,reflected")["relations"]:
                names, relation = (told["referent"], told["relatum"]), told["relation"]
                if len(told["relata"]) > 1 or names not in pairs:
                    continue
                expected = {**own[names], **pairs[names].for_camera(eye, told["convention"])}.get(relation)
                if expected is None:
                    continue
                self.assertEqual(told["verdict"], "true" if expected else "false", (told, scene))
                seen[relation, expected] += 1
        once = {relation for relation, _ in seen}
        self.assertGreater(len(once), 38)
        self.assertGreater(sum(seen.values()), 4000)
        self.assertGreater(len([1 for key in seen if key[1]]), 34, "hardly any holds")


if __name__ == "__main__":
    unittest.main()
