// A model that fails: retries, fallbacks, retractions and what is stored (decision 20: how tokens and costs are counted; decision 22:
// retries).

import { describe, expect, it } from "vitest";

import { foldAll } from "#contract/fold.ts";

import { scripts } from "../worker/definitions.ts";
import { admin, converse, follow, newThread, stubOf, types, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

describe("a model that fails", () => {
  it("A failed attempt's text is retracted before the next attempt or fallback shows anything", async () => {
    const id = await newThread("falls_back");
    const events = await converse(id, "hello");
    expect(types(events).filter((type) => /^(model|message_retracted|step)/.test(type))).toEqual([
      "step_start",
      "message_retracted",
      "model_retry",
      "message_retracted",
      "model_fallback",
      "step_end",
    ]);
    expect(events.find((event) => event.type === "model_fallback")).toMatchObject({ from: "failing", to: "scripted" });
    expect(foldAll(events).messages.map(({ content }) => content)).toEqual(["hello", "echo: hello"]);
    const late = await follow(id, { after: "0", until: "idle" });
    await late.closed;
    expect(foldAll(late.events).messages.map(({ content }) => content)).toEqual(["hello", "echo: hello"]);
  });

  it("Each attempt of a failing model has a log row with its model, error, output tokens and latency", async () => {
    const id = await newThread("falls_back");
    await converse(id, "hello");
    const { items } = await value(
      stubOf(id).call("listLogs", admin, { limit: 100, order: "asc", type: "llm_request" }),
    );
    expect(items.map(({ data }) => [data["model"], data["attempt"], data["error"] !== null])).toEqual([
      ["failing", 1, true],
      ["failing", 2, true],
      ["scripted", 1, false],
    ]);
    for (const { data } of items) {
      expect(data).toMatchObject({ latency_ms: expect.any(Number), usage: { output: expect.any(Number) } });
    }
    const last = await value(stubOf(id).call("getLog", admin, items.at(-1)?.id ?? ""));
    expect(last.data["rebuilt"]).toMatchObject({ system: "You are a test.", messages: [{ content: "hello" }] });
  });

  it("If a model failure is not retried, the run ends with an error, the model's text is stored, and the thread answers the next message", async () => {
    const id = await newThread("parallel");
    scripts.set("broken", () => ({ text: "I was about to", error: { kind: "auth", message: "no such key" } }));
    const events = await converse(id, "broken");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "error", error: { code: "auth" } });
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.at(-1)).toMatchObject({ content: "I was about to", stop_reason: "error" });
    expect((await value(stubOf(id).call("describe", admin))).status).toBe("error");
    const again = await converse(id, "again");
    expect(again.at(-1)).toMatchObject({ status: "completed" });
    expect((await value(stubOf(id).call("describe", admin))).status).toBe("idle");
  });
});

describe("limits and blank answers", () => {
  it("A run that reaches maxSteps ends with the status limit", async () => {
    const id = await newThread("short");
    scripts.set("loops", () => ({ toolCalls: [{ name: "note", arguments: { text: "again" } }] }));
    const events = await converse(id, "loops");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason: "max_steps" });
    expect(types(events).filter((type) => type === "step_end")).toHaveLength(3);
  });

  const blanks = { "white space": "  ", "a zero-width space": "\u200b", "an invisible filler": "\u3164\ufe0f" };
  it.each(Object.entries(blanks))(
    "A blank answer (%s) is requested again twice, and then ends the run with an error",
    async (_, text) => {
      const id = await newThread("parallel");
      scripts.set("blank", () => ({ text }));
      const events = await converse(id, "blank");
      expect(events.at(-1)).toMatchObject({ status: "error", error: { code: "blank_answer" } });
      expect(types(events).filter((type) => type === "step_end")).toHaveLength(3);
    },
  );

  it.each(["content_filter", "length"])("A blank answer that ends with %s is not retried", async (stopReason) => {
    const id = await newThread("parallel");
    scripts.set("blocked", () => ({ thinking: "Hm.", stopReason }));
    const events = await converse(id, "blocked");
    expect(events.at(-1)).toMatchObject({ status: "error", reason: stopReason, error: { code: stopReason } });
    expect(types(events).filter((type) => type === "step_end")).toHaveLength(1);
    const { items } = await value(
      stubOf(id).call("listLogs", admin, { limit: 100, order: "asc", type: "llm_request" }),
    );
    expect(items.map(({ data }) => data["stop_reason"])).toEqual([stopReason]);
    const { items: messages } = await value(stubOf(id).call("listMessages", admin, page));
    expect(messages.at(-1)).toMatchObject({ role: "assistant", stop_reason: stopReason });
  });
});
