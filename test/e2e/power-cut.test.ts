// A power cut: SIGKILL to all processes at once, while one thread is idle and others are in an answer, in tools and in
// a wait for a provider; then a start on the same state folder.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import type { Log } from "#contract/log-entry.ts";
import type { Run } from "#contract/run.ts";
import type { Message } from "#contract/thread-message.ts";
import type { Thread } from "#contract/thread.ts";
import { deferred } from "#lib/deferred.ts";

import { ApiClient } from "../support/http-client/api-client.ts";
import type { Answer } from "../support/http-client/api-client.ts";
import type { RecordedSubscription } from "../support/http-client/feed.ts";
import { settledMessages } from "../support/http-client/transcript.ts";
import { cutPower, type DevServer, startDevServer } from "./dev-server.ts";
import { ownKey, ownProviderVariables } from "./support/own-provider-agents.ts";
import { copyProject } from "./support/project-copy.ts";
import { openProviderDesk, type ProviderDesk } from "./support/provider-desk.ts";
import { providerVariables } from "./support/provider-variables.ts";
import { addServerAgents } from "./support/server-agents.ts";

interface Settled {
  thread: Thread;
  messages: Message[];
  runs: Run[];
  logs: Log[];
}

const keyed = { headers: { "idempotency-key": "once" } };
const listSchema = z.object({ threads: z.array(z.object({ id: z.string(), status: z.string() })) });

async function settled(api: ApiClient, id: string): Promise<Settled> {
  const [thread, messages, runs, logs] = await Promise.all([
    api.thread(id),
    api.messages(id, "&include_silent=true"),
    api.runs(id),
    api.logs(id),
  ]);
  return { thread, messages, runs, logs };
}

describe("a power cut", () => {
  const project = copyProject();
  addServerAgents(project);
  const state = project.state("cut");
  let server: DevServer | undefined;
  let api = new ApiClient("");
  /** An idle thread, and one that is interrupted in its answer while another message is queued. */
  let idleThreadId = "";
  let cut = "";
  let before: Settled | undefined;
  let followed: RecordedSubscription | undefined;
  let interrupted: RecordedSubscription | undefined;
  let created: Answer | undefined;

  /**
   * Threads that are interrupted in a tool, by the tool's name, and one that is interrupted while it waits out a rate
   * limit.
   */
  const tooling = new Map<string, { id: string; feed: RecordedSubscription }>();
  let limited: { id: string; feed: RecordedSubscription } | undefined;
  /** A thread that is interrupted in the answer of a provider of the project, after a tool call, and the mark of its requests. */
  let own: { id: string; feed: RecordedSubscription } | undefined;
  let ownMark = "";
  let desk: ProviderDesk | undefined;
  /** Resolved when the tests are over: until then the answer that the power cut interrupts does not end. */
  const over = deferred<void>();

  const keyedThread = { json: { agent_id: "assistant", title: "Once" }, ...keyed };

  async function startIn(agent: string, content: string): Promise<{ id: string; feed: RecordedSubscription }> {
    const { id } = await api.createThread(agent);
    const feed = await api.events(id);
    await api.post(id, content);
    return { id, feed };
  }

  /** Waits until an interrupted thread is idle and its reader has the same messages. Returns them. */
  async function finished({ id, feed }: { id: string; feed: RecordedSubscription }): Promise<Message[]> {
    const resumed = await api.events(id, `after=${String(feed.lastSeq)}&until=idle`);
    expect(await resumed.untilEnd()).toBe("end");
    // Internal failures appear only in the server's output.
    expect(server?.output()).not.toContain('"event":"run_failed"');
    expect(resumed.ofType("run_end")).toMatchObject([{ status: "completed", error: null }]);
    const messages = await api.messages(id);
    expect(settledMessages(resumed.view(feed.view()).messages)).toEqual(messages);
    return messages;
  }

  beforeAll(async () => {
    desk = await openProviderDesk();
    const variables = [...providerVariables(desk.url), ...ownProviderVariables(desk.url)];
    server = await startDevServer(state, variables, { root: project.root, storedBundle: true });
    api = new ApiClient(server.url);
    created = await api.call("POST", "/api/threads", keyedThread);
    idleThreadId = (await api.createThread("assistant", { title: "At rest", tags: ["kept"] })).id;
    followed = await api.events(idleThreadId);
    await api.say(idleThreadId, "What is a thread?");
    await api.say(idleThreadId, "Remember that my cat is called Ada");
    await followed.untilCount("run_end", 2);
    before = await settled(api, idleThreadId);

    for (const tool of ["slow_payment", "slow_lookup"]) tooling.set(tool, await startIn("slow_assistant", tool));
    for (const { feed } of tooling.values()) await feed.until("tool_execution_start");

    const pause = { afterBytes: 700, until: over.promise };
    const answers = [
      { fixture: "text", pause },
      { fixture: "text" },
      { fixture: "tool-call" },
      { fixture: "thinking" },
    ];
    const mark = desk.order(answers);
    ({ id: cut, feed: interrupted } = await startIn("weather_openai_assistant", `Hello ${mark}`));
    await api.post(cut, "And the weather?");
    await interrupted.until("text_delta");

    ownMark = desk.order([{ fixture: "tool-call" }, { fixture: "text", pause }, { fixture: "text" }]);
    own = await startIn("own_chat_assistant", `Hello ${ownMark}`);
    await own.feed.until("text_delta");

    // A wait of more than ten seconds suspends the run: an alarm of the next process resumes it, not a timer of the killed one. The wait
    // begins last, so that it is not over before the power cut.
    const orders = [{ fixture: "rate-limit", headers: { "retry-after": "11" } }, { fixture: "text" }];
    limited = await startIn("weather_openai_assistant", `Hello ${desk.order(orders)}`);
    await limited.feed.until("model_retry");
    await cutPower(server);
    await Promise.all([followed.untilEnd(), interrupted.untilEnd()]);
    const began = performance.now();
    server = await startDevServer(state, variables, { root: project.root, storedBundle: true });
    console.log(`server ready again in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    api = new ApiClient(server.url);
  });
  afterAll(async () => {
    over.resolve();
    await server?.stop();
    await desk?.close();
    project.remove();
  });

  it("Every row that was acknowledged before a power cut is stored after it", async () => {
    expect(await settled(api, idleThreadId)).toEqual(before);
    // The catalog is written after the thread, so the list may be one change late.
    const listed = async () => (await api.ask(listSchema, "GET", "/api/threads?tag=kept")).threads;
    await expect.poll(listed).toEqual([{ id: idleThreadId, status: "idle" }]);
    expect((await api.call("POST", "/api/threads", keyedThread)).body).toEqual(created?.body);
  });

  it("After a power cut, a follower resumes after its last number, loses nothing and receives nothing twice, and the conversation continues", async () => {
    const resumed = await api.events(idleThreadId, `after=${String(followed?.lastSeq)}`);
    const { run } = await api.say(idleThreadId, "What did I say before?");
    expect(run.text).toContain("my cat is called Ada");
    await resumed.until("run_end", ({ run_id }) => run_id === run.id);
    expect(resumed.events[0]?.seq).toBeGreaterThan(followed?.lastSeq ?? Infinity);
    expect(resumed.events.filter(({ run_id }) => run_id !== run.id)).toEqual([]);
    expect(settledMessages(resumed.view(followed?.view()).messages)).toEqual(await api.messages(idleThreadId));
    resumed.close();
  });

  it("After a power cut, the interrupted answer is retracted and produced again, and then the waiting inputs are answered", async () => {
    const last = interrupted?.lastSeq ?? 0;
    const resumed = await api.events(cut, `after=${String(last)}&until=idle`);
    expect(await resumed.untilEnd()).toBe("end");
    expect(resumed.events[0]?.seq).toBeGreaterThan(last);
    expect(resumed.ofType("message_retracted")).toMatchObject([{ reason: "recovery" }]);

    const runs = await api.runs(cut);
    expect(runs.map(({ status }) => status)).toEqual(["completed", "completed"]);
    const messages = await api.messages(cut);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "tool", "assistant"]);
    expect(messages[1]).toMatchObject({ content: "Hello there, how can I help?", stop_reason: "stop" });
    expect(messages.at(-1)).toMatchObject({ content: "It is 4.", stop_reason: "stop" });
    expect(settledMessages(resumed.view(interrupted?.view()).messages)).toEqual(messages);
    expect((await api.logs(cut, "&type=recovery")).length).toBe(1);
    const whole = await api.events(cut, "after=0&until=idle");
    await whole.untilEnd();
    expect(settledMessages(whole.view().messages)).toEqual(messages);
  });

  it.each([
    ["slow_payment", /interrupted.*unknown/],
    ["slow_lookup", /Done at attempt 2/],
  ])("After a power cut, an interrupted tool is run again only if it is idempotent: %s", async (tool, said) => {
    const thread = tooling.get(tool);
    if (thread === undefined) throw new Error("The thread was not started");
    const messages = await finished(thread);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(messages[2]?.content).toMatch(said);
    expect(messages[3]?.content).toContain("The tool said: ");
  });

  it("PROVIDER16 After a power cut, an answer of a provider of the project is produced again, with the result of the tool before it", async () => {
    if (own === undefined) throw new Error("The thread was not started");
    const messages = await finished(own);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(messages[2]?.content).toBe("Sunny in Zürich");
    expect(messages[3]).toMatchObject({ content: "Hello there, how can I help?", stop_reason: "stop" });
    const requests = desk?.received(ownMark) ?? [];
    expect(requests.map(({ headers }) => headers["authorization"])).toEqual(Array(3).fill(`Bearer ${ownKey}`));
    expect(JSON.stringify(requests[2]?.body)).toContain("Sunny in Zürich");
    const logs = await api.logs(own.id);
    expect(JSON.stringify(logs)).not.toContain(ownKey);
    expect((await api.call("GET", "/api/models/own_chat")).body).toMatchObject({ provider: "own_chat", ready: true });
  });

  it("If a power cut interrupts the wait for a provider's Retry-After, the run makes its next attempt after the restart", async () => {
    if (limited === undefined) throw new Error("The thread was not started");
    const messages = await finished(limited);
    expect(messages.map(({ content }) => content).slice(1)).toEqual(["Hello there, how can I help?"]);
    expect((await api.logs(limited.id, "&type=llm_request")).map(({ data }) => data["attempt"])).toEqual([1, 2]);
  });
});
