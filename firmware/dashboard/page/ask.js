// The ask box: an utterance to the station, its reply in words, what it offers as buttons; what it names is marked in every view.
import {element, replace} from "./words.js";
import {note} from "./time.js";

const $ = id => document.getElementById(id);
const dialogue = Array.from(crypto.getRandomValues(new Uint8Array(8)), value => value.toString(16).padStart(2, "0")).join("");
const LOOKS_ONLY = "This address lets you look only. Ask with the other one that pov printed.";
let nonce = null;

// Posts a line behind the nonce; null: this address lets you look only.
async function send(name, line) {
  if (!nonce) {
    const told = await fetch("study" + location.search, {cache: "no-store"});
    if (told.status === 403) return null;
    nonce = (await told.json()).nonce;
  }
  const reply = await fetch(name + location.search, {method: "POST", body: `${nonce} ${line}`});
  if (!reply.ok) nonce = null; // another program's by now, perhaps
  return reply;
}

async function post(request) {
  const reply = await send("ask", `${dialogue} ${JSON.stringify(request)}`);
  if (reply?.ok) return reply.json();
  return {say: !reply || reply.status === 403 ? LOOKS_ONLY :
    reply.status === 503 ? "The station does not answer now. Try again." : (await reply.text()).trim(), options: []};
}

// A button for each of several cameras: whose image is shown, to all viewers.
export function showCameras({cameras = [], image}) {
  const place = $("cameras");
  place.hidden = cameras.length < 2;
  if (place.children.length !== cameras.length) {
    replace(place, ...cameras.map(id => element("button", {type: "button", "aria-label": `camera ${id}`}, id)));
    [...place.children].forEach((button, i) => button.addEventListener("click", () => send("camera", i).catch(() => {})));
  }
  [...place.children].forEach((button, i) => button.setAttribute("aria-pressed", String(cameras[i] === image?.camera)));
}

function idsOf(reply) {
  const one = [reply.pick, ...(reply.picks ?? []).map(pick => pick.id ?? pick.pick), ...(reply.options ?? []).map(option => option.id),
    reply.goal?.object, reply.goal?.relatum].flat();
  const found = one.filter(id => typeof id === "string");
  return found.length ? found : [reply.referent, reply.relatum, ...(reply.judgments ?? []).flatMap(j => [j.referent, j.relatum])].flat()
    .filter(id => typeof id === "string");
}

export class Ask {
  // found(names, goal): what the reply is about.
  constructor(found) {
    this.found = found;
    $("ask-form").addEventListener("submit", event => { event.preventDefault(); this.say($("ask").value); });
    $("ask").addEventListener("keydown", event => { if (event.key === "Escape") { $("ask").blur(); replace($("reply")); found([], null); } });
    this.listen();
  }

  async say(utterance) {
    if (!utterance.trim()) return;
    $("ask").value = utterance;
    $("ask").select();
    note("ask", `“${utterance}”`);
    replace($("reply"), "…");
    this.found([], null);
    let reply;
    try { reply = await post({utterance: utterance.trim()}); } catch { reply = {say: "There is no connection to the station."}; }
    const options = (reply.options ?? []).map(option => element("button", {type: "button", class: "option"}, option.say));
    replace($("reply"), element("span", {}, reply.say ?? "…"), ...options.flatMap(option => [" ", option]));
    for (const button of $("reply").querySelectorAll("button")) button.addEventListener("click", () => this.say(button.textContent));
    this.found(idsOf(reply), reply.goal ?? null);
  }

  // Chromium sends speech to a service of its maker; the box says so before it listens.
  listen() {
    const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
    if (!Recognition) return;
    const button = $("listen"), heard = new Recognition();
    button.hidden = false;
    button.title = "Speak. Your browser may send what it hears to a service of its maker.";
    heard.lang = "en-US";
    heard.onresult = event => this.say(event.results[0][0].transcript);
    heard.onerror = event => replace($("reply"), event.error === "not-allowed" ? "The browser may not use the microphone here." : `Nothing was heard (${event.error}).`);
    heard.onstart = () => {
      button.classList.add("listening");
      replace($("reply"), "Listening. Your browser recognises the words; it may send what it hears to a service of its maker.");
    };
    heard.onend = () => button.classList.remove("listening");
    button.addEventListener("click", () => heard.start());
  }
}
