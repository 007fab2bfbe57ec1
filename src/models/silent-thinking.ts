// Names the models that hide their thinking and send no byte while they think, which can take minutes. The protocols do not
// announce this, so the model's name decides. Models whose servers send keep-alive bytes are not in the list.

import type { AnyModelDefinition } from "#spec/index.ts";

// OpenAI's and xAI's reasoning models, at any address. OpenAI's models with `-chat` in their name do not think.
const silent = /(?:^|\/)(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat)|gpt-oss|grok-(?:[4-9]|3-mini|code))(?!.*non-reasoning)/;

/** Whether a model may send no byte for minutes, before its answer and between two parts of it. */
export function thinksInSilence({ model }: Pick<AnyModelDefinition, "model">): boolean {
  return silent.test(model.toLowerCase());
}
