// The interface of a test to the process that runs crowds of subscribers.

import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

import { eventSchema } from "#contract/event.ts";
import type { ThreadEvent } from "#contract/event.ts";

const main = fileURLToPath(new URL("../../support/crowd-readers/main.mjs", import.meta.url));

interface Reply {
  id: number;
  value?: unknown;
  failed?: string;
}

/** What one subscriber received. */
export interface Sent {
  bytes: number;
  largest: number;
}

/** Sends requests to the process, which ends at the latest with the test's process. */
export class ReaderProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #requested = 0;

  constructor() {
    this.#child = fork(main, { execArgv: [], serialization: "advanced" });
    this.#child.on("message", (message) => {
      const reply = message as Reply;
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
    });
    this.#child.once("exit", (code) => {
      for (const [id, settle] of this.#waiting)
        settle({ id, failed: `The readers' process ended with ${String(code)}` });
    });
  }

  /** Connects a number of readers to an address. Resolves when all are connected. */
  async crowd(url: string, count: number, silent = false): Promise<Crowd> {
    const name = `${String(this.#requested)} ${url}`;
    await this.ask("join", { crowd: name, url, count, silent });
    return new Crowd(this, name, count);
  }

  async ask(act: string, of: object): Promise<unknown> {
    this.#requested += 1;
    const id = this.#requested;
    const { value, failed } = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ id, act, of });
    });
    if (failed !== undefined) throw new Error(failed);
    return value;
  }

  close(): void {
    this.#child.disconnect();
  }
}

/** The readers of one thread. */
export class Crowd {
  readonly #process: ReaderProcess;
  readonly #name: string;
  readonly count: number;

  constructor(process: ReaderProcess, name: string, count: number) {
    this.#process = process;
    this.#name = name;
    this.count = count;
  }

  /** Resolves when the next run has ended for all of them. */
  async ended(): Promise<void> {
    await this.#ask("ended");
  }

  /** Keeps the frames that arrive from now on. */
  async keep(): Promise<void> {
    await this.#ask("keep");
  }

  /** The events that each reader received since `keep`, one reader after the other. */
  async *received(): AsyncGenerator<ThreadEvent[]> {
    for (let index = 0; index < this.count; index += 1) {
      const frames = (await this.#ask("frames", { index })) as string[];
      yield frames.map((frame) => eventSchema.parse(JSON.parse(frame)));
    }
  }

  async sizes(): Promise<Sent[]> {
    return (await this.#ask("sizes")) as Sent[];
  }

  /** Stops all readers from reading their connections. */
  async stall(): Promise<void> {
    await this.#ask("stall");
  }

  /** Resolves with the close code of the first connection that is closed. */
  async closed(): Promise<number> {
    return (await this.#ask("closed")) as number;
  }

  async leave(): Promise<void> {
    await this.#ask("leave");
  }

  #ask(act: string, of: object = {}): Promise<unknown> {
    return this.#process.ask(act, { crowd: this.#name, ...of });
  }
}
