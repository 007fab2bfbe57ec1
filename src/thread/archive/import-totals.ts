// Counts an imported thread's totals from its records, and makes the thread's row from them. Sums in the file are ignored. The usage is the
// sum of the runs' usage, but at least that of the messages and that of the log rows, so that a file with changed runs cannot reset the
// usage.

import { refuse } from "#contract/error.ts";
import { isFinished } from "#contract/finished.ts";
import { addCost, addUsage, zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import { spendingSchema } from "#core/archive/archive-record.ts";
import type { ArchivedLog, ArchivedMessage, ArchivedRun, ArchivedThread } from "#core/archive/archive-record.ts";
import { addWork, zeroWork, workIn } from "#core/limits/used.ts";
import { partTokens } from "#core/model/estimate-tokens.ts";
import type { Work } from "#core/record/awaited.ts";
import { changedCounts } from "#core/record/message-counts.ts";
import type { MessageCounts, ThreadRecord } from "#core/record/record.ts";
import type { BranchStretch } from "#store/branch-path.ts";

import { reservation } from "../reader/event-numbers.ts";

/** The maximum number of bytes of records of the active run: they are all in memory when the import ends that run. */
const activeBytesLimit = 64 * 1024 * 1024;

/** The totals of one import. */
export class ImportTotals {
  readonly #stretches: Map<string, string | null>;
  #underWay = 0;
  #usage: Usage = zeroUsage;
  #cost: number | null = 0;
  #work: Work = zeroWork;
  /** Usage by source. In an unchanged export each of these sums is part of the usage of the runs. */
  readonly #answers = new Spent();
  readonly #children = new Spent();
  readonly #requests = new Spent();
  #lastPosition = "";
  counts: MessageCounts = {};
  /** The active run; null if there is none, or if its line was not read yet. */
  active: ArchivedRun | null = null;
  /** The counts of the messages before the active run. */
  countsBefore: MessageCounts = {};

  /** `path` is the path of the thread's current branch. */
  constructor(path: readonly BranchStretch[]) {
    this.#stretches = new Map(path.map(({ branch, upTo }) => [branch, upTo]));
  }

  /** Adds what a finished run used. */
  addRun(run: ArchivedRun): void {
    const { status, usage, cost } = run;
    if (!isFinished(status)) return;
    this.#usage = addUsage(this.#usage, whole(usage));
    this.#cost = addCost(this.#cost, cost);
    this.#work = addWork(this.#work, workIn(run));
  }

  addMessage(message: ArchivedMessage, bytes: number): void {
    const { position } = message;
    if (position > this.#lastPosition) this.#lastPosition = position;
    this.#spentOn(message);
    const upTo = this.#stretches.get(message.branch);
    if (upTo === undefined || (upTo !== null && position > upTo)) return;
    this.counts = changedCounts(this.counts, message, 1);
    if (this.active === null) return;
    if (position <= this.active.after_position) this.countsBefore = changedCounts(this.countsBefore, message, 1);
    else this.addActiveBytes(bytes);
  }

  /** Counts a model request from its log row. */
  addLog({ type, run_id, data }: ArchivedLog): void {
    if (type !== "llm_request" || this.#isActive(run_id)) return;
    const spending = spendingSchema.safeParse(data);
    if (spending.success) this.#requests.add(spending.data.usage, spending.data.cost);
  }

  #spentOn({ run_id, role, step, model, usage, cost, parts }: ArchivedMessage): void {
    if (this.#isActive(run_id)) return;
    if (role === "tool" || step === null || model === null) {
      if (usage !== null) this.#children.add(usage, cost);
      return;
    }
    // The output tokens of an answer without a count are estimated from its length.
    const { output = 0 } = usage ?? {};
    const words = output > 0 ? 0 : partTokens(parts);
    const estimated = { ...zeroUsage, output: words, total_tokens: words };
    this.#answers.add(addUsage(usage ?? zeroUsage, estimated), cost);
  }

  /** Whether the run is the active one. Its usage is counted when the import ends it. */
  #isActive(runId: string | null): boolean {
    return runId !== null && runId === this.active?.id;
  }

  /** Counts bytes of the active run. Throws if they exceed the limit. */
  addActiveBytes(bytes: number): void {
    this.#underWay += bytes;
    if (this.#underWay <= activeBytesLimit) return;
    throw refuse("too_large", `What belongs to the run under way has more than ${activeBytesLimit} bytes.`);
  }

  /** The greater of two positions: that of the last imported message, and the thread's last one as the file states it. */
  lastPosition(said: string): string {
    return said > this.#lastPosition ? said : this.#lastPosition;
  }

  /** The usage of all runs. Throws if a sum is too large to be exact. */
  get spent(): { usage: Usage; cost: number | null; work: Work } {
    const [answers, requests] = [this.#answers.with(this.#children), this.#requests.with(this.#children)];
    const usage = mostUsage(this.#usage, mostUsage(answers.usage, requests.usage));
    const known = Math.max(answers.known, requests.known);
    const work = {
      ...this.#work,
      steps: Math.max(this.#work.steps, this.#answers.count),
      paid: atLeast(this.#work.paid, known),
    };
    const { paid: _, ...done } = work;
    const counts: number[] = Object.values({ ...usage, ...done });
    const cost = this.#cost === null ? null : atLeast(this.#cost, known);
    if (counts.every(Number.isSafeInteger)) return { usage, cost, work };
    throw refuse("invalid_request", "The runs of the file used more tokens than can be.");
  }
}

/** A sum of usage and cost. */
class Spent {
  usage: Usage = zeroUsage;
  /** USD, without the requests whose cost is unknown. */
  known = 0;
  count = 0;

  add(usage: Usage, cost: number | null): void {
    this.usage = addUsage(this.usage, whole(usage));
    this.known += cost ?? 0;
    this.count += 1;
  }

  with({ usage, known }: Spent): Pick<Spent, "usage" | "known"> {
    return { usage: addUsage(this.usage, usage), known: this.known + known };
  }
}

/** The usage with a total that is at least the sum of its parts. */
function whole(usage: Usage): Usage {
  const { input, output, cache_read, cache_write, total_tokens } = usage;
  return { ...usage, total_tokens: Math.max(total_tokens, input + output + cache_read + cache_write) };
}

/** The greater of two sums of money. A difference that results from rounding is ignored. */
function atLeast(stated: number, found: number): number {
  return found > stated * (1 + 1e-9) ? found : stated;
}

function mostUsage(one: Usage, other: Usage): Usage {
  // Limits compare total tokens only.
  return one.total_tokens >= other.total_tokens ? one : other;
}

/** The row of the imported thread. It has no relations to other threads. */
export function importedThread(
  thread: ArchivedThread,
  totals: ImportTotals,
  { creation, now }: { creation: string; now: number },
): ThreadRecord {
  const { active } = totals;
  const { id, agent_id, origin_agent_id, user_id, title, tags, metadata, branch, last_seq } = thread;
  const { queue, overtaker } = thread;
  return {
    id,
    agent_id,
    origin_agent_id,
    user_id,
    title,
    ...(thread.titled_by === undefined ? {} : { titled_by: thread.titled_by }),
    tags,
    metadata,
    branch,
    queue: {
      run_ids: queue,
      steering: 0,
      // Queued runs begin only after the next input or `continue`, so that an import alone sends no request to a model.
      paused: thread.held || queue.length > 0,
      ...(overtaker === undefined ? {} : { overtaker }),
    },
    status: active === null ? (thread.status === "error" ? "error" : "idle") : "running",
    created_at: Math.min(thread.created_at, now),
    updated_at: Math.min(thread.updated_at, now),
    counts: totals.counts,
    ...totals.spent,
    active_run_id: thread.active_run_id,
    last_seq,
    seq_reserved: last_seq + reservation,
    last_position: totals.lastPosition(thread.last_position),
    last_message: thread.last_message,
    ...(thread.setup === undefined ? {} : { setup: thread.setup }),
    parent: null,
    background: { catalog: { dirty: true, runs: [] } },
    creation,
    imported_at: now,
  };
}
