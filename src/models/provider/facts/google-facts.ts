// Token limits of Google's models in the Gemini API. Google states an input limit and an output limit for each Gemini model; the input
// limit counts as the window too.

import type { FactTable } from "./fact-table.ts";

export const googleFacts: FactTable = [
  {
    source: { url: "https://ai.google.dev/gemini-api/docs/models/gemini-3.1-pro-preview", date: "2026-11-23" },
    models: {
      "gemini-3.1-pro-preview": [1_048_576, 1_048_576, 65_536],
    },
  },
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/google/models",
      date: "2026-07-02",
    },
    models: {
      "gemini-2.0-flash": [1_048_576, 1_048_576, 8_192],
      "gemini-2.0-flash-lite": [1_048_576, 1_048_576, 8_192],
      "gemini-2.5-flash": [1_048_576, 1_048_576, 65_536],
      "gemini-2.5-flash-lite": [1_048_576, 1_048_576, 65_536],
      "gemini-2.5-pro": [1_048_576, 1_048_576, 65_536],
      "gemini-3-flash-preview": [1_048_576, 1_048_576, 65_536],
      "gemini-3-pro-preview": [1_048_576, 1_048_576, 65_536],
      "gemini-3.1-flash-lite": [1_048_576, 1_048_576, 65_536],
      "gemini-3.1-flash-lite-preview": [1_048_576, 1_048_576, 65_536],
      "gemini-3.1-pro-preview-customtools": [1_048_576, 1_048_576, 65_536],
      "gemini-3.5-flash": [1_048_576, 1_048_576, 65_536],
      "gemini-flash-latest": [1_048_576, 1_048_576, 65_536],
      "gemini-flash-lite-latest": [1_048_576, 1_048_576, 65_536],
      "gemma-4-26b-a4b-it": [262_144, null, 32_768],
      "gemma-4-31b-it": [262_144, null, 32_768],
    },
  },
];
