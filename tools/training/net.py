"""Two small networks: a detector without anchors, and the heading of what a crop shows.

The detector's rows come out as YOLOv8's do, [1, 4 + classes, N]: centre and size in input pixels, a probability a class.
"""
import torch
from torch import nn

TRAINED_PX, STRIDES = 224, (8, 16, 32)


def conv(n_in, n_out, size=1, stride=1, groups=1):
    return nn.Sequential(nn.Conv2d(n_in, n_out, size, stride, size // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(n_out), nn.ReLU(inplace=True))


def separable(n_in, n_out, size=3, stride=1):
    return nn.Sequential(conv(n_in, n_in, size, stride, n_in), conv(n_in, n_out))


class Residual(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x):
        return x + self.body(x)


def narrow(n):
    """Residual, over half of the channels."""
    return Residual(nn.Sequential(conv(n, n // 2, 3), conv(n // 2, n, 3)))


def light(n, size=3):
    return Residual(separable(n, n, size))


class Head(nn.Module):
    def __init__(self, what, n, classes):
        super().__init__()
        self.what = what
        self.box, self.score = nn.Conv2d(n, 4, 1), nn.Conv2d(n, classes, 1)
        nn.init.constant_(self.score.bias, -4.6)
        nn.init.constant_(self.box.bias, 0.5)

    def forward(self, x):
        what = self.what(x)
        return torch.cat([self.box(what), self.score(what)], 1).flatten(2)


class Net(nn.Module):
    """For square images of size_px, which need not be the size it was trained with."""

    def __init__(self, classes, size_px=TRAINED_PX, n=64):
        super().__init__()
        self.classes = classes
        self.stem = nn.Sequential(conv(3, 16, 3, 2), conv(16, 32, 3, 2))
        self.s8 = nn.Sequential(conv(32, 64, 3, 2), narrow(64), narrow(64))
        self.s16 = nn.Sequential(conv(64, 96, 3, 2), narrow(96), narrow(96))
        self.s32 = nn.Sequential(separable(96, 176, 5, 2), light(176, 5), light(176, 5), light(176, 5))
        self.in8, self.in16, self.in32 = conv(64, n), conv(96, n), conv(176, n)
        self.up16, self.up8, self.down16, self.down32 = (conv(n, n, 3), conv(n, n, 3), conv(n, n, 3, 2),
                                                         conv(n, n, 3, 2))
        self.heads = nn.ModuleList(Head(what, n, classes)
                                   for what in (conv(n, n, 3), separable(n, n, 5), separable(n, n, 5)))
        places, strides = [], []
        for stride in STRIDES:
            steps = (torch.arange(size_px // stride) + 0.5) * stride
            y, x = torch.meshgrid(steps, steps, indexing="ij")
            places.append(torch.stack([x, y]).flatten(1))
            strides.append(torch.full((1, x.numel()), float(stride)))
        self.register_buffer("places_px", torch.cat(places, 1), persistent=False)  # [2, N]
        self.register_buffer("strides_px", torch.cat(strides, 1), persistent=False)  # [1, N]
        # of a corner's four numbers, in full: OpenCV 4.6 spreads no constant over other dimensions
        self.register_buffer("origin_px", self.places_px.repeat(2, 1)[None], persistent=False)
        self.register_buffer("reach_px", (self.strides_px * torch.tensor([-1.0, -1, 1, 1])[:, None])[None],
                             persistent=False)

    def forward(self, image):
        """Out: corners [B, 4, N] in pixels; logits of classes [B, C, N]."""
        s8 = self.s8(self.stem(image))
        s16 = self.s16(s8)
        p32 = self.in32(self.s32(s16))
        p16 = self.up16(self.in16(s16) + nn.functional.interpolate(p32, scale_factor=2, mode="nearest"))
        p8 = self.up8(self.in8(s8) + nn.functional.interpolate(p16, scale_factor=2, mode="nearest"))
        p16 = p16 + self.down16(p8)
        p32 = p32 + self.down32(p16)
        rows = torch.cat([head(p) for head, p in zip(self.heads, (p8, p16, p32))], 2).float()
        box, scores = rows[:, :4], rows[:, 4:]
        box = box.clamp(-4, 5) if self.training else box
        return self.origin_px + torch.exp(box) * self.reach_px, scores


class Exported(nn.Module):
    """The rows that leave the ONNX file."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, image):
        corner, scores = self.net(image)
        low, high = corner[:, :2], corner[:, 2:]
        return torch.cat([(low + high) * 0.5, high - low, torch.sigmoid(scores)], 1)


CROP_PX, BINS = 64, 16


class Heading(nn.Module):
    """A logit for each bin of heading: 0 faces the camera, counter-clockwise from above."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(3, 32, 3, 2), conv(32, 64, 3, 2), narrow(64), conv(64, 96, 3, 2), narrow(96),
                                  narrow(96), separable(96, 160, 3, 2), light(160), light(160))
        self.out = nn.Linear(160 * (CROP_PX // 16) ** 2, BINS)

    def forward(self, crop):
        return self.out(self.body(crop).flatten(1)).float()
