#!/usr/bin/python3
"""Prints what holds in each image: subscribe.py [ENDPOINT [KEYS SERVER]]. Once: protoc --python_out=. -I protocol protocol/pov.proto"""
import sys

import pov_pb2 as pov
import zmq.auth

word = lambda kind, value: kind.Name(value).split("_", 1)[1].lower()  # AXIS_HEADING: heading
socket = zmq.Context().socket(zmq.SUB)
if len(sys.argv) > 3:  # the folder of this machine's keys, the station's name among its peers
    socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(sys.argv[2] + "/self.key_secret")
    socket.curve_serverkey, _ = zmq.auth.load_certificate(f"{sys.argv[2]}/peers/{sys.argv[3]}.key")
socket.connect(sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:5570")
socket.subscribe("observation")
while True:
    envelope = pov.Envelope.FromString(socket.recv_multipart()[-1])
    image, entities, names = envelope.observation.image, envelope.observation.scene.entities, envelope.observation.relation_names
    print(f"{image.name} at {image.capture_ns} ns, {envelope.lost} lost before it", flush=True)
    for j in envelope.observation.judgments:
        if j.verdict == pov.VERDICT_TRUE:
            viewer = [entities[j.viewer].name] if j.HasField("viewer") else []
            print(f"  {entities[j.referent].name} {names[j.relation]} {' and '.join(entities[i].name for i in j.relata)}:", *viewer,
                  word(pov.Perspective, j.perspective), word(pov.Convention, j.convention), word(pov.Axis, j.axis), f"p {j.p:.3f}", flush=True)
