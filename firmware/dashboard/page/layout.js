// How the window is divided: the image as large as it can be, what explains it beside.
const $ = id => document.getElementById(id);
// The widths beside the image that tables need, that two pictures above each other need, and in which tables stand side by side.
const TABLES_REM = 34, PICTURES_REM = 17, ROOM_REM = 60;
// Below or above the image: its panel's frame and name with the strip of time; the answer; a sweep's question.
const FRAME_REM = 8.2, ANSWER_REM = 7.6, QUESTION_REM = 3.8, MODEL_REM = 2.6;
const CURVES_REM = 46; // lower windows have the curves in other modes only
const BESIDE_GAIN = 1.15; // so much wider must the image be with the words beside it, not above; chosen
const DISPENSABLE = ["sight-panel", "pair-panel", "curves-panel"];
let before = "";

export function layOut([imageWidth, imageHeight], mode) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize), main = $("left").parentElement;
  const isWide = matchMedia("(min-width: 60rem) and (min-height: 34rem)").matches, isFlat = !isWide && matchMedia("(orientation: landscape)").matches;
  const key = [innerWidth, innerHeight, rem, imageWidth, imageHeight, mode, main.clientHeight, $("question-panel").offsetHeight, document.body.className].join();
  if (key === before) return;
  before = key;
  const total = main.clientWidth, aspect = imageWidth / imageHeight;
  document.documentElement.style.setProperty("--aspect", aspect);
  if (!isWide) {
    main.style.setProperty("--image-width", isFlat ? `${Math.round(Math.min(0.55 * total, (innerHeight - 9.5 * rem) * aspect + 1.2 * rem))}px` : "100%");
    return;
  }
  const widthIn = (height, side) => {
    const full = (height - FRAME_REM * rem) * aspect + 1.2 * rem;
    return Math.max(Math.min(full, 0.3 * total), Math.min(full, total - side * rem));
  };
  const questionRem = mode === "guess" ? 0 : document.body.classList.contains("sweeps") ? QUESTION_REM + MODEL_REM * $("models").children.length : 0;
  const below = main.clientHeight - (ANSWER_REM + questionRem) * rem;
  const hasTables = mode === "lab" || total - widthIn(below, 0) >= TABLES_REM * rem;
  const above = widthIn(below, hasTables ? TABLES_REM : PICTURES_REM), beside = widthIn(main.clientHeight, TABLES_REM);
  const isBeside = mode === "show" && beside > BESIDE_GAIN * above, width = isBeside ? beside : above;
  main.style.setProperty("--image-width", `${Math.round(width)}px`);
  main.style.setProperty("--image-height", `${Math.round((width - 1.2 * rem) / aspect + 2.4 * rem)}px`);
  document.body.classList.toggle("beside", isBeside);
  document.body.classList.toggle("low", main.clientHeight < CURVES_REM * rem);
  document.body.classList.toggle("has-tables", isBeside || hasTables);
  document.body.classList.toggle("has-room", total - width >= ROOM_REM * rem);
  leaveOut();
  before = [innerWidth, innerHeight, rem, imageWidth, imageHeight, mode, main.clientHeight, $("question-panel").offsetHeight, document.body.className].join();
}

// What has no room goes, the least needed first, and is named: no panel may lie on another.
function leaveOut() {
  const side = $("side"), has = id => $(id).offsetParent !== null;
  DISPENSABLE.forEach(id => $(id).classList.remove("no-room"));
  for (const id of [...DISPENSABLE, null]) {
    document.body.classList.toggle("has-curves", has("curves-panel"));
    const gone = DISPENSABLE.filter(one => $(one).classList.contains("no-room")).map(one => $(one).querySelector("h2 button").textContent);
    $("left-out").textContent = gone.length ? `no room for “${gone.join("”, “")}”` : "";
    if (!id || (side.scrollHeight <= side.clientHeight + 1 && side.getBoundingClientRect().bottom <= side.parentElement.getBoundingClientRect().bottom + 1)) return;
    if (has(id)) $(id).classList.add("no-room");
  }
}

// The largest letters, up to 1, with which a panel's text has room.
export function fitText(panel) {
  for (const size of [1, 0.9, 0.8, 0.72]) {
    panel.style.setProperty("--fit", size);
    if ([panel, ...panel.children].every(one => one.scrollHeight <= one.clientHeight + 1)) return;
  }
}
