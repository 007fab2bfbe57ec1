// Requests for texts that a call of a definition's tool sends to a model of the project. The requests are executions of the call, so their
// usage counts to the run, and the run's limits apply.

import { refuse } from "#contract/error.ts";
import { unlimitedShare } from "#core/model/request-answer.ts";
import { requestText } from "#core/model/request-text.ts";
import type { RequestedText } from "#core/model/request-text.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ModelMessage, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import type { CallExecutions } from "#core/ports/tool-host.ts";
import type { TextAnswer, TextRequest } from "#core/ports/tool-source-port.ts";
import type { LogRecord } from "#core/record/record.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

/** The dependencies of the requests. */
export interface TextModels {
  models: ModelPort;
  /** Returns the project's model with this name. */
  model: (name: string) => Promise<AnyModelDefinition>;
  clock: Clock;
  faults: Faults;
}

/** Requests a text. Rejects if a limit of the run is reached, if the request fails, or if the call has ended. */
export async function requestCallText(
  { model: name, system, messages, maxTokens, temperature }: TextRequest,
  executions: CallExecutions,
  { models, model, clock, faults }: TextModels,
): Promise<TextAnswer> {
  await faults.at("source.text");
  const request: ModelRequest = {
    model: await model(name),
    system,
    messages: messages.map(({ role, text }) => textMessage(role, text)),
    tools: [],
    toolChoice: "none",
    parallelToolCalls: false,
    reasoning: null,
    temperature,
    maxTokens,
    raw: false,
  };
  const { signal } = executions;
  const prompt = messages.map(({ text }) => text).join("\n\n");
  const execution = executions.begin({ type: name, prompt });
  if (execution === null) throw refuse("conflict", "The call of the tool is over.");
  try {
    await faults.at("source.reserve");
    const reserved = (await execution.reserve?.(request, signal)) ?? unlimitedShare;
    if ("limit" in reserved) throw refuse("conflict", `The run has reached its limit: ${reserved.limit.reason}.`);
    const started = clock.now();
    try {
      await faults.at("source.request");
      const answer = await requestText(request, { models, clock, faults }, signal);
      execution.log(logOf(request, answer, started));
      if (answer.failure !== null) throw refuse("unavailable", answer.failure.message);
      execution.end({ success: true, result: answer.text });
      return { text: answer.text, model: request.model.model };
    } finally {
      reserved.release();
    }
  } catch (thrown) {
    execution.end({ success: false, error: thrown instanceof Error ? thrown.message : "The request failed." });
    throw thrown;
  }
}

function textMessage(role: "user" | "assistant", text: string): ModelMessage {
  return { id: null, role, parts: [{ type: "text", text }], name: null, tool_call_id: null, result: null };
}

/** Creates the log row. The execution keeps only its fields about the request. */
function logOf(
  { model }: ModelRequest,
  { usage, cost, failure, latency, gateway_log_id: id }: RequestedText,
  started: number,
): LogRecord {
  return {
    id: "",
    type: "llm_request",
    run_id: null,
    parent_id: null,
    depth: 0,
    created_at: started,
    events: [],
    data: {
      attempt: 1,
      model: model.name,
      provider: model.provider,
      model_id: model.model,
      error: failure === null ? null : { code: failure.kind, message: failure.message },
      ...(id === undefined ? {} : { gateway_log_id: id }),
      usage: { ...usage },
      cost,
      latency_ms: latency,
    },
  };
}
