// Limits, prices and capabilities of Anthropic's models at Anthropic, without beta headers that enlarge the limits. A definition that sends such
// a header states its own `contextWindow`.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: { url: "https://platform.claude.com/docs/en/models/overview?model=claude-opus-5-5", date: "2026-09-22" },
    models: {
      "claude-fable-5-2": [1_000_000, null, 128_000],
      "claude-haiku-5-5": [1_000_000, null, 128_000],
      "claude-opus-5-5": [1_000_000, null, 128_000],
      "claude-sonnet-5-5": [1_000_000, null, 128_000],
    },
  },
  {
    source: { url: "https://platform.claude.com/docs/about-claude/models/whats-new-opus-5", date: "2026-11-23" },
    models: {
      "claude-fable-5-1": [1_000_000, null, 128_000],
      "claude-opus-5": [1_000_000, null, 128_000],
    },
  },
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/anthropic/models",
      date: "2026-07-02",
    },
    models: {
      "claude-3-5-sonnet-20240620": [200_000, null, 8_192, [3, 15, 0.3, 3.75], "VTrX"],
      "claude-3-5-sonnet-20241022": [200_000, null, 8_192, [3, 15, 0.3, 3.75], "VTrX"],
      "claude-3-7-sonnet-20250219": [200_000, null, 64_000, [3, 15, 0.3, 3.75], "VTRX"],
      "claude-3-haiku-20240307": [200_000, null, 4_096, [0.25, 1.25, 0.03, 0.3], "VTrX"],
      "claude-3-opus-20240229": [200_000, null, 4_096, [15, 75, 1.5, 18.75], "VTrX"],
      "claude-3-sonnet-20240229": [200_000, null, 4_096, [3, 15, 0.3, 0.3], "VTrX"],
      "claude-fable-5": [1_000_000, null, 128_000, [10, 50, 1, 12.5], "VTR"],
      "claude-haiku-4-5": [200_000, null, 64_000, [1, 5, 0.1, 1.25], "VTR"],
      "claude-haiku-4-5-20251001": [200_000, null, 64_000, [1, 5, 0.1, 1.25], "VTR"],
      "claude-opus-4-0": [200_000, null, 32_000, [15, 75, 1.5, 18.75], "VTR"],
      "claude-opus-4-1": [200_000, null, 32_000, [15, 75, 1.5, 18.75], "VTR"],
      "claude-opus-4-1-20250805": [200_000, null, 32_000, [15, 75, 1.5, 18.75], "VTR"],
      "claude-opus-4-20250514": [200_000, null, 32_000, [15, 75, 1.5, 18.75], "VTR"],
      "claude-opus-4-5": [200_000, null, 64_000, [5, 25, 0.5, 6.25], "VTR"],
      "claude-opus-4-5-20251101": [200_000, null, 64_000, [5, 25, 0.5, 6.25], "VTR"],
      "claude-opus-4-6": [1_000_000, null, 128_000, [5, 25, 0.5, 6.25], "VTR"],
      "claude-opus-4-7": [1_000_000, null, 128_000, [5, 25, 0.5, 6.25], "VTR"],
      "claude-opus-4-8": [1_000_000, null, 128_000, [5, 25, 0.5, 6.25], "VTR"],
      "claude-sonnet-4-0": [200_000, null, 64_000, [3, 15, 0.3, 3.75], "VTR"],
      "claude-sonnet-4-20250514": [200_000, null, 64_000, [3, 15, 0.3, 3.75], "VTR"],
      "claude-sonnet-4-5": [200_000, null, 64_000, [3, 15, 0.3, 3.75], "VTR"],
      "claude-sonnet-4-5-20250929": [200_000, null, 64_000, [3, 15, 0.3, 3.75], "VTR"],
      "claude-sonnet-4-6": [1_000_000, null, 64_000, [3, 15, 0.3, 3.75], "VTR"],
      "claude-sonnet-5": [1_000_000, null, 128_000, [2, 10, 0.2, 2.5], "VTR"],
    },
  },
];
