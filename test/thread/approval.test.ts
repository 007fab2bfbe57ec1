// Calls that need a person's approval: the run is suspended until the decision, and exists only as stored rows.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import type { PostedResult } from "#contract/tool-route.ts";

import { duringCall, payDeadlineMs, ran } from "../worker/approval.ts";
import { skip, testClock } from "../worker/clock.ts";
import { scripts } from "../worker/definitions.ts";
import { waitFor, lastRunOf, messagesOf, wake } from "./team-driver.ts";
import { admin, alarmOf, crash, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const isRest = ({ type }: ThreadEvent) => type === "awaiting_tool_execution";
const isEnd = ({ type }: ThreadEvent) => type === "run_end";

const pay = (to: string, amount = 5, name = "pay") => ({ name, arguments: { to, amount } });
const erase = (what: string) => ({ name: "erase", arguments: { what } });

/** What the model read from the tools of the step before, by message text. */
const receivedBy = new Map<string, string[]>();

type Call = { name: string; arguments: Record<string, unknown> };

/** Lets the model make these calls when a message has this text, and answer after them. */
function script(word: string, calls: Call[]): void {
  scripts.set(word, ({ step, messages }) => {
    if (step === 0) return { text: "I will.", toolCalls: calls };
    const tools = messages.filter(({ role }) => role === "tool");
    receivedBy.set(
      word,
      tools.map(({ content }) => content ?? ""),
    );
    return { text: "Done." };
  });
}

/** A thread whose run waits for approval of these calls. */
async function asking(word: string, calls: Call[], agent = "payer") {
  script(word, calls);
  const id = await newThread(agent);
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message(word), null));
  const rest = await following.until(isRest);
  const pending = rest.type === "awaiting_tool_execution" ? rest.tool_calls : [];
  return { id, following, pending, ids: pending.map((call) => call.id) };
}

const answer = (id: string, ...results: PostedResult[]) => stubOf(id).call("postToolResults", admin, { results });
const approve = (tool_call_id: string | undefined, args?: PostedResult["args"]): PostedResult => ({
  tool_call_id: tool_call_id ?? "",
  approved: true,
  ...(args === undefined ? {} : { args }),
});
const decline = (tool_call_id: string | undefined, error?: string): PostedResult => ({
  tool_call_id: tool_call_id ?? "",
  approved: false,
  ...(error === undefined ? {} : { error }),
});
const toolsOf = async (id: string) => (await messagesOf(id)).filter(({ role }) => role === "tool");
const resultsOf = async (id: string) => (await toolsOf(id)).map(({ status, content }) => [status, content]);

beforeEach(() => {
  ran.length = 0;
  duringCall.run = null;
});

describe("a call that needs approval", () => {
  it("APPROVE1 An approval is requested after the step's other calls are done; before the approval, the call does not run and emits no start event", async () => {
    for (const agent of ["payer", "careful_payer"]) {
      ran.length = 0;
      const { id, following, pending } = await asking(
        `asks_${agent}`,
        [pay("Ada"), { name: "note", arguments: { text: "x" } }, erase("all")],
        agent,
      );
      expect(pending).toMatchObject([
        { name: "pay", arguments: { to: "Ada", amount: 5 }, kind: "approval", editable_arguments: true },
        { name: "erase", arguments: { what: "all" }, kind: "approval" },
      ]);
      expect(pending[1]).not.toHaveProperty("editable_arguments");
      expect(ran).toEqual([]);
      const begun = following.events.flatMap((event) => (event.type === "tool_execution_start" ? event.tool_name : []));
      expect(begun).toEqual(["note"]);
      expect((await toolsOf(id)).map(({ name, status }) => [name, status])).toEqual([
        ["pay", "started"],
        ["note", "complete"],
        ["erase", "started"],
      ]);
      const thread = await value(stubOf(id).call("describe", admin));
      expect(thread).toMatchObject({ status: "awaiting_tool_execution" });
      expect(thread.pending_tool_calls).toMatchObject([{ kind: "approval" }, { kind: "approval" }]);
      following.close();
      await evict(id);
      const first = pending[0]?.deadline ?? 0;
      expect(Math.ceil((first - testClock.now()) / 1000)).toBeLessThanOrEqual(payDeadlineMs);
      expect(await alarmOf(id)).toBe(Math.ceil(first / 1000));
    }
  });

  it("APPROVE1 A pending approval is sent, with the call's arguments, to readers that connect later", async () => {
    const { id, following, pending } = await asking("told_again", [pay("Ada")]);
    following.close();
    await evict(id);
    const later = await follow(id, { after: "0" });
    expect(await later.until(isRest)).toMatchObject({ tool_calls: pending });
    later.close();
  });

  it("APPROVE2 A call waits for approval if its approval function requires it, and it never runs if that function fails", async () => {
    const { id, following, pending, ids } = await asking("some", [
      pay("Ada", 50, "spend"),
      pay("Ada", 500, "spend"),
      pay("nobody", 1, "spend"),
    ]);
    expect(pending).toMatchObject([{ arguments: { amount: 500 }, kind: "approval" }]);
    expect(ran).toEqual(['spend {"to":"Ada","amount":50} 1', "spend done"]);
    await value(answer(id, decline(ids[0])));
    await following.until(isEnd);
    expect(ran).toHaveLength(2);
    expect((await resultsOf(id)).map(([, content]) => content)).toEqual([
      'spend {"to":"Ada","amount":50}',
      'The call of "spend" was declined by a person, so it was not run.',
      "nobody is not known",
    ]);
    following.close();
  });

  it("APPROVE2 A call never runs if its approval function does not answer in time", async () => {
    script("hangs", [pay("slow", 1, "spend")]);
    const id = await newThread("payer");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("hangs"), null));
    await following.until(isEnd);
    expect(ran).toEqual([]);
    const [[status, words] = []] = await resultsOf(id);
    expect([status, words]).toEqual([
      "complete",
      'Whether "spend" needs approval could not be found out in time; it was not run.',
    ]);
    following.close();
  });

  it("APPROVE2 If the arguments of a call do not match the tool's schema, the call gets an error result, and no approval is requested", async () => {
    script("unfit", [{ name: "pay", arguments: { to: "Ada", amount: -1 } }]);
    const id = await newThread("payer");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("unfit"), null));
    await following.until(isEnd);
    expect(following.events.filter(isRest)).toEqual([]);
    expect((await resultsOf(id))[0]?.[1]).toContain("do not fit");
    following.close();
  });

  it("APPROVE3 An approved call runs once, and its message names who approved it and when", async () => {
    const { id, following, ids } = await asking("yes", [pay("Ada")]);
    await evict(id);
    const taken = await value(
      stubOf(id).call("postToolResults", { user: "eve", admin: true }, { results: [approve(ids[0])] }),
    );
    expect(taken.missing).toEqual([]);
    await following.until(isEnd);
    expect(ran).toEqual(['pay {"to":"Ada","amount":5} 1', "pay done"]);
    const [tool] = await toolsOf(id);
    expect(tool).toMatchObject({ status: "complete", content: 'pay {"to":"Ada","amount":5}' });
    expect(tool?.approval).toEqual({ approved: true, by: "eve", at: expect.any(Number) });
    const types = following.events.map(({ type }) => type);
    const of = (type: ThreadEvent["type"]) => types.indexOf(type);
    expect(of("awaiting_tool_execution")).toBeLessThan(of("tool_execution_start"));
    expect(of("tool_execution_start")).toBeLessThan(of("tool_execution_end"));
    expect(types.filter((type) => type === "tool_execution_start")).toHaveLength(1);
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ status: "idle", pending_tool_calls: [] });
    following.close();
  });

  it("APPROVE4 A declined call never runs, and the model reads the reason", async () => {
    const { id, following, ids } = await asking("no", [pay("Ada"), erase("all")]);
    await value(answer(id, decline(ids[0], "Too much."), approve(ids[1])));
    await following.until(isEnd);
    expect(ran).toEqual(['erase {"what":"all"} 1', "erase done"]);
    const words = 'The call of "pay" was declined by a person, so it was not run. They said: Too much.';
    expect(receivedBy.get("no")?.[0]).toContain(words);
    const [tool] = await toolsOf(id);
    expect(tool?.result).toEqual({ status: "error", error: words });
    expect(tool?.approval).toMatchObject({ approved: false, reason: "Too much." });
    const emitted = following.events.flatMap((event) => (event.type === "tool_execution_end" ? [event.is_error] : []));
    expect(emitted).toContain(true);
    following.close();
  });

  it("APPROVE5 An approved call runs with changed arguments if its tool allows changes", async () => {
    const { id, following, ids } = await asking("other", [pay("Ada"), erase("all")]);
    const [payId, eraseId] = ids;
    expect(await answer(id, approve(eraseId, { what: "little" }))).toMatchObject({
      refusal: { code: "conflict", message: expect.stringContaining("editableArguments") },
    });
    expect(await answer(id, approve(payId, { to: "Bob", amount: -1 }))).toMatchObject({
      refusal: { code: "invalid_request", details: { field: "results.0.args" } },
    });
    const changed = { to: "Bob", amount: 3 };
    await value(answer(id, approve(payId, changed), decline(eraseId)));
    await following.until(isEnd);
    expect(ran).toEqual([`pay ${JSON.stringify(changed)} 1`, "pay done"]);
    const start = following.events.find(({ type }) => type === "tool_execution_start");
    expect(start).toMatchObject({ args: changed });
    const [tool] = await toolsOf(id);
    expect(tool?.approval?.args).toEqual(changed);
    expect(tool?.result?.result).toBe(`pay ${JSON.stringify(changed)}`);
    expect(receivedBy.get("other")?.[0]).toContain(`A person changed the arguments to ${JSON.stringify(changed)}`);
    const again = await follow(id, { after: "0", until: "idle" });
    await again.closed;
    expect(again.events.find(({ type }) => type === "tool_execution_start")).toMatchObject({ args: changed });
    following.close();
  });

  it("APPROVE6 The first of several decisions counts, and a tool result is refused in place of a decision", async () => {
    const { id, following, ids } = await asking("first", [pay("Ada"), { name: "ask", arguments: { q: "?" } }]);
    const [payId = "", askId = ""] = ids;
    const run = (await lastRunOf(id)).id;
    const conflict = { ok: false, refusal: { code: "conflict" } };
    expect(await answer(id, { tool_call_id: payId, result: "paid" })).toMatchObject(conflict);
    expect(await answer(id, approve(askId))).toMatchObject(conflict);
    const wrong = { results: [approve(payId)], run_id: "another" };
    expect(await stubOf(id).call("postToolResults", admin, wrong)).toMatchObject(conflict);
    const answers = await Promise.all([answer(id, decline(payId)), answer(id, approve(payId))]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    // The order of two simultaneous requests is not defined.
    const isDeclined = answers[0]?.ok === true;
    const [first, second] = isDeclined ? [decline(payId), approve(payId)] : [approve(payId), decline(payId)];
    await value(stubOf(id).call("postToolResults", admin, { results: [first], run_id: run }));
    expect(await answer(id, second)).toMatchObject(conflict);
    await value(answer(id, { tool_call_id: askId, result: "yes" }));
    await following.until(isEnd);
    await value(answer(id, first));
    expect(await answer(id, second)).toMatchObject(conflict);
    expect(ran).toHaveLength(isDeclined ? 0 : 2);
    following.close();
  });

  it("APPROVE7 Approved calls of one step run when all of them are approved: in parallel or one after the other, as the prompt sets", async () => {
    for (const [agent, overlaps] of [
      ["payer", true],
      ["careful_payer", false],
    ] as const) {
      ran.length = 0;
      const word = `order_${agent}`;
      const { id, following, ids } = await asking(word, [pay("Ada"), erase("all"), pay("Bob")], agent);
      duringCall.run = () => new Promise((resolve) => setTimeout(resolve, 0));
      await value(answer(id, approve(ids[0]), approve(ids[1])));
      expect(ran).toEqual([]);
      await value(answer(id, approve(ids[2])));
      await following.until(isEnd);
      expect(ran[1] === "pay done").toBe(!overlaps);
      expect(ran).toHaveLength(6);
      expect((await resultsOf(id)).map(([status]) => status)).toEqual(["complete", "complete", "complete"]);
      following.close();
    }
  });

  it("APPROVE8 A call never runs if no decision arrives before the deadline or if its run is stopped", async () => {
    const late = await asking("nobody_decides", [pay("Ada")]);
    await evict(late.id);
    skip(payDeadlineMs + 1000);
    expect(await wake(late.id)).toBe(true);
    await late.following.until(isEnd);
    expect((await resultsOf(late.id))[0]?.[1]).toBe('Nobody approved the call of "pay" in time, so it was not run.');
    expect(await value(answer(late.id, approve(late.ids[0])))).toMatchObject({ ignored: late.ids });
    late.following.close();
    const stopped = await asking("stopped_asking", [pay("Ada")]);
    await value(stubOf(stopped.id).call("stop", admin, null));
    await stopped.following.until(isEnd);
    expect(await value(answer(stopped.id, approve(stopped.ids[0])))).toMatchObject({ ignored: stopped.ids });
    stopped.following.close();
    expect(ran).toEqual([]);
  });

  it("APPROVE8 If a thread is read after the deadline of an approval, the call never runs and its run continues, although no alarm fired", async () => {
    const { id, following } = await asking("overdue", [pay("Eve")]);
    skip(payDeadlineMs + 1000);
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ pending_tool_calls: [] });
    await following.until(isEnd);
    following.close();
    expect(ran).toEqual([]);
    expect((await resultsOf(id))[0]?.[1]).toBe('Nobody approved the call of "pay" in time, so it was not run.');
    expect(await lastRunOf(id)).toMatchObject({ status: "completed" });
  });

  it("APPROVE9 A call survives a crash while it waits and after the decision; a crash while it runs leaves an interrupted call", async () => {
    const { id, ids } = await asking("crash_consent", [pay("Ada")]);
    await crash(id);
    expect((await value(stubOf(id).call("describe", admin))).pending_tool_calls).toHaveLength(1);
    await value(answer(id, approve(ids[0])));
    await crash(id);
    await wake(id);
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
    expect(ran.filter((line) => line.startsWith("pay {")).length).toBe(1);

    ran.length = 0;
    const cut = await asking("cut_consent", [pay("Ada")]);
    duringCall.run = () => new Promise(() => {});
    await value(answer(cut.id, approve(cut.ids[0])));
    await waitFor(() => ran.length === 1);
    duringCall.run = null;
    await crash(cut.id);
    await wake(cut.id);
    await waitFor(async () => (await lastRunOf(cut.id)).status === "completed");
    expect(ran.filter((line) => line.startsWith("pay {")).length).toBe(1);
    expect((await resultsOf(cut.id))[0]?.[1]).toContain("Whether it took effect is unknown");
  });

  it("APPROVE10 A call inside a prompt that is used as a tool needs approval in the same way", async () => {
    script("inner_task", [pay("Ada")]);
    const { id, following, ids, pending } = await asking(
      "outer",
      [{ name: "cashier", arguments: { task: "inner_task" } }],
      "head_cashier",
    );
    expect(pending).toMatchObject([{ name: "pay", kind: "approval" }]);
    await evict(id);
    await value(answer(id, approve(ids[0])));
    await following.until(isEnd);
    expect(ran).toEqual(['pay {"to":"Ada","amount":5} 1', "pay done"]);
    following.close();
  });
});
