// The rules of the contract of providers: a scenario for each of them, and what is wrong with an exchange.

import type { ModelFailureKind, ModelPart } from "#core/ports/model-port.ts";
import { parseJson } from "#lib/json-value.ts";
import type { ProviderPart } from "#spec/index.ts";

/** An exchange that a provider is tested with. */
export interface ProviderScenario {
  /** The parts of the answer, in order. */
  parts: readonly ProviderPart[];
  /** `cut`: the answer breaks off, without a part `finish`. `open`: nothing follows the parts, until the request is aborted. */
  end: "complete" | "cut" | "open";
  /**
   * The HTTP status of a refused request; null for an answer. A provider that sends no requests throws an error with this `statusCode`.
   */
  status: number | null;
}

/** What not every provider has. */
export type ProviderFeature = "thinking" | "tools" | "usage";

/** A request that the provider sent. */
export interface SentRequest {
  body: string;
  signal: AbortSignal | null;
}

/** The parts that were read, and the requests that were sent. */
export interface Exchange {
  parts: readonly ModelPart[];
  requests: readonly SentRequest[];
}

interface Rule {
  name: string;
  feature?: ProviderFeature;
  /** The rule is about requests to a server. */
  needsServer?: true;
  scenario: ProviderScenario;
  /** Returns what is wrong; null for nothing. */
  check: (exchange: Exchange) => string | null;
}

/** The texts that a request contains, so that a search in it finds each of them. */
export const requestTexts = {
  system: "contract-system-17",
  user: "contract-question-23",
  result: "contract-result-31",
  tool: "get_weather",
} as const;

/** The limit of the answer in a request. */
export const requestTokens = 4321;

const texts = ["Hello, ", "Grüße 👩‍🚀 ", "日本語 𝄞."];
const said: ProviderPart[] = texts.map((text) => ({ type: "text", text }));
const usage: ProviderPart = { type: "usage", input: 12, output: 8 };
const stop: ProviderPart = { type: "finish", reason: "stop" };
const call = (id: string, city: string): ProviderPart => ({
  type: "tool_call",
  id,
  name: requestTexts.tool,
  arguments: { city },
});
const calls: ProviderPart[] = [call("call_a1", "Zürich"), call("call_b2", "Oslo")];

const complete = (...parts: ProviderPart[]): ProviderScenario => ({ parts, end: "complete", status: null });
const refused = (status: number): ProviderScenario => ({ parts: [], end: "complete", status });

type End = Extract<ModelPart, { type: "finish" | "error" }>;

function endOf({ parts }: Exchange): End | undefined {
  const last = parts.at(-1);
  return last?.type === "finish" || last?.type === "error" ? last : undefined;
}

const textOf = ({ parts }: Exchange): string =>
  parts.map((part) => (part.type === "text_delta" ? part.delta : "")).join("");

/** What is wrong with the end of an answer that should be complete. */
function badEnd(exchange: Exchange, reason: string): string | null {
  const end = endOf(exchange);
  if (end?.type !== "finish") return `the answer failed: ${end?.failure.message ?? "it has no end"}`;
  return end.stop_reason === reason ? null : `the stop reason is ${end.stop_reason}, and not ${reason}`;
}

function badText(exchange: Exchange, expected: string): string | null {
  const found = textOf(exchange);
  return found === expected ? null : `the text is ${JSON.stringify(found)}, and not ${JSON.stringify(expected)}`;
}

function badCalls({ parts }: Exchange, cities: readonly string[]): string | null {
  const found = parts.flatMap((part) => (part.type === "toolcall_end" ? [part] : []));
  const expected = JSON.stringify(cities.map((city) => [requestTexts.tool, { city }]));
  const given = JSON.stringify(found.map((each) => [each.name, parseJson(each.arguments) ?? each.arguments]));
  return given === expected ? null : `the calls are ${given}, and not ${expected}`;
}

function badFailure(exchange: Exchange, kind: ModelFailureKind, isRetryable: boolean): string | null {
  const end = endOf(exchange);
  if (end?.type !== "error") return "the answer is complete, and not a failure";
  const { failure } = end;
  if (failure.kind !== kind) return `the failure has the class ${failure.kind}, and not ${kind}: ${failure.message}`;
  if (failure.retryable === isRetryable) return null;
  return isRetryable ? "the failure is not retried" : "the failure is retried";
}

/** All rules, in the order of the cases. */
export const contractRules: readonly Rule[] = [
  {
    name: "An answer has all its texts in order and unchanged, and one end",
    scenario: complete(...said, usage, stop),
    check: (exchange) => badEnd(exchange, "stop") ?? badText(exchange, texts.join("")),
  },
  {
    name: "A text arrives before the answer is complete",
    scenario: { parts: said, end: "open", status: null },
    check: (exchange) => (textOf(exchange) === "" ? "no text arrived while the answer was open" : null),
  },
  {
    name: "An answer has the token counts that its server reports",
    feature: "usage",
    scenario: complete(...said, usage, stop),
    check: (exchange) => {
      const end = endOf(exchange);
      if (end?.type !== "finish") return badEnd(exchange, "stop");
      const { input, output } = end.usage;
      return input === 12 && output === 8 ? null : `the counts are ${input} and ${output}, and not 12 and 8`;
    },
  },
  {
    name: "A tool call has its name and its arguments, and ends the answer with tool_calls",
    feature: "tools",
    scenario: complete(call("call_a1", "Zürich"), { type: "finish", reason: "tool_calls" }),
    check: (exchange) => badEnd(exchange, "tool_calls") ?? badCalls(exchange, ["Zürich"]),
  },
  {
    name: "Several tool calls of an answer are complete and in order",
    feature: "tools",
    scenario: complete(...calls, { type: "finish", reason: "tool_calls" }),
    check: (exchange) => badEnd(exchange, "tool_calls") ?? badCalls(exchange, ["Zürich", "Oslo"]),
  },
  {
    name: "Thinking is read as thinking, and is no part of the text",
    feature: "thinking",
    scenario: complete({ type: "thinking", text: "Let me see." }, ...said, stop),
    check: (exchange) => {
      const thought = exchange.parts.map((part) => (part.type === "thinking_delta" ? part.delta : "")).join("");
      const problem = badEnd(exchange, "stop") ?? badText(exchange, texts.join(""));
      if (problem !== null) return problem;
      return thought === "Let me see." ? null : `the thinking is ${JSON.stringify(thought)}`;
    },
  },
  {
    name: "An answer at the limit of tokens has the stop reason length",
    scenario: complete(...said, { type: "finish", reason: "length" }),
    check: (exchange) => badEnd(exchange, "length"),
  },
  {
    name: "An answer that breaks off is a failure that is retried",
    scenario: { parts: said, end: "cut", status: null },
    check: (exchange) => badFailure(exchange, "network", true),
  },
  {
    name: "An abort ends the answer and the provider",
    scenario: { parts: said, end: "open", status: null },
    check: (exchange) => {
      const isPending = exchange.requests.some(({ signal }) => signal?.aborted !== true);
      return isPending ? "its request was not aborted" : badFailure(exchange, "aborted", false);
    },
  },
  {
    name: "A refused key is a failure that is not retried",
    scenario: refused(401),
    check: (exchange) => badFailure(exchange, "auth", false),
  },
  {
    name: "A limit of requests is a failure that is retried",
    scenario: refused(429),
    check: (exchange) => badFailure(exchange, "rate_limited", true),
  },
  {
    name: "A failed server is a failure that is retried",
    scenario: refused(503),
    check: (exchange) => badFailure(exchange, "network", true),
  },
  {
    name: "A request contains the system prompt, the messages and the result of a call",
    needsServer: true,
    scenario: complete(...said, stop),
    check: ({ requests }) => missingIn(requests, [requestTexts.system, requestTexts.user, requestTexts.result]),
  },
  {
    name: "A request contains the tools",
    feature: "tools",
    needsServer: true,
    scenario: complete(...said, stop),
    check: ({ requests }) => missingIn(requests, [requestTexts.tool]),
  },
  {
    name: "A request contains the limit of the answer",
    needsServer: true,
    scenario: complete(...said, stop),
    check: ({ requests }) => missingIn(requests, [String(requestTokens)]),
  },
];

/** The texts that no request contains. */
function missingIn(requests: readonly SentRequest[], expected: readonly string[]): string | null {
  const missing = expected.filter((text) => !requests.some(({ body }) => body.includes(text)));
  return missing.length === 0 ? null : `no request contains ${missing.map((text) => `"${text}"`).join(", ")}`;
}
