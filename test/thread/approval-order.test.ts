// Approvals and declines that come one by one, next to other calls, at the last moment, or too late.

import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

import type { ThreadEvent } from "#contract/event.ts";
import { defineTool } from "#spec/index.ts";

import { released } from "../worker/answered.ts";
import { payDeadlineMs, ran } from "../worker/approval.ts";
import { skip, skipFor, testClock } from "../worker/clock.ts";
import { scripts } from "../worker/definitions.ts";
import { onPlace } from "../worker/places.ts";
import {
  answer,
  approve,
  ask,
  erase,
  resetAnswers,
  named,
  pay,
  suspended,
  says,
  script,
  send,
} from "./answer-client.ts";
import { exported, replaced } from "./archive-client.ts";
import { latch, waitFor, lastRunOf, messagesOf, wake } from "./team-driver.ts";
import { admin, alarmOf, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const isEnd = ({ type }: ThreadEvent) => type === "run_end";

beforeEach(resetAnswers);

describe("an approved call", () => {
  it.each(["careful_house", "batched_house"])(
    "APPROVE7 An approved call does not run while the child thread of an earlier call of its step waits, and its run is executed only once meanwhile (%s)",
    async (agent) => {
      script("behind", [send("pay_room", "behind_inside"), erase("all")]);
      script("behind_inside", [ask("why")]);
      const { id, following, calls } = await suspended(agent, "behind", 2);
      let drives = 0;
      onPlace((place) => {
        if (place.thread !== id || place.name !== "run.assemble") return undefined;
        drives += 1;
        // A run that is executed endlessly would block the test.
        return drives > 10 ? new Promise(() => {}) : undefined;
      });
      await value(answer(id, approve(named(calls, "erase"))));
      await waitFor(async () => drives > 0 && (await lastRunOf(id)).status === "awaiting_tool_execution");
      expect([drives, ran]).toEqual([1, []]);
      await value(answer(id, says(named(calls, "ask"), "because")));
      await following.until(isEnd);
      expect(ran).toHaveLength(2);
      following.close();
    },
  );

  it("APPROVE7 An approved call waits until every call of its step is decided, also when the run's alarm fires", async () => {
    script("waits", [erase("first"), pay("Ada")]);
    const { id, following, calls } = await suspended("careful_payer", "waits", 2);
    await value(answer(id, approve(named(calls, "pay"))));
    skip(payDeadlineMs + 1000);
    await wake(id);
    await waitFor(async () => ((await alarmOf(id)) ?? 0) > testClock.now() / 1000 + 3_600_000);
    expect(ran).toEqual([]);
    following.close();
  });

  it("APPROVE7 An approved call does not run if its run is stopped first; a replay has the same events, and the next request does not mention its changed arguments", async () => {
    script("halted", [pay("Ada"), ask("other")]);
    const { id, following, calls } = await suspended("payer", "halted", 2);
    await value(answer(id, approve(named(calls, "pay"), { to: "Bob", amount: 1 })));
    await value(stubOf(id).call("stop", admin, null));
    await following.until(isEnd);
    const starts = (events: ThreadEvent[]) =>
      events
        .flatMap((event) => (event.type === "tool_execution_start" ? [event] : []))
        .map((event) => ({ ...event, prev: 0 }));
    const again = await follow(id, { after: "0", until: "idle" });
    await again.closed;
    expect(starts(again.events)).toEqual(starts(following.events));
    let read = "";
    scripts.set("halted_next", ({ messages }) => {
      read = messages.map(({ content }) => content).join("\n");
      return { text: "ok" };
    });
    await value(stubOf(id).call("postMessage", admin, message("halted_next"), null));
    await waitFor(() => read !== "");
    expect(ran).toEqual([]);
    expect(read).not.toContain("before the call ran");
    following.close();
  });
});

describe("a decision", () => {
  it("APPROVE8 If an approval arrives while the expired deadline is processed, the call does not run, and the response lists the approval as ignored", async () => {
    script("too_late", [pay("Ada")]);
    const { id, following, calls } = await suspended("payer", "too_late", 1);
    const paused = latch();
    let reached = false;
    onPlace((place) => {
      if (place.thread !== id || place.name !== "result.after-call") return undefined;
      reached = true;
      return paused.passed;
    });
    skip(payDeadlineMs + 1000);
    await wake(id);
    await waitFor(() => reached);
    const taken = await value(answer(id, approve(named(calls, "pay"))));
    paused.open();
    await following.until(isEnd);
    expect([ran, taken.ignored]).toEqual([[], [named(calls, "pay")]]);
    following.close();
  });

  it("APPROVE8 If approvals arrive while a stop is processed, their calls do not run, and the response lists the approvals as ignored", async () => {
    script("behind_stop", [pay("Ada"), pay("Bob"), pay("Cleo")]);
    const { id, following, calls } = await suspended("payer", "behind_stop", 3);
    const paused = latch();
    let reached = false;
    onPlace((place) => {
      if (place.thread !== id || place.name !== "run.assemble") return undefined;
      reached = true;
      return paused.passed;
    });
    await value(stubOf(id).call("stop", admin, null));
    await waitFor(() => reached);
    const ids = calls.map((call) => call.id);
    const taken = await value(answer(id, ...ids.map((call) => approve(call))));
    paused.open();
    await following.until(isEnd);
    expect([ran, taken.ignored.toSorted()]).toEqual([[], ids.toSorted()]);
    following.close();
  });

  it("APPROVE4 A declined call stays declined when its run is stopped", async () => {
    script("declined", [pay("Ada"), ask("other")]);
    const { id, following, calls } = await suspended("payer", "declined", 2);
    await value(answer(id, { tool_call_id: named(calls, "pay"), approved: false, error: "Never." }));
    await value(stubOf(id).call("stop", admin, null));
    await following.until(isEnd);
    const tool = (await messagesOf(id)).find(({ name }) => name === "pay");
    expect(tool?.content).toContain("declined");
    following.close();
  });

  it("APPROVE4 A declined call stays declined when its run ends with an error before the run resumes", async () => {
    script("given_up", [pay("Ada"), ask("other")]);
    const { id, following, calls } = await suspended("payer", "given_up", 2);
    await value(answer(id, { tool_call_id: named(calls, "pay"), approved: false, error: "n".repeat(60_000) }));
    await crash(id);
    // The same happens if a deployment removes the agent: the run ends before its loop.
    onPlace((place) =>
      place.thread === id && place.name === "run.assemble" ? Promise.reject(new Error("the agent is gone")) : undefined,
    );
    await value(answer(id, says(named(calls, "ask"), "x")));
    await waitFor(async () => (await lastRunOf(id)).status === "error");
    const tool = (await messagesOf(id)).find(({ name }) => name === "pay");
    expect(tool?.content).toContain("declined");
    expect(tool?.approval).toMatchObject({ approved: false });
    following.close();
  });

  it("APPROVE8 If a call waits for approval during an export, it cannot be approved in the imported thread, and its result does not say that its effect is unknown", async () => {
    script("copied", [pay("Ada")]);
    const { id, following, calls } = await suspended("payer", "copied", 1);
    following.close();
    await replaced(id, await exported(id));
    const tool = (await messagesOf(id)).find(({ role }) => role === "tool");
    expect(tool?.content).not.toContain("Whether it took effect is unknown");
    expect(await value(answer(id, approve(named(calls, "pay"))))).toMatchObject({ ignored: [named(calls, "pay")] });
  });
});

describe("a tool that needs approval", () => {
  it("APPROVE11 A tool that needs approval does not run without an approval if another tool or a client invokes it directly", async () => {
    script("passes", [{ name: "passer", arguments: {} }]);
    const id = await newThread("head_reader");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("passes"), null));
    await following.until(isEnd);
    following.close();
    const invoked = await value(stubOf(id).call("invokeTool", admin, "erase", { what: "everything" }));
    expect(invoked).toMatchObject({ status: "error", error: expect.stringContaining("needs a person's consent") });
    expect(ran).toEqual([]);
  });
});

describe("a release while a call waits", () => {
  /** A day in milliseconds: the time in which a client has to answer a call, unless its tool has a deadline. */
  const day = 24 * 60 * 60 * 1000;

  const fromServer = () =>
    defineTool("Moves", z.object({}), async () => {
      ran.push("moves");
      return { status: "success", result: "from the server" };
    });

  it("REMOTE12 A result that a client posted for a remote tool is kept when a new deployment gives the tool a function", async () => {
    released.moves = defineTool("Moves", z.object({}));
    script("moved", [{ name: "moves", arguments: {} }, ask("other")]);
    const { id, following, calls } = await suspended("mover", "moved", 2);
    await value(answer(id, says(named(calls, "moves"), "from the client")));
    released.moves = fromServer();
    await crash(id);
    await value(answer(id, says(named(calls, "ask"), "x")));
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
    expect((await messagesOf(id)).find(({ name }) => name === "moves")?.content).toBe("from the client");
    expect(ran).toEqual([]);
    following.close();
  });

  it("REMOTE12 A call that is open at a client does not run on the server after a new deployment gave its tool a function, and the client's result is kept", async () => {
    released.moves = defineTool("Moves", z.object({}));
    script("open", [{ name: "moves", arguments: {} }]);
    const { id, following, calls } = await suspended("mover", "open", 1);
    released.moves = fromServer();
    await crash(id);
    await value(answer(id, says(named(calls, "moves"), "from the client")));
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
    expect((await messagesOf(id)).find(({ name }) => name === "moves")?.content).toBe("from the client");
    expect(ran).toEqual([]);
    following.close();
  });

  it("REMOTE12 If a run continues while a call is open at a client and a new deployment gave the call's tool a function, the call gets an error and does not run on the server", async () => {
    released.moves = defineTool("Moves", z.object({}), undefined, { deadlineMs: 2 * day });
    script("continued", [{ name: "moves", arguments: {} }, ask("other")]);
    const { id, following, calls } = await suspended("mover", "continued", 2);
    released.moves = fromServer();
    await crash(id);
    // The other call reaches its deadline.
    skipFor(id, day + 1000);
    await wake(id);
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
    const result = (await messagesOf(id)).find(({ name }) => name === "moves")?.result;
    expect(result).toMatchObject({ status: "error", error: expect.stringContaining("Call it again.") });
    expect(await value(answer(id, says(named(calls, "moves"), "late")))).toMatchObject({
      ignored: [named(calls, "moves")],
    });
    expect(ran).toEqual([]);
    following.close();
  });

  it("REMOTE12 A call does not run if it is approved after a new deployment made its tool remote", async () => {
    const run = async () => {
      ran.push("moves");
      return { status: "success", result: "from the server" } as const;
    };
    released.moves = defineTool("Moves", z.object({}), run, { needsApproval: true });
    script("became", [{ name: "moves", arguments: {} }]);
    const { id, following, calls } = await suspended("mover", "became", 1);
    released.moves = defineTool("Moves", z.object({}));
    await crash(id);
    await value(answer(id, approve(named(calls, "moves"))));
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
    expect(ran).toEqual([]);
    following.close();
  });
});
