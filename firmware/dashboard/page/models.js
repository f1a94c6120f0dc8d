// The models that are asked, side by side: the last answer of each, right and wrong by angle, the frame it seems to answer in, where it flips.
import {colours, start} from "./sheet.js";
import {element, replace} from "./words.js";

const $ = id => document.getElementById(id);
const LATE_S = 2; // an answer is late if the scene has moved on by so much; chosen
const ANSWERS_MIN = 8; // that tell frames apart, before a frame is named; chosen
const WHOSE = {nop: "", cam: "camera", add: "addressee", rel: "relatum"};
// Of each model and prompt condition, what it answered last: so that a page about one viewpoint shows answers for it.
const lastAnswers = new Map();
export function rememberAnswers(sweep) {
  for (const q of [sweep?.question, ...(sweep?.models ?? []).map(model => model.latest)]) if (q) lastAnswers.set(`${q.model} ${q.condition}`, q);
}

// The last answer for a viewpoint about the same scene; if there is none, the last of all.
export function lastAnswer(latest, condition) {
  const q = latest && lastAnswers.get(`${latest.model} ${condition}`);
  return q?.scene === latest?.scene ? q : latest;
}

const percent = share => `${Math.round(100 * share)}`;

// "egocentric reflected heading": "camera's"; as the station names its frames. A viewer's heading and line of sight count as one.
function sayFrame(frame) {
  const [perspective, convention] = frame.split(" ");
  const name = {egocentric: "camera's", addressee: "addressee's", intrinsic: "relatum's own"}[perspective] ?? perspective;
  return convention && convention !== "reflected" ? `${name} (${convention})` : name;
}

// The frame with the highest share of agreement; it is clear where the next one's share is below the interval.
function describeFrame({frames}) {
  const best = frames[0], next = best && frames.find(one => sayFrame(one.frame) !== sayFrame(best.frame));
  if (!best || best.compared < ANSWERS_MIN) return ["frame: not told yet"];
  const isClear = !next || next.agreed / next.compared < best.low;
  return [element("b", {}, `${sayFrame(best.frame)} frame${isClear ? "" : "?"}`), ` ${percent(best.agreed / best.compared)}\u00a0% (${percent(best.low)}–${percent(best.high)})`];
}

// Where P(yes) crosses one half, beside geometry's boundary: of the question that was answered last, else of the one that is known best.
function describeFlips(model, curves) {
  const q = model.latest, known = curves.filter(one => one.model === model.model && one.flips.length).sort((a, b) => a.flips[0].std - b.flips[0].std);
  const curve = known.find(one => one.prompt === q?.condition && one.relation === q?.relation && one.scene === q?.scene) ?? known[0];
  if (!curve) return "flips: not told yet";
  const whose = WHOSE[curve.prompt] ? `, for the ${WHOSE[curve.prompt]},` : "";
  return `${curve.relation}${whose} flips at ${curve.flips.map(({at, std, gold}) =>
    `${Math.round(at) % 360} ± ${Math.max(1, Math.round(std))}°${gold === null ? "" : ` (geometry: ${Math.round(gold + 360) % 360}°)`}`).join(" and ")}`;
}

const describeLost = ({failed, unasked}) => [failed && `${failed} failed`, unasked && `${unasked} not asked`].filter(Boolean).join(", ");

// The words that it streams now, thoughts until the answer begins: the newest that have room in a line.
const ruler = document.createElement("canvas").getContext("2d");
export function showWords(cell, says) {
  cell.closest(".model").classList.toggle("says-now", Boolean(says));
  if (!says) { replace(cell); return; }
  const {thoughts, answer} = says, note = answer ? "says now:" : "thinks now:", all = (answer || thoughts).trim();
  cell.closest(".model").classList.add("spoke");
  ruler.font = `600 ${getComputedStyle(cell).fontSize} ${getComputedStyle(cell).fontFamily}`;
  const fits = text => ruler.measureText(`${note} ${text} `).width < cell.clientWidth;
  let line = all;
  for (let rest = all; !fits(line) && rest; line = `… ${rest}`) rest = rest.replace(/^\S*\s+|^./u, ""); // by words; one that is too long by characters
  replace(cell, `${note} `, element(answer ? "b" : "i", {}, line));
}

// An answer's words; of a long one (a chain of thought) how it was read, else its beginning.
export function sayAnswer({text, p, failed}, most) {
  if (!text) return "–";
  if (text.length <= most) return text;
  return failed || p === null || p === 0.5 ? `${text.slice(0, most - 1)}…` : p > 0.5 ? "yes" : "no";
}

const CHIP_MAX = 24; // characters of an answer; chosen
function describeLast({latest: q, under_way, oldest_s, ended}) {
  const waits = under_way && oldest_s > LATE_S ? ` · ${under_way} under way, for ${oldest_s.toFixed(0)} s` : "";
  if (ended) return [element("b", {class: "a"}, `▲ ended: ${ended}`)];
  if (!q) return [`no answer yet${waits}`];
  const isOpen = q.p === null || q.gold_p === null || Math.abs(q.gold_p - 0.5) < 0.1 || Math.abs(q.p - 0.5) < 0.1;
  const isRight = (q.p > 0.5) === (q.gold_p > 0.5), sign = q.failed ? "▲" : isOpen ? "?" : isRight ? "✓" : "✕";
  const whose = WHOSE[q.condition] ?? q.condition;
  const late = q.late_s > LATE_S ? ` ${q.late_s.toFixed(1)} s late${q.turned_deg ? `, ${Math.round(Math.abs(q.turned_deg))}° on` : ""}` : "";
  return [`${q.relation}${whose ? `, for the ${whose}` : ""}? `, element("b", {class: isOpen ? "a" : isRight ? "t" : "f wrong", title: q.text ?? ""}, `${sign} ${sayAnswer(q, CHIP_MAX)}`),
    late, waits];
}

// Right and wrong over the angle, of all its answers that geometry is sure of.
export function drawStrip(canvas, curves) {
  const sheet = start(canvas);
  if (!sheet) return;
  const {pen, width, height} = sheet, colour = colours(canvas), w = width / 36;
  pen.fillStyle = colour("paper");
  pen.fillRect(0, 0, width, height);
  for (let i = 0; i < 36; i++) {
    let right = 0, wrong = 0;
    for (const {p, gold} of curves) {
      if (p[i] === null || gold[i] === null || Math.abs(gold[i] - 0.5) < 0.1) continue;
      if ((p[i] > 0.5) === (gold[i] > 0.5)) right++; else wrong++;
    }
    if (!right && !wrong) continue;
    const share = right / (right + wrong);
    pen.fillStyle = colour("geometry");
    pen.fillRect(i * w, height * (1 - share), w + 0.5, height * share);
    pen.fillStyle = colour("front");
    pen.fillRect(i * w, 0, w + 0.5, height * (1 - share));
  }
  pen.fillStyle = colour("ink");
  for (const degrees of [90, 180, 270]) pen.fillRect(degrees / 10 * w, height * 0.8, 1, height * 0.2);
}

function makeRow() {
  const cell = name => element("span", {role: "cell", class: name});
  const row = element("div", {role: "row", class: "model"}, cell("name"), cell("last"), cell("right"), cell("frame"), cell("flips"), cell("lost"), cell("says"));
  const strip = element("canvas", {role: "img", "aria-label": "right (lower, blue) and wrong (upper, orange) by angle, 0 to 350 degrees"});
  row.insertBefore(element("span", {role: "cell", class: "strip"}, strip), row.querySelector(".frame"));
  return row;
}

export function showModels({models, curves}, condition) {
  const table = $("models");
  const shown = models.filter(model => model.latest || model.hosts || model.says).map(model => ({...model, latest: lastAnswer(model.latest, condition)}));
  document.body.classList.toggle("several", shown.length > 1);
  while (table.children.length > shown.length) table.lastChild.remove();
  while (table.children.length < shown.length) table.append(makeRow());
  shown.forEach((model, i) => {
    const row = table.children[i], put = (name, ...what) => replace(row.querySelector(`.${name}`), ...what);
    put("name", element("b", {}, model.model), model.leaves ? element("b", {class: "a"}, ` ▲ images go to ${model.hosts}`) : model.hosts ? " local" : "");
    put("last", ...describeLast(model));
    put("right", model.compared ? `${percent(model.agreed / model.compared)}\u00a0% of ${model.compared} right` : "");
    put("lost", describeLost(model));
    showWords(row.querySelector(".says"), model.says);
    row.querySelector(".says").title = model.says ? [model.says.prompt, model.says.thoughts, model.says.answer].filter(Boolean).join("\n\n") : "";
    put("frame", ...describeFrame(model));
    put("flips", describeFlips(model, curves));
    drawStrip(row.querySelector("canvas"), curves.filter(curve => curve.model === model.model));
  });
}
