"""Messages of ROS 2 as bytes of CDR, encoded by rules of their own: for tests in which others speak to pov."""
import math
import struct


class Cdr:
    """Little or big endian."""

    def __init__(self, order="<"):
        self.order, self.bytes = order, bytearray(b"\0\1\0\0" if order == "<" else b"\0\0\0\0")

    def put(self, kind, *values):
        for value in values:
            self.bytes += bytes(-(len(self.bytes) - 4) % struct.calcsize(kind)) + struct.pack(self.order + kind, value)
        return self

    def text(self, text):
        self.put("I", len(text.encode()) + 1).bytes.extend(text.encode() + b"\0")
        return self

    def header(self, stamp=(1700000000, 123456789), frame="cam_optical_frame"):
        """stamp: seconds and nanoseconds, or nanoseconds."""
        seconds, nanoseconds = stamp if isinstance(stamp, tuple) else divmod(stamp, 10**9)
        return self.put("i", seconds).put("I", nanoseconds).text(frame)

    def blob(self, data):
        self.put("I", len(data)).bytes.extend(data)
        return self

    def pose(self, position, quaternion):
        return self.put("d", *position, *quaternion)


def quaternion(rotation):
    """(x, y, z, w) of a rotation that does not turn by 180 degrees; rows of three."""
    (a, b, c), (d, e, f), (g, h, i) = rotation
    w = math.sqrt(max(0.0, 1 + a + e + i)) / 2
    return ((h - f) / (4 * w), (c - g) / (4 * w), (d - b) / (4 * w), w)


def transforms(*told, order="<"):
    """A tf2_msgs/TFMessage; each told: (stamp_ns, parent, child, position, quaternion)."""
    cdr = Cdr(order).put("I", len(told))
    for stamp, parent, child, position, turn in told:
        cdr.header(stamp, parent).text(child).pose(position, turn)
    return bytes(cdr.bytes)


def pose_stamped(stamp, frame, position, turn=(0, 0, 0, 1)):
    return bytes(Cdr().header(stamp, frame).pose(position, turn).bytes)


def detections(stamp, frame, *found):
    """A vision_msgs/Detection3DArray; each found: (class, score, position, quaternion, size, covariance of 36, id)."""
    cdr = Cdr().header(stamp, frame).put("I", len(found))
    for kind, score, position, turn, size, covariance, name in found:
        cdr.header(stamp, frame).put("I", 1).text(kind).put("d", score).pose(position, turn).put("d", *covariance)
        cdr.pose(position, turn).put("d", *size).text(name)
    return bytes(cdr.bytes)


def compressed_image(stamp, frame, data):
    return bytes(Cdr().header(stamp, frame).text("rgb8; png compressed bgr8").blob(data).bytes)


TYPES = {"Image": "sensor_msgs", "CompressedImage": "sensor_msgs", "CameraInfo": "sensor_msgs", "TFMessage": "tf2_msgs", "PoseStamped": "geometry_msgs",
         "Detection3DArray": "vision_msgs", "String": "std_msgs", "Ask": "pov_msgs"}


def dds_type(name):
    return f"{TYPES[name]}::msg::dds_::{name}_"
