// Starts and stops the child threads of a run. A tool call of the run starts a child. The call's row stores the child's id before the child
// is created, and each request to a child can be repeated.

import { ThreadholdError } from "#contract/error.ts";
import type { ChildStart, ChildThreads } from "#core/ports/child-thread-port.ts";
import type { AwaitedChildResult } from "#core/record/awaited.ts";
import type { ExecutedRun } from "#core/record/run-record.ts";
import { peerCaller } from "#core/rpc/thread-peer.ts";
import type { ChildInput } from "#core/rpc/thread-peer.ts";

import type { DeployedThread } from "../live/live-thread.ts";
import type { ThreadWakeups } from "../thread-ports.ts";
import type { RunTraces } from "../trace/run-traces.ts";
import { enqueueMessage } from "./outbound-messages.ts";

/** The number of attempts to reach a child thread, after which the tool call that starts it fails. */
const attempts = 3;

/** The parts of a thread that its child threads need. */
interface ChildrenContext extends DeployedThread {
  traces: RunTraces | null;
  wakeups: ThreadWakeups;
  background: (work: Promise<unknown>) => void;
}

/** The child threads of one execution of a run. */
export class RunChildThreads implements ChildThreads {
  readonly #context: ChildrenContext;
  readonly #run: ExecutedRun;

  constructor(context: ChildrenContext, run: ExecutedRun) {
    this.#context = context;
    this.#run = run;
  }

  get depth(): number {
    return this.#context.live.record.parent?.depth ?? 0;
  }

  newId(): string {
    return crypto.randomUUID();
  }

  async start({ thread_id, agent_id, text, limits, ...call }: ChildStart): Promise<void> {
    const { begun_children: begun = [] } = this.#run.progress;
    // The child began before the run was last suspended. A repeated request would wake it for nothing.
    if (begun.includes(thread_id)) return;
    const { live, traces } = this.#context;
    const { threads } = this.#context.deployment;
    const { id, user_id } = live.record;
    const parent = { ...call, thread_id: id, depth: this.depth + 1 };
    const trace = traces === null ? {} : { trace: traces.ofCall(this.#run, call.message_id) };
    try {
      await this.#ask({ id: thread_id, agent_id, user_id, parent, text, limits, ...trace });
    } finally {
      // If this thread was deleted while the child was created, the child is deleted too.
      if (live.retired) await threads(thread_id).call("remove", peerCaller, true);
    }
    // The suspension that follows writes this list to the run's row.
    this.#run.progress.begun_children = [...(this.#run.progress.begun_children ?? []), thread_id];
  }

  async #ask(child: ChildInput): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await this.#context.deployment.threads(child.id).call("startChild", peerCaller, child);
        if (answer.ok) return;
        throw new ThreadholdError(answer.refusal);
      } catch (thrown) {
        // A refusal would be the same again. After a broken connection another attempt may succeed.
        if (thrown instanceof ThreadholdError || attempt === attempts) throw thrown;
      }
    }
  }

  stop({ thread_id }: AwaitedChildResult): void {
    const { live, wakeups, background } = this.#context;
    enqueueMessage(live, { type: "stop", thread_id });
    live.save();
    background(wakeups.outbound.run());
  }
}
