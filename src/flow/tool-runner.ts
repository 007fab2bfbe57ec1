// A project's tool as the loop runs it: arguments checked by its zod schema, its promise or stream read piece by piece.

import { jsonSchema } from "#contract/json.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ToolAnswer, ToolPiece, ToolRunner } from "#core/ports/tool-port.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import { readTool } from "#spec/index.ts";
import type { AnyToolDefinition, ThreadState, ToolParts, ToolStreamPart } from "#spec/index.ts";

import { checkArguments } from "./check-arguments.ts";
import { defaultDeadlineMs, remoteCall } from "./remote-call.ts";

/** Milliseconds a tool may take when its definition does not say. */
export const defaultTimeoutMs = 120_000;

/** What a tool runs in. */
export interface ToolSurroundings {
  /** What the tool's function is given. */
  state: ThreadState;
  faults: Faults;
  clock: Clock;
}

/** Makes a runner. */
export function toolRunner(name: string, definition: AnyToolDefinition, around: ToolSurroundings): ToolRunner {
  const tool = readTool(definition);
  const { options } = tool;
  return {
    ...(tool.run === undefined ? { nested: remoteCall(name, options.deadlineMs, around.clock) } : {}),
    ...approvalOf(tool, around),
    spec: {
      name,
      description: tool.description,
      parameters: argumentsJsonSchema(tool.schema) as JsonObject,
    },
    remote: tool.run === undefined,
    sequential: options.sequential ?? false,
    dependsOn: options.dependsOn ?? [],
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    idempotent: options.idempotent ?? false,
    check: (args) => checkArguments(tool.schema, args),
    run: (args, call) => run(tool, around, { args, call }),
    reconcile: reconcilerOf(tool, around),
  };
}

function approvalOf({ run, options }: ToolParts, { state, faults }: ToolSurroundings): Pick<ToolRunner, "approval"> {
  const { needsApproval = false } = options;
  if (run === undefined || needsApproval === false) return {};
  return {
    approval: {
      needed: async (args) => {
        if (needsApproval === true) return true;
        await faults.at("consent.rule");
        // Anything but a plain no asks.
        return (await needsApproval(args, state)) !== false;
      },
      editable: options.editableArguments ?? false,
      deadlineMs: options.deadlineMs ?? defaultDeadlineMs,
      timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    },
  };
}

function reconcilerOf({ options }: ToolParts, { state, faults }: ToolSurroundings): ToolRunner["reconcile"] {
  const { reconcile } = options;
  if (reconcile === undefined) return null;
  return async (callId, args) => {
    await faults.at("reconcile.ask");
    const known = await reconcile(callId, args, state);
    return known === "not_done" ? null : (known as ToolAnswer);
  };
}

async function* run(
  tool: ToolParts,
  { state, faults }: ToolSurroundings,
  work: { args: JsonObject; call: { id: string; attempt: number; signal: AbortSignal } },
): AsyncGenerator<ToolPiece> {
  // Progress reported by callback waits here for the consumer; a stream's own parts come in between.
  const reported: ToolPiece[] = [];
  let wake = () => {};
  const call = {
    ...work.call,
    progress: (update: unknown) => {
      reported.push(progressPiece(update));
      wake();
    },
  };
  const output = tool.run?.(state, work.args, call);
  if (output === undefined) return;
  if (isStream(output)) {
    await faults.at("tool.stream");
    yield* readStream(output, { reported, faults });
    return;
  }
  let done = false;
  const finished = Promise.resolve(output).finally(() => {
    done = true;
    wake();
  });
  // The rejection is taken by the await below; without this line it would count as unhandled while progress is read.
  finished.catch(() => {});
  while (!done) {
    for (const piece of reported.splice(0)) yield piece;
    await faults.at("tool.progress");
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (done || reported.length > 0) resolve();
    });
  }
  for (const piece of reported.splice(0)) yield piece;
  await faults.at("tool.finished");
  yield { type: "result", result: (await finished) as ToolAnswer };
}

function progressPiece(update: unknown): ToolPiece {
  if (typeof update === "string") return { type: "delta", delta: update };
  const json = jsonSchema.safeParse(update);
  return { type: "progress", data: json.success ? json.data : String(update) };
}

type Stream = AsyncIterable<ToolStreamPart, ToolStreamPart | void>;

function isStream(output: unknown): output is Stream {
  return typeof output === "object" && output !== null && Symbol.asyncIterator in output;
}

async function* readStream(
  stream: Stream,
  { reported, faults }: { reported: ToolPiece[]; faults: Faults },
): AsyncGenerator<ToolPiece> {
  const parts = stream[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      await faults.at("tool.next");
      const next = await parts.next();
      for (const piece of reported.splice(0)) yield piece;
      ended = next.done === true;
      const piece = next.value === undefined ? null : streamPiece(next.value);
      if (piece !== null) yield piece;
      if (ended || piece?.type === "result") return;
    }
  } finally {
    if (!ended) {
      await faults.at("tool.leave");
      await parts.return?.();
    }
  }
}

function streamPiece(part: ToolStreamPart): ToolPiece {
  if (!("type" in part)) return { type: "result", result: part as ToolAnswer };
  switch (part.type) {
    case "delta":
      return { type: "delta", delta: String(part.delta) };
    case "progress":
      return progressPiece(part.data);
    case "complete": {
      const { output, details } = part;
      const result = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
      const answer = { status: "success" as const, result };
      const json = jsonSchema.safeParse(details);
      const extra = details === undefined || !json.success ? {} : { details: json.data };
      return { type: "result", result: { ...answer, ...extra } };
    }
  }
}
