// The steps of a run in process: each step has the same system prompt, models and tools, and sends the whole conversation. There
// are no prompts, agents, hooks or filters.

import type { StepPlan, StepPort, ToolMode } from "#core/ports/step-port.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import type { MessageRecord } from "#core/record.ts";
import { repair } from "#core/repair.ts";
import { withAttachments } from "#core/request/request-attachments.ts";
import { endWithPrompt, isSendable, modelMessage } from "#core/request/request-messages.ts";
import { earlierThinking } from "#core/request/selected-thinking.ts";
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
}

/** The messages that a step sends. */
export interface SentConversation {
  /** Messages of earlier runs, oldest first. Their thinking is sent again only if `reasoning.include` is set. */
  earlier: readonly MessageRecord[];
  /** Messages of the run so far. */
  own: () => readonly MessageRecord[];
}

/** A run in process has one side only. */
const place = { side: "a", role: "assistant", depth: 0 } as const;

/** Creates the step port. The settings do not change during a run. */
export function fixedSteps(settings: StepSettings, conversation: SentConversation): StepPort {
  const { system, models, tools, toolMode, temperature, maxTokens, reasoning } = settings;
  const offered = models[0].capabilities?.functionCalling === false ? new Map<string, ToolRunner>() : tools;
  return {
    async plan({ toolChoice = "auto", instruction }) {
      const own = conversation.own();
      const stored = [...earlierThinking(conversation.earlier, reasoning, own), ...own];
      const messages = repair(stored.filter(isSendable).map(modelMessage));
      // There are no files, so a message that refers to one names it in a line.
      const sent = await withAttachments(messages, { files: undefined, models, recent: undefined });
      if (sent.length === 0 && instruction === undefined) return { problem: nothingToSend };
      const request: StepPlan["request"] = {
        system,
        messages: endWithPrompt(sent, instruction),
        tools: [...offered.values()].map(({ spec }) => spec),
        toolChoice,
        parallelToolCalls: true,
        reasoning: reasoning ?? null,
        temperature: temperature ?? null,
        maxTokens: maxTokens ?? null,
      };
      // Log rows are not kept, so there is no trace to build the request from again.
      return { models, request, tools: offered, toolMode, trace: {}, ...place };
    },
    tools: () => Promise.resolve({ tools, toolMode, ...place }),
  };
}

const nothingToSend = { code: "conflict", message: "The conversation has no message to send to the model." };
