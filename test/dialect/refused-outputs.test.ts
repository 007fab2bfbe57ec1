// Results of calls that the server refuses because of their content, through each way in which a client sends results: the page and the
// thread agree about the call afterwards, and no run waits for a result that a page shows as sent.

import { beforeAll, describe, expect, it } from "vitest";

import { ThreadholdClient, ThreadholdClientError } from "#client/index.ts";
import type { Thread } from "#contract/thread.ts";
import { ThreadChat as HookChat } from "#react/ai-sdk/thread-chat.ts";
import type { ThreadholdUIMessage } from "#react/ai-sdk/ui-message.ts";

import { anna, ask } from "../http/support/session-app.ts";
import { loadMessages, textOf, ThreadChat, toolsOf } from "../support/ai-chat/ai-chat.ts";
import { setServer } from "../thread/mcp-driver.ts";
import { scripts } from "../worker/definitions.ts";
import { connect, createCatalog } from "./support/mcp-app.ts";

const half = "half \uD83D";
const origin = "https://api.example";

/** A text that no JSON of a request may contain, with the part of the reason that the model reads. */
const refused: [what: string, output: unknown, reason: RegExp][] = [
  ["half a surrogate pair", half, /refused: output: Holds half of a surrogate pair/],
  ["half a surrogate pair in a nested key", { rows: [{ [half]: 1 }] }, /refused: output\.rows\.0: Holds half/],
  ["more than a million bytes", "x".repeat(1_100_000), /refused: The answer to ".+" has \d+ bytes/],
];

/** A thread whose run waits for calls of `tool`, and then answers with their results. */
async function waiting(count = 1, tool = "ask"): Promise<string> {
  const word = `refused-${crypto.randomUUID()}`;
  scripts.set(word, ({ step, messages }) =>
    step === 0
      ? { toolCalls: Array.from({ length: count }, (_, at) => ({ name: tool, arguments: { q: String(at) } })) }
      : {
          text: messages
            .slice(-count)
            .map(({ content }) => content)
            .join(" / "),
        },
  );
  const { id } = await ask<Thread>(anna, "POST", "/api/threads", { agent_id: "asker" });
  await ask(anna, "POST", `/api/threads/${id}/messages?wait=true`, { content: word });
  return id;
}

const threadOf = (id: string) => ask<Thread>(anna, "GET", `/api/threads/${id}`);

/** Waits until the thread is idle. */
async function atRest(id: string): Promise<void> {
  await (await anna(`/api/threads/${id}/events?after=0&until=idle`)).text();
}

/** The chat of AI SDK UI on a waiting thread, with its calls. */
async function openChat(id: string) {
  const chat = new ThreadChat(anna, id, { messages: await loadMessages(anna, id) });
  return { chat, calls: toolsOf(chat.lastMessage).map(({ toolCallId }) => toolCallId) };
}

describe("a chat of AI SDK UI", () => {
  it.each(refused)(
    "AISDK18 An output with %s becomes an error result of its call, which the model reads and the chat shows",
    async (_what, output, reason) => {
      const id = await waiting(2);
      const { chat, calls } = await openChat(id);
      const [bad = "", good = ""] = calls;
      await chat.addToolOutput({ tool: "ask", toolCallId: bad, output });
      await chat.addToolOutput({ tool: "ask", toolCallId: good, output: "fine" });
      await chat.sendMessage();
      const settled = [
        { state: "output-error", errorText: expect.stringMatching(reason) as string },
        { state: "output-available", output: "fine" },
      ];
      expect(toolsOf(chat.lastMessage)).toMatchObject(settled);
      expect(toolsOf((await loadMessages(anna, id)).at(-1))).toMatchObject(settled);
      expect(textOf(chat.lastMessage)).toMatch(reason);
      expect([chat.status, (await threadOf(id)).status]).toEqual(["ready", "idle"]);
    },
  );

  it.each([
    ["returns nothing", { state: "output-available", output: undefined }, { state: "output-available", output: "" }],
    [
      "fails without a text",
      { state: "output-error" },
      { state: "output-error", errorText: expect.stringMatching(/failed/) },
    ],
    ["fails with null as its text", { state: "output-error", errorText: null }, { state: "output-error" }],
    ["fails with a number as its text", { state: "output-error", errorText: 7 }, { state: "output-error" }],
  ] as const)(
    "AISDK18 The run continues if a tool of a chat %s, also if another output is sent with it",
    async (_what, given, shown) => {
      const id = await waiting(2);
      const [one, other] = toolsOf((await loadMessages(anna, id)).at(-1)).map(({ toolCallId }) => toolCallId);
      const parts = [
        { type: "tool-ask", toolCallId: one, input: {}, ...given },
        { type: "tool-ask", toolCallId: other, input: {}, state: "output-available", output: "fine" },
      ];
      const body = JSON.stringify({ messages: [{ id: "one", role: "assistant", parts }] });
      const init = { method: "POST", headers: { "content-type": "application/json" }, body };
      expect((await anna(`/api/ai-sdk/threads/${id}/chat`, init)).status).toBe(200);
      await atRest(id);
      expect(toolsOf((await loadMessages(anna, id)).at(-1))).toMatchObject([shown, { output: "fine" }]);
      expect((await threadOf(id)).status).toBe("idle");
    },
  );

  it("AISDK18 A reason of null declines a call without a reason", async () => {
    scripts.set("declines_null", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "erase", arguments: { what: "a file" } }] } : { text: "Done." },
    );
    const { id } = await ask<Thread>(anna, "POST", "/api/threads", { agent_id: "payer" });
    await ask(anna, "POST", `/api/threads/${id}/messages?wait=true`, { content: "declines_null" });
    const { chat, calls } = await openChat(id);
    await chat.addToolApprovalResponse({ id: calls[0] ?? "", approved: false, reason: null as never });
    await chat.sendMessage();
    expect(toolsOf(chat.lastMessage)).toMatchObject([{ state: "output-denied" }]);
    expect((await threadOf(id)).status).toBe("idle");
  });

  it("AISDK18 An output that does not fit the result schema of its tool becomes an error result with the reason", async () => {
    const id = await waiting(1, "ask_place");
    const { chat, calls } = await openChat(id);
    await chat.addToolOutput({ tool: "ask_place", toolCallId: calls[0] ?? "", output: { town: "Oslo" } });
    await chat.sendMessage();
    expect(toolsOf(chat.lastMessage)).toMatchObject([
      { state: "output-error", errorText: expect.stringMatching(/does not fit "ask_place".+place/s) as string },
    ]);
    expect((await threadOf(id)).status).toBe("idle");
  });

  it("AISDK18 An output with a number that is too large, or with a key that no field may have, becomes an error result", async () => {
    for (const [text, reason] of [
      ['{"deep":[1e999]}', /output\.deep\.0: Is too large a number/],
      ['{"__proto__":{"a":1}}', /output\.__proto__: Not a name/],
    ] as const) {
      const id = await waiting();
      const [{ toolCallId } = { toolCallId: "" }] = toolsOf((await loadMessages(anna, id)).at(-1));
      const part = `{"type":"tool-ask","toolCallId":"${toolCallId}","state":"output-available","input":{},"output":${text}}`;
      const body = `{"messages":[{"id":"one","role":"assistant","parts":[${part}]}]}`;
      const init = { method: "POST", headers: { "content-type": "application/json" }, body };
      expect((await anna(`/api/ai-sdk/threads/${id}/chat`, init)).status).toBe(200);
      await atRest(id);
      expect(toolsOf((await loadMessages(anna, id)).at(-1))).toMatchObject([
        { state: "output-error", errorText: expect.stringMatching(reason) as string },
      ]);
    }
  });

  it("AISDK18 The text of a failed tool and the reason of a declined call are shortened and made well-formed, and the run continues", async () => {
    const id = await waiting();
    const { chat, calls } = await openChat(id);
    await chat.addToolOutput({ tool: "ask", toolCallId: calls[0] ?? "", state: "output-error", errorText: half });
    await chat.sendMessage();
    expect(toolsOf(chat.lastMessage)).toMatchObject([{ state: "output-error", errorText: "half \uFFFD" }]);
    scripts.set("declines_much", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "erase", arguments: { what: "a file" } }] } : { text: "Done." },
    );
    const { id: other } = await ask<Thread>(anna, "POST", "/api/threads", { agent_id: "payer" });
    await ask(anna, "POST", `/api/threads/${other}/messages?wait=true`, { content: "declines_much" });
    const opened = await openChat(other);
    const reason = `${half} ${"y".repeat(100_000)}`;
    await opened.chat.addToolApprovalResponse({ id: opened.calls[0] ?? "", approved: false, reason });
    await opened.chat.sendMessage();
    expect(toolsOf(opened.chat.lastMessage)).toMatchObject([{ state: "output-denied" }]);
    expect((await threadOf(other)).status).toBe("idle");
  });

  it("AISDK18 An output for a call that waits for an approval is refused, also if the message has another output, and no output is stored", async () => {
    scripts.set("mixes", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "erase", arguments: { what: "x" } }] } : { text: "Done." },
    );
    const { id } = await ask<Thread>(anna, "POST", "/api/threads", { agent_id: "payer" });
    await ask(anna, "POST", `/api/threads/${id}/messages?wait=true`, { content: "mixes" });
    const { chat, calls } = await openChat(id);
    await chat.addToolOutput({ tool: "erase", toolCallId: calls[0] ?? "", output: "done" });
    await chat.sendMessage();
    expect(chat.error?.message).toMatch(/waits for an approval, not for an output/);
    expect((await threadOf(id)).pending_tool_calls).toHaveLength(1);
  });

  it("AISDK18 A request that cannot be read as a whole is refused, and the chat has the reason as its error", async () => {
    const id = await waiting();
    const { chat, calls } = await openChat(id);
    const deep = JSON.parse(`${"[".repeat(100)}${"]".repeat(100)}`) as unknown;
    await chat.addToolOutput({ tool: "ask", toolCallId: calls[0] ?? "", output: deep });
    await chat.sendMessage();
    expect([chat.status, chat.error?.message]).toEqual(["error", expect.stringMatching(/nested more than 64 levels/)]);
    expect((await threadOf(id)).pending_tool_calls).toHaveLength(1);
    // The chat can send another output for the call.
    await chat.addToolOutput({ tool: "ask", toolCallId: calls[0] ?? "", output: "flat" });
    await chat.sendMessage();
    expect(textOf(chat.lastMessage)).toBe("flat");
  });
});

describe("a chat of `useThreadholdChat`", () => {
  /** The chat on a waiting thread, and the errors that it reports. */
  async function openHook(id: string) {
    const client = new ThreadholdClient({
      url: origin,
      WebSocket: null,
      fetch: (url, init) => anna(url.slice(origin.length), init),
    });
    const errors: Error[] = [];
    const session = new HookChat<ThreadholdUIMessage>(client, id, { onError: (error) => void errors.push(error) });
    session.open();
    await session.chat.resumeStream();
    const until = (waitFor: (messages: ThreadholdUIMessage[]) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (waitFor(session.chat.messages)) resolve();
        };
        session.chat["~registerMessagesCallback"](look);
        look();
      });
    return { session, chat: session.chat, errors, until, client };
  }

  const circular: { self?: unknown } = {};
  circular.self = circular;

  it.each<[string, unknown, RegExp]>([
    ["is nested too deeply", JSON.parse(`${"[".repeat(100)}${"]".repeat(100)}`), /nested more than 64 levels/],
    ["has too many values", Array.from({ length: 100_001 }, () => 1), /more than 100000 values/],
    ["is larger than a request", "x".repeat(9_000_000), /over \d+ bytes/],
    ["has no JSON form", { id: 1n }, /BigInt/],
    ["contains itself", circular, /circular/],
    ["has half a surrogate pair", half, /surrogate/],
  ])(
    "AISDK19 If an output %s, its call gets an error result, the other output is sent, and the chat shows both",
    async (_what, output, reason) => {
      const id = await waiting(2);
      const { session, until, client } = await openHook(id);
      const [bad = "", good = ""] = toolsOf(session.chat.lastMessage).map(({ toolCallId }) => toolCallId);
      await session.addToolOutput({ tool: "ask", toolCallId: bad, output: output as never });
      await session.addToolOutput({ tool: "ask", toolCallId: good, output: "fine" as never });
      await until((messages) => textOf(messages.at(-1)).endsWith("/ fine"));
      await atRest(id);
      const settled = [
        { state: "output-error", errorText: expect.stringMatching(reason) as string },
        { state: "output-available", output: "fine" },
      ];
      expect(toolsOf(session.chat.lastMessage)).toMatchObject(settled);
      expect(toolsOf((await loadMessages(anna, id)).at(-1))).toMatchObject(settled);
      client.close();
    },
  );

  it("AISDK19 If another client has answered a call, the chat loads the conversation and shows the stored result", async () => {
    const id = await waiting();
    const { session, errors, until, client } = await openHook(id);
    const [call = ""] = toolsOf(session.chat.lastMessage).map(({ toolCallId }) => toolCallId);
    await ask(anna, "POST", `/api/threads/${id}/tool-results`, { results: [{ tool_call_id: call, result: "first" }] });
    await atRest(id);
    await session.addToolOutput({ tool: "ask", toolCallId: call, output: "second" as never });
    await until((messages) => textOf(messages.at(-1)) === "first");
    expect(toolsOf(session.chat.lastMessage)).toMatchObject([{ state: "output-available", output: "first" }]);
    expect(errors).toMatchObject([{ code: "conflict" }]);
    client.close();
  });
});

describe("a program", () => {
  it.each([
    ["half a surrogate pair", { result: half }, 400, "results.0.result: Holds half of a surrogate pair"],
    [
      "a value that is nested too deeply",
      { result: JSON.parse(`${"[".repeat(80)}${"]".repeat(80)}`) as object },
      400,
      "nested",
    ],
    ["more than a million bytes", { result: "x".repeat(1_100_000) }, 413, "has 1100"],
    ["nothing", {}, 400, "Give one of"],
    ["bad base64", { content: [{ type: "image", mime_type: "image/png", data: "!" }] }, 400, "base64"],
  ])(
    "REMOTE19 A posted result with %s is refused with the reason, and the call stays open and can be answered",
    async (_what, result, status, reason) => {
      const id = await waiting();
      const [call] = (await threadOf(id)).pending_tool_calls;
      const body = JSON.stringify({ results: [{ tool_call_id: call?.id, ...result }] });
      const init = { method: "POST", headers: { "content-type": "application/json" }, body };
      const response = await anna(`/api/threads/${id}/tool-results`, init);
      expect(response.status).toBe(status);
      expect(await response.text()).toContain(reason);
      expect((await threadOf(id)).pending_tool_calls).toMatchObject([{ id: call?.id }]);
      await ask(anna, "POST", `/api/threads/${id}/tool-results`, {
        results: [{ tool_call_id: call?.id, result: "ok" }],
      });
      await atRest(id);
      expect((await threadOf(id)).status).toBe("idle");
    },
  );

  it.each([
    ["half a surrogate pair", half, 400],
    ["more than a million bytes", "x".repeat(1_100_000), 413],
  ])(
    "SESSION14 A result of a session with %s is refused, the session lists the call as open, and another result is accepted",
    async (_what, content, status) => {
      const id = await waiting();
      const post = async (text: string) => {
        const [call] = (await threadOf(id)).pending_tool_calls;
        const input = [{ role: "toolResult", toolCallId: call?.id, content: text }];
        const init = {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ session_id: id, input }),
        };
        return anna("/api/agent/execute", init);
      };
      const response = await post(content);
      expect(response.status).toBe(status);
      expect(await ask<object>(anna, "GET", `/api/agent/session/${id}`)).toMatchObject({
        pendingToolCalls: [{ name: "ask" }],
      });
      expect(await (await post("ok")).text()).toContain("execute_complete");
    },
  );

  it("REMOTE19 The client's `answer` rejects with the reason of a refusal, and the path in a reason has at most 500 characters", async () => {
    const id = await waiting();
    const client = new ThreadholdClient({
      url: origin,
      WebSocket: null,
      fetch: (url, init) => anna(url.slice(origin.length), init),
    });
    const [call] = (await threadOf(id)).pending_tool_calls;
    const key = `${"k".repeat(200_000)}\uD83D`;
    const thrown: unknown = await client
      .thread(id)
      .tools.answer(call?.id ?? "", { [key]: 1 })
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ThreadholdClientError);
    const { message } = thrown as Error;
    expect([message.isWellFormed(), message.length < 700]).toEqual([true, true]);
    expect((await threadOf(id)).pending_tool_calls).toHaveLength(1);
    client.close();
  });
});

describe("a client of MCP", () => {
  beforeAll(createCatalog);

  it.each([
    ["does not fit the question's schema", { name: 7 }],
    ["has half a surrogate pair", { name: half }],
    ["is too large", { name: "x".repeat(100_000) }],
  ])(
    "MCPS6 If a person's answer to a question %s, the question is dismissed, and the call that asked ends",
    async (_what, content) => {
      setServer("everything", "everything", { elicitation: true });
      const word = `mcp-${crypto.randomUUID()}`;
      scripts.set(word, ({ step, messages }) =>
        step === 0
          ? { toolCalls: [{ name: "everything__trigger-elicitation-request", arguments: {} }] }
          : { text: messages.at(-1)?.content ?? "" },
      );
      const mcp = await connect({ elicit: () => ({ action: "accept", content }) });
      const { texts, data } = await mcp.call("asking_helper", { task: word });
      expect([data.status, texts[0]]).toEqual(["completed", expect.stringContaining("User cancelled")]);
    },
    120_000,
  );
});
