// The experimenter's page, a rater's, or that of a person who answers questions: shows the state that /study tells, and sends lines.
const PERIOD_MS = 400;
const $ = id => document.getElementById(id);
const RETRY_MS = 1000;
let nonce = "", state = {}, shown = "", sent = Promise.resolve();

// One after the other: browsers would post them over several connections.
function send(line) {
  sent = sent.then(() => fetch("study", { method: "POST", body: `${nonce} ${line}` })).then(update, update);
  return sent;
}

function fill(list, items, look) {
  list.replaceChildren(...items.map(item => {
    const entry = document.createElement("li");
    look(entry, item);
    return entry;
  }));
}

// What the experimenter has to know from three metres: one word.
function stateWord() {
  return state.state === "running" ? "RUNNING" : !state.consent ? "CONSENT" : state.break && !state.scene_right ? "BREAK" : state.scene_right ? "READY"
    : state.looked ? "NOT YET" : "LOOK";
}

function sceneNote() {
  if (!state.scene)
    return "Any scene will do.";
  const wrong = state.things.filter(thing => !thing.right).length;
  const about = state.scene_about ? ` (${state.scene_about})` : "";
  return !state.looked ? `Wanted: ${state.scene}${about}. Not looked at yet.`
    : state.scene_right ? `${state.scene}${about}: right.` : `${state.scene}${about}: ${wrong} of ${state.things.length} not yet right:`;
}

const SVG = "http://www.w3.org/2000/svg";
function svg(parent, name, attributes, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    element.setAttribute(key, value);
  element.textContent = text;
  return parent.appendChild(element);
}

const nameOf = id => id.replaceAll("_", " ");
const pick = id => state.state === "running" && send(`pick ${id}`);

// An outline around each thing; from a thing that is not yet right an arrow to where it belongs.
function drawMarks() {
  const marks = $("marks"), drawn = state.marks ?? [];
  marks.toggleAttribute("hidden", drawn.length === 0 || $("video").hidden);
  if (!state.image_px)
    return;
  const [width, height] = state.image_px, of = id => state.things.find(thing => thing.id === id);
  marks.setAttribute("viewBox", `0 0 ${width} ${height}`);
  marks.style.setProperty("--text-px", `${Math.max(height / 28, 14 * width / ($("video").clientWidth || width))}px`);
  marks.classList.toggle("picking", state.state === "running");
  marks.replaceChildren();
  const head = svg(svg(marks, "defs", {}), "marker", { id: "arrow", viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 4, markerHeight: 4, orient: "auto" });
  svg(head, "path", { d: "M0 0 10 5 0 10z" });
  for (const mark of drawn) {
    const thing = of(mark.id), wrong = thing && !thing.right;
    const group = svg(marks, "g", { class: wrong ? "wrong" : thing ? "right" : "" });
    const [left, top, right, bottom] = mark.box_px ?? [];
    if (mark.box_px) {
      svg(group, "rect", { x: left, y: top, width: right - left, height: bottom - top, rx: 3 }).onclick = () => pick(mark.id);
      svg(group, "text", { x: left, y: Math.max(top - height / 90, height / 25) }, nameOf(mark.id));
    }
    if (!wrong || !mark.to_px)
      continue;
    svg(group, "circle", { cx: mark.to_px[0], cy: mark.to_px[1], r: height / 40 });
    if (mark.box_px)
      svg(group, "line", { x1: (left + right) / 2, y1: (top + bottom) / 2, x2: mark.to_px[0], y2: mark.to_px[1] });
    else
      svg(group, "text", { x: mark.to_px[0] + height / 35, y: mark.to_px[1] }, nameOf(mark.id));
  }
}

function showReply(running) {
  const reply = state.reply;
  $("reply-panel").hidden = !running || !reply;
  $("robot").textContent = reply?.say ?? "";
  $("heard").textContent = reply ? `to: “${reply.utterance}”` : "";
}

function showPicture() {
  const video = $("video");
  video.onload = () => {
    video.hidden = false;
    $("no-image").hidden = true;
    drawMarks();
  };
  video.onerror = () => setTimeout(() => video.src = `video?again=${Date.now()}`, RETRY_MS); // before the first image
  if (!video.src)
    video.src = "video";
  drawMarks();
}

function showSession() {
  const running = state.state === "running";
  $("who").textContent = state.participant;
  $("simulated").hidden = !state.simulated;
  $("word").textContent = $("word").dataset.word = stateWord();
  $("consent").hidden = $("consent-text").hidden = state.consent;
  $("consent-text").textContent = state.consent_text;
  $("break-text").textContent = running ? "" : state.break;
  $("place").textContent = `Trial ${state.position} of ${state.of}: ${state.condition}, ${state.trial}${running ? " – running" : ""}`;
  $("show").textContent = state.show;
  $("say").textContent = state.say;
  $("go").textContent = running ? "Stop (space)" : "Start (space)";
  $("go").disabled = !state.consent || (!running && !state.scene_right);
  $("anyway").hidden = running || state.scene_right || !state.consent;
  $("abandon").hidden = !running;
  $("events-panel").hidden = !running;
  $("look").textContent = state.looked ? "Look again" : "Look";
  $("scene-note").textContent = sceneNote();
  fill($("things"), state.looked ? state.things : [], (entry, thing) => {
    entry.className = thing.right ? "right" : "wrong";
    entry.textContent = thing.right ? nameOf(thing.id) : `${nameOf(thing.id)}: ${thing.text}`;
  });
  $("picks").replaceChildren(...(state.marks ?? []).map(mark => {
    const button = document.createElement("button");
    button.textContent = nameOf(mark.id);
    button.dataset.pick = mark.id;
    button.onclick = () => pick(mark.id);
    return button;
  }));
  showReply(running);
  showPicture();
}

function showRating() {
  $("remaining").textContent = `${state.left} left`;
  $("instruction").textContent = state.instruction && `The participant was told: ${state.instruction}`;
  $("task").textContent = state.task && `Task: ${state.task}`;
  fill($("said"), state.said, (entry, words) => entry.textContent = `“${words}”`);
  $("picked").textContent = state.picked.length ? `Picked: ${nameOf(state.picked.at(-1))}` : state.target && `Meant: ${nameOf(state.target)}`;
  $("labels").replaceChildren(...state.labels.map((label, i) => {
    const button = document.createElement("button");
    button.textContent = `${i + 1} ${label}`;
    button.onclick = () => send(label);
    return button;
  }));
  $("still").src = state.picture;
}

// Each line names its question: a second press must not answer the next one.
const reply = text => send(`for ${state.number_of} ${text}`);

function press(i) {
  const button = $("choices").children[i];
  if (!button)
    return;
  if (!state.several)
    return reply(state.choices[i]);
  button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") !== "true");
  $("done-several").disabled = !$("choices").querySelector("[aria-pressed=true]");
}

function showAsking() {
  $("asking-left").textContent = `${state.left} left`;
  $("asked-question").textContent = state.question;
  $("choices").replaceChildren(...state.choices.map((choice, i) => {
    const button = document.createElement("button");
    button.textContent = `${i + 1} ${choice}`;
    if (state.several)
      button.setAttribute("aria-pressed", "false");
    button.onclick = () => press(i);
    return button;
  }));
  $("done-several").hidden = !state.several;
  $("done-several").disabled = true;
  $("number-form").hidden = !state.number;
  $("number").value = "";
  if (state.number)
    $("number").focus();
  $("take-back").disabled = state.number_of === 0;
  $("asked-picture").parentElement.hidden = !state.picture; // the question's words are all that it is about
  $("asked-picture").src = state.picture || "data:,";
}

const replySeveral = () => reply(state.choices.filter((_, i) => $("choices").children[i].getAttribute("aria-pressed") === "true").join(", "));

async function update() {
  try {
    const reply = await fetch("study");
    if (reply.status === 403) { $("connection").textContent = "This address lets you look only. Open the other one that pov printed."; return; }
    const told = await reply.json();
    nonce = told.nonce;
    state = told.state ?? { state: "waiting for the program" };
    $("connection").textContent = "";
    $("step").textContent = told.step;
    const text = JSON.stringify(state);
    if (text === shown)
      return;
    shown = text;
    $("session").hidden = !["running", "waiting"].includes(state.state);
    $("rating").hidden = state.state !== "rating";
    $("asking").hidden = state.state !== "asking";
    $("finished").hidden = state.state !== "finished";
    if (!$("session").hidden)
      showSession();
    if (!$("rating").hidden)
      showRating();
    if (!$("asking").hidden)
      showAsking();
  } catch {
    $("connection").textContent = "▲ no connection";
  }
}

$("go").onclick = () => send(state.state === "running" ? "stop" : "start");
$("cannot").onclick = () => reply("I cannot tell");
$("take-back").onclick = () => reply("back");
$("done-several").onclick = replySeveral;
$("number-form").onsubmit = event => {
  event.preventDefault();
  if (/^[0-9]{1,6}$/.test($("number").value))
    reply($("number").value);
};
for (const button of document.querySelectorAll("[data-line]"))
  button.onclick = () => send(button.dataset.line);
for (const form of document.querySelectorAll("[data-word]"))
  form.onsubmit = event => {
    event.preventDefault();
    const input = form.querySelector("input");
    if (input.value.trim())
      send(`${form.dataset.word} ${input.value.trim()}`);
    input.value = "";
  };
function answerByKey(event) {
  if (event.key === "Backspace") {
    event.preventDefault();
    if (!$("take-back").disabled)
      $("take-back").click();
  } else if (event.key === "Enter" && state.several && !$("done-several").disabled) {
    event.preventDefault();
    replySeveral();
  } else if (event.key === "0") {
    $("cannot").click();
  } else if (/^[1-9]$/.test(event.key)) {
    press(Number(event.key) - 1);
  }
}

document.onkeydown = event => {
  if (event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey || event.repeat)
    return;
  if (event.key === " " && !$("session").hidden) {
    event.preventDefault();
    if (!$("go").disabled)
      $("go").click();
  } else if (!$("session").hidden && state.state === "running" && "abc".includes(event.key)) {
    send(`mark ${event.key}`);
  } else if (!$("rating").hidden && state.labels[Number(event.key) - 1]) {
    send(state.labels[Number(event.key) - 1]);
  } else if (!$("asking").hidden) {
    answerByKey(event);
  }
};
window.onresize = () => $("session").hidden || drawMarks();
await update();
setInterval(update, PERIOD_MS);
