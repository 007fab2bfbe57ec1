// The work of one command: limits it, ends a cancelled command, and lets other events of the object run at operations on files.

import { refuse } from "#contract/error.ts";

/** The maximum number of operations of a command. An operation takes about as long as an expression of `awk`. */
const mostOperations = 500_000;

/** The operations that an expansion such as `${#x}` counts as, which reads all of its text, and a command of the shell or of `sed`. */
const operationsOfExpansion = 300;
const operationsOfCommand = 50;

/** So many bytes that a command reads from files count as one operation. */
const bytesOfOperation = 8;

/** Operations on files between two turns of the event loop, at most. */
const mostPerTurn = 200;

/**
 * A Worker's clock advances between turns only. If more than this many milliseconds passed since the last turn, the next turn is due at the
 * next operation.
 */
const turnMs = 5;

/**
 * Counts the work of a command. It implements the shell's interface `coverage`: the interpreters of the shell report each command, statement
 * and expression to `hit`. The file system of the command reports its operations, and waits for a turn when one is due.
 */
export class WorkMeter {
  readonly #signal: AbortSignal;
  #operations = 0;
  #units = 0;
  /** The number of operations on files at which the next turn is due, and between two turns. */
  #due = 0;
  #perTurn = 1;
  #lastTurn = Date.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Counts a command, a statement or an expression. Throws if the command is cancelled or exceeds the limit of operations. */
  hit(feature: string): void {
    if (/^(?:awk|jq):/.test(feature)) this.#count(1);
    else this.#count(/^bash:expansion:(?!word_)/.test(feature) ? operationsOfExpansion : operationsOfCommand);
  }

  /** Counts bytes that the command reads from a file. Throws as `hit` does. */
  read(bytes: number): void {
    this.#count(Math.ceil(bytes / bytesOfOperation));
  }

  /** Counts an operation on a file; true if a turn is due. */
  isDue(): boolean {
    this.#units += 1;
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

  #count(operations: number): void {
    this.#operations += operations;
    this.throwIfExceeded();
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
