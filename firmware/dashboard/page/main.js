// Takes what /updates says of each image and has it drawn. What comes from the station goes into the page as text, never as HTML.
import {drawAbove, drawCamera, thingAt} from "./pictures.js";
import {drawEyes} from "./eyes.js";
import {showHealth, showPair, showSees, showSight, rowsOf, rowsShown, disagreement} from "./words.js";
import {drawCurves, showQuestion} from "./sweep.js";

const $ = id => document.getElementById(id);
const SILENCE_MS = 6000, WORDS_MS = 250, EYES_MS = 120, RETRY_MS = 1000;
const THEMES = ["", "light", "dark"];

// What is shown. `update`: the last one; `bitmap`: its picture; `view`: what the visitor chose.
const state = {
  update: null, bitmap: null, bodies: {}, sweep: null,
  view: {pair: null, convention: "reflected", row: null, viewer: null, overlay: true, paused: false},
};
let heardAt = 0;
// What is behind `state`, and when the slow ones were drawn.
const stale = {pictures: false, eyes: false, words: false}, drawnAt = {eyes: 0, words: 0};

// ---- the stream: length of the JSON, length of the JPEG, JSON, JPEG ----

// Bytes as they come, in pieces; taken in the lengths that are asked for.
class Bytes {
  constructor(reader) { this.reader = reader; this.pieces = []; this.len = 0; }
  async take(len) {
    while (this.len < len) {
      const {value, done} = await this.reader.read();
      if (done) throw new Error("the stream has ended");
      this.pieces.push(value);
      this.len += value.length;
    }
    const taken = new Uint8Array(len);
    for (let at = 0; at < len;) {
      const piece = this.pieces[0], part = piece.subarray(0, len - at);
      taken.set(part, at);
      at += part.length;
      if (part.length === piece.length) this.pieces.shift();
      else this.pieces[0] = piece.subarray(part.length);
    }
    this.len -= len;
    return taken;
  }
}

async function read(stop) {
  const reply = await fetch("updates" + location.search, {signal: stop.signal, cache: "no-store"});
  if (!reply.ok) throw new Error(reply.status === 503 ? "too many viewers" : "no connection");
  const bytes = new Bytes(reply.body.getReader()), text = new TextDecoder();
  let picture = -1;
  for (;;) {
    const head = new DataView((await bytes.take(8)).buffer);
    const json = await bytes.take(head.getUint32(0)), jpeg = await bytes.take(head.getUint32(4));
    const update = JSON.parse(text.decode(json));
    const isNew = update.picture !== picture && jpeg.length > 0;
    const bitmap = isNew ? await createImageBitmap(new Blob([jpeg], {type: "image/jpeg"})) : null;
    picture = update.picture;
    take(update, bitmap);
  }
}

// Once for each connection: what is fetched apart may be another program's by now.
async function keepConnected() {
  for (;;) {
    const stop = new AbortController();
    const watchdog = setInterval(() => performance.now() - heardAt > SILENCE_MS && stop.abort(), 1000);
    heardAt = performance.now();
    let why = "no connection";
    try { await read(stop); } catch (error) { if (error.message === "too many viewers") why = error.message; }
    clearInterval(watchdog);
    state.update && (state.update = {...state.update, sweep: -1, bodies: -1});
    showConnection("lost", `▲ ${why}`);
    await new Promise(done => setTimeout(done, RETRY_MS));
  }
}

async function fetchInto(name, then) {
  try {
    const reply = await fetch(name + location.search, {cache: "no-store"});
    if (reply.ok) then(await reply.json());
  } catch { /* the stream's end says so */ }
}

let newsAt = 0;
function take(update, bitmap) {
  const before = state.update;
  heardAt = performance.now();
  if (bitmap || !before || update.picture !== before.picture) newsAt = heardAt;
  if (state.view.paused) { bitmap?.close(); return; }
  state.update = update;
  if (bitmap) { state.bitmap?.close(); state.bitmap = bitmap; }
  if (!before || update.sweep !== before.sweep) fetchInto("sweep", sweep => { state.sweep = sweep; stale.words = true; });
  if (!before || update.bodies !== before.bodies) fetchInto("bodies", bodies => { state.bodies = bodies ?? {}; stale.eyes = true; });
  const quiet = (heardAt - newsAt) / 1000;
  const isStalled = quiet > 5 && !update.sweeps;
  if (!update.image) showConnection("stalled", "… waiting for an image");
  else if (isStalled) showConnection("stalled", `▲ no new image for ${Math.round(quiet)} s`);
  else showConnection("live", "● live");
  stale.pictures = stale.eyes = stale.words = true;
}

function showConnection(how, words) { // "live", "stalled": the station is there, but no image is; "lost"
  if ($("connection").textContent !== words) $("connection").textContent = words;
  $("connection").className = how;
  document.body.classList.toggle("lost-now", how === "lost");
}

// ---- drawing ----

// A pair that viewers disagree about says most.
function choosePair(update) {
  const has = pair => pair && update.entities[pair[0]]?.name === pair[2] && update.entities[pair[1]]?.name === pair[3];
  const {view} = state;
  if (has(view.pair) && $("referent").options.length) return;
  const pairs = new Map();
  for (const [a, b] of update.rows) pairs.set(`${a} ${b}`, [a, b, update.entities[a].name, update.entities[b].name]);
  const all = [...pairs.values()];
  if (!all.length) return;
  const again = view.pair && all.find(pair => pair[2] === view.pair[2] && pair[3] === view.pair[3]);
  const ranked = all.map(pair => [disagreement(update, pair), pair]).sort((x, y) => y[0] - x[0]);
  view.pair = again ?? ranked[0][1];
  offer("referent", [...new Set(all.map(pair => pair[2]))], view.pair[2]);
  offer("relatum", [...new Set(all.map(pair => pair[3]))], view.pair[3]);
}

function offer(id, names, chosen) {
  $(id).replaceChildren(...names.map(name => new Option(name)));
  $(id).value = chosen;
}

function setPair(referent, relatum) {
  const {update} = state;
  const index = name => update.entities.findIndex(entity => entity.name === name);
  if (!update?.rows || referent === relatum) return;
  if (!update.rows.some(([a, b]) => a === index(referent) && b === index(relatum))) return;
  state.view.pair = [index(referent), index(relatum), referent, relatum];
  $("referent").value = referent;
  $("relatum").value = relatum;
  drawNow();
}

function showFrame({step, report, sweeps, simulated}) {
  if ($("step").textContent !== step) $("step").textContent = step;
  $("report").hidden = !report;
  $("simulated").hidden = !simulated;
  document.body.classList.toggle("sweeps", sweeps);
  $("question-panel").hidden = $("curves-panel").hidden = !sweeps;
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
  const {update} = state;
  if (stale.pictures) {
    stale.pictures = false;
    showFrame(update);
    if (update.image) {
      choosePair(update);
      drawCamera($("camera"), state);
      drawAbove($("above"), state);
    }
  }
  if (isDue("eyes", EYES_MS) && update.image) drawEyes($("eyes"), state);
  if (!isDue("words", WORDS_MS)) return; // numbers that change faster cannot be read
  if (update.image) { showPair(state); showSight(state); showSees(state); }
  showHealth(state);
  if (update.sweeps) { showQuestion(state.sweep); drawCurves($("curves"), state.sweep); }
}

function drawNow() {
  if (!state.update) return;
  stale.pictures = stale.eyes = stale.words = true;
  drawnAt.eyes = drawnAt.words = 0;
}

// ---- what a visitor does ----

function enlarge(panel) {
  const was = panel.classList.contains("large");
  document.querySelectorAll(".large").forEach(other => other.classList.remove("large"));
  panel.classList.toggle("large", !was);
  document.body.classList.toggle("has-large", !was);
  drawNow();
}

function nextPair() {
  const {update, view} = state;
  if (!view.pair) return;
  const keys = [...new Set(update.rows.map(([a, b]) => `${a} ${b}`))];
  const [a, b] = keys[(keys.indexOf(`${view.pair[0]} ${view.pair[1]}`) + 1) % keys.length].split(" ");
  setPair(update.entities[a].name, update.entities[b].name);
}

function nextRow(step) {
  const rows = rowsShown(state), at = rows.findIndex(row => row.chosen);
  if (rows.length) state.view.row = rows[(at + step + rows.length) % rows.length].viewer;
  drawNow();
}

function nextViewer() {
  const viewers = state.update?.entities?.filter(entity => entity.field && !entity.camera) ?? [];
  if (!viewers.length) return;
  const at = viewers.findIndex(entity => entity.name === $("eyes-name").textContent);
  state.view.viewer = viewers[(at + 1) % viewers.length].name;
  drawNow();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("pov-theme", theme); } catch { /* private windows */ }
  drawNow();
}

function pause() {
  state.view.paused = !state.view.paused;
  document.body.classList.toggle("paused", state.view.paused);
}

const panels = () => [...document.querySelectorAll("main section h2 button")].map(button => button.closest("section"))
  .filter(section => !section.hidden);
const keys = {
  "?": () => $("help").open ? $("help").close() : $("help").showModal(),
  p: nextPair,
  s: () => state.view.pair && setPair(state.view.pair[3], state.view.pair[2]),
  ArrowUp: () => nextRow(-1),
  ArrowDown: () => nextRow(1),
  c: () => {
    $("convention").selectedIndex = ($("convention").selectedIndex + 1) % $("convention").length;
    $("convention").dispatchEvent(new Event("change"));
  },
  v: nextViewer,
  o: () => { state.view.overlay = !state.view.overlay; drawNow(); },
  t: () => setTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme ?? "") + 1) % THEMES.length]),
  " ": pause,
  Escape: () => { const large = document.querySelector(".large"); if (large) enlarge(large); },
};

addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select")) return;
  if ($("help").open && event.key !== "?") return;
  const panel = panels()[event.key - 1];
  if (panel) enlarge(panel);
  else if (keys[event.key] && !(event.key === " " && event.target.closest("button, a"))) {
    keys[event.key]();
    event.preventDefault();
  }
});
$("help-button").addEventListener("click", keys["?"]);
for (const button of document.querySelectorAll("main h2 button"))
  button.addEventListener("click", () => enlarge(button.closest("section")));
for (const id of ["referent", "relatum"])
  $(id).addEventListener("change", () => {
    const [a, b] = [$("referent").value, $("relatum").value];
    const {pair} = state.view;
    if (a === b && pair) setPair(pair[3], pair[2]); else setPair(a, b);
  });
$("convention").addEventListener("change", () => { state.view.convention = $("convention").value; drawNow(); });
$("perspectives").addEventListener("click", event => {
  const row = event.target.closest("tr");
  if (row) { state.view.row = +row.dataset.viewer; drawNow(); }
});

let touched = null; // the thing that was touched last, which the next one is asked relative to
$("above").addEventListener("click", event => {
  const name = thingAt($("above"), state, event.offsetX, event.offsetY);
  if (!name) { touched = null; return; }
  const {pair} = state.view;
  if (touched && touched !== name) { setPair(touched, name); touched = null; }
  else { touched = name; setPair(name, pair && pair[3] !== name ? pair[3] : pair?.[2]); }
});
addEventListener("resize", drawNow);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawNow);

try { setTheme(localStorage.getItem("pov-theme") ?? ""); } catch { setTheme(""); }
setInterval(() => {
  if (performance.now() - heardAt > SILENCE_MS) showConnection("lost", "▲ no connection");
}, 1000);
requestAnimationFrame(draw);
keepConnected();
