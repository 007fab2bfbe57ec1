// Calls a thread's object. Each attempt uses a new stub, because a stub stays broken after its object was reset. A second attempt is made
// if the call may be repeated and the object is not overloaded (architecture §3).

import { ThreadholdError } from "#contract/error.ts";
import type { Result, ThreadDirectory, ThreadStub } from "#core/rpc/thread-rpc.ts";

/** A call to the object of a thread. */
interface ThreadCall<T> {
  threadId: string;
  /** Whether a repeated call has the same effect as one call, because it only reads, only sets values, or has an idempotency key. */
  repeatable: boolean;
  run: (stub: ThreadStub) => Promise<Result<T>>;
}

/** Makes a call and returns its value. If the object refuses, throws the refusal. */
export type CallThread = <T>(call: ThreadCall<T>) => Promise<T>;

/** Creates the function for the threads of a directory. */
export function createCallThread(threads: ThreadDirectory): CallThread {
  return async ({ threadId, repeatable, run }) => {
    const answer = await withStub(threads, { threadId, repeatable, run });
    if (!answer.ok) throw new ThreadholdError(answer.refusal);
    return answer.value;
  };
}

/** Work with the stub of a thread's object. */
export interface StubUse<T> {
  threadId: string;
  repeatable: boolean;
  run: (stub: ThreadStub) => Promise<T>;
}

/** Returns the result of the first or the second attempt. Throws `unavailable` if the object was reset or is overloaded. */
export async function withStub<T>(threads: ThreadDirectory, { threadId, repeatable, run }: StubUse<T>): Promise<T> {
  return tryTwice(() => run(threads(threadId)), { what: "thread", repeatable });
}

/** Makes one or two attempts to call an object of any kind. `run` creates a new stub at each call. */
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

/** Whether an error that the platform threw has this mark. */
function has(thrown: unknown, mark: "overloaded" | "retryable" | "durableObjectReset"): boolean {
  return typeof thrown === "object" && thrown !== null && Reflect.get(thrown, mark) === true;
}
