// Compactions that fail or receive hostile input: the run continues, and no stored data is lost.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { ring, ringByHand, setClockRight, waitingFor } from "../worker/clock.ts";
import { floodLines, ownSummary, summaries, windowedRequests, windowedScripts } from "../worker/compacted.ts";
import { admin, converse, follow, message, newThread, stubOf, types, value } from "./thread-driver.ts";
import { clearWindowed, tokensOf, words } from "./windowed-requests.ts";

const page = { limit: 200, order: "asc" as const, include_silent: false };
/** The time limit of a prompt's function in milliseconds. */
const functionLimit = 10_000;
const objectOf = (id: string) => env.THREADS.get(env.THREADS.idFromName(id));
const lastLog = async (id: string) => {
  const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 1, order: "desc", type: "llm_request" }));
  return items[0]?.data ?? {};
};

beforeEach(clearWindowed);

describe("a prompt's function for summaries that does not settle", () => {
  /** A thread whose next message needs a compaction, and the waits of the function that it calls. */
  const hangingThread = async () => {
    const id = await newThread("own_summary");
    ringByHand(id);
    onTestFinished(setClockRight);
    ownSummary.make = () => new Promise(() => {});
    for (let turn = 0; turn < 6; turn += 1) await converse(id, words(turn, 200));
    const { after } = await value(stubOf(id).call("postMessage", admin, message(words(6, 2000)), null));
    const following = await follow(id, { after: String(after) });
    const waiting = () => runInDurableObject(objectOf(id), () => waitingFor(id, functionLimit));
    await vi.waitUntil(async () => (await waiting()) > 0);
    return { id, following, waiting };
  };

  it("If a prompt's summary function exceeds its time limit, the run continues with a conversation that is compacted without the function, and the log has a warning", async () => {
    const { id, following } = await hangingThread();
    await runInDurableObject(objectOf(id), () => ring(id, functionLimit));
    const end = await following.until(({ type }) => type === "run_end");
    expect(end).toMatchObject({ status: "completed" });
    expect(types(following.events)).toContain("compaction_end");
    expect((await lastLog(id))["warnings"]).toEqual([expect.stringContaining("did not finish within 10 s")]);
    for (const request of windowedRequests) expect(tokensOf(request)).toBeLessThan(3200 * 1.05);
  });

  it("A stop ends the wait for a prompt's summary function at once, and the next run calls the function again and replaces messages by its summary", async () => {
    const { id, following, waiting } = await hangingThread();
    await value(stubOf(id).call("stop", admin, null));
    expect(await following.until(({ type }) => type === "run_end")).toMatchObject({ status: "stopped" });
    expect(await waiting()).toBe(0);
    const given: number[] = [];
    ownSummary.make = (messages) => `${given.push(messages.length)} summary.`;
    const events = await converse(id, words(7));
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(events.find(({ type }) => type === "compaction_end")).toMatchObject({ level: "summary" });
    expect(given).toHaveLength(1);
  });
});

describe("a summary that is longer than it may be", () => {
  it.for(["summarized", "own_summary"])(
    "A summary that is too long is shortened for the agent %s, and each compaction reduces the request to at most three quarters of the token budget",
    async (agent) => {
      const { next } = summaries;
      const text = "A long summary. ".repeat(20_000);
      summaries.next = () => ({ text });
      onTestFinished(() => void Object.assign(summaries, { next }));
      ownSummary.make = () => text;
      const id = await newThread(agent);
      const ends = [];
      for (let turn = 0; turn < 8; turn += 1) {
        const events = await converse(id, words(turn, 700));
        expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
        ends.push(...events.filter((event) => event.type === "compaction_end"));
      }
      expect(ends.length).toBeGreaterThan(1);
      expect(ends.map(({ level }) => level)).toContain("summary");
      for (const { tokens } of ends) expect(tokens).toBeLessThanOrEqual(2400);
      for (const request of windowedRequests) expect(tokensOf(request)).toBeLessThan(3200 * 1.05);
    },
  );
});

describe("a tool result of 50 MB", () => {
  it("The model receives the beginning and the end of a tool result of 50 MB, a file of the thread contains all of it, and the run continues", async () => {
    const id = await newThread("flooded");
    windowedScripts.set("flood", ({ step }) =>
      step === 0 ? { text: "Reading.", toolCalls: [{ name: "flood", arguments: {} }] } : { text: "Read." },
    );
    const events = await converse(id, "flood");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    for (const request of windowedRequests) expect(tokensOf(request)).toBeLessThan(3200 * 1.05);
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    const [result] = items.filter(({ role }) => role === "tool");
    expect(result?.content).toContain("is too long to be shown whole");
    expect(result?.attachments?.map(({ size }) => size)).toEqual([floodLines * 100]);
    expect((await converse(id, "next")).at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  });
});
