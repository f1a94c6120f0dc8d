// Canvases: sharp, in CSS pixels; text that can be read on anything.
export const FONT = "system-ui, 'DejaVu Sans', sans-serif";

// A canvas as sharp as the screen, empty; in its own CSS pixels. null: it is too small to draw in.
export function start(canvas) {
  const scale = devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
  if (width < 2 || height < 2) return null;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return {pen, width, height, unit: parseFloat(getComputedStyle(canvas).fontSize)};
}

export const colours = canvas => {
  const style = getComputedStyle(canvas);
  return name => style.getPropertyValue(`--${name}`).trim();
};

// Text with a rim, so that it can be read on anything; kept within the picture.
export function write({pen, width, unit}, text, x, y, ink, rim, size = 1) {
  pen.font = `600 ${unit * size}px ${FONT}`;
  const half = pen.measureText(text).width / 2;
  const at = Math.max(half + 3, Math.min(width - half - 3, x));
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = unit / 4;
  pen.strokeStyle = rim;
  pen.strokeText(text, at, y);
  pen.fillStyle = ink;
  pen.fillText(text, at, y);
}

const overlap = (a, b) => Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));

const RINGS = [1, 1.5, 2.2, 3.2, 4.5, 6.5]; // how far about a thing: places for its name
export const MANY = 8; // of more things than that, only those that matter have names far off

// Places labels where they cover neither things nor each other, near where they were the last time; where there is no room beside a thing,
// anywhere in the picture, with a line to it (leadTo). A box: [left, top, right, bottom].
export class Placer {
  constructor(sheet, things, kept) {
    const fills = ([left, top, right, bottom]) => 2 * (right - left) * (bottom - top) > sheet.width * sheet.height; // a table on which all stands
    const told = [sheet.width - 9.5 * sheet.unit, sheet.height - 1.8 * sheet.unit, sheet.width, sheet.height]; // where main.js tells of names without room
    Object.assign(this, {sheet, taken: [...things.filter(box => !fills(box)), ...things.length > MANY ? [told] : []], kept, things, labels: [], homeless: []});
  }
  // box: of what it names. Returns the label's place, and whether it is so far off that a line must lead to it; null: there is no room for it,
  // for one that is not needed: none near.
  place(text, box, isNeeded = true) {
    const {pen, unit} = this.sheet;
    pen.font = `600 ${unit}px ${FONT}`;
    const half = [pen.measureText(text).width / 2 + 2, 0.6 * unit], middle = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
    const best = this.beside(text, box, half, middle, isNeeded ? RINGS : RINGS.slice(0, 2)) ?? (isNeeded ? this.anywhere(half, middle) : null);
    if (!best) { this.homeless.push(text); return null; }
    this.kept.set(text, [best.x - middle[0], best.y - middle[1]]);
    this.taken.push(best.box);
    this.labels.push({text, box: best.box});
    return best;
  }
  isFree([left, top, right, bottom]) {
    const {width, height} = this.sheet;
    return left >= 2 && top >= 2 && right <= width - 2 && bottom <= height - 2 && !this.taken.some(other => overlap([left, top, right, bottom], other));
  }
  beside(text, box, [w, h], middle, rings) {
    const {unit} = this.sheet, reach = [(box[2] - box[0]) / 2 + w + 3, (box[3] - box[1]) / 2 + h + 3], before = this.kept.get(text);
    let best = null;
    for (const far of rings)
      for (let i = 0; i < 24; i++) {
        const angle = -Math.PI / 2 + i * Math.PI / 12, cos = Math.cos(angle), sin = Math.sin(angle);
        const out = Math.min(reach[0] / Math.max(1e-6, Math.abs(cos)), reach[1] / Math.max(1e-6, Math.abs(sin))) + (far - 1) * 1.6 * unit;
        const x = middle[0] + out * cos, y = middle[1] + out * sin, label = [x - w, y - h, x + w, y + h];
        const moved = before ? Math.hypot(x - middle[0] - before[0], y - middle[1] - before[1]) / unit : 0;
        const cost = out / unit + 0.4 * moved + (i % 12 ? 0.2 : 0);
        if ((!best || cost < best.cost) && this.isFree(label)) best = {cost, x, y, box: label, isFar: far > 1.5};
      }
    return best;
  }
  anywhere([w, h], middle) {
    const {width, height} = this.sheet;
    let best = null;
    for (let y = h + 2; y <= height - h - 2; y += h)
      for (let x = w + 2; x <= width - w - 2; x += h) {
        const label = [x - w, y - h, x + w, y + h], cost = Math.hypot(x - middle[0], y - middle[1]);
        if ((!best || cost < best.cost) && this.isFree(label)) best = {cost, x, y, box: label, isFar: true};
      }
    return best;
  }
}

// A line from a thing's edge to its name, which stands far off.
export function leadTo({pen}, {box: [left, top, right, bottom]}, thing, ink) {
  const nearest = (x, y, [l, t, r, b]) => [Math.max(l, Math.min(r, x)), Math.max(t, Math.min(b, y))];
  const from = nearest((left + right) / 2, (top + bottom) / 2, thing), to = nearest(...from, [left, top, right, bottom]);
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.strokeStyle = ink;
  pen.lineWidth = 1.5;
  pen.stroke();
}
