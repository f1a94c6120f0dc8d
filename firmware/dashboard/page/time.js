// The last two minutes: what was shown, in bounded memory; a strip with what held for whom, and what happened; back and forth.
import {disagreement, element, holding, phrase, rowsShown, setText, spoken} from "./words.js";
import {FONT, colours, start} from "./sheet.js";

const $ = id => document.getElementById(id);
export const SPAN_MS = 120000, STEP_MS = 250, BYTES_MAX = 40e6; // 480 moments, of 80 kB or fewer
const INKS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7"], LETTERS = "LRFB", HALVES = 2; // as parts.css has them
const REPLAY_SPEED = 2, QUIET_MS = 2000; // the strip stands still so long after the last image
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
  const mine = ++wanted, moment = ms === null ? null : nearest(ms), blob = moment ? moment.blob : state.blob;
  state.view.at = moment?.ms ?? null;
  if (!moment) show(null, null);
  const bitmap = blob && await createImageBitmap(blob);
  if (mine === wanted && (moment || blob === state.blob)) show(moment && JSON.parse(decoder.decode(moment.json)), bitmap);
  else bitmap?.close();
}

export function step(by, state, show) {
  const at = moments.findIndex(moment => moment.ms === state.view.at), from = at < 0 ? moments.length - 1 : at;
  const to = Math.max(0, from + by);
  if (moments.length) goTo(to >= moments.length ? null : moments[to].ms, state, show);
}

// ---- what was recorded, again, for who comes by ----

let replay = null; // {from: the first moment's time, since: when it began}

// The next picture of a replay at twice the speed, over and over.
export function stepReplay(state, show) {
  if (moments.length < 2) return;
  const first = moments[0].ms, span = moments.at(-1).ms - first, now = performance.now();
  replay ??= {since: now};
  goTo(first + (REPLAY_SPEED * (now - replay.since)) % span, state, show);
}

export function endReplay() {
  const was = replay !== null;
  replay = null;
  return was;
}

export const isReplaying = () => replay !== null;

// ---- the strip ----

// Its right edge: now, or a moment after the last image.
const clock = () => Math.min(performance.now(), (moments.at(-1)?.ms ?? Infinity) + QUIET_MS);

// At first less than two minutes, so that there is something to see.
const spanNow = now => [15, 30, 60, 120].map(s => 1000 * s).find(span => now - (moments[0]?.ms ?? now) < span) ?? SPAN_MS;
const xOf = (ms, now, left, width) => left + (width - left) * (1 - (now - ms) / spanNow(now));

const GAP_PX = 2; // between bands, so that neighbours of like brightness stay apart

// What holds, in words where they have room, else in letters.
function writeInBand(pen, holds, band, unit) {
  if (!holds.length || band.height < 0.95 * unit) return;
  pen.font = `600 ${unit}px ${FONT}`;
  const words = [phrase(holds, ""), holds.map(relation => LETTERS[relation]).join(" ")].find(one => pen.measureText(one).width + 0.6 * unit < band.width);
  if (!words) return;
  pen.fillStyle = "#fff";
  pen.strokeStyle = "#000b";
  pen.lineWidth = unit / 5;
  pen.lineJoin = "round";
  pen.textAlign = "center";
  pen.strokeText(words, band.x + band.width / 2, band.y + band.height / 2);
  pen.fillText(words, band.x + band.width / 2, band.y + band.height / 2);
}

// Before the page was opened nothing is known.
function hatch(pen, box, ink, unit) {
  if (box.width < 1) return;
  pen.save();
  pen.beginPath();
  pen.rect(box.x, box.y, box.width, box.height);
  pen.clip();
  pen.beginPath();
  for (let x = box.x - box.height; x < box.x + box.width; x += 0.6 * unit) {
    pen.moveTo(x, box.y + box.height);
    pen.lineTo(x + box.height, box.y);
  }
  pen.strokeStyle = ink("line");
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.restore();
}

function drawHandle(pen, x, height, unit, ink) {
  pen.fillStyle = ink("ink");
  pen.fillRect(x - 1.5, 0, 3, height);
  pen.beginPath();
  pen.roundRect(x - 0.4 * unit, 0, 0.8 * unit, 0.9 * unit, 0.25 * unit);
  pen.fill();
}

function drawLane(pen, moments_, lane, now, box, unit, ink) {
  let from = 0;
  const holdsOf = moment => moment.lanes.find(one => one.name === lane)?.holds ?? "";
  const until = i => i < moments_.length ? xOf(moments_[i].ms, now, box.left, box.width) : box.width;
  for (let i = 1; i <= moments_.length; i++) {
    if (i < moments_.length && holdsOf(moments_[i]) === holdsOf(moments_[from])) continue;
    const holds = [...holdsOf(moments_[from])].map(Number), x = Math.max(box.left, until(from)), w = until(i) - x;
    for (let half = 0; half < HALVES; half++) {
      pen.fillStyle = holds.length ? INKS[holds[half % holds.length]] : ink("line");
      pen.fillRect(x, box.y + half * box.height / HALVES, Math.max(w - GAP_PX, 0.5), box.height / HALVES - (half < HALVES - 1 && holds.length > 1 ? 1 : 0));
    }
    writeInBand(pen, holds, {x, y: box.y, width: w, height: box.height}, unit);
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
  const {pen, width, height, unit} = sheet, ink = colours(canvas), now = clock(), names = laneNames();
  pen.textBaseline = "middle";
  const room = Math.max(1, Math.floor((height - 1.2 * unit) / (1.15 * unit))), shown = names.slice(0, room);
  const left = Math.min(width / 3, leftOf(pen, unit, shown)), top = 1.15 * unit, each = (height - top) / Math.max(1, shown.length);
  hatch(pen, {x: left, y: top, width: xOf(moments[0]?.ms ?? now, now, left, width) - left, height: height - top}, ink, unit);
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
  const span = spanNow(now) / 1000, ago = span < 60 ? `the last ${span} s` : span === 60 ? "the last minute" : `the last ${span / 60} minutes`;
  pen.fillText(shown.length < names.length ? `${names.length - shown.length} more` : "for", 0, 0.55 * unit, left - 0.3 * unit);
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
  const at = isLive(state) ? width : xOf(state.view.at, now, left, width);
  drawHandle(pen, Math.max(left, Math.min(at, width - 0.45 * unit)), height, unit, ink);
  canvas.left = left;
  showWhere(canvas, state, now);
}

function showWhere(canvas, state, now) {
  const s = isLive(state) ? 0 : Math.round((state.view.at - now) / 1000), words = isLive(state) ? "now" : `${-s} s ago`;
  canvas.setAttribute("aria-valuenow", s);
  canvas.setAttribute("aria-valuetext", words);
  const isOver = Boolean(state.newest?.report);
  setText($("live"), isReplaying() ? "■ Stop" : isOver ? "▶ Replay" : isLive(state) ? "❚❚ Pause" : "● Go live");
  document.body.classList.toggle("paused", !isLive(state));
  document.body.dataset.ago = words;
}

export const msAt = (canvas, x) => clock() - spanNow(clock()) * (1 - Math.max(0, Math.min(1, (x - canvas.left) / (canvas.clientWidth - canvas.left))));

export function eventAt(canvas, x) {
  const now = clock(), unit = parseFloat(getComputedStyle(canvas).fontSize);
  const near = events.filter(event => Math.abs(xOf(event.ms, now, canvas.left, canvas.clientWidth) - x) < unit / 1.5).at(-1);
  const ago = Math.round((now - msAt(canvas, x)) / 1000);
  return [element("b", {}, `${ago} s ago`), ...near ? [element("span", {}, `${SIGNS[near.kind]} ${near.words}`)] : []];
}

export const memory = () => ({moments: moments.length, bytes, events: events.length});
