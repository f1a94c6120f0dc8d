// How the window is divided: the image as large as it can be, what explains it beside.
const $ = id => document.getElementById(id);
// The widths beside the image that tables need, that two pictures above each other need, and in which tables stand side by side.
const TABLES_REM = 34, PICTURES_REM = 17, ROOM_REM = 60;
let before = "";

export function layOut([imageWidth, imageHeight], mode) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize), left = $("left");
  const isWide = matchMedia("(min-width: 60rem) and (min-height: 34rem)").matches, isFlat = !isWide && matchMedia("(orientation: landscape)").matches;
  const key = [innerWidth, innerHeight, rem, imageWidth, imageHeight, mode, left.clientHeight, document.body.className].join();
  if (key === before) return;
  before = key;
  const main = $("left").parentElement, total = main.clientWidth, aspect = imageWidth / imageHeight;
  document.documentElement.style.setProperty("--aspect", aspect);
  if (!isWide) {
    main.style.setProperty("--image-width", isFlat ? `${Math.round(Math.min(0.55 * total, (innerHeight - 9.5 * rem) * aspect + 1.2 * rem))}px` : "100%");
    return;
  }
  const height = left.clientHeight - 5.4 * rem - 2.8 * rem, full = height * aspect + 1.2 * rem;
  const hasTables = mode === "lab" || total - full >= TABLES_REM * rem;
  const width = Math.max(Math.min(full, 0.3 * total), Math.min(full, total - (hasTables ? TABLES_REM : PICTURES_REM) * rem));
  main.style.setProperty("--image-width", `${Math.round(width)}px`);
  main.style.setProperty("--image-height", `${Math.round((width - 1.2 * rem) / aspect + 2.4 * rem)}px`);
  document.body.classList.toggle("has-tables", hasTables);
  document.body.classList.toggle("has-room", total - width >= ROOM_REM * rem);
}

// The largest letters, up to 1, with which a panel's text has room.
export function fitText(panel) {
  for (const size of [1, 0.9, 0.8, 0.72]) {
    panel.style.setProperty("--fit", size);
    if ([panel, ...panel.children].every(one => one.scrollHeight <= one.clientHeight + 1)) return;
  }
}
