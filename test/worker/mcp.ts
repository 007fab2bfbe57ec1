// Definitions of MCP servers. Each test sets the server of a prefix.

import { defineAgent, defineMcpServer, definePrompt } from "#spec/index.ts";
import type { McpServerDefinition, Registry } from "#spec/index.ts";

/** The servers by prefix. */
export const mcpServers = new Map<string, Omit<McpServerDefinition, "name">>();

const prefixes = ["everything", "other"];

export const mcpSources: NonNullable<Registry["toolSources"]> = [
  {
    kind: "mcp",
    load: () => import("#tools/mcp/index.ts"),
    definitions: prefixes.map((prefix) => ({
      name: prefix,
      prefix,
      file: `agents/mcp/${prefix}.ts`,
      load: () => {
        const server = mcpServers.get(prefix);
        if (server === undefined) throw new Error(`The test has set no MCP server "${prefix}".`);
        return Promise.resolve(defineMcpServer({ name: prefix, ...server }));
      },
    })),
  },
];

const prompt = (name: string, tools: string[]) =>
  definePrompt({
    name,
    toolDescription: "Uses servers",
    prompt: "You are a test.",
    model: "scripted",
    includeChat: true,
    includePastTools: true,
    parallelToolCalls: true,
    tools,
  });

export const mcpPrompts = [
  prompt("mcp", ["everything__*"]),
  { ...prompt("mcp-parent", ["mcp-child"]), parallelToolCalls: false },
  prompt("mcp-two", ["note", "other__ping", "everything__*"]),
  { ...prompt("mcp-ordered", ["other__ping", "everything__*"]), modelOrder: true },
];

export const mcpAgents = [
  defineAgent({ name: "mcp", sideA: { prompt: "mcp" } }),
  defineAgent({
    name: "mcp-child",
    type: "dual_ai",
    maxSessionTurns: 1,
    sideA: { prompt: "mcp" },
    sideB: { prompt: "mcp" },
    toolDescription: "Uses servers in a thread of its own",
  }),
  defineAgent({ name: "mcp-parent", sideA: { prompt: "mcp-parent" } }),
  defineAgent({ name: "mcp-two", sideA: { prompt: "mcp-two" } }),
  defineAgent({ name: "mcp-ordered", sideA: { prompt: "mcp-ordered" } }),
];
