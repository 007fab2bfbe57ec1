// Converts an execute request to the single spelling that the other files of the dialect use.

import type { Limits } from "#contract/run.ts";
import type { ContextMessage, ExecuteRequest, ToolResultInput, UserInput } from "#contract/session/execute-request.ts";
import type { ClientTool, SetupOptions } from "#contract/setup.ts";

/** The settings of a new session. */
export interface SessionContext {
  agent: string | null;
  system_prompt: string | null;
  messages: ContextMessage[];
  tools: ClientTool[];
}

/** An execute request after conversion. */
export interface ExecuteInput {
  /** Null if the server has to choose the id. */
  session_id: string | null;
  input: UserInput | ToolResultInput[];
  /** Null in a request that continues a session. */
  context: SessionContext | null;
  options: SetupOptions;
  /** Limits of the run that the message starts. */
  limits: Limits | null;
}

/** Converts the request. */
export function executeInput({ session_id, sessionId, input, context, options = {} }: ExecuteRequest): ExecuteInput {
  return {
    session_id: session_id ?? sessionId ?? null,
    input,
    context: context === undefined ? null : readContext(context),
    options: readOptions(options),
    limits: options.limits ?? null,
  };
}

function readContext(context: NonNullable<ExecuteRequest["context"]>): SessionContext {
  return {
    agent: context.agent ?? null,
    system_prompt: context.systemPrompt ?? context.system_prompt ?? null,
    messages: context.messages ?? [],
    tools: (context.tools ?? []).map((tool) => ({
      name: tool.name,
      description: tool.description ?? tool.label ?? tool.name,
      parameters: tool.parameters ?? null,
      deadline_ms: tool.deadlineMs ?? tool.deadline_ms ?? null,
    })),
  };
}

function readOptions(options: NonNullable<ExecuteRequest["options"]>): SetupOptions {
  const { model, temperature, reasoning } = options;
  const max_tokens = options.maxTokens ?? options.max_tokens;
  return {
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(max_tokens === undefined ? {} : { max_tokens }),
    ...(reasoning === undefined ? {} : { reasoning: readReasoning(reasoning) }),
  };
}

function readReasoning(reasoning: NonNullable<NonNullable<ExecuteRequest["options"]>["reasoning"]>) {
  if (typeof reasoning === "string") return { effort: reasoning };
  const { effort, exclude, include } = reasoning;
  const maxTokens = reasoning.maxTokens ?? reasoning.max_tokens;
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(exclude === undefined ? {} : { exclude }),
    ...(include === undefined ? {} : { include }),
  };
}
