// A model that plays scripted parts. It requires what providers require: a transcript that they would refuse fails the test.

import { zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import type { ModelFailure, ModelPart, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import { checkTranscript } from "#models/provider/test/transcript-check.ts";

/** What a script may contain besides parts: a wait until cancelled, a wait until `open` settles, and bytes that make no part. */
export type ScriptPart = ModelPart | { type: "hang" } | { type: "wait"; open: Promise<void> } | { type: "bytes" };

/** Returns the answer to a request; `number` counts the requests from 0. */
export type Script = (request: ModelRequest, number: number) => ScriptPart[];

const usage: Usage = { ...zeroUsage, input: 10, output: 5, total_tokens: 15 };

type Finish = Extract<ModelPart, { type: "finish" }>;

export function finish(changes: Partial<Finish> = {}): ModelPart {
  return { type: "finish", stop_reason: "stop", usage, reported_cost: null, model_id: null, ...changes };
}

/** A text block, in pieces. */
export function textBlock(index: number, ...deltas: string[]): ModelPart[] {
  return [
    { type: "text_start", index },
    ...deltas.map((delta) => ({ type: "text_delta" as const, index, delta })),
    { type: "text_end", index },
  ];
}

/** An answer of text. */
export function says(...deltas: string[]): ModelPart[] {
  return [...textBlock(0, ...deltas), finish()];
}

/** A call block. A string as `json` is sent as it is, whether it is valid JSON or not. */
export function callBlock(index: number, { id, name, json }: { id: string; name: string; json: string }): ModelPart[] {
  return [
    { type: "toolcall_start", index, id, name },
    { type: "toolcall_delta", index, delta: json },
    { type: "toolcall_end", index, id, name, arguments: json },
  ];
}

/** An answer with calls, whose ids are `<prefix><position>`. */
export function calls(prefix: string, ...requested: [name: string, args: unknown][]): ModelPart[] {
  const blocks = requested.flatMap(([name, args], index) =>
    callBlock(index, { id: `${prefix}${index}`, name, json: typeof args === "string" ? args : JSON.stringify(args) }),
  );
  return [...blocks, finish({ stop_reason: "tool_calls" })];
}

export function failure(changes: Partial<ModelFailure> = {}): ModelPart {
  const base: ModelFailure = { kind: "network", message: "cut", retryable: true, status: null, retry_after_ms: null };
  return { type: "error", failure: { ...base, ...changes }, usage: { ...zeroUsage, input: 3, total_tokens: 3 } };
}

const aborted = failure({ kind: "aborted", message: "The request was cancelled.", retryable: false });

/** The port, and the requests that it received. */
export function scriptedModel(script: Script, silent = false): ModelPort & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    thinksInSilence: () => silent,
    async *stream(request, signal, received) {
      const fault = request.messages.length === 0 ? null : checkTranscript(request.messages);
      if (fault !== null) throw new Error(`a provider would refuse this: ${fault}`);
      // A function cannot be cloned.
      const { continues: _continues, ...sent } = request;
      requests.push(structuredClone({ ...sent, model: { ...request.model } }));
      for (const part of script(request, requests.length - 1)) {
        if (part.type === "hang" || part.type === "wait") {
          const cancelled = new Promise<void>((resolve) => {
            if (signal.aborted) resolve();
            else signal.addEventListener("abort", () => resolve(), { once: true });
          });
          await Promise.race(part.type === "wait" ? [cancelled, part.open] : [cancelled]);
        }
        if (signal.aborted) {
          yield aborted;
          return;
        }
        if (part.type === "bytes") received?.();
        else if (part.type !== "hang" && part.type !== "wait") yield part;
      }
    },
  };
}
