"""What happens on a table in five minutes: six objects are taken up and set down elsewhere, one at a time, by a hand.

They pass one another, change places, are carried behind boxes or hidden by a board that somebody holds before them; the light changes. The
world file that `play` returns has it all as paths over time.
"""
import dataclasses
import math

from enrolled_objects import CAMERA, CLUTTER, DISC, OBJECTS, RING, apart, thing

EYE_M = (1.05, 1.2)  # the camera's distance from the table's middle, and its height
DISC_HEIGHT_M, DISC_FREE_M, TURN_S = 0.025, 0.31, 75
ARM_M, HAND_M, BOARD_M = (0.5, 0.055, 0.05), (0.08, 0.06, 0.05), (0.015, 0.3, 0.27)
AWAY_M = 1.8  # where hands and boards are that are not there


@dataclasses.dataclass
class Body:
    name: str
    text: str  # of the world file, but for its path
    radius: float
    half_height: float
    place: tuple  # x, y, degrees
    path: list = dataclasses.field(default_factory=list)  # time, x, y, height of the centre or None, degrees


class Play:
    def __init__(self, rng, heights, cast, on_disc, seconds):
        self.rng, self.seconds, self.on_disc, self.now = rng, seconds, on_disc, 1.5
        self.obstacles, self.stills, self.objects, self.events = [], [], {}, []
        for name, model in cast.items():
            size = OBJECTS[model][1]
            self.place_object(name, model, size, heights[model])
        self.put_clutter()
        self.tools = {name: Body(name, self.tool_text(name, look, size), 0, size[2] / 2, (0, AWAY_M, 0))
                      for name, look, size in (("arm", 'pen, color: "#c68863"', ARM_M), ("hand", 'apple, color: "#c68863"', HAND_M),
                                               ("board", 'book, color: "#5a6b4c"', BOARD_M))}

    # ---- what stands where ----

    def eye(self, seconds):
        """Where the camera is, in the disc's frame if all stand on one."""
        turn = -2 * math.pi * seconds / TURN_S if self.on_disc else 0
        return EYE_M[0] * math.cos(turn), EYE_M[0] * math.sin(turn)

    def within(self, x, y, radius):
        return math.hypot(x, y) < DISC_FREE_M - 0.5 * radius if self.on_disc else -0.42 < x < 0.32 and -0.45 < y < 0.45

    def taken(self, but=""):
        return self.obstacles + [(*o.place[:2], o.radius) for o in self.objects.values() if o.name != but]

    def somewhere(self, radius, but=""):
        for _ in range(3000):
            x, y = self.rng.uniform(-0.45, 0.45), self.rng.uniform(-0.45, 0.45)
            if self.within(x, y, radius) and apart(self.taken(but), x, y, radius + 0.005):
                return x, y
        return None

    def place_object(self, name, model, size, height):
        body, _, look, has_front, _ = OBJECTS[model]
        x, y = self.somewhere(0.5 * size)
        turn = self.rng.uniform(0, 360)
        text = thing(name, body, size, look, x, y, turn, has_front, "turntable" if self.on_disc else "")
        self.objects[name] = Body(name, text, 0.5 * size, height / 2, (x, y, turn))

    def tool_text(self, name, look, size):
        return f"  - {{id: {name}, class: {look}, position_m: [0, {AWAY_M}, 0.5], size_m: {list(size)}{self.on()}}}\n"

    def put_clutter(self):
        rng = self.rng
        for i in range(2 if self.on_disc else rng.randrange(2, 4)):  # boxes before objects, that hide a part of what is behind them
            near = rng.choice(list(self.objects.values()))
            x, y, away = *near.place[:2], near.radius + 0.03
            eye = self.eye(0)
            toward = math.atan2(eye[1] - y, eye[0] - x)
            wide, high = rng.uniform(0.8, 1.8) * near.radius, EYE_M[1] * away / math.hypot(eye[0] - x, eye[1] - y) + rng.uniform(0, 1) * near.radius
            a, b = x + away * math.cos(toward), y + away * math.sin(toward)
            if self.within(a, b, 0) and apart(self.taken(near.name), a, b, 0.5 * wide):
                self.obstacles.append((a, b, 0.5 * wide))
                self.stills.append(f'  - {{id: before_{i}, class: box, position_m: [{a:.4f}, {b:.4f}], size_m: [0.03, {wide:.4f}, {high:.4f}], '
                                   f'yaw_deg: {math.degrees(toward):.2f}, color: "#{rng.randrange(1 << 24):06x}"{self.on()}}}\n')
        for i in range(1 if self.on_disc else rng.randrange(3, 7)):
            size = rng.uniform(0.06, 0.14)
            place = self.somewhere(0.5 * size)
            if place:
                self.obstacles.append((*place, 0.5 * size))
                self.stills.append(f"  - {{id: clutter_{i}, class: {rng.choice(CLUTTER)}, position_m: [{place[0]:.4f}, {place[1]:.4f}], "
                                   f"size_m: {size:.3f}{self.on()}}}\n")

    def on(self):
        return ", on: turntable" if self.on_disc else ""

    # ---- ways ----

    def is_clear(self, a, b, body):
        """Nothing is pushed over on the way."""
        for x, y, radius in self.taken(body.name):
            along = ((x - a[0]) * (b[0] - a[0]) + (y - a[1]) * (b[1] - a[1])) / max(1e-9, (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2)
            t = min(1, max(0, along))
            if math.hypot(a[0] + t * (b[0] - a[0]) - x, a[1] + t * (b[1] - a[1]) - y) < 0.85 * (radius + body.radius):
                return False
        return True

    def behind(self, body):
        """Beyond something else as the camera sees it."""
        x, y, radius = self.rng.choice(self.taken(body.name))
        eye = self.eye(self.now)
        away = math.atan2(y - eye[1], x - eye[0])
        far = radius + body.radius + 0.01
        return x + far * math.cos(away), y + far * math.sin(away)

    def way(self, body, target):
        for _ in range(200):
            middle = (self.behind(body) if self.rng.random() < 0.4 else (self.rng.uniform(-0.42, 0.32), self.rng.uniform(-0.45, 0.45)))
            if self.within(*middle, body.radius) and self.is_clear(body.place, middle, body) and self.is_clear(middle, target, body):
                return [middle, target]
        return [target] if self.is_clear(body.place, target, body) else None

    # ---- what is done ----

    def carry(self, body, points, turn_deg):
        """By a hand that comes from the side, along these points; lifted, or pushed."""
        rng = self.rng
        lift = rng.uniform(0.02, 0.08) if rng.random() < 0.5 else 0
        ground = DISC_HEIGHT_M if self.on_disc else 0
        rest = ground + body.half_height
        side = math.atan2(body.place[1] or 1, -0.3) + rng.uniform(-0.3, 0.3)
        self.come(body, side, rest)
        x, y, turn = body.place
        body.path.append((self.now, x, y, rest, turn))
        if lift:
            self.now += 0.25
            body.path.append((self.now, x, y, rest + lift, turn))
        speed, length = rng.uniform(0.12, 0.45), sum(math.dist(a, b) for a, b in zip([(x, y)] + points, points))
        for next_x, next_y in points:
            step = math.hypot(next_x - x, next_y - y)
            self.now += max(0.05, step / speed)
            turn += turn_deg * step / max(1e-6, length)
            x, y = next_x, next_y
            body.path.append((self.now, x, y, rest + lift, turn))
            self.hold(body, side, x, y, rest + lift)
        if lift:
            self.now += 0.25
            body.path.append((self.now, x, y, rest, turn))
        body.place = (x, y, turn)
        self.leave(body, side, rest)

    def hold(self, body, side, x, y, height, out=0.0):
        top = height + body.half_height
        for name, off, above in (("arm", ARM_M[0] / 2 + 0.02, 0.03), ("hand", 0.5 * body.radius, 0.0)):
            far = off + out
            self.tools[name].path.append((self.now, x + far * math.cos(side), y + far * math.sin(side), top + above, math.degrees(side)))

    def come(self, body, side, rest):
        self.hold(body, side, *body.place[:2], rest, AWAY_M)
        self.now += 0.7
        self.hold(body, side, *body.place[:2], rest)
        self.now += 0.1
        self.hold(body, side, *body.place[:2], rest)

    def leave(self, body, side, rest):
        self.now += 0.1
        self.hold(body, side, *body.place[:2], rest)
        self.now += 0.7
        self.hold(body, side, *body.place[:2], rest, AWAY_M)
        self.now += 0.05

    def move(self, name, target=None):
        body = self.objects[name]
        target = target or self.somewhere(body.radius, name)
        points = target and self.way(body, target)
        if points:
            self.carry(body, points, self.rng.uniform(-180, 180))
            self.events.append((round(self.now, 1), "moved", name))
        return bool(points)

    def exchange(self):
        one, other = self.rng.sample(sorted(self.objects), 2)
        a, b = self.objects[one], self.objects[other]
        place_a, place_b = a.place[:2], b.place[:2]
        if not (apart([p for p in self.taken(one) if p[:2] != place_b], *place_b, a.radius)
                and apart([p for p in self.taken(other) if p[:2] != place_a], *place_a, b.radius)):
            return
        if self.move(one) and math.dist(a.place[:2], place_a) > a.radius + b.radius and self.move(other, place_a):
            self.move(one, place_b)
            self.events.append((round(self.now, 1), "exchanged", f"{one} {other}"))

    def screen(self):
        """A board is held before one for some seconds; meanwhile it may be carried off, or another brought behind it."""
        name = self.rng.choice(sorted(self.objects))
        body = self.objects[name]
        x, y = body.place[:2]
        eye = self.eye(self.now)
        toward = math.atan2(eye[1] - y, eye[0] - x)
        far = body.radius + 0.02
        a, b = x + far * math.cos(toward), y + far * math.sin(toward)
        self.show_board(a, b, toward)
        self.now += self.rng.uniform(1.5, 4)
        if self.rng.random() < 0.5:
            self.move(name)
        self.now += self.rng.uniform(0.5, 3)
        self.hide_board(a, b, toward)
        self.events.append((round(self.now, 1), "screened", name))

    def show_board(self, x, y, toward):
        board, yaw, side = self.tools["board"], math.degrees(toward), math.copysign(AWAY_M, y)
        board.path += [(self.now, x, side, 0.35, yaw), (self.now + 0.8, x, y, 0.2, yaw), (self.now + 1, x, y, BOARD_M[2] / 2, yaw)]
        self.now += 1

    def hide_board(self, x, y, toward):
        board, yaw, side = self.tools["board"], math.degrees(toward), math.copysign(AWAY_M, y)
        board.path += [(self.now, x, y, BOARD_M[2] / 2, yaw), (self.now + 0.2, x, y, 0.2, yaw), (self.now + 1, x, side, 0.35, yaw)]
        self.now += 1

    def act(self):
        chance = self.rng.random()
        if chance < 0.15:
            self.exchange()
        elif chance < 0.4 and not self.on_disc:
            self.screen()
        else:
            self.move(self.rng.choice(sorted(self.objects)))
        self.now += self.rng.uniform(0.8, 3)

    # ---- the world ----

    def light(self):
        rng = self.rng
        color = "#%02x%02x%02x" % tuple(int(255 * rng.uniform(0.88, 1)) for _ in range(3))
        return (f"lamp_m: [{rng.uniform(-1.5, 1.5):.2f}, {rng.uniform(-1.5, 1.5):.2f}, {rng.uniform(1.6, 3):.2f}], "
                f'lamp_strength: {rng.uniform(0.5, 1.05):.2f}, lamp_color: "{color}", ambient: {rng.uniform(0.3, 0.6):.2f}')

    def lighting(self):
        """Slowly, or from one image to the next as where somebody turns a switch."""
        lines, now, before = [], 0, self.light()
        first = before
        while len(lines) < 50 and now < self.seconds:
            now += self.rng.uniform(6, 25)
            if self.rng.random() < 0.25:
                lines.append(f"{{at_s: {now - 0.1:.2f}, {before}}}")
            before = self.light()
            lines.append(f"{{at_s: {now:.2f}, {before}}}")
        return (f'lighting: {{lamp_radius_m: 0.15, sky: "#8f979e", {first},\n  path: [' + ",\n    ".join(lines) + "]}\n")

    def text(self, rate_hz):
        while self.now < self.seconds - 4:
            self.act()
        lines = [line for body in [*self.objects.values(), *self.tools.values()] for line in with_path(body)]
        return (f"about: bench\nseed: {self.rng.randrange(1 << 20)}\nrate_hz: {rate_hz}\nimages: {round(self.seconds * rate_hz)}\n"
                f"sensor: {{preset: {self.rng.choice(['clean', 'clean', 'noisy'])}}}\n" + self.lighting() + CAMERA
                + (RING + DISC + f"motion: {{period_s: {TURN_S}}}\n" if self.on_disc else "")
                + "things:\n" + "".join(self.stills) + "".join(lines))


def with_path(body):
    """The thing's line, with its waypoints on lines of their own."""
    if not body.path:
        return [body.text]
    points, last = [], 0
    for at, x, y, z, turn in body.path:
        at = max(at, last + 0.001)
        last = at
        points.append(f"      {{at_s: {at:.3f}, position_m: [{x:.5f}, {y:.5f}, {z:.5f}], yaw_deg: {turn:.2f}}}")
    return [body.text.rstrip()[:-1] + ", path: [\n" + ",\n".join(points) + "]}\n"]
