// Answers a request from the script of a model, without a network. Invariants: there is no state, so the same request gets the
// same answer after a crash; a broken transcript, a missing script and a script that ran out are errors without a retry
// (decision 44: the test provider).

import { stopReasonSchema } from "#contract/stop-reason.ts";
import type { StopReason } from "#contract/thread-message.ts";
import type { Usage } from "#contract/usage.ts";
import { answerData } from "#core/model/answer-data.ts";
import { callTokens, promptTokens, textTokens } from "#core/model/estimate-tokens.ts";
import type { ModelFailure, ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import type { TestError, TestTurn } from "#spec/index.ts";

import { createUniqueIds } from "../../call-ids.ts";
import { classifyFailure, failure } from "../../classify-failure.ts";
import { endOfAnswer } from "../../end-of-answer.ts";
import { newExchange } from "../../observed-fetch.ts";
import { untilAborted } from "../../read-stream.ts";
import { createRedact } from "../../redact.ts";
import { testRequest } from "./test-request.ts";
import { checkTranscript } from "./transcript-check.ts";
import { turnParts } from "./turn-parts.ts";

/** Waits, or rejects when the signal aborts. */
type Delay = (milliseconds: number, signal: AbortSignal) => Promise<void>;

type Chosen = { turn: TestTurn } | { fault: string };

async function chooseTurn(request: ModelRequest): Promise<Chosen> {
  const { script, name } = request.model;
  if (script === undefined) {
    return { fault: `Test model "${name}" has no script. Give it one: script: [{ text: "Hello" }], or a function.` };
  }
  if (typeof script === "function") {
    const turn: unknown = await script(testRequest(request));
    return typeof turn === "object" && turn !== null
      ? { turn }
      : { fault: `The script of test model "${name}" returned no turn.` };
  }
  // The position follows from the request alone, so that it is the same after a crash. A turn that fails therefore fails at every
  // attempt. A script that is a function can count attempts and fail once.
  const position = request.messages.filter((message) => message.role === "assistant").length;
  const turn = script[position];
  if (turn !== undefined) return { turn };
  return {
    fault: `The script of test model "${name}" ran out: it has ${script.length} turns and turn ${position + 1} was asked for.`,
  };
}

function scriptedFailure(error: TestError): ModelFailure {
  const exchange = newExchange();
  if (error.status !== undefined) exchange.status = error.status;
  if (error.retryAfterMs !== undefined) exchange.headers = new Headers({ "retry-after-ms": `${error.retryAfterMs}` });
  const context = { exchange, redact: createRedact([]), now: 0, aborted: false };
  const classified = classifyFailure({ message: error.message }, context);
  if (error.kind === undefined) return classified;
  const retryable = error.kind === "network" || error.kind === "rate_limited";
  return { ...classified, kind: error.kind, retryable };
}

function namedStop(turn: TestTurn): StopReason | null {
  const parsed = stopReasonSchema.safeParse(turn.stopReason);
  return parsed.success ? parsed.data : null;
}

function endOfTurn(request: ModelRequest, turn: TestTurn): ModelPart {
  const usage = scriptedUsage(request, turn);
  if (turn.error !== undefined) return { type: "error", failure: scriptedFailure(turn.error) };
  const hasCalls = (turn.toolCalls ?? []).length > 0;
  const end = {
    detail: null,
    ended: true,
    usage,
    reported_cost: null,
    model_id: request.model.model,
    hasCalls,
    hasOtherContent: false,
    hasWholeContent: true,
  };
  const stop = namedStop(turn);
  if (turn.stopReason !== undefined && stop === null) {
    return { type: "error", failure: failure("api", `"${turn.stopReason}" is not a stop reason.`) };
  }
  const unified = stop === "length" ? "length" : stop === "content_filter" ? "content-filter" : "stop";
  const part = endOfAnswer({ ...end, reason: { unified, raw: stop ?? "stop" } }, request.model);
  if (part.type !== "finish") return part;
  const texts = typeof turn.text === "string" ? [turn.text] : (turn.text ?? []);
  const data = hasCalls || request.structure === undefined ? undefined : answerData([texts.join("")]);
  return { ...part, ...(stop === null ? {} : { stop_reason: stop }), ...(data === undefined ? {} : { data }) };
}

/** Plays the next turn for a request. Throws the error of a script's function, or the signal's reason. */
export async function* playScript(request: ModelRequest, signal: AbortSignal, delay: Delay): AsyncGenerator<ModelPart> {
  const fault = checkTranscript(request.messages);
  if (fault !== null) {
    yield { type: "error", failure: failure("api", `The transcript breaks a provider's rules: ${fault}.`) };
    return;
  }
  const chosen = await untilAborted(chooseTurn(request), signal);
  if ("fault" in chosen) {
    yield { type: "error", failure: failure("api", chosen.fault) };
    return;
  }
  const { turn } = chosen;
  const unique = createUniqueIds(request);
  let made = 0;
  const callId = (named: string | undefined): string => unique(named ?? `call_${made++}`);
  const pause = async (): Promise<void> => {
    if (turn.delayMs !== undefined && turn.delayMs > 0) await delay(turn.delayMs, signal);
    signal.throwIfAborted();
  };
  for (const part of turnParts(turn, callId)) {
    if (part.type.endsWith("_delta")) await pause();
    yield part;
  }
  await pause();
  yield endOfTurn(request, turn);
}

function turnTokens(turn: TestTurn): number {
  const text = typeof turn.text === "string" ? turn.text : (turn.text ?? []).join("");
  const calls = (turn.toolCalls ?? []).reduce((sum, call) => sum + callTokens(call.name, call.arguments), 0);
  return textTokens(text) + textTokens(turn.thinking ?? "") + calls;
}

/** Counts of a scripted answer: those that the turn states, and estimates for the others. */
function scriptedUsage(request: ModelRequest, turn: TestTurn): Usage {
  const cache_read = turn.usage?.cacheRead ?? 0;
  const cache_write = turn.usage?.cacheWrite ?? 0;
  const input = turn.usage?.input ?? promptTokens(request);
  const output = turn.usage?.output ?? turnTokens(turn);
  return { input, output, cache_read, cache_write, total_tokens: input + output + cache_read + cache_write };
}
