// The open loopback mode answers requests from this machine, except those that a page of another origin makes a browser send.

import { request } from "node:http";

import { describe, expect, it } from "vitest";
import WebSocket from "ws";

import { ThreadholdClient } from "#client/index.ts";

import { codeOf } from "../../support/http-client/api-client.ts";
import { timeoutMs, within } from "../../support/http-client/deadline.ts";
import { shownList } from "../../support/http-client/shown-list.ts";
import { socketFeed } from "../../support/http-client/socket-feed.ts";
import type { SuiteServer } from "./suite-server.ts";

/** The status of a request with another Host header, which `fetch` cannot send. */
export function statusUnderHost(url: string, host: string, more: Record<string, string> = {}): Promise<number> {
  const answered = new Promise<number>((resolve, reject) => {
    const sent = request(url, { headers: { host, ...more } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject).end();
  });
  return within(timeoutMs, `an answer under Host ${host}`, answered);
}

export function loopbackOnly(use: () => SuiteServer): void {
  describe("the open loopback mode", () => {
    it("In the open mode a foreign Host header is refused on every path, and a foreign Origin on the API, also for a socket", async () => {
      const { api } = use();
      const { id } = await api.createThread();
      for (const path of ["/api/threads", `/api/threads/${id}/messages`, "/api/greeting"]) {
        expect([path, await statusUnderHost(`${api.url}${path}`, "evil.example")]).toEqual([path, 503]);
        const foreign = await api.call("GET", path, { headers: { origin: "https://evil.example" } });
        expect([path, foreign.status]).toEqual([path, 403]);
      }
      for (const path of ["/", "/healthz"]) {
        expect([path, await statusUnderHost(`${api.url}${path}`, "evil.example")]).toEqual([path, 503]);
      }
      const json = { content: "Hello" };
      const headers = { origin: "https://evil.example" };
      const posted = await api.call("POST", `/api/threads/${id}/messages`, { json, headers });
      expect([posted.status, codeOf(posted)]).toEqual([403, "forbidden"]);
      const socket = socketFeed(`${api.url}/api/threads/${id}/stream`, headers);
      await expect(socket).rejects.toMatchObject({ status: 403 });
      expect(await api.messages(id)).toEqual([]);
      expect((await api.call("GET", "/healthz", { headers })).status).toBe(200);
    });

    it("The client's list of all threads shows a new thread of another user, which the feed of its caller does not report", async () => {
      const client = new ThreadholdClient({ url: use().api.url, WebSocket });
      const tags = [crypto.randomUUID()];
      const { until, statusOf, leave } = shownList(client.threads.follow({ tag: tags[0] }, { everyMs: 200 }));
      try {
        const own = await client.threads.create({ agent_id: "assistant", tags });
        await until("a thread of the caller", () => statusOf(own.id) === "idle");
        const other = await client.threads.create({ agent_id: "assistant", tags, user_id: "anna" });
        await until("a thread of another user", () => statusOf(other.id) === "idle");
      } finally {
        leave();
        client.close();
      }
    });
  });
}
