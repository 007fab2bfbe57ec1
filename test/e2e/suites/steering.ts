// Messages during a run, over the network: queued after it, steering it, interrupting it; and the queue meanwhile.

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { queuedInputSchema } from "#contract/queue-route.ts";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import { codeOf } from "../../support/http-client/api-client.ts";
import { settledMessages } from "../../support/http-client/transcript.ts";
import { longQuestion, slowQuestion } from "../support/slow-answer.ts";
import type { SuiteServer } from "./suite-server.ts";

const queueSchema = z.object({ queue: z.array(queuedInputSchema), next_cursor: z.null() });

/** A thread whose answer is being streamed. */
async function speaking(api: ApiClient, words: number) {
  const { id } = await api.createThread("assistant", {
    initial_messages: [{ role: "user", content: longQuestion(words) }],
  });
  const feed = await api.events(id);
  const { run } = await api.post(id, slowQuestion);
  await feed.untilCount("text_delta", 3);
  return { id, feed, run: run.id };
}

export function steering(use: () => SuiteServer): void {
  describe("messages during a run", () => {
    it("A steering message joins the active run, which continues with it", async () => {
      const { api } = use();
      const { id, feed, run } = await speaking(api, 120);
      const steered = await api.say(id, "Hello", { when: "steer" });
      expect(steered.run).toMatchObject({ id: run, status: "completed", steps: 2 });
      const messages = await api.messages(id);
      expect(messages.slice(1).map(({ role, run_id }) => [role, run_id])).toEqual([
        ["user", run],
        ["assistant", run],
        ["user", run],
        ["assistant", run],
      ]);
      expect(messages.at(-2)?.id).toBe(steered.message.id);
      expect(messages.at(-1)?.content).toMatch(/^Hello! I am the demo assistant/);
      await feed.until("run_end");
      expect(settledMessages(feed.view().messages)).toEqual(messages);
      feed.close();
    });

    it("A message that interrupts ends the active run, and is answered before the waiting inputs", async () => {
      const { api } = use();
      const { id, feed, run } = await speaking(api, 500);
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
      const { id, feed } = await speaking(api, 500);
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
      const asked = (await api.messages(id)).flatMap(({ role, content }) => (role === "user" ? [content] : []));
      expect(asked.slice(2)).toEqual(["third", "one", "Hello"]);
      expect((await api.ask(queueSchema, "GET", path)).queue).toEqual([]);
      expect((await api.runs(id)).find((run) => run.id === two)?.status).toBe("stopped");
      feed.close();
    });
  });
}
