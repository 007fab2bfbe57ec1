// The sources of definitions with many tools: how often they ask for a list, and tools that are opened after the end of the run.

import { expect, it } from "vitest";

import { noFaults } from "#core/ports/faults.ts";
import type { DefinedTool, DefinedTools } from "#core/ports/tool-source-port.ts";
import { definedSources } from "#flow/tool-source/defined-tools.ts";
import type { SourcesContext } from "#flow/tool-source/defined-tools.ts";
import { resolveTools } from "#flow/tool-source/tool-source.ts";
import { defineMcpServer } from "#spec/index.ts";
import type { Registry } from "#spec/index.ts";

import { ManualClock } from "../core/support/manual-clock.ts";

const toolOf = (name: string): DefinedTool => ({
  name,
  description: "",
  parameters: { type: "object" },
  idempotent: false,
  timeoutMs: 1000,
  call: () => Promise.resolve({ status: "success", result: name }),
});

function sourcesOf(
  tools: DefinedTools,
  loaded: Promise<unknown> = Promise.resolve(),
  log: SourcesContext["log"] = () => {},
) {
  const entries: Registry["toolSources"] = [
    {
      kind: "mcp",
      load: () => loaded.then(() => ({ openTools: () => tools })),
      definitions: [
        {
          name: "docs",
          prefix: "docs",
          file: "agents/mcp/docs.ts",
          load: () => Promise.resolve(defineMcpServer({ name: "docs", url: "https://a.example" })),
        },
      ],
    },
  ];
  const context = { clock: new ManualClock(), faults: noFaults, log };
  return definedSources(entries, context as unknown as SourcesContext);
}

const noFacts = () => ({ host: null, version: null });

it("Each step requests the list of tools from a server once, whatever the number of tools", async () => {
  let requested = 0;
  const { sources } = sourcesOf({
    // A server that changes its list after each request: no list is kept in memory.
    tools: () => {
      requested += 1;
      return Promise.resolve([toolOf("docs__a"), toolOf("docs__b"), toolOf(`docs__c${requested}`)]);
    },
    facts: noFacts,
    close: () => Promise.resolve(),
  });
  const first = await resolveTools(["docs__*"], sources);
  expect([...first.tools.keys()]).toEqual(["docs__a", "docs__b", "docs__c1"]);
  expect(requested).toBe(1);
  const second = await resolveTools(["docs__*"], sources);
  expect([...second.tools.keys()]).toEqual(["docs__a", "docs__b", "docs__c2"]);
  expect(requested).toBe(2);
});

it("If the module of a tool source is loaded only after the run has ended, its tools are not requested", async () => {
  const { promise: loaded, resolve } = Promise.withResolvers<void>();
  let requested = 0;
  const defined = sourcesOf(
    {
      tools: () => {
        requested += 1;
        return Promise.resolve([]);
      },
      facts: noFacts,
      close: () => Promise.resolve(),
    },
    loaded,
  );
  const resolved = resolveTools(["docs__*"], defined.sources);
  await defined.close();
  resolve();
  expect((await resolved).failures).toMatchObject([{ entry: "docs__*" }]);
  expect(requested).toBe(0);
});

it("If a tool source fails in each step of a run, this is logged once, with the source's file and the reason", async () => {
  const lines: unknown[] = [];
  const tools = {
    tools: () => Promise.reject(new Error("The server is down.")),
    facts: noFacts,
    close: () => Promise.resolve(),
  };
  const { sources } = sourcesOf(tools, undefined, (...line) => lines.push(line));
  for (let step = 0; step < 2; step += 1) {
    const { failures } = await resolveTools(["docs__*"], sources);
    expect(failures).toMatchObject([{ entry: "docs__*" }]);
  }
  expect(lines).toEqual([
    ["warning", "tool_source_failed", { cause: '"docs" (agents/mcp/docs.ts): The server is down.' }],
  ]);
});
