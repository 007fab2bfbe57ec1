// Calls tools in a run of a real thread, as a model would.

import type { EventOf } from "#contract/event.ts";
import type { ExtendedThreadState } from "#spec/index.ts";

import { converse, newThread, stubOf } from "../thread/thread-driver.ts";
import { Files } from "../thread/thread-files-client.ts";
import { scripts } from "../worker/definitions.ts";
import { fileFunctions } from "../worker/file-works.ts";

/** The result of a call. */
export type Result = EventOf<"tool_execution_end">["result"];

/** A call: the name of a tool, and its arguments. */
export type Call = readonly [name: string, args: Record<string, unknown>];

/** A thread of an agent whose calls a test chooses. */
export class ToolCaller {
  readonly id: string;
  readonly files: Files;

  private constructor(id: string) {
    this.id = id;
    this.files = new Files(id);
  }

  static async create(agent: string): Promise<ToolCaller> {
    return new ToolCaller(await newThread(agent));
  }

  /** Makes the calls in one step of a run, and returns their results in the order of the calls. */
  async step(...calls: readonly Call[]): Promise<Result[]> {
    const word = `calls-${crypto.randomUUID()}`;
    scripts.set(word, ({ step }) =>
      step === 0 ? { toolCalls: calls.map(([name, args]) => ({ name, arguments: args })) } : { text: "done" },
    );
    const events = await converse(this.id, word);
    const ends = events.filter((event) => event.type === "tool_execution_end");
    const order = events.flatMap((event) => (event.type === "tool_execution_start" ? [event.tool_call_id] : []));
    const byId = new Map(ends.map((event) => [event.tool_call_id, event.result]));
    return [...new Set(order)].map((id) => byId.get(id) ?? { status: "error", error: "no result" });
  }

  /** Makes one call and returns its result. */
  async call(name: string, args: Record<string, unknown>): Promise<Result> {
    const [result] = await this.step([name, args]);
    return result ?? { status: "error", error: "no result" };
  }

  /** Makes one call and returns the text that the model reads. */
  async text(name: string, args: Record<string, unknown>): Promise<string> {
    const { result, error } = await this.call(name, args);
    return result ?? `Error: ${error ?? ""}`;
  }

  /** Calls `work` with the thread's state, in an endpoint. */
  async withState(work: (state: ExtendedThreadState) => Promise<unknown>): Promise<unknown> {
    const name = crypto.randomUUID();
    fileFunctions.set(name, (state) => work(state as ExtendedThreadState));
    return (await this.files.ask("POST", `/work-files?name=${name}`)).json();
  }

  /** Writes files with one line each into the folder `/f<folder>`, in one batch. */
  async fill(folder: number, count: number): Promise<void> {
    const edits = Array.from({ length: count }, (_, at) => ({
      path: `/f${folder}/${at}.txt`,
      data: `content of file ${folder * count + at}`,
    }));
    await this.withState(async (state) => (await state.writeFiles(edits)).length);
  }

  /** The rows that the thread reads during `work`. */
  async rowsRead(work: () => Promise<unknown>): Promise<number> {
    const before = (await stubOf(this.id).rows()).rowsRead;
    await work();
    return (await stubOf(this.id).rows()).rowsRead - before;
  }

  /** The rows that the thread writes during `work`. */
  async rowsWritten(work: () => Promise<unknown>): Promise<number> {
    const before = (await stubOf(this.id).rows()).rowsWritten;
    await work();
    return (await stubOf(this.id).rows()).rowsWritten - before;
  }

  /** The text of a file of the thread. */
  async read(path: string): Promise<string> {
    return (await this.files.get(path)).text();
  }
}
