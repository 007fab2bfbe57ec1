// Converts the output of a tool's function to a sequence of pieces for the loop: progress, then the result. The function returns a promise
// or a stream.

import { jsonSchema } from "#contract/json.ts";
import { isObject } from "#lib/json-value.ts";
import { losslessJson } from "#lib/lossless-json.ts";
import { redactedError } from "#lib/redacted-texts.ts";
import type { ToolCall, ToolStreamPart } from "#spec/index.ts";

import type { Faults } from "../ports/faults.ts";
import type { CallContext, ToolPiece } from "../ports/tool-port.ts";
import type { ToolAnswer } from "../record/awaited.ts";
import { errorResult } from "./error-results.ts";

/** Milliseconds that a call of a tool may take if its definition sets no time. */
export const defaultTimeoutMs = 120_000;

interface OutputOptions {
  faults: Faults;
  /** Removes secrets from the error that the function throws. Default: the error stays as it is. */
  redact?: ((text: string) => string) | undefined;
  /** Called when the function has ended, or its stream is closed. */
  onEnd?: () => void;
  /** Converts a returned value that is not a stream, or the value at the end of a generator, to a result. Default: it is a result. */
  toResult?: (returned: unknown) => ToolAnswer;
}

/**
 * Calls a tool's function and yields its pieces in order. Contract: rejects with what the function throws; closes a stream that is not
 * read to its end.
 */
export async function* toolOutput(
  work: (call: ToolCall) => unknown,
  context: CallContext,
  { faults, redact, onEnd = () => {}, toResult = (returned) => returned as ToolAnswer }: OutputOptions,
): AsyncGenerator<ToolPiece> {
  // Progress that the function reports by its callback, until the consumer reads it.
  const reported: ToolPiece[] = [];
  let wake = () => {};
  const { executions: _, ...ownCall } = context;
  const call = {
    ...ownCall,
    progress: (update: unknown) => {
      reported.push(progressPiece(update));
      wake();
    },
  };
  try {
    const output = work(call);
    if (isStream(output)) {
      await faults.at("tool.stream");
      yield* readStream(output, { reported, faults, toResult });
      return;
    }
    let done = false;
    const finished = Promise.resolve(output).finally(() => {
      done = true;
      wake();
    });
    // The await below handles the rejection. Without this line it would be reported as unhandled while progress is read.
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
    yield { type: "result", result: toResult(await finished) };
  } catch (thrown) {
    throw redact === undefined ? thrown : redactedError(thrown, redact);
  } finally {
    onEnd();
  }
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
  { reported, faults, toResult }: { reported: ToolPiece[] } & Required<Pick<OutputOptions, "faults" | "toResult">>,
): AsyncGenerator<ToolPiece> {
  const parts = stream[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      await faults.at("tool.next");
      const next = await parts.next();
      for (const piece of reported.splice(0)) yield piece;
      ended = next.done === true;
      const { value } = next;
      const piece =
        value === undefined
          ? null
          : ended && !isPart(value)
            ? ({ type: "result", result: toResult(value) } as const)
            : streamPiece(value);
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

/** Whether a value at the end of a generator is the last part of its stream. */
function isPart(value: unknown): boolean {
  return isObject(value) && (value["type"] === undefined ? "status" in value : partTypes.has(value["type"]));
}

const partTypes = new Set<unknown>(["delta", "progress", "complete"] satisfies ToolPart["type"][]);

type ToolPart = Extract<ToolStreamPart, { type: string }>;

/** `part` has the type of a part, but a project's function may yield anything. */
function streamPiece(part: ToolStreamPart): ToolPiece {
  if (!isObject(part)) return noPart;
  if (!("type" in part)) return { type: "result", result: part as ToolAnswer };
  switch (part.type) {
    case "delta":
      return { type: "delta", delta: String(part.delta) };
    case "progress":
      return progressPiece(part.data);
    case "complete": {
      const { output, details } = part;
      const result = typeof output === "string" ? output : (losslessJson(output) ?? "");
      const answer = { status: "success" as const, result, ...(typeof output === "string" ? {} : { value: output }) };
      const json = jsonSchema.safeParse(details);
      const extra = details === undefined || !json.success ? {} : { details: json.data };
      return { type: "result", result: { ...answer, ...extra } };
    }
    default:
      return noPart;
  }
}

function errorPiece(error: string): ToolPiece {
  return { type: "result", result: errorResult(error) };
}

const noPart = errorPiece(
  "The tool yielded a value that is neither a delta nor progress nor a result. " +
    'Yield {type: "delta", delta: string}, {type: "progress", data}, or at the end {type: "complete", output}.',
);
