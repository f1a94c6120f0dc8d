// Bodies' outlines from straight above: triangles are put into a grid, once for each body and tilt, and the grid's edge is followed.
const SIDE = 192, TILT_STEPS = 8, SIMPLE = 0.7; // cells; steps of the body's up direction; cells: how far a corner may be left out
const known = new WeakMap(); // body -> {tilt: loops}; a loop: corners [x, y, z] in thousandths of the body's box

const tiltOf = R => [R[6], R[7], R[8]].map(v => Math.round(TILT_STEPS * v) / TILT_STEPS);

// Two directions of the body's box that are level where `up` is upright.
function levelAxes(up) {
  const far = Math.hypot(...up) || 1, u = up.map(v => v / far), from = Math.abs(u[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const along = from[0] * u[0] + from[1] * u[1], a = from.map((v, i) => v - along * u[i]), length = Math.hypot(...a);
  const e = a.map(v => v / length);
  return [e, [u[1] * e[2] - u[2] * e[1], u[2] * e[0] - u[0] * e[2], u[0] * e[1] - u[1] * e[0]]];
}

// Which cells a body covers, and the body's point in each: {filled, points}.
function fillGrid(body, axes, size) {
  const filled = new Uint8Array(SIDE * SIDE), points = new Float32Array(3 * SIDE * SIDE);
  const reach = Math.hypot(...size) / 2 || 1, scale = (SIDE / 2 - 2) / reach;
  const place = p => axes.map(e => SIDE / 2 + scale * (e[0] * p[0] * size[0] + e[1] * p[1] * size[1] + e[2] * p[2] * size[2]) / 1000);
  for (const {corners} of body)
    for (let i = 0; i < corners.length; i += 9) {
      const [A, B, C] = [0, 3, 6].map(k => [corners[i + k], corners[i + k + 1], corners[i + k + 2]]), [a, b, c] = [A, B, C].map(place);
      const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
      const low = [0, 1].map(k => Math.floor(Math.min(a[k], b[k], c[k]))), high = [0, 1].map(k => Math.ceil(Math.max(a[k], b[k], c[k])));
      for (let y = low[1]; y <= high[1]; y++)
        for (let x = low[0]; x <= high[0]; x++) {
          const px = x - a[0], py = y - a[1];
          const u = (px * (c[1] - a[1]) - py * (c[0] - a[0])) / area, v = (py * (b[0] - a[0]) - px * (b[1] - a[1])) / area;
          if (!(u >= 0 && v >= 0 && u + v <= 1)) continue;
          filled[y * SIDE + x] = 1;
          for (let k = 0; k < 3; k++) points[3 * (y * SIDE + x) + k] = A[k] + u * (B[k] - A[k]) + v * (C[k] - A[k]);
        }
    }
  return {filled, points};
}

// The edge between filled cells and empty ones, as loops of the filled cells along it.
function followEdges(filled) {
  const at = (x, y) => x >= 0 && y >= 0 && x < SIDE && y < SIDE && filled[y * SIDE + x], from = new Map();
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++) {
      if (!at(x, y)) continue;
      const add = (ax, ay, bx, by) => { const key = ay * 1024 + ax; from.set(key, [...from.get(key) ?? [], [by * 1024 + bx, y * SIDE + x]]); };
      if (!at(x, y - 1)) add(x, y, x + 1, y);
      if (!at(x + 1, y)) add(x + 1, y, x + 1, y + 1);
      if (!at(x, y + 1)) add(x + 1, y + 1, x, y + 1);
      if (!at(x - 1, y)) add(x, y + 1, x, y);
    }
  const loops = [];
  for (const start of from.keys())
    while (from.get(start)?.length) {
      const cells = [];
      for (let here = start; from.get(here)?.length;) {
        const [next, cell] = from.get(here).pop();
        if (cells.at(-1) !== cell) cells.push(cell);
        here = next;
      }
      loops.push(cells);
    }
  return loops;
}

// Fewer corners, none of those left out farther than SIMPLE from the line (Douglas & Peucker 1973).
function simplify(cells) {
  if (cells.length < 3) return cells;
  const [ax, ay] = [cells[0] % SIDE, Math.floor(cells[0] / SIDE)], [bx, by] = [cells.at(-1) % SIDE, Math.floor(cells.at(-1) / SIDE)];
  const length = Math.hypot(bx - ax, by - ay);
  let far = 0, most = 0;
  for (let i = 1; i + 1 < cells.length; i++) {
    const x = cells[i] % SIDE - ax, y = Math.floor(cells[i] / SIDE) - ay;
    const off = length < 1 ? Math.hypot(x, y) : Math.abs(x * (by - ay) - y * (bx - ax)) / length;
    if (off > most) { most = off; far = i; }
  }
  return most <= SIMPLE ? [cells[0], cells.at(-1)] : [...simplify(cells.slice(0, far + 1)).slice(0, -1), ...simplify(cells.slice(far))];
}

function loopsOf(body, up, size) {
  const {filled, points} = fillGrid(body, levelAxes(up), size);
  return followEdges(filled).filter(cells => cells.length > 4).map(cells => simplify([...cells, cells[0]]).slice(0, -1)
    .map(cell => [...points.subarray(3 * cell, 3 * cell + 3)]));
}

/** A body's outline from above: loops of [x, y], in metres in the table's frame. */
export function outlineOf(body, {at, size, R}) {
  const up = tiltOf(R), key = `${up} ${up[2] ** 2 === 1 ? "" : size.map(v => Math.round(10 * v / Math.max(...size)))}`;
  if (!known.has(body)) known.set(body, new Map());
  const tilts = known.get(body);
  if (!tilts.has(key)) tilts.set(key, loopsOf(body, up, size));
  return tilts.get(key).map(loop => loop.map(([x, y, z]) => {
    const b = [x * size[0] / 1000, y * size[1] / 1000, z * size[2] / 1000];
    return [at[0] + R[0] * b[0] + R[1] * b[1] + R[2] * b[2], at[1] + R[3] * b[0] + R[4] * b[1] + R[5] * b[2]];
  }));
}
