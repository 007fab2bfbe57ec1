// Runs an execution inside its middleware: `before` in order, then the execution, then `after` in reverse order. An error is
// passed to `onError` of each middleware, the innermost first, until one returns a result. A stream runs the same pipeline: `before` is
// called before its first event, `after` and `onError` after its last one, and its result is the one that they return.

import { errorMessage } from "#lib/cut-text.ts";
import { fieldsOf, isObject } from "#lib/json-value.ts";

import { refusal } from "../../upp/upp-error.ts";
import type { GenerateResult, Middleware, MiddlewareContext } from "../agent-contract.ts";
import { abortable, abortableOnError, checkedResult, isState, withCause } from "../execution-checks.ts";
import type { ReachedState } from "../partial-state.ts";

/** The execution that the middleware surrounds. */
interface Surrounded {
  /** Executes the agent with the input and the state of the context. */
  execute: (context: MiddlewareContext) => Promise<GenerateResult>;
  /** The state of the execution, which is kept for each error. A middleware may replace the result, and so the state. */
  reached: ReachedState;
  /** Its abort ends the wait for a function of a middleware. */
  signal: AbortSignal | undefined;
}

/**
 * Runs the pipeline. `onError` of a middleware receives the errors of the execution and of later middleware, but not those of its own
 * functions. If it returns a result, the pipeline continues with the `after` of the middleware before it. If a `before` returned another
 * context, all functions that are called later receive this context, also those of middleware before it.
 */
export async function throughMiddleware(
  middleware: readonly Middleware[],
  first: MiddlewareContext,
  { execute, reached, signal }: Surrounded,
): Promise<GenerateResult> {
  let context = first;
  /** Checks a result that a middleware returned, and keeps its state. */
  const replaced = (returned: unknown, place: string): GenerateResult => {
    const result = checkedResult(returned, place, { isOptional: true });
    reached.state = result.state;
    return result;
  };
  const runFrom = async (index: number): Promise<GenerateResult> => {
    const entry = middleware[index];
    if (entry === undefined) return execute(context);
    context = nextContext(context, await abortable(entry.before?.(context), signal), nameOf(entry, index));
    let result: GenerateResult;
    try {
      result = await runFrom(index + 1);
    } catch (thrown) {
      reached.keepFor(thrown);
      const error = thrown instanceof Error ? thrown : new Error(errorMessage(thrown), { cause: thrown });
      const replacement: unknown = (await abortableOnError(() => entry.onError?.(context, error), signal)) ?? undefined;
      if (replacement === undefined) throw thrown;
      return withCause(thrown, () => replaced(replacement, `onError of ${nameOf(entry, index)}`));
    }
    const changed: unknown = (await abortable(entry.after?.(context, result), signal)) ?? undefined;
    return changed === undefined ? result : replaced(changed, `after of ${nameOf(entry, index)}`);
  };
  try {
    return await runFrom(0);
  } catch (thrown) {
    reached.keepFor(thrown);
    throw thrown;
  }
}

/** The name in an error. In a JavaScript program, a middleware may have no name. */
function nameOf({ name }: Partial<Middleware>, index: number): string {
  return name === undefined ? `middleware ${index + 1}` : `the middleware "${name}"`;
}

/** Returns the context that `before` returned, or the same context if it returned none. */
function nextContext(context: MiddlewareContext, returned: unknown, name: string): MiddlewareContext {
  if (returned === undefined || returned === null) return context;
  const { agent, input, state, metadata } = fieldsOf(returned);
  if (!isObject(input) || !isState(state) || !isObject(metadata)) {
    throw refusal(
      `before of ${name} returned no context. Return the context, { ...context, state }, with an AgentState, or nothing.`,
    );
  }
  if (agent !== context.agent) {
    throw refusal(`before of ${name} replaced the agent. It can replace the input, the state and the metadata.`);
  }
  return returned as MiddlewareContext;
}
