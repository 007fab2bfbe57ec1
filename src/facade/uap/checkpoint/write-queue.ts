// The writes of one session, one after another in the order of their calls: a save that began earlier never overwrites a later one. A
// save that has not begun when the next one is called is replaced by it, so that a slow store holds at most two states of a session.

type Work = () => Promise<void>;

/** The writes of one session. */
export class WriteQueue {
  #last: Promise<void> = Promise.resolve();
  /** The save that has not begun and that no other write follows. */
  #waiting: { work: Work } | null = null;
  #waitingDone: Promise<void> = this.#last;
  #open = 0;

  /** Whether no write is running or waiting. */
  get isIdle(): boolean {
    return this.#open === 0;
  }

  /** Saves after all earlier writes. If a later save replaces this one, it resolves or rejects as the later one does. */
  save(work: Work): Promise<void> {
    if (this.#waiting !== null) {
      this.#waiting.work = work;
      return this.#waitingDone;
    }
    const waiting = { work };
    this.#waiting = waiting;
    this.#waitingDone = this.#enqueue(() => {
      if (this.#waiting === waiting) this.#waiting = null;
      return waiting.work();
    });
    return this.#waitingDone;
  }

  /** Deletes after all earlier writes, and before all later ones. */
  delete(work: Work): Promise<void> {
    this.#waiting = null;
    return this.#enqueue(work);
  }

  /** Resolves when all writes that were called so far have ended, whether they failed or not. */
  settled(): Promise<void> {
    return this.#last;
  }

  #enqueue(work: Work): Promise<void> {
    this.#open += 1;
    const done = this.#last.then(work);
    const ended = () => {
      this.#open -= 1;
    };
    this.#last = done.then(ended, ended);
    return done;
  }
}
