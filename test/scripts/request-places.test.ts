// Every place of the sources that sends a request to a model is in the table of docs/design/cost.md, with what it reserves before. Places
// are found by syntax: each use of a member or a function that sends requests, whatever the name of the object is.

import { readdirSync, readFileSync } from "node:fs";

import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

/** The members of ports, of providers' packages and of `llm()` that send requests. */
const members = new Set(["stream", "generate", "doStream", "doGenerate"]);

/** The functions that send requests by these members. */
const functions = new Set(["requestAnswer", "requestText", "requestCallText", "runTurn"]);

/** The layers that cannot reach a model: the linter refuses their imports of ports and providers' packages. */
const without = /^src\/(cli|client|compiler|contract|http|lib|react|spec)\//;

/** Uses of a member of the same name by which no request to a model is sent. */
const others: Readonly<Record<string, string>> = {
  "src/models/provider/own/own-model.ts › assertModel": "checks the value that a provider of a project returned",
  "src/models/repaired-fetch.ts › repairedBytes": "converts a response that was received",
  "src/store/images/images-binding.ts › streamOf": "reads the bytes of a picture",
  "src/thread/method/file-request.ts › writeFile": "reads an uploaded file",
  "src/thread/archive/thread-import.ts › importThread": "reads an uploaded archive",
};

type Node = { type: string; start: number; end: number; [field: string]: unknown };

/** The places of a file: its name, and the outermost function or method around the use. */
function placesOf(file: string, text: string): string[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed.`);
  const places = new Set<string>();
  const walk = (node: unknown, parent: Node | null, scope: string): void => {
    if (Array.isArray(node)) return node.forEach((one) => walk(one, parent, scope));
    if (typeof node !== "object" || node === null || typeof (node as Node).type !== "string") return;
    const current = node as Node;
    if (/^TS(?!As|NonNull|Satisfies|Instantiation|Enum|Module)/.test(current.type)) return;
    if (/^(ImportDeclaration|Export(All|Specifier))/.test(current.type)) return;
    const inner = scope === "" ? scopeName(current, parent) : scope;
    if (isUse(current, parent)) places.add(`${file} › ${inner || "the module"}`);
    for (const value of Object.values(current)) walk(value, current, inner);
  };
  walk(program, null, "");
  return [...places];
}

/** The name of an identifier or of a text; empty for other nodes. */
function nameOf(node: unknown): string {
  const { type, name, value } = node as { type?: string; name?: string; value?: unknown };
  if (type === "Identifier") return name ?? "";
  return type === "Literal" && typeof value === "string" ? value : "";
}

/** The name of a function, a method, or a function in a constant. */
function scopeName(node: Node, parent: Node | null): string {
  if (node.type === "FunctionDeclaration") return nameOf(node["id"]);
  if (/^(MethodDefinition|PropertyDefinition)$/.test(node.type)) return nameOf(node["key"]);
  return node.type === "ArrowFunctionExpression" && parent?.type === "VariableDeclarator" ? nameOf(parent["id"]) : "";
}

/** Whether a node uses a member or a function that sends requests. Definitions of them are no uses. */
function isUse(node: Node, parent: Node | null): boolean {
  if (node.type === "MemberExpression") {
    const { property, computed } = node as unknown as { property: Node; computed: boolean };
    return (!computed || property.type === "Literal") && members.has(nameOf(property));
  }
  if (node.type === "Property" && parent?.type === "ObjectPattern") return members.has(nameOf(node["key"]));
  if (node.type !== "Identifier" || !functions.has(nameOf(node))) return false;
  const isDefined = /Function|Method|Property(Definition)?$/.test(parent?.type ?? "") && parent?.["value"] !== node;
  const isMember = parent?.type === "MemberExpression" && parent["property"] === node && parent["computed"] !== true;
  return !isDefined && !isMember;
}

const files = readdirSync(new URL("src/", root), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => `src/${file}`)
  .filter((file) => !without.test(file))
  .toSorted();

/** The rows of the table: a place, and the other cells. */
const rows = read("docs/design/cost.md")
  .split("\n")
  .flatMap((line) => {
    const [, file, name, others] = /^\| `(src\/[^`]+)` › (?:`([^`]+)`|the module) \|(.*)\|$/.exec(line) ?? [];
    return file === undefined ? [] : [{ place: `${file} › ${name ?? "the module"}`, cells: others?.split("|") ?? [] }];
  });

describe("the table of places that send a request to a model", () => {
  it("The table has every place of the sources that sends a request to a model, and no other place", () => {
    const found = files.flatMap((file) => placesOf(file, read(file))).filter((place) => others[place] === undefined);
    expect(rows.map(({ place }) => place).toSorted()).toEqual(found.toSorted());
  });

  it("Each use that sends no request to a model still exists", () => {
    const found = new Set(files.flatMap((file) => placesOf(file, read(file))));
    expect(Object.keys(others).filter((place) => !found.has(place))).toEqual([]);
  });

  it("Each row of the table states what is sent and what is reserved before", () => {
    expect(rows.length).toBeGreaterThan(10);
    for (const { place, cells } of rows) {
      expect(
        cells.map((cell) => cell.trim().length > 3),
        place,
      ).toEqual([true, true]);
    }
  });

  it.each([
    ["a call of a port", "async function ask(p) { for await (const part of p.models.stream(r)) use(part); }"],
    ["a member in brackets", 'function ask(p) { return p["stream"](r); }'],
    ["an optional call", "const ask = (p) => p?.models?.stream?.(r);"],
    ["a bound member", "const ask = (p) => p.stream.bind(p);"],
    ["a destructured member", "function ask({ stream }) { return stream(r); }"],
    ["a renamed member", "function ask(p) { const { stream: send } = p; return send(r); }"],
    ["a language model", "function ask(m) { return m.doGenerate(o); }"],
    ["a helper", "const ask = () => requestText(r, p, s);"],
    ["a helper that is passed on", "function ask() { return [r].map(requestAnswer); }"],
    ["a helper with another name", "function ask() { const send = requestCallText; return send(r); }"],
    ["a helper in an object", "function ask() { return { send: requestText }; }"],
    ["a method of a class", "class Judge { ask() { return this.#llm.generate(q); } }"],
    ["a typed value", "function ask(p) { return (p as Port).stream(r); }"],
  ])("A place is found by its syntax: %s", (_name, text) => {
    expect(placesOf("src/x.ts", text)).toEqual(["src/x.ts › ask"]);
  });

  it("A definition of a port's member or of a helper, and a type, are no places", () => {
    const text = `
      import { requestText } from "./request-text.ts";
      interface Port { stream(r: string): void; }
      export function requestText(stream: string) { return { stream, generate() {} }; }
      class Model { stream(request) { return request; } }
    `;
    expect(placesOf("src/x.ts", text)).toEqual([]);
  });
});
