// The lists of servers' tools that an isolate keeps in memory: for how long, and how many.

import { expect, it } from "vitest";

import type { Json, JsonObject } from "#contract/json.ts";
import { schemaOf } from "#flow/tool-source/defined-tools.ts";
import { dropList, keepList, keptList, readTools } from "#tools/mcp/tool-list.ts";

const minute = 60_000_000;

/** A list whose schemas have this many UTF-16 units. */
const listOf = (units: number) => ({ tools: [], units });

/** Removes everything that a test keeps. */
function dropAll(keys: readonly string[]): void {
  for (const key of keys) dropList(key);
}

it("The list of tools of an MCP server is cached for five minutes, or until it is dropped", () => {
  const list = listOf(1);
  keepList("one", list, 0);
  expect(keptList("one", 5 * minute - 1)).toBe(list.tools);
  expect(keptList("one", 5 * minute)).toBeUndefined();
  keepList("one", list, 0);
  dropList("one");
  expect(keptList("one", 1)).toBeUndefined();
});

it("The cache of MCP servers' tool lists keeps fifty lists, and a further list replaces the oldest", () => {
  const keys = Array.from({ length: 51 }, (_, at) => `list-${at}`);
  for (const key of keys.slice(0, 50)) keepList(key, listOf(1), 0);
  const kept = () => keys.filter((key) => keptList(key, 1) !== undefined);
  expect(kept()).toEqual(keys.slice(0, 50));
  // A list that is stored again is the newest one.
  keepList("list-0", listOf(1), 0);
  keepList("list-50", listOf(1), 0);
  expect(kept()).toEqual(keys.filter((key) => key !== "list-1"));
  dropAll(keys);
});

it("The schemas of all cached tool lists have at most 8 Mi UTF-16 units together, and the oldest lists are removed above that", () => {
  const keys = ["first", "second", "third"];
  const half = 4 * 1024 * 1024;
  keepList("first", listOf(half), 0);
  keepList("second", listOf(half), 0);
  expect(keptList("first", 1)).toBeDefined();
  keepList("third", listOf(1), 0);
  expect(keys.map((key) => keptList(key, 1) !== undefined)).toEqual([false, true, true]);
  dropAll(keys);
});

it("The size of a cached tool list is the length of the JSON of its tools' schemas, without those of omitted tools", async () => {
  const schema = (text: string) => ({
    type: "object" as const,
    properties: { a: { type: "string", description: text } },
  });
  const tools = [
    { name: "one", inputSchema: schema("a".repeat(500)) },
    { name: "two", inputSchema: schema(""), outputSchema: schema("b".repeat(900)) },
  ];
  const omittedTools = [
    { name: "one", inputSchema: schema("the same name again") },
    { name: "large", inputSchema: schema("c".repeat(200_000)) },
  ];
  const options = { prefix: "p", allowed: undefined, features: [] };
  const { list, omitted } = await readTools([...tools, ...omittedTools], options);
  expect(omitted.kept.map(({ name }) => name)).toEqual(["one", "large"]);
  const lengths = [tools[0]?.inputSchema, tools[1]?.inputSchema, tools[1]?.outputSchema].map(
    (each) => JSON.stringify(each).length,
  );
  expect(list.units).toBe(lengths.reduce((sum, each) => sum + each));
});

it("The schema of an MCP tool's arguments is an object schema without nulls, and its boolean schemas are objects", async () => {
  const inner = { type: "object", properties: { deep: true } };
  const given: [unknown, object][] = [
    [undefined, { type: "object" }],
    [null, { type: "object" }],
    [true, { type: "object" }],
    [{ properties: null, required: null }, { type: "object" }],
    [
      { type: "object", properties: { raw: true, none: false } },
      { type: "object", properties: { raw: {}, none: { not: {} } } },
    ],
    [
      { properties: { list: { items: true }, both: { items: [true, inner] }, inner } },
      {
        type: "object",
        properties: {
          list: { items: {} },
          both: { items: [{}, { type: "object", properties: { deep: {} } }] },
          inner: { type: "object", properties: { deep: {} } },
        },
      },
    ],
  ];
  const tools = given.map(([inputSchema], at) => ({ name: `tool-${at}`, inputSchema }));
  const { list, omitted } = await readTools(tools, { prefix: "p", allowed: undefined, features: [] });
  expect(omitted.count).toBe(0);
  expect(list.tools.map(({ parameters }) => parameters)).toEqual(given.map(([, expected]) => expected));
});

it("Of a list of MCP tools the first 1,000 are read, and of the reasons the first 50 are kept", async () => {
  const wrong = Array.from({ length: 2000 }, (_, at) => ({ name: `wrong-${at}`, inputSchema: at }));
  const { list, omitted } = await readTools([...wrong, { name: "good" }], {
    prefix: "p",
    allowed: undefined,
    features: [],
  });
  expect(list.tools).toEqual([]);
  expect([omitted.count, omitted.kept.length]).toEqual([2001, 50]);
});

it("A tool whose schema contains itself, or has parts that are no schema or refer to nothing, is offered with a schema for models", async () => {
  const filter = { type: "object", properties: { and: { type: "array", items: { $ref: "#/$defs/filter" } } } };
  const inputSchema = {
    type: "object" as const,
    properties: {
      filter: { $ref: "#/$defs/filter" },
      key: { $ref: "#/properties/weird%20key" },
      "weird key": { type: "integer" },
      other: { $ref: "https://example.org/other.json" },
      kind: { type: "any" },
    },
    $defs: { filter },
  };
  const options = { prefix: "p", allowed: undefined, features: [] };
  const { list, omitted } = await readTools([{ name: "find", inputSchema }], options);
  expect(omitted.count).toBe(0);
  const [tool] = list.tools;
  if (tool === undefined) throw new Error("There is no tool.");
  const read = schemaOf(tool);
  expect("problem" in read ? read.problem : read.parameters["properties"]).toEqual({
    filter: {
      type: "object",
      properties: {
        and: {
          type: "array",
          items: {
            type: "object",
            properties: {
              and: { type: "array", items: { type: "object", description: "Its inner parts are left out here." } },
            },
          },
        },
      },
    },
    key: { type: "integer" },
    "weird key": { type: "integer" },
    other: { description: 'It follows "https://example.org/other.json", which is not known here.' },
    kind: { description: 'Also stated: "type": "any".' },
  });
  // The arguments are checked by the schema as the server sent it, also below the place where models see no more of it.
  const nested = (value: unknown): JsonObject => ({ filter: { and: [{ and: [{ and: [{ and: value as Json }] }] }] } });
  if ("problem" in read) throw new Error(read.problem);
  expect(read.check(nested([])).ok).toBe(true);
  expect(read.check(nested(1))).toMatchObject({ ok: false, problem: expect.stringContaining("has to be array") });
});

it("Only the hint readOnlyHint of a tool's annotations marks the tool as one that reads", async () => {
  const tool = (name: string, annotations: object) => ({ name, inputSchema: { type: "object" }, annotations });
  const given = [
    tool("read", { readOnlyHint: true }),
    tool("same", { idempotentHint: true }),
    tool("odd", { readOnlyHint: 1 }),
  ];
  const { list } = await readTools(given, { prefix: "p", allowed: undefined, features: [] });
  expect(list.tools.map(({ isReading }) => isReading)).toEqual([true, false, false]);
});
