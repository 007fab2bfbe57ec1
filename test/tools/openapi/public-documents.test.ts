// Five public documents, each with more than a hundred operations: they are read from an address, and every operation is called against a
// server that is generated from the document and checks the requests (test/support/api-server/described-api.mjs).

import { describe, expect, inject, it } from "vitest";

import type { Json, JsonObject } from "#contract/json.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import type { DefinedTool, ToolsContext } from "#core/ports/tool-source-port.ts";
import { clientSchema } from "#flow/setup/client-schema.ts";
import { defineOpenApi } from "#spec/index.ts";
import { openTools } from "#tools/openapi/index.ts";
import { toolName } from "#tools/outside-text.ts";

import { sentSchemas } from "../../models/sent-parameters.ts";
import { schemaProblems, schemaWires } from "../../support/wire-rules/schema-problems.mjs";
import { contextOf } from "./api-driver.ts";
import { ExampleValue } from "./example-value.ts";

const base = inject("apiServer");
const scope = crypto.randomUUID();
const file = new TextEncoder().encode("content");

const files: ToolsContext["files"] = {
  read: () => Promise.resolve(file),
  stat: (path) =>
    Promise.resolve({
      path,
      name: "a.txt",
      mimeType: "text/plain",
      storage: "local",
      size: file.length,
      isDirectory: false,
    }),
};

/** The document's address; its text for YAML, because one of more than 1 MiB is not read from an address. */
async function documentOf(name: string): Promise<string | { url: string }> {
  const url = `${base}/${scope}/public/${name}`;
  return name.endsWith(".yaml") ? (await fetch(url)).text() : { url };
}

const tools = async (name: string, fetched: OutboundFetch) =>
  openTools(
    defineOpenApi({
      name: "api",
      document: await documentOf(name),
      baseUrl: `${base}/${scope}/described/${name}`,
      auth: { type: "bearer", token: "token" },
    }),
    contextOf({ fetch: fetched, files }),
  );

/** The ids of a document's operations, as the server reads them. */
async function operationsOf(name: string): Promise<string[]> {
  const response = await fetch(`${base}/${scope}/operations/${name}`);
  return response.json();
}

const documents: [name: string, least: number][] = [
  ["asana.yaml", 150],
  ["box.json", 200],
  ["discord.json", 150],
  ["openai.yaml", 100],
  ["twilio.json", 150],
];

describe.each(documents)("The document %s", (name, least) => {
  it(`The document has at least ${least} operations with an id, each one is called with all its arguments and with the required ones, and no wire refuses its schema`, async () => {
    const called: string[] = [];
    const fetched: OutboundFetch = async (url, init = {}) => {
      const { method = "GET", headers = {}, body = null } = init;
      const response = await fetch(url, { method, headers, body });
      called.push(...(response.headers.get("x-operations") ?? "").split(" "));
      return response;
    };
    const opened = await tools(name, fetched);
    const ids = await operationsOf(name);
    expect(ids.length).toBeGreaterThanOrEqual(least);
    const failed: string[] = [];
    const parameters: JsonObject[] = [];
    for (const id of ids) {
      const tool = await opened.tool?.(await toolName("api", id));
      if (tool == null) {
        failed.push(`${id} is no tool`);
        continue;
      }
      parameters.push(tool.parameters);
      for (const isWhole of [false, true]) failed.push(...(await problemsOf(tool, id, { isWhole, called })));
    }
    expect(failed).toEqual([]);
    expect(await schemaProblemsOf(parameters)).toEqual([]);
  }, 300_000);
});

/** The problems of the schemas that each wire is sent for the tools of a document. */
async function schemaProblemsOf(parameters: readonly JsonObject[]): Promise<string[]> {
  const read = parameters.map((schema) => clientSchema(schema, { tolerant: true }));
  const unusable = read.flatMap((schema) => ("problem" in schema ? [schema.problem] : []));
  const usable = read.flatMap((schema) => ("problem" in schema ? [] : [schema.parameters]));
  const refused: string[] = [];
  for (const wire of schemaWires) {
    const sent = await sentSchemas(wire, usable);
    refused.push(...sent.flatMap((schema) => schemaProblems(wire, schema).map((problem) => `${wire} ${problem}`)));
  }
  return [...unusable, ...refused];
}

async function problemsOf(
  tool: DefinedTool,
  id: string,
  { isWhole, called }: { isWhole: boolean; called: string[] },
): Promise<string[]> {
  const args = new ExampleValue(isWhole).of(tool.parameters) as JsonObject;
  called.length = 0;
  const call = { id: "call", attempt: 1, signal: new AbortController().signal, progress: () => {} };
  try {
    const { result = "", details } = await tool.call(args, call);
    const status = Number((details as { status: Json }).status);
    if (status >= 200 && status < 300 && called.includes(id)) return [];
    return [`${id} ${isWhole ? "whole" : "least"}: ${called.join()} ${result.slice(0, 300)}`];
  } catch (thrown) {
    return [`${id}: ${String(thrown)}`];
  }
}
