// Models of xAI at its own address.

import type { FactTable } from "./fact-table.ts";

export const facts: FactTable = [
  {
    source: {
      url: "https://github.com/anomalyco/models.dev/tree/f3fc69229967/providers/xai/models",
      date: "2026-07-02",
    },
    models: {
      "grok-4.20-0309-non-reasoning": [
        1_000_000,
        null,
        30_000,
        [1.25, 2.5, 0.2, null],
        "VTSr",
        [200_000, 2.5, 5, 0.4, null],
      ],
      "grok-4.20-0309-reasoning": [
        1_000_000,
        null,
        30_000,
        [1.25, 2.5, 0.2, null],
        "VTSR",
        [200_000, 2.5, 5, 0.4, null],
      ],
      "grok-4.20-multi-agent-0309": [
        1_000_000,
        null,
        30_000,
        [1.25, 2.5, 0.2, null],
        "VtSR",
        [200_000, 2.5, 5, 0.4, null],
      ],
      "grok-4.3": [1_000_000, null, 30_000, [1.25, 2.5, 0.2, null], "VTSR", [200_000, 2.5, 5, 0.4, null]],
      "grok-build-0.1": [256_000, null, 256_000, [1, 2, 0.2, null], "VTSR", [200_000, 2, 4, 0.4, null]],
    },
  },
];
