// Agents that MCP clients can call: one with every kind of tool, one whose calls need approval or a client, and one with a schema.

import { z } from "zod";

import { defineAgent, definePrompt } from "#spec/index.ts";

export const exposedPrompts = [
  definePrompt({
    name: "parcel_prompt",
    toolDescription: "Tracks",
    prompt: "You are a test.",
    model: "scripted",
    includeChat: true,
    requiredSchema: z.object({ parcel: z.string().describe("The number"), days: z.number().int().default(3) }),
  }),
];

const exposed = (name: string, prompt: string) =>
  defineAgent({ name, sideA: { prompt }, exposeAsTool: true, toolDescription: `The agent ${name}` });

export const exposedAgents = [
  exposed("helper", "parallel"),
  exposed("cashier_helper", "payer"),
  exposed("parcels", "parcel_prompt"),
  exposed("asking_helper", "mcp"),
];
