// The station's judgments in words and tables.
import {fitText} from "./layout.js";

const $ = id => document.getElementById(id);
export const RELATIONS = ["left of", "right of", "in front of", "behind"];
const VERDICTS = {t: "yes", f: "no", a: "too close to say", u: "no such thing"};
const SIGNS = {t: "✓", f: "✕", a: "?", u: "–"};
// Ids of people that are not names: "the visitor", but "Anna".
const ROLES = /^(the |woman|man|boy|girl|child|person|human|people|visitor|participant|user|customer|patient|addressee|robot|camera|doll|figure|teddy)/;

export const percent = thousandths => thousandths === null ? "" : thousandths > 995 && thousandths < 1000 ? ">99%" :
  thousandths < 5 && thousandths > 0 ? "<1%" : `${Math.round(thousandths / 10)}%`;

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Replaces what is there only if it says something else. Returns: whether it did.
export function replace(target, ...nodes) {
  const made = element("div", {}, ...nodes);
  if (made.innerHTML === target.innerHTML) return false;
  target.replaceChildren(...made.childNodes);
  return true;
}

export function setText(target, words) {
  if (target.textContent !== words) target.textContent = words;
}

export const capital = words => words.charAt(0).toUpperCase() + words.slice(1);

// "the red cup", "Anna": as one says it.
export function spoken({name, field, camera, class: kind}) {
  const words = name.replaceAll(/[_-]+/g, " ").trim();
  const isName = field && !camera && !ROLES.test(words) && !(kind && words.includes(kind.replaceAll("_", " ")));
  return isName || /^[A-Z]/.test(words) ? capital(words) : words.startsWith("the ") ? words : `the ${words}`;
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

// Those of one convention; the chosen one is in the sentence, and its region is drawn from above: at first the addressee's.
export function rowsShown({update, view}) {
  if (!view.pair) return [];
  const rows = rowsOf(update, view.pair)
    .filter(row => row.convention === view.convention || (row.convention === null && row.viewer === -1));
  const addressee = row => update.entities[row.viewer]?.addressee;
  const chosen = rows.find(row => row.viewer === view.row) ?? rows.find(addressee) ?? rows[0];
  return rows.map(row => ({...row, chosen: row === chosen,
    name: row.viewer < 0 ? `${spoken(update.entities[view.pair[1]])}'s own front` : spoken(update.entities[row.viewer])}));
}

export const holding = row => [0, 1, 2, 3].filter(relation => row.relations[relation]?.verdict === "t");

// How many answers the viewers give.
export function disagreement(update, pair) {
  const rows = rowsOf(update, pair).filter(row => row.convention === "reflected" || row.convention === null);
  return new Set(rows.map(row => holding(row).join()).filter(Boolean)).size;
}

// "in front of the car, to its left"; with no relatum: "in front, to the left".
export function phrase(holds, relatum) {
  const depth = holds.find(relation => relation > 1), side = holds.find(relation => relation < 2), sides = ["left", "right"];
  const near = relatum ? {2: `in front of ${relatum}`, 3: `behind ${relatum}`} : {2: "in front", 3: "behind"};
  if (depth === undefined) return relatum ? `to the ${sides[side]} of ${relatum}` : `to the ${sides[side]}`;
  return side === undefined ? near[depth] : `${near[depth]}, to ${relatum ? "its" : "the"} ${sides[side]}`;
}

// "From where Anna is, "
function viewpoint(row, update) {
  return row.viewer < 0 ? `By ${row.name}, ` : update.entities[row.viewer].camera ? "For the camera, " : `From where ${row.name} is, `;
}

function sentenceOf(row, {update, view: {pair}}) {
  const [referent, relatum] = [spoken(update.entities[pair[0]]), spoken(update.entities[pair[1]])], holds = holding(row);
  if (holds.length) return [`${viewpoint(row, update)}${referent} is `, element("b", {}, phrase(holds, relatum)), "."];
  const isOpen = row.relations.some(one => one?.verdict === "a");
  return [`${viewpoint(row, update)}${isOpen ? `it is too close to say on which side of ${relatum} ${referent} is.` :
    `${relatum} has no side where ${referent} is.`}`];
}

// "Anna cannot see the ball: the box hides it."
function unseen(row, {update, view: {pair}}) {
  const sight = update.sights.find(([viewer, target]) => viewer === row.viewer && target === pair[0]);
  if (!sight || sight[2] !== "f" || row.viewer < 0) return "";
  const [, , , , cause, occluder] = sight;
  return ` ${capital(row.name)} does not see it: ${cause === "hidden" && occluder >= 0 ? `${spoken(update.entities[occluder])} hides it` :
    cause.replaceAll("_", " ")}.`;
}

// Whose prompt condition of COMFORT the chosen viewpoint is: "cam", "add", "rel"; "": nobody's.
export function conditionChosen(state) {
  const row = state.view.pair && state.update?.entities ? rowsShown(state).find(one => one.chosen) : null, viewer = row && state.update.entities[row.viewer];
  return !row ? "" : row.viewer < 0 ? "rel" : viewer.camera ? "cam" : viewer.addressee ? "add" : "";
}

// A button a viewpoint: the chosen one's answer is in the sentence, the others' beside their names.
function choices(rows) {
  return rows.map(row => element("button", {type: "button", class: "chip", "data-viewer": row.viewer, "aria-pressed": row.chosen},
    row.viewer < 0 ? "by its own front" : `for ${row.name}`,
    ...!row.chosen && holding(row).length ? [": ", element("b", {}, phrase(holding(row), ""))] : []));
}

function showChoices(rows) {
  const list = $("others"), isFocused = list.contains(document.activeElement), isNew = replace(list, ...choices(rows));
  if (isNew && isFocused) list.querySelector("[aria-pressed=true]")?.focus();
  return isNew;
}

// The sentence as text, for labels and files.
export function sayPair(state) {
  const chosen = rowsShown(state).find(row => row.chosen);
  return chosen ? sentenceOf(chosen, state).map(part => part.textContent ?? part).join("") + unseen(chosen, state) : "";
}

export function showPair(state) {
  const rows = rowsShown(state), chosen = rows.find(row => row.chosen), {pair} = state.view;
  if (!pair) {
    replace($("answer"), state.update.entities.length > 1 ? "Nobody can tell yet where the things are." : "There is nothing to compare yet.");
    return;
  }
  if (chosen) {
    state.view.shownRow = chosen.viewer;
    const isNew = [replace($("answer"), ...sentenceOf(chosen, state), unseen(chosen, state)), showChoices(rows)];
    if (isNew.includes(true)) fitText($("answer-panel"));
    $("camera").setAttribute("aria-label", `the camera's image. ${sayPair(state)}`);
  }
  replace($("perspectives"), ...rows.map(row => element("tr", {"data-viewer": row.viewer, class: row.chosen ? "chosen" : ""},
    element("th", {scope: "row"}, row.name.replace(/^the /, "")),
    ...RELATIONS.map((name, relation) => {
      const {verdict, p} = row.relations[relation] ?? {verdict: "u", p: null};
      return element("td", {class: verdict, title: `${name}: ${VERDICTS[verdict]}`},
        element("span", {}, SIGNS[verdict]), verdict === "u" ? "" : percent(p));
    }))));
}

// ---- who sees whom ----

export function why(update, cause, occluder) {
  return cause === "none" ? "" : cause === "hidden" && occluder >= 0 ? `hidden by ${spoken(update.entities[occluder])}` :
    cause.replaceAll("_", " ");
}

export function showSight({update}) {
  const name = index => spoken(update.entities[index]).replace(/^the /, "");
  const viewers = [...new Set(update.sights.map(([viewer]) => viewer))];
  const targets = [...new Set(update.sights.map(([, target]) => target))];
  const found = new Map(update.sights.map(sight => [`${sight[0]} ${sight[1]}`, sight]));
  replace($("sight-head"), element("tr", {}, element("td", {}),
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

const SEES_MAX = 5; // in the picture; the others are counted, and listed where one points at the count

// In the picture through someone's eyes, the same in a line; first the pair.
export function showSees({update, view}) {
  const sign = ([, target, verdict, , cause]) => `${SIGNS[verdict]}\u00a0${spoken(update.entities[target]).replace(/^the /, "")}${
    verdict === "f" && cause !== "none" ? ` (${cause.replaceAll("_", " ")})` : ""}`;
  const isOfPair = ([, target]) => Boolean(view.pair?.slice(0, 2).includes(target));
  const sights = update.sights.filter(sight => sight[0] === view.eyes).sort((a, b) => isOfPair(b) - isOfPair(a));
  const shown = sights.slice(0, sights.length > SEES_MAX ? SEES_MAX - 1 : SEES_MAX), others = sights.slice(shown.length);
  const count = verdict => others.filter(sight => sight[2] === verdict).length;
  const counts = Object.keys(SIGNS).filter(count).map(verdict => `${SIGNS[verdict]}\u00a0${count(verdict)}`).join("\u00a0");
  replace($("eyes-sees"), ...shown.flatMap(sight => [element("b", {class: sight[2], title: why(update, sight[4], sight[5])}, sign(sight)), " "]),
    ...others.length ? [element("b", {class: "u", title: others.map(sign).join(", ")}, `${others.length}\u00a0more:\u00a0${counts}`)] : []);
}

// ---- a thing that is pointed at ----

export function explain(state, name) {
  const {update, view} = state, index = update.entities.findIndex(entity => entity.name === name);
  if (index < 0) return [];
  const entity = update.entities[index], lines = [element("b", {}, capital(spoken(entity)))];
  const seen = update.sights.filter(([, target]) => target === index).map(([viewer, , verdict, p, cause, occluder]) =>
    `${spoken(update.entities[viewer])} ${verdict === "t" ? "✓" : verdict === "a" ? `? ${percent(p)}` : `✕ ${why(update, cause, occluder)}`}`);
  if (seen.length) lines.push(element("span", {}, `Seen by ${seen.join(", ")}`));
  const other = view.pair?.[0] === index ? view.pair[1] : view.pair?.[1] === index ? view.pair[0] : view.pair?.[1];
  if (other !== undefined && other !== index)
    for (const row of rowsOf(update, [index, other]).filter(one => one.convention === view.convention || one.viewer === -1)) {
      const holds = holding(row), sure = holds.map(relation => row.relations[relation].p);
      if (holds.length) lines.push(element("span", {}, `${row.viewer < 0 ? `By ${spoken(update.entities[other])}'s own front` :
        `For ${spoken(update.entities[row.viewer])}`}: ${phrase(holds, spoken(update.entities[other]))} (${percent(Math.min(...sure))})`));
    }
  if (!entity.at) lines.push(element("span", {}, "Its position is not known."));
  return lines;
}

// ---- health, in a line ----

export function showHealth({update: {health, image}}) {
  if (image) setText($("camera-note"), image.name);
  if (!health) return;
  const number = (value, digits, unit) => value === null ? "–" : `${value.toFixed(digits)} ${unit}`;
  setText($("health"), `${number(health.rate_hz, 1, "images/s")} · ${number(health.p50_ms, 0, "ms")} each (99%: ${
    number(health.p99_ms, 0, "ms")}) · ${health.processed} images judged, ${health.lost} lost, ${
    health.skipped} skipped · ${health.subscribers} subscribers`);
}
