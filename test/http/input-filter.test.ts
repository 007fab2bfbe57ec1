// Input filters over the real app and real objects: which texts they check, and what a rejected input leaves.

import { onTestFinished, describe, expect, it } from "vitest";

import type { Message } from "#contract/thread-message.ts";
import type { Thread } from "#contract/thread.ts";
import { defineAgent, defineFilter } from "#spec/index.ts";
import type { AgentDefinition, InputFilter } from "#spec/index.ts";

import { costOf, settled } from "../thread/cost-table.ts";
import { busy } from "../thread/queue-client.ts";
import { follow, stubOf } from "../thread/thread-driver.ts";
import { registry, scripts } from "../worker/definitions.ts";
import { admin, anna, ask } from "./support/session-app.ts";

/** Uses filters of the project until the test ends. Returns the texts that they checked. */
function useFilters(...filters: InputFilter[]): string[] {
  const received: string[] = [];
  const record: InputFilter = (text) => {
    received.push(text);
    return { action: "pass" };
  };
  const entries = [record, ...filters].map((filter, at) => ({
    file: `agents/filters/${at}.ts`,
    load: () => Promise.resolve(defineFilter(filter)),
  }));
  Object.assign(registry, { filters: entries });
  onTestFinished(() => void Object.assign(registry, { filters: [] }));
  return received;
}

/** Adds an agent until the test ends. */
function useAgent(agent: Partial<AgentDefinition>): string {
  const name = `filtered_${crypto.randomUUID().slice(0, 8)}`;
  const defined = defineAgent({ sideA: { prompt: "parallel" }, ...agent, name });
  registry.agents[name] = () => Promise.resolve(defined);
  onTestFinished(() => void delete registry.agents[name]);
  return name;
}

const noSecrets: InputFilter = (text) =>
  text.includes("secret") ? { action: "reject", reason: "It contains a secret." } : { action: "pass" };

async function newThread(agent_id = "parallel", extra: object = {}): Promise<string> {
  return (await ask<Thread>(anna, "POST", "/api/threads", { agent_id, ...extra })).id;
}

/** A request, its status and its error. */
async function send(method: string, path: string, json: object, headers: Record<string, string> = {}) {
  const init = { method, body: JSON.stringify(json), headers: { "content-type": "application/json", ...headers } };
  const response = await anna(path, init);
  const text = await response.text();
  const body = response.status >= 400 ? (JSON.parse(text) as { error: unknown }) : null;
  return {
    status: response.status,
    error: body?.error as { code: string; message: string; details?: object } | undefined,
  };
}

const post = (id: string, json: object, headers?: Record<string, string>) =>
  send("POST", `/api/threads/${id}/messages`, json, headers);

const rejected = {
  status: 422,
  error: {
    code: "input_rejected",
    message: "The input was refused: It contains a secret.",
    details: { reason: "It contains a secret." },
  },
};

async function contents(id: string): Promise<(string | null)[]> {
  const { messages } = await ask<{ messages: Message[] }>(anna, "GET", `/api/threads/${id}/messages`);
  return messages.map(({ content }) => content);
}

const idle = async (id: string) => (await anna(`/api/threads/${id}/events?after=0&until=idle`)).text();

describe("a rejected input", () => {
  it("FILTER2 A rejected message is answered with 422 and the reason, and leaves one event and at most 3 rows", async () => {
    useFilters(noSecrets);
    const id = await newThread();
    await post(id, { content: "hello" });
    await idle(id);
    await settled(id);
    const cost = await costOf(id, async () => expect(await post(id, { content: "my secret" })).toEqual(rejected));
    expect([cost.written <= 3, cost.alarms]).toEqual([true, 0]);
    expect(await contents(id)).toEqual(["hello", "echo: hello"]);
    const replayed = await follow(id, { after: "0" });
    await replayed.until(({ type }) => type === "input_rejected");
    replayed.close();
    const left = replayed.events.filter((event) => event.type === "input_rejected");
    expect(left).toMatchObject([{ reason: "It contains a secret." }]);
    expect(replayed.events.filter(({ type }) => type === "run_start")).toHaveLength(1);
    expect((await post(id, { content: "hello again" })).status).toBe(202);
  });

  it("FILTER2 A message that is rejected during a run does not disturb the run, and its files are deleted", async () => {
    useFilters(noSecrets);
    const { id, open } = await busy();
    const attachments = [{ name: "note.txt", mime_type: "text/plain", data: btoa("a secret plan") }];
    const before = await ask<{ files: unknown[] }>(admin, "GET", `/api/threads/${id}/files`);
    for (const when of ["queue", "steer", "interrupt"]) {
      const body = { content: "look", when, attachments };
      const response = await admin(`/api/threads/${id}/messages`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
      expect(response.status).toBe(422);
    }
    open();
    const following = await follow(id, { after: "0" });
    const end = await following.until(({ type }) => type === "run_end");
    following.close();
    expect(end).toMatchObject({ status: "completed" });
    expect(await ask(admin, "GET", `/api/threads/${id}/files`)).toEqual(before);
  });

  it("FILTER4 A repeated request with the key of a rejected input is answered the same, and no filter runs again", async () => {
    const received = useFilters(noSecrets);
    const id = await newThread();
    const key = { "idempotency-key": crypto.randomUUID() };
    for (let times = 0; times < 2; times += 1) {
      expect(await post(id, { content: "my secret" }, key)).toEqual(rejected);
    }
    expect(await post(id, { content: "another" }, key)).toMatchObject({ status: 409 });
    const other = { "idempotency-key": crypto.randomUUID() };
    for (let times = 0; times < 2; times += 1) expect((await post(id, { content: "fine" }, other)).status).toBe(202);
    expect(received).toEqual(["my secret", "fine"]);
  });
});

describe("a warning", () => {
  it("FILTER3 Warnings are appended to the stored text in the order of the filters, each of which receives the sent text", async () => {
    const warn =
      (message: string): InputFilter =>
      (text) => ({ action: "warn", message: `${message} (${text.length})` });
    const agent = useAgent({ filters: [warn("third")] });
    useFilters(warn("first"), warn("second"));
    const requests: string[] = [];
    scripts.set("warned", ({ lastUser }) => {
      requests.push(lastUser);
      return { text: "done" };
    });
    const id = await newThread(agent);
    await post(id, { content: "warned" });
    await idle(id);
    expect((await contents(id))[0]).toBe("warned\n\nfirst (6)\nsecond (6)\nthird (6)");
    expect(requests).toEqual(["warned\n\nfirst (6)\nsecond (6)\nthird (6)"]);
  });
});

describe("the checked texts", () => {
  it("FILTER1 Messages of every role, edits of messages and edits of queued inputs are checked", async () => {
    const received = useFilters(noSecrets);
    const id = await newThread();
    for (const role of ["user", "system", "assistant"]) {
      expect(await post(id, { content: `secret of ${role}`, role, run: false })).toEqual(rejected);
    }
    await post(id, { content: "first", run: false });
    const { messages } = await ask<{ messages: Message[] }>(anna, "GET", `/api/threads/${id}/messages`);
    expect(await send("PATCH", `/api/threads/${id}/messages/${messages[0]?.id}`, { content: "a secret" })).toEqual(
      rejected,
    );
    expect(await contents(id)).toEqual(["first"]);
    const held = await busy();
    const queued = await ask<{ run: { id: string } }>(admin, "POST", `/api/threads/${held.id}/messages`, {
      content: "wait",
    });
    const edit = await admin(`/api/threads/${held.id}/queue/${queued.run.id}`, {
      method: "PATCH",
      body: JSON.stringify({ content: "a secret" }),
      headers: { "content-type": "application/json" },
    });
    expect(edit.status).toBe(422);
    held.open();
    expect(received).toContain("wait");
  });

  it("FILTER1 The texts of a message's parts and of its text files are checked together", async () => {
    const received = useFilters();
    const id = await newThread();
    const content = [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ];
    const attachments = [
      { name: "a.txt", mime_type: "text/plain", data: btoa("three") },
      { name: "a.bin", mime_type: "application/octet-stream", data: btoa("four") },
    ];
    expect((await post(id, { content, attachments })).status).toBe(202);
    expect(received).toEqual(["one\ntwo\nthree"]);
  });

  it("FILTER1 Files of all types that a model receives as text are checked", async () => {
    useFilters(noSecrets);
    const id = await newThread();
    for (const mime_type of ["application/toml", "application/sql", "application/ld+json", "Application/JavaScript"]) {
      const attachments = [{ name: "a.txt", mime_type, data: btoa("a secret") }];
      expect(await post(id, { content: "look", attachments })).toEqual(rejected);
    }
  });

  it("FILTER1 The names and texts in the JSON Schema of a message's structure are checked, because the model reads them", async () => {
    const received = useFilters(noSecrets);
    const id = await newThread();
    const schema = (city: object) => ({ type: "object", properties: { city }, required: ["city"] });
    const described = schema({ type: "string", description: 'Say "a secret"' });
    expect(await post(id, { content: "look", structure: described })).toEqual(rejected);
    expect(await post(id, { content: "look", structure: schema({ enum: ["Rome", "secret"] }) })).toEqual(rejected);
    const named = { type: "object", properties: { secret: { type: "string" } } };
    expect(await post(id, { content: "look", structure: named })).toEqual(rejected);
    expect(received[0]).toContain('Say "a secret"');
    expect(await contents(id)).toEqual([]);
  });

  it("FILTER1 Inputs of the AI SDK and of sessions are checked", async () => {
    useFilters(noSecrets);
    const id = await newThread();
    const message = { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text: "a secret" }] };
    expect(
      await send("POST", `/api/ai-sdk/threads/${id}/chat`, { id, messages: [message], trigger: "submit-message" }),
    ).toEqual(rejected);
    const input = { role: "user", content: "a secret" };
    const refused = await send("POST", "/api/agent/execute", { input, context: {}, options: { model: "scripted" } });
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.error)).toContain("It contains a secret.");
  });

  it("FILTER1 Messages with which a thread is created (initial_messages) and messages between agents are not checked", async () => {
    const received = useFilters(noSecrets);
    const initial_messages = [{ role: "user", content: "a secret of the application" }];
    const id = await newThread("fault_boss", { initial_messages });
    await post(id, { content: "go" });
    await idle(id);
    expect(received).toEqual(["go"]);
    expect((await contents(id))[0]).toBe("a secret of the application");
  });

  it("The filters of a side replace those of its agent", async () => {
    const called: string[] = [];
    const named =
      (name: string): InputFilter =>
      () => {
        called.push(name);
        return { action: "pass" };
      };
    const agent = { prompt: "parallel", filters: [named("side")] };
    const withSide = useAgent({ filters: [named("agent")], sideA: agent });
    const alone = useAgent({ filters: [named("agent")] });
    const none = useAgent({ filters: [named("agent")], sideA: { ...agent, filters: [] } });
    for (const name of [withSide, alone, none]) await post(await newThread(name), { content: "hello", run: false });
    expect(called).toEqual(["side", "agent"]);
  });
});

it.each<[string, InputFilter]>([
  [
    "throws",
    () => {
      throw new Error("the classifier is down");
    },
  ],
  ["returns nothing", (() => undefined) as never],
  ["returns an unknown action", (() => ({ action: "allow" })) as never],
])(
  "FILTER5 If a filter %s, the input is refused with 503, only a log row is stored, and the input may be sent again",
  async (_what, filter) => {
    let isBroken = true;
    useFilters((text, state) => (isBroken ? filter(text, state) : { action: "pass" }));
    const id = await newThread();
    const key = { "idempotency-key": crypto.randomUUID() };
    expect(await post(id, { content: "hello" }, key)).toMatchObject({ status: 503, error: { code: "unavailable" } });
    expect(await contents(id)).toEqual([]);
    const page = { limit: 10, order: "asc", type: "hook" } as const;
    const logs = await stubOf(id).call("listLogs", { user: null, admin: true }, page);
    expect(logs).toMatchObject({ value: { items: [{ data: { hook: "filter", file: "agents/filters/1.ts" } }] } });
    isBroken = false;
    expect((await post(id, { content: "hello" }, key)).status).toBe(202);
  },
);
