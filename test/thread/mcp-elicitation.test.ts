// Questions of MCP servers to a person during a call (elicitation), over real HTTP: the reference server, and a server that asks what the
// arguments of a call contain.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";

import type { EventOf, ThreadEvent } from "#contract/event.ts";
import type { PendingCall, Thread } from "#contract/thread.ts";
import type { PostedResult } from "#contract/tool-route.ts";
import type { McpServerDefinition } from "#spec/index.ts";

import { ring, ringByHand, setClockRight, testClock, waitingFor } from "../worker/clock.ts";
import { scripts } from "../worker/definitions.ts";
import { callTools, outcome, setServer } from "./mcp-driver.ts";
import { waitFor } from "./team-driver.ts";
import { admin, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

afterEach(() => setClockRight());

const page = { limit: 100, order: "asc" as const, include_silent: false };

const isEnd = ({ type }: ThreadEvent) => type === "run_end";
const asks =
  (count: number) =>
  (event: ThreadEvent): event is EventOf<"questions_changed"> =>
    event.type === "questions_changed" && event.tool_calls.length === count;

/** Runs a turn with these calls in the thread of an agent, until `count` questions are open. */
async function begin(
  calls: { name: string; arguments: object }[],
  { count = 1, agent = "mcp", crashes = false, prepare = (_id: string) => {} } = {},
) {
  const id = await newThread(agent);
  prepare(id);
  const word = `mcp-${crypto.randomUUID()}`;
  scripts.set(word, ({ step }) => (step === 0 ? { toolCalls: calls as never } : { text: "done" }));
  const following = await follow(id, { after: "0" });
  const { run } = await value(stubOf(id).call("postMessage", admin, message(word), null));
  const event = (await following.until(asks(count))) as EventOf<"questions_changed">;
  if (crashes) await crash(id);
  const [question] = event.tool_calls;
  if (question === undefined) throw new Error("The event has no question.");
  return {
    id,
    run: run?.id ?? "",
    following,
    questions: event.tool_calls,
    question,
    answer: (...results: PostedResult[]) => stubOf(id).call("postToolResults", admin, { results }),
    /** Waits until the run has ended. Returns the outcomes of its calls. */
    ended: async () => {
      const last = crashes ? await follow(id, { after: "0" }) : following;
      await last.until(isEnd);
      last.close();
      const { items } = await value(stubOf(id).call("listMessages", admin, page));
      return items.filter(({ role }) => role === "tool").map(outcome);
    },
  };
}

const pending = async (id: string): Promise<PendingCall[]> =>
  (await value(stubOf(id).call("describe", admin))).pending_tool_calls;

const name = { type: "string", title: "Name", maxLength: 20 };
const form = (properties: object, required: string[] = []) => ({ type: "object", properties, required });
const named = { message: "Who are you?", requestedSchema: form({ name }, ["name"]) };
const ask = (...questions: object[]) => ({ name: "everything__ask", arguments: { questions } });
const asking = (more: Partial<McpServerDefinition> = {}) =>
  setServer("everything", "bad/asking", { elicitation: true, ...more });

describe("a question of the reference server", () => {
  it.each(["everything", "old"])(
    "REMOTE15 A thread shows the question that a server asks during a call, and the server receives the answer (transport at /%s)",
    async (path) => {
      const server = setServer("everything", path, { elicitation: true });
      const { id, run, question, answer, ended, following } = await begin([
        { name: "everything__trigger-elicitation-request", arguments: {} },
      ]);
      expect(question).toMatchObject({
        kind: "question",
        name: "everything__trigger-elicitation-request",
        arguments: { message: "Please provide inputs for the following fields:", schema: { required: ["name"] } },
        message_id: expect.any(String) as string,
        deadline: expect.any(Number) as number,
      });
      // Ten minutes without the time since the question was asked.
      const minutes = ((question.deadline ?? 0) - testClock.now()) / 60_000_000;
      expect([minutes > 5, minutes <= 10]).toEqual([true, true]);
      const thread = await value(stubOf(id).call("describe", admin));
      expect(thread).toMatchObject({ status: "running", active_run_id: run, pending_tool_calls: [question] });
      const taken = await value(
        answer({
          tool_call_id: question.id,
          result: { name: "Ada", check: true, integer: 7, titledMultipleSelectEnum: ["fish-1"] },
        }),
      );
      expect(taken).toMatchObject({ run: { id: run, status: "running" }, missing: [], ignored: [] });
      const [[status, text]] = (await ended()) as [[string, string]];
      expect(status).toBe("success");
      expect(text).toContain("- Name: Ada");
      expect(text).toContain("- Favorite Integer: 7");
      expect(await pending(id)).toEqual([]);
      const types = following.events.map(({ type }) => type);
      expect(types.lastIndexOf("questions_changed")).toBeLessThan(types.indexOf("tool_execution_end"));
      expect(following.events.filter(({ type }) => type === "questions_changed")).toHaveLength(2);
      await server.idle();
    },
    120_000,
  );

  it.each([
    ["declined", { approved: false }, "User declined"],
    ["dismissed", { error: "later" }, "User cancelled"],
  ])("A person need not answer a question: the server is notified that it was %s", async (_, content, text) => {
    setServer("everything", "everything", { elicitation: true });
    const { question, answer, ended } = await begin([
      { name: "everything__trigger-elicitation-request", arguments: {} },
    ]);
    await value(answer({ tool_call_id: question.id, ...content }));
    expect(await ended()).toEqual([["success", expect.stringContaining(text)]]);
  });

  it("A server cannot ask questions if its definition does not permit them", async () => {
    setServer("everything", "everything");
    const names = (await callTools("mcp", [])).request?.tools.map((tool) => tool.name) ?? [];
    expect(names).toContain("everything__echo");
    expect(names).not.toContain("everything__trigger-elicitation-request");
    setServer("everything", "bad/asking");
    const { results } = await callTools("mcp", [ask(named)]);
    expect(results.map(outcome)).toEqual([["success", '["Method not found"]']]);
  });
});

describe("the answer to a question", () => {
  it("REMOTE16 An answer that does not fit the schema is refused with the field, and the question stays open", async () => {
    asking();
    const { id, question, answer, ended } = await begin([ask(named)]);
    const refused = async (content: Omit<PostedResult, "tool_call_id">) => {
      const taken = await answer({ tool_call_id: question.id, ...content });
      return taken.ok ? null : [taken.refusal.code, taken.refusal.details?.["field"], taken.refusal.message];
    };
    expect(await refused({ result: { name: 7 } })).toEqual([
      "invalid_request",
      "results.0.result",
      expect.stringMatching(/does not fit its schema.*name/),
    ]);
    expect(await refused({ result: {} })).toEqual([
      "invalid_request",
      "results.0.result",
      expect.stringContaining("name"),
    ]);
    expect(await refused({ result: { name: "Ada", other: 1 } })).toEqual([
      "invalid_request",
      "results.0.result",
      expect.stringContaining("other"),
    ]);
    expect(await refused({ result: "Ada" })).toEqual([
      "invalid_request",
      "results.0",
      expect.stringContaining("send `result` with an object"),
    ]);
    expect(await refused({ approved: true })).toEqual([
      "invalid_request",
      "results.0",
      expect.stringContaining("is a question"),
    ]);
    expect(await refused({ result: { name: "Ada" }, details: 1 })).toEqual([
      "invalid_request",
      "results.0.details",
      expect.any(String),
    ]);
    expect(await pending(id)).toEqual([question]);
    await value(answer({ tool_call_id: question.id, result: { name: "Ada" } }));
    expect(await ended()).toEqual([["success", '[{"action":"accept","content":{"name":"Ada"}}]']]);
  });

  it("REMOTE16 The same answer can be posted again, also after the end of the run, and a different one is refused", async () => {
    asking();
    const { run, question, answer, ended } = await begin([ask(named)]);
    const posted = { tool_call_id: question.id, result: { name: "Ada" } };
    await value(answer(posted));
    await ended();
    expect(await value(answer(posted))).toMatchObject({
      run: { id: run, status: "completed" },
      missing: [],
      ignored: [],
    });
    const other = await answer({ ...posted, result: { name: "Bob" } });
    expect(other).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    const ofOtherRun = await stubOf((await begin([ask(named)])).id).call("postToolResults", admin, {
      results: [posted],
    });
    expect(ofOtherRun).toMatchObject({ ok: false, refusal: { code: "tool_call_not_found" } });
  });

  it("Several questions of a call are answered in any order, and a request that names another run is refused", async () => {
    asking();
    const { id, questions, answer, ended } = await begin([ask(named, { ...named, message: "And you?" })], { count: 2 });
    const [first, second] = questions;
    const wrong = await stubOf(id).call("postToolResults", admin, {
      run_id: "other",
      results: [{ tool_call_id: second?.id ?? "", result: { name: "Bob" } }],
    });
    expect(wrong).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    const taken = await value(answer({ tool_call_id: second?.id ?? "", result: { name: "Bob" } }));
    expect(taken.missing).toEqual([first]);
    expect(await pending(id)).toEqual([first]);
    await value(answer({ tool_call_id: first?.id ?? "", approved: false }));
    expect(await ended()).toEqual([["success", '[{"action":"decline"},{"action":"accept","content":{"name":"Bob"}}]']]);
  });
});

it("REMOTE15 A question of a child thread is shown by its parent and can be answered there", async () => {
  asking();
  const id = await newThread("mcp-parent");
  const [top, inside] = ["top", "inside"].map((word) => `${word}-${crypto.randomUUID()}`) as [string, string];
  const child = { name: "mcp-child", arguments: { task: inside } };
  scripts.set(top, ({ step }) => (step === 0 ? { toolCalls: [child] } : { text: "done" }));
  scripts.set(inside, ({ step }) => (step === 0 ? { toolCalls: [ask(named)] } : { text: "done" }));
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message(top), null));
  const event = await following.until(
    ({ type, ...more }) => type === "awaiting_tool_execution" && "tool_calls" in more && more.tool_calls.length > 0,
  );
  const [question] = (event as EventOf<"awaiting_tool_execution">).tool_calls;
  expect(question).toMatchObject({ kind: "question", thread_id: expect.any(String) as string });
  expect(question?.arguments).toMatchObject({ message: "Who are you?" });
  expect(await pending(id)).toEqual([question]);
  const posted = { tool_call_id: question?.id ?? "", result: { name: "Ada" } };
  await value(stubOf(id).call("postToolResults", admin, { results: [posted] }));
  await following.until(isEnd);
  following.close();
  expect(await pending(id)).toEqual([]);
  const { items } = await value(stubOf(question?.thread_id ?? "").call("listMessages", admin, page));
  expect(items.filter(({ role }) => role === "tool").map(outcome)).toEqual([
    ["success", '[{"action":"accept","content":{"name":"Ada"}}]'],
  ]);
});

it("REMOTE15 Lists show a thread with a question as waiting until the question ends", async () => {
  asking();
  const { id, question, answer, ended } = await begin([ask(named)]);
  const { CATALOG } = env as unknown as { CATALOG: D1Database };
  const listed = async () => {
    const row = await CATALOG.prepare("SELECT body FROM thread WHERE id = ?1").bind(id).first<{ body: string }>();
    const { status, pending_tool_calls: calls } = JSON.parse(row?.body ?? "{}") as Partial<Thread>;
    return [status, calls?.map((call) => [call.id, typeof call.since])];
  };
  const poll = () => expect.poll(listed, { timeout: 60_000 });
  await poll().toEqual(["awaiting_tool_execution", [[question.id, "number"]]]);
  await value(answer({ tool_call_id: question.id, result: { name: "Ada" } }));
  await ended();
  await poll().toEqual(["idle", []]);
});

describe("a hostile question", () => {
  it("REMOTE18 A server gets an error for a question that is too large, asks to open a URL, has an invalid schema, or would be the fifth open one", async () => {
    const server = asking();
    const options = Array.from({ length: 800 }, (_, index) => `a long option with the number ${index}`);
    const url = { mode: "url", message: "Open this.", url: "https://evil.example/", elicitationId: "1" };
    const nested = { message: "Nested", requestedSchema: form({ a: { type: "object", properties: {} } }) };
    const { questions, answer, ended } = await begin(
      [
        ask(
          { ...named, requestedSchema: form({ a: { type: "string", enum: options } }) },
          url,
          nested,
          named,
          named,
          named,
          named,
          named,
        ),
      ],
      { count: 4 },
    );
    // Each response of the client is a request without a method. The fifth question has to arrive while four are open.
    await expect
      .poll(async () => (await server.requests()).lines.filter((line) => line === "POST"), { timeout: 60_000 })
      .toHaveLength(4);
    await value(answer(...questions.map(({ id: tool_call_id }) => ({ tool_call_id, approved: false }))));
    const [[, text = "[]"] = []] = await ended();
    const decline = { action: "decline" };
    expect(JSON.parse(text)).toEqual([
      expect.stringContaining("at most 8192 bytes"),
      expect.stringContaining("URL-mode"),
      expect.stringMatching(/invalid|schema/i),
      decline,
      decline,
      decline,
      decline,
      expect.stringContaining("At most 4 questions"),
    ]);
  });

  it("REMOTE18 A call can ask 20 questions one after the other, and the next one is refused", async () => {
    asking();
    const call = { name: "everything__ask", arguments: { questions: Array(21).fill(named), inTurn: true } };
    const { id, question, answer, ended } = await begin([call]);
    let open = question;
    for (let count = 1; count < 20; count += 1) {
      await value(answer({ tool_call_id: open.id, approved: false }));
      open = await waitFor(async () => {
        const [next] = await pending(id);
        return next !== undefined && next.id !== open.id && next;
      });
    }
    await value(answer({ tool_call_id: open.id, approved: false }));
    const responses = JSON.parse((await ended())[0]?.[1] ?? "[]") as unknown[];
    expect(responses.slice(0, 20)).toEqual(Array(20).fill({ action: "decline" }));
    expect(responses[20]).toContain("at most 20 questions");
  });

  it("REMOTE18 The texts of a question lose hidden characters and are shortened", async () => {
    asking();
    const { question, answer, ended } = await begin([
      ask({
        message: `Hello\u202E\u{E0041}${"x".repeat(3000)}`,
        requestedSchema: form({ a: { type: "string", title: "T\u200Bitle", description: "D\u202E" } }),
      }),
    ]);
    const { message: text, schema } = question.arguments as { message: string; schema: object };
    expect(text).toMatch(/^Hellox+…$/);
    expect(text).toHaveLength(2000);
    expect(schema).toMatchObject({
      properties: { a: { title: "Title", description: "D" } },
      additionalProperties: false,
    });
    await value(answer({ tool_call_id: question.id, approved: false }));
    await ended();
  });
});

describe("the end of a question", () => {
  it("REMOTE17 A question ends when the server withdraws it", async () => {
    const server = asking();
    const { id, following, ended } = await begin([
      { name: "everything__ask", arguments: { questions: [named], withdraw: true } },
    ]);
    await server.release();
    await following.until(asks(0));
    expect(await ended()).toEqual([["success", "[]"]]);
    expect(await pending(id)).toEqual([]);
  });

  it("REMOTE17 A question ends when its call ends", async () => {
    asking();
    const id = await newThread("mcp");
    const word = `mcp-${crypto.randomUUID()}`;
    const call = { name: "everything__ask", arguments: { questions: [named], early: true } };
    scripts.set(word, ({ step }) => (step === 0 ? { toolCalls: [call] } : { text: "done" }));
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message(word), null));
    await following.until(isEnd);
    expect(await pending(id)).toEqual([]);
    const last = following.events.findLast(({ type }) => type === "questions_changed");
    expect(last === undefined || asks(0)(last)).toBe(true);
  });

  it("REMOTE17 A stop of the run ends its question, and the server is notified that the call is cancelled", async () => {
    const server = asking();
    const { id, question, answer, ended } = await begin([ask(named)]);
    await value(stubOf(id).call("stop", admin, null));
    expect(await ended()).toEqual([["error", expect.stringContaining("stopped")]]);
    expect(await pending(id)).toEqual([]);
    const late = await answer({ tool_call_id: question.id, result: { name: "Ada" } });
    expect(late).toMatchObject({ ok: false, refusal: { code: "tool_call_not_found" } });
    await expect
      .poll(async () => (await server.requests()).lines, { timeout: 60_000 })
      .toContain("POST notifications/cancelled");
  });

  it("REMOTE17 A call whose question is not answered in time is cancelled, and the model reads the reason", async () => {
    const server = asking({ elicitationTimeoutMs: 1_234_000, timeoutMs: 54_321 });
    const { id, following, ended } = await begin([ask(named)], { prepare: ringByHand });
    const object = env.THREADS.get(env.THREADS.idFromName(id));
    const waiting = () => runInDurableObject(object, () => [waitingFor(id, 1_234_000), waitingFor(id, 54_321)]);
    // The question pauses the time limit of its call.
    expect(await waiting()).toEqual([1, 0]);
    await runInDurableObject(object, () => ring(id, 1_234_000));
    await following.until(asks(0));
    expect(await ended()).toEqual([
      ["error", expect.stringMatching(/received no answer within 20\.6 minutes\. The call was cancelled/)],
    ]);
    await expect
      .poll(async () => (await server.requests()).lines, { timeout: 60_000 })
      .toContain("POST notifications/cancelled");
  });

  it("REMOTE17 If a crash interrupts a call during its question, the call is reported to the model and not repeated, also with trusted annotations", async () => {
    const server = asking({ trustAnnotations: true });
    const { id, question, answer, ended } = await begin([ask(named)], { crashes: true });
    expect(await ended()).toEqual([["error", expect.stringMatching(/interrupted|unknown/)]]);
    expect(await pending(id)).toEqual([]);
    expect((await server.requests()).lines.filter((line) => line.includes("tools/call"))).toHaveLength(1);
    const late = await answer({ tool_call_id: question.id, result: { name: "Ada" } });
    expect(late).toMatchObject({ ok: false, refusal: { code: "tool_call_not_found" } });
  });
});
