// Calls one hook of the project within a time limit, and reads what it returned. A hook cannot fail a run (decision 14: hooks): if it
// throws, times out or returns an invalid value, the problem is logged, and the caller uses the original value.

import type { Clock } from "#core/ports/clock.ts";
import { cutText, errorMessage } from "#lib/cut-text.ts";
import { isObject } from "#lib/json-value.ts";
import { waitWithin } from "#lib/time-limit.ts";
import type { AllHookSignatures, AnyHookName, Registry, ThreadState } from "#spec/index.ts";

/** How long a hook may take, in milliseconds. */
const hookLimitMs = 30_000;

/** The maximum number of bytes of JSON of a problem's message, and of its stack. A row stores both. */
const problemLimit = 4096;

/** A problem with a hook, for the log. */
export interface HookProblem {
  hook: string;
  file: string;
  problem: string;
  stack?: string | undefined;
}

/** The dependencies of the caller. `report` is called for each problem. */
export interface HookCallerOptions {
  hooks: Registry["hooks"];
  state: () => ThreadState;
  clock: Clock;
  /** Removes secrets from problems before they are cut. Default: they stay as they are. */
  redact?: (text: string) => string;
  report: (problem: HookProblem) => void;
}

/** The arguments of a hook that follow its first argument, the thread's state. */
export type HookArguments<K extends AnyHookName> =
  Parameters<AllHookSignatures[K]> extends [unknown, ...infer Rest] ? Rest : never;

/** An object that a hook returned, whose fields are not checked. */
export type Fields = Record<string, unknown>;

/** The registry entry of a hook file. */
export type HookFile<K extends AnyHookName> = Omit<Registry["hooks"][number], "hook"> & { hook: K };

/** A loaded hook that is called synchronously. */
export type SynchronousHook<K extends AnyHookName> = (...args: HookArguments<K>) => unknown;

/** Calls the hooks of one project. */
export class HookCaller {
  readonly #options: HookCallerOptions;
  /** Problems that are already logged. Hooks that run before every step or for every update would repeat them. */
  readonly #reported = new Set<string>();

  constructor(options: HookCallerOptions) {
    this.#options = options;
  }

  /** The files of a hook, in the order in which they run. */
  files<K extends AnyHookName>(hook: K): HookFile<K>[] {
    return this.#options.hooks.filter((file) => file.hook === hook).map((file) => ({ ...file, hook }));
  }

  /** Whether the project has this hook. */
  has(hook: AnyHookName): boolean {
    return this.#options.hooks.some((file) => file.hook === hook);
  }

  /** Calls a hook. If the hook fails, logs the problem and returns undefined. */
  async call<K extends AnyHookName>(file: HookFile<K>, args: HookArguments<K>): Promise<unknown> {
    const { state } = this.#options;
    return this.#within(file, async () => {
      const hook = (await file.load()) as (state: ThreadState, ...rest: unknown[]) => unknown;
      return hook(state(), ...(args as unknown[]));
    });
  }

  /** Calls a hook and returns its object; null if it returned none. An invalid value is logged and counts as none. */
  async callForObject<K extends AnyHookName>(file: HookFile<K>, args: HookArguments<K>): Promise<Fields | null> {
    const answer = await this.call(file, args);
    if (answer === undefined || answer === null) return null;
    if (isObject(answer)) return answer;
    this.report(file, "returned a value that is not an object; the original was used");
    return null;
  }

  /** Calls a hook and returns its list of messages; null if it returned none. An invalid value is logged and counts as none. */
  async callForMessages<K extends AnyHookName>(file: HookFile<K>, args: HookArguments<K>): Promise<Fields[] | null> {
    const answer = await this.call(file, args);
    if (answer === undefined || answer === null) return null;
    if (
      Array.isArray(answer) &&
      answer.every(isMessage) &&
      // Functions and circular values are refused, because messages are compared and stored as JSON.
      this.readOrReport(file, () => JSON.stringify(structuredClone(answer))) !== null
    ) {
      return answer;
    }
    this.report(file, "returned a value that is not a list of messages; the original was used");
    return null;
  }

  /** Calls the files of a hook that may forbid an action, until one returns false. Returns true if none did. */
  async permits<K extends AnyHookName>(hook: K, ...args: HookArguments<K>): Promise<boolean> {
    for (const file of this.files(hook)) {
      const answer = await this.call(file, structuredClone(args));
      if (answer === false) return false;
      if (answer !== undefined && answer !== null && answer !== true) {
        this.report(file, "returned a value other than true and false, which was ignored");
      }
    }
    return true;
  }

  /** Calls the files of a hook that returns nothing. */
  async notify<K extends AnyHookName>(hook: K, ...args: HookArguments<K>): Promise<void> {
    for (const file of this.files(hook)) await this.call(file, structuredClone(args));
  }

  /** Loads the files of a synchronous hook. A file that cannot be loaded is logged and left out. */
  async loadSynchronous<K extends AnyHookName>(hook: K): Promise<SynchronousHook<K>[]> {
    const loaded: SynchronousHook<K>[] = [];
    for (const file of this.files(hook)) {
      const work = (await this.#within(file, () => file.load())) as SynchronousWork | undefined;
      if (work !== undefined) loaded.push((...args) => this.#callNow(file, work, args));
    }
    return loaded;
  }

  /** Calls `read` for a hook's result. If it throws, because of a circular value or a getter, logs the error and returns null. */
  readOrReport<T>(file: HookFile<AnyHookName>, read: () => T): T | null {
    try {
      return read();
    } catch (thrown) {
      this.report(file, `returned a value that cannot be read: ${errorMessage(thrown)}`);
      return null;
    }
  }

  reportRefusedOnce(file: HookFile<AnyHookName>, refused: string[]): void {
    if (refused.length > 0) this.#reportOnce(file, refusal(refused));
  }

  reportRefused(file: HookFile<AnyHookName>, refused: string[]): void {
    if (refused.length > 0) this.report(file, refusal(refused));
  }

  #reportOnce(file: HookFile<AnyHookName>, problem: string): void {
    const key = JSON.stringify([file.file, problem]);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.report(file, problem);
  }

  report({ hook, file }: HookFile<AnyHookName>, problem: string, stack?: unknown): void {
    const { redact = (text) => text } = this.#options;
    this.#options.report({
      hook,
      file,
      problem: cutText(redact(problem), problemLimit),
      ...(typeof stack === "string" ? { stack: cutText(redact(stack), problemLimit) } : {}),
    });
  }

  /** Calls a synchronous hook. A promise is no valid result, because nothing waits for it. */
  #callNow(file: HookFile<AnyHookName>, work: SynchronousWork, args: unknown[]): unknown {
    try {
      const answer = work(this.#options.state(), ...args);
      if (!(answer instanceof Promise)) return answer;
      answer.catch((thrown: unknown) => this.#reportThrownOnce(file, thrown));
      this.#reportOnce(file, "returned a promise, which has no effect: hooks of updates are synchronous");
    } catch (thrown) {
      this.#reportThrownOnce(file, thrown);
    }
    return undefined;
  }

  async #within(file: HookFile<AnyHookName>, work: () => Promise<unknown>): Promise<unknown> {
    try {
      return await waitWithin(work, {
        timers: this.#options.clock,
        milliseconds: hookLimitMs,
        onTimeout: () => {
          throw new Error(`did not finish within ${hookLimitMs / 1000} s`);
        },
      });
    } catch (thrown) {
      this.#reportThrown(file, thrown);
      return undefined;
    }
  }

  /** Reports only the first failure of a synchronous hook: it is called for each update of a tool, and each report is a row. */
  #reportThrownOnce(file: HookFile<AnyHookName>, thrown: unknown): void {
    const key = JSON.stringify([file.hook, file.file, "threw"]);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#reportThrown(file, thrown);
  }

  #reportThrown(file: HookFile<AnyHookName>, thrown: unknown): void {
    this.report(file, errorMessage(thrown), thrown instanceof Error ? thrown.stack : undefined);
  }
}

const refusal = (fields: string[]): string => `cannot change ${fields.join(", ")}; the change was dropped`;

type SynchronousWork = (state: ThreadState, ...rest: unknown[]) => unknown;

/** Whether a value is a message. `content` may be null, and may be missing in a message with calls. */
function isMessage(value: unknown): value is Fields {
  if (!isObject(value) || typeof value["role"] !== "string") return false;
  const { content } = value;
  if (content === undefined) return value["tool_calls"] != null;
  return content === null || typeof content === "string";
}
