#!/usr/bin/python3
"""Judges a scene: how a ball lies to a car, for a camera and by the car's own front, and how much of the ball a woman sees."""
import pov

scene = pov.Scene([{"id": "ball", "position_m": [0.4, 0.1, 0.1], "position_std_m": 0.02, "size_m": 0.2},
                   {"id": "car", "position_m": [-0.1, 0, 0.15], "size_m": [0.8, 0.4, 0.3], "front_deg": 180, "front_std_deg": 3},
                   {"id": "woman", "class": "person", "position_m": [-1.5, 0.4, 0.8], "size_m": [0.3, 0.5, 1.6], "front_deg": 0,
                    "addressee": True, "sees": {"horizontal_deg": 180, "vertical_deg": 120, "eye_m": [0.1, 0, 0.7]}}],
                  camera={"position_m": [0, -2, 1.2], "look_at_m": [0, 0, 0.1]})
for row in scene.judge([("ball", "car")]).to_dicts():
    print(f"ball {row['relation']} car, {row['perspective']}{' ' + row['convention'] if row['convention'] else ''}: "
          f"{row['verdict']} (P = {row['p']:.3f})")
for row in scene.look("woman", "ball").to_dicts():
    print(f"woman sees {100 * row['fraction_visible']:.0f} % of the ball, P(seen) = {row['p']:.3f}")
print(scene.ask("where is the ball relative to the car?")["say"])
