// Two tools with a function, one of which streams its output, and a tool without a function, whose calls the program answers.

import { createSimpleTool } from "threadhold/session";
import type { AgentTool, AnyAgentTool } from "threadhold/session";

const add = createSimpleTool<{ a: number; b: number }>(
  {
    name: "add",
    label: "Add",
    description: "Add two numbers.",
    parameters: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
  },
  (_id, { a, b }) => Promise.resolve({ output: String(a + b), details: { sum: a + b } }),
);

const forecast: AgentTool<{ city: string }> = {
  name: "forecast",
  label: "Forecast",
  description: "Tell the weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  async *execute(_id, { city }) {
    yield { type: "delta", delta: `Asking about ${city}. ` };
    await new Promise((resolve) => setTimeout(resolve, 10));
    yield { type: "delta", delta: "The sky is clear." };
    yield { type: "complete", output: `Sunny in ${city}.`, details: { city } };
  },
};

const whereAmI: AgentTool = {
  name: "where_am_i",
  label: "Location",
  description: "Ask the person's device where they are.",
  parameters: { type: "object", properties: { precision: { type: "string", enum: ["city", "exact"] } } },
};

export const tools: AnyAgentTool[] = [add, forecast, whereAmI];
