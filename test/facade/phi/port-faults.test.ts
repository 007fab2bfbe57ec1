// A fault at each function of a program that a loop calls: it throws, rejects, returns a wrong value, or never ends until the loop is
// cancelled. The loop always ends, its events are well-formed, each call has one result, and the error is data or a typed error.

import { afterAll, beforeAll, expect, it } from "vitest";

import {
  agentLoop,
  BasicAgent,
  CancellationToken,
  createTool,
  ModelConfig,
  textResult,
  userMessage,
} from "#facade/phi/index.ts";
import type { AgentContext, AgentEvent, AgentLoopConfig, AgentMessage } from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import { ProviderRegistry } from "#facade/phi/provider/provider-registry.ts";
import type { StreamProvider } from "#facade/phi/provider/stream-provider.ts";

import { problemsOf } from "./support/event-grammar.ts";

type Fault = () => unknown;

const message = "fault-xyz";

/** What a port does in place of its work. `cancel` cancels the loop. */
const faults: Record<string, (cancel: () => void) => Fault> = {
  throws: () => () => {
    throw new Error(message);
  },
  rejects: () => () => Promise.reject(new Error(message)),
  "returns a wrong value": () => () => 12n,
  "never ends": (cancel) => () => {
    setImmediate(cancel);
    return new Promise(() => undefined);
  },
};

interface Setting {
  config: Partial<AgentLoopConfig>;
  execute: () => unknown;
  send: (event: AgentEvent) => void;
  provider: StreamProvider;
}

/** A provider that does its work, and `fault` at one place. */
function faulty(at: "begin" | "middle" | "end", fault: Fault): StreamProvider {
  const inner = new MockProvider([{ text: "Hi.", tool_calls: [{ name: "work", arguments: {} }] }, "Done."]);
  return {
    providerId: () => "mock",
    async stream(config, tx, cancel) {
      if (at === "begin") return (await fault()) as never;
      const sender = {
        send(event: Parameters<typeof tx.send>[0]) {
          if (at === "middle" && event.type === "TextDelta") tx.send(fault() as never);
          else tx.send(event);
        },
      };
      const answer = await inner.stream(config, sender, cancel);
      return at === "end" ? ((await fault()) as never) : answer;
    },
  };
}

/** A registry whose provider for the protocol of the loop is `provider`. */
function registered(provider: StreamProvider): ProviderRegistry {
  return new ProviderRegistry().register("anthropic_messages", provider);
}

/** Each function of a program, and the setting in which it has a fault. */
const ports: Record<string, (fault: Fault) => Partial<Setting>> = {
  "the beginning of an answer": (fault) => ({ provider: faulty("begin", fault) }),
  "the middle of an answer": (fault) => ({ provider: faulty("middle", fault) }),
  "the end of an answer": (fault) => ({ provider: faulty("end", fault) }),
  "the beginning of an answer in a registry": (fault) => ({ provider: registered(faulty("begin", fault)) }),
  "the middle of an answer in a registry": (fault) => ({ provider: registered(faulty("middle", fault)) }),
  "the end of an answer in a registry": (fault) => ({ provider: registered(faulty("end", fault)) }),
  "providerId in a registry": (fault) => ({
    provider: registered({ ...faulty("begin", fault), providerId: fault as never }),
  }),
  providerId: (fault) => ({ provider: { ...faulty("begin", fault), providerId: fault as never } }),
  "a tool": (fault) => ({ execute: fault }),
  "the sender of events": (fault) => ({ send: fault as never }),
  "an input filter": (fault) => ({ config: { inputFilters: [{ filter: fault as never }] } }),
  compactionStrategy: (fault) => ({ config: { contextConfig: {}, compactionStrategy: { compact: fault as never } } }),
  token_counter: (fault) => ({ config: { contextConfig: { token_counter: { count: fault as never } } } }),
  ...Object.fromEntries(
    (
      [
        "beforeLoop",
        "afterLoop",
        "beforeTurn",
        "afterTurn",
        "beforeToolExecution",
        "afterToolExecution",
        "beforeToolExecutionUpdate",
        "afterToolExecutionUpdate",
        "transformContext",
        "convertToLlm",
        "getSteeringMessages",
        "getFollowUpMessages",
      ] as const
    ).map((name) => [name, (fault: Fault) => ({ config: { [name]: fault } })]),
  ),
  onError: (fault) => ({ config: { onError: fault as never }, provider: new MockProvider([{ stop_reason: "error" }]) }),
};

const unhandled: unknown[] = [];
const take = (reason: unknown): number => unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", take));
afterAll(() => void process.off("unhandledRejection", take));

const cases = Object.keys(ports).flatMap((port) => Object.keys(faults).map((fault): [string, string] => [port, fault]));

it.each(cases)(
  "A loop ends with well-formed events and one result for each call, also if %s %s",
  async (port, kind) => {
    unhandled.length = 0;
    const cancel = new CancellationToken();
    let faulted = 0;
    const act = faults[kind]?.(() => cancel.cancel());
    const setting = ports[port]?.(() => {
      faulted += 1;
      return act?.();
    });
    const events: AgentEvent[] = [];
    const context: AgentContext = {
      system_prompt: "",
      messages: [],
      tools: [
        createTool({
          name: "work",
          description: "",
          parameters: { type: "object" },
          execute(_params, { on_update }) {
            on_update(textResult("half"));
            return (setting?.execute?.() ?? "done") as string;
          },
        }),
      ],
    };
    const provider = new MockProvider([{ text: "Hi.", tool_calls: [{ name: "work", arguments: {} }] }, "Done."]);
    const config: AgentLoopConfig = {
      modelConfig: ModelConfig.anthropic("mock-model", "Mock", "key"),
      providerOverride: setting?.provider ?? provider,
      retryConfig: { max_retries: 0, initial_delay_ms: 0, backoff_multiplier: 1, max_delay_ms: 0 },
      ...setting?.config,
    };
    const send = (event: AgentEvent): void => {
      events.push(event);
      return setting?.send?.(event);
    };
    const ended = await agentLoop([userMessage("Go.")], context, config, { send }, cancel).then(
      (returned) => ({ returned }),
      (error: unknown) => ({ error }),
    );
    // Rejections that no code handles are reported in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    expect(faulted).toBeGreaterThan(0);
    expect(unhandled).toEqual([]);
    if ("error" in ended) {
      expect(ended.error).toBeInstanceOf(Error);
      // A loop whose sender fails cannot end its events.
      if (port !== "the sender of events" && events.length > 0) expect(problemsOf(events)).toEqual([]);
    } else {
      expect(problemsOf(events)).toEqual([]);
      expect(events.at(-1)).toMatchObject({ type: "AgentEnd", messages: ended.returned });
    }
    expect(unanswered(context.messages)).toEqual([]);
  },
);

it.each(["breaks out of its loop", "throws in its loop"])(
  "A reader of the events that %s does not stop the loop, and the remaining events can be read",
  async (how) => {
    const agent = new BasicAgent(ModelConfig.anthropic("mock-model", "Mock", "key")).withProviderOverride(
      new MockProvider([{ text: ["Hi", ", again."] }]),
    );
    const run = agent.prompt("Go.");
    const events: AgentEvent[] = [];
    const read = async (): Promise<void> => {
      for await (const event of run) {
        events.push(event);
        if (event.type !== "MessageUpdate") continue;
        if (how.startsWith("breaks")) break;
        throw new Error(message);
      }
    };
    const error = await read().catch((thrown: unknown) => thrown);
    expect(error).toEqual(how.startsWith("breaks") ? undefined : new Error(message));
    expect(events.at(-1)?.type).toBe("MessageUpdate");
    const returned = await run.done;
    for await (const event of run) events.push(event);
    expect(problemsOf(events)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: "AgentEnd", messages: returned });
    expect(agent.messages).toEqual(returned);
    expect(agent.isStreaming).toBe(false);
  },
);

/** The ids of calls that do not have exactly one result. */
function unanswered(messages: readonly AgentMessage[]): string[] {
  const results = messages.flatMap((each) => (each.role === "toolResult" ? each.tool_call_id : []));
  const calls = messages.flatMap((each) =>
    each.role === "assistant" ? each.content.flatMap((block) => (block.type === "toolCall" ? block.id : [])) : [],
  );
  return [...new Set([...calls, ...results])].filter(
    (id) => calls.filter((one) => one === id).length !== 1 || results.filter((one) => one === id).length !== 1,
  );
}
