// Reads a bag of ROS 2 by the schemas inside it, with Foxglove's own packages, and prints every message as JSON: images as their SHA-256.
import { parse } from "@foxglove/rosmsg";
import { MessageReader, MessageWriter } from "@foxglove/rosmsg2-serialization";
import { McapIndexedReader } from "@mcap/core";
import { loadDecompressHandlers } from "@mcap/support";
import { ros2humble } from "@foxglove/rosmsg-msgs-common";
import { readFileSync } from "fs";
import { createHash } from "crypto";

const file = readFileSync(process.argv[2]);
const readable = { size: async () => BigInt(file.length), read: async (at, len) => file.subarray(Number(at), Number(at + len)) };
const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers: await loadDecompressHandlers() });
const readers = new Map(), writers = new Map();
const own = {};
const out = { own, profile: reader.header.profile, topics: {}, differs: [], unlike: 0, compared: [] };
const fields = (definitions, name) => definitions.find((d) => d.name === name || (name === undefined && d.name === undefined)).definitions.filter((f) => !f.isConstant)
  .map((f) => `${f.type} ${f.isArray ? "array " + (f.arrayLength ?? "") : ""} ${f.name}`).join("; ");
for (const schema of reader.schemasById.values()) {
  const definitions = parse(new TextDecoder().decode(schema.data), { ros2: true });
  readers.set(schema.id, new MessageReader(definitions));
  writers.set(schema.id, new MessageWriter(definitions));
  for (const part of definitions) {
    const name = (part.name ?? schema.name).replace("/msg/", "/"), theirs = ros2humble[name] ?? ros2humble[name.replace("/", "/msg/")];
    const ours = fields(definitions, part.name);
    if (name.startsWith("pov_msgs/")) own[name] = ours;
    if (theirs && fields([theirs], theirs.name).replaceAll("/msg/", "/") !== ours.replaceAll("/msg/", "/")) out.differs.push([name, ours, fields([theirs], theirs.name)]);
    if (theirs) out.compared.push(name);
  }
}
const plain = (value) => JSON.parse(JSON.stringify(value, (_, v) => (typeof v === "bigint" ? v.toString() : ArrayBuffer.isView(v) ? [...v] : v)));
for await (const m of reader.readMessages()) {
  const channel = reader.channelsById.get(m.channelId);
  const message = readers.get(channel.schemaId).readMessage(m.data);
  out.unlike += Buffer.compare(writers.get(channel.schemaId).writeMessage(message), m.data) !== 0; // byte for byte as theirs
  if (channel.topic.endsWith("/compressed")) message.data = createHash("sha256").update(message.data).digest("hex");
  const topic = (out.topics[channel.topic] ??= { schema: reader.schemasById.get(channel.schemaId).name, encoding: channel.messageEncoding,
    qos: channel.metadata.get("offered_qos_profiles"), messages: [] });
  topic.messages.push({ log: m.logTime.toString(), bytes: m.data.length, ...plain(message) });
}
console.log(JSON.stringify(out));
