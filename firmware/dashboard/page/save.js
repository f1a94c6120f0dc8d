// Saves the shown image, as a picture and as data, to the visitor's downloads.
const $ = id => document.getElementById(id);

function download(blob, ending) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `pov-${new Date().toISOString().replace(/[:.]/g, "-")}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// The image with what was found, beside it her view and the scene from above, below it the sentence.
export function savePng({update}, sentence) {
  const [camera, eyes, above] = ["camera", "eyes", "above"].map($), height = 900, unit = 26;
  const wide = canvas => Math.round(canvas.width * height / Math.max(1, canvas.height)), side = Math.round(height * 0.6);
  const sheet = new OffscreenCanvas(wide(camera) + side, height + 3 * unit), pen = sheet.getContext("2d");
  const style = getComputedStyle(document.body);
  pen.fillStyle = style.backgroundColor;
  pen.fillRect(0, 0, sheet.width, sheet.height);
  pen.drawImage(camera, 0, 0, wide(camera), height);
  [eyes, above].forEach((canvas, i) => {
    const scale = Math.min(side / Math.max(1, canvas.width), height / 2 / Math.max(1, canvas.height));
    if (canvas.width && canvas.height) pen.drawImage(canvas, wide(camera), i * height / 2, canvas.width * scale, canvas.height * scale);
  });
  pen.fillStyle = style.color;
  pen.font = `600 ${unit}px system-ui, sans-serif`;
  pen.textBaseline = "middle";
  pen.fillText(`${sentence}  (${update?.image?.name ?? ""})`, unit, height + 1.5 * unit, sheet.width - 2 * unit);
  sheet.convertToBlob({type: "image/png"}).then(blob => download(blob, "png"));
}

export function saveJson({update, sweep, view}, sentence) {
  const [, , referent, relatum] = view.pair ?? [];
  download(new Blob([JSON.stringify({sentence, referent, relatum, convention: view.convention, update, sweep}, null, 1)], {type: "application/json"}), "json");
}
