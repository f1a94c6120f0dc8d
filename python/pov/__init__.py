"""Perspective taking for robots with real cameras: where is it, for whom?

Scenes, spatial relations in every frame of reference, visibility, questions, recordings and running stations of `pov`, with NumPy.
docs/PYTHON.md shows its use. Lengths are metres in the table frame (right-handed, z up), angles radians counter-clockwise from above
unless a name ends in _deg, times nanoseconds of the UNIX epoch where a name ends in _ns.
"""
from ._native import VERSION as __version__
from ._native import Error
from .scene import Belief, Dialogue, Judgments, Relation, Scene, Sights, relations
from .scores import answers, scores
from .stream import Image, LogLine, Observation, RecordedImage, Recording, Station

__all__ = ["Belief", "Dialogue", "Error", "Image", "Judgments", "LogLine", "Observation", "RecordedImage", "Recording", "Relation", "Scene",
           "Sights", "Station", "answers", "relations", "scores", "__version__"]
