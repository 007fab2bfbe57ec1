// Runs an execution through the middleware of its agent.

import type { GenerateResult, Middleware, MiddlewareContext } from "../agent-contract.ts";

/**
 * Calls `before` in order, the execution, then `after` in the reverse order. After an error, each `onError` is called in the reverse order
 * until one returns a result. A middleware takes part once its `before` was called.
 */
export async function throughMiddleware(
  middleware: readonly Middleware[],
  context: MiddlewareContext,
  execute: (context: MiddlewareContext) => Promise<GenerateResult>,
): Promise<GenerateResult> {
  const [first, ...others] = middleware;
  if (first === undefined) return execute(context);
  let current = context;
  try {
    current = (await first.before?.(context)) ?? context;
    const result = await throughMiddleware(others, current, execute);
    return (await first.after?.(current, result)) ?? result;
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const result = await first.onError?.(current, error);
    if (result != null) return result;
    throw thrown;
  }
}
