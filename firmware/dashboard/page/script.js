"use strict";
// Shows what /events says of each image. Everything that comes from the station goes into the page as text, never as HTML.

const RELATIONS = ["left_of", "right_of", "in_front_of", "behind"];
const WORDS = {left_of: "left of", right_of: "right of", in_front_of: "in front of", behind: "behind"};
const SIGNS = {true: "✓", false: "✕", abstain: "?", undefined: "–"};
const SILENCE_MS = 5000;
const $ = id => document.getElementById(id);

let fields = new Map(); // index of an entity -> [half the width of its field, degrees; range, m]
let latest = null;      // the observation to draw
let bounds = null;      // of the drawing from above: it only grows, so that things move and not the ground
let heardAt = 0;
let source = null;

function element(name, attributes = {}, ...children) {
  const svg = ["svg", "g", "path", "line", "circle", "polygon", "text"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// ---- the pair ----

function percent(p) {
  return p === null ? "" : p > 0.995 && p < 1 ? ">99 %" : p < 0.005 && p > 0 ? "<1 %" : `${Math.round(100 * p)} %`;
}

const key = judgment => `${judgment.perspective} ${judgment.viewer} ${judgment.convention}`;

function ofPair(observation, referent, relatum) {
  return observation.judgments.filter(j => j.referent === referent && j.relatum === relatum && WORDS[j.relation]);
}

function rowsOf(judgments) {
  const rows = new Map();
  for (const judgment of judgments) {
    if (!rows.has(key(judgment))) rows.set(key(judgment), {...judgment, relations: {}});
    rows.get(key(judgment)).relations[judgment.relation] = judgment;
  }
  return [...rows.values()];
}

const holding = row => RELATIONS.filter(relation => row.relations[relation]?.verdict === "true");

// Whose perspective, in words; without a convention, it is the relatum's own front.
const whose = row => row.viewer ?? `${row.relatum}'s own front`;

// Reflected is how English speakers mostly mean it: what faces me has its front towards me.
const mainRows = rows => rows.filter(row => row.convention === "reflected" || row.perspective === "intrinsic");

function sentence(rows, referent, relatum) {
  const line = [];
  for (const row of mainRows(rows)) {
    const words = holding(row).map(relation => WORDS[relation]).join(" and ");
    if (!words) continue;
    line.push(row.viewer ? `For ${row.viewer}, ` : `By ${relatum}'s own front, `,
      line.length ? "" : `${referent} is `, element("b", {}, words), line.length ? ". " : ` ${relatum}. `);
  }
  return line.length ? line : [`Nobody can tell how ${referent} lies to ${relatum}.`];
}

function sameNodes(target, nodes) {
  const made = element("div", {}, ...nodes);
  if (made.innerHTML !== target.innerHTML) target.replaceChildren(...made.childNodes);
}

function showPair(observation) {
  const referent = $("referent").value, relatum = $("relatum").value;
  const rows = rowsOf(ofPair(observation, referent, relatum));
  sameNodes($("answer"), sentence(rows, referent, relatum));
  $("perspectives").replaceChildren(...rows.map(row => element("tr", {},
    element("th", {scope: "row"}, element("span", {}, whose(row)), " ", element("small", {}, row.convention ?? "")),
    ...RELATIONS.map(relation => {
      const {verdict, p} = row.relations[relation] ?? {verdict: "undefined", p: null};
      return element("td", {class: verdict, title: `${WORDS[relation]}: ${verdict}`},
        `${SIGNS[verdict]} ${verdict === "undefined" ? "" : percent(p)}`);
    }))));
}

// A pair that viewers disagree about says most.
function disagreement(observation, referent, relatum) {
  const rows = mainRows(rowsOf(ofPair(observation, referent, relatum)));
  return new Set(rows.map(row => holding(row).join()).filter(Boolean)).size;
}

function offerPairs(observation) {
  const names = [...new Set(observation.judgments.map(j => j.referent))];
  const relata = [...new Set(observation.judgments.map(j => j.relatum))];
  const offered = [...$("referent").options].map(option => option.value);
  if (names.length === 0 || names.join("\n") === offered.join("\n")) return;
  const pairs = names.flatMap(a => relata.filter(b => b !== a).map(b => [a, b]));
  const before = [$("referent").value, $("relatum").value];
  const kept = pairs.find(([a, b]) => a === before[0] && b === before[1]);
  const [referent, relatum] = kept ?? pairs.map(pair => [disagreement(observation, ...pair), pair])
    .reduce((best, next) => next[0] > best[0] ? next : best)[1];
  $("referent").replaceChildren(...names.map(name => element("option", {}, name)));
  $("relatum").replaceChildren(...relata.map(name => element("option", {}, name)));
  $("referent").value = referent;
  $("relatum").value = relatum;
}

// ---- who sees whom ----

function showSight(observation) {
  const viewers = [...new Set(observation.visibility.map(v => v.viewer))];
  const targets = [...new Set(observation.visibility.map(v => v.target))];
  const of = (viewer, target) => observation.visibility.find(v => v.viewer === viewer && v.target === target);
  $("sight-head").replaceChildren(element("tr", {}, element("th", {}),
    ...viewers.map(viewer => element("th", {scope: "col"}, `${viewer} sees`))));
  $("sight").replaceChildren(...targets.map(target => element("tr", {}, element("th", {scope: "row"}, target),
    ...viewers.map(viewer => {
      const seen = of(viewer, target);
      if (!seen) return element("td", {class: "undefined"}, "–");
      const why = seen.cause === "none" ? "" : seen.cause.replaceAll("_", " ");
      const by = seen.cause === "hidden" && seen.occluders.length ? ` by ${seen.occluders[0].id}` : "";
      return element("td", {class: seen.verdict}, `${SIGNS[seen.verdict]} ${percent(seen.p)} ${why}${by}`);
    }))));
}

// ---- from above ----

function placed(observation) {
  return observation.scene.entities.map((entity, index) => ({...entity, index})).filter(entity => entity.pos_m);
}

function growBounds(entities) {
  const grow = {low: [Infinity, Infinity], high: [-Infinity, -Infinity], ...structuredClone(bounds ?? {})};
  for (const {pos_m, size_m} of entities) {
    const reach = Math.hypot(size_m[0], size_m[1]) / 2;
    for (const axis of [0, 1]) {
      grow.low[axis] = Math.min(grow.low[axis], pos_m[axis] - reach);
      grow.high[axis] = Math.max(grow.high[axis], pos_m[axis] + reach);
    }
  }
  return grow;
}

// Table x to the right, y up, in a page of 640 x 480 units.
function pageOf({low, high}) {
  const margin = 50, width = 640, height = 480;
  const scale = Math.min((width - 2 * margin) / Math.max(high[0] - low[0], 0.05),
    (height - 2 * margin) / Math.max(high[1] - low[1], 0.05));
  const center = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  return {scale, width, height, at: (x, y) => [width / 2 + scale * (x - center[0]), height / 2 - scale * (y - center[1])]};
}

function corners(entity, page) {
  const [a, b, , c, d] = entity.R_table_box;
  const [x, y] = entity.pos_m, [length, width] = entity.size_m;
  return [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(([i, j]) =>
    page.at(x + i * length / 2 * a + j * width / 2 * b, y + i * length / 2 * c + j * width / 2 * d).join()).join(" ");
}

function drawField(entity, page) {
  const [half_deg, far_m] = fields.get(entity.index) ?? [];
  if (!half_deg || entity.heading_rad === null) return [];
  const half = Math.min(half_deg, 179.9) * Math.PI / 180, radius = Math.min((far_m ?? Infinity) * page.scale, 260);
  const [x, y] = page.at(...entity.pos_m);
  const on = yaw => `${x + radius * Math.cos(yaw)} ${y - radius * Math.sin(yaw)}`;
  const {heading_rad: yaw} = entity;
  return [element("path", {class: "field",
    d: `M${x} ${y}L${on(yaw - half)}A${radius} ${radius} 0 ${half > Math.PI / 2 ? 1 : 0} 0 ${on(yaw + half)}Z`})];
}

function drawFront(entity, page) {
  if (entity.heading_rad === null || entity.heading_kappa < 1) return [];
  const [x, y] = page.at(...entity.pos_m), yaw = entity.heading_rad;
  const length = Math.max(26, entity.size_m[0] / 2 * page.scale + 14);
  const on = (r, turn) => `${x + r * Math.cos(yaw + turn)} ${y - r * Math.sin(yaw + turn)}`;
  const barb = Math.atan2(6, length - 9), r = Math.hypot(6, length - 9);
  return [element("path", {class: "front", d: `M${x} ${y}L${on(length, 0)}M${on(r, barb)}L${on(length, 0)}L${on(r, -barb)}`})];
}

function drawBody(entity, page) {
  const role = entity.id === $("referent").value ? "referent" : entity.id === $("relatum").value ? "relatum" :
    entity.class === "camera" || entity.addressee ? "viewer" : "";
  const [x, y] = page.at(...entity.pos_m);
  return Math.max(entity.size_m[0], entity.size_m[1]) * page.scale < 8 ?
    element("circle", {class: `box ${role}`, cx: x, cy: y, r: 8}) :
    element("polygon", {class: `box ${role}`, points: corners(entity, page)});
}

function drawName(entity, page) {
  const [x, y] = page.at(...entity.pos_m);
  const above = Math.hypot(entity.size_m[0], entity.size_m[1]) / 2 * page.scale;
  return element("text", {x, y: Math.max(20, y - Math.max(14, above) - 4), "text-anchor": "middle"}, entity.id);
}

function drawSight(observation, entities, page) {
  const byId = new Map(entities.map(entity => [entity.id, entity]));
  return observation.visibility.filter(v => byId.has(v.viewer) && byId.has(v.target) && v.viewer !== "camera").map(v => {
    const [x1, y1] = page.at(...byId.get(v.viewer).pos_m), [x2, y2] = page.at(...byId.get(v.target).pos_m);
    return element("line", {class: v.verdict === "true" ? "sees" : "unseen", x1, y1, x2, y2});
  });
}

function showScene(observation) {
  const entities = placed(observation);
  if (!entities.length) return;
  bounds = growBounds(entities);
  const page = pageOf(bounds);
  $("scene").setAttribute("viewBox", `0 0 ${page.width} ${page.height}`);
  $("scene").replaceChildren(...entities.flatMap(entity => drawField(entity, page)),
    ...drawSight(observation, entities, page), ...entities.map(entity => drawBody(entity, page)),
    ...entities.flatMap(entity => drawFront(entity, page)), ...entities.map(entity => drawName(entity, page)));
}

// ---- health and connection ----

function showHealth({health}) {
  const number = (value, digits, unit) => value === null ? "–" : `${value.toFixed(digits)} ${unit}`;
  $("health").textContent = `${number(health.rate_hz, 1, "images/s")} · latency ${
    number(health.latency_p50_s && 1e3 * health.latency_p50_s, 0, "ms")} (99 %: ${
    number(health.latency_p99_s && 1e3 * health.latency_p99_s, 0, "ms")}) · ${health.images_processed} images, ${
    health.images_lost} lost, ${health.images_skipped} skipped`;
}

function connection(live, words) {
  $("connection").textContent = words;
  $("connection").className = live ? "live" : "lost";
  document.body.classList.toggle("lost-now", !live);
}

let drawn = true;
function draw() {
  if (drawn || !latest) return;
  drawn = true;
  offerPairs(latest);
  showPair(latest);
  showSight(latest);
  showScene(latest);
}

let sequence = null;
function take(observation) {
  const {sequence: now} = observation.image;
  if (now !== sequence || latest === null) heardAt = performance.now();
  if (now !== sequence) connection(true, `● live: image ${now}`);
  sequence = now;
  latest = observation;
  if (!drawn) return;
  drawn = false;
  requestAnimationFrame(draw);
}

function connect() {
  source?.close();
  source = new EventSource("events" + location.search);
  source.onopen = () => {
    heardAt = performance.now();
    sequence = null;
    connection(true, "● waiting for an image");
    const query = new URLSearchParams(location.search);
    query.set("again", Date.now()); // an <img> asks anew only for another address
    $("video").src = `video?${query}`;
  };
  source.onmessage = event => take(JSON.parse(event.data));
  source.addEventListener("health", event => showHealth(JSON.parse(event.data)));
  source.addEventListener("fields", event => {
    fields = new Map(JSON.parse(event.data).map(([index, ...rest]) => [index, rest]));
  });
  source.onerror = () => connection(false, "▲ no connection");
}

setInterval(() => {
  if (source.readyState === EventSource.CLOSED) connect(); // refused, which EventSource itself takes as final
  else if (source.readyState === EventSource.OPEN && performance.now() - heardAt > SILENCE_MS)
    connection(false, `▲ no new image for ${Math.round((performance.now() - heardAt) / 1000)} s`);
}, 1000);
for (const id of ["referent", "relatum"])
  $(id).addEventListener("change", () => latest && (showPair(latest), showScene(latest)));
connect();
