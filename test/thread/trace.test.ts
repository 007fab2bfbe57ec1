// The traces of runs, as a collector receives them over HTTP: the tree of spans, across threads and crashes; their attributes; and that a
// collector, whatever it does, changes nothing in a run.

import { inject, afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { traceIdOf } from "#thread/trace/trace-context.ts";

import { received, type ReceivedSpan } from "../support/collector/received.ts";
import { gate, scripts } from "../worker/definitions.ts";
import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import { tracing } from "../worker/traced.ts";
import { answer, approve, resetAnswers, pay, script, shown } from "./answer-client.ts";
import { costOf, settled } from "./cost-table.ts";
import { resetAgents, waitFor, wake } from "./team-driver.ts";
import { admin, converse, crash, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const collector = inject("collector");
const secret = "key-of-openai";

let scope = "";

/** Exports the traces of threads that are loaded from now on, to a collector that behaves in this way. */
function exports(way = "ok", variables: Record<string, string> = {}): void {
  scope = `${way}-${crypto.randomUUID()}`;
  tracing.variables = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector}/${scope}`, ...variables };
}

const spans = async (count: number): Promise<ReceivedSpan[]> =>
  (await received(collector, scope, { spans: count })).spans;

const named = (all: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const span = all.find((one) => one.name === name);
  if (span === undefined) throw new Error(`no span ${name} among ${all.map((one) => one.name).join(", ")}`);
  return span;
};

/** The names of the spans, each indented below its parent, in the order of their start. */
function tree(all: readonly ReceivedSpan[], parentId: string | null = null, indent = ""): string[] {
  return all
    .filter((span) => span.parentId === parentId)
    .toSorted((left, right) => left.startedAt - right.startedAt)
    .flatMap((span) => [`${indent}${span.name}`, ...tree(all, span.spanId, `${indent}  `)]);
}

/** A call of the tool `note` in the first step, and an answer in the second. */
function notes(question = "trace"): void {
  scripts.set(question, ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "note", arguments: { text: "private words" } }] } : { text: "hidden answer" },
  );
}

beforeEach(() => {
  resetAgents();
  exports();
  notes();
});

afterEach(() => {
  tracing.variables = {};
});

describe("the spans of a run", () => {
  it("TRACE1 A run is exported as a tree of the run, its steps, their model attempts and their tool calls", async () => {
    const id = await newThread("parallel");
    await converse(id, "trace");
    const all = await spans(6);
    expect(tree(all)).toEqual([
      "invoke_agent parallel",
      "  step 1",
      "    chat scripted",
      "    execute_tool note",
      "  step 2",
      "    chat scripted",
    ]);
    expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1);
    expect(new Set(all.map(({ spanId }) => spanId)).size).toBe(6);
    for (const span of all) {
      const parent = all.find(({ spanId }) => spanId === span.parentId) ?? span;
      expect(span.startedAt).toBeGreaterThanOrEqual(parent.startedAt);
      expect(span.endedAt).toBeLessThanOrEqual(parent.endedAt);
    }
    const [run] = (await value(stubOf(id).call("listRuns", admin, { limit: 1, order: "desc" }))).items;
    expect(named(all, "invoke_agent parallel")).toMatchObject({
      kind: 1,
      failed: false,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "parallel",
        "gen_ai.conversation.id": id,
        "threadhold.run.id": run?.id,
        "threadhold.run.status": "completed",
        "gen_ai.usage.output_tokens": run?.usage.output,
      },
      resource: { "service.name": "threadhold" },
    });
    expect(named(all, "chat scripted")).toMatchObject({
      kind: 3,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "test",
        "gen_ai.request.model": "scripted",
        "gen_ai.response.finish_reasons": ["tool_calls"],
      },
    });
    expect(named(all, "execute_tool note").attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "note",
      "gen_ai.tool.type": "function",
    });
  });

  it("TRACE2 Spans contain no text of messages, arguments or results unless the deployment asks for it", async () => {
    const id = await newThread("parallel");
    notes("trace this secret question");
    await converse(id, "trace this secret question");
    const text = JSON.stringify(await spans(6));
    for (const word of ["secret question", "private words", "hidden answer"]) expect(text).not.toContain(word);
  });

  it("TRACE3 With captured content, spans contain messages, arguments and results without the deployment's secrets", async () => {
    exports("ok", { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" });
    const id = await newThread("parallel");
    notes(`trace with ${secret}`);
    await converse(id, `trace with ${secret}`);
    const all = await spans(6);
    const last = all.filter(({ name }) => name === "chat scripted").at(-1);
    const input = JSON.parse(String(last?.attributes["gen_ai.input.messages"])) as { role: string }[];
    expect(input.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(String(last?.attributes["gen_ai.output.messages"])).toContain("hidden answer");
    expect(named(all, "execute_tool note").attributes["gen_ai.tool.call.arguments"]).toBe('{"text":"private words"}');
    expect(named(all, "execute_tool note").attributes["gen_ai.tool.call.result"]).toBeTypeOf("string");
    expect(JSON.stringify(all)).toContain("trace with ");
    expect(JSON.stringify(all)).not.toContain(secret);
  });

  it("TRACE3 A captured text that is cut in the middle of a secret contains no part of the secret", async () => {
    exports("ok", { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" });
    const start = secret.slice(0, 6);
    const question = "x".repeat(8192 - start.length) + secret;
    // The arguments are `{"text":"` and the text.
    const text = "y".repeat(8192 - start.length - 9) + secret;
    scripts.set(question, ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "note", arguments: { text } }] } : { text: question },
    );
    const id = await newThread("parallel");
    await converse(id, question);
    const exported = JSON.stringify(await spans(6));
    expect(["xxx", "yyy", start].map((word) => exported.includes(word))).toEqual([true, true, false]);
  });

  it("The spans of a failed attempt, its step and its run are marked as failed; those of attempt and run have the error's class, not its message", async () => {
    scripts.set("trace", () => ({ error: { kind: "auth", message: "no such key" } }));
    const id = await newThread("parallel");
    await converse(id, "trace");
    const all = await spans(3);
    expect(all.map(({ failed }) => failed)).toEqual([true, true, true]);
    expect(named(all, "chat scripted").attributes["error.type"]).toBe("auth");
    expect(named(all, "invoke_agent parallel").attributes["error.type"]).toBe("auth");
    expect(JSON.stringify(all)).not.toContain("no such key");
  });

  it("The spans of a prompt that is called as a tool are below the span of its call", async () => {
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "helper", arguments: { task: "look" } }] } : { text: "boss done" },
    );
    toolEffects.set("k", () => "acted");
    scriptedAnswers.set("helper", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "k" } }] } : { text: "helper done" },
    );
    const id = await newThread("boss");
    await converse(id, "go");
    const all = await spans(11);
    expect(tree(all).map((line) => line.replace(/chat .*/, "chat"))).toEqual([
      "invoke_agent boss",
      "  step 1",
      "    chat",
      "    execute_tool helper",
      "      step 1",
      "        chat",
      "        execute_tool act",
      "      step 2",
      "        chat",
      "  step 2",
      "    chat",
    ]);
  });
});

describe("traces across threads, requests and crashes", () => {
  it("TRACE4 The run of a child thread is in the trace of its parent, below the span of the call", async () => {
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "panel", arguments: { task: "decide" } }] } : { text: "boss done" },
    );
    scriptedAnswers.set("pro", () => ({ text: "pro says" }));
    scriptedAnswers.set("con", () => ({ toolCalls: [{ name: "conclude", arguments: { said: "yes" } }] }));
    const id = await newThread("boss");
    await converse(id, "go");
    const all = await spans(12);
    expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1);
    const call = named(all, "execute_tool panel");
    const child = named(all, "invoke_agent panel");
    expect(child.parentId).toBe(call.spanId);
    expect(child.attributes["gen_ai.conversation.id"]).not.toBe(id);
    expect(all.filter(({ parentId }) => parentId === null).map(({ name }) => name)).toEqual(["invoke_agent boss"]);
  });

  it("TRACE5 A run continues the trace of its request's traceparent, and a request that is not sampled exports nothing", async () => {
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const parentId = "b7ad6b7169203331";
    const post = async (id: string, trace: string) => {
      const { run, after } = await value(stubOf(id).call("postMessage", { ...admin, trace }, message("trace"), null));
      const following = await follow(id, { after: String(after), run_id: run?.id ?? "" });
      await following.closed;
    };
    const id = await newThread("parallel");
    await post(id, `00-${traceId}-${parentId}-00`);
    await post(id, `00-${traceId}-${parentId}-01`);
    await post(id, "00-not-a-trace");
    const all = await spans(12);
    const roots = all.filter(({ name }) => name === "invoke_agent parallel");
    expect(roots.map((root) => [root.traceId === traceId, root.parentId])).toEqual([
      [true, parentId],
      [false, null],
    ]);
    expect(all).toHaveLength(12);
  });

  it("TRACE6 A run continues its trace after a crash, and no span is sent twice", async () => {
    const hold = gate("traced");
    scripts.set("trace", ({ step }) =>
      step === 0
        ? { toolCalls: [{ name: "note", arguments: { text: "once" } }] }
        : step === 1
          ? { toolCalls: [{ name: "wait", arguments: { gate: "traced" } }] }
          : { text: "done" },
    );
    const id = await newThread("sequential");
    const { run, after } = await value(stubOf(id).call("postMessage", admin, message("trace"), null));
    const before = await follow(id, { after: String(after) });
    await before.until((event) => event.type === "tool_execution_start" && event.tool_name === "wait");
    // The heartbeat sends the spans of the first step.
    await wake(id);
    const first = await spans(3);
    await crash(id);
    hold.open();
    const following = await follow(id, { after: String(after), run_id: run?.id ?? "" });
    await wake(id);
    await following.closed;
    const all = await spans(first.length + 5);
    expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set(first.map(({ traceId }) => traceId)));
    expect(new Set(all.map(({ spanId }) => spanId)).size).toBe(all.length);
    const root = named(all, "invoke_agent sequential");
    expect(all.every(({ startedAt, endedAt }) => startedAt >= root.startedAt && endedAt <= root.endedAt)).toBe(true);
    expect(tree(all).filter((line) => line.includes("step"))).toEqual(["  step 1", "  step 2", "  step 3"]);
  });
});

describe("the trace of a run that is suspended", () => {
  it("TRACE11 A run continues its trace after it waited for an approval and was evicted, and each span is within its parent's time", async () => {
    // A timer that outlived the request of the suspension would keep the object from eviction.
    exports("ok", { OTEL_EXPORTER_OTLP_TIMEOUT: "600000" });
    resetAnswers();
    script("traced", [pay("Ada")]);
    const lines = vi.spyOn(console, "log");
    const id = await newThread("payer");
    await value(stubOf(id).call("postMessage", admin, message("traced"), null));
    const [waiting] = await waitFor(async () => {
      const calls = await shown(id);
      return calls.length === 1 && calls;
    });
    // The suspension sends the span of the attempt.
    const [attempt] = await spans(1);
    await evict(id);
    await value(answer(id, approve(waiting?.id ?? "")));
    const all = await spans(6);
    expect(tree(all).map((line) => line.replace(/chat .*/, "chat").replace(/tool .*/, "tool"))).toEqual([
      "invoke_agent payer",
      "  step 1",
      "    chat",
      "    execute_tool",
      "  step 2",
      "    chat",
    ]);
    expect(all.every(({ traceId }) => traceId === attempt?.traceId)).toBe(true);
    for (const span of all) {
      const parent = all.find(({ spanId }) => spanId === span.parentId) ?? span;
      expect([span.name, span.startedAt >= parent.startedAt, span.endedAt <= parent.endedAt]).toEqual([
        span.name,
        true,
        true,
      ]);
    }
    const ended = lines.mock.calls
      .map(([text]) => JSON.parse(String(text)) as { event: string; thread_id: string; trace_id?: string })
      .filter(({ thread_id }) => thread_id === id);
    expect(ended.map(({ event, trace_id }) => [event, trace_id])).toEqual([
      ["run_rest", attempt?.traceId],
      ["run_end", attempt?.traceId],
    ]);
    lines.mockRestore();
  });
});

describe("a collector", () => {
  it("TRACE7 A run costs the same rows and alarms without exported traces and with a collector that accepts, refuses or does not answer", async () => {
    const costs: unknown[] = [];
    for (const way of ["off", "ok", "hang", "refuse"]) {
      exports(way);
      if (way === "off") tracing.variables = {};
      const id = await newThread("parallel");
      const cost = await costOf(id, async () => {
        await converse(id, "trace");
        await settled(id);
      });
      costs.push(cost);
    }
    expect(new Set(costs.map((cost) => JSON.stringify(cost))).size).toBe(1);
  });

  it("TRACE8 A run ends although the collector does not answer, and so does the next run", async () => {
    exports("hang");
    const id = await newThread("parallel");
    for (const text of ["trace", "trace again"]) {
      const events = await converse(id, text);
      expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    }
    // One request is open at a time.
    expect((await received(collector, scope, { requests: 1 })).requests).toHaveLength(1);
  });

  it("Spans that a busy collector did not accept are sent again with those of the next run", async () => {
    exports("busy");
    const id = await newThread("parallel");
    await converse(id, "trace");
    await received(collector, scope, { requests: 1 });
    await converse(id, "trace");
    expect(await spans(12)).toHaveLength(12);
  });

  it("A redirect of the collector is not followed", async () => {
    exports("move", { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc" });
    const id = await newThread("parallel");
    await converse(id, "trace");
    const { requests } = await received(collector, scope, { requests: 1 });
    expect(requests[0]?.headers["authorization"]).toBe("Bearer abc");
    expect((await received(collector, `other-${scope}`, {})).requests).toEqual([]);
  });

  it("TRACE9 Spans above the bound of the queue and rejected spans are dropped, and a log line counts them", async () => {
    const lines = vi.spyOn(console, "warn");
    const dropped = (id: string) =>
      lines.mock.calls
        .map(([text]) => JSON.parse(String(text)) as { event: string; thread_id: string; spans: number })
        .filter(({ event, thread_id }) => event === "trace_spans_dropped" && thread_id === id)
        .reduce((sum, line) => sum + line.spans, 0);
    exports("part");
    const rejected = await newThread("parallel");
    await converse(rejected, "trace");
    await spans(6);
    await waitFor(() => dropped(rejected) === 1);
    exports("refuse");
    const refused = await newThread("parallel");
    await converse(refused, "trace");
    await received(collector, scope, { requests: 1 });
    await waitFor(() => dropped(refused) === 6);
    exports("hang", { OTEL_BSP_MAX_QUEUE_SIZE: "2", OTEL_EXPORTER_OTLP_TIMEOUT: "2000" });
    const hung = await newThread("parallel");
    await converse(hung, "trace");
    await waitFor(() => dropped(hung) === 4);
    lines.mockRestore();
  });

  it("With the sampler traceidratio, exactly the runs whose trace ids are within the ratio are exported", async () => {
    exports("ok", { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.5" });
    const id = await newThread("parallel");
    for (let run = 0; run < 8; run += 1) await converse(id, "trace");
    const { items } = await value(stubOf(id).call("listRuns", admin, { limit: 8, order: "asc" }));
    const traces = items.map((run) => traceIdOf(run.id));
    const chosen = traces.filter((trace) => Number.parseInt(trace.slice(-14), 16) < 2 ** 55);
    const all = await spans(6 * chosen.length);
    expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set(chosen));
    expect(all).toHaveLength(6 * chosen.length);
  });

  it("With the sampler always_off nothing is exported", async () => {
    exports("ok", { OTEL_TRACES_SAMPLER: "always_off" });
    const id = await newThread("parallel");
    await converse(id, "trace");
    await settled(id);
    expect((await received(collector, scope, {})).requests).toEqual([]);
  });
});
