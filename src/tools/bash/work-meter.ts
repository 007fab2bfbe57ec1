// The work of one command: limits it, ends a cancelled command, and lets other events of the object run, such as a stop and a time limit.

import { refuse } from "#contract/error.ts";

/** The maximum number of statements and expressions that a command and its programs in `awk`, `sed` and `jq` evaluate. */
const mostOperations = 3_000_000;

/** An operation on a text or a list counts once more for each of this many characters or elements. */
const sizeOfOperation = 100;

/** Units of work between two turns of the event loop, at most. A unit is about the work of an expression of `awk`. */
const mostPerTurn = 1000;

/**
 * A Worker's clock advances between turns only. If more than this many milliseconds passed since the last turn, the next turn is due after
 * one unit.
 */
const turnMs = 5;

/**
 * Counts the work of a command. It implements the shell's interface `coverage`: the interpreters of the shell report each statement and
 * expression to `hit`. scripts/lib/patch-shell.mjs changes the interpreters so that they also call `turn` at points at which they can wait.
 */
export class WorkMeter {
  readonly #signal: AbortSignal;
  #operations = 0;
  #units = 0;
  /** The number of units at which the next turn is due, and the number of units between two turns. */
  #due = 0;
  #perTurn = 1;
  #lastTurn = Date.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Counts a statement or expression. Throws if the command is cancelled or exceeds the limit of operations.
   *
   * @param value the text or list that the operation uses, if the interpreter passes it
   */
  hit(_feature: string, value?: unknown): void {
    const size = typeof value === "string" || Array.isArray(value) ? value.length : 0;
    this.#operations += 1 + Math.floor(size / sizeOfOperation);
    this.throwIfExceeded();
  }

  /** Counts units of work; true if a turn is due. */
  isDue(units: number): boolean {
    this.#units += units;
    return this.#units >= this.#due;
  }

  /** Lets other events run. Throws if the command is cancelled. */
  async turn(): Promise<void> {
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    this.#signal.throwIfAborted();
    const now = Date.now();
    this.#perTurn = now - this.#lastTurn > turnMs ? 1 : Math.min(this.#perTurn * 2, mostPerTurn);
    this.#lastTurn = now;
    this.#due = this.#units + this.#perTurn;
  }

  /**
   * Throws if the command is cancelled or exceeds the limit of operations. Has to be called after the command as well, because commands
   * such as `awk` convert the error that `hit` throws to an exit code.
   */
  throwIfExceeded(): void {
    this.#signal.throwIfAborted();
    if (this.#operations <= mostOperations) return;
    throw refuse(
      "too_large",
      `The command needs more than ${mostOperations} operations, so it was ended, and none of its changes of files are stored. Use a smaller input.`,
    );
  }
}
