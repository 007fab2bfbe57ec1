// The journal of a run: writes the rows of the run, and makes the same changes in the thread's data in memory.

import { isJsonObject } from "#contract/json.ts";
import type { RunJournal } from "#core/ports/run-journal.ts";
import type { LogRecord, MessageRecord } from "#core/record.ts";
import type { RunRecord } from "#core/run-record.ts";

import type { LiveThread } from "../live-thread.ts";
import type { ObjectContext } from "../object-context.ts";
import type { RecordedStep } from "../reader/in-flight-events.ts";
import { logToolFailures } from "./run-line.ts";

/** The journal of one execution of a run. */
export class Journal implements RunJournal {
  readonly #context: ObjectContext;
  readonly #live: LiveThread;
  readonly #run: RunRecord;
  readonly #messages: MessageRecord[];

  /** `messages` are the run's existing messages. */
  constructor(context: ObjectContext, run: RunRecord, messages: MessageRecord[]) {
    const { live } = context;
    this.#context = context;
    this.#live = live;
    this.#run = run;
    this.#messages = messages;
    live.runState.follow(messages);
  }

  get messages(): readonly MessageRecord[] {
    return this.#messages;
  }

  append(message: MessageRecord): void {
    const child = message.awaits?.kind === "child" ? message.awaits.thread_id : null;
    // A write of one row needs no transaction, which would take about as long as the write.
    if (child === null && message.position === message.id) this.#live.insertMessage(message);
    else {
      this.#live.transaction(() => {
        this.#live.insertMessage(message);
        if (child !== null) this.#adopt(child);
      });
    }
    // A tool message may have a position that was reserved before other messages were added, so the list is sorted.
    this.#messages.sort((left, right) => (left.position < right.position ? -1 : 1));
  }

  update(message: MessageRecord): void {
    this.#live.updateMessage(message);
  }

  closing(messageId: string): void {
    this.#live.runState.closing.add(messageId);
  }

  log(record: LogRecord, agent?: string): void {
    this.#live.used(this.#run, this.#messages);
    if (agent === undefined) this.#live.store.insertLog(record);
    else {
      this.#live.transaction(() => {
        this.#live.store.insertLog(record);
        this.#live.change({ agent_id: agent });
        this.#live.save();
      });
    }
    this.#live.broadcaster.releaseStored(recordedStep(record));
    logToolFailures(this.#context, record);
    this.#context.traces?.recordStep(this.#run, record, this.#messages);
  }

  appendQueued(message: MessageRecord): void {
    this.#live.transaction(() => {
      this.append(message);
      this.#live.store.updateRun(this.#run);
    });
  }

  saveRun(run: RunRecord): void {
    this.#live.store.updateRun(run);
  }

  /** Stores the child's id before the child exists, so that a deletion of this thread deletes it too. */
  #adopt(threadId: string): void {
    const { children = [] } = this.#live.record;
    this.#live.change({ children: [...children, threadId] });
    this.#live.save();
  }

  /** Closes the journal: from now on, results for calls are not added to its messages. */
  close(): void {
    this.#live.runState.follow(null);
  }
}

function recordedStep({ depth, data }: LogRecord): RecordedStep {
  const tools = Array.isArray(data["tools"]) ? data["tools"] : [];
  const results = tools.map((tool) => (isJsonObject(tool) ? tool["message_id"] : null));
  const messages = [data["message_id"], ...results].filter((id) => typeof id === "string");
  const under = typeof data["under"] === "string" ? data["under"] : undefined;
  return { step: Number(data["step"]), depth, under, messages: new Set(messages) };
}
