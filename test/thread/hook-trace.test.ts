// The order in which every hook is called, by strategy, and in runs that compact, repair an answer or fail. The table of the guide to hooks
// is read from its page, so that it stays true.

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import type { AnyHookName } from "#spec/index.ts";

import { summaryRequests, windowedScripts } from "../worker/compacted.ts";
import { crossing } from "../worker/crossing.ts";
import type { Crossing } from "../worker/crossing.ts";
import { scripts } from "../worker/definitions.ts";
import { tracedHooks, withTracedHooks } from "../worker/loop-hooks.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { converse, newThread } from "./thread-driver.ts";
import { tokensOf, words } from "./windowed-requests.ts";

const [guide = ""] = Object.values(
  import.meta.glob("../../docs/guide/hooks.md", { query: "?raw", import: "default", eager: true }),
);
const section = guide.split("\n## ").find((text) => text.startsWith("The order of a run\n")) ?? "";

/** The rows of a table of the section, by their first cell. A cell is a list of items: hooks, or names of parts. */
function table(heading: string): Map<string, string[]> {
  const rows = section.slice(section.indexOf(`| ${heading} |`)).split("\n\n")[0] ?? "";
  return new Map(
    rows
      .split("\n")
      .slice(2)
      .map((row) => row.split("|").map((cell) => cell.trim()))
      .map(([, name = "", items = ""]) => [name, items.replaceAll("`", "").split(", ")]),
  );
}

const parts = table("part");
const runs = table("run");

/** The hooks of a run in the guide, with the hooks of its parts. */
const listed = (run: string) => (runs.get(run) ?? []).flatMap((item) => parts.get(item) ?? [item]);

/** The calls of hooks for one message and its run. */
interface TracedRun {
  trace: string[];
  /** The errors that `on_error` received. */
  errors: { code: string; message: string }[];
  /** Resolves when `after_loop` is called. */
  ended: Crossing<void>;
}

/** The traced run of each thread. */
const traces = new Map<string, TracedRun>();

let remove = () => {};
beforeAll(() => {
  remove = withTracedHooks((thread, hook, given) => {
    const run = traces.get(thread);
    const [first] = given as [{ role?: string; silent?: boolean }];
    const subject = `${first.silent === true ? "silent " : ""}${first.role}`;
    run?.trace.push(hook.endsWith("_create_message") ? `${hook} (${subject})` : hook);
    if (hook === "on_error") run?.errors.push(first as TracedRun["errors"][number]);
    if (hook === "after_loop") run?.ended.resolve();
  });
});
afterAll(() => remove());

/** Posts a message to a thread and waits for the end of its run. Returns its events and the calls of hooks, in order. */
async function traced(id: string, text: string) {
  const call: TracedRun = { trace: [], errors: [], ended: crossing() };
  traces.set(id, call);
  const events = await converse(id, text);
  await call.ended.promise;
  return { ...call, events };
}

const traceOf = async (agent: string, text: string) => (await traced(await newThread(agent), text)).trace;

const act = { toolCalls: [{ name: "act", arguments: { key: "k" } }] };

/** Answers of a persona, in order. */
function inOrder(persona: string, ...turns: object[]): void {
  let made = 0;
  scriptedAnswers.set(persona, () => (turns[made++] ?? { text: "?" }) as never);
}

beforeEach(() => {
  scriptedAnswers.clear();
  toolEffects.clear();
  requested.length = 0;
  summaryRequests.length = 0;
});

/** Posts messages until one of them ends in a compaction, and returns the hooks of that run. */
async function traceOfCompaction(agent: string): Promise<string[]> {
  const id = await newThread(agent);
  for (let turn = 0; turn < 40; turn += 1) {
    const { trace, events } = await traced(id, words(turn, 300));
    if (events.some(({ type }) => type === "compaction_end")) return trace;
  }
  throw new Error("no request was compacted");
}

const look = { steps: [{ id: "look", description: "Look.", tool: null, dependsOn: [] }] };

/** The runs of the guide's table: each posts messages and returns the hooks of its last run. */
const cases: Record<string, () => Promise<string[]>> = {
  "`loop`: a call, then the answer": async () => {
    scripts.set("streams", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "stream", arguments: { parts: ["one "] } }] as never } : { text: "done" },
    );
    return traceOf("sequential", "streams it");
  },
  "`loop`: a call that fails, then the answer": async () => {
    toolEffects.set("k", () => Promise.reject(new Error("no luck")));
    inOrder("boss", act, { text: "It failed." });
    return traceOf("boss", "go");
  },
  "`react`: a cycle with a call, then one with the answer": async () => {
    inOrder("reasoner", { text: "I look." }, act, { text: "Enough." }, { text: "It rains." });
    return traceOf("reasoner", "go");
  },
  "`plan`: a plan of one step, with a call": async () => {
    inOrder("reasoner", { text: JSON.stringify(look) }, act, { text: "Done." });
    return traceOf("planner", "go");
  },
  "a strategy of the project: a silent draft, then the answer": async () => {
    inOrder("reasoner", { text: "rain" }, { text: "It rains today." });
    return traceOf("drafter", "go");
  },
  "a request that is shortened": () => traceOfCompaction("windowed"),
  "a request that is shortened by a summary": () => traceOfCompaction("summarized"),
  "a request that the model refuses as too large": async () => {
    const id = await newThread("wide");
    for (let turn = 0; turn < 8; turn += 1) await converse(id, words(turn, 200));
    windowedScripts.set("big", (request) =>
      tokensOf(request) > 2000 ? { error: { kind: "overflow", message: "too long" } } : { text: "Fits." },
    );
    return (await traced(id, "big question")).trace;
  },
  "a structured answer that matches its schema at the second attempt": async () => {
    inOrder("weather", { text: "{}" }, { text: JSON.stringify({ city: "Oslo", celsius: 4 }) });
    return traceOf("forecaster", "go");
  },
  "a structured answer that never matches its schema": async () => {
    inOrder("weather", { text: "{}" }, { text: "{}" });
    return traceOf("forecaster", "go");
  },
  "a model that fails": async () => {
    scripts.set("collapses", () => ({ error: { kind: "auth", message: "no key" } }));
    return traceOf("sequential", "collapses now");
  },
  "a prompt that is not defined": () => traceOf("fault_lost", "go"),
};

it.for(Object.keys(cases))(
  "The guide lists the hooks of this run in their order: %s",
  async (run, { expect: here }) => {
    here(listed(run)).toEqual(await cases[run]?.());
  },
);

it("The guide's table has exactly the runs of this test, and every hook but those of updated messages", () => {
  expect([...runs.keys()]).toEqual(Object.keys(cases));
  const named = new Set([...runs.keys()].flatMap(listed).map((item) => item.split(" ")[0]));
  const isUpdate = (name: AnyHookName) => name.endsWith("_update_message");
  expect(tracedHooks.filter((name) => !named.has(name))).toEqual(tracedHooks.filter(isUpdate));
});

it("A run whose prompt is not defined calls on_error with the missing name, and ends with the same error", async () => {
  const id = await newThread("fault_lost");
  const { events, errors } = await traced(id, "go");
  const message = expect.stringContaining('There is no prompt named "fault_missing"');
  const error = { code: "prompt_not_found", message };
  expect(events.at(-1)).toMatchObject({ type: "run_end", status: "error", reason: "prompt_not_found", error });
  expect(errors).toMatchObject([{ ...error, step: 1, depth: 0 }]);
  expect(errors[0]?.message).toBe((events.at(-1) as { error?: { message?: string } }).error?.message);
});
