// The answers of the scripted provider: OpenAI's chat stream, chunk by chunk, with the fields of a real chunk. The requested model
// selects the answer: `text-<n>` is n deltas of text, `paced-<n>-<ms>` the same with pauses between its chunks, `tool` is a call and then
// text after its result.

/** Deltas of about a token each. */
const words = ["Then ", "came ", "another ", "word, ", "and ", "one ", "more. "];

/**
 * The deltas of an answer, `deltas` in number.
 * @param {number} deltas
 */
export function piecesOf(deltas) {
  return Array.from({ length: deltas }, (_, at) => words[at % words.length] ?? "");
}

/** @param {object} fields */
function chunk(fields) {
  const shared = {
    id: "chatcmpl-bench",
    object: "chat.completion.chunk",
    created: 1_763_700_000,
    model: "gpt-4o-2024-08-06",
    service_tier: "default",
    system_fingerprint: "fp_1",
  };
  return `data: ${JSON.stringify({ ...shared, ...fields })}\n\n`;
}

/** @param {object} delta @param {string | null} finish_reason */
function choice(delta, finish_reason = null) {
  return chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null });
}

/** @param {number} completion_tokens @returns {(promptTokens: number) => string} */
const usage = (completion_tokens) => (prompt_tokens) =>
  chunk({
    choices: [],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  });

/** @param {number} deltas */
function text(deltas) {
  return [
    choice({ role: "assistant", content: "", refusal: null }),
    ...piecesOf(deltas).map((content) => choice({ content })),
    choice({}, "stop"),
    usage(deltas),
    "data: [DONE]\n\n",
  ];
}

/** The tool that every agent of the bench has, which returns at once. */
const toolName = "at_once";

function toolCall() {
  const call = { index: 0, id: "call_bench", type: "function", function: { name: toolName, arguments: "" } };
  return [
    choice({ role: "assistant", content: null }),
    choice({ tool_calls: [call] }),
    choice({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }),
    choice({}, "tool_calls"),
    usage(8),
    "data: [DONE]\n\n",
  ];
}

/**
 * The chunks that answer a request, one delta each. The chunk with the usage is a function of the request's tokens.
 * @param {{ model: string, messages: { role: string }[] }} request
 */
export function answerTo({ model, messages }) {
  if (model === "tool") return messages.at(-1)?.role === "tool" ? text(1) : toolCall();
  const [, deltas] = /^(?:text|paced)-(\d+)(?:-\d+)?$/.exec(model) ?? [];
  if (deltas === undefined) throw new Error(`There is no answer for the model "${model}".`);
  return text(Number(deltas));
}

/** The milliseconds between two chunks of a model's answers. @param {string} model */
export function pauseOf(model) {
  return Number(/^paced-\d+-(\d+)$/.exec(model)?.[1] ?? 0);
}
