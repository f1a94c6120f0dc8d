// The scene from above: table x to the right, y up.
import {FONT, Placer, colours, start, write} from "./sheet.js";
import {RELATIONS, rowsShown, spoken} from "./words.js";
import {roleOf} from "./image.js";

const DEG = Math.PI / 180;
let bounds = null; // they only grow, so that things move and not the ground
let boundsOf = "";
const kept = new Map();

function grow(update, placed) {
  const cast = update.entities.map(entity => entity.name).join("\n");
  if (cast !== boundsOf) { bounds = null; kept.clear(); }
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

function pageOf({width, height, unit}) {
  const margin = [Math.min(3.2 * unit, 0.2 * width), Math.min(2.4 * unit, 0.2 * height)], {low, high} = bounds;
  const scale = Math.min((width - 2 * margin[0]) / Math.max(high[0] - low[0], 0.05),
    (height - 2 * margin[1]) / Math.max(high[1] - low[1], 0.05));
  const middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  return {scale, width, height, at: ([x, y]) => [width / 2 + scale * (x - middle[0]), height / 2 - scale * (y - middle[1])],
    kept: ([x, y]) => [Math.max(unit, Math.min(width - unit, x)), Math.max(unit, Math.min(height - unit, y))]};
}

// A length of 1, 2 or 5 times a power of ten, some fifth of the picture; and which way the table's axes point.
function drawScale(sheet, page, colour) {
  const {pen, width, height, unit} = sheet, most = width / 5 / page.scale, power = 10 ** Math.floor(Math.log10(most));
  const length = power * [5, 2, 1].find(times => times * power <= most);
  const words = length < 1 ? `${+(100 * length).toFixed(1)} cm` : `${length} m`;
  const left = 0.6 * unit, bottom = height - 0.5 * unit, right = left + length * page.scale;
  pen.beginPath();
  for (const [x, y] of [[left, bottom - 0.3 * unit], [left, bottom], [right, bottom], [right, bottom - 0.3 * unit]]) pen.lineTo(x, y);
  pen.strokeStyle = pen.fillStyle = colour("faint");
  pen.lineWidth = 2;
  pen.lineCap = pen.lineJoin = "round";
  pen.stroke();
  pen.font = `600 ${unit}px ${FONT}`;
  pen.textBaseline = "bottom";
  pen.textAlign = "left";
  pen.fillText(words, left, bottom - 0.3 * unit);
  const w = Math.max(pen.measureText(words).width, right - left);
  return [left, bottom - 1.5 * unit, left + w, height];
}

function corners({at: [x, y], size: [length, width], R: [a, b, , c, d]}, page) {
  return [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(([i, j]) =>
    page.at([x + i * length / 2 * a + j * width / 2 * b, y + i * length / 2 * c + j * width / 2 * d]));
}

// Two dashed edges: what lies between them may be seen.
function drawField({pen, width, height}, entity, page, colour) {
  if (!entity.field || entity.yaw === undefined) return;
  const half = entity.field.half[0], from = page.kept(page.at(entity.at));
  const radius = Math.min((entity.field.far ?? Infinity) * page.scale, width + height);
  pen.beginPath();
  for (const side of half < Math.PI - 0.01 ? [-1, 1] : []) {
    pen.moveTo(...from);
    const yaw = (entity.look ?? entity.yaw) + side * half;
    pen.lineTo(from[0] + radius * Math.cos(yaw), from[1] - radius * Math.sin(yaw));
  }
  pen.strokeStyle = colour("viewer");
  pen.lineWidth = 1.2;
  pen.globalAlpha = 0.55;
  pen.setLineDash([4, 6]);
  pen.stroke();
  pen.setLineDash([]);
  pen.globalAlpha = 1;
}

function reachOf(relatum, page, unit) {
  const [x, y] = page.at(relatum.at), free = Math.min(x, page.width - x, y, page.height - y) - 0.8 * unit;
  return Math.max(4 * unit, Math.min(free, Math.max(...relatum.size) * page.scale / 2 + 3.5 * unit));
}

// The relation that holds for the chosen pair and whose direction is nearest to the referent.
function regionOf(state) {
  const {update, view} = state, row = rowsShown(state).find(one => one.chosen);
  const [referent, relatum] = view.pair ? [update.entities[view.pair[0]], update.entities[view.pair[1]]] : [];
  if (!row || !relatum?.at || !referent?.at) return null;
  const bearing = Math.atan2(referent.at[1] - relatum.at[1], referent.at[0] - relatum.at[0]);
  const off = ({direction_deg}) => Math.abs(Math.atan2(Math.sin(direction_deg * DEG - bearing), Math.cos(direction_deg * DEG - bearing)));
  const candidates = row.relations.map((one, relation) => ({...one, relation})).filter(one => one.direction_deg !== null && one.verdict !== "u");
  const holding = candidates.filter(one => one.verdict === "t");
  const best = (holding.length ? holding : candidates).sort((a, b) => off(a) - off(b))[0];
  return best && {...best, relatum, row, words: `${RELATIONS[best.relation]} ${spoken(relatum)}`};
}

function drawRegion({pen, unit}, region, acceptance, page, colour) {
  const [x, y] = page.at(region.relatum.at), reach = reachOf(region.relatum, page, unit), holds = region.verdict === "t";
  pen.beginPath();
  for (let i = -36; i <= 36; i++) {
    const angle = (region.direction_deg + 5 * i) * DEG, r = reach * acceptance[Math.abs(i)];
    pen.lineTo(x + r * Math.cos(angle), y - r * Math.sin(angle));
  }
  pen.closePath();
  if (holds) { pen.fillStyle = colour("region-holds"); pen.fill(); }
  pen.strokeStyle = colour("region-edge");
  pen.lineWidth = holds ? 2 : 1;
  pen.setLineDash(holds ? [] : [3, 4]);
  pen.stroke();
  pen.setLineDash([]);
  return reach;
}

function drawGoal({pen}, goal, page, colour) {
  if (!goal?.region_m?.length) return;
  pen.beginPath();
  for (const corner of goal.region_m) pen.lineTo(...page.at(corner));
  pen.closePath();
  pen.fillStyle = colour("goal");
  pen.fill();
  pen.strokeStyle = colour("goal-edge");
  pen.lineWidth = 3;
  pen.stroke();
}

function drawSights({pen}, update, page, colour) {
  for (const [viewer, target, verdict] of update.sights) {
    const from = update.entities[viewer], to = update.entities[target];
    if (from.camera || !from.at || !to.at || verdict !== "t") continue;
    pen.beginPath();
    pen.moveTo(...page.at(from.at));
    pen.lineTo(...page.at(to.at));
    pen.strokeStyle = colour("sees");
    pen.lineWidth = 1.5;
    pen.stroke();
  }
}

function drawThing({pen, unit}, state, entity, page, colour) {
  const role = roleOf(state, entity), ink = role === "found" ? colour("ink") : colour(role);
  const small = Math.max(...entity.size) * page.scale < 0.7 * unit, isPointed = state.view.pointed === entity.name;
  pen.beginPath();
  if (small || entity.sphere)
    pen.arc(...page.kept(page.at(entity.at)), small ? 0.35 * unit : entity.size[0] * page.scale / 2, 0, 2 * Math.PI);
  else
    for (const corner of corners(entity, page)) pen.lineTo(...corner);
  pen.closePath();
  pen.fillStyle = state.tints?.get(entity.name) ?? ink;
  pen.globalAlpha = 0.75;
  pen.fill();
  pen.globalAlpha = 1;
  pen.strokeStyle = ink;
  pen.lineWidth = role === "found" || isPointed ? 4.5 : 2.5;
  pen.stroke();
}

function frontOf({unit}, entity, page) {
  const [x, y] = page.kept(page.at(entity.at)), length = Math.max(1.3 * unit, entity.size[0] / 2 * page.scale + 0.7 * unit);
  return {from: [x, y], to: [x + length * Math.cos(entity.yaw), y - length * Math.sin(entity.yaw)], length};
}

// An arm that points: a dashed line, as long as the sheet is wide.
function drawHand({pen, unit, width, height}, entity, page, colour) {
  if (entity.hand === undefined) return;
  const [x, y] = page.kept(page.at(entity.at)), length = width + height;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + length * Math.cos(entity.hand), y - length * Math.sin(entity.hand));
  pen.strokeStyle = colour("front");
  pen.lineWidth = unit / 9;
  pen.setLineDash([unit / 2, unit / 3]);
  pen.stroke();
  pen.setLineDash([]);
}

function drawFront(sheet, entity, page, colour) {
  drawHand(sheet, entity, page, colour);
  if (entity.yaw === undefined) return;
  const {pen, unit} = sheet, {from: [x, y], to, length} = frontOf(sheet, entity, page);
  const on = (r, turn) => [x + r * Math.cos(entity.yaw + turn), y - r * Math.sin(entity.yaw + turn)];
  const back = length - 0.45 * unit, barb = Math.atan2(0.3 * unit, back), r = Math.hypot(0.3 * unit, back);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(...to);
  pen.moveTo(...on(r, barb));
  pen.lineTo(...to);
  pen.lineTo(...on(r, -barb));
  pen.strokeStyle = colour("front");
  pen.lineWidth = unit / 6;
  pen.lineCap = pen.lineJoin = "round";
  pen.stroke();
}

// A thing's rectangle in the picture, without its arrow.
function boxOf(sheet, entity, page) {
  const [x, y] = page.kept(page.at(entity.at)), least = 0.45 * sheet.unit;
  const points = entity.sphere ? [[x - entity.size[0] / 2 * page.scale, y - entity.size[0] / 2 * page.scale],
    [x + entity.size[0] / 2 * page.scale, y + entity.size[0] / 2 * page.scale]] : corners(entity, page);
  const xs = [x - least, x + least, ...entity.camera ? [] : points.map(p => p[0])], ys = [y - least, y + least, ...entity.camera ? [] : points.map(p => p[1])];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function arrowBoxes(sheet, entity, page) {
  if (entity.yaw === undefined) return [];
  const {from, to} = frontOf(sheet, entity, page), slack = sheet.unit / 4;
  return [0.55, 0.8, 1].map(share => [0, 1].map(axis => from[axis] + share * (to[axis] - from[axis])))
    .map(([x, y]) => [x - slack, y - slack, x + slack, y + slack]);
}

function nameThings(sheet, state, placed, boxes, page, colour, region, scaleBox) {
  const arrows = placed.flatMap(entity => arrowBoxes(sheet, entity, page));
  const placer = new Placer(sheet, [...boxes, ...arrows, scaleBox], kept);
  placed.forEach((entity, i) => {
    const words = spoken(entity).replace(/^the /, ""), label = placer.place(words, boxes[i]);
    if (label.isFar) {
      sheet.pen.beginPath();
      sheet.pen.moveTo((boxes[i][0] + boxes[i][2]) / 2, (boxes[i][1] + boxes[i][3]) / 2);
      sheet.pen.lineTo(label.x, label.y);
      sheet.pen.strokeStyle = colour("faint");
      sheet.pen.lineWidth = 1;
      sheet.pen.stroke();
    }
    write(sheet, words, label.x, label.y, colour("ink"), colour("paper"));
  });
  if (region) {
    const angle = region.direction_deg * DEG, r = 0.62 * region.reach, [cx, cy] = page.at(region.relatum.at);
    const at = [cx + r * Math.cos(angle), cy - r * Math.sin(angle)], {x, y} = placer.place(region.words, [...at, ...at]);
    write(sheet, region.words, x, y, colour("true-ink"), colour("paper"));
  }
  return placer;
}

export function drawAbove(canvas, state) {
  const sheet = start(canvas);
  if (!sheet) return;
  const {update} = state, placed = update.entities.filter(entity => entity.at), colour = colours(canvas);
  if (!placed.length) return;
  grow(update, placed);
  const page = pageOf(sheet), region = regionOf(state), boxes = placed.map(entity => boxOf(sheet, entity, page));
  for (const entity of placed) drawField(sheet, entity, page, colour);
  if (region) region.reach = drawRegion(sheet, region, update.acceptance, page, colour);
  drawGoal(sheet, state.view.goal, page, colour);
  drawSights(sheet, update, page, colour);
  for (const entity of placed) drawThing(sheet, state, entity, page, colour);
  for (const entity of placed) drawFront(sheet, entity, page, colour);
  const placer = nameThings(sheet, state, placed, boxes, page, colour, region, drawScale(sheet, page, colour));
  canvas.drawn = {things: boxes, labels: placer.labels}; // where, for who points, and for tests
}

// The thing nearest to a point of the picture; none far from all.
export function thingAbove(canvas, {update}, x, y) {
  if (!bounds || !update?.entities) return null;
  const unit = parseFloat(getComputedStyle(canvas).fontSize);
  const page = pageOf({width: canvas.clientWidth, height: canvas.clientHeight, unit});
  const [distance, name] = update.entities.filter(entity => entity.at && !entity.camera).map(entity => {
    const [ex, ey] = page.at(entity.at), reach = Math.hypot(entity.size[0], entity.size[1]) / 2 * page.scale;
    return [Math.max(0, Math.hypot(x - ex, y - ey) - reach), entity.name];
  }).reduce((best, next) => next[0] < best[0] ? next : best, [Infinity, null]);
  return distance < unit ? name : null;
}
