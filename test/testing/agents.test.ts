// The demo agents of this repository, tested as a project tests its own agents: by the public entry `threadhold/testing`.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { failure, hold, startThread, text, toolCall } from "threadhold/testing";
import type { Answer } from "threadhold/testing";
import { expect, it, vi } from "vitest";

import { putScript, Script } from "#testing/script.ts";
import { scriptedModels } from "#testing/scripted-models.ts";

import { callAndResult, collect, model, request, user } from "../models/ask-model.ts";

const roles = (messages: readonly { role: string }[]) => messages.map(({ role }) => role);

it("A test can read a turn's answer, its calls with their results, and the requests that the model received", async () => {
  const thread = await startThread("support_desk", {
    answers: [toolCall("look_up_order", { order: "1042" }), text(["Your order ", "is on its way."])],
  });
  const turn = await thread.send("Where is order 1042?");
  expect(turn).toMatchObject({ status: "completed", text: "Your order is on its way.", steps: 2, pending: [] });
  expect(turn.toolCalls).toMatchObject([
    { tool_name: "look_up_order", args: { order: "1042" }, result: { status: "success" } },
  ]);
  const requested = ["support_rules", "demo_support", "Where is order 1042?"];
  expect(thread.requests.map(({ prompt, model, lastUser }) => [prompt, model, lastUser])).toEqual([
    requested,
    requested,
  ]);
  expect(roles(await thread.messages())).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(turn.events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
});

it("ENV4 A test gives a thread other values of state.env, and another thread has those of the Worker", async () => {
  const answers = [toolCall("read_notice", { about: "hours" }), text("Read.")];
  const notices = { get: (about: string) => Promise.resolve(`A notice about ${about}`) };
  const given = await startThread("shopkeeper", { env: { NOTICES: notices as unknown as KVNamespace }, answers });
  const other = await startThread("shopkeeper", { answers });
  const read = async (thread: typeof given) =>
    (await thread.send("When?")).toolCalls.map(({ result }) => result?.result);
  expect(await read(given)).toEqual(["A notice about hours"]);
  expect(await read(other)).toEqual(["There is no notice about hours. The shop is open from 9 to 17."]);
});

it("A tool of the project queries a D1 database of the Worker", async () => {
  const thread = await startThread("shopkeeper");
  expect((await thread.send("What does a kettle cost?")).text).toBe("copper kettle: 89 euros\nsteel kettle: 49 euros");
});

it("A second turn sends the messages of the first one, and has only its own calls and events", async () => {
  const thread = await startThread("support_desk", {
    answers: [toolCall("look_up_order", { order: "1042" }), text("Paid."), text("You are welcome.")],
  });
  await thread.send("Is order 1042 paid?");
  const turn = await thread.send("Thanks");
  expect([turn.text, turn.toolCalls]).toEqual(["You are welcome.", []]);
  expect(roles(thread.requests[2]?.messages ?? [])).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  expect(turn.events[0]).toMatchObject({ type: "run_start" });
});

it("Without answers, a scripted model of the project answers by its own definition", async () => {
  const thread = await startThread("assistant");
  expect((await thread.send("Hello")).text).toContain("I am the demo assistant");
});

it("A file that a test uploads and a file that a tool writes are files of the thread", async () => {
  const thread = await startThread("support_desk", {
    answers: {
      billing_rules: [toolCall("refund_order", { order: "1042" }), text("Done.")],
      support_rules: [toolCall("billing_desk", { task: "Refund 1042" })],
    },
  });
  await thread.files.upload("/notes.txt", "A good customer.");
  await thread.send("I want a refund for order 1042");
  expect(await (await thread.files.download("/refunds/1042.txt")).text()).toMatch(/ for /);
  expect((await thread.files.list("/")).map(({ path }) => path)).toEqual(["/notes.txt", "/refunds"]);
});

it("After a handoff, the requests of the turn have the prompt of the other agent", async () => {
  const thread = await startThread("support_desk", {
    answers: {
      support_rules: [toolCall("billing_desk", { task: "Refund" })],
      billing_rules: [text("Which order is it?")],
    },
  });
  const turn = await thread.send("I want a refund");
  expect(turn.text).toBe("Which order is it?");
  expect(thread.requests.map(({ prompt }) => prompt)).toEqual(["support_rules", "billing_rules"]);
  expect(turn.events).toContainEqual(
    expect.objectContaining({ type: "agent_handoff", from: "support_desk", to: "billing_desk" }),
  );
  expect((await thread.handle.get()).agent_id).toBe("billing_desk");
});

it("A child thread shares the script of its parent, and has messages of its own", async () => {
  const thread = await startThread("author", {
    answers: {
      author_rules: [toolCall("review_room", { task: "Ride far." }), text("Ride on.")],
      critic_rules: [text("Too dull."), toolCall("approve_text", { text: "Ride on." })],
      writer_rules: [text("Ride on.")],
    },
  });
  const turn = await thread.send("A line for our bicycles");
  expect(turn).toMatchObject({
    text: "Ride on.",
    toolCalls: [{ tool_name: "review_room", result: { result: "Ride on." } }],
  });
  const [child, ...others] = thread.children;
  expect(others).toEqual([]);
  expect(await child?.messages()).toMatchObject([
    { content: "Ride far." },
    { content: "Too dull." },
    { content: "Ride on." },
    {},
    {},
  ]);
  expect(child?.events.at(-1)).toMatchObject({ type: "run_end" });
  expect(thread.requests.filter(({ thread_id }) => thread_id === child?.id)).toHaveLength(3);
});

const order = (price: number) => toolCall("place_order", { item: "Espresso machine", price });

it("A call that needs approval ends the turn, and runs after it is approved", async () => {
  const thread = await startThread("purchaser", { answers: [order(900), text("It is ordered.")] });
  const requested = await thread.send("An espresso machine for 900");
  expect(requested).toMatchObject({
    status: "awaiting_tool_execution",
    pending: [{ name: "place_order", kind: "approval" }],
  });
  const done = await thread.approve(requested.pending[0]);
  expect(done).toMatchObject({ status: "completed", text: "It is ordered.", pending: [] });
  expect(done.toolCalls).toMatchObject([
    { result: { status: "success", result: expect.stringContaining("900 euros") as string } },
  ]);
});

it("A call can be approved with changed arguments", async () => {
  const thread = await startThread("purchaser", { answers: [order(900), text("It is ordered.")] });
  await thread.send("An espresso machine for 900");
  const done = await thread.approve(undefined, { item: "Espresso machine", price: 500 });
  expect(done.toolCalls[0]?.result?.result).toContain("500 euros");
});

it("A declined call does not run, and the model reads the reason", async () => {
  const thread = await startThread("purchaser", { answers: [order(900), text("Then I leave it.")] });
  await thread.send("An espresso machine for 900");
  const done = await thread.decline(undefined, "Too expensive");
  expect(done.text).toBe("Then I leave it.");
  expect(thread.requests[1]?.messages.at(-1)).toMatchObject({
    role: "tool",
    content: expect.stringContaining("Too expensive") as string,
  });
  expect(await thread.files.list("/")).toEqual([]);
});

it("A call of a remote tool is answered by the test", async () => {
  const thread = await startThread("forecaster", {
    answers: [toolCall("get_location", { precision: "city" }), text("Sunny in Oslo.")],
  });
  const requested = await thread.send("What is the weather?");
  expect(requested.pending).toMatchObject([{ name: "get_location", kind: "remote" }]);
  const done = await thread.answer(requested.pending[0], "Oslo");
  expect([done.text, thread.requests[1]?.messages.at(-1)?.content]).toEqual(["Sunny in Oslo.", "Oslo"]);
});

it("If a thread is restarted in the middle of an answer, it continues from its rows", async () => {
  const thread = await startThread("support_desk", {
    answers: [
      toolCall("look_up_order", { order: "1042" }),
      hold(text("Your order")),
      text("Your order is on its way."),
    ],
  });
  const sent = thread.send("Where is order 1042?");
  await thread.held();
  await thread.restart();
  const turn = await sent;
  expect(turn).toMatchObject({ status: "completed", text: "Your order is on its way." });
  expect(turn.toolCalls).toHaveLength(1);
  expect(roles(await thread.messages())).toEqual(["user", "assistant", "tool", "assistant"]);
});

it("A thread that waits for an approval continues after a restart", async () => {
  const thread = await startThread("purchaser", { answers: [order(900), text("It is ordered.")] });
  await thread.send("An espresso machine for 900");
  await thread.restart();
  expect((await thread.approve()).text).toBe("It is ordered.");
});

it("A held answer ends after it is released, and a message that is posted meanwhile joins the run", async () => {
  const thread = await startThread("support_desk", { answers: [hold(text("Which order?")), text("1042 is paid.")] });
  const sent = thread.send("Is my order paid?");
  await thread.held();
  await thread.handle.messages.post({ content: "It is 1042", when: "steer" });
  await thread.release();
  expect((await sent).text).toBe("1042 is paid.");
  expect(thread.requests[1]?.lastUser).toBe("It is 1042");
});

it("A run whose answer is held can be stopped", async () => {
  const thread = await startThread("support_desk", { answers: [hold(text("Let me"))] });
  const sent = thread.send("Is my order paid?");
  await thread.held();
  await thread.stop();
  expect(await sent).toMatchObject({ status: "stopped", text: "Let me" });
});

it("A retryable failure is retried with the next answer, and any other failure fails the run", async () => {
  const retried = await startThread("support_desk", {
    answers: [failure({ status: 503, message: "Overloaded" }), text("Hello.")],
  });
  expect((await retried.send("Hi")).text).toBe("Hello.");
  const failed = await startThread("support_desk", { answers: [failure({ status: 401, message: "Bad key" })] });
  expect(await failed.send("Hi")).toMatchObject({
    status: "error",
    error: { message: expect.stringContaining("Bad key") as string },
  });
});

it("A model of a provider over the network answers by the script, and no request leaves the process", async () => {
  const fetched = vi.spyOn(globalThis, "fetch");
  const thread = await startThread("openai_assistant", { answers: [text("Hello.")] });
  expect(await thread.send("Hi")).toMatchObject({ text: "Hello.", models: ["openai"] });
  expect(fetched).not.toHaveBeenCalled();
});

it("A request without an answer fails the turn with an error that names the request", async () => {
  const thread = await startThread("support_desk", { answers: [toolCall("look_up_order", { order: "1042" })] });
  await expect(thread.send("Where is order 1042?")).rejects.toThrow(
    'There is no answer for request 2, of the prompt "support_rules" to the model "demo_support": `answers` has only 1. ' +
      'The request ends with the tool message: "Order 1042',
  );
});

it("A prompt without answers, in a script that lists answers by prompt, fails the turn with an error that names the prompt", async () => {
  const answers = { support_rules: [toolCall("billing_desk", { task: "Refund" })] };
  const thread = await startThread("support_desk", { answers });
  await expect(thread.send("I want a refund")).rejects.toThrow(
    'request 2, of the prompt "billing_rules" to the model "demo_support": `answers` has none for this prompt.',
  );
});

it("Answers can be computed by a function that receives the request", async () => {
  const thread = await startThread("support_desk", {
    answers: ({ lastUser, prompt }) => text(`${prompt}: ${lastUser}`),
  });
  expect((await thread.send("Hi")).text).toBe("support_rules: Hi");
});

it("A function of `answers` that throws or returns nothing fails the turn with its own error", async () => {
  const wrong = new RangeError("expected 2 to be 3");
  const thrown = await startThread("support_desk", {
    answers: () => {
      throw wrong;
    },
  });
  await expect(thrown.send("Hi")).rejects.toMatchObject({
    message:
      'The function of `answers` threw at request 1, of the prompt "support_rules" to the model "demo_support": expected 2 to be 3',
    cause: wrong,
  });
  const empty = await startThread("support_desk", { answers: () => undefined as unknown as Answer });
  await expect(empty.send("Hi")).rejects.toThrow(
    'request 1, of the prompt "support_rules" to the model "demo_support": the function of `answers` returned none.',
  );
});

it("A request that breaks the rules of providers gets an error, and the script of the test throws the fault once", async () => {
  const script = new Script([text("Hi")]);
  putScript("broken", script);
  const messages = [user("Hi"), ...callAndResult("call_1").slice(0, 1)];
  const parts = await collect(
    scriptedModels("broken").stream(request(model("test", "any"), { messages }), new AbortController().signal),
  );
  expect(parts).toMatchObject([{ type: "error" }]);
  expect(() => script.throwFaults()).toThrow('the transcript ends while "call_1" lacks its result');
  expect(() => script.throwFaults()).not.toThrow();
});

it("A request that breaks the rules of providers fails the turn, even if the run completes", async () => {
  const messages = [user("Hi"), ...callAndResult("call_1").slice(0, 1)];
  const started = { id: "" };
  const thread = await startThread("support_desk", {
    answers: async () => {
      const models = scriptedModels(started.id);
      await collect(models.stream(request(model("test", "any"), { messages }), new AbortController().signal));
      return text("Hi");
    },
  });
  started.id = thread.id;
  await expect(thread.send("Hi")).rejects.toThrow('the transcript ends while "call_1" lacks its result');
  expect((await thread.client.thread(thread.id).runs.list()).items).toMatchObject([
    { status: "completed", text: "Hi" },
  ]);
});

it("Held answers of prompts that run in parallel are released together", async () => {
  const question = (topic: string) => ({ name: "researcher", arguments: { question: `What is a ${topic}?` } });
  const thread = await startThread("reporter", {
    answers: {
      write_report: [{ toolCalls: [question("thread"), question("tool")] }, text("Both are explained.")],
      researcher: ({ lastUser }) => hold(text(`About: ${lastUser}`)),
    },
  });
  const sent = thread.send("Write about threads and tools");
  await thread.held(2);
  await thread.release();
  expect((await sent).text).toBe("Both are explained.");
});

it("A failure can be held until it is released", async () => {
  const thread = await startThread("support_desk", {
    answers: [hold(failure({ status: 401, message: "Bad key" }))],
  });
  const sent = thread.send("Hi");
  await thread.held();
  await thread.release();
  expect(await sent).toMatchObject({ status: "error" });
});

it("A turn that takes too long fails with an error that names what it waits for", async () => {
  const thread = await startThread("support_desk", { answers: [hold(text("Let me"))], timeoutMs: 300 });
  // The time of the turn is over when the answer is held, and not before.
  const time = new AbortController();
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const timeouts = vi.spyOn(AbortSignal, "timeout");
  timeouts.mockImplementation((milliseconds) => (milliseconds === 300 ? time.signal : timeout(milliseconds)));
  const sent = thread.send("Hi");
  await thread.held();
  time.abort();
  await expect(sent).rejects.toThrow(
    /neither ended nor waited within 300 ms\. The thread is running .*; the answer to the thread .* is held until release\(\)/,
  );
  timeouts.mockRestore();
  await thread.stop();
});

it("A test's approve() without a named call is an error if no call waits or several calls wait, and the error names the calls", async () => {
  const thread = await startThread("purchaser", {
    answers: [
      { toolCalls: [1, 2].map((n) => ({ name: "place_order", arguments: { item: `Desk ${String(n)}`, price: 900 } })) },
      text("Done."),
    ],
  });
  await expect(thread.approve()).rejects.toThrow("No call waits. The thread is idle");
  const requested = await thread.send("Two desks");
  await expect(thread.approve()).rejects.toThrow("Several calls wait; name one of place_order");
  const [first, second] = requested.pending;
  expect((await thread.approve(first)).pending).toHaveLength(2);
  expect((await thread.decline(second)).text).toBe("Done.");
});

it("A lost row fails the check of the transcript and the next turn, and the error names the call without a result", async () => {
  const thread = await startThread("support_desk", {
    answers: [toolCall("look_up_order", { order: "1042" }), text("Paid."), text("You are welcome.")],
  });
  const turn = await thread.send("Is order 1042 paid?");
  await thread.check();
  const stub = env.THREADS.get(env.THREADS.idFromName(thread.id));
  await runInDurableObject(
    stub,
    (_, { storage }) => void storage.sql.exec("DELETE FROM message WHERE json_extract(body, '$.role') = 'tool'"),
  );
  await thread.restart();
  const problem = `The call ${turn.toolCalls[0]?.tool_call_id ?? ""} (look_up_order) has 0 results.`;
  await expect(thread.check()).rejects.toThrow(problem);
  await expect(thread.send("Thanks")).rejects.toThrow(problem);
});

it("Threads of one user and of two users in a test have separate scripts and messages, and a user cannot read the other user's thread", async () => {
  const owners = ["anna", "anna", "ben"] as const;
  const threads = await Promise.all(
    owners.map((user_id, at) => startThread("support_desk", { user_id, answers: [text(`${user_id} ${String(at)}`)] })),
  );
  const turns = await Promise.all(threads.map((thread, at) => thread.send(`Hi ${String(at)}`)));
  expect(turns.map((turn) => turn.text)).toEqual(["anna 0", "anna 1", "ben 2"]);
  const contents = threads.map(async (thread) => (await thread.messages()).map(({ content }) => content));
  expect(await Promise.all(contents)).toEqual([
    ["Hi 0", "anna 0"],
    ["Hi 1", "anna 1"],
    ["Hi 2", "ben 2"],
  ]);
  const [first, second, third] = threads;
  expect(await second?.client.threads.get(first?.id ?? "")).toMatchObject({ user_id: "anna" });
  await expect(third?.client.threads.get(first?.id ?? "")).rejects.toMatchObject({ code: "thread_not_found" });
});

it("If the check of a transcript does not end in time, the error names the thread, its state and the limit", async () => {
  const thread = await startThread("support_desk", { timeoutMs: 300 });
  await thread.files.upload("/notes.txt", "A good customer.");
  const never = new ReadableStream<never>();
  vi.spyOn(thread.handle, "events").mockImplementation(async function* () {
    yield* never;
  });
  await expect(thread.check()).rejects.toThrow(
    new RegExp(`^The check of the thread ${thread.id} did not end within 300 ms\\. The thread is idle`),
  );
  vi.restoreAllMocks();
});
