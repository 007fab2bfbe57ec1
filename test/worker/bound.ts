// A model that the binding `AI` of the Worker reaches: it calls a tool, and then answers with a text.

import { defineAgent, defineModel, definePrompt } from "#spec/index.ts";

/** The name of the exchanges at the model server. */
export const boundExchange = "thread-with-the-binding";

export const boundModels = [
  defineModel({
    name: "bound",
    provider: "workers-ai",
    model: "@cf/case:native-note|native-text",
    headers: { "x-server-id": boundExchange },
  }),
  defineModel({
    name: "bound_gateway",
    provider: "workers-ai",
    model: "@cf/case:native-text",
    gateway: { id: "team" },
  }),
];

export const boundPrompts = [
  definePrompt({ name: "bound_gateway", toolDescription: "", prompt: "You are a test.", model: "bound_gateway" }),
  definePrompt({
    name: "bound",
    toolDescription: "",
    prompt: "You are a test.",
    model: "bound",
    includeChat: true,
    tools: ["note"],
  }),
];

export const boundAgents = boundPrompts.map(({ name }) => defineAgent({ name, sideA: { prompt: name } }));
