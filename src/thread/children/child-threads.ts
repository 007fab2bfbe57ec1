// Starts and stops the child threads of a run. A child is named in its call's row before it is made here, and everything
// asked of it can be asked again.

import { ThreadholdError } from "#contract/error.ts";
import type { ChildStart, ChildThreads } from "#core/ports/child-threads.ts";
import type { AwaitedAnswer } from "#core/record.ts";
import { peerCaller } from "#core/thread-peer.ts";

import type { ObjectContext } from "../object-context.ts";
import type { Outgoings } from "./outgoings.ts";

/** Times a child that cannot be reached is tried before its call fails. */
const attempts = 3;

/** One per drive of a run. */
export class ChildThreadsOf implements ChildThreads {
  readonly #context: ObjectContext;
  readonly #outgoings: Outgoings;

  constructor(context: ObjectContext, outgoings: Outgoings) {
    this.#context = context;
    this.#outgoings = outgoings;
  }

  get depth(): number {
    return this.#context.live.record.parent?.depth ?? 0;
  }

  newId(): string {
    return crypto.randomUUID();
  }

  async start({ thread_id, agent_id, text, ...call }: ChildStart): Promise<void> {
    const { live, threads } = this.#context;
    const { id, user_id } = live.record;
    const parent = { ...call, thread_id: id, depth: this.depth + 1 };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await threads(thread_id).startChild({ id: thread_id, agent_id, user_id, parent, text });
        if (answer.ok) {
          // The thread was deleted while the child was made: the child goes too.
          if (live.retired) await threads(thread_id).remove(peerCaller, true);
          return;
        }
        throw new ThreadholdError(answer.refusal);
      } catch (thrown) {
        // A refusal stays one; a broken stub is worth another try.
        if (thrown instanceof ThreadholdError || attempt === attempts) throw thrown;
      }
    }
  }

  stop({ thread_id }: AwaitedAnswer): void {
    this.#outgoings.add({ type: "stop", thread_id });
    this.#context.background(this.#outgoings.flush());
  }
}
