// Shared by the tests of branches: conversations of a few turns, reruns and edits, and the tree.

import type { Branch, CheckedOut, Checkout } from "#contract/branch-route.ts";
import type { ThreadEvent } from "#contract/event.ts";
import { emptyView, foldAll } from "#contract/fold.ts";
import type { PostRun } from "#contract/run-route.ts";
import type { Message } from "#contract/thread-message.ts";
import type { Admission } from "#core/rpc/thread-rpc.ts";

import { admin, follow, stubOf, value } from "./thread-driver.ts";

const all = { limit: 1000, order: "asc" as const, include_silent: true };

/** The messages of a branch; of the current one without a branch. */
export async function branchMessages(id: string, branch?: string): Promise<Message[]> {
  const query = branch === undefined ? all : { ...all, branch };
  return (await value(stubOf(id).call("listMessages", admin, query))).items;
}

/** The roles and texts of a branch's messages; of a tool its status. */
export async function textsOf(id: string, branch?: string): Promise<string[]> {
  return (await branchMessages(id, branch)).map(textLine);
}

/** The role and the text of a message; of a tool its status. */
function textLine({ role, content, result, tool_calls }: Message): string {
  if (role === "tool") return `tool ${result?.status}`;
  return `${role}: ${content ?? (tool_calls === null ? "" : "calls")}`;
}

/** The message of a thread with a text. */
export async function messageWith(id: string, text: string, branch?: string): Promise<Message> {
  const found = (await branchMessages(id, branch)).find(({ content }) => content === text);
  if (found === undefined) throw new Error(`There is no message "${text}".`);
  return found;
}

/** Admits a run without a posted message. */
export function startBranch(id: string, input: Partial<PostRun>): Promise<Admission> {
  return value(stubOf(id).call("postRun", admin, { kind: "rerun", ...input }, null));
}

/** Admits a run without a posted message, and follows it to its end. */
export async function runBranch(
  id: string,
  input: Partial<PostRun>,
): Promise<{ admission: Admission; events: ThreadEvent[] }> {
  const admission = await startBranch(id, input);
  const following = await follow(id, { after: String(admission.after), run_id: admission.run?.id ?? "" });
  await following.closed;
  return { admission, events: following.events };
}

export function checkout(id: string, target: Checkout): Promise<CheckedOut> {
  return value(stubOf(id).call("checkout", admin, target));
}

/** All branches, in the order in which they were made. */
export async function treeOf(id: string): Promise<Branch[]> {
  return (await value(stubOf(id).call("listBranches", admin, { limit: 1000 }))).items;
}

/** The messages that a reader shows who follows from an event number on, folded over the messages before it. */
export async function foldedTexts(id: string, after = 0): Promise<string[]> {
  const following = await follow(
    id,
    after === 0 ? { after: "0", until: "idle" } : { after: String(after), until: "idle" },
  );
  await following.closed;
  return foldAll(following.events, emptyView).messages.map(textLine);
}
