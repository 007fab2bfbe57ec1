// Runs a loop with a scripted provider and collects what a program sees. Every play is checked against the grammar of events.

import { expect } from "vitest";

import { agentLoop, agentLoopContinue, channel, userMessage } from "#facade/phi/index.ts";
import type {
  AgentContext,
  AgentEvent,
  AgentLoopConfig,
  AgentMessage,
  AgentTool,
  CancellationToken,
} from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import type { MockResponse } from "#facade/phi/provider/mock-provider.ts";
import { ModelConfig } from "#facade/phi/provider/model-config.ts";

import { problemsOf } from "./event-grammar.ts";

/** The parts of a play. Everything but the answers has a default. */
export interface Play {
  answers: MockResponse[];
  prompts?: AgentMessage[];
  tools?: AgentTool[];
  context?: Partial<AgentContext>;
  config?: Partial<AgentLoopConfig>;
  cancel?: CancellationToken | AbortSignal;
  /** Continues the context, without prompts. */
  isContinued?: boolean;
  /** Called with each event before the loop goes on. */
  onEvent?: (event: AgentEvent) => void;
}

/** What a program sees of a play. */
export interface Played {
  events: AgentEvent[];
  /** The types of the events, messages with their role. */
  order: string[];
  returned: AgentMessage[];
  context: AgentContext;
  provider: MockProvider;
}

const noRetry = { max_retries: 0, initial_delay_ms: 0, backoff_multiplier: 1, max_delay_ms: 0 };

/** Plays a loop to its end. */
export async function play({ answers, prompts, tools = [], config, cancel, onEvent, ...given }: Play): Promise<Played> {
  const provider = new MockProvider(answers);
  const context: AgentContext = { system_prompt: "", messages: [], tools, ...given.context };
  const { tx, rx } = channel();
  const events: AgentEvent[] = [];
  const sender = {
    send(event: AgentEvent) {
      tx.send(event);
      onEvent?.(event);
    },
  };
  const options: AgentLoopConfig = {
    modelConfig: ModelConfig.anthropic("mock-model", "Mock", "key"),
    providerOverride: provider,
    retryConfig: noRetry,
    ...config,
  };
  const returned = await (given.isContinued === true
    ? agentLoopContinue(context, options, sender, cancel)
    : agentLoop(prompts ?? [userMessage("Hello.")], context, options, sender, cancel));
  for (let event = rx.tryRecv(); event !== null; event = rx.tryRecv()) events.push(event);
  expect(problemsOf(events)).toEqual([]);
  // The events and the messages are plain data.
  expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  return { events, order: events.map(nameOf), returned, context, provider };
}

/** The type of an event; for a message also its role. */
export function nameOf(event: AgentEvent): string {
  return "message" in event && event.type !== "TurnEnd" ? `${event.type} ${event.message.role}` : event.type;
}

/** The messages as short texts: role, stop reason or error, and text. */
export function textsOf(messages: readonly AgentMessage[]): string[] {
  return messages.map((message) => {
    if (message.role === "extension") return `extension ${message.kind}`;
    const text = message.content.map((block) => (block.type === "text" ? block.text : `<${block.type}>`)).join("|");
    const mark =
      message.role === "assistant"
        ? ` ${message.stop_reason}`
        : message.role === "toolResult" && message.is_error
          ? " error"
          : "";
    return `${message.role}${mark}: ${text}`;
  });
}
