// The camera's image with what was found in it, and the scene from above.
import {rowsShown} from "./words.js";

const NAMES = ["left", "right", "front", "behind"];
const FONT = "system-ui, 'DejaVu Sans', sans-serif";
const DEG = Math.PI / 180;

// A canvas as sharp as the screen, empty; in its own CSS pixels. What is too small to be drawn in gives null.
export function start(canvas) {
  const scale = devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
  if (width < 2 || height < 2) return null;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return {pen, width, height, unit: parseFloat(getComputedStyle(canvas).fontSize)};
}

export const colours = canvas => {
  const style = getComputedStyle(canvas);
  return name => style.getPropertyValue(`--${name}`).trim();
};

// Text with a rim, so that it can be read on anything; kept within the picture.
export function write({pen, width, unit}, text, x, y, ink, rim, size = 1) {
  pen.font = `600 ${unit * size}px ${FONT}`;
  const half = pen.measureText(text).width / 2;
  const at = Math.max(half + 3, Math.min(width - half - 3, x));
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = unit / 4;
  pen.strokeStyle = rim;
  pen.strokeText(text, at, y);
  pen.fillStyle = ink;
  pen.fillText(text, at, y);
}

// Writes each text at the first of its spots that those before leave free, or else at the first.
function placer(sheet) {
  const taken = [];
  return (text, spots, ink, rim, size = 1) => {
    sheet.pen.font = `600 ${sheet.unit * size}px ${FONT}`;
    const w = sheet.pen.measureText(text).width / 2, h = 0.55 * sheet.unit * size;
    const isFree = ([x, y]) => x > w && x < sheet.width - w && y > h && y < sheet.height - h &&
      !taken.some(([tx, ty, tw, th]) => Math.abs(x - tx) < w + tw && Math.abs(y - ty) < h + th);
    const [x, y] = spots.find(isFree) ?? spots[0];
    taken.push([x, y, w, h]);
    write(sheet, text, x, y, ink, rim, size);
  };
}

// ---- the camera ----

export function drawCamera(canvas, {update, bitmap, view}) {
  const sheet = start(canvas);
  if (!sheet) return;
  const {pen, width, height} = sheet;
  const [image_width, image_height] = update.image.size;
  const scale = Math.min(width / image_width, height / image_height);
  const left = (width - scale * image_width) / 2, top = (height - scale * image_height) / 2;
  if (bitmap) pen.drawImage(bitmap, left, top, scale * image_width, scale * image_height);
  if (!view.overlay) return;
  const x = value => left + scale * (value + 0.5), y = value => top + scale * (value + 0.5);
  pen.lineJoin = pen.lineCap = "round";
  const isLarge = width > 600, thick = isLarge ? 1.5 : 1;
  for (const [colour, thickness, closed, ...points] of update.lines) {
    pen.beginPath();
    for (let i = 0; i < points.length; i += 2) pen.lineTo(x(points[i]), y(points[i + 1]));
    if (closed) pen.closePath();
    pen.strokeStyle = "#0009";
    pen.lineWidth = thick * thickness + 1.5;
    pen.stroke();
    pen.strokeStyle = colour;
    pen.lineWidth = thick * thickness;
    pen.stroke();
  }
  // Tags' numbers and the axes' names are many: only where there is room.
  const isThing = text => update.entities.some(entity => entity.name === text);
  const labels = update.labels.filter(label => isLarge || isThing(label[4]));
  const place = placer(sheet);
  for (const [px, py, distance, colour, text] of labels) {
    const far = scale * distance + 0.6 * sheet.unit, at = [x(px), y(py)];
    const spots = distance ? [[0, -far], [0, far], [-far - sheet.unit, 0], [far + sheet.unit, 0], [0, -2 * far]] : [[0, 0]];
    place(text, spots.map(([dx, dy]) => [at[0] + dx, at[1] + dy]), colour, "#000c", isThing(text) ? 0.9 : 0.65);
  }
}

// ---- from above ----

let bounds = null; // they only grow, so that things move and not the ground
let boundsOf = "";

function grow(update, placed) {
  const cast = update.entities.map(entity => entity.name).join("\n");
  if (cast !== boundsOf) bounds = null;
  boundsOf = cast;
  bounds ??= {low: [Infinity, Infinity], high: [-Infinity, -Infinity]};
  const within = placed.length > 1 ? placed.filter(entity => !entity.camera) : placed; // it may be far off: at the edge then
  for (const {at, size} of within) {
    const reach = Math.hypot(size[0], size[1]) / 2;
    for (const axis of [0, 1]) {
      bounds.low[axis] = Math.min(bounds.low[axis], at[axis] - reach);
      bounds.high[axis] = Math.max(bounds.high[axis], at[axis] + reach);
    }
  }
}

// Table x to the right, y up.
function pageOf({width, height, unit}) {
  const margin = 2.6 * unit, {low, high} = bounds;
  const scale = Math.min((width - 2 * margin) / Math.max(high[0] - low[0], 0.05),
    (height - 2 * margin) / Math.max(high[1] - low[1], 0.05));
  const middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  return {scale, width, height, at: ([x, y]) => [width / 2 + scale * (x - middle[0]), height / 2 - scale * (y - middle[1])],
    kept: ([x, y]) => [Math.max(unit, Math.min(width - unit, x)), Math.max(unit, Math.min(height - unit, y))]};
}

// A length of 1, 2 or 5 times a power of ten, some fifth of the picture; and which way the table's axes point.
function drawScale(sheet, page, colour) {
  const {pen, width, height, unit} = sheet, most = width / 5 / page.scale, power = 10 ** Math.floor(Math.log10(most));
  const length = power * [5, 2, 1].find(times => times * power <= most);
  const words = length < 1 ? `${+(100 * length).toFixed(1)} cm` : `${length} m`;
  const left = 0.6 * unit, bottom = height - 0.6 * unit, right = left + length * page.scale;
  pen.beginPath();
  for (const [x, y] of [[left, bottom - 0.3 * unit], [left, bottom], [right, bottom], [right, bottom - 0.3 * unit]]) pen.lineTo(x, y);
  pen.strokeStyle = colour("faint");
  pen.lineWidth = 2;
  pen.lineCap = pen.lineJoin = "round";
  pen.stroke();
  pen.font = `600 ${0.85 * Math.max(unit, 20)}px ${FONT}`;
  pen.textBaseline = "bottom";
  pen.textAlign = "left";
  pen.fillStyle = colour("faint");
  pen.fillText(words, left, bottom - 0.35 * unit);
  pen.textAlign = "right";
  pen.fillText("x →  y ↑", width - left, bottom + 0.3 * unit);
}

function corners({at: [x, y], size: [length, width], R: [a, b, , c, d]}, page) {
  return [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(([i, j]) =>
    page.at([x + i * length / 2 * a + j * width / 2 * b, y + i * length / 2 * c + j * width / 2 * d]));
}

function drawField({pen, width, height}, entity, page, colour) {
  if (!entity.field || entity.yaw === undefined) return;
  const half = Math.min(entity.field.half[0], Math.PI - 0.002);
  const [x, y] = page.at(entity.at);
  const radius = Math.min((entity.field.far ?? Infinity) * page.scale, width + height);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.arc(x, y, radius, -entity.yaw - half, -entity.yaw + half);
  pen.fillStyle = colour("field");
  pen.fill();
}

function reachOf(relatum, page, unit) {
  const [x, y] = page.at(relatum.at), free = Math.min(x, page.width - x, y, page.height - y) - 0.8 * unit;
  return Math.max(4 * unit, Math.min(free, Math.max(...relatum.size) * page.scale / 2 + 3.5 * unit));
}

// Where a relation holds: as far out as it holds much.
function drawRegions(sheet, state, page, colour) {
  const {pen, unit} = sheet, {update, view} = state;
  const row = rowsShown(state).find(one => one.chosen), relatum = view.pair && update.entities[view.pair[1]];
  if (!row || !relatum?.at) return;
  const [x, y] = page.at(relatum.at), reach = reachOf(relatum, page, unit);
  row.relations.forEach(({verdict, direction_deg}, relation) => {
    if (direction_deg === null) return;
    const holds = verdict === "t";
    pen.beginPath();
    for (let i = -36; i <= 36; i++) {
      const angle = (direction_deg + 5 * i) * DEG, r = reach * update.acceptance[Math.abs(i)];
      pen.lineTo(x + r * Math.cos(angle), y - r * Math.sin(angle));
    }
    pen.closePath();
    if (holds) { pen.fillStyle = colour("region-holds"); pen.fill(); }
    pen.strokeStyle = colour("region-edge");
    pen.lineWidth = holds ? 2 : 1;
    pen.setLineDash(holds ? [] : [3, 4]);
    pen.stroke();
    pen.setLineDash([]);
  });
}

// Beyond where they hold; after the things' names.
function nameRegions(sheet, state, page, colour, place) {
  const {unit} = sheet, row = rowsShown(state).find(one => one.chosen), relatum = state.view.pair && state.update.entities[state.view.pair[1]];
  if (!row || !relatum?.at) return;
  const [x, y] = page.at(relatum.at), reach = reachOf(relatum, page, unit);
  row.relations.forEach(({verdict, direction_deg}, relation) => {
    if (direction_deg === null) return;
    const spots = [1, 0.85, 1.15, 0.7].flatMap(share => [0, 12, -12, 24, -24, 36, -36].map(turn => {
      const angle = (direction_deg + turn) * DEG, r = share * reach;
      return [x + r * Math.cos(angle), y - r * Math.sin(angle)];
    }));
    place(NAMES[relation], spots, colour(verdict === "t" ? "true-ink" : "faint"), colour("paper"), verdict === "t" ? 1 : 0.9);
  });
}

function drawSights({pen}, update, page, colour) {
  for (const [viewer, target, verdict] of update.sights) {
    const from = update.entities[viewer], to = update.entities[target];
    if (from.camera || !from.at || !to.at) continue;
    pen.beginPath();
    pen.moveTo(...page.at(from.at));
    pen.lineTo(...page.at(to.at));
    pen.strokeStyle = colour(verdict === "t" ? "sees" : "faint");
    pen.lineWidth = verdict === "t" ? 2 : 1.5;
    pen.setLineDash(verdict === "t" ? [] : [2, 6]);
    pen.stroke();
    pen.setLineDash([]);
  }
}

function roleOf({update, view}, entity) {
  return entity.name === view.pair?.[2] ? "referent" : entity.name === view.pair?.[3] ? "relatum" :
    entity.camera || entity.addressee ? "viewer" : "thing";
}

function drawBody({pen, unit}, state, entity, page, colour) {
  const role = colour(roleOf(state, entity)), small = Math.max(...entity.size) * page.scale < 0.6 * unit;
  pen.beginPath();
  if (small || entity.sphere)
    pen.arc(...page.kept(page.at(entity.at)), small ? 0.35 * unit : entity.size[0] * page.scale / 2, 0, 2 * Math.PI);
  else
    for (const corner of corners(entity, page)) pen.lineTo(...corner);
  pen.closePath();
  pen.fillStyle = role;
  pen.globalAlpha = 0.6;
  pen.fill();
  pen.globalAlpha = 1;
  pen.strokeStyle = role;
  pen.lineWidth = 2.5;
  pen.stroke();
}

function drawFront({pen, unit}, entity, page, colour) {
  if (entity.yaw === undefined) return;
  const [x, y] = page.kept(page.at(entity.at)), length = Math.max(1.3 * unit, entity.size[0] / 2 * page.scale + 0.7 * unit);
  const on = (r, turn) => [x + r * Math.cos(entity.yaw + turn), y - r * Math.sin(entity.yaw + turn)];
  const back = length - 0.45 * unit, barb = Math.atan2(0.3 * unit, back), r = Math.hypot(0.3 * unit, back);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(...on(length, 0));
  pen.moveTo(...on(r, barb));
  pen.lineTo(...on(length, 0));
  pen.lineTo(...on(r, -barb));
  pen.strokeStyle = colour("front");
  pen.lineWidth = unit / 5;
  pen.lineCap = pen.lineJoin = "round";
  pen.stroke();
}

function nameSpots(sheet, entity, page) {
  const [x, y] = page.kept(page.at(entity.at)), {unit} = sheet;
  const reach = Math.max(0.4 * unit, Math.hypot(entity.size[0], entity.size[1]) / 2 * page.scale) + 0.7 * unit;
  const aside = reach + 0.3 * unit * entity.name.length;
  return [[x, y - reach], [x, y + reach], [x + aside, y], [x - aside, y], [x, y - reach - unit], [x, y + reach + unit]];
}

export function drawAbove(canvas, state) {
  const sheet = start(canvas);
  if (!sheet) return;
  const {update} = state, placed = update.entities.filter(entity => entity.at), colour = colours(canvas);
  if (!placed.length) return;
  grow(update, placed);
  const page = pageOf(sheet);
  for (const entity of placed) drawField(sheet, entity, page, colour);
  drawRegions(sheet, state, page, colour);
  drawSights(sheet, update, page, colour);
  for (const entity of placed) drawBody(sheet, state, entity, page, colour);
  for (const entity of placed) drawFront(sheet, entity, page, colour);
  const place = placer(sheet);
  for (const entity of placed) place(entity.name, nameSpots(sheet, entity, page), colour("ink"), colour("paper"), 0.95);
  nameRegions(sheet, state, page, colour, place);
  drawScale(sheet, page, colour);
}

// The thing nearest to a point of the picture from above; none far from all.
export function thingAt(canvas, {update}, x, y) {
  if (!bounds || !update?.entities) return null;
  const unit = parseFloat(getComputedStyle(canvas).fontSize);
  const page = pageOf({width: canvas.clientWidth, height: canvas.clientHeight, unit});
  const [distance, name] = update.entities.filter(entity => entity.at && !entity.camera).map(entity => {
    const [ex, ey] = page.at(entity.at), reach = Math.hypot(entity.size[0], entity.size[1]) / 2 * page.scale;
    return [Math.max(0, Math.hypot(x - ex, y - ey) - reach), entity.name];
  }).reduce((best, next) => next[0] < best[0] ? next : best, [Infinity, null]);
  return distance < 1.5 * unit ? name : null;
}
