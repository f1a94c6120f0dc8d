// What the station judges, in words and tables.
const $ = id => document.getElementById(id);
const RELATIONS = ["left of", "right of", "in front of", "behind"];
const VERDICTS = {t: "yes", f: "no", a: "too close to say", u: "no such thing"};
const SIGNS = {t: "✓", f: "✕", a: "?", u: "–"};

export const percent = thousandths => thousandths === null ? "" : thousandths > 995 && thousandths < 1000 ? ">99%" :
  thousandths < 5 && thousandths > 0 ? "<1%" : `${Math.round(thousandths / 10)}%`;

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Replaces what is there only if it says something else.
export function replace(target, ...nodes) {
  const made = element("div", {}, ...nodes);
  if (made.innerHTML !== target.innerHTML) target.replaceChildren(...made.childNodes);
}

// ---- the pair ----

// A row: {viewer, convention, relations: [{verdict, p, direction_deg}]}; viewer -1: the relatum's own front.
export function rowsOf(update, pair) {
  return update.rows.filter(([a, b]) => a === pair[0] && b === pair[1]).map(([, , viewer, convention, ...judged]) => {
    const relations = [];
    for (const [relation, verdict, p, direction_deg] of judged) relations[relation] = {verdict, p, direction_deg};
    return {viewer, convention, relations};
  });
}

// Those of one convention; the chosen one's regions are drawn from above: at first the addressee's.
export function rowsShown({update, view}) {
  if (!view.pair) return [];
  const rows = rowsOf(update, view.pair)
    .filter(row => row.convention === view.convention || (row.convention === null && row.viewer === -1));
  const addressee = row => update.entities[row.viewer]?.addressee;
  const chosen = rows.find(row => row.viewer === view.row) ?? rows.find(addressee) ?? rows[0];
  return rows.map(row => ({...row, chosen: row === chosen,
    name: row.viewer < 0 ? `${view.pair[3]}'s front` : update.entities[row.viewer].name}));
}

const holding = row => RELATIONS.filter((_, relation) => row.relations[relation]?.verdict === "t");

export function disagreement(update, pair) {
  const rows = rowsOf(update, pair).filter(row => row.convention === "reflected" || row.convention === null);
  return new Set(rows.map(row => holding(row).join()).filter(Boolean)).size;
}

// "left of and behind", or, where the relatum is not named again, "left and behind".
function sentence(rows, [, , referent, relatum]) {
  const line = [];
  for (const row of rows) {
    const whole = holding(row).join(" and "), words = line.length ? whole.replace(/ of\b/g, "") : whole;
    if (!words) continue;
    line.push(row.viewer < 0 ? `By ${row.name.replace(/ front$/, " own front")}, ` : `For ${row.name}, `, line.length ? "" : `${referent} is `,
      element("b", {}, words), line.length ? ". " : ` ${relatum}. `);
  }
  return line.length ? line : [`Nobody can tell how ${referent} lies to ${relatum} now.`];
}

export function showPair(state) {
  const rows = rowsShown(state), {pair} = state.view;
  if (!pair) return;
  replace($("answer"), ...sentence(rows, pair));
  replace($("perspectives"), ...rows.map(row => element("tr", {"data-viewer": row.viewer, class: row.chosen ? "chosen" : ""},
    element("th", {scope: "row"}, row.name),
    ...RELATIONS.map((name, relation) => {
      const {verdict, p} = row.relations[relation] ?? {verdict: "u", p: null};
      return element("td", {class: verdict, title: `${name}: ${VERDICTS[verdict]}`},
        element("span", {}, SIGNS[verdict]), verdict === "u" ? "" : percent(p));
    }))));
}

// ---- who sees whom ----

function why(update, cause, occluder) {
  return cause === "none" ? "" : cause === "hidden" && occluder >= 0 ? `hidden by ${update.entities[occluder].name}` :
    cause.replaceAll("_", " ");
}

export function showSight({update}) {
  const name = index => update.entities[index].name;
  const viewers = [...new Set(update.sights.map(([viewer]) => viewer))];
  const targets = [...new Set(update.sights.map(([, target]) => target))];
  const found = new Map(update.sights.map(sight => [`${sight[0]} ${sight[1]}`, sight]));
  replace($("sight-head"), element("tr", {}, element("th", {}),
    ...viewers.map(viewer => element("th", {scope: "col"}, `${name(viewer)} sees`))));
  replace($("sight"), ...targets.map(target => element("tr", {}, element("th", {scope: "row"}, name(target)),
    ...viewers.map(viewer => {
      const sight = found.get(`${viewer} ${target}`);
      if (!sight) return element("td", {class: "u"}, "–");
      const [, , verdict, p, cause, occluder] = sight;
      return element("td", {class: verdict}, `${SIGNS[verdict]} ${percent(p)} `,
        element("small", {}, why(update, cause, occluder)));
    }))));
}

// Under the picture through someone's eyes, the same in a line.
export function showSees({update}) {
  const viewer = update.entities.findIndex(entity => entity.name === $("eyes-name").textContent);
  replace($("eyes-sees"), ...update.sights.filter(sight => sight[0] === viewer).flatMap(([, target, verdict, , cause, occluder]) =>
    [element("b", {class: verdict, title: why(update, cause, occluder)}, `${SIGNS[verdict]} ${update.entities[target].name}${
      verdict === "f" && cause !== "none" ? ` (${cause.replaceAll("_", " ")})` : ""}`), " "]));
}

// ---- health ----

export function showHealth({update: {health, image}}) {
  if (image && $("camera-note").textContent !== image.name) $("camera-note").textContent = image.name;
  if (!health) return;
  const number = (value, digits, unit) => value === null ? "–" : `${value.toFixed(digits)} ${unit}`;
  const words = `${number(health.rate_hz, 1, "images/s")} · ${number(health.p50_ms, 0, "ms")} each (99%: ${
    number(health.p99_ms, 0, "ms")}) · ${health.processed} images judged, ${health.lost} lost, ${
    health.skipped} skipped · ${health.subscribers} subscribers`;
  if ($("health").textContent !== words) $("health").textContent = words;
}
