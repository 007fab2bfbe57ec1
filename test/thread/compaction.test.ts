// Conversations that exceed the window of their model: what is sent, what stays stored, which events are emitted, and what it costs.

import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import type { InputAttachment } from "#contract/input-attachment.ts";
import { toBase64 } from "#lib/base64.ts";
import type { TestRequest } from "#spec/index.ts";

import { pngBytes } from "../support/memory-files.ts";
import { ownSummary, summaries, summaryRequests, windowedRequests, windowedScripts } from "../worker/compacted.ts";
import { gate } from "../worker/definitions.ts";
import { costOf, finish, measured, printCosts, settled } from "./cost-table.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, types, value } from "./thread-driver.ts";
import { clearWindowed, continues, tokensOf, words } from "./windowed-requests.ts";

printCosts();

const page = { limit: 200, order: "asc" as const, include_silent: false };
const compactions = /^compaction/;

const picture = (at: number): InputAttachment => ({
  name: `p${at}.png`,
  mime_type: "image/png",
  data: toBase64(pngBytes(9000)),
});

beforeEach(clearWindowed);

describe("a conversation that exceeds the window of its model", () => {
  it("A long thread is still answered: each request fits the token budget and begins with the messages of the request before, except after a compaction", async () => {
    const id = await newThread("windowed");
    windowedScripts.set("look", ({ step }) =>
      step < 2 ? { text: "Looking.", toolCalls: [{ name: "lines", arguments: { count: 30 } }] } : { text: "Seen." },
    );
    let events = 0;
    for (let turn = 0; turn < 24; turn += 1) {
      const kind = turn % 4 === 3 ? "look" : "talk";
      const attachments = turn % 3 === 0 ? [picture(turn)] : [];
      const ran = await converse(id, `${kind} ${words(turn)}`, { attachments });
      expect(ran.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
      events += ran.filter(({ type }) => type === "compaction_end").length;
    }
    const breaks = windowedRequests.slice(1).filter((request, at) => {
      const before = windowedRequests[at];
      return before !== undefined && !continues(before, request);
    });
    expect(events).toBeGreaterThan(1);
    expect(breaks).toHaveLength(events);
    for (const request of windowedRequests) expect(tokensOf(request)).toBeLessThan(3200 * 1.05);
    const stored = await value(stubOf(id).call("listMessages", admin, page));
    expect(stored.items.filter(({ content }) => content?.startsWith("talk ") === true)).toHaveLength(18);
    expect(windowedRequests.at(-1)?.messages.some(({ content }) => /earlier messages? w/.test(content))).toBe(true);
  });

  it("The events of a compaction are emitted between the step's start and its answer, and a replay contains the same events", async () => {
    const id = await newThread("windowed");
    let live = await converse(id, words(0));
    for (let turn = 1; !types(live).includes("compaction_end"); turn += 1) live = await converse(id, words(turn, 300));
    expect(types(live).filter((type) => /^(step|compaction|message_start)/.test(type))).toEqual([
      "message_start",
      "step_start",
      "compaction_start",
      "compaction_end",
      "message_start",
      "step_end",
    ]);
    const start = live.find((event) => event.type === "compaction_start");
    const end = live.find((event) => event.type === "compaction_end");
    expect(start).toMatchObject({ reason: "budget", budget: 3200 });
    expect(start?.type === "compaction_start" && start.tokens).toBeGreaterThan(3200);
    expect(end?.type === "compaction_end" && end.tokens).toBeLessThanOrEqual(2400);
    const late = await follow(id, { after: "0", until: "idle" });
    await late.closed;
    const bare = (list: typeof live) =>
      list.filter(({ type }) => compactions.test(type)).map((event) => ({ ...event, prev: 0 }));
    expect(bare(late.events)).toEqual(bare(live));
  });

  it("If a crash interrupts a run after a compaction, the run continues with the same messages", async () => {
    const id = await newThread("windowed");
    for (let turn = 0; turn < 9; turn += 1) await converse(id, words(turn, 250));
    const hold = gate("compacted");
    windowedScripts.set("crash", ({ step }) =>
      step === 0
        ? { text: "Waiting.", toolCalls: [{ name: "lines", arguments: { count: 3 } }] }
        : { text: "On.", toolCalls: [{ name: "wait", arguments: { gate: "compacted" } }] },
    );
    const { run, after } = await value(stubOf(id).call("postMessage", admin, message(`crash ${words(9, 700)}`), null));
    const following = await follow(id, { after: String(after) });
    await following.until(({ type }) => type === "compaction_end");
    await hold.reached;
    windowedScripts.set("crash", () => ({ text: "Done." }));
    await crash(id);
    const later = await follow(id, { after: String(after), run_id: run?.id ?? "" });
    await later.closed;
    expect(later.events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(types(later.events).filter((type) => compactions.test(type))).toHaveLength(2);
    const [before, last] = windowedRequests.slice(-2);
    expect(before !== undefined && last !== undefined && continues(before, last)).toBe(true);
  });

  it("A text turn in a compacted thread of 1,000 messages reads few more rows than the messages that it sends, and writes at most 10 rows", async () => {
    const messages = Array.from({ length: 1000 }, (_, at) => ({ role: "user", content: words(at, 20) }));
    const id = await newThread("windowed", { initial_messages: messages });
    const first = await costOf(id, () => finish(id, "first"));
    const second = await costOf(id, () => finish(id, "second"));
    const sent = windowedRequests.at(-1)?.messages.length ?? 0;
    measured("text turn that compacts 1,000 messages", `${first.written} written, ${first.read} read`, "≤ 10");
    measured("text turn after that", `${second.written} written, ${second.read} read`, `≤ 10, ≤ 30 + ${sent}`);
    expect(first.written).toBeLessThanOrEqual(10);
    expect(second.written).toBeLessThanOrEqual(10);
    expect(sent).toBeLessThan(200);
    expect(second.read).toBeLessThanOrEqual(30 + sent);
  });

  it("A thread of 10,000 messages is answered at every step by a model with a window of 32,000 tokens, and a later turn reads only the messages that it sends", async () => {
    const messages = Array.from({ length: 10_000 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: words(at, 40),
    }));
    const id = await newThread("window_32k", { initial_messages: messages });
    const tools = [{ name: "lines", arguments: { count: 40 } }];
    windowedScripts.set("look", ({ step }) => (step < 5 ? { text: "Looking.", toolCalls: tools } : { text: "Seen." }));
    for (let turn = 0; turn < 3; turn += 1) {
      const ran = await converse(id, `look ${turn}`);
      expect(ran.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
      expect(ran.filter(({ type }) => type === "step_end")).toHaveLength(6);
    }
    const later = await costOf(id, () => finish(id, "later"));
    const sent = windowedRequests.at(-1)?.messages.length ?? 0;
    measured(
      "text turn in a thread of 10,000 messages",
      `${later.written} written, ${later.read} read`,
      `≤ 10, ≤ 40 + ${sent}`,
    );
    expect(windowedRequests).toHaveLength(19);
    for (const request of windowedRequests) expect(tokensOf(request)).toBeLessThan(25_600 * 1.05);
    expect(sent).toBeLessThan(1000);
    expect(later.written).toBeLessThanOrEqual(10);
    expect(later.read).toBeLessThanOrEqual(40 + sent);
  });

  it("The messages that are rebuilt from the log entry of a request after a compaction are the sent messages without the marker of dropped ones", async () => {
    const id = await newThread("windowed");
    for (let turn = 0; turn < 14; turn += 1) await converse(id, words(turn, 250));
    const logs = await value(stubOf(id).call("listLogs", admin, { limit: 1, order: "desc", type: "llm_request" }));
    const log = await value(stubOf(id).call("getLog", admin, logs.items[0]?.id ?? ""));
    const { messages } = log.data["rebuilt"] as { messages: { content: string }[] };
    const sent = windowedRequests.at(-1)?.messages.filter(({ content }) => !content.startsWith("[... ")) ?? [];
    expect(messages.map(({ content }) => content)).toEqual(sent.map(({ content }) => content));
  });

  it("The context of a thread has the parts of the next request with their tokens, and the number of dropped messages", async () => {
    const id = await newThread("windowed");
    const read = () => value(stubOf(id).call("threadContext", admin, {}));
    const first = await converse(id, words(0));
    const small = await read();
    expect(small).toMatchObject({ prompt: "windowed", model: "windowed", window: 4000, budget: 3200, dropped: 0 });
    expect(small.tools.map(({ name }) => name)).toEqual(["lines", "wait"]);
    expect(small.messages.map(({ id: of, role, shortened }) => [of !== null, role, shortened])).toEqual([
      [true, "user", false],
      [true, "assistant", false],
    ]);
    const parts = [
      small.system,
      ...small.tools.map(({ tokens }) => tokens),
      ...small.messages.map(({ tokens }) => tokens),
    ];
    expect(small.tokens).toBe(parts.reduce((sum, tokens) => sum + tokens, 0));
    expect(first.at(-1)).toMatchObject({ status: "completed" });
    for (let turn = 1; turn < 14; turn += 1) await converse(id, words(turn, 250));
    await settled(id);
    const { written } = await costOf(id, read);
    expect(written).toBe(0);
    const large = await read();
    expect(large.dropped).toBeGreaterThan(0);
    expect(large.tokens).toBeLessThanOrEqual(3200);
    const sent = windowedRequests.at(-1)?.messages.map(({ role }) => role) ?? [];
    expect(large.messages.map(({ role }) => role).slice(0, sent.length)).toEqual(sent);
    const isMarker = (content: string): boolean => content.startsWith("[... ");
    const marker = windowedRequests.at(-1)?.messages.findIndex(({ content }) => isMarker(content));
    expect(large.messages.flatMap(({ kind }, at) => (kind === "message" ? [] : [[kind, at]]))).toEqual([
      ["marker", marker],
    ]);
  });

  it("The context of a thread states how many of a message's tokens belong to its files", async () => {
    const id = await newThread("windowed");
    await converse(id, words(0), { attachments: [picture(0)] });
    const { messages } = await value(stubOf(id).call("threadContext", admin, {}));
    const [question, answer] = messages;
    expect(question?.file_tokens).toBeGreaterThan(80);
    expect(question?.file_tokens).toBeLessThan(question?.tokens ?? 0);
    expect(answer?.file_tokens).toBe(0);
  });

  it("Without includeChat, a prompt with a token budget compacts the steps of the current run, and each request contains the run's question", async () => {
    const id = await newThread("budgeted");
    windowedScripts.set("work", ({ messages }) =>
      messages.filter(({ role }) => role === "tool").length < 12 && windowedRequests.length < 14
        ? { text: "On.", toolCalls: [{ name: "lines", arguments: { count: 20 } }] }
        : { text: "Done." },
    );
    const events = await converse(id, "work now");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(types(events)).toContain("compaction_end");
    for (const request of windowedRequests) {
      expect(tokensOf(request)).toBeLessThan(1500 * 1.05);
      expect(request.messages.some(({ content }) => content === "work now")).toBe(true);
    }
  });

  it("A prompt without includeChat sends nothing of earlier runs, neither their messages nor the line that replaces dropped messages", async () => {
    const id = await newThread("budgeted");
    const hasDropped = ({ messages }: TestRequest) =>
      messages.some(({ content }) => /earlier messages? w/.test(content));
    const work = (request: TestRequest, number: number) =>
      hasDropped(request) || number > 60
        ? { text: "Done." }
        : { text: words(number), toolCalls: [{ name: "lines", arguments: { count: 20 } }] };
    // The last message of the role user is the question, or the line of an old turn after it.
    for (const word of ["work", "[Summary]"]) windowedScripts.set(word, work);
    await converse(id, "work now");
    expect(windowedRequests.slice(-1).map(hasDropped)).toEqual([true]);
    await converse(id, "next question");
    expect(windowedRequests.at(-1)?.messages.map(({ content }) => content)).toEqual(["next question"]);
    expect(await value(stubOf(id).call("threadContext", admin, {}))).toMatchObject({ messages: [], dropped: 0 });
  });

  it("If a system prompt is larger than the model's window, the run ends with an error that names the prompt", async () => {
    const id = await newThread("narrow");
    const events = await converse(id, "hello");
    expect(events.at(-1)).toMatchObject({
      type: "run_end",
      status: "error",
      error: { code: "overflow", message: expect.stringContaining('the prompt "narrow" need about') },
    });
    expect(windowedRequests).toHaveLength(0);
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items.map(({ content }) => content)).toEqual(["hello"]);
  });

  it("A message that is larger than the window is shortened to its beginning and its end in the request, and is stored completely", async () => {
    const id = await newThread("windowed");
    const events = await converse(id, `huge ${"x".repeat(100_000)} end`);
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(windowedRequests.at(-1)?.messages[0]?.content).toMatch(/^huge x+\n\[\.\.\. 100009 bytes.*\n[^]*x+ end$/);
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(items[0]?.content).toHaveLength(100_009);
  });
});

describe("a summary of dropped messages", () => {
  const fill = async (id: string, turns: number) => {
    const all = [];
    for (let turn = 0; turn < turns; turn += 1) all.push(await converse(id, words(turn, 200)));
    return all;
  };

  beforeEach(() => {
    summaryRequests.length = 0;
  });

  it("A model writes the summary once for each compaction, from the dropped messages and the previous summary", async () => {
    const id = await newThread("summarized");
    const runs = await fill(id, 24);
    const ends = runs.flat().filter((event) => event.type === "compaction_end");
    expect(ends.length).toBeGreaterThan(1);
    expect(ends.map((event) => event.type === "compaction_end" && event.level)).toEqual(ends.map(() => "summary"));
    expect(summaryRequests).toHaveLength(ends.length);
    const [first, second] = summaryRequests.map(({ messages }) => messages[0]?.content ?? "");
    expect(first).toContain("[user] talk 1 word");
    expect(first).toContain("[assistant] Answer to talk 1");
    expect(second).toMatch(/^Summary of the conversation before these messages:\nSummary 1\./);
    expect(second).not.toContain("talk 1 word");
    const breaks = windowedRequests.slice(1).filter((request, at) => {
      const before = windowedRequests[at];
      return before !== undefined && !continues(before, request);
    });
    expect(breaks).toHaveLength(ends.length);
    const sent = windowedRequests.at(-1)?.messages.map(({ content }) => content) ?? [];
    expect(sent.filter((content) => content.endsWith(`\nSummary ${ends.length}.`))).toHaveLength(1);
    for (const run of runs) expect(run.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  });

  it("The usage of a summary request is counted in its run, and the summary request has a separate log row", async () => {
    const id = await newThread("summarized");
    let events = await converse(id, words(0));
    for (let turn = 1; !types(events).includes("compaction_end"); turn += 1)
      events = await converse(id, words(turn, 300));
    const run = await value(stubOf(id).call("getRun", admin, events.at(-1)?.run_id ?? ""));
    const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 2, order: "desc", type: "llm_request" }));
    expect(items[1]?.data).toMatchObject({ purpose: "summary", model: "writer", error: null });
    const counted = items.map(({ data }) => (data["usage"] as { total_tokens: number }).total_tokens);
    expect(run.usage.total_tokens).toBe((counted[0] ?? 0) + (counted[1] ?? 0));
  });

  it("If a crash interrupts a run after a summary was written, the run continues with that summary and does not request another one", async () => {
    const id = await newThread("summarized");
    await fill(id, 6);
    const hold = gate("summarized");
    windowedScripts.set("crash", () => ({
      text: "On.",
      toolCalls: [{ name: "wait", arguments: { gate: "summarized" } }],
    }));
    const { run, after } = await value(stubOf(id).call("postMessage", admin, message(`crash ${words(9, 900)}`), null));
    await hold.reached;
    expect(summaryRequests).toHaveLength(1);
    windowedScripts.set("crash", () => ({ text: "Done." }));
    await crash(id);
    const later = await follow(id, { after: String(after), run_id: run?.id ?? "" });
    await later.closed;
    expect(later.events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(summaryRequests).toHaveLength(1);
    const [before, last] = windowedRequests.slice(-2);
    expect(before !== undefined && last !== undefined && continues(before, last)).toBe(true);
  });

  it("If the request for a summary fails, the conversation is compacted without a summary, and the step's log row has a warning", async () => {
    const id = await newThread("summarized");
    const { next } = summaries;
    summaries.next = () => ({ error: { kind: "overflow", message: "too long to summarize" } });
    onTestFinished(() => void Object.assign(summaries, { next }));
    let events = await converse(id, words(0));
    for (let turn = 1; !types(events).includes("compaction_end"); turn += 1)
      events = await converse(id, words(turn, 300));
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(events.find(({ type }) => type === "compaction_end")).not.toMatchObject({ level: "summary" });
    const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 1, order: "desc", type: "llm_request" }));
    expect(items[0]?.data["warnings"]).toEqual([expect.stringContaining("too long to summarize")]);
  });

  it("If a run is stopped during the request for a summary, no messages are dropped, and the next run requests the summary again", async () => {
    const id = await newThread("summarized");
    await fill(id, 6);
    const { next } = summaries;
    summaries.next = () => ({ text: "Too late.", delayMs: 600_000 });
    onTestFinished(() => void Object.assign(summaries, { next }));
    const { after } = await value(stubOf(id).call("postMessage", admin, message(words(6, 900)), null));
    const following = await follow(id, { after: String(after) });
    await following.until(({ type }) => type === "compaction_start");
    await value(stubOf(id).call("stop", admin, null));
    await following.until(({ type }) => type === "run_end");
    summaries.next = next;
    const events = await converse(id, words(7));
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(events.find(({ type }) => type === "compaction_end")).toMatchObject({ level: "summary" });
    expect(summaryRequests).toHaveLength(2);
    expect(summaryRequests[1]?.messages[0]?.content).toContain("[user] talk 1 word");
    expect(windowedRequests.at(-1)?.messages.some(({ content }) => content.endsWith("\nSummary 2."))).toBe(true);
  });

  it("A prompt's own summary function receives the dropped messages, and its text replaces them", async () => {
    const id = await newThread("own_summary");
    const given: string[][] = [];
    ownSummary.make = (messages, { previous }) => {
      given.push(messages.map(({ content }) => content ?? ""));
      return `${previous ?? "Nothing"}, then ${messages.length}.`;
    };
    await fill(id, 12);
    expect(given.length).toBeGreaterThan(0);
    const sent = windowedRequests.at(-1)?.messages.map(({ content }) => content) ?? [];
    expect(sent.some((content) => content.includes("Nothing, then "))).toBe(true);
  });

  it("If a prompt's own summary function throws, the conversation is still compacted, the run completes, and the step's log row has a warning", async () => {
    const id = await newThread("own_summary");
    ownSummary.make = () => Promise.reject(new Error("no summary today"));
    let events = await converse(id, words(0));
    for (let turn = 1; !types(events).includes("compaction_end"); turn += 1)
      events = await converse(id, words(turn, 300));
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 1, order: "desc", type: "llm_request" }));
    expect(items[0]?.data["warnings"]).toEqual([expect.stringContaining("no summary today")]);
  });
});
