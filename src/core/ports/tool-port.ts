// A tool as the loop runs it, whatever it was made from.

import type { Json, JsonObject } from "#contract/json.ts";
import type { ToolResult } from "#contract/tool-result.ts";

import type { ToolSpec } from "./model-port.ts";

/** What a tool answers: the public result, and a stack for the log alone. */
export type ToolAnswer = ToolResult & { stack?: string };

/** What a running tool may say before its result. */
export type ToolPiece =
  | { type: "delta"; delta: string }
  | { type: "progress"; data: Json }
  | { type: "result"; result: ToolAnswer };

/** One call as its tool sees it. `id` stays the same when the call is run again: it is the idempotency key. */
export interface CallContext {
  id: string;
  attempt: number;
  signal: AbortSignal;
}

/** Arguments, checked. */
export type CheckedArguments = { ok: true; args: JsonObject } | { ok: false; problem: string };

/**
 * Contract: `run` may throw, hang and return nonsense; the executor turns all of that into an error result. It ends with
 * one `result` piece. `check` never throws.
 */
export interface ToolRunner {
  readonly spec: ToolSpec;
  /** A tool without a function: somebody else answers its calls. */
  readonly remote: boolean;
  /** Never at the same time as another call of its step. */
  readonly sequential: boolean;
  /** Names of tools whose calls of the same step come first. */
  readonly dependsOn: readonly string[];
  readonly timeoutMs: number;
  /** A call that was cut may be made again with the same id. */
  readonly idempotent: boolean;
  check(args: JsonObject): CheckedArguments;
  run(args: JsonObject, call: CallContext): AsyncIterable<ToolPiece>;
  /** Asks the outside world what became of a cut call; null when it was not done. */
  reconcile: ((callId: string, args: JsonObject) => Promise<ToolAnswer | null>) | null;
}
