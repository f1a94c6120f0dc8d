// Compares every Foxglove schema in a recording with those of @foxglove/schemas: names, numbers, types of fields; values of enums.
import internal from "@foxglove/schemas/internal.js";
import { McapIndexedReader } from "@mcap/core";
import { loadDecompressHandlers, protobufFromBinaryDescriptor } from "@mcap/support";
import protobuf from "protobufjs";
import { readFileSync } from "fs";

const file = readFileSync(process.argv[2]);
const readable = { size: async () => BigInt(file.length), read: async (at, len) => file.subarray(Number(at), Number(at + len)) };
const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers: await loadDecompressHandlers() });

// Added by later versions of the schemas; a recording need not have them.
const LATER = new Set(["ImageAnnotations.metadata", "ImageAnnotations.timestamp", "CircleAnnotation.metadata", "PointsAnnotation.metadata",
  "TextAnnotation.metadata"]);
const short = (name) => name.split(".").at(-1);
const describe = (field) => `${field.id} ${field.repeated ? "repeated " : ""}${short(field.type)}`;

function theirs(name) {
  const schema = internal.foxgloveMessageSchemas[name];
  if (!schema) throw new Error(`${name} is no schema of Foxglove's`);
  const enums = Object.values(internal.foxgloveEnumSchemas).filter((e) => e.parentSchemaName === name);
  return protobuf.parse(internal.generateProto(schema, enums), { keepCase: true }).root.lookupType(`foxglove.${name}`);
}

const faults = [];
const seen = new Set();
function compare(ours) {
  const name = short(ours.fullName);
  if (seen.has(name) || !ours.fullName.startsWith(".foxglove.")) return;
  seen.add(name);
  const type = theirs(name);
  for (const field of ours.fieldsArray) {
    const other = type.fields[field.name];
    if (!other || describe(other) !== describe(field)) faults.push(`${name}.${field.name}: ${describe(field)}, theirs ${other && describe(other)}`);
    field.resolve();
    if (field.resolvedType?.fields) compare(field.resolvedType);
    else if (field.resolvedType?.values) {
      const values = type.lookupEnum(field.resolvedType.name).values;
      if (JSON.stringify(values) !== JSON.stringify(field.resolvedType.values)) faults.push(`${name}.${field.resolvedType.name}: other values`);
    }
  }
  for (const field of type.fieldsArray)
    if (!ours.fields[field.name] && !LATER.has(`${name}.${field.name}`)) faults.push(`${name}.${field.name} is missing`);
}

for (const schema of reader.schemasById.values())
  if (schema.name.startsWith("foxglove.")) compare(protobufFromBinaryDescriptor(schema.data).lookupType(schema.name));
console.log(JSON.stringify({ checked: [...seen].sort(), faults }));
