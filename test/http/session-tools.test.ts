// Tools that a session's client answers, with the real app and real objects.

import { describe, expect, it } from "vitest";

import type { SessionToolCall } from "#contract/session/session-message.ts";

import { execute, executeOnServer, readSession, textOf } from "../support/session-client/session-client.ts";
import type { ExecutionEvent } from "../support/session-client/session-client.ts";
import { messagesOf, wake } from "../thread/team-driver.ts";
import { admin, alarmOf, evict, stubOf, value } from "../thread/thread-driver.ts";
import { skip, testClock } from "../worker/clock.ts";
import { scripts } from "../worker/definitions.ts";
import { anna, ask } from "./support/session-app.ts";

const options = { model: "scripted" };
const said = (content: string) => ({ role: "user", content });
const ofClient = { name: "far", label: "Far", parameters: { type: "object", properties: { q: { type: "string" } } } };
const result = (call: SessionToolCall | undefined, content: string) => ({
  role: "toolResult",
  toolCallId: call?.id ?? "",
  toolName: call?.name ?? "",
  content,
});

/** A session that waits for the calls of one step. */
async function waiting(word: string, calls: { name: string; arguments: Record<string, unknown> }[]) {
  scripts.set(word, ({ step }) => (step === 0 ? { text: "I ask.", toolCalls: calls } : { text: "Thanks." }));
  const context = { tools: [ofClient] };
  const first = await execute(anna, { input: said(word), context, options });
  return { ...first, pending: first.complete?.pendingToolCalls ?? [] };
}

describe("tools of the client", () => {
  it("SESSION12 A client that executes its tools and sends the results in a further request completes the execution, and the model reads the results", async () => {
    const received: string[] = [];
    scripts.set("compute", ({ step, messages }) =>
      step === 0
        ? { toolCalls: [{ name: "calculate", arguments: { expression: "6*7" } }] }
        : { text: `It is ${messages.at(-1)?.content ?? ""}.` },
    );
    const { sessionId, rounds } = await executeOnServer(anna, {
      input: said("compute it"),
      options,
      tools: [
        {
          name: "calculate",
          label: "Calculate",
          parameters: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
          execute: ({ arguments: args }) => {
            received.push(JSON.stringify(args));
            return "42";
          },
        },
      ],
    });
    expect(received).toEqual(['{"expression":"6*7"}']);
    const [first, second] = rounds;
    expect(first?.complete).toMatchObject({
      status: "awaiting_tool_execution",
      pendingToolCalls: [{ name: "calculate" }],
    });
    expect(first?.events.slice(-2).map(({ type }) => type)).toEqual(["awaiting_tool_execution", "session_end"]);
    expect(first?.events.some(({ type }) => type.startsWith("tool_execution"))).toBe(false);
    expect(second?.complete).toEqual({ type: "execute_complete", status: "completed" });
    expect(textOf(second?.events ?? [])).toBe("It is 42.");
    expect(second?.events.at(-1)).toMatchObject({
      messages: [{ role: "toolResult", content: "42" }, { role: "assistant" }],
    });
    const roles = (await readSession(anna, sessionId))?.messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "toolResult", "assistant"]);
  });

  it("SESSION12 Calls of client tools wait until the tool's deadline, by default a day, and get an error after it", async () => {
    const calls = ["far", "quick"].map((name) => ({ name, arguments: {} }));
    scripts.set("in_time", ({ step }) => (step === 0 ? { toolCalls: calls } : { text: "Too late." }));
    const quick = { ...ofClient, name: "quick", deadlineMs: 90_000 };
    const begun = testClock.now();
    const context = { tools: [ofClient, quick] };
    const { sessionId } = await execute(anna, { input: said("in_time"), context, options });
    const { pending_tool_calls: waiting } = await value(stubOf(sessionId).call("describe", admin));
    const minutes = waiting.map(({ name, deadline }) => [name, Math.floor(((deadline ?? 0) - begun) / 60_000_000)]);
    expect(minutes).toEqual([
      ["far", 24 * 60],
      ["quick", 1],
    ]);
    expect(await alarmOf(sessionId)).toBe(Math.ceil((waiting[1]?.deadline ?? 0) / 1000));
    skip(91_000);
    expect(await wake(sessionId)).toBe(true);
    await value(stubOf(sessionId).call("stop", admin, null));
    const results = (await messagesOf(sessionId)).filter(({ role }) => role === "tool");
    expect(results.map(({ name, content }) => [name, content])).toEqual([
      ["far", "The run was stopped before this tool finished."],
      ["quick", 'Nobody answered the call of "quick" within 90 seconds.'],
    ]);
  });

  it("SESSION12 Calls of client tools may be answered in several requests, also after an eviction, and a failed call has its error as result", async () => {
    const { sessionId, pending } = await waiting("in_parts", [
      { name: "far", arguments: { q: "one" } },
      { name: "far", arguments: { q: "two" } },
    ]);
    expect(pending).toMatchObject([{ arguments: { q: "one" } }, { arguments: { q: "two" } }]);
    const shown = await readSession(anna, sessionId);
    expect(shown).toMatchObject({ status: "awaiting_tool_execution", pendingToolCalls: pending });
    expect(shown?.totalCost).toBeGreaterThan(0);
    await evict(sessionId);
    const part = await execute(anna, { sessionId, input: [result(pending[1], "two!")] });
    expect(part.events.map(({ type }) => type)).toEqual(["session_start", "awaiting_tool_execution", "session_end"]);
    expect(part.complete?.pendingToolCalls).toEqual([pending[0]]);
    await evict(sessionId);
    const failed = { ...result(pending[0], ""), content: undefined, output: "It broke.", isError: true };
    const whole = await execute(anna, { sessionId, input: [failed] });
    expect(whole.complete?.status).toBe("completed");
    expect((await readSession(anna, sessionId))?.totalCost).toBeGreaterThan(shown?.totalCost ?? 0);
    expect(whole.events.at(-1)).toMatchObject({
      messages: [
        { role: "toolResult", content: "It broke.", isError: true },
        { role: "toolResult", content: "two!", isError: false },
        { role: "assistant" },
      ],
    });
  });

  it("SESSION12 Remote tools of the project are requested like the client's tools, and local tools of the step run first", async () => {
    scripts.set("both", ({ step }) =>
      step === 0
        ? {
            toolCalls: [
              { name: "ask", arguments: { q: "x" } },
              { name: "note", arguments: { text: "y" } },
            ],
          }
        : { text: "Thanks." },
    );
    const { sessionId, events, complete } = await execute(anna, { input: said("both"), context: { agent: "asker" } });
    const executions = events.flatMap((event) => (event.type === "tool_execution_end" ? [event.output] : []));
    expect(executions).toEqual(["noted y"]);
    expect(complete?.pendingToolCalls).toMatchObject([{ name: "ask" }]);
    const end = await execute(anna, { sessionId, input: [result(complete?.pendingToolCalls?.[0], "x!")] });
    expect(end.events.some(({ type }) => type.startsWith("tool_execution"))).toBe(false);
  });

  it("SESSION12, REMOTE13 A remote tool with a result schema accepts a JSON text as the result from a client of the session endpoint", async () => {
    const calls = [{ name: "ask_place", arguments: { q: "x" } }];
    scripts.set("place_of", ({ step, messages }) =>
      step === 0 ? { toolCalls: calls } : { text: `Heard ${String(messages.at(-1)?.content)}.` },
    );
    const first = await execute(anna, { input: said("place_of"), context: { agent: "asker" } });
    const input = [result(first.complete?.pendingToolCalls?.[0], '{ "place": "Oslo", "weather": "fine" }')];
    const end = await execute(anna, { sessionId: first.sessionId, input });
    expect(end.complete?.status).toBe("completed");
    expect(textOf(end.events)).toBe('Heard {"place":"Oslo"}.');
  });

  it("SESSION12 A waiting call of a remote tool is shown and can be answered, however large the results of the step's other calls are", async () => {
    const bulky = Array.from({ length: 8 }, (_, n) => ({ name: "bulky", arguments: { n } }));
    scripts.set("beside_much", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "ask", arguments: { q: "x" } }, ...bulky] } : { text: "Thanks." },
    );
    const { sessionId, complete } = await execute(anna, {
      input: said("beside_much"),
      context: { agent: "head_reader" },
    });
    const requested = [{ name: "ask", arguments: { q: "x" } }];
    expect(complete?.pendingToolCalls).toMatchObject(requested);
    await evict(sessionId);
    expect((await readSession(anna, sessionId))?.pendingToolCalls).toMatchObject(requested);
    const end = await execute(anna, { sessionId, input: [result(complete?.pendingToolCalls?.[0], "x!")] });
    expect(end.complete?.status).toBe("completed");
  });

  it("SESSION12 Remote calls of a prompt called as a tool suspend the session too, and the text of that prompt is not emitted", async () => {
    scripts.set("chains", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "cashier", arguments: { task: "chained" } }] } : { text: "Chained." },
    );
    scripts.set("chained", ({ step, messages }) =>
      step === 0
        ? { text: "Below.", toolCalls: [{ name: "ask", arguments: { q: "deep" } }] }
        : { text: `Heard ${messages.at(-1)?.content ?? ""}` },
    );
    const first = await execute(anna, { input: said("chains"), context: { agent: "head_cashier" } });
    const pending = first.complete?.pendingToolCalls ?? [];
    expect(pending).toMatchObject([{ name: "ask", arguments: { q: "deep" } }]);
    expect(textOf(first.events)).toBe("");
    const executions = (events: readonly ExecutionEvent[]) =>
      events.flatMap((event) => (event.type.startsWith("tool_execution") ? [event.type] : []));
    expect(executions(first.events)).toEqual(["tool_execution_start"]);
    const second = await execute(anna, { sessionId: first.sessionId, input: [result(pending[0], "down here")] });
    expect(executions(second.events)).toEqual(["tool_execution_end"]);
    expect(textOf(second.events)).toBe("Chained.");
    expect(second.events.at(-1)).toMatchObject({
      messages: [{ role: "toolResult", content: expect.stringContaining("Heard down here") }, { role: "assistant" }],
    });
  });

  it("SESSION12 A pending approval is shown with the kind approval, accepts no result at the session endpoint, and is answered by the route of tool results", async () => {
    scripts.set("consents", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "erase", arguments: { what: "it" } }] } : { text: "Done." },
    );
    const requested = await execute(anna, { input: said("consents"), context: { agent: "payer" } });
    const { sessionId } = requested;
    const [call] = requested.complete?.pendingToolCalls ?? [];
    expect(call).toMatchObject({ name: "erase", arguments: { what: "it" }, kind: "approval" });
    expect(await readSession(anna, sessionId)).toMatchObject({ pendingToolCalls: [call] });
    const refused = await execute(anna, { sessionId, input: [result(call, "I did it")] });
    expect([refused.status, refused.refusal?.message]).toEqual([409, expect.stringContaining("approved")]);
    const results = [{ tool_call_id: call?.id, approved: false, error: "No." }];
    const following = anna(`/api/threads/${sessionId}/events?after=0`);
    await ask(anna, "POST", `/api/threads/${sessionId}/tool-results`, { results });
    const reader = (await following).body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; !text.includes("event: run_end");) text += (await reader?.read())?.value ?? "event: run_end";
    await reader?.cancel();
    expect(await readSession(anna, sessionId)).toMatchObject({
      status: "completed",
      messages: [{}, {}, { role: "toolResult", isError: true }, { role: "assistant" }],
    });
  });

  it("SESSION12 A call of a client tool with invalid arguments gets an error and is not sent to the client", async () => {
    scripts.set("misfit", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "far", arguments: { q: 7 } }] } : { text: "I see." },
    );
    const { complete, events } = await execute(anna, {
      input: said("misfit"),
      context: { tools: [ofClient] },
      options,
    });
    expect(complete?.status).toBe("completed");
    const end = events.at(-1);
    expect(end?.type === "session_end" ? end.messages[2] : null).toMatchObject({ role: "toolResult", isError: true });
  });
});
