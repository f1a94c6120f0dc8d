// Prints every message of an MCAP file as "TOPIC HEX".
import { McapIndexedReader } from "@mcap/core";
import { loadDecompressHandlers } from "@mcap/support";
import { readFileSync } from "fs";

const file = readFileSync(process.argv[2]);
const readable = { size: async () => BigInt(file.length), read: async (at, len) => file.subarray(Number(at), Number(at + len)) };
const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers: await loadDecompressHandlers() });
for await (const m of reader.readMessages()) console.log(reader.channelsById.get(m.channelId).topic, Buffer.from(m.data).toString("hex"));
