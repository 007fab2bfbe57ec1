// The project's hooks in a running thread (Standard Agents, hooks; decisions 14, 25).

import { describe, expect, it } from "vitest";

import { hookCalls, scripts } from "../worker/definitions.ts";
import { admin, converse, message, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

describe("message hooks", () => {
  it("HOOKED1 before_create_message changes words and metadata, never the id; after_create_message sees every message", async () => {
    const id = await newThread("parallel");
    await converse(id, "please shout");
    const { items } = await value(stubOf(id).listMessages(admin, page));
    expect(items[0]).toMatchObject({ content: "PLEASE SHOUT", metadata: { hooked: true } });
    expect(items[0]?.id).not.toBe("other");
    expect(hookCalls).toEqual(
      expect.arrayContaining(["created user PLEASE SHOUT", "created assistant echo: PLEASE SHOUT"]),
    );
    const { items: logs } = await value(stubOf(id).listLogs(admin, { limit: 100, order: "asc", type: "hook" }));
    expect(logs[0]?.data).toMatchObject({ hook: "before_create_message", problem: expect.stringContaining("id") });
  });

  it("HOOKED2 an edited message passes the update hooks, and fields that are none are dropped", async () => {
    const id = await newThread("parallel");
    const { message: stored } = await value(stubOf(id).postMessage(admin, message("old", { run: false }), null));
    const edited = await value(
      stubOf(id).patchMessage(admin, stored?.id ?? "", { content: "new", metadata: { a: 1 } }),
    );
    expect(edited).toMatchObject({ content: "new", metadata: { a: 1 } });
    expect(hookCalls).toContain("updated new");
    expect(edited).not.toHaveProperty("unknown");
  });
});

describe("history hooks", () => {
  it("HOOKED3 filter and prefilter change what is sent and nothing that is stored", async () => {
    const id = await newThread("parallel", { initial_messages: [{ role: "user", content: "drop me" }] });
    const sent: string[][] = [];
    scripts.set("remind", ({ messages }) => {
      sent.push(messages.map(({ content }) => content));
      return { text: "ok" };
    });
    await converse(id, "remind me");
    expect(sent).toEqual([["remind me (be brief)"]]);
    const { items } = await value(stubOf(id).listMessages(admin, page));
    expect(items.map(({ content }) => content)).toEqual(["drop me", "remind me", "ok"]);
  });
});

describe("tool hooks", () => {
  it("HOOKED4 may replace a result and clean it; one that throws is logged and changes nothing", async () => {
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
    const { items } = await value(stubOf(id).listMessages(admin, page));
    const results = items.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(results).toEqual(["improved", "noted ***", "the tool broke"]);
    expect(hookCalls).toEqual(expect.arrayContaining(["success note", "failure broken"]));
    const { items: logs } = await value(stubOf(id).listLogs(admin, { limit: 100, order: "asc", type: "hook" }));
    expect(logs.map(({ data }) => data["problem"])).toContain("the hook broke");
  });
});
