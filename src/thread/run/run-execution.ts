// Executes the loop of a run until it halts. The journal writes the rows of the run, and makes the same changes in the thread's data in memory.

import { isJsonObject } from "#contract/json.ts";
import { run as loop, stoppedByHook } from "#core/loop.ts";
import type { Halt } from "#core/loop.ts";
import type { RunJournal } from "#core/ports/run-journal.ts";
import type { LogRecord, MessageRecord } from "#core/record/record.ts";
import type { ExecutedRun, RunRecord } from "#core/record/run-record.ts";
import { lastStep } from "#core/record/run-state.ts";
import { isAnswer, mainScope } from "#core/record/scope.ts";
import { hookStep } from "#core/step/hook-step.ts";

import type { LiveThread } from "../live/live-thread.ts";
import type { ObjectContext } from "../object-context.ts";
import type { RecordedStep } from "../reader/in-flight-events.ts";
import { assembleRun } from "./run-assembly.ts";
import type { AssembledRun } from "./run-assembly.ts";
import { errorOfRun, recordFailure } from "./run-failure.ts";
import { logToolFailures } from "./run-line.ts";

/** How the loop of a run halted, and the objects that were made for it. `journal` and `assembled` are null if making them failed. */
export interface ExecutedLoop {
  journal: Journal | null;
  assembled: AssembledRun | null;
  halt: Halt;
}

/** Executes the run's loop until it halts. Returns null if the thread was deleted meanwhile. A failure becomes the end of the run. */
export async function executeRun(
  context: ObjectContext,
  run: ExecutedRun,
  { abort, resumed }: { abort: AbortController; resumed: boolean },
): Promise<ExecutedLoop | null> {
  const { faults, storage, live } = context;
  let journal: Journal | null = null;
  let assembled: AssembledRun | null = null;
  let halt: Halt | { thrown: unknown };
  try {
    if (resumed) {
      // The resumption is written to disk before the run continues. Otherwise, a run that crashes its object at once would lose the
      // record of the resumption, and would be resumed without end. While waiting for the disk the object can also serve other requests.
      await faults.at("run.taken-up");
      await storage.sync();
    }
    journal = new Journal(context, run, live.store.messagesAfter(run.branch, run.after_position));
    await faults.at("run.assemble");
    assembled = await assembleRun(context, run, { abort, journal });
    const { beforeRun } = assembled.hooks;
    let mayBegin = true;
    if (beforeRun !== undefined && !hasBegun(journal, run)) {
      await faults.at("run.before-hook");
      mayBegin = await beforeRun(run.id);
    }
    await faults.at("run.loop");
    halt = mayBegin ? await loop(assembled.ports, abort.signal) : { type: "end", end: stoppedByHook };
  } catch (thrown) {
    halt = { thrown };
  } finally {
    assembled?.limits.halt();
    // The run does not wait: a server may be slow to end a session.
    if (assembled !== null) context.background(assembled.toolSources.close());
  }
  const failedRun = assembled?.hooks.failedRun;
  const error = "thrown" in halt ? errorOfRun(halt.thrown) : halt.type === "end" ? halt.end.error : undefined;
  if (journal !== null && assembled !== null && failedRun !== undefined && error !== undefined && !live.retired) {
    const last = lastStep(journal.messages, mainScope)?.answer.step ?? 1;
    await faults.at("run.failed-hook");
    await failedRun(error, hookStep(last, assembled.ports));
  }
  if (live.retired) return null;
  if (!("thrown" in halt)) return { journal, assembled, halt };
  return { journal, assembled, halt: { type: "end", end: recordFailure(context, run, halt.thrown) } };
}

/** Whether the run has taken a step, or has begun one that is retried. */
function hasBegun({ messages }: Journal, { progress }: ExecutedRun): boolean {
  return progress.retry !== null || messages.some(isAnswer);
}

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
