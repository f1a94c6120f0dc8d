// The camera's image with what was found in it.
import {MANY, Placer, leadTo, start, write} from "./sheet.js";
import {spoken} from "./words.js";

const RIM = "#000c";
const kept = new Map(); // where names stood

// From the image's pixels to the canvas's.
export function scaleOf({clientWidth: width, clientHeight: height}, {image: {size: [w, h]}}) {
  const scale = Math.min(width / w, height / h), left = (width - scale * w) / 2, top = (height - scale * h) / 2;
  return {scale, left, top, w, h, x: value => left + scale * (value + 0.5), y: value => top + scale * (value + 0.5)};
}

export const boxOf = ({px}, at) => [at.x(px[0]), at.y(px[1]), at.x(px[2]), at.y(px[3])];

function drawLines(pen, lines, at, thick) {
  for (const [colour, thickness, closed, ...points] of lines) {
    pen.beginPath();
    for (let i = 0; i < points.length; i += 2) pen.lineTo(at.x(points[i]), at.y(points[i + 1]));
    if (closed) pen.closePath();
    pen.strokeStyle = "#0009";
    pen.lineWidth = thick * thickness + 1.5;
    pen.stroke();
    pen.strokeStyle = colour;
    pen.lineWidth = thick * thickness;
    pen.stroke();
  }
}

// The four corners of a frame: they hide nothing.
function drawFrame(pen, [left, top, right, bottom], colour, thickness) {
  const arm = Math.max(4, 0.22 * Math.min(right - left, bottom - top));
  for (const [width, style] of [[thickness + 2, "#000a"], [thickness, colour]]) {
    pen.beginPath();
    for (const [x, y, i, j] of [[left, top, 1, 1], [right, top, -1, 1], [right, bottom, -1, -1], [left, bottom, 1, -1]]) {
      pen.moveTo(x + i * arm, y);
      pen.lineTo(x, y);
      pen.lineTo(x, y + j * arm);
    }
    pen.lineWidth = width;
    pen.strokeStyle = style;
    pen.stroke();
  }
}

export const ROLE_INKS = {referent: "#4fe0b0", relatum: "#ffb3dc", viewer: "#ffc14d", thing: "#a9dcff", found: "#ffffff"};

export function roleOf({update, view}, entity) {
  return view.found.includes(entity.name) ? "found" : entity.name === view.pair?.[2] ? "referent" : entity.name === view.pair?.[3] ? "relatum" :
    entity.camera || entity.addressee || entity.name === update.entities[view.shownRow]?.name ? "viewer" : "thing";
}

function drawNames(sheet, state, at) {
  const {update, view} = state, shown = update.entities.filter(entity => entity.px);
  const boxes = shown.map(entity => boxOf(entity, at)), placer = new Placer(sheet, boxes, kept);
  shown.forEach((entity, i) => {
    const role = roleOf(state, entity), isPointed = view.pointed === entity.name;
    if (role !== "thing" || isPointed) drawFrame(sheet.pen, boxes[i], ROLE_INKS[role], role === "found" || isPointed ? 3.5 : 2);
  });
  shown.forEach((entity, i) => {
    const role = roleOf(state, entity), words = spoken(entity).replace(/^the /, "");
    const label = placer.place(words, boxes[i], shown.length <= MANY || role !== "thing" || view.pointed === entity.name);
    if (!label) return;
    if (label.isFar) leadTo(sheet, label, boxes[i], ROLE_INKS[role]);
    write(sheet, words, label.x, label.y, ROLE_INKS[role], RIM);
  });
  return placer;
}

export function drawCamera(canvas, state) {
  const {update, bitmap, view} = state, sheet = start(canvas);
  if (!sheet) return;
  const {pen} = sheet, at = scaleOf(canvas, update);
  pen.imageSmoothingQuality = "high";
  if (bitmap) pen.drawImage(bitmap, at.left, at.top, at.scale * at.w, at.scale * at.h);
  pen.lineJoin = pen.lineCap = "round";
  if (view.overlay === "all") drawLines(pen, update.lines, at, sheet.width > 600 ? 1.5 : 1);
  const names = view.overlay === "none" ? null : drawNames(sheet, state, at);
  canvas.drawn = {things: names?.things ?? [], labels: names?.labels ?? [], homeless: names?.homeless ?? []};
}

// The thing at a point of the image: of several, the smallest.
export function thingInImage(canvas, {update}, x, y) {
  if (!update?.image) return null;
  const at = scaleOf(canvas, update), slack = 6, areaOf = ([l, t, r, b]) => (r - l) * (b - t);
  const hit = update.entities.filter(entity => entity.px).map(entity => [boxOf(entity, at), entity.name])
    .filter(([[l, t, r, b]]) => x > l - slack && x < r + slack && y > t - slack && y < b + slack);
  return hit.sort((a, b) => areaOf(a[0]) - areaOf(b[0]))[0]?.[1] ?? null;
}
