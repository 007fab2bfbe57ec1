// A promise that code of one context settles and code of another one waits for: an object, and the test next to it.
//
// The runtime resumes code that waits for a native promise in the context that created the promise. It loses that context when V8 has
// optimised the function that creates the promise. The waiting code then continues in the context that resolves the promise, and its
// next request or query fails with "Cannot perform I/O on behalf of a different Durable Object". A crossing never resumes code of
// another context: the code that waits for it looks at its value by a timer of its own context.

/** A promise and the function that resolves it, as `Promise.withResolvers` returns them. */
export interface Crossing<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
}

/** Milliseconds between two looks at the value. */
const interval = 1;

/** The number of times that `forgetCrossings` was called. */
let era = 0;

/** Ends the timers of all waits so far, which then never end. */
export function forgetCrossings(): void {
  era += 1;
}

/** Creates a promise that the test and its objects may resolve and wait for. */
export function crossing<T = void>(): Crossing<T> {
  let settled: { value: T } | null = null;
  const created = era;
  // Called by the code that waits, so that the native promise and the timer belong to its context.
  const wait = (): Promise<T> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (settled !== null) resolve(settled.value);
        else if (created === era) setTimeout(look, interval);
      };
      look();
    });
  return {
    promise: new PolledPromise(wait),
    resolve: (value) => {
      settled ??= { value };
    },
  };
}

/** Begins a wait of its own for each call that asks for the value. */
class PolledPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "PolledPromise";
  readonly #wait: () => Promise<T>;

  constructor(wait: () => Promise<T>) {
    this.#wait = wait;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- `await` calls this method in the context of the code that waits.
  then<Value = T, Caught = never>(
    onResolved?: ((value: T) => Value | PromiseLike<Value>) | null,
    onRejected?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Value | Caught> {
    return this.#wait().then(onResolved, onRejected);
  }

  catch<Caught = never>(onRejected?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null): Promise<T | Caught> {
    return this.#wait().catch(onRejected);
  }

  finally(onSettled?: (() => void) | null): Promise<T> {
    return this.#wait().finally(onSettled);
  }
}
