// The effects of a branch: calls that are settled on the part left behind are not repeated.

import { beforeEach, describe, expect, it } from "vitest";

import type { PostRun } from "#contract/run-route.ts";
import type { Message } from "#contract/thread-message.ts";

import { ran } from "../worker/approval.ts";
import { effects, scripts } from "../worker/definitions.ts";
import { branchMessages, checkout, messageWith, runBranch } from "./branch-driver.ts";
import { resetAgents } from "./team-driver.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(() => {
  resetAgents();
  effects.length = 0;
  ran.length = 0;
});

type Call = { name: string; arguments: Record<string, unknown> };
const note = (text: string): Call => ({ name: "note", arguments: { text } });

/** Lets the model make these calls when a message has this text, and answer after them. */
function script(word: string, ...calls: Call[]): void {
  scripts.set(word, ({ step }) => (step === 0 ? { toolCalls: calls } : { text: `${word} done` }));
}

const toolsOf = async (id: string): Promise<Message[]> =>
  (await branchMessages(id)).filter(({ role }) => role === "tool");

/** Answers the message again. Returns the events of the run. */
async function rerun(id: string, word: string, input: Partial<PostRun> = {}) {
  const from = await messageWith(id, word);
  return (await runBranch(id, { from: from.id, ...input })).events;
}

/** A thread in which the model has made these calls. */
async function called(word: string, ...calls: Call[]): Promise<string> {
  script(word, ...calls);
  const id = await newThread("parallel");
  await converse(id, word);
  return id;
}

describe("a call of a new branch", () => {
  it("BRANCH20 A call of a new branch takes the result of an equal call of the part left behind, and its tool does not run", async () => {
    const id = await called("go", note("x"));
    const [source] = await toolsOf(id);
    const events = await rerun(id, "go");
    expect(effects).toEqual(["note x"]);
    const [taken] = await toolsOf(id);
    expect(taken).toMatchObject({ reused_from: source?.id, result: source?.result, status: "complete" });
    expect(taken?.id).not.toBe(source?.id);
    expect(events.filter(({ type }) => type.startsWith("tool_execution"))).toMatchObject([
      { type: "tool_execution_start", message_id: taken?.id },
      { type: "tool_execution_end", message_id: taken?.id, reused_from: source?.id, result: source?.result },
    ]);
  });

  it("BRANCH21 Equal calls take different results, once each in order, and further calls run", async () => {
    const id = await called("go", note("x"), note("x"));
    const sources = await toolsOf(id);
    script("go", note("x"), note("x"), note("x"));
    await rerun(id, "go");
    expect(effects).toEqual(["note x", "note x", "note x"]);
    const taken = (await toolsOf(id)).map(({ reused_from }) => reused_from);
    expect(taken).toEqual([sources[0]?.id, sources[1]?.id, undefined]);
    await rerun(id, "go");
    expect(effects).toHaveLength(3);
    expect(new Set((await toolsOf(id)).map(({ reused_from }) => reused_from)).size).toBe(3);
  });

  it("BRANCH22 A call with other arguments runs, and the order of keys and defaults of the schema make no difference", async () => {
    const id = await called("go", note("x"));
    script("go", note("y"), { name: "note", arguments: { more: 1, text: "x" } });
    await rerun(id, "go");
    expect(effects).toEqual(["note x", "note y"]);
  });

  it("BRANCH23 A call that its request wants to repeat runs again: all calls, or those with the named ids", async () => {
    const id = await called("go", note("x"), note("y"));
    const [first] = await toolsOf(id);
    await rerun(id, "go", { repeat: [first?.tool_call_id ?? ""] });
    expect(effects).toEqual(["note x", "note y", "note x"]);
    await rerun(id, "go", { repeat: "all" });
    expect(effects).toHaveLength(5);
    script("more", note("x"));
    await converse(id, "more");
    expect(effects.filter((effect) => effect === "note x")).toHaveLength(3);
  });

  it("BRANCH24 A failed call of the part left behind gives no result", async () => {
    const id = await called("go", { name: "broken", arguments: {} }, note("x"));
    await rerun(id, "go");
    const [broken, noted] = await toolsOf(id);
    expect(broken).toMatchObject({ result: { status: "error" } });
    expect(broken?.reused_from).toBeUndefined();
    expect(noted?.reused_from).toBeDefined();
  });

  it("BRANCH25 A call with an approved result is not asked about again, and keeps the decision; a declined one is asked about again", async () => {
    const pay: Call = { name: "pay", arguments: { to: "ann", amount: 5 } };
    script("pay", pay);
    const id = await newThread("payer");
    const decide = async (approved: boolean, start: () => Promise<unknown>) => {
      const following = await follow(id, { after: String((await value(stubOf(id).call("describe", admin))).last_seq) });
      await start();
      const rest = await following.until(({ type }) => type === "awaiting_tool_execution");
      const calls = rest.type === "awaiting_tool_execution" ? rest.tool_calls : [];
      const results = calls.map((call) => ({ tool_call_id: call.id, approved }));
      await value(stubOf(id).call("postToolResults", admin, { results }));
      await following.until(({ type }) => type === "run_end");
    };
    await decide(false, () => value(stubOf(id).call("postMessage", admin, message("pay"), null)));
    const from = (await messageWith(id, "pay")).id;
    await decide(true, () => value(stubOf(id).call("postRun", admin, { kind: "rerun", from }, null)));
    expect(ran.filter((line) => line.endsWith("done"))).toHaveLength(1);
    const [approved] = await toolsOf(id);
    const events = await rerun(id, "pay");
    expect(events.some(({ type }) => type === "awaiting_tool_execution")).toBe(false);
    expect(ran.filter((line) => line.endsWith("done"))).toHaveLength(1);
    expect((await toolsOf(id))[0]).toMatchObject({ reused_from: approved?.id, approval: approved?.approval });
  });

  it("BRANCH26 A call that a client answered takes the answer, and the run does not wait", async () => {
    script("ask", { name: "ask", arguments: { q: "where?" } });
    const id = await newThread("asker");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("ask"), null));
    const rest = await following.until(({ type }) => type === "awaiting_tool_execution");
    const calls = rest.type === "awaiting_tool_execution" ? rest.tool_calls : [];
    const results = calls.map((call) => ({ tool_call_id: call.id, result: "here" }));
    await value(stubOf(id).call("postToolResults", admin, { results }));
    await following.until(({ type }) => type === "run_end");
    await rerun(id, "ask");
    const [taken] = await toolsOf(id);
    expect(taken).toMatchObject({ content: "here", status: "complete" });
    expect(taken?.reused_from).toBeDefined();
  });

  it("BRANCH27 A result is used once on a branch, also after a crash and by later branches of the branch", async () => {
    const id = await called("go", note("x"), note("y"));
    script("go", note("x"));
    await rerun(id, "go");
    await crash(id);
    script("next", note("x"), note("y"));
    await converse(id, "next");
    expect(effects).toEqual(["note x", "note y", "note x"]);
    await rerun(id, "next");
    expect(effects).toEqual(["note x", "note y", "note x"]);
  });

  it("BRANCH31 A call of a repeatable tool runs again on a new branch, and a call of an idempotent tool takes the result", async () => {
    script("look", { name: "look", arguments: { at: "x" } }, { name: "listen", arguments: { to: "y" } });
    const id = await newThread("payer");
    await converse(id, "look");
    await rerun(id, "look");
    expect(ran.filter((line) => line.endsWith("done"))).toEqual(["look done", "listen done", "look done"]);
  });

  it("BRANCH28 A call of the first branch runs also when another branch has its result", async () => {
    const id = await called("go", note("x"));
    const branch_id = (await branchMessages(id))[0]?.branch_id ?? "";
    script("other", note("z"));
    await runBranch(id, { kind: "branch", from: (await messageWith(id, "go")).id, content: "other" });
    await checkout(id, { branch_id });
    await converse(id, "other");
    expect(effects).toEqual(["note x", "note z", "note z"]);
  });
});
