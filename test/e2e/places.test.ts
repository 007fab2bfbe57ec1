// The limits of one user's concurrent streams, waits, exports and imports over real connections: a request no longer
// counts after its client leaves in any way.

import { randomBytes } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { ApiClient } from "../support/http-client/api-client.ts";
import { type DevServer, startDevServer } from "./dev-server.ts";
import { startDirectServer } from "./support/direct-server.ts";
import type { DirectServer } from "./support/direct-server.ts";
import { openAndLeave, waysToLeave } from "./support/leaving-client.ts";
import type { LeavingRequest, WayToLeave } from "./support/leaving-client.ts";
import { copyProject } from "./support/project-copy.ts";
import { rawCall } from "./support/raw-request.ts";
import { longQuestion, slowQuestion } from "./support/slow-answer.ts";

const mib = 1024 * 1024;
const bound = 3;

/**
 * Milliseconds within which an abandoned request has to stop counting: two heartbeats, because the first one only
 * detects that the client has left.
 */
const timeoutMs = 60_000;

const json = { "content-type": "application/json" };
const ndjson = { "content-type": "application/x-ndjson" };
const slow = JSON.stringify({ content: slowQuestion });

/** A request that counts towards a limit. */
interface Opening extends LeavingRequest {
  /** Whether the request counts, as an administrator sees it. Left out if the head of the response shows that. */
  isTaken?: (admin: ApiClient) => Promise<boolean>;
}

interface Case {
  /** `exported` is the thread's export. */
  open: (id: string, exported: string) => Opening;
  /** The size of a file in the thread. */
  bytes?: number;
  /** Whether the server has no proxy of `wrangler dev` in front of it (direct-server.ts). */
  direct?: boolean;
}

const cases: Record<string, Case> = {
  "an export": {
    open: (id) => ({ method: "GET", path: `/api/threads/${id}/export?files=true` }),
    // More than the buffers between client and server hold.
    bytes: 32 * mib,
  },
  "an import": {
    open(id, exported) {
      const header = exported.split("\n")[0]?.replaceAll(id, crypto.randomUUID()) ?? "";
      // As much as the object reads at a time, without a complete second line.
      const body = `${header}\n{"type":"thread","thread":"${"x".repeat(mib)}`;
      const request = { method: "POST", path: "/api/threads/import", headers: ndjson, body };
      // Another import of a thread that is being imported is a conflict.
      const isTaken = async (admin: ApiClient) =>
        (await admin.call("POST", request.path, { headers: ndjson, body: `${header}\n` })).status === 409;
      return { ...request, endless: true, isTaken };
    },
  },
  "a thread's events": { open: (id) => ({ method: "GET", path: `/api/threads/${id}/events?after=0` }) },
  "the feed": { open: () => ({ method: "GET", path: "/api/threads/events" }) },
  "an answer as events": {
    open: (id) => ({
      method: "POST",
      path: `/api/threads/${id}/messages`,
      headers: { ...json, accept: "text/event-stream" },
      body: slow,
    }),
  },
  // The head of its response arrives with the first space of the body.
  "a wait": {
    open: (id) => ({ method: "POST", path: `/api/threads/${id}/messages?wait=true`, headers: json, body: slow }),
  },
  "a wait before its head": {
    direct: true,
    open(id) {
      const visit = crypto.randomUUID();
      const body = JSON.stringify({ content: slowQuestion, metadata: { visit } });
      const shows = async (admin: ApiClient, list: string) =>
        (await admin.call("GET", `/api/threads/${id}/${list}`)).text.includes(visit);
      const isTaken = async (admin: ApiClient) => (await shows(admin, "queue")) || shows(admin, "messages?order=desc");
      return { method: "POST", path: `/api/threads/${id}/messages?wait=true`, headers: json, body, isTaken };
    },
  },
};
const each = Object.keys(cases).flatMap((what) => waysToLeave.map((way): [string, WayToLeave] => [what, way]));

describe("leases of a user", () => {
  const project = copyProject("");
  let server: DevServer | undefined;
  let directServer: DirectServer | undefined;
  const as = (user: string, direct = false): ApiClient =>
    new ApiClient((direct ? directServer : server)?.url ?? "", { authorization: `Bearer ${user}-secret` });

  beforeAll(async () => {
    // Each case has a user of its own, so that an abandoned request of one case does not count in another one.
    const users = each.map((_, at) => `user${String(at)}-secret=user${String(at)}`);
    const variables = {
      API_TOKENS: ["admin-secret", ...users].join(","),
      LIMIT_OPEN_STREAMS: String(bound),
      LIMIT_ADMISSIONS_PER_MINUTE: "10000",
    };
    const given = Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
    server = await startDevServer(project.state("places"), given, { root: project.root, storedBundle: true });
    directServer = await startDirectServer(project.root, project.state("direct"), variables);
  });
  afterAll(async () => {
    await directServer?.stop();
    await server?.stop();
    project.remove();
  });

  it.concurrent.each(each)(
    "HTTP21 The lease of %s is free again when the client's connection ends by %s, also after many repetitions",
    { timeout: 5 * timeoutMs },
    async (what, way) => {
      const { open, bytes = 0, direct = false } = cases[what] ?? expect.fail("no such case");
      const api = as(`user${String(each.findIndex(([one, by]) => one === what && by === way))}`, direct);
      const initial_messages = [{ role: "user", content: longQuestion(8000) }];
      const { id } = await api.createThread("assistant", { initial_messages });
      if (bytes > 0) await rawCall(api, "PUT", `/api/threads/${id}/files/large.bin`, { body: randomBytes(bytes) });
      const exported = (await api.call("GET", `/api/threads/${id}/export`)).text;
      /** Opens a request and leaves it; false if it was refused because of the limit. */
      const visit = async (): Promise<boolean> => {
        const { isTaken, ...request } = open(id, exported);
        const client = openAndLeave(api, way, request);
        let status: number | null = null;
        const head = client.status().then((is) => (status = is));
        head.catch(() => undefined);
        if (isTaken === undefined) await head;
        else
          await vi.waitUntil(async () => status === 429 || isTaken(as("admin", direct)), {
            timeout: timeoutMs,
            interval: 100,
          });
        client.leave();
        return status !== 429;
      };
      for (let visits = 0; visits < 2 * bound; visits += 1) {
        await vi.waitUntil(visit, { timeout: 2 * timeoutMs, interval: 500 });
      }
      await api.call("POST", `/api/threads/${id}/stop`);
    },
  );
});
