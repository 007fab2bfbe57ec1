// The project's hooks in a running thread (Standard Agents, hooks; decision 14: a hook cannot fail a run; decision 25: order of
// hooks).

import { describe, expect, it } from "vitest";

import { gate, hookCalls, scripts } from "../worker/definitions.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

describe("message hooks", () => {
  it("A before_create_message hook changes text and metadata, never the id, and after_create_message sees every message", async () => {
    const id = await newThread("parallel");
    await converse(id, "please shout");
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items[0]).toMatchObject({ content: "PLEASE SHOUT", metadata: { hooked: true } });
    expect(items[0]?.id).not.toBe("other");
    expect(hookCalls).toEqual(
      expect.arrayContaining(["created user PLEASE SHOUT", "created assistant echo: PLEASE SHOUT"]),
    );
    const { items: logs } = await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc", type: "hook" }));
    expect(logs[0]?.data).toMatchObject({ hook: "before_create_message", problem: expect.stringContaining("id") });
  });

  it("An edited message passes the update hooks, and invalid fields that they return are dropped", async () => {
    const id = await newThread("parallel");
    const { message: stored } = await value(
      stubOf(id).call("postMessage", admin, message("old", { run: false }), null),
    );
    const edited = await value(
      stubOf(id).call("patchMessage", admin, stored?.id ?? "", { content: "new", metadata: { a: 1 } }),
    );
    expect(edited).toMatchObject({ content: "new", metadata: { a: 1 } });
    expect(hookCalls).toContain("updated new");
    expect(edited).not.toHaveProperty("unknown");
  });
});

describe("an update", () => {
  it("An edit by a tool also passes the update hooks, and its metadata is merged with the message's existing metadata", async () => {
    const metadata = { kept: 1 };
    const id = await newThread("parallel", { initial_messages: [{ role: "user", content: "first", metadata }] });
    scripts.set("rework", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "edit", arguments: { text: "reworked" } }] } : { text: "done" },
    );
    await converse(id, "rework it");
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items[0]).toMatchObject({ content: "reworked", metadata: { kept: 1, edited: true } });
    expect(items[0]).not.toHaveProperty("unknown");
    expect(hookCalls.filter((call) => call === "updated reworked")).toHaveLength(1);
    const { items: logs } = await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc", type: "hook" }));
    expect(logs[0]?.data).toMatchObject({
      hook: "before_update_message",
      problem: "cannot change unknown; the change was dropped",
    });
  });
});

describe("every message", () => {
  it("Every message passes the hooks before and after its creation once, whatever created it", async () => {
    const id = await newThread("parallel", { initial_messages: [{ role: "user", content: "tally initial" }] });
    scripts.set("tally", ({ step }) =>
      step === 0
        ? {
            text: "tally answer",
            toolCalls: [
              { name: "note", arguments: { text: "tally result" } },
              { name: "inject", arguments: { text: "tally injected" } },
              { name: "missing", arguments: { text: "x" } },
            ],
          }
        : { text: "tally end" },
    );
    const post = (key: string) =>
      stubOf(id).call("postMessage", admin, message("tally left", { run: false }), { key, fingerprint: key });
    await value(post("k1"));
    expect(await value(post("k1"))).toMatchObject({ repeated: true });
    await converse(id, "tally input");
    const { items } = await value(stubOf(id).call("listMessages", admin, { ...page, include_silent: true }));
    const marked = items.map(({ content }) => content).filter((content) => content?.includes("tally"));
    expect(marked).toHaveLength(7);
    expect(new Set(marked)).toEqual(
      new Set([
        "tally initial|",
        "tally left|",
        "tally input|",
        "tally answer|",
        "noted tally result|",
        "tally injected|",
        "tally end|",
      ]),
    );
    expect(items.filter(({ role }) => role === "tool")).toHaveLength(3);
    for (const { role, content } of items) {
      const sightings = hookCalls.filter((call) => call === `created ${role} ${content ?? "null"}`);
      expect(sightings, content ?? "").toHaveLength(1);
    }
  });

  it("The answer of a stopped run passes the before_create_message hook once", async () => {
    const id = await newThread("parallel");
    const paused = gate("tally-stop");
    scripts.set("halfway", async ({ step }) => {
      if (step === 0) return { text: "tally half", toolCalls: [{ name: "wait", arguments: { gate: "tally-stop" } }] };
      return { text: "never" };
    });
    const { run } = await value(stubOf(id).call("postMessage", admin, message("halfway"), null));
    await paused.reached;
    await value(stubOf(id).call("stop", admin, run?.id ?? null));
    paused.open();
    const following = await follow(id, { after: "0" });
    await following.until(({ type }) => type === "run_end");
    following.close();
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ content }) => content)).toEqual([
      "halfway",
      "tally half|",
      "The run was stopped before this tool finished.",
    ]);
  });
});

describe("history hooks", () => {
  it("The hooks `filter_messages` and `prefilter_llm_history` change the messages that are sent, and none that are stored", async () => {
    const id = await newThread("parallel", { initial_messages: [{ role: "user", content: "drop me" }] });
    const sent: string[][] = [];
    scripts.set("remind", ({ messages }) => {
      sent.push(messages.map(({ content }) => content));
      return { text: "ok" };
    });
    await converse(id, "remind me");
    expect(sent).toEqual([["remind me (be brief)"]]);
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ content }) => content)).toEqual(["drop me", "remind me", "ok"]);
  });
});

describe("tool hooks", () => {
  it("A tool hook may replace and clean a result; a hook that throws is logged and changes nothing", async () => {
    const id = await newThread("parallel");
    scripts.set("tools", ({ step }) =>
      step === 0
        ? {
            toolCalls: [
              { name: "note", arguments: { text: "improve" } },
              { name: "note", arguments: { text: "secret" } },
              { name: "broken", arguments: {} },
            ],
          }
        : { text: "done" },
    );
    await converse(id, "tools");
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    const results = items.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(results).toEqual(["improved", "noted ***", "the tool broke"]);
    expect(hookCalls).toEqual(expect.arrayContaining(["success note", "failure broken"]));
    const { items: logs } = await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc", type: "hook" }));
    expect(logs.map(({ data }) => data["problem"])).toContain("the hook broke");
  });
});
