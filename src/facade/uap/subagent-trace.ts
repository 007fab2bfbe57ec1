// The trace of a sub-agent's execution. The state of the agent that called the sub-agent contains it.

import { z } from "zod";

import { objectSchema } from "../upp/block-json.ts";
import type { TokenUsage } from "../upp/turn.ts";

/** A tool call that a sub-agent made. */
export interface ToolExecutionTrace {
  readonly toolName: string;
  readonly toolCallId?: string;
  /** JSON. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly isError?: boolean;
  /** Milliseconds. */
  readonly duration?: number;
}

/** An execution of a sub-agent. */
export interface SubagentExecutionTrace {
  readonly subagentId: string;
  /** The kind or the name of the sub-agent, such as "explorer". */
  readonly subagentType: string;
  /** The id of the call that started the sub-agent. */
  readonly parentToolCallId: string;
  /** The task of the sub-agent. */
  readonly prompt: string;
  /** Milliseconds since 1970. */
  readonly startTime: number;
  /** Milliseconds since 1970. */
  readonly endTime: number;
  readonly success: boolean;
  /** The answer, if the execution succeeded. */
  readonly result?: string;
  /** The message of the error, if the execution failed. */
  readonly error?: string;
  readonly toolExecutions?: readonly ToolExecutionTrace[];
  readonly usage?: TokenUsage;
}

/** An execution of a sub-agent as JSON. */
export type SubagentExecutionTraceJSON = SubagentExecutionTrace;

const text = z.string().exactOptional();

const counts = {
  inputTokens: z.number(),
  outputTokens: z.number(),
  totalTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
};

/** The schema of a trace. */
export const traceSchema = z.object({
  subagentId: z.string(),
  subagentType: z.string(),
  parentToolCallId: z.string(),
  prompt: z.string(),
  startTime: z.number(),
  endTime: z.number(),
  success: z.boolean(),
  result: text,
  error: text,
  toolExecutions: z
    .array(
      z.object({
        toolName: z.string(),
        toolCallId: text,
        arguments: objectSchema,
        result: z.string(),
        isError: z.boolean().exactOptional(),
        duration: z.number().exactOptional(),
      }),
    )
    .exactOptional(),
  usage: z.object({ ...counts, cycles: z.array(z.object(counts)).exactOptional() }).exactOptional(),
});
