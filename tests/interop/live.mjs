// Subscribes to all that a live station advertises with Foxglove's own client, decodes it by the schemas advertised, unsubscribes, and
// prints as JSON what came. The first message shown of a topic is of an image that all topics of images have.
import { protobufFromBinaryDescriptor } from "@mcap/support";
import protocol from "@foxglove/ws-protocol";
import { createHash } from "crypto";
import { createRequire } from "module";
const { WebSocket } = createRequire(import.meta.url)("ws");

const [url, names, wanted, ...headers] = process.argv.slice(2);
const ofImages = ["observation", "scene", "/camera/header", "/camera/image", "/tf", "/scene", "/camera/annotations"];
const rare = ["ask", "/marker", "vlm"]; // nobody asks, and nothing else happens
const plain = (value) => JSON.parse(JSON.stringify(value, (_, v) => (typeof v === "bigint" ? v.toString() : v)));
const out = { order: [], info: null, topics: {}, clock: [], status: [], after: 0, subprotocol: null };
const ws = new WebSocket(url, names ? names.split(",") : [], { headers: Object.fromEntries(headers.map((h) => h.split("="))), rejectUnauthorized: false });
const client = new protocol.FoxgloveClient({ ws });
const channels = new Map();
let unsubscribed = false;
const inAll = () => out.topics[ofImages[0]]?.times.find((t) => ofImages.every((topic) => out.topics[topic].times.includes(t)));
const finish = () => {
  const common = inAll();
  for (const topic of Object.values(out.topics)) topic.first = plain(topic.messages[Math.max(topic.times.indexOf(common), 0)] ?? null);
  for (const topic of Object.values(out.topics)) delete topic.messages;
  process.stdout.write(JSON.stringify(out) + "\n", () => process.exit(0)); // once a reader of a pipe has it
};
ws.on("unexpected-response", (_, response) => { console.log(JSON.stringify({ refused: response.statusCode })); process.exit(0); });
client.on("error", (error) => { console.log(JSON.stringify({ error: String(error.message ?? error) })); process.exit(0); });
client.on("open", () => (out.subprotocol = ws.protocol));
client.on("serverInfo", (info) => { out.order.push("serverInfo"); out.info = info; });
client.on("status", (status) => out.status.push(status.message));
client.on("time", (time) => out.clock.push(time.timestamp.toString()));
client.on("advertise", (list) => {
  out.order.push("advertise");
  for (const channel of list) {
    const type = protobufFromBinaryDescriptor(Buffer.from(channel.schema, "base64")).lookupType(channel.schemaName);
    channels.set(client.subscribe(channel.id), { ...channel, type });
    out.topics[channel.topic] = { schema: channel.schemaName, count: 0, times: [], messages: [], shas: [] };
  }
});
client.on("message", (event) => {
  if (unsubscribed) out.after++;
  const channel = channels.get(event.subscriptionId);
  const topic = out.topics[channel.topic];
  const bytes = new Uint8Array(event.data.buffer, event.data.byteOffset, event.data.byteLength);
  const message = channel.type.decode(bytes);
  topic.count++;
  topic.times.push(event.timestamp.toString());
  if (channel.topic === "/camera/image") {
    topic.shas.push(createHash("sha256").update(message.data).digest("hex"));
    message.data = message.data.length;
  }
  topic.messages.push(message);
  if (!unsubscribed && Object.entries(out.topics).every(([name, t]) => t.count > 0 || rare.includes(name)) && out.topics.observation.count >= Number(wanted) && inAll()) {
    for (const id of channels.keys()) client.unsubscribe(id);
    unsubscribed = true;
    setTimeout(() => { out.after = 0; setTimeout(finish, 400); }, 200); // what was on its way has come
  }
});
setTimeout(() => { out.late = true; finish(); }, 20000);
