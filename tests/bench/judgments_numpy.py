#!/usr/bin/env python3
"""The four projective and four cardinal relations between entities, judged in plain Python and in numpy: what
perception/relations/relation.c is measured against and checked with. Independent of it: uncertain sight lines by Gauss-Hermite
quadrature over the sight line and the normal distribution over the rest, headings by quadrature over the circle.

judgments_numpy.py SCENES.json reads commands from stdin, one a line, and answers each with one line when it is done:
  loop exact | loop uncertain | batch exact | batch uncertain    judge all scenes
  write FILE                                                     theta, theta_std, p, p_internal of the last, as 64-bit
                                                                 floats
"""
import json
import math
import sys

import numpy as np
from scipy.special import i0e, i1e, ndtr

MARGIN = 0.49865
OWN_QUARTER = [1, 3, 0, 2]  # left, right, front, behind: quarter-turns counter-clockwise from the axis
CARDINAL_QUARTER = [0, 3, 2, 1]  # north, east, south, west
CONVENTIONS = [lambda q: q, lambda q: (q + 2) % 4, lambda q: (6 - q) % 4]  # translated, rotated, reflected
HERMITE = 9
CIRCLE = 128


def hermite():
    nodes, weights = np.polynomial.hermite_e.hermegauss(HERMITE)
    return nodes, weights / weights.sum()


# ---- plain Python ----------------------------------------------------------------------------------------------------

def wrap(angle):
    return math.remainder(angle, 2 * math.pi)


def von_mises_variance(kappa):
    """Of the wrapped normal distribution as wide as it, at most that of an angle that may be any."""
    narrow = (1 + 0.5 / np.maximum(kappa, 1)) / np.maximum(kappa, 1)
    wide = -2 * np.log(np.maximum(i1e(kappa) / i0e(kappa), 1e-9))
    return np.minimum(np.where(np.asarray(kappa) > 1e4, narrow, wide), math.pi**2 / 3)


def heading_variance(heading, yaw):
    return sum(weight * (wrap(mode - yaw)**2 + float(von_mises_variance(kappa))) for weight, mode, kappa in heading)


def normal_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


class Loop:
    """Scene by scene, question by question."""

    def __init__(self, data):
        self.scenes = data["scenes"]
        nodes, weights = hermite()
        self.hermite = list(zip(nodes.tolist(), weights.tolist()))

    def position_cov(self, scene, plus, minus, plus2, minus2):
        """Covariance of (plus - minus) and (plus2 - minus2)."""
        entities, camera = scene["entities"], scene["camera_cov"]
        cov = [[0.0, 0.0], [0.0, 0.0]]
        for i in range(2):
            for j in range(2):
                for a, sign_a in ((plus, 1), (minus, -1)):
                    for b, sign_b in ((plus2, 1), (minus2, -1)):
                        if a == b:
                            cov[i][j] += sign_a * sign_b * entities[a]["own"][i][j]
                row = [x - y for x, y in zip(entities[plus]["J"][i], entities[minus]["J"][i])]
                column = [x - y for x, y in zip(entities[plus2]["J"][j], entities[minus2]["J"][j])]
                for k in range(6):
                    for l in range(6):
                        cov[i][j] += row[k] * camera[k][l] * column[l]
        return cov

    def internal_probability(self, scene, referent, relatum, uncertain):
        inner, box, camera = scene["entities"][referent], scene["entities"][relatum], scene["camera_cov"]
        p = 1.0
        for k in range(3):
            direction = [row[k] for row in box["R"]]
            mean = sum(d * (x - y) for d, x, y in zip(direction, inner["xyz"], box["xyz"]))
            half = box["size"][k] / 2
            if not uncertain:
                p *= abs(mean) < half
                continue
            J = [sum(d * (inner["J"][i][m] - box["J"][i][m]) for i, d in enumerate(direction)) for m in range(6)]
            std = math.sqrt(sum(direction[i] * (inner["own"][i][j] + box["own"][i][j]) * direction[j]
                                for i in range(3) for j in range(3)) +
                            sum(J[m] * camera[m][n] * J[n] for m in range(6) for n in range(6)))
            p *= normal_cdf((half - mean) / std) - normal_cdf((-half - mean) / std)
        return p

    def within(self, direction, mean, cov):
        x, y = direction
        variance = x * x * cov[0][0] + 2 * x * y * cov[0][1] + y * y * cov[1][1]
        return normal_cdf((x * mean[0] + y * mean[1]) / math.sqrt(variance))

    def sight_probability(self, turn, a, v, aa, av, vv):
        l00 = math.sqrt(aa[0][0])
        l10 = aa[0][1] / l00
        l11 = math.sqrt(aa[1][1] - l10 * l10)
        det = aa[0][0] * aa[1][1] - aa[0][1] ** 2
        inverse = [[aa[1][1] / det, -aa[0][1] / det], [-aa[0][1] / det, aa[0][0] / det]]
        gain = [[sum(av[k][i] * inverse[k][j] for k in range(2)) for j in range(2)] for i in range(2)]
        left = [[vv[i][j] - sum(gain[i][k] * av[k][j] for k in range(2)) for j in range(2)] for i in range(2)]
        cosine, sine, p = math.cos(turn), math.sin(turn), 0.0
        for z0, w0 in self.hermite:
            for z1, w1 in self.hermite:
                dx, dy = l00 * z0, l10 * z0 + l11 * z1
                mean = (v[0] + gain[0][0] * dx + gain[0][1] * dy, v[1] + gain[1][0] * dx + gain[1][1] * dy)
                x, y = a[0] + dx, a[1] + dy
                p += w0 * w1 * self.within((cosine * x - sine * y, sine * x + cosine * y), mean, left)
        return p

    def heading_tie(self, scene, owner, plus, minus):
        """Covariance of an entity's heading with (plus - minus)."""
        entities, camera = scene["entities"], scene["camera_cov"]
        row, own = entities[owner]["yaw_J"][0], entities[owner]["yaw_own"][0]
        sign = (owner == plus) - (owner == minus)
        column = [[x - y for x, y in zip(entities[plus]["J"][i], entities[minus]["J"][i])] for i in range(2)]
        return [sign * own[i] + sum(row[k] * camera[k][l] * column[i][l] for k in range(6) for l in range(6))
                for i in range(2)]

    def heading_probability(self, turn, heading, v, vv, tie):
        p = 0.0
        for weight, yaw, kappa in heading:
            reach, total, mode = min(math.pi, 6 / math.sqrt(kappa)), 0.0, 0.0
            variance = float(von_mises_variance(kappa))
            left = [[vv[i][j] - tie[i] * tie[j] / variance for j in range(2)] for i in range(2)]
            for i in range(CIRCLE):
                delta = reach * ((2 * i + 1) / CIRCLE - 1)
                density = math.exp(kappa * (math.cos(delta) - 1))
                direction = yaw + turn + delta
                total += density
                mean = (v[0] + tie[0] * delta / variance, v[1] + tie[1] * delta / variance)
                mode += density * self.within((math.cos(direction), math.sin(direction)), mean, left)
            p += weight * mode / total
        return p

    def judge_query(self, scene, query, p_internal, uncertain):
        referent, relatum, relation, perspective, viewer, convention, axis = query
        entities = scene["entities"]
        to, at = entities[referent]["xyz"], entities[relatum]["xyz"]
        v = (to[0] - at[0], to[1] - at[1])
        if perspective == "absolute":
            quarter, heading, owner = CARDINAL_QUARTER[relation], [(1.0, scene["north"], 1e12)], None
        elif perspective == "intrinsic":
            quarter, heading, owner = OWN_QUARTER[relation], entities[relatum]["heading"], relatum
        else:
            quarter, owner = CONVENTIONS[convention](OWN_QUARTER[relation]), viewer
            heading = entities[viewer]["heading"] if axis == "heading" else None
        if heading:
            axis_rad = max(heading)[1]
        else:
            eye = entities[viewer]["xyz"]
            a = (at[0] - eye[0], at[1] - eye[1])
            axis_rad = math.atan2(a[1], a[0])
        turn = quarter * math.pi / 2
        theta = wrap(math.atan2(v[1], v[0]) - axis_rad - turn)
        cosine = math.cos(theta)
        theta_std, p = 0.0, 1.0 if cosine > 1e-12 else 0.0
        if uncertain:
            vv = self.position_cov(scene, referent, relatum, referent, relatum)
            v2 = v[0] ** 2 + v[1] ** 2
            g = (-v[1] / v2, v[0] / v2)
            variance = sum(g[i] * vv[i][j] * g[j] for i in range(2) for j in range(2))
            if heading:
                tie = (0, 0) if owner is None else self.heading_tie(scene, owner, referent, relatum)
                variance += heading_variance(heading, max(heading)[1]) - 2 * (g[0] * tie[0] + g[1] * tie[1])
                p = self.heading_probability(turn, heading, v, vv, tie)
            else:
                aa = self.position_cov(scene, relatum, viewer, relatum, viewer)
                av = self.position_cov(scene, relatum, viewer, referent, relatum)
                a2 = a[0] ** 2 + a[1] ** 2
                h = (a[1] / a2, -a[0] / a2)
                variance += sum(h[i] * aa[i][j] * h[j] + 2 * h[i] * av[i][j] * g[j] for i in range(2) for j in range(2))
                p = self.sight_probability(turn, a, v, aa, av, vv)
            theta_std, p = math.sqrt(variance), min(1.0, max(0.0, p))
        verdict = "abstain" if abs(p - 0.5) <= MARGIN else "true" if p > 0.5 else "false"
        return query, theta, theta_std, p, p_internal, math.sqrt(p * (1 - p)), verdict, abs(cosine) * math.hypot(*v)

    def queries(self, scene, referent, relatum):
        for viewer in scene["viewers"]:
            for axis in ("sight_line", "heading"):
                for convention in range(3):
                    for relation in range(4):
                        yield referent, relatum, relation, "relative", viewer, convention, axis
        for relation in range(4):
            yield referent, relatum, relation, "intrinsic", None, None, None
        for relation in range(4):
            yield referent, relatum, relation, "absolute", None, None, None

    def judge(self, uncertain):
        judgments = []
        for scene in self.scenes:
            for relatum in scene["objects"]:
                for referent in scene["objects"]:
                    if referent == relatum:
                        continue
                    p_internal = self.internal_probability(scene, referent, relatum, uncertain)
                    for query in self.queries(scene, referent, relatum):
                        judgments.append(self.judge_query(scene, query, p_internal, uncertain))
        return judgments


# ---- numpy -----------------------------------------------------------------------------------------------------------

class Batch:
    """All scenes at once; they have the same entities. Axes: scene, pair, viewer, then what is written."""

    def __init__(self, data):
        scenes = data["scenes"]
        column = lambda f: np.array([[f(entity) for entity in scene["entities"]] for scene in scenes])
        self.xyz, self.size, self.R, self.own_3d, self.J_3d = (
            column(lambda e, key=key: e[key]) for key in ("xyz", "size", "R", "own", "J"))
        self.xy, self.own, self.J = self.xyz[..., :2], self.own_3d[..., :2, :2], self.J_3d[..., :2, :]
        self.heading = column(lambda e: e["heading"])  # scene, entity, mode, (weight, yaw, kappa)
        self.yaw_J, self.yaw_own = column(lambda e: e["yaw_J"][0]), column(lambda e: e["yaw_own"][0][:2])
        self.camera = np.array([scene["camera_cov"] for scene in scenes])
        self.north = np.array([scene["north"] for scene in scenes])
        objects, self.viewers = scenes[0]["objects"], np.array(scenes[0]["viewers"])
        pairs = [(a, b) for a in objects for b in objects if a != b]
        self.relatum, self.referent = np.array(pairs).T
        self.nodes, self.weights = hermite()
        self.relative = np.array([convention(q) for convention in CONVENTIONS for q in OWN_QUARTER])

    def give(self, quarters, theta0, theta_std, length, ahead, left):
        theta = theta0[..., None] - quarters * (np.pi / 2)
        theta -= 2 * np.pi * np.round(theta / (2 * np.pi))
        cosine = np.cos(theta)
        if ahead is None:
            p = (cosine > 1e-12).astype(float)
        else:
            p = np.stack([ahead, left, 1 - ahead, 1 - left], axis=-1)[..., quarters]
        p = np.clip(p, 0, 1)
        verdict = np.where(np.abs(p - 0.5) <= MARGIN, 2, np.where(p > 0.5, 1, 0))
        return [theta, np.broadcast_to(theta_std[..., None], p.shape), p, np.sqrt(p * (1 - p)), verdict,
                np.abs(cosine) * length[..., None]]

    def within(self, x, y, mean, cov):
        variance = x * x * cov[..., 0, 0] + 2 * x * y * cov[..., 0, 1] + y * y * cov[..., 1, 1]
        return ndtr((x * mean[..., 0] + y * mean[..., 1]) / np.sqrt(variance))

    def sight_probabilities(self, a, v, aa, av, vv):
        L = np.linalg.cholesky(aa)
        gain = np.swapaxes(np.linalg.solve(aa, av), -1, -2)
        left = vv - gain @ av
        z = np.stack(np.meshgrid(self.nodes, self.nodes, indexing="ij"), axis=-1).reshape(-1, 2)
        weights = np.outer(self.weights, self.weights).ravel()
        d = np.einsum("...ij,kj->...ki", L, z)
        point = a[..., None, :] + d
        mean = v[..., None, :] + np.einsum("...ij,...kj->...ki", gain, d)
        x, y, left = point[..., 0], point[..., 1], left[..., None, :, :]
        return self.within(x, y, mean, left) @ weights, self.within(-y, x, mean, left) @ weights

    def heading_probabilities(self, heading, v, vv, tie):
        weight, yaw, kappa = (heading[..., i] for i in range(3))
        reach = np.minimum(np.pi, 6 / np.sqrt(kappa))
        delta = reach[..., None] * ((2 * np.arange(CIRCLE) + 1) / CIRCLE - 1)
        density = np.exp(kappa[..., None] * (np.cos(delta) - 1))
        density *= (weight / density.sum(axis=-1))[..., None]
        x, y = np.cos(yaw[..., None] + delta), np.sin(yaw[..., None] + delta)
        per_rad = tie[..., None, :] / von_mises_variance(kappa)[..., None]
        mean = v[..., None, None, :] + per_rad[..., None, :] * delta[..., None]
        cov = (vv[..., None, :, :] - per_rad[..., :, None] * tie[..., None, None, :])[..., None, :, :]
        return ((self.within(x, y, mean, cov) * density).sum(axis=(-1, -2)),
                (self.within(-y, x, mean, cov) * density).sum(axis=(-1, -2)))

    def about_heading(self, quarters, heading, v, length, vv, v_variance, tie):
        best = np.take_along_axis(heading, heading[..., 0].argmax(axis=-1)[..., None, None], axis=-2)[..., 0, :]
        theta0 = np.arctan2(v[..., 1], v[..., 0]) - best[..., 1]
        if vv is None:
            return self.give(quarters, theta0, np.zeros_like(theta0), length, None, None)
        apart = heading[..., 1] - best[..., None, 1]
        apart -= 2 * np.pi * np.round(apart / (2 * np.pi))
        own = (heading[..., 0] * (apart**2 + von_mises_variance(heading[..., 2]))).sum(axis=-1)
        across = (v[..., 0] * tie[..., 1] - v[..., 1] * tie[..., 0]) / length**2
        std = np.sqrt(v_variance + own - 2 * across)
        return self.give(quarters, theta0, std, length, *self.heading_probabilities(heading, v, vv, tie))

    def internal_probabilities(self, uncertain):
        R, half = self.R[:, self.relatum], self.size[:, self.relatum] / 2
        mean = np.einsum("...ik,...i->...k", R, self.xyz[:, self.referent] - self.xyz[:, self.relatum])
        if not uncertain:
            return (np.abs(mean) < half).all(axis=-1).astype(float)
        J = self.J_3d[:, self.referent] - self.J_3d[:, self.relatum]
        cov = self.own_3d[:, self.referent] + self.own_3d[:, self.relatum] + \
            J @ self.camera[:, None] @ np.swapaxes(J, -1, -2)
        std = np.sqrt(np.einsum("...ik,...ij,...jk->...k", R, cov, R))
        return (ndtr((half - mean) / std) - ndtr((-half - mean) / std)).prod(axis=-1)

    def judge(self, uncertain):
        v = self.xy[:, self.referent] - self.xy[:, self.relatum]
        a = self.xy[:, self.relatum][:, :, None] - self.xy[:, self.viewers][:, None]
        length = np.hypot(v[..., 0], v[..., 1])
        many_v, many_length = np.broadcast_to(v[:, :, None], a.shape), np.broadcast_to(length[:, :, None], a.shape[:-1])
        theta0 = np.arctan2(v[..., 1], v[..., 0])[:, :, None] - np.arctan2(a[..., 1], a[..., 0])
        vv = v_variance = many_vv = many_v_variance = viewers_tie = own_tie = no_tie = None
        if uncertain:
            own, J, camera = self.own, self.J, self.camera[:, None]
            Jv = J[:, self.referent] - J[:, self.relatum]
            Ja = J[:, self.relatum][:, :, None] - J[:, self.viewers][:, None]
            vv = own[:, self.referent] + own[:, self.relatum] + Jv @ camera @ np.swapaxes(Jv, -1, -2)
            JaC = Ja @ camera[:, None]
            aa = own[:, self.relatum][:, :, None] + own[:, self.viewers][:, None] + JaC @ np.swapaxes(Ja, -1, -2)
            av = -own[:, self.relatum][:, :, None] + JaC @ np.swapaxes(Jv, -1, -2)[:, :, None]
            g = np.stack([-v[..., 1], v[..., 0]], axis=-1) / (length**2)[..., None]
            h = np.stack([a[..., 1], -a[..., 0]], axis=-1) / (a**2).sum(axis=-1, keepdims=True)
            v_variance = np.einsum("...i,...ij,...j", g, vv, g)
            many_v_variance = v_variance[:, :, None]
            variance = many_v_variance + np.einsum("...i,...ij,...j", h, aa, h) + \
                2 * np.einsum("...i,...ij,...j", h, av, g[:, :, None])
            many_vv = np.broadcast_to(vv[:, :, None], aa.shape)
            JvC = Jv @ camera
            viewers_tie = np.einsum("spik,svk->spvi", JvC, self.yaw_J[:, self.viewers])
            own_tie = np.einsum("spik,spk->spi", JvC, self.yaw_J[:, self.relatum]) - self.yaw_own[:, self.relatum]
            no_tie = np.zeros_like(own_tie)
            sights = self.give(self.relative, theta0, np.sqrt(variance), many_length,
                               *self.sight_probabilities(a, many_v, aa, av, many_vv))
        else:
            sights = self.give(self.relative, theta0, np.zeros_like(theta0), many_length, None, None)
        viewer_heading = np.broadcast_to(self.heading[:, self.viewers][:, None], a.shape[:-1] + self.heading.shape[2:])
        headings = self.about_heading(self.relative, viewer_heading, many_v, many_length, many_vv, many_v_variance,
                                      viewers_tie)
        intrinsic = self.about_heading(np.array(OWN_QUARTER), self.heading[:, self.relatum], v, length, vv, v_variance, own_tie)
        north = np.empty(theta0.shape[:2] + (1, 3))
        north[..., 0], north[..., 1], north[..., 2] = 1, self.north[:, None, None], 1e12
        absolute = self.about_heading(np.array(CARDINAL_QUARTER), north, v, length, vv, v_variance, no_tie)
        return sights, headings, intrinsic, absolute, self.internal_probabilities(uncertain)


def in_order(result):
    """(judgments, 4): theta, theta_std, p, p_internal in the order in which the loop judges."""
    if isinstance(result, list):
        return np.array([judgment[1:5] for judgment in result])
    sights, headings, intrinsic, absolute = (np.stack(part[:3], axis=-1) for part in result[:4])
    relative = np.stack([sights, headings], axis=3)
    flat = relative.reshape(relative.shape[:2] + (-1, 3))
    judgments = np.concatenate([flat, intrinsic, absolute], axis=2)
    p_internal = np.broadcast_to(result[4][:, :, None, None], judgments.shape[:3] + (1,))
    return np.concatenate([judgments, p_internal], axis=3).reshape(-1, 4)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    judges, result = {"loop": Loop(data), "batch": Batch(data)}, None
    for line in sys.stdin:
        verb, argument = line.split()
        if verb == "write":
            in_order(result).astype(np.float64).tofile(argument)
        else:
            result = judges[verb].judge(argument == "uncertain")
        print("done", flush=True)


if __name__ == "__main__":
    main()
