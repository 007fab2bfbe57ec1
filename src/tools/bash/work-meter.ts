// The work of one command: limits it, ends a cancelled command, and lets other events of the object run at operations on files.

import { refuse } from "#contract/error.ts";

/** The maximum number of operations of a command. An operation takes about as long as an expression of `awk`. */
const mostOperations = 500_000;

/**
 * The operations that an expansion such as `${#x}`, `[[ … ]]` and `case` count as, which read all of their text; a command of the shell or of
 * `sed`; and a call of a function or a regular expression of `awk`. The shell does not report the length of the text, so these numbers limit
 * how often a text is read, and not the time of one read.
 */
const operationsOfExpansion = 300;
const operationsOfCommand = 50;
const operationsOfCall = 10;

/** The maximum number of bytes that a command reads from files. */
const mostBytes = 16 * 1024 * 1024;

/** An operation that appends to a file copies the file. A copy of so many bytes counts as one byte that is read. */
const copiesOfRead = 64;

/**
 * The maximum number of milliseconds that a command computes without a turn of the event loop. A clock that advances during a computation is
 * needed: the one of a local server does, the one of a Worker on Cloudflare does not, and there the platform limits the processor time.
 */
const mostComputingMs = 10_000;

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
  readonly #now: () => number;
  #operations = 0;
  #bytes = 0;
  /** When the event loop last ran. */
  #lastEvent: number;
  #isTooLong = false;
  #units = 0;
  /** The number of operations on files at which the next turn is due, and between two turns. */
  #due = 0;
  #perTurn = 1;
  #lastTurn: number;

  constructor(signal: AbortSignal, now: () => number = Date.now) {
    this.#signal = signal;
    this.#now = now;
    this.#lastTurn = this.#lastEvent = now();
  }

  /** Counts a command, a statement or an expression. Throws if the command is cancelled or exceeds a limit. */
  hit(feature: string): void {
    this.#operations += operationsOf(feature);
    this.#isTooLong ||= this.#now() - this.#lastEvent > mostComputingMs;
    this.throwIfExceeded();
  }

  /** Counts bytes that the command reads from a file. Throws as `hit` does. */
  read(bytes: number): void {
    this.#bytes += bytes;
    this.throwIfExceeded();
  }

  /** Counts the bytes of a file that an operation copies in memory. Throws as `hit` does. */
  copy(bytes: number): void {
    this.read(Math.ceil(bytes / copiesOfRead));
  }

  /** Has to be called by a timer, so that the time in which a command waits does not count as a computation. */
  eventLoopRan(): void {
    this.#lastEvent = this.#now();
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
    const now = this.#now();
    this.#lastEvent = now;
    this.#perTurn = now - this.#lastTurn > turnMs ? 1 : Math.min(this.#perTurn * 2, mostPerTurn);
    this.#lastTurn = now;
    this.#due = this.#units + this.#perTurn;
  }

  /**
   * Throws if the command is cancelled or exceeds a limit. Has to be called after the command as well, because commands such as `awk` convert
   * the error that `hit` throws to an exit code.
   */
  throwIfExceeded(): void {
    this.#signal.throwIfAborted();
    if (this.#bytes > mostBytes) {
      throw ended(
        `reads more than ${mostBytes / 1024 / 1024} MiB of files`,
        "Read fewer or smaller files, or use the tools read_file and search",
      );
    }
    if (this.#operations > mostOperations) throw ended(`needs more than ${mostOperations} operations`, advice);
    if (this.#isTooLong) throw ended(`computes for more than ${mostComputingMs / 1000} seconds`, advice);
  }
}

const advice = "Use a smaller input, or split the work into several commands";

function ended(reason: string, what: string): Error {
  return refuse(
    "too_large",
    `The command ${reason}, so it was ended, and none of its changes of files are stored. ${what}.`,
  );
}

function operationsOf(feature: string): number {
  if (/^awk:expr:(?:call|regex)$/.test(feature)) return operationsOfCall;
  if (/^(?:awk|jq):/.test(feature)) return 1;
  if (/^bash:(?:expansion:(?!word_)|cmd:(?:ConditionalCommand|Case)$)/.test(feature)) return operationsOfExpansion;
  return operationsOfCommand;
}
