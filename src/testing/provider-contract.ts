// The contract of providers as a suite, for the providers that a project defines. Each case plays one exchange through the model port of a
// Worker, and throws an error that says which rule is broken. The cases need no test runner and no network.

import type { ModelPart, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import { deferred } from "#lib/deferred.ts";
import { withinTime, TimeLimitError } from "#lib/time-limit.ts";
import { platformTimers } from "#lib/timers.ts";
import { loadModelPort } from "#models/load-model-port.ts";
import { withOwnProvider } from "#models/own-providers.ts";
import type { AnyModelDefinition, ProviderDefinition, ProviderPart } from "#spec/index.ts";

import { contractRules, requestTexts, requestTokens } from "./provider-rules.ts";
import type { Exchange, ProviderFeature, ProviderScenario } from "./provider-rules.ts";
import { scriptedServer, type ProviderServer } from "./provider-server.ts";

/** Options of `providerContract`. */
export interface ProviderContractOptions {
  /**
   * The provider. For a provider that sends no requests: a function that returns a provider which answers the scenario.
   */
  provider: ProviderDefinition | ((scenario: ProviderScenario) => ProviderDefinition);
  /**
   * Returns what the provider's server sends for the parts of an answer, in its own form. An answer that breaks off has no part `finish`. Leave it
   * out for a provider that sends no requests.
   */
  respond?: (parts: readonly ProviderPart[], request: Request) => string | Promise<string>;
  /** The headers of the server's answers. Default: the type of a stream of events. */
  headers?: Record<string, string>;
  /** The id of the model that is requested. Default `contract-model`. */
  model?: string;
  /** The values of the provider's variables. Default: a text for each of them. */
  env?: Record<string, unknown>;
  /** What the provider does not have. The cases about it are left out. */
  without?: readonly ProviderFeature[];
  /** Milliseconds after which a case fails. Default 5,000. */
  timeoutMs?: number;
}

/** One case of the contract. */
export interface ContractCase {
  /** The rule, as a sentence. */
  name: string;
  /** Rejects if the provider breaks the rule. */
  run: () => Promise<void>;
}

/**
 * Returns the cases of the contract for a provider:
 *
 * ```ts
 * for (const { name, run } of providerContract({ provider, respond })) it(name, run);
 * ```
 */
export function providerContract(options: ProviderContractOptions): ContractCase[] {
  const { without = [], respond, timeoutMs = 5_000 } = options;
  return contractRules
    .filter(({ feature, needsServer }) => {
      const isLeftOut = feature !== undefined && without.includes(feature);
      return !isLeftOut && (respond !== undefined || needsServer !== true);
    })
    .map(({ name, scenario, check }) => ({
      name,
      run: async () => {
        const limits = { timers: platformTimers, milliseconds: timeoutMs };
        const problem = await withinTime(
          playScenario(scenario, options).then((exchange) => sentWith(exchange, options) ?? check(exchange)),
          limits,
        ).catch((thrown: unknown) => {
          if (!(thrown instanceof TimeLimitError)) throw thrown;
          return scenario.end === "open"
            ? `the provider did not end within ${timeoutMs} ms after its signal was aborted`
            : `the answer did not end within ${timeoutMs} ms`;
        });
        if (problem !== null) throw new Error(`The provider breaks the rule "${name}": ${problem}.`);
      },
    }));
}

/** The problem of a provider that has a server and sends it nothing. */
function sentWith({ requests }: Exchange, { respond }: ProviderContractOptions): string | null {
  if (respond === undefined || requests.length > 0) return null;
  return "it sent no request by the fetch of its context";
}

/** Plays one exchange. In a scenario with an open answer it aborts the request after the first text, and waits for the end of the provider. */
async function playScenario(scenario: ProviderScenario, options: ProviderContractOptions): Promise<Exchange> {
  const { provider, model = "contract-model", respond, headers } = options;
  const definition = typeof provider === "function" ? provider(scenario) : provider;
  const ended = deferred<void>();
  const server: ProviderServer | null = respond === undefined ? null : scriptedServer(scenario, { respond, headers });
  const port = loadModelPort({
    env: options.env ?? Object.fromEntries((definition.variables ?? []).map((name) => [name, `contract-${name}`])),
    fetch: server?.fetch ?? (() => Promise.reject(new Error("The contract has no server: give `respond`."))),
  });
  const named = { name: "contract", provider: definition.name as AnyModelDefinition["provider"], model };
  const whole = await withOwnProvider(named, watchedProvider(definition, ended.resolve), "the tested provider");
  const staysOpen = scenario.end === "open";
  const parts = await readParts(port, requestOf(whole), staysOpen);
  if (staysOpen && definition.model === undefined) await ended.promise;
  return { parts, requests: server?.requests ?? [] };
}

/** Reads an answer. One that stays open is aborted after its first text. */
async function readParts(port: ModelPort, request: ModelRequest, staysOpen: boolean): Promise<ModelPart[]> {
  const control = new AbortController();
  const parts: ModelPart[] = [];
  for await (const part of port.stream(request, control.signal)) {
    parts.push(part);
    // In a later turn of the event loop, when the provider waits for what follows.
    if (staysOpen && part.type === "text_delta") platformTimers.after(0, () => control.abort());
  }
  return parts;
}

/** The provider, which reports the end of its function. */
function watchedProvider(definition: ProviderDefinition, onEnd: () => void): ProviderDefinition {
  if (definition.stream === undefined) return definition;
  const { stream } = definition;
  return {
    ...definition,
    stream: (request, context) => {
      const inner = stream(request, context);
      // The port reports a value that is no generator.
      return Symbol.asyncIterator in Object(inner) ? untilEnd(inner, onEnd) : inner;
    },
  };
}

async function* untilEnd(parts: AsyncIterable<ProviderPart>, onEnd: () => void): AsyncGenerator<ProviderPart> {
  try {
    yield* parts;
  } finally {
    onEnd();
  }
}

function requestOf(model: AnyModelDefinition): ModelRequest {
  const message = { id: null, name: null, tool_call_id: null, result: null };
  const call = {
    type: "tool_call" as const,
    id: "call_contract_1",
    name: requestTexts.tool,
    arguments: { city: "Oslo" },
  };
  return {
    model,
    system: requestTexts.system,
    messages: [
      { ...message, role: "user", parts: [{ type: "text", text: requestTexts.user }] },
      { ...message, role: "assistant", parts: [call] },
      {
        ...message,
        role: "tool",
        parts: [],
        name: call.name,
        tool_call_id: call.id,
        result: { status: "success", result: requestTexts.result },
      },
    ],
    tools: [
      {
        name: requestTexts.tool,
        description: "Returns the weather in a city.",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    ],
    toolChoice: "auto",
    parallelToolCalls: true,
    reasoning: null,
    temperature: null,
    maxTokens: requestTokens,
  };
}
