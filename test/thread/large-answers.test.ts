// Many or large calls and results: each call that is shown can be answered, and each run can end.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { postToolResultsSchema } from "#contract/tool-route.ts";

import { ran } from "../worker/approval.ts";
import { scripts } from "../worker/definitions.ts";
import { answer, approve, ask, resetAnswers, named, pay, suspended, says, script, shown } from "./answer-client.ts";
import { waitFor, lastRunOf, messagesOf } from "./team-driver.ts";
import { admin, message, newThread, stubOf, value } from "./thread-driver.ts";

const isEnd = ({ type }: ThreadEvent) => type === "run_end";

beforeEach(resetAnswers);

describe("a waiting call", () => {
  it("A call that waits for approval can be approved although a sub-prompt of the same step had large tool results", async () => {
    script("much_below", [{ name: "reader", arguments: { task: "reads_much" } }, pay("Ada")]);
    scripts.set("reads_much", ({ step }) =>
      step < 8 ? { toolCalls: [{ name: "bulky", arguments: { n: step } }] } : { text: "read" },
    );
    const { id, following, calls } = await suspended("head_reader", "much_below", 1);
    expect(await answer(id, approve(named(calls, "pay")))).toMatchObject({ ok: true });
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
    following.close();
  });

  it("A call that waits for approval can be approved although later calls of the same step had large results", async () => {
    const bulky = Array.from({ length: 8 }, (_, n) => ({ name: "bulky", arguments: { n } }));
    script("much_beside", [pay("Ada"), ...bulky]);
    const { id, following, calls } = await suspended("head_reader", "much_beside", 1);
    expect(await answer(id, approve(named(calls, "pay")))).toMatchObject({ ok: true });
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
    following.close();
  });

  it("At most a thousand calls of one step wait for results, and each further call gets an error before the first result is posted", async () => {
    script(
      "many",
      Array.from({ length: 1010 }, (_, n) => ask(String(n))),
    );
    const { id, following, calls } = await suspended("head_reader", "many", 1000);
    const page = { limit: 11, order: "desc" as const, include_silent: false };
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    const last = items.toReversed().map(({ status, result }) => [status, result?.status, result?.error]);
    const refused = ["complete", "error", expect.stringContaining("Only 1000 calls of a step may wait")];
    expect(last).toEqual([["started", undefined, undefined], ...Array<unknown>(10).fill(refused)]);
    expect(await answer(id, says(calls[0]?.id ?? "", "x"))).toMatchObject({
      ok: true,
      value: { missing: { length: 999 } },
    });
    following.close();
  });

  it("The id of a waiting call fits the schema of a request with results, even if the provider's id is too long for it", async () => {
    script("long_id", [{ ...ask("x"), id: `${"i".repeat(240)}_call` }]);
    const { following, calls } = await suspended("payer", "long_id", 1);
    expect(postToolResultsSchema.safeParse({ results: [says(calls[0]?.id ?? "", "x")] }).success).toBe(true);
    following.close();
  });
});

describe("a run", () => {
  // All calls in the run's events would be 2,059,762 bytes, and its row holds 1,900,000 (`withoutEarlierCalls` in suspension.ts keeps them
  // out). A character of these ids has three bytes.
  it("A run whose five steps each wait for 700 calls with long ids can be stored after each result, and completes", async () => {
    const [steps, perStep, perAnswer] = [5, 700, 100];
    const long = "€".repeat(140);
    scripts.set("again_and_again", ({ step }) =>
      step < steps
        ? {
            toolCalls: Array.from({ length: perStep }, (_, n) => ({ ...ask(`${n}`), id: `${long}_${step}_${n}_call` })),
          }
        : { text: "done" },
    );
    const id = await newThread("asker");
    await value(stubOf(id).call("postMessage", admin, message("again_and_again"), null));
    for (let answered = 0; answered < steps; answered += 1) {
      const calls = await waitFor(async () => {
        const pending = await shown(id);
        return pending.length === perStep && pending;
      });
      expect(calls[0]?.id).toContain(long);
      const results = calls.map((call) => says(call.id, "x"));
      for (let from = 0; from < perStep; from += perAnswer)
        await value(answer(id, ...results.slice(from, from + perAnswer)));
    }
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
  });
});

describe("a decision", () => {
  it("An approval with arguments over 400,000 bytes, and a rejection with a reason over 64,000 bytes, are refused with too_large", async () => {
    script("too_much", [{ name: "wordy", arguments: { text: "short" } }]);
    const { id, following, calls } = await suspended("head_reader", "too_much", 1);
    const call = named(calls, "wordy");
    const large = (field: string) => ({
      ok: false,
      refusal: { code: "too_large", details: { field: `results.0.${field}` } },
    });
    expect(await answer(id, approve(call, { text: "t".repeat(400_000) }))).toMatchObject(large("args"));
    const reason = { tool_call_id: call, approved: false, error: "n".repeat(64_000) };
    expect(await answer(id, reason)).toMatchObject(large("error"));
    await value(answer(id, approve(call, { text: "t".repeat(399_000) })));
    await following.until(isEnd);
    expect(ran).toEqual(["wordy"]);
    const [tool] = (await messagesOf(id)).filter(({ role }) => role === "tool");
    expect([tool?.result?.error?.slice(0, 3), (await lastRunOf(id)).status]).toEqual(["eee", "completed"]);
    following.close();
  });
});
