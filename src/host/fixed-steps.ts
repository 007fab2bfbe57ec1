// Prepares the steps of an in-process run (executed in the caller's process, without a Worker or a thread). Each step has the same system
// prompt, models and tools, and sends the whole conversation. There are no prompts, agents, hooks or filters.

import type { JsonObject } from "#contract/json.ts";
import type { AnswerStructure, ModelMessage } from "#core/ports/model-port.ts";
import type { StepPlan, StepPort, ToolMode } from "#core/ports/step-port.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { repair } from "#core/request/repair.ts";
import { withAttachments } from "#core/request/request-attachments.ts";
import { endWithPrompt, isSendable, modelMessage, unstoredInstruction } from "#core/request/request-messages.ts";
import { earlierThinking } from "#core/request/selected-thinking.ts";
import { offeredTools } from "#core/strategy/offered-tools.ts";
import { threadErrorTexts } from "#core/tools/error-results.ts";
import type { CallErrorTexts } from "#core/tools/error-results.ts";
import type { AnyModelDefinition, ReasoningConfig } from "#spec/index.ts";

/** The contents of every request of a run. */
export interface StepSettings {
  /** The system prompt; an empty string sends none. */
  system: string;
  /** The model that is requested, then its fallbacks in order. */
  models: [AnyModelDefinition, ...AnyModelDefinition[]];
  /** The tools by name. A model without function calling is offered none. */
  tools: ReadonlyMap<string, ToolRunner>;
  toolMode: ToolMode;
  /** Takes precedence over the model's value. */
  temperature?: number | undefined;
  /** Takes precedence over the model's value. */
  maxTokens?: number | undefined;
  reasoning?: ReasoningConfig | undefined;
  /** The form of each answer, unless the strategy decides otherwise. Absent: free text. */
  structure?: AnswerStructure | undefined;
  /** Fields that are merged into the body of each request. */
  params?: JsonObject | undefined;
  /**
   * The texts that the model reads in place of a tool's result. Only `lostResult` is used here; for the calls of a step, the texts in the
   * host's ports are used.
   */
  errorTexts?: Partial<CallErrorTexts> | undefined;
}

/** The messages that a step sends: records, or messages that are made for each request. */
export type SentConversation = RecordedConversation | MadeConversation;

/** Messages that are made for each request, because the records of the run are not what the model receives. */
interface MadeConversation {
  /** The messages of the next request. They may be none. If it rejects, the run ends as failed inside the library. */
  messages: (signal: AbortSignal) => Promise<ModelMessage[]>;
}

/** The messages of the conversation as records. */
interface RecordedConversation {
  /** Messages of earlier runs, oldest first. Their thinking is sent again only if `reasoning.include` is set. */
  earlier: readonly MessageRecord[];
  /** Messages of the run so far. */
  own: () => readonly MessageRecord[];
}

/** An in-process run has only one side. */
const place = { side: "a", role: "assistant", depth: 0 } as const;

/** Creates the step port. The settings do not change during a run. */
export function fixedSteps(settings: StepSettings, conversation: SentConversation): StepPort {
  const { system, models, tools, toolMode, temperature, maxTokens, reasoning, structure, params } = settings;
  const texts = { ...threadErrorTexts, ...settings.errorTexts };
  const offered = models[0].capabilities?.functionCalling === false ? new Map<string, ToolRunner>() : tools;
  return {
    async plan(shape, signal) {
      const isMade = "messages" in conversation;
      const given = isMade ? await conversation.messages(signal) : recordedMessages(conversation, reasoning);
      const messages = repair(given, texts);
      // There are no stored files, so a reference to one is sent as a line of text with its name.
      const sent = await withAttachments(messages, { files: undefined, models, recent: undefined });
      const instruction = unstoredInstruction(shape);
      if (sent.length === 0 && instruction === undefined && !isMade) return { problem: nothingToSend };
      const step = offeredTools(offered, shape);
      const form = shape.structure === undefined ? structure : shape.structure;
      const request: StepPlan["request"] = {
        system,
        messages: endWithPrompt(sent, instruction),
        tools: step.specs,
        toolChoice: step.toolChoice,
        parallelToolCalls: true,
        reasoning: reasoning ?? null,
        temperature: temperature ?? null,
        maxTokens: maxTokens ?? null,
        ...(form == null ? {} : { structure: form }),
        ...(params === undefined ? {} : { params }),
      };
      // The trace serves to rebuild the request from a log row. There are no log rows, so it is empty.
      return { models, request, tools: step.tools, toolMode, trace: {}, ...place };
    },
    tools: () => Promise.resolve({ tools, toolMode, ...place }),
  };
}

function recordedMessages(
  { earlier, own }: RecordedConversation,
  reasoning: ReasoningConfig | undefined,
): ModelMessage[] {
  const records = own();
  const stored = [...earlierThinking(earlier, reasoning, records), ...records];
  return stored.filter(isSendable).map(modelMessage);
}

const nothingToSend = { code: "conflict", message: "The conversation has no message to send to the model." };
