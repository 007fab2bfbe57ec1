// A thread as the suite knows it: what was said in it, how far it has come as far as anybody outside can tell, and how often
// it was cut since. Five cuts without a step would end a run, so the suite has to know.

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
  /** Null until the message was answered 202. */
  runId: string | null;
  /** How the run ended, once somebody was told. */
  ended: RunStatus | null;
  /** The life in which a stop of it was answered. */
  stoppedIn: number | null;
  /** Kills while it was not known to be over. */
  kills: number;
}

/** What a thread is there for. */
export type Role = "regular" | "doomed" | "stopper";

/** What works on a turn: the run itself, or a helper in a thread of its own. Each is given up by itself. */
interface Line {
  /** Steps that the model was asked for. */
  steps: Set<string>;
  /** Kills since it was last known to get further. */
  cuts: number;
  isDone: boolean;
}

/** One thread. */
export class Actor {
  readonly name: string;
  readonly role: Role;
  readonly follower: Follower;
  id = "";
  readonly turns: Turn[] = [];
  /** It was held when the power went: something of it must be heard in the next life. */
  owes = false;
  /** Its model told the last words of a run. */
  finishing = false;
  /** Its run's own line and its helpers', by mark. */
  readonly #lines = new Map<string, Line>();

  constructor(name: string, role: Role, follower: Follower) {
    this.name = name;
    this.role = role;
    this.follower = follower;
  }

  /** Says something; the caller posts it. */
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

  /** The first turn that nobody knows to be over. */
  get current(): Turn | undefined {
    return this.turns.find(({ ended }) => ended === null);
  }

  /** A turn whose post was never answered. */
  get unsure(): Turn | undefined {
    return this.turns.find(({ runId }) => runId === null);
  }

  /** The turn of a mark, a helper's too. */
  turn(mark: string): Turn | undefined {
    return this.turns.find((turn) => turn.mark === mark || mark.startsWith(`${turn.mark}.`));
  }

  /** Kills since the line that got no further for longest did. */
  get cuts(): number {
    return Math.max(0, ...[...this.#lines.values()].map(({ cuts, isDone }) => (isDone ? 0 : cuts)));
  }

  /** The server was killed. */
  cut(): void {
    if (this.current !== undefined) this.#line(this.current.mark);
    for (const line of this.#lines.values()) line.cuts += 1;
  }

  /** The model was asked for a step: one that it was never asked for is progress. */
  asked(mark: string, step: string): void {
    this.finishing = false;
    const line = this.#line(mark);
    line.isDone = false;
    if (line.steps.has(step)) return;
    line.steps.add(step);
    line.cuts = 0;
  }

  /** The model told the last words of a line. */
  saidLast(mark: string): void {
    if (isHelperMark(mark)) this.#line(mark).isDone = true;
    else this.finishing = true;
  }

  /** Somebody was told how a run stands. */
  learn(runId: string, status: RunStatus): void {
    const turn = this.turns.find((one) => one.runId === runId);
    if (turn === undefined || turn.ended !== null || !isFinished(status)) return;
    turn.ended = status;
    for (const mark of this.#lines.keys()) if (this.turn(mark) === turn) this.#lines.delete(mark);
  }

  /** Takes over what its follower has learned. */
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
