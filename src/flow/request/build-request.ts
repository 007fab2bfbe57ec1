// Builds the model request of a step from its parts: fits the messages into the budget of tokens (`request-context.ts`), adds the attachments,
// and ends with the step's instruction.

import { refuse } from "#contract/error.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { StepPlan, StepProblem } from "#core/ports/step-port.ts";
import type { StepShape } from "#core/ports/strategy-port.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { withAttachments } from "#core/request/request-attachments.ts";
import type { AttachmentView } from "#core/request/request-attachments.ts";
import { endWithPrompt, unstoredInstruction, unstoredUserMessage } from "#core/request/request-messages.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

import { requestContext, summarizedRequest } from "./request-context.ts";
import type { RequestContext, RequestParts, SummarizedRequest, SummarySources } from "./request-context.ts";
import { requestTrace } from "./request-trace.ts";

/** The messages within the budget, with the summary of those that were dropped. */
export async function contextOf(
  parts: RequestParts,
  sources: SummarySources,
): Promise<SummarizedRequest | StepProblem> {
  const context = requestContext(parts);
  if ("problem" in context) return context;
  if (context.dropped === undefined) return { context };
  await sources.faults.at("plan.summary");
  return summarizedRequest(context, { parts, dropped: context.dropped }, sources);
}

/** What a request consists of. */
interface RequestContent {
  parts: RequestParts;
  context: RequestContext;
  /** The attachments that may be sent. */
  attachments: Omit<AttachmentView, "from">;
  /** The stored messages that the prompt includes. */
  included: readonly MessageRecord[];
  tools: Pick<StepPlan["request"], "tools" | "toolChoice">;
  structure: StepPlan["request"]["structure"] | null;
  shape: StepShape;
  agent: AnyAgentDefinition;
}

/** Makes the request, and the data from which it can be rebuilt for the log. */
export async function buildRequest(content: RequestContent): Promise<Pick<StepPlan, "request" | "trace">> {
  const { parts, context, attachments, included, tools, structure, shape, agent } = content;
  const { prompt, system } = parts;
  const sent = await withAttachments(context.messages, { ...attachments, from: context.filesFrom });
  const request = {
    prompt: prompt.name,
    system,
    messages: endedMessages(sent, shape, agent),
    ...tools,
    parallelToolCalls: prompt.parallelToolCalls ?? false,
    reasoning: prompt.reasoning ?? null,
    temperature: prompt.temperature ?? null,
    maxTokens: prompt.maxTokens ?? null,
    ...(structure == null ? {} : { structure }),
  };
  const candidates = idsFrom(included, context.stored?.dropped ?? "");
  return { request, trace: await requestTrace(request, candidates, context.stored) };
}

/** The ids of the messages from a position on. */
function idsFrom(messages: readonly MessageRecord[], from: string): string[] {
  const ids: string[] = [];
  for (const { id, position } of messages) if (position >= from) ids.push(id);
  return ids;
}

/**
 * Adds the step's instruction, if it is not stored. Without one, adds a request to continue if the last message is an assistant's. If there
 * are neither messages nor an instruction, returns `begin` for an agent with two sides, and throws `conflict` for another agent.
 */
function endedMessages(messages: ModelMessage[], shape: StepShape, agent: AnyAgentDefinition): ModelMessage[] {
  const instruction = unstoredInstruction(shape);
  if (messages.length > 0 || instruction !== undefined) return endWithPrompt(messages, instruction);
  if (agent.type === "dual_ai") return [unstoredUserMessage(begin)];
  throw refuse("conflict", nothingToSend);
}

/** The message that the first of two models receives in a thread without messages (decision 9: two models in a thread). */
const begin = "Begin.";

const nothingToSend =
  "No message is left to send to the model. A prompt without includeChat sees only the messages of its own run, " +
  "and hooks may leave out more.";
