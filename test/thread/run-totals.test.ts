// The usage of an unfinished run so far, in the run, its thread and its events, while the run works and while it waits.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";
import type { TestTurn } from "#spec/index.ts";

import { scripts } from "../worker/definitions.ts";
import { latch, resetAgents, lastRunOf } from "./team-driver.ts";
import { admin, crash, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const usage = { input: 60, output: 40 };
const tokens = { input: 60, output: 40, total_tokens: 100 };
const twice = { input: 120, output: 80, total_tokens: 200 };
const note: TestTurn = { toolCalls: [{ name: "note", arguments: { text: "x" } }], usage };
const ask: TestTurn = { toolCalls: [{ name: "ask", arguments: { q: "one" } }], usage };

const threadOf = (id: string) => value(stubOf(id).call("describe", admin));
const totalsOf = (events: readonly ThreadEvent[], type: ThreadEvent["type"]) =>
  events.flatMap((event) => (event.type === type && "totals" in event ? [event.totals] : []));

beforeEach(resetAgents);

describe("an unfinished run", () => {
  it("An unfinished run shows its usage up to its last step in run, list, thread and folded events, before and after a crash", async () => {
    const id = await newThread("asker");
    const [hold, reached, again] = [latch(), latch(), latch()];
    let last = reached;
    scripts.set("work", async ({ step }) => {
      if (step === 0) return note;
      last.open();
      await hold.passed;
      return { text: "done", usage };
    });
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("work"), null));
    await reached.opened();
    const cost = 0.00014;
    const shown = { status: "running", steps: 1, usage: tokens, cost, models: ["scripted"] };
    expect(await lastRunOf(id)).toMatchObject(shown);
    expect(await threadOf(id)).toMatchObject({ usage: tokens, cost });
    await following.until(({ type }) => type === "step_end");
    const { runs } = foldAll(following.events);
    expect(Object.values(runs)).toMatchObject([{ steps: 1, usage: tokens, cost }]);
    expect(totalsOf(following.events, "step_end")).toMatchObject([{ steps: 1, usage: tokens, cost }]);
    following.close();

    last = again;
    await crash(id);
    const after = await follow(id, { after: "0" });
    await again.opened();
    expect(await value(stubOf(id).call("getRun", admin, (await lastRunOf(id)).id))).toMatchObject(shown);
    expect(await threadOf(id)).toMatchObject({ usage: tokens, cost });
    hold.open();
    await after.until(({ type }) => type === "run_end");
    after.close();
    expect(await threadOf(id)).toMatchObject({ usage: twice, cost: 2 * cost });
    expect(await lastRunOf(id)).toMatchObject({ status: "completed", steps: 2, usage: twice });
  });

  it("An unfinished run shows its usage while it waits for a client, also after eviction, and it counts once when the run has ended", async () => {
    const id = await newThread("asker");
    scripts.set("wait", ({ step }) => (step === 0 ? ask : { text: "done", usage }));
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("wait"), null));
    const rest = await following.until(({ type }) => type === "awaiting_tool_execution");
    expect(rest).toMatchObject({ totals: { steps: 1, usage: tokens, cost: 0.00014 } });
    following.close();
    await evict(id);
    expect(await lastRunOf(id)).toMatchObject({ status: "awaiting_tool_execution", steps: 1, usage: tokens });
    expect(await threadOf(id)).toMatchObject({ usage: tokens, cost: 0.00014 });
    const late = await follow(id);
    expect(await late.until(({ type }) => type === "snapshot")).toMatchObject({ thread: { usage: tokens } });
    late.close();
    const call = rest.type === "awaiting_tool_execution" ? rest.tool_calls[0]?.id : undefined;
    const again = await follow(id, { after: String(rest.seq) });
    await value(stubOf(id).call("postToolResults", admin, { results: [{ tool_call_id: call ?? "", result: "yes" }] }));
    await again.until(({ type }) => type === "run_end");
    again.close();
    expect(await threadOf(id)).toMatchObject({ usage: twice });
    await evict(id);
    expect(await threadOf(id)).toMatchObject({ usage: twice });
    expect(await lastRunOf(id)).toMatchObject({ steps: 2, usage: twice });
  });
});
