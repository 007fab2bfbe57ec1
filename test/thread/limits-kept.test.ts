// Usage that limits count stays counted after its run: when it is reported late, exported or imported.

import { beforeEach, describe, expect, it } from "vitest";

import type { Caller } from "#core/rpc/thread-rpc.ts";
import type { TestTurn } from "#spec/index.ts";

import { allow, capped, resetLimits } from "../worker/limited.ts";
import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import { exported, imported, linesOf, replaced } from "./archive-client.ts";
import { childOf, latch, resetAgents, waitFor, isEnd } from "./team-driver.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(() => {
  resetAgents();
  resetLimits();
});

const acting: TestTurn = { toolCalls: [{ name: "act", arguments: { key: "none" } }] };
const duelling: TestTurn = { toolCalls: [{ name: "duel", arguments: { task: "talk" } }] };

it("LIMIT11 The usage that a child reports after its parent stopped waiting counts for the thread", async () => {
  const reached = latch();
  capped.threadLimits = { steps: 2 };
  scriptedAnswers.set("boss", () => duelling);
  scriptedAnswers.set("con", () => {
    reached.open();
    return new Promise(() => {});
  });
  const id = await newThread("capped");
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("go", { limits: { steps: 20 } }), null));
  // The thread's own limit leaves too little for a child, so it is raised for this test.
  capped.threadLimits = { steps: 20 };
  const child = childOf(await following.until(({ type }) => type === "subagent_start"));
  await reached.opened();
  await value(stubOf(id).call("stop", admin, null));
  const end = await following.until(isEnd);
  following.close();
  const known = end.type === "run_end" ? end.usage.total_tokens : 0;
  await waitFor(async () => (await value(stubOf(id).call("describe", admin))).usage.total_tokens > known);
  expect((await value(stubOf(child).call("describe", admin))).usage.total_tokens).toBeGreaterThan(0);
  capped.threadLimits = { steps: 2 };
  expect((await converse(id, "more")).at(-1)).toMatchObject({ status: "limit", reason: "thread_steps" });
});

describe("an export", () => {
  it("IMPORT21 An export contains the usage of the thread, and the limits apply to the copy", async () => {
    capped.threadLimits = { steps: 3 };
    scriptedAnswers.set("boss", ({ step }) => (step < 2 ? acting : { text: "done" }));
    const id = await newThread("capped");
    expect((await converse(id, "go")).at(-1)).toMatchObject({ status: "completed" });
    const text = await exported(id);
    const run = linesOf(text).find(({ type }) => type === "run")?.["run"] as { work?: object };
    expect(run.work).toMatchObject({ steps: 3, turns: 1 });
    await replaced(id, text);
    expect((await converse(id, "more")).at(-1)).toMatchObject({ status: "limit", reason: "thread_steps" });
  });

  it.each<[string, Caller, object | null]>([
    ["a user", { user: "ada", admin: false }, null],
    ["an admin", admin, { tokens: 500, on_limit: "end" }],
  ])(
    "IMPORT18 An import keeps the requested limits of a waiting run only if its importer may request them: %s",
    async (_who, importer, kept) => {
      allow({ tokens: 100 });
      const reached = latch();
      toolEffects.set("hang", () => {
        reached.open();
        return new Promise(() => {});
      });
      scriptedAnswers.set("boss", () => ({ toolCalls: [{ name: "act", arguments: { key: "hang" } }] }));
      const id = await newThread("capped");
      await value(stubOf(id).call("postMessage", admin, message("go"), null));
      await reached.opened();
      const limits = { tokens: 500, on_limit: "end" as const };
      await value(stubOf(id).call("postMessage", admin, message("waits", { limits }), null));
      await value(stubOf(id).call("stop", admin, null));
      await waitFor(async () => (await value(stubOf(id).call("describe", admin))).active_run_id === null);
      const text = await exported(id);
      await value(stubOf(id).call("remove", admin));
      expect(await imported(id, text, importer)).toMatchObject({ status: 201 });
      const runs = linesOf(await exported(id)).filter(({ type }) => type === "run");
      expect(runs.at(-1)?.["run"]).toMatchObject({ status: "queued", limits: kept });
    },
  );
});
