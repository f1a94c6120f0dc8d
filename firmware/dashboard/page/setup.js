// A set-up's page: shows the state that /study tells, and sends what is answered. The program leads; nothing is decided here.
import {keepConnected} from "./stream.js";
import {drawCamera, scaleOf} from "./image.js";

const PERIOD_MS = 300, KEY_STEP_PX = 4, AFTER_MS = 500;
const SIGNS = {open: "…", good: "✓", bad: "✕", skipped: "–"};
const $ = id => document.getElementById(id);
const picture = {update: null, bitmap: null, view: {overlay: "all", pair: null, found: [], pointed: null, shownRow: null}};
let nonce = "", state = null, shownForm = "", awaits = false, armed = null, mark = null, sent = Promise.resolve();

function send(line) {
  sent = sent.then(() => fetch("study" + location.search, {method: "POST", body: `${nonce} ${JSON.stringify(line)}`})).then(update, update);
  return sent;
}

// ---- the form: fields as the program lists them ----

const valueOf = name => $("form").elements[name]?.value ?? "";

// "how=board|images": only if that other field says one of these.
function isShown({shown}) {
  if (!shown) return true;
  const [other, values] = shown.split("=");
  return values.split("|").includes(valueOf(other));
}

function makeInput(field) {
  const isChoice = field.kind === "choice", input = document.createElement(isChoice ? "select" : "input");
  input.name = field.name;
  if (isChoice)
    input.append(...field.choices.split("|").map(one => {
      const at = one.indexOf("=");
      return new Option(one.slice(at + 1), one.slice(0, at));
    }));
  else if (field.kind === "number") input.inputMode = "decimal";
  if (field.kind === "secret") input.type = "password";
  if (field.kind === "point") {
    input.placeholder = "click in the picture, or column row";
    input.onfocus = () => arm(input);
  }
  input.value = field.value;
  return input;
}

function showFields() {
  for (const field of state.fields) {
    const input = $("form").elements[field.name];
    input.closest("label").hidden = !isShown(field);
  }
  if (!armed || armed.closest("label").hidden) arm(points().find(input => !input.value) ?? null);
}

const points = () => state.fields.filter(field => field.kind === "point" && isShown(field)).map(field => $("form").elements[field.name]);

function arm(input) {
  armed?.classList.remove("armed");
  armed = input;
  armed?.classList.add("armed");
}

function makeForm() {
  armed = null;
  $("form").replaceChildren(...state.fields.map(field => {
    const label = document.createElement("label"), words = document.createElement("span");
    words.textContent = field.label;
    label.append(words, makeInput(field));
    return label;
  }));
  showFields();
}

// A complaint about one choice says nothing of another.
$("form").onchange = event => {
  if (event.target.tagName === "SELECT" && $("verdict").className === "bad") setText("verdict", "");
  showFields();
};
$("form").onsubmit = event => {
  event.preventDefault();
  const answers = {};
  for (const field of state.fields)
    if (isShown(field)) answers[field.name] = valueOf(field.name);
  awaits = true;
  $("action").disabled = true;
  send({do: "apply", step: state.at, answers});
};

// ---- what the program tells ----

const stepAt = () => state.steps.findIndex(step => step.name === state.at);

function showSteps() {
  $("steps").replaceChildren(...state.steps.map(step => {
    const entry = document.createElement("li"), button = document.createElement("button");
    button.type = "button";
    button.className = step.state;
    button.dataset.step = step.name;
    button.textContent = `${step.state === "open" ? "" : SIGNS[step.state] + " "}${step.title}`;
    if (step.name === state.at) button.setAttribute("aria-current", "step");
    button.disabled = Boolean(step.lacks);
    button.title = step.lacks ?? "";
    button.onclick = () => send({do: "go", step: step.name});
    entry.append(button);
    return entry;
  }));
}

function showCast() {
  $("cast").hidden = !["things", "person", "write", "run"].includes(state.at);
  $("cast").replaceChildren(...state.cast.map(one => {
    const entry = document.createElement("li"), words = document.createElement("span"), button = document.createElement("button");
    words.textContent = `${one.id}${one.class === one.id ? "" : ` (${one.class})`}: ${one.words}`;
    words.className = one.found ? "found" : "missing";
    button.type = "button";
    button.textContent = "Remove";
    button.setAttribute("aria-label", `Remove ${one.id}`);
    button.onclick = () => send({do: "remove", id: one.id});
    entry.append(words, button);
    return entry;
  }));
}

// A card for each camera, with what it sees.
let shownCameras = "";
function showCameras() {
  const told = JSON.stringify(state.cameras);
  if (told === shownCameras) return;
  shownCameras = told;
  const had = document.activeElement?.dataset?.camera;
  $("cameras").replaceChildren(...state.cameras.map(one => {
    const entry = document.createElement("li"), button = document.createElement("button"), words = document.createElement("small");
    const title = document.createElement("b"), sight = document.createElement(one.picture ? "img" : "span");
    if (one.picture) {
      sight.src = one.picture;
      sight.alt = "";
    } else sight.textContent = one.words.startsWith("no picture") ? "✕" : "…";
    sight.className = "sight";
    title.textContent = one.title;
    words.textContent = one.words;
    button.type = "button";
    button.dataset.camera = one.id || one.source;
    if (one.source === "practice") button.id = "practise";
    button.onclick = () => {
      awaits = true;
      send({do: "apply", step: "camera", answers: one.id ? {source: one.source, id: one.id} : {source: one.source}});
    };
    button.append(sight, title, words);
    entry.append(button);
    return entry;
  }));
  if (had) [...$("cameras").querySelectorAll("button")].find(one => one.dataset.camera === had)?.focus();
}

function setText(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
}

function showButtons(step) {
  const isLast = stepAt() === state.steps.length - 1, isOpen = step.state === "open" || step.state === "bad";
  setText("action", state.action);
  $("action").disabled = state.busy || state.ended;
  $("action").className = isOpen || isLast ? "main" : "";
  $("enough").hidden = !state.enough;
  setText("enough", state.enough);
  $("enough").className = state.wanted ? "" : "main"; // a person is waited for
  $("print").hidden = !state.print;
  setText("print", `Print ${state.print}`);
  $("cancel").hidden = !state.busy;
  $("next").hidden = isLast || state.busy || (isOpen && !state.may_skip && step.state !== "bad");
  setText("next", isOpen && state.may_skip ? "Leave out" : "Next");
  $("next").className = isOpen ? "" : "main";
  $("progress").hidden = !state.wanted;
  $("progress").max = state.wanted || 1;
  $("progress").value = state.taken;
}

function showStep() {
  const step = state.steps[stepAt()], form = JSON.stringify([state.at, state.fields]);
  setText("title", `${stepAt() + 1}. ${step.title}`);
  setText("about", state.about);
  setText("verdict", step.words && `${SIGNS[step.state]} ${step.words}`);
  $("verdict").className = step.state;
  const cleared = awaits && !state.busy && step.state !== "bad" && step.words; // a step that repeats begins again
  if (form !== shownForm || cleared) makeForm();
  if (cleared || step.state === "bad") awaits = false;
  shownForm = form;
  showButtons(step);
}

function showPicture() {
  const isThere = Boolean(picture.update?.image);
  $("camera").hidden = !isThere;
  $("no-picture").hidden = isThere;
  const isChosen = state.at !== "camera" || state.busy, real = state.cameras.filter(one => one.source === "libcamera").length;
  $("cameras").hidden = isChosen;
  setText("choose", isChosen ? "No picture." : !state.cameras.length ? "Looking for cameras …" : real ? "Choose a camera:" : "No camera is plugged in: plug one in, and it appears here; or name " +
    "another source in the panel of this step; or practise without.");
  setText("connection", isThere ? "live" : "connected, no picture");
}

function show() {
  showPicture();
  showCameras();
  setText("name", state.file);
  setText("live", state.live);
  setText("text", state.text);
  setText("command", state.command);
  $("command-panel").hidden = !state.command;
  $("simulated").hidden = !picture.update?.simulated;
  showSteps();
  showStep();
  showCast();
}

// The station runs at the same address once the set-up has ended.
async function followStation() {
  for (;;) {
    await new Promise(done => setTimeout(done, AFTER_MS));
    try {
      const reply = await fetch("updates" + location.search, {method: "HEAD", cache: "no-store"});
      if (reply.status === 403) { setText("verdict", "✓ The station runs. Its terminal has the new URL of its page."); return; }
      const told = await (await fetch("study", {cache: "no-store"})).json();
      if (told.state === null) { location.assign("./"); return; }
    } catch { /* not yet */ }
  }
}

let shown = "", follows = false;
async function update() {
  if (follows) return;
  try {
    const reply = await fetch("study" + location.search, {cache: "no-store"});
    if (reply.status === 403) { setText("connection", "This address lets you look only. Open the other one that pov printed."); return; }
    const told = await reply.json();
    nonce = told.nonce;
    $("connection").className = "live";
    if (!told.state) return;
    state = told.state;
    showPicture();
    const text = JSON.stringify(state);
    if (text !== shown) show();
    shown = text;
    if (state.ended && state.runs) {
      follows = true;
      followStation();
    }
  } catch {
    $("connection").className = "lost";
    setText("connection", "▲ no connection");
  }
}

$("enough").onclick = () => send({do: "enough"});
$("cancel").onclick = () => send({do: "cancel"});
$("next").onclick = () => send({do: "skip", step: state.at});

// ---- the picture ----

// Parts of the image in which points were taken are tinted: the more, the stronger.
function drawCover(pen, at) {
  const rows = state.cover.length, columns = state.cover[0].length, w = at.scale * at.w / columns, h = at.scale * at.h / rows;
  state.cover.forEach((row, j) => row.forEach((count, i) => {
    if (!count) return;
    pen.fillStyle = `rgba(53, 199, 154, ${Math.min(0.55, 0.16 + 0.02 * count)})`;
    pen.fillRect(at.left + i * w, at.top + j * h, w, h);
  }));
}

function drawPoint(pen, at, [x, y], colour) {
  const px = at.x(x), py = at.y(y);
  for (const [width, style] of [[5, "#000a"], [2, colour]]) {
    pen.beginPath();
    pen.arc(px, py, 9, 0, 2 * Math.PI);
    pen.moveTo(px - 14, py);
    pen.lineTo(px + 14, py);
    pen.moveTo(px, py - 14);
    pen.lineTo(px, py + 14);
    pen.lineWidth = width;
    pen.strokeStyle = style;
    pen.stroke();
  }
}

const pointOf = text => text.trim().split(/\s+/).map(Number);

function draw() {
  const canvas = $("camera");
  if (!picture.update?.image || !picture.bitmap) return;
  canvas.style.setProperty("--aspect", picture.update.image.size[0] / picture.update.image.size[1]);
  drawCamera(canvas, picture);
  const at = scaleOf(canvas, picture.update), pen = canvas.getContext("2d");
  if (state?.cover) drawCover(pen, at);
  for (const input of state ? points() : [])
    if (pointOf(input.value).length === 2) drawPoint(pen, at, pointOf(input.value), input === armed ? "#ffc14d" : "#4fe0b0");
  if (mark && document.activeElement === canvas) drawPoint(pen, at, mark, "#ffffff");
}

function choosePoint(x, y) {
  const [w, h] = picture.update.image.size;
  if (!armed || x < -0.5 || y < -0.5 || x > w - 0.5 || y > h - 0.5) return;
  armed.value = `${Math.round(x)} ${Math.round(y)}`;
  const all = points();
  arm(all[all.indexOf(armed) + 1] ?? armed);
  draw();
}

$("camera").onclick = event => {
  if (!picture.update?.image) return;
  const at = scaleOf($("camera"), picture.update);
  choosePoint((event.offsetX - at.left) / at.scale - 0.5, (event.offsetY - at.top) / at.scale - 0.5);
};
$("camera").onkeydown = event => {
  const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
  if (!picture.update?.image || (!step && event.key !== "Enter")) return;
  event.preventDefault();
  mark ??= picture.update.image.size.map(side => Math.round(side / 2));
  const far = event.shiftKey ? 10 * KEY_STEP_PX : KEY_STEP_PX;
  if (step) mark = mark.map((value, i) => Math.max(0, Math.min(picture.update.image.size[i] - 1, value + far * step[i])));
  else choosePoint(...mark);
  draw();
};

function take(update, json, blob, bitmap) {
  picture.update = update;
  $("report").hidden = !update.report;
  if (bitmap) {
    picture.bitmap?.close();
    picture.bitmap = bitmap;
  }
  if (state) showPicture();
  draw();
}

await update();
setInterval(update, PERIOD_MS);
addEventListener("resize", draw);
keepConnected(take, () => {});
