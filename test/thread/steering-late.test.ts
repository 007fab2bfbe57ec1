// Steering messages for a run that does not see them at once: it is suspended or interrupted, or a sub-prompt is active.

import { beforeEach, describe, expect, it } from "vitest";

import type { Message } from "#contract/thread-message.ts";

import { skip } from "../worker/clock.ts";
import { scripts } from "../worker/definitions.ts";
import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import {
  atRest,
  busy,
  messagesOf,
  notesBehind,
  suspended,
  said,
  say,
  speaking,
  steer,
  unique,
  wake,
} from "./queue-client.ts";
import { latch, resetAgents, waitFor } from "./team-driver.ts";
import { admin, alarmOf, crash, evict, follow, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(resetAgents);

describe("a message for a run that does not receive it at once", () => {
  it("A steering message for a suspended run is stored without waking the run, and joins when the run continues", async () => {
    const { id, runId, name } = await suspended();
    await evict(id);
    const alarm = await alarmOf(id);
    expect((await steer(id, `${name} again`)).run?.id).toBe(runId);
    expect(await alarmOf(id)).toBe(alarm);
    expect(await said(id)).toEqual([`user: ${name}`]);
    await evict(id);
    skip(61_000);
    await wake(id);
    await atRest(id);
    expect(await said(id)).toEqual([`user: ${name}`, `user: ${name} again`, "assistant: rested"]);
  });

  it("A steering message survives a crash before it joins, and joins once", async () => {
    const { id, open } = await busy("sequential", notesBehind);
    await steer(id, "aside");
    await crash(id);
    open();
    const events = await atRest(id);
    expect((await said(id)).slice(1)).toEqual([
      "assistant: calls",
      "tool error",
      "tool error",
      "user: aside",
      "assistant: echo: aside",
    ]);
    const joined = events.filter((event) => event.type === "message_end" && event.message.content === "aside");
    expect(joined).toHaveLength(1);
  });

  it("If a crash interrupts a run after a steering message joined it, the run continues and answers the message", async () => {
    const { id, open } = await speaking();
    const slow = unique();
    let asks = 0;
    const hang = latch();
    scripts.set(slow, async () => {
      asks += 1;
      if (asks === 1) await hang.passed;
      return { text: "answered" };
    });
    await steer(id, slow);
    open();
    await waitFor(() => asks === 1);
    await crash(id);
    hang.open();
    const events = await atRest(id);
    expect((await said(id)).slice(1)).toEqual(["assistant: last words", `user: ${slow}`, "assistant: answered"]);
    expect(events.flatMap((event) => (event.type === "run_end" ? [event.status] : []))).toEqual(["completed"]);
  });

  it("A snapshot shows a steering message once, among the messages", async () => {
    const { id, open } = await speaking();
    const slow = unique();
    let asks = 0;
    const { passed, open: answer } = latch();
    scripts.set(slow, async () => {
      asks += 1;
      await passed;
      return { text: "answered" };
    });
    const { message } = await steer(id, slow);
    open();
    await waitFor(() => asks === 1);
    const following = await follow(id);
    const snapshot = await following.until(({ type }) => type === "snapshot");
    following.close();
    if (snapshot.type !== "snapshot") throw new Error("no snapshot");
    expect(snapshot.messages.map((one) => one.id)).toContain(message?.id);
    expect(snapshot.partial.filter((event) => event.message_id === message?.id)).toEqual([]);
    answer();
    await atRest(id);
  });

  it("A sub-prompt, and calls that a definition queued, run to their end although a steering message waits", async () => {
    const { passed, open } = latch();
    let inside = false;
    toolEffects.set("queue", (state) => state.queueTool("act", { key: "queued" }));
    toolEffects.set("queued", () => "made");
    scriptedAnswers.set("helper", async ({ messages }) => {
      inside = true;
      await passed;
      return messages.some(({ role }) => role === "tool")
        ? { text: "helped" }
        : { toolCalls: [{ name: "act", arguments: { key: "queue" } }] };
    });
    scriptedAnswers.set("boss", ({ lastUser }) =>
      lastUser === "go" ? { toolCalls: [{ name: "helper", arguments: { task: "t" } }] } : { text: "boss done" },
    );
    const id = await newThread("boss");
    await say(id, "go");
    await waitFor(() => inside);
    await steer(id, "aside");
    open();
    await atRest(id);
    const lines = (await messagesOf(id)).map(
      ({ depth, role, content, tool_calls }) =>
        `${depth} ${role} ${tool_calls === null ? content?.split("\n").at(-1) : "calls"}`,
    );
    expect(lines).toEqual([
      "0 user go",
      "0 assistant calls",
      "0 tool helped",
      "1 user t",
      "1 assistant calls",
      "1 tool null",
      "1 assistant helped",
      "0 assistant calls",
      '0 tool "made"',
      "0 user aside",
      "0 assistant boss done",
    ]);
  });

  it.each([
    ["undisturbed", false],
    ["cut", true],
  ])(
    "All calls that a definition queued are made before a waiting steering message joins, with and without a crash (%s)",
    async (_, cut) => {
      const { id, open } = await busy("sequential", (name) => [{ name: "later", arguments: { gate: name } }]);
      await steer(id, "aside");
      if (cut) await crash(id);
      open();
      await atRest(id);
      expect((await said(id)).slice(1)).toEqual([
        "assistant: calls",
        "tool success",
        "assistant: calls",
        cut ? "tool error" : "tool success",
        "tool success",
        "user: aside",
        "assistant: echo: aside",
      ]);
    },
  );

  it("Large steering messages join their run in several groups, in order, all of them reach the model, and each group is answered", async () => {
    const { id, runId, open } = await busy();
    const words = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
    const wordOf = (content: string | null | undefined) => /[a-z]+(?= x)/.exec(content ?? "")?.[0];
    const received: unknown[] = [];
    for (const word of words) {
      scripts.set(word, ({ messages }) => {
        const texts = messages.filter(({ role }) => role === "user").map(({ content }) => content);
        // The first message is the one that began the run.
        received.push(texts.slice(1).map((text) => [wordOf(text), text?.length]));
        return { text: `echo: ${word} x` };
      });
    }
    for (const word of words) await steer(id, `${word} ${"x".repeat(900_000)}`);
    open();
    const events = await atRest(id);
    const page = { limit: 4, order: "asc" as const, include_silent: false };
    const stored: Message[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const { items, next_cursor } = await value(
        stubOf(id).call("listMessages", admin, { ...page, ...(cursor === undefined ? {} : { cursor }) }),
      );
      stored.push(...items);
      cursor = next_cursor;
    }
    stored.splice(0, 3);
    expect(stored.map(({ role, content }) => `${role} ${wordOf(content)}`)).toEqual([
      ...words.slice(0, 6).map((word) => `user ${word}`),
      "assistant six",
      "user seven",
      "user eight",
      "assistant eight",
    ]);
    const sent = words.map((word) => [word, word.length + 900_001]);
    expect(received).toEqual([sent.slice(0, 6), sent]);
    expect(new Set(stored.map(({ run_id }) => run_id))).toEqual(new Set([runId]));
    expect(events.filter(({ type }) => type === "run_end")).toHaveLength(1);
  });
});
