// The programs of UAP-1.0 §9: middleware.

import { agent, AgentState } from "threadhold/agents";
import type { Middleware } from "threadhold/agents";
import { logging } from "threadhold/agents/middleware";

import { anthropic, print } from "./stand-ins.ts";

/** §9.2: the order in which several middleware are called. */
export async function composition(): Promise<unknown> {
  const order: string[] = [];
  const named = (name: string) => (): Middleware => ({
    name,
    before: async () => void order.push(`${name}.before()`),
    after: async (_context, result) => {
      order.push(`${name}.after()`);
      return result;
    },
  });
  const [first, second, third] = [named("first"), named("second"), named("third")];

  const assistant = agent({
    model: anthropic("claude-sonnet-5-5"),
    middleware: [first(), second(), third()],
  });

  await assistant.query("Hello");
  return order;
}

/** §9.3: the middleware `logging`. */
export async function logs(): Promise<unknown> {
  const lines: string[] = [];
  const assistant = agent({
    model: anthropic("claude-sonnet-5-5"),
    middleware: [logging({ level: "info", logger: (line) => lines.push(line), includeTiming: false })],
  });
  await assistant.query("Hello");
  return lines.map((line) => line.replace(assistant.id, "…").replace(/\d+\.$/, "…"));
}

/** §9.4: custom middleware. */
export async function custom(): Promise<unknown> {
  const timing: Middleware = {
    name: "timing",

    before: async (context) => {
      context.metadata.startTime = Date.now();
      return context;
    },

    after: async (context, result) => {
      const duration = Date.now() - (context.metadata.startTime as number);
      print(`Execution took ${duration}ms`);
      return result;
    },
  };

  const assistant = agent({ model: anthropic("claude-sonnet-5-5"), middleware: [timing] });
  return (await assistant.generate("Hello", AgentState.initial())).turn.response.text;
}
