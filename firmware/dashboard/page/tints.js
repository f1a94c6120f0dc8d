// The things' true colours, from the camera's image: the colour of the middle of each, where nothing nearer is before it.
const WIDTH = 192, PERIOD_MS = 400, GAIN = 0.25; // GAIN: of one image, chosen so that shadows that pass by do not flicker
let canvas = null, readAt = 0;

const channels = text => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16));
const isBefore = (one, other, camera) => one.at && other.at && camera?.at &&
  Math.hypot(...one.at.map((v, i) => v - camera.at[i])) < Math.hypot(...other.at.map((v, i) => v - camera.at[i]));

// The median of the coloured ones if they are many, else of all; of its brighter part: the picture's own light comes on top.
function colourOf(pixels) {
  const strong = pixels.filter(([r, g, b]) => Math.max(r, g, b) - Math.min(r, g, b) > 0.35 * Math.max(r, g, b, 60));
  const kept = strong.length > 0.3 * pixels.length ? strong : pixels;
  kept.sort((a, b) => a[0] + a[1] + a[2] - b[0] - b[1] - b[2]);
  return kept[Math.floor(0.7 * kept.length)];
}

function readThing({data, width, height}, [left, top, right, bottom], scale) {
  const at = value => Math.round(value * scale), mx = (left + right) / 2, my = (top + bottom) / 2, pixels = [];
  const w = Math.max(1, 0.28 * (right - left)), h = Math.max(1, 0.28 * (bottom - top));
  for (let y = Math.max(0, at(my - h)); y <= Math.min(height - 1, at(my + h)); y++)
    for (let x = Math.max(0, at(mx - w)); x <= Math.min(width - 1, at(mx + w)); x++) {
      const i = 4 * (y * width + x);
      pixels.push([data[i], data[i + 1], data[i + 2]]);
    }
  return pixels.length ? colourOf(pixels) : null;
}

export function readTints(tints, {update, bitmap}) {
  const now = performance.now();
  if (!bitmap || !update.image || now - readAt < PERIOD_MS) return;
  readAt = now;
  const scale = WIDTH / update.image.size[0], height = Math.max(1, Math.round(update.image.size[1] * scale));
  canvas ??= new OffscreenCanvas(WIDTH, height);
  if (canvas.height !== height) canvas.height = height;
  const pen = canvas.getContext("2d", {willReadFrequently: true});
  pen.drawImage(bitmap, 0, 0, WIDTH, height);
  const picture = pen.getImageData(0, 0, WIDTH, height), camera = update.entities.find(entity => entity.camera);
  for (const entity of update.entities) {
    if (!entity.px || entity.field) continue;
    const [mx, my] = [(entity.px[0] + entity.px[2]) / 2, (entity.px[1] + entity.px[3]) / 2];
    const isCovered = update.entities.some(other => other !== entity && other.px && isBefore(other, entity, camera) &&
      mx > other.px[0] && mx < other.px[2] && my > other.px[1] && my < other.px[3]);
    const seen = isCovered ? null : readThing(picture, entity.px, scale);
    if (!seen) continue;
    const before = tints.get(entity.name), mixed = before ? channels(before).map((v, i) => v + GAIN * (seen[i] - v)) : seen;
    tints.set(entity.name, `#${mixed.map(v => Math.round(v).toString(16).padStart(2, "0")).join("")}`);
  }
}
