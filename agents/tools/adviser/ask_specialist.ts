// Executes an agent with a plan and tools of its own inside of this tool. With `in: state` the run's usage and cost include those of the
// agent, and the thread sends the agent's events.

import { defineTool } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";
import { agent, AgentState } from "threadhold/agents";
import { plan } from "threadhold/agents/execution";
import { createProvider } from "threadhold/upp/provider";
import { z } from "zod";

import { call, say } from "../../lib/scripted.ts";

const steps = [
  { id: "prices", description: "Look up the prices.", tool: "look_up_prices", dependsOn: [] },
  { id: "compare", description: "Compare purchase and rent.", tool: "divide", dependsOn: ["prices"] },
];

/** A scripted model. A real one is `anthropic("claude-sonnet-5-5")` of `threadhold/upp/anthropic`. */
const model = createProvider({ protocol: "test", name: "demo" })("demo_specialist", {
  inputPrice: 3,
  outputPrice: 15,
  script: ({ messages, lastUser }: TestRequest): TestTurn => {
    const result = messages.at(-1)?.role === "tool" ? messages.at(-1)?.content : undefined;
    switch (/^Carry out the step "(\w+)"/.exec(lastUser)?.[1]) {
      case "prices":
        return result === undefined ? call("look_up_prices", {}) : say("A purchase costs 840, a rent 60 a month.");
      case "compare":
        return result === undefined
          ? call("divide", { dividend: 840, divisor: 60 })
          : say(`After ${result} months renting costs more than buying.`);
      default:
        return say(JSON.stringify({ steps }));
    }
  },
});

const number = { type: "number" } as const;

const tools = [
  {
    name: "look_up_prices",
    description: "Gives the prices of a purchase and of a rent.",
    parameters: { type: "object", properties: {} },
    run: () => ({ purchase: 840, rent_a_month: 60 }),
  },
  {
    name: "divide",
    description: "Divides two numbers.",
    parameters: {
      type: "object",
      properties: { dividend: number, divisor: number },
      required: ["dividend", "divisor"],
    },
    run: ({ dividend, divisor }: Record<string, unknown>) => Number(dividend) / Number(divisor),
  },
] as const;

export default defineTool(
  "Ask a specialist for prices.",
  z.object({ question: z.string() }),
  async (state, { question }) => {
    const specialist = agent({
      name: "specialist",
      model,
      system: "You compare prices.",
      execution: plan(),
      tools,
      in: state,
    });
    const { turn } = await specialist.generate(question, AgentState.initial());
    return turn.response.text;
  },
);
