// Every way to follow a thread gives the same content, which is the stored content.

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { foldAll } from "#contract/fold.ts";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import { settledMessages, transcript } from "../../support/http-client/transcript.ts";
import type { Line } from "../../support/http-client/transcript.ts";
import type { SuiteServer } from "./suite-server.ts";

const pageSchema = z.object({
  messages: z.array(z.object({ content: z.string() })),
  next_cursor: z.string().nullable(),
});
const conversation = ["What is a thread?", "Remember that my cat is called Ada", "What did I say before?", "Hello"];

async function overWait(api: ApiClient, id: string): Promise<Line[]> {
  for (const line of conversation) await api.say(id, line);
  return transcript(await api.messages(id));
}

async function overPostedEvents(api: ApiClient, id: string): Promise<Line[]> {
  const events = [];
  for (const line of conversation) {
    const feed = await api.sayForEvents(id, line);
    expect(await feed.untilEnd()).toBe("closed");
    events.push(...feed.events);
  }
  return transcript(settledMessages(foldAll(events).messages));
}

async function overFollowing(api: ApiClient, id: string, way: "events" | "socket"): Promise<Line[]> {
  const feed = await api[way](id);
  for (const line of conversation) {
    const { run } = await api.post(id, line);
    await feed.until("run_end", ({ run_id }) => run_id === run.id);
  }
  const { messages } = feed.view();
  feed.close();
  return transcript(settledMessages(messages));
}

export function oneTranscript(use: () => SuiteServer): void {
  describe("one transcript", () => {
    it("One conversation has the same content over wait, posted events, SSE and WebSocket", async () => {
      const { api } = use();
      const ids = await Promise.all(conversation.map(async () => (await api.createThread()).id));
      const [first = "", second = "", third = "", fourth = ""] = ids;
      const transcripts = await Promise.all([
        overWait(api, first),
        overPostedEvents(api, second),
        overFollowing(api, third, "events"),
        overFollowing(api, fourth, "socket"),
      ]);
      expect(transcripts[0]).toHaveLength(12);
      for (const lines of transcripts) expect(lines).toEqual(transcripts[0]);
      for (const id of ids) expect(transcript(await api.messages(id))).toEqual(transcripts[0]);
    });

    it("Readers that follow one thread over posted events, SSE and WebSocket at once fold its events to exactly the stored messages", async () => {
      const { api } = use();
      const { id } = await api.createThread();
      const feeds = [await api.events(id), await api.socket(id)];
      const posted = [];
      for (const line of conversation) {
        const feed = await api.sayForEvents(id, line);
        await feed.untilEnd();
        posted.push(...feed.events);
      }
      const runs = await api.runs(id);
      await Promise.all(feeds.map((feed) => feed.until("run_end", ({ run_id }) => run_id === runs.at(-1)?.id)));
      const late = [await api.events(id, "after=0&until=idle"), await api.socket(id, "after=0&until=idle")];
      for (const feed of late) expect(await feed.untilEnd()).toBe("end");
      const opened = await api.events(id, "until=idle");
      expect(await opened.untilEnd()).toBe("end");

      const stored = await api.messages(id);
      for (const feed of [...feeds, ...late, opened]) {
        expect(settledMessages(feed.view().messages)).toEqual(stored);
        feed.close();
      }
      expect(settledMessages(foldAll(posted).messages)).toEqual(stored);
      // A live reader and a later one receive the same numbers for stored events, and the last number is the thread's.
      expect(feeds[0]?.lastSeq).toBe((await api.thread(id)).last_seq);
      expect(late[0]?.lastSeq).toBe(feeds[0]?.lastSeq);
    });

    it("A reader that subscribes late and a reader that resumes have the same messages as the first reader", async () => {
      const { api } = use();
      const { id } = await api.createThread();
      const patient = await api.events(id);
      const { run } = await api.post(id, "What is a thread?");
      const hasty = await api.socket(id);
      await hasty.until("text_delta");
      hasty.close();
      const resumed = await api.events(id, "", { "last-event-id": String(hasty.lastSeq) });
      const late = await api.socket(id);
      const ended = ({ run_id }: { run_id?: string | undefined }): boolean => run_id === run.id;
      await Promise.all([patient, resumed, late].map((feed) => feed.until("run_end", ended)));

      const stored = await api.messages(id);
      expect(settledMessages(patient.view().messages)).toEqual(stored);
      expect(settledMessages(late.view().messages)).toEqual(stored);
      expect(settledMessages(resumed.view(hasty.view()).messages)).toEqual(stored);
      expect(Math.min(...resumed.events.map(({ seq }) => seq))).toBeGreaterThan(hasty.lastSeq);
      for (const feed of [patient, resumed, late]) feed.close();
    });

    it("A reader can resume at every number of a thread, and receives exactly the later events", async () => {
      const { api } = use();
      const { id } = await api.createThread();
      const live = await api.socket(id);
      await api.say(id, "What is a thread?");
      await live.until("run_end");
      live.close();
      const kept = async (after: number): Promise<string[]> => {
        const feed = await api.events(id, `after=${String(after)}&until=idle`);
        expect(await feed.untilEnd()).toBe("end");
        return feed.events.map(({ seq, type }) => `${String(seq)} ${type}`);
      };
      const all = await kept(0);
      // Deltas are merged into the last of them; all other events are sent again unchanged.
      const whole = live.events.filter(({ type }) => !type.endsWith("_delta")).map(({ seq, type }) => `${seq} ${type}`);
      expect(all.filter((line) => !line.endsWith("_delta"))).toEqual(whole);
      const rests = await Promise.all(all.map((line) => kept(Number.parseInt(line, 10))));
      expect(rests).toEqual(all.map((_, index) => all.slice(index + 1)));
    });

    it("A long conversation is complete when it is read page by page, in either order", async () => {
      const { api } = use();
      const initial_messages = Array.from({ length: 1000 }, (_, index) => ({
        role: index % 2 === 0 ? "user" : "assistant",
        content: `line ${String(index)}`,
      }));
      const { id } = await api.createThread("assistant", { initial_messages });
      const pages = async (order: string): Promise<string[]> => {
        const lines: string[] = [];
        for (let cursor: string | null = ""; cursor !== null;) {
          const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
          const path = `/api/threads/${id}/messages?limit=300&order=${order}${query}`;
          const page: z.output<typeof pageSchema> = await api.ask(pageSchema, "GET", path);
          lines.push(...page.messages.map(({ content }) => content));
          cursor = page.next_cursor;
        }
        return lines;
      };
      const said = initial_messages.map(({ content }) => content);
      expect(await pages("asc")).toEqual(said);
      expect(await pages("desc")).toEqual(said.toReversed());
      const feed = await api.socket(id, "after=0&until=idle");
      expect(await feed.untilEnd()).toBe("end");
      expect(feed.view().messages.map(({ content }) => content)).toEqual(said);
    });

    it("If a client disconnects in the middle of an answer, the answer is completed", async () => {
      const { api } = use();
      const { id } = await api.createThread();
      const feed = await api.sayForEvents(id, "What is a thread?");
      await feed.until("text_delta");
      feed.close();
      const rest = await api.events(id, "after=0&until=idle");
      expect(await rest.untilEnd()).toBe("end");
      expect(rest.ofType("run_end")).toMatchObject([{ status: "completed" }]);
      const messages = await api.messages(id);
      expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
      expect(messages.at(-1)?.stop_reason).toBe("stop");
    });
  });
}
