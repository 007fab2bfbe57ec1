// How providers say that a request did not fit in the context window. One place, because every provider words it its own
// way and a missed wording turns a compaction into an error for the user (figures: context overflow).

const phrases: readonly string[] = [
  "prompt is too long",
  "input is too long",
  "exceeds the context window",
  "maximum prompt length",
  "reduce the length of the messages",
  "maximum context length",
  "exceeds the available context size",
  "greater than the context length",
  "context window exceeds limit",
  "exceeded model token limit",
  "context length exceeded",
  "context_length_exceeded",
  "too many tokens",
  "token limit exceeded",
  "request_too_large",
  "model_context_window_exceeded",
  // Perplexity, Bedrock.
  "too_many_prompt_tokens",
  "number of input tokens exceeds maximum length",
  // vLLM.
  "resulting in a maximum input length",
  "longer than the maximum model length",
  // SGLang, Together.
  "longer than the model's context length",
  // Qwen.
  "range of input length should be",
  // Z.AI.
  "prompt exceeds max length",
  // LM Studio.
  "loaded with context length of only",
  "context size has been exceeded",
];

const patterns: readonly RegExp[] = [
  /too large for model with \d+ maximum context length/,
  /prompt too long; exceeded .*context length/,
  // Anthropic, if prompt and `max_tokens` together exceed the window.
  /input length and `?max_tokens`? exceed context limit/,
  // A limit of anything else (images, functions, bytes) is not an overflow.
  /(?<!(?:output|completion|new) )\b(?:tokens?|prompt|context|input length)\b[^.\n]{0,60} exceeds the (?:maximum|limit of)\b/,
  /\bexceeds? the (?:maximum|configured limit of) (?:number of |allowed )?(?:input |prompt |context )?(?:tokens|length)\b/,
  /\binput tokens exceed the configured limit\b/,
  // Text Generation Inference.
  /`?inputs`? tokens \+ `?max_new_tokens`? must be <=/,
  /`inputs` must have less than \d+ tokens/,
];

// These win over any phrase: a busy service also speaks of limits and tokens.
const exclusions: readonly string[] = ["rate limit", "too many requests", "throttling error", "service unavailable"];

/** Whether a provider's words say that the context window was exceeded. Case does not matter. */
export function saysOverflow(text: string): boolean {
  const lower = text.toLowerCase();
  if (exclusions.some((exclusion) => lower.includes(exclusion))) return false;
  return phrases.some((phrase) => lower.includes(phrase)) || patterns.some((pattern) => pattern.test(lower));
}
