// The shapes of the Standard Agents document that matter for fitting together, written anew with only what the
// comparison needs: a definition typed by that document must be one of ours, and one of ours one of its.

import type { ThreadState, ToolArgs } from "threadhold";
import type { z } from "zod";

export interface PublishedModel<N extends string = string> {
  name: N;
  provider: "openai" | "openrouter" | "anthropic" | "google" | "test";
  model: string;
  includedProviders?: string[];
  fallbacks?: string[];
  inputPrice?: number;
  outputPrice?: number;
  cachedPrice?: number;
  capabilities?: { vision?: boolean; functionCalling?: boolean; structuredOutputs?: boolean };
}

export interface PublishedPrompt<N extends string = string, S extends ToolArgs = ToolArgs> {
  name: N;
  toolDescription: string;
  prompt: string | ({ type: "text"; content: string } | { type: "include"; prompt: string })[];
  model: string;
  includeChat?: boolean;
  includePastTools?: boolean;
  parallelToolCalls?: boolean;
  toolChoice?: "auto" | "none" | "required";
  requiredSchema?: S;
  tools?: (string | PublishedSubprompt)[];
  reasoning?: { effort?: "low" | "medium" | "high"; maxTokens?: number; exclude?: boolean; include?: boolean };
  recentImageThreshold?: number;
}

export interface PublishedSubprompt {
  name: string;
  includeTextResponse?: boolean;
  includeToolCalls?: boolean;
  includeErrors?: boolean;
  initUserMessageProperty?: string;
}

export interface PublishedSide {
  label?: string;
  prompt: string;
  stopOnResponse?: boolean;
  stopTool?: string;
  stopToolResponseProperty?: string;
  maxSteps?: number;
  endSessionTool?: string;
}

export interface PublishedAgent<N extends string = string> {
  name: N;
  title?: string;
  type?: "ai_human" | "dual_ai";
  maxSessionTurns?: number;
  sideA: PublishedSide;
  sideB?: PublishedSide;
  exposeAsTool?: boolean;
  toolDescription?: string;
  description?: string;
  icon?: string;
}

export interface PublishedToolResult {
  status: "success" | "error";
  result?: string;
  error?: string;
  stack?: string;
}

export type PublishedTool<Args extends ToolArgs> = [
  string,
  Args,
  (state: ThreadState, args: z.infer<Args>) => Promise<PublishedToolResult>,
];

export type PublishedBareTool = [string, null, (state: ThreadState) => Promise<PublishedToolResult>];

export interface PublishedExecution {
  readonly flowId: string;
  readonly currentSide: "a" | "b";
  readonly stepCount: number;
  readonly sideAStepCount: number;
  readonly sideBStepCount: number;
  readonly stopped: boolean;
  readonly stoppedBy?: "a" | "b";
  readonly messageHistory: {
    id: string;
    role: "system" | "user" | "assistant" | "tool";
    content: string | null;
    created_at: number;
  }[];
  forceTurn(side: "a" | "b"): void;
  stop(): void;
  readonly abortSignal: AbortSignal;
}
