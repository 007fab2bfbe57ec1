// The endpoint of MCP clients: agents as tools, with the official client over real threads.

import { beforeAll, describe, expect, it, onTestFinished } from "vitest";

import type { Run } from "#contract/run.ts";
import type { Thread } from "#contract/thread.ts";
import { deferred } from "#lib/deferred.ts";

import { closedAfter, sentText } from "../support/mcp-client.ts";
import type { CallOptions } from "../support/mcp-client.ts";
import { effects } from "../worker/definitions.ts";
import { allow, resetLimits } from "../worker/limited.ts";
import { api, as, connect, createCatalog, post, sendRequest } from "./support/mcp-app.ts";
import { resultOf, script, sessionHeaders, waitingRun } from "./support/mcp-calls.ts";

beforeAll(createCatalog);

const paying = (amount: number) =>
  script(({ step }) =>
    step === 0 ? { toolCalls: [{ name: "pay", arguments: { to: "Ada", amount } }] } : { text: "It is settled." },
  );

const runOf = (thread: string, run: string | null) => api<Run>("GET", `/api/threads/${thread}/runs/${run ?? ""}`);

/** The thread of the first progress notification of a call. */
function started(): { options: Required<Pick<CallOptions, "progress">>; threadId: Promise<string> } {
  const first = deferred<string>();
  const progress: CallOptions["progress"] = (update) => {
    const meta = (update as { _meta?: Record<string, unknown> })._meta;
    first.resolve(String(meta?.["threadhold/thread_id"]));
  };
  return { options: { progress: progress ?? (() => undefined) }, threadId: first.promise };
}

describe("the tools of an MCP client", () => {
  it("MCPS1 The tools are the agents with exposeAsTool and four tools that continue their threads, each with its schemas", async () => {
    const { client } = await connect();
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["helper", "cashier_helper", "parcels", "billing"]));
    expect(names.slice(-4)).toEqual(["thread_message", "thread_result", "thread_answer", "thread_stop"]);
    expect(names).not.toContain("parallel");
    const helper = tools.find(({ name }) => name === "helper");
    expect(helper).toMatchObject({
      description: "The agent helper",
      inputSchema: { type: "object", required: ["task"], properties: { task: { type: "string" } } },
      outputSchema: { type: "object" },
    });
    expect(tools.find(({ name }) => name === "parcels")?.inputSchema).toMatchObject({
      required: ["parcel"],
      properties: { parcel: { description: "The number" } },
    });
    expect(client.getServerVersion()?.name).toBe("threadhold");
    expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {} });
    expect(client.getInstructions()).toContain("thread_message");
    await client.ping();
    await client.close();
  });

  it("MCPS2 A call creates a thread of the caller with the tag mcp, and returns the answer with the thread's id", async () => {
    const { call } = await connect();
    const word = script(({ lastUser }) => ({ text: `You asked: ${lastUser}` }));
    const { isError, texts, data } = await call("helper", { task: `${word} please` });
    expect([isError, texts[0], data.status, data.answer]).toEqual([
      false,
      `You asked: ${word} please`,
      "completed",
      `You asked: ${word} please`,
    ]);
    expect(texts[1]).toContain(data.thread_id);
    const thread = await api<Thread>("GET", `/api/threads/${data.thread_id}`);
    expect([thread.user_id, thread.agent_id, thread.tags]).toEqual(["anna", "helper", ["mcp"]]);
    expect((await runOf(data.thread_id, data.run_id)).status).toBe("completed");
  });

  it("MCPS2 The arguments of an agent with a schema are checked, get their defaults, and are the first message as JSON", async () => {
    const { call } = await connect();
    const good = await call("parcels", { parcel: "P-7" });
    expect(good.texts[0]).toBe('echo: {"parcel":"P-7","days":3}');
    for (const wrong of [{}, { parcel: 7 }, { parcel: "P-7", days: "soon" }]) {
      const { isError, texts } = await call("parcels", wrong);
      expect([isError, texts[0]]).toEqual([true, expect.stringMatching(/^Invalid arguments\. (parcel|days): /)]);
    }
  });

  it("MCPS3 thread_message continues the conversation of an earlier call", async () => {
    const { call } = await connect();
    const first = await call("helper", { task: "one" });
    const word = script(({ messages }) => ({
      text: `${messages.filter(({ role }) => role === "user").length} messages`,
    }));
    const second = await call("thread_message", { thread_id: first.data.thread_id, message: word });
    expect([second.isError, second.texts[0], second.data.thread_id]).toEqual([
      false,
      "2 messages",
      first.data.thread_id,
    ]);
    expect(second.data.run_id).not.toBe(first.data.run_id);
    const again = await call("thread_result", { thread_id: first.data.thread_id });
    expect(again.data).toEqual(second.data);
  });

  it("MCPS4 The progress of a run is sent with rising numbers if the client asks for it, and not otherwise", async () => {
    const { call } = await connect();
    const word = script(({ step }) =>
      step === 0 ? { toolCalls: [{ name: "note", arguments: { text: "x" } }] } : { text: "done" },
    );
    const updates: { progress: number; message?: string | undefined }[] = [];
    await call("helper", { task: word }, { progress: (update) => updates.push(update) });
    expect(updates.map(({ message }) => message)).toEqual([
      "Step 1: requesting the model scripted",
      "Running the tool note",
      "The tool note has finished",
      "Step 2: requesting the model scripted",
    ]);
    const numbers = updates.map(({ progress }) => progress);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
    const response = await post({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "helper", arguments: { task: word } },
    });
    expect(await response.text()).not.toContain("notifications/progress");
  });

  it("MCPS5 The result of a run that reaches a limit is an error result with the limit as the reason", async () => {
    onTestFinished(resetLimits);
    allow({ steps: 2 });
    const { call } = await connect();
    const word = script(() => ({ toolCalls: [{ name: "note", arguments: { text: "x" } }] }));
    const { isError, texts, data } = await call("helper", { task: word });
    expect([isError, data.status]).toEqual([true, "limit"]);
    expect(texts).toContain("The agent reached a limit before it was done: max_steps.");
  });

  it("MCPS5 The result of a failed or stopped run is an error result with the reason", async () => {
    const { call } = await connect();
    const failing = script(() => ({ error: { kind: "invalid_request", message: "no such thing" } }) as never);
    const failed = await call("helper", { task: failing });
    expect([failed.isError, failed.data.status]).toEqual([true, "error"]);
    expect(failed.texts.join("\n")).toContain("The agent failed: ");
    const { word, reached } = waitingRun();
    const { options, threadId } = started();
    const running = call("helper", { task: word }, options);
    await reached;
    const stop = await call("thread_stop", { thread_id: await threadId });
    expect(stop.isError).toBe(false);
    const stopped = await running;
    expect([stopped.isError, stopped.data.status]).toEqual([true, "stopped"]);
    expect(stopped.texts).toContain("The agent was stopped before it was done.");
  });
});

describe("a run that waits for a person", () => {
  it("MCPS6 A client with elicitation is asked to approve a tool call, and the stream of the agent's call continues afterwards", async () => {
    const requested: string[] = [];
    const { call } = await connect({
      elicit: ({ message, ...params }) => {
        requested.push(message);
        expect(params).toMatchObject({ requestedSchema: { required: ["approve"] } });
        return { action: "accept", content: { approve: true } };
      },
    });
    const { isError, texts, data } = await call("cashier_helper", { task: paying(7) });
    expect([isError, texts[0], data.status]).toEqual([false, "It is settled.", "completed"]);
    expect(requested).toEqual([
      'The agent asks for approval to call the tool "pay". Arguments: {"to":"Ada","amount":7}',
    ]);
    const { messages } = await api<{ messages: { approval?: object }[] }>(
      "GET",
      `/api/threads/${data.thread_id}/messages`,
    );
    expect(messages.flatMap(({ approval }) => approval ?? [])).toEqual([
      expect.objectContaining({ approved: true, by: "anna" }),
    ]);
  });

  it.each([
    ["declines", { action: "decline" }, "A person declined the call."],
    ["cancels", { action: "cancel" }, "A person declined the call."],
    ["accepts without approving", { action: "accept", content: { approve: false } }, "A person declined the call."],
  ] as const)("MCPS6 A call is declined if the person %s", async (_case, answer, reason) => {
    const { call } = await connect({ elicit: () => ({ ...answer }) });
    const { texts, data } = await call("cashier_helper", { task: paying(8) });
    expect([texts[0], data.status]).toEqual(["It is settled.", "completed"]);
    const { messages } = await api<{ messages: { approval?: object }[] }>(
      "GET",
      `/api/threads/${data.thread_id}/messages`,
    );
    expect(messages.flatMap(({ approval }) => approval ?? [])).toEqual([
      expect.objectContaining({ approved: false, reason }),
    ]);
  });

  it("MCPS6 A call is declined if the client answers the question with an error", async () => {
    const { call } = await connect({
      elicit: () => {
        throw new Error("no screen");
      },
    });
    const { data } = await call("cashier_helper", { task: paying(9) });
    const { messages } = await api<{ messages: { approval?: object }[] }>(
      "GET",
      `/api/threads/${data.thread_id}/messages`,
    );
    expect(messages.flatMap(({ approval }) => approval ?? [])).toEqual([
      expect.objectContaining({ approved: false, reason: "The client could not ask a person." }),
    ]);
  });

  it("MCPS7 For a client without elicitation, the result names the waiting calls, and thread_answer answers them", async () => {
    const { call } = await connect();
    const first = await call("cashier_helper", { task: paying(10) });
    const [waiting] = first.data.waiting ?? [];
    expect([first.isError, first.data.status, waiting]).toEqual([
      false,
      "awaiting_tool_execution",
      expect.objectContaining({ kind: "approval", name: "pay", arguments: { to: "Ada", amount: 10 } }),
    ]);
    expect(first.texts[0]).toContain("thread_answer");
    const { thread_id } = first.data;
    const same = await call("thread_result", { thread_id });
    expect(same.data.waiting?.map(({ call_id }) => call_id)).toEqual([waiting?.call_id]);
    const busy = await call("thread_message", { thread_id, message: "And?" });
    expect([busy.isError, busy.texts[0]]).toEqual([true, expect.stringMatching(/^conflict: /)]);
    const wrong = await call("thread_answer", { thread_id, call_id: waiting?.call_id, result: "paid" });
    expect(wrong.isError).toBe(true);
    const done = await call("thread_answer", { thread_id, call_id: waiting?.call_id, approved: true });
    expect([done.isError, done.texts[0], done.data.status]).toEqual([false, "It is settled.", "completed"]);
  });

  it("MCPS7 A call of a remote tool waits even if the client supports elicitation, and thread_answer gives its result", async () => {
    const { call } = await connect({ elicit: () => Promise.reject(new Error("The client was asked.")) });
    const word = script(({ step, messages }) =>
      step === 0
        ? { toolCalls: [{ name: "ask", arguments: { q: "How many?" } }] }
        : { text: `It is ${messages.at(-1)?.content ?? ""}` },
    );
    const first = await call("cashier_helper", { task: word });
    const [waiting] = first.data.waiting ?? [];
    expect(waiting).toMatchObject({ kind: "remote", name: "ask" });
    const { thread_id } = first.data;
    const done = await call("thread_answer", { thread_id, call_id: waiting?.call_id, result: "twelve" });
    expect(done.texts[0]).toBe("It is twelve");
  });
});

describe("cancelled, interrupted and repeated calls", () => {
  it("MCPS8 A cancelled call stops its run", async () => {
    const { call } = await connect();
    const { word, reached, name } = waitingRun();
    const { options, threadId } = started();
    const giveUp = new AbortController();
    const calling = call("helper", { task: word }, { ...options, signal: giveUp.signal }).catch(
      (thrown: unknown) => thrown,
    );
    await reached;
    const thread_id = await threadId;
    giveUp.abort("enough");
    expect(await calling).toBeInstanceOf(Error);
    expect((await call("thread_result", { thread_id })).data.status).toBe("stopped");
    expect(effects).toContain(`wait ${name}`);
  });

  it("MCPS8 The cancellation of an earlier call does not stop a later run of the same thread", async () => {
    const ids: (string | number)[] = [];
    const { call, transport } = await connect({
      fetch: (url, init) => {
        const { id, method } = JSON.parse(sentText(init) || "{}") as { id?: number; method?: string };
        if (method === "tools/call" && id !== undefined) ids.push(id);
        return sendRequest(url, init);
      },
    });
    const first = await call("helper", { task: "one" });
    const { word, reached, open } = waitingRun();
    const second = call("thread_message", { thread_id: first.data.thread_id, message: word });
    await reached;
    await transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: ids[0] ?? "" } });
    open();
    expect((await second).data.status).toBe("completed");
  });

  it("MCPS9 A broken stream does not stop its run, and the client continues the stream with the id of its last event", async () => {
    const { word, reached, open } = waitingRun();
    const resumed = deferred<string>();
    const { call } = await connect({
      fetch: async (url, init) => {
        const last = new Headers(init?.headers).get("last-event-id");
        if (last !== null) resumed.resolve(last);
        const response = await sendRequest(url, init);
        return sentText(init).includes(word) ? closedAfter("notifications/progress", response) : response;
      },
    });
    const updates: number[] = [];
    const calling = call("helper", { task: word }, { progress: ({ progress }) => updates.push(progress) });
    await reached;
    await resumed.promise;
    open();
    const { isError, texts, data } = await calling;
    expect([isError, texts[0], data.status]).toEqual([false, "The gate is open.", "completed"]);
    expect(updates).toEqual([...new Set(updates)].toSorted((one, other) => one - other));
    expect(updates.length).toBeGreaterThan(2);
  });

  it("MCPS9 A stream can be continued after its run has ended", async () => {
    const response = await post({
      jsonrpc: "2.0",
      id: "r",
      method: "tools/call",
      params: { name: "helper", arguments: { task: "x" }, _meta: { progressToken: 1 } },
    });
    const text = await response.text();
    const id = /^id: (\S+)$/m.exec(text)?.[1] ?? "";
    const result = /^data: (\{.*"result".*\})$/m.exec(text)?.[1] ?? "";
    const again = await sendRequest("https://api.example/mcp", { headers: { ...as("anna"), "last-event-id": id } });
    expect(await again.text()).toContain(result);
  });

  it("MCPS10 A repeated request in the same session follows the run of the first request and creates no thread and no run", async () => {
    const session = await sessionHeaders();
    const task = `count ${crypto.randomUUID()}`;
    const request = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "helper", arguments: { task } } };
    const send = async () => resultOf(await post(request, session));
    const [first, second] = [await send(), await send()];
    expect(second.structuredContent).toEqual(first.structuredContent);
    const thread = String(first.structuredContent?.thread_id);
    const { runs } = await api<{ runs: Run[] }>("GET", `/api/threads/${thread}/runs`);
    expect(runs).toHaveLength(1);
    const other = await resultOf(
      await post({ ...request, params: { name: "helper", arguments: { task: "other" } } }, session),
    );
    expect([other.isError, JSON.stringify(other.content)]).toEqual([true, expect.stringContaining("conflict: ")]);
    const elsewhere = await resultOf(await post(request, await sessionHeaders()));
    expect(elsewhere.structuredContent?.thread_id).not.toBe(thread);
  });

  it("MCPS11 thread_result waits for a run that an earlier call started, and states for a new thread that it has no run", async () => {
    const { call } = await connect();
    const { word, reached, open } = waitingRun();
    const { options, threadId } = started();
    const calling = call("helper", { task: word }, options);
    await reached;
    const thread_id = await threadId;
    const following = started();
    const waiting = call("thread_result", { thread_id }, following.options);
    await following.threadId;
    open();
    expect((await waiting).data).toEqual((await calling).data);
    const { id } = await api<Thread>("POST", "/api/threads", { agent_id: "helper", tags: ["mcp"] });
    const empty = await call("thread_result", { thread_id: id });
    expect([empty.isError, empty.texts[0], empty.data.status]).toEqual([false, `The thread ${id} has no run.`, null]);
  });
});
