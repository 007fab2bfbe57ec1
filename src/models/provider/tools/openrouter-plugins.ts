// The plugins of OpenRouter. A plugin runs once for a request, and not by a call of the model, so that answers have no blocks of it. The pages that an answer
// cites are read from its annotations (`../chat-completions.ts`).
// Source: https://openrouter.ai/docs/guides/features/plugins.

import { listOf } from "#lib/json-value.ts";

import type { ToolWire } from "./tool-wire.ts";

export const openrouterPlugins: ToolWire = {
  createReader: () => ({ read: () => [] }),
  needsResult: true,
  isBlock: () => false,
  addTools: (body, tools) => ({
    ...body,
    plugins: [...listOf(body["plugins"]), ...tools.map(({ type, ...fields }) => ({ id: type, ...fields }))],
  }),
  replaceTexts: (body) => body,
};
