// Input that is wrong in every way the network allows: each request is refused with its own status and code, and
// changes nothing.

import { describe, expect, it } from "vitest";

import { codeOf } from "../../support/http-client/api-client.ts";
import type { CallOptions } from "../../support/http-client/api-client.ts";
import { settledMessages } from "../../support/http-client/transcript.ts";
import type { SuiteServer } from "./suite-server.ts";

interface Wrong extends CallOptions {
  what: string;
  /** `POST` by default. */
  method?: string;
  /** Below the thread's path, unless it starts with a slash. */
  path?: string;
  answer: [status: number, code: string];
}

const json = { "content-type": "application/json" };
const raw = (body: string | Uint8Array<ArrayBuffer>): CallOptions => ({ body, headers: json });
const invalid: [number, string] = [400, "invalid_request"];
const unknown = "00000000-0000-4000-8000-000000000000";
const hello = { content: "Hello" };

const bodies: Wrong[] = [
  { what: "malformed JSON", ...raw('{"content": "Hello'), answer: invalid },
  { what: "an empty body", ...raw(""), answer: invalid },
  { what: "a list", json: [hello], answer: invalid },
  { what: "null", ...raw("null"), answer: invalid },
  { what: "a number as content", json: { content: 7 }, answer: invalid },
  { what: "no content", json: {}, answer: invalid },
  { what: "no parts", json: { content: [] }, answer: invalid },
  { what: "a part of no kind", json: { content: [{ type: "video", text: "x" }] }, answer: invalid },
  { what: "a part too much said", json: { content: [{ type: "text", text: "x", bold: true }] }, answer: invalid },
  { what: "an unknown field", json: { ...hello, contents: "x" }, answer: invalid },
  { what: "an unknown role", json: { ...hello, role: "god" }, answer: invalid },
  { what: "an unknown when", json: { ...hello, when: "never" }, answer: invalid },
  { what: "limits that are none", json: { ...hello, limits: { steps: -1 } }, answer: invalid },
  { what: "limits spelled as definitions do", json: { ...hello, limits: { durationMs: 5 } }, answer: invalid },
  { what: "a limit of half a token", json: { ...hello, limits: { tokens: 0.5 } }, answer: invalid },
  { what: "metadata that is a list", json: { ...hello, metadata: [] }, answer: invalid },
  { what: "__proto__", ...raw('{"content":"x","metadata":{"__proto__":{"admin":true}}}'), answer: invalid },
  { what: "half a surrogate pair", ...raw('{"content":"\\ud800"}'), answer: invalid },
  { what: "invalid UTF-8", ...raw(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])), answer: invalid },
  { what: "nesting without end", ...raw(`{"content":"x","metadata":${deep(5000)}}`), answer: invalid },
  { what: "another content type", body: "content=Hello", headers: form(), answer: [415, "unsupported_media_type"] },
  { what: "no content type", body: Buffer.from('{"content":"x"}'), answer: [415, "unsupported_media_type"] },
  { what: "a text over a mebibyte", json: { content: "x".repeat(1_153_434) }, answer: [413, "too_large"] },
  { what: "a body over every limit", ...raw(Buffer.alloc(7 * 1024 * 1024, 0x20)), answer: [413, "too_large"] },
];

const places: Wrong[] = [
  { what: "an unknown agent", path: "/api/threads", json: { agent_id: "asistant" }, answer: invalid },
  { what: "an id that is no UUID", path: "/api/threads", json: { agent_id: "assistant", id: "x" }, answer: invalid },
  {
    what: "an unknown thread",
    path: `/api/threads/${unknown}/messages`,
    json: hello,
    answer: [404, "thread_not_found"],
  },
  { what: "a thread id that is none", path: "/api/threads/nothing", method: "GET", answer: [404, "thread_not_found"] },
  { what: "a stop of an unknown thread", path: `/api/threads/${unknown}/stop`, answer: [404, "thread_not_found"] },
  {
    what: "events of an unknown thread",
    path: `/api/threads/${unknown}/events`,
    method: "GET",
    answer: [404, "thread_not_found"],
  },
  { what: "an unknown message", path: `/messages/${unknown}`, method: "GET", answer: [404, "message_not_found"] },
  {
    what: "an unknown message to delete",
    path: `/messages/${unknown}`,
    method: "DELETE",
    answer: [404, "message_not_found"],
  },
  { what: "an unknown run", path: `/runs/${unknown}`, method: "GET", answer: [404, "run_not_found"] },
  { what: "an unknown log", path: `/logs/${unknown}`, method: "GET", answer: [404, "log_not_found"] },
  { what: "an unknown tool", path: "/api/tools/nothing", method: "GET", answer: [404, "tool_not_found"] },
  { what: "an unknown route", path: "/nothing/at/all", method: "GET", answer: [404, "route_not_found"] },
  { what: "a method of no route", path: "/messages", method: "PUT", json: hello, answer: [405, "method_not_allowed"] },
  { what: "a cursor that is none", path: "/messages?cursor=%7Bbroken", method: "GET", answer: invalid },
  { what: "a cursor of another list", path: `/messages?cursor=${cursorOf("runs")}`, method: "GET", answer: invalid },
  { what: "a thread cursor that is none", path: "/api/threads?cursor=AAAA", method: "GET", answer: invalid },
  { what: "a limit of zero", path: "/messages?limit=0", method: "GET", answer: invalid },
  { what: "a limit beyond the most", path: "/messages?limit=1001", method: "GET", answer: invalid },
  { what: "an unknown query", path: "/messages?oder=asc", method: "GET", answer: invalid },
  { what: "a query twice", path: "/messages?limit=1&limit=2", method: "GET", answer: invalid },
  { what: "an unknown order", path: "/messages?order=up", method: "GET", answer: invalid },
  { what: "a number that is none", path: "/events?after=soon", method: "GET", answer: invalid },
  { what: "an event type that is none", path: "/events?types=text_delt", method: "GET", answer: invalid },
  {
    what: "a Last-Event-ID that is none",
    path: "/events",
    method: "GET",
    headers: { "last-event-id": "-1" },
    answer: invalid,
  },
  { what: "a socket route without upgrade", path: "/stream", method: "GET", answer: [426, "upgrade_required"] },
  { what: "a change of nothing", path: "", method: "PATCH", json: {}, answer: invalid },
  { what: "a ticket for elsewhere", path: "/api/tickets", json: { path: "/api/threads" }, answer: invalid },
];

function deep(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
}

function form(): Record<string, string> {
  return { "content-type": "application/x-www-form-urlencoded" };
}

function cursorOf(list: string): string {
  return Buffer.from(JSON.stringify([list, unknown])).toString("base64url");
}

export function badInput(use: () => SuiteServer): void {
  describe("bad input", () => {
    it("A wrong body, path or query is refused with the code of its error, and nothing is stored", async () => {
      const { api, server } = use();
      const { id } = await api.createThread();
      await api.say(id, "Hello");
      const before = { thread: await api.thread(id), messages: await api.messages(id, "&include_silent=true") };

      const answers = [];
      for (const { what, method = "POST", path = "/messages", answer: _, ...sent } of [...bodies, ...places]) {
        const answer = await api.call(method, path.startsWith("/api/") ? path : `/api/threads/${id}${path}`, sent);
        answers.push([what, answer.status, answer.status < 400 ? answer.text : codeOf(answer)]);
      }
      expect(answers).toEqual([...bodies, ...places].map(({ what, answer }) => [what, ...answer]));
      expect(await api.thread(id)).toEqual(before.thread);
      expect(await api.messages(id, "&include_silent=true")).toEqual(before.messages);
      expect(server.output()).not.toContain("internal_error");
    });

    it("A message of a million characters is accepted like any other", async () => {
      const { api } = use();
      const { id } = await api.createThread();
      const content = "0123456789".repeat(100_000);
      const feed = await api.socket(id);
      const json = { content, run: false };
      expect((await api.call("POST", `/api/threads/${id}/messages`, { json })).status).toBe(202);
      await feed.until("message_end");
      const messages = await api.messages(id);
      expect(messages.map((message) => message.content === content)).toEqual([true]);
      // Compared as text, so that a failure does not print a difference of a million characters.
      expect(JSON.stringify(settledMessages(feed.view().messages)) === JSON.stringify(messages)).toBe(true);
      feed.close();
    });
  });
}
