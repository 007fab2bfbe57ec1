// Runs that reach a limit and wait there, and requests that raise it.

import type { ThreadEvent } from "#contract/event.ts";
import type { Limits } from "#contract/run.ts";
import type { RequestKey } from "#core/rpc/thread-rpc.ts";
import type { TestTurn } from "#spec/index.ts";

import { scriptedAnswers } from "../worker/team.ts";
import { admin, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import type { Following } from "./thread-driver.ts";

/** A hundred tokens, 0.00014 USD. */
export const usage = { input: 60, output: 40 };
export const acting: TestTurn = { toolCalls: [{ name: "act", arguments: { key: "none" } }], usage };
export const calling = (name: string): TestTurn => ({ toolCalls: [{ name, arguments: { task: "help" } }], usage });

/** A boss that makes this many calls and then answers. */
export function boss(times: number): void {
  scriptedAnswers.set("boss", ({ step }) => (step < times ? acting : { text: "done", usage }));
}

export const isRest = ({ type }: ThreadEvent) => type === "awaiting_tool_execution";
export const restsOf = (events: readonly ThreadEvent[]) =>
  events.flatMap((event) => (event.type === "awaiting_tool_execution" ? [event] : []));

interface Begun {
  id: string;
  runId: string;
  following: Following;
}

/** A thread whose run has reached its limit. */
export async function limited(limits: Limits | null, agent = "capped", extra: object = {}): Promise<Begun> {
  const id = await newThread(agent, extra);
  const following = await follow(id, { after: "0" });
  const asks = limits === null ? {} : { limits };
  const { run } = await value(stubOf(id).call("postMessage", admin, message("go", asks), null));
  await following.until(isRest);
  return { id, runId: run?.id ?? "", following };
}

export const goOn = (id: string, limits?: Limits, key: RequestKey | null = null) =>
  stubOf(id).call("postRun", admin, { kind: "continue", ...(limits === undefined ? {} : { limits }) }, key);
