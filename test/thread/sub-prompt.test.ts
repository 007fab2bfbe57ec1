// A prompt called as a tool: its messages, what it sees, its result, and the effect of a crash or a stop.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";

import { crossing } from "../worker/crossing.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value, withNamedThread } from "./thread-driver.ts";

const page = { limit: 200, order: "asc" as const, include_silent: false };
const runPage = { limit: 50, order: "desc" as const };

beforeEach(() => {
  scriptedAnswers.clear();
  toolEffects.clear();
  requested.length = 0;
});

const messagesOf = async (id: string) => (await value(stubOf(id).call("listMessages", admin, page))).items;
/** Events as text, without the fields that depend on the reader. */
const plain = (events: readonly ThreadEvent[]) =>
  events
    .filter(({ type }) => !type.endsWith("_delta"))
    .map((event) => JSON.stringify({ ...withNamedThread(event), prev: 0 }));
const act = (key: string) => ({ toolCalls: [{ name: "act", arguments: { key } }] });

/** A boss that makes one call and then answers with the result. */
function bossCalls(name: string, args: Record<string, unknown>): void {
  scriptedAnswers.set("boss", ({ step, messages }) =>
    step === 0
      ? { toolCalls: [{ name, arguments: args }] }
      : { text: `told: ${messages.findLast(({ role }) => role === "tool")?.content}` },
  );
}

const firstOf = (persona: string) => requested.find((one) => one.persona === persona)?.request;

describe("a prompt as a tool", () => {
  it("A prompt that is called as a tool runs in a loop below the call, and the caller's model receives only its result", async () => {
    const id = await newThread("boss");
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "helper", arguments: { task: "look it up" } }] } : { text: "boss done" },
    );
    toolEffects.set("k", () => "acted");
    scriptedAnswers.set("helper", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "k" } }] } : { text: "helper done" },
    );
    const events = await converse(id, "go");
    const messages = await messagesOf(id);
    expect(messages.map(({ role, depth, content }) => [role, depth, content])).toEqual([
      ["user", 0, "go"],
      ["assistant", 0, null],
      ["tool", 0, '[tool] act({"key":"k"}) → "acted"\n\nhelper done'],
      ["user", 1, "look it up"],
      ["assistant", 1, null],
      ["tool", 1, '"acted"'],
      ["assistant", 1, "helper done"],
      ["assistant", 0, "boss done"],
    ]);
    expect(requested.at(-1)?.request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(requested[1]?.request.messages.map(({ content }) => content)).toEqual(["look it up"]);
    expect(events.map(({ type }) => type)).toContain("subagent_start");
    expect(events.find((event) => event.type === "subagent_end")).toMatchObject({ success: true, tool_executions: 1 });
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  });
  it("The message of a prompt used as a tool is the argument that initUserMessageProperty names, or else all arguments, which must match its schema", async () => {
    bossCalls("quiet", { topic: "owls" });
    await converse(await newThread("boss"), "go");
    expect(firstOf("quiet")?.lastUser).toBe("owls");
    requested.length = 0;
    bossCalls("plain", { topic: "owls" });
    await converse(await newThread("boss"), "go");
    expect(JSON.parse(firstOf("plain")?.lastUser ?? "")).toEqual({ topic: "owls", depth: 1 });
    bossCalls("helper", { wrong: 1 });
    expect((await converse(await newThread("boss"), "go")).at(-1)).toMatchObject({ status: "completed" });
    expect(requested.at(-1)?.request.messages.at(-1)?.content).toContain("task:");
  });

  it("The result of a prompt used as a tool contains what includeTextResponse, includeToolCalls and includeErrors select", async () => {
    toolEffects.set("fine", () => "well");
    toolEffects.set("bad", () => {
      throw new Error("broke");
    });
    const persona = ({ step }: { step: number }) => {
      if (step === 0) return { text: "first", ...act("fine") };
      return step === 1 ? act("bad") : { text: "last" };
    };
    const results: Record<string, string | null | undefined> = {};
    for (const name of ["helper", "wordless", "quiet"]) {
      scriptedAnswers.set(name, persona);
      bossCalls(name, name === "quiet" ? { topic: "x" } : { task: "x" });
      const id = await newThread("boss");
      await converse(id, "go");
      results[name] = (await messagesOf(id)).find(({ role, depth }) => role === "tool" && depth === 0)?.content;
    }
    const call = (key: string) => `[tool] act({"key":"${key}"})`;
    expect(results).toEqual({
      helper: ["first", `${call("fine")} → "well"`, call("bad"), "[error] act: broke", "last"].join("\n\n"),
      wordless: [`${call("fine")} → "well"`, call("bad")].join("\n\n"),
      quiet: ["first", "last"].join("\n\n"),
    });
  });

  it("A prompt used as a tool is sent only its own messages, and with `includeChat` also the caller's messages before the call", async () => {
    const id = await newThread("boss");
    await converse(id, "earlier");
    bossCalls("helper", { task: "alone" });
    await converse(id, "now");
    expect(firstOf("helper")?.messages.map(({ content }) => content)).toEqual(["alone"]);
    bossCalls("chatty", { task: "together" });
    await converse(id, "again");
    const received = firstOf("chatty")?.messages.map(({ content }) => content) ?? [];
    expect(received[0]).toBe("earlier");
    expect(received.slice(-2)).toEqual(["again", "together"]);
  });

  it("A prompt used as a tool ends after ten steps, and its result contains its texts so far and names the limit of steps", async () => {
    toolEffects.set("more", () => "more");
    scriptedAnswers.set("helper", ({ step }) => ({ text: `text ${step}`, ...act("more") }));
    bossCalls("helper", { task: "never ends" });
    const id = await newThread("boss");
    await converse(id, "go");
    expect(requested.filter(({ persona }) => persona === "helper")).toHaveLength(10);
    const emitted = (await messagesOf(id)).find(({ role, depth }) => role === "tool" && depth === 0);
    expect(emitted?.result).toMatchObject({ status: "success", result: expect.stringContaining("limit of steps") });
    const texts = emitted?.result?.result?.match(/text \d/g);
    expect(texts).toEqual(Array.from({ length: 10 }, (_, step) => `text ${step}`));
  });

  it("A prompt used as a tool may call another, and a prompt that keeps calling itself gets an error at the maximum depth", async () => {
    scriptedAnswers.set("helper", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "deep", arguments: { task: "down" } }] } : { text: "helper done" },
    );
    scriptedAnswers.set("deep", ({ step, messages }) =>
      step === 0
        ? { toolCalls: [{ name: "deep", arguments: { task: "down" } }] }
        : { text: String(messages.at(-1)?.content).slice(-200) },
    );
    bossCalls("helper", { task: "go" });
    const id = await newThread("boss");
    await converse(id, "go");
    const messages = await messagesOf(id);
    expect(Math.max(...messages.map(({ depth }) => depth))).toBe(10);
    expect(messages.some(({ content }) => content?.includes("levels deep"))).toBe(true);
    expect(messages.at(-1)?.depth).toBe(0);
  });

  it("Messages and events of parallel sub-prompts are separate, and the usage of the run is the sum of their usage", async () => {
    toolEffects.set("k", () => "k");
    for (const name of ["helper", "deep"]) {
      scriptedAnswers.set(name, ({ step, lastUser }) => (step === 0 ? act("k") : { text: `${name} ${lastUser}` }));
    }
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0
        ? {
            toolCalls: [
              { name: "helper", arguments: { task: "one" } },
              { name: "deep", arguments: { task: "two" } },
              { name: "helper", arguments: { task: "three" } },
            ],
          }
        : { text: "all" },
    );
    const id = await newThread("boss");
    const events = await converse(id, "go");
    const messages = await messagesOf(id);
    const tools = messages.filter(({ role, depth }) => role === "tool" && depth === 0);
    expect(tools.map(({ content }) => content?.split("\n\n").at(-1))).toEqual([
      "helper one",
      "deep two",
      "helper three",
    ]);
    for (const tool of tools) expect(messages.filter(({ parent_id }) => parent_id === tool.id)).toHaveLength(4);
    const folded = foldAll(events).messages.map(({ id: one, content, parent_id }) => [one, content, parent_id]);
    expect(folded).toEqual(messages.map(({ id: one, content, parent_id }) => [one, content, parent_id]));
    const [run] = (await value(stubOf(id).call("listRuns", admin, runPage))).items;
    const sum = messages.reduce((total, { usage }) => total + (usage?.total_tokens ?? 0), 0);
    expect(run?.usage.total_tokens).toBe(sum);
  });

  it("A sub-prompt continues at its next step after a crash interrupted it, and no call is made twice", async () => {
    const done: string[] = [];
    let hang = true;
    const { promise: reached, resolve: reach } = crossing();
    toolEffects.set("once", () => done.push("once"));
    scriptedAnswers.set("helper", async ({ step }) => {
      if (step === 0) return act("once");
      if (hang) {
        reach();
        await new Promise(() => {});
      }
      return { text: "helper done" };
    });
    bossCalls("helper", { task: "go" });
    const id = await newThread("boss");
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await reached;
    hang = false;
    await crash(id);
    const following = await follow(id, { after: "0" });
    await following.until((event) => event.type === "run_end");
    following.close();
    expect(done).toEqual(["once"]);
    expect(requested.filter(({ persona }) => persona === "boss")).toHaveLength(2);
    expect((await messagesOf(id)).map(({ role, depth }) => `${role} ${depth}`)).toEqual([
      "user 0",
      "assistant 0",
      "tool 0",
      "user 1",
      "assistant 1",
      "tool 1",
      "assistant 1",
      "assistant 0",
    ]);
    const starts = following.events.filter(({ type }) => type === "subagent_start" || type === "subagent_end");
    expect(starts.map(({ type }) => type)).toEqual(["subagent_start", "subagent_end"]);
  });

  it("The events of a prompt used as a tool contain its usage, and are replayed unchanged", async () => {
    toolEffects.set("k", () => "k");
    scriptedAnswers.set("helper", ({ step }) => (step === 0 ? act("k") : { text: "done" }));
    bossCalls("helper", { task: "go" });
    const id = await newThread("boss", { title: "replayed" });
    const events = await converse(id, "go");
    const messages = await messagesOf(id);
    const used = messages
      .filter(({ depth }) => depth === 1)
      .reduce((sum, { usage }) => sum + (usage?.total_tokens ?? 0), 0);
    const end = events.find(({ type }) => type === "subagent_end");
    expect(end).toMatchObject({
      subagent_type: "helper",
      success: true,
      tool_executions: 1,
      usage: { total_tokens: used },
    });
    for (const { seq } of events) {
      const again = await follow(id, { after: String(seq), until: "idle" });
      await again.closed;
      const expected = events.filter((event) => event.seq > seq && !event.type.endsWith("_delta"));
      expect(
        again.events.filter(({ type }) => !type.endsWith("_delta")).map((event) => [event.seq, event.type]),
      ).toEqual(expected.map((event) => [event.seq, event.type]));
    }
  });

  it("Large results of parallel sub-prompts are replayed completely, in many parts, equal to the live events", async () => {
    toolEffects.set("k", () => "k");
    toolEffects.set("big", () => "x".repeat(60_000));
    const { promise: gate, resolve: open } = crossing();
    scriptedAnswers.set("quiet", async ({ step }) => {
      const calls = ["k", "big", "k", "big"].map((key) => ({ name: "act", arguments: { key } }));
      if (step < 4) return { toolCalls: calls };
      await gate;
      return { text: "done" };
    });
    const both = ["one", "two"].map((topic) => ({ name: "quiet", arguments: { topic } }));
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? { toolCalls: both } : { text: "end" }));
    const id = await newThread("boss");
    const live = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await live.until(({ type, step, depth }) => type === "step_start" && step === 5 && depth === 1);
    // The steps of the boss and of its helpers are emitted and not written yet.
    const later = await follow(id, { after: "0", until: "idle" });
    open();

    await later.closed;
    await live.until(({ type }) => type === "run_end");
    live.close();
    const late = await follow(id, { after: "0", until: "idle" });
    await late.closed;
    expect(plain(later.events)).toEqual(plain(live.events));
    expect(plain(late.events)).toEqual(plain(live.events));
    expect(JSON.stringify(live.events).length).toBeGreaterThan(6 * 512 * 1024);
  });

  it("The events of parallel sub-prompts are emitted in the order of their numbers, live and in a replay", async () => {
    toolEffects.set("k", () => "k");
    toolEffects.set("emit", (state) => state.emit("note", { x: 1 }));
    const both = ["k", "emit"].map((key) => ({ name: "act", arguments: { key } }));
    scriptedAnswers.set("helper", ({ step }) => (step < 2 ? { toolCalls: both } : { text: "helped" }));
    scriptedAnswers.set("quiet", ({ step }) => (step < 3 ? act("k") : { text: "quiet" }));
    const calls = [
      { name: "helper", arguments: { task: "h" } },
      { name: "quiet", arguments: { topic: "t" } },
    ];
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? { toolCalls: calls } : { text: "done" }));
    const id = await newThread("boss");
    const live = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await live.until(({ type }) => type === "run_end");
    live.close();
    const numbers = live.events.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    expect(live.events.filter(({ type, depth }) => type === "step_end" && depth === 1)).toHaveLength(7);
    const late = await follow(id, { after: "0", until: "idle" });
    await late.closed;
    expect(plain(late.events)).toEqual(plain(live.events));
  });

  it("The end event of a prompt used as a tool has the stored result: of a long answer, an excerpt and the path of its file", async () => {
    scriptedAnswers.set("helper", () => ({ text: "y".repeat(300_000) }));
    bossCalls("helper", { task: "go" });
    const id = await newThread("boss");
    const live = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await live.until(({ type }) => type === "run_end");
    live.close();
    const late = await follow(id, { after: "0", until: "idle" });
    await late.closed;
    const ends = [live, late].map(({ events }) => events.filter(({ type }) => type === "subagent_end"));
    expect(ends[0]).toHaveLength(1);
    expect(plain(ends[1] ?? [])).toEqual(plain(ends[0] ?? []));
    expect(JSON.stringify(ends[0])).toContain("/attachments/tool-result-");
    expect(JSON.stringify(ends[0]).length).toBeLessThan(20_000);
  });

  it("A long sub-prompt is replayed completely to a late reader, with fewer than 2,000 rows read for 414 messages", async () => {
    toolEffects.set("k", () => "k");
    const many = { toolCalls: Array.from({ length: 50 }, () => ({ name: "act", arguments: { key: "k" } })) };
    scriptedAnswers.set("helper", ({ step }) => (step < 8 ? many : { text: "done" }));
    bossCalls("helper", { task: "go" });
    const id = await newThread("boss");
    await converse(id, "go");
    const before = await stubOf(id).rows();
    const late = await follow(id, { after: "0", until: "idle" });
    await late.closed;
    const read = (await stubOf(id).rows()).rowsRead - before.rowsRead;
    const ends = late.events.filter(({ type }) => type === "message_end");
    // One event for each message: of the helper 8 steps with 51, its question and its answer; and four of the main scope.
    expect(ends).toHaveLength(8 * 51 + 2 + 4);
    expect(read).toBeLessThan(2000);
  });

  it("A stop ends a sub-prompt, and the call of the sub-prompt gets an error result", async () => {
    const { promise: reached, resolve: reach } = crossing();
    scriptedAnswers.set("helper", async () => {
      reach();
      await new Promise(() => {});
      return { text: "never" };
    });
    bossCalls("helper", { task: "go" });
    const id = await newThread("boss");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await reached;
    await value(stubOf(id).call("stop", admin, null));
    expect(await following.until((event) => event.type === "run_end")).toMatchObject({ status: "stopped" });
    following.close();
    const tools = (await messagesOf(id)).filter(({ role }) => role === "tool");
    expect(tools.map(({ status, result }) => [status, result?.status])).toEqual([["complete", "error"]]);
  });

  it("A stop keeps the text so far of a sub-prompt, as its message and in the error result of its call", async () => {
    scriptedAnswers.set("helper", () => ({ text: Array.from({ length: 1000 }, () => "word "), delayMs: 20 }));
    bossCalls("helper", { task: "go" });
    const id = await newThread("boss");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go"), null));
    await following.until((event) => event.type === "text_delta" && event.depth === 1);
    await value(stubOf(id).call("stop", admin, null));
    expect(await following.until((event) => event.type === "run_end")).toMatchObject({ status: "stopped" });
    following.close();
    const messages = await messagesOf(id);
    const partial = messages.find(({ role, depth }) => role === "assistant" && depth === 1);
    expect(partial).toMatchObject({ stop_reason: "aborted", content: expect.stringMatching(/^(word )+$/) });
    expect(messages.find(({ role }) => role === "tool")?.result).toMatchObject({
      status: "error",
      error: expect.stringContaining(partial?.content ?? "no text"),
    });
  });
});
