// A run that is interrupted at any write, and resumed by another object from the stored rows.

import fc from "fast-check";
import { expect, it } from "vitest";

import { foldAll } from "#contract/fold.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import { toMessage } from "#core/record/view.ts";

import { Harness } from "./support/harness.ts";
import type { Setup } from "./support/harness.ts";
import { calls, failure, says, textBlock } from "./support/scripted-model.ts";
import { ok, tool } from "./support/tool-box.ts";

/** A model that decides by its messages: two rounds of calls, then an answer. */
const script: Setup["script"] = ({ messages }) => {
  const rounds = messages.filter(({ role }) => role === "assistant").length;
  if (rounds === 0) return calls("first", ["pay", { n: 1 }], ["look", {}], ["pay", { n: 2 }]);
  if (rounds === 1) return [...textBlock(0, "Almost."), ...shifted(calls("second", ["settle", {}], ["nope", {}]))];
  return says("All ", "done.");
};

/** Calls after a text block. */
function shifted(parts: ReturnType<typeof calls>): ReturnType<typeof calls> {
  return parts.map((part) => ("index" in part ? { ...part, index: part.index + 1 } : part));
}

/** The effects outside of the run, by call. */
class World {
  readonly done = new Map<string, number>();
  reconciled = 0;

  tools(): ToolRunner[] {
    const act = async (_: unknown, { id }: { id: string }) => {
      this.done.set(id, (this.done.get(id) ?? 0) + 1);
      await Promise.resolve();
      return ok(`did ${id}`);
    };
    const reconcile = async (id: string) => {
      this.reconciled += 1;
      return this.done.has(id) ? ok(`did ${id}`) : null;
    };
    return [tool("pay", act), tool("look", act, { idempotent: true }), tool("settle", act, { reconcile })];
  }
}

/** Executes a run with an interruption after each of these numbers of writes; the last execution is not interrupted. */
async function lives(cuts: readonly number[], toolMode: "parallel" | "sequential") {
  const world = new World();
  let rows: Setup["rows"];
  for (const cutAfter of cuts) {
    const harness = new Harness({ script, tools: world.tools(), toolMode, cutAfter, ...(rows && { rows }) });
    if ((await harness.drive()) !== null) return { harness, world };
    rows = harness.rows();
  }
  const harness = new Harness({ script, tools: world.tools(), toolMode, ...(rows && { rows }) });
  await harness.drive();
  return { harness, world };
}

function waitFor({ harness, world }: Awaited<ReturnType<typeof lives>>): void {
  harness.holdToContract();
  expect(harness.run).toMatchObject({ status: "completed" });
  expect(harness.answers.at(-1)?.parts).toEqual([{ type: "text", text: "All done." }]);
  expect(harness.answers).toHaveLength(3);
  // Results follow their answer, in call order.
  const order = harness.journal.messages.map(({ role, tool_call_id }) => tool_call_id ?? role).join(" ");
  expect(order).toBe("user assistant first0 first1 first2 assistant second0 second1 assistant");
  for (const id of ["first0", "first2", "second0"]) expect(world.done.get(id) ?? 0, id).toBeLessThanOrEqual(1);
  expect(world.done.get("second0"), "reconcile finds out").toBe(1);
  for (const { tool_call_id: id, result } of harness.results) {
    if (id === "second1") expect(result?.error).toContain('no tool named "nope"');
    else if (result?.status === "error") expect(result.error).toContain("Whether it took effect is unknown");
    else expect(result).toEqual(ok(`did ${id}`));
  }
  expect(foldAll(harness.events).messages).toEqual(
    harness.journal.messages.slice(1).map((message) => ({ ...toMessage(message), streaming: false })),
  );
}

it.for(["parallel", "sequential"] as const)(
  "A run completes with all answers and results in order after an interruption at any write (%s), and repeats no call whose tool does not allow that",
  async (mode) => {
    const whole = await lives([], mode);
    waitFor(whole);
    const { writes } = whole.harness.journal;
    expect(writes).toBeGreaterThan(10);
    for (let cutAfter = 1; cutAfter <= writes; cutAfter += 1) waitFor(await lives([cutAfter], mode));
  },
);

it("A run completes with all answers and results in order after repeated interruptions, and repeats no call whose tool does not allow that", async () => {
  const seed = Date.now() % 2 ** 31;
  console.info(`seed ${seed}`);
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 6 });
  const mode = fc.constantFrom("parallel" as const, "sequential" as const);
  await fc.assert(
    fc.asyncProperty(cuts, mode, async (given, toolMode) => waitFor(await lives(given, toolMode))),
    { numRuns: 150, seed },
  );
});

/** Interrupts one call of a tool after its start, then resumes it with a tool changed by `changes`. */
async function cutCall(first: ToolRunner, second: ToolRunner[], setup: Partial<Setup> = {}) {
  const one: Setup["script"] = ({ messages }) => (messages.length === 1 ? calls("c", ["it", {}]) : says("done"));
  const life = new Harness({ script: one, tools: [first], killAt: "tool.run" });
  await life.drive();
  expect(life.results).toMatchObject([{ status: "started" }]);
  const harness = new Harness({ script: one, tools: second, ...setup, rows: life.rows() });
  return { harness, result: async () => (await harness.finish(), harness.results[0]?.result) };
}

const it0 = tool("it", async (_, { id, attempt }) => ok(`${id} ${attempt}`));
const unknown = { status: "error", error: expect.stringContaining("Whether it took effect is unknown") };

it("An interrupted call is run again only if its tool allows it, under the same id", async () => {
  expect(await (await cutCall(it0, [it0])).result()).toMatchObject(unknown);
  expect(await (await cutCall(it0, [{ ...it0, idempotent: true }])).result()).toEqual(ok("c0 2"));
});

it("The result of an interrupted call is that of the tool's `reconcile`, and the call is made again if `reconcile` reports that it was not done", async () => {
  const by = (answer: () => Promise<unknown>): ToolRunner => ({
    ...it0,
    reconcile: answer as NonNullable<ToolRunner["reconcile"]>,
  });
  const requested = async (answer: () => Promise<unknown>) => (await cutCall(it0, [by(answer)])).result();
  expect(await requested(() => Promise.resolve(ok("it was done")))).toEqual(ok("it was done"));
  expect(await requested(() => Promise.resolve(null))).toEqual(ok("c0 2"));
  expect(await requested(() => Promise.reject(new Error("no idea")))).toMatchObject(unknown);
  expect(await requested(() => Promise.resolve("nonsense"))).toMatchObject({ status: "error" });
});

it("If `reconcile` does not return, it ends at the tool's time limit or when the run is stopped, and the outcome of the call is unknown", async () => {
  const hangs: ToolRunner = { ...it0, timeoutMs: 5000, reconcile: () => new Promise(() => {}) };
  const timed = await cutCall(it0, [hangs]);
  const result = timed.result();
  await timed.harness.clock.advance(5000);
  expect(await result).toMatchObject(unknown);
  const stopped = await cutCall(it0, [hangs]);
  const ended = stopped.harness.finish();
  await stopped.harness.clock.advance(10);
  stopped.harness.stop();
  expect(await ended).toMatchObject({ status: "stopped" });
  expect([stopped.harness.results[0]?.result, stopped.harness.clock.armed]).toMatchObject([unknown, 0]);
});

it("The outcome of an interrupted call is unknown if its tool was removed or changed", async () => {
  expect(await (await cutCall(it0, [])).result()).toMatchObject(unknown);
  const picky: ToolRunner = { ...it0, idempotent: true, check: () => ({ ok: false, problem: "no" }) };
  expect(await (await cutCall(it0, [picky])).result()).toMatchObject(unknown);
  const problem = { problem: { code: "agent_not_found", message: "gone" } };
  const { harness } = await cutCall(it0, [], { problem });
  expect(await harness.finish()).toMatchObject({ status: "error", reason: "agent_not_found" });
  expect(harness.results[0]?.result).toMatchObject(unknown);
});

it("If a model failed with a permanent error before a crash, the resumed run ends with an error and makes no further request", async () => {
  const final = failure({ kind: "auth", retryable: false });
  for (const cutAfter of [1, 2]) {
    const first = new Harness({ script: () => [...textBlock(0, "Well"), final], cutAfter });
    expect(await first.drive()).toBeNull();
    const second = new Harness({ script: () => says("never"), rows: first.rows() });
    expect(await second.finish()).toMatchObject({ status: "error" });
    expect(second.model.requests).toEqual([]);
  }
});

it("After a crash, the results of a step are stored in call order, also if a later call began before the crash and an earlier one after it", async () => {
  const one: Setup["script"] = ({ messages }) =>
    messages.length === 1 ? calls("c", ["first", {}], ["second", {}], ["last", {}]) : says("done");
  const act = (name: string, changes = {}) => tool(name, async () => ok(name), changes);
  const waits = { dependsOn: ["last"] };
  const tools = [act("first", waits), act("second", waits), act("last")];
  const life = new Harness({ script: one, tools, killAt: "tool.run" });
  await life.drive();
  expect(life.results.map(({ tool_call_id }) => tool_call_id)).toEqual(["c2"]);
  const harness = new Harness({ script: one, tools, rows: life.rows() });
  await harness.finish();
  expect(harness.journal.messages.map(({ role, tool_call_id }) => tool_call_id ?? role)).toEqual(
    "user assistant c0 c1 c2 assistant".split(" "),
  );
});
