// What a suspended run waits for, as its rows store it: the result of a child thread or a client, a person's approval, or a higher limit.

import type { ToolResult } from "#contract/call-result.ts";
import type { AwaitedCall } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Usage } from "#contract/usage.ts";

import type { AmountName } from "../limits/amounts.ts";
import type { LimitReason } from "../limits/reached.ts";

/**
 * The result that a tool returns: texts of any length, unchecked attachments (Standard Agents, ToolAttachment and AttachmentRef), and an
 * error's stack, which only the log stores.
 */
export type ToolAnswer = Omit<ToolResult, "attachments"> & {
  stack?: string;
  attachments?: readonly unknown[] | undefined;
  /** Unchecked parts of the result. Reading the result adds texts to the result's text, and other parts to its attachments. */
  content?: readonly unknown[];
  /**
   * A value of any type for callers in the same process. The value itself is never stored. Its JSON is stored if the result has no text or
   * no details.
   */
  value?: unknown;
};

/** A call that waits for a client or a person. `since` is absent if a child thread of an older deployment reported the call. */
export type WaitingCall = AwaitedCall;

/** What a call with status `started` waits for. `delivered` is the result or decision, until the loop has read it. */
export type AwaitedResult = AwaitedChildResult | AwaitedClientResult | AwaitedApproval;

/** The call waits for the result of a child thread. The child's id is stored before the child is created. */
export interface AwaitedChildResult {
  kind: "child";
  thread_id: string;
  agent_id: string;
  /** Microseconds since epoch. Without a result by then, the call gets an error result. */
  deadline: number;
  delivered: Delivered | null;
  /** Calls of the child that wait for a client or a person, as the child last reported them. */
  calls?: WaitingCall[];
}

/** The call of a remote tool waits for the result that a client posts (contract, "Pending tool calls"). */
export interface AwaitedClientResult {
  kind: "remote";
  /** Microseconds since epoch. Without a result by then, the call gets an error result. */
  deadline: number;
  delivered: ClientAnswer | null;
}

/** The call waits for a person's approval (architecture §5.3). The call's function has not run. */
export interface AwaitedApproval {
  kind: "approval";
  /** The person may change the arguments. */
  editable: boolean;
  /** Microseconds since epoch. Without a decision by then, the call gets an error result and never runs. */
  deadline: number;
  delivered: Approval | null;
}

/** A person's decision about a call: approved or declined. */
export interface Approval {
  approved: boolean;
  /** The user id of the person; null for a caller without one. */
  by: string | null;
  /** Microseconds since epoch. */
  at: number;
  /** The changed arguments that the call runs with. */
  args?: JsonObject;
  /** Why the call was declined. The model reads it. */
  reason?: string;
  /** The decision was imported with the thread. A user's file does not prove who decided, so `by` is null. */
  imported?: true;
}

/** The result that a client sent. Its images and files are stored as files of the thread when the loop stores the result. */
interface ClientAnswer {
  answer: ToolAnswer;
}

/** The limit at which a run is suspended. The run resumes when the limit is raised. */
export interface LimitSuspension {
  /** The API shows the suspension as a pending call of kind `limit` with this id. No message has this call. */
  id: string;
  reason: LimitReason;
  amount: AmountName;
  allowed: number;
  used: number;
  /** Microseconds since epoch. If the limit is not raised by then, the run ends. */
  deadline: number;
}

/** A child thread's result and usage. */
export interface Delivered {
  answer: ToolResult;
  usage: Usage;
  cost: number | null;
  /** The number of the child's tool calls. */
  tool_executions: number;
  work?: Work;
}

/** Usage in addition to tokens and cost. */
export interface Work {
  /** Model calls, including those of nested loops. */
  steps: number;
  /** Ended turns. */
  turns: number;
  /** Milliseconds of execution, without suspensions. */
  driven_ms: number;
  /** USD of the model calls whose cost is known. In contrast, the field `cost` is null if the cost of one call is unknown. */
  paid: number;
  /**
   * Model requests that are no steps: of tools during their calls, and those that continued an answer. Only the deployment's ceiling of steps
   * counts them. Absent: none.
   */
  requests?: number;
}
