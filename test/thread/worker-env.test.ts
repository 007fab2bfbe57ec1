// `state.env`: the bindings, variables and secrets of the Worker, for every definition that has a state, and their removal from the log.

import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";

import { defineHook, defineThreadEndpoint, defineTool, hookNameOf } from "#spec/index.ts";
import type { AnyHookName, FilterEntry, HookEntry, InputFilter, ThreadState } from "#spec/index.ts";

import { registry, scripts } from "../worker/definitions.ts";
import { decisions, scriptedAnswers } from "../worker/team.ts";
import { admin, converse, newThread, stubOf, value } from "./thread-driver.ts";

/** The value of the secret in test/wrangler.test.jsonc. Its name is not one that the names of secrets usually have. */
const phrase = "open-sesame-4711";

/** What the definitions have read. */
const read: [place: string, env: unknown][] = [];

const envOf = (state: object) => (state as { env: Record<string, unknown> }).env;

/** What the environment of a state has. The types of this project do not have the names that the tests set. */
const received = (state: object) => {
  const { SHOP_PHRASE, SHOP_NAME, CATALOG } = envOf(state);
  return { SHOP_PHRASE, SHOP_NAME, database: typeof CATALOG };
};

const expected = { SHOP_PHRASE: phrase, SHOP_NAME: "The shop", database: "object" };

/** Puts an entry into a list of the registry until the test has ended. */
function during<T>(list: readonly T[], entry: T): void {
  const entries = list as T[];
  entries.push(entry);
  onTestFinished(() => void entries.splice(entries.indexOf(entry), 1));
}

beforeEach(() => void read.splice(0));

describe("state.env", () => {
  it("ENV1 A tool, a hook, a filter and an endpoint read the bindings, variables and secrets of the Worker as state.env", async () => {
    const tool = defineTool("Reads", z.object({ text: z.string() }), async (state: ThreadState) => {
      read.push(["tool", received(state)]);
      return { status: "success", result: "read" };
    });
    const spy = vi.spyOn(registry.tools, "note").mockImplementation(() => Promise.resolve(tool));
    onTestFinished(() => spy.mockRestore());
    const hook = defineHook("after_create_message", async (state) => {
      read.push(["hook", received(state)]);
    });
    during<HookEntry>(registry.hooks, {
      hook: hookNameOf(hook) as AnyHookName,
      file: "reads.ts",
      load: () => Promise.resolve(hook),
    });
    const filter: InputFilter = (_text, state) => {
      read.push(["filter", received(state)]);
      return { action: "pass" };
    };
    during<FilterEntry>(registry.filters ?? [], { file: "reads.ts", load: () => Promise.resolve(filter) });
    const entry = registry.routes.find(({ file }) => file === "seen");
    if (entry === undefined) throw new Error("There is no such endpoint.");
    const endpoint = defineThreadEndpoint((_request, state) => Response.json(received(state)));
    const load = vi.spyOn(entry, "load").mockImplementation(() => Promise.resolve(endpoint));
    onTestFinished(() => load.mockRestore());

    const id = await newThread("parallel");
    scripts.set("read", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "note", arguments: { text: "x" } }] } : { text: "done" },
    );
    await converse(id, "read");
    expect(new Set(read.map(([place]) => place))).toEqual(new Set(["tool", "hook", "filter"]));
    for (const [, env] of read) expect(env).toEqual(expected);
    const answer = await exports.default.fetch(new Request(`http://localhost/api/threads/${id}/seen`));
    expect(await answer.json()).toEqual(expected);
  });

  it("ENV1 A strategy reads the bindings, variables and secrets of the Worker as env of its arguments", async () => {
    scriptedAnswers.set("reasoner", () => ({ text: "done" }));
    const spy = vi.spyOn(decisions, "next").mockImplementation((turn) => {
      read.push(["strategy", received(turn)]);
      return turn.last === null ? { type: "step" } : { type: "end" };
    });
    onTestFinished(() => spy.mockRestore());
    await converse(await newThread("scripted"), "go");
    expect(read).toEqual([
      ["strategy", expected],
      ["strategy", expected],
    ]);
  });

  it("ENV2 A secret in the error that a tool throws and in the failure of a model request is removed from messages, log rows and log lines, and the value of a declared variable stays", async () => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => errors.mockRestore());
    const tool = defineTool("Throws", z.object({ text: z.string() }), (state: ThreadState) => {
      const { SHOP_PHRASE, SHOP_NAME } = envOf(state) as Record<string, string>;
      throw new Error(`${SHOP_NAME} refused ${SHOP_PHRASE}`);
    });
    const spy = vi.spyOn(registry.tools, "note").mockImplementation(() => Promise.resolve(tool));
    onTestFinished(() => spy.mockRestore());
    const id = await newThread("parallel");
    scripts.set("leak", ({ step }) =>
      step === 0
        ? { toolCalls: [{ name: "note", arguments: { text: "x" } }] }
        : { error: { kind: "api", message: `The shop said ${phrase}` } },
    );
    await converse(id, "leak");
    const lines = errors.mock.calls.map(([text]) => String(text)).join("\n");
    expect(lines).toContain("The shop refused [redacted]");
    expect(lines).not.toContain(phrase);
    const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc" }));
    expect(JSON.stringify(items)).toContain("The shop refused [redacted]");
    // `SHOP_PLAN` is listed as a secret, and its value is an ordinary word: the name of the model stays. `MAX_TOKENS` is a number.
    expect(items.map(({ data }) => data["model"])).toContain("scripted");
    expect(JSON.stringify(items)).not.toContain(phrase);
    const page = await value(stubOf(id).call("listMessages", admin, { limit: 10, order: "asc", include_silent: true }));
    expect(JSON.stringify(page.items)).toContain("The shop refused [redacted]");
    expect(JSON.stringify(page.items)).not.toContain(phrase);
  });

  it("ENV2 Values that a run continues from are stored as they are, also if they contain the text of a secret", async () => {
    const kept: unknown[] = [];
    const tool = defineTool("Keeps", z.object({ text: z.string() }), async (state: ThreadState, { text }) => {
      kept.push(state.context["phrase"]);
      state.context = { phrase, error: phrase, limit: 128_000 };
      void text;
      return { status: "success", result: "kept" };
    });
    const spy = vi.spyOn(registry.tools, "note").mockImplementation(() => Promise.resolve(tool));
    onTestFinished(() => spy.mockRestore());
    const id = await newThread("parallel");
    scripts.set("keep", ({ step }) =>
      step < 2
        ? { toolCalls: [{ name: "note", arguments: { text: step === 0 ? "first" : "second" } }] }
        : { text: "done" },
    );
    await converse(id, "keep");
    expect(kept).toEqual([undefined, phrase]);
    const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc" }));
    expect(JSON.stringify(items)).toContain("parallel");
  });

  it("ENV2 A secret in the error of a strategy and of a rule for approvals is removed from the run's error and from the result", async () => {
    scriptedAnswers.set("reasoner", () => ({ text: "done" }));
    const spy = vi.spyOn(decisions, "next").mockImplementation(() => {
      throw new Error(`The shop refused ${phrase}`);
    });
    onTestFinished(() => spy.mockRestore());
    const failed = await converse(await newThread("scripted"), "go");
    expect(JSON.stringify(failed)).toContain("The shop refused [redacted]");
    expect(JSON.stringify(failed)).not.toContain(phrase);

    const tool = defineTool("Asks", z.object({ text: z.string() }), async () => "never", {
      needsApproval: () => {
        throw new Error(`The rule read ${phrase}`);
      },
    });
    const note = vi.spyOn(registry.tools, "note").mockImplementation(() => Promise.resolve(tool));
    onTestFinished(() => note.mockRestore());
    scripts.set("rule", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "note", arguments: { text: "x" } }] } : { text: "done" },
    );
    const events = await converse(await newThread("parallel"), "rule");
    expect(JSON.stringify(events)).toContain("The rule read [redacted]");
    expect(JSON.stringify(events)).not.toContain(phrase);
  });

  it("A tool that throws an error without a readable stack has the error's message as its result", async () => {
    const tool = defineTool("Throws", z.object({ text: z.string() }), async () => {
      throw Object.assign(new Error("Order 7 is unknown"), { stack: null });
    });
    const spy = vi.spyOn(registry.tools, "note").mockImplementation(() => Promise.resolve(tool));
    onTestFinished(() => spy.mockRestore());
    scripts.set("stackless", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "note", arguments: { text: "x" } }] } : { text: "done" },
    );
    const events = await converse(await newThread("parallel"), "stackless");
    expect(JSON.stringify(events)).toContain("Order 7 is unknown");
  });
});
