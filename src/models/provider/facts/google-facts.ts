// Limits, prices and capabilities of Google's models in the Gemini API. Google states an input limit and an output limit for each Gemini
// model; the input limit counts as the window too. Prices are those of text and images.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
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
      "gemini-2.0-flash": [1_048_576, 1_048_576, 8_192, [0.1, 0.4, 0.025, null], "VTSrX"],
      "gemini-2.0-flash-lite": [1_048_576, 1_048_576, 8_192, [0.075, 0.3, null, null], "VTSrX"],
      "gemini-2.5-flash": [1_048_576, 1_048_576, 65_536, [0.3, 2.5, 0.03, null], "VTSR"],
      "gemini-2.5-flash-lite": [1_048_576, 1_048_576, 65_536, [0.1, 0.4, 0.01, null], "VTSR"],
      "gemini-2.5-pro": [1_048_576, 1_048_576, 65_536, [1.25, 10, 0.125, null], "VTSR", [200_000, 2.5, 15, 0.25, null]],
      "gemini-3-flash-preview": [1_048_576, 1_048_576, 65_536, [0.5, 3, 0.05, null], "VTSR"],
      "gemini-3-pro-preview": [1_048_576, 1_048_576, 65_536, [2, 12, 0.2, null], "VTSRX", [200_000, 4, 18, 0.4, null]],
      "gemini-3.1-flash-lite": [1_048_576, 1_048_576, 65_536, [0.25, 1.5, 0.025, null], "VTSR"],
      "gemini-3.1-flash-lite-preview": [1_048_576, 1_048_576, 65_536, [0.25, 1.5, 0.025, null], "VTSRX"],
      "gemini-3.1-pro-preview": [null, null, null, [2, 12, 0.2, null], "VTSR", [200_000, 4, 18, 0.4, null]],
      "gemini-3.1-pro-preview-customtools": [
        1_048_576,
        1_048_576,
        65_536,
        [2, 12, 0.2, null],
        "VTSR",
        [200_000, 4, 18, 0.4, null],
      ],
      "gemini-3.5-flash": [1_048_576, 1_048_576, 65_536, [1.5, 9, 0.15, null], "VTSR"],
      "gemini-flash-latest": [1_048_576, 1_048_576, 65_536, [0.3, 2.5, 0.075, null], "VTSR"],
      "gemini-flash-lite-latest": [1_048_576, 1_048_576, 65_536, [0.1, 0.4, 0.025, null], "VTSR"],
      "gemma-4-26b-a4b-it": [262_144, null, 32_768, null, "VTSR"],
      "gemma-4-31b-it": [262_144, null, 32_768, null, "VTSR"],
    },
  },
];
