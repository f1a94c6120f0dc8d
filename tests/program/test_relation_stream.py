#!/usr/bin/python3
"""What a station says of relations, directions, views and who sees what: as JSON, and to a subscriber that decodes the
wire with Google's protobuf. Oracle: a layout whose answers can be told by eye, and plain trigonometry."""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import zmq

POV = os.environ["POV"]
SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
CAMERA = (1.5, 0, 0.85)

# A cup on a box, a jar between box and pole, a woman who faces the box. Nothing here is near a boundary.
THINGS = {
    "cup": {"position_m": [-0.3, 0.3, 0.25], "size_m": [0.08, 0.08, 0.1]},
    "box": {"position_m": [-0.3, 0.3, 0.1], "size_m": [0.3, 0.3, 0.2]},
    "jar": {"position_m": [-0.3, 0.0, 0.05], "size_m": [0.1, 0.1, 0.1]},
    "pole": {"position_m": [-0.3, -0.9, 0.3], "size_m": [0.05, 0.05, 0.6]},
    "anna": {"position_m": [-1.5, 0.3, 0.8], "size_m": [0.3, 0.5, 1.6], "front_deg": 0, "addressee": True,
             "sees": {"horizontal_deg": 120, "vertical_deg": 90}},
}
SIDES = ["front", "front-left", "left", "back-left", "back", "back-right", "right", "front-right"]


def bearing_deg(viewer, target):
    """About the viewer's heading: anna looks along x, the camera along -x."""
    x, y = (CAMERA[:2] if viewer == "camera" else THINGS[viewer]["position_m"][:2])
    tx, ty = THINGS[target]["position_m"][:2]
    heading = 180 if viewer == "camera" else THINGS[viewer]["front_deg"]
    return (math.degrees(math.atan2(ty - y, tx - x)) - heading + 180) % 360 - 180


def distance_m(viewer, target):
    x, y = (CAMERA[:2] if viewer == "camera" else THINGS[viewer]["position_m"][:2])
    tx, ty = THINGS[target]["position_m"][:2]
    return math.hypot(tx - x, ty - y)


class RelationStream(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="pov-relations-"))
        demo = subprocess.run([POV, "demo", "--out", cls.folder / "demo", "--images", "2"], capture_output=True)
        assert demo.returncode == 0, demo.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def station(self, judge):
        cast = "".join(f"  - {json.dumps({'id': id_, 'found_by': 'survey', **keys})}\n" for id_, keys in THINGS.items())
        path = self.folder / "demo" / "own.yaml"
        path.write_text("camera:\n  source: folder\n  folder: {path: images}\n  calibration: camera.yaml\n"
                        f"  pose: {{position_m: {list(CAMERA)}, look_at_m: [0, 0, 0.08]}}\n"
                        f"cast:\n{cast}judge: {json.dumps(judge)}\n")
        return path

    def run_station(self, judge, *options):
        return subprocess.run([POV, "run", self.station(judge), "--no-publish", *options], capture_output=True, text=True)

    def image(self, judge):
        run = self.run_station(judge, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout.splitlines()[0])

    def holding(self, image, relation):
        return {(r["referent"], *r["relata"]) for r in image["relations"]
                if r["relation"] == relation and r["verdict"] == "true"}

    def test_any_relation_of_the_registry_can_be_asked_for_and_holds_where_it_should(self):
        image = self.image({"relations": ["on", "supports", "facing", "between", "far_from", "among", "left_of"]})
        self.assertEqual(self.holding(image, "on"), {("cup", "box")})
        self.assertEqual(self.holding(image, "supports"), {("box", "cup")})
        facing = {pair[1] for pair in self.holding(image, "facing")}
        self.assertEqual(facing, {"cup", "box", "jar"} | ({"pole"} if abs(bearing_deg("anna", "pole")) < 45 else set()))
        between = {(r, frozenset(rest)) for r, *rest in self.holding(image, "between")}
        self.assertIn(("jar", frozenset(["box", "pole"])), between)
        self.assertNotIn(("pole", frozenset(["box", "jar"])), between)
        asked = [tuple(r["relata"]) for r in image["relations"] if r["relation"] == "between" and r["referent"] == "jar"]
        self.assertEqual(len(asked), 6)  # of four others, each two once
        self.assertEqual(len({frozenset(a) for a in asked}), 6)
        among = [r for r in image["relations"] if r["relation"] == "among"]
        self.assertEqual({r["referent"] for r in among}, set(THINGS))
        self.assertTrue(all(len(r["relata"]) == 4 for r in among))
        self.assertEqual({j["relation"] for j in image["judgments"]}, {"left_of"})

    def test_all_are_judged_of_every_pair(self):
        image = self.image({"relations": "all"})
        pairs = {(r["referent"], r["relata"][0]) for r in image["relations"] if r["relation"] == "next_to"}
        self.assertEqual(len(pairs), len(THINGS) * (len(THINGS) - 1))
        names = {r["relation"] for r in image["relations"]} | {j["relation"] for j in image["judgments"]}
        self.assertGreater(len(names), 75)
        for r in image["relations"]:
            self.assertEqual(r["p"] is None, r["verdict"] == "undefined")
            negation = [o for o in image["relations"] if o["relation"] == "off" and r["relation"] == "on"
                        and (o["referent"], o["relata"]) == (r["referent"], r["relata"])]
            self.assertTrue(all(abs(o["p"] + r["p"] - 1) < 1e-9 for o in negation))

    def test_only_named_pairs_are_judged(self):
        image = self.image({"relations": ["near", "between"], "pairs": [["cup", "box"]]})
        self.assertEqual({(r["referent"], r["relata"][0]) for r in image["relations"]}, {("cup", "box")})

    def test_by_default_the_eight_are_judged_and_no_more(self):
        image = self.image({})
        self.assertEqual(image["relations"], [])
        self.assertGreater(len(image["judgments"]), 0)

    def test_directions_are_those_of_trigonometry(self):
        image = self.image({})
        self.assertEqual({d["viewer"] for d in image["directions"]}, {"camera", "anna"})
        for d in image["directions"]:
            bearing = bearing_deg(d["viewer"], d["target"])
            self.assertAlmostEqual((d["bearing_deg"] - bearing + 180) % 360 - 180, 0, places=6)
            self.assertEqual(d["side"], SIDES[round(bearing / 45) % 8])
            self.assertEqual(d["quarter"], SIDES[2 * (round(bearing / 90) % 4)])
            self.assertAlmostEqual(sum(d["p_sides"]), 1, places=9)
            self.assertAlmostEqual(sum(d["p_quarters"]), 1, places=9)

    def test_views_are_in_order(self):
        image = self.image({})
        for view in image["views"]:
            ahead = [t for t in THINGS if t != view["viewer"] and abs(bearing_deg(view["viewer"], t)) <= 90]
            ordered = [p["bearing_deg"] for p in view["left_to_right"]]
            self.assertEqual(ordered, sorted(ordered, reverse=True))
            self.assertEqual({p["id"] for p in view["left_to_right"]}, set(ahead))
            far = [distance_m(view["viewer"], p["id"]) for p in view["near_to_far"]]
            self.assertEqual([round(p["distance_m"], 9) for p in view["near_to_far"]], [round(f, 9) for f in far])
            self.assertEqual(far, sorted(far))

    def test_visibility_and_directions_can_be_switched_off_and_limited(self):
        off = self.image({"visibility": False, "directions": False})
        self.assertEqual((off["visibility"], off["directions"], off["views"]), ([], [], []))
        few = self.image({"visibility": ["anna"], "directions": ["camera"]})
        self.assertEqual({v["viewer"] for v in few["visibility"]}, {"anna"})
        self.assertEqual({d["viewer"] for d in few["directions"]}, {"camera"})
        self.assertEqual([v["viewer"] for v in few["views"]], ["camera"])

    def test_what_is_unknown_is_named_with_what_is_near(self):
        for judge, said in (({"relations": ["nxt_to"]}, "'next_to'"), ({"relations": "al"}, "unknown relation 'al'"),
                            ({"visibility": ["bob"]}, "no viewer 'bob'"), ({"directions": "maybe"}, "directions")):
            run = self.run_station(judge, "--check")
            self.assertEqual(run.returncode, 1)
            self.assertIn(said, run.stderr)
            self.assertIn("own.yaml:", run.stderr)

    def test_people_read_what_holds(self):
        text = self.run_station({"relations": ["on", "between"]}).stdout
        self.assertIn("cup and box: on", text)
        self.assertIn("jar and box, pole: between", text)
        self.assertRegex(text, r"for anna: .*box front\b")
        self.assertRegex(text, r"ahead of anna, left to right: .*; near to far: ")

    def test_a_subscriber_decodes_what_json_says(self):
        station, endpoint = self.station({"relations": "all"}), f"ipc://{self.folder}/wire"
        context = zmq.Context()
        socket = context.socket(zmq.SUB)
        socket.connect(endpoint)
        socket.subscribe("observation")
        run = subprocess.Popen([POV, "run", station, "--json", "--publish", endpoint, "--wait", "1"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertTrue(socket.poll(30000))
        wire = pb.Envelope.FromString(socket.recv_multipart()[-1]).observation
        image = json.loads(run.stdout.readline())
        run.communicate(timeout=300)
        socket.close(linger=0)
        context.term()
        self.assert_same(wire, image)

    def assert_number(self, number, said):
        self.assertTrue(math.isnan(number) if said is None else math.isclose(number, said, abs_tol=1e-12), (number, said))

    def assert_same(self, wire, image):
        names = [e.name for e in wire.scene.entities]
        judgments = image["judgments"] + image["relations"]
        self.assertEqual((len(wire.judgments), len(wire.directions), len(wire.views)),
                         (len(judgments), len(image["directions"]), len(image["views"])))
        for r, said in zip(wire.judgments, judgments):
            self.assertEqual(wire.relation_names[r.relation], said["relation"])
            self.assertEqual((names[r.referent], [names[i] for i in r.relata]),
                             (said["referent"], said["relata"] if "relata" in said else [said["relatum"]]))
            self.assertEqual(names[r.viewer] if r.HasField("viewer") else None, said["viewer"])
            if said["perspective"]:
                self.assertEqual(pb.Perspective.Name(r.perspective), "PERSPECTIVE_" + said["perspective"].upper())
            self.assertEqual(pb.Convention.Name(r.convention), "CONVENTION_" + (said["convention"] or "none").upper())
            self.assertEqual(pb.Verdict.Name(r.verdict), "VERDICT_" + said["verdict"].upper())
            self.assert_number(r.p, said["p"])
            self.assert_number(r.p_std, said["p_std"])
            if "theta_deg" in said:
                self.assertEqual(pb.Axis.Name(r.axis), "AXIS_" + said["axis"].upper())
                self.assertEqual(pb.Acceptance.Name(r.acceptance), "ACCEPTANCE_" + said["acceptance"].upper())
                self.assert_number(math.degrees(r.theta_rad), said["theta_deg"])
                self.assert_number(r.flip_distance_m, said["flip_distance_m"])
                self.assert_number(r.p_internal, said["p_internal"])
            else:
                self.assertEqual(r.acceptance, pb.ACCEPTANCE_UNSPECIFIED)
        for d, said in zip(wire.directions, image["directions"]):
            self.assertEqual((names[d.viewer], names[d.target]), (said["viewer"], said["target"]))
            self.assert_number(math.degrees(d.bearing_rad), said["bearing_deg"])
            self.assertEqual(pb.Side.Name(d.side), "SIDE_" + said["side"].upper().replace("-", "_"))
            self.assertEqual(pb.Side.Name(d.quarter), "SIDE_" + said["quarter"].upper())
            self.assertEqual((list(d.p_sides), list(d.p_quarters)), (said["p_sides"], said["p_quarters"]))
        for v, said in zip(wire.views, image["views"]):
            self.assertEqual(names[v.viewer], said["viewer"])
            for order in ("left_to_right", "near_to_far"):
                places = [(names[p.entity], p.distance_m, p.p_swapped, p.uncertain) for p in getattr(v, order)]
                self.assertEqual(places, [(p["id"], p["distance_m"], p["p_swapped"], p["uncertain"]) for p in said[order]])
        for j, said in zip(wire.judgments, image["judgments"]):
            self.assert_number(math.degrees(j.flip_angle_rad), said["flip_angle_deg"])
            self.assert_number(j.flip_distance_m, said["flip_distance_m"])
            self.assert_number(j.p_internal, said["p_internal"])
            self.assertEqual(pb.Containment.Name(j.containment), "CONTAINMENT_" + said["containment"].upper())


if __name__ == "__main__":
    classes = tempfile.mkdtemp(prefix="pov-classes-")
    subprocess.run(["protoc", f"--python_out={classes}", f"-I{SOURCE}/protocol", "pov.proto"], check=True)
    sys.path.insert(0, classes)
    import pov_pb2 as pb
    shutil.rmtree(classes)
    unittest.main()
