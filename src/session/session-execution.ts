// One execution of a session: runs the loop in this process and translates the run's events to those of the rework plan.

import type { PlainEvent } from "#contract/event.ts";
import type { AgentEvent } from "#contract/session/agent-event.ts";
import { AgentEvents } from "#contract/session/execution-events.ts";
import type { ExecuteResult } from "#contract/session/execution-events.ts";
import { noBounds } from "#core/limits/amounts.ts";
import type { RunPorts } from "#core/ports/run-ports.ts";
import type { StepPort } from "#core/ports/step-port.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { wholeMessage } from "#core/record/whole-message.ts";
import { executeRun } from "#host/execute-run.ts";
import { fixedSteps } from "#host/fixed-steps.ts";
import { HostLimits } from "#host/host-limits.ts";
import { hostPorts } from "#host/host-ports.ts";
import { createModelPort } from "#models/create-model-port.ts";
import { loadedHint } from "#models/load-model-port.ts";
import { completeModel } from "#models/model-facts.ts";
import { cataloguePlace } from "#models/provider-settings.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import type { Conversation, OpenRun } from "./conversation.ts";
import { environmentOf } from "./session-options.ts";
import type { CheckedOptions } from "./session-options.ts";
import { waitingCalls } from "./waiting-calls.ts";

/** Without a limit of steps, an execution may take as many as a run of a thread (decision 8: step limits). */
const defaultBounds = { ...noBounds, steps: 250 };

/** The execution of an open run. */
export class Execution {
  readonly events = new EventBuffer();
  readonly #conversation: Conversation;
  readonly #translation: AgentEvents;
  readonly #signal: AbortSignal;
  readonly #ports: RunPorts;

  constructor(conversation: Conversation, open: OpenRun, options: CheckedOptions) {
    this.#conversation = conversation;
    this.#signal = options.signal ?? new AbortController().signal;
    this.#translation = new AgentEvents({
      sessionId: conversation.id,
      runId: open.run.id,
      providers: new Map([...options.models.values()].map(({ name, provider }) => [name, provider])),
      isRemote: (name) => conversation.isRemote(name),
    });
    this.#ports = portsOf(conversation, open, { options, onEvent: (event) => this.#take(event) });
  }

  /** `input` is the message that the execution begins with, or null if it continues a run. Contract: never rejects. */
  async run(input: MessageRecord | null): Promise<ExecuteResult> {
    const { sink, journal } = this.#ports;
    this.#emit(this.#translation.begin());
    if (input !== null) for (const draft of wholeMessage(input)) sink.send(sink.number(draft));
    const limits = new HostLimits(this.#ports, defaultBounds);
    const halt = await executeRun(this.#ports, { limits, signal: this.#signal });
    if (halt.type === "suspend") this.#emit(this.#translation.rest(waitingCalls(journal.messages)));
    return this.#translation.result ?? { status: "error", messages: [], cost: 0 };
  }

  #take(event: PlainEvent): void {
    this.#emit(this.#translation.take(event));
  }

  /** The session has its new state before a reader receives the last event. */
  #emit(events: AgentEvent[]): void {
    if (events.length === 0) return;
    const { result } = this.#translation;
    if (result === null) {
      for (const event of events) if (event.type === "message_end") this.#conversation.addMessage(event.message);
    } else this.#conversation.end(result);
    this.events.push(events);
    if (result !== null) this.events.close();
  }
}

function portsOf(
  { id, systemPrompt, tools, ids, earlier }: Conversation,
  { run, journal }: OpenRun,
  { options, onEvent }: { options: CheckedOptions; onEvent: (event: PlainEvent) => void },
): RunPorts {
  const { model, models, temperature, maxTokens, reasoning, fetch } = options;
  const fallbacks = (model.fallbacks ?? []).flatMap((name) => models.get(name) ?? []);
  const env = environmentOf(options);
  const stepsWith = (completed: Models): StepPort =>
    fixedSteps(
      {
        system: systemPrompt,
        models: completed,
        tools,
        // The plan's message events have no id, so the events of one call have to follow those of another.
        toolMode: "sequential",
        temperature,
        maxTokens,
        reasoning,
      },
      { earlier: [...earlier], own: () => journal.messages },
    );
  const given: Models = [model, ...fallbacks];
  let steps: StepPort | undefined;
  const completedSteps: StepPort = {
    plan: async (...call) => (steps ??= stepsWith(await completeModels(given, env))).plan(...call),
    tools: (names) => (steps ?? stepsWith(given)).tools(names),
  };
  const modelPort = createModelPort({
    env,
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    reusesConnections: true,
    generalHint: loadedHint,
  });
  return hostPorts({ run, journal, steps: completedSteps, conversationId: id, onEvent, models: modelPort, ids });
}

/** A model and its fallbacks. */
type Models = [AnyModelDefinition, ...AnyModelDefinition[]];

/** The models with the limits and prices of the catalogue, which is loaded if it has the provider of one of them. */
async function completeModels([model, ...fallbacks]: Models, env: Record<string, unknown>): Promise<Models> {
  if ([model, ...fallbacks].every((one) => cataloguePlace(one, env) === null)) return [model, ...fallbacks];
  const { catalogueOf } = await import("#models/load-catalogue.ts");
  const catalogue = await catalogueOf([model, ...fallbacks], env);
  const complete = (one: AnyModelDefinition) => completeModel(one, env, catalogue);
  return [complete(model), ...fallbacks.map(complete)];
}

/**
 * The events of one execution, stored for any number of readers. Each reader receives all events from the first one on, whenever it begins.
 * No reader delays the execution.
 */
class EventBuffer implements AsyncIterable<AgentEvent> {
  readonly #events: AgentEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #closed = false;

  push(events: readonly AgentEvent[]): void {
    this.#events.push(...events);
    this.#wake();
  }

  /** Ends the events. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    for (let at = 0; ; at += 1) {
      while (at >= this.#events.length) {
        if (this.#closed) return;
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
      const event = this.#events[at];
      if (event !== undefined) yield event;
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
