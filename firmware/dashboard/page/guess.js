// For visitors: one question at a time about what is seen now; a score against the model's.
import {RELATIONS, element, holding, phrase, replace, rowsOf, setText, spoken} from "./words.js";

const $ = id => document.getElementById(id);
const score = {right: 0, asked: 0};
let question = null; // {referent, relatum, viewer, holds, p}

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
  question = {referent: entities[pair[0]], relatum: entities[pair[1]], viewer: entities[viewer], holds, index: viewer};
  state.view.viewer = question.viewer.name;
  state.view.row = viewer;
  state.view.guessing = true;
  pin(question.referent.name, question.relatum.name);
  replace($("guess-question"), `Where is ${spoken(question.referent)} for ${spoken(question.viewer)}: on which side of ${spoken(question.relatum)}? `,
    element("b", {}, "Guess!"));
  setText($("guess-verdict"), "");
  replace($("guess-buttons"), ...RELATIONS.map((words, relation) => element("button", {type: "button", "data-relation": relation},
    ["to the left", "to the right", "in front", "behind"][relation])));
  return true;
}

export const isAsking = () => question !== null;

export function take(relation, state, model) {
  if (!question || !state.view.guessing) return;
  const isRight = question.holds.includes(relation), said = phrase(question.holds, spoken(question.relatum));
  score.asked++;
  score.right += isRight;
  state.view.guessing = false;
  $("guess-verdict").className = isRight ? "t" : "a";
  replace($("guess-verdict"), element("b", {}, isRight ? "✓ Yes. " : "✕ No. "),
    `From where ${spoken(question.viewer)} is, ${spoken(question.referent)} is ${said}: look through those eyes.`);
  replace($("guess-buttons"), element("button", {type: "button", "data-next": "1"}, "Next question"));
  setText($("guess-score"), `You: ${score.right} of ${score.asked}${model ? ` · the model: ${model}` : ""}`);
}
