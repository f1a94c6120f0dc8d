// Health: rates, latencies, losses, tags and lens over the last two minutes, as small curves.
import {element, replace, setText} from "./words.js";
import {colours, start} from "./sheet.js";
import {memory} from "./time.js";

const $ = id => document.getElementById(id);
const SAMPLES = 120, PERIOD_MS = 1000;
const GAUGES = [
  ["Images a second", ({health}) => health?.rate_hz, 1, ""], ["Time for each (median)", ({health}) => health?.p50_ms, 0, "ms"],
  ["Time for each (99 %)", ({health}) => health?.p99_ms, 0, "ms"], ["Images judged", ({health}) => health?.processed, 0, ""],
  ["Images lost", ({health}) => health?.lost, 0, "", 0], ["Images skipped", ({health}) => health?.skipped, 0, ""],
  ["Camera reconnects", ({health}) => health?.reconnects, 0, "", 0], ["Subscribers", ({health}) => health?.subscribers, 0, ""],
  ["Messages unsent", ({health}) => health?.unsent, 0, "", 0], ["Connections refused", ({health}) => health?.refused, 0, "", 0],
  ["Tags used", ({tags}) => tags?.used, 0, ""], ["Tags seen", ({tags}) => tags?.seen, 0, ""],
  ["Tags' residual (RMS)", ({tags}) => tags?.rms_px, 2, "px"], ["Focal length, of the calibration's", ({tags}) => tags?.zoom, 4, ""],
  ["Misfit, of what is expected", ({tags}) => tags?.misfit, 2, ""], ["Updates of this page a second", (_, page) => page, 1, ""],
];
const history = GAUGES.map(() => []);
let sampledAt = 0, updates = 0;

export function sample(update) {
  updates++;
  const now = performance.now(), passed = now - sampledAt;
  if (passed < PERIOD_MS) return;
  const page = sampledAt ? 1000 * updates / passed : null;
  sampledAt = now;
  updates = 0;
  GAUGES.forEach(([, read], i) => {
    history[i].push(read(update, page) ?? null);
    if (history[i].length > SAMPLES) history[i].shift();
  });
}

function build() {
  $("gauges").replaceChildren(...GAUGES.map(([name]) => element("figure", {}, element("figcaption", {}, name), element("output", {}, "–"),
    element("canvas", {role: "img", "aria-label": `${name}, the last two minutes`}))));
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

export function showGauges({update}) {
  if (!$("gauges").children.length) build();
  GAUGES.forEach(([, , digits, unit, good], i) => {
    const figure = $("gauges").children[i], value = history[i].at(-1) ?? null;
    setText(figure.querySelector("output"), value === null ? "–" : `${value.toFixed(digits)}${unit ? ` ${unit}` : ""}`);
    figure.classList.toggle("bad", good !== undefined && value > good);
    drawCurve(figure.querySelector("canvas"), history[i]);
  });
  const notices = (update.health?.moved ?? []).map(([tag, moved_m]) => `⚑ Tag ${tag} is not where the map has it: ${Math.round(1000 * moved_m)} mm off.`);
  if (update.tags?.stale) notices.push("⚠ The lens calibration does not hold any more: calibrate again.");
  if (!notices.length) notices.push("Nothing to report: no tag has moved, and the calibration holds as far as tags tell.");
  const {moments, bytes} = memory();
  notices.push(`This page keeps ${moments} moments, ${(bytes / 1e6).toFixed(1)} MB.`);
  replace($("notices"), ...notices.map(words => element("li", {}, words)));
}
