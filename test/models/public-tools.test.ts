// The tools of public MCP servers, with their schemas as the servers answer them: what each wire is sent.

import { expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { clientSchema } from "#flow/setup/client-schema.ts";

import brave from "../fixtures/mcp-tools/brave-brave-search-mcp-server.json" with { type: "json" };
import chrome from "../fixtures/mcp-tools/chrome-devtools-mcp.json" with { type: "json" };
import dokploy from "../fixtures/mcp-tools/dokploy-mcp.json" with { type: "json" };
import firecrawl from "../fixtures/mcp-tools/firecrawl-mcp.json" with { type: "json" };
import everything from "../fixtures/mcp-tools/modelcontextprotocol-server-everything.json" with { type: "json" };
import filesystem from "../fixtures/mcp-tools/modelcontextprotocol-server-filesystem.json" with { type: "json" };
import github from "../fixtures/mcp-tools/modelcontextprotocol-server-github.json" with { type: "json" };
import memory from "../fixtures/mcp-tools/modelcontextprotocol-server-memory.json" with { type: "json" };
import notion from "../fixtures/mcp-tools/notionhq-notion-mcp-server.json" with { type: "json" };
import playwright from "../fixtures/mcp-tools/playwright-mcp.json" with { type: "json" };
import { allowedValues, fits } from "../support/wire-rules/allowed-values.ts";
import { valueFor } from "../support/wire-rules/any-schema.ts";
import { schemaProblems, schemaWires } from "../support/wire-rules/schema-problems.mjs";
import { sentSchemas, withSentNames } from "./sent-parameters.ts";

interface Server {
  server: string;
  tools: { name: string; inputSchema: unknown }[];
}

const servers = [brave, chrome, dokploy, firecrawl, everything, filesystem, github, memory, notion, playwright].map(
  (server): Server => server,
);

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

/** A generator of numbers, so that a failed run can be played again. */
function numbers(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

it.for(servers.map((server) => [server.server, server] as const))(
  "Every tool of %s is sent to each wire with a schema that it does not refuse, and that forbids no valid arguments",
  async ([, { tools }]) => {
    console.info(`public-tools seed ${seed}`);
    const pick = numbers(seed);
    const given = tools.map(({ inputSchema }) => inputSchema as JsonObject);
    const read = tools.map(({ name, inputSchema }) => {
      const schema = clientSchema(inputSchema as JsonObject, { tolerant: true });
      if ("problem" in schema) throw new Error(`${name}: ${schema.problem}`);
      return schema.parameters;
    });
    const samples = given.map((schema) =>
      Array.from({ length: 3 }, () => valueFor(schema, schema, pick)).filter((value) => fits(schema, "2020-12", value)),
    );
    expect(samples.flat().length).toBeGreaterThan(0);
    for (const wire of schemaWires) {
      const sent = await sentSchemas(wire, read);
      for (const [at, schema] of sent.entries()) {
        const place = `${wire} ${tools[at]?.name}: ${JSON.stringify(schema)}`;
        expect(schemaProblems(wire, schema), place).toEqual([]);
        const sentValues = samples[at]?.map((value) => withSentNames(wire, read[at] ?? {}, value));
        const forbidden = sentValues?.filter((value) => !fits(allowedValues(wire, schema), "2020-12", value));
        expect(forbidden, place).toEqual([]);
      }
    }
  },
);
