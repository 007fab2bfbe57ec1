// The tables of models by name: a provider, or a preset of `openai-compatible`. A table is loaded when a model is looked up in it.

import type { FactTable } from "./fact-table.ts";

export const factTables: Readonly<Record<string, () => Promise<{ facts: FactTable }>>> = {
  anthropic: () => import("./anthropic-facts.ts"),
  azure: () => import("./azure-facts.ts"),
  bedrock: () => import("./bedrock-facts.ts"),
  cerebras: () => import("./cerebras-facts.ts"),
  deepseek: () => import("./deepseek-facts.ts"),
  fireworks: () => import("./fireworks-facts.ts"),
  "github-models": () => import("./github-models-facts.ts"),
  google: () => import("./google-facts.ts"),
  groq: () => import("./groq-facts.ts"),
  huggingface: () => import("./huggingface-facts.ts"),
  mistral: () => import("./mistral-facts.ts"),
  moonshot: () => import("./moonshot-facts.ts"),
  nvidia: () => import("./nvidia-facts.ts"),
  openai: () => import("./openai-facts.ts"),
  openrouter: () => import("./openrouter-facts.ts"),
  perplexity: () => import("./perplexity-facts.ts"),
  qwen: () => import("./qwen-facts.ts"),
  together: () => import("./together-facts.ts"),
  vertex: () => import("./vertex-facts.ts"),
  "workers-ai": () => import("./workers-ai-facts.ts"),
  xai: () => import("./xai-facts.ts"),
  zai: () => import("./zai-facts.ts"),
};
