// Models of Vertex AI at its own address.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/google-vertex/models",
      date: "2026-07-02",
    },
    models: {
      "claude-3-5-haiku@20241022": [200_000, null, 8_192, [0.8, 4, 0.08, 1], "VTrX"],
      "claude-haiku-4-5@20251001": [200_000, null, 64_000, [1, 5, 0.1, 1.25], "VTR"],
      "claude-opus-4-1@20250805": [200_000, null, 32_000, [15, 75, 1.5, 18.75], "VTRX"],
      "claude-opus-4-5@20251101": [200_000, null, 64_000, [5, 25, 0.5, 6.25], "VTR"],
      "claude-opus-4-6@default": [1_000_000, null, 128_000, [5, 25, 0.5, 6.25], "VTR", [200_000, 10, 37.5, 1, 12.5]],
      "claude-opus-4-7@default": [1_000_000, null, 128_000, [5, 25, 0.5, 6.25], "VTR", [200_000, 10, 37.5, 1, 12.5]],
      "claude-opus-4-8@default": [1_000_000, null, 128_000, [5, 25, 0.5, 6.25], "VTR", [200_000, 10, 37.5, 1, 12.5]],
      "claude-opus-4@20250514": [200_000, null, 32_000, [15, 75, 1.5, 18.75], "VTRX"],
      "claude-sonnet-4-5@20250929": [200_000, null, 64_000, [3, 15, 0.3, 3.75], "VTR"],
      "claude-sonnet-4-6@default": [1_000_000, null, 128_000, [3, 15, 0.3, 3.75], "VTR", [200_000, 6, 22.5, 0.6, 7.5]],
      "claude-sonnet-4@20250514": [200_000, null, 64_000, [3, 15, 0.3, 3.75], "VTRX"],
      "claude-sonnet-5@default": [1_000_000, null, 128_000, [2, 10, 0.2, 2.5], "VTR"],
      "gemini-2.5-flash": [1_048_576, 1_048_576, 65_536, [0.3, 2.5, 0.075, 0.383], "VTR"],
      "gemini-2.5-flash-lite": [1_048_576, 1_048_576, 65_536, [0.1, 0.4, 0.01, null], "VTR"],
      "gemini-2.5-pro": [1_048_576, 1_048_576, 65_536, [1.25, 10, 0.125, null], "VTR", [200_000, 2.5, 15, 0.25, null]],
      "gemini-3-flash-preview": [1_048_576, 1_048_576, 65_536, [0.5, 3, 0.05, null], "VTSR"],
      "gemini-3.1-flash-lite": [1_048_576, 1_048_576, 65_536, [0.25, 1.5, 0.025, null], "VTSR"],
      "gemini-3.1-flash-lite-preview": [1_048_576, 1_048_576, 65_536, [0.25, 1.5, 0.025, null], "VTSRX"],
      "gemini-3.1-pro-preview": [1_048_576, 1_048_576, 65_536, [2, 12, 0.2, null], "VTSR", [200_000, 4, 18, 0.4, null]],
      "gemini-3.1-pro-preview-customtools": [
        1_048_576,
        1_048_576,
        65_536,
        [2, 12, 0.2, null],
        "VTSR",
        [200_000, 4, 18, 0.4, null],
      ],
      "gemini-3.5-flash": [1_048_576, 1_048_576, 65_536, [1.5, 9, 0.15, null], "VTSR"],
      "gemini-flash-latest": [1_048_576, 1_048_576, 65_536, [0.3, 2.5, 0.075, 0.383], "VTR"],
      "gemini-flash-lite-latest": [1_048_576, 1_048_576, 65_536, [0.1, 0.4, 0.025, null], "VTR"],
    },
  },
];
