// The model server: chat completions over HTTP that follow the script in the message. It records everything that it
// sent and compares each request with the records, so an incomplete transcript is always found.

import type { ServerResponse } from "node:http";

import type { Findings } from "./findings.ts";
import { type LoopbackServer, openLoopback, textOf } from "./loopback-server.ts";
import { helperMessage, isHelperMark, readScript, threadOf } from "./script.ts";
import type { Script, ScriptStep } from "./script.ts";
import type { Stage } from "./stage.ts";

/** A message as the model server receives it. */
interface Sent {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** The open server. */
export interface ModelDesk extends LoopbackServer {
  /** Texts that were sent completely, by mark and step. */
  completed: (mark: string, step: number) => readonly string[];
  /** The number of requests so far, by mark and step. */
  requested: (mark: string, step: number) => number;
  memory: () => ModelMemory;
  /** Restores the state of an earlier server. */
  recall: (memory: ModelMemory) => void;
}

/** The state that another server needs, as JSON. */
export interface ModelMemory {
  completed: [string, string[]][];
  counts: [string, number][];
}

/** What the server shares with the suite. */
export interface DeskContext {
  stage: Stage;
  findings: Findings;
  /** The marks of a thread's messages, in the order in which they were posted. */
  saidIn: (thread: string) => readonly string[];
}

const wordsBeforeCalls = 6;

interface ModelCall {
  mark: string;
  step: number;
  attempt: number;
  script: Script;
}

/** Opens the server. */
export async function openModelDesk({ stage, findings, saidIn }: DeskContext): Promise<ModelDesk> {
  const completed = new Map<string, string[]>();
  const counts = new Map<string, number>();
  const keyOf = (mark: string, step: number): string => `${mark}/${String(step)}`;

  const read = (messages: readonly Sent[]): ModelCall => {
    const said = messages.filter(({ role }) => role === "user").map(({ content }) => readScript(content ?? ""));
    const last = said.at(-1);
    if (last === undefined) throw new Error("The model was asked without a message");
    const { mark, script } = last;
    const marks = said.map((one) => one.mark).join();
    const expected = isHelperMark(mark) ? mark : saidIn(threadOf(mark)).slice(0, said.length).join();
    if (marks !== expected) findings.add("SURV2", `the model was sent [${marks}] where [${expected}] was said`);
    for (const problem of pairProblems(messages)) findings.add("SURV5", `the model was sent ${problem} (${mark})`);
    const since = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
    const step = since.filter(({ role }) => role === "assistant").length;
    const attempt = (counts.get(keyOf(mark, step)) ?? 0) + 1;
    counts.set(keyOf(mark, step), attempt);
    return { mark, step, attempt, script };
  };

  const answer = async (requested: ModelCall, response: ServerResponse): Promise<void> => {
    const { mark, step, attempt, script } = requested;
    const moment = { thread: threadOf(mark), mark, place: String(step) };
    const pass = stage.enter();
    if ((await pass({ ...moment, at: "asked" })) === "cut") return void response.destroy();
    if (script.refusedFor > 0 && step === 0 && attempt === 1) {
      response.writeHead(429, { "content-type": "application/json", "retry-after": String(script.refusedFor) });
      response.end(JSON.stringify({ error: { message: "Too many at once." } }));
      await pass({ ...moment, at: "refused" });
      return;
    }
    const plan = script.steps[step];
    if (plan === undefined) {
      findings.add("SURV2", `the model was asked for step ${String(step)} of ${mark}, which has none`);
      return void response.destroy();
    }
    const text = textFor(requested, plan);
    const last = step === script.steps.length - 1;
    const frames = new Frames(response);
    const pieces = text.split(/(?<= )/);
    for (const [index, piece] of pieces.entries()) {
      frames.send({ delta: { role: "assistant", content: piece }, finish_reason: null });
      // Only the first attempt is slow; a repeated request has waited long enough.
      if (script.paceMs > 0 && attempt === 1) await new Promise((resolve) => setTimeout(resolve, script.paceMs));
      const part = (index + 1) / (pieces.length + 1);
      if ((await pass({ ...moment, at: "delta", part, last })) === "cut") return void response.destroy();
    }
    if ("tools" in plan) frames.calls(requested, plan.tools);
    frames.end("tools" in plan ? "tool_calls" : "stop");
    completed.set(keyOf(mark, step), [...(completed.get(keyOf(mark, step)) ?? []), text]);
    await pass({ ...moment, at: "said", last });
  };

  const server = await openLoopback(
    async (request, response) => {
      const body = JSON.parse(await textOf(request)) as { messages: Sent[] };
      await answer(read(body.messages), response);
    },
    (thrown) => findings.add("SURV5", `the model could not answer: ${String(thrown)}`),
  );
  return {
    ...server,
    completed: (mark, step) => completed.get(keyOf(mark, step)) ?? [],
    requested: (mark, step) => counts.get(keyOf(mark, step)) ?? 0,
    memory: () => ({ completed: [...completed], counts: [...counts] }),
    recall(memory) {
      for (const [key, texts] of memory.completed) completed.set(key, texts);
      for (const [key, count] of memory.counts) counts.set(key, count);
    },
  };
}

/** The text of each attempt differs, so a text made of two attempts equals neither of them. */
function textFor({ mark, step, attempt }: ModelCall, plan: ScriptStep): string {
  const words = "tools" in plan ? wordsBeforeCalls : plan.words;
  const opening = openingOf(mark, step, attempt);
  return [opening, ...Array.from({ length: words - 1 }, (_, index) => `${String(attempt)}w${String(index)}`)].join(" ");
}

/** The first word of an attempt's text. */
export function openingOf(mark: string, step: number, attempt: number): string {
  return `${mark}/${String(step)}#${String(attempt)}`;
}

class Frames {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, { "content-type": "text/event-stream" });
  }

  send(choice: object, more: object = {}): void {
    const chunk = { id: "chat", object: "chat.completion.chunk", created: 1, model: "scripted" };
    this.#response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }], ...more })}\n\n`);
  }

  calls({ mark, step, attempt }: ModelCall, tools: readonly string[]): void {
    tools.forEach((name, index) => {
      const call = `${String(step)}.${String(index)}`;
      const args = JSON.stringify(name === "helper" ? { task: helperMessage(mark, call) } : { mark, call });
      const id = `call_${mark}_${call}_${String(attempt)}`.replaceAll(".", "_");
      const tool_calls = [{ index, id, type: "function", function: { name, arguments: args } }];
      this.send({ delta: { role: "assistant", content: null, tool_calls }, finish_reason: null });
    });
  }

  end(finish_reason: string): void {
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    this.send({ delta: {}, finish_reason }, { usage });
    this.#response.end("data: [DONE]\n\n");
  }
}

/** Checks that each call is followed by exactly one result, and that no result lacks its call. */
function* pairProblems(messages: readonly Sent[]): Generator<string> {
  for (const [index, { role, tool_calls = [] }] of messages.entries()) {
    if (role !== "assistant") continue;
    const behind = messages.slice(index + 1);
    const end = behind.findIndex((message) => message.role !== "tool");
    const results = behind.slice(0, end === -1 ? behind.length : end).map(({ tool_call_id }) => tool_call_id ?? "");
    const calls = tool_calls.map(({ id }) => id);
    if (calls.toSorted().join() !== results.toSorted().join()) {
      yield `calls [${calls.join()}] with the results [${results.join()}]`;
    }
  }
}
