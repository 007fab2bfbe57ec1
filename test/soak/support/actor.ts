// A thread in the suite's records: its messages, its progress as far as a client or a server outside can observe it,
// and the number of kills since the last progress. Five kills without a completed step end a run, so the suite has to
// count them.

import { isFinished } from "#contract/finished.ts";
import type { RunStatus } from "#contract/run.ts";

import type { Follower } from "./follower.ts";
import { isHelperMark, scriptedMessage } from "./script.ts";
import type { Script } from "./script.ts";

/** One message and its run. */
export interface Turn {
  mark: string;
  content: string;
  script: Script;
  /** Its Idempotency-Key. */
  key: string;
  /** Null until the post of the message was answered with 202. */
  runId: string | null;
  /** How the run ended, once a client received that. */
  ended: RunStatus | null;
  /** The life of the server in which a stop of the run was confirmed. */
  stoppedIn: number | null;
  /** Kills while the run was not known to have ended. */
  kills: number;
}

/**
 * The purpose of a thread. `regular` runs must complete, the `doomed` one is killed until it is given up, the `stopper`
 * is stopped.
 */
export type Role = "regular" | "doomed" | "stopper";

/**
 * A scope that works on a turn: the run itself, or a helper in a thread of its own. Kills are counted for each
 * separately.
 */
interface Line {
  /** Steps for which the model was requested. */
  steps: Set<string>;
  /** Kills since the last known progress. */
  cuts: number;
  isDone: boolean;
}

/** The records of one thread. */
export class Actor {
  readonly name: string;
  readonly role: Role;
  readonly follower: Follower;
  id = "";
  readonly turns: Turn[] = [];
  /** The thread was paused in a request when the server was killed, so its run has to continue in the server's next life. */
  owes = false;
  /** The model has sent the last answer of the run. */
  finishing = false;
  /** The scopes of the current run and its helpers, by mark. */
  readonly #lines = new Map<string, Line>();

  constructor(name: string, role: Role, follower: Follower) {
    this.name = name;
    this.role = role;
    this.follower = follower;
  }

  /** Records a new message; the caller posts it. */
  say(script: Script): Turn {
    const mark = `${this.name}.${String(this.turns.length + 1)}`;
    const content = scriptedMessage(mark, script);
    const turn: Turn = {
      mark,
      content,
      script,
      key: `key-${mark}`,
      runId: null,
      ended: null,
      stoppedIn: null,
      kills: 0,
    };
    this.turns.push(turn);
    return turn;
  }

  /** The first turn that is not known to have ended. */
  get current(): Turn | undefined {
    return this.turns.find(({ ended }) => ended === null);
  }

  /** A turn whose post got no response. */
  get unsure(): Turn | undefined {
    return this.turns.find(({ runId }) => runId === null);
  }

  /** The turn of a mark; also for the mark of a helper. */
  turn(mark: string): Turn | undefined {
    return this.turns.find((turn) => turn.mark === mark || mark.startsWith(`${turn.mark}.`));
  }

  /** Kills since the last progress of the scope that has waited longest. */
  get cuts(): number {
    return Math.max(0, ...[...this.#lines.values()].map(({ cuts, isDone }) => (isDone ? 0 : cuts)));
  }

  /** Records that the server was killed. */
  cut(): void {
    if (this.current !== undefined) this.#line(this.current.mark);
    for (const line of this.#lines.values()) line.cuts += 1;
  }

  /** Records a model request for a step. The first request for a step is progress. */
  requested(mark: string, step: string): void {
    this.finishing = false;
    const line = this.#line(mark);
    line.isDone = false;
    if (line.steps.has(step)) return;
    line.steps.add(step);
    line.cuts = 0;
  }

  /** Records that the model has sent the last answer of a scope. */
  saidLast(mark: string): void {
    if (isHelperMark(mark)) this.#line(mark).isDone = true;
    else this.finishing = true;
  }

  /** Records the status of a run that a client received. */
  learn(runId: string, status: RunStatus): void {
    const turn = this.turns.find((one) => one.runId === runId);
    if (turn === undefined || turn.ended !== null || !isFinished(status)) return;
    turn.ended = status;
    for (const mark of this.#lines.keys()) if (this.turn(mark) === turn) this.#lines.delete(mark);
  }

  /** Takes over what the thread's follower has received. */
  learnFromFollower(): void {
    for (const { id, status } of Object.values(this.follower.view.runs)) this.learn(id, status);
    if (this.current !== undefined && this.follower.stepped.has(this.current.runId ?? "")) {
      this.#line(this.current.mark).cuts = 0;
    }
  }

  #line(mark: string): Line {
    const line = this.#lines.get(mark) ?? { steps: new Set(), cuts: 0, isDone: false };
    this.#lines.set(mark, line);
    return line;
  }
}
