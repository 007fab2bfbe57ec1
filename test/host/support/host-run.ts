// Runs in process over scripted models, and their records.

import { z } from "zod";

import type { PlainEvent } from "#contract/event.ts";
import type { Limits } from "#contract/run.ts";
import { noBounds } from "#core/limits/amounts.ts";
import type { Halt } from "#core/loop.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { textOf } from "#core/record/view.ts";
import { executeRun } from "#host/execute-run.ts";
import { fixedSteps } from "#host/fixed-steps.ts";
import { functionTool } from "#host/function-tool.ts";
import type { FunctionTool } from "#host/function-tool.ts";
import { HostLimits } from "#host/host-limits.ts";
import { HostJournal, hostPorts } from "#host/host-ports.ts";
import type { HostParts } from "#host/host-ports.ts";
import { hostMessage, hostRun } from "#host/host-records.ts";
import { OrderedUuids } from "#lib/ordered-uuid.ts";
import { createModelPort } from "#models/create-model-port.ts";
import { defineModel } from "#spec/index.ts";
import type { ModelDefinition, TestScript } from "#spec/index.ts";

import { ManualClock } from "../../core/support/manual-clock.ts";

/** A model that answers from a script, at 1 USD per million tokens in and 2 out. */
export function scripted(script: TestScript, name = "scripted", more: Partial<ModelDefinition> = {}) {
  return defineModel({
    name,
    provider: "test",
    model: "scripted",
    inputPrice: 1,
    outputPrice: 2,
    ...more,
    script,
  });
}

/** A tool that takes a text. Calls may take any time unless `timeoutMs` is given. */
export function tool(
  name: string,
  run: FunctionTool["run"],
  { clock, ...more }: Partial<FunctionTool> & { clock?: ManualClock } = {},
): ToolRunner {
  const schema = z.object({ text: z.string().optional() });
  const base = { name, description: `Does ${name}.`, schema, timeoutMs: Infinity, deadlineMs: 60_000 };
  return functionTool({ ...base, run, ...more }, clock);
}

/** The parts of a run. */
export interface RunOptions extends Pick<HostParts, "hooks" | "errorTexts"> {
  models: Parameters<typeof fixedSteps>[0]["models"];
  tools?: ToolRunner[];
  limits?: Limits;
  steps?: number;
  earlier?: MessageRecord[];
  clock?: ManualClock;
  system?: string;
}

/** One run that answers the user's message "Hello". A further execution continues where the run waited. */
export class TestRun {
  readonly events: PlainEvent[] = [];
  readonly journal: HostJournal;
  readonly run;
  readonly clock: ManualClock;
  readonly #abort = new AbortController();
  readonly #ports;
  readonly #bounds;

  constructor({
    models,
    tools = [],
    limits,
    steps,
    earlier = [],
    clock = new ManualClock(),
    system = "",
    ...given
  }: RunOptions) {
    this.clock = clock;
    this.#bounds = { ...noBounds, steps: steps ?? null };
    const ids = new OrderedUuids(() => clock.now() / 1000);
    const at = clock.now();
    this.run = hostRun({ id: ids.next(), agent: "tests", at, ...(limits === undefined ? {} : { limits }) });
    const hello = { id: ids.next(), role: "user" as const, parts: [{ type: "text" as const, text: "Hello" }] };
    this.journal = new HostJournal([hostMessage(hello, { at, run_id: this.run.id })]);
    const byName = new Map(tools.map((one) => [one.spec.name, one]));
    this.#ports = hostPorts({
      run: this.run,
      journal: this.journal,
      steps: fixedSteps(
        { system, models, tools: byName, toolMode: "parallel" },
        { earlier, own: () => this.journal.messages },
      ),
      conversationId: "conversation-1",
      onEvent: (event) => this.events.push(event),
      models: createModelPort({ env: {}, fetch: globalThis.fetch }),
      ids,
      clock,
      ...given,
    });
  }

  execute(): Promise<Halt> {
    return executeRun(this.#ports, { limits: new HostLimits(this.#ports, this.#bounds), signal: this.#abort.signal });
  }

  stop(): void {
    this.#abort.abort();
  }

  /** Types of the events. Consecutive events of one type are one entry. */
  get outline(): string[] {
    return this.events.flatMap(({ type }, at) => (this.events[at - 1]?.type === type ? [] : [type]));
  }

  /** Roles and texts of the messages; calls as `[name]`. */
  get transcript(): string[] {
    return this.journal.messages.map(({ role, parts, result }) => {
      const calls = parts.flatMap((part) => (part.type === "tool_call" ? [`[${part.name}]`] : []));
      const text = result?.error ?? result?.result ?? textOf(parts) ?? "";
      return `${role}: ${[text, ...calls].filter((each) => each !== "").join(" ")}`;
    });
  }
}
