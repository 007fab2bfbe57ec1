// The scripts of the tested threads. A thread and its child threads share one script. Scripts are kept in the memory of the isolate, so
// they outlive the objects of their threads. Only threads that a test started, and their child threads, have a script.

import { deferred } from "#lib/deferred.ts";
import { untilAborted } from "#models/read-stream.ts";
import type { TestScript } from "#spec/index.ts";

import type { Answer, AnswerList, Answers, RecordedRequest } from "./scripted-answer.ts";
import type { ScriptedFetch, Sources, SourceTools } from "./scripted-source.ts";

/** An error that fails the turn. */
interface Fault {
  message: string;
  /** What a function of the test threw. */
  cause: unknown;
}

/** What a script has besides the answers of models. */
export interface ScriptParts {
  /** What replaces values of the Worker's environment, by name. */
  env?: Readonly<Record<string, unknown>> | undefined;
  /** The tools of MCP servers and OpenAPI documents, by the names of their definitions. */
  sources?: Sources | undefined;
  /** Answers the requests of tools, hooks and other code of the project. */
  fetch?: ScriptedFetch | undefined;
}

/** The answers of a tested thread, the requests for them, and the threads that share them. */
export class Script {
  readonly requests: RecordedRequest[] = [];
  readonly env: NonNullable<ScriptParts["env"]>;
  readonly sources: Sources;
  readonly fetch: ScriptedFetch | undefined;
  /** Errors that the objects of these threads logged. */
  readonly log: string[] = [];
  /** The child threads, in the order of their start. */
  readonly children: { id: string; parent: string }[] = [];
  readonly #answers: Answers | undefined;
  readonly #given = new Map<string, number>();
  #faults: Fault[] = [];
  /** What the thread waits for, such as a function of the test. */
  readonly #work = new Set<{ label: string }>();
  /** By thread, the functions that end its held answers. They are called inside the thread's object, which waits for them. */
  readonly #held = new Map<string, Set<() => void>>();

  constructor(answers: Answers | undefined, { env = {}, sources = {}, fetch }: ScriptParts = {}) {
    this.#answers = answers;
    this.env = env;
    this.sources = sources;
    this.fetch = fetch;
  }

  /** The scripted tools of a source; undefined if the source has no script. */
  toolsOf(source: string): SourceTools | undefined {
    return Object.hasOwn(this.sources, source) ? this.sources[source] : undefined;
  }

  /** What the thread waits for now. */
  get inProgress(): string[] {
    return [...this.#work].map(({ label }) => label);
  }

  /**
   * Waits for work, and names it in errors until it ends. An error of the work is passed on: it is the failure of a tool or of a request. If
   * it is a failed assertion, it also fails the turn.
   */
  async during<T>(label: string, work: () => T | Promise<T>): Promise<T> {
    try {
      return await this.#track(label, work);
    } catch (thrown) {
      if (thrown instanceof Error && thrown.name === "AssertionError")
        this.fail(`An assertion failed in ${label}: ${thrown.message}`, thrown);
      throw thrown;
    }
  }

  async #track<T>(label: string, work: () => T | Promise<T>): Promise<T> {
    const entry = { label };
    this.#work.add(entry);
    try {
      return await work();
    } finally {
      this.#work.delete(entry);
    }
  }

  /** The response of the script's function to a request; undefined if it has none. */
  answerFetch(fetch: ScriptedFetch, request: Request): Promise<Response | undefined> {
    const { origin, pathname } = new URL(request.url);
    const label = `the scripted response to ${request.method} ${origin}${pathname}`;
    return untilAborted(
      this.during(label, () => fetch(request)),
      request.signal,
    );
  }

  /** The number of answers that are held. */
  get heldCount(): number {
    return [...this.#held.values()].reduce((sum, held) => sum + held.size, 0);
  }

  /** The threads whose answers are held. */
  get heldThreads(): string[] {
    return [...this.#held.keys()];
  }

  /**
   * Returns the answer to a request. A request without an answer is an error of the test. Without `answers`, the script of the model's
   * definition (`own`) answers.
   */
  async answer(request: RecordedRequest, own: TestScript | undefined): Promise<Answer> {
    this.requests.push(request);
    const answers = this.#answers;
    if (answers === undefined) return this.#ownAnswer(request, own);
    const isForAll = typeof answers === "function" || isList(answers);
    const list = isForAll ? answers : answers[request.prompt];
    if (typeof list === "function") return this.#computed(request, list);
    const key = isForAll ? "" : request.prompt;
    const at = this.#given.get(key) ?? 0;
    this.#given.set(key, at + 1);
    if (list === undefined) return this.#missing(request, "`answers` has none for this prompt");
    return (
      list[at] ?? this.#missing(request, `\`answers\`${isForAll ? "" : " for this prompt"} has only ${String(at)}`)
    );
  }

  /** Registers an error of the test or of the transcript. It fails the turn, because the run may continue, for example with a fallback. */
  fail(message: string, cause?: unknown): void {
    if (this.#faults.every((fault) => fault.message !== message)) this.#faults.push({ message, cause });
  }

  /** Throws an error with what `fail` registered since the last call, and with the text, if there is one. */
  throwFaults(text?: string): void {
    const faults = this.#faults;
    this.#faults = [];
    const messages = [...faults.map(({ message }) => message), ...(text === undefined ? [] : [text])];
    if (messages.length === 0) return;
    const cause = faults.find((fault) => fault.cause !== undefined)?.cause;
    throw new Error(messages.join("\n"), cause === undefined ? {} : { cause });
  }

  /** Throws an error that names the listed answers that no request has used. Answers that a function computes are not checked. */
  throwUnused(): void {
    const answers = this.#answers;
    if (answers === undefined || typeof answers === "function") return;
    const lists = isList(answers) ? [["", answers] as const] : Object.entries(answers);
    const unused = lists.flatMap(([prompt, list]) => {
      if (typeof list === "function") return [];
      const used = Math.min(this.#given.get(prompt) ?? 0, list.length);
      const next = list[used];
      if (next === undefined) return [];
      const place = prompt === "" ? "" : ` for the prompt "${prompt}"`;
      const count = `${String(list.length - used)} of ${String(list.length)} answers${place} are unused`;
      return `${count}; the first one is ${JSON.stringify(next).slice(0, 200)}.`;
    });
    if (unused.length === 0) return;
    throw new Error(
      `${unused.join("\n")}\nRemove them from \`answers\`, or start the thread with \`allowUnusedAnswers: true\`.`,
    );
  }

  /** Holds an answer of a thread until `release` is called in the thread's object, or until the signal of its request is aborted. */
  async hold(threadId: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = deferred<undefined>();
    const end = (): void => resolve(undefined);
    const held = this.#held.get(threadId) ?? new Set();
    this.#held.set(threadId, held.add(end));
    try {
      await untilAborted(promise, signal);
    } finally {
      held.delete(end);
      if (held.size === 0 && this.#held.get(threadId) === held) this.#held.delete(threadId);
    }
  }

  /** Ends the held answers of a thread. */
  release(threadId: string): void {
    for (const end of this.#held.get(threadId) ?? []) end();
    this.#held.delete(threadId);
  }

  /** Removes the held answers of a thread whose object is gone. */
  drop(threadId: string): void {
    this.#held.delete(threadId);
  }

  async #computed(request: RecordedRequest, answers: Exclude<AnswerList, readonly Answer[]>): Promise<Answer> {
    try {
      // A function without types can return nothing.
      const label = `the function of \`answers\` for request ${this.#nameOf(request)}`;
      const answer: unknown = await this.#track(label, () => answers(request));
      if (typeof answer === "object" && answer !== null) return answer;
    } catch (thrown) {
      const message = `The function of \`answers\` threw at request ${this.#nameOf(request)}: ${causeText(thrown)}`;
      this.fail(message, thrown);
      return { error: { kind: "api", message } };
    }
    return this.#missing(request, "the function of `answers` returned none");
  }

  async #ownAnswer(request: RecordedRequest, own: TestScript | undefined): Promise<Answer> {
    if (typeof own === "function") return own(request);
    if (own === undefined) return this.#missing(request, "the thread was started without `answers`");
    // The position follows from the request, as in a deployment.
    const position = request.messages.filter(({ role }) => role === "assistant").length;
    return own[position] ?? this.#missing(request, `the model's own script has only ${String(own.length)}`);
  }

  #missing(request: RecordedRequest, why: string): Answer {
    const last = request.messages.at(-1);
    const message =
      `There is no answer for request ${this.#nameOf(request)}: ${why}. ` +
      `The request ends with the ${last?.role ?? "system"} message: ${JSON.stringify((last?.content ?? "").slice(0, 200))}.`;
    this.fail(message);
    return { error: { kind: "api", message } };
  }

  #nameOf(request: RecordedRequest): string {
    const { prompt, model } = request;
    return `${String(this.requests.indexOf(request) + 1)}, of the prompt "${prompt}" to the model "${model}"`;
  }
}

const scripts = new Map<string, Script>();

/** Registers the script of a thread. */
export function putScript(threadId: string, script: Script): void {
  scripts.set(threadId, script);
}

/** The script of a thread; undefined for a thread that no test started. */
export function scriptOf(threadId: string): Script | undefined {
  return scripts.get(threadId);
}

/**
 * Gives a called thread the script of the calling thread, if it has none. A parent thread calls its child before the child calls the
 * parent.
 */
export function shareScript(caller: string, called: string): void {
  const script = scripts.get(caller);
  if (script === undefined || scripts.has(called)) return;
  scripts.set(called, script);
  script.children.push({ id: called, parent: caller });
}

function isList(answers: Answers): answers is readonly Answer[] {
  return Array.isArray(answers);
}

function causeText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
