// The stream of the station's updates: length of the JSON, length of the JPEG (4 bytes each), JSON, JPEG; again and again.
const SILENCE_MS = 6000, RETRY_MS = 1000;
export let heardAt = 0;

// Bytes as they come, in pieces; taken in the lengths that are asked for.
class Bytes {
  constructor(reader) { this.reader = reader; this.pieces = []; this.len = 0; }
  async take(len) {
    while (this.len < len) {
      const {value, done} = await this.reader.read();
      if (done) throw new Error("the stream has ended");
      this.pieces.push(value);
      this.len += value.length;
    }
    const taken = new Uint8Array(len);
    for (let at = 0; at < len;) {
      const piece = this.pieces[0], part = piece.subarray(0, len - at);
      taken.set(part, at);
      at += part.length;
      if (part.length === piece.length) this.pieces.shift();
      else this.pieces[0] = piece.subarray(part.length);
    }
    this.len -= len;
    return taken;
  }
}

async function read(stop, take) {
  const reply = await fetch("updates" + location.search, {signal: stop.signal, cache: "no-store"});
  if (!reply.ok) throw new Error(reply.status === 503 ? "too many viewers" : reply.status === 403 ? "needs its token" : "no connection");
  const bytes = new Bytes(reply.body.getReader()), text = new TextDecoder();
  let picture = -1;
  for (;;) {
    const head = new DataView((await bytes.take(8)).buffer);
    const json = await bytes.take(head.getUint32(0)), jpeg = await bytes.take(head.getUint32(4));
    const update = JSON.parse(text.decode(json));
    const isNew = update.picture !== picture && jpeg.length > 0;
    const blob = isNew ? new Blob([jpeg], {type: "image/jpeg"}) : null;
    picture = update.picture;
    heardAt = performance.now();
    take(update, json, blob, blob && await createImageBitmap(blob));
  }
}

// Takes updates for ever: take(update, its bytes, the JPEG or null, its bitmap); lost(why) between connections.
export async function keepConnected(take, lost) {
  setInterval(() => { if (performance.now() - heardAt > SILENCE_MS) lost("no connection"); }, 1000);
  for (;;) {
    const stop = new AbortController();
    const watchdog = setInterval(() => performance.now() - heardAt > SILENCE_MS && stop.abort(), 1000);
    heardAt = performance.now();
    let why = "no connection";
    try { await read(stop, take); } catch (error) { if (/viewers|token/.test(error.message)) why = error.message; }
    clearInterval(watchdog);
    lost(why);
    await new Promise(done => setTimeout(done, RETRY_MS));
  }
}

export async function fetchInto(name, then) {
  try {
    const reply = await fetch(name + location.search, {cache: "no-store"});
    if (reply.ok) then(await reply.json());
  } catch { /* the stream's end says so */ }
}
