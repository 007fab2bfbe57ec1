// The tables of models: for each the folder of models.dev, the comment of its file, and the facts of models.dev that it leaves out.

/**
 * @typedef {object} Table
 * @property {string} provider The provider's name in models.dev.
 * @property {string} title
 * @property {string} [withoutPrices] Why the prices of models.dev are left out.
 * @property {readonly string[]} [without] Ids of models that are left out, because sources disagree about them.
 * @property {RegExp} [only] The ids of models that the provider reaches. Absent: all.
 * @property {RegExp} [inputIsWindow] Ids of models whose window is the limit of their prompt.
 */

/** @type {Record<string, Table>} */
export const tables = {
  anthropic: { provider: "anthropic", title: "Anthropic" },
  azure: { provider: "azure", title: "Azure" },
  bedrock: {
    provider: "amazon-bedrock",
    title: "Amazon Bedrock",
    withoutPrices: "The prices of AWS differ between regions.",
  },
  cerebras: { provider: "cerebras", title: "Cerebras" },
  deepseek: { provider: "deepseek", title: "DeepSeek" },
  fireworks: { provider: "fireworks-ai", title: "Fireworks AI" },
  "github-models": {
    provider: "github-models",
    title: "GitHub Models",
    withoutPrices: "The source states 0 for all models, which holds up to a limit of requests.",
  },
  google: { provider: "google", title: "Google", inputIsWindow: /^gemini-/ },
  groq: { provider: "groq", title: "Groq" },
  huggingface: {
    provider: "huggingface",
    title: "Hugging Face",
    withoutPrices: "The router chooses among servers with prices of their own.",
  },
  mistral: { provider: "mistral", title: "Mistral" },
  moonshot: { provider: "moonshotai", title: "Moonshot AI" },
  nvidia: {
    provider: "nvidia",
    title: "NVIDIA",
    withoutPrices: "The source states 0 for most models, which holds for trials.",
  },
  openai: { provider: "openai", title: "OpenAI", without: ["gpt-5-chat-latest"] },
  openrouter: { provider: "openrouter", title: "OpenRouter" },
  perplexity: {
    provider: "perplexity",
    title: "Perplexity",
    withoutPrices: "Each request has a fee in addition to the prices of tokens.",
  },
  qwen: { provider: "alibaba", title: "Alibaba Cloud Model Studio" },
  together: { provider: "togetherai", title: "Together AI" },
  vertex: {
    provider: "google-vertex",
    title: "Vertex AI",
    inputIsWindow: /^gemini-/,
    // The ids of other vendors' models have a slash. They have another API.
    only: /^[^/]+$/,
  },
  "workers-ai": { provider: "cloudflare-workers-ai", title: "Cloudflare Workers AI" },
  xai: { provider: "xai", title: "xAI" },
  zai: { provider: "zai", title: "Z.ai" },
};
