// Instances over the scripted provider, with the real loop, and tools for them.

import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/llm.ts";
import type { LLMOptions } from "#facade/upp/llm.ts";
import type { ModelOptions } from "#facade/upp/model-reference.ts";
import type { AnyMessage } from "#facade/upp/upp-message.ts";
import type { Tool } from "#facade/upp/upp-tool.ts";

/** The provider whose models answer from a script. */
const scripted = createProvider({ protocol: "test", name: "scripted" });

type Script = NonNullable<ModelOptions["script"]>;

/** An instance whose model answers from a script. */
export function instance(script: Script, more: Partial<LLMOptions> & { model?: never } = {}) {
  return llm({ model: scripted("scripted", { script }), ...more });
}

/** A tool without required parameters. */
export function tool(name: string, run: Tool["run"], more: Partial<Tool> = {}): Tool {
  return { name, description: `Does ${name}.`, parameters: { type: "object", properties: {} }, run, ...more };
}

/** A tool that adds two numbers. */
export const add = tool("add", ({ a, b }) => Number(a) + Number(b));

/** A scripted call. */
export function call(name: string, args: Record<string, unknown> = {}) {
  return { name, arguments: args };
}

/** The types of messages, each with its text, calls or results. */
export function outline(messages: readonly AnyMessage[]): string[] {
  return messages.map((message) => {
    switch (message.type) {
      case "user":
        return `user: ${message.text}`;
      case "assistant": {
        const calls = (message.toolCalls ?? []).map(
          ({ toolName, arguments: args }) => `[${toolName} ${JSON.stringify(args)}]`,
        );
        return `assistant: ${[message.text, ...calls].filter((text) => text !== "").join(" ")}`;
      }
      case "tool_result":
        return `results: ${message.results.map(({ result, isError }) => `${isError === true ? "failed " : ""}${JSON.stringify(result)}`).join(", ")}`;
    }
  });
}

/** A promise, and the function that resolves it. */
export function gate(): { passed: Promise<void>; open: () => void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** What a promise rejects with; fails the test if it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("The promise did not reject.");
    },
    (error: unknown) => error,
  );
}
