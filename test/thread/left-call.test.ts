// Queued calls that no run can make: their tool or agent was removed, or each run fails and leaves its calls to the next one.

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { registry } from "../worker/definitions.ts";
import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import { exported, linesOf, replaced, sealed } from "./archive-client.ts";
import { latch, resetAgents, lastRunOf } from "./team-driver.ts";
import { admin, converse, crash, evict, follow, message, newThread, stubOf, types, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };
const runPage = { limit: 50, order: "asc" as const };
const definitions = { tools: { ...registry.tools }, agents: { ...registry.agents } };
const removed = { message: "no", status: 400 };

beforeEach(resetAgents);

afterEach(() => {
  Object.assign(registry.tools, definitions.tools);
  Object.assign(registry.agents, definitions.agents);
});

const runsOf = async (id: string) => (await value(stubOf(id).call("listRuns", admin, runPage))).items;
const messagesOf = async (id: string) => (await value(stubOf(id).call("listMessages", admin, page))).items;
const ends = (events: Awaited<ReturnType<typeof converse>>) => events.filter(({ type }) => type === "run_end");

/** A thread whose model is being asked while a call of `act` is queued; the model fails once the latch is open. */
async function waitingCall() {
  const id = await newThread("boss");
  const [fail, reached] = [latch(), latch()];
  toolEffects.set("queue", (state) => state.queueTool("act", { key: "later" }));
  let first = true;
  scriptedAnswers.set("boss", async () => {
    if (!first) return { text: "done" };
    first = false;
    reached.open();
    await fail.passed;
    return { error: removed };
  });
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  await reached.opened();
  await value(stubOf(id).call("invokeTool", admin, "act", { key: "queue" }));
  return { id, fail, following };
}

/** Runs that each fail, and each leave a queued call for the next one. */
async function endlessChain(at: (run: number) => Promise<unknown> | undefined) {
  const id = await newThread("boss");
  let requested = 0;
  toolEffects.set("queue", (state) => state.queueTool("act", { key: "later" }));
  scriptedAnswers.set("boss", async () => {
    requested += 1;
    await at(requested);
    await value(stubOf(id).call("invokeTool", admin, "act", { key: "queue" }));
    return { error: removed };
  });
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  return { id, following, requested: () => requested };
}

describe("a queued call that cannot be made", () => {
  it("A queued call gets an error if a deployment has removed its tool, and its run continues", async () => {
    const { id, fail, following } = await waitingCall();
    delete registry.tools["act"];
    fail.open();
    await following.until((event) => event.type === "run_end" && event.status === "completed");
    following.close();
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(["error", "completed"]);
    const [, calling, result] = await messagesOf(id);
    expect(calling).toMatchObject({ metadata: { queued: true } });
    expect(result).toMatchObject({ role: "tool", name: "act" });
    expect(result?.content).toMatch(/^There is no tool named "act"\./);
  });

  it("If a deployment removes a thread's agent, a queued call of the thread ends one run with an error that names the call, and no other run starts", async () => {
    const { id, fail, following } = await waitingCall();
    const other = await newThread("parallel");
    delete registry.agents["boss"];
    fail.open();
    await following.until(() => ends(following.events).length === 2);
    following.close();
    expect((await converse(other, "hello")).at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    await evict(id);
    const runs = await runsOf(id);
    expect(runs.map(({ reason }) => reason)).toEqual(["api", "agent_not_found"]);
    expect(runs.at(-1)?.error?.message).toMatch(/Queued calls were not made: "act"\.$/);
    await value(stubOf(id).call("stop", admin, null));
    await value(stubOf(id).call("remove", admin));
    expect(await stubOf(id).call("describe", admin)).toMatchObject({ refusal: { code: "thread_not_found" } });
  });

  it("A hundred waiting inputs of a thread whose agent was removed each fail once, and other threads are answered meanwhile", async () => {
    const id = await newThread("boss");
    const other = await newThread("parallel");
    const [fail, reached] = [latch(), latch()];
    scriptedAnswers.set("boss", async () => {
      reached.open();
      await fail.passed;
      return { error: removed };
    });
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("first"), null));
    await reached.opened();
    for (let at = 0; at < 100; at += 1)
      await value(stubOf(id).call("postMessage", admin, message(`input ${at}`), null));
    delete registry.agents["boss"];
    fail.open();
    await following.until(() => ends(following.events).length === 2);
    expect(types(await converse(other, "hello")).at(-1)).toBe("run_end");
    await following.until(() => ends(following.events).length === 101);
    following.close();
    const reasons = new Set(following.events.flatMap((event) => (event.type === "run_end" ? [event.reason] : [])));
    expect([...reasons]).toEqual(["api", "agent_not_found"]);
  });

  it("A queued call of a failed run starts a new run at most ten times in a row, also with a crash in between", async () => {
    const [reached, never] = [latch(), latch()];
    const { id, requested, ...before } = await endlessChain((run) => {
      if (run !== 4) return undefined;
      reached.open();
      return never.passed;
    });
    await reached.opened();
    before.following.close();
    await crash(id);
    const following = await follow(id, { after: "0" });
    const last = await following.until(
      (event) => event.type === "run_end" && event.error?.message.includes("not made") === true,
    );
    following.close();
    expect(last).toMatchObject({ status: "error", reason: "api" });
    // The run that the crash interrupted asked its model twice.
    expect(requested()).toBe(12);
    await evict(id);
    expect((await runsOf(id)).length).toBe(11);
    expect((await lastRunOf(id)).id).toBe(last.run_id);
    // The next message begins a run as usual.
    scriptedAnswers.set("boss", () => ({ text: "back" }));
    expect((await converse(id, "hello")).at(-1)).toMatchObject({ status: "completed" });
  });

  it("A stop, or the deletion of the thread, ends an endless chain of runs in which each run starts the next one by a queued call", async () => {
    const [reached, never] = [latch(), latch()];
    const chain = await endlessChain((run) => {
      if (run !== 4) return undefined;
      reached.open();
      return never.passed;
    });
    await reached.opened();
    await value(stubOf(chain.id).call("stop", admin, null));
    await chain.following.until((event) => event.type === "run_end" && event.status === "stopped");
    chain.following.close();
    expect((await runsOf(chain.id)).map(({ status }) => status)).toEqual(["error", "error", "error", "stopped"]);
    expect((await value(stubOf(chain.id).call("describe", admin))).status).toBe("idle");

    const again = latch();
    const { id, following } = await endlessChain((run) => {
      if (run !== 4) return undefined;
      again.open();
      return never.passed;
    });
    await again.opened();
    await value(stubOf(id).call("remove", admin));
    following.close();
    expect(await stubOf(id).call("describe", admin)).toMatchObject({ refusal: { code: "thread_not_found" } });
  });

  it("An interrupt drops the queued call of the run that it ends, and only the interrupting input runs next", async () => {
    const { id, following } = await waitingCall();
    await value(stubOf(id).call("postMessage", admin, { ...message("instead"), when: "interrupt" }, null));
    await following.until(() => ends(following.events).length === 2);
    following.close();
    expect((await runsOf(id)).map(({ kind, status }) => [kind, status])).toEqual([
      ["message", "stopped"],
      ["message", "completed"],
    ]);
    expect((await value(stubOf(id).call("describe", admin))).status).toBe("idle");
  });

  it("IMPORT20 A waiting run's call of an undefined name is imported, and gets an error when it is made", async () => {
    const id = await newThread("boss");
    const [hold, reached] = [latch(), latch()];
    scriptedAnswers.set("boss", async () => {
      reached.open();
      await hold.passed;
      return { text: "done" };
    });
    await value(stubOf(id).call("postMessage", admin, message("first"), null));
    await reached.opened();
    await value(stubOf(id).call("postMessage", admin, message("second"), null));
    const lines = linesOf(await exported(id));
    hold.open();
    const waiting = lines.find(({ run }) => run?.status === "queued");
    if (waiting === undefined) throw new Error("no run waits");
    waiting["run"].calls = [{ id: "x", name: "no_such_tool", arguments: {} }];
    await replaced(id, await sealed(lines));
    scriptedAnswers.set("boss", () => ({ text: "after all" }));
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postRun", admin, { kind: "continue" }, null));
    await following.until((event) => event.type === "run_end" && event.run_id === waiting["run"].id);
    following.close();
    const answers = (await messagesOf(id)).map(({ role, content }) => [role, content?.slice(0, 37) ?? null]);
    expect(answers.slice(-4)).toEqual([
      ["user", "second"],
      ["assistant", null],
      ["tool", 'There is no tool named "no_such_tool"'],
      ["assistant", "after all"],
    ]);
  });
});
