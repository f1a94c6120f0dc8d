// The last two minutes: what was shown, in bounded memory; a strip with what held for whom, and what happened; back and forth.
import {disagreement, element, holding, phrase, rowsShown, setText, spoken} from "./words.js";
import {FONT, colours, start} from "./sheet.js";

const $ = id => document.getElementById(id);
export const SPAN_MS = 120000, STEP_MS = 250, BYTES_MAX = 40e6; // 480 moments, of 80 kB or fewer
const INKS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7"], HALVES = 2;
const SIGNS = {disagree: "≠", hidden: "◐", ask: "?", tag: "⚑", wrong: "✕"};
const WORDS = {disagree: "the viewers begin to disagree", hidden: "something is hidden", ask: "a question", tag: "a tag was moved", wrong: "the model is wrong"};
const decoder = new TextDecoder();

const moments = [], events = []; // a moment: {ms, json, blob, bytes, lanes}
let bytes = 0, lanesOf = "", before = null;

function dropOldest() {
  const gone = moments.shift();
  bytes -= gone.bytes;
  while (events.length && events[0].ms < (moments[0]?.ms ?? Infinity)) events.shift();
}

export function remember(update, json, blob, state) {
  const ms = performance.now(), last = moments.at(-1);
  noteChanges(update, state, ms);
  if (!update.image || (!blob && last) || (last && ms - last.ms < STEP_MS)) return;
  const kept = blob ?? last?.blob ?? null, size = json.length + (blob?.size ?? 0);
  moments.push({ms, json, blob: kept, bytes: size, lanes: lanes(update, state)});
  bytes += size;
  while (moments.length > 1 && (ms - moments[0].ms > SPAN_MS || bytes > BYTES_MAX)) dropOldest();
}

export function note(kind, words) {
  events.push({ms: performance.now(), kind, words});
  if (events.length > 400) events.shift();
}

function noteChanges(update, state, ms) {
  if (!update.entities || !state.view.pair) return;
  const hidden = update.sights.filter(([, , verdict, , cause]) => verdict === "f" && cause === "hidden")
    .map(([viewer, target]) => `${spoken(update.entities[target])} from ${spoken(update.entities[viewer])}`);
  const tags = (update.health?.moved ?? []).map(([tag]) => `tag ${tag}`);
  const now = {hidden, tags, disagree: disagreement(update, state.view.pair) > 1};
  if (before) {
    if (now.disagree && !before.disagree) events.push({ms, kind: "disagree", words: WORDS.disagree});
    for (const one of hidden) if (!before.hidden.includes(one)) events.push({ms, kind: "hidden", words: `hidden: ${one}`});
    for (const one of tags) if (!before.tags.includes(one)) events.push({ms, kind: "tag", words: `${one} was moved`});
  }
  before = now;
}

// {name: what holds, as "02"}.
function lanes(update, state) {
  const shown = {update, view: {...state.view, pair: state.view.pair}};
  return update.entities && state.view.pair && update.entities[state.view.pair[1]]
    ? rowsShown(shown).map(row => ({name: row.viewer < 0 ? "own front" : row.name.replace(/^the /, ""), holds: holding(row).join("")})) : [];
}

// Another pair was chosen: what held of it is read again from what was kept.
function relane(state) {
  const key = `${state.view.pair?.slice(2)} ${state.view.convention}`;
  if (key === lanesOf) return;
  lanesOf = key;
  before = null;
  for (const moment of moments) moment.lanes = lanes(JSON.parse(decoder.decode(moment.json)), state);
}

export const isLive = state => state.view.at === null;

function nearest(ms) {
  return moments.reduce((best, moment) => Math.abs(moment.ms - ms) < Math.abs((best?.ms ?? -1e12) - ms) ? moment : best, null);
}

let wanted = 0;
// Shows a moment of the past, or with null the present.
export async function goTo(ms, state, show) {
  const mine = ++wanted, moment = ms === null ? null : nearest(ms);
  state.view.at = moment?.ms ?? null;
  if (!moment) { show(null, null); return; }
  const bitmap = moment.blob && await createImageBitmap(moment.blob);
  if (mine === wanted) show(JSON.parse(decoder.decode(moment.json)), bitmap); else bitmap?.close();
}

export function step(by, state, show) {
  const at = moments.findIndex(moment => moment.ms === state.view.at), from = at < 0 ? moments.length - 1 : at;
  const to = Math.max(0, from + by);
  if (moments.length) goTo(to >= moments.length ? null : moments[to].ms, state, show);
}

// ---- the strip ----

// At first less than two minutes, so that there is something to see.
const spanNow = now => [15, 30, 60, 120].map(s => 1000 * s).find(span => now - (moments[0]?.ms ?? now) < span) ?? SPAN_MS;
const xOf = (ms, now, left, width) => left + (width - left) * (1 - (now - ms) / spanNow(now));

function drawLane(pen, moments_, lane, now, box, unit, ink) {
  let from = 0;
  const holdsOf = moment => moment.lanes.find(one => one.name === lane)?.holds ?? "";
  const until = i => i < moments_.length ? xOf(moments_[i].ms, now, box.left, box.width) : box.width;
  for (let i = 1; i <= moments_.length; i++) {
    if (i < moments_.length && holdsOf(moments_[i]) === holdsOf(moments_[from])) continue;
    const holds = [...holdsOf(moments_[from])].map(Number), x = Math.max(box.left, until(from)), w = until(i) - x;
    for (let half = 0; half < HALVES; half++) {
      pen.fillStyle = holds.length ? INKS[holds[half % holds.length]] : ink("line");
      pen.fillRect(x, box.y + half * box.height / HALVES, w + 0.5, box.height / HALVES);
    }
    const words = holds.length ? phrase(holds, "") : "";
    pen.font = `600 ${unit}px ${FONT}`;
    if (words && pen.measureText(words).width + unit < w && box.height > 0.95 * unit) {
      pen.fillStyle = "#fff";
      pen.strokeStyle = "#000b";
      pen.lineWidth = unit / 5;
      pen.textAlign = "center";
      pen.strokeText(words, x + w / 2, box.y + box.height / 2);
      pen.fillText(words, x + w / 2, box.y + box.height / 2);
    }
    from = i;
  }
}

function leftOf(pen, unit, names) {
  pen.font = `600 ${unit}px ${FONT}`;
  return Math.max(...names.map(name => pen.measureText(name).width), 2 * unit) + 0.6 * unit;
}

function laneNames() {
  const names = moments.at(-1)?.lanes.map(lane => lane.name) ?? [];
  return names;
}

export function drawStrip(canvas, state) {
  const sheet = start(canvas);
  if (!sheet) return;
  relane(state);
  const {pen, width, height, unit} = sheet, ink = colours(canvas), now = performance.now(), names = laneNames();
  pen.textBaseline = "middle";
  const room = Math.max(1, Math.floor((height - 1.2 * unit) / (1.15 * unit))), shown = names.slice(0, room);
  const left = Math.min(width / 3, leftOf(pen, unit, shown)), top = 1.15 * unit, each = (height - top) / Math.max(1, shown.length);
  shown.forEach((name, i) => {
    const y = top + i * each;
    drawLane(pen, moments, name, now, {left, width, y, height: each - 3}, unit, ink);
    pen.textAlign = "left";
    pen.font = `600 ${unit}px ${FONT}`;
    pen.fillStyle = ink("faint");
    pen.fillText(name, 0, y + each / 2 - 1, left - 0.3 * unit);
  });
  pen.fillStyle = ink("faint");
  pen.textAlign = "left";
  const span = spanNow(now) / 1000, ago = span < 60 ? `−${span} s` : `−${span / 60} min`;
  pen.fillText(ago, left, 0.55 * unit);
  let free = left + pen.measureText(ago).width + unit / 2;
  for (const {ms, kind} of events) {
    const x = xOf(ms, now, left, width);
    if (x < free || x > width - 0.6 * unit) continue;
    free = x + 1.1 * unit;
    pen.textAlign = "center";
    pen.fillStyle = ink(kind === "wrong" || kind === "tag" ? "alarm" : "ink");
    pen.fillText(SIGNS[kind], x, 0.55 * unit);
  }
  const at = isLive(state) ? width - 2 : xOf(state.view.at, now, left, width);
  pen.fillStyle = ink("ink");
  pen.fillRect(Math.max(left, at) - 1.5, 0, 3, height);
  canvas.left = left;
  showWhere(canvas, state, now);
}

function showWhere(canvas, state, now) {
  const s = isLive(state) ? 0 : Math.round((state.view.at - now) / 1000), words = isLive(state) ? "now" : `${-s} s ago`;
  canvas.setAttribute("aria-valuenow", s);
  canvas.setAttribute("aria-valuetext", words);
  setText($("live"), isLive(state) ? "❚❚ Pause" : "● Go live");
  document.body.classList.toggle("paused", !isLive(state));
  document.body.dataset.ago = words;
}

export const msAt = (canvas, x) => performance.now() - spanNow(performance.now()) * (1 - Math.max(0, Math.min(1, (x - canvas.left) / (canvas.clientWidth - canvas.left))));

export function eventAt(canvas, x) {
  const now = performance.now(), unit = parseFloat(getComputedStyle(canvas).fontSize);
  const near = events.filter(event => Math.abs(xOf(event.ms, now, canvas.left, canvas.clientWidth) - x) < unit / 1.5).at(-1);
  const ago = Math.round((now - msAt(canvas, x)) / 1000);
  return [element("b", {}, `${ago} s ago`), ...near ? [element("span", {}, `${SIGNS[near.kind]} ${near.words}`)] : []];
}

export const memory = () => ({moments: moments.length, bytes, events: events.length});
