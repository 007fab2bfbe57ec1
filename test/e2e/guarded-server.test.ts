// A server with tokens of an administrator and several users, for every suite that needs users and no restart, and one without any
// configuration. Each suite has users of its own, because the server limits what a user does at a time.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import type { FeedEvent } from "#contract/feed.ts";
import { reservedPath } from "#contract/route.ts";
import type { BuiltInRoute } from "#contract/route.ts";

import { allRoutes } from "../support/all-routes.ts";
import { ApiClient, codeOf } from "../support/http-client/api-client.ts";
import type { Answer } from "../support/http-client/api-client.ts";
import { watchBySocket, watchBySse } from "../support/http-client/feed-words.ts";
import { socketFeed } from "../support/http-client/socket-feed.ts";
import { type DevServer, startDevServer } from "./dev-server.ts";
import { clientOverTheNetwork } from "./suites/client.ts";
import { exportAndImport } from "./suites/export.ts";
import { fileLimit, filesOverTheNetwork } from "./suites/files.ts";
import { explorerRoutes } from "./support/explorer-routes.ts";
import { copyProject } from "./support/project-copy.ts";
import { openScriptedProvider } from "./support/scripted-provider.ts";
import type { ScriptedProvider } from "./support/scripted-provider.ts";
import { longestQuestion, slowQuestion } from "./support/slow-answer.ts";

const users = ["anna", "ben", "cara", "carl", "cleo", "emma", "eric", "fay", "finn"];
const tokens = ["admin-secret", ...users.map((user) => `${user}-secret=${user}`)].join(",");
const bodies: Partial<Record<string, object>> = {
  createTicket: { path: "/api/threads/00000000-0000-4000-8000-000000000000/events" },
  createThread: { agent_id: "assistant" },
  patchThread: { title: "Mine" },
  postMessage: { content: "Hello" },
  patchMessage: { content: "Hello" },
  postRun: {},
  checkout: { before: "00000000-0000-4000-8000-000000000000" },
  stopThread: {},
  postToolResults: { results: [{ tool_call_id: "call_1", result: "Mine" }] },
  patchQueued: { content: "Hello" },
  moveFile: { from: "a.txt", to: "b.txt" },
  aiSdkChat: { messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "Hello" }] }] },
  mcpMessage: { jsonrpc: "2.0", id: 1, method: "ping" },
  executeSession: { input: { role: "user", content: "Hello" }, context: {} },
};
/** Query strings of routes that need one. */
const queries: Partial<Record<string, string>> = {
  searchFiles: "?glob=**",
  searchMessages: "?q=Hello",
  searchThreads: "?q=Hello",
};
const ticketSchema = z.object({ ticket: z.string() });

/** Every built-in route under both of its paths, with a query and a body that it accepts. */
function everyRoute(ids: Record<string, string>): { route: BuiltInRoute<string>; path: string; json?: object }[] {
  return Object.entries(allRoutes).flatMap(([name, route]) => {
    return [...new Set([route.path, reservedPath(route.path)])].map((pattern) => {
      const path = pattern.replace(/[:*](\w+)\??/g, (_, segment: string) => ids[segment] ?? "nothing");
      const json = bodies[name];
      return { route, path: `${path}${queries[name] ?? ""}`, ...(json === undefined ? {} : { json }) };
    });
  });
}

/** The status and code of a route's refusal, over a socket if the route is one. */
async function refusalOf(api: ApiClient, { route, path, json }: ReturnType<typeof everyRoute>[number]) {
  if (route.stream === "socket") {
    const refused: unknown = await socketFeed(`${api.url}${path}`, api.headers).catch((error: unknown) => error);
    const { status, text } = z.object({ status: z.number(), text: z.string() }).parse(refused);
    return [path, status, codeOf({ body: JSON.parse(text) } as Answer)];
  }
  const answer = await api.call(route.method, path, json === undefined ? {} : { json });
  return [path, answer.status, codeOf(answer)];
}

describe("a guarded server", () => {
  const project = copyProject("");
  let guarded: DevServer | undefined;
  let closed: DevServer | undefined;
  let provider: ScriptedProvider | undefined;
  /** The texts of the next answers of the agent `openrouter_assistant`. */
  const texts: AsyncIterable<string>[] = [];
  const as = (token: string, server = guarded): ApiClient => {
    const headers: Record<string, string> = token === "" ? {} : { authorization: `Bearer ${token}` };
    return new ApiClient(server?.url ?? "", headers);
  };

  const use = (): DevServer => {
    if (guarded === undefined) throw new Error("The server did not start");
    return guarded;
  };

  beforeAll(async () => {
    // One after the other, because two wranglers that start at the same moment choose the same port for their own use.
    provider = await openScriptedProvider(() => ({ text: texts.shift() ?? "Hello" }));
    const given = {
      API_TOKENS: tokens,
      MAX_FILE_BYTES: String(fileLimit),
      OPENROUTER_API_KEY: "key",
      OPENROUTER_BASE_URL: `${provider.url}/api/v1`,
    };
    const variables = Object.entries(given).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
    const served = { root: project.root, storedBundle: true };
    guarded = await startDevServer(project.state("guarded"), variables, served);
    closed = await startDevServer(project.state("closed"), ["--var", "OPEN_LOOPBACK:"], served);
  });
  afterAll(async () => {
    await Promise.all([guarded?.stop(), closed?.stop()]);
    await provider?.close();
    project.remove();
  });

  it("A request without a token is answered 401 on every route but the public ones", async () => {
    const nobody = as("");
    const { id } = await as("anna-secret").createThread();
    for (const each of everyRoute({ id })) {
      if (each.route.access === "public") continue;
      expect(await refusalOf(nobody, each)).toEqual([each.path, 401, "unauthorized"]);
    }
    const wrong = await as("wrong-secret").call("GET", "/api/threads");
    expect([wrong.status, codeOf(wrong)]).toEqual([401, "unauthorized"]);
    expect((await nobody.call("GET", "/healthz")).status).toBe(200);
    expect((await nobody.call("GET", "/api/greeting")).status).toBe(200);
    expect((await nobody.call("GET", `/api/threads/${id}/summary`)).status).toBe(401);
  });

  it("The data explorer of the local server shows no data and runs no SQL", async () => {
    const nobody = as("");
    await as("anna-secret").createThread();
    for (const [method, path] of explorerRoutes) {
      const answer = await nobody.call(method, path, method === "POST" ? { json: { sql: "SELECT 1" } } : {});
      expect([path, answer.status, answer.text]).toEqual([path, 404, expect.stringContaining("route_not_found")]);
    }
  });

  it("A user gets 404 for another user's thread on every route, and an administrator can read the threads of both users", async () => {
    const [anna, ben, admin] = [as("anna-secret"), as("ben-secret"), as("admin-secret")];
    const { id } = await anna.createThread();
    const bens = await ben.createThread();
    await ben.say(bens.id, "My order");
    const { message, run } = await anna.say(id, "Hello");
    const [log] = await anna.logs(id);
    const before = await anna.messages(id);
    const ids = { id, mid: message.id, rid: run.id, lid: log?.id ?? "", session_id: id };
    for (const each of everyRoute(ids)) {
      if (!each.path.includes(id)) continue;
      expect(await refusalOf(ben, each)).toEqual([each.path, 404, "thread_not_found"]);
    }
    const summary = await ben.call("GET", `/api/threads/${id}/summary`);
    expect([summary.status, codeOf(summary)]).toEqual([404, "thread_not_found"]);
    expect((await ben.call("GET", "/api/threads")).text).not.toContain(id);
    const taken = await ben.call("POST", "/api/threads", { json: { agent_id: "assistant", user_id: "anna" } });
    expect([taken.status, codeOf(taken)]).toEqual([403, "forbidden"]);

    for (const query of ["?user_id=anna", "?by=user", "?by=day,user"]) {
      const usage = await ben.call("GET", `/api/usage${query}`);
      expect([query, usage.status, codeOf(usage)]).toEqual([query, 403, "forbidden"]);
    }

    expect(await anna.messages(id)).toEqual(before);
    const listed = async (user: typeof admin) => {
      const { text } = await user.call("GET", "/api/threads");
      return [id, bens.id].map((each) => text.includes(each));
    };
    expect([await listed(anna), await listed(ben), await listed(admin)]).toEqual([
      [true, false],
      [false, true],
      [true, true],
    ]);
    for (const [owner, user, content] of [
      [id, "anna", "Hello"],
      [bens.id, "ben", "My order"],
    ] as const) {
      expect((await admin.thread(owner)).user_id).toBe(user);
      expect((await admin.messages(owner))[0]).toMatchObject({ role: "user", content });
    }
  });

  it("The project's own routes give no access to another user's thread, and a controller receives the caller", async () => {
    const [anna, ben, nobody] = [as("anna-secret"), as("ben-secret"), as("")];
    const { id } = await anna.createThread();
    const routes = [
      ["GET", "transcript", {}],
      ["POST", "notes", { json: { note: "Ben was here" } }],
    ] as const;
    for (const [method, route, body] of routes) {
      const path = `/api/threads/${id}/${route}`;
      expect([path, (await ben.call(method, path, body)).status]).toEqual([path, 404]);
      expect([path, (await nobody.call(method, path, body)).status]).toEqual([path, 401]);
    }
    expect(await anna.runs(id)).toEqual([]);
    expect((await ben.call("GET", "/api/orders/1042")).body).toMatchObject({ asked_by: "ben" });
    expect((await nobody.call("GET", "/api/orders/1042")).status).toBe(401);
  });

  it("A ticket opens one stream once, and over SSE the response sets a cookie that opens the stream again", async () => {
    const [anna, ben, nobody] = [as("anna-secret"), as("ben-secret"), as("")];
    const { id } = await anna.createThread();
    await anna.say(id, "Hello");
    const ticketFor = async (api: ApiClient, path: string): Promise<string> =>
      (await api.ask(ticketSchema, "POST", "/api/tickets", { json: { path } })).ticket;

    const events = `/api/threads/${id}/events`;
    const query = `after=0&until=idle&ticket=${await ticketFor(anna, events)}`;
    const first = await fetch(`${nobody.url}${events}?${query}`);
    expect(first.status).toBe(200);
    const cookie = first.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Strict/i);
    expect(await first.text()).toContain("event: run_end");
    expect((await nobody.call("GET", `${events}?${query}`)).status).toBe(401);
    const back = await nobody.call("GET", `${events}?${query}`, { headers: { cookie: cookie.split(";")[0] ?? "" } });
    expect(back.status).toBe(200);

    const stream = `/api/threads/${id}/stream`;
    const ticket = await ticketFor(anna, stream);
    const elsewhere = await nobody.call("GET", `${events}?until=idle&ticket=${ticket}`);
    expect(elsewhere.status).toBe(401);
    const feed = await nobody.socket(id, `after=0&until=idle&ticket=${ticket}`);
    expect(await feed.untilEnd()).toBe("end");
    expect(feed.view().messages).toHaveLength(2);
    await expect(nobody.socket(id, `ticket=${ticket}`)).rejects.toMatchObject({ status: 401 });
    const bens = await ticketFor(ben, stream);
    await expect(nobody.socket(id, `ticket=${bens}`)).rejects.toMatchObject({ status: 404 });
  });

  it("Changes of a user's threads are sent to that user alone, over SSE and by a socket with a ticket", async () => {
    const [anna, ben, admin, nobody] = [as("anna-secret"), as("ben-secret"), as("admin-secret"), as("")];
    const path = "/api/threads/events";
    const ticketFor = async (api: ApiClient): Promise<string> =>
      (await api.ask(ticketSchema, "POST", "/api/tickets", { json: { path } })).ticket;
    const ticket = await ticketFor(anna);
    const watchers = {
      annaBySse: await watchBySse(`${anna.url}${path}`, anna.headers),
      annaBySocket: await watchBySocket(`${nobody.url}${path}?ticket=${ticket}`),
      benBySse: await watchBySse(`${ben.url}${path}?ticket=${await ticketFor(ben)}`),
      benBySocket: await watchBySocket(`${ben.url}${path}`, ben.headers),
      adminOfAnna: await watchBySocket(`${admin.url}${path}?user_id=anna`, admin.headers),
      admin: await watchBySse(`${admin.url}${path}`, admin.headers),
    };
    for (const watch of [watchBySse, watchBySocket]) {
      await expect(watch(`${nobody.url}${path}?ticket=${ticket}`)).rejects.toMatchObject({ status: 401 });
      await expect(watch(`${ben.url}${path}?user_id=anna`, ben.headers)).rejects.toMatchObject({ status: 403 });
    }
    const { id } = await anna.createThread();
    await watchers.annaBySse.until("the new thread", ({ type }) => type === "thread_created");
    await anna.say(id, "Hello");
    await anna.call("DELETE", `/api/threads/${id}`);
    const { id: own } = await ben.createThread();
    const { id: unowned } = await admin.createThread();
    const isGone = (word: FeedEvent): boolean => word.type === "thread_deleted" && word.thread_id === id;
    for (const watcher of [watchers.annaBySse, watchers.annaBySocket, watchers.adminOfAnna]) {
      await watcher.until("the deletion", isGone);
      const received = watcher.words.map((word) => ("thread" in word ? [word.type, word.thread.status] : [word.type]));
      expect(received).toEqual([
        ["feed_start"],
        ["thread_created", "idle"],
        ["thread_updated", "running"],
        ["thread_updated", "idle"],
        ["thread_deleted"],
      ]);
      expect(watcher.words[0]).toMatchObject({ user_id: "anna" });
    }
    for (const [watcher, made] of [
      [watchers.benBySse, own],
      [watchers.benBySocket, own],
      [watchers.admin, unowned],
    ] as const) {
      await watcher.until("their own", (word) => word.type === "thread_created" && word.thread.id === made);
      expect(watcher.words.map(({ type }) => type)).toEqual(["feed_start", "thread_created"]);
    }
    for (const watcher of Object.values(watchers)) watcher.leave();
  });

  it("A deployment without configured authentication refuses every route except for the public ones with status 503", async () => {
    for (const token of ["", "admin-secret"]) {
      const api = as(token, closed);
      for (const each of everyRoute({ id: crypto.randomUUID() })) {
        if (each.route.access === "public") continue;
        expect(await refusalOf(api, each)).toEqual([each.path, 503, "auth_not_configured"]);
      }
      for (const path of ["/api/greeting", "/api/nothing"]) {
        const answer = await api.call("GET", path);
        expect([path, answer.status]).toEqual([path, path === "/api/greeting" ? 503 : 404]);
      }
      expect((await api.call("GET", "/healthz")).status).toBe(200);
    }
  });

  filesOverTheNetwork(use);
  exportAndImport(use);
  clientOverTheNetwork(use, (text) => texts.push(text));

  it("A user's messages, streams and wrong credentials are limited, and an error names the time to wait", async () => {
    const [anna, ben] = [as("anna-secret"), as("ben-secret")];
    const { id } = await ben.createThread();
    const limited = (answer: Answer): void => {
      expect([answer.status, codeOf(answer)]).toEqual([429, "rate_limited"]);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    };
    const post = (api: ApiClient, thread: string): Promise<Answer> =>
      api.call("POST", `/api/threads/${thread}/messages`, { json: { content: "Hello", run: false } });
    // A limit of sixty a minute refills while it is used up, so the messages are sent at the same time.
    const answers = await Promise.all(Array.from({ length: 200 }, () => post(ben, id)));
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) limited(answer);
    expect(await ben.messages(id)).toHaveLength(answers.length - refused.length);
    const { id: annas } = await anna.createThread();
    expect((await post(anna, annas)).status).toBe(202);

    const initial_messages = [{ role: "user", content: longestQuestion }];
    // A user who has not opened a stream before: an abandoned stream counts towards its user's limit until the next
    // heartbeat.
    const cara = as("cara-secret");
    const busy = await cara.createThread("assistant", { initial_messages });
    await cara.post(busy.id, slowQuestion);
    const streams = await Promise.all(Array.from({ length: 20 }, () => cara.events(busy.id, "after=0&until=idle")));
    limited(await cara.call("GET", `/api/threads/${busy.id}/events`));
    await cara.call("POST", `/api/threads/${busy.id}/stop`);
    for (const stream of streams) expect(await stream.untilEnd()).toBe("end");
    const opens = async (): Promise<boolean> =>
      (await cara.call("GET", `/api/threads/${busy.id}/events?until=idle`)).status === 200;
    await expect.poll(opens).toBe(true);

    // Each guess after the fifth one doubles the time to wait, so one of them comes too early also on a slow machine.
    const guess = (at: number): Promise<Answer> => as(`guess-${String(at)}`).call("GET", "/api/threads");
    let guessed = await guess(0);
    for (let at = 1; guessed.status === 401 && at < 12; at += 1) guessed = await guess(at);
    limited(guessed);
  });
});
