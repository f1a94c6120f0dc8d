// The experimenter's page, or a rater's: shows the state that /study tells, and sends lines.
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

function showSession() {
  const running = state.state === "running";
  $("who").textContent = state.participant;
  $("consent").hidden = state.consent;
  $("consent-text").textContent = state.consent_text;
  $("break").hidden = !state.break;
  $("break-text").textContent = state.break;
  $("place").textContent = `Trial ${state.position} of ${state.of}: ${state.condition}, ${state.trial}${running ? " – running" : ""}`;
  $("show").textContent = state.show;
  $("say").textContent = state.say;
  $("go").textContent = running ? "Stop (space)" : "Start (space)";
  $("go").disabled = !state.consent || (!running && !state.scene_right);
  $("anyway").hidden = running || state.scene_right || !state.consent;
  $("abandon").hidden = !running;
  $("events-panel").hidden = !running;
  $("scene-note").textContent = !state.scene ? "any" : `${state.scene}${state.scene_right ? ": right" : ": not yet right"}`;
  fill($("things"), state.things, (entry, thing) => {
    entry.className = thing.right ? "right" : "wrong";
    entry.textContent = thing.right ? thing.id : `${thing.id}: ${thing.text}`;
  });
  $("ids").replaceChildren(...state.things.map(thing => new Option(thing.id)));
  if (!$("video").src)
    $("video").src = "video";
  $("video").onerror = () => setTimeout(() => $("video").src = `video?again=${Date.now()}`, RETRY_MS); // before the first image
}

function showRating() {
  $("left").textContent = `${state.left} left`;
  $("instruction").textContent = state.instruction && `The participant was told: ${state.instruction}`;
  $("task").textContent = state.task && `Task: ${state.task}`;
  fill($("said"), state.said, (entry, words) => entry.textContent = `“${words}”`);
  $("picked").textContent = state.picked.length ? `Picked: ${state.picked.at(-1)}` : state.target && `Meant: ${state.target}`;
  $("labels").replaceChildren(...state.labels.map((label, i) => {
    const button = document.createElement("button");
    button.textContent = `${i + 1} ${label}`;
    button.onclick = () => send(label);
    return button;
  }));
  $("picture").src = state.picture;
}

async function update() {
  try {
    const told = await (await fetch("study")).json();
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
    $("finished").hidden = state.state !== "finished";
    if (!$("session").hidden)
      showSession();
    if (!$("rating").hidden)
      showRating();
  } catch {
    $("connection").textContent = "▲ no connection";
  }
}

$("go").onclick = () => send(state.state === "running" ? "stop" : "start");
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
  }
};
await update();
setInterval(update, PERIOD_MS);
