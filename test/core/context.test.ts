// `state.context` in a run: definitions may put anything there, and rows store the last copy that fits.

import { expect, it } from "vitest";

import { contextLimit } from "#core/step/keep-context.ts";

import { Harness } from "./support/harness.ts";
import { calls, failure, says } from "./support/scripted-model.ts";
import { ok, tool } from "./support/tool-box.ts";

type Live = Record<string, unknown>;

/** A run whose tool makes these changes to the live context, one in each step. */
async function changed(...changes: ((live: Live) => void)[]) {
  const live: Live = {};
  const change = tool("change", async () => {
    changes.shift()?.(live);
    return ok("changed");
  });
  const script = () => (changes.length > 0 ? calls(`s${changes.length}-`, ["change", {}]) : says("done"));
  const harness = new Harness({ script, tools: [change], context: live });
  expect(await harness.finish()).toMatchObject({ status: "completed" });
  const rows = harness.journal.logs.map(({ data }) => data);
  return { harness, live, kept: rows.map(({ context }) => context), warnings: rows.map((data) => data["warnings"]) };
}

it("The log row of each step and the run have a copy of `state.context`, and later changes of `state.context` do not change the copy", async () => {
  const { harness, live, kept, warnings } = await changed(
    (at) => Object.assign(at, { n: 1, deep: { list: [1, null, "a", true] } }),
    (at) => {
      at["n"] = 2;
      (at["deep"] as { list: unknown[] }).list.push("later");
      at["gone"] = undefined;
    },
  );
  const last = { n: 2, deep: { list: [1, null, "a", true, "later"] } };
  expect(kept).toEqual([{ n: 1, deep: { list: [1, null, "a", true] } }, last, last]);
  expect(harness.run.progress.context).toEqual(last);
  expect(harness.run.progress.context).not.toBe(live);
  expect(warnings).toEqual([undefined, undefined, undefined]);
});

it("A value in `state.context` that is not JSON is left out of the stored copy, stays in the context, and is named in the step's log row", async () => {
  class Thing {}
  const circle: Live = { name: "circle" };
  circle["self"] = circle;
  const shared = { a: 1 };
  const odd: Live = {
    good: [shared, shared],
    when: new Date(0),
    big: 1n,
    list: [1, () => 1, Number.NaN],
    inner: { map: new Map(), thing: new Thing() },
    circle,
  };
  Object.defineProperty(odd, "trap", {
    enumerable: true,
    get: () => {
      throw new Error("trap");
    },
  });
  const { kept, warnings, live } = await changed((at) =>
    Object.defineProperties(at, Object.getOwnPropertyDescriptors(odd)),
  );
  expect(kept[0]).toEqual({ good: [{ a: 1 }, { a: 1 }], list: [1, null, null], inner: {}, circle: { name: "circle" } });
  expect(warnings[0]).toEqual([
    "state.context contains values that are not JSON, which an interrupted run loses: " +
      "when, big, list[1], list[2], inner.map, inner.thing, circle.self, trap.",
  ]);
  expect(live["when"]).toEqual(new Date(0));
});

/** Doubles at each level: small in memory, but endless as text. */
function unfolding(): unknown {
  let value: unknown = ["x"];
  for (let level = 0; level < 60; level += 1) value = [value, value];
  return value;
}

it.for<[string, (live: Live) => void, string]>([
  ["a text over the limit", (live) => void (live["text"] = "x".repeat(contextLimit)), "over 131072"],
  ["characters that take more in a row", (live) => void (live["text"] = "é".repeat(100_000)), "200017"],
  ["many small things", (live) => void (live["list"] = Array.from({ length: 200_000 }, () => null)), "over 131072"],
  ["what unfolds without end", (live) => void (live["tree"] = unfolding()), "over 131072"],
])(
  "A `state.context` with %s is not stored: the earlier copy stays, and the step's log row names the problem",
  async ([, change, size], { expect: here }) => {
    const { kept, warnings } = await changed((live) => void (live["n"] = 1), change);
    here(kept).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }]);
    here(warnings[1]).toEqual([
      `state.context is ${size} bytes; at most 131072 are kept. An interrupted run resumes with the last stored context.`,
    ]);
  },
);

it("A value in `state.context` with very deep nesting is left out of the stored copy, and the step's log row names its path", async () => {
  let deep: unknown = [];
  for (let level = 0; level < 50_000; level += 1) deep = [deep];
  const { kept, warnings } = await changed((live) => Object.assign(live, { n: 1, deep }));
  expect(kept[0]).toMatchObject({ n: 1 });
  expect(warnings[0]).toEqual([expect.stringMatching(/not JSON.*deep\[0\]\[0\]/)]);
});

it("A copy of `state.context` is also stored for a failed attempt and for a step that a crash interrupted", async () => {
  const live: Live = {};
  const attempts = new Harness({
    script: (_, number) => {
      live["attempt"] = number;
      return number === 0 ? [failure()] : says("done");
    },
    context: live,
  });
  await attempts.finish();
  expect(attempts.journal.logs.map(({ data }) => data["context"])).toEqual([{ attempt: 0 }, { attempt: 1 }]);

  const script = ({ messages }: { messages: unknown[] }) =>
    messages.length === 1 ? calls("c", ["it", {}]) : says("done");
  const act = tool("it", async () => ok(String((live["acted"] = true))), { idempotent: true });
  const cut = new Harness({ script, tools: [act], context: live, killAt: "tool.run" });
  await cut.drive();
  const again = new Harness({ script, tools: [act], context: live, rows: cut.rows() });
  await again.finish();
  expect(again.journal.logs[0]).toMatchObject({ type: "tool_call", data: { context: { acted: true } } });
});
