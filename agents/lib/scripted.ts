// Words for scripted models: each answer is something said, or tools called. A real model needs none of this.

import type { TestRequest, TestTurn } from "threadhold";

/** Milliseconds before each word, so that one can watch it stream. */
const delayMs = 8;

/** An answer in words. */
export function say(text: string): TestTurn {
  return { delayMs, text };
}

/** An answer that calls a tool, perhaps with words before it. */
export function call(name: string, args: Record<string, unknown>, text?: string): TestTurn {
  return { delayMs, toolCalls: [{ name, arguments: args }], ...(text === undefined ? {} : { text }) };
}

/** Whether the model may call this tool: the way a script knows which prompt it plays. */
export function isOffered({ tools }: TestRequest, tool: string): boolean {
  return tools.some(({ name }) => name === tool);
}
