// A sweep: the question asked last, the model's answer beside geometry's, and curves of P(yes) as they grow.
import {colours, start} from "./sheet.js";
import {lastAnswer, sayAnswer, showModels} from "./models.js";
import {replace, setText} from "./words.js";

const $ = id => document.getElementById(id);
const VIEWPOINTS = {nop: "no viewpoint", cam: "camera's", add: "addressee's", rel: "relatum's"};
const TOO_CLOSE = "too close to say";
const GAP_MAX = 4; // samples: a wider gap in a curve stays open

// How sure it is of the word that it says; of other words, how likely its yes is.
function showAnswer(id, p, says) {
  setText($(id).querySelector(".says"), says);
  setText($(id).querySelector(".percent"), typeof p !== "number" ? "" : says === "no" ? `${Math.round(100 - 100 * p)}%` :
    `${Math.round(100 * p)}%${says === "yes" ? "" : " yes"}`);
}

const said = p => p === null ? "–" : p > 0.6 ? "yes" : p < 0.4 ? "no" : TOO_CLOSE;

// "14 of 20 right (70 %)": of the model's answers that geometry is sure about; of several models, each one's share.
function modelScore(sweep) {
  const scored = (sweep?.models ?? []).filter(model => model.compared), share = model => `${Math.round(100 * model.agreed / model.compared)} %`;
  if (scored.length > 1) return scored.map(model => `${model.model} ${share(model)} right`).join(", ");
  return scored.map(model => `${model.agreed} of ${model.compared} right (${share(model)})`).join();
}

const late = q => q.late_s > 0 ? `; its answer came ${q.late_s} s late${q.turned_deg ? `, the scene had turned by ${Math.round(q.turned_deg)}°` : ""}` : "";

function showCounters({taken, wanted, answered, asked, unscored, forecast, others}) {
  const parts = [taken >= 0 && `image ${taken}${wanted >= 0 ? `/${wanted}` : ""}`,
    `${answered}/${asked} answered${unscored ? `, ${unscored} unscored` : ""}`, forecast?.split(", ").filter(part => !part.includes("token")).join(", "),
    others && `${others} ${others === 1 ? "question" : "questions"} of other forms in the log`];
  $("counters").textContent = parts.filter(Boolean).join(" · ");
}

// Whether the two agree; where one of them cannot tell, which.
function compareAnswers({p, gold_p}) {
  if (p === null) return ["a", "? not scored"];
  if (gold_p === null || said(gold_p) === TOO_CLOSE) return ["a", "? geometry cannot decide"];
  if (said(p) === TOO_CLOSE) return ["a", "? the model cannot decide"];
  return said(p) === said(gold_p) ? ["t", "✓ they agree"] : ["f wrong", "✕ they disagree"];
}

// The question that was answered last, for the viewpoint that the page is about where there is one.
export function showQuestion(sweep, condition) {
  if (!sweep) return;
  const {models} = sweep, q = lastAnswer(sweep.question, condition);
  showCounters(sweep);
  showModels(sweep, condition);
  $("question-note").textContent = q ? `the model ${q.model} was asked${late(q)}:` : `${models.length ? models[0].model : "nobody"} is asked:`;
  if (!q) { $("question").textContent = models.length ? "No answer yet." : "Nobody is asked in this sweep."; return; }
  $("question").textContent = `“${q.prompt}”`;
  showAnswer("model-answer", q.p, q.text ? sayAnswer(q, 40) : said(q.p));
  showAnswer("geometry-answer", q.gold_p, said(q.gold_p));
  const [look, words] = compareAnswers(q);
  $("agreement").className = look;
  const score = modelScore(sweep);
  setText($("score"), score && `so far ${score}`);
  setText($("agreement"), words);
}

// ---- curves ----

// The model's on geometry's; a row what is asked alike, a column a relation. Questions that wait for nobody (model "") count where no model is.
function table(all) {
  const asked = all.filter(curve => curve.model), curves = asked.length ? asked : all;
  const several = key => new Set(curves.map(curve => curve[key])).size > 1;
  const hasModels = several("model"), hasScenes = several("scene");
  const group = ({prompt, model, scene, language}) =>
    [prompt, hasModels && model, hasScenes && scene, language !== "en" && language].filter(Boolean).join(" ");
  const named = curves.map(curve => ({...curve, group: group(curve)}));
  return {curves: named, rows: [...new Set(named.map(curve => curve.group))], columns: [...new Set(named.map(curve => curve.relation))]};
}

function drawCurve(pen, {p, gold, flips}, box, colour) {
  const at = (i, value) => [box.x + box.width * i / 35, box.y + box.height * (1 - value)];
  pen.fillStyle = colour("paper");
  pen.fillRect(box.x, box.y, box.width, box.height);
  pen.beginPath();
  let last = -Infinity;
  gold.forEach((value, i) => {
    if (value === null) return;
    if (i - last > GAP_MAX) pen.moveTo(...at(i, value));
    pen.lineTo(...at(i, value)); // one alone is a dot
    last = i;
  });
  pen.strokeStyle = colour("geometry");
  pen.lineWidth = 5;
  pen.lineCap = pen.lineJoin = "round";
  pen.stroke();
  pen.fillStyle = colour("front");
  pen.globalAlpha = 0.3; // an error is an area, seen from afar
  p.forEach((value, i) => {
    if (value === null || gold[i] === null) return;
    const [x, y] = at(i - 0.5, Math.max(value, gold[i]));
    pen.fillRect(x, y, box.width / 35, box.height * Math.abs(value - gold[i]));
  });
  pen.globalAlpha = 1;
  for (const {at: angle, std} of flips) { // where its P(yes) crosses one half, as wide as that is uncertain
    const x = box.x + box.width * Math.min(angle, 350) / 350, half = Math.max(1, box.width * Math.min(std, 60) / 350);
    pen.fillRect(x - 1, box.y, 2, box.height);
    pen.fillRect(x - half, box.y + box.height / 2 - 1, 2 * half, 2);
  }
  const radius = Math.max(1.5, Math.min(3, box.width / 50));
  p.forEach((value, i) => {
    if (value === null) return;
    pen.beginPath();
    pen.arc(...at(i, value), radius, 0, 2 * Math.PI);
    pen.fill();
  });
}

// Only where there is room: 0 and 1 beside the first of a row, degrees below the last of a column.
function drawAxes(pen, box, unit, isFirst, isLast) {
  pen.font = `${Math.max(17, 0.75 * unit)}px system-ui, 'DejaVu Sans', sans-serif`;
  pen.textAlign = "right";
  for (const value of isFirst ? [0, 1] : []) {
    pen.textBaseline = value ? "top" : "bottom";
    pen.fillText(value, box.x - 0.3 * unit, box.y + box.height * (1 - value));
  }
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  if (isLast) for (const degrees of [0, 90, 180, 270]) pen.fillText(`${degrees}°`, box.x + box.width * degrees / 350, box.y + box.height + 0.6 * unit);
}

const ROW_MIN_PX = 34; // a lower row shows nothing; chosen by looking

// How far the model's curves of a row are from geometry's, on average.
function difference(curves) {
  let sum = 0, len = 0;
  for (const {p, gold} of curves)
    p.forEach((value, i) => { if (value !== null && gold[i] !== null) { sum += Math.abs(value - gold[i]); len++; } });
  return len ? sum / len : 0;
}

// The rows that there is room for: those that differ most, in their order.
function chooseRows(rows, curves, max) {
  if (rows.length <= max) return rows;
  const by = new Map(rows.map(row => [row, difference(curves.filter(curve => curve.group === row))]));
  const kept = new Set([...rows].sort((a, b) => by.get(b) - by.get(a)).slice(0, Math.max(max, 1)));
  return rows.filter(row => kept.has(row));
}

// In two lines: whose viewpoint was asked for, and what else tells the row from others.
function drawTitle(pen, row, box, left, unit) {
  const [prompt, ...rest] = row.split(" "), lines = [VIEWPOINTS[prompt] ?? prompt, rest.join(" ")].filter(Boolean);
  lines.forEach((line, i) => pen.fillText(line, 0, box.y + box.height / 2 + (i - (lines.length - 1) / 2) * Math.min(unit, box.height / 2), left));
}

export function drawCurves(canvas, sweep) {
  const sheet = start(canvas);
  if (!sheet || !sweep?.curves.length) return;
  const {pen, width, height, unit} = sheet, colour = colours(canvas), {curves, rows: all, columns} = table(sweep.curves);
  const hasAxes = width > 40 * unit, left = (hasAxes ? 7.6 : 6.6) * unit, top = 1.3 * unit, gap = 0.45 * unit;
  const room = height - top - (hasAxes ? unit : 0), rows = chooseRows(all, curves, Math.floor(room / ROW_MIN_PX));
  const w = (width - left) / columns.length, h = room / rows.length;
  setText($("curves-more"), rows.length < all.length ? `· ${all.length - rows.length} more rows, which differ less` : "");
  pen.font = `600 ${unit}px system-ui, 'DejaVu Sans', sans-serif`;
  pen.fillStyle = colour("faint");
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  columns.forEach((name, i) => pen.fillText(name, left + w * (i + 0.5), top / 2));
  for (const curve of curves) {
    const i = columns.indexOf(curve.relation), j = rows.indexOf(curve.group);
    if (j < 0) continue;
    const box = {x: left + w * i + gap / 2, y: top + h * j + gap / 2, width: w - gap, height: h - gap};
    drawCurve(pen, curve, box, colour);
    pen.fillStyle = colour("faint");
    if (hasAxes) drawAxes(pen, box, unit, i === 0 && box.height > 2.2 * unit, j === rows.length - 1);
  }
  pen.font = `600 ${unit}px system-ui, 'DejaVu Sans', sans-serif`;
  pen.fillStyle = colour("faint");
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  rows.forEach((name, i) => drawTitle(pen, name, {y: top + h * i, height: h}, left - (hasAxes ? 1.6 : 0.4) * unit, unit));
}
