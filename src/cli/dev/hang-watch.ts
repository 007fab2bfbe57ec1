// Finds out that the Worker of a local server does not answer, and names the tool calls that run. A tool that computes without a pause, for
// example in an endless loop, stops the whole Worker, and the server itself would print nothing.
//
// The Worker writes a line each second for each tool call that runs. If these lines are missing, a health check is requested. A check alone
// would not be enough: wrangler keeps requests waiting while it builds. Missing lines alone neither: after a build, a new Worker runs.

import { setTimeout as delay } from "node:timers/promises";

import { anySignal } from "#lib/any-signal.ts";

import { readWorkerLine } from "./worker-line.ts";

/** The lines of the Worker about a tool's function (`src/thread/run/run-line.ts`). */
interface ToolLine {
  event: "tool_runs" | "tool_ended";
  thread_id: string;
  call_id: string;
  tool: string;
  file: string | null;
}

interface RunningCall extends ToolLine {
  /** When the last line of the call arrived, in milliseconds of `performance.now`. */
  seenAt: number;
}

interface WatchOptions {
  /** Requests the health check. Resolves when the Worker has answered, and rejects if it has not. */
  request: (signal: AbortSignal) => Promise<unknown>;
  print: (line: string) => void;
  /** How long the Worker may be silent. Default 5 s. */
  silentMs?: number;
}

/** The maximum length of an id, a name and a file in a line, and the maximum number of calls that are watched. */
const longestText = 1000;
const mostCalls = 1000;

/** The maximum number of calls that a printed line names. */
const mostNamed = 10;

/** Watches the Worker by the lines of its tool calls. */
export class HangWatch {
  readonly #calls = new Map<string, RunningCall>();
  readonly #request: WatchOptions["request"];
  readonly #print: WatchOptions["print"];
  readonly #silentMs: number;

  constructor({ request, print, silentMs = 5000 }: WatchOptions) {
    this.#request = request;
    this.#print = print;
    this.#silentMs = silentMs;
  }

  /** Reads a line of the Worker's log. Returns whether the line is about a running tool call, and is not printed. */
  read(line: string): boolean {
    const found = readToolLine(line);
    if (found === null) return false;
    const key = `${found.thread_id} ${found.call_id}`;
    if (found.event === "tool_ended") this.#calls.delete(key);
    else if (this.#calls.size < mostCalls || this.#calls.has(key)) {
      this.#calls.set(key, { ...found, seenAt: performance.now() });
    }
    return true;
  }

  /** Watches until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(this.#silentMs / 5, undefined, { signal }).catch(() => undefined);
      const silent = this.#silentCalls();
      if (silent.length > 0 && !signal.aborted) await this.#check(silent, signal);
    }
  }

  /** The calls whose lines are missing. Lines arrive each second, and a busy machine may delay them. */
  #silentCalls(): RunningCall[] {
    const latest = performance.now() - this.#silentMs / 2;
    return [...this.#calls.values()].filter(({ seenAt }) => seenAt < latest);
  }

  async #check(silent: readonly RunningCall[], signal: AbortSignal): Promise<void> {
    const first = await this.#ask(signal);
    if (first === "answered") {
      // The server has another Worker since a build, so these calls do not run any more.
      for (const call of silent) this.#forget(call);
      return;
    }
    // Also calls whose last lines arrived shortly after those of the others.
    const still = this.#silentCalls();
    if (still.length === 0 || first === "refused") return;
    this.#print(hangText(still, this.#silentMs));
    while (!signal.aborted) {
      if ((await this.#ask(signal)) !== "answered") continue;
      this.#print("The Worker answers again.");
      for (const call of still) this.#forget(call);
      return;
    }
  }

  /** Forgets a call without a line since. */
  #forget(call: RunningCall): void {
    const key = keyOf(call);
    if (this.#calls.get(key) === call) this.#calls.delete(key);
  }

  /** `refused`: there is no server, or the watch ends. */
  async #ask(signal: AbortSignal): Promise<"answered" | "silent" | "refused"> {
    const limit = AbortSignal.timeout(this.#silentMs);
    try {
      await this.#request(anySignal([signal, limit]));
      return "answered";
    } catch {
      if (limit.aborted && !signal.aborted) return "silent";
      await delay(100, undefined, { signal }).catch(() => undefined);
      return "refused";
    }
  }
}

const keyOf = ({ thread_id, call_id }: ToolLine): string => `${thread_id} ${call_id}`;

/** The line about a tool's function; null for every other line. A tool may log any text, also one in this form. */
function readToolLine(line: string): ToolLine | null {
  if (!line.startsWith('{"level":"info","event":"tool_')) return null;
  const { event, thread_id, call_id, tool, file = null } = readWorkerLine(line) ?? {};
  if (event !== "tool_runs" && event !== "tool_ended") return null;
  const isComplete = [thread_id, call_id, tool].every((text) => typeof text === "string" && text.length <= longestText);
  if (!isComplete || String(file).length > longestText) return null;
  return { event, thread_id, call_id, tool, file } as ToolLine;
}

/** The line for calls during which the Worker does not answer. */
function hangText(calls: readonly ToolLine[], silentMs: number): string {
  const named = calls.slice(0, mostNamed).map(({ tool, file, thread_id }) => {
    return `tool ${tool}${file === null ? "" : ` (${file})`} of thread ${thread_id}`;
  });
  if (calls.length > mostNamed) named.push(`and ${String(calls.length - mostNamed)} more`);
  const seconds = String(silentMs / 1000);
  const subject = calls.length === 1 ? "This tool call runs and" : "One of these tool calls";
  return `The Worker has not answered for ${seconds} s. ${subject} computes without a pause: ${named.join(", ")}. End the server, correct the file, and start the server again.`;
}
