// The text of a prompt: a string, or a list of parts that can include the text of other prompts.

import type { PromptName } from "./register.ts";

/** A part with literal text (Standard Agents, prompts). */
export interface PromptTextPart {
  type: "text";
  content: string;
}

/** A part that is replaced by the text of another prompt (Standard Agents, prompts). */
export interface PromptIncludePart {
  type: "include";
  prompt: PromptName;
}

/** A part of a structured prompt (Standard Agents, prompts). */
export type PromptPart = PromptTextPart | PromptIncludePart;

/** The parts of a prompt in order (Standard Agents, prompts). */
export type StructuredPrompt = PromptPart[];

/** The text of a prompt in either form (Standard Agents, prompts). */
export type PromptContent = string | StructuredPrompt;
