// Runs the writes of one session one after another, in the order of their calls, so that a save never overwrites a later one. A save that has
// not begun is replaced by the next save, so that a slow store has at most two states of a session in memory.

type Write = () => Promise<void>;

/** The writes of one session. */
class WriteQueue {
  #last: Promise<void> = Promise.resolve();
  /** The save that waits and that a later save can replace. A deletion after it prevents this. */
  #waiting: { write: Write } | null = null;
  #waitingDone: Promise<void> = this.#last;
  #unfinished = 0;

  /** Whether no write is running or waiting. */
  get isIdle(): boolean {
    return this.#unfinished === 0;
  }

  /** Saves after all earlier writes. If a later save replaces this one, it resolves or rejects as the later one does. */
  save(write: Write): Promise<void> {
    if (this.#waiting !== null) {
      this.#waiting.write = write;
      return this.#waitingDone;
    }
    const waiting = { write };
    this.#waiting = waiting;
    this.#waitingDone = this.#enqueue(() => {
      if (this.#waiting === waiting) this.#waiting = null;
      return waiting.write();
    });
    return this.#waitingDone;
  }

  /** Deletes after all earlier writes, and before all later ones. */
  delete(write: Write): Promise<void> {
    this.#waiting = null;
    return this.#enqueue(write);
  }

  /** Resolves when all writes that were called so far have ended, whether they failed or not. */
  settled(): Promise<void> {
    return this.#last;
  }

  #enqueue(write: Write): Promise<void> {
    this.#unfinished += 1;
    const done = this.#last.then(write);
    const ended = () => {
      this.#unfinished -= 1;
    };
    this.#last = done.then(ended, ended);
    return done;
  }
}

/** The queues of the writes of several sessions, by their names. A session without writes has none. */
export class WriteQueues {
  readonly #queues = new Map<string, WriteQueue>();

  /** The queue of a session for its next write. */
  of(name: string): WriteQueue {
    for (const [other, { isIdle }] of this.#queues) if (isIdle) this.#queues.delete(other);
    const queue = this.#queues.get(name) ?? new WriteQueue();
    this.#queues.set(name, queue);
    return queue;
  }

  /** Resolves when all writes of a session that were called so far have ended, whether they failed or not. */
  async settled(name: string): Promise<void> {
    await this.#queues.get(name)?.settled();
  }

  /** The same for all sessions whose name is chosen. */
  async allSettled(isChosen: (name: string) => boolean = () => true): Promise<void> {
    for (const [name, queue] of this.#queues) if (isChosen(name)) await queue.settled();
  }
}
