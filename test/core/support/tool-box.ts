// Tools for tests of the loop: a function and the options of its definition.

import type { ToolResult } from "#contract/call-result.ts";
import type { JsonObject } from "#contract/json.ts";
import type { CallContext, ToolPiece, ToolRunner } from "#core/ports/tool-port.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";

export type Work = (args: JsonObject, call: CallContext) => Promise<unknown>;

export function ok(result: string): ToolResult {
  return { status: "success", result };
}

type Changes = Partial<Omit<ToolRunner, "spec">>;

/** A tool whose function returns a promise. */
export function tool(name: string, work: Work, changes: Changes = {}): ToolRunner {
  return streamingTool(
    name,
    async function* (args, call) {
      yield { type: "result", result: (await work(args, call)) as ToolAnswer };
    },
    changes,
  );
}

/** A tool that yields pieces. */
export function streamingTool(name: string, run: ToolRunner["run"], changes: Changes = {}): ToolRunner {
  return {
    spec: { name, description: `Does ${name}`, parameters: { type: "object" } },
    remote: false,
    sequential: false,
    dependsOn: [],
    timeoutMs: 120_000,
    idempotent: false,
    check: (args) => ({ ok: true, args }),
    run,
    reconcile: null,
    ...changes,
  };
}

/** A promise that a test settles. */
export interface Gate<T> {
  promise: Promise<T>;
  open: (value: T) => void;
}

export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

/** The pieces of a stream. */
export async function* pieces(...list: ToolPiece[]): AsyncGenerator<ToolPiece> {
  for (const piece of list) yield await Promise.resolve(piece);
}
