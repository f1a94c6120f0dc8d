// What is shown, and what a visitor does. What comes from the station goes into the page as text, never as HTML.
import {fetchInto, heardAt, keepConnected} from "./stream.js";
import {drawCamera, thingInImage} from "./image.js";
import {drawAbove, thingAbove} from "./plan.js";
import {chooseViewer, drawEyes, thingInEyes} from "./eyes.js";
import {conditionChosen, disagreement, explain, replace, rowsShown, sayPair, setText, showHealth, showPair, showSees, showSight, spoken} from "./words.js";
import {drawCurves, showQuestion} from "./sweep.js";
import {rememberAnswers} from "./models.js";
import {readTints} from "./tints.js";
import {drawStrip, endReplay, eventAt, goTo, isLive, isReplaying, msAt, note, remember, step, stepReplay} from "./time.js";
import {sample, showGauges} from "./gauges.js";
import {Ask, showCameras} from "./ask.js";
import * as guess from "./guess.js";
import {saveJson, savePng} from "./save.js";
import {fitText, layOut} from "./layout.js";

const $ = id => document.getElementById(id);
const WORDS_MS = 250, EYES_MS = 120, STRIP_MS = 250, GAUGES_MS = 1000, AGAIN_MS = 300, IDLE_MS = 20000, REPLAY_MS = 120;
const THEMES = ["", "light", "dark"], MODES = ["show", "guess", "lab", "health"], OVERLAYS = ["names", "all", "none"];

// What is shown. `update`: the one on the page; `bitmap`: its picture; `newest`: the last; `blob`: its picture, packed; `view`: what the visitor chose.
const state = {
  update: null, newest: null, bitmap: null, blob: null, bodies: {}, sweep: null, tints: new Map(),
  view: {pair: null, isOwn: false, convention: "reflected", row: null, viewer: null, overlay: "names", at: null, pointed: null, found: [],
    goal: null, guessing: false, mode: "show", eyes: -1, shownRow: null},
};
// What is behind `state`, and when the slow ones were drawn.
const stale = {pictures: false, eyes: false, words: false, strip: false, gauges: false};
const drawnAt = {eyes: 0, words: 0, strip: 0, gauges: 0};

// ---- what comes from the station ----

let newsAt = 0, fetched = {sweep: -1, bodies: -1}, taken = new Uint8Array(0);

// The station repeats its last update; then nothing has changed, and nothing is drawn.
function isRepeated(json, blob) {
  const before = taken;
  taken = json;
  return !blob && json.length === before.length && json.every((byte, i) => byte === before[i]);
}

function take(update, json, blob, bitmap) {
  if (isRepeated(json, blob)) { showPulse(update); return; }
  const before = state.newest;
  if (bitmap || !before || update.picture !== before.picture) newsAt = heardAt;
  state.newest = update;
  state.blob = blob ?? state.blob;
  if (update.sweep !== fetched.sweep) fetchInto("sweep", takeSweep);
  if (update.bodies !== fetched.bodies) fetchInto("bodies", bodies => { state.bodies = bodies ?? {}; stale.eyes = true; });
  fetched = {sweep: update.sweep, bodies: update.bodies};
  showPulse(update);
  sample(update);
  remember(update, json, blob, state);
  stale.strip = stale.gauges = true;
  if (isLive(state)) show(update, bitmap); else bitmap?.close();
}

function takeSweep(sweep) {
  const asked = sweep?.question?.scene, isNew = asked && asked !== state.sweep?.question?.scene;
  const wasWrong = state.sweep?.question, q = sweep?.question;
  if (q && q.p !== null && q.gold_p !== null && Math.abs(q.p - q.gold_p) > 0.6 && q.prompt !== wasWrong?.prompt) note("wrong", `the model is wrong: “${q.prompt}”`);
  state.sweep = sweep;
  rememberAnswers(sweep);
  if (isNew) followSweep();
  stale.words = true;
}

// The page is about the pair that the model is asked about, until the visitor chooses one.
function followSweep() {
  const [referent, relatum] = state.sweep.question.scene.split("/");
  if (!state.view.isOwn) setPair(referent, relatum);
}

function showPulse(update) {
  const quiet = (heardAt - newsAt) / 1000, isStalled = quiet > 5 && !update.sweeps;
  if (update.report) showConnection("done", "✓ finished");
  else if (!update.image) showConnection("stalled", "… waiting for an image");
  else if (isStalled) showConnection("stalled", `▲ no new image for ${Math.round(quiet)} s`);
  else showConnection("live", "● live");
}

// An update and its picture; without one, the newest again.
function show(update, bitmap) {
  state.update = update ?? state.newest;
  if (bitmap) { state.bitmap?.close(); state.bitmap = bitmap; }
  readTints(state.tints, state);
  stale.pictures = stale.eyes = stale.words = stale.strip = true;
}

function lost(why) {
  taken = new Uint8Array(0);
  fetched = {sweep: -1, bodies: -1};
  showConnection("lost", `▲ ${why}`);
}

function showConnection(how, words) { // "live", "stalled": the station is there, but no image is; "done"; "lost"
  setText($("connection"), words);
  $("connection").className = how;
  document.body.classList.toggle("lost-now", how === "lost");
}

// ---- the pair ----

// A pair that viewers disagree about says most.
function choosePair(update) {
  const {view} = state, has = pair => pair && update.entities[pair[0]]?.name === pair[2] && update.entities[pair[1]]?.name === pair[3];
  if (has(view.pair) && $("referent").options.length) return;
  const pairs = new Map();
  for (const [a, b] of update.rows) pairs.set(`${a} ${b}`, [a, b, update.entities[a].name, update.entities[b].name]);
  const all = [...pairs.values()];
  if (!all.length) { view.pair = null; return; }
  const again = view.pair && all.find(pair => pair[2] === view.pair[2] && pair[3] === view.pair[3]);
  const sizeOf = index => update.entities[index].size?.[0] ?? 0; // one locates the small by the large
  const merit = pair => disagreement(update, pair) + 0.6 * !update.entities[pair[0]].field + 0.3 * (sizeOf(pair[0]) < sizeOf(pair[1]));
  const ranked = all.map(pair => [merit(pair), pair]).sort((x, y) => y[0] - x[0]);
  view.pair = again ?? ranked[0][1];
  offer("referent", [...new Set(all.map(pair => pair[2]))], view.pair[2]);
  offer("relatum", [...new Set(all.map(pair => pair[3]))], view.pair[3]);
}

function offer(id, names, chosen) {
  const {entities} = state.update, wordsOf = name => spoken(entities.find(entity => entity.name === name));
  $(id).replaceChildren(...names.map(name => new Option(wordsOf(name), name)));
  $(id).value = chosen;
}

function setPair(referent, relatum) {
  const {update} = state, index = name => update.entities.findIndex(entity => entity.name === name);
  if (!update?.rows || referent === relatum) return false;
  if (!update.rows.some(([a, b]) => a === index(referent) && b === index(relatum))) return false;
  state.view.pair = [index(referent), index(relatum), referent, relatum];
  $("referent").value = referent;
  $("relatum").value = relatum;
  drawNow();
  return true;
}

function choose(referent, relatum) {
  if (setPair(referent, relatum)) state.view.isOwn = true;
}

// ---- drawing ----

function showFrame({step: words, sweeps, simulated}) {
  setText($("step"), words);
  $("report").hidden = !state.newest.report;
  $("simulated").hidden = !simulated;
  document.body.classList.toggle("sweeps", sweeps);
  document.body.classList.toggle("asking", state.view.guessing);
  $("question-panel").hidden = $("curves-panel").hidden = !sweeps;
}

// Names for which a picture has no room: pointing at a thing tells its name. A picture of two lines has no room for that either.
function sayHomeless(note, names, canvas) {
  setText(note, names.length && canvas.clientHeight > 2.5 * parseFloat(getComputedStyle(canvas).fontSize) ? `${names.length} ${names.length === 1 ? "name" : "names"}: point` : "");
  note.title = names.length ? `no room for: ${names.join(", ")}` : "";
}

function isDue(what, period_ms) {
  const now = performance.now();
  if (!stale[what] || now - drawnAt[what] < period_ms) return false;
  stale[what] = false;
  drawnAt[what] = now;
  return true;
}

function draw() {
  requestAnimationFrame(draw);
  const {update, view} = state;
  if (!update) return;
  if (stale.pictures) {
    stale.pictures = false;
    showFrame(update);
    if (update.image) {
      showCameras(update);
      choosePair(update);
      layOut(update.image.size, view.mode);
      drawCamera($("camera"), state);
      drawAbove($("above"), state);
      for (const id of ["camera", "above"]) sayHomeless($(`${id}-homeless`), $(id).drawn?.homeless ?? [], $(id));
    }
  }
  if (isDue("eyes", EYES_MS) && update.image && !view.guessing) drawEyes($("eyes"), state);
  if (isDue("strip", STRIP_MS)) drawStrip($("strip"), state);
  if (view.mode === "health" && isDue("gauges", GAUGES_MS)) showGauges(state);
  if (!isDue("words", WORDS_MS)) return; // numbers that change faster cannot be read
  if (update.image) { showPair(state); showSight(state); showSees(state); }
  showHealth(state);
  if (update.sweeps) { showQuestion(state.sweep, conditionChosen(state)); drawCurves($("curves"), state.sweep); }
}

function drawNow() {
  if (!state.update) return;
  for (const what of Object.keys(stale)) stale[what] = true;
  for (const what of Object.keys(drawnAt)) drawnAt[what] = 0;
}

// ---- what a visitor does ----

function enlarge(panel) {
  const was = panel.classList.contains("large");
  document.querySelectorAll(".large").forEach(other => other.classList.remove("large"));
  panel.classList.toggle("large", !was);
  $("back").hidden = was;
  if (!was) $("back").focus();
  drawNow();
}

function leaveLarge() {
  const large = document.querySelector(".large");
  if (large) enlarge(large);
}

function setMode(mode) {
  const {view} = state;
  leaveLarge();
  if (view.mode === "guess") { view.guessing = false; goLive(); }
  view.mode = mode;
  document.body.classList.remove(...MODES);
  document.body.classList.add(mode);
  for (const button of document.querySelectorAll("#modes button")) button.setAttribute("aria-pressed", button.dataset.mode === mode);
  view.found = [];
  view.goal = null;
  if (mode === "guess") ask();
  drawNow();
}

// The next question is about the present, which then stands still.
async function ask() {
  await goTo(null, state, show);
  const isAsked = state.update?.image && guess.nextQuestion(state, (referent, relatum) => { setPair(referent, relatum); pause(); });
  if (!isAsked) setTimeout(() => state.view.mode === "guess" && ask(), AGAIN_MS);
  drawNow();
}

function answer(button) {
  if (button.dataset.next) ask();
  else if (button.dataset.relation) guess.take(+button.dataset.relation, state);
  drawNow();
}

// After the end and without a visitor, what was seen is shown again, until somebody presses something.
let touchedAt = performance.now(), replayEndedAt = -Infinity;
function touch(event) {
  touchedAt = performance.now();
  if (event.type === "pointermove" || !endReplay()) return;
  replayEndedAt = touchedAt;
  goLive();
}

function playOrPause() {
  if (performance.now() - replayEndedAt < AGAIN_MS) return; // this very press has ended the replay
  if (!isLive(state)) goLive();
  else if (state.newest?.report) stepReplay(state, show);
  else pause();
}

setInterval(() => {
  const isOver = Boolean(state.newest?.report), isIdle = performance.now() - touchedAt > IDLE_MS;
  if (!isOver) touchedAt = performance.now(); // the wait begins with the end
  if (isOver && (isReplaying() || isIdle) && state.view.mode !== "guess") { stepReplay(state, show); stale.strip = true; }
  document.body.classList.toggle("replaying", isReplaying());
}, REPLAY_MS);
for (const input of ["pointerdown", "pointermove", "keydown", "wheel"]) addEventListener(input, touch, {capture: true, passive: true});

const goLive = () => goTo(null, state, show).then(drawNow);
const pause = () => goTo(performance.now(), state, show).then(drawNow);

function nextPair() {
  const {update, view} = state;
  if (!view.pair) return;
  const keys = [...new Set(update.rows.map(([a, b]) => `${a} ${b}`))];
  const [a, b] = keys[(keys.indexOf(`${view.pair[0]} ${view.pair[1]}`) + 1) % keys.length].split(" ");
  choose(update.entities[a].name, update.entities[b].name);
}

function nextRow(by) {
  const rows = rowsShown(state), at = rows.findIndex(row => row.chosen);
  if (rows.length) state.view.row = rows[(at + by + rows.length) % rows.length].viewer;
  drawNow();
}

function nextViewer() {
  const viewers = state.update?.entities?.filter(entity => entity.field && !entity.camera) ?? [];
  if (!viewers.length) return;
  state.view.viewer = viewers[(viewers.indexOf(chooseViewer(state)) + 1) % viewers.length].name;
  drawNow();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("pov-theme", theme); } catch { /* private windows */ }
  drawNow();
}

function clearReply() {
  state.view.found = [];
  state.view.goal = null;
  $("reply").replaceChildren();
  document.body.classList.remove("has-reply");
  drawNow();
}

const next = (list, one) => list[(list.indexOf(one) + 1) % list.length];
const panels = () => [...document.querySelectorAll("main section h2 button")].map(button => button.closest("section"))
  .filter(section => section.offsetParent || section.classList.contains("large"));
const keys = {
  "?": () => $("help").open ? $("help").close() : $("help").showModal(),
  "/": () => $("ask").focus(),
  p: nextPair,
  s: () => state.view.pair && choose(state.view.pair[3], state.view.pair[2]),
  ArrowUp: () => nextRow(-1),
  ArrowDown: () => nextRow(1),
  ArrowLeft: () => step(-4, state, show),
  ArrowRight: () => step(4, state, show),
  End: goLive,
  c: () => {
    $("convention").selectedIndex = ($("convention").selectedIndex + 1) % $("convention").length;
    $("convention").dispatchEvent(new Event("change"));
  },
  v: nextViewer,
  o: () => { state.view.overlay = next(OVERLAYS, state.view.overlay); drawNow(); },
  m: () => setMode(next(MODES, state.view.mode)),
  t: () => setTheme(next(THEMES, document.documentElement.dataset.theme ?? "")),
  " ": playOrPause,
  Escape: () => { leaveLarge(); tell(null); clearReply(); },
};

const GUESS_KEYS = {1: 0, 2: 1, 3: 2, 4: 3, ArrowLeft: 0, ArrowRight: 1, ArrowDown: 2, ArrowUp: 3}; // left, right, in front, behind

addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select, input")) return;
  if (state.view.guessing && event.key in GUESS_KEYS) {
    document.querySelector(`#guess-buttons [data-relation="${GUESS_KEYS[event.key]}"]`)?.click();
    event.preventDefault();
    return;
  }
  if ($("help").open && event.key !== "?") return;
  const panel = panels()[event.key - 1];
  if (panel) enlarge(panel);
  else if (keys[event.key] && !(event.key === " " && event.target.closest("button, a"))) {
    keys[event.key]();
    event.preventDefault();
  }
});
$("help-button").addEventListener("click", keys["?"]);
$("back").addEventListener("click", leaveLarge);
$("modes").addEventListener("click", event => event.target.dataset.mode && setMode(event.target.dataset.mode));
$("guess-buttons").addEventListener("click", event => event.target.closest("button") && answer(event.target.closest("button")));
for (const button of document.querySelectorAll("main h2 button"))
  button.addEventListener("click", () => enlarge(button.closest("section")));
$("pair-form").addEventListener("change", () => {
  const [a, b] = [$("referent").value, $("relatum").value], {pair} = state.view;
  if (a === b && pair) choose(pair[3], pair[2]); else choose(a, b);
});
$("convention").addEventListener("change", () => { state.view.convention = $("convention").value; drawNow(); });
for (const id of ["perspectives", "others"])
  $(id).addEventListener("click", event => {
    const row = event.target.closest("[data-viewer]");
    if (row) { state.view.row = +row.dataset.viewer; drawNow(); }
  });

// ---- pointing at things, in each of the pictures ----

function tell(lines, x = 0, y = 0) {
  const tip = $("tip");
  tip.hidden = !lines?.length;
  if (tip.hidden) return;
  replace(tip, ...lines);
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 4))}px`;
  tip.style.top = `${Math.max(4, y + 14 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 10 : y + 14)}px`;
}

let touched = null; // the thing that was clicked last, which is asked about relative to the next
function click(name) {
  if (!name) { touched = null; return; }
  const {pair} = state.view;
  if (touched && touched !== name) { choose(touched, name); touched = null; }
  else { touched = name; choose(name, pair && pair[3] !== name ? pair[3] : pair?.[2]); }
}

for (const [id, thingAt] of [["camera", thingInImage], ["above", thingAbove], ["eyes", thingInEyes]]) {
  const canvas = $(id);
  canvas.addEventListener("pointermove", event => {
    const name = thingAt(canvas, state, event.offsetX, event.offsetY);
    if (name !== state.view.pointed) { state.view.pointed = name; drawNow(); }
    canvas.style.cursor = name ? "pointer" : "";
    tell(name && !state.view.guessing && explain(state, name), event.clientX, event.clientY);
  });
  canvas.addEventListener("pointerleave", () => { state.view.pointed = null; tell(null); drawNow(); });
  canvas.addEventListener("click", event => click(thingAt(canvas, state, event.offsetX, event.offsetY)));
}

const strip = $("strip");
strip.addEventListener("pointerdown", event => { strip.setPointerCapture(event.pointerId); goTo(msAt(strip, event.offsetX), state, show); });
strip.addEventListener("pointermove", event => {
  if (event.buttons) goTo(msAt(strip, event.offsetX), state, show);
  tell(eventAt(strip, event.offsetX), event.clientX, event.clientY - 60);
});
strip.addEventListener("pointerleave", () => tell(null));
$("live").addEventListener("click", playOrPause);
$("save-png").addEventListener("click", () => savePng(state, sayPair(state)));
$("save-json").addEventListener("click", () => saveJson(state, sayPair(state)));

new Ask((names, goal) => {
  const known = names.filter(name => state.update?.entities?.some(entity => entity.name === name));
  state.view.found = [...new Set(known)];
  state.view.goal = goal;
  document.body.classList.toggle("has-reply", Boolean($("reply").textContent));
  drawNow();
});

const resized = new ResizeObserver(() => { fitText($("answer-panel")); drawNow(); });
for (const canvas of document.querySelectorAll("canvas")) resized.observe(canvas);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawNow);
try { setTheme(localStorage.getItem("pov-theme") ?? ""); } catch { setTheme(""); }
requestAnimationFrame(draw);
keepConnected(take, lost);
