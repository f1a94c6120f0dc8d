// A viewer's sight, drawn from the estimated scene: bodies of the things' classes, stretched to their boxes, at their poses, in
// their true colours; triangles into a depth buffer of twice the size, which is then shrunk. Visible things are in the picture's middle;
// narrow views are in perspective, wide ones turn stereographic, where a ball stays round wherever it is. The station sends the bodies once; the drawing is the browser's.
import {capital, setText, spoken} from "./words.js";
import {write} from "./sheet.js";
import {ROLE_INKS, roleOf} from "./image.js";

const $ = id => document.getElementById(id);
const NEAR_M = 0.01, WIDTH_MAX = 1000, DEG = Math.PI / 180;
const LIGHT = [0.36, -0.48, 0.8], GROUND = [176, 164, 146];
const SOFT = 0.3, DARKEST = 0.5; // of a shadow: its edge, of half of the thing; how much light it takes; chosen
const BEHIND = -0.35; // cosine: farther round, the projection reaches too far

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const rotate = (R, [x, y, z]) => [R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z];
const rgb = text => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16));

// ---- bodies ----

function sphere() {
  const corners = [], rings = 20, sides = 32;
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

const BALL = sphere(), BOX = box(), PALETTE = ["#e69f00", "#56b4e9", "#cc79a7", "#009e73", "#d55e00", "#0072b2"];

function areaOf({corners}) {
  let area = 0;
  for (let i = 0; i < corners.length; i += 9) {
    const [e, f] = [[3, 4, 5], [6, 7, 8]].map(k => k.map((j, axis) => corners[i + j] - corners[i + axis]));
    area += Math.hypot(...cross(e, f));
  }
  return area;
}

// The largest part of a body is what one names its colour by; people keep their clothes.
const mains = new WeakMap();
function partsOf({bodies, tints}, entity, index) {
  const tint = tints.get(entity.name), body = bodies[entity.class];
  if (!body) return [{colour: tint ?? entity.colour ?? PALETTE[index % PALETTE.length], corners: entity.sphere ? BALL : BOX}];
  if (!tint || entity.field) return body;
  if (!mains.has(body)) mains.set(body, body.reduce((best, part) => areaOf(part) > areaOf(best) ? part : best));
  return body.map(part => part === mains.get(body) ? {...part, colour: tint} : part);
}

// ---- the eye ----

// Directions, about the viewer's heading, that things are in: [low, high] of yaw and pitch. They only grow, so that things move
// and not the view.
let part = null;

// Where a head looks, or, where it is not seen apart, the body faces.
const lookOf = viewer => viewer.look ?? viewer.yaw;

function directionOf(eye, yaw, at) {
  const v = at.map((value, i) => value - eye[i]), far = Math.hypot(...v);
  const turn = Math.atan2(v[1], v[0]) - yaw;
  return {yaw: Math.atan2(Math.sin(turn), Math.cos(turn)), pitch: Math.asin(v[2] / far), far};
}

function partOf(viewer, eye, seen) {
  const key = [viewer.name, ...seen.map(entity => entity.name)].join("\n");
  if (part?.key !== key) part = {key, low: [Infinity, Infinity], high: [-Infinity, -Infinity]};
  const most = Math.min(viewer.field.half[0], 100 * DEG);
  for (const {at, size} of seen) {
    const {yaw, pitch, far} = directionOf(eye, lookOf(viewer), at), reach = Math.hypot(...size) / 2;
    if (far <= reach || Math.abs(yaw) > most) continue;
    const wide = Math.asin(reach / far);
    [yaw, pitch].forEach((angle, axis) => {
      part.low[axis] = Math.max(-most, Math.min(part.low[axis], angle - wide));
      part.high[axis] = Math.min(most, Math.max(part.high[axis], angle + wide));
    });
  }
  if (!(part.high[0] > part.low[0])) return {low: [-0.5, -0.4], high: [0.5, 0.2]};
  return part;
}

// A direction [right, up, ahead] of length 1 to the picture's plane, where the middle's scale is 1; bend 0: in perspective, 1: stereographic.
const flat = ([x, y, z], bend) => [(1 + bend) * x / (bend + z), (1 + bend) * y / (bend + z)];
const reachAt = (angle, bend) => (1 + bend) * Math.sin(angle) / (bend + Math.cos(angle));

// The cosine of a direction's angle from the middle, of its squared distance there over (1 + bend)^2.
const aheadOf = (k, bend) => (-bend * k + Math.sqrt(Math.max(0, 1 + k * (1 - bend * bend)))) / (k + 1);

// The head is upright, and turns to the middle of what is seen.
function eyeOf(viewer, seen, width, height) {
  const eye = rotate(viewer.R, viewer.field.eye).map((v, i) => v + viewer.at[i]), {low, high} = partOf(viewer, eye, seen);
  const yaw = lookOf(viewer) + (low[0] + high[0]) / 2, pitch = (low[1] + high[1]) / 2;
  const ahead = [Math.cos(yaw) * Math.cos(pitch), Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch)];
  const right = [Math.sin(yaw), -Math.cos(yaw), 0], up = cross(right, ahead);
  const halves = [0, 1].map(axis => Math.max(0.14, (high[axis] - low[axis]) / 2));
  const bend = Math.max(0, Math.min(1, (Math.hypot(...halves) - 20 * DEG) / (35 * DEG)));
  const half = halves.map(angle => 1.08 * reachAt(angle, bend)), focal = Math.min(width / 2 / half[0], height / 2 / half[1]);
  return {eye, ahead, right, up, focal, bend, width, height, cx: width / 2, cy: height / 2,
    angle: 2 * Math.acos(aheadOf((width / 2 / focal / (1 + bend)) ** 2, bend)),
    key: [...eye.map(v => v.toPrecision(3)), ...ahead.map(v => v.toFixed(3)), focal.toFixed(0), width, height].join()};
}

const onPage = ({focal, bend, cx, cy}, direction) => { const [x, y] = flat(direction, bend); return [cx + focal * x, cy - focal * y]; };
const seenFrom = ({right, up, ahead}, v) => [dot(v, right), dot(v, up), dot(v, ahead)];

// ---- triangles ----

// Corners on the page: x, y, 1 / distance, three times.
const placed = new Float64Array(9);

function put(picture, depth, {width, height}, shade) {
  const [ax, ay, az, bx, by, bz, cx, cy, cz] = placed, area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (area === 0) return;
  const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5)), right = Math.min(width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
  const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5)), bottom = Math.min(height - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
  const uy = -(cx - ax) / area, ux = (cy - ay) / area, vy = (bx - ax) / area, vx = -(by - ay) / area;
  for (let y = top; y <= bottom; y++)
    for (let x = left; x <= right; x++) {
      const px = x + 0.5 - ax, py = y + 0.5 - ay, u = px * ux + py * uy, v = px * vx + py * vy;
      if (u < 0 || v < 0 || u + v > 1) continue;
      const near = az + u * (bz - az) + v * (cz - az), at = y * width + x;
      if (near <= depth[at]) continue;
      depth[at] = near;
      picture[at] = shade;
    }
}

function shadeOf([red, green, blue], lit) {
  return 255 << 24 | Math.min(255, blue * lit) << 16 | Math.min(255, green * lit) << 8 | Math.min(255, red * lit);
}

// Directions from the eye, and 1 / distance; null: too near, or too far round.
function corner(view, v) {
  const far = Math.hypot(...v);
  if (far < NEAR_M) return null;
  const direction = seenFrom(view, v).map(value => value / far);
  return direction[2] < Math.max(0.05 - view.bend, BEHIND) ? null : [...onPage(view, direction), 1 / far];
}

// A body may have ten thousand corners, so nothing is allocated for each: they go from the body's thousandths to the eye's axes, which are
// left-handed, so that normals point the other way there.
const seenCorners = new Float64Array(9);

function drawBody(picture, depth, view, {at, size, R}, parts) {
  const {right, up, ahead, eye, focal, bend, cx, cy} = view, axes = [right, up, ahead], limit = Math.max(0.05 - bend, BEHIND);
  const M = axes.flatMap(([x, y, z]) => [0, 1, 2].map(j => (x * R[j] + y * R[3 + j] + z * R[6 + j]) * size[j] / 1000));
  const offset = seenFrom(view, at.map((value, axis) => value - eye[axis])), [lx, ly, lz] = seenFrom(view, LIGHT).map(value => -value), v = seenCorners;
  for (const {colour, corners} of parts) {
    const base = rgb(colour);
    for (let i = 0; i < corners.length; i += 9) {
      for (let k = 0; k < 9; k += 3) {
        const x = corners[i + k], y = corners[i + k + 1], z = corners[i + k + 2];
        v[k] = M[0] * x + M[1] * y + M[2] * z + offset[0];
        v[k + 1] = M[3] * x + M[4] * y + M[5] * z + offset[1];
        v[k + 2] = M[6] * x + M[7] * y + M[8] * z + offset[2];
      }
      const ex = v[3] - v[0], ey = v[4] - v[1], ez = v[5] - v[2], fx = v[6] - v[0], fy = v[7] - v[1], fz = v[8] - v[2];
      const nx = ey * fz - ez * fy, ny = ez * fx - ex * fz, nz = ex * fy - ey * fx;
      if (nx * v[0] + ny * v[1] + nz * v[2] <= 0) continue; // its back
      let isSeen = true;
      for (let k = 0; k < 9 && isSeen; k += 3) {
        const far = Math.sqrt(v[k] * v[k] + v[k + 1] * v[k + 1] + v[k + 2] * v[k + 2]), scale = focal * (1 + bend) / (bend * far + v[k + 2]);
        isSeen = far >= NEAR_M && v[k + 2] >= limit * far;
        placed[k] = cx + scale * v[k];
        placed[k + 1] = cy - scale * v[k + 1];
        placed[k + 2] = 1 / far;
      }
      if (!isSeen) continue;
      const lit = 0.6 + 0.5 * Math.max(0, (nx * lx + ny * ly + nz * lz) / Math.sqrt(nx * nx + ny * ny + nz * nz));
      put(picture, depth, view, shadeOf(base, lit));
    }
  }
}

// How dark a point under a thing is, 0 to 1: a soft shadow of its box, or of its ball, that ends a little outside it.
function shadeUnder(x, y, hx, hy, round, soft) {
  const dx = Math.max(Math.abs(x) - hx + round, 0), dy = Math.max(Math.abs(y) - hy + round, 0);
  if (dx > round + soft || dy > round + soft) return 0;
  const share = Math.max(0, Math.min(1, 0.5 - (Math.sqrt(dx * dx + dy * dy) - round) / (2 * soft)));
  return share * share * (3 - 2 * share);
}

// The pixels' rectangle that holds what is dark under a thing: [left, right, top, bottom].
function reachOfShadow({eye, width, height, ...view}, {at, R}, half, soft, down) {
  const rim = Array.from({length: 16}, (_, i) => {
    const [a, b] = [Math.cos, Math.sin].map((f, axis) => 1.5 * (half[axis] + soft) * f(i * Math.PI / 8));
    return corner(view, [at[0] + R[0] * a + R[1] * b - eye[0], at[1] + R[3] * a + R[4] * b - eye[1], down]);
  });
  if (rim.includes(null)) return [0, width - 1, 0, height - 1];
  const low = axis => Math.max(0, Math.floor(Math.min(...rim.map(p => p[axis])))), high = (axis, most) =>
    Math.min(most, Math.ceil(Math.max(...rim.map(p => p[axis]))));
  return [low(0), high(0, width - 1), low(1), high(1, height - 1)];
}

// Which pixels of the ground a thing makes darker, and how much of their light it leaves.
function findShadow({gx, gy}, view, thing) {
  const {eye, width} = view, {at, size, R, sphere: isBall} = thing, down = Math.max(0, at[2] - size[2] / 2) - eye[2], where = [], keep = [];
  if (down > -0.01) return {where, keep};
  const half = [size[0] / 2, size[1] / 2], round = (isBall ? 1 : 0.5) * Math.min(...half), soft = SOFT * Math.hypot(...half);
  const [left, right, top, bottom] = reachOfShadow(view, thing, half, soft, down), lift = down / -eye[2];
  const flatten = Math.hypot(R[0], R[3]) || 1, c = R[0] / flatten, s = R[3] / flatten;
  for (let y = top; y <= bottom; y++)
    for (let x = left, i = y * width + left; x <= right; x++, i++) {
      const px = eye[0] + lift * (gx[i] - eye[0]) - at[0], py = eye[1] + lift * (gy[i] - eye[1]) - at[1];
      const dark = shadeUnder(c * px + s * py, c * py - s * px, half[0], half[1], round, soft);
      if (dark > 0) { where.push(i); keep.push(1 - DARKEST * dark); } // NaN, the sky, is not
    }
  return {where, keep};
}

// Where a thing is and how it looks, so coarsely that a difference is not seen: a hundredth of its size, a degree.
function lookOfThing({at, size, R}, parts) {
  const steps = value => Math.round(100 * value / Math.max(...size));
  return [at.map(steps), R.map(value => value.toFixed(2)), size.map(value => value.toPrecision(2)),
    parts.map(({colour}) => rgb(colour).map(value => value >> 3).join("."))].join();
}

// On what a thing stands on, where no body is drawn.
function drawShadow({picture, depth}, plane, view, thing) {
  const {where, keep} = findShadow(plane, view, thing);
  for (let k = 0; k < where.length; k++) {
    if (depth[where[k]]) continue;
    const pixel = picture[where[k]], left = keep[k];
    picture[where[k]] = 255 << 24 | (pixel >> 16 & 255) * left << 16 | (pixel >> 8 & 255) * left << 8 | (pixel & 255) * left;
  }
}

// Sky above the horizon; below, the table's plane as a chessboard, which shows how far things are; where each pixel is on it. Drawn again when the eye moves.
let ground = {key: ""};
function groundOf(view, side) {
  const {eye, ahead, right, up, focal, bend, width, height, cx, cy} = view, key = `${view.key} ${side}`;
  if (ground.key === key) return ground;
  const picture = new Uint32Array(width * height), where = [0, 1].map(() => new Float32Array(width * height).fill(NaN)), sky = shadeOf([205, 218, 230], 1);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const px = (x + 0.5 - cx) / focal, py = (cy - y - 0.5) / focal, z = aheadOf((px * px + py * py) / (1 + bend) ** 2, bend);
      const a = px * (bend + z) / (1 + bend), b = py * (bend + z) / (1 + bend), down = -(b * up[2] + z * ahead[2]);
      if (down <= 1e-4 || eye[2] <= 0) { picture[y * width + x] = sky; continue; }
      const far = eye[2] / down, gx = eye[0] + far * (a * right[0] + b * up[0] + z * ahead[0]);
      const gy = eye[1] + far * (a * right[1] + b * up[1] + z * ahead[1]);
      const odd = (Math.floor(gx / side) + Math.floor(gy / side)) & 1, fog = Math.min(1, far / side / 40);
      const more = (odd ? 8 : -8) * (1 - fog) + 24 * fog;
      where[0][y * width + x] = gx;
      where[1][y * width + x] = gy;
      picture[y * width + x] = 255 << 24 | GROUND[2] + more << 16 | GROUND[1] + more << 8 | GROUND[0] + more;
    }
  ground = {key, picture, gx: where[0], gy: where[1]};
  return ground;
}

// ---- the field of view ----

// Directions [right, up, ahead] of the head once round the field's edge. A cone is elliptical in perimetry's polar plot, as in
// perception/visibility.
function edgeOf({shape, half: [h, v]}) {
  if (shape === "cone") return Array.from({length: 72}, (_, i) => {
    const meridian = i * Math.PI / 36, across = Math.cos(meridian), rise = Math.sin(meridian);
    const eccentricity = 1 / Math.hypot(across / h, rise / v);
    return [across * Math.sin(eccentricity), rise * Math.sin(eccentricity), Math.cos(eccentricity)];
  });
  const most = 89 * DEG, a = Math.tan(Math.min(h, most)), b = Math.tan(Math.min(v, most)), corners = [[a, b], [-a, b], [-a, -b], [a, -b]];
  return corners.flatMap(([x, y], i) => Array.from({length: 10}, (_, k) => {
    const [nx, ny] = corners[(i + 1) % 4], direction = [x + k / 10 * (nx - x), y + k / 10 * (ny - y), 1], far = Math.hypot(...direction);
    return direction.map(value => value / far);
  }));
}

// Things beyond the viewer's field are drawn dark.
function darkenBeyond(pen, viewer, view, width, height) {
  const ahead = [Math.cos(lookOf(viewer)), Math.sin(lookOf(viewer)), 0], right = [ahead[1], -ahead[0], 0], scale = width / view.width;
  pen.beginPath();
  pen.rect(0, 0, width, height);
  edgeOf(viewer.field).forEach(([x, y, z], i) => {
    const direction = seenFrom(view, [x * right[0] + z * ahead[0], x * right[1] + z * ahead[1], y]);
    const [px, py] = onPage(view, [direction[0], direction[1], Math.max(0.02 - view.bend, direction[2])]);
    pen[i ? "lineTo" : "moveTo"](px * scale, py * scale);
  });
  pen.closePath();
  pen.fillStyle = "#000a";
  pen.fill("evenodd");
}

// ---- the whole ----

const layer = (width, height) => ({picture: new Uint32Array(width * height), depth: new Float32Array(width * height)});

let buffers = null; // `all`: what is shown; `still`: the ground and what has not moved, which is drawn once
function buffersOf(width, height) {
  if (buffers?.image.width !== width || buffers.image.height !== height) {
    const image = new ImageData(width, height), still = layer(width, height);
    buffers = {image, still, all: {picture: new Uint32Array(image.data.buffer), depth: new Float32Array(width * height)}, stillKey: "", view: null,
      large: new OffscreenCanvas(width, height)};
  }
  return buffers;
}

function drawThings(target, plane, view, things) {
  for (const {entity} of things) drawShadow(target, plane, view, entity);
  for (const {entity, parts} of things) drawBody(target.picture, target.depth, view, entity, parts);
}

// Ground, shadows and bodies. What has stood still for a while is not drawn again.
const STANDS = 8; // pictures; about a second
let looked = new Map(); // name -> {look, len}: for how many pictures it has looked like that
function drawScene({still, all, ...kept}, view, side, things) {
  const plane = groundOf(view, side);
  looked = new Map(things.map(({entity: {name}, look}) => [name, {look, len: looked.get(name)?.look === look ? looked.get(name).len + 1 : 0}]));
  const stands = things.filter(({entity}) => looked.get(entity.name).len >= STANDS);
  const moves = things.filter(thing => !stands.includes(thing)), key = [plane.key, ...stands.map(({entity, look}) => `${entity.name} ${look}`)].join("\n");
  if (key === kept.stillKey && !moves.length && kept.isStill) return false;
  if (key !== kept.stillKey) {
    still.picture.set(plane.picture);
    still.depth.fill(0);
    drawThings(still, plane, view, stands);
  }
  all.picture.set(still.picture);
  all.depth.set(still.depth);
  drawThings(all, plane, view, moves);
  Object.assign(buffers, {stillKey: key, isStill: !moves.length});
  return true;
}

export function chooseViewer({update, view}) {
  const viewers = update.entities.filter(entity => entity.field && entity.at && entity.yaw !== undefined && !entity.camera);
  return viewers.find(entity => entity.name === view.viewer) ?? viewers.find(entity => entity.addressee) ?? viewers[0];
}

function caption(viewer, angle, hasRoom) {
  const degrees = rad => Math.round(rad * 180 / Math.PI), whole = degrees(2 * viewer.field.half[0]);
  setText($("eyes-name"), spoken(viewer));
  setText($("eyes-note"), hasRoom && degrees(angle) < whole ? `sees ${whole}°; shown: middle ${degrees(angle)}°` : "");
}

function markThings(pen, state, view, width, height, unit) {
  for (const entity of state.update.entities) {
    if (!entity.at || entity.name !== state.view.pointed && !state.view.found.includes(entity.name)) continue;
    const v = entity.at.map((value, i) => value - view.eye[i]), placed = corner(view, v);
    if (!placed) continue;
    const [x, y] = placed.map(value => value * width / view.width), reach = 0.4 * Math.hypot(...entity.size) / Math.hypot(...v) * view.focal * width / view.width;
    for (const [thick, ink] of [[6, "#000a"], [3, ROLE_INKS[roleOf(state, entity)]]]) {
      pen.beginPath();
      pen.arc(x, y, reach + 4, 0, 2 * Math.PI);
      pen.lineWidth = thick;
      pen.strokeStyle = ink;
      pen.stroke();
    }
    write({pen, width, unit}, capital(spoken(entity).replace(/^the /, "")), x, Math.max(unit, y - reach - unit), "#fff", "#000c");
  }
}

export function drawEyes(canvas, state) {
  const viewer = chooseViewer(state), sharp = Math.min(devicePixelRatio, 2, WIDTH_MAX / Math.max(1, canvas.clientWidth));
  const width = Math.round(canvas.clientWidth * sharp), height = Math.round(canvas.clientHeight * sharp);
  if (!(width > 1 && height > 1)) return;
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  const pen = canvas.getContext("2d"), fine = width * height < 300000 ? 2 : 1.5;
  state.view.eyes = viewer ? state.update.entities.indexOf(viewer) : -1;
  if (!viewer) { pen.clearRect(0, 0, width, height); return; }
  const seen = state.update.entities.filter(entity => entity.at && !entity.camera && entity !== viewer);
  const w = Math.round(width * fine), h = Math.round(height * fine);
  const {image, large} = buffersOf(w, h), aimed = eyeOf(viewer, seen, w, h);
  const view = buffers.view?.key === aimed.key ? buffers.view : aimed; // the same to the eye
  const side = Math.max(...state.update.entities.filter(entity => entity.size).map(entity => entity.size[0]), 0.01) / 2;
  const things = seen.map(entity => ({entity, parts: partsOf(state, entity, state.update.entities.indexOf(entity))}))
    .map(thing => ({...thing, look: lookOfThing(thing.entity, thing.parts)}));
  buffers.view = view;
  if (drawScene(buffers, view, side, things)) large.getContext("2d").putImageData(image, 0, 0);
  pen.imageSmoothingQuality = "high";
  pen.drawImage(large, 0, 0, width, height);
  darkenBeyond(pen, viewer, view, width, height);
  const unit = parseFloat(getComputedStyle(canvas).fontSize);
  markThings(pen, state, view, width, height, unit * sharp);
  canvas.view = {view, scale: canvas.clientWidth / w, viewer: viewer.name};
  caption(viewer, view.angle, canvas.clientHeight > 6 * unit && canvas.clientWidth > 16 * unit);
}

export function thingInEyes(canvas, {update}, x, y) {
  if (!canvas.view || !update?.entities) return null;
  const {view, scale, viewer} = canvas.view;
  const [off, name] = update.entities.filter(entity => entity.at && !entity.camera && entity.name !== viewer).map(entity => {
    const v = entity.at.map((value, i) => value - view.eye[i]), placed = corner(view, v);
    if (!placed) return [Infinity, null];
    const reach = Math.hypot(...entity.size) / 2 / Math.hypot(...v) * view.focal * scale;
    return [Math.hypot(placed[0] * scale - x, placed[1] * scale - y) - Math.max(8, reach), entity.name];
  }).reduce((best, next) => next[0] < best[0] ? next : best, [Infinity, null]);
  return off < 0 ? name : null;
}
