// Messages during a run, over the network: queued after it, steering it, interrupting it; and the queue meanwhile.

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { queuedInputSchema } from "#contract/queue-route.ts";
import { deferred } from "#lib/deferred.ts";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import { codeOf } from "../../support/http-client/api-client.ts";
import { settledMessages } from "../../support/http-client/transcript.ts";
import { longestQuestion, slowQuestion } from "../support/slow-answer.ts";
import type { SuiteServer } from "./suite-server.ts";

const queueSchema = z.object({ queue: z.array(queuedInputSchema), next_cursor: z.null() });

/** A thread whose answer is being streamed until it is stopped. */
async function speaking(api: ApiClient) {
  const { id } = await api.createThread("assistant", {
    initial_messages: [{ role: "user", content: longestQuestion }],
  });
  const feed = await api.events(id);
  const { run } = await api.post(id, slowQuestion);
  await feed.untilCount("text_delta", 3);
  return { id, feed, run: run.id };
}

export function steering(use: () => SuiteServer): void {
  describe("messages during a run", () => {
    it("A steering message joins the active run, which continues with it", async () => {
      const { api, desk } = use();
      const { id } = await api.createThread("weather_openai_assistant");
      const feed = await api.events(id);
      // The first answer ends only after the steering message was admitted.
      const admitted = deferred<void>();
      const pause = { afterBytes: 700, until: admitted.promise };
      const mark = desk.order([{ fixture: "text", pause }, { fixture: "thinking" }]);
      const { run } = await api.post(id, `Hello ${mark}`);
      await feed.until("text_delta");
      const steering = api.say(id, "And two and two?", { when: "steer" });
      await feed.until("queue_changed", ({ queued }) => queued.length === 1);
      admitted.resolve();
      const steered = await steering;
      expect(steered.run).toMatchObject({ id: run.id, status: "completed", steps: 2 });
      const messages = await api.messages(id);
      expect(messages.map(({ role, run_id }) => [role, run_id])).toEqual([
        ["user", run.id],
        ["assistant", run.id],
        ["user", run.id],
        ["assistant", run.id],
      ]);
      expect(messages[1]?.content).toBe("Hello there, how can I help?");
      expect(messages[2]?.id).toBe(steered.message.id);
      expect(messages[3]?.content).toBe("It is 4.");
      await feed.until("run_end");
      expect(settledMessages(feed.view().messages)).toEqual(messages);
      feed.close();
    });

    it("An interrupting message ends the active run, and is answered before the waiting inputs", async () => {
      const { api } = use();
      const { id, feed, run } = await speaking(api);
      const waits = await api.post(id, "Hello");
      const now = await api.say(id, "What is beyond you?", { when: "interrupt" });
      expect(now.run.status).toBe("completed");
      await feed.until("run_end", ({ run_id }) => run_id === waits.run.id);
      expect(feed.ofType("run_end").map(({ run_id, status }) => [run_id, status])).toEqual([
        [run, "stopped"],
        [now.run.id, "completed"],
        [waits.run.id, "completed"],
      ]);
      const messages = await api.messages(id);
      expect(messages.find((message) => message.run_id === run && message.role === "assistant")).toMatchObject({
        stop_reason: "aborted",
      });
      expect(settledMessages(feed.view().messages)).toEqual(messages);
      feed.close();
      const late = await api.events(id, `after=${String(feed.ofType("run_end")[0]?.seq ?? 0)}&until=idle`);
      await late.untilEnd();
      expect(late.ofType("run_end").map(({ run_id }) => run_id)).toEqual([now.run.id, waits.run.id]);
    });

    it("INPUT3 Waiting inputs are listed, changed, moved and removed", async () => {
      const { api } = use();
      const { id, feed } = await speaking(api);
      const path = `/api/threads/${id}/queue`;
      const ids = [];
      for (const content of ["one", "two", "three"]) ids.push((await api.post(id, content)).run.id);
      const [one = "", two = "", three = ""] = ids;
      const moved = await api.call("PATCH", `${path}/${three}`, { json: { position: 0, content: "third" } });
      expect(queuedInputSchema.parse(moved.body)).toMatchObject({ id: three, message: { content: "third" } });
      expect((await api.call("DELETE", `${path}/${two}`)).status).toBe(204);
      expect(codeOf(await api.call("DELETE", `${path}/${two}`))).toBe("conflict");
      const { queue } = await api.ask(queueSchema, "GET", path);
      expect(queue.map((input) => [input.id, input.message?.content])).toEqual([
        [three, "third"],
        [one, "one"],
      ]);
      await api.call("POST", `/api/threads/${id}/stop`);
      await api.say(id, "Hello");
      const requested = (await api.messages(id)).flatMap(({ role, content }) => (role === "user" ? [content] : []));
      expect(requested.slice(2)).toEqual(["third", "one", "Hello"]);
      expect((await api.ask(queueSchema, "GET", path)).queue).toEqual([]);
      expect((await api.runs(id)).find((run) => run.id === two)?.status).toBe("stopped");
      feed.close();
    });
  });
}
