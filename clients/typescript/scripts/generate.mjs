// Writes src/generated/: the hub's types from clients/openapi.json, and a class for each error code from docs/errors.md.
// With --check nothing is written: the exit code says whether what is there is current.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const here = new URL("..", import.meta.url);
const read = (path) => readFileSync(new URL(path, here), "utf8");
const openapi = JSON.parse(read("../openapi.json"));
const schemas = openapi.components.schemas;
const METHODS = ["get", "put", "post", "delete", "patch"];

/// The names of schemas below a value.
function references(value, found = new Set()) {
  if (value === null || typeof value !== "object") return found;
  const name = typeof value.$ref === "string" ? value.$ref.split("/").at(-1) : undefined;
  if (name !== undefined && !found.has(name)) {
    found.add(name);
    references(schemas[name], found);
  }
  for (const inner of Object.values(value)) references(inner, found);
  return found;
}

const operations = Object.values(openapi.paths).flatMap((path) =>
  METHODS.map((method) => path[method]).filter(Boolean),
);
/// What callers send: a value outside of an enumeration is a mistake there. In what they receive it is a newer hub's.
const sent = references(operations.map((operation) => operation.requestBody ?? null));

const comment = (text, indent) => {
  if (!text) return "";
  const lines = text.trim().replaceAll("*/", "* /").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
};
const union = (parts) => [...new Set(parts)].join(" | ") || "unknown";
const property = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/// The TypeScript type of a schema.
function type(schema, isSent) {
  if (schema === true || schema === undefined) return "unknown";
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) {
    const values = schema.enum.map((value) => JSON.stringify(value));
    const isOpen = !isSent && schema.enum.every((value) => typeof value === "string");
    return union(isOpen ? [...values, "(string & {})"] : values);
  }
  if (schema.oneOf ?? schema.anyOf) return union((schema.oneOf ?? schema.anyOf).map((one) => type(one, isSent)));
  if (schema.allOf) return schema.allOf.map((one) => type(one, isSent)).join(" & ");
  if (Array.isArray(schema.type)) return union(schema.type.map((one) => type({ ...schema, type: one }, isSent)));
  if (schema.type === "array") return `readonly ${wrapped(type(schema.items, isSent))}[]`;
  if (schema.type === "object" || schema.properties) return object(schema, isSent);
  return (
    { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" }[schema.type] ??
    "unknown"
  );
}

const wrapped = (text) => (/^[\w$]+$/.test(text) ? text : `(${text})`);

function object(schema, isSent) {
  if (!schema.properties)
    return `{ readonly [key: string]: ${type(schema.additionalProperties || undefined, isSent)} }`;
  return `{\n${members(schema, isSent)}}`;
}

function members(schema, isSent) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties)
    .map(([name, value]) => {
      const mark = required.has(name) ? "" : "?";
      return `${comment(value.description, "  ")}  readonly ${property(name)}${mark}: ${type(value, isSent)};\n`;
    })
    .join("");
}

function declaration([name, schema]) {
  const isSent = sent.has(name);
  const head = comment(schema.description, "");
  const isPlain = schema.type === "object" && schema.properties;
  if (isPlain) return `${head}export interface ${name} {\n${members(schema, isSent)}}\n`;
  return `${head}export type ${name} = ${type(schema, isSent)};\n`;
}

function types() {
  const head = "// The hub's types, from clients/openapi.json. Made by `npm run generate`; do not edit.\n\n";
  return head + Object.entries(schemas).map(declaration).join("\n");
}

/// The rows of the first table of docs/errors.md, by code.
function codes() {
  const rows = read("../../docs/errors.md").split("\n| code | HTTP |")[1].split("\n\n")[0].split("\n").slice(2);
  const found = new Map();
  for (const row of rows) {
    const [code, status, meaning, remedy] = row
      .split("|")
      .slice(1, 5)
      .map((cell) => cell.trim());
    const plain = code.replaceAll("`", "");
    const known = found.get(plain) ?? { status: Number(status), meaning, remedies: [] };
    if (remedy !== "nothing" && !known.remedies.includes(remedy)) known.remedies.push(remedy);
    found.set(plain, known);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}

/// `alias_not_found` becomes AliasNotFound; what stands in brackets is left out.
function className(code) {
  const words = code
    .replace(/\(.*?\)|<.*?>/g, " ")
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return words.map((word) => word[0].toUpperCase() + word.slice(1)).join("");
}

function errorClass([code, { meaning, remedies }]) {
  return [
    comment(`\`${code}\`: ${meaning}.`, "").trimEnd(),
    `export class ${className(code)} extends BatonError<${JSON.stringify(code)}> {`,
    `  static override readonly remedies: readonly string[] = ${JSON.stringify(remedies)};`,
    "}\n",
  ].join("\n");
}

function errors() {
  const all = codes();
  const names = all.map(([code]) => `  ${JSON.stringify(code)}: ${className(code)},\n`).join("");
  return `// A class for each error code, from docs/errors.md. Made by \`npm run generate\`; do not edit.

import { BatonError } from "../baton-error.js";

/** Every code of docs/errors.md. \`<status>\` stands for the status of a task. */
export type ErrorCode = ${all.map(([code]) => JSON.stringify(code)).join(" | ")};

${all.map(errorClass).join("\n")}
/** The class of each code. */
export const ERROR_CLASSES = {
${names}} as const;
`;
}

/// As the formatter leaves it, so that generating again changes nothing.
const formatted = (name, text) =>
  execFileSync(
    process.execPath,
    [new URL("node_modules/@biomejs/biome/bin/biome", here).pathname, "format", `--stdin-file-path=${name}`],
    {
      input: text,
      encoding: "utf8",
      cwd: new URL(".", here).pathname,
      maxBuffer: 64 << 20,
    },
  );

let isCurrent = true;
for (const [name, text] of [
  ["types.ts", types()],
  ["error-classes.ts", errors()],
]) {
  const path = `src/generated/${name}`;
  const made = formatted(path, text);
  if (!process.argv.includes("--check")) {
    writeFileSync(new URL(path, here), made);
  } else if (made !== read(path)) {
    console.error(`${path} is out of date; run \`npm run generate\` in clients/typescript`);
    isCurrent = false;
  }
}
process.exit(isCurrent ? 0 : 1);
