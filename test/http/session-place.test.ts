// The threads of named sessions: every client can compute the id of such a thread, so no client may occupy it, and no response reveals to
// another user whether it exists.

import { describe, expect, it } from "vitest";

import { earlierNamedThreadId, namedThreadId } from "#contract/named-thread-id.ts";
import { setupAgent } from "#contract/setup.ts";
import type { Thread } from "#contract/thread.ts";

import { execute, readSession } from "../support/session-client/session-client.ts";
import type { Send } from "../support/session-client/session-client.ts";
import { exported, linesOf, sealed } from "../thread/archive-client.ts";
import { stubOf, value } from "../thread/thread-driver.ts";
import { admin, anna, ask, ben } from "./support/session-app.ts";

const options = { model: "scripted" };
const said = (content: string) => ({ role: "user", content });
const newName = (): string => `s-${crypto.randomUUID()}`;

/** A session of anna's, and the id of its thread. */
async function annasSession(): Promise<{ name: string; id: string }> {
  const name = newName();
  await execute(anna, { sessionId: name, input: said("Mine"), context: {}, options });
  const id = await namedThreadId("anna", name);
  expect(await ask<Thread>(anna, "GET", `/api/threads/${id}`)).toMatchObject({ id, user_id: "anna" });
  return { name, id };
}

/** An export of anna's session under another thread id. */
async function exportAs(id: string): Promise<string> {
  const { id: from } = await annasSession();
  const lines = linesOf(await exported(from));
  return sealed(JSON.parse(JSON.stringify(lines).replaceAll(from, id)) as typeof lines);
}

async function importBy(send: Send, text: string, extra: Record<string, string> = {}): Promise<[number, string]> {
  const headers = { "content-type": "application/x-ndjson", ...extra };
  const response = await send("/api/threads/import", { method: "POST", headers, body: text });
  return [response.status, await response.text()];
}

/** The responses to another user who makes every request at an id. */
async function probed(send: Send, id: string): Promise<unknown[]> {
  const request = async (method: string, path: string, json?: object) => {
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const response = await send(path, { method, headers: { "content-type": "application/json" }, ...body });
    return [response.status, (await response.text()).replaceAll(id, "ID")];
  };
  const asSession = (extra: object) =>
    request("POST", "/api/agent/execute", { sessionId: id, input: said("Taken"), ...extra });
  const imported = await importBy(send, await exportAs(id));
  return [
    await request("POST", "/api/threads", { id, agent_id: "parallel" }),
    await request("POST", "/api/threads", { id: id.toUpperCase(), agent_id: "parallel" }),
    await asSession({ context: {}, options }),
    await asSession({}),
    await request("GET", `/api/agent/session/${id}`),
    await request("GET", `/api/threads/${id}`),
    await request("DELETE", `/api/threads/${id}`),
    [imported[0], imported[1].replaceAll(id, "ID")],
  ];
}

describe("the thread of a named session", () => {
  it("SESSION27 The thread of a named session does not reveal to other users whether it exists, and its id cannot be taken before it exists", async () => {
    const { name, id } = await annasSession();
    const free = newName();
    const freeId = await namedThreadId("anna", free);
    const answers = await probed(ben, id);
    expect(answers.map((answer) => (answer as [number])[0])).toEqual([400, 400, 404, 400, 404, 404, 404, 400]);
    expect(await probed(ben, freeId)).toEqual(answers);
    expect((await readSession(anna, name))?.messages).toHaveLength(2);
    expect(await stubOf(freeId).call("describe", { user: null, admin: true })).toMatchObject({ ok: false });
    const begun = await execute(anna, { sessionId: free, input: said("Mine"), context: {}, options });
    expect(begun.status).toBe(200);
  });

  it("SESSION27 The thread of a named session can be read and continued by its id if the caller has access, but is created only by its name", async () => {
    const { name, id } = await annasSession();
    expect((await execute(anna, { sessionId: id, input: said("By id") })).status).toBe(200);
    expect((await execute(anna, { sessionId: id, input: said("With context"), context: {} })).status).toBe(200);
    expect((await readSession(anna, name))?.messages).toHaveLength(6);
    expect(await readSession(admin, id)).toMatchObject({ messages: { length: 6 } });
    const free = await namedThreadId("anna", newName());
    const begun = await execute(anna, { sessionId: free, input: said("By id"), context: {}, options });
    expect(begun.status).toBe(404);
  });

  it("SESSION27 The thread of a named session can be imported only for its owner and only under the id that its name determines", async () => {
    const { name, id } = await annasSession();
    const text = await exported(id);
    await anna(`/api/threads/${id}`, { method: "DELETE" });
    expect((await importBy(ben, text))[0]).toBe(400);
    expect((await importBy(anna, await exportAs(id)))[0]).toBe(400);
    expect((await importBy(anna, text, { "idempotency-key": "back" }))[0]).toBe(201);
    expect((await importBy(anna, text, { "idempotency-key": "back" }))[0]).toBe(201);
    expect((await importBy(anna, text))[0]).toBe(409);
    expect((await readSession(anna, name))?.messages).toHaveLength(2);
    await anna(`/api/threads/${id}`, { method: "DELETE" });
    expect((await importBy(admin, text))[0]).toBe(201);
    expect((await readSession(anna, name))?.messages).toHaveLength(2);
  });
});

describe("a session of the earlier id scheme", () => {
  it("SESSION28 A session with an id of the earlier scheme is found by its name and continues under that id", async () => {
    const name = newName();
    const thread_id = await earlierNamedThreadId("anna", name);
    const caller = { user: "anna", admin: false };
    const setup = { id: name, agent: null, system_prompt: null, tools: [], options };
    const creation = `session ${name}`;
    const made = { id: thread_id, user_id: "anna", agent_id: setupAgent, creation, setup, transcript: [] };
    await value(stubOf(thread_id).call("create", caller, made));
    await ask(anna, "POST", `/api/threads/${thread_id}/messages?wait=true`, { content: "Before" });
    expect((await readSession(anna, name))?.messages).toHaveLength(2);
    const second = await execute(anna, { sessionId: name, input: said("After"), context: {}, options });
    expect(second.status).toBe(200);
    expect((await readSession(anna, name))?.messages).toHaveLength(4);
    const own = await namedThreadId("anna", name);
    expect(await stubOf(own).call("describe", { user: null, admin: true })).toMatchObject({ ok: false });
    expect(await readSession(ben, name)).toBeNull();
  });

  it("SESSION28 Another user's thread under a session's id of the earlier scheme is ignored and does not block the session", async () => {
    const name = newName();
    const id = await earlierNamedThreadId("anna", name);
    expect(await ask<Thread>(ben, "POST", "/api/threads", { id, agent_id: "parallel" })).toMatchObject({ id });
    expect(await readSession(anna, name)).toBeNull();
    expect((await execute(anna, { sessionId: name, input: said("Mine"), context: {}, options })).status).toBe(200);
    expect((await readSession(anna, name))?.messages).toHaveLength(2);
    expect((await readSession(ben, id))?.messages).toEqual([]);
  });
});
