// For visitors: one question at a time about what is seen now; a score against the model's.
import {RELATIONS, element, holding, phrase, replace, rowsOf, setText, spoken} from "./words.js";

const $ = id => document.getElementById(id);
const score = {right: 0, asked: 0, models: new Map()}; // of each model, {right, asked} about the same questions
let question = null; // {referent, relatum, viewer, holds, camera}

// Questions of one image that have a sure answer; first those whose answer differs from the camera's, about the small beside the large.
function questionsOf({update}) {
  const list = [], pairs = new Map(update.rows.map(([a, b]) => [`${a} ${b}`, [a, b]]));
  for (const pair of pairs.values()) {
    const rows = rowsOf(update, pair).filter(row => row.convention === "reflected"), camera = rows.find(row => update.entities[row.viewer]?.camera);
    for (const row of rows) {
      const holds = holding(row), isSure = row.relations.every(one => one.verdict === "t" || one.verdict === "f");
      if (!isSure || !holds.length || row === camera || update.entities[pair[0]].field || update.entities[pair[0]].camera) continue;
      const [size, other] = pair.map(index => update.entities[index].size?.[0] ?? 0);
      list.push({pair, viewer: row.viewer, holds, differs: (camera && holding(camera).join() !== holds.join()) + 0.5 * (size <= other)});
    }
  }
  return list.sort((a, b) => b.differs - a.differs);
}

// Takes the picture as it is: pin() holds it still until the next.
export function nextQuestion(state, pin) {
  const all = questionsOf(state), first = all.filter(one => one.differs === all[0]?.differs);
  if (!all.length) { question = null; replace($("guess-question"), "Wait a moment: nothing can be asked for sure yet."); return false; }
  const {pair, viewer, holds} = first[Math.floor(Math.random() * first.length)], {entities} = state.update;
  question = {referent: entities[pair[0]], relatum: entities[pair[1]], viewer: entities[viewer], holds, camera: entities.find(one => one.camera)};
  state.view.viewer = question.viewer.name;
  state.view.row = viewer;
  state.view.guessing = true;
  pin(question.referent.name, question.relatum.name);
  replace($("guess-question"), `Where is ${spoken(question.referent)} for ${spoken(question.viewer)}: on which side of ${spoken(question.relatum)}?`,
    element("b", {}, " Guess!"));
  setText($("guess-verdict"), "");
  replace($("guess-buttons"), ...RELATIONS.map((words, relation) => element("button", {type: "button", "data-relation": relation},
    ["to the left", "to the right", "in front", "behind"][relation])));
  return true;
}

export const isAsking = () => question !== null;

// phi, as sweeps have it: the referent's azimuth about the relatum, 0 toward the camera, counter-clockwise from above; its sample of the curves.
function sampleOf({referent, relatum, camera}) {
  if (![referent, relatum, camera].every(one => one?.at)) return -1;
  const azimuth = ({at}) => Math.atan2(at[1] - relatum.at[1], at[0] - relatum.at[0]);
  return (Math.round((azimuth(referent) - azimuth(camera)) * 18 / Math.PI) + 72) % 36;
}

// What each model took for likeliest where it was asked the same: the four words, from the same viewpoint, at the same angle.
function countModels(sweep) {
  const {viewer, referent, relatum, holds} = question, at = sampleOf(question), scene = `${referent.name}/${relatum.name}`;
  const asked = (sweep?.curves ?? []).filter(one => one.model && one.scene === scene && one.prompt === "add" && viewer.addressee);
  for (const model of new Set((sweep?.curves ?? []).map(one => one.model).filter(Boolean))) {
    const of = score.models.get(model) ?? {right: 0, asked: 0}, words = ["left", "right", "front", "behind"];
    const p = words.map(word => asked.find(one => one.model === model && one.relation === word)?.p[at] ?? null);
    score.models.set(model, of);
    if (p.includes(null)) continue;
    of.asked++;
    of.right += holds.includes(p.indexOf(Math.max(...p)));
  }
}

function sayScore() {
  const several = score.models.size > 1, others = [...score.models].filter(([, of]) => of.asked).map(([model, {right, asked}]) =>
    `${several ? model : "the model"} ${right} of ${asked}${asked < score.asked ? " (it was not asked the rest)" : ""}`);
  return [`You ${score.right} of ${score.asked}`, ...others].join(", ");
}

// The buttons stay: the one pressed is marked, and those that were right.
function markButtons(relation, holds) {
  for (const button of $("guess-buttons").querySelectorAll("[data-relation]")) {
    const mine = +button.dataset.relation === relation, isRight = holds.includes(+button.dataset.relation);
    button.disabled = true;
    button.classList.add(...[isRight && "right", mine && "mine"].filter(Boolean));
    button.textContent = `${isRight ? "✓ " : mine ? "✕ " : ""}${button.textContent}${mine ? " (you)" : ""}`;
  }
}

export function take(relation, state) {
  if (!question || !state.view.guessing) return;
  const isRight = question.holds.includes(relation), said = phrase(question.holds, spoken(question.relatum));
  score.asked++;
  score.right += isRight;
  countModels(state.sweep);
  state.view.guessing = false;
  $("guess-question").querySelector("b")?.remove();
  $("guess-verdict").className = isRight ? "t" : "a";
  replace($("guess-verdict"), element("b", {}, isRight ? "✓ Yes. " : "✕ No. "),
    `From where ${spoken(question.viewer)} is, ${spoken(question.referent)} is ${said}: look through those eyes.`);
  markButtons(relation, question.holds);
  const next = element("button", {type: "button", "data-next": "1"}, "Next question");
  $("guess-buttons").append(next);
  next.focus();
  setText($("guess-score"), sayScore());
}
