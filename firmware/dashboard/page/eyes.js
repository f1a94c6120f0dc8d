// What a viewer sees, drawn from the estimated scene: bodies of the things' classes, stretched to their boxes, at their poses;
// triangles into a depth buffer. The station sends the bodies once; all the drawing is the browser's.
const $ = id => document.getElementById(id);
const HALF_MAX_RAD = 55 * Math.PI / 180, NEAR_M = 0.01, WIDTH_MAX = 720;
const LIGHT = [0.36, -0.48, 0.8];
const PALETTE = ["#e69f00", "#56b4e9", "#cc79a7", "#009e73", "#d55e00", "#0072b2"];

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const rotate = (R, [x, y, z]) => [R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z];
const rgb = text => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16));

// ---- bodies ----

function sphere() {
  const corners = [], rings = 12, sides = 20;
  const at = (i, j) => [500 * Math.sin(Math.PI * i / rings) * Math.cos(2 * Math.PI * j / sides),
    500 * Math.sin(Math.PI * i / rings) * Math.sin(2 * Math.PI * j / sides), 500 * Math.cos(Math.PI * i / rings)];
  for (let i = 0; i < rings; i++)
    for (let j = 0; j < sides; j++)
      corners.push(...at(i, j), ...at(i + 1, j), ...at(i + 1, j + 1), ...at(i, j), ...at(i + 1, j + 1), ...at(i, j + 1));
  return corners;
}

function box() {
  const corners = [];
  for (const axis of [0, 1, 2])
    for (const side of [-500, 500]) {
      const face = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([u, v]) => {
        const corner = [0, 0, 0];
        corner[axis] = side;
        corner[(axis + 1) % 3] = 500 * u * Math.sign(side);
        corner[(axis + 2) % 3] = 500 * v;
        return corner;
      });
      for (const k of [0, 1, 2, 0, 2, 3]) corners.push(...face[k]);
    }
  return corners;
}

const BALL = sphere(), BOX = box();

function partsOf({bodies}, entity, index) {
  const colour = entity.colour ?? PALETTE[index % PALETTE.length];
  if (entity.colour || (entity.sphere && !bodies[entity.class])) return [{colour, corners: BALL}];
  return bodies[entity.class] ?? [{colour, corners: entity.sphere ? BALL : BOX}];
}

// ---- the eye ----

// The part of a view that things are in: as tangents to the right and up; it only grows, so that things move and not the view.
let part = null;

function partOf(viewer, seen, aspect) {
  const key = [viewer.name, aspect, ...seen.map(entity => entity.name)].join("\n");
  if (part?.key !== key) part = {key, low: [Infinity, Infinity], high: [-Infinity, -Infinity]};
  const {eye, ahead, right} = axesOf(viewer), most = Math.tan(Math.min(viewer.field.half[0], HALF_MAX_RAD));
  for (const {at, size} of seen) {
    const v = at.map((value, i) => value - eye[i]), z = dot(v, ahead), reach = Math.hypot(...size) / 2;
    if (z <= reach) continue;
    for (const [axis, tangent] of [dot(v, right) / z, v[2] / z].entries()) {
      part.low[axis] = Math.max(-most, Math.min(part.low[axis], tangent - 1.3 * reach / z));
      part.high[axis] = Math.min(most, Math.max(part.high[axis], tangent + 1.3 * reach / z));
    }
  }
  const isEmpty = !(part.high[0] > part.low[0]);
  const middle = isEmpty ? [0, 0] : [0, 1].map(axis => (part.low[axis] + part.high[axis]) / 2);
  const half = isEmpty ? most : Math.max(0.3, (part.high[0] - part.low[0]) / 2, (part.high[1] - part.low[1]) / 2 * aspect);
  return {middle, half: 1.08 * half};
}

// Axes of the picture: right, up, ahead; the head is upright.
function axesOf(viewer) {
  const ahead = [Math.cos(viewer.yaw), Math.sin(viewer.yaw), 0];
  return {eye: rotate(viewer.R, viewer.field.eye).map((v, i) => v + viewer.at[i]), ahead, right: [ahead[1], -ahead[0], 0]};
}

function eyeOf(viewer, seen, width, height) {
  const {middle, half} = partOf(viewer, seen, width / height), focal = width / 2 / half;
  return {...axesOf(viewer), focal, width, height, cx: width / 2 - focal * middle[0], cy: height / 2 + focal * middle[1],
    angle: Math.atan(middle[0] + half) - Math.atan(middle[0] - half)};
}

// ---- triangles ----

function put(picture, corners, shade, depth, {width, height}) {
  const [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = corners;
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (area === 0) return;
  const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5)), right = Math.min(width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
  const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5)), bottom = Math.min(height - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
  const a = 1 / az, b = 1 / bz, c = 1 / cz;
  for (let y = top; y <= bottom; y++)
    for (let x = left; x <= right; x++) {
      const px = x + 0.5, py = y + 0.5;
      const u = ((px - ax) * (cy - ay) - (py - ay) * (cx - ax)) / area, v = ((bx - ax) * (py - ay) - (by - ay) * (px - ax)) / area;
      if (u < 0 || v < 0 || u + v > 1) continue;
      const near = a + u * (b - a) + v * (c - a), at = y * width + x; // 1 / distance is straight in the picture
      if (near <= depth[at]) continue;
      depth[at] = near;
      picture[at] = shade;
    }
}

// What of a triangle is ahead of the eye: a fan of corners.
function clip(corners) {
  const kept = [];
  for (let i = 0; i < 3; i++) {
    const from = corners[i], to = corners[(i + 1) % 3];
    if (from[2] > NEAR_M) kept.push(from);
    if ((from[2] > NEAR_M) !== (to[2] > NEAR_M)) {
      const t = (NEAR_M - from[2]) / (to[2] - from[2]);
      kept.push(from.map((v, k) => v + t * (to[k] - v)));
    }
  }
  return kept;
}

function shadeOf([red, green, blue], lit) {
  return 255 << 24 | Math.min(255, blue * lit) << 16 | Math.min(255, green * lit) << 8 | Math.min(255, red * lit);
}

function drawBody(picture, depth, view, entity, parts) {
  const {at, size, R} = entity, {eye, ahead, right, focal, cx, cy} = view;
  for (const {colour, corners} of parts) {
    const base = rgb(colour);
    for (let i = 0; i < corners.length; i += 9) {
      const points = [0, 3, 6].map(k => rotate(R, [0, 1, 2].map(axis => corners[i + k + axis] * size[axis] / 1000))
        .map((v, axis) => v + at[axis] - eye[axis]));
      const [p, q, r] = points;
      const e = q.map((v, k) => v - p[k]), f = r.map((v, k) => v - p[k]);
      const normal = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
      if (dot(normal, p) >= 0) continue; // its back
      const lit = 0.55 + 0.5 * Math.max(0, dot(normal, LIGHT) / Math.hypot(...normal));
      const fan = clip(points.map(point => [dot(point, right), point[2], dot(point, ahead)]))
        .map(([x, y, z]) => [cx + focal * x / z, cy - focal * y / z, z]);
      for (let k = 2; k < fan.length; k++) put(picture, [fan[0], fan[k - 1], fan[k]], shadeOf(base, lit), depth, view);
    }
  }
}

// Sky above the horizon; below, the table's plane as a chessboard, which shows how far things are.
function drawGround(picture, depth, {eye, ahead, right, focal, width, height, cx, cy}, side) {
  for (let y = 0; y < height; y++) {
    const down = (y + 0.5 - cy) / focal, far = eye[2] / down;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (down <= 0 || eye[2] <= 0) { picture[at] = shadeOf([205, 218, 230], 1); continue; }
      const aside = (x + 0.5 - cx) / focal * far;
      const gx = eye[0] + far * ahead[0] + aside * right[0], gy = eye[1] + far * ahead[1] + aside * right[1];
      const odd = (Math.floor(gx / side) + Math.floor(gy / side)) & 1, fog = Math.min(1, far / side / 40);
      picture[at] = shadeOf([176, 164, 146].map(v => v + (odd ? 10 : -10) * (1 - fog) + 24 * fog), 1);
      depth[at] = 0;
    }
  }
}

// ---- the field of view ----

// Tangents to the right and up of the field's edge, once round. A cone is elliptical in perimetry's polar plot, as in
// perception/visibility; beyond 90 degrees no picture reaches.
function edgeOf({shape, half: [h, v]}) {
  const most = 89.5 * Math.PI / 180;
  if (shape !== "cone") return [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(([i, j]) => [i * Math.tan(Math.min(h, most)), j * Math.tan(Math.min(v, most))]);
  return Array.from({length: 72}, (_, i) => {
    const meridian = i * Math.PI / 36, across = Math.cos(meridian), up = Math.sin(meridian);
    const eccentricity = Math.min(most, 1 / Math.hypot(across / h, up / v));
    return [across * Math.tan(eccentricity), up * Math.tan(eccentricity)];
  });
}

// What is drawn but beyond the field lies in the dark.
function darkenBeyond(pen, viewer, {focal, cx, cy, width, height}) {
  pen.beginPath();
  pen.rect(0, 0, width, height);
  for (const [i, [x, y]] of edgeOf(viewer.field).entries()) pen[i ? "lineTo" : "moveTo"](cx + focal * x, cy - focal * y);
  pen.closePath();
  pen.fillStyle = "#000a";
  pen.fill("evenodd");
}

// ---- the whole ----

let buffers = null;
function buffersOf(width, height) {
  if (buffers?.image.width !== width || buffers.image.height !== height) {
    const image = new ImageData(width, height);
    buffers = {image, picture: new Uint32Array(image.data.buffer), depth: new Float32Array(width * height)};
  }
  buffers.depth.fill(0);
  return buffers;
}

function chooseViewer({update, view}) {
  const viewers = update.entities.filter(entity => entity.field && entity.at && entity.yaw !== undefined && !entity.camera);
  return viewers.find(entity => entity.name === view.viewer) ?? viewers.find(entity => entity.addressee) ?? viewers[0];
}

function caption(viewer, angle) {
  const degrees = rad => Math.round(rad * 180 / Math.PI), whole = degrees(2 * viewer.field.half[0]);
  const words = degrees(angle) < whole ? `${degrees(angle)}° of ${whole}°` : "";
  if ($("eyes-name").textContent !== viewer.name) $("eyes-name").textContent = viewer.name;
  if ($("eyes-note").textContent !== words) $("eyes-note").textContent = words;
}

export function drawEyes(canvas, state) {
  const viewer = chooseViewer(state);
  const width = Math.round(Math.min(WIDTH_MAX, canvas.clientWidth)), height = Math.round(width * canvas.clientHeight / canvas.clientWidth);
  if (!(width > 1 && height > 1)) return;
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  const pen = canvas.getContext("2d");
  if (!viewer) { pen.clearRect(0, 0, width, height); return; }
  const seen = state.update.entities.filter(entity => entity.at && !entity.camera && entity !== viewer);
  const {image, picture, depth} = buffersOf(width, height), view = eyeOf(viewer, seen, width, height);
  const side = Math.max(...state.update.entities.filter(entity => entity.size).map(entity => entity.size[0]), 0.01) / 2;
  drawGround(picture, depth, view, side);
  state.update.entities.forEach((entity, index) => {
    if (seen.includes(entity)) drawBody(picture, depth, view, entity, partsOf(state, entity, index));
  });
  pen.putImageData(image, 0, 0);
  darkenBeyond(pen, viewer, view);
  caption(viewer, view.angle);
}
