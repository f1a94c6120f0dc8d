// How long Foxglove's own library takes to read every message of a recording by its index, in seconds: the best of five.
// node read_speed.mjs FILE [decode]: decode: protobuf too, by the schemas of the file.
import { McapIndexedReader } from "@mcap/core";
import { loadDecompressHandlers, protobufFromBinaryDescriptor } from "@mcap/support";
import { open } from "fs/promises";

const file = await open(process.argv[2]);
const size = BigInt((await file.stat()).size);
const read = async (at, len) => {
  const bytes = new Uint8Array(Number(len));
  await file.read(bytes, 0, bytes.length, Number(at));
  return bytes;
};
const decompressHandlers = await loadDecompressHandlers();
let best = Infinity, messages, bytes;
for (let round = 0; round < 5; round++) {
  const start = process.hrtime.bigint();
  const reader = await McapIndexedReader.Initialize({ readable: { size: async () => size, read }, decompressHandlers });
  const types = new Map();
  if (process.argv[3] === "decode")
    for (const s of reader.schemasById.values()) types.set(s.id, protobufFromBinaryDescriptor(s.data).lookupType(s.name));
  messages = bytes = 0;
  for await (const m of reader.readMessages()) {
    messages++;
    bytes += m.data.length;
    types.get(reader.channelsById.get(m.channelId).schemaId)?.decode(m.data);
  }
  best = Math.min(best, Number(process.hrtime.bigint() - start) * 1e-9);
}
console.log(JSON.stringify({ seconds: best, messages, bytes }));
