// A tool of an in-process run (executed in the caller's process, without a Worker or a thread): a function with a schema. A tool without a
// function is remote: the run waits for the results of its calls.

import type { z } from "zod";

import type { JsonObject } from "#contract/json.ts";
import type { Clock } from "#core/ports/clock.ts";
import { noFaults } from "#core/ports/faults.ts";
import { runnerDefaults, type ToolRunner } from "#core/ports/tool-port.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";
import { remoteCall } from "#core/tools/remote-call.ts";
import { toolOutput } from "#core/tools/tool-output.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import { systemClock } from "#lib/system-clock.ts";
import type { ToolCall } from "#spec/index.ts";

/** A tool, with its function unless it is remote. */
export interface FunctionTool {
  name: string;
  description: string;
  /** The schema that arguments are checked against. Null: the tool takes none. */
  schema: z.ZodType | null;
  /** Returns a result, a promise of it, or a stream of pieces that ends with it. A tool without this function is remote. */
  run?: ((args: JsonObject, call: ToolCall) => unknown) | undefined;
  /** Milliseconds that a call may take; `Infinity` sets no limit. */
  timeoutMs: number;
  /** Milliseconds that a remote call waits for its result. */
  deadlineMs: number;
}

/** Creates the runner. */
export function functionTool(
  { name, description, schema, run, timeoutMs, deadlineMs }: FunctionTool,
  clock: Clock = systemClock,
): ToolRunner {
  return {
    ...runnerDefaults,
    ...(run === undefined ? { nested: remoteCall(name, deadlineMs, clock) } : {}),
    spec: { name, description, parameters: argumentsJsonSchema(schema) as JsonObject },
    remote: run === undefined,
    timeoutMs,
    check: (args) => checkArguments(schema, args),
    run: (args, call) => toolOutput((output) => run?.(args, output), call, { faults: noFaults }),
  };
}
