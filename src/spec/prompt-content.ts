// The text of a prompt: a string, or parts that include other prompts.

import type { PromptName } from "./register.ts";

/** Text as it stands (Standard Agents, prompts). */
export interface PromptTextPart {
  type: "text";
  content: string;
}

/** Another prompt's text, at this place (Standard Agents, prompts). */
export interface PromptIncludePart {
  type: "include";
  prompt: PromptName;
}

/** A part of a structured prompt (Standard Agents, prompts). */
export type PromptPart = PromptTextPart | PromptIncludePart;

/** Parts in reading order (Standard Agents, prompts). */
export type StructuredPrompt = PromptPart[];

/** A prompt's text in either form (Standard Agents, prompts). */
export type PromptContent = string | StructuredPrompt;
