// A thread whose model calls a tool once, and what the tests of models and agents inside of the tool read of it.

import type { EventOf, EventType, ThreadEvent } from "#contract/event.ts";
import type { TestTurn, ThreadState, ToolCall } from "#spec/index.ts";

import { scripts } from "../worker/definitions.ts";
import { toolFunctions } from "../worker/executed.ts";
import { admin, newThread, stubOf, value } from "./thread-driver.ts";

let consultations = 0;

/** The usage of each of the two answers of the thread's own model. */
const own = { input: 1, output: 1 };

/** The cost of both answers of the thread's own model in USD. */
export const ownCost = 2 * (3 / 1_000_000);

/** The tools of test/worker/executed.ts. */
type ToolName = "consult" | "consult_again" | "consult_known";

/** Creates the thread. On the message `text`, its model calls the tool, which does `work`. */
export async function consulting(
  work: (state: ThreadState, call: ToolCall) => Promise<string>,
  tool: ToolName = "consult",
): Promise<{ id: string; text: string }> {
  const name = `consult${(consultations += 1)}`;
  toolFunctions.set(name, work);
  scripts.set(name, ({ step }): TestTurn =>
    step === 0 ? { toolCalls: [{ name: tool, arguments: { work: name } }], usage: own } : { text: "Done.", usage: own },
  );
  return { id: await newThread("consulting"), text: name };
}

/** The events of a type. */
export const of = <T extends EventType>(events: readonly ThreadEvent[], type: T): EventOf<T>[] =>
  events.filter((event): event is EventOf<T> => event.type === type);

const page = { limit: 100, order: "asc" as const, include_silent: true };

/** The message of the tool's call. */
export async function toolMessage(id: string) {
  const { items } = await value(stubOf(id).call("listMessages", admin, page));
  return items.find(({ role }) => role === "tool");
}
