// Helpers for scripted models: each answer is a text or tool calls. A real model needs none of this.

import type { TestRequest, TestTurn } from "threadhold";

/** Milliseconds before each word, so that the streaming is visible. */
const delayMs = 8;

/** An answer with text. */
export function say(text: string): TestTurn {
  return { delayMs, text };
}

/** An answer that calls a tool, optionally with text before the call. */
export function call(name: string, args: Record<string, unknown>, text?: string): TestTurn {
  return { delayMs, toolCalls: [{ name, arguments: args }], ...(text === undefined ? {} : { text }) };
}

/** Whether the model may call this tool, by which a script recognises its prompt. */
export function isOffered({ tools }: TestRequest, tool: string): boolean {
  return tools.some(({ name }) => name === tool);
}
