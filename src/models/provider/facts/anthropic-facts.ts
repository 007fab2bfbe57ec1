// Token limits of Anthropic's models at Anthropic, without beta headers that enlarge them. A definition that sends such a header states
// its own `contextWindow`.

import type { FactTable } from "./fact-table.ts";

export const anthropicFacts: FactTable = [
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
      "claude-3-5-sonnet-20240620": [200_000, null, 8_192],
      "claude-3-5-sonnet-20241022": [200_000, null, 8_192],
      "claude-3-7-sonnet-20250219": [200_000, null, 64_000],
      "claude-3-haiku-20240307": [200_000, null, 4_096],
      "claude-3-opus-20240229": [200_000, null, 4_096],
      "claude-3-sonnet-20240229": [200_000, null, 4_096],
      "claude-fable-5": [1_000_000, null, 128_000],
      "claude-haiku-4-5": [200_000, null, 64_000],
      "claude-opus-4-0": [200_000, null, 32_000],
      "claude-opus-4-1": [200_000, null, 32_000],
      "claude-opus-4-20250514": [200_000, null, 32_000],
      "claude-opus-4-5": [200_000, null, 64_000],
      "claude-opus-4-6": [1_000_000, null, 128_000],
      "claude-opus-4-7": [1_000_000, null, 128_000],
      "claude-opus-4-8": [1_000_000, null, 128_000],
      "claude-sonnet-4-0": [200_000, null, 64_000],
      "claude-sonnet-4-20250514": [200_000, null, 64_000],
      "claude-sonnet-4-5": [200_000, null, 64_000],
      "claude-sonnet-4-6": [1_000_000, null, 64_000],
      "claude-sonnet-5": [1_000_000, null, 128_000],
    },
  },
];
