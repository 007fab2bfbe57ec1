// Reads the plays of `plays/` and runs those of the kinds `loop` and `agent` (their notation: plays/README.md).

import { readFileSync } from "node:fs";
import { inspect } from "node:util";

import {
  BasicAgent,
  agentLoop,
  agentLoopContinue,
  CancellationToken,
  channel,
  createTool,
  ToolError,
} from "#facade/phi/index.ts";
import type {
  AgentContext,
  AgentEvent,
  AgentLoopConfig,
  AgentMessage,
  AgentTool,
  Content,
  InputFilter,
} from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import type { MockResponse } from "#facade/phi/provider/mock-provider.ts";
import { ModelConfig } from "#facade/phi/provider/model-config.ts";
import { ProviderError } from "#facade/phi/provider/provider-error.ts";

/* oxlint-disable typescript/no-explicit-any -- the notation of plays has no types; a wrong member makes the play fail */
type Any = any;

/** An entry of a file of plays. */
export interface PlayEntry {
  id: string;
  source: string;
  kind: string;
  requirements: string[];
  leftOut?: string;
  given: Any;
  expect: Any;
}

const kinds: Record<string, (text: string, retry: number | null) => ProviderError> = {
  Api: (text) => ProviderError.api(text),
  Network: (text) => ProviderError.network(text),
  Auth: (text) => ProviderError.auth(text),
  RateLimited: (_text, retry) => ProviderError.rateLimited(retry),
  ContextOverflow: (text) => ProviderError.contextOverflow(text),
  Cancelled: () => ProviderError.cancelled(),
  Other: (text) => ProviderError.other(text),
};

/** The plays of a file that are not left out. */
export function entriesOf(file: string): PlayEntry[] {
  return allEntriesOf(file).filter(({ leftOut }) => leftOut === undefined);
}

/** All entries of a file. */
export function allEntriesOf(file: string): PlayEntry[] {
  return JSON.parse(readFileSync(new URL(`../plays/${file}.json`, import.meta.url), "utf8")) as PlayEntry[];
}

/** The scripted answer of the notation. */
export function answerOf(answer: Any): MockResponse {
  if (answer.toolCalls !== undefined) {
    const { toolCalls: tool_calls, text, usage } = answer;
    return { tool_calls, usage, ...(text === undefined ? {} : { text }) } as MockResponse;
  }
  if (answer.error === undefined) return answer as MockResponse;
  const { kind, message = "failed", retry_after_ms = null } = answer.error;
  return { error: kinds[kind]?.(message, retry_after_ms) ?? ProviderError.other(message) };
}

/** A text of the notation: `{x*200}` is 200 times the letter x. */
export function written(text: string): string {
  return text.replaceAll(/\{(.)\*(\d+)\}/g, (_all, letter: string, count: string) => letter.repeat(Number(count)));
}

/** A message of the notation. */
function messageOf(given: Any, at = 0): AgentMessage {
  if (typeof given === "string") return messageOf({ role: "user", text: given });
  const { role } = given;
  if (role === "extension") return { role, kind: given.kind, data: given.data ?? null };
  const texts: string[] = given.texts ?? (given.text === undefined ? [] : [given.text]);
  if (given.lines !== undefined) {
    const { prefix, count } = given.lines;
    texts.push(Array.from({ length: count }, (_none, line) => `${prefix}${line + 1}`).join("\n"));
  }
  const content: Content[] =
    given.content ?? texts.map((text) => ({ type: "text", text: written(text).replaceAll("{i}", String(at)) }));
  const calls: Content[] = (given.toolCalls ?? []).map((call: Any, index: number) => ({
    type: "toolCall",
    id: call.id ?? `call-${at}-${index}`,
    name: call.name,
    arguments: call.arguments ?? {},
  }));
  const timestamp = given.timestamp ?? 1;
  if (role === "user") return { role, content, timestamp };
  if (role === "toolResult") {
    const { tool_call_id = `call-${at}-0`, tool_name = "", is_error = false } = given;
    return { role, tool_call_id, tool_name, content, is_error, timestamp };
  }
  const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, total_tokens: 0, ...given.usage };
  return {
    role,
    content: [...content, ...calls],
    stop_reason: given.stop_reason ?? (calls.length > 0 ? "toolUse" : "stop"),
    model: "mock",
    provider: "mock",
    usage,
    timestamp,
    ...(given.error_message === undefined ? {} : { error_message: given.error_message }),
  };
}

/** The messages of the notation; `repeat` makes several of one. */
export function messagesOf(given: Any[] = []): AgentMessage[] {
  return given.flatMap((one) => {
    const count = typeof one === "string" ? 1 : (one.repeat ?? 1);
    return Array.from({ length: count }, (_none, at) => messageOf(one, at));
  });
}

const hookNames: Record<string, keyof AgentLoopConfig> = {
  before_loop: "beforeLoop",
  after_loop: "afterLoop",
  before_turn: "beforeTurn",
  after_turn: "afterTurn",
  on_error: "onError",
  before_tool_execution: "beforeToolExecution",
  after_tool_execution: "afterToolExecution",
  before_tool_execution_update: "beforeToolExecutionUpdate",
  after_tool_execution_update: "afterToolExecutionUpdate",
};

/** Runs a play. */
export class PlayRun {
  events: AgentEvent[] = [];
  allEvents: AgentEvent[] = [];
  messages: AgentMessage[] = [];
  context: AgentContext | null = null;
  before: AgentMessage[] = [];
  agent: BasicAgent | null = null;
  providers: MockProvider[] = [];
  hooks: string[] = [];
  hookArguments: Record<string, Any[]> = {};
  trace: string[] = [];
  filterTexts: string[][] = [];
  toolArguments: Record<string, Any[]> = {};
  updates: Record<string, string[]> = {};
  progress: Record<string, string[]> = {};
  maxRunning = 0;
  compactions = 0;
  thrown: Error | null = null;
  returned: unknown[] = [];
  sessionIds: string[] = [];
  loopIds: string[] = [];
  saved: string | null = null;
  readBeforeEnd = false;
  #running = 0;

  /** Receives the events of one call. */
  #sender(): { send: (event: AgentEvent) => void } {
    this.events = [];
    return {
      send: (event) => {
        this.events.push(event);
        this.allEvents.push(event);
        const name = eventName(event);
        if (name !== null && !(name.startsWith("MessageUpdate") && this.trace.at(-1) === name)) this.trace.push(name);
        if (event.type === "AgentStart") this.loopIds.push(event.loop_id);
      },
    };
  }

  #tools(given: Any[] = []): AgentTool[] {
    return given.map(({ name, behaviour, updates = [], progress = [] }) =>
      createTool({
        name,
        description: name,
        parameters: { type: "object", properties: {} },
        execute: async (params, { on_update, on_progress }) => {
          (this.toolArguments[name] ??= []).push(params);
          this.#running += 1;
          this.maxRunning = Math.max(this.maxRunning, this.#running);
          try {
            for (const text of updates) on_update({ content: [{ type: "text", text }], details: null });
            for (const text of progress) on_progress(text);
            const [kind, text = ""] = behaviour.split(/:(.*)/s);
            // Every call that runs at the same time has begun when the first one ends.
            for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
            if (kind === "fails") throw ToolError.failed(text);
            return kind === "echo" ? JSON.stringify(params["text"]).slice(1, -1) : text;
          } finally {
            this.#running -= 1;
          }
        },
      }),
    );
  }

  #hooks(given: Any[] = []): Partial<AgentLoopConfig> {
    const made: Record<string, unknown> = {};
    for (const { hook, returns = [true] } of given) {
      const results: Any[] = [...(Array.isArray(returns) ? returns : [returns])];
      made[hookNames[hook] ?? hook] = (...args: Any[]) => {
        const shown =
          hook === "before_loop" || hook === "before_turn"
            ? `${hook} ${args[1]}`
            : hook.includes("tool")
              ? `${hook} ${args[0]}`
              : hook;
        this.hooks.push(shown);
        this.trace.push(`hook ${shown}`);
        (this.hookArguments[hook] ??= []).push(argumentsOf(hook, args));
        const result = results.length > 1 ? results.shift() : results[0];
        return /^(?:before)/.test(hook) ? result : undefined;
      };
    }
    return made as Partial<AgentLoopConfig>;
  }

  #filters(given: Any[] = []): InputFilter[] {
    return given.map((one, at) => {
      const texts: string[] = (this.filterTexts[at] = []);
      return {
        filter: (text) => {
          texts.push(text);
          if (one.when !== undefined && !text.includes(one.when)) return "Pass";
          if (one.reject !== undefined) return { Reject: one.reject };
          return one.warn === undefined ? "Pass" : { Warn: one.warn };
        },
      };
    });
  }

  #queue(given: Any[] = []): () => AgentMessage[] {
    const waiting = [...given];
    return () => waiting.splice(0).map(({ text }) => messageOf(text));
  }

  async loop({ given }: PlayEntry): Promise<void> {
    const provider = new MockProvider(given.answers.map(answerOf));
    this.providers.push(provider);
    const { messages: earlier, ...ids } = given.context ?? {};
    const context: AgentContext = {
      system_prompt: "",
      tools: this.#tools(given.tools),
      ...withoutNulls(ids),
      messages: messagesOf(earlier),
    };
    this.context = context;
    const { strategy, applyToContext } = { strategy: given.compactionStrategy, applyToContext: given.applyToContext };
    const { contextConfig, ...config } = given.config ?? {};
    const options: AgentLoopConfig = {
      modelConfig: ModelConfig.anthropic("mock", "mock", "key"),
      providerOverride: provider,
      ...config,
      ...this.#hooks(given.hooks),
      inputFilters: this.#filters(given.filters),
      getSteeringMessages: this.#queue(given.steering),
      getFollowUpMessages: this.#queue(given.followUps),
      ...(contextConfig === undefined
        ? {}
        : {
            contextConfig: { ...contextConfig, ...(applyToContext === true ? { compaction: { applyToContext } } : {}) },
          }),
      ...(strategy === undefined
        ? {}
        : {
            compactionStrategy: {
              compact: (list: AgentMessage[]) => {
                this.compactions += 1;
                return [messageOf("[compacted]"), ...list.slice(-1)];
              },
            },
          }),
    };
    const cancel = new CancellationToken();
    for (const name of given.calls) {
      if (name === "abort") {
        cancel.cancel();
        continue;
      }
      this.before = [...context.messages];
      const tx = this.#sender();
      try {
        this.messages = await (name === "agentLoop"
          ? agentLoop(messagesOf(given.prompts), context, options, tx, cancel)
          : agentLoopContinue(context, options, tx, cancel));
      } catch (error) {
        this.thrown = error as Error;
      }
    }
  }

  #agent(given: Any): BasicAgent {
    const provider = new MockProvider((given.answers ?? []).map(answerOf));
    this.providers.push(provider);
    const model = given.model_config ?? { id: "mock", name: "mock", api_key: "key" };
    const agent = new BasicAgent(ModelConfig.anthropic(model.id, model.name, model.api_key ?? "key"));
    agent.withProviderOverride(provider).withCallbacks(this.#hooks(given.hooks) as never);
    for (const [name, value] of Object.entries<Any>(given.builders ?? {})) {
      if (name === "withMessages") agent.restoreMessages(JSON.stringify(messagesOf(value)));
      else if (name === "withConvertToLlm")
        agent.withConvertToLlm((list) => list.filter((one) => one.role !== "extension") as never);
      else if (name === "withTransformContext") agent.withTransformContext((list) => list);
      else (agent as Any)[name](value);
    }
    if (given.tools !== undefined) agent.withTools(this.#tools(given.tools));
    return agent;
  }

  async agentPlay({ given }: PlayEntry): Promise<void> {
    let agent = this.#agent(given);
    for (const call of given.calls) {
      const tx = ["prompt", "promptWithSender", "promptMessagesWithSender", "continueLoopWithSender"].includes(call.do)
        ? this.#sender()
        : { send: () => undefined };
      if (call.do === "prompt" || call.do === "promptWithSender") {
        const { tx: own, rx } = channel();
        let ended = false;
        const reading = (async () => {
          for await (const event of rx) {
            tx.send(event);
            this.readBeforeEnd ||= !ended;
          }
        })();
        await agent.promptWithSender(call.text, own);
        ended = true;
        own.close();
        await reading;
      } else if (call.do === "promptMessagesWithSender")
        await agent.promptMessagesWithSender(messagesOf(call.messages), tx);
      else if (call.do === "continueLoopWithSender") await agent.continueLoopWithSender(tx, call.kind);
      else if (call.do === "steer") agent.steer(messageOf(call.text));
      else if (call.do === "followUp") agent.followUp(messageOf(call.text));
      else if (call.do === "reset") agent.reset();
      else if (call.do === "save") this.saved = agent.saveMessages();
      else if (call.do === "restore") agent.restoreMessages(this.saved ?? "");
      else if (call.do === "newAgent") agent = this.#agent({ ...given, ...call });
      else if (call.do === "setModelConfig")
        agent.modelConfig = ModelConfig.anthropic(call.model_config.id, call.model_config.name, "key");
      else if (call.do === "newSession") this.returned.push(agent.newSession());
      else if (call.do === "checkAndRotate") this.returned.push(agent.checkAndRotate(call.ms, this.#clock(agent)));
      else if (call.do === "wait") this.#waited += call.ms;
      else throw new Error(`The play has an unknown call ${String(call.do)}.`);
      this.sessionIds.push(agent.sessionId);
    }
    this.agent = agent;
    this.messages = agent.messages;
  }

  #waited = 0;

  /** The time of a check: the time of the last prompt, and what the play waited. */
  #clock(agent: BasicAgent): Date {
    return new Date((agent.lastActiveAt ?? new Date()).getTime() + this.#waited);
  }

  /** Every printed form of the agent. */
  printed(): string {
    return [JSON.stringify(this.agent), inspect(this.agent, { depth: 9, showHidden: true })].join("\n");
  }
}

function withoutNulls(ids: Record<string, Any>): Record<string, Any> {
  return Object.fromEntries(Object.entries(ids).filter(([, value]) => value !== null));
}

function argumentsOf(hook: string, args: Any[]): Any {
  if (hook === "on_error") return { text: args[0] };
  if (hook === "after_tool_execution") return { is_error: args[2] };
  if (hook === "before_tool_execution") return { args: args[2] };
  if (hook.endsWith("_update")) return { text: args[2] };
  return { messages: args[0].length };
}

/** An event in the notation of plays; null for a piece of the arguments of a call. */
export function eventName(event: AgentEvent): string | null {
  switch (event.type) {
    case "MessageStart":
    case "MessageEnd":
      return `${event.type} ${event.message.role}`;
    case "MessageUpdate": {
      const [kind] = Object.keys(event.delta);
      return kind === "ToolCallDelta" ? null : `MessageUpdate ${String(kind)}`;
    }
    case "ToolExecutionEnd":
      return `${event.type} ${event.tool_name}${event.is_error ? " error" : ""}`;
    case "ToolExecutionStart":
    case "ToolExecutionUpdate":
    case "ProgressMessage":
      return `${event.type} ${event.tool_name}`;
    default:
      return event.type;
  }
}
