// Stopping a run, queueing after one, refusing to queue, and repeating a request with the same key.

import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import { codeOf } from "../../support/http-client/api-client.ts";
import type { RecordedSubscription } from "../../support/http-client/feed.ts";
import { settledMessages } from "../../support/http-client/transcript.ts";
import { longestQuestion, slowQuestion } from "../support/slow-answer.ts";
import type { SuiteServer } from "./suite-server.ts";

const turn = ["user", "assistant", "tool", "assistant"];
const statusSchema = z.object({ status: z.string() });

/** A thread whose answer is being streamed, word by word, until it is stopped. */
async function busyThread(api: ApiClient): Promise<{ id: string; feed: RecordedSubscription; run: string }> {
  const { id } = await api.createThread("assistant", {
    initial_messages: [{ role: "user", content: longestQuestion }],
  });
  const feed = await api.events(id);
  const { run } = await api.post(id, slowQuestion);
  await feed.untilCount("text_delta", 5);
  return { id, feed, run: run.id };
}

export function stopAndQueue(use: () => SuiteServer): void {
  describe("stop and queue", () => {
    it("A stop keeps the text so far and ends the run as stopped, and a second stop changes nothing", async () => {
      const { api } = use();
      const { id, feed, run } = await busyThread(api);
      const stop = () => api.ask(statusSchema, "POST", `/api/threads/${id}/stop`);
      // The stop is stored when its response comes; the run may end a moment later.
      expect(["running", "idle"]).toContain((await stop()).status);
      await feed.until("run_end", ({ run_id }) => run_id === run);
      expect(await stop()).toEqual({ status: "idle" });

      expect((await api.runs(id)).at(-1)).toMatchObject({ id: run, status: "stopped" });
      const messages = await api.messages(id);
      expect(messages.at(-1)).toMatchObject({ role: "assistant", stop_reason: "aborted", status: "complete" });
      expect(messages.at(-1)?.content).toMatch(/^Before this you said: "/);
      expect(settledMessages(feed.view().messages)).toEqual(messages);
      feed.close();
      expect((await api.say(id, "Hello")).run.status).toBe("completed");
    });

    it("Messages that arrive while a run is active are answered one after the other, in their order", async () => {
      const { api } = use();
      const { id } = await api.createThread();
      const feed = await api.events(id);
      const said = ["What is a thread?", "What is a run?", "What is a tool?"];
      const admitted = await Promise.all(said.map((content) => api.post(id, content)));
      await feed.untilCount("run_end", 3);

      const requested = admitted.map(({ message }) => message).toSorted((a, b) => (a.position < b.position ? -1 : 1));
      const messages = await api.messages(id);
      expect(messages.map(({ role }) => role)).toEqual([...turn, ...turn, ...turn]);
      const questions = messages.filter(({ role }) => role === "user");
      expect(questions.map(({ id: each }) => each)).toEqual(requested.map(({ id: each }) => each));
      expect(new Set(questions.map(({ content }) => content))).toEqual(new Set(said));
      for (const [index, { run_id }] of questions.entries()) {
        expect(new Set(messages.slice(index * 4, index * 4 + 4).map((message) => message.run_id))).toEqual(
          new Set([run_id]),
        );
      }
      expect(settledMessages(feed.view().messages)).toEqual(messages);
      feed.close();
    });

    it("A message with when=reject is refused while a run is active, and is not stored", async () => {
      const { api } = use();
      const { id, feed, run } = await busyThread(api);
      const before = await api.messages(id);
      const json = { content: "Hello", when: "reject" };
      const refused = await api.call("POST", `/api/threads/${id}/messages`, { json });
      expect([refused.status, codeOf(refused)]).toEqual([409, "conflict"]);
      expect((await api.messages(id)).length).toBe(before.length);
      await api.call("POST", `/api/threads/${id}/stop`);
      // The stop is stored when its response comes; the run may end a moment later.
      await feed.until("run_end", ({ run_id }) => run_id === run);
      expect((await api.say(id, "Hello", { when: "reject" })).run.status).toBe("completed");
      feed.close();
    });

    it("If a thread is deleted while it answers, its readers end with a reason, and the thread no longer exists", async () => {
      const { api } = use();
      const { id, feed } = await busyThread(api);
      const waiting = api.call("POST", `/api/threads/${id}/messages?wait=true`, { json: { content: "Hello" } });
      await feed.until("queue_changed");
      expect((await api.call("DELETE", `/api/threads/${id}`)).status).toBe(204);
      expect(await feed.untilEnd()).toMatch(/^refused:.*"thread_not_found".*was deleted/);
      expect(feed.ofType("run_end")).toMatchObject([{ status: "stopped" }]);
      expect((await waiting).status).toBe(404);
      expect((await api.call("GET", `/api/threads/${id}`)).status).toBe(404);
      expect((await api.call("GET", "/api/threads?limit=200")).text).not.toContain(id);
    });

    it("If a run ends at its limit, the response and the events report the limit, its messages remain, and the next message is answered", async () => {
      const { api } = use();
      const { id } = await api.createThread();
      const { run } = await api.say(id, "What is a thread?", { limits: { tokens: 1 } });
      expect(run).toMatchObject({ status: "limit", reason: "max_tokens", error: null, steps: 1 });
      expect((await api.messages(id)).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
      const feed = await api.sayForEvents(id, "What is a run?", { limits: { steps: 1, on_limit: "end" } });
      expect(await feed.until("run_end")).toMatchObject({ status: "limit", reason: "max_steps" });
      feed.close();
      expect((await api.say(id, "Hello")).run.status).toBe("completed");
    });

    it("If a run waits at its limit, the thread has a pending call of the kind limit, and a continue request with a higher limit continues the run", async () => {
      const { api } = use();
      const { id } = await api.createThread();
      const { run } = await api.say(id, "What is a thread?", { limits: { tokens: 1, on_limit: "rest" } });
      expect(run).toMatchObject({ status: "awaiting_tool_execution", error: null });
      const { status, pending_tool_calls: pending } = await api.thread(id);
      expect(status).toBe("awaiting_tool_execution");
      expect(pending).toMatchObject([
        { kind: "limit", name: "limit", arguments: { reason: "max_tokens", amount: "tokens" } },
      ]);
      const runs = `/api/threads/${id}/runs`;
      const json = (limits: object) => ({ json: { kind: "continue", limits } });
      const low = await api.call("POST", runs, json({ tokens: 1 }));
      expect([low.status, codeOf(low)]).toEqual([409, "conflict"]);
      const again = await api.call("POST", `${runs}?wait=true`, json({ tokens: null, steps: 1 }));
      expect(again).toMatchObject({ status: 200, body: { run: { id: run.id, status: "awaiting_tool_execution" } } });
      const headers = { accept: "text/event-stream" };
      const feed = await api.stream("POST", runs, { ...json({ steps: 20 }), headers });
      expect(await feed.until("run_end")).toMatchObject({ run_id: run.id, status: "completed" });
      feed.close();
      expect((await api.messages(id)).map(({ role }) => role)).toEqual(turn);
      expect(await api.runs(id)).toHaveLength(1);
    });

    it("A repeated Idempotency-Key returns the first response again, and refuses another body", async () => {
      const { api } = use();
      const headers = { "idempotency-key": "create-once" };
      const create = (json: object) => api.call("POST", "/api/threads", { json, headers });
      const created = await create({ agent_id: "assistant", title: "Once" });
      expect(created.status).toBe(201);
      expect((await create({ agent_id: "assistant", title: "Once" })).body).toEqual(created.body);
      expect(codeOf(await create({ agent_id: "assistant", title: "Twice" }))).toBe("conflict");

      const { id } = z.object({ id: z.string() }).parse(created.body);
      const post = (json: object) => api.call("POST", `/api/threads/${id}/messages`, { json, headers });
      const [one, two] = await Promise.all([post({ content: "Hello" }), post({ content: "Hello" })]);
      expect([one?.status, two?.status]).toEqual([202, 202]);
      const ids = z.object({ message: z.object({ id: z.string() }), run: z.object({ id: z.string() }) });
      expect(ids.parse(two?.body)).toEqual(ids.parse(one?.body));
      const other = await post({ content: "Hello?" });
      expect([other.status, codeOf(other)]).toEqual([409, "conflict"]);
      const feed = await api.events(id, "after=0&until=idle");
      await feed.untilEnd();
      expect((await api.messages(id)).map(({ role }) => role)).toEqual(["user", "assistant"]);
      expect(await api.runs(id)).toHaveLength(1);
    });
  });
}
