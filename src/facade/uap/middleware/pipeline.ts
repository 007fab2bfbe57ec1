// Runs an execution inside its middleware: `before` in order, then the execution, then `after` in reverse order. An error is
// passed to `onError` of each middleware, the innermost first, until one returns a result. A stream runs the same pipeline: `before` is
// called before its first event, `after` and `onError` after its last one, and its result is the one that they return.

import { errorMessage } from "#core/cut-text.ts";

import { refusal } from "../../upp/upp-error.ts";
import type { GenerateResult, Middleware, MiddlewareContext } from "../agent-contract.ts";

/** Executes the agent with the input and the state of the context. */
type Execute = (context: MiddlewareContext) => Promise<GenerateResult>;

/**
 * Runs the pipeline. `onError` of a middleware receives the errors of the execution and of later middleware, but not those of its own
 * functions. If it returns a result, the pipeline continues with the `after` of the middleware before it. If a `before` returned another
 * context, all functions that are called later receive this context, also those of middleware before it.
 */
export async function throughMiddleware(
  middleware: readonly Middleware[],
  first: MiddlewareContext,
  execute: Execute,
): Promise<GenerateResult> {
  let context = first;
  const runFrom = async (index: number): Promise<GenerateResult> => {
    const entry = middleware[index];
    if (entry === undefined) return execute(context);
    context = nextContext(context, await entry.before?.(context), nameOf(entry, index));
    let result: GenerateResult;
    try {
      result = await runFrom(index + 1);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(errorMessage(thrown), { cause: thrown });
      const replacement: unknown = (await entry.onError?.(context, error)) ?? undefined;
      if (replacement === undefined) throw thrown;
      return checkedResult(replacement, `onError of ${nameOf(entry, index)}`);
    }
    const changed: unknown = await entry.after?.(context, result);
    return changed === undefined ? result : checkedResult(changed, `after of ${nameOf(entry, index)}`);
  };
  return runFrom(0);
}

/** The name in an error. In a JavaScript program, a middleware may have no name. */
function nameOf({ name }: Partial<Middleware>, index: number): string {
  return name === undefined ? `middleware ${index + 1}` : `the middleware "${name}"`;
}

/** Returns the context that `before` returned, or the same context if it returned none. */
function nextContext(context: MiddlewareContext, returned: unknown, name: string): MiddlewareContext {
  if (returned === undefined) return context;
  const next = returned as Partial<MiddlewareContext> | null;
  const isComplete =
    typeof next?.input === "object" && typeof next.state === "object" && typeof next.metadata === "object";
  if (!isComplete) {
    throw refusal(`before of ${name} returned no context. Return the context, { ...context, state }, or nothing.`);
  }
  if (next.agent !== context.agent) {
    throw refusal(`before of ${name} replaced the agent. It can replace the input, the state and the metadata.`);
  }
  return next as MiddlewareContext;
}

function checkedResult(returned: unknown, place: string): GenerateResult {
  const { turn, state } = (returned ?? {}) as Partial<GenerateResult>;
  if (typeof turn === "object" && typeof state === "object") return returned as GenerateResult;
  throw refusal(`${place} returned no result. Return { turn, state } or nothing.`);
}
