// Reads what the function of a session's tool returns: a promise of its output, or an iterable of events (agent API rework plan,
// "`execute` can return `Promise` or `AsyncIterable`"). The error for any other value names these two shapes.

import { isObject } from "#lib/json-value.ts";
import type { ToolStreamPart } from "#spec/index.ts";

const shape =
  "execute returns a promise of { output: string, details? }, or an iterable of " +
  '{ type: "delta", delta: string } that ends with { type: "complete", output: string, details? }.';

/** Calls the function and yields its events. Throws an error that names the right shape for a value of another shape. */
export async function* readExecution(name: string, execute: () => unknown): AsyncGenerator<ToolStreamPart> {
  const returned = await execute();
  if (!isIterable(returned)) {
    yield { ...outputOf(returned, `The tool "${name}" returned no output`), type: "complete" };
    return;
  }
  for await (const event of returned) {
    if (!isObject(event)) throw new Error(`The tool "${name}" yielded no event. ${shape}`);
    if (event["type"] === "delta" && typeof event["delta"] === "string") {
      yield { type: "delta", delta: event["delta"] };
      continue;
    }
    if (event["type"] !== "complete") throw new Error(`The tool "${name}" yielded no event. ${shape}`);
    yield { ...outputOf(event, `The event "complete" of the tool "${name}" has no output`), type: "complete" };
    return;
  }
  throw new Error(`The tool "${name}" ended without an output. ${shape}`);
}

function outputOf(value: unknown, problem: string): { output: unknown; details?: unknown } {
  if (!isObject(value) || value["output"] === undefined) throw new Error(`${problem}. ${shape}`);
  return { output: value["output"], details: value["details"] };
}

function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  return typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}
