// Executes the loop with fakes for every port, as a thread does: it begins the run, executes it until it halts, and ends it. A run may be
// interrupted after any write and resumed by another harness from the stored rows.

import type { PlainEvent } from "#contract/event.ts";
import { run as loop } from "#core/loop.ts";
import type { Halt } from "#core/loop.ts";
import type { AnswerFiles } from "#core/ports/answer-file-port.ts";
import type { LoopHooks } from "#core/ports/hook-port.ts";
import type { ModelMessage, ModelPort } from "#core/ports/model-port.ts";
import type { RunPorts } from "#core/ports/run-ports.ts";
import type { StepPlan, StepPort, StepProblem, ToolMode } from "#core/ports/step-port.ts";
import type { Strategy, StepShape } from "#core/ports/strategy-port.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import { noProgress } from "#core/record/blank-run.ts";
import type { LogRecord, MessageRecord } from "#core/record/record.ts";
import type { ExecutedRun } from "#core/record/run-record.ts";
import { committedSteps } from "#core/record/run-state.ts";
import { mainScope } from "#core/record/scope.ts";
import { repair } from "#core/request/repair.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { messageRecord, runRecord } from "../../store/records.ts";
import { grammarFaults } from "./grammar.ts";
import { turn, ManualClock } from "./manual-clock.ts";
import { MemoryJournal } from "./memory-journal.ts";
import { RecordingSink } from "./recording-sink.ts";
import { scriptedModel } from "./scripted-model.ts";
import type { Script } from "./scripted-model.ts";

/** The stored rows of an interrupted or suspended run. */
export interface Rows {
  run: ExecutedRun;
  /** Until when the run is suspended (microseconds); null for an interrupted run. */
  until: number | null;
  messages: MessageRecord[];
  logs: LogRecord[];
  events: PlainEvent[];
}

export interface Setup {
  script: Script;
  /** Whether the model hides its thinking. */
  thinksInSilence?: boolean;
  tools?: ToolRunner[];
  toolMode?: ToolMode;
  models?: [AnyModelDefinition, ...AnyModelDefinition[]];
  strategy?: Strategy;
  hooks?: Partial<LoopHooks>;
  answers?: AnswerFiles;
  reasoning?: StepPlan["request"]["reasoning"];
  /** Further members of each model request. */
  request?: Partial<StepPlan["request"]>;
  /** Plans steps in place of the harness. Receives the messages of the run so far. */
  steps?: (messages: () => readonly MessageRecord[]) => StepPort;
  /** Ends the run with this in place of a plan. */
  problem?: StepProblem;
  /** The rows of an earlier harness, whose run is resumed. */
  rows?: Rows;
  /** Interrupts the run, as a power failure does, after this many writes, or at a fault point. */
  cutAfter?: number;
  killAt?: string;
  random?: () => number;
  stopAsked?: () => boolean;
  /** The definitions' live `state.context`. */
  context?: Record<string, unknown>;
  clock?: ManualClock;
}

/** Model definitions by name. */
export function modelNamed(name: string, changes: Partial<AnyModelDefinition> = {}): AnyModelDefinition {
  return { name, provider: "test", model: `${name}-1`, inputPrice: 1, outputPrice: 2, ...changes };
}

const asItIs: LoopHooks = {
  beforeCreateMessage: (message) => Promise.resolve(message),
  afterCreateMessage: () => Promise.resolve(),
  afterToolCall: (_call, answer) => Promise.resolve(answer),
  beforeStoreToolResult: (_call, answer) => Promise.resolve(answer),
};

/** Continues as long as the model calls tools, for at most 20 steps. */
const untilResponse: Strategy = {
  name: "loop",
  next: ({ steps, last }) => {
    if (last !== null && last.calls.length === 0) return { type: "end", status: "completed", reason: "response" };
    return steps < 20 ? { type: "step" } : { type: "end", status: "limit", reason: "max_steps" };
  },
};

/** The user's message, which every run of a harness answers. */
const question = messageRecord(1, { parts: [{ type: "text", text: "Question" }] });

export class Harness {
  readonly clock: ManualClock;
  readonly sink: RecordingSink;
  readonly journal: MemoryJournal;
  readonly model: ModelPort & { requests: { messages: ModelMessage[] }[] };
  readonly run: ExecutedRun;
  /** What hooks received, in order, as `hook id`. */
  readonly hooked: string[] = [];
  /** The fault points that were reached, in order. */
  readonly passed: string[] = [];
  readonly shapes: StepShape[] = [];
  readonly #setup: Setup;
  readonly #abort = new AbortController();
  readonly #before: readonly PlainEvent[];
  #until: number | null;

  constructor(setup: Setup) {
    const { rows } = setup;
    this.#setup = setup;
    this.clock = setup.clock ?? new ManualClock();
    this.#before = rows?.events ?? [];
    this.sink = new RecordingSink(this.clock, rows === undefined ? 0 : (this.#before.at(-1)?.seq ?? 0) + 1000);
    this.journal = new MemoryJournal(rows ?? { messages: [question], logs: [] }, setup.cutAfter);
    this.model = scriptedModel(setup.script, setup.thinksInSilence);
    const begins = { status: "running", started_at: 1, queued: null, progress: noProgress() } as const;
    this.run = structuredClone(rows?.run ?? { ...runRecord(0), ...begins });
    this.#until = rows?.until ?? null;
  }

  /** The events of this harness and of the earlier harnesses of the run. */
  get events(): PlainEvent[] {
    return [...this.#before, ...this.sink.sent];
  }

  get answers(): MessageRecord[] {
    return this.journal.messages.filter(({ role }) => role === "assistant");
  }

  get results(): MessageRecord[] {
    return this.journal.messages.filter(({ role }) => role === "tool");
  }

  stop(): void {
    this.#abort.abort(new Error("stopped"));
  }

  /** Executes the run until it ends or is suspended; null if the power was cut. */
  async drive(): Promise<Halt | null> {
    const { rows } = this.#setup;
    const of = { run_id: this.run.id };
    if (rows === undefined) this.sink.send(this.sink.number({ type: "run_start", ...of, ...begun }));
    else if (this.#until === null) {
      this.sink.send(this.sink.number({ type: "message_retracted", ...of, reason: "recovery" }));
    }
    this.#until = null;
    const cut = this.journal.cut.then(() => null);
    const driven = loop(this.#ports(), this.#abort.signal);
    driven.catch(() => {});
    const halt = await Promise.race([cut, driven]);
    if (halt === null) await turn();
    // The caller of the loop stores that a run is suspended.
    if (halt?.type === "suspend") this.#until = halt.until;
    if (halt?.type === "end") this.#tellEnd(halt);
    return halt;
  }

  /** Executes the run to its end and checks its events by the contract's grammar. */
  async finish(): Promise<Extract<Halt, { type: "end" }>["end"]> {
    const halt = await this.drive();
    if (halt?.type !== "end") throw new Error(`the run did not end: ${JSON.stringify(halt)}`);
    this.holdToContract();
    return halt.end;
  }

  /** Throws if the events break the grammar, or if a call does not have exactly one result. */
  holdToContract(): void {
    const faults = grammarFaults(this.events, { over: true });
    for (const answer of this.answers) {
      for (const part of answer.parts) {
        if (part.type !== "tool_call") continue;
        const results = this.results.filter(({ tool_call_id }) => tool_call_id === part.id);
        const settled = results.filter(({ status, result }) => status === "complete" && result !== null);
        if (results.length !== 1 || settled.length !== 1) {
          faults.push(`call ${part.id} has ${results.length} results, ${settled.length} settled`);
        }
      }
    }
    if (faults.length > 0) throw new Error(faults.join("\n"));
  }

  rows(): Rows {
    const { messages, logs } = this.journal;
    return structuredClone({ run: this.run, until: this.#until, messages, logs, events: this.events });
  }

  #ports(): RunPorts {
    const { strategy = untilResponse, random = () => 0.5, stopAsked = () => false, context, answers } = this.#setup;
    let next = this.journal.messages.length + this.journal.logs.length + 1000 * (this.#before.length + 1);
    return {
      run: this.run,
      journal: this.journal,
      sink: this.sink,
      models: this.model,
      scope: mainScope,
      steps: this.#setup.steps?.(() => this.journal.messages) ?? {
        plan: (shape) => Promise.resolve(this.#plan(shape)),
        tools: () => Promise.resolve(this.#plan({})),
      },
      strategy,
      hooks: this.#hooks(),
      ...(answers === undefined ? {} : { answers }),
      clock: this.clock,
      ids: {
        ordered: () => `018f0000-0000-7000-8000-${String((next += 1)).padStart(12, "0")}`,
        random,
      },
      faults: {
        at: (name) => {
          this.passed.push(name);
          if (name === this.#setup.killAt) this.journal.kill();
          return this.journal.dead ? new Promise(() => {}) : Promise.resolve();
        },
      },
      stopAsked,
      ...(context === undefined ? {} : { context: { current: context } }),
      committed: committedSteps(this.journal.logs),
    };
  }

  #plan(shape: StepShape): StepPlan | StepProblem {
    const { tools = [], toolMode = "parallel", models, problem, reasoning = null, request = {} } = this.#setup;
    this.shapes.push(shape);
    if (problem !== undefined) return problem;
    const sent = this.journal.messages.filter(({ status }) => status === "complete").map(modelMessage);
    const { instruction: last } = shape;
    const instruction = last === undefined || last.keep ? [] : [said(last.text)];
    return {
      models: models ?? [modelNamed("main")],
      request: {
        system: "",
        messages: repair([...sent, ...instruction]),
        tools: tools.map(({ spec }) => spec),
        toolChoice: shape.toolChoice ?? "auto",
        parallelToolCalls: true,
        reasoning,
        temperature: null,
        maxTokens: null,
        ...request,
      },
      tools: new Map(tools.map((tool) => [tool.spec.name, tool])),
      toolMode,
      side: "a",
      role: "assistant",
      depth: 0,
      trace: { sent: sent.length },
    };
  }

  #hooks(): LoopHooks {
    const hooks = { ...asItIs, ...this.#setup.hooks };
    const noted = (name: string, id: string) => this.hooked.push(`${name} ${id}`);
    return {
      ...this.#setup.hooks,
      beforeCreateMessage: (message) => {
        noted("before_create_message", message.tool_call_id ?? message.role);
        return hooks.beforeCreateMessage(message);
      },
      afterCreateMessage: (message) => {
        noted("after_create_message", message.tool_call_id ?? message.role);
        return hooks.afterCreateMessage(message);
      },
      afterToolCall: (call, answer) => {
        noted(`after_tool_call_${answer.status}`, call.id);
        return hooks.afterToolCall(call, answer);
      },
      beforeStoreToolResult: (call, answer) => {
        noted("before_store_tool_result", call.id);
        return hooks.beforeStoreToolResult(call, answer);
      },
    };
  }

  #tellEnd({ end }: Extract<Halt, { type: "end" }>): void {
    const { status, reason, outcome = null, error = null } = end;
    const { usage, cost } = this.run;
    const message_ids = this.journal.messages.map(({ id }) => id);
    Object.assign(this.run, { status, reason, outcome, error, message_ids });
    const run_id = this.run.id;
    const emitted = { type: "run_end", run_id, status, reason, outcome, usage, cost, message_ids, error } as const;
    this.sink.send(this.sink.number(emitted));
  }
}

const begun = { agent_id: "support", kind: "message", trigger: "user", parent_run_id: null } as const;

function said(text: string): ModelMessage {
  return { id: null, role: "user", parts: [{ type: "text", text }], name: null, tool_call_id: null, result: null };
}

/** A stored message in the form in which it is sent. */
function modelMessage(record: MessageRecord): ModelMessage {
  const { id, role, parts, name, tool_call_id, result } = record;
  return { id, role: role === "extension" ? "system" : role, parts, name, tool_call_id, result };
}
