// Adds the summary of dropped messages to the context of a request: calls the prompt's function, or makes the request to the model that
// writes the summary.

import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { StepPlan } from "#core/ports/step-port.ts";

import type { Definitions } from "../setup/project-definitions.ts";
import { requestContext } from "./request-context.ts";
import type { RequestContext, RequestParts } from "./request-context.ts";
import { calledSummary, summaryRequest } from "./summary-request.ts";
import type { DroppedMessages } from "./summary-request.ts";

/**
 * The context of a step's request, with the request for its summary if a model writes one, and a warning if the prompt's function failed.
 */
export interface SummarizedRequest {
  context: RequestContext;
  summary?: StepPlan["summary"];
  warning?: string;
}

/** The sources of a summary. `signal` ends the wait for the prompt's function. */
interface SummarySources {
  definitions: Definitions;
  clock: Clock;
  faults: Faults;
  signal: AbortSignal | undefined;
}

/** The share of its model's window that the request for a summary may have, and the tokens that its instructions need. */
const windowShare = 0.8;
const instructionTokens = 300;

/** The window that is assumed for a model with an unknown window. */
const assumedWindow = 100_000;

/** Calls the prompt's function for the summary of the dropped messages, or makes the request to a model. */
export async function summarizedRequest(
  context: RequestContext,
  { parts, dropped }: { parts: RequestParts; dropped: DroppedMessages },
  { definitions, clock, faults, signal }: SummarySources,
): Promise<SummarizedRequest> {
  const { prompt, model } = parts;
  const { strategy, model: name, toolOutputMaxLines: lines = 50 } = prompt.context ?? {};
  if (typeof strategy !== "function") {
    await faults.at("plan.summary-model");
    const writer = name === undefined ? model : await definitions.model(name);
    const { contextWindow = assumedWindow } = writer;
    const budget = Math.floor(contextWindow * windowShare) - dropped.tokens - instructionTokens;
    return { context, summary: { model: writer, request: summaryRequest(dropped, { budget, lines }) } };
  }
  await faults.at("plan.summary-function");
  const text = await calledSummary(strategy, dropped, { clock, signal });
  if ("problem" in text) return { context, warning: text.problem };
  const summarized = requestContext({ ...parts, summary: text.summary });
  return { context: "problem" in summarized ? context : summarized };
}
