// Phrases with which providers report that a request exceeds the context window. They are in one list, because gateways pass
// the errors of other providers on (figures.md, "Context overflow").

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
  // Workers AI.
  "exceeded this model context window limit",
  // LM Studio.
  "loaded with context length of only",
  "context size has been exceeded",
];

const patterns: readonly RegExp[] = [
  /too large for model with \d+ maximum context length/,
  /prompt too long; exceeded .{0,100}context length/,
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

// These take precedence over every phrase: errors of a busy service also mention limits and tokens.
const exclusions: readonly string[] = ["rate limit", "too many requests", "throttling error", "service unavailable"];

/** Whether the text of an error reports that the context window was exceeded. Case does not matter. */
export function reportsOverflow(text: string): boolean {
  const lower = text.toLowerCase();
  if (exclusions.some((exclusion) => lower.includes(exclusion))) return false;
  return phrases.some((phrase) => lower.includes(phrase)) || patterns.some((pattern) => pattern.test(lower));
}
