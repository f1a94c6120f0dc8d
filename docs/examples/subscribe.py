#!/usr/bin/python3
"""Prints what holds in each image. Once: protoc --python_out=. -I protocol protocol/pov.proto"""
import sys

import pov_pb2 as pov
import zmq

socket = zmq.Context().socket(zmq.SUB)
socket.connect(sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:5570")
socket.subscribe("observation")
while True:
    envelope = pov.Envelope.FromString(socket.recv_multipart()[-1])
    image, entities = envelope.observation.image, envelope.observation.scene.entities
    print(f"{image.name} at {image.capture_ns} ns, {envelope.lost} lost before it", flush=True)
    for j in envelope.observation.judgments:
        if j.verdict == pov.VERDICT_TRUE:
            print(f"  {entities[j.referent].name} {pov.Relation.Name(j.relation)} {entities[j.relatum].name}",
                  f"({pov.Perspective.Name(j.perspective)}, p {j.p:.3f})", flush=True)
