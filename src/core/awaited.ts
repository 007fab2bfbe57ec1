// What a run waits for, in rows: a call for another thread, a client or a person, the run itself for more than its limit; and
// what each of them answers.

import type { AwaitedCall } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ToolResult } from "#contract/tool-result.ts";
import type { Usage } from "#contract/usage.ts";

import type { AmountName } from "./limits/amounts.ts";
import type { LimitReason } from "./limits/reached.ts";

/** What a started call waits for. */
export type AwaitedAnswer = AwaitedChild | AwaitedClient | AwaitedApproval;

/** A child thread, known by its id before it is made. */
export interface AwaitedChild {
  kind: "child";
  thread_id: string;
  agent_id: string;
  /** Microseconds; then the call is answered with an error. */
  deadline: number;
  /** The answer, once it was delivered; the run has still to take it. */
  delivered: Delivered | null;
  /** Calls in the child that wait for somebody outside, as it last told. */
  calls?: AwaitedCall[];
}

/** A client, which has the call's name and arguments from the thread (contract, "Pending tool calls"). */
export interface AwaitedClient {
  kind: "remote";
  /** Microseconds; then the call is answered with an error. */
  deadline: number;
  /** The answer, once it was posted; the run has still to take it. */
  delivered: ClientAnswer | null;
}

/** A person's consent, before the call's function may run (architecture §5.3). Nothing of the call has been done. */
export interface AwaitedApproval {
  kind: "approval";
  /** Whoever consents may change the arguments. */
  editable: boolean;
  /** Microseconds; then the call is answered with an error and never runs. */
  deadline: number;
  /** The decision, once it was posted; the run has still to act on it. */
  delivered: Approval | null;
}

/** A person's decision about a call. */
export interface Approval {
  approved: boolean;
  /** Who decided; null for a caller without a user. */
  by: string | null;
  /** Microseconds. */
  at: number;
  /** The arguments that the call runs with, where they were changed. */
  args?: JsonObject;
  /** Why the call was declined, for the model to read. */
  reason?: string;
  /** The decision comes from a user's import: the person is unknown, and `by` is null. */
  imported?: true;
}

/** What a client answered. */
interface ClientAnswer {
  answer: ToolResult;
}

/** The limit of its own that a run rests at, until somebody raises it. */
export interface LimitRest {
  /** Of the call that stands for it; no message of the transcript has it. */
  id: string;
  reason: LimitReason;
  amount: AmountName;
  allowed: number;
  used: number;
  /** Microseconds; then the run ends at it. */
  deadline: number;
}

/** A child thread's answer with what it cost. */
export interface Delivered {
  answer: ToolResult;
  usage: Usage;
  cost: number | null;
  /** Tool calls the child made. */
  tool_executions: number;
  work?: Work;
}

/** What is counted beside tokens and money. */
export interface Work {
  /** Model calls, on every line. */
  steps: number;
  /** Turns that ended. */
  turns: number;
  /** Milliseconds at work, rests left out. */
  driven_ms: number;
  /** USD, as far as they are known: a cost is null beside anything without a price, and what is known is counted all the same. */
  paid: number;
}
