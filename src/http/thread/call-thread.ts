// Calls to a thread's object. A fresh stub for every try, because a stub stays broken after its object was reset; a second
// try where the call may be repeated and the object is not overloaded (architecture §3).

import { ThreadholdError } from "#contract/error.ts";
import type { Result, ThreadDirectory, ThreadStub } from "#core/thread-rpc.ts";

/** One call. */
interface ThreadCall<T> {
  threadId: string;
  /** Running it twice does no more than running it once: it reads, sets, or carries a key. */
  repeatable: boolean;
  run: (stub: ThreadStub) => Promise<Result<T>>;
}

/** Runs calls; throws the refusal where the object refuses. */
export type CallThread = <T>(call: ThreadCall<T>) => Promise<T>;

/** Calls over a directory. */
export function createCallThread(threads: ThreadDirectory): CallThread {
  return async ({ threadId, repeatable, run }) => {
    const answer = await withStub(threads, { threadId, repeatable, run });
    if (!answer.ok) throw new ThreadholdError(answer.refusal);
    return answer.value;
  };
}

/** Something done with a thread's stub. */
export interface StubUse<T> {
  threadId: string;
  repeatable: boolean;
  run: (stub: ThreadStub) => Promise<T>;
}

/** The outcome of the first or the second try. Throws `unavailable` when the object was reset or overloaded. */
export async function withStub<T>(threads: ThreadDirectory, { threadId, repeatable, run }: StubUse<T>): Promise<T> {
  return tryTwice(() => run(threads(threadId)), { what: "thread", repeatable });
}

/** The same for any object: `run` takes a fresh stub each time. */
export async function tryTwice<T>(
  run: () => Promise<T>,
  { what, repeatable }: { what: "thread" | "feed"; repeatable: boolean },
): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (!repeatable || has(thrown, "overloaded")) throw translated(thrown, what);
  }
  try {
    return await run();
  } catch (thrown) {
    throw translated(thrown, what);
  }
}

function translated(thrown: unknown, what: string): unknown {
  const passing = has(thrown, "overloaded") || has(thrown, "retryable") || has(thrown, "durableObjectReset");
  if (!passing) return thrown;
  const message = `The ${what} is out of reach for the moment.`;
  return new ThreadholdError({ code: "unavailable", message, retry_after_ms: 1000 }, { cause: thrown });
}

/** Marks the platform puts on what it throws for an object. */
function has(thrown: unknown, mark: "overloaded" | "retryable" | "durableObjectReset"): boolean {
  return typeof thrown === "object" && thrown !== null && Reflect.get(thrown, mark) === true;
}
