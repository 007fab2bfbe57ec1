// The models that hide their thinking and send no byte while they think, which can take minutes. Known by their names, because
// no protocol says it. Models of servers that keep the connection alive meanwhile are not meant.

import type { AnyModelDefinition } from "#spec/index.ts";

// OpenAI's reasoning models, there and behind other addresses; xAI's; `-chat` names the ones that do not think.
const silent = /(?:^|\/)(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat)|gpt-oss|grok-(?:[4-9]|3-mini|code))(?!.*non-reasoning)/;

/** Whether a model may think for minutes before it sends its first byte, and between two parts of its answer. */
export function thinksInSilence({ model }: Pick<AnyModelDefinition, "model">): boolean {
  return silent.test(model.toLowerCase());
}
