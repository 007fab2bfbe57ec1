// A prompt of the test definitions: sees the conversation, and may call its tools in parallel.

import { definePrompt } from "#spec/index.ts";

/** Creates a prompt with these tools. `extra` replaces its other fields. */
export const testPrompt = (name: string, tools: string[], extra: object = {}) =>
  definePrompt({
    name,
    toolDescription: name,
    prompt: "You are a test.",
    model: "scripted",
    includeChat: true,
    includePastTools: true,
    parallelToolCalls: true,
    tools,
    ...extra,
  });
