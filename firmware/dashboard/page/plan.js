// The scene from above: table x to the right, y up.
import {FONT, MANY, Placer, colours, leadTo, start, write} from "./sheet.js";
import {RELATIONS, element, replace, rowsShown, spoken} from "./words.js";
import {roleOf} from "./image.js";
import {outlineOf} from "./outlines.js";

const DEG = Math.PI / 180;
const OTHER_MIN_DEG = 30; // chosen: regions nearer to each other look like one
const FAN = 0.45; // of the picture: how far a field of view is drawn
const PAIR_SHARE = 0.4; // of the picture that the pair fills, in one direction at least: what is too far off stands at its edge
let bounds = null; // they only grow, so that things move and not the ground
let boundsOf = "";
const kept = new Map();

const noBox = () => ({low: [Infinity, Infinity], high: [-Infinity, -Infinity]});

function growBox(box, {at, size}) {
  const reach = Math.hypot(size[0], size[1]) / 2;
  for (const axis of [0, 1]) {
    box.low[axis] = Math.min(box.low[axis], at[axis] - reach);
    box.high[axis] = Math.max(box.high[axis], at[axis] + reach);
  }
}

function grow({update, view}, placed) {
  const cast = [...update.entities.map(entity => entity.name), ...view.pair?.slice(2) ?? []].join("\n");
  if (cast !== boundsOf) { bounds = null; kept.clear(); }
  boundsOf = cast;
  bounds ??= {all: noBox(), pair: noBox()};
  const within = placed.length > 1 ? placed.filter(entity => !entity.camera) : placed; // it may be far off: at the edge then
  for (const entity of within) growBox(bounds.all, entity);
  for (const entity of within) if (view.pair?.slice(2).includes(entity.name)) growBox(bounds.pair, entity);
}

function pageOf({width, height, unit}) {
  const margin = [Math.min(3.2 * unit, 0.2 * width), Math.min(2.4 * unit, 0.2 * height)], {all, pair} = bounds;
  const extent = ({low, high}) => [0, 1].map(axis => Math.max(high[axis] - low[axis], 0.05));
  const [across, up] = extent(all), [pairAcross, pairUp] = extent(pair);
  const whole = Math.min((width - 2 * margin[0]) / across, (height - 2 * margin[1]) / up);
  const close = pair.high[0] > pair.low[0] ? PAIR_SHARE * Math.min(width / pairAcross, height / pairUp) : 0;
  const scale = Math.max(whole, close);
  const middle = [0, 1].map(axis => { // of all, unless the pair would not be seen whole
    const half = ([width, height][axis] / 2 - margin[axis]) / scale, at = (all.low[axis] + all.high[axis]) / 2;
    return close > whole ? Math.max(pair.high[axis] - half, Math.min(pair.low[axis] + half, at)) : at;
  });
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

// A fan that fades: what lies within may be seen.
function drawField({pen, width, height}, entity, page, colour) {
  if (!entity.field || entity.yaw === undefined) return;
  const half = Math.min(entity.field.half[0], Math.PI), [x, y] = page.kept(page.at(entity.at)), yaw = entity.look ?? entity.yaw;
  const radius = Math.min((entity.field.far ?? Infinity) * page.scale, FAN * Math.hypot(width, height));
  const ink = pen.createRadialGradient(x, y, 0, x, y, radius);
  for (const [at, alpha] of [[0, "40"], [0.3, "20"], [1, "00"]]) ink.addColorStop(at, `${colour("viewer")}${alpha}`);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.arc(x, y, radius, -yaw - half, -yaw + half);
  pen.closePath();
  pen.fillStyle = ink;
  pen.fill();
}

function reachOf(relatum, page, unit) {
  const [x, y] = page.at(relatum.at), free = Math.min(x, page.width - x, y, page.height - y) - 0.8 * unit;
  return Math.max(4 * unit, Math.min(free, Math.max(...relatum.size) * page.scale / 2 + 3.5 * unit));
}

// The relation that holds for the chosen pair and whose direction is nearest to the referent; and where the same word would hold for
// another viewer, for whom it lies elsewhere: the camera before others.
function regionOf(state) {
  const {update, view} = state, rows = rowsShown(state), row = rows.find(one => one.chosen);
  const [referent, relatum] = view.pair ? [update.entities[view.pair[0]], update.entities[view.pair[1]]] : [];
  if (!row || !relatum?.at || !referent?.at) return null;
  const bearing = Math.atan2(referent.at[1] - relatum.at[1], referent.at[0] - relatum.at[0]);
  const turn = radians => Math.abs(Math.atan2(Math.sin(radians), Math.cos(radians))), off = ({direction_deg}) => turn(direction_deg * DEG - bearing);
  const candidates = row.relations.map((one, relation) => ({...one, relation})).filter(one => one.direction_deg !== null && one.verdict !== "u");
  const holding = candidates.filter(one => one.verdict === "t");
  const best = (holding.length ? holding : candidates).sort((a, b) => off(a) - off(b))[0];
  if (!best) return null;
  const differs = one => typeof one.relations[best.relation]?.direction_deg === "number" &&
    turn((one.relations[best.relation].direction_deg - best.direction_deg) * DEG) > OTHER_MIN_DEG * DEG;
  const others = rows.filter(one => !one.chosen && differs(one)), other = others.find(one => update.entities[one.viewer]?.camera) ?? others[0];
  return {...best, relatum, row,
    other: other && {row: other, direction_deg: other.relations[best.relation].direction_deg}};
}

function pathRegion({pen}, direction_deg, [x, y], reach, acceptance) {
  pen.beginPath();
  for (let i = -36; i <= 36; i++) {
    const angle = (direction_deg + 5 * i) * DEG, r = reach * acceptance[Math.abs(i)];
    pen.lineTo(x + r * Math.cos(angle), y - r * Math.sin(angle));
  }
  pen.closePath();
}

// Solid where the word holds for the viewer chosen; only outlined where it would hold for the other, or does not hold.
function drawRegion(sheet, region, acceptance, page, colour) {
  const {pen, unit} = sheet, at = page.at(region.relatum.at), reach = reachOf(region.relatum, page, unit);
  pen.strokeStyle = colour("region-edge");
  pathRegion(sheet, region.direction_deg, at, reach, acceptance);
  pen.fillStyle = colour("region-holds");
  if (region.verdict === "t") pen.fill();
  pen.lineWidth = 2;
  pen.stroke();
  if (!region.other) return;
  pathRegion(sheet, region.other.direction_deg, at, 0.9 * reach, acceptance);
  pen.lineWidth = 1.2;
  pen.setLineDash([3, 4]);
  pen.stroke();
  pen.setLineDash([]);
}

// "■ behind it  ┄ for the camera": short, so that the picture keeps its room.
function sayRegion(note, region) {
  if (!region) { replace(note); return; }
  const whose = row => row.viewer < 0 ? "by its own front" : `for ${row.name}`;
  replace(note, element("span", {class: `key region ${region.verdict === "t" ? "holds" : ""}`}), `${RELATIONS[region.relation]} it`,
    ...region.other ? [element("span", {class: "key region other"}), whose(region.other.row)] : []);
  note.title = `${RELATIONS[region.relation]} ${spoken(region.relatum)}, ${whose(region.row)}${region.other ? `; dashed: ${whose(region.other.row)}` : ""}`;
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

// Its outline from above, of a body that is known, else a box's or a ball's.
function pathThing({pen, unit}, state, entity, page) {
  const small = Math.max(...entity.size) * page.scale < 0.7 * unit, body = state.bodies?.[entity.class];
  pen.beginPath();
  if (small || entity.sphere) {
    pen.arc(...page.kept(page.at(entity.at)), small ? 0.35 * unit : entity.size[0] * page.scale / 2, 0, 2 * Math.PI);
    pen.closePath();
    return;
  }
  for (const loop of body ? outlineOf(body, entity) : []) {
    loop.forEach((corner, i) => pen[i ? "lineTo" : "moveTo"](...page.at(corner)));
    pen.closePath();
  }
  if (body) return;
  for (const corner of corners(entity, page)) pen.lineTo(...corner);
  pen.closePath();
}

function drawThing(sheet, state, entity, page, colour) {
  const {pen} = sheet, role = roleOf(state, entity), ink = role === "found" ? colour("ink") : colour(role);
  pathThing(sheet, state, entity, page);
  pen.fillStyle = state.tints?.get(entity.name) ?? ink;
  pen.globalAlpha = 0.85;
  pen.fill("evenodd");
  pen.globalAlpha = 1;
  pen.strokeStyle = ink;
  pen.lineJoin = "round";
  pen.lineWidth = role === "found" || state.view.pointed === entity.name ? 4.5 : 2;
  pen.stroke();
}

// From its front edge on.
function frontOf({unit}, entity, page) {
  const [x, y] = page.kept(page.at(entity.at)), edge = Math.max(0.4 * unit, entity.size[0] / 2 * page.scale), length = edge + 0.9 * unit;
  const on = r => [x + r * Math.cos(entity.yaw), y - r * Math.sin(entity.yaw)];
  return {middle: [x, y], from: on(edge), to: on(length), length};
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
  const {pen, unit} = sheet, {middle: [x, y], from, to, length} = frontOf(sheet, entity, page);
  const on = (r, turn) => [x + r * Math.cos(entity.yaw + turn), y - r * Math.sin(entity.yaw + turn)];
  const back = length - 0.45 * unit, barb = Math.atan2(0.3 * unit, back), r = Math.hypot(0.3 * unit, back);
  pen.beginPath();
  pen.moveTo(...from);
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
  return [0.2, 0.6, 1].map(share => [0, 1].map(axis => from[axis] + share * (to[axis] - from[axis])))
    .map(([x, y]) => [x - slack, y - slack, x + slack, y + slack]);
}

// Names stand beside things, where there is room; those for which there is none are told.
function nameThings(sheet, state, placed, boxes, page, colour, scaleBox) {
  const arrows = placed.flatMap(entity => arrowBoxes(sheet, entity, page));
  const placer = new Placer(sheet, [...boxes, ...arrows, scaleBox], kept);
  placed.forEach((entity, i) => {
    const words = spoken(entity).replace(/^the /, ""), isNeeded = placed.length <= MANY || roleOf(state, entity) !== "thing" || state.view.pointed === entity.name;
    const label = placer.place(words, boxes[i], isNeeded);
    if (!label) return;
    if (label.isFar) leadTo(sheet, label, boxes[i], colour("faint"));
    write(sheet, words, label.x, label.y, colour("ink"), colour("paper"));
  });
  return placer;
}

export function drawAbove(canvas, state) {
  const sheet = start(canvas);
  if (!sheet) return;
  const {update} = state, placed = update.entities.filter(entity => entity.at), colour = colours(canvas);
  if (!placed.length) return;
  grow(state, placed);
  const page = pageOf(sheet), region = regionOf(state), boxes = placed.map(entity => boxOf(sheet, entity, page));
  for (const entity of placed) drawField(sheet, entity, page, colour);
  if (region) drawRegion(sheet, region, update.acceptance, page, colour);
  drawGoal(sheet, state.view.goal, page, colour);
  drawSights(sheet, update, page, colour);
  for (const entity of placed) drawThing(sheet, state, entity, page, colour);
  for (const entity of placed) drawFront(sheet, entity, page, colour);
  const placer = nameThings(sheet, state, placed, boxes, page, colour, drawScale(sheet, page, colour));
  sayRegion(document.getElementById("above-note"), region);
  const pair = [0, 1].map(axis => page.scale * (bounds.pair.high[axis] - bounds.pair.low[axis]));
  canvas.drawn = {things: boxes, labels: placer.labels, homeless: placer.homeless, pair: pair[0] > 0 ? pair : null}; // where, for who points, and for tests
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
