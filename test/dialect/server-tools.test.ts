// Which calls a chat of AI SDK UI leaves to the server.

import { expect, it } from "vitest";

import { readServerTools } from "#dialect/ai-sdk/tool-parts.ts";
import { defineRemoteTool, defineTool } from "#spec/index.ts";

const never = (): Promise<never> => Promise.reject(new Error("not loaded"));

it("A chat marks the calls of all tools as executed by the server, except those that a client runs", async () => {
  const isServerTool = await readServerTools({
    tools: {
      note: () => Promise.resolve(defineTool("Notes", async () => ({ status: "success", result: "noted" }))),
      locate: () => Promise.resolve(defineRemoteTool({ description: "Locates the person" })),
    },
    prompts: { helper: never },
    agents: { clerk: never },
    toolSources: [
      {
        kind: "mcp",
        load: never,
        definitions: [{ name: "shop", prefix: "shop", file: "agents/mcp/shop.ts", load: never }],
      },
      {
        kind: "openapi",
        load: never,
        definitions: [{ name: "crm", prefix: "crm", file: "agents/openapi/crm.ts", load: never }],
      },
    ],
    skills: { load: never, project: never },
  });
  const names = ["note", "helper", "clerk", "shop__order", "crm__find", "read_skill"];
  expect(names.filter((name) => !isServerTool(name))).toEqual([]);
  expect(["locate", "shop", "unknown"].filter(isServerTool)).toEqual([]);
});
