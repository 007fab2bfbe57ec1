// Servers with OpenAI's Chat Completions that `provider: "openai-compatible"` knows by name. Each server is one row: its address, the variable
// of its key, and how it differs from OpenAI. Types, the build, requests and the documentation read this list alone. The sources of the
// rows are in docs/reference/providers/openai-compatible.md.

import type { ModelCompatibility } from "./model.ts";

/** A server with OpenAI's Chat Completions. */
export interface ServerPreset {
  /** The base URL of the API. */
  baseUrl: string;
  /** The environment variable with the API key. */
  keyVariable: string;
  /** The server usually runs without a key. */
  keyless?: true;
  /** The path of the server's API below the address of an AI Gateway of Cloudflare. Absent: AI Gateway has none. */
  gatewayPath?: string;
  /** The domains of the server in addition to that of `baseUrl`. */
  domains?: readonly string[];
  /** How the server differs from OpenAI. */
  compat?: ModelCompatibility & {
    /** The server accepts a JSON Schema as the form of an answer. Default true. */
    jsonSchema?: boolean;
  };
}

const deepseek = {
  requiresThinking: "all",
  emptyThinking: "",
  jsonSchema: false,
  thinkingOffField: "thinking",
} as const;

const moonshot = {
  requiresThinking: "calls",
  emptyThinking: " ",
  jsonSchema: false,
  thinkingOffField: "thinking",
  schemaRules: "moonshot",
} as const;

/** The servers by the names that `preset` accepts. */
export const modelPresets = {
  cerebras: {
    baseUrl: "https://api.cerebras.ai/v1",
    keyVariable: "CEREBRAS_API_KEY",
    gatewayPath: "cerebras",
    // Cerebras, Groq and Mistral refuse fields that their protocol does not have.
    compat: { requiresThinking: "none" },
  },
  deepseek: {
    baseUrl: "https://api.deepseek.com/v1",
    keyVariable: "DEEPSEEK_API_KEY",
    gatewayPath: "deepseek",
    compat: deepseek,
  },
  fireworks: {
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyVariable: "FIREWORKS_API_KEY",
  },
  "github-models": {
    baseUrl: "https://models.github.ai/inference",
    keyVariable: "GITHUB_TOKEN",
  },
  groq: {
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariable: "GROQ_API_KEY",
    gatewayPath: "groq",
    compat: { requiresThinking: "none" },
  },
  huggingface: {
    baseUrl: "https://router.huggingface.co/v1",
    keyVariable: "HF_TOKEN",
  },
  "lm-studio": {
    baseUrl: "http://localhost:1234/v1",
    keyVariable: "LM_STUDIO_API_KEY",
    keyless: true,
  },
  mistral: {
    baseUrl: "https://api.mistral.ai/v1",
    keyVariable: "MISTRAL_API_KEY",
    gatewayPath: "mistral/v1",
    compat: { supportsStreamUsage: false, shortCallIds: true, requiresThinking: "none" },
  },
  moonshot: {
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariable: "MOONSHOT_API_KEY",
    domains: ["moonshot.cn"],
    compat: moonshot,
  },
  nvidia: {
    baseUrl: "https://integrate.api.nvidia.com/v1",
    keyVariable: "NVIDIA_API_KEY",
  },
  ollama: {
    baseUrl: "http://localhost:11434/v1",
    keyVariable: "OLLAMA_API_KEY",
    keyless: true,
    domains: ["ollama.com"],
  },
  perplexity: {
    baseUrl: "https://api.perplexity.ai",
    keyVariable: "PERPLEXITY_API_KEY",
    gatewayPath: "perplexity-ai",
  },
  qwen: {
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyVariable: "DASHSCOPE_API_KEY",
    compat: { thinkingOffField: "enable_thinking" },
  },
  together: {
    baseUrl: "https://api.together.ai/v1",
    keyVariable: "TOGETHER_API_KEY",
    domains: ["together.xyz"],
  },
  vllm: {
    baseUrl: "http://localhost:8000/v1",
    keyVariable: "VLLM_API_KEY",
    keyless: true,
  },
  xai: {
    baseUrl: "https://api.x.ai/v1",
    keyVariable: "XAI_API_KEY",
    gatewayPath: "grok/v1",
  },
  zai: {
    baseUrl: "https://api.z.ai/api/paas/v4",
    keyVariable: "ZAI_API_KEY",
    domains: ["bigmodel.cn"],
    compat: { jsonSchema: false, thinkingOffField: "thinking" },
  },
} as const satisfies Record<string, ServerPreset>;

/** The name of a server in {@link modelPresets}. */
export type PresetName = keyof typeof modelPresets;
