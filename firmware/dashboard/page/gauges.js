// Health: rates, times by stage, queues, losses, tags and lens over the last two minutes, as small curves; each tag with its residual.
import {element, replace, setText} from "./words.js";
import {colours, start} from "./sheet.js";
import {memory} from "./time.js";

const $ = id => document.getElementById(id);
const SAMPLES = 120, PERIOD_MS = 1000;
// [name, its value in an update, decimals, unit, above this it is bad].
const GROUPS = [
  ["Rate", [["Images/s", ({health}) => health?.rate_hz, 1, ""], ["Time (median)", ({health}) => health?.p50_ms, 0, "ms"],
    ["Time (99 %)", ({health}) => health?.p99_ms, 0, "ms"], ["Images judged", ({health}) => health?.processed, 0, ""],
    ["Subscribers", ({health}) => health?.subscribers, 0, ""], ["Page updates/s", (_, page) => page, 1, ""]]],
  ["Time by stage, of an image", [["tags", "Tags, pose"], ["finding", "Finding things"], ["tracking", "Tracking"], ["relations", "Relations"],
    ["who sees what", "Who sees what"], ["searching on", "Searching on"], ["sending", "Sending"], ["writing", "Writing, page"]]
    .map(([stage, name]) => [name, ({health}) => health?.stages.find(one => one[0] === stage)?.[1], 1, "ms"])],
  ["Queues and losses", [["Images waiting", ({health}) => health?.images_waiting, 0, ""], ["Messages waiting", ({health}) => health?.messages_waiting, 0, ""],
    ["Images lost", ({health}) => health?.lost, 0, "", 0], ["Skipped", ({health}) => health?.skipped, 0, "", 0],
    ["Messages lost", ({health}) => health?.unsent, 0, "", 0], ["Reconnects", ({health}) => health?.reconnects, 0, "", 0],
    ["Peers refused", ({health}) => health?.refused, 0, "", 0]]],
  ["Tags and lens", [["Tags used", ({tags}) => tags?.used, 0, ""], ["Tags seen", ({tags}) => tags?.seen, 0, ""],
    ["Tags' residual", ({tags}) => tags?.rms_px, 2, "px"], ["Focal length", ({tags}) => typeof tags?.zoom === "number" ? 100 * tags.zoom : null, 2, "%"],
    ["Lens misfit", ({tags}) => tags?.misfit, 2, ""], ["Lens residual", ({lens}) => lens?.rms_px, 2, "px"]]],
];
const GAUGES = GROUPS.flatMap(([, gauges]) => gauges);
const FATES = {used: "", turns: "on the turntable", not_in_map: "not in the map", rejected: "does not fit", seen: "seen"};
const history = GAUGES.map(() => []);
let sampledAt = 0, updates = 0, tags = new Map(), shownTags = [];

// A second's root mean square of each tag's residual.
function sampleTags(each) {
  for (const [id, fate, residual_px] of each) {
    const kept = tags.get(id) ?? {squares: 0, len: 0};
    tags.set(id, {fate, squares: kept.squares + (residual_px ?? 0) ** 2, len: kept.len + (residual_px !== null)});
  }
}

export function sample(update) {
  updates++;
  sampleTags(update.tags?.each ?? []);
  const now = performance.now(), passed = now - sampledAt;
  if (passed < PERIOD_MS) return;
  const page = sampledAt ? 1000 * updates / passed : null;
  sampledAt = now;
  updates = 0;
  shownTags = [...tags].sort(([a], [b]) => a - b);
  tags = new Map();
  GAUGES.forEach(([, read], i) => {
    history[i].push(read(update, page) ?? null);
    if (history[i].length > SAMPLES) history[i].shift();
  });
}

const figure = ([name]) => element("figure", {}, element("figcaption", {}, name), element("output", {}, "–"),
  element("canvas", {role: "img", "aria-label": `${name}, the last two minutes`}));

function build() {
  $("gauges").replaceChildren(...GROUPS.map(([name, gauges]) => element("div", {class: "group"}, element("h2", {}, name),
    element("div", {class: "figures"}, ...gauges.map(figure)))));
}

function drawCurve(canvas, values) {
  const sheet = start(canvas), known = values.filter(value => value !== null);
  if (!sheet || !known.length) return;
  const {pen, width, height} = sheet, low = Math.min(0, ...known), high = Math.max(...known, low + 1e-9);
  pen.beginPath();
  values.forEach((value, i) => {
    if (value !== null) pen.lineTo(width * (1 - (values.length - 1 - i) / (SAMPLES - 1)), height - 2 - (height - 4) * (value - low) / (high - low));
  });
  pen.strokeStyle = colours(canvas)("sees");
  pen.lineWidth = 2;
  pen.lineJoin = "round";
  pen.stroke();
}

// Those with a residual one by one, then the others by their fate.
function tagItems() {
  const item = (fate, ids, words) => element("li", {class: fate}, element("b", {}, `${fate === "rejected" ? "▲ " : ""}${ids}`), ` ${words}`);
  const others = fate => shownTags.filter(([, tag]) => !tag.len && tag.fate === fate).map(([id]) => id).join(" ");
  return [...shownTags.filter(([, {len}]) => len).map(([id, {fate, squares, len}]) =>
    item(fate, id, [`${Math.sqrt(squares / len).toFixed(2)} px`, FATES[fate]].filter(Boolean).join(", "))),
    ...Object.keys(FATES).map(fate => [fate, others(fate)]).filter(([, ids]) => ids).map(([fate, ids]) => item(fate, ids, FATES[fate]))];
}

function sayLens({file, device, rms_px}) {
  if (!file) return "The lens is a guess: there is no calibration file.";
  return `Lens: ${file}${device ? `, measured with ${device}` : ""}${rms_px === null ? "" : `, within ${rms_px.toFixed(2)} px`}.`;
}

export function showGauges({update}) {
  if (!$("gauges").children.length) build();
  const figures = $("gauges").querySelectorAll("figure");
  GAUGES.forEach(([, , digits, unit, good], i) => {
    const value = history[i].at(-1) ?? null;
    setText(figures[i].querySelector("output"), value === null ? "–" : `${value.toFixed(digits)}${unit ? ` ${unit}` : ""}`);
    figures[i].classList.toggle("bad", good !== undefined && value > good);
    drawCurve(figures[i].querySelector("canvas"), history[i]);
  });
  $("tag-panel").hidden = !shownTags.length;
  replace($("tags"), ...tagItems());
  const notices = (update.health?.moved ?? []).map(([tag, moved_m]) => `⚑ Tag ${tag} is not where the map has it: ${Math.round(1000 * moved_m)} mm off.`);
  if (update.tags?.stale) notices.push("⚠ The lens calibration does not hold any more: calibrate again.");
  if (!notices.length) notices.push(update.tags ? "Nothing to report: no tag has moved, and the calibration holds as far as tags tell." : "Nothing to report. The station uses no tags.");
  const {moments, bytes} = memory();
  if (update.lens) notices.push(sayLens(update.lens));
  notices.push(`This page keeps ${moments} moments, ${(bytes / 1e6).toFixed(1)} MB.`);
  replace($("notices"), ...notices.map(words => element("li", {}, words)));
}
