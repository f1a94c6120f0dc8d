// Reads a recording with Foxglove's own library, by index and as a stream, and prints as JSON what it found.
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { loadDecompressHandlers, protobufFromBinaryDescriptor } from "@mcap/support";
import { readFileSync } from "fs";
import { createHash } from "crypto";

const file = readFileSync(process.argv[2]);
const readable = { size: async () => BigInt(file.length), read: async (at, len) => file.subarray(Number(at), Number(at + len)) };
const decompressHandlers = await loadDecompressHandlers();
const sha = (bytes) => createHash("sha256").update(bytes).digest("hex");
const plain = (value) => JSON.parse(JSON.stringify(value, (_, v) => (typeof v === "bigint" ? v.toString() : v)));

const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
const types = new Map();
for (const schema of reader.schemasById.values()) types.set(schema.id, protobufFromBinaryDescriptor(schema.data).lookupType(schema.name));
const out = { schemas: [...reader.schemasById.values()].map((s) => s.name), topics: {}, attachments: {}, metadata: {}, reverse: 0 };
const order = [];
for await (const m of reader.readMessages()) {
  const channel = reader.channelsById.get(m.channelId);
  const message = types.get(channel.schemaId).decode(m.data);
  const topic = (out.topics[channel.topic] ??= { schema: reader.schemasById.get(channel.schemaId).name, count: 0, sha: [] });
  topic.count++;
  order.push(`${channel.topic} ${m.sequence} ${m.logTime}`);
  if (channel.topic === "/camera/image") {
    topic.sha.push(sha(message.data));
    message.data = message.data.length;
  }
  topic.first ??= plain(message);
  topic.last = plain(message);
}
for await (const m of reader.readMessages({ reverse: true })) out.reverse++;
const [start, end] = [reader.statistics.messageStartTime, reader.statistics.messageEndTime];
out.second_half = 0;
for await (const m of reader.readMessages({ startTime: start + (end - start) / 2n, topics: ["observation"] })) out.second_half++;
out.second_half_wanted = order.filter((line) => line.startsWith("observation ") && BigInt(line.split(" ")[2]) >= start + (end - start) / 2n).length;
for await (const a of reader.readAttachments()) out.attachments[a.name] = sha(a.data);
for await (const m of reader.readMetadata()) out.metadata[m.name] = Object.fromEntries(m.metadata);

const stream = new McapStreamReader({ decompressHandlers, validateCrcs: true });
stream.append(file);
out.streamed = 0;
for (let record; (record = stream.nextRecord()); ) out.streamed += record.type === "Message";
out.stream_done = stream.done() && stream.bytesRemaining() === 0;
out.messages = order.length;
out.sorted = order.every((line, i) => i === 0 || BigInt(line.split(" ").at(-1)) >= BigInt(order[i - 1].split(" ").at(-1)));
console.log(JSON.stringify(out));
