// A definition that has many tools, for runs whose object is killed at every fault point. The tools send requests to the outside server,
// which counts their effects.

import type { DefinedTool, DefinedToolsModule } from "#core/ports/tool-source-port.ts";
import { defineMcpServer } from "#spec/index.ts";
import type { Registry } from "#spec/index.ts";

import { effect } from "./faulted.ts";

const outer: DefinedToolsModule = {
  openTools: (_, { threadId }) => {
    const tool = (name: string, more: Partial<DefinedTool> = {}): DefinedTool => ({
      name: `outer__${name}`,
      description: name,
      parameters: { type: "object", properties: { task: { type: "string" } } },
      idempotent: true,
      timeoutMs: 60_000,
      call: async ({ task: words }, { id }) => {
        await effect(threadId, { name: `${name} ${JSON.stringify(words)}`, call: id, key: id });
        return { status: "success", result: "charged" };
      },
      ...more,
    });
    const look = tool("look", { call: async () => ({ status: "success", result: "seen" }) });
    const ask = tool("ask", {
      call: async (_args, { requestText }) => {
        const messages = [{ role: "user" as const, text: "short" }];
        const answer = await requestText?.({
          model: "faulted",
          system: "",
          messages,
          maxTokens: 10,
          temperature: null,
        });
        return { status: "success", result: answer?.text ?? "no model" };
      },
    });
    const tools = [tool("charge"), tool("pay", { needsApproval: () => true }), look, ask];
    return {
      tools: () => Promise.resolve(tools),
      facts: () => ({ host: null, version: null }),
      close: () => Promise.resolve(),
    };
  },
};

export const faultSources: NonNullable<Registry["toolSources"]> = [
  {
    kind: "mcp",
    load: () => Promise.resolve(outer),
    definitions: [
      {
        name: "outer",
        prefix: "outer",
        file: "agents/mcp/outer.ts",
        load: () => Promise.resolve(defineMcpServer({ name: "outer", url: "https://outer.example/mcp" })),
      },
    ],
  },
];
