// A thread as the suite knows it: what was said in it, how far it has come as far as anybody outside can tell, and how often
// it was cut since. Five cuts without a step would end a run, so the suite has to know.

import { isFinished } from "#contract/run.ts";
import type { RunStatus } from "#contract/run.ts";

import type { Follower } from "./follower.ts";
import { scriptedMessage } from "./script.ts";
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

/** One thread. */
export class Actor {
  readonly name: string;
  readonly role: Role;
  readonly follower: Follower;
  id = "";
  readonly turns: Turn[] = [];
  /** Kills since it was last known to get further. */
  cuts = 0;
  /** It was held when the power went: something of it must be heard in the next life. */
  owes = false;
  /** Its model told the last words of a run. */
  finishing = false;
  readonly #steps = new Set<string>();

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

  /** The model was asked for a step: one that it was never asked for is progress; helpers side by side ask in turns. */
  asked(step: string): void {
    this.finishing = false;
    if (this.#steps.has(step)) return;
    this.#steps.add(step);
    this.cuts = 0;
  }

  /** Somebody was told how a run stands. */
  learn(runId: string, status: RunStatus): void {
    const turn = this.turns.find((one) => one.runId === runId);
    if (turn === undefined || turn.ended !== null || !isFinished(status)) return;
    turn.ended = status;
    this.cuts = 0;
  }

  /** Takes over what its follower has learned. */
  learnFromFollower(): void {
    for (const { id, status } of Object.values(this.follower.view.runs)) this.learn(id, status);
    if (this.follower.stepped.has(this.current?.runId ?? "")) this.cuts = 0;
  }
}
