// Runs a model with a tool of its own inside of this tool. With `{ in: state }` its tokens and cost count to the run, and the thread sends
// its events.

import { defineTool } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";
import { llm } from "threadhold/upp";
import { createProvider } from "threadhold/upp/provider";
import { z } from "zod";

import { call, say } from "../../lib/scripted.ts";

/** A scripted model. A real one is `anthropic("claude-sonnet-4-5")` of `threadhold/upp/anthropic`. */
const specialist = createProvider({ protocol: "test", name: "demo" })("demo_specialist", {
  inputPrice: 3,
  outputPrice: 15,
  script: ({ messages }: TestRequest): TestTurn => {
    const last = messages.at(-1);
    return last?.role === "tool"
      ? say(`After ${last.content} renting costs more than buying.`)
      : call("look_up_prices", {});
  },
});

export default defineTool(
  "Ask a specialist for prices.",
  z.object({ question: z.string() }),
  async (state, { question }) => {
    const model = llm({
      model: specialist,
      system: "You compare prices.",
      tools: [
        {
          name: "look_up_prices",
          description: "Gives the months after which a purchase costs less than a rent.",
          parameters: { type: "object", properties: {} },
          run: () => "14 months",
        },
      ],
      in: state,
    });
    const turn = await model.generate(question);
    return { status: "success", result: turn.response.text };
  },
);
